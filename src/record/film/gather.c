// Particles of similar size share a layer of cells that are as wide as the largest of them reaches; a place
// looks into 27 cells of every layer. Cells are found by hashing, and within one the particles keep their
// order, so that sums have the same bits in every run.
#include "record/film/gather.h"
#include "base/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { LAYER_LIMIT = 24, WIDTH_LIMIT = 4 };  // octaves of size; numbers per particle
#define REACH 3.0                            // radii that a particle reaches

// Particles within a factor of two in radius, sorted by bin; several cells may share a bin. All-zero is
// empty.
typedef struct layer {
    double cell;         // m: edge; no particle of the layer reaches farther
    int32_t count;       // of particles
    int32_t bins;        // a power of two
    int32_t *bin_begin;  // bins + 1 entries: where in `particles` each begins
    int32_t *particles;  // of the frame, by bin, ascending within each
} layer;

// Read-only once it is made.
struct dlp_gather {
    const dlp_particle_frame *frame;  // borrowed
    int32_t layer_count;
    layer layers[LAYER_LIMIT];
};

static dlp_vec3 position(const dlp_particle_frame *frame, int32_t i)
{
    const double *x = frame->positions + 3 * (size_t)i;
    return dlp_vec(x[0], x[1], x[2]);
}

// Whether a particle is of the substance and has a size and a finite place; NaN fails the comparisons.
static bool is_taken(const dlp_particle_frame *frame, int32_t substance, int32_t i)
{
    const dlp_vec3 x = position(frame, i);
    return (substance < 0 || frame->substances[i] == substance) && frame->radii[i] > 0 && fabs(x.x) < 1e9 &&
           fabs(x.y) < 1e9 && fabs(x.z) < 1e9;  // not so where it is not finite
}

// Along one axis; bounded so that the cast is defined for any place.
static int64_t cell_of(const layer *l, double x)
{
    return (int64_t)floor(fmin(fmax(x / l->cell, -1e15), 1e15));
}

// A hash of the cell's coordinates.
static uint32_t bin_of(const layer *l, int64_t x, int64_t y, int64_t z)
{
    uint64_t h = (uint64_t)x * 0x9e3779b97f4a7c15u ^ (uint64_t)y * 0xc2b2ae3d27d4eb4fu ^
                 (uint64_t)z * 0x165667b19e3779f9u;
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9u;
    return (uint32_t)(h >> 32) & ((uint32_t)l->bins - 1);
}

static uint32_t bin_of_particle(const layer *l, const dlp_particle_frame *frame, int32_t i)
{
    const dlp_vec3 x = position(frame, i);
    return bin_of(l, cell_of(l, x.x), cell_of(l, x.y), cell_of(l, x.z));
}

// Octaves above the smallest radius.
static int32_t layer_of(double smallest, double radius)
{
    const double octave = floor(log2(radius / smallest) + 1e-9);
    return (int32_t)fmin(fmax(octave, 0), LAYER_LIMIT - 1);
}

// About one particle per bin.
static dlp_status make_layer(layer *l, dlp_error *error)
{
    l->bins = 1;
    while (l->bins < l->count && l->bins < 1 << 28) l->bins *= 2;
    l->bin_begin = dlp_alloc((size_t)l->bins + 1, sizeof *l->bin_begin, "pictures");
    l->particles = dlp_alloc((size_t)l->count, sizeof *l->particles, "pictures");
    if (l->bin_begin == NULL || l->particles == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room to sort %" PRId32 " particles", l->count);
    return DLP_OK;
}

// Counting sort: first the sizes of the bins, then the particles from the last to the first, which leaves
// them ascending.
static void fill_layer(const dlp_gather *g, int32_t number, double smallest, int32_t substance)
{
    const dlp_particle_frame *frame = g->frame;
    const layer *l = &g->layers[number];
    for (int32_t i = 0; i < frame->count; i++)
        if (is_taken(frame, substance, i) && layer_of(smallest, (double)frame->radii[i]) == number)
            l->bin_begin[bin_of_particle(l, frame, i)]++;
    for (int32_t k = 1; k <= l->bins; k++) l->bin_begin[k] += l->bin_begin[k - 1];
    for (int32_t i = frame->count - 1; i >= 0; i--)
        if (is_taken(frame, substance, i) && layer_of(smallest, (double)frame->radii[i]) == number)
            l->particles[--l->bin_begin[bin_of_particle(l, frame, i)]] = i;
}

// First the sizes of the layers, then each layer on its own.
static dlp_status sort_particles(dlp_gather *g, int32_t substance, dlp_error *error)
{
    const dlp_particle_frame *frame = g->frame;
    double smallest = HUGE_VAL;
    for (int32_t i = 0; i < frame->count; i++)
        if (is_taken(frame, substance, i)) smallest = fmin(smallest, (double)frame->radii[i]);
    for (int32_t i = 0; i < frame->count; i++) {
        if (!is_taken(frame, substance, i)) continue;
        const double radius = (double)frame->radii[i];
        const int32_t k = layer_of(smallest, radius);
        g->layers[k].count++;
        g->layers[k].cell = fmax(g->layers[k].cell, REACH * radius);
        if (k >= g->layer_count) g->layer_count = k + 1;
    }
    for (int32_t k = 0; k < g->layer_count; k++) {
        if (g->layers[k].count == 0) continue;
        DLP_TRY(make_layer(&g->layers[k], error));
        fill_layer(g, k, smallest, substance);
    }
    return DLP_OK;
}

dlp_status dlp_gather_create(const dlp_particle_frame *frame, int32_t substance, dlp_gather **out_gather,
                             dlp_error *error)
{
    *out_gather = NULL;
    dlp_gather *gather = dlp_alloc(1, sizeof *gather, "pictures");
    if (gather == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room to sort particles");
    gather->frame = frame;
    const dlp_status status = sort_particles(gather, substance, error);
    if (status != DLP_OK) {
        dlp_gather_destroy(gather);
        return status;
    }
    *out_gather = gather;
    return DLP_OK;
}

void dlp_gather_destroy(dlp_gather *gather)
{
    if (gather == NULL) return;
    for (int32_t k = 0; k < gather->layer_count; k++) {
        dlp_free(gather->layers[k].bin_begin);
        dlp_free(gather->layers[k].particles);
    }
    dlp_free(gather);
}

// One call of dlp_gather_values; places are independent.
typedef struct work {
    const dlp_gather *gather;
    dlp_gather_kind kind;
    const float *values;
    int32_t width;
    const dlp_vec3 *places;
    float *out;
} work;

// What is known of a place so far.
typedef struct sum {
    dlp_vec3 place;
    double weight, values[WIDTH_LIMIT];
    double nearest;    // square of the distance to the nearest particle, in its radii
    int32_t particle;  // that one; -1 for none
} sum;

// Weight (1 - (r/R)^2)^3 within R = 3 radii.
static void add_particle(const work *w, int32_t i, sum *s)
{
    const dlp_vec3 offset = dlp_sub(position(w->gather->frame, i), s->place);
    const double radius = (double)w->gather->frame->radii[i];
    const double square = dlp_dot(offset, offset) / (radius * radius);
    if (square < s->nearest) {
        s->nearest = square;
        s->particle = i;
    }
    const double near = 1 - square / (REACH * REACH);
    if (!(near > 0)) return;
    const double weight = near * near * near;
    const float *values = w->values + (size_t)i * (size_t)w->width;
    for (int32_t c = 0; c < w->width; c++) s->values[c] += weight * (double)values[c];
    s->weight += weight;
}

// Particles of other cells may have the same bin by chance.
static void visit_bin(const work *w, const layer *l, const int64_t cell[3], sum *s)
{
    const uint32_t bin = bin_of(l, cell[0], cell[1], cell[2]);
    for (int32_t k = l->bin_begin[bin]; k < l->bin_begin[bin + 1]; k++) {
        const int32_t i = l->particles[k];
        const dlp_vec3 x = position(w->gather->frame, i);
        const bool is_here =
            cell_of(l, x.x) == cell[0] && cell_of(l, x.y) == cell[1] && cell_of(l, x.z) == cell[2];
        if (is_here) add_particle(w, i, s);
    }
}

static void visit_layer(const work *w, const layer *l, sum *s)
{
    for (int32_t k = 0; k < 27 && l->count > 0; k++) {
        const int64_t cell[3] = {cell_of(l, s->place.x) + k % 3 - 1, cell_of(l, s->place.y) + k / 3 % 3 - 1,
                                 cell_of(l, s->place.z) + k / 9 - 1};
        visit_bin(w, l, cell, s);
    }
}

// Where no kernel reaches a place the nearest particle of the cells around serves.
static void gather_places(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const work *w = context;
    for (int32_t k = begin; k < end; k++) {
        sum s = {.place = w->places[k], .nearest = HUGE_VAL, .particle = -1};
        for (int32_t n = 0; n < w->gather->layer_count; n++) visit_layer(w, &w->gather->layers[n], &s);
        float *out = w->out + (size_t)k * (size_t)w->width;
        const bool is_mean = w->kind == DLP_GATHER_MEAN && s.weight > 0;
        for (int32_t c = 0; c < w->width; c++) {
            if (is_mean)
                out[c] = (float)(s.values[c] / s.weight);
            else
                out[c] = s.particle >= 0 ? w->values[(size_t)s.particle * (size_t)w->width + (size_t)c] : NAN;
        }
    }
}

void dlp_gather_values(const dlp_gather *gather, dlp_gather_kind kind, const float *values, int32_t width,
                       const dlp_vec3 *places, int32_t place_count, dlp_team *team, float *out_values)
{
    assert(width >= 1 && width <= WIDTH_LIMIT);
    work w = {gather, kind, values, width, places, out_values};
    dlp_parallel_for(team, place_count, 1024, gather_places, &w);
}
