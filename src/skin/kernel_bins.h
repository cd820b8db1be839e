/* The particles of one surface as kernels, sorted into bins so that those around a place are found at
 * once. Lengths are in cells of the surface's grid: node (i, j, k) lies at (i, j, k). */
#ifndef DLP_SKIN_KERNEL_BINS_H
#define DLP_SKIN_KERNEL_BINS_H

#include "base/parallel.h"
#include "base/target.h"
#include "motion/cloth/cloth.h"
#include "space/sort.h"

enum { DLP_ATTRIBUTE_LIMIT = 7 }; /* interpolated at a place: three of a candidate's motion, four extras */

/* What a surface is made of: the particles of a world or of a recorded frame. All pointers are borrowed,
 * and the arrays have one entry per particle. All-zero is a view without particles. */
typedef struct dlp_particle_view {
    int32_t count;
    const double *positions;       /* m, three per particle */
    const float *radii;            /* m: of a sphere of the particle's rest volume */
    const float *velocities;       /* m/s, three per particle */
    const float *displacements;    /* m, three per particle: over the last frame */
    const float *temperatures;     /* degrees C, or NULL */
    const int32_t *substances;     /* of the scene; NULL: all particles are taken */
    dlp_cloth_topology topology;   /* of cloth: triangles and links among the particles */
    const struct dlp_solid *solid; /* carries surfaces of its own while it is whole; NULL: none is known */
    const dlp_scene_def *scene;    /* with `solid`: the shapes it was made of */
    int32_t first_solid;           /* index of the first of the solids' particles */
    const float *colors;           /* sRGB 0..1, three per substance, or NULL */
    int32_t substance;             /* whose particles are taken; -1: all */
} dlp_particle_view;

/* A particle as a kernel that is summed at many places. The wide loops load and store one as eight floats,
 * so the fields are exactly eight and their order counts. */
typedef struct dlp_candidate {
    float x, y, z;   /* cells, from the corner of the bin or block that it is seen from */
    float steepness; /* 1 / reach, in 1/cells */
    float weight;    /* of (1 - (r/reach)^2)^3 */
    float motion[3]; /* cells: displacement over the frame; or m/s: velocity */
} dlp_candidate;

/* A symmetric matrix G, 1/cells: a stretched kernel is (1 - |G r|^2)^3. */
typedef struct dlp_stretch {
    float xx, yy, zz, xy, xz, yz;
} dlp_stretch;

/* Bins that hold particles, found by hashing their keys. A key packs a layer and three bin coordinates
 * (kernel_bins.c). Bins are in ascending order of their keys, which is the order of the sorted particles. */
typedef struct dlp_bin_table {
    uint64_t *slots_key; /* key + 1; 0 is free */
    int32_t *slots_bin;  /* the bin of each slot */
    int32_t slot_count;  /* a power of two, at least twice bin_count */
    int32_t *begin;      /* bin_count + 1 entries: first particle of a bin, in sorted order */
    uint64_t *keys;      /* of the bins */
    int32_t bin_count, bin_capacity, slot_capacity;
} dlp_bin_table;

enum { DLP_KERNEL_LAYERS = 12 }; /* of bins: particles within a factor of about two in reach share one */

/* The sorted particles. All arrays are owned and hold `count` entries in the order of the bins; equal keys
 * keep the order of the view, so that sums have the same bits in every run. dlp_kernel_bins_sort makes
 * everything valid except `sum`, `centroid_offset` and the final weights (dlp_kernel_bins_sum) and
 * `stretches` (dlp_kernel_bins_stretch). All-zero is empty. */
typedef struct dlp_kernel_bins {
    int32_t count, capacity;
    double (*at)[3]; /* cells */
    float *reach;    /* cells: of the kernel */
    float *sum;      /* of the kernels of rest volumes at the particle: 1 inside, less at a surface */
    /* reaches: distance from the particle to the centroid of the kernels around; 0 inside */
    float *centroid_offset;
    int32_t *index; /* of the particle in the view */
    /* as candidates, from the corners of their bins; the motion is the displacement in cells */
    dlp_candidate *kernels;
    dlp_stretch *stretches; /* of stretched kernels; NULL for round ones */
    int32_t stretch_capacity;
    double edges[DLP_KERNEL_LAYERS];   /* cells: of a layer's bins; no kernel of the layer reaches farther */
    bool has_layer[DLP_KERNEL_LAYERS]; /* whether a layer holds particles */
    dlp_bin_table table;
    dlp_sorter sorter;
    void *sort_memory; /* scratch of the sort */
    int32_t sort_capacity;
    dlp_target target; /* of the loops */
} dlp_kernel_bins;

/* The kernels that reach a box: a growing list, one per thread. All-zero is empty. */
typedef struct dlp_candidates {
    dlp_candidate *items;
    float (*extras)[4]; /* with `has_extras`: temperature and colour of each */
    int32_t *places;    /* of each: its index in the order of the bins */
    int32_t count, capacity, extra_capacity, place_capacity;
    bool has_extras;
} dlp_candidates;
void dlp_candidates_release(dlp_candidates *candidates);

/* Takes those of `particles` that are of its substance, finite and within reach of the grid, and sorts
 * them. `cell`: m. The memory is used again from frame to frame. */
dlp_status dlp_kernel_bins_sort(dlp_kernel_bins *bins, const dlp_particle_view *particles, double cell,
                                dlp_target target, dlp_team *team, dlp_error *error);
/* After sorting: fills `sum` and `centroid_offset`, and scales the weights so that their field is 1 inside
 * and keeps the volume of drops. */
dlp_status dlp_kernel_bins_sum(dlp_kernel_bins *bins, dlp_team *team, dlp_error *error);
/* All particles whose kernels reach into the cube `corner` .. corner + size (cells), as candidates seen
 * from the corner, always in the same order: by layer, then z, y, x of the bins. With `particles` (the
 * view that was sorted) their motion is the velocity, and the extras come with them. Only writes to `out`,
 * so that threads with lists of their own may call it at once. */
dlp_status dlp_kernel_bins_collect(const dlp_kernel_bins *bins, const dlp_particle_view *particles,
                                   const double corner[3], double size, dlp_candidates *out,
                                   dlp_error *error);
/* The same particles with kernels stretched along the surface they lie on, and moved where they stick out
 * of it. `bins` has its sums; `out_stretched` may be used again from frame to frame. Its `index` refers to
 * `bins`, not to the view.  [yu2013] */
dlp_status dlp_kernel_bins_stretch(const dlp_kernel_bins *bins, const dlp_particle_view *particles,
                                   double cell, dlp_team *team, dlp_kernel_bins *out_stretched,
                                   dlp_error *error);
void dlp_kernel_bins_release(dlp_kernel_bins *bins);

#endif
