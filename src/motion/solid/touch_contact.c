/* The answers of contacts. All are found at once, from places (then velocities) of the iteration before; each
 * in a share that leaves room for the others of both its particles, so that what one gets the other gives.
 * Particles sum what their contacts ask in the order of the other particle. */
#include "motion/solid/touch.h"

enum { GRAIN = DLP_TOUCH_GRAIN, BLOCKS = 64, PLACE_ITERATIONS = 3, SPEED_ITERATIONS = 4 };

// ---- iterations
// ---------------------------------------------------------------------------------------------

typedef struct blocks_pass {
    dlp_touch_blocks *all;
    dlp_touch_blocks_fn *run;
} blocks_pass;

static void blocks_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const blocks_pass *pass = context;
    pass->run(pass->all, begin, end);
}

static void run_blocks(const dlp_solid *solid, dlp_touch_blocks_fn *plain, dlp_touch_blocks_fn *avx2)
{
    dlp_touch_blocks *all = &solid->touch->contacts;
    blocks_pass pass = {all, solid->target == DLP_TARGET_AVX2 ? avx2 : plain};
    dlp_parallel_for(solid->team, (all->count + DLP_LANES - 1) / DLP_LANES, BLOCKS, blocks_range, &pass);
}

#if defined(DLP_HAVE_AVX2_PAIRS)
#define ANSWER dlp_touch_answer_plain, dlp_touch_answer_avx2
#define TURN   dlp_touch_turn_plain, dlp_touch_turn_avx2
#define END    dlp_touch_end_plain, dlp_touch_end_avx2
#else
#define ANSWER dlp_touch_answer_plain, NULL
#define TURN   dlp_touch_turn_plain, NULL
#define END    dlp_touch_end_plain, NULL
#endif

static dlp_vec3 sum_asks(float (*asks)[4], int32_t begin, int32_t end)
{
    dlp_vec3 sum = dlp_vec(0, 0, 0);
    for (int32_t n = begin; n < end; n++)
        sum = dlp_add(sum, dlp_vec((double)asks[n][0], (double)asks[n][1], (double)asks[n][2]));
    return sum;
}

static void sum_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_touch *t = ((const dlp_solid_pass *)context)->solid->touch;
    for (int32_t n = begin; n < end; n++) {
        const int32_t k = t->met[n];
        const dlp_vec3 sum = sum_asks(t->contacts.asks, t->begin[k], t->begin[k + 1]);
        t->contacts.moved[k][0] += (float)sum.x;
        t->contacts.moved[k][1] += (float)sum.y;
        t->contacts.moved[k][2] += (float)sum.z;
    }
}

static void clear_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_touch *t = ((const dlp_solid_pass *)context)->solid->touch;
    for (int32_t n = begin; n < end; n++)
        for (int axis = 0; axis < 3; axis++) t->contacts.moved[t->met[n]][axis] = 0;
}

static void iterate(dlp_solid_pass *pass, int count)
{
    dlp_team *team = pass->solid->team;
    const dlp_solid_touch *t = pass->solid->touch;
    dlp_parallel_for(team, t->met_count, GRAIN, clear_range, pass);
    for (int k = 0; k < count; k++) {
        run_blocks(pass->solid, ANSWER);
        dlp_parallel_for(team, t->met_count, GRAIN, sum_range, pass);
    }
}

static dlp_vec3 moved_of(const dlp_solid_touch *t, int32_t k)
{
    const float *moved = t->contacts.moved[k];
    return dlp_vec((double)moved[0], (double)moved[1], (double)moved[2]);
}

static bool is_held(const dlp_solid_touch *t, int32_t k)
{
    return t->courses[k].inverse_mass == 0;
}

// ---- places
// -------------------------------------------------------------------------------------------------

static void write_places(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_solid *solid = ((const dlp_solid_pass *)context)->solid;
    const dlp_solid_touch *t = solid->touch;
    for (int32_t n = begin; n < end; n++) {
        const int32_t k = t->met[n];
        if (!is_held(t, k)) dlp_spot_place(&solid->spots[t->skin[k]], dlp_add(t->to[k], moved_of(t, k)));
    }
}

void dlp_solid_touch_push(dlp_solid_pass *pass)
{
    if (pass->solid->touch->met_count == 0) return;
    iterate(pass, PLACE_ITERATIONS);
    dlp_parallel_for(pass->solid->team, pass->solid->touch->met_count, GRAIN, write_places, pass);
}

// ---- velocities
// ---------------------------------------------------------------------------------------------

static void put(float to[4], dlp_vec3 v)
{
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
}

static void take_speeds(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid *solid = ((const dlp_solid_pass *)context)->solid;
    const dlp_solid_touch *t = solid->touch;
    for (int32_t n = begin; n < end; n++) {
        const int32_t k = t->met[n];
        put(t->contacts.speeds[k], dlp_solid_get(solid->particles.velocity, t->skin[k]));
        put(t->contacts.befores[k], dlp_solid_get(solid->particles.last_velocity, t->skin[k]));
    }
}

static void add_to(double *array, int32_t i, dlp_vec3 change)
{
    dlp_solid_set(array, i, dlp_add(dlp_solid_get(array, i), change));
}

static void write_speeds(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_pass *pass = context;
    dlp_solid_particles *p = &pass->solid->particles;
    const dlp_solid_touch *t = pass->solid->touch;
    for (int32_t n = begin; n < end; n++) {
        const int32_t k = t->met[n], i = t->skin[k];
        if (is_held(t, k)) continue;
        add_to(p->velocity, i, moved_of(t, k));
        add_to(p->last_velocity, i, sum_asks(t->contacts.asks, t->begin[k], t->begin[k + 1]));
        add_to(p->way, i, sum_asks(t->contacts.way_asks, t->begin[k], t->begin[k + 1]));
    }
}

void dlp_solid_touch_settle(const dlp_solid_pass *pass)
{
    dlp_solid_touch *t = pass->solid->touch;
    dlp_solid_pass own = *pass;
    if (t->met_count == 0) return;
    t->contacts.step = (float)pass->step;
    t->contacts.tau = (float)pass->tau;
    dlp_parallel_for(pass->solid->team, t->met_count, GRAIN, take_speeds, &own);
    run_blocks(pass->solid, TURN);
    iterate(&own, SPEED_ITERATIONS);
    run_blocks(pass->solid, END);
    dlp_parallel_for(pass->solid->team, t->met_count, GRAIN, write_speeds, &own);
}
