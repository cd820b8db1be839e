/* Solids that are cut and break: how many pieces, their mass, and no force between them. */
#include "solids.h"

static void a_blade_makes_two_pieces_that_do_not_pull_each_other(void **state)
{
    (void)state;
    solid_setup s = make_box(dlp_vec(0.4, 0.1, 0.1), 0.02);
    s.scene.gravity = dlp_vec(0, 0, 0);
    s.substance.solid.youngs_modulus = 1e5;
    double times[2] = {0, 0.1}, values[6] = {0, 0, 0, 0, 0, -0.5};
    dlp_track track = {.components = 3, .key_count = 2, .times = times, .values = values};
    dlp_blade_def blade = {.from = dlp_vec(0.2, -0.2, 0.3), .to = dlp_vec(0.2, 0.3, 0.3), .stop = 1e30};
    blade.position_track = &track;
    s.scene.blades = &blade;
    s.scene.blade_count = 1;
    open_solid(&s);
    double mass = 0, left_mass = 0;
    settle(&s, 0.2);
    assert_int_equal(s.solid->topology.fragment_count, 2);
    for (int32_t i = 0; i < s.solid->state.particles.count; i++) {
        const bool is_left = s.solid->state.particles.x0[3 * i] < 0.2;
        mass += s.solid->state.particles.mass[i];
        left_mass += is_left ? s.solid->state.particles.mass[i] : 0;
        assert_int_equal(s.solid->topology.fragment[i] == s.solid->topology.fragment[0],
                         is_left == (s.solid->state.particles.x0[0] < 0.2));
        for (int32_t n = s.solid->topology.link_begin[i]; n < s.solid->topology.link_begin[i + 1]; n++) {
            const int32_t j = s.solid->state.neighbour[n];
            if (j >= 0) assert_true(s.solid->topology.fragment[j] == s.solid->topology.fragment[i]);
        }
    }
    assert_near(mass, 4, 1e-9);
    assert_near(left_mass, 2, 1e-9);
    // one half is kicked away: the other stays where it is
    dlp_vec3 before = dlp_vec(0, 0, 0), after = before;
    for (int32_t i = 0; i < s.solid->state.particles.count; i++) {
        const bool is_left = s.solid->state.particles.x0[3 * i] < 0.2;
        if (is_left) before = dlp_add(before, place_of(&s, i));
        if (!is_left)
            s.solid->state.particles.velocity[3 * i] = s.solid->state.particles.last_velocity[3 * i] = 1;
        if (!is_left) s.solid->state.particles.step_displacement[3 * i] = s.solid->state.last_step;
    }
    settle(&s, 0.3);
    for (int32_t i = 0; i < s.solid->state.particles.count; i++)
        if (s.solid->state.particles.x0[3 * i] < 0.2) after = dlp_add(after, place_of(&s, i));
    assert_near(dlp_length(dlp_sub(after, before)) / 250, 0, 2e-4);
    close_solid(&s);
}

// The blade is slower than the body is wide, aslant to its lattice, and the body moves and turns meanwhile.
static void a_body_that_moves_is_cut_in_two_as_well(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        solid_setup s = make_box(dlp_vec(0.3, 0.1, 0.1), 0.0125);
        s.scene.gravity = dlp_vec(0, 0, 0);
        s.substance.solid.youngs_modulus = 1e4;
        s.substance.velocity = dlp_vec(0.1 * k, 0, 0.05 * k);
        s.substance.spin = dlp_vec(0, 0.5 * k, 0.2);
        s.substance.spin_center = dlp_vec(0.15, 0.05, 0.05);
        double times[2] = {0, 0.2}, values[6] = {0, 0, 0, -0.2 + 0.08 * k, 0, -0.4};
        dlp_track track = {.components = 3, .key_count = 2, .times = times, .values = values};
        dlp_blade_def blade = {.from = dlp_vec(0.15, -0.2, 0.2), .to = dlp_vec(0.15, 0.3, 0.2), .stop = 1e30};
        blade.position_track = &track;
        s.scene.blades = &blade;
        s.scene.blade_count = 1;
        open_solid(&s);
        settle(&s, 0.25);
        assert_int_equal(s.solid->topology.fragment_count, 2);
        double mass = 0;
        for (int32_t i = 0; i < s.solid->state.particles.count; i++) mass += s.solid->state.particles.mass[i];
        assert_near(mass, 3, 1e-9);
        close_solid(&s);
    }
}

static void a_bar_that_is_pulled_too_far_breaks(void **state)
{
    (void)state;
    for (int is_brittle = 0; is_brittle < 2; is_brittle++) {
        solid_setup s = make_box(dlp_vec(0.3, 0.06, 0.06), 0.02);
        s.scene.gravity = dlp_vec(0, 0, 0);
        s.substance.solid.youngs_modulus = 1e5;
        s.substance.solid.fracture = is_brittle ? 0.15 : 0;
        double times[2] = {0, 0.5}, values[6] = {0, 0, 0, 0.1, 0, 0};
        dlp_track track = {.components = 3, .key_count = 2, .times = times, .values = values};
        hold_box(&s, dlp_vec(-1, -1, -1), dlp_vec(0.02, 1, 1));
        hold_box(&s, dlp_vec(0.28, -1, -1), dlp_vec(1, 1, 1))->position_track = &track;
        open_solid(&s);
        settle(&s, 0.6);
        if (is_brittle) assert_true(s.solid->topology.fragment_count >= 2);
        if (!is_brittle) assert_int_equal(s.solid->topology.fragment_count, 1);
        close_solid(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_blade_makes_two_pieces_that_do_not_pull_each_other),
        cmocka_unit_test(a_body_that_moves_is_cut_in_two_as_well),
        cmocka_unit_test(a_bar_that_is_pulled_too_far_breaks),
    };
    return cmocka_run_group_tests_name("solid_cut", tests, NULL, NULL);
}
