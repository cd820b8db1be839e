/* Formulas of light at a surface. Vectors are unit; cosines are between the normal and a direction that
 * leaves it.
 */
#ifndef DLP_RECORD_RENDER_OPTICS_H
#define DLP_RECORD_RENDER_OPTICS_H

#include "base/vec.h"

static inline dlp_vec3 dlp_times(dlp_vec3 a, dlp_vec3 b) /* component by component */
{
    return dlp_vec(a.x * b.x, a.y * b.y, a.z * b.z);
}
static inline double dlp_largest(dlp_vec3 a)
{
    return fmax(a.x, fmax(a.y, a.z));
}
/* Linear light with sRGB's primaries (Rec. 709). */
static inline double dlp_luminance(dlp_vec3 a)
{
    return 0.2126 * a.x + 0.7152 * a.y + 0.0722 * a.z;
}
/* Mirrored in the plane of the normal; `direction` goes towards the surface. */
static inline dlp_vec3 dlp_reflect(dlp_vec3 direction, dlp_vec3 normal)
{
    return dlp_along(direction, normal, -2 * dlp_dot(direction, normal));
}

/* Cosine and sine of a full turn times v, 0 <= v < 1, by their series about the nearest quarter: to 1e-8,
 * and the same bits on every machine, unlike the C library's. */
static inline void dlp_turn_cos_sin(double v, double *out_cos, double *out_sin)
{
    const int32_t quarter = (int32_t)(4 * v + 0.5);
    const double x = 2 * DLP_PI * (v - 0.25 * quarter), x2 = x * x;
    const double s = x * (1 - x2 / 6 * (1 - x2 / 20 * (1 - x2 / 42 * (1 - x2 / 72))));
    const double c = 1 - x2 / 2 * (1 - x2 / 12 * (1 - x2 / 30 * (1 - x2 / 56 * (1 - x2 / 90))));
    const double cosines[4] = {c, -s, -c, s}, sines[4] = {s, c, -s, -c};
    *out_cos = cosines[quarter & 3];
    *out_sin = sines[quarter & 3];
}

/* Two unit vectors that make a right-handed frame with n.  [duff2017] */
static inline void dlp_tangents(dlp_vec3 n, dlp_vec3 *out_a, dlp_vec3 *out_b)
{
    const double sign = n.z < 0 ? -1 : 1, a = -1 / (sign + n.z), b = n.x * n.y * a;
    *out_a = dlp_vec(1 + sign * n.x * n.x * a, sign * b, -sign * n.x);
    *out_b = dlp_vec(b, sign + n.y * n.y * a, -n.y);
}

/* Unpolarised Fresnel reflectance from refractive index n1 into n2; 1 where all is reflected. `cosine` >
 * 0. */
static inline double dlp_fresnel(double cosine, double n1, double n2)
{
    const double ratio = n1 / n2, sine = ratio * ratio * (1 - cosine * cosine);
    if (sine >= 1) return 1;
    const double other = sqrt(1 - sine);
    const double across = (n1 * cosine - n2 * other) / (n1 * cosine + n2 * other);
    const double along = (n1 * other - n2 * cosine) / (n1 * other + n2 * cosine);
    return (across * across + along * along) / 2;
}

/* Snell's law; the direction goes against the normal. Only below total reflection. */
static inline dlp_vec3 dlp_refract(dlp_vec3 direction, dlp_vec3 normal, double n1, double n2)
{
    const double ratio = n1 / n2, cosine = -dlp_dot(direction, normal);
    const double other = sqrt(fmax(1 - ratio * ratio * (1 - cosine * cosine), 0));
    return dlp_normalize(dlp_along(dlp_mul(direction, ratio), normal, ratio * cosine - other), direction);
}

/* A direction out of the surface with probability density cosine / pi; u and v uniform in [0, 1). */
static inline dlp_vec3 dlp_cosine_direction(dlp_vec3 normal, double u, double v)
{
    dlp_vec3 a, b;
    dlp_tangents(normal, &a, &b);
    const double r = sqrt(u);
    double c, s;
    dlp_turn_cos_sin(v, &c, &s);
    const dlp_vec3 flat = dlp_along(dlp_mul(a, r * c), b, r * s);
    return dlp_along(flat, normal, sqrt(fmax(1 - u, 0)));
}

/* A direction within a narrow cone around `around`, of the given tangent of its half angle; uniform over
 * the disc. */
static inline dlp_vec3 dlp_cone_direction(dlp_vec3 around, double tangent, double u, double v)
{
    dlp_vec3 a, b;
    dlp_tangents(around, &a, &b);
    const double r = tangent * sqrt(u);
    double c, s;
    dlp_turn_cos_sin(v, &c, &s);
    return dlp_normalize(dlp_along(dlp_along(around, a, r * c), b, r * s), around);
}

/* Masking of a GGX surface of roughness alpha towards a direction at this cosine.  [walter2007, eq. 34] */
static inline double dlp_ggx_masking(double cosine, double alpha)
{
    const double c2 = cosine * cosine;
    return 2 * cosine / (cosine + sqrt(alpha * alpha * (1 - c2) + c2));
}

/* Reflected share of light from `light` towards `eye`, times the light's cosine.  [walter2007, eq. 20, 33] */
static inline double dlp_ggx_specular(dlp_vec3 normal, dlp_vec3 eye, dlp_vec3 light, double alpha, double n)
{
    const double cos_eye = dlp_dot(normal, eye), cos_light = dlp_dot(normal, light);
    if (!(cos_eye > 0 && cos_light > 0)) return 0;
    const dlp_vec3 half = dlp_normalize(dlp_add(eye, light), normal);
    const double c = dlp_dot(normal, half), a2 = alpha * alpha, d = c * c * (a2 - 1) + 1;
    const double shape = a2 / (DLP_PI * d * d);
    const double masking = dlp_ggx_masking(cos_eye, alpha) * dlp_ggx_masking(cos_light, alpha);
    return dlp_fresnel(dlp_dot(half, eye), 1, n) * shape * masking / (4 * cos_eye);
}

/* A normal of those microfacets that the eye sees.  [heitz2018] */
static inline dlp_vec3 dlp_ggx_facet(dlp_vec3 normal, dlp_vec3 eye, double alpha, double u, double v)
{
    dlp_vec3 a, b;
    dlp_tangents(normal, &a, &b);
    const dlp_vec3 seen = dlp_normalize(
        dlp_vec(alpha * dlp_dot(a, eye), alpha * dlp_dot(b, eye), dlp_dot(normal, eye)), dlp_vec(0, 0, 1));
    const double length = sqrt(seen.x * seen.x + seen.y * seen.y);
    const dlp_vec3 t1 = length > 0 ? dlp_vec(-seen.y / length, seen.x / length, 0) : dlp_vec(1, 0, 0);
    const dlp_vec3 t2 = dlp_cross(seen, t1);
    const double r = sqrt(u), angle = 2 * DLP_PI * v, p1 = r * cos(angle), s = (1 + seen.z) / 2;
    const double p2 = (1 - s) * sqrt(fmax(1 - p1 * p1, 0)) + s * r * sin(angle);
    const dlp_vec3 h =
        dlp_along(dlp_along(dlp_mul(t1, p1), t2, p2), seen, sqrt(fmax(1 - p1 * p1 - p2 * p2, 0)));
    const dlp_vec3 facet = dlp_vec(alpha * h.x, alpha * h.y, fmax(h.z, 1e-9));
    return dlp_normalize(dlp_along(dlp_along(dlp_mul(a, facet.x), b, facet.y), normal, facet.z), normal);
}

#endif
