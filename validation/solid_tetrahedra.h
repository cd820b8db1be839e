/* A mesh that particles are compared with: tetrahedra between them, five in every cube whose eight corners
 * are particles. They are solved instead of the particles, by a method that differs in nothing else. */
#ifndef DLP_VALIDATION_SOLID_TETRAHEDRA_H
#define DLP_VALIDATION_SOLID_TETRAHEDRA_H

#include "motion/solid/solid_solver.h"

enum { DLP_CUBE_TETRAHEDRA = 5 };

typedef struct dlp_tetrahedra {
    dlp_solid_mesh mesh; /* first: what the solid sees */
    int32_t (*cubes)[8]; /* their corners; every cube is five tetrahedra */
    int32_t cube_count, cube_capacity;
    int32_t loose_count; /* particles at no cube's corner */
} dlp_tetrahedra;

/* Before the first step of bodies that cannot be cut. Remove them before the solid is destroyed. */
dlp_status dlp_tetrahedra_use(dlp_solid *solid, dlp_error *error);
void dlp_tetrahedra_remove(dlp_solid *solid);
/* Those of a solid, or NULL where its particles' own constraints are solved. */
const dlp_tetrahedra *dlp_tetrahedra_of(const dlp_solid *solid);
void dlp_tetrahedra_stencil(const dlp_solid *solid, int32_t tetrahedron, dlp_stencil *out_stencil);

#endif
