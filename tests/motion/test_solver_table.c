/* A world takes in any solver. The one here, drops that fall in air without drag, is all that a new model
 * needs: docs/how-to-add-a-solver.md walks through it. */
#include "scenes.h"
#include "base/memory.h"
#include "motion/sph/sph.h"

// The solver: `COUNT` drops with the exact motion x = x0 + v0 t + g t^2 / 2 over each of its steps.

enum { COUNT = 5, STEPS = 3 /* an interval */ };

typedef struct rain {
    dlp_solver_context context;
    double position[3 * COUNT], velocity[3 * COUNT]; /* m, m/s: state */
    float displacement[3 * COUNT];                   /* m */
    int64_t id[COUNT];
    int32_t substance[COUNT];
    int32_t steps_done;
} rain;

static dlp_status create(const dlp_solver_context *context, void **out_self, dlp_error *error)
{
    rain *self = dlp_alloc(1, sizeof *self, "rain");
    *out_self = self;
    if (self == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "rain: no room");
    self->context = *context;
    for (int32_t i = 0; i < COUNT; i++) {
        self->position[3 * i] = i;
        self->position[3 * i + 2] = 10;
        self->id[i] = i;
    }
    return DLP_OK;
}

static void begin_span(void *self)
{
    memset(((rain *)self)->displacement, 0, sizeof((rain *)self)->displacement);
}

static double step_limit(const void *self)
{
    (void)self;
    return 1;
}

static void begin(void *self)
{
    ((rain *)self)->steps_done = 0;
}

static int64_t next_tick(const void *self)
{
    const rain *r = self;
    const int64_t tick = dlp_clock_tick_of(r->steps_done + 1, STEPS), end = r->context.clock->end_tick;
    return tick < end ? tick : end;
}

static dlp_status advance(void *self, int64_t tick, bool *out_is_done, dlp_error *error)
{
    (void)error;
    rain *r = self;
    const dlp_clock *clock = r->context.clock;
    const double h =
        dlp_clock_time(clock, tick) - dlp_clock_time(clock, dlp_clock_tick_of(r->steps_done, STEPS));
    const double g = r->context.conditions->now.gravity.z;
    for (int32_t i = 0; i < COUNT; i++) {
        const double fall = h * r->velocity[3 * i + 2] + 0.5 * g * h * h;
        r->position[3 * i + 2] += fall;
        r->displacement[3 * i + 2] += (float)fall;
        r->velocity[3 * i + 2] += g * h;
    }
    r->steps_done++;
    *out_is_done = true;
    return DLP_OK;
}

static int32_t count(const void *self)
{
    (void)self;
    return COUNT;
}

static const void *stored(const void *self, dlp_field field)
{
    const rain *r = self;
    return field == DLP_FIELD_POSITION       ? (const void *)r->position
           : field == DLP_FIELD_ID           ? (const void *)r->id
           : field == DLP_FIELD_SUBSTANCE    ? (const void *)r->substance
           : field == DLP_FIELD_DISPLACEMENT ? (const void *)r->displacement
                                             : NULL;
}

static void derive(const void *self, dlp_field field, int32_t i, void *to)
{
    const double *v = ((const rain *)self)->velocity + 3 * (size_t)i;
    const float velocity[3] = {(float)v[0], (float)v[1], (float)v[2]}, one = 1;
    memcpy(to, field == DLP_FIELD_VELOCITY ? velocity : &one,
           field == DLP_FIELD_VELOCITY ? sizeof velocity : 4);
}

static void add_velocity(void *self, const float *change)
{
    for (int32_t k = 0; k < 3 * COUNT; k++) ((rain *)self)->velocity[k] += (double)change[k];
}

static dlp_status measure(void *self, dlp_stats *stats, dlp_error *error)
{
    (void)self, (void)error;
    stats->particles += COUNT;
    return DLP_OK;
}

static void manifest(void *self, dlp_manifest *to)
{
    rain *r = self;
    dlp_manifest_add(
        to, (dlp_manifest_item){"rain/x", DLP_FLOAT64, 3, COUNT, r->position, DLP_COUNT_PARTICLES, 0});
    dlp_manifest_add(
        to, (dlp_manifest_item){"rain/v", DLP_FLOAT64, 3, COUNT, r->velocity, DLP_COUNT_PARTICLES, 0});
    dlp_manifest_add(to,
                     (dlp_manifest_item){"rain/steps", DLP_INT32, 1, 1, &r->steps_done, DLP_COUNT_FIXED, 0});
}

static dlp_status begin_load(void *self, int32_t particle_count, dlp_error *error)
{
    (void)self;
    return particle_count == COUNT ? DLP_OK : dlp_fail(error, DLP_IO, "%d drops", particle_count);
}

static dlp_status end_load(void *self, dlp_error *error)
{
    (void)self, (void)error;
    return DLP_OK;
}

static const dlp_solver rain_solver = {.name = "rain",
                                       .create = create,
                                       .destroy = dlp_free,
                                       .begin_span = begin_span,
                                       .step_limit = step_limit,
                                       .begin = begin,
                                       .next_tick = next_tick,
                                       .advance = advance,
                                       .active_count = count,
                                       .count = count,
                                       .stored = stored,
                                       .derive = derive,
                                       .add_velocity = add_velocity,
                                       .measure = measure,
                                       .manifest = manifest,
                                       .begin_load = begin_load,
                                       .end_load = end_load};

// What a world makes of it.

static const char drop_of_water[] =
    "frames: {rate: 50, count: 10}\n"
    "gravity: {keys: [[0, [0, 0, -10]], [0.1, [0, 0, -10]], [0.11, [0, 0, 0]]]}\n"
    "substances:\n"
    "  water:\n"
    "    material: water\n"
    "    particle: {spacing: 0.02}\n"
    "    shape: {sphere: {radius: 0.1}}\n";

static dlp_world *make_world(const dlp_solver *const *solvers, int32_t solver_count)
{
    need_yaml();
    dlp_error error = {0};
    dlp_scene *scene;
    dlp_world *world;
    expect_ok(dlp_scene_read_text(drop_of_water, strlen(drop_of_water), "test", NULL, &scene, &error),
              &error);
    expect_ok(dlp_world_create_with(scene, NULL, solvers, solver_count, &world, &error), &error);
    dlp_scene_destroy(scene);
    return world;
}

static void a_world_takes_in_a_solver_it_has_never_met(void **state)
{
    (void)state;
    const dlp_solver *const both[] = {&dlp_sph_solver, &rain_solver}, *const water[] = {&dlp_sph_solver};
    dlp_world *world = make_world(both, 2), *alone = make_world(water, 1);
    const int32_t first = dlp_world_particle_count(alone);
    assert_int_equal(dlp_world_particle_count(world), first + COUNT);
    assert_int_equal(dlp_world_first_of(world, &rain_solver), first);
    step_frames(world, 5);
    step_frames(alone, 5);
    const double *x = positions_of(world);
    for (int32_t i = 0; i < COUNT; i++) {  // 0.1 s under 10 m/s2
        assert_true(x[3 * (first + i)] == i);
        assert_near(x[3 * (first + i) + 2], 10 - 0.05, 1e-12);
    }
    const int64_t *id = field_of(world, DLP_FIELD_ID).data;
    for (int32_t i = 0; i < COUNT; i++) assert_true(id[first + i] == i + ((int64_t)1 << 40));
    assert_int_equal(stats_of(world).particles, first + COUNT);
    // and what it stands beside does not notice
    assert_memory_equal(positions_of(world), positions_of(alone), 3 * (size_t)first * sizeof(double));
    dlp_world_destroy(alone);
    dlp_world_destroy(world);
}

static void key_frames_reach_it(void **state)
{
    (void)state;
    const dlp_solver *const solvers[] = {&rain_solver};
    dlp_world *world = make_world(solvers, 1);
    step_frames(world, 10);
    // no weight from 0.11 s on: it keeps the speed of 0.1 s and what the passage added at its steps' ends
    const float *v = velocities_of(world);
    assert_true(v[2] < -1 && v[2] > -1.1f);
    dlp_world_destroy(world);
}

static void a_host_may_stop_it_anywhere(void **state)
{
    (void)state;
    const dlp_solver *const solvers[] = {&rain_solver};
    dlp_world *world = make_world(solvers, 1);
    dlp_error error = {0};
    expect_ok(dlp_world_advance(world, 0.0371, &error), &error);
    assert_near(positions_of(world)[2], 10 - 5 * 0.0371 * 0.0371, 1e-12);
    dlp_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_world_takes_in_a_solver_it_has_never_met),
                                       cmocka_unit_test(key_frames_reach_it),
                                       cmocka_unit_test(a_host_may_stop_it_anywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
