/* Variables, anchors and arithmetic in scenes: what they stand for, where their mistakes are, what they may
 * cost. */
#include "base/memory.h"
#include "scene/scene.h"
#include "scenes.h"

#include <stdlib.h>

static dlp_error error;

static dlp_status check_text(const char *text, const char *name, dlp_scene **out_scene)
{
    *out_scene = NULL;
    error = (dlp_error){0};
    const dlp_status status = dlp_scene_read_text(text, strlen(text), name, NULL, out_scene, &error);
    return status == DLP_OK ? dlp_scene_check(*out_scene, &error) : status;
}

static dlp_scene *read_scene(const char *text, const char *name)
{
    dlp_scene *scene;
    if (check_text(text, name, &scene) != DLP_OK) fail_msg("%s", error.message);
    return scene;
}

static const dlp_scene_def *resolve(dlp_scene *scene)
{
    const dlp_scene_def *def = NULL;
    expect_ok(dlp_scene_resolve(scene, &def, &error), &error);
    return def;
}

static void assert_mistake(const char *text, const char *expected)
{
    dlp_scene *scene;
    assert_int_equal(check_text(text, "a.yaml", &scene), DLP_INVALID);
    assert_string_equal(error.message, expected);
    dlp_scene_destroy(scene);
    assert_int_equal(dlp_memory_in_use(), 0);
}

#define HONEY "substances: {honey: {particle: {radius: 0.01}, shape: {sphere: {radius: 1}}}}\n"

// The resolved scene has plain values and reads back the same.
static void check_round_trip(dlp_scene *scene)
{
    char *text = NULL, difference[400];
    expect_ok(dlp_scene_write(scene, &text, &error), &error);
    assert_null(strstr(text, "variables"));
    dlp_scene *again = read_scene(text, "again.yaml");
    dlp_scene_difference(scene, again, difference, sizeof difference);
    assert_string_equal(difference, "");
    dlp_scene_destroy(again);
    dlp_free(text);
}

static void variables_stand_for_values_of_any_kind(void **state)
{
    (void)state;
    need_yaml();
    dlp_scene *scene =
        read_scene("variables:\n"
                   "  r: 0.05\n"
                   "  gap: 2 * $r\n"
                   "  down: [0, 0, -1.62]\n"
                   "  stuff: {particle: {radius: \"${r}\"}, shape: {sphere: {radius: 1}}}\n"
                   "  n: 3\n"
                   "title: \"$n balls, $$5, ${gap} m apart\"\n"
                   "gravity: $down\n"
                   "substances: {honey: $stuff}\n"
                   "obstacles:\n"
                   "  - {name: tank_$n, box: {min: [-$gap, -1 / $n, 0], max: [$gap ^ 2, sqrt($n), 1]}}\n",
                   "a.yaml");
    const dlp_scene_def *def = resolve(scene);
    assert_string_equal(def->title, "3 balls, $5, 0.1 m apart");
    assert_true(def->gravity.z == -1.62);
    assert_true(def->substances[0].particle_radius == 0.05);
    assert_string_equal(def->obstacles[0].name, "tank_3");
    assert_true(def->obstacles[0].shape.min.x == -0.1 && def->obstacles[0].shape.min.y == -1.0 / 3);
    assert_true(def->obstacles[0].shape.max.x == 0.1 * 0.1 && def->obstacles[0].shape.max.y == sqrt(3));
    check_round_trip(scene);
    dlp_scene_destroy(scene);
}

// Setting a variable changes all that is made of it.
static void a_variable_is_set_from_outside(void **state)
{
    (void)state;
    need_yaml();
    dlp_scene *scene =
        read_scene("variables: {r: 0.05, twice: 2 * $r}\n"
                   "substances: {honey: {particle: {radius: $r}, shape: {sphere: {radius: $twice}}}}\n",
                   "a.yaml");
    expect_ok(dlp_scene_set(scene, "variables.r", "0.1", &error), &error);
    assert_true(resolve(scene)->substances[0].shape.radius == 0.2);
    expect_ok(dlp_scene_set(scene, "substances.honey.density", "1e4 * $r", &error), &error);
    assert_true(resolve(scene)->substances[0].density == 1000);
    assert_int_equal(dlp_scene_set(scene, "variables.r.x", "1", &error), DLP_INVALID);
    dlp_scene_destroy(scene);
}

static void json_has_variables_and_arithmetic(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene(
        "{\"variables\": {\"r\": 0.05}, \"substances\": {\"honey\": {\"particle\": {\"radius\": \"$r / 2\"},"
        "\"shape\": {\"sphere\": {\"radius\": \"${r}\"}}}}}",
        "a.json");
    assert_true(resolve(scene)->substances[0].particle_radius == 0.025);
    assert_true(resolve(scene)->substances[0].shape.radius == 0.05);
    check_round_trip(scene);
    dlp_scene_destroy(scene);
}

static void anchors_copy_and_merge(void **state)
{
    (void)state;
    need_yaml();
    dlp_scene *scene = read_scene("substances:\n"
                                  "  honey: &sticky\n"
                                  "    density: &rho 1400\n"
                                  "    viscosity: 8\n"
                                  "    particle: {radius: 0.01}\n"
                                  "    shape: {sphere: {radius: 0.1}}\n"
                                  "  tar:\n"
                                  "    <<: *sticky\n"
                                  "    viscosity: 100\n"
                                  "    shape: {sphere: {center: [1, 0, 0], radius: 0.2}}\n"
                                  "  oil:\n"
                                  "    <<: [{viscosity: 0.1}, *sticky]\n"
                                  "    shape: {sphere: {center: [0, 1, 0], radius: 0.2}}\n"
                                  "  sand: {density: *rho, particle: {radius: 0.01}, shape: {sphere: "
                                  "{center: [0, 0, 3], radius: 1}}}\n",
                                  "a.yaml");
    const dlp_scene_def *def = resolve(scene);
    assert_true(def->substances[1].density == 1400 && def->substances[1].viscosity == 100);
    assert_true(def->substances[1].shape.radius == 0.2);
    assert_true(def->substances[2].viscosity == 0.1 && def->substances[2].density == 1400);
    assert_true(def->substances[3].density == 1400);
    check_round_trip(scene);
    dlp_scene_destroy(scene);
}

static void mistakes_keep_their_places(void **state)
{
    (void)state;
    need_yaml();
    assert_mistake(HONEY "title: a\ngravity: [0, 0, $g]\n",
                   "a.yaml:3:17: gravity[2]: there is no variable g before this ($$ stands for a single $)");
    assert_mistake("variables: {gap: 1, a: $gop}\n" HONEY,
                   "a.yaml:1:24: variables.a: there is no variable gop before this; did you mean gap?");
    assert_mistake("variables: {a: $b, b: 1}\n" HONEY,
                   "a.yaml:1:16: variables.a: there is no variable b before this ($$ stands for a single $)");
    assert_mistake("variables: {r: -1}\n" HONEY "frames: {rate: $r}\n",
                   "a.yaml:3:16: frames.rate: must be > 0 (got -1)");
    assert_mistake("variables: {l: [1, 2]}\n" HONEY "frames: {rate: 2 * $l}\n",
                   "a.yaml:3:16: frames.rate: variable l is a list, which must stand alone");
    assert_mistake(
        "variables: {2x: 1}\n" HONEY,
        "a.yaml:1:13: variables: \"2x\" is not a name of a variable: a letter, then letters, digits and _");
    assert_mistake("variables: 5\n" HONEY, "a.yaml:1:12: variables: must be a map of names (got 5)");
    assert_mistake(
        HONEY "frames: {rate: 2 * (3}\n",
        "a.yaml:2:16: frames.rate: must be a number (got \"2 * (3\"; character 7: a ) is missing)");
    assert_mistake(HONEY "frames: {rate: 1 / 0}\n",
                   "a.yaml:2:16: frames.rate: must be a number (got \"1 / 0\")");
    assert_mistake(HONEY "frames: &f {rate: -1}\nprobes: {}\nrecord: {every: *f}\n",
                   "a.yaml:2:19: frames.rate: must be > 0 (got -1)\n"
                   "a.yaml:4:17: record.every: must be a whole number (got a map)");
    assert_mistake(HONEY "frames: *f\n", "a.yaml:2:9: no anchor &f is complete before this alias");
    assert_mistake("a: &a [1, *a]\n", "a.yaml:1:11: no anchor &a is complete before this alias");
    assert_mistake("a: {<<: 1}\n", "a.yaml:1:9: << needs a map, or a list of maps");
    assert_mistake("&k a: 1\n", "a.yaml:1:1: an anchor belongs to a value, not to a key");
}

// Ten times ten times ten ...: nine lines that ask for 10^9 values, by aliases and by variables.
static void what_grows_without_end_is_refused(void **state)
{
    (void)state;
    need_yaml();
    char text[4000] = "variables:\n  a0: &b0 lol\n";
    for (int k = 1; k < 10; k++) {
        char line[200];
        snprintf(line, sizeof line,
                 "  a%d: &b%d [*b%d, *b%d, *b%d, *b%d, *b%d, *b%d, *b%d, *b%d, *b%d, *b%d]\n", k, k, k - 1,
                 k - 1, k - 1, k - 1, k - 1, k - 1, k - 1, k - 1, k - 1, k - 1);
        strcat(text, line);
    }
    dlp_scene *scene;
    assert_int_equal(check_text(text, "a.yaml", &scene), DLP_INVALID);
    assert_non_null(strstr(error.message, "there are more than 200000 values"));
    dlp_scene_destroy(scene);

    char *at = text + sprintf(text, "variables:\n  a0: lol\n");
    for (int k = 1; k < 10; k++)
        at += sprintf(at, "  a%d: [$a%d, $a%d, $a%d, $a%d, $a%d, $a%d, $a%d, $a%d, $a%d, $a%d]\n", k, k - 1,
                      k - 1, k - 1, k - 1, k - 1, k - 1, k - 1, k - 1, k - 1, k - 1);
    assert_int_equal(check_text(text, "a.yaml", &scene), DLP_INVALID);
    assert_string_equal(error.message, "a.yaml: there are more than 200000 values");
    dlp_scene_destroy(scene);

    // texts that double: 2^40 bytes
    at = text + sprintf(text, "variables:\n  a0: aaaaaaaa\n");
    for (int k = 1; k < 40; k++) at += sprintf(at, "  a%d: \"$a%d-$a%d\"\n", k, k - 1, k - 1);
    assert_int_equal(check_text(text, "a.yaml", &scene), DLP_INVALID);
    assert_non_null(strstr(error.message, "larger than 16 MiB"));
    dlp_scene_destroy(scene);
    assert_int_equal(dlp_memory_in_use(), 0);
}

// As deep as a scene may be, once more inside of itself.
static void copies_are_not_nested_deeper_than_scenes(void **state)
{
    (void)state;
    need_yaml();
    char text[400] = "variables:\n  a: &a ";
    for (int k = 0; k < 20; k++) strcat(text, "[");
    for (int k = 0; k < 20; k++) strcat(text, "]");
    strcat(text, "\n  b: [[[[[[[[[[[[[[*a]]]]]]]]]]]]]]\n");
    dlp_scene *scene;
    assert_int_equal(check_text(text, "a.yaml", &scene), DLP_INVALID);
    assert_non_null(strstr(error.message, "nested deeper than 32 levels"));
    dlp_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(variables_stand_for_values_of_any_kind),
                                       cmocka_unit_test(a_variable_is_set_from_outside),
                                       cmocka_unit_test(json_has_variables_and_arithmetic),
                                       cmocka_unit_test(anchors_copy_and_merge),
                                       cmocka_unit_test(mistakes_keep_their_places),
                                       cmocka_unit_test(what_grows_without_end_is_refused),
                                       cmocka_unit_test(copies_are_not_nested_deeper_than_scenes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
