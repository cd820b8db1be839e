/* One constraint a particle or tetrahedron, solved eight at a time; compiled once a target (base/target.h).
 *
 * The block form: a 3 x 3 multiplier with fixed point Lambda = -c P(F), c = tau^2 V, moves the particles by
 * dx_k = w_k dLambda b_k. With the residual r = Lambda + c P, the rotation R of F and A = R^T r,
 *     dLambda = -R (A + lambda c t I) N,  N = (I + 2 mu c M)^-1,  M = sum w b b^T,
 *     t = -tr(A N M) / (1 + lambda c tr(N M)),  N M = (I - N) / (2 mu c):
 * Newton's step for the corotated stiffness, whatever the law of P.  [yang2023, there with a scalar]
 * Beside it springs hold what the gradient does not see: e_j = (x_j - x_i) - F X_j, with multipliers l_j,
 *     e_j + s / k_j l_j = 0, dx_k = w_k (dl_k - (sum dl_j X_j^T) b_k). */
#define DLP_WIDE
#include "base/target.h"
#include "matter/plastic.h"
#include "motion/solid/solid_law_wide.h"
#include "motion/solid/solid_sweep.h"

// Warm-started: two are enough for what turns in a sub-step.
enum { POLAR_STEPS = 2 };
enum { LINKS = DLP_STENCIL_LIMIT };

// The links of a row as they are gathered.
typedef struct link_state {
    dlp_v3 moved;       // x_j - x_i - X_j
    dlp_v3 correction;  // residual of its spring times `gain`; then what it gets, dl_j
    real mass;          // inverse
    real gain;          // 1 / (w_j + s / k_j)
} link_state;

typedef struct row_state {
    dlp_v3 base, delta;
    real mass;
    link_state links[LINKS];
} row_state;

// Three, six, nine numbers of each lane, one after the other.
DLP_INLINE dlp_v3 load3(const float *from)
{
    const dlp_v3 out = {dlp_wide_load(from), dlp_wide_load(from + 8), dlp_wide_load(from + 16)};
    return out;
}
DLP_INLINE void write3(float *to, dlp_v3 v)
{
    dlp_wide_write(to, v.x);
    dlp_wide_write(to + 8, v.y);
    dlp_wide_write(to + 16, v.z);
}
DLP_INLINE dlp_s3 load6(const float *from)
{
    const dlp_v3 a = load3(from), b = load3(from + 24);
    const dlp_s3 out = {a.x, a.y, a.z, b.x, b.y, b.z};
    return out;
}
DLP_INLINE dlp_t3 load9(const float *from)
{
    const dlp_v3 a = load3(from), b = load3(from + 24), c = load3(from + 48);
    const dlp_t3 out = {a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z};
    return out;
}
DLP_INLINE void write9(float *to, dlp_t3 a)
{
    const dlp_v3 x = {a.xx, a.xy, a.xz}, y = {a.yx, a.yy, a.yz}, z = {a.zx, a.zy, a.zz};
    write3(to, x);
    write3(to + 24, y);
    write3(to + 48, z);
}

DLP_INLINE dlp_wide4 base_of(const dlp_sweep_node *nodes, const int32_t *index)
{
    return dlp_wide_gather4(nodes->base, index, DLP_SWEEP_NODE_SIZE);
}
DLP_INLINE dlp_wide4 delta_of(const dlp_sweep_node *nodes, const int32_t *index)
{
    return dlp_wide_gather4(nodes->delta, index, DLP_SWEEP_NODE_SIZE);
}

DLP_INLINE void add_outer(dlp_t3 *sum, dlp_v3 a, dlp_v3 b)
{
    *sum = dlp_t3_add(*sum, dlp_t3_outer(a, b));
}

// Where everybody is, and H = F - I = sum (x_j - x_i - X_j) b_j^T.
DLP_INLINE dlp_t3 gather(const dlp_solid_sweep *sweep, const dlp_solid_row *row, row_state *a)
{
    const dlp_wide4 base = base_of(sweep->nodes, row->particle),
                    delta = delta_of(sweep->nodes, row->particle);
    const dlp_solid_link *link = sweep->coloring->links + row->first_link;
    dlp_t3 h = dlp_t3_diagonal(real_of(0), real_of(0), real_of(0));
    a->mass = delta.d;
    assert(row->link_count <= LINKS);
    for (int32_t n = 0; n < row->link_count; n++, link++) {
        const dlp_wide4 b = base_of(sweep->nodes, link->particle), r = delta_of(sweep->nodes, link->particle);
        const dlp_v3 edge = {(b.a - base.a) + (r.a - delta.a), (b.b - base.b) + (r.b - delta.b),
                             (b.c - base.c) + (r.c - delta.c)};
        const dlp_v3 x = load3(link->offset[0]), moved = {edge.x - x.x, edge.y - x.y, edge.z - x.z};
        a->links[n].moved = moved;
        a->links[n].mass = r.d;
        add_outer(&h, moved, load3(link->b[0]));
    }
    return h;
}

// The stress and its multiplier.

DLP_INLINE dlp_rotation load_rotation(const dlp_solid_sweep *sweep, const int32_t *index)
{
    const dlp_wide4 q = dlp_wide_gather4(sweep->rotations, index, 4);
    const dlp_rotation out = {q.a, q.b, q.c, q.d};
    return out;
}

// Where it has no neighbours, it is as long as at rest.
DLP_INLINE dlp_t3 keep_missing(const dlp_solid_row *row, dlp_rotation q)
{
    return dlp_t3_product_symmetric(dlp_rotation_change(q), load6(row->missing[0]));
}

// G = F_p^-1 - I
DLP_INLINE dlp_t3 load_plastic(const dlp_solid_sweep *sweep, const int32_t *index)
{
    real m[9];
    for (int k = 0; k < 9; k++)
        for (int lane = 0; lane < DLP_LANES; lane++)
            m[k][lane] = sweep->plastic[9 * (int64_t)index[lane] + k];
    const dlp_t3 out = {m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]};
    return out;
}

DLP_INLINE dlp_elastic add_fibers(const dlp_solid_step_constants *constants, dlp_t3 h, dlp_elastic out)
{
    const dlp_t3 f = dlp_t3_shift(h, real_of(1));
    const dlp_s3 e = dlp_green(h);
    for (int32_t k = 0; k < constants->fiber_count; k++) {
        const float *b = constants->fibers[k];
        const dlp_fiber fiber = {{real_of(b[0]), real_of(b[1]), real_of(b[2])}, real_of(b[3])};
        out = dlp_elastic_add(out, dlp_fiber_law(fiber, f, e));
    }
    return out;
}

// How much stiffer than at rest the law may be here, at most: the sweeps overshoot where they take it for
// softer than it is. In principal stretches the tangent of neo_hookean grows as 1 / s^2, and is 25 in its
// branch for crushed ones; that of stvk as (3 s^2 - 1) / 2. |F^-1|^2 - 2 and |F|^2 - 2 bound the largest of
// each.
DLP_INLINE real stiffening(dlp_elastic_law law, dlp_t3 h)
{
    const real one = real_of(1), most = real_of(DLP_STIFFENING_MAX);
    const dlp_t3 f = dlp_t3_shift(h, one);
    if (law == DLP_ELASTIC_COROTATED) return one;
    if (law == DLP_ELASTIC_STVK)
        return real_max(one, real_min(most, 1.5f * (dlp_t3_dot(f, f) - 2.0f) - 0.5f));
    const dlp_t3 cofactor = dlp_t3_cofactor(f);
    const real j = dlp_t3_determinant_by(f, cofactor);
    const real_mask is_right = j > 1e-6f;
    const real square = real_select(is_right, j * j, one);
    const real inverse = real_max(one, real_min(most, dlp_t3_dot(cofactor, cofactor) / square - 2.0f));
    return real_select(is_right, inverse, most);
}

// What has flowed is stiffer along the directions in which it has become thin: by the square of the largest
// stretch of G = F_p^-1, P = P_e G^T and F_e = F G. With det G = 1 the largest square s for a given d = |G|^2
// - 3 has s + 2 / sqrt(s) = d + 3, and is below 1 + sqrt(4 d / 3) + d.
DLP_INLINE real flowed_stiffening(dlp_t3 plastic)
{
    const dlp_t3 g = dlp_t3_shift(plastic, real_of(1));
    const real d = real_max(dlp_t3_dot(g, g) - 3.0f, real_of(0));
    return 1.0f + real_sqrt(d * (4.0f / 3)) + d;
}

// (I + s M)^-1
DLP_INLINE dlp_s3 soften(dlp_s3 m, real s)
{
    return dlp_s3_inverse(dlp_s3_shift(dlp_s3_mul(m, s), real_of(1)));
}

// What a constraint asks of its particles: dx_k = w_k change b_k.
DLP_INLINE dlp_t3 block_change(dlp_solid_row *row, const dlp_solid_step_constants *constants, dlp_t3 rotation,
                               dlp_t3 p, real stiffer, bool is_first, bool is_last)
{
    const real c = constants->square * dlp_wide_load(row->volume);
    const dlp_s3 n = soften(load6(row->spread[0]), 2 * constants->stiffness * c * stiffer);
    const dlp_t3 old = load9(row->multiplier[0]);
    dlp_t3 residual = dlp_t3_mul(p, c);
    if (!is_first) residual = dlp_t3_add(residual, old);
    const dlp_t3 a = dlp_t3_transposed_product(rotation, residual);
    const real seen = dlp_t3_trace(a) - dlp_t3_dot(a, dlp_s3_full(n));  // tr(A (I - N))
    const real bulk =
        constants->lambda / (2 * constants->stiffness + constants->lambda * (3.0f - dlp_s3_trace(n)));
    const dlp_t3 local = dlp_t3_product_symmetric(dlp_t3_shift(a, -bulk * seen), n);
    const dlp_t3 change = dlp_t3_mul(dlp_t3_product(rotation, local), real_of(-1));
    if (!is_last) write9(row->multiplier[0], is_first ? change : dlp_t3_add(old, change));
    return change;
}

// C = sqrt(2 V Psi) or, as in the paper, C = Psi, with compliance 1 / tau^2.  [yang2023, sec. 4]
DLP_INLINE dlp_t3 scalar_change(dlp_solid_row *row, const dlp_solid_step_constants *constants, dlp_t3 p,
                                real energy, bool is_paper_form, bool is_first, bool is_last)
{
    const real alpha = real_of(1 / constants->square), volume = dlp_wide_load(row->volume);
    const real least = real_of(1e-12f * constants->mu);  // near rest C is 0/0
    const real c = is_paper_form ? energy : real_sqrt(2 * volume * (energy + least));
    const dlp_t3 g = is_paper_form ? p : dlp_t3_mul(p, volume / c);
    const real old = is_first ? real_of(0) : dlp_wide_load(row->multiplier[0]);
    const real sum = dlp_t3_dot(dlp_t3_product_symmetric(g, load6(row->spread[0])), g);
    const real change = -(c + alpha * old) / (sum + alpha);
    if (!is_last) dlp_wide_write(row->multiplier[0], old + change);
    return dlp_t3_mul(g, change);
}

// Springs.

// Residuals and what they ask for; returns sum dl_j X_j^T. With e_j = (x_j - x_i) - F X_j = moved - H X_j.
DLP_INLINE dlp_t3 solve_springs(const dlp_solid_sweep *sweep, const dlp_solid_row *row, dlp_t3 h,
                                float spring, row_state *a)
{
    const dlp_solid_link *links = sweep->coloring->links + row->first_link;
    float(*springs)[3][DLP_LANES] = sweep->coloring->springs + row->first_link;
    const real reach = dlp_wide_load(row->reach),
               weight = dlp_wide_load(row->weight) * dlp_wide_load(row->volume);
    const dlp_v3 zero = {real_of(0), real_of(0), real_of(0)};
    real gain_sum = real_of(0);
    dlp_v3 sum = zero;
    for (int32_t n = 0; n < row->link_count; n++) {
        link_state *at = &a->links[n];
        const dlp_v3 x = load3(links[n].offset[0]), straight = dlp_t3_apply(h, x);
        const real inside = real_max(reach - (x.x * x.x + x.y * x.y + x.z * x.z), real_of(0));
        const real k = weight * inside * inside;
        const real scale = 1.0f / (at->mass * k + spring);  // right for k = 0 too
        const dlp_v3 old = sweep->is_first ? zero : load3(springs[n][0]);
        const real share = spring * scale;
        at->gain = k * scale;
        at->correction.x = at->gain * (at->moved.x - straight.x) + share * old.x;
        at->correction.y = at->gain * (at->moved.y - straight.y) + share * old.y;
        at->correction.z = at->gain * (at->moved.z - straight.z) + share * old.z;
        gain_sum += at->gain;
        sum.x += at->correction.x;
        sum.y += at->correction.y;
        sum.z += at->correction.z;
    }
    // the particle itself moves with all of its springs  [sherman1950]
    const real share = a->mass / (1.0f + a->mass * gain_sum);
    dlp_t3 moment = dlp_t3_diagonal(real_of(0), real_of(0), real_of(0));
    for (int32_t n = 0; n < row->link_count; n++) {
        link_state *at = &a->links[n];
        const real back = at->gain * share;
        const dlp_v3 pull = {back * sum.x - at->correction.x, back * sum.y - at->correction.y,
                             back * sum.z - at->correction.z};
        at->correction = pull;
        add_outer(&moment, pull, load3(links[n].offset[0]));
        if (sweep->is_last) continue;
        const dlp_v3 old = sweep->is_first ? zero : load3(springs[n][0]);
        const dlp_v3 new = {old.x + pull.x, old.y + pull.y, old.z + pull.z};
        write3(springs[n][0], new);
    }
    return moment;
}

// Moving the particles.

DLP_INLINE void move(dlp_sweep_node *nodes, const int32_t *index, real mass, dlp_v3 push)
{
    dlp_wide4 delta = delta_of(nodes, index);
    delta.a += mass * push.x;
    delta.b += mass * push.y;
    delta.c += mass * push.z;
    dlp_wide_scatter4(nodes->delta, index, DLP_SWEEP_NODE_SIZE, delta);
}

// change b_k + dl_k
DLP_INLINE dlp_v3 push_on(const dlp_solid_link *link, const link_state *at, dlp_t3 change, bool has_springs)
{
    dlp_v3 push = dlp_t3_apply(change, load3(link->b[0]));
    if (has_springs) {
        push.x += at->correction.x;
        push.y += at->correction.y;
        push.z += at->correction.z;
    }
    return push;
}

static void add_to_tied(const dlp_solid_sweep *sweep, const int32_t *index, real mass, dlp_v3 push,
                        double scale)
{
    for (int lane = 0; lane < DLP_LANES; lane++) {
        if (mass[lane] != 0 || index[lane] >= sweep->particle_count) continue;
        double *to = sweep->tied_impulse + 3 * (int64_t)index[lane];
        to[0] += scale * (double)push.x[lane];
        to[1] += scale * (double)push.y[lane];
        to[2] += scale * (double)push.z[lane];
    }
}

// What particles that do not move are pushed with: tau f = push / (tau drag).
static void note_pushes(const dlp_solid_sweep *sweep, const dlp_solid_row *row, const row_state *a,
                        dlp_t3 change, const dlp_solid_step_constants *constants)
{
    const double scale = sweep->tau / (double)constants->square;
    const dlp_solid_link *links = sweep->coloring->links + row->first_link;
    dlp_v3 back = {real_of(0), real_of(0), real_of(0)};
    for (int32_t n = 0; n < row->link_count; n++) {
        const dlp_v3 push = push_on(&links[n], &a->links[n], change, constants->has_springs);
        add_to_tied(sweep, links[n].particle, a->links[n].mass, push, scale);
        back.x -= push.x;
        back.y -= push.y;
        back.z -= push.z;
    }
    add_to_tied(sweep, row->particle, a->mass, back, scale);
}

// dx_k = w_k (change b_k + dl_k), for the particle itself minus the sum.
DLP_INLINE void apply_corrections(const dlp_solid_sweep *sweep, const dlp_solid_row *row, const row_state *a,
                                  dlp_t3 change, bool has_springs)
{
    const dlp_solid_link *links = sweep->coloring->links + row->first_link;
    dlp_v3 back = {real_of(0), real_of(0), real_of(0)};
    for (int32_t n = 0; n < row->link_count; n++) {
        const dlp_v3 push = push_on(&links[n], &a->links[n], change, has_springs);
        move(sweep->nodes, links[n].particle, a->links[n].mass, push);
        back.x -= push.x;
        back.y -= push.y;
        back.z -= push.z;
    }
    move(sweep->nodes, row->particle, a->mass, back);
}

// A constraint of eight particles.

// Returns how much stiffer than at rest the lanes are together.
DLP_INLINE float solve_row(const dlp_solid_sweep *sweep, dlp_solid_row *row,
                           const dlp_solid_step_constants *constants, dlp_elastic_law law,
                           dlp_constraint_kind constraint)
{
    row_state a;
    dlp_rotation q = load_rotation(sweep, row->own);
    dlp_t3 h = gather(sweep, row, &a);
    if (row->has_missing) h = dlp_t3_add(h, keep_missing(row, q));
    dlp_t3 elastic = h, plastic = h;
    if (constants->is_plastic) {
        plastic = load_plastic(sweep, row->own);
        elastic = dlp_plastic_elastic_part(h, plastic);
    }
    const dlp_t3 f = dlp_t3_shift(elastic, real_of(1));
    for (int k = 0; k < POLAR_STEPS; k++) q = dlp_polar_step(q, f);
    const dlp_lame m = {real_of(constants->mu), real_of(constants->lambda)};
    dlp_elastic at = law_at(law, m, elastic, q);
    if (constants->fiber_count > 0) at = add_fibers(constants, elastic, at);
    if (constants->is_plastic) at.stress = dlp_plastic_stress(at.stress, plastic);
    real stiffer = stiffening(law, elastic);
    if (constants->is_plastic)
        stiffer = real_min(stiffer * flowed_stiffening(plastic), real_of(DLP_STIFFENING_MAX));
    dlp_t3 change = constraint == DLP_CONSTRAINT_BLOCK
                        ? block_change(row, constants, dlp_rotation_matrix(q), at.stress, stiffer,
                                       sweep->is_first, sweep->is_last)
                        : scalar_change(row, constants, at.stress, at.energy,
                                        constraint == DLP_CONSTRAINT_ENERGY, sweep->is_first, sweep->is_last);
    if (constants->has_springs)
        change = dlp_t3_sub(change, solve_springs(sweep, row, h, constants->spring, &a));
    if (row->has_tied) note_pushes(sweep, row, &a, change, constants);
    apply_corrections(sweep, row, &a, change, constants->has_springs);
    const dlp_wide4 rotation = {q.w, q.x, q.y, q.z};
    dlp_wide_scatter4(sweep->rotations, row->own, 4, rotation);
    return dlp_wide_sum(stiffer);
}

#define SOLVE(law, constraint)                                                                               \
    for (int32_t r = 0; r < group->row_count; r++)                                                           \
    sum += solve_row(sweep, &sweep->coloring->rows[group->first_row + r], constants, law, constraint)

void DLP_ON_TARGET(dlp_solid_sweep_group)(const dlp_solid_sweep *sweep, int32_t index)
{
    const dlp_solid_group *group = &sweep->coloring->groups[index];
    const dlp_solid_step_constants *constants = &sweep->constants[group->substance];
    const bool is_block = constants->constraint == DLP_CONSTRAINT_BLOCK;
    assert(group->row_count > 0 && constants->square > 0);  // else it is of no solid, or not set
    float sum = 0;
    if (is_block && constants->law == DLP_ELASTIC_NEO_HOOKEAN)
        SOLVE(DLP_ELASTIC_NEO_HOOKEAN, DLP_CONSTRAINT_BLOCK);
    else if (is_block && constants->law == DLP_ELASTIC_STVK)
        SOLVE(DLP_ELASTIC_STVK, DLP_CONSTRAINT_BLOCK);
    else if (is_block)
        SOLVE(DLP_ELASTIC_COROTATED, DLP_CONSTRAINT_BLOCK);
    else if (constants->law == DLP_ELASTIC_NEO_HOOKEAN)
        SOLVE(DLP_ELASTIC_NEO_HOOKEAN, constants->constraint);
    else if (constants->law == DLP_ELASTIC_STVK)
        SOLVE(DLP_ELASTIC_STVK, constants->constraint);
    else
        SOLVE(DLP_ELASTIC_COROTATED, constants->constraint);
    sweep->stiffening[index] = sum / (float)(DLP_LANES * group->row_count);
}

// Flow.

static void flow_lane(const dlp_solid_sweep *sweep, const dlp_solid_step_constants *constants,
                      const dlp_t3 *h, int lane, int32_t own)
{
    const real entries[9] = {h->xx, h->xy, h->xz, h->yx, h->yy, h->yz, h->zx, h->zy, h->zz};
    float *plastic = sweep->plastic + 9 * (int64_t)own;
    double one[9], g[9];
    for (int k = 0; k < 9; k++) one[k] = (double)entries[k][lane];
    for (int k = 0; k < 9; k++) g[k] = (double)plastic[k];
    if (!dlp_plastic_flow(&constants->plastic, sweep->step, one, g)) return;
    for (int k = 0; k < 9; k++) plastic[k] = (float)g[k];
}

void DLP_ON_TARGET(dlp_solid_yield_group)(const dlp_solid_sweep *sweep, int32_t index)
{
    const dlp_solid_group *group = &sweep->coloring->groups[index];
    const dlp_solid_step_constants *constants = &sweep->constants[group->substance];
    for (int32_t r = 0; r < group->row_count && constants->is_plastic; r++) {
        const dlp_solid_row *row = &sweep->coloring->rows[group->first_row + r];
        row_state a;
        const dlp_rotation q = load_rotation(sweep, row->own);
        dlp_t3 h = gather(sweep, row, &a);
        if (row->has_missing) h = dlp_t3_add(h, keep_missing(row, q));
        const dlp_t3 elastic = dlp_plastic_elastic_part(h, load_plastic(sweep, row->own));
        const real_mask is_inverted = ~(dlp_t3_determinant(dlp_t3_shift(elastic, real_of(1))) > 0.0f);
        const real_mask may =
            dlp_plastic_may_flow(dlp_green(elastic), real_of((float)constants->plastic.yield));
        uint32_t lanes = dlp_wide_bits(may | is_inverted);
        for (; lanes != 0; lanes &= lanes - 1) {
            const int lane = __builtin_ctz(lanes);
            flow_lane(sweep, constants, &h, lane, row->own[lane]);
        }
    }
}
