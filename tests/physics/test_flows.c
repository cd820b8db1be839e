/* Small flows with closed forms. */
#include "scenes.h"

// Rest.

enum { DEPTHS = 7 };

// A pool that was set down breathes for a while: the mean over many of its periods, 4 H / c = 0.064 s,
// counts.
static void pressure_grows_with_depth(void **state)
{
    (void)state;
    setup s = make_setup("dimension: 2\n"
                         "frames: {rate: 100, count: 200}\n"
                         "substances:\n"
                         "  water: {material: water, particle: {spacing: 0.02},\n"
                         "          shape: {box: {min: [0, 0], max: [0.4, 0.5]}}}\n"
                         "obstacles:\n"
                         "  - box: {min: [0, 0], max: [0.4, 1], inside: true}\n");
    double mean[DEPTHS] = {0};
    step_frames(s.world, 100);
    for (int frame = 0; frame < 64; frame++) {
        step_frames(s.world, 1);
        for (int k = 0; k < DEPTHS; k++)
            mean[k] += dlp_world_sample_at(s.world, dlp_vec(0.2, 0.06 * (k + 1), 0)).pressure / 64;
    }
    for (int k = 0; k < DEPTHS; k++)
        assert_near(mean[k], 1000 * 9.81 * (0.5 - 0.06 * (k + 1)),
                    0.03 * 1000 * 9.81 * 0.5);  // rho g (H - y)
    release_setup(&s);
}

static double mean_density(const dlp_world *world, int32_t which, double low, double high)
{
    const dlp_view x = field_of(world, DLP_FIELD_POSITION);
    const int32_t *substance = field_of(world, DLP_FIELD_SUBSTANCE).data;
    const float *density = field_of(world, DLP_FIELD_DENSITY).data;
    double sum = 0;
    int32_t count = 0;
    for (int32_t i = 0; i < x.count; i++) {
        const double y = ((const double *)x.data)[3 * i + 1];
        if (substance[i] != which || y < low || y > high) continue;
        sum += (double)density[i];
        count++;
    }
    assert_true(count > 0);
    return sum / count;
}

// Oil on water: two layers with a sharp jump of density and none of pressure between them.
static void oil_rests_on_water(double oil_spacing)
{
    char text[1024];
    snprintf(text, sizeof text,
             "dimension: 2\n"
             "frames: {rate: 20, count: 20}\n"
             "substances:\n"
             "  water: {material: water, density: 1000, particle: {spacing: 0.0125},\n"
             "          shape: {box: {min: [0, 0], max: [0.3, 0.15]}}}\n"
             "  oil: {material: oil, density: 800, particle: {spacing: %g},\n"
             "        shape: {box: {min: [0, 0.15], max: [0.3, 0.3]}}}\n"
             "obstacles:\n"
             "  - box: {min: [0, 0], max: [0.3, 0.5], inside: true}\n",
             oil_spacing);
    setup s = make_setup(text);
    step_frames(s.world, 10);
    const dlp_view x = field_of(s.world, DLP_FIELD_POSITION);
    const int32_t *substance = field_of(s.world, DLP_FIELD_SUBSTANCE).data;
    for (int32_t i = 0; i < x.count; i++) {
        const double y = ((const double *)x.data)[3 * i + 1];
        assert_true(substance[i] == 0 ? y < 0.15 + 0.0125 : y > 0.15 - 0.0125);
    }
    const double oil_top = 0.3 - 2 * oil_spacing;  // a particle at the free surface has half its neighbours
    assert_near(mean_density(s.world, 0, 0, 1) / 1000, 1, 0.02);
    assert_near(mean_density(s.world, 1, 0, oil_top) / 800, 1, 0.02);
    // on both sides of the interface
    assert_near(mean_density(s.world, 0, 0.12, 0.18) / 1000, 1, 0.02);
    assert_near(mean_density(s.world, 1, 0.12, 0.18) / 800, 1, 0.02);
    // sound still goes up and down (once in about 0.05 s), so the pressure is a mean over several of its
    // periods
    const double at_interface = 800 * 9.81 * 0.15;
    double below = 0, above = 0;
    dlp_error error = {0};
    for (int k = 0; k < 50; k++) {
        expect_ok(dlp_world_advance(s.world, 0.004, &error), &error);
        below += dlp_world_sample_at(s.world, dlp_vec(0.15, 0.13, 0)).pressure / 50;
        above += dlp_world_sample_at(s.world, dlp_vec(0.15, 0.17, 0)).pressure / 50;
    }
    assert_near(below, at_interface + 0.02 * 9810, 0.1 * at_interface);
    assert_near(above, at_interface - 0.02 * 7848, 0.1 * at_interface);
    release_setup(&s);
}

static void oil_on_water_stays_where_it_is(void **state)
{
    (void)state;
    oil_rests_on_water(0.0125);
}

static void oil_of_finer_particles_on_water_stays_where_it_is(void **state)
{
    (void)state;
    oil_rests_on_water(0.01);
}

// Viscosity.

// Flow between still plates, driven by a body force: u = g y (L - y) / 2 nu.
static void plane_flow_between_sticking_plates_is_a_parabola(void **state)
{
    (void)state;
    setup s =
        make_setup("dimension: 2\n"
                   "frames: {rate: 5, count: 20}\n"
                   "gravity: [0.8, 0]\n"
                   "periodic: [x]\n"
                   "domain: {min: [0, -0.5], max: [0.12, 0.5]}\n"
                   "substances:\n"
                   "  oil: {density: 1000, viscosity: 10, kernel: wendland, state: tait, stiffness: 25,\n"
                   "        particle: {spacing: 0.01, smoothing: 1.5},\n"
                   "        shape: {box: {min: [0, 0], max: [0.12, 0.2]}}}\n"
                   "obstacles:\n"
                   "  - box: {min: [0, -0.1], max: [0.12, 0]}\n"
                   "  - box: {min: [0, 0.2], max: [0.12, 0.3]}\n");
    step_frames(s.world, 15);  // 3 s; the slowest mode decays in L^2 / pi^2 nu = 0.4 s
    const double top = 0.8 * 0.2 * 0.2 / (8 * 0.01);
    for (double y = 0.01; y < 0.2; y += 0.02) {
        const double u = dlp_world_sample_at(s.world, dlp_vec(0.05, y, 0)).velocity.x;
        assert_near(u, 0.8 * y * (0.2 - y) / (2 * 0.01), 0.05 * top);
    }
    release_setup(&s);
}

// Vortices in a periodic box decay as exp(-2 nu k^2 t) in velocity.  [taylor1937]
static void taylor_green_vortices_start_to_decay_at_their_rate(void **state)
{
    (void)state;
    setup s =
        make_setup("dimension: 2\n"
                   "frames: {rate: 50, count: 20}\n"
                   "gravity: [0, 0]\n"
                   "periodic: [x, y]\n"
                   "domain: {min: [0, 0], max: [1, 1]}\n"
                   "substances:\n"
                   "  fluid: {density: 1, viscosity: 0.02, kernel: wendland, state: linear, cohesion: 1,\n"
                   "          stiffness: 100, particle: {spacing: 0.025, smoothing: 1.5},\n"
                   "          velocity: {field: {name: taylor_green, amplitude: 1, length: 1}},\n"
                   "          shape: {box: {min: [0, 0], max: [1, 1]}}}\n");
    const double before = stats_of(s.world).kinetic_energy;
    assert_near(before, 0.25, 0.005);  // the mean of (u^2 + v^2) / 2 is 1/4
    // Later the particles' disorder, which is not the fluid's, adds to it.
    step_frames(s.world, 4);
    const double rate = -log(stats_of(s.world).kinetic_energy / before) / dlp_world_time(s.world);
    const double truth = 4 * 0.02 * 4 * DLP_PI * DLP_PI;
    print_message("decay rate of the energy: %.4f of the closed form's\n", rate / truth);
    assert_near(rate / truth, 1, 0.03);
    release_setup(&s);
}

// A cup of ten spacings' radius turns as fast as what is in it: nothing may change. The pressure that
// rotation asks for is not there at the start and moves particles by a hundredth of the radius: 0.2 % of the
// rate.
static void a_viscous_fluid_rotates_with_its_cup(void **state)
{
    (void)state;
    setup s = make_setup(
        "dimension: 2\n"
        "gravity: [0, 0]\n"
        "frames: {rate: 10, count: 4}\n"
        "substances:\n"
        "  oil: {kernel: wendland, state: tait, stiffness: 64, viscosity: 20, particle: {spacing: 0.01},\n"
        "        velocity: {spin: {rate: 8}}, shape: {sphere: {radius: 0.1}}}\n"
        "obstacles:\n"
        "  - difference: [{sphere: {radius: 0.15}}, {sphere: {radius: 0.1}}]\n"
        "    rotation: {keys: [[0, [0, 0, 0]], [10, [0, 0, 4583.6624]]]}\n");  // 80 radians
    step_frames(s.world, 4);
    const dlp_view view = field_of(s.world, DLP_FIELD_POSITION);
    const double *x = view.data;
    const float *v = velocities_of(s.world);
    double moment = 0, inertia = 0;
    for (int32_t i = 0; i < view.count; i++) {
        moment += x[3 * i] * (double)v[3 * i + 1] - x[3 * i + 1] * (double)v[3 * i];
        inertia += x[3 * i] * x[3 * i] + x[3 * i + 1] * x[3 * i + 1];
    }
    assert_near(moment / inertia / 8, 1, 0.002);
    release_setup(&s);
}

// Motion.

static void a_falling_drop_follows_its_parabola(void **state)
{
    (void)state;
    setup s = make_setup(
        "frames: {rate: 10, count: 20}\n"
        "substances:\n"
        "  drop: {material: oil, particle: {spacing: 0.03}, velocity: [0.7, 0, 2], stiffness: 25,\n"
        "         shape: {sphere: {center: [1, 2, 3], radius: 0.1}}}\n");
    const dlp_view start = field_of(s.world, DLP_FIELD_POSITION);
    double offset[3] = {0}, centre[3] = {0};
    for (int32_t i = 0; i < 3 * start.count; i++)
        offset[i % 3] += ((const double *)start.data)[i] / start.count;
    step_frames(s.world, 10);
    const dlp_view x = field_of(s.world, DLP_FIELD_POSITION);
    for (int32_t i = 0; i < 3 * x.count; i++) centre[i % 3] += ((const double *)x.data)[i] / x.count;
    assert_near(centre[0], offset[0] + 0.7, 1e-5);
    assert_near(centre[1], offset[1], 1e-5);
    assert_near(centre[2], offset[2] + 2 - 0.5 * 9.81, 1e-5);
    release_setup(&s);
}

// Two particles alone approach, too far apart for any pressure: all that brakes them is the quadratic part of
// the artificial viscosity, -m_j (beta mu^2 / rho) W'(r) for each. The densities are the world's own. W is
// calibrated on the lattice, where Wendland's kernel sums up to 1 within 1 %.  [monaghan1992, eq. 4.2]
static void quadratic_viscosity_brakes_two_particles_as_in_closed_form(void **state)
{
    (void)state;
    setup s = make_setup("dimension: 2\n"
                         "gravity: [0, 0]\n"
                         "frames: {rate: 2000, count: 40}\n"
                         "substances:\n"
                         "  a: {density: 1000, kernel: wendland, cohesion: 0, stiffness: 1,\n"
                         "      artificial_viscosity: {alpha: 0, beta: 2}, particle: {spacing: 0.1},\n"
                         "      velocity: [1, 0], shape: {box: {min: [0, 0], max: [0.1, 0.1]}}}\n"
                         "  b: {density: 1000, kernel: wendland, cohesion: 0, stiffness: 1,\n"
                         "      artificial_viscosity: {alpha: 0, beta: 2}, particle: {spacing: 0.1},\n"
                         "      velocity: [-1, 0], shape: {box: {min: [0.2, 0], max: [0.3, 0.1]}}}\n");
    const double h = 1.6 * 0.1, mass = 10, dt = 1.0 / 2000;
    assert_int_equal(stats_of(s.world).particles, 2);
    double r = 0.2, u = 2;  // distance and speed of approach
    for (int frame = 0; frame < 40; frame++) {
        step_frames(s.world, 1);
        const double rho = (double)((const float *)field_of(s.world, DLP_FIELD_DENSITY).data)[0];
        const double t = 1 - r / h / 2, slope = 7 / (4 * DLP_PI * h * h) * 5 * (r / h) * t * t * t / h;
        const double mu = h * u * r / (r * r + 0.01 * h * h);
        u -= dt * 2 * mass * 2 * mu * mu / rho * slope;
        r -= dt * u;
    }
    const double *x = field_of(s.world, DLP_FIELD_POSITION).data;
    const double approach = (double)(velocities_of(s.world)[0] - velocities_of(s.world)[3]);
    print_message("from 2 m/s to %.4f; %.4f in closed form, at %.4f and %.4f m\n", approach, u, x[3] - x[0],
                  r);
    assert_true(u < 1.8);
    assert_near((2 - approach) / (2 - u), 1, 0.03);
    release_setup(&s);
}

// A round drop of an inviscid fluid stretched along y becomes an ellipse of the same area.  [monaghan1994]
static void a_stretched_disc_becomes_the_right_ellipse(void **state)
{
    (void)state;
    setup s =
        make_setup("dimension: 2\n"
                   "gravity: [0, 0]\n"
                   "frames: {rate: 100, count: 20}\n"
                   "substances:\n"
                   "  water: {density: 1000, kernel: wendland, state: tait, cohesion: 0, stiffness: 400,\n"
                   "          artificial_viscosity: {alpha: 0.01}, particle: {spacing: 0.025},\n"
                   "          velocity: {field: {name: stretch, amplitude: 2}},\n"
                   "          shape: {sphere: {radius: 0.5}}}\n");
    step_frames(s.world, 20);
    // With b = R^2 / a and strain A(t): da/dt = -A a, dA/dt = A^2 (a^4 - R^4) / (a^4 + R^4).
    double a = 0.5, strain = 2;
    const double r4 = pow(0.5, 4), dt = 1e-5;
    for (int k = 0; k < 20000; k++) {
        const double a4 = pow(a, 4);
        strain += dt * strain * strain * (a4 - r4) / (a4 + r4);
        a -= dt * strain * a;
    }
    const dlp_view x = field_of(s.world, DLP_FIELD_POSITION);
    double xx = 0, yy = 0;
    for (int32_t i = 0; i < x.count; i++) {
        const double *p = (const double *)x.data + 3 * i;
        xx += p[0] * p[0] / x.count;
        yy += p[1] * p[1] / x.count;
    }
    const double b = 0.25 / a;
    print_message("semi-axes %.4f and %.4f m; %.4f and %.4f in closed form\n", 2 * sqrt(xx), 2 * sqrt(yy), a,
                  b);
    assert_near(2 * sqrt(xx) / a, 1, 0.02);  // an ellipse's mean of x^2 is a^2 / 4
    assert_near(2 * sqrt(yy) / b, 1, 0.02);
    release_setup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressure_grows_with_depth),
        cmocka_unit_test(oil_on_water_stays_where_it_is),
        cmocka_unit_test(oil_of_finer_particles_on_water_stays_where_it_is),
        cmocka_unit_test(plane_flow_between_sticking_plates_is_a_parabola),
        cmocka_unit_test(taylor_green_vortices_start_to_decay_at_their_rate),
        cmocka_unit_test(a_viscous_fluid_rotates_with_its_cup),
        cmocka_unit_test(a_falling_drop_follows_its_parabola),
        cmocka_unit_test(quadratic_viscosity_brakes_two_particles_as_in_closed_form),
        cmocka_unit_test(a_stretched_disc_becomes_the_right_ellipse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
