/* How far a job over recorded frames is: a bar on a terminal, a line per tenth elsewhere, nothing where
 * JSON is asked for. */
#ifndef DLP_APP_BAR_H
#define DLP_APP_BAR_H

#include <stdbool.h>
#include <stdint.h>

/* All-zero is a bar that was never drawn. */
typedef struct dlp_bar {
    bool is_silent, is_drawn; /* JSON was asked for; the bar is on the terminal now */
    double start, last_drawn; /* s, of the wall clock */
} dlp_bar;

void dlp_bar_begin(dlp_bar *bar, bool is_silent);
/* Draws the bar, only on a terminal and at most ten times per second. */
void dlp_bar_show(dlp_bar *bar, const char *what, int32_t done, int32_t count);
/* The same; elsewhere prints a line per tenth of the job. */
void dlp_bar_tell(dlp_bar *bar, const char *what, int32_t done, int32_t count);
/* Words in place of the bar. */
void dlp_bar_say(dlp_bar *bar, const char *words);
/* Takes the bar away, so that other words can be printed. */
void dlp_bar_clear(dlp_bar *bar);

#endif
