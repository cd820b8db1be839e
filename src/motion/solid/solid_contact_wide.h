/* The loops of contacts that are compiled once per target (base/target.h). */
#ifndef DLP_MOTION_SOLID_CONTACT_WIDE_H
#define DLP_MOTION_SOLID_CONTACT_WIDE_H

#include "motion/solid/solid_contact.h"

/* solid_contact_broad_wide.c: places begin..end-1 that a candidate may touch before one of them leaves his
 * bound; returns how many were written. */
typedef int32_t dlp_solid_grid_scan_fn(const dlp_solid_grid_places *places, const dlp_solid_grid_query *query,
                                       int32_t begin, int32_t end, int32_t *out_places);
dlp_solid_grid_scan_fn dlp_solid_grid_scan_plain, dlp_solid_grid_scan_avx2;

/* solid_contact_wide.c: those of the pairs begin..end-1 that touch; returns how many. */
typedef struct dlp_solid_pair_view {
    const dlp_solid_swept_sphere *spheres;
    const dlp_solid_contact_motion *motions;
    const dlp_solid_pair *pairs;
} dlp_solid_pair_view;
typedef int32_t dlp_solid_test_pairs_fn(const dlp_solid_pair_view *view, int32_t begin, int32_t end,
                                        dlp_solid_contact_hit *out_hits);
dlp_solid_test_pairs_fn dlp_solid_test_pairs_plain, dlp_solid_test_pairs_avx2;
/* What the blocks begin..end-1 ask for in an iteration, of places and of velocities; the velocities that
 * belong to what was done to places; and what changes the history of their particles: `impact_corrections`,
 * `displacement_corrections`. */
typedef void dlp_solid_contact_blocks_fn(dlp_solid_contact_blocks *all, int32_t begin, int32_t end);
dlp_solid_contact_blocks_fn dlp_solid_contact_iterate_positions_plain,
    dlp_solid_contact_iterate_velocities_plain, dlp_solid_contact_to_velocities_plain,
    dlp_solid_contact_split_impacts_plain;
dlp_solid_contact_blocks_fn dlp_solid_contact_iterate_positions_avx2,
    dlp_solid_contact_iterate_velocities_avx2, dlp_solid_contact_to_velocities_avx2,
    dlp_solid_contact_split_impacts_avx2;

#endif
