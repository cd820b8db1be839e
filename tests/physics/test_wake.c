/* A resting pool that a body falls into wakes exactly where and when it should. */
#include "../scenes.h"
#include <stdlib.h>

enum { REST = 300, FRAMES = 500 };

// A channel 1.6 m long; the body dips in at its left end after three seconds.
#define CHANNEL(restraint)                                                                                   \
    "dimension: 2\n"                                                                                         \
    "frames: {rate: 100, count: 500}\n"                                                                      \
    "substances:\n"                                                                                          \
    "  water:\n"                                                                                             \
    "    material: water\n"                                                                                  \
    "    artificial_viscosity: {alpha: 0.1}\n"                                                               \
    "    particle: {spacing: 0.012}\n"                                                                       \
    "    adapt: {restraint: " restraint "}\n" \
    "    shape: {box: {min: [0, 0], max: [1.6, 0.12]}}\n"                                                    \
    "obstacles:\n"                                                                                           \
    "  - {name: tank, box: {min: [0, 0], max: [1.6, 1], inside: true}}\n"                                    \
    "  - name: body\n"                                                                                       \
    "    sphere: {center: [0.12, 0.24], radius: 0.06}\n"                                                     \
    "    position: {keys: [[0, [0, 0]], [3, [0, 0]], [3.25, [0, -0.16]], [9, [0, -0.16]]]}\n"

static double height_at(const dlp_world *world, double x)
{
    double low = 0.02, high = 0.4;
    for (int32_t k = 0; k < 24; k++) {
        const double middle = 0.5 * (low + high);
        *(dlp_world_sample(world, dlp_vec(x, middle, 0)).fraction > 0.5 ? &low : &high) = middle;
    }
    return low;
}

typedef struct wave {
    double height[FRAMES - REST];  // m, at the probe, after the body moved
    int32_t asleep;                // particles when it moved
} wave;

static wave run_channel(const char *text)
{
    wave w = {0};
    const dlp_world_options options = {.thread_count = 2};
    setup s = make_setup_in(NULL, text, &options);
    step_frames(s.world, REST);
    w.asleep = stats_of(s.world).restrained;
    for (int32_t k = 0; k < FRAMES - REST; k++) {
        w.height[k] = height_at(s.world, 1.0);
        step_frames(s.world, 1);
    }
    release_setup(&s);
    if (getenv("DUMP")) for (int32_t k = 0; k < FRAMES - REST; k += 5) print_message("%d:%.5f ", k, w.height[k]);
    return w;
}

// When the height first reaches a tenth of its peak, s after the body moved.
static double arrival(const wave *w)
{
    double peak = 0;
    for (int32_t k = 0; k < FRAMES - REST; k++) peak = fmax(peak, w->height[k] - w->height[0]);
    const double tenth = w->height[0] + 0.1 * peak;
    for (int32_t k = 1; k < FRAMES - REST; k++)
        if (w->height[k] >= tenth)
            return 0.01 * (k - 1 + (tenth - w->height[k - 1]) / (w->height[k] - w->height[k - 1]));
    return 1e30;
}

static void a_wave_arrives_in_sleeping_water_as_in_water_that_never_slept(void **state)
{
    (void)state;
    const wave plain = run_channel(CHANNEL("false")), restrained = run_channel(CHANNEL("true"));
    const double truth = arrival(&plain), found = arrival(&restrained);
    print_message("arrival %.4f s plain, %.4f s restrained; %d asleep\n", truth, found, restrained.asleep);
    assert_true(restrained.asleep > 1200);               // nearly all of them slept
    assert_near(truth, 0.9 / sqrt(9.81 * 0.12), 0.25);  // a shallow-water wave from the body to the probe
    assert_near(found, truth, 0.02 * truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wave_arrives_in_sleeping_water_as_in_water_that_never_slept),
    };
    return cmocka_run_group_tests_name("wake", tests, NULL, NULL);
}
