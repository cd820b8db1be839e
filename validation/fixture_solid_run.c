// Runs a bundled scene of solids and measures its time.
#include "fixture_solid_run.h"

#include "motion/solid/solid_solver.h"
#include "motion/world.h"

#include <stdio.h>

dlp_status dlp_solid_run_open(const dlp_reproduce *reproduce, dlp_solid_run *run, dlp_error *error)
{
    return dlp_fixture_open_bundled(&run->fixture, run->scene, run->settings, reproduce->thread_count, error);
}

dlp_status dlp_solid_run_frames(dlp_solid_run *run, dlp_error *error)
{
    dlp_stats stats = {.size = sizeof stats};
    for (int32_t k = 0; k < run->frames && !run->has_diverged; k++) {
        const double before = dlp_solid_of(run->fixture.world)->scratch.contact_seconds;
        const dlp_status status = dlp_world_step_frame(run->fixture.world, error);
        run->has_diverged = status == DLP_DIVERGED;
        if (status != DLP_OK && !run->has_diverged) return status;
        DLP_TRY(dlp_world_stats(run->fixture.world, &stats, error));
        if (k < run->frames - run->timed) continue;
        run->frame += 1e3 * stats.wall_motion / run->timed;
        run->contacts +=
            1e3 * (dlp_solid_of(run->fixture.world)->scratch.contact_seconds - before) / run->timed;
        run->solves += dlp_solid_of(run->fixture.world)->state.counts.solves;
        run->substeps += dlp_solid_of(run->fixture.world)->state.counts.substeps;
    }
    return dlp_fixture_look(&run->fixture, error);
}

dlp_status dlp_solid_run_all(const dlp_reproduce *reproduce, dlp_solid_run *run, dlp_error *error)
{
    DLP_TRY(dlp_solid_run_open(reproduce, run, error));
    return dlp_solid_run_frames(run, error);
}

void dlp_solid_run_tell(dlp_reproduce *reproduce, const dlp_solid_run *run, const char *name,
                        const dlp_solid_source *source)
{
    char ids[4][64], what[128];
    static const char *const ends[] = {"particles", "frame", "rate", "contacts"};
    for (int k = 0; k < 4; k++) snprintf(ids[k], sizeof ids[k], "%s-%s", name, ends[k]);
    snprintf(what, sizeof what, "a frame of %.3g sub-steps, contacts included",
             (double)run->substeps / run->timed);
    const double solves = (double)run->solves / run->timed; /* per frame */
    const double source_solves = solves * source->particles / run->fixture.count;
    const dlp_finding findings[] = {
        dlp_finding_beside(ids[0], "particles", run->fixture.count, "", source->particles),
        dlp_finding_beside(ids[1], what, run->frame, "ms", source->frame),
        dlp_finding_beside(ids[2], "particles solved, all in all", 1e-3 * solves / run->frame, "million/s",
                           1e-3 * source_solves / source->frame),
        dlp_finding_beside(ids[3], "share of contacts", 100 * run->contacts / run->frame, "%",
                           100 * source->contacts / source->frame)};
    dlp_reproduce_add_all(reproduce, findings, source->contacts > 0 ? 4 : 3);
}

double dlp_fixture_swelling(const dlp_fixture *fixture, int32_t body)
{
    const dlp_solid *solid = dlp_solid_of(fixture->world);
    const dlp_solid_strain *strains = dlp_solid_strains(solid);
    double sum = 0;
    int32_t count = 0;
    for (int32_t i = 0; i < fixture->count; i++) {
        if (body >= 0 && solid->state.particles.body[i] != body) continue;
        sum += (double)strains[i].volume_ratio;
        count++;
    }
    return sum / count;
}
