/* Volumes (2-D: areas): closed forms for single shapes, sums where parts stand apart, else counted over cells
 * that are refined at the surface. */
#include "space/shape_tree.h"

// Counting starts with START_CELLS along the longest axis and refines until the surface lies in more than a
// number of cells, or LEVEL_LIMIT deep. ROUGH_BUDGET leaves an error of about a thousandth.
enum { START_CELLS = 16, CELL_BUDGET = 200000, ROUGH_BUDGET = 5000, LEVEL_LIMIT = 12 };

// m3; -1 for a mesh whose parts overlap.
static double leaf_volume(const dlp_shape_node *node)
{
    const double r = node->radius, q = node->radius_to, length = 2 * node->half_length;
    switch (node->kind) {
    case DLP_SHAPE_BOX:
        return 8 * node->half.x * node->half.y * node->half.z;
    case DLP_SHAPE_SPHERE:
        return 4 * DLP_PI / 3 * r * r * r;
    case DLP_SHAPE_CYLINDER:
        return DLP_PI * r * r * length;
    case DLP_SHAPE_CAPSULE:
        return DLP_PI * r * r * (length + 4 * r / 3);
    case DLP_SHAPE_TORUS:
        return 2 * DLP_PI * DLP_PI * r * q * q;
    case DLP_SHAPE_CONE:
        return DLP_PI * length / 3 * (r * r + r * q + q * q);
    case DLP_SHAPE_MESH:
        return dlp_mesh_tree_volume(node->mesh);
    default:
        return HUGE_VAL;
    }
}

static double finite_or_half(double half)
{
    return isfinite(half) ? half : 0.5;  // an endless edge counts as a length of one
}

// m2, of leaves that dlp_shape_flatten made.
static double leaf_area(const dlp_shape_node *node)
{
    const double r = node->radius, q = node->radius_to, length = 2 * node->half_length;
    const dlp_vec3 half = node->half;
    switch (node->kind) {
    case DLP_SHAPE_BOX:
        return 8 * finite_or_half(half.x) * finite_or_half(half.y) * finite_or_half(half.z);
    case DLP_SHAPE_SPHERE:
        return DLP_PI * r * r;
    case DLP_SHAPE_CAPSULE:
        return 2 * r * length + DLP_PI * r * r;
    case DLP_SHAPE_TORUS:  // a ring, or two discs
        return fabs(node->frame.rows[2].z) > 0.5 ? 4 * DLP_PI * r * q : 2 * DLP_PI * q * q;
    case DLP_SHAPE_CONE:
        return (r + q) * length;
    case DLP_SHAPE_MESH:
        return dlp_mesh_tree_volume(node->mesh);
    default:
        return HUGE_VAL;
    }
}

// One count: cells that the surface cannot reach are inside or outside as a whole; the smallest ones are cut
// by the tangential plane.
typedef struct count {
    const dlp_shape *shape;
    int32_t index;
    int32_t level_limit;
    int64_t smallest;  // cells of the last level
    double volume;     // m3 (2-D: m2) so far
} count;

// The share of a cell below a plane, taken as linear in the plane's distance: right on average.
static double share_below(const dlp_probe *probe, dlp_vec3 half)
{
    const dlp_vec3 n = probe->normal;
    const double width = fabs(n.x) * half.x + fabs(n.y) * half.y + fabs(n.z) * half.z;
    return fmax(0, fmin(1, 0.5 - probe->distance / (2 * width)));
}

// A distance of more than the half diagonal decides for the whole cell, since distances never exceed the true
// one.
static void count_cell(count *c, dlp_vec3 middle, dlp_vec3 half, int32_t level)
{
    const bool is_flat = c->shape->dimension == 2;
    const dlp_probe probe = dlp_shape_node_probe(c->shape, c->index, middle);
    const double size = is_flat ? 4 * half.x * half.y : 8 * half.x * half.y * half.z;
    const double radius = dlp_length(half);
    if (probe.distance >= radius) return;
    if (probe.distance <= -radius) {
        c->volume += size;
        return;
    }
    if (level == c->level_limit) {
        c->smallest++;
        c->volume += size * share_below(&probe, half);
        return;
    }
    const dlp_vec3 quarter = dlp_mul(half, 0.5);
    for (int32_t k = 0; k < (is_flat ? 4 : 8); k++) {
        const dlp_vec3 offset = dlp_vec(k & 1 ? quarter.x : -quarter.x, k & 2 ? quarter.y : -quarter.y,
                                        is_flat ? 0
                                        : k & 4 ? quarter.z
                                                : -quarter.z);
        count_cell(c, dlp_add(middle, offset), quarter, level + 1);
    }
}

// Divides the box into cells that are nearly cubes.
static void count_box(count *c, dlp_box box)
{
    const dlp_vec3 size = dlp_sub(box.max, box.min);
    const double cell = fmax(size.x, fmax(size.y, size.z)) / START_CELLS;
    const int32_t nx = (int32_t)fmax(1, ceil(size.x / cell - 1e-9)),
                  ny = (int32_t)fmax(1, ceil(size.y / cell - 1e-9));
    const int32_t nz = (int32_t)fmax(1, ceil(size.z / cell - 1e-9));
    const dlp_vec3 half = dlp_vec(size.x / (2 * nx), size.y / (2 * ny), size.z / (2 * nz));
    for (int32_t k = 0; k < nz; k++)
        for (int32_t j = 0; j < ny; j++)
            for (int32_t i = 0; i < nx; i++) {
                const dlp_vec3 corner =
                    dlp_vec((2 * i + 1) * half.x, (2 * j + 1) * half.y, (2 * k + 1) * half.z);
                count_cell(c, dlp_add(box.min, corner), half, 0);
            }
}

// Every level counts anew from the start: the last one costs at least as much as all before it together.
static double count_volume(const dlp_shape *shape, int32_t index, dlp_box box, int64_t budget)
{
    if (shape->dimension == 2) box.min.z = box.max.z = 0;
    if (!dlp_is_finite3(box.min) || !dlp_is_finite3(box.max)) return HUGE_VAL;
    const dlp_vec3 size = dlp_sub(box.max, box.min);
    if (!(size.x > 0 && size.y > 0 && (shape->dimension == 2 || size.z > 0))) return 0;
    count c = {.shape = shape, .index = index, .level_limit = 2};
    for (; c.level_limit <= LEVEL_LIMIT; c.level_limit++) {
        c.smallest = 0;
        c.volume = 0;
        count_box(&c, box);
        if (c.smallest > budget) break;
    }
    return c.volume;
}

double dlp_shape_count_volume(const dlp_shape *shape, int32_t index, dlp_box box)
{
    return count_volume(shape, index, box, CELL_BUDGET);
}

double dlp_shape_rough_count(const dlp_shape *shape, int32_t index, dlp_box box)
{
    return count_volume(shape, index, box, ROUGH_BUDGET);
}

static bool are_apart(const dlp_box *a, const dlp_box *b)
{
    return a->max.x <= b->min.x || b->max.x <= a->min.x || a->max.y <= b->min.y || b->max.y <= a->min.y ||
           a->max.z <= b->min.z || b->max.z <= a->min.z;
}

// Along the axes of the array; copies that touch are apart.
static bool are_copies_apart(const dlp_shape_node *node)
{
    for (int32_t k = 0; k < 3; k++) {
        const double width = dlp_component(node->child_box.max, k) - dlp_component(node->child_box.min, k);
        if (node->copies[k] > 1 && !(fabs(node->steps[k]) >= width * (1 - 1e-12))) return false;
    }
    return true;
}

bool dlp_shape_node_is_apart(const dlp_shape *shape, int32_t index)
{
    const dlp_shape_node *node = &shape->nodes[index];
    if (node->is_complement) return false;
    if (node->kind == DLP_NODE_COPIES) return are_copies_apart(node);
    if (node->kind != DLP_SHAPE_UNION) return false;
    const dlp_shape_node *children = &shape->nodes[node->first_child];
    for (int32_t i = 0; i < node->child_count; i++)
        for (int32_t j = 0; j < i; j++)
            if (!are_apart(&children[i].bounds, &children[j].bounds)) return false;
    return true;
}

static double node_volume(const dlp_shape *shape, int32_t index, int64_t budget)
{
    const dlp_shape_node *node = &shape->nodes[index];
    if (node->is_complement) return HUGE_VAL;
    if (node->child_count == 0) {
        const double volume = shape->dimension == 2 ? leaf_area(node) : leaf_volume(node);
        return volume >= 0 ? volume : count_volume(shape, index, node->bounds, budget);
    }
    if (!dlp_shape_node_is_apart(shape, index)) return count_volume(shape, index, node->bounds, budget);
    double sum = 0;
    for (int32_t k = 0; k < node->child_count; k++) sum += node_volume(shape, node->first_child + k, budget);
    if (node->kind == DLP_NODE_COPIES) sum *= (double)node->copies[0] * node->copies[1] * node->copies[2];
    return sum;
}

double dlp_shape_node_volume(const dlp_shape *shape, int32_t index)
{
    return node_volume(shape, index, CELL_BUDGET);
}

double dlp_shape_rough_volume(const dlp_shape *shape, int32_t index)
{
    return node_volume(shape, index, ROUGH_BUDGET);
}
