/* Solids in a scene: their record, their defaults, what cuts and pushes them, and what mistakes are answered.
 */
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

#define BALL       "\"particle\": {\"spacing\": 0.05}, \"shape\": {\"sphere\": {\"radius\": 1}}"
#define BODY(more) "{\"substances\": {\"body\": {\"model\": \"solid\"" more ", " BALL "}}"
#define WITH(keys) BODY(", \"solid\": {" keys "}") "}"
#define HALL       BODY("") ", "

static void assert_mistake(const char *text, const char *expected)
{
    dlp_scene *scene = read_scene(text);
    error = (dlp_error){0};
    assert_int_equal(dlp_scene_check(scene, &error), DLP_INVALID);
    assert_string_equal(strchr(error.message, ' ') + 1, expected);  // after the place
    dlp_scene_destroy(scene);
    assert_int_equal(dlp_memory_in_use(), 0);
}

static void a_shape_alone_makes_a_body_of_soft_rubber(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene(BODY("") "}");
    const dlp_substance_def *body = &resolve(scene)->substances[0];
    const dlp_solid_def *solid = &body->solid;
    assert_int_equal(body->model, DLP_MODEL_SOLID);
    assert_int_equal(body->lattice, DLP_LATTICE_CUBIC);
    assert_int_equal(body->look, DLP_LOOK_MATTE);
    assert_int_equal(solid->law, DLP_ELASTIC_NEO_HOOKEAN);
    assert_int_equal(solid->constraint, DLP_CONSTRAINT_BLOCK);
    assert_int_equal(solid->integrator, DLP_INTEGRATOR_BDF2);
    assert_true(body->density == 1000 && solid->youngs_modulus == 1e5 && solid->poisson_ratio == 0.4);
    assert_true(solid->fiber_count == 0 && solid->yield == 0 && solid->fracture == 0);
    assert_true(solid->substeps == 0 && solid->iterations == 0);   // chosen
    assert_true(solid->support == 0 && solid->hourglass < 0);      // likewise
    assert_true(solid->flow > 0 && solid->plastic_limit == 1e30);  // none
    assert_true(solid->damping == 0 && solid->friction == 0.3 && solid->meets_itself);
    dlp_scene_destroy(scene);
}

static void every_key_of_a_solid_reaches_its_record(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene(
        "{\"substances\": {\"body\": {\"model\": \"solid\", \"density\": 1200, \"velocity\": {\"uniform\": "
        "[1, 0, "
        "0], \"spin\": {\"rate\": 2}}, \"particle\": {\"radius\": 0.1, \"jitter\": 0.2, \"lattice\": "
        "\"hexagonal\"}, \"shape\": {\"box\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1]}}, \"solid\": "
        "{\"law\": "
        "\"stvk\", \"youngs_modulus\": 2e6, \"poisson_ratio\": -0.2, \"fibers\": [{\"direction\": [1, 1, 0], "
        "\"modulus\": 3e6}, {\"direction\": [0, 0, 1], \"modulus\": 4e6}], \"plasticity\": {\"yield\": 0.05, "
        "\"rate\": 20, \"limit\": 0.5}, \"fracture\": 0.4, \"constraint\": \"energy\", \"integrator\": "
        "\"euler\", \"substeps\": 12, \"iterations\": 3, \"support\": 2.1, \"hourglass\": 0, \"damping\": "
        "0.1, "
        "\"friction\": 0.7, \"self\": false}}}}");
    const dlp_substance_def *body = &resolve(scene)->substances[0];
    const dlp_solid_def *solid = &body->solid;
    assert_true(body->density == 1200 && body->velocity.x == 1 && body->spin.z == 2 && body->jitter == 0.2);
    assert_int_equal(body->lattice, DLP_LATTICE_HEXAGONAL);
    assert_int_equal(solid->law, DLP_ELASTIC_STVK);
    assert_int_equal(solid->constraint, DLP_CONSTRAINT_ENERGY);
    assert_int_equal(solid->integrator, DLP_INTEGRATOR_EULER);
    assert_true(solid->youngs_modulus == 2e6 && solid->poisson_ratio == -0.2);
    assert_int_equal(solid->fiber_count, 2);
    assert_true(solid->fibers[0].direction.y == 1 && solid->fibers[0].modulus == 3e6);
    assert_true(solid->fibers[1].direction.z == 1 && solid->fibers[1].modulus == 4e6);
    assert_true(solid->yield == 0.05 && solid->flow == 20 && solid->plastic_limit == 0.5);
    assert_true(solid->fracture == 0.4 && solid->substeps == 12 && solid->iterations == 3);
    assert_true(solid->support == 2.1 && solid->hourglass == 0);
    assert_true(solid->damping == 0.1 && solid->friction == 0.7 && !solid->meets_itself);
    dlp_scene_destroy(scene);
    assert_int_equal(dlp_memory_in_use(), 0);
}

static void a_material_of_solids_makes_the_substance_one(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene("{\"substances\": {\"body\": {\"material\": \"clay\", " BALL "}}}");
    const dlp_substance_def *body = &resolve(scene)->substances[0];
    assert_int_equal(body->model, DLP_MODEL_SOLID);
    assert_true(body->density == 1800 && body->solid.yield == 0.02 && body->solid.flow == 50);
    assert_true(body->solid.plastic_limit == 1e30);
    dlp_scene_destroy(scene);
}

static int32_t fiber_count_of(dlp_scene *scene)
{
    return resolve(scene)->substances[0].solid.fiber_count;
}

// Writes the scene and reads it again: nothing may have changed.
static void assert_survives(dlp_scene *scene)
{
    char *text = NULL;
    if (dlp_scene_write(scene, &text, &error) != DLP_OK) fail_msg("%s", error.message);
    dlp_scene *copy = NULL;
    if (dlp_scene_read_text(text, strlen(text), "a.yaml", NULL, &copy, &error) != DLP_OK)
        fail_msg("%s", error.message);
    char difference[256];
    dlp_scene_difference(scene, copy, difference, sizeof difference);
    assert_string_equal(difference, "");
    assert_int_equal(fiber_count_of(scene), fiber_count_of(copy));
    dlp_free(text);
    dlp_scene_destroy(copy);
}

static void a_scene_takes_over_replaces_or_empties_the_fibers_of_its_material(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene("{\"substances\": {\"body\": {\"material\": \"towel\", " BALL "}}}");
    assert_int_equal(fiber_count_of(scene), 2);
    assert_survives(scene);
    assert_int_equal(dlp_scene_set(scene, "substances.body.solid.fibers",
                                   "[{direction: [1, 1, 0], modulus: 1000}]", &error),
                     DLP_OK);
    assert_int_equal(fiber_count_of(scene), 1);
    assert_true(resolve(scene)->substances[0].solid.fibers[0].modulus == 1000);
    assert_survives(scene);
    assert_int_equal(dlp_scene_set(scene, "substances.body.solid.fibers[0].modulus", "2000", &error), DLP_OK);
    assert_true(resolve(scene)->substances[0].solid.fibers[0].modulus == 2000);
    assert_int_equal(dlp_scene_set(scene, "substances.body.solid.fibers", "[]", &error), DLP_OK);
    assert_int_equal(fiber_count_of(scene), 0);
    assert_survives(scene);
    dlp_scene_destroy(scene);
    assert_int_equal(dlp_memory_in_use(), 0);
}

static void blades_and_loads_know_their_solid_and_their_tracks(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene(
        HALL "\"attachments\": [{\"substance\": \"body\", \"sphere\": {\"radius\": 0.2}}], \"blades\": ["
             "{\"from\": [0, 0, 0], \"to\": [0, 1, 0]}, {\"name\": \"knife\", \"from\": [0, 0, 0], \"to\": "
             "[0, 1, 0], \"position\": {\"keys\": [[0, [0, 0, 1]], [1, [0, 0, -1]]]}, \"start\": 0.5, "
             "\"stop\": 2}], \"loads\": [{\"substance\": \"body\", \"sphere\": {\"radius\": 0.2}, \"force\": "
             "{\"keys\": [[0, [0, 0, 0]], [2, [0, 0, 8]]]}}, {\"name\": \"air\", \"substance\": \"body\", "
             "\"sphere\": {\"radius\": 2}, \"pressure\": -30}]}");
    dlp_scene_def *def = dlp_scene_def_mutable(scene);
    assert_int_equal(def->attachment_count, 1);
    assert_int_equal(def->blade_count, 2);
    assert_string_equal(def->blades[0].name, "blade0");
    assert_null(def->blades[0].position_track);
    assert_true(def->blades[0].stop == 1e30 && def->blades[0].to.y == 1);
    assert_string_equal(def->blades[1].name, "knife");
    assert_non_null(def->blades[1].position_track);
    assert_null(def->blades[1].rotation_track);
    assert_true(def->blades[1].start == 0.5 && def->blades[1].stop == 2);
    assert_int_equal(def->load_count, 2);
    assert_string_equal(def->loads[0].name, "load0");
    assert_int_equal(def->loads[0].substance_index, 0);
    assert_true(def->loads[1].pressure == -30);
    dlp_conditions at = {0};
    assert_int_equal(dlp_conditions_init(&at, def, 1, NULL), DLP_OK);
    assert_true(at.now.loads[0].force.z == 4 && at.now.blades[1].position.z == -1);
    dlp_conditions_release(&at);
    assert_survives(scene);
    dlp_scene_destroy(scene);
    assert_int_equal(dlp_memory_in_use(), 0);
}

static void a_solid_beside_a_fluid_keeps_a_lattice_of_its_own(void **state)
{
    (void)state;
    dlp_scene *scene = read_scene("{\"substances\": {\"water\": {\"material\": \"water\", " BALL
                                  "}, \"body\": {\"model\": \"solid\", " BALL "}}}");
    const dlp_scene_def *def = resolve(scene);
    assert_int_equal(def->substances[0].lattice, DLP_LATTICE_HEXAGONAL);
    assert_int_equal(def->substances[1].lattice, DLP_LATTICE_CUBIC);
    dlp_scene_destroy(scene);
}

static void what_a_solid_does_not_have_is_refused(void **state)
{
    (void)state;
    assert_mistake(BODY(", \"viscosity\": 3") "}",
                   "substances.body.viscosity: is for model sph; this substance is a solid");
    assert_mistake(BODY(", \"adapt\": {\"restraint\": true}") "}",
                   "substances.body.adapt: is for model sph or cloth; this substance is a solid");
    assert_mistake(BODY(", \"restraint\": {\"rest\": 1}") "}",
                   "substances.body.restraint: is for model sph or cloth; this substance is a solid");
    assert_mistake(BODY(", \"cloth\": {\"weight\": 1}") "}",
                   "substances.body.cloth: is for model cloth; this substance is a solid");
    assert_mistake(BODY(", \"velocity\": {\"field\": {\"name\": \"shear\"}}") "}",
                   "substances.body.velocity.field: is for model sph; this substance is a solid");
    assert_mistake("{\"substances\": {\"a\": {\"solid\": {\"youngs_modulus\": 1}, " BALL "}}}",
                   "substances.a.solid: is for model solid; this substance is smoothed particles");
    assert_mistake("{\"substances\": {\"a\": {\"model\": \"cloth\", \"density\": 1, " BALL "}}}",
                   "substances.a.density: is for model sph or solid; this substance is a cloth");
}

static void materials_of_another_model_are_refused(void **state)
{
    (void)state;
    assert_mistake("{\"substances\": {\"a\": {\"model\": \"sph\", \"material\": \"rubber\", " BALL "}}}",
                   "substances.a.material: rubber is a solid; it needs model: solid");
    assert_mistake(
        BODY(", \"material\": \"honey\"") "}",
        "substances.body.material: honey is not a solid; a solid is made of rubber, jelly, sausage, "
        "clay, ...");
    assert_mistake(BODY(", \"material\": \"silk\"") "}",
                   "substances.body.material: silk is a fabric; it needs model: cloth");
}

static void values_of_a_solid_must_make_sense(void **state)
{
    (void)state;
    assert_mistake(WITH("\"poisson_ratio\": 0.5"),
                   "substances.body.solid.poisson_ratio: must be between -0.9 and 0.495 (got 0.5)");
    assert_mistake(WITH("\"youngs_modulus\": 0"),
                   "substances.body.solid.youngs_modulus: must be > 0 (got 0)");
    assert_mistake(WITH("\"fibers\": [{\"direction\": [0, 0, 0], \"modulus\": 1}]"),
                   "substances.body.solid.fibers[0].direction: must have a finite length above 0");
    assert_mistake(WITH("\"fibers\": [{\"direction\": [0, 0, 1]}]"),
                   "substances.body.solid.fibers[0].modulus: is missing: what they add to Young's modulus in "
                   "that direction");
#define FIBER "{\"direction\": [0, 0, 1], \"modulus\": 1}"
    assert_mistake(WITH("\"fibers\": [" FIBER ", " FIBER ", " FIBER ", " FIBER "]"),
                   "substances.body.solid.fibers: has 4 entries; at most 3 are allowed");
    assert_mistake(WITH("\"support\": 0.8"),
                   "substances.body.solid.support: must be 0, or between 1.1 and 4 (got 0.8)");
    assert_mistake(WITH("\"hourglass\": -0.5"),
                   "substances.body.solid.hourglass: must be -1, or between 0 and 10 (got -0.5)");
    assert_mistake(WITH("\"law\": \"hook\""),
                   "substances.body.solid.law: must be one of neo_hookean, stvk, corotated (got \"hook\")");
    assert_mistake(WITH("\"youngs_modulo\": 1"),
                   "substances.body.solid.youngs_modulo: is not known; did you mean youngs_modulus?");
    assert_mistake("{\"substances\": {\"body\": {\"model\": \"solid\", \"particle\": {\"radius\": 1}}}}",
                   "substances.body.shape: is missing: a solid fills a shape at the start");
    assert_mistake("{\"dimension\": 2, \"substances\": {\"a\": {\"model\": \"solid\", " BALL "}}}",
                   "substances.a.model: solid needs dimension: 3");
}

static void what_a_scene_of_solids_cannot_have_is_refused(void **state)
{
    (void)state;
    assert_mistake(HALL "\"probes\": {\"p\": {\"point\": [0, 0, 0]}}}",
                   "probes: measure smoothed particles (model sph), and there are none");
    assert_mistake(
        HALL "\"surface\": {\"blend\": true}}",
        "surface.blend: must be false in a scene with solids (body): a solid keeps a surface of its "
        "own");
    assert_mistake(
        HALL "\"surface\": {\"cell\": 1}}",
        "surface.cell: must be 0, or from a quarter to 8 spacings of the particles, 0.0125 to 0.4 m "
        "(got 1)");
    assert_mistake(HALL "\"periodic\": [\"x\"], \"domain\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1]}}",
                   "periodic: must be empty in a scene with solids (body)");
    assert_mistake(
        HALL "\"emitters\": [{\"substance\": \"body\", \"position\": [0, 0, 0], \"radius\": 1, "
             "\"speed\": 1}]}",
        "emitters[0].substance: body is a solid; only smoothed particles (model sph) can be emitted");
}

static void blades_and_loads_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    assert_mistake(HALL "\"blades\": [{\"from\": [0, 0, 1], \"to\": [0, 0, 1]}]}",
                   "blades[0].to: must differ from `from`");
    assert_mistake(HALL "\"blades\": [{\"from\": [0, 0, 0], \"to\": [0, 0, 1], \"start\": 2, \"stop\": 1}]}",
                   "blades[0].stop: must be later than start (got 1 and 2)");
    assert_mistake("{\"substances\": {\"a\": {" BALL
                   "}}, \"blades\": [{\"from\": [0, 0, 0], \"to\": [0, 0, 1]}]}",
                   "blades: cut solids (model solid), and there are none");
    assert_mistake(
        HALL "\"loads\": [{\"substance\": \"bode\", \"force\": [0, 0, 1], \"sphere\": {\"radius\": 1}}]}",
        "loads[0].substance: there is no substance bode; did you mean body?");
    assert_mistake(HALL "\"loads\": [{\"substance\": \"body\", \"sphere\": {\"radius\": 1}}]}",
                   "loads[0].force: is missing: a load needs a force, a torque or a pressure");
    assert_mistake("{\"substances\": {\"a\": {" BALL
                   "}}, \"loads\": [{\"substance\": \"a\", \"pressure\": 1, "
                   "\"sphere\": {\"radius\": 1}}]}",
                   "loads[0].substance: a is neither a solid nor cloth; only these can be loaded");
    assert_mistake("{\"substances\": {\"a\": {" BALL
                   "}}, \"attachments\": [{\"substance\": \"a\", \"sphere\": "
                   "{\"radius\": 1}}]}",
                   "attachments[0].substance: a is neither cloth nor a solid; only those can be held");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shape_alone_makes_a_body_of_soft_rubber),
        cmocka_unit_test(every_key_of_a_solid_reaches_its_record),
        cmocka_unit_test(a_material_of_solids_makes_the_substance_one),
        cmocka_unit_test(a_scene_takes_over_replaces_or_empties_the_fibers_of_its_material),
        cmocka_unit_test(blades_and_loads_know_their_solid_and_their_tracks),
        cmocka_unit_test(a_solid_beside_a_fluid_keeps_a_lattice_of_its_own),
        cmocka_unit_test(what_a_solid_does_not_have_is_refused),
        cmocka_unit_test(materials_of_another_model_are_refused),
        cmocka_unit_test(values_of_a_solid_must_make_sense),
        cmocka_unit_test(what_a_scene_of_solids_cannot_have_is_refused),
        cmocka_unit_test(blades_and_loads_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
