/* Splitting and merging: what they keep, where they happen, and that they stop. */
#include "solo.h"
#include "scenes.h"
#include "base/parallel.h"
#include "motion/sph/adapt.h"
#include "matter/pair_density.h"
#include "scene/scene.h"

#include <math.h>
#include <stdlib.h>

// A block in free space whose inside is coarse.
#define BLOCK(extra)                                                                                         \
    "frames: {rate: 100, count: 10}\n"                                                                       \
    "gravity: [0, 0, 0]\n"                                                                                   \
    "substances:\n"                                                                                          \
    "  water:\n"                                                                                             \
    "    material: water\n"                                                                                  \
    "    stiffness: 400\n"                                                                                   \
    "    particle: {spacing: 0.02}\n"                                                                        \
    "    adapt: {space: true" extra "}\n"                                                                    \
    "    shape: {box: {min: [0, 0, 0], max: [0.4, 0.4, 0.4]}}\n"

typedef struct bench {
    dlp_scene *scene;
    dlp_team *team;
    dlp_setting *setting;
    dlp_sph *sph;
} bench;

static bench open_bench(const char *text)
{
    need_yaml();
    bench b = {0};
    dlp_error error = {0};
    const dlp_scene_def *def;
    expect_ok(dlp_scene_read_text(text, strlen(text), "test", ".", &b.scene, &error), &error);
    expect_ok(dlp_scene_resolve(b.scene, &def, &error), &error);
    expect_ok(dlp_team_create(2, &b.team, &error), &error);
    b.setting = make_setting(def);
    const dlp_solver_context context = make_context(b.setting, b.team, NULL);
    expect_ok(dlp_sph_create(&context, &b.sph, &error), &error);
    expect_ok(dlp_sph_reserve_new(b.sph, 0, &error), &error);
    return b;
}

static void close_bench(bench *b)
{
    dlp_sph_destroy(b->sph);
    free_setting(b->setting);
    dlp_team_destroy(b->team);
    dlp_scene_destroy(b->scene);
}

// Sums that no split or merge may change.
typedef struct totals {
    int64_t units;
    dlp_vec3 moment, momentum;
} totals;

static totals totals_of(const dlp_sph *sph)
{
    totals t = {0};
    for (int32_t i = 0; i < sph->state.particles.count; i++) {
        const float *v = sph->state.particles.velocity + 3 * (int64_t)i;
        const double m = sph->state.particles.units[i];
        t.units += sph->state.particles.units[i];
        t.moment = dlp_along(t.moment, dlp_particle_position(&sph->state.particles, i), m);
        t.momentum = dlp_along(t.momentum, dlp_vec((double)v[0], (double)v[1], (double)v[2]), m);
    }
    return t;
}

static void give_velocities(dlp_sph *sph)
{
    for (int32_t i = 0; i < sph->state.particles.count; i++) {
        float *v = sph->state.particles.velocity + 3 * (int64_t)i;
        const dlp_vec3 x = dlp_particle_position(&sph->state.particles, i);
        v[0] = (float)(1 + x.y);
        v[1] = (float)(0.3 - x.x * x.z);
        v[2] = (float)(2 * x.z);
    }
    dlp_sph_predict(sph);
}

static void clear_plan(dlp_sph *sph)
{
    memset(sph->scratch.adapt.plan, DLP_PLAN_STAY, (size_t)sph->state.particles.count);
}

// Lists and packed-records of the new particles, and their densities.
static void look_again(dlp_sph *sph)
{
    dlp_error error = {0};
    expect_ok(dlp_sph_reserve_points(sph, sph->state.particles.count + 1, &error), &error);
    expect_ok(dlp_sph_find_neighbours(sph, &error), &error);
    dlp_sph_write_constants(sph);
    dlp_sph_predict(sph);
    dlp_sph_keep_density(sph);
}

static void assert_same_totals(const totals *a, const totals *b)
{
    assert_int_equal(a->units, b->units);
    const double units = (double)a->units;
    // positions are doubles, but their differences come from 32-bit units; velocities are floats
    assert_near(a->moment.x / units, b->moment.x / units, 1e-7);
    assert_near(a->moment.y / units, b->moment.y / units, 1e-7);
    assert_near(a->moment.z / units, b->moment.z / units, 1e-7);
    assert_near(a->momentum.x / units, b->momentum.x / units, 1e-6);
    assert_near(a->momentum.y / units, b->momentum.y / units, 1e-6);
    assert_near(a->momentum.z / units, b->momentum.z / units, 1e-6);
}

static int32_t count_level(const dlp_sph *sph, int32_t level)
{
    int32_t count = 0;
    for (int32_t i = 0; i < sph->state.particles.count; i++) count += dlp_particle_level(sph, i) == level;
    return count;
}

static void a_split_keeps_mass_momentum_and_centre(void **state)
{
    (void)state;
    bench b = open_bench(BLOCK(""));
    dlp_error error = {0};
    give_velocities(b.sph);
    const totals before = totals_of(b.sph);
    const int32_t coarse = count_level(b.sph, 1);
    assert_true(coarse > 50);
    clear_plan(b.sph);
    for (int32_t i = 0; i < b.sph->state.particles.count; i++)
        if (dlp_particle_level(b.sph, i) == 1) b.sph->scratch.adapt.plan[i] = DLP_PLAN_SPLIT;
    expect_ok(dlp_sph_apply_plan(b.sph, &error), &error);
    const totals after = totals_of(b.sph);
    assert_same_totals(&before, &after);
    assert_int_equal(count_level(b.sph, 1), 0);
    assert_int_equal(b.sph->state.particles.count, before.units);  // all are single units again
    close_bench(&b);
}

static void a_merge_keeps_mass_momentum_and_centre(void **state)
{
    (void)state;
    bench b = open_bench(BLOCK(", levels: 1"));
    dlp_error error = {0};
    give_velocities(b.sph);
    const totals before = totals_of(b.sph);
    const int32_t count = b.sph->state.particles.count;
    clear_plan(b.sph);
    for (int32_t i = 0; i < count; i++)
        if (dlp_particle_level(b.sph, i) == 0) b.sph->scratch.adapt.plan[i] = DLP_PLAN_MERGE;
    expect_ok(dlp_sph_apply_plan(b.sph, &error), &error);
    const totals after = totals_of(b.sph);
    assert_same_totals(&before, &after);
    assert_true(b.sph->state.particles.count < count / 2);
    for (int32_t i = 0; i < b.sph->state.particles.count; i++) {
        const int32_t units = b.sph->state.particles.units[i];
        assert_true(units == 1 || (units >= 6 && units <= 9));
    }
    close_bench(&b);
}

static void no_density_jumps_at_a_split_or_merge(void **state)
{
    (void)state;
    bench b = open_bench(BLOCK(", levels: 1"));
    dlp_sph *sph = b.sph;
    dlp_error error = {0};
    static float delta[1 << 16];
    const int64_t first_new = sph->state.next_id;
    for (int32_t i = 0; i < sph->state.particles.count; i++)
        delta[sph->state.particles.id[i]] = sph->state.particles.compression[i];
    clear_plan(sph);
    for (int32_t i = 0; i < sph->state.particles.count; i += 7)
        if (dlp_particle_level(sph, i) == 1) sph->scratch.adapt.plan[i] = DLP_PLAN_SPLIT;
    expect_ok(dlp_sph_apply_plan(sph, &error), &error);
    assert_true(sph->scratch.adapt.has_adapted);
    look_again(sph);
    for (int32_t i = 0; i < sph->state.particles.count; i++) sph->scratch.selection.due[i] = i;
    dlp_sph_sum_kernel(sph, sph->scratch.selection.due, sph->state.particles.count);
    for (int32_t i = 0; i < sph->state.particles.count; i++) {
        const float now = dlp_compression(dlp_sph_density_sum(sph, i), sph->state.particles.sum_at_rest[i],
                                          sph->params.pair.compression_factor);
        const float then = sph->state.particles.id[i] < first_new ? delta[sph->state.particles.id[i]] : 1;
        // new particles take over what stood there: near 1 in a block at rest
        assert_near((double)now, (double)then, sph->state.particles.id[i] < first_new ? 1e-5 : 0.02);
    }
    close_bench(&b);
}

// Coarse particles on both sides of a plane, far from it and near.
static void assert_splits_only_near(dlp_sph *sph, double plane, double near, double far)
{
    int32_t here = 0, split_here = 0, split_far = 0;
    for (int32_t i = 0; i < sph->state.particles.count; i++) {
        if (dlp_particle_level(sph, i) == 0) continue;
        const double distance = fabs(sph->state.particles.position[3 * (int64_t)i] - plane);
        here += distance < near;
        split_here += distance < near && sph->scratch.adapt.plan[i] == DLP_PLAN_SPLIT;
        split_far += distance > far && sph->scratch.adapt.plan[i] == DLP_PLAN_SPLIT;
    }
    assert_true(here > 10);
    assert_true(split_here > 3 * here / 4);
    assert_int_equal(split_far, 0);
}

static void the_velocity_criterion_finds_a_sliding_plane(void **state)
{
    (void)state;
    bench b = open_bench(BLOCK(", levels: 1"));
    for (int32_t i = 0; i < b.sph->state.particles.count; i++)
        b.sph->state.particles.velocity[3 * (int64_t)i + 1] =
            b.sph->state.particles.position[3 * (int64_t)i] > 0.2 ? 2.0f : 0;
    dlp_sph_predict(b.sph);
    dlp_sph_make_plan(b.sph);
    assert_splits_only_near(b.sph, 0.2, 0.02, 0.1);
    close_bench(&b);
}

static void split_by_density_step(const char *text)
{
    bench b = open_bench(text);
    for (int32_t i = 0; i < b.sph->state.particles.count; i++)
        b.sph->state.particles.compression[i] =
            b.sph->state.particles.position[3 * (int64_t)i] > 0.2 ? 1.02f : 1;
    dlp_sph_predict(b.sph);
    dlp_sph_make_plan(b.sph);
    assert_splits_only_near(b.sph, 0.2, 0.02, 0.12);
    close_bench(&b);
}

static void the_pressure_criterion_finds_a_step_of_density(void **state)
{
    (void)state;
    split_by_density_step(BLOCK(", levels: 1, criterion: pressure"));
}

static void the_sources_criterion_finds_a_step_of_density(void **state)
{
    (void)state;
    split_by_density_step(BLOCK(", levels: 1, criterion: density"));
}

static void a_level_is_about_twice_as_large_as_the_one_below(void **state)
{
    (void)state;
    assert_int_equal(dlp_level_of_units(1, 3), 0);
    assert_int_equal(dlp_level_of_units(6, 3), 1);
    assert_int_equal(dlp_level_of_units(9, 3), 1);
    assert_int_equal(dlp_level_of_units(36, 3), 2);
    assert_int_equal(dlp_level_of_units(81, 3), 2);
    assert_int_equal(dlp_level_of_units(729, 3), 3);
    assert_int_equal(dlp_level_of_units(3, 2), 1);
    assert_int_equal(dlp_level_of_units(25, 2), 2);
}

static void neighbours_are_one_level_apart(void **state)
{
    (void)state;
    bench b =
        open_bench("gravity: [0, 0, 0]\nsubstances:\n  water:\n    material: water\n    stiffness: 400\n"
                   "    particle: {spacing: 0.02}\n    adapt: {space: true, accuracy: 0, levels: 3}\n"
                   "    shape: {box: {min: [0, 0, 0], max: [0.8, 0.8, 0.8]}}\n");
    const dlp_sph *sph = b.sph;
    assert_true(count_level(sph, 2) > 20);
    for (int32_t i = 0; i < sph->state.particles.count; i++) {
        const int32_t *list = dlp_list_of(&sph->scratch.neighbours.lists, i);
        for (int32_t n = 0; n < dlp_list_end(&sph->scratch.neighbours.lists, i, 0); n++) {
            if (list[n] >= sph->state.particles.count) continue;
            const double r = dlp_length(dlp_sph_offset(sph, i, list[n]));
            if (r > (double)(dlp_particle_h(sph, i) + dlp_particle_h(sph, list[n]))) continue;
            assert_true(abs(dlp_particle_level(sph, i) - dlp_particle_level(sph, list[n])) <= 1);
        }
    }
    close_bench(&b);
}

static void a_substance_left_alone_stays_alone(void **state)
{
    (void)state;
    setup s = make_setup(BLOCK(", time: true"));
    dlp_error error = {0};
    dlp_stats stats = {.size = sizeof stats};
    for (int32_t frame = 0; frame < 4; frame++) {
        expect_ok(dlp_world_step_frame(s.world, &error), &error);
        expect_ok(dlp_world_stats(s.world, &stats, &error), &error);
    }
    assert_int_equal(stats.splits, 0);
    assert_int_equal(stats.merges, 0);
    // sound is 20 m/s fast: what is left of arranging the sizes is a thousandth of that
    assert_true(sqrt(2 * stats.kinetic_energy / stats.mass) < 0.02);
    release_setup(&s);
}

// The pool is seven and a half finest particles deep and ten wide: most of it touches a wall or an edge, and
// coarse and fine particles touch them side by side.
static void a_pool_stands_as_high_as_its_volume_says(void **state)
{
    (void)state;
    setup s =
        make_setup("frames: {rate: 25, count: 75}\n"
                   "time: {courant: 0.4}\n"
                   "substances:\n"
                   "  water: {material: water, stiffness: 1000, artificial_viscosity: {alpha: 0.5},\n"
                   "          particle: {spacing: 0.02237}, adapt: {space: true, time: true, accuracy: 0},\n"
                   "          shape: {box: {min: [0, 0, 0], max: [0.2237, 0.2237, 0.34]}}}\n"
                   "obstacles:\n"
                   "  - {box: {min: [0, 0, 0], max: [0.4474, 0.2237, 0.8], inside: true}, stick: 0}\n");
    double centre = 0;
    step_frames(s.world, 50);
    for (int32_t frame = 0; frame < 10; frame++) {
        step_frames(s.world, 1);
        const double *x = field_of(s.world, DLP_FIELD_POSITION).data;
        const float *mass = field_of(s.world, DLP_FIELD_MASS).data;
        double moment = 0, sum = 0;
        for (int32_t i = 0; i < field_of(s.world, DLP_FIELD_MASS).count; i++) {
            moment += (double)mass[i] * x[3 * i + 2];
            sum += (double)mass[i];
        }
        centre += 0.1 * moment / sum;
    }
    assert_near(centre / (0.34 / 4), 1, 0.01);
    release_setup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_level_is_about_twice_as_large_as_the_one_below),
        cmocka_unit_test(a_split_keeps_mass_momentum_and_centre),
        cmocka_unit_test(a_merge_keeps_mass_momentum_and_centre),
        cmocka_unit_test(no_density_jumps_at_a_split_or_merge),
        cmocka_unit_test(the_velocity_criterion_finds_a_sliding_plane),
        cmocka_unit_test(the_pressure_criterion_finds_a_step_of_density),
        cmocka_unit_test(the_sources_criterion_finds_a_step_of_density),
        cmocka_unit_test(neighbours_are_one_level_apart),
        cmocka_unit_test(a_substance_left_alone_stays_alone),
        cmocka_unit_test(a_pool_stands_as_high_as_its_volume_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
