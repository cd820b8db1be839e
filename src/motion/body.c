#include "motion/body.h"
#include "base/memory.h"

static bool has_tracks(const dlp_obstacle_def *def)
{
    return def->position_track != NULL || def->rotation_track != NULL;
}

dlp_status dlp_bodies_init(dlp_bodies *bodies, const dlp_scene_def *scene, int32_t solver_count,
                           dlp_error *error)
{
    const size_t count = (size_t)scene->obstacle_count;
    *bodies = (dlp_bodies){.solver_count = solver_count};
    bodies->items = dlp_alloc(count + 1, sizeof *bodies->items, "bodies");
    bodies->loads = dlp_alloc(count * (size_t)solver_count + 1, sizeof *bodies->loads, "bodies");
    bodies->packed_hosts = dlp_alloc(count + 1, sizeof *bodies->packed_hosts, "bodies");
    if (bodies->items == NULL || bodies->loads == NULL || bodies->packed_hosts == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "bodies: no room");
    bodies->count = scene->obstacle_count;
    for (int32_t k = 0; k < bodies->count; k++) {
        dlp_body *body = &bodies->items[k];
        body->def = &scene->obstacles[k];
        body->is_moving = has_tracks(body->def);
        const dlp_status status =
            dlp_shape_create(&body->def->shape, scene->dimension, scene->folder, &body->shape, error);
        if (status != DLP_OK) return dlp_fail_at(error, status, "obstacles[%d]", k);
    }
    return DLP_OK;
}

void dlp_bodies_release(dlp_bodies *bodies)
{
    for (int32_t k = 0; k < bodies->count; k++) dlp_shape_destroy(bodies->items[k].shape);
    dlp_free(bodies->items);
    dlp_free(bodies->loads);
    dlp_free(bodies->packed_hosts);
    *bodies = (dlp_bodies){0};
}

// Where a body is.

static dlp_placement scene_placement(const dlp_obstacle_def *def, double time)
{
    return dlp_placement_at((dlp_placement){def->position, def->rotation}, def->position_track,
                            def->rotation_track, time);
}

static dlp_vec3 between(dlp_vec3 from, dlp_vec3 to, double share)
{
    return dlp_along(dlp_mul(from, 1 - share), to, share);
}

dlp_placement dlp_body_placement_at(const dlp_body *body, double time)
{
    const dlp_host_motion *host = &body->host;
    const bool is_moved = host->phase == DLP_HOST_MOVING;
    if (is_moved && host->stays && time >= host->end) return host->to;
    if (host->phase == DLP_HOST_WANTED) return host->from;
    if (!is_moved || time >= host->end) return scene_placement(body->def, time);
    const double share = fmax((time - host->start) / (host->end - host->start), 0);
    return (dlp_placement){between(host->from.position, host->to.position, share),
                           between(host->from.rotation, host->to.rotation, share)};
}

dlp_transform dlp_body_transform_at(const dlp_body *body, double time)
{
    return dlp_placement_transform(dlp_body_placement_at(body, time), body->def->pivot);
}

// Central differences over a span that is short for any motion and long for a double's last bit.
dlp_twist dlp_body_twist_at(const dlp_body *body, double time)
{
    if (!body->is_moving) return (dlp_twist){0};
    const double span = 1e-5;
    const dlp_transform before = dlp_body_transform_at(body, time - span);
    const dlp_transform after = dlp_body_transform_at(body, time + span);
    const dlp_transform now = dlp_body_transform_at(body, time);
    const dlp_vec3 pivot = body->def->pivot;
    dlp_twist twist = {.origin = dlp_to_world(&now, pivot)};
    const dlp_vec3 moved = dlp_sub(dlp_to_world(&after, pivot), dlp_to_world(&before, pivot));
    twist.linear = dlp_mul(moved, 0.5 / span);
    // omega = 1/2 sum e_k x de_k/dt over the body's axes e_k
    for (int k = 0; k < 3; k++) {
        const dlp_vec3 axis = dlp_vec(k == 0, k == 1, k == 2);
        const dlp_vec3 e = dlp_rotate(&now, axis);
        const dlp_vec3 rate =
            dlp_mul(dlp_sub(dlp_rotate(&after, axis), dlp_rotate(&before, axis)), 0.5 / span);
        twist.angular = dlp_along(twist.angular, dlp_cross(e, rate), 0.5);
    }
    return twist;
}

void dlp_bodies_place(dlp_bodies *bodies, double time)
{
    for (int32_t k = 0; k < bodies->count; k++) {
        dlp_body *body = &bodies->items[k];
        if (body->is_placed && !body->is_moving) continue;
        body->pose = dlp_body_transform_at(body, time);
        body->twist = dlp_body_twist_at(body, time);
        body->is_placed = true;
    }
}

// A host moves it.

static bool is_same(dlp_vec3 a, dlp_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

void dlp_body_want(dlp_body *body, dlp_placement from, dlp_placement to)
{
    body->host = (dlp_host_motion){.phase = DLP_HOST_WANTED, .stays = true, .from = from, .to = to};
    body->is_moving = true;
}

void dlp_body_follow_scene(dlp_body *body, dlp_placement from)
{
    body->host = (dlp_host_motion){.phase = DLP_HOST_WANTED, .from = from};
    body->is_moving = true;
}

void dlp_bodies_change(dlp_bodies *bodies, const dlp_scene_def *scene, double now)
{
    for (int32_t k = 0; k < bodies->count; k++) {
        dlp_body *body = &bodies->items[k];
        const dlp_placement before = dlp_body_placement_at(body, now);
        const dlp_placement then = scene_placement(body->def, now);
        body->def = &scene->obstacles[k];
        body->is_moving = body->is_moving || has_tracks(body->def);
        const dlp_placement wanted = scene_placement(body->def, now);
        if (is_same(then.position, wanted.position) && is_same(then.rotation, wanted.rotation)) continue;
        dlp_body_follow_scene(body, before);
    }
}

void dlp_bodies_begin(dlp_bodies *bodies, double start, double end)
{
    for (int32_t k = 0; k < bodies->count; k++) {
        dlp_body *body = &bodies->items[k];
        dlp_host_motion *host = &body->host;
        if (host->phase != DLP_HOST_WANTED) continue;
        host->phase = DLP_HOST_MOVING;
        host->start = start;
        host->end = end;
        if (!host->stays) host->to = scene_placement(body->def, end);
    }
}

static double *placement_numbers(dlp_placement *placement, int k)
{
    dlp_vec3 *v = k < 3 ? &placement->position : &placement->rotation;
    return k % 3 == 0 ? &v->x : k % 3 == 1 ? &v->y : &v->z;
}

void dlp_bodies_pack(dlp_bodies *bodies)
{
    for (int32_t b = 0; b < bodies->count; b++) {
        dlp_host_motion *host = &bodies->items[b].host;
        double *to = bodies->packed_hosts[b];
        to[0] = host->phase;
        to[1] = host->stays;
        to[2] = host->start;
        to[3] = host->end;
        for (int k = 0; k < 6; k++) {
            to[4 + k] = *placement_numbers(&host->from, k);
            to[10 + k] = *placement_numbers(&host->to, k);
        }
    }
}

bool dlp_bodies_unpack(dlp_bodies *bodies)
{
    for (int32_t b = 0; b < bodies->count; b++) {
        dlp_body *body = &bodies->items[b];
        const double *from = bodies->packed_hosts[b];
        for (int k = 0; k < DLP_HOST_MOTION_SIZE; k++)
            if (!isfinite(from[k])) return false;
        const bool is_known =
            from[0] == DLP_HOST_NONE || from[0] == DLP_HOST_WANTED || from[0] == DLP_HOST_MOVING;
        if (!is_known || (from[0] == DLP_HOST_MOVING && !(from[3] > from[2]))) return false;
        body->host = (dlp_host_motion){
            .phase = (dlp_host_phase)(int)from[0], .stays = from[1] != 0, .start = from[2], .end = from[3]};
        for (int k = 0; k < 6; k++) {
            *placement_numbers(&body->host.from, k) = from[4 + k];
            *placement_numbers(&body->host.to, k) = from[10 + k];
        }
        body->is_moving = body->is_moving || body->host.phase != DLP_HOST_NONE;
    }
    return true;
}

// What acted on it.

void dlp_bodies_forget_impulses(dlp_bodies *bodies)
{
    for (int32_t k = 0; k < bodies->count * bodies->solver_count; k++)
        bodies->loads[k].impulse = bodies->loads[k].angular_impulse = dlp_vec(0, 0, 0);
}

double dlp_body_probe(const dlp_body *body, const dlp_transform *pose, dlp_vec3 x, dlp_vec3 *out_normal)
{
    dlp_vec3 normal;
    const double distance = dlp_shape_probe(body->shape, dlp_to_body(pose, x), &normal);
    *out_normal = dlp_rotate(pose, normal);
    return distance;
}
