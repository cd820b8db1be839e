/* What solids do to bodies: weight, share, impact, torque; by contact, and by what attachments tie to them.
 */
#include "base/memory.h"
#include "scenes.h"
#include "test_folder.h"

#define G 9.81

#define SOLID(name, box, extra)                                                                              \
    "  " name ":\n"                                                                                          \
    "    model: solid\n"                                                                                     \
    "    density: 1000\n"                                                                                    \
    "    particle: {spacing: 0.02}\n"                                                                        \
    "    shape: {box: " box "}\n" extra
#define SOFT "    solid: {youngs_modulus: 50000, poisson_ratio: 0.3, damping: 8}\n"
#define FREE "    solid: {youngs_modulus: 50000, poisson_ratio: 0.3, damping: 0}\n"
#define HEAD "frames: {rate: 100, count: 1000}\nsubstances:\n"
#define FLOOR                                                                                                \
    "obstacles:\n"                                                                                           \
    "  - {name: floor, box: {min: [-1, -1, -0.2], max: [1, 1, 0]}, pivot: [0.1, 0, 0]}\n"

// N: the mean over so many frames.
static dlp_vec3 mean_force(dlp_world *world, int32_t body, int32_t frames)
{
    dlp_vec3 sum = dlp_vec(0, 0, 0);
    for (int32_t k = 0; k < frames; k++) {
        step_frames(world, 1);
        sum = dlp_add(sum, dlp_world_body_load(world, body).mean_force);
    }
    return dlp_mul(sum, 1.0 / frames);
}

static void a_block_at_rest_loads_the_floor_with_its_weight(void **state)
{
    (void)state;
    setup s = make_setup(HEAD SOLID("jelly", "{min: [0, 0, 0.001], max: [0.1, 0.08, 0.06]}", SOFT) FLOOR);
    step_frames(s.world, 100);
    const double weight = stats_of(s.world).mass * G;
    const dlp_vec3 force = mean_force(s.world, 0, 50);
    assert_near(force.z, -weight, 0.01 * weight);
    assert_near(force.x, 0, 0.01 * weight);
    assert_near(force.y, 0, 0.01 * weight);
    assert_near(dlp_world_body_load(s.world, 0).force.z, -weight, 0.05 * weight);  // of one sub-step
    release_setup(&s);
}

// Four of its six rows of particles stand on the one, two on the other.
static void two_floors_share_a_block(void **state)
{
    (void)state;
    setup s = make_setup(HEAD SOLID("jelly", "{min: [-0.08, 0, 0.001], max: [0.04, 0.08, 0.041]}",
                                    SOFT) "obstacles:\n"
                                          "  - box: {min: [-1, -1, -0.2], max: [0, 1, 0]}\n"
                                          "  - box: {min: [0, -1, -0.2], max: [1, 1, 0]}\n");
    step_frames(s.world, 100);
    const double weight = stats_of(s.world).mass * G;
    dlp_vec3 left = dlp_vec(0, 0, 0), right = left;
    for (int32_t k = 0; k < 50; k++) {
        step_frames(s.world, 1);
        left = dlp_along(left, dlp_world_body_load(s.world, 0).mean_force, 0.02);
        right = dlp_along(right, dlp_world_body_load(s.world, 1).mean_force, 0.02);
    }
    assert_near(left.z + right.z, -weight, 0.01 * weight);
    assert_near(left.z, -2.0 / 3 * weight, 0.05 * weight);
    release_setup(&s);
}

static void a_block_in_a_corner_pushes_both_walls(void **state)
{
    (void)state;
    setup s = make_setup("gravity: [-6, 0, -8]\n" HEAD SOLID(
        "jelly", "{min: [0.001, 0, 0.001], max: [0.081, 0.08, 0.081]}",
        SOFT) "obstacles:\n"
              "  - {box: {min: [-1, -1, -0.2], max: [1, 1, 0]}, friction: 0}\n"
              "  - {box: {min: [-0.2, -1, 0], max: [0, 1, 1]}, friction: 0}\n");
    step_frames(s.world, 150);
    const double mass = stats_of(s.world).mass;
    const dlp_vec3 floor = mean_force(s.world, 0, 25), wall = mean_force(s.world, 1, 25);
    assert_near(floor.z, -8 * mass, 0.08 * mass);
    assert_near(floor.x, 0, 0.08 * mass);
    assert_near(wall.x, -6 * mass, 0.06 * mass);
    assert_near(wall.z, 0, 0.06 * mass);
    release_setup(&s);
}

// Its centre is 0.2 m from the pivot, along x.
static void a_block_beside_the_pivot_has_a_torque(void **state)
{
    (void)state;
    setup s =
        make_setup(HEAD SOLID("jelly", "{min: [0.26, -0.04, 0.001], max: [0.34, 0.04, 0.081]}", SOFT) FLOOR);
    step_frames(s.world, 150);
    const double weight = stats_of(s.world).mass * G;
    const dlp_body_force load = dlp_world_body_load(s.world, 0);
    assert_near(load.force.z, -weight, 0.02 * weight);
    assert_near(load.torque.y, 0.2 * weight, 0.02 * 0.2 * weight);
    assert_near(load.torque.x, 0, 0.01 * 0.2 * weight);
    release_setup(&s);
}

// Balance.

// What bodies got in a frame, what gravity gave, and what the solids gained: N s.
static double worst_imbalance(dlp_world *world, int32_t bodies, int32_t frames, double *out_most)
{
    double worst = 0;
    *out_most = 0;
    dlp_stats before = stats_of(world);
    for (int32_t k = 0; k < frames; k++) {
        step_frames(world, 1);
        const dlp_stats now = stats_of(world);
        const double seconds = now.time - before.time;
        dlp_vec3 got = dlp_vec(0, 0, 0);
        for (int32_t b = 0; b < bodies; b++)
            got = dlp_along(got, dlp_world_body_load(world, b).mean_force, seconds);
        const dlp_vec3 gained = dlp_sub(now.momentum, before.momentum),
                       given = dlp_vec(0, 0, -G * now.mass * seconds);
        worst = fmax(worst, dlp_length(dlp_sub(dlp_add(gained, got), given)));
        *out_most = fmax(*out_most, dlp_length(got));
        before = now;
    }
    return worst;
}

// The sweeps are in floats: what they leave of the momentum of so few particles is some parts in a hundred
// million.
static void an_impact_gives_the_floor_what_the_block_loses(void **state)
{
    (void)state;
    setup s = make_setup(HEAD SOLID("jelly", "{min: [0, 0, 0.01], max: [0.1, 0.08, 0.06]}",
                                    FREE "    velocity: [0.7, 0, -2]\n") FLOOR);
    double most;
    const double worst = worst_imbalance(s.world, 1, 30, &most);
    assert_true(most > 0.3);
    assert_true(worst < 1e-7 * most);
    release_setup(&s);
}

// Threads.

static void threads_change_no_bit_of_a_load(void **state)
{
    (void)state;
    dlp_body_force loads[3];
    for (int k = 0; k < 3; k++) {
        const dlp_world_options options = {.size = sizeof options, .thread_count = k + 1};
        setup s = make_setup_in(NULL,
                                HEAD SOLID("jelly", "{min: [0, 0, 0.01], max: [0.3, 0.2, 0.14]}",
                                           FREE "    velocity: [0.7, 0, -2]\n") FLOOR
                                "attachments:\n"
                                "  - {substance: jelly, body: floor, start: 0.03,\n"
                                "     box: {min: [0, 0, 0.1], max: [0.3, 0.2, 0.14]}}\n",
                                &options);
        step_frames(s.world, 6);
        loads[k] = dlp_world_body_load(s.world, 0);
        assert_memory_equal(&loads[k], &loads[0], sizeof loads[0]);
        assert_true(dlp_length(loads[k].force) > 0);
        release_setup(&s);
    }
}

// Attachments.

#define CEILING                                                                                              \
    "obstacles:\n"                                                                                           \
    "  - {name: ceiling, box: {min: [-1, -1, 1], max: [1, 1, 1.1]}, pivot: [0.3, 0, 1]}\n"

static void what_hangs_from_a_body_loads_it_with_its_weight(void **state)
{
    (void)state;
    const char *const texts[] = {
        HEAD SOLID("jelly", "{min: [0, 0, 0.5], max: [0.08, 0.08, 0.7]}", SOFT) CEILING
        "attachments:\n"
        "  - {substance: jelly, body: ceiling, box: {min: [0, 0, 0.67], max: [0.08, 0.08, 0.7]}}\n",
        HEAD SOLID("jelly", "{min: [0, 0, 0.5], max: [0.08, 0.08, 0.7]}", SOFT) CEILING
        "attachments:\n"
        "  - {substance: jelly, box: {min: [0, 0, 0.67], max: [0.08, 0.08, 0.7]}}\n"};
    for (int k = 0; k < 2; k++) {
        setup s = make_setup(texts[k]);
        step_frames(s.world, 200);
        const double weight = k == 0 ? stats_of(s.world).mass * G : 0;
        const dlp_vec3 force = mean_force(s.world, 0, 50), torque = dlp_world_body_load(s.world, 0).torque;
        assert_near(force.z, -weight, 0.01 * weight);
        assert_near(force.x, 0, 0.01 * weight);
        assert_near(torque.y, -0.26 * weight, 0.01 * weight);
        release_setup(&s);
    }
}

// Its ends are tied to two bodies, of which one moves.
static void a_swinging_block_gives_bodies_what_it_loses(void **state)
{
    (void)state;
    setup s = make_setup(HEAD SOLID(
        "jelly", "{min: [0, 0, 0.5], max: [0.4, 0.08, 0.58]}",
        FREE) "obstacles:\n"
              "  - {name: left, box: {min: [-1, -1, 2], max: [0, 1, 2.1]},\n"
              "     position: {keys: [[0, [0, 0, 0]], [0.1, [0, 0, 0.02]], [0.2, [0, 0, 0]]]}}\n"
              "  - {name: right, box: {min: [0.5, -1, 2], max: [1, 1, 2.1]}}\n"
              "attachments:\n"
              "  - {substance: jelly, body: left, box: {min: [0, 0, 0.5], max: [0.03, 0.08, 0.58]}}\n"
              "  - {substance: jelly, body: right, box: {min: [0.37, 0, 0.5], max: [0.4, 0.08, 0.58]}}\n");
    double most;
    const double worst = worst_imbalance(s.world, 2, 30, &most);
    assert_true(worst < 1e-7 * most);
    assert_true(dlp_world_body_load(s.world, 0).mean_force.z < 0);
    assert_true(dlp_world_body_load(s.world, 1).mean_force.z < 0);
    release_setup(&s);
}

// All of the shelf is tied: what falls on it meets particles that do not move.
static const char shelf_scene[] = HEAD SOLID("shelf", "{min: [0, 0, 0], max: [0.16, 0.16, 0.04]}", SOFT)
    SOLID("jelly", "{min: [0.04, 0.04, 0.05], max: [0.12, 0.12, 0.13]}", SOFT "    velocity: [0, 0, -1]\n")
        CEILING "attachments:\n"
                "  - {substance: shelf, body: ceiling, box: {min: [0, 0, 0], max: [0.16, 0.16, 0.04]}}\n";

static void what_lies_on_something_tied_loads_the_body(void **state)
{
    (void)state;
    setup s = make_setup(shelf_scene);
    step_frames(s.world, 150);
    const double weight = stats_of(s.world).mass * G;
    const dlp_vec3 force = mean_force(s.world, 0, 50);
    assert_near(force.z, -weight, 0.01 * weight);
    release_setup(&s);
}

static void what_falls_on_something_tied_gives_the_body_what_it_loses(void **state)
{
    (void)state;
    setup s =
        make_setup(HEAD SOLID("shelf", "{min: [0, 0, 0], max: [0.16, 0.16, 0.04]}", FREE)
                       SOLID("jelly", "{min: [0.04, 0.04, 0.05], max: [0.12, 0.12, 0.13]}",
                             FREE "    velocity: [0.2, 0, -1]\n") CEILING
                   "attachments:\n"
                   "  - {substance: shelf, body: ceiling, box: {min: [0, 0, 0], max: [0.16, 0.16, 0.04]}}\n");
    double most;
    const double worst = worst_imbalance(s.world, 1, 30, &most);
    assert_true(worst < 1e-7 * most);
    release_setup(&s);
}

// State and memory.

static void a_loaded_world_has_the_same_loads(void **state)
{
    (void)state;
    need_checkpoints();
    dlp_error error = {0};
    setup straight = make_setup(shelf_scene), loaded = make_setup(shelf_scene);
    step_frames(straight.world, 4);
    expect_ok(dlp_world_save(straight.world, in_folder("loads.h5"), &error), &error);
    expect_ok(dlp_world_load(loaded.world, in_folder("loads.h5"), &error), &error);
    for (int k = 0; k < 3; k++) {
        const dlp_body_force a = dlp_world_body_load(straight.world, 0),
                             b = dlp_world_body_load(loaded.world, 0);
        assert_memory_equal(&a, &b, sizeof a);
        assert_true(dlp_length(a.force) > 0);
        step_frames(straight.world, 1);
        step_frames(loaded.world, 1);
    }
    release_setup(&straight);
    release_setup(&loaded);
}

static void a_warm_step_with_loads_allocates_nothing(void **state)
{
    (void)state;
    setup s = make_setup(shelf_scene);
    step_frames(s.world, 100);
    const int64_t calls = dlp_memory_call_count();
    step_frames(s.world, 5);
    assert_int_equal(dlp_memory_call_count(), calls);
    release_setup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_at_rest_loads_the_floor_with_its_weight),
        cmocka_unit_test(two_floors_share_a_block),
        cmocka_unit_test(a_block_in_a_corner_pushes_both_walls),
        cmocka_unit_test(a_block_beside_the_pivot_has_a_torque),
        cmocka_unit_test(an_impact_gives_the_floor_what_the_block_loses),
        cmocka_unit_test(threads_change_no_bit_of_a_load),
        cmocka_unit_test(what_hangs_from_a_body_loads_it_with_its_weight),
        cmocka_unit_test(a_swinging_block_gives_bodies_what_it_loses),
        cmocka_unit_test(what_lies_on_something_tied_loads_the_body),
        cmocka_unit_test(what_falls_on_something_tied_gives_the_body_what_it_loses),
        cmocka_unit_test(a_loaded_world_has_the_same_loads),
        cmocka_unit_test(a_warm_step_with_loads_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
