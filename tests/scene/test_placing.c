/* Where things are: one convention for all that has a place (position, rotation, pivot), and planes. */
#include "base/memory.h"
#include "scene/conditions.h"
#include "scenes.h"
#include "space/shape_surface.h"

static dlp_error error;

static const dlp_scene_def *resolve(dlp_scene **out_scene, const char *text)
{
    const dlp_scene_def *def = NULL;
    error = (dlp_error){0};
    need_yaml();
    if (dlp_scene_read_text(text, strlen(text), "a.yaml", NULL, out_scene, &error) != DLP_OK ||
        dlp_scene_resolve(*out_scene, &def, &error) != DLP_OK)
        fail_msg("%s", error.message);
    return def;
}

static void assert_mistake(const char *text, const char *expected)
{
    dlp_scene *scene = NULL;
    error = (dlp_error){0};
    assert_int_equal(dlp_scene_read_text(text, strlen(text), "a.yaml", NULL, &scene, &error), DLP_OK);
    assert_int_equal(dlp_scene_check(scene, &error), DLP_INVALID);
    if (strstr(error.message, expected) == NULL) fail_msg("%s is not in: %s", expected, error.message);
    dlp_scene_destroy(scene);
}

static dlp_shape *make_shape(const dlp_shape_def *def, int32_t dimension)
{
    dlp_shape *shape = NULL;
    expect_ok(dlp_shape_create(def, dimension, NULL, &shape, &error), &error);
    return shape;
}

#define BALL "particle: {spacing: 0.05}, shape: {sphere: {center: [1, 0, 0], radius: 0.2}"

// The same quarter turn about (1, 1, 0) and shift, as a substance's shape, an obstacle, a sink's part and an
// attachment have it: the ball at (1, 0, 0) comes to (2, 1, 0) + (0, 0, 3).
static void one_convention_holds_for_all(void **state)
{
    (void)state;
    static const char place[] = "position: [0, 0, 3], rotation: [0, 0, 90], pivot: [1, 1, 0]";
    char text[2000];
    snprintf(text, sizeof text,
             "substances: {a: {particle: {spacing: 0.05}, shape: {sphere: {center: [1, 0, 0], radius: 0.2}, "
             "%s}}}\n"
             "obstacles: [{sphere: {center: [1, 0, 0], radius: 0.2}, %s}]\n"
             "sinks: [{union: [{sphere: {center: [1, 0, 0], radius: 0.2}, %s}]}]\n",
             place, place, place);
    dlp_scene *scene;
    const dlp_scene_def *def = resolve(&scene, text);
    const dlp_shape_def *shapes[] = {&def->substances[0].shape, &def->sinks[0].shape};
    const dlp_vec3 expected = dlp_vec(2, 1, 3);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        dlp_shape *shape = make_shape(shapes[k], 3);
        assert_near(dlp_shape_distance(shape, expected), -0.2, 1e-15);
        dlp_shape_destroy(shape);
    }
    const dlp_obstacle_def *obstacle = &def->obstacles[0];
    const dlp_placement placement = {obstacle->position, obstacle->rotation};
    const dlp_transform frame = dlp_placement_transform(placement, obstacle->pivot);
    const dlp_vec3 center = dlp_to_world(&frame, obstacle->shape.center);
    assert_near(dlp_length(dlp_sub(center, expected)), 0, 1e-15);
    dlp_scene_destroy(scene);
}

static void older_names_are_read_and_exclude_the_new(void **state)
{
    (void)state;
    dlp_scene *scene;
    const dlp_scene_def *def =
        resolve(&scene, "substances: {a: {" BALL ", translate: [1, 2, 3], rotate: [0, 0, 90]}}}\n");
    assert_true(def->substances[0].shape.translate.y == 2 && def->substances[0].shape.rotate.z == 90);
    dlp_scene_destroy(scene);
    assert_mistake("substances: {a: {" BALL ", translate: [1, 2, 3], position: [1, 2, 3]}}}\n",
                   "substances.a.shape.translate: is the older name of position; give one of them");
    assert_mistake("substances: {a: {" BALL
                   "}}}\nobstacles: [{box: {min: [0, 0, 0], max: [1, 1, 1]}, rotate: [0, 0, 9], "
                   "rotation: [0, 0, 9]}]\n",
                   "obstacles[0].rotate: is the older name of rotation; give one of them");
}

// A mouth that points along x, turned about a point a metre before it.
static void an_emitter_turns(void **state)
{
    (void)state;
    dlp_scene *scene;
    const dlp_scene_def *def = resolve(
        &scene, "substances: {a: {particle: {spacing: 0.05}}}\n"
                "emitters: [{substance: a, position: [0, 0, 2], direction: [1, 0, 0], pivot: [1, 0, 0],\n"
                "  rotation: {keys: [[0, [0, 0, 0]], [1, [0, 0, 90]]]}, radius: 0.1, speed: 1}]\n");
    dlp_conditions at = {0};
    expect_ok(dlp_conditions_init(&at, def, 0, &error), &error);
    assert_near(dlp_length(dlp_sub(at.now.emitters[0].position, dlp_vec(0, 0, 2))), 0, 0);
    dlp_conditions_set_time(&at, 1);
    assert_near(dlp_length(dlp_sub(at.now.emitters[0].position, dlp_vec(1, -1, 2))), 0, 1e-15);
    assert_near(dlp_length(dlp_sub(at.now.emitters[0].direction, dlp_vec(0, 1, 0))), 0, 1e-15);
    dlp_conditions_release(&at);
    dlp_scene_destroy(scene);
}

// Planes.

static void a_plane_is_a_half_space(void **state)
{
    (void)state;
    const dlp_shape_def def = {
        .kind = DLP_SHAPE_PLANE, .center = {0, 0, 1}, .axis = {0, 3, 4}, .translate = {0, 0, 2}};
    dlp_shape *shape = make_shape(&def, 3);
    dlp_vec3 normal;
    assert_near(dlp_shape_probe(shape, dlp_vec(7, 3, 7), &normal), (3 * 3 + 4 * 4) / 5.0, 1e-14);
    assert_near(dlp_length(dlp_sub(normal, dlp_vec(0, 0.6, 0.8))), 0, 1e-15);
    assert_near(dlp_shape_distance(shape, dlp_vec(-9, -3, -1)), -5, 1e-14);
    assert_true(isinf(dlp_shape_volume(shape)));
    dlp_shape_destroy(shape);
    const dlp_shape_def wall = {.kind = DLP_SHAPE_PLANE, .axis = {1, 1, 0}};
    shape = make_shape(&wall, 2);
    assert_near(dlp_shape_distance(shape, dlp_vec(1, 1, 0)), sqrt(2), 1e-15);
    dlp_shape_destroy(shape);
    const dlp_shape_def tilted = {.kind = DLP_SHAPE_PLANE, .axis = {0, 1, 1}};
    assert_int_equal(dlp_shape_create(&tilted, 2, NULL, &shape, &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "plane.normal"));
}

static void a_plane_is_drawn_wide_and_frames_nothing(void **state)
{
    (void)state;
    const dlp_shape_def def = {.kind = DLP_SHAPE_PLANE, .center = {0, 0, 0.5}, .axis = {0, 0, 1}};
    dlp_shape *shape = make_shape(&def, 3);
    const dlp_box extent = dlp_shape_extent(shape), shown = {{0, 0, 0}, {1, 1, 1}};
    assert_false(isfinite(extent.min.x) || isfinite(extent.max.z));
    dlp_shape_surface surface = {0};
    expect_ok(dlp_shape_surface_create(shape, &shown, &surface, &error), &error);
    assert_int_equal(surface.triangle_count, 2);
    assert_true(surface.is_endless);  // pictures leave it out where it hides the scene
    double widest = 0;
    for (int32_t k = 0; k < 6; k++) {
        assert_near(surface.points[k].z, 0.5, 1e-15);
        assert_true(surface.normals[k].z == 1);
        widest = fmax(widest, fabs(surface.points[k].x));
    }
    assert_true(widest > 20);
    dlp_shape_surface_release(&surface);
    dlp_shape_destroy(shape);
}

static double lowest_of(const dlp_world *world)
{
    double lowest = HUGE_VAL;
    const double *x = positions_of(world);
    const int64_t count = field_of(world, DLP_FIELD_POSITION).count;
    for (int64_t i = 0; i < count; i++) lowest = fmin(lowest, x[3 * i + 2]);
    return lowest;
}

// Dropped from 5 cm: after a quarter of a second all of it lies on the plane, and none below.
static void lies_on_a_plane(const char *substance)
{
    char text[2000];
    snprintf(text, sizeof text,
             "frames: {rate: 100, count: 25}\nair_density: 0\nsubstances: {a: {%s}}\n"
             "obstacles: [{plane: {point: [0, 0, -0.2]}, position: [0, 0, 0.1]}]\n",
             substance);
    setup s = make_setup(text);
    step_frames(s.world, 25);
    assert_true(lowest_of(s.world) > -0.1 - 1e-6 && lowest_of(s.world) < -0.07);
    release_setup(&s);
}

static void all_models_lie_on_a_plane(void **state)
{
    (void)state;
    lies_on_a_plane("material: water, particle: {spacing: 0.02}, shape: {sphere: {radius: 0.05}}");
    lies_on_a_plane(
        "model: solid, material: rubber, particle: {spacing: 0.025}, shape: {sphere: {radius: 0.05}}");
    lies_on_a_plane("model: cloth, material: cotton, particle: {spacing: 0.025}, shape: {sheet: {center: [0, "
                    "0, -0.05], size: "
                    "[0.1, 0.1]}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_convention_holds_for_all),
                                       cmocka_unit_test(older_names_are_read_and_exclude_the_new),
                                       cmocka_unit_test(an_emitter_turns),
                                       cmocka_unit_test(a_plane_is_a_half_space),
                                       cmocka_unit_test(a_plane_is_drawn_wide_and_frames_nothing),
                                       cmocka_unit_test(all_models_lie_on_a_plane)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
