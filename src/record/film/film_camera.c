// The camera of a film: the scene's own, key frames included, with what it leaves open fitted to the box.
#include "record/film/film_camera.h"

// Replaces `out` by the value of the track that drives `target`, where there is one. A track is found by the
// address of its field.
static void follow_track(const dlp_scene_def *def, const double *target, double time, double *out)
{
    for (int32_t k = 0; k < def->track_count; k++)
        if (def->tracks[k].target == target) dlp_track_value(&def->tracks[k], time, out);
}

static dlp_vec3 vector_at(const dlp_scene_def *def, const dlp_vec3 *field, double time)
{
    double value[3] = {field->x, field->y, field->z};
    follow_track(def, &field->x, time, value);
    return dlp_vec(value[0], value[1], value[2]);
}

dlp_camera_def dlp_camera_def_at(const dlp_scene_def *def, double time)
{
    dlp_camera_def camera = def->camera;
    camera.from = vector_at(def, &def->camera.from, time);
    camera.to = vector_at(def, &def->camera.to, time);
    double angle[3] = {def->camera.angle};
    follow_track(def, &def->camera.angle, time, angle);
    camera.angle = angle[0];
    return camera;
}

// `up` is as far up in the picture as the direction allows.
static void set_axes(dlp_camera *camera, dlp_vec3 forward, dlp_vec3 up)
{
    const dlp_vec3 aside = dlp_cross(forward, up);
    const dlp_vec3 any = fabs(forward.z) < 0.9 ? dlp_vec(0, 0, 1) : dlp_vec(0, 1, 0);
    camera->forward = forward;
    if (dlp_length(aside) > 1e-6)
        camera->right = dlp_normalize(aside, dlp_vec(1, 0, 0));
    else  // it looks straight along `up`
        camera->right = dlp_normalize(dlp_cross(forward, any), dlp_vec(1, 0, 0));
    camera->up = dlp_cross(camera->right, camera->forward);
}

// How far from `target` all of the box is seen, with a margin.
static double distance_to_see(const dlp_camera *camera, const dlp_box *box, dlp_vec3 target)
{
    const double fill = 0.9;
    double distance = 0;
    for (int32_t k = 0; k < 8; k++) {
        const dlp_vec3 corner = dlp_vec(k & 1 ? box->max.x : box->min.x, k & 2 ? box->max.y : box->min.y,
                                        k & 4 ? box->max.z : box->min.z);
        const dlp_vec3 q = dlp_sub(corner, target);
        const double across = fabs(dlp_dot(q, camera->right)) / (fill * camera->center_x);
        const double along = fabs(dlp_dot(q, camera->up)) / (fill * camera->center_y);
        distance = fmax(distance, camera->scale * fmax(across, along) - dlp_dot(q, camera->forward));
    }
    return distance;
}

// Where the scene says nothing, the camera is that of dlp_camera_fit, bit for bit.
dlp_camera dlp_film_camera(const dlp_camera_def *request, const dlp_box *box, dlp_vec3 up, int32_t width,
                           int32_t height)
{
    dlp_camera camera = dlp_camera_fit(box, up, width, height);
    const double half_angle = 0.5 * request->angle * DLP_PI / 180;
    const double scale = fmin(camera.center_x, camera.center_y) / tan(half_angle);
    const bool is_usual = fabs(scale / camera.scale - 1) < 1e-9;
    if (!request->has_from && !request->has_to && !request->has_up && is_usual) return camera;
    camera.scale = scale;
    const dlp_vec3 middle = dlp_mul(dlp_add(box->min, box->max), 0.5);
    const dlp_vec3 target = request->has_to ? request->to : middle;
    const dlp_vec3 forward =
        request->has_from ? dlp_normalize(dlp_sub(target, request->from), camera.forward) : camera.forward;
    set_axes(&camera, forward, request->has_up ? dlp_normalize(request->up, up) : up);
    camera.eye = request->has_from ? request->from
                                   : dlp_along(target, forward, -distance_to_see(&camera, box, target));
    return camera;
}
