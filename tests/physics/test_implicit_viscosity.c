/* Implicit viscosity against closed forms, at steps that explicit viscosity could not make. */
#include "scenes.h"

#define HEIGHT 0.1 /* m, between the plates */
#define NU     1e-3

// Between plates, with a force along them or the upper one drawn along; steps of 1/60 s.
#define CHANNEL(pressure, gravity, upper)                                                                    \
    "{dimension: 2, frames: {rate: 60, count: 100}, periodic: [x], domain: {min: [0, 0], max: [0.1, 0.1]},"  \
    " gravity: [" gravity ", 0], time: {step: 0.016666666666666666}, substances: {oil: {density: 1000,"      \
    " viscosity: 1, kernel: wendland, artificial_viscosity: {alpha: 0}, pressure: " pressure ","             \
    " viscosity_step: implicit, particle: {spacing: 0.0025}, shape: {box: {min: [0, 0], max: [0.1, "         \
    "0.1]}}}},"                                                                                              \
    " obstacles: [{box: {min: [-1, -0.05], max: [1, 0]}}, {box: {min: [-3, 0.1], max: [3, 0.15]}" upper      \
    "}]}"

// Largest difference of any particle from the profile at a time, over the profile's largest value.
static double error_of(const dlp_world *world, double time, double (*profile)(double y, double t))
{
    const dlp_view x = field_of(world, DLP_FIELD_POSITION);
    const float *v = velocities_of(world);
    double worst = 0, largest = 0;
    for (int32_t i = 0; i < x.count; i++) {
        const double y = fmin(fmax(((const double *)x.data)[3 * i + 1], 0), HEIGHT);
        const double wanted = profile(y, time);
        worst = fmax(worst, fabs((double)v[3 * i] - wanted));
        largest = fmax(largest, fabs(wanted));
    }
    return worst / largest;
}

// [morris1997, eq. 21 and 22]
static double poiseuille(double y, double t)
{
    const double g =
        8e-5;  // so slow that layers hardly slide: where they do, disorder lowers the viscosity by 4 %
    double u = g / (2 * NU) * y * (HEIGHT - y);
    for (int n = 1; n < 200; n += 2) {
        const double k = DLP_PI * n / HEIGHT;
        u -= 4 * g * HEIGHT * HEIGHT / (NU * DLP_PI * DLP_PI * DLP_PI * n * n * n) * sin(k * y) *
             exp(-k * k * NU * t);
    }
    return u;
}
static double couette(double y, double t)
{
    const double speed = 0.1;
    double u = speed * y / HEIGHT;
    for (int n = 1; n < 400; n++) {
        const double k = DLP_PI * n / HEIGHT;
        u += 2 * speed / (DLP_PI * n) * (n % 2 == 0 ? 1 : -1) * sin(k * y) * exp(-k * k * NU * t);
    }
    return u;
}

// Velocities are half a step ahead of the time.
static void assert_channel(const char *text, double (*profile)(double y, double t), double tolerance)
{
    setup s = make_setup(text);
    static const int32_t frames[] = {60, 120, 240};
    int32_t done = 0;
    for (int k = 0; k < 3; k++) {
        step_frames(s.world, frames[k] - done);
        done = frames[k];
        const double error = error_of(s.world, dlp_world_time(s.world) + 0.5 / 60, profile);
        if (!(error < tolerance)) fail_msg("frame %d: off by %.4f of the largest velocity", done, error);
    }
    const dlp_stats stats = stats_of(s.world);
    assert_int_equal(stats.substeps, 1);
    assert_true(stats.viscosity_passes > 0);
    release_setup(&s);
}

static void poiseuille_starts_as_theory_says(void **state)
{
    (void)state;
    assert_channel(CHANNEL("dfsph", "8e-5", ""), poiseuille, 0.02);
}

static void couette_starts_as_theory_says(void **state)
{
    (void)state;
    assert_channel(CHANNEL("dfsph", "0", ", position: {keys: [[0, [0, 0]], [20, [2, 0]]]}"), couette, 0.02);
}

// How far the middle of a cylinder of dough has sunk after so many frames, m.
static double sag(double spacing, int32_t frames)
{
    char text[512];
    snprintf(text, sizeof text,
             "{frames: {rate: 60, count: 60}, substances: {dough: {density: 1200, viscosity: 10000, kernel: "
             "wendland,"
             " artificial_viscosity: {alpha: 0}, pressure: dfsph, particle: {spacing: %g},"
             " shape: {cylinder: {from: [0, 0, 0], to: [0, 0, 0.12], radius: 0.06}}}},"
             " obstacles: [{box: {min: [-0.3, -0.3, -0.05], max: [0.3, 0.3, 0]}}]}",
             spacing);
    setup s = make_setup(text);
    const dlp_stats start = stats_of(s.world);
    step_frames(s.world, frames);
    const dlp_stats end = stats_of(s.world);
    assert_int_equal(end.substeps, 1);
    release_setup(&s);
    return (start.potential_energy - end.potential_energy) / (end.mass * 9.81);
}

// The same substance at two resolutions sinks alike.
static void dough_sags_alike_at_two_resolutions(void **state)
{
    (void)state;
    const double coarse = sag(0.012, 30), fine = sag(0.008, 30);
    assert_true(coarse > 1e-4);
    if (!(fabs(coarse / fine - 1) < 0.05)) fail_msg("%g m and %g m", coarse, fine);
}

// A drop that rotates as a whole meets no force, however thick it is; one that does not keeps what it turns
// with.
static void a_thick_drop_keeps_its_angular_momentum(void **state)
{
    (void)state;
    setup s = make_setup(
        "{gravity: [0, 0, 0], frames: {rate: 60, count: 60}, substances: {a: {density: 1000,"
        " viscosity: 10, kernel: wendland, cohesion: 0, artificial_viscosity: {alpha: 0},"
        " viscosity_step: implicit, particle: {spacing: 0.02}, shape: {sphere: {radius: 0.1}},"
        " velocity: {spin: {axis: [0.3, 0.2, 1], rate: 1}, field: {name: shear, amplitude: 1}}}}}");
    const dlp_stats start = stats_of(s.world);
    step_frames(s.world, 30);
    const dlp_stats end = stats_of(s.world);
    const double size = dlp_length(start.angular_momentum);
    assert_true(end.kinetic_energy < 0.95 * start.kinetic_energy);  // the shear has gone
    assert_true(dlp_length(dlp_sub(end.angular_momentum, start.angular_momentum)) < 1e-4 * size);
    assert_true(dlp_length(dlp_sub(end.momentum, start.momentum)) <
                1e-4 * size / 0.1);  // as exact as the solve
    release_setup(&s);
}

// What drags a plate: its share of the weight on a slope, once all creeps.
static void a_film_on_a_floor_loads_it_with_its_drag(void **state)
{
    (void)state;
    const dlp_world_options options = {.size = sizeof options, .thread_count = 1};
    setup s = make_setup_in(
        NULL,
        "{dimension: 2, frames: {rate: 60, count: 60}, periodic: [x],"
        " domain: {min: [0, 0], max: [0.2, 1]}, gravity: [1, -9.81], substances: {a: {density: 1000,"
        " viscosity: 50, kernel: wendland, artificial_viscosity: {alpha: 0}, pressure: dfsph,"
        " particle: {spacing: 0.01}, shape: {box: {min: [0, 0], max: [0.2, 0.1]}}}},"
        " obstacles: [{name: floor, box: {min: [-1, -0.1], max: [1, 0]}}],"
        " probes: {load: {body: floor}}}",
        &options);
    step_frames(s.world, 40);
    double drag = 0, weight = 0;
    for (int frame = 0; frame < 20; frame++) {
        step_frames(s.world, 1);
        const dlp_vec3 force = dlp_world_body_load(s.world, 0).force;
        drag += force.x / 20;
        weight += force.y / 20;
    }
    const double mass = stats_of(s.world).mass;
    assert_near(drag / mass, 1, 0.03);
    assert_near(weight / mass, -9.81, 0.03 * 9.81);
    release_setup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(poiseuille_starts_as_theory_says),
                                       cmocka_unit_test(couette_starts_as_theory_says),
                                       cmocka_unit_test(dough_sags_alike_at_two_resolutions),
                                       cmocka_unit_test(a_thick_drop_keeps_its_angular_momentum),
                                       cmocka_unit_test(a_film_on_a_floor_loads_it_with_its_drag)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
