/* Walls as frozen substance: an obstacle is sampled, once, by points in layers below its surface, each with a
 * volume; near the substance these points have a density and a pressure of their own, from the same sums as
 * any particle. The pair forces then derive from one energy, so a pool comes to rest on them; and since the
 * substance is stiff, points and particles keep their distance to a thousandth of it: no gap, no layer. */
#include "base/memory.h"
#include "matter/norm.h"
#include "motion/samples.h"
#include "space/bins.h"

// In spacings: walls up to this thickness have points for each side. Particles on both sides of a thicker
// one, half a spacing away from it, are out of each other's reach but for the kernel's tail, and its own
// points tell them apart.
#define THIN 1.5

// In spacings: what a lattice that just meets a face may be off by, through rounding.
#define NEGLIGIBLE 1e-3

// Cosine of how far the way to the surface turns within half a spacing of a smooth one.
#define EDGE_COSINE 0.9

enum { TABLE_SIZE = 256, POINT_LIMIT = 1 << 26 };

// Sampling of one obstacle.
typedef struct sampling {
    const dlp_sample_request *request;
    const dlp_shape *shape;
    dlp_sample_set *out;
    dlp_bins bins;       // the points so far, in cells of the spacing
    dlp_transform axes;  // of the lattice
    int32_t dimension;
    double spacing, depth;              // m; of the deepest layer that matters
    double half_space[TABLE_SIZE + 1];  // over 0 .. 2h
    double h, volume;                   // m; m3 of a point
    bool takes_pressure;                // from the substance: has no density of its own
    dlp_error *error;
    dlp_status status;
} sampling;

static double weight(const dlp_sample_request *request, double r, double h)
{
    return request->weight(request->context, r, h);
}

static dlp_status reserve_points(dlp_sample_set *set, int32_t count, dlp_error *error)
{
    if (count <= set->capacity) return DLP_OK;
    int32_t capacity = 0;
#define X(name, type)                                                                                        \
    capacity = set->capacity;                                                                                \
    DLP_TRY(dlp_reserve(&set->name, &capacity, count, sizeof(type), "samples", error));
    DLP_SAMPLE_SET_FIELDS(X)
#undef X
    set->capacity = capacity;
    return DLP_OK;
}

void dlp_sample_set_release(dlp_sample_set *set)
{
#define X(name, type) dlp_free(set->name);
    DLP_SAMPLE_SET_FIELDS(X)
#undef X
    dlp_free(set->block_middle);
    dlp_free(set->block_radius);
    *set = (dlp_sample_set){0};
}

static double half_space_at(const sampling *s, double distance)
{
    const double place = distance / (2 * s->h) * TABLE_SIZE;
    if (place >= TABLE_SIZE) return 0;
    const int k = (int)place;
    return s->half_space[k] + (place - k) * (s->half_space[k + 1] - s->half_space[k]);
}

// How far the obstacle goes on below a point of its surface; at most a support.
static double thickness_below(const sampling *s, dlp_vec3 surface, dlp_vec3 normal)
{
    const double limit = 2 * s->h;
    double depth = s->spacing / 64;
    while (depth < limit) {
        const double d = dlp_shape_distance(s->shape, dlp_along(surface, normal, -depth));
        if (d > NEGLIGIBLE * s->spacing) return depth;  // not where it only grazes a face
        depth += fmax(-d, s->spacing / 64);
    }
    return limit;
}

// Factor that makes the layers count, for a particle half a spacing above them, like the endless half-space
// they stand for.
static double layer_factor(const sampling *s)
{
    const double above = s->spacing / 2, dx = s->h / 100;
    double sum = 0;
    for (double z = s->spacing; z < 2 * s->h; z += s->spacing)
        sum += s->spacing * (half_space_at(s, z - dx) - half_space_at(s, z + dx)) / (2 * dx);
    return sum > 0 ? half_space_at(s, above) / sum : 1;
}

// Whether a point of the same side stands in the way.
static bool is_taken(const sampling *s, dlp_vec3 x, dlp_vec3 face)
{
    dlp_bins_search near = dlp_bins_near(&s->bins, s->out->at, x, 0.7 * s->spacing);
    for (int32_t k; (k = dlp_bins_next(&near)) >= 0;) {
        const dlp_vec3 other = s->out->face[k];
        if (dlp_dot(other, face) > 0 || dlp_dot(other, other) + dlp_dot(face, face) == 0) return true;
    }
    return false;
}

static void keep_point(sampling *s, dlp_vec3 x, dlp_vec3 face, double volume)
{
    if (s->status != DLP_OK || is_taken(s, x, face)) return;
    dlp_sample_set *out = s->out;
    if (out->count >= POINT_LIMIT) {
        s->status =
            dlp_fail(s->error, DLP_INVALID,
                     "more than %d samples of %g m: make the obstacle smaller or the particles larger",
                     POINT_LIMIT, s->spacing);
        return;
    }
    if ((s->status = reserve_points(out, out->count + 1, s->error)) != DLP_OK) return;
    out->at[out->count] = x;
    out->face[out->count] = face;
    out->volume[out->count] = (float)volume;
    if ((s->status = dlp_bins_add(&s->bins, out->count, x, s->error)) != DLP_OK) return;
    out->count++;
}

// Behind a face of a thin wall layers go on as if it were thick: they stand for
// the wall as this side sees it.
static void sample_thin(sampling *s, dlp_vec3 surface, dlp_vec3 normal)
{
    s->out->is_thin = true;
    const int32_t layers = (int32_t)(s->depth / s->spacing + 0.5);
    for (int32_t k = 0; k < layers; k++) {
        const double depth = (k + 0.5) * s->spacing;
        keep_point(s, dlp_along(surface, normal, -depth), dlp_mul(normal, depth), s->volume);
    }
}

// Whether faces meet near a point, in an edge or a corner: the way to the surface then turns within a
// spacing.
static bool is_at_edge(const sampling *s, dlp_vec3 x, dlp_vec3 normal)
{
    for (int32_t k = 0; k < 2 * s->dimension; k++) {
        const double step = (k & 1 ? 0.5 : -0.5) * s->spacing;
        const dlp_vec3 axis = dlp_vec(k / 2 == 0 ? step : 0, k / 2 == 1 ? step : 0, k / 2 == 2 ? step : 0);
        dlp_vec3 there;
        dlp_shape_probe(s->shape, dlp_add(x, dlp_rotate(&s->axes, axis)), &there);
        const double cosine = dlp_dot(there, normal);
        if (cosine < EDGE_COSINE && cosine > -0.5) return true;  // beyond the middle of a slab it turns round
    }
    return false;
}

// At an edge there are no layers: what of the point's own cell is solid counts, in its middle. A wall that
// has a density of its own knows what it lacks there; one that takes over the pressure has its volume alone.
static void sample_edge(sampling *s, dlp_vec3 x)
{
    enum { PARTS = 4 };
    const int32_t depths = s->dimension == 3 ? PARTS : 1;
    const double part = s->spacing / PARTS;
    double solid = 0;
    dlp_vec3 middle = dlp_vec(0, 0, 0);
    for (int32_t k = 0; k < PARTS * PARTS * depths; k++) {
        const double a = (k % PARTS + 0.5) * part - s->spacing / 2,
                     b = (k / PARTS % PARTS + 0.5) * part - s->spacing / 2,
                     c = s->dimension == 3 ? (k / (PARTS * PARTS) + 0.5) * part - s->spacing / 2 : 0;
        const dlp_vec3 offset = dlp_rotate(&s->axes, dlp_vec(a, b, c));
        const double share = fmin(fmax(0.5 - dlp_shape_distance(s->shape, dlp_add(x, offset)) / part, 0), 1);
        solid += share;
        middle = dlp_along(middle, offset, share);
    }
    const double share = solid / (PARTS * PARTS * depths);
    if (share < 0.05) return;
    keep_point(s, dlp_along(x, middle, 1 / solid), dlp_vec(0, 0, 0), share * s->volume);
}

// A point of the lattice moves onto the nearest layer of the wall; most points stay out. One point in front
// of a thin wall (there is one in every slab of a spacing) stands for all layers behind its face.
static void sample_at(sampling *s, dlp_vec3 x)
{
    dlp_vec3 normal;
    const double d = dlp_shape_probe(s->shape, x, &normal), tiny = NEGLIGIBLE * s->spacing;
    if (!(d < s->spacing - tiny && d > -s->depth)) return;
    const dlp_vec3 surface = dlp_along(x, normal, -d);
    const bool is_thin = thickness_below(s, surface, normal) < THIN * s->spacing;
    if (is_thin && d >= -tiny) sample_thin(s, surface, normal);
    if (is_thin) return;
    if (s->takes_pressure && is_at_edge(s, x, normal)) {
        sample_edge(s, x);
        return;
    }
    if (d > tiny) return;
    const double depth = (floor(fmax(-d, 0) / s->spacing + NEGLIGIBLE) + 0.5) * s->spacing;
    keep_point(s, dlp_along(surface, normal, -depth), dlp_vec(0, 0, 0), s->volume);
}

static dlp_vec3 lattice_at(const sampling *s, double x, double y, double z)
{
    const dlp_vec3 local = dlp_vec(x * s->spacing, y * s->spacing, s->dimension == 3 ? z * s->spacing : 0);
    return dlp_to_world(&s->axes, local);
}

// Visits the lattice points of a block of 2^level cubed, leaving out what is far from the surface.
static void sample_block(sampling *s, const int32_t low[3], int32_t level)
{
    if (s->status != DLP_OK) return;
    const double size = 1 << level, half = 0.5 * (size - 1);
    const dlp_vec3 middle = lattice_at(s, low[0] + half, low[1] + half, low[2] + half);
    const double radius = 0.5 * size * s->spacing * sqrt(s->dimension);
    if (fabs(dlp_shape_distance(s->shape, middle)) > radius + s->depth) return;
    if (level == 0) {
        sample_at(s, middle);
        return;
    }
    for (int32_t k = 0; k < (s->dimension == 3 ? 8 : 4); k++) {
        const int32_t step = 1 << (level - 1);
        const int32_t part[3] = {low[0] + (k & 1) * step, low[1] + (k >> 1 & 1) * step,
                                 low[2] + (k >> 2) * step};
        sample_block(s, part, level - 1);
    }
}

// The block of lattice points that covers the obstacle's surface.
static int32_t covering_block(const sampling *s, dlp_box region, int32_t out_low[3])
{
    double low[3] = {1e30, 1e30, 1e30}, high[3] = {-1e30, -1e30, -1e30};
    for (int k = 0; k < 8; k++) {
        const dlp_vec3 corner =
            dlp_vec(k & 1 ? region.max.x : region.min.x, k & 2 ? region.max.y : region.min.y,
                    k & 4 ? region.max.z : region.min.z);
        const dlp_vec3 local = dlp_to_body(&s->axes, corner);
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = fmin(low[axis], dlp_component(local, axis) - s->depth);
            high[axis] = fmax(high[axis], dlp_component(local, axis) + s->depth);
        }
    }
    double extent = 1;
    for (int axis = 0; axis < s->dimension; axis++) {
        out_low[axis] = (int32_t)floor(low[axis] / s->spacing) - 1;
        extent = fmax(extent, high[axis] / s->spacing - out_low[axis] + 2);
    }
    if (s->dimension == 2) out_low[2] = 0;
    int32_t level = 0;
    while ((1 << level) < extent && level < 30) level++;
    return level;
}

typedef struct weighing {
    const dlp_sample_request *request;
    const dlp_shape *shape;
    dlp_sample_set *points;
    const dlp_bins *bins;
    double spacing;
    float wanted;  // sum near the surface
} weighing;

static double sum_own(const weighing *w, int32_t i)
{
    double sum = 0;
    dlp_bins_search near = dlp_bins_near(w->bins, w->points->at, w->points->at[i], 2 * w->points->h);
    for (int32_t k; (k = dlp_bins_next(&near)) >= 0;) {
        const double r = dlp_length(dlp_sub(w->points->at[i], w->points->at[k]));
        if (dlp_dot(w->points->face[i], w->points->face[k]) < 0) continue;  // of the other side
        sum += (double)w->points->volume[k] * weight(w->request, r, w->points->h);
    }
    return sum;
}

// Share of a wall point's support that lies outside the obstacle, where there may be substance.
static double share_outside(const weighing *w, int32_t i)
{
    const double depth = dlp_length(w->points->face[i]);
    if (depth > 0) return dlp_half_space(w->request->kernel, w->request->dimension, depth / w->points->h);
    const int32_t n = (int32_t)ceil(2 * w->points->h / w->spacing);
    const int32_t nz = w->request->dimension == 3 ? n : 0;
    double outside = 0, all = 0;
    for (int32_t z = -nz; z <= nz; z++)
        for (int32_t y = -n; y <= n; y++)
            for (int32_t x = -n; x <= n; x++) {
                const dlp_vec3 offset = dlp_vec(x * w->spacing, y * w->spacing, z * w->spacing);
                const double weight_here = weight(w->request, dlp_length(offset), w->points->h);
                if (weight_here <= 0) continue;
                const double d = dlp_shape_distance(w->shape, dlp_add(w->points->at[i], offset));
                all += weight_here;
                outside += weight_here * fmin(fmax(0.5 + d / w->spacing, 0), 1);
            }
    return outside / all;
}

static void share_volume_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const weighing *w = context;
    for (int32_t i = begin; i < end; i++) {
        w->points->own[i] = (float)sum_own(w, i);
        if (w->points->sum_at_rest[i] == 0) w->points->sum_at_rest[i] = (float)share_outside(w, i);
    }
}

static void complete_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const weighing *w = context;
    for (int32_t i = begin; i < end; i++) {
        w->points->sum_at_rest[i] += w->points->own[i];
        const dlp_vec3 face = w->points->face[i];
        w->points->depth[i] = (float)-dlp_shape_probe(w->shape, w->points->at[i], &w->points->normal[i]);
        if (!(dlp_dot(face, face) > 0)) continue;
        w->points->normal[i] = dlp_normalize(face, face);
        w->points->depth[i] = (float)dlp_length(face);
    }
}

// Sum of a point in the first layer of a flat wall, with the substance outside.
static double flat_sum(const sampling *s)
{
    const int32_t n = (int32_t)ceil(2 * s->h / s->spacing), layers = (int32_t)(s->depth / s->spacing + 0.5);
    const int32_t ny = s->dimension == 3 ? n : 0;
    double sum = half_space_at(s, s->spacing / 2);
    for (int32_t z = 0; z < layers; z++)
        for (int32_t y = -ny; y <= ny; y++)
            for (int32_t x = -n; x <= n; x++)
                sum += s->volume * weight(s->request, s->spacing * sqrt(x * x + y * y + z * z), s->h);
    return sum;
}

// Where a curved surface crowds or thins the points, their volumes make up for it.
static void even_out(const weighing *w)
{
    dlp_sample_set *p = w->points;
    if (p->is_thin) return;
    const double half = w->spacing / 2;
    for (int32_t i = 0; i < p->count; i++) {
        // only near the surface is all of the support accounted for: layers end at depth
        if (-dlp_shape_distance(w->shape, p->at[i]) > half * 1.5) continue;
        const float sum = (p->own[i] + p->sum_at_rest[i]) / w->wanted;
        p->volume[i] /= fminf(fmaxf(sum, 0.7f), 1.4f);
    }
}

static dlp_status share_volumes(sampling *s, dlp_error *error)
{
    dlp_bins bins = {0};
    DLP_TRY(dlp_bins_init(&bins, 2 * s->h, s->out->count, error));
    dlp_status status = DLP_OK;
    for (int32_t i = 0; i < s->out->count && status == DLP_OK; i++)
        status = dlp_bins_add(&bins, i, s->out->at[i], error);
    const float wanted = s->takes_pressure ? (float)flat_sum(s) : 1;
    weighing w = {s->request, s->shape, s->out, &bins, s->spacing, wanted};
    if (status == DLP_OK) {
        dlp_parallel_for(s->request->team, s->out->count, 64, share_volume_range, &w);
        even_out(&w);
        dlp_parallel_for(s->request->team, s->out->count, 64, share_volume_range, &w);
        dlp_parallel_for(s->request->team, s->out->count, 64, complete_range, &w);
    }
    dlp_bins_release(&bins);
    return status;
}

// Spheres around runs of points: most are ruled out at one glance.
static dlp_status group_points(dlp_sample_set *set, dlp_error *error)
{
    const size_t count = (size_t)set->count / DLP_SAMPLE_RUN + 1;
    set->block_middle = dlp_alloc(count, sizeof *set->block_middle, "samples");
    set->block_radius = dlp_alloc(count, sizeof *set->block_radius, "samples");
    if (set->block_middle == NULL || set->block_radius == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "samples: no room for %zu groups", count);
    for (int32_t begin = 0; begin < set->count; begin += DLP_SAMPLE_RUN) {
        const int32_t end = set->count - begin < DLP_SAMPLE_RUN ? set->count : begin + DLP_SAMPLE_RUN;
        dlp_vec3 middle = dlp_vec(0, 0, 0);
        double radius = 0;
        for (int32_t k = begin; k < end; k++) middle = dlp_along(middle, set->at[k], 1.0 / (end - begin));
        for (int32_t k = begin; k < end; k++) radius = fmax(radius, dlp_length(dlp_sub(set->at[k], middle)));
        set->block_middle[begin / DLP_SAMPLE_RUN] = middle;
        set->block_radius[begin / DLP_SAMPLE_RUN] = radius;
    }
    return DLP_OK;
}

dlp_status dlp_sample_set_make(const dlp_sample_request *request, dlp_sample_set *out_set, dlp_error *error)
{
    const int32_t dimension = request->dimension;
    sampling *s = dlp_alloc(1, sizeof *s, "samples");
    if (s == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "samples: no room");
    s->request = request;
    s->shape = request->shape;
    s->out = out_set;
    s->dimension = dimension;
    s->spacing = s->out->spacing = request->spacing;
    s->h = s->out->h = request->h;
    s->depth = ceil(2 * s->h / s->spacing) * s->spacing;
    s->axes = dlp_shape_axes(s->shape);
    s->takes_pressure = request->takes_pressure;
    s->error = error;
    for (int k = 0; k <= TABLE_SIZE; k++)
        s->half_space[k] = dlp_half_space(request->kernel, dimension, 2.0 * k / TABLE_SIZE);
    // what hands the pressure on does so by its volume; what has a density must be as dense as the substance
    s->volume = pow(s->spacing, dimension) * (s->takes_pressure ? 1 : layer_factor(s));
    dlp_status status = dlp_bins_init(&s->bins, s->spacing, 0, error);
    if (status == DLP_OK) {
        int32_t low[3];
        const int32_t block_level = covering_block(s, request->region, low);
        sample_block(s, low, block_level);
        status = s->status;
    }
    if (status == DLP_OK) status = share_volumes(s, error);
    if (status == DLP_OK) status = group_points(s->out, error);
    dlp_bins_release(&s->bins);
    dlp_free(s);
    return status;
}
