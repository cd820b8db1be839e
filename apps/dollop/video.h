/* A video out of pictures, by the program ffmpeg. */
#ifndef DLP_APP_VIDEO_H
#define DLP_APP_VIDEO_H

#include "dollop/dollop.h"

/* Whether ffmpeg is installed. */
bool dlp_video_is_available(void);
/* H.264 in PATH (.mp4) from the PNG files in order; written beside and renamed, so that a failure leaves what
 * was there. */
dlp_status dlp_video_write(const char *path, double frame_rate, char *const *pictures, int32_t count,
                           dlp_error *error);

#endif
