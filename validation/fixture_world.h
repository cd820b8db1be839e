/* A world set up for an experiment: a scene as text, run to a time, and looked at. */
#ifndef DLP_VALIDATION_FIXTURE_WORLD_H
#define DLP_VALIDATION_FIXTURE_WORLD_H

#include "experiment.h"

#include "base/memory.h"
#include "motion/world.h"

typedef struct dlp_lab {
    dlp_scene *scene;
    dlp_world *world;
    /* the fields after the last dlp_lab_look */
    int32_t count;
    const double *x;
    const float *v, *density, *pressure, *mass, *radius;
} dlp_lab;

/* `settings`: pairs of path and value, ended by NULL. */
dlp_status dlp_lab_open(dlp_lab *lab, const char *scene, const char *const *settings, int32_t thread_count,
                        dlp_error *error);
/* Likewise, of a scene that comes with the program. */
dlp_status dlp_lab_open_bundled(dlp_lab *lab, const char *name, const char *const *settings,
                                int32_t thread_count, dlp_error *error);
void dlp_lab_close(dlp_lab *lab);
/* Steps frames until the time has come. */
dlp_status dlp_lab_run(dlp_lab *lab, double until, dlp_error *error);
dlp_status dlp_lab_look(dlp_lab *lab, dlp_error *error);
/* A copy of the places, which the caller frees. */
dlp_status dlp_lab_keep_places(const dlp_lab *lab, double **out_places, dlp_error *error);
/* m: between the same particles of two worlds, rms. */
double dlp_lab_distance(const dlp_lab *a, const dlp_lab *b);
double dlp_lab_kinetic_energy(const dlp_lab *lab);

/* A picture of the world into the report. */
dlp_status dlp_lab_picture(dlp_lab *lab, dlp_reproduce *reproduce, const char *name, const char *caption,
                           dlp_error *error);

/* A value between rows of a growing table. */
double dlp_between(const double *x, const double *y, int32_t count, double at);

#endif
