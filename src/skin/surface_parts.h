/* What the steps of a surface share: its state and scratch. Lengths are in cells. Arrays over blocks have
 * the order of their band. */
#ifndef DLP_SKIN_SURFACE_PARTS_H
#define DLP_SKIN_SURFACE_PARTS_H

#include "skin/march.h"
#include "skin/surface.h"

#define DLP_BAND_WIDTH 4.0f /* cells: distances are not followed farther from the surface */

/* State is `settings`, `has_history`, `offset`, `old_band` and `old_value`; everything else is made anew
 * by an update and only kept for its memory and for queries. */
struct dlp_surface {
    dlp_surface_settings settings;
    dlp_surface_loops loops;            /* of the target in the settings */
    const dlp_particle_view *particles; /* borrowed during an update, else NULL */
    dlp_kernel_bins bins;
    dlp_kernel_bins stretched; /* anisotropic: the same particles, with kernels along the surface */
    dlp_band band;             /* where the field is summed; linked */
    float *field;              /* 64 per block: density minus the iso value; by dlp_surface_sum_field */
    float *motion;             /* active: 192 per block: displacement over the frame, 64 for each axis */
    float *distance;           /* active: to the iso surface, positive inside; by dlp_surface_find_distance */
    float *value, *other;      /* active: the surface's own field, and scratch for the next one */
    int32_t field_capacity, motion_capacity, distance_capacity, value_capacity, other_capacity;
    uint64_t *fixed;        /* active: one bit per node: it is next to the iso surface */
    float (*curvatures)[2]; /* active: sum and number of the curvatures of a block and those around it */
    float (*spread_curvatures)[2]; /* active: scratch for the sums over the blocks around */
    int32_t fixed_capacity, curvature_capacity, spread_capacity;
    dlp_band old_band; /* active: that of the frame before ... */
    float *old_value;  /* ... and the field on it */
    int32_t old_capacity;
    bool has_history;   /* `old_band` and `old_value` count */
    double offset;      /* active: by which the surface lies outward of the iso surface, to keep the volume */
    double shift;       /* active: by which `old_value` was raised after the mesh was made */
    double rest_volume; /* m3: of all particles that were taken */
    dlp_candidates *candidates; /* one per thread: scratch */
    int32_t thread_count;
    dlp_marcher marcher;
    dlp_surface_mesh mesh;
};

/* The steps, in the order of an update. Each reads what the ones before it made. The active surface alone
 * has those from dlp_surface_find_distance to dlp_surface_correct_volume. */
dlp_status dlp_surface_sum_field(dlp_surface *surface, dlp_error *error);
dlp_status dlp_surface_find_distance(dlp_surface *surface, dlp_error *error);
dlp_status dlp_surface_start(dlp_surface *surface, dlp_error *error);
/* One frame's worth of approach to the iso surface, with smoothing. */
void dlp_surface_follow(dlp_surface *surface);
void dlp_surface_settle(dlp_surface *surface); /* as many frames as it remembers, at most ten */
/* After the mesh is made, for the next frame: corrects a share of the error in its volume. */
void dlp_surface_correct_volume(dlp_surface *surface, double share);
/* Velocities, temperatures and colours of the mesh's vertices, interpolated from the particles around. */
dlp_status dlp_surface_add_attributes(dlp_surface *surface, dlp_error *error);

/* Makes room for 64 * `parts` floats per block; what is there is kept. */
dlp_status dlp_surface_reserve(float **array, int32_t *capacity, int32_t block_count, int32_t parts,
                               dlp_error *error);

#endif
