/* The air: pressure drag of every triangle along its normal, a little friction along it, and what loads
 * press. f = 1/2 rho C A (|u_n| u_n n + SKIN_FRICTION |u_t| u_t),  u = wind - mean effective velocity of the
 * corners The force is stiff against light cloth (silk in a storm: 400/s), so its derivative goes into the
 * solve as damping: rho C A |u_n| n n^T + 1/2 rho C A SKIN_FRICTION |u_t| (1 - n n^T), a third at every
 * corner. That is at least the exact derivative, whose corners share one mean: the step never overshoots the
 * wind. */
#include "motion/cloth/cloth_contact.h"

#define SKIN_FRICTION 0.02  // of the drag across: a rough plate along the stream

enum { GRAIN = 512 };

typedef struct wind_job {
    dlp_cloth_contact *contact;
    const dlp_cloth_parts *parts;
    const int32_t *moved;  // NULL: all
    bool is_changed;       // the wind: nothing rests on
    bool is_new;           // or nothing has been computed yet
} wind_job;

static bool is_still(const wind_job *job, int32_t i)
{
    return job->moved != NULL && !job->moved[i];
}

static bool triangle_is_still(const wind_job *job, int32_t t)
{
    const int32_t *corner = dlp_cloth_corners_of(job->parts->corners, t);
    return !job->is_changed && is_still(job, corner[0]) && is_still(job, corner[1]) &&
           is_still(job, corner[2]);
}

// Triangles.

static void find_velocity(const wind_job *job, int32_t t)
{
    const dlp_cloth_parts *parts = job->parts;
    const int32_t *corner = dlp_cloth_corners_of(parts->corners, t);
    dlp_vec3 u = parts->scene->wind;
    for (int c = 0; c < 3; c++) u = dlp_along(u, dlp_get3(parts->effective, corner[c]), -1.0 / 3);
    dlp_put3(job->contact->state.wind.velocity, t, u);
}

static void find_drag(const wind_job *job, int32_t t)
{
    const dlp_cloth_parts *parts = job->parts;
    const dlp_cloth_drag *out = &job->contact->scratch.drag;
    const int32_t *corner = dlp_cloth_corners_of(parts->corners, t);
    const dlp_vec3 u = dlp_get3(job->contact->state.wind.velocity, t);
    dlp_vec3 x[3];
    for (int c = 0; c < 3; c++) x[c] = dlp_get3(parts->particles->position, corner[c]);
    const dlp_vec3 twice = dlp_cross(dlp_sub(x[1], x[0]), dlp_sub(x[2], x[0]));
    const dlp_vec3 n = dlp_normalize(twice, dlp_vec(0, 0, 1));
    const double across = dlp_dot(u, n), area = 0.5 * dlp_length(twice);
    const dlp_vec3 along = dlp_along(u, n, -across);
    const double drag = parts->fabrics[parts->triangles->rest[t].substance].drag;
    const double half = 0.5 * parts->scene->air_density * drag * area / 3;
    const double friction = half * SKIN_FRICTION * dlp_length(along),
                 slope = 2 * half * fabs(across) - friction;
    const double pressure = dlp_cloth_contact_pressure(job->contact, t);
    out->force[t] =
        dlp_along(dlp_mul(n, half * fabs(across) * across - pressure * area / 3), along, friction);
    double *d = out->damping + 6 * (int64_t)t;
    d[0] = friction + slope * n.x * n.x;
    d[1] = friction + slope * n.y * n.y;
    d[2] = friction + slope * n.z * n.z;
    d[3] = slope * n.x * n.y;
    d[4] = slope * n.x * n.z;
    d[5] = slope * n.y * n.z;
}

static void wind_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const wind_job *job = context;
    for (int32_t t = begin; t < end; t++) {
        if (!job->is_new && triangle_is_still(job, t)) continue;
        find_velocity(job, t);
        find_drag(job, t);
    }
}

static void restore_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    for (int32_t t = begin; t < end; t++) find_drag(context, t);
}

// Particles.

// A particle gathers from its triangles; where none of them changed, its sum stands.
static void gather_air(const wind_job *job, int32_t i)
{
    const dlp_cloth_contact_scratch *s = &job->contact->scratch;
    bool is_changed = false;
    dlp_vec3 force = {0, 0, 0};
    double damping[6] = {0};
    for (int32_t k = s->facets.begin[i]; k < s->facets.begin[i + 1]; k++) {
        const int32_t t = s->facets.list[k];
        if (t >= job->parts->triangles->count) break;  // links stand after all triangles
        is_changed |= !triangle_is_still(job, t);
        force = dlp_add(force, s->drag.force[t]);
        for (int c = 0; c < 6; c++) damping[c] += s->drag.damping[6 * (int64_t)t + c];
    }
    if (!is_changed && !job->is_new) return;
    dlp_put3(s->air.force, i, force);
    for (int c = 0; c < 6; c++) s->air.damping[6 * (int64_t)i + c] = damping[c];
}

static void gather_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    for (int32_t i = begin; i < end; i++) gather_air(context, i);
}

bool dlp_cloth_contact_wind_changed(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    const dlp_vec3 wind = parts->scene->wind;
    const double *air = contact->state.wind.air;
    return wind.x != air[0] || wind.y != air[1] || wind.z != air[2] || parts->scene->air_density != air[3] ||
           dlp_cloth_contact_pressure_changed(contact, parts);
}

bool dlp_cloth_contact_update_wind(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                   const int32_t *moved)
{
    dlp_cloth_wind *wind = &contact->state.wind;
    const bool is_changed = dlp_cloth_contact_wind_changed(contact, parts);
    wind_job job = {contact, parts, moved, is_changed, is_changed || !wind->is_known};
    wind->air[0] = parts->scene->wind.x;
    wind->air[1] = parts->scene->wind.y;
    wind->air[2] = parts->scene->wind.z;
    wind->air[3] = parts->scene->air_density;
    wind->is_known = 1;
    dlp_cloth_contact_set_pressures(contact, parts);
    dlp_parallel_for(parts->team, parts->triangles->count, GRAIN, wind_range, &job);
    dlp_parallel_for(parts->team, parts->particles->count, GRAIN, gather_range, &job);
    return is_changed;
}

void dlp_cloth_contact_restore_wind(dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    wind_job job = {.contact = contact, .parts = parts, .is_new = true};
    if (!contact->state.wind.is_known) return;
    dlp_parallel_for(parts->team, parts->triangles->count, GRAIN, restore_range, &job);
    dlp_parallel_for(parts->team, parts->particles->count, GRAIN, gather_range, &job);
}
