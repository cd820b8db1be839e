/* A triangle is on the shape where the shape's distance is zero. That distance changes at most as fast as the
 * place does, so that one query shows that a piece far away has nothing on the shape; the others are split
 * until they are small, and small ones that lie across the edge are cut along it. */
#include "space/shape_cut.h"
#include "base/memory.h"

// Pieces per diagonal of what is shown; further splits of small pieces without a corner on the shape; steps
// of the search for the edge.
enum { FINENESS = 64, EXTRA_SPLITS = 2, BISECTIONS = 20 };

// A triangle on its way.
typedef struct cut_part {
    dlp_vec3 points[3], normals[3];
} cut_part;

// The state of a cut.
typedef struct cutter {
    const dlp_shape_cut_def *def;
    double finest;  // m: longest edge of a piece in the middle of what is shown
    dlp_shape_surface *out;
    dlp_status status;  // of the first piece for which there was not enough memory; later ones are dropped
    dlp_error *error;
} cutter;

// Two arrays grow together. When the second one fails, the first is larger than the capacity, which does no
// harm.
static dlp_status grow(dlp_shape_surface *s, dlp_error *error)
{
    const int32_t capacity = s->capacity > 0 ? 2 * s->capacity : 512;
    if (s->capacity > INT32_MAX / 12)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface of a shape: %d triangles", s->capacity);
    dlp_vec3 *points = dlp_realloc(s->points, 3 * (size_t)capacity, sizeof *points, "pictures");
    if (points != NULL) s->points = points;
    dlp_vec3 *normals = dlp_realloc(s->normals, 3 * (size_t)capacity, sizeof *normals, "pictures");
    if (normals != NULL) s->normals = normals;
    if (points == NULL || normals == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface of a shape: %d triangles", capacity);
    s->capacity = capacity;
    return DLP_OK;
}

dlp_status dlp_shape_surface_add(dlp_shape_surface *surface, const dlp_vec3 *points, const dlp_vec3 *normals,
                                 dlp_error *error)
{
    if (surface->triangle_count == surface->capacity) DLP_TRY(grow(surface, error));
    const size_t first = 3 * (size_t)surface->triangle_count++;
    for (size_t k = 0; k < 3; k++) {
        surface->points[first + k] = points[k];
        surface->normals[first + k] = normals[k];
    }
    return DLP_OK;
}

static void keep(cutter *c, const cut_part *p)
{
    if (c->status == DLP_OK) c->status = dlp_shape_surface_add(c->out, p->points, p->normals, c->error);
}

// How far x lies off the shape's surface, m.
static double offset(const cutter *c, dlp_vec3 x)
{
    return fabs(dlp_shape_distance(c->def->shape, x));
}

static bool is_on(const cutter *c, dlp_vec3 x)
{
    return offset(c, x) <= c->def->error;
}

static double longest_edge(const cut_part *p)
{
    double longest = 0;
    for (int32_t k = 0; k < 3; k++)
        longest = fmax(longest, dlp_length(dlp_sub(p->points[(k + 1) % 3], p->points[k])));
    return longest;
}

// Longest edge of a piece at x, m: it grows by a tenth of the distance from what is shown.
static double fine_at(const cutter *c, dlp_vec3 x)
{
    const dlp_box *shown = &c->def->shown;
    const dlp_vec3 out = dlp_max3(dlp_sub(shown->min, x), dlp_sub(x, shown->max));
    return c->finest + 0.1 * dlp_length(dlp_max3(out, dlp_vec(0, 0, 0)));
}

// Corner `at` becomes the point between corners a and b of p, at `share` of the edge from a.
static void put_between(cut_part *out, int32_t at, const cut_part *p, int32_t a, int32_t b, double share)
{
    out->points[at] = dlp_along(p->points[a], dlp_sub(p->points[b], p->points[a]), share);
    out->normals[at] =
        dlp_normalize(dlp_along(p->normals[a], dlp_sub(p->normals[b], p->normals[a]), share), p->normals[a]);
}

static void put_corner(cut_part *out, int32_t at, const cut_part *p, int32_t corner)
{
    out->points[at] = p->points[corner];
    out->normals[at] = p->normals[corner];
}

// The share of the edge from corner a, which is on the shape, to b, at which it leaves the shape: by
// bisection.
static double share_on(const cutter *c, const cut_part *p, int32_t a, int32_t b)
{
    double low = 0, high = 1;
    const dlp_vec3 edge = dlp_sub(p->points[b], p->points[a]);
    for (int32_t k = 0; k < BISECTIONS; k++) {
        const double middle = 0.5 * (low + high);
        if (is_on(c, dlp_along(p->points[a], edge, middle)))
            low = middle;
        else
            high = middle;
    }
    return low;
}

// One or two corners are on the shape: keeps the triangle or the quadrilateral that is. `odd` is the corner
// that differs from the two others; the orientation stays.
static void cut(cutter *c, const cut_part *p, const bool on[3], int32_t on_count)
{
    int32_t odd = 0;
    while (on[odd] != (on_count == 1)) odd++;
    const int32_t next = (odd + 1) % 3, last = (odd + 2) % 3;
    cut_part part;
    put_corner(&part, 0, p, odd);
    if (on_count == 1) {
        put_between(&part, 1, p, odd, next, share_on(c, p, odd, next));
        put_between(&part, 2, p, odd, last, share_on(c, p, odd, last));
        keep(c, &part);
        return;
    }
    put_between(&part, 0, p, next, odd, share_on(c, p, next, odd));
    put_corner(&part, 1, p, next);
    put_corner(&part, 2, p, last);
    keep(c, &part);
    put_corner(&part, 1, p, last);
    put_between(&part, 2, p, last, odd, share_on(c, p, last, odd));
    keep(c, &part);
}

static void classify(cutter *c, const cut_part *p, int32_t extra);

// Into four similar triangles.
static void split(cutter *c, const cut_part *p, int32_t extra)
{
    cut_part middle;
    for (int32_t k = 0; k < 3; k++) put_between(&middle, k, p, k, (k + 1) % 3, 0.5);
    for (int32_t k = 0; k < 3; k++) {
        cut_part corner;
        put_corner(&corner, 0, p, k);
        put_corner(&corner, 1, &middle, k);
        put_corner(&corner, 2, &middle, (k + 2) % 3);
        classify(c, &corner, extra);
    }
    classify(c, &middle, extra);
}

// Keeps, cuts, splits or drops a piece. `extra`: how often a small piece without a corner on the shape has
// been split already: an edge may still pass through its inside.
static void classify(cutter *c, const cut_part *p, int32_t extra)
{
    const dlp_vec3 middle = dlp_mul(dlp_add(dlp_add(p->points[0], p->points[1]), p->points[2]), 1.0 / 3);
    double reach = 0;
    for (int32_t k = 0; k < 3; k++) reach = fmax(reach, dlp_length(dlp_sub(p->points[k], middle)));
    if (offset(c, middle) > reach + c->def->error) return;
    if (extra == 0 && longest_edge(p) > fine_at(c, middle)) {
        split(c, p, 0);
        return;
    }
    bool on[3];
    int32_t on_count = 0;
    for (int32_t k = 0; k < 3; k++) on_count += on[k] = is_on(c, p->points[k]);
    if (on_count == 3)
        keep(c, p);
    else if (on_count > 0)
        cut(c, p, on, on_count);
    else if (extra < EXTRA_SPLITS)
        split(c, p, extra + 1);
}

// The old triangles are read while the new ones are written to fresh arrays.
dlp_status dlp_shape_surface_cut(dlp_shape_surface *surface, const dlp_shape_cut_def *def, dlp_error *error)
{
    dlp_shape_surface whole = *surface;
    *surface = (dlp_shape_surface){.is_endless = whole.is_endless};
    const double size = dlp_length(dlp_sub(def->shown.max, def->shown.min));
    cutter c = {.def = def, .finest = fmax(size / FINENESS, def->error), .out = surface, .error = error};
    for (size_t t = 0; c.status == DLP_OK && t < (size_t)whole.triangle_count; t++) {
        cut_part p;
        for (size_t k = 0; k < 3; k++) {
            p.points[k] = whole.points[3 * t + k];
            p.normals[k] = whole.normals[3 * t + k];
        }
        classify(&c, &p, 0);
    }
    dlp_shape_surface_release(&whole);
    if (c.status != DLP_OK) dlp_shape_surface_release(surface);
    return c.status;
}
