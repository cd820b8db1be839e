/* Which containers are open above, and what that means for what rises in them. */
#include "scenes.h"
#include "scene/containers.h"

// A jet of 3 m/s straight up in a tank 0.3 m high: without a lid it rises to 0.1 + 9 / (2 * 9.81) = 0.56 m.
#define JET(obstacle)                                                                                        \
    "dimension: 2\n"                                                                                         \
    "frames: {rate: 25, count: 10}\n"                                                                        \
    "substances:\n"                                                                                          \
    "  water: {material: water, particle: {spacing: 0.02}}\n"                                                \
    "emitters:\n"                                                                                            \
    "  - {substance: water, position: [0, 0.1], direction: [0, 1], radius: 0.06, speed: 3}\n"                \
    "obstacles:\n"                                                                                           \
    "  - {name: tank, box: {min: [-0.5, 0], max: [0.5, 0.3], inside: true}" obstacle "}\n"

static double highest_after(const char *text, int frames)
{
    setup s = make_setup(text);
    step_frames(s.world, frames);
    const dlp_view view = field_of(s.world, DLP_FIELD_POSITION);
    const double *x = view.data;
    double highest = -1e300;
    for (int32_t i = 0; i < view.count; i++) highest = fmax(highest, x[3 * i + 1]);
    release_setup(&s);
    return highest;
}

static void a_jet_leaves_a_tank_without_a_lid(void **state)
{
    (void)state;
    need_yaml();
    assert_true(highest_after(JET(""), 7) > 0.45);
    assert_true(highest_after(JET(", lid: true"), 7) < 0.3);
}

static dlp_scene_def *open_scene(const char *obstacle, dlp_scene **out_scene)
{
    char text[1000];
    dlp_error error;
    const dlp_scene_def *def;
    snprintf(text, sizeof text,
             "substances:\n  water: {particle: {radius: 0.01}, shape: {box: {min: [0, 0, 1], max: [0.1, 0.1, "
             "1.2]}}}\nobstacles:\n  - {%s}\n",
             obstacle);
    expect_ok(dlp_scene_read_text(text, strlen(text), "a.yaml", NULL, out_scene, &error), &error);
    expect_ok(dlp_scene_resolve(*out_scene, &def, &error), &error);
    return dlp_scene_def_mutable(*out_scene);
}

// The water starts at 1.2 m; half of the container's own height is added.
static void boxes_and_upright_cylinders_open_above_all_that_starts(void **state)
{
    (void)state;
    need_yaml();
    dlp_scene *scene;
    dlp_scene_def *def = open_scene("box: {min: [0, 0, 0], max: [1, 1, 1], inside: true}", &scene);
    dlp_scene_def_open_containers(def);
    assert_near(def->obstacles[0].shape.max.z, 1.7, 1e-12);
    assert_false(dlp_container_is_closed(def, 0));
    dlp_scene_destroy(scene);
    // its top is its `from`; it stands 0.1 m lower than it is written
    def = open_scene("cylinder: {from: [0, 0, 1], to: [0, 0, 0], radius: 1, inside: true}, "
                     "position: [0, 0, -0.1]",
                     &scene);
    dlp_scene_def_open_containers(def);
    assert_near(def->obstacles[0].shape.from.z, 1.8, 1e-12);
    dlp_scene_destroy(scene);
    // high enough already
    def = open_scene("box: {min: [0, 0, 0], max: [1, 1, 3], inside: true}", &scene);
    dlp_scene_def_open_containers(def);
    assert_near(def->obstacles[0].shape.max.z, 3, 1e-12);
    dlp_scene_destroy(scene);
}

static void others_are_closed(void **state)
{
    (void)state;
    need_yaml();
#define BOX "box: {min: [0, 0, 0], max: [1, 1, 1], inside: true}, "
    static const char *const closed[] = {
        BOX "lid: true", BOX "rotation: [0, 0, 10]", BOX "position: {keys: [[0, [0, 0, 0]], [1, [1, 0, 0]]]}",
        "sphere: {radius: 1, inside: true}",
        "cylinder: {from: [0, 0, 0], to: [1, 0, 0], radius: 1, inside: true}"};
#undef BOX
    for (size_t k = 0; k < sizeof closed / sizeof closed[0]; k++) {
        dlp_scene *scene;
        dlp_scene_def *def = open_scene(closed[k], &scene);
        const dlp_vec3 before = def->obstacles[0].shape.max;
        dlp_scene_def_open_containers(def);
        assert_true(dlp_container_is_closed(def, 0));
        assert_memory_equal(&before, &def->obstacles[0].shape.max, sizeof before);
        dlp_scene_destroy(scene);
    }
}

static void keep_note(const char *message, void *user)
{
    char *notes = user;
    strncat(notes, message, 500);
}

static void a_closed_container_that_does_not_say_so_is_noted(void **state)
{
    (void)state;
    need_yaml();
    char notes[2000] = "";
    const dlp_world_options options = {.size = sizeof options, .log = keep_note, .user = notes};
    setup s = make_setup_in(NULL, JET(", rotation: [0, 0, 10]"), &options);
    assert_non_null(strstr(notes, "tank is closed all around"));
    release_setup(&s);
    notes[0] = 0;
    s = make_setup_in(NULL, JET(""), &options);
    assert_string_equal(notes, "");
    release_setup(&s);
    s = make_setup_in(NULL, JET(", rotation: [0, 0, 10], lid: true"), &options);
    assert_string_equal(notes, "");
    release_setup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jet_leaves_a_tank_without_a_lid),
        cmocka_unit_test(boxes_and_upright_cylinders_open_above_all_that_starts),
        cmocka_unit_test(others_are_closed),
        cmocka_unit_test(a_closed_container_that_does_not_say_so_is_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
