/* A world as a whole: the same bits on every machine, exact mass, no allocation in a step, errors that help.
 */
#include "scenes.h"
#include "base/memory.h"
#include "test_folder.h"

#include <stdlib.h>

// Bits.

static void compare_with(const setup *first, const named_scene *scene, int32_t threads, const char *target)
{
    const dlp_world_options options = {
        .size = sizeof options, .thread_count = threads, .instruction_set = target};
    setup other = make_setup_in(NULL, scene->text, &options);
    step_frames(other.world, 10);
    char what[128];
    snprintf(what, sizeof what, "%s on %d threads, %s", scene->name, threads, target ? target : "best");
    assert_same_world(first->world, other.world, what);
    release_setup(&other);
}

static void threads_and_processors_do_not_change_a_bit(void **state)
{
    const named_scene *scene = *state;
    setup first = make_setup(scene->text);
    assert_in_range(dlp_world_particle_count(first.world), 1000, 4000);
    step_frames(first.world, 10);
    compare_with(&first, scene, 2, NULL);
    compare_with(&first, scene, 5, NULL);
    compare_with(&first, scene, 1, "plain");
    release_setup(&first);
}

// Many different steps side by side, in blocks small enough for threads to meet on a particle.
static void waking_neighbours_does_not_depend_on_the_order_of_threads(void **state)
{
    (void)state;
    static const char text[] = "dimension: 2\n"
                               "gravity: [0, 0]\n"
                               "frames: {rate: 200, count: 1}\n"
                               "time: {ratio: 4}\n"
                               "substances:\n"
                               "  lake:\n"
                               "    particle: {spacing: 0.01, jitter: 0.2}\n"
                               "    kernel: wendland\n"
                               "    stiffness: 4\n"
                               "    adapt: {time: true}\n"
                               "    shape: {box: {min: [0, 0], max: [1, 0.5]}}\n"
                               "  rain:\n"
                               "    particle: {spacing: 0.01}\n"
                               "    kernel: wendland\n"
                               "    stiffness: 400\n"
                               "    adapt: {time: true}\n"
                               "    velocity: [0, -8]\n"
                               "    shape: {sphere: {center: [0.03, 0.56], radius: 0.03},\n"
                               "            copies: {count: [10, 1], spacing: [0.1, 1]}}\n";
    setup first = make_setup(text);
    step_frames(first.world, 3);
    for (int32_t threads = 2; threads <= 8; threads += 2) {
        const dlp_world_options options = {.size = sizeof options, .thread_count = threads};
        setup other = make_setup_in(NULL, text, &options);
        step_frames(other.world, 3);
        assert_same_world(first.world, other.world, "rain");
        release_setup(&other);
    }
    release_setup(&first);
}

// Mass and memory.

static void mass_is_exact(void **state)
{
    (void)state;
    for (int k = 0; k < SCENE_COUNT; k++) {
        if (strstr(all_scenes[k].text, "emitters") != NULL)
            continue;  // what flows in and out is counted below
        setup s = make_setup(all_scenes[k].text);
        const double before = stats_of(s.world).mass;
        step_frames(s.world, 3);
        assert_true(stats_of(s.world).mass == before);
        release_setup(&s);
    }
}

static int compare_ids(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void ids_are_unique_and_never_come_back(void **state)
{
    (void)state;
    setup s = make_setup(busy_scene);
    const int32_t at_start = dlp_world_particle_count(s.world);
    int64_t last_new = at_start - 1;
    for (int frame = 0; frame < 8; frame++) {
        step_frames(s.world, 1);
        const dlp_view view = field_of(s.world, DLP_FIELD_ID);
        int64_t *ids = malloc((size_t)view.count * sizeof *ids);
        assert_non_null(ids);
        memcpy(ids, view.data, (size_t)view.count * sizeof *ids);
        qsort(ids, (size_t)view.count, sizeof *ids, compare_ids);
        for (int32_t i = 1; i < view.count; i++) assert_true(ids[i] > ids[i - 1]);
        assert_true(ids[view.count - 1] >= last_new);
        last_new = ids[view.count - 1];
        free(ids);
    }
    assert_true(last_new >= at_start);                                       // the emitter has emitted
    assert_true(dlp_world_particle_count(s.world) < (int32_t)last_new + 1);  // and the sink has drained
    release_setup(&s);
}

static void a_warm_step_allocates_nothing(void **state)
{
    (void)state;
#define POOL_WITH(extra)                                                                                     \
    "frames: {rate: 100, count: 10}\n"                                                                       \
    "substances:\n"                                                                                          \
    "  water: {material: water, particle: {spacing: 0.016}, viscosity: 1, " extra                            \
    "shape: {box: {min: [0, 0, 0], max: [0.16, 0.16, 0.16]}}}\n"                                             \
    "obstacles:\n"                                                                                           \
    "  - box: {min: [0, 0, 0], max: [0.16, 0.16, 0.4], inside: true}\n"
    static const char *const texts[] = {POOL_WITH(""), POOL_WITH("adapt: {time: true}, "), NULL};
    for (int k = 0; texts[k] != NULL; k++) {
        const dlp_world_options options = {.size = sizeof options, .thread_count = 2};
        setup s = make_setup_in(NULL, texts[k], &options);
        step_frames(s.world, 15);
        const int64_t before = dlp_memory_call_count();
        step_frames(s.world, 3);
        assert_int_equal(dlp_memory_call_count() - before, 0);
        release_setup(&s);
    }
}

static void a_world_gives_all_its_memory_back(void **state)
{
    (void)state;
    const size_t before = dlp_memory_in_use();
    for (int k = 0; k < SCENE_COUNT; k++) {
        setup s = make_setup(all_scenes[k].text);
        step_frames(s.world, 1);
        field_of(s.world, DLP_FIELD_PRESSURE);
        release_setup(&s);
        assert_int_equal(dlp_memory_in_use(), before);
    }
}

// Errors.

static void a_scene_that_diverges_says_when_what_where_and_what_to_do(void **state)
{
    (void)state;
    // c = 1e6 m/s over 5 mm needs steps of nanoseconds; it gets fixed ones of 2 ms.
    static const char text[] = "dimension: 2\n"
                               "frames: {rate: 100, count: 10}\n"
                               "time: {step: 0.002}\n"
                               "substances:\n"
                               "  jelly:\n"
                               "    particle: {spacing: 0.005, jitter: 0.1}\n"
                               "    stiffness: 1e12\n"
                               "    shape: {box: {min: [0, 0], max: [0.1, 0.1]}}\n"
                               "obstacles:\n"
                               "  - box: {min: [0, 0], max: [0.3, 0.3], inside: true}\n";
    setup s = make_setup(text);
    dlp_error error = {0};
    dlp_status status = DLP_OK;
    for (int frame = 0; frame < 10 && status == DLP_OK; frame++)
        status = dlp_world_step_frame(s.world, &error);
    assert_int_equal(status, DLP_DIVERGED);
    assert_int_equal(error.status, DLP_DIVERGED);
    assert_non_null(strstr(error.message, "frame "));
    assert_non_null(strstr(error.message, "time "));
    assert_non_null(strstr(error.message, "jelly: particle "));
    assert_non_null(strstr(error.message, "time.step"));  // the remedy is the fixed step that the scene set
    const dlp_view x = field_of(s.world, DLP_FIELD_POSITION);
    for (int32_t i = 0; i < 3 * x.count; i++) assert_true(isfinite(((const double *)x.data)[i]));
    assert_true(isfinite(energy_of(s.world)));
    release_setup(&s);
}

static void expect_refusal(const char *text, const char *part)
{
    need_yaml();
    dlp_error error = {0};
    dlp_scene *scene = NULL;
    dlp_world *world = NULL;
    dlp_status status = dlp_scene_read_text(text, strlen(text), "bad", NULL, &scene, &error);
    if (status == DLP_OK) status = dlp_world_create(scene, NULL, &world, &error);
    assert_int_equal(status, DLP_INVALID);
    assert_null(world);
    if (strstr(error.message, part) == NULL) fail_msg("\"%s\" is not in: %s", part, error.message);
    dlp_scene_destroy(scene);
}

static void values_that_are_no_numbers_are_refused(void **state)
{
    (void)state;
    expect_refusal(
        "substances: {a: {velocity: [.nan, 0, 0], shape: {sphere: {radius: 1}}, particle: {radius: 0.1}}}\n",
        "substances.a.velocity");
    expect_refusal("gravity: [0, 0, .inf]\n"
                   "substances: {a: {shape: {sphere: {radius: 1}}, particle: {radius: 0.1}}}\n",
                   "gravity");
    expect_refusal("substances: {a: {shape: {sphere: {radius: .nan}}, particle: {radius: 0.1}}}\n", "radius");
    expect_refusal("substances: {a: {shape: {sphere: {radius: 1}}, particle: {radius: -0.1}}}\n", "radius");
}

static void bad_arguments_are_answered(void **state)
{
    (void)state;
    dlp_error error = {0};
    dlp_world *world = NULL;
    assert_int_equal(dlp_world_create(NULL, NULL, &world, &error), DLP_INVALID);
    setup s = make_setup(dam_scene);
    const double bad[] = {0, -1, 1e-300, (double)NAN, (double)INFINITY};
    for (int k = 0; k < 5; k++) {
        assert_int_equal(dlp_world_advance(s.world, bad[k], &error), DLP_INVALID);
        assert_non_null(strstr(error.message, "cannot advance by"));
    }
    dlp_view view = {.size = sizeof view};
    assert_int_equal(dlp_world_field(s.world, DLP_FIELD_COUNT, &view, &error), DLP_INVALID);
    assert_int_equal(dlp_world_set(s.world, "substances.water.particle.radius", "0.1", &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "cannot change while the world moves"));
    assert_int_equal(dlp_world_set(s.world, "substances.water.viscosity", "-3", &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "substances.water.viscosity"));
    assert_int_equal(dlp_world_set(s.world, "substances.water.viscosty", "3", &error), DLP_INVALID);
    step_frames(s.world, 1);  // and none of this has hurt it
    release_setup(&s);
    const dlp_world_options unknown = {.size = sizeof unknown, .instruction_set = "abacus"};
    dlp_scene *scene;
    expect_ok(dlp_scene_read_text(dam_scene, strlen(dam_scene), "dam", NULL, &scene, &error), &error);
    assert_int_not_equal(dlp_world_create(scene, &unknown, &world, &error), DLP_OK);
    assert_non_null(strstr(error.message, "abacus"));
    expect_ok(dlp_scene_set(scene, "frames.rate", "1e30", &error), &error);
    assert_int_equal(dlp_world_create(scene, NULL, &world, &error), DLP_INVALID);
    assert_string_equal(error.message, "frames.rate: frames of 1e-30 s; at least 1e-12 s are needed");
    expect_ok(dlp_scene_set(scene, "frames.rate", "1e12", &error), &error);
    const dlp_world_options none = {.size = sizeof none, .thread_count = -1};
    assert_int_equal(dlp_world_create(scene, &none, &world, &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "thread_count: -1"));
    dlp_scene_destroy(scene);
}

static void a_call_that_succeeds_leaves_the_error_untouched(void **state)
{
    (void)state;
    need_yaml();
    dlp_error error, before;
    memset(&error, 0x5a, sizeof error);
    memcpy(&before, &error, sizeof error);
    const dlp_world_options options = {.size = sizeof options, .thread_count = 1};
    dlp_scene *scene = NULL;
    dlp_world *world = NULL;
    dlp_stats stats = {.size = sizeof stats};
    dlp_view view = {.size = sizeof view};
    assert_int_equal(dlp_scene_read_text(dam_scene, strlen(dam_scene), "dam", NULL, &scene, &error), DLP_OK);
    assert_int_equal(dlp_scene_set(scene, "substances.water.viscosity", "0.01", &error), DLP_OK);
    assert_int_equal(dlp_scene_check(scene, &error), DLP_OK);
    assert_int_equal(dlp_world_create(scene, &options, &world, &error), DLP_OK);
    assert_int_equal(dlp_world_step_frame(world, &error), DLP_OK);
    assert_int_equal(dlp_world_advance(world, 1e-3, &error), DLP_OK);
    assert_int_equal(dlp_world_set(world, "substances.water.viscosity", "0.02", &error), DLP_OK);
    assert_int_equal(dlp_world_stats(world, &stats, &error), DLP_OK);
    assert_int_equal(dlp_world_field(world, DLP_FIELD_DENSITY, &view, &error), DLP_OK);
    assert_memory_equal(&error, &before, sizeof error);
    dlp_world_destroy(world);
    dlp_scene_destroy(scene);
}

static void a_parameter_that_changes_while_the_world_moves_acts(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup("frames: {rate: 50, count: 10}\n"
                         "substances: {a: {shape: {sphere: {radius: 0.05}}, particle: {spacing: 0.01}}}\n");
    step_frames(s.world, 1);
    expect_ok(dlp_world_set(s.world, "gravity", "[0, 0, 0]", &error), &error);
    const double before = stats_of(s.world).momentum.z;
    step_frames(s.world, 1);
    // the first half kick of the frame still carries the old acceleration
    const double mass = stats_of(s.world).mass, dt = stats_of(s.world).dt_max;
    assert_near(stats_of(s.world).momentum.z, before, mass * 9.81 * dt);
    release_setup(&s);
}

// Nothing there.

static const char empty_scene[] =
    "frames: {rate: 50, count: 10}\n"
    "substances: {water: {material: water, particle: {spacing: 0.02}}}\n"
    "emitters:\n"
    "  - {substance: water, position: [0, 0, 1], radius: 0.05, speed: 1, start: 0.05}\n"
    "obstacles:\n"
    "  - box: {min: [-1, -1, -0.1], max: [1, 1, 0]}\n"
    "probes: {load: {body: obstacle0}, height: {line: {from: [0, 0, 0], to: [0, 0, 1]}}}\n";

static void a_world_without_particles_works(void **state)
{
    (void)state;
    setup s = make_setup(empty_scene);
    assert_int_equal(dlp_world_particle_count(s.world), 0);
    step_frames(s.world, 2);
    assert_int_equal(dlp_world_particle_count(s.world), 0);
    const dlp_stats stats = stats_of(s.world);
    assert_true(stats.mass == 0 && stats.kinetic_energy == 0 && stats.density_error_max == 0);
    assert_true(isfinite(stats.dt_min) && isfinite(stats.dt_max));
    assert_true(dlp_world_sample_at(s.world, (dlp_vec3){0, 0, 0}).density == 0);
    step_frames(s.world, 3);
    assert_true(dlp_world_particle_count(s.world) > 0);
    release_setup(&s);
}

static void an_empty_world_is_saved_and_loaded(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup(empty_scene), copy = make_setup(empty_scene);
    step_frames(s.world, 1);
    expect_ok(dlp_world_save(s.world, in_folder("empty.h5"), &error), &error);
    expect_ok(dlp_world_load(copy.world, in_folder("empty.h5"), &error), &error);
    step_frames(s.world, 4);
    step_frames(copy.world, 4);
    assert_true(dlp_world_particle_count(s.world) > 0);
    assert_same_world(s.world, copy.world, "empty");
    release_setup(&s);
    release_setup(&copy);
}

#define BITS_OF(k)                                                                                           \
    {                                                                                                        \
        "threads_and_processors_do_not_change_a_bit: " #k, threads_and_processors_do_not_change_a_bit, NULL, \
            NULL, (void *)(uintptr_t)&all_scenes[k]                                                          \
    }

// About the origin, of all models together; a drop and a jelly fly past it.
static void the_angular_momentum_is_that_of_the_particles(void **state)
{
    (void)state;
    setup s = make_setup("frames: {rate: 100, count: 2}\n"
                         "gravity: [0, 0, 0]\n"
                         "air_density: 0\n"
                         "substances:\n"
                         "  water: {material: water, particle: {spacing: 0.02},\n"
                         "          velocity: {uniform: [1, 0.5, 0], spin: {center: [0.3, 0, 0], rate: 2}},\n"
                         "          shape: {sphere: {center: [0.3, 0, 0], radius: 0.06}}}\n"
                         "  cube: {model: solid, material: jelly, particle: {spacing: 0.03},\n"
                         "         velocity: {uniform: [0, 0, 2]},\n"
                         "         shape: {box: {min: [-0.4, 0, 0], max: [-0.3, 0.1, 0.1]}}}\n");
    double first = 0;
    for (int32_t frame = 0; frame < 3; frame++) {
        const dlp_view view = field_of(s.world, DLP_FIELD_POSITION);
        const double *x = view.data;
        const float *v = velocities_of(s.world), *m = field_of(s.world, DLP_FIELD_MASS).data;
        dlp_vec3 sum = {0};
        for (int32_t i = 0; i < view.count; i++) {
            const dlp_vec3 at = dlp_vec(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
            const dlp_vec3 speed = dlp_vec((double)v[3 * i], (double)v[3 * i + 1], (double)v[3 * i + 2]);
            sum = dlp_along(sum, dlp_cross(at, speed), (double)m[i]);
        }
        const dlp_vec3 told = stats_of(s.world).angular_momentum;
        const double size = dlp_length(told);
        assert_near(dlp_length(dlp_sub(told, sum)) / size, 0, 1e-5);  // masses and velocities as floats
        if (frame == 0) first = size;
        assert_near(size / first, 1, 1e-4);  // nothing acts from outside
        step_frames(s.world, 1);
    }
    release_setup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BITS_OF(0),
        BITS_OF(1),
        BITS_OF(2),
        BITS_OF(3),
        BITS_OF(4),
        BITS_OF(5),
        cmocka_unit_test(waking_neighbours_does_not_depend_on_the_order_of_threads),
        cmocka_unit_test(mass_is_exact),
        cmocka_unit_test(ids_are_unique_and_never_come_back),
        cmocka_unit_test(a_warm_step_allocates_nothing),
        cmocka_unit_test(a_world_gives_all_its_memory_back),
        cmocka_unit_test(a_scene_that_diverges_says_when_what_where_and_what_to_do),
        cmocka_unit_test(values_that_are_no_numbers_are_refused),
        cmocka_unit_test(bad_arguments_are_answered),
        cmocka_unit_test(a_call_that_succeeds_leaves_the_error_untouched),
        cmocka_unit_test(a_parameter_that_changes_while_the_world_moves_acts),
        cmocka_unit_test(a_world_without_particles_works),
        cmocka_unit_test(the_angular_momentum_is_that_of_the_particles),
        cmocka_unit_test(an_empty_world_is_saved_and_loaded),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
