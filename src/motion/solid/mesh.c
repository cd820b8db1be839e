/* A mesh for comparison: tetrahedra between particles on a cubic lattice. Every cube whose eight corners are
 * particles becomes five tetrahedra, the fewest there can be; cubes alternate, so that their faces fit. A
 * tetrahedron's deformation gradient is the constant one of its corners, so that it needs no springs; all
 * else is as for particles.  [bender2014] */
#include "motion/solid/solver.h"

#include <string.h>

// Cubes along the edge of a block. Blocks of one colour share no corner from one on; with more there are
// fewer groups to begin, and with fewer the corners of eight blocks stay in the nearest cache.
enum { BLOCK_CUBES = 3 };

// Corner x + 2 y + 4 z of a cube. The first tetrahedron is in its middle, the others are beside that.
static const int32_t five[DLP_CUBE_TETRAHEDRA][4] = {
    {1, 2, 4, 7}, {0, 1, 2, 4}, {3, 1, 2, 7}, {5, 1, 4, 7}, {6, 2, 4, 7}};

// ---- cubes
// --------------------------------------------------------------------------------------------------

// Whether an offset leads to the next particle along an axis. Lattices are stretched a little to fit.
static bool is_step(dlp_vec3 offset, int axis, double spacing)
{
    const double along = dlp_component(offset, axis);
    const double aside = dlp_dot(offset, offset) - along * along;
    return along > 0.5 * spacing && along < 1.4 * spacing && aside < 1e-4 * spacing * spacing;
}

// The next particle along an axis; -1 for none.
static int32_t next_along(const dlp_solid *solid, int32_t i, int axis)
{
    const dlp_solid_particles *p = &solid->particles;
    if (i < 0) return -1;
    for (int32_t n = solid->rest.begin[i]; n < solid->rest.begin[i + 1]; n++) {
        const int32_t j = solid->rest.neighbour[n];
        const dlp_vec3 offset = dlp_sub(dlp_solid_get(p->rest, j), dlp_solid_get(p->rest, i));
        if (is_step(offset, axis, solid->flesh[p->substance[i]].spacing)) return j;
    }
    return -1;
}

// Whether a particle is the lower corner of a cube, and its corners.
static bool find_cube(const dlp_solid *solid, int32_t i, int32_t out_corners[8])
{
    out_corners[0] = i;
    bool is_whole = true;
    for (int32_t c = 1; c < 8 && is_whole; c++) {
        const int axis = c >= 4 ? 2 : c >= 2 ? 1 : 0;
        out_corners[c] = next_along(solid, out_corners[c - (1 << axis)], axis);
        is_whole = out_corners[c] >= 0;
    }
    return is_whole;
}

// Whether it is an odd number of steps from `first`, the steps along the axes counted together.
static bool is_odd(const dlp_solid *solid, const int32_t corners[8], int32_t first)
{
    const double *rest = solid->particles.rest;
    const dlp_vec3 low = dlp_solid_get(rest, corners[0]), high = dlp_solid_get(rest, corners[7]);
    const dlp_vec3 way = dlp_sub(low, dlp_solid_get(rest, first)), step = dlp_sub(high, low);
    const int64_t steps = (int64_t)(round(way.x / step.x) + round(way.y / step.y) + round(way.z / step.z));
    return (steps & 1) != 0;
}

// In an odd cube the other four corners are those of the middle: it is numbered as in a mirror.
static void mirror_cube(int32_t corners[8])
{
    for (int32_t c = 0; c < 8; c += 2) {
        const int32_t kept = corners[c];
        corners[c] = corners[c + 1];
        corners[c + 1] = kept;
    }
}

static dlp_status find_cubes(dlp_solid *solid, dlp_solid_mesh *mesh, dlp_error *error)
{
    const dlp_solid_particles *p = &solid->particles;
    int32_t *first = dlp_alloc((size_t)solid->body_count + 1, sizeof *first, "solids");
    dlp_status status = first != NULL ? DLP_OK : dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room");
    for (int32_t i = p->count - 1; i >= 0 && status == DLP_OK; i--) first[p->body[i]] = i;
    for (int32_t i = 0; i < p->count && status == DLP_OK; i++) {
        int32_t corners[8];
        if (!find_cube(solid, i, corners)) continue;
        if (is_odd(solid, corners, first[p->body[i]])) mirror_cube(corners);
        status = dlp_reserve(&mesh->cubes, &mesh->cube_capacity, mesh->cube_count + 1, sizeof *mesh->cubes,
                             "solids", error);
        if (status == DLP_OK) memcpy(mesh->cubes[mesh->cube_count++], corners, sizeof corners);
    }
    dlp_free(first);
    return status;
}

static dlp_status count_loose(const dlp_solid *solid, dlp_solid_mesh *mesh, dlp_error *error)
{
    uint8_t *is_corner = dlp_alloc((size_t)solid->particles.count + 1, 1, "solids");
    if (is_corner == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room");
    for (int32_t k = 0; k < 8 * mesh->cube_count; k++) is_corner[mesh->cubes[k / 8][k % 8]] = 1;
    for (int32_t i = 0; i < solid->particles.count; i++) mesh->loose_count += !is_corner[i];
    dlp_free(is_corner);
    return DLP_OK;
}

// ---- tetrahedra
// ---------------------------------------------------------------------------------------------

// sum (X_k - X_0) b_k^T = I: the b are the rows of the inverse of the matrix of edges.
void dlp_solid_tetrahedron(const dlp_solid *solid, int32_t tetrahedron, dlp_stencil *out_stencil)
{
    const int32_t *cube = solid->mesh->cubes[tetrahedron / DLP_CUBE_TETRAHEDRA];
    const int32_t *corner = five[tetrahedron % DLP_CUBE_TETRAHEDRA];
    const double *rest = solid->particles.rest;
    dlp_stencil *s = out_stencil;
    s->centre = cube[corner[0]];
    s->count = 3;
    for (int32_t n = 0; n < 3; n++) {
        s->neighbour[n] = cube[corner[n + 1]];
        s->offset[n] = dlp_sub(dlp_solid_get(rest, s->neighbour[n]), dlp_solid_get(rest, s->centre));
    }
    const double determinant = dlp_dot(s->offset[0], dlp_cross(s->offset[1], s->offset[2]));
    for (int32_t n = 0; n < 3; n++)
        s->b[n] = dlp_mul(dlp_cross(s->offset[(n + 1) % 3], s->offset[(n + 2) % 3]), 1 / determinant);
    s->volume = fabs(determinant) / 6;
    for (int k = 0; k < 6; k++) s->missing[k] = 0;
    s->reach = s->weight = 0;
}

static dlp_knot knot_of_tetrahedron(const dlp_solid *solid, int32_t tetrahedron)
{
    const int32_t *cube = solid->mesh->cubes[tetrahedron / DLP_CUBE_TETRAHEDRA];
    const dlp_vec3 a = dlp_solid_get(solid->particles.rest, cube[0]),
                   b = dlp_solid_get(solid->particles.rest, cube[7]);
    const dlp_vec3 step = dlp_sub(dlp_max3(a, b), dlp_min3(a, b));
    return (dlp_knot){.particle = cube[0],
                      .at = dlp_min3(a, b),
                      .edge = BLOCK_CUBES * fmax(step.x, fmax(step.y, step.z)) * (1 + 1e-6),
                      .link_count = 3};
}

static dlp_status start_turns(dlp_solid_mesh *mesh, dlp_error *error)
{
    const size_t count = (size_t)(DLP_CUBE_TETRAHEDRA * mesh->cube_count + mesh->order.group_count);
    mesh->turns = dlp_alloc(count, 4 * sizeof(float), "solids");
    mesh->lasting = dlp_alloc(count, 9 * sizeof(float), "solids");
    if (mesh->turns == NULL || mesh->lasting == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room");
    for (size_t k = 0; k < count; k++) mesh->turns[4 * k] = 1;
    return DLP_OK;
}

// ---- in place of the particles
// -------------------------------------------------------------------------------

static dlp_status build(dlp_solid *solid, dlp_error *error)
{
    dlp_solid_mesh *mesh = solid->mesh;
    if (solid->may_break)
        return dlp_fail(error, DLP_INVALID,
                        "a mesh of solids: it cannot be cut; leave out what cuts or breaks");
    DLP_TRY(find_cubes(solid, mesh, error));
    if (mesh->cube_count == 0)
        return dlp_fail(error, DLP_INVALID,
                        "a mesh of solids: no eight particles form a cube; take `lattice: cubic`, without "
                        "`jitter` and `rotate`");
    if (mesh->cube_count > INT32_MAX / 16)
        return dlp_fail(error, DLP_INVALID, "a mesh of solids: %d cubes; at most %d", mesh->cube_count,
                        INT32_MAX / 16);
    DLP_TRY(count_loose(solid, mesh, error));
    const dlp_constraints tetrahedra = {DLP_CUBE_TETRAHEDRA * mesh->cube_count, knot_of_tetrahedron,
                                        dlp_solid_tetrahedron};
    DLP_TRY(dlp_weave_order_make(solid, &tetrahedra, &mesh->order, error));
    DLP_TRY(start_turns(mesh, error));
    dlp_solid_weigh_rows(solid);
    return DLP_OK;
}

dlp_status dlp_solid_use_mesh(dlp_solid *solid, dlp_error *error)
{
    solid->mesh = dlp_alloc(1, sizeof *solid->mesh, "solids");
    if (solid->mesh == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room");
    const dlp_status status = build(solid, error);
    if (status == DLP_OK) return DLP_OK;
    dlp_solid_mesh_destroy(solid->mesh);
    solid->mesh = NULL;
    return status;
}

void dlp_solid_mesh_destroy(dlp_solid_mesh *mesh)
{
    if (mesh == NULL) return;
    dlp_weave_order_release(&mesh->order);
    dlp_free(mesh->cubes);
    dlp_free(mesh->turns);
    dlp_free(mesh->lasting);
    dlp_free(mesh);
}
