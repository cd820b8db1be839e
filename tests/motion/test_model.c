/* A world owns its model: what happens to the scene or to another world does not reach it. And its one clock.
 */
#include "scenes.h"
#include "base/memory.h"

#include <pthread.h>

// About 200 particles in a box whose weight is key-framed.
static const char swaying[] =
    "frames: {rate: 100, count: 10}\n"
    "gravity: {keys: [[0, [0, 0, -9.81]], [0.1, [5, 0, -9.81]]]}\n"
    "substances:\n"
    "  water:\n"
    "    material: water\n"
    "    viscosity: {keys: [[0, 0.1], [1, 2]]}\n"
    "    particle: {spacing: 0.02}\n"
    "    shape: {box: {min: [0, 0, 0], max: [0.12, 0.12, 0.12]}}\n"
    "obstacles:\n"
    "  - {name: tank, box: {min: [0, 0, 0], max: [0.2, 0.12, 0.3], inside: true}}\n";

static void the_scene_may_change_and_go_while_worlds_live(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup(swaying), twin = make_setup(swaying);
    dlp_world *second;
    expect_ok(dlp_world_create(s.scene, NULL, &second, &error), &error);
    for (int k = 0; k < 3; k++) {
        char value[16];
        snprintf(value, sizeof value, "0.%d", k + 2);
        expect_ok(dlp_world_set(second, "substances.water.viscosity", value, &error), &error);
        expect_ok(dlp_scene_set(s.scene, "gravity", k == 1 ? "[0, 0, 0]" : "[0, 0, 7]", &error), &error);
        expect_ok(dlp_scene_check(s.scene, &error), &error);
        step_frames(s.world, 1);
        step_frames(second, 1);
    }
    dlp_scene_destroy(s.scene);
    s.scene = NULL;
    step_frames(s.world, 2);
    step_frames(twin.world, 5);
    assert_same_world(s.world, twin.world, "beside another world and a scene that changes");
    dlp_world_destroy(second);
    release_setup(&s);
    release_setup(&twin);
}

static void *run_frames(void *world)
{
    dlp_error error = {0};
    for (int k = 0; k < 10; k++)
        if (dlp_world_step_frame(world, &error) != DLP_OK) return world;
    return NULL;
}

static void two_worlds_of_one_scene_run_in_two_threads(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup alone = make_setup(swaying), s = make_setup(swaying);
    const dlp_world_options options = {.size = sizeof options, .thread_count = 1};
    dlp_world *other;
    expect_ok(dlp_world_create(s.scene, &options, &other, &error), &error);
    run_frames(alone.world);
    pthread_t first, second;
    void *failed[2];
    assert_int_equal(pthread_create(&first, NULL, run_frames, s.world), 0);
    assert_int_equal(pthread_create(&second, NULL, run_frames, other), 0);
    pthread_join(first, &failed[0]);
    pthread_join(second, &failed[1]);
    assert_true(failed[0] == NULL && failed[1] == NULL);
    assert_same_world(alone.world, s.world, "in a thread beside another");
    assert_same_world(alone.world, other, "in another thread");
    dlp_world_destroy(other);
    release_setup(&alone);
    release_setup(&s);
}

// A value of more than 256 characters survives a set that is refused.
static void a_refused_set_leaves_a_long_track_as_it_was(void **state)
{
    (void)state;
    char text[4096] =
        "frames: {rate: 100, count: 10}\nsubstances: {water: {material: water, particle: {spacing: 0.02},"
        " shape: {sphere: {radius: 0.05}}}}\ngravity: {keys: [";
    for (int k = 0; k < 40; k++) {
        char key[48];
        snprintf(key, sizeof key, "%s[%g, [0, 0, %g]]", k > 0 ? ", " : "", 0.0123456789 * k,
                 -9.87654321 - 0.01 * k);
        strcat(text, key);
    }
    strcat(text, "]}\n");
    dlp_error error = {0};
    setup s = make_setup(text), twin = make_setup(text);
    assert_int_equal(dlp_world_set(s.world, "gravity", "[0, 0, heavy]", &error), DLP_INVALID);
    assert_int_equal(dlp_world_set(s.world, "gravity", "{keys: [[0, [0, 0, 0]]", &error), DLP_INVALID);
    expect_ok(dlp_world_set(s.world, "substances.water.viscosity", "0.3", &error), &error);
    expect_ok(dlp_world_set(twin.world, "substances.water.viscosity", "0.3", &error), &error);
    step_frames(s.world, 3);
    step_frames(twin.world, 3);
    assert_same_world(s.world, twin.world, "after a set that was refused");
    release_setup(&s);
    release_setup(&twin);
}

// A host without threads: it runs what it is given when it is asked for it, last first.
typedef struct pending {
    void (*task)(void *context, int32_t k);
    void *context;
    int32_t count;
} pending;

static void *keep_tasks(void (*task)(void *context, int32_t k), void *context, int32_t count, void *user)
{
    pending *kept = user;
    *kept = (pending){task, context, count};
    return kept;
}

static void run_tasks(void *handle, void *user)
{
    (void)user;
    const pending *kept = handle;
    for (int32_t k = kept->count - 1; k >= 0; k--) kept->task(kept->context, k);
}

static void the_tasks_of_a_host_give_the_same_bits(void **state)
{
    (void)state;
    pending kept;
    const dlp_task_system tasks = {
        .size = sizeof tasks, .thread_count = 3, .enqueue = keep_tasks, .finish = run_tasks, .user = &kept};
    const dlp_world_options options = {.size = sizeof options, .tasks = &tasks};
    setup own = make_setup(swaying), hosted = make_setup_in(NULL, swaying, &options);
    step_frames(own.world, 5);
    step_frames(hosted.world, 5);
    assert_same_world(own.world, hosted.world, "on a host's tasks");
    release_setup(&own);
    release_setup(&hosted);
}

// The clock.

static int32_t steps_left;
static bool stop_early(const dlp_progress *progress, void *user)
{
    (void)progress, (void)user;
    return --steps_left != 0;
}

static void after_an_interrupted_frame_a_host_goes_as_far_as_it_asks(void **state)
{
    (void)state;
    dlp_error error = {0};
    const dlp_world_options options = {.size = sizeof options, .thread_count = 1, .progress = stop_early};
    setup s = make_setup_in(NULL, swaying, &options);
    steps_left = 3;
    assert_int_equal(dlp_world_step_frame(s.world, &error), DLP_INTERRUPTED);
    const double then = dlp_world_time(s.world);
    assert_true(then > 0 && then < 0.005);
    expect_ok(dlp_world_advance(s.world, 0.001, &error), &error);
    assert_near(dlp_world_time(s.world), then + 0.001, 0.01 / (1 << 20));  // a tick of a frame of 0.01 s
    expect_ok(dlp_world_step_frame(s.world, &error), &error);
    assert_true(dlp_world_time(s.world) == 0.01);
    assert_int_equal(dlp_world_frame(s.world), 1);
    release_setup(&s);
}

// Water at rest in free fall: one long frame and many short ones make steps of about the same length, since
// ticks resolve both.
static void a_long_interval_keeps_the_step_limit(void **state)
{
    (void)state;
    static const char text[] =
        "dimension: 2\n"
        "gravity: [0, 0]\n"
        "frames: {rate: 10, count: 1}\n"
        "substances: {water: {material: water, stiffness: 1, particle: {spacing: 0.05},"
        " shape: {box: {min: [0, 0], max: [0.2, 0.2]}}}}\n";
    dlp_error error = {0};
    setup s = make_setup(text);
    step_frames(s.world, 2);
    const double usual = stats_of(s.world).dt_max;
    expect_ok(dlp_world_advance(s.world, 600, &error), &error);  // more than 2^15 steps
    const dlp_stats stats = stats_of(s.world);
    // in frames of 0.1 s a fifth of one was the longest step that fits: the limit is below a quarter
    assert_near(usual, 0.02, 1e-12);
    assert_true(stats.dt_max < 0.025 && (double)stats.substeps > 600 / 0.025);
    assert_true(dlp_world_time(s.world) == 0.2 + 600);
    release_setup(&s);
}

// What would take too many steps is refused, and nothing of the world changes: not what the last frame did.
static void a_far_too_long_interval_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup(swaying);
    step_frames(s.world, 2);
    const dlp_stats before = stats_of(s.world);
    assert_int_equal(dlp_world_advance(s.world, 1e6, &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "time: to advance by 1e+06 s would take"));
    assert_non_null(strstr(error.message, "advance by less"));
    const dlp_stats after = stats_of(s.world);
    assert_true(after.substeps == before.substeps && after.time == before.time);
    step_frames(s.world, 1);
    assert_int_equal(dlp_world_frame(s.world), 3);
    release_setup(&s);
}

// What a frame that was interrupted still needs is not made first.
static void after_an_interrupted_frame_it_is_refused_all_the_same(void **state)
{
    (void)state;
    dlp_error error = {0};
    const dlp_world_options options = {.size = sizeof options, .thread_count = 1, .progress = stop_early};
    setup s = make_setup_in(NULL, swaying, &options);
    steps_left = 2;
    assert_int_equal(dlp_world_step_frame(s.world, &error), DLP_INTERRUPTED);
    const double then = dlp_world_time(s.world);
    assert_int_equal(dlp_world_advance(s.world, 1e6, &error), DLP_INVALID);
    assert_true(dlp_world_time(s.world) == then);
    release_setup(&s);
}

// Surfaces that act back cut an interval into frames, each of which would be short enough.
static void retroaction_does_not_hide_how_long_an_interval_is(void **state)
{
    (void)state;
    dlp_error error = {0};
    char text[sizeof swaying + 64];
    snprintf(text, sizeof text, "surface: {kind: active, retroaction: true}\n%s", swaying);
    setup s = make_setup(text);
    assert_int_equal(dlp_world_advance(s.world, 1e6, &error), DLP_INVALID);
    assert_true(dlp_world_time(s.world) == 0);
    release_setup(&s);
}

// The shortest that a host may ask for, and the whole frame after it, of every model.
static void the_shortest_interval_harms_nothing(void **state)
{
    (void)state;
    static const char text[] = "frames: {rate: 50, count: 2}\n"
                               "substances:\n"
                               "  water: {material: water, viscosity: 0.1, particle: {spacing: 0.03},\n"
                               "          shape: {box: {min: [0, 0, 0], max: [0.12, 0.12, 0.12]}}}\n"
                               "  jelly: {model: solid, material: jelly, particle: {spacing: 0.03},\n"
                               "          shape: {box: {min: [0.2, 0, 0.1], max: [0.3, 0.1, 0.2]}}}\n"
                               "  flag: {model: cloth, material: cotton, particle: {spacing: 0.03},\n"
                               "         shape: {sheet: {center: [0.15, 0.07, 0.4], size: [0.1, 0.1]}}}\n";
    dlp_error error = {0};
    setup s = make_setup(text);
    expect_ok(dlp_world_advance(s.world, 1e-12, &error), &error);
    assert_true(dlp_world_time(s.world) == 1e-12);
    step_frames(s.world, 1);
    const double *x = positions_of(s.world);
    for (int32_t k = 0; k < 3 * dlp_world_particle_count(s.world); k++) assert_true(isfinite(x[k]));
    release_setup(&s);
}

// A frame of 20 s has the steps that it needs.
static void a_low_frame_rate_keeps_the_step_limit(void **state)
{
    (void)state;
    static const char text[] =
        "dimension: 2\n"
        "gravity: [0, 0]\n"
        "frames: {rate: 0.05, count: 1}\n"
        "substances: {water: {material: water, stiffness: 1, particle: {spacing: 0.05},"
        " shape: {box: {min: [0, 0], max: [0.2, 0.2]}}}}\n";
    setup s = make_setup(text);
    step_frames(s.world, 1);
    const dlp_stats stats = stats_of(s.world);
    assert_true(dlp_world_time(s.world) == 20);
    assert_true(stats.dt_max < 0.025 && (double)stats.substeps > 20 / 0.025);
    release_setup(&s);
}

// Obstacles that a host moves.

static const char pool[] = "frames: {rate: 50, count: 10}\n"
                           "substances:\n"
                           "  water:\n"
                           "    material: water\n"
                           "    particle: {spacing: 0.02}\n"
                           "    EXTRA\n"
                           "    shape: {box: {min: [0, 0, 0], max: [0.4, 0.2, 0.12]}}\n"
                           "obstacles:\n"
                           "  - {name: tank, box: {min: [0, 0, 0], max: [0.4, 0.2, 0.5], inside: true}}\n"
                           "  - {name: ball, sphere: {center: [0.2, 0.1, 0.25], radius: 0.06}}\n";

static void check_moved_obstacle(const char *extra)
{
    char text[sizeof pool + 200];
    const char *at = strstr(pool, "EXTRA");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - pool), pool, extra, at + 5);
    dlp_error error = {0};
    setup s = make_setup(text);
    step_frames(s.world, 4);
    expect_ok(dlp_world_set(s.world, "obstacles[1].position", "[0, 0, -0.12]", &error), &error);
    step_frames(s.world, 1);
    // the ball went 0.12 m in 0.02 s: 6 m/s, and nothing flies much faster than what it hit
    double fastest = 0;
    const float *v = velocities_of(s.world);
    for (int32_t k = 0; k < 3 * dlp_world_particle_count(s.world); k++)
        fastest = fmax(fastest, fabs((double)v[k]));
    assert_true(fastest > 1 && fastest < 15);
    step_frames(s.world, 3);
    assert_true(least_distance(s.world, 1) > 0);
    release_setup(&s);
}

static void what_a_moved_obstacle_meets_is_pushed_not_thrown(void **state)
{
    (void)state;
    check_moved_obstacle("viscosity: 0.001");
    check_moved_obstacle("adapt: {restraint: true}");
}

// Loads.

// A tank of water at rest: its floor carries the weight and its walls balance, restrained or not.
static void the_force_on_a_tank_is_the_weight_in_it(void **state)
{
    (void)state;
    static const char text[] = "frames: {rate: 50, count: 10}\n"
                               "substances:\n"
                               "  water:\n"
                               "    material: water\n"
                               "    viscosity: 0.5\n"
                               "    particle: {spacing: 0.025}\n"
                               "    adapt: {restraint: %s}\n"
                               "    shape: {box: {min: [0, 0, 0], max: [0.3, 0.2, 0.2]}}\n"
                               "obstacles:\n"
                               "  - {name: tank, box: {min: [0, 0, 0], max: [0.3, 0.2, 0.4], inside: true}}\n"
                               "probes: {load: {body: tank}}\n";
    const char *const is_restrained[] = {"false", "true"};
    for (int k = 0; k < 2; k++) {
        char scene[1000];
        snprintf(scene, sizeof scene, text, is_restrained[k]);
        setup s = make_setup(scene);
        step_frames(s.world, 50);
        dlp_vec3 mean = {0};
        for (int n = 0; n < 25; n++) {
            step_frames(s.world, 1);
            mean = dlp_along(mean, dlp_world_body_load(s.world, 0).mean_force, 1.0 / 25);
        }
        const double weight = stats_of(s.world).mass * 9.81;
        assert_near(mean.z, -weight, 0.03 * weight);  // 3 %: it still breathes a little after a second
        assert_near(mean.x, 0, 0.03 * weight);
        assert_near(mean.y, 0, 0.03 * weight);
        release_setup(&s);
    }
}

// A drop thrown into a corner of three walls pushes all three, each as much as its momentum along it.
static void what_is_thrown_into_a_corner_pushes_all_its_walls(void **state)
{
    (void)state;
    static const char drop[] = "frames: {rate: 200, count: 10}\n"
                               "gravity: [0, 0, 0]\n"
                               "substances:\n"
                               "  water:\n"
                               "    material: water\n"
                               "    particle: {spacing: 0.02}\n"
                               "    velocity: [-3, -3, -3]\n"
                               "    shape: {box: {min: [0.02, 0.02, 0.02], max: [0.06, 0.06, 0.06]}}\n"
                               "obstacles:\n"
                               "  - {name: x, box: {min: [-0.2, -0.2, -0.2], max: [0, 1, 1]}}\n"
                               "  - {name: y, box: {min: [-0.2, -0.2, -0.2], max: [1, 0, 1]}}\n"
                               "  - {name: z, box: {min: [-0.2, -0.2, -0.2], max: [1, 1, 0]}}\n"
                               "probes: {load: {body: x}}\n";
    setup s = make_setup(drop);
    const dlp_vec3 before = stats_of(s.world).momentum;
    dlp_vec3 sum = {0};
    for (int k = 0; k < 10; k++) {
        step_frames(s.world, 1);
        for (int32_t b = 0; b < 3; b++)
            sum = dlp_along(sum, dlp_world_body_load(s.world, b).mean_force, 1.0 / 200);
    }
    const dlp_vec3 after = stats_of(s.world).momentum;
    const double p = dlp_length(before);
    // with one step for all the walls get what the water loses, to what floats of forces round off
    assert_near(sum.x, before.x - after.x, 1e-3 * p);
    assert_near(sum.y, before.y - after.y, 1e-3 * p);
    assert_near(sum.z, before.z - after.z, 1e-3 * p);
    release_setup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scene_may_change_and_go_while_worlds_live),
        cmocka_unit_test(two_worlds_of_one_scene_run_in_two_threads),
        cmocka_unit_test(a_refused_set_leaves_a_long_track_as_it_was),
        cmocka_unit_test(the_tasks_of_a_host_give_the_same_bits),
        cmocka_unit_test(after_an_interrupted_frame_a_host_goes_as_far_as_it_asks),
        cmocka_unit_test(a_long_interval_keeps_the_step_limit),
        cmocka_unit_test(a_far_too_long_interval_is_refused_and_changes_nothing),
        cmocka_unit_test(after_an_interrupted_frame_it_is_refused_all_the_same),
        cmocka_unit_test(retroaction_does_not_hide_how_long_an_interval_is),
        cmocka_unit_test(the_shortest_interval_harms_nothing),
        cmocka_unit_test(a_low_frame_rate_keeps_the_step_limit),
        cmocka_unit_test(what_a_moved_obstacle_meets_is_pushed_not_thrown),
        cmocka_unit_test(the_force_on_a_tank_is_the_weight_in_it),
        cmocka_unit_test(what_is_thrown_into_a_corner_pushes_all_its_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
