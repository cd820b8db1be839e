// A vertex in every cell of a grid through which the surface passes, placed where the planes of the surface
// around it meet, so that edges and corners stay sharp; a quad around every edge of the grid that crosses the
// surface.  [ju2002] Where two sheets pass through a cell each has a vertex of its own.  [nielson2004]
#include "skin/dual_contour.h"
#include "base/eigen.h"
#include "base/memory.h"
#include "skin/cubes.h"
#include "space/shape_tree.h"

#include <assert.h>

enum { EDGE = 8, NODES = EDGE + 1, CELLS = EDGE * EDGE * EDGE, CUBE_EDGES = 12 };
// Bounds of the grid: cells along an axis, blocks in all.
enum { CELL_LIMIT = 1 << 13, BLOCK_LIMIT = 1 << 26 };

// The share of the largest eigenvalue below which the normals of a cell count as not spread along an axis:
// the surface is smooth there.
#define SMOOTH 0.03
// The share of a cell by which vertices keep away from its sides, so that no two coincide.
#define MARGIN 0.02

// EDGE^3 cells near the surface. Nodes on its upper sides are computed again by the blocks behind.
typedef struct cell_block {
    int32_t at[3];                         // in blocks
    double values[NODES * NODES * NODES];  // m: distances at the nodes, x fastest
    uint8_t inside[CELLS];                 // corners of a cell that are inside, as in dlp_cubes
    int32_t first_vertex[CELLS];           // of the sheets through each cell; the others follow
} cell_block;

// One call's grid. Lengths along the field's axes, in m; the mesh is in the world's.
typedef struct dual {
    const dlp_dual_field *field;
    dlp_cubes cubes;
    // by case and edge of a cell: the number of the sheet that crosses the edge
    uint8_t sheet[256][CUBE_EDGES];
    uint8_t sheet_count[256];  // by case
    double low[3], step[3];    // m: the first node; the distance between nodes, about `cell`
    int32_t cells[3], block_counts[3];
    int32_t *place;  // of every block of the box: its index among `blocks`, -1 for none
    cell_block *blocks;
    int32_t count, capacity;
    dlp_mesh *mesh;  // borrowed
} dual;

// The grid.

static dlp_vec3 node_place(const dual *d, const int32_t node[3])
{
    return dlp_vec(d->low[0] + d->step[0] * node[0], d->low[1] + d->step[1] * node[1],
                   d->low[2] + d->step[2] * node[2]);
}

static double distance_at(const dual *d, dlp_vec3 x)
{
    return d->field->distance(d->field->context, dlp_to_world(&d->field->axes, x));
}

// The sides of the bounds lie in the middle of cells, so that those of a box have vertices along its edges,
// and the outermost nodes lie outside the body.
static dlp_status fit_grid(dual *d, double cell, dlp_error *error)
{
    const dlp_box box = d->field->box;
    int64_t blocks = 1;
    for (int axis = 0; axis < 3; axis++) {
        const double low = dlp_component(box.min, axis), width = dlp_component(box.max, axis) - low;
        const double count = fmax(1, floor(width / cell + 0.5));
        if (!(count <= CELL_LIMIT))
            return dlp_fail(error, DLP_INVALID,
                            "surface.cell: %g m is too fine for a body of %g m; at least %g", cell, width,
                            width / CELL_LIMIT);
        d->step[axis] = width / count;
        d->low[axis] = low - 0.5 * d->step[axis];
        d->cells[axis] = (int32_t)count + 1;
        d->block_counts[axis] = (d->cells[axis] + EDGE - 1) / EDGE;
        blocks *= d->block_counts[axis];
    }
    if (blocks > BLOCK_LIMIT)
        return dlp_fail(error, DLP_INVALID, "surface.cell: %g m is too fine for this body", cell);
    d->place = dlp_alloc((size_t)blocks, sizeof *d->place, "skin");
    return d->place != NULL ? DLP_OK : dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room for a grid");
}

static int32_t *place_of(const dual *d, const int32_t at[3])
{
    for (int k = 0; k < 3; k++) assert(at[k] >= 0 && at[k] < d->block_counts[k]);
    return &d->place[((int64_t)at[2] * d->block_counts[1] + at[1]) * d->block_counts[0] + at[0]];
}

// Whether the surface may cross a block, by the ball around it.
static bool may_pass(const dual *d, const int32_t at[3])
{
    const int32_t first[3] = {EDGE * at[0], EDGE * at[1], EDGE * at[2]};
    const dlp_vec3 half = dlp_mul(dlp_vec(d->step[0], d->step[1], d->step[2]), 0.5 * EDGE);
    const dlp_vec3 middle = dlp_to_world(&d->field->axes, dlp_add(node_place(d, first), half));
    return d->field->may_pass(d->field->context, middle, dlp_length(half));
}

static void measure_block(const dual *d, cell_block *b)
{
    for (int32_t n = 0; n < NODES * NODES * NODES; n++) {
        const int32_t node[3] = {EDGE * b->at[0] + n % NODES, EDGE * b->at[1] + n / NODES % NODES,
                                 EDGE * b->at[2] + n / (NODES * NODES)};
        b->values[n] = distance_at(d, node_place(d, node));
    }
}

// In a fixed order, z slowest: so vertices are numbered alike in every run.
static dlp_status add_blocks(dual *d, dlp_error *error)
{
    int32_t at[3];
    for (at[2] = 0; at[2] < d->block_counts[2]; at[2]++)
        for (at[1] = 0; at[1] < d->block_counts[1]; at[1]++)
            for (at[0] = 0; at[0] < d->block_counts[0]; at[0]++) {
                *place_of(d, at) = -1;
                if (!may_pass(d, at)) continue;
                DLP_TRY(
                    dlp_reserve(&d->blocks, &d->capacity, d->count + 1, sizeof *d->blocks, "skin", error));
                *place_of(d, at) = d->count;
                cell_block *b = &d->blocks[d->count++];
                for (int axis = 0; axis < 3; axis++) b->at[axis] = at[axis];
                measure_block(d, b);
            }
    return DLP_OK;
}

// Vertices.

// Numbers the sheets of each case. The triangles of a sheet are a fan: they begin at the same edge.
static void find_sheets(dual *d)
{
    dlp_cubes_init(&d->cubes);
    for (int32_t inside = 0; inside < 256; inside++) {
        const uint8_t *edges = d->cubes.edges[inside];
        for (int32_t t = 0; t < d->cubes.count[inside]; t++) {
            if (t == 0 || edges[3 * t] != edges[3 * t - 3]) d->sheet_count[inside]++;
            for (int32_t k = 0; k < 3; k++)
                d->sheet[inside][edges[3 * t + k]] = (uint8_t)(d->sheet_count[inside] - 1);
        }
    }
}

// Where the distance is 0 between two places on different sides: regula falsi, Illinois variant.
// [dowell1971]
static dlp_vec3 find_crossing(const dual *d, dlp_vec3 a, dlp_vec3 b, double at_a, double at_b)
{
    assert((at_a < 0) != (at_b < 0));
    double low = 0, high = 1, t = 0;
    int side = 0;
    for (int32_t k = 0; k < 40; k++) {
        t = (low * at_b - high * at_a) / (at_b - at_a);
        const double here = distance_at(d, dlp_along(a, dlp_sub(b, a), t));
        if (fabs(here) < 1e-10 * d->step[0]) break;
        const bool is_low = (here < 0) == (at_a < 0);
        if (is_low) {
            low = t;
            at_a = here;
            if (side == 1) at_b *= 0.5;
        } else {
            high = t;
            at_b = here;
            if (side == -1) at_a *= 0.5;
        }
        side = is_low ? 1 : -1;
    }
    return dlp_along(a, dlp_sub(b, a), t);
}

// Distance and normal at a place, both along the field's axes.
static double probe_at(const dual *d, dlp_vec3 x, dlp_vec3 *out_normal)
{
    const dlp_dual_field *field = d->field;
    const double distance = field->probe(field->context, dlp_to_world(&field->axes, x), out_normal);
    *out_normal = dlp_rotate_back(&field->axes, *out_normal);
    return distance;
}

// Places of the surface on the edges of a cell, and its normals there.
typedef struct tangents {
    dlp_vec3 points[CUBE_EDGES], normals[CUBE_EDGES];
    int32_t count;
} tangents;

static tangents find_tangents(const dual *d, const cell_block *b, const int32_t cell[3], int32_t inside,
                              int32_t sheet)
{
    tangents found = {.count = 0};
    for (int32_t edge = 0; edge < CUBE_EDGES; edge++) {
        const int32_t axis = edge / 4, low = dlp_cube_edge_corner(edge), high = low + (1 << axis);
        if ((inside >> low & 1) == (inside >> high & 1) || d->sheet[inside][edge] != sheet) continue;
        int32_t nodes[2][3], values[2];
        for (int end = 0; end < 2; end++) {
            const int32_t corner = end == 0 ? low : high;
            int32_t local[3];
            for (int k = 0; k < 3; k++) local[k] = cell[k] + (corner >> k & 1);
            for (int k = 0; k < 3; k++) nodes[end][k] = EDGE * b->at[k] + local[k];
            values[end] = (local[2] * NODES + local[1]) * NODES + local[0];
        }
        const dlp_vec3 x = find_crossing(d, node_place(d, nodes[0]), node_place(d, nodes[1]),
                                         b->values[values[0]], b->values[values[1]]);
        found.points[found.count] = x;
        probe_at(d, x, &found.normals[found.count++]);
    }
    return found;
}

// The place nearest to all tangent planes, found from the middle of their points along those axes in which
// the planes differ (the pseudo-inverse with small eigenvalues cut off); returns how many these are: 1 on a
// smooth surface, 2 on an edge, 3 at a corner.  [ju2002]
static int32_t meet_planes(const tangents *t, dlp_vec3 middle, dlp_vec3 *out_place)
{
    double planes[3][3] = {{0}}, axes[3][3];
    dlp_vec3 pull = {0};
    for (int32_t k = 0; k < t->count; k++) {
        const double n[3] = {t->normals[k].x, t->normals[k].y, t->normals[k].z};
        for (int i = 0; i < 9; i++) planes[i / 3][i % 3] += n[i / 3] * n[i % 3];
        pull = dlp_along(pull, t->normals[k], dlp_dot(t->normals[k], dlp_sub(t->points[k], middle)));
    }
    dlp_diagonalize(planes, axes);
    const double largest = fmax(planes[0][0], fmax(planes[1][1], planes[2][2]));
    int32_t rank = 0;
    *out_place = middle;
    for (int k = 0; k < 3; k++) {
        if (!(planes[k][k] > SMOOTH * largest)) continue;
        const dlp_vec3 a = dlp_vec(axes[0][k], axes[1][k], axes[2][k]);
        *out_place = dlp_along(*out_place, a, dlp_dot(a, pull) / planes[k][k]);
        rank++;
    }
    return rank;
}

// Moves a place into the cell at `node`, a margin off its sides; true where it was there already.
static bool clamp_into(const dual *d, const int32_t node[3], dlp_vec3 *x)
{
    const dlp_vec3 margin = dlp_mul(dlp_vec(d->step[0], d->step[1], d->step[2]), MARGIN);
    const int32_t beyond[3] = {node[0] + 1, node[1] + 1, node[2] + 1};
    const dlp_vec3 low = dlp_add(node_place(d, node), margin), high = dlp_sub(node_place(d, beyond), margin);
    const dlp_vec3 old = *x;
    *x = dlp_max3(low, dlp_min3(high, old));
    return x->x == old.x && x->y == old.y && x->z == old.z;
}

// Edges and corners take the place where the planes meet, if that is in the cell; everything else is moved
// along the normal onto the surface, a few times, since the distance is not exact.
static dlp_vec3 place_vertex(const dual *d, const cell_block *b, const int32_t cell[3], int32_t inside,
                             int32_t sheet)
{
    const tangents t = find_tangents(d, b, cell, inside, sheet);
    const int32_t node[3] = {EDGE * b->at[0] + cell[0], EDGE * b->at[1] + cell[1], EDGE * b->at[2] + cell[2]};
    dlp_vec3 middle = {0}, x;
    for (int32_t k = 0; k < t.count; k++) middle = dlp_along(middle, t.points[k], 1.0 / t.count);
    const int32_t rank = meet_planes(&t, middle, &x);
    if (clamp_into(d, node, &x) && rank > 1) return x;
    if (rank > 1) x = middle;  // the edge is another cell's
    for (int32_t k = 0; k < 3; k++) {
        dlp_vec3 normal;
        const double distance = probe_at(d, x, &normal);
        x = dlp_along(x, normal, -distance);
    }
    clamp_into(d, node, &x);
    return x;
}

// Finds the case of a cell and adds one vertex for each sheet through it.
static dlp_status add_cell(dual *d, cell_block *b, int32_t index, dlp_error *error)
{
    const int32_t cell[3] = {index % EDGE, index / EDGE % EDGE, index / (EDGE * EDGE)};
    int32_t inside = 0;
    for (int32_t corner = 0; corner < 8; corner++) {
        const int32_t x = cell[0] + (corner & 1), y = cell[1] + (corner >> 1 & 1),
                      z = cell[2] + (corner >> 2);
        inside |= (b->values[(z * NODES + y) * NODES + x] < 0) << corner;
    }
    b->inside[index] = (uint8_t)inside;
    b->first_vertex[index] = d->mesh->vertex_count;
    for (int32_t sheet = 0; sheet < d->sheet_count[inside]; sheet++)
        DLP_TRY(dlp_mesh_add_vertex(
            d->mesh, dlp_to_world(&d->field->axes, place_vertex(d, b, cell, inside, sheet)), error));
    return DLP_OK;
}

// Triangles.

// The vertex of the sheet that crosses an edge of a cell; -1 where `may_pass` had ruled the block out.
static int32_t vertex_of(const dual *d, const int32_t cell[3], int32_t edge)
{
    assert(cell[0] >= 0 && cell[1] >= 0 && cell[2] >= 0);  // the outermost nodes are outside
    const int32_t at[3] = {cell[0] / EDGE, cell[1] / EDGE, cell[2] / EDGE};
    if (*place_of(d, at) < 0) return -1;
    const cell_block *b = &d->blocks[*place_of(d, at)];
    const int32_t index = ((cell[2] % EDGE) * EDGE + cell[1] % EDGE) * EDGE + cell[0] % EDGE;
    return b->first_vertex[index] + d->sheet[b->inside[index]][edge];
}

// The diagonal of a quad whose middle is nearer to the surface, else the shorter one.
static bool is_first_better(const dual *d, const int32_t v[4])
{
    const dlp_vec3 *x = d->mesh->vertices;
    const dlp_dual_field *f = d->field;
    const double first = fabs(f->distance(f->context, dlp_mul(dlp_add(x[v[0]], x[v[2]]), 0.5)));
    const double second = fabs(f->distance(f->context, dlp_mul(dlp_add(x[v[1]], x[v[3]]), 0.5)));
    if (fabs(first - second) > 1e-3 * d->step[0]) return first < second;
    return dlp_length(dlp_sub(x[v[0]], x[v[2]])) <= dlp_length(dlp_sub(x[v[1]], x[v[3]])) * (1 + 1e-9);
}

static dlp_status add_quad(dual *d, const int32_t v[4], bool is_turned, dlp_error *error)
{
    const int32_t first = is_first_better(d, v) ? 0 : 1;
    const int32_t a = v[first], b = v[first + 1], c = v[first + 2], e = v[(first + 3) % 4];
    DLP_TRY(dlp_mesh_add_triangle(d->mesh, a, is_turned ? c : b, is_turned ? b : c, error));
    return dlp_mesh_add_triangle(d->mesh, a, is_turned ? e : c, is_turned ? c : e, error);
}

// The quad of the four cells around an edge of the grid, counter-clockwise seen against its direction.
static dlp_status add_around(dual *d, const int32_t node[3], int axis, bool is_turned, dlp_error *error)
{
    const int u = (axis + 1) % 3, w = (axis + 2) % 3, lower = u < w ? u : w;
    int32_t v[4];
    for (int k = 0; k < 4; k++) {
        int32_t cell[3] = {node[0], node[1], node[2]};
        const int back_u = k == 1 || k == 2, back_w = k >= 2;
        cell[u] -= back_u;
        cell[w] -= back_w;
        const int32_t edge = 4 * axis + (lower == u ? back_u + 2 * back_w : back_w + 2 * back_u);
        v[k] = vertex_of(d, cell, edge);
        if (v[k] < 0) return DLP_OK;  // the mesh is open there
    }
    return add_quad(d, v, is_turned, error);
}

// A cell has the three edges that start at its lower corner, so that every edge is visited once.
static dlp_status add_quads(dual *d, const cell_block *b, int32_t index, dlp_error *error)
{
    static const int32_t strides[3] = {1, NODES, NODES * NODES};
    const int32_t cell[3] = {index % EDGE, index / EDGE % EDGE, index / (EDGE * EDGE)};
    const int32_t node[3] = {EDGE * b->at[0] + cell[0], EDGE * b->at[1] + cell[1], EDGE * b->at[2] + cell[2]};
    const double *value = &b->values[(cell[2] * NODES + cell[1]) * NODES + cell[0]];
    for (int axis = 0; axis < 3; axis++) {
        const bool is_in = value[0] < 0, goes_in = value[strides[axis]] < 0;
        if (is_in != goes_in) DLP_TRY(add_around(d, node, axis, goes_in, error));
    }
    return DLP_OK;
}

static dlp_status build(dual *d, double cell, dlp_error *error)
{
    find_sheets(d);
    DLP_TRY(fit_grid(d, cell, error));
    DLP_TRY(add_blocks(d, error));
    for (int32_t k = 0; k < d->count; k++)
        for (int32_t index = 0; index < CELLS; index++) DLP_TRY(add_cell(d, &d->blocks[k], index, error));
    for (int32_t k = 0; k < d->count; k++)
        for (int32_t index = 0; index < CELLS; index++) DLP_TRY(add_quads(d, &d->blocks[k], index, error));
    return DLP_OK;
}

dlp_status dlp_dual_contour(const dlp_dual_field *field, double cell, dlp_mesh *out_mesh, dlp_error *error)
{
    *out_mesh = (dlp_mesh){0};
    dual d = {.field = field, .mesh = out_mesh};
    const dlp_status status = build(&d, cell, error);
    if (status != DLP_OK) dlp_mesh_release(out_mesh);
    dlp_free(d.place);
    dlp_free(d.blocks);
    return status;
}

// Shapes.

static double shape_distance(const void *shape, dlp_vec3 x)
{
    return dlp_shape_distance(shape, x);
}

static double shape_probe(const void *shape, dlp_vec3 x, dlp_vec3 *out_normal)
{
    return dlp_shape_probe(shape, x, out_normal);
}

// A shape's distance is never larger than the true one, so the test misses no block.
static bool shape_may_pass(const void *shape, dlp_vec3 middle, double radius)
{
    return fabs(dlp_shape_distance(shape, middle)) <= 1.001 * radius;
}

dlp_status dlp_dual_mesh(const dlp_shape *shape, double cell, dlp_mesh *out_mesh, dlp_error *error)
{
    dlp_dual_field field = {
        .context = shape, .distance = shape_distance, .probe = shape_probe, .may_pass = shape_may_pass};
    field.axes = dlp_shape_node_axes(shape, 0, &field.box);
    return dlp_dual_contour(&field, cell, out_mesh, error);
}
