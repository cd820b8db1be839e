/* Heat: curves, latent heat, what is conserved, and the same bits on every way. Closed forms of conduction
 * are in tests/physics/test_conduction.c. */
#include "scenes.h"
#include "test_folder.h"
#include "base/memory.h"
#include "matter/heat.h"
#include "matter/norm.h"

// Formulas.

static void a_power_of_two_is_right_to_seven_digits(void **state)
{
    (void)state;
    for (double x = -40; x <= 40; x += 0.0137)
        assert_near((double)dlp_exp2((float)x) / exp2((double)(float)x), 1, 3e-7);
}

static void a_curve_hits_its_points_and_is_straight_in_the_logarithm(void **state)
{
    (void)state;
    const float high = (float)log2(2000), low = (float)log2(0.5);
    assert_near((double)dlp_curve_between(20, 20, high, 60, low), 2000, 1e-3);
    assert_near((double)dlp_curve_between(60, 20, high, 60, low), 0.5, 1e-6);
    assert_near((double)dlp_curve_between(40, 20, high, 60, low), sqrt(2000 * 0.5), 1e-4);
    assert_near((double)dlp_curve_between(-50, 20, high, 60, low), 2000, 1e-3);
    assert_near((double)dlp_curve_between(500, 20, high, 60, low), 0.5, 1e-6);
}

static void melting_takes_its_heat_and_gives_it_back(void **state)
{
    (void)state;
    assert_near(dlp_heat_content(36, 28, 36, 24) - dlp_heat_content(28, 28, 36, 24), 8 + 24, 1e-12);
    for (double t = 0; t < 60; t += 0.37)
        assert_near(dlp_heat_temperature(dlp_heat_content(t, 28, 36, 24), 28, 36, 24), t, 1e-12);
}

static void half_of_the_neighbours_are_there_on_a_plane(void **state)
{
    (void)state;
    double offset;
    for (int32_t d = 2; d <= 3; d++) {
        assert_near(dlp_neighbourhood_below(d, 0, &offset), 0.5, 1e-4);
        // moment over weight of the half: in space (4 pi / 3) / (32 pi / 15), in the plane (32 / 15) / pi
        assert_near(offset, d == 3 ? 0.625 : 32.0 / 15 / DLP_PI, 1e-4);
        assert_near(dlp_neighbourhood_below(d, 2, &offset), 1, 1e-9);
        assert_near(offset, 0, 1e-9);
    }
}

// Worlds.

// A drop of hot oil falls into cold water.
#define DROP_WITH(extra)                                                                                     \
    "frames: {rate: 200, count: 10}\n"                                                                       \
    "substances:\n"                                                                                          \
    "  water: {material: water, particle: {spacing: 0.02, jitter: 0.1}, conductivity: 20000," extra          \
    "          shape: {box: {min: [0, 0, 0], max: [0.24, 0.24, 0.1]}}}\n"                                    \
    "  oil: {material: oil, temperature: 150, conductivity: 10000, particle: {spacing: 0.02},\n"             \
    "        melting: {from: 60, to: 80, heat: 50000},\n"                                                    \
    "        viscosity: {by_temperature: [[60, 2], [100, 0.05]]},\n"                                         \
    "        stiffness: {by_temperature: [[60, 800], [100, 400]]},\n"                                        \
    "        shape: {sphere: {center: [0.12, 0.12, 0.15], radius: 0.05}}}\n"                                 \
    "obstacles:\n"                                                                                           \
    "  - {name: tank, box: {min: [0, 0, 0], max: [0.24, 0.24, 0.4], inside: true}}\n"

static const char sealed_scene[] = DROP_WITH("");
static const char busy_heat_scene[] =
    DROP_WITH(" cooling: 1e5, adapt: {time: true},") "  - {box: {min: [0.1, 0.1, 0], max: [0.14, 0.14, "
                                                     "0.04]}, temperature: 90}\n"
                                                     "emitters:\n"
                                                     "  - {substance: oil, temperature: 200, position: "
                                                     "[0.05, 0.12, 0.3], radius: 0.03, speed: 2}\n";

// Coldest and hottest of a substance, degrees.
static void find_range(const dlp_world *world, int32_t which, double range[2])
{
    const float *t = field_of(world, DLP_FIELD_TEMPERATURE).data;
    const int32_t *substance = field_of(world, DLP_FIELD_SUBSTANCE).data;
    range[0] = 1e30;
    range[1] = -1e30;
    for (int32_t i = 0; i < dlp_world_particle_count(world); i++) {
        if (substance[i] != which) continue;
        range[0] = fmin(range[0], (double)t[i]);
        range[1] = fmax(range[1], (double)t[i]);
    }
}

static void heat_is_conserved_to_rounding_with_one_step_for_all(void **state)
{
    (void)state;
    setup s = make_setup(sealed_scene);
    const double before = stats_of(s.world).heat;
    step_frames(s.world, 10);
    assert_near(stats_of(s.world).heat / before, 1, 2e-8);
    double water[2], oil[2];
    find_range(s.world, 0, water);
    find_range(s.world, 1, oil);
    assert_true(water[0] > 19.9999 && oil[1] < 150.0001);  // heat flows only downhill ...
    assert_true(water[1] > 40 && oil[0] < 120);            // ... and has flowed
    release_setup(&s);
}

static void the_other_substances_start_at_ambient(void **state)
{
    (void)state;
    setup s = make_setup(sealed_scene);
    const float *t = field_of(s.world, DLP_FIELD_TEMPERATURE).data;
    const int32_t *substance = field_of(s.world, DLP_FIELD_SUBSTANCE).data;
    for (int32_t i = 0; i < dlp_world_particle_count(s.world); i++)
        assert_true(t[i] == (substance[i] == 0 ? 20.0f : 150.0f));
    release_setup(&s);
}

static void a_scene_without_temperatures_has_no_such_field(void **state)
{
    (void)state;
    setup s = make_setup(dam_scene);
    const dlp_view view = field_of(s.world, DLP_FIELD_TEMPERATURE);
    assert_int_equal(view.components, 0);
    assert_null(view.data);
    assert_true(stats_of(s.world).heat == 0);
    release_setup(&s);
}

static void heat_has_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    static const char *const texts[] = {sealed_scene, busy_heat_scene};
    for (int k = 0; k < 2; k++) {
        setup one = make_setup(texts[k]);
        const dlp_world_options options = {
            .size = sizeof options, .thread_count = 2, .instruction_set = "plain"};
        setup two = make_setup_in(NULL, texts[k], &options);
        step_frames(one.world, 5);
        step_frames(two.world, 5);
        assert_same_world(one.world, two.world, "two threads");
        release_setup(&one);
        release_setup(&two);
    }
}

static void a_resumed_run_has_the_same_temperatures(void **state)
{
    (void)state;
    need_checkpoints();
    dlp_error error = {0};
    setup whole = make_setup(busy_heat_scene), first = make_setup(busy_heat_scene);
    step_frames(whole.world, 6);
    step_frames(first.world, 3);
    expect_ok(dlp_world_save(first.world, in_folder("heat.h5"), &error), &error);
    setup rest = make_setup(busy_heat_scene);
    expect_ok(dlp_world_load(rest.world, in_folder("heat.h5"), &error), &error);
    step_frames(rest.world, 3);
    assert_same_world(whole.world, rest.world, "resumed");
    release_setup(&whole);
    release_setup(&first);
    release_setup(&rest);
}

static void an_emitter_emits_at_its_own_temperature(void **state)
{
    (void)state;
    setup s = make_setup(busy_heat_scene);
    step_frames(s.world, 1);
    double oil[2];
    find_range(s.world, 1, oil);
    assert_near(oil[1], 200, 1);
    release_setup(&s);
}

static void a_probe_measures_temperature(void **state)
{
    (void)state;
    setup s = make_setup(sealed_scene);
    assert_near(dlp_world_sample_at(s.world, dlp_vec(0.12, 0.12, 0.16)).temperature, 150, 1e-9);
    assert_near(dlp_world_sample_at(s.world, dlp_vec(0.12, 0.12, 0.02)).temperature, 20, 1e-9);
    release_setup(&s);
}

// Scenes.

static void expect_mistake(const char *substance, const char *after, const char *message)
{
    need_yaml();
    char text[1024];
    snprintf(text, sizeof text,
             "substances:\n  a: {particle: {spacing: 0.1}, shape: {sphere: {radius: 1}}, %s}\n%s", substance,
             after);
    dlp_scene *scene;
    dlp_error error = {0};
    dlp_status status = dlp_scene_read_text(text, strlen(text), "a.yaml", NULL, &scene, &error);
    if (status == DLP_OK) status = dlp_scene_check(scene, &error);
    assert_int_equal(status, DLP_INVALID);
    assert_string_equal(error.message, message);
    dlp_scene_destroy(scene);
}

static void mistakes_about_heat_are_named(void **state)
{
    (void)state;
    expect_mistake("temperature: 20, conductivity: -1", "",
                   "a.yaml:2:94: substances.a.conductivity: must be ≥ 0 (got -1)");
    expect_mistake("temperature: -300", "",
                   "a.yaml:2:76: substances.a.temperature: must be ≥ -273.15 (got -300)");
    expect_mistake("temperature: 20, heat_capacity: 0", "",
                   "a.yaml:2:95: substances.a.heat_capacity: must be > 0 (got 0)");
    expect_mistake("temperature: 20, viscosity: {by_temperature: [[20, 5], [10, 1]]}", "",
                   "a.yaml:2:118: substances.a.viscosity: temperatures must grow (got 10 after 20)");
    // closer than a thousandth of a degree a slope could be anything
    expect_mistake("temperature: 20, viscosity: {by_temperature: [[20, 5], [20.0005, 1]]}", "",
                   "a.yaml:2:118: substances.a.viscosity: temperatures must grow (got 20.0005 after 20)");
    expect_mistake("temperature: 20, viscosity: {by_temperature: [[20, 0], [30, 1]]}", "",
                   "a.yaml:2:114: substances.a.viscosity: must be > 0 (got 0)");
    expect_mistake("temperature: 20, viscosity: {by_temperature: 7}", "",
                   "a.yaml:2:108: substances.a.viscosity: by_temperature must be a list of [degrees, value]");
    expect_mistake(
        "temperature: 20, viscosity: {by_temperature: [[20]]}", "",
        "a.yaml:2:109: substances.a.viscosity: a point must be [degrees, value] (got a list of 1)");
    expect_mistake("temperature: 20, density: {by_temperature: [[20, 5]]}", "",
                   "a.yaml:2:89: substances.a.density: cannot depend on temperature");
    expect_mistake("viscosity: {by_temperature: [[20, 5], [30, 1]]}", "",
                   "a.yaml:2:63: substances.a.viscosity: depends on temperature, but the substance has none; "
                   "give it one");
    expect_mistake("temperature: 20, melting: {from: 30, to: 20, heat: 1000}", "",
                   "a.yaml:2:104: substances.a.melting.to: must be warmer than from (got 20 and 30)");
    expect_mistake("viscosity: 1", "probes: {p: {point: [0, 0, 0], measure: temperature}}\n",
                   "a.yaml:3:41: probes.p.measure: there is no temperature to measure; give a substance one");
}

static void a_number_overrides_the_curve_of_a_material(void **state)
{
    (void)state;
    need_yaml();
    static const char text[] = "substances:\n"
                               "  a: {material: lava, viscosity: 8, particle: {spacing: 0.1},\n"
                               "      shape: {sphere: {radius: 1}}}\n"
                               "  b: {material: lava, particle: {spacing: 0.1},\n"
                               "      shape: {sphere: {center: [3, 0, 0], radius: 1}}}\n";
    dlp_scene *scene, *again;
    dlp_error error = {0};
    const dlp_scene_def *def;
    char *written;
    expect_ok(dlp_scene_read_text(text, strlen(text), "a", NULL, &scene, &error), &error);
    expect_ok(dlp_scene_write(scene, &written, &error), &error);
    expect_ok(dlp_scene_read_text(written, strlen(written), "a", NULL, &again, &error), &error);
    expect_ok(dlp_scene_resolve(again, &def, &error), &error);
    assert_null(def->substances[0].viscosity_curve);
    assert_true(def->substances[0].viscosity == 8 && def->substances[0].has_temperature);
    assert_non_null(def->substances[1].viscosity_curve);
    assert_true(def->substances[1].viscosity == def->substances[1].viscosity_curve->values[0]);
    dlp_free(written);
    dlp_scene_destroy(again);
    dlp_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_power_of_two_is_right_to_seven_digits),
        cmocka_unit_test(a_curve_hits_its_points_and_is_straight_in_the_logarithm),
        cmocka_unit_test(melting_takes_its_heat_and_gives_it_back),
        cmocka_unit_test(half_of_the_neighbours_are_there_on_a_plane),
        cmocka_unit_test(heat_is_conserved_to_rounding_with_one_step_for_all),
        cmocka_unit_test(the_other_substances_start_at_ambient),
        cmocka_unit_test(a_scene_without_temperatures_has_no_such_field),
        cmocka_unit_test(heat_has_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(a_resumed_run_has_the_same_temperatures),
        cmocka_unit_test(an_emitter_emits_at_its_own_temperature),
        cmocka_unit_test(a_probe_measures_temperature),
        cmocka_unit_test(mistakes_about_heat_are_named),
        cmocka_unit_test(a_number_overrides_the_curve_of_a_material),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
