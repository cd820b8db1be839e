/* Solids that meet obstacles, one another and themselves. */
#include "base/memory.h"
#include "motion/world.h"
#include "scenes.h"
#include "test_folder.h"

#include <stdlib.h>

#define FLOOR "obstacles:\n  - {box: {min: [-9, -9, -0.2], max: [9, 9, 0]}"
#define BLOCK "{box: {min: [0, 0, 0], max: [0.12, 0.12, 0.08]}}"
#define STUFF(name, material, extra, shape)                                                                  \
    "  " name ":\n    material: " material "\n    particle: {spacing: 0.02}\n" extra "    shape: " shape "\n"

#define SPACING 0.02

static dlp_vec3 place_at(const dlp_world *world, int32_t i)
{
    const double *x = positions_of(world) + 3 * (size_t)i;
    return dlp_vec(x[0], x[1], x[2]);
}

static int32_t count_of(const dlp_world *world)
{
    return field_of(world, DLP_FIELD_POSITION).count;
}

static double fastest(const dlp_world *world)
{
    const float *v = velocities_of(world);
    double square = 0;
    for (int32_t i = 0; i < count_of(world); i++)
        square = fmax(square, (double)(v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] +
                                       v[3 * i + 2] * v[3 * i + 2]));
    return sqrt(square);
}

// m: the least and the greatest height among particles of a substance.
static dlp_vec3 heights_of(const dlp_world *world, int32_t substance)
{
    const int32_t *of = field_of(world, DLP_FIELD_SUBSTANCE).data;
    dlp_vec3 out = dlp_vec(1e30, -1e30, 0);
    for (int32_t i = 0; i < count_of(world); i++) {
        if (of[i] != substance) continue;
        out.x = fmin(out.x, place_at(world, i).z);
        out.y = fmax(out.y, place_at(world, i).z);
    }
    return out;
}

// Obstacles.

static const char drop_scene[] =
    "frames: {rate: 60, count: 60}\n"
    "substances:\n" STUFF("ball", "sausage", "", "{sphere: {center: [0, 0, 0.2], radius: 0.08}}") FLOOR
    ", restitution: %g}\n";

// The energy that the world tells leaves out that of the hourglass springs, so it is compared in flight,
// where they have little: from the top of one bounce to the top of the next, with a hundredth for what they
// keep.
static void a_ball_that_bounces_never_gains_energy(void **state)
{
    (void)state;
    const double restitutions[] = {0, 1};
    for (int k = 0; k < 2; k++) {
        char text[1000];
        snprintf(text, sizeof text, drop_scene, restitutions[k]);
        setup s = make_setup(text);
        double top = energy_of(s.world), speed = 0;
        int32_t tops = 0;
        const double first = top, mass = stats_of(s.world).mass;
        for (int frame = 0; frame < 60; frame++) {
            step_frames(s.world, 1);
            assert_true(least_distance(s.world, 0) > 0.5 * SPACING * (1 - 1e-6));
            const double next = stats_of(s.world).momentum.z / mass;
            if (speed > 0 && next <= 0) {
                assert_true(energy_of(s.world) < 1.01 * top);
                top = energy_of(s.world);
                tops++;
            }
            speed = next;
        }
        assert_true(tops >= 2);
        assert_true(top > 0.3 * first && top < first);
        release_setup(&s);
    }
}

#define SLOPE(degrees) "gravity: [" degrees "]\n"
#define STEEP          "3.3552176, 0, -9.2183848"  // 20 degrees
#define SHALLOW        "1.7034886, 0, -9.6609641"  // 10 degrees

static const char slope_scene[] =
    "frames: {rate: 60, count: 60}\n" SLOPE(STEEP) "substances:\n" STUFF("block", "sausage", "", BLOCK) FLOOR
    ", friction: 0.2}\n";
static const char shallow_scene[] = "frames: {rate: 60, count: 60}\n" SLOPE(SHALLOW) "substances:\n" STUFF(
    "block", "sausage", "    solid: {damping: 20}\n", BLOCK) FLOOR ", friction: 0.2}\n";

// a = g (sin 20 - 0.2 cos 20)
static void a_block_slides_down_a_slope_as_coulomb_says(void **state)
{
    (void)state;
    setup s = make_setup(slope_scene);
    step_frames(s.world, 30);
    const double early = stats_of(s.world).momentum.x;
    step_frames(s.world, 30);
    const dlp_stats stats = stats_of(s.world);
    const double expected = 3.3552176 - 0.2 * 9.2183848;
    assert_near((stats.momentum.x - early) / stats.mass / 0.5, expected, 0.05 * expected);
    release_setup(&s);
}

// tan 10 = 0.176 < 0.2
static void a_block_stays_on_a_slope_that_friction_holds(void **state)
{
    (void)state;
    setup s = make_setup(shallow_scene);
    step_frames(s.world, 60);
    const dlp_vec3 x = place_at(s.world, 0);
    assert_true(fastest(s.world) < 1e-4);
    step_frames(s.world, 30);
    assert_true(fabs(place_at(s.world, 0).x - x.x) < 1e-6);
    release_setup(&s);
}

// Gravity acts at once, as it does not where a body is put down: the block is left shaking up and down by as
// much as its weight presses it together. Without damping, so that nothing but friction takes the motion
// away.
static const char sudden_scene[] =
    "frames: {rate: 60, count: 120}\n"
    "gravity: [%.9g, 0, %.9g]\n"
    "substances:\n"
    "  block:\n"
    "    model: solid\n"
    "    density: 1000\n"
    "    particle: {spacing: 0.02}\n"
    "    solid: {youngs_modulus: 1e5, damping: %g}\n"
    "    shape: {box: {min: [0, 0, 0], max: [0.2, 0.2, 0.1]}}\n" FLOOR ", friction: 0.5}\n";

static setup make_sudden(double degrees, double damping)
{
    const double angle = degrees * acos(-1) / 180;
    char text[1000];
    snprintf(text, sizeof text, sudden_scene, 9.81 * sin(angle), -9.81 * cos(angle), damping);
    return make_setup(text);
}

// tan 24 = 0.445 < 0.5. What is left after a second is the body's own waves, to and fro: less than a
// hundredth of what falls freely in a tenth of a second, and no way down the slope.
static void a_block_whose_weight_comes_at_once_sticks_below_the_angle_of_friction(void **state)
{
    (void)state;
    setup s = make_sudden(24, 0);
    step_frames(s.world, 60);
    const double start = place_at(s.world, count_of(s.world) - 1).x;
    step_frames(s.world, 60);
    assert_true(fabs(stats_of(s.world).momentum.x / stats_of(s.world).mass) < 0.01 * 0.981);
    assert_true(fabs(place_at(s.world, count_of(s.world) - 1).x - start) < 0.05 * SPACING);
    release_setup(&s);
}

// a = g (sin 27 - 0.5 cos 27) = 0.0833 m/s2, a fiftieth of either part; with drag the end speed is a /
// damping.
static void a_block_just_above_the_angle_of_friction_slides_as_coulomb_says(void **state)
{
    (void)state;
    const double expected = 9.81 * (sin(27 * acos(-1) / 180) - 0.5 * cos(27 * acos(-1) / 180));
    setup s = make_sudden(27, 0);
    step_frames(s.world, 60);
    const double early = stats_of(s.world).momentum.x;
    step_frames(s.world, 60);
    assert_near((stats_of(s.world).momentum.x - early) / stats_of(s.world).mass, expected, 0.03 * expected);
    release_setup(&s);
    s = make_sudden(27, 20);
    step_frames(s.world, 60);
    assert_near(stats_of(s.world).momentum.x / stats_of(s.world).mass, expected / 20, 0.03 * expected / 20);
    release_setup(&s);
}

// The belt carries the block: after 0.5 s at 0.3 g the block goes with it, at 1 m/s.
static const char belt_scene[] =
    "frames: {rate: 60, count: 60}\n"
    "substances:\n" STUFF("block", "sausage", "",
                          BLOCK) "obstacles:\n"
                                 "  - box: {min: [-9, -9, -0.2], max: [9, 9, 0]}\n"
                                 "    friction: 0.3\n"
                                 "    position: {keys: [[0, [0, 0, 0]], [2, [2, 0, 0]]]}\n";

static void a_moving_floor_takes_a_block_along(void **state)
{
    (void)state;
    setup s = make_setup(belt_scene);
    step_frames(s.world, 12);
    const dlp_stats early = stats_of(s.world);
    assert_near(early.momentum.x / early.mass, 0.3 * 9.81 * 0.2, 0.05);
    step_frames(s.world, 36);
    assert_near(stats_of(s.world).momentum.x / early.mass, 1, 0.02);
    release_setup(&s);
}

// A fifth of a spacing thick, and 10 m/s.
static const char plate_scene[] =
    "frames: {rate: 60, count: 60}\n"
    "gravity: [0, 0, 0]\n"
    "substances:\n" STUFF("ball", "jelly", "    velocity: [1, 0, -10]\n%s",
                          "{sphere: {center: [0, 0, 0.15], radius: 0.08}}") "obstacles:\n"
                                                                            "  - box: {min: [-1, -1, "
                                                                            "-0.002], max: [1, 1, 0.002]}\n";

static void a_fast_ball_does_not_pass_through_a_thin_plate(void **state)
{
    (void)state;
    const char *const steps[] = {
        "", "    solid: {substeps: 7, law: corotated}\n"};  // 0.5 and 1.2 spacings in one
    for (int k = 0; k < 2; k++) {
        char text[1000];
        snprintf(text, sizeof text, plate_scene, steps[k]);
        setup s = make_setup(text);
        for (int frame = 0; frame < 10; frame++) {
            step_frames(s.world, 1);
            assert_true(heights_of(s.world, 0).x > 0.002);
        }
        assert_true(stats_of(s.world).momentum.z > 0);
        release_setup(&s);
    }
}

static void count_messages(const char *message, void *user)
{
    int *count = user;
    *count += strstr(message, "solid.substeps") != NULL;
}

static void sub_steps_that_are_too_long_are_told_once(void **state)
{
    (void)state;
    char text[1000];
    int count = 0;
    const dlp_world_options options = {
        .size = sizeof options, .thread_count = 1, .log = count_messages, .user = &count};
    snprintf(text, sizeof text, plate_scene, "    solid: {substeps: 7}\n");
    setup s = make_setup_in(NULL, text, &options);
    step_frames(s.world, 2);
    assert_int_equal(count, 1);
    release_setup(&s);
}

// Bodies.

static const char meeting_scene[] =
    "frames: {rate: 60, count: 60}\n"
    "gravity: [0, 0, 0]\n"
    "substances:\n" STUFF("a", "jelly", "    velocity: [1, 0, 0]\n",
                          "{box: {min: [-0.2, 0, 0], max: [-0.08, 0.1, 0.1]}}")
        STUFF("b", "jelly", "    velocity: [-0.5, 0, 0]\n",
              "{sphere: {center: [0.05, 0.06, 0.04], radius: 0.08}}");

// The sums are those of 0.56 kg m/s that meet; rounding of floats in the sweeps is all that may be lost.
static void two_bodies_that_meet_keep_their_momentum_and_gain_no_energy(void **state)
{
    (void)state;
    setup s = make_setup(meeting_scene);
    const dlp_stats start = stats_of(s.world);
    double energy = energy_of(s.world);
    for (int frame = 0; frame < 30; frame++) {
        step_frames(s.world, 1);
        const dlp_stats now = stats_of(s.world);
        assert_near(now.momentum.x, start.momentum.x, 1e-6);
        assert_near(now.momentum.y, 0, 1e-6);
        assert_near(now.momentum.z, 0, 1e-6);
        assert_true(energy_of(s.world) < energy + 0.03 * start.kinetic_energy);
        energy = fmin(energy, energy_of(s.world));
    }
    assert_true(energy < 0.9 * start.kinetic_energy);
    const int32_t *of = field_of(s.world, DLP_FIELD_SUBSTANCE).data;
    for (int32_t i = 0; i < count_of(s.world); i++)
        assert_true(of[i] == 0 ? place_at(s.world, i).x < 0.05 : true);
    release_setup(&s);
}

static const char stack_scene[] =
    "frames: {rate: 60, count: 60}\n"
    "substances:\n" STUFF("box", "sausage", "    solid: {damping: 20}\n",
                          "{box: {min: [0, 0, 0], max: [0.12, 0.12, 0.08]}, copies: {count: [1, 1, 3], "
                          "spacing: [0, 0, 0.081]}}") FLOOR "}\n";
enum { BOX = 6 * 6 * 4 };

// m: of the gap between the lowest layer of a box and the highest of the one below.
static double gap_below(const dlp_world *world, int32_t box)
{
    double low = 1e30, high = -1e30;
    for (int32_t i = 0; i < BOX; i++) {
        low = fmin(low, place_at(world, box * BOX + i).z);
        if (box > 0) high = fmax(high, place_at(world, (box - 1) * BOX + i).z);
    }
    return box > 0 ? low - high : low + 0.5 * SPACING;
}

static void a_stack_of_boxes_comes_to_rest_and_stays(void **state)
{
    (void)state;
    setup s = make_setup(stack_scene);
    step_frames(s.world, 90);
    assert_true(fastest(s.world) < 1e-3);
    for (int32_t box = 0; box < 3; box++) assert_true(gap_below(s.world, box) > 0.98 * SPACING);
    const dlp_vec3 top = place_at(s.world, 3 * BOX - 1);
    step_frames(s.world, 60);
    const dlp_vec3 moved = dlp_sub(place_at(s.world, 3 * BOX - 1), top);
    assert_true(dlp_length(moved) < 1e-3 * SPACING);
    release_setup(&s);
}

// Lower than 0.73 m, where a column of its width and stiffness would buckle under its weight:
// (7.84 E I / (rho g A))^(1/3) with E = 400 kPa.
static const char tower_scene[] =
    "frames: {rate: 60, count: 60}\n"
    "substances:\n"
    "  box:\n"
    "    model: solid\n"
    "    density: 1000\n"
    "    particle: {spacing: 0.03}\n"
    "    solid: {youngs_modulus: 400000, damping: 20}\n"
    "    shape: {box: {min: [0, 0, 0], max: [0.12, 0.12, 0.06]}, copies: {count: [1, 1, 10], "
    "spacing: [0, 0, 0.061]}}\n" FLOOR "}\n";

static void ten_boxes_rest_for_five_seconds(void **state)
{
    (void)state;
    setup s = make_setup(tower_scene);
    step_frames(s.world, 120);
    const dlp_vec3 top = place_at(s.world, count_of(s.world) - 1);
    for (int frame = 120; frame < 300; frame += 30) {
        step_frames(s.world, 30);
        assert_true(fastest(s.world) < 1e-4);
    }
    assert_true(dlp_length(dlp_sub(place_at(s.world, count_of(s.world) - 1), top)) < 1e-3 * 0.03);
    release_setup(&s);
}

#define SLAB                                                                                                 \
    "  slab:\n    material: sausage\n    particle: {spacing: 0.02}\n    solid: {friction: 0.2}\n"            \
    "    shape: {box: {min: [-0.1, -0.1, -0.06], max: [0.7, 0.22, 0]}}\n"
#define HOLD "attachments:\n  - {substance: slab, box: {min: [-1, -1, -1], max: [1, 1, 1]}}\n"
static const char slab_scene[] = "frames: {rate: 60, count: 60}\n" SLOPE(STEEP) "substances:\n" SLAB STUFF(
    "block", "sausage", "    solid: {friction: %g}\n", "{box: {min: [%g, %g, 0], max: [%g, %g, 0.08]}}") HOLD;

// The slope of the block on the plane, now on a body: friction is the mean of 0.2 and what the block has,
// however the particles of the one stand above those of the other.
static void a_block_slides_on_a_body_as_coulomb_says(void **state)
{
    (void)state;
    const double frictions[] = {0, 0.1}, shifts[] = {0, 0.01};
    for (int k = 0; k < 4; k++) {
        char text[1000];
        const double mine = frictions[k / 2], x = shifts[k % 2], mu = 0.5 * (0.2 + mine);
        snprintf(text, sizeof text, slab_scene, mine, x, x, x + 0.12, x + 0.12);
        setup s = make_setup(text);
        step_frames(s.world, 15);
        const double early = stats_of(s.world).momentum.x;
        step_frames(s.world, 15);
        const dlp_stats stats = stats_of(s.world);
        const double expected = 3.3552176 - mu * 9.2183848, mass = 1050 * 0.12 * 0.12 * 0.08;
        assert_near((stats.momentum.x - early) / mass / 0.25, expected, 0.05 * expected);
        release_setup(&s);
    }
}

static const char net_scene[] =
    "frames: {rate: 60, count: 60}\n"
    "gravity: [0, 0, 0]\n"
    "substances:\n" STUFF("ball", "sausage", "    velocity: [0, 0, -10]\n",
                          "{sphere: {center: [0, 0, 0.16], radius: 0.08}}")
        STUFF(
            "net", "sausage", "    solid: {youngs_modulus: 1000000}\n",
            "{box: {min: [-0.16, -0.16, 0], max: [0.16, 0.16, 0.04]}}") "attachments:\n"
                                                                        "  - {substance: net, box: {min: "
                                                                        "[-1, -1, -1], max: [-0.13, 1, 1]}}\n"
                                                                        "  - {substance: net, box: {min: "
                                                                        "[0.13, -1, -1], max: [1, 1, 1]}}\n";

// The ball's middle never reaches the sheet's, and it comes back.
static void a_fast_ball_does_not_pass_through_a_thin_body(void **state)
{
    (void)state;
    setup s = make_setup(net_scene);
    for (int frame = 0; frame < 8; frame++) {
        step_frames(s.world, 1);
        const int32_t *of = field_of(s.world, DLP_FIELD_SUBSTANCE).data;
        double ball = 1e30, net = 1e30;
        for (int32_t i = 0; i < count_of(s.world); i++) {
            const dlp_vec3 x = place_at(s.world, i);
            if (of[i] == 0) ball = fmin(ball, x.z);
            if (of[i] == 1) net = fmin(net, x.z);
        }
        assert_true(ball > net + 0.9 * SPACING);
    }
    const float *v = velocities_of(s.world);
    assert_true(v[2] > 0);
    release_setup(&s);
}

#define RING(name, velocity, center, axis)                                                                   \
    STUFF(name, "sausage", "    solid: {youngs_modulus: 1000000}\n    velocity: " velocity "\n",             \
          "{torus: {center: " center ", radius: 0.1, tube: 0.03, axis: " axis "}}")
static const char chain_scene[] = "frames: {rate: 60, count: 60}\n"
                                  "gravity: [0, 0, 0]\n"
                                  "substances:\n" RING("a", "[-5, 0, 0]", "[0, 0, 0]", "[0, 0, 1]")
                                      RING("b", "[5, 0, 0]", "[0.1, 0, 0]", "[0, 1, 0]");

// m: of the particles of a substance.
static dlp_vec3 centre_of(const dlp_world *world, int32_t substance)
{
    const int32_t *of = field_of(world, DLP_FIELD_SUBSTANCE).data;
    dlp_vec3 sum = dlp_vec(0, 0, 0);
    int32_t count = 0;
    for (int32_t i = 0; i < count_of(world); i++)
        if (of[i] == substance) sum = dlp_add(sum, place_at(world, i)), count++;
    return dlp_mul(sum, 1.0 / count);
}

// Rings that hang in one another are at most their radii apart, and what they are stretched, as long as they
// do: without their contact they would be 3.4 m apart in the end.
static void two_rings_of_a_chain_stay_linked(void **state)
{
    (void)state;
    setup s = make_setup(chain_scene);
    for (int frame = 0; frame < 20; frame++) {
        step_frames(s.world, 1);
        assert_true(dlp_length(dlp_sub(centre_of(s.world, 0), centre_of(s.world, 1))) < 0.4);
    }
    release_setup(&s);
}

static const char vice_scene[] =
    "frames: {rate: 60, count: 60}\n"
    "gravity: [0, 0, 0]\n"
    "substances:\n" STUFF(
        "jaws", "sausage", "",
        "{box: {min: [-0.06, -0.06, 0], max: [0.06, 0.06, 0.04]}, copies: {count: [1, 1, 2], "
        "spacing: [0, 0, 0.16]}}") STUFF("body", "jelly", "    solid: {damping: 10}\n",
                                         "{box: {min: [-0.04, -0.04, 0.06], max: [0.04, 0.04, "
                                         "0.14]}}") "attachments:\n"
                                                    "  - {substance: jaws, box: {min: [-1, -1, -1], "
                                                    "max: [1, 1, 0.1]}}\n"
                                                    "  - substance: jaws\n"
                                                    "    box: {min: [-1, -1, 0.1], max: [1, 1, 1]}\n"
                                                    "    position: {keys: [[0, [0, 0, 0]], [1, [0, "
                                                    "0, -0.06]]]}\n";

// The jaws close from 0.12 to 0.06 around a body of 0.08.
static void a_body_is_squeezed_between_jaws_that_are_held(void **state)
{
    (void)state;
    setup s = make_setup(vice_scene);
    step_frames(s.world, 96);
    const dlp_vec3 heights = heights_of(s.world, 1);
    assert_true(heights.x > 0.04 + 0.3 * SPACING && heights.y < 0.1 - 0.3 * SPACING);
    assert_true(heights.y - heights.x < 0.05);
    assert_true(fastest(s.world) < 0.02);
    release_setup(&s);
}

// Itself: one end of a bar is bent over and pressed down upon the other half, and through where that was.

static const char fold_scene[] =
    "frames: {rate: 60, count: 100}\n"
    "gravity: [0, 0, 0]\n"
    "substances:\n" STUFF(
        "bar", "sausage", "    solid: {damping: 5}\n",
        "{box: {min: [-0.3, -0.03, 0], max: [0.3, 0.03, 0.06]}}") "attachments:\n"
                                                                  "  - {substance: bar, box: {min: [-0.31, "
                                                                  "-0.1, -0.1], max: [-0.25, 0.1, 0.1]}}\n"
                                                                  "  - substance: bar\n"
                                                                  "    box: {min: [0.25, -0.1, -0.1], max: "
                                                                  "[0.31, 0.1, 0.1]}\n"
                                                                  "    pivot: [0.28, 0, 0.03]\n"
                                                                  "    position: {keys: [[0, [0, 0, 0]], "
                                                                  "[0.5, [-0.1, 0, 0.2]], [1, [-0.38, 0, "
                                                                  "0.2]],\n"
                                                                  "                      [1.6, [-0.38, 0, "
                                                                  "-0.08]]]}\n"
                                                                  "    rotation: {keys: [[0, [0, 0, 0]], "
                                                                  "[0.5, [0, -90, 0]], [1, [0, -180, 0]]]}\n";

static void a_bar_that_is_bent_over_does_not_pass_through_itself(void **state)
{
    (void)state;
    setup s = make_setup(fold_scene);
    const int32_t count = count_of(s.world);
    dlp_vec3 *rest = malloc((size_t)count * sizeof *rest);
    assert_non_null(rest);
    for (int32_t i = 0; i < count; i++) rest[i] = place_at(s.world, i);
    for (int frame = 0; frame < 96; frame += 8) {
        step_frames(s.world, 8);
        for (int32_t i = 0; i < count; i++)
            for (int32_t j = 0; j < i; j++)
                if (dlp_length(dlp_sub(rest[i], rest[j])) > 3 * SPACING)
                    assert_true(dlp_length(dlp_sub(place_at(s.world, i), place_at(s.world, j))) >
                                0.7 * SPACING);
    }
    // the half that lies below has gone out of the end's way, from 0.01 to below -0.1
    double lowest = 1e30;
    for (int32_t i = 0; i < count; i++)
        if (rest[i].x < -0.05 && rest[i].x > -0.15) lowest = fmin(lowest, place_at(s.world, i).z);
    assert_true(lowest < -0.1);
    free(rest);
    release_setup(&s);
}

// A slit: a block that is cut half through, 0.06 above its lower face, from x = 0 to 0.12.

#define SLIT                                                                                                 \
    "frames: {rate: 60, count: 60}\n"                                                                        \
    "gravity: [0, 0, 0]\n"                                                                                   \
    "substances:\n" STUFF("block", "sausage", "    solid: {damping: 10}\n",                                  \
                          "{box: {min: [0, 0, 0], max: [0.24, 0.08, 0.12]}}") "blades:\n"                    \
                                                                              "  - from: [0, -0.1, 0.06]\n"  \
                                                                              "    to: [0, 0.2, 0.06]\n"     \
                                                                              "    stop: 0.1\n"              \
                                                                              "    position: {keys: [[0, "   \
                                                                              "[-0.1, 0, 0]], [0.1, "        \
                                                                              "[0.12, 0, 0]]]}\n"
// The upper face is then pressed down by a fifth of the height.
#define PRESS                                                                                                \
    "attachments:\n"                                                                                         \
    "  - {substance: block, box: {min: [-1, -1, -1], max: [1, 1, 0.02]}}\n"                                  \
    "  - substance: block\n"                                                                                 \
    "    box: {min: [-1, -1, 0.1], max: [1, 1, 1]}\n"                                                        \
    "    position: {keys: [[0, [0, 0, 0]], [0.2, [0, 0, 0]], [0.8, [0, 0, -0.024]]]}\n"

// m: the least height of a particle of the slit's upper side above the one that was below it at rest.
static double least_gap(const dlp_world *world, const dlp_vec3 *rest)
{
    double least = 1e30;
    for (int32_t i = 0; i < count_of(world); i++) {
        if (!(rest[i].x < 0.1 && fabs(rest[i].z - 0.07) < 1e-6)) continue;
        for (int32_t j = 0; j < count_of(world); j++)
            if (dlp_length(dlp_sub(dlp_sub(rest[i], rest[j]), dlp_vec(0, 0, SPACING))) < 1e-6)
                least = fmin(least, place_at(world, i).z - place_at(world, j).z);
    }
    return least;
}

static dlp_vec3 *places_of(const dlp_world *world)
{
    dlp_vec3 *out = malloc((size_t)count_of(world) * sizeof *out);
    assert_non_null(out);
    for (int32_t i = 0; i < count_of(world); i++) out[i] = place_at(world, i);
    return out;
}

// Sides that did not meet would be 0.02 - 0.024 apart: each half ends where its held face is. Sides that meet
// leave all of the strain to the five gaps of the matter; a tenth of theirs is what iterations may lack.
static void the_sides_of_a_slit_do_not_pass_through_each_other(void **state)
{
    (void)state;
    setup s = make_setup(SLIT PRESS);
    dlp_vec3 *rest = places_of(s.world);
    for (int frame = 0; frame < 60; frame += 6) {
        step_frames(s.world, 6);
        assert_true(least_gap(s.world, rest) > 0.9 * SPACING);
    }
    assert_true(fastest(s.world) < 0.02);
    free(rest);
    release_setup(&s);
}

// At rest the sides are as near as they were: that is no contact that presses. Uncut, there is none at all.
static void a_slit_that_is_not_pressed_moves_nothing(void **state)
{
    (void)state;
    setup s = make_setup(SLIT);
    dlp_vec3 *rest = places_of(s.world);
    step_frames(s.world, 30);
    for (int32_t i = 0; i < count_of(s.world); i++)
        assert_true(dlp_length(dlp_sub(place_at(s.world, i), rest[i])) < 1e-5 * SPACING);
    free(rest);
    release_setup(&s);
}

// Heaps: round bodies of lattices, whose surfaces are steps that face one another in many ways.

#define TORI                                                                                                 \
    "frames: {rate: 60, count: 60}\n"                                                                        \
    "substances:\n" STUFF(                                                                                   \
        "tori", "jelly", "    solid: {youngs_modulus: 20000}\n",                                             \
        "{torus: {center: [-0.08, -0.08, 0.1], radius: 0.06, tube: 0.03, axis: [0.3, 0.2, 1]}, "             \
        "copies: {count: [2, 2, 2], spacing: [0.15, 0.15, 0.12]}}") "obstacles:\n"                           \
                                                                    "  - box: {min: [-0.18, -0.18, 0], "     \
                                                                    "max: [0.18, 0.18, 0.3], inside: "       \
                                                                    "true}\n"

// m: the least distance of two particles of different ones of eight bodies.
static double least_apart(const dlp_world *world)
{
    const int32_t count = count_of(world), each = count / 8;
    double least = 1e30;
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = 0; j < i; j++)
            if (i / each != j / each)
                least = fmin(least, dlp_length(dlp_sub(place_at(world, i), place_at(world, j))));
    return least;
}

// Elastic energy that leaves out the hourglass springs comes back from them: two hundredths of all.
static void a_heap_gains_no_energy_and_comes_to_rest(void **state)
{
    (void)state;
    setup s = make_setup(TORI);
    const double start = energy_of(s.world);
    double least = start;
    for (int frame = 0; frame < 120; frame++) {
        step_frames(s.world, 1);
        const double energy = energy_of(s.world);
        assert_true(energy < least + 0.02 * start);
        least = fmin(least, energy);
    }
    assert_true(least_apart(s.world) > 0.8 * SPACING);
    assert_true(least < 0.5 * start);
    assert_true(stats_of(s.world).kinetic_energy < 1e-3 * start);
    release_setup(&s);
}

// Bits.

static const char heap_scene[] = TORI "  - box: {min: [-0.02, -0.5, 0], max: [0.02, 0.5, 0.02]}\n"
                                      "    position: {keys: [[0, [0, 0, 0]], [1, [0.1, 0, 0.05]]]}\n";

static void more_threads_change_no_bit_of_a_heap(void **state)
{
    (void)state;
    const dlp_world_options two = {.size = sizeof two, .thread_count = 2},
                            plain = {.size = sizeof plain, .thread_count = 1, .instruction_set = "plain"};
    setup a = make_setup(heap_scene), b = make_setup_in(NULL, heap_scene, &two),
          c = make_setup_in(NULL, heap_scene, &plain);
    step_frames(a.world, 20);
    step_frames(b.world, 20);
    step_frames(c.world, 20);
    assert_same_world(a.world, b.world, "2 threads");
    assert_same_world(a.world, c.world, "plain");
    release_setup(&a);
    release_setup(&b);
    release_setup(&c);
}

static void a_heap_goes_on_bit_for_bit(void **state)
{
    (void)state;
    need_checkpoints();
    dlp_error error = {0};
    setup straight = make_setup(heap_scene), saved = make_setup(heap_scene), loaded = make_setup(heap_scene);
    step_frames(straight.world, 20);
    step_frames(saved.world, 13);
    expect_ok(dlp_world_save(saved.world, in_folder("heap.h5"), &error), &error);
    expect_ok(dlp_world_load(loaded.world, in_folder("heap.h5"), &error), &error);
    step_frames(loaded.world, 7);
    assert_same_world(straight.world, loaded.world, "resumed");
    release_setup(&straight);
    release_setup(&saved);
    release_setup(&loaded);
}

static void a_heap_at_rest_needs_no_memory(void **state)
{
    (void)state;
    setup s = make_setup(heap_scene);
    step_frames(s.world, 50);
    const int64_t calls = dlp_memory_call_count();
    step_frames(s.world, 5);
    assert_int_equal(dlp_memory_call_count(), calls);
    release_setup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_that_bounces_never_gains_energy),
        cmocka_unit_test(a_block_slides_down_a_slope_as_coulomb_says),
        cmocka_unit_test(a_block_stays_on_a_slope_that_friction_holds),
        cmocka_unit_test(a_block_whose_weight_comes_at_once_sticks_below_the_angle_of_friction),
        cmocka_unit_test(a_block_just_above_the_angle_of_friction_slides_as_coulomb_says),
        cmocka_unit_test(a_moving_floor_takes_a_block_along),
        cmocka_unit_test(a_fast_ball_does_not_pass_through_a_thin_plate),
        cmocka_unit_test(sub_steps_that_are_too_long_are_told_once),
        cmocka_unit_test(two_bodies_that_meet_keep_their_momentum_and_gain_no_energy),
        cmocka_unit_test(a_stack_of_boxes_comes_to_rest_and_stays),
        cmocka_unit_test(ten_boxes_rest_for_five_seconds),
        cmocka_unit_test(a_block_slides_on_a_body_as_coulomb_says),
        cmocka_unit_test(a_fast_ball_does_not_pass_through_a_thin_body),
        cmocka_unit_test(two_rings_of_a_chain_stay_linked),
        cmocka_unit_test(a_body_is_squeezed_between_jaws_that_are_held),
        cmocka_unit_test(a_bar_that_is_bent_over_does_not_pass_through_itself),
        cmocka_unit_test(the_sides_of_a_slit_do_not_pass_through_each_other),
        cmocka_unit_test(a_slit_that_is_not_pressed_moves_nothing),
        cmocka_unit_test(a_heap_gains_no_energy_and_comes_to_rest),
        cmocka_unit_test(more_threads_change_no_bit_of_a_heap),
        cmocka_unit_test(a_heap_goes_on_bit_for_bit),
        cmocka_unit_test(a_heap_at_rest_needs_no_memory),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
