/* How stiffly cloth bends: `bend` is its flexural rigidity, in every direction, once all has come to rest. */
#include "random_mesh.h"

enum { LEVELS = 4000 };

// A heavy elastica, clamped level: with the slope t below the level at s of its length 1,
// t'' = -gamma (1 - s) cos t, t(0) = 0, t'(1) = 0. Returns t'(1) for a t'(0), and how low its end hangs.
static double end_curvature(double gamma, double start_curvature, double *out_sag)
{
    const double h = 1.0 / LEVELS;
    double t = 0, k = start_curvature;
    *out_sag = 0;
    for (int n = 0; n < LEVELS; n++) {  // midpoint rule
        const double s = n * h, middle = t + 0.5 * h * k, bent = k - 0.5 * h * gamma * (1 - s) * cos(t);
        *out_sag += h * sin(middle);
        t += h * bent;
        k -= h * gamma * (1 - s - 0.5 * h) * cos(middle);
    }
    return k;
}

static double elastica_sag(double gamma)
{
    double low = 0, high = gamma, sag = 0;
    for (int n = 0; n < 60; n++) {
        const double middle = 0.5 * (low + high);
        if (end_curvature(gamma, middle, &sag) < 0)
            low = middle;
        else
            high = middle;
    }
    return sag;
}

// A strip of length 1 that sticks out of its clamp along x, made of its warp or of its weft, `across` wide.
static cloth_setup make_strip(double spacing, double across, bool is_weft, double gamma)
{
    cloth_setup s = make_cloth(1, spacing);
    const double length = 1 + 2 * spacing;
    s.substance.shape.size = is_weft ? dlp_vec(across, length, 0) : dlp_vec(length, across, 0);
    s.substance.shape.rotate = dlp_vec(0, 0, is_weft ? 90 : 0);
    s.substance.shape.translate = dlp_vec(length / 2 - 2 * spacing, 0, 0);
    s.substance.cloth.bend = 0.15 * 9.81 / gamma;
    s.substance.cloth.stretch_warp = s.substance.cloth.stretch_weft = 1e5;
    s.substance.cloth.shear = 1e4;
    s.substance.cloth.damping = 20;
    dlp_attachment_def *clamp = attach(&s, dlp_vec(0, 0, 0), 0);
    clamp->shape =
        (dlp_shape_def){.kind = DLP_SHAPE_BOX, .min = dlp_vec(-1, -1, -1), .max = dlp_vec(1e-6, 1, 1)};
    return s;
}

static void settle(cloth_setup *s, double step, int32_t steps)
{
    s->scene.step = step;
    for (int32_t k = 0; k < steps; k++) advance_cloth(s, step);
}

static double settled_sag(cloth_setup *s)
{
    open_cloth(s);
    settle(s, 0.05, 60);
    settle(s, 1, 40);
    double lowest = 0;
    for (int32_t i = 0; i < s->cloth->state.particles.count; i++) lowest = fmin(lowest, place_of(s, i).z);
    close_cloth(s);
    return -lowest;
}

// Twenty cells long the strip's own error is of second order, 0.26 %; its threads lengthen by 1e-5.
static void a_heavy_strip_hangs_as_an_elastica(void **state)
{
    (void)state;
    static const double GAMMA[3] = {1, 5, 10};
    for (int k = 0; k < 3; k++)
        for (int weft = 0; weft < 2; weft++) {
            cloth_setup s = make_strip(0.05, 0.2, weft == 1, GAMMA[k]);
            assert_near(settled_sag(&s) / elastica_sag(GAMMA[k]), 1, 0.004);
        }
}

// Ten cells long its error is 1 %.
static void a_strip_bends_alike_at_any_width_and_spacing(void **state)
{
    (void)state;
    static const double SHAPES[4][2] = {{0.05, 0.06}, {0.05, 0.35}, {0.1, 0.3}, {0.04, 0.12}};
    for (int k = 0; k < 4; k++) {
        cloth_setup s = make_strip(SHAPES[k][0], SHAPES[k][1], false, 5);
        assert_near(settled_sag(&s) / elastica_sag(5), 1, 0.011);
    }
}

// Ten cells err by 1 %, forty by 1/16 of that: the second order that a clamp half a cell off would spoil.
static void a_clamped_rope_bends_from_where_it_is_held(void **state)
{
    (void)state;
    static const int32_t LINKS[3] = {10, 20, 80};
    for (int k = 0; k < 3; k++) {
        const double spacing = 1.0 / LINKS[k];
        cloth_setup s = make_strip(spacing, 1e-3, false, 5);
        assert_near(settled_sag(&s) / elastica_sag(5), 1, 0.011);
    }
}

// A plate's edge is held on a cylinder whose axis lies anyhow, and its inside is let go: what gives way there
// is what the elements miss.
static double stored_when_let_go(double angle)
{
    const double c = 0.1, ca = cos(angle), sa = sin(angle);
    cloth_setup s = make_cloth(1, 0.05);
    s.scene.gravity = dlp_vec(0, 0, 0);
    s.substance.cloth.bend = 1;
    s.substance.cloth.stretch_warp = s.substance.cloth.stretch_weft = s.substance.cloth.shear = 1e-6;
    s.substance.cloth.damping = 1;
    attach(&s, dlp_vec(0, 0, 0), 2);
    open_cloth(&s);
    dlp_cloth_particles *p = &s.cloth->state.particles;
    for (int32_t i = 0; i < p->count; i++) {
        const dlp_vec3 x = place_of(&s, i);
        const double along = ca * x.x + sa * x.y;
        dlp_cloth_set(p->position, i, dlp_vec(x.x, x.y, 0.5 * c * along * along));
        dlp_cloth_set(p->start_place, i, place_of(&s, i));
        p->is_moved[i] = 1;
        if (fmax(fabs(x.x), fabs(x.y)) < 0.42) p->pin[i] = -1;
    }
    settle(&s, 1, 40);
    const double energy = dlp_cloth_elastic_energy(s.cloth);
    close_cloth(&s);
    return energy / (0.5 * c * c);
}

// The clamp of the edge bends half a cell: with it the plate is whole.
static void a_rolled_plate_is_as_stiff_when_its_inside_is_let_go(void **state)
{
    (void)state;
    for (int k = 0; k < 7; k++) assert_near(stored_when_let_go(k * DLP_PI / 12), 1, 0.01);
}

// Meshes.

static double mesh_strip_stiffness(random_mesh *m, double gamma)
{
    cloth_setup s = make_strip(m->cell, m->width, false, gamma);
    take_mesh(&s, m);
    return elastica_sag(gamma) / settled_sag(&s);
}

// Cut alike, without a diagonal that all have, or moved by up to 0.3 cells; from one cell wide to eight.
// Twenty cells err by 0.25 %; hinges alone hung 9 % too low.
static void a_heavy_strip_of_a_mesh_hangs_as_an_elastica(void **state)
{
    (void)state;
    static const double GAMMA[3] = {1, 5, 10}, SHAKE[3] = {0, 0.15, 0.3}, WIDTH[4] = {0.05, 0.1, 0.2, 0.4};
    for (int g = 0; g < 3; g++)
        for (int k = 0; k < 3; k++)
            for (int w = 0; w < 4; w++) {
                random_mesh m = {-0.1, 1, WIDTH[w], 0.05, SHAKE[k], k == 0, .seed = (uint32_t)(k + w)};
                assert_near(mesh_strip_stiffness(&m, GAMMA[g]), 1, 0.003);
            }
}

// m2: of the triangles at the rim, by how much of a curvature along (ca, sa) they do not see, as nothing
// bends a free edge.
static double area_unseen(const random_mesh *m, const dlp_cloth *cloth, double ca, double sa)
{
    double unseen = 0;
    for (int32_t t = 0; t < cloth->params.triangles.count; t++) {
        const int32_t *c = dlp_cloth_corners_of(&cloth->state.corners, t);
        for (int k = 0; k < 3; k++) {
            const dlp_vec3 a = m->at[c[k]], b = m->at[c[(k + 1) % 3]];
            const double x = 0.5 * (a.x + b.x), y = 0.5 * (a.y + b.y);
            const bool is_end = fmin(x - m->x0, m->x1 - x) < 1e-9, is_side = fmin(y, m->width - y) < 1e-9;
            if (is_end || is_side) unseen += cloth->params.triangles.rest[t].area * pow(is_end ? ca : sa, 4);
        }
    }
    return unseen;
}

// A plate's rim is kept on a cylinder whose axis lies anyhow, by its mass, and its inside is let go.
static double mesh_stored_when_let_go(random_mesh *m, double angle)
{
    const double c = 0.1, ca = cos(angle), sa = sin(angle);
    cloth_setup s = make_cloth(1, m->cell);
    s.scene.gravity = dlp_vec(0, 0, 0);
    s.substance.cloth.bend = 1;
    s.substance.cloth.stretch_warp = s.substance.cloth.stretch_weft = 100;
    s.substance.cloth.damping = 1;
    take_mesh(&s, m);
    open_cloth(&s);
    dlp_cloth_particles *p = &s.cloth->state.particles;
    for (int32_t i = 0; i < p->count; i++) {
        const dlp_vec3 x = place_of(&s, i);
        const double along = ca * x.x + sa * x.y, across = ca * x.y - sa * x.x;
        const double a = sin(c * along) / c, z = (1 - cos(c * along)) / c;
        dlp_cloth_set(p->position, i, dlp_vec(ca * a - sa * across, sa * a + ca * across, z));
        p->is_moved[i] = 1;
        if (fmax(fabs(x.x), fabs(x.y - 0.5)) > 0.38) p->mass[i] = 1e6;
    }
    settle(&s, 0.1, 40);
    const double energy = dlp_cloth_elastic_energy(s.cloth), area = 1 - area_unseen(m, s.cloth, ca, sa);
    close_cloth(&s);
    return energy / (0.5 * c * c * area);
}

// The threads lengthen by up to 1e-5, for which 0.07 % of the energy is given up.
static void a_rolled_mesh_is_as_stiff_in_every_direction(void **state)
{
    (void)state;
    static const double SHAKE[3] = {0, 0.15, 0.3};
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 7; a++) {
            random_mesh m = {-0.5, 0.5, 1, 0.05, SHAKE[k], k == 0, .seed = (uint32_t)(k + a)};
            assert_near(mesh_stored_when_let_go(&m, a * DLP_PI / 12), 1, 1.5e-3);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heavy_strip_hangs_as_an_elastica),
        cmocka_unit_test(a_strip_bends_alike_at_any_width_and_spacing),
        cmocka_unit_test(a_clamped_rope_bends_from_where_it_is_held),
        cmocka_unit_test(a_rolled_plate_is_as_stiff_when_its_inside_is_let_go),
        cmocka_unit_test(a_heavy_strip_of_a_mesh_hangs_as_an_elastica),
        cmocka_unit_test(a_rolled_mesh_is_as_stiff_in_every_direction),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
