/* The bar of a job over frames. */
#include "bar.h"
#include "common.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_shown(const dlp_bar *bar)
{
    return !bar->is_silent && isatty(STDOUT_FILENO);
}

void dlp_bar_begin(dlp_bar *bar, bool is_silent)
{
    *bar = (dlp_bar){.is_silent = is_silent, .start = dlp_wall_clock()};
}

void dlp_bar_clear(dlp_bar *bar)
{
    if (bar->is_drawn) printf("\r\033[K");
    fflush(stdout);
    bar->is_drawn = false;
}

void dlp_bar_show(dlp_bar *bar, const char *what, int32_t done, int32_t count)
{
    enum { WIDTH = 20 };
    char marks[WIDTH + 1], left[32] = "";
    if (!is_shown(bar) || (done < count && dlp_wall_clock() - bar->last_drawn < 0.1)) return;
    const double share = (double)done / count, spent = dlp_wall_clock() - bar->start;
    memset(marks, '.', WIDTH);
    memset(marks, '#', (size_t)(WIDTH * share));
    marks[WIDTH] = 0;
    if (done > 0 && done < count) dlp_readable_seconds(ceil(spent * (1 - share) / share), left, sizeof left);
    printf("\r[%s] %s %d/%d%s%s%s\033[K", marks, what, done, count, left[0] != 0 ? "  " : "", left,
           left[0] != 0 ? " left" : "");
    fflush(stdout);
    bar->is_drawn = true;
    bar->last_drawn = dlp_wall_clock();
}

void dlp_bar_tell(dlp_bar *bar, const char *what, int32_t done, int32_t count)
{
    if (is_shown(bar)) {
        dlp_bar_show(bar, what, done, count);
    } else if (!bar->is_silent && count > 1 && 10 * done / count > 10 * (done - 1) / count) {
        printf("%s %d/%d\n", what, done, count);
        fflush(stdout);
    }
}

void dlp_bar_say(dlp_bar *bar, const char *words)
{
    if (!is_shown(bar)) return;
    printf("\r%s\033[K", words);
    fflush(stdout);
    bar->is_drawn = true;
}
