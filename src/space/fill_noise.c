/* Points repel each other until they are even, and walls mirror the points before them, so that the density
 * there is that of the inside. The start is one random point per cell of a lattice, whose density has no long
 * waves, which short-ranged repulsion could not remove. */
#include "space/fill_noise.h"
#include "base/memory.h"
#include "base/random.h"
#include "space/bins.h"

// A list serves four rounds, in which two points may approach by more than its margin; the few pairs that it
// then misses only weaken a push.
enum { ROUNDS = 50, LIST_ROUNDS = 4 };

// In spacings: the range of the repulsion, which is 1 at no distance and falls linearly; how much farther
// neighbours are listed; how far a repulsion of 1 moves a point; and the farthest that it moves in a round.
#define REACH  1.2
#define MARGIN 0.4
#define STEP   0.3
#define MOST   0.1
// In spacings: the least depth below the surface.
#define LEAST_DEPTH 0.25

// The state of the relaxation. A round reads `places` and writes `next`, so that it does not depend on the
// order of the points.
typedef struct scatter {
    const dlp_shape *shape;
    double spacing;  // m
    int32_t count;
    dlp_vec3 *places, *next;  // m
    double *depths;           // m: below the surface when the lists were made
    int32_t *begin;           // count + 1 of them: where each point's part of `neighbours` starts
    int32_t *neighbours;
    int32_t capacity;  // of neighbours
} scatter;

// Neighbours.

static dlp_status list_neighbours(scatter *s, const dlp_bins *bins, dlp_error *error)
{
    const double reach = (REACH + MARGIN) * s->spacing;
    int32_t count = 0;
    for (int32_t i = 0; i < s->count; i++) {
        s->begin[i] = count;
        dlp_bins_search near = dlp_bins_near(bins, s->places, s->places[i], reach);
        for (int32_t j; (j = dlp_bins_next(&near)) >= 0;) {
            if (j == i) continue;
            if (count == INT32_MAX / 2) return dlp_fail(error, DLP_OUT_OF_MEMORY, "fill: too many points");
            DLP_TRY(dlp_reserve(&s->neighbours, &s->capacity, count + 1, sizeof(int32_t), "fill", error));
            s->neighbours[count++] = j;
        }
        s->depths[i] = -dlp_shape_distance(s->shape, s->places[i]);
    }
    s->begin[s->count] = count;
    return DLP_OK;
}

// New bins each time: points have moved between cells.
static dlp_status renew_lists(scatter *s, dlp_error *error)
{
    dlp_bins bins;
    dlp_status status = dlp_bins_init(&bins, (REACH + MARGIN) * s->spacing, s->count, error);
    for (int32_t i = 0; i < s->count && status == DLP_OK; i++)
        status = dlp_bins_add(&bins, i, s->places[i], error);
    if (status == DLP_OK) status = list_neighbours(s, &bins, error);
    dlp_bins_release(&bins);
    return status;
}

// A round.

// The repulsion of one point or image; none from the point itself, which lies at distance 0.
static dlp_vec3 push_from(const scatter *s, dlp_vec3 x, dlp_vec3 other)
{
    const dlp_vec3 displacement = dlp_sub(x, other);
    const double reach = REACH * s->spacing, distance = dlp_length(displacement);
    if (!(distance < reach && distance > 0)) return dlp_vec(0, 0, 0);
    return dlp_mul(displacement, (1 - distance / reach) / distance);
}

// The image of a place in the plane `depth` above x.
static dlp_vec3 mirrored(dlp_vec3 place, dlp_vec3 x, dlp_vec3 normal, double depth)
{
    return dlp_along(place, normal, 2 * (depth + dlp_dot(dlp_sub(x, place), normal)));
}

// The images of x and of its neighbours behind the plane that is tangential to the nearest surface.
static dlp_vec3 push_from_wall(const scatter *s, int32_t i)
{
    const dlp_vec3 x = s->places[i];
    dlp_vec3 normal;
    const double depth = -dlp_shape_probe(s->shape, x, &normal);
    dlp_vec3 push = push_from(s, x, mirrored(x, x, normal, depth));
    for (int32_t n = s->begin[i]; n < s->begin[i + 1]; n++)
        push = dlp_add(push, push_from(s, x, mirrored(s->places[s->neighbours[n]], x, normal, depth)));
    return push;
}

static dlp_vec3 push_of(const scatter *s, int32_t i)
{
    dlp_vec3 push = {0};
    for (int32_t n = s->begin[i]; n < s->begin[i + 1]; n++)
        push = dlp_add(push, push_from(s, s->places[i], s->places[s->neighbours[n]]));
    if (s->depths[i] < (REACH + MARGIN) * s->spacing) push = dlp_add(push, push_from_wall(s, i));
    return push;
}

// Moved down to the least depth, in up to three steps since the normal changes on the way; where that leads
// out elsewhere, the place before.
static dlp_vec3 kept_inside(const scatter *s, dlp_vec3 x, dlp_vec3 before)
{
    dlp_vec3 normal;
    for (int k = 0; k < 3; k++) {
        const double lack = LEAST_DEPTH * s->spacing + dlp_shape_probe(s->shape, x, &normal);
        if (!(lack > 1e-9 * s->spacing)) return x;
        x = dlp_along(x, normal, -lack);
    }
    return -dlp_shape_distance(s->shape, x) > 0 ? x : before;
}

// The place after a round. Only points near the surface when the lists were made can have left the shape.
static dlp_vec3 moved(const scatter *s, int32_t i)
{
    const dlp_vec3 displacement = dlp_mul(push_of(s, i), STEP * s->spacing);
    const double length = dlp_length(displacement), most = MOST * s->spacing;
    const dlp_vec3 x = dlp_along(s->places[i], displacement, length > most ? most / length : 1);
    return s->depths[i] < (REACH + MARGIN) * s->spacing ? kept_inside(s, x, s->places[i]) : x;
}

static dlp_status relax(scatter *s, dlp_error *error)
{
    for (int32_t round = 0; round < ROUNDS; round++) {
        if (round % LIST_ROUNDS == 0) DLP_TRY(renew_lists(s, error));
        for (int32_t i = 0; i < s->count; i++) s->next[i] = moved(s, i);
        dlp_vec3 *const places = s->places;
        s->places = s->next;
        s->next = places;
    }
    return DLP_OK;
}

// The start.

// A random place in the cell around x, by the point's index.
static dlp_vec3 jittered(const scatter *s, dlp_vec3 x, int32_t i)
{
    const uint64_t id = (uint64_t)i;
    const dlp_vec3 displacement =
        dlp_vec(dlp_random(id, 2, 1) - 0.5, dlp_random(id, 2, 2) - 0.5, dlp_random(id, 2, 3) - 0.5);
    return kept_inside(s, dlp_along(x, displacement, s->spacing), x);
}

static dlp_status scatter_all(scatter *s, dlp_error *error)
{
    s->next = dlp_alloc((size_t)s->count + 1, sizeof *s->next, "fill");
    s->depths = dlp_alloc((size_t)s->count + 1, sizeof *s->depths, "fill");
    s->begin = dlp_alloc((size_t)s->count + 1, sizeof *s->begin, "fill");
    if (s->next == NULL || s->depths == NULL || s->begin == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "fill: not enough memory for %d points", s->count);
    for (int32_t i = 0; i < s->count; i++) s->places[i] = jittered(s, s->places[i], i);
    return relax(s, error);
}

dlp_status dlp_fill_scatter(const dlp_shape *shape, double spacing, dlp_fill *fill, dlp_error *error)
{
    scatter s = {.shape = shape, .spacing = spacing, .count = fill->count, .places = fill->positions};
    const dlp_status status = scatter_all(&s, error);
    // the rounds may have exchanged the two buffers
    fill->positions = s.places;
    dlp_free(s.next);
    dlp_free(s.depths);
    dlp_free(s.begin);
    dlp_free(s.neighbours);
    return status;
}
