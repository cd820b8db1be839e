/* Cloth in a world: its fields beside those of smoothed particles, its surfaces, its frames, and going on
 * after a checkpoint. */
#include "base/memory.h"
#include "record/frame.h"
#include "record/frame_read.h"
#include "record/reskin.h"
#include "scenes.h"
#include "skin/skin.h"
#include "test_folder.h"

// Falls on a ball: on its way some of its particles stop, and the air's forces on them stay what they were.
static const char drape_scene[] =
    "frames: {rate: 50, count: 30}\n"
    "substances:\n"
    "  sheet:\n"
    "    material: cotton\n"
    "    particle: {spacing: 0.05}\n"
    "    shape: {sheet: {center: [0.02, 0.01, 0.3], size: [0.5, 0.4]}}\n"
    "obstacles:\n"
    "  - {name: ball, sphere: {center: [0, 0, 0.1], radius: 0.12}, friction: 0.6}\n"
    "  - {name: floor, box: {min: [-2, -2, -0.2], max: [2, 2, 0]}, friction: 0.5}\n";

// 11 x 6 particles, held at two corners.
#define HANG_WITH(extra)                                                                                     \
    "frames: {rate: 50, count: 6}\n"                                                                         \
    "substances:\n"                                                                                          \
    "  sheet:\n"                                                                                             \
    "    material: cotton\n"                                                                                 \
    "    particle: {spacing: 0.05}\n" extra "    shape: {sheet: {center: [0, 0, 0.5], size: [0.5, 0.25]}}\n" \
    "attachments:\n"                                                                                         \
    "  - {substance: sheet, sphere: {center: [-0.25, 0.125, 0.5], radius: 0.01}}\n"                          \
    "  - {substance: sheet, sphere: {center: [0.25, 0.125, 0.5], radius: 0.01},\n"                           \
    "     position: {keys: [[0, [0, 0, 0]], [0.1, [-0.05, 0, 0]]]}}\n"

#define HANG HANG_WITH("")
static const char hang_scene[] = HANG;

// The cloth comes first in the scene, the particles of honey first in the fields.
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
                                  "obstacles:\n"
                                  "  - box: {min: [-1, -1, -0.2], max: [1, 1, 0]}\n";

static void a_sheet_has_a_particle_at_every_corner_and_its_whole_weight(void **state)
{
    (void)state;
    setup s = make_setup(hang_scene);
    assert_int_equal(dlp_world_particle_count(s.world), 11 * 6);
    const double *x = positions_of(s.world);
    assert_near(x[0], -0.25, 1e-12);
    assert_near(x[1], -0.125, 1e-12);
    const dlp_stats stats = stats_of(s.world);
    assert_near(stats.mass, 0.15 * 0.5 * 0.25, 1e-15);
    assert_int_equal(stats.particles, 66);
    assert_near(stats.potential_energy, stats.mass * 9.81 * 0.5, 1e-12);
    const float *mass = field_of(s.world, DLP_FIELD_MASS).data;
    double sum = 0;
    for (int32_t i = 0; i < 66; i++) sum += (double)mass[i];
    assert_near(sum, stats.mass, 1e-8);
    release_setup(&s);
}

static void fields_hold_smoothed_particles_then_cloth(void **state)
{
    (void)state;
    setup s = make_setup(mixed_scene);
    step_frames(s.world, 2);
    const dlp_view substances = field_of(s.world, DLP_FIELD_SUBSTANCE), ids = field_of(s.world, DLP_FIELD_ID);
    const int32_t *substance = substances.data;
    const int64_t *id = ids.data;
    const int32_t honey = substances.count - 11 * 11;
    assert_true(honey > 100);
    for (int32_t i = 0; i < substances.count; i++) assert_int_equal(substance[i], i < honey ? 1 : 0);
    for (int32_t i = 0; i < ids.count; i++)
        for (int32_t j = 0; j < i; j++) assert_true(id[i] != id[j]);
    for (int k = 0; k < DLP_FIELD_COUNT; k++) {
        const dlp_view view = field_of(s.world, (dlp_field)k);
        assert_int_equal(view.count,
                         k == DLP_FIELD_TEMPERATURE || k == DLP_FIELD_PIECE ? 0 : substances.count);
    }
    const float *density = field_of(s.world, DLP_FIELD_DENSITY).data;
    assert_near((double)density[honey], 0.06 / 0.0002, 1e-3);
    assert_true(density[0] > 1000);
    release_setup(&s);
}

static void statistics_of_both_solvers_add_up(void **state)
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

// Surfaces.

static dlp_surface_view surface_of(setup *s, int32_t surface, dlp_skin **out_skin)
{
    dlp_error error = {0};
    dlp_surface_view view = {.size = sizeof view};
    expect_ok(dlp_skin_create(s->world, out_skin, &error), &error);
    expect_ok(dlp_skin_update(*out_skin, &error), &error);
    expect_ok(dlp_skin_surface(*out_skin, surface, &view, &error), &error);
    return view;
}

static void the_surface_of_a_sheet_is_the_sheet(void **state)
{
    (void)state;
    setup s = make_setup(hang_scene);
    dlp_skin *skin;
    const dlp_surface_view view = surface_of(&s, 0, &skin);
    assert_true(view.is_cloth && view.name == NULL);
    assert_int_equal(view.vertex_count, 66);
    assert_int_equal(view.triangle_count, 2 * 10 * 5);
    assert_near(view.area, 0.5 * 0.25, 1e-14);
    assert_true(view.volume == 0);
    assert_memory_equal(view.vertices, positions_of(s.world), 66 * sizeof *view.vertices);
    for (int32_t v = 0; v < 66; v++) assert_near((double)view.normals[3 * v + 2], 1, 1e-6);
    dlp_surface_mesh_report report;
    assert_int_equal(dlp_surface_mesh_check(dlp_skin_mesh_at(skin, 0), &report, NULL), DLP_OK);
    assert_int_equal(report.mesh.open_edges, 2 * (10 + 5));
    assert_int_equal(report.mesh.holes, 1);
    assert_int_equal(report.mesh.nonmanifold_edges + report.mesh.misoriented_edges + report.flipped_normals,
                     0);
    dlp_skin_destroy(skin);
    release_setup(&s);
}

static void a_rope_has_a_closed_tube_of_its_width(void **state)
{
    (void)state;
    setup s = make_setup("substances:\n"
                         "  rope:\n"
                         "    model: cloth\n"
                         "    particle: {spacing: 0.1}\n"
                         "    cloth: {width: 0.02}\n"
                         "    shape: {capsule: {from: [0, 0, 0], to: [1, 0, 0], radius: 0.01}}\n");
    assert_int_equal(dlp_world_particle_count(s.world), 11);
    dlp_skin *skin;
    surface_of(&s, 0, &skin);
    dlp_surface_mesh_report report;
    assert_int_equal(dlp_surface_mesh_check(dlp_skin_mesh_at(skin, 0), &report, NULL), DLP_OK);
    assert_true(report.mesh.is_watertight && report.is_sound);
    // a prism over a regular octagon in a circle of half the width
    assert_near(report.mesh.volume, 8 * 0.5 * 0.01 * 0.01 * sin(DLP_PI / 4), 1e-12);
    assert_near(report.mesh.bounds.max.x, 1, 1e-12);
    dlp_skin_destroy(skin);
    release_setup(&s);
}

static void cloth_and_honey_have_a_surface_each(void **state)
{
    (void)state;
    setup s = make_setup(mixed_scene);
    dlp_skin *skin;
    const dlp_surface_view sheet = surface_of(&s, 0, &skin);
    assert_string_equal(sheet.name, "sheet");
    assert_near(sheet.area, 0.04, 1e-14);
    dlp_surface_view honey = {.size = sizeof honey};
    assert_int_equal(dlp_skin_surface(skin, 1, &honey, NULL), DLP_OK);
    assert_false(honey.is_cloth);
    assert_near(stats_of(s.world).volume, honey.volume, 1e-15);  // what the closed surfaces enclose
    dlp_skin_destroy(skin);
    release_setup(&s);
}

// Frames.

static void a_recorded_frame_holds_the_triangles(void **state)
{
    (void)state;
    setup s = make_setup(mixed_scene);
    dlp_error error = {0};
    dlp_frame_list list;
    expect_ok(dlp_frame_list_init(&list, test_folder, "particles", &error), &error);
    expect_ok(dlp_frame_write_particles(&list, s.world, &error), &error);
    dlp_particle_frame frame;
    expect_ok(dlp_frame_read(in_folder("particles/0000.vtp"), 0, &frame, &error), &error);
    dlp_cloth_topology topology;
    expect_ok(dlp_world_cloth_topology(s.world, &topology, &error), &error);
    assert_int_equal(topology.triangle_count, 200);
    assert_int_equal(frame.topology.triangle_count, 200);
    assert_memory_equal(frame.topology.triangles, topology.triangles, 200 * sizeof *topology.triangles);
    assert_int_equal(frame.count, dlp_world_particle_count(s.world));
    dlp_particle_frame_release(&frame);
    dlp_frame_list_release(&list);
    release_setup(&s);
}

static void surfaces_made_again_are_those_of_the_run(void **state)
{
    (void)state;
    need_yaml();
    dlp_error error = {0};
    setup s = make_setup(mixed_scene);
    const dlp_recorder_def def = {
        .size = sizeof def, .folder = in_folder("run"), .scene = s.scene, .mode = DLP_RUN_FRESH};
    dlp_recorder *recorder;
    expect_ok(dlp_recorder_open(&def, &recorder, &error), &error);
    for (int32_t k = 0; k < 3; k++) {
        expect_ok(dlp_recorder_frame(recorder, s.world, &error), &error);
        step_frames(s.world, 1);
    }
    expect_ok(dlp_recorder_frame(recorder, s.world, &error), &error);
    dlp_run run;
    expect_ok(dlp_run_open(in_folder("run"), NULL, NULL, &run, &error), &error);
    const dlp_reskin_def again = {.run = &run, .folder = in_folder("again")};
    dlp_reskin *reskin;
    expect_ok(dlp_reskin_create(&again, &reskin, &error), &error);
    expect_ok(dlp_reskin_make(reskin, 3, &error), &error);
    dlp_skin *skin;
    const dlp_surface_view first = surface_of(&s, 0, &skin);
    dlp_surface_view second = {.size = sizeof second};
    expect_ok(dlp_skin_surface(dlp_reskin_skin(reskin), 0, &second, &error), &error);
    assert_int_equal(first.vertex_count, second.vertex_count);
    assert_int_equal(first.triangle_count, second.triangle_count);
    assert_memory_equal(first.vertices, second.vertices, (size_t)first.vertex_count * sizeof *first.vertices);
    assert_memory_equal(first.normals, second.normals, (size_t)first.vertex_count * 3 * sizeof(float));
    dlp_skin_destroy(skin);
    dlp_reskin_destroy(reskin);
    dlp_run_close(&run);
    dlp_recorder_close(recorder);
    release_setup(&s);
}

// Going on.

static void a_loaded_world_goes_on_bit_for_bit(void **state)
{
    (void)state;
    need_checkpoints();
    const char *const texts[] = {hang_scene, mixed_scene};
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

// Tearing makes particles: more than the scene starts with.
static void a_draped_cloth_goes_on_bit_for_bit(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup straight = make_setup(drape_scene);
    step_frames(straight.world, 18);
    for (int32_t k = 0; k < 4; k++) {
        setup loaded = make_setup(drape_scene);
        expect_ok(dlp_world_save(straight.world, in_folder("draped.h5"), &error), &error);
        expect_ok(dlp_world_load(loaded.world, in_folder("draped.h5"), &error), &error);
        step_frames(straight.world, 1);
        step_frames(loaded.world, 1);
        assert_same_world(straight.world, loaded.world, "draped");
        release_setup(&loaded);
    }
    release_setup(&straight);
}

static void a_torn_cloth_goes_on_bit_for_bit(void **state)
{
    (void)state;
    need_checkpoints();
    static const char text[] = HANG_WITH(
        "    cloth: {tear: 0.1}\n") "  - {substance: sheet, box: {min: [-1, -0.13, 0], max: [1, -0.12, 1]},\n"
                                    "     position: {keys: [[0, [0, 0, 0]], [0.1, [0, -0.3, 0]]]}}\n";
    dlp_error error = {0};
    setup straight = make_setup(text), loaded = make_setup(text);
    assert_int_equal(dlp_world_particle_count(loaded.world), 66);
    step_frames(straight.world, 5);
    assert_true(dlp_world_particle_count(straight.world) > 66);
    expect_ok(dlp_world_save(straight.world, in_folder("torn.h5"), &error), &error);
    expect_ok(dlp_world_load(loaded.world, in_folder("torn.h5"), &error), &error);
    assert_same_world(straight.world, loaded.world, "torn");
    step_frames(straight.world, 2);
    step_frames(loaded.world, 2);
    assert_same_world(straight.world, loaded.world, "torn, then moved");
    release_setup(&straight);
    release_setup(&loaded);
}

typedef struct stopper {
    int64_t after;
} stopper;

static bool stop_after(const dlp_progress *progress, void *user)
{
    const stopper *s = user;
    assert_true(progress->frame_fraction > 0 && progress->frame_fraction <= 1);
    return progress->step_count < s->after;
}

// Stopped in the middle of either solver's part of a frame.
static void an_interrupted_frame_is_finished_bit_for_bit(void **state)
{
    (void)state;
    need_checkpoints();
    setup straight = make_setup(mixed_scene);
    step_frames(straight.world, 2);
    const int64_t steps = stats_of(straight.world).substeps;
    for (int64_t k = 0; k < 4; k++) {
        dlp_error error = {0};
        stopper stop = {steps + 1 + k * (steps - 1) / 3};
        const dlp_world_options options = {
            .size = sizeof options, .thread_count = 1, .progress = stop_after, .user = &stop};
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

static void the_wind_changes_while_the_world_moves(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup(HANG "gravity: [0, 0, 0]\n");
    step_frames(s.world, 1);
    expect_ok(dlp_world_set(s.world, "wind", "[0, 0, 5]", &error), &error);
    step_frames(s.world, 3);
    assert_true(stats_of(s.world).momentum.z > 0);
    release_setup(&s);
}

// A sheet that hangs at rest in a wind: held particles do not move, but feel more of it.
static void drag_that_grows_is_felt_by_what_rests(void **state)
{
    (void)state;
    dlp_error error = {0};
    static const char text[] = HANG_WITH("    adapt: {restraint: true}\n"
                                         "    cloth: {damping: 8, drag: 0.1}\n") "wind: [0, 1, 0]\n";
    setup s = make_setup(text);
    step_frames(s.world, 300);
    const dlp_stats rest = stats_of(s.world);
    assert_int_equal(rest.restrained, rest.particles);
    expect_ok(dlp_world_set(s.world, "substances.sheet.cloth.drag", "20", &error), &error);
    step_frames(s.world, 10);
    assert_true(stats_of(s.world).restrained < rest.particles / 2);
    release_setup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sheet_has_a_particle_at_every_corner_and_its_whole_weight),
        cmocka_unit_test(fields_hold_smoothed_particles_then_cloth),
        cmocka_unit_test(statistics_of_both_solvers_add_up),
        cmocka_unit_test(the_surface_of_a_sheet_is_the_sheet),
        cmocka_unit_test(a_rope_has_a_closed_tube_of_its_width),
        cmocka_unit_test(cloth_and_honey_have_a_surface_each),
        cmocka_unit_test(a_recorded_frame_holds_the_triangles),
        cmocka_unit_test(surfaces_made_again_are_those_of_the_run),
        cmocka_unit_test(a_loaded_world_goes_on_bit_for_bit),
        cmocka_unit_test(a_draped_cloth_goes_on_bit_for_bit),
        cmocka_unit_test(a_torn_cloth_goes_on_bit_for_bit),
        cmocka_unit_test(an_interrupted_frame_is_finished_bit_for_bit),
        cmocka_unit_test(more_threads_change_no_bit),
        cmocka_unit_test(the_wind_changes_while_the_world_moves),
        cmocka_unit_test(drag_that_grows_is_felt_by_what_rests),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
