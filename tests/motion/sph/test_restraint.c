/* Restraint: the passage from rest to motion, and pools that fall asleep and wake. */
#include "scenes.h"
#include "matter/restraint.h"
#include "motion/sph/sph_restraint.h"

static const dlp_restraint passages[] = {
    {DLP_RESTRAINT_CONVEX, 0.4, 1.788},   {DLP_RESTRAINT_ENERGY, 0.4, 1.788},
    {DLP_RESTRAINT_MOMENTUM, 0.4, 1.788}, {DLP_RESTRAINT_CONVEX, 0.01, 0.2},
    {DLP_RESTRAINT_ENERGY, 0.01, 0.2},    {DLP_RESTRAINT_MOMENTUM, 0.01, 0.2}};
enum { PASSAGE_COUNT = sizeof passages / sizeof passages[0], SAMPLES = 400 };

static double effective(dlp_restraint r, double v)
{
    return v * dlp_restraint_gain(r, v);
}

// Speeds from below rest to above full.
static double sample_speed(dlp_restraint r, int k)
{
    return r.full * 1.2 * (k + 0.5) / SAMPLES;
}

static void effective_speed_is_the_derivative_of_the_kinetic_energy(void **state)
{
    (void)state;
    for (int n = 0; n < PASSAGE_COUNT; n++) {
        const dlp_restraint r = passages[n];
        for (int k = 0; k < SAMPLES; k++) {
            const double v = sample_speed(r, k), d = 1e-5 * r.full;
            const double slope = (dlp_restraint_energy(r, v + d) - dlp_restraint_energy(r, v - d)) / (2 * d);
            assert_near(effective(r, v), slope, 1e-7 * r.full);  // truncation d^2/6 T''' and rounding
        }
    }
}

static void jacobian_is_the_derivative_of_the_effective_speed(void **state)
{
    (void)state;
    for (int n = 0; n < PASSAGE_COUNT; n++) {
        const dlp_restraint r = passages[n];
        for (int k = 0; k < SAMPLES; k++) {
            const double v = sample_speed(r, k), d = 1e-5 * r.full;
            const double slope = (effective(r, v + d) - effective(r, v - d)) / (2 * d);
            assert_near(dlp_restraint_slope(r, v), slope, 2e-6);
        }
    }
}

static void convex_passage_never_overshoots_and_never_falls(void **state)
{
    (void)state;
    const dlp_restraint r = {DLP_RESTRAINT_CONVEX, 1, 4.47};
    double steepest = 0;
    for (int k = 0; k < SAMPLES; k++) {
        const double v = sample_speed(r, k);
        assert_true(effective(r, v) <= v);
        assert_true(dlp_restraint_slope(r, v) >= 0);
        steepest = fmax(steepest, dlp_restraint_slope(r, v));
    }
    assert_near(steepest, 2.23, 0.01);  // the largest eigenvalue of its Jacobian at this ratio
}

static void printed_passages_have_a_negative_eigenvalue(void **state)
{
    (void)state;
    static const struct {
        dlp_restraint_form form;
        double least;
    } cases[] = {{DLP_RESTRAINT_ENERGY, -5.8}, {DLP_RESTRAINT_MOMENTUM, -1.5}};
    for (int n = 0; n < 2; n++) {
        const dlp_restraint r = {cases[n].form, 1, 4.47};
        double least = 0;
        for (int k = 0; k < 10 * SAMPLES; k++)
            least = fmin(least, dlp_restraint_slope(r, r.full * (k + 0.5) / (10 * SAMPLES)));
        assert_near(least, cases[n].least, 0.05);
    }
}

// A restrained harmonic oscillator: H = T(p) + q^2 / 2, by a symplectic scheme of fourth order. [yoshida1990]
static double oscillator_energy(dlp_restraint r, double q, double p)
{
    return dlp_restraint_energy(r, fabs(p)) + 0.5 * q * q;
}

static void drift_and_kick(dlp_restraint r, double dt, double *q, double *p)
{
    *q += 0.5 * dt * *p * dlp_restraint_gain(r, fabs(*p));
    *p -= dt * *q;
    *q += 0.5 * dt * *p * dlp_restraint_gain(r, fabs(*p));
}

static void restrained_oscillator_keeps_its_energy_for_ten_thousand_periods(void **state)
{
    (void)state;
    const dlp_restraint r = {DLP_RESTRAINT_CONVEX, 0.2, 0.894};
    const double root = cbrt(2), w1 = 1 / (2 - root), w0 = -root / (2 - root), dt = 0.004;
    double q = 1, p = 0, worst[2] = {0, 0};
    const double start = oscillator_energy(r, q, p);
    const int64_t steps = (int64_t)(1e4 * 2 * DLP_PI / dt);
    for (int64_t k = 0; k < steps; k++) {
        drift_and_kick(r, w1 * dt, &q, &p);
        drift_and_kick(r, w0 * dt, &q, &p);
        drift_and_kick(r, w1 * dt, &q, &p);
        const double error = fabs(oscillator_energy(r, q, p) - start) / start;
        double *half = &worst[k >= steps / 2];
        *half = fmax(*half, error);
    }
    assert_true(worst[0] < 1e-6);
    assert_true(worst[1] < 1.1 * worst[0]);  // no secular drift: the second half is as good as the first
}

// Worlds.

#define POOL(more)                                                                                           \
    "dimension: 2\n"                                                                                         \
    "frames: {rate: 50, count: 100}\n"                                                                       \
    "substances:\n"                                                                                          \
    "  water:\n"                                                                                             \
    "    material: water\n"                                                                                  \
    "    artificial_viscosity: {alpha: 0.3}\n"                                                               \
    "    particle: {spacing: 0.02}\n"                                                                        \
    "    adapt: {restraint: true}\n"                                                                         \
    "    shape: {box: {min: [0, 0], max: [0.6, 0.2]}}\n"                                                     \
    "obstacles:\n"                                                                                           \
    "  - {name: tank, box: {min: [0, 0], max: [0.6, 1], inside: true}}\n" more

// Until nothing is evaluated for a second: a sleeper whose push is a little too large wakes late.
static void run_until_asleep(dlp_world *world)
{
    int32_t quiet = 0;
    for (int32_t frame = 0; frame < 1500 && quiet < 50; frame++) {
        step_frames(world, 1);
        const dlp_stats stats = stats_of(world);
        quiet = stats.active == 0 && stats.force_evaluations == 0 ? quiet + 1 : 0;
    }
    if (quiet < 50)
        fail_msg("%d of %d particles are still active", stats_of(world).active, stats_of(world).particles);
}

static void a_pool_falls_asleep_and_then_costs_nothing_and_holds_still(void **state)
{
    (void)state;
    setup s = make_setup(POOL(""));
    run_until_asleep(s.world);
    const dlp_view x = field_of(s.world, DLP_FIELD_POSITION);
    const double first = ((const double *)x.data)[1], energy = energy_of(s.world);
    step_frames(s.world, 50);
    const dlp_stats stats = stats_of(s.world);
    assert_int_equal(stats.restrained, stats.particles);
    assert_int_equal(stats.force_evaluations, 0);
    assert_int_equal(stats.substeps, 1);
    assert_true(((const double *)field_of(s.world, DLP_FIELD_POSITION).data)[1] == first);
    assert_true(energy_of(s.world) == energy);
    release_setup(&s);
}

static void what_sleepers_know_of_their_pressure_does_not_drift(void **state)
{
    (void)state;
    // a paddle at one end keeps a part of the pool moving, far longer than lists and sums would stay right
    setup s =
        make_setup(POOL("  - name: paddle\n"
                        "    box: {min: [0.03, 0.06], max: [0.06, 0.4]}\n"
                        "    position: {keys: [[0, [0, 0]], [1, [0.01, 0]], [2, [0, 0]], [3, [0.01, 0]],\n"
                        "                      [4, [0, 0]], [5, [0.01, 0]], [6, [0, 0]]]}\n"));
    step_frames(s.world, 250);
    const int32_t asleep = stats_of(s.world).restrained, count = dlp_world_particle_count(s.world);
    if (!(asleep > count / 4)) fail_msg("%d of %d asleep", asleep, count);
    float known[4096];
    const dlp_view old = field_of(s.world, DLP_FIELD_PRESSURE);
    const dlp_view ids = field_of(s.world, DLP_FIELD_ID), states = field_of(s.world, DLP_FIELD_STATE);
    static int32_t was_asleep[4096];
    for (int32_t i = 0; i < count; i++) {
        const int64_t id = ((const int64_t *)ids.data)[i];
        known[id] = ((const float *)old.data)[i];
        was_asleep[id] = ((const int32_t *)states.data)[i] == 2;
    }
    // another viscosity concerns everybody: all are summed anew
    dlp_error error = {0};
    expect_ok(dlp_world_set(s.world, "substances.water.viscosity", "0.00101", &error), &error);
    expect_ok(dlp_world_advance(s.world, 1e-7, &error), &error);
    const dlp_view now = field_of(s.world, DLP_FIELD_PRESSURE), again = field_of(s.world, DLP_FIELD_ID);
    for (int32_t i = 0; i < count; i++) {
        const int64_t id = ((const int64_t *)again.data)[i];
        if (!was_asleep[id]) continue;
        // they need not be told of 0.005 rho g dx; in 0.1 us nothing moves
        assert_near((double)((const float *)now.data)[i], (double)known[id],
                    1.1 * 0.005 * 1000 * 9.81 * 0.02);
    }
    release_setup(&s);
}

static void a_sleeping_pool_wakes_when_gravity_turns(void **state)
{
    (void)state;
    setup s = make_setup(POOL(""));
    run_until_asleep(s.world);
    dlp_error error = {0};
    expect_ok(dlp_world_set(s.world, "gravity", "[2, -9.6]", &error), &error);
    step_frames(s.world, 5);
    const dlp_stats stats = stats_of(s.world);
    assert_true(stats.active > stats.particles / 2);
    assert_true(stats.momentum.x > 0);
    release_setup(&s);
}

static void a_drop_wakes_what_it_falls_on(void **state)
{
    (void)state;
    setup s = make_setup(
        POOL("emitters:\n"
             "  - {substance: water, position: [0.3, 0.6], radius: 0.04, speed: 1, start: 6, limit: 20}\n"));
    const int32_t before = stats_of(s.world).particles;
    step_frames(s.world, 299);
    assert_true(stats_of(s.world).active < before / 10);
    step_frames(s.world, 25);
    const dlp_stats stats = stats_of(s.world);
    assert_int_equal(stats.particles, before + 20);
    assert_true(stats.active > stats.particles / 2);
    // The pool calms down again. When its last particle falls asleep is chance: of six runs that let the drop
    // fall a little earlier or later, none was wholly asleep after 24 s, and all had at most 6 % awake.
    step_frames(s.world, 1000);
    assert_true(stats_of(s.world).active < before / 10);
    release_setup(&s);
}

// Every particle's list against all others, one by one: those within reach of where it was listed, by index.
static int32_t count_wrong_lists(const dlp_sph *sph)
{
    int32_t wrong = 0;
    for (int32_t i = 0; i < sph->state.particles.count; i++) {
        const int32_t *list = dlp_list_of(&sph->scratch.neighbours.lists, i);
        const float reach = (float)sph->scratch.neighbours.layers[0].reach;
        int32_t n = 0;
        bool is_right = true;
        for (int32_t j = 0; j < sph->state.particles.count; j++) {
            float d[3];
            for (int axis = 0; axis < 3; axis++)
                d[axis] = (float)(sph->state.listed.at[axis][i] - sph->state.listed.at[axis][j]) *
                          (float)sph->params.units.unit[axis];
            if (i == j || !(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < dlp_reach_square(reach, reach)))
                continue;
            is_right = is_right && list[n++] == j;
        }
        const int32_t end = dlp_list_end(&sph->scratch.neighbours.lists, i, 0);
        for (; n < end; n++)
            is_right = is_right && list[n] == sph->state.particles.count + sph->scratch.walls.samples.count;
        wrong += !is_right;
    }
    return wrong;
}

static void lists_renewed_around_movers_are_those_that_would_be_built(void **state)
{
    (void)state;
    setup s = make_setup("dimension: 2\n"
                         "frames: {rate: 50, count: 200}\n"
                         "substances:\n"
                         "  honey:\n"
                         "    material: honey\n"
                         "    particle: {spacing: 0.02}\n"
                         "    adapt: {restraint: true}\n"
                         "    restraint: {rest: 0.02, friction: 0.2}\n"
                         "    shape: {box: {min: [0, 0], max: [3.2, 0.2]}}\n"
                         "obstacles: [{name: tank, box: {min: [0, 0], max: [3.2, 1], inside: true}}]\n"
                         "emitters: [{substance: honey, position: [0.1, 0.23], radius: 0.02, speed: 0.1}]\n"
                         "sinks: [{box: {min: [0.2, 0.21], max: [0.4, 1]}}]\n");
    const dlp_sph *sph = dlp_sph_of(s.world);
    int32_t renewed = 0;
    for (int32_t frame = 0; frame < 120; frame++) {
        step_frames(s.world, 1);
        if (sph->scratch.neighbours.drift == 0) continue;  // all lists were built
        renewed++;
        assert_int_equal(count_wrong_lists(sph), 0);
    }
    assert_true(renewed > 20);
    release_setup(&s);
}

static void thresholds_that_contradict_each_other_are_refused(void **state)
{
    (void)state;
    need_yaml();
    static const struct {
        const char *path, *value, *message;
    } wrong[] = {{"substances.water.restraint.full", "0.1", "needs `rest` beside it"},
                 {"substances.water.restraint.error", "-1", "must be"},
                 {"substances.water.restraint.friction", "2", "must be between 0 and 1"},
                 {"substances.water.density_from", "continuity", "needs `density_from: summation`"}};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        dlp_scene *scene = NULL;
        dlp_world *world = NULL;
        dlp_error error = {0};
        const char *text = POOL("");
        expect_ok(dlp_scene_read_text(text, strlen(text), "test", NULL, &scene, &error), &error);
        dlp_status status = dlp_scene_set(scene, wrong[k].path, wrong[k].value, &error);
        if (status == DLP_OK) status = dlp_world_create(scene, NULL, &world, &error);
        assert_int_equal(status, DLP_INVALID);
        if (strstr(error.message, wrong[k].message) == NULL) fail_msg("%s", error.message);
        dlp_scene_destroy(scene);
    }
}

// A canal seen from its end, with a post in its middle that hides what is behind it.
static const char canal_scene[] = "frames: {rate: 100, count: 10}\n"
                                  "substances:\n"
                                  "  water:\n"
                                  "    material: water\n"
                                  "    particle: {spacing: 0.01}\n"
                                  "    adapt: {restraint: true}\n"
                                  "    restraint: {view: true}\n"
                                  "    shape: {box: {min: [0, 0, 0], max: [0.4, 0.1, 0.05]}}\n"
                                  "obstacles:\n"
                                  "  - box: {min: [0, 0, 0], max: [0.4, 0.1, 0.3], inside: true}\n"
                                  "  - box: {min: [0.19, 0.03, 0], max: [0.21, 0.07, 0.4]}\n"
                                  "camera: {from: [-0.4, 0.05, 0.1], to: [0, 0.05, 0.03], angle: 60}\n";

static void thresholds_grow_with_distance_and_behind_obstacles(void **state)
{
    (void)state;
    setup s = make_setup(canal_scene);
    step_frames(s.world, 1);
    const dlp_particles *p = &dlp_sph_of(s.world)->state.particles;
    const dlp_vec3 eye = dlp_vec(-0.4, 0.05, 0.1);
    const double to_target = dlp_length(dlp_sub(dlp_vec(0, 0.05, 0.03), eye));
    int32_t hidden = 0, open = 0;
    for (int32_t i = 0; i < p->count; i++) {
        const dlp_vec3 x = dlp_particle_position(p, i);
        const double far = fmax(dlp_length(dlp_sub(x, eye)) / to_target, 1);
        const bool is_behind = x.x > 0.25 && fabs(x.y - 0.05) < 0.015, is_before = x.x < 0.17;
        // as it stood when the frame began: a frame earlier, where nothing goes a millimetre
        if (is_behind) assert_near((double)p->threshold_scale[i] / (4 * far), 1, 0.01);
        if (is_before) assert_near((double)p->threshold_scale[i] / far, 1, 0.01);
        hidden += is_behind;
        open += is_before;
    }
    assert_true(hidden > 50 && open > 50);
    release_setup(&s);
}

static void what_is_out_of_the_picture_has_wider_thresholds(void **state)
{
    (void)state;
    setup s = make_setup(canal_scene);
    dlp_error error = {0};
    expect_ok(dlp_world_set(s.world, "camera.to", "[-1, 0.05, 0.1]", &error), &error);
    step_frames(s.world, 1);
    const dlp_particles *p = &dlp_sph_of(s.world)->state.particles;
    for (int32_t i = 0; i < p->count; i++) assert_true(p->threshold_scale[i] >= 4);
    release_setup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thresholds_grow_with_distance_and_behind_obstacles),
        cmocka_unit_test(what_is_out_of_the_picture_has_wider_thresholds),
        cmocka_unit_test(effective_speed_is_the_derivative_of_the_kinetic_energy),
        cmocka_unit_test(jacobian_is_the_derivative_of_the_effective_speed),
        cmocka_unit_test(convex_passage_never_overshoots_and_never_falls),
        cmocka_unit_test(printed_passages_have_a_negative_eigenvalue),
        cmocka_unit_test(restrained_oscillator_keeps_its_energy_for_ten_thousand_periods),
        cmocka_unit_test(a_pool_falls_asleep_and_then_costs_nothing_and_holds_still),
        cmocka_unit_test(what_sleepers_know_of_their_pressure_does_not_drift),
        cmocka_unit_test(a_sleeping_pool_wakes_when_gravity_turns),
        cmocka_unit_test(a_drop_wakes_what_it_falls_on),
        cmocka_unit_test(lists_renewed_around_movers_are_those_that_would_be_built),
        cmocka_unit_test(thresholds_that_contradict_each_other_are_refused),
    };
    return cmocka_run_group_tests_name("restraint", tests, NULL, NULL);
}
