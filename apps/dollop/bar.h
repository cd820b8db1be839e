/* How far a job over recorded frames is: a bar on a terminal, a line a tenth elsewhere, nothing where JSON is
 * asked for. */
#ifndef DLP_APP_BAR_H
#define DLP_APP_BAR_H

#include <stdbool.h>
#include <stdint.h>

typedef struct dlp_bar {
    bool is_silent, is_drawn; /* JSON was asked for; stands on the terminal now */
    double start, last_drawn; /* s, of the wall clock */
} dlp_bar;

void dlp_bar_begin(dlp_bar *bar, bool is_silent);
/* On a terminal alone, a few times a second. */
void dlp_bar_show(dlp_bar *bar, const char *what, int32_t done, int32_t count);
/* The same, and a line a tenth elsewhere. */
void dlp_bar_tell(dlp_bar *bar, const char *what, int32_t done, int32_t count);
void dlp_bar_say(dlp_bar *bar, const char *words); /* in its place */
void dlp_bar_clear(dlp_bar *bar);

#endif
