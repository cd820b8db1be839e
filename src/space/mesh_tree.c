/* Queries of a mesh's tree: the nearest triangle, the sign, and how the pieces combine. A query allocates
 * nothing and changes nothing. */
#include "space/mesh_tree.h"
#include "space/mesh_nearest.h"
#include "space/mesh_tree_parts.h"

#include <assert.h>

// A level of the tree leaves at most one node behind on the stack, and halves are equal: 2^31 triangles have
// at most 31 levels.
enum { STACK_SIZE = 64 };

// The result of a search.
typedef struct found {
    dlp_nearest_point nearest;
    int32_t triangle;  // -1: none within reach
} found;

// The first of equally near triangles stays.
static inline void try_triangles(const dlp_mesh_tree *tree, dlp_vec3 x, int32_t first, int32_t count,
                                 found *best)
{
    for (int32_t k = first; k < first + count; k++) {
        const dlp_mesh_corner *frame = &tree->frames[k];
        const dlp_nearest_point n = dlp_nearest_triangle(dlp_sub(x, frame->a), frame->ab, frame->ac);
        if (n.square < best->nearest.square) *best = (found){n, k};
    }
}

// The nearest triangle of a part that is closer than the root of `square`; none (-1) where there is no such
// one. Depth first, the nearer half first: what is farther than the best so far is dropped.
static found find_nearest(const dlp_mesh_tree *tree, const dlp_mesh_part *p, dlp_vec3 x, double square)
{
    found best = {.nearest = {.square = square}, .triangle = -1};
    if (p->root < 0) {
        try_triangles(tree, x, p->first, p->count, &best);
        return best;
    }
    struct {
        int32_t node;
        double square;
    } stack[STACK_SIZE];
    int32_t depth = 0;
    for (int32_t at = p->root; at >= 0;) {
        const dlp_mesh_node *n = &tree->nodes[at];
        const double squares[2] = {dlp_box_square(&n->boxes[0], x), dlp_box_square(&n->boxes[1], x)};
        const int32_t near = squares[1] < squares[0];
        at = -1;
        for (int32_t k = 0; k < 2; k++) {
            const int32_t side = k == 0 ? 1 - near : near;  // the far half is pushed first
            if (n->count[side] > 0 || !(squares[side] < best.nearest.square)) continue;
            assert(depth < STACK_SIZE);
            stack[depth].node = n->first[side];
            stack[depth++].square = squares[side];
        }
        for (int32_t k = 0; k < 2; k++) {
            const int32_t side = k == 0 ? near : 1 - near;
            if (n->count[side] > 0 && squares[side] < best.nearest.square)
                try_triangles(tree, x, n->first[side], n->count[side], &best);
        }
        while (depth > 0 && at < 0)
            if (stack[--depth].square < best.nearest.square) at = stack[depth].node;
    }
    return best;
}

// The sign by the pseudonormal of the nearest feature: outside where the offset points along it
// [baerentzen2005].
static double signed_distance(const dlp_mesh_tree *tree, const found *f, dlp_vec3 *out_normal)
{
    const dlp_vec3 pseudo = tree->features[f->triangle].normals[f->nearest.feature];
    const double distance = sqrt(f->nearest.square);
    const bool is_inside = dlp_dot(f->nearest.offset, pseudo) < 0;
    // so close that the offset is rounding alone, the surface's own normal is better
    const dlp_vec3 a = tree->frames[f->triangle].a;
    const double noise = 1e-13 * (fabs(a.x) + fabs(a.y) + fabs(a.z)) + 1e-150;
    if (distance <= noise)
        *out_normal = dlp_normalize(pseudo, dlp_vec(1, 0, 0));
    else
        *out_normal = dlp_mul(f->nearest.offset, (is_inside ? -1 : 1) / distance);
    return is_inside ? -distance : distance;
}

// Adds a solid piece: the smaller distance counts. Within its box x may be inside, so only outside of it does
// the distance found so far limit the search.
static void add_solid(const dlp_mesh_tree *tree, const dlp_mesh_part *p, dlp_vec3 x, double *distance,
                      dlp_vec3 *normal)
{
    const double square = dlp_box_square(&p->box, x);
    const bool is_outside = square > 0;
    if (is_outside && (*distance <= 0 || square >= *distance * *distance)) return;
    const double reach = is_outside ? *distance * *distance : HUGE_VAL;
    const found f = find_nearest(tree, p, x, reach);
    if (f.triangle < 0) return;
    dlp_vec3 n;
    const double d = signed_distance(tree, &f, &n);
    if (!(d < *distance)) return;
    *distance = d;
    *normal = n;
}

// Takes away a cavity: the larger distance counts.
static void take_cavity(const dlp_mesh_tree *tree, const dlp_mesh_part *p, dlp_vec3 x, double *distance,
                        dlp_vec3 *normal)
{
    const double square = dlp_box_square(&p->box, x);
    const bool is_outside = square > 0;
    if (is_outside && (*distance >= 0 || square >= *distance * *distance)) return;
    const found f = find_nearest(tree, p, x, is_outside ? *distance * *distance : HUGE_VAL);
    if (f.triangle < 0) return;
    dlp_vec3 n;
    const double d = signed_distance(tree, &f, &n);
    if (!(d > *distance)) return;
    *distance = d;
    *normal = n;
}

// Combines the first `count` pieces, from the largest on.
static double probe_parts(const dlp_mesh_tree *tree, int32_t count, dlp_vec3 x, dlp_vec3 *out_normal)
{
    double distance = HUGE_VAL;
    *out_normal = dlp_vec(1, 0, 0);
    for (int32_t k = 0; k < count; k++) {
        const dlp_mesh_part *p = &tree->parts[k];
        if (p->volume < 0)
            take_cavity(tree, p, x, &distance, out_normal);
        else
            add_solid(tree, p, x, &distance, out_normal);
    }
    return distance;
}

// In 2-D the gradient of the ribbon has no z but for rounding.
double dlp_mesh_tree_probe(const dlp_mesh_tree *tree, dlp_vec3 x, dlp_vec3 *out_normal)
{
    if (tree->dimension == 3) return probe_parts(tree, tree->part_count, x, out_normal);
    x.z = 0;
    const double distance = probe_parts(tree, tree->part_count, x, out_normal);
    *out_normal = dlp_normalize(dlp_vec(out_normal->x, out_normal->y, 0), dlp_vec(1, 0, 0));
    return distance;
}

static bool do_boxes_meet(const dlp_box *a, const dlp_box *b)
{
    return a->min.x <= b->max.x && b->min.x <= a->max.x && a->min.y <= b->max.y && b->min.y <= a->max.y &&
           a->min.z <= b->max.z && b->min.z <= a->max.z;
}

// A vertex of a triangle; in 2-D a point of the outline.
static dlp_vec3 vertex_of(const dlp_mesh_tree *tree, int32_t triangle)
{
    const dlp_vec3 a = tree->frames[triangle].a;
    return tree->dimension == 2 ? dlp_vec(a.x, a.y, 0) : a;
}

// Whether a piece lies where the larger ones leave space for it: a solid outside of them, a cavity inside.
// All its vertices are tested.
static bool has_own_place(const dlp_mesh_tree *tree, int32_t index)
{
    const dlp_mesh_part *p = &tree->parts[index];
    const double sign = p->volume < 0 ? -1 : 1;
    for (int32_t k = p->first; k < p->first + p->count; k++) {
        dlp_vec3 normal;
        if (sign * probe_parts(tree, index, vertex_of(tree, k), &normal) < 0) return false;
    }
    return true;
}

// Whether a vertex of the larger piece pokes into the smaller one.
static bool has_vertex_inside(const dlp_mesh_tree *tree, const dlp_mesh_part *larger,
                              const dlp_mesh_part *smaller)
{
    for (int32_t k = larger->first; k < larger->first + larger->count; k++) {
        const dlp_vec3 x = vertex_of(tree, k);
        if (dlp_box_square(&smaller->box, x) > 0) continue;
        const found f = find_nearest(tree, smaller, x, HUGE_VAL);
        dlp_vec3 normal;
        const double sign = smaller->volume < 0 ? -1 : 1;
        if (f.triangle >= 0 && sign * signed_distance(tree, &f, &normal) < 0) return true;
    }
    return false;
}

// Quadratic in the pieces whose boxes overlap. Pieces that pass through each other without a vertex inside
// are not noticed; the volume is then that of both.
double dlp_mesh_tree_sum_volume(const dlp_mesh_tree *tree)
{
    double sum = 0;
    for (int32_t i = 0; i < tree->part_count; i++) {
        const dlp_mesh_part *p = &tree->parts[i];
        bool meets = false;
        for (int32_t j = 0; j < i; j++) {
            if (!do_boxes_meet(&tree->parts[j].box, &p->box)) continue;
            meets = true;
            if (has_vertex_inside(tree, &tree->parts[j], p)) return -1;
        }
        if (meets && !has_own_place(tree, i)) return -1;
        sum += p->volume;
    }
    return sum;
}

dlp_box dlp_mesh_tree_bounds(const dlp_mesh_tree *tree)
{
    return tree->box;
}

double dlp_mesh_tree_volume(const dlp_mesh_tree *tree)
{
    return tree->volume;
}
