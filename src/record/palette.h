/* Colours of pictures and plots. Light is added in linear values; files hold sRGB. */
#ifndef DLP_RECORD_PALETTE_H
#define DLP_RECORD_PALETTE_H

#include "base/vec.h"

dlp_vec3 dlp_color_linear(dlp_vec3 srgb); /* 0..1 each way */
uint8_t dlp_color_byte(double linear);    /* sRGB, clipped */
dlp_vec3 dlp_color_mix(dlp_vec3 a, dlp_vec3 b, double share_of_b);
/* Dark blue over green to yellow: grows evenly in lightness, also for the colour-blind. sRGB. [viridis] */
dlp_vec3 dlp_color_viridis(double value); /* 0..1, clipped; NaN is grey */
/* Mixes in what a hot body gives off: nothing below 500 degrees C, dark red, orange, yellow at 1300. Linear.
 */
dlp_vec3 dlp_color_glow(dlp_vec3 cold, double temperature);
/* A palette of well distinguishable colours, sRGB, that repeats. */
dlp_vec3 dlp_color_of_index(int32_t index);

#endif
