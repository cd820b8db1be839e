/* The air: pressure drag of every triangle along its normal, and a little friction along it.
 *     f = 1/2 rho C A (|u_n| u_n n + SKIN_FRICTION |u_t| u_t),  u = wind - mean effective velocity of the
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
    const uint8_t *moved;
    bool is_changed;  // the wind: nothing rests on
    bool is_new;      // or nothing has been computed yet
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

static void compute_wind(const wind_job *job, int32_t t)
{
    const dlp_cloth_parts *parts = job->parts;
    const int32_t *corner = dlp_cloth_corners_of(parts->corners, t);
    dlp_vec3 x[3], u = parts->scene->wind;
    for (int c = 0; c < 3; c++) {
        x[c] = dlp_get3(parts->particles->position, corner[c]);
        u = dlp_along(u, dlp_get3(parts->effective, corner[c]), -1.0 / 3);
    }
    const dlp_vec3 twice = dlp_cross(dlp_sub(x[1], x[0]), dlp_sub(x[2], x[0]));
    const dlp_vec3 n = dlp_normalize(twice, dlp_vec(0, 0, 1));
    const double across = dlp_dot(u, n), area = 0.5 * dlp_length(twice);
    const dlp_vec3 along = dlp_along(u, n, -across);
    const double drag = parts->fabrics[parts->triangles->rest[t].substance].drag;
    const double half = 0.5 * parts->scene->air_density * drag * area / 3;
    const double friction = half * SKIN_FRICTION * dlp_length(along),
                 slope = 2 * half * fabs(across) - friction;
    job->contact->scratch.wind.force[t] =
        dlp_along(dlp_mul(n, half * fabs(across) * across), along, friction);
    double *d = job->contact->scratch.wind.damping + 6 * (int64_t)t;
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
    for (int32_t t = begin; t < end; t++)
        if (job->is_new || !triangle_is_still(job, t)) compute_wind(job, t);
}

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
        force = dlp_add(force, s->wind.force[t]);
        for (int c = 0; c < 6; c++) damping[c] += s->wind.damping[6 * (int64_t)t + c];
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
    const double *air = contact->state.air;
    return wind.x != air[0] || wind.y != air[1] || wind.z != air[2] || parts->scene->air_density != air[3];
}

bool dlp_cloth_contact_update_wind(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                   const uint8_t *moved)
{
    const dlp_vec3 wind = parts->scene->wind;
    const double air[4] = {wind.x, wind.y, wind.z, parts->scene->air_density};
    wind_job job = {contact, parts, moved, dlp_cloth_contact_wind_changed(contact, parts),
                    !contact->scratch.wind.is_known};
    for (int c = 0; c < 4; c++) contact->state.air[c] = air[c];
    job.is_new |= job.is_changed;
    contact->scratch.wind.is_known = true;
    dlp_parallel_for(parts->team, parts->triangles->count, GRAIN, wind_range, &job);
    dlp_parallel_for(parts->team, parts->particles->count, GRAIN, gather_range, &job);
    return job.is_changed;
}
