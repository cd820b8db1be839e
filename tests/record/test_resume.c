/* A run that was stopped, saved and loaded goes on bit for bit, wherever it was stopped. */
#include "scenes.h"
#include "base/random.h"
#include "record/checkpoint.h"
#include "test_folder.h"

enum { FRAMES = 6 };

static void needs_checkpoints(void)
{
    if (dlp_checkpoint_is_available()) return;
    print_message("skipped: this build has no HDF5\n");
    skip();
}

static void save(const dlp_world *world, const char *name)
{
    dlp_error error = {0};
    expect_ok(dlp_world_save(world, in_folder(name), &error), &error);
}

static void load(dlp_world *world, const char *name)
{
    dlp_error error = {0};
    expect_ok(dlp_world_load(world, in_folder(name), &error), &error);
}

static void assert_same_loads(const dlp_world *a, const dlp_world *b)
{
    for (int32_t k = 0; k < dlp_world_scene(a)->obstacle_count; k++) {
        const dlp_body_force p = dlp_world_body_load(a, k), q = dlp_world_body_load(b, k);
        assert_memory_equal(&p, &q, sizeof p);
    }
}

static void assert_same_stats(dlp_world *a, dlp_world *b)
{
    dlp_stats p = stats_of(a), q = stats_of(b);
    p.wall_motion = q.wall_motion = p.wall_record = q.wall_record = 0;
    assert_true(p.substeps == q.substeps && p.force_evaluations == q.force_evaluations);
    assert_true(p.dt_min == q.dt_min && p.dt_max == q.dt_max);
    assert_true(p.kinetic_energy == q.kinetic_energy && p.potential_energy == q.potential_energy);
    assert_true(p.neighbours_mean == q.neighbours_mean && p.mass == q.mass && p.volume == q.volume);
    assert_true(p.density_error_mean == q.density_error_mean && p.density_error_max == q.density_error_max);
}

// Stops after the given number of steps.
static bool stop_after(const dlp_progress *progress, void *user)
{
    (void)progress;
    int64_t *left = user;
    return --*left > 0;
}

// Runs to the end of frame FRAMES through a save and a load in mid-frame.
static void resume_after(const named_scene *scene, int64_t steps, const dlp_world *straight)
{
    dlp_error error = {0};
    int64_t left = steps;
    const dlp_world_options options = {
        .size = sizeof options, .thread_count = 1, .progress = stop_after, .user = &left};
    setup stopped = make_setup_in(NULL, scene->text, &options);
    dlp_status status = DLP_OK;
    while (status == DLP_OK) status = dlp_world_step_frame(stopped.world, &error);
    assert_int_equal(status, DLP_INTERRUPTED);
    save(stopped.world, "middle.h5");
    setup again = make_setup(scene->text);
    load(again.world, "middle.h5");
    assert_same_world(stopped.world, again.world, scene->name);
    release_setup(&stopped);
    while (dlp_world_frame(again.world) < FRAMES) step_frames(again.world, 1);
    char what[128];
    snprintf(what, sizeof what, "%s, stopped after %lld steps", scene->name, (long long)steps);
    assert_same_world(straight, again.world, what);
    assert_same_loads(straight, again.world);
    assert_same_stats((dlp_world *)(uintptr_t)straight, again.world);
    release_setup(&again);
}

static void a_resumed_run_equals_a_straight_one(void **state)
{
    needs_checkpoints();
    const named_scene *scene = *state;
    int64_t steps = 1 << 30;
    const dlp_world_options counting = {
        .size = sizeof counting, .thread_count = 1, .progress = stop_after, .user = &steps};
    setup straight = make_setup_in(NULL, scene->text, &counting);
    step_frames(straight.world, FRAMES / 2);
    save(straight.world, "half.h5");  // and saving changes nothing of what follows
    step_frames(straight.world, FRAMES - FRAMES / 2);
    steps = (1 << 30) - steps;

    // A world with another past: every scratch array is dirty.
    setup dirty = make_setup(scene->text);
    step_frames(dirty.world, FRAMES + 1);
    load(dirty.world, "half.h5");
    step_frames(dirty.world, FRAMES - FRAMES / 2);
    assert_same_world(straight.world, dirty.world, scene->name);
    assert_same_loads(straight.world, dirty.world);
    assert_same_stats(straight.world, dirty.world);
    release_setup(&dirty);

    for (uint64_t k = 0; k < 3; k++) {
        const double share = dlp_random(k, (uint64_t)(scene - all_scenes), 17);
        resume_after(scene, 1 + (int64_t)((double)(steps - 2) * share), straight.world);
    }
    release_setup(&straight);
}

static void an_interrupted_world_goes_on_by_itself(void **state)
{
    (void)state;
    setup straight = make_setup(busy_scene);
    step_frames(straight.world, 2);
    int64_t left = 0;
    const dlp_world_options options = {
        .size = sizeof options, .thread_count = 1, .progress = stop_after, .user = &left};
    setup stopped = make_setup_in(NULL, busy_scene, &options);
    dlp_error error = {0};
    while (dlp_world_frame(stopped.world) < 2) {
        left = 3;
        const dlp_status status = dlp_world_step_frame(stopped.world, &error);
        assert_true(status == DLP_INTERRUPTED || status == DLP_OK);
    }
    assert_same_world(straight.world, stopped.world, "three steps at a time");
    release_setup(&straight);
    release_setup(&stopped);
}

// The step that failed was in the middle of its attempts.
static void a_world_that_diverged_goes_on_from_a_checkpoint(void **state)
{
    (void)state;
    needs_checkpoints();
    dlp_error error = {0};
    setup straight = make_setup(dam_scene), broken = make_setup(dam_scene);
    step_frames(straight.world, 2);
    save(straight.world, "sound.h5");
    step_frames(broken.world, 1);
    const size_t count = (size_t)dlp_world_particle_count(broken.world);
    float *change = calloc(3 * count, sizeof *change);
    assert_non_null(change);
    change[0] = 1e5f;
    dlp_world_add_velocity(broken.world, change);
    free(change);
    assert_int_equal(dlp_world_step_frame(broken.world, &error), DLP_DIVERGED);
    load(broken.world, "sound.h5");
    step_frames(straight.world, 1);
    step_frames(broken.world, 1);
    assert_same_world(straight.world, broken.world, "after a divergence");
    assert_same_stats(straight.world, broken.world);
    release_setup(&straight);
    release_setup(&broken);
}

static void saving_changes_nothing(void **state)
{
    (void)state;
    needs_checkpoints();
    setup s = make_setup(busy_scene), untouched = make_setup(busy_scene);
    for (int k = 0; k < 3; k++) {
        step_frames(s.world, 1);
        step_frames(untouched.world, 1);
        save(s.world, "once.h5");
        assert_same_world(untouched.world, s.world, "saved");
    }
    release_setup(&s);
    release_setup(&untouched);
}

static void a_checkpoint_of_another_scene_is_refused(void **state)
{
    (void)state;
    needs_checkpoints();
    dlp_error error = {0};
    setup busy = make_setup(busy_scene), dam = make_setup(dam_scene);
    save(busy.world, "busy.h5");
    assert_int_not_equal(dlp_world_load(dam.world, in_folder("busy.h5"), &error), DLP_OK);
    assert_non_null(strstr(error.message, "busy.h5"));
    assert_int_not_equal(dlp_world_load(dam.world, in_folder("missing.h5"), &error), DLP_OK);
    assert_non_null(strstr(error.message, "missing.h5"));
    step_frames(dam.world, 1);  // the world is still what it was
    setup fresh = make_setup(dam_scene);
    step_frames(fresh.world, 1);
    assert_same_world(fresh.world, dam.world, "after a refused load");
    release_setup(&busy);
    release_setup(&dam);
    release_setup(&fresh);
}

#define RESUME_OF(k)                                                                                         \
    {                                                                                                        \
        "a_resumed_run_equals_a_straight_one: " #k, a_resumed_run_equals_a_straight_one, NULL, NULL,         \
            (void *)(uintptr_t)&all_scenes[k]                                                                \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        RESUME_OF(0),
        RESUME_OF(1),
        RESUME_OF(2),
        RESUME_OF(3),
        RESUME_OF(4),
        RESUME_OF(5),
        cmocka_unit_test(an_interrupted_world_goes_on_by_itself),
        cmocka_unit_test(a_world_that_diverged_goes_on_from_a_checkpoint),
        cmocka_unit_test(saving_changes_nothing),
        cmocka_unit_test(a_checkpoint_of_another_scene_is_refused),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
