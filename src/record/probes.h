/* Probes: what the scene wants measured every frame, the columns of probes.csv. */
#ifndef DLP_RECORD_PROBES_H
#define DLP_RECORD_PROBES_H

#include "motion/world.h"
#include "record/format.h"

/* What is measured. The functions stand for a world, so that measuring can be tested without one. */
typedef struct dlp_probe_source {
    const dlp_scene_def *scene; /* borrowed: probes, dimension, periodic axes */
    dlp_point_sample (*sample)(const void *context, dlp_vec3 x);   /* the substance at a place */
    dlp_body_force (*load)(const void *context, int32_t obstacle); /* what the substances do to an obstacle */
    const void *context;
    double spacing;            /* m: of the finest particles */
    int32_t count;             /* of the particles of smoothed substances: the arrays below, borrowed */
    const double *positions;   /* m, three per particle */
    const float *velocities;   /* m/s, three per particle */
    const float *masses;       /* kg */
    const int32_t *substances; /* of the scene */
} dlp_probe_source;

/* frame,time, then a column per probe by its name; vectors take three: NAME_x,NAME_y,NAME_z. */
void dlp_probes_header(const dlp_scene_def *scene, dlp_string *out_header);
int32_t dlp_probe_width(const dlp_probe_def *probe);                        /* of its columns */
void dlp_probe_add_columns(const dlp_probe_def *probe, dlp_string *header); /* each with a comma before it */
void dlp_probe_add_values(const dlp_probe_def *probe, dlp_vec3 value, dlp_string *row); /* likewise */
/* What it measures now; scalars are in x. */
dlp_vec3 dlp_probe_measure(const dlp_probe_source *source, const dlp_probe_def *probe);
/* One row, without newline. Of probes with a rate the means that are given, one per probe of the scene; NULL:
 * there are none. Pressure in Pa, density in kg/m3, velocity in m/s, temperature in degrees C;
 * height in m (distance from the line's `from` to the last place along it that is more than half filled; 0
 * where there is none); flux in m3/s, at the density at rest, along the plane's normal (2-D: m2/s); force in
 * N, the mean over the last frame. */
void dlp_probes_row(const dlp_probe_source *source, const dlp_vec3 *means, int32_t frame, double time,
                    dlp_string *out_row);

/* The world as a source; its arrays are valid until the world changes. */
dlp_status dlp_probe_source_of_world(const dlp_world *world, dlp_probe_source *out_source, dlp_error *error);

#endif
