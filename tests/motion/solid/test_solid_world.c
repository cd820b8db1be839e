/* Solids in a world: their fields between those of smoothed particles and of cloth, their statistics, and
 * going on after a checkpoint. */
#include "base/memory.h"
#include "motion/cloth/cloth.h"
#include "motion/sph/sph.h"
#include "scenes.h"
#include "test_folder.h"

#include <stdlib.h>

// 6 x 5 x 4 particles in free fall.
static const char fall_scene[] = "frames: {rate: 100, count: 6}\n"
                                 "substances:\n"
                                 "  body:\n"
                                 "    material: jelly\n"
                                 "    particle: {spacing: 0.02}\n"
                                 "    velocity: [0.3, 0, 0]\n"
                                 "    shape: {box: {min: [0, 0, 1], max: [0.12, 0.1, 1.08]}}\n";

// The scene has the solid last; fields have it between honey and cloth.
static const char mixed_scene[] = "frames: {rate: 100, count: 6}\n"
                                  "substances:\n"
                                  "  sheet:\n"
                                  "    material: silk\n"
                                  "    particle: {spacing: 0.02}\n"
                                  "    shape: {sheet: {center: [0, 0, 0.25], size: [0.2, 0.2]}}\n"
                                  "  honey:\n"
                                  "    material: honey\n"
                                  "    particle: {spacing: 0.02}\n"
                                  "    shape: {box: {min: [-0.06, -0.06, 0], max: [0.06, 0.06, 0.1]}}\n"
                                  "  body:\n"
                                  "    material: jelly\n"
                                  "    particle: {spacing: 0.02}\n"
                                  "    shape: {box: {min: [0.3, 0, 0.01], max: [0.36, 0.06, 0.07]}}\n"
                                  "obstacles:\n"
                                  "  - box: {min: [-1, -1, -0.2], max: [1, 1, 0]}\n";
enum { BODY = 27, SHEET = 121 };

static void a_filled_box_has_its_whole_mass_and_falls_freely(void **state)
{
    (void)state;
    setup s = make_setup(fall_scene);
    assert_int_equal(dlp_world_particle_count(s.world), 6 * 5 * 4);
    const double mass = 1050 * 0.12 * 0.1 * 0.08;
    assert_near(stats_of(s.world).mass, mass, 1e-12 * mass);
    step_frames(s.world, 4);
    const dlp_stats stats = stats_of(s.world);
    assert_near(stats.time, 0.04, 1e-15);
    assert_near(stats.momentum.x, 0.3 * mass, 1e-6 * mass);
    assert_near(stats.momentum.z, -9.81 * 0.04 * mass, 1e-6 * mass);
    assert_int_equal(stats.particles, 120);
    assert_int_equal(stats.active, 120);
    release_setup(&s);
}

static void a_body_at_rest_has_its_density_and_radius(void **state)
{
    (void)state;
    setup s = make_setup(fall_scene);
    const float *density = field_of(s.world, DLP_FIELD_DENSITY).data,
                *radius = field_of(s.world, DLP_FIELD_RADIUS).data,
                *pressure = field_of(s.world, DLP_FIELD_PRESSURE).data;
    for (int32_t i = 0; i < 120; i++) {
        assert_near((double)density[i], 1050, 0.1);
        assert_near((double)radius[i], 0.02 * cbrt(3 / (4 * DLP_PI)), 1e-8);
        assert_near((double)pressure[i], 0, 1);
    }
    release_setup(&s);
}

static void fields_hold_what_flows_then_solids_then_cloth(void **state)
{
    (void)state;
    setup s = make_setup(mixed_scene);
    step_frames(s.world, 2);
    const dlp_view substances = field_of(s.world, DLP_FIELD_SUBSTANCE), ids = field_of(s.world, DLP_FIELD_ID);
    const int32_t *substance = substances.data;
    const int64_t *id = ids.data;
    const int32_t honey = substances.count - BODY - SHEET;
    assert_true(honey > 100);
    assert_int_equal(dlp_world_count_of(s.world, &dlp_sph_solver), honey);
    for (int32_t i = 0; i < substances.count; i++)
        assert_int_equal(substance[i], i < honey ? 1 : i < honey + BODY ? 2 : 0);
    for (int32_t i = 0; i < ids.count; i++)
        for (int32_t j = 0; j < i; j++) assert_true(id[i] != id[j]);
    for (int k = 0; k < DLP_FIELD_COUNT; k++) {
        const dlp_view view = field_of(s.world, (dlp_field)k);
        assert_int_equal(view.count,
                         k == DLP_FIELD_TEMPERATURE || k == DLP_FIELD_PIECE ? 0 : substances.count);
    }
    release_setup(&s);
}

// Every corner of the cloth's triangles is a particle of the cloth.
static void triangles_of_cloth_pass_over_solids(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup(mixed_scene);
    dlp_cloth_topology topology;
    expect_ok(dlp_world_cloth_topology(s.world, &topology, &error), &error);
    const int32_t *substance = field_of(s.world, DLP_FIELD_SUBSTANCE).data;
    assert_int_equal(topology.particle_count, SHEET);
    assert_int_equal(topology.triangle_count, 2 * 10 * 10);
    for (int32_t t = 0; t < topology.triangle_count; t++)
        for (int corner = 0; corner < 3; corner++)
            assert_int_equal(substance[topology.triangles[t][corner]], 0);
    release_setup(&s);
}

static void a_kick_reaches_each_particle_of_each_solver(void **state)
{
    (void)state;
    setup s = make_setup(mixed_scene);
    const size_t count = 3 * (size_t)dlp_world_particle_count(s.world);
    float *before = malloc(count * sizeof *before), *kicks = malloc(count * sizeof *kicks);
    assert_true(before != NULL && kicks != NULL);
    memcpy(before, velocities_of(s.world), count * sizeof *before);
    for (size_t k = 0; k < count; k++) kicks[k] = 0.25f * (float)(k % 7);
    dlp_world_add_velocity(s.world, kicks);
    const float *after = velocities_of(s.world);
    for (size_t k = 0; k < count; k++) assert_true(after[k] == before[k] + kicks[k]);
    free(before);
    free(kicks);
    release_setup(&s);
}

static void statistics_of_all_solvers_add_up(void **state)
{
    (void)state;
    setup s = make_setup(mixed_scene);
    step_frames(s.world, 1);
    const dlp_stats stats = stats_of(s.world);
    const float *mass = field_of(s.world, DLP_FIELD_MASS).data, *v = velocities_of(s.world);
    double whole = 0, momentum = 0;
    for (int32_t i = 0; i < stats.particles; i++) {
        whole += (double)mass[i];
        momentum += (double)mass[i] * (double)v[3 * i + 2];
    }
    assert_int_equal(stats.particles, dlp_world_particle_count(s.world));
    assert_int_equal(stats.active + stats.restrained, stats.particles);
    assert_near(stats.mass, whole, 1e-6 * whole);
    assert_near(stats.momentum.z, momentum, 1e-5 * fabs(momentum));
    assert_near(stats.time, 0.01, 1e-15);
    release_setup(&s);
}

// Going on.

static void a_loaded_world_goes_on_bit_for_bit(void **state)
{
    (void)state;
    need_checkpoints();
    const char *const texts[] = {fall_scene, mixed_scene};
    for (int k = 0; k < 2; k++) {
        dlp_error error = {0};
        setup straight = make_setup(texts[k]), saved = make_setup(texts[k]), loaded = make_setup(texts[k]);
        step_frames(straight.world, 6);
        step_frames(saved.world, 3);
        expect_ok(dlp_world_save(saved.world, in_folder("state.h5"), &error), &error);
        expect_ok(dlp_world_load(loaded.world, in_folder("state.h5"), &error), &error);
        assert_int_equal(dlp_world_frame(loaded.world), 3);
        assert_same_world(saved.world, loaded.world, "loaded");
        step_frames(loaded.world, 3);
        assert_same_world(straight.world, loaded.world, "resumed");
        release_setup(&straight);
        release_setup(&saved);
        release_setup(&loaded);
    }
}

static bool stop_after(const dlp_progress *progress, void *user)
{
    const int64_t *after = user;
    assert_true(progress->frame_fraction > 0 && progress->frame_fraction <= 1);
    return progress->step_count < *after;
}

static bool count_steps(const dlp_progress *progress, void *user)
{
    int64_t *steps = user;
    *steps = progress->step_count;
    return true;
}

// Stopped in the middle of each solver's part of a frame.
static void an_interrupted_frame_is_finished_bit_for_bit(void **state)
{
    (void)state;
    need_checkpoints();
    int64_t steps = 0;
    const dlp_world_options counting = {
        .size = sizeof counting, .thread_count = 1, .progress = count_steps, .user = &steps};
    setup straight = make_setup_in(NULL, mixed_scene, &counting);
    step_frames(straight.world, 1);
    const int64_t first = steps;
    step_frames(straight.world, 1);
    for (int64_t after = first + 1; after < steps; after += 1 + (steps - first) / 5) {
        dlp_error error = {0};
        const dlp_world_options options = {
            .size = sizeof options, .thread_count = 1, .progress = stop_after, .user = &after};
        setup broken = make_setup_in(NULL, mixed_scene, &options), loaded = make_setup(mixed_scene);
        dlp_status status = DLP_OK;
        while (status == DLP_OK && dlp_world_frame(broken.world) < 2)
            status = dlp_world_step_frame(broken.world, &error);
        assert_int_equal(status, DLP_INTERRUPTED);
        expect_ok(dlp_world_save(broken.world, in_folder("broken.h5"), &error), &error);
        expect_ok(dlp_world_load(loaded.world, in_folder("broken.h5"), &error), &error);
        while (dlp_world_frame(loaded.world) < 2) step_frames(loaded.world, 1);
        assert_same_world(straight.world, loaded.world, "interrupted");
        release_setup(&broken);
        release_setup(&loaded);
    }
    release_setup(&straight);
}

static void more_threads_change_no_bit(void **state)
{
    (void)state;
    const dlp_world_options options = {.size = sizeof options, .thread_count = 3};
    setup one = make_setup(mixed_scene), three = make_setup_in(NULL, mixed_scene, &options);
    step_frames(one.world, 4);
    step_frames(three.world, 4);
    assert_same_world(one.world, three.world, "3 threads");
    release_setup(&one);
    release_setup(&three);
}

static void gravity_changes_while_the_world_moves(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup(fall_scene);
    step_frames(s.world, 1);
    expect_ok(dlp_world_set(s.world, "gravity", "[0, 0, 19.62]", &error), &error);
    step_frames(s.world, 1);
    const dlp_stats stats = stats_of(s.world);
    assert_near(stats.momentum.z / stats.mass, 0.01 * 9.81, 1e-6);
    release_setup(&s);
}

// Both were far from everything before.
static void an_obstacle_that_is_set_elsewhere_is_met_there(void **state)
{
    (void)state;
    static const char scene[] = "frames: {rate: 100, count: 6}\n"
                                "gravity: [0, 0, 0]\n"
                                "substances:\n"
                                "  body:\n"
                                "    material: jelly\n"
                                "    particle: {spacing: 0.02}\n"
                                "    shape: {box: {min: [0, 0, 1], max: [0.12, 0.1, 1.08]}}\n"
                                "  sheet:\n"
                                "    material: silk\n"
                                "    particle: {spacing: 0.02}\n"
                                "    shape: {sheet: {center: [0.5, 0, 1], size: [0.2, 0.2]}}\n"
                                "obstacles:\n"
                                "  - box: {min: [-1, -1, -1], max: [1, 1, 0]}\n"
                                "    position: [0, 0, -9]\n";
    dlp_error error = {0};
    setup s = make_setup(scene);
    step_frames(s.world, 1);
    expect_ok(dlp_world_set(s.world, "obstacles[0].position", "[0, 0, 1.03]", &error), &error);
    step_frames(s.world, 1);
    const double *places = positions_of(s.world);
    for (int32_t i = 0; i < dlp_world_particle_count(s.world); i++) assert_true(places[3 * i + 2] > 1.03);
    release_setup(&s);
}

static void solids_of_one_scene_share_an_integrator(void **state)
{
    (void)state;
    static const char scene[] = "{\"substances\": {\n"
                                " \"a\": {\"material\": \"jelly\", \"particle\": {\"spacing\": 0.02}, "
                                "\"solid\": {\"integrator\": \"euler\"},\n"
                                "  \"shape\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.1, 0.1, 0.1]}}},\n"
                                " \"b\": {\"material\": \"jelly\", \"particle\": {\"spacing\": 0.02},\n"
                                "  \"shape\": {\"box\": {\"min\": [1, 0, 0], \"max\": [1.1, 0.1, 0.1]}}}}}\n";
    dlp_error error = {0};
    dlp_scene *parsed;
    dlp_world *world;
    expect_ok(dlp_scene_read_text(scene, strlen(scene), "test", NULL, &parsed, &error), &error);
    assert_int_equal(dlp_world_create(parsed, NULL, &world, &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "substances.b.solid.integrator"));
    dlp_scene_destroy(parsed);
}

// Messages.

static const char tangle_scene[] =
    "frames: {rate: 100, count: 1}\n"
    "substances:\n"
    "  brick:\n    model: solid\n    density: 1000\n    particle: {spacing: 0.02}\n"
    "    shape: {box: {min: [0, 0, 0], max: [0.1, 0.1, 0.1]}, copies: {count: [3, 1, 1], spacing: [%g, 0, "
    "0]}}\n"
    "  ball:\n    model: solid\n    density: 1000\n    particle: {spacing: 0.02}\n"
    "    shape: {sphere: {center: [0.05, 0.05, %g], radius: 0.05}}\n";

static void keep_messages(const char *message, void *user)
{
    char *text = user;
    if (strstr(message, "caught") != NULL) strncat(text, message, 1000 - strlen(text) - 1);
}

// Side by side, with faces or a point that touch, nothing is told.
static void solids_that_start_inside_one_another_are_told_by_name(void **state)
{
    (void)state;
    const double apart[] = {0.1, 0.1, 0.07}, height[] = {0.15, 0.12, 0.15};
    const char *const expected[] = {NULL, "of ball start inside brick",
                                    "of brick start inside another of its own"};
    for (int k = 0; k < 3; k++) {
        char text[1000], told[1000] = "";
        const dlp_world_options options = {
            .size = sizeof options, .thread_count = 1, .log = keep_messages, .user = told};
        snprintf(text, sizeof text, tangle_scene, apart[k], height[k]);
        setup s = make_setup_in(NULL, text, &options);
        if (expected[k] == NULL)
            assert_string_equal(told, "");
        else
            assert_non_null(strstr(told, expected[k]));
        release_setup(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solids_that_start_inside_one_another_are_told_by_name),
        cmocka_unit_test(a_filled_box_has_its_whole_mass_and_falls_freely),
        cmocka_unit_test(a_body_at_rest_has_its_density_and_radius),
        cmocka_unit_test(fields_hold_what_flows_then_solids_then_cloth),
        cmocka_unit_test(triangles_of_cloth_pass_over_solids),
        cmocka_unit_test(a_kick_reaches_each_particle_of_each_solver),
        cmocka_unit_test(statistics_of_all_solvers_add_up),
        cmocka_unit_test(a_loaded_world_goes_on_bit_for_bit),
        cmocka_unit_test(an_interrupted_frame_is_finished_bit_for_bit),
        cmocka_unit_test(more_threads_change_no_bit),
        cmocka_unit_test(gravity_changes_while_the_world_moves),
        cmocka_unit_test(an_obstacle_that_is_set_elsewhere_is_met_there),
        cmocka_unit_test(solids_of_one_scene_share_an_integrator),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
