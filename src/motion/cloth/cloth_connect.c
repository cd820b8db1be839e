/* What hangs together: hinges, curvatures and bends from triangles and links, every particle's elements, and
 * from them the pattern of the matrix. */
#include "motion/cloth/cloth_solver.h"
#include "space/mesh_edges.h"

#include <string.h>

// Hinges and bends.

static void add_side(dlp_cloth *cloth, const dlp_mesh_side *a, const dlp_mesh_side *b)
{
    dlp_cloth_connectivity *c = &cloth->connectivity;
    const int32_t *ta = dlp_cloth_corners_of(&cloth->state.corners, a->triangle),
                  *tb = dlp_cloth_corners_of(&cloth->state.corners, b->triangle);
    const dlp_cloth_side *side = &cloth->params.triangles.sides[3 * a->triangle + a->corner];
    if (!(side->stiffness > 0)) return;
    const int32_t corner[4] = {ta[a->corner], ta[(a->corner + 1) % 3], ta[(a->corner + 2) % 3],
                               tb[(b->corner + 2) % 3]};
    assert(c->hinge_count < c->hinges_capacity && c->twist_count < c->twists_capacity);
    if (side->is_twist) {
        dlp_cloth_twist *twist = &c->twists[c->twist_count++];
        *twist = (dlp_cloth_twist){.stiffness = side->stiffness};
        memcpy(twist->corner, corner, sizeof corner);
        return;
    }
    c->side_hinges[3 * a->triangle + a->corner] = c->side_hinges[3 * b->triangle + b->corner] =
        c->hinge_count;
    dlp_cloth_hinge *hinge = &c->hinges[c->hinge_count++];
    *hinge = (dlp_cloth_hinge){.triangle = {a->triangle, b->triangle},
                               .side = {a->corner, b->corner},
                               .rest_angle = side->rest_angle};
    memcpy(hinge->corner, corner, sizeof corner);
}

static dlp_status find_sides(dlp_cloth *cloth, dlp_error *error)
{
    dlp_cloth_connectivity *c = &cloth->connectivity;
    const int32_t count = cloth->params.triangles.count;
    dlp_mesh mesh = {.triangle_count = count, .vertex_count = cloth->state.particles.count};
    c->hinge_count = c->twist_count = 0;
    if (count == 0) return DLP_OK;
    mesh.triangles = dlp_alloc((size_t)count, sizeof *mesh.triangles, "cloth");
    if (mesh.triangles == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "cloth: no room");
    memcpy(mesh.triangles, cloth->state.corners.corner, (size_t)count * sizeof *mesh.triangles);
    dlp_mesh_edges edges = {0};
    dlp_status status = dlp_mesh_edges_create(&mesh, &edges, error);
    if (status == DLP_OK) status = DLP_CLOTH_RESERVE_POOL(c, hinges, edges.count / 2 + 1, error);
    if (status == DLP_OK) status = DLP_CLOTH_RESERVE_POOL(c, side_hinges, 3 * count, error);
    for (int32_t k = 0; status == DLP_OK && k < 3 * count; k++) c->side_hinges[k] = -1;
    if (status == DLP_OK) status = DLP_CLOTH_RESERVE_POOL(c, twists, edges.count / 2 + 1, error);
    for (int32_t k = 0, end; status == DLP_OK && k < edges.count; k = end) {
        end = dlp_mesh_edge_end(&edges, k);
        if (end == k + 2) add_side(cloth, &edges.sides[k], &edges.sides[k + 1]);
    }
    dlp_mesh_edges_release(&edges);
    dlp_free(mesh.triangles);
    return status;
}

// Where two links follow one another the rope bends: its rigidity is that of the strip its stiffness speaks
// of.
static void find_rope_bends(dlp_cloth *cloth)
{
    dlp_cloth_connectivity *c = &cloth->connectivity;
    const dlp_cloth_links *links = &cloth->params.links;
    const dlp_cloth_ends *ends = &cloth->state.ends;
    for (int32_t k = 0; k + 1 < links->count; k++) {
        const dlp_cloth_link *a = &links->rest[k], *b = &links->rest[k + 1];
        const int32_t *from = dlp_cloth_ends_of(ends, k), *to = dlp_cloth_ends_of(ends, k + 1);
        const dlp_fabric *fabric = &cloth->params.fabrics[a->substance];
        if (ends->is_torn[k] || ends->is_torn[k + 1] || from[1] != to[0] || !(fabric->bend > 0)) continue;
        const double width = a->stiffness * a->length / fabric->stretch[0];
        c->bends[c->bend_count++] = (dlp_cloth_bend){
            .corner = {from[0], from[1], to[1]},
            .length = {a->length, b->length},
            .stiffness = dlp_rope_bend_stiffness(fabric->bend * width, a->length, b->length)};
    }
}

// The two sides of a line of a grid follow one another: where both are whole they are one bend.
static void find_grid_bends(dlp_cloth *cloth)
{
    dlp_cloth_connectivity *c = &cloth->connectivity;
    const dlp_cloth_lines *lines = &cloth->params.lines;
    const int32_t *particle = cloth->state.corners.corner;
    for (int32_t k = 0; k < lines->count; k++) {
        const dlp_cloth_line *l = &lines->rest[k];
        const int32_t corner[3] = {particle[l->first], particle[l->middle[0]], particle[l->last]};
        if (particle[l->middle[0]] != particle[l->middle[1]]) continue;
        dlp_cloth_bend *last = c->bend_count > 0 ? &c->bends[c->bend_count - 1] : NULL;
        if (last != NULL && memcmp(last->corner, corner, sizeof corner) == 0) {
            last->stiffness += l->stiffness;
            continue;
        }
        dlp_cloth_bend *bend = &c->bends[c->bend_count++];
        *bend = (dlp_cloth_bend){.length = {l->length, l->length}, .stiffness = l->stiffness};
        memcpy(bend->corner, corner, sizeof corner);
    }
}

static dlp_status find_bends(dlp_cloth *cloth, dlp_error *error)
{
    dlp_cloth_connectivity *c = &cloth->connectivity;
    c->bend_count = 0;
    DLP_TRY(DLP_CLOTH_RESERVE_POOL(c, bends, cloth->params.links.count + cloth->params.lines.count, error));
    find_rope_bends(cloth);
    find_grid_bends(cloth);
    return DLP_OK;
}

// Incidences.

static const int32_t *corners_of(const dlp_cloth *cloth, dlp_element_kind kind, int32_t element,
                                 int32_t *out_count)
{
    switch (kind) {
    case DLP_ELEMENT_TRIANGLE:
        *out_count = 3;
        return dlp_cloth_corners_of(&cloth->state.corners, element);
    case DLP_ELEMENT_CURVATURE:
        *out_count = cloth->connectivity.curvatures[element].corner_count;
        return cloth->connectivity.curvatures[element].corner;
    case DLP_ELEMENT_TWIST:
        *out_count = 4;
        return cloth->connectivity.twists[element].corner;
    case DLP_ELEMENT_LINK:
        *out_count = cloth->state.ends.is_torn[element] ? 0 : 2;
        return dlp_cloth_ends_of(&cloth->state.ends, element);
    default:
        *out_count = 3;
        return cloth->connectivity.bends[element].corner;
    }
}

// Two places after its own, so that filling ends with every particle's begin in its place.
static void count_incidences(dlp_cloth *cloth, dlp_element_kind kind, int32_t count)
{
    for (int32_t e = 0; e < count; e++) {
        int32_t n;
        const int32_t *corner = corners_of(cloth, kind, e, &n);
        for (int32_t k = 0; k < n; k++) {
            assert(corner[k] >= 0 && corner[k] < cloth->state.particles.count);
            cloth->connectivity.incidence_begin[corner[k] + 2]++;
        }
    }
}

static void fill_incidences(dlp_cloth *cloth, dlp_element_kind kind, int32_t count)
{
    dlp_cloth_connectivity *c = &cloth->connectivity;
    for (int32_t e = 0; e < count; e++) {
        int32_t n;
        const int32_t *corner = corners_of(cloth, kind, e, &n);
        for (int32_t k = 0; k < n; k++)
            c->incidences[c->incidence_begin[corner[k] + 1]++] =
                (dlp_incidence){.element = e, .kind = (uint8_t)kind, .corner = (uint8_t)k};
    }
}

static dlp_status find_incidences(dlp_cloth *cloth, dlp_error *error)
{
    dlp_cloth_connectivity *c = &cloth->connectivity;
    const int32_t n = cloth->state.particles.count;
    const int32_t counts[DLP_ELEMENT_KINDS] = {cloth->params.triangles.count, c->curvature_count,
                                               c->twist_count, cloth->params.links.count, c->bend_count};
    DLP_TRY(DLP_CLOTH_RESERVE_POOL(c, incidence_begin, n + 2, error));
    memset(c->incidence_begin, 0, ((size_t)n + 2) * sizeof *c->incidence_begin);
    for (int kind = 0; kind < DLP_ELEMENT_KINDS; kind++)
        count_incidences(cloth, (dlp_element_kind)kind, counts[kind]);
    for (int32_t i = 0; i < n; i++) c->incidence_begin[i + 2] += c->incidence_begin[i + 1];
    DLP_TRY(DLP_CLOTH_RESERVE_POOL(c, incidences, c->incidence_begin[n + 1], error));
    for (int kind = 0; kind < DLP_ELEMENT_KINDS; kind++)
        fill_incidences(cloth, (dlp_element_kind)kind, counts[kind]);
    return DLP_OK;
}

// The matrix's pattern.

enum { ROW_LIMIT = 4096 };

// Puts a column among those of a row, which are in order after the first. False where there are too many.
static bool add_column(int32_t *columns, int32_t *count, int32_t column)
{
    int32_t place = *count;
    bool is_known = column == columns[0];
    for (int32_t s = 1; s < *count && !is_known; s++) is_known = columns[s] == column;
    if (is_known) return true;
    if (*count == ROW_LIMIT) return false;
    while (place > 1 && columns[place - 1] > column) {
        columns[place] = columns[place - 1];
        place--;
    }
    columns[place] = column;
    ++*count;
    return true;
}

// The columns of a row: itself, then its neighbours in order. Returns how many, or -1 for too many.
static int32_t find_columns(const dlp_cloth *cloth, int32_t i, int32_t *columns)
{
    const dlp_cloth_connectivity *c = &cloth->connectivity;
    int32_t count = 1;
    columns[0] = i;
    for (int32_t k = c->incidence_begin[i]; k < c->incidence_begin[i + 1]; k++) {
        const dlp_incidence *at = &c->incidences[k];
        int32_t n;
        const int32_t *corner = corners_of(cloth, (dlp_element_kind)at->kind, at->element, &n);
        for (int32_t e = 0; e < n; e++)
            if (!add_column(columns, &count, corner[e])) return -1;
    }
    return count;
}

static void set_slots(dlp_cloth *cloth, int32_t i, const int32_t *columns, int32_t count)
{
    dlp_cloth_connectivity *c = &cloth->connectivity;
    for (int32_t k = c->incidence_begin[i]; k < c->incidence_begin[i + 1]; k++) {
        dlp_incidence *at = &c->incidences[k];
        int32_t n;
        const int32_t *corner = corners_of(cloth, (dlp_element_kind)at->kind, at->element, &n);
        uint16_t *slot =
            at->kind == DLP_ELEMENT_CURVATURE ? c->curvatures[at->element].slot[at->corner] : at->slot;
        assert(corner[at->corner] == i);
        for (int32_t e = 0; e < n; e++)
            for (int32_t s = 0; s < count; s++)
                if (columns[s] == corner[e]) slot[e] = (uint16_t)s;
    }
}

// One block more than there are, so that a wide load past the last one stays inside.
static dlp_status find_pattern(dlp_cloth *cloth, dlp_error *error)
{
    dlp_cloth_matrix *m = &cloth->connectivity.matrix;
    int32_t columns[ROW_LIMIT];
    DLP_TRY(DLP_CLOTH_RESERVE_POOL(m, begin, cloth->state.particles.count + 1, error));
    m->begin[0] = 0;
    for (int32_t i = 0; i < cloth->state.particles.count; i++) {
        const int32_t count = find_columns(cloth, i, columns);
        if (count < 0)
            return dlp_fail(error, DLP_INVALID, "a vertex has more than %d neighbours", ROW_LIMIT - 1);
        set_slots(cloth, i, columns, count);
        m->begin[i + 1] = m->begin[i] + count;
        DLP_TRY(dlp_cloth_reserve_blocks(cloth, m->begin[i + 1] + 1, error));
        memcpy(m->column + m->begin[i], columns, (size_t)count * sizeof(int32_t));
    }
    return DLP_OK;
}

dlp_status dlp_cloth_connect(dlp_cloth *cloth, dlp_error *error)
{
    DLP_TRY(find_sides(cloth, error));
    DLP_TRY(dlp_cloth_find_curvatures(cloth, error));
    DLP_TRY(find_bends(cloth, error));
    DLP_TRY(find_incidences(cloth, error));
    DLP_TRY(find_pattern(cloth, error));
    DLP_TRY(dlp_cloth_reserve_scratch(cloth, error));
    cloth->scratch.terms.built_step = 0;
    return DLP_OK;
}
