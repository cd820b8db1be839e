/* The sweeps of a sub-step: colour after colour, every group by whoever is free. */
#include "matter/solid_steps.h"
#include "motion/solid/solve.h"

// Constants of the sweeps, by substance.
static void set_stuff(dlp_solid *solid, double step)
{
    for (int32_t k = 0; k < solid->scene->substance_count; k++) {
        const dlp_substance_def *def = &solid->scene->substances[k];
        if (def->model != DLP_MODEL_SOLID) continue;
        const dlp_solid_def *d = &def->solid;
        const dlp_flesh *flesh = &solid->flesh[k];
        const double square = step * step * dlp_solid_drag(d, step);
        const double spring = flesh->hourglass * flesh->young * square * flesh->volume;
        dlp_solid_stuff *stuff = &solid->stuff[k];
        *stuff = (dlp_solid_stuff){.law = d->law,
                                   .constraint = d->constraint,
                                   .mu = (float)flesh->mu,
                                   .lambda = (float)flesh->lambda,
                                   .square = (float)square,
                                   .has_springs = spring > 0 && solid->mesh == NULL,
                                   .spring = spring > 0 ? (float)(1 / spring) : 0,
                                   .fiber_count = d->fiber_count,
                                   .is_plastic = d->yield > 0,
                                   .plastic = {d->yield, d->flow, d->plastic_limit}};
        stuff->stiffness = stuff->mu;
        for (int32_t n = 0; n < d->fiber_count; n++) {
            stuff->stiffness += (float)(0.5 * d->fibers[n].modulus);
            const dlp_vec3 b = dlp_normalize(d->fibers[n].direction, dlp_vec(1, 0, 0));
            stuff->fibers[n][0] = (float)b.x;
            stuff->fibers[n][1] = (float)b.y;
            stuff->fibers[n][2] = (float)b.z;
            stuff->fibers[n][3] = (float)(0.5 * d->fibers[n].modulus);
        }
    }
}

#if defined(DLP_HAVE_AVX2_PAIRS)
#define SWEEP dlp_sweep_group_plain, dlp_sweep_group_avx2
#define YIELD dlp_yield_group_plain, dlp_yield_group_avx2
#else
#define SWEEP dlp_sweep_group_plain, dlp_sweep_group_plain
#define YIELD dlp_yield_group_plain, dlp_yield_group_plain
#endif

typedef struct coloured {
    dlp_sweep sweep;
    dlp_sweep_fn *run;
    int32_t first; /* group of the colour */
} coloured;

static void sweep_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const coloured *pass = context;
    for (int32_t g = begin; g < end; g++) pass->run(&pass->sweep, pass->first + g);
}

static int32_t most_iterations(const dlp_solid *solid)
{
    int32_t most = 1;
    for (int32_t k = 0; k < solid->scene->substance_count; k++) {
        if (solid->scene->substances[k].model != DLP_MODEL_SOLID) continue;
        const int32_t here = dlp_solid_iteration_count(&solid->scene->substances[k].solid);
        most = here > most ? here : most;
    }
    return most;
}

static coloured pass_over(dlp_solid *solid)
{
    const dlp_solid_mesh *mesh = solid->mesh;
    return (coloured){.sweep = {.order = dlp_solid_swept(solid),
                                .spots = solid->spots,
                                .turns = mesh != NULL ? mesh->turns : solid->particles.turn,
                                .lasting = mesh != NULL ? mesh->lasting : solid->particles.lasting,
                                .stuff = solid->stuff,
                                .stiffening = solid->group_stiffening}};
}

static dlp_sweep_fn *on_target(const dlp_solid *solid, dlp_sweep_fn *plain, dlp_sweep_fn *avx2)
{
    return solid->target == DLP_TARGET_AVX2 ? avx2 : plain;
}

void dlp_solid_sweep_all(dlp_solid *solid, double step)
{
    set_stuff(solid, step);
    const int32_t iterations = most_iterations(solid);
    const dlp_weave_order *order = dlp_solid_swept(solid);
    coloured pass = pass_over(solid);
    pass.run = on_target(solid, SWEEP);
    for (int32_t k = 0; k < iterations; k++) {
        pass.sweep.is_first = k == 0;
        pass.sweep.is_last = k == iterations - 1;
        for (int32_t color = 0; color < DLP_COLORS; color++) {
            pass.first = order->color_begin[color];
            dlp_parallel_for(solid->team, order->color_begin[color + 1] - pass.first, 1, sweep_range, &pass);
        }
    }
    solid->stiffening = 1;
    for (int32_t g = 0; g < order->group_count; g++)
        solid->stiffening = fmax(solid->stiffening, (double)solid->group_stiffening[g]);
    solid->counts.solves += (int64_t)iterations * dlp_solid_constraint_count(solid);
}

void dlp_solid_yield(dlp_solid *solid, double step)
{
    bool is_plastic = false;
    for (int32_t k = 0; k < solid->scene->substance_count; k++)
        is_plastic = is_plastic || solid->stuff[k].is_plastic;
    if (!is_plastic) return;
    coloured pass = pass_over(solid);
    pass.run = on_target(solid, YIELD);
    pass.sweep.step = step;
    dlp_parallel_for(solid->team, pass.sweep.order->group_count, 1, sweep_range, &pass);
}
