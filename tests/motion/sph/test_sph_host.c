/* What a host does with smoothed particles: it writes, adds and removes them, and acts on them with forces.
 */
#include "hosts.h"
#include "test_folder.h"

// A block that floats freely; stiffness is given, so that worlds with and without gravity are alike.
#define BLOCK(gravity, more)                                                                                 \
    "frames: {rate: 50, count: 10}\n"                                                                        \
    "gravity: [0, 0, " gravity "]\n"                                                                         \
    "substances:\n"                                                                                          \
    "  water: {material: water, stiffness: 400, particle: {spacing: 0.02, lattice: cubic}" more ",\n"        \
    "          shape: {box: {min: [0, 0, 0], max: [0.2, 0.12, 0.1]}}}\n"

// Inner forces cancel, so that the mean velocity is g t but for the rounding of floats: 6e-8 in each of about
// a hundred steps.
static void a_force_of_m_g_is_gravity(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup pulled = make_setup(BLOCK("-9.81", "")), pushed = make_setup(BLOCK("0", ""));
    double strength = g;
    expect_ok(dlp_world_set_force(pushed.world, 0, weigh, &strength, &error), &error);
    step_frames(pulled.world, 5);
    step_frames(pushed.world, 5);
    const double t = 0.1;
    assert_near(mean_velocity(pulled.world).z, -g * t, 6e-6 * g * t);
    assert_near(mean_velocity(pushed.world).z, -g * t, 6e-6 * g * t);
    const float *u = velocities_of(pulled.world), *v = velocities_of(pushed.world);
    for (int32_t k = 0; k < 3 * dlp_world_particle_count(pulled.world); k++)
        assert_near((double)u[k], (double)v[k], 1e-4 * g * t);
    // and it ends where the host ends it
    expect_ok(dlp_world_set_force(pushed.world, 0, NULL, NULL, &error), &error);
    step_frames(pushed.world, 5);
    assert_near(mean_velocity(pushed.world).z, -g * t, 6e-6 * g * t);
    release_setup(&pulled);
    release_setup(&pushed);
}

static void a_force_acts_on_particles_with_steps_of_their_own(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup(BLOCK("0", ", adapt: {time: true}"));
    double strength = g;
    expect_ok(dlp_world_set_force(s.world, 0, weigh, &strength, &error), &error);
    step_frames(s.world, 5);
    assert_near(mean_velocity(s.world).z, -g * 0.1, 1e-3 * g * 0.1);
    release_setup(&s);
}

static void push_to_infinity(const dlp_force_batch *batch, dlp_vec3 *forces, void *user)
{
    (void)user;
    for (int32_t k = 0; k < batch->count; k++) forces[k].x = HUGE_VAL;
}

static void a_force_that_is_not_finite_is_named(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup(BLOCK("0", ""));
    expect_ok(dlp_world_set_force(s.world, 0, push_to_infinity, NULL, &error), &error);
    assert_int_equal(dlp_world_step_frame(s.world, &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "water: the force of the host's callback is not finite"));
    release_setup(&s);
}

static void half_of_the_particles_have_half_of_the_mass(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup(BLOCK("-9.81", ""));
    step_frames(s.world, 2);
    const int32_t count = dlp_world_particle_count(s.world), half = count / 2;
    assert_true(count == 300);
    const double mass = stats_of(s.world).mass;
    int64_t left[300];
    int32_t indices[300];
    const int64_t *ids = field_of(s.world, DLP_FIELD_ID).data;
    for (int32_t k = 0; k < half; k++) {
        indices[k] = 2 * k;
        left[k] = ids[2 * k + 1];
    }
    expect_ok(dlp_world_remove_particles(s.world, indices, half, &error), &error);
    assert_int_equal(dlp_world_particle_count(s.world), half);
    assert_memory_equal(field_of(s.world, DLP_FIELD_ID).data, left, (size_t)half * sizeof left[0]);
    assert_true(stats_of(s.world).mass == mass / 2);
    step_frames(s.world, 2);
    assert_true(stats_of(s.world).mass == mass / 2);
    assert_int_equal(dlp_world_particle_count(s.world), half);
    // all of them
    for (int32_t k = 0; k < half; k++) indices[k] = k;
    expect_ok(dlp_world_remove_particles(s.world, indices, half, &error), &error);
    step_frames(s.world, 1);
    assert_true(stats_of(s.world).mass == 0);
    release_setup(&s);
}

static void added_particles_fall(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup(BLOCK("-9.81", ""));
    step_frames(s.world, 2);
    const double mass = stats_of(s.world).mass;
    enum { NEW = 5 };
    dlp_vec3 x[NEW], v[NEW];
    for (int32_t k = 0; k < NEW; k++) {  // far from all others
        x[k] = dlp_vec(1 + 0.2 * k, 0, 2);
        v[k] = dlp_vec(0.5 * k, 0, 0);
    }
    const dlp_new_particles added = {
        .size = sizeof added, .substance = 0, .count = NEW, .positions = x, .velocities = v};
    expect_ok(dlp_world_add_particles(s.world, &added, &error), &error);
    assert_int_equal(dlp_world_particle_count(s.world), 300 + NEW);
    const int64_t *ids = field_of(s.world, DLP_FIELD_ID).data;
    for (int32_t k = 0; k < NEW; k++) assert_true(ids[300 + k] == 300 + k);
    assert_near(stats_of(s.world).mass, mass * (300 + NEW) / 300, 1e-12 * mass);
    step_frames(s.world, 5);
    const double t = 0.1;
    int32_t found = 0;
    ids = field_of(s.world, DLP_FIELD_ID).data;
    for (int32_t i = 0; i < 300 + NEW; i++) {
        const double *at = positions_of(s.world) + 3 * i;
        const int64_t k = ids[i] - 300;
        if (k < 0) continue;
        found++;
        // of the 5 cm that they fall
        assert_near(at[2], 2 - g * t * t / 2, 1e-6 * 0.05);
        assert_near(at[0], x[k].x + v[k].x * t, 1e-6);
    }
    assert_int_equal(found, NEW);
    release_setup(&s);
}

static void a_written_velocity_moves_what_has_it(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup(BLOCK("0", ""));
    step_frames(s.world, 1);
    const int32_t count = dlp_world_particle_count(s.world);
    float v[3 * 300];
    double before[3 * 300];
    int64_t ids[300];
    memcpy(before, positions_of(s.world), sizeof before);
    memcpy(ids, field_of(s.world, DLP_FIELD_ID).data, sizeof ids);
    for (int32_t i = 0; i < count; i++) {
        v[3 * i] = 3;
        v[3 * i + 1] = -1;
        v[3 * i + 2] = 0.5f;
    }
    expect_ok(dlp_world_write(s.world, DLP_FIELD_VELOCITY, 0, count, v, &error), &error);
    assert_near(mean_velocity(s.world).x, 3, 1e-12);
    step_frames(s.world, 5);
    const double *x = positions_of(s.world);
    const int64_t *now = field_of(s.world, DLP_FIELD_ID).data;
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = 0; j < count; j++) {
            if (now[i] != ids[j]) continue;
            // the block is at rest in itself: a lattice at rest density pushes nothing by more than this
            assert_near(x[3 * i], before[3 * j] + 0.3, 1e-4);
            assert_near(x[3 * i + 1], before[3 * j + 1] - 0.1, 1e-4);
            assert_near(x[3 * i + 2], before[3 * j + 2] + 0.05, 1e-4);
        }
    release_setup(&s);
}

static void writing_back_what_was_read_changes_nothing(void **state)
{
    (void)state;
    for (int32_t k = 0; k < SCENE_COUNT; k++)
        assert_writing_back_changes_nothing(all_scenes[k].text, all_scenes[k].name);
}

static void what_is_refused_changes_nothing(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup(restrained_scene), twin = make_setup(restrained_scene);
    step_frames(s.world, 2);
    step_frames(twin.world, 2);
    const double x[6] = {0.1, 0.1, 0.1, 0.1, (double)NAN, 0.1}, far[3] = {1e30, 0, 0};
    const float v[3] = {0, 0, HUGE_VALF}, temperature = 20;
    assert_int_equal(dlp_world_write(s.world, DLP_FIELD_POSITION, 7, 2, x, &error), DLP_INVALID);
    assert_string_equal(error.message, "position: particle 8: (0.1, nan, 0.1) is not finite");
    assert_int_equal(dlp_world_write(s.world, DLP_FIELD_POSITION, 0, 1, far, &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "position: particle 0: x is 1e+30 m; particles of this size"));
    assert_int_equal(dlp_world_write(s.world, DLP_FIELD_VELOCITY, 0, 1, v, &error), DLP_INVALID);
    assert_string_equal(error.message, "velocity: particle 0: (0, 0, inf) is not finite");
    assert_int_equal(dlp_world_write(s.world, DLP_FIELD_TEMPERATURE, 0, 1, &temperature, &error),
                     DLP_INVALID);
    const dlp_vec3 places[2] = {{0.1, 0.1, 0.3}, {0.1, 0.1, -HUGE_VAL}};
    const dlp_new_particles added = {.size = sizeof added, .count = 2, .positions = places};
    assert_int_equal(dlp_world_add_particles(s.world, &added, &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "is not finite"));
    const int32_t indices[2] = {3, 3};
    assert_int_equal(dlp_world_remove_particles(s.world, indices, 2, &error), DLP_INVALID);
    assert_same_world(twin.world, s.world, "refused");
    step_frames(s.world, 2);
    step_frames(twin.world, 2);
    assert_same_world(twin.world, s.world, "refused");
    release_setup(&s);
    release_setup(&twin);
}

static void in_the_plane_z_stays_0(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup(adaptive_plane_scene);
    const double x[3] = {0.1, 0.9, 0.1};
    assert_int_equal(dlp_world_write(s.world, DLP_FIELD_POSITION, 4, 1, x, &error), DLP_INVALID);
    assert_string_equal(error.message, "position: particle 4: z is 0.1; it is 0 in the plane");
    release_setup(&s);
}

static void positions_wrap_around_a_period(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup(periodic_scene);
    const double x[3] = {0.1 + 3 * 0.256, 0.05 - 0.16, 0.3};
    expect_ok(dlp_world_write(s.world, DLP_FIELD_POSITION, 4, 1, x, &error), &error);
    const double *at = positions_of(s.world) + 12;
    assert_near(at[0], 0.1, 1e-12);
    assert_near(at[1], 0.05, 1e-12);
    assert_near(at[2], 0.3, 0);
    release_setup(&s);
}

// One of each: particles lifted, pushed, added and removed.
static void edit(dlp_world *world)
{
    dlp_error error = {0};
    const int32_t dimension = dlp_world_scene(world)->dimension;
    enum { SOME = 9 };
    double x[3 * SOME];
    float v[3 * SOME];
    dlp_vec3 places[SOME], velocities[SOME];
    memcpy(x, positions_of(world), sizeof x);
    memcpy(v, velocities_of(world), sizeof v);
    for (int32_t k = 0; k < SOME; k++) {
        x[3 * k + dimension - 1] += 0.15;
        v[3 * k] += 0.5f;
        places[k] = dlp_vec(0.05 + 0.02 * k, dimension == 2 ? 0.95 : 0.1, dimension == 2 ? 0 : 0.35);
        velocities[k] = dlp_vec(0.1 * k, -0.1 * k, 0);
    }
    expect_ok(dlp_world_write(world, DLP_FIELD_POSITION, 0, SOME, x, &error), &error);
    expect_ok(dlp_world_write(world, DLP_FIELD_VELOCITY, 0, SOME, v, &error), &error);
    const dlp_new_particles added = {
        .size = sizeof added, .count = SOME, .positions = places, .velocities = velocities};
    expect_ok(dlp_world_add_particles(world, &added, &error), &error);
    const int32_t count = dlp_world_particle_count(world);
    const int32_t indices[3] = {5, count / 2, count - 2};
    expect_ok(dlp_world_remove_particles(world, indices, 3, &error), &error);
    assert_int_equal(dlp_world_particle_count(world), count - 3);
}

static void edits_have_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    for (int32_t k = 0; k < SCENE_COUNT; k++) {
        const dlp_world_options options = {.size = sizeof options, .thread_count = 3};
        setup one = make_setup(all_scenes[k].text), three = make_setup_in(NULL, all_scenes[k].text, &options);
        for (int32_t round = 0; round < 2; round++) {
            step_frames(one.world, 2);
            step_frames(three.world, 2);
            edit(one.world);
            edit(three.world);
            assert_same_world(one.world, three.world, all_scenes[k].name);
        }
        step_frames(one.world, 2);
        step_frames(three.world, 2);
        assert_same_world(one.world, three.world, all_scenes[k].name);
        release_setup(&one);
        release_setup(&three);
    }
}

static void an_edited_world_resumes_with_the_same_bits(void **state)
{
    (void)state;
    need_checkpoints();
    dlp_error error = {0};
    for (int32_t k = 0; k < SCENE_COUNT; k++) {
        setup s = make_setup(all_scenes[k].text), resumed = make_setup(all_scenes[k].text);
        step_frames(s.world, 3);
        edit(s.world);
        expect_ok(dlp_world_save(s.world, in_folder("edited.h5"), &error), &error);
        expect_ok(dlp_world_load(resumed.world, in_folder("edited.h5"), &error), &error);
        assert_same_world(s.world, resumed.world, all_scenes[k].name);
        assert_true(stats_of(s.world).mass == stats_of(resumed.world).mass);
        step_frames(s.world, 3);
        step_frames(resumed.world, 3);
        assert_same_world(s.world, resumed.world, all_scenes[k].name);
        release_setup(&s);
        release_setup(&resumed);
    }
}

// A force on one substance beside another that sleeps; the force is set again after loading.
static void a_forced_world_resumes_and_starts_anew_with_the_same_bits(void **state)
{
    (void)state;
    need_checkpoints();
    static const char text[] =
        "frames: {rate: 100, count: 10}\n"
        "substances:\n"
        "  oil: {material: oil, particle: {spacing: 0.02}, shape: {box: {min: [0, 0, 0.2], max: [0.1, 0.1, "
        "0.3]}}}\n"
        "  water: {material: water, particle: {spacing: 0.02}, adapt: {restraint: true},\n"
        "          restraint: {rest: 0.05, full: 0.2, friction: 0.5},\n"
        "          shape: {box: {min: [0, 0, 0], max: [0.3, 0.1, 0.1]}}}\n"
        "obstacles: [{box: {min: [0, 0, 0], max: [0.3, 0.1, 0.4], inside: true}}]\n";
    dlp_error error = {0};
    double strength = 5;
    setup s = make_setup(text), resumed = make_setup(text);
    step_frames(s.world, 2);
    expect_ok(dlp_world_set_force(s.world, 0, weigh, &strength, &error), &error);
    step_frames(s.world, 4);
    expect_ok(dlp_world_save(s.world, in_folder("forced.h5"), &error), &error);
    expect_ok(dlp_world_load(resumed.world, in_folder("forced.h5"), &error), &error);
    expect_ok(dlp_world_set_force(resumed.world, 0, weigh, &strength, &error), &error);
    step_frames(s.world, 4);
    step_frames(resumed.world, 4);
    assert_same_world(s.world, resumed.world, "forced and resumed");
    expect_ok(dlp_world_reset(s.world, &error), &error);
    release_setup(&resumed);
    resumed = make_setup(text);
    expect_ok(dlp_world_set_force(resumed.world, 0, weigh, &strength, &error), &error);
    step_frames(s.world, 3);
    step_frames(resumed.world, 3);
    assert_same_world(s.world, resumed.world, "forced and started anew");
    release_setup(&s);
    release_setup(&resumed);
}

static int32_t count_sleepers(const dlp_world *world)
{
    const dlp_view view = field_of(world, DLP_FIELD_STATE);
    const int32_t *all = view.data;
    int32_t count = 0;
    for (int32_t i = 0; i < view.count; i++) count += all[i] == 2;
    return count;
}

static void nothing_sleeps_after_a_change(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup(restrained_scene);
    int32_t frames = 0;
    for (; frames < 100 && count_sleepers(s.world) < 500; frames++) step_frames(s.world, 1);
    assert_true(count_sleepers(s.world) >= 500);
    const float v[3] = {1, 0, 0};
    expect_ok(dlp_world_write(s.world, DLP_FIELD_VELOCITY, 0, 1, v, &error), &error);
    assert_int_equal(count_sleepers(s.world), 0);
    step_frames(s.world, 2);
    release_setup(&s);
}

// Between a change and the next step nothing has been sorted, and all that can be asked is answered.
static void a_changed_world_can_be_measured(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup(BLOCK("0", ""));
    const double x[3] = {0.7, 0.7, 0.7};
    expect_ok(dlp_world_write(s.world, DLP_FIELD_POSITION, 3, 1, x, &error), &error);
    dlp_point_sample there = {.size = sizeof there}, inside = there;
    expect_ok(dlp_world_sample(s.world, dlp_vec(0.7, 0.7, 0.7), &there, &error), &error);
    expect_ok(dlp_world_sample(s.world, dlp_vec(0.1, 0.06, 0.05), &inside, &error), &error);
    assert_true(there.fraction > 0.05 && there.fraction < 0.5);
    assert_near(inside.fraction, 1, 0.05);
    const dlp_stats stats = stats_of(s.world);
    assert_int_equal(stats.particles, 300);
    assert_near(stats.mass, 1000 * 0.2 * 0.12 * 0.1, 1e-6);
    release_setup(&s);
}

static void a_written_temperature_is_the_heat(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup(BLOCK("0", ", temperature: 20, conductivity: 0, cooling: 0, heat_capacity: 4000"));
    step_frames(s.world, 1);
    dlp_substance_info info = {.size = sizeof info};
    expect_ok(dlp_world_substance(s.world, 0, &info, &error), &error);
    assert_true((info.writable_fields >> DLP_FIELD_TEMPERATURE & 1) == 1 && info.can_add && info.can_remove &&
                info.can_have_force);
    float temperature[300];
    for (int32_t i = 0; i < 300; i++) temperature[i] = 50;
    expect_ok(dlp_world_write(s.world, DLP_FIELD_TEMPERATURE, 0, 300, temperature, &error), &error);
    step_frames(s.world, 2);
    const dlp_stats stats = stats_of(s.world);
    assert_near(stats.heat, stats.mass * 4000 * 50, 1e-9 * stats.heat);
    temperature[2] = -300;
    assert_int_equal(dlp_world_write(s.world, DLP_FIELD_TEMPERATURE, 0, 300, temperature, &error),
                     DLP_INVALID);
    assert_string_equal(error.message,
                        "temperature: particle 2: -300 degrees C; at least -273.15 are allowed");
    release_setup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_force_of_m_g_is_gravity),
        cmocka_unit_test(a_force_acts_on_particles_with_steps_of_their_own),
        cmocka_unit_test(a_force_that_is_not_finite_is_named),
        cmocka_unit_test(half_of_the_particles_have_half_of_the_mass),
        cmocka_unit_test(added_particles_fall),
        cmocka_unit_test(a_written_velocity_moves_what_has_it),
        cmocka_unit_test(writing_back_what_was_read_changes_nothing),
        cmocka_unit_test(what_is_refused_changes_nothing),
        cmocka_unit_test(in_the_plane_z_stays_0),
        cmocka_unit_test(positions_wrap_around_a_period),
        cmocka_unit_test(edits_have_the_same_bits_on_any_number_of_threads),
        cmocka_unit_test(an_edited_world_resumes_with_the_same_bits),
        cmocka_unit_test(a_forced_world_resumes_and_starts_anew_with_the_same_bits),
        cmocka_unit_test(nothing_sleeps_after_a_change),
        cmocka_unit_test(a_changed_world_can_be_measured),
        cmocka_unit_test(a_written_temperature_is_the_heat),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
