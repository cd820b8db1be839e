/* Sub-steps that fail: they are repeated shorter, from the very state they began with; where that does not
 * help, the failure has a name, and the world is as it was before. */
#include "scenes.h"
#include "test_folder.h"

// A load on the upper half that lasts for less than a sub-step, of which there is one a frame; then it flies
// faster than any solid can, unless the sub-step is half as long. What it does to the block is beyond its
// yield. Lengths of time are sums of powers of two, so that halves of them are exact.
#define PULSE(force)                                                                                         \
    "frames: {rate: 128, count: 10}\n"                                                                       \
    "substances:\n"                                                                                          \
    "  brick:\n"                                                                                             \
    "    model: solid\n"                                                                                     \
    "    density: 1000\n"                                                                                    \
    "    particle: {spacing: 0.02}\n"                                                                        \
    "    solid: {substeps: 1}\n"                                                                             \
    "    shape: {box: {min: [0.3, 0, 0.001], max: [0.4, 0.08, 0.041]}}\n"                                    \
    "  jelly:\n"                                                                                             \
    "    model: solid\n"                                                                                     \
    "    density: 1000\n"                                                                                    \
    "    particle: {spacing: 0.02}\n"                                                                        \
    "    solid: {youngs_modulus: 50000, poisson_ratio: 0.3, substeps: 1, damping: 1,\n"                      \
    "            plasticity: {yield: 0.01, rate: 100}}\n"                                                    \
    "    shape: {box: {min: [0, 0, 0.001], max: [0.1, 0.08, 0.081]}}\n"                                      \
    "loads:\n"                                                                                               \
    "  - {substance: jelly, force: [" force ", 0, 0], start: 0.023, stop: 0.025,\n"                          \
    "     box: {min: [0, 0, 0.04], max: [0.1, 0.08, 0.09]}}\n"                                               \
    "obstacles:\n"                                                                                           \
    "  - {name: floor, box: {min: [-1, -1, -0.2], max: [1, 1, 0]}}\n"

// 0.32 kg: 1.8e5 m/s in a whole sub-step, less than 1e5 in half of one
static const char pulse_scene[] = PULSE("7.2e6");

static void a_sub_step_that_fails_is_made_in_halves(void **state)
{
    (void)state;
    dlp_error error = {0};
    for (int32_t threads = 1; threads <= 2; threads++) {
        const dlp_world_options options = {.size = sizeof options, .thread_count = threads};
        setup retried = make_setup_in(NULL, pulse_scene, &options), halved = make_setup(pulse_scene);
        step_frames(retried.world, 3);
        assert_int_equal(stats_of(retried.world).substeps, 1);
        step_frames(retried.world, 1);
        assert_int_equal(stats_of(retried.world).substeps, 2);
        assert_near(stats_of(retried.world).dt_min, 1.0 / 256, 0);
        step_frames(halved.world, 3);
        for (int k = 0; k < 2; k++) expect_ok(dlp_world_advance(halved.world, 1.0 / 256, &error), &error);
        assert_true(dlp_world_time(retried.world) == dlp_world_time(halved.world));
        assert_same_field(retried.world, halved.world, DLP_FIELD_POSITION, "halves");
        assert_same_field(retried.world, halved.world, DLP_FIELD_VELOCITY, "halves");
        assert_same_field(retried.world, halved.world, DLP_FIELD_PRESSURE, "halves");
        const dlp_body_force a = dlp_world_body_load(retried.world, 0),
                             b = dlp_world_body_load(halved.world, 0);
        assert_memory_equal(&a.force, &b.force, sizeof a.force);
        // and then goes on as long as before
        step_frames(retried.world, 1);
        assert_int_equal(stats_of(retried.world).substeps, 1);
        release_setup(&retried);
        release_setup(&halved);
    }
}

// No sub-step is so short that this could be borne.
static void what_diverges_is_named_and_the_world_stays_readable(void **state)
{
    (void)state;
    static const char *const texts[] = {PULSE("1e13"), PULSE("1e200")};
    static const char *const ends[] = {"runs away", "is not finite"};
    for (int k = 0; k < 2; k++) {
        dlp_error error = {0};
        setup s = make_setup(texts[k]), before = make_setup(texts[k]);
        step_frames(s.world, 3);
        step_frames(before.world, 3);
        assert_int_equal(dlp_world_step_frame(s.world, &error), DLP_DIVERGED);
        int frame, particle, used = 0;
        double time;
        const char form[] = "frame %d: time %lg s: jelly: velocity of particle %d %n";
        assert_int_equal(sscanf(error.message, form, &frame, &time, &particle, &used), 3);
        assert_int_equal(frame, 4);
        assert_near(time, 3.0 / 128, 1e-6);
        assert_true(strncmp(error.message + used, ends[k], strlen(ends[k])) == 0);
        assert_non_null(strstr(error.message, "; raise `solid.substeps`, or look at what pushes it"));
        // one of the jelly's, and all as it was
        const dlp_view ids = field_of(s.world, DLP_FIELD_ID);
        const int32_t *substances = field_of(s.world, DLP_FIELD_SUBSTANCE).data;
        for (int32_t i = 0; i < ids.count; i++)
            assert_true(((const int64_t *)ids.data)[i] != particle || substances[i] == 1);
        assert_true(particle >= 0 && particle < ids.count);
        assert_same_field(s.world, before.world, DLP_FIELD_POSITION, "diverged");
        assert_same_field(s.world, before.world, DLP_FIELD_VELOCITY, "diverged");
        assert_true(isfinite(stats_of(s.world).kinetic_energy));
        assert_true(dlp_world_time(s.world) == dlp_world_time(before.world));
        release_setup(&s);
        release_setup(&before);
    }
}

static bool stop_after(const dlp_progress *progress, void *user)
{
    const int64_t *after = user;
    return progress->step_count < *after;
}

// The fourth frame is stopped after the first of its halves.
static void a_world_saved_between_the_halves_goes_on(void **state)
{
    (void)state;
    need_checkpoints();
    dlp_error error = {0};
    int64_t after = 4;
    const dlp_world_options options = {
        .size = sizeof options, .thread_count = 1, .progress = stop_after, .user = &after};
    setup straight = make_setup(pulse_scene), broken = make_setup_in(NULL, pulse_scene, &options),
          loaded = make_setup(pulse_scene);
    step_frames(straight.world, 4);
    step_frames(broken.world, 3);
    assert_int_equal(dlp_world_step_frame(broken.world, &error), DLP_INTERRUPTED);
    assert_near(dlp_world_time(broken.world), 3.5 / 128, 1e-12);
    expect_ok(dlp_world_save(broken.world, in_folder("halves.h5"), &error), &error);
    expect_ok(dlp_world_load(loaded.world, in_folder("halves.h5"), &error), &error);
    step_frames(loaded.world, 1);
    assert_same_world(straight.world, loaded.world, "between the halves");
    release_setup(&straight);
    release_setup(&broken);
    release_setup(&loaded);
}

// Far too few sub-steps for what is that stiff.
static void a_body_that_blows_up_stays_readable(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup("frames: {rate: 100, count: 30}\n"
                         "substances:\n"
                         "  steel:\n"
                         "    model: solid\n"
                         "    density: 1000\n"
                         "    particle: {spacing: 0.02}\n"
                         "    velocity: [1, 0, -20]\n"
                         "    solid: {substeps: 1, iterations: 1, youngs_modulus: 1e12}\n"
                         "    shape: {box: {min: [0, 0, 0.01], max: [0.1, 0.08, 0.06]}}\n"
                         "obstacles:\n"
                         "  - {box: {min: [-1, -1, -10], max: [1, 1, 0]}}\n");
    dlp_status status = DLP_OK;
    for (int k = 0; k < 30 && status == DLP_OK; k++) status = dlp_world_step_frame(s.world, &error);
    assert_int_equal(status, DLP_DIVERGED);
    assert_non_null(strstr(error.message, "the kinetic energy is "));
    const dlp_view x = field_of(s.world, DLP_FIELD_POSITION);
    const float *v = velocities_of(s.world);
    for (int32_t i = 0; i < 3 * x.count; i++)
        assert_true(isfinite(((const double *)x.data)[i]) && isfinite(v[i]));
    release_setup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sub_step_that_fails_is_made_in_halves),
        cmocka_unit_test(a_world_saved_between_the_halves_goes_on),
        cmocka_unit_test(what_diverges_is_named_and_the_world_stays_readable),
        cmocka_unit_test(a_body_that_blows_up_stays_readable),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
