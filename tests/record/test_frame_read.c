/* Frames and runs read back from their files. */
#include "scenes.h"
#include "base/memory.h"
#include "record/file_io.h"
#include "record/frame.h"
#include "record/run_read.h"
#include "test_folder.h"

static const char hot_scene[] = "frames: {rate: 400, count: 2}\n"
                                "substances:\n"
                                "  wax: {material: butter, temperature: 40, particle: {spacing: 0.02},\n"
                                "        shape: {box: {min: [0, 0, 0], max: [0.1, 0.1, 0.1]}}}\n"
                                "obstacles:\n"
                                "  - sphere: {center: [0.2, 0, 0], radius: 0.05}\n";

static const char brittle_scene[] =
    "frames: {rate: 100, count: 2}\n"
    "substances:\n"
    "  rusk: {material: jelly, solid: {fracture: 1}, particle: {spacing: 0.02},\n"
    "         shape: {box: {min: [0, 0, 0], max: [0.1, 0.1, 0.1]}}}\n"
    "  honey: {material: honey, particle: {spacing: 0.02},\n"
    "          shape: {box: {min: [1, 0, 0], max: [1.1, 0.1, 0.1]}}}\n";

// Writes the world's frame and reads it back; every field of the world must come back bit for bit.
static void expect_same_fields(const dlp_world *world, const dlp_particle_frame *frame)
{
    dlp_error error = {0};
    const void *read[] = {frame->positions,    frame->velocities, frame->densities,  frame->pressures,
                          frame->masses,       frame->radii,      frame->substances, frame->levels,
                          frame->steps,        frame->states,     frame->ids,        frame->displacements,
                          frame->temperatures, frame->pieces};
    for (int field = 0; field < DLP_FIELD_COUNT; field++) {
        dlp_view view = {.size = sizeof view};
        expect_ok(dlp_world_field(world, (dlp_field)field, &view, &error), &error);
        if (view.components == 0) {
            assert_null(read[field]);
            continue;
        }
        assert_non_null(read[field]);
        assert_memory_equal(read[field], view.data,
                            (size_t)view.count * (size_t)view.components * size_of_type(view.type));
    }
}

static void check_frame_of(const char *text, const char *folder)
{
    dlp_error error = {0};
    setup s = make_setup(text);
    dlp_frame_list list;
    expect_ok(dlp_frame_list_init(&list, in_folder(folder), "particles", &error), &error);
    step_frames(s.world, 2);
    expect_ok(dlp_frame_write_particles(&list, s.world, &error), &error);
    char path[128];
    snprintf(path, sizeof path, "%s/particles/0002.vtp", folder);
    dlp_particle_frame frame;
    expect_ok(dlp_frame_read(in_folder(path), 2, &frame, &error), &error);
    assert_int_equal(frame.number, 2);
    assert_int_equal(frame.count, dlp_world_particle_count(s.world));
    assert_true(frame.time == dlp_world_time(s.world));
    expect_same_fields(s.world, &frame);
    dlp_particle_frame_release(&frame);
    dlp_frame_list_release(&list);
    release_setup(&s);
}

static void a_frame_comes_back_bit_for_bit(void **state)
{
    (void)state;
    check_frame_of(dam_scene, "cold");
    check_frame_of(hot_scene, "hot");
    check_frame_of(brittle_scene, "brittle");
}

static void a_frame_cut_anywhere_is_refused(void **state)
{
    (void)state;
    need_yaml();
    dlp_error error = {0};
    char *bytes;
    size_t size;
    expect_ok(dlp_file_read(in_folder("hot/particles/0002.vtp"), 1 << 24, &bytes, &size, &error), &error);
    for (size_t kept = 0; kept + 28 < size; kept += 211) {  // the last 28 bytes only close the XML
        dlp_particle_frame frame;
        expect_ok(dlp_file_write_text(in_folder("cut.vtp"), bytes, kept, &error), &error);
        assert_int_equal(dlp_frame_read(in_folder("cut.vtp"), 0, &frame, &error), DLP_IO);
        assert_non_null(strstr(error.message, "cut.vtp: damaged"));
        assert_int_equal(frame.count, 0);
    }
    dlp_free(bytes);
}

// A frame whose first number of an array is another.
static dlp_status read_forged(const char *array, const void *value, size_t value_size, dlp_error *error)
{
    static dlp_vtp_info info;
    char *bytes;
    size_t size;
    const char *path = in_folder("hot/particles/0002.vtp");
    expect_ok(dlp_file_read(path, 1 << 24, &bytes, &size, error), error);
    expect_ok(dlp_vtp_read_info(path, &info, error), error);
    for (int32_t k = 0; k < info.array_count; k++)
        if (strcmp(info.arrays[k].name, array) == 0) memcpy(bytes + info.arrays[k].begin, value, value_size);
    expect_ok(dlp_file_write_text(in_folder("forged.vtp"), bytes, size, error), error);
    dlp_free(bytes);
    dlp_particle_frame frame;
    const dlp_status status = dlp_frame_read(in_folder("forged.vtp"), 0, &frame, error);
    dlp_particle_frame_release(&frame);
    return status;
}

static void a_frame_with_numbers_that_no_run_leaves_is_refused(void **state)
{
    (void)state;
    need_yaml();
    dlp_error error = {0};
    const float not_finite = (float)NAN, infinite = (float)INFINITY, nothing = 0;
    const double far = 1e300;
    const int32_t before_first = -1;
    static const char *const reals[] = {"velocity", "density",      "pressure",   "mass",
                                        "step",     "displacement", "temperature"};
    for (size_t k = 0; k < sizeof reals / sizeof reals[0]; k++) {
        char text[64];
        snprintf(text, sizeof text, "forged.vtp: particle 0: its %s is not finite", reals[k]);
        assert_int_equal(read_forged(reals[k], &not_finite, sizeof not_finite, &error), DLP_IO);
        assert_non_null(strstr(error.message, text));
        assert_int_equal(read_forged(reals[k], &infinite, sizeof infinite, &error), DLP_IO);
    }
    assert_int_equal(read_forged("radius", &nothing, sizeof nothing, &error), DLP_IO);
    assert_non_null(strstr(error.message, "particle 0: its radius is 0 m; it must be > 0"));
    assert_int_equal(read_forged("position", &far, sizeof far, &error), DLP_IO);
    assert_non_null(strstr(error.message, "particle 0: its position is 1e+300 m; at most 1000000000 is"));
    assert_int_equal(read_forged("substance", &before_first, sizeof before_first, &error), DLP_IO);
    assert_non_null(strstr(error.message, "particle 0 is of substance -1; they count from 0"));
}

static dlp_status read_points(const dlp_vtp_array *arrays, int32_t array_count, dlp_error *error)
{
    static const double positions[6] = {0, 0, 0, 1, 2, 3};
    const dlp_vtp vtp = {.positions = {.data = positions, .count = 2, .components = 3, .type = DLP_FLOAT64},
                         .arrays = arrays,
                         .array_count = array_count};
    expect_ok(dlp_vtp_write(in_folder("points.vtp"), &vtp, error), error);
    dlp_particle_frame frame;
    return dlp_frame_read(in_folder("points.vtp"), 0, &frame, error);
}

static void a_frame_without_a_field_or_with_another_type_says_which(void **state)
{
    (void)state;
    dlp_error error = {0};
    static const double numbers[6] = {0};
    const dlp_vtp_array wrong[] = {
        {"velocity", {.data = numbers, .count = 2, .components = 3, .type = DLP_FLOAT64}}};
    assert_int_equal(read_points(NULL, 0, &error), DLP_IO);
    assert_non_null(strstr(error.message, "points.vtp: has no velocity"));
    assert_int_equal(read_points(wrong, 1, &error), DLP_IO);
    assert_non_null(strstr(error.message, "velocity is Float64[3]; in a frame of a run it is Float32[3]"));
}

static void record_run(const char *text, const char *folder, int32_t frame_count)
{
    dlp_error error = {0};
    setup s = make_setup(text);
    const dlp_recorder_def def = {.size = sizeof def, .folder = in_folder(folder), .scene = s.scene};
    dlp_recorder *recorder;
    expect_ok(dlp_recorder_open(&def, &recorder, &error), &error);
    expect_ok(dlp_recorder_frame(recorder, s.world, &error), &error);
    for (int32_t k = 0; k < frame_count; k++) {
        step_frames(s.world, 1);
        expect_ok(dlp_recorder_frame(recorder, s.world, &error), &error);
    }
    dlp_recorder_close(recorder);
    release_setup(&s);
}

static void a_run_opens_with_its_scene_frames_and_obstacles(void **state)
{
    (void)state;
    dlp_error error = {0};
    record_run(hot_scene, "run", 2);
    expect_ok(dlp_file_write_text(in_folder("run/particles/0003.vtp"), "half", 4, &error), &error);
    dlp_run run;
    expect_ok(dlp_run_open(in_folder("run"), NULL, NULL, &run, &error), &error);
    assert_int_equal(run.frame_count, 3);  // the damaged one is left out
    assert_int_equal(run.frames[2].number, 2);
    assert_int_equal(run.setting.bodies.count, 1);
    assert_string_equal(run.def->substances[0].name, "wax");
    const dlp_transform place = dlp_body_transform_at(&run.setting.bodies.items[0], 0);
    dlp_vec3 normal;
    assert_true(fabs(dlp_body_probe(&run.setting.bodies.items[0], &place, dlp_vec(0.2, 0, 0), &normal) +
                     0.05) < 1e-12);
    dlp_particle_frame frame;
    expect_ok(dlp_run_read_frame(&run, 1, &frame, &error), &error);
    assert_int_equal(frame.number, 1);
    assert_true(frame.time == run.frames[1].time);
    dlp_particle_frame_release(&frame);
    dlp_run_close(&run);
}

static void surfaces_are_found_where_they_are(void **state)
{
    (void)state;
    need_yaml();
    dlp_error error = {0};
    dlp_run run;
    expect_ok(dlp_run_open(in_folder("run"), NULL, NULL, &run, &error), &error);
    assert_null(dlp_run_surface_path(&run, -1, 7));
    expect_ok(dlp_folder_create(in_folder("run/surface"), &error), &error);
    expect_ok(dlp_folder_create(in_folder("run/surface-wax"), &error), &error);
    expect_ok(dlp_file_write_text(in_folder("run/surface/0007.ply"), "x", 1, &error), &error);
    expect_ok(dlp_file_write_text(in_folder("run/surface-wax/0007.ply"), "x", 1, &error), &error);
    char *whole = dlp_run_surface_path(&run, -1, 7), *wax = dlp_run_surface_path(&run, 0, 7);
    assert_non_null(strstr(whole, "run/surface/0007.ply"));
    assert_non_null(strstr(wax, "run/surface-wax/0007.ply"));
    assert_null(dlp_run_surface_path(&run, 0, 8));
    dlp_free(whole);
    dlp_free(wax);
    dlp_run_close(&run);
}

static void a_folder_without_a_run_is_named(void **state)
{
    (void)state;
    dlp_error error = {0};
    dlp_run run;
    assert_int_equal(dlp_run_open(in_folder("nowhere"), NULL, NULL, &run, &error), DLP_IO);
    assert_non_null(strstr(error.message, "nowhere: no such folder"));
    expect_ok(dlp_folder_create(in_folder("empty"), &error), &error);
    assert_int_equal(dlp_run_open(in_folder("empty"), NULL, NULL, &run, &error), DLP_IO);
    assert_non_null(strstr(error.message, "empty: there is no run in it"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_comes_back_bit_for_bit),
        cmocka_unit_test(a_frame_cut_anywhere_is_refused),
        cmocka_unit_test(a_frame_with_numbers_that_no_run_leaves_is_refused),
        cmocka_unit_test(a_frame_without_a_field_or_with_another_type_says_which),
        cmocka_unit_test(a_run_opens_with_its_scene_frames_and_obstacles),
        cmocka_unit_test(surfaces_are_found_where_they_are),
        cmocka_unit_test(a_folder_without_a_run_is_named),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
