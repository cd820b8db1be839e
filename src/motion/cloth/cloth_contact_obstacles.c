/* Cloth and obstacles: who is held before the solve, and what obstacles answer after it. */
#include "motion/cloth/cloth_contact.h"
#include "motion/contact_response.h"

enum { GRAIN = 256, BEGIN_GRAIN = 1024 };  // multiples of DLP_CLOTH_LOAD_BLOCK

// Of a radius: a distance from a surface that is none.
#define NO_GAP 0.01

typedef struct contact_path {  // of a point in an obstacle's own frame
    dlp_vec3 from, to;
} contact_path;

// Where the obstacles are when the step begins and ends, and how far a point of each goes meanwhile.
static double longest_travel(const dlp_body *obstacle, const dlp_transform *before,
                             const dlp_transform *after)
{
    if (!obstacle->is_moving) return 0;
    const dlp_box box = dlp_shape_bounds(obstacle->shape);
    double longest = 0;
    for (int k = 0; k < 8; k++) {
        const dlp_vec3 corner = {k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y,
                                 k & 4 ? box.max.z : box.min.z};
        const double path = dlp_length(dlp_sub(dlp_to_world(after, corner), dlp_to_world(before, corner)));
        if (!(path <= longest)) longest = path;  // an endless obstacle gives NaN or infinity: always near
    }
    return isfinite(longest) ? longest : 1e30;
}

static void place_obstacles(dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    dlp_cloth_contact_bodies *bodies = &contact->scratch.bodies;
    assert(parts->scene->obstacle_count == contact->params.body_count);
    bodies->max_travel = 0;
    for (int32_t k = 0; k < parts->scene->obstacle_count; k++) {
        const dlp_body *obstacle = &parts->obstacles[k];
        bodies->before[k] = dlp_body_transform_at(obstacle, parts->time);
        bodies->after[k] = dlp_body_transform_at(obstacle, parts->time + parts->step);
        bodies->travel[k] = longest_travel(obstacle, &bodies->before[k], &bodies->after[k]);
        bodies->max_travel = fmax(bodies->max_travel, bodies->travel[k]);
    }
    dlp_cloth_contact_begin_loads(contact, parts);
}

dlp_vec3 dlp_cloth_contact_wall_velocity(const dlp_cloth_contact *contact, int32_t obstacle, dlp_vec3 x,
                                         double step)
{
    const dlp_cloth_contact_bodies *bodies = &contact->scratch.bodies;
    if (bodies->travel[obstacle] == 0) return dlp_vec(0, 0, 0);
    const dlp_vec3 body = dlp_to_body(&bodies->before[obstacle], x);
    return dlp_mul(dlp_sub(dlp_to_world(&bodies->after[obstacle], body), x), 1 / step);
}

static dlp_vec3 tangential_part(dlp_vec3 u, dlp_vec3 normal)
{
    return dlp_along(u, normal, -dlp_dot(u, normal));
}

// Friction of a given strength, m/s in a step, against a motion.
static void set_slide_friction(dlp_contact_constraint *constraint, dlp_vec3 motion, double strength)
{
    const dlp_vec3 along = tangential_part(motion, constraint->normal);
    constraint->friction = dlp_mul(dlp_normalize(along, dlp_vec(0, 0, 0)), -strength);
}

// A contact lasts while the particle is hardly farther than its radius; what it drifted to or from the
// surface is made good by its motion, but gives it no momentum.
static void constrain_particle(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i)
{
    dlp_contact_constraint *constraint = &contact->scratch.obstacles.constraints[i];
    int32_t *obstacle_contact = &contact->state.obstacle_contact[i];
    constraint->directions = 0;
    if (*obstacle_contact == 0) return;
    const int32_t k = (*obstacle_contact - 1) / 2;
    assert(k < contact->params.body_count);
    const dlp_vec3 x = dlp_get3(parts->particles->position, i), v = dlp_get3(parts->particles->velocity, i);
    const double radius = dlp_cloth_contact_corner_radius(contact, parts, parts->particles->substance[i]);
    const double gap =
        dlp_body_probe(&parts->obstacles[k], &contact->scratch.bodies.before[k], x, &constraint->normal) -
        radius;
    constraint->wall_velocity = dlp_cloth_contact_wall_velocity(contact, k, x, parts->step);
    const double slide = parts->step * dlp_length(dlp_sub(v, constraint->wall_velocity));
    if (gap > 0.25 * radius + 0.1 * slide) {
        *obstacle_contact = 0;
        return;
    }
    constraint->directions = *obstacle_contact % 2 == 0 ? 3 : 1;
    // a hundredth of the radius is no gap: what stands must not be moved by rounding
    const double closing = fabs(gap) < 0.01 * radius ? 0 : -fmax(gap, -0.5 * radius) / parts->step;
    constraint->velocity = dlp_along(constraint->wall_velocity, constraint->normal, closing);
    if (constraint->directions == 3) return;
    const double friction_limit =
        parts->obstacles[k].def->friction * contact->state.load[i] * parts->step / parts->particles->mass[i];
    set_slide_friction(constraint, dlp_sub(v, constraint->wall_velocity), friction_limit);
}

typedef struct contact_job {
    dlp_cloth_contact *contact;
    const dlp_cloth_parts *parts;
    bool wakes;  // all that rests: the wind changed
} contact_job;

static bool may_rest_on(const dlp_cloth_contact *contact, int32_t i)
{
    const int32_t obstacle_contact = contact->state.obstacle_contact[i];
    return contact->state.at_rest[i] &&
           (obstacle_contact == 0 || contact->scratch.bodies.travel[(obstacle_contact - 1) / 2] == 0);
}

static void begin_particle(const contact_job *job, int32_t i)
{
    dlp_cloth_contact *contact = job->contact;
    dlp_cloth_contact_state *state = &contact->state;
    dlp_contact_constraint *constraint = &contact->scratch.obstacles.constraints[i];
    if (!state->at_rest[i]) contact->scratch.loads.supporter[i] = -1;
    if (job->wakes) state->at_rest[i] = 0;
    const bool rests = may_rest_on(contact, i);
    if (constraint->directions != DLP_CONSTRAINT_UNKNOWN && rests) return;  // its constraint is as it was
    state->at_rest[i] = rests;
    if (job->parts->is_pinned[i]) state->obstacle_contact[i] = 0;
    constrain_particle(contact, job->parts, i);
    if (rests && state->obstacle_contact[i] > 0) {  // stands where it is; no gap is worth waking it
        constraint->directions = 3;
        constraint->velocity = constraint->wall_velocity;
    }
}

static void begin_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const contact_job *job = context;
    dlp_cloth_contact_scratch *s = &job->contact->scratch;
    for (int32_t i = begin; i < end; i++) {
        s->self.has_contact[i] = 0;
        s->obstacles.changes[i] = 0;
        s->obstacles.velocity_before[i] = dlp_get3(job->parts->particles->velocity, i);
        begin_particle(job, i);
    }
}

void dlp_cloth_contact_begin(dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    contact_job job = {contact, parts, dlp_cloth_contact_wind_changed(contact, parts)};
    assert(parts->particles->count <= contact->state.capacity);
    place_obstacles(contact, parts);
    dlp_parallel_for(parts->team, parts->particles->count, BEGIN_GRAIN, begin_range, &job);
}

// Follows the path up to the obstacle and then along it, at most around two corners. What begins nearer than
// the surface means, has met it: strides as short as that would never end.
static dlp_vec3 follow(const dlp_body *obstacle, contact_path path, double radius, bool *out_hit)
{
    const dlp_shape *shape = obstacle->shape;
    for (int corner = 0; corner < 3; corner++) {
        const double distance = dlp_shape_distance(shape, path.from), start = fmax(distance, NO_GAP * radius);
        if (distance <= 0) return path.to;
        const double share = dlp_share_until_contact(shape, path.from, path.to, 0.9 * fmin(radius, start));
        if (share == 1) return path.to;
        *out_hit = true;
        const dlp_vec3 rest = dlp_mul(dlp_sub(path.to, path.from), 1 - share);
        path.from = dlp_sub(path.to, rest);
        dlp_vec3 normal;
        const double d = dlp_shape_probe(shape, path.from, &normal);
        if (d < 0.5 * fmin(radius, start))
            path.from = dlp_along(path.from, normal, 0.5 * fmin(radius, start) - d);
        // what is left of it goes along the surface, less what friction takes: as a velocity does
        const dlp_impact impact = {.velocity = rest, .normal = normal};
        path.to = dlp_add(path.from, dlp_contact_respond(obstacle->def, &impact).velocity);
    }
    return path.from;
}

// Between two solves.

// m/s: what weight does in a step; much less is not worth another solve.
static double slowest_change(const dlp_cloth_parts *parts)
{
    return parts->step * dlp_length(parts->scene->gravity);
}

// m/s: what a contact took of the particle's velocity along its normal.
static double normal_velocity_change(const dlp_contact_constraint *constraint, dlp_vec3 v)
{
    return fmax(dlp_dot(dlp_sub(constraint->wall_velocity, v), constraint->normal),
                dlp_dot(dlp_sub(constraint->velocity, v), constraint->normal));
}

// Friction that would drive the particle backwards stops it instead: a pull that only its neighbours'
// stiffness makes vanishes as soon as it gives way, and is not tried again before it has grown. Friction of
// another load than it was reckoned with is reckoned anew.
static bool review_slide(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i,
                         double friction_limit)
{
    const dlp_cloth_obstacle_contacts *obstacles = &contact->scratch.obstacles;
    dlp_contact_constraint *constraint = &obstacles->constraints[i];
    const dlp_vec3 path = dlp_sub(dlp_get3(parts->particles->position, i), dlp_get3(parts->start, i));
    const dlp_vec3 slip =
        tangential_part(dlp_along(path, constraint->wall_velocity, -parts->step), constraint->normal);
    if (dlp_dot(slip, constraint->friction) > 0 && dlp_cloth_contact_allow(contact, i, DLP_CONTACT_STUCK)) {
        constraint->directions = 3;
        if (obstacles->changes[i] & DLP_CONTACT_SLIPPED)
            contact->state.held_pull[i] = obstacles->tried_pull[i];
        return true;
    }
    const double error = fabs(dlp_length(constraint->friction) - friction_limit);
    if (error <= 0.1 * friction_limit + 0.1 * slowest_change(parts)) return false;
    if (!dlp_cloth_contact_allow(contact, i, DLP_CONTACT_FRICTION_SET)) return false;
    set_slide_friction(constraint, slip, friction_limit);
    return true;
}

// What a contact cannot do: pull, or hold against more than its friction.
static bool review_constraint(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i)
{
    dlp_contact_constraint *constraint = &contact->scratch.obstacles.constraints[i];
    const dlp_obstacle_def *def = parts->obstacles[(contact->state.obstacle_contact[i] - 1) / 2].def;
    const dlp_vec3 v = dlp_get3(parts->particles->velocity, i), u = dlp_sub(v, constraint->wall_velocity);
    if (dlp_dot(dlp_sub(constraint->velocity, v), constraint->normal) < -0.02 * slowest_change(parts)) {
        if (!dlp_cloth_contact_allow(contact, i, DLP_CONTACT_RELEASED)) return false;
        contact->state.obstacle_contact[i] = 0;
        constraint->directions = 0;
        return true;
    }
    const double friction_limit = def->friction * normal_velocity_change(constraint, v),
                 slide = dlp_length(tangential_part(u, constraint->normal));
    if (constraint->directions < 3)
        return def->friction > 0 && review_slide(contact, parts, i, friction_limit);
    const double pull = slide * parts->particles->mass[i] / parts->step;
    if (slide <= friction_limit || pull < 1.2 * contact->state.held_pull[i] ||
        !dlp_cloth_contact_allow(contact, i, DLP_CONTACT_SLIPPED))
        return false;
    contact->scratch.obstacles.tried_pull[i] = pull;
    constraint->directions = 1;
    set_slide_friction(constraint, u, friction_limit);
    return true;
}

// Constrains a particle whose path would lead into the obstacle: so that it ends at its surface.
static bool review_path(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i, int32_t k)
{
    const dlp_body *obstacle = &parts->obstacles[k];
    const dlp_transform *before = &contact->scratch.bodies.before[k],
                        *after = &contact->scratch.bodies.after[k];
    const double radius = dlp_cloth_contact_corner_radius(contact, parts, parts->particles->substance[i]);
    const dlp_vec3 x = dlp_get3(parts->start, i);
    const contact_path path = {dlp_to_body(before, x),
                               dlp_to_body(after, dlp_get3(parts->particles->position, i))};
    bool hit = false;
    dlp_vec3 to = follow(obstacle, path, radius, &hit), normal;
    const double d = dlp_shape_probe(obstacle->shape, to, &normal);
    if (!hit && d > 0.95 * radius) return false;
    to = dlp_along(to, normal, radius - d);
    contact->scratch.obstacles.constraints[i] = (dlp_contact_constraint){
        .directions = obstacle->def->friction > 0 ? 3 : 1,
        .normal = dlp_rotate(after, normal),
        .velocity = dlp_mul(dlp_sub(dlp_to_world(after, to), x), 1 / parts->step),
        .wall_velocity = dlp_cloth_contact_wall_velocity(contact, k, dlp_to_world(before, to), parts->step)};
    contact->state.obstacle_contact[i] = 2 * k + 1;
    contact->state.held_pull[i] = 0;
    return true;
}

static bool review_particle(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i)
{
    const dlp_cloth_obstacle_contacts *obstacles = &contact->scratch.obstacles;
    if (parts->is_pinned[i] || contact->state.at_rest[i]) return false;
    if (obstacles->constraints[i].directions > 0) return review_constraint(contact, parts, i);
    const dlp_vec3 to = dlp_get3(parts->particles->position, i);
    const double path =
        dlp_length(dlp_sub(to, dlp_get3(parts->start, i))) + contact->scratch.bodies.max_travel;
    const double radius = dlp_cloth_contact_corner_radius(contact, parts, parts->particles->substance[i]);
    if (path == 0 || obstacles->clearance[i] - path > radius) return false;
    for (int32_t k = 0; k < parts->scene->obstacle_count; k++)
        if (review_path(contact, parts, i, k)) return true;
    return false;
}

static void review_range(void *context, int32_t begin, int32_t end, void *result)
{
    const contact_job *job = context;
    int64_t *changed = result;
    for (int32_t i = begin; i < end; i++) *changed += review_particle(job->contact, job->parts, i);
}

bool dlp_cloth_contact_review(dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    if (parts->scene->obstacle_count == 0) return false;
    contact_job job = {.contact = contact, .parts = parts};
    const dlp_reduction count_changed = {review_range, dlp_combine_sum_int64, &job, sizeof(int64_t)};
    int64_t changed = 0;
    dlp_parallel_reduce(parts->team, parts->particles->count, GRAIN, &count_changed, &changed);
    return changed > 0 || dlp_cloth_contact_review_facets(contact, parts);
}

// When all is solved.

static double slowest_bounce(const dlp_cloth_parts *parts)
{
    return 3 * slowest_change(parts);
}

// A restrained particle that friction lets go takes the whole pull of a stiff sheet as an impulse. What it
// did not move with stays below what wakes it; the pull is there again in the next step, and wakes it then.
static dlp_vec3 limit_velocity(const dlp_cloth_parts *parts, int32_t i, dlp_vec3 along, dlp_vec3 path)
{
    const dlp_fabric *fabric = &parts->fabrics[parts->particles->substance[i]];
    const double limit = dlp_length(path) / parts->step + fabric->restraint.hold_speed,
                 speed = dlp_length(along);
    return fabric->is_restrained && speed > limit ? dlp_mul(along, limit / speed) : along;
}

// The solve left a held particle the velocity it would have without its constraint: what the constraint took
// is the contact's impulse. Where the reviews ended before all was settled, a particle that is held too much
// keeps the velocity it moved with, and no impulse.
static void resolve_constraint(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i)
{
    const dlp_contact_constraint *constraint = &contact->scratch.obstacles.constraints[i];
    const int32_t k = (contact->state.obstacle_contact[i] - 1) / 2;
    const dlp_obstacle_def *def = parts->obstacles[k].def;
    dlp_cloth_particles *p = parts->particles;
    const dlp_vec3 v = dlp_get3(p->velocity, i);
    const dlp_vec3 path = dlp_sub(dlp_get3(p->position, i), dlp_get3(parts->start, i));
    if (dlp_dot(dlp_sub(constraint->velocity, v), constraint->normal) < 0) {
        contact->state.obstacle_contact[i] = 0;
        dlp_put3(p->velocity, i, dlp_mul(path, 1 / parts->step));
        return;
    }
    const dlp_vec3 along = limit_velocity(
        parts, i, tangential_part(dlp_sub(v, constraint->wall_velocity), constraint->normal), path);
    const dlp_impact impact = {
        .approach = dlp_dot(dlp_sub(constraint->wall_velocity, contact->scratch.obstacles.velocity_before[i]),
                            constraint->normal),
        .slowest_bounce = slowest_bounce(parts)};
    const double bounce = dlp_contact_bounce(def, &impact);
    const bool sticks = constraint->directions == 3;
    if (!sticks) contact->state.held_pull[i] = 0;
    contact->state.load[i] = normal_velocity_change(constraint, v) * p->mass[i] / parts->step;
    dlp_put3(
        p->velocity, i,
        dlp_along(dlp_along(constraint->wall_velocity, along, sticks ? 0 : 1), constraint->normal, bounce));
    contact->state.obstacle_contact[i] = bounce > 0 ? 0 : 2 * k + (sticks ? 2 : 1);
}

// What rests gives its contacts all that its neighbours do; if they moved, it will rest no longer.
static void resolve_support(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i)
{
    double *velocity = parts->particles->velocity;
    const int32_t body = dlp_cloth_contact_supporter(contact, parts, i);
    const dlp_vec3 v = dlp_get3(velocity, i);
    if (contact->state.at_rest[i])
        dlp_put3(velocity, i, contact->scratch.obstacles.velocity_before[i]);
    else
        resolve_constraint(contact, parts, i);
    dlp_cloth_contact_note_change(contact, parts, i, body, v);
}

// Returns how near the obstacle is in the end.
static double resolve_obstacle(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i, int32_t k)
{
    dlp_cloth_particles *p = parts->particles;
    const dlp_body *obstacle = &parts->obstacles[k];
    const dlp_transform *before = &contact->scratch.bodies.before[k],
                        *after = &contact->scratch.bodies.after[k];
    const double radius = dlp_cloth_contact_corner_radius(contact, parts, p->substance[i]);
    const contact_path path = {dlp_to_body(before, dlp_get3(parts->start, i)),
                               dlp_to_body(after, dlp_get3(p->position, i))};
    bool hit = false;
    dlp_vec3 to = follow(obstacle, path, radius, &hit), normal;
    const double d = dlp_shape_probe(obstacle->shape, to, &normal);
    if (d >= radius && !hit) return d;
    if (d < radius) to = dlp_along(to, normal, radius - d);
    const dlp_vec3 x = dlp_to_world(after, to), n = dlp_rotate(after, normal);
    const dlp_vec3 wall_velocity =
        dlp_cloth_contact_wall_velocity(contact, k, dlp_to_world(before, to), parts->step);
    const dlp_vec3 v = dlp_get3(p->velocity, i);
    const dlp_vec3 u = dlp_sub(v, wall_velocity);
    const dlp_impact impact = {u, n, -dlp_dot(u, n), slowest_bounce(parts)};
    const dlp_contact_response response = dlp_contact_respond(obstacle->def, &impact);
    dlp_put3(p->position, i, x);
    if (response.normal_change > 0) dlp_put3(p->velocity, i, dlp_add(wall_velocity, response.velocity));
    dlp_cloth_contact_note_change(contact, parts, i, k, v);
    if (response.normal_change > 0 && response.bounce <= 1e-12)
        contact->state.obstacle_contact[i] = 2 * k + (response.sticks ? 2 : 1);
    return fmax(d, radius);
}

// What is pinned goes where it must, even through an obstacle.
static double pass_obstacle(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i,
                            int32_t k)
{
    const dlp_vec3 x =
        dlp_to_body(&contact->scratch.bodies.after[k], dlp_get3(parts->particles->position, i));
    return dlp_shape_distance(parts->obstacles[k].shape, x);
}

static void resolve_obstacles(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i)
{
    dlp_cloth_particles *p = parts->particles;
    const double radius = dlp_cloth_contact_corner_radius(contact, parts, p->substance[i]);
    const double path = dlp_length(dlp_sub(dlp_get3(p->position, i), dlp_get3(parts->start, i)));
    const double approach = path + contact->scratch.bodies.max_travel;
    double *clearance = &contact->scratch.obstacles.clearance[i];
    *clearance -= approach;
    if (approach == 0 || *clearance > radius) return;
    double nearest = 1e30;
    for (int32_t k = 0; k < parts->scene->obstacle_count; k++)
        nearest = fmin(nearest, parts->is_pinned[i] ? pass_obstacle(contact, parts, i, k)
                                                    : resolve_obstacle(contact, parts, i, k));
    *clearance = nearest;
}

static void obstacles_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const contact_job *job = context;
    dlp_cloth_contact *contact = job->contact;
    for (int32_t i = begin; i < end; i++) {
        if (contact->state.at_rest[i] || contact->scratch.obstacles.constraints[i].directions > 0)
            resolve_support(contact, job->parts, i);
        resolve_obstacles(contact, job->parts, i);
    }
}

void dlp_cloth_contact_resolve_obstacles(dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    contact_job job = {.contact = contact, .parts = parts};
    dlp_parallel_for(parts->team, parts->particles->count, GRAIN, obstacles_range, &job);
    if (parts->scene->obstacle_count > 0) dlp_cloth_contact_resolve_facets(contact, parts);
}
