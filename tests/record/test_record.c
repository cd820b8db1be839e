#include "record/csv.h"
#include "record/file_io.h"
#include "record/format.h"
#include "record/frame.h"
#include "record/probes.h"
#include "record/run_folder.h"
#include "record/stats_csv.h"
#include "record/vtp.h"
#include "base/memory.h"
#include "test_folder.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static double positions[] = {0, 0, 0, 1, 2, 2, -1, 0.5, 0};
static float velocities[] = {3, 4, 0, 0, 0, 0, 0, 0, 1};
static int64_t ids[] = {7, 1LL << 40, 9};
static int32_t levels[] = {0, 2, 1};

static dlp_vtp some_frame(dlp_vtp_array arrays[3], int32_t count)
{
    arrays[0] = (dlp_vtp_array){"velocity",
                                {.data = velocities, .count = count, .components = 3, .type = DLP_FLOAT32}};
    arrays[1] = (dlp_vtp_array){"id", {.data = ids, .count = count, .components = 1, .type = DLP_INT64}};
    arrays[2] =
        (dlp_vtp_array){"level", {.data = levels, .count = count, .components = 1, .type = DLP_INT32}};
    return (dlp_vtp){.time = 0.04,
                     .positions = {.data = positions, .count = count, .components = 3, .type = DLP_FLOAT64},
                     .arrays = arrays,
                     .array_count = 3};
}

static void a_frame_says_what_it_holds(void **state)
{
    (void)state;
    dlp_error error = {0};
    dlp_vtp_array arrays[3];
    const dlp_vtp vtp = some_frame(arrays, 3);
    assert_int_equal(dlp_vtp_write(in_folder("a.vtp"), &vtp, &error), DLP_OK);
    dlp_vtp_info info;
    assert_int_equal(dlp_vtp_read_info(in_folder("a.vtp"), &info, &error), DLP_OK);
    assert_int_equal(info.point_count, 3);
    assert_true(info.time == 0.04);
    assert_int_equal(info.array_count, 4);
    assert_string_equal(info.arrays[0].name, "position");
    assert_true(info.arrays[0].min == 0 && info.arrays[0].max == 3);
    assert_string_equal(info.arrays[1].name, "velocity");
    assert_string_equal(info.arrays[1].type, "Float32");
    assert_int_equal(info.arrays[1].components, 3);
    assert_true(info.arrays[1].min == 0 && info.arrays[1].max == 5);
    assert_true(info.arrays[3].max == 2);
}

// The file's bytes against the format: the blocks lie where the header says, with their lengths before them.
static void the_bytes_of_a_frame_are_where_the_header_says(void **state)
{
    (void)state;
    dlp_error error = {0};
    dlp_vtp_array arrays[3];
    const dlp_vtp vtp = some_frame(arrays, 3);
    assert_int_equal(dlp_vtp_write(in_folder("b.vtp"), &vtp, &error), DLP_OK);
    char *bytes;
    size_t size;
    assert_int_equal(dlp_file_read(in_folder("b.vtp"), 1 << 20, &bytes, &size, &error), DLP_OK);
    const char *tag = strstr(bytes, "Name=\"id\"");
    assert_non_null(tag);
    const unsigned long offset = strtoul(strstr(tag, "offset=\"") + 8, NULL, 10);
    const char *data = strstr(bytes, "<AppendedData encoding=\"raw\">\n_") + 31 + offset;
    uint64_t length;
    memcpy(&length, data, sizeof length);
    assert_int_equal(length, sizeof ids);
    assert_memory_equal(data + sizeof length, ids, sizeof ids);
    assert_non_null(strstr(bytes, "header_type=\"UInt64\""));
    assert_non_null(strstr(bytes, "NumberOfVerts=\"3\""));
    assert_memory_equal(bytes + size - 11, "</VTKFile>\n", 11);
    dlp_free(bytes);
}

static void an_empty_frame_works(void **state)
{
    (void)state;
    dlp_error error = {0};
    dlp_vtp_array arrays[3];
    const dlp_vtp vtp = some_frame(arrays, 0);
    assert_int_equal(dlp_vtp_write(in_folder("c.vtp"), &vtp, &error), DLP_OK);
    dlp_vtp_info info;
    assert_int_equal(dlp_vtp_read_info(in_folder("c.vtp"), &info, &error), DLP_OK);
    assert_int_equal(info.point_count, 0);
}

static void a_truncated_frame_is_named(void **state)
{
    (void)state;
    dlp_error error = {0};
    dlp_vtp_array arrays[3];
    const dlp_vtp vtp = some_frame(arrays, 3);
    assert_int_equal(dlp_vtp_write(in_folder("d.vtp"), &vtp, &error), DLP_OK);
    char *bytes;
    size_t size;
    assert_int_equal(dlp_file_read(in_folder("d.vtp"), 1 << 20, &bytes, &size, &error), DLP_OK);
    for (size_t kept = 0; kept + 28 < size; kept += 13) {  // the last 28 bytes only close the XML
        dlp_vtp_info info;
        assert_int_equal(dlp_file_write_text(in_folder("cut.vtp"), bytes, kept, &error), DLP_OK);
        assert_int_equal(dlp_vtp_read_info(in_folder("cut.vtp"), &info, &error), DLP_IO);
        assert_non_null(strstr(error.message, "cut.vtp: damaged"));
    }
    dlp_free(bytes);
}

static void a_full_disk_is_one_clear_message(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip();
    dlp_error error = {0};
    dlp_vtp_array arrays[3];
    const dlp_vtp vtp = some_frame(arrays, 3);
    assert_int_equal(symlink("/dev/full", in_folder("0012.vtp.part")), 0);
    assert_int_equal(dlp_vtp_write(in_folder("0012.vtp"), &vtp, &error), DLP_IO);
    char expected[PATH_SIZE + 64];
    snprintf(expected, sizeof expected, "%s: no space left on device", in_folder("0012.vtp"));
    assert_string_equal(error.message, expected);
    assert_false(dlp_file_exists(in_folder("0012.vtp")));
    assert_false(dlp_file_exists(in_folder("0012.vtp.part")));
}

static void a_missing_folder_is_named(void **state)
{
    (void)state;
    dlp_error error = {0};
    assert_int_equal(dlp_file_write_text(in_folder("no/such/file"), "x", 1, &error), DLP_IO);
    assert_non_null(strstr(error.message, "no/such/file: no such file or directory"));
    assert_int_equal(dlp_file_write_text(in_folder("plain"), "x", 1, &error), DLP_OK);
    assert_int_equal(dlp_folder_create(in_folder("plain/inside"), &error), DLP_IO);
    assert_non_null(strstr(error.message, "not a directory"));
}

static void a_collection_lists_its_frames(void **state)
{
    (void)state;
    dlp_error error = {0};
    const dlp_pvd_frame frames[] = {{0, 0}, {12, 0.48}, {10000, 400}};
    assert_int_equal(dlp_pvd_write(in_folder("p.pvd"), "particles", frames, 3, &error), DLP_OK);
    char *bytes;
    size_t size;
    assert_int_equal(dlp_file_read(in_folder("p.pvd"), 1 << 20, &bytes, &size, &error), DLP_OK);
    assert_non_null(
        strstr(bytes, "timestep=\"0.47999999999999998\" group=\"\" part=\"0\" file=\"particles/0012.vtp\""));
    assert_non_null(strstr(bytes, "particles/10000.vtp"));
    dlp_free(bytes);
}

static void a_contour_is_written_as_closed_lines(void **state)
{
    (void)state;
    dlp_error error = {0};
    double points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    int32_t ends[] = {3};
    const dlp_contour contour = {.points = points, .point_count = 3, .loop_ends = ends, .loop_count = 1};
    assert_int_equal(dlp_contour_write(in_folder("line.vtp"), &contour, 0.2, &error), DLP_OK);
    dlp_vtp_info info;
    assert_int_equal(dlp_vtp_read_info(in_folder("line.vtp"), &info, &error), DLP_OK);
    assert_int_equal(info.point_count, 3);
    assert_int_equal(info.line_count, 1);
    const dlp_contour nothing = {0};
    assert_int_equal(dlp_contour_write(in_folder("none.vtp"), &nothing, 0.2, &error), DLP_OK);
    assert_int_equal(dlp_vtp_read_info(in_folder("none.vtp"), &info, &error), DLP_OK);
}

static void statistics_come_back_in_their_columns(void **state)
{
    (void)state;
    dlp_error error = {0};
    dlp_csv table;
    assert_int_equal(dlp_csv_start(&table, in_folder("stats.csv"), dlp_stats_header(), &error), DLP_OK);
    const dlp_stats stats = {.frame = 3,
                             .time = 0.12,
                             .particles = 1000,
                             .force_evaluations = INT64_C(1) << 40,
                             .kinetic_energy = 1.0 / 3,
                             .momentum = {1, -2, 3},
                             .angular_momentum = {5, 6, 7},
                             .viscosity_passes = 9,
                             .wall_record = 0.25};
    dlp_string row = {0};
    dlp_stats_row(&stats, 0.75, &row);
    assert_int_equal(dlp_csv_append(&table, row.data, &error), DLP_OK);
    dlp_csv_close(&table);
    dlp_string_release(&row);

    dlp_csv_data data;
    assert_int_equal(dlp_csv_read(in_folder("stats.csv"), &data, &error), DLP_OK);
    assert_int_equal(data.row_count, 1);
    assert_int_equal(data.column_count, 37);
    assert_string_equal(data.names[0], "frame");
    assert_string_equal(data.names[8], "force_evaluations");
    assert_string_equal(data.names[23], "wall_record");
    assert_string_equal(data.names[24], "contour_area");
    assert_string_equal(data.names[26], "finest_particles");
    assert_string_equal(data.names[25], "heat");
    assert_true(data.values[8] == 0x1p40);
    assert_true(data.values[12] == 0.333333333);  // nine digits
    assert_true(data.values[dlp_csv_column(&data, "momentum_y")] == -2);
    assert_true(data.values[24] == 0.75);
    assert_true(data.values[dlp_csv_column(&data, "angular_momentum_z")] == 7);
    assert_true(data.values[dlp_csv_column(&data, "viscosity_passes")] == 9);
    assert_int_equal(dlp_csv_column(&data, "colour"), -1);
    dlp_csv_data_release(&data);
}

static void resuming_drops_later_and_half_written_rows(void **state)
{
    (void)state;
    dlp_error error = {0};
    const char text[] = "frame,time\n0,0\n1,0.1\n2,0.2\n3,0.3\n12,1.";
    assert_int_equal(dlp_file_write_text(in_folder("r.csv"), text, strlen(text), &error), DLP_OK);
    dlp_csv table;
    assert_int_equal(dlp_csv_resume(&table, in_folder("r.csv"), "frame,time", 2, &error), DLP_OK);
    assert_int_equal(dlp_csv_append(&table, "3,0.33", &error), DLP_OK);
    dlp_csv_close(&table);
    char *bytes;
    size_t size;
    assert_int_equal(dlp_file_read(in_folder("r.csv"), 1 << 20, &bytes, &size, &error), DLP_OK);
    assert_string_equal(bytes, "frame,time\n0,0\n1,0.1\n2,0.2\n3,0.33\n");
    dlp_free(bytes);
    assert_int_equal(dlp_csv_resume(&table, in_folder("r.csv"), "frame,time,height", 2, &error), DLP_IO);
    assert_non_null(strstr(error.message, "r.csv: its columns are not those of this scene"));
    assert_int_equal(dlp_csv_resume(&table, in_folder("new.csv"), "frame,time", 2, &error), DLP_OK);
    dlp_csv_close(&table);
}

static void a_row_with_a_number_that_is_not_finite_is_refused(void **state)
{
    (void)state;
    dlp_error error = {0};
    dlp_csv table;
    assert_int_equal(dlp_csv_start(&table, in_folder("f.csv"), "frame,time,load_x,load_y", &error), DLP_OK);
    assert_int_equal(dlp_csv_append(&table, "0,0,1e-7,-2", &error), DLP_OK);
    assert_int_equal(dlp_csv_append(&table, "1,0.1,1e-7,nan", &error), DLP_DIVERGED);
    assert_non_null(strstr(error.message, "f.csv: frame 1: load_y: is nan; every number must be finite"));
    assert_int_equal(dlp_csv_append(&table, "1,0.1,-inf,2", &error), DLP_DIVERGED);
    assert_non_null(strstr(error.message, "load_x: is -inf"));
    dlp_csv_close(&table);
    char *bytes;
    size_t size;
    assert_int_equal(dlp_file_read(in_folder("f.csv"), 1 << 20, &bytes, &size, &error), DLP_OK);
    assert_string_equal(bytes, "frame,time,load_x,load_y\n0,0,1e-7,-2\n");
    dlp_free(bytes);
}

static void a_frame_with_a_number_that_is_not_finite_is_refused(void **state)
{
    (void)state;
    const double at[] = {0, 1, 2, 3, 4, 5};
    const float speed[] = {1, (float)INFINITY};
    const dlp_vtp_array array = {"speed", {.data = speed, .count = 2, .components = 1, .type = DLP_FLOAT32}};
    const dlp_vtp vtp = {.positions = {.data = at, .count = 2, .components = 3, .type = DLP_FLOAT64},
                         .array_count = 1,
                         .arrays = &array};
    dlp_error error;
    assert_int_equal(dlp_vtp_write(in_folder("inf.vtp"), &vtp, &error), DLP_DIVERGED);
    assert_non_null(strstr(error.message, "inf.vtp: speed of point 1: is inf; every number must be finite"));
    assert_false(dlp_file_exists(in_folder("inf.vtp")));
}

static void odd_cells_and_files_do_no_harm(void **state)
{
    (void)state;
    dlp_error error = {0};
    const char text[] = "frame,a,b\n0,,x\n1,nan\n\n2,1e400,3,4\n";
    assert_int_equal(dlp_file_write_text(in_folder("odd.csv"), text, strlen(text), &error), DLP_OK);
    dlp_csv_data data;
    assert_int_equal(dlp_csv_read(in_folder("odd.csv"), &data, &error), DLP_OK);
    assert_int_equal(data.row_count, 4);
    assert_true(isnan(data.values[1]) && isnan(data.values[2]) && isnan(data.values[5]));
    dlp_csv_data_release(&data);
    assert_int_equal(dlp_file_write_text(in_folder("none.csv"), "", 0, &error), DLP_OK);
    assert_int_equal(dlp_csv_read(in_folder("none.csv"), &data, &error), DLP_IO);
    assert_int_equal(dlp_file_write_text(in_folder("zero.csv"), "a\0b\n", 4, &error), DLP_OK);
    assert_int_equal(dlp_csv_read(in_folder("zero.csv"), &data, &error), DLP_IO);
}

static void numbers_have_a_point_in_every_locale(void **state)
{
    (void)state;
    const char *found = setlocale(LC_NUMERIC, "de_DE.UTF-8");
    if (found == NULL) print_message("no locale with a decimal comma: tried in the plain one only\n");
    dlp_string text = {0};
    dlp_format_number(&text, -1.5e-7, 9);
    assert_string_equal(text.data, "-1.5e-07");
    dlp_string_cut(&text, 0);
    dlp_format_number(&text, (double)NAN, 9);
    dlp_format_number(&text, -(double)INFINITY, 9);
    assert_string_equal(text.data, "nan-inf");
    const char *cell = "2.25,";
    assert_true(dlp_format_read_number(cell, cell + 4) == 2.25);
    dlp_string_release(&text);
    setlocale(LC_NUMERIC, "C");
}

// Water that fills the space below z = 0.3 and flows with (2, 0, 0).
static dlp_point_sample sample_pool(const void *context, dlp_vec3 x)
{
    (void)context;
    return (dlp_point_sample){.density = 1000,
                              .pressure = 9810 * (0.3 - x.z),
                              .velocity = {2, 0, 0},
                              .fraction = x.z < 0.3 ? 1 : 0};
}

static dlp_body_force load_of_pool(const void *context, int32_t obstacle)
{
    (void)context;
    return (dlp_body_force){.mean_force = {obstacle, 5, 6}};
}

static void probes_measure_a_pool_they_know(void **state)
{
    (void)state;
    dlp_probe_def probes[] = {
        {.name = "p", .measure = DLP_MEASURE_PRESSURE, .point = {0, 0, 0.1}},
        {.name = "v", .measure = DLP_MEASURE_VELOCITY, .point = {0, 0, 0.1}},
        {.name = "h,1", .measure = DLP_MEASURE_HEIGHT, .from = {0, 0, 0.1}, .to = {0, 0, 1}},
        {.name = "dry", .measure = DLP_MEASURE_HEIGHT, .from = {0, 0, 0.5}, .to = {0, 0, 1}},
        {.name = "full", .measure = DLP_MEASURE_HEIGHT, .from = {0, 0, 0}, .to = {0, 0, 0.2}},
        {.name = "f", .measure = DLP_MEASURE_FORCE, .body_index = 4},
        // the mean over a ball: of a linear pressure that of its middle; half dry, of the lower half
        {.name = "ball", .measure = DLP_MEASURE_PRESSURE, .point = {0, 0, 0.1}, .extent = 0.04},
        {.name = "level", .measure = DLP_MEASURE_PRESSURE, .point = {0, 0, 0.3001}, .extent = 0.04},
        {.name = "fast", .measure = DLP_MEASURE_VELOCITY, .point = {0, 0, 0.3001}, .extent = 0.04}};
    const dlp_scene_def scene = {.dimension = 3, .probes = probes, .probe_count = 9};
    const dlp_probe_source source = {
        .scene = &scene, .sample = sample_pool, .load = load_of_pool, .spacing = 0.01};
    dlp_string text = {0};
    dlp_probes_header(&scene, &text);
    assert_string_equal(text.data,
                        "frame,time,p,v_x,v_y,v_z,h_1,dry,full,f_x,f_y,f_z,ball,level,fast_x,fast_y,fast_z");
    dlp_string_cut(&text, 0);
    dlp_probes_row(&source, NULL, 5, 0.2, &text);
    assert_string_equal(text.data, "5,0.2,1962,2,0,0,0.2,0,0.2,4,5,6,1962,65.1027273,2,0,0");
    dlp_string_release(&text);
}

enum { SIDE = 20, CUBE = SIDE * SIDE * SIDE };

// A periodic block of a lattice that moves with (2, 1, 0): flux = speed times area, wherever the plane lies.
static double flux_of_block(dlp_probe_def probe, double jitter)
{
    static double x[3 * CUBE];
    static float v[3 * CUBE], masses[CUBE];
    static int32_t substances[CUBE];
    dlp_substance_def water = {.density = 1000};
    for (int32_t i = 0; i < CUBE; i++) {
        x[3 * i] = (i % SIDE + 0.5 + jitter) / SIDE;
        x[3 * i + 1] = (i / SIDE % SIDE + 0.5) / SIDE;
        x[3 * i + 2] = (i / (SIDE * SIDE) + 0.5) / SIDE;
        v[3 * i] = 2;
        v[3 * i + 1] = 1;
        masses[i] = 1000.0f / CUBE;
    }
    const dlp_scene_def scene = {.dimension = 3,
                                 .substances = &water,
                                 .substance_count = 1,
                                 .probes = &probe,
                                 .probe_count = 1,
                                 .periodic = {true, true, true},
                                 .domain = {{0, 0, 0}, {1, 1, 1}}};
    const dlp_probe_source source = {.scene = &scene,
                                     .spacing = 1.0 / SIDE,
                                     .count = CUBE,
                                     .positions = x,
                                     .velocities = v,
                                     .masses = masses,
                                     .substances = substances};
    dlp_string row = {0};
    dlp_probes_row(&source, NULL, 0, 0, &row);
    const double flux = dlp_format_read_number(row.data + 4, row.data + row.length);
    dlp_string_release(&row);
    return flux;
}

static void flux_is_speed_times_area(void **state)
{
    (void)state;
    dlp_probe_def probe = {
        .name = "q", .measure = DLP_MEASURE_FLUX, .point = {0.5, 0.5, 0.5}, .normal = {3, 0, 0}};
    assert_true(fabs(flux_of_block(probe, 0) - 2) < 1e-5);
    assert_true(fabs(flux_of_block(probe, 0.3) - 2) < 1e-5);
    probe.point.x = 0.01;  // particles beyond the border count
    assert_true(fabs(flux_of_block(probe, 0) - 2) < 1e-5);
    probe.normal = (dlp_vec3){0, -1, 0};
    assert_true(fabs(flux_of_block(probe, 0) + 1) < 1e-5);
    probe = (dlp_probe_def){.name = "q",
                            .measure = DLP_MEASURE_FLUX,
                            .point = {0.5, 0.5, 0.5},
                            .normal = {1, 0, 0},
                            .radius = 0.4};
    const double truth = 2 * DLP_PI * 0.16;
    assert_true(fabs(flux_of_block(probe, 0) - truth) < 0.05 * truth);  // a round disc counted in squares
}

static void clearing_a_run_leaves_other_files(void **state)
{
    (void)state;
    dlp_error error = {0};
    const char *run = in_folder("run");
    assert_false(dlp_run_folder_is_used(run));
    assert_int_equal(dlp_folder_create(in_folder("run/particles"), &error), DLP_OK);
    assert_false(dlp_run_folder_is_used(in_folder("run")));
    dlp_vtp_array arrays[3];
    dlp_vtp vtp = some_frame(arrays, 3);
    for (int32_t k = 0; k < 5; k++) {
        char *path = dlp_run_folder_frame_path(in_folder("run"), "particles", k);
        vtp.time = 0.1 * k;
        assert_int_equal(dlp_vtp_write(path, &vtp, &error), DLP_OK);
        dlp_free(path);
    }
    static const char *const others[] = {"run/notes.txt", "run/particles/mine.vtp", "run/particles/12.vtp"};
    for (size_t k = 0; k < 3; k++)
        assert_int_equal(dlp_file_write_text(in_folder(others[k]), "", 0, &error), DLP_OK);
    // half-written ones of frames that stay and that go
    static const char *const parts[] = {"run/particles/0001.vtp.part", "run/particles/0003.vtp.part"};
    for (size_t k = 0; k < 2; k++)
        assert_int_equal(dlp_file_write_text(in_folder(parts[k]), "", 0, &error), DLP_OK);
    assert_int_equal(dlp_file_write_text(in_folder("run/stats.csv"), "", 0, &error), DLP_OK);
    assert_true(dlp_run_folder_is_used(in_folder("run")));

    assert_int_equal(dlp_run_folder_drop_frames(in_folder("run"), 2, &error), DLP_OK);
    dlp_pvd_frame *frames;
    int32_t count;
    assert_int_equal(dlp_run_folder_list(in_folder("run"), "particles", &frames, &count, &error), DLP_OK);
    assert_int_equal(count, 3);
    for (int32_t k = 0; k < 3; k++)
        assert_true(frames[k].number == k && fabs(frames[k].time - 0.1 * k) < 1e-15);
    dlp_free(frames);
    for (size_t k = 0; k < 2; k++) assert_false(dlp_file_exists(in_folder(parts[k])));

    assert_int_equal(dlp_run_folder_clear(in_folder("run"), &error), DLP_OK);
    assert_false(dlp_run_folder_is_used(in_folder("run")));
    for (size_t k = 0; k < 3; k++) assert_true(dlp_file_exists(in_folder(others[k])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_says_what_it_holds),
        cmocka_unit_test(the_bytes_of_a_frame_are_where_the_header_says),
        cmocka_unit_test(an_empty_frame_works),
        cmocka_unit_test(a_truncated_frame_is_named),
        cmocka_unit_test(a_full_disk_is_one_clear_message),
        cmocka_unit_test(a_missing_folder_is_named),
        cmocka_unit_test(a_collection_lists_its_frames),
        cmocka_unit_test(a_contour_is_written_as_closed_lines),
        cmocka_unit_test(statistics_come_back_in_their_columns),
        cmocka_unit_test(resuming_drops_later_and_half_written_rows),
        cmocka_unit_test(a_row_with_a_number_that_is_not_finite_is_refused),
        cmocka_unit_test(a_frame_with_a_number_that_is_not_finite_is_refused),
        cmocka_unit_test(odd_cells_and_files_do_no_harm),
        cmocka_unit_test(numbers_have_a_point_in_every_locale),
        cmocka_unit_test(probes_measure_a_pool_they_know),
        cmocka_unit_test(flux_is_speed_times_area),
        cmocka_unit_test(clearing_a_run_leaves_other_files),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
