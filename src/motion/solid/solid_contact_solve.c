/* The answers of contacts. All are found at once, from places (then velocities) of the iteration before; each
 * in a share that leaves room for the others of both its particles, so that what one gets the other gives.
 * Particles sum what their contacts ask in the order of the other particle. */
#include "motion/solid/solid_contact_wide.h"

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
#define ON_TARGETS(name) dlp_solid_contact_##name##_plain, dlp_solid_contact_##name##_avx2
#else
#define ON_TARGETS(name) dlp_solid_contact_##name##_plain, NULL
#endif

static dlp_vec3 sum_corrections(dlp_solid_float4 *corrections, int32_t begin, int32_t end)
{
    dlp_vec3 sum = dlp_vec(0, 0, 0);
    for (int32_t n = begin; n < end; n++)
        sum = dlp_add(
            sum, dlp_vec((double)corrections[n][0], (double)corrections[n][1], (double)corrections[n][2]));
    return sum;
}

// What particles sum after an iteration, of places or of velocities.
typedef struct contact_sum_pass {
    const dlp_solid_contact_slots *slots;
    dlp_solid_float4 *corrections; /* of a slot */
    dlp_solid_float4 *sums;        /* of a place in the contact layer */
} contact_sum_pass;

static void sum_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const contact_sum_pass *pass = context;
    for (int32_t n = begin; n < end; n++) {
        const int32_t k = pass->slots->active[n];
        const dlp_vec3 sum =
            sum_corrections(pass->corrections, pass->slots->begin[k], pass->slots->begin[k + 1]);
        pass->sums[k][0] += (float)sum.x;
        pass->sums[k][1] += (float)sum.y;
        pass->sums[k][2] += (float)sum.z;
    }
}

static void clear_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const contact_sum_pass *pass = context;
    for (int32_t n = begin; n < end; n++)
        for (int axis = 0; axis < 3; axis++) pass->sums[pass->slots->active[n]][axis] = 0;
}

static dlp_vec3 vector(const float a[4])
{
    return dlp_vec((double)a[0], (double)a[1], (double)a[2]);
}

static bool is_held(const dlp_solid_contact *t, int32_t k)
{
    return t->paths.motions[k].inverse_mass == 0;
}

// Places.

static void iterate_positions(const dlp_solid *solid)
{
    const dlp_solid_contact *t = solid->contact;
    contact_sum_pass sums = {&t->slots, t->contacts.position_corrections, t->contacts.moved};
    dlp_parallel_for(solid->params.team, t->slots.active_count, GRAIN, clear_range, &sums);
    for (int k = 0; k < POSITION_ITERATIONS; k++) {
        run_blocks(solid, ON_TARGETS(iterate_positions));
        dlp_parallel_for(solid->params.team, t->slots.active_count, GRAIN, sum_range, &sums);
    }
}

static void store_positions(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid *solid = context;
    const dlp_solid_contact *t = solid->contact;
    for (int32_t n = begin; n < end; n++) {
        const int32_t k = t->slots.active[n];
        if (is_held(t, k)) continue;
        dlp_sweep_node_set(&solid->scratch.nodes[t->layer.particle[k]],
                           dlp_add(t->paths.to[k], vector(t->contacts.moved[k])));
    }
}

void dlp_solid_contact_solve_positions(dlp_solid_pass *pass)
{
    dlp_solid *solid = pass->solid;
    if (solid->contact->slots.active_count == 0) return;
    iterate_positions(solid);
    dlp_parallel_for(solid->params.team, solid->contact->slots.active_count, GRAIN, store_positions, solid);
}

// Velocities.

static void put(dlp_solid_float4 to, dlp_vec3 v)
{
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
}

static void load_velocities(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid *solid = context;
    const dlp_solid_contact *t = solid->contact;
    for (int32_t n = begin; n < end; n++) {
        const int32_t k = t->slots.active[n], i = t->layer.particle[k];
        put(t->contacts.velocities[k], dlp_solid_get(solid->state.particles.velocity, i));
        put(t->contacts.last_velocities[k], dlp_solid_get(solid->state.particles.last_velocity, i));
    }
}

static void iterate_velocities(const dlp_solid *solid)
{
    const dlp_solid_contact *t = solid->contact;
    contact_sum_pass sums = {&t->slots, t->contacts.velocity_corrections, t->contacts.velocity_changes};
    dlp_parallel_for(solid->params.team, t->slots.active_count, GRAIN, clear_range, &sums);
    for (int k = 0; k < VELOCITY_ITERATIONS; k++) {
        run_blocks(solid, ON_TARGETS(iterate_velocities));
        dlp_parallel_for(solid->params.team, t->slots.active_count, GRAIN, sum_range, &sums);
    }
}

static void add_to(double *array, int32_t i, dlp_vec3 change)
{
    dlp_solid_set(array, i, dlp_add(dlp_solid_get(array, i), change));
}

static void store_velocities(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid *solid = context;
    const dlp_solid_particles *p = &solid->state.particles;
    const dlp_solid_contact *t = solid->contact;
    for (int32_t n = begin; n < end; n++) {
        const int32_t k = t->slots.active[n], i = t->layer.particle[k];
        const int32_t first = t->slots.begin[k], last = t->slots.begin[k + 1];
        if (is_held(t, k)) continue;
        add_to(p->velocity, i, vector(t->contacts.velocity_changes[k]));
        add_to(p->last_velocity, i, sum_corrections(t->contacts.impact_corrections, first, last));
        add_to(p->step_displacement, i, sum_corrections(t->contacts.displacement_corrections, first, last));
    }
}

void dlp_solid_contact_solve_velocities(const dlp_solid_pass *pass)
{
    dlp_solid *solid = pass->solid;
    dlp_solid_contact *t = solid->contact;
    if (t->slots.active_count == 0) return;
    t->contacts.step = (float)pass->step;
    t->contacts.tau = (float)pass->tau;
    dlp_parallel_for(solid->params.team, t->slots.active_count, GRAIN, load_velocities, solid);
    run_blocks(solid, ON_TARGETS(to_velocities));
    iterate_velocities(solid);
    run_blocks(solid, ON_TARGETS(split_impacts));
    dlp_parallel_for(solid->params.team, t->slots.active_count, GRAIN, store_velocities, solid);
}
