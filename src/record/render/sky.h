/* Light from far away: a sky that is paler at the horizon, and a sun. */
#ifndef DLP_RECORD_RENDER_SKY_H
#define DLP_RECORD_RENDER_SKY_H

#include "record/render/render.h"

/* Light from infinity; linear, on a scale where white in full light is about 1. */
typedef struct dlp_sky {
    dlp_vec3 up;              /* unit */
    dlp_vec3 zenith, horizon; /* radiance overhead, and at the horizon and below */
    dlp_vec3 sun;             /* unit, toward its middle */
    dlp_vec3 sunlight;        /* irradiance of a surface that faces it */
    double sun_tangent;       /* of its angular radius: larger than the real one, so that shadows are soft */
    dlp_vec3 ground;          /* the ground's colour, linear */
} dlp_sky;

/* The sky of a definition. */
dlp_sky dlp_sky_of(const dlp_render_def *def);
/* Radiance from a direction (unit), without the sun. */
dlp_vec3 dlp_sky_light(const dlp_sky *sky, dlp_vec3 direction);
dlp_vec3 dlp_sky_mean(const dlp_sky *sky); /* irradiance from the whole upper half, divided by pi */
/* A guess at the same for a surface that faces `normal` among others: sky above, sunlit ground below. */
dlp_vec3 dlp_sky_ambient(const dlp_sky *sky, dlp_vec3 normal);

#endif
