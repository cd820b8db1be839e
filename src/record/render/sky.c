// A sky of two colours, mixed by height, and a sun.
#include "record/render/sky.h"
#include "record/palette.h"

// Irradiance of a clear day's sun: warm, since the sky adds the blue.
static const dlp_vec3 clear_sun = {3.30, 2.84, 2.20};

// Where the scene gives none: high, from the left and behind the camera, so that what is seen is lit and has
// shadows.
static dlp_vec3 sun_direction(const dlp_render_def *def, dlp_vec3 up)
{
    const dlp_camera *camera = &def->camera;
    const dlp_vec3 behind = dlp_sub(dlp_mul(camera->right, -0.75), dlp_mul(camera->forward, 0.35));
    const dlp_vec3 level = dlp_sub(behind, dlp_mul(up, dlp_dot(behind, up)));
    return dlp_normalize(def->sun, dlp_normalize(dlp_add(up, level), up));
}

// Without sun the sky is brighter and whiter: overcast.
dlp_sky dlp_sky_of(const dlp_render_def *def)
{
    const dlp_vec3 up = dlp_normalize(def->up, dlp_vec(0, 0, 1));
    const double sun = fmin(fmax(def->sun_strength, 0), 1);
    const double gain = 0.80 + 0.65 * (1 - sun);  // clouds scatter what the sun gives on a clear day
    const dlp_vec3 overhead = dlp_color_linear(def->sky);
    dlp_sky sky = {
        .up = up, .sun = sun_direction(def, up), .sunlight = dlp_mul(clear_sun, sun), .sun_tangent = 0.035};
    sky.zenith = dlp_mul(dlp_color_mix(overhead, dlp_vec(1, 1, 1), 0.5 * (1 - sun)), gain);
    sky.horizon = dlp_mul(dlp_color_mix(overhead, dlp_vec(0.94, 0.95, 0.97), 0.85), gain);
    sky.ground = dlp_vec(0.46, 0.455, 0.44);
    return sky;
}

// Below the horizon it is that of the horizon.
dlp_vec3 dlp_sky_light(const dlp_sky *sky, dlp_vec3 direction)
{
    const double height = fmax(dlp_dot(direction, sky->up), 0);
    return dlp_color_mix(sky->horizon, sky->zenith, height);
}

// Mixing by the cosine of the zenith angle: the integral of cosine squared over the half sphere is 2/3 of
// that of the cosine.
dlp_vec3 dlp_sky_mean(const dlp_sky *sky)
{
    return dlp_color_mix(sky->horizon, sky->zenith, 2.0 / 3);
}

dlp_vec3 dlp_sky_ambient(const dlp_sky *sky, dlp_vec3 normal)
{
    const double open = 0.75;  // share of the sky: the rest is hidden by what stands around
    const double above = (1 + dlp_dot(normal, sky->up)) / 2, high = fmax(dlp_dot(sky->sun, sky->up), 0);
    const dlp_vec3 over = dlp_sky_mean(sky), lit = dlp_along(over, sky->sunlight, high / DLP_PI);
    const dlp_vec3 below = dlp_vec(sky->ground.x * lit.x, sky->ground.y * lit.y, sky->ground.z * lit.z);
    return dlp_mul(dlp_color_mix(below, over, above), open);
}
