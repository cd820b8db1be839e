/* Time: individual steps save work and gain no energy; frames and the host's own intervals end where they
 * should. */
#include "scenes.h"

// Individual steps.

// A stiff, fast ball falls into a calm, soft pool: few particles need short steps.
#define SPLASH_WITH(extra)                                                                                   \
    "dimension: 2\n"                                                                                         \
    "frames: {rate: 100, count: 20}\n"                                                                       \
    "substances:\n"                                                                                          \
    "  pool:\n"                                                                                              \
    "    material: water\n"                                                                                  \
    "    stiffness: 100\n"                                                                                   \
    "    particle: {spacing: 0.01}\n" extra "    shape: {box: {min: [0, 0], max: [0.6, 0.2]}}\n"             \
    "  ball:\n"                                                                                              \
    "    material: water\n"                                                                                  \
    "    stiffness: 10000\n"                                                                                 \
    "    particle: {spacing: 0.01}\n" extra "    shape: {sphere: {center: [0.3, 0.26], radius: 0.03}}\n"     \
    "    velocity: [0, -1]\n"                                                                                \
    "obstacles:\n"                                                                                           \
    "  - box: {min: [0, 0], max: [0.6, 1], inside: true}\n"

typedef struct cost {
    int64_t force_evaluations, substeps;
    double energy;
} cost;

static cost run_splash(const char *text)
{
    setup s = make_setup(text);
    cost sum = {0};
    for (int frame = 0; frame < 10; frame++) {
        step_frames(s.world, 1);
        const dlp_stats stats = stats_of(s.world);
        sum.force_evaluations += stats.force_evaluations;
        sum.substeps += stats.substeps;
    }
    sum.energy = energy_of(s.world);
    release_setup(&s);
    return sum;
}

static void individual_steps_need_fewer_evaluations_for_the_same_energy(void **state)
{
    (void)state;
    const cost global = run_splash(SPLASH_WITH("")),
               own = run_splash(SPLASH_WITH("    adapt: {time: true}\n"));
    print_message("force evaluations: %lld of %lld; energy %.4f and %.4f J\n",
                  (long long)own.force_evaluations, (long long)global.force_evaluations, own.energy,
                  global.energy);
    assert_true((double)own.force_evaluations < 0.5 * (double)global.force_evaluations);
    assert_near(own.energy, global.energy, 0.01 * fabs(global.energy));
}

#define IMPACT_WITH(extra)                                                                                   \
    "dimension: 2\n"                                                                                         \
    "gravity: [0, 0]\n"                                                                                      \
    "frames: {rate: 1000, count: 100}\n"                                                                     \
    "substances:\n"                                                                                          \
    "  body: {material: water, stiffness: 900, particle: {spacing: 0.01}," extra                             \
    "         shape: {sphere: {center: [0, 0], radius: 0.15}}}\n"                                            \
    "  shot: {material: water, stiffness: 900, particle: {spacing: 0.01}," extra                             \
    "         velocity: [-10, 0], shape: {sphere: {center: [0.25, 0.01], radius: 0.02}}}\n"
static const char impact_scene[] = IMPACT_WITH(" adapt: {time: true},");

static void a_fast_blob_that_hits_a_sleeping_body_gains_no_energy(void **state)
{
    (void)state;
    setup s = make_setup(impact_scene);
    const double start = energy_of(s.world);
    double most = start;
    bool has_hit = false;
    for (int frame = 0; frame < 60; frame++) {
        step_frames(s.world, 1);
        const dlp_stats stats = stats_of(s.world);
        most = fmax(most, stats.kinetic_energy + stats.potential_energy);
        has_hit = has_hit || stats.potential_energy > 0.01 * start;
    }
    assert_true(has_hit);
    assert_true(most <= 1.01 * start);
    release_setup(&s);
}

// Where a substance's centre is.
static dlp_vec3 centre_of(const dlp_world *world, int32_t which)
{
    const dlp_view x = field_of(world, DLP_FIELD_POSITION);
    const int32_t *substance = field_of(world, DLP_FIELD_SUBSTANCE).data;
    dlp_vec3 sum = {0};
    int32_t count = 0;
    for (int32_t i = 0; i < x.count; i++) {
        if (substance[i] != which) continue;
        const double *p = (const double *)x.data + 3 * i;
        sum = dlp_add(sum, dlp_vec(p[0], p[1], p[2]));
        count++;
    }
    return dlp_mul(sum, 1.0 / count);
}

// Its twin with one global step is the truth: a body that slept through the blow would be somewhere else.
static void a_sleeper_wakes_before_it_is_hit(void **state)
{
    (void)state;
    setup own = make_setup(impact_scene), global = make_setup(IMPACT_WITH(""));
    step_frames(own.world, 40);
    step_frames(global.world, 40);
    for (int32_t k = 0; k < 2; k++) {
        const dlp_vec3 a = centre_of(own.world, k), b = centre_of(global.world, k);
        assert_near(dlp_length(dlp_sub(a, b)), 0, 0.005);  // half a spacing
    }
    const dlp_stats a = stats_of(own.world), b = stats_of(global.world);
    assert_near(a.kinetic_energy / b.kinetic_energy, 1, 0.1);
    assert_near(a.momentum.x / b.momentum.x, 1, 0.01);
    release_setup(&own);
    release_setup(&global);
}

// The clock.

static const char drop_text[] = "dimension: 2\n"
                                "frames: {rate: 30, count: 100}\n"
                                "substances:\n"
                                "  oil: {material: oil, particle: {spacing: 0.02},\n"
                                "        shape: {sphere: {center: [0, 0], radius: 0.05}}}\n";

static void frames_end_exactly_on_their_time(void **state)
{
    (void)state;
    setup s = make_setup(drop_text);
    for (int frame = 1; frame <= 60; frame++) {
        step_frames(s.world, 1);
        assert_int_equal(dlp_world_frame(s.world), frame);
        // 1/30 has no exact form, so sixty additions of it would be off by some last bits
        if (dlp_world_time(s.world) != frame / 30.0)
            fail_msg("frame %d ends at %.17g s, not %.17g", frame, dlp_world_time(s.world), frame / 30.0);
    }
    release_setup(&s);
}

static void odd_intervals_stay_in_time(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup(drop_text);
    const double steps[] = {0.0123, 1e-7, 0.1, 0.033, 3.3e-5, 0.0501, 1e-3, 0.0999};
    double time = 0;
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
        expect_ok(dlp_world_advance(s.world, steps[k], &error), &error);
        time += steps[k];
        assert_near(dlp_world_time(s.world), time, 1e-14);
    }
    // the drop's centre falls as gravity says, whatever the intervals were
    const dlp_view x = field_of(s.world, DLP_FIELD_POSITION);
    double centre = 0;
    for (int32_t i = 0; i < x.count; i++) centre += ((const double *)x.data)[3 * i + 1] / x.count;
    assert_near(centre, -0.5 * 9.81 * time * time, 1e-6);
    release_setup(&s);
}

static void a_frame_after_an_odd_interval_ends_on_the_frame(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup(drop_text);
    expect_ok(dlp_world_advance(s.world, 0.01, &error), &error);
    assert_int_equal(dlp_world_frame(s.world), 0);
    step_frames(s.world, 1);
    assert_near(dlp_world_time(s.world), 1 / 30.0, 1e-15);
    assert_int_equal(dlp_world_frame(s.world), 1);
    expect_ok(dlp_world_advance(s.world, 0.1, &error), &error);  // three frames long
    assert_int_equal(dlp_world_frame(s.world), 4);
    step_frames(s.world, 1);
    assert_near(dlp_world_time(s.world), 5 / 30.0, 1e-15);
    release_setup(&s);
}

static void a_fixed_step_is_kept(void **state)
{
    (void)state;
    setup s = make_setup("dimension: 2\n"
                         "frames: {rate: 25, count: 4}\n"
                         "time: {step: 0.0005}\n"
                         "substances:\n"
                         "  oil: {material: oil, particle: {spacing: 0.02}, stiffness: 25,\n"
                         "        shape: {sphere: {center: [0, 0], radius: 0.05}}}\n");
    step_frames(s.world, 2);
    const dlp_stats stats = stats_of(s.world);
    assert_int_equal(stats.substeps, 80);  // 0.04 s in steps of 0.5 ms
    assert_near(stats.dt_max, 0.0005, 1e-9);
    assert_near(stats.dt_min, 0.0005, 1e-9);
    release_setup(&s);
}

static void a_displacement_is_over_the_frame(void **state)
{
    (void)state;
    setup s = make_setup(drop_text);
    step_frames(s.world, 3);
    const dlp_view d = field_of(s.world, DLP_FIELD_DISPLACEMENT);
    double mean = 0;
    for (int32_t i = 0; i < d.count; i++) mean += (double)((const float *)d.data)[3 * i + 1] / d.count;
    assert_near(mean, -0.5 * 9.81 * (0.1 * 0.1 - 4.0 / 900), 1e-5);
    release_setup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(individual_steps_need_fewer_evaluations_for_the_same_energy),
        cmocka_unit_test(a_fast_blob_that_hits_a_sleeping_body_gains_no_energy),
        cmocka_unit_test(a_sleeper_wakes_before_it_is_hit),
        cmocka_unit_test(frames_end_exactly_on_their_time),
        cmocka_unit_test(odd_intervals_stay_in_time),
        cmocka_unit_test(a_frame_after_an_odd_interval_ends_on_the_frame),
        cmocka_unit_test(a_fixed_step_is_kept),
        cmocka_unit_test(a_displacement_is_over_the_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
