/* The surface of a cloth: its own triangles, an open sheet that is seen from both sides. Ropes become
 * closed tubes. */
#ifndef DLP_SKIN_CLOTH_SURFACE_H
#define DLP_SKIN_CLOTH_SURFACE_H

#include "skin/surface_mesh.h"
#include "skin/kernel_bins.h"

/* Makes the mesh of substance `particles->substance` (-1: of all) anew and releases what `mesh` held; on
 * failure it is left half-made but can be released. The vertices of a sheet are its particles, in their
 * order; a rope has a ring of vertices of `rope_radius` m around each particle. */
dlp_status dlp_cloth_surface_make(const dlp_particle_view *particles, double rope_radius,
                                  dlp_surface_mesh *mesh, dlp_error *error);

#endif
