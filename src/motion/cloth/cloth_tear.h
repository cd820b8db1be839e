/* Tearing: cloth that is stretched beyond its limit parts along edges of its triangles; ropes lose a link. */
#ifndef DLP_MOTION_CLOTH_TEAR_H
#define DLP_MOTION_CLOTH_TEAR_H

#include "motion/cloth/cloth_solver.h"

/* Parts what the last step stretched too far. Mass and momentum stay exactly what they were; new particles
 * have ids of their own. Where something tore, everything that follows from the triangles is made anew. */
dlp_status dlp_cloth_tear(dlp_cloth *cloth, dlp_error *error);

/* The largest stretch of a triangle less 1, its direction in space, and how fast it grows, 1/s. */
typedef struct dlp_strain {
    double strain, rate;
    dlp_vec3 direction;
} dlp_strain;
dlp_strain dlp_cloth_strain(const dlp_cloth *cloth, int32_t triangle);

/* In which piece every particle is: what hangs together by triangles or links, counted in the order of the
 * first particles. */
void dlp_cloth_find_pieces(const dlp_cloth *cloth, int32_t *out_piece, int32_t *out_count);

#endif
