/* Colours of pictures and plots. Light is added in linear values; files hold sRGB (IEC 61966-2-1). */
#ifndef DLP_RECORD_PALETTE_H
#define DLP_RECORD_PALETTE_H

#include "base/vec.h"

dlp_vec3 dlp_color_linear(dlp_vec3 srgb); /* each channel 0..1, in and out */
uint8_t dlp_color_byte(double linear);    /* sRGB 0..255; clipped, NaN is 0 */
dlp_vec3 dlp_color_mix(dlp_vec3 a, dlp_vec3 b, double share_of_b);
/* Dark blue over green to yellow: grows evenly in lightness, also for the colour-blind. sRGB. [viridis] */
dlp_vec3 dlp_color_viridis(double value); /* 0..1, clipped; NaN is grey */
/* Adds what a hot body gives off to its colour when cold: nothing below 500 degrees C, dark red, orange,
 * yellow at 1300. Linear light; channels may exceed 1. */
dlp_vec3 dlp_color_glow(dlp_vec3 cold, double temperature);
/* A palette of eight well distinguishable colours, sRGB, that repeats; any index is fine. */
dlp_vec3 dlp_color_of_index(int32_t index);

#endif
