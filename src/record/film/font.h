/* A stroke font of our own: every letter is a few lines for a round pen, so that it is sharp at any size
 * and needs no file. */
#ifndef DLP_RECORD_FILM_FONT_H
#define DLP_RECORD_FILM_FONT_H

#include "record/png.h"
#include "base/vec.h"

/* Whether the font has a shape for this character; others are drawn as a box. */
bool dlp_font_has(int32_t code_point);

/* Pixels. Texts are UTF-8; `size` is the height of a capital letter in pixels. */
double dlp_text_width(const char *text, double size);

typedef enum dlp_align { DLP_ALIGN_LEFT, DLP_ALIGN_MIDDLE, DLP_ALIGN_RIGHT } dlp_align;
typedef struct dlp_text_style {
    double size;    /* pixels */
    dlp_vec3 color; /* sRGB, 0..1 */
    dlp_align align;
} dlp_text_style;
/* `x` is where the text starts, has its middle or ends; `y` its base line, pixels from the top. What lies
 * outside of the picture is cut off. */
dlp_status dlp_text_draw(dlp_image *image, const char *text, double x, double y, const dlp_text_style *style,
                         dlp_error *error);

#endif
