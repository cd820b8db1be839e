/* Surfaces of worlds: of several substances, through a checkpoint, against obstacles, and made again from a
 * recorded run. */
#include "base/memory.h"
#include "record/file_io.h"
#include "record/mesh_files.h"
#include "record/reskin.h"
#include "scenes.h"
#include "skin/skin.h"
#include "test_folder.h"

static dlp_skin *make_skin(dlp_world *world)
{
    dlp_error error = {0};
    dlp_skin *skin;
    expect_ok(dlp_skin_create(world, &skin, &error), &error);
    return skin;
}

static void update_skin(dlp_skin *skin)
{
    dlp_error error = {0};
    expect_ok(dlp_skin_update(skin, &error), &error);
}

static void step_with_skin(dlp_world *world, dlp_skin *skin, int32_t frames)
{
    for (int32_t k = 0; k < frames; k++) {
        step_frames(world, 1);
        update_skin(skin);
    }
}

static dlp_surface_mesh_report report_of(const dlp_skin *skin, int32_t surface)
{
    dlp_surface_mesh_report report;
    assert_int_equal(
        dlp_surface_mesh_check(dlp_surface_mesh_of(dlp_skin_surface_at(skin, surface)), &report, NULL),
        DLP_OK);
    assert_true(report.is_sound);
    return report;
}

// Several substances.

#define TWO_BOXES(surface)                                                                                   \
    "gravity: [0, 0, 0]\n"                                                                                   \
    "frames: {rate: 50, count: 3}\n" surface "substances:\n"                                                 \
    "  honey: {material: honey, color: [1, 0, 0], particle: {spacing: 0.02},\n"                              \
    "    shape: {box: {min: [0, 0, 0], max: [0.16, 0.16, 0.16]}}}\n"                                         \
    "  water: {material: water, color: [0, 0, 1], particle: {spacing: 0.02},\n"                              \
    "    shape: {box: {min: [0.16, 0, 0], max: [0.32, 0.16, 0.16]}}}\n"

static void substances_have_a_surface_each(void **state)
{
    (void)state;
    setup s = make_setup(TWO_BOXES("surface: {kind: iso}\n"));
    dlp_skin *skin = make_skin(s.world);
    update_skin(skin);
    assert_int_equal(dlp_skin_surface_count(skin), 2);
    for (int32_t k = 0; k < 2; k++) {
        dlp_surface_view view = {.size = sizeof view};
        assert_int_equal(dlp_skin_surface(skin, k, &view, NULL), DLP_OK);
        assert_string_equal(view.name, k == 0 ? "honey" : "water");
        assert_int_equal(report_of(skin, k).mesh.components, 1);
        assert_near(view.volume, 0.16 * 0.16 * 0.16, 0.03 * 0.16 * 0.16 * 0.16);
    }
    dlp_skin_destroy(skin);
    release_setup(&s);
}

static void a_blend_is_one_body_with_the_colours_of_both(void **state)
{
    (void)state;
    setup s = make_setup(TWO_BOXES("surface: {kind: iso, blend: true}\n"));
    dlp_skin *skin = make_skin(s.world);
    update_skin(skin);
    assert_int_equal(dlp_skin_surface_count(skin), 1);
    assert_int_equal(report_of(skin, 0).mesh.components, 1);
    dlp_surface_view view = {.size = sizeof view};
    assert_int_equal(dlp_skin_surface(skin, 0, &view, NULL), DLP_OK);
    assert_null(view.name);
    assert_near(view.volume, 2 * 0.16 * 0.16 * 0.16, 0.03 * 2 * 0.16 * 0.16 * 0.16);
    assert_non_null(view.colors);
    for (int32_t v = 0; v < view.vertex_count; v++) {
        const double red = (double)view.colors[3 * v], blue = (double)view.colors[3 * v + 2];
        assert_near(red + blue, 1, 1e-5);
        if (view.vertices[v].x < 0.08) assert_near(red, 1, 1e-5);
        if (view.vertices[v].x > 0.24) assert_near(blue, 1, 1e-5);
    }
    dlp_skin_destroy(skin);
    release_setup(&s);
}

// Through a checkpoint.

static const char falling_scene[] = "frames: {rate: 50, count: 8}\n"
                                    "surface: {kind: active}\n"
                                    "record: {preview: false}\n"
                                    "substances:\n"
                                    "  water:\n"
                                    "    material: water\n"
                                    "    particle: {spacing: 0.02}\n"
                                    "    shape: {box: {min: [0, 0, 0], max: [0.1, 0.16, 0.16]}}\n"
                                    "  honey:\n"
                                    "    material: honey\n"
                                    "    particle: {spacing: 0.02}\n"
                                    "    shape: {sphere: {center: [0.3, 0.08, 0.08], radius: 0.06}}\n"
                                    "obstacles:\n"
                                    "  - {box: {min: [0, 0, 0], max: [0.4, 0.16, 0.4], inside: true}}\n";

static void expect_same_view(const dlp_skin *a, const dlp_skin *b, int32_t surface)
{
    dlp_surface_view p = {.size = sizeof p}, q = {.size = sizeof q};
    assert_int_equal(dlp_skin_surface(a, surface, &p, NULL), DLP_OK);
    assert_int_equal(dlp_skin_surface(b, surface, &q, NULL), DLP_OK);
    assert_int_equal(p.vertex_count, q.vertex_count);
    assert_int_equal(p.triangle_count, q.triangle_count);
    const size_t count = (size_t)p.vertex_count;
    assert_memory_equal(p.vertices, q.vertices, count * sizeof *p.vertices);
    assert_memory_equal(p.triangles, q.triangles, (size_t)p.triangle_count * sizeof *p.triangles);
    assert_memory_equal(p.normals, q.normals, 3 * count * sizeof *p.normals);
    assert_memory_equal(p.velocities, q.velocities, 3 * count * sizeof *p.velocities);
}

static void an_active_surface_goes_on_from_a_checkpoint(void **state)
{
    (void)state;
    need_checkpoints();
    dlp_error error = {0};
    setup straight = make_setup(falling_scene), again = make_setup(falling_scene);
    dlp_skin *skin = make_skin(straight.world), *resumed = make_skin(again.world);
    update_skin(skin);
    step_with_skin(straight.world, skin, 4);
    expect_ok(dlp_world_save(straight.world, in_folder("skin.h5"), &error), &error);
    step_with_skin(straight.world, skin, 3);
    step_with_skin(again.world, resumed, 2);  // another past
    expect_ok(dlp_world_load(again.world, in_folder("skin.h5"), &error), &error);
    step_with_skin(again.world, resumed, 3);
    for (int32_t k = 0; k < 2; k++) expect_same_view(skin, resumed, k);
    dlp_skin_destroy(skin);
    dlp_skin_destroy(resumed);
    release_setup(&straight);
    release_setup(&again);
}

// Recorded, resumed and made again.

static void record_run(const char *folder, dlp_run_mode mode, int32_t frames)
{
    dlp_error error = {0};
    setup s = make_setup(falling_scene);
    dlp_recorder *recorder;
    const dlp_recorder_def def = {.size = sizeof def, .folder = folder, .scene = s.scene, .mode = mode};
    expect_ok(dlp_recorder_open(&def, &recorder, &error), &error);
    expect_ok(dlp_recorder_restore(recorder, s.world, &error), &error);
    if (dlp_world_frame(s.world) == 0) expect_ok(dlp_recorder_frame(recorder, s.world, &error), &error);
    while (dlp_world_frame(s.world) < frames) {
        step_frames(s.world, 1);
        expect_ok(dlp_recorder_frame(recorder, s.world, &error), &error);
    }
    dlp_recorder_close(recorder);
    release_setup(&s);
}

static void expect_same_file(const char *folder, const char *other, const char *inside, int32_t number)
{
    char paths[2][2 * PATH_SIZE], *bytes[2];
    size_t sizes[2];
    for (int k = 0; k < 2; k++) {
        snprintf(paths[k], sizeof paths[k], "%s/%s/%04d.ply", k == 0 ? folder : other, inside, number);
        dlp_error error = {0};
        expect_ok(dlp_file_read(paths[k], 1 << 28, &bytes[k], &sizes[k], &error), &error);
    }
    if (sizes[0] != sizes[1] || memcmp(bytes[0], bytes[1], sizes[0]) != 0)
        fail_msg("%s and %s differ", paths[0], paths[1]);
    for (int k = 0; k < 2; k++) dlp_free(bytes[k]);
}

static void expect_same_files(const char *folder, const char *other, int32_t first, int32_t last)
{
    for (int32_t number = first; number <= last; number++) {
        expect_same_file(folder, other, "surface-water", number);
        expect_same_file(folder, other, "surface-honey", number);
    }
}

static void a_resumed_run_writes_the_same_surfaces(void **state)
{
    (void)state;
    need_checkpoints();
    char straight[PATH_SIZE], resumed[PATH_SIZE];
    snprintf(straight, sizeof straight, "%s", in_folder("straight"));
    snprintf(resumed, sizeof resumed, "%s", in_folder("resumed"));
    record_run(straight, DLP_RUN_FRESH, 6);
    record_run(resumed, DLP_RUN_FRESH, 3);
    record_run(resumed, DLP_RUN_RESUME, 6);
    expect_same_files(straight, resumed, 0, 6);
}

// Makes the surfaces of chosen frames again, and gives how many frames had to do without the one before.
static int32_t reskin(const char *folder, const char *output, const bool *chosen, dlp_team *team)
{
    dlp_error error = {0};
    dlp_run run;
    expect_ok(dlp_run_open(folder, NULL, NULL, &run, &error), &error);
    bool needed[16];
    assert_true(run.frame_count <= 16);
    const int32_t gap_count = dlp_reskin_plan(&run, chosen, needed);
    dlp_reskin *made;
    dlp_reskin_def def = {.run = &run, .folder = output, .team = team};
    expect_ok(dlp_target_choose(NULL, &def.target, &error), &error);
    expect_ok(dlp_reskin_create(&def, &made, &error), &error);
    for (int32_t k = 0; k < run.frame_count; k++) {
        if (needed[k]) expect_ok(dlp_reskin_make(made, k, &error), &error);
        if (chosen[k]) expect_ok(dlp_reskin_write(made, &error), &error);
    }
    dlp_reskin_destroy(made);
    dlp_run_close(&run);
    return gap_count;
}

static void surfaces_made_again_have_the_same_bits(void **state)
{
    (void)state;
    need_yaml();
    char run[PATH_SIZE], again[PATH_SIZE], part[PATH_SIZE];
    snprintf(run, sizeof run, "%s", in_folder("run"));
    snprintf(again, sizeof again, "%s", in_folder("again"));
    snprintf(part, sizeof part, "%s", in_folder("part"));
    record_run(run, DLP_RUN_FRESH, 5);
    const bool all[6] = {true, true, true, true, true, true}, last[6] = {[4] = true, [5] = true};
    dlp_team *team;
    assert_int_equal(dlp_team_create(2, &team, NULL), DLP_OK);
    assert_int_equal(reskin(run, again, all, NULL), 0);
    expect_same_files(run, again, 0, 5);
    assert_int_equal(reskin(run, part, last, team), 0);
    expect_same_files(run, part, 4, 5);
    dlp_team_destroy(team);
    assert_int_equal(remove(in_folder("run/particles/0002.vtp")), 0);
    assert_int_equal(reskin(run, again, (const bool[5]){true, true, true, true, true}, NULL), 1);
    expect_same_files(run, again, 0, 1);  // what comes before the gap
}

// Obstacles.

// Water falls onto a ball; the surface of thin water reaches into it.
#define ONTO_A_BALL(retroaction)                                                                             \
    "frames: {rate: 50, count: 12}\n"                                                                        \
    "surface: {kind: active, retroaction: " retroaction "}\n"                                                \
    "substances:\n"                                                                                          \
    "  water:\n"                                                                                             \
    "    material: water\n"                                                                                  \
    "    particle: {spacing: 0.02}\n"                                                                        \
    "    shape: {box: {min: [-0.08, -0.08, 0.12], max: [0.08, 0.08, 0.24]}}\n"                               \
    "    velocity: [0, 0, -1]\n"                                                                             \
    "obstacles:\n"                                                                                           \
    "  - {sphere: {center: [0, 0, 0], radius: 0.1}}\n"

typedef struct overlap {
    int32_t count;  // of vertices deeper in the ball than half a spacing, as that of a body at rest may be
    double depth, sum;  // m: the deepest, and of all, beyond that
} overlap;

static overlap measure_overlap(const char *text)
{
    setup s = make_setup(text);
    dlp_skin *skin = make_skin(s.world);
    update_skin(skin);
    overlap o = {0};
    for (int32_t frame = 0; frame < 12; frame++) {
        step_with_skin(s.world, skin, 1);
        dlp_surface_view view = {.size = sizeof view};
        assert_int_equal(dlp_skin_surface(skin, 0, &view, NULL), DLP_OK);
        for (int32_t v = 0; v < view.vertex_count; v++) {
            const double depth = 0.1 - dlp_length(view.vertices[v]) - 0.5 * 0.02;
            if (!(depth > 0)) continue;
            o.count++;
            o.sum += depth;
            o.depth = fmax(o.depth, depth);
        }
    }
    dlp_skin_destroy(skin);
    release_setup(&s);
    return o;
}

static void retroaction_keeps_the_surface_out_of_obstacles(void **state)
{
    (void)state;
    const overlap without = measure_overlap(ONTO_A_BALL("false")),
                  with = measure_overlap(ONTO_A_BALL("true"));
    assert_true(without.count > 0);
    assert_true(with.count < 0.7 * without.count);
    assert_true(with.sum < 0.5 * without.sum);
    assert_true(with.depth <= without.depth);
}

// The surface acts in the world's own step: whether anybody looks at it changes nothing.
static void retroaction_is_the_same_whether_surfaces_are_made_or_not(void **state)
{
    (void)state;
    setup watched = make_setup(ONTO_A_BALL("true")), alone = make_setup(ONTO_A_BALL("true")),
          without = make_setup(ONTO_A_BALL("false"));
    dlp_skin *skin = make_skin(watched.world);
    step_with_skin(watched.world, skin, 8);
    step_frames(alone.world, 8);
    step_frames(without.world, 8);
    assert_same_world(watched.world, alone.world, "without a surface of its own");
    assert_true(stats_of(alone.world).kinetic_energy != stats_of(without.world).kinetic_energy);
    dlp_skin_destroy(skin);
    release_setup(&watched);
    release_setup(&alone);
    release_setup(&without);
}

// A pool whose flat bottom lies `depth` in the ground: the largest speed with which retroaction pushes its
// particles; `out_depth`: m, of the deepest vertex.
static double push_at(double lower, double *out_depth)
{
    enum { LIMIT = 4000 };
    static const char text[] = "frames: {rate: 50, count: 1}\n"
                               "surface: {kind: active, retroaction: true}\n"
                               "substances:\n"
                               "  honey: {material: honey, particle: {spacing: 0.02},\n"
                               "          shape: {box: {min: [0, 0, 0.5], max: [0.16, 0.16, 0.6]}}}\n"
                               "obstacles:\n"
                               "  - {box: {min: [-1, -1, -1], max: [1, 1, 0]}}\n";
    setup s = make_setup(text);
    dlp_error error = {0};
    dlp_view x = {.size = sizeof x}, r = {.size = sizeof r};
    expect_ok(dlp_world_field(s.world, DLP_FIELD_POSITION, &x, &error), &error);
    expect_ok(dlp_world_field(s.world, DLP_FIELD_RADIUS, &r, &error), &error);
    assert_true(x.count <= LIMIT);
    static double positions[3 * LIMIT];
    static float zero[3 * LIMIT], delta_v[3 * LIMIT];
    static int32_t substances[LIMIT];
    memcpy(positions, x.data, 3 * sizeof(double) * (size_t)x.count);
    memset(delta_v, 0, sizeof delta_v);
    for (int32_t k = 0; k < x.count; k++) positions[3 * k + 2] -= 0.5 + lower;
    const dlp_particle_view particles = {.count = x.count,
                                         .positions = positions,
                                         .radii = r.data,
                                         .velocities = zero,
                                         .displacements = zero,
                                         .substances = substances,
                                         .scene = dlp_world_scene(s.world),
                                         .first_solid = -1,
                                         .substance = -1};
    dlp_skin *skin = make_skin(s.world);
    expect_ok(dlp_skin_update_from(skin, &particles, &error), &error);
    dlp_surface_view view = {.size = sizeof view};
    expect_ok(dlp_skin_surface(skin, 0, &view, &error), &error);
    *out_depth = 0;
    for (int32_t v = 0; v < view.vertex_count; v++) *out_depth = fmax(*out_depth, -view.vertices[v].z);
    expect_ok(dlp_skin_retroact(skin, s.world, &particles, delta_v, &error), &error);
    double fastest = 0;
    for (int32_t k = 0; k < x.count; k++) {
        assert_true(delta_v[3 * k + 2] >= 0);
        fastest = fmax(fastest, (double)delta_v[3 * k + 2]);
    }
    dlp_skin_destroy(skin);
    release_setup(&s);
    return fastest;
}

// Half of what the surface is deeper than half a spacing is taken back in a frame of 1/50 s; what is less
// deep rests.
static void retroaction_takes_back_what_is_deeper_than_half_a_spacing(void **state)
{
    (void)state;
    const double spacing = 0.02, frame_rate = 50;
    double depth;
    for (double lower = -0.5 * spacing; lower < 0.8 * spacing; lower += 0.2 * spacing) {
        const double speed = push_at(lower, &depth), beyond = fmax(depth - 0.5 * spacing, 0);
        // A particle takes the mean of the vertices near it, none of which wants more than the deepest one.
        assert_true(speed <= 0.5 * beyond * frame_rate * (1 + 1e-4));
        assert_true(speed >= 0.3 * beyond * frame_rate);
    }
    assert_true(depth > 0.6 * spacing);
}

// Without it the honey creeps at 3 mm/s by then.
static void retroaction_lets_a_pool_rest(void **state)
{
    (void)state;
    static const char text[] = "frames: {rate: 50, count: 45}\n"
                               "surface: {kind: active, retroaction: true}\n"
                               "substances:\n"
                               "  honey:\n"
                               "    material: honey\n"
                               "    particle: {spacing: 0.02}\n"
                               "    shape: {box: {min: [0, 0, 0], max: [0.16, 0.16, 0.1]}}\n"
                               "obstacles:\n"
                               "  - {box: {min: [0, 0, 0], max: [0.16, 0.16, 0.3], inside: true}}\n";
    setup s = make_setup(text);
    dlp_skin *skin = make_skin(s.world);
    update_skin(skin);
    step_with_skin(s.world, skin, 40);
    for (int32_t frame = 40; frame < 45; frame++) {
        step_with_skin(s.world, skin, 1);
        const dlp_stats stats = stats_of(s.world);
        assert_near(sqrt(2 * stats.kinetic_energy / stats.mass), 0, 0.01);  // m/s
    }
    dlp_skin_destroy(skin);
    release_setup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(substances_have_a_surface_each),
        cmocka_unit_test(a_blend_is_one_body_with_the_colours_of_both),
        cmocka_unit_test(an_active_surface_goes_on_from_a_checkpoint),
        cmocka_unit_test(a_resumed_run_writes_the_same_surfaces),
        cmocka_unit_test(surfaces_made_again_have_the_same_bits),
        cmocka_unit_test(retroaction_keeps_the_surface_out_of_obstacles),
        cmocka_unit_test(retroaction_is_the_same_whether_surfaces_are_made_or_not),
        cmocka_unit_test(retroaction_takes_back_what_is_deeper_than_half_a_spacing),
        cmocka_unit_test(retroaction_lets_a_pool_rest),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
