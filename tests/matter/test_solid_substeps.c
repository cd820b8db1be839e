/* How finely solids are stepped. */
#include "matter/solid_substeps.h"

#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>

#include <cmocka.h>

static const double FRAME = 1.0 / 25;

// Waves run at 30 m/s through particles 0.05 m apart.
static dlp_substance_def slow_body(void)
{
    return (dlp_substance_def){.density = 1000,
                               .particle_radius = 0.05 * cbrt(3 / (4 * DLP_PI)),
                               .solid = {.youngs_modulus = 900e3, .iterations = 1}};
}

static void assert_speed(const dlp_substance_def *body, double speed)
{
    assert_true(fabs(dlp_solid_wave_speed(body) - speed) < 1e-12 * speed);
}

static void a_wave_runs_at_the_root_of_modulus_over_density(void **state)
{
    (void)state;
    dlp_substance_def body = slow_body();
    assert_speed(&body, 30);
    body.solid.poisson_ratio = 0.25;  // lambda = mu = 0.4 E
    assert_speed(&body, 30 * sqrt(1.2));
    body.solid.poisson_ratio = 0;
    dlp_fiber_def fibers[] = {
        {dlp_vec(2, 0, 0), 700e3}, {dlp_vec(0, 3, 0), 400e3}, {dlp_vec(-1, 0, 0), 900e3}};
    body.solid.fibers = fibers;
    body.solid.fiber_count = 2;  // across one another: the stiffer one counts
    assert_speed(&body, 40);
    body.solid.fiber_count = 3;  // along one another: both
    assert_speed(&body, 50);
}

static void a_wave_passes_a_part_of_a_spacing_in_a_sub_step(void **state)
{
    (void)state;
    dlp_substance_def body = slow_body();
    assert_int_equal(dlp_solid_substep_count(&body, 25, FRAME), 60);  // 1.2 m in steps of 0.02 m
    body.solid.iterations = 2;
    assert_int_equal(dlp_solid_substep_count(&body, 25, FRAME), 35);  // 0.035 m: 34.3 of them
    body.solid.iterations = 0;
    assert_int_equal(dlp_solid_iteration_count(&body.solid), 2);
    assert_int_equal(dlp_solid_substep_count(&body, 25, FRAME), 35);
    body.solid.youngs_modulus = 1e-9;
    assert_int_equal(dlp_solid_substep_count(&body, 25, FRAME), 1);
    body.solid.youngs_modulus = 1e300;
    assert_int_equal(dlp_solid_substep_count(&body, 25, FRAME), 1000000000);
}

static void given_sub_steps_are_of_a_frame(void **state)
{
    (void)state;
    dlp_substance_def body = slow_body();
    body.solid.substeps = 7;
    assert_int_equal(dlp_solid_substep_count(&body, 25, FRAME), 7);
    assert_int_equal(dlp_solid_substep_count(&body, 25, FRAME / 2), 4);
    assert_int_equal(dlp_solid_substep_count(&body, 25, 2 * FRAME), 14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wave_runs_at_the_root_of_modulus_over_density),
        cmocka_unit_test(a_wave_passes_a_part_of_a_spacing_in_a_sub_step),
        cmocka_unit_test(given_sub_steps_are_of_a_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
