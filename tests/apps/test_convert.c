/* Scenes of other programs: what they become, what is said of the rest, and how mistakes are told. */
#include "apps/dollop/convert.h"

#include "base/memory.h"
#include "scene/scene.h"
#include "test_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static dlp_error error;
static dlp_string written;

/* The conversion of a text, as it would be written; `written` is the whole file. */
static dlp_status convert(const char *text)
{
    error = (dlp_error){0};
    dlp_string_release(&written);
    dlp_conversion conversion = {.name = "a.json", .folder = test_folder};
    const dlp_status status = dlp_convert_text(&conversion, text, strlen(text), &error);
    if (status == DLP_OK) dlp_conversion_write(&conversion, &written);
    dlp_conversion_release(&conversion);
    return status;
}

static void assert_says(const char *words)
{
    if (strstr(written.data, words) == NULL) fail_msg("not in it: %s\n%s", words, written.data);
}

static void assert_does_not_say(const char *words)
{
    if (strstr(written.data, words) != NULL) fail_msg("in it: %s\n%s", words, written.data);
}

/* It is a scene of ours, in a build that can tell. */
static void assert_scene(void)
{
    dlp_scene *scene = NULL;
    if (!dlp_has_feature(DLP_FEATURE_YAML)) return;
    dlp_status status =
        dlp_scene_read_text(written.data, written.length, "b.yaml", test_folder, &scene, &error);
    if (status == DLP_OK) status = dlp_scene_check(scene, &error);
    if (status != DLP_OK) fail_msg("%s\n%s", error.message, written.data);
    dlp_scene_destroy(scene);
}

static void assert_converts(const char *text)
{
    if (convert(text) != DLP_OK) fail_msg("%s", error.message);
    assert_scene();
}

static void assert_refused(const char *text, const char *message)
{
    assert_int_equal(convert(text), DLP_INVALID);
    assert_string_equal(error.message, message);
    assert_int_equal(error.status, DLP_INVALID);
    assert_int_equal(dlp_memory_in_use(), 0);
}

/* Particles start a diameter within a block, so that they fill it but for a radius. */
static void a_block_becomes_what_its_particles_fill(void **state)
{
    (void)state;
    assert_converts(
        "{\"Configuration\": {\"particleRadius\": 0.05, \"stopAt\": 0.5, \"dataExportFPS\": 40},\n"
        " \"FluidBlocks\": [{\"start\": [-1, 0, -0.5], \"end\": [1, 2, 0.5],\n"
        "                  \"scale\": [0.5, 1, 1], \"translation\": [10, 0, 0]}]}");
    assert_says("box: {min: [9.55, 0.05, -0.45], max: [10.45, 1.95, 0.45]}");
    assert_says("particle: {spacing: 0.1}");
    assert_says("frames: {rate: 40, count: 20}");
    assert_says("gravity: [0, -9.81, 0]");
    assert_does_not_say("Not carried over");
}

static void materials_are_found_by_their_ids(void **state)
{
    (void)state;
    assert_converts(
        "{\"Materials\": [{\"id\": \"one\", \"density0\": 500, \"viscosity\": 0.02, \"viscosityMethod\": "
        "1},\n"
        "  {\"id\": \"2nd fluid\", \"density0\": 1200, \"viscosityMethod\": 0},\n"
        "  {\"id\": \"third\", \"viscosity\": 0.3, \"viscosityMethod\": 3}, {\"id\": \"idle\"}],\n"
        " \"FluidBlocks\": [{\"id\": \"one\", \"start\": [0, 0, 0], \"end\": [1, 1, 1]},\n"
        "  {\"id\": \"2nd fluid\", \"start\": [1, 0, 0], \"end\": [2, 1, 1], \"initialVelocity\": [0, 0, "
        "3]},\n"
        "  {\"id\": \"2nd fluid\", \"start\": [3, 0, 0], \"end\": [4, 1, 1]},\n"
        "  {\"id\": \"third\", \"start\": [5, 0, 0], \"end\": [6, 1, 1]}]}");
    assert_says("  one:\n    material: water\n    density: 500\n    viscosity: 10\n");
    assert_says("  _2nd_fluid:\n    material: water\n    density: 1200\n    viscosity: 0\n");
    assert_says("    velocity: [0, 0, 3]\n");
    assert_says("  _2nd_fluid_2:\n");
    assert_says("Materials[0].viscosity: 0.02 m2/s times the density is 10 Pa s");
    assert_says("Materials[2].viscosity: 0.3: the coefficient of method 3 is no viscosity");
    assert_says("Materials[3]: nothing is made of it");
}

/* They have one material, in the configuration, and its viscosity is dynamic. */
static void old_scenes_are_read(void **state)
{
    (void)state;
    assert_converts(
        "{\"Configuration\": {\"density0\": 900, \"viscosity\": 5000, \"viscosityMethod\": 7},\n"
        " \"FluidBlocks\": [{\"start\": [0, 0, 0], \"end\": [1, 1, 1], \"scale\": 2}],\n"
        " \"RigidBodies\": [{\"geometryFile\": \"UnitBox.obj\", \"scale\": 3, \"translation\": [0, 9, "
        "0]}]}");
    assert_says("density: 900\n    viscosity: 5000\n");
    assert_says("Configuration.viscosity: 5000 is taken as Pa s, as older versions mean it; so viscous");
    assert_says("max: [1.975, 1.975, 1.975]}");
    assert_says("{name: body0, box: {min: [-1.5, 7.5, -1.5], max: [1.5, 10.5, 1.5]}}");
    assert_refused("{\"RigidBodies\": [{\"geometryFile\": \"UnitBox.obj\", \"scale\": \"big\"}]}",
                   "a.json:1:59: RigidBodies[0].scale: must be a finite number (got \"big\")");
}

/* What is chosen by a method that is 0 has no effect there, and is not missed. */
static void effects_are_lost_only_where_they_act(void **state)
{
    (void)state;
    static const char form[] = "{\"Materials\": [{\"surfaceTension\": 0.2, \"surfaceTensionMethod\": %d}],\n"
                               " \"FluidBlocks\": [{\"start\": [0, 0, 0], \"end\": [1, 1, 1]}]}";
    char text[400];
    snprintf(text, sizeof text, form, 0);
    assert_converts(text);
    assert_does_not_say("Not carried over");
    snprintf(text, sizeof text, form, 2);
    assert_converts(text);
    assert_says("#   Materials[0].surfaceTension: surface tension\n");
}

static void elastic_matter_becomes_a_solid(void **state)
{
    (void)state;
    assert_converts(
        "{\"Materials\": [{\"elasticityMethod\": 2, \"youngsModulus\": 5e4, \"poissonsRatio\": 0.499,"
        " \"density0\": 1100}],\n"
        " \"FluidBlocks\": [{\"start\": [0, 0, 0], \"end\": [1, 1, 1]}]}");
    assert_says(
        "model: solid\n    solid: {youngs_modulus: 50000, poisson_ratio: 0.495}\n    density: 1100\n");
    assert_says("Materials[0].poissonsRatio: 0.499: at most 0.495");
}

static void walls_become_closed_containers(void **state)
{
    (void)state;
    assert_converts(
        "{\"FluidBlocks\": [{\"start\": [-0.5, 0, -0.5], \"end\": [0.5, 1, 0.5]}],\n"
        " \"RigidBodies\": [\n"
        "  {\"geometryFile\": \"m/UnitBox.obj\", \"translation\": [0, 1, 0], \"scale\": [4, 2, 1.5],\n"
        "   \"isWall\": true, \"mapInvert\": true},\n"
        "  {\"geometryFile\": \"UnitBox.obj\", \"scale\": [8, 8, 8], \"isWall\": true},\n"
        "  {\"geometryFile\": \"UnitBox.obj\", \"scale\": [6, 6, 6], \"isWall\": 1, \"mapInvert\": false},\n"
        "  {\"geometryFile\": \"UnitBox.obj\", \"translation\": [9, 0, 0], \"mapInvert\": 0},\n"
        "  {\"geometryFile\": \"UnitBox.obj\", \"translation\": [9, 2, 0], \"rotationAxis\": [0, 2, 0],\n"
        "   \"rotationAngle\": 1.5707963268, \"isDynamic\": false},\n"
        "  {\"geometryFile\": \"UnitBox.obj\", \"isDynamic\": true, \"density\": 3, \"friction\": 1}]}");
    assert_says("{name: body0, box: {min: [-2, 0, -0.75], max: [2, 2, 0.75], inside: true}, lid: true}");
    assert_says("{name: body1, box: {min: [-4, -4, -4], max: [4, 4, 4], inside: true}, lid: true}");
    assert_says("{name: body2, box: {min: [-3, -3, -3], max: [3, 3, 3], inside: true}, lid: true}");
    assert_says("{name: body3, box: {min: [8.5, -0.5, -0.5], max: [9.5, 0.5, 0.5]}}");
    assert_says("{name: body4, box: {min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5]}, rotation: [0, 90, 0], "
                "position: [9, 2, 0]}");
    assert_says("RigidBodies[5]: bodies that the fluid moves");
    assert_does_not_say("body5");
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* A tetrahedron stays a mesh; a box that is called otherwise is known by its volume. */
static void meshes_are_used_where_their_files_are(void **state)
{
    (void)state;
    write_file("tetra.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    write_file("crate.obj", "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 0 1 1\n"
                            "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
    write_file("junk.obj", "v 0 0\nf 1 2 3\n");
    assert_converts(
        "{\"FluidModels\": [{\"particleFile\": \"tetra.obj\", \"scale\": [2, 2, 2], \"translation\": "
        "[0, 5, 0]}, {\"particleFile\": \"x.bgeo\"}],\n"
        " \"RigidBodies\": [{\"geometryFile\": \"tetra.obj\", \"scale\": [3, 3, 3]},\n"
        "  {\"geometryFile\": \"crate.obj\", \"scale\": [1, 2, 3]},\n"
        "  {\"geometryFile\": \"tetra.obj\", \"scale\": [1, 2, 1]},\n"
        "  {\"geometryFile\": \"junk.obj\"}, {\"geometryFile\": \"no\\nsuch.obj\"},\n"
        "  {\"particleFile\": \"p.bgeo\"}]}");
    assert_says("- {mesh: {file: tetra.obj}, scale: 2, position: [0, 5, 0]}");
    assert_says("{name: body0, mesh: {file: tetra.obj}, scale: 3}");
    assert_says("{name: body1, box: {min: [0, 0, 0], max: [2, 2, 3]}}");
    assert_says("RigidBodies[2].scale: [1, 2, 1]: a mesh has one scale");
    assert_says("RigidBodies[3].geometryFile: ");
    assert_says("RigidBodies[4].geometryFile: no.such.obj: is not there");
    assert_says("RigidBodies[5].geometryFile: is missing");
    assert_says("FluidModels[1].particleFile: x.bgeo: particles of this format are not read");
}

/* Width counts along the emitter's z axis, height along its y axis; it points along x. */
static void emitters_keep_direction_and_size(void **state)
{
    (void)state;
    assert_converts(
        "{\"Configuration\": {\"particleRadius\": 0.01}, \"Materials\": [{\"maxEmitterParticles\": 900}],\n"
        " \"Emitters\": [{\"width\": 6, \"height\": 3, \"translation\": [0, 1, 2], \"velocity\": 2,\n"
        "   \"emitStartTime\": 0.5, \"emitEndTime\": 4},\n"
        "  {\"width\": 6, \"height\": 3, \"rotationAxis\": [0, 0, 1], \"rotationAngle\": -1.570796326795},\n"
        "  {\"width\": 6, \"height\": 3, \"rotationAxis\": [1, 0, 0], \"rotationAngle\": 0.5},\n"
        "  {\"type\": 1, \"width\": 8, \"rotationAxis\": [0, 1, 0], \"rotationAngle\": 3.14159265}]}");
    assert_says("{substance: Fluid, position: [0, 1, 2], direction: [1, 0, 0], size: [0.06, 0.12], speed: 2, "
                "start: 0.5, stop: 4, limit: 900}");
    assert_says("direction: [0, -1, 0], size: [0.06, 0.12], speed: 1, limit: 900}");
    assert_says("Emitters[2].rotationAxis: the mouth is turned");
    assert_says("direction: [-1, 0, 0], radius: 0.08, speed: 1");
    assert_does_not_say("shape:");
}

/* In the plane an emitter's axis is z, whatever it says, and a round one's width is its height. */
static void scenes_of_the_plane_stay_there(void **state)
{
    (void)state;
    assert_converts(
        "{\"Configuration\": {\"sim2D\": true, \"particleRadius\": 0.02, \"cameraPosition\": [0, 0, 8],\n"
        "  \"gravitation\": [0, -1.62, 0]},\n"
        " \"Fluid\": {\"density0\": 700, \"vorticity\": 1, \"vorticityMethod\": 1},\n"
        " \"FluidBlocks\": [{\"start\": [-1, 0, -0.5], \"end\": [1, 1, 0.5]}],\n"
        " \"RigidBodies\": [{\"geometryFile\": \"UnitBox.obj\", \"translation\": [0, 2, 0],\n"
        "   \"scale\": [4, 4, 0.5], \"isWall\": true}, {\"geometryFile\": \"UnitBox.obj\",\n"
        "   \"translation\": [0, 3, 0], \"rotationAngle\": 0.5235987756},\n"
        "  {\"geometryFile\": \"UnitBox.obj\", \"rotationAxis\": [1, 0, 0], \"rotationAngle\": 1}],\n"
        " \"Emitters\": [{\"type\": 1, \"width\": 5, \"height\": 2, \"rotationAxis\": [0, 1, 0],\n"
        "   \"rotationAngle\": 3.1415926536, \"translation\": [1.5, 2.5, 0.1]}]}");
    assert_says("dimension: 2\n");
    assert_says("gravity: [0, -1.62]\n");
    assert_says("density: 700\n");
    assert_says("box: {min: [-0.98, 0.02], max: [0.98, 0.98]}");
    assert_says("{name: body0, box: {min: [-2, 0], max: [2, 4], inside: true}, lid: true}");
    assert_says("rotation: [0, 0, 30], position: [0, 3]}");
    assert_says("RigidBodies[2].rotationAxis: turns out of the plane z = 0");
    assert_says("position: [1.5, 2.5], direction: [-1, 0], radius: 0.1, speed: 1}");
    assert_says("Configuration.cameraPosition: pictures of the plane show all of it");
    assert_says("Fluid.vorticity: added vorticity");
    assert_does_not_say("Fluid: is not known");
}

static void what_is_left_out_is_named_with_its_place(void **state)
{
    (void)state;
    assert_converts(
        "{\"Configuration\": {\"timeStepSize\": 0.001, \"maxError\": 1, \"pause\": true, \"gravty\": 3,\n"
        "  \"pause\": false, \"cameraPosition\": [1, 2, 3]},\n"
        " \"AnimationFields\": [{}], \"HingeJoints\": [], \"Simulation\": {}, \"What\\u2028ever\": 1,\n"
        " \"FluidBlocks\": [{\"start\": [0, 0, 0], \"end\": [1, 1, 1], \"denseMode\": 2, \"odd\": null},\n"
        "  {\"start\": [0, 0, 0]}, {\"start\": [0, 0, 0], \"end\": [0, 1, 1]}]}");
    assert_says("#   Configuration: timeStepSize, maxError: of its own solvers and steps\n");
    assert_says("#   Configuration: pause: of its own display\n");
    assert_says("#   Configuration.gravty: is not known\n");
    assert_says("#   Configuration.pause: is given twice; the first one counts\n");
    assert_says("#   AnimationFields: fields that move particles");
    assert_says("#   HingeJoints: bodies that move each other");
    assert_says("#   Simulation: bodies that move each other");
    assert_says("#   What...ever: is not known\n"); /* YAML would end the comment at that character */
    assert_says("#   FluidBlocks[0]: denseMode: of how it samples");
    assert_says("#   FluidBlocks[0].odd: is not known\n");
    assert_says("#   FluidBlocks[1]: a block needs its start and its end\n");
    assert_says("#   FluidBlocks[2]: is empty\n");
    assert_says("#   Configuration.stopAt: the scene has no end; ours has 100 frames\n");
    assert_says("camera: {from: [1, 2, 3], to: [0, 0, 0], angle: 40}\n");
}

static void mistakes_are_told_by_line_and_column(void **state)
{
    (void)state;
    assert_refused("{\"Configuration\": {\n  \"particleRadius\": 0.1\n  \"sim2D\": true}}",
                   "a.json:3:3: expected , or }");
    assert_refused("{\"FluidBlocks\": [", "a.json:1:18: a value is missing");
    assert_refused("{\"Configuration\": {}} x", "a.json:1:23: something follows the end");
    assert_refused(
        "{\"Configuration\": {\"particleRadius\": NaN, \"stopAt\": 1e999, \"gravitation\": [0, 1]},\n"
        " \"FluidBlocks\": [{\"start\": [0, \"0\", 0], \"end\": 3}, 7],\n"
        " \"Emitters\": {\"width\": -1}, \"RigidBodies\": [{\"isDynamic\": \"yes\"}]}",
        "a.json:1:38: Configuration.particleRadius: must be a finite number (got NaN)\n"
        "a.json:2:32: FluidBlocks[0].start[1]: must be a finite number (got \"0\")\n"
        "a.json:2:48: FluidBlocks[0].end: must be a list of three numbers (got 3)\n"
        "a.json:2:52: FluidBlocks[1]: must be an object (got 7)\n"
        "a.json:3:14: Emitters: must be a list (got a list or an object)\n"
        "a.json:3:59: RigidBodies[0].isDynamic: must be true or false (got \"yes\")\n"
        "a.json:1:53: Configuration.stopAt: must be a finite number (got 1e999)\n"
        "a.json:1:75: Configuration.gravitation: must be a list of three numbers (got a list or an "
        "object)");
    assert_refused("{\"Configuration\": {\"particleRadius\": 0}, \"FluidBlocks\": []}",
                   "a.json:1:38: Configuration.particleRadius: must be above 0 (got 0)");
}

static void what_is_no_such_scene_is_refused(void **state)
{
    (void)state;
    static const char unknown[] = "a.json: is no scene of a program that is known: SPlisHSPlasH";
    assert_refused("", unknown);
    assert_refused("[]", unknown);
    assert_refused("{\"frames\": 3}", unknown);
    assert_refused("{\"Configuration\": 3}", unknown);
    assert_refused("{\"substances\": {}}", "a.json: is a scene of Dollop already");
    assert_refused("{\"Configuration\": {}}",
                   "a.json: nothing flows in it that can be carried over; a scene needs a substance");
    assert_refused("substances:\n  water: {}\n", unknown);
    assert_int_equal(convert("{\"Configuration\xff\": {}}"), DLP_INVALID);
    assert_non_null(strstr(error.message, "is not UTF-8 text"));
    assert_converts("\xef\xbb\xbf{\"FluidBlocks\": [{\"start\": [0, 0, 0], \"end\": [1, 1, 1]}]}");
}

/* Nothing overflows: what is too large for a scene is a message of the scene, or left out. */
static void huge_numbers_do_no_harm(void **state)
{
    (void)state;
    const dlp_status status = convert(
        "{\"Configuration\": {\"particleRadius\": 1e-300, \"stopAt\": 1e300, \"dataExportFPS\": 1e300},\n"
        " \"FluidBlocks\": [{\"start\": [-1e300, -1e300, -1e300], \"end\": [1e300, 1e300, 1e300],\n"
        "   \"scale\": [1e300, 1, 1]}, {\"start\": [0, 0, 0], \"end\": [1e308, 1, 1]}],\n"
        " \"RigidBodies\": [{\"geometryFile\": \"UnitBox.obj\", \"scale\": [1e308, 1e308, 1e308],\n"
        "   \"translation\": [1e308, 0, 0], \"rotationAxis\": [1e300, 1e300, 0], \"rotationAngle\": "
        "1e300}],\n"
        " \"Emitters\": [{\"width\": 1e300, \"height\": 1e-300, \"velocity\": -1e300, \"emitStartTime\": "
        "-5,\n"
        "   \"emitEndTime\": -1e300, \"type\": 1e300, \"rotationAxis\": [0, 0, 0], \"rotationAngle\": 1}]}");
    assert_int_equal(status, DLP_OK);
    assert_says("frames: {rate: 1e+300, count: 10000000}");
    assert_says("direction: [-1, 0, 0]");
    assert_says("stop: 0}");
    assert_does_not_say("nan");
}

static int forget(void **state)
{
    (void)state;
    dlp_string_release(&written);
    assert_int_equal(dlp_memory_in_use(), 0);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_block_becomes_what_its_particles_fill, forget),
        cmocka_unit_test_teardown(materials_are_found_by_their_ids, forget),
        cmocka_unit_test_teardown(old_scenes_are_read, forget),
        cmocka_unit_test_teardown(effects_are_lost_only_where_they_act, forget),
        cmocka_unit_test_teardown(elastic_matter_becomes_a_solid, forget),
        cmocka_unit_test_teardown(walls_become_closed_containers, forget),
        cmocka_unit_test_teardown(meshes_are_used_where_their_files_are, forget),
        cmocka_unit_test_teardown(emitters_keep_direction_and_size, forget),
        cmocka_unit_test_teardown(scenes_of_the_plane_stay_there, forget),
        cmocka_unit_test_teardown(what_is_left_out_is_named_with_its_place, forget),
        cmocka_unit_test_teardown(mistakes_are_told_by_line_and_column, forget),
        cmocka_unit_test_teardown(what_is_no_such_scene_is_refused, forget),
        cmocka_unit_test_teardown(huge_numbers_do_no_harm, forget),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
