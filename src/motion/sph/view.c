/* Restraint by view: where the camera looks from far or not at all, thresholds grow. */
#include "motion/sph/restrain.h"

#include <math.h>

enum { GRAIN = 256 };

#define UNSEEN 4 /* factor for what the camera cannot see */

typedef struct viewing {
    dlp_sph *sph;
    dlp_vec3 eye, forward, right, up;
    double distance;        // m: to what it looks at
    double across, upward;  // tangents of half the angles of view
} viewing;

static viewing look(dlp_sph *sph)
{
    const dlp_scene_def *scene = sph->scene;
    const dlp_camera_def *camera = &scene->camera;
    viewing view = {.sph = sph, .eye = camera->from};
    const dlp_vec3 way = dlp_sub(camera->to, camera->from);
    const dlp_vec3 above = camera->has_up ? camera->up : dlp_mul(scene->gravity, -1);
    view.distance = dlp_length(way);
    view.forward = dlp_normalize(way, dlp_vec(0, 1, 0));
    view.right =
        dlp_normalize(dlp_cross(view.forward, dlp_normalize(above, dlp_vec(0, 0, 1))), dlp_vec(1, 0, 0));
    view.up = dlp_cross(view.right, view.forward);
    const double shorter = tan(camera->angle * DLP_PI / 360);  // across the picture's shorter side
    const double aspect = (double)scene->render.width / scene->render.height;
    view.across = aspect > 1 ? shorter * aspect : shorter;
    view.upward = aspect > 1 ? shorter : shorter / aspect;
    return view;
}

static bool is_in_picture(const viewing *view, dlp_vec3 way)
{
    const double depth = dlp_dot(way, view->forward);
    return depth > 0 && fabs(dlp_dot(way, view->right)) <= view->across * depth &&
           fabs(dlp_dot(way, view->up)) <= view->upward * depth;
}

// Whether an obstacle stands between; containers are looked into. Steps by the distance to it.
static bool is_hidden(const viewing *view, dlp_vec3 x)
{
    const dlp_sph *sph = view->sph;
    const dlp_vec3 way = dlp_sub(view->eye, x);
    const double length = dlp_length(way), least = 0.5 * sph->finest;
    for (int32_t k = 0; k < sph->scene->obstacle_count; k++) {
        if (sph->obstacles[k].def->shape.inside) continue;
        const dlp_frame frame = dlp_obstacle_frame(&sph->obstacles[k], dlp_clock_time(&sph->clock));
        const dlp_vec3 from = dlp_to_body(&frame, x), along = dlp_rotate_back(&frame, way);
        for (double at = sph->finest; at < length;) {
            const double d = dlp_shape_distance(sph->obstacles[k].shape, dlp_along(from, along, at / length));
            if (d < 0) return true;
            at += d > least ? d : least;
        }
    }
    return false;
}

static void view_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const viewing *view = context;
    dlp_particles *p = &view->sph->particles;
    for (int32_t i = begin; i < end; i++) {
        if (!view->sph->substances[p->substance[i]].rest.by_view) continue;
        const dlp_vec3 x = dlp_particle_position(p, i), way = dlp_sub(x, view->eye);
        const double far = dlp_length(way) / view->distance;
        const bool is_seen = is_in_picture(view, way) && !is_hidden(view, x);
        p->ease[i] = (float)((far > 1 ? far : 1) * (is_seen ? 1 : UNSEEN));
    }
}

void dlp_sph_view(dlp_sph *sph)
{
    bool by_view = false;
    for (int32_t k = 0; k < sph->scene->substance_count; k++)
        by_view = by_view || (sph->substances[k].rest.is_on && sph->substances[k].rest.by_view);
    if (!by_view) return;
    viewing view = look(sph);
    dlp_parallel_for(sph->team, sph->particles.count, GRAIN, view_range, &view);
}
