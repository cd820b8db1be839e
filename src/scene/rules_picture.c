/* Checks and defaults of what pictures show: camera, light, looks. */
#include "scene/resolve.h"
#include "scene/rules.h"

// Thin fluids are clear, thick ones are waxy, and those that hardly flow are matte. The limits are in Pa s.
dlp_origin dlp_derive_look(const dlp_resolver *r, const void *base, dlp_string *out)
{
    (void)r;
    const dlp_substance_def *substance = base;
    const double viscosity = substance->viscosity;
    if (substance->model != DLP_MODEL_SPH)
        dlp_string_add(out, "matte");
    else
        dlp_string_add(out, "%s", viscosity < 1 ? "glass" : viscosity < 200 ? "wax" : "matte");
    return DLP_ORIGIN_DEFAULT;
}

static bool has_length(dlp_vec3 a)
{
    const double length = dlp_length(a);
    return length > 0 && isfinite(length);
}

// Records which of the three are given: what is not is chosen when a picture is taken.
void dlp_check_camera(dlp_resolver *r, void *base)
{
    static const char *const keys[] = {"from", "to", "up"};
    dlp_scene_def *def = base;
    dlp_camera_def *camera = &def->camera;
    camera->has_from = dlp_is_given(r, "from");
    camera->has_to = dlp_is_given(r, "to");
    camera->has_up = dlp_is_given(r, "up");
    for (int32_t k = 0; def->dimension == 2 && k < 3; k++)
        if (dlp_is_given(r, keys[k]))
            dlp_mistake_add(r, keys[k], "is for scenes in space; a picture of the plane shows all of it");
    if (camera->has_up && !has_length(camera->up))
        dlp_mistake_add(r, "up", "must have a finite length above 0");
    if (camera->has_from && camera->has_to && !has_length(dlp_sub(camera->from, camera->to)))
        dlp_mistake_add(r, "to", "must differ from `from`");
}

void dlp_check_sun(dlp_resolver *r, void *base)
{
    dlp_scene_def *def = base;
    if (dlp_is_given(r, "direction") && !has_length(def->render.sun))
        dlp_mistake_add(r, "direction", "must have a finite length above 0");
}

// In double: the product of two large sizes may exceed an int32_t.
void dlp_check_render(dlp_resolver *r, void *base)
{
    const dlp_scene_def *def = base;
    const double pixels = (double)def->render.width * (double)def->render.height;
    if (pixels > DLP_PIXEL_LIMIT)
        dlp_mistake_add(r, "width", "times height must be at most %.3g million pixels (got %.3g)",
                        1e-6 * DLP_PIXEL_LIMIT, 1e-6 * pixels);
}
