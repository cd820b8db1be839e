/* Contact of particle spheres with the signed distance: the last line. The walls' pressure keeps particles
 * half a spacing away, so this is met only where something is thrown at a wall faster than pressure can
 * answer. */
#include "motion/contact_response.h"
#include "motion/sph/predict.h"

// A particle may come this near, in spacings: less than where pressure holds it.
#define CONTACT_RADIUS 0.25

typedef struct contact {
    dlp_sph *sph;
    int32_t obstacle;
    dlp_vec3 from, *x, *v;
    double from_time;
    dlp_contact_sum *sums;
} contact;

// Of a path in the body's frame. One that is short jumps over nothing; what begins nearer than the radius may
// come a little nearer still, or it would never slide along the surface.
static double share_before_contact(const dlp_shape *shape, dlp_vec3 from, dlp_vec3 to, double radius)
{
    if (dlp_length(dlp_sub(to, from)) < 0.5 * radius) return 1;
    const double start = dlp_shape_distance(shape, from);
    return dlp_share_until_contact(shape, from, to, fmax(fmin(radius, 0.9 * start), 0.25 * radius));
}

static void respond(const contact *m, dlp_vec3 normal, double depth, const dlp_twist *twist)
{
    *m->x = dlp_along(*m->x, normal, depth);
    const dlp_vec3 wall = dlp_twist_at(twist, *m->x), u = dlp_sub(*m->v, wall);
    const dlp_impact impact = {.velocity = u, .normal = normal, .approach = -dlp_dot(u, normal)};
    const dlp_contact_response response = dlp_contact_respond(m->sph->bodies[m->obstacle].def, &impact);
    if (response.normal_change > 0) *m->v = dlp_add(wall, response.velocity);
}

// Adds what a body took from a particle.
static void note_impulse(const contact *m, int32_t particle, dlp_vec3 before)
{
    const dlp_sph *sph = m->sph;
    const dlp_body *body = &sph->bodies[m->obstacle];
    const double mass = dlp_particle_mass(sph, particle);
    const dlp_vec3 taken = dlp_mul(dlp_sub(before, *m->v), mass);
    const dlp_vec3 arm = dlp_sub(*m->x, dlp_to_world(&body->pose, body->def->pivot));
    dlp_contact_sum *sum = &m->sums[m->obstacle];
    sum->impulse = dlp_add(sum->impulse, taken);
    sum->angular_impulse = dlp_add(sum->angular_impulse, dlp_cross(arm, taken));
}

static void resolve_obstacle(const contact *m, double radius)
{
    const dlp_body *obstacle = &m->sph->bodies[m->obstacle];
    const dlp_transform *now = &m->sph->bodies[m->obstacle].pose;
    const dlp_transform then = obstacle->is_moving ? dlp_body_transform_at(obstacle, m->from_time) : *now;
    const dlp_vec3 from = dlp_to_body(&then, m->from), to = dlp_to_body(now, *m->x);
    const double share = share_before_contact(obstacle->shape, from, to, radius);
    if (share < 1) *m->x = dlp_to_world(now, dlp_along(from, dlp_sub(to, from), share));
    dlp_vec3 normal;
    const double d = dlp_body_probe(obstacle, now, *m->x, &normal);
    if (d < radius) respond(m, normal, radius - d, &m->sph->bodies[m->obstacle].twist);
}

void dlp_sph_resolve_contact(dlp_sph *sph, int32_t particle, dlp_vec3 from, double from_time, dlp_vec3 *x,
                             dlp_vec3 *v, dlp_contact_sum *sums)
{
    const dlp_sph_params *params = &sph->params;
    const float *packed = dlp_sph_packed(sph, particle);
    const double radius =
        CONTACT_RADIUS * params->finest * (double)params->size_of[sph->state.particles.units[particle]];
    const double moved = sqrt((double)dlp_packed_moved(packed, sph, particle));
    const double wall_moved = params->walls.has_moving ? (double)params->verlet_limit : 0;
    if ((double)sph->scratch.neighbours.clearance[particle] - moved - wall_moved > radius) return;
    for (int32_t k = 0; k < sph->scene->obstacle_count; k++) {
        const contact m = {sph, k, from, x, v, from_time, sums};
        const dlp_vec3 before = *v;
        resolve_obstacle(&m, radius);
        if (sums != NULL && dlp_length(dlp_sub(before, *v)) > 0) note_impulse(&m, particle, before);
    }
}

// A tool that moves asks for the finest particles, and so does what is too thin for any other.
static bool must_be_fine_near(const dlp_sph *sph, int32_t obstacle)
{
    return sph->bodies[obstacle].is_moving ||
           sph->params.walls.sets[(sph->params.walls.level_count - 1) * sph->scene->obstacle_count + obstacle]
               .is_thin;
}

void dlp_sph_find_clearance_of(dlp_sph *sph, int32_t i)
{
    const dlp_sph_params *params = &sph->params;
    const dlp_vec3 x = dlp_sph_predicted_position(sph, i);
    double nearest = 1e30, nearest_thin = 1e30, tightest = 1e30;
    for (int32_t k = 0; k < sph->scene->obstacle_count; k++) {
        const double d =
            dlp_shape_distance(sph->bodies[k].shape, dlp_to_body(&sph->scratch.walls.transforms[k], x));
        nearest = fmin(nearest, d);
        if (params->walls.sets[k].is_thin) nearest_thin = fmin(nearest_thin, d);
        if (must_be_fine_near(sph, k)) tightest = fmin(tightest, d);
    }
    if (dlp_sph_adapts_space(sph))
        sph->scratch.neighbours.fine_clearance[i] = (float)(tightest - (double)params->verlet_limit);
    sph->scratch.neighbours.clearance[i] = (float)(nearest - (double)params->verlet_limit);
    if (params->walls.has_thin) sph->scratch.points.near_thin[i] = nearest_thin < 2.2 * params->support;
}

static void find_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    for (int32_t i = begin; i < end; i++) dlp_sph_find_clearance_of(context, i);
}

static void note_thin_walls(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_sph *sph = context;
    uint8_t *near_thin = sph->scratch.points.near_thin + sph->state.particles.count;
    for (int32_t k = begin; k < end; k++) near_thin[k] = dlp_wall_set(sph, k)->is_thin;
}

// When lists are built, a particle stands where it is predicted to be; on a restart it has moved on since, by
// less than the margin's limit, and the margin taken off covers that.
void dlp_sph_find_clearance(dlp_sph *sph)
{
    dlp_parallel_for(sph->team, sph->state.particles.count, 256, find_range, sph);
    if (sph->params.walls.has_thin)
        dlp_parallel_for(sph->team, sph->scratch.walls.samples.count, 4096, note_thin_walls, sph);
}
