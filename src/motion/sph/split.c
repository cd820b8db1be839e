/* Splitting: a particle becomes a cluster of smaller ones in its place.  [desbrun1999, sec. 4.1] */
#include "motion/sph/adapt.h"
#include "base/random.h"
#include "matter/norm.h"

#include <string.h>

enum { PART_LIMIT = 9, SPLIT_GRAIN = 4, SCAN_GRAIN = 4096 };

// Directions of the parts, from the centre; each set is its own mirror image, so it has no preferred side.
#define A 0.57735026918962576
static const double OCTAHEDRON[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
static const double CUBE[8][3] = {{A, A, A},  {-A, -A, -A}, {A, A, -A}, {-A, -A, A},
                                  {A, -A, A}, {-A, A, -A},  {-A, A, A}, {A, -A, -A}};
static const double TRIANGLE[3][3] = {
    {1, 0, 0}, {-0.5, 0.86602540378443865, 0}, {-0.5, -0.86602540378443865, 0}};
static const double SQUARE[4][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
#undef A

// How a number of parts is arranged: the distance of the shell (over the edge of the parent's cube) is where
// the density around is disturbed least, once on a lattice and once in a region that splits as a whole.
typedef struct pattern {
    bool has_centre;
    int32_t shell_count;
    const double (*shell)[3];
    double distance;
} pattern;

static pattern pattern_of(int32_t parts)
{
    switch (parts) {
    case 3:
        return (pattern){false, 3, TRIANGLE, 0.33};
    case 4:
        return (pattern){false, 4, SQUARE, 0.354};
    case 5:
        return (pattern){true, 4, SQUARE, 0.45};
    case 6:
        return (pattern){false, 6, OCTAHEDRON, 0.52};
    case 7:
        return (pattern){true, 6, OCTAHEDRON, 0.54};
    case 8:
        return (pattern){false, 8, CUBE, 0.52};
    default:
        return (pattern){true, 8, CUBE, 0.55};
    }
}

// Into how many parts a mass splits: level 1 into single units, larger ones so that the parts are groups.
static int32_t part_count(int32_t units, int32_t dimension)
{
    const dlp_group_size group = dlp_group_size_of(dimension);
    if (units <= group.most) return units;
    int32_t part = 1;
    while (part * group.most < units) part *= group.most;  // the most a part may weigh
    int32_t parts = (units + part - 1) / part;
    return parts < group.least ? group.least : parts;
}

// Parts lie in any direction, so that no axis is preferred; in the plane they turn about z.
static dlp_transform random_rotation(const dlp_sph *sph, int32_t i)
{
    const uint64_t id = (uint64_t)sph->state.particles.id[i], tick = (uint64_t)sph->state.clock.tick;
    const double x = 360 * dlp_random(id, tick, 11), y = 360 * dlp_random(id, tick, 12),
                 z = 360 * dlp_random(id, tick, 13);
    return dlp_transform_of(dlp_vec(0, 0, 0),
                            sph->scene->dimension == 3 ? dlp_vec(x, y, z) : dlp_vec(0, 0, z));
}

// Parts of one particle.
typedef struct cluster {
    int32_t count;
    int32_t units[PART_LIMIT];
    dlp_vec3 offset[PART_LIMIT];               // m
    double volume[PART_LIMIT], h[PART_LIMIT];  // m3, m
} cluster;

// The centre of mass stays where it is, whatever the parts' masses.
static void recentre(cluster *parts)
{
    dlp_vec3 centre = dlp_vec(0, 0, 0);
    double units = 0;
    for (int32_t n = 0; n < parts->count; n++) {
        centre = dlp_along(centre, parts->offset[n], parts->units[n]);
        units += parts->units[n];
    }
    for (int32_t n = 0; n < parts->count; n++)
        parts->offset[n] = dlp_along(parts->offset[n], centre, -1 / units);
}

// Parts must not come to lie in an obstacle, nor nearer to it than they would be held.
static void push_out(const dlp_sph *sph, dlp_vec3 x, double distance, cluster *parts)
{
    for (int32_t n = 0; n < parts->count; n++)
        for (int32_t k = 0; k < sph->scene->obstacle_count; k++) {
            dlp_vec3 normal;
            const dlp_vec3 at = dlp_add(x, parts->offset[n]);
            const double d = dlp_body_probe(&sph->bodies[k], &sph->bodies[k].pose, at, &normal);
            if (d < distance) parts->offset[n] = dlp_along(parts->offset[n], normal, distance - d);
        }
}

// Near a wall both are asked for in turn; the centre has the last word.
static void keep_outside(const dlp_sph *sph, int32_t i, dlp_vec3 x, cluster *parts)
{
    const double size = parts->h[0] / dlp_sph_definition(sph->scene, 0)->smoothing;
    const bool is_near = (double)sph->scratch.neighbours.clearance[i] < 3 * size;
    for (int32_t pass = 0; pass < (is_near ? 4 : 1); pass++) {
        if (is_near) push_out(sph, x, 0.4 * size, parts);
        recentre(parts);
    }
}

// What is around a particle that splits: its neighbours, walls too, as they stand.
enum { AROUND_LIMIT = 512, SETTLING_SWEEPS = 12 };
typedef struct surroundings {
    int32_t count;
    dlp_vec3 offset[AROUND_LIMIT];  // m, from the particle
    double volume[AROUND_LIMIT], h[AROUND_LIMIT];
} surroundings;

static void collect_neighbours(const dlp_sph *sph, int32_t i, surroundings *out)
{
    const dlp_neighbour_list near_i = dlp_sph_neighbours(sph, i);
    const int32_t points = sph->scratch.neighbours.lists.count + sph->scratch.walls.samples.count;
    out->count = 0;
    for (int32_t n = 0; n < near_i.last && out->count < AROUND_LIMIT; n++) {
        const int32_t j = near_i.entries[n];
        if (j >= points) continue;  // padding
        const float *packed = dlp_sph_packed(sph, j);
        out->offset[out->count] = dlp_sph_offset(sph, i, j);
        out->volume[out->count] = (double)packed[DLP_PACKED_VOLUME0];
        out->h[out->count++] = (double)packed[DLP_PACKED_H];
    }
}

// V grad W of one point at another, over the slope's norm.
static dlp_vec3 push_of(const dlp_sph *sph, dlp_vec3 displacement, double volume, double h_i, double h_j)
{
    const double m = h_i + h_j, d = h_i - h_j, h = (m * m + 0.5 * d * d) / (2 * m),
                 r = dlp_length(displacement);
    if (r >= 2 * h) return dlp_vec(0, 0, 0);
    const double slope =
        dlp_kernel_slope(sph->params.pair.kernel, r / h) / pow(h, sph->params.pair.dimension + 2);
    return dlp_mul(displacement, volume * slope);
}

// The parts move from where the volumes around them are denser, about their common centre: what is left of
// such a gradient becomes a force as soon as there is pressure.
static void settle(const dlp_sph *sph, int32_t i, dlp_vec3 x, const surroundings *around, cluster *parts)
{
    for (int32_t sweep = 0; sweep < SETTLING_SWEEPS; sweep++) {
        dlp_vec3 displacement[PART_LIMIT];
        for (int32_t n = 0; n < parts->count; n++) {
            dlp_vec3 push = dlp_vec(0, 0, 0);
            for (int32_t k = 0; k < around->count; k++)
                push = dlp_add(push, push_of(sph, dlp_sub(parts->offset[n], around->offset[k]),
                                             around->volume[k], parts->h[n], around->h[k]));
            for (int32_t k = 0; k < parts->count; k++)
                if (k != n)
                    push = dlp_add(push, push_of(sph, dlp_sub(parts->offset[n], parts->offset[k]),
                                                 parts->volume[k], parts->h[n], parts->h[k]));
            const double h = parts->h[n], limit = 0.1 * h;
            displacement[n] = dlp_mul(push, -0.25 * h * h * (double)sph->params.pair.slope_norm);
            const double length = dlp_length(displacement[n]);
            if (length > limit) displacement[n] = dlp_mul(displacement[n], limit / length);
        }
        for (int32_t n = 0; n < parts->count; n++)
            parts->offset[n] = dlp_add(parts->offset[n], displacement[n]);
        keep_outside(sph, i, x, parts);
    }
}

static cluster make_cluster(const dlp_sph *sph, int32_t i, dlp_vec3 x)
{
    const int32_t units = sph->state.particles.units[i];
    cluster parts = {.count = part_count(units, sph->scene->dimension)};
    const pattern shape = pattern_of(parts.count);
    const dlp_transform rotation = random_rotation(sph, i);
    const dlp_substance *s = dlp_particle_substance(sph, i);
    const double edge = pow((double)dlp_particle_volume0(sph, i), 1.0 / sph->scene->dimension);
    for (int32_t n = 0; n < parts.count; n++) {
        const int32_t place = shape.has_centre ? n - 1 : n;
        parts.units[n] = units / parts.count + (n < units % parts.count);
        parts.volume[n] = (double)(s->volume_unit * (float)parts.units[n]);
        parts.h[n] = (double)(s->h * sph->params.size_of[parts.units[n]]);
        if (place < 0) continue;
        const double *displacement = shape.shell[place];
        parts.offset[n] =
            dlp_mul(dlp_rotate(&rotation, dlp_vec(displacement[0], displacement[1], displacement[2])),
                    shape.distance * edge);
    }
    keep_outside(sph, i, x, &parts);
    surroundings around;
    collect_neighbours(sph, i, &around);
    settle(sph, i, x, &around, &parts);
    return parts;
}

static void put_part(dlp_sph *sph, int32_t parent, int32_t to, int32_t units, dlp_vec3 x, dlp_vec3 v)
{
    dlp_particles *p = &sph->state.particles;
    const float *packed = dlp_sph_packed(sph, parent);
    const float delta = packed[DLP_PACKED_VOLUME0] / packed[DLP_PACKED_VOLUME];
    const int64_t i = to;
    dlp_sph_put_like(sph, parent, to);
    p->units[i] = units;
    p->position[3 * i] = x.x;
    p->position[3 * i + 1] = x.y;
    p->position[3 * i + 2] = x.z;
    p->velocity[3 * i] = (float)v.x;
    p->velocity[3 * i + 1] = (float)v.y;
    p->velocity[3 * i + 2] = (float)v.z;
    p->compression[i] = delta;
    dlp_sph_request_density(sph, to, delta);
}

static void split_particle(dlp_sph *sph, int32_t i, int32_t first)
{
    const dlp_vec3 x = dlp_sph_predicted_position(sph, i), v = dlp_sph_predicted_velocity(sph, i);
    const cluster parts = make_cluster(sph, i, x);
    for (int32_t n = 0; n < parts.count; n++)
        put_part(sph, i, first + n, parts.units[n], dlp_add(x, parts.offset[n]), v);
    sph->scratch.adapt.is_kept[i] = 0;
}

static void split_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    const dlp_adapt_scratch *scratch = &sph->scratch.adapt;
    for (int32_t k = begin; k < end; k++) {
        const int32_t first = k > 0 ? scratch->part_end[k - 1] : 0;
        split_particle(sph, scratch->worklist[k], sph->state.particles.count + first);
    }
}

static int32_t select_split(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const int8_t *plan = ((const dlp_sph *)context)->scratch.adapt.plan;
    int32_t count = 0;
    for (int32_t i = begin; i < end; i++) {
        if (plan[i] != DLP_PLAN_SPLIT) continue;
        if (out != NULL) out[count] = i;
        count++;
    }
    return count;
}

static void count_parts(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_sph *sph = context;
    const dlp_adapt_scratch *scratch = &sph->scratch.adapt;
    for (int32_t k = begin; k < end; k++)
        scratch->part_end[k] =
            part_count(sph->state.particles.units[scratch->worklist[k]], sph->scene->dimension);
}

dlp_status dlp_sph_split(dlp_sph *sph, dlp_error *error)
{
    dlp_adapt_scratch *scratch = &sph->scratch.adapt;
    const int32_t split_count = dlp_parallel_compact(sph->team, scratch->plan_count, SCAN_GRAIN, select_split,
                                                     sph, scratch->worklist);
    dlp_parallel_for(sph->team, split_count, SCAN_GRAIN, count_parts, sph);
    const int32_t more = dlp_parallel_scan(sph->team, scratch->part_end, split_count);
    DLP_TRY(dlp_sph_reserve_new(sph, more, error));
    dlp_parallel_for(sph->team, split_count, SPLIT_GRAIN, split_range, sph);
    memset(scratch->is_kept + sph->state.particles.count, 1, (size_t)more);
    dlp_sph_take_new(sph, more);
    sph->state.counts.splits += split_count;
    return DLP_OK;
}
