/* Plasticity: volume, how much of a pull stays, rate and limit, against what the logarithmic strain says. */
#include "deformations.h"

enum { NEVER_RETURNS = 1000000000 }; /* 1/s: all of the excess stays at once */
static const dlp_plastic_law SUDDEN = {0.05, NEVER_RETURNS, 10};

// A pull along x at constant volume: the equivalent strain is the logarithm of its stretch.
static dlp_t3 pull(double strain)
{
    return dlp_t3_diagonal(exp(strain), exp(-strain / 2), exp(-strain / 2));
}
static bool flow(const dlp_plastic_law *law, double dt, dlp_t3 f, double g[9])
{
    double h[9];
    to_array(dlp_t3_shift(f, -1), h);
    return dlp_plastic_flow(law, dt, h, g);
}
static dlp_t3 elastic_part(dlp_t3 f, const double g[9])
{
    return dlp_t3_shift(dlp_plastic_elastic_part(dlp_t3_shift(f, -1), from_array(g)), 1);
}
static double strain_of(dlp_t3 f)
{
    double h[9];
    to_array(dlp_t3_shift(f, -1), h);
    return dlp_equivalent_strain(h);
}

static void the_equivalent_strain_is_the_logarithm_of_a_pull(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (double strain = 0.01; strain < 1; strain += 0.1) {
        const dlp_t3 q = random_rotation(&seed), p = random_rotation(&seed);
        const dlp_t3 f = dlp_t3_product(q, dlp_t3_product(pull(strain), p));
        assert_near(strain_of(f), strain, 1e-13);
        assert_near(strain_of(dlp_t3_mul(f, 0.4)), strain, 1e-13);  // pressure does not count
    }
    // shear by gamma: 2 asinh(gamma / 2) / sqrt 3
    const dlp_t3 shear = {1, 0.3, 0, 0, 1, 0, 0, 0, 1};
    assert_near(strain_of(shear), 2 * asinh(0.15) / sqrt(3), 1e-13);
}

static void a_pull_beyond_the_yield_strain_keeps_what_exceeds_it(void **state)
{
    (void)state;
    double g[9] = {0};
    assert_false(flow(&SUDDEN, 1, pull(0.0499), g));
    for (int k = 0; k < 9; k++) assert_true(g[k] == 0);
    assert_true(flow(&SUDDEN, 1, pull(0.15), g));
    // F_p^-1 is a push by 0.1, what is elastic a pull by the yield strain
    assert_near(distance(dlp_t3_shift(from_array(g), 1), pull(-0.1)), 0, 1e-9);
    assert_near(distance(elastic_part(pull(0.15), g), pull(0.05)), 0, 1e-9);
    // let go, it is elastic about its new shape: 0.1 the other way is still within the yield strain
    assert_false(flow(&SUDDEN, 1, pull(0.1), g));
    assert_false(flow(&SUDDEN, 1, pull(0.051), g));
    assert_true(flow(&SUDDEN, 1, pull(0.04), g));
}

static void flow_keeps_volume_whatever_is_done(void **state)
{
    (void)state;
    uint32_t seed = 2;
    double g[9] = {0};
    const dlp_plastic_law law = {0.02, 30, 0.8};
    for (int step = 0; step < 3000; step++) {
        const dlp_t3 f = dlp_t3_add(dlp_t3_identity(), random_matrix(&seed, step % 10 == 0 ? 1.5 : 0.4));
        flow(&law, 0.01, f, g);
        assert_near(dlp_t3_determinant(dlp_t3_shift(from_array(g), 1)), 1, 1e-13);
        assert_true(strain_of(dlp_t3_shift(from_array(g), 1)) <= 0.8 + 1e-9);
        assert_near(dlp_t3_determinant(elastic_part(f, g)), dlp_t3_determinant(f), 1e-11);
    }
}

static void pressure_never_yields(void **state)
{
    (void)state;
    uint32_t seed = 3;
    double g[9] = {0};
    for (double s = 0.1; s < 3; s *= 1.2)
        assert_false(flow(&SUDDEN, 1, dlp_t3_mul(random_rotation(&seed), s), g));
}

// The excess decays as exp(-rate t), the better the more sub-steps: their error halves with their length.
static void the_rate_means_the_same_for_any_sub_steps(void **state)
{
    (void)state;
    double errors[3];
    const int counts[] = {50, 100, 200};
    for (int k = 0; k < 3; k++) {
        const dlp_plastic_law law = {0.05, 4, 10};
        double g[9] = {0};
        for (int step = 0; step < counts[k]; step++) flow(&law, 0.5 / counts[k], pull(0.25), g);
        const double excess = strain_of(elastic_part(pull(0.25), g)) - law.yield;
        errors[k] = excess - 0.2 * exp(-4 * 0.5);
        assert_true(errors[k] > 0);
    }
    assert_near(errors[0], 0, 0.2 * 4e-2);
    assert_near(errors[0] / errors[1], 2, 0.05);
    assert_near(errors[1] / errors[2], 2, 0.05);
}

static void plastic_strain_stops_at_its_limit(void **state)
{
    (void)state;
    const dlp_plastic_law law = {0.05, NEVER_RETURNS, 0.2};
    double g[9] = {0};
    for (int step = 0; step < 5; step++) flow(&law, 1, pull(0.6), g);
    assert_near(strain_of(dlp_t3_shift(from_array(g), 1)), 0.2, 1e-12);
    assert_near(strain_of(elastic_part(pull(0.6), g)), 0.4, 1e-9);
}

// P = dPsi(F F_p^-1)/dF, by differences.
static void the_stress_of_a_flowed_body_is_the_slope_of_its_energy(void **state)
{
    (void)state;
    uint32_t seed = 4;
    const dlp_lame m = {1.3, 2.1};
    double g[9] = {0}, at[9], stress[9];
    flow(&SUDDEN, 1, (dlp_t3){1.2, 0.3, 0, 0.1, 1, 0.2, 0, 0, 0.9}, g);
    for (int trial = 0; trial < 20; trial++) {
        to_array(random_matrix(&seed, 0.2), at);
        const dlp_t3 h_e = dlp_plastic_elastic_part(from_array(at), from_array(g));
        const dlp_elastic law = dlp_neo_hookean(m, dlp_t3_shift(h_e, 1), dlp_green(h_e));
        to_array(dlp_plastic_stress(law.stress, from_array(g)), stress);
        for (int k = 0; k < 9; k++) {
            double energy[2];
            for (int side = 0; side < 2; side++) {
                double moved[9];
                memcpy(moved, at, sizeof moved);
                moved[k] += side ? 1e-5 : -1e-5;
                const dlp_t3 h = dlp_plastic_elastic_part(from_array(moved), from_array(g));
                energy[side] = dlp_neo_hookean(m, dlp_t3_shift(h, 1), dlp_green(h)).energy;
            }
            assert_near((energy[1] - energy[0]) / 2e-5, stress[k], 1e-8);
        }
    }
}

// Nothing flows that the cheap test passes over; and where strains are small it passes over almost all
// others.
static void the_cheap_test_never_misses_flow(void **state)
{
    (void)state;
    uint32_t seed = 5;
    int false_alarms = 0;
    for (int trial = 0; trial < 20000; trial++) {
        const double yield = 0.02 + 0.2 * (random_number(&seed) + 0.5);
        const dlp_t3 f =
            dlp_t3_product(random_rotation(&seed),
                           dlp_t3_add(dlp_t3_identity(), random_matrix(&seed, trial % 2 ? 0.1 : 0.6)));
        const bool yields = strain_of(f) > yield;
        const bool may = dlp_plastic_may_flow(dlp_green(dlp_t3_shift(f, -1)), yield);
        assert_true(may || !yields || dlp_t3_determinant(f) < 0);
        false_alarms += may && !yields;
    }
    assert_true(false_alarms < 200);
}

// The source's form: a body under pressure alone yields, which is why it is not the default.
static void the_additive_form_yields_under_pressure(void **state)
{
    (void)state;
    const dlp_s3 none = {0, 0, 0, 0, 0, 0}, pressed = dlp_green(dlp_t3_diagonal(-0.2, -0.2, -0.2));
    const dlp_s3 plastic = dlp_plastic_additive(pressed, none, 0.1, 1, 10);
    assert_true(plastic.xx < -0.1);
    const dlp_s3 elastic = dlp_s3_sub(pressed, plastic);
    assert_near(sqrt(dlp_s3_dot(elastic, elastic)), 0.1, 1e-15);
    const dlp_s3 capped = dlp_plastic_additive(pressed, none, 0.1, 1, 0.05);
    assert_near(sqrt(dlp_s3_dot(capped, capped)), 0.05, 1e-15);
    const dlp_s3 within = dlp_plastic_additive(pressed, none, 1, 1, 10);
    assert_true(dlp_s3_dot(within, within) == 0);
    assert_true(dlp_s3_dot(dlp_plastic_additive(none, none, 0, 1, 10), none) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_equivalent_strain_is_the_logarithm_of_a_pull),
        cmocka_unit_test(a_pull_beyond_the_yield_strain_keeps_what_exceeds_it),
        cmocka_unit_test(flow_keeps_volume_whatever_is_done),
        cmocka_unit_test(pressure_never_yields),
        cmocka_unit_test(the_rate_means_the_same_for_any_sub_steps),
        cmocka_unit_test(plastic_strain_stops_at_its_limit),
        cmocka_unit_test(the_stress_of_a_flowed_body_is_the_slope_of_its_energy),
        cmocka_unit_test(the_cheap_test_never_misses_flow),
        cmocka_unit_test(the_additive_form_yields_under_pressure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
