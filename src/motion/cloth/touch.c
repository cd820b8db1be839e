/* What all phases of touching stand on: room, facets and who owns which corner and edge. */
#include "motion/cloth/touch.h"

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
dlp_status dlp_touch_make_room(dlp_touch *touch, int32_t count, dlp_error *error)
{
    if (count <= touch->capacity && touch->capacity > 0) return DLP_OK;
    DLP_TRY(resize(&touch->contact, count, sizeof *touch->contact, error));
    DLP_TRY(resize(&touch->load, count, sizeof *touch->load, error));
    DLP_TRY(resize(&touch->proved, count, sizeof *touch->proved, error));
    DLP_TRY(resize(&touch->tried, count, sizeof *touch->tried, error));
    DLP_TRY(resize(&touch->touches, count, sizeof *touch->touches, error));
    DLP_TRY(resize(&touch->rests, count, sizeof *touch->rests, error));
    DLP_TRY(resize(&touch->holds, count, sizeof *touch->holds, error));
    DLP_TRY(resize(&touch->air_force, count, 3 * sizeof *touch->air_force, error));
    DLP_TRY(resize(&touch->air_damping, count, 6 * sizeof *touch->air_damping, error));
    DLP_TRY(resize(&touch->clearance, count, sizeof *touch->clearance, error));
    DLP_TRY(resize(&touch->changes, count, sizeof *touch->changes, error));
    DLP_TRY(resize(&touch->is_changed, count, sizeof *touch->is_changed, error));
    DLP_TRY(resize(&touch->is_cushioned, count, sizeof *touch->is_cushioned, error));
    DLP_TRY(resize(&touch->cushion_diagonal, count, 6 * sizeof *touch->cushion_diagonal, error));
    DLP_TRY(resize(&touch->is_touched, count, sizeof *touch->is_touched, error));
    DLP_TRY(resize(&touch->velocity_before, count, sizeof *touch->velocity_before, error));
    DLP_TRY(resize(&touch->drift, count, sizeof *touch->drift, error));
    DLP_TRY(resize(&touch->zone, count, sizeof *touch->zone, error));
    DLP_TRY(resize(&touch->zone_list, count, sizeof *touch->zone_list, error));
    touch->capacity = count;
    return DLP_OK;
}

static dlp_status make_room_for_facets(dlp_touch *touch, int32_t count, dlp_error *error)
{
    if (count <= touch->facet_capacity && touch->facet_capacity > 0) return DLP_OK;
    DLP_TRY(resize(&touch->facets, count, sizeof *touch->facets, error));
    DLP_TRY(resize(&touch->facet_push, count, sizeof *touch->facet_push, error));
    DLP_TRY(resize(&touch->facet_kick, count, sizeof *touch->facet_kick, error));
    DLP_TRY(resize(&touch->facet_wall, count, sizeof *touch->facet_wall, error));
    DLP_TRY(resize(&touch->facet_obstacle, count, sizeof *touch->facet_obstacle, error));
    DLP_TRY(resize(&touch->facet_weight, count, 3 * sizeof *touch->facet_weight, error));
    DLP_TRY(resize(&touch->wind_force, count, sizeof *touch->wind_force, error));
    DLP_TRY(resize(&touch->wind_damping, count, 6 * sizeof *touch->wind_damping, error));
    DLP_TRY(resize(&touch->is_awake_facet, count, sizeof *touch->is_awake_facet, error));
    DLP_TRY(resize(&touch->awake_facets, count, sizeof *touch->awake_facets, error));
    DLP_TRY(resize(&touch->pair_begin, count + 1, sizeof *touch->pair_begin, error));
    DLP_TRY(resize(&touch->nodes, 2 * count, sizeof *touch->nodes, error));
    DLP_TRY(resize(&touch->facet_box, count, sizeof *touch->facet_box, error));
    DLP_TRY(resize(&touch->leaf_of, count, sizeof *touch->leaf_of, error));
    DLP_TRY(resize(&touch->tree_order, count, sizeof *touch->tree_order, error));
    DLP_TRY(resize(&touch->tree_key, count, sizeof *touch->tree_key, error));
    touch->facet_capacity = count;
    return DLP_OK;
}

static void list_facets(dlp_touch *touch, const dlp_cloth_parts *parts)
{
    for (int32_t t = 0; t < parts->triangle_count; t++) {
        const dlp_cloth_triangle *tri = &parts->triangles[t];
        touch->facets[t] =
            (dlp_facet){{tri->corner[0], tri->corner[1], tri->corner[2]}, tri->substance, 0, 0};
    }
    for (int32_t k = 0; k < parts->link_count; k++) {
        const dlp_cloth_link *link = &parts->links[k];
        const bool is_whole = !link->is_torn;
        touch->facets[parts->triangle_count + k] =
            (dlp_facet){{link->end[0], is_whole ? link->end[1] : link->end[0], -1}, link->substance, 0, 0};
    }
    touch->facet_count = parts->triangle_count + parts->link_count;
}

static int corner_count(const dlp_facet *facet)
{
    return facet->corner[2] < 0 ? 2 : 3;
}

// The facets of every particle in their own order: counted, then filled.
static dlp_status index_facets(dlp_touch *touch, int32_t particle_count, dlp_error *error)
{
    DLP_TRY(dlp_reserve(&touch->facet_begin, &touch->facet_begin_capacity, particle_count + 2,
                        sizeof *touch->facet_begin, LABEL, error));
    DLP_TRY(dlp_reserve(&touch->facet_list, &touch->facet_list_capacity, 3 * touch->facet_count + 1,
                        sizeof *touch->facet_list, LABEL, error));
    int32_t *begin = touch->facet_begin;
    for (int32_t i = 0; i < particle_count + 2; i++) begin[i] = 0;
    for (int32_t f = 0; f < touch->facet_count; f++)
        for (int c = 0; c < corner_count(&touch->facets[f]); c++) begin[touch->facets[f].corner[c] + 2]++;
    for (int32_t i = 0; i < particle_count; i++) begin[i + 2] += begin[i + 1];
    for (int32_t f = 0; f < touch->facet_count; f++)
        for (int c = 0; c < corner_count(&touch->facets[f]); c++)
            touch->facet_list[begin[touch->facets[f].corner[c] + 1]++] = f;
    return DLP_OK;
}

static bool has_corner(const dlp_facet *facet, int32_t particle)
{
    return facet->corner[0] == particle || facet->corner[1] == particle || facet->corner[2] == particle;
}

// A corner and an edge belong to the first facet that has them.
static void assign_owners(dlp_touch *touch)
{
    for (int32_t f = 0; f < touch->facet_count; f++) {
        dlp_facet *facet = &touch->facets[f];
        const int corners = corner_count(facet);
        for (int c = 0; c < corners; c++) {
            const int32_t a = facet->corner[c], b = facet->corner[(c + 1) % corners];
            const int32_t *list = touch->facet_list + touch->facet_begin[a];
            if (list[0] == f) facet->owned_corners |= (uint8_t)(1 << c);
            if (a == b || (corners == 2 && c == 1)) continue;
            int32_t k = 0;
            while (!has_corner(&touch->facets[list[k]], b)) k++;
            if (list[k] == f) facet->owned_edges |= (uint8_t)(1 << c);
        }
    }
}

static double mean_edge(const dlp_touch *touch, const dlp_cloth_parts *parts)
{
    double sum = 0;
    for (int32_t t = 0; t < parts->triangle_count; t++) sum += sqrt(2 * parts->triangles[t].area);
    for (int32_t k = 0; k < parts->link_count; k++) sum += parts->links[k].length;
    return touch->facet_count > 0 ? sum / touch->facet_count : 0;
}

dlp_status dlp_touch_rebuild(dlp_touch *touch, const dlp_cloth_parts *parts, dlp_error *error)
{
    DLP_TRY(dlp_touch_make_room(touch, parts->particles->capacity, error));
    DLP_TRY(make_room_for_facets(touch, parts->triangle_count + parts->link_count, error));
    list_facets(touch, parts);
    DLP_TRY(index_facets(touch, parts->particles->count, error));
    assign_owners(touch);
    touch->cell = mean_edge(touch, parts);
    for (int32_t i = 0; i < parts->particles->count; i++) {
        touch->clearance[i] = -1;
        touch->holds[i].directions = -1;  // to be found
    }
    dlp_touch_build_tree(touch, parts);
    touch->has_wind = false;
    return DLP_OK;
}

dlp_status dlp_touch_init(dlp_touch *touch, const dlp_cloth_parts *parts, dlp_error *error)
{
    *touch = (dlp_touch){0};
    const int32_t obstacle_count = parts->scene->obstacle_count;
    DLP_TRY(resize(&touch->frame_before, obstacle_count, sizeof *touch->frame_before, error));
    DLP_TRY(resize(&touch->frame_after, obstacle_count, sizeof *touch->frame_after, error));
    DLP_TRY(resize(&touch->travel, obstacle_count, sizeof *touch->travel, error));
    return dlp_touch_rebuild(touch, parts, error);
}

void dlp_touch_release(dlp_touch *touch)
{
    void *arrays[] = {touch->contact,
                      touch->rests,
                      touch->holds,
                      touch->air_force,
                      touch->air_damping,
                      touch->clearance,
                      touch->is_touched,
                      touch->velocity_before,
                      touch->drift,
                      touch->zone,
                      touch->facets,
                      touch->facet_push,
                      touch->facet_kick,
                      touch->facet_weight,
                      touch->wind_force,
                      touch->wind_damping,
                      touch->pair_begin,
                      touch->awake_facets,
                      touch->is_awake_facet,
                      touch->nodes,
                      touch->facet_box,
                      touch->leaf_of,
                      touch->tree_order,
                      touch->tree_key,
                      touch->facet_begin,
                      touch->facet_list,
                      touch->pairs,
                      touch->frame_before,
                      touch->frame_after,
                      touch->travel,
                      touch->touches,
                      touch->zone_list,
                      touch->contacts,
                      touch->cushions,
                      touch->marks,
                      touch->is_cushioned,
                      touch->cushion_diagonal,
                      touch->facet_wall,
                      touch->facet_obstacle,
                      touch->load,
                      touch->proved,
                      touch->tried,
                      touch->changes,
                      touch->is_changed};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) dlp_free(arrays[k]);
    *touch = (dlp_touch){0};
}

int32_t dlp_touch_manifest(dlp_touch *touch, int32_t particle_count, dlp_manifest_item *items,
                           int32_t item_count)
{
    const dlp_manifest_item own[] = {
        {"cloth/contact", DLP_INT32, 1, particle_count, touch->contact, DLP_COUNT_PARTICLES},
        {"cloth/proved", DLP_FLOAT64, 1, particle_count, touch->proved, DLP_COUNT_PARTICLES},
        {"cloth/load", DLP_FLOAT64, 1, particle_count, touch->load, DLP_COUNT_PARTICLES},
        {"cloth/air", DLP_FLOAT64, 4, 1, touch->air, DLP_COUNT_FIXED},
        {"cloth/touches", DLP_INT32, 1, particle_count, touch->touches, DLP_COUNT_PARTICLES},
        {"cloth/rests", DLP_INT32, 1, particle_count, touch->rests, DLP_COUNT_PARTICLES},
    };
    for (size_t k = 0; k < sizeof own / sizeof *own; k++) items[item_count++] = own[k];
    return item_count;
}

double dlp_touch_radius(const dlp_cloth_parts *parts, int32_t substance)
{
    return 0.5 * parts->fabrics[substance].thickness;
}

double dlp_touch_corner_radius(const dlp_touch *touch, const dlp_cloth_parts *parts, int32_t substance)
{
    return dlp_touch_radius(parts, substance) + 0.05 * touch->cell;
}

// Thicker than half a cell, a sheet would push its own neighbours away.
double dlp_touch_gap(const dlp_touch *touch, const dlp_cloth_parts *parts, int32_t a, int32_t b)
{
    return fmin(dlp_touch_radius(parts, a) + dlp_touch_radius(parts, b), 0.5 * touch->cell);
}
