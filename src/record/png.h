/* Pictures in memory and as PNG. */
#ifndef DLP_RECORD_PNG_H
#define DLP_RECORD_PNG_H

#include "base/status.h"

/* All-zero is none. */
typedef struct dlp_image {
    int32_t width, height; /* pixels, 1 to 32768 */
    int32_t channels;      /* 3: red, green, blue; 4: opacity, too */
    uint8_t *pixels;       /* owned; row after row from the top, 8 bits per channel, sRGB */
} dlp_image;
/* A black picture. DLP_INVALID for other sizes or channels. */
dlp_status dlp_image_init(dlp_image *image, int32_t width, int32_t height, int32_t channels,
                          dlp_error *error);
void dlp_image_release(dlp_image *image);

/* Whether this build can write PNG. */
bool dlp_png_is_available(void);
/* Written beside and renamed. DLP_UNSUPPORTED in a build without libpng. */
dlp_status dlp_png_write(const char *path, const dlp_image *image, dlp_error *error);

#endif
