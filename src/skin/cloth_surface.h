/* The surface of a cloth: its own triangles, an open sheet to be seen from both sides; ropes become tubes. */
#ifndef DLP_SKIN_CLOTH_SURFACE_H
#define DLP_SKIN_CLOTH_SURFACE_H

#include "skin/surface_mesh.h"
#include "skin/kernel_bins.h"

/* Makes the mesh of substance `particles->substance` anew. A sheet's vertices are its particles, in their
 * order.
 */
dlp_status dlp_cloth_surface_make(const dlp_particle_view *particles, double rope_radius,
                                  dlp_surface_mesh *mesh, dlp_error *error);

#endif
