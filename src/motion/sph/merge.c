/* Merging: the calm inside is tiled by groups of neighbours, and each becomes one particle. Seeds are spread
 * so that there is one for about seven candidates; every candidate joins the nearest, so the groups are
 * compact and hardly anybody is left over.  [desbrun1999, sec. 4.2] */
#include "motion/sph/adapt.h"
#include "motion/sph/sph_heat.h"

#include <string.h>

// In spacings of the candidates: seeds are at least this far from one another.
#define SEED_DISTANCE 1.68
// A member is no farther than this from the centre of its group.
#define JOIN_DISTANCE 1.7
// A group's inertia: det I over (tr I / 3)^3, which is 1 for a sphere.
#define LEAST_ROUNDNESS 0.8

enum { BALANCE_PASSES = 12 };

// Items at once: those that look at their neighbours, and those that are only looked at.
enum { GRAIN = 256, SCAN_GRAIN = 1024, MERGE_GRAIN = 16 };

// In `owner`: of nobody, and of a candidate that may yet become a seed.
enum { NOBODY = -1, UNDECIDED = -2 };

static double spacing_of(const dlp_sph *sph, int32_t i)
{
    return (double)dlp_particle_h(sph, i) / dlp_sph_definition(sph->scene, 0)->smoothing;
}

static bool is_candidate(const dlp_sph *sph, int32_t i)
{
    return sph->scratch.adapt.plan[i] == DLP_PLAN_MERGE;
}

static bool are_alike(const dlp_sph *sph, int32_t i, int32_t j)
{
    return sph->state.particles.substance[i] == sph->state.particles.substance[j] &&
           dlp_particle_level(sph, i) == dlp_particle_level(sph, j);
}

// Owners are read while others are written; no answer depends on which is seen.
static int32_t owner_of(const dlp_sph *sph, int32_t i)
{
    return __atomic_load_n(&sph->scratch.adapt.owner[i], __ATOMIC_RELAXED);
}

static void set_owner(const dlp_sph *sph, int32_t i, int32_t owner)
{
    __atomic_store_n(&sph->scratch.adapt.owner[i], owner, __ATOMIC_RELAXED);
}

static bool is_seed(const dlp_sph *sph, int32_t i)
{
    return owner_of(sph, i) == i;
}

// The displacement from i to the centre of a seed's group.
static dlp_vec3 centre_from(const dlp_sph *sph, int32_t i, int32_t seed)
{
    const float *centre = sph->scratch.adapt.centre + 3 * (int64_t)seed;
    return dlp_add(dlp_sph_offset(sph, i, seed),
                   dlp_vec((double)centre[0], (double)centre[1], (double)centre[2]));
}

// The nearest seed that i may join, by the centre of its group; -1 for none within reach.
static int32_t nearest_seed(const dlp_sph *sph, int32_t i, double within)
{
    const dlp_neighbour_list near_i = dlp_sph_neighbours(sph, i);
    int32_t best = -1;
    double least = within * within;
    for (int32_t n = -1; n < near_i.middle; n++) {
        const int32_t j = n < 0 ? i : near_i.entries[n];
        if (j >= sph->scratch.adapt.plan_count || !is_candidate(sph, j) || !is_seed(sph, j) ||
            !are_alike(sph, i, j))
            continue;
        const dlp_vec3 displacement = centre_from(sph, i, j);
        const double square =
            dlp_dot(displacement, displacement) + (double)sph->scratch.adapt.distance_bias[j];
        if (square < least) {
            least = square;
            best = j;
        }
    }
    return best;
}

static void start_owners(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    dlp_adapt_scratch *scratch = &sph->scratch.adapt;
    for (int32_t i = begin; i < end; i++) scratch->owner[i] = is_candidate(sph, i) ? UNDECIDED : NOBODY;
    memset(scratch->centre + 3 * (int64_t)begin, 0, (size_t)(end - begin) * 3 * sizeof(float));
    memset(scratch->distance_bias + begin, 0, (size_t)(end - begin) * sizeof(float));
}

// What a candidate becomes: itself where nobody before it and near it is a seed, NOBODY where somebody is,
// UNDECIDED where that is not known yet.
static int32_t decide(const dlp_sph *sph, int32_t i)
{
    const dlp_neighbour_list near_i = dlp_sph_neighbours(sph, i);
    const double within = SEED_DISTANCE * spacing_of(sph, i);
    int32_t verdict = i;
    for (int32_t n = 0; n < near_i.middle && near_i.entries[n] < i; n++) {
        const int32_t j = near_i.entries[n], owner = owner_of(sph, j);
        if (owner == NOBODY || !are_alike(sph, i, j)) continue;
        const dlp_vec3 displacement = dlp_sph_offset(sph, i, j);
        if (!(dlp_dot(displacement, displacement) < within * within)) continue;
        if (owner == j) return NOBODY;
        verdict = UNDECIDED;
    }
    return verdict;
}

static void decide_range(void *context, int32_t begin, int32_t end, void *result)
{
    const dlp_sph *sph = context;
    int64_t *undecided = result;
    for (int32_t i = begin; i < end; i++) {
        if (owner_of(sph, i) != UNDECIDED) continue;
        set_owner(sph, i, decide(sph, i));
        *undecided += owner_of(sph, i) == UNDECIDED;
    }
}

// In the order of the particles, which is that of space: who has no seed near becomes one. A thread goes as
// far as what it knows allows; what depends on others is looked at again. One thread needs one turn.
static void choose_seeds(dlp_sph *sph)
{
    dlp_parallel_for(sph->team, sph->scratch.adapt.plan_count, SCAN_GRAIN, start_owners, sph);
    for (int64_t undecided = 1; undecided > 0;) {
        undecided = 0;
        const dlp_reduction deciding = {decide_range, dlp_combine_sum_int64, sph, sizeof undecided};
        dlp_parallel_reduce(sph->team, sph->scratch.adapt.plan_count, SCAN_GRAIN, &deciding, &undecided);
    }
}

// Every candidate joins the nearest group; a seed keeps its own.
static void join_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_sph *sph = context;
    for (int32_t i = begin; i < end; i++)
        if (is_candidate(sph, i) && !is_seed(sph, i))
            set_owner(sph, i, nearest_seed(sph, i, JOIN_DISTANCE * spacing_of(sph, i)));
}

// A group that is too large seems farther away the next time, one that is too small nearer: sizes even out.
static void balance_group(dlp_sph *sph, int32_t seed)
{
    dlp_adapt_scratch *scratch = &sph->scratch.adapt;
    const dlp_group_size size = dlp_group_size_of(sph->scene->dimension);
    const double wanted = 0.5 * (size.least + size.most);
    const double spacing = spacing_of(sph, seed), limit = 0.5 * spacing * spacing;
    const double distance_bias = (double)scratch->distance_bias[seed] +
                                 0.12 * (scratch->group_size[seed] - wanted) / wanted * spacing * spacing;
    scratch->distance_bias[seed] = (float)fmin(fmax(distance_bias, -limit), limit);
}

// The groups' members, group after group. Threads come to a group in any order, so it is sorted afterwards.

static void count_members(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_adapt_scratch *scratch = &((const dlp_sph *)context)->scratch.adapt;
    for (int32_t i = begin; i < end; i++)
        if (scratch->owner[i] >= 0)
            __atomic_fetch_add(&scratch->group_size[scratch->owner[i]], 1, __ATOMIC_RELAXED);
}

typedef struct member_pass {
    dlp_sph *sph;
    int32_t used;  // of `members`
} member_pass;

static void give_places(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    member_pass *pass = context;
    const dlp_adapt_scratch *scratch = &pass->sph->scratch.adapt;
    int32_t count = 0;
    for (int32_t i = begin; i < end; i++) count += scratch->group_size[i];
    int32_t place = __atomic_fetch_add(&pass->used, count, __ATOMIC_RELAXED);
    for (int32_t i = begin; i < end; i++) {
        scratch->member_end[i] = place;  // it goes on to the end as members come in
        place += scratch->group_size[i];
    }
}

static void list_members(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_adapt_scratch *scratch = &((const dlp_sph *)context)->scratch.adapt;
    for (int32_t i = begin; i < end; i++) {
        if (scratch->owner[i] < 0) continue;
        scratch->members[__atomic_fetch_add(&scratch->member_end[scratch->owner[i]], 1, __ATOMIC_RELAXED)] =
            i;
    }
}

static void sort_ascending(int32_t *items, int32_t count)
{
    for (int32_t k = 1; k < count; k++) {
        const int32_t moved = items[k];
        int32_t to = k;
        for (; to > 0 && items[to - 1] > moved; to--) items[to] = items[to - 1];
        items[to] = moved;
    }
}

// Moves the centre of a group to the mean of its members.
static void find_centre(dlp_sph *sph, int32_t seed)
{
    const dlp_adapt_scratch *scratch = &sph->scratch.adapt;
    const int32_t count = scratch->group_size[seed];
    int32_t *members = scratch->members + scratch->member_end[seed] - count;
    float centre[3] = {0, 0, 0};
    sort_ascending(members, count);
    for (int32_t n = 0; n < count; n++) {
        const dlp_vec3 displacement = dlp_sph_offset(sph, seed, members[n]);
        centre[0] += (float)displacement.x;
        centre[1] += (float)displacement.y;
        centre[2] += (float)displacement.z;
    }
    for (int axis = 0; axis < 3; axis++)
        scratch->centre[3 * (int64_t)seed + axis] = centre[axis] / (float)count;
}

static void update_groups(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    for (int32_t i = begin; i < end; i++) {
        if (!is_seed(sph, i)) continue;
        find_centre(sph, i);
        balance_group(sph, i);
    }
}

static void balance_groups(dlp_sph *sph)
{
    dlp_adapt_scratch *scratch = &sph->scratch.adapt;
    const int32_t count = scratch->plan_count;
    member_pass pass = {.sph = sph};
    dlp_parallel_for(sph->team, count, GRAIN, join_range, sph);
    dlp_parallel_set(sph->team, scratch->group_size, 0, (size_t)count * sizeof *scratch->group_size);
    dlp_parallel_for(sph->team, count, SCAN_GRAIN, count_members, sph);
    dlp_parallel_for(sph->team, count, SCAN_GRAIN, give_places, &pass);
    dlp_parallel_for(sph->team, count, SCAN_GRAIN, list_members, sph);
    dlp_parallel_for(sph->team, count, GRAIN, update_groups, sph);
}

static bool is_leftover(const dlp_sph *sph, int32_t i)
{
    const dlp_adapt_scratch *scratch = &sph->scratch.adapt;
    const int32_t owner = scratch->owner[i], most = dlp_group_size_of(sph->scene->dimension).most;
    return is_candidate(sph, i) && !is_seed(sph, i) && !(owner >= 0 && scratch->group_size[owner] <= most);
}

static int32_t select_leftover(void *context, int32_t begin, int32_t end, int32_t *out)
{
    int32_t count = 0;
    for (int32_t i = begin; i < end; i++) {
        if (!is_leftover(context, i)) continue;
        if (out != NULL) out[count] = i;
        count++;
    }
    return count;
}

// Goes to a group near that has room.
static void place_one(dlp_sph *sph, int32_t i)
{
    dlp_adapt_scratch *scratch = &sph->scratch.adapt;
    const int32_t most = dlp_group_size_of(sph->scene->dimension).most;
    if (scratch->owner[i] >= 0) scratch->group_size[scratch->owner[i]]--;
    scratch->owner[i] = NOBODY;
    const dlp_neighbour_list near_i = dlp_sph_neighbours(sph, i);
    for (int32_t n = 0; n < near_i.middle; n++) {
        const int32_t j = near_i.entries[n];
        if (j >= scratch->plan_count || !is_candidate(sph, j) || !is_seed(sph, j) ||
            scratch->group_size[j] >= most)
            continue;
        if (are_alike(sph, i, j) && dlp_length(centre_from(sph, i, j)) < JOIN_DISTANCE * spacing_of(sph, i)) {
            scratch->owner[i] = j;
            scratch->group_size[j]++;
            break;
        }
    }
}

// Whoever a full group cannot take is placed elsewhere, one after another: groups only get fuller up to their
// limit, so nobody becomes a leftover who was none.
static void place_leftover(dlp_sph *sph)
{
    dlp_adapt_scratch *scratch = &sph->scratch.adapt;
    int32_t *leftovers = scratch->worklist;
    const int32_t count =
        dlp_parallel_compact(sph->team, scratch->plan_count, SCAN_GRAIN, select_leftover, sph, leftovers);
    for (int32_t k = 0; k < count; k++)
        if (is_leftover(sph, leftovers[k])) place_one(sph, leftovers[k]);
}

enum { MEMBER_LIMIT = 64 };

typedef struct group {
    int32_t count;
    int32_t member[MEMBER_LIMIT];
    dlp_vec3 offset[MEMBER_LIMIT];  // m, from the seed
} group;

// The members, nearest to the centre first and no more than may merge.
static group collect(const dlp_sph *sph, int32_t seed)
{
    const dlp_neighbour_list near_seed = dlp_sph_neighbours(sph, seed);
    const int32_t most = dlp_group_size_of(sph->scene->dimension).most;
    const float *c = sph->scratch.adapt.centre + 3 * (int64_t)seed;
    const dlp_vec3 centre = dlp_vec((double)c[0], (double)c[1], (double)c[2]);
    double distance[MEMBER_LIMIT];
    group g = {0};
    for (int32_t n = -1; n < near_seed.middle; n++) {
        const int32_t j = n < 0 ? seed : near_seed.entries[n];
        if (j >= sph->scratch.adapt.plan_count || owner_of(sph, j) != seed || g.count == MEMBER_LIMIT)
            continue;
        const dlp_vec3 offset = dlp_sph_offset(sph, seed, j), displacement = dlp_sub(offset, centre);
        const double square = dlp_dot(displacement, displacement);
        int32_t place = g.count++;
        for (; place > 0 && distance[place - 1] > square; place--) {
            distance[place] = distance[place - 1];
            g.member[place] = g.member[place - 1];
            g.offset[place] = g.offset[place - 1];
        }
        distance[place] = square;
        g.member[place] = j;
        g.offset[place] = offset;
    }
    if (g.count > most) g.count = most;
    return g;
}

static double group_mass(const dlp_sph *sph, const group *g)
{
    double units = 0;
    for (int32_t n = 0; n < g->count; n++) units += sph->state.particles.units[g->member[n]];
    return units;
}

static dlp_vec3 group_centre(const dlp_sph *sph, const group *g)
{
    const double mass = group_mass(sph, g);
    dlp_vec3 centre = dlp_vec(0, 0, 0);
    for (int32_t n = 0; n < g->count; n++)
        centre = dlp_along(centre, g->offset[n], sph->state.particles.units[g->member[n]] / mass);
    return centre;
}

// (tr I / 3)^3 = det I only where all three moments of inertia are alike.  [desbrun1999, eq. 14]
static double roundness(const dlp_sph *sph, const group *g)
{
    const dlp_vec3 centre = group_centre(sph, g);
    double xx = 0, yy = 0, zz = 0, xy = 0, yz = 0, zx = 0;
    for (int32_t n = 0; n < g->count; n++) {
        const dlp_vec3 d = dlp_sub(g->offset[n], centre);
        const double m = sph->state.particles.units[g->member[n]];
        xx += m * d.x * d.x;
        yy += m * d.y * d.y;
        zz += m * d.z * d.z;
        xy += m * d.x * d.y;
        yz += m * d.y * d.z;
        zx += m * d.z * d.x;
    }
    if (sph->scene->dimension == 2) return (xx * yy - xy * xy) / (0.25 * (xx + yy) * (xx + yy));
    const double a = yy + zz, b = xx + zz, c = xx + yy, mean = (a + b + c) / 3;
    const double det = a * (b * c - yz * yz) - xy * (xy * c + yz * zx) - zx * (xy * yz + b * zx);
    return det / (mean * mean * mean);
}

// One particle of the members' mass, in their centre, with their momentum and volume.
static void put_merged(dlp_sph *sph, const group *g, int32_t to)
{
    dlp_particles *p = &sph->state.particles;
    const double mass = group_mass(sph, g);
    dlp_vec3 v = dlp_vec(0, 0, 0), moved = dlp_vec(0, 0, 0);
    double volume = 0;
    for (int32_t n = 0; n < g->count; n++) {
        const int32_t j = g->member[n];
        const float *packed = dlp_sph_packed(sph, j), *d = p->displacement + 3 * (int64_t)j;
        const double share = p->units[j] / mass;
        v = dlp_along(v, dlp_sph_predicted_velocity(sph, j), share);
        moved = dlp_along(moved, dlp_vec((double)d[0], (double)d[1], (double)d[2]), share);
        volume += share * (double)(packed[DLP_PACKED_VOLUME] / packed[DLP_PACKED_VOLUME0]);
        sph->scratch.adapt.is_kept[j] = 0;
    }
    const dlp_vec3 x =
        dlp_add(dlp_sph_predicted_position(sph, g->member[0]), dlp_sub(group_centre(sph, g), g->offset[0]));
    const int64_t i = to;
    assert(mass >= 1 && mass <= DLP_UNITS_LIMIT);
    dlp_sph_put_like(sph, g->member[0], to);
    if (dlp_sph_has_heat(sph)) p->temperature[i] = dlp_heat_mix(sph, g->member, g->count);
    p->units[i] = (int32_t)mass;
    p->compression[i] = (float)(1 / volume);
    for (int axis = 0; axis < 3; axis++) {
        p->position[3 * i + axis] = dlp_component(x, axis);
        p->velocity[3 * i + axis] = (float)dlp_component(v, axis);
        p->displacement[3 * i + axis] = (float)dlp_component(moved, axis);
    }
    dlp_sph_request_density(sph, to, p->compression[i]);
}

// Whether the groups may merge: in `group_size` of each seed. The members of one that may not are free.
static void classify_groups(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_sph *sph = context;
    const int32_t least = dlp_group_size_of(sph->scene->dimension).least;
    for (int32_t seed = begin; seed < end; seed++) {
        if (sph->scratch.adapt.group_size[seed] == 0) continue;  // every seed is in its own group
        const group g = collect(sph, seed);
        if (g.count >= least && !(roundness(sph, &g) < LEAST_ROUNDNESS)) continue;
        sph->scratch.adapt.group_size[seed] = 0;
        for (int32_t n = 0; n < g.count; n++) set_owner(sph, g.member[n], NOBODY);
    }
}

static int32_t select_groups(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const int32_t *size = ((const dlp_sph *)context)->scratch.adapt.group_size;
    int32_t count = 0;
    for (int32_t i = begin; i < end; i++) {
        if (size[i] == 0) continue;
        if (out != NULL) out[count] = i;
        count++;
    }
    return count;
}

static void merge_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    for (int32_t k = begin; k < end; k++) {
        const group g = collect(sph, sph->scratch.adapt.worklist[k]);
        put_merged(sph, &g, sph->state.particles.count + k);
    }
}

static void merge_groups(dlp_sph *sph)
{
    dlp_adapt_scratch *scratch = &sph->scratch.adapt;
    int32_t *seeds = scratch->worklist;
    dlp_parallel_for(sph->team, scratch->plan_count, GRAIN, classify_groups, sph);
    const int32_t count =
        dlp_parallel_compact(sph->team, scratch->plan_count, SCAN_GRAIN, select_groups, sph, seeds);
    dlp_parallel_for(sph->team, count, MERGE_GRAIN, merge_range, sph);
    dlp_sph_take_new(sph, count);
    sph->state.counts.merges += count;
}

// The nearest particle of the next level that has room for one more; -1 for none.
static int32_t find_host(const dlp_sph *sph, int32_t i)
{
    const dlp_particles *p = &sph->state.particles;
    const int32_t d = sph->scene->dimension, level = dlp_particle_level(sph, i) + 1;
    const dlp_neighbour_list near_i = dlp_sph_neighbours(sph, i);
    const int32_t most = (int32_t)pow(dlp_group_size_of(d).most, level);
    int32_t best = -1;
    double least = 1e30;
    for (int32_t n = 0; n < near_i.middle; n++) {
        const int32_t j = near_i.entries[n];
        if (j >= sph->scratch.adapt.plan_count || p->substance[j] != p->substance[i] ||
            !sph->scratch.adapt.is_kept[j])
            continue;
        if (dlp_particle_level(sph, j) != level || p->units[j] + p->units[i] > most) continue;
        if (sph->scratch.adapt.plan[j] == DLP_PLAN_SPLIT) continue;
        const dlp_vec3 displacement = dlp_sph_offset(sph, i, j);
        if (dlp_dot(displacement, displacement) < least) {
            least = dlp_dot(displacement, displacement);
            best = j;
        }
    }
    return best;
}

static bool is_orphan(const dlp_sph *sph, int32_t i)
{
    return is_candidate(sph, i) && sph->scratch.adapt.is_kept[i] && sph->scratch.adapt.owner[i] < 0;
}

static int32_t select_orphans(void *context, int32_t begin, int32_t end, int32_t *out)
{
    int32_t count = 0;
    for (int32_t i = begin; i < end; i++) {
        if (!is_orphan(context, i)) continue;
        if (out != NULL) out[count] = i;
        count++;
    }
    return count;
}

// A candidate that found no group, since all around it have merged, is taken in by one of these: one after
// another, since a host may be gone before the next asks.
static void absorb_orphans(dlp_sph *sph)
{
    int32_t *orphans = sph->scratch.adapt.worklist;
    const int32_t count = dlp_parallel_compact(sph->team, sph->scratch.adapt.plan_count, SCAN_GRAIN,
                                               select_orphans, sph, orphans);
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = orphans[k], host = is_orphan(sph, i) ? find_host(sph, i) : -1;
        if (host < 0) continue;
        const group g = {2, {host, i}, {{0, 0, 0}, dlp_sph_offset(sph, host, i)}};
        put_merged(sph, &g, sph->state.particles.count);
        dlp_sph_take_new(sph, 1);
        sph->state.counts.merges++;
    }
}

// Sizes next to each other differ by one level: who still sees a finer particle does not merge.
static bool sees_finer(const dlp_sph *sph, int32_t i)
{
    const dlp_neighbour_list near_i = dlp_sph_neighbours(sph, i);
    const int32_t level = dlp_particle_level(sph, i);
    for (int32_t n = 0; n < near_i.middle; n++) {
        const int32_t j = near_i.entries[n];
        if (j < sph->scratch.adapt.plan_count && dlp_particle_level(sph, j) < level) return true;
    }
    return false;
}

static void defer_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_sph *sph = context;
    for (int32_t i = begin; i < end; i++)
        if (is_candidate(sph, i) && sph->state.particles.units[i] > 1 && sees_finer(sph, i))
            sph->scratch.adapt.plan[i] = DLP_PLAN_STAY;
}

static void count_candidates(void *context, int32_t begin, int32_t end, void *result)
{
    int64_t *count = result;
    for (int32_t i = begin; i < end; i++) *count += is_candidate(context, i);
}

dlp_status dlp_sph_merge(dlp_sph *sph, dlp_error *error)
{
    const int32_t count = sph->state.particles.count, plan_count = sph->scratch.adapt.plan_count;
    dlp_parallel_for(sph->team, plan_count, GRAIN, defer_range, sph);
    choose_seeds(sph);
    for (int pass = 0; pass < BALANCE_PASSES; pass++) balance_groups(sph);
    place_leftover(sph);
    int64_t candidates = 0;
    const dlp_reduction counting = {count_candidates, dlp_combine_sum_int64, sph, sizeof candidates};
    dlp_parallel_reduce(sph->team, plan_count, SCAN_GRAIN, &counting, &candidates);
    DLP_TRY(dlp_sph_reserve_new(sph, (int32_t)candidates, error));
    merge_groups(sph);
    absorb_orphans(sph);
    memset(sph->scratch.adapt.is_kept + count, 1, (size_t)(sph->state.particles.count - count));
    return DLP_OK;
}
