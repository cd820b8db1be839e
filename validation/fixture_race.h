/* Page D: several ways to solve one scene, side by side. They take turns, one frame each, so that a slow
 * moment of the machine affects all of them. */
#ifndef DLP_VALIDATION_FIXTURE_RACE_H
#define DLP_VALIDATION_FIXTURE_RACE_H

#include "fixture_world.h"

enum { DLP_COURSE_FRAMES = 1024, DLP_VARIANT_SETTINGS = 8 };

typedef struct dlp_race_variant {
    const char *settings[2 * DLP_VARIANT_SETTINGS + 1]; /* pairs of path and value, ended by NULL */
} dlp_race_variant;

/* A run, one frame after another. */
typedef struct dlp_course {
    dlp_fixture fixture;
    double wall[DLP_COURSE_FRAMES]; /* s of wall clock */
    double time[DLP_COURSE_FRAMES]; /* s */
    double evaluations[DLP_COURSE_FRAMES];
    double products[DLP_COURSE_FRAMES]; /* of cloth: of a particle's row with a vector */
    double share[DLP_COURSE_FRAMES];    /* %: of active particles */
    double measured[DLP_COURSE_FRAMES]; /* what the race measures */
    int32_t frames;
    bool has_diverged;
} dlp_course;

typedef struct dlp_race {
    const char *bundled, *text; /* a scene by its name, or itself; the other is NULL */
    const dlp_race_variant *variants;
    int32_t count, frames;
    double (*measure)(const dlp_fixture *fixture); /* after every frame; may be NULL */
    bool may_diverge;                              /* a course that does ends there, and the others go on */
} dlp_race;

/* Close the courses whatever the status. */
dlp_status dlp_race_run(const dlp_reproduce *reproduce, const dlp_race *race, dlp_course **out_courses,
                        dlp_error *error);
void dlp_race_close(dlp_course *courses, int32_t count);
dlp_status dlp_course_step(dlp_course *course, double (*measure)(const dlp_fixture *fixture),
                           dlp_error *error);

/* How often a restrained run fits into a plain one, over the frames that both made. */
typedef struct dlp_gain {
    double least, most;           /* by wall clock, over windows of 25 frames */
    double mean;                  /* over the whole */
    double evaluations, products; /* by work */
} dlp_gain;

double dlp_sum(const double *values, int32_t begin, int32_t end);
dlp_gain dlp_gain_of(const dlp_course *plain, const dlp_course *restrained);
void dlp_gain_tell(dlp_reproduce *reproduce, const dlp_gain *gain, double source_mean);
void dlp_gain_plot(dlp_reproduce *reproduce, const dlp_course *plain, const dlp_course *restrained);

#endif
