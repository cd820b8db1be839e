// Colour scales and the conversion between sRGB and linear light.
#include "record/palette.h"

// One channel of sRGB to linear light. (IEC 61966-2-1)
static double linear_of(double s)
{
    return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
}

dlp_vec3 dlp_color_linear(dlp_vec3 srgb)
{
    return dlp_vec(linear_of(srgb.x), linear_of(srgb.y), linear_of(srgb.z));
}

// Rounded to nearest; the comparison sends NaN to 0.
uint8_t dlp_color_byte(double linear)
{
    if (!(linear > 0)) return 0;
    if (linear >= 1) return 255;
    const double s = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
    return (uint8_t)(255 * s + 0.5);
}

dlp_vec3 dlp_color_mix(dlp_vec3 a, dlp_vec3 b, double share_of_b)
{
    return dlp_add(dlp_mul(a, 1 - share_of_b), dlp_mul(b, share_of_b));
}

// Eleven samples of the scale, linear in between.
dlp_vec3 dlp_color_viridis(double value)
{
    static const dlp_vec3 stops[] = {{0.267, 0.005, 0.329}, {0.283, 0.141, 0.458}, {0.254, 0.265, 0.530},
                                     {0.207, 0.372, 0.553}, {0.164, 0.471, 0.558}, {0.128, 0.567, 0.551},
                                     {0.135, 0.659, 0.518}, {0.267, 0.749, 0.441}, {0.478, 0.821, 0.318},
                                     {0.741, 0.873, 0.150}, {0.993, 0.906, 0.144}};
    enum { LAST = sizeof stops / sizeof stops[0] - 1 };
    if (isnan(value)) return dlp_vec(0.5, 0.5, 0.5);
    const double place = LAST * fmin(fmax(value, 0), 1);
    const int32_t k = place >= LAST ? LAST - 1 : (int32_t)place;
    return dlp_color_mix(stops[k], stops[k + 1], place - k);
}

// The cold colour fades within 400 degrees, so that glowing matter has the colour of its temperature.
dlp_vec3 dlp_color_glow(dlp_vec3 cold, double temperature)
{
    // A hundred degrees apart, from 500 on. Light grows much faster than temperature, so that a crust is
    // dark.
    static const dlp_vec3 stops[] = {{0, 0, 0},           {0.025, 0.001, 0},    {0.085, 0.004, 0},
                                     {0.24, 0.016, 0},    {0.55, 0.060, 0.004}, {0.92, 0.20, 0.015},
                                     {1.15, 0.44, 0.055}, {1.3, 0.72, 0.17},    {1.4, 0.95, 0.40}};
    enum { LAST = sizeof stops / sizeof stops[0] - 1 };
    const double heat = fmin((temperature - 500) / 100, LAST);
    if (!(heat > 0)) return cold;
    const int32_t k = heat >= LAST ? LAST - 1 : (int32_t)heat;
    const dlp_vec3 glow = dlp_color_mix(stops[k], stops[k + 1], heat - k);
    return dlp_add(dlp_mul(cold, fmax(1 - heat / 4, 0)), glow);
}

dlp_vec3 dlp_color_of_index(int32_t index)
{
    static const dlp_vec3 colors[] = {{0.11, 0.42, 0.75}, {0.85, 0.49, 0.10}, {0.18, 0.55, 0.34},
                                      {0.75, 0.22, 0.24}, {0.48, 0.36, 0.68}, {0.53, 0.37, 0.29},
                                      {0.82, 0.45, 0.66}, {0.40, 0.42, 0.45}};
    const int32_t count = sizeof colors / sizeof colors[0];
    return colors[(index % count + count) % count];
}
