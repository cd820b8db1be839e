/* Far from the origin: a substance behaves there as it does here, and what flies off is reported. Particles
 * of 0.01 m have cells of about 0.03 m, of which a window of neighbours reaches 2^19, or 18 km, each way. */
#include "scenes.h"
#include "test_folder.h"

// A square of water in a tank whose corner is at (x, x).
static setup make_tank(double x, const char *adapt)
{
    char text[512];
    snprintf(text, sizeof text,
             "dimension: 2\nframes: {rate: 100, count: 10}\n"
             "substances: {water: {material: water, particle: {spacing: 0.01}, stiffness: 100, adapt: {%s},\n"
             "             shape: {box: {min: [%.17g, %.17g], max: [%.17g, %.17g]}}}}\n"
             "obstacles: [{box: {min: [%.17g, %.17g], max: [%.17g, %.17g], inside: true}}]\n",
             adapt, x, x, x + 0.1, x + 0.1, x, x, x + 0.2, x + 0.3);
    return make_setup(text);
}

static void a_tank_a_hundred_kilometres_away_does_as_one_at_the_origin(void **state)
{
    (void)state;
    const double far = 131072;
    setup here = make_tank(0, ""), there = make_tank(far, "");
    step_frames(here.world, 5);
    step_frames(there.world, 5);
    const dlp_stats a = stats_of(here.world), b = stats_of(there.world);
    assert_true(a.neighbours_mean > 15);
    assert_near(b.neighbours_mean, a.neighbours_mean, 0.02 * a.neighbours_mean);
    const dlp_view p = field_of(here.world, DLP_FIELD_POSITION),
                   q = field_of(there.world, DLP_FIELD_POSITION);
    const int64_t *id_p = field_of(here.world, DLP_FIELD_ID).data,
                  *id_q = field_of(there.world, DLP_FIELD_ID).data;
    assert_int_equal(p.count, q.count);
    double farthest = 0;
    for (int32_t i = 0; i < p.count; i++)
        for (int32_t j = 0; j < q.count; j++) {
            if (id_p[i] != id_q[j]) continue;
            const double *x = (const double *)p.data + 3 * i, *y = (const double *)q.data + 3 * j;
            farthest = fmax(farthest, hypot(y[0] - far - x[0], y[1] - far - x[1]));
        }
    // they fell 12 mm; positions are rounded to 1e-7 m, otherwise here than there
    assert_true(farthest < 1e-4);
    release_setup(&here);
    release_setup(&there);
}

static void a_far_tank_adapts_and_resumes_with_the_same_bits(void **state)
{
    (void)state;
    need_checkpoints();
    const char *adapt = "space: true, time: true, restraint: true";
    dlp_error error = {0};
    setup here = make_tank(0, adapt), there = make_tank(131072, adapt), resumed = make_tank(131072, adapt);
    step_frames(here.world, 5);
    step_frames(there.world, 5);
    const dlp_stats a = stats_of(here.world), b = stats_of(there.world);
    assert_true(a.neighbours_mean > 15);
    assert_near(b.neighbours_mean, a.neighbours_mean, 0.02 * a.neighbours_mean);
    expect_ok(dlp_world_save(there.world, in_folder("far.h5"), &error), &error);
    expect_ok(dlp_world_load(resumed.world, in_folder("far.h5"), &error), &error);
    step_frames(there.world, 3);
    step_frames(resumed.world, 3);
    assert_same_world(there.world, resumed.world, "far and resumed");
    release_setup(&here);
    release_setup(&there);
    release_setup(&resumed);
}

// Ten thousand particles, so that several threads look for their middle, and some that have flown off.
static void the_middle_is_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    static const char text[] = "dimension: 2\nframes: {rate: 100, count: 10}\ngravity: [0, 0]\n"
                               "substances: {water: {material: water, particle: {spacing: 0.01}, adapt: "
                               "{space: true}, stiffness: 1,\n"
                               "             velocity: [3, -50], shape: {union: [\n"
                               "               {box: {min: [30000, -40000], max: [30001, -39999]}},\n"
                               "               {box: {min: [90000, 0], max: [90000.03, 0.03]}}]}}}\n";
    const dlp_world_options options = {.size = sizeof options, .thread_count = 3};
    setup one = make_setup(text), three = make_setup_in(NULL, text, &options);
    step_frames(one.world, 2);
    step_frames(three.world, 2);
    assert_true(stats_of(one.world).neighbours_mean > 15);
    assert_same_world(one.world, three.world, "far away on three threads");
    release_setup(&one);
    release_setup(&three);
}

// A drop that is neither pulled nor pushed, ten seconds later.
static dlp_stats drift(double from, double speed, double *out_x)
{
    char text[512];
    snprintf(text, sizeof text,
             "dimension: 2\nframes: {rate: 1, count: 100}\ngravity: [0, 0]\ntime: {step: 0.02}\n"
             "substances: {water: {material: water, particle: {spacing: 0.01}, stiffness: 0.01,\n"
             "  velocity: [%g, 0], shape: {sphere: {center: [%g, 0], radius: 0.06}}}}\n",
             speed, from);
    setup s = make_setup(text);
    step_frames(s.world, 10);
    const dlp_stats stats = stats_of(s.world);
    *out_x = positions_of(s.world)[0];
    release_setup(&s);
    return stats;
}

static void a_drop_that_leaves_for_good_keeps_its_neighbours(void **state)
{
    (void)state;
    double x;
    const dlp_stats still = drift(0, 0, &x), moving = drift(16000, 500, &x);
    assert_near(x, 21000, 0.2);
    assert_true(still.neighbours_mean > 15);
    assert_near(moving.neighbours_mean, still.neighbours_mean, 0.05 * still.neighbours_mean);
}

typedef struct heard {
    int32_t count;
    char last[256];
} heard;

static void listen(const char *message, void *user)
{
    heard *h = user;
    if (strstr(message, "neighbours") == NULL) return;
    h->count++;
    snprintf(h->last, sizeof h->last, "%s", message);
}

static void what_is_too_far_from_the_rest_is_reported_once(void **state)
{
    (void)state;
    heard heard_now = {0};
    const dlp_world_options options = {
        .size = sizeof options, .thread_count = 1, .log = listen, .user = &heard_now};
    setup s = make_setup_in(NULL,
                            "dimension: 2\nframes: {rate: 100, count: 10}\ngravity: [0, 0]\n"
                            "substances: {water: {material: water, particle: {spacing: 0.01},\n"
                            "             shape: {union: [{box: {min: [0, 0], max: [0.2, 0.2]}},\n"
                            "               {box: {min: [90000, 0], max: [90000.03, 0.03]}}]}}}\n",
                            &options);
    step_frames(s.world, 2);
    assert_int_equal(heard_now.count, 1);
    assert_non_null(strstr(heard_now.last, "9 particles are more than 1.83e+04 m away from the middle"));
    assert_true(stats_of(s.world).neighbours_mean > 15);
    release_setup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tank_a_hundred_kilometres_away_does_as_one_at_the_origin),
        cmocka_unit_test(a_far_tank_adapts_and_resumes_with_the_same_bits),
        cmocka_unit_test(a_drop_that_leaves_for_good_keeps_its_neighbours),
        cmocka_unit_test(what_is_too_far_from_the_rest_is_reported_once),
        cmocka_unit_test(the_middle_is_the_same_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
