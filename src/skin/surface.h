/* The surface of one body of particles: a closed mesh, renewed every frame.
 *
 * `iso` is where the density of the particles, smoothed and scaled to 1 inside, has a given value.
 * `active` is a surface of its own that moves with the particles, slowly follows the iso surface and stays
 * smooth, so that it hides when particles split and merge; it has a history. `anisotropic` stretches each
 * particle's kernel along the surface it lies on, for thin sheets and splashes. */
#ifndef DLP_SKIN_SURFACE_H
#define DLP_SKIN_SURFACE_H

#include "scene/scene.h"
#include "skin/band.h"
#include "skin/surface_mesh.h"

/* The value of a field that is 1 inside at which bodies of particles at rest keep their volume. */
#define DLP_SURFACE_VOLUME_ISO 0.6

/* Parameters, copied by dlp_surface_create and constant from then on. */
typedef struct dlp_surface_settings {
    dlp_surface_kind kind;
    double cell;       /* m, above 0: of the grid */
    double spacing;    /* m, above 0: of the finest particles */
    double iso;        /* value of the density, which is 1 inside; 0: the value that keeps the volume */
    double memory;     /* active: frames within which it follows a jump of the iso surface */
    double smoothing;  /* active: length in spacings below which bumps are flattened */
    double volume;     /* active: share of the error in volume that is corrected per frame; 0 for none */
    dlp_target target; /* instruction set of the loops; all give the same bits */
    dlp_team *team;    /* borrowed; NULL: the caller's thread */
} dlp_surface_settings;

typedef struct dlp_surface dlp_surface;

/* DLP_INVALID where cell or spacing is not above 0. */
dlp_status dlp_surface_create(const dlp_surface_settings *settings, dlp_surface **out_surface,
                              dlp_error *error);
void dlp_surface_destroy(dlp_surface *surface);
/* Makes the surface of the particles where they are now. An active one first moves with the particles'
 * displacements over the frame, so each frame is to be given once. After a failure the mesh is not valid. */
dlp_status dlp_surface_update(dlp_surface *surface, const dlp_particle_view *particles, dlp_error *error);
/* Drops the history: the next update begins as the first one did. */
void dlp_surface_forget(dlp_surface *surface);

const dlp_surface_mesh *dlp_surface_mesh_of(const dlp_surface *surface); /* borrowed, until the next update */
double dlp_surface_spacing(const dlp_surface *surface);                  /* m: of its finest particles */
double dlp_surface_cell(const dlp_surface *surface);                     /* m: of its grid */
double dlp_surface_volume(const dlp_surface *surface);                   /* m3, enclosed */
double dlp_surface_area(const dlp_surface *surface);                     /* m2 */

/* The field on the band, borrowed until the next update: 64 values per block, positive inside. For an
 * active surface it is about the signed distance; for the others its zero is the surface, but its slope is
 * not 1. */
typedef struct dlp_surface_field {
    const int32_t (*blocks)[3]; /* coordinates, as in dlp_band */
    const float *values; /* active: cells, at most `width` in size; else the density minus the iso value */
    int32_t block_count;
    float width; /* cells: size of the value at all nodes outside the band */
    double cell; /* m */
    float shift; /* cells: the values minus this are zero on the mesh */
} dlp_surface_field;
dlp_surface_field dlp_surface_band(const dlp_surface *surface);

/* The history: all that the next active surface follows from, beside the particles. The pointers are
 * borrowed and may be written to between dlp_surface_begin_load and dlp_surface_end_load. */
typedef struct dlp_surface_state {
    int32_t (*blocks)[3]; /* coordinates, each once */
    float *values;        /* cells, 64 per block */
    double *offset;       /* one number: cells by which the surface is moved outward to keep the volume */
    int32_t block_count;
} dlp_surface_state;
dlp_surface_state dlp_surface_history(const dlp_surface *surface);
/* Makes room for a history of so many blocks, which the caller fills through dlp_surface_history and then
 * ends. Ending returns DLP_IO for what no surface could have left: values out of range, blocks that are
 * there twice. */
dlp_status dlp_surface_begin_load(dlp_surface *surface, int32_t block_count, dlp_error *error);
dlp_status dlp_surface_end_load(dlp_surface *surface, dlp_error *error);

#endif
