/* Heat against closed forms. Units are chosen so that the numbers are near one: a substance of density 1000
 * with a heat capacity of 1000 and a conductivity of 1000 has a diffusivity of 1e-3 m2/s. */
#include "scenes.h"

static double *item_of(dlp_world *world, const char *name)
{
    dlp_manifest manifest = {0};
    assert_int_equal(dlp_world_manifest(world, &manifest, NULL), DLP_OK);
    double *data = NULL;
    for (int32_t k = 0; k < manifest.count; k++)
        if (strcmp(manifest.items[k].name, name) == 0) data = manifest.items[k].data;
    dlp_manifest_release(&manifest);
    if (data == NULL) fail_msg("no %s", name);
    return data;
}

// A sine.

// Amplitude of the sine along x with one period in the box.
static double sine_amplitude(dlp_world *world)
{
    const double *x = positions_of(world), *t = item_of(world, "particles/temperature");
    const int32_t count = dlp_world_particle_count(world);
    double sum = 0;
    for (int32_t i = 0; i < count; i++) sum += t[i] * sin(2 * DLP_PI * x[3 * i]);
    return 2 * sum / count;
}

// Decay rate over alpha k^2 of a sine in a periodic box without motion.
static double sine_decay(const char *box, const char *particle)
{
    char text[1024];
    snprintf(text, sizeof text,
             "gravity: [0, 0, 0]\n"
             "frames: {rate: 4, count: 20}\n%s"
             "  jelly: {density: 1000, temperature: 0, conductivity: 1000, heat_capacity: 1000,\n"
             "          kernel: wendland, stiffness: 0.01, particle: {%s},\n",
             box, particle);
    const bool is_flat = strstr(box, "dimension: 2") != NULL;
    strncat(text,
            is_flat ? "          shape: {box: {min: [0, 0], max: [1, 0.5]}}}\n"
                    : "          shape: {box: {min: [0, 0, 0], max: [1, 0.5, 0.5]}}}\n",
            sizeof text - strlen(text) - 1);
    setup s = make_setup(text);
    const double *x = positions_of(s.world);
    double *t = item_of(s.world, "particles/temperature");
    for (int32_t i = 0; i < dlp_world_particle_count(s.world); i++) t[i] = sin(2 * DLP_PI * x[3 * i]);
    step_frames(s.world, 4);
    const double before = sine_amplitude(s.world);
    step_frames(s.world, 12);
    const double rate = log(before / sine_amplitude(s.world)) / 3;
    release_setup(&s);
    return rate / (1e-3 * 4 * DLP_PI * DLP_PI);
}

#define FLAT  "dimension: 2\nperiodic: [x, y]\ndomain: {min: [0, 0], max: [1, 0.5]}\nsubstances:\n"
#define SOLID "periodic: [x, y, z]\ndomain: {min: [0, 0, 0], max: [1, 0.5, 0.5]}\nsubstances:\n"

static void a_sine_decays_at_its_rate(void **state)
{
    (void)state;
    // the kernel's width lowers the rate by about (k h)^2 / 16: a quarter of it at half the spacing
    const double coarse = 1 - sine_decay(FLAT, "spacing: 0.0416667, lattice: cubic");
    const double fine = 1 - sine_decay(FLAT, "spacing: 0.0208333, lattice: cubic");
    assert_near(coarse, 0, 0.015);
    assert_near(fine, 0, 0.004);
    assert_true(fine < 0.4 * coarse);
    assert_near(sine_decay(FLAT, "spacing: 0.0208333"), 1, 0.01);
    assert_near(sine_decay(FLAT, "spacing: 0.0208333, jitter: 0.2"), 1, 0.02);
    assert_near(sine_decay(SOLID, "spacing: 0.0416667, lattice: cubic"), 1, 0.015);
    assert_near(sine_decay(SOLID, "spacing: 0.0416667"), 1, 0.015);
}

// Steps in temperature.

// The error of the temperatures against a closed form over x, and where it is largest; degrees.
static double worst_error(dlp_world *world, int axis, double (*truth)(double x), double from, double to)
{
    const double *x = positions_of(world), *t = item_of(world, "particles/temperature");
    double worst = 0;
    for (int32_t i = 0; i < dlp_world_particle_count(world); i++) {
        const double at = x[3 * i + axis];
        if (at > from && at < to) worst = fmax(worst, fabs(t[i] - truth(at)));
    }
    return worst;
}

#define BLOCK(k, c)                                                                                          \
    "density: 1000, kernel: wendland, state: tait, cohesion: 0, stiffness: 0.01, "                           \
    "conductivity: " k ", heat_capacity: " c

static double spread_step(double x)  // diffusivity 1e-3, after 10 s
{
    return 50 * erfc((x - 1) / 0.2);
}

static void a_step_spreads_as_an_error_function(void **state)
{
    (void)state;
    static const char *const spacings[] = {"0.04", "0.02"};
    double worst[2];
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "dimension: 2\ngravity: [0, 0]\nperiodic: [y]\ndomain: {min: [0, 0], max: [2, 0.48]}\n"
            "frames: {rate: 1, count: 10}\n"
            "substances:\n"
            "  hot: {temperature: 100, " BLOCK(
                "1000", "1000") ", particle: {spacing: %s},\n"
                                "        shape: {box: {min: [0, 0], max: [1, 0.48]}}}\n"
                                "  cold: {temperature: 0, " BLOCK(
                                    "1000", "1000") ", particle: {spacing: %s},\n"
                                                    "         shape: {box: {min: [1, 0], max: [2, 0.48]}}}\n",
            spacings[k], spacings[k]);
        setup s = make_setup(text);
        step_frames(s.world, 10);
        worst[k] = worst_error(s.world, 0, spread_step, 0.3, 1.7);
        release_setup(&s);
    }
    assert_near(worst[0], 0, 0.5);  // of 100 degrees
    assert_near(worst[1], 0, 0.12);
    assert_true(worst[1] < 0.3 * worst[0]);  // second order
}

// Effusivities sqrt(k rho c) of 2 and 1 meet at two thirds of the way.
static double contact(double x)  // diffusivities 4e-3 and 0.25e-3, after 4 s
{
    const double meet = 200.0 / 3;
    return x < 1 ? meet + (100 - meet) * erf((1 - x) / (2 * sqrt(4e-3 * 4)))
                 : meet * erfc((x - 1) / (2 * sqrt(0.25e-3 * 4)));
}

static void two_materials_meet_where_their_effusivities_say(void **state)
{
    (void)state;
    setup s = make_setup(
        "dimension: 2\ngravity: [0, 0]\nperiodic: [y]\ndomain: {min: [0, 0], max: [2, 0.24]}\n"
        "frames: {rate: 1, count: 4}\n"
        "substances:\n"
        "  left: {temperature: 100, " BLOCK(
            "4000", "1000") ", particle: {spacing: 0.01},\n"
                            "         shape: {box: {min: [0, 0], max: [1, 0.24]}}}\n"
                            "  right: {temperature: 0, " BLOCK(
                                "500", "2000") ", particle: {spacing: 0.01},\n"
                                               "          shape: {box: {min: [1, 0], max: [2, 0.24]}}}\n");
    step_frames(s.world, 4);
    // at the boundary itself the kink of the profile is rounded over a spacing
    assert_near(worst_error(s.world, 0, contact, 0.3, 1.7), 0, 2);
    release_setup(&s);
}

static double from_wall(double y)  // diffusivity 1e-3, after 10 s
{
    return 100 * erfc(y / 0.2);
}

static double wall_error(const char *spacing)
{
    char text[1024];
    snprintf(text, sizeof text,
             "dimension: 2\ngravity: [0, 0]\nperiodic: [x]\ndomain: {min: [0, 0], max: [0.24, 1]}\n"
             "frames: {rate: 1, count: 10}\n"
             "substances:\n"
             "  jelly: {temperature: 0, " BLOCK(
                 "1000", "1000") ", particle: {spacing: %s},\n"
                                 "          shape: {box: {min: [0, 0], max: [0.24, 1]}}}\n"
                                 "obstacles:\n"
                                 "  - {box: {min: [0, -0.2], max: [0.24, 0]}, temperature: 100}\n"
                                 "  - {box: {min: [0, 1], max: [0.24, 1.2]}}\n",
             spacing);
    setup s = make_setup(text);
    step_frames(s.world, 10);
    const double worst = worst_error(s.world, 1, from_wall, 0, 1);
    release_setup(&s);
    return worst;
}

// A wall point takes the mean around it, mirrored, so the error is of first order.
static void a_wall_warms_what_touches_it_as_an_error_function(void **state)
{
    (void)state;
    const double coarse = wall_error("0.02"), fine = wall_error("0.01");
    assert_near(coarse, 0, 3.5);  // of 100 degrees
    assert_near(fine, 0, 0.6 * coarse);
}

// Cooling.

static double mean_temperature(dlp_world *world)
{
    const double *t = item_of(world, "particles/temperature");
    const int32_t count = dlp_world_particle_count(world);
    double sum = 0;
    for (int32_t i = 0; i < count; i++) sum += t[i];
    return sum / count;
}

// Rate of cooling of a ball (2-D: disc) that conducts so well that all of it is equally warm, over h A / (rho
// c V).
static double cooling_rate(const char *dimension, const char *matter)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "dimension: %s\ngravity: [0, 0, 0]\nambient: 20\nframes: {rate: 4, count: 4}\n"
        "substances:\n"
        "  ball: {temperature: 100, density: 1000, heat_capacity: 1000, conductivity: 2e5, cooling: 2e4,\n"
        "         stiffness: 0.1, %s, particle: {spacing: 0.05},\n"
        "         shape: {sphere: {center: [0, 0, 0], radius: 0.4}}}\n",
        dimension, matter);
    setup s = make_setup(text);
    step_frames(s.world, 1);
    const double before = mean_temperature(s.world);
    step_frames(s.world, 3);
    const double rate = log((before - 20) / (mean_temperature(s.world) - 20)) / 0.75;
    release_setup(&s);
    const double surface = *dimension == '3' ? 3 / 0.4 : 2 / 0.4;  // over volume
    return rate / (2e4 * surface / 1e6);
}

static void a_ball_cools_by_its_surface(void **state)
{
    (void)state;
    // the area is an estimate: the ball is 16 spacings across, and its lattice has steps
    assert_near(cooling_rate("3", "kernel: wendland, state: tait, cohesion: 0"), 1, 0.12);
    assert_near(cooling_rate("3", "kernel: desbrun, state: linear, cohesion: 1"), 1, 0.12);
    assert_near(cooling_rate("2", "kernel: wendland, state: tait, cohesion: 0"), 1, 0.2);
}

// Heat lost in a second over what a surface of 1 m2 a degree above ambient would lose.
static double lost_area(const char *text)
{
    setup s = make_setup(text);
    step_frames(s.world, 8);  // it comes to rest
    const double before = stats_of(s.world).heat, mass = stats_of(s.world).mass;
    step_frames(s.world, 8);
    const double after = stats_of(s.world).heat, warmth = 0.5 * (before + after) / (mass * 1200) - 20;
    release_setup(&s);
    return (before - after) / (0.4 * 1000 * warmth);
}

// Particles beside the tank's sides, a third of all, see more wall than surface: a little is missing.
static void a_pool_at_rest_cools_by_its_upper_side_alone(void **state)
{
    (void)state;
    static const char pool[] = "frames: {rate: 20, count: 16}\n"
                               "substances:\n"
                               "  lava: {material: lava, viscosity: 200, cooling: 1000, conductivity: 2e5,\n"
                               "         particle: {spacing: 0.1},\n"
                               "         shape: {box: {min: [0, 0, 0], max: [1.2, 1.2, 0.5]}}}\n"
                               "obstacles:\n"
                               "  - {box: {min: [0, 0, 0], max: [1.2, 1.2, 2], inside: true}}\n";
    assert_near(lost_area(pool) / 1.44, 1, 0.15);
}

static void nothing_cools_that_has_no_free_surface(void **state)
{
    (void)state;
    static const char full[] = "gravity: [0, 0, 0]\nperiodic: [x, y]\n"
                               "domain: {min: [0, 0, 0], max: [1, 1, 1]}\n"
                               "frames: {rate: 20, count: 16}\n"
                               "substances:\n"
                               "  lava: {material: lava, viscosity: 10, cooling: 1000,\n"
                               "         particle: {spacing: 0.1, smoothing: 1.35, jitter: 0.2},\n"
                               "         velocity: {field: {name: taylor_green, amplitude: 1}},\n"
                               "         shape: {box: {min: [0, 0, 0], max: [1, 1, 1]}}}\n"
                               "obstacles:\n"
                               "  - {box: {min: [-1, -1, -1], max: [2, 2, 0]}}\n"
                               "  - {box: {min: [-1, -1, 1], max: [2, 2, 2]}}\n";
    assert_near(lost_area(full), 0, 0.02);  // of the 2 m2 of its walls
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sine_decays_at_its_rate),
        cmocka_unit_test(a_step_spreads_as_an_error_function),
        cmocka_unit_test(two_materials_meet_where_their_effusivities_say),
        cmocka_unit_test(a_wall_warms_what_touches_it_as_an_error_function),
        cmocka_unit_test(a_ball_cools_by_its_surface),
        cmocka_unit_test(a_pool_at_rest_cools_by_its_upper_side_alone),
        cmocka_unit_test(nothing_cools_that_has_no_free_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
