#include "motion/sph/particles.h"

#include <assert.h>
#include <string.h>

enum { GRAIN = 2048 };

dlp_status dlp_particles_reserve(dlp_particles *particles, int32_t count, dlp_error *error)
{
    if (count <= particles->capacity) return DLP_OK;
    int32_t capacity = particles->capacity;
#define X(name, type, dlp, components, when)                                                                 \
    if (dlp_particles_have(particles, when)) {                                                               \
        capacity = particles->capacity;                                                                      \
        DLP_TRY(                                                                                             \
            dlp_reserve(&particles->name, &capacity, count, components * sizeof(type), "particles", error)); \
    }
    DLP_SPH_FIELDS(X)
#undef X
    particles->capacity = capacity;
    return DLP_OK;
}

void dlp_particles_release(dlp_particles *particles)
{
#define X(name, type, dlp, components, when) dlp_free(particles->name);
    DLP_SPH_FIELDS(X)
#undef X
    *particles = (dlp_particles){.kept = particles->kept};
}

typedef struct permutation {
    const int32_t *order;
    char *field, *scratch;
    size_t size;
    int32_t limit;  // of what stands in `order`
} permutation;

static void gather_items(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const permutation *p = context;
    for (int32_t k = begin; k < end; k++) {
        assert(p->order[k] >= 0 && p->order[k] < p->limit);
        memcpy(p->scratch + (size_t)k * p->size, p->field + (size_t)p->order[k] * p->size, p->size);
    }
}

static void copy_back(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const permutation *p = context;
    memcpy(p->field + (size_t)begin * p->size, p->scratch + (size_t)begin * p->size,
           (size_t)(end - begin) * p->size);
}

static void permute_field(void *field, size_t size, int32_t count, const int32_t *order, void *scratch,
                          dlp_team *team)
{
    permutation p = {order, field, scratch, size, count};
    dlp_parallel_for(team, count, GRAIN, gather_items, &p);
    dlp_parallel_for(team, count, GRAIN, copy_back, &p);
}

void dlp_particles_permute(dlp_particles *particles, const int32_t *order, void *scratch, dlp_team *team)
{
#define X(name, type, dlp, components, when)                                                                 \
    if (dlp_particles_have(particles, when))                                                                 \
        permute_field(particles->name, components * sizeof(type), particles->count, order, scratch, team);
    DLP_SPH_FIELDS(X)
#undef X
}

void dlp_particles_keep(dlp_particles *particles, const uint8_t *is_kept)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < particles->count; i++) {
        if (!is_kept[i]) continue;
        if (kept != i) {
#define X(name, type, dlp, components, when)                                                                 \
    if (dlp_particles_have(particles, when))                                                                 \
        memcpy(particles->name + (size_t)components * (size_t)kept,                                          \
               particles->name + (size_t)components * (size_t)i, components * sizeof(type));
            DLP_SPH_FIELDS(X)
#undef X
        }
        kept++;
    }
    particles->count = kept;
}

// Before this place nobody moves.
static int32_t first_moved(const int32_t *order, int32_t count)
{
    int32_t low = 0, high = count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        *(order[middle] == middle ? &low : &high) = middle + (order[middle] == middle);
    }
    return low;
}

void dlp_particles_keep_listed(dlp_particles *particles, const int32_t *order, int32_t count, void *scratch,
                               size_t scratch_bytes, dlp_team *team)
{
    const size_t room = scratch_bytes / DLP_PARTICLE_LARGEST_FIELD;
    assert(room > 0 && count <= particles->count);
    for (int32_t k = 1; k < count; k++) assert(order[k - 1] < order[k]);
    // nobody moves up, so what is written lies below all that is still to be read
    for (int32_t begin = first_moved(order, count); begin < count;) {
        const int32_t at_once = (size_t)(count - begin) < room ? count - begin : (int32_t)room;
#define X(name, type, dlp, components, when)                                                                 \
    if (dlp_particles_have(particles, when)) {                                                               \
        permutation p = {order + begin, (char *)particles->name, scratch, components * sizeof(type),         \
                         particles->count};                                                                  \
        dlp_parallel_for(team, at_once, GRAIN, gather_items, &p);                                            \
        p.field += (size_t)begin * p.size;                                                                   \
        dlp_parallel_for(team, at_once, GRAIN, copy_back, &p);                                               \
    }
        DLP_SPH_FIELDS(X)
#undef X
        begin += at_once;
    }
    particles->count = count;
}

void dlp_particles_manifest(const dlp_particles *particles, dlp_manifest *manifest)
{
#define X(name, type, dlp, components, when)                                                                 \
    if (dlp_particles_have(particles, when))                                                                 \
        dlp_manifest_add(manifest,                                                                           \
                         (dlp_manifest_item){"particles/" #name, dlp, components, particles->count,          \
                                             particles->name, DLP_COUNT_PARTICLES, 0});
    DLP_SPH_FIELDS(X)
#undef X
}
