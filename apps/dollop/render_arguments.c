/* Reads sizes and lists of frames. */
#include "render_arguments.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 16, LARGEST = 16384 };

/* A whole number of at most nine digits; `text` moves past it. */
static bool take_number(const char **text, int32_t *out_number)
{
    const size_t digits = strspn(*text, "0123456789");
    if (digits == 0 || digits > 9) return false;
    *out_number = (int32_t)strtol(*text, NULL, 10);
    *text += digits;
    return true;
}

dlp_status dlp_read_size(const char *text, int32_t *out_width, int32_t *out_height, dlp_error *error)
{
    const char *at = text;
    int32_t width = 0, height = 0;
    const bool is_size = take_number(&at, &width) && (*at == 'x' || *at == 'X') && at++ != NULL &&
                         take_number(&at, &height) && *at == 0;
    if (!is_size || width < SMALLEST || width > LARGEST || height < SMALLEST || height > LARGEST)
        return dlp_fail(error, DLP_INVALID,
                        "dollop render: --size: must be WIDTHxHEIGHT, each from %d to %d pixels (got %s)",
                        SMALLEST, LARGEST, text);
    if ((double)width * (double)height > DLP_PIXEL_LIMIT)
        return dlp_fail(error, DLP_INVALID,
                        "dollop render: --size: at most %.3g million pixels are allowed (got %s)",
                        1e-6 * DLP_PIXEL_LIMIT, text);
    *out_width = width;
    *out_height = height;
    return DLP_OK;
}

dlp_status dlp_read_kind(const char *text, dlp_movie_kind *out_kind, dlp_error *error)
{
    static const char *const names[] = {"auto", "surface", "particles"};
    for (int k = 0; k < 3; k++) {
        *out_kind = (dlp_movie_kind)k;
        if (strcmp(names[k], text) == 0) return DLP_OK;
    }
    return dlp_fail(error, DLP_INVALID, "dollop render: --as: must be surface, particles or auto (got %s)",
                    text);
}

static bool take_frame(const char **text, int32_t last, int32_t *out_number)
{
    if (strncmp(*text, "last", 4) != 0) return take_number(text, out_number);
    *text += 4;
    *out_number = last;
    return true;
}

/* One part between commas: a frame, or the first and last of several. */
static bool take_part(const char **text, int32_t last, int32_t *out_from, int32_t *out_to)
{
    if (!take_frame(text, last, out_from)) return false;
    *out_to = *out_from;
    if (strncmp(*text, "..", 2) == 0) {
        *text += 2;
        if (!take_frame(text, last, out_to)) return false;
    }
    return **text == ',' || **text == 0;
}

static int32_t choose(const dlp_frame_ref *frames, int32_t count, int32_t from, int32_t to, bool *chosen)
{
    int32_t found = 0;
    for (int32_t k = 0; k < count; k++) {
        if (frames[k].number < from || frames[k].number > to) continue;
        chosen[k] = true;
        found++;
    }
    return found;
}

dlp_status dlp_choose_frames(const char *text, const dlp_frame_ref *frames, int32_t count, bool *out_chosen,
                             dlp_error *error)
{
    for (int32_t k = 0; k < count; k++) out_chosen[k] = text == NULL;
    const int32_t last = frames[count - 1].number;
    for (const char *at = text; at != NULL;) {
        int32_t from, to;
        if (!take_part(&at, last, &from, &to))
            return dlp_fail(error, DLP_INVALID, "--frames: must be like 12, 0..24 or 0,10,last (got %s)",
                            text);
        if (from > to)
            return dlp_fail(error, DLP_INVALID, "--frames %s: %d comes after %d; write %d..%d", text, from,
                            to, to, from);
        if (to > last || choose(frames, count, from, to, out_chosen) == 0)
            return dlp_fail(error, DLP_INVALID, "--frames %s: no such frame; there are %d from %d to %d",
                            text, count, frames[0].number, last);
        at = *at == ',' ? at + 1 : NULL;
    }
    return DLP_OK;
}
