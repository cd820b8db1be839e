/* Sheets: a rectangle as a grid of cells, each cut into two triangles; and ropes, a sheet one particle wide.
 */
#include "motion/cloth/cloth_solver.h"
#include "space/shape_tree.h"

enum { PARTICLE_LIMIT = 20000000 };

// Particles and elements.

dlp_status dlp_cloth_add_particle(dlp_cloth *cloth, int32_t substance, dlp_vec3 x, dlp_error *error)
{
    dlp_cloth_particles *p = &cloth->state.particles;
    const dlp_substance_def *def = &cloth->params.scene->substances[substance];
    if (p->count == PARTICLE_LIMIT)
        return dlp_fail(error, DLP_INVALID, "substances.%s: more than %d particles", def->name,
                        PARTICLE_LIMIT);
    if (p->count + 1 > p->capacity) DLP_TRY(dlp_cloth_reserve_particles(cloth, p->count + 1, error));
    const int32_t i = p->count++;
    const dlp_vec3 spin = dlp_cross(def->spin, dlp_sub(x, def->spin_center));
    dlp_cloth_set(p->position, i, x);
    dlp_cloth_set(p->start_place, i, x);
    dlp_cloth_set(p->velocity, i, dlp_add(def->velocity, spin));
    p->mass[i] = 0;
    p->substance[i] = substance;
    p->pin[i] = -1;
    p->id[i] = cloth->state.next_id++;
    p->state[i] = 0;
    return DLP_OK;
}

dlp_status dlp_cloth_add_triangle(dlp_cloth *cloth, const dlp_cloth_triangle *triangle,
                                  const int32_t corner[3], dlp_error *error)
{
    dlp_cloth_triangles *triangles = &cloth->params.triangles;
    const int32_t t = triangles->count;
    DLP_TRY(dlp_cloth_reserve_triangles(cloth, t + 1, error));
    triangles->rest[t] = *triangle;
    triangles->count++;
    const double mass = cloth->params.fabrics[triangle->substance].weight * triangle->area / 3;
    for (int k = 0; k < 3; k++) {
        assert(corner[k] >= 0 && corner[k] < cloth->state.particles.count);
        dlp_cloth_corners_of(&cloth->state.corners, t)[k] = corner[k];
        cloth->state.particles.mass[corner[k]] += mass;
    }
    return DLP_OK;
}

// Sheets.

// A rectangle in space, cut into columns x rows cells.
typedef struct grid {
    int32_t substance, first, columns, rows;
    int32_t first_triangle;
    dlp_vec3 corner, u, v;  // m: the first corner; along a cell's sides
    double a, b;            // m: of a cell
} grid;

static dlp_status add_grid_points(dlp_cloth *cloth, const grid *g, dlp_error *error)
{
    for (int32_t row = 0; row <= g->rows; row++)
        for (int32_t column = 0; column <= g->columns; column++) {
            const dlp_vec3 x = dlp_along(dlp_along(g->corner, g->u, column), g->v, row);
            DLP_TRY(dlp_cloth_add_particle(cloth, g->substance, x, error));
        }
    return DLP_OK;
}

// Corners as (column, row) steps from the cell's first; side k leads from corner k to the next.
typedef struct half_cell {
    int32_t step[3][2];
    int32_t diagonal;  // which side
} half_cell;

// Diagonals alternate like those of the Union Jack, so that no direction is stiffer than its mirror image.
static const half_cell HALVES[2][2] = {
    {{{{0, 0}, {1, 0}, {1, 1}}, 2}, {{{0, 0}, {1, 1}, {0, 1}}, 0}},
    {{{{0, 0}, {1, 0}, {0, 1}}, 1}, {{{1, 0}, {1, 1}, {0, 1}}, 2}},
};

static dlp_cloth_side side_of(const dlp_cloth *cloth, const grid *g, const half_cell *half, int32_t k)
{
    const double bend = cloth->params.fabrics[g->substance].bend;
    if (k != half->diagonal) return (dlp_cloth_side){0};  // its lines bend
    return (dlp_cloth_side){.stiffness = dlp_cell_twist_stiffness(bend, g->a, g->b), .is_twist = 1};
}

static dlp_status add_half_cell(dlp_cloth *cloth, const grid *g, int32_t column, int32_t row,
                                const half_cell *half, dlp_error *error)
{
    dlp_cloth_triangle t = {.substance = g->substance, .area = 0.5 * g->a * g->b};
    double place[3][2];
    int32_t corner[3];
    for (int k = 0; k < 3; k++) {
        corner[k] = g->first + (row + half->step[k][1]) * (g->columns + 1) + column + half->step[k][0];
        place[k][0] = half->step[k][0] * g->a;
        place[k][1] = half->step[k][1] * g->b;
    }
    const double u1 = place[1][0] - place[0][0], v1 = place[1][1] - place[0][1];
    const double u2 = place[2][0] - place[0][0], v2 = place[2][1] - place[0][1], d = u1 * v2 - u2 * v1;
    t.inverse_rest[0] = v2 / d;
    t.inverse_rest[1] = -u2 / d;
    t.inverse_rest[2] = -v1 / d;
    t.inverse_rest[3] = u1 / d;
    DLP_TRY(dlp_cloth_add_triangle(cloth, &t, corner, error));
    const dlp_cloth_triangles *triangles = &cloth->params.triangles;
    for (int k = 0; k < 3; k++) triangles->sides[3 * (triangles->count - 1) + k] = side_of(cloth, g, half, k);
    return DLP_OK;
}

// Which triangle of a cell has two of the cell's corners: their places in the list of corners.
static void find_edge(const grid *g, int32_t column, int32_t row, int32_t step[2][2], int32_t place[2])
{
    const int32_t cell = g->first_triangle + 2 * (row * g->columns + column);
    for (int32_t half = 0; half < 2; half++) {
        int found = 0;
        for (int end = 0; end < 2; end++)
            for (int32_t c = 0; c < 3; c++) {
                const int32_t *at = HALVES[(row + column) % 2][half].step[c];
                if (at[0] != step[end][0] || at[1] != step[end][1]) continue;
                place[end] = 3 * (cell + half) + c;
                found++;
            }
        if (found == 2) return;
    }
    assert(false);
}

// Half the width of a line at a point, on one side of it: where cells lie there.
static dlp_status add_line(dlp_cloth *cloth, const grid *g, const int32_t point[2], bool is_warp,
                           int32_t side, dlp_error *error)
{
    const int32_t along = is_warp ? 0 : 1, across = 1 - along, cells[2] = {g->columns, g->rows};
    if (point[along] == 0 || point[along] == cells[along]) return DLP_OK;
    if (point[across] + side < 0 || point[across] + side == cells[across]) return DLP_OK;
    int32_t cell[2], step[2][2], before[2], after[2];
    cell[along] = point[along] - 1;
    cell[across] = point[across] + side;
    step[0][along] = 0;
    step[1][along] = 1;
    step[0][across] = step[1][across] = -side;
    find_edge(g, cell[0], cell[1], step, before);
    cell[along]++;
    find_edge(g, cell[0], cell[1], step, after);
    dlp_cloth_lines *lines = &cloth->params.lines;
    DLP_TRY(dlp_cloth_reserve_lines(cloth, lines->count + 1, error));
    const double length = is_warp ? g->a : g->b, width = 0.5 * (is_warp ? g->b : g->a);
    const double rigidity = cloth->params.fabrics[g->substance].bend * width;
    lines->rest[lines->count++] =
        (dlp_cloth_line){.first = before[0],
                         .middle = {before[1], after[0]},
                         .last = after[1],
                         .length = length,
                         .stiffness = dlp_rope_bend_stiffness(rigidity, length, length)};
    return DLP_OK;
}

static dlp_status add_lines(dlp_cloth *cloth, const grid *g, dlp_error *error)
{
    if (!(cloth->params.fabrics[g->substance].bend > 0)) return DLP_OK;
    for (int32_t row = 0; row <= g->rows; row++)
        for (int32_t column = 0; column <= g->columns; column++)
            for (int32_t k = 0; k < 4; k++) {
                const int32_t point[2] = {column, row};
                DLP_TRY(add_line(cloth, g, point, k < 2, k % 2 - 1, error));
            }
    return DLP_OK;
}

static dlp_status add_grid(dlp_cloth *cloth, grid *g, dlp_error *error)
{
    if ((double)(g->columns + 1) * (g->rows + 1) > PARTICLE_LIMIT)
        return dlp_fail(error, DLP_INVALID, "%d by %d particles; at most %d are allowed", g->columns + 1,
                        g->rows + 1, PARTICLE_LIMIT);
    g->first = cloth->state.particles.count;
    g->first_triangle = cloth->params.triangles.count;
    DLP_TRY(dlp_cloth_reserve_particles(cloth, g->first + (g->columns + 1) * (g->rows + 1), error));
    DLP_TRY(add_grid_points(cloth, g, error));
    for (int32_t row = 0; row < g->rows; row++)
        for (int32_t column = 0; column < g->columns; column++)
            for (int half = 0; half < 2; half++)
                DLP_TRY(add_half_cell(cloth, g, column, row, &HALVES[(row + column) % 2][half], error));
    return add_lines(cloth, g, error);
}

static int32_t cells_along(double length, double spacing)
{
    return (int32_t)fmin(fmax(1, round(length / spacing)), PARTICLE_LIMIT);
}

dlp_status dlp_cloth_make_sheet(dlp_cloth *cloth, int32_t substance, dlp_vec3 offset, dlp_error *error)
{
    const dlp_substance_def *def = &cloth->params.scene->substances[substance];
    const dlp_shape_def *shape = &def->shape;
    const double scale = shape->scale > 0 ? shape->scale : 1, spacing = cloth->params.spacing[substance];
    const double width = scale * shape->size.x, height = scale * shape->size.y;
    const dlp_transform body = dlp_transform_along(shape->axis, dlp_vec(0, 0, 0));
    const dlp_transform placing = dlp_shape_placement(shape);
    const dlp_vec3 u = dlp_rotate(&placing, dlp_rotate(&body, dlp_vec(1, 0, 0)));
    const dlp_vec3 v = dlp_rotate(&placing, dlp_rotate(&body, dlp_vec(0, 1, 0)));
    const dlp_vec3 center = dlp_add(dlp_to_world(&placing, dlp_mul(shape->center, scale)), offset);
    if (width < spacing || height < spacing) {
        const bool is_warp = width >= height;
        const dlp_vec3 half = dlp_mul(is_warp ? u : v, (is_warp ? width : height) / 2);
        return dlp_cloth_make_rope(cloth, substance, dlp_sub(center, half), dlp_add(center, half),
                                   is_warp ? height : width, error);
    }
    grid g = {
        .substance = substance, .columns = cells_along(width, spacing), .rows = cells_along(height, spacing)};
    g.a = width / g.columns;
    g.b = height / g.rows;
    g.u = dlp_mul(u, g.a);
    g.v = dlp_mul(v, g.b);
    g.corner = dlp_along(dlp_along(center, u, -width / 2), v, -height / 2);
    return add_grid(cloth, &g, error);
}

// Ropes.

// A link is a strip of the sheet: its stiffness is stretch width / length; its mass goes to both ends.
dlp_status dlp_cloth_make_rope(dlp_cloth *cloth, int32_t substance, dlp_vec3 from, dlp_vec3 to, double width,
                               dlp_error *error)
{
    const dlp_fabric *fabric = &cloth->params.fabrics[substance];
    dlp_cloth_links *links = &cloth->params.links;
    const double given = cloth->params.scene->substances[substance].cloth.width;
    const double strip = width > 0 ? width : given, whole = dlp_length(dlp_sub(to, from));
    const int32_t count = cells_along(whole, cloth->params.spacing[substance]),
                  first = cloth->state.particles.count;
    const double length = whole / count, mass = fabric->weight * strip * length;
    if (!(whole > 0 && strip > 0))
        return dlp_fail(error, DLP_INVALID, "a rope of %g m length and %g m width; both must be > 0", whole,
                        strip);
    DLP_TRY(dlp_cloth_reserve_particles(cloth, first + count + 1, error));
    DLP_TRY(dlp_cloth_reserve_links(cloth, links->count + count, error));
    for (int32_t k = 0; k <= count; k++) {
        const dlp_vec3 x = dlp_along(from, dlp_sub(to, from), (double)k / count);
        DLP_TRY(dlp_cloth_add_particle(cloth, substance, x, error));
        cloth->state.particles.mass[first + k] = k == 0 || k == count ? mass / 2 : mass;
    }
    for (int32_t k = 0; k < count; k++) {
        int32_t *end = dlp_cloth_ends_of(&cloth->state.ends, links->count);
        end[0] = first + k;
        end[1] = first + k + 1;
        links->rest[links->count++] = (dlp_cloth_link){
            .substance = substance, .length = length, .stiffness = fabric->stretch[0] * strip / length};
    }
    return DLP_OK;
}
