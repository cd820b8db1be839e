/* What obstacles hide from one another: whom a particle sees past a thin obstacle, and what wall points get
 * from those of other obstacles. All of it as the points stood when the lists were built. */
#include "motion/sph/predict.h"

enum { WALL_GRAIN = 256 };

static dlp_vec3 listed_offset(const dlp_sph *sph, int32_t i, int32_t j)
{
    double d[3];
    for (int axis = 0; axis < 3; axis++)
        d[axis] =
            (int32_t)((uint32_t)sph->state.listed.at[axis][j] - (uint32_t)sph->state.listed.at[axis][i]) *
            sph->params.units.unit[axis];
    return dlp_vec(d[0], d[1], d[2]);
}

// Whether a point of a thin wall (a place among the packed-records) and another point are on the same side of
// its face.
static bool is_on_side(const dlp_sph *sph, int32_t wall, int32_t other)
{
    const int32_t k = wall - sph->state.particles.count;
    const dlp_vec3 face = dlp_rotate(&sph->scratch.walls.transforms[sph->scratch.walls.samples.owner[k]],
                                     dlp_wall_set(sph, k)->face[sph->scratch.walls.samples.point[k]]);
    const double depth = dlp_dot(face, face);
    return depth == 0 || dlp_dot(face, listed_offset(sph, wall, other)) > depth;
}

// What a wall point's sum changes by where obstacles meet: it gains the points of the others (but not of thin
// ones, which have no volume to speak of) and loses what the earlier ones took of its own.
static double changed_volume(const dlp_sph *sph, int32_t k, int32_t other)
{
    const dlp_samples *samples = &sph->scratch.walls.samples;
    const dlp_sample_set *points = dlp_wall_set(sph, other);
    const dlp_vec3 face = points->face[samples->point[other]];
    const double volume = (double)points->volume[samples->point[other]],
                 share = (double)sph->scratch.walls.share[other];
    if (samples->set[other] == samples->set[k]) return -volume * (1 - share);
    const int32_t first = sph->state.particles.count;
    return dlp_dot(face, face) > 0 || !is_on_side(sph, first + k, first + other) ? 0 : volume * share;
}

static void sum_others(dlp_sph *sph, int32_t k)
{
    const dlp_walls *walls = &sph->scratch.walls;
    const int32_t first = sph->state.particles.count;
    const dlp_neighbour_list near_k = dlp_sph_neighbours(sph, first + k);
    for (int32_t n = near_k.middle; n < near_k.last; n++) {
        const int32_t other = near_k.entries[n] - first;
        const double volume = other < sph->scratch.walls.samples.count ? changed_volume(sph, k, other) : 0;
        if (volume == 0) continue;
        double rr = 0;
        for (int axis = 0; axis < 3; axis++) {
            const int32_t d = (int32_t)((uint32_t)sph->state.listed.at[axis][first + k] -
                                        (uint32_t)sph->state.listed.at[axis][first + other]);
            rr += d * sph->params.units.unit[axis] * (d * sph->params.units.unit[axis]);
        }
        walls->sum[k] += (float)(volume * dlp_sph_weight(sph, sqrt(rr), dlp_wall_set(sph, k)->h));
    }
}

static void sum_others_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    for (int32_t k = begin; k < end; k++) sum_others(context, k);
}

void dlp_sph_sum_other_walls(dlp_sph *sph)
{
    if (sph->scene->obstacle_count >= 2)
        dlp_parallel_for(sph->team, sph->scratch.walls.samples.count, WALL_GRAIN, sum_others_range, sph);
}

// Where a particle was when the lists were built.
static dlp_vec3 listed_position(const dlp_sph *sph, int32_t i)
{
    const dlp_vec3 now = dlp_sph_predicted_position(sph, i);
    double x[3];
    for (int axis = 0; axis < 3; axis++) {
        const int64_t about = dlp_units_of(&sph->params.units, axis, dlp_component(now, axis));
        const int64_t then = dlp_units_near((uint32_t)sph->state.listed.at[axis][i], about);
        x[axis] = dlp_component(sph->params.units.origin, axis) + (double)then * sph->params.units.unit[axis];
    }
    return dlp_vec(x[0], x[1], x[2]);
}

// A thin obstacle as a particle sees it.
typedef struct sight {
    int32_t obstacle;
    dlp_vec3 from, normal;  // m, body frame
    double distance;
} sight;

// Whether the path to a neighbour crosses the obstacle; steps by the distance to it.
static bool is_crossing(const dlp_sph *sph, const sight *s, dlp_vec3 path)
{
    const double length = dlp_length(path), least = 0.02 * sph->params.finest;
    // far beyond the tangent plane nothing of a wall that is nearest here can stand between
    if (length < s->distance ||
        s->distance + dlp_dot(s->normal, path) > 0.5 * s->distance + 0.25 * sph->params.finest)
        return false;
    for (double at = s->distance; at < length;) {
        const double d =
            dlp_shape_distance(sph->bodies[s->obstacle].shape, dlp_along(s->from, path, at / length));
        if (d < 0) return true;
        at += d > least ? d : least;
    }
    return false;
}

static int32_t keep_own_side(const dlp_sph *sph, int32_t wall, int32_t *entries, int32_t count)
{
    int32_t kept = 0;
    for (int32_t n = 0; n < count; n++) {
        const int32_t j = entries[n];
        if (j >= sph->state.particles.count || is_on_side(sph, wall, j)) entries[kept++] = j;
    }
    return kept;
}

int32_t dlp_sph_keep_visible(const void *context, int32_t i, int32_t *entries, int32_t count)
{
    const dlp_sph *sph = context;
    if (i >= sph->state.particles.count) return keep_own_side(sph, i, entries, count);
    const dlp_vec3 x = listed_position(sph, i);
    for (int32_t k = 0; k < sph->scene->obstacle_count; k++) {
        if (!sph->params.walls.sets[k].is_thin) continue;
        const dlp_transform *transform = &sph->scratch.walls.transforms[k];
        sight s = {.obstacle = k, .from = dlp_to_body(transform, x)};
        s.distance = dlp_shape_probe(sph->bodies[k].shape, s.from, &s.normal);
        if (s.distance > 2.2 * sph->params.support) continue;
        int32_t kept = 0;
        for (int32_t n = 0; n < count; n++) {
            const int32_t j = entries[n];
            const bool is_hidden =
                j >= sph->state.particles.count
                    ? !is_on_side(sph, j, i)
                    : is_crossing(sph, &s, dlp_rotate_back(transform, listed_offset(sph, i, j)));
            if (!is_hidden) entries[kept++] = j;
        }
        count = kept;
    }
    return count;
}
