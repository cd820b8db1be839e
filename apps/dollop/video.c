/* A video out of pictures: ffmpeg is started and fed through a pipe. It writes beside, and the result is
 * renamed. */
#include "video.h"

#include "stop.h"

#include "base/status.h"
#include "record/file_io.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PATH_LIMIT = 4096 + 32 };

bool dlp_video_is_available(void)
{
    const char *folders = getenv("PATH");
    while (folders != NULL && *folders != 0) {
        const int length = (int)strcspn(folders, ":");
        char file[PATH_LIMIT];
        snprintf(file, sizeof file, "%.*s/ffmpeg", length, folders);
        if (access(file, X_OK) == 0) return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

/* The encoder while it runs: pictures go into `input`, its messages into the file `log`. */
typedef struct encoder {
    pid_t process;
    int input;
    char part[PATH_LIMIT], log[PATH_LIMIT];
} encoder;

static dlp_status start(encoder *e, const char *path, double frame_rate, dlp_error *error)
{
    char rate[32];
    snprintf(rate, sizeof rate, "%.9g", frame_rate);
    snprintf(e->part, sizeof e->part, "%s.part", path);
    snprintf(e->log, sizeof e->log, "%s.log", path);
    /* Rows and columns come in pairs in this format: an odd one is doubled. */
    const char *const words[] = {
        "ffmpeg", "-hide_banner", "-loglevel",  "error",     "-y",
        "-f",     "image2pipe",   "-framerate", rate,        "-c:v",
        "png",    "-i",           "pipe:0",     "-vf",       "scale=ceil(iw/2)*2:ceil(ih/2)*2",
        "-c:v",   "libx264",      "-preset",    "medium",    "-crf",
        "18",     "-pix_fmt",     "yuv420p",    "-movflags", "+faststart",
        "-f",     "mp4",          e->part,      NULL};
    int ends[2];
    if (pipe(ends) != 0) return dlp_fail_errno(error, path, errno);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, e->log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const int failure =
        posix_spawnp(&e->process, "ffmpeg", &actions, NULL, (char *const *)(const void *)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    e->input = ends[1];
    if (failure == 0) return DLP_OK;
    close(e->input);
    unlink(e->log);
    return dlp_fail(error, DLP_IO, "ffmpeg: cannot be started (%s)", strerror(failure));
}

static bool send_bytes(int output, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t sent = write(output, bytes, size);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        bytes += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* *out_is_taken is false where the encoder takes no more; its log says why. */
static dlp_status send_picture(const encoder *e, const char *picture, bool *out_is_taken, dlp_error *error)
{
    static char buffer[1 << 16];
    *out_is_taken = true;
    FILE *file = fopen(picture, "rb");
    if (file == NULL) return dlp_fail_errno(error, picture, errno);
    size_t size;
    while (*out_is_taken && (size = fread(buffer, 1, sizeof buffer, file)) > 0)
        *out_is_taken = send_bytes(e->input, buffer, size);
    const bool is_bad = ferror(file);
    fclose(file);
    return is_bad ? dlp_fail(error, DLP_IO, "%s: cannot be read", picture) : DLP_OK;
}

static dlp_status explain(const encoder *e, const char *path, dlp_error *error)
{
    char line[400] = "";
    FILE *log = fopen(e->log, "r");
    if (log != NULL) {
        if (fgets(line, sizeof line, log) == NULL) line[0] = 0;
        fclose(log);
    }
    line[strcspn(line, "\n")] = 0;
    return dlp_fail(error, DLP_IO, "%s: ffmpeg failed: %s; the pictures are kept", path,
                    line[0] != 0 ? line : "it gave no reason");
}

static dlp_status finish(encoder *e, const char *path, dlp_status sent, dlp_error *error)
{
    int ended = 0;
    close(e->input);
    while (waitpid(e->process, &ended, 0) < 0 && errno == EINTR) continue;
    dlp_status status = sent;
    if (status == DLP_OK && dlp_stop_asked())
        status =
            dlp_fail(error, DLP_INTERRUPTED, "interrupted while the video was made; the pictures are kept");
    if (status == DLP_OK && !(WIFEXITED(ended) && WEXITSTATUS(ended) == 0)) status = explain(e, path, error);
    if (status == DLP_OK && rename(e->part, path) != 0) status = dlp_fail_errno(error, path, errno);
    if (status != DLP_OK) unlink(e->part);
    unlink(e->log);
    return status;
}

dlp_status dlp_video_write(const char *path, double frame_rate, char *const *pictures, int32_t count,
                           dlp_error *error)
{
    encoder e = {0};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before); /* an encoder that ends early is noticed by its exit status */
    dlp_status status = start(&e, path, frame_rate, error);
    if (status == DLP_OK) {
        bool is_taken = true;
        for (int32_t k = 0; status == DLP_OK && is_taken && k < count; k++)
            status = send_picture(&e, pictures[k], &is_taken, error);
        status = finish(&e, path, status, error);
    }
    sigaction(SIGPIPE, &before, NULL);
    return status;
}
