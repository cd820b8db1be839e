/* A tree of boxes over all facets: built once, its boxes refitted where something moves. Its form never
 * shows: the pairs it finds are those whose own boxes overlap, in the order of the facets. */
#include "motion/cloth/cloth_contact.h"

enum { FACET_GRAIN = 256, NODE_GRAIN = 512, SEARCH_GRAIN = 64, STACK_LIMIT = 128 };

typedef struct tree_pass {
    dlp_cloth_contact *contact;
    const dlp_cloth_parts *parts;
} tree_pass;

// Swells by half the gap, and by as much again for what impacts may still move it.
static dlp_box box_of(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t f)
{
    const dlp_facet *facet = &contact->scratch.facets.items[f];
    dlp_box box = {{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};
    for (int c = 0; c < dlp_facet_corner_count(facet); c++) {
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

static bool comes_before(const dlp_cloth_tree *tree, int32_t a, int32_t b)
{
    return tree->key[a] < tree->key[b] || (tree->key[a] == tree->key[b] && a < b);
}

// Puts the facet that belongs in the middle there, smaller ones before it.
static void select_middle(const dlp_cloth_tree *tree, int32_t begin, int32_t end, int32_t middle)
{
    int32_t *order = tree->order;
    while (end - begin > 1) {
        const int32_t pivot = order[begin + (end - begin) / 2];
        int32_t low = begin, high = end - 1;
        while (low <= high) {
            while (comes_before(tree, order[low], pivot)) low++;
            while (comes_before(tree, pivot, order[high])) high--;
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

static void key_by_longest_axis(dlp_cloth_tree *tree, int32_t begin, int32_t end)
{
    dlp_box box = tree->box[tree->order[begin]];
    for (int32_t k = begin; k < end; k++) box = join(&box, &tree->box[tree->order[k]]);
    const dlp_vec3 size = dlp_sub(box.max, box.min);
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    for (int32_t k = begin; k < end; k++) {
        const dlp_box *own = &tree->box[tree->order[k]];
        tree->key[tree->order[k]] = dlp_component(own->min, axis) + dlp_component(own->max, axis);
    }
}

// The depth is the logarithm of the number of facets.
static int32_t build_node(dlp_cloth_tree *tree, int32_t begin, int32_t end, int32_t depth)
{
    const int32_t n = tree->node_count++;
    dlp_cloth_tree_node *node = &tree->nodes[n];
    assert(n < 2 * tree->capacity && depth < DLP_CLOTH_TREE_DEPTH);
    tree->depth[n] = (uint8_t)depth;
    if (end - begin == 1) {
        const int32_t f = tree->order[begin];
        node->child[0] = -1 - f;
        node->child[1] = -1;
        node->box = tree->box[f];
        tree->leaf[f] = n;
        return n;
    }
    const int32_t middle = begin + (end - begin) / 2;
    key_by_longest_axis(tree, begin, end);
    select_middle(tree, begin, end, middle);
    node->child[0] = build_node(tree, begin, middle, depth + 1);
    node->child[1] = build_node(tree, middle, end, depth + 1);
    node->box = join(&tree->nodes[node->child[0]].box, &tree->nodes[node->child[1]].box);
    return n;
}

static void sort_by_depth(dlp_cloth_tree *tree)
{
    int32_t *begin = tree->depth_begin, fill[DLP_CLOTH_TREE_DEPTH];
    for (int d = 0; d <= DLP_CLOTH_TREE_DEPTH; d++) begin[d] = 0;
    for (int32_t n = 0; n < tree->node_count; n++) begin[tree->depth[n] + 1]++;
    for (int d = 0; d < DLP_CLOTH_TREE_DEPTH; d++) {
        begin[d + 1] += begin[d];
        fill[d] = begin[d];
    }
    for (int32_t n = 0; n < tree->node_count; n++) tree->by_depth[fill[tree->depth[n]]++] = n;
}

void dlp_cloth_contact_build_tree(dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    dlp_cloth_tree *tree = &contact->scratch.tree;
    const int32_t count = contact->scratch.facets.count;
    dlp_cloth_parts still = *parts;
    still.start = parts->particles->position;
    for (int32_t f = 0; f < count; f++) {
        tree->box[f] = box_of(contact, &still, f);
        tree->order[f] = f;
        tree->is_awake[f] = 1;  // its box is made anew once
    }
    tree->node_count = 0;
    if (count > 0) build_node(tree, 0, count, 0);
    assert(count == 0 || tree->node_count == 2 * count - 1);
    sort_by_depth(tree);
}

// The pairs of this step.

static bool is_awake(const tree_pass *pass, const dlp_facet *facet)
{
    const dlp_cloth_contact_state *state = &pass->contact->state;
    if (facet->corner[0] == facet->corner[1]) return false;
    for (int c = 0; c < dlp_facet_corner_count(facet); c++) {
        const int32_t i = facet->corner[c];
        if ((state->had_contact[i] && !state->at_rest[i]) || dlp_cloth_contact_moved(pass->parts, i))
            return true;
    }
    return false;
}

// One that was awake before needs its box once more.
static void wake_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const tree_pass *pass = context;
    dlp_cloth_tree *tree = &pass->contact->scratch.tree;
    for (int32_t f = begin; f < end; f++) {
        const bool wakes = is_awake(pass, &pass->contact->scratch.facets.items[f]);
        if (wakes || tree->is_awake[f]) {
            tree->box[f] = box_of(pass->contact, pass->parts, f);
            tree->nodes[tree->leaf[f]].box = tree->box[f];
        }
        tree->is_awake[f] = wakes;
    }
}

static int32_t select_awake(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const uint8_t *flags = context;
    int32_t count = 0;
    for (int32_t f = begin; f < end; f++) {
        if (!flags[f]) continue;
        if (out != NULL) out[count] = f;
        count++;
    }
    return count;
}

typedef struct refit_pass {
    dlp_cloth_tree *tree;
    int32_t first;  // in by_depth
} refit_pass;

static void refit_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const refit_pass *pass = context;
    dlp_cloth_tree_node *nodes = pass->tree->nodes;
    for (int32_t k = begin; k < end; k++) {
        dlp_cloth_tree_node *node = &nodes[pass->tree->by_depth[pass->first + k]];
        if (node->child[0] >= 0) node->box = join(&nodes[node->child[0]].box, &nodes[node->child[1]].box);
    }
}

// From the deepest nodes to the root.
static void refit(dlp_cloth_tree *tree, dlp_team *team)
{
    for (int d = DLP_CLOTH_TREE_DEPTH - 1; d >= 0; d--) {
        refit_pass pass = {tree, tree->depth_begin[d]};
        const int32_t count = tree->depth_begin[d + 1] - tree->depth_begin[d];
        dlp_parallel_for(team, count, NODE_GRAIN, refit_range, &pass);
    }
}

static bool may_meet(const tree_pass *pass, int32_t a, int32_t b)
{
    const dlp_facet *facets = pass->contact->scratch.facets.items;
    const int32_t s = facets[a].substance, t = facets[b].substance;
    return s != t || pass->parts->fabrics[s].meets_itself;
}

// Facets that overlap facet a, in the tree's order. Two that are both awake meet once, in the list of the
// smaller.
static int32_t find_partners(const tree_pass *pass, int32_t a, dlp_cloth_contact_pair *out_pairs)
{
    const dlp_cloth_tree *tree = &pass->contact->scratch.tree;
    int32_t stack[STACK_LIMIT], depth = 0, count = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const dlp_cloth_tree_node *node = &tree->nodes[stack[--depth]];
        if (!overlap(&node->box, &tree->box[a])) continue;
        if (node->child[0] >= 0) {
            assert(depth + 2 <= STACK_LIMIT);
            stack[depth++] = node->child[1];
            stack[depth++] = node->child[0];
            continue;
        }
        const int32_t b = -1 - node->child[0];
        if (b == a || (tree->is_awake[b] && b < a) || !may_meet(pass, a, b)) continue;
        if (out_pairs != NULL) out_pairs[count] = (dlp_cloth_contact_pair){{a, b}, 0};
        count++;
    }
    return count;
}

static void count_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const tree_pass *pass = context;
    const dlp_cloth_contact_scratch *s = &pass->contact->scratch;
    for (int32_t k = begin; k < end; k++)
        s->pairs.begin[k + 1] = find_partners(pass, s->tree.awake_list[k], NULL);
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

static void fill_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const tree_pass *pass = context;
    const dlp_cloth_contact_scratch *s = &pass->contact->scratch;
    for (int32_t k = begin; k < end; k++) {
        dlp_cloth_contact_pair *own = s->pairs.pairs + s->pairs.begin[k];
        const int32_t count = find_partners(pass, s->tree.awake_list[k], own);
        assert(count == s->pairs.begin[k + 1] - s->pairs.begin[k]);
        sort_partners(own, count);
    }
}

dlp_status dlp_cloth_contact_find_pairs(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                        dlp_error *error)
{
    dlp_cloth_tree *tree = &contact->scratch.tree;
    dlp_cloth_pairs *pairs = &contact->scratch.pairs;
    const int32_t facet_count = contact->scratch.facets.count;
    tree_pass pass = {contact, parts};
    dlp_parallel_for(parts->team, facet_count, FACET_GRAIN, wake_range, &pass);
    tree->awake_count = dlp_parallel_compact(parts->team, facet_count, FACET_GRAIN, select_awake,
                                             tree->is_awake, tree->awake_list);
    refit(tree, parts->team);
    pairs->begin[0] = 0;
    dlp_parallel_for(parts->team, tree->awake_count, SEARCH_GRAIN, count_range, &pass);
    pairs->count = dlp_parallel_scan(parts->team, pairs->begin + 1, tree->awake_count);
    DLP_TRY(DLP_CLOTH_RESERVE_POOL(pairs, pairs, pairs->count, error));
    DLP_TRY(DLP_CLOTH_RESERVE_POOL(pairs, hits, pairs->count, error));
    dlp_parallel_for(parts->team, tree->awake_count, SEARCH_GRAIN, fill_range, &pass);
    dlp_parallel_set(parts->team, pairs->drift, 0, (size_t)parts->particles->count * sizeof *pairs->drift);
    pairs->is_stale = false;
    return DLP_OK;
}
