// A shot for the path tracer: surfaces where there are some, spheres for everything else.
#include "record/film/framing.h"
#include "record/film/gather.h"
#include "record/film/shot_parts.h"
#include "record/film/view.h"
#include "record/palette.h"
#include "base/memory.h"

#include <inttypes.h>

typedef struct skin {
    int32_t substance;  // -1: of all of them
    const dlp_skin_mesh *mesh;
    float *colors, *glow;
} skin;

typedef struct stage {
    const dlp_shot *shot;
    skin *skins;
    int32_t skin_count;
    dlp_render_surface *surfaces;
    dlp_render_obstacle *obstacles;
    double *positions;  // of the spheres
    float *radii, *colors, *glow;
    int32_t sphere_count;
    bool has_glow;  // of any sphere
} stage;

static dlp_status no_room(const stage *s, dlp_error *error)
{
    return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for %" PRId32 " particles",
                    s->shot->def->frame->count);
}

static void put_color(float *out, dlp_vec3 color)
{
    out[0] = (float)color.x;
    out[1] = (float)color.y;
    out[2] = (float)color.z;
}

static bool is_scene_colored(const stage *s)
{
    return s->shot->def->scale->field == DLP_COLOR_SUBSTANCE;
}

// Light that hot matter gives off: `out` is three floats. False where it is too cold.
static bool put_glow(float *out, double temperature)
{
    const dlp_vec3 glow = dlp_color_glow(dlp_vec(0, 0, 0), temperature);
    put_color(out, glow);
    return glow.x > 0;
}

// Surfaces.

// Colours of the vertices from the particles near them.
static dlp_status gather_colors(const stage *s, skin *k, dlp_error *error)
{
    const dlp_shot *shot = s->shot;
    const int32_t count = k->mesh->mesh.vertex_count;
    dlp_gather *gather;
    DLP_TRY(dlp_gather_create(shot->def->frame, k->substance, &gather, error));
    const dlp_gather_kind kind =
        dlp_color_field_is_discrete(shot->def->scale->field) ? DLP_GATHER_NEAREST : DLP_GATHER_MEAN;
    float *values = dlp_alloc((size_t)count, sizeof *values, "pictures");
    if (values != NULL) {
        dlp_gather_values(gather, kind, shot->values, 1, k->mesh->mesh.vertices, count, shot->def->team,
                          values);
        for (int32_t v = 0; v < count; v++)
            put_color(k->colors + 3 * (size_t)v, dlp_shot_color(shot, (double)values[v]));
    }
    dlp_free(values);
    dlp_gather_destroy(gather);
    return values != NULL ? DLP_OK : no_room(s, error);
}

static void take_mesh_colors(skin *k)
{
    for (size_t v = 0; v < (size_t)k->mesh->mesh.vertex_count; v++) {
        const float *color = k->mesh->colors + 3 * v;
        put_color(k->colors + 3 * v,
                  dlp_color_linear(dlp_vec((double)color[0], (double)color[1], (double)color[2])));
    }
}

static dlp_status color_skin(const stage *s, skin *k, dlp_error *error)
{
    const bool is_plain = k->substance >= 0 || s->shot->def->scene->substance_count == 1;
    if (is_scene_colored(s) && is_plain && k->mesh->colors == NULL) return DLP_OK;
    k->colors = dlp_alloc(3 * (size_t)k->mesh->mesh.vertex_count, sizeof *k->colors, "pictures");
    if (k->colors == NULL) return no_room(s, error);
    if (!is_scene_colored(s) || k->mesh->colors == NULL) return gather_colors(s, k, error);
    take_mesh_colors(k);
    return DLP_OK;
}

static dlp_status heat_skin(const stage *s, skin *k, dlp_error *error)
{
    if (!is_scene_colored(s) || k->mesh->temperatures == NULL) return DLP_OK;
    k->glow = dlp_alloc(3 * (size_t)k->mesh->mesh.vertex_count, sizeof *k->glow, "pictures");
    if (k->glow == NULL) return no_room(s, error);
    for (size_t v = 0; v < (size_t)k->mesh->mesh.vertex_count; v++)
        put_glow(k->glow + 3 * v, (double)k->mesh->temperatures[v]);
    return DLP_OK;
}

// One surface around several substances has colours that vary, which a clear body cannot show.
static dlp_look look_of(const stage *s, int32_t substance)
{
    const dlp_scene_def *scene = s->shot->def->scene;
    if (!is_scene_colored(s)) return DLP_LOOK_MATTE;
    const dlp_look look = scene->substances[substance >= 0 ? substance : 0].look;
    return substance < 0 && scene->substance_count > 1 && look == DLP_LOOK_GLASS ? DLP_LOOK_GLOSSY : look;
}

static dlp_status place_skins(stage *s, dlp_error *error)
{
    const dlp_shot_def *def = s->shot->def;
    s->skins = dlp_alloc((size_t)def->skin_count, sizeof *s->skins, "pictures");
    s->surfaces = dlp_alloc((size_t)def->skin_count, sizeof *s->surfaces, "pictures");
    if (s->skins == NULL || s->surfaces == NULL) return no_room(s, error);
    for (; s->skin_count < def->skin_count; s->skin_count++) {
        skin *k = &s->skins[s->skin_count];
        k->substance = def->skins[s->skin_count].substance;
        k->mesh = def->skins[s->skin_count].mesh;
        DLP_TRY(color_skin(s, k, error));
        DLP_TRY(heat_skin(s, k, error));
        const int32_t substance = k->substance >= 0 ? k->substance : 0;
        s->surfaces[s->skin_count] = (dlp_render_surface){
            .mesh = k->mesh,
            .colors = k->colors,
            .glow = k->glow,
            .color = dlp_color_linear(s->shot->def->scene->substances[substance].color),
            .look = look_of(s, k->substance),
        };
    }
    return DLP_OK;
}

// Spheres: the particles of substances without a surface.

static bool has_skin(const stage *s, int32_t substance)
{
    for (int32_t n = 0; n < s->skin_count; n++)
        if (s->skins[n].substance < 0 || s->skins[n].substance == substance) return true;
    return false;
}

static void place_sphere(stage *s, int32_t particle)
{
    const dlp_shot *shot = s->shot;
    const double *x = shot->def->frame->positions + 3 * (size_t)particle;
    const float radius = shot->def->frame->radii[particle];
    if (!(dlp_is_finite3(dlp_vec(x[0], x[1], x[2])) && isfinite(radius) && radius > 0)) return;
    const size_t k = (size_t)s->sphere_count++;
    for (size_t c = 0; c < 3; c++) s->positions[3 * k + c] = x[c];
    s->radii[k] = radius;
    put_color(s->colors + 3 * k, dlp_shot_color(shot, (double)shot->values[particle]));
    if (!is_scene_colored(s) || shot->def->frame->temperatures == NULL) return;
    s->has_glow |= put_glow(s->glow + 3 * k, (double)shot->def->frame->temperatures[particle]);
}

static dlp_status place_spheres(stage *s, dlp_error *error)
{
    const dlp_particle_frame *frame = s->shot->def->frame;
    const size_t count = (size_t)frame->count;
    s->positions = dlp_alloc(3 * count, sizeof *s->positions, "pictures");
    s->radii = dlp_alloc(count, sizeof *s->radii, "pictures");
    s->colors = dlp_alloc(3 * count, sizeof *s->colors, "pictures");
    s->glow = dlp_alloc(3 * count, sizeof *s->glow, "pictures");
    if (s->positions == NULL || s->radii == NULL || s->colors == NULL || s->glow == NULL)
        return no_room(s, error);
    for (int32_t i = 0; i < frame->count; i++)
        if (!has_skin(s, frame->substances[i])) place_sphere(s, i);
    return DLP_OK;
}

static dlp_status place_obstacles(stage *s, dlp_error *error)
{
    const dlp_shot *shot = s->shot;
    const int32_t count = shot->def->obstacle_count;
    s->obstacles = dlp_alloc((size_t)count, sizeof *s->obstacles, "pictures");
    if (s->obstacles == NULL) return no_room(s, error);
    for (int32_t k = 0; k < count; k++)
        s->obstacles[k] = (dlp_render_obstacle){shot->def->obstacles[k].shape, shot->def->obstacles[k].frame,
                                                dlp_color_linear(dlp_vec(0.80, 0.80, 0.79))};
    return DLP_OK;
}

static dlp_status draw_stage(const stage *s, dlp_image *out_image, dlp_error *error)
{
    const dlp_shot_def *def = s->shot->def;
    const dlp_scene_def *scene = def->director;
    const dlp_vec3 up = dlp_framing_up(scene);
    const dlp_camera_def camera = dlp_view_at(scene, def->time);
    const bool is_free = !camera.has_from && !camera.has_to;
    const int32_t width = def->width - (is_free ? def->legend : 0);
    const bool has_gravity = dlp_length(scene->gravity) > 0;
    const dlp_render_def render = {
        .width = def->width,
        .height = def->height,
        .samples = def->samples,
        .camera = dlp_view_camera(&camera, &def->box, up, width, def->height),
        .surfaces = s->surfaces,
        .surface_count = s->skin_count,
        .spheres = {s->sphere_count, s->positions, s->radii, s->colors, s->has_glow ? s->glow : NULL,
                    DLP_LOOK_MATTE},
        .obstacles = s->obstacles,
        .obstacle_count = def->obstacle_count,
        .box = def->box,
        .up = up,
        .has_ground =
            scene->render.ground == DLP_GROUND_AUTO ? has_gravity : scene->render.ground == DLP_GROUND_ON,
        .ground = def->ground,
        .sun = scene->render.sun,
        .sun_strength = scene->render.sun_strength,
        .sky = scene->render.sky,
        .is_denoised = scene->render.denoise,
        .team = def->team,
    };
    return dlp_render_draw(&render, out_image, error);
}

static void release_stage(stage *s)
{
    for (int32_t n = 0; s->skins != NULL && n < s->shot->def->skin_count; n++) {
        dlp_free(s->skins[n].colors);
        dlp_free(s->skins[n].glow);
    }
    dlp_free(s->skins);
    dlp_free(s->surfaces);
    dlp_free(s->obstacles);
    dlp_free(s->positions);
    dlp_free(s->radii);
    dlp_free(s->colors);
    dlp_free(s->glow);
}

dlp_status dlp_shot_trace(const dlp_shot *shot, dlp_image *out_image, dlp_error *error)
{
    stage s = {.shot = shot};
    dlp_status status = place_skins(&s, error);
    if (status == DLP_OK) status = place_spheres(&s, error);
    if (status == DLP_OK) status = place_obstacles(&s, error);
    if (status == DLP_OK) status = draw_stage(&s, out_image, error);
    release_stage(&s);
    return status;
}
