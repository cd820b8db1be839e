/* Contacts eight at a time; compiled once per target (base/target.h): which pairs touch, and what contacts
 * ask of their particles. */
#define DLP_WIDE
#include "base/target.h"
#include "matter/tensor.h"
#include "motion/solid/solid_contact_wide.h"

enum { CHUNK = 512, WHOLE = DLP_LANES };

// In contact distances: surfaces whose particles were nearer along their direction are through one another.
#define LEAST_FACING 0.2f

DLP_INLINE dlp_v3 sub(dlp_v3 a, dlp_v3 b)
{
    return (dlp_v3){a.x - b.x, a.y - b.y, a.z - b.z};
}
DLP_INLINE dlp_v3 along(dlp_v3 a, dlp_v3 b, dlp_wide share)
{
    return (dlp_v3){a.x + b.x * share, a.y + b.y * share, a.z + b.z * share};
}
DLP_INLINE dlp_v3 mul(dlp_v3 a, dlp_wide factor)
{
    return (dlp_v3){a.x * factor, a.y * factor, a.z * factor};
}
DLP_INLINE dlp_wide dot(dlp_v3 a, dlp_v3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
DLP_INLINE dlp_v3 load3(float (*from)[DLP_LANES])
{
    return (dlp_v3){dlp_wide_load(from[0]), dlp_wide_load(from[1]), dlp_wide_load(from[2])};
}
DLP_INLINE void write3(float (*to)[DLP_LANES], dlp_v3 v)
{
    dlp_wide_write(to[0], v.x);
    dlp_wide_write(to[1], v.y);
    dlp_wide_write(to[2], v.z);
}
DLP_INLINE dlp_v3 select3(dlp_wide_int mask, dlp_v3 a, dlp_v3 b)
{
    return (dlp_v3){dlp_wide_select(mask, a.x, b.x), dlp_wide_select(mask, a.y, b.y),
                    dlp_wide_select(mask, a.z, b.z)};
}

// Who touches.

// Eight pairs.
typedef struct eight {
    int32_t first[DLP_LANES], second[DLP_LANES];
    dlp_wide distance, sideways;
} eight;

DLP_INLINE eight take_pairs(const dlp_solid_pair *pairs, const int32_t index[DLP_LANES])
{
    const dlp_wide4 raw = dlp_wide_gather4((const float *)pairs, index, 4);
    eight out = {.distance = raw.c, .sideways = raw.d};
    dlp_wide_int_write(out.first, (dlp_wide_int)raw.a);
    dlp_wide_int_write(out.second, (dlp_wide_int)raw.b);
    return out;
}

// Whether any places of the two in this sub-step are near enough.
DLP_INLINE dlp_wide_int are_near(const dlp_solid_pair_view *view, const eight *pairs)
{
    const dlp_wide4 a = dlp_wide_gather4((const float *)view->spheres, pairs->first, 4),
                    b = dlp_wide_gather4((const float *)view->spheres, pairs->second, 4);
    const dlp_v3 apart = {a.a - b.a, a.b - b.b, a.c - b.c};
    const dlp_wide wide = pairs->distance * (float)DLP_CONTACT_REACH;
    const dlp_wide reach = dlp_wide_select(pairs->sideways > 0, wide, pairs->distance) + a.d + b.d;
    return dot(apart, apart) <= reach * reach;
}

// As two planes that face one another: where the path reaches their distance they must not be too far to the
// side.
DLP_INLINE dlp_wide_int meet_as_planes(const eight *pairs, dlp_v3 from, dlp_v3 to, dlp_v3 normal)
{
    const dlp_wide start = dot(from, normal), end = dot(to, normal), distance = pairs->distance;
    const dlp_wide share =
        dlp_wide_select(start > distance, (start - distance) / (start - end), dlp_wide_of(0));
    const dlp_v3 there = along(from, sub(to, from), share);
    const dlp_v3 aside = along(there, normal, -dot(there, normal));
    return (end < distance) & (dot(aside, aside) < pairs->sideways * pairs->sideways);
}

// Where the path of one as seen from the other comes as near as their distance, it does not lead away again.
DLP_INLINE dlp_wide_int meet_as_spheres(const eight *pairs, dlp_v3 from, dlp_v3 to, dlp_v3 *out_normal)
{
    const dlp_v3 displacement = sub(to, from), up = {dlp_wide_of(0), dlp_wide_of(0), dlp_wide_of(1)};
    const dlp_wide square = dot(displacement, displacement), toward = dot(from, displacement),
                   distance = pairs->distance;
    const dlp_wide outside = dot(from, from) - distance * distance;
    const dlp_wide root = toward * toward - square * outside;
    const dlp_wide share =  // the smaller root, without cancellation
        outside / (dlp_wide_sqrt(dlp_wide_max(root, dlp_wide_of(0))) - toward);
    const dlp_wide_int is_inside = outside <= 0;
    const dlp_v3 there = select3(is_inside, from, along(from, displacement, share));
    const dlp_wide length = dlp_wide_sqrt(dot(there, there));
    *out_normal = select3(length > 0, mul(there, 1 / length), up);
    return (is_inside | ((toward < 0) & (root > 0) & (share < 1))) & (dot(to, *out_normal) < distance);
}

// The direction in which surfaces face one another, as dlp_solid_facing_normal; whether they do.
DLP_INLINE dlp_wide_int do_face(const eight *pairs, dlp_wide4 a, dlp_wide4 b, dlp_v3 from, dlp_v3 *out_normal)
{
    const dlp_v3 i = {a.a, a.b, a.c}, j = {b.a, b.b, b.c}, sum = sub(j, i);
    const dlp_wide length = dlp_wide_sqrt(dot(sum, sum));
    *out_normal = mul(sum, 1 / length);
    return (pairs->sideways > 0) & (length > 0) & (dot(i, j) <= a.d * b.d * (float)DLP_FACING_LIMIT) &
           (dot(from, *out_normal) > pairs->distance * LEAST_FACING);
}

// Which of the eight touch, and in which direction.
DLP_INLINE uint32_t touching(const dlp_solid_pair_view *view, const eight *pairs, dlp_v3 *out_normal)
{
    const float *motions = (const float *)view->motions;
    const dlp_wide4 a = dlp_wide_gather4((const float *)view->spheres, pairs->first, 4),
                    b = dlp_wide_gather4((const float *)view->spheres, pairs->second, 4),
                    c = dlp_wide_gather4(motions, pairs->first, 8),
                    d = dlp_wide_gather4(motions, pairs->second, 8),
                    e = dlp_wide_gather4(motions + 4, pairs->first, 8),
                    f = dlp_wide_gather4(motions + 4, pairs->second, 8);
    const dlp_v3 middle = {a.a - b.a, a.b - b.b, a.c - b.c}, half = {c.a - d.a, c.b - d.b, c.c - d.c};
    const dlp_v3 from = sub(middle, half), to = along(middle, half, dlp_wide_of(1));
    dlp_v3 flat, round;
    const dlp_wide_int faces = do_face(pairs, e, f, from, &flat),
                       planes = meet_as_planes(pairs, from, to, flat),
                       spheres = meet_as_spheres(pairs, from, to, &round);
    *out_normal = select3(faces, flat, round);
    return dlp_wide_bits(((faces & planes) | (~faces & spheres)) & (c.d + d.d > 0));
}

DLP_INLINE void number(int32_t first, int32_t last, int32_t out_index[DLP_LANES])
{
    for (int32_t k = 0; k < WHOLE; k++) out_index[k] = first + k < last ? first + k : last;
}

static int32_t list_near(const dlp_solid_pair_view *view, int32_t begin, int32_t end, int32_t *out_near)
{
    int32_t count = 0, index[DLP_LANES];
    for (int32_t n = begin; n < end; n += WHOLE) {
        number(n, end - 1, index);
        const eight pairs = take_pairs(view->pairs, index);
        uint32_t bits = dlp_wide_bits(are_near(view, &pairs));
        if (end - n < WHOLE) bits &= (1u << (end - n)) - 1;
        for (; bits != 0; bits &= bits - 1) out_near[count++] = n + __builtin_ctz(bits);
    }
    return count;
}

// Those of eight places in a list of pairs, the last of them again where it ends.
static int32_t add_hits(const dlp_solid_pair_view *view, const int32_t *near, int32_t count,
                        dlp_solid_contact_hit *out_hits)
{
    int32_t hits = 0, index[DLP_LANES];
    float normal[3][DLP_LANES];
    dlp_v3 n;
    for (int32_t k = 0; k < WHOLE; k++) index[k] = near[k < count ? k : count - 1];
    const eight pairs = take_pairs(view->pairs, index);
    uint32_t bits = touching(view, &pairs, &n);
    if (count < WHOLE) bits &= (1u << count) - 1;
    write3(normal, n);
    for (; bits != 0; bits &= bits - 1) {
        const int32_t k = __builtin_ctz(bits);
        out_hits[hits++] = (dlp_solid_contact_hit){index[k], {normal[0][k], normal[1][k], normal[2][k]}};
    }
    return hits;
}

int32_t DLP_ON_TARGET(dlp_solid_test_pairs)(const dlp_solid_pair_view *view, int32_t begin, int32_t end,
                                            dlp_solid_contact_hit *out_hits)
{
    int32_t count = 0, near[CHUNK];
    for (int32_t chunk = begin; chunk < end; chunk += CHUNK) {
        const int32_t stop = end - chunk < CHUNK ? end : chunk + CHUNK;
        const int32_t some = list_near(view, chunk, stop, near);
        for (int32_t n = 0; n < some; n += WHOLE)
            count += add_hits(view, near + n, some - n, out_hits + count);
    }
    return count;
}

// Answers.

// The first particle's value minus the second's.
DLP_INLINE dlp_v3 difference(dlp_solid_float4 *of, const dlp_solid_contact_block *at)
{
    const dlp_wide4 a = dlp_wide_gather4(of[0], at->particle[0], 4),
                    b = dlp_wide_gather4(of[0], at->particle[1], 4);
    return (dlp_v3){a.a - b.a, a.b - b.b, a.c - b.c};
}

// Tells both particles what they get.
DLP_INLINE void write_corrections(dlp_solid_float4 *corrections, const dlp_solid_contact_block *at,
                                  dlp_v3 change)
{
    const dlp_wide zero = dlp_wide_of(0);
    const dlp_v3 first = mul(change, dlp_wide_load(at->share[0])),
                 second = mul(change, -dlp_wide_load(at->share[1]));
    dlp_wide_scatter4(corrections[0], at->slot[0], 4, (dlp_wide4){first.x, first.y, first.z, zero});
    dlp_wide_scatter4(corrections[0], at->slot[1], 4, (dlp_wide4){second.x, second.y, second.z, zero});
}

// Presses by more of what is missing and rubs against what slips, within what friction can do. `displacement`
// is what the contacts have done to the first as seen from the second, m or m/s as `answer` is.
DLP_INLINE void iterate(dlp_solid_contact_block *at, dlp_solid_contact_answer *answer, dlp_v3 displacement,
                        dlp_solid_float4 *corrections)
{
    const dlp_v3 normal = load3(at->normal), before = load3(answer->friction);
    const dlp_wide apart = dot(displacement, normal), factor = dlp_wide_load(at->factor),
                   last = dlp_wide_load(answer->normal);
    const dlp_wide pressed =
        dlp_wide_max(last + factor * (dlp_wide_load(answer->violation) - apart), dlp_wide_of(0));
    const dlp_v3 slip = along(along(load3(answer->slip), displacement, dlp_wide_of(1)), normal, -apart);
    const dlp_v3 held = along(before, slip, -factor);
    const dlp_wide most = dlp_wide_load(at->friction) * pressed, square = dot(held, held);
    const dlp_v3 rubbed =
        mul(held, dlp_wide_select(square > most * most, most / dlp_wide_sqrt(square), dlp_wide_of(1)));
    write_corrections(corrections, at, along(sub(rubbed, before), normal, pressed - last));
    dlp_wide_write(answer->normal, pressed);
    write3(answer->friction, rubbed);
}

void DLP_ON_TARGET(dlp_solid_contact_iterate_positions)(dlp_solid_contact_blocks *all, int32_t begin,
                                                        int32_t end)
{
    for (int32_t n = begin; n < end; n++) {
        dlp_solid_contact_block *at = &all->blocks[n];
        iterate(at, &at->position, difference(all->moved, at), all->position_corrections);
    }
}

void DLP_ON_TARGET(dlp_solid_contact_iterate_velocities)(dlp_solid_contact_blocks *all, int32_t begin,
                                                         int32_t end)
{
    for (int32_t n = begin; n < end; n++) {
        dlp_solid_contact_block *at = &all->blocks[n];
        iterate(at, &at->velocity, difference(all->velocity_changes, at), all->velocity_corrections);
    }
}

// From places to velocities: what was done to places over tau, and what is missing to stand still toward one
// another.
void DLP_ON_TARGET(dlp_solid_contact_to_velocities)(dlp_solid_contact_blocks *all, int32_t begin, int32_t end)
{
    const dlp_wide rate = dlp_wide_of(1 / all->tau);
    for (int32_t n = begin; n < end; n++) {
        dlp_solid_contact_block *at = &all->blocks[n];
        const dlp_v3 normal = load3(at->normal), u = difference(all->velocities, at);
        const dlp_wide apart = dot(u, normal);
        dlp_wide_write(at->velocity.violation, -apart);
        write3(at->velocity.slip, along(u, normal, -apart));
        dlp_wide_write(at->velocity.normal, dlp_wide_load(at->position.normal) * rate);
        write3(at->velocity.friction, mul(load3(at->position.friction), rate));
    }
}

// What of the change of velocity is an impact: the approach with which the sub-step began. That part shifts
// the velocity before, and the path gone; the rest is a force.
void DLP_ON_TARGET(dlp_solid_contact_split_impacts)(dlp_solid_contact_blocks *all, int32_t begin, int32_t end)
{
    const dlp_wide zero = dlp_wide_of(0), one = dlp_wide_of(1);
    for (int32_t n = begin; n < end; n++) {
        dlp_solid_contact_block *at = &all->blocks[n];
        const dlp_v3 normal = load3(at->normal);
        const dlp_wide pressed = dlp_wide_load(at->velocity.normal),
                       approach = -dot(difference(all->last_velocities, at), normal);
        const dlp_wide some = dlp_wide_select(approach < pressed, approach / pressed, one),
                       impact = dlp_wide_select(approach <= 0, zero, some);
        const dlp_wide span = impact * all->step + (one - impact) * all->tau;
        const dlp_v3 change = along(load3(at->velocity.friction), normal, pressed),
                     shift = along(load3(at->position.friction), normal, dlp_wide_load(at->position.normal));
        write_corrections(all->impact_corrections, at, mul(change, impact));
        write_corrections(all->displacement_corrections, at, along(mul(shift, -one), change, span));
    }
}
