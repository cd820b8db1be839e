/* The rest shape: who is whose neighbour, and what hangs together. */
#include "motion/solid/solid_solver.h"
#include "space/bins.h"

#include <stdlib.h>
#include <string.h>

// Neighbours.

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
    int32_t count = 0;
    dlp_bins_search near = dlp_bins_near(bins, points, points[i], solid->materials[p->substance[i]].support);
    for (int32_t j; (j = dlp_bins_next(&near)) >= 0;) {
        if (j == i || p->body[j] != p->body[i]) continue;
        if (count == DLP_STENCIL_LIMIT) return DLP_STENCIL_LIMIT + 1;
        out_list[count++] = j;
    }
    qsort(out_list, (size_t)count, sizeof *out_list, by_number);
    return count;
}

static dlp_status fill_bins(const dlp_solid *solid, dlp_bins *bins, dlp_vec3 *points, dlp_error *error)
{
    double widest = 0;
    for (int32_t k = 0; k < solid->scene->substance_count; k++)
        widest = fmax(widest, solid->materials[k].support);
    DLP_TRY(dlp_bins_init(bins, widest, solid->particles.count, error));
    for (int32_t i = 0; i < solid->particles.count; i++) {
        points[i] = dlp_solid_get(solid->particles.x0, i);
        DLP_TRY(dlp_bins_add(bins, i, points[i], error));
    }
    return DLP_OK;
}

static dlp_status link_all(dlp_solid *solid, const dlp_bins *bins, const dlp_vec3 *points, dlp_error *error)
{
    dlp_rest_links *links = &solid->rest_links;
    int32_t capacity = 0;
    for (int32_t i = 0; i < solid->particles.count; i++) {
        int32_t list[DLP_STENCIL_LIMIT];
        const int32_t count = list_neighbours(solid, bins, points, i, list);
        if (count > DLP_STENCIL_LIMIT)
            return dlp_fail(
                error, DLP_INVALID,
                "substances.%s.solid.support: more than %d particles are within it; make it smaller",
                solid->scene->substances[solid->particles.substance[i]].name, DLP_STENCIL_LIMIT);
        if (links->count > INT32_MAX / 2 - count)
            return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: too many neighbours");
        DLP_TRY(dlp_reserve(&links->neighbour, &capacity, links->count + count + 1, sizeof(int32_t), "solids",
                            error));
        memcpy(links->neighbour + links->count, list, (size_t)count * sizeof(int32_t));
        links->begin[i] = links->count;
        links->count += count;
    }
    links->begin[solid->particles.count] = links->count;
    return DLP_OK;
}

static dlp_status save_first_links(dlp_rest_links *links, dlp_error *error)
{
    links->first = dlp_alloc((size_t)links->count + 1, sizeof *links->first, "solids");
    if (links->first == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room");
    if (links->count > 0) memcpy(links->first, links->neighbour, (size_t)links->count * sizeof *links->first);
    return DLP_OK;
}

// Bodies.

static int32_t root_of(int32_t *parent, int32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

int32_t dlp_solid_number_fragments(const dlp_solid *solid, int32_t *out_fragment, int32_t *parent)
{
    const int32_t count = solid->particles.count;
    for (int32_t i = 0; i < count; i++) parent[i] = i;
    for (int32_t i = 0; i < count; i++) {
        for (int32_t n = solid->rest_links.begin[i]; n < solid->rest_links.begin[i + 1]; n++) {
            if (solid->rest_links.neighbour[n] < 0) continue;
            const int32_t a = root_of(parent, i), b = root_of(parent, solid->rest_links.neighbour[n]);
            parent[a > b ? a : b] = a > b ? b : a;  // a fragment's root is its first particle
        }
    }
    int32_t fragments = 0;
    for (int32_t i = 0; i < count; i++) {
        const int32_t root = root_of(parent, i);
        out_fragment[i] = root == i ? fragments++ : out_fragment[root];
    }
    return fragments;
}

dlp_status dlp_solid_find_links(dlp_solid *solid, dlp_error *error)
{
    const size_t count = (size_t)solid->particles.count;
    dlp_vec3 *points = dlp_alloc(count + 1, sizeof *points, "solids");
    int32_t *parent = dlp_alloc(count + 1, sizeof *parent, "solids");
    solid->rest_links.begin = dlp_alloc(count + 1, sizeof *solid->rest_links.begin, "solids");
    dlp_bins bins = {0};
    dlp_status status = points == NULL || parent == NULL || solid->rest_links.begin == NULL
                            ? dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room")
                            : fill_bins(solid, &bins, points, error);
    if (status == DLP_OK) status = link_all(solid, &bins, points, error);
    if (status == DLP_OK) status = save_first_links(&solid->rest_links, error);
    if (status == DLP_OK)
        solid->body_count = dlp_solid_number_fragments(solid, solid->particles.body, parent);
    dlp_bins_release(&bins);
    dlp_free(points);
    dlp_free(parent);
    return status;
}

dlp_status dlp_solid_find_fragments(dlp_solid *solid, dlp_error *error)
{
    int32_t *parent = dlp_alloc((size_t)solid->particles.count + 1, sizeof *parent, "solids");
    if (parent == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room");
    solid->fragment_count = dlp_solid_number_fragments(solid, solid->fragment, parent);
    dlp_free(parent);
    return dlp_solid_find_segments(solid, error);
}

static bool has_fragments(const dlp_solid *solid, const int32_t *fragments)
{
    const dlp_rest_links *links = &solid->rest_links;
    for (int32_t i = 0; i < solid->particles.count; i++)
        for (int32_t n = links->begin[i]; n < links->begin[i + 1]; n++)
            if ((links->neighbour[n] < 0) != (fragments[i] != fragments[links->first[n]])) return false;
    return true;
}

dlp_status dlp_solid_set_fragments(dlp_solid *solid, const int32_t *fragments, dlp_error *error)
{
    const dlp_rest_links *links = &solid->rest_links;
    if (has_fragments(solid, fragments)) return DLP_OK;
    for (int32_t i = 0; i < solid->particles.count; i++)
        for (int32_t n = links->begin[i]; n < links->begin[i + 1]; n++)
            links->neighbour[n] = fragments[i] == fragments[links->first[n]] ? links->first[n] : -1;
    solid->has_strains = false;
    DLP_TRY(dlp_solid_find_fragments(solid, error));
    return dlp_solid_color_constraints(solid, error);
}
