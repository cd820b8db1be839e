/* The public view of a scene: parameters listed, read and set as numbers and text, and the names of what
 * there is. Only the public header, but for counting memory and comparing scenes. */
#include "base/memory.h"
#include "scene/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static dlp_error error;

static const char *const honey =
    "{title: 'Honey: \"slow\"', gravity: [0, 0, -9.81], periodic: [y],\n"
    "domain: {min: [-1, -1, -1], max: [1, 1, 1]},\n"
    "substances: {\n"
    "honey: {material: honey, particle: {radius: 0.01},\n"
    "  shape: {box: {min: [0, 0, 0], max: [1, 1, 1]}, copies: {count: [1, 1, 2], "
    "spacing: [0, 0, 2]}}},\n"
    "water: {kernel: wendland, particle: {radius: 0.01}, shape: {sphere: {radius: 0.5}}}},\n"
    "obstacles: [{sphere: {radius: 1}, position: {keys: [[0, [0, 0, 0]], [1, [1, 0, 0]]]}},\n"
    "  {name: floor, box: {min: [-1, -1, -1], max: [1, 1, 0]}}],\n"
    "probes: {gauge: {point: [0, 0, 0]}, lid: {body: floor}}}";

static dlp_scene *read_scene(const char *text)
{
    dlp_scene *scene = NULL;
    if (dlp_scene_read_text(text, strlen(text), "honey.json", NULL, &scene, &error) != DLP_OK)
        fail_msg("%s", error.message);
    return scene;
}

static dlp_parameter_info find(dlp_scene *scene, const char *path)
{
    dlp_parameter_info info = {.size = sizeof info};
    if (dlp_scene_find_parameter(scene, path, &info, &error) != DLP_OK) fail_msg("%s", error.message);
    return info;
}

static void set(dlp_scene *scene, const char *path, const char *value)
{
    if (dlp_scene_set(scene, path, value, &error) != DLP_OK) fail_msg("%s", error.message);
}

static void set_numbers(dlp_scene *scene, const char *path, const double *numbers, int32_t count)
{
    if (dlp_scene_set_numbers(scene, path, numbers, count, &error) != DLP_OK) fail_msg("%s", error.message);
}

static int32_t get_numbers(dlp_scene *scene, const char *path, double *numbers, int32_t capacity)
{
    int32_t count = -1;
    if (dlp_scene_get_numbers(scene, path, numbers, capacity, &count, &error) != DLP_OK)
        fail_msg("%s", error.message);
    return count;
}

static void assert_refused(dlp_status status, const char *message)
{
    assert_int_equal(status, DLP_INVALID);
    assert_string_equal(error.message, message);
}

static void a_parameter_says_what_the_table_knows(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene(honey);
    const dlp_parameter_info viscosity = find(scene, "substances.honey.viscosity");
    assert_int_equal(viscosity.type, DLP_PARAMETER_NUMBER);
    assert_int_equal(viscosity.components, 1);
    assert_string_equal(viscosity.unit, "Pa s");
    assert_string_equal(viscosity.origin, "material honey");
    assert_true(strlen(viscosity.help) > 0 && strchr(viscosity.help, '\n') == NULL);
    assert_true(viscosity.min == 0 && !viscosity.is_min_open && isinf(viscosity.max));
    assert_true(viscosity.is_live && viscosity.can_have_keys && viscosity.can_have_curve);
    assert_false(viscosity.has_keys || viscosity.has_curve);
    assert_int_equal(viscosity.choice_count, 0);
    assert_null(viscosity.text);

    const dlp_parameter_info radius = find(scene, "substances.honey.particle.radius");
    assert_true(radius.min == 0 && radius.is_min_open && !radius.is_live && !radius.can_have_keys);
    assert_string_equal(radius.origin, "honey.json:4");
    dlp_scene_destroy(scene);
}

static void types_and_components_follow_the_table(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        dlp_parameter_type type;
        int32_t components;
    } expected[] = {{"frames.rate", DLP_PARAMETER_NUMBER, 1},
                    {"frames.count", DLP_PARAMETER_INTEGER, 1},
                    {"substances.honey.adapt.space", DLP_PARAMETER_BOOLEAN, 1},
                    {"gravity", DLP_PARAMETER_VECTOR, 3},
                    {"substances.honey.shape.copies.count", DLP_PARAMETER_INTEGERS, 3},
                    {"periodic", DLP_PARAMETER_AXES, 3},
                    {"substances.honey.kernel", DLP_PARAMETER_CHOICE, 1},
                    {"title", DLP_PARAMETER_TEXT, 0},
                    {"obstacles[0].name", DLP_PARAMETER_NAME, 0},
                    {"substances.honey.material", DLP_PARAMETER_MATERIAL, 0},
                    {"obstacles[0].position", DLP_PARAMETER_VECTOR, 3}};
    dlp_scene *scene = read_scene(honey);
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        const dlp_parameter_info info = find(scene, expected[k].path);
        if (info.type != expected[k].type || info.components != expected[k].components)
            fail_msg("%s: type %d of %d", info.path, (int)info.type, info.components);
    }
    assert_true(find(scene, "obstacles[0].position").has_keys);
    assert_string_equal(find(scene, "title").text, "Honey: \"slow\"");
    dlp_scene_destroy(scene);
}

static void a_choice_lists_its_words_and_which_are_missing(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene(honey);
    const dlp_parameter_info kernel = find(scene, "substances.honey.kernel");
    assert_int_equal(kernel.choice_count, 4);
    assert_string_equal(kernel.choices[0], "desbrun");
    assert_string_equal(kernel.choices[3], "muller");
    assert_null(kernel.choices[4]);
    assert_true(kernel.min == 0 && kernel.max == 3 && kernel.missing_choices == 0);
    const dlp_parameter_info model = find(scene, "substances.honey.model");
    for (int32_t k = 0; k < model.choice_count; k++) {
        char text[64];
        snprintf(text, sizeof text, "%s", model.choices[k]);
        const bool is_missing = (model.missing_choices >> k & 1) != 0;
        const dlp_status status = dlp_scene_set(scene, "substances.water.model", text, &error);
        assert_int_equal(status, is_missing ? DLP_INVALID : DLP_OK);
    }
    dlp_scene_destroy(scene);
}

// Everything that is listed can be set again, and changes nothing.
static void listed_values_can_be_set_again(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene(honey), *other = NULL;
    assert_int_equal(dlp_scene_create(&other, &error), DLP_OK);
    int32_t count = 0, other_count = 0;
    assert_int_equal(dlp_scene_parameter_count(scene, &count, &error), DLP_OK);
    assert_true(count > 100);
    for (int32_t k = 0; k < count; k++) {
        dlp_parameter_info info = {.size = sizeof info};
        assert_int_equal(dlp_scene_parameter(scene, k, &info, &error), DLP_OK);
        set(other, info.path, info.value);
    }
    assert_int_equal(dlp_scene_parameter_count(other, &other_count, &error), DLP_OK);
    assert_int_equal(count, other_count);
    for (int32_t k = 0; k < count; k++) {
        dlp_parameter_info a = {.size = sizeof a}, b = {.size = sizeof b};
        dlp_scene_parameter(scene, k, &a, &error);
        dlp_scene_parameter(other, k, &b, &error);
        assert_string_equal(a.path, b.path);
        assert_string_equal(a.value, b.value);
        assert_string_equal(b.origin, "set");
    }
    dlp_scene_destroy(scene);
    dlp_scene_destroy(other);
}

static void write_keys(char *text, size_t size, int32_t count)
{
    size_t used = (size_t)snprintf(text, size, "{keys: [");
    for (int32_t k = 0; k < count; k++)
        used += (size_t)snprintf(text + used, size - used, "%s[%d.125, [%.17g, %.17g, 0]]", k > 0 ? ", " : "",
                                 k, 1.0 / (k + 3), 1e-7 * k * k + 0.1);
    snprintf(text + used, size - used, "], smooth: true}");
}

// What failed in a world: values were cut at 256 characters.
static void a_track_of_400_keys_is_not_cut(void **state)
{
    (void)state;
    static char keys[40000], text[40000];
    dlp_scene *scene = read_scene(honey), *other = read_scene(honey);
    write_keys(keys, sizeof keys, 400);
    set(scene, "gravity", keys);
    const dlp_parameter_info info = find(scene, "gravity");
    assert_true(strlen(info.value) > 10000 && info.has_keys);

    size_t length = 0;
    assert_int_equal(dlp_scene_get_text(scene, "gravity", NULL, 0, &length, &error), DLP_OK);
    assert_int_equal(length, strlen(info.value));
    assert_int_equal(dlp_scene_get_text(scene, "gravity", text, sizeof text, NULL, &error), DLP_OK);
    assert_string_equal(text, info.value);
    set(other, "gravity", text);
    assert_string_equal(find(other, "gravity").value, text);

    char small[256] = "as before", expected[128];
    snprintf(expected, sizeof expected, "gravity: has %zu characters; the buffer holds 255", length);
    assert_refused(dlp_scene_get_text(scene, "gravity", small, sizeof small, &length, &error), expected);
    assert_int_equal(length, strlen(text));
    assert_string_equal(small, "");
    double numbers[3];
    int32_t count;
    assert_refused(dlp_scene_get_numbers(scene, "gravity", numbers, 3, &count, &error),
                   "gravity: has key frames; read it as text");
    dlp_scene_destroy(scene);
    dlp_scene_destroy(other);
}

// Two long tracks that differ in their end looked the same in the message.
static void a_difference_of_long_values_is_shown_from_where_they_part(void **state)
{
    (void)state;
    static char keys[40000];
    char text[400];
    dlp_scene *a = read_scene(honey), *b = read_scene(honey);
    write_keys(keys, sizeof keys, 40);
    set(a, "gravity", keys);
    memcpy(strstr(keys, "[30.125, ["), "[30.250, [", 10);
    set(b, "gravity", keys);
    dlp_scene_difference(a, b, text, sizeof text);
    assert_int_equal(strncmp(text, "gravity: ...", 12), 0);
    assert_non_null(strstr(text, "[30.125, ["));
    assert_non_null(strstr(text, "... against ..."));
    assert_non_null(strstr(text, "[30.25, ["));
    dlp_scene_destroy(a);
    dlp_scene_destroy(b);
}

static void doubles_come_back_with_the_same_bits(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene(honey);
    uint64_t bits = 88172645463325252u;
    for (int k = 0; k < 2000; k++) {
        double v[3], back[3];
        for (int axis = 0; axis < 3; axis++) {
            do {
                bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
                memcpy(&v[axis], &bits, sizeof v[axis]);
            } while (!isfinite(v[axis]));
        }
        if (k == 0) v[0] = -0.0, v[1] = 5e-324, v[2] = 1.7976931348623157e308;
        set_numbers(scene, "wind", v, 3);
        if (k % 100 == 0) {
            assert_int_equal(get_numbers(scene, "wind", back, 3), 3);
            assert_memory_equal(v, back, sizeof v);
        }
    }
    dlp_scene_destroy(scene);
}

static void every_type_with_numbers_goes_there_and_back(void **state)
{
    (void)state;
    static const struct {
        const char *path, *text;
        double numbers[3];
        int32_t count;
    } cases[] = {{"frames.rate", "24", {24}, 1},
                 {"frames.count", "7", {7}, 1},
                 {"substances.honey.adapt.space", "true", {1}, 1},
                 {"substances.honey.state", "tait", {1}, 1},
                 {"gravity", "[0.5, 0, -1]", {0.5, 0, -1}, 3},
                 {"substances.honey.shape.copies.count", "[1, 1, 3]", {1, 1, 3}, 3},
                 {"periodic", "[x, z]", {1, 0, 1}, 3}};
    dlp_scene *scene = read_scene(honey);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double back[3];
        set_numbers(scene, cases[k].path, cases[k].numbers, cases[k].count);
        assert_string_equal(find(scene, cases[k].path).value, cases[k].text);
        assert_int_equal(get_numbers(scene, cases[k].path, back, 3), cases[k].count);
        assert_memory_equal(back, cases[k].numbers, (size_t)cases[k].count * sizeof *back);
    }
    dlp_scene_destroy(scene);
}

static void heights_are_any_count_of_numbers(void **state)
{
    (void)state;
    dlp_scene *scene =
        read_scene("{substances: {a: {particle: {radius: 0.1}, shape: {sphere: {radius: 1}}}},\n"
                   "obstacles: [{height: {min: [-1, -1], max: [1, 1], columns: 2, values: [0, 1, "
                   "2, 3, 4, 5]}}]}");
    double back[600], more[600];
    assert_int_equal(get_numbers(scene, "obstacles[0].height.values", back, 600), 6);
    assert_true(back[5] == 5);
    for (int k = 0; k < 600; k++) more[k] = sin(k);
    set_numbers(scene, "obstacles[0].height.values", more, 600);
    assert_int_equal(get_numbers(scene, "obstacles[0].height.values", back, 600), 600);
    assert_memory_equal(more, back, sizeof more);
    int32_t count;
    assert_refused(dlp_scene_get_numbers(scene, "obstacles[0].height.values", back, 599, &count, &error),
                   "obstacles[0].height.values: has 600 numbers; the array holds 599");
    assert_int_equal(count, 600);
    dlp_scene_destroy(scene);
}

static void wrong_numbers_are_refused_by_name(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene(honey);
    const double bad[3] = {nan(""), 2.5, -1};
    assert_refused(dlp_scene_set_numbers(scene, "frames.rate", bad, 1, &error),
                   "frames.rate: must be a finite number (got \"nan\")");
    assert_refused(dlp_scene_set_numbers(scene, "frames.count", bad + 1, 1, &error),
                   "frames.count: must be a whole number (got 2.5)");
    assert_refused(dlp_scene_set_numbers(scene, "frames.rate", bad + 2, 1, &error),
                   "frames.rate: must be > 0 (got -1)");
    assert_refused(dlp_scene_set_numbers(scene, "gravity", bad + 1, 2, &error),
                   "gravity: must be a list of 3 numbers (got a list of 2)");
    assert_refused(dlp_scene_set_numbers(scene, "frames.rate", bad + 1, 2, &error),
                   "frames.rate: must be a number (got a list of 2)");
    assert_refused(dlp_scene_set_numbers(scene, "record.preview", bad + 1, 1, &error),
                   "record.preview: must be 0 for false or 1 for true (got 1 number, the first 2.5)");
    assert_refused(
        dlp_scene_set_numbers(scene, "substances.honey.state", &(double){3}, 1, &error),
        "substances.honey.state: must be the index of one of its choices (got 1 number, the first 3)");
    assert_refused(dlp_scene_set_numbers(scene, "title", bad + 1, 1, &error),
                   "title: must be given as text, not as numbers (got 1 number, the first 2.5)");
    assert_refused(dlp_scene_set_numbers(scene, "substances.honey", bad + 1, 1, &error),
                   "substances.honey: is a group of parameters; name one below it");
    assert_refused(dlp_scene_set_numbers(scene, "gravity", bad, 0, &error),
                   "gravity: needs at least one number");
    assert_int_equal(dlp_scene_check(scene, &error), DLP_OK);
    dlp_scene_destroy(scene);
}

static void a_path_that_is_not_there_is_explained(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene(honey);
    dlp_parameter_info info = {.size = sizeof info};
    assert_refused(dlp_scene_find_parameter(scene, "gravty", &info, &error),
                   "gravty: is not known; did you mean gravity?");
    assert_refused(dlp_scene_find_parameter(scene, "substances.honey.temperature", &info, &error),
                   "substances.honey.temperature: has no value in this scene");
    assert_refused(dlp_scene_find_parameter(scene, "substances.honey.shape", &info, &error),
                   "substances.honey.shape: is a group of parameters; name one below it");
    double number;
    int32_t count;
    assert_refused(dlp_scene_get_numbers(scene, "title", &number, 1, &count, &error),
                   "title: is not a number; read it as text");
    int32_t total = 0;
    char expected[128];
    assert_int_equal(dlp_scene_parameter_count(scene, &total, &error), DLP_OK);
    snprintf(expected, sizeof expected, "honey.json: there is no parameter %d; there are %d", total, total);
    assert_refused(dlp_scene_parameter(scene, total, &info, &error), expected);
    dlp_scene_destroy(scene);
}

static void a_scene_with_mistakes_tells_them_instead(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene("{frames: {rate: -1}}");
    int32_t count = 7;
    assert_int_equal(dlp_scene_parameter_count(scene, &count, &error), DLP_INVALID);
    assert_int_equal(count, 0);
    assert_non_null(strstr(error.message, "honey.json:1:17: frames.rate: must be > 0 (got -1)"));
    assert_int_equal(dlp_scene_item_count(scene, DLP_ITEM_SUBSTANCE, &count, &error), DLP_INVALID);
    assert_int_equal(dlp_scene_get_yaml(scene, NULL, 0, NULL, &error), DLP_INVALID);
    dlp_scene_destroy(scene);
}

// A host built with an older or a newer header has a record of another size.
static void an_info_of_another_size_is_filled_as_far_as_it_goes(void **state)
{
    (void)state;
    struct {
        dlp_parameter_info info;
        char later[32];
    } newer = {.info = {.size = sizeof newer}};
    memset(newer.later, 7, sizeof newer.later);
    dlp_scene *scene = read_scene(honey);
    assert_int_equal(dlp_scene_find_parameter(scene, "gravity", &newer.info, &error), DLP_OK);
    assert_string_equal(newer.info.path, "gravity");
    assert_int_equal(newer.info.size, sizeof newer);
    for (size_t k = 0; k < sizeof newer.later; k++) assert_int_equal(newer.later[k], 0);
    dlp_parameter_info none = {0};
    assert_refused(dlp_scene_find_parameter(scene, "gravity", &none, &error),
                   "dlp_parameter_info: size is 0; set it to sizeof(dlp_parameter_info)");
    dlp_scene_destroy(scene);
}

static void items_have_names_in_the_scenes_order(void **state)
{
    (void)state;
    static const struct {
        dlp_item_kind kind;
        int32_t count;
        const char *last;
    } expected[] = {{DLP_ITEM_SUBSTANCE, 2, "water"}, {DLP_ITEM_OBSTACLE, 2, "floor"},
                    {DLP_ITEM_EMITTER, 0, NULL},      {DLP_ITEM_SINK, 0, NULL},
                    {DLP_ITEM_ATTACHMENT, 0, NULL},   {DLP_ITEM_BLADE, 0, NULL},
                    {DLP_ITEM_LOAD, 0, NULL},         {DLP_ITEM_PROBE, 2, "lid"}};
    dlp_scene *scene = read_scene(honey);
    const char *name;
    int32_t index;
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        int32_t count = -1;
        assert_int_equal(dlp_scene_item_count(scene, expected[k].kind, &count, &error), DLP_OK);
        assert_int_equal(count, expected[k].count);
        if (count == 0) continue;
        assert_int_equal(dlp_scene_item_name(scene, expected[k].kind, count - 1, &name, &error), DLP_OK);
        assert_string_equal(name, expected[k].last);
        assert_int_equal(dlp_scene_item_find(scene, expected[k].kind, name, &index, &error), DLP_OK);
        assert_int_equal(index, count - 1);
    }
    assert_int_equal(dlp_scene_item_name(scene, DLP_ITEM_OBSTACLE, 0, &name, &error), DLP_OK);
    assert_string_equal(name, "obstacle0");
    assert_refused(dlp_scene_item_name(scene, DLP_ITEM_PROBE, 2, &name, &error),
                   "honey.json: there is no probe 2; there are 2");
    assert_refused(dlp_scene_item_find(scene, DLP_ITEM_SUBSTANCE, "hony", &index, &error),
                   "honey.json: there is no substance hony; did you mean honey?");
    assert_int_equal(index, -1);
    assert_refused(dlp_scene_item_name(scene, (dlp_item_kind)99, 0, &name, &error),
                   "honey.json: there is no kind 99 of items");
    dlp_scene_destroy(scene);
}

static void the_whole_scene_as_yaml_reads_back_the_same(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene(honey), *again = NULL;
    size_t length = 0, again_length = 0;
    assert_int_equal(dlp_scene_get_yaml(scene, NULL, 0, &length, &error), DLP_OK);
    char *text = malloc(length + 1), *more = malloc(length + 1);
    assert_int_equal(dlp_scene_get_yaml(scene, text, length, NULL, &error), DLP_INVALID);
    assert_int_equal(dlp_scene_get_yaml(scene, text, length + 1, NULL, &error), DLP_OK);
    assert_int_equal(dlp_scene_read_text(text, length, "honey.yaml", NULL, &again, &error), DLP_OK);
    assert_int_equal(dlp_scene_get_yaml(again, more, length + 1, &again_length, &error), DLP_OK);
    assert_string_equal(text, more);
    free(text);
    free(more);
    dlp_scene_destroy(scene);
    dlp_scene_destroy(again);
}

// A slider that moves for hours: what is replaced is freed, and the limit of values is that of the scene
// alone.
static void a_parameter_can_be_set_as_often_as_one_likes(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene(honey);
    size_t before = 0;
    for (int32_t k = 0; k < 120000; k++) {
        const double wind[3] = {k, 0, 1};
        set_numbers(scene, "wind", wind, 3);
        assert_int_equal(dlp_scene_set(scene, "wind", "[1, 2]", NULL), DLP_INVALID);
        if (k == 20000) before = dlp_memory_in_use();
    }
    assert_true(dlp_memory_in_use() <= before + 1000000);
    assert_string_equal(find(scene, "wind").value, "[119999, 0, 1]");
    assert_string_equal(find(scene, "substances.honey.particle.radius").origin, "honey.json:4");
    dlp_scene_destroy(scene);
}

static void more_values_than_the_limit_are_refused_and_change_nothing(void **state)
{
    (void)state;
    enum { COUNT = 190000 };
    dlp_scene *scene = read_scene(honey);
    char *text = malloc(2 * COUNT + 64);
    size_t used = (size_t)sprintf(text, "[");
    for (int k = 0; k < COUNT; k++) used += (size_t)sprintf(text + used, "%s1", k > 0 ? "," : "");
    sprintf(text + used, "]");
    set(scene, "obstacles[2].height.values", text);
    assert_refused(dlp_scene_set(scene, "obstacles[3].height.values", text, &error),
                   "obstacles[3].height.values: there are more than 200000 values");
    set(scene, "obstacles[2]", "{sphere: {radius: 1}}");
    set(scene, "obstacles[2].height.values", text);  // what was replaced does not count
    set(scene, "obstacles[2]", "{sphere: {radius: 1}}");
    int32_t count = 0;
    assert_int_equal(dlp_scene_item_count(scene, DLP_ITEM_OBSTACLE, &count, &error), DLP_OK);
    assert_int_equal(count, 3);
    free(text);
    dlp_scene_destroy(scene);
}

static void bundled_scenes_are_listed_by_name(void **state)
{
    (void)state;
    const int32_t count = dlp_bundled_scene_count();
    assert_true(count > 0);
    for (int32_t k = 0; k < count; k++) {
        dlp_scene *scene = NULL;
        assert_true(k == 0 || strcmp(dlp_bundled_scene_name(k - 1), dlp_bundled_scene_name(k)) < 0);
        assert_true(strlen(dlp_bundled_scene_title(k)) > 0 && strlen(dlp_bundled_scene_text(k)) > 0);
#if DLP_HAVE_YAML
        assert_int_equal(dlp_scene_read_bundled(dlp_bundled_scene_name(k), &scene, &error), DLP_OK);
#else  // they are YAML
        assert_int_equal(dlp_scene_read_bundled(dlp_bundled_scene_name(k), &scene, &error), DLP_UNSUPPORTED);
#endif
        dlp_scene_destroy(scene);
    }
    assert_null(dlp_bundled_scene_name(count));
    assert_null(dlp_bundled_scene_title(-1));
    assert_null(dlp_bundled_scene_text(count));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_parameter_says_what_the_table_knows),
        cmocka_unit_test(types_and_components_follow_the_table),
        cmocka_unit_test(a_choice_lists_its_words_and_which_are_missing),
        cmocka_unit_test(listed_values_can_be_set_again),
        cmocka_unit_test(a_track_of_400_keys_is_not_cut),
        cmocka_unit_test(a_difference_of_long_values_is_shown_from_where_they_part),
        cmocka_unit_test(doubles_come_back_with_the_same_bits),
        cmocka_unit_test(every_type_with_numbers_goes_there_and_back),
        cmocka_unit_test(heights_are_any_count_of_numbers),
        cmocka_unit_test(wrong_numbers_are_refused_by_name),
        cmocka_unit_test(a_path_that_is_not_there_is_explained),
        cmocka_unit_test(a_scene_with_mistakes_tells_them_instead),
        cmocka_unit_test(an_info_of_another_size_is_filled_as_far_as_it_goes),
        cmocka_unit_test(items_have_names_in_the_scenes_order),
        cmocka_unit_test(the_whole_scene_as_yaml_reads_back_the_same),
        cmocka_unit_test(a_parameter_can_be_set_as_often_as_one_likes),
        cmocka_unit_test(more_values_than_the_limit_are_refused_and_change_nothing),
        cmocka_unit_test(bundled_scenes_are_listed_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
