/* The affine maps around all particles: F and its rate, from the rows of the sweeps. Every lane of a row
 * writes one particle, so that any number of threads gives the same bits. */
#include "motion/solid/solid_gradient.h"

#include <string.h>

enum { GRAIN = 64 };

typedef struct map_pass {
    const dlp_solid *solid;
    const double *positions;
    const float *velocities;
    dlp_solid_map *out;
} map_pass;

static void multiply(const double a[9], const double b[9], double out[9])
{
    for (int k = 0; k < 9; k++)
        out[k] = a[k / 3 * 3] * b[k % 3] + a[k / 3 * 3 + 1] * b[3 + k % 3] + a[k / 3 * 3 + 2] * b[6 + k % 3];
}

static void transpose(const double a[9], double out[9])
{
    for (int k = 0; k < 9; k++) out[k] = a[k % 3 * 3 + k / 3];
}

// The inverse of the transpose; false where there is none.
static bool invert_transposed(const double a[9], double out[9])
{
    double size = 0;
    for (int k = 0; k < 9; k++) {
        const int r = k / 3, c = k % 3, r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3,
                  c2 = (c + 2) % 3;
        out[k] = a[r1 * 3 + c1] * a[r2 * 3 + c2] - a[r1 * 3 + c2] * a[r2 * 3 + c1];
        size += a[k] * a[k];
    }
    const double det = a[0] * out[0] + a[1] * out[1] + a[2] * out[2];
    if (!(fabs(det) > 1e-9 * size * sqrt(size))) return false;
    for (int k = 0; k < 9; k++) out[k] /= det;
    return true;
}

static dlp_vec3 velocity_of(const map_pass *pass, int32_t i)
{
    if (pass->velocities == NULL) return dlp_vec(0, 0, 0);
    const float *v = pass->velocities + 3 * (size_t)i;
    return dlp_vec((double)v[0], (double)v[1], (double)v[2]);
}

// F, and dF/dt = sum (v_j - v_i) b_j^T
static void sum_links(const map_pass *pass, const dlp_solid_row *row, int32_t lane, dlp_solid_map *out)
{
    const dlp_constraint_coloring *coloring = &pass->solid->topology.coloring;
    const dlp_vec3 v = velocity_of(pass, row->particle[lane]);
    *out = (dlp_solid_map){{0}, {0}, {0}, {0}};
    dlp_solid_lane_gradient(coloring, row, lane, pass->positions, 0, out->gradient);
    for (int32_t n = 0; n < row->link_count; n++) {
        const dlp_solid_lane_link link = dlp_solid_link_of_lane(coloring, row, n, lane);
        dlp_solid_add_outer(out->rate, dlp_sub(velocity_of(pass, link.particle), v), link.b);
    }
}

static dlp_vec3 apply(const double m[9], dlp_vec3 x)
{
    return dlp_vec(m[0] * x.x + m[1] * x.y + m[2] * x.z, m[3] * x.x + m[4] * x.y + m[5] * x.z,
                   m[6] * x.x + m[7] * x.y + m[8] * x.z);
}

// The direction onto which a projector of rank 1 projects: its longest column.
static dlp_vec3 direction_of(const double m[9])
{
    const int k = m[0] >= m[4] && m[0] >= m[8] ? 0 : m[4] >= m[8] ? 1 : 2;
    return dlp_normalize(dlp_vec(m[k], m[3 + k], m[6 + k]), dlp_vec(1, 0, 0));
}

static dlp_vec3 across(dlp_vec3 a)
{
    const dlp_vec3 other = fabs(a.x) < 0.6 ? dlp_vec(1, 0, 0) : dlp_vec(0, 1, 0);
    return dlp_normalize(dlp_cross(a, other), dlp_vec(0, 0, 1));
}

// A sheet: its normal m becomes the normal of what becomes of it.
static void rotate_sheet(const double f[9], const double m[9], double out_normals[9])
{
    const dlp_vec3 normal = direction_of(m), u = across(normal), w = dlp_cross(normal, u);
    const dlp_vec3 turned = dlp_normalize(dlp_cross(apply(f, u), apply(f, w)), normal);
    memset(out_normals, 0, 9 * sizeof *out_normals);
    dlp_solid_add_outer(out_normals, turned, normal);
}

// A line: the shortest turn that takes it along. Turned right round, by half a turn about any normal.
static void rotate_line(const double f[9], const double m[9], double out_normals[9])
{
    double along[9], r[9] = {0};
    for (int k = 0; k < 9; k++) along[k] = (k % 4 == 0) - m[k];
    const dlp_vec3 a = direction_of(along), b = dlp_normalize(apply(f, a), a), w = dlp_cross(a, b);
    const double c = dlp_dot(a, b);
    const dlp_vec3 p = across(a);
    if (c > -0.9999) {
        dlp_solid_add_outer(r, dlp_mul(w, 1 / (1 + c)), w);
        const double rotation[9] = {c, -w.z, w.y, w.z, c, -w.x, -w.y, w.x, c};
        for (int k = 0; k < 9; k++) r[k] += rotation[k];
    } else {
        dlp_solid_add_outer(r, dlp_mul(p, 2), p);
        for (int k = 0; k < 9; k += 4) r[k] -= 1;
    }
    multiply(r, m, out_normals);
}

// Directions M without neighbours turn with the others, a = F t, to whose right they stay, as long as at
// rest: with n their places, n . da/dt + dn/dt . a = 0 and |n| = 1 give dn/dt = -F^-T (dF/dt)^T n.
static void add_missing(const double m[9], dlp_solid_map *d)
{
    double normals[9], inverse[9], rate[9], turned[9], change[9];
    const double rank = m[0] + m[4] + m[8];
    if (rank < 1.5)
        rotate_sheet(d->gradient, m, normals);
    else if (rank < 2.5)
        rotate_line(d->gradient, m, normals);
    else
        memcpy(normals, m, sizeof normals);
    for (int k = 0; k < 9; k++) d->gradient[k] += normals[k];
    if (!invert_transposed(d->gradient, inverse)) return;
    transpose(d->rate, rate);
    multiply(rate, normals, turned);
    multiply(inverse, turned, change);
    for (int k = 0; k < 9; k++) d->rate[k] -= change[k];
}

// Its own place is where it is: at = x - F X, and likewise the velocity.
static void set_origin(const map_pass *pass, int32_t i, dlp_solid_map *map)
{
    const dlp_vec3 x = dlp_solid_get(pass->positions, i), v = velocity_of(pass, i);
    const dlp_vec3 x0 = dlp_solid_get(pass->solid->state.particles.x0, i);
    const dlp_vec3 moved = apply(map->gradient, x0), rate = apply(map->rate, x0);
    for (int k = 0; k < 3; k++) {
        map->at[k] = dlp_component(x, k) - dlp_component(moved, k);
        map->velocity[k] = dlp_component(v, k) - dlp_component(rate, k);
    }
}

static void find_row(const map_pass *pass, const dlp_solid_row *row)
{
    for (int32_t lane = 0; lane < DLP_LANES; lane++) {
        const int32_t i = row->particle[lane];
        if (i >= pass->solid->state.particles.count) continue;  // a lane without a particle
        sum_links(pass, row, lane, &pass->out[i]);
        double m[6];
        for (int k = 0; k < 6; k++) m[k] = (double)row->missing[k][lane];
        const double full[9] = {m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2]};
        if (m[0] + m[1] + m[2] > 0.5) add_missing(full, &pass->out[i]);
        set_origin(pass, i, &pass->out[i]);
    }
}

static void find_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const map_pass *pass = context;
    for (int32_t k = begin; k < end; k++) find_row(pass, &pass->solid->topology.coloring.rows[k]);
}

void dlp_solid_find_maps(const dlp_solid *solid, const double *positions, const float *velocities,
                         dlp_solid_map *out_maps)
{
    map_pass pass = {solid, positions, velocities, out_maps};
    dlp_parallel_for(solid->params.team, solid->topology.coloring.row_count, GRAIN, find_range, &pass);
}
