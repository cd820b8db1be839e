/* What hangs together: hinges and bends from triangles and links, every particle's elements, and from them
 * the pattern of the matrix. */
#include "motion/cloth/cloth_solver.h"
#include "space/mesh_edges.h"

#include <string.h>

// Room.

enum { SCRATCH_LIMIT = 40 };

typedef struct array {
    void *pointer;
    size_t size;
} array;

static dlp_status reserve_all(const array *arrays, size_t count, int32_t *capacity, int32_t wanted,
                              dlp_error *error)
{
    int32_t grown = *capacity;
    for (size_t k = 0; k < count; k++) {
        grown = *capacity;
        DLP_TRY(dlp_reserve(arrays[k].pointer, &grown, wanted, arrays[k].size, "cloth", error));
    }
    *capacity = grown;
    return DLP_OK;
}

dlp_status dlp_cloth_reserve(dlp_cloth *cloth, int32_t count, dlp_error *error)
{
    dlp_cloth_particles *p = &cloth->particles;
    const array arrays[] = {
        {&p->position, 3 * sizeof(double)},
        {&p->velocity, 3 * sizeof(double)},
        {&p->mass, sizeof(double)},
        {&p->displacement, 3 * sizeof(float)},
        {&p->substance, sizeof(int32_t)},
        {&p->pin, sizeof(int32_t)},
        {&p->id, sizeof(int64_t)},
        {&p->state, sizeof(int32_t)},
        {&cloth->start_place, 3 * sizeof(double)},
        {&cloth->change, 3 * sizeof(double)},
    };
    return reserve_all(arrays, sizeof arrays / sizeof arrays[0], &p->capacity, count, error);
}

// Every array of scratch that has an entry a particle.
static size_t list_scratch(dlp_cloth *cloth, array out[SCRATCH_LIMIT])
{
    dlp_cloth_system *s = &cloth->system;
    const size_t quad = DLP_QUAD * sizeof(double);
    const array arrays[] = {
        {&cloth->force, 3 * sizeof(double)},
        {&cloth->effective, 3 * sizeof(double)},
        {&cloth->impulse, 3 * sizeof(double)},
        {&cloth->mobility, 6 * sizeof(double)},
        {&cloth->speed, sizeof(double)},
        {&cloth->gain, sizeof(double)},
        {&cloth->scalar_mobility, sizeof(double)},
        {&cloth->is_marked, 1},
        {&cloth->is_woken, 1},
        {&cloth->target_place, 3 * sizeof(double)},
        {&cloth->is_moved, 1},
        {&cloth->is_pinned, 1},
        {&cloth->is_free, 1},
        {&cloth->is_near, 1},
        {&cloth->is_found, 1},
        {&cloth->list, sizeof(int32_t)},
        {&cloth->near_list, sizeof(int32_t)},
        {&s->factor, 9 * sizeof(double)},
        {&s->inverse, 9 * sizeof(double)},
        {&s->right, quad},
        {&s->z, quad},
        {&s->r, quad},
        {&s->y, quad},
        {&s->p, quad},
        {&s->w, quad},
        {&s->q, quad},
        {&cloth->solve_extra, quad},
        {&s->partial, 2 * sizeof(double)},
    };
    _Static_assert(sizeof arrays / sizeof arrays[0] <= SCRATCH_LIMIT, "room for all");
    memcpy(out, arrays, sizeof arrays);
    return sizeof arrays / sizeof arrays[0];
}

static dlp_status reserve_scratch(dlp_cloth *cloth, dlp_error *error)
{
    array arrays[SCRATCH_LIMIT];
    const size_t count = list_scratch(cloth, arrays);
    // one more, so that a wide load past the last block of 9 stays inside
    return reserve_all(arrays, count, &cloth->scratch_capacity, cloth->particles.count + 1, error);
}

void dlp_cloth_release_scratch(dlp_cloth *cloth)
{
    array arrays[SCRATCH_LIMIT];
    const size_t count = list_scratch(cloth, arrays);
    for (size_t k = 0; k < count; k++) {
        void *memory;
        memcpy(&memory, arrays[k].pointer, sizeof memory);
        dlp_free(memory);
    }
    dlp_free(cloth->triangle_states);
    dlp_free(cloth->hinge_states);
    dlp_free(cloth->link_states);
    dlp_free(cloth->bend_states);
}

// Hinges and bends.

static void add_hinge(dlp_cloth *cloth, const dlp_mesh_side *a, const dlp_mesh_side *b)
{
    const dlp_cloth_triangle *ta = &cloth->triangles[a->triangle], *tb = &cloth->triangles[b->triangle];
    const dlp_cloth_side *side = &cloth->sides[3 * a->triangle + a->corner];
    if (!(side->stiffness > 0)) return;
    cloth->hinges[cloth->hinge_count++] =
        (dlp_cloth_hinge){.corner = {ta->corner[a->corner], ta->corner[(a->corner + 1) % 3],
                                     ta->corner[(a->corner + 2) % 3], tb->corner[(b->corner + 2) % 3]},
                          .triangle = {a->triangle, b->triangle},
                          .stiffness = side->stiffness,
                          .rest_angle = side->rest_angle};
}

static dlp_status find_hinges(dlp_cloth *cloth, dlp_error *error)
{
    dlp_mesh mesh = {.triangle_count = cloth->triangle_count, .vertex_count = cloth->particles.count};
    cloth->hinge_count = 0;
    if (cloth->triangle_count == 0) return DLP_OK;
    mesh.triangles = dlp_alloc((size_t)cloth->triangle_count, sizeof *mesh.triangles, "cloth");
    if (mesh.triangles == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "cloth: no room");
    for (int32_t t = 0; t < cloth->triangle_count; t++)
        memcpy(mesh.triangles[t], cloth->triangles[t].corner, sizeof mesh.triangles[t]);
    dlp_mesh_edges edges = {0};
    dlp_status status = dlp_mesh_edges_create(&mesh, &edges, error);
    if (status == DLP_OK)
        status = dlp_reserve(&cloth->hinges, &cloth->hinge_capacity, edges.count / 2 + 1,
                             sizeof *cloth->hinges, "cloth", error);
    for (int32_t k = 0, end; status == DLP_OK && k < edges.count; k = end) {
        end = dlp_mesh_edge_end(&edges, k);
        if (end == k + 2) add_hinge(cloth, &edges.sides[k], &edges.sides[k + 1]);
    }
    dlp_mesh_edges_release(&edges);
    dlp_free(mesh.triangles);
    return status;
}

// Where two links follow one another the rope bends: its rigidity is that of the strip its stiffness speaks
// of.
static dlp_status find_bends(dlp_cloth *cloth, dlp_error *error)
{
    cloth->bend_count = 0;
    DLP_TRY(dlp_reserve(&cloth->bends, &cloth->bend_capacity, cloth->link_count + 1, sizeof *cloth->bends,
                        "cloth", error));
    for (int32_t k = 0; k + 1 < cloth->link_count; k++) {
        const dlp_cloth_link *a = &cloth->links[k], *b = &cloth->links[k + 1];
        const dlp_fabric *fabric = &cloth->fabrics[a->substance];
        if (a->is_torn || b->is_torn || a->end[1] != b->end[0] || !(fabric->bend > 0)) continue;
        const double width = a->stiffness * a->length / fabric->stretch[0];
        cloth->bends[cloth->bend_count++] = (dlp_cloth_bend){
            .corner = {a->end[0], a->end[1], b->end[1]},
            .length = {a->length, b->length},
            .stiffness = dlp_rope_bend_stiffness(fabric->bend * width, a->length, b->length)};
    }
    return DLP_OK;
}

// Incidences.

static const int32_t *corners_of(const dlp_cloth *cloth, dlp_element_kind kind, int32_t element,
                                 int32_t *out_count)
{
    switch (kind) {
    case DLP_ELEMENT_TRIANGLE:
        *out_count = 3;
        return cloth->triangles[element].corner;
    case DLP_ELEMENT_HINGE:
        *out_count = 4;
        return cloth->hinges[element].corner;
    case DLP_ELEMENT_LINK:
        *out_count = cloth->links[element].is_torn ? 0 : 2;
        return cloth->links[element].end;
    default:
        *out_count = 3;
        return cloth->bends[element].corner;
    }
}

static void count_incidences(dlp_cloth *cloth, dlp_element_kind kind, int32_t count)
{
    for (int32_t e = 0; e < count; e++) {
        int32_t n;
        const int32_t *corner = corners_of(cloth, kind, e, &n);
        for (int32_t k = 0; k < n; k++) cloth->incidence_begin[corner[k] + 1]++;
    }
}

static void fill_incidences(dlp_cloth *cloth, dlp_element_kind kind, int32_t count, int32_t *fill)
{
    for (int32_t e = 0; e < count; e++) {
        int32_t n;
        const int32_t *corner = corners_of(cloth, kind, e, &n);
        for (int32_t k = 0; k < n; k++)
            cloth->incidences[fill[corner[k]]++] =
                (dlp_incidence){.element = e, .kind = (uint8_t)kind, .corner = (uint8_t)k};
    }
}

static dlp_status find_incidences(dlp_cloth *cloth, dlp_error *error)
{
    const int32_t n = cloth->particles.count;
    const array arrays[] = {{&cloth->incidence_begin, sizeof(int32_t)},
                            {&cloth->matrix.begin, sizeof(int32_t)}};
    DLP_TRY(reserve_all(arrays, 2, &cloth->row_capacity, n + 1, error));
    memset(cloth->incidence_begin, 0, ((size_t)n + 1) * sizeof(int32_t));
    const int32_t counts[4] = {cloth->triangle_count, cloth->hinge_count, cloth->link_count,
                               cloth->bend_count};
    for (int kind = 0; kind < 4; kind++) count_incidences(cloth, (dlp_element_kind)kind, counts[kind]);
    for (int32_t i = 0; i < n; i++) cloth->incidence_begin[i + 1] += cloth->incidence_begin[i];
    DLP_TRY(dlp_reserve(&cloth->incidences, &cloth->incidence_capacity, cloth->incidence_begin[n] + 1,
                        sizeof *cloth->incidences, "cloth", error));
    int32_t *fill = cloth->list;  // scratch that is free now
    memcpy(fill, cloth->incidence_begin, (size_t)n * sizeof(int32_t));
    for (int kind = 0; kind < 4; kind++) fill_incidences(cloth, (dlp_element_kind)kind, counts[kind], fill);
    return DLP_OK;
}

// The matrix's pattern.

enum { ROW_LIMIT = 4096 };

// The columns of a row: itself, then its neighbours in order. Returns how many, or -1 for too many.
static int32_t find_columns(const dlp_cloth *cloth, int32_t i, int32_t *columns)
{
    int32_t count = 1;
    columns[0] = i;
    for (int32_t k = cloth->incidence_begin[i]; k < cloth->incidence_begin[i + 1]; k++) {
        const dlp_incidence *at = &cloth->incidences[k];
        int32_t n;
        const int32_t *corner = corners_of(cloth, (dlp_element_kind)at->kind, at->element, &n);
        for (int32_t c = 0; c < n; c++) {
            int32_t place = count;
            bool is_known = corner[c] == i;
            for (int32_t s = 1; s < count && !is_known; s++) is_known = columns[s] == corner[c];
            if (is_known) continue;
            if (count == ROW_LIMIT) return -1;
            while (place > 1 && columns[place - 1] > corner[c]) {
                columns[place] = columns[place - 1];
                place--;
            }
            columns[place] = corner[c];
            count++;
        }
    }
    return count;
}

static void set_slots(dlp_cloth *cloth, int32_t i, const int32_t *columns, int32_t count)
{
    for (int32_t k = cloth->incidence_begin[i]; k < cloth->incidence_begin[i + 1]; k++) {
        dlp_incidence *at = &cloth->incidences[k];
        int32_t n;
        const int32_t *corner = corners_of(cloth, (dlp_element_kind)at->kind, at->element, &n);
        for (int32_t c = 0; c < n; c++)
            for (int32_t s = 0; s < count; s++)
                if (columns[s] == corner[c]) at->slot[c] = (uint16_t)s;
    }
}

static dlp_status find_pattern(dlp_cloth *cloth, dlp_error *error)
{
    dlp_cloth_matrix *m = &cloth->matrix;
    const array arrays[] = {{&m->column, sizeof(int32_t)}, {&m->blocks, 9 * sizeof(double)}};
    int32_t columns[ROW_LIMIT];
    m->begin[0] = 0;
    for (int32_t i = 0; i < cloth->particles.count; i++) {
        const int32_t count = find_columns(cloth, i, columns);
        if (count < 0)
            return dlp_fail(error, DLP_INVALID, "a vertex has more than %d neighbours", ROW_LIMIT - 1);
        set_slots(cloth, i, columns, count);
        m->begin[i + 1] = m->begin[i] + count;
        DLP_TRY(reserve_all(arrays, 2, &cloth->block_capacity, m->begin[i + 1] + 1, error));
        memcpy(m->column + m->begin[i], columns, (size_t)count * sizeof(int32_t));
    }
    return DLP_OK;
}

static dlp_status reserve_elements(dlp_cloth *cloth, dlp_error *error)
{
    const int32_t t = cloth->triangle_count, h = cloth->hinge_count, l = cloth->link_count,
                  b = cloth->bend_count;
    DLP_TRY(dlp_reserve(&cloth->triangle_states, &cloth->triangle_state_capacity, t + 1,
                        sizeof *cloth->triangle_states, "cloth", error));
    DLP_TRY(dlp_reserve(&cloth->hinge_states, &cloth->hinge_state_capacity, h + 1,
                        sizeof *cloth->hinge_states, "cloth", error));
    DLP_TRY(dlp_reserve(&cloth->link_states, &cloth->link_state_capacity, l + 1, sizeof *cloth->link_states,
                        "cloth", error));
    return dlp_reserve(&cloth->bend_states, &cloth->bend_state_capacity, b + 1, sizeof *cloth->bend_states,
                       "cloth", error);
}

dlp_status dlp_cloth_connect(dlp_cloth *cloth, dlp_error *error)
{
    DLP_TRY(reserve_scratch(cloth, error));
    DLP_TRY(find_hinges(cloth, error));
    DLP_TRY(find_bends(cloth, error));
    DLP_TRY(find_incidences(cloth, error));
    DLP_TRY(find_pattern(cloth, error));
    DLP_TRY(reserve_elements(cloth, error));
    cloth->built_step = 0;
    return DLP_OK;
}
