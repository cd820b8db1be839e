/* What all contact phases use: memory, facets and who owns which corner and edge. */
#include "motion/cloth/cloth_contact.h"

#include "base/memory.h"

#define LABEL "cloth contact"

static dlp_status resize(void *array_pointer, int32_t count, size_t size, dlp_error *error)
{
    void **array = array_pointer;
    void *larger = dlp_realloc(*array, (size_t)(count > 0 ? count : 1), size, LABEL);
    if (larger == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "cloth: contacts of %d", (int)count);
    *array = larger;
    return DLP_OK;
}

// Room for as many particles as there is room for in the cloth, so that tearing seldom asks for more.
dlp_status dlp_cloth_contact_reserve(dlp_cloth_contact *contact, int32_t count, dlp_error *error)
{
    if (count <= contact->capacity && contact->capacity > 0) return DLP_OK;
    DLP_TRY(resize(&contact->obstacle_contact, count, sizeof *contact->obstacle_contact, error));
    DLP_TRY(resize(&contact->load, count, sizeof *contact->load, error));
    DLP_TRY(resize(&contact->held_pull, count, sizeof *contact->held_pull, error));
    DLP_TRY(resize(&contact->tried_pull, count, sizeof *contact->tried_pull, error));
    DLP_TRY(resize(&contact->had_contact, count, sizeof *contact->had_contact, error));
    DLP_TRY(resize(&contact->at_rest, count, sizeof *contact->at_rest, error));
    DLP_TRY(resize(&contact->constraints, count, sizeof *contact->constraints, error));
    DLP_TRY(resize(&contact->air_force, count, 3 * sizeof *contact->air_force, error));
    DLP_TRY(resize(&contact->air_damping, count, 6 * sizeof *contact->air_damping, error));
    DLP_TRY(resize(&contact->clearance, count, sizeof *contact->clearance, error));
    DLP_TRY(resize(&contact->changes, count, sizeof *contact->changes, error));
    DLP_TRY(resize(&contact->is_changed, count, sizeof *contact->is_changed, error));
    DLP_TRY(resize(&contact->has_spring, count, sizeof *contact->has_spring, error));
    DLP_TRY(resize(&contact->spring_diagonal, count, 6 * sizeof *contact->spring_diagonal, error));
    DLP_TRY(resize(&contact->has_contact, count, sizeof *contact->has_contact, error));
    DLP_TRY(resize(&contact->velocity_before, count, sizeof *contact->velocity_before, error));
    DLP_TRY(resize(&contact->drift, count, sizeof *contact->drift, error));
    DLP_TRY(resize(&contact->zone, count, sizeof *contact->zone, error));
    DLP_TRY(resize(&contact->zone_list, count, sizeof *contact->zone_list, error));
    DLP_TRY(resize(&contact->supporter, count, sizeof *contact->supporter, error));
    DLP_TRY(resize(&contact->body_sums, dlp_cloth_contact_load_size(contact, count),
                   sizeof *contact->body_sums, error));
    contact->capacity = count;
    return DLP_OK;
}

static dlp_status reserve_facets(dlp_cloth_contact *contact, int32_t count, dlp_error *error)
{
    if (count <= contact->facet_capacity && contact->facet_capacity > 0) return DLP_OK;
    DLP_TRY(resize(&contact->facets, count, sizeof *contact->facets, error));
    DLP_TRY(resize(&contact->facet_push, count, sizeof *contact->facet_push, error));
    DLP_TRY(resize(&contact->facet_velocity_change, count, sizeof *contact->facet_velocity_change, error));
    DLP_TRY(resize(&contact->facet_wall_velocity, count, sizeof *contact->facet_wall_velocity, error));
    DLP_TRY(resize(&contact->facet_obstacle, count, sizeof *contact->facet_obstacle, error));
    DLP_TRY(resize(&contact->facet_weight, count, 3 * sizeof *contact->facet_weight, error));
    DLP_TRY(resize(&contact->wind_force, count, sizeof *contact->wind_force, error));
    DLP_TRY(resize(&contact->wind_damping, count, 6 * sizeof *contact->wind_damping, error));
    DLP_TRY(resize(&contact->is_awake_facet, count, sizeof *contact->is_awake_facet, error));
    DLP_TRY(resize(&contact->awake_facets, count, sizeof *contact->awake_facets, error));
    DLP_TRY(resize(&contact->pair_begin, count + 1, sizeof *contact->pair_begin, error));
    DLP_TRY(resize(&contact->nodes, 2 * count, sizeof *contact->nodes, error));
    DLP_TRY(resize(&contact->facet_box, count, sizeof *contact->facet_box, error));
    DLP_TRY(resize(&contact->leaf_of, count, sizeof *contact->leaf_of, error));
    DLP_TRY(resize(&contact->tree_order, count, sizeof *contact->tree_order, error));
    DLP_TRY(resize(&contact->tree_key, count, sizeof *contact->tree_key, error));
    contact->facet_capacity = count;
    return DLP_OK;
}

static void list_facets(dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    for (int32_t t = 0; t < parts->triangle_count; t++) {
        const dlp_cloth_triangle *tri = &parts->triangles[t];
        contact->facets[t] =
            (dlp_facet){{tri->corner[0], tri->corner[1], tri->corner[2]}, tri->substance, 0, 0};
    }
    for (int32_t k = 0; k < parts->link_count; k++) {
        const dlp_cloth_link *link = &parts->links[k];
        const bool is_whole = !link->is_torn;
        contact->facets[parts->triangle_count + k] =
            (dlp_facet){{link->end[0], is_whole ? link->end[1] : link->end[0], -1}, link->substance, 0, 0};
    }
    contact->facet_count = parts->triangle_count + parts->link_count;
}

static int corner_count(const dlp_facet *facet)
{
    return facet->corner[2] < 0 ? 2 : 3;
}

// The facets of every particle in their own order: counted, then filled.
static dlp_status index_facets(dlp_cloth_contact *contact, int32_t particle_count, dlp_error *error)
{
    DLP_TRY(dlp_reserve(&contact->facet_begin, &contact->facet_begin_capacity, particle_count + 2,
                        sizeof *contact->facet_begin, LABEL, error));
    DLP_TRY(dlp_reserve(&contact->facet_list, &contact->facet_list_capacity, 3 * contact->facet_count + 1,
                        sizeof *contact->facet_list, LABEL, error));
    int32_t *begin = contact->facet_begin;
    for (int32_t i = 0; i < particle_count + 2; i++) begin[i] = 0;
    for (int32_t f = 0; f < contact->facet_count; f++)
        for (int c = 0; c < corner_count(&contact->facets[f]); c++) begin[contact->facets[f].corner[c] + 2]++;
    for (int32_t i = 0; i < particle_count; i++) begin[i + 2] += begin[i + 1];
    for (int32_t f = 0; f < contact->facet_count; f++)
        for (int c = 0; c < corner_count(&contact->facets[f]); c++)
            contact->facet_list[begin[contact->facets[f].corner[c] + 1]++] = f;
    return DLP_OK;
}

static bool has_corner(const dlp_facet *facet, int32_t particle)
{
    return facet->corner[0] == particle || facet->corner[1] == particle || facet->corner[2] == particle;
}

// A corner and an edge belong to the first facet that has them.
static void assign_owners(dlp_cloth_contact *contact)
{
    for (int32_t f = 0; f < contact->facet_count; f++) {
        dlp_facet *facet = &contact->facets[f];
        const int corners = corner_count(facet);
        for (int c = 0; c < corners; c++) {
            const int32_t a = facet->corner[c], b = facet->corner[(c + 1) % corners];
            const int32_t *list = contact->facet_list + contact->facet_begin[a];
            if (list[0] == f) facet->owned_corners |= (uint8_t)(1 << c);
            if (a == b || (corners == 2 && c == 1)) continue;
            int32_t k = 0;
            while (!has_corner(&contact->facets[list[k]], b)) k++;
            if (list[k] == f) facet->owned_edges |= (uint8_t)(1 << c);
        }
    }
}

static double find_mean_edge(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    double sum = 0;
    for (int32_t t = 0; t < parts->triangle_count; t++) sum += sqrt(2 * parts->triangles[t].area);
    for (int32_t k = 0; k < parts->link_count; k++) sum += parts->links[k].length;
    return contact->facet_count > 0 ? sum / contact->facet_count : 0;
}

dlp_status dlp_cloth_contact_rebuild(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                     dlp_error *error)
{
    DLP_TRY(dlp_cloth_contact_reserve(contact, parts->particles->capacity, error));
    DLP_TRY(reserve_facets(contact, parts->triangle_count + parts->link_count, error));
    list_facets(contact, parts);
    DLP_TRY(index_facets(contact, parts->particles->count, error));
    assign_owners(contact);
    contact->mean_edge = find_mean_edge(contact, parts);
    for (int32_t i = 0; i < parts->particles->count; i++) {
        contact->clearance[i] = -1;
        contact->supporter[i] = -1;
        contact->constraints[i].directions = -1;  // to be found
    }
    dlp_cloth_contact_build_tree(contact, parts);
    contact->has_wind = false;
    return DLP_OK;
}

dlp_status dlp_cloth_contact_init(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, dlp_error *error)
{
    *contact = (dlp_cloth_contact){0};
    const int32_t obstacle_count = parts->scene->obstacle_count;
    contact->body_count = obstacle_count;
    DLP_TRY(resize(&contact->pivot, obstacle_count, sizeof *contact->pivot, error));
    DLP_TRY(resize(&contact->frame_before, obstacle_count, sizeof *contact->frame_before, error));
    DLP_TRY(resize(&contact->frame_after, obstacle_count, sizeof *contact->frame_after, error));
    DLP_TRY(resize(&contact->travel, obstacle_count, sizeof *contact->travel, error));
    return dlp_cloth_contact_rebuild(contact, parts, error);
}

void dlp_cloth_contact_release(dlp_cloth_contact *contact)
{
    void *arrays[] = {contact->obstacle_contact,
                      contact->at_rest,
                      contact->constraints,
                      contact->air_force,
                      contact->air_damping,
                      contact->clearance,
                      contact->has_contact,
                      contact->velocity_before,
                      contact->drift,
                      contact->zone,
                      contact->facets,
                      contact->facet_push,
                      contact->facet_velocity_change,
                      contact->facet_weight,
                      contact->wind_force,
                      contact->wind_damping,
                      contact->pair_begin,
                      contact->awake_facets,
                      contact->is_awake_facet,
                      contact->nodes,
                      contact->facet_box,
                      contact->leaf_of,
                      contact->tree_order,
                      contact->tree_key,
                      contact->facet_begin,
                      contact->facet_list,
                      contact->pairs,
                      contact->frame_before,
                      contact->frame_after,
                      contact->travel,
                      contact->pivot,
                      contact->body_sums,
                      contact->supporter,
                      contact->had_contact,
                      contact->zone_list,
                      contact->contacts,
                      contact->springs,
                      contact->spring_keys,
                      contact->has_spring,
                      contact->spring_diagonal,
                      contact->facet_wall_velocity,
                      contact->facet_obstacle,
                      contact->load,
                      contact->held_pull,
                      contact->tried_pull,
                      contact->changes,
                      contact->is_changed};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) dlp_free(arrays[k]);
    *contact = (dlp_cloth_contact){0};
}

void dlp_cloth_contact_manifest(dlp_cloth_contact *contact, int32_t particle_count, dlp_manifest *manifest)
{
    const dlp_manifest_item items[] = {
        {"cloth/contact", DLP_INT32, 1, particle_count, contact->obstacle_contact, DLP_COUNT_PARTICLES, 0},
        {"cloth/held_pull", DLP_FLOAT64, 1, particle_count, contact->held_pull, DLP_COUNT_PARTICLES, 0},
        {"cloth/load", DLP_FLOAT64, 1, particle_count, contact->load, DLP_COUNT_PARTICLES, 0},
        {"cloth/air", DLP_FLOAT64, 4, 1, contact->air, DLP_COUNT_FIXED, 0},
        {"cloth/had_contact", DLP_INT32, 1, particle_count, contact->had_contact, DLP_COUNT_PARTICLES, 0},
        {"cloth/at_rest", DLP_INT32, 1, particle_count, contact->at_rest, DLP_COUNT_PARTICLES, 0},
    };
    for (size_t k = 0; k < sizeof items / sizeof items[0]; k++) dlp_manifest_add(manifest, items[k]);
}

double dlp_cloth_contact_radius(const dlp_cloth_parts *parts, int32_t substance)
{
    return 0.5 * parts->fabrics[substance].thickness;
}

double dlp_cloth_contact_corner_radius(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                       int32_t substance)
{
    return dlp_cloth_contact_radius(parts, substance) + 0.05 * contact->mean_edge;
}

// Thicker than half a cell, a sheet would push its own neighbours away.
double dlp_cloth_contact_gap(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t a,
                             int32_t b)
{
    return fmin(dlp_cloth_contact_radius(parts, a) + dlp_cloth_contact_radius(parts, b),
                0.5 * contact->mean_edge);
}
