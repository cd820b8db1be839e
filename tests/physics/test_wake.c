/* A resting pool that a body falls into wakes exactly where and when it should. */
#include "scenes.h"
#include "test_folder.h"

enum { REST = 150, FRAMES = 270, PROBES = 5 };

// A channel 1.6 m long; the body dips in at its left end after a second and a half.
#define CHANNEL(restraint, start)                                                                            \
    "dimension: 2\n"                                                                                         \
    "frames: {rate: 100, count: 270}\n"                                                                      \
    "substances:\n"                                                                                          \
    "  water:\n"                                                                                             \
    "    material: water\n"                                                                                  \
    "    artificial_viscosity: {alpha: 0.1}\n"                                                               \
    "    particle: {spacing: 0.012}\n"                                                                       \
    "    adapt: {restraint: " restraint "}\n"                                                                \
    "    " start "\n"                                                                                        \
    "obstacles:\n"                                                                                           \
    "  - {name: tank, box: {min: [0, 0], max: [1.6, 1], inside: true}}\n"                                    \
    "  - name: body\n"                                                                                       \
    "    box: {min: [0.012, 0.14], max: [0.25, 0.5]}\n"                                                      \
    "    position: {keys: [[0, [0, 0]], [1.5, [0, 0]], [1.7, [0, -0.08]], [9, [0, -0.08]]]}\n"

static double height_at(const dlp_world *world, double x)
{
    double low = 0.02, high = 0.4;
    for (int32_t k = 0; k < 24; k++) {
        const double middle = 0.5 * (low + high);
        *(dlp_world_sample_at(world, dlp_vec(x, middle, 0)).fraction > 0.5 ? &low : &high) = middle;
    }
    return low;
}

// Pools that come to rest from starts a hair apart: each a little higher above the floor.
enum { STARTS = 12, TEXT = 2048 };
static const double HAIR = 0.0005;  // m

static void write_start(int32_t start, char text[TEXT])
{
    const double low = HAIR * start;
    assert_in_range(snprintf(text, TEXT, CHANNEL("true", "shape: {box: {min: [0, %.4f], max: [1.6, %.4f]}}"),
                             low, 0.12 + low),
                    1, TEXT - 1);
}

// A pool that has come to rest, as a file of points: both runs start from it.
static void write_resting_pool(int32_t start)
{
    const dlp_world_options options = {.size = sizeof options, .thread_count = 2};
    char text[TEXT];
    write_start(start, text);
    setup s = make_setup_in(NULL, text, &options);
    step_frames(s.world, REST);
    const double *x = positions_of(s.world);
    FILE *file = fopen(in_folder("pool.ply"), "w");
    assert_non_null(file);
    fprintf(file,
            "ply\nformat ascii 1.0\nelement vertex %d\nproperty double x\nproperty double y\n"
            "property double z\nend_header\n",
            dlp_world_particle_count(s.world));
    for (int32_t i = 0; i < dlp_world_particle_count(s.world); i++)
        fprintf(file, "%.17g %.17g 0\n", x[3 * i], x[3 * i + 1]);
    fclose(file);
    release_setup(&s);
}

typedef struct wave {
    double height[PROBES][FRAMES - REST];  // m, after the body moved
    int32_t particles, asleep;             // when it moved
} wave;

static double place_of(int32_t probe)
{
    return 0.5 + 0.2 * probe;
}

static wave run_channel(const char *text)
{
    wave w = {0};
    const dlp_world_options options = {.size = sizeof options, .thread_count = 2};
    setup s = make_setup_in(test_folder, text, &options);
    step_frames(s.world, REST);
    w.particles = stats_of(s.world).particles;
    w.asleep = stats_of(s.world).restrained;
    for (int32_t k = 0; k < FRAMES - REST; k++) {
        for (int32_t probe = 0; probe < PROBES; probe++)
            w.height[probe][k] = height_at(s.world, place_of(probe));
        step_frames(s.world, 1);
    }
    release_setup(&s);
    return w;
}

// When the height first reaches a tenth of its peak, s after the body moved.
static double arrival(const double height[FRAMES - REST])
{
    double peak = 0;
    for (int32_t k = 0; k < FRAMES - REST; k++) peak = fmax(peak, height[k] - height[0]);
    const double level = height[0] + 0.1 * peak;
    for (int32_t k = 1; k < FRAMES - REST; k++)
        if (height[k] >= level) return 0.01 * (k - 1 + (level - height[k - 1]) / (height[k] - height[k - 1]));
    return 1e30;
}

// Later by, in shares of the time, over the probes.
static double mean_delay(int32_t start)
{
    write_resting_pool(start);
    const wave plain = run_channel(CHANNEL("false", "points: {file: pool.ply}")),
               restrained = run_channel(CHANNEL("true", "points: {file: pool.ply}"));
    assert_true(restrained.asleep > restrained.particles / 2);
    double late = 0;
    for (int32_t k = 0; k < PROBES; k++) {
        const double truth = arrival(plain.height[k]), found = arrival(restrained.height[k]);
        print_message("x = %.1f m: %.4f s plain, %.4f s restrained\n", place_of(k), truth, found);
        late += (found / truth - 1) / PROBES;
    }
    print_message("later by %.2f %% on average; %d of %d asleep before\n", 100 * late, restrained.asleep,
                  restrained.particles);
    return late;
}

// Over five probes and twelve starts: at a single probe plain runs from starts a hair apart differ by up to
// 12
// %.
static void a_wave_arrives_in_sleeping_water_as_in_water_that_never_slept(void **state)
{
    (void)state;
    double late = 0;
    for (int32_t start = 0; start < STARTS; start++) late += mean_delay(start) / STARTS;
    print_message("later by %.2f %% in all\n", 100 * late);
    assert_near(late, 0, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wave_arrives_in_sleeping_water_as_in_water_that_never_slept),
    };
    return cmocka_run_group_tests_name("wake", tests, make_test_folder, remove_test_folder);
}
