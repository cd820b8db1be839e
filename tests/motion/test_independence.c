/* What does not concern a substance changes none of its bits. */
#include "scenes.h"

#define HEAD "frames: {rate: 400, count: 10}\nsubstances:\n"
#define WATER(adapt)                                                                                         \
    "  water:\n"                                                                                             \
    "    material: water\n"                                                                                  \
    "    particle: {spacing: 0.016, jitter: 0.05}\n"                                                         \
    "    adapt: {" adapt "}\n"                                                                               \
    "    shape: {box: {min: [0, 0, 0], max: [0.16, 0.16, 0.16]}}\n"
#define FLOOR                                                                                                \
    "obstacles:\n"                                                                                           \
    "  - {name: floor, box: {min: [-0.2, -0.2, -0.1], max: [0.4, 0.4, 0]}}\n"                                \
    "probes: {load: {body: floor}}\n"
// Far away, held at one edge: it swings and is restrained.
#define CLOTH                                                                                                \
    "  sheet:\n"                                                                                             \
    "    material: cotton\n"                                                                                 \
    "    particle: {spacing: 0.05}\n"                                                                        \
    "    adapt: {restraint: true}\n"                                                                         \
    "    shape: {sheet: {center: [5, 0, 0.5], size: [0.5, 0.25]}}\n"
#define HAND "attachments:\n  - {substance: sheet, box: {min: [4.7, -1, 0.4], max: [4.8, 1, 0.6]}}\n"
#define SOLID                                                                                                \
    "  block:\n"                                                                                             \
    "    material: jelly\n"                                                                                  \
    "    particle: {spacing: 0.03, lattice: cubic}\n"                                                        \
    "    shape: {box: {min: [5, 0, 1], max: [5.15, 0.15, 1.15]}}\n"

// The first `count` particles, which are the smoothed ones, in all that is no number of the whole world.
static void assert_same_start(const dlp_world *a, const dlp_world *b, int32_t count, const char *what)
{
    for (int k = 0; k < DLP_FIELD_COUNT; k++) {
        if (k == DLP_FIELD_SUBSTANCE || k == DLP_FIELD_ID || k == DLP_FIELD_PIECE) continue;
        const dlp_view p = field_of(a, (dlp_field)k), q = field_of(b, (dlp_field)k);
        if (p.count == 0 && q.count == 0) continue;
        assert_true(p.count >= count && q.count >= count);
        const size_t size = size_of_type(p.type) * (size_t)p.components * (size_t)count;
        if (memcmp(p.data, q.data, size) != 0) fail_msg("%s: %s differs", what, dlp_field_name((dlp_field)k));
    }
}

static int32_t count_of(const dlp_world *world, int32_t substance)
{
    const dlp_view view = field_of(world, DLP_FIELD_SUBSTANCE);
    const int32_t *is = view.data;
    int32_t count = 0;
    while (count < view.count && is[count] == substance) count++;
    return count;
}

static void expect_same_water(const char *first, const char *other, int32_t place_of_water, const char *what)
{
    setup a = make_setup(first), b = make_setup(other);
    for (int frame = 0; frame <= 5; frame++) {
        const int32_t count = count_of(a.world, 0);
        assert_true(count > 500);
        assert_int_equal(count_of(b.world, place_of_water), count);
        assert_same_start(a.world, b.world, count, what);
        const dlp_body_force p = dlp_world_body_load(a.world, 0), q = dlp_world_body_load(b.world, 0);
        assert_memory_equal(&p, &q, sizeof p);
        step_frames(a.world, 1);
        step_frames(b.world, 1);
    }
    release_setup(&a);
    release_setup(&b);
}

static void a_restrained_cloth_far_away_changes_nothing_in_water(void **state)
{
    (void)state;
    expect_same_water(HEAD WATER("") FLOOR, HEAD WATER("") CLOTH HAND FLOOR, 0, "cloth after water");
    expect_same_water(HEAD WATER("") FLOOR, HEAD CLOTH WATER("") HAND FLOOR, 1, "cloth before water");
    expect_same_water(HEAD WATER("time: true") FLOOR, HEAD WATER("time: true") CLOTH HAND FLOOR, 0,
                      "individual steps");
}

static void the_order_of_substances_changes_nothing_in_water(void **state)
{
    (void)state;
    expect_same_water(HEAD WATER("") SOLID FLOOR, HEAD SOLID WATER("") FLOOR, 1, "solid before water");
    expect_same_water(HEAD WATER("") FLOOR, HEAD SOLID WATER("") FLOOR, 1, "solid beside water");
}

// What the log says, one line after another.
static void keep_note(const char *message, void *user)
{
    char *notes = user;
    strncat(notes, message, 500);
    strcat(notes, "\n");
}

static void expect_notes(const char *text, const char *expected)
{
    char notes[2000] = "";
    const dlp_world_options options = {.size = sizeof options, .log = keep_note, .user = notes};
    setup s = make_setup_in(NULL, text, &options);
    assert_string_equal(notes, expected);
    release_setup(&s);
}

static void substances_that_do_not_act_on_each_other_are_named(void **state)
{
    (void)state;
    expect_notes(HEAD WATER("") SOLID FLOOR,
                 "water (sph) and block (solid) do not act on each other yet: they "
                 "pass through one another\n");
    expect_notes(HEAD CLOTH SOLID WATER("") HAND FLOOR,
                 "water (sph) and block (solid) and sheet (cloth) do not act on each other yet: they pass "
                 "through one another\n");
    expect_notes(HEAD WATER("") FLOOR, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restrained_cloth_far_away_changes_nothing_in_water),
        cmocka_unit_test(the_order_of_substances_changes_nothing_in_water),
        cmocka_unit_test(substances_that_do_not_act_on_each_other_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
