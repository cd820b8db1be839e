/* The surface of one body of particles: a closed mesh, renewed every frame.
 *
 * `iso` is the place where the density of the particles, smoothed and made 1 inside, has one value.
 * `active` is a surface of its own that moves with the particles, follows the former slowly and is smooth, so
 * that it hides when particles split and merge; it has a history. `anisotropic` stretches each particle's
 * kernel along the surface it lies on: thin sheets and splashes. */
#ifndef DLP_SKIN_SURFACE_H
#define DLP_SKIN_SURFACE_H

#include "scene/scene.h"
#include "skin/band.h"
#include "skin/surface_mesh.h"

typedef struct dlp_surface_settings {
    dlp_surface_kind kind;
    double cell;      /* m: of the grid */
    double spacing;   /* m: of the finest particles */
    double iso;       /* of the density where it is 1 inside; 0: the value that keeps the volume */
    double memory;    /* active: frames within which it follows a jump */
    double smoothing; /* active: length in spacings below which bumps are flattened */
    double volume;    /* active: share of an error in volume that a frame makes good; 0 for none */
    dlp_target target;
    dlp_team *team; /* borrowed; or NULL */
} dlp_surface_settings;

typedef struct dlp_surface dlp_surface;

dlp_status dlp_surface_create(const dlp_surface_settings *settings, dlp_surface **out_surface,
                              dlp_error *error);
void dlp_surface_destroy(dlp_surface *surface);
/* Makes the surface of the particles as they stand. An active one first moves with the particles'
 * displacements.
 */
dlp_status dlp_surface_update(dlp_surface *surface, const dlp_particle_view *particles, dlp_error *error);
/* The next update begins as the first one did. */
void dlp_surface_forget(dlp_surface *surface);

const dlp_surface_mesh *dlp_surface_mesh_of(const dlp_surface *surface); /* borrowed, until the next update */
double dlp_surface_spacing(const dlp_surface *surface);                  /* m: of its finest particles */
double dlp_surface_cell(const dlp_surface *surface);                     /* m: of its grid */
double dlp_surface_volume(const dlp_surface *surface);                   /* m3, enclosed */
double dlp_surface_area(const dlp_surface *surface);                     /* m2 */

/* The field on the band: 64 values a block, positive inside. For iso and anisotropic ones its zero is the
 * surface, its slope is not 1. */
typedef struct dlp_surface_field {
    const int32_t (*blocks)[3];
    const float *values; /* in cells, at most `width` */
    int32_t block_count;
    float width; /* cells: of other nodes */
    double cell; /* m */
    float shift; /* cells: the values less this have the mesh as their zero */
} dlp_surface_field;
dlp_surface_field dlp_surface_band(const dlp_surface *surface);

/* What the next active surface follows from, beside the particles. */
typedef struct dlp_surface_state {
    int32_t (*blocks)[3];
    float *values;
    double *offset; /* one: cells, by which the surface is moved outward to keep the volume */
    int32_t block_count;
} dlp_surface_state;
dlp_surface_state dlp_surface_history(const dlp_surface *surface);
/* Makes room for a history that is then filled and ended; ending refuses what no surface could have left. */
dlp_status dlp_surface_begin_load(dlp_surface *surface, int32_t block_count, dlp_error *error);
dlp_status dlp_surface_end_load(dlp_surface *surface, dlp_error *error);

#endif
