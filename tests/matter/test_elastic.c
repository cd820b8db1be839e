/* The elastic laws: stresses against differences of energies, invariance, closed forms of a pulled bar, what
 * happens to crushed and inverted matter, and what single precision and lanes make of the formulas. */
#include "deformations.h"
#include "formulas.h"
#include "base/target.h"
#include "record/csv.h"

#include <stdio.h>
#include <stdlib.h>

static const dlp_elastic_law LAWS[] = {DLP_ELASTIC_NEO_HOOKEAN, DLP_ELASTIC_STVK, DLP_ELASTIC_COROTATED};
enum { LAW_COUNT = 3 };
static const dlp_lame STUFF = {1.3, 2.1};

// By the stretches, for any F.
static dlp_elastic exact_law(dlp_elastic_law law, dlp_t3 f)
{
    double h[9], stress[9];
    to_array(dlp_t3_shift(f, -1), h);
    const double energy = dlp_elastic_at(law, STUFF.mu, STUFF.lambda, h, stress);
    return (dlp_elastic){energy, from_array(stress)};
}

static dlp_rotation rotation_of(dlp_t3 f)
{
    dlp_rotation q = dlp_rotation_identity();
    for (int k = 0; k < 30; k++) q = dlp_polar_step(q, f);
    return q;
}

// By tensors, for plain F.
static dlp_elastic plain_law(dlp_elastic_law law, dlp_lame m, dlp_t3 f)
{
    const dlp_t3 h = dlp_t3_shift(f, -1);
    switch (law) {
    case DLP_ELASTIC_NEO_HOOKEAN:
        return dlp_neo_hookean(m, f, dlp_green(h));
    case DLP_ELASTIC_STVK:
        return dlp_stvk(m, f, dlp_green(h));
    case DLP_ELASTIC_COROTATED:
        break;
    }
    return dlp_corotated(m, h, rotation_of(f));
}

// Stretches from 0.6 to 1.8.
static dlp_t3 random_plain(uint32_t *seed)
{
    const dlp_t3 u = random_rotation(seed), v = random_rotation(seed);
    return with_stretches(u, v, 1.2 + 1.2 * random_number(seed), 1.2 + 1.2 * random_number(seed),
                          1.2 + 1.2 * random_number(seed));
}

typedef dlp_elastic (*law_function)(const void *context, dlp_t3 f);

static void check_stress(law_function law, const void *context, dlp_t3 f, double tolerance)
{
    const double d = 1e-5;
    double at[9], stress[9];
    to_array(f, at);
    to_array(law(context, f).stress, stress);
    for (int k = 0; k < 9; k++) {
        const double old = at[k];
        at[k] = old + d;
        const double up = law(context, from_array(at)).energy;
        at[k] = old - d;
        const double down = law(context, from_array(at)).energy;
        at[k] = old;
        assert_near((up - down) / (2 * d), stress[k], tolerance);
    }
}

static dlp_elastic plain_at(const void *context, dlp_t3 f)
{
    return plain_law(*(const dlp_elastic_law *)context, STUFF, f);
}
static dlp_elastic exact_at(const void *context, dlp_t3 f)
{
    return exact_law(*(const dlp_elastic_law *)context, f);
}
static dlp_elastic fiber_at(const void *context, dlp_t3 f)
{
    return dlp_fiber_law(*(const dlp_fiber *)context, f, dlp_green(dlp_t3_shift(f, -1)));
}

// Stresses.

static void the_stress_is_the_slope_of_the_energy(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int trial = 0; trial < 60; trial++) {
        const dlp_t3 f = random_plain(&seed);
        for (int k = 0; k < LAW_COUNT; k++) {
            check_stress(plain_at, &LAWS[k], f, 1e-8);  // d^2 times a third derivative of about 50
            check_stress(exact_at, &LAWS[k], f, 1e-8);
        }
    }
}

// Flat and inverted too. Where the last two stretches are opposite the energy has a ridge, and where a
// stretch is the least its second derivative jumps: both are kept away from.
static void the_stress_is_the_slope_of_the_energy_when_inverted(void **state)
{
    (void)state;
    uint32_t seed = 2;
    const double stretches[][3] = {{1.5, 0.8, 0.1},  {1.2, 0.1, 0.05}, {0.15, 0.12, 0.1}, {1.1, 0.9, 0},
                                   {1.3, 0.7, -0.4}, {0.5, 0.4, -0.2}, {4, 3, -2},        {0.1, 0.05, 0},
                                   {3, 0.15, -0.02}, {8, 7, 0.1}};
    for (int trial = 0; trial < 60; trial++) {
        const double *s = stretches[trial % 10];
        const dlp_t3 f = with_stretches(random_rotation(&seed), random_rotation(&seed), s[0], s[1], s[2]);
        for (int k = 0; k < LAW_COUNT; k++)
            check_stress(exact_at, &LAWS[k], f, 1e-7 * (1 + size_of(exact_law(LAWS[k], f).stress)));
    }
}

static void a_fibers_stress_is_the_slope_of_its_energy(void **state)
{
    (void)state;
    uint32_t seed = 3;
    const dlp_fiber fiber = {{0.48, 0.6, -0.64}, 0.7};
    for (int trial = 0; trial < 100; trial++) {
        check_stress(fiber_at, &fiber, random_matrix(&seed, 2), 1e-6);
        check_stress(fiber_at, &fiber, random_matrix(&seed, 0.1), 1e-6);  // shorter than a fifth
    }
    // along itself it adds twice beta: dP/dxi at rest
    const double d = 1e-6;
    const dlp_fiber straight = {{1, 0, 0}, 0.7};
    const dlp_elastic pulled = fiber_at(&straight, dlp_t3_diagonal(1 + d, 1, 1));
    assert_near(pulled.stress.xx / d, 1.4, 1e-5);
    assert_near(pulled.energy / (0.5 * 1.4 * d * d), 1, 1e-5);
    const dlp_elastic none = fiber_at(&straight, dlp_t3_diagonal(0, 1, 1));
    assert_true(isfinite(none.energy) && none.energy > 0 && size_of(none.stress) == 0);
}

static void laws_begin_as_that_of_hooke(void **state)
{
    (void)state;
    uint32_t seed = 4;
    for (int trial = 0; trial < 30; trial++) {
        const dlp_t3 h = random_matrix(&seed, 1e-6), q = random_rotation(&seed);
        const dlp_s3 e = dlp_s3_half(h);
        const dlp_t3 hooke =
            dlp_t3_shift(dlp_t3_mul(dlp_s3_full(e), 2 * STUFF.mu), STUFF.lambda * dlp_s3_trace(e));
        const double energy =
            STUFF.mu * dlp_s3_dot(e, e) + STUFF.lambda / 2 * dlp_s3_trace(e) * dlp_s3_trace(e);
        const dlp_t3 f = dlp_t3_product(q, dlp_t3_shift(h, 1));
        for (int k = 0; k < LAW_COUNT; k++) {
            const dlp_elastic plain = plain_law(LAWS[k], STUFF, f), exact = exact_law(LAWS[k], f);
            assert_near(plain.energy / energy, 1, 1e-4);
            assert_near(exact.energy / energy, 1, 1e-4);
            assert_near(distance(plain.stress, dlp_t3_product(q, hooke)), 0, 1e-10);
            assert_near(distance(exact.stress, dlp_t3_product(q, hooke)), 0, 1e-10);
        }
    }
}

static void laws_do_not_know_where_they_look_from(void **state)
{
    (void)state;
    uint32_t seed = 5;
    for (int trial = 0; trial < 100; trial++) {
        const dlp_t3 q = random_rotation(&seed);
        const dlp_t3 f = trial % 2 ? random_plain(&seed) : random_matrix(&seed, 1.5);
        for (int k = 0; k < LAW_COUNT; k++) {
            const dlp_elastic here = exact_law(LAWS[k], f);
            const dlp_elastic turned = exact_law(LAWS[k], dlp_t3_product(q, f));
            const dlp_elastic other = exact_law(LAWS[k], dlp_t3_product(f, q));
            const double near = 1e-11 * (1 + here.energy);
            assert_near(turned.energy, here.energy, near);
            assert_near(other.energy, here.energy, near);  // isotropic
            assert_near(distance(turned.stress, dlp_t3_product(q, here.stress)), 0, near);
            assert_near(distance(other.stress, dlp_t3_product(here.stress, q)), 0, near);
            // no torque: P F^T is symmetric
            const dlp_t3 cauchy = dlp_t3_product_transposed(here.stress, f);
            assert_near(distance(cauchy, dlp_t3_transpose(cauchy)), 0, near);
        }
    }
}

static void tensors_and_stretches_agree_where_both_hold(void **state)
{
    (void)state;
    uint32_t seed = 6;
    int plain_count = 0;
    for (int trial = 0; trial < 3000; trial++) {
        const dlp_t3 f = dlp_t3_add(dlp_t3_identity(), random_matrix(&seed, trial % 3 == 0 ? 1.2 : 0.4));
        const dlp_s3 e = dlp_green(dlp_t3_shift(f, -1));
        for (int k = 0; k < LAW_COUNT; k++) {
            const double least = dlp_elastic_least(LAWS[k]);
            if (LAWS[k] != DLP_ELASTIC_COROTATED && !dlp_elastic_is_plain(f, e, least)) continue;
            if (dlp_t3_determinant(f) < 0) continue;  // where the polar rotation may have two answers
            plain_count++;
            const dlp_elastic plain = plain_law(LAWS[k], STUFF, f), exact = exact_law(LAWS[k], f);
            assert_near(plain.energy, exact.energy, 1e-10 * (1 + exact.energy));
            assert_near(distance(plain.stress, exact.stress), 0, 1e-9 * (1 + size_of(exact.stress)));
        }
    }
    assert_true(plain_count > 3000);
}

// Against the stretches themselves, and the cheap bound 2 J / |F|^2 <= sigma_min.
static void plain_is_where_no_stretch_is_below_the_least(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int trial = 0; trial < 5000; trial++) {
        const dlp_t3 f = dlp_t3_add(dlp_t3_identity(), random_matrix(&seed, 1));
        double m[9];
        to_array(f, m);
        const double smallest = dlp_svd(m).stretch[2];
        const double bound = 2 * dlp_t3_determinant(f) / dlp_t3_dot(f, f);
        assert_true(bound <= smallest + 1e-12 || smallest < 0);
        for (int k = 0; k < 2; k++) {
            const double least = dlp_elastic_least(LAWS[k]);
            if (fabs(smallest - least) < 1e-9) continue;
            assert_int_equal(dlp_elastic_is_plain(f, dlp_green(dlp_t3_shift(f, -1)), least),
                             smallest > least);
        }
    }
}

// A pulled bar.

// Nominal stress along x of a bar pulled to `stretch` whose sides are free, by bisection of their stretch.
static double pulled_bar(dlp_elastic_law law, double nu, double stretch, double *out_side)
{
    const dlp_lame m = {dlp_lame_mu(1, nu), dlp_lame_lambda(1, nu)};
    double low = 0.2, high = 2;
    for (int k = 0; k < 60; k++) {
        const double side = (low + high) / 2;
        const double stress = plain_law(law, m, dlp_t3_diagonal(stretch, side, side)).stress.yy;
        *(stress > 0 ? &high : &low) = side;
    }
    *out_side = (low + high) / 2;
    return plain_law(law, m, dlp_t3_diagonal(stretch, *out_side, *out_side)).stress.xx;
}

static void a_pulled_bar_obeys_the_closed_forms(void **state)
{
    (void)state;
    const double ratios[] = {0, 0.3, 0.45};
    for (int k = 0; k < 3; k++)
        for (double l = 0.7; l < 1.5; l += 0.1) {
            const double nu = ratios[k];
            double side;
            assert_near(pulled_bar(DLP_ELASTIC_STVK, nu, l, &side), l * (l * l - 1) / 2, 1e-9);
            assert_near(side, sqrt(1 - nu * (l * l - 1)), 1e-9);
            assert_near(pulled_bar(DLP_ELASTIC_COROTATED, nu, l, &side), l - 1, 1e-9);
            assert_near(side, 1 - nu * (l - 1), 1e-9);
            const double nominal = pulled_bar(DLP_ELASTIC_NEO_HOOKEAN, nu, l, &side);
            const double mu =
                dlp_lame_mu(1, nu);  // what is free at the sides: mu (side^2 - 1) + lambda ln J = 0
            assert_near(nominal, mu * (l * l - side * side) / l, 1e-9);
        }
    double side;
    assert_near(pulled_bar(DLP_ELASTIC_NEO_HOOKEAN, 0.3, 0.5, &side), -0.935352057, 1e-8);
    assert_near(side, 1.21076739, 1e-8);
}

// S1: the tabulated bar, read from the folder that DLP_REFERENCES names.
static void a_pulled_bar_obeys_the_table(void **state)
{
    (void)state;
    const char *folder = getenv("DLP_REFERENCES");
    if (folder == NULL) skip();
    char path[1024];
    snprintf(path, sizeof path, "%s/solids/uniaxial_hyperelastic.csv", folder);
    dlp_csv_data table;
    dlp_error error;
    assert_int_equal(dlp_csv_read(path, &table, &error), DLP_OK);
    const char *names[LAW_COUNT] = {"NH", "StVK", "LC"};
    for (int32_t row = 0; row < table.row_count; row++)
        for (int k = 0; k < LAW_COUNT; k++) {
            const double *values = table.values + (size_t)row * (size_t)table.column_count;
            const double nu = values[dlp_csv_column(&table, "nu")];
            const double stretch = values[dlp_csv_column(&table, "stretch")];
            double truth[3], side;
            const char *endings[] = {"P_free", "lt", "P_fixed"};
            for (int n = 0; n < 3; n++) {
                char name[32];
                snprintf(name, sizeof name, "%s_%s", names[k], endings[n]);
                truth[n] = values[dlp_csv_column(&table, name)];
            }
            const dlp_lame m = {dlp_lame_mu(1, nu), dlp_lame_lambda(1, nu)};
            const double fixed = plain_law(LAWS[k], m, dlp_t3_diagonal(stretch, 1, 1)).stress.xx;
            assert_near(fixed, truth[2], 1e-6 * (1 + fabs(truth[2])));
            if (isnan(truth[1])) continue;
            assert_near(pulled_bar(LAWS[k], nu, stretch, &side), truth[0], 1e-6);
            assert_near(side, truth[1], 1e-6);
        }
    dlp_csv_data_release(&table);
}

static void moduli_are_those_of_the_textbook(void **state)
{
    (void)state;
    const double e = 7e5, nu = 0.37, mu = dlp_lame_mu(e, nu), lambda = dlp_lame_lambda(e, nu);
    assert_near(mu * (3 * lambda + 2 * mu) / (lambda + mu), e, 1e-6);
    assert_near(lambda / (2 * (lambda + mu)), nu, 1e-12);
    assert_near(dlp_wave_modulus(mu, lambda, 5), e * (1 - nu) / ((1 + nu) * (1 - 2 * nu)) + 5, 1e-6);
    // a sheet that is held across its width: E / (1 - nu^2)
    assert_near(2 * mu + dlp_lame_lambda_sheet(mu, lambda), e / (1 - nu * nu), 1e-6);
}

// Crushed and inverted.

static void energy_and_stress_are_continuous_at_the_least_stretch(void **state)
{
    (void)state;
    const double d = 1e-7;
    for (int k = 0; k < 2; k++) {
        const double c = dlp_elastic_least(LAWS[k]);
        const double others[][2] = {{1.4, 0.9}, {1.4, c}, {1.4, 0.1}, {0.15, 0.1}, {c, c}, {2, -0.05}};
        for (int n = 0; n < 6; n++) {
            const double x = others[n][0], y = others[n][1];
            const dlp_elastic above = exact_law(LAWS[k], dlp_t3_diagonal(x, c + d, y));
            const dlp_elastic below = exact_law(LAWS[k], dlp_t3_diagonal(x, c - d, y));
            assert_near(above.energy, below.energy, 3 * d * size_of(above.stress));
            assert_near(distance(above.stress, below.stress), 0, 2e3 * d);
            // the stress is what the energy loses, from both sides at once
            assert_near((above.energy - below.energy) / (2 * d), above.stress.yy, 1e-4);
        }
    }
}

static void no_deformation_has_a_negative_or_infinite_energy(void **state)
{
    (void)state;
    uint32_t seed = 8;
    for (int trial = 0; trial < 20000; trial++) {
        dlp_t3 f = random_matrix(&seed, trial % 5 == 0 ? 1e-3 : trial % 5 == 1 ? 20 : 2);
        if (trial % 7 == 0) f.xx = f.yx = f.zx = 0;  // flat
        if (trial % 11 == 0) f = dlp_t3_outer((dlp_v3){f.xx, f.xy, f.xz}, (dlp_v3){f.yx, f.yy, f.zz});
        if (trial % 101 == 0) f = dlp_t3_diagonal(0, 0, 0);
        for (int k = 0; k < LAW_COUNT; k++) {
            const dlp_elastic at = exact_law(LAWS[k], f);
            assert_true(at.energy >= 0 && isfinite(at.energy) && isfinite(size_of(at.stress)));
        }
        const dlp_fiber fiber = {{0, 0, 1}, 1};
        const dlp_elastic at = fiber_at(&fiber, f);
        assert_true(at.energy >= -1e-15 && isfinite(at.energy) && isfinite(size_of(at.stress)));
    }
}

static void matter_crushed_to_a_point_is_pushed_out(void **state)
{
    (void)state;
    for (int k = 0; k < LAW_COUNT; k++) {
        const dlp_elastic at = exact_law(LAWS[k], dlp_t3_diagonal(0, 0, 0));
        assert_true(at.energy > 0.1 && at.stress.xx < -0.1);
        assert_near(distance(at.stress, dlp_t3_mul(dlp_t3_identity(), at.stress.xx)), 0, 1e-14);
        // and on the way from there to rest the push never stops: the energy falls all the way
        double before = at.energy;
        for (double s = 0.05; s < 1; s += 0.05) {
            const double now = exact_law(LAWS[k], dlp_t3_diagonal(s, s, s)).energy;
            assert_true(now < before);
            before = now;
        }
        // nor from a mirrored state
        before = exact_law(LAWS[k], dlp_t3_diagonal(1, 1, -1)).energy;
        for (double s = -0.95; s < 1; s += 0.05) {
            const double now = exact_law(LAWS[k], dlp_t3_diagonal(1, 1, s)).energy;
            assert_true(now < before);
            before = now;
        }
    }
}

// Single precision and lanes.

enum { BATCH = 4096 };

static void make_inputs(float *inputs, double size)
{
    uint32_t seed = 9;
    for (int i = 0; i < BATCH; i++) {
        float *in = inputs + i * FORMULA_INPUTS;
        for (int k = 0; k < 9; k++) in[k] = (float)(2 * size * random_number(&seed));
        in[9] = 1.3f;
        in[10] = 2.1f;
    }
}
static dlp_t3 input_change(const float *in)
{
    return (dlp_t3){(double)in[0], (double)in[1], (double)in[2], (double)in[3], (double)in[4],
                    (double)in[5], (double)in[6], (double)in[7], (double)in[8]};
}
static dlp_t3 output_stress(const float *out)
{
    return (dlp_t3){(double)out[1], (double)out[2], (double)out[3], (double)out[4], (double)out[5],
                    (double)out[6], (double)out[7], (double)out[8], (double)out[9]};
}

static const int PLACES[LAW_COUNT] = {FORMULA_NEO_HOOKEAN, FORMULA_STVK, FORMULA_COROTATED};
static float inputs[BATCH * FORMULA_INPUTS], outputs[3][BATCH * FORMULA_OUTPUTS];

// Energies and stresses in single precision against double, relative, over strains of a size.
static void check_single(double size, double energy_tolerance, double stress_tolerance)
{
    make_inputs(inputs, size);
    formulas_single(BATCH, inputs, outputs[0]);
    for (int i = 0; i < BATCH; i++) {
        const float *in = inputs + i * FORMULA_INPUTS, *out = outputs[0] + i * FORMULA_OUTPUTS;
        const dlp_t3 h = input_change(in), f = dlp_t3_shift(h, 1);
        const dlp_lame m = {(double)in[9], (double)in[10]};
        const dlp_elastic truths[LAW_COUNT] = {dlp_neo_hookean(m, f, dlp_green(h)),
                                               dlp_stvk(m, f, dlp_green(h)),
                                               dlp_corotated(m, h, rotation_of(f))};
        for (int k = 0; k < LAW_COUNT; k++) {
            const float *law = out + PLACES[k];
            assert_near((double)law[0] / truths[k].energy, 1, energy_tolerance);
            assert_near(distance(output_stress(law), truths[k].stress) / size_of(truths[k].stress), 0,
                        stress_tolerance);
        }
        const dlp_fiber fiber = {{(double)0.6f, 0, (double)0.8f}, m.mu};
        const dlp_elastic truth = dlp_fiber_law(fiber, f, dlp_green(h));
        assert_near((double)out[FORMULA_FIBER], truth.energy, energy_tolerance * size * size);
        assert_near(distance(output_stress(out + FORMULA_FIBER), truth.stress), 0, stress_tolerance * size);
    }
}

static void single_precision_loses_nothing_near_rest(void **state)
{
    (void)state;
    check_single(1e-4, 1e-5, 1e-5);
    check_single(1e-2, 1e-5, 1e-5);
    check_single(0.2, 1e-4, 1e-4);
}

// Turned by anything: F itself has lost 6e-8 then, a strain of 1e-4 has 1e-3 of it, its energy twice that.
static void single_precision_keeps_small_strains_of_turned_bodies(void **state)
{
    (void)state;
    uint32_t seed = 10;
    make_inputs(inputs, 1e-3);
    for (int i = 0; i < BATCH; i++) {
        float *in = inputs + i * FORMULA_INPUTS;
        double turned[9];
        to_array(dlp_t3_shift(dlp_t3_product(random_rotation(&seed), dlp_t3_shift(input_change(in), 1)), -1),
                 turned);
        for (int k = 0; k < 9; k++) in[k] = (float)turned[k];
    }
    formulas_single(BATCH, inputs, outputs[0]);
    for (int i = 0; i < BATCH; i++) {
        const dlp_t3 f = dlp_t3_shift(input_change(inputs + i * FORMULA_INPUTS), 1);
        const float *out = outputs[0] + i * FORMULA_OUTPUTS;
        for (int k = 0; k < 2; k++)  // the third is as good as its rotation after four steps
            assert_near((double)out[PLACES[k]] / exact_law(LAWS[k], f).energy, 1, 2e-2);
    }
}

// What a law makes of lanes where it does not hold is no number, of any sign.
static void check_same_bits(const float *a, const float *b)
{
    for (int k = 0; k < BATCH * FORMULA_OUTPUTS; k++)
        if (!(isnan(a[k]) && isnan(b[k])))
            if (memcmp(&a[k], &b[k], sizeof *a) != 0)
                fail_msg("output %d is %.9g and %.9g", k % FORMULA_OUTPUTS, (double)a[k], (double)b[k]);
}

static void check_avx2(void)
{
#if defined(DLP_HAVE_AVX2_PAIRS)
    dlp_target target;
    dlp_error error;
    if (dlp_target_choose("avx2", &target, &error) != DLP_OK) return;
    formulas_avx2(BATCH, inputs, outputs[2]);
    check_same_bits(outputs[0], outputs[2]);
#endif
}

static void lanes_give_the_bits_of_one_particle(void **state)
{
    (void)state;
    const double sizes[] = {1e-4, 0.1, 1, 30};
    for (int k = 0; k < 4; k++) {
        make_inputs(inputs, sizes[k]);
        memset(inputs, 0, 9 * sizeof(float));
        for (int n = 0; n < 9; n++) inputs[FORMULA_INPUTS + n] = n % 4 == 0 ? -1 : 0;  // F = 0
        formulas_single(BATCH, inputs, outputs[0]);
        formulas_plain(BATCH, inputs, outputs[1]);
        check_same_bits(outputs[0], outputs[1]);
        check_avx2();
    }
}

// All of them finite, and right to single precision, whatever the deformation.
static void eight_lanes_of_any_deformation_follow_their_law(void **state)
{
    (void)state;
    make_inputs(inputs, 1.5);
    for (int n = 0; n < 9; n++) inputs[n] = n % 4 == 0 ? -1 : 0;  // F = 0
    formulas_plain(BATCH, inputs, outputs[0]);
    for (int i = 0; i < BATCH; i++)
        for (int k = 0; k < 2; k++) {
            const float *out = outputs[0] + i * FORMULA_OUTPUTS + FORMULA_LAWS + 10 * k;
            const dlp_t3 f = dlp_t3_shift(input_change(inputs + i * FORMULA_INPUTS), 1);
            const dlp_elastic truth = exact_law(LAWS[k], f);
            assert_near((double)out[0], truth.energy, 1e-4 * (1 + truth.energy));
            assert_near(distance(output_stress(out), truth.stress), 0, 1e-4 * (1 + size_of(truth.stress)));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stress_is_the_slope_of_the_energy),
        cmocka_unit_test(the_stress_is_the_slope_of_the_energy_when_inverted),
        cmocka_unit_test(a_fibers_stress_is_the_slope_of_its_energy),
        cmocka_unit_test(laws_begin_as_that_of_hooke),
        cmocka_unit_test(laws_do_not_know_where_they_look_from),
        cmocka_unit_test(tensors_and_stretches_agree_where_both_hold),
        cmocka_unit_test(plain_is_where_no_stretch_is_below_the_least),
        cmocka_unit_test(a_pulled_bar_obeys_the_closed_forms),
        cmocka_unit_test(a_pulled_bar_obeys_the_table),
        cmocka_unit_test(moduli_are_those_of_the_textbook),
        cmocka_unit_test(energy_and_stress_are_continuous_at_the_least_stretch),
        cmocka_unit_test(no_deformation_has_a_negative_or_infinite_energy),
        cmocka_unit_test(matter_crushed_to_a_point_is_pushed_out),
        cmocka_unit_test(single_precision_loses_nothing_near_rest),
        cmocka_unit_test(single_precision_keeps_small_strains_of_turned_bodies),
        cmocka_unit_test(lanes_give_the_bits_of_one_particle),
        cmocka_unit_test(eight_lanes_of_any_deformation_follow_their_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
