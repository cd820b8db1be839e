/* Particles that meet particles: of other bodies, and of their own where that is folded. Which of the pairs
 * that are near touch in this sub-step, and where their particles find what contacts ask of them. */
#include "motion/solid/solid_contact_wide.h"

#include <string.h>

enum { CHUNK = DLP_CONTACT_CHUNK, CHUNKS_AT_ONCE = 4, GRAIN = DLP_CONTACT_GRAIN, SCAN_GRAIN = 2048 };

// 1/s, in contact distances: planes that were too near when the sub-step began, while their particles were
// not as spheres, have come from the side. They are moved apart no faster than this, for that is work that
// nothing has done, and done again wherever the bodies pull back.
#define APART_RATE 1.0

// Who touches.

// q v q^-1 = v + 2 w (u x v) + 2 u x (u x v), u the vector part of q
static dlp_vec3 rotated(const float q[4], dlp_vec3 v)
{
    const dlp_vec3 u = dlp_vec((double)q[1], (double)q[2], (double)q[3]), across = dlp_cross(u, v);
    return dlp_along(dlp_along(v, across, 2 * (double)q[0]), dlp_cross(u, across), 2);
}

// A float's rounding of a place is less than a millionth of the way to it.
static dlp_solid_swept_sphere sphere_of(const dlp_solid_contact *t, int32_t k, dlp_vec3 half)
{
    const dlp_vec3 middle = dlp_sub(dlp_add(t->paths.from[k], half), t->paths.from[0]);
    const double length = dlp_length(half);
    const double rounding = fabs(middle.x) + fabs(middle.y) + fabs(middle.z) + length + t->layer.widest;
    return (dlp_solid_swept_sphere){(float)middle.x, (float)middle.y, (float)middle.z,
                                    (float)(length + 1e-6 * rounding)};
}

static void motion_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid *solid = ((const dlp_solid_pass *)context)->solid;
    const dlp_solid_contact *t = solid->contact;
    for (int32_t k = begin; k < end; k++) {
        if (!t->pairs.is_near[k]) continue;
        const int32_t i = t->layer.particle[k];
        const dlp_solid_facing at_rest = t->layer.rest_facing[k];
        const dlp_vec3 half = dlp_mul(dlp_sub(t->paths.to[k], t->paths.from[k]), 0.5);
        const dlp_vec3 facing = dlp_mul(
            rotated(solid->state.particles.rotation + 4 * (int64_t)i, at_rest.normal), at_rest.weight);
        t->paths.spheres[k] = sphere_of(t, k, half);
        t->paths.motions[k] = (dlp_solid_contact_motion){{(float)half.x, (float)half.y, (float)half.z},
                                                         solid->scratch.nodes[i].inverse_mass,
                                                         {(float)facing.x, (float)facing.y, (float)facing.z},
                                                         (float)at_rest.weight};
    }
}

static dlp_solid_test_pairs_fn *test_on_target(const dlp_solid *solid)
{
#if defined(DLP_HAVE_AVX2_PAIRS)
    if (solid->params.target == DLP_TARGET_AVX2) return dlp_solid_test_pairs_avx2;
#endif
    (void)solid;
    return dlp_solid_test_pairs_plain;
}

static void hit_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid *solid = ((const dlp_solid_pass *)context)->solid;
    const dlp_solid_contact *t = solid->contact;
    const dlp_solid_contact_pairs *pairs = &t->pairs;
    const dlp_solid_pair_view view = {t->paths.spheres, t->paths.motions, pairs->items};
    dlp_solid_test_pairs_fn *test = test_on_target(solid);
    for (int32_t chunk = begin; chunk < end; chunk++) {
        const int32_t first = chunk * pairs->chunk_capacity;
        assert(pairs->count[chunk] <= pairs->chunk_capacity);
        pairs->hit_count[chunk] = test(&view, first, first + pairs->count[chunk], pairs->hits + first);
    }
}

// Contacts.

static double friction_of(const dlp_solid *solid, int32_t first, int32_t second)
{
    const int32_t *substance = solid->state.particles.substance, *particle = solid->contact->layer.particle;
    const dlp_substance_def *substances = solid->params.scene->substances;
    return 0.5 * (substances[substance[particle[first]]].solid.friction +
                  substances[substance[particle[second]]].solid.friction);
}

// m: that the two keep along the normal; `from`: as they were when the sub-step began.
static double distance_of(const dlp_solid_pass *pass, const dlp_solid_pair *pair, dlp_vec3 from,
                          dlp_vec3 normal)
{
    const double distance = (double)pair->distance, start = dlp_dot(from, normal);
    const double level = distance * distance - (dlp_dot(from, from) - start * start);  // where spheres touch
    const double slow = start + APART_RATE * pass->step * distance;
    return fmin(distance, fmax(slow, level > 0 ? sqrt(level) : 0));
}

static void write3(float (*to)[DLP_LANES], int32_t lane, dlp_vec3 v)
{
    to[0][lane] = (float)v.x;
    to[1][lane] = (float)v.y;
    to[2][lane] = (float)v.z;
}

static void make_contact(const dlp_solid_pass *pass, const dlp_solid_contact_hit *hit, int32_t c)
{
    const dlp_solid_contact *t = pass->solid->contact;
    const dlp_solid_contact_paths *paths = &t->paths;
    const dlp_solid_pair *pair = &t->pairs.items[hit->pair];
    const int32_t i = pair->first, j = pair->second, lane = c % DLP_LANES;
    assert(i >= 0 && i < j && j < t->layer.count && c < t->contacts.count);
    const float first = paths->motions[i].inverse_mass, second = paths->motions[j].inverse_mass;
    const dlp_vec3 normal = dlp_vec((double)hit->normal[0], (double)hit->normal[1], (double)hit->normal[2]);
    const dlp_vec3 from = dlp_sub(paths->from[i], paths->from[j]), to = dlp_sub(paths->to[i], paths->to[j]);
    const dlp_vec3 displacement = dlp_sub(to, from);
    dlp_solid_contact_block *out = &t->contacts.blocks[c / DLP_LANES];
    out->particle[0][lane] = i;
    out->particle[1][lane] = j;
    write3(out->normal, lane, normal);
    out->friction[lane] = (float)friction_of(pass->solid, i, j);
    out->share[0][lane] = first / (first + second);
    out->share[1][lane] = second / (first + second);
    out->position.violation[lane] = (float)(distance_of(pass, pair, from, normal) - dlp_dot(to, normal));
    write3(out->position.slip, lane, dlp_along(displacement, normal, -dlp_dot(displacement, normal)));
    out->position.normal[lane] = 0;
    write3(out->position.friction, lane, dlp_vec(0, 0, 0));
}

static void contact_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_pass *pass = context;
    const dlp_solid_contact_pairs *pairs = &pass->solid->contact->pairs;
    for (int32_t chunk = begin; chunk < end; chunk++) {
        const dlp_solid_contact_hit *hits = pairs->hits + (int64_t)chunk * pairs->chunk_capacity;
        for (int32_t n = pairs->hit_begin[chunk]; n < pairs->hit_begin[chunk + 1]; n++)
            make_contact(pass, hits++, n);
    }
}

// Lanes beyond the last contact are empty, and tell the slot behind the last.
static void fill_last_block(dlp_solid_contact_blocks *all)
{
    const int32_t used = all->count % DLP_LANES;
    if (used == 0) return;
    dlp_solid_contact_block *last = &all->blocks[all->count / DLP_LANES];
    for (size_t row = 0; row < sizeof *last / sizeof last->factor; row++)
        memset((float *)last + row * DLP_LANES + used, 0, (size_t)(DLP_LANES - used) * sizeof(float));
    for (int32_t lane = used; lane < DLP_LANES; lane++)
        last->slot[0][lane] = last->slot[1][lane] = 2 * all->count;
}

// begin[k + 1] - begin[k] becomes count[k], begin[0] = 0; returns the sum of all.
static int32_t find_begins(dlp_team *team, const int32_t *counts, int32_t count, int32_t *out_begin)
{
    out_begin[0] = 0;
    dlp_parallel_copy(team, out_begin + 1, counts, (size_t)count * sizeof *counts);
    return dlp_parallel_scan(team, out_begin, count + 1);
}

static dlp_status list_contacts(dlp_solid_pass *pass, int32_t chunks, dlp_error *error)
{
    dlp_team *team = pass->solid->params.team;
    dlp_solid_contact *t = pass->solid->contact;
    const int32_t count = find_begins(team, t->pairs.hit_count, chunks, t->pairs.hit_begin);
    DLP_TRY(dlp_solid_contact_reserve(t, DLP_CONTACT_PER_BLOCK, count / DLP_LANES + 1, error));
    DLP_TRY(dlp_solid_contact_reserve(t, DLP_CONTACT_PER_SLOT, 2 * count + 1, error));
    t->contacts.count = count;
    dlp_parallel_for(team, chunks, CHUNKS_AT_ONCE, contact_range, pass);
    return DLP_OK;
}

// Whose contacts they are.

static void count_slots(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_contact *t = ((const dlp_solid_pass *)context)->solid->contact;
    for (int32_t c = begin; c < end; c++)
        for (int side = 0; side < 2; side++) {
            const int32_t k = t->contacts.blocks[c / DLP_LANES].particle[side][c % DLP_LANES];
            __atomic_fetch_add(&t->slots.waiting[k], 1, __ATOMIC_RELAXED);
        }
}

static int32_t select_active(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const dlp_solid_contact_slots *slots = &((const dlp_solid_pass *)context)->solid->contact->slots;
    int32_t count = 0;
    for (int32_t k = begin; k < end; k++) {
        if (slots->waiting[k] == 0) continue;
        if (out != NULL) out[count] = k;
        count++;
    }
    return count;
}

// Threads come to a particle in any order; its slots are sorted afterwards.
static void fill_slots(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_contact *t = ((const dlp_solid_pass *)context)->solid->contact;
    const dlp_solid_contact_slots *slots = &t->slots;
    for (int32_t c = begin; c < end; c++) {
        const dlp_solid_contact_block *at = &t->contacts.blocks[c / DLP_LANES];
        const int32_t lane = c % DLP_LANES;
        for (int side = 0; side < 2; side++) {
            const int32_t k = at->particle[side][lane];
            const int32_t left = __atomic_sub_fetch(&slots->waiting[k], 1, __ATOMIC_RELAXED);
            assert(left >= 0 && slots->begin[k] + left < slots->begin[k + 1]);
            slots->key[slots->begin[k] + left] = (int64_t)at->particle[1 - side][lane] << 32 | (2 * c + side);
        }
    }
}

static void list_by_particle(dlp_solid_pass *pass)
{
    dlp_team *team = pass->solid->params.team;
    dlp_solid_contact *t = pass->solid->contact;
    dlp_solid_contact_slots *slots = &t->slots;
    const int32_t count = t->layer.count;
    dlp_parallel_set(team, slots->waiting, 0, (size_t)count * sizeof *slots->waiting);
    dlp_parallel_for(team, t->contacts.count, GRAIN, count_slots, pass);
    slots->active_count = dlp_parallel_compact(team, count, SCAN_GRAIN, select_active, pass, slots->active);
    find_begins(team, slots->waiting, count, slots->begin);
    assert(slots->begin[count] == 2 * t->contacts.count);
    dlp_parallel_for(team, t->contacts.count, GRAIN, fill_slots, pass);
}

// Each list in the order of the others, so that sums do not depend on how contacts were found.
static void sort_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_contact *t = ((const dlp_solid_pass *)context)->solid->contact;
    const dlp_solid_contact_slots *slots = &t->slots;
    int64_t *key = slots->key;
    for (int32_t n = begin; n < end; n++) {
        const int32_t first = slots->begin[slots->active[n]], last = slots->begin[slots->active[n] + 1];
        for (int32_t at = first + 1; at < last; at++) {
            const int64_t moving = key[at];
            int32_t to = at;
            for (; to > first && key[to - 1] > moving; to--) key[to] = key[to - 1];
            key[to] = moving;
        }
        for (int32_t slot = first; slot < last; slot++) {
            const int32_t side = (int32_t)(key[slot] & 1), c = (int32_t)(key[slot] & INT32_MAX) / 2;
            t->contacts.blocks[c / DLP_LANES].slot[side][c % DLP_LANES] = slot;
        }
    }
}

// Equal for both, so that what one gets the other gives; together never more than is missing.
static void share_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_contact *t = ((const dlp_solid_pass *)context)->solid->contact;
    const int32_t *slot_begin = t->slots.begin;
    for (int32_t c = begin; c < end; c++) {
        dlp_solid_contact_block *at = &t->contacts.blocks[c / DLP_LANES];
        const int32_t i = at->particle[0][c % DLP_LANES], j = at->particle[1][c % DLP_LANES];
        const int32_t first = slot_begin[i + 1] - slot_begin[i], second = slot_begin[j + 1] - slot_begin[j];
        at->factor[c % DLP_LANES] = 1.0f / (float)(first > second ? first : second);
    }
}

dlp_status dlp_solid_contact_find_hits(dlp_solid_pass *pass, dlp_error *error)
{
    dlp_team *team = pass->solid->params.team;
    dlp_solid_contact *t = pass->solid->contact;
    const int32_t chunks = (t->layer.count + CHUNK - 1) / CHUNK;
    dlp_parallel_for(team, t->layer.count, GRAIN, motion_range, pass);
    dlp_parallel_for(team, chunks, CHUNKS_AT_ONCE, hit_range, pass);
    DLP_TRY(list_contacts(pass, chunks, error));
    list_by_particle(pass);
    dlp_parallel_for(team, t->slots.active_count, GRAIN, sort_range, pass);
    dlp_parallel_for(team, t->contacts.count, GRAIN, share_range, pass);
    fill_last_block(&t->contacts);
    return DLP_OK;
}
