/* What all contact phases use: facets and who owns which corner and edge, and contact distances. */
#include "motion/cloth/cloth_contact.h"
#include "motion/cloth/cloth_groups.h"

static void list_facets(dlp_cloth_facets *facets, const dlp_cloth_parts *parts)
{
    const int32_t triangle_count = parts->triangles->count;
    for (int32_t t = 0; t < triangle_count; t++) {
        const int32_t *corner = dlp_cloth_corners_of(parts->corners, t);
        facets->items[t] =
            (dlp_facet){{corner[0], corner[1], corner[2]}, parts->triangles->rest[t].substance, 0, 0};
    }
    for (int32_t k = 0; k < parts->links->count; k++) {
        const int32_t *end = dlp_cloth_ends_of(parts->ends, k);
        const int32_t other = parts->ends->is_torn[k] ? end[0] : end[1];
        facets->items[triangle_count + k] =
            (dlp_facet){{end[0], other, -1}, parts->links->rest[k].substance, 0, 0};
    }
    facets->count = triangle_count + parts->links->count;
}

// The facets of every particle in their own order: counted, then filled.
static void index_facets(dlp_cloth_facets *facets, int32_t particle_count)
{
    int32_t *begin = facets->begin;
    for (int32_t i = 0; i < particle_count + 2; i++) begin[i] = 0;
    for (int32_t f = 0; f < facets->count; f++)
        for (int c = 0; c < dlp_facet_corner_count(&facets->items[f]); c++) {
            assert(facets->items[f].corner[c] >= 0 && facets->items[f].corner[c] < particle_count);
            begin[facets->items[f].corner[c] + 2]++;
        }
    for (int32_t i = 0; i < particle_count; i++) begin[i + 2] += begin[i + 1];
    for (int32_t f = 0; f < facets->count; f++)
        for (int c = 0; c < dlp_facet_corner_count(&facets->items[f]); c++)
            facets->list[begin[facets->items[f].corner[c] + 1]++] = f;
    assert(begin[particle_count] <= facets->list_capacity);
}

static bool has_corner(const dlp_facet *facet, int32_t particle)
{
    return facet->corner[0] == particle || facet->corner[1] == particle || facet->corner[2] == particle;
}

// A corner and an edge belong to the first facet that has them.
static void assign_owners(dlp_cloth_facets *facets)
{
    for (int32_t f = 0; f < facets->count; f++) {
        dlp_facet *facet = &facets->items[f];
        const int corners = dlp_facet_corner_count(facet);
        for (int c = 0; c < corners; c++) {
            const int32_t a = facet->corner[c], b = facet->corner[(c + 1) % corners];
            const int32_t *list = facets->list + facets->begin[a];
            if (list[0] == f) facet->owned_corners |= (uint8_t)(1 << c);
            if (a == b || (corners == 2 && c == 1)) continue;
            int32_t k = 0;
            while (!has_corner(&facets->items[list[k]], b)) k++;
            if (list[k] == f) facet->owned_edges |= (uint8_t)(1 << c);
        }
    }
}

static void find_pieces(dlp_cloth_facets *facets, int32_t particle_count)
{
    int32_t *piece = facets->piece;
    for (int32_t i = 0; i < particle_count; i++) piece[i] = i;
    for (int32_t f = 0; f < facets->count; f++)
        for (int c = 1; c < dlp_facet_corner_count(&facets->items[f]); c++)
            dlp_group_join(piece, facets->items[f].corner[0], facets->items[f].corner[c]);
    for (int32_t i = 0; i < particle_count; i++) piece[i] = dlp_group_root(piece, i);
}

static double find_mean_edge(const dlp_cloth_parts *parts)
{
    const int32_t count = parts->triangles->count + parts->links->count;
    double sum = 0;
    for (int32_t t = 0; t < parts->triangles->count; t++) sum += sqrt(2 * parts->triangles->rest[t].area);
    for (int32_t k = 0; k < parts->links->count; k++) sum += parts->links->rest[k].length;
    return count > 0 ? sum / count : 0;
}

// Room for as many particles as there is room for in the cloth, so that tearing seldom asks for more.
dlp_status dlp_cloth_contact_rebuild(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                     dlp_error *error)
{
    dlp_cloth_contact_scratch *s = &contact->scratch;
    const int32_t particle_count = parts->particles->count;
    DLP_TRY(dlp_cloth_contact_reserve_particles(contact, parts->particles->capacity, error));
    DLP_TRY(dlp_cloth_contact_reserve_facets(contact, parts->triangles->count + parts->links->count, error));
    list_facets(&s->facets, parts);
    index_facets(&s->facets, particle_count);
    assign_owners(&s->facets);
    find_pieces(&s->facets, particle_count);
    contact->params.mean_edge = find_mean_edge(parts);
    for (int32_t i = 0; i < particle_count; i++) {
        s->obstacles.clearance[i] = -1;
        s->loads.supporter[i] = -1;
        s->obstacles.constraints[i].directions = DLP_CONSTRAINT_UNKNOWN;
    }
    dlp_cloth_contact_build_tree(contact, parts);
    return DLP_OK;
}

dlp_status dlp_cloth_contact_init(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, dlp_error *error)
{
    *contact = (dlp_cloth_contact){.params.body_count = parts->scene->obstacle_count};
    DLP_TRY(dlp_cloth_contact_reserve_bodies(contact, contact->params.body_count, error));
    DLP_TRY(dlp_cloth_contact_find_pressed(contact, parts, error));
    return dlp_cloth_contact_rebuild(contact, parts, error);
}

double dlp_cloth_contact_radius(const dlp_cloth_parts *parts, int32_t substance)
{
    return 0.5 * parts->fabrics[substance].thickness;
}

double dlp_cloth_contact_corner_radius(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                       int32_t substance)
{
    return dlp_cloth_contact_radius(parts, substance) + 0.05 * contact->params.mean_edge;
}

// Thicker than half a cell, a sheet would push its own neighbours away.
double dlp_cloth_contact_gap(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t a,
                             int32_t b)
{
    return fmin(dlp_cloth_contact_radius(parts, a) + dlp_cloth_contact_radius(parts, b),
                0.5 * contact->params.mean_edge);
}
