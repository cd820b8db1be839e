/* Cloth and the world with the real solver: friction, impacts, wind, tears, and that all of it is the same
 * for any number of threads and after a load. */
#include "cloth_scenes.h"
#include "motion/cloth/cloth_tear.h"

#define G 9.81

static dlp_shape_def floor_at(double z)
{
    return (dlp_shape_def){.kind = DLP_SHAPE_BOX, .min = {-50, -50, z - 1}, .max = {50, 50, z}};
}
static dlp_shape_def ball_at(dlp_vec3 center, double radius)
{
    return (dlp_shape_def){.kind = DLP_SHAPE_SPHERE, .center = center, .radius = radius};
}

static void run(contact_scene *st, int32_t frames)
{
    for (int32_t k = 0; k < frames; k++) advance_cloth(&st->s, 1.0 / 60);
}

static double mean_speed_x(const contact_scene *st)
{
    double sum = 0;
    for (int32_t i = 0; i < st->s.cloth->state.particles.count; i++)
        sum += st->s.cloth->state.particles.velocity[3 * i];
    return sum / st->s.cloth->state.particles.count;
}

// Obstacles.

static contact_scene *lay_on_slope(double degrees, double friction)
{
    contact_scene *st = make_contact_scene(0.2, 0.04);
    const double a = degrees * DLP_PI / 180;
    st->s.substance.shape.center = dlp_vec(0, 0, 2.5e-3);  // where contact begins
    st->s.substance.cloth.damping = 0;
    st->s.scene.gravity = dlp_vec(G * sin(a), 0, -G * cos(a));
    add_scene_obstacle(st, floor_at(0), friction);
    open_contact_scene(st, 1);
    return st;
}

static void a_sheet_stays_below_the_angle_of_friction(void **state)
{
    (void)state;
    contact_scene *st = lay_on_slope(26, 0.5);  // atan 0.5 is 26.57 degrees
    run(st, 20);
    const dlp_vec3 before = place_of(&st->s, 7);
    run(st, 60);
    assert_near(dlp_length(dlp_sub(place_of(&st->s, 7), before)), 0, 1e-6);
    close_contact_scene(st);
}

static void a_sheet_slides_above_it_as_coulomb_says(void **state)
{
    (void)state;
    contact_scene *st = lay_on_slope(32, 0.5);
    const double a = 32 * DLP_PI / 180, truth = G * (sin(a) - 0.5 * cos(a));
    run(st, 20);
    const double before = mean_speed_x(st);
    run(st, 60);
    assert_near((mean_speed_x(st) - before) / truth, 1, 1e-3);
    close_contact_scene(st);
}

static contact_scene *drape(bool is_restrained)
{
    contact_scene *st = make_contact_scene(0.5, 0.025);
    st->s.substance.shape.center = dlp_vec(0.02, 0.01, 0.23);
    st->s.substance.adapt_restraint = is_restrained;
    add_scene_obstacle(st, ball_at(dlp_vec(0, 0, 0.1), 0.12), 0.4);
    add_scene_obstacle(st, floor_at(-0.1), 0.4);
    open_contact_scene(st, 1);
    return st;
}

// It never enters the ball, never crosses itself, never gains energy, and comes to rest.
static void a_sheet_draped_on_a_ball_comes_to_rest(void **state)
{
    (void)state;
    contact_scene *st = drape(false);
    double energy = scene_energy(st);
    for (int k = 0; k < 24; k++) {
        run(st, 10);
        assert_true(scene_depth(st, 0) < -4e-4);  // half the thickness stays between
        assert_int_equal(scene_intersections(st), 0);
        assert_true(scene_energy(st) < energy + 1e-4 * fabs(energy));
        energy = scene_energy(st);
    }
    assert_true(fastest_of(&st->s) < 0.02);
    close_contact_scene(st);
}

// Two rows of its particles start on faces of a tank, as near as rounding leaves them, and others in the
// walls.
static void a_sheet_that_starts_through_a_wall_goes_on(void **state)
{
    (void)state;
    contact_scene *st = make_contact_scene(0.6, 0.05);
    st->s.substance.shape.center = dlp_vec(0, 0, 0.5);
    const dlp_shape_def tank = {
        .kind = DLP_SHAPE_BOX, .min = dlp_vec(-0.2, -0.2, 0), .max = dlp_vec(0.2, 0.2, 0.8), .inside = true};
    add_scene_obstacle(st, tank, 0.4);
    open_contact_scene(st, 1);
    run(st, 2);
    for (int32_t i = 0; i < st->s.cloth->state.particles.count; i++)
        assert_true(dlp_is_finite3(place_of(&st->s, i)));
    close_contact_scene(st);
}

static void a_draped_sheet_is_restrained_where_it_lies(void **state)
{
    (void)state;
    contact_scene *st = drape(true);
    run(st, 150);
    int32_t most = 0;
    const double before = scene_energy(st);
    for (int k = 0; k < 30; k++) {
        run(st, 1);
        int32_t at_rest = 0;
        for (int32_t i = 0; i < st->s.cloth->state.particles.count; i++)
            at_rest += st->s.cloth->contact.state.at_rest[i];
        most = at_rest > most ? at_rest : most;
    }
    assert_true(most > 50);
    assert_near(scene_energy(st), before, 1e-4 * fabs(before));
    close_contact_scene(st);
}

// Itself.

static void a_cloth_that_falls_on_its_edge_folds_without_crossing_itself(void **state)
{
    (void)state;
    contact_scene *st = make_contact_scene(0.4, 0.02);
    st->s.substance.shape.axis = dlp_vec(0.3, 1, 0.1);
    st->s.substance.shape.center = dlp_vec(0, 0, 0.24);
    add_scene_obstacle(st, floor_at(0), 0.4);
    open_contact_scene(st, 1);
    double energy = scene_energy(st);
    for (int k = 0; k < 12; k++) {
        run(st, 10);
        assert_int_equal(scene_intersections(st), 0);
        assert_true(scene_energy(st) < energy + 1e-3 * fabs(energy));
        energy = scene_energy(st);
    }
    assert_true(st->s.cloth->contact.scratch.springs.count > 50);  // it did touch itself
    assert_true(fastest_of(&st->s) < 0.3);
    close_contact_scene(st);
}

// Three sheets on a floor come to rest a thickness apart, are restrained, and nothing moves any more.
static void a_stack_of_sheets_comes_to_rest(void **state)
{
    (void)state;
    contact_scene *st = make_contact_scene(0.15, 0.03);
    st->s.substance.shape.center = dlp_vec(0, 0, 4e-3);
    st->s.substance.shape.copies[2] = 3;
    st->s.substance.shape.spacing = dlp_vec(0, 0, 5e-3);
    st->s.substance.adapt_restraint = true;
    add_scene_obstacle(st, floor_at(0), 0.5);
    open_contact_scene(st, 1);
    run(st, 120);
    const dlp_cloth_particles *p = &st->s.cloth->state.particles;
    const int32_t sheet = p->count / 3;
    for (int k = 0; k < 2; k++) {
        const double apart = place_of(&st->s, (k + 1) * sheet + 14).z - place_of(&st->s, k * sheet + 14).z;
        assert_near(apart, 1e-3, 1.5e-4);  // two sheets press a contact spring by 2 g h^2 / 50
    }
    const dlp_vec3 before = place_of(&st->s, p->count - 1);
    int32_t still = 0;
    for (int k = 0; k < 60; k++) {
        int32_t restrained = 0;
        run(st, 1);
        for (int32_t i = 0; i < p->count; i++) restrained += p->state[i] == 2;
        still += restrained == p->count;
    }
    assert_true(still > 30);
    assert_near(dlp_length(dlp_sub(place_of(&st->s, p->count - 1), before)), 0,
                5e-5);  // a 20th of the thickness
    assert_int_equal(scene_intersections(st), 0);
    close_contact_scene(st);
}

// Two sheets of one substance, thrown at each other without gravity.
static contact_scene *crash(int32_t threads)
{
    contact_scene *st = make_contact_scene(0.2, 0.02);
    st->s.substance.shape.copies[2] = 2;
    st->s.substance.shape.spacing = dlp_vec(0, 0, 0.03);
    st->s.substance.cloth.damping = 0;
    st->s.scene.gravity = dlp_vec(0, 0, 0);
    open_contact_scene(st, threads);
    dlp_cloth_particles *p = &st->s.cloth->state.particles;
    for (int32_t i = 0; i < p->count; i++) {
        const dlp_vec3 x = place_of(&st->s, i), spin = dlp_cross(dlp_vec(3, 1, 2), x);
        const bool is_upper = i >= p->count / 2;
        dlp_cloth_set(p->velocity, i, is_upper ? dlp_vec(0.3, 0, -3) : dlp_add(spin, dlp_vec(0, 0.2, 1)));
    }
    return st;
}

static dlp_vec3 momentum_of(const contact_scene *st)
{
    dlp_stats stats = {.size = sizeof stats};
    dlp_cloth_measure(st->s.cloth, &stats);
    return stats.momentum;
}

static void sheets_that_crash_keep_their_momentum(void **state)
{
    (void)state;
    contact_scene *st = crash(1);
    st->s.cloth->params.solve_tolerance = 1e-12;
    const dlp_vec3 before = momentum_of(st);
    const double energy = scene_energy(st);
    run(st, 12);
    const dlp_vec3 after = momentum_of(st);
    assert_near(dlp_length(dlp_sub(after, before)), 0, 1e-9 * dlp_length(before));
    assert_true(scene_energy(st) < energy);
    assert_int_equal(scene_intersections(st), 0);
    close_contact_scene(st);
}

static void contacts_are_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    double *truth = NULL;
    for (int32_t threads = 1; threads <= 4; threads += 3) {
        contact_scene *st = crash(threads);
        run(st, 8);
        const size_t count = 3 * (size_t)st->s.cloth->state.particles.count;
        if (truth == NULL) {
            truth = dlp_alloc(count, sizeof *truth, "test");
            memcpy(truth, st->s.cloth->state.particles.position, count * sizeof *truth);
        }
        assert_memory_equal(truth, st->s.cloth->state.particles.position, count * sizeof *truth);
        close_contact_scene(st);
    }
    dlp_free(truth);
}

// Air.

static void a_falling_sheet_reaches_its_terminal_speed(void **state)
{
    (void)state;
    contact_scene *st = make_contact_scene(0.2, 0.04);
    st->s.substance.cloth.drag = 1.28;
    st->s.substance.cloth.damping = 0;
    st->s.scene.air_density = 1.2;
    open_contact_scene(st, 1);
    run(st, 300);
    const double truth = sqrt(2 * 0.15 * G / (1.2 * 1.28));
    assert_near(fastest_of(&st->s) / truth, 1, 1e-4);
    close_contact_scene(st);
}

// 30 m/s against silk that hangs from two corners, in steps of 1/60 s.
static void a_storm_does_not_blow_silk_up(void **state)
{
    (void)state;
    for (int is_restrained = 0; is_restrained < 2; is_restrained++) {
        contact_scene *st = make_contact_scene(0.3, 0.03);
        st->s.substance.cloth.weight = 0.06;
        st->s.substance.cloth.drag = 1.28;
        st->s.substance.adapt_restraint = is_restrained != 0;
        st->s.scene.air_density = 1.2;
        st->s.scene.wind = dlp_vec(1, 2, 30);
        attach(&st->s, dlp_vec(-0.15, 0.15, 0), 0.01);
        attach(&st->s, dlp_vec(0.15, 0.15, 0), 0.01);
        open_contact_scene(st, 1);
        for (int k = 0; k < 60; k++) {
            run(st, 1);
            assert_true(fastest_of(&st->s) < 60);
        }
        close_contact_scene(st);
    }
}

// A cloth that hangs at rest, restrained, is woken by wind.
static void wind_wakes_what_is_restrained(void **state)
{
    (void)state;
    contact_scene *st = make_contact_scene(0.3, 0.03);
    st->s.substance.shape.axis = dlp_vec(0, 1, 0);
    st->s.substance.cloth.drag = 1.28;
    st->s.substance.cloth.damping = 4;
    st->s.substance.adapt_restraint = true;
    st->s.scene.air_density = 1.2;
    attach(&st->s, dlp_vec(-0.15, 0, 0.15), 0.01);
    attach(&st->s, dlp_vec(0.15, 0, 0.15), 0.01);
    open_contact_scene(st, 1);
    run(st, 120);
    const double before = st->s.cloth->state.particles.position[3 * 5 + 1];
    st->s.scene.wind = dlp_vec(0, 5, 0);
    run(st, 30);
    double farthest = 0;
    for (int32_t i = 0; i < st->s.cloth->state.particles.count; i++)
        farthest = fmax(farthest, place_of(&st->s, i).y);
    assert_near(before, 0, 0.02);
    assert_true(farthest > 0.05);
    close_contact_scene(st);
}

// Tears.

// A strip along x (0) or y (1), held at both ends; the far end goes `displacement` in a second.
static contact_scene *pull_strip_along(int axis, double displacement, double tear)
{
    contact_scene *st = make_contact_scene(0.3, 0.03);
    st->s.substance.shape.size.y = 0.12;
    st->s.substance.shape.rotate = dlp_vec(0, 0, 90 * axis);
    st->s.substance.cloth.tear = tear;
    st->s.substance.cloth.stretch_warp = st->s.substance.cloth.stretch_weft = 200;
    st->s.scene.gravity = dlp_vec(0, 0, 0);
    for (int k = 0; k < 2; k++) {
        dlp_attachment_def *a = attach(&st->s, dlp_vec(0, 0, 0), 0.01);
        a->shape = (dlp_shape_def){.kind = DLP_SHAPE_BOX,
                                   .min = {k == 0 ? -0.16 : 0.14, -0.1, -0.01},
                                   .max = {k == 0 ? -0.14 : 0.16, 0.1, 0.01},
                                   .rotate = {0, 0, 90 * axis}};
    }
    static double times[2] = {0, 1};
    static double values[6];
    values[3 + axis] = displacement;
    values[4 - axis] = 0;
    st->s.tracks[1] = (dlp_track){.components = 3, .key_count = 2, .times = times, .values = values};
    st->s.attachments[1].position_track = &st->s.tracks[1];
    open_contact_scene(st, 1);
    return st;
}

static contact_scene *pull_strip(double displacement, double tear)
{
    return pull_strip_along(0, displacement, tear);
}

static int32_t pieces_of(const contact_scene *st)
{
    int32_t count, *piece = dlp_alloc((size_t)st->s.cloth->state.particles.count, sizeof *piece, "test");
    dlp_cloth_find_pieces(st->s.cloth, piece, &count);
    dlp_free(piece);
    return count;
}

// m along an axis between the far end of one piece and the near end of the other; below 0 where they overlap:
// a strip tears across what pulls it.
static double gap_between_pieces(const contact_scene *st, int axis)
{
    const int32_t particle_count = st->s.cloth->state.particles.count;
    int32_t count, *piece = dlp_alloc((size_t)particle_count, sizeof *piece, "test");
    dlp_cloth_find_pieces(st->s.cloth, piece, &count);
    double least[2] = {1e30, 1e30}, most[2] = {-1e30, -1e30};
    for (int32_t i = 0; i < particle_count; i++) {
        const double x = st->s.cloth->state.particles.position[3 * i + axis];
        const int side = piece[i] == piece[0] ? 0 : 1;
        least[side] = fmin(least[side], x);
        most[side] = fmax(most[side], x);
    }
    dlp_free(piece);
    return fmax(least[1] - most[0], least[0] - most[1]);
}

static void assert_ids_are_unique(const contact_scene *st)
{
    const dlp_cloth_particles *p = &st->s.cloth->state.particles;
    for (int32_t i = 0; i < p->count; i++)
        for (int32_t j = 0; j < i; j++) assert_true(p->id[i] != p->id[j]);
}

static void below_its_limit_nothing_tears(void **state)
{
    (void)state;
    contact_scene *st = pull_strip(0.025, 0.1);  // a strain of 0.083
    const int32_t count = st->s.cloth->state.particles.count;
    run(st, 70);
    assert_int_equal(st->s.cloth->state.particles.count, count);
    assert_int_equal(pieces_of(st), 1);
    close_contact_scene(st);
}

static void beyond_it_a_strip_parts_in_two_and_keeps_its_mass(void **state)
{
    (void)state;
    contact_scene *st = pull_strip(0.12, 0.1);
    const double mass = scene_mass(st);
    run(st, 70);
    assert_int_equal(pieces_of(st), 2);
    assert_true(gap_between_pieces(st, 0) > 0.05);
    assert_near(scene_mass(st), mass, 1e-16);
    assert_true(st->s.cloth->state.particles.count > 55);
    assert_ids_are_unique(st);
    close_contact_scene(st);
}

static void a_strip_tears_across_what_pulls_it_whatever_the_direction(void **state)
{
    (void)state;
    contact_scene *st = pull_strip_along(1, 0.12, 0.1);
    run(st, 70);
    assert_int_equal(pieces_of(st), 2);
    assert_true(gap_between_pieces(st, 1) > 0.05);
    close_contact_scene(st);
}

static void a_rope_breaks_once(void **state)
{
    (void)state;
    contact_scene *st = make_contact_scene(0.3, 0.03);
    cloth_setup rope = make_rope(0.3, 10);
    st->s.substance.shape = rope.substance.shape;
    st->s.substance.cloth = rope.substance.cloth;
    st->s.substance.cloth.tear = 0.2;
    attach(&st->s, dlp_vec(0, 0, 0), 0.01);
    dlp_attachment_def *load = attach(&st->s, dlp_vec(0.3, 0, 0), 0.01);
    load->hold = false;
    load->mass = 1;  // its weight stretches 10 N/m of it twice as long
    open_contact_scene(st, 1);
    const double mass = scene_mass(st);
    run(st, 90);
    int32_t torn = 0;
    for (int32_t k = 0; k < st->s.cloth->params.links.count; k++) torn += st->s.cloth->state.ends.is_torn[k];
    assert_int_equal(torn, 1);
    assert_int_equal(pieces_of(st), 2);
    assert_near(scene_mass(st), mass, 0);
    close_contact_scene(st);
}

// Strong interaction.

// A ball comes down at 5 m/s on a restrained cloth that hangs by its corners, stops, and stays.
static void a_ball_dropped_on_a_restrained_cloth_makes_no_spike(void **state)
{
    (void)state;
    contact_scene *st = make_contact_scene(0.5, 0.025);
    st->s.substance.adapt_restraint = true;
    for (int k = 0; k < 4; k++) attach(&st->s, dlp_vec(k & 1 ? 0.25 : -0.25, k & 2 ? 0.25 : -0.25, 0), 0.01);
    add_scene_obstacle(st, ball_at(dlp_vec(0.01, 0.02, 0.5), 0.06), 0.3);
    move_scene_obstacle(st, 0, 1, 1.1, dlp_vec(0, 0, -0.5));
    open_contact_scene(st, 1);
    run(st, 60);
    for (int k = 0; k < 60; k++) {
        run(st, 1);
        assert_true(fastest_of(&st->s) < 15);
        assert_true(scene_depth(st, 0) < 0);
    }
    assert_true(fastest_of(&st->s) < 1);
    assert_int_equal(scene_intersections(st), 0);
    close_contact_scene(st);
}

// Loading.

static void copy_state(dlp_cloth *from, dlp_cloth *to)
{
    dlp_manifest a = {0}, b = {0};
    static const size_t SIZE[] = {[DLP_FLOAT32] = 4, [DLP_FLOAT64] = 8, [DLP_INT32] = 4, [DLP_INT64] = 8};
    assert_int_equal(dlp_cloth_begin_load(to, from->state.particles.count, NULL), DLP_OK);
    dlp_cloth_manifest(from, &a);
    dlp_cloth_manifest(to, &b);
    assert_int_equal(a.count, b.count);
    for (int32_t k = 0; k < a.count; k++) {
        const dlp_manifest_item *item = &a.items[k];
        if (item->count > 0)
            memcpy(b.items[k].data, item->data,
                   SIZE[item->type] * (size_t)item->components * (size_t)item->count);
    }
    dlp_manifest_release(&a);
    dlp_manifest_release(&b);
    assert_int_equal(dlp_cloth_end_load(to, NULL), DLP_OK);
}

static void a_loaded_state_goes_on_with_the_same_bits(contact_scene *st, contact_scene *copy, int32_t before,
                                                      int32_t after)
{
    run(st, before);
    copy->s.setting->clock = st->s.setting->clock;
    copy_state(st->s.cloth, copy->s.cloth);
    copy->s.time = st->s.time;
    run(st, after);
    run(copy, after);
    const dlp_cloth_particles *p = &st->s.cloth->state.particles, *q = &copy->s.cloth->state.particles;
    assert_int_equal(p->count, q->count);
    assert_memory_equal(p->position, q->position, 3 * (size_t)p->count * sizeof(double));
    assert_memory_equal(p->velocity, q->velocity, 3 * (size_t)p->count * sizeof(double));
    close_contact_scene(st);
    close_contact_scene(copy);
}

static void a_draped_cloth_is_the_same_after_a_load(void **state)
{
    (void)state;
    a_loaded_state_goes_on_with_the_same_bits(drape(true), drape(true), 40, 20);
    a_loaded_state_goes_on_with_the_same_bits(drape(true), drape(true), 150, 20);
}

static void a_torn_cloth_is_the_same_after_a_load(void **state)
{
    (void)state;
    a_loaded_state_goes_on_with_the_same_bits(pull_strip(0.12, 0.1), pull_strip(0.12, 0.1), 40, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sheet_stays_below_the_angle_of_friction),
        cmocka_unit_test(a_sheet_slides_above_it_as_coulomb_says),
        cmocka_unit_test(a_sheet_that_starts_through_a_wall_goes_on),
        cmocka_unit_test(a_sheet_draped_on_a_ball_comes_to_rest),
        cmocka_unit_test(a_draped_sheet_is_restrained_where_it_lies),
        cmocka_unit_test(a_cloth_that_falls_on_its_edge_folds_without_crossing_itself),
        cmocka_unit_test(a_stack_of_sheets_comes_to_rest),
        cmocka_unit_test(sheets_that_crash_keep_their_momentum),
        cmocka_unit_test(contacts_are_the_same_for_any_number_of_threads),
        cmocka_unit_test(a_falling_sheet_reaches_its_terminal_speed),
        cmocka_unit_test(a_storm_does_not_blow_silk_up),
        cmocka_unit_test(wind_wakes_what_is_restrained),
        cmocka_unit_test(below_its_limit_nothing_tears),
        cmocka_unit_test(beyond_it_a_strip_parts_in_two_and_keeps_its_mass),
        cmocka_unit_test(a_strip_tears_across_what_pulls_it_whatever_the_direction),
        cmocka_unit_test(a_rope_breaks_once),
        cmocka_unit_test(a_ball_dropped_on_a_restrained_cloth_makes_no_spike),
        cmocka_unit_test(a_draped_cloth_is_the_same_after_a_load),
        cmocka_unit_test(a_torn_cloth_is_the_same_after_a_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
