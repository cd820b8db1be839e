/* What the experiments with solids share. */
#ifndef DLP_VALIDATION_FIXTURE_SOLID_RUN_H
#define DLP_VALIDATION_FIXTURE_SOLID_RUN_H

#include "fixture_world.h"

/* A run of a bundled scene, and what it took. */
typedef struct dlp_solid_run {
    const char *scene;
    const char *const *settings; /* pairs of path and value, ended by NULL */
    int32_t frames;
    int32_t timed;       /* the last of them, whose mean time is reported */
    dlp_fixture fixture; /* out, as are the others */
    double frame;        /* ms per frame, of the motion alone */
    double contacts;     /* ms of it that contacts take */
    int64_t solves, substeps;
    bool has_diverged;
} dlp_solid_run;

/* Opens it and runs all frames; a run that diverges ends there, and says so. */
dlp_status dlp_solid_run_open(const dlp_reproduce *reproduce, dlp_solid_run *run, dlp_error *error);
dlp_status dlp_solid_run_frames(dlp_solid_run *run, dlp_error *error);
/* Both. */
dlp_status dlp_solid_run_all(const dlp_reproduce *reproduce, dlp_solid_run *run, dlp_error *error);
/* The source's figures of a scene. */
typedef struct dlp_solid_source {
    double particles, frame, contacts; /* ms per frame; 0: not given */
} dlp_solid_source;
/* Findings: particles, ms per frame, solves per second and the share of contacts, beside those; ids begin
 * with `name`. */
void dlp_solid_run_tell(dlp_reproduce *reproduce, const dlp_solid_run *run, const char *name,
                        const dlp_solid_source *source);

/* m3 over that at rest, of the solids of a body (copy), or of all where it is -1. */
double dlp_fixture_swelling(const dlp_fixture *fixture, int32_t body);

#endif
