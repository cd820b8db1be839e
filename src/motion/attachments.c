#include "motion/attachments.h"
#include "base/memory.h"

// Particles this near the shape, in spacings, belong to it: those of a sheet's edge lie on its surface.
#define REACH 0.01

static dlp_vec3 get(const double *array, int32_t i)
{
    const double *a = array + 3 * (size_t)i;
    return dlp_vec(a[0], a[1], a[2]);
}

static void set(double *array, int32_t i, dlp_vec3 v)
{
    double *a = array + 3 * (size_t)i;
    a[0] = v.x;
    a[1] = v.y;
    a[2] = v.z;
}

static int32_t count_inside(const dlp_attachment_view *view, const dlp_attachment_def *def,
                            const dlp_shape *shape, uint8_t *is_inside)
{
    int32_t found = 0;
    const double reach = REACH * view->spacing[def->substance_index];
    for (int32_t i = 0; i < view->count; i++) {
        const bool is_its = view->substance[i] == def->substance_index;
        is_inside[i] = is_its && dlp_shape_distance(shape, get(view->position, i)) <= reach;
        found += is_inside[i];
    }
    return found;
}

static dlp_status attach_one(const dlp_scene_def *scene, const dlp_attachment_view *view, int32_t index,
                             uint8_t *is_inside, dlp_error *error)
{
    const dlp_attachment_def *def = &scene->attachments[index];
    dlp_shape *shape;
    DLP_TRY(dlp_shape_create(&def->shape, scene->dimension, scene->folder, &shape, error));
    const int32_t found = count_inside(view, def, shape, is_inside);
    dlp_shape_destroy(shape);
    if (found == 0)
        return dlp_fail(error, DLP_INVALID, "no particle of %s starts inside its shape",
                        scene->substances[def->substance_index].name);
    for (int32_t i = 0; i < view->count; i++) {
        if (!is_inside[i]) continue;
        view->mass[i] += def->mass / found;
        if (def->hold) view->pin[i] = index;
    }
    return DLP_OK;
}

dlp_status dlp_attachments_find(const dlp_scene_def *scene, const dlp_attachment_view *view, dlp_error *error)
{
    uint8_t *is_inside = dlp_alloc((size_t)view->count + 1, 1, "attachments");
    if (is_inside == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "attachments: no room");
    dlp_status status = DLP_OK;
    for (int32_t k = 0; k < scene->attachment_count && status == DLP_OK; k++) {
        if (scene->substances[scene->attachments[k].substance_index].model != view->model) continue;
        status = attach_one(scene, view, k, is_inside, error);
        if (status != DLP_OK) dlp_fail_at(error, status, "attachments[%d]", k);
    }
    dlp_free(is_inside);
    return status;
}

// From where a particle was found to where it is wanted.
static dlp_transform transform_of(const dlp_body *bodies, const dlp_attachment_def *def, double time)
{
    if (def->body_index >= 0) {
        const dlp_body *body = &bodies[def->body_index];
        const dlp_transform then = dlp_body_transform_at(body, 0), now = dlp_body_transform_at(body, time);
        dlp_transform out;
        for (int k = 0; k < 3; k++)  // now times the inverse of then
            out.rows[k] = dlp_vec(dlp_dot(now.rows[k], then.rows[0]), dlp_dot(now.rows[k], then.rows[1]),
                                  dlp_dot(now.rows[k], then.rows[2]));
        out.translation = dlp_sub(now.translation, dlp_rotate(&out, then.translation));
        return out;
    }
    const dlp_placement still = {def->position, def->rotation};
    return dlp_placement_transform(dlp_placement_at(still, def->position_track, def->rotation_track, time),
                                   def->pivot);
}

void dlp_attachments_set_targets(const dlp_scene_def *scene, const dlp_body *bodies,
                                 const dlp_attachment_view *view, double before, double time)
{
    int32_t last = -1;
    dlp_transform transform = dlp_transform_identity();
    for (int32_t i = 0; i < view->count; i++) {
        view->is_pinned[i] = 0;
        if (view->pin[i] < 0) continue;
        const dlp_attachment_def *def = &scene->attachments[view->pin[i]];
        if (time < def->start || time >= def->stop) continue;
        if (view->pin[i] != last) transform = transform_of(bodies, def, time);
        last = view->pin[i];
        // what is caught on its way is held where it is
        if (def->start > 0 && before < def->start)
            set(view->start_place, i, dlp_to_body(&transform, get(view->position, i)));
        view->is_pinned[i] = 1;
        set(view->target_place, i, dlp_to_world(&transform, get(view->start_place, i)));
    }
}
