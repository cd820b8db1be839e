/* What the verbs share: exit statuses, messages, opening a scene. */
#ifndef DLP_APP_COMMON_H
#define DLP_APP_COMMON_H

#include "options.h"

enum {
    DLP_EXIT_DONE = 0,
    DLP_EXIT_FAILED = 1,
    DLP_EXIT_USAGE = 2, /* bad usage or a bad scene */
    DLP_EXIT_DIVERGED = 3,
    DLP_EXIT_IO = 4,
    DLP_EXIT_INTERRUPTED = 130
};

int dlp_exit_status(dlp_status status); /* as EXIT STATUS of the manual page lists them */
/* Prints the message on the error stream; returns the exit status that belongs to it. */
int dlp_report_error(const dlp_error *error);

/* A bundled name, or else a path; then the --set options in order, each PATH=VALUE. */
dlp_status dlp_open_scene(const char *name, const dlp_words *settings, dlp_scene **out_scene,
                          dlp_error *error);
/* The --set options alone, on a scene that was read. */
dlp_status dlp_set_parameters(dlp_scene *scene, const dlp_words *settings, dlp_error *error);
/* One parameter; mistakes are marked with the option, "--set", that gave it. */
dlp_status dlp_set_parameter(dlp_scene *scene, const char *option, const char *path, const char *value,
                             dlp_error *error);
/* Checks a scene that was opened with these --set options; mistakes in those are marked with --set. */
dlp_status dlp_check_opened_scene(dlp_scene *scene, const dlp_words *settings, dlp_error *error);
/* Likewise, where the parameters came from that option. */
dlp_status dlp_check_changed_scene(dlp_scene *scene, const char *option, dlp_error *error);

double dlp_wall_clock(void); /* s, from an arbitrary start, never going back */

/* For people: "1.5 GB", "12 min", "1 234 567". */
void dlp_readable_bytes(double bytes, char *out_text, size_t size);
void dlp_readable_seconds(double seconds, char *out_text, size_t size);
void dlp_readable_count(double count, char *out_text, size_t size);

extern const dlp_verb dlp_verb_run, dlp_verb_check, dlp_verb_scenes, dlp_verb_new, dlp_verb_info,
    dlp_verb_bench, dlp_verb_reproduce, dlp_verb_render, dlp_verb_mesh, dlp_verb_compare, dlp_verb_convert;

#endif
