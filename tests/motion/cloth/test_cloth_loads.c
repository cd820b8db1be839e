/* What cloth does to bodies: its weight where it rests, the momentum that it loses where it moves. */
#include "scenes.h"
#include "base/memory.h"
#include "motion/cloth/cloth_solver.h"

#define FLOOR                                                                                                \
    "obstacles:\n"                                                                                           \
    "  - {name: floor, box: {min: [-2, -2, -0.2], max: [2, 2, 0]}, friction: 0.5}\n"                         \
    "probes: {load: {body: floor}}\n"
#define HEAD "frames: {rate: 20, count: 100}\nsubstances:\n"
// Half a metre long, a quarter wide: 11 x 6 particles.
#define SHEET(name, center, extra)                                                                           \
    "  " name ":\n"                                                                                          \
    "    material: cotton\n"                                                                                 \
    "    particle: {spacing: 0.05}\n"                                                                        \
    "    shape: {sheet: {center: " center ", size: [0.5, 0.25]}}\n"                                          \
    "    " extra "\n"
#define SHEET_WEIGHT (0.15 * 0.5 * 0.25 * 9.81)

typedef struct mean_load {
    dlp_vec3 force, torque; /* N; N m at the ends of frames */
} mean_load;

static mean_load mean_over(dlp_world *world, int32_t body, int32_t frames)
{
    mean_load sum = {0};
    for (int32_t k = 0; k < frames; k++) {
        step_frames(world, 1);
        const dlp_body_force load = dlp_world_body_load(world, body);
        sum.force = dlp_along(sum.force, load.mean_force, 1.0 / frames);
        sum.torque = dlp_along(sum.torque, load.torque, 1.0 / frames);
    }
    return sum;
}

static void assert_vector(dlp_vec3 got, dlp_vec3 wanted, double tolerance)
{
    if (!(dlp_length(dlp_sub(got, wanted)) <= tolerance))
        fail_msg("(%g, %g, %g), not (%g, %g, %g) within %g", got.x, got.y, got.z, wanted.x, wanted.y,
                 wanted.z, tolerance);
}

static void assert_all_rest(dlp_world *world)
{
    const dlp_stats stats = stats_of(world);
    assert_int_equal(stats.restrained, stats.particles);
}

// Weight.

static void expect_weight(const char *text, double weight, double lever, bool rests)
{
    setup s = make_setup(text);
    step_frames(s.world, 30);
    const mean_load load = mean_over(s.world, 0, 20);
    assert_vector(load.force, dlp_vec(0, 0, -weight), 0.01 * weight);
    assert_vector(load.torque, dlp_vec(0, lever * weight, 0), 0.01 * lever * weight);
    if (rests) assert_all_rest(s.world);
    release_setup(&s);
}

static void a_sheet_on_a_floor_loads_it_with_its_weight(void **state)
{
    (void)state;
    expect_weight(HEAD SHEET("sheet", "[0.3, 0, 0.02]", "") FLOOR, SHEET_WEIGHT, 0.3, false);
}

static void a_sheet_at_rest_loads_the_floor_with_its_weight(void **state)
{
    (void)state;
    expect_weight(HEAD SHEET("sheet", "[0.3, 0, 0.02]", "adapt: {restraint: true}") FLOOR, SHEET_WEIGHT, 0.3,
                  true);
}

static void two_layers_load_the_floor_with_the_weight_of_both(void **state)
{
    (void)state;
    expect_weight(HEAD SHEET("lower", "[0.3, -0.01, 0.02]", "") SHEET("upper", "[0.3, 0.01, 0.04]", "") FLOOR,
                  2 * SHEET_WEIGHT, 0.3, false);
    expect_weight(HEAD SHEET("lower", "[0.3, -0.01, 0.02]", "adapt: {restraint: true}")
                      SHEET("upper", "[0.3, 0.01, 0.04]", "adapt: {restraint: true}") FLOOR,
                  2 * SHEET_WEIGHT, 0.3, true);
}

static void a_sheet_draped_on_a_sphere_loads_it_with_its_weight(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "  sheet:\n"
             "    material: cotton\n"
             "    particle: {spacing: 0.04}\n"
             "    cloth: {damping: 3}\n"
             "    shape: {sheet: {center: [0, 0, 0.32], size: [0.6, 0.6]}}\n"
             "obstacles:\n"
             "  - {name: ball, sphere: {center: [0, 0, 0], radius: 0.3}, friction: 0.6}\n";
    setup s = make_setup(text);
    step_frames(s.world, 40);
    const mean_load load = mean_over(s.world, 0, 20);
    const double weight = 0.15 * 0.6 * 0.6 * 9.81;
    assert_vector(load.force, dlp_vec(0, 0, -weight), 0.01 * weight);
    assert_vector(load.torque, dlp_vec(0, 0, 0), 0.01 * 0.3 * weight);
    release_setup(&s);
}

// Friction holds it: 20 degrees are less than atan 0.6.
#define SLOPE(extra)                                                                                         \
    HEAD "  sheet:\n"                                                                                        \
         "    material: cotton\n"                                                                            \
         "    particle: {spacing: 0.05}\n"                                                                   \
         "    shape: {sheet: {center: [0.00171, 0, 0.0047], normal: [0.34202, 0, 0.93969],\n"                \
         "                    size: [0.5, 0.25]}}\n"                                                         \
         "    " extra "\n"                                                                                   \
         "obstacles:\n"                                                                                      \
         "  - {name: slope, box: {min: [-2, -2, -0.2], max: [2, 2, 0]}, rotation: [0, 20, 0],\n"             \
         "     friction: 0.6}\n"

static void a_sheet_held_on_a_slope_by_friction_loads_it_straight_down(void **state)
{
    (void)state;
    static const char *const texts[] = {SLOPE(""), SLOPE("adapt: {restraint: true}")};
    for (int k = 0; k < 2; k++) {
        setup s = make_setup(texts[k]);
        step_frames(s.world, 30);
        const mean_load load = mean_over(s.world, 0, 20);
        assert_vector(load.force, dlp_vec(0, 0, -SHEET_WEIGHT), 0.01 * SHEET_WEIGHT);
        if (k == 1) assert_all_rest(s.world);
        release_setup(&s);
    }
}

// Seven of eleven rows lie on the first; the rows at the edges weigh half.
static void two_bodies_share_the_weight(void **state)
{
    (void)state;
    static const char text[] = HEAD SHEET(
        "sheet", "[0, 0, 0.01]", "adapt: {restraint: true}") "obstacles:\n"
                                                             "  - {name: left, box: {min: [-2, -2, -0.2], "
                                                             "max: [0.075, 2, 0]}, friction: 0.5}\n"
                                                             "  - {name: right, box: {min: [0.075, -2, "
                                                             "-0.2], max: [2, 2, 0]}, friction: 0.5}\n";
    setup s = make_setup(text);
    step_frames(s.world, 30);
    assert_vector(mean_over(s.world, 0, 20).force, dlp_vec(0, 0, -0.65 * SHEET_WEIGHT), 0.01 * SHEET_WEIGHT);
    assert_vector(mean_over(s.world, 1, 20).force, dlp_vec(0, 0, -0.35 * SHEET_WEIGHT), 0.01 * SHEET_WEIGHT);
    release_setup(&s);
}

// Attachments.

#define HOOK                                                                                                 \
    "obstacles:\n"                                                                                           \
    "  - {name: hook, sphere: {center: [0, 0, 2], radius: 0.1}, pivot: [0, 0, 2]}\n"

static void what_hangs_on_a_body_loads_it_with_its_weight(void **state)
{
    (void)state;
    static const char sheet[] =
        HEAD "  sheet:\n"
             "    material: cotton\n"
             "    particle: {spacing: 0.05}\n"
             "    cloth: {damping: 3}\n"
             "    shape: {sheet: {center: [0, 0, 1], normal: [0, 1, 0], size: [0.5, 0.25]}}\n"
             "attachments:\n"
             "  - {substance: sheet, box: {min: [-1, -1, 1.12], max: [1, 1, 1.3]}, body: hook}\n" HOOK;
    static const char rope[] =
        HEAD "  rope:\n"
             "    material: cotton\n"
             "    particle: {spacing: 0.05}\n"
             "    cloth: {damping: 3, width: 0.02}\n"
             "    shape: {capsule: {from: [0.2, 0, 1], to: [0.2, 0, 0.5], radius: 0.01}}\n"
             "attachments:\n"
             "  - {substance: rope, sphere: {center: [0.2, 0, 1], radius: 0.01}, body: hook}\n" HOOK;
    const struct {
        const char *text;
        double weight, lever;
    } cases[] = {{sheet, SHEET_WEIGHT, 0}, {rope, 0, 0.2}};
    for (int k = 0; k < 2; k++) {
        setup s = make_setup(cases[k].text);
        const double weight = stats_of(s.world).mass * 9.81;
        if (cases[k].weight > 0) assert_near(weight, cases[k].weight, 1e-9);
        step_frames(s.world, 60);
        const mean_load load = mean_over(s.world, 0, 20);
        assert_vector(load.force, dlp_vec(0, 0, -weight), 0.01 * weight);
        assert_vector(load.torque, dlp_vec(0, cases[k].lever * weight, 0), 0.003 * weight);
        release_setup(&s);
    }
}

// Balance.

// Without air and damping only gravity and bodies change the momentum of cloth. Over each frame:
// momentum after - before = weight x time - what bodies had. The linear solver would leave a few
// parts in 1e3 of the weight where stiff threads pull: here it leaves next to nothing.
static void expect_balance(const char *text, int32_t bodies, int32_t frames)
{
    setup s = make_setup(text);
    dlp_cloth_of(s.world)->params.solve_tolerance = 1e-12;
    dlp_stats before = stats_of(s.world);
    double most = 0;
    for (int32_t k = 0; k < frames; k++) {
        step_frames(s.world, 1);
        const dlp_stats after = stats_of(s.world);
        const double time = after.time - before.time;
        dlp_vec3 force = dlp_mul(dlp_vec(0, 0, -9.81), after.mass);
        for (int32_t b = 0; b < bodies; b++) {
            const dlp_vec3 load = dlp_world_body_load(s.world, b).mean_force;
            most = fmax(most, dlp_length(load));
            force = dlp_sub(force, load);
        }
        const dlp_vec3 change = dlp_mul(dlp_sub(after.momentum, before.momentum), 1 / time);
        assert_vector(change, force, 1e-8 * after.mass * 9.81);
        before = after;
    }
    assert_true(most > 1.5 * before.mass * 9.81);  // something happened
    release_setup(&s);
}

#define FAST_HEAD "frames: {rate: 50, count: 30}\nsubstances:\n"
#define FREE_SHEET(name, material, shape)                                                                    \
    "  " name ":\n"                                                                                          \
    "    material: " material "\n"                                                                           \
    "    particle: {spacing: 0.05}\n"                                                                        \
    "    cloth: {drag: 0, damping: 0}\n"                                                                     \
    "    shape: {" shape "}\n"

static void momentum_is_balanced_in_a_fall_on_the_floor(void **state)
{
    (void)state;
    static const char text[] = FAST_HEAD FREE_SHEET("sheet", "cotton",
                                                    "sheet: {center: [0, 0, 0.3], normal: [0.3, 0.2, 1], "
                                                    "size: [0.5, 0.25]}") "    velocity: [1, 0, 0]\n" FLOOR;
    expect_balance(text, 1, 30);
}

static void momentum_is_balanced_in_a_fall_over_a_ball(void **state)
{
    (void)state;
    static const char text[] = FAST_HEAD FREE_SHEET(
        "sheet", "silk",
        "sheet: {center: [0.03, 0.02, 0.3], size: [0.7, 0.7]}") "obstacles:\n"
                                                                "  - {name: ball, sphere: {center: [0, 0, "
                                                                "0.1], radius: 0.12}, friction: 0.4}\n"
                                                                "  - {name: floor, box: {min: [-2, -2, "
                                                                "-0.2], max: [2, 2, 0]}, friction: 0.5, "
                                                                "restitution: 0.3}\n";
    expect_balance(text, 2, 30);
}

// A sheet that a body holds at two sides, which catches another that is thrown into it.
static void momentum_is_balanced_where_cloth_catches_cloth(void **state)
{
    (void)state;
    static const char text[] = FAST_HEAD FREE_SHEET("net", "cotton",
                                                    "sheet: {center: [0, 0, 1], size: [0.5, 0.5]}")
        FREE_SHEET("ball", "denim",
                   "sheet: {center: [0.02, 0.01, 1.1], size: [0.2, 0.2]}") "    velocity: [0, 0, -4]\n"
                                                                           "attachments:\n"
                                                                           "  - {substance: net, box: {min: "
                                                                           "[-0.3, -1, 0.9], max: [-0.24, 1, "
                                                                           "1.1]}, body: hook}\n"
                                                                           "  - {substance: net, box: {min: "
                                                                           "[0.24, -1, 0.9], max: [0.3, 1, "
                                                                           "1.1]}, body: hook}\n" HOOK;
    expect_balance(text, 1, 30);
}

static void momentum_is_balanced_where_cloth_falls_on_cloth_on_a_floor(void **state)
{
    (void)state;
    static const char text[] =
        FAST_HEAD FREE_SHEET("lower", "cotton", "sheet: {center: [0, 0, 0.01], size: [0.4, 0.4]}") FREE_SHEET(
            "upper", "denim",
            "sheet: {center: [0.02, 0.01, 0.1], normal: [0.4, 0, 1], size: [0.3, 0.3]}") "    velocity: [0, "
                                                                                         "0.5, -4]\n" FLOOR;
    expect_balance(text, 1, 30);
}

// A rod thinner than the gaps between the particles.
static void momentum_is_balanced_where_a_thin_rod_hits(void **state)
{
    (void)state;
    static const char text[] =
        FAST_HEAD FREE_SHEET("sheet", "cotton", "sheet: {center: [0, 0, 1], size: [0.5, 0.5]}") FREE_SHEET(
            "rope", "cotton",
            "capsule: {from: [-0.2, 0.31, 1], to: [0.3, 0.31, 1], radius: 0.01}") "obstacles:\n"
                                                                                  "  - {name: rod, capsule: "
                                                                                  "{from: [0.02, -0.4, 0.9], "
                                                                                  "to: [0.02, 0.4, 0.9], "
                                                                                  "radius: 0.01},\n"
                                                                                  "     friction: 0.3, "
                                                                                  "position: {keys: [[0, [0, "
                                                                                  "0, 0]], [0.2, [0, 0, "
                                                                                  "0.4]], [0.6, [0, 0, "
                                                                                  "0.2]]]}}\n";
    expect_balance(text, 1, 30);
}

static void momentum_is_balanced_on_a_body_that_is_shaken(void **state)
{
    (void)state;
    static const char text[] = FAST_HEAD FREE_SHEET("sheet", "cotton",
                                                    "sheet: {center: [0, 0, 1], normal: [0, 1, 0], size: "
                                                    "[0.5, 0.25]}") "attachments:\n"
                                                                    "  - {substance: sheet, box: {min: [-1, "
                                                                    "-1, 1.12], max: [1, 1, 1.3]}, body: "
                                                                    "hook}\n"
                                                                    "obstacles:\n"
                                                                    "  - {name: hook, sphere: {center: [0, "
                                                                    "0, 2], radius: 0.1}, pivot: [0, 0, 2],\n"
                                                                    "     position: {keys: [[0, [0, 0, 0]], "
                                                                    "[0.1, [0.2, 0, 0.1]], [0.2, [0, 0.1, "
                                                                    "0]],\n"
                                                                    "                       [0.4, [0.1, 0, "
                                                                    "0]]]}}\n";
    expect_balance(text, 1, 30);
}

// Hidden momentum that hardly fades is lost to bodies alone.
static void momentum_is_balanced_where_cloth_comes_to_rest(void **state)
{
    (void)state;
    static const char text[] = FAST_HEAD FREE_SHEET(
        "lower", "cotton",
        "sheet: {center: [0, 0, 0.02], size: [0.4, 0.4]}") "    adapt: {restraint: true}\n"
                                                           "    restraint: {friction: "
                                                           "1e-12}\n" FREE_SHEET(
                                                               "upper", "denim",
                                                               "sheet: {center: [0.02, 0.01, 0.05], "
                                                               "normal: [0.1, 0, 1], size: [0.3, "
                                                               "0.3]}") "    adapt: {restraint: "
                                                                        "true}\n"
                                                                        "    restraint: {friction: "
                                                                        "1e-12}\n" FLOOR;
    expect_balance(text, 1, 100);
}

// Threads and memory.

static void loads_do_not_depend_on_the_number_of_threads(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "  sheet:\n"
             "    material: silk\n"
             "    particle: {spacing: 0.022}\n"
             "    adapt: {restraint: true}\n"
             "    shape: {sheet: {center: [0.03, 0.02, 0.24], size: [0.45, 0.45]}}\n"
             "obstacles:\n"
             "  - {name: ball, sphere: {center: [0, 0, 0.1], radius: 0.12}, friction: 0.4}\n"
             "  - {name: floor, box: {min: [-2, -2, -0.2], max: [2, 2, 0]}, friction: 0.5}\n";
    const dlp_world_options options = {.size = sizeof options, .thread_count = 2};
    setup a = make_setup(text), b = make_setup_in(NULL, text, &options);
    for (int32_t k = 0; k < 4; k++) {
        step_frames(a.world, 1);
        step_frames(b.world, 1);
        for (int32_t body = 0; body < 2; body++) {
            const dlp_body_force p = dlp_world_body_load(a.world, body),
                                 q = dlp_world_body_load(b.world, body);
            assert_memory_equal(&p, &q, sizeof p);
        }
    }
    assert_same_world(a.world, b.world, "drape");
    release_setup(&a);
    release_setup(&b);
}

static void a_step_at_rest_makes_no_heap_call(void **state)
{
    (void)state;
    setup s = make_setup(HEAD SHEET("sheet", "[0.3, 0, 0.02]", "adapt: {restraint: true}") FLOOR);
    step_frames(s.world, 10);
    const int64_t before = dlp_memory_call_count();
    step_frames(s.world, 5);
    assert_int_equal(dlp_memory_call_count(), before);
    release_setup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sheet_on_a_floor_loads_it_with_its_weight),
        cmocka_unit_test(a_sheet_at_rest_loads_the_floor_with_its_weight),
        cmocka_unit_test(two_layers_load_the_floor_with_the_weight_of_both),
        cmocka_unit_test(a_sheet_draped_on_a_sphere_loads_it_with_its_weight),
        cmocka_unit_test(a_sheet_held_on_a_slope_by_friction_loads_it_straight_down),
        cmocka_unit_test(two_bodies_share_the_weight),
        cmocka_unit_test(what_hangs_on_a_body_loads_it_with_its_weight),
        cmocka_unit_test(momentum_is_balanced_in_a_fall_on_the_floor),
        cmocka_unit_test(momentum_is_balanced_in_a_fall_over_a_ball),
        cmocka_unit_test(momentum_is_balanced_where_cloth_catches_cloth),
        cmocka_unit_test(momentum_is_balanced_where_cloth_falls_on_cloth_on_a_floor),
        cmocka_unit_test(momentum_is_balanced_where_a_thin_rod_hits),
        cmocka_unit_test(momentum_is_balanced_where_cloth_comes_to_rest),
        cmocka_unit_test(momentum_is_balanced_on_a_body_that_is_shaken),
        cmocka_unit_test(loads_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(a_step_at_rest_makes_no_heap_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
