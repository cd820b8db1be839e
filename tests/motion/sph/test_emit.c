/* Emitters: what is asked for comes out, as fast, as wide, as much and as dense. */
#include "scenes.h"

#define S 0.01  // m: the spacing

// What is asked for.
typedef struct asked {
    int dimension;
    double radius, speed;  // m, m/s
    const char *adapt;
} asked;

static setup make_jet(const asked *jet, double rate)
{
    char text[1024];
    const bool is_plane = jet->dimension == 2;
    snprintf(text, sizeof text,
             "dimension: %d\n"
             "frames: {rate: %.17g, count: 20}\n"
             "gravity: %s\n"
             "substances: {water: {material: water, particle: {spacing: %g}, adapt: {%s}}}\n"
             "emitters:\n"
             "  - {substance: water, position: %s, direction: %s, radius: %.17g, speed: %.17g}\n"
             "probes: {flux: {plane: {point: %s, normal: %s}}}\n",
             jet->dimension, rate, is_plane ? "[0, 0]" : "[0, 0, 0]", S, jet->adapt,
             is_plane ? "[0, 0]" : "[0, 0, 0]", is_plane ? "[1, 0]" : "[1, 0, 0]", jet->radius, jet->speed,
             is_plane ? "[0.1, 0]" : "[0.1, 0, 0]", is_plane ? "[1, 0]" : "[1, 0, 0]");
    return make_setup(text);
}

// What has come out.
typedef struct outflow {
    double mass, speed, sideways, width, density;  // kg, m/s, m/s, m: root mean square, kg/m3 inside
} outflow;

static outflow measure_jet(const dlp_world *world, const asked *jet)
{
    const dlp_view view = field_of(world, DLP_FIELD_POSITION);
    const double *x = view.data;
    const float *v = velocities_of(world), *m = field_of(world, DLP_FIELD_MASS).data;
    const float *rho = field_of(world, DLP_FIELD_DENSITY).data;
    const double end = jet->speed * dlp_world_time(world);
    double mass_inside = 0;
    outflow out = {0};
    for (int32_t i = 0; i < view.count; i++) {
        const double beside = x[3 * i + 1] * x[3 * i + 1] + x[3 * i + 2] * x[3 * i + 2], mass = (double)m[i];
        out.mass += mass;
        out.speed += mass * (double)v[3 * i];
        out.sideways += mass * (double)(v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2]);
        out.width += mass * beside;
        // neither at the surface nor at the ends
        if (sqrt(beside) > jet->radius - 2.5 * S || x[3 * i] < 5 * S || x[3 * i] > end - 5 * S) continue;
        mass_inside += mass;
        out.density += mass * (double)rho[i];
    }
    out.speed /= out.mass;
    out.sideways = sqrt(out.sideways / out.mass);
    out.width = sqrt(out.width / out.mass);
    out.density /= mass_inside;
    return out;
}

// An even strip of half-width R has a root mean square of R / sqrt(3), a disc of radius R one of R / sqrt(2).
static void assert_jet(const asked *jet)
{
    const bool is_plane = jet->dimension == 2;
    const double length = is_plane ? 80 * S : 30 * S, seconds = length / jet->speed;
    const double area = is_plane ? 2 * jet->radius : DLP_PI * jet->radius * jet->radius;
    setup s = make_jet(jet, 2 / seconds);
    step_frames(s.world, 1);
    const double half = stats_of(s.world).mass;
    step_frames(s.world, 1);
    const outflow out = measure_jet(s.world, jet);
    const double layer =
        (is_plane ? 0.95 : 0.85) * S;  // more or less comes out by the one that is on its way
    assert_near((out.mass - half) / (500 * area * length), 1, 0.002 + 2 * layer / length);
    assert_near(out.mass / (1000 * area * length), 1, 0.002 + layer / length);
    assert_near(out.speed / jet->speed, 1, 0.01);
    assert_true(out.sideways < 0.01 * jet->speed);
    assert_near(out.width / jet->radius * sqrt(is_plane ? 3 : 2), 1, 0.01);
    assert_near(out.density / 1000, 1, 0.01);
    double flux[3];
    int32_t count;
    expect_ok(dlp_world_probe(s.world, 0, flux, &count, &(dlp_error){0}), &(dlp_error){0});
    assert_near(flux[0] / (area * jet->speed), 1, 0.01);  // all of it crosses a plane further on
    release_setup(&s);
}

static void a_jet_in_the_plane_is_what_was_asked_for(void **state)
{
    (void)state;
    for (double speed = 0.3; speed < 4; speed *= sqrt(10))
        for (int k = 0; k < 4; k++)
            assert_jet(&(asked){2, (const double[]){3.33, 4.5, 5, 10.4}[k] * S, speed, "time: false"});
}

static void a_jet_in_space_is_what_was_asked_for(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++)
        assert_jet(&(asked){3, (const double[]){3.33, 4, 5}[k] * S, k == 1 ? 3 : 0.3, "time: true"});
}

// A wide mouth of an uneven number of sites, so that layers are nearly spacings of the lattice: what is asked
// for does not hang on it.
static void a_rectangular_mouth_has_its_area(void **state)
{
    (void)state;
    setup s = make_setup("frames: {rate: 2, count: 1}\n"
                         "gravity: [0, 0, 0]\n"
                         "substances: {water: {material: water, particle: {spacing: 0.01}}}\n"
                         "emitters: [{substance: water, position: [0, 0, 0], direction: [0, 1, 0],\n"
                         "            size: [0.047, 0.083], speed: 0.6}]\n");
    step_frames(s.world, 1);
    const double layer = 0.0085;
    assert_near(stats_of(s.world).mass / (1000 * 0.047 * 0.083 * 0.3), 1, 0.002 + layer / 0.3);
    const dlp_view view = field_of(s.world, DLP_FIELD_POSITION);
    const double *x = view.data;
    double across[2] = {0};
    for (int32_t i = 0; i < view.count; i++) {
        across[0] += x[3 * i] * x[3 * i] / view.count;
        across[1] += x[3 * i + 2] * x[3 * i + 2] / view.count;
    }
    // an even spread over a width has a variance of its square / 12
    const double smaller = fmin(across[0], across[1]), larger = fmax(across[0], across[1]);
    assert_near(sqrt(12 * smaller) / 0.047, 1, 0.015);  // four sites across: 1 - 1/4^2 + 3/4 1/4^2
    assert_near(sqrt(12 * larger) / 0.083, 1, 0.015);
    release_setup(&s);
}

// A slow mouth lets go of a layer when it would have fallen as far as its support reaches, and not only when
// the layers behind it have filled that: after the time `held` it falls freely.
static void what_leaves_a_slow_mouth_falls_when_its_support_could_have(void **state)
{
    (void)state;
    setup s = make_setup("dimension: 2\n"
                         "frames: {rate: 50, count: 20}\n"
                         "substances: {water: {material: water, particle: {spacing: 0.01}}}\n"
                         "emitters: [{substance: water, position: [0, 0], radius: 0.0055, speed: 0.05}]\n");
    step_frames(s.world, 20);
    const double time = 0.4, speed = 0.05, support = 2 * 1.6 * 0.01;
    const double *x = positions_of(s.world);
    double lowest = 0;
    for (int32_t i = 0; i < field_of(s.world, DLP_FIELD_POSITION).count; i++)
        lowest = fmin(lowest, x[3 * i + 1]);
    const double falling = time - sqrt(2 * support / 9.81);
    const double expected = speed * time + 0.5 * 9.81 * falling * falling;
    assert_near(-lowest / expected, 1, 0.02);  // the first layer is let go with a step, of 2 ms
    release_setup(&s);
}

static void assert_refused(const char *radius, const char *message)
{
    need_yaml();
    char text[512];
    snprintf(text, sizeof text,
             "substances: {water: {material: water, particle: {spacing: 0.01}}}\n"
             "emitters: [{name: tap, substance: water, position: [0, 0, 0], radius: %s, speed: 1}]\n",
             radius);
    dlp_scene *scene;
    dlp_world *world;
    dlp_error error = {0};
    const dlp_world_options options = {.size = sizeof options, .thread_count = 1};
    expect_ok(dlp_scene_read_text(text, strlen(text), "test", NULL, &scene, &error), &error);
    assert_int_equal(dlp_world_create(scene, &options, &world, &error), DLP_INVALID);
    assert_non_null(strstr(error.message, message));
    dlp_scene_destroy(scene);
}

static void a_mouth_too_small_or_too_large_for_its_particles_is_refused(void **state)
{
    (void)state;
    assert_refused("1e-300", "emitters.tap: its mouth is smaller than a particle (0.01 m)");
    assert_refused("0.004", "emitters.tap: its mouth is smaller than a particle (0.01 m)");
    assert_refused("100", "emitters.tap: its mouth takes 2.88e+08 particles at once; at most 4194304");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jet_in_the_plane_is_what_was_asked_for),
        cmocka_unit_test(a_jet_in_space_is_what_was_asked_for),
        cmocka_unit_test(a_rectangular_mouth_has_its_area),
        cmocka_unit_test(what_leaves_a_slow_mouth_falls_when_its_support_could_have),
        cmocka_unit_test(a_mouth_too_small_or_too_large_for_its_particles_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
