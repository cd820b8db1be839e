/* The laws: fluids cost particles times steps, and their steps follow the smoothing length where sound
 * decides, its square where viscosity or heat does; solids take the sub-steps that their stiffness asks for;
 * cloth has the same steps at any size, but each is solved as a whole. */
#include "cost_law.h"

#include "matter/solid_substeps.h"
#include "motion/sph/sph.h"

/* Below this share of the step that sound allows, something else decides. */
#define SOUND_SHARE 0.45
/* Of a particle's step, in those of a fluid, measured on the bundled scenes. */
#define SOLID_WEIGHT 0.6
#define CLOTH_WEIGHT 8.0
/* A step of cloth takes N^1.25, and from so many particles on N^1.6: measured on sheets of 120 to 6600 that
 * lie on something (less than linear to N^1.2 while they fall), and of 26 000. */
#define CLOTH_POWER       0.25
#define LARGE_CLOTH       1700.0
#define LARGE_CLOTH_POWER 0.6

static dlp_substance_def enlarged(const dlp_substance_def *def, double factor)
{
    dlp_substance_def copy = *def; /* shares what it points at: not released */
    copy.particle_radius *= factor;
    return copy;
}

double dlp_particle_count_sum(const dlp_scene_def *scene, const dlp_particle_count *counts)
{
    double sum = 0;
    for (int32_t k = 0; k < scene->substance_count; k++) sum += counts[k].start + counts[k].emitted;
    return sum;
}

static double count_of(const dlp_scene_def *scene, dlp_model model, const dlp_particle_count *counts)
{
    double sum = 0;
    for (int32_t k = 0; k < scene->substance_count; k++)
        if (scene->substances[k].model == model) sum += counts[k].start + counts[k].emitted;
    return sum;
}

static bool is_alone(const dlp_scene_def *scene, dlp_model model)
{
    for (int32_t k = 0; k < scene->substance_count; k++)
        if (scene->substances[k].model != model) return false;
    return true;
}

/* Fluids. */

/* s: the least that sound allows, and the least that viscosity and heat do, in any of them. */
static void find_limits(const dlp_scene_def *scene, const double *stiffness, double factor, double *out_sound,
                        double *out_diffusion)
{
    *out_sound = *out_diffusion = HUGE_VAL;
    for (int32_t k = 0; k < scene->substance_count; k++) {
        dlp_substance_def def = enlarged(&scene->substances[k], factor);
        if (def.model != DLP_MODEL_SPH) continue;
        const double given = def.stiffness > 0 ? def.stiffness : stiffness[k];
        const double h = def.smoothing * dlp_substance_spacing(&def, scene->dimension);
        const bool is_full = def.adapt_time || def.density_from == DLP_DENSITY_CONTINUITY;
        const double share = is_full ? 0.05 : 0.125;
        if (def.viscosity > 0 && def.viscosity_curve == NULL)
            *out_diffusion = fmin(*out_diffusion, share * h * h * def.density / def.viscosity);
        def.viscosity = 0;
        *out_sound =
            fmin(*out_sound, dlp_substance_stable_step(&def, scene->dimension, given, scene->courant));
    }
}

/* Steps of the scene itself over those of the trial. `step` is the trial's, s; 0 where it is not known. */
static double fluid_steps(const dlp_scene_def *scene, const dlp_trial *trial, double step)
{
    double coarse_sound, coarse_diffusion, sound, diffusion;
    if (scene->step > 0) return 1;
    find_limits(scene, trial->stiffness, trial->factor, &coarse_sound, &coarse_diffusion);
    find_limits(scene, trial->stiffness, 1, &sound, &diffusion);
    if (!(step > 0)) step = fmin(coarse_sound, coarse_diffusion);
    if (step < SOUND_SHARE * coarse_sound) return trial->factor * trial->factor;
    return fmin(trial->factor * trial->factor, step / fmin(step / trial->factor, diffusion));
}

/* Solids. */

static double substeps_of(const dlp_scene_def *scene, double factor, bool *out_is_given)
{
    double most = 1;
    *out_is_given = false;
    for (int32_t k = 0; k < scene->substance_count; k++) {
        const dlp_substance_def def = enlarged(&scene->substances[k], factor);
        if (def.model != DLP_MODEL_SOLID) continue;
        *out_is_given = *out_is_given || def.solid.substeps > 0;
        most = fmax(most, dlp_solid_substep_count(&def, scene->frame_rate, 1 / scene->frame_rate));
    }
    return most;
}

/* `steps` are the trial's per frame; 0 where they are not known. More than the stiffness asks for come from
 * the speed, which counts in particles. */
static double solid_steps(const dlp_scene_def *scene, const dlp_trial *trial, double steps)
{
    bool is_given;
    const double coarse = substeps_of(scene, trial->factor, &is_given),
                 fine = substeps_of(scene, 1, &is_given);
    if (!(steps > 1.3 * coarse) || is_given) return fine / coarse;
    return fmax(fine, steps * trial->factor) / steps;
}

/* All. */

static double cloth_solve(double count)
{
    const double small = pow(fmin(count, LARGE_CLOTH), CLOTH_POWER);
    return small * pow(fmax(1, count / LARGE_CLOTH), LARGE_CLOTH_POWER);
}

dlp_cost_ratio dlp_cost_ratio_of(const dlp_scene_def *scene, const dlp_trial *trial,
                                 const dlp_particle_count *coarse, const dlp_particle_count *fine)
{
    if (trial->factor == 1) return (dlp_cost_ratio){1, 1, 1};
    const double per_frame = trial->steps / fmax(trial->frames, 1e-9), rate = scene->frame_rate;
    const bool fluid = is_alone(scene, DLP_MODEL_SPH), solid = is_alone(scene, DLP_MODEL_SOLID);
    const double ratios[] = {
        [DLP_MODEL_SPH] = fluid_steps(scene, trial, fluid ? 1 / (per_frame * rate) : 0),
        [DLP_MODEL_SOLID] = solid_steps(scene, trial, solid ? per_frame : 0),
        [DLP_MODEL_CLOTH] = 1,
    };
    static const double weights[] = {
        [DLP_MODEL_SPH] = 1, [DLP_MODEL_SOLID] = SOLID_WEIGHT, [DLP_MODEL_CLOTH] = CLOTH_WEIGHT};
    double before = 0, after = 0, steps = 1;
    for (int32_t model = DLP_MODEL_SPH; model <= DLP_MODEL_CLOTH; model++) {
        const double from = count_of(scene, (dlp_model)model, coarse),
                     to = count_of(scene, (dlp_model)model, fine);
        const double solve = model == DLP_MODEL_CLOTH ? cloth_solve(to) / cloth_solve(fmax(1, from)) : 1;
        before += weights[model] * from;
        after += weights[model] * to * ratios[model] * (to > 0 ? solve : 1);
        if (from > 0) steps = fmax(steps, ratios[model]);
    }
    const double count = dlp_particle_count_sum(scene, fine) / fmax(1, dlp_particle_count_sum(scene, coarse));
    return (dlp_cost_ratio){.motion = before > 0 ? after / before : 1, .steps = steps, .count = count};
}
