/* What the steps of a surface share. Lengths are in cells. */
#ifndef DLP_SKIN_SURFACE_PARTS_H
#define DLP_SKIN_SURFACE_PARTS_H

#include "skin/march.h"
#include "skin/surface.h"

#define DLP_BAND_WIDTH 4.0f /* cells: distances are not followed farther from the surface */

struct dlp_surface {
    dlp_surface_settings settings;
    dlp_surface_loops loops;
    const dlp_particle_view *particles; /* borrowed during an update */
    dlp_kernel_bins bins;
    dlp_kernel_bins stretched; /* anisotropic: the same particles, with kernels along the surface */
    dlp_band band;             /* where the field is summed */
    float *field;              /* 64 a block: density less the iso value */
    float *motion;             /* active: 192 a block: displacement over the frame */
    float *distance;           /* active: to the iso surface, positive inside */
    float *value, *other;      /* active: the surface's own field, and room for the next */
    int32_t field_capacity, motion_capacity, distance_capacity, value_capacity, other_capacity;
    uint64_t *fixed;               /* active: nodes next to the iso surface, a bit each */
    float (*curvatures)[2];        /* active: sum and number of a block's curvatures */
    float (*spread_curvatures)[2]; /* room for sums over the blocks around */
    int32_t fixed_capacity, curvature_capacity, spread_capacity;
    dlp_band old_band; /* active: of the frame before ... */
    float *old_value;  /* ... whose field this was */
    int32_t old_capacity;
    bool has_history;
    double offset;              /* active: outward, to keep the volume */
    double shift;               /* active: outward, of the values since the mesh was made */
    double rest_volume;         /* m3: of all particles taken */
    dlp_candidates *candidates; /* one a thread */
    int32_t thread_count;
    dlp_marcher marcher;
    dlp_surface_mesh mesh;
};

/* The steps, in order. */
dlp_status dlp_surface_sum_field(dlp_surface *surface, dlp_error *error);
dlp_status dlp_surface_find_distance(dlp_surface *surface, dlp_error *error);
dlp_status dlp_surface_start(dlp_surface *surface, dlp_error *error);
void dlp_surface_follow(dlp_surface *surface);
void dlp_surface_settle(dlp_surface *surface); /* as many frames as it remembers, ten at most */
/* After the mesh is made, for the next frame: makes good a share of the error in its volume. */
void dlp_surface_correct_volume(dlp_surface *surface, double share);
dlp_status dlp_surface_add_attributes(dlp_surface *surface, dlp_error *error);

/* Room for 64 * `parts` floats a block. */
dlp_status dlp_surface_reserve(float **array, int32_t *capacity, int32_t block_count, int32_t parts,
                               dlp_error *error);

#endif
