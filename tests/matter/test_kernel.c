/* Kernels, norms, state equations: against integrals and finite differences. */
#include "matter/energy.h"
#include "matter/kernel.h"
#include "matter/norm.h"
#include "matter/state.h"

#include <stdio.h>
#include "truth.h"

static const dlp_kernel_kind KINDS[] = {DLP_KERNEL_DESBRUN, DLP_KERNEL_SPLINE, DLP_KERNEL_WENDLAND,
                                        DLP_KERNEL_MULLER};

// Measure of the sphere of radius q in d dimensions.
static double shell(int d, double q)
{
    return d == 1 ? 2 : d == 2 ? 2 * DLP_PI * q : 4 * DLP_PI * q * q;
}

static double integral(dlp_kernel_kind kind, int d)
{
    const int n = 20000;
    double sum = 0;
    for (int k = 0; k < n; k++) {
        const double q = 2.0 * (k + 0.5) / n;
        sum += dlp_kernel_shape(kind, q) * shell(d, q);
    }
    return sum * 2 / n * dlp_kernel_norm(kind, d);
}

static void every_kernel_integrates_to_one(void **state)
{
    (void)state;
    for (int d = 1; d <= 3; d++)
        for (int k = 0; k < 4; k++) {
            if (isnan(dlp_kernel_norm(KINDS[k], d))) continue;
            assert_near(integral(KINDS[k], d), 1, 1e-5);  // float evaluation of the shape
        }
}

static void desbrun_and_spiky_are_the_same_function(void **state)
{
    (void)state;
    // 15 / (pi H^6) (H - r)^3 with H = 2h against 15 / (64 pi h^3) (2 - q)^3
    const double h = 0.7, r = 0.31, H = 2 * h;
    const double spiky = 15 / (DLP_PI * pow(H, 6)) * pow(H - r, 3);
    const double desbrun =
        dlp_kernel_slope_norm(DLP_KERNEL_MULLER, 3) / pow(h, 3) * dlp_kernel_shape(DLP_KERNEL_DESBRUN, r / h);
    assert_near(desbrun / spiky, 1, 1e-6);
}

static void slopes_are_the_derivative_of_the_shape_over_q(void **state)
{
    (void)state;
    const dlp_kernel_kind kinds[] = {DLP_KERNEL_DESBRUN, DLP_KERNEL_SPLINE, DLP_KERNEL_WENDLAND};
    for (int k = 0; k < 3; k++)
        for (double q = 0.1; q < 1.95; q += 0.0837) {
            const double dq = 2e-3;  // so that a float's rounding (1e-7) stays below the tolerance
            const double difference =
                (dlp_kernel_shape(kinds[k], q + dq) - dlp_kernel_shape(kinds[k], q - dq)) / (2 * dq);
            assert_near(dlp_kernel_slope(kinds[k], q) * q, difference, 5e-4);
        }
}

static void nothing_reaches_beyond_two_h(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        assert_true(dlp_kernel_shape(KINDS[k], 2.0) == 0 && dlp_kernel_shape(KINDS[k], 5.0) == 0);
        assert_true(dlp_kernel_slope(KINDS[k], 2.0) == 0 && dlp_kernel_slope(KINDS[k], 3.0) == 0);
    }
}

static void desbrun_keeps_its_slope_at_the_centre_and_spline_does_not(void **state)
{
    (void)state;
    assert_near(dlp_kernel_slope(DLP_KERNEL_DESBRUN, 1e-4) * 1e-4, -12, 0.01);
    assert_near(dlp_kernel_slope(DLP_KERNEL_SPLINE, 1e-4) * 1e-4, 0, 0.001);
}

static void a_half_space_through_the_centre_holds_half(void **state)
{
    (void)state;
    for (int d = 2; d <= 3; d++)
        for (int k = 0; k < 4; k++) {
            assert_near(dlp_half_space(KINDS[k], d, 0), 0.5, 1e-4);
            assert_near(dlp_half_space(KINDS[k], d, 0.4) + dlp_half_space(KINDS[k], d, -0.4), 1, 1e-9);
            assert_true(dlp_half_space(KINDS[k], d, 2) == 0);
        }
}

static void lattice_sums_are_those_of_the_trial(void **state)
{
    (void)state;
    // measured by others on close packing with h = 1.35: desbrun 1.068, Wendland 1.003 to 1.004 (+- the
    // lattice)
    assert_near(dlp_lattice_sum(DLP_KERNEL_DESBRUN, 3, 1.35, DLP_LATTICE_HEXAGONAL).density, 1.068, 0.003);
    assert_near(dlp_lattice_sum(DLP_KERNEL_WENDLAND, 3, 1.35, DLP_LATTICE_HEXAGONAL).density, 1.004, 0.003);
    // many neighbours: the integral
    assert_near(dlp_lattice_sum(DLP_KERNEL_SPLINE, 3, 3, DLP_LATTICE_CUBIC).density, 1, 1e-4);
    assert_near(dlp_lattice_sum(DLP_KERNEL_SPLINE, 2, 6, DLP_LATTICE_CUBIC).viscosity, 1, 0.02);
}

static void energies_are_the_integral_of_pressure(void **state)
{
    (void)state;
    for (double delta = 0.8; delta < 1.3; delta += 0.07) {
        const double e = 1e-5, square = delta * delta;
        const double linear =
            (dlp_energy_linear(delta + e, 1000, 50) - dlp_energy_linear(delta - e, 1000, 50)) / (2 * e);
        const double tait =
            (dlp_energy_tait(delta + e, 1000, 50, 7) - dlp_energy_tait(delta - e, 1000, 50, 7)) / (2 * e);
        const double ideal =
            (dlp_energy_ideal(delta + e, 1000, 50) - dlp_energy_ideal(delta - e, 1000, 50)) / (2 * e);
        assert_near(linear, (double)dlp_pressure_linear((float)delta, 1000, 50) / square, 0.05);
        assert_near(tait, (double)dlp_pressure_tait((float)delta, 1000, 50, 7) / square, 0.2);
        assert_near(ideal, (double)dlp_pressure_ideal((float)delta, 1000, 50) / square, 0.5);
    }
}

static void the_speed_of_sound_is_the_root_of_the_stiffness(void **state)
{
    (void)state;
    // c^2 = dP/drho at rest, for the linear and the Tait equation
    const float rho0 = 1000, k = 400, e = 1e-3f;
    const float linear =
        (dlp_pressure_linear(1 + e, rho0, k) - dlp_pressure_linear(1 - e, rho0, k)) / (2 * e * rho0);
    const float tait =
        (dlp_pressure_tait(1 + e, rho0, k, 7) - dlp_pressure_tait(1 - e, rho0, k, 7)) / (2 * e * rho0);
    assert_near((double)linear, 400, 0.1);
    assert_near((double)tait, 400, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_integrates_to_one),
        cmocka_unit_test(desbrun_and_spiky_are_the_same_function),
        cmocka_unit_test(slopes_are_the_derivative_of_the_shape_over_q),
        cmocka_unit_test(nothing_reaches_beyond_two_h),
        cmocka_unit_test(desbrun_keeps_its_slope_at_the_centre_and_spline_does_not),
        cmocka_unit_test(a_half_space_through_the_centre_holds_half),
        cmocka_unit_test(lattice_sums_are_those_of_the_trial),
        cmocka_unit_test(energies_are_the_integral_of_pressure),
        cmocka_unit_test(the_speed_of_sound_is_the_root_of_the_stiffness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
