/* The rest shape: who is whose neighbour, and what hangs together. */
#include "motion/solid/solid_solver.h"
#include "space/bins.h"

#include <stdlib.h>
#include <string.h>

enum { SEGMENT_LIMIT = 1024 };

// Neighbours.

static int by_number(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// What the search for neighbours knows.
typedef struct search {
    const dlp_solid *solid;
    const int32_t *copy; /* of each particle */
    dlp_bins bins;
    dlp_vec3 *points; /* m: at rest */
} search;

// More than the limit where there are more.
static int32_t list_neighbours(const search *s, int32_t i, int32_t out_list[DLP_STENCIL_LIMIT])
{
    const int32_t substance = s->solid->state.particles.substance[i];
    int32_t count = 0;
    dlp_bins_search near =
        dlp_bins_near(&s->bins, s->points, s->points[i], s->solid->params.materials[substance].support);
    for (int32_t j; (j = dlp_bins_next(&near)) >= 0;) {
        if (j == i || s->copy[j] != s->copy[i]) continue;
        if (count == DLP_STENCIL_LIMIT) return DLP_STENCIL_LIMIT + 1;
        out_list[count++] = j;
    }
    qsort(out_list, (size_t)count, sizeof *out_list, by_number);
    return count;
}

static dlp_status fill_bins(search *s, dlp_error *error)
{
    const dlp_solid *solid = s->solid;
    double widest = 0;
    for (int32_t k = 0; k < solid->params.scene->substance_count; k++)
        widest = fmax(widest, solid->params.materials[k].support);
    DLP_TRY(dlp_bins_init(&s->bins, widest, solid->state.particles.count, error));
    for (int32_t i = 0; i < solid->state.particles.count; i++) {
        s->points[i] = dlp_solid_get(solid->state.particles.x0, i);
        DLP_TRY(dlp_bins_add(&s->bins, i, s->points[i], error));
    }
    return DLP_OK;
}

static dlp_status link_all(dlp_solid *solid, const search *s, dlp_error *error)
{
    dlp_solid_topology *to = &solid->topology;
    const dlp_solid_particles *p = &solid->state.particles;
    for (int32_t i = 0; i < p->count; i++) {
        int32_t list[DLP_STENCIL_LIMIT];
        const int32_t count = list_neighbours(s, i, list);
        if (count > DLP_STENCIL_LIMIT)
            return dlp_fail(
                error, DLP_INVALID,
                "substances.%s.solid.support: more than %d particles are within it; make it smaller",
                solid->params.scene->substances[p->substance[i]].name, DLP_STENCIL_LIMIT);
        if (to->link_count > INT32_MAX / 2 - count)
            return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: too many neighbours");
        DLP_TRY(dlp_solid_reserve(solid, DLP_PER_LINK, to->link_count + count + 1, error));
        memcpy(to->first_neighbour + to->link_count, list, (size_t)count * sizeof *list);
        to->link_begin[i] = to->link_count;
        to->link_count += count;
    }
    to->link_begin[p->count] = to->link_count;
    if (to->link_count > 0)
        memcpy(solid->state.neighbour, to->first_neighbour, (size_t)to->link_count * sizeof(int32_t));
    return DLP_OK;
}

// Bodies.

static int32_t root_of(int32_t *parent, int32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

// Numbers what hangs together, in the order of the first particles; returns how many there are.
static int32_t number_fragments(const dlp_solid *solid, int32_t *out_fragment, int32_t *parent)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    const int32_t count = solid->state.particles.count;
    for (int32_t i = 0; i < count; i++) parent[i] = i;
    for (int32_t i = 0; i < count; i++) {
        for (int32_t n = links.begin[i]; n < links.begin[i + 1]; n++) {
            if (links.neighbour[n] < 0) continue;
            const int32_t a = root_of(parent, i), b = root_of(parent, links.neighbour[n]);
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

dlp_status dlp_solid_find_links(dlp_solid *solid, const dlp_solid_copies *copies, dlp_error *error)
{
    const size_t count = (size_t)solid->state.particles.count;
    search s = {
        .solid = solid, .copy = copies->of, .points = dlp_alloc(count + 1, sizeof *s.points, "solids")};
    int32_t *parent = dlp_alloc(count + 1, sizeof *parent, "solids");
    dlp_status status = s.points == NULL || parent == NULL
                            ? dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room")
                            : fill_bins(&s, error);
    if (status == DLP_OK) status = link_all(solid, &s, error);
    if (status == DLP_OK)
        solid->topology.body_count = number_fragments(solid, solid->state.particles.body, parent);
    dlp_bins_release(&s.bins);
    dlp_free(s.points);
    dlp_free(parent);
    return status;
}

// Runs of one fragment, so short that threads share them and sums do not depend on how.
static dlp_status find_segments(dlp_solid *solid, dlp_error *error)
{
    const int32_t count = solid->state.particles.count, *fragment = solid->topology.fragment;
    int32_t found = 0;
    for (int32_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && end - begin < SEGMENT_LIMIT && fragment[end] == fragment[begin];)
            end++;
        DLP_TRY(dlp_solid_reserve(solid, DLP_PER_SEGMENT, found + 1, error));
        solid->topology.segments[found++] = (dlp_solid_segment){fragment[begin], begin, end};
    }
    solid->topology.segment_count = found;
    return dlp_solid_reserve(solid, DLP_PER_FRAGMENT, solid->topology.fragment_count + 1, error);
}

dlp_status dlp_solid_find_fragments(dlp_solid *solid, dlp_error *error)
{
    int32_t *parent = dlp_alloc((size_t)solid->state.particles.count + 1, sizeof *parent, "solids");
    if (parent == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room");
    solid->topology.fragment_count = number_fragments(solid, solid->topology.fragment, parent);
    dlp_free(parent);
    return find_segments(solid, error);
}

static bool has_fragments(const dlp_solid *solid, const int32_t *fragments)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    for (int32_t i = 0; i < solid->state.particles.count; i++)
        for (int32_t n = links.begin[i]; n < links.begin[i + 1]; n++)
            if ((links.neighbour[n] < 0) != (fragments[i] != fragments[links.first[n]])) return false;
    return true;
}

dlp_status dlp_solid_set_fragments(dlp_solid *solid, const int32_t *fragments, dlp_error *error)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    if (has_fragments(solid, fragments)) return DLP_OK;
    for (int32_t i = 0; i < solid->state.particles.count; i++)
        for (int32_t n = links.begin[i]; n < links.begin[i + 1]; n++)
            links.neighbour[n] = fragments[i] == fragments[links.first[n]] ? links.first[n] : -1;
    solid->scratch.has_strains = false;
    DLP_TRY(dlp_solid_find_fragments(solid, error));
    return dlp_solid_color_constraints(solid, error);
}
