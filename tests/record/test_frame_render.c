#include "record/film/frame_render.h"
#include "truth.h"

#include <string.h>

enum { COUNT = 400, WIDTH = 160, HEIGHT = 100 };

static double positions[3 * COUNT];
static float radii[COUNT], velocities[3 * COUNT];
static int32_t substances[COUNT];
static const dlp_color_scale plain = {.field = DLP_COLOR_SUBSTANCE};

// A square sheet of red particles in the plane x, y around the origin.
typedef struct sheet {
    dlp_scene_def scene;
    dlp_substance_def substance;
    dlp_particle_frame frame;
    dlp_frame_render_def render;
} sheet;

static void make_sheet(sheet *s)
{
    for (int32_t i = 0; i < COUNT; i++) {
        positions[3 * i] = i % 20 - 9.5;
        positions[3 * i + 1] = i / 20 - 9.5;
        positions[3 * i + 2] = 0;
        radii[i] = 0.6F;
    }
    *s = (sheet){.substance = {.color = {0.8, 0.1, 0.1}}};
    s->scene = (dlp_scene_def){.dimension = 3,
                               .gravity = {0, 0, -9.81},
                               .substances = &s->substance,
                               .substance_count = 1,
                               .camera = {.angle = 28},
                               .render = {.sun_strength = 1, .sky = {0.7, 0.8, 0.93}, .denoise = true}};
    s->frame = (dlp_particle_frame){.count = COUNT,
                                    .positions = positions,
                                    .radii = radii,
                                    .velocities = velocities,
                                    .substances = substances};
    s->render = (dlp_frame_render_def){.scene = &s->scene,
                                       .camera_source = &s->scene,
                                       .frame = &s->frame,
                                       .scale = &plain,
                                       .box = {{-10, -10, -1}, {10, 10, 1}},
                                       .ground = -1,
                                       .width = WIDTH,
                                       .height = HEIGHT,
                                       .samples = 4};
}

static dlp_image draw(const dlp_frame_render_def *render)
{
    dlp_error error = {0};
    dlp_image image;
    const dlp_status status = dlp_frame_render_draw(render, &image, &error);
    if (status != DLP_OK) fail_msg("%s", error.message);
    return image;
}

static bool is_reddish(const dlp_image *image, int32_t x, int32_t y)
{
    const uint8_t *p = image->pixels + 3 * (y * image->width + x);
    return p[0] > p[1] + 40 && p[0] > p[2] + 40;
}

static int32_t count_reddish(const dlp_image *image)
{
    int32_t seen = 0;
    for (int32_t k = 0; k < WIDTH * HEIGHT; k++) seen += is_reddish(image, k % WIDTH, k / WIDTH);
    return seen;
}

static void the_substance_is_seen_in_the_middle_and_not_in_the_corners(void **state)
{
    (void)state;
    sheet s;
    make_sheet(&s);
    dlp_image image = draw(&s.render);
    assert_true(is_reddish(&image, WIDTH / 2, HEIGHT / 2));
    assert_false(is_reddish(&image, 0, 0));
    assert_false(is_reddish(&image, WIDTH - 1, HEIGHT - 1));
    dlp_image_release(&image);
}

static void a_container_does_not_hide_the_substance(void **state)
{
    (void)state;
    dlp_error error = {0};
    const dlp_shape_def box = {
        .kind = DLP_SHAPE_BOX, .min = {-11, -11, -1}, .max = {11, 11, 5}, .inside = true};
    dlp_shape *shape;
    assert_int_equal(dlp_shape_create(&box, 3, NULL, &shape, &error), DLP_OK);
    const dlp_preview_obstacle obstacle = {shape, dlp_transform_identity()};
    sheet s;
    make_sheet(&s);
    s.render.obstacles = &obstacle;
    s.render.obstacle_count = 1;
    dlp_image image = draw(&s.render);
    assert_true(count_reddish(&image) > WIDTH * HEIGHT / 10);
    dlp_image_release(&image);
    dlp_shape_destroy(shape);
}

// A surface stands for the particles of its substance: here a triangle far smaller than the sheet.
static void particles_that_have_a_surface_are_not_drawn(void **state)
{
    (void)state;
    dlp_vec3 vertices[3] = {{-3, -3, 0}, {3, -3, 0}, {0, 3, 0}};
    int32_t triangles[1][3] = {{0, 1, 2}};
    float normals[9] = {0, 0, 1, 0, 0, 1, 0, 0, 1};
    const dlp_surface_mesh mesh = {
        .mesh = {.vertices = vertices, .triangles = triangles, .vertex_count = 3, .triangle_count = 1},
        .normals = normals};
    sheet s;
    make_sheet(&s);
    dlp_image particles = draw(&s.render);
    for (int32_t substance = -1; substance <= 0; substance++) {
        const dlp_frame_mesh shown = {substance, &mesh};
        s.render.meshes = &shown;
        s.render.mesh_count = 1;
        dlp_image surface = draw(&s.render);
        assert_true(count_reddish(&surface) > 20);
        assert_true(count_reddish(&surface) < count_reddish(&particles) / 10);
        dlp_image_release(&surface);
    }
    dlp_image_release(&particles);
}

static void odd_particles_still_make_a_picture(void **state)
{
    (void)state;
    sheet s;
    make_sheet(&s);
    positions[0] = (double)NAN;
    positions[4] = (double)INFINITY;
    positions[6] = 1e200;
    radii[5] = 0;
    radii[6] = -1;
    static const int32_t counts[] = {COUNT, 1, 0};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        s.frame.count = counts[k];
        dlp_image image = draw(&s.render);
        dlp_image_release(&image);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_substance_is_seen_in_the_middle_and_not_in_the_corners),
        cmocka_unit_test(a_container_does_not_hide_the_substance),
        cmocka_unit_test(particles_that_have_a_surface_are_not_drawn),
        cmocka_unit_test(odd_particles_still_make_a_picture),
    };
    return dlp_frame_render_is_available(3) ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
