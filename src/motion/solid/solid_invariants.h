/* What later passes rely on and would not notice where it does not hold: for asserts, in debug builds alone.
 */
#ifndef DLP_MOTION_SOLID_INVARIANTS_H
#define DLP_MOTION_SOLID_INVARIANTS_H

#include "motion/solid/solid_solver.h"

#ifndef NDEBUG
/* Every slot of a particle holds another particle of its body, or nobody. */
bool dlp_solid_are_links_valid(const dlp_solid *solid);
/* Fragments hold together all that is linked, and segments are all particles, each in one. */
bool dlp_solid_are_fragments_valid(const dlp_solid *solid);
/* All rows point to nodes and links that exist, and no particle is in two blocks of one colour: threads would
 * move it at the same time. */
bool dlp_solid_is_coloring_valid(const dlp_solid *solid, const dlp_constraint_coloring *coloring);
/* The inner clock stands inside its interval. */
bool dlp_solid_is_clock_valid(const dlp_solid_clock *clock);
#endif

#endif
