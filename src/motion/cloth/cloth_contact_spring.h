/* Contact springs: contacts of cloth with cloth inside the solve. A stiff spring holds two near parts a
 * thickness apart, a damper along them stands for friction; both act on the velocity apart, sum of weight_k
 * v_k, so that momentum is kept. The spring's force is that at the end of the step: k (wanted - distance - h
 * u_n). */
#ifndef DLP_MOTION_CLOTH_CONTACT_SPRING_H
#define DLP_MOTION_CLOTH_CONTACT_SPRING_H

#include "base/vec.h"

typedef struct dlp_contact_spring {
    int32_t particle[4];
    double weight[4];
    dlp_vec3 normal;     /* unit, from the second part to the first */
    double distance;     /* m: when the step began */
    double wanted;       /* m: at its end */
    double stiffness;    /* kg: h^2 k */
    double friction;     /* kg: h times the damper's */
    bool is_vertex_face; /* a corner on a triangle; else two edges */
} dlp_contact_spring;

/* N s: what it does to the parts apart, as the velocity apart changes. */
static inline dlp_vec3 dlp_contact_spring_drag(const dlp_contact_spring *c, dlp_vec3 u)
{
    const double across = dlp_dot(u, c->normal);
    return dlp_along(dlp_mul(u, c->friction), c->normal, (c->stiffness - c->friction) * across);
}
/* N s: what it does where the parts do not move. */
static inline dlp_vec3 dlp_contact_spring_push(const dlp_contact_spring *c, double step)
{
    return dlp_mul(c->normal, c->stiffness * (c->wanted - c->distance) / step);
}
/* Velocity apart of an array with `stride` numbers a particle. */
static inline dlp_vec3 dlp_contact_spring_relative_velocity(const dlp_contact_spring *c, const double *v,
                                                            int stride)
{
    dlp_vec3 u = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        const double *a = v + stride * (int64_t)c->particle[k];
        u = dlp_along(u, dlp_vec(a[0], a[1], a[2]), c->weight[k]);
    }
    return u;
}
/* Adds weight_k times an impulse to an array. */
static inline void dlp_contact_spring_apply(const dlp_contact_spring *c, dlp_vec3 impulse, double *array,
                                            int stride)
{
    for (int k = 0; k < 4; k++) {
        double *a = array + stride * (int64_t)c->particle[k];
        a[0] += c->weight[k] * impulse.x;
        a[1] += c->weight[k] * impulse.y;
        a[2] += c->weight[k] * impulse.z;
    }
}

#endif
