/* A recorded run: which files it leaves, when it refuses, and that a resumed one cannot be told from a
 * straight one. */
#include "scenes.h"
#include "base/memory.h"
#include "record/checkpoint.h"
#include "record/csv.h"
#include "record/file_io.h"
#include "record/png.h"
#include "test_folder.h"

#include <stdlib.h>

static const char plane_scene[] = "dimension: 2\n"
                                  "frames: {rate: 50, count: 6}\n"
                                  "substances:\n"
                                  "  water: {material: water, particle: {spacing: 0.02},\n"
                                  "          shape: {box: {min: [0, 0], max: [0.3, 0.2]}}}\n"
                                  "obstacles:\n"
                                  "  - box: {min: [0, 0], max: [0.6, 0.6], inside: true}\n"
                                  "probes:\n"
                                  "  floor: {body: obstacle0, rate: 430}\n"
                                  "  deep: {point: [0.1, 0.05], radius: 0.02, rate: 430}\n"
                                  "  flow: {point: [0.1, 0.05], measure: velocity}\n"
                                  "  level: {line: {from: [0.1, 0], to: [0.1, 0.5]}}\n";

typedef struct run {
    setup s;
    dlp_recorder *recorder;
} run;

static dlp_status open_run(const char *text, const char *folder, dlp_run_mode mode, run *out,
                           dlp_error *error)
{
    out->s = make_setup(text);
    const dlp_recorder_def def = {
        .size = sizeof def, .folder = in_folder(folder), .scene = out->s.scene, .mode = mode};
    const dlp_status status = dlp_recorder_open(&def, &out->recorder, error);
    return status == DLP_OK ? dlp_recorder_restore(out->recorder, out->s.world, error) : status;
}

static void close_run(run *r)
{
    dlp_recorder_close(r->recorder);
    release_setup(&r->s);
}

// As the command does it: records where it stands, then steps and records.
static void record_until(run *r, int32_t frame)
{
    dlp_error error = {0};
    expect_ok(dlp_recorder_frame(r->recorder, r->s.world, &error), &error);
    while (dlp_world_frame(r->s.world) < frame) {
        step_frames(r->s.world, 1);
        expect_ok(dlp_recorder_frame(r->recorder, r->s.world, &error), &error);
    }
}

static void make_run(const char *text, const char *folder, dlp_run_mode mode, int32_t frame)
{
    dlp_error error = {0};
    run r = {0};
    expect_ok(open_run(text, folder, mode, &r, &error), &error);
    record_until(&r, frame);
    expect_ok(dlp_recorder_finish(r.recorder, r.s.world, &error), &error);
    close_run(&r);
}

static char *read_in(const char *folder, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    dlp_error error = {0};
    char *text;
    size_t size;
    expect_ok(dlp_file_read(in_folder(path), 1 << 24, &text, &size, &error), &error);
    return text;
}

static bool is_there(const char *folder, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return dlp_file_exists(in_folder(path));
}

static void a_run_leaves_its_files(void **state)
{
    (void)state;
    make_run(plane_scene, "plain", DLP_RUN_FRESH, 3);
    static const char *const names[] = {"scene.yaml",         "stats.csv",          "probes.csv",
                                        "particles/0000.vtp", "particles/0003.vtp", "particles.pvd"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (!is_there("plain", names[k])) fail_msg("%s is missing", names[k]);
    }
    assert_false(is_there("plain", "particles/0004.vtp"));
    if (dlp_checkpoint_is_available()) assert_true(is_there("plain", "checkpoint.h5"));
    if (dlp_png_is_available()) assert_true(is_there("plain", "preview.png"));
    char *stats = read_in("plain", "stats.csv");
    static const char columns[] =
        "frame,time,particles,active,restrained,splits,merges,substeps,force_evaluations,"
        "neighbours_mean,dt_min,dt_max,kinetic_energy,potential_energy,momentum_x,momentum_y,"
        "momentum_z,mass,volume,density_error_mean,density_error_max,wall_motion,wall_skin,"
        "wall_record";
    assert_memory_equal(stats, columns, sizeof columns - 1);
    int rows = 0;
    for (const char *c = stats; *c != '\0'; c++) rows += *c == '\n';
    assert_int_equal(rows, 1 + 4);  // the header and frames 0 to 3
    assert_null(strstr(stats, "nan"));
    dlp_free(stats);
    char *probes = read_in("plain", "probes.csv");
    assert_null(strstr(probes, "nan"));
    dlp_free(probes);
}

static dlp_csv_data read_table(const char *folder, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    dlp_error error = {0};
    dlp_csv_data data;
    expect_ok(dlp_csv_read(in_folder(path), &data, &error), &error);
    return data;
}

static double cell_of(const dlp_csv_data *table, int32_t row, const char *name)
{
    const int32_t column = dlp_csv_column(table, name);
    assert_true(column >= 0 && row < table->row_count);
    return table->values[row * table->column_count + column];
}

// Ten samples a frame: their mean over a frame is what probes.csv has, of the impulse on a body to rounding.
// The column begins to fall: the pressure 5 cm above the floor is less than at rest.
static void samples_are_means_that_add_up_to_the_frames(void **state)
{
    (void)state;
    char text[2048];
    snprintf(text, sizeof text, "%s", plane_scene);
    for (char *at; (at = strstr(text, "rate: 430")) != NULL;) memcpy(at, "rate: 500", 9);
    make_run(text, "samples", DLP_RUN_FRESH, 4);
    dlp_csv_data samples = read_table("samples", "samples.csv"), frames = read_table("samples", "probes.csv");
    assert_int_equal(samples.row_count, 40);
    assert_int_equal(samples.column_count, 2 + 3 + 1);  // the probes without a rate are not there
    static const char *const names[] = {"floor_x", "floor_y", "deep"};
    for (int32_t frame = 1; frame <= 4; frame++)
        for (int32_t n = 0; n < 3; n++) {
            double sum = 0;
            for (int32_t k = 0; k < 10; k++) sum += cell_of(&samples, 10 * (frame - 1) + k, names[n]);
            const double mean = cell_of(&frames, frame, names[n]);
            assert_true(fabs(sum / 10 - mean) < 1e-6 * (1 + fabs(mean)));
        }
    double deep = 0;
    for (int32_t k = 0; k < 40; k++) {
        assert_int_equal((int)cell_of(&samples, k, "sample"), k + 1);
        assert_true(fabs(cell_of(&samples, k, "time") - (k + 1) / 500.0) < 1e-9);
        deep += cell_of(&samples, k, "deep") / 40;
    }
    assert_true(deep > 0.6 * 9810 * 0.15 && deep < 9810 * 0.15);
    dlp_csv_data_release(&samples);
    dlp_csv_data_release(&frames);
}

static void the_written_scene_gives_the_same_bits(void **state)
{
    (void)state;
    make_run(plane_scene, "again", DLP_RUN_FRESH, 1);
    char *text = read_in("again", "scene.yaml");
    setup first = make_setup(plane_scene), second = make_setup(text);
    step_frames(first.world, 3);
    step_frames(second.world, 3);
    assert_same_world(first.world, second.world, "scene.yaml");
    release_setup(&first);
    release_setup(&second);
    dlp_free(text);
}

static void a_folder_with_a_run_is_refused_unless_forced(void **state)
{
    (void)state;
    make_run(plane_scene, "used", DLP_RUN_FRESH, 2);
    dlp_error error = {0};
    run r = {0};
    assert_int_equal(open_run(plane_scene, "used", DLP_RUN_FRESH, &r, &error), DLP_INVALID);
    assert_non_null(
        strstr(error.message, "there is a run in it; --resume goes on with it, --force starts over"));
    close_run(&r);
    assert_int_equal(open_run(plane_scene, "used", (dlp_run_mode)9, &r, &error), DLP_INVALID);
    assert_string_equal(error.message, "recorder: mode 9: there is none; 0 to 2 are known");
    close_run(&r);
    assert_true(is_there("used", "particles/0002.vtp"));
    make_run(plane_scene, "used", DLP_RUN_FORCE, 1);
    assert_false(is_there("used", "particles/0002.vtp"));
}

// Resuming.

static void needs_checkpoints(void)
{
    if (dlp_checkpoint_is_available()) return;
    print_message("skipped: this build has no HDF5\n");
    skip();
}

// Blanks the columns that tell the wall clock: 21, 22 and 23.
static void blank_wall_columns(char *text)
{
    int column = 0;
    for (char *c = text; *c != '\0'; c++) {
        if (*c == '\n')
            column = 0;
        else if (*c == ',')
            column++;
        else if (column >= 21 && column <= 23)
            *c = ' ';
    }
}

// Texts without the spaces that blanking left: the numbers there may have different lengths.
static void drop_spaces(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++)
        if (*from != ' ') *to++ = *from;
    *to = '\0';
}

static void assert_same_tables(const char *a, const char *b, const char *name)
{
    char *first = read_in(a, name), *second = read_in(b, name);
    char *both[2] = {first, second};
    for (int k = 0; k < 2; k++) {
        if (strcmp(name, "stats.csv") == 0) blank_wall_columns(both[k]);
        drop_spaces(both[k]);
    }
    assert_string_equal(first, second);
    dlp_free(first);
    dlp_free(second);
}

static void assert_same_file(const char *a, const char *b, const char *name)
{
    char path_a[128], path_b[128];
    snprintf(path_a, sizeof path_a, "%s/%s", a, name);
    snprintf(path_b, sizeof path_b, "%s/%s", b, name);
    dlp_error error = {0};
    char *bytes_a, *bytes_b;
    size_t size_a, size_b;
    expect_ok(dlp_file_read(in_folder(path_a), 1 << 24, &bytes_a, &size_a, &error), &error);
    expect_ok(dlp_file_read(in_folder(path_b), 1 << 24, &bytes_b, &size_b, &error), &error);
    assert_int_equal(size_a, size_b);
    assert_memory_equal(bytes_a, bytes_b, size_a);
    dlp_free(bytes_a);
    dlp_free(bytes_b);
}

// Every dataset of two checkpoints, through two worlds' manifests.
static void assert_same_checkpoints(const char *text, const char *a, const char *b)
{
    dlp_error error = {0};
    setup first = make_setup(text), second = make_setup(text);
    char path_a[64], path_b[64];
    snprintf(path_a, sizeof path_a, "%s/checkpoint.h5", a);
    snprintf(path_b, sizeof path_b, "%s/checkpoint.h5", b);
    expect_ok(dlp_world_load(first.world, in_folder(path_a), &error), &error);
    expect_ok(dlp_world_load(second.world, in_folder(path_b), &error), &error);
    dlp_manifest p = {0}, q = {0};
    expect_ok(dlp_world_manifest(first.world, &p, &error), &error);
    expect_ok(dlp_world_manifest(second.world, &q, &error), &error);
    assert_int_equal(p.count, q.count);
    for (int32_t k = 0; k < p.count; k++) {
        const dlp_manifest_item *item = &p.items[k];
        assert_int_equal(item->count, q.items[k].count);
        const size_t size = size_of_type(item->type) * (size_t)item->components * (size_t)item->count;
        if (size > 0 && memcmp(item->data, q.items[k].data, size) != 0) fail_msg("%s differs", item->name);
    }
    dlp_manifest_release(&p);
    dlp_manifest_release(&q);
    release_setup(&first);
    release_setup(&second);
}

static void assert_same_runs(const char *text, const char *a, const char *b)
{
    assert_same_tables(a, b, "stats.csv");
    assert_same_tables(a, b, "probes.csv");
    assert_same_tables(a, b, "samples.csv");
    assert_same_file(a, b, "particles/0006.vtp");
    assert_same_file(a, b, "particles.pvd");
    assert_same_checkpoints(text, a, b);
}

static void a_resumed_run_equals_an_uninterrupted_one(void **state)
{
    (void)state;
    needs_checkpoints();
    make_run(plane_scene, "straight", DLP_RUN_FRESH, 6);
    make_run(plane_scene, "resumed", DLP_RUN_FRESH, 2);
    make_run(plane_scene, "resumed", DLP_RUN_RESUME, 4);
    make_run(plane_scene, "resumed", DLP_RUN_RESUME, 6);
    assert_same_runs(plane_scene, "straight", "resumed");
}

static bool stop_at_once(const dlp_progress *progress, void *user)
{
    int64_t *left = user;
    (void)progress;
    return --*left > 0;
}

// Runs until `stop` says so, as Ctrl-C would, ends the run, and goes on with it.
static void stop_and_resume(const char *folder, bool (*stop)(const dlp_progress *, void *), int64_t count)
{
    dlp_error error = {0};
    const dlp_world_options options = {
        .size = sizeof options, .thread_count = 1, .progress = stop, .user = &count};
    run r = {.s = make_setup_in(NULL, plane_scene, &options)};
    const dlp_recorder_def def = {
        .size = sizeof def, .folder = in_folder(folder), .scene = r.s.scene, .mode = DLP_RUN_FRESH};
    expect_ok(dlp_recorder_open(&def, &r.recorder, &error), &error);
    dlp_status status = DLP_OK;
    while (status == DLP_OK) {
        expect_ok(dlp_recorder_frame(r.recorder, r.s.world, &error), &error);
        status = dlp_world_step_frame(r.s.world, &error);
    }
    assert_int_equal(status, DLP_INTERRUPTED);
    expect_ok(dlp_recorder_finish(r.recorder, r.s.world, &error), &error);
    close_run(&r);
    if (dlp_png_is_available()) assert_true(is_there(folder, "preview.png"));
    make_run(plane_scene, folder, DLP_RUN_RESUME, 6);
}

// Ctrl-C: a checkpoint and a picture within a frame.
static void a_run_interrupted_within_a_frame_resumes(void **state)
{
    (void)state;
    needs_checkpoints();
    make_run(plane_scene, "whole", DLP_RUN_FRESH, 6);
    stop_and_resume("stopped", stop_at_once, 25);
    assert_same_runs(plane_scene, "whole", "stopped");
}

// With the step that completes the frame of this number.
static bool stop_with_frame(const dlp_progress *progress, void *user)
{
    const int64_t *frame = user;
    return progress->frame < *frame || progress->frame_fraction < 1;
}

static void a_run_interrupted_with_the_last_step_of_a_frame_keeps_it(void **state)
{
    (void)state;
    needs_checkpoints();
    make_run(plane_scene, "unbroken", DLP_RUN_FRESH, 6);
    stop_and_resume("broken", stop_with_frame, 2);
    assert_true(is_there("broken", "particles/0002.vtp"));
    assert_same_runs(plane_scene, "unbroken", "broken");
}

// A kill after the rows of a frame were written, before its checkpoint was.
static void rows_and_frames_after_the_checkpoint_are_dropped(void **state)
{
    (void)state;
    needs_checkpoints();
    make_run(plane_scene, "kept", DLP_RUN_FRESH, 6);
    static const char every_three[] = "record: {checkpoint: 3}\n";
    char text[2048];
    snprintf(text, sizeof text, "%s%s", plane_scene, every_three);
    dlp_error error = {0};
    run r = {0};
    expect_ok(open_run(text, "killed", DLP_RUN_FRESH, &r, &error), &error);
    record_until(&r, 5);
    close_run(&r);  // without finish: the checkpoint is that of frame 3
    assert_true(is_there("killed", "particles/0005.vtp"));
    expect_ok(open_run(text, "killed", DLP_RUN_RESUME, &r, &error), &error);
    assert_int_equal(dlp_recorder_last_frame(r.recorder), 3);
    assert_int_equal(dlp_world_frame(r.s.world), 3);
    assert_false(is_there("killed", "particles/0005.vtp"));
    record_until(&r, 6);
    expect_ok(dlp_recorder_finish(r.recorder, r.s.world, &error), &error);
    close_run(&r);
    assert_same_runs(plane_scene, "kept", "killed");
}

static void resuming_another_scene_names_the_difference(void **state)
{
    (void)state;
    needs_checkpoints();
    make_run(plane_scene, "other", DLP_RUN_FRESH, 1);
    char text[2048];
    snprintf(text, sizeof text, "%sgravity: [0, -5]\n", plane_scene);
    dlp_error error = {0};
    run r = {0};
    assert_int_equal(open_run(text, "other", DLP_RUN_RESUME, &r, &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "gravity"));
    assert_non_null(strstr(error.message, "--force"));
    close_run(&r);
    assert_true(is_there("other", "particles/0001.vtp"));  // nothing is lost
}

static void resuming_where_nothing_is_starts_at_the_beginning(void **state)
{
    (void)state;
    make_run(plane_scene, "fresh", DLP_RUN_RESUME, 1);
    assert_true(is_there("fresh", "particles/0000.vtp"));
    assert_true(is_there("fresh", "particles/0001.vtp"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_leaves_its_files),
        cmocka_unit_test(samples_are_means_that_add_up_to_the_frames),
        cmocka_unit_test(the_written_scene_gives_the_same_bits),
        cmocka_unit_test(a_folder_with_a_run_is_refused_unless_forced),
        cmocka_unit_test(a_resumed_run_equals_an_uninterrupted_one),
        cmocka_unit_test(a_run_interrupted_within_a_frame_resumes),
        cmocka_unit_test(a_run_interrupted_with_the_last_step_of_a_frame_keeps_it),
        cmocka_unit_test(rows_and_frames_after_the_checkpoint_are_dropped),
        cmocka_unit_test(resuming_another_scene_names_the_difference),
        cmocka_unit_test(resuming_where_nothing_is_starts_at_the_beginning),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
