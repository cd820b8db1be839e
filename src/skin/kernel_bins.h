/* The particles of one surface, sorted so that those around a place are found at once. Lengths are in cells
 * of the surface's grid: node (i, j, k) lies at (i, j, k). */
#ifndef DLP_SKIN_KERNEL_BINS_H
#define DLP_SKIN_KERNEL_BINS_H

#include "base/parallel.h"
#include "base/target.h"
#include "motion/cloth/cloth.h"
#include "space/sort.h"

enum { DLP_ATTRIBUTE_LIMIT = 7 }; /* of a place: three of a candidate, four more */

/* What a surface is made of. All arrays are borrowed, one entry a particle of a world or a recorded frame. */
typedef struct dlp_particle_view {
    int32_t count;
    const double *positions;       /* m, three a particle */
    const float *radii;            /* m: of a sphere of the particle's rest volume */
    const float *velocities;       /* m/s, three a particle */
    const float *displacements;    /* m, three a particle: over the last frame */
    const float *temperatures;     /* degrees C, or NULL */
    const int32_t *substances;     /* or NULL: all of them are taken */
    dlp_cloth_topology topology;   /* of cloth */
    const struct dlp_solid *solid; /* that carries surfaces of its own while it is whole, or NULL */
    const dlp_scene_def *scene;    /* with that: the shapes it was made of */
    int32_t first_solid;           /* of its particles */
    const float *colors;           /* sRGB, three a substance, or NULL */
    int32_t substance;             /* whose particles are taken; -1: all */
} dlp_particle_view;

/* A particle as a kernel that is summed at many places. */
typedef struct dlp_candidate {
    float x, y, z;   /* cells, from the corner of the block */
    float steepness; /* 1 / reach, 1/cells */
    float weight;    /* of (1 - (r/reach)^2)^3 */
    float motion[3]; /* cells: displacement over the frame; or m/s: velocity */
} dlp_candidate;

/* A symmetric matrix G, 1/cells: a stretched kernel is (1 - |G r|^2)^3. */
typedef struct dlp_stretch {
    float xx, yy, zz, xy, xz, yz;
} dlp_stretch;

typedef struct dlp_bin_table {
    uint64_t *slots_key; /* key + 1; 0 is free */
    int32_t *slots_bin;
    int32_t slot_count; /* a power of two */
    int32_t *begin;     /* bin_count + 1: first particle of a bin */
    uint64_t *keys;     /* of the bins */
    int32_t bin_count, bin_capacity, slot_capacity;
} dlp_bin_table;

enum { DLP_KERNEL_LAYERS = 12 };

/* All-zero is empty. */
typedef struct dlp_kernel_bins {
    int32_t count, capacity;
    double (*at)[3];        /* cells */
    float *reach;           /* cells: of the kernel */
    float *sum;             /* of the kernels of rest volumes there: 1 inside, less at a surface */
    float *centroid_offset; /* reaches: how far the middle of the kernels around lies aside; 0 inside */
    int32_t *index;         /* of the particle in the view */
    dlp_candidate
        *kernels; /* as candidates, from the corners of their bins; the motion is the displacement */
    dlp_stretch *stretches; /* stretched kernels alone: NULL for round ones */
    int32_t stretch_capacity;
    double edges[DLP_KERNEL_LAYERS]; /* cells: of the bins of particles of similar reach */
    bool has_layer[DLP_KERNEL_LAYERS];
    dlp_bin_table table;
    dlp_sorter sorter;
    void *sort_memory;
    int32_t sort_capacity;
    dlp_target target; /* of the loops */
} dlp_kernel_bins;

/* A growing list, one a thread. */
typedef struct dlp_candidates {
    dlp_candidate *items;
    float (*extras)[4]; /* where they are asked for: temperature and colour */
    int32_t *places;    /* in the order of the bins */
    int32_t count, capacity, extra_capacity, place_capacity;
    bool has_extras;
} dlp_candidates;
void dlp_candidates_release(dlp_candidates *candidates);

/* Takes the particles of `particles` that are finite and within reach of the grid, and sorts them. `cell`: m.
 */
dlp_status dlp_kernel_bins_sort(dlp_kernel_bins *bins, const dlp_particle_view *particles, double cell,
                                dlp_target target, dlp_team *team, dlp_error *error);
/* Fills `sum` and makes the weights those of a field that is 1 inside and keeps the volume of drops. */
dlp_status dlp_kernel_bins_sum(dlp_kernel_bins *bins, dlp_team *team, dlp_error *error);
/* All particles whose kernels reach into the box of `corner` .. corner + size (cells). With `particles` their
 * motion is the velocity, and the extras come with them. */
dlp_status dlp_kernel_bins_collect(const dlp_kernel_bins *bins, const dlp_particle_view *particles,
                                   const double corner[3], double size, dlp_candidates *out,
                                   dlp_error *error);
/* The same particles with kernels stretched along the surface they lie on, and moved where they stick out of
 * it. `bins` has its sums.  [yu2013] */
dlp_status dlp_kernel_bins_stretch(const dlp_kernel_bins *bins, const dlp_particle_view *particles,
                                   double cell, dlp_team *team, dlp_kernel_bins *out_stretched,
                                   dlp_error *error);
void dlp_kernel_bins_release(dlp_kernel_bins *bins);

#endif
