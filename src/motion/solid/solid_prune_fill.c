/* Where a shape is thinner than its particles, a fill has particles at the end of a thread of others, which
 * dangle, and clumps that hang together with nothing, which fall off. They are left out; their mass is spread
 * over the others. */
#include "motion/solid/solid_solver.h"
#include "space/bins.h"

#include <stdio.h>

enum { CLUMP = 8, SAMPLES = 8, BENDS = 3 };

// A body that would lose more than this is thin as a whole: a row, a chain.
#define LOST_LIMIT 0.2
// Spacings: how far off the rest of a body is looked for, by how much the path there may leave the shape, and
// how far inside it bends.
#define FAR    8.0
#define BEYOND 0.5
#define INWARD 0.1

enum { PER_PARTICLE, PER_NEIGHBOUR, PER_COUNT };
#define PRUNING_ARRAYS(X)                                                                                    \
    X(begin, int32_t, 1, PER_PARTICLE) /* of its neighbours; one more than particles */                      \
    X(neighbours, int32_t, 1, PER_NEIGHBOUR)                                                                 \
    X(is_pruned, uint8_t, 1, PER_PARTICLE)                                                                   \
    X(part, int32_t, 1, PER_PARTICLE)  /* the first that it hangs together with */                           \
    X(count, int32_t, 1, PER_PARTICLE) /* of a part, at its first */                                         \
    X(left, int32_t, 1, PER_PARTICLE)  /* likewise: those that do not dangle */

typedef struct pruning {
    PRUNING_ARRAYS(DLP_SOLID_MEMBER)
    const dlp_shape *shape;
    dlp_fill *fill;
    double spacing, support; /* m */
    int32_t capacity[PER_COUNT];
} pruning;

static const dlp_solid_array arrays[] = {
#define X(name, type, components, per) {offsetof(pruning, name), (components) * sizeof(type), per},
    PRUNING_ARRAYS(X)
#undef X
};

static dlp_status reserve(pruning *t, int32_t per, int32_t count, dlp_error *error)
{
    return dlp_solid_arrays_reserve(t, DLP_SOLID_LIST_OF(arrays), t->capacity, per, count, error);
}

// Neighbours and parts.

static dlp_status list_neighbours(pruning *t, const dlp_bins *bins, dlp_error *error)
{
    const dlp_vec3 *places = t->fill->positions;
    int32_t count = 0;
    for (int32_t i = 0; i < t->fill->count; i++) {
        t->begin[i] = count;
        dlp_bins_search near = dlp_bins_near(bins, places, places[i], t->support);
        for (int32_t j; (j = dlp_bins_next(&near)) >= 0;) {
            if (j == i) continue;
            if (count == INT32_MAX / 2)
                return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: too many neighbours");
            DLP_TRY(reserve(t, PER_NEIGHBOUR, count + 1, error));
            t->neighbours[count++] = j;
        }
    }
    t->begin[t->fill->count] = count;
    return DLP_OK;
}

static dlp_status link_all(pruning *t, dlp_error *error)
{
    dlp_bins bins;
    dlp_status status = dlp_bins_init(&bins, t->support, t->fill->count, error);
    for (int32_t i = 0; i < t->fill->count && status == DLP_OK; i++)
        status = dlp_bins_add(&bins, i, t->fill->positions[i], error);
    if (status == DLP_OK) status = list_neighbours(t, &bins, error);
    dlp_bins_release(&bins);
    return status;
}

static int32_t first_of(int32_t *part, int32_t i)
{
    while (part[i] != i) i = part[i] = part[part[i]];
    return i;
}

static void find_parts(pruning *t)
{
    for (int32_t i = 0; i < t->fill->count; i++) t->part[i] = i;
    for (int32_t i = 0; i < t->fill->count; i++)
        for (int32_t n = t->begin[i]; n < t->begin[i + 1]; n++) {
            const int32_t a = first_of(t->part, i), b = first_of(t->part, t->neighbours[n]);
            t->part[a > b ? a : b] = a > b ? b : a;
        }
    for (int32_t i = 0; i < t->fill->count; i++) t->count[t->part[i] = first_of(t->part, i)]++;
}

// What dangles.

static bool are_linked(const pruning *t, int32_t i, int32_t j)
{
    for (int32_t n = t->begin[i]; n < t->begin[i + 1]; n++)
        if (t->neighbours[n] == j) return true;
    return false;
}

// It has one neighbour, or two that do not need it to hang together.
static bool dangles(const pruning *t, int32_t i)
{
    int32_t near[2], count = 0;
    for (int32_t n = t->begin[i]; n < t->begin[i + 1]; n++) {
        if (t->is_pruned[t->neighbours[n]]) continue;
        if (count == 2) return false;
        near[count++] = t->neighbours[n];
    }
    return count < 2 || are_linked(t, near[0], near[1]);
}

static void prune_dangling(pruning *t)
{
    for (bool is_any = true; is_any;) {
        is_any = false;
        for (int32_t i = 0; i < t->fill->count; i++) {
            if (t->is_pruned[i] || !dangles(t, i)) continue;
            t->is_pruned[i] = 1;
            is_any = true;
        }
    }
    for (int32_t i = 0; i < t->fill->count; i++) t->left[t->part[i]] += !t->is_pruned[i];
    for (int32_t i = 0; i < t->fill->count; i++)
        if (t->left[t->part[i]] < (1 - LOST_LIMIT) * t->count[t->part[i]]) t->is_pruned[i] = 0;
}

// What falls off.

static bool is_straight_inside(const pruning *t, dlp_vec3 from, dlp_vec3 to)
{
    for (int k = 1; k < SAMPLES; k++) {
        const dlp_vec3 x = dlp_along(from, dlp_sub(to, from), (double)k / SAMPLES);
        if (dlp_shape_distance(t->shape, x) > BEYOND * t->spacing) return false;
    }
    return true;
}

// Horns are bent: where the straight path leaves the shape, the one by the place inside that is nearest to
// its middle may not.
static bool is_path_inside(const pruning *t, dlp_vec3 from, dlp_vec3 to, int32_t bends)
{
    if (is_straight_inside(t, from, to)) return true;
    if (bends == 0) return false;
    dlp_vec3 normal, middle = dlp_mul(dlp_add(from, to), 0.5);
    const double out = dlp_shape_probe(t->shape, middle, &normal) + INWARD * t->spacing;
    if (out > 0) middle = dlp_along(middle, normal, -out);
    return is_path_inside(t, from, middle, bends - 1) && is_path_inside(t, middle, to, bends - 1);
}

// Whether the shape goes on from this particle to one of a larger part.
static bool is_torn_off(const pruning *t, int32_t i)
{
    const dlp_vec3 x = t->fill->positions[i];
    for (int32_t j = 0; j < t->fill->count; j++) {
        if (t->count[t->part[j]] < CLUMP) continue;
        const dlp_vec3 other = t->fill->positions[j];
        if (dlp_length(dlp_sub(other, x)) < FAR * t->spacing && is_path_inside(t, x, other, BENDS))
            return true;
    }
    return false;
}

// Clumps too small to have an inside; bodies of their own stay, however small.
static void prune_clumps(pruning *t)
{
    for (int32_t i = 0; i < t->fill->count; i++) t->left[i] = 0;  // now: of a part, that it is torn off
    for (int32_t i = 0; i < t->fill->count; i++)
        if (t->count[t->part[i]] < CLUMP && !t->left[t->part[i]]) t->left[t->part[i]] = is_torn_off(t, i);
    for (int32_t i = 0; i < t->fill->count; i++)
        if (t->left[t->part[i]]) t->is_pruned[i] = 1;
}

// The rest.

// The total volume stays.
static int32_t compact(pruning *t)
{
    dlp_fill *fill = t->fill;
    int32_t kept = 0;
    for (int32_t i = 0; i < fill->count; i++)
        if (!t->is_pruned[i]) fill->positions[kept++] = fill->positions[i];
    const int32_t lost = fill->count - kept;
    fill->volume *= (double)fill->count / kept;
    fill->count = kept;
    return lost;
}

static void warn_of_pruning(const dlp_solid *solid, int32_t substance, int32_t lost)
{
    char message[320];
    snprintf(
        message, sizeof message,
        "substances.%s: its shape is thinner than its particles in places; %d of them, which would dangle "
        "or fall off, are left out, and the others have their mass; smaller particles would hold",
        solid->params.scene->substances[substance].name, lost);
    if (solid->params.context.log != NULL) solid->params.context.log(message, solid->params.context.log_user);
}

dlp_status dlp_solid_prune_fill(const dlp_solid *solid, int32_t substance, const dlp_shape *shape,
                                dlp_fill *fill, dlp_error *error)
{
    const dlp_solid_material *material = &solid->params.materials[substance];
    pruning t = {.shape = shape, .fill = fill, .spacing = material->spacing, .support = material->support};
    dlp_status status = reserve(&t, PER_PARTICLE, fill->count + 1, error);
    if (status == DLP_OK) status = link_all(&t, error);
    if (status == DLP_OK) {
        find_parts(&t);
        prune_dangling(&t);
        prune_clumps(&t);
        const int32_t lost = compact(&t);
        if (lost > 0) warn_of_pruning(solid, substance, lost);
    }
    dlp_solid_arrays_release(&t, DLP_SOLID_LIST_OF(arrays));
    return status;
}
