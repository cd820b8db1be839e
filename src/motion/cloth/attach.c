/* Attachments: which particles they hold, and where they want them. */
#include "motion/cloth/solver.h"

// Particles this near the shape, in spacings, belong to it: those of a sheet's edge lie on its surface.
#define REACH 0.01

static int32_t count_inside(const dlp_cloth *cloth, const dlp_attachment_def *def, const dlp_shape *shape,
                            uint8_t *is_inside)
{
    int32_t found = 0;
    const double reach = REACH * cloth->spacing[def->substance_index];
    for (int32_t i = 0; i < cloth->particles.count; i++) {
        const bool is_its = cloth->particles.substance[i] == def->substance_index;
        is_inside[i] =
            is_its && dlp_shape_distance(shape, dlp_cloth_get(cloth->particles.position, i)) <= reach;
        found += is_inside[i];
    }
    return found;
}

static dlp_status attach_one(dlp_cloth *cloth, int32_t index, uint8_t *is_inside, dlp_error *error)
{
    const dlp_attachment_def *def = &cloth->scene->attachments[index];
    dlp_shape *shape;
    DLP_TRY(dlp_shape_create(&def->shape, cloth->scene->dimension, cloth->scene->folder, &shape, error));
    const int32_t found = count_inside(cloth, def, shape, is_inside);
    dlp_shape_destroy(shape);
    if (found == 0)
        return dlp_fail(error, DLP_INVALID, "no particle of %s starts inside its shape",
                        cloth->scene->substances[def->substance_index].name);
    for (int32_t i = 0; i < cloth->particles.count; i++) {
        if (!is_inside[i]) continue;
        cloth->particles.mass[i] += def->mass / found;
        if (def->hold) cloth->particles.pin[i] = index;
    }
    return DLP_OK;
}

dlp_status dlp_cloth_attach(dlp_cloth *cloth, dlp_error *error)
{
    uint8_t *is_inside = dlp_alloc((size_t)cloth->particles.count + 1, 1, "cloth");
    if (is_inside == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "attachments: no room");
    dlp_status status = DLP_OK;
    for (int32_t k = 0; k < cloth->scene->attachment_count && status == DLP_OK; k++) {
        status = attach_one(cloth, k, is_inside, error);
        if (status != DLP_OK) dlp_fail_at(error, status, "attachments[%d]", k);
    }
    dlp_free(is_inside);
    return status;
}

static dlp_vec3 value_at(const dlp_track *track, dlp_vec3 still, double time)
{
    if (track == NULL) return still;
    double value[3];
    dlp_track_value(track, time, value);
    return dlp_vec(value[0], value[1], value[2]);
}

// From where a particle was found to where it is wanted.
static dlp_frame frame_of(const dlp_cloth *cloth, const dlp_attachment_def *def, double time)
{
    if (def->body_index >= 0) {
        const dlp_obstacle *body = &cloth->obstacles[def->body_index];
        const dlp_frame then = dlp_obstacle_frame(body, 0), now = dlp_obstacle_frame(body, time);
        dlp_frame out;
        for (int k = 0; k < 3; k++)  // now times the inverse of then
            out.rows[k] = dlp_vec(dlp_dot(now.rows[k], then.rows[0]), dlp_dot(now.rows[k], then.rows[1]),
                                  dlp_dot(now.rows[k], then.rows[2]));
        out.translation = dlp_sub(now.translation, dlp_rotate(&out, then.translation));
        return out;
    }
    const dlp_vec3 position = value_at(def->position_track, def->position, time);
    const dlp_vec3 rotation = value_at(def->rotation_track, def->rotation, time);
    dlp_frame frame = dlp_frame_of(dlp_vec(0, 0, 0), rotation);
    frame.translation = dlp_add(position, dlp_sub(def->pivot, dlp_rotate(&frame, def->pivot)));
    return frame;
}

// What is caught on its way is held where it is.
static void catch_particle(dlp_cloth *cloth, const dlp_frame *frame, int32_t i)
{
    dlp_cloth_set(cloth->start_place, i, dlp_to_body(frame, dlp_cloth_get(cloth->particles.position, i)));
}

void dlp_cloth_place_pins(dlp_cloth *cloth, double before, double time)
{
    const dlp_cloth_particles *p = &cloth->particles;
    int32_t last = -1;
    dlp_frame frame = dlp_frame_identity();
    for (int32_t i = 0; i < p->count; i++) {
        cloth->is_pinned[i] = 0;
        if (p->pin[i] < 0) continue;
        const dlp_attachment_def *def = &cloth->scene->attachments[p->pin[i]];
        if (time < def->start || time >= def->stop) continue;
        if (p->pin[i] != last) frame = frame_of(cloth, def, time);
        last = p->pin[i];
        if (def->start > 0 && before < def->start) catch_particle(cloth, &frame, i);
        cloth->is_pinned[i] = 1;
        dlp_cloth_set(cloth->target_place, i, dlp_to_world(&frame, dlp_cloth_get(cloth->start_place, i)));
    }
}
