/* The elastic formulas of cloth: gradients and second derivatives against finite differences, rigid motions,
 * balance of forces, and what a bent plate stores. */
#include "random_mesh.h"
#include "motion/cloth/cloth_restraint.h"
#include "motion/cloth/cloth_tear.h"
#include "motion/cloth/sym3.h"

static const dlp_stiffness_share EXACT = {1, 1};

static dlp_vec3 tension_of(dlp_vec3 u, dlp_vec3 v)
{
    return dlp_vec(dlp_length(u), dlp_length(v), dlp_dot(u, v));
}
static const dlp_membrane_law LAW = {700, 400, 90};

static double random_number(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24) - 0.5;
}
static dlp_vec3 random_vector(uint32_t *seed)
{
    const double x = random_number(seed), y = random_number(seed), z = random_number(seed);
    return dlp_vec(x, y, z);
}
static dlp_vec3 axis_of(int k)
{
    return dlp_vec(k == 0, k == 1, k == 2);
}

// Membrane.

static void a_membranes_gradient_is_that_of_its_energy(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int trial = 0; trial < 50; trial++) {
        const dlp_vec3 u = dlp_add(axis_of(0), random_vector(&seed)),
                       v = dlp_add(axis_of(1), random_vector(&seed));
        const dlp_membrane_force g = dlp_membrane_gradient(LAW, u, v);
        const double d = 1e-6;
        for (int k = 0; k < 3; k++) {
            const dlp_vec3 e = dlp_mul(axis_of(k), d);
            const double du =
                dlp_membrane_energy(LAW, dlp_add(u, e), v) - dlp_membrane_energy(LAW, dlp_sub(u, e), v);
            const double dv =
                dlp_membrane_energy(LAW, u, dlp_add(v, e)) - dlp_membrane_energy(LAW, u, dlp_sub(v, e));
            // central differences: d^2 k plus rounding 1e-16 k / d
            assert_near(dlp_component(g.u, k), du / (2 * d), 1e-6 * 700);
            assert_near(dlp_component(g.v, k), dv / (2 * d), 1e-6 * 700);
        }
    }
}

// In tension and without shear nothing is dropped, and the second derivative is exact.
static void a_taut_membranes_second_derivative_is_exact(void **state)
{
    (void)state;
    uint32_t seed = 2;
    for (int trial = 0; trial < 50; trial++) {
        const dlp_vec3 u = dlp_add(dlp_mul(axis_of(0), 2), random_vector(&seed));
        dlp_vec3 v = dlp_add(dlp_mul(axis_of(1), 2), random_vector(&seed));
        v = dlp_along(v, u, -dlp_dot(u, v) / dlp_dot(u, u));
        const dlp_membrane_hessian h = dlp_membrane_stiffness(LAW, u, v, EXACT, tension_of(u, v));
        const double d = 1e-6;
        for (int k = 0; k < 3; k++) {
            const dlp_vec3 e = axis_of(k), step = dlp_mul(e, d);
            const dlp_membrane_force a = dlp_membrane_gradient(LAW, dlp_add(u, step), v);
            const dlp_membrane_force b = dlp_membrane_gradient(LAW, dlp_sub(u, step), v);
            const dlp_membrane_force c = dlp_membrane_gradient(LAW, u, dlp_add(v, step));
            const dlp_membrane_force f = dlp_membrane_gradient(LAW, u, dlp_sub(v, step));
            const dlp_vec3 uu = dlp_sym3_apply(h.uu, e), vv = dlp_sym3_apply(h.vv, e);
            const dlp_vec3 uv = k == 0 ? h.uv.x : k == 1 ? h.uv.y : h.uv.z;
            for (int row = 0; row < 3; row++) {
                assert_near(dlp_component(uu, row), dlp_component(dlp_sub(a.u, b.u), row) / (2 * d),
                            1e-5 * 700);
                assert_near(dlp_component(vv, row), dlp_component(dlp_sub(c.v, f.v), row) / (2 * d),
                            1e-5 * 700);
                assert_near(dlp_component(uv, row), dlp_component(dlp_sub(c.u, f.u), row) / (2 * d),
                            1e-5 * 700);
            }
        }
    }
}

// x^T H x of the membrane's six numbers.
static double bend_of(const dlp_membrane_hessian *h, dlp_vec3 x, dlp_vec3 y)
{
    const dlp_vec3 uv = dlp_add(dlp_add(dlp_mul(h->uv.x, y.x), dlp_mul(h->uv.y, y.y)), dlp_mul(h->uv.z, y.z));
    return dlp_dot(x, dlp_sym3_apply(h->uu, x)) + dlp_dot(y, dlp_sym3_apply(h->vv, y)) + 2 * dlp_dot(x, uv);
}

static void what_is_kept_of_a_second_derivative_is_never_negative(void **state)
{
    (void)state;
    uint32_t seed = 3;
    for (int trial = 0; trial < 2000; trial++) {
        const dlp_vec3 u = dlp_mul(random_vector(&seed), 3), v = dlp_mul(random_vector(&seed), 3);
        const dlp_membrane_hessian h = dlp_membrane_stiffness(LAW, u, v, EXACT, tension_of(u, v));
        assert_true(bend_of(&h, random_vector(&seed), random_vector(&seed)) >= -1e-9);
        const dlp_sym3 k = dlp_link_stiffness(100, dlp_length(u) / 0.7, u, EXACT);
        const dlp_vec3 x = random_vector(&seed);
        assert_true(dlp_dot(x, dlp_sym3_apply(k, x)) >= -1e-12);
    }
}

// Link, hinge, rope.

static void a_links_derivatives_are_exact_in_tension(void **state)
{
    (void)state;
    uint32_t seed = 4;
    const double k = 120, length = 0.5, d = 1e-6;
    for (int trial = 0; trial < 50; trial++) {
        const dlp_vec3 x = dlp_add(axis_of(trial % 3), random_vector(&seed));
        const dlp_vec3 long_x = dlp_mul(x, dlp_length(x) > length ? 1 : 2 * length / dlp_length(x));
        const dlp_vec3 g = dlp_link_gradient(k, length, long_x);
        const dlp_sym3 h = dlp_link_stiffness(k, dlp_length(long_x) / length, long_x, EXACT);
        for (int axis = 0; axis < 3; axis++) {
            const dlp_vec3 e = dlp_mul(axis_of(axis), d), up = dlp_add(long_x, e), down = dlp_sub(long_x, e);
            const double slope = dlp_link_energy(k, length, up) - dlp_link_energy(k, length, down);
            assert_near(dlp_component(g, axis), slope / (2 * d), 1e-5);
            const dlp_vec3 difference =
                dlp_sub(dlp_link_gradient(k, length, up), dlp_link_gradient(k, length, down));
            const dlp_vec3 column = dlp_sym3_apply(h, axis_of(axis));
            for (int row = 0; row < 3; row++)
                assert_near(dlp_component(column, row), dlp_component(difference, row) / (2 * d), 1e-5);
        }
    }
}

static dlp_hinge_shape hinge_at(const dlp_vec3 x[4])
{
    return dlp_hinge_of(x[0], x[1], x[2], x[3]);
}

static void a_hinges_gradient_is_that_of_its_angle(void **state)
{
    (void)state;
    uint32_t seed = 5;
    for (int trial = 0; trial < 100; trial++) {
        dlp_vec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {0.4, 1, 0}, {0.6, -1, 0}};
        for (int k = 0; k < 4; k++) x[k] = dlp_along(x[k], random_vector(&seed), 0.6);
        const dlp_hinge_shape hinge = hinge_at(x);
        const double d = 1e-6;
        for (int k = 0; k < 4; k++)
            for (int axis = 0; axis < 3; axis++) {
                const dlp_vec3 at = x[k];
                x[k] = dlp_along(at, axis_of(axis), d);
                const double up = hinge_at(x).angle;
                x[k] = dlp_along(at, axis_of(axis), -d);
                const double down = hinge_at(x).angle;
                x[k] = at;
                assert_near(dlp_component(hinge.gradient[k], axis),
                            remainder(up - down, 2 * DLP_PI) / (2 * d), 1e-6);
            }
    }
}

// Gradients of an angle sum to no force and no torque, whatever the shape.
static void a_hinge_makes_no_force_and_no_torque(void **state)
{
    (void)state;
    uint32_t seed = 6;
    for (int trial = 0; trial < 100; trial++) {
        dlp_vec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {0.4, 1, 0}, {0.6, -1, 0}};
        dlp_vec3 force = {0, 0, 0}, torque = {0, 0, 0};
        for (int k = 0; k < 4; k++) x[k] = dlp_along(x[k], random_vector(&seed), 0.6);
        const dlp_hinge_shape hinge = hinge_at(x);
        for (int k = 0; k < 4; k++) {
            force = dlp_add(force, hinge.gradient[k]);
            torque = dlp_add(torque, dlp_cross(x[k], hinge.gradient[k]));
        }
        assert_near(dlp_length(force), 0, 1e-12);
        assert_near(dlp_length(torque), 0, 1e-12);
    }
}

static void a_fold_of_a_quarter_turn_is_a_quarter_turn(void **state)
{
    (void)state;
    const dlp_vec3 flat[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    const dlp_vec3 up[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const dlp_vec3 down[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}};
    assert_near(hinge_at(flat).angle, 0, 1e-15);
    assert_near(fabs(hinge_at(up).angle), DLP_PI / 2, 1e-14);
    assert_near(hinge_at(up).angle, -hinge_at(down).angle, 1e-14);
}

// Whole sheets.

// Rolls the sheet onto a cylinder of curvature c along the direction at `angle` in its plane. What its
// chords shorten costs nothing here.
static double stored_when_rolled(double c, double angle)
{
    cloth_setup s = make_cloth(1, 0.05);
    s.substance.cloth.bend = 2e-3;
    s.substance.cloth.stretch_warp = s.substance.cloth.stretch_weft = 1e-6;
    s.substance.cloth.shear = 0;
    open_cloth(&s);
    const double ca = cos(angle), sa = sin(angle);
    for (int32_t i = 0; i < s.cloth->state.particles.count; i++) {
        const dlp_vec3 x = place_of(&s, i);
        const double along = ca * x.x + sa * x.y, across = -sa * x.x + ca * x.y;
        const double a = sin(c * along) / c, z = (1 - cos(c * along)) / c;
        dlp_cloth_set(s.cloth->state.particles.position, i,
                      dlp_vec(ca * a - sa * across, sa * a + ca * across, z));
    }
    const double energy = dlp_cloth_elastic_energy(s.cloth);
    close_cloth(&s);
    return energy;
}

// B c^2 / 2 a unit of area, along the threads and across them; 20 cells a side leave out half a cell at two
// edges of twenty, so that 1/20 is missing along the threads.
static void a_plate_rolled_onto_a_cylinder_stores_half_b_c_squared(void **state)
{
    (void)state;
    const double c = 0.8, truth = 0.5 * 2e-3 * c * c;
    assert_near(stored_when_rolled(c, 0) / (truth * 19 / 20), 1, 2e-3);
    assert_near(stored_when_rolled(c, DLP_PI / 2) / (truth * 19 / 20), 1, 2e-3);
    // on the diagonal the twist, half of it, is stored in whole cells
    assert_near(stored_when_rolled(c, DLP_PI / 4) / (truth * 0.5 * (19.0 / 20 + 1)), 1, 5e-3);
}

static void crumple(cloth_setup *s, double by)
{
    uint32_t seed = 7;
    for (int32_t i = 0; i < s->cloth->state.particles.count; i++)
        dlp_cloth_set(s->cloth->state.particles.position, i,
                      dlp_along(place_of(s, i), random_vector(&seed), by));
    s->cloth->scratch.terms.built_step = 0;
}

// Grids, ropes, meshes that are flat or bent at rest, and one that has torn.
typedef enum cloth_kind { GRID, ROPE, MESH, BENT_MESH, TORN_MESH, CLOTH_KINDS } cloth_kind;

static void open_kind(cloth_setup *s, cloth_kind kind)
{
    *s = kind == ROPE ? make_rope(0.5, 10) : make_cloth(0.3, 0.06);
    random_mesh m = {-0.2, 0.2, 0.3, 0.06, 0.3, .seed = 3, .dome = kind == BENT_MESH ? 2 : 0};
    s->substance.cloth.bend = 1e-3;
    s->substance.cloth.tear = kind == TORN_MESH ? 0.1 : 0;
    if (kind >= MESH) take_mesh(s, &m);
    open_cloth(s);
}

static void tear_kind(cloth_setup *s)
{
    dlp_error error = {0};
    dlp_cloth_particles *p = &s->cloth->state.particles;
    const int32_t count = p->count;
    for (int32_t i = 0; i < count; i++) {
        p->position[3 * i] *= 1.2;
        p->is_moved[i] = 1;
    }
    assert_int_equal(dlp_cloth_tear(s->cloth, &error), DLP_OK);
    assert_true(p->count > count);
}

static void forces_and_torques_of_a_crumpled_sheet_cancel(void **state)
{
    (void)state;
    for (cloth_kind kind = GRID; kind < CLOTH_KINDS; kind++) {
        cloth_setup s;
        open_kind(&s, kind);
        if (kind == TORN_MESH) tear_kind(&s);
        crumple(&s, 0.03);
        dlp_cloth_update_elements(s.cloth, 0.01);
        dlp_vec3 force = {0, 0, 0}, torque = {0, 0, 0};
        double size = 0;
        for (int32_t i = 0; i < s.cloth->state.particles.count; i++) {
            const dlp_vec3 f = dlp_cloth_get(s.cloth->scratch.motion.force, i);
            force = dlp_add(force, f);
            torque = dlp_add(torque, dlp_cross(place_of(&s, i), f));
            size += dlp_length(f);
        }
        assert_true(size > 0.1);
        assert_near(dlp_length(force), 0, 1e-12 * size);
        assert_near(dlp_length(torque), 0, 1e-12 * size);
        close_cloth(&s);
    }
}

static void a_moved_and_turned_sheet_feels_nothing(void **state)
{
    (void)state;
    for (cloth_kind kind = GRID; kind < CLOTH_KINDS; kind++) {
        cloth_setup s;
        open_kind(&s, kind);
        const dlp_transform frame = dlp_transform_of(dlp_vec(1, 2, 3), dlp_vec(30, 40, 50));
        for (int32_t i = 0; i < s.cloth->state.particles.count; i++)
            dlp_cloth_set(s.cloth->state.particles.position, i, dlp_to_world(&frame, place_of(&s, i)));
        dlp_cloth_update_elements(s.cloth, 0.01);
        for (int32_t i = 0; i < s.cloth->state.particles.count; i++)
            assert_near(dlp_length(dlp_cloth_get(s.cloth->scratch.motion.force, i)), 0, 1e-11);
        assert_near(dlp_cloth_elastic_energy(s.cloth), 0, 1e-20);
        close_cloth(&s);
    }
}

// The gathered forces are the slope of the gathered energy: every corner, sign and slot counts.
static void the_force_on_a_particle_is_the_slope_of_the_energy(void **state)
{
    (void)state;
    for (cloth_kind kind = GRID; kind < CLOTH_KINDS; kind++) {
        cloth_setup s;
        open_kind(&s, kind);
        if (kind == TORN_MESH) tear_kind(&s);
        crumple(&s, 0.02);
        dlp_cloth_update_elements(s.cloth, 0.01);
        const double d = 1e-7;
        for (int32_t i = 0; i < s.cloth->state.particles.count; i++)
            for (int axis = 0; axis < 3; axis++) {
                double *x = &s.cloth->state.particles.position[3 * i + axis];
                const double at = *x;
                *x = at + d;
                const double up = dlp_cloth_elastic_energy(s.cloth);
                *x = at - d;
                const double down = dlp_cloth_elastic_energy(s.cloth);
                *x = at;
                assert_near(s.cloth->scratch.motion.force[3 * i + axis], -(up - down) / (2 * d), 4e-6);
            }
        close_cloth(&s);
    }
}

static void the_matrix_is_symmetric_and_knows_no_rigid_motion(void **state)
{
    (void)state;
    for (cloth_kind kind = GRID; kind < CLOTH_KINDS; kind++) {
        cloth_setup s;
        open_kind(&s, kind);
        if (kind == TORN_MESH) tear_kind(&s);
        crumple(&s, 0.02);
        dlp_cloth_update_elements(s.cloth, 0.01);
        const dlp_cloth_matrix *m = &s.cloth->connectivity.matrix;
        for (int32_t i = 0; i < s.cloth->state.particles.count; i++) {
            double sum[9] = {0};
            for (int32_t k = m->begin[i]; k < m->begin[i + 1]; k++) {
                const int32_t j = m->column[k];
                int32_t back = m->begin[j];
                while (m->column[back] != i) back++;
                for (int e = 0; e < 9; e++) {
                    sum[e] += m->blocks[9 * k + e];
                    assert_near(m->blocks[9 * k + e], m->blocks[9 * back + e / 3 + 3 * (e % 3)], 1e-13);
                }
            }
            for (int e = 0; e < 9; e++) assert_near(sum[e], 0, 1e-12);
        }
        close_cloth(&s);
    }
}

// Mobility.

// For all three forms, by central differences of the effective velocity.
static void the_mobility_is_the_slope_of_the_effective_velocity(void **state)
{
    (void)state;
    uint32_t seed = 8;
    for (int trial = 0; trial < 300; trial++) {
        const dlp_restraint r = {(dlp_restraint_form)(trial % 3), 0.1, 0.5};
        const dlp_vec3 v = random_vector(&seed);
        const dlp_sym3 slope = dlp_mobility_at(&r, v);
        const double d = 1e-6;
        if (fabs(dlp_length(v) - r.hold_speed) < 1e-3 || fabs(dlp_length(v) - r.full) < 1e-3) continue;
        for (int k = 0; k < 3; k++) {
            const dlp_vec3 e = axis_of(k);
            const dlp_vec3 rise = dlp_sub(dlp_restrained_velocity(&r, dlp_along(v, e, d)),
                                          dlp_restrained_velocity(&r, dlp_along(v, e, -d)));
            assert_near(dlp_length(dlp_sub(dlp_sym3_apply(slope, e), dlp_mul(rise, 0.5 / d))), 0, 1e-6);
        }
    }
}

static void a_root_times_itself_is_the_matrix(void **state)
{
    (void)state;
    uint32_t seed = 9;
    for (int trial = 0; trial < 200; trial++) {
        const dlp_sym3 a = dlp_sym3_add(dlp_sym3_of(random_vector(&seed), 1, trial % 2 ? 0.1 : 0),
                                        dlp_sym3_of(random_vector(&seed), 2, 0));
        const dlp_sym3 l = dlp_sym3_root(a);
        const dlp_vec3 x = random_vector(&seed);
        const dlp_vec3 twice = dlp_sym3_apply(l, dlp_sym3_apply(l, x));
        assert_near(dlp_length(dlp_sub(twice, dlp_sym3_apply(a, x))), 0, 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_membranes_gradient_is_that_of_its_energy),
        cmocka_unit_test(a_taut_membranes_second_derivative_is_exact),
        cmocka_unit_test(what_is_kept_of_a_second_derivative_is_never_negative),
        cmocka_unit_test(a_links_derivatives_are_exact_in_tension),
        cmocka_unit_test(a_hinges_gradient_is_that_of_its_angle),
        cmocka_unit_test(a_hinge_makes_no_force_and_no_torque),
        cmocka_unit_test(a_fold_of_a_quarter_turn_is_a_quarter_turn),
        cmocka_unit_test(a_plate_rolled_onto_a_cylinder_stores_half_b_c_squared),
        cmocka_unit_test(forces_and_torques_of_a_crumpled_sheet_cancel),
        cmocka_unit_test(a_moved_and_turned_sheet_feels_nothing),
        cmocka_unit_test(the_force_on_a_particle_is_the_slope_of_the_energy),
        cmocka_unit_test(the_matrix_is_symmetric_and_knows_no_rigid_motion),
        cmocka_unit_test(the_mobility_is_the_slope_of_the_effective_velocity),
        cmocka_unit_test(a_root_times_itself_is_the_matrix),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
