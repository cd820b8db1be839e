/* What is written into a picture: the legend of its colours, captions, the time. */
#ifndef DLP_RECORD_FILM_LEGEND_H
#define DLP_RECORD_FILM_LEGEND_H

#include "record/film/color_scale.h"
#include "record/png.h"

/* A panel in the upper right corner, scaled to the picture's height: title, colours, ticks. */
dlp_status dlp_legend_draw(dlp_image *image, const dlp_color_scale *scale, dlp_error *error);
/* Pixels at the right that it takes of a picture of that height. */
int32_t dlp_legend_width(const dlp_color_scale *scale, int32_t height);
typedef enum dlp_caption_place { DLP_CAPTION_TOP, DLP_CAPTION_BOTTOM } dlp_caption_place;
/* Words on a panel, centred between the columns `left` and `right`. */
dlp_status dlp_caption_draw(dlp_image *image, const char *text, dlp_caption_place place, int32_t left,
                            int32_t right, dlp_error *error);

/* Two pictures of the same height side by side, with a line between them. The caller releases the image. */
dlp_status dlp_image_beside(const dlp_image *left, const dlp_image *right, dlp_image *out_image,
                            dlp_error *error);

#endif
