#include "record/render/sampling.h"
#include "record/render/optics.h"
#include "record/render/render_parts.h"
#include "base/memory.h"
#include "truth.h"

#include <string.h>

enum { SIZE = 32 };

// A camera at `eye` that looks along `forward`; a tangent of 1/4 from the middle to the picture's edge.
static dlp_camera look(dlp_vec3 eye, dlp_vec3 forward, dlp_vec3 up)
{
    dlp_camera camera = {.eye = eye, .forward = dlp_normalize(forward, dlp_vec(0, 1, 0))};
    camera.right = dlp_normalize(dlp_cross(camera.forward, up), dlp_vec(1, 0, 0));
    camera.up = dlp_cross(camera.right, camera.forward);
    camera.scale = 4 * SIZE / 2.0;
    camera.center_x = camera.center_y = SIZE / 2.0;
    return camera;
}

static dlp_render_def empty_def(void)
{
    return (dlp_render_def){.width = SIZE,
                            .height = SIZE,
                            .samples = 64,
                            .camera = look(dlp_vec(0, -8, 0), dlp_vec(0, 1, 0), dlp_vec(0, 0, 1)),
                            .box = {{-1, -1, -1}, {1, 1, 1}},
                            .up = {0, 0, 1},
                            .sun_strength = 1,
                            .sky = {0.6, 0.7, 0.9}};
}

static dlp_sky even_sky(double radiance)
{
    const dlp_vec3 light = {radiance, radiance, radiance};
    return (dlp_sky){.up = {0, 0, 1}, .zenith = light, .horizon = light, .sun = {0, 0, 1}};
}

// A dark sky and a sun whose light on a surface that faces it is pi, so that white then has a radiance of 1.
static dlp_sky only_sun(dlp_vec3 direction)
{
    dlp_sky sky = even_sky(0);
    sky.sun = dlp_normalize(direction, dlp_vec(0, 0, 1));
    sky.sunlight = dlp_vec(DLP_PI, DLP_PI, DLP_PI);
    sky.sun_tangent = 0.01;
    sky.ground = dlp_vec(0.5, 0.5, 0.5);
    return sky;
}

static float *trace(const dlp_render_def *def, const dlp_sky *sky)
{
    dlp_error error = {0};
    float *light;
    const dlp_status status = dlp_render_trace(def, sky, &light, &error);
    if (status != DLP_OK) fail_msg("%s", error.message);
    return light;
}

// Mean of the first colour over a square of pixels.
static double mean_around(const float *light, int32_t x, int32_t y, int32_t reach)
{
    double sum = 0;
    for (int32_t j = y - reach; j <= y + reach; j++)
        for (int32_t i = x - reach; i <= x + reach; i++) sum += (double)light[3 * (j * SIZE + i)];
    return sum / ((2 * reach + 1) * (2 * reach + 1));
}

// One white sphere of radius 1 at the origin.
static const double origin[3] = {0, 0, 0};
static const float unit_radius[1] = {1}, white[3] = {1, 1, 1};

static dlp_render_spheres sphere(dlp_look look_of_it)
{
    return (dlp_render_spheres){
        .count = 1, .positions = origin, .radii = unit_radius, .colors = white, .look = look_of_it};
}

// A level rectangle of two triangles, or a closed slab between two heights.
typedef struct plate {
    dlp_surface_mesh skin;
    dlp_vec3 vertices[24];
    int32_t triangles[12][3];
    float normals[3 * 24];
} plate;

// A box with faces of their own, outward.
static void make_slab(plate *p, dlp_vec3 low, dlp_vec3 high)
{
    const dlp_vec3 ends[2] = {low, high};
    for (int32_t face = 0; face < 6; face++) {
        const int32_t axis = face / 2, side = face % 2;
        for (int32_t k = 0; k < 4; k++) {
            int32_t pick[3];
            const int32_t u = k == 1 || k == 2, v = k >= 2;
            pick[axis] = side;
            pick[(axis + 1) % 3] = side == 1 ? u : v;
            pick[(axis + 2) % 3] = side == 1 ? v : u;
            p->vertices[4 * face + k] = dlp_vec(ends[pick[0]].x, ends[pick[1]].y, ends[pick[2]].z);
            p->normals[3 * (4 * face + k) + axis] = side == 1 ? 1 : -1;
        }
        const int32_t corners[6] = {0, 1, 2, 0, 2, 3};
        for (int32_t k = 0; k < 6; k++) p->triangles[2 * face + k / 3][k % 3] = 4 * face + corners[k];
    }
    p->skin.mesh = (dlp_mesh){
        .vertices = p->vertices, .triangles = p->triangles, .vertex_count = 24, .triangle_count = 12};
    p->skin.normals = p->normals;
}

static void white_bodies_vanish_in_an_even_sky(void **state)
{
    (void)state;
    static const dlp_look looks[3] = {DLP_LOOK_MATTE, DLP_LOOK_GLOSSY, DLP_LOOK_WAX};
    for (int32_t k = 0; k < 3; k++) {
        dlp_render_def def = empty_def();
        def.spheres = sphere(looks[k]);
        const dlp_sky sky = even_sky(0.7);
        float *light = trace(&def, &sky);
        for (int32_t pixel = 0; pixel < 3 * SIZE * SIZE; pixel++)
            assert_near((double)light[pixel], 0.7, 0.7 * 2e-3);  // a coat's masking is left out
        dlp_free(light);
    }
}

static void sunlight_on_a_plane_follows_the_cosine(void **state)
{
    (void)state;
    for (int32_t degrees = 0; degrees <= 60; degrees += 20) {
        dlp_render_def def = empty_def();
        plate floor = {0};
        make_slab(&floor, dlp_vec(-2, -2, -0.1), dlp_vec(2, 2, 0));
        const dlp_render_surface surface = {.mesh = &floor.skin, .color = {0.5, 0.5, 0.5}};
        def.surfaces = &surface;
        def.surface_count = 1;
        def.camera = look(dlp_vec(0, 0, 6), dlp_vec(0, 0, -1), dlp_vec(0, 1, 0));
        const double angle = degrees * DLP_PI / 180;
        const dlp_sky sky = only_sun(dlp_vec(sin(angle), 0, cos(angle)));
        float *light = trace(&def, &sky);
        assert_near(mean_around(light, 16, 16, 4), 0.5 * cos(angle), 1e-3);  // the sun is a small disc
        dlp_free(light);
    }
}

// A sphere of radius 1 whose middle is 2 above the ground: the sun at 45 degrees along x puts the middle of
// the shadow 2 beside the place below it, an ellipse of half axes sqrt(2) and 1.
static void a_shadow_lies_where_the_sun_puts_it(void **state)
{
    (void)state;
    dlp_render_def def = empty_def();
    def.spheres = sphere(DLP_LOOK_MATTE);
    def.has_ground = true;
    def.ground = -2;
    def.camera = look(dlp_vec(2, 0, 30), dlp_vec(0, 0, -1), dlp_vec(0, 1, 0));
    def.camera.scale = 32 * SIZE / 8.0;  // 8 wide at the ground
    const dlp_sky sky = only_sun(dlp_vec(-1, 0, 1));
    float *light = trace(&def, &sky);
    const double lit = 0.5 * sqrt(0.5);
    assert_near(mean_around(light, 16, 16, 1), 0, 0.02);  // the middle of it: what the ball scatters there
    assert_near(mean_around(light, 16 + 4, 16, 0), 0, 0.02);    // 1.1 along x: still in it
    assert_near(mean_around(light, 16 + 8, 16, 1), lit, 0.02);  // 2 along x: out of it
    assert_near(mean_around(light, 16, 16 + 7, 1), lit, 0.02);  // 1.75 along y: out of it
    assert_near(mean_around(light, 16, 16 - 7, 1), lit, 0.02);
    dlp_free(light);
}

// Seen at right angles a surface of index n reflects ((n - 1) / (n + 1))^2, once at its front and, of what
// comes through, once at its back.
static void a_slab_of_glass_reflects_as_fresnel_says(void **state)
{
    (void)state;
    dlp_render_def def = empty_def();
    plate slab = {0};
    make_slab(&slab, dlp_vec(-2, -2, -0.2), dlp_vec(2, 2, 0.2));
    const dlp_render_surface surface = {
        .mesh = &slab.skin, .color = {1, 1, 1}, .look = DLP_LOOK_GLASS, .refraction = 1.5};
    def.surfaces = &surface;
    def.surface_count = 1;
    def.camera = look(dlp_vec(0, 0, 60), dlp_vec(0, 0, -1), dlp_vec(0, 1, 0));
    def.camera.scale = 1000;
    dlp_sky sky = even_sky(0);
    sky.zenith = dlp_vec(1, 1, 1);  // light from above, where the camera is: what is seen is reflected
    float *light = trace(&def, &sky);
    const double once = pow((1.5 - 1) / (1.5 + 1), 2);
    assert_near(mean_around(light, 16, 16, 2), once, 1e-3);
    dlp_free(light);

    sky.up = dlp_vec(0, 0, -1);  // light from below: what is seen has come through
    light = trace(&def, &sky);
    assert_near(mean_around(light, 16, 16, 2), (1 - once) * (1 - once), 1e-3);
    dlp_free(light);
}

// Beer's law: through the depth that belongs to the colour light takes on the colour, through twice of it
// twice.
static void tinted_glass_is_darker_the_thicker_it_is(void **state)
{
    (void)state;
    double seen[2];
    for (int32_t k = 0; k < 2; k++) {
        dlp_render_def def = empty_def();
        plate slab = {0};
        make_slab(&slab, dlp_vec(-2, -2, 0), dlp_vec(2, 2, 0.25 * (k + 1)));
        const dlp_render_surface surface = {.mesh = &slab.skin,
                                            .color = {0.5, 0.5, 0.5},
                                            .look = DLP_LOOK_GLASS,
                                            .depth = 0.25,
                                            .refraction = 1.0000001};
        def.surfaces = &surface;
        def.surface_count = 1;
        def.camera = look(dlp_vec(0, 0, 60), dlp_vec(0, 0, -1), dlp_vec(0, 1, 0));
        def.camera.scale = 1000;
        const dlp_sky sky = even_sky(1);
        float *light = trace(&def, &sky);
        seen[k] = mean_around(light, 16, 16, 2);
        dlp_free(light);
    }
    assert_near(seen[0], 0.5, 1e-3);
    assert_near(seen[1], 0.25, 1e-3);
}

static void a_turn_is_cosine_and_sine(void **state)
{
    (void)state;
    for (int32_t k = 0; k < 1000; k++) {
        double c, s;
        dlp_turn_cos_sin(0.001 * k, &c, &s);
        assert_near(c, cos(2 * DLP_PI * 0.001 * k), 1e-8);
        assert_near(s, sin(2 * DLP_PI * 0.001 * k), 1e-8);
    }
}

// sin(a) = n sin(b).
static void refraction_bends_by_snells_law(void **state)
{
    (void)state;
    for (int32_t degrees = 10; degrees < 90; degrees += 20) {
        const double a = degrees * DLP_PI / 180;
        const dlp_vec3 direction = dlp_vec(sin(a), 0, -cos(a)), normal = dlp_vec(0, 0, 1);
        const dlp_vec3 bent = dlp_refract(direction, normal, 1, 1.5);
        assert_near(bent.x, sin(a) / 1.5, 1e-12);
        assert_near(dlp_length(bent), 1, 1e-12);
        assert_true(bent.z < 0);
    }
    assert_near(dlp_fresnel(1, 1, 1.5), 0.04, 1e-12);
    assert_near(dlp_fresnel(0.1, 1.5, 1), 1, 0);  // total reflection
    const double brewster = cos(atan(1.5));  // only one polarisation is reflected: (n2 - 1)^2/(n2 + 1)^2 / 2
    assert_near(dlp_fresnel(brewster, 1, 1.5), pow((2.25 - 1) / (2.25 + 1), 2) / 2, 1e-12);
}

// A box around a sphere, seen from outside and above.
static dlp_render_obstacle container(dlp_shape **out_shape)
{
    dlp_error error = {0};
    const dlp_shape_def box = {.kind = DLP_SHAPE_BOX, .min = {-2, -2, -2}, .max = {2, 2, 2}, .inside = true};
    assert_int_equal(dlp_shape_create(&box, 3, NULL, out_shape, &error), DLP_OK);
    return (dlp_render_obstacle){*out_shape, dlp_transform_identity(), {0.8, 0.8, 0.8}};
}

static void a_container_shows_its_inside_and_lets_the_sun_in(void **state)
{
    (void)state;
    dlp_shape *shape;
    const dlp_render_obstacle box = container(&shape);
    dlp_render_def def = empty_def();
    def.box = (dlp_box){{-2, -2, -2}, {2, 2, 2}};
    def.spheres = sphere(DLP_LOOK_MATTE);
    def.obstacles = &box;
    def.obstacle_count = 1;
    def.camera = look(dlp_vec(0, 0, 20), dlp_vec(0, 0, -1), dlp_vec(0, 1, 0));
    def.camera.scale = 20 * SIZE / 6.0;
    const dlp_sky sky = only_sun(dlp_vec(0, 0, 1));
    float *light = trace(&def, &sky);
    assert_near(mean_around(light, 16, 16, 0), 1,
                0.02);  // the top of the sphere: full sun, a little of the walls
    const double floor = mean_around(light, 16 + 8, 16, 0);
    assert_true(floor > 0.79 && floor < 1.2);            // sunlit, and what the ball and the walls scatter
    assert_near(mean_around(light, 1, 16, 0), 0, 1e-6);  // outside there is nothing
    dlp_free(light);
    dlp_shape_destroy(shape);
}

// Water that fills a container up to its walls looks like water that ends a hair before them: the walls are
// wet.
static void water_that_touches_a_wall_is_seen_through(void **state)
{
    (void)state;
    dlp_shape *shape;
    const dlp_render_obstacle box = container(&shape);
    double seen[2];
    for (int32_t k = 0; k < 2; k++) {
        const double gap = 0.02 * k;
        plate slab = {0};
        make_slab(&slab, dlp_vec(gap - 2, gap - 2, gap - 2), dlp_vec(2 - gap, 2 - gap, 0));
        const dlp_render_surface surface = {.mesh = &slab.skin, .color = {1, 1, 1}, .look = DLP_LOOK_GLASS};
        dlp_render_def def = empty_def();
        def.surfaces = &surface;
        def.surface_count = 1;
        def.obstacles = &box;
        def.obstacle_count = 1;
        def.camera = look(dlp_vec(0, -4, 20), dlp_vec(0, 4, -20), dlp_vec(0, 1, 0));
        const dlp_sky sky = only_sun(dlp_vec(0.5, 0, 1));
        float *light = trace(&def, &sky);
        seen[k] = mean_around(light, 16, 16, 4);
        dlp_free(light);
    }
    assert_true(seen[0] >
                0.8 * 0.89 * 0.95);  // white light at 27 degrees on the floor, less what the water reflects
    assert_near(seen[0], seen[1], 0.03 * seen[1]);
    dlp_shape_destroy(shape);
}

// A ball, less a smaller ball, less its upper half: from above one sees into it.
static void a_cut_shape_is_seen_as_it_is_cut(void **state)
{
    (void)state;
    dlp_error error = {0};
    dlp_shape_def parts[3] = {{.kind = DLP_SHAPE_SPHERE, .radius = 1},
                              {.kind = DLP_SHAPE_SPHERE, .radius = 0.8},
                              {.kind = DLP_SHAPE_BOX, .min = {-2, -2, 0}, .max = {2, 2, 2}}};
    const dlp_shape_def bowl = {.kind = DLP_SHAPE_DIFFERENCE, .children = parts, .child_count = 3};
    dlp_shape *shape;
    assert_int_equal(dlp_shape_create(&bowl, 3, NULL, &shape, &error), DLP_OK);
    const dlp_render_obstacle obstacle = {shape, dlp_transform_identity(), {1, 1, 1}};
    dlp_render_def def = empty_def();
    def.obstacles = &obstacle;
    def.obstacle_count = 1;
    dlp_render_scene *scene;
    assert_int_equal(dlp_render_scene_create(&def, NULL, &scene, &error), DLP_OK);
    const double unit = sqrt(3);  // half the diagonal of the box: the scene's unit
    for (int32_t k = 0; k < 40; k++) {
        const double x = -0.99 + 0.05 * k, root = 0.64 - x * x;
        const dlp_ray ray = {{x / unit, 0.01 / unit, 4}, {0, 0, -1}, 0, HUGE_VAL};
        dlp_surface_point point;
        assert_true(dlp_render_scene_find(scene, DLP_RENDER_ALL, &ray, &point));
        const double depth = root - 1e-4 > 0 ? -sqrt(root - 1e-4) : 0;  // the hollow, or the rim
        assert_near(point.x.z * unit, depth, 6e-3);                     // round shapes have 128 sides
    }
    dlp_render_scene_destroy(scene);
    dlp_shape_destroy(shape);
}

static void an_empty_stage_shows_sky_and_ground(void **state)
{
    (void)state;
    dlp_render_def def = empty_def();
    def.has_ground = true;
    def.ground = -1;
    def.sun_strength = 0;
    float *light = trace(&def, NULL);
    const dlp_sky sky = dlp_sky_of(&def);
    const dlp_vec3 up = dlp_camera_ray(&def.camera, 16.5, 0.5);
    assert_near(mean_around(light, 16, 0, 0), dlp_sky_light(&sky, up).x, 2e-3);
    const double ground = sky.ground.x * dlp_sky_mean(&sky).x;
    assert_near(mean_around(light, 16, 31, 0), ground, 0.08 * ground);  // a little haze is before it
    dlp_free(light);
}

static void the_number_of_threads_changes_no_bit(void **state)
{
    (void)state;
    dlp_error error = {0};
    dlp_shape *shape;
    const dlp_render_obstacle box = container(&shape);
    plate slab = {0};
    make_slab(&slab, dlp_vec(-1.5, -1.5, -1.9), dlp_vec(1.5, 1.5, -0.5));
    const dlp_render_surface surface = {.mesh = &slab.skin, .color = {0.3, 0.6, 0.9}, .look = DLP_LOOK_GLASS};
    dlp_render_def def = empty_def();
    def.samples = 16;  // some pixels need them all, others do not
    def.spheres = sphere(DLP_LOOK_WAX);
    def.surfaces = &surface;
    def.surface_count = 1;
    def.obstacles = &box;
    def.obstacle_count = 1;
    def.has_ground = true;
    def.ground = -2;
    def.is_denoised = true;
    def.camera = look(dlp_vec(4, -9, 5), dlp_vec(-4, 9, -5.5), dlp_vec(0, 0, 1));
    float *one = trace(&def, NULL);
    assert_int_equal(dlp_team_create(2, &def.team, &error), DLP_OK);
    float *two = trace(&def, NULL);
    assert_memory_equal(one, two, 3 * SIZE * SIZE * sizeof(float));
    dlp_team_destroy(def.team);
    dlp_free(one);
    dlp_free(two);
    dlp_shape_destroy(shape);
}

// Noise goes, the mean stays, and the edge of a shadow is as sharp as before.
static void denoising_brings_few_samples_near_to_many(void **state)
{
    (void)state;
    dlp_render_def def = empty_def();
    def.spheres = sphere(DLP_LOOK_MATTE);
    def.has_ground = true;
    def.ground = -1;
    def.camera = look(dlp_vec(3, -8, 5), dlp_vec(-3, 8, -5.5), dlp_vec(0, 0, 1));
    def.samples = 1024;
    float *truth = trace(&def, NULL);
    double errors[2] = {0};
    for (int32_t k = 0; k < 2; k++) {
        def.samples = 8;
        def.is_denoised = k == 1;
        float *light = trace(&def, NULL);
        for (int32_t p = 0; p < 3 * SIZE * SIZE; p++)
            errors[k] += pow((double)light[p] - (double)truth[p], 2);
        dlp_free(light);
    }
    assert_true(errors[1] < 0.6 * errors[0]);
    dlp_free(truth);
}

static void what_is_not_finite_is_refused_by_name(void **state)
{
    (void)state;
    dlp_error error = {0};
    dlp_render_def def = empty_def();
    plate slab = {0};
    make_slab(&slab, dlp_vec(-1, -1, -1), dlp_vec(1, 1, 1));
    slab.vertices[5].y = (double)NAN;
    const dlp_render_surface surface = {.mesh = &slab.skin, .color = {1, 1, 1}};
    def.surfaces = &surface;
    def.surface_count = 1;
    dlp_image image;
    assert_int_equal(dlp_render_draw(&def, &image, &error), DLP_INVALID);
    assert_string_equal(error.message, "picture: surface 0: vertex 5 is not finite");
    slab.vertices[5].y = 0;
    slab.triangles[3][1] = 24;
    assert_int_equal(dlp_render_draw(&def, &image, &error), DLP_INVALID);
    assert_string_equal(error.message, "picture: surface 0: triangle 3 has corner 24; there are 24 vertices");
}

static void sizes_and_samples_that_make_no_picture_are_refused(void **state)
{
    (void)state;
    dlp_error error = {0};
    dlp_image image;
    dlp_render_def def = empty_def();
    def.samples = 0;
    assert_int_equal(dlp_render_draw(&def, &image, &error), DLP_INVALID);
    assert_string_equal(error.message, "picture: 0 samples per pixel; 1 to 1024 are allowed");
    def = empty_def();
    def.width = 0;
    assert_int_equal(dlp_render_draw(&def, &image, &error), DLP_INVALID);
    assert_string_equal(error.message, "picture: 0 x 32 pixels; 1 to 16384 are allowed");
}

static void lost_spheres_are_left_out(void **state)
{
    (void)state;
    const double places[12] = {0, 0, 0, (double)NAN, 0, 0, 1e300, 0, 0, 0, 0, 1};
    const float radii[4] = {0.5f, 0.5f, 0.5f, -1}, colors[12] = {0};
    dlp_render_def def = empty_def();
    def.spheres = (dlp_render_spheres){.count = 4, .positions = places, .radii = radii, .colors = colors};
    const dlp_sky sky = even_sky(1);
    float *light = trace(&def, &sky);
    assert_near(mean_around(light, 16, 16, 1), 0, 1e-6);
    assert_near(mean_around(light, 16, 4, 1), 1, 1e-6);
    dlp_free(light);
}

static void a_tone_keeps_middle_colours_and_never_exceeds_white(void **state)
{
    (void)state;
    const dlp_vec3 middle = dlp_tone(dlp_vec(0.3, 0.4, 0.5));
    assert_near(middle.y - middle.x, 0.1, 1e-12);
    double before = -1;
    for (int32_t k = 0; k <= 1000; k++) {
        const dlp_vec3 grey = dlp_tone(dlp_vec(0.01 * k, 0.01 * k, 0.01 * k));
        assert_true(grey.x > before && grey.x <= 1);
        before = grey.x;
    }
}

// The first points of Sobol's sequence, and every block of 2^k pixels has one sample in each of 2^k strips.
static void samples_fill_blocks_of_pixels_evenly(void **state)
{
    (void)state;
    for (uint32_t pair = 0; pair < 5; pair++) {
        int32_t filled[2][64] = {{0}};
        for (int32_t k = 0; k < 64; k++) {
            dlp_sampler sampler = dlp_sampler_at(16 + k % 4, 8 + k / 4 % 4, k / 16, 4);
            sampler.dimension = pair;
            double u, v;
            dlp_sampler_next(&sampler, &u, &v);
            filled[0][(int32_t)(64 * u)]++;
            filled[1][(int32_t)(64 * v)]++;
        }
        for (int32_t k = 0; k < 64; k++) assert_true(filled[0][k] == 1 && filled[1][k] == 1);
    }
}

static void a_build_without_embree_says_so(void **state)
{
    (void)state;
    dlp_error error = {0};
    dlp_image image;
    const dlp_render_def def = empty_def();
    assert_int_equal(dlp_render_draw(&def, &image, &error), DLP_UNSUPPORTED);
    assert_string_equal(error.message,
                        "picture: this build has no Embree; install it (libembree-dev) and build again");
}

int main(void)
{
    const struct CMUnitTest always[] = {
        cmocka_unit_test(refraction_bends_by_snells_law),
        cmocka_unit_test(a_turn_is_cosine_and_sine),
        cmocka_unit_test(sizes_and_samples_that_make_no_picture_are_refused),
        cmocka_unit_test(a_tone_keeps_middle_colours_and_never_exceeds_white),
        cmocka_unit_test(samples_fill_blocks_of_pixels_evenly),
    };
    const struct CMUnitTest with[] = {
        cmocka_unit_test(white_bodies_vanish_in_an_even_sky),
        cmocka_unit_test(sunlight_on_a_plane_follows_the_cosine),
        cmocka_unit_test(a_shadow_lies_where_the_sun_puts_it),
        cmocka_unit_test(a_slab_of_glass_reflects_as_fresnel_says),
        cmocka_unit_test(tinted_glass_is_darker_the_thicker_it_is),
        cmocka_unit_test(a_container_shows_its_inside_and_lets_the_sun_in),
        cmocka_unit_test(water_that_touches_a_wall_is_seen_through),
        cmocka_unit_test(a_cut_shape_is_seen_as_it_is_cut),
        cmocka_unit_test(an_empty_stage_shows_sky_and_ground),
        cmocka_unit_test(the_number_of_threads_changes_no_bit),
        cmocka_unit_test(denoising_brings_few_samples_near_to_many),
        cmocka_unit_test(what_is_not_finite_is_refused_by_name),
        cmocka_unit_test(lost_spheres_are_left_out),
    };
    const struct CMUnitTest without[] = {cmocka_unit_test(a_build_without_embree_says_so)};
    const int failed = cmocka_run_group_tests(always, NULL, NULL);
    if (!dlp_render_is_available()) return failed + cmocka_run_group_tests(without, NULL, NULL);
    return failed + cmocka_run_group_tests(with, NULL, NULL);
}
