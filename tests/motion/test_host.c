/* What a host does with a world through the public interface alone: items, parameters, bodies and the forces
 * on them, points and probes, files, the way back to the start. */
#include "scenes.h"
#include "test_folder.h"

// Water at rest in a tank 0.2 x 0.1 m, with a plate far above it that a host can move.
static const char tank_scene[] =
    "frames: {rate: 100, count: 10}\n"
    "gravity: {keys: [[0, [0, 0, -9.81]], [1, [0, 0, -8]]]}\n"
    "substances:\n"
    "  water: {material: water, particle: {spacing: 0.02, lattice: cubic},\n"
    "          shape: {box: {min: [0, 0, 0], max: [0.2, 0.1, 0.1]}}}\n"
    "obstacles:\n"
    "  - {name: tank, box: {min: [0, 0, 0], max: [0.2, 0.1, 0.3], inside: true}}\n"
    "  - {name: plate, box: {min: [0.05, 0.02, 0.4], max: [0.15, 0.08, 0.42]}}\n"
    "probes:\n"
    "  level: {line: {from: [0.1, 0.05, 0], to: [0.1, 0.05, 0.3]}, measure: height}\n"
    "  speed: {point: [0.1, 0.05, 0.05], measure: velocity}\n";

static setup make_tank(bool measures_loads)
{
    const dlp_world_options options = {
        .size = sizeof options, .thread_count = 1, .measures_loads = measures_loads};
    return make_setup_in(NULL, tank_scene, &options);
}

static void items_have_handles(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_tank(false);
    int32_t index = -1;
    assert_int_equal(dlp_world_item_count(s.world, DLP_ITEM_SUBSTANCE), 1);
    assert_int_equal(dlp_world_item_count(s.world, DLP_ITEM_OBSTACLE), 2);
    assert_string_equal(dlp_world_item_name(s.world, DLP_ITEM_OBSTACLE, 1), "plate");
    assert_null(dlp_world_item_name(s.world, DLP_ITEM_OBSTACLE, 2));
    assert_int_equal(dlp_world_item_count(s.world, (dlp_item_kind)77), 0);
    expect_ok(dlp_world_item_find(s.world, DLP_ITEM_PROBE, "speed", &index, &error), &error);
    assert_int_equal(index, 1);
    assert_int_equal(dlp_world_item_find(s.world, DLP_ITEM_OBSTACLE, "plait", &index, &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "plate"));
    dlp_substance_info info = {.size = sizeof info};
    expect_ok(dlp_world_substance(s.world, 0, &info, &error), &error);
    assert_string_equal(info.name, "water");
    assert_string_equal(info.model, "sph");
    assert_int_equal(info.particle_count, 10 * 5 * 5);
    assert_int_equal(dlp_world_substance(s.world, 1, &info, &error), DLP_INVALID);
    release_setup(&s);
}

static void parameters_are_numbers_also_where_key_frames_drive_them(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_tank(false);
    double g[3];
    int32_t count = 0;
    step_frames(s.world, 50);  // half a second
    expect_ok(dlp_world_get_numbers(s.world, "gravity", g, 3, &count, &error), &error);
    assert_int_equal(count, 3);
    assert_near(g[2], (-9.81 - 8) / 2, 1e-12);
    assert_int_equal(dlp_world_get_numbers(s.world, "gravity", g, 2, &count, &error), DLP_INVALID);
    const double viscosity = 0.25, still[3] = {0, 0, 0};
    expect_ok(dlp_world_set_numbers(s.world, "substances.water.viscosity", &viscosity, 1, &error), &error);
    expect_ok(dlp_world_set_numbers(s.world, "gravity", still, 3, &error), &error);
    expect_ok(dlp_world_get_numbers(s.world, "substances.water.viscosity", g, 3, &count, &error), &error);
    assert_true(count == 1 && g[0] == 0.25);
    const double less = -1;
    assert_int_equal(dlp_world_set_numbers(s.world, "substances.water.viscosity", &less, 1, &error),
                     DLP_INVALID);
    assert_int_equal(dlp_world_set(s.world, "substances.water.viscosty", "1", &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "viscosity"));  // the nearest is named
    assert_int_equal(dlp_world_set(s.world, "substances.water.particle.radius", "0.1", &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "cannot change while the world moves"));
    dlp_scene *copy;
    expect_ok(dlp_world_copy_scene(s.world, &copy, &error), &error);
    expect_ok(dlp_scene_get_numbers(copy, "substances.water.viscosity", g, 3, &count, &error), &error);
    assert_true(g[0] == 0.25);
    dlp_scene_destroy(copy);
    release_setup(&s);
}

// Weight: 1000 kg/m3 x 0.2 x 0.1 x 0.1 m3 x g. At rest the tank's force is that; 3 % is what the sloshing of
// the first second leaves in the mean of its last half.
static void the_force_on_a_body_is_the_weight_it_bears(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_tank(true);
    expect_ok(dlp_world_set(s.world, "gravity", "[0, 0, -9.81]", &error), &error);
    expect_ok(dlp_world_advance(s.world, 0.5, &error), &error);
    expect_ok(dlp_world_advance(s.world, 0.5, &error), &error);
    dlp_body_force all = {.size = sizeof all}, of_fluids = all, of_cloth = all;
    expect_ok(dlp_world_body_force(s.world, 0, NULL, &all, &error), &error);
    expect_ok(dlp_world_body_force(s.world, 0, "sph", &of_fluids, &error), &error);
    expect_ok(dlp_world_body_force(s.world, 0, "cloth", &of_cloth, &error), &error);
    const double weight = 1000 * 0.2 * 0.1 * 0.1 * 9.81;
    assert_near(all.mean_force.z, -weight, 0.03 * weight);
    assert_near(all.impulse.z, all.mean_force.z * 0.5, 1e-9 * weight);
    assert_true(of_fluids.mean_force.z == all.mean_force.z && of_cloth.mean_force.z == 0);
    assert_int_equal(dlp_world_body_force(s.world, 0, "plasma", &all, &error), DLP_INVALID);
    assert_int_equal(dlp_world_body_force(s.world, 2, NULL, &all, &error), DLP_INVALID);
    release_setup(&s);
    s = make_tank(false);
    assert_int_equal(dlp_world_body_force(s.world, 0, NULL, &all, &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "measures_loads"));
    release_setup(&s);
}

static void a_body_goes_where_a_host_wants_it(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_tank(false);
    dlp_body_info info = {.size = sizeof info};
    const dlp_pose down = {.position = {0, 0, -0.05}, .rotation = {0, 0, 90}};
    expect_ok(dlp_world_move_body(s.world, 1, &down, &error), &error);
    expect_ok(dlp_world_advance(s.world, 0.1, &error), &error);
    expect_ok(dlp_world_body(s.world, 1, &info, &error), &error);
    assert_string_equal(info.name, "plate");
    assert_near(info.pose.position.z, -0.05, 1e-15);
    assert_near(info.pose.rotation.z, 90, 1e-12);
    expect_ok(dlp_world_advance(s.world, 0.05, &error), &error);  // it stays there
    expect_ok(dlp_world_body(s.world, 1, &info, &error), &error);
    assert_near(info.pose.position.z, -0.05, 1e-15);
    assert_near(dlp_length(info.velocity), 0, 1e-12);
    expect_ok(dlp_world_move_body(s.world, 1, NULL, &error), &error);  // back to where the scene has it
    expect_ok(dlp_world_advance(s.world, 0.1, &error), &error);
    expect_ok(dlp_world_body(s.world, 1, &info, &error), &error);
    assert_near(info.pose.position.z, 0, 1e-15);
    const dlp_pose nowhere = {.position = {(double)NAN, 0, 0}};
    assert_int_equal(dlp_world_move_body(s.world, 1, &nowhere, &error), DLP_INVALID);
    assert_int_equal(dlp_world_move_body(s.world, -1, &down, &error), DLP_INVALID);
    release_setup(&s);
}

static void points_and_probes_are_read_between_steps(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_tank(false);
    dlp_point_sample inside = {.size = sizeof inside}, outside = inside;
    expect_ok(dlp_world_sample(s.world, dlp_vec(0.1, 0.05, 0.05), &inside, &error), &error);
    expect_ok(dlp_world_sample(s.world, dlp_vec(0.1, 0.05, 0.29), &outside, &error), &error);
    assert_near(inside.fraction, 1, 0.02);
    assert_near(inside.density, 1000, 20);
    assert_true(outside.fraction == 0);
    double value[3];
    int32_t count = 0;
    expect_ok(dlp_world_probe(s.world, 0, value, &count, &error), &error);
    assert_int_equal(count, 1);
    assert_near(value[0], 0.1, 0.01);  // half a spacing
    expect_ok(dlp_world_probe(s.world, 1, value, &count, &error), &error);
    assert_int_equal(count, 3);
    assert_int_equal(dlp_world_probe(s.world, 2, value, &count, &error), DLP_INVALID);
    assert_int_equal(dlp_world_sample(s.world, dlp_vec(0, (double)NAN, 0), &inside, &error), DLP_INVALID);
    release_setup(&s);
}

static void records_without_a_size_are_refused_and_larger_ones_filled(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_tank(false);
    dlp_stats none = {0};
    assert_int_equal(dlp_world_stats(s.world, &none, &error), DLP_INVALID);
    assert_string_equal(error.message, "dlp_stats: size is 0; set it to sizeof(dlp_stats)");
    dlp_world_options options = {.thread_count = 1};
    dlp_world *world;
    assert_int_equal(dlp_world_create(s.scene, &options, &world, &error), DLP_INVALID);
    assert_null(world);
    struct {
        dlp_stats stats;
        double later;
    } newer = {.stats = {.size = sizeof newer}, .later = 7};
    expect_ok(dlp_world_stats(s.world, &newer.stats, &error), &error);
    assert_true(newer.stats.particles == 250 && newer.later == 0 && newer.stats.size == sizeof newer);
    struct { /* as an older header may have had it */
        size_t size;
        int32_t frame;
        double time;
        uint64_t beyond;
    } older = {.size = offsetof(dlp_stats, particles), .frame = -1, .beyond = 1234};
    step_frames(s.world, 2);
    expect_ok(dlp_world_stats(s.world, (dlp_stats *)(void *)&older, &error), &error);
    assert_true(older.frame == 2 && older.beyond == 1234);
    release_setup(&s);
}

static void reset_starts_anew_with_the_same_bits(void **state)
{
    (void)state;
    dlp_error error = {0};
    for (int32_t k = 0; k < SCENE_COUNT; k++) {
        setup s = make_setup(all_scenes[k].text), twin = make_setup(all_scenes[k].text);
        step_frames(s.world, 3);
        expect_ok(dlp_world_reset(s.world, &error), &error);
        assert_same_world(twin.world, s.world, all_scenes[k].name);
        step_frames(s.world, 2);
        step_frames(twin.world, 2);
        assert_same_world(twin.world, s.world, all_scenes[k].name);
        release_setup(&s);
        release_setup(&twin);
    }
}

static void reset_keeps_what_was_set_and_forgets_where_bodies_went(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_tank(false);
    const dlp_pose down = {.position = {0, 0, -0.05}};
    expect_ok(dlp_world_set(s.world, "gravity", "[0, 0, -3]", &error), &error);
    expect_ok(dlp_world_move_body(s.world, 1, &down, &error), &error);
    step_frames(s.world, 2);
    expect_ok(dlp_world_reset(s.world, &error), &error);
    double g[3];
    int32_t count;
    expect_ok(dlp_world_get_numbers(s.world, "gravity", g, 3, &count, &error), &error);
    assert_true(g[2] == -3 && dlp_world_time(s.world) == 0 && dlp_world_frame(s.world) == 0);
    dlp_body_info info = {.size = sizeof info};
    expect_ok(dlp_world_body(s.world, 1, &info, &error), &error);
    assert_true(info.pose.position.z == 0);
    release_setup(&s);
}

static void a_skin_survives_a_reset(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup(adaptive_scene), twin = make_setup(adaptive_scene);
    dlp_skin *skin, *other;
    expect_ok(dlp_skin_create(s.world, &skin, &error), &error);
    expect_ok(dlp_skin_create(twin.world, &other, &error), &error);
    for (int32_t k = 0; k < 2; k++) {
        expect_ok(dlp_skin_update(skin, &error), &error);
        step_frames(s.world, 1);
    }
    expect_ok(dlp_world_reset(s.world, &error), &error);
    expect_ok(dlp_skin_update(skin, &error), &error);
    expect_ok(dlp_skin_update(other, &error), &error);
    dlp_surface_view a = {.size = sizeof a}, b = {.size = sizeof b};
    expect_ok(dlp_skin_surface(skin, 0, &a, &error), &error);
    expect_ok(dlp_skin_surface(other, 0, &b, &error), &error);
    assert_int_equal(a.vertex_count, b.vertex_count);
    assert_true(a.vertex_count > 100 && a.volume == b.volume);
    assert_memory_equal(a.vertices, b.vertices, (size_t)a.vertex_count * sizeof *a.vertices);
    dlp_skin_destroy(skin);
    dlp_skin_destroy(other);
    release_setup(&s);
    release_setup(&twin);
}

static void frames_and_surfaces_are_written_by_a_call(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_setup(adaptive_scene);
    dlp_skin *skin;
    expect_ok(dlp_world_write_frame(s.world, in_folder("frame.vtp"), &error), &error);
    expect_ok(dlp_skin_create(s.world, &skin, &error), &error);
    expect_ok(dlp_skin_update(skin, &error), &error);
    expect_ok(dlp_skin_write(skin, 0, in_folder("surface.ply"), &error), &error);
    expect_ok(dlp_skin_write(skin, 0, in_folder("surface.obj"), &error), &error);
    assert_int_equal(dlp_skin_write(skin, 0, in_folder("surface.doc"), &error), DLP_INVALID);
    assert_int_equal(dlp_skin_write(skin, 3, in_folder("surface.ply"), &error), DLP_INVALID);
    assert_int_equal(dlp_world_write_frame(s.world, in_folder("nowhere/frame.vtp"), &error), DLP_IO);
    dlp_skin_destroy(skin);
    release_setup(&s);
}

static void a_build_says_what_it_can_do(void **state)
{
    (void)state;
    assert_string_equal(dlp_model_name(0), "sph");
    assert_null(dlp_model_name(-1));
    assert_null(dlp_model_name(99));
    int32_t sets = 0;
    while (dlp_instruction_set_name(sets) != NULL) sets++;
    assert_true(sets >= 1);
    assert_string_equal(dlp_instruction_set_name(sets - 1), "plain");
    assert_false(dlp_has_feature(DLP_FEATURE_COUNT));
#if defined(DLP_HAVE_YAML)
    assert_true(dlp_has_feature(DLP_FEATURE_YAML));
#endif
}

// Everything that a call needs is asked for before it is used: NULL is answered by its name.
static void null_is_refused_by_name(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_tank(true);
    dlp_scene *scene;
    dlp_skin *skin;
    int32_t count;
    double numbers[3];
    const struct {
        const char *name;
        dlp_status status;
    } calls[] = {
#define REFUSED(name, call)                                                                                  \
    {name, (call) == DLP_INVALID && strstr(error.message, name ": is NULL") ? DLP_INVALID : DLP_OK}
        REFUSED("text", dlp_scene_read_text(NULL, 0, "a", NULL, &scene, &error)),
        REFUSED("path", dlp_scene_read_file(NULL, &scene, &error)),
        REFUSED("name", dlp_scene_read_bundled(NULL, &scene, &error)),
        REFUSED("out_scene", dlp_scene_create(NULL, &error)),
        REFUSED("scene", dlp_scene_check(NULL, &error)),
        REFUSED("value", dlp_scene_set(s.scene, "gravity", NULL, &error)),
        REFUSED("out_numbers", dlp_scene_get_numbers(s.scene, "frames.rate", NULL, 1, &count, &error)),
        REFUSED("out_text", dlp_scene_get_text(s.scene, "frames.rate", NULL, 20, NULL, &error)),
        REFUSED("dlp_parameter_info", dlp_scene_parameter(s.scene, 0, NULL, &error)),
        REFUSED("out_world", dlp_world_create(s.scene, NULL, NULL, &error)),
        REFUSED("world", dlp_world_step_frame(NULL, &error)),
        REFUSED("world", dlp_world_advance(NULL, 1, &error)),
        REFUSED("path", dlp_world_set(s.world, NULL, "1", &error)),
        REFUSED("out_count", dlp_world_get_numbers(s.world, "gravity", numbers, 3, NULL, &error)),
        REFUSED("numbers", dlp_world_set_numbers(s.world, "gravity", NULL, 3, &error)),
        REFUSED("dlp_body_info", dlp_world_body(s.world, 0, NULL, &error)),
        REFUSED("dlp_view", dlp_world_field(s.world, DLP_FIELD_ID, NULL, &error)),
        REFUSED("values", dlp_world_write(s.world, DLP_FIELD_VELOCITY, 0, 1, NULL, &error)),
        REFUSED("indices", dlp_world_remove_particles(s.world, NULL, 1, &error)),
        REFUSED("dlp_new_particles", dlp_world_add_particles(s.world, NULL, &error)),
        REFUSED("out_values", dlp_world_probe(s.world, 0, NULL, &count, &error)),
        REFUSED("path", dlp_world_save(s.world, NULL, &error)),
        REFUSED("path", dlp_world_load(s.world, NULL, &error)),
        REFUSED("world", dlp_skin_create(NULL, &skin, &error)),
        REFUSED("out_recorder", dlp_recorder_open(NULL, NULL, &error)),
#undef REFUSED
    };
    for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++)
        if (calls[k].status != DLP_INVALID) fail_msg("call %d: %s is not refused", (int)k, calls[k].name);
    step_frames(s.world, 1);  // and none of this has hurt it
    release_setup(&s);
}

// A pose that no checkpoint could hold, and a path that no particle could be followed along.
static void a_pose_out_of_this_world_is_refused(void **state)
{
    (void)state;
    dlp_error error = {0};
    setup s = make_tank(false);
    const dlp_pose far = {.position = {0, 0, -1e10}}, turned = {.rotation = {0, 1e300, 0}};
    assert_int_equal(dlp_world_move_body(s.world, 1, &far, &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "body plate: cannot go 1e+10 m away"));
    assert_int_equal(dlp_world_move_body(s.world, 1, &turned, &error), DLP_INVALID);
    assert_int_equal(dlp_world_set(s.world, "obstacles[1].position", "[0, 0, 1e300]", &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "obstacles[1].position"));
    step_frames(s.world, 1);
    release_setup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_have_handles),
        cmocka_unit_test(parameters_are_numbers_also_where_key_frames_drive_them),
        cmocka_unit_test(the_force_on_a_body_is_the_weight_it_bears),
        cmocka_unit_test(a_body_goes_where_a_host_wants_it),
        cmocka_unit_test(points_and_probes_are_read_between_steps),
        cmocka_unit_test(records_without_a_size_are_refused_and_larger_ones_filled),
        cmocka_unit_test(reset_starts_anew_with_the_same_bits),
        cmocka_unit_test(reset_keeps_what_was_set_and_forgets_where_bodies_went),
        cmocka_unit_test(a_skin_survives_a_reset),
        cmocka_unit_test(frames_and_surfaces_are_written_by_a_call),
        cmocka_unit_test(a_build_says_what_it_can_do),
        cmocka_unit_test(null_is_refused_by_name),
        cmocka_unit_test(a_pose_out_of_this_world_is_refused),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
