/* The sweeps of a sub-step: colour after colour, every group by whoever is free. */
#include "matter/solid_substeps.h"
#include "motion/solid/solid_contact.h"
#include "motion/solid/solid_sweep.h"

// Constants of the sweeps, by substance.
static void set_step_constants(dlp_solid *solid, double step)
{
    for (int32_t k = 0; k < solid->params.scene->substance_count; k++) {
        const dlp_substance_def *def = &solid->params.scene->substances[k];
        if (def->model != DLP_MODEL_SOLID) continue;
        const dlp_solid_def *d = &def->solid;
        const dlp_solid_material *material = &solid->params.materials[k];
        const double square = step * step * dlp_solid_drag(d, step);
        const double spring = material->hourglass * material->young * square;
        dlp_solid_step_constants *constants = &solid->scratch.step_constants[k];
        *constants = (dlp_solid_step_constants){.law = d->law,
                                                .constraint = d->constraint,
                                                .mu = (float)material->mu,
                                                .lambda = (float)material->lambda,
                                                .square = (float)square,
                                                .has_springs = spring > 0 && solid->topology.mesh == NULL,
                                                .spring = spring > 0 ? (float)(1 / spring) : 0,
                                                .fiber_count = d->fiber_count,
                                                .is_plastic = d->yield > 0,
                                                .plastic = {d->yield, d->flow, d->plastic_limit}};
        constants->stiffness = constants->mu;
        for (int32_t n = 0; n < d->fiber_count; n++) {
            constants->stiffness += (float)(0.5 * d->fibers[n].modulus);
            const dlp_vec3 b = dlp_normalize(d->fibers[n].direction, dlp_vec(1, 0, 0));
            constants->fibers[n][0] = (float)b.x;
            constants->fibers[n][1] = (float)b.y;
            constants->fibers[n][2] = (float)b.z;
            constants->fibers[n][3] = (float)(0.5 * d->fibers[n].modulus);
        }
    }
}

#if defined(DLP_HAVE_AVX2_PAIRS)
#define SWEEP dlp_solid_sweep_group_plain, dlp_solid_sweep_group_avx2
#define YIELD dlp_solid_yield_group_plain, dlp_solid_yield_group_avx2
#else
#define SWEEP dlp_solid_sweep_group_plain, dlp_solid_sweep_group_plain
#define YIELD dlp_solid_yield_group_plain, dlp_solid_yield_group_plain
#endif

typedef struct color_pass {
    dlp_solid_sweep sweep;
    dlp_solid_sweep_fn *run;
    int32_t first; /* group of the colour */
} color_pass;

static void sweep_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const color_pass *pass = context;
    for (int32_t g = begin; g < end; g++) pass->run(&pass->sweep, pass->first + g);
}

static int32_t most_iterations(const dlp_solid *solid)
{
    int32_t most = 1;
    for (int32_t k = 0; k < solid->params.scene->substance_count; k++) {
        if (solid->params.scene->substances[k].model != DLP_MODEL_SOLID) continue;
        const int32_t here = dlp_solid_iteration_count(&solid->params.scene->substances[k].solid);
        most = here > most ? here : most;
    }
    return most;
}

static color_pass make_color_pass(dlp_solid *solid)
{
    const dlp_solid_mesh *mesh = solid->topology.mesh;
    return (color_pass){
        .sweep = {.coloring = dlp_solid_active_coloring(solid),
                  .nodes = solid->scratch.nodes,
                  .rotations = mesh != NULL ? mesh->rotations : solid->state.particles.rotation,
                  .plastic = mesh != NULL ? mesh->plastic : solid->state.particles.plastic,
                  .constants = solid->scratch.step_constants,
                  .stiffening = solid->scratch.group_stiffening,
                  .tied_impulse = solid->scratch.tied_impulse,
                  .particle_count = solid->state.particles.count}};
}

static dlp_solid_sweep_fn *on_target(const dlp_solid *solid, dlp_solid_sweep_fn *plain,
                                     dlp_solid_sweep_fn *avx2)
{
    return solid->params.target == DLP_TARGET_AVX2 ? avx2 : plain;
}

dlp_status dlp_solid_sweep_all(const dlp_solid_pass *sub_step, dlp_error *error)
{
    dlp_solid *solid = sub_step->solid;
    set_step_constants(solid, sub_step->tau);
    const int32_t iterations = most_iterations(solid);
    const dlp_constraint_coloring *coloring = dlp_solid_active_coloring(solid);
    color_pass pass = make_color_pass(solid);
    pass.run = on_target(solid, SWEEP);
    pass.sweep.tau = sub_step->tau;
    for (int32_t k = 0; k < iterations; k++) {
        if (k > 0) DLP_TRY(dlp_solid_contact_hold(sub_step, error));
        pass.sweep.is_first = k == 0;
        pass.sweep.is_last = k == iterations - 1;
        for (int32_t color = 0; color < DLP_COLORS; color++) {
            pass.first = coloring->color_begin[color];
            dlp_parallel_for(solid->params.team, coloring->color_begin[color + 1] - pass.first, 1,
                             sweep_range, &pass);
        }
    }
    dlp_solid_contact_let_go(sub_step);
    solid->state.stiffening = 1;
    for (int32_t g = 0; g < coloring->group_count; g++)
        solid->state.stiffening = fmax(solid->state.stiffening, (double)solid->scratch.group_stiffening[g]);
    solid->state.counts.solves += (int64_t)iterations * dlp_solid_constraint_count(solid);
    return DLP_OK;
}

void dlp_solid_yield(dlp_solid *solid, double step)
{
    bool is_plastic = false;
    for (int32_t k = 0; k < solid->params.scene->substance_count; k++)
        is_plastic = is_plastic || solid->scratch.step_constants[k].is_plastic;
    if (!is_plastic) return;
    color_pass pass = make_color_pass(solid);
    pass.run = on_target(solid, YIELD);
    pass.sweep.step = step;
    dlp_parallel_for(solid->params.team, pass.sweep.coloring->group_count, 1, sweep_range, &pass);
}
