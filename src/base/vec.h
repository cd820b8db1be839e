/* Small vectors and rotations in double precision: positions, shapes, rigid motions. */
#ifndef DLP_BASE_VEC_H
#define DLP_BASE_VEC_H

#include "dollop/dollop.h"

#include <math.h>

#define DLP_PI 3.14159265358979323846

/* An axis-aligned box. Infinite coordinates mean that it has no end there; where min > max it is empty.
 * All-zero is the point at the origin. */
typedef struct dlp_box {
    dlp_vec3 min, max;
} dlp_box;

/* A rigid motion: x -> rotation x + translation. `rows` are those of an orthonormal matrix, so that its
 * inverse is its transpose. All-zero is not one: start from dlp_transform_identity. */
typedef struct dlp_transform {
    dlp_vec3 rows[3];
    dlp_vec3 translation;
} dlp_transform;

static inline dlp_vec3 dlp_vec(double x, double y, double z)
{
    return (dlp_vec3){x, y, z};
}
static inline dlp_vec3 dlp_add(dlp_vec3 a, dlp_vec3 b)
{
    return dlp_vec(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline dlp_vec3 dlp_sub(dlp_vec3 a, dlp_vec3 b)
{
    return dlp_vec(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline dlp_vec3 dlp_mul(dlp_vec3 a, double s)
{
    return dlp_vec(a.x * s, a.y * s, a.z * s);
}
static inline dlp_vec3 dlp_along(dlp_vec3 a, dlp_vec3 direction, double s) /* a + s direction */
{
    return dlp_vec(a.x + s * direction.x, a.y + s * direction.y, a.z + s * direction.z);
}
static inline double dlp_dot(dlp_vec3 a, dlp_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline dlp_vec3 dlp_cross(dlp_vec3 a, dlp_vec3 b)
{
    return dlp_vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double dlp_length(dlp_vec3 a)
{
    return sqrt(dlp_dot(a, a));
}
/* a at unit length; `otherwise` where a is zero or NaN. */
static inline dlp_vec3 dlp_normalize(dlp_vec3 a, dlp_vec3 otherwise)
{
    const double length = dlp_length(a);
    return length > 0 ? dlp_mul(a, 1 / length) : otherwise;
}
/* Axis 0, 1, 2 is x, y, z. */
static inline double dlp_component(dlp_vec3 a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}
/* Component by component; a NaN gives way to the other number. */
static inline dlp_vec3 dlp_min3(dlp_vec3 a, dlp_vec3 b)
{
    return dlp_vec(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
}
static inline dlp_vec3 dlp_max3(dlp_vec3 a, dlp_vec3 b)
{
    return dlp_vec(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
}
static inline bool dlp_is_finite3(dlp_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline dlp_transform dlp_transform_identity(void)
{
    return (dlp_transform){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
}
/* A direction from the body to the world and back: the rotation alone. */
static inline dlp_vec3 dlp_rotate(const dlp_transform *transform, dlp_vec3 a)
{
    return dlp_vec(dlp_dot(transform->rows[0], a), dlp_dot(transform->rows[1], a),
                   dlp_dot(transform->rows[2], a));
}
static inline dlp_vec3 dlp_rotate_back(const dlp_transform *transform, dlp_vec3 a)
{
    return dlp_add(dlp_add(dlp_mul(transform->rows[0], a.x), dlp_mul(transform->rows[1], a.y)),
                   dlp_mul(transform->rows[2], a.z));
}
/* A place from the body to the world and back: rotation and translation. */
static inline dlp_vec3 dlp_to_world(const dlp_transform *transform, dlp_vec3 a)
{
    return dlp_add(dlp_rotate(transform, a), transform->translation);
}
static inline dlp_vec3 dlp_to_body(const dlp_transform *transform, dlp_vec3 a)
{
    return dlp_rotate_back(transform, dlp_sub(a, transform->translation));
}
/* Rotation by angles in degrees about x, then y, then z; then the translation. */
static inline dlp_transform dlp_transform_of(dlp_vec3 translation, dlp_vec3 degrees)
{
    const double cx = cos(degrees.x * DLP_PI / 180), sx = sin(degrees.x * DLP_PI / 180);
    const double cy = cos(degrees.y * DLP_PI / 180), sy = sin(degrees.y * DLP_PI / 180);
    const double cz = cos(degrees.z * DLP_PI / 180), sz = sin(degrees.z * DLP_PI / 180);
    return (dlp_transform){{{cy * cz, sx * sy * cz - cx * sz, cx * sy * cz + sx * sz},
                            {cy * sz, sx * sy * sz + cx * cz, cx * sy * sz - sx * cz},
                            {-sy, sx * cy, cx * cy}},
                           translation};
}

#endif
