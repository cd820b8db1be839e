/* Elastic energies of cloth: a membrane triangle, a link of a rope, a hinge between triangles, and the bend
 * of a rope. Each gives its energy, the energy's gradient (the force is its opposite) and a symmetric,
 * positive semi-definite approximation of its second derivative, so that implicit steps are solvable. What
 * was dropped is said at each. "Material" is the part of the second derivative that resists a change of the
 * strain, and damps it; "geometric" is the part that comes with the force and rotates with the element, and
 * damps nothing. [baraff1998, sec. 4]
 * All lengths are in m, all energies in J (a membrane's in J/m2). Rest
 * lengths are above 0; an edge or a triangle that has collapsed gives no force. */
#ifndef DLP_MATTER_CLOTH_ENERGY_H
#define DLP_MATTER_CLOTH_ENERGY_H

#if defined(__OPENCL_C_VERSION__)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double3 dlp_vec3;
#define dlp_vec(x, y, z)   ((double3)((x), (y), (z)))
#define dlp_add(a, b)      ((a) + (b))
#define dlp_sub(a, b)      ((a) - (b))
#define dlp_mul(a, s)      ((a) * (s))
#define dlp_along(a, b, s) ((a) + (b) * (s))
#define dlp_dot(a, b)      dot(a, b)
#define dlp_cross(a, b)    cross(a, b)
#define dlp_length(a)      sqrt(dot(a, a))
#else
#include "base/vec.h"
#endif

/* A symmetric 3 x 3 matrix, and a general one by columns. */
typedef struct dlp_sym3 {
    double xx, yy, zz, xy, xz, yz;
} dlp_sym3;
typedef struct dlp_mat3 {
    dlp_vec3 x, y, z;
} dlp_mat3;

/* a a^T s + I t */
static inline dlp_sym3 dlp_sym3_of(dlp_vec3 a, double s, double t)
{
    const dlp_sym3 out = {s * a.x * a.x + t, s * a.y * a.y + t, s * a.z * a.z + t,
                          s * a.x * a.y,     s * a.x * a.z,     s * a.y * a.z};
    return out;
}
static inline dlp_sym3 dlp_sym3_add(dlp_sym3 a, dlp_sym3 b)
{
    const dlp_sym3 out = {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
    return out;
}
static inline dlp_sym3 dlp_sym3_mul(dlp_sym3 a, double s)
{
    const dlp_sym3 out = {a.xx * s, a.yy * s, a.zz * s, a.xy * s, a.xz * s, a.yz * s};
    return out;
}
static inline dlp_vec3 dlp_sym3_apply(dlp_sym3 a, dlp_vec3 v)
{
    return dlp_vec(a.xx * v.x + a.xy * v.y + a.xz * v.z, a.xy * v.x + a.yy * v.y + a.yz * v.z,
                   a.xz * v.x + a.yz * v.y + a.zz * v.z);
}
static inline dlp_vec3 dlp_mat3_apply(dlp_mat3 a, dlp_vec3 v)
{
    return dlp_along(dlp_along(dlp_mul(a.x, v.x), a.y, v.y), a.z, v.z);
}
/* a b^T s + I t */
static inline dlp_mat3 dlp_mat3_of(dlp_vec3 a, dlp_vec3 b, double s, double t)
{
    dlp_mat3 out = {dlp_mul(a, s * b.x), dlp_mul(a, s * b.y), dlp_mul(a, s * b.z)};
    out.x.x += t;
    out.y.y += t;
    out.z.z += t;
    return out;
}

/* How much of each part of a second derivative goes into a matrix. */
typedef struct dlp_stiffness_share {
    double material, geometric;
} dlp_stiffness_share;

/* A spring of tension: strain e = l - 1 with the stretch l, energy k e^2 / 2. Below rest length the geometric
 * part k (1 - 1/l) (I - n n^T) is negative and dropped. The results are over k. */

static inline double dlp_geometric_share(double stretch, double share)
{
    return stretch > 1 ? share * (1 - 1 / stretch) : 0;
}
static inline dlp_sym3 dlp_spring_hessian(dlp_vec3 direction, double stretch, dlp_stiffness_share share)
{
    const double across = dlp_geometric_share(stretch, share.geometric);
    return dlp_sym3_of(direction, share.material - across, across);
}

/* Membrane: w_u, w_v are the derivatives of the position to the rest coordinates along warp and weft; the
 * energy per unit of rest area is k_u (|w_u| - 1)^2 / 2 + k_v (|w_v| - 1)^2 / 2 + k_s (w_u . w_v)^2 / 2.
 * [baraff1998, eq. 9 to 12] */

/* Resistance of a fabric; all at least 0. */
typedef struct dlp_membrane_law {
    double warp, weft, shear; /* N/m */
} dlp_membrane_law;

typedef struct dlp_membrane_force {
    dlp_vec3 u, v; /* N/m: derivative of the energy to w_u and w_v */
} dlp_membrane_force;

/* Second derivative of the energy to (w_u, w_v): blocks uu, vv, and uv, whose rows go with w_u. N/m */
typedef struct dlp_membrane_hessian {
    dlp_sym3 uu, vv;
    dlp_mat3 uv;
} dlp_membrane_hessian;

static inline double dlp_membrane_energy(dlp_membrane_law law, dlp_vec3 u, dlp_vec3 v)
{
    const double eu = dlp_length(u) - 1, ev = dlp_length(v) - 1, c = dlp_dot(u, v);
    return 0.5 * (law.warp * eu * eu + law.weft * ev * ev + law.shear * c * c);
}

static inline dlp_membrane_force dlp_membrane_gradient(dlp_membrane_law law, dlp_vec3 u, dlp_vec3 v)
{
    const double lu = dlp_length(u), lv = dlp_length(v), c = law.shear * dlp_dot(u, v);
    const double pu = lu > 0 ? law.warp * (lu - 1) / lu : 0, pv = lv > 0 ? law.weft * (lv - 1) / lv : 0;
    const dlp_membrane_force out = {dlp_along(dlp_mul(u, pu), v, c), dlp_along(dlp_mul(v, pv), u, c)};
    return out;
}

/* `tension` has |w_u|, |w_v| and w_u . w_v of which the geometric part is made: mostly those of u and v; of
 * where the cloth was, where u and v are but foreseen, and stiff threads longer than they will be.
 * For shares of at least 0 the blocks together are positive semi-definite, for any u and v. Shear: C = w_u .
 * w_v has the second derivative [[0, I], [I, 0]] with eigenvalues 1 and -1; of C times it only the half with
 * eigenvalue |C| is kept. */
static inline dlp_membrane_hessian dlp_membrane_stiffness(dlp_membrane_law law, dlp_vec3 u, dlp_vec3 v,
                                                          dlp_stiffness_share share, dlp_vec3 tension)
{
    const double lu = dlp_length(u), lv = dlp_length(v), c = tension.z;
    const double shear = law.shear * share.material, half_geometric = 0.5 * law.shear * share.geometric;
    const double kept = c < 0 ? -half_geometric * c : half_geometric * c;
    const dlp_vec3 nu = dlp_mul(u, lu > 0 ? 1 / lu : 0), nv = dlp_mul(v, lv > 0 ? 1 / lv : 0);
    const dlp_membrane_hessian out = {
        dlp_sym3_add(dlp_sym3_mul(dlp_spring_hessian(nu, tension.x, share), law.warp),
                     dlp_sym3_of(v, shear, kept)),
        dlp_sym3_add(dlp_sym3_mul(dlp_spring_hessian(nv, tension.y, share), law.weft),
                     dlp_sym3_of(u, shear, kept)),
        dlp_mat3_of(v, u, shear, half_geometric * c)};
    return out;
}

/* Link: a spring of stiffness k (N/m) between two places, energy k (|d| - length)^2 / 2 */

static inline double dlp_link_energy(double k, double length, dlp_vec3 d)
{
    const double e = dlp_length(d) - length;
    return 0.5 * k * e * e;
}
/* Derivative to d: of the second end; the first's is the opposite. */
static inline dlp_vec3 dlp_link_gradient(double k, double length, dlp_vec3 d)
{
    const double l = dlp_length(d);
    return dlp_mul(d, l > 0 ? k * (l - length) / l : 0);
}
/* `stretch`: of which the geometric part is made. */
static inline dlp_sym3 dlp_link_stiffness(double k, double stretch, dlp_vec3 d, dlp_stiffness_share share)
{
    const double l = dlp_length(d);
    return dlp_sym3_mul(dlp_spring_hessian(dlp_mul(d, l > 0 ? 1 / l : 0), stretch, share), k);
}

/* Hinge: the angle between two triangles (0, 1, 2) and (1, 0, 3) that share the edge (0, 1); 0 where
 * flat. What bends of a mesh is a sum of angles (cloth_curvature.h), squared; its gradient is exact, and of
 * the second derivative that is kept which is all of it near rest.  [bridson2003, eq. 4; grinspun2003] */

/* All-zero where a triangle has no area: then the hinge gives no force. The gradients sum up to zero. */
typedef struct dlp_hinge_shape {
    double angle;         /* rad, -pi to pi */
    dlp_vec3 gradient[4]; /* 1/m: of the angle */
} dlp_hinge_shape;

static inline dlp_hinge_shape dlp_hinge_of(dlp_vec3 x0, dlp_vec3 x1, dlp_vec3 x2, dlp_vec3 x3)
{
    const dlp_vec3 e = dlp_sub(x1, x0);
    const dlp_vec3 n1 = dlp_cross(e, dlp_sub(x2, x0)), n2 = dlp_cross(dlp_sub(x3, x0), e);
    const double ee = dlp_dot(e, e), n11 = dlp_dot(n1, n1), n22 = dlp_dot(n2, n2), length = sqrt(ee);
    dlp_hinge_shape out = {0};
    /* triangles without area have no angle: below 1e-10 of the edge's square there is none */
    const double least = 1e-20 * ee * ee;
    if (!(n11 > least && n22 > least)) return out;
    out.angle = atan2(dlp_dot(dlp_cross(n1, n2), e) / length, dlp_dot(n1, n2));
    const dlp_vec3 g2 = dlp_mul(n1, -length / n11), g3 = dlp_mul(n2, -length / n22);
    const double t2 = dlp_dot(dlp_sub(x2, x0), e) / ee, t3 = dlp_dot(dlp_sub(x3, x0), e) / ee;
    out.gradient[0] = dlp_mul(dlp_along(dlp_mul(g2, 1 - t2), g3, 1 - t3), -1);
    out.gradient[1] = dlp_mul(dlp_along(dlp_mul(g2, t2), g3, t3), -1);
    out.gradient[2] = g2;
    out.gradient[3] = g3;
    return out;
}

/* Twist of a cell a x b of a grid: with (x0 + x1 - x2 - x3) / (a b), corners 0 and 1 opposite, the mixed
 * second derivative, the energy per unit of area is B times its square. With the bends of the grid's lines
 * along warp and weft that is B / 2 times the sum of all squared second derivatives: a plate without
 * Poisson's effect, the same in every direction. Hinges alone are none: of a grid's points every other one is
 * held by no line of two hinges, gives way, and takes a quarter of the stiffness. */
static inline dlp_vec3 dlp_cell_twist(dlp_vec3 x0, dlp_vec3 x1, dlp_vec3 x2, dlp_vec3 x3)
{
    return dlp_sub(dlp_sub(x0, x2), dlp_sub(x3, x1));
}
static inline double dlp_cell_twist_stiffness(double bend, double a, double b)
{
    return 2 * bend / (a * b);
}

/* Bend of a rope of three particles at distances a, b: the change of the unit tangent, c = x0 / a -
 * (1/a + 1/b) x1 + x2 / b, over the length (a + b) / 2 is its curvature; energy k c^2 / 2 with
 * k = rigidity / ((a + b) / 2), N m2 / m. Linear, so that its second derivative is constant.  [bergou2006] */
static inline double dlp_rope_bend_stiffness(double rigidity, double a, double b)
{
    return 2 * rigidity / (a + b);
}
static inline dlp_vec3 dlp_rope_curvature(dlp_vec3 x0, dlp_vec3 x1, dlp_vec3 x2, double a, double b)
{
    return dlp_sub(dlp_mul(dlp_sub(x2, x1), 1 / b), dlp_mul(dlp_sub(x1, x0), 1 / a));
}

#endif
