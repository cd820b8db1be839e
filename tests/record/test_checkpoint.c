#include "record/checkpoint.h"
#include "record/file_io.h"
#include "base/memory.h"
#include "base/random.h"
#include "test_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { COUNT = 5000, ITEM_COUNT = 4 };

static double positions[3 * COUNT];
static float masses[COUNT];
static int64_t ids[COUNT];
static int32_t clock_state[2] = {812, -3};

static int32_t manifest(int32_t count, dlp_manifest_item items[ITEM_COUNT])
{
    items[0] = (dlp_manifest_item){"positions", DLP_FLOAT64, 3, count, positions, DLP_COUNT_FIXED, 0};
    items[1] = (dlp_manifest_item){"masses", DLP_FLOAT32, 1, count, masses, DLP_COUNT_FIXED, 0};
    items[2] = (dlp_manifest_item){"sph/ids", DLP_INT64, 1, count, ids, DLP_COUNT_FIXED, 0};
    items[3] = (dlp_manifest_item){"clock", DLP_INT32, 1, 2, clock_state, DLP_COUNT_FIXED, 0};
    return ITEM_COUNT;
}

static void fill_state(void)
{
    for (uint64_t i = 0; i < COUNT; i++) {
        for (uint64_t k = 0; k < 3; k++) positions[3 * i + k] = dlp_random(i, k, 7) - 0.5;
        masses[i] = (float)dlp_random(i, 3, 7);
        ids[i] = (int64_t)(i * 1000003);
    }
    clock_state[0] = 812;
    clock_state[1] = -3;
}

static dlp_checkpoint_info some_info(int32_t count)
{
    static char scene[] = "title: Honey\nframes: {rate: 25}\n# caf\xc3\xa9\n";
    return (dlp_checkpoint_info){.frame = 12, .time = 0.48, .particle_count = count, .scene = scene};
}

static dlp_status write_some(const char *path, int32_t count, dlp_error *error)
{
    dlp_manifest_item items[ITEM_COUNT];
    fill_state();
    const dlp_checkpoint_info info = some_info(count);
    return dlp_checkpoint_write(path, &info, items, manifest(count, items), error);
}

static int set_up(void **state)
{
    if (!dlp_checkpoint_is_available()) print_message("skipped: this build has no HDF5\n");
    return make_test_folder(state);
}

static void need_hdf5(void)
{
    if (!dlp_checkpoint_is_available()) skip();
}

static void what_is_written_is_read_back_bit_for_bit(void **state)
{
    (void)state;
    need_hdf5();
    dlp_error error = {0};
    const char *path = in_folder("a.h5");
    assert_int_equal(write_some(path, COUNT, &error), DLP_OK);
    static double positions_then[3 * COUNT];
    memcpy(positions_then, positions, sizeof positions);
    memset(positions, 0xff, sizeof positions);
    memset(masses, 0xff, sizeof masses);
    memset(ids, 0xff, sizeof ids);
    memset(clock_state, 0xff, sizeof clock_state);

    dlp_checkpoint *checkpoint;
    dlp_manifest_item items[ITEM_COUNT];
    assert_int_equal(dlp_checkpoint_open(path, &checkpoint, &error), DLP_OK);
    assert_int_equal(dlp_checkpoint_match(checkpoint, items, manifest(COUNT, items), &error), DLP_OK);
    assert_int_equal(dlp_checkpoint_fetch(checkpoint, items, manifest(COUNT, items), &error), DLP_OK);
    dlp_checkpoint_close(checkpoint);
    assert_memory_equal(positions, positions_then, sizeof positions);
    assert_int_equal(ids[4999], 4999 * INT64_C(1000003));
    assert_int_equal(clock_state[0], 812);
    assert_int_equal(clock_state[1], -3);
    for (uint64_t i = 0; i < COUNT; i++) assert_true(masses[i] == (float)dlp_random(i, 3, 7));
}

static void the_contents_can_be_read_alone(void **state)
{
    (void)state;
    need_hdf5();
    dlp_error error = {0};
    assert_int_equal(write_some(in_folder("b.h5"), COUNT, &error), DLP_OK);
    dlp_checkpoint_info info;
    assert_int_equal(dlp_checkpoint_read_info(in_folder("b.h5"), &info, &error), DLP_OK);
    assert_int_equal(info.version, DLP_CHECKPOINT_VERSION);
    assert_string_equal(info.library_version, dlp_version());
    assert_int_equal(info.frame, 12);
    assert_true(info.time == 0.48);
    assert_int_equal(info.particle_count, COUNT);
    assert_string_equal(info.scene, some_info(0).scene);
    dlp_checkpoint_info_release(&info);
}

static void no_particles_at_all_work(void **state)
{
    (void)state;
    need_hdf5();
    dlp_error error = {0};
    assert_int_equal(write_some(in_folder("empty.h5"), 0, &error), DLP_OK);
    dlp_checkpoint *checkpoint;
    dlp_manifest_item items[ITEM_COUNT];
    assert_int_equal(dlp_checkpoint_open(in_folder("empty.h5"), &checkpoint, &error), DLP_OK);
    assert_int_equal(dlp_checkpoint_contents(checkpoint)->particle_count, 0);
    assert_int_equal(dlp_checkpoint_fetch(checkpoint, items, manifest(0, items), &error), DLP_OK);
    dlp_checkpoint_close(checkpoint);
}

// Opens the bytes and, where that works, reads everything; the status of the first failure.
static dlp_status try_bytes(const void *bytes, size_t size, dlp_error *error)
{
    dlp_checkpoint *checkpoint;
    dlp_manifest_item items[ITEM_COUNT];
    DLP_TRY(dlp_checkpoint_open_bytes("x.h5", bytes, size, &checkpoint, error));
    const dlp_status status = dlp_checkpoint_fetch(checkpoint, items, manifest(COUNT, items), error);
    dlp_checkpoint_close(checkpoint);
    return status;
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    need_hdf5();
    dlp_error error = {0};
    char *bytes;
    size_t size;
    assert_int_equal(write_some(in_folder("c.h5"), COUNT, &error), DLP_OK);
    assert_int_equal(dlp_file_read(in_folder("c.h5"), SIZE_MAX / 4, &bytes, &size, &error), DLP_OK);
    assert_int_equal(try_bytes(bytes, size, &error), DLP_OK);
    for (size_t kept = 0; kept < size; kept += 1 + kept / 16) {
        memset(&error, 0, sizeof error);
        assert_int_equal(try_bytes(bytes, kept, &error), DLP_IO);
        assert_non_null(strstr(error.message, kept < 8 ? "not a checkpoint" : "damaged"));
    }
    dlp_free(bytes);
}

static void every_flipped_bit_is_refused(void **state)
{
    (void)state;
    need_hdf5();
    dlp_error error = {0};
    char *bytes;
    size_t size;
    assert_int_equal(write_some(in_folder("d.h5"), COUNT, &error), DLP_OK);
    assert_int_equal(dlp_file_read(in_folder("d.h5"), SIZE_MAX / 4, &bytes, &size, &error), DLP_OK);
    for (uint64_t k = 0; k < 3000; k++) {
        // The first kilobyte bit by bit, the rest at random places.
        const size_t place = k < 1024 ? (size_t)k : (size_t)(dlp_random(k, 1, 2) * (double)size);
        const char flip = (char)(1 << (k % 8));
        bytes[place] ^= flip;
        assert_int_not_equal(try_bytes(bytes, size, &error), DLP_OK);
        bytes[place] ^= flip;
    }
    assert_int_equal(try_bytes(bytes, size, &error), DLP_OK);
    dlp_free(bytes);
}

static void other_files_are_refused_with_a_reason(void **state)
{
    (void)state;
    need_hdf5();
    dlp_error error = {0};
    dlp_checkpoint *checkpoint;
    assert_int_equal(dlp_checkpoint_open(in_folder("missing.h5"), &checkpoint, &error), DLP_IO);
    assert_non_null(strstr(error.message, "missing.h5: no such file or directory"));
    assert_int_equal(dlp_checkpoint_open(test_folder, &checkpoint, &error), DLP_IO);
    assert_int_equal(dlp_file_write_text(in_folder("e.h5"), "title: Honey\n", 13, &error), DLP_OK);
    assert_int_equal(dlp_checkpoint_open(in_folder("e.h5"), &checkpoint, &error), DLP_IO);
    assert_non_null(strstr(error.message, "e.h5: not a checkpoint"));
}

static void another_version_is_named(void **state)
{
    (void)state;
    need_hdf5();
    dlp_error error = {0};
    char *bytes;
    size_t size;
    assert_int_equal(write_some(in_folder("f.h5"), 3, &error), DLP_OK);
    assert_int_equal(dlp_file_read(in_folder("f.h5"), SIZE_MAX / 4, &bytes, &size, &error), DLP_OK);
    const uint32_t version = 77;
    memcpy(bytes + 8, &version, sizeof version);
    assert_int_equal(try_bytes(bytes, size, &error), DLP_UNSUPPORTED);
    assert_non_null(strstr(error.message, "version 77"));
    assert_non_null(strstr(error.message, "reads version 2"));
    dlp_free(bytes);
}

static void a_state_of_another_scene_is_refused_by_name(void **state)
{
    (void)state;
    need_hdf5();
    dlp_error error = {0};
    dlp_checkpoint *checkpoint;
    assert_int_equal(write_some(in_folder("g.h5"), COUNT, &error), DLP_OK);
    assert_int_equal(dlp_checkpoint_open(in_folder("g.h5"), &checkpoint, &error), DLP_OK);
    dlp_manifest_item item = {"strains", DLP_FLOAT32, 6, COUNT, masses, DLP_COUNT_FIXED, 0};
    assert_int_equal(dlp_checkpoint_match(checkpoint, &item, 1, &error), DLP_IO);
    assert_non_null(strstr(error.message, "dataset strains is missing"));
    item = (dlp_manifest_item){"positions", DLP_FLOAT32, 3, COUNT, masses, DLP_COUNT_FIXED, 0};
    assert_int_equal(dlp_checkpoint_match(checkpoint, &item, 1, &error), DLP_IO);
    assert_non_null(strstr(error.message, "dataset positions: its type is another"));
    item = (dlp_manifest_item){"positions", DLP_FLOAT64, 2, COUNT, positions, DLP_COUNT_FIXED, 0};
    assert_int_equal(dlp_checkpoint_match(checkpoint, &item, 1, &error), DLP_IO);
    item = (dlp_manifest_item){"positions", DLP_FLOAT64, 3, COUNT - 1, positions, DLP_COUNT_FIXED, 0};
    assert_int_equal(dlp_checkpoint_fetch(checkpoint, &item, 1, &error), DLP_IO);
    assert_non_null(strstr(error.message, "its length is another"));
    dlp_checkpoint_close(checkpoint);
}

static void a_failed_write_leaves_the_old_one_and_no_trace(void **state)
{
    (void)state;
    need_hdf5();
    if (access("/dev/full", W_OK) != 0) skip();
    dlp_error error = {0};
    const char *path = in_folder("h.h5");
    assert_int_equal(write_some(path, 10, &error), DLP_OK);
    assert_int_equal(symlink("/dev/full", in_folder("h.h5.part")), 0);  // the part's own name: a full disk
    assert_int_equal(write_some(path, COUNT, &error), DLP_IO);
    assert_non_null(strstr(error.message, "h.h5: no space left on device"));
    assert_int_not_equal(access(in_folder("h.h5.part"), F_OK), 0);
    dlp_checkpoint_info info;
    assert_int_equal(dlp_checkpoint_read_info(path, &info, &error), DLP_OK);
    assert_int_equal(info.particle_count, 10);
    dlp_checkpoint_info_release(&info);
    assert_int_equal(write_some(in_folder("nowhere/i.h5"), 10, &error), DLP_IO);
}

static void reading_and_writing_leave_no_memory_behind(void **state)
{
    (void)state;
    need_hdf5();
    const size_t before = dlp_memory_in_use();
    dlp_error error = {0};
    assert_int_equal(write_some(in_folder("j.h5"), COUNT, &error), DLP_OK);
    dlp_checkpoint_info info;
    assert_int_equal(dlp_checkpoint_read_info(in_folder("j.h5"), &info, &error), DLP_OK);
    dlp_checkpoint_info_release(&info);
    assert_int_equal(dlp_memory_in_use(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back_bit_for_bit),
        cmocka_unit_test(the_contents_can_be_read_alone),
        cmocka_unit_test(no_particles_at_all_work),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(every_flipped_bit_is_refused),
        cmocka_unit_test(other_files_are_refused_with_a_reason),
        cmocka_unit_test(another_version_is_named),
        cmocka_unit_test(a_state_of_another_scene_is_refused_by_name),
        cmocka_unit_test(a_failed_write_leaves_the_old_one_and_no_trace),
        cmocka_unit_test(reading_and_writing_leave_no_memory_behind),
    };
    return cmocka_run_group_tests(tests, set_up, remove_test_folder);
}
