/* The surface of a cloth: its own triangles, an open sheet to be seen from both sides; ropes become tubes. */
#ifndef DLP_SKIN_DRAPE_H
#define DLP_SKIN_DRAPE_H

#include "skin/skin_mesh.h"
#include "skin/swarm.h"

/* Makes the mesh of substance `matter->substance` anew. A sheet's vertices are its particles, in their order.
 */
dlp_status dlp_drape_make(const dlp_matter *matter, double rope_radius, dlp_skin_mesh *mesh,
                          dlp_error *error);

#endif
