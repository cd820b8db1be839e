/* Scenes: what is resolved, where it came from, and that it survives writing and reading. */
#include "base/memory.h"
#include "scene/conditions.h"
#include "scene/scene.h"
#include "scene/table.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static dlp_error error;

static dlp_scene *read_scene(const char *text, const char *name)
{
    dlp_scene *scene = NULL;
    if (dlp_scene_read_text(text, strlen(text), name, NULL, &scene, &error) != DLP_OK)
        fail_msg("%s", error.message);
    return scene;
}

static const dlp_scene_def *resolve(dlp_scene *scene)
{
    const dlp_scene_def *def = NULL;
    if (dlp_scene_resolve(scene, &def, &error) != DLP_OK) fail_msg("%s", error.message);
    return def;
}

// The value or the origin of one parameter.
typedef struct search {
    const char *path;
    char value[400], origin[200], unit[20];
    bool can_animate, found;
} search;

static void look(void *context, const dlp_parameter *parameter)
{
    search *s = context;
    if (strcmp(parameter->path, s->path) != 0) return;
    s->found = true;
    s->can_animate = parameter->can_animate;
    snprintf(s->value, sizeof s->value, "%s", parameter->value);
    snprintf(s->origin, sizeof s->origin, "%s", parameter->origin);
    snprintf(s->unit, sizeof s->unit, "%s", parameter->unit);
}

static search find(dlp_scene *scene, const char *path)
{
    search s = {.path = path};
    if (dlp_scene_visit(scene, look, &s, &error) != DLP_OK) fail_msg("%s", error.message);
    if (!s.found) fail_msg("there is no parameter %s", path);
    return s;
}

static void assert_parameter(dlp_scene *scene, const char *path, const char *value, const char *origin)
{
    const search s = find(scene, path);
    assert_string_equal(s.value, value);
    assert_string_equal(s.origin, origin);
}

// Written, read again, the scene has the same parameters.
static void assert_survives(dlp_scene *scene)
{
    char *text = NULL, *again_text = NULL, difference[400];
    if (dlp_scene_write(scene, &text, &error) != DLP_OK) fail_msg("%s", error.message);
    dlp_scene *again = read_scene(text, "again.yaml");
    resolve(again);
    dlp_scene_difference(scene, again, difference, sizeof difference);
    assert_string_equal(difference, "");
    assert_int_equal(dlp_scene_write(again, &again_text, &error), DLP_OK);
    assert_string_equal(strchr(text, '\n'), strchr(again_text, '\n'));  // all but the first line's name
    dlp_scene_destroy(again);
    dlp_free(again_text);
    dlp_free(text);
}

static const char *const small =
    "{substances: {honey: {particle: {radius: 0.01}, shape: {sphere: {radius: 1}}}}}";

static void defaults_are_those_of_the_table(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene(small, "small.json");
    const dlp_scene_def *def = resolve(scene);
    assert_int_equal(def->version, 1);
    assert_int_equal(def->dimension, 3);
    assert_true(def->frame_rate == 25 && def->frame_count == 100);
    assert_true(def->gravity.x == 0 && def->gravity.y == 0 && def->gravity.z == -9.81);
    assert_true(def->courant == 0.3 && def->step == 0 && def->step_ratio == 4);
    assert_true(def->record.particles && def->record.preview && def->record.contour);
    assert_true(def->record.every == 1 && def->record.checkpoint == 1 && def->record.iso == 0.5);
    assert_string_equal(def->name, "small");
    assert_string_equal(def->folder, ".");
    assert_string_equal(def->title, "");
    const dlp_substance_def *honey = &def->substances[0];
    assert_int_equal(def->substance_count, 1);
    assert_string_equal(honey->name, "honey");
    assert_string_equal(honey->material, "");
    assert_string_equal(honey->points_file, "");
    assert_true(honey->density == 1000 && honey->viscosity == 0 && honey->gamma == 7 && honey->cohesion == 0);
    assert_true(honey->state == DLP_STATE_LINEAR && honey->kernel == DLP_KERNEL_DESBRUN);
    assert_true(honey->density_from == DLP_DENSITY_SUMMATION && honey->lattice == DLP_LATTICE_HEXAGONAL);
    assert_true(honey->particle_radius == 0.01 && honey->smoothing == 1.35 && honey->jitter == 0);
    assert_true(honey->adapt_accuracy == 0.5 && !honey->adapt_time && honey->diffusion == 0.1);
    assert_true(honey->shape.kind == DLP_SHAPE_SPHERE && honey->shape.radius == 1);
    assert_parameter(scene, "frames.rate", "25", "default");
    assert_parameter(scene, "substances.honey.particle.radius", "0.01", "small.json:1");
    dlp_scene_destroy(scene);
}

static void a_plane_scene_falls_along_y_and_takes_short_vectors(void **state)
{
    (void)state;
    dlp_scene *scene =
        read_scene("{dimension: 2, substances: {a: {particle: {spacing: 0.02}, velocity: [1, 2], "
                   "shape: {box: {min: [0, 1], max: [2, 3]}}}}}",
                   "a.json");
    const dlp_scene_def *def = resolve(scene);
    assert_true(def->gravity.y == -9.81 && def->gravity.z == 0);
    assert_true(def->substances[0].shape.min.y == 1 && def->substances[0].shape.max.x == 2);
    assert_true(def->substances[0].velocity.x == 1 && def->substances[0].velocity.y == 2);
    dlp_scene_destroy(scene);
}

// The sphere or disc of the spacing's cube or square.
static void a_spacing_becomes_the_radius_of_the_same_volume(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        char text[300];
        snprintf(
            text, sizeof text,
            "{dimension: %d, substances: {a: {particle: {spacing: 0.02}, shape: {sphere: {radius: 1}}}}}",
            dimension);
        dlp_scene *scene = read_scene(text, "a.json");
        const double r = resolve(scene)->substances[0].particle_radius;
        const double volume = dimension == 2 ? DLP_PI * r * r : 4 * DLP_PI / 3 * r * r * r;
        assert_true(fabs(volume / pow(0.02, dimension) - 1) < 1e-14);  // a few roundings
        assert_string_equal(find(scene, "substances.a.particle.radius").origin, "derived");
        assert_survives(scene);
        dlp_scene_destroy(scene);
    }
}

static void a_material_gives_values_that_keys_override(void **state)
{
    (void)state;
    dlp_scene *scene =
        read_scene("{substances: {a: {material: honey, viscosity: 8, particle: {radius: 0.01}, "
                   "shape: {sphere: {radius: 1}}}}}",
                   "a.json");
    const dlp_substance_def *a = &resolve(scene)->substances[0];
    assert_true(a->density == 1420 && a->viscosity == 8);
    assert_true(a->kernel == DLP_KERNEL_WENDLAND && a->state == DLP_STATE_TAIT && a->cohesion == 0.05);
    assert_parameter(scene, "substances.a.density", "1420", "material honey");
    assert_parameter(scene, "substances.a.viscosity", "8", "a.json:1");
    assert_survives(scene);
    dlp_scene_destroy(scene);
}

static void every_material_has_only_keys_and_values_of_the_table(void **state)
{
    (void)state;
    int32_t count;
    const dlp_preset *presets = dlp_presets(&count);
    assert_true(count >= 5);
    for (int32_t k = 0; k < count; k++) {
        dlp_scene *scene = read_scene(small, "a.json");
        assert_int_equal(dlp_scene_set(scene, "substances.honey.material", presets[k].name, &error), DLP_OK);
        if (dlp_preset_value_of(&presets[k], "model") != NULL)  // a fabric, or a solid, which a sheet is too
            assert_int_equal(dlp_scene_set(scene, "substances.honey.shape",
                                           "{sheet: {size: [1, 1], thickness: 0.1}}", &error),
                             DLP_OK);
        char origin[80];
        snprintf(origin, sizeof origin, "material %s", presets[k].name);
        for (const dlp_preset_value *value = presets[k].values; value->key != NULL; value++) {
            char path[120];
            snprintf(path, sizeof path, "substances.honey.%s", value->key);
            if (strcmp(value->key, "cloth.stretch.both") == 0)
                assert_parameter(scene, "substances.honey.cloth.stretch.weft", value->value, "derived");
            else if (strcmp(value->key, "solid.fibers") == 0)
                assert_parameter(scene, "substances.honey.solid.fibers[0].direction", "[1, 0, 0]", origin);
            else
                assert_parameter(scene, path, value->value, origin);
        }
        dlp_scene_destroy(scene);
    }
}

static void a_spin_has_the_rate_along_the_axis(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene(small, "a.json");
    assert_int_equal(dlp_scene_set(scene, "substances.honey.velocity.spin",
                                   "{center: [1, 0, 0], axis: [0, 3, 4], rate: -2}", &error),
                     DLP_OK);
    const dlp_substance_def *a = &resolve(scene)->substances[0];
    assert_true(a->spin_center.x == 1);
    assert_true(fabs(a->spin.y + 1.2) < 1e-15 && fabs(a->spin.z + 1.6) < 1e-15 && a->spin.x == 0);
    assert_survives(scene);
    dlp_scene_destroy(scene);
}

static const char *const moving = "{gravity: {keys: [[0, [0, 0, 0]], [2, [0, 0, -10]]]},\n"
                                  " substances: {a: {particle: {radius: 0.01}, shape: {sphere: {radius: 1}}, "
                                  "viscosity: {keys: [[1, 4], [3, 8]]}}},\n"
                                  " obstacles: [{sphere: {radius: 1}},\n"
                                  "  {name: paddle, box: {min: [0, 0, 0], max: [1, 1, 1]}, position: {keys: "
                                  "[[0, [1, 2, 3]], [1, [2, 2, 3]]], "
                                  "smooth: true}}]}";

static void key_frames_drive_their_fields(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene(moving, "a.json");
    const dlp_scene_def *def = resolve(scene);
    assert_int_equal(def->track_count, 3);
    assert_string_equal(def->tracks[2].path, "obstacles[1].position");
    assert_ptr_equal(def->obstacles[1].position_track, &def->tracks[2]);
    assert_null(def->obstacles[1].rotation_track);
    assert_null(def->obstacles[0].position_track);
    assert_true(def->gravity.z == 0 && def->substances[0].viscosity == 4 &&
                def->obstacles[1].position.x == 1);
    dlp_conditions at = {0};
    assert_int_equal(dlp_conditions_init(&at, def, 1.5, NULL), DLP_OK);
    assert_true(at.now.gravity.z == -7.5 && at.now.substances[0].viscosity == 5 &&
                at.now.obstacles[1].position.x == 2);
    assert_true(def->gravity.z == 0 && def->obstacles[1].position.x == 1);  // the scene stays as it is
    dlp_conditions_set_time(&at, 0);
    assert_true(at.now.gravity.z == 0 && at.now.substances[0].viscosity == 4);
    dlp_conditions_release(&at);
    assert_true(find(scene, "gravity").can_animate && !find(scene, "frames.rate").can_animate);
    assert_survives(scene);
    dlp_scene_destroy(scene);
}

// Against the closed form and its difference quotient.
static void a_smooth_track_eases_in_and_out(void **state)
{
    (void)state;
    double times[] = {1, 3, 4}, values[] = {10, 20, 5};
    dlp_track track = {.components = 1, .key_count = 3, .times = times, .values = values, .smooth = true};
    for (double t = 0; t < 5; t += 0.01) {
        double value[3], before[3], after[3], rate[3];
        dlp_track_value(&track, t, value);
        dlp_track_rate(&track, t, rate);
        const double s = t < 3 ? fmin(fmax((t - 1) / 2, 0), 1) : fmin(t - 3, 1), ease = s * s * (3 - 2 * s);
        assert_true(fabs(value[0] - (t < 3 ? 10 + 10 * ease : 20 - 15 * ease)) < 1e-12);
        dlp_track_value(&track, t - 1e-6, before);
        dlp_track_value(&track, t + 1e-6, after);
        assert_true(fabs(rate[0] - (after[0] - before[0]) / 2e-6) < 1e-3);  // kinks of the second derivative
    }
}

static void a_straight_track_holds_before_and_after(void **state)
{
    (void)state;
    double times[] = {1, 3}, values[] = {1, 2, 3, 5, 2, -1};
    dlp_track track = {.components = 3, .key_count = 2, .times = times, .values = values};
    static const double at[] = {-1, 1, 2, 3, 9}, x[] = {1, 1, 3, 5, 5}, z[] = {3, 3, 1, -1, -1},
                        rate_x[] = {0, 2, 2, 0, 0};
    for (int k = 0; k < 5; k++) {
        double value[3], rate[3];
        dlp_track_value(&track, at[k], value);
        dlp_track_rate(&track, at[k], rate);
        assert_true(value[0] == x[k] && value[1] == 2 && value[2] == z[k]);
        assert_true(rate[0] == rate_x[k] && rate[1] == 0 && rate[2] == -rate_x[k]);
    }
}

static void setting_creates_what_is_missing(void **state)
{
    (void)state;
    dlp_scene *scene = NULL;
    assert_int_equal(dlp_scene_create(&scene, &error), DLP_OK);
    assert_int_equal(dlp_scene_check(scene, &error), DLP_INVALID);
    assert_string_equal(error.message, "substances: is missing: a scene needs at least one substance");
    static const char *const settings[][2] = {
        {"substances.honey.particle.radius", "0.01"},
        {"substances.honey.shape.box", "{min: [0, 0, 0], max: [1, 1, 1]}"},
        {"obstacles[0].sphere.radius", "2"},
        {"obstacles[0].sphere.center", "[0, 0, 1]"},
        {"obstacles[1]", "{sphere: {radius: 1}, name: ball}"},
        {"probes.force.body", "ball"},
        {"title", "Two words, and a comma"},
        {"periodic", "[]"},
    };
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++)
        if (dlp_scene_set(scene, settings[k][0], settings[k][1], &error) != DLP_OK)
            fail_msg("%s", error.message);
    const dlp_scene_def *def = resolve(scene);
    assert_true(def->obstacle_count == 2 && def->obstacles[0].shape.radius == 2 &&
                def->obstacles[0].shape.center.z == 1);
    assert_int_equal(def->probes[0].body_index, 1);
    assert_string_equal(def->title, "Two words, and a comma");
    assert_parameter(scene, "obstacles[0].sphere.radius", "2", "set");
    assert_parameter(scene, "obstacles[0].name", "obstacle0", "default");
    assert_int_equal(dlp_scene_set(scene, "obstacles[0].sphere.radius", "3", &error), DLP_OK);
    assert_true(resolve(scene)->obstacles[0].shape.radius == 3);
    assert_survives(scene);
    dlp_scene_destroy(scene);
}

static void setting_one_of_several_replaces_the_one_that_was_there(void **state)
{
    (void)state;
    dlp_scene *scene = NULL;
    assert_int_equal(dlp_scene_create(&scene, &error), DLP_OK);
    static const char *const settings[][2] = {
        {"substances.honey.particle.radius", "0.01"},
        {"substances.honey.shape", "{box: {min: [0, 0, 0], max: [1, 1, 1]}, translate: [0, 0, 3]}"},
        {"substances.honey.shape.sphere.radius", "0.5"},
        {"obstacles[0]", "{sphere: {radius: 1}, name: ball}"},
        {"obstacles[0].box", "{min: [0, 0, -1], max: [1, 1, 0]}"},
    };
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++)
        if (dlp_scene_set(scene, settings[k][0], settings[k][1], &error) != DLP_OK)
            fail_msg("%s", error.message);
    const dlp_scene_def *def = resolve(scene);
    assert_true(def->substances[0].shape.kind == DLP_SHAPE_SPHERE && def->substances[0].shape.radius == 0.5);
    assert_true(def->substances[0].shape.translate.z == 3);
    assert_true(def->obstacles[0].shape.kind == DLP_SHAPE_BOX);
    assert_string_equal(def->obstacles[0].name, "ball");
    // what is refused changes nothing
    assert_int_equal(dlp_scene_set(scene, "substances.honey.shape.box.min", "1", &error), DLP_INVALID);
    assert_true(resolve(scene)->substances[0].shape.kind == DLP_SHAPE_SPHERE);
    assert_survives(scene);
    dlp_scene_destroy(scene);
}

static void setting_refuses_bad_paths_and_values_and_changes_nothing(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"frames.cuont", "3", "frames.cuont: is not known; did you mean count?"},
        {"substances.honey.viscocity", "3",
         "substances.honey.viscocity: is not known; did you mean viscosity?"},
        {"frames.count.x", "3", "frames.count: has nothing below it"},
        {"", "3", ": is not a path; write it as frames.count or obstacles[1].box"},
        {"frames.", "3", "frames.: is not a path; write it as frames.count or obstacles[1].box"},
        {"obstacles.sphere", "3", "obstacles: is a list; write which entry, as [0]"},
        {"obstacles[-1].sphere", "3", "obstacles: is a list; write which entry, as [0]"},
        {"obstacles[3].sphere", "3", "obstacles[3]: there are 0 entries; the next one is [0]"},
        {"substances.1a.viscosity", "3",
         "substances.1a: is not a name; a name is a letter, then letters, digits, _ and -"},
        {"frames[1]", "3", "frames: is not a list"},
        {"frames.count", "-3", "frames.count: must be ≥ 0 (got -3)"},
        {"frames.count", "nan", "frames.count: must be a whole number (got \"nan\")"},
        {"frames.count", "", "frames.count: character 1: a value is missing"},
        {"gravity", "[0, 0", "gravity: character 6: expected , or ]"},
        {"frames", "{count: 3, count: 4}", "frames: count: is given twice"},
        {"gravity", "[0, 0]", "gravity: must be a list of 3 numbers (got a list of 2)"},
        {"frames.rate", "{keys: [[0, 1]]}", "frames.rate: cannot have key frames"},
        {"substances.honey.kernel", "wendlan",
         "substances.honey.kernel: must be one of desbrun, spline, wendland, muller (got "
         "\"wendlan\"); did you "
         "mean wendland?"},
    };
    dlp_scene *scene = read_scene(small, "a.json");
    char *before = NULL, *after = NULL;
    assert_int_equal(dlp_scene_write(scene, &before, &error), DLP_OK);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_int_equal(dlp_scene_set(scene, cases[k][0], cases[k][1], &error), DLP_INVALID);
        assert_string_equal(error.message, cases[k][2]);
    }
    assert_int_equal(dlp_scene_write(scene, &after, &error), DLP_OK);
    assert_string_equal(before, after);
    dlp_free(before);
    dlp_free(after);
    dlp_scene_destroy(scene);
}

static void a_change_makes_nothing_below_a_name_that_is_not_there(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"substances.hony.viscosity", "3", "substances.hony: no such substance; did you mean honey?"},
        {"substances.hony.x", "3", "substances.hony: no such substance; did you mean honey?"},
        {"substances.oil.viscosity", "3",
         "substances.oil: no such substance; to add one, give it as a whole: {...}"},
        {"probes.gauge.point", "[0, 0, 0]",
         "probes.gauge: no such probe; to add one, give it as a whole: {...}"},
    };
    dlp_scene *scene = read_scene(small, "a.json");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_int_equal(dlp_scene_change(scene, cases[k][0], cases[k][1], &error), DLP_INVALID);
        assert_string_equal(error.message, cases[k][2]);
    }
    assert_int_equal(resolve(scene)->substance_count, 1);
    assert_int_equal(dlp_scene_change(scene, "substances.honey.viscosity", "3", &error), DLP_OK);
    assert_true(resolve(scene)->substances[0].viscosity == 3);
    assert_int_equal(dlp_scene_change(scene, "probes.gauge", "{point: [0, 0, 0]}", &error), DLP_OK);
    assert_int_equal(resolve(scene)->probe_count, 1);
    dlp_scene_destroy(scene);
}

static void a_scene_that_fails_after_setting_keeps_its_record(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene(small, "a.json");
    const dlp_scene_def *def = resolve(scene);
    assert_int_equal(dlp_scene_set(scene, "substances.honey.shape.sphere.radius", "2", &error), DLP_OK);
    assert_int_equal(dlp_scene_set(scene, "periodic", "[x]", &error), DLP_OK);
    const dlp_scene_def *none = NULL;
    assert_int_equal(dlp_scene_resolve(scene, &none, &error), DLP_INVALID);
    assert_null(none);
    assert_ptr_equal(dlp_scene_def_mutable(scene), def);
    assert_true(def->substances[0].shape.radius == 1);  // still readable
    assert_int_equal(dlp_scene_set(scene, "periodic", "[]", &error), DLP_OK);
    assert_true(resolve(scene)->substances[0].shape.radius == 2);
    dlp_scene_destroy(scene);
}

static void a_difference_names_the_first_parameter(void **state)
{
    (void)state;
    char text[300];
    dlp_scene *a = read_scene(small, "a.json"), *b = read_scene(small, "b.json");
    static const char *const free_ones[][2] = {
        {"title", "other"}, {"frames.count", "7"}, {"record.every", "3"}};
    for (int k = 0; k < 3; k++)
        assert_int_equal(dlp_scene_set(b, free_ones[k][0], free_ones[k][1], &error), DLP_OK);
    dlp_scene_difference(a, b, text, sizeof text);
    assert_string_equal(text, "");
    assert_int_equal(dlp_scene_set(b, "obstacles[0].sphere.radius", "1", &error), DLP_OK);
    dlp_scene_difference(a, b, text, sizeof text);
    assert_string_equal(text, "obstacles[0].name: nothing against obstacle0");
    assert_int_equal(dlp_scene_set(b, "substances.honey.viscosity", "8", &error), DLP_OK);
    dlp_scene_difference(a, b, text, sizeof text);
    assert_string_equal(text, "substances.honey.viscosity: 0 against 8");
    dlp_scene_difference(b, a, text, sizeof text);
    assert_string_equal(text, "substances.honey.viscosity: 8 against 0");
    dlp_scene_destroy(a);
    dlp_scene_destroy(b);
}

static void pictures_make_no_difference_to_the_motion(void **state)
{
    (void)state;
    char text[300];
    dlp_scene *a = read_scene(small, "a.json"), *b = read_scene(small, "b.json");
    static const char *const pictures[][2] = {{"camera.from", "[3, 1, 1]"},
                                              {"camera.to", "{\"keys\": [[0, [0, 0, 0]], [1, [0, 0, 1]]]}"},
                                              {"render.width", "640"},
                                              {"render.sun.direction", "[1, 0, 2]"},
                                              {"render.ground", "off"},
                                              {"substances.honey.look", "glossy"},
                                              {"substances.honey.color", "[1, 0, 0]"}};
    for (int k = 0; k < 7; k++)
        assert_int_equal(dlp_scene_set(b, pictures[k][0], pictures[k][1], &error), DLP_OK);
    dlp_scene_difference(a, b, text, sizeof text);
    assert_string_equal(text, "");
    const dlp_scene_def *def = resolve(b);
    assert_true(def->camera.has_from && def->camera.has_to && !def->camera.has_up);
    assert_int_equal(def->render.ground, DLP_GROUND_OFF);
    assert_int_equal(def->substances[0].look, DLP_LOOK_GLOSSY);
    dlp_scene_destroy(a);
    dlp_scene_destroy(b);
}

static void the_look_follows_the_material_and_the_viscosity(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene(small, "a.json");
    assert_int_equal(resolve(scene)->substances[0].look, DLP_LOOK_GLASS);  // without viscosity
    assert_int_equal(dlp_scene_set(scene, "substances.honey.viscosity", "20", &error), DLP_OK);
    assert_int_equal(resolve(scene)->substances[0].look, DLP_LOOK_WAX);
    assert_int_equal(dlp_scene_set(scene, "substances.honey.material", "mud", &error), DLP_OK);
    assert_int_equal(resolve(scene)->substances[0].look, DLP_LOOK_GLOSSY);
    dlp_scene_destroy(scene);
}

static void numbers_survive_writing_to_the_last_bit(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int k = 0; k < 2000; k++) {
        double number;
        do {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            const uint64_t bits = seed ^ seed >> 29;
            memcpy(&number, &bits, sizeof number);
        } while (!isfinite(number));
        dlp_string text = {0};
        double again = 0;
        dlp_string_add_number(&text, number);
        assert_true(dlp_number_read(text.data, &again));
        assert_memory_equal(&number, &again, sizeof number);
        dlp_string_release(&text);
    }
}

static void a_decimal_comma_of_the_host_changes_nothing(void **state)
{
    (void)state;
    static const char *const commas[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    const char *chosen = NULL;
    for (int k = 0; k < 4 && chosen == NULL; k++) chosen = setlocale(LC_NUMERIC, commas[k]);
    if (chosen == NULL) {
        print_message("skipped: this machine has no locale with a decimal comma\n");
        skip();
    }
    dlp_scene *scene = read_scene(small, "a.json");
    assert_true(resolve(scene)->substances[0].particle_radius == 0.01);
    assert_parameter(scene, "substances.honey.particle.radius", "0.01", "a.json:1");
    dlp_scene_destroy(scene);
    setlocale(LC_NUMERIC, "C");
}

static void odd_titles_survive(void **state)
{
    (void)state;
    static const char *const titles[] = {"plain",
                                         "true",
                                         "null",
                                         "~",
                                         "3",
                                         "a: b # c",
                                         " edge ",
                                         "quote \" back \\ slash",
                                         "ümlaut 蜂蜜 😀",
                                         "\x7f\xc2\x85\xe2\x80\xa8\xef\xbb\xbf",
                                         "- dash",
                                         "[",
                                         "{a",
                                         "'x'",
                                         "%"};
    for (size_t k = 0; k < sizeof titles / sizeof *titles; k++) {
        dlp_scene *scene = read_scene(small, "a.json");
        dlp_string quoted = {0};
        dlp_string_add(&quoted, "\"");
        for (const char *c = titles[k]; *c != '\0'; c++)
            dlp_string_add(&quoted, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        dlp_string_add(&quoted, "\"");
        assert_int_equal(dlp_scene_set(scene, "title", quoted.data, &error), DLP_OK);
        char *text = NULL;
        assert_int_equal(dlp_scene_write(scene, &text, &error), DLP_OK);
        dlp_scene *again = read_scene(text, "again.yaml");
        assert_string_equal(resolve(again)->title, titles[k]);
        dlp_scene_destroy(again);
        dlp_free(text);
        dlp_string_release(&quoted);
        dlp_scene_destroy(scene);
    }
}

static void files_are_found_from_the_folder_and_made_absolute(void **state)
{
    (void)state;
    const char *text = "{substances: {a: {particle: {radius: 0.1}, points: {file: test_scene.c}}}}";
    dlp_scene *scene = NULL;
    assert_int_equal(dlp_scene_read_text(text, strlen(text), "a.json", "tests/scene", &scene, &error),
                     DLP_OK);
    const dlp_scene_def *def = resolve(scene);
    assert_true(def->substances[0].points_file[0] == '/');
    FILE *file = fopen(def->substances[0].points_file, "r");
    assert_non_null(file);
    fclose(file);
    assert_survives(scene);
    dlp_scene_destroy(scene);
}

static void bundled_scenes_are_sorted_titled_good_and_survive(void **state)
{
    (void)state;
    int32_t count;
    const dlp_bundled_scene *scenes = dlp_bundled_scenes(&count);
    assert_true(count >= 8);
    for (int32_t k = 0; k < count; k++) {
        assert_true(k == 0 || strcmp(scenes[k - 1].name, scenes[k].name) < 0);
        assert_true(scenes[k].title[0] != '\0');
#if DLP_HAVE_YAML
        dlp_scene *scene = NULL;
        if (dlp_scene_read_bundled(scenes[k].name, &scene, &error) != DLP_OK) fail_msg("%s", error.message);
        const dlp_scene_def *def = resolve(scene);
        assert_string_equal(def->name, scenes[k].name);
        assert_string_equal(def->title, scenes[k].title);
        assert_survives(scene);
        dlp_scene_destroy(scene);
#endif
    }
}

static void the_reference_page_is_the_table(void **state)
{
    (void)state;
    char *text = NULL;
    assert_int_equal(dlp_scene_reference(&text, &error), DLP_OK);
    FILE *file = fopen("docs/scene-reference.md", "rb");
    if (file == NULL) fail_msg("docs/scene-reference.md cannot be opened");
    const size_t size = strlen(text);
    char *page = calloc(size + 2, 1);
    assert_non_null(page);
    assert_int_equal(fread(page, 1, size + 1, file), size);
    fclose(file);
    assert_string_equal(page, text);
    free(page);
    dlp_free(text);
}

// Every record of the table has its own part, and every row a help text and a sound default.
static void every_row_explains_itself(void **state)
{
    (void)state;
    const dlp_schema *schema;
    for (int32_t place = 0; (schema = dlp_table_schema(place)) != NULL; place++) {
        for (int32_t k = 0; k < schema->row_count; k++) {
            const dlp_schema_row *row = &schema->rows[k];
            if (row->type == DLP_ROW_INCLUDE) continue;
            assert_true(row->help[0] != '\0' && row->key[0] != '\0' && row->unit != NULL);
            assert_true(row->min <= row->max);
            assert_ptr_equal(dlp_schema_find(schema, row->key), row);
        }
    }
}

// An allocator that fails at the n-th call.
static int32_t calls_left;
static void *allocate_some(size_t alignment, size_t size, void *user)
{
    (void)user;
    return calls_left-- > 0 ? aligned_alloc(alignment, size) : NULL;
}
static void release_some(void *memory, size_t size, void *user)
{
    (void)size;
    (void)user;
    free(memory);
}

static dlp_status use_scene(void)
{
    dlp_scene *scene = NULL;
    char *text = NULL;
    dlp_status status = dlp_scene_read_text(moving, strlen(moving), "a.json", NULL, &scene, &error);
    if (status == DLP_OK) status = dlp_scene_set(scene, "obstacles[0].position", "[1, 2, 3]", &error);
    if (status == DLP_OK) status = dlp_scene_write(scene, &text, &error);
    dlp_free(text);
    dlp_scene_destroy(scene);
    return status;
}

static void running_out_of_memory_anywhere_is_a_status(void **state)
{
    (void)state;
    const size_t before = dlp_memory_in_use();
    const dlp_allocator failing = {allocate_some, release_some, NULL};
    dlp_set_allocator(&failing);
    dlp_status status = DLP_OUT_OF_MEMORY;
    int32_t rounds = 0;
    for (; rounds < 5000 && status == DLP_OUT_OF_MEMORY; rounds++) {
        calls_left = rounds;
        status = use_scene();
        if (dlp_memory_in_use() != before) break;
    }
    dlp_set_allocator(NULL);
    assert_int_equal(dlp_memory_in_use(), before);
    assert_int_equal(status, DLP_OK);
    assert_true(rounds > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_table),
        cmocka_unit_test(a_plane_scene_falls_along_y_and_takes_short_vectors),
        cmocka_unit_test(a_spacing_becomes_the_radius_of_the_same_volume),
        cmocka_unit_test(a_material_gives_values_that_keys_override),
        cmocka_unit_test(every_material_has_only_keys_and_values_of_the_table),
        cmocka_unit_test(a_spin_has_the_rate_along_the_axis),
        cmocka_unit_test(key_frames_drive_their_fields),
        cmocka_unit_test(a_smooth_track_eases_in_and_out),
        cmocka_unit_test(a_straight_track_holds_before_and_after),
        cmocka_unit_test(setting_creates_what_is_missing),
        cmocka_unit_test(setting_one_of_several_replaces_the_one_that_was_there),
        cmocka_unit_test(setting_refuses_bad_paths_and_values_and_changes_nothing),
        cmocka_unit_test(a_change_makes_nothing_below_a_name_that_is_not_there),
        cmocka_unit_test(a_scene_that_fails_after_setting_keeps_its_record),
        cmocka_unit_test(a_difference_names_the_first_parameter),
        cmocka_unit_test(pictures_make_no_difference_to_the_motion),
        cmocka_unit_test(the_look_follows_the_material_and_the_viscosity),
        cmocka_unit_test(numbers_survive_writing_to_the_last_bit),
        cmocka_unit_test(a_decimal_comma_of_the_host_changes_nothing),
        cmocka_unit_test(odd_titles_survive),
        cmocka_unit_test(files_are_found_from_the_folder_and_made_absolute),
        cmocka_unit_test(bundled_scenes_are_sorted_titled_good_and_survive),
        cmocka_unit_test(the_reference_page_is_the_table),
        cmocka_unit_test(every_row_explains_itself),
        cmocka_unit_test(running_out_of_memory_anywhere_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
