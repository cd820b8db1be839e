/* Pressure on cloth (`loads`): which triangles feel which load, and how much it is now. It acts on the side
 * that the triangles face, as forces of the air do (cloth_wind.c). */
#include "motion/cloth/cloth_contact.h"

static bool is_on_cloth(const dlp_scene_def *scene, const dlp_load_def *load)
{
    return load->substance_index >= 0 && load->substance_index < scene->substance_count &&
           scene->substances[load->substance_index].model == DLP_MODEL_CLOTH;
}

static dlp_vec3 middle_of(const dlp_cloth_parts *parts, int32_t t)
{
    const int32_t *corner = dlp_cloth_corners_of(parts->corners, t);
    dlp_vec3 sum = dlp_vec(0, 0, 0);
    for (int c = 0; c < 3; c++)
        sum = dlp_along(sum, dlp_get3(parts->particles->position, corner[c]), 1.0 / 3);
    return sum;
}

// Bit k of a triangle's word: load k of those on cloth acts on it.
static dlp_status mark_triangles(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t k,
                                 dlp_error *error)
{
    const dlp_load_def *load = contact->params.pressed.loads[k];
    dlp_shape *shape;
    DLP_TRY(dlp_shape_create(&load->shape, 3, parts->scene->folder, &shape, error));
    int32_t found = 0;
    for (int32_t t = 0; t < parts->triangles->count; t++) {
        if (parts->triangles->rest[t].substance != load->substance_index) continue;
        if (!(dlp_shape_distance(shape, middle_of(parts, t)) <= 0)) continue;
        contact->params.pressed.bits[t] |= 1U << k;
        found++;
    }
    dlp_shape_destroy(shape);
    return found > 0
               ? DLP_OK
               : dlp_fail(error, DLP_INVALID, "no triangle of %s starts with its middle inside its shape",
                          parts->scene->substances[load->substance_index].name);
}

dlp_status dlp_cloth_contact_find_pressed(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                          dlp_error *error)
{
    dlp_cloth_pressed *pressed = &contact->params.pressed;
    const dlp_scene_def *scene = parts->scene;
    for (int32_t k = 0; k < scene->load_count; k++) {
        if (!is_on_cloth(scene, &scene->loads[k])) continue;
        if (pressed->count == DLP_CLOTH_PRESSURE_LIMIT)
            return dlp_fail(error, DLP_INVALID, "loads[%d]: at most %d loads can be on cloth", k,
                            DLP_CLOTH_PRESSURE_LIMIT);
        pressed->loads[pressed->count++] = &scene->loads[k];
    }
    if (pressed->count == 0) return DLP_OK;
    pressed->bits = dlp_alloc((size_t)parts->triangles->count + 1, sizeof *pressed->bits, "cloth");
    if (pressed->bits == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "cloth: no room for its loads");
    for (int32_t k = 0; k < pressed->count; k++) {
        const dlp_status status = mark_triangles(contact, parts, k, error);
        if (status != DLP_OK)
            return dlp_fail_at(error, status, "loads[%d]", (int32_t)(pressed->loads[k] - scene->loads));
    }
    return DLP_OK;
}

// Pa, of load k of those on cloth.
static double pressure_now(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t k)
{
    const dlp_load_def *load = contact->params.pressed.loads[k];
    return parts->time >= load->start && parts->time < load->stop ? load->pressure : 0;
}

bool dlp_cloth_contact_pressure_changed(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    for (int32_t k = 0; k < contact->params.pressed.count; k++)
        if (contact->state.wind.pressure[k] != pressure_now(contact, parts, k)) return true;
    return false;
}

void dlp_cloth_contact_set_pressures(dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    for (int32_t k = 0; k < contact->params.pressed.count; k++)
        contact->state.wind.pressure[k] = pressure_now(contact, parts, k);
}

double dlp_cloth_contact_pressure(const dlp_cloth_contact *contact, int32_t triangle)
{
    double sum = 0;
    for (int32_t k = 0; k < contact->params.pressed.count; k++)
        if (contact->params.pressed.bits[triangle] >> k & 1) sum += contact->state.wind.pressure[k];
    return sum;
}
