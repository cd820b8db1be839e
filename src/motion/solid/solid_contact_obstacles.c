/* Particles that meet obstacles: spheres of half a spacing against the signed distance. All particles do, not
 * only those at the surface; one that is far from every obstacle knows how far, and is not asked before it
 * has gone that path. */
#include "motion/contact_response.h"
#include "motion/solid/solid_contact.h"

enum { GRAIN = DLP_OBSTACLE_GRAIN, ANSWER_LIMIT = 4 };

// Impacts slower than this many sub-steps of gravity do not bounce: that is how something lies.
#define SLOWEST_BOUNCE 3.0

typedef struct obstacle_pass {
    const dlp_solid_pass *pass;
    dlp_solid_contact *contact;
    double slowest_bounce; /* m/s */
} obstacle_pass;

/* A particle on its path through a sub-step. */
typedef struct moving_particle {
    dlp_vec3 start, x;                       /* m: where it was, where it is */
    dlp_vec3 velocity, before, displacement; /* m/s, m/s, m: as the solver's fields */
    double radius;                           /* m */
    double memory;                           /* s: over which its friction takes the mean of what presses */
    float *pressing, *contact_time;          /* as the solver's fields */
    bool is_counted;                         /* what presses in this sub-step is in the mean */
} moving_particle;

// Where a path meets an obstacle.

// How far the end of a path (in the body's frame) is from the surface that the path meets first, and that
// surface's normal. The nearest one may be the far side of something thin.
static double probe_path(const dlp_shape *shape, dlp_vec3 from, dlp_vec3 to, double radius,
                         dlp_vec3 *out_normal)
{
    const double end = dlp_shape_probe(shape, to, out_normal);
    if (end >= radius && dlp_length(dlp_sub(to, from)) < end) return end;
    const double start = dlp_shape_distance(shape, from);
    if (start <= 0 || (end > 0 && dlp_length(dlp_sub(to, from)) < start + end)) return end;
    const double least = 0.5 * fmin(radius, start);
    const double share = dlp_share_until_contact(shape, from, to, least);
    if (share == 1) return end;
    const dlp_vec3 there = dlp_along(from, dlp_sub(to, from), share);
    dlp_vec3 normal;
    const double d = dlp_shape_probe(shape, there, &normal);
    const double through = d + dlp_dot(dlp_sub(to, there), normal);
    if (through >= radius) return end;
    *out_normal = normal;
    return through;
}

// The answer.

static double share_within(double a, double limit)
{
    return a > limit ? limit / a : 1;
}

// m/s: of the obstacle's matter at a place in its own frame.
static dlp_vec3 wall_velocity(const obstacle_pass *w, int32_t k, dlp_vec3 place)
{
    const dlp_vec3 displacement = dlp_sub(dlp_to_world(&w->contact->obstacles.after[k], place),
                                          dlp_to_world(&w->contact->obstacles.before[k], place));
    return dlp_mul(displacement, 1 / w->pass->step);
}

// m/s: the normal change that friction goes by. Were it that of the sub-step alone, the coupling of stress
// along the surface to stress across it would feed waves from what slides, however little they are at first:
// flutter. So friction follows the mean over the latter half of the time in contact, as far as the memory
// reaches. That weight makes the friction of a push like a half wave, a bounce, in sum what Coulomb's law
// says. Only the first obstacle that a particle meets in a sub-step is remembered.  [prakash1993]
static double pressing_of(const obstacle_pass *w, moving_particle *p, double normal_change)
{
    const double step = w->pass->step;
    if (p->is_counted || !(normal_change > 0)) return normal_change;
    p->is_counted = true;
    const double time = (double)*p->contact_time + 2 * step;  // what has left it this sub-step is given back
    const double share = step / fmax(step, fmin(0.5 * time, p->memory));
    *p->contact_time = (float)fmin(time, 2 * p->memory);
    *p->pressing += (float)(share * (normal_change / step - (double)*p->pressing));
    return step * (double)*p->pressing;
}

// Coulomb friction and restitution, from the velocity it would have without the contact. The place moves by
// what is missing, and back along the surface as far as friction holds.
static void respond(const obstacle_pass *w, int32_t k, moving_particle *p, double penetration,
                    dlp_vec3 normal)
{
    const dlp_obstacle_def *def = w->pass->solid->params.bodies[k].def;
    const dlp_vec3 place = dlp_to_body(&w->contact->obstacles.after[k], p->x),
                   wall = wall_velocity(w, k, place);
    const dlp_vec3 slip = dlp_sub(dlp_sub(p->x, p->start), dlp_mul(wall, w->pass->step));
    const dlp_vec3 along = dlp_along(slip, normal, -dlp_dot(slip, normal));
    const double approach = fmax(dlp_dot(dlp_sub(wall, p->before), normal), 0);
    const dlp_impact impact = {dlp_sub(p->velocity, wall), normal, approach, w->slowest_bounce};
    const double change = dlp_contact_normal_change(def, &impact), pressing = pressing_of(w, p, change);
    const double friction =
        change > 0 ? def->friction * penetration * (pressing / change) : def->friction * penetration;
    const double slip_share = share_within(dlp_length(along), friction);
    p->x = dlp_along(dlp_along(p->x, normal, penetration), along, -slip_share);

    const dlp_contact_response response = dlp_contact_respond_pressed(def, &impact, pressing);
    if (!(response.normal_change > 0)) return;
    const double struck = fmin((approach + response.bounce) / response.normal_change, 1);
    p->velocity = dlp_add(p->velocity, response.change);
    p->before = dlp_along(p->before, response.change, struck);
    p->displacement =
        dlp_along(p->displacement, response.change, struck * w->pass->step + (1 - struck) * w->pass->tau);
}

// Returns how near the obstacle was. Corners that point away may ask for several answers.
static double meet_obstacle(const obstacle_pass *w, int32_t k, moving_particle *p)
{
    const dlp_shape *shape = w->pass->solid->params.bodies[k].shape;
    const dlp_vec3 from = dlp_to_body(&w->contact->obstacles.before[k], p->start);
    double nearest = 1e30;
    for (int n = 0; n < ANSWER_LIMIT; n++) {
        dlp_vec3 normal;
        const dlp_vec3 to = dlp_to_body(&w->contact->obstacles.after[k], p->x);
        const double d = probe_path(shape, from, to, p->radius, &normal);
        nearest = fmin(nearest, d);
        if (d >= p->radius * (1 - 1e-9)) break;
        respond(w, k, p, p->radius - d, dlp_rotate(&w->contact->obstacles.after[k], normal));
    }
    return nearest;
}

// m: how far it went at most as seen from an obstacle.
static double farthest_path(const obstacle_pass *w, const moving_particle *p)
{
    const dlp_solid *solid = w->pass->solid;
    double farthest = dlp_length(dlp_sub(p->x, p->start));
    for (int32_t k = 0; k < solid->params.scene->obstacle_count; k++) {
        if (!solid->params.bodies[k].is_moving) continue;
        const dlp_vec3 displacement = dlp_sub(dlp_to_body(&w->contact->obstacles.after[k], p->x),
                                              dlp_to_body(&w->contact->obstacles.before[k], p->start));
        farthest = fmax(farthest, dlp_length(displacement));
    }
    return farthest;
}

// All of them.

// Spacings that a wave crosses while friction remembers what pressed: a few times those across a body as
// coarse as is usual.
#define FRICTION_MEMORY 30.0

static double friction_memory(const dlp_solid *solid, int32_t substance)
{
    const dlp_solid_material *material = &solid->params.materials[substance];
    const double density = solid->params.scene->substances[substance].density;
    return FRICTION_MEMORY * material->spacing * sqrt(density / material->young);
}

static void store(const obstacle_pass *w, int32_t i, const moving_particle *p)
{
    dlp_solid_particles *to = &w->pass->solid->state.particles;
    const dlp_vec3 moved = dlp_sub(p->x, dlp_solid_get(to->position, i));
    float *displacement = to->displacement + 3 * (int64_t)i;
    displacement[0] += (float)moved.x;
    displacement[1] += (float)moved.y;
    displacement[2] += (float)moved.z;
    dlp_solid_set(to->position, i, p->x);
    dlp_solid_set(to->velocity, i, p->velocity);
    dlp_solid_set(to->last_velocity, i, p->before);
    dlp_solid_set(to->step_displacement, i, p->displacement);
}

// What the body took from the particle. The share of a change that belongs to the velocity before is an
// impact; the rest is a force, which damping has weakened.
static void note_push(const obstacle_pass *w, int32_t i, const moving_particle *before,
                      const moving_particle *p, dlp_solid_push *sum)
{
    const dlp_solid *solid = w->pass->solid;
    const double mass = solid->state.particles.mass[i];
    const dlp_solid_def *def = &solid->params.scene->substances[solid->state.particles.substance[i]].solid;
    const dlp_vec3 impact = dlp_sub(p->before, before->before),
                   pressed = dlp_sub(dlp_sub(p->velocity, before->velocity), impact);
    dlp_solid_push_add(sum, p->x, dlp_mul(pressed, -mass / dlp_solid_drag(def, w->pass->tau)),
                       dlp_mul(impact, -mass));
}

static void meet_obstacles(const obstacle_pass *w, int32_t i, dlp_solid_push *sums)
{
    const dlp_solid *solid = w->pass->solid;
    const dlp_solid_particles *from = &solid->state.particles;
    const dlp_vec3 x = dlp_solid_get(from->position, i),
                   displacement = dlp_solid_get(from->step_displacement, i);
    moving_particle p = {.start = dlp_sub(x, displacement),
                         .x = x,
                         .displacement = displacement,
                         .radius = dlp_solid_reach(solid, i),
                         .memory = friction_memory(solid, from->substance[i]),
                         .pressing = &from->pressing[i],
                         .contact_time = &from->contact_time[i]};
    const double clearance = (double)w->contact->obstacles.clearance[i] - farthest_path(w, &p);
    if (clearance > p.radius * (1 + 1e-3)) {  // more than a float of it can be wrong
        w->contact->obstacles.clearance[i] = (float)clearance;
        return;
    }
    p.velocity = dlp_solid_get(from->velocity, i);
    p.before = dlp_solid_get(from->last_velocity, i);
    double nearest = 1e6 * p.radius;
    for (int32_t k = 0; k < solid->params.scene->obstacle_count; k++) {
        const moving_particle before = p;
        const double distance = meet_obstacle(w, k, &p);
        if (distance < p.radius) note_push(w, i, &before, &p, &sums[k]);
        nearest = fmin(nearest, distance);
    }
    w->contact->obstacles.clearance[i] = (float)nearest;
    if (nearest < p.radius) store(w, i, &p);
}

// Between the sweeps.

static dlp_vec3 push_out(const obstacle_pass *w, const moving_particle *p)
{
    const dlp_solid_params *params = &w->pass->solid->params;
    dlp_vec3 x = p->x;
    for (int32_t k = 0; k < params->scene->obstacle_count; k++)
        for (int n = 0; n < ANSWER_LIMIT; n++) {
            const dlp_transform *after = &w->contact->obstacles.after[k];
            dlp_vec3 normal;
            const double d =
                probe_path(params->bodies[k].shape, dlp_to_body(&w->contact->obstacles.before[k], p->start),
                           dlp_to_body(after, x), p->radius, &normal);
            if (d >= p->radius * (1 - 1e-9)) break;
            x = dlp_along(x, dlp_rotate(after, normal), p->radius - d);
        }
    return dlp_sub(x, p->x);
}

static void hold_particle(const obstacle_pass *w, int32_t i)
{
    const dlp_solid *solid = w->pass->solid;
    const dlp_solid_obstacle_contacts *obstacles = &w->contact->obstacles;
    dlp_sweep_node *node = &solid->scratch.nodes[i];
    const moving_particle p = {.start = dlp_solid_get(solid->state.particles.position, i),
                               .x = dlp_sweep_node_position(node),
                               .radius = dlp_solid_reach(solid, i)};
    const double clearance = (double)obstacles->clearance[i] - farthest_path(w, &p);
    if (clearance > p.radius * (1 + 1e-3)) return;
    const dlp_vec3 out = push_out(w, &p);
    dlp_sweep_node_move(node, out);
    dlp_solid_set(obstacles->held, i, dlp_add(dlp_solid_get(obstacles->held, i), out));
}

static void hold_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const obstacle_pass *w = context;
    for (int32_t i = begin; i < end; i++)
        if (w->pass->solid->scratch.nodes[i].inverse_mass > 0) hold_particle(w, i);
}

static bool has_obstacles(const dlp_solid *solid)
{
    return solid->params.scene->obstacle_count > 0 && solid->params.bodies != NULL;
}

static void for_all_particles(const dlp_solid_pass *pass, dlp_range_fn *run)
{
    dlp_solid *solid = pass->solid;
    obstacle_pass w = {pass, solid->contact, SLOWEST_BOUNCE * pass->step * dlp_length(pass->gravity)};
    dlp_parallel_for(solid->params.team, solid->state.particles.count, GRAIN, run, &w);
}

dlp_status dlp_solid_contact_hold(const dlp_solid_pass *pass, dlp_error *error)
{
    dlp_solid_contact_let_go(pass);
    DLP_TRY(dlp_solid_contact_hold_bodies(pass, error));
    if (has_obstacles(pass->solid)) for_all_particles(pass, hold_range);
    return DLP_OK;
}

static void let_go_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const obstacle_pass *w = context;
    for (int32_t i = begin; i < end; i++) {
        const dlp_vec3 held = dlp_solid_get(w->contact->obstacles.held, i);
        if (dlp_dot(held, held) == 0) continue;
        dlp_sweep_node_move(&w->pass->solid->scratch.nodes[i], dlp_mul(held, -1));
        dlp_solid_set(w->contact->obstacles.held, i, dlp_vec(0, 0, 0));
    }
}

void dlp_solid_contact_let_go(const dlp_solid_pass *pass)
{
    for_all_particles(pass, let_go_range);
}

// After the sweeps.

static void obstacles_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const obstacle_pass *w = context;
    const int32_t body_count = w->pass->solid->params.scene->obstacle_count;
    dlp_solid_push *sums = w->pass->solid->scratch.contact_pushes + (int64_t)(begin / GRAIN) * body_count;
    assert((begin / GRAIN + 1) * (int64_t)body_count <= w->pass->solid->capacity[DLP_PER_CONTACT_PUSH]);
    for (int32_t k = 0; k < body_count; k++) sums[k] = (dlp_solid_push){0};
    for (int32_t i = begin; i < end; i++)
        if (w->pass->solid->scratch.nodes[i].inverse_mass > 0)
            meet_obstacles(w, i, sums);
        else
            w->contact->obstacles.clearance[i] = 0;
}

void dlp_solid_contact_reset_clearance(dlp_solid *solid)
{
    float *clearance = solid->contact->obstacles.clearance;
    dlp_parallel_set(solid->params.team, clearance, 0,
                     (size_t)solid->state.particles.count * sizeof *clearance);
}

void dlp_solid_contact_forget(dlp_solid *solid)
{
    solid->contact->pairs.is_built = false;
    dlp_solid_contact_reset_clearance(solid);
}

dlp_status dlp_solid_contact_place_obstacles(const dlp_solid_pass *pass, double time, dlp_error *error)
{
    dlp_solid *solid = pass->solid;
    dlp_solid_contact *t = solid->contact;
    const int32_t count = solid->params.scene->obstacle_count;
    if (!has_obstacles(solid)) return DLP_OK;
    DLP_TRY(dlp_solid_contact_reserve(t, DLP_CONTACT_PER_BODY, count, error));
    for (int32_t k = 0; k < count; k++) {
        t->obstacles.before[k] = dlp_body_transform_at(&solid->params.bodies[k], time);
        t->obstacles.after[k] = dlp_body_transform_at(&solid->params.bodies[k], time + pass->step);
    }
    return DLP_OK;
}

void dlp_solid_contact_obstacles(const dlp_solid_pass *pass)
{
    if (has_obstacles(pass->solid)) for_all_particles(pass, obstacles_range);
}
