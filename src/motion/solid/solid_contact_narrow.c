/* Particles that meet particles: of other bodies, and of their own where that is folded. Which of the pairs
 * that are near touch in this sub-step, and where their particles find what contacts ask of them. */
#include "motion/solid/solid_contact.h"

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
    const dlp_vec3 middle = dlp_sub(dlp_add(t->from[k], half), t->from[0]);
    const double length = dlp_length(half);
    const double rounding = fabs(middle.x) + fabs(middle.y) + fabs(middle.z) + length + t->widest;
    return (dlp_solid_swept_sphere){(float)middle.x, (float)middle.y, (float)middle.z,
                                    (float)(length + 1e-6 * rounding)};
}

static void motion_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid *solid = ((const dlp_solid_pass *)context)->solid;
    dlp_solid_contact *t = solid->contact;
    for (int32_t k = begin; k < end; k++) {
        if (!t->is_near[k]) continue;
        const int32_t i = t->contact_layer[k];
        const double weight = t->rest_facing[k].weight;
        const dlp_vec3 half = dlp_mul(dlp_sub(t->to[k], t->from[k]), 0.5);
        const dlp_vec3 facing = dlp_mul(
            rotated(solid->state.particles.rotation + 4 * (int64_t)i, t->rest_facing[k].normal), weight);
        t->spheres[k] = sphere_of(t, k, half);
        t->motions[k] = (dlp_solid_contact_motion){{(float)half.x, (float)half.y, (float)half.z},
                                                   solid->scratch.nodes[i].inverse_mass,
                                                   {(float)facing.x, (float)facing.y, (float)facing.z},
                                                   (float)weight};
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
    dlp_solid_contact *t = solid->contact;
    const dlp_solid_pair_view view = {t->spheres, t->motions, t->pairs};
    dlp_solid_test_pairs_fn *test = test_on_target(solid);
    for (int32_t chunk = begin; chunk < end; chunk++) {
        const int32_t first = chunk * t->chunk_capacity;
        t->hit_begin[chunk] = test(&view, first, first + t->pair_count[chunk], t->hits + first);  // as yet
    }
}

// Contacts.

static double friction_of(const dlp_solid *solid, int32_t first, int32_t second)
{
    const int32_t *substance = solid->state.particles.substance,
                  *contact_layer = solid->contact->contact_layer;
    return 0.5 * (solid->params.scene->substances[substance[contact_layer[first]]].solid.friction +
                  solid->params.scene->substances[substance[contact_layer[second]]].solid.friction);
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
    const dlp_solid_pair *pair = &t->pairs[hit->pair];
    const int32_t i = pair->first, j = pair->second, lane = c % DLP_LANES;
    const float first = t->motions[i].inverse_mass, second = t->motions[j].inverse_mass;
    const dlp_vec3 normal = dlp_vec((double)hit->normal[0], (double)hit->normal[1], (double)hit->normal[2]);
    const dlp_vec3 from = dlp_sub(t->from[i], t->from[j]), to = dlp_sub(t->to[i], t->to[j]);
    const dlp_vec3 displacement = dlp_sub(to, from);
    dlp_solid_contact_block *out = &t->contacts.blocks[c / DLP_LANES];
    out->particle[0][lane] = i;
    out->particle[1][lane] = j;
    write3(out->normal, lane, normal);
    out->violation[lane] = (float)(distance_of(pass, pair, from, normal) - dlp_dot(to, normal));
    write3(out->slip, lane, dlp_along(displacement, normal, -dlp_dot(displacement, normal)));
    out->friction[lane] = (float)friction_of(pass->solid, i, j);
    out->share[0][lane] = first / (first + second);
    out->share[1][lane] = second / (first + second);
    out->normal_impulse[lane] = 0;
    write3(out->friction_impulse, lane, dlp_vec(0, 0, 0));
}

static void contact_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_pass *pass = context;
    const dlp_solid_contact *t = pass->solid->contact;
    for (int32_t chunk = begin; chunk < end; chunk++) {
        const dlp_solid_contact_hit *hits = t->hits + (int64_t)chunk * t->chunk_capacity;
        for (int32_t n = t->hit_begin[chunk]; n < t->hit_begin[chunk + 1]; n++) make_contact(pass, hits++, n);
    }
}

// Lanes beyond the last contact are empty, and tell the slot behind the last.
static void fill_last_block(dlp_solid_contact_blocks *all)
{
    const int32_t used = all->count % DLP_LANES;
    if (used == 0) return;
    dlp_solid_contact_block *last = &all->blocks[all->count / DLP_LANES];
    for (size_t row = 0; row < sizeof *last / sizeof last->normal_impulse; row++)
        memset((float *)last + row * DLP_LANES + used, 0, (size_t)(DLP_LANES - used) * sizeof(float));
    for (int32_t lane = used; lane < DLP_LANES; lane++)
        last->slot[0][lane] = last->slot[1][lane] = 2 * all->count;
}

static dlp_status list_contacts(dlp_solid_pass *pass, int32_t chunks, dlp_error *error)
{
    dlp_solid_contact *t = pass->solid->contact;
    dlp_solid_contact_blocks *all = &t->contacts;
    int32_t count = 0;
    for (int32_t chunk = 0; chunk <= chunks; chunk++) {
        const int32_t here = chunk < chunks ? t->hit_begin[chunk] : 0;
        t->hit_begin[chunk] = count;
        count += here;
    }
    const int32_t slots = 2 * count;
    DLP_TRY(dlp_reserve(&all->blocks, &all->block_capacity, count / DLP_LANES + 1, sizeof *all->blocks,
                        "solids", error));
    DLP_TRY(dlp_reserve(&all->corrections, &all->correction_capacity, slots + 1, sizeof *all->corrections,
                        "solids", error));
    DLP_TRY(dlp_reserve(&all->displacement_corrections, &all->displacement_capacity, slots + 1,
                        sizeof *all->displacement_corrections, "solids", error));
    DLP_TRY(dlp_reserve(&t->slot_key, &t->slot_key_capacity, slots, sizeof *t->slot_key, "solids", error));
    all->count = count;
    dlp_parallel_for(pass->solid->params.team, chunks, CHUNKS_AT_ONCE, contact_range, pass);
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
            __atomic_fetch_add(&t->begin[k], 1, __ATOMIC_RELAXED);
        }
}

static int32_t select_active(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const dlp_solid_contact *t = ((const dlp_solid_pass *)context)->solid->contact;
    int32_t count = 0;
    for (int32_t k = begin; k < end; k++) {
        if (t->begin[k] == 0) continue;
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
    for (int32_t c = begin; c < end; c++) {
        const dlp_solid_contact_block *at = &t->contacts.blocks[c / DLP_LANES];
        const int32_t lane = c % DLP_LANES;
        for (int side = 0; side < 2; side++) {
            const int32_t slot = __atomic_sub_fetch(&t->begin[at->particle[side][lane]], 1, __ATOMIC_RELAXED);
            t->slot_key[slot] = (int64_t)at->particle[1 - side][lane] << 32 | (2 * c + side);
        }
    }
}

// Counts, first places, places, as the candidates in their cells.
static void list_by_particle(dlp_solid_pass *pass)
{
    dlp_team *team = pass->solid->params.team;
    dlp_solid_contact *t = pass->solid->contact;
    dlp_parallel_set(team, t->begin, 0, ((size_t)t->layer_count + 1) * sizeof *t->begin);
    dlp_parallel_for(team, t->contacts.count, GRAIN, count_slots, pass);
    t->active_count = dlp_parallel_compact(team, t->layer_count, SCAN_GRAIN, select_active, pass, t->active);
    dlp_parallel_scan(team, t->begin, t->layer_count + 1);
    dlp_parallel_for(team, t->contacts.count, GRAIN, fill_slots, pass);
}

// Each list in the order of the others, so that sums do not depend on how contacts were found.
static void sort_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_solid_contact *t = ((const dlp_solid_pass *)context)->solid->contact;
    for (int32_t n = begin; n < end; n++) {
        const int32_t first = t->begin[t->active[n]], last = t->begin[t->active[n] + 1];
        for (int32_t at = first + 1; at < last; at++) {
            const int64_t moving = t->slot_key[at];
            int32_t to = at;
            for (; to > first && t->slot_key[to - 1] > moving; to--) t->slot_key[to] = t->slot_key[to - 1];
            t->slot_key[to] = moving;
        }
        for (int32_t slot = first; slot < last; slot++) {
            const int32_t side = (int32_t)(t->slot_key[slot] & 1),
                          c = (int32_t)(t->slot_key[slot] & INT32_MAX) / 2;
            t->contacts.blocks[c / DLP_LANES].slot[side][c % DLP_LANES] = slot;
        }
    }
}

// Equal for both, so that what one gets the other gives; together never more than is missing.
static void share_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_solid_contact *t = ((const dlp_solid_pass *)context)->solid->contact;
    for (int32_t c = begin; c < end; c++) {
        dlp_solid_contact_block *at = &t->contacts.blocks[c / DLP_LANES];
        const int32_t i = at->particle[0][c % DLP_LANES], j = at->particle[1][c % DLP_LANES];
        const int32_t first = t->begin[i + 1] - t->begin[i], second = t->begin[j + 1] - t->begin[j];
        at->factor[c % DLP_LANES] = 1.0f / (float)(first > second ? first : second);
    }
}

dlp_status dlp_solid_contact_find_hits(dlp_solid_pass *pass, dlp_error *error)
{
    dlp_solid *solid = pass->solid;
    dlp_solid_contact *t = solid->contact;
    const int32_t chunks = (t->layer_count + CHUNK - 1) / CHUNK;
    dlp_parallel_for(solid->params.team, t->layer_count, GRAIN, motion_range, pass);
    dlp_parallel_for(solid->params.team, chunks, CHUNKS_AT_ONCE, hit_range, pass);
    DLP_TRY(list_contacts(pass, chunks, error));
    list_by_particle(pass);
    dlp_parallel_for(solid->params.team, t->active_count, GRAIN, sort_range, pass);
    dlp_parallel_for(solid->params.team, t->contacts.count, GRAIN, share_range, pass);
    fill_last_block(&t->contacts);
    return DLP_OK;
}
