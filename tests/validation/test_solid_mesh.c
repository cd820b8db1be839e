/* The mesh that particles are compared with: its geometry, its stiffness, its bits. */
#include "solids.h"
#include "validation/solid_tetrahedra.h"

static void mesh_solid(solid_setup *s)
{
    dlp_error error = {0};
    const dlp_status status = dlp_tetrahedra_use(s->solid, &error);
    if (status != DLP_OK) fail_msg("%s", error.message);
}

static int32_t count_of(const solid_setup *s)
{
    return DLP_CUBE_TETRAHEDRA * dlp_tetrahedra_of(s->solid)->cube_count;
}

static void close_meshed(solid_setup *s)
{
    dlp_tetrahedra_remove(s->solid);
    close_solid(s);
}

// Geometry.

static void a_box_of_n_particles_an_edge_is_five_tetrahedra_a_cube(void **state)
{
    (void)state;
    for (int32_t n = 2; n <= 6; n++) {
        const double spacing = 0.1;
        solid_setup s = make_box(dlp_vec(n * spacing, n * spacing, n * spacing), spacing);
        open_solid(&s);
        mesh_solid(&s);
        assert_int_equal(count_of(&s), 5 * (n - 1) * (n - 1) * (n - 1));
        assert_int_equal(dlp_tetrahedra_of(s.solid)->loose_count, 0);
        double volume = 0;
        for (int32_t k = 0; k < count_of(&s); k++) {
            dlp_stencil t;
            dlp_tetrahedra_stencil(s.solid, k, &t);
            volume += t.volume;
        }
        const double edge = (n - 1) * spacing;
        assert_near(volume / (edge * edge * edge), 1, 1e-12);
        close_meshed(&s);
    }
}

// The number of a tetrahedron's corners that are in a face.
static int32_t corners_in(const dlp_stencil *t, const int32_t face[3])
{
    int32_t found = 0;
    for (int32_t k = 0; k < 3; k++) {
        bool is_in = t->centre == face[k];
        for (int32_t n = 0; n < 3; n++) is_in = is_in || t->neighbour[n] == face[k];
        found += is_in;
    }
    return found;
}

// How many tetrahedra have a face; it leaves out corner `without` of one of them.
static int32_t sharers_of(const solid_setup *s, int32_t tetrahedron, int32_t without)
{
    dlp_stencil t;
    dlp_tetrahedra_stencil(s->solid, tetrahedron, &t);
    const int32_t corners[4] = {t.centre, t.neighbour[0], t.neighbour[1], t.neighbour[2]};
    int32_t face[3], count = 0, sharers = 0;
    for (int32_t k = 0; k < 4; k++)
        if (k != without) face[count++] = corners[k];
    for (int32_t k = 0; k < count_of(s); k++) {
        dlp_tetrahedra_stencil(s->solid, k, &t);
        sharers += corners_in(&t, face) == 3;
    }
    return sharers;
}

static void faces_of_tetrahedra_fit_those_of_their_neighbours(void **state)
{
    (void)state;
    // 3 x 3 x 3 cubes have 54 outer squares, of two faces each; every other face has tetrahedra at both sides
    solid_setup s = make_box(dlp_vec(0.4, 0.4, 0.4), 0.1);
    open_solid(&s);
    mesh_solid(&s);
    int32_t outer = 0;
    for (int32_t k = 0; k < 4 * count_of(&s); k++) {
        const int32_t sharers = sharers_of(&s, k / 4, k % 4);
        assert_in_range(sharers, 1, 2);
        outer += sharers == 1;
    }
    assert_int_equal(outer, 108);
    close_meshed(&s);
}

static void a_turned_box_has_the_same_tetrahedra(void **state)
{
    (void)state;
    solid_setup s = make_box(dlp_vec(0.5, 0.4, 0.3), 0.1);
    s.substance.shape.rotate = dlp_vec(30, 40, 50);
    open_solid(&s);
    mesh_solid(&s);
    assert_int_equal(count_of(&s), 5 * 4 * 3 * 2);
    assert_int_equal(dlp_tetrahedra_of(s.solid)->loose_count, 0);
    close_meshed(&s);
}

// Constraints that are solved at once, or by several threads, may not share a particle.
static void blocks_of_a_colour_share_no_particle(void **state)
{
    (void)state;
    solid_setup s = make_box(dlp_vec(1.1, 1.3, 0.9), 0.1);
    s.substance.shape.rotate = dlp_vec(30, 40, 50);
    open_solid(&s);
    mesh_solid(&s);
    const dlp_constraint_coloring *order = &s.solid->topology.mesh->coloring;
    int32_t *owner = calloc((size_t)s.solid->state.particles.count, sizeof *owner);
    for (int32_t color = 0; color < DLP_COLORS; color++)
        for (int32_t g = order->color_begin[color]; g < order->color_begin[color + 1]; g++)
            for (int32_t k = 0; k < DLP_LANES * order->groups[g].row_count; k++) {
                const dlp_solid_row *row = &order->rows[order->groups[g].first_row + k / DLP_LANES];
                const int32_t lane = k % DLP_LANES, block = 1 + lane + DLP_LANES * (g + 1);
                for (int32_t n = -1; n < row->link_count; n++) {
                    const int32_t i =
                        n < 0 ? row->particle[lane] : order->links[row->first_link + n].particle[lane];
                    if (i >= s.solid->state.particles.count) continue;
                    // seen in this colour by no other block
                    const int32_t first = 1 + DLP_LANES * (order->color_begin[color] + 1);
                    assert_true(owner[i] < first || owner[i] == block);
                    owner[i] = block;
                }
            }
    free(owner);
    close_meshed(&s);
}

static void particles_at_no_cube_are_counted(void **state)
{
    (void)state;
    // a line of ten particles: none is a corner of a cube
    solid_setup s = make_box(dlp_vec(1, 0.1, 0.1), 0.1);
    dlp_error error = {0};
    open_solid(&s);
    assert_int_equal(dlp_tetrahedra_use(s.solid, &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "lattice: cubic"));
    assert_null(s.solid->topology.mesh);
    close_solid(&s);
    // a ball: all that stick out of its cubes
    solid_setup ball = make_box(dlp_vec(0, 0, 0), 0.1);
    ball.substance.shape = (dlp_shape_def){.kind = DLP_SHAPE_SPHERE, .radius = 0.5};
    open_solid(&ball);
    mesh_solid(&ball);
    assert_in_range(dlp_tetrahedra_of(ball.solid)->loose_count, 1, ball.solid->state.particles.count / 4);
    close_meshed(&ball);
}

static void the_gradient_of_an_affine_map_is_exact(void **state)
{
    (void)state;
    solid_setup s = make_box(dlp_vec(0.5, 0.4, 0.3), 0.1);
    open_solid(&s);
    mesh_solid(&s);
    const double f[9] = {1.2, 0.3, -0.1, -0.4, 0.7, 0.25, 0.15, -0.2, 1.5};
    for (int32_t k = 0; k < count_of(&s); k++) {
        dlp_stencil t;
        double found[9] = {0};
        dlp_tetrahedra_stencil(s.solid, k, &t);
        for (int32_t n = 0; n < t.count; n++)
            for (int e = 0; e < 9; e++) {
                const int row = e / 3, column = e % 3;
                const double moved = f[3 * row] * t.offset[n].x + f[3 * row + 1] * t.offset[n].y +
                                     f[3 * row + 2] * t.offset[n].z;
                found[e] += moved * dlp_component(t.b[n], column);
            }
        for (int e = 0; e < 9; e++) assert_near(found[e], f[e], 1e-14);
    }
    close_meshed(&s);
}

// Motion.

static double mean_way(const solid_setup *s, double from, double to)
{
    const dlp_solid_particles *p = &s->solid->state.particles;
    double sum = 0;
    int32_t count = 0;
    for (int32_t i = 0; i < p->count; i++) {
        if (p->x0[3 * i] < from || p->x0[3 * i] > to) continue;
        sum += p->position[3 * i] - p->x0[3 * i];
        count++;
    }
    assert_true(count > 0);
    return sum / count;
}

static void a_hanging_bar_of_tetrahedra_is_stretched_as_theory_says(void **state)
{
    (void)state;
    // 21 layers of 6 x 6 particles, the first of them held, in a gravity along x
    enum { LAYERS = 21, ACROSS = 6 };
    const double s0 = 0.05, young = 1e6, g = 9.81;
    solid_setup s = make_box(dlp_vec(LAYERS * s0, ACROSS * s0, ACROSS * s0), s0);
    s.substance.solid.youngs_modulus = young;
    s.substance.solid.poisson_ratio = 0;
    s.substance.solid.damping = 4;
    s.scene.gravity = dlp_vec(g, 0, 0);
    hold_box(&s, dlp_vec(-1, -1, -1), dlp_vec(s0, 1, 1))->start = 1e-9;  // caught in place: a whole lattice
    open_solid(&s);
    mesh_solid(&s);
    settle(&s, 3);
    // what is between two layers carries those beyond, over an area that ends at the outer particles
    const double layer = 1000 * ACROSS * ACROSS * s0 * s0 * s0, area = (ACROSS - 1) * (ACROSS - 1) * s0 * s0;
    const double theory = layer * g * (LAYERS * (LAYERS - 1) / 2) * s0 / (young * area);
    assert_near(mean_way(&s, (LAYERS - 1) * s0, LAYERS * s0) / theory, 1, 0.02);
    close_meshed(&s);
}

static void a_crushed_body_of_tetrahedra_recovers(void **state)
{
    (void)state;
    solid_setup s = make_box(dlp_vec(0.5, 0.5, 0.5), 0.1);
    s.substance.solid.youngs_modulus = 1e4;
    s.substance.solid.squeeze = 0.5;
    s.substance.solid.damping = 4;
    s.scene.gravity = dlp_vec(0, 0, 0);
    open_solid(&s);
    mesh_solid(&s);
    settle(&s, 4);
    double most = 0;
    for (int32_t i = 1; i < s.solid->state.particles.count; i++) {
        const double now = dlp_length(dlp_sub(place_of(&s, i), place_of(&s, 0)));
        const double *rest = s.solid->state.particles.x0;
        const double before = dlp_length(dlp_sub(dlp_solid_get(rest, i), dlp_solid_get(rest, 0)));
        most = fmax(most, fabs(now / before - 1));
    }
    assert_true(most < 0.01);  // what damping leaves after 4 s
    close_meshed(&s);
}

static void run_on(int32_t threads, const char *target, double *out_places, size_t size)
{
    solid_setup s = make_box(dlp_vec(1.1, 0.9, 0.7), 0.1);
    s.substance.spin = dlp_vec(1, 2, 3);
    s.substance.solid.yield = 0.02;
    s.substance.solid.flow = 10;
    hold_box(&s, dlp_vec(-1, -1, -1), dlp_vec(0.1, 1, 1));
    open_solid_on(&s, threads, target);
    mesh_solid(&s);
    for (int k = 0; k < 5; k++) advance_solid(&s, 1.0 / 60);
    assert_int_equal(size, 3 * (size_t)s.solid->state.particles.count * sizeof(double));
    memcpy(out_places, s.solid->state.particles.position, size);
    close_meshed(&s);
}

static void any_number_of_threads_and_any_target_gives_the_same_bits(void **state)
{
    (void)state;
    enum { NUMBERS = 3 * 11 * 9 * 7 };
    double one[NUMBERS], other[NUMBERS];
    run_on(1, NULL, one, sizeof one);
    for (int32_t threads = 2; threads <= 3; threads++) {
        run_on(threads, NULL, other, sizeof other);
        assert_memory_equal(one, other, sizeof one);
    }
    run_on(1, "plain", other, sizeof other);
    assert_memory_equal(one, other, sizeof one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_of_n_particles_an_edge_is_five_tetrahedra_a_cube),
        cmocka_unit_test(faces_of_tetrahedra_fit_those_of_their_neighbours),
        cmocka_unit_test(a_turned_box_has_the_same_tetrahedra),
        cmocka_unit_test(blocks_of_a_colour_share_no_particle),
        cmocka_unit_test(particles_at_no_cube_are_counted),
        cmocka_unit_test(the_gradient_of_an_affine_map_is_exact),
        cmocka_unit_test(a_hanging_bar_of_tetrahedra_is_stretched_as_theory_says),
        cmocka_unit_test(a_crushed_body_of_tetrahedra_recovers),
        cmocka_unit_test(any_number_of_threads_and_any_target_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
