/* Films of recorded runs: what they show, how they are coloured, what is written into them. */
#include "scenes.h"
#include "base/memory.h"
#include "record/film/movie.h"
#include "record/film/font.h"
#include "record/film/framing.h"
#include "record/film/gather.h"
#include "record/film/legend.h"
#include "record/film/film_camera.h"
#include "record/palette.h"
#include "scene/scene_text.h"
#include "test_folder.h"

#include <stdlib.h>

static const char plane_scene[] = "dimension: 2\n"
                                  "frames: {rate: 50, count: 6}\n"
                                  "substances:\n"
                                  "  water: {material: water, particle: {spacing: 0.02},\n"
                                  "          shape: {box: {min: [0, 0], max: [0.3, 0.2]}}}\n"
                                  "obstacles:\n"
                                  "  - box: {min: [0, 0], max: [0.6, 0.6], inside: true}\n"
                                  "render: {width: 160, height: 100}\n";

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

static dlp_run open_run(const char *folder)
{
    dlp_error error = {0};
    dlp_run run;
    expect_ok(dlp_run_open(in_folder(folder), NULL, NULL, &run, &error), &error);
    return run;
}

static dlp_movie *open_film(const dlp_run *first, const dlp_run *second, dlp_color_field color,
                            dlp_team *team)
{
    dlp_error error = {0};
    const dlp_movie_def def = {
        .runs = {first, second}, .color = color, .captions = {"one", "two"}, .team = team};
    dlp_movie *film;
    expect_ok(dlp_movie_create(&def, &film, &error), &error);
    return film;
}

static bool is_inside(const dlp_box *box, const double *x)
{
    return x[0] >= box->min.x && x[0] <= box->max.x && x[1] >= box->min.y && x[1] <= box->max.y &&
           x[2] >= box->min.z && x[2] <= box->max.z;
}

// Where a camera sees a point, in pixels from the top left.
static void project(const dlp_camera *camera, dlp_vec3 x, double *out_x, double *out_y)
{
    const dlp_vec3 q = dlp_sub(x, camera->eye);
    const double depth = dlp_dot(q, camera->forward);
    assert_true(depth > 0);
    *out_x = camera->center_x + camera->scale * dlp_dot(q, camera->right) / depth;
    *out_y = camera->center_y - camera->scale * dlp_dot(q, camera->up) / depth;
}

static void expect_in_picture(const dlp_camera *camera, dlp_vec3 x, int32_t width, int32_t height)
{
    double at_x, at_y;
    project(camera, x, &at_x, &at_y);
    assert_true(at_x >= 0 && at_x <= width && at_y >= 0 && at_y <= height);
}

static void the_film_shows_every_particle_of_every_frame(void **state)
{
    (void)state;
    dlp_error error = {0};
    record_run(busy_scene, "busy", 4);
    dlp_run run = open_run("busy");
    dlp_movie *film = open_film(&run, NULL, DLP_COLOR_SUBSTANCE, NULL);
    const dlp_box box = dlp_movie_box(film);
    const dlp_camera camera = dlp_film_camera(&run.def->camera, &box, dlp_vec(0, 0, 1), 320, 200);
    for (int32_t k = 0; k < run.frame_count; k++) {
        dlp_particle_frame frame;
        expect_ok(dlp_run_read_frame(&run, k, &frame, &error), &error);
        for (int32_t i = 0; i < frame.count; i++) {
            const double *x = frame.positions + 3 * (size_t)i;
            assert_true(is_inside(&box, x));
            expect_in_picture(&camera, dlp_vec(x[0], x[1], x[2]), 320, 200);
        }
        dlp_particle_frame_release(&frame);
    }
    assert_true(box.min.x <= 0.001 && box.max.x >= 0.299 && box.max.y >= 0.199);  // and the tank's walls
    dlp_movie_destroy(film);
    dlp_run_close(&run);
}

enum { CUBE = 10, CUBE_COUNT = CUBE * CUBE * CUBE };

// A cube of a metre made of particles, the corner at the origin.
static dlp_particle_frame make_cube(double *positions, float *radii)
{
    for (int32_t i = 0; i < CUBE_COUNT; i++) {
        positions[3 * i] = 0.1 * (i % CUBE) + 0.05;
        positions[3 * i + 1] = 0.1 * (i / CUBE % CUBE) + 0.05;
        positions[3 * i + 2] = 0.1 * (i / CUBE / CUBE) + 0.05;
        radii[i] = 0.05F;
    }
    return (dlp_particle_frame){.count = CUBE_COUNT, .positions = positions, .radii = radii};
}

// What does not change the box: particles far away, however far, as long as they are few.
static void those_that_fly_off_do_not_shrink_the_rest(void **state)
{
    (void)state;
    static double positions[3 * CUBE_COUNT];
    static float radii[CUBE_COUNT];
    const dlp_scene_def scene = {.dimension = 3, .gravity = {0, 0, -9.81}};
    const dlp_particle_frame frame = make_cube(positions, radii);
    for (double far = 2.3; far < 1e6; far *= 10) {
        for (int32_t i = 0; i < 3 * 15; i += 3) positions[i + i / 3 % 3] = far;
        dlp_framing framing = {0};
        dlp_framing_add(&framing, &frame, &(dlp_surroundings){.scene = &scene});
        assert_true(framing.has_particles);
        for (int32_t k = 0; k < 3; k++) {
            const double *low = &framing.particles.min.x, *high = &framing.particles.max.x;
            assert_float_equal(low[k], 0, 1e-6);
            assert_float_equal(high[k], 1, 1e-6);
        }
    }
}

// Half of the cube has fallen off a table, far and to the side.
static void what_has_fallen_off_all_obstacles_is_not_shown(void **state)
{
    (void)state;
    static double positions[3 * CUBE_COUNT];
    static float radii[CUBE_COUNT];
    record_run("frames: {rate: 25, count: 1}\n"
               "substances:\n"
               "  a: {material: honey, particle: {spacing: 0.2},\n"
               "      shape: {box: {min: [0, 0, 0], max: [1, 1, 1]}}}\n"
               "obstacles:\n"
               "  - box: {min: [-1, -1, -0.1], max: [2, 2, 0]}\n",
               "table", 0);
    dlp_run run = open_run("table");
    const dlp_particle_frame frame = make_cube(positions, radii);
    dlp_error error = {0};
    for (double far = 0; far < 1e6; far = 10 * far + 1) {
        for (int32_t i = 0; i < CUBE_COUNT; i++)
            if (i % CUBE >= CUBE / 2) {
                positions[3 * i] = 0.05 + 0.1 * (i % CUBE) + far;
                positions[3 * i + 2] = far > 0 ? -10 * far : positions[3 * i + 2];
            }
        dlp_framing framing = {0};
        expect_ok(dlp_framing_add_frame(&framing, &run, &frame, &error), &error);
        assert_float_equal(framing.particles.max.x, far > 0 ? 0.5 : 1, 1e-6);
        assert_float_equal(framing.particles.min.z, 0, 1e-6);
    }
    dlp_run_close(&run);
}

// Stairs that are too large to be shown whole: the ball lies on the uppermost step.
static void the_ground_lies_under_every_obstacle(void **state)
{
    (void)state;
    record_run("frames: {rate: 25, count: 1}\n"
               "substances:\n"
               "  a: {material: honey, particle: {spacing: 0.02},\n"
               "      shape: {sphere: {center: [-0.3, 0, 0.6], radius: 0.05}}}\n"
               "obstacles:\n"
               "  - box: {min: [-0.5, -0.4, -1], max: [0, 0.4, 0.5]}\n"
               "  - box: {min: [0, -0.4, -1.5], max: [3, 0.4, 0.25]}\n",
               "stairs", 0);
    dlp_run run = open_run("stairs");
    dlp_error error = {0};
    dlp_framing framing = {0};
    dlp_particle_frame frame;
    expect_ok(dlp_run_read_frame(&run, 0, &frame, &error), &error);
    expect_ok(dlp_framing_add_frame(&framing, &run, &frame, &error), &error);
    dlp_particle_frame_release(&frame);
    dlp_box box;
    double ground;
    expect_ok(dlp_framing_run(&framing, &run, &box, &ground, &error), &error);
    assert_true(box.max.x - box.min.x < 0.3);  // the ball alone: the stairs are far larger
    assert_float_equal(ground, -1.5, 1e-12);
    dlp_run_close(&run);
}

static void a_given_camera_looks_where_it_is_told(void **state)
{
    (void)state;
    const dlp_box box = {{0, 0, 0}, {2, 1, 1}};
    const dlp_camera_def request = {
        .has_from = true, .has_to = true, .from = {5, -3, 2}, .to = {1, 0.5, 0.5}, .angle = 40};
    const dlp_camera camera = dlp_film_camera(&request, &box, dlp_vec(0, 0, 1), 300, 200);
    double x, y;
    project(&camera, request.to, &x, &y);
    assert_true(fabs(x - 150) < 1e-9 && fabs(y - 100) < 1e-9);
    // 40 degrees across the shorter side: half of it is 20 degrees off the axis.
    assert_true(fabs(100 / camera.scale - tan(20 * DLP_PI / 180)) < 1e-12);
    double above_x, above_y;
    project(&camera, dlp_vec(1, 0.5, 0.6), &above_x, &above_y);
    assert_true(above_y < y && fabs(above_x - x) < 1e-9);  // up is up
}

static void whatever_is_left_open_all_of_the_box_is_seen(void **state)
{
    (void)state;
    const dlp_box box = {{-1, 0, 0}, {2, 1, 0.5}};
    const dlp_camera_def wishes[] = {{.angle = 28},
                                     {.angle = 90},
                                     {.angle = 5},
                                     {.has_up = true, .up = {1, 0, 1}, .angle = 28},
                                     {.has_to = true, .to = {0, 0, 0}, .angle = 28}};
    for (size_t n = 0; n < sizeof wishes / sizeof wishes[0]; n++) {
        const dlp_camera camera = dlp_film_camera(&wishes[n], &box, dlp_vec(0, 0, 1), 320, 200);
        for (int32_t k = 0; k < 8; k++)
            expect_in_picture(&camera,
                              dlp_vec(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y,
                                      k & 4 ? box.max.z : box.min.z),
                              320, 200);
    }
}

static void a_camera_follows_its_key_frames(void **state)
{
    (void)state;
    static const char text[] = "substances: {a: {particle: {radius: 0.1}, shape: {sphere: {radius: 1}}}}\n"
                               "camera:\n"
                               "  from: {keys: [[0, [4, 0, 0]], [2, [0, 4, 0]]]}\n"
                               "  to: [0, 0, 0]\n"
                               "  angle: {keys: [[0, 20], [2, 40]]}\n";
    need_yaml();
    dlp_error error = {0};
    dlp_scene *scene;
    const dlp_scene_def *def;
    expect_ok(dlp_scene_read_text(text, strlen(text), "test", NULL, &scene, &error), &error);
    expect_ok(dlp_scene_resolve(scene, &def, &error), &error);
    const dlp_camera_def camera = dlp_camera_def_at(def, 0.5);
    assert_true(fabs(camera.from.x - 3) < 1e-12 && fabs(camera.from.y - 1) < 1e-12);
    assert_true(fabs(camera.angle - 25) < 1e-12);
    dlp_scene_destroy(scene);
}

// Scales.

static dlp_color_scale scale_of(dlp_color_field field, const float *values, int32_t count)
{
    dlp_error error = {0};
    dlp_value_pool pool = {0};
    dlp_color_scale scale;
    expect_ok(dlp_value_pool_add(&pool, values, count, &error), &error);
    dlp_color_scale_init(&scale, field, &pool);
    dlp_value_pool_release(&pool);
    return scale;
}

static bool is_round(double step)
{
    const double power = pow(10, floor(log10(step) + 1e-9)), share = step / power;
    return fabs(share - 1) < 1e-6 || fabs(share - 2) < 1e-6 || fabs(share - 5) < 1e-6;
}

static void ticks_are_round_and_cover_the_range(void **state)
{
    (void)state;
    static const double ranges[][2] = {{0, 1},         {0, 2.37}, {0, 7400},  {-33, 812}, {949, 1151},
                                       {0.987, 1.012}, {0, 3e-4}, {1e6, 7e6}, {20, 20},   {0, 0}};
    for (size_t n = 0; n < sizeof ranges / sizeof ranges[0]; n++) {
        float values[200];
        for (int32_t k = 0; k < 200; k++)
            values[k] = (float)(ranges[n][0] + k / 199.0 * (ranges[n][1] - ranges[n][0]));
        const dlp_color_scale scale = scale_of(DLP_COLOR_PRESSURE, values, 200);
        assert_true(scale.tick_count >= 3 && scale.tick_count <= 10);
        const double step = scale.ticks[1].value - scale.ticks[0].value;
        assert_true(is_round(step));
        for (int32_t k = 0; k < scale.tick_count; k++) {
            const double count = scale.ticks[k].value / step;
            assert_true(fabs(count - round(count)) < 1e-6);
            assert_true(strlen(scale.ticks[k].label) <= 9);
        }
        assert_true(scale.min == scale.ticks[0].value &&
                    scale.max == scale.ticks[scale.tick_count - 1].value);
        assert_true(scale.min <= (double)values[2] && scale.max >= (double)values[197]);
    }
}

static void labels_tell_the_ticks_apart_in_a_readable_unit(void **state)
{
    (void)state;
    float values[300];
    for (int32_t k = 0; k < 300; k++) values[k] = 250.0F * (float)k;
    dlp_color_scale scale = scale_of(DLP_COLOR_PRESSURE, values, 300);
    assert_string_equal(scale.title, "pressure (kPa)");
    assert_string_equal(scale.ticks[scale.tick_count - 1].label, "80");
    for (int32_t k = 0; k < 300; k++) values[k] = 0.01F * (float)k;
    scale = scale_of(DLP_COLOR_SPEED, values, 300);
    assert_string_equal(scale.title, "speed (m/s)");
    assert_string_equal(scale.ticks[0].label, "0.0");
    assert_string_equal(scale.ticks[1].label, "0.5");
    static const float steps[] = {-8, -9, -10, -8};  // log2 of seconds
    scale = scale_of(DLP_COLOR_STEP, steps, 4);
    assert_string_equal(scale.title, "time step (ms)");
    assert_int_equal(scale.tick_count, 3);
    assert_string_equal(scale.ticks[2].label, "3.91");
}

static void one_outlier_does_not_stretch_the_scale(void **state)
{
    (void)state;
    float values[1000];
    for (int32_t k = 0; k < 1000; k++) values[k] = 0.001F * (float)k;
    values[500] = 1e6F;
    values[501] = NAN;
    assert_true(scale_of(DLP_COLOR_SPEED, values, 1000).max <= 1.2);
}

static double lightness(dlp_vec3 srgb)
{
    const dlp_vec3 c = dlp_color_linear(srgb);
    return cbrt(0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z);
}

static void colours_grow_lighter_from_end_to_end(void **state)
{
    (void)state;
    float values[100];
    for (int32_t k = 0; k < 100; k++) values[k] = (float)k;
    const dlp_color_scale scale = scale_of(DLP_COLOR_SPEED, values, 100);
    double before = -1;
    for (int32_t k = 0; k <= 100; k++) {
        const double now =
            lightness(dlp_color_scale_at(&scale, scale.min + k * (scale.max - scale.min) / 100));
        assert_true(now > before);
        before = now;
    }
    const dlp_vec3 end = dlp_color_scale_at(&scale, scale.max), beyond = dlp_color_scale_at(&scale, 1e9);
    assert_true(end.x == beyond.x && end.y == beyond.y && end.z == beyond.z);
}

static void levels_and_states_have_a_swatch_each(void **state)
{
    (void)state;
    static const float levels[] = {0, 0, 2, 1, 0, 0};
    dlp_color_scale scale = scale_of(DLP_COLOR_LEVEL, levels, 6);
    assert_int_equal(scale.tick_count, 3);
    assert_string_equal(scale.ticks[0].label, "0 finest");
    scale = scale_of(DLP_COLOR_STATE, levels, 6);
    assert_int_equal(scale.tick_count, 3);
    assert_string_equal(scale.ticks[2].label, "restrained");
    assert_true(dlp_color_scale_at(&scale, 0).z > 0.7 && dlp_color_scale_at(&scale, 1).y > 0.6 &&
                dlp_color_scale_at(&scale, 2).x > 0.7);  // blue, green, red
}

static void the_rarest_level_has_a_swatch(void **state)
{
    (void)state;
    static float levels[100000];
    levels[54321] = 3;
    assert_int_equal(scale_of(DLP_COLOR_LEVEL, levels, 100000).tick_count, 4);
}

static void a_field_is_found_by_its_name(void **state)
{
    (void)state;
    dlp_error error = {0};
    dlp_color_field field;
    for (int k = 0; k < DLP_COLOR_FIELD_COUNT; k++) {
        expect_ok(dlp_color_field_find(dlp_color_field_name((dlp_color_field)k), &field, &error), &error);
        assert_int_equal(field, k);
    }
    assert_int_equal(dlp_color_field_find("spede", &field, &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "did you mean speed?"));
}

// Gathering.

static void what_is_gathered_is_what_all_pairs_give(void **state)
{
    (void)state;
    enum { COUNT = 600, PLACES = 200 };
    static double positions[3 * COUNT];
    static float radii[COUNT], values[COUNT], fast[PLACES], threads[PLACES], nearest[PLACES];
    static int32_t substances[COUNT];
    static dlp_vec3 places[PLACES];
    srand(7);
    for (int32_t i = 0; i < COUNT; i++) {
        for (int32_t c = 0; c < 3; c++) positions[3 * i + c] = rand() / (double)RAND_MAX;
        radii[i] = i % 3 == 0 ? 0.08F : i % 3 == 1 ? 0.04F : 0.02F;
        values[i] = (float)rand() / (float)RAND_MAX;
        substances[i] = i % 2;
    }
    for (int32_t k = 0; k < PLACES; k++)
        places[k] = dlp_vec(rand() / (double)RAND_MAX, rand() / (double)RAND_MAX, rand() / (double)RAND_MAX);
    const dlp_particle_frame frame = {
        .count = COUNT, .positions = positions, .radii = radii, .substances = substances};
    dlp_error error = {0};
    dlp_gather *gather;
    dlp_team *team;
    expect_ok(dlp_gather_create(&frame, 1, &gather, &error), &error);
    expect_ok(dlp_team_create(3, &team, &error), &error);
    dlp_gather_values(gather, DLP_GATHER_MEAN, values, 1, places, PLACES, NULL, fast);
    dlp_gather_values(gather, DLP_GATHER_MEAN, values, 1, places, PLACES, team, threads);
    dlp_gather_values(gather, DLP_GATHER_NEAREST, values, 1, places, PLACES, team, nearest);
    assert_memory_equal(fast, threads, sizeof fast);
    for (int32_t k = 0; k < PLACES; k++) {
        double sum = 0, weight = 0, best = HUGE_VAL, best_value = 0;
        for (int32_t i = 1; i < COUNT; i += 2) {
            const dlp_vec3 x = dlp_vec(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]);
            const double d = dlp_length(dlp_sub(x, places[k])) / (double)radii[i], near = 1 - d * d / 9;
            if (near > 0) sum += near * near * near * (double)values[i];
            if (near > 0) weight += near * near * near;
            if (d < best) best_value = (double)values[i];
            best = fmin(best, d);
        }
        if (weight > 0) assert_true(fabs((double)fast[k] - sum / weight) < 1e-6);
        if (weight > 0) assert_true(fabs((double)nearest[k] - best_value) < 1e-6);
    }
    dlp_team_destroy(team);
    dlp_gather_destroy(gather);
}

// Words.

static void the_font_has_all_that_is_written(void **state)
{
    (void)state;
    for (int32_t c = ' '; c <= '~'; c++) assert_true(dlp_font_has(c));
    static const int32_t others[] = {0xb0,   0xb2,   0xb3,   0xb5,   0xb7,   0xb9,   0xd7,  0x3c1,
                                     0x2013, 0x2026, 0x2070, 0x2074, 0x2079, 0x207b, 0x2212};
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) assert_true(dlp_font_has(others[k]));
    assert_false(dlp_font_has(0x4e2d));
    for (int k = 0; k < DLP_COLOR_FIELD_COUNT; k++) {  // titles and labels as legends have them
        static const float values[] = {1e-5F, 2e-5F};
        const dlp_color_scale scale = scale_of((dlp_color_field)k, values, 2);
        const char *at = scale.title, *end = at + strlen(at);
        while (at < end) assert_true(dlp_font_has(dlp_utf8_next(&at, end)));
    }
}

static int64_t dark_pixels(const dlp_image *image, int32_t left, int32_t right)
{
    int64_t count = 0;
    for (int32_t y = 0; y < image->height; y++)
        for (int32_t x = left; x < right; x++)
            count += image->pixels[3 * ((size_t)y * (size_t)image->width + (size_t)x)] < 128;
    return count;
}

static dlp_image paper(int32_t width, int32_t height)
{
    dlp_error error = {0};
    dlp_image image;
    expect_ok(dlp_image_init(&image, width, height, 3, &error), &error);
    memset(image.pixels, 255, 3 * (size_t)width * (size_t)height);
    return image;
}

static void every_letter_leaves_ink_where_its_width_says(void **state)
{
    (void)state;
    dlp_error error = {0};
    for (char c = '!'; c <= '~'; c++) {
        const char text[2] = {c, 0};
        dlp_image image = paper(80, 60);
        const dlp_text_style style = {24, {0, 0, 0}, DLP_ALIGN_LEFT};
        expect_ok(dlp_text_draw(&image, text, 20, 40, &style, &error), &error);
        const int32_t end = (int32_t)ceil(20 + dlp_text_width(text, 24)) + 1;
        assert_true(dark_pixels(&image, 19, end) > 10);
        assert_int_equal(dark_pixels(&image, 0, 19) + dark_pixels(&image, end, 80), 0);
        dlp_image_release(&image);
    }
}

static void what_does_not_fit_into_a_picture_is_cut_off(void **state)
{
    (void)state;
    dlp_error error = {0};
    const float values[] = {0, 1, 2};
    const dlp_color_scale scale = scale_of(DLP_COLOR_SPEED, values, 3);
    for (int32_t size = 1; size < 60; size += 7) {
        dlp_image image = paper(size, size);
        expect_ok(dlp_legend_draw(&image, &scale, &error), &error);
        expect_ok(dlp_caption_draw(&image, "a long caption", DLP_CAPTION_TOP, 0, size, &error), &error);
        expect_ok(dlp_caption_draw(&image, "\xff\xfe", DLP_CAPTION_BOTTOM, 0, size, &error), &error);
        dlp_image_release(&image);
    }
}

static void a_legend_stays_within_the_room_it_asks_for(void **state)
{
    (void)state;
    dlp_error error = {0};
    static const float values[] = {0, 1000, 250000};
    const dlp_color_scale scale = scale_of(DLP_COLOR_PRESSURE, values, 3);
    dlp_image image;
    expect_ok(dlp_image_init(&image, 400, 300, 3, &error), &error);
    expect_ok(dlp_legend_draw(&image, &scale, &error), &error);
    const int32_t edge = 400 - dlp_legend_width(&scale, 300) - 1;  // the panel's rim
    int32_t left = 400;
    for (int32_t k = 0; k < 400 * 300; k++)
        if (image.pixels[3 * k] != 0 && k % 400 < left) left = k % 400;
    assert_in_range(left, edge, edge + 3);
    dlp_image_release(&image);
}

static void pictures_stand_side_by_side(void **state)
{
    (void)state;
    dlp_error error = {0};
    dlp_image left = paper(40, 30), right = paper(50, 30), both;
    memset(left.pixels, 10, 3 * 40 * 30);
    memset(right.pixels, 200, 3 * 50 * 30);
    expect_ok(dlp_image_beside(&left, &right, &both, &error), &error);
    assert_int_equal(both.width, 90);
    assert_int_equal(both.height, 30);
    const uint8_t *row = both.pixels + 3 * 90 * 7;
    assert_int_equal(row[3 * 5], 10);
    assert_int_equal(row[3 * 38], 10);
    assert_int_equal(row[3 * 40], 255);  // the line between them
    assert_int_equal(row[3 * 85], 200);
    dlp_image_release(&right);
    right = paper(50, 31);
    dlp_image none;
    assert_int_equal(dlp_image_beside(&left, &right, &none, &error), DLP_INVALID);
    dlp_image_release(&left);
    dlp_image_release(&right);
    dlp_image_release(&both);
}

// Whole films.

static void a_film_is_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    dlp_error error = {0};
    record_run(plane_scene, "plane", 4);
    dlp_run run = open_run("plane");
    dlp_team *team;
    expect_ok(dlp_team_create(3, &team, &error), &error);
    dlp_movie *alone = open_film(&run, NULL, DLP_COLOR_SPEED, NULL);
    dlp_movie *together = open_film(&run, NULL, DLP_COLOR_SPEED, team);
    dlp_image a, b;
    expect_ok(dlp_movie_draw(alone, 3, &a, &error), &error);
    expect_ok(dlp_movie_draw(together, 3, &b, &error), &error);
    assert_int_equal(a.width, 160);
    assert_int_equal(a.height, 100);
    assert_memory_equal(a.pixels, b.pixels, 3 * 160 * 100);
    dlp_image_release(&a);
    dlp_image_release(&b);
    dlp_movie_destroy(alone);
    dlp_movie_destroy(together);
    dlp_team_destroy(team);
    dlp_run_close(&run);
}

static void the_shorter_of_two_runs_holds_its_last_frame(void **state)
{
    (void)state;
    dlp_error error = {0};
    record_run(plane_scene, "short", 2);
    dlp_run shorter = open_run("short"), longer = open_run("plane");
    for (int order = 0; order < 2; order++) {
        dlp_movie *film = open_film(order == 0 ? &shorter : &longer, order == 0 ? &longer : &shorter,
                                    DLP_COLOR_PRESSURE, NULL);
        int32_t count;
        const dlp_frame_ref *frames = dlp_movie_frames(film, &count);
        assert_int_equal(count, 5);
        for (int32_t k = 0; k < count; k++) {
            assert_int_equal(frames[k].number, k);
            assert_int_equal(frames[k].indices[order], k < 2 ? k : 2);
            assert_int_equal(frames[k].indices[1 - order], k);
        }
        dlp_image image;
        expect_ok(dlp_movie_draw(film, 4, &image, &error), &error);
        assert_int_equal(image.width, 320);
        dlp_image_release(&image);
        dlp_movie_destroy(film);
    }
    dlp_run_close(&shorter);
    dlp_run_close(&longer);
}

static void a_film_that_cannot_be_made_says_why(void **state)
{
    (void)state;
    need_yaml();
    dlp_error error = {0};
    dlp_run plane = open_run("plane"), space = open_run("busy");
    dlp_movie *film;
    dlp_movie_def def = {.runs = {&plane, &space}};
    assert_int_equal(dlp_movie_create(&def, &film, &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "one is in the plane, the other in space"));
    def = (dlp_movie_def){.runs = {&plane}, .color = DLP_COLOR_TEMPERATURE};
    assert_int_equal(dlp_movie_create(&def, &film, &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "plane: has no temperatures"));
    def = (dlp_movie_def){.runs = {&plane}, .kind = DLP_MOVIE_SURFACE};
    assert_int_equal(dlp_movie_create(&def, &film, &error), DLP_INVALID);
    plane.frame_count = 0;
    def = (dlp_movie_def){.runs = {&plane}};
    assert_int_equal(dlp_movie_create(&def, &film, &error), DLP_IO);
    assert_non_null(strstr(error.message, "has no frames"));
    dlp_run_close(&plane);
    dlp_run_close(&space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_film_shows_every_particle_of_every_frame),
        cmocka_unit_test(those_that_fly_off_do_not_shrink_the_rest),
        cmocka_unit_test(what_has_fallen_off_all_obstacles_is_not_shown),
        cmocka_unit_test(the_ground_lies_under_every_obstacle),
        cmocka_unit_test(a_given_camera_looks_where_it_is_told),
        cmocka_unit_test(whatever_is_left_open_all_of_the_box_is_seen),
        cmocka_unit_test(a_camera_follows_its_key_frames),
        cmocka_unit_test(ticks_are_round_and_cover_the_range),
        cmocka_unit_test(labels_tell_the_ticks_apart_in_a_readable_unit),
        cmocka_unit_test(one_outlier_does_not_stretch_the_scale),
        cmocka_unit_test(colours_grow_lighter_from_end_to_end),
        cmocka_unit_test(levels_and_states_have_a_swatch_each),
        cmocka_unit_test(the_rarest_level_has_a_swatch),
        cmocka_unit_test(a_field_is_found_by_its_name),
        cmocka_unit_test(what_is_gathered_is_what_all_pairs_give),
        cmocka_unit_test(the_font_has_all_that_is_written),
        cmocka_unit_test(every_letter_leaves_ink_where_its_width_says),
        cmocka_unit_test(what_does_not_fit_into_a_picture_is_cut_off),
        cmocka_unit_test(a_legend_stays_within_the_room_it_asks_for),
        cmocka_unit_test(pictures_stand_side_by_side),
        cmocka_unit_test(a_film_is_the_same_for_any_number_of_threads),
        cmocka_unit_test(the_shorter_of_two_runs_holds_its_last_frame),
        cmocka_unit_test(a_film_that_cannot_be_made_says_why),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
