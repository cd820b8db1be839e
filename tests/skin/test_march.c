/* Triangles of a field on a band. Truths: a surface of white noise is closed and manifold, however the signs
 * fall; the 256 cases close against one another; a ball's volume, area and normals, with their order. */
#include "base/memory.h"
#include "base/random.h"
#include "skin/march.h"
#include "truth.h"

#include <string.h>

typedef double field_fn(int32_t x, int32_t y, int32_t z, const void *context);

typedef struct grid {
    dlp_band band;
    float *values;
} grid;

// All blocks of a cube of `size` nodes around the origin, `size` a multiple of 8.
static grid make_grid(int32_t size, field_fn *field, const void *context)
{
    grid g = {0};
    const int32_t half = size / 8;
    for (int32_t z = -half; z < half; z++)
        for (int32_t y = -half; y < half; y++)
            for (int32_t x = -half; x < half; x++)
                assert_int_equal(dlp_band_add(&g.band, (int32_t[3]){x, y, z}, NULL), DLP_OK);
    assert_int_equal(dlp_band_link(&g.band, NULL, NULL), DLP_OK);
    g.values = dlp_alloc((size_t)g.band.count * DLP_BLOCK_NODES, sizeof *g.values, "test");
    for (int32_t b = 0; b < g.band.count; b++)
        for (int32_t n = 0; n < DLP_BLOCK_NODES; n++) {
            const int32_t *at = g.band.blocks[b];
            g.values[b * DLP_BLOCK_NODES + n] =
                (float)field(4 * at[0] + n % 4, 4 * at[1] + n / 4 % 4, 4 * at[2] + n / 16, context);
        }
    return g;
}

static void release_grid(grid *g)
{
    dlp_band_release(&g->band);
    dlp_free(g->values);
}

static dlp_surface_mesh march(const grid *g, double cell, dlp_team *team, double *out_volume)
{
    dlp_error error = {0};
    dlp_marcher marcher = {0};
    dlp_surface_mesh mesh = {0};
    if (dlp_march(&marcher, &g->band, g->values, cell, team, &mesh, &error) != DLP_OK)
        fail_msg("%s", error.message);
    *out_volume = marcher.volume;
    dlp_marcher_release(&marcher);
    return mesh;
}

static dlp_mesh_report expect_sound_mesh(const dlp_mesh *mesh)
{
    dlp_mesh_report m;
    assert_int_equal(dlp_mesh_check(mesh, &m, NULL), DLP_OK);
    if (!m.is_sound)
        fail_msg("%d open, %d nonmanifold, %d misoriented edges, %d touching vertices, %d degenerate, %d "
                 "double triangles, %d pieces inside out",
                 m.open_edges, m.nonmanifold_edges, m.misoriented_edges, m.nonmanifold_vertices,
                 m.degenerate_triangles, m.duplicate_triangles, m.misfacing_components);
    assert_int_equal(m.isolated_vertices, 0);
    return m;
}

// White noise.

typedef struct noise {
    uint64_t seed;
    int32_t half;        // nodes from the origin to the border, which is outside
    bool is_two_valued;  // -1 and 1 alone
    double zeros;        // share of nodes that are exactly zero
} noise;

static double noise_at(int32_t x, int32_t y, int32_t z, const void *context)
{
    const noise *n = context;
    const int32_t low = -n->half + 2, high = n->half - 3;
    if (x < low || y < low || z < low || x > high || y > high || z > high) return -1;
    const uint64_t key = (uint64_t)((x + 512) + 1024 * ((y + 512) + 1024 * (z + 512)));
    if (dlp_random(key, n->seed, 1) < n->zeros) return 0;
    const double value = 2 * dlp_random(key, n->seed, 0) - 1;
    return n->is_two_valued ? (value > 0 ? 1 : -1) : value;
}

static void white_noise_has_a_closed_manifold_surface(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        const noise n = {seed, 16, seed % 2 == 1, seed < 4 ? 0 : 0.2};
        grid g = make_grid(2 * n.half, noise_at, &n);
        double volume;
        dlp_surface_mesh mesh = march(&g, 0.25, NULL, &volume);
        const dlp_mesh_report report = expect_sound_mesh(&mesh.mesh);
        assert_true(report.triangle_count > 20000);  // nearly all of the 256 cases many times over
        assert_near(volume, report.volume, 1e-9 * fabs(report.volume));
        dlp_surface_mesh_release(&mesh);
        release_grid(&g);
    }
}

static void threads_give_the_same_triangles(void **state)
{
    (void)state;
    const noise n = {.seed = 3, .half = 16};
    grid g = make_grid(2 * n.half, noise_at, &n);
    dlp_team *team;
    assert_int_equal(dlp_team_create(3, &team, NULL), DLP_OK);
    double volumes[2];
    dlp_surface_mesh a = march(&g, 0.25, NULL, &volumes[0]), b = march(&g, 0.25, team, &volumes[1]);
    assert_int_equal(a.mesh.vertex_count, b.mesh.vertex_count);
    assert_int_equal(a.mesh.triangle_count, b.mesh.triangle_count);
    const size_t vertices = (size_t)a.mesh.vertex_count, triangles = (size_t)a.mesh.triangle_count;
    assert_memory_equal(a.mesh.vertices, b.mesh.vertices, vertices * sizeof *a.mesh.vertices);
    assert_memory_equal(a.mesh.triangles, b.mesh.triangles, triangles * sizeof *a.mesh.triangles);
    assert_memory_equal(a.normals, b.normals, 3 * vertices * sizeof(float));
    assert_memory_equal(volumes, volumes + 1, sizeof volumes[0]);
    dlp_team_destroy(team);
    dlp_surface_mesh_release(&a);
    dlp_surface_mesh_release(&b);
    release_grid(&g);
}

// The corners of one cell alone inside, as bits.
static double corner_at(int32_t x, int32_t y, int32_t z, const void *context)
{
    const uint32_t corners = *(const uint32_t *)context;
    if (x < 0 || y < 0 || z < 0 || x > 1 || y > 1 || z > 1) return -1;
    return corners >> (x + 2 * y + 4 * z) & 1 ? 1 : -1;
}

static void every_case_of_a_cell_is_closed(void **state)
{
    (void)state;
    for (uint32_t corners = 1; corners < 256; corners++) {
        grid g = make_grid(8, corner_at, &corners);
        double volume;
        dlp_surface_mesh mesh = march(&g, 1, NULL, &volume);
        const dlp_mesh_report report = expect_sound_mesh(&mesh.mesh);
        assert_true(report.volume > 0);
        dlp_surface_mesh_release(&mesh);
        release_grid(&g);
    }
}

// An exact ball of radius 1 m.

typedef struct ball {
    double cell;
    dlp_vec3 center;
} ball;

static double ball_at(int32_t x, int32_t y, int32_t z, const void *context)
{
    const ball *b = context;
    return (1 - dlp_length(dlp_sub(dlp_mul(dlp_vec(x, y, z), b->cell), b->center))) / b->cell;
}

// Root of the mean square angle between normals and radii, degrees.
static double error_of_normals(const dlp_surface_mesh *mesh, dlp_vec3 center)
{
    double sum = 0;
    for (int32_t v = 0; v < mesh->mesh.vertex_count; v++) {
        const dlp_vec3 radial = dlp_normalize(dlp_sub(mesh->mesh.vertices[v], center), dlp_vec(1, 0, 0));
        const float *n = mesh->normals + 3 * v;
        const double c = dlp_dot(radial, dlp_vec((double)n[0], (double)n[1], (double)n[2]));
        const double angle = 180 / DLP_PI * acos(fmin(fmax(c, -1), 1));
        sum += angle * angle;
    }
    return sqrt(sum / mesh->mesh.vertex_count);
}

static void a_ball_is_of_second_order(void **state)
{
    (void)state;
    double volume_errors[3], area_errors[3];
    for (int k = 0; k < 3; k++) {
        const int32_t size = 24 << k;
        const ball b = {24.0 / size / 8, {0.013, -0.021, 0.007}};
        grid g = make_grid(size, ball_at, &b);
        double volume;
        dlp_surface_mesh mesh = march(&g, b.cell, NULL, &volume);
        const dlp_mesh_report report = expect_sound_mesh(&mesh.mesh);
        volume_errors[k] = fabs(report.volume / (4 * DLP_PI / 3) - 1);
        area_errors[k] = fabs(report.area / (4 * DLP_PI) - 1);
        // Degrees; the places of vertices, a twentieth of a cell off at most, are of first order.
        assert_near(error_of_normals(&mesh, b.center), 0, 0.25 / (1 << k));
        dlp_surface_mesh_release(&mesh);
        release_grid(&g);
    }
    for (int k = 0; k < 2; k++) assert_near(volume_errors[k] / volume_errors[k + 1], 4, 0.6);
    // Vertices keep off the nodes, so that no triangle is thin: that adds a little area at any cell.
    for (int k = 0; k < 3; k++) assert_near(area_errors[k], 0, 0.006 / (1 << (2 * k)) + 0.0005);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(white_noise_has_a_closed_manifold_surface),
        cmocka_unit_test(threads_give_the_same_triangles),
        cmocka_unit_test(every_case_of_a_cell_is_closed),
        cmocka_unit_test(a_ball_is_of_second_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
