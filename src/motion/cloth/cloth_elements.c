/* Forces and matrices of the elements, and what particles gather of them. Only elements with a corner that
 * moved are computed, and only particles with such an element gather. */
#include "motion/cloth/cloth_solver.h"

#include <string.h>

enum { GRAIN = 256, COUNT_GRAIN = 8192 };

typedef struct element_pass {
    dlp_cloth *cloth;
    double step;    // s
    bool is_whole;  // all are computed, moved or not
} element_pass;

// Inner damping resists a change of strain: it goes with the material part alone.
static dlp_stiffness_share share_of(const element_pass *pass, int32_t substance)
{
    const double h = pass->step, damping = pass->cloth->params.fabrics[substance].inner_damping;
    return (dlp_stiffness_share){.material = h * h + h * damping, .geometric = h * h};
}

// 1/s: inner damping of a step whose elements are where its motion leads: there it is part of the force, else
// of what the matrix takes off.
static double damping_of(const element_pass *pass, int32_t substance)
{
    return dlp_cloth_is_carried(pass->cloth) ? pass->cloth->params.fabrics[substance].inner_damping : 0;
}
static const double *places_of(const dlp_cloth *cloth)
{
    return dlp_cloth_is_carried(cloth) ? cloth->scratch.motion.predicted : cloth->state.particles.position;
}
static dlp_vec3 speed_of(const element_pass *pass, int32_t i)
{
    return dlp_cloth_get(pass->cloth->scratch.motion.effective, i);
}

// Elements.

static dlp_vec3 warp_of(const dlp_cloth_triangle *t, dlp_vec3 e1, dlp_vec3 e2)
{
    return dlp_along(dlp_mul(e1, t->inverse_rest[0]), e2, t->inverse_rest[2]);
}
static dlp_vec3 weft_of(const dlp_cloth_triangle *t, dlp_vec3 e1, dlp_vec3 e2)
{
    return dlp_along(dlp_mul(e1, t->inverse_rest[1]), e2, t->inverse_rest[3]);
}

static dlp_membrane_law law_of(const dlp_cloth *cloth, const dlp_cloth_triangle *t)
{
    const dlp_fabric *f = &cloth->params.fabrics[t->substance];
    return (dlp_membrane_law){f->stretch[0] * t->area, f->stretch[1] * t->area, f->shear * t->area};
}

static dlp_vec3 side_from(const double *x, const int32_t *corner, int k)
{
    return dlp_sub(dlp_cloth_get(x, corner[k]), dlp_cloth_get(x, corner[0]));
}

static void damp_triangle(const element_pass *pass, int32_t index, dlp_membrane_law law, dlp_vec3 u,
                          dlp_vec3 v)
{
    const dlp_cloth_triangle *t = &pass->cloth->params.triangles.rest[index];
    const int32_t *corner = dlp_cloth_corners_of(&pass->cloth->state.corners, index);
    const double *speed = pass->cloth->scratch.motion.effective, damping = damping_of(pass, t->substance);
    if (!(damping > 0)) return;
    const dlp_vec3 d1 = side_from(speed, corner, 1), d2 = side_from(speed, corner, 2);
    const dlp_vec3 du = warp_of(t, d1, d2), dv = weft_of(t, d1, d2);
    const dlp_stiffness_share share = {.material = damping};
    const dlp_membrane_hessian h = dlp_membrane_stiffness(law, u, v, share, dlp_vec(0, 0, 0));
    dlp_membrane_force *force = &pass->cloth->scratch.terms.triangles[index].force;
    const dlp_vec3 vu = dlp_vec(dlp_dot(h.uv.x, du), dlp_dot(h.uv.y, du), dlp_dot(h.uv.z, du));
    force->u = dlp_add(force->u, dlp_add(dlp_sym3_apply(h.uu, du), dlp_mat3_apply(h.uv, dv)));
    force->v = dlp_add(force->v, dlp_add(dlp_sym3_apply(h.vv, dv), vu));
}

static void compute_triangle(const element_pass *pass, int32_t index)
{
    const dlp_cloth_triangle *t = &pass->cloth->params.triangles.rest[index];
    const int32_t *corner = dlp_cloth_corners_of(&pass->cloth->state.corners, index);
    const double *x = places_of(pass->cloth), *now = pass->cloth->state.particles.position;
    const dlp_vec3 e1 = side_from(x, corner, 1), e2 = side_from(x, corner, 2);
    const dlp_vec3 n1 = side_from(now, corner, 1), n2 = side_from(now, corner, 2);
    const dlp_vec3 u = warp_of(t, e1, e2), v = weft_of(t, e1, e2);
    const dlp_vec3 nu = warp_of(t, n1, n2), nv = weft_of(t, n1, n2);
    const dlp_membrane_law law = law_of(pass->cloth, t);
    const dlp_vec3 tension = {dlp_length(nu), dlp_length(nv), dlp_dot(nu, nv)};
    dlp_triangle_terms *terms = &pass->cloth->scratch.terms.triangles[index];
    terms->force = dlp_membrane_gradient(law, u, v);
    terms->matrix = dlp_membrane_stiffness(law, u, v, share_of(pass, t->substance), tension);
    damp_triangle(pass, index, law, u, v);
}

static dlp_hinge_shape shape_of(const double *x, const dlp_cloth_hinge *hinge)
{
    return dlp_hinge_of(dlp_cloth_get(x, hinge->corner[0]), dlp_cloth_get(x, hinge->corner[1]),
                        dlp_cloth_get(x, hinge->corner[2]), dlp_cloth_get(x, hinge->corner[3]));
}

// Rad: the shorter way round, so that a hinge folded past the half turn does not snap; 0 where a triangle has
// no area.
static double angle_beyond_rest(const dlp_cloth_hinge *hinge, const dlp_hinge_shape *shape)
{
    const dlp_vec3 g = shape->gradient[2];
    return dlp_dot(g, g) > 0 ? remainder(shape->angle - hinge->rest_angle, 2 * DLP_PI) : 0;
}

static void compute_hinge(const element_pass *pass, int32_t index)
{
    const dlp_cloth_hinge *hinge = &pass->cloth->connectivity.hinges[index];
    const dlp_hinge_shape shape = shape_of(places_of(pass->cloth), hinge);
    dlp_hinge_terms *terms = &pass->cloth->scratch.terms.hinges[index];
    memcpy(terms->gradient, shape.gradient, sizeof terms->gradient);
    terms->angle = angle_beyond_rest(hinge, &shape);
    terms->rate = 0;
    for (int k = 0; k < 4; k++) terms->rate += dlp_dot(shape.gradient[k], speed_of(pass, hinge->corner[k]));
}

// Of a side's bend per angle of its five hinges. A triangle that is held whole does not bend, and the one
// beside it bends as far as the hinge between them: the clamp is at the side.
static const double *bend_share(const dlp_cloth *cloth, const dlp_cloth_curvature *curvature, int side)
{
    static const double HELD[5] = {0, 0, 0, 0, 0}, BESIDE[5] = {1, 0, 0, 0, 0};
    const uint8_t *is_pinned = cloth->scratch.motion.is_pinned;
    const dlp_cloth_hinge *hinge = &cloth->connectivity.hinges[curvature->hinge[side]];
    const int32_t *c = hinge->corner;
    const int own = hinge->triangle[0] == curvature->triangle && hinge->side[0] == side ? 2 : 3;
    if (!is_pinned[c[0]] || !is_pinned[c[1]] || is_pinned[c[2]] == is_pinned[c[3]])
        return curvature->share[side];
    return is_pinned[c[own]] ? HELD : BESIDE;
}

// Derivatives of the curvature to the angles of the hinges.
typedef struct curvature_map {
    double of[DLP_CURVATURE_HINGES][3];
} curvature_map;

static curvature_map map_of(const dlp_cloth *cloth, const dlp_cloth_curvature *curvature)
{
    curvature_map map = {0};
    for (int side = 0; side < 3; side++) {
        const int hinges[5] = {side, (side + 1) % 3, (side + 2) % 3, 3 + 2 * side, 4 + 2 * side};
        if (curvature->hinge[side] < 0) continue;
        const double *share = bend_share(cloth, curvature, side);
        for (int k = 0; k < 5; k++)
            for (int r = 0; r < 3; r++) map.of[hinges[k]][r] += share[k] * curvature->tensor[side][r];
    }
    return map;
}

static void compute_curvature(const element_pass *pass, int32_t index)
{
    const dlp_cloth_curvature *curvature = &pass->cloth->connectivity.curvatures[index];
    const int32_t substance = pass->cloth->params.triangles.rest[curvature->triangle].substance;
    const curvature_map map = map_of(pass->cloth, curvature);
    const double damping = damping_of(pass, substance);
    dlp_curvature_terms *terms = &pass->cloth->scratch.terms.curvatures[index];
    memset(terms, 0, sizeof *terms);
    for (int h = 0; h < DLP_CURVATURE_HINGES; h++) {
        if (curvature->hinge[h] < 0) continue;
        const dlp_hinge_terms *hinge = &pass->cloth->scratch.terms.hinges[curvature->hinge[h]];
        for (int r = 0; r < 3; r++) {
            terms->force[r] += map.of[h][r] * (hinge->angle + damping * hinge->rate) * curvature->stiffness;
            for (int k = 0; k < 4; k++) {
                dlp_vec3 *gradient = &terms->gradient[curvature->place[h][k]][r];
                *gradient = dlp_along(*gradient, hinge->gradient[k], map.of[h][r]);
            }
        }
    }
    terms->matrix = curvature->stiffness * share_of(pass, substance).material;
}

static void compute_link(const element_pass *pass, int32_t index)
{
    const dlp_cloth_link *link = &pass->cloth->params.links.rest[index];
    const int32_t *end = dlp_cloth_ends_of(&pass->cloth->state.ends, index);
    const dlp_vec3 d = side_from(places_of(pass->cloth), end, 1);
    const dlp_vec3 now = side_from(pass->cloth->state.particles.position, end, 1);
    const double k = link->stiffness, tension = dlp_length(now) / link->length;
    const dlp_stiffness_share damping = {.material = damping_of(pass, link->substance)};
    dlp_link_terms *terms = &pass->cloth->scratch.terms.links[index];
    terms->force = dlp_link_gradient(k, link->length, d);
    terms->matrix = dlp_link_stiffness(k, tension, d, share_of(pass, link->substance));
    if (damping.material > 0)
        terms->force =
            dlp_add(terms->force, dlp_sym3_apply(dlp_link_stiffness(k, 1, d, damping),
                                                 side_from(pass->cloth->scratch.motion.effective, end, 1)));
}

// Between what is held and what is not there is half a cell that bends, from the last held particle to the
// middle of the link that leaves it: the clamp is at the particle, and not half a link behind it.
static double bend_stiffness(const dlp_cloth *cloth, const dlp_cloth_bend *bend)
{
    const uint8_t *is_pinned = cloth->scratch.motion.is_pinned;
    const int32_t *c = bend->corner;
    const bool is_clamp = is_pinned[c[1]] && is_pinned[c[0]] != is_pinned[c[2]];
    return is_clamp ? 2 * bend->stiffness : bend->stiffness;
}

static dlp_vec3 curvature_of(const double *x, const dlp_cloth_bend *bend)
{
    return dlp_rope_curvature(dlp_cloth_get(x, bend->corner[0]), dlp_cloth_get(x, bend->corner[1]),
                              dlp_cloth_get(x, bend->corner[2]), bend->length[0], bend->length[1]);
}

static void compute_bend(const element_pass *pass, int32_t index)
{
    const dlp_cloth_bend *bend = &pass->cloth->connectivity.bends[index];
    const int32_t substance = pass->cloth->state.particles.substance[bend->corner[0]];
    const double stiffness = bend_stiffness(pass->cloth, bend);
    const dlp_vec3 rate = curvature_of(pass->cloth->scratch.motion.effective, bend);
    dlp_bend_terms *terms = &pass->cloth->scratch.terms.bends[index];
    terms->force = dlp_mul(
        dlp_along(curvature_of(places_of(pass->cloth), bend), rate, damping_of(pass, substance)), stiffness);
    terms->matrix = stiffness * share_of(pass, substance).material;
}

static dlp_vec3 twist_of(const double *x, const dlp_cloth_twist *twist)
{
    const int32_t *c = twist->corner;
    return dlp_cell_twist(dlp_cloth_get(x, c[0]), dlp_cloth_get(x, c[1]), dlp_cloth_get(x, c[2]),
                          dlp_cloth_get(x, c[3]));
}

static void compute_twist(const element_pass *pass, int32_t index)
{
    const dlp_cloth_twist *twist = &pass->cloth->connectivity.twists[index];
    const int32_t substance = pass->cloth->state.particles.substance[twist->corner[0]];
    const dlp_vec3 rate = twist_of(pass->cloth->scratch.motion.effective, twist);
    dlp_bend_terms *terms = &pass->cloth->scratch.terms.twists[index];
    terms->force =
        dlp_mul(dlp_along(twist_of(places_of(pass->cloth), twist), rate, damping_of(pass, substance)),
                twist->stiffness);
    terms->matrix = twist->stiffness * share_of(pass, substance).material;
}

// Whether a corner moved.
static inline bool is_due(const element_pass *pass, const int32_t *corner, int count)
{
    const int32_t *is_moved = pass->cloth->state.particles.is_moved;
    int32_t any = pass->is_whole;
    for (int k = 0; k < count; k++) any |= is_moved[corner[k]];
    return any != 0;
}

static void do_triangles(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const element_pass *pass = context;
    for (int32_t k = begin; k < end; k++) {
        const int32_t *c = dlp_cloth_corners_of(&pass->cloth->state.corners, k);
        if (is_due(pass, c, 3)) compute_triangle(pass, k);
    }
}

static void do_hinges(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const element_pass *pass = context;
    for (int32_t k = begin; k < end; k++) {
        const int32_t *c = pass->cloth->connectivity.hinges[k].corner;
        if (is_due(pass, c, 4)) compute_hinge(pass, k);
    }
}

static void do_curvatures(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const element_pass *pass = context;
    for (int32_t k = begin; k < end; k++) {
        const dlp_cloth_curvature *c = &pass->cloth->connectivity.curvatures[k];
        if (is_due(pass, c->corner, c->corner_count)) compute_curvature(pass, k);
    }
}

static void do_twists(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const element_pass *pass = context;
    for (int32_t k = begin; k < end; k++)
        if (is_due(pass, pass->cloth->connectivity.twists[k].corner, 4)) compute_twist(pass, k);
}

static void do_links(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const element_pass *pass = context;
    for (int32_t k = begin; k < end; k++) {
        const dlp_cloth_ends *ends = &pass->cloth->state.ends;
        if (!ends->is_torn[k] && is_due(pass, dlp_cloth_ends_of(ends, k), 2)) compute_link(pass, k);
    }
}

static void do_bends(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const element_pass *pass = context;
    for (int32_t k = begin; k < end; k++) {
        const int32_t *c = pass->cloth->connectivity.bends[k].corner;
        if (is_due(pass, c, 3)) compute_bend(pass, k);
    }
}

// Rows.

// block += m s + n t, by columns
static inline void add_matrix(double *block, const dlp_mat3 *m, double s)
{
    block[0] += s * m->x.x;
    block[1] += s * m->x.y;
    block[2] += s * m->x.z;
    block[3] += s * m->y.x;
    block[4] += s * m->y.y;
    block[5] += s * m->y.z;
    block[6] += s * m->z.x;
    block[7] += s * m->z.y;
    block[8] += s * m->z.z;
}

static inline dlp_mat3 matrix_of(const dlp_sym3 *a)
{
    return (dlp_mat3){{a->xx, a->xy, a->xz}, {a->xy, a->yy, a->yz}, {a->xz, a->yz, a->zz}};
}
static inline dlp_mat3 transposed(const dlp_mat3 *a)
{
    return (dlp_mat3){{a->x.x, a->y.x, a->z.x}, {a->x.y, a->y.y, a->z.y}, {a->x.z, a->y.z, a->z.z}};
}
static inline dlp_mat3 mix(const dlp_mat3 *a, double s, const dlp_mat3 *b, double t)
{
    return (dlp_mat3){dlp_along(dlp_mul(a->x, s), b->x, t), dlp_along(dlp_mul(a->y, s), b->y, t),
                      dlp_along(dlp_mul(a->z, s), b->z, t)};
}

// With w_u = sum alpha_a x_a, w_v = sum beta_a x_a: block (a, b) = alpha_b P + beta_b Q,
// P = alpha_a uu + beta_a vu, Q = alpha_a uv + beta_a vv.
static dlp_vec3 add_triangle(const dlp_cloth *cloth, const dlp_incidence *at, double *row)
{
    const double *inverse_rest = cloth->params.triangles.rest[at->element].inverse_rest;
    const dlp_triangle_terms *terms = &cloth->scratch.terms.triangles[at->element];
    const double alpha[3] = {-inverse_rest[0] - inverse_rest[2], inverse_rest[0], inverse_rest[2]};
    const double beta[3] = {-inverse_rest[1] - inverse_rest[3], inverse_rest[1], inverse_rest[3]};
    const double s = alpha[at->corner], t = beta[at->corner];
    const dlp_mat3 uu = matrix_of(&terms->matrix.uu), vv = matrix_of(&terms->matrix.vv);
    const dlp_mat3 vu = transposed(&terms->matrix.uv);
    const dlp_mat3 p = mix(&uu, s, &vu, t), q = mix(&terms->matrix.uv, s, &vv, t);
    for (int b = 0; b < 3; b++) {
        const dlp_mat3 block = mix(&p, alpha[b], &q, beta[b]);
        add_matrix(row + 9 * (size_t)at->slot[b], &block, 1);
    }
    return dlp_along(dlp_mul(terms->force.u, s), terms->force.v, t);
}

static dlp_vec3 add_curvature(const dlp_cloth *cloth, const dlp_incidence *at, double *row)
{
    const dlp_cloth_curvature *curvature = &cloth->connectivity.curvatures[at->element];
    const dlp_curvature_terms *terms = &cloth->scratch.terms.curvatures[at->element];
    const dlp_vec3 *g = terms->gradient[at->corner];
    for (int32_t b = 0; b < curvature->corner_count; b++)
        for (int r = 0; r < 3; r++) {
            const dlp_mat3 block = dlp_mat3_of(g[r], terms->gradient[b][r], terms->matrix, 0);
            add_matrix(row + 9 * (size_t)curvature->slot[at->corner][b], &block, 1);
        }
    return dlp_along(dlp_along(dlp_mul(g[0], terms->force[0]), g[1], terms->force[1]), g[2], terms->force[2]);
}

static dlp_vec3 add_link(const dlp_cloth *cloth, const dlp_incidence *at, double *row)
{
    const dlp_link_terms *terms = &cloth->scratch.terms.links[at->element];
    const dlp_mat3 block = matrix_of(&terms->matrix);
    for (int b = 0; b < 2; b++) add_matrix(row + 9 * (size_t)at->slot[b], &block, b == at->corner ? 1 : -1);
    return dlp_mul(terms->force, at->corner == 1 ? 1 : -1);
}

// Blocks of a linear element: its matrix times the product of two weights.
static void add_linear(const dlp_incidence *at, double matrix, const double *weight, int count, double *row)
{
    for (int k = 0; k < count; k++) {
        double *block = row + 9 * (size_t)at->slot[k];
        const double value = matrix * weight[at->corner] * weight[k];
        block[0] += value;
        block[4] += value;
        block[8] += value;
    }
}

static dlp_vec3 add_twist(const dlp_cloth *cloth, const dlp_incidence *at, double *row)
{
    static const double WEIGHT[4] = {1, 1, -1, -1};
    const dlp_bend_terms *terms = &cloth->scratch.terms.twists[at->element];
    add_linear(at, terms->matrix, WEIGHT, 4, row);
    return dlp_mul(terms->force, WEIGHT[at->corner]);
}

static dlp_vec3 add_bend(const dlp_cloth *cloth, const dlp_incidence *at, double *row)
{
    const dlp_cloth_bend *bend = &cloth->connectivity.bends[at->element];
    const dlp_bend_terms *terms = &cloth->scratch.terms.bends[at->element];
    const double a = 1 / bend->length[0], b = 1 / bend->length[1];
    const double weight[3] = {a, -a - b, b};
    add_linear(at, terms->matrix, weight, 3, row);
    return dlp_mul(terms->force, weight[at->corner]);
}

static void add_air(const dlp_cloth *cloth, int32_t i, double step, double *block)
{
    const double *d = cloth->contact.scratch.air.damping + 6 * (size_t)i;
    const dlp_sym3 damping = {d[0], d[1], d[2], d[3], d[4], d[5]};
    const dlp_mat3 matrix = matrix_of(&damping);
    add_matrix(block, &matrix, step);
}

static dlp_vec3 add_element(const dlp_cloth *cloth, const dlp_incidence *at, double *row)
{
    switch ((dlp_element_kind)at->kind) {
    case DLP_ELEMENT_TRIANGLE:
        return add_triangle(cloth, at, row);
    case DLP_ELEMENT_CURVATURE:
        return add_curvature(cloth, at, row);
    case DLP_ELEMENT_TWIST:
        return add_twist(cloth, at, row);
    case DLP_ELEMENT_LINK:
        return add_link(cloth, at, row);
    default:
        return add_bend(cloth, at, row);
    }
}

static void gather_row(const element_pass *pass, int32_t i)
{
    const dlp_cloth *cloth = pass->cloth;
    const dlp_cloth_connectivity *c = &cloth->connectivity;
    const dlp_cloth_matrix *m = &c->matrix;
    double *row = m->blocks + 9 * (size_t)m->begin[i];
    assert(m->column[m->begin[i]] == i);  // what follows adds to the diagonal
    memset(row, 0, (size_t)(m->begin[i + 1] - m->begin[i]) * 9 * sizeof(double));
    dlp_vec3 gradient = {0, 0, 0};
    for (int32_t k = c->incidence_begin[i]; k < c->incidence_begin[i + 1]; k++)
        gradient = dlp_add(gradient, add_element(cloth, &c->incidences[k], row));
    dlp_cloth_set(cloth->scratch.motion.force, i, dlp_mul(gradient, -1));
    const double damping =
        pass->step * dlp_cloth_fabric_of(cloth, i)->damping * cloth->state.particles.mass[i];
    for (int k = 0; k < 3; k++) row[4 * k] += damping;
    add_air(cloth, i, pass->step, row);
}

static void gather_rows(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const element_pass *pass = context;
    const dlp_cloth_matrix *m = &pass->cloth->connectivity.matrix;
    const int32_t *is_moved = pass->cloth->state.particles.is_moved;
    for (int32_t i = begin; i < end; i++) {
        bool is_changed = pass->is_whole;
        for (int32_t k = m->begin[i]; k < m->begin[i + 1] && !is_changed; k++)
            is_changed = is_moved[m->column[k]];
        if (is_changed) gather_row(pass, i);
    }
}

static void count_moved(void *context, int32_t begin, int32_t end, void *result)
{
    const int32_t *is_moved = context;
    int64_t *count = result;
    for (int32_t i = begin; i < end; i++) *count += is_moved[i];
}

static bool any_moved(const dlp_cloth *cloth)
{
    const dlp_reduction reduction = {count_moved, dlp_combine_sum_int64, cloth->state.particles.is_moved,
                                     sizeof(int64_t)};
    int64_t count = 0;
    dlp_parallel_reduce(cloth->params.team, cloth->state.particles.count, COUNT_GRAIN, &reduction, &count);
    return count > 0;
}

// Bends know who is held: what was caught or let go since is as good as moved.
static void mark_released(dlp_cloth *cloth)
{
    const dlp_cloth_motion *motion = &cloth->scratch.motion;
    const dlp_cloth_particles *p = &cloth->state.particles;
    for (int32_t i = 0; i < p->count; i++) {
        if (motion->is_pinned[i] != p->was_pinned[i]) p->is_moved[i] = 1;
        p->was_pinned[i] = motion->is_pinned[i];
    }
}

void dlp_cloth_update_elements(dlp_cloth *cloth, double step)
{
    element_pass pass = {cloth, step, cloth->scratch.terms.built_step != step};
    const dlp_cloth_params *params = &cloth->params;
    const int32_t count = cloth->state.particles.count;
    int32_t *is_moved = cloth->state.particles.is_moved;
    mark_released(cloth);
    if (!pass.is_whole && !any_moved(cloth)) return;
    cloth->scratch.terms.built_step = step;
    dlp_parallel_for(params->team, params->triangles.count, GRAIN, do_triangles, &pass);
    dlp_parallel_for(params->team, cloth->connectivity.hinge_count, GRAIN, do_hinges, &pass);
    dlp_parallel_for(params->team, cloth->connectivity.curvature_count, GRAIN, do_curvatures, &pass);
    dlp_parallel_for(params->team, cloth->connectivity.twist_count, GRAIN, do_twists, &pass);
    dlp_parallel_for(params->team, params->links.count, GRAIN, do_links, &pass);
    dlp_parallel_for(params->team, cloth->connectivity.bend_count, GRAIN, do_bends, &pass);
    dlp_parallel_for(params->team, count, GRAIN, gather_rows, &pass);
    dlp_parallel_set(params->team, is_moved, 0, (size_t)count * sizeof *is_moved);
}

// Energy.

static double curvature_energy(const dlp_cloth *cloth, const dlp_cloth_curvature *curvature)
{
    const curvature_map map = map_of(cloth, curvature);
    double sum[3] = {0};
    for (int h = 0; h < DLP_CURVATURE_HINGES; h++) {
        if (curvature->hinge[h] < 0) continue;
        const dlp_cloth_hinge *hinge = &cloth->connectivity.hinges[curvature->hinge[h]];
        const dlp_hinge_shape shape = shape_of(cloth->state.particles.position, hinge);
        const double angle = angle_beyond_rest(hinge, &shape);
        for (int r = 0; r < 3; r++) sum[r] += map.of[h][r] * angle;
    }
    return 0.5 * curvature->stiffness * (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
}

static double bending_energy(const dlp_cloth *cloth)
{
    const dlp_cloth_connectivity *c = &cloth->connectivity;
    const double *x = cloth->state.particles.position;
    double energy = 0;
    for (int32_t k = 0; k < c->curvature_count; k++) energy += curvature_energy(cloth, &c->curvatures[k]);
    for (int32_t k = 0; k < c->twist_count; k++) {
        const dlp_vec3 twist = twist_of(x, &c->twists[k]);
        energy += 0.5 * c->twists[k].stiffness * dlp_dot(twist, twist);
    }
    for (int32_t k = 0; k < c->bend_count; k++) {
        const dlp_cloth_bend *b = &c->bends[k];
        const dlp_vec3 curvature = curvature_of(x, b);
        energy += 0.5 * bend_stiffness(cloth, b) * dlp_dot(curvature, curvature);
    }
    return energy;
}

double dlp_cloth_elastic_energy(const dlp_cloth *cloth)
{
    const dlp_cloth_params *params = &cloth->params;
    const double *x = cloth->state.particles.position;
    double energy = bending_energy(cloth);
    for (int32_t k = 0; k < params->triangles.count; k++) {
        const dlp_cloth_triangle *t = &params->triangles.rest[k];
        const int32_t *corner = dlp_cloth_corners_of(&cloth->state.corners, k);
        const dlp_vec3 x0 = dlp_cloth_get(x, corner[0]);
        const dlp_vec3 e1 = dlp_sub(dlp_cloth_get(x, corner[1]), x0);
        const dlp_vec3 e2 = dlp_sub(dlp_cloth_get(x, corner[2]), x0);
        energy += dlp_membrane_energy(law_of(cloth, t), warp_of(t, e1, e2), weft_of(t, e1, e2));
    }
    for (int32_t k = 0; k < params->links.count; k++) {
        const dlp_cloth_link *l = &params->links.rest[k];
        const int32_t *end = dlp_cloth_ends_of(&cloth->state.ends, k);
        if (cloth->state.ends.is_torn[k]) continue;
        const dlp_vec3 d = dlp_sub(dlp_cloth_get(x, end[1]), dlp_cloth_get(x, end[0]));
        energy += dlp_link_energy(l->stiffness, l->length, d);
    }
    return energy;
}
