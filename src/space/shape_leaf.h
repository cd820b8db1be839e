/* Signed distances of the single shapes in their own frame: centred, axis along z. Exact inside and out. Each
 * returns the distance and the unit gradient; where that has no direction a fixed one is taken. */
#ifndef DLP_SPACE_SHAPE_LEAF_H
#define DLP_SPACE_SHAPE_LEAF_H

#include "base/vec.h"

#include <stdbool.h>

/* What a query of a shape gives. */
typedef struct dlp_probe {
    double distance; /* m, negative inside */
    dlp_vec3 normal; /* unit gradient of the distance, outward */
} dlp_probe;

static inline double dlp_sign_of(double a)
{
    return a < 0 ? -1.0 : 1.0;
}
static inline double dlp_positive(double a)
{
    return a > 0 ? a : 0;
}

/* `half`: half the edges; infinite ones make a prism. */
static inline dlp_probe dlp_probe_box(dlp_vec3 half, dlp_vec3 x)
{
    const dlp_vec3 q = dlp_vec(fabs(x.x) - half.x, fabs(x.y) - half.y, fabs(x.z) - half.z);
    const dlp_vec3 signs = dlp_vec(dlp_sign_of(x.x), dlp_sign_of(x.y), dlp_sign_of(x.z));
    const dlp_vec3 out = dlp_vec(dlp_positive(q.x), dlp_positive(q.y), dlp_positive(q.z));
    const double length = dlp_length(out);
    if (length > 0)
        return (dlp_probe){
            length, dlp_vec(signs.x * out.x / length, signs.y * out.y / length, signs.z * out.z / length)};
    if (q.x >= q.y && q.x >= q.z) return (dlp_probe){q.x, dlp_vec(signs.x, 0, 0)};
    if (q.y >= q.z) return (dlp_probe){q.y, dlp_vec(0, signs.y, 0)};
    return (dlp_probe){q.z, dlp_vec(0, 0, signs.z)};
}

static inline dlp_probe dlp_probe_sphere(double radius, dlp_vec3 x)
{
    const double length = dlp_length(x);
    return (dlp_probe){length - radius, length > 0 ? dlp_mul(x, 1 / length) : dlp_vec(1, 0, 0)};
}

/* All points within `radius` of the segment from z = -half to z = half. */
static inline dlp_probe dlp_probe_capsule(double radius, double half, dlp_vec3 x)
{
    const double z = x.z > half ? half : x.z < -half ? -half : x.z;
    return dlp_probe_sphere(radius, dlp_vec(x.x, x.y, x.z - z));
}

/* A gradient in the half plane (radial, axial) through x as a vector in space; r is the distance of x from
 * the axis. On the axis the radial direction is taken along x. */
static inline dlp_vec3 dlp_from_half_plane(dlp_vec3 x, double r, double radial, double axial)
{
    if (r > 0) return dlp_vec(x.x / r * radial, x.y / r * radial, axial);
    return dlp_vec(radial, 0, axial);
}

/* With flat ends; in the half plane (r, z) it is a rectangle. */
static inline dlp_probe dlp_probe_cylinder(double radius, double half, dlp_vec3 x)
{
    const double r = sqrt(x.x * x.x + x.y * x.y);
    const double q = r - radius, z = fabs(x.z) - half, sign = dlp_sign_of(x.z);
    const double out_q = dlp_positive(q), out_z = dlp_positive(z);
    const double length = sqrt(out_q * out_q + out_z * out_z);
    if (length > 0)
        return (dlp_probe){length, dlp_from_half_plane(x, r, out_q / length, sign * out_z / length)};
    if (q >= z) return (dlp_probe){q, dlp_from_half_plane(x, r, 1, 0)};
    return (dlp_probe){z, dlp_vec(0, 0, sign)};
}

/* A tube of radius `tube` around the circle of radius `ring` at z = 0. Exact where tube <= ring. */
static inline dlp_probe dlp_probe_torus(double ring, double tube, dlp_vec3 x)
{
    const double r = sqrt(x.x * x.x + x.y * x.y);
    const double q = r - ring, length = sqrt(q * q + x.z * x.z);
    if (!(length > 0)) return (dlp_probe){-tube, dlp_from_half_plane(x, r, 1, 0)};
    return (dlp_probe){length - tube, dlp_from_half_plane(x, r, q / length, x.z / length)};
}

/* The nearest of a cone's bottom, top and side in the half plane, as an offset (dr, dz) to it and its normal.
 */
typedef struct dlp_cone_near {
    double dr, dz, square, normal_r, normal_z;
} dlp_cone_near;

static inline dlp_cone_near dlp_cone_nearer(dlp_cone_near best, double dr, double dz, double normal_r,
                                            double normal_z)
{
    const double square = dr * dr + dz * dz;
    return square < best.square ? (dlp_cone_near){dr, dz, square, normal_r, normal_z} : best;
}

/* `bottom` is the radius at z = -half, `top` that at +half. */
static inline dlp_probe dlp_probe_cone(double bottom, double top, double half, dlp_vec3 x)
{
    const double r = sqrt(x.x * x.x + x.y * x.y);
    const double side_r = top - bottom, side_z = 2 * half;
    const double side_square = side_r * side_r + side_z * side_z, side_length = sqrt(side_square);
    const double normal_r = side_z / side_length, normal_z = -side_r / side_length;

    const double along = ((r - bottom) * side_r + (x.z + half) * side_z) / side_square;
    const double t = along > 1 ? 1 : along > 0 ? along : 0;
    const double dr = r - (bottom + t * side_r), dz = x.z - (t * side_z - half);
    dlp_cone_near near = {dr, dz, dr * dr + dz * dz, normal_r, normal_z};
    near = dlp_cone_nearer(near, dlp_positive(r - bottom), x.z + half, 0, -1);
    near = dlp_cone_nearer(near, dlp_positive(r - top), x.z - half, 0, 1);

    const bool is_inside = fabs(x.z) <= half && (r - bottom) * normal_r + (x.z + half) * normal_z <= 0;
    const double length = sqrt(near.square);
    if (!(length > 1e-14 * side_length))
        return (dlp_probe){is_inside ? -length : length,
                           dlp_from_half_plane(x, r, near.normal_r, near.normal_z)};
    const double sign = is_inside ? -1 : 1;
    return (dlp_probe){sign * length,
                       dlp_from_half_plane(x, r, sign * near.dr / length, sign * near.dz / length)};
}

#endif
