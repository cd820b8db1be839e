/* A mesh for comparison: tetrahedra between particles on a cubic lattice. Every cube whose eight corners are
 * particles becomes five tetrahedra, the fewest there can be; cubes alternate, so that their faces fit. A
 * tetrahedron's deformation gradient is the constant one of its corners, so that it needs no springs; all
 * else is as for particles.  [bender2014] */
#include "solid_tetrahedra.h"

#include <string.h>

// Cubes along the edge of a block. Blocks of one colour share no corner from one on; with more there are
// fewer groups to begin, and with fewer the corners of eight blocks stay in the nearest cache.
enum { BLOCK_CUBES = 3 };

// Corner x + 2 y + 4 z of a cube. The first tetrahedron is in its middle, the others are beside that.
static const int32_t five[DLP_CUBE_TETRAHEDRA][4] = {
    {1, 2, 4, 7}, {0, 1, 2, 4}, {3, 1, 2, 7}, {5, 1, 4, 7}, {6, 2, 4, 7}};

// The lattice of a body.

// Lattices lie along the axes of what they fill, and are stretched a little to fit.
typedef struct body_lattice {
    int32_t first;  // particle of the body
    int32_t axis_count;
    dlp_vec3 steps[3];  // m: to the next particle
} body_lattice;

static dlp_vec3 offset_of(const dlp_solid *solid, int32_t i, int32_t j)
{
    return dlp_sub(dlp_solid_get(solid->state.particles.x0, j), dlp_solid_get(solid->state.particles.x0, i));
}

// Three steps from a particle at right angles, where it has them.
static void find_steps(const dlp_solid *solid, int32_t i, body_lattice *out)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    const double spacing = solid->params.materials[solid->state.particles.substance[i]].spacing,
                 tiny = 1e-3 * spacing * spacing;
    out->axis_count = 0;
    for (int32_t n = links.begin[i]; n < links.begin[i + 1] && out->axis_count < 3; n++) {
        const dlp_vec3 offset = offset_of(solid, i, links.neighbour[n]);
        bool is_new = dlp_length(offset) < 1.2 * spacing;  // no diagonal
        for (int k = 0; k < out->axis_count; k++)
            is_new = is_new && fabs(dlp_dot(offset, out->steps[k])) < tiny;
        if (is_new) out->steps[out->axis_count++] = offset;
    }
}

static void find_lattices(const dlp_solid *solid, body_lattice *lattices)
{
    for (int32_t i = 0; i < solid->state.particles.count; i++) {
        body_lattice *lattice = &lattices[solid->state.particles.body[i]];
        if (lattice->axis_count == 3) continue;
        lattice->first = i;
        find_steps(solid, i, lattice);
    }
}

// Cubes.

// The particle a step away; -1 for none.
static int32_t next_along(const dlp_solid *solid, int32_t i, dlp_vec3 step)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    for (int32_t n = links.begin[i]; n < links.begin[i + 1]; n++) {
        const int32_t j = links.neighbour[n];
        const dlp_vec3 away = dlp_sub(offset_of(solid, i, j), step);
        if (dlp_dot(away, away) < 1e-4 * dlp_dot(step, step)) return j;
    }
    return -1;
}

// Whether a particle is the first corner of a cube, and its corners.
static bool find_cube(const dlp_solid *solid, const body_lattice *lattice, int32_t i, int32_t out_corners[8])
{
    bool is_whole = lattice->axis_count == 3;
    out_corners[0] = i;
    for (int32_t c = 1; c < 8 && is_whole; c++) {
        const int axis = c >= 4 ? 2 : c >= 2 ? 1 : 0;
        out_corners[c] = next_along(solid, out_corners[c - (1 << axis)], lattice->steps[axis]);
        is_whole = out_corners[c] >= 0;
    }
    return is_whole;
}

// Whether it is an odd number of steps from the body's first particle, those along all axes together.
static bool is_odd(const dlp_solid *solid, const body_lattice *lattice, int32_t i)
{
    const dlp_vec3 offset = offset_of(solid, lattice->first, i);
    int64_t steps = 0;
    for (int k = 0; k < 3; k++)
        steps += (int64_t)round(dlp_dot(offset, lattice->steps[k]) /
                                dlp_dot(lattice->steps[k], lattice->steps[k]));
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

static dlp_status find_cubes(const dlp_solid *solid, const body_lattice *lattices, dlp_tetrahedra *tetrahedra,
                             dlp_error *error)
{
    for (int32_t i = 0; i < solid->state.particles.count; i++) {
        const body_lattice *lattice = &lattices[solid->state.particles.body[i]];
        int32_t corners[8];
        if (!find_cube(solid, lattice, i, corners)) continue;
        if (is_odd(solid, lattice, i)) mirror_cube(corners);
        DLP_TRY(dlp_reserve(&tetrahedra->cubes, &tetrahedra->cube_capacity, tetrahedra->cube_count + 1,
                            sizeof *tetrahedra->cubes, "solids", error));
        memcpy(tetrahedra->cubes[tetrahedra->cube_count++], corners, sizeof corners);
    }
    return DLP_OK;
}

static dlp_status cut_into_cubes(const dlp_solid *solid, dlp_tetrahedra *tetrahedra, dlp_error *error)
{
    body_lattice *lattices = dlp_alloc((size_t)solid->topology.body_count + 1, sizeof *lattices, "solids");
    if (lattices == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room");
    find_lattices(solid, lattices);
    const dlp_status status = find_cubes(solid, lattices, tetrahedra, error);
    dlp_free(lattices);
    return status;
}

static dlp_status count_loose(const dlp_solid *solid, dlp_tetrahedra *tetrahedra, dlp_error *error)
{
    uint8_t *is_corner = dlp_alloc((size_t)solid->state.particles.count + 1, 1, "solids");
    if (is_corner == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room");
    for (int32_t k = 0; k < 8 * tetrahedra->cube_count; k++) is_corner[tetrahedra->cubes[k / 8][k % 8]] = 1;
    for (int32_t i = 0; i < solid->state.particles.count; i++) tetrahedra->loose_count += !is_corner[i];
    dlp_free(is_corner);
    return DLP_OK;
}

// Tetrahedra.

const dlp_tetrahedra *dlp_tetrahedra_of(const dlp_solid *solid)
{
    return (const dlp_tetrahedra *)solid->topology.mesh;
}

// sum (X_k - X_0) b_k^T = I: the b are the rows of the inverse of the matrix of edges.
void dlp_tetrahedra_stencil(const dlp_solid *solid, int32_t tetrahedron, dlp_stencil *out_stencil)
{
    const int32_t *cube = dlp_tetrahedra_of(solid)->cubes[tetrahedron / DLP_CUBE_TETRAHEDRA];
    const int32_t *corner = five[tetrahedron % DLP_CUBE_TETRAHEDRA];
    const double *x0 = solid->state.particles.x0;
    dlp_stencil *s = out_stencil;
    s->centre = cube[corner[0]];
    s->count = 3;
    for (int32_t n = 0; n < 3; n++) {
        s->neighbour[n] = cube[corner[n + 1]];
        s->offset[n] = dlp_sub(dlp_solid_get(x0, s->neighbour[n]), dlp_solid_get(x0, s->centre));
    }
    const double determinant = dlp_dot(s->offset[0], dlp_cross(s->offset[1], s->offset[2]));
    for (int32_t n = 0; n < 3; n++)
        s->b[n] = dlp_mul(dlp_cross(s->offset[(n + 1) % 3], s->offset[(n + 2) % 3]), 1 / determinant);
    s->volume = fabs(determinant) / 6;
    for (int k = 0; k < 6; k++) s->missing[k] = 0;
    s->reach = s->weight = 0;
}

// By the middle of its cube, from which a corner is less than a spacing away along any axis.
static dlp_constraint_info info_of_tetrahedron(const dlp_solid *solid, int32_t tetrahedron)
{
    const int32_t *cube = dlp_tetrahedra_of(solid)->cubes[tetrahedron / DLP_CUBE_TETRAHEDRA];
    const double *x0 = solid->state.particles.x0;
    const dlp_vec3 middle = dlp_mul(dlp_add(dlp_solid_get(x0, cube[0]), dlp_solid_get(x0, cube[7])), 0.5);
    const double spacing = solid->params.materials[solid->state.particles.substance[cube[0]]].spacing;
    return (dlp_constraint_info){.particle = cube[0],
                                 .at = dlp_sub(middle, dlp_mul(dlp_vec(1, 1, 1), 0.5 * spacing)),
                                 .edge = BLOCK_CUBES * spacing * (1 + 1e-6),
                                 .link_count = 3};
}

static dlp_status start_rotations(dlp_solid_mesh *mesh, dlp_error *error)
{
    const size_t count = (size_t)(mesh->constraint_count + mesh->coloring.group_count);
    mesh->rotations = dlp_alloc(count, 4 * sizeof(float), "solids");
    mesh->plastic = dlp_alloc(count, 9 * sizeof(float), "solids");
    if (mesh->rotations == NULL || mesh->plastic == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room");
    for (size_t k = 0; k < count; k++) mesh->rotations[4 * k] = 1;
    return DLP_OK;
}

// In place of the particles.

static dlp_status build(dlp_solid *solid, dlp_tetrahedra *tetrahedra, dlp_error *error)
{
    dlp_solid_mesh *mesh = &tetrahedra->mesh;
    if (solid->params.may_break)
        return dlp_fail(error, DLP_INVALID,
                        "a mesh of solids: it cannot be cut; leave out what cuts or breaks");
    DLP_TRY(cut_into_cubes(solid, tetrahedra, error));
    if (tetrahedra->cube_count == 0)
        return dlp_fail(error, DLP_INVALID,
                        "a mesh of solids: no eight particles form a cube; take `particle.lattice: cubic` "
                        "without `jitter`");
    if (tetrahedra->cube_count > INT32_MAX / 16)
        return dlp_fail(error, DLP_INVALID, "a mesh of solids: %d cubes; at most %d", tetrahedra->cube_count,
                        INT32_MAX / 16);
    DLP_TRY(count_loose(solid, tetrahedra, error));
    mesh->constraint_count = DLP_CUBE_TETRAHEDRA * tetrahedra->cube_count;
    const dlp_constraints constraints = {mesh->constraint_count, info_of_tetrahedron, dlp_tetrahedra_stencil};
    DLP_TRY(dlp_constraint_coloring_make(solid, &constraints, &mesh->coloring, error));
    DLP_TRY(start_rotations(mesh, error));
    dlp_solid_set_constraint_masses(solid);
    return DLP_OK;
}

dlp_status dlp_tetrahedra_use(dlp_solid *solid, dlp_error *error)
{
    dlp_tetrahedra *tetrahedra = dlp_alloc(1, sizeof *tetrahedra, "solids");
    if (tetrahedra == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room");
    solid->topology.mesh = &tetrahedra->mesh;
    const dlp_status status = build(solid, tetrahedra, error);
    if (status != DLP_OK) dlp_tetrahedra_remove(solid);
    return status;
}

void dlp_tetrahedra_remove(dlp_solid *solid)
{
    if (solid == NULL || solid->topology.mesh == NULL) return;
    dlp_tetrahedra *tetrahedra = (dlp_tetrahedra *)solid->topology.mesh;
    solid->topology.mesh = NULL;
    dlp_constraint_coloring_release(&tetrahedra->mesh.coloring);
    dlp_free(tetrahedra->mesh.rotations);
    dlp_free(tetrahedra->mesh.plastic);
    dlp_free(tetrahedra->cubes);
    dlp_free(tetrahedra);
}
