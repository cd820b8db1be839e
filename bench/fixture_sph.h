/* A solver on its own, without the world around it: what benches measure. */
#ifndef DLP_BENCH_FIXTURE_SPH_H
#define DLP_BENCH_FIXTURE_SPH_H

#include "motion/setting.h"
#include "motion/sph/sph.h"

typedef struct dlp_sph_fixture { /* must not move in memory */
    dlp_scene *scene;
    dlp_team *team;
    dlp_setting setting;
    dlp_sph *sph;
} dlp_sph_fixture;

/* From a scene as text; where it fails nothing is left to close. */
dlp_status dlp_sph_fixture_open(dlp_sph_fixture *fixture, const char *text, int32_t thread_count,
                                dlp_error *error);
void dlp_sph_fixture_close(dlp_sph_fixture *fixture);
/* A new interval of a frame. */
void dlp_sph_fixture_begin(dlp_sph_fixture *fixture);
/* One smallest step; a new interval begins where one has ended. */
dlp_status dlp_sph_fixture_step(dlp_sph_fixture *fixture, dlp_error *error);

#endif
