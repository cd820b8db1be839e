/* A world set up for an experiment: a scene as text, run to a time, and looked at. */
#ifndef DLP_VALIDATION_FIXTURE_WORLD_H
#define DLP_VALIDATION_FIXTURE_WORLD_H

#include "experiment.h"

#include "base/memory.h"
#include "motion/world.h"

typedef struct dlp_fixture {
    dlp_scene *scene;
    dlp_world *world;
    /* the fields after the last dlp_fixture_look */
    int32_t count;
    const double *x;
    const float *v, *density, *pressure, *mass, *radius;
} dlp_fixture;

/* `settings`: pairs of path and value, ended by NULL. */
dlp_status dlp_fixture_open(dlp_fixture *fixture, const char *scene, const char *const *settings,
                            int32_t thread_count, dlp_error *error);
/* Likewise, of a scene that comes with the program. */
dlp_status dlp_fixture_open_bundled(dlp_fixture *fixture, const char *name, const char *const *settings,
                                    int32_t thread_count, dlp_error *error);
void dlp_fixture_close(dlp_fixture *fixture);
/* Steps frames until the time has come. */
dlp_status dlp_fixture_run(dlp_fixture *fixture, double until, dlp_error *error);
dlp_status dlp_fixture_look(dlp_fixture *fixture, dlp_error *error);
/* A copy of the places, which the caller frees. */
dlp_status dlp_fixture_keep_places(const dlp_fixture *fixture, double **out_places, dlp_error *error);
/* m: between the same particles of two worlds, rms. */
double dlp_fixture_distance(const dlp_fixture *a, const dlp_fixture *b);
double dlp_fixture_kinetic_energy(const dlp_fixture *fixture);

/* A picture of the world into the report. */
dlp_status dlp_fixture_picture(dlp_fixture *fixture, dlp_reproduce *reproduce, const char *name,
                               const char *caption, dlp_error *error);

/* A value between rows of a growing table. */
double dlp_between(const double *x, const double *y, int32_t count, double at);

#endif
