/* dollop new: a bundled scene as a commented file to start from. */
#include "common.h"

#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct new_settings {
    char unused; /* a record needs a field */
} new_settings;

static dlp_status find_text(const char *name, const char **out_text, dlp_error *error)
{
    for (int32_t k = 0; k < dlp_bundled_scene_count(); k++) {
        if (strcmp(dlp_bundled_scene_name(k), name) != 0) continue;
        *out_text = dlp_bundled_scene_text(k);
        return DLP_OK;
    }
    /* The library's own message suggests the nearest name. */
    dlp_scene *scene = NULL;
    const dlp_status status = dlp_scene_read_bundled(name, &scene, error);
    dlp_scene_destroy(scene);
    return status != DLP_OK ? status : dlp_fail(error, DLP_INVALID, "%s: has no text", name);
}

static dlp_status write_new_file(const char *path, const char *text, dlp_error *error)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (file < 0 && errno == EEXIST) {
        return dlp_fail(error, DLP_INVALID, "dollop new: %s exists; name another file", path);
    }
    if (file < 0) return dlp_fail(error, DLP_IO, "%s: %s", path, strerror(errno));

    size_t left = strlen(text);
    while (left > 0) {
        const ssize_t written = write(file, text, left);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) break;
        text += written;
        left -= (size_t)written;
    }
    const int reason = left > 0 ? errno : 0;
    if (close(file) == 0 && left == 0) return DLP_OK;
    unlink(path);
    return dlp_fail(error, DLP_IO, "%s: %s", path, strerror(reason != 0 ? reason : errno));
}

static int write_scene(const void *settings, const dlp_words *words)
{
    (void)settings;
    static dlp_error error;
    const char *name = words->items[0], *text = NULL;
    if (find_text(name, &text, &error) != DLP_OK) return dlp_report_error(&error);

    char path[4096];
    if (words->count > 1)
        snprintf(path, sizeof path, "%s", words->items[1]);
    else
        snprintf(path, sizeof path, "%s.yaml", name);
    if (write_new_file(path, text, &error) != DLP_OK) return dlp_report_error(&error);
    printf("%s written. Change it, then: dollop check %s; dollop run %s\n", path, path, path);
    return DLP_EXIT_DONE;
}

static const dlp_option options[] = {{0}};

const dlp_verb dlp_verb_new = {
    .name = "new",
    .usage = "NAME [FILE]",
    .summary = "write a bundled scene as a commented starting point",
    .details = "Writes the bundled scene NAME to FILE (NAME.yaml by default). Never overwrites a file.",
    .options = options,
    .settings_size = sizeof(new_settings),
    .min_words = 1,
    .max_words = 2,
    .run = write_scene,
};
