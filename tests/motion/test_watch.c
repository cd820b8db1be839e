/* A world that gains energy out of nothing, or is pressed far beyond its density, says so; one that only
 * moves does not. */
#include "scenes.h"

#include <stdlib.h>

// A column of water that falls over in a tank.
#define COLUMN(extra)                                                                                        \
    "dimension: 2\n"                                                                                         \
    "frames: {rate: 25, count: 10}\n"                                                                        \
    "substances:\n"                                                                                          \
    "  water:\n"                                                                                             \
    "    material: water\n"                                                                                  \
    "    particle: {spacing: 0.02}\n"                                                                        \
    "    shape: {box: {min: [0, 0], max: [0.4, 0.4]}}\n"                                                     \
    "obstacles:\n"                                                                                           \
    "  - {box: {min: [0, 0], max: [1, 0.8], inside: true}}\n" extra

// The stable step is about 1 ms; with 20 ms the water had 140 times the energy of its fall in the first
// frame.
static void a_fixed_step_that_is_too_long_ends_the_run(void **state)
{
    (void)state;
    need_yaml();
    setup s = make_setup(COLUMN("time: {step: 0.02}\n"));
    dlp_error error;
    dlp_status status = DLP_OK;
    for (int frame = 0; frame < 10 && status == DLP_OK; frame++)
        status = dlp_world_step_frame(s.world, &error);
    assert_int_equal(status, DLP_DIVERGED);
    assert_non_null(strstr(error.message, "frame 1: the kinetic energy is "));
    assert_non_null(strstr(error.message, "lower the fixed `time.step`"));
    release_setup(&s);
}

// With the step that is found the same column passes, and with a fixed one that is stable.
static void a_column_that_falls_over_is_no_alarm(void **state)
{
    (void)state;
    need_yaml();
    setup found = make_setup(COLUMN("")), fixed = make_setup(COLUMN("time: {step: 0.0005}\n"));
    step_frames(found.world, 10);
    step_frames(fixed.world, 10);
    release_setup(&found);
    release_setup(&fixed);
}

// rho0 g H / (rho0 k) = 9.81 * 0.4 / 0.5: the column's own weight presses it to a multiple of its density.
static void a_liquid_far_too_soft_for_its_weight_ends_the_run(void **state)
{
    (void)state;
    need_yaml();
    setup s = make_setup("dimension: 2\n"
                         "frames: {rate: 25, count: 50}\n"
                         "substances:\n"
                         "  water:\n"
                         "    particle: {spacing: 0.02}\n"
                         "    stiffness: 0.5\n"
                         "    viscosity: 5\n"
                         "    state: linear\n"
                         "    shape: {box: {min: [0, 0], max: [0.4, 0.4]}}\n"
                         "obstacles:\n"
                         "  - {box: {min: [0, 0], max: [0.4, 0.8], inside: true}}\n");
    dlp_error error;
    dlp_status status = DLP_OK;
    for (int frame = 0; frame < 50 && status == DLP_OK; frame++)
        status = dlp_world_step_frame(s.world, &error);
    assert_int_equal(status, DLP_DIVERGED);
    assert_non_null(strstr(error.message, "above that at rest in the mean; at most 50 % is a liquid"));
    assert_non_null(strstr(error.message, "raise `stiffness`"));
    release_setup(&s);
}

// A gas does work at one temperature: into empty space its particles reach the speed of sound and more.
static void a_gas_that_expands_is_no_alarm(void **state)
{
    (void)state;
    need_yaml();
    setup s = make_setup("frames: {rate: 25, count: 50}\n"
                         "gravity: [0, 0, 0]\n"
                         "substances:\n"
                         "  gas:\n"
                         "    state: ideal\n"
                         "    particle: {spacing: 0.04}\n"
                         "    shape: {box: {min: [0, 0, 0], max: [0.2, 0.16, 0.24]}}\n");
    step_frames(s.world, 50);
    assert_true(stats_of(s.world).kinetic_energy > 0.01);
    release_setup(&s);
}

// What a host throws has the energy that the host gave it: 50 m/s is far more than the fall.
static void what_a_host_puts_in_is_no_alarm(void **state)
{
    (void)state;
    need_yaml();
    setup s = make_setup("frames: {rate: 400, count: 10}\n"
                         "substances:\n"
                         "  water:\n"
                         "    material: water\n"
                         "    particle: {spacing: 0.05}\n"
                         "    shape: {box: {min: [0, 0, 0], max: [0.3, 0.3, 0.3]}}\n");
    step_frames(s.world, 1);
    const int32_t count = dlp_world_particle_count(s.world);
    float *velocity = calloc((size_t)count, 3 * sizeof *velocity);
    assert_non_null(velocity);
    for (int32_t i = 0; i < count; i++) velocity[3 * i] = 50;
    dlp_error error;
    expect_ok(dlp_world_write(s.world, DLP_FIELD_VELOCITY, 0, count, velocity, &error), &error);
    free(velocity);
    step_frames(s.world, 3);
    release_setup(&s);
}

// 0.04 s at 1e-9 of the stable step of about 1 ms.
static void a_run_of_too_many_steps_is_refused_before_it_starts(void **state)
{
    (void)state;
    need_yaml();
    static const char text[] = COLUMN("time: {courant: 1e-9}\n");
    dlp_error error;
    dlp_scene *scene;
    dlp_world *world;
    expect_ok(dlp_scene_read_text(text, strlen(text), "a.yaml", NULL, &scene, &error), &error);
    assert_int_equal(dlp_world_create(scene, NULL, &world, &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "time: to advance by 0.04 s would take "));
    assert_non_null(strstr(error.message, "at most 1e+07 steps are allowed"));
    dlp_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fixed_step_that_is_too_long_ends_the_run),
        cmocka_unit_test(a_column_that_falls_over_is_no_alarm),
        cmocka_unit_test(a_liquid_far_too_soft_for_its_weight_ends_the_run),
        cmocka_unit_test(a_gas_that_expands_is_no_alarm),
        cmocka_unit_test(what_a_host_puts_in_is_no_alarm),
        cmocka_unit_test(a_run_of_too_many_steps_is_refused_before_it_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
