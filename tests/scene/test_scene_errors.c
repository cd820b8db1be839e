/* What a scene answers to mistakes, word by word. */
#include "base/memory.h"
#include "scene/scene.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static dlp_error error;

static dlp_status check_bytes(const char *text, size_t length, const char *name)
{
    dlp_scene *scene = NULL;
    error = (dlp_error){0};
    dlp_status status = dlp_scene_read_text(text, length, name, NULL, &scene, &error);
    if (status == DLP_OK) status = dlp_scene_check(scene, &error);
    dlp_scene_destroy(scene);
    assert_int_equal(dlp_memory_in_use(), 0);
    if (status != DLP_OK) assert_int_equal(error.status, status);
    return status;
}

static dlp_status check_text(const char *text)
{
    return check_bytes(text, strlen(text), "a.yaml");
}

#if DLP_HAVE_YAML

static void assert_mistake(const char *text, const char *expected)
{
    assert_int_equal(check_text(text), DLP_INVALID);
    assert_string_equal(error.message, expected);
}

// A good scene but for the lines that are added; they start in line 4, column 5, as keys of the substance.
static void assert_substance_mistake(const char *lines, const char *expected)
{
    char text[4096];
    snprintf(text, sizeof text, "substances:\n  honey:\n    shape: {sphere: {radius: 1}}\n%s%s", lines,
             strstr(lines, "particle") != NULL ? "" : "\n    particle: {radius: 0.01}\n");
    assert_mistake(text, expected);
}

// Likewise, with keys of the scene from line 2 on.
static void assert_scene_mistake(const char *lines, const char *expected)
{
    char text[4096];
    snprintf(text, sizeof text,
             "substances: {honey: {shape: {sphere: {radius: 1}}, particle: {radius: 0.01}}}\n%s", lines);
    assert_mistake(text, expected);
}

static void a_value_out_of_range_is_named_with_its_place(void **state)
{
    (void)state;
    assert_substance_mistake("    viscosity: -3",
                             "a.yaml:4:16: substances.honey.viscosity: must be ≥ 0 (got -3)");
    assert_substance_mistake("    density: 0", "a.yaml:4:14: substances.honey.density: must be > 0 (got 0)");
    assert_substance_mistake("    cohesion: 1.5",
                             "a.yaml:4:15: substances.honey.cohesion: must be between 0 and 1 (got 1.5)");
    assert_substance_mistake("    color: [0, 2, 0]",
                             "a.yaml:4:16: substances.honey.color: must be between 0 and 1 (got 2)");
    assert_substance_mistake(
        "    velocity: {spin: {rate: 1e30}}",
        "a.yaml:4:29: substances.honey.velocity.spin.rate: must be between -1000000000 and "
        "1000000000 (got 1e30)");
    assert_scene_mistake("dimension: 4", "a.yaml:2:12: dimension: must be 2 or 3 (got 4)");
    assert_scene_mistake("version: 2", "a.yaml:2:10: version: must be 1 (got 2)");
    assert_scene_mistake("time: {courant: 0}", "a.yaml:2:17: time.courant: must be > 0 and ≤ 1 (got 0)");
    assert_scene_mistake("time: {ratio: 6}", "a.yaml:2:15: time.ratio: must be a power of two (got 6)");
}

static void numbers_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    assert_substance_mistake(
        "    viscosity: .nan",
        "a.yaml:4:16: substances.honey.viscosity: must be a finite number (got \".nan\")");
    assert_substance_mistake(
        "    viscosity: .inf",
        "a.yaml:4:16: substances.honey.viscosity: must be a finite number (got \".inf\")");
    assert_substance_mistake(
        "    viscosity: NaN",
        "a.yaml:4:16: substances.honey.viscosity: must be a finite number (got \"NaN\")");
    assert_substance_mistake("    viscosity: 1e999",
                             "a.yaml:4:16: substances.honey.viscosity: must be a finite number (got 1e999)");
    assert_scene_mistake("gravity: [0, 0, -.inf]",
                         "a.yaml:2:17: gravity: must be a finite number (got \"-.inf\")");
    assert_scene_mistake("frames: {count: 1e999}",
                         "a.yaml:2:17: frames.count: must be a whole number (got 1e999)");
}

static void a_wrong_type_says_what_is_wanted(void **state)
{
    (void)state;
    assert_substance_mistake("    viscosity: thick",
                             "a.yaml:4:16: substances.honey.viscosity: must be a number (got \"thick\")");
    assert_substance_mistake("    viscosity: \"3\"",
                             "a.yaml:4:16: substances.honey.viscosity: must be a number (got \"3\")");
    assert_substance_mistake("    viscosity: [1, 2]",
                             "a.yaml:4:16: substances.honey.viscosity: must be a number (got a list of 2)");
    assert_substance_mistake("    viscosity: {a: 1}",
                             "a.yaml:4:16: substances.honey.viscosity: must be a number (got a map)");
    assert_substance_mistake("    viscosity: 0x10",
                             "a.yaml:4:16: substances.honey.viscosity: must be a number (got \"0x10\")");
    assert_substance_mistake("    viscosity:", "a.yaml:4:15: substances.honey.viscosity: has no value");
    assert_substance_mistake("    adapt: {time: yes}",
                             "a.yaml:4:19: substances.honey.adapt.time: must be true or false (got \"yes\")");
    assert_scene_mistake("frames: {count: 2.5}",
                         "a.yaml:2:17: frames.count: must be a whole number (got 2.5)");
    assert_scene_mistake("frames: {count: 3000000000}",
                         "a.yaml:2:17: frames.count: must be a whole number (got 3000000000)");
    assert_scene_mistake("gravity: 9.81", "a.yaml:2:10: gravity: must be a list of 3 numbers (got 9.81)");
    assert_scene_mistake("gravity: [0, -9.81]",
                         "a.yaml:2:10: gravity: must be a list of 3 numbers (got a list of 2)");
    assert_scene_mistake("frames: 100", "a.yaml:2:9: frames: must be a map of keys (got 100)");
    assert_scene_mistake("obstacles: {box: 1}", "a.yaml:2:12: obstacles: must be a list (got a map)");
    assert_scene_mistake("title: [a]", "a.yaml:2:8: title: must be a text (got a list of 1)");
    assert_scene_mistake("probes: [1]", "a.yaml:2:9: probes: must be a map of names (got a list of 1)");
    assert_scene_mistake("periodic: [w]",
                         "a.yaml:2:12: periodic: must be a list of axes: x, y, z (got \"w\")");
}

static void an_unknown_key_gets_the_nearest_known_one(void **state)
{
    (void)state;
    assert_substance_mistake("    viscocity: 3",
                             "a.yaml:4:5: substances.honey.viscocity: is not known; did you mean viscosity?");
    assert_substance_mistake("    colour: [0, 0, 0]",
                             "a.yaml:4:5: substances.honey.colour: is not known; did you mean color?");
    assert_substance_mistake("    Density: 3",
                             "a.yaml:4:5: substances.honey.Density: is not known; did you mean density?");
    assert_substance_mistake("    densitiy: 3",
                             "a.yaml:4:5: substances.honey.densitiy: is not known; did you mean density?");
    assert_substance_mistake("    stiff: 3",
                             "a.yaml:4:5: substances.honey.stiff: is not known; did you mean stiffness?");
    assert_substance_mistake(
        "    artificial: 3",
        "a.yaml:4:5: substances.honey.artificial: is not known; did you mean artificial_viscosity?");
    assert_int_equal(check_text("title: a\nxylophone: 3\n"), DLP_INVALID);
    assert_non_null(strstr(error.message, "a.yaml:2:1: xylophone: is not known; known are version, title, "
                                          "dimension, frames, gravity, "));
    assert_scene_mistake("obstacle: []", "a.yaml:2:1: obstacle: is not known; did you mean obstacles?");
    assert_scene_mistake("garvity: [0, 0, 0]", "a.yaml:2:1: garvity: is not known; did you mean gravity?");
    assert_scene_mistake("obstacles: [{shpere: {radius: 1}, sphere: {radius: 1}}]",
                         "a.yaml:2:14: obstacles[0].shpere: is not known; did you mean sphere?");
}

static void an_unknown_word_gets_the_nearest_known_one(void **state)
{
    (void)state;
    assert_substance_mistake("    kernel: wenland",
                             "a.yaml:4:13: substances.honey.kernel: must be one of desbrun, spline, "
                             "wendland, muller (got \"wenland\"); did you mean wendland?");
    assert_substance_mistake(
        "    material: hony",
        "a.yaml:4:15: substances.honey.material: \"hony\" is not known; did you mean honey?");
    assert_substance_mistake(
        "    material: plutonium",
        "a.yaml:4:15: substances.honey.material: \"plutonium\" is not known; known are water, oil, "
        "glycerin, syrup, honey, mud, butter, lava, cotton, silk, wool, denim, canvas, rubber_sheet, "
        "rubber, jelly, sausage, towel, sheet_metal, clay");
    assert_scene_mistake(
        "emitters: [{substance: hony, position: [0, 0, 1], radius: 1, speed: 1}]",
        "a.yaml:2:24: emitters[0].substance: there is no substance hony; did you mean honey?");
    assert_scene_mistake("emitters: [{substance: glue, position: [0, 0, 1], radius: 1, speed: 1}]",
                         "a.yaml:2:24: emitters[0].substance: there is no substance glue; there is honey");
    // also where the record has other mistakes
    assert_scene_mistake("emitters: [{substance: glue, position: [0, 0, 1], radius: 1}]",
                         "a.yaml:2:12: emitters[0].speed: is missing: of what comes out; 0 closes it\n"
                         "a.yaml:2:24: emitters[0].substance: there is no substance glue; there is honey");
    assert_scene_mistake("probes: {a: {body: bowel}}",
                         "a.yaml:2:20: probes.a.body: there is no obstacle bowel; there is none");
    assert_scene_mistake("obstacles: [{name: bowl, sphere: {radius: 1}}]\nprobes: {a: {body: bowel}}",
                         "a.yaml:3:20: probes.a.body: there is no obstacle bowel; did you mean bowl?");
}

static void what_comes_later_is_said_to_come_later(void **state)
{
    (void)state;
    assert_substance_mistake("    model: flip",
                             "a.yaml:4:12: substances.honey.model: flip is not available in this version");
    assert_substance_mistake("    model: rigid",
                             "a.yaml:4:12: substances.honey.model: rigid is not available in this version");
    assert_substance_mistake("    adapt: {levels: 4}",
                             "a.yaml:4:21: substances.honey.adapt.levels: must be between 0 and 3 (got 4)");
    assert_scene_mistake(
        "surface: {kind: rough}",
        "a.yaml:2:17: surface.kind: must be one of none, iso, active, anisotropic (got \"rough\")");
    assert_int_equal(check_text("substances: {a: {shape: {sphere: {radius: 1}}, particle: {radius: 0.1}, "
                                "adapt: {space: false, restraint: false, time: true}}}"),
                     DLP_OK);
}

static void all_mistakes_are_told_at_once_in_the_order_of_the_file(void **state)
{
    (void)state;
    assert_mistake("frames: {rate: 0, cuont: 3}\n"
                   "gravity: [0, 0]\n"
                   "obstacles:\n"
                   "  - sphere: {radius: -1}\n"
                   "  - friction: 3\n"
                   "substances:\n"
                   "  honey:\n"
                   "    viscosity: -3\n"
                   "    particle: {smoothing: x}\n",
                   "a.yaml:1:16: frames.rate: must be > 0 (got 0)\n"
                   "a.yaml:1:19: frames.cuont: is not known; did you mean count?\n"
                   "a.yaml:2:10: gravity: must be a list of 3 numbers (got a list of 2)\n"
                   "a.yaml:4:22: obstacles[0].sphere.radius: must be > 0 (got -1)\n"
                   "a.yaml:5:5: obstacles[1]: has no shape; it needs one of box, sphere, cylinder, capsule, "
                   "torus, cone, "
                   "sheet, mesh, height, plane, union, difference, intersection\n"
                   "a.yaml:8:16: substances.honey.viscosity: must be ≥ 0 (got -3)\n"
                   "a.yaml:9:5: substances.honey.particle.radius: is missing: finest size: radius of a "
                   "sphere (2-D: disc) "
                   "of the particle's rest volume; or give `spacing`\n"
                   "a.yaml:9:27: substances.honey.particle.smoothing: must be a number (got \"x\")");
}

static void thousands_of_mistakes_are_counted(void **state)
{
    (void)state;
    char text[40000] = "obstacles:\n";
    for (int k = 0; k < 3000; k++) strcat(text, "  - 3\n");
    assert_int_equal(check_text(text), DLP_INVALID);
    assert_non_null(strstr(error.message, "\n... and "));
    assert_true(strlen(error.message) < sizeof error.message);
}

// The list of mistakes ends before the substances are looked at.
static void more_mistakes_than_are_kept_hide_no_crash(void **state)
{
    (void)state;
    char text[20000] = "substances: {a: {particle: {radius: 0.1}}}\n";
    size_t length = strlen(text);
    for (int k = 0; k < 900; k++)
        length += (size_t)snprintf(text + length, sizeof text - length, "k%d: 0\n", k);
    assert_int_equal(check_text(text), DLP_INVALID);
    assert_non_null(strstr(error.message, "\n... and "));
}

static void a_refused_dimension_does_not_reach_later_checks(void **state)
{
    (void)state;
    assert_scene_mistake("dimension: 6\nperiodic: [x]\ndomain: {min: [0, 0, 0], max: [1, 1, 1]}",
                         "a.yaml:2:12: dimension: must be 2 or 3 (got 6)");
}

static void shapes_must_make_sense(void **state)
{
    (void)state;
    assert_scene_mistake("obstacles: [{box: {min: [0, 0, 0], max: [1, 0, 1]}}]",
                         "a.yaml:2:36: obstacles[0].box.max: must be greater than min along y (got 0 and 0)");
    assert_scene_mistake("obstacles: [{cylinder: {from: [0, 0, 0], to: [0, 0, 0], radius: 1}}]",
                         "a.yaml:2:42: obstacles[0].cylinder.to: must differ from `from`");
    assert_scene_mistake("obstacles: [{torus: {radius: 1, tube: 1}}]",
                         "a.yaml:2:39: obstacles[0].torus.tube: must be smaller than radius (got 1 and 1)");
    assert_scene_mistake("obstacles: [{sheet: {normal: [0, 0, 0], size: [1, 1], thickness: 0.1}}]",
                         "a.yaml:2:22: obstacles[0].sheet.normal: must have a finite length above 0");
    assert_scene_mistake("obstacles: [{sphere: {radius: 1}, box: {min: [0, 0, 0], max: [1, 1, 1]}}]",
                         "a.yaml:2:13: obstacles[0]: has both box and sphere; only one shape is allowed");
    assert_scene_mistake(
        "obstacles: [{union: [{sphere: {radius: 1}}], intersection: [{sphere: {radius: 1}}]}]",
        "a.yaml:2:13: obstacles[0]: has both union and intersection; only one shape is "
        "allowed");
    assert_scene_mistake("obstacles: [{union: []}]",
                         "a.yaml:2:14: obstacles[0].union: must have at least one shape");
    assert_scene_mistake(
        "obstacles: [{sphere: {radius: 1}, copies: {count: [2, 1, 1], spacing: [0, 1, 1]}}]",
        "a.yaml:2:62: obstacles[0].copies.spacing: must not be zero along x, where there are 2 copies");
    assert_scene_mistake(
        "obstacles: [{sphere: {radius: 1}, copies: {count: [1000, 1000, 1], spacing: [1, 1, 1]}}]",
        "a.yaml:2:44: obstacles[0].copies.count: makes 1000000 copies; at most 100000 are allowed");
    assert_scene_mistake(
        "obstacles: [{height: {min: [0, 0], max: [1, 1], values: [0, 1, 2], columns: 2}}]",
        "a.yaml:2:49: obstacles[0].height.values: must be at least 2 whole rows (got 3 values in rows of 2)");
    assert_scene_mistake("obstacles: [{height: {min: [0, 0], max: [1, 1]}}]",
                         "a.yaml:2:14: obstacles[0].height.values: is missing: give values or a file");
    assert_scene_mistake(
        "obstacles: [{mesh: {file: no-such.obj}}]",
        "a.yaml:2:27: obstacles[0].mesh.file: cannot open \"no-such.obj\" (No such file or directory)");
    assert_scene_mistake("obstacles: [{mesh: {file: tests}}]",
                         "a.yaml:2:27: obstacles[0].mesh.file: cannot open \"tests\" (Is a directory)");
    assert_mistake(
        "substances: {a: {particle: {radius: 1}, shape: {sphere: {radius: 1, inside: true}}}}",
        "a.yaml:1:41: substances.a.shape: is unbounded (inside: true); a substance needs a bounded shape");
}

static void emitters_sinks_and_probes_must_make_sense(void **state)
{
    (void)state;
    assert_scene_mistake("emitters: [{substance: honey, position: [0, 0, 0], speed: 1}]",
                         "a.yaml:2:12: emitters[0].radius: is missing: the mouth needs a radius or a size");
    assert_scene_mistake(
        "emitters: [{substance: honey, position: [0, 0, 0], speed: 1, radius: 1, direction: [0, 0, 0]}]",
        "a.yaml:2:73: emitters[0].direction: must not be zero");
    assert_scene_mistake("sinks: [{sphere: {radius: 1}, start: 2, stop: 1}]",
                         "a.yaml:2:47: sinks[0].stop: must be later than start (got 1 and 2)");
    assert_scene_mistake("probes: {a: {line: {from: [0, 0, 0], to: [0, 0, 1]}, radius: 1}}",
                         "a.yaml:2:62: probes.a.radius: is of a point; this probe has none");
    assert_scene_mistake("probes: {a: {point: [0, 0, 0], rate: 100}, b: {point: [0, 0, 0], rate: 200}}",
                         "a.yaml:2:72: probes.b.rate: must be that of a, 100 (got 200): all samples "
                         "stand in one table");
    assert_scene_mistake("frames: {rate: 0.001}\nprobes: {a: {point: [0, 0, 0], rate: 1000}}",
                         "a.yaml:3:38: probes.a.rate: must be at most 100000 samples per frame (got 1e+06)");
    assert_scene_mistake("probes: {a: {point: [0, 0, 0], measure: flux}}",
                         "a.yaml:2:41: probes.a.measure: does not fit a point, which measures pressure, "
                         "density, velocity or temperature");
    assert_scene_mistake("probes: {a: {line: {from: [0, 0, 0], to: [0, 0, 1]}, measure: pressure}}",
                         "a.yaml:2:63: probes.a.measure: does not fit a line, which measures height");
    assert_scene_mistake("probes: {a: {measure: flux}}",
                         "a.yaml:2:10: probes.a: has no place; it needs one of point, line, plane, body");
    assert_scene_mistake("obstacles: [{name: a, sphere: {radius: 1}}, {name: a, sphere: {radius: 1}}]",
                         "a.yaml:2:52: obstacles[1].name: a is the name of obstacles[0], too");
    assert_scene_mistake(
        "obstacles: [{name: a b, sphere: {radius: 1}}]",
        "a.yaml:2:20: obstacles[0].name: must be a name: a letter, then letters, digits, _ and -, "
        "at most 64 in all (got \"a b\")");
}

static void substances_must_agree_and_come_from_somewhere(void **state)
{
    (void)state;
    assert_mistake("substances: {}",
                   "a.yaml:1:1: substances: is missing: a scene needs at least one substance");
    assert_mistake("title: x", "a.yaml:1:1: substances: is missing: a scene needs at least one substance");
    assert_mistake(
        "substances:\n  a: {particle: {radius: 1}}",
        "a.yaml:2:3: substances.a: has no source; give it a shape, points, or an emitter that emits it");
    assert_mistake("substances:\n"
                   "  a: {particle: {radius: 1}, shape: {sphere: {radius: 1}}}\n"
                   "  b: {material: water, particle: {radius: 1}, shape: {sphere: {radius: 1}}}\n",
                   "a.yaml:3:3: substances.b.kernel: is wendland, but substances.a.kernel is desbrun; "
                   "all smoothed particles of a scene share it");
    assert_mistake(
        "substances:\n"
        "  a: {particle: {radius: 1}, shape: {sphere: {radius: 1}}}\n"
        "  b: {particle: {radius: 1, lattice: cubic}, shape: {sphere: {radius: 1}}}\n",
        "a.yaml:3:38: substances.b.particle.lattice: is cubic, but substances.a.particle.lattice is "
        "hexagonal; all smoothed particles of a scene share it");
    assert_mistake("substances: {a: {particle: {radius: 1, spacing: 2}, shape: {sphere: {radius: 1}}}}",
                   "a.yaml:1:37: substances.a.particle.radius: excludes spacing; give one of them");
    assert_mistake(
        "substances: {1a: {}}",
        "a.yaml:1:14: substances: \"1a\" is not a name; a name is a letter, then letters, digits, _ and -, "
        "at most 64 in all");
}

static void periodic_axes_need_a_domain(void **state)
{
    (void)state;
    assert_scene_mistake("periodic: [x]",
                         "a.yaml:1:1: domain: is missing: periodic axes need a box to wrap around");
    assert_scene_mistake(
        "periodic: [y]\ndomain: {min: [0, 1, 0], max: [1, 1, 1]}",
        "a.yaml:3:26: domain.max: must be greater than min along the periodic axis y (got 1 and 1)");
    assert_scene_mistake("dimension: 2\nperiodic: [z]",
                         "a.yaml:3:12: periodic: z is not an axis of a 2-D scene");
}

static void a_plane_scene_stays_in_its_plane(void **state)
{
    (void)state;
    assert_scene_mistake("dimension: 2\ngravity: [0, 0, -9.81]",
                         "a.yaml:3:10: gravity: must have z = 0 in a 2-D scene");
    assert_scene_mistake(
        "dimension: 2\nobstacles: [{sphere: {radius: 1}, rotation: [90, 0, 0]}]",
        "a.yaml:3:45: obstacles[0].rotation: must be about z alone in a 2-D scene: [0, 0, ...]");
}

static void key_frames_are_checked(void **state)
{
    (void)state;
    assert_substance_mistake("    density: {keys: [[0, 1]]}",
                             "a.yaml:4:14: substances.honey.density: cannot have key frames");
    assert_substance_mistake(
        "    viscosity: {keys: [[0, 1], [0, 2]]}",
        "a.yaml:4:32: substances.honey.viscosity: times of key frames must grow (got 0 after 0)");
    assert_substance_mistake("    viscosity: {keys: [[0, 1], [1, -2]]}",
                             "a.yaml:4:36: substances.honey.viscosity: must be ≥ 0 (got -2)");
    assert_substance_mistake(
        "    viscosity: {keys: [[0, 1, 2]]}",
        "a.yaml:4:24: substances.honey.viscosity: a key frame must be [time, value] (got a list of 3)");
    assert_substance_mistake(
        "    viscosity: {keys: []}",
        "a.yaml:4:23: substances.honey.viscosity: key frames must be a list of [time, value]");
    assert_substance_mistake(
        "    viscosity: {keys: [[.nan, 1]]}",
        "a.yaml:4:25: substances.honey.viscosity: must be a finite number (got \".nan\")");
    assert_substance_mistake(
        "    viscosity: {keys: [[0, 1]], smoth: true}",
        "a.yaml:4:33: substances.honey.viscosity: smoth is not allowed beside key frames; "
        "allowed are keys and smooth");
    assert_scene_mistake("gravity: {keys: [[0, 1]]}",
                         "a.yaml:2:22: gravity: must be a list of 3 numbers (got 1)");
}

static void a_text_that_is_no_yaml_is_told_with_its_place(void **state)
{
    (void)state;
    assert_mistake(
        "a: [1, 2",
        "a.yaml:2:1: while parsing a flow sequence that starts in line 1, did not find expected ',' or ']'");
    assert_mistake("a: *x", "a.yaml:1:4: no anchor &x is complete before this alias");
    assert_mistake("a: !!int 1", "a.yaml:1:4: tags are not allowed");
    assert_mistake("a: 1\n---\nb: 2", "a.yaml:3:1: a scene is one document; this is a second one");
    assert_mistake("[1, 2]: 3", "a.yaml:1:1: a key must be a word, not a list or a map");
    assert_mistake("[1, 2]", "a.yaml:1:1: must be a map of keys (got a list of 2)");
    assert_mistake("hello", "a.yaml:1:1: must be a map of keys (got \"hello\")");
    assert_mistake("title: \"a\\0b\"", "a.yaml:1:8: a text must not contain the character 0");
}

static void a_key_given_twice_is_told_beside_all_other_mistakes(void **state)
{
    (void)state;
    assert_mistake("title: a\n"
                   "title: b\n"
                   "frames: {rate: -1, count: 3, count: 4}\n"
                   "substances:\n"
                   "  honey: {shape: {sphere: {radius: 1, radius: 2}}, particle: {radius: 0.01}}\n"
                   "  honey: {nonsense: 3}\n"
                   "obstacles:\n"
                   "  - {sphere: {radius: 1}, position: {keys: [[0, [0, 0, 0]]], keys: []}}\n"
                   "title: c\n",
                   "a.yaml:2:1: title: is given twice (first in line 1)\n"
                   "a.yaml:3:16: frames.rate: must be > 0 (got -1)\n"
                   "a.yaml:3:30: frames.count: is given twice (first in line 3)\n"
                   "a.yaml:5:39: substances.honey.shape.sphere.radius: is given twice (first in line 5)\n"
                   "a.yaml:6:3: substances.honey: is given twice (first in line 5)\n"
                   "a.yaml:8:62: obstacles[0].position.keys: is given twice (first in line 8)\n"
                   "a.yaml:9:1: title: is given twice (first in line 1)");
}

#endif

static void json_works_in_every_build(void **state)
{
    (void)state;
    const char *good = "{\"title\": \"\\u00fc \\ud83d\\ude00\",\n \"substances\": {\"a\": {\"particle\": "
                       "{\"radius\": 0.1},\n"
                       "  \"shape\": {\"box\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1]}}}}}";
    assert_int_equal(check_bytes(good, strlen(good), "a.json"), DLP_OK);
    const char *bad = "{\"frames\":\n  {\"count\": -1}}";
    assert_int_equal(check_bytes(bad, strlen(bad), "a.json"), DLP_INVALID);
    assert_string_equal(error.message,
                        "a.json:1:1: substances: is missing: a scene needs at least one substance\n"
                        "a.json:2:13: frames.count: must be ≥ 0 (got -1)");
}

static void json_mistakes_are_told_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{\"a\": [1, 2}", "a.json:1:12: expected , or ]"},
        {"{\"a\": 1\n \"b\": 2}", "a.json:2:2: expected , or }"},
        {"{\"a\" 1}", "a.json:1:6: a colon is missing after the key"},
        {"{\"a\": \"x", "a.json:1:9: a quote is not closed"},
        {"{\"a\": }", "a.json:1:7: a value is missing"},
        {"{\"title\": 1,\n \"title\": 2}",
         "a.json:1:1: substances: is missing: a scene needs at least one substance\n"
         "a.json:2:2: title: is given twice (first in line 1)"},
        {"{\"a\": \"\\ud83d\"}", "a.json:1:14: \\u needs the code of a character"},
        {"{\"a\": \"\\q\"}", "a.json:1:9: this escape is not known"},
        {"{} x", "a.json:1:4: something follows the end"},
        {"{\"a\": \"\xff\"}", "a.json: byte 7: is not UTF-8 text"},
        {"", "a.json: is empty; a scene needs at least one substance"},
        {"  \n", "a.json: is empty; a scene needs at least one substance"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_int_equal(check_bytes(cases[k].text, strlen(cases[k].text), "a.json"), DLP_INVALID);
        assert_string_equal(error.message, cases[k].message);
    }
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    char text[20000];
    memset(text, '[', sizeof text);
    assert_int_equal(check_bytes(text, sizeof text, "a.json"), DLP_INVALID);
    assert_string_equal(error.message, "a.json:1:33: is nested deeper than 32 levels");
#if DLP_HAVE_YAML
    assert_int_equal(check_bytes(text, sizeof text, "a.yaml"), DLP_INVALID);
    assert_string_equal(error.message, "a.yaml:1:33: is nested deeper than 32 levels");
#endif
}

static void too_many_values_are_refused(void **state)
{
    (void)state;
    const size_t count = 200002;
    char *text = malloc(2 * count + 16);
    assert_non_null(text);
    strcpy(text, "{\"a\": [0");
    size_t length = strlen(text);
    for (size_t k = 0; k < count; k++, length += 2) memcpy(text + length, ",0", 2);
    assert_int_equal(check_bytes(text, length, "a.json"), DLP_INVALID);
    assert_non_null(strstr(error.message, ": there are more than 200000 values"));
#if DLP_HAVE_YAML
    assert_int_equal(check_bytes(text, length, "a.yaml"), DLP_INVALID);
    assert_non_null(strstr(error.message, ": there are more than 200000 values"));
#endif
    free(text);
}

static void a_map_with_too_many_keys_is_refused(void **state)
{
    (void)state;
    char text[32000] = "{";
    size_t length = 1;
    for (int k = 0; k < 1001; k++)
        length += (size_t)snprintf(text + length, sizeof text - length, "k%d: 0, ", k);
    text[length++] = '}';
    assert_int_equal(check_bytes(text, length, "a.json"), DLP_INVALID);
    assert_non_null(strstr(error.message, ": a map has more than 1000 keys"));
}

static void too_large_a_text_is_refused(void **state)
{
    (void)state;
    const size_t length = (16u << 20) + 1;
    char *text = malloc(length);
    assert_non_null(text);
    memset(text, ' ', length);
    assert_int_equal(check_bytes(text, length, "a.yaml"), DLP_INVALID);
    assert_string_equal(error.message, "a.yaml: is larger than 16 MiB");
    free(text);
}

static void garbage_is_refused_with_a_message(void **state)
{
    (void)state;
    unsigned char bytes[4096];
    uint32_t seed = 12345;
    for (int round = 0; round < 200; round++) {
        for (size_t k = 0; k < sizeof bytes; k++) {
            seed = seed * 1664525u + 1013904223u;
            bytes[k] = (unsigned char)(seed >> 24);
        }
        assert_int_not_equal(check_bytes((const char *)bytes, sizeof bytes, "a.yaml"), DLP_OK);
        assert_true(error.message[0] != '\0');
        assert_int_not_equal(check_bytes((const char *)bytes, sizeof bytes, "a.json"), DLP_OK);
        assert_true(error.message[0] != '\0');
    }
}

static void an_empty_text_is_refused(void **state)
{
    (void)state;
    assert_int_equal(check_text(""), DLP_INVALID);
    assert_string_equal(error.message, "a.yaml: is empty; a scene needs at least one substance");
}

static void a_file_that_is_not_there_is_an_input_error(void **state)
{
    (void)state;
    dlp_scene *scene = NULL;
    assert_int_equal(dlp_scene_read_file("no/such/scene.yaml", &scene, &error), DLP_IO);
    assert_null(scene);
    assert_string_equal(error.message, "no/such/scene.yaml: cannot be opened (No such file or directory)");
    assert_int_equal(dlp_scene_read_file("tests", &scene, &error), DLP_IO);
    assert_string_equal(error.message, "tests: cannot be read (Is a directory)");
    assert_int_equal(dlp_scene_read_file("tests", &scene, NULL), DLP_IO);
}

static void an_unknown_bundled_scene_gets_the_nearest(void **state)
{
    (void)state;
    dlp_scene *scene = NULL;
    assert_int_equal(dlp_scene_read_bundled("pur", &scene, &error), DLP_INVALID);
    assert_string_equal(error.message, "pur: there is no such bundled scene; did you mean pour?");
    assert_int_equal(dlp_scene_read_bundled("waterfall", &scene, &error), DLP_INVALID);
    assert_non_null(
        strstr(error.message, "waterfall: there is no such bundled scene; there are bunny, crush, dam, "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#if DLP_HAVE_YAML
        cmocka_unit_test(a_value_out_of_range_is_named_with_its_place),
        cmocka_unit_test(numbers_that_are_not_finite_are_refused),
        cmocka_unit_test(a_wrong_type_says_what_is_wanted),
        cmocka_unit_test(an_unknown_key_gets_the_nearest_known_one),
        cmocka_unit_test(an_unknown_word_gets_the_nearest_known_one),
        cmocka_unit_test(what_comes_later_is_said_to_come_later),
        cmocka_unit_test(all_mistakes_are_told_at_once_in_the_order_of_the_file),
        cmocka_unit_test(thousands_of_mistakes_are_counted),
        cmocka_unit_test(more_mistakes_than_are_kept_hide_no_crash),
        cmocka_unit_test(a_refused_dimension_does_not_reach_later_checks),
        cmocka_unit_test(shapes_must_make_sense),
        cmocka_unit_test(emitters_sinks_and_probes_must_make_sense),
        cmocka_unit_test(substances_must_agree_and_come_from_somewhere),
        cmocka_unit_test(periodic_axes_need_a_domain),
        cmocka_unit_test(a_plane_scene_stays_in_its_plane),
        cmocka_unit_test(key_frames_are_checked),
        cmocka_unit_test(a_text_that_is_no_yaml_is_told_with_its_place),
        cmocka_unit_test(a_key_given_twice_is_told_beside_all_other_mistakes),
#endif
        cmocka_unit_test(json_works_in_every_build),
        cmocka_unit_test(json_mistakes_are_told_with_their_place),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(too_many_values_are_refused),
        cmocka_unit_test(a_map_with_too_many_keys_is_refused),
        cmocka_unit_test(too_large_a_text_is_refused),
        cmocka_unit_test(garbage_is_refused_with_a_message),
        cmocka_unit_test(an_empty_text_is_refused),
        cmocka_unit_test(a_file_that_is_not_there_is_an_input_error),
        cmocka_unit_test(an_unknown_bundled_scene_gets_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
