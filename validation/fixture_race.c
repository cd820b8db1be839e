// Runs several ways to solve a scene in turns, and compares what they cost.
#include "fixture_race.h"

#include "base/memory.h"
#include "motion/cloth/cloth_solver.h"
#include "motion/world.h"

#include <string.h>

enum { WINDOW = 25 };

// Runs.

static dlp_status open_course(const dlp_reproduce *reproduce, const dlp_race *race,
                              const dlp_race_variant *variant, dlp_course *out, dlp_error *error)
{
    if (race->text != NULL)
        return dlp_fixture_open(&out->fixture, race->text, variant->settings, reproduce->thread_count, error);
    return dlp_fixture_open_bundled(&out->fixture, race->bundled, variant->settings, reproduce->thread_count,
                                    error);
}

dlp_status dlp_course_step(dlp_course *course, double (*measure)(const dlp_fixture *fixture),
                           dlp_error *error)
{
    dlp_stats stats = {.size = sizeof stats};
    dlp_fixture *fixture = &course->fixture;
    DLP_TRY(dlp_world_step_frame(fixture->world, error));
    DLP_TRY(dlp_world_stats(fixture->world, &stats, error));
    DLP_TRY(dlp_fixture_look(fixture, error));
    const int32_t k = course->frames++;
    course->wall[k] = stats.wall_motion;
    course->time[k] = stats.time;
    course->evaluations[k] = (double)stats.force_evaluations;
    const dlp_cloth *cloth = dlp_cloth_of(fixture->world);
    course->products[k] = cloth != NULL ? (double)cloth->state.counts.products : 0;
    course->share[k] = 100.0 * stats.active / stats.particles;
    course->measured[k] = measure != NULL ? measure(fixture) : 0;
    return DLP_OK;
}

// A course that diverges has come to its end, where the race allows it.
static dlp_status take_turn(const dlp_race *race, dlp_course *course, dlp_error *error)
{
    if (course->has_diverged) return DLP_OK;
    const dlp_status status = dlp_course_step(course, race->measure, error);
    course->has_diverged = status == DLP_DIVERGED && race->may_diverge;
    return course->has_diverged ? DLP_OK : status;
}

dlp_status dlp_race_run(const dlp_reproduce *reproduce, const dlp_race *race, dlp_course **out_courses,
                        dlp_error *error)
{
    dlp_course *courses = dlp_alloc((size_t)race->count, sizeof *courses, "experiment");
    *out_courses = courses;
    if (courses == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "experiment: no room");
    for (int32_t k = 0; k < race->count; k++)
        DLP_TRY(open_course(reproduce, race, &race->variants[k], &courses[k], error));
    for (int32_t frame = 0; frame < race->frames; frame++)
        for (int32_t k = 0; k < race->count; k++) DLP_TRY(take_turn(race, &courses[k], error));
    return DLP_OK;
}

void dlp_race_close(dlp_course *courses, int32_t count)
{
    for (int32_t k = 0; courses != NULL && k < count; k++) dlp_fixture_close(&courses[k].fixture);
    dlp_free(courses);
}

// Speed-up.

double dlp_sum(const double *values, int32_t begin, int32_t end)
{
    double sum = 0;
    for (int32_t k = begin; k < end; k++) sum += values[k];
    return sum;
}

dlp_gain dlp_gain_of(const dlp_course *plain, const dlp_course *restrained)
{
    const int32_t frames = plain->frames < restrained->frames ? plain->frames : restrained->frames;
    dlp_gain g = {.least = 1e30};
    for (int32_t begin = 0; begin + WINDOW <= frames; begin += WINDOW) {
        const double ratio = dlp_sum(plain->wall, begin, begin + WINDOW) /
                             (dlp_sum(restrained->wall, begin, begin + WINDOW) + 1e-9);
        g.least = fmin(g.least, ratio);
        g.most = fmax(g.most, ratio);
    }
    g.mean = dlp_sum(plain->wall, 0, frames) / (dlp_sum(restrained->wall, 0, frames) + 1e-9);
    g.evaluations =
        dlp_sum(plain->evaluations, 0, frames) / (dlp_sum(restrained->evaluations, 0, frames) + 1);
    g.products = dlp_sum(plain->products, 0, frames) / (dlp_sum(restrained->products, 0, frames) + 1);
    return g;
}

void dlp_gain_tell(dlp_reproduce *reproduce, const dlp_gain *gain, double source_mean)
{
    const dlp_finding findings[] = {
        dlp_finding_number("min", "speed-up over the plain solver, slowest second", gain->least, "x"),
        dlp_finding_number("max", "fastest second", gain->most, "x"),
        dlp_finding_reached("mean", "over the whole run (the source's mean)", gain->mean, "x", source_mean),
        dlp_finding_number("evaluations", "of forces, plain over restrained", gain->evaluations, "x")};
    dlp_reproduce_add_all(reproduce, findings, 4);
}

void dlp_gain_plot(dlp_reproduce *reproduce, const dlp_course *plain, const dlp_course *restrained)
{
    static double ratio[DLP_COURSE_FRAMES];
    for (int32_t k = 0; k < plain->frames; k++) ratio[k] = plain->wall[k] / (restrained->wall[k] + 1e-5);
    const dlp_series share = {"active", restrained->time, restrained->share, restrained->frames,
                              DLP_MARK_LINE};
    const dlp_series gains = {"speed-up", plain->time, ratio, plain->frames, DLP_MARK_LINE};
    dlp_reproduce_plot(reproduce, "Active particles", "time (s)", "%", &share, 1);
    dlp_reproduce_plot(reproduce, "Speed-up, frame by frame", "time (s)", "x", &gains, 1);
}
