/* Solvers of pressures: their operator against brute force, what they keep, and what they refuse. */
#include "motion/sph/sph.h"
#include "scenes.h"

#include <string.h>

// Two substances of different density and size in disorder, on a floor.
#define MIXTURE                                                                                              \
    "{gravity: [0, 0, -9.81], frames: {rate: 100, count: 10}, substances: {"                                 \
    " light: {kernel: wendland, density: 1000, pressure: dfsph, particle: {spacing: 0.02, jitter: 0.3},"     \
    "         shape: {box: {min: [0, 0, 0], max: [0.1, 0.1, 0.1]}}},"                                        \
    " heavy: {kernel: wendland, density: 1300, pressure: dfsph, particle: {spacing: 0.03, jitter: 0.3},"     \
    "         shape: {box: {min: [0.1, 0, 0], max: [0.22, 0.12, 0.12]}}}},"                                  \
    " obstacles: [{box: {min: [-0.2, -0.2, -0.1], max: [0.5, 0.5, 0]}}]}"

static dlp_sph *prepared(const setup *s)
{
    dlp_sph *sph = dlp_sph_of(s->world);
    dlp_error error = {0};
    sph->scratch.neighbours.are_stale = true;
    expect_ok(dlp_sph_evaluate(sph, &error), &error);
    dlp_projection_prepare(sph);
    return sph;
}

static float volume_of(const dlp_projection *p, int32_t k)
{
    return p->paces[(int64_t)k * DLP_PACE_SIZE + 3];
}

// Column k of the operator, in `response`.
static void apply_unit(dlp_sph *sph, int32_t k)
{
    dlp_projection *p = &sph->scratch.projection;
    memset(p->kappa, 0, (size_t)dlp_sph_point_count(sph) * sizeof *p->kappa);
    p->kappa[k] = 1;
    dlp_projection_apply(sph);
}

// V_i A_ik = V_k A_ki, also between sizes, densities and with walls; and A_kk = -D_k where no floor raises
// it.
static void the_operator_is_symmetric_and_has_its_diagonal(void **state)
{
    (void)state;
    setup s = make_setup(MIXTURE);
    dlp_sph *sph = prepared(&s);
    dlp_projection *p = &sph->scratch.projection;
    const int32_t points = dlp_sph_point_count(sph), particles = sph->state.particles.count;
    int32_t row_count = 0, wall_count = 0;
    for (int32_t k = 0; k < points; k += k < particles ? 3 : 1 + points / 150) {
        apply_unit(sph, k);
        const double own = -(double)p->response[k], diagonal = (double)p->rows[(int64_t)k * DLP_ROW_SIZE + 3];
        if (k < particles) {
            assert_near(own / diagonal, 1, 1e-4);  // floors are a tenth of the lattice's: never met within
            row_count++;
        } else if (own > 0) {
            assert_true(diagonal >= 0.999 * own);
            wall_count++;
        }
        float column[64];
        int32_t other[64], count = 0;
        for (int32_t i = 0; i < points && count < 64; i += 7)
            if (p->response[i] != 0) {
                other[count] = i;
                column[count++] = volume_of(p, i) * p->response[i];
            }
        for (int32_t n = 0; n < count; n += 9) {
            apply_unit(sph, other[n]);
            const double scale = fabs((double)(volume_of(p, k) * p->rows[(int64_t)k * DLP_ROW_SIZE + 3]));
            assert_near((double)(volume_of(p, k) * p->response[k]) / scale, (double)column[n] / scale, 2e-5);
        }
    }
    if (row_count < 50 || wall_count < 10)
        fail_msg("%d particles, %d walls of %d", row_count, wall_count, points);
    release_setup(&s);
}

// Moves all particles by `share` of what the operator says that kappa does to them, and sums densities there.
static void sum_moved(dlp_sph *sph, const float *moves, float share, const int32_t *places, float *out_excess)
{
    for (int32_t i = 0; i < sph->state.particles.count; i++) {
        int32_t at[3];
        for (int axis = 0; axis < 3; axis++)
            at[axis] = places[3 * i + axis] + (int32_t)lrint((double)(share * moves[3 * i + axis]) *
                                                             sph->params.units.inverse[axis]);
        memcpy(dlp_sph_packed(sph, i) + DLP_PACKED_AT, at, sizeof at);
    }
    static int32_t index[1000];
    for (int32_t i = 0; i < sph->state.particles.count; i++) index[i] = i;
    dlp_sph_sum_kernel(sph, index, sph->state.particles.count);
    for (int32_t i = 0; i < sph->state.particles.count; i++)
        out_excess[i] = sph->params.pair.compression_factor * (dlp_sph_density_sum(sph, i) - 1);
}

// A kappa is what moving by a(kappa) does to the sums of densities.
static void the_response_is_the_derivative_of_density(void **state)
{
    (void)state;
    setup s = make_setup(MIXTURE);
    dlp_sph *sph = prepared(&s);
    dlp_projection *p = &sph->scratch.projection;
    const int32_t count = sph->state.particles.count;
    assert_true(count > 100 && count < 1000);
    static float moves[3000], response[1000], above[1000], below[1000];
    static int32_t places[3000];
    for (int32_t k = 0; k < dlp_sph_point_count(sph); k++) p->kappa[k] = (float)((k * 7919) % 101) / 101;
    dlp_projection_apply(sph);
    double longest = 0;
    for (int32_t i = 0; i < count; i++) {
        memcpy(moves + 3 * i, p->paces + (int64_t)i * DLP_PACE_SIZE, 3 * sizeof(float));
        memcpy(places + 3 * i, dlp_sph_packed(sph, i) + DLP_PACKED_AT, 3 * sizeof(int32_t));
        response[i] = p->response[i];
        for (int axis = 0; axis < 3; axis++) longest = fmax(longest, fabs((double)moves[3 * i + axis]));
    }
    const float share = (float)(2e-4 / longest);  // m: a hundredth of a spacing
    sum_moved(sph, moves, share, places, above);
    sum_moved(sph, moves, -share, places, below);
    double largest = 0, error = 0;
    for (int32_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs((double)response[i]));
        error = fmax(error, fabs((double)((above[i] - below[i]) / (2 * share) - response[i])));
    }
    assert_true(largest > 0);
    if (!(error < 5e-3 * largest))
        fail_msg("off by %g of %g", error, largest);  // second order in the move, and float
    release_setup(&s);
}

// The largest eigenvalue of D^-1 A in disorder is below that for which passes are relaxed: a power iteration.
static void passes_are_stable_in_disorder(void **state)
{
    (void)state;
    setup s = make_setup(MIXTURE);
    dlp_sph *sph = prepared(&s);
    dlp_projection *p = &sph->scratch.projection;
    const int32_t points = dlp_sph_point_count(sph);
    double eigenvalue = 0;
    for (int32_t k = 0; k < points; k++) p->kappa[k] = (k * 7919) % 3 == 0 ? 1.0f : -1.0f;
    for (int pass = 0; pass < 60; pass++) {
        dlp_projection_apply(sph);
        double before = 0, after = 0;
        for (int32_t k = 0; k < points; k++) {
            const double next = -(double)(p->response[k] / p->rows[(int64_t)k * DLP_ROW_SIZE + 3]);
            before += (double)p->kappa[k] * (double)p->kappa[k];
            after += next * next;
            p->kappa[k] = (float)next;
        }
        eigenvalue = sqrt(after / before);
        for (int32_t k = 0; k < points; k++) p->kappa[k] /= (float)eigenvalue;
    }
    assert_true(eigenvalue > 3);
    if (!(eigenvalue * (double)sph->params.projection.relaxation < 2))
        fail_msg("eigenvalue %g, relaxation %g", eigenvalue, (double)sph->params.projection.relaxation);
    release_setup(&s);
}

// Away from everything a block falls as one, along a parabola, without any pressure.
static void a_block_falls_as_one(void **state)
{
    (void)state;
    setup s =
        make_setup("{frames: {rate: 60, count: 30}, substances: {a: {material: water, pressure: dfsph,"
                   " particle: {spacing: 0.02}, shape: {box: {min: [0, 0, 0], max: [0.2, 0.2, 0.2]}}}}}");
    dlp_sph *sph = dlp_sph_of(s.world);
    const int32_t count = sph->state.particles.count;
    static double start[6000];
    assert_true(count < 2000);
    for (int32_t i = 0; i < count; i++)
        memcpy(start + 3 * sph->state.particles.id[i], sph->state.particles.position + 3 * i,
               3 * sizeof(double));
    step_frames(s.world, 30);
    const double fall = 0.5 * 9.81 * 0.25;
    for (int32_t i = 0; i < count; i++) {
        const double *from = start + 3 * sph->state.particles.id[i],
                     *x = sph->state.particles.position + 3 * i;
        // what the lattice is denser than at rest may part it by a tenth of a spacing, no more
        assert_near(x[0], from[0], 0.002);
        assert_near(x[2], from[2] - fall, 0.002);
    }
    const dlp_stats stats = stats_of(s.world);
    assert_near(stats.momentum.z / stats.mass, -9.81 * (0.5 + 0.5 * stats.dt_max),
                1e-3);  // half a step ahead
    assert_near(stats.momentum.x / stats.mass, 0, 1e-6);
    release_setup(&s);
}

// A pool has the pressure of its depth in every layer, and is still.
static void a_pool_has_the_pressure_of_its_depth(void **state)
{
    (void)state;
    static const char *const solvers[] = {"dfsph", "iisph"};
    for (int which = 0; which < 2; which++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{dimension: 2, frames: {rate: 50, count: 100}, substances: {water: {material: water, "
                 "pressure: %s,"
                 " particle: {spacing: 0.02}, shape: {box: {min: [0, 0], max: [0.3, 0.4]}}}},"
                 " obstacles: [{box: {min: [0, 0], max: [0.3, 0.8], inside: true}, stick: 0}]}",
                 solvers[which]);
        setup s = make_setup(text);
        double mean[3] = {0};
        const double start = energy_of(s.world);
        for (int frame = 0; frame < 60; frame++) {
            step_frames(s.world, 1);
            assert_true(energy_of(s.world) < 1.005 * start);  // nothing pushes that nothing presses on
        }
        for (int frame = 0; frame < 40; frame++) {
            step_frames(s.world, 1);
            for (int k = 0; k < 3; k++)
                mean[k] += dlp_world_sample_at(s.world, dlp_vec(0.15, 0.1 * (k + 0.5), 0)).pressure / 40;
        }
        for (int k = 0; k < 3; k++) assert_near(mean[k], 9810 * (0.4 - 0.1 * (k + 0.5)), 0.03 * 9810 * 0.4);
        const dlp_stats stats = stats_of(s.world);
        const double speed = sqrt(2 * stats.kinetic_energy / stats.mass);
        if (!(speed < 0.02 * sqrt(9.81 * 0.4))) fail_msg("%s: still moves at %g m/s", solvers[which], speed);
        assert_true(stats.density_passes > 0 && stats.capped == 0);
        assert_near(stats.volume, 0.3 * 0.4, 0.01 * 0.12);
        release_setup(&s);
    }
}

// Where the weight is taken away pressure goes, too: a pool does not blow itself up.
static void a_pool_without_weight_rests(void **state)
{
    (void)state;
    setup s =
        make_setup("{dimension: 2, gravity: {keys: [[0, [0, -9.81]], [0.4, [0, -9.81]], [0.401, [0, 0]]]},"
                   " frames: {rate: 50, count: 60}, substances: {water: {material: water, pressure: dfsph,"
                   " particle: {spacing: 0.02}, shape: {box: {min: [0, 0], max: [0.3, 0.4]}}}},"
                   " obstacles: [{box: {min: [0, 0], max: [0.3, 0.8], inside: true}, stick: 0}]}");
    step_frames(s.world, 21);
    const double kinetic = stats_of(s.world).kinetic_energy;
    step_frames(s.world, 20);
    assert_true(stats_of(s.world).kinetic_energy < 1.5 * kinetic + 0.1);  // J/m; eos has 0.6
    release_setup(&s);
}

// What a host changes costs no second push: a step of no length leaves velocities and pressures as they are.
static void an_edit_pushes_nothing(void **state)
{
    (void)state;
    setup s = make_setup(
        "{dimension: 2, frames: {rate: 50, count: 60}, substances: {water: {material: water,"
        " pressure: dfsph, particle: {spacing: 0.02}, shape: {box: {min: [0, 0], max: [0.3, 0.4]}}}},"
        " obstacles: [{box: {min: [0, 0], max: [0.3, 0.8], inside: true}, stick: 0}]}");
    step_frames(s.world, 10);
    const double before = energy_of(s.world);
    dlp_error error = {0};
    for (int frame = 0; frame < 8; frame++) {
        const float *v = velocities_of(s.world);
        const float same[3] = {v[0], v[1], v[2]};
        expect_ok(dlp_world_write(s.world, DLP_FIELD_VELOCITY, 0, 1, same, &error), &error);
        step_frames(s.world, 1);
    }
    assert_true(energy_of(s.world) < before + 0.003 * before);
    release_setup(&s);
}

// A dam that breaks gains no energy, leaves no tank and is not compressed.
static void a_dam_break_keeps_its_energy_volume_and_walls(void **state)
{
    (void)state;
    setup s = make_setup(
        "{dimension: 2, frames: {rate: 50, count: 60}, substances: {water: {material: water,"
        " pressure: dfsph, particle: {spacing: 0.02}, shape: {box: {min: [0, 0], max: [0.3, 0.6]}}}},"
        " obstacles: [{box: {min: [0, 0], max: [1.2, 1.2], inside: true}, stick: 0, lid: true}]}");
    double before = energy_of(s.world);
    const double start = before, pool = 9810 * 0.18 * 0.075;
    for (int frame = 0; frame < 60; frame++) {
        step_frames(s.world, 1);
        const dlp_stats stats = stats_of(s.world);
        const double energy = stats.kinetic_energy + stats.potential_energy;
        assert_true(energy < before + 0.01 * (start - pool));
        before = fmin(before, energy);
        assert_true(least_distance(s.world, 0) > 0);
        assert_true(stats.density_error_mean < 0.05);
    }
    assert_true(before < 0.9 * start && before > pool);  // it has broken, and run
    release_setup(&s);
}

// The same bits on one, two and three threads, and after a checkpoint in the middle.
static void threads_and_checkpoints_change_no_bit(void **state)
{
    (void)state;
    need_checkpoints();
    static const char *const text =
        "{frames: {rate: 50, count: 10}, substances: {honey: {material: honey, pressure: dfsph,"
        " viscosity_step: implicit, particle: {spacing: 0.02}, shape: {box: {min: [0, 0, 0], max: [0.1, 0.1, "
        "0.2]}}}},"
        " obstacles: [{box: {min: [-0.1, -0.1, -0.1], max: [0.4, 0.4, 0]}}]}";
    setup one = make_setup(text), again = make_setup(text);
    step_frames(one.world, 4);
    dlp_error error = {0};
    expect_ok(dlp_world_save(one.world, "projection.h5", &error), &error);
    step_frames(one.world, 4);
    for (int32_t threads = 2; threads <= 3; threads++) {
        const dlp_world_options options = {.size = sizeof options, .thread_count = threads};
        setup many = make_setup_in(NULL, text, &options);
        step_frames(many.world, 8);
        assert_same_world(one.world, many.world, "threads");
        release_setup(&many);
    }
    expect_ok(dlp_world_load(again.world, "projection.h5", &error), &error);
    step_frames(again.world, 4);
    assert_same_world(one.world, again.world, "checkpoint");
    remove("projection.h5");
    release_setup(&one);
    release_setup(&again);
}

static void refused(const char *keys, const char *expected)
{
    char text[512];
    dlp_scene *scene = NULL;
    dlp_error error = {0};
    need_yaml();
    snprintf(text, sizeof text,
             "{substances: {a: {%s, particle: {spacing: 0.1}, shape: {sphere: {radius: 1}}}}}", keys);
    expect_ok(dlp_scene_read_text(text, strlen(text), "a.yaml", NULL, &scene, &error), &error);
    assert_int_equal(dlp_scene_check(scene, &error), DLP_INVALID);
    if (strstr(error.message, expected) == NULL) fail_msg("%s is not in: %s", expected, error.message);
    dlp_scene_destroy(scene);
}

static void what_they_cannot_do_is_refused_by_name(void **state)
{
    (void)state;
    refused("pressure: dfsph, adapt: {space: true}", "adapt.space: needs `pressure: eos`");
    refused("pressure: iisph, adapt: {time: true}", "adapt.time: needs `pressure: eos`");
    refused("pressure: dfsph, adapt: {restraint: true}", "adapt.restraint: needs `pressure: eos`");
    refused("pressure: dfsph, density_from: continuity", "needs `density_from: summation`");
    refused("pressure: dfsph, kernel: muller", "needs a kernel with one gradient");
    refused("viscosity_step: implicit, adapt: {time: true}", "adapt.time: needs `viscosity_step: explicit`");
    refused("pressure: dfsp", "must be one of eos, dfsph, iisph");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_operator_is_symmetric_and_has_its_diagonal),
                                       cmocka_unit_test(the_response_is_the_derivative_of_density),
                                       cmocka_unit_test(passes_are_stable_in_disorder),
                                       cmocka_unit_test(a_block_falls_as_one),
                                       cmocka_unit_test(a_pool_has_the_pressure_of_its_depth),
                                       cmocka_unit_test(a_pool_without_weight_rests),
                                       cmocka_unit_test(an_edit_pushes_nothing),
                                       cmocka_unit_test(a_dam_break_keeps_its_energy_volume_and_walls),
                                       cmocka_unit_test(threads_and_checkpoints_change_no_bit),
                                       cmocka_unit_test(what_they_cannot_do_is_refused_by_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
