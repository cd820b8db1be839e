/* The rest shape: who is whose neighbour, and what hangs together. */
#include "motion/solid/solver.h"
#include "space/bins.h"

#include <stdlib.h>
#include <string.h>

// ---- neighbours
// ---------------------------------------------------------------------------------------------

// Of several bodies that touch or overlap at the start.
enum { FOUND_LIMIT = 1024 };

static int by_number(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// More than the limit where there are more.
static int32_t list_neighbours(const dlp_solid *solid, const dlp_bins *bins, const dlp_vec3 *points,
                               int32_t i, int32_t out_list[DLP_STENCIL_LIMIT])
{
    const dlp_solid_particles *p = &solid->particles;
    int32_t found[FOUND_LIMIT], count = 0;
    const double support = solid->flesh[p->substance[i]].support;
    const int32_t near = dlp_bins_within(bins, points, points[i], support, found, FOUND_LIMIT);
    for (int32_t k = 0; k < near; k++) {
        if (found[k] == i || p->body[found[k]] != p->body[i]) continue;
        if (count == DLP_STENCIL_LIMIT) return DLP_STENCIL_LIMIT + 1;
        out_list[count++] = found[k];
    }
    qsort(out_list, (size_t)count, sizeof *out_list, by_number);
    return count;
}

static dlp_status fill_bins(const dlp_solid *solid, dlp_bins *bins, dlp_vec3 *points, dlp_error *error)
{
    double widest = 0;
    for (int32_t k = 0; k < solid->scene->substance_count; k++)
        widest = fmax(widest, solid->flesh[k].support);
    DLP_TRY(dlp_bins_init(bins, widest, solid->particles.count, error));
    for (int32_t i = 0; i < solid->particles.count; i++) {
        points[i] = dlp_solid_get(solid->particles.rest, i);
        DLP_TRY(dlp_bins_add(bins, i, points[i], error));
    }
    return DLP_OK;
}

static dlp_status link_all(dlp_solid *solid, const dlp_bins *bins, const dlp_vec3 *points, dlp_error *error)
{
    dlp_rest_links *rest = &solid->rest;
    int32_t capacity = 0;
    for (int32_t i = 0; i < solid->particles.count; i++) {
        int32_t list[DLP_STENCIL_LIMIT];
        const int32_t count = list_neighbours(solid, bins, points, i, list);
        if (count > DLP_STENCIL_LIMIT)
            return dlp_fail(
                error, DLP_INVALID,
                "substances.%s.solid.support: more than %d particles are within it; make it smaller",
                solid->scene->substances[solid->particles.substance[i]].name, DLP_STENCIL_LIMIT);
        if (rest->count > INT32_MAX / 2 - count)
            return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: too many neighbours");
        DLP_TRY(dlp_reserve(&rest->neighbour, &capacity, rest->count + count + 1, sizeof(int32_t), "solids",
                            error));
        memcpy(rest->neighbour + rest->count, list, (size_t)count * sizeof(int32_t));
        rest->begin[i] = rest->count;
        rest->count += count;
    }
    rest->begin[solid->particles.count] = rest->count;
    return DLP_OK;
}

static dlp_status remember_links(dlp_rest_links *rest, dlp_error *error)
{
    rest->first = dlp_alloc((size_t)rest->count + 1, sizeof *rest->first, "solids");
    if (rest->first == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room");
    if (rest->count > 0) memcpy(rest->first, rest->neighbour, (size_t)rest->count * sizeof *rest->first);
    return DLP_OK;
}

// ---- bodies
// -------------------------------------------------------------------------------------------------

static int32_t root_of(int32_t *parent, int32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

int32_t dlp_solid_number_pieces(const dlp_solid *solid, int32_t *out_piece, int32_t *parent)
{
    const int32_t count = solid->particles.count;
    for (int32_t i = 0; i < count; i++) parent[i] = i;
    for (int32_t i = 0; i < count; i++) {
        for (int32_t n = solid->rest.begin[i]; n < solid->rest.begin[i + 1]; n++) {
            if (solid->rest.neighbour[n] < 0) continue;
            const int32_t a = root_of(parent, i), b = root_of(parent, solid->rest.neighbour[n]);
            parent[a > b ? a : b] = a > b ? b : a;  // a piece's root is its first particle
        }
    }
    int32_t pieces = 0;
    for (int32_t i = 0; i < count; i++) {
        const int32_t root = root_of(parent, i);
        out_piece[i] = root == i ? pieces++ : out_piece[root];
    }
    return pieces;
}

dlp_status dlp_solid_find_rest(dlp_solid *solid, dlp_error *error)
{
    const size_t count = (size_t)solid->particles.count;
    dlp_vec3 *points = dlp_alloc(count + 1, sizeof *points, "solids");
    int32_t *parent = dlp_alloc(count + 1, sizeof *parent, "solids");
    solid->rest.begin = dlp_alloc(count + 1, sizeof *solid->rest.begin, "solids");
    dlp_bins bins = {0};
    dlp_status status = points == NULL || parent == NULL || solid->rest.begin == NULL
                            ? dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room")
                            : fill_bins(solid, &bins, points, error);
    if (status == DLP_OK) status = link_all(solid, &bins, points, error);
    if (status == DLP_OK) status = remember_links(&solid->rest, error);
    if (status == DLP_OK) solid->body_count = dlp_solid_number_pieces(solid, solid->particles.body, parent);
    dlp_bins_release(&bins);
    dlp_free(points);
    dlp_free(parent);
    return status;
}

dlp_status dlp_solid_find_pieces(dlp_solid *solid, dlp_error *error)
{
    int32_t *parent = dlp_alloc((size_t)solid->particles.count + 1, sizeof *parent, "solids");
    if (parent == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room");
    solid->piece_count = dlp_solid_number_pieces(solid, solid->piece, parent);
    dlp_free(parent);
    return dlp_solid_find_segments(solid, error);
}

static bool is_parted_so(const dlp_solid *solid, const int32_t *pieces)
{
    const dlp_rest_links *rest = &solid->rest;
    for (int32_t i = 0; i < solid->particles.count; i++)
        for (int32_t n = rest->begin[i]; n < rest->begin[i + 1]; n++)
            if ((rest->neighbour[n] < 0) != (pieces[i] != pieces[rest->first[n]])) return false;
    return true;
}

dlp_status dlp_solid_part(dlp_solid *solid, const int32_t *pieces, dlp_error *error)
{
    const dlp_rest_links *rest = &solid->rest;
    if (is_parted_so(solid, pieces)) return DLP_OK;
    for (int32_t i = 0; i < solid->particles.count; i++)
        for (int32_t n = rest->begin[i]; n < rest->begin[i + 1]; n++)
            rest->neighbour[n] = pieces[i] == pieces[rest->first[n]] ? rest->first[n] : -1;
    solid->is_seen = false;
    DLP_TRY(dlp_solid_find_pieces(solid, error));
    return dlp_solid_order(solid, error);
}
