/* What a host does with the particles of solids and cloth: it writes their places and velocities, and acts on
 * them with forces. (tests/motion/sph/test_sph_host.c: the same of smoothed particles, which it also adds and
 * removes.) */
#include "hosts.h"
#include "test_folder.h"

// Free bodies: no obstacles, no air.
#define SOLID(gravity)                                                                                       \
    "frames: {rate: 100, count: 10}\n"                                                                       \
    "gravity: [0, 0, " gravity "]\n"                                                                         \
    "substances:\n"                                                                                          \
    "  body: {material: jelly, particle: {spacing: 0.02},\n"                                                 \
    "         shape: {box: {min: [0, 0, 1], max: [0.12, 0.1, 1.08]}}}\n"
#define CLOTH(gravity)                                                                                       \
    "frames: {rate: 100, count: 10}\n"                                                                       \
    "gravity: [0, 0, " gravity "]\n"                                                                         \
    "air_density: 0\n"                                                                                       \
    "substances:\n"                                                                                          \
    "  body: {material: silk, particle: {spacing: 0.02}, cloth: {damping: 0},\n"                             \
    "         shape: {sheet: {center: [0, 0, 0.25], size: [0.2, 0.2]}}}\n"

// Things that meet: a block on a floor and a sheet over a ball.
static const char solid_contact_scene[] = "frames: {rate: 100, count: 10}\n"
                                          "substances:\n"
                                          "  body: {material: jelly, particle: {spacing: 0.02},\n"
                                          "         shape: {box: {min: [0, 0, 0.01], max: [0.1, 0.1, 0.1]}, "
                                          "copies: {count: [1, 1, 2], spacing: [0, 0, 0.12]}}}\n"
                                          "obstacles: [{box: {min: [-1, -1, -0.2], max: [1, 1, 0]}}]\n";
static const char cloth_contact_scene[] =
    "frames: {rate: 100, count: 10}\n"
    "wind: [0.5, 0, 0]\n"
    "substances:\n"
    "  body: {material: silk, particle: {spacing: 0.02},\n"
    "         shape: {sheet: {center: [0, 0, 0.12], size: [0.2, 0.2]}}}\n"
    "obstacles: [{sphere: {center: [0, 0, 0], radius: 0.1}}]\n";
static const char restrained_cloth_scene[] =
    "frames: {rate: 100, count: 10}\n"
    "substances:\n"
    "  body: {material: silk, particle: {spacing: 0.02}, adapt: {restraint: true},\n"
    "         shape: {sheet: {center: [0, 0, 0.11], size: [0.2, 0.2]}}}\n"
    "obstacles: [{sphere: {center: [0, 0, 0], radius: 0.1}}]\n";

typedef struct pair_of_scenes {
    const char *name, *weightless, *heavy;
} pair_of_scenes;
static const pair_of_scenes models[2] = {{"solid", SOLID("0"), SOLID("-9.81")},
                                         {"cloth", CLOTH("0"), CLOTH("-9.81")}};
static const named_scene contacts[3] = {{"solids that touch", solid_contact_scene},
                                        {"cloth that touches", cloth_contact_scene},
                                        {"restrained cloth", restrained_cloth_scene}};

// Rounding apart: sweeps are in floats, cloth solves to a tolerance.
static void a_force_of_m_g_is_gravity(void **state)
{
    (void)state;
    dlp_error error = {0};
    for (int32_t m = 0; m < 2; m++) {
        setup pulled = make_setup(models[m].heavy), pushed = make_setup(models[m].weightless);
        double strength = g;
        expect_ok(dlp_world_set_force(pushed.world, 0, weigh, &strength, &error), &error);
        step_frames(pulled.world, 10);
        step_frames(pushed.world, 10);
        const double t = 0.1;
        assert_near(mean_velocity(pushed.world).z, -g * t, 1e-5 * g * t);
        const double *x = positions_of(pulled.world), *y = positions_of(pushed.world);
        for (int32_t k = 0; k < 3 * dlp_world_particle_count(pulled.world); k++)
            assert_near(x[k], y[k], 1e-6);  // of the 5 cm that they fall
        expect_ok(dlp_world_set_force(pushed.world, 0, NULL, NULL, &error), &error);
        step_frames(pushed.world, 5);
        assert_near(mean_velocity(pushed.world).z, -g * t, 1e-5 * g * t);
        release_setup(&pulled);
        release_setup(&pushed);
    }
}

static void push_to_infinity(const dlp_force_batch *batch, dlp_vec3 *forces, void *user)
{
    (void)user;
    forces[batch->count - 1].x = (double)NAN;
}

static void a_force_that_is_not_finite_is_named(void **state)
{
    (void)state;
    dlp_error error = {0};
    for (int32_t m = 0; m < 2; m++) {
        setup s = make_setup(models[m].weightless);
        expect_ok(dlp_world_set_force(s.world, 0, push_to_infinity, NULL, &error), &error);
        assert_int_equal(dlp_world_step_frame(s.world, &error), DLP_INVALID);
        assert_non_null(strstr(error.message, "body: the force of the host's callback is not finite"));
        release_setup(&s);
    }
}

static void restrained_cloth_refuses_a_force_by_name(void **state)
{
    (void)state;
    dlp_error error = {0};
    double strength = g;
    setup s = make_setup(restrained_cloth_scene);
    assert_int_equal(dlp_world_set_force(s.world, 0, weigh, &strength, &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "body: adapt.restraint holds particles"));
    release_setup(&s);
}

// A spring to a point: the whole swings with its frequency, here for a quarter of a period.
static const double stiffness_over_mass = 25;  // 1/s2
static void pull_to_start(const dlp_force_batch *batch, dlp_vec3 *forces, void *user)
{
    const double *centre = user;
    for (int32_t k = 0; k < batch->count; k++)
        forces[k].x = -stiffness_over_mass * batch->masses[k] * (batch->positions[k].x - *centre);
}

static double centre_x(dlp_world *world)
{
    const double *x = positions_of(world);
    double sum = 0;
    for (int32_t i = 0; i < dlp_world_particle_count(world); i++) sum += x[3 * i];
    return sum / dlp_world_particle_count(world);
}

// Forces see places where the step begins: the phase is off by half a step of 0.01 s at most, of 0.3 s. The
// spring holds every particle of a body of equal masses alike, so that its centre feels the mean force.
static void a_force_that_follows_the_place_makes_a_pendulum(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup(models[0].weightless);
    double centre = centre_x(s.world) - 0.1;
    expect_ok(dlp_world_set_force(s.world, 0, pull_to_start, &centre, &error), &error);
    step_frames(s.world, 31);
    const double t = 0.31, omega = sqrt(stiffness_over_mass);
    assert_near(centre_x(s.world) - centre, 0.1 * cos(omega * t), 0.1 * omega * 0.005);
    release_setup(&s);
}

// Floating bodies at rest in themselves: all that is written to all of them moves them as one.
static void a_written_velocity_moves_what_has_it(void **state)
{
    (void)state;
    dlp_error error = {0};
    for (int32_t m = 0; m < 2; m++) {
        setup s = make_setup(models[m].weightless);
        step_frames(s.world, 2);
        const int32_t count = dlp_world_particle_count(s.world);
        double before[3 * 200];
        float v[3 * 200];
        assert_in_range(count, 1, 200);
        memcpy(before, positions_of(s.world), 3 * (size_t)count * sizeof *before);
        for (int32_t i = 0; i < count; i++) {
            v[3 * i] = 3;
            v[3 * i + 1] = -1;
            v[3 * i + 2] = 0.5f;
        }
        expect_ok(dlp_world_write(s.world, DLP_FIELD_VELOCITY, 0, count, v, &error), &error);
        assert_near(mean_velocity(s.world).x, 3, 1e-12);
        step_frames(s.world, 5);
        const double *x = positions_of(s.world);
        for (int32_t i = 0; i < count; i++) {  // v t, 15 cm
            assert_near(x[3 * i], before[3 * i] + 3 * 0.05, 1e-6);
            assert_near(x[3 * i + 1], before[3 * i + 1] - 0.05, 1e-6);
            assert_near(x[3 * i + 2], before[3 * i + 2] + 0.5 * 0.05, 1e-6);
        }
        release_setup(&s);
    }
}

// Put elsewhere as a whole, it is as it was, and falls from there.
static void a_written_place_is_where_it_goes_on(void **state)
{
    (void)state;
    dlp_error error = {0};
    for (int32_t m = 0; m < 2; m++) {
        setup s = make_setup(models[m].heavy), twin = make_setup(models[m].heavy);
        step_frames(s.world, 3);
        step_frames(twin.world, 3);
        const int32_t count = dlp_world_particle_count(s.world);
        double x[3 * 200];
        memcpy(x, positions_of(s.world), 3 * (size_t)count * sizeof *x);
        for (int32_t i = 0; i < count; i++) x[3 * i] += 0.5;
        expect_ok(dlp_world_write(s.world, DLP_FIELD_POSITION, 0, count, x, &error), &error);
        step_frames(s.world, 5);
        step_frames(twin.world, 5);
        const double *a = positions_of(s.world), *b = positions_of(twin.world);
        for (int32_t i = 0; i < count; i++) {
            assert_near(a[3 * i], b[3 * i] + 0.5, 1e-6);
            assert_near(a[3 * i + 2], b[3 * i + 2], 1e-6);
        }
        release_setup(&s);
        release_setup(&twin);
    }
}

static double distance_of_first_two(dlp_world *world)
{
    const double *x = positions_of(world);
    return dlp_length(dlp_vec(x[3] - x[0], x[4] - x[1], x[5] - x[2]));
}

// A corner pulled out by half a spacing costs energy, and its neighbour and it come together again: about
// that distance they swing, in the mean of ten frames.
static void a_particle_that_is_pulled_away_is_pulled_back(void **state)
{
    (void)state;
    dlp_error error = {0};
    for (int32_t m = 0; m < 2; m++) {
        setup s = make_setup(models[m].weightless);
        const double start = distance_of_first_two(s.world);
        double x[3];
        memcpy(x, positions_of(s.world), sizeof x);
        x[0] -= 0.01;
        expect_ok(dlp_world_write(s.world, DLP_FIELD_POSITION, 0, 1, x, &error), &error);
        const double energy = stats_of(s.world).potential_energy;
        assert_true(energy > 1e-9);
        double mean = 0;
        step_frames(s.world, 10);
        for (int k = 0; k < 10; k++) {
            step_frames(s.world, 1);
            mean += 0.1 * distance_of_first_two(s.world);
        }
        const dlp_stats stats = stats_of(s.world);
        assert_true(stats.kinetic_energy + stats.potential_energy < energy);
        assert_near(mean, start, 0.1 * 0.01);
        release_setup(&s);
    }
}

static void writing_back_what_was_read_changes_nothing(void **state)
{
    (void)state;
    for (int32_t k = 0; k < 3; k++) assert_writing_back_changes_nothing(contacts[k].text, contacts[k].name);
}

static void what_is_refused_changes_nothing(void **state)
{
    (void)state;
    dlp_error error = {0};
    for (int32_t k = 0; k < 3; k++) {
        setup s = make_setup(contacts[k].text), twin = make_setup(contacts[k].text);
        step_frames(s.world, 2);
        step_frames(twin.world, 2);
        const double x[6] = {0.1, 0.1, 0.1, 0.1, (double)NAN, 0.1}, far[3] = {-1e30, 0, 0};
        const float v[3] = {0, 0, HUGE_VALF}, fast[3] = {0, 1e6f, 0}, temperature = 20;
        assert_int_equal(dlp_world_write(s.world, DLP_FIELD_POSITION, 7, 2, x, &error), DLP_INVALID);
        assert_string_equal(error.message, "position: particle 8: (0.1, nan, 0.1) is not finite");
        assert_int_equal(dlp_world_write(s.world, DLP_FIELD_POSITION, 0, 1, far, &error), DLP_INVALID);
        assert_string_equal(error.message,
                            "position: particle 0: 1e+30 m from the origin; at most 1e+09 m are allowed");
        assert_int_equal(dlp_world_write(s.world, DLP_FIELD_VELOCITY, 0, 1, v, &error), DLP_INVALID);
        assert_string_equal(error.message, "velocity: particle 0: (0, 0, inf) is not finite");
        assert_int_equal(dlp_world_write(s.world, DLP_FIELD_VELOCITY, 0, 1, fast, &error), DLP_INVALID);
        assert_string_equal(error.message, "velocity: particle 0: 1e+06 m/s; at most 90000 m/s are allowed");
        assert_int_equal(dlp_world_write(s.world, DLP_FIELD_TEMPERATURE, 0, 1, &temperature, &error),
                         DLP_INVALID);
        const int32_t index = 3;
        assert_int_equal(dlp_world_remove_particles(s.world, &index, 1, &error), DLP_INVALID);
        assert_same_world(twin.world, s.world, contacts[k].name);
        step_frames(s.world, 2);
        step_frames(twin.world, 2);
        assert_same_world(twin.world, s.world, contacts[k].name);
        release_setup(&s);
        release_setup(&twin);
    }
}

// Some are lifted out of their contacts, others pushed.
static void edit(dlp_world *world)
{
    dlp_error error = {0};
    enum { SOME = 9 };
    double x[3 * SOME];
    float v[3 * SOME];
    memcpy(x, positions_of(world), sizeof x);
    memcpy(v, velocities_of(world) + 3 * SOME, sizeof v);
    for (int32_t k = 0; k < SOME; k++) {
        x[3 * k + 2] += 0.004;
        v[3 * k] += 0.3f;
    }
    expect_ok(dlp_world_write(world, DLP_FIELD_POSITION, 0, SOME, x, &error), &error);
    expect_ok(dlp_world_write(world, DLP_FIELD_VELOCITY, SOME, SOME, v, &error), &error);
}

static void edits_and_forces_have_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    dlp_error error = {0};
    double strength = 2;
    for (int32_t k = 0; k < 3; k++) {
        const dlp_world_options options = {.size = sizeof options, .thread_count = 3};
        setup one = make_setup(contacts[k].text), three = make_setup_in(NULL, contacts[k].text, &options);
        if (k < 2) {
            expect_ok(dlp_world_set_force(one.world, 0, weigh, &strength, &error), &error);
            expect_ok(dlp_world_set_force(three.world, 0, weigh, &strength, &error), &error);
        }
        for (int32_t round = 0; round < 3; round++) {
            step_frames(one.world, 3);
            step_frames(three.world, 3);
            assert_same_world(one.world, three.world, contacts[k].name);
            edit(one.world);
            edit(three.world);
        }
        release_setup(&one);
        release_setup(&three);
    }
}

// The checkpoint is written between the edit and the next step, and long after it.
static void an_edited_and_forced_world_resumes_with_the_same_bits(void **state)
{
    (void)state;
    need_checkpoints();
    dlp_error error = {0};
    double strength = 2;
    for (int32_t k = 0; k < 3; k++)
        for (int32_t later = 0; later < 2; later++) {
            setup s = make_setup(contacts[k].text), resumed = make_setup(contacts[k].text);
            if (k < 2) expect_ok(dlp_world_set_force(s.world, 0, weigh, &strength, &error), &error);
            step_frames(s.world, 4);
            edit(s.world);
            step_frames(s.world, 2 * later);
            expect_ok(dlp_world_save(s.world, in_folder("edited.h5"), &error), &error);
            expect_ok(dlp_world_load(resumed.world, in_folder("edited.h5"), &error), &error);
            if (k < 2) expect_ok(dlp_world_set_force(resumed.world, 0, weigh, &strength, &error), &error);
            assert_same_world(s.world, resumed.world, contacts[k].name);
            step_frames(s.world, 4);
            step_frames(resumed.world, 4);
            assert_same_world(s.world, resumed.world, contacts[k].name);
            release_setup(&s);
            release_setup(&resumed);
        }
}

// Weight and push of the host both stand on the floor.
static void a_floor_bears_what_a_host_pushes(void **state)
{
    (void)state;
    dlp_error error = {0};
    double strength = g;
    const dlp_world_options options = {.size = sizeof options, .thread_count = 1, .measures_loads = true};
    setup s = make_setup_in(NULL,
                            "frames: {rate: 50, count: 100}\n"
                            "substances:\n"
                            "  body: {material: rubber, particle: {spacing: 0.02}, solid: {damping: 5},\n"
                            "         shape: {box: {min: [0, 0, 0], max: [0.08, 0.08, 0.06]}}}\n"
                            "obstacles: [{box: {min: [-1, -1, -0.2], max: [1, 1, 0]}}]\n",
                            &options);
    expect_ok(dlp_world_set_force(s.world, 0, weigh, &strength, &error), &error);
    step_frames(s.world, 60);
    dlp_vec3 impulse = {0, 0, 0};
    for (int32_t frame = 0; frame < 20; frame++) {
        step_frames(s.world, 1);
        dlp_body_force force = {.size = sizeof force};
        expect_ok(dlp_world_body_force(s.world, 0, NULL, &force, &error), &error);
        impulse = dlp_add(impulse, force.impulse);
    }
    const double weight = 2 * g * stats_of(s.world).mass;
    assert_near(impulse.z / 0.4, -weight, 0.01 * weight);
    release_setup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_force_of_m_g_is_gravity),
        cmocka_unit_test(a_force_that_is_not_finite_is_named),
        cmocka_unit_test(restrained_cloth_refuses_a_force_by_name),
        cmocka_unit_test(a_force_that_follows_the_place_makes_a_pendulum),
        cmocka_unit_test(a_written_velocity_moves_what_has_it),
        cmocka_unit_test(a_written_place_is_where_it_goes_on),
        cmocka_unit_test(a_particle_that_is_pulled_away_is_pulled_back),
        cmocka_unit_test(writing_back_what_was_read_changes_nothing),
        cmocka_unit_test(what_is_refused_changes_nothing),
        cmocka_unit_test(edits_and_forces_have_the_same_bits_on_any_number_of_threads),
        cmocka_unit_test(an_edited_and_forced_world_resumes_with_the_same_bits),
        cmocka_unit_test(a_floor_bears_what_a_host_pushes),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
