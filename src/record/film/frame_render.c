// One picture of a frame: 2-D scenes are drawn as discs and contours, 3-D scenes are path-traced.
#include "record/film/frame_render.h"
#include "record/film/frame_render_parts.h"
#include "record/palette.h"
#include "record/render/render.h"
#include "base/memory.h"

static dlp_status no_room(const dlp_frame_render *render, dlp_error *error)
{
    return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for %d particles", render->def->frame->count);
}

// A substance that the scene does not have takes the colour of the first.
dlp_vec3 dlp_frame_render_color(const dlp_frame_render *render, double value)
{
    const dlp_color_scale *scale = render->def->scale;
    const dlp_scene_def *scene = render->def->scene;
    if (scale->field != DLP_COLOR_SUBSTANCE) return dlp_color_linear(dlp_color_scale_at(scale, value));
    const int32_t substance = value >= 0 && value < scene->substance_count ? (int32_t)value : 0;
    return dlp_color_linear(scene->substances[substance].color);
}

// What a 2-D picture needs beside the frame itself; owned.
typedef struct plane_parts {
    dlp_vec3 *substances;  // sRGB
    dlp_vec3 *particles;   // linear light; used where the colours are not the scene's
    dlp_contour contour;   // empty where the scene does not ask for one
} plane_parts;

// What was made before a failure is released by the caller.
static dlp_status make_plane(const dlp_frame_render *render, plane_parts *parts, dlp_error *error)
{
    const dlp_scene_def *scene = render->def->scene;
    const dlp_particle_frame *frame = render->def->frame;
    parts->substances = dlp_alloc((size_t)scene->substance_count, sizeof *parts->substances, "pictures");
    parts->particles = dlp_alloc((size_t)frame->count, sizeof *parts->particles, "pictures");
    if (parts->substances == NULL || parts->particles == NULL) return no_room(render, error);
    for (int32_t k = 0; k < scene->substance_count; k++) parts->substances[k] = scene->substances[k].color;
    for (int32_t i = 0; i < frame->count; i++)
        parts->particles[i] = dlp_frame_render_color(render, (double)render->values[i]);
    const dlp_contour_def contour = {.positions = frame->positions,
                                     .radii = frame->radii,
                                     .count = frame->count,
                                     .iso = scene->record.iso};
    return scene->record.contour ? dlp_contour_create(&contour, &parts->contour, error) : DLP_OK;
}

// In the scene's colours the preview chooses itself, with glow and speed.
static dlp_status draw_plane(const dlp_frame_render *render, dlp_image *out_image, dlp_error *error)
{
    const dlp_frame_render_def *def = render->def;
    const dlp_scene_def *scene = def->scene;
    plane_parts parts = {0};
    dlp_status status = make_plane(render, &parts, error);
    const bool is_scene_colored = def->scale->field == DLP_COLOR_SUBSTANCE;
    const dlp_preview_def preview = {.width = def->width,
                                     .height = def->height,
                                     .dimension = 2,
                                     .count = render->def->frame->count,
                                     .positions = render->def->frame->positions,
                                     .radii = render->def->frame->radii,
                                     .velocities = render->def->frame->velocities,
                                     .substances = render->def->frame->substances,
                                     .temperatures = render->def->frame->temperatures,
                                     .particle_colors = is_scene_colored ? NULL : parts.particles,
                                     .box = &def->box,
                                     .legend = def->legend,
                                     .colors = parts.substances,
                                     .color_count = scene->substance_count,
                                     .obstacles = def->obstacles,
                                     .obstacle_count = def->obstacle_count,
                                     .contour = scene->record.contour ? &parts.contour : NULL,
                                     .team = def->team};
    if (status == DLP_OK) status = dlp_preview_draw(&preview, out_image, error);
    dlp_contour_release(&parts.contour);
    dlp_free(parts.substances);
    dlp_free(parts.particles);
    return status;
}

bool dlp_frame_render_is_available(int32_t dimension)
{
    return dimension == 2 || dlp_render_is_available();
}

// Values are found once per picture, for discs, spheres and vertices alike.
dlp_status dlp_frame_render_draw(const dlp_frame_render_def *def, dlp_image *out_image, dlp_error *error)
{
    *out_image = (dlp_image){0};
    dlp_frame_render render = {.def = def};
    render.values = dlp_alloc((size_t)def->frame->count, sizeof *render.values, "pictures");
    if (render.values == NULL) return no_room(&render, error);
    dlp_color_field_values(def->scale->field, def->frame, def->scene, render.values);
    const dlp_status status = def->scene->dimension == 2 ? draw_plane(&render, out_image, error)
                                                         : dlp_frame_render_trace(&render, out_image, error);
    dlp_free(render.values);
    return status;
}
