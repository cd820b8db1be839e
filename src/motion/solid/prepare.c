/* What the rows of a sweep need beside the rest shape: masses and the length of the sub-step. */
#include "motion/solid/solver.h"

enum { GRAIN = 16 };

typedef struct preparation {
    dlp_solid *solid;
    double step;
} preparation;

static void add_product(double m[6], dlp_vec3 b, double w)
{
    const double products[6] = {b.x * b.x, b.y * b.y, b.z * b.z, b.x * b.y, b.x * b.z, b.y * b.z};
    for (int k = 0; k < 6; k++) m[k] += w * products[k];
}

// M = sum over neighbours and itself of w b b^T; its own b is minus the sum of the others.
static void find_spread(const dlp_solid *solid, const dlp_solid_row *row, int32_t lane, double m[6])
{
    dlp_vec3 own = dlp_vec(0, 0, 0);
    for (int k = 0; k < 6; k++) m[k] = 0;
    for (int32_t n = 0; n < row->link_count; n++) {
        const dlp_solid_link *link = &solid->order.links[row->first_link + n];
        const dlp_vec3 b =
            dlp_vec((double)link->b[0][lane], (double)link->b[1][lane], (double)link->b[2][lane]);
        add_product(m, b, (double)solid->spots[link->particle[lane]].inverse_mass);
        own = dlp_sub(own, b);
    }
    add_product(m, own, (double)solid->spots[row->particle[lane]].inverse_mass);
}

// The inverse of I + s M.
static void invert(const double m[6], double s, double out[6])
{
    const double xx = 1 + s * m[0], yy = 1 + s * m[1], zz = 1 + s * m[2], xy = s * m[3], xz = s * m[4],
                 yz = s * m[5];
    const double cofactors[6] = {yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy,
                                 xz * yz - xy * zz, xy * yz - xz * yy, xy * xz - xx * yz};
    const double det = xx * cofactors[0] + xy * cofactors[3] + xz * cofactors[4];
    for (int k = 0; k < 6; k++) out[k] = cofactors[k] / det;
}

void dlp_solid_prepare_row(const dlp_solid *solid, const dlp_flesh *flesh, dlp_solid_row *row, double step)
{
    const double stiffness = 2 * flesh->mu * flesh->volume * step * step;
    for (int32_t lane = 0; lane < DLP_LANES; lane++) {
        double spread[6], inverse[6];
        find_spread(solid, row, lane, spread);
        invert(spread, stiffness, inverse);
        for (int k = 0; k < 6; k++) row->spread[k][lane] = (float)spread[k];
        for (int k = 0; k < 6; k++) row->inverse[k][lane] = (float)inverse[k];
    }
}

static void prepare_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const preparation *pass = context;
    dlp_weave_order *order = &pass->solid->order;
    for (int32_t g = begin; g < end; g++) {
        const dlp_solid_group *group = &order->groups[g];
        const dlp_flesh *flesh = &pass->solid->flesh[group->substance];
        for (int32_t r = 0; r < group->row_count; r++)
            dlp_solid_prepare_row(pass->solid, flesh, &order->rows[group->first_row + r], pass->step);
    }
}

void dlp_solid_prepare_rows(dlp_solid *solid, double step)
{
    preparation pass = {solid, step};
    dlp_parallel_for(solid->team, solid->order.group_count, GRAIN, prepare_range, &pass);
    solid->built_step = step;
}
