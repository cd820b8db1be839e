/* Pictures in memory and as PNG. */
#ifndef DLP_RECORD_PNG_H
#define DLP_RECORD_PNG_H

#include "base/status.h"

typedef struct dlp_image {
    int32_t width, height;
    int32_t channels; /* 3: red, green, blue; 4: and opacity */
    uint8_t *pixels;  /* row after row from the top, 8 bits a channel, sRGB */
} dlp_image;
dlp_status dlp_image_init(dlp_image *image, int32_t width, int32_t height, int32_t channels,
                          dlp_error *error);
void dlp_image_release(dlp_image *image);

/* Whether this build can write PNG. */
bool dlp_png_is_available(void);
/* Written beside and renamed. */
dlp_status dlp_png_write(const char *path, const dlp_image *image, dlp_error *error);

#endif
