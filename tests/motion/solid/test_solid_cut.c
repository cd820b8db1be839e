/* Solids that are cut and break: how many pieces, their mass, and no force between them. */
#include "solids.h"
#include "base/random.h"

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

// Links of one in `share` pairs are cut, at both ends.
static void cut_at_random(dlp_solid *solid, double share)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    for (int32_t i = 0; i < solid->state.particles.count; i++)
        for (int32_t n = links.begin[i]; n < links.begin[i + 1]; n++) {
            const int32_t j = links.first[n], low = i < j ? i : j, high = i < j ? j : i;
            if (dlp_random((uint64_t)low, (uint64_t)high, 1) < share) links.neighbour[n] = -1;
        }
}

// The first particle of each fragment, and what is linked to it, by hand.
static int32_t flood_fill(const dlp_solid *solid, int32_t *out_fragment)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    const int32_t count = solid->state.particles.count;
    int32_t *stack = malloc((size_t)count * sizeof *stack), fragments = 0;
    for (int32_t i = 0; i < count; i++) out_fragment[i] = -1;
    for (int32_t i = 0; i < count; i++) {
        if (out_fragment[i] >= 0) continue;
        int32_t size = 0;
        stack[size++] = i;
        out_fragment[i] = fragments;
        while (size > 0) {
            const int32_t at = stack[--size];
            for (int32_t n = links.begin[at]; n < links.begin[at + 1]; n++) {
                const int32_t j = links.neighbour[n];
                if (j < 0 || out_fragment[j] >= 0) continue;
                out_fragment[j] = fragments;
                stack[size++] = j;
            }
        }
        fragments++;
    }
    free(stack);
    return fragments;
}

static void fragments_are_what_a_flood_fill_finds(void **state)
{
    (void)state;
    for (int32_t threads = 1; threads <= 4; threads += 3)
        for (int k = 0; k < 4; k++) {
            dlp_error error = {0};
            solid_setup s = make_box(dlp_vec(0.5, 0.32, 0.32), 0.02);
            open_solid_on(&s, threads, NULL);
            cut_at_random(s.solid, 0.7 + 0.1 * k);
            int32_t *expected = malloc((size_t)s.solid->state.particles.count * sizeof *expected);
            const int32_t fragments = flood_fill(s.solid, expected);
            assert_true(fragments > 10);
            assert_int_equal(dlp_solid_find_fragments(s.solid, &error), DLP_OK);
            assert_int_equal(s.solid->topology.fragment_count, fragments);
            assert_memory_equal(s.solid->topology.fragment, expected,
                                (size_t)s.solid->state.particles.count * sizeof *expected);
            free(expected);
            close_solid(&s);
        }
}

static void more_threads_break_the_same_links(void **state)
{
    (void)state;
    double *places = NULL;
    int32_t *links = NULL;
    for (int32_t threads = 1; threads <= 3; threads++) {
        solid_setup s = make_box(dlp_vec(0.2, 0.12, 0.08), 0.01);
        s.scene.gravity = dlp_vec(0, 0, 0);
        s.substance.solid.youngs_modulus = 1e5;
        s.substance.solid.fracture = 0.05;
        s.substance.spin = dlp_vec(0, 0, 90);
        s.substance.spin_center = dlp_vec(0.1, 0.06, 0.04);
        open_solid_on(&s, threads, NULL);
        settle(&s, 0.05);
        const dlp_solid_state *now = &s.solid->state;
        const size_t place_size = 3 * (size_t)now->particles.count * sizeof *places,
                     link_size = (size_t)s.solid->topology.link_count * sizeof *links;
        assert_true(s.solid->topology.fragment_count > 1);
        if (threads == 1) {
            places = malloc(place_size);
            links = malloc(link_size);
            memcpy(places, now->particles.position, place_size);
            memcpy(links, now->neighbour, link_size);
        }
        assert_memory_equal(places, now->particles.position, place_size);
        assert_memory_equal(links, now->neighbour, link_size);
        close_solid(&s);
    }
    free(places);
    free(links);
}

static void links_that_no_run_can_have_are_not_loaded(void **state)
{
    (void)state;
    dlp_error error = {0};
    solid_setup s = make_box(dlp_vec(0.2, 0.1, 0.1), 0.02);
    open_solid(&s);
    int32_t *neighbour = s.solid->state.neighbour;
    const int32_t count = s.solid->state.particles.count, right = neighbour[0];
    assert_int_equal(dlp_solid_end_load(s.solid, &error), DLP_OK);
    const int32_t wrong[] = {-2, count, 0, count - 1};  // nobody, nobody, itself, too far away
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        neighbour[0] = wrong[k];
        assert_int_equal(dlp_solid_end_load(s.solid, &error), DLP_IO);
        assert_non_null(strstr(error.message, "links end at particles that are not, or cannot be linked"));
    }
    neighbour[0] = right;
    assert_int_equal(dlp_solid_end_load(s.solid, &error), DLP_OK);
    close_solid(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_blade_makes_two_pieces_that_do_not_pull_each_other),
        cmocka_unit_test(a_body_that_moves_is_cut_in_two_as_well),
        cmocka_unit_test(a_bar_that_is_pulled_too_far_breaks),
        cmocka_unit_test(fragments_are_what_a_flood_fill_finds),
        cmocka_unit_test(more_threads_break_the_same_links),
        cmocka_unit_test(links_that_no_run_can_have_are_not_loaded),
    };
    return cmocka_run_group_tests_name("solid_cut", tests, NULL, NULL);
}
