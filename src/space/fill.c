/* Fills a shape with particles. Parts that stand apart are filled one by one, each from a lattice along its
 * own axes: a box takes every point of a lattice that is stretched to fit it; any other shape takes the
 * deepest points, as many as its volume asks for, so that the mass is right and the surface smooth. */
#include "base/memory.h"
#include "space/fill_lattice.h"
#include "space/fill_noise.h"
#include "space/shape_tree.h"

#include <assert.h>
#include <stdlib.h>

// A lattice point inside the shape.
typedef struct candidate {
    uint64_t key;  // layer, row, place in the row: 21 bits each, so that keys sort by layer first
    double depth;  // m below the surface, or at least that much where it is deep
} candidate;

// One piece being filled.
typedef struct shape_piece {
    const dlp_shape *shape;
    int32_t index;            // its node
    const dlp_fill_def *def;  // borrowed, as the shape
    dlp_lattice_grid grid;
    bool wraps[3];          // it goes on across the domain's period along this axis
    candidate *candidates;  // owned
    int32_t count, capacity;
    double volume;  // m3
} shape_piece;

// All pieces together. The first failure ends the filling; what was made is freed by dlp_shape_fill.
typedef struct filling {
    const dlp_shape *shape;
    const dlp_fill_def *def;
    dlp_vec3 *positions;  // m: owned; in the order in which the pieces were filled until fill_all sorts them
    int32_t count, capacity;
    double volume;     // m3 (2-D: m2): of all pieces so far
    bool is_counting;  // makes no positions: only adds to `counted`
    double counted;
    dlp_error *error;
} filling;

void dlp_fill_release(dlp_fill *fill)
{
    if (fill == NULL) return;
    dlp_free(fill->positions);
    *fill = (dlp_fill){0};
}

// Written so that NaN fails.
static dlp_status check_def(const dlp_shape *shape, const dlp_fill_def *def, dlp_error *error)
{
    if (!(def->spacing > 1e-60 && def->spacing < 1e60))
        return dlp_fail(error, DLP_INVALID, "spacing: must be > 0 (got %g)", def->spacing);
    if (def->dimension != shape->dimension)
        return dlp_fail(error, DLP_INVALID, "dimension: the shape has %d (got %d)", shape->dimension,
                        def->dimension);
    const bool is_periodic = def->periodic[0] || def->periodic[1] || def->periodic[2];
    if (def->lattice == DLP_LATTICE_BLUE_NOISE && (def->dimension != 3 || is_periodic))
        return dlp_fail(error, DLP_INVALID, "lattice: blue noise is for 3-D without periods");
    for (int32_t k = 0; k < def->dimension; k++) {
        const double low = dlp_component(def->domain.min, k), high = dlp_component(def->domain.max, k);
        if (def->periodic[k] && !(high > low && isfinite(high - low)))
            return dlp_fail(error, DLP_INVALID,
                            "domain: must have a length along the periodic axis %c (got %g to %g)", "xyz"[k],
                            low, high);
    }
    return DLP_OK;
}

// Refuses `more` particles beyond the limit, before memory is spent on them.
static dlp_status check_count(const filling *f, double more)
{
    const double total = f->count + f->counted + more;
    if (total <= f->def->limit) return DLP_OK;
    return dlp_fail(f->error, DLP_INVALID,
                    "about %.4g particles of spacing %g m are needed; at most %d are allowed: "
                    "take larger particles or a smaller shape",
                    total, f->def->spacing, f->def->limit);
}

static dlp_status add_position(filling *f, dlp_vec3 x)
{
    DLP_TRY(check_count(f, 1));
    DLP_TRY(dlp_reserve(&f->positions, &f->capacity, f->count + 1, sizeof *f->positions, "fill", f->error));
    f->positions[f->count++] = x;
    return DLP_OK;
}

static void set_component(dlp_vec3 *a, int32_t k, double value)
{
    if (k == 0)
        a->x = value;
    else if (k == 1)
        a->y = value;
    else
        a->z = value;
}

// Finds the axes along which the piece fills the domain's whole period. There the lattice must continue into
// the next period, so it takes the world's axes and exactly one period. False where there is no such axis.
static bool find_wraps(shape_piece *p, dlp_transform *axes, dlp_box *box)
{
    const dlp_box bounds = p->shape->nodes[p->index].bounds;
    bool any = false;
    for (int32_t k = 0; k < p->def->dimension; k++) {
        const double period = dlp_component(p->def->domain.max, k) - dlp_component(p->def->domain.min, k);
        const double extent = dlp_component(bounds.max, k) - dlp_component(bounds.min, k);
        p->wraps[k] = p->def->periodic[k] && extent >= period * (1 - 1e-6);
        any = any || p->wraps[k];
    }
    if (!any) return false;
    *axes = dlp_transform_identity();
    *box = bounds;
    for (int32_t k = 0; k < 3; k++) {
        if (!p->wraps[k]) continue;
        set_component(&box->min, k, dlp_component(p->def->domain.min, k));
        set_component(&box->max, k, dlp_component(p->def->domain.max, k));
    }
    return true;
}

// Whether the frame has the world's axes.
static bool is_level(const dlp_transform *frame)
{
    return frame->rows[0].x == 1 && frame->rows[1].y == 1 && frame->rows[2].z == 1;
}

// A box takes every point of its lattice: no depths are needed, and opposite faces are alike.
static dlp_status fill_box(filling *f, shape_piece *p, const dlp_box *box)
{
    const dlp_vec3 size = dlp_sub(box->max, box->min);
    p->volume = size.x * size.y * (f->def->dimension == 2 ? 1 : size.z);
    const int32_t *n = p->grid.counts;
    DLP_TRY(check_count(f, (double)n[0] * n[1] * n[2]));
    if (f->is_counting) {
        f->counted += (double)n[0] * n[1] * n[2];
        return DLP_OK;
    }
    for (int32_t k = 0; k < n[2]; k++)
        for (int32_t j = 0; j < n[1]; j++)
            for (int32_t i = 0; i < n[0]; i++) {
                dlp_vec3 x = dlp_lattice_point(&p->grid, i, j, k);
                if (f->def->dimension == 2) x.z = 0;
                DLP_TRY(add_position(f, x));
            }
    return DLP_OK;
}

// Where the piece goes on into the next period, its ends at the domain's faces are no surface: the depth
// there is that of the nearest point two spacings inside of them.
static dlp_probe probe_depth(const shape_piece *p, dlp_vec3 x)
{
    const dlp_box *domain = &p->def->domain;
    for (int32_t k = 0; k < p->def->dimension; k++) {
        if (!p->wraps[k]) continue;
        const double low = dlp_component(domain->min, k), high = dlp_component(domain->max, k);
        const double margin = fmin(2 * p->def->spacing, (high - low) / 2);
        set_component(&x, k, fmax(low + margin, fmin(high - margin, dlp_component(x, k))));
    }
    return dlp_shape_node_probe(p->shape, p->index, x);
}

static bool has_wraps(const shape_piece *p)
{
    return p->wraps[0] || p->wraps[1] || p->wraps[2];
}

// The lattice point of a key, m.
static dlp_vec3 point_of(const shape_piece *p, uint64_t key)
{
    dlp_vec3 x = dlp_lattice_point(&p->grid, (int32_t)(key & 0x1fffff), (int32_t)(key >> 21 & 0x1fffff),
                                   (int32_t)(key >> 42));
    if (p->def->dimension == 2) x.z = 0;
    return x;
}

static dlp_status add_candidate(filling *f, shape_piece *p, uint64_t key, double depth)
{
    if (p->count == INT32_MAX) return check_count(f, p->count);
    DLP_TRY(dlp_reserve(&p->candidates, &p->capacity, p->count + 1, sizeof *p->candidates, "fill", f->error));
    p->candidates[p->count++] = (candidate){key, depth};
    return DLP_OK;
}

// A block of lattice points: first and one past the last along each axis.
typedef struct fill_block {
    int32_t first[3], end[3];
} fill_block;

// Adds the points of a block that lie inside; where `known_depth` is positive all do, at least that deep.
static dlp_status add_block(filling *f, shape_piece *p, const fill_block *b, double known_depth)
{
    for (int32_t k = b->first[2]; k < b->end[2]; k++)
        for (int32_t j = b->first[1]; j < b->end[1]; j++)
            for (int32_t i = b->first[0]; i < b->end[0]; i++) {
                assert(i < 1 << 21 && j < 1 << 21);  // the lattice has at most 2^20 points along an axis
                const uint64_t key = (uint64_t)k << 42 | (uint64_t)j << 21 | (uint64_t)i;
                double depth = known_depth;
                if (!(known_depth > 0)) {
                    const dlp_vec3 x = point_of(p, key);
                    depth = -probe_depth(p, x).distance;
                    // the depth may be that of another point: x itself must be inside too
                    if (depth >= 0 && has_wraps(p) &&
                        dlp_shape_node_probe(p->shape, p->index, x).distance > 1e-9 * f->def->spacing)
                        continue;
                }
                if (depth >= 0) DLP_TRY(add_candidate(f, p, key, depth));
            }
    return DLP_OK;
}

// A ball around all points of a block: they lie within its half diagonal of the middle, also with the shifts
// of alternate rows, since a block reaches half a step beyond its points.
static void block_ball(const shape_piece *p, const fill_block *b, dlp_vec3 *out_middle, double *out_radius)
{
    dlp_vec3 middle = p->grid.origin, half = {0, 0, 0};
    for (int32_t k = 0; k < 3; k++) {
        const double step = p->grid.steps[k];
        set_component(&middle, k, dlp_component(middle, k) + step * (b->first[k] + b->end[k]) / 2);
        set_component(&half, k, step * (b->end[k] - b->first[k]) / 2);
    }
    *out_middle = dlp_to_world(&p->grid.frame, middle);
    if (p->def->dimension == 2) out_middle->z = half.z = 0;
    *out_radius = dlp_length(half);
}

// Skips blocks that lie outside and takes those deep inside as a whole; divides the others along their
// longest axis. The signed distance never exceeds the true one, so that one query decides for a block: the
// work follows the surface, not the volume. Recursion is at most 60 deep, since every level halves one of
// three counts below 2^20.
static dlp_status gather(filling *f, shape_piece *p, const fill_block *b)
{
    enum { SMALL = 8 };
    int32_t longest = 0;
    int64_t points = 1;
    for (int32_t k = 0; k < 3; k++) {
        points *= b->end[k] - b->first[k];
        if (b->end[k] - b->first[k] > b->end[longest] - b->first[longest]) longest = k;
    }
    dlp_vec3 middle;
    double radius;
    block_ball(p, b, &middle, &radius);
    const double distance = dlp_shape_node_probe(p->shape, p->index, middle).distance;
    if (distance > radius * (1 + 1e-9)) return DLP_OK;
    const double certain = -distance - radius;
    if (certain > 2 * f->def->spacing) return add_block(f, p, b, certain);
    if (points <= SMALL) return add_block(f, p, b, 0);

    fill_block low = *b, high = *b;
    low.end[longest] = high.first[longest] = b->first[longest] + (b->end[longest] - b->first[longest]) / 2;
    DLP_TRY(gather(f, p, &low));
    return gather(f, p, &high);
}

// The deepest first; equal depths in the order of the lattice, so that the result does not depend on qsort.
static int compare_depths(const void *a_item, const void *b_item)
{
    const candidate *a = a_item, *b = b_item;
    if (a->depth != b->depth) return a->depth > b->depth ? -1 : 1;
    return (a->key > b->key) - (a->key < b->key);
}

static int compare_keys(const void *a_item, const void *b_item)
{
    const candidate *a = a_item, *b = b_item;
    return (a->key > b->key) - (a->key < b->key);
}

// Whether the candidates, sorted by depth, may be cut before number `kept`: the next one is clearly less
// deep.
static bool is_gap(const shape_piece *p, int32_t kept)
{
    if (kept <= 0) return false;
    if (kept >= p->count) return true;
    return p->candidates[kept - 1].depth - p->candidates[kept].depth > 1e-6 * p->def->spacing;
}

// How many of the deepest to keep: the number that the volume asks for, moved to the nearest gap between
// depths, so that points of equal depth stay or go together and a symmetric shape stays symmetric.
static int32_t choose_cut(const shape_piece *p, double wanted)
{
    if (!(wanted < p->count)) return p->count;
    const int32_t middle = wanted > 1 ? (int32_t)(wanted + 0.5) : 1;
    for (int32_t away = 0; away < p->count; away++) {
        if (is_gap(p, middle - away)) return middle - away;
        if (middle + away <= p->count && is_gap(p, middle + away)) return middle + away;
    }
    return p->count;
}

// Points nearer to the surface than a quarter of a spacing move down to that depth, unless they come nearer
// to it elsewhere then.
static dlp_vec3 settle(const shape_piece *p, dlp_vec3 x, double depth)
{
    const double wanted = 0.25 * p->def->spacing;
    if (depth >= wanted) return x;
    const dlp_probe probe = probe_depth(p, x);
    dlp_vec3 down = dlp_along(x, probe.normal, -(wanted - depth));
    if (p->def->dimension == 2) down.z = 0;
    return -probe_depth(p, down).distance > depth ? down : x;
}

// Adds the deepest candidates, again in the order of the lattice.
static dlp_status keep_deepest(filling *f, shape_piece *p)
{
    const double wanted = p->volume / dlp_lattice_cell(&p->grid, f->def->dimension);
    qsort(p->candidates, (size_t)p->count, sizeof *p->candidates, compare_depths);
    const int32_t kept = choose_cut(p, wanted);
    assert(kept > 0 && kept <= p->count);
    DLP_TRY(check_count(f, kept));
    qsort(p->candidates, (size_t)kept, sizeof *p->candidates, compare_keys);
    for (int32_t k = 0; k < kept; k++)
        DLP_TRY(add_position(f, settle(p, point_of(p, p->candidates[k].key), p->candidates[k].depth)));
    return DLP_OK;
}

// Whether the bounds go beyond the box along any axis, more than rounding does.
static bool is_longer(const dlp_box *bounds, const dlp_box *box)
{
    return bounds->max.x - bounds->min.x > (box->max.x - box->min.x) * (1 + 1e-9) ||
           bounds->max.y - bounds->min.y > (box->max.y - box->min.y) * (1 + 1e-9) ||
           bounds->max.z - bounds->min.z > (box->max.z - box->min.z) * (1 + 1e-9);
}

// A piece that is longer than the period counts only the volume within it. Where nothing but the number is
// wanted a rough volume will do.
static double piece_volume(const filling *f, const shape_piece *p, const dlp_box *box)
{
    const dlp_box bounds = p->shape->nodes[p->index].bounds;
    const bool is_cut = has_wraps(p) && is_longer(&bounds, box);
    if (f->is_counting)
        return is_cut ? dlp_shape_rough_count(p->shape, p->index, *box)
                      : dlp_shape_rough_volume(p->shape, p->index);
    return is_cut ? dlp_shape_count_volume(p->shape, p->index, *box)
                  : dlp_shape_node_volume(p->shape, p->index);
}

static dlp_status fill_by_depth(filling *f, shape_piece *p, const dlp_box *box)
{
    p->volume = piece_volume(f, p, box);
    DLP_TRY(check_count(f, floor(p->volume / dlp_lattice_cell(&p->grid, f->def->dimension))));
    if (f->is_counting) {
        f->counted += round(p->volume / dlp_lattice_cell(&p->grid, f->def->dimension));
        return DLP_OK;
    }
    const int32_t *n = p->grid.counts;
    const fill_block all = {{0, 0, 0}, {n[0], n[1], n[2]}};
    dlp_status status = gather(f, p, &all);
    if (status == DLP_OK && p->count > 0) status = keep_deepest(f, p);
    dlp_free(p->candidates);
    return status;
}

// Axes that are not rotated start at the world's origin: points are then sums of box corners and steps,
// without the rounding of a translation back and forth.
static void start_at_origin(const dlp_box *bounds, dlp_transform *axes, dlp_box *box)
{
    if (!is_level(axes)) return;
    const dlp_vec3 middle = axes->translation;
    const bool is_bounds =
        dlp_length(dlp_sub(dlp_add(box->min, middle), bounds->min)) <= 1e-12 * dlp_length(box->min);
    *box = is_bounds ? *bounds : (dlp_box){dlp_add(box->min, middle), dlp_add(box->max, middle)};
    axes->translation = dlp_vec(0, 0, 0);
}

// One piece: its axes, its lattice, then the points.
static dlp_status fill_piece(filling *f, int32_t index)
{
    const dlp_shape_node *node = &f->shape->nodes[index];
    shape_piece p = {.shape = f->shape, .index = index, .def = f->def};
    dlp_box box;
    dlp_transform axes = dlp_shape_node_axes(f->shape, index, &box);
    const bool was_level = is_level(&axes);
    start_at_origin(&node->bounds, &axes, &box);
    const bool wraps = find_wraps(&p, &axes, &box);
    if (!dlp_lattice_fit(f->def, &axes, box, p.wraps, &p.grid))
        return dlp_fail(f->error, DLP_INVALID, "spacing: %g m is too small for a shape of this size",
                        f->def->spacing);
    // along the world's axes a rotated box is no longer the lattice's box
    const bool is_box = node->kind == DLP_SHAPE_BOX && (!wraps || was_level);
    const dlp_status status = is_box ? fill_box(f, &p, &box) : fill_by_depth(f, &p, &box);
    f->volume += p.volume;
    return status;
}

static dlp_status fill_node(filling *f, int32_t index);

// The first copy is filled; the others repeat it, so that all are alike to the last bit but for their offset.
static dlp_status fill_copies(filling *f, int32_t index)
{
    const dlp_shape_node *node = &f->shape->nodes[index];
    const int32_t *n = node->copies, first = f->count;
    const double before = f->volume, counted = f->counted;
    DLP_TRY(fill_node(f, node->first_child));
    const int32_t count = f->count - first;
    const double copies = (double)n[0] * n[1] * n[2], more = count + f->counted - counted;
    DLP_TRY(check_count(f, more * (copies - 1)));
    f->volume = before + (f->volume - before) * copies;
    f->counted = counted + (f->counted - counted) * copies;
    if (f->is_counting) return DLP_OK;
    for (int64_t copy = 1; copy < (int64_t)copies; copy++) {
        const double i = (double)(copy % n[0]), j = (double)(copy / n[0] % n[1]),
                     k = (double)(copy / n[0] / n[1]);
        const dlp_vec3 offset =
            dlp_rotate(&node->frame, dlp_vec(i * node->steps[0], j * node->steps[1], k * node->steps[2]));
        for (int32_t m = 0; m < count; m++)
            DLP_TRY(add_position(f, dlp_add(f->positions[first + m], offset)));
    }
    return DLP_OK;
}

// What stands apart gets a lattice of its own, which fits it better than a common one.
static dlp_status fill_node(filling *f, int32_t index)
{
    if (!dlp_shape_node_is_apart(f->shape, index)) return fill_piece(f, index);
    const dlp_shape_node *node = &f->shape->nodes[index];
    if (node->kind == DLP_NODE_COPIES) return fill_copies(f, index);
    for (int32_t k = 0; k < node->child_count; k++) DLP_TRY(fill_node(f, node->first_child + k));
    return DLP_OK;
}

// By z, then y, then x.
static int compare_places(const void *a_item, const void *b_item)
{
    const dlp_vec3 *a = a_item, *b = b_item;
    if (a->z != b->z) return a->z < b->z ? -1 : 1;
    if (a->y != b->y) return a->y < b->y ? -1 : 1;
    return (a->x > b->x) - (a->x < b->x);
}

static bool is_bounded(const dlp_shape *shape)
{
    const dlp_box box = shape->nodes[0].bounds;
    return isfinite(box.min.x) && isfinite(box.max.x) && isfinite(box.min.y) && isfinite(box.max.y) &&
           (shape->dimension == 2 || (isfinite(box.min.z) && isfinite(box.max.z)));
}

// Checks, fills, sorts. Fewer than half a particle's volume is too little to stand for the shape.
static dlp_status fill_all(filling *f)
{
    DLP_TRY(check_def(f->shape, f->def, f->error));
    if (!is_bounded(f->shape))
        return dlp_fail(f->error, DLP_INVALID,
                        "the shape has no end (a height field, or `inside`); it cannot be filled");
    DLP_TRY(fill_node(f, 0));
    const double cell = pow(f->def->spacing, f->def->dimension);
    if (f->count + f->counted == 0 || f->volume < 0.5 * cell)
        return dlp_fail(f->error, DLP_INVALID,
                        "not one particle fits: the shape's volume is %g, a particle's %g; take "
                        "smaller particles",
                        f->volume, cell);
    if (f->is_counting) return DLP_OK;
    // a fixed order, whatever the tree of the shape looked like
    qsort(f->positions, (size_t)f->count, sizeof *f->positions, compare_places);
    return DLP_OK;
}

dlp_status dlp_shape_fill(const dlp_shape *shape, const dlp_fill_def *def, dlp_fill *out_fill,
                          dlp_error *error)
{
    *out_fill = (dlp_fill){0};
    filling f = {.shape = shape, .def = def, .error = error};
    const dlp_status status = fill_all(&f);
    if (status != DLP_OK) {
        dlp_free(f.positions);
        return status;
    }
    *out_fill = (dlp_fill){f.positions, f.count, f.volume / f.count};
    if (def->lattice != DLP_LATTICE_BLUE_NOISE) return DLP_OK;
    const dlp_status scattered = dlp_fill_scatter(shape, def->spacing, out_fill, error);
    if (scattered != DLP_OK) dlp_fill_release(out_fill);
    return scattered;
}

dlp_status dlp_shape_count_fill(const dlp_shape *shape, const dlp_fill_def *def, double *out_count,
                                dlp_error *error)
{
    filling f = {.shape = shape, .def = def, .is_counting = true, .error = error};
    const dlp_status status = fill_all(&f);
    *out_count = f.counted;
    return status;
}
