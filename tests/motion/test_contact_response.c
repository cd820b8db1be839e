/* The answer of a body to what touches it, against Coulomb's and Newton's laws of impact. */
#include "truth.h"
#include "motion/contact_response.h"

static dlp_contact_response respond(double friction, double restitution, dlp_vec3 u, double slowest_bounce)
{
    const dlp_obstacle_def def = {.friction = friction, .restitution = restitution};
    const dlp_impact impact = {
        .velocity = u, .normal = dlp_vec(0, 0, 1), .approach = -u.z, .slowest_bounce = slowest_bounce};
    return dlp_contact_respond(&def, &impact);
}

static void restitution_returns_its_share_of_the_approach(void **state)
{
    (void)state;
    const dlp_contact_response r = respond(0, 0.6, dlp_vec(3, -1, -2), 0);
    assert_near(r.velocity.z, 1.2, 1e-15);
    assert_near(r.velocity.x, 3, 1e-15);  // without friction nothing along the surface changes
    assert_near(r.velocity.y, -1, 1e-15);
    assert_near(r.change.z, 3.2, 1e-15);
}

static void friction_takes_at_most_its_share_of_the_impulse(void **state)
{
    (void)state;
    const dlp_contact_response r = respond(0.5, 0, dlp_vec(3, 4, -2), 0);  // slides at 5, loses 0.5 * 2
    assert_near(r.velocity.x, 3 * 4.0 / 5, 1e-15);
    assert_near(r.velocity.y, 4 * 4.0 / 5, 1e-15);
    assert_near(r.velocity.z, 0, 1e-15);
    assert_false(r.sticks);
    const dlp_contact_response e = respond(0.5, 1, dlp_vec(3, 4, -2), 0);  // twice the impulse, twice that
    assert_near(e.velocity.x, 3 * 3.0 / 5, 1e-15);
}

static void a_slow_slide_sticks(void **state)
{
    (void)state;
    const dlp_contact_response r = respond(0.5, 0, dlp_vec(0.6, 0.8, -2), 0);  // 1 m/s, 1 m/s can be taken
    assert_true(r.sticks);
    assert_near(r.velocity.x, 0, 1e-15);
    assert_near(r.velocity.y, 0, 1e-15);
}

static void what_is_slow_does_not_bounce(void **state)
{
    (void)state;
    assert_near(respond(0, 0.9, dlp_vec(0, 0, -1), 1).velocity.z, 0, 0);
    assert_near(respond(0, 0.9, dlp_vec(0, 0, -1), 0.99).velocity.z, 0.9, 1e-15);
}

static void what_parts_is_left_alone(void **state)
{
    (void)state;
    const dlp_contact_response r = respond(1, 1, dlp_vec(1, 2, 0.1), 0);
    assert_true(r.normal_change == 0 && r.velocity.x == 1 && r.velocity.y == 2 && r.velocity.z == 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restitution_returns_its_share_of_the_approach),
        cmocka_unit_test(friction_takes_at_most_its_share_of_the_impulse),
        cmocka_unit_test(a_slow_slide_sticks),
        cmocka_unit_test(what_is_slow_does_not_bounce),
        cmocka_unit_test(what_parts_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
