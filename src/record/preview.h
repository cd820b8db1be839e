/* Pictures of the plane: discs, contours, obstacles; and what a picture of any scene should show. */
#ifndef DLP_RECORD_PREVIEW_H
#define DLP_RECORD_PREVIEW_H

#include "base/parallel.h"
#include "record/png.h"
#include "skin/contour.h"
#include "space/shape.h"

typedef enum dlp_color_by {
    DLP_COLOR_BY_SUBSTANCE, /* the scene's colours, lighter where it moves fast */
    DLP_COLOR_BY_VALUE      /* `values` between value_min and value_max, on a perceptual scale */
} dlp_color_by;

/* An obstacle where it is now. */
typedef struct dlp_preview_obstacle {
    const dlp_shape *shape; /* borrowed */
    dlp_transform frame;    /* body to world */
} dlp_preview_obstacle;

/* What to draw. All pointers are borrowed; those that may be NULL are marked. */
typedef struct dlp_preview_def {
    int32_t width, height;       /* pixels; 0: 1280 x 800 */
    int32_t legend;              /* pixels at the right that are left free for a legend */
    int32_t dimension;           /* 2 or 3 */
    dlp_vec3 up;                 /* 3-D: against gravity; zero: z */
    int32_t count;               /* of particles */
    const double *positions;     /* m, three per particle */
    const float *radii;          /* m */
    const float *velocities;     /* m/s, three per particle, or NULL */
    const int32_t *substances;   /* NULL: all are of the first */
    const float *temperatures;   /* degrees C: what is hot glows; or NULL */
    const float *values;         /* one per particle, to colour by; or NULL */
    double value_min, value_max; /* range of the colours; equal: that of the particles' values */
    dlp_color_by color_by;
    const dlp_vec3 *particle_colors; /* linear light, one per particle, in place of all that; or NULL */
    const dlp_box *box;              /* m: what to show; NULL: all there is */
    const dlp_vec3 *colors;          /* sRGB, one per substance; NULL: a palette */
    int32_t color_count;
    const dlp_preview_obstacle *obstacles;
    int32_t obstacle_count;
    const dlp_contour *contour; /* 2-D: drawn over the particles, or NULL */
    dlp_team *team;             /* or NULL */
} dlp_preview_def;

/* Draws a 2-D scene; the caller releases the image. The same bits for any number of threads. */
dlp_status dlp_preview_draw(const dlp_preview_def *def, dlp_image *out_image, dlp_error *error);

#endif
