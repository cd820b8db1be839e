/* A tree of boxes over all facets: built once, its boxes refitted where something moves. Its form never
 * shows: the pairs it finds are those whose own boxes overlap, in the order of the facets. */
#include "motion/cloth/cloth_contact.h"

#include "base/memory.h"

static int corner_count(const dlp_facet *facet)
{
    return facet->corner[2] < 0 ? 2 : 3;
}

// Swells by half the gap, and by as much again for what impacts may still move it.
static dlp_box box_of(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t f)
{
    const dlp_facet *facet = &contact->facets[f];
    dlp_box box = {{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};
    for (int c = 0; c < corner_count(facet); c++) {
        const dlp_vec3 from = dlp_get3(parts->start, facet->corner[c]);
        const dlp_vec3 to = dlp_get3(parts->particles->position, facet->corner[c]);
        box.min = dlp_min3(box.min, dlp_min3(from, to));
        box.max = dlp_max3(box.max, dlp_max3(from, to));
    }
    const double margin = dlp_cloth_contact_gap(contact, parts, facet->substance, facet->substance);
    const dlp_vec3 swell = {margin, margin, margin};
    return (dlp_box){dlp_sub(box.min, swell), dlp_add(box.max, swell)};
}

static dlp_box join(const dlp_box *a, const dlp_box *b)
{
    return (dlp_box){dlp_min3(a->min, b->min), dlp_max3(a->max, b->max)};
}

static bool overlap(const dlp_box *a, const dlp_box *b)
{
    return a->min.x <= b->max.x && b->min.x <= a->max.x && a->min.y <= b->max.y && b->min.y <= a->max.y &&
           a->min.z <= b->max.z && b->min.z <= a->max.z;
}

// Building.

static bool comes_before(const dlp_cloth_contact *contact, int32_t a, int32_t b)
{
    return contact->tree_key[a] < contact->tree_key[b] ||
           (contact->tree_key[a] == contact->tree_key[b] && a < b);
}

// Puts the facet that belongs in the middle there, smaller ones before it.
static void select_middle(const dlp_cloth_contact *contact, int32_t begin, int32_t end, int32_t middle)
{
    int32_t *order = contact->tree_order;
    while (end - begin > 1) {
        const int32_t pivot = order[begin + (end - begin) / 2];
        int32_t low = begin, high = end - 1;
        while (low <= high) {
            while (comes_before(contact, order[low], pivot)) low++;
            while (comes_before(contact, pivot, order[high])) high--;
            if (low > high) break;
            const int32_t held = order[low];
            order[low++] = order[high];
            order[high--] = held;
        }
        if (middle <= high)
            end = high + 1;
        else if (middle >= low)
            begin = low;
        else
            return;
    }
}

static void key_by_longest_axis(dlp_cloth_contact *contact, int32_t begin, int32_t end)
{
    dlp_box box = contact->facet_box[contact->tree_order[begin]];
    for (int32_t k = begin; k < end; k++) box = join(&box, &contact->facet_box[contact->tree_order[k]]);
    const dlp_vec3 size = dlp_sub(box.max, box.min);
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    for (int32_t k = begin; k < end; k++) {
        const dlp_box *own = &contact->facet_box[contact->tree_order[k]];
        contact->tree_key[contact->tree_order[k]] =
            dlp_component(own->min, axis) + dlp_component(own->max, axis);
    }
}

// Depth is the logarithm of the number of facets.
static int32_t build_node(dlp_cloth_contact *contact, int32_t begin, int32_t end, int32_t parent)
{
    const int32_t n = contact->node_count++;
    dlp_cloth_contact_node *node = &contact->nodes[n];
    node->parent = parent;
    if (end - begin == 1) {
        const int32_t f = contact->tree_order[begin];
        node->child[0] = -1 - f;
        node->child[1] = -1;
        node->box = contact->facet_box[f];
        contact->leaf_of[f] = n;
        return n;
    }
    const int32_t middle = begin + (end - begin) / 2;
    key_by_longest_axis(contact, begin, end);
    select_middle(contact, begin, end, middle);
    node->child[0] = build_node(contact, begin, middle, n);
    node->child[1] = build_node(contact, middle, end, n);
    node->box = join(&contact->nodes[node->child[0]].box, &contact->nodes[node->child[1]].box);
    return n;
}

void dlp_cloth_contact_build_tree(dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    dlp_cloth_parts still = *parts;
    still.start = parts->particles->position;
    for (int32_t f = 0; f < contact->facet_count; f++) {
        contact->facet_box[f] = box_of(contact, &still, f);
        contact->tree_order[f] = f;
        contact->is_awake_facet[f] = 1;  // its box is made anew once
    }
    contact->node_count = 0;
    if (contact->facet_count > 0) build_node(contact, 0, contact->facet_count, -1);
}

// The pairs of this step.

// A facet is awake where a corner moves or, in a contact, is not at rest. One that was awake before
// needs its box once more.
static void wake_facets(dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    contact->awake_count = 0;
    for (int32_t f = 0; f < contact->facet_count; f++) {
        const dlp_facet *facet = &contact->facets[f];
        bool is_awake = false;
        for (int c = 0; c < corner_count(facet); c++)
            is_awake |= (contact->had_contact[facet->corner[c]] && !contact->at_rest[facet->corner[c]]) ||
                        dlp_cloth_contact_moved(parts, facet->corner[c]);
        if (facet->corner[0] == facet->corner[1]) is_awake = false;
        if (is_awake || contact->is_awake_facet[f]) {
            contact->facet_box[f] = box_of(contact, parts, f);
            contact->nodes[contact->leaf_of[f]].box = contact->facet_box[f];
        }
        if (is_awake) contact->awake_facets[contact->awake_count++] = f;
        contact->is_awake_facet[f] = is_awake;
    }
}

// Children stand after their parents: one pass from the back. Nodes are fewer than twice the facets.
static void refit(dlp_cloth_contact *contact)
{
    for (int32_t n = contact->node_count - 1; n >= 0; n--) {
        dlp_cloth_contact_node *node = &contact->nodes[n];
        if (node->child[0] < 0) continue;
        node->box = join(&contact->nodes[node->child[0]].box, &contact->nodes[node->child[1]].box);
    }
}

static bool may_meet(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t a, int32_t b)
{
    const int32_t s = contact->facets[a].substance, t = contact->facets[b].substance;
    return s != t || parts->fabrics[s].meets_itself;
}

typedef struct search {
    dlp_cloth_contact *contact;
    const dlp_cloth_parts *parts;
    bool fills; /* else counts */
} search;

// Facets that overlap facet a, in the tree's order. Two that are both awake meet once, in the list of the
// smaller.
static int32_t find_partners(const search *s, int32_t a, dlp_cloth_contact_pair *out_pairs)
{
    const dlp_cloth_contact *contact = s->contact;
    int32_t stack[128], depth = 0, count = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const dlp_cloth_contact_node *node = &contact->nodes[stack[--depth]];
        if (!overlap(&node->box, &contact->facet_box[a])) continue;
        if (node->child[0] >= 0) {
            stack[depth++] = node->child[1];
            stack[depth++] = node->child[0];
            continue;
        }
        const int32_t b = -1 - node->child[0];
        if (b == a || (contact->is_awake_facet[b] && b < a) || !may_meet(contact, s->parts, a, b)) continue;
        if (out_pairs != NULL) out_pairs[count] = (dlp_cloth_contact_pair){{a, b}, 0};
        count++;
    }
    return count;
}

// Short lists, almost in order: by insertion.
static void sort_partners(dlp_cloth_contact_pair *pairs, int32_t count)
{
    for (int32_t k = 1; k < count; k++) {
        const dlp_cloth_contact_pair held = pairs[k];
        int32_t at = k;
        for (; at > 0 && pairs[at - 1].facet[1] > held.facet[1]; at--) pairs[at] = pairs[at - 1];
        pairs[at] = held;
    }
}

static void search_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const search *s = context;
    dlp_cloth_contact *contact = s->contact;
    for (int32_t k = begin; k < end; k++) {
        dlp_cloth_contact_pair *own = s->fills ? contact->pairs + contact->pair_begin[k] : NULL;
        const int32_t count = find_partners(s, contact->awake_facets[k], own);
        if (s->fills)
            sort_partners(own, count);
        else
            contact->pair_begin[k + 1] = count;
    }
}

dlp_status dlp_cloth_contact_find_pairs(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                        dlp_error *error)
{
    wake_facets(contact, parts);
    refit(contact);
    search s = {contact, parts, .fills = false};
    contact->pair_begin[0] = 0;
    dlp_parallel_for(parts->team, contact->awake_count, 64, search_range, &s);
    for (int32_t k = 0; k < contact->awake_count; k++) contact->pair_begin[k + 1] += contact->pair_begin[k];
    contact->pair_count = contact->pair_begin[contact->awake_count];
    DLP_TRY(dlp_reserve(&contact->pairs, &contact->pair_capacity, contact->pair_count, sizeof *contact->pairs,
                        "cloth contact", error));
    s.fills = true;
    dlp_parallel_for(parts->team, contact->awake_count, 64, search_range, &s);
    for (int32_t i = 0; i < parts->particles->count; i++) contact->drift[i] = 0;
    contact->needs_pairs = false;
    return DLP_OK;
}
