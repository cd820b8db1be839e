/* The rest shape: who is whose neighbour. */
#include "motion/solid/solid_solver.h"
#include "space/bins.h"

#include <stdlib.h>
#include <string.h>

static int by_number(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// What the search for neighbours knows.
typedef struct link_search {
    const dlp_solid *solid;
    const int32_t *copy; /* of each particle */
    dlp_bins bins;
    dlp_vec3 *points; /* m: at rest */
} link_search;

// More than the limit where there are more.
static int32_t list_neighbours(const link_search *s, int32_t i, int32_t out_list[DLP_STENCIL_LIMIT])
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

static dlp_status fill_bins(link_search *s, dlp_error *error)
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

static dlp_status link_all(dlp_solid *solid, const link_search *s, dlp_error *error)
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

dlp_status dlp_solid_find_links(dlp_solid *solid, const dlp_solid_copies *copies, dlp_error *error)
{
    const size_t count = (size_t)solid->state.particles.count;
    link_search s = {
        .solid = solid, .copy = copies->of, .points = dlp_alloc(count + 1, sizeof *s.points, "solids")};
    dlp_status status =
        s.points == NULL ? dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room") : fill_bins(&s, error);
    if (status == DLP_OK) status = link_all(solid, &s, error);
    dlp_bins_release(&s.bins);
    dlp_free(s.points);
    return status;
}
