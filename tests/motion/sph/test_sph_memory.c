/* Running out of memory while a world is made: a status, nothing lost, and never another world. */
#include "scenes.h"

#include "base/memory.h"

#include <stdlib.h>

// Fails once, at the call for memory that `calls_left` counts down to; never where that is negative.
static int64_t calls_left;

static void *allocate_some(size_t alignment, size_t size, void *user)
{
    (void)user;
    return calls_left-- == 0 ? NULL : aligned_alloc(alignment, size);
}

static void release_some(void *memory, size_t size, void *user)
{
    (void)size;
    (void)user;
    free(memory);
}

// Every call for memory fails in its turn; the first world that comes about is the one in which none did.
static void assert_every_failure_is_a_status(const char *text)
{
    need_yaml();
    dlp_error error = {0};
    dlp_scene *scene;
    calls_left = -1;
    expect_ok(dlp_scene_read_text(text, strlen(text), "test", NULL, &scene, &error), &error);
    const dlp_world_options options = {.size = sizeof options, .thread_count = 1};
    const size_t before = dlp_memory_in_use();
    int64_t round = 0;
    for (bool is_whole = false; !is_whole && round < 100000; round++) {
        dlp_world *world;
        calls_left = round;
        const dlp_status status = dlp_world_create(scene, &options, &world, &error);
        is_whole = calls_left >= 0;
        if (!is_whole && status != DLP_OUT_OF_MEMORY)
            fail_msg("call %lld failed: status %d (%s)", (long long)round + 1, (int)status,
                     status != DLP_OK ? error.message : "another world");
        if (is_whole) expect_ok(status, &error);
        if (!is_whole) assert_true(world == NULL && strlen(error.message) > 0);
        dlp_world_destroy(world);
        assert_int_equal(dlp_memory_in_use(), before);
    }
    assert_true(round > 50);
    dlp_scene_destroy(scene);
}

// A block that stands half in a pillar: what lies inside of it must be left out, or refused.
static void a_world_with_obstacles_reports_every_failure(void **state)
{
    (void)state;
    assert_every_failure_is_a_status("dimension: 2\ngravity: [0, 0]\n"
                                     "substances:\n"
                                     "  water: {material: water, particle: {spacing: 0.08},\n"
                                     "          shape: {box: {min: [0, 0], max: [0.5, 0.5]}}}\n"
                                     "obstacles:\n"
                                     "  - box: {min: [0, 0], max: [1, 1], inside: true}\n"
                                     "  - sphere: {center: [0.5, 0.2], radius: 0.1}\n");
}

static void a_world_with_everything_reports_every_failure(void **state)
{
    (void)state;
    assert_every_failure_is_a_status(
        "dimension: 2\ngravity: [0, 0]\n"
        "substances:\n"
        "  water: {material: water, particle: {spacing: 0.08}, temperature: 20,\n"
        "          adapt: {space: true, time: true, restraint: true},\n"
        "          shape: {box: {min: [0, 0.05], max: [0.6, 0.6]}}}\n"
        "  oil: {material: oil, particle: {spacing: 0.08},\n"
        "        shape: {box: {min: [0.5, 0.05], max: [0.9, 0.3]}}}\n"
        "obstacles:\n"
        "  - box: {min: [0, 0], max: [1, 1], inside: true}\n"
        "  - {name: wall, box: {min: [0.7, 0], max: [0.71, 0.5]}}\n"
        "emitters: [{substance: water, position: [0.8, 0.9], direction: [0, -1], radius: 0.1, speed: 1}]\n"
        "sinks: [{box: {min: [0.9, 0], max: [1, 0.1]}}]\n"
        "probes: {load: {body: wall}}\n");
}

static int use_failing_memory(void **state)
{
    (void)state;
    static const dlp_allocator failing = {allocate_some, release_some, NULL};
    calls_left = -1;
    dlp_set_allocator(&failing);
    return 0;
}

static int use_memory(void **state)
{
    (void)state;
    dlp_set_allocator(NULL);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_with_obstacles_reports_every_failure),
        cmocka_unit_test(a_world_with_everything_reports_every_failure),
    };
    return cmocka_run_group_tests(tests, use_failing_memory, use_memory);
}
