/* Cloth in a scene: its record, its defaults, what holds it, and what it answers to mistakes. */
#include "base/memory.h"
#include "scene/conditions.h"
#include "scene/scene.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static dlp_error error;

static dlp_scene *read_scene(const char *text)
{
    dlp_scene *scene = NULL;
    error = (dlp_error){0};
    if (dlp_scene_read_text(text, strlen(text), "a.json", NULL, &scene, &error) != DLP_OK)
        fail_msg("%s", error.message);
    return scene;
}

static const dlp_scene_def *resolve(dlp_scene *scene)
{
    const dlp_scene_def *def = NULL;
    error = (dlp_error){0};
    if (dlp_scene_resolve(scene, &def, &error) != DLP_OK) fail_msg("%s", error.message);
    return def;
}

#define SHEET "\"particle\": {\"spacing\": 0.05}, \"shape\": {\"sheet\": {\"size\": [1, 1]}}"
#define CLOTH "{\"substances\": {\"flag\": {\"model\": \"cloth\", " SHEET "}}"

static void assert_mistake(const char *text, const char *expected)
{
    dlp_scene *scene = read_scene(text);
    error = (dlp_error){0};
    assert_int_equal(dlp_scene_check(scene, &error), DLP_INVALID);
    assert_string_equal(strchr(error.message, ' ') + 1, expected);  // after the place
    dlp_scene_destroy(scene);
    assert_int_equal(dlp_memory_in_use(), 0);
}

static void a_sheet_alone_makes_a_cloth_of_medium_cotton(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene(CLOTH "}");
    const dlp_scene_def *def = resolve(scene);
    const dlp_substance_def *flag = &def->substances[0];
    assert_int_equal(flag->model, DLP_MODEL_CLOTH);
    assert_true(flag->cloth.weight == 0.15 && flag->cloth.thickness == 0.0005);
    assert_true(flag->cloth.stretch_warp == 2000 && flag->cloth.stretch_weft == 2000);
    assert_true(flag->cloth.shear == 60 && flag->cloth.bend == 1e-5);
    assert_true(flag->cloth.tear == 0 && flag->cloth.meets_itself);
    assert_true(flag->shape.thickness == flag->cloth.thickness);
    assert_int_equal(flag->look, DLP_LOOK_MATTE);
    assert_true(dlp_length(def->wind) == 0 && def->air_density == 1.2);
    dlp_scene_destroy(scene);
}

static void a_material_of_fabric_makes_the_substance_a_cloth(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene("{\"substances\": {\"flag\": {\"material\": \"denim\", " SHEET "}}}");
    const dlp_substance_def *flag = &resolve(scene)->substances[0];
    assert_int_equal(flag->model, DLP_MODEL_CLOTH);
    assert_true(flag->cloth.weight == 0.4 && flag->cloth.stretch_warp == 5000);
    dlp_scene_destroy(scene);
}

static void stretch_is_a_number_or_warp_and_weft(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene(
        "{\"substances\": {\"flag\": {\"material\": \"denim\", \"cloth\": {\"stretch\": 700}, " SHEET "}}}");
    const dlp_cloth_def *cloth = &resolve(scene)->substances[0].cloth;
    assert_true(cloth->stretch_warp == 700 && cloth->stretch_weft == 700);
    assert_int_equal(dlp_scene_set(scene, "substances.flag.cloth.stretch", "{warp: 900}", &error), DLP_OK);
    cloth = &resolve(scene)->substances[0].cloth;
    assert_true(cloth->stretch_warp == 900 && cloth->stretch_weft == 5000);
    dlp_scene_destroy(scene);
}

static void attachments_know_their_cloth_their_body_and_their_tracks(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene(
        CLOTH
        ", \"obstacles\": [{\"name\": \"pole\", \"sphere\": {\"radius\": 0.1}}], \"attachments\": ["
        "{\"substance\": \"flag\", \"sphere\": {\"radius\": 0.2}, \"body\": \"pole\", \"stop\": 2},"
        "{\"name\": \"hand\", \"substance\": \"flag\", \"box\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1]},"
        " \"position\": {\"keys\": [[0, [0, 0, 0]], [1, [1, 0, 0]]]}},"
        "{\"substance\": \"flag\", \"sphere\": {\"radius\": 0.2}, \"hold\": false, \"mass\": 0.1}]}");
    const dlp_scene_def *def = resolve(scene);
    assert_int_equal(def->attachment_count, 3);
    const dlp_attachment_def *held = def->attachments;
    assert_string_equal(held[0].name, "attachment0");
    assert_int_equal(held[0].substance_index, 0);
    assert_int_equal(held[0].body_index, 0);
    assert_true(held[0].hold && held[0].stop == 2 && held[0].position_track == NULL);
    assert_int_equal(held[1].body_index, -1);
    assert_string_equal(held[1].body, "");
    assert_non_null(held[1].position_track);
    assert_null(held[1].rotation_track);
    assert_true(!held[2].hold && held[2].mass == 0.1);
    dlp_scene_destroy(scene);
    assert_int_equal(dlp_memory_in_use(), 0);
}

static void the_wind_may_have_key_frames(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene(CLOTH ", \"wind\": {\"keys\": [[0, [0, 0, 0]], [2, [4, 0, 0]]]}}");
    const dlp_scene_def *def;
    dlp_conditions at = {0};
    assert_int_equal(dlp_scene_resolve(scene, &def, NULL), DLP_OK);
    assert_int_equal(dlp_conditions_init(&at, def, 1, NULL), DLP_OK);
    assert_true(at.now.wind.x == 2 && def->wind.x == 0);
    dlp_conditions_release(&at);
    dlp_scene_destroy(scene);
}

static void a_written_cloth_reads_back_as_itself(void **state)
{
    (void)state;
    dlp_scene *scene =
        read_scene(CLOTH ", \"attachments\": [{\"substance\": \"flag\", \"sphere\": {\"radius\": 1}}]}");
    char *text = NULL, *again = NULL;
    if (dlp_scene_write(scene, &text, &error) != DLP_OK) fail_msg("%s", error.message);
    assert_null(strstr(text, "viscosity"));  // what a cloth does not have is not written
    dlp_scene *copy = NULL;
    if (dlp_scene_read_text(text, strlen(text), "a.yaml", NULL, &copy, &error) != DLP_OK)
        fail_msg("%s", error.message);
    if (dlp_scene_write(copy, &again, &error) != DLP_OK) fail_msg("%s", error.message);
    const char *rest = strchr(text, '\n'),
               *rest_again = strchr(again, '\n');  // after the comment with the name
    assert_string_equal(rest, rest_again);
    char difference[256];
    dlp_scene_difference(scene, copy, difference, sizeof difference);
    assert_string_equal(difference, "");
    dlp_free(text);
    dlp_free(again);
    dlp_scene_destroy(scene);
    dlp_scene_destroy(copy);
}

static void what_belongs_to_another_model_is_refused(void **state)
{
    (void)state;
    assert_mistake("{\"substances\": {\"flag\": {\"model\": \"cloth\", \"viscosity\": 3, " SHEET "}}}",
                   "substances.flag.viscosity: is for model sph; this substance is a cloth");
    assert_mistake("{\"substances\": {\"flag\": {\"model\": \"cloth\", \"adapt\": {\"space\": true}, " SHEET
                   "}}}",
                   "substances.flag.adapt.space: is for model sph; this substance is a cloth");
    assert_mistake("{\"substances\": {\"flag\": {\"model\": \"cloth\", \"adapt\": {\"time\": true}, " SHEET
                   "}}}",
                   "substances.flag.adapt.time: is for model sph; this substance is a cloth");
    assert_mistake(
        "{\"substances\": {\"a\": {\"cloth\": {\"weight\": 1}, \"particle\": {\"radius\": 1}, \"shape\": "
        "{\"sphere\": {\"radius\": 3}}}}}",
        "substances.a.cloth: is for model cloth; this substance is smoothed particles");
    assert_mistake("{\"substances\": {\"a\": {\"model\": \"sph\", \"material\": \"silk\", \"particle\": "
                   "{\"radius\": 1}, "
                   "\"shape\": {\"sphere\": {\"radius\": 3}}}}}",
                   "substances.a.material: silk is a fabric; it needs model: cloth");
    assert_mistake("{\"substances\": {\"a\": {\"model\": \"cloth\", \"material\": \"honey\", " SHEET "}}}",
                   "substances.a.material: honey is not a fabric; a cloth is made of cotton, silk, wool, "
                   "denim, ...");
}

static void shapes_that_are_no_cloth_are_refused(void **state)
{
    (void)state;
    assert_mistake("{\"substances\": {\"a\": {\"model\": \"cloth\", \"particle\": {\"radius\": 1}, "
                   "\"shape\": {\"sphere\": "
                   "{\"radius\": 3}}}}}",
                   "substances.a.shape: must be a sheet, a mesh, or, for a rope, a capsule");
    assert_mistake("{\"substances\": {\"a\": {\"model\": \"cloth\", \"particle\": {\"radius\": 1}}}}",
                   "substances.a.shape: is missing: a cloth starts as a sheet, as a mesh, or, a rope, "
                   "as a capsule");
    assert_mistake("{\"dimension\": 2, \"substances\": {\"a\": {\"model\": \"cloth\", " SHEET "}}}",
                   "substances.a.model: cloth needs dimension: 3");
    assert_mistake("{\"substances\": {\"a\": {" SHEET "}}}",
                   "substances.a.shape.sheet.thickness: is missing: thickness; a cloth needs none");
}

static void what_a_scene_of_cloth_cannot_have_is_refused(void **state)
{
    (void)state;
    assert_mistake(CLOTH ", \"loads\": [{\"substance\": \"flag\", \"force\": [0, 0, 1], "
                         "\"sphere\": {\"radius\": 1}}]}",
                   "loads[0].force: is for solids; flag is cloth, which a load presses (`pressure`), an "
                   "attachment's `mass` pulls, and `forces` accelerate");
    assert_mistake(CLOTH
                   ", \"loads\": [{\"substance\": \"flag\", \"pressure\": 1, \"sphere\": {\"radius\": 1}, "
                   "\"torque\": {\"keys\": [[0, [0, 0, 0]], [1, [0, 0, 1]]]}}]}",
                   "loads[0].torque: is for solids; flag is cloth, which a load presses (`pressure`), an "
                   "attachment's `mass` pulls, and `forces` accelerate");
    assert_mistake(CLOTH ", \"probes\": {\"p\": {\"point\": [0, 0, 0]}}}",
                   "probes: measure smoothed particles (model sph), and there are none");
    assert_mistake(CLOTH ", \"surface\": {\"blend\": true}}",
                   "surface.blend: must be false in a scene with cloth (flag): cloth is its own surface");
    assert_mistake(CLOTH ", \"periodic\": [\"x\"], \"domain\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1]}}",
                   "periodic: must be empty in a scene with cloth (flag)");
}

static void attachments_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    assert_mistake(CLOTH ", \"attachments\": [{\"substance\": \"flog\", \"sphere\": {\"radius\": 1}}]}",
                   "attachments[0].substance: there is no substance flog; did you mean flag?");
    assert_mistake(
        CLOTH ", \"obstacles\": [{\"name\": \"pole\", \"sphere\": {\"radius\": 1}}], "
              "\"attachments\": [{\"substance\": \"flag\", \"body\": \"pol\", \"sphere\": {\"radius\": 1}}]}",
        "attachments[0].body: there is no obstacle pol; did you mean pole?");
    assert_mistake(
        CLOTH ", \"attachments\": [{\"substance\": \"flag\", \"hold\": false, \"sphere\": {\"radius\": 1}}]}",
        "attachments[0].hold: is false and there is no mass: the attachment does nothing; "
        "give it a mass");
    assert_mistake(CLOTH ", \"attachments\": [{\"substance\": \"flag\"}]}",
                   "attachments[0]: has no shape; it needs one of box, sphere, cylinder, capsule, "
                   "torus, cone, sheet, mesh, height, plane, union, difference, intersection");
}

static void a_misspelled_model_is_the_only_mistake(void **state)
{
    (void)state;
    assert_mistake(
        "{\"substances\": {\"a\": {\"model\": \"clth\", \"cloth\": {\"weight\": 1}, \"particle\": "
        "{\"radius\": 1}, "
        "\"shape\": {\"capsule\": {\"from\": [0, 0, 0], \"to\": [1, 0, 0], \"radius\": 1}}}}}",
        "substances.a.model: must be one of sph, solid, cloth, rigid, flip, gas (got \"clth\"); did you "
        "mean cloth?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sheet_alone_makes_a_cloth_of_medium_cotton),
        cmocka_unit_test(a_material_of_fabric_makes_the_substance_a_cloth),
        cmocka_unit_test(stretch_is_a_number_or_warp_and_weft),
        cmocka_unit_test(attachments_know_their_cloth_their_body_and_their_tracks),
        cmocka_unit_test(the_wind_may_have_key_frames),
        cmocka_unit_test(a_written_cloth_reads_back_as_itself),
        cmocka_unit_test(what_belongs_to_another_model_is_refused),
        cmocka_unit_test(shapes_that_are_no_cloth_are_refused),
        cmocka_unit_test(what_a_scene_of_cloth_cannot_have_is_refused),
        cmocka_unit_test(attachments_that_make_no_sense_are_refused),
        cmocka_unit_test(a_misspelled_model_is_the_only_mistake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
