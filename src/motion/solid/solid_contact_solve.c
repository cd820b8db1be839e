/* The answers of contacts. All are found at once, from places (then velocities) of the iteration before; each
 * in a share that leaves room for the others of both its particles, so that what one gets the other gives.
 * Particles sum what their contacts ask in the order of the other particle. */
#include "motion/solid/solid_contact.h"

enum { GRAIN = DLP_CONTACT_GRAIN, BLOCKS = 64, POSITION_ITERATIONS = 3, VELOCITY_ITERATIONS = 4 };

// Iterations.

typedef struct blocks_pass {
    dlp_solid_contact_blocks *all;
    dlp_solid_contact_blocks_fn *run;
} blocks_pass;

static void blocks_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const blocks_pass *pass = context;
    pass->run(pass->all, begin, end);
}

static void run_blocks(const dlp_solid *solid, dlp_solid_contact_blocks_fn *plain,
                       dlp_solid_contact_blocks_fn *avx2)
{
    dlp_solid_contact_blocks *all = &solid->contact->contacts;
    blocks_pass pass = {all, solid->params.target == DLP_TARGET_AVX2 ? avx2 : plain};
    dlp_parallel_for(solid->params.team, (all->count + DLP_LANES - 1) / DLP_LANES, BLOCKS, blocks_range,
                     &pass);
}

#if defined(DLP_HAVE_AVX2_PAIRS)
#define ITERATE       dlp_solid_contact_iterate_plain, dlp_solid_contact_iterate_avx2
#define TO_VELOCITIES dlp_solid_contact_to_velocities_plain, dlp_solid_contact_to_velocities_avx2
#define SPLIT_IMPACTS dlp_solid_contact_split_impacts_plain, dlp_solid_contact_split_impacts_avx2
#else
#define ITERATE       dlp_solid_contact_iterate_plain, NULL
#define TO_VELOCITIES dlp_solid_contact_to_velocities_plain, NULL
#define SPLIT_IMPACTS dlp_solid_contact_split_impacts_plain, NULL
#endif

static dlp_vec3 sum_corrections(float (*corrections)[4], int32_t begin, int32_t end)
{
    dlp_vec3 sum = dlp_vec(0, 0, 0);
    for (int32_t n = begin; n < end; n++)
        sum = dlp_add(
            sum, dlp_vec((double)corrections[n][0], (double)corrections[n][1], (double)corrections[n][2]));
    return sum;
}

static void sum_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_contact *t = ((const dlp_solid_pass *)context)->solid->contact;
    for (int32_t n = begin; n < end; n++) {
        const int32_t k = t->active[n];
        const dlp_vec3 sum = sum_corrections(t->contacts.corrections, t->begin[k], t->begin[k + 1]);
        t->contacts.moved[k][0] += (float)sum.x;
        t->contacts.moved[k][1] += (float)sum.y;
        t->contacts.moved[k][2] += (float)sum.z;
    }
}

static void clear_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_contact *t = ((const dlp_solid_pass *)context)->solid->contact;
    for (int32_t n = begin; n < end; n++)
        for (int axis = 0; axis < 3; axis++) t->contacts.moved[t->active[n]][axis] = 0;
}

static void iterate(dlp_solid_pass *pass, int count)
{
    dlp_team *team = pass->solid->params.team;
    const dlp_solid_contact *t = pass->solid->contact;
    dlp_parallel_for(team, t->active_count, GRAIN, clear_range, pass);
    for (int k = 0; k < count; k++) {
        run_blocks(pass->solid, ITERATE);
        dlp_parallel_for(team, t->active_count, GRAIN, sum_range, pass);
    }
}

static dlp_vec3 moved_of(const dlp_solid_contact *t, int32_t k)
{
    const float *moved = t->contacts.moved[k];
    return dlp_vec((double)moved[0], (double)moved[1], (double)moved[2]);
}

static bool is_held(const dlp_solid_contact *t, int32_t k)
{
    return t->motions[k].inverse_mass == 0;
}

// Places.

static void store_positions(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_solid *solid = ((const dlp_solid_pass *)context)->solid;
    const dlp_solid_contact *t = solid->contact;
    for (int32_t n = begin; n < end; n++) {
        const int32_t k = t->active[n];
        if (!is_held(t, k))
            dlp_sweep_node_set(&solid->scratch.nodes[t->contact_layer[k]], dlp_add(t->to[k], moved_of(t, k)));
    }
}

void dlp_solid_contact_solve_positions(dlp_solid_pass *pass)
{
    if (pass->solid->contact->active_count == 0) return;
    iterate(pass, POSITION_ITERATIONS);
    dlp_parallel_for(pass->solid->params.team, pass->solid->contact->active_count, GRAIN, store_positions,
                     pass);
}

// Velocities.

static void put(float to[4], dlp_vec3 v)
{
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
}

static void load_velocities(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid *solid = ((const dlp_solid_pass *)context)->solid;
    const dlp_solid_contact *t = solid->contact;
    for (int32_t n = begin; n < end; n++) {
        const int32_t k = t->active[n];
        put(t->contacts.velocities[k], dlp_solid_get(solid->state.particles.velocity, t->contact_layer[k]));
        put(t->contacts.last_velocities[k],
            dlp_solid_get(solid->state.particles.last_velocity, t->contact_layer[k]));
    }
}

static void add_to(double *array, int32_t i, dlp_vec3 change)
{
    dlp_solid_set(array, i, dlp_add(dlp_solid_get(array, i), change));
}

static void store_velocities(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_pass *pass = context;
    dlp_solid_particles *p = &pass->solid->state.particles;
    const dlp_solid_contact *t = pass->solid->contact;
    for (int32_t n = begin; n < end; n++) {
        const int32_t k = t->active[n], i = t->contact_layer[k];
        if (is_held(t, k)) continue;
        add_to(p->velocity, i, moved_of(t, k));
        add_to(p->last_velocity, i, sum_corrections(t->contacts.corrections, t->begin[k], t->begin[k + 1]));
        add_to(p->step_displacement, i,
               sum_corrections(t->contacts.displacement_corrections, t->begin[k], t->begin[k + 1]));
    }
}

void dlp_solid_contact_solve_velocities(const dlp_solid_pass *pass)
{
    dlp_solid_contact *t = pass->solid->contact;
    dlp_solid_pass own = *pass;
    if (t->active_count == 0) return;
    t->contacts.step = (float)pass->step;
    t->contacts.tau = (float)pass->tau;
    dlp_parallel_for(pass->solid->params.team, t->active_count, GRAIN, load_velocities, &own);
    run_blocks(pass->solid, TO_VELOCITIES);
    iterate(&own, VELOCITY_ITERATIONS);
    run_blocks(pass->solid, SPLIT_IMPACTS);
    dlp_parallel_for(pass->solid->params.team, t->active_count, GRAIN, store_velocities, &own);
}
