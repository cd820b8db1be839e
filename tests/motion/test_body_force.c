/* Forces by place and time: what they do to every model, what they are checked for. */
#include "motion/world.h"
#include "scene/body_force.h"
#include "scenes.h"

#include <stdlib.h>

static const dlp_scene_def *resolve(dlp_scene **out_scene, const char *text)
{
    static dlp_error error;
    const dlp_scene_def *def = NULL;
    need_yaml();
    error = (dlp_error){0};
    if (dlp_scene_read_text(text, strlen(text), "force.yaml", NULL, out_scene, &error) != DLP_OK ||
        dlp_scene_resolve(*out_scene, &def, &error) != DLP_OK)
        fail_msg("%s", error.message);
    return def;
}

#define DROP "substances: {a: {material: water, particle: {spacing: 0.05}, shape: {sphere: {radius: 0.1}}}}\n"

static void assert_mistake(const char *text, const char *expected)
{
    dlp_scene *scene = NULL;
    dlp_error error = {0};
    need_yaml();
    assert_int_equal(dlp_scene_read_text(text, strlen(text), "force.yaml", NULL, &scene, &error), DLP_OK);
    assert_int_equal(dlp_scene_check(scene, &error), DLP_INVALID);
    if (strstr(error.message, expected) == NULL) fail_msg("%s is not in: %s", expected, error.message);
    dlp_scene_destroy(scene);
}

// The same field thrice: as a centre, by its components, by its potential.
static void three_forms_of_one_field_agree(void **state)
{
    (void)state;
    dlp_scene *scene;
    const dlp_scene_def *def = resolve(
        &scene, DROP "gravity: [0, 0, 0]\n"
                     "forces:\n"
                     "  - {central: {center: [0.1, 0.2, 0.3], power: -2, softening: 0.5}, strength: 3}\n"
                     "  - formula:\n"
                     "      - \"3 * (x - 0.1) * ((x - 0.1)^2 + (y - 0.2)^2 + (z - 0.3)^2 + 0.25)^-1.5\"\n"
                     "      - \"3 * (y - 0.2) * ((x - 0.1)^2 + (y - 0.2)^2 + (z - 0.3)^2 + 0.25)^-1.5\"\n"
                     "      - \"3 * (z - 0.3) * ((x - 0.1)^2 + (y - 0.2)^2 + (z - 0.3)^2 + 0.25)^-1.5\"\n"
                     "  - potential: \"-6 / sqrt((x - 0.1)^2 + (y - 0.2)^2 + (z - 0.3)^2 + 0.25)\"\n"
                     "    strength: 0.5\n"
                     "  - {central: {center: [0.1, 0.2, 0.3], power: -2, softening: 0.5}, strength: -3}\n");
    const dlp_vec3 a = dlp_body_acceleration(def, 0, dlp_vec(0.7, -0.4, 1.1));
    // the first and the last cancel, the second pushes outward, the third pulls inward
    assert_near(a.x, 0, 1e-14);
    assert_near(a.y, 0, 1e-14);
    assert_near(a.z, 0, 1e-14);
    // of the potential alone: -3 / r
    const double r = sqrt(0.36 + 0.36 + 0.64 + 0.25);
    assert_near(dlp_body_potential(def, 0, dlp_vec(0.7, -0.4, 1.1)), -3 / r, 1e-14);
    dlp_scene_destroy(scene);
}

static void a_force_acts_on_its_substances_in_its_time(void **state)
{
    (void)state;
    dlp_scene *scene;
    const dlp_scene_def *def = resolve(
        &scene, "gravity: [0, 0, 0]\n"
                "substances:\n"
                "  a: {particle: {spacing: 0.05}, shape: {sphere: {radius: 0.1}}}\n"
                "  b: {particle: {spacing: 0.05}, shape: {sphere: {center: [1, 0, 0], radius: 0.1}}}\n"
                "forces:\n"
                "  - {formula: [\"1 + t\", 0, 0], substances: [b], start: 1, stop: 2,\n"
                "     strength: {keys: [[1, 1], [2, 3]]}}\n");
    dlp_conditions at = {0};
    assert_int_equal(dlp_conditions_init(&at, def, 0.5, NULL), DLP_OK);
    assert_true(dlp_body_acceleration(&at.now, 1, dlp_vec(0, 0, 0)).x == 0);
    dlp_conditions_set_time(&at, 1.5);
    assert_true(dlp_body_acceleration(&at.now, 0, dlp_vec(0, 0, 0)).x == 0);
    assert_near(dlp_body_acceleration(&at.now, 1, dlp_vec(0, 0, 0)).x, 2 * 2.5, 1e-15);
    dlp_conditions_set_time(&at, 2);
    assert_true(dlp_body_acceleration(&at.now, 1, dlp_vec(0, 0, 0)).x == 0);
    dlp_conditions_release(&at);
    dlp_scene_destroy(scene);
}

static void mistakes_name_line_and_column(void **state)
{
    (void)state;
    assert_mistake(DROP "forces: [{formula: [\"x\", \"y +\", \"0\"]}]\n",
                   "force.yaml:2:30: forces[0].formula[1]: character 4");
    assert_mistake(DROP "forces:\n  - potential: x + q\n",
                   "force.yaml:3:20: forces[0].potential: character 5 of the formula: q is not known");
    assert_mistake(DROP "forces: [{formula: [\"x\", \"y\"]}]\n", "must have 3 components (got 2)");
    assert_mistake(DROP "forces: [{strength: 2}]\n", "it needs one of central, formula, potential");
    assert_mistake(DROP "forces: [{potential: x, substances: [water]}]\n", "there is no substance water");
    assert_mistake(DROP "forces: [{potential: x, formula: [1, 2, 3]}]\n",
                   "only one kind of force is allowed");
    assert_mistake(DROP "forces: [{potential: x, start: 2, stop: 1}]\n", "later than start");
    assert_mistake(DROP "forces: [{central: {}}]\n", "central.power: is missing");
}

// Moving bodies.

// Of masses m_i: centre, or what turns about the origin.
static dlp_vec3 centre_of(const dlp_world *world)
{
    const dlp_view mass = field_of(world, DLP_FIELD_MASS);
    const double *x = positions_of(world);
    dlp_vec3 sum = {0, 0, 0};
    double whole = 0;
    for (int32_t i = 0; i < mass.count; i++) {
        const double m = (double)((const float *)mass.data)[i];
        sum = dlp_along(sum, dlp_vec(x[3 * i], x[3 * i + 1], x[3 * i + 2]), m);
        whole += m;
    }
    return dlp_mul(sum, 1 / whole);
}

static double spin_of(const dlp_world *world)
{
    const dlp_view mass = field_of(world, DLP_FIELD_MASS);
    const double *x = positions_of(world);
    const float *v = velocities_of(world);
    double sum = 0;
    for (int32_t i = 0; i < mass.count; i++) {
        const double m = (double)((const float *)mass.data)[i];
        sum += m * (x[3 * i] * (double)v[3 * i + 1] - x[3 * i + 1] * (double)v[3 * i]);
    }
    return sum;
}

#define WELL                                                                                                 \
    "gravity: [0, 0, 0]\nair_density: 0\nframes: {rate: 50, count: 50}\n"                                    \
    "forces: [{central: {power: 1}, strength: 39.47841760435743}]\n"

// The field is linear, so that the centre of any body swings as a point does, whatever goes on within:
// x = 0.3 cos(2 pi t), and of the energy no more than `loss` goes.
static void swing(const char *text, double tolerance, double loss)
{
    setup s = make_setup(text);
    const dlp_vec3 start = centre_of(s.world);
    const double energy = energy_of(s.world);
    for (int32_t frame = 1; frame <= 50; frame++) {
        step_frames(s.world, 1);
        const double angle = 2 * DLP_PI * frame / 50;
        assert_near(centre_of(s.world).x, start.x * cos(angle), tolerance * start.x);
        assert_near(energy_of(s.world), energy, loss * energy);
    }
    release_setup(&s);
}

// Steps of about a 600th of a period, of second order: an error of (2 pi / 600)^2 / 6 per radian.
static void a_fluid_swings_in_a_harmonic_well(void **state)
{
    (void)state;
    swing(WELL "substances:\n"
               "  a:\n"
               "    material: water\n"
               "    density_from: continuity\n"
               "    particle: {spacing: 0.02}\n"
               "    shape: {sphere: {center: [0.3, 0, 0], radius: 0.1}}\n",
          2e-3, 0.05);
}

static void a_solid_swings_in_a_harmonic_well(void **state)
{
    (void)state;
    swing(WELL "substances:\n"
               "  a:\n"
               "    model: solid\n"
               "    material: jelly\n"
               "    solid: {damping: 0}\n"
               "    particle: {spacing: 0.03}\n"
               "    shape: {sphere: {center: [0.3, 0, 0], radius: 0.08}}\n",
          2e-3, 0.01);
}

static void a_cloth_swings_in_a_harmonic_well(void **state)
{
    (void)state;
    swing(WELL "time: {step: 0.002}\n"
               "substances:\n"
               "  a:\n"
               "    model: cloth\n"
               "    material: cotton\n"
               "    cloth: {damping: 0}\n"
               "    particle: {spacing: 0.03}\n"
               "    shape: {translate: [0.3, 0, 0], sheet: {size: [0.12, 0.12]}}\n",
          2e-2, 0.05);
}

// Pulled to a centre and pushed by one another along their lines, particles keep what turns about it but for
// the rounding of their velocities and the steps, in which a circle is a polygon.
static void a_central_force_keeps_angular_momentum(void **state)
{
    (void)state;
    setup s = make_setup("dimension: 2\ngravity: [0, 0]\nframes: {rate: 50, count: 50}\n"
                         "substances:\n"
                         "  a:\n"
                         "    material: water\n"
                         "    particle: {spacing: 0.02}\n"
                         "    velocity: [0, 1.2]\n"
                         "    shape: {sphere: {center: [0.5, 0], radius: 0.08}}\n"
                         "forces: [{central: {power: -2, softening: 0.05}, strength: 1}]\n");
    const double spin = spin_of(s.world);
    for (int32_t frame = 1; frame <= 50; frame++) {
        step_frames(s.world, 1);
        assert_near(spin_of(s.world), spin, 1e-3 * spin);
    }
    assert_true(centre_of(s.world).x < 0.2);  // it has gone around
    release_setup(&s);
}

static void threads_do_not_change_what_formulas_do(void **state)
{
    (void)state;
    static const char text[] =
        "gravity: [0, 0, 0]\nframes: {rate: 100, count: 5}\n"
        "substances:\n"
        "  a:\n"
        "    material: water\n"
        "    particle: {spacing: 0.02}\n"
        "    shape: {sphere: {center: [0.1, 0, 0], radius: 0.15}}\n"
        "forces:\n"
        "  - formula: [\"-20 * sin(3 * x) + exp(-t)\", \"-9 * y^3 + t * log(2 + z)\", \"cos(y) * -z\"]\n"
        "  - potential: \"atan2(y, 1 + x^2) * tanh(z) + (1 + x^2)^0.7\"\n";
    setup one = make_setup(text);
    const dlp_world_options options = {.size = sizeof options, .thread_count = 3};
    setup three = make_setup_in(NULL, text, &options);
    step_frames(one.world, 5);
    step_frames(three.world, 5);
    const size_t count = (size_t)field_of(one.world, DLP_FIELD_POSITION).count;
    assert_memory_equal(positions_of(one.world), positions_of(three.world), count * 3 * sizeof(double));
    release_setup(&one);
    release_setup(&three);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(three_forms_of_one_field_agree),
                                       cmocka_unit_test(a_force_acts_on_its_substances_in_its_time),
                                       cmocka_unit_test(mistakes_name_line_and_column),
                                       cmocka_unit_test(a_fluid_swings_in_a_harmonic_well),
                                       cmocka_unit_test(a_solid_swings_in_a_harmonic_well),
                                       cmocka_unit_test(a_cloth_swings_in_a_harmonic_well),
                                       cmocka_unit_test(a_central_force_keeps_angular_momentum),
                                       cmocka_unit_test(threads_do_not_change_what_formulas_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
