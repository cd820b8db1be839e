/* The response of a body to what touches it: Coulomb friction and restitution, the same for every solver. */
#ifndef DLP_MOTION_CONTACT_RESPONSE_H
#define DLP_MOTION_CONTACT_RESPONSE_H

#include "motion/body.h"

/* What meets a body at a point. */
typedef struct dlp_impact {
    dlp_vec3 velocity;     /* m/s: relative to the body, as it would be without the contact */
    dlp_vec3 normal;       /* unit, away from the body */
    double approach;       /* m/s: speed along -normal with which the two met; restitution returns a share */
    double slowest_bounce; /* m/s: what approaches no faster than this does not bounce */
} dlp_impact;

typedef struct dlp_contact_response {
    dlp_vec3 velocity;    /* m/s: after the contact, relative to the body */
    dlp_vec3 change;      /* m/s: that velocity minus the one before */
    double normal_change; /* m/s: its part along the normal; 0: they part by themselves, nothing changes */
    double bounce;        /* m/s: speed along the normal that restitution gives */
    bool sticks;          /* friction holds it: nothing slides, and it does not bounce */
} dlp_contact_response;

/* m/s: the speed along the normal that restitution gives. */
static inline double dlp_contact_bounce(const dlp_obstacle_def *def, const dlp_impact *impact)
{
    return impact->approach > impact->slowest_bounce ? def->restitution * impact->approach : 0;
}

/* m/s: what the contact changes along the normal; not above 0: they part by themselves. */
static inline double dlp_contact_normal_change(const dlp_obstacle_def *def, const dlp_impact *impact)
{
    return dlp_contact_bounce(def, impact) - dlp_dot(impact->velocity, impact->normal);
}

/* With friction as if the change along the normal were `pressing`, m/s. */
static inline dlp_contact_response dlp_contact_respond_pressed(const dlp_obstacle_def *def,
                                                               const dlp_impact *impact, double pressing)
{
    const dlp_vec3 u = impact->velocity, n = impact->normal;
    const double bounce = dlp_contact_bounce(def, impact),
                 normal_change = dlp_contact_normal_change(def, impact);
    if (!(normal_change > 0)) return (dlp_contact_response){.velocity = u};
    const dlp_vec3 slide = dlp_along(u, n, -dlp_dot(u, n));
    const double speed = dlp_length(slide), limit = def->friction * pressing;
    const double share = speed > limit ? limit / speed : 1; /* of the slide that friction takes */
    return (dlp_contact_response){.velocity = dlp_along(dlp_mul(slide, 1 - share), n, bounce),
                                  .change = dlp_along(dlp_mul(n, normal_change), slide, -share),
                                  .normal_change = normal_change,
                                  .bounce = bounce,
                                  .sticks = share == 1 && bounce == 0 && def->friction > 0};
}

/* Friction takes of what slides at most its coefficient times the change along the normal (Coulomb's law for
 * impulses), so it is the same whether the contact lasts one long step or many short ones. */
static inline dlp_contact_response dlp_contact_respond(const dlp_obstacle_def *def, const dlp_impact *impact)
{
    return dlp_contact_respond_pressed(def, impact, dlp_contact_normal_change(def, impact));
}

/* The share of a path, in the body's frame, after which a point comes nearer to its surface than `least`;
 * 1: it does not. Strides are shorter than `least` is wide, so that nothing, however thin, fits between two
 * of them. */
static inline double dlp_share_until_contact(const dlp_shape *shape, dlp_vec3 from, dlp_vec3 to, double least)
{
    const dlp_vec3 path = dlp_sub(to, from);
    const double length = dlp_length(path);
    for (double s = 0; s < length;) {
        const double d = dlp_shape_distance(shape, dlp_along(from, path, s / length));
        if (d < least) return s / length;
        s += fmax(d - least, 0.5 * least);
    }
    return 1;
}

#endif
