/* Restraint by view: where the camera looks from far or not at all, thresholds grow. */
#include "motion/sph/sph_restraint.h"

#include <math.h>

enum { GRAIN = 256 };

#define UNSEEN 4 /* factor for what the camera cannot see */

typedef struct camera_view {
    dlp_sph *sph;
    dlp_vec3 eye, forward, right, up;
    double distance;        // m: to what it looks at
    double across, upward;  // tangents of half the angles of view
} camera_view;

static camera_view camera_view_of(dlp_sph *sph)
{
    const dlp_scene_def *scene = sph->scene;
    const dlp_camera_def *camera = &scene->camera;
    camera_view view = {.sph = sph, .eye = camera->from};
    const dlp_vec3 ray = dlp_sub(camera->to, camera->from);
    const dlp_vec3 above = camera->has_up ? camera->up : dlp_mul(scene->gravity, -1);
    view.distance = dlp_length(ray);
    view.forward = dlp_normalize(ray, dlp_vec(0, 1, 0));
    view.right =
        dlp_normalize(dlp_cross(view.forward, dlp_normalize(above, dlp_vec(0, 0, 1))), dlp_vec(1, 0, 0));
    view.up = dlp_cross(view.right, view.forward);
    const double shorter = tan(camera->angle * DLP_PI / 360);  // across the picture's shorter side
    const double aspect = (double)scene->render.width / scene->render.height;
    view.across = aspect > 1 ? shorter * aspect : shorter;
    view.upward = aspect > 1 ? shorter : shorter / aspect;
    return view;
}

static bool is_in_picture(const camera_view *view, dlp_vec3 ray)
{
    const double depth = dlp_dot(ray, view->forward);
    return depth > 0 && fabs(dlp_dot(ray, view->right)) <= view->across * depth &&
           fabs(dlp_dot(ray, view->up)) <= view->upward * depth;
}

// Whether an obstacle stands between; containers are looked into. Steps by the distance to it.
static bool is_hidden(const camera_view *view, dlp_vec3 x)
{
    const dlp_sph *sph = view->sph;
    const dlp_vec3 ray = dlp_sub(view->eye, x);
    const double length = dlp_length(ray), least = 0.5 * sph->params.finest;
    for (int32_t k = 0; k < sph->scene->obstacle_count; k++) {
        if (sph->bodies[k].def->shape.inside) continue;
        const dlp_transform transform =
            dlp_body_transform_at(&sph->bodies[k], dlp_sph_clock_time(&sph->state.clock));
        const dlp_vec3 from = dlp_to_body(&transform, x), along = dlp_rotate_back(&transform, ray);
        for (double at = sph->params.finest; at < length;) {
            const double d = dlp_shape_distance(sph->bodies[k].shape, dlp_along(from, along, at / length));
            if (d < 0) return true;
            at += d > least ? d : least;
        }
    }
    return false;
}

static void detail_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const camera_view *view = context;
    dlp_particles *p = &view->sph->state.particles;
    for (int32_t i = begin; i < end; i++) {
        if (!dlp_particle_substance(view->sph, i)->sleep_rules.by_camera) continue;
        const dlp_vec3 x = dlp_particle_position(p, i), ray = dlp_sub(x, view->eye);
        const double far = dlp_length(ray) / view->distance;
        const bool is_seen = is_in_picture(view, ray) && !is_hidden(view, x);
        p->threshold_scale[i] = (float)((far > 1 ? far : 1) * (is_seen ? 1 : UNSEEN));
    }
}

void dlp_sph_set_camera_detail(dlp_sph *sph)
{
    bool by_camera = false;
    for (int32_t k = 0; k < sph->scene->substance_count; k++)
        by_camera = by_camera || (sph->params.substances[k].sleep_rules.is_on &&
                                  sph->params.substances[k].sleep_rules.by_camera);
    if (!by_camera) return;
    camera_view view = camera_view_of(sph);
    dlp_parallel_for(sph->team, sph->state.particles.count, GRAIN, detail_range, &view);
}
