// A picture of what lies in space: surfaces, or particles as spheres, among the obstacles.
#include "record/palette.h"
#include "record/preview_parts.h"
#include "base/memory.h"

// A particle's sphere of rest volume leaves gaps; this closes them.
static const float ball_scale = 1.3f;

typedef struct picture {
    const dlp_preview_def *def;
    dlp_render_obstacle *obstacles;
    float *radii, *colors, *glow;
} picture;

static void release(picture *p)
{
    dlp_free(p->obstacles);
    dlp_free(p->radii);
    dlp_free(p->colors);
    dlp_free(p->glow);
}

static dlp_status make_room(picture *p, dlp_error *error)
{
    const size_t count = (size_t)p->def->count;
    p->obstacles = dlp_alloc((size_t)p->def->obstacle_count, sizeof *p->obstacles, "pictures");
    p->radii = dlp_alloc(count, sizeof *p->radii, "pictures");
    p->colors = dlp_alloc(3 * count, sizeof *p->colors, "pictures");
    p->glow = dlp_alloc(3 * count, sizeof *p->glow, "pictures");
    if (p->obstacles == NULL || p->radii == NULL || p->colors == NULL || p->glow == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for %d particles", p->def->count);
    return DLP_OK;
}

static void write_color(float *out, dlp_vec3 color)
{
    out[0] = (float)color.x;
    out[1] = (float)color.y;
    out[2] = (float)color.z;
}

// Heat is light of its own here, not a colour.
static dlp_status color_particles(picture *p, dlp_error *error)
{
    dlp_preview_def cold = *p->def;
    cold.temperatures = NULL;
    dlp_vec3 *colors;
    DLP_TRY(dlp_preview_color(&cold, &colors, error));
    for (int32_t i = 0; i < p->def->count; i++) {
        const float *temperatures = p->def->temperatures;
        const double heat = temperatures != NULL ? (double)temperatures[i] : 0;
        write_color(p->colors + 3 * (size_t)i, colors[i]);
        write_color(p->glow + 3 * (size_t)i, dlp_color_glow(dlp_vec(0, 0, 0), heat));
        p->radii[i] = ball_scale * p->def->radii[i];
    }
    dlp_free(colors);
    return DLP_OK;
}

static void place_obstacles(picture *p)
{
    const dlp_vec3 color = dlp_color_linear(dlp_vec(0.84, 0.85, 0.86));
    for (int32_t k = 0; k < p->def->obstacle_count; k++)
        p->obstacles[k] =
            (dlp_render_obstacle){p->def->obstacles[k].shape, p->def->obstacles[k].frame, color};
}

// The ground lies under all that is shown.
static double lowest(const dlp_box *box, dlp_vec3 up)
{
    const dlp_vec3 low = dlp_vec(up.x > 0 ? box->min.x : box->max.x, up.y > 0 ? box->min.y : box->max.y,
                                 up.z > 0 ? box->min.z : box->max.z);
    return dlp_dot(low, up);
}

static void set_spheres(const picture *p, dlp_render_spheres *spheres)
{
    *spheres = (dlp_render_spheres){.count = p->def->count,
                                    .positions = p->def->positions,
                                    .radii = p->radii,
                                    .colors = p->colors,
                                    .glow = p->def->temperatures != NULL ? p->glow : NULL,
                                    .look = DLP_LOOK_MATTE};
}

static dlp_status draw(picture *p, int32_t width, int32_t height, dlp_image *image, dlp_error *error)
{
    DLP_TRY(make_room(p, error));
    DLP_TRY(color_particles(p, error));
    place_obstacles(p);
    const dlp_vec3 up = dlp_normalize(p->def->up, dlp_vec(0, 0, 1));
    const dlp_box box = dlp_preview_box(p->def);
    dlp_render_def render = {.width = width,
                             .height = height,
                             .samples = DLP_PREVIEW_SAMPLES,
                             .camera = dlp_camera_fit(&box, up, width, height),
                             .surfaces = p->def->surfaces,
                             .surface_count = p->def->surface_count,
                             .obstacles = p->obstacles,
                             .obstacle_count = p->def->obstacle_count,
                             .box = box,
                             .up = up,
                             .has_ground = true,
                             .ground = lowest(&box, up),
                             .sun_strength = 1,
                             .sky = {0.70, 0.80, 0.93},
                             .is_denoised = true,
                             .team = p->def->team};
    if (render.surface_count == 0) set_spheres(p, &render.spheres);
    return dlp_render_draw(&render, image, error);
}

dlp_status dlp_preview_draw_space(const dlp_preview_def *def, int32_t width, int32_t height, dlp_image *image,
                                  dlp_error *error)
{
    picture p = {.def = def};
    const dlp_status status = draw(&p, width, height, image, error);
    release(&p);
    return status;
}
