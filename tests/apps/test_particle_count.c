/* Counts of particles from volumes. Truths: closed forms of volumes, areas and flows; the worlds that the
 * same scenes make when they are filled. */
#include "apps/dollop/particle_count.h"

#include "base/memory.h"
#include "scenes.h"

static dlp_error error;

typedef struct case_of {
    dlp_scene *scene;
    const dlp_scene_def *def;
    dlp_particle_counter counter;
    dlp_particle_count counts[4];
} case_of;

static void count_scene(case_of *c, dlp_scene *scene, double factor)
{
    *c = (case_of){.scene = scene};
    error = (dlp_error){0};
    dlp_status status = dlp_scene_resolve(scene, &c->def, &error);
    assert_true(c->def == NULL || c->def->substance_count <= 4);
    if (status == DLP_OK) status = dlp_particle_counter_init(&c->counter, c->def, NULL, &error);
    if (status == DLP_OK) status = dlp_count_particles(&c->counter, factor, c->counts, &error);
    if (status != DLP_OK) fail_msg("%s", error.message);
}

static void count_text(case_of *c, const char *text, double factor)
{
    dlp_scene *scene;
    need_yaml();
    if (dlp_scene_read_text(text, strlen(text), "test.yaml", NULL, &scene, &error) != DLP_OK)
        fail_msg("%s", error.message);
    count_scene(c, scene, factor);
}

static void release(case_of *c)
{
    dlp_particle_counter_release(&c->counter);
    dlp_scene_destroy(c->scene);
    assert_int_equal(dlp_memory_in_use(), 0);
}

static double start_of(const case_of *c)
{
    double sum = 0;
    for (int32_t k = 0; k < c->def->substance_count; k++) sum += c->counts[k].start;
    return sum;
}

/* What the world is filled with, where nothing merges. */
static double filled_count(const dlp_scene *scene)
{
    const dlp_world_options options = {.size = sizeof options, .thread_count = 1};
    dlp_world *world;
    if (dlp_world_create(scene, &options, &world, &error) != DLP_OK) fail_msg("%s", error.message);
    const double count = dlp_world_particle_count(world);
    dlp_world_destroy(world);
    return count;
}

static void assert_filled_alike(const char *text, double share)
{
    case_of c;
    count_text(&c, text, 1);
    const double filled = filled_count(c.scene);
    assert_near(start_of(&c), filled, share * filled);
    release(&c);
}

#define WATER(spacing, shape)                                                                                \
    "substances: {w: {material: water, particle: {spacing: " spacing "}, shape: " shape "}}\n"

static void a_box_has_every_point_of_its_lattice(void **state)
{
    (void)state;
    assert_filled_alike(WATER("0.031", "{box: {min: [0, 0, 0], max: [0.4, 0.3, 0.5]}}"), 0);
    assert_filled_alike("substances: {w: {material: water, particle: {spacing: 0.05}, shape: {box: {min: [0, "
                        "0, 0], max: [0.4, "
                        "0.3, 0.5]}, copies: {count: [2, 3, 1], spacing: [1, 1, 0]}}}}\n",
                        0);
}

static void a_ball_has_its_volume(void **state)
{
    (void)state;
    case_of c;
    count_text(&c, WATER("0.02", "{sphere: {center: [0, 0, 0], radius: 0.3}}"), 1);
    assert_near(start_of(&c), 4 * DLP_PI / 3 * 0.027 / 8e-6, 0.01 * 14137);
    release(&c);
    assert_filled_alike(WATER("0.03", "{sphere: {center: [0, 0, 0], radius: 0.3}}"), 0.02);
}

static void unions_and_differences_are_counted_over_cells(void **state)
{
    (void)state;
    assert_filled_alike(WATER("0.02",
                              "{union: [{sphere: {center: [0, 0, 0], radius: 0.2}}, {box: {min: [0, 0, "
                              "0], max: [0.3, 0.2, 0.2]}}]}"),
                        0.02);
    assert_filled_alike(WATER("0.02",
                              "{difference: [{box: {min: [0, 0, 0], max: [0.4, 0.4, 0.4]}}, {cylinder: "
                              "{from: [0.2, 0.2, 0], to: [0.2, 0.2, 0.4], radius: 0.1}}]}"),
                        0.02);
    assert_filled_alike("dimension: 2\n" WATER("0.005",
                                               "{difference: [{sphere: {center: [0, 0], radius: 0.3}}, "
                                               "{sphere: {center: [0.1, 0], radius: 0.15}}]}"),
                        0.02);
}

static void what_lies_in_an_obstacle_is_left_out(void **state)
{
    (void)state;
    assert_filled_alike(
        WATER("0.02", "{box: {min: [0, 0, 0], max: [0.6, 0.6, 0.3]}}") "obstacles: [{sphere: {center: [0.3, "
                                                                       "0.3, 0.15], radius: 0.25}}]\n",
        0.03);
    assert_filled_alike(
        WATER("0.02",
              "{box: {min: [0, 0, 0], max: [0.4, 0.4, 0.4]}}") "obstacles: [{box: {min: [0, 0, 0], max: "
                                                               "[1.6, 0.4, 0.8], inside: true}}]\n",
        0);
}

#define SOLID(shape) "substances: {b: {model: solid, particle: {spacing: 0.02}, shape: " shape "}}\n"
#define CLOTH(shape)                                                                                         \
    "substances: {c: {model: cloth, material: cotton, particle: {spacing: 0.03}, shape: " shape "}}\n"

static void solids_and_their_copies_are_counted(void **state)
{
    (void)state;
    assert_filled_alike(SOLID("{torus: {center: [0, 0, 0], radius: 0.2, tube: 0.08}, copies: {count: [2, 2, "
                              "1], spacing: [1, 1, 1]}}"),
                        0.02);
}

static void cloth_is_counted_along_its_edges(void **state)
{
    (void)state;
    case_of c;
    count_text(&c, CLOTH("{sheet: {center: [0, 0, 0], size: [1.2, 0.9]}}"), 1);
    assert_near(start_of(&c), 41 * 31, 0);
    release(&c);
    assert_filled_alike(CLOTH("{sheet: {center: [0, 0, 0], size: [1.24, 0.87]}, copies: {count: [1, 1, 3], "
                              "spacing: [0, 0, 1]}}"),
                        0);
    assert_filled_alike(CLOTH("{capsule: {from: [0, 0, 0], to: [1, 1, 0], radius: 0.01}}"), 0);
}

#define JET(extra)                                                                                           \
    "frames: {rate: 25, count: 50}\ngravity: [0, 0, 0]\n"                                                    \
    "substances: {w: {material: water, particle: {spacing: 0.01}}}\n"                                        \
    "emitters: [{substance: w, position: [0, 0, 0], direction: [1, 0, 0], radius: 0.04, " extra "}]\n"

static double emitted_by(const char *text)
{
    case_of c;
    count_text(&c, text, 1);
    const double count = c.counts[0].start + c.counts[0].emitted;
    release(&c);
    return count;
}

/* Area times the way that the flow goes, over a particle's volume; the first layer comes at once. */
static void emitters_give_their_flow(void **state)
{
    (void)state;
    const double per_metre = DLP_PI * 0.04 * 0.04 / 1e-6, layer = 60;
    assert_near(emitted_by(JET("speed: 0.5")), 1.0 * per_metre, layer);
    assert_near(emitted_by(JET("speed: 0.5, start: 0.4, stop: 1")), 0.3 * per_metre, layer);
    assert_near(emitted_by(JET("speed: 0.5, limit: 321")), 321, 0);
    assert_near(emitted_by(JET("speed: {keys: [[0, 0], [1, 1], [2, 0]]}")), 1.0 * per_metre, layer);
    assert_near(emitted_by(JET("speed: {keys: [[0, 1], [1, 0]]}")), 0.5 * per_metre, layer);
}

static void twice_the_size_is_an_eighth_of_the_particles(void **state)
{
    (void)state;
    case_of fine, coarse;
    const char *const text = WATER("0.01", "{box: {min: [0, 0, 0], max: [0.4, 0.4, 0.4]}}");
    count_text(&fine, text, 1);
    const double all = start_of(&fine);
    release(&fine);
    count_text(&coarse, text, 2);
    assert_near(start_of(&coarse), all / 8, 0.03 * all / 8); /* a lattice has whole rows */
    assert_true(dlp_particle_counter_can_scale(&coarse.counter, 0));
    release(&coarse);
}

/* A hundred million particles take no longer than ten: nothing is filled, and too many are refused. */
static void what_a_fill_refuses_is_refused(void **state)
{
    (void)state;
    case_of c;
    count_text(&c, WATER("0.01", "{box: {min: [0, 0, 0], max: [5, 5, 4]}}"), 1);
    assert_near(start_of(&c), 1e8, 1e6);
    assert_int_equal(dlp_count_particles(&c.counter, 0.5, c.counts, &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "at most 200000000 are allowed"));
    assert_int_equal(dlp_count_particles(&c.counter, 2000, c.counts, &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "substances.w.shape: not one particle fits"));
    release(&c);
}

static bool is_stopped(void)
{
    return true;
}

static void counting_obeys_an_interruption(void **state)
{
    (void)state;
    dlp_scene *scene;
    const dlp_scene_def *def;
    dlp_particle_counter counter;
    need_yaml();
    assert_int_equal(dlp_scene_read_bundled("dam", &scene, &error), DLP_OK);
    assert_int_equal(dlp_scene_resolve(scene, &def, &error), DLP_OK);
    assert_int_equal(dlp_particle_counter_init(&counter, def, is_stopped, &error), DLP_INTERRUPTED);
    dlp_particle_counter_release(&counter);
    dlp_scene_destroy(scene);
    assert_int_equal(dlp_memory_in_use(), 0);
}

/* Those whose particles do not merge at the start. */
static void bundled_scenes_have_as_many_as_are_counted(void **state)
{
    (void)state;
    static const char *const names[] = {"bunny", "crush", "dam2d",        "drape", "drop",      "flag",
                                        "hang",  "jelly", "taylor-green", "tori",  "twofluids", "fall"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        case_of c;
        dlp_scene *scene;
        need_yaml();
        assert_int_equal(dlp_scene_read_bundled(names[k], &scene, &error), DLP_OK);
        count_scene(&c, scene, 1);
        const double filled = filled_count(scene);
        if (fabs(start_of(&c) - filled) > 0.02 * filled)
            fail_msg("%s: counted %.0f, filled %.0f", names[k], start_of(&c), filled);
        release(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_has_every_point_of_its_lattice),
        cmocka_unit_test(a_ball_has_its_volume),
        cmocka_unit_test(unions_and_differences_are_counted_over_cells),
        cmocka_unit_test(what_lies_in_an_obstacle_is_left_out),
        cmocka_unit_test(solids_and_their_copies_are_counted),
        cmocka_unit_test(cloth_is_counted_along_its_edges),
        cmocka_unit_test(emitters_give_their_flow),
        cmocka_unit_test(twice_the_size_is_an_eighth_of_the_particles),
        cmocka_unit_test(what_a_fill_refuses_is_refused),
        cmocka_unit_test(counting_obeys_an_interruption),
        cmocka_unit_test(bundled_scenes_have_as_many_as_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
