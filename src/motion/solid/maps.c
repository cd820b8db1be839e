/* The affine maps around all particles: F and its rate, from the rows of the sweeps. Every lane of a row
 * writes one particle, so that any number of threads gives the same bits. */
#include "motion/solid/solver.h"

#include <string.h>

enum { GRAIN = 64 };

typedef struct map_pass {
    const dlp_solid *solid;
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

static void add_outer(double m[9], dlp_vec3 a, const double b[3])
{
    const double v[3] = {a.x, a.y, a.z};
    for (int k = 0; k < 9; k++) m[k] += v[k / 3] * b[k % 3];
}

// F = sum (x_j - x_i) b_j^T, dF/dt = sum (v_j - v_i) b_j^T
static void sum_links(const dlp_solid *solid, const dlp_solid_row *row, int32_t lane, dlp_solid_map *out)
{
    const dlp_solid_particles *p = &solid->particles;
    const int32_t i = row->particle[lane];
    const dlp_vec3 x = dlp_solid_get(p->position, i), v = dlp_solid_get(p->velocity, i);
    *out = (dlp_solid_map){{0}, {0}, {0}, {0}};
    for (int32_t n = 0; n < row->link_count; n++) {
        const dlp_solid_link *link = &solid->order.links[row->first_link + n];
        const int32_t j = link->particle[lane];
        const double b[3] = {(double)link->b[0][lane], (double)link->b[1][lane], (double)link->b[2][lane]};
        add_outer(out->gradient, dlp_sub(dlp_solid_get(p->position, j), x), b);
        add_outer(out->rate, dlp_sub(dlp_solid_get(p->velocity, j), v), b);
    }
}

static void rotation_of(const float q[4], double out[9])
{
    const double w = (double)q[0], x = (double)q[1], y = (double)q[2], z = (double)q[3];
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(out, r, sizeof r);
}

// Along directions M without neighbours F takes the rotation's columns n = R m. They stay at right angles to
// the others, a = F t: n . da/dt + dn/dt . a = 0 and |n| = 1 give dn/dt = -F^-T (dF/dt)^T n.
static void add_missing(const float q[4], const double m[9], dlp_solid_map *d)
{
    double r[9], normals[9], inverse[9], rate[9], turned[9], change[9];
    rotation_of(q, r);
    multiply(r, m, normals);
    for (int k = 0; k < 9; k++) d->gradient[k] += normals[k];
    if (!invert_transposed(d->gradient, inverse)) return;
    transpose(d->rate, rate);
    multiply(rate, normals, turned);
    multiply(inverse, turned, change);
    for (int k = 0; k < 9; k++) d->rate[k] -= change[k];
}

// Its own place is where it is: at = x - F X, and likewise the velocity.
static void set_origin(const dlp_solid_particles *p, int32_t i, dlp_solid_map *map)
{
    const double *x = p->position + 3 * (size_t)i, *v = p->velocity + 3 * (size_t)i,
                 *rest = p->rest + 3 * (size_t)i;
    for (int k = 0; k < 3; k++) {
        const double *f = map->gradient + 3 * k, *rate = map->rate + 3 * k;
        map->at[k] = x[k] - (f[0] * rest[0] + f[1] * rest[1] + f[2] * rest[2]);
        map->way[k] = v[k] - (rate[0] * rest[0] + rate[1] * rest[1] + rate[2] * rest[2]);
    }
}

static void find_row(const map_pass *pass, const dlp_solid_row *row)
{
    const dlp_solid *solid = pass->solid;
    for (int32_t lane = 0; lane < DLP_LANES; lane++) {
        const int32_t i = row->particle[lane];
        if (i >= solid->particles.count) continue;  // a lane without a particle
        sum_links(solid, row, lane, &pass->out[i]);
        double m[6];
        for (int k = 0; k < 6; k++) m[k] = (double)row->missing[k][lane];
        const double full[9] = {m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2]};
        if (m[0] + m[1] + m[2] > 0.5)
            add_missing(solid->particles.turn + 4 * (int64_t)i, full, &pass->out[i]);
        set_origin(&solid->particles, i, &pass->out[i]);
    }
}

static void find_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const map_pass *pass = context;
    for (int32_t k = begin; k < end; k++) find_row(pass, &pass->solid->order.rows[k]);
}

void dlp_solid_find_maps(const dlp_solid *solid, dlp_solid_map *out_maps)
{
    map_pass pass = {solid, out_maps};
    dlp_parallel_for(solid->team, solid->order.row_count, GRAIN, find_range, &pass);
}
