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

static double spacing_of(const dlp_sph *sph, int32_t i)
{
    return (double)dlp_particle_h(sph, i) / dlp_sph_definition(sph->scene, 0)->smoothing;
}

static bool is_candidate(const dlp_sph *sph, int32_t i)
{
    return sph->adapt_scratch.plan[i] == DLP_PLAN_MERGE;
}

static bool are_alike(const dlp_sph *sph, int32_t i, int32_t j)
{
    return sph->particles.substance[i] == sph->particles.substance[j] &&
           dlp_particle_level(sph, i) == dlp_particle_level(sph, j);
}

static bool is_seed(const dlp_sph *sph, int32_t i)
{
    return sph->adapt_scratch.owner[i] == i;
}

// The displacement from i to the centre of a seed's group.
static dlp_vec3 centre_from(const dlp_sph *sph, int32_t i, int32_t seed)
{
    const float *centre = sph->adapt_scratch.centre + 3 * (int64_t)seed;
    return dlp_add(dlp_sph_offset(sph, i, seed),
                   dlp_vec((double)centre[0], (double)centre[1], (double)centre[2]));
}

// The nearest seed that i may join, by the centre of its group; -1 for none within reach.
static int32_t nearest_seed(const dlp_sph *sph, int32_t i, double within)
{
    const int32_t *list = dlp_list_of(&sph->lists, i);
    const int32_t last = dlp_list_end(&sph->lists, i, 0);
    int32_t best = -1;
    double least = within * within;
    for (int32_t n = -1; n < last; n++) {
        const int32_t j = n < 0 ? i : list[n];
        if (j >= sph->adapt_scratch.plan_count || !is_candidate(sph, j) || !is_seed(sph, j) ||
            !are_alike(sph, i, j))
            continue;
        const dlp_vec3 displacement = centre_from(sph, i, j);
        const double square =
            dlp_dot(displacement, displacement) + (double)sph->adapt_scratch.distance_bias[j];
        if (square < least) {
            least = square;
            best = j;
        }
    }
    return best;
}

// In the order of the particles, which is that of space: who has no seed near becomes one.
static void choose_seeds(dlp_sph *sph)
{
    dlp_adapt_scratch *scratch = &sph->adapt_scratch;
    for (int32_t i = 0; i < scratch->plan_count; i++) scratch->owner[i] = -1;
    memset(scratch->centre, 0, (size_t)scratch->plan_count * 3 * sizeof(float));
    memset(scratch->distance_bias, 0, (size_t)scratch->plan_count * sizeof(float));
    for (int32_t i = 0; i < scratch->plan_count; i++)
        if (is_candidate(sph, i) && nearest_seed(sph, i, SEED_DISTANCE * spacing_of(sph, i)) < 0)
            scratch->owner[i] = i;
}

// Every candidate joins the nearest group; a seed keeps its own.
static void join_groups(dlp_sph *sph)
{
    dlp_adapt_scratch *scratch = &sph->adapt_scratch;
    for (int32_t i = 0; i < scratch->plan_count; i++)
        if (is_candidate(sph, i) && !is_seed(sph, i))
            scratch->owner[i] = nearest_seed(sph, i, JOIN_DISTANCE * spacing_of(sph, i));
}

// A group that is too large seems farther away the next time, one that is too small nearer: sizes even out.
static void balance_groups(dlp_sph *sph)
{
    dlp_adapt_scratch *scratch = &sph->adapt_scratch;
    const dlp_group_size size = dlp_group_size_of(sph->scene->dimension);
    const double wanted = 0.5 * (size.least + size.most);
    for (int32_t i = 0; i < scratch->plan_count; i++) {
        if (!is_seed(sph, i)) continue;
        const double spacing = spacing_of(sph, i), limit = 0.5 * spacing * spacing;
        const double distance_bias = (double)scratch->distance_bias[i] +
                                     0.12 * (scratch->size[i] - wanted) / wanted * spacing * spacing;
        scratch->distance_bias[i] = (float)fmin(fmax(distance_bias, -limit), limit);
    }
}

// Whoever a full group cannot take goes to one near that has room.
static void place_leftover(dlp_sph *sph)
{
    dlp_adapt_scratch *scratch = &sph->adapt_scratch;
    const int32_t most = dlp_group_size_of(sph->scene->dimension).most;
    for (int32_t i = 0; i < scratch->plan_count; i++) {
        const int32_t owner = scratch->owner[i];
        if (!is_candidate(sph, i) || is_seed(sph, i) || (owner >= 0 && scratch->size[owner] <= most))
            continue;
        if (owner >= 0) scratch->size[owner]--;
        scratch->owner[i] = -1;
        for (int32_t n = 0; n < dlp_list_end(&sph->lists, i, 0); n++) {
            const int32_t j = dlp_list_of(&sph->lists, i)[n];
            if (j >= scratch->plan_count || !is_candidate(sph, j) || !is_seed(sph, j) ||
                scratch->size[j] >= most)
                continue;
            if (are_alike(sph, i, j) &&
                dlp_length(centre_from(sph, i, j)) < JOIN_DISTANCE * spacing_of(sph, i)) {
                scratch->owner[i] = j;
                scratch->size[j]++;
                break;
            }
        }
    }
}

// Moves the centre of each group to the mean of its members.
static void find_centres(dlp_sph *sph)
{
    dlp_adapt_scratch *scratch = &sph->adapt_scratch;
    memset(scratch->size, 0, (size_t)scratch->plan_count * sizeof *scratch->size);
    memset(scratch->centre, 0, (size_t)scratch->plan_count * 3 * sizeof(float));
    for (int32_t i = 0; i < scratch->plan_count; i++) {
        const int32_t seed = scratch->owner[i];
        if (seed < 0) continue;
        const dlp_vec3 displacement = dlp_sph_offset(sph, seed, i);
        float *centre = scratch->centre + 3 * (int64_t)seed;
        scratch->size[seed]++;
        centre[0] += (float)displacement.x;
        centre[1] += (float)displacement.y;
        centre[2] += (float)displacement.z;
    }
    for (int32_t i = 0; i < scratch->plan_count; i++)
        for (int axis = 0; axis < 3 && scratch->size[i] > 0; axis++)
            scratch->centre[3 * (int64_t)i + axis] /= (float)scratch->size[i];
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
    const int32_t *list = dlp_list_of(&sph->lists, seed);
    const int32_t last = dlp_list_end(&sph->lists, seed, 0),
                  most = dlp_group_size_of(sph->scene->dimension).most;
    const float *c = sph->adapt_scratch.centre + 3 * (int64_t)seed;
    const dlp_vec3 centre = dlp_vec((double)c[0], (double)c[1], (double)c[2]);
    double distance[MEMBER_LIMIT];
    group g = {0};
    for (int32_t n = -1; n < last; n++) {
        const int32_t j = n < 0 ? seed : list[n];
        if (j >= sph->adapt_scratch.plan_count || sph->adapt_scratch.owner[j] != seed ||
            g.count == MEMBER_LIMIT)
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
    for (int32_t n = 0; n < g->count; n++) units += sph->particles.units[g->member[n]];
    return units;
}

static dlp_vec3 group_centre(const dlp_sph *sph, const group *g)
{
    const double mass = group_mass(sph, g);
    dlp_vec3 centre = dlp_vec(0, 0, 0);
    for (int32_t n = 0; n < g->count; n++)
        centre = dlp_along(centre, g->offset[n], sph->particles.units[g->member[n]] / mass);
    return centre;
}

// (tr I / 3)^3 = det I only where all three moments of inertia are alike.  [desbrun1999, eq. 14]
static double roundness(const dlp_sph *sph, const group *g)
{
    const dlp_vec3 centre = group_centre(sph, g);
    double xx = 0, yy = 0, zz = 0, xy = 0, yz = 0, zx = 0;
    for (int32_t n = 0; n < g->count; n++) {
        const dlp_vec3 d = dlp_sub(g->offset[n], centre);
        const double m = sph->particles.units[g->member[n]];
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
static void put_merged(dlp_sph *sph, const group *g)
{
    dlp_particles *p = &sph->particles;
    const double mass = group_mass(sph, g);
    dlp_vec3 v = dlp_vec(0, 0, 0), moved = dlp_vec(0, 0, 0);
    double volume = 0;
    for (int32_t n = 0; n < g->count; n++) {
        const int32_t j = g->member[n];
        const float *packed = sph->packed + (int64_t)j * DLP_PACKED_SIZE,
                    *d = p->displacement + 3 * (int64_t)j;
        const double share = p->units[j] / mass;
        v = dlp_along(v, dlp_sph_predicted_velocity(sph, j), share);
        moved = dlp_along(moved, dlp_vec((double)d[0], (double)d[1], (double)d[2]), share);
        volume += share * (double)(packed[DLP_PACKED_VOLUME] / packed[DLP_PACKED_VOLUME0]);
        sph->adapt_scratch.is_kept[j] = 0;
    }
    const dlp_vec3 x =
        dlp_add(dlp_sph_predicted_position(sph, g->member[0]), dlp_sub(group_centre(sph, g), g->offset[0]));
    const int64_t i = dlp_sph_add_like(sph, g->member[0]);
    if (sph->heat != NULL) p->temperature[i] = dlp_heat_mix(sph, g->member, g->count);
    p->units[i] = (int32_t)mass;
    p->compression[i] = (float)(1 / volume);
    for (int axis = 0; axis < 3; axis++) {
        p->position[3 * i + axis] = dlp_component(x, axis);
        p->velocity[3 * i + axis] = (float)dlp_component(v, axis);
        p->displacement[3 * i + axis] = (float)dlp_component(moved, axis);
    }
    dlp_sph_request_density(sph, (int32_t)i, p->compression[i]);
    sph->counts.merges++;
}

static void merge_group(dlp_sph *sph, int32_t seed)
{
    const group g = collect(sph, seed);
    const dlp_group_size size = dlp_group_size_of(sph->scene->dimension);
    if (g.count < size.least || roundness(sph, &g) < LEAST_ROUNDNESS) {
        for (int32_t n = 0; n < g.count; n++) sph->adapt_scratch.owner[g.member[n]] = -1;
        return;
    }
    put_merged(sph, &g);
}

// The nearest particle of the next level that has room for one more; -1 for none.
static int32_t find_host(const dlp_sph *sph, int32_t i)
{
    const dlp_particles *p = &sph->particles;
    const int32_t d = sph->scene->dimension, level = dlp_particle_level(sph, i) + 1;
    const int32_t *list = dlp_list_of(&sph->lists, i);
    const int32_t last = dlp_list_end(&sph->lists, i, 0);
    const int32_t most = (int32_t)pow(dlp_group_size_of(d).most, level);
    int32_t best = -1;
    double least = 1e30;
    for (int32_t n = 0; n < last; n++) {
        const int32_t j = list[n];
        if (j >= sph->adapt_scratch.plan_count || p->substance[j] != p->substance[i] ||
            !sph->adapt_scratch.is_kept[j])
            continue;
        if (dlp_particle_level(sph, j) != level || p->units[j] + p->units[i] > most) continue;
        if (sph->adapt_scratch.plan[j] == DLP_PLAN_SPLIT) continue;
        const dlp_vec3 displacement = dlp_sph_offset(sph, i, j);
        if (dlp_dot(displacement, displacement) < least) {
            least = dlp_dot(displacement, displacement);
            best = j;
        }
    }
    return best;
}

// A candidate that found no group, since all around it have merged, is taken in by one of these.
static void absorb_orphans(dlp_sph *sph)
{
    for (int32_t i = 0; i < sph->adapt_scratch.plan_count; i++) {
        if (!is_candidate(sph, i) || !sph->adapt_scratch.is_kept[i] || sph->adapt_scratch.owner[i] >= 0)
            continue;
        const int32_t host = find_host(sph, i);
        if (host < 0) continue;
        const group g = {2, {host, i}, {{0, 0, 0}, dlp_sph_offset(sph, host, i)}};
        put_merged(sph, &g);
    }
}

// Sizes next to each other differ by one level: who still sees a finer particle does not merge.
static bool sees_finer(const dlp_sph *sph, int32_t i)
{
    const int32_t *list = dlp_list_of(&sph->lists, i), level = dlp_particle_level(sph, i);
    const int32_t last = dlp_list_end(&sph->lists, i, 0);
    for (int32_t n = 0; n < last; n++)
        if (list[n] < sph->adapt_scratch.plan_count && dlp_particle_level(sph, list[n]) < level) return true;
    return false;
}

static void defer_merges(dlp_sph *sph)
{
    for (int32_t i = 0; i < sph->adapt_scratch.plan_count; i++)
        if (is_candidate(sph, i) && sph->particles.units[i] > 1 && sees_finer(sph, i))
            sph->adapt_scratch.plan[i] = DLP_PLAN_STAY;
}

dlp_status dlp_sph_merge(dlp_sph *sph, dlp_error *error)
{
    const int32_t count = sph->particles.count;
    defer_merges(sph);
    choose_seeds(sph);
    for (int pass = 0; pass < BALANCE_PASSES; pass++) {
        join_groups(sph);
        find_centres(sph);
        balance_groups(sph);
    }
    place_leftover(sph);
    int32_t candidates = 0;
    for (int32_t i = 0; i < sph->adapt_scratch.plan_count; i++) candidates += is_candidate(sph, i);
    DLP_TRY(dlp_sph_reserve_new(sph, candidates, error));
    for (int32_t i = 0; i < sph->adapt_scratch.plan_count; i++)
        if (is_seed(sph, i)) merge_group(sph, i);
    absorb_orphans(sph);
    memset(sph->adapt_scratch.is_kept + count, 1, (size_t)(sph->particles.count - count));
    return DLP_OK;
}
