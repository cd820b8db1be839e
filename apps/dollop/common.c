/* What the verbs share. */
#include "common.h"

#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int dlp_exit_status(dlp_status status)
{
    switch (status) {
    case DLP_OK:
        return DLP_EXIT_DONE;
    case DLP_INVALID:
    case DLP_UNSUPPORTED:
        return DLP_EXIT_USAGE;
    case DLP_DIVERGED:
        return DLP_EXIT_DIVERGED;
    case DLP_IO:
        return DLP_EXIT_IO;
    case DLP_INTERRUPTED:
        return DLP_EXIT_INTERRUPTED;
    case DLP_OUT_OF_MEMORY:
        break;
    }
    return DLP_EXIT_FAILED;
}

int dlp_report_error(const dlp_error *error)
{
    /* An unfinished line may be waiting in the buffer; the message must come after it. */
    fflush(stdout);
    /* Mistakes of a scene start with `file:line:column: `, where editors look for it. */
    const bool names_program = error->status == DLP_INVALID || strncmp(error->message, "dollop", 6) == 0;
    fprintf(stderr, "%s%s\n", names_program ? "" : "dollop: ", error->message);
    return dlp_exit_status(error->status);
}

static bool is_bundled(const char *name)
{
    for (int32_t k = 0; k < dlp_bundled_scene_count(); k++) {
        if (strcmp(dlp_bundled_scene_name(k), name) == 0) return true;
    }
    return false;
}

/* The scene on standard input; its file names are looked for from the working folder. */
static dlp_status read_input(dlp_scene **out_scene, dlp_error *error)
{
    enum { LIMIT = 16 * 1024 * 1024 + 1 }; /* a byte more than a scene may have: the reader then says so */
    char *text = malloc(LIMIT);
    if (text == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "stdin: not enough memory to read it");
    const size_t length = fread(text, 1, LIMIT, stdin);
    const dlp_status status = ferror(stdin)
                                  ? dlp_fail(error, DLP_IO, "stdin: cannot be read")
                                  : dlp_scene_read_text(text, length, "stdin", ".", out_scene, error);
    free(text);
    return status;
}

static dlp_status read_scene(const char *name, dlp_scene **out_scene, dlp_error *error)
{
    if (strcmp(name, "-") == 0) return read_input(out_scene, error);
    const bool looks_like_name = strpbrk(name, "/.") == NULL;
    if (is_bundled(name) || (looks_like_name && access(name, F_OK) != 0)) {
        return dlp_scene_read_bundled(name, out_scene, error);
    }
    return dlp_scene_read_file(name, out_scene, error);
}

/* Whether a mistake starts with `file:line:column: `; where a parameter was set, its path stands there
 * alone. */
static bool has_place(const char *line)
{
    const char *colon = strchr(line, ':');
    return colon != NULL && colon[1] != ' ';
}

/* Marks every mistake without a place in a file as one of an option, as far as the message has room. */
static dlp_status mark_mistakes(const char *option, dlp_status status, dlp_error *error)
{
    char mark[32];
    const size_t length = (size_t)snprintf(mark, sizeof mark, "%s: ", option);
    for (char *line = error->message; status == DLP_INVALID && line != NULL;) {
        const bool has_room = strlen(error->message) + length < sizeof error->message;
        if (has_room && !has_place(line) && strncmp(line, "...", 3) != 0) {
            memmove(line + length, line, strlen(line) + 1);
            memcpy(line, mark, length);
        }
        line = strchr(line, '\n');
        if (line != NULL) line++;
    }
    return status;
}

dlp_status dlp_set_parameter(dlp_scene *scene, const char *option, const char *path, const char *value,
                             dlp_error *error)
{
    return mark_mistakes(option, dlp_scene_change(scene, path, value, error), error);
}

static dlp_status apply_setting(dlp_scene *scene, const char *setting, dlp_error *error)
{
    char path[512];
    const size_t length = strcspn(setting, "=");
    if (setting[length] != '=' || length == 0 || length >= sizeof path) {
        return dlp_fail(error, DLP_INVALID,
                        "--set %s: must be PATH=VALUE, as in substances.honey.viscosity=8", setting);
    }
    memcpy(path, setting, length);
    path[length] = 0;
    return dlp_set_parameter(scene, "--set", path, setting + length + 1, error);
}

dlp_status dlp_set_parameters(dlp_scene *scene, const dlp_words *settings, dlp_error *error)
{
    for (int32_t k = 0; k < settings->count; k++) DLP_TRY(apply_setting(scene, settings->items[k], error));
    return DLP_OK;
}

dlp_status dlp_open_scene(const char *name, const dlp_words *settings, dlp_scene **out_scene,
                          dlp_error *error)
{
    *out_scene = NULL;
    dlp_scene *scene = NULL;
    DLP_TRY(read_scene(name, &scene, error));
    const dlp_status status = dlp_set_parameters(scene, settings, error);
    if (status != DLP_OK) {
        dlp_scene_destroy(scene);
        return status;
    }
    *out_scene = scene;
    return DLP_OK;
}

dlp_status dlp_check_opened_scene(dlp_scene *scene, const dlp_words *settings, dlp_error *error)
{
    return settings->count > 0 ? dlp_check_changed_scene(scene, "--set", error)
                               : dlp_scene_check(scene, error);
}

dlp_status dlp_check_changed_scene(dlp_scene *scene, const char *option, dlp_error *error)
{
    return mark_mistakes(option, dlp_scene_check(scene, error), error);
}

double dlp_wall_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void dlp_readable_bytes(double bytes, char *out_text, size_t size)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    int32_t k = 0;
    while (bytes >= 1000 && k < 5) {
        bytes /= 1000;
        k++;
    }
    snprintf(out_text, size, k == 0 || bytes >= 100 ? "%.0f %s" : "%.1f %s", bytes, units[k]);
}

void dlp_readable_seconds(double seconds, char *out_text, size_t size)
{
    if (!(seconds >= 0 && seconds < 1e9))
        snprintf(out_text, size, "a very long time");
    else if (seconds < 0.1)
        snprintf(out_text, size, "%.2g ms", 1000 * seconds);
    else if (seconds < 10)
        snprintf(out_text, size, "%.2g s", seconds);
    else if (seconds < 120)
        snprintf(out_text, size, "%.0f s", seconds);
    else if (seconds < 7200)
        snprintf(out_text, size, "%.0f min", seconds / 60);
    else if (seconds < 172800)
        snprintf(out_text, size, "%.1f h", seconds / 3600);
    else
        snprintf(out_text, size, "%.1f days", seconds / 86400);
}

void dlp_readable_count(double count, char *out_text, size_t size)
{
    char digits[64];
    const int length = snprintf(digits, sizeof digits, "%.0f", fabs(count) < 1e18 ? count : 1e18);
    size_t k = 0;
    for (int i = 0; i < length && k + 2 < size; i++) {
        const bool starts_group = i > 0 && (length - i) % 3 == 0 && digits[i - 1] != '-';
        if (starts_group && length > 4) out_text[k++] = ' ';
        out_text[k++] = digits[i];
    }
    out_text[k] = 0;
}
