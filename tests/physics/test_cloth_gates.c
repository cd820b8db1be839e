/* Cloth against closed forms: chains, strips and sheets. */
#include "cloths.h"

static const double G = 9.81;

static void settle(cloth_setup *s, double step, int32_t steps)
{
    s->scene.step = step;
    for (int32_t k = 0; k < steps; k++) advance_cloth(s, step);
}

static void hang_along(cloth_setup *s, dlp_vec3 axis)
{
    s->scene.gravity = dlp_mul(axis, G);
}

// C1: the catenary.

// a of span / (2 a) with sinh(span / 2a) 2a = length, by bisection.
static double catenary_parameter(double length, double span)
{
    double low = 1e-3, high = 1e3;
    for (int k = 0; k < 200; k++) {
        const double a = 0.5 * (low + high);
        if (2 * a * sinh(span / (2 * a)) > length)
            low = a;
        else
            high = a;
    }
    return low;
}

static void check_catenary(double length)
{
    const int32_t links = 120;
    cloth_setup s = make_rope(length, links);
    s.substance.cloth.stretch_warp = 1e4;  // w L / EA = 2e-4 at most
    s.substance.cloth.damping = 4;
    hang_along(&s, dlp_vec(0, 0, -1));
    attach(&s, dlp_vec(0, 0, 0), 1e-3);
    dlp_attachment_def *end = attach(&s, dlp_vec(length, 0, 0), 1e-3);
    double times[2] = {0, 1}, values[6] = {0, 0, 0, 1 - length, 0, 0};
    s.tracks[0] = (dlp_track){.components = 3, .key_count = 2, .times = times, .values = values};
    end->position_track = &s.tracks[0];
    open_cloth(&s);
    settle(&s, 1.0 / 60, 600);
    settle(&s, 1, 20);  // large steps: nearly Newton's method for the equilibrium
    const double a = catenary_parameter(length, 1), w = 0.15 * ROPE_WIDTH * G;
    const double sag = a * cosh(1 / (2 * a)) - a, tension = w * a * cosh(1 / (2 * a));
    assert_near(-place_of(&s, links / 2).z / sag, 1, 3e-3);
    // at the end: the last link's pull, and the half link that hangs on the pin itself
    const dlp_cloth_link *link = &s.cloth->params.links.rest[0];
    const dlp_vec3 d = dlp_sub(place_of(&s, 1), place_of(&s, 0));
    dlp_vec3 pull = dlp_link_gradient(link->stiffness, link->length, d);
    pull.z -= s.cloth->state.particles.mass[0] * G;
    assert_near(dlp_length(pull) / tension, 1, 3e-3);
    close_cloth(&s);
}

static void a_hanging_chain_is_a_catenary(void **state)
{
    (void)state;
    check_catenary(1.05);
    check_catenary(1.2);
    check_catenary(2);
}

// C2: masses on springs.

// N equal masses on springs below a fixed one, along -z.
static cloth_setup make_spring_chain(int32_t n, double *out_mass, double *out_stiffness)
{
    cloth_setup s = make_rope(1, n);
    s.substance.cloth.stretch_warp = 50;
    s.substance.shape.rotate = dlp_vec(0, 90, 0);  // x becomes -z
    const double mass = 0.15 * ROPE_WIDTH / n;
    attach(&s, dlp_vec(0, 0, 0), 1e-3);
    dlp_attachment_def *load = attach(&s, dlp_vec(0, 0, -1), 1e-3);
    load->hold = false;
    load->mass = mass / 2;
    *out_mass = mass;
    *out_stiffness = 50 * ROPE_WIDTH * n;
    return s;
}

static void a_chain_of_springs_hangs_as_long_as_it_should(void **state)
{
    (void)state;
    const int32_t counts[] = {2, 5, 10, 20, 50};
    for (int k = 0; k < 5; k++) {
        const int32_t n = counts[k];
        double m, stiffness;
        cloth_setup s = make_spring_chain(n, &m, &stiffness);
        hang_along(&s, dlp_vec(0, 0, -1));
        s.substance.cloth.damping = 10;
        open_cloth(&s);
        settle(&s, 1, 60);
        const double truth = m * G / stiffness * n * (n + 1) / 2;
        assert_near((-place_of(&s, n).z - 1) / truth, 1, 1e-6);
        close_cloth(&s);
    }
}

// The chain swings along itself in its lowest mode, where the springs are linear, for as many periods as
// said: the largest deviation from a cosine, in amplitudes.
static double swing_error(double phase, double periods)
{
    const int32_t n = 10;
    double m, stiffness;
    cloth_setup s = make_spring_chain(n, &m, &stiffness);
    s.scene.gravity = dlp_vec(0, 0, 0);
    open_cloth(&s);
    s.cloth->params.solve_tolerance = 1e-12;
    const double omega = 2 * sqrt(stiffness / m) * sin(DLP_PI / (2 * (2 * n + 1))), amplitude = 1e-3;
    for (int32_t i = 1; i <= n; i++)
        s.cloth->state.particles.position[3 * i + 2] -= amplitude * sin(i * DLP_PI / (2 * n + 1));
    const double start = -place_of(&s, n).z - 1, h = phase / omega;
    assert_true(h < DLP_CLOTH_LONGEST_STEP);
    s.scene.step = h;
    double largest = 0;
    for (int32_t k = 1; k * phase <= 2 * DLP_PI * periods; k++) {
        advance_cloth(&s, h);
        largest = fmax(largest, fabs(-place_of(&s, n).z - 1 - start * cos(k * phase)));
    }
    close_cloth(&s);
    return largest / amplitude;
}

// Half the step, a quarter of the error; of an order of 1 it would be half.
static void a_swing_converges_with_the_second_order(void **state)
{
    (void)state;
    const double coarse = swing_error(0.05, 3), fine = swing_error(0.025, 3);
    assert_true(coarse < 0.05);
    assert_near(coarse / fine, 4, 0.4);
}

// A stiff rope that swings by 30 degrees about its end: without damping it comes back to within 1 % of the
// angle it had, at each of ten turns. A step is a hundredth of a swing; backward Euler would lose 30 %.
static void a_pendulum_keeps_its_swing(void **state)
{
    (void)state;
    const int32_t n = 20;
    cloth_setup s = make_rope(1, n);
    s.substance.cloth.bend = 1;
    s.substance.cloth.stretch_warp = 1e4;
    s.substance.shape.rotate = dlp_vec(0, 60, 0);  // x becomes 30 degrees from -z
    attach(&s, dlp_vec(0, 0, 0), 1e-3);
    open_cloth(&s);
    double angle = 0, before = 0, peak = DLP_PI / 6;
    int swings = 0;
    for (int32_t k = 0; k < 600 && swings < 10; k++) {
        advance_cloth(&s, 1.0 / 60);
        const dlp_vec3 end = place_of(&s, n);
        const double now = atan2(end.x, -end.z);
        if (k > 1 && fabs(angle) > fabs(now) && fabs(angle) >= fabs(before)) {
            assert_near(fabs(angle) / peak, 1, 0.01);
            peak = fabs(angle);
            swings++;
        }
        before = angle;
        angle = now;
    }
    assert_int_equal(swings, 10);
    close_cloth(&s);
}

// C3: modes of a hanging chain.

static double bessel_0(double x)
{
    double sum = 1, term = 1;
    for (int k = 1; k < 40; k++) {
        term *= -(x * x / 4) / (k * k);
        sum += term;
    }
    return sum;
}

// omega_1 = (j01 / 2) sqrt(g / L) of an inextensible chain; j01 = 2.404826.
static void a_hanging_chain_swings_in_its_first_mode(void **state)
{
    (void)state;
    const int32_t n = 80;
    cloth_setup s = make_rope(1, n);
    s.substance.cloth.stretch_warp = 1e4;
    s.substance.shape.rotate = dlp_vec(0, 90, 0);
    hang_along(&s, dlp_vec(0, 0, -1));
    attach(&s, dlp_vec(0, 0, 0), 1e-3);
    open_cloth(&s);
    settle(&s, 1, 30);
    const double truth = 0.5 * 2.404825557695773 * sqrt(G), h = 1e-3;
    for (int32_t i = 1; i <= n; i++) {
        const double z = 1.0 - (double)i / n;  // from the free end
        s.cloth->state.particles.position[3 * i + 1] += 1e-3 * bessel_0(2.404825557695773 * sqrt(z));
        dlp_cloth_set(s.cloth->state.particles.velocity, i, dlp_vec(0, 0, 0));
    }
    s.cloth->scratch.terms.built_step = 0;
    s.scene.step = h;
    double last = place_of(&s, n).y, first_crossing = 0, crossing = 0;
    int32_t crossings = 0;
    for (int32_t k = 0; crossings < 5 && k < 6000; k++) {
        advance_cloth(&s, h);
        const double now = place_of(&s, n).y;
        if (last * now < 0) {
            crossing = k * h + h * last / (last - now);
            if (crossings++ == 0) first_crossing = crossing;
        }
        last = now;
    }
    assert_int_equal(crossings, 5);
    assert_near(4 * DLP_PI / (crossing - first_crossing) / truth, 1, 1e-2);
    close_cloth(&s);
}

// Sheets.

// Pulled by 5 % between clamps a strip pulls back with k width strain: it has no Poisson effect.
static void a_pulled_strip_pulls_back_with_k_width_strain(void **state)
{
    (void)state;
    cloth_setup s = make_cloth(0.4, 0.04);
    s.substance.shape.size.y = 0.2;
    s.substance.cloth.stretch_warp = 800;
    s.scene.gravity = dlp_vec(0, 0, 0);
    s.substance.cloth.damping = 5;
    double times[2] = {0, 1}, values[6] = {0, 0, 0, 0.02, 0, 0};
    s.tracks[0] = (dlp_track){.components = 3, .key_count = 2, .times = times, .values = values};
    for (int side = -1; side <= 1; side += 2) {
        dlp_attachment_def *a = attach(&s, dlp_vec(0, 0, 0), 0);
        a->shape = (dlp_shape_def){.kind = DLP_SHAPE_BOX,
                                   .min = dlp_vec(0.2 * side - 0.01, -1, -1),
                                   .max = dlp_vec(0.2 * side + 0.01, 1, 1)};
        if (side > 0) a->position_track = &s.tracks[0];
    }
    open_cloth(&s);
    settle(&s, 0.05, 20);
    settle(&s, 10, 20);
    dlp_cloth_update_elements(s.cloth, 10);
    double pull = 0;
    for (int32_t i = 0; i < s.cloth->state.particles.count; i++)
        if (s.cloth->state.particles.pin[i] == 1) pull -= s.cloth->scratch.motion.force[3 * i];
    assert_near(pull / (800 * 0.2 * 0.05), 1, 1e-6);
    close_cloth(&s);
}

// Along its diagonal a square of threads resists by shear: with k_s alone, pure shear of angle g stores
// k_s g^2 / 2 a unit of area.
static void a_sheared_sheet_stores_half_k_g_squared(void **state)
{
    (void)state;
    cloth_setup s = make_cloth(0.4, 0.04);
    open_cloth(&s);
    const double g = 1e-3;
    for (int32_t i = 0; i < s.cloth->state.particles.count; i++)
        s.cloth->state.particles.position[3 * i] += g * place_of(&s, i).y;
    const double truth = 0.5 * 60 * g * g * 0.16;
    assert_near(dlp_cloth_elastic_energy(s.cloth) / truth, 1, 1e-4);
    close_cloth(&s);
}

// A rope clamped level by two particles bends under a load at its end like a beam: F L^3 / (3 B w), L from
// the second of them; of a hundred links the error is 1 / (2 n^2).
static void a_clamped_rope_bends_like_a_beam(void **state)
{
    (void)state;
    const int32_t n = 100;
    cloth_setup s = make_rope(1, n);
    s.substance.cloth.bend = 1;
    s.substance.cloth.stretch_warp = 1e5;
    s.substance.cloth.weight = 1e-6;
    s.substance.cloth.damping = 20;
    attach(&s, dlp_vec(0, 0, 0), 0.0101);
    dlp_attachment_def *load = attach(&s, dlp_vec(1, 0, 0), 1e-3);
    load->hold = false;
    load->mass = 3e-6;
    open_cloth(&s);
    settle(&s, 0.1, 50);
    settle(&s, 10, 50);
    const double truth = 3e-6 * G * pow(1 - 1.0 / n, 3) / (3 * ROPE_WIDTH);
    assert_near(-place_of(&s, n).z / truth, 1, 1e-3);
    close_cloth(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hanging_chain_is_a_catenary),
        cmocka_unit_test(a_chain_of_springs_hangs_as_long_as_it_should),
        cmocka_unit_test(a_swing_converges_with_the_second_order),
        cmocka_unit_test(a_pendulum_keeps_its_swing),
        cmocka_unit_test(a_hanging_chain_swings_in_its_first_mode),
        cmocka_unit_test(a_pulled_strip_pulls_back_with_k_width_strain),
        cmocka_unit_test(a_sheared_sheet_stores_half_k_g_squared),
        cmocka_unit_test(a_clamped_rope_bends_like_a_beam),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
