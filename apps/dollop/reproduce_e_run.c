#include "reproduce_e.h"

#include "motion/solid/solver.h"
#include "motion/world_parts.h"

#include <stdio.h>

dlp_status dlp_solid_run_open(const dlp_reproduce *reproduce, dlp_solid_run *run, dlp_error *error)
{
    return dlp_lab_open_bundled(&run->lab, run->scene, run->settings, reproduce->thread_count, error);
}

dlp_status dlp_solid_run_frames(dlp_solid_run *run, dlp_error *error)
{
    dlp_stats stats;
    for (int32_t k = 0; k < run->frames && !run->has_diverged; k++) {
        const dlp_status status = dlp_world_step_frame(run->lab.world, error);
        run->has_diverged = status == DLP_DIVERGED;
        if (status != DLP_OK && !run->has_diverged) return status;
        DLP_TRY(dlp_world_stats(run->lab.world, &stats, error));
        if (k < run->frames - run->timed) continue;
        run->frame += 1e3 * stats.wall_motion / run->timed;
        run->solves += run->lab.world->solid->counts.solves;
        run->substeps += run->lab.world->solid->counts.substeps;
    }
    return dlp_lab_look(&run->lab, error);
}

dlp_status dlp_solid_run_all(const dlp_reproduce *reproduce, dlp_solid_run *run, dlp_error *error)
{
    DLP_TRY(dlp_solid_run_open(reproduce, run, error));
    return dlp_solid_run_frames(run, error);
}

void dlp_solid_run_tell(dlp_reproduce *reproduce, const dlp_solid_run *run, const char *name,
                        double source_particles, double source_frame)
{
    char ids[3][64], what[128];
    snprintf(ids[0], sizeof ids[0], "%s-particles", name);
    snprintf(ids[1], sizeof ids[1], "%s-frame", name);
    snprintf(ids[2], sizeof ids[2], "%s-rate", name);
    snprintf(what, sizeof what, "a frame of %.3g sub-steps, contacts included",
             (double)run->substeps / run->timed);
    const dlp_row rows[] = {
        dlp_row_beside(ids[0], "particles", run->lab.count, "", source_particles),
        dlp_row_beside(ids[1], what, run->frame, "ms", source_frame),
        dlp_row_beside(
            ids[2], "particles solved", 1e-3 * (double)run->solves / (run->frame * run->timed), "million/s",
            1e-3 * source_particles * (double)run->solves / run->lab.count / run->timed / source_frame)};
    dlp_reproduce_add_all(reproduce, rows, 3);
}

double dlp_lab_swelling(const dlp_lab *lab, int32_t body)
{
    const dlp_solid *solid = lab->world->solid;
    const dlp_strained *strains = dlp_solid_strains(solid);
    double sum = 0;
    int32_t count = 0;
    for (int32_t i = 0; i < lab->count; i++) {
        if (body >= 0 && solid->particles.body[i] != body) continue;
        sum += (double)strains[i].swelling;
        count++;
    }
    return sum / count;
}
