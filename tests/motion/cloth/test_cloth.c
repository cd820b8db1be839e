/* Cloth as a whole: how it is built, and that its step does what it promises. */
#include "cloth_direct.h"
#include "cloths.h"
#include "test_folder.h"

#include <stdio.h>

static void a_sheet_has_the_mass_of_its_area(void **state)
{
    (void)state;
    cloth_setup s = make_cloth(0.5, 0.05);
    s.substance.shape.size.y = 0.3;
    open_cloth(&s);
    assert_int_equal(s.cloth->state.particles.count, 11 * 7);
    assert_int_equal(s.cloth->params.triangles.count, 2 * 10 * 6);
    double mass = 0, area = 0;
    for (int32_t i = 0; i < s.cloth->state.particles.count; i++) mass += s.cloth->state.particles.mass[i];
    for (int32_t k = 0; k < s.cloth->params.triangles.count; k++)
        area += s.cloth->params.triangles.rest[k].area;
    assert_near(mass, 0.15 * 0.5 * 0.3, 1e-14);
    assert_near(area, 0.15, 1e-14);
    close_cloth(&s);
}

// Of an attachment that loads three particles, and of one that holds one.
static void the_mass_of_an_attachment_is_shared_by_its_particles(void **state)
{
    (void)state;
    cloth_setup s = make_cloth(0.5, 0.05);
    dlp_attachment_def *load = attach(&s, dlp_vec(0, 0, 0), 0.02);
    load->shape = (dlp_shape_def){
        .kind = DLP_SHAPE_BOX, .min = dlp_vec(0.24, -0.06, -1), .max = dlp_vec(0.26, 0.06, 1)};
    load->hold = false;
    load->mass = 0.03;
    attach(&s, dlp_vec(-0.25, -0.25, 0), 0.01)->mass = 0.02;
    open_cloth(&s);
    double mass = 0, largest = 0;
    for (int32_t i = 0; i < s.cloth->state.particles.count; i++) {
        mass += s.cloth->state.particles.mass[i];
        largest = fmax(largest, s.cloth->state.particles.mass[i]);
    }
    assert_near(mass, 0.15 * 0.25 + 0.05, 1e-14);
    assert_near(largest, 0.02 + 0.15 * 0.05 * 0.05 / 4, 2e-4);
    close_cloth(&s);
}

static void a_free_sheet_falls_as_a_stone(void **state)
{
    (void)state;
    cloth_setup s = make_cloth(0.5, 0.1);
    open_cloth(&s);
    for (int k = 0; k < 60; k++) advance_cloth(&s, 1.0 / 60);
    // the linear solver leaves a few 1e-5 of a change
    for (int32_t i = 0; i < s.cloth->state.particles.count; i++) {
        assert_near(place_of(&s, i).z, -9.81 / 2, 1e-4);
        assert_near(dlp_cloth_get(s.cloth->state.particles.velocity, i).z, -9.81, 1e-4);
    }
    close_cloth(&s);
}

// Building.

static void a_narrow_sheet_is_a_rope(void **state)
{
    (void)state;
    cloth_setup s = make_rope(1, 20);
    s.substance.cloth.bend = 1e-5;
    open_cloth(&s);
    assert_int_equal(s.cloth->state.particles.count, 21);
    assert_int_equal(s.cloth->params.links.count, 20);
    assert_int_equal(s.cloth->params.triangles.count, 0);
    assert_int_equal(s.cloth->connectivity.bend_count, 19);
    assert_near(s.cloth->params.links.rest[3].stiffness, 1000 * ROPE_WIDTH / 0.05, 1e-9);
    assert_near(s.cloth->state.particles.mass[0], 0.15 * ROPE_WIDTH * 0.05 / 2, 1e-18);
    assert_near(s.cloth->state.particles.mass[7], 0.15 * ROPE_WIDTH * 0.05, 1e-18);
    close_cloth(&s);
}

static void a_capsule_is_a_rope_of_the_fabrics_width(void **state)
{
    (void)state;
    cloth_setup s = make_rope(1, 20);
    s.substance.shape = (dlp_shape_def){.kind = DLP_SHAPE_CAPSULE, .to = dlp_vec(0, 0, 1), .radius = 0.01};
    open_cloth(&s);
    assert_int_equal(s.cloth->params.links.count, 20);
    assert_near(s.cloth->params.links.rest[0].stiffness, 1000 * 0.01 / 0.05, 1e-9);
    assert_near(place_of(&s, 20).z, 1, 1e-14);
    close_cloth(&s);
}

static void copies_of_a_sheet_stand_apart(void **state)
{
    (void)state;
    cloth_setup s = make_cloth(0.2, 0.1);
    s.substance.shape.copies[2] = 3;
    s.substance.shape.spacing = dlp_vec(0, 0, 0.5);
    open_cloth(&s);
    assert_int_equal(s.cloth->state.particles.count, 27);
    assert_near(place_of(&s, 26).z, 1, 1e-14);
    close_cloth(&s);
}

// An open half of an octahedron: four triangles around a tip.
static const char tent[] = "v 1 0 0\nv 0 1 0\nv -1 0 0\nv 0 -1 0\nv 0 0 1\n"
                           "f 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n";

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void an_open_mesh_is_at_rest_in_the_shape_of_its_file(void **state)
{
    (void)state;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s", in_folder("tent.obj"));
    write_file(path, tent);
    cloth_setup s = make_cloth(1, 0.5);
    s.substance.cloth.bend = 1e-2;
    s.substance.shape = (dlp_shape_def){.kind = DLP_SHAPE_MESH, .file = path, .scale = 0.5};
    open_cloth(&s);
    assert_int_equal(s.cloth->state.particles.count, 5);
    assert_int_equal(s.cloth->connectivity.hinge_count, 4);
    assert_true(fabs(s.cloth->connectivity.hinges[0].rest_angle) > 0.5);
    dlp_cloth_update_elements(s.cloth, 0.01);
    for (int32_t i = 0; i < 5; i++)
        assert_near(dlp_length(dlp_cloth_get(s.cloth->scratch.motion.force, i)), 0, 1e-12);
    double mass = 0;
    for (int32_t i = 0; i < 5; i++) mass += s.cloth->state.particles.mass[i];
    assert_near(mass, 0.15 * 4 * sqrt(3) / 2 * 0.25, 1e-14);
    close_cloth(&s);
}

static void expect_refusal(cloth_setup *s, const char *message)
{
    dlp_error error = {0};
    s->scene.substances = &s->substance;
    s->scene.substance_count = 1;
    s->scene.attachments = s->attachments;
    s->setting = make_setting(&s->scene);
    const dlp_solver_context context = make_context(s->setting, NULL, NULL);
    assert_int_equal(dlp_cloth_create(&context, &s->cloth, &error), DLP_INVALID);
    free_setting(s->setting);
    assert_null(s->cloth);
    assert_string_equal(error.message, message);
}

static void what_cannot_be_cloth_is_refused_by_name(void **state)
{
    (void)state;
    cloth_setup s = make_cloth(1, 0.5);
    attach(&s, dlp_vec(9, 9, 9), 0.1);
    expect_refusal(&s, "attachments[0]: no particle of cloth starts inside its shape");
    s = make_cloth(1, 0.5);
    s.substance.shape.kind = DLP_SHAPE_SPHERE;
    expect_refusal(&s, "substances.cloth: cloth must be a sheet, a mesh, or, for a rope, a capsule");
    s = make_cloth(1, 0.5);
    s.substance.cloth.weight = -1;
    expect_refusal(&s, "substances.cloth: cloth.weight: must be > 0 (got -1)");
}

// Attachments.

static void an_attachment_follows_its_key_frames_and_lets_go(void **state)
{
    (void)state;
    cloth_setup s = make_cloth(0.4, 0.1);
    double times[2] = {0, 1}, values[6] = {0, 0, 0, 0, 0, 90};
    s.tracks[0] = (dlp_track){.components = 3, .key_count = 2, .times = times, .values = values};
    dlp_attachment_def *a = attach(&s, dlp_vec(0.2, 0.2, 0), 0.01);
    a->rotation_track = &s.tracks[0];
    a->stop = 1.5;
    open_cloth(&s);
    const int32_t i = s.cloth->state.particles.count - 1;
    for (int k = 0; k < 60; k++) advance_cloth(&s, 1.0 / 60);
    assert_near(place_of(&s, i).x, -0.2, 1e-9);
    assert_near(place_of(&s, i).y, 0.2, 1e-9);
    for (int k = 0; k < 20; k++) advance_cloth(&s, 1.0 / 60);
    assert_near(place_of(&s, i).z, 0, 1e-12);
    for (int k = 0; k < 40; k++) advance_cloth(&s, 1.0 / 60);
    assert_true(place_of(&s, i).z < -0.3);
    close_cloth(&s);
}

static void what_is_caught_on_its_way_is_held_where_it_is(void **state)
{
    (void)state;
    cloth_setup s = make_cloth(0.4, 0.1);
    attach(&s, dlp_vec(0, 0, 0), 0.01)->start = 0.5;
    open_cloth(&s);
    for (int k = 0; k < 30; k++) advance_cloth(&s, 1.0 / 60);
    const dlp_vec3 caught = place_of(&s, 12);
    assert_true(caught.z < -1);
    for (int k = 0; k < 30; k++) advance_cloth(&s, 1.0 / 60);
    assert_near(place_of(&s, 12).z, caught.z, 0.1);
    close_cloth(&s);
}

// Solver.

// A sheet in the middle of its fall, held at a corner.
static void make_falling(cloth_setup *s, double size, double spacing, bool is_restrained)
{
    *s = make_cloth(size, spacing);
    s->substance.adapt_restraint = is_restrained;
    attach(s, dlp_vec(-size / 2, -size / 2, 0), 1e-3);
}

static void conjugate_gradients_agree_with_a_direct_solver(void **state)
{
    (void)state;
    cloth_setup s;
    make_falling(&s, 0.5, 0.05, false);
    open_cloth(&s);
    s.cloth->params.solve_tolerance = 1e-13;
    for (int k = 0; k < 20; k++) advance_cloth(&s, 1.0 / 60);
    dlp_cloth_system *system = &s.cloth->scratch.system;
    double truth = 0, apart = 0, iterated[4 * 121];
    memcpy(iterated, system->z, sizeof iterated);
    dlp_error error = {0};
    const dlp_status status = dlp_cloth_solve_directly(system, s.cloth->state.particles.count, &error);
    if (status == DLP_UNSUPPORTED) {
        assert_non_null(strstr(error.message, "install libsuitesparse-dev"));
        close_cloth(&s);
        skip();
    }
    assert_int_equal(status, DLP_OK);
    for (int32_t k = 0; k < system->count; k++)
        for (int axis = 0; axis < 3; axis++) {
            const size_t at = 4 * (size_t)system->list[k] + (size_t)axis;
            truth += system->z[at] * system->z[at];
            apart += pow(system->z[at] - iterated[at], 2);
        }
    assert_true(truth > 0);
    assert_true(sqrt(apart / truth) < 1e-8);
    close_cloth(&s);
}

static void threads_and_processors_do_not_change_a_bit(void **state)
{
    (void)state;
    for (int restrained = 0; restrained < 2; restrained++) {
        cloth_setup first;
        make_falling(&first, 1, 0.025, restrained);
        open_cloth(&first);
        for (int k = 0; k < 4; k++) advance_cloth(&first, 1.0 / 60);
        const size_t size = 3 * (size_t)first.cloth->state.particles.count * sizeof(double);
        const int32_t threads[] = {2, 3, 1};
        for (int t = 0; t < 3; t++) {
            cloth_setup other;
            make_falling(&other, 1, 0.025, restrained);
            open_cloth_on(&other, threads[t], t == 2 ? "plain" : NULL);
            for (int k = 0; k < 4; k++) advance_cloth(&other, 1.0 / 60);
            assert_memory_equal(first.cloth->state.particles.position, other.cloth->state.particles.position,
                                size);
            assert_memory_equal(first.cloth->state.particles.velocity, other.cloth->state.particles.velocity,
                                size);
            close_cloth(&other);
        }
        close_cloth(&first);
    }
}

// All that a checkpoint holds, from one cloth to another.
static void copy_state(dlp_cloth *from, dlp_cloth *to)
{
    dlp_manifest a = {0}, b = {0};
    const size_t sizes[] = {[DLP_FLOAT32] = 4, [DLP_FLOAT64] = 8, [DLP_INT32] = 4, [DLP_INT64] = 8};
    dlp_error error = {0};
    dlp_cloth_manifest(from, &a);
    assert_int_equal(dlp_cloth_begin_load(to, from->state.particles.count, &error), DLP_OK);
    dlp_cloth_manifest(to, &b);
    assert_int_equal(a.count, b.count);
    for (int32_t k = 0; k < a.count; k++) {
        const dlp_manifest_item *item = &a.items[k];
        assert_string_equal(item->name, b.items[k].name);
        if (item->count > 0)
            memcpy(b.items[k].data, item->data,
                   (size_t)item->count * (size_t)item->components * sizes[item->type]);
    }
    dlp_manifest_release(&a);
    dlp_manifest_release(&b);
    const dlp_status status = dlp_cloth_end_load(to, &error);
    if (status != DLP_OK) fail_msg("%s", error.message);
}

static void a_cloth_loaded_in_the_middle_of_a_frame_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    cloth_setup a, b;
    make_falling(&a, 0.5, 0.05, true);
    make_falling(&b, 0.5, 0.05, true);
    open_cloth(&a);
    open_cloth(&b);
    for (int k = 0; k < 5; k++) advance_cloth(&a, 0.05);
    begin_solo(a.setting, &a.scene, &dlp_cloth_solver, a.cloth, a.time, a.time + 0.1);
    assert_int_equal(step_solo(a.setting, &dlp_cloth_solver, a.cloth, 2, NULL), DLP_OK);
    assert_true(a.setting->clock.tick < a.setting->clock.end_tick);
    b.setting->clock = a.setting->clock;
    copy_state(a.cloth, b.cloth);
    assert_int_equal(step_solo(a.setting, &dlp_cloth_solver, a.cloth, INT32_MAX, NULL), DLP_OK);
    assert_int_equal(step_solo(b.setting, &dlp_cloth_solver, b.cloth, INT32_MAX, NULL), DLP_OK);
    const size_t size = 3 * (size_t)a.cloth->state.particles.count * sizeof(double);
    assert_memory_equal(a.cloth->state.particles.position, b.cloth->state.particles.position, size);
    assert_memory_equal(a.cloth->state.particles.velocity, b.cloth->state.particles.velocity, size);
    b.cloth->state.particles.velocity[7] = nan("");
    dlp_manifest manifest = {0};
    dlp_cloth_manifest(b.cloth, &manifest);
    assert_int_equal(dlp_manifest_check_values(&manifest, NULL), DLP_IO);
    dlp_manifest_release(&manifest);
    close_cloth(&a);
    close_cloth(&b);
}

static void a_warm_step_allocates_nothing(void **state)
{
    (void)state;
    cloth_setup s;
    make_falling(&s, 0.5, 0.05, true);
    open_cloth(&s);
    for (int k = 0; k < 10; k++) advance_cloth(&s, 1.0 / 60);
    const int64_t calls = dlp_memory_call_count();
    for (int k = 0; k < 10; k++) advance_cloth(&s, 1.0 / 60);
    assert_int_equal(dlp_memory_call_count(), calls);
    close_cloth(&s);
}

static void a_cloth_in_free_space_keeps_its_momentum(void **state)
{
    (void)state;
    cloth_setup s = make_cloth(0.5, 0.05);
    s.scene.gravity = dlp_vec(0, 0, 0);
    s.substance.velocity = dlp_vec(1, 2, 3);
    s.substance.spin = dlp_vec(0, 5, 1);
    open_cloth(&s);
    for (int k = 0; k < 30; k++) advance_cloth(&s, 1.0 / 60);
    dlp_stats stats = {.size = sizeof stats};
    dlp_cloth_measure(s.cloth, &stats);
    // the linear solver leaves 1e-5 of a step's change
    assert_near(stats.momentum.x / stats.mass, 1, 1e-5);
    assert_near(stats.momentum.y / stats.mass, 2, 1e-5);
    assert_near(stats.momentum.z / stats.mass, 3, 1e-5);
    assert_int_equal(stats.particles, 121);
    close_cloth(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sheet_has_the_mass_of_its_area),
        cmocka_unit_test(the_mass_of_an_attachment_is_shared_by_its_particles),
        cmocka_unit_test(a_free_sheet_falls_as_a_stone),
        cmocka_unit_test(a_narrow_sheet_is_a_rope),
        cmocka_unit_test(a_capsule_is_a_rope_of_the_fabrics_width),
        cmocka_unit_test(copies_of_a_sheet_stand_apart),
        cmocka_unit_test(an_open_mesh_is_at_rest_in_the_shape_of_its_file),
        cmocka_unit_test(what_cannot_be_cloth_is_refused_by_name),
        cmocka_unit_test(an_attachment_follows_its_key_frames_and_lets_go),
        cmocka_unit_test(what_is_caught_on_its_way_is_held_where_it_is),
        cmocka_unit_test(conjugate_gradients_agree_with_a_direct_solver),
        cmocka_unit_test(threads_and_processors_do_not_change_a_bit),
        cmocka_unit_test(a_cloth_loaded_in_the_middle_of_a_frame_goes_on_with_the_same_bits),
        cmocka_unit_test(a_warm_step_allocates_nothing),
        cmocka_unit_test(a_cloth_in_free_space_keeps_its_momentum),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
