/* Pressure on cloth: what it accelerates, how far it bulges a sheet, when it begins and ends. */
#include "scenes.h"
#include "base/memory.h"
#include "test_folder.h"

// A sheet of 0.15 kg/m2 in empty space, its face to the direction that is given.
#define FREE_SHEET(normal, window)                                                                           \
    "gravity: [0, 0, 0]\n"                                                                                   \
    "air_density: 0\n"                                                                                       \
    "frames: {rate: 50, count: 10}\n"                                                                        \
    "substances:\n"                                                                                          \
    "  s:\n"                                                                                                 \
    "    model: cloth\n"                                                                                     \
    "    particle: {spacing: 0.05}\n"                                                                        \
    "    cloth: {damping: 0, weight: 0.15}\n"                                                                \
    "    shape: {sheet: {normal: " normal ", size: [0.3, 0.2]}}\n"                                           \
    "loads:\n"                                                                                               \
    "  - {substance: s, pressure: 3, " window " sphere: {radius: 1}}\n"

static void expect_velocity(const char *text, int32_t frames, dlp_vec3 wanted)
{
    setup s = make_setup(text);
    step_frames(s.world, frames);
    const float *v = velocities_of(s.world);
    for (int32_t i = 0; i < dlp_world_particle_count(s.world); i++)
        for (int k = 0; k < 3; k++) assert_true(fabs((double)v[3 * i + k] - dlp_component(wanted, k)) < 1e-5);
    release_setup(&s);
}

// p / weight = 20 m/s2, against the normal.
static void pressure_pushes_a_free_sheet_against_its_normal(void **state)
{
    (void)state;
    expect_velocity(FREE_SHEET("[0, 0, 1]", ""), 5, dlp_vec(0, 0, -2));
    expect_velocity(FREE_SHEET("[0, -1, 0]", ""), 5, dlp_vec(0, 2, 0));
    expect_velocity(FREE_SHEET("[0, 0, 1]", "start: 0.02, stop: 0.06,"), 10, dlp_vec(0, 0, -0.8));
}

// Half of the angle of the arc that a strip of half the width a between two edges becomes: its tension p R is
// its stiffness times its strain.
static double half_angle(double pressure, double a, double stiffness)
{
    double low = 1e-4, high = 1.5;
    for (int k = 0; k < 60; k++) {
        const double angle = 0.5 * (low + high), sine = sin(angle);
        if (pressure * a / sine > stiffness * (angle / sine - 1))
            low = angle;
        else
            high = angle;
    }
    return low;
}

// 20 cells, 40 Pa, 500 N/m: the arc is 46.8 mm high; 0.2 % more of them are measured.
static void a_strip_between_two_edges_bulges_to_an_arc(void **state)
{
    (void)state;
    setup s = make_setup("gravity: [0, 0, 0]\n"
                         "air_density: 0\n"
                         "frames: {rate: 50, count: 100}\n"
                         "substances:\n"
                         "  s:\n"
                         "    model: cloth\n"
                         "    particle: {spacing: 0.02}\n"
                         "    cloth: {damping: 8, weight: 0.2, stretch: 500, bend: 1e-6, shear: 10}\n"
                         "    shape: {sheet: {normal: [0, 0, 1], size: [0.4, 0.1]}}\n"
                         "loads:\n"
                         "  - {substance: s, pressure: -40, sphere: {radius: 1}}\n"
                         "attachments:\n"
                         "  - {substance: s, box: {min: [-0.21, -1, -1], max: [-0.199, 1, 1]}}\n"
                         "  - {substance: s, box: {min: [0.199, -1, -1], max: [0.21, 1, 1]}}\n");
    step_frames(s.world, 100);
    double highest = 0;
    for (int32_t i = 0; i < dlp_world_particle_count(s.world); i++)
        highest = fmax(highest, positions_of(s.world)[3 * i + 2]);
    const double angle = half_angle(40, 0.2, 500), height = 0.2 * (1 - cos(angle)) / sin(angle);
    assert_true(fabs(highest / height - 1) < 0.01);
    release_setup(&s);
}

// On a floor, at rest; half of it is lifted later.
#define LYING                                                                                                \
    "frames: {rate: 50, count: 40}\n"                                                                        \
    "substances:\n"                                                                                          \
    "  s:\n"                                                                                                 \
    "    material: cotton\n"                                                                                 \
    "    particle: {spacing: 0.05}\n"                                                                        \
    "    adapt: {restraint: true}\n"                                                                         \
    "    shape: {sheet: {center: [0, 0, 0.001], size: [0.4, 0.3]}}\n"                                        \
    "obstacles:\n"                                                                                           \
    "  - box: {min: [-2, -2, -0.2], max: [2, 2, 0]}\n"                                                       \
    "loads:\n"                                                                                               \
    "  - {substance: s, pressure: -6, start: 0.5, box: {min: [0, -1, -1], max: [1, 1, 1]}}\n"

static void pressure_wakes_what_rests(void **state)
{
    (void)state;
    setup s = make_setup(LYING);
    step_frames(s.world, 24);
    assert_true(stats_of(s.world).kinetic_energy < 1e-6);
    step_frames(s.world, 8);
    double highest = 0;
    for (int32_t i = 0; i < dlp_world_particle_count(s.world); i++)
        highest = fmax(highest, positions_of(s.world)[3 * i + 2]);
    assert_true(highest > 0.05);
    release_setup(&s);
}

static void a_pressed_cloth_goes_on_bit_for_bit(void **state)
{
    (void)state;
    need_checkpoints();
    dlp_error error = {0};
    setup straight = make_setup(LYING);
    for (int32_t frame = 20; frame < 40; frame += 5) {
        while (dlp_world_frame(straight.world) < frame) step_frames(straight.world, 1);
        setup loaded = make_setup(LYING);
        expect_ok(dlp_world_save(straight.world, in_folder("pressed.h5"), &error), &error);
        expect_ok(dlp_world_load(loaded.world, in_folder("pressed.h5"), &error), &error);
        step_frames(straight.world, 3);
        step_frames(loaded.world, 3);
        assert_same_world(straight.world, loaded.world, "pressed");
        release_setup(&loaded);
    }
    release_setup(&straight);
}

// As a run's folder and its checkpoints hold it: every key is given.
static void a_scene_with_pressure_is_read_back(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup(LYING);
    char *text;
    expect_ok(dlp_scene_write(s.scene, &text, &error), &error);
    setup again = make_setup(text);
    release_setup(&again);
    release_setup(&s);
    dlp_free(text);
}

static void a_load_that_presses_nothing_is_refused(void **state)
{
    (void)state;
    static const char text[] = FREE_SHEET("[0, 0, 1]", "position: [5, 0, 0],");
    dlp_error error = {0};
    dlp_scene *scene = NULL;
    dlp_world *world = NULL;
    need_yaml();
    expect_ok(dlp_scene_read_text(text, strlen(text), "a.yaml", NULL, &scene, &error), &error);
    assert_int_equal(dlp_world_create(scene, NULL, &world, &error), DLP_INVALID);
    assert_non_null(
        strstr(error.message, "loads[0]: no triangle of s starts with its middle inside its shape"));
    dlp_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressure_pushes_a_free_sheet_against_its_normal),
        cmocka_unit_test(a_strip_between_two_edges_bulges_to_an_arc),
        cmocka_unit_test(pressure_wakes_what_rests),
        cmocka_unit_test(a_pressed_cloth_goes_on_bit_for_bit),
        cmocka_unit_test(a_scene_with_pressure_is_read_back),
        cmocka_unit_test(a_load_that_presses_nothing_is_refused),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
