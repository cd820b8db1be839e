/* Pair functions in single precision, as the loops use them: Newton's third law and Galilei's invariance to
 * the last bit. */
#include "matter/pair_density.h"
#include "matter/pair_heat.h"
#include "matter/pair_pressure.h"
#include "matter/pair_viscosity.h"

#include <stdio.h>
#include <string.h>
#include "truth.h"

static const dlp_kernel_kind KINDS[] = {DLP_KERNEL_DESBRUN, DLP_KERNEL_SPLINE, DLP_KERNEL_WENDLAND,
                                        DLP_KERNEL_MULLER};

// A multiple of 1/1024, so that sums and differences of a few are exact.
static float random_between(uint32_t *seed, int from, int to)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)from + (float)((*seed >> 8) % (uint32_t)(1024 * (to - from))) / 1024;
}

static dlp_v3 random_vector(uint32_t *seed)
{
    const float x = random_between(seed, -1, 1), y = random_between(seed, -1, 1);
    return (dlp_v3){x, y, random_between(seed, -1, 1)};
}

static dlp_pair_point random_point(uint32_t *seed)
{
    return (dlp_pair_point){.v = random_vector(seed),
                            .pressure = 1.1f * random_between(seed, -100, 1000),
                            .volume0 = 1e-3f * random_between(seed, 1, 2),
                            .volume = 1e-3f * random_between(seed, 1, 2),
                            .viscosity = 0.3f * random_between(seed, 0, 10),
                            .density = 700.3f + random_between(seed, 0, 500),
                            .h = 0.6f + 0.3f * random_between(seed, 0, 1),
                            .alpha_c = 1.7f * random_between(seed, 0, 10),
                            .beta = 0.7f * random_between(seed, 0, 2),
                            .bulk = 1e3f};
}

typedef struct pair_force {
    float pressure[3], viscosity[3], artificial[3], drag[3], divergence;
} pair_force;

static void set_force(float *to, dlp_v3 direction, float coefficient)
{
    const dlp_v3 force = dlp_v3_mul(direction, coefficient);
    to[0] = force.x;
    to[1] = force.y;
    to[2] = force.z;
}

// On i at x from j, each as a loop gathers it.
static pair_force force_on(dlp_kernel_kind kind, dlp_pair_point i, dlp_pair_point j, dlp_v3 x)
{
    const dlp_pair_offset o = dlp_pair_offset_of(x, i.h);
    const float slope = 1.3f * dlp_pair_slope(kind, 3, o.r, dlp_pair_inverse_h(i.h, j.h));
    const float h = dlp_pair_mean_h(i.h, j.h);
    const dlp_v3 v_ij = dlp_v3_sub(i.v, j.v);
    const float vx = dlp_v3_dot(v_ij, o.x), along = dlp_pair_along(vx, dlp_pair_softened(o.rr, h));
    const float pressure =
        kind == DLP_KERNEL_MULLER ? dlp_pair_pressure_mean(i, j, slope) : dlp_pair_pressure(i, j, slope);
    pair_force f = {.divergence = dlp_pair_divergence(j.volume0, vx, slope)};
    set_force(f.pressure, o.x, pressure);
    set_force(f.viscosity, o.x, dlp_pair_viscosity(i, j, 9.7f, along, slope));
    set_force(f.artificial, o.x, dlp_pair_artificial(i, j, dlp_pair_approach(h, along), slope));
    set_force(f.drag, v_ij, -dlp_pair_drag(i, j, dlp_pair_laplacian(0.9f, 3, o.r, h)));
    return f;
}

static void assert_opposite(const float *a, const float *b)
{
    for (int k = 0; k < 3; k++) assert_true(a[k] == -b[k]);
}

// Offsets below h/100 are left out: there the hair that keeps r from 0 is that of i.
static void what_j_does_to_i_is_what_i_does_to_j_to_the_bit(void **state)
{
    (void)state;
    uint32_t seed = 3;
    for (int n = 0; n < 4000; n++) {
        const dlp_pair_point i = random_point(&seed), j = random_point(&seed);
        const dlp_v3 x = random_vector(&seed);
        if (dlp_v3_length(x) < 0.01f) continue;
        const pair_force f = force_on(KINDS[n % 4], i, j, x);
        const pair_force back = force_on(KINDS[n % 4], j, i, (dlp_v3){-x.x, -x.y, -x.z});
        assert_opposite(f.pressure, back.pressure);
        assert_opposite(f.viscosity, back.viscosity);
        assert_opposite(f.artificial, back.artificial);
        assert_opposite(f.drag, back.drag);
    }
}

static void heat_that_i_gains_j_loses_to_the_bit(void **state)
{
    (void)state;
    uint32_t seed = 5;
    for (int n = 0; n < 1000; n++) {
        const dlp_pair_point i = random_point(&seed), j = random_point(&seed);
        const dlp_pair_offset o = dlp_pair_offset_of(random_vector(&seed), 0);
        const float t_i = 3.3f * random_between(&seed, 0, 100), t_j = 3.3f * random_between(&seed, 0, 100);
        const float k = dlp_pair_harmonic_mean(i.viscosity, j.viscosity);
        const float back = dlp_pair_harmonic_mean(j.viscosity, i.viscosity);
        const float softened = dlp_pair_softened(o.rr, dlp_pair_mean_h(i.h, j.h));
        assert_true(dlp_pair_conduction(i.volume * j.volume, k, t_i - t_j, o.rr, softened, -2.3f) ==
                    -dlp_pair_conduction(j.volume * i.volume, back, t_j - t_i, o.rr, softened, -2.3f));
    }
}

static void a_common_velocity_changes_nothing(void **state)
{
    (void)state;
    uint32_t seed = 9;
    for (int n = 0; n < 1000; n++) {
        dlp_pair_point i = random_point(&seed), j = random_point(&seed);
        const dlp_v3 x = random_vector(&seed), wind = random_vector(&seed);
        const pair_force still = force_on(KINDS[n % 4], i, j, x);
        i.v = (dlp_v3){i.v.x + 16 * wind.x, i.v.y + 16 * wind.y, i.v.z + 16 * wind.z};
        j.v = (dlp_v3){j.v.x + 16 * wind.x, j.v.y + 16 * wind.y, j.v.z + 16 * wind.z};
        const pair_force moving = force_on(KINDS[n % 4], i, j, x);
        assert_int_equal(memcmp(&still, &moving, sizeof still), 0);
    }
}

static void padding_does_nothing(void **state)
{
    (void)state;
    uint32_t seed = 21;
    const dlp_pair_point i = random_point(&seed), padding = {.h = i.h};
    for (int k = 0; k < 4; k++) {
        const pair_force f = force_on(KINDS[k], i, padding, (dlp_v3){1e6f, 1e6f, 1e6f});
        for (int axis = 0; axis < 3; axis++)
            assert_true(f.pressure[axis] == 0 && f.viscosity[axis] == 0 && f.artificial[axis] == 0 &&
                        f.drag[axis] == 0);
        assert_true(dlp_pair_approach_size(1, f.divergence) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_j_does_to_i_is_what_i_does_to_j_to_the_bit),
        cmocka_unit_test(heat_that_i_gains_j_loses_to_the_bit),
        cmocka_unit_test(a_common_velocity_changes_nothing),
        cmocka_unit_test(padding_does_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
