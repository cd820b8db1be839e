/* Spheres drawn into a depth buffer. */
#ifndef DLP_RECORD_SPLAT_H
#define DLP_RECORD_SPLAT_H

#include "base/parallel.h"

/* A sphere in the picture's coordinates; all-zero is not drawn. */
typedef struct dlp_ball {
    float x, y;      /* pixels: its centre */
    float radius;    /* pixels; 0 or less is not drawn */
    float depth;     /* of its centre, in any unit that grows away from the eye */
    float thickness; /* its radius in that unit */
} dlp_ball;

/* What is nearest at each pixel. All-zero is none. */
typedef struct dlp_depth_map {
    int32_t width, height;
    float *depth;   /* of the nearest surface; DLP_DEPTH_NONE where there is none */
    int32_t *owner; /* index of the nearest ball, -1 where there is none */
} dlp_depth_map;

#define DLP_DEPTH_NONE 1e30f

/* Empty; the caller releases it. */
dlp_status dlp_depth_map_init(dlp_depth_map *map, int32_t width, int32_t height, dlp_error *error);
void dlp_depth_map_release(dlp_depth_map *map);
/* Adds the near halves of the balls. Where two are equally near the first one stays; threads own rows, so
 * the result is the same for any number of them. */
void dlp_depth_map_draw(dlp_depth_map *map, const dlp_ball *balls, int32_t count, dlp_team *team);

#endif
