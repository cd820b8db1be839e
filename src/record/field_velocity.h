/* The velocity on the nodes near a surface, from the vertices of its mesh. */
#ifndef DLP_RECORD_FIELD_VELOCITY_H
#define DLP_RECORD_FIELD_VELOCITY_H

#include "skin/surface.h"

/* m/s, three per node of the field's blocks; free them with dlp_free. A node takes the mean of the vertices
 * within the band's width and a cell, nearer ones counting more; zero where there are none. */
dlp_status dlp_field_velocities(const dlp_surface_field *field, const dlp_surface_mesh *mesh,
                                float **out_velocities, dlp_error *error);

#endif
