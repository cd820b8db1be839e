// Prepares a frame for the path tracer: surfaces where there are some, spheres for everything else.
#include "record/film/framing.h"
#include "record/film/gather.h"
#include "record/film/frame_render_parts.h"
#include "record/film/film_camera.h"
#include "record/palette.h"
#include "base/memory.h"

#include <inttypes.h>

// A surface with colours of its own.
typedef struct colored_mesh {
    int32_t substance;             // -1: of all of them
    const dlp_surface_mesh *mesh;  // borrowed
    float *colors, *glow;          // linear, three per vertex, or NULL; owned
} colored_mesh;

// Everything that the render definition points to; arrays are owned.
typedef struct render_input {
    const dlp_frame_render *render;
    colored_mesh *meshes;  // `mesh_count` are complete
    int32_t mesh_count;
    dlp_render_surface *surfaces;  // one per mesh
    dlp_render_obstacle *obstacles;
    double *positions;  // of the spheres: m, three each; room for all particles
    float *radii, *colors, *glow;
    int32_t sphere_count;
    bool has_glow;  // some sphere is hot enough to glow
} render_input;

static dlp_status no_room(const render_input *s, dlp_error *error)
{
    return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for %" PRId32 " particles",
                    s->render->def->frame->count);
}

// Three floats.
static void put_color(float *out, dlp_vec3 color)
{
    out[0] = (float)color.x;
    out[1] = (float)color.y;
    out[2] = (float)color.z;
}

static bool is_scene_colored(const render_input *s)
{
    return s->render->def->scale->field == DLP_COLOR_SUBSTANCE;
}

// Light that hot matter gives off, three floats; false where it is too cold.
static bool put_glow(float *out, double temperature)
{
    const dlp_vec3 glow = dlp_color_glow(dlp_vec(0, 0, 0), temperature);
    put_color(out, glow);
    return glow.x > 0;
}

// Surfaces.

// Colours of the vertices from the particles near them: the mean of values, the nearest of those that do not
// mix.
static dlp_status gather_colors(const render_input *s, colored_mesh *k, dlp_error *error)
{
    const dlp_frame_render *render = s->render;
    const int32_t count = k->mesh->mesh.vertex_count;
    dlp_gather *gather;
    DLP_TRY(dlp_gather_create(render->def->frame, k->substance, &gather, error));
    const dlp_gather_kind kind =
        dlp_color_field_is_discrete(render->def->scale->field) ? DLP_GATHER_NEAREST : DLP_GATHER_MEAN;
    float *values = dlp_alloc((size_t)count, sizeof *values, "pictures");
    if (values != NULL) {
        dlp_gather_values(gather, kind, render->values, 1, k->mesh->mesh.vertices, count, render->def->team,
                          values);
        for (int32_t v = 0; v < count; v++)
            put_color(k->colors + 3 * (size_t)v, dlp_frame_render_color(render, (double)values[v]));
    }
    dlp_free(values);
    dlp_gather_destroy(gather);
    return values != NULL ? DLP_OK : no_room(s, error);
}

// The mesh's own colours, from sRGB to linear light.
static void take_mesh_colors(colored_mesh *k)
{
    for (size_t v = 0; v < (size_t)k->mesh->mesh.vertex_count; v++) {
        const float *color = k->mesh->colors + 3 * v;
        put_color(k->colors + 3 * v,
                  dlp_color_linear(dlp_vec((double)color[0], (double)color[1], (double)color[2])));
    }
}

// A surface of one substance in the scene's colours needs none per vertex. Otherwise they are the mesh's own,
// or come from the particles.
static dlp_status color_mesh(const render_input *s, colored_mesh *k, dlp_error *error)
{
    const bool is_plain = k->substance >= 0 || s->render->def->scene->substance_count == 1;
    if (is_scene_colored(s) && is_plain && k->mesh->colors == NULL) return DLP_OK;
    k->colors = dlp_alloc(3 * (size_t)k->mesh->mesh.vertex_count, sizeof *k->colors, "pictures");
    if (k->colors == NULL) return no_room(s, error);
    if (!is_scene_colored(s) || k->mesh->colors == NULL) return gather_colors(s, k, error);
    take_mesh_colors(k);
    return DLP_OK;
}

// Only in the scene's colours: a scale must not be outshone.
static dlp_status add_glow(const render_input *s, colored_mesh *k, dlp_error *error)
{
    if (!is_scene_colored(s) || k->mesh->temperatures == NULL) return DLP_OK;
    k->glow = dlp_alloc(3 * (size_t)k->mesh->mesh.vertex_count, sizeof *k->glow, "pictures");
    if (k->glow == NULL) return no_room(s, error);
    for (size_t v = 0; v < (size_t)k->mesh->mesh.vertex_count; v++)
        put_glow(k->glow + 3 * v, (double)k->mesh->temperatures[v]);
    return DLP_OK;
}

// A colour scale is shown on matte surfaces. One surface around several substances has colours that vary,
// which a clear body cannot show.
static dlp_look look_of(const render_input *s, int32_t substance)
{
    const dlp_scene_def *scene = s->render->def->scene;
    if (!is_scene_colored(s)) return DLP_LOOK_MATTE;
    const dlp_look look = scene->substances[substance >= 0 ? substance : 0].look;
    return substance < 0 && scene->substance_count > 1 && look == DLP_LOOK_GLASS ? DLP_LOOK_GLOSSY : look;
}

// The count grows with each complete mesh; a half complete one is released with the list.
static dlp_status place_meshes(render_input *s, dlp_error *error)
{
    const dlp_frame_render_def *def = s->render->def;
    s->meshes = dlp_alloc((size_t)def->mesh_count, sizeof *s->meshes, "pictures");
    s->surfaces = dlp_alloc((size_t)def->mesh_count, sizeof *s->surfaces, "pictures");
    if (s->meshes == NULL || s->surfaces == NULL) return no_room(s, error);
    for (; s->mesh_count < def->mesh_count; s->mesh_count++) {
        colored_mesh *k = &s->meshes[s->mesh_count];
        k->substance = def->meshes[s->mesh_count].substance;
        k->mesh = def->meshes[s->mesh_count].mesh;
        DLP_TRY(color_mesh(s, k, error));
        DLP_TRY(add_glow(s, k, error));
        const int32_t substance = k->substance >= 0 ? k->substance : 0;
        s->surfaces[s->mesh_count] = (dlp_render_surface){
            .mesh = k->mesh,
            .colors = k->colors,
            .glow = k->glow,
            .color = dlp_color_linear(s->render->def->scene->substances[substance].color),
            .look = look_of(s, k->substance),
        };
    }
    return DLP_OK;
}

// Spheres: the particles of substances without a surface.

// Whether a surface stands for the particles of a substance.
static bool has_mesh(const render_input *s, int32_t substance)
{
    for (int32_t n = 0; n < s->mesh_count; n++)
        if (s->meshes[n].substance < 0 || s->meshes[n].substance == substance) return true;
    return false;
}

// Particles that are not finite are left out.
static void place_sphere(render_input *s, int32_t particle)
{
    const dlp_frame_render *render = s->render;
    const double *x = render->def->frame->positions + 3 * (size_t)particle;
    const float radius = render->def->frame->radii[particle];
    if (!(dlp_is_finite3(dlp_vec(x[0], x[1], x[2])) && isfinite(radius) && radius > 0)) return;
    const size_t k = (size_t)s->sphere_count++;
    for (size_t c = 0; c < 3; c++) s->positions[3 * k + c] = x[c];
    s->radii[k] = radius;
    put_color(s->colors + 3 * k, dlp_frame_render_color(render, (double)render->values[particle]));
    if (!is_scene_colored(s) || render->def->frame->temperatures == NULL) return;
    s->has_glow |= put_glow(s->glow + 3 * k, (double)render->def->frame->temperatures[particle]);
}

static dlp_status place_spheres(render_input *s, dlp_error *error)
{
    const dlp_particle_frame *frame = s->render->def->frame;
    const size_t count = (size_t)frame->count;
    s->positions = dlp_alloc(3 * count, sizeof *s->positions, "pictures");
    s->radii = dlp_alloc(count, sizeof *s->radii, "pictures");
    s->colors = dlp_alloc(3 * count, sizeof *s->colors, "pictures");
    s->glow = dlp_alloc(3 * count, sizeof *s->glow, "pictures");
    if (s->positions == NULL || s->radii == NULL || s->colors == NULL || s->glow == NULL)
        return no_room(s, error);
    for (int32_t i = 0; i < frame->count; i++)
        if (!has_mesh(s, frame->substances[i])) place_sphere(s, i);
    return DLP_OK;
}

// All obstacles are of one light grey.
static dlp_status place_obstacles(render_input *s, dlp_error *error)
{
    const dlp_frame_render *render = s->render;
    const int32_t count = render->def->obstacle_count;
    s->obstacles = dlp_alloc((size_t)count, sizeof *s->obstacles, "pictures");
    if (s->obstacles == NULL) return no_room(s, error);
    for (int32_t k = 0; k < count; k++)
        s->obstacles[k] =
            (dlp_render_obstacle){render->def->obstacles[k].shape, render->def->obstacles[k].frame,
                                  dlp_color_linear(dlp_vec(0.80, 0.80, 0.79))};
    return DLP_OK;
}

// Whether a plane of the scene, which faces upward, is a floor of its own.
static bool has_floor(const dlp_frame_render_def *def, dlp_vec3 up)
{
    const dlp_vec3 middle = dlp_mul(dlp_add(def->box.min, def->box.max), 0.5);
    for (int32_t k = 0; k < def->obstacle_count && k < def->camera_source->obstacle_count; k++) {
        const dlp_preview_obstacle *obstacle = &def->obstacles[k];
        dlp_vec3 normal;
        if (def->camera_source->obstacles[k].shape.kind != DLP_SHAPE_PLANE) continue;
        dlp_shape_probe(obstacle->shape, dlp_to_body(&obstacle->frame, middle), &normal);
        if (dlp_dot(dlp_rotate(&obstacle->frame, normal), up) > 0.5) return true;
    }
    return false;
}

// A floor is drawn by default where there is gravity and no plane is one. The legend's place is kept free
// only where the camera may choose.
static dlp_status draw_input(const render_input *s, dlp_image *out_image, dlp_error *error)
{
    const dlp_frame_render_def *def = s->render->def;
    const dlp_scene_def *scene = def->camera_source;
    const dlp_vec3 up = dlp_framing_up(scene);
    const dlp_camera_def camera = dlp_camera_def_at(scene, def->time);
    const bool is_free = !camera.has_from && !camera.has_to;
    const int32_t width = def->width - (is_free ? def->legend : 0);
    const bool wants_ground = dlp_length(scene->gravity) > 0 && !has_floor(def, up);
    const dlp_render_def render = {
        .width = def->width,
        .height = def->height,
        .samples = def->samples,
        .camera = dlp_film_camera(&camera, &def->box, up, width, def->height),
        .surfaces = s->surfaces,
        .surface_count = s->mesh_count,
        .spheres = {s->sphere_count, s->positions, s->radii, s->colors, s->has_glow ? s->glow : NULL,
                    DLP_LOOK_MATTE},
        .obstacles = s->obstacles,
        .obstacle_count = def->obstacle_count,
        .box = def->box,
        .up = up,
        .has_ground =
            scene->render.ground == DLP_GROUND_AUTO ? wants_ground : scene->render.ground == DLP_GROUND_ON,
        .ground = def->ground,
        .sun = scene->render.sun,
        .sun_strength = scene->render.sun_strength,
        .sky = scene->render.sky,
        .is_denoised = scene->render.denoise,
        .team = def->team,
    };
    return dlp_render_draw(&render, out_image, error);
}

// All meshes, also one that is half complete: the list is zeroed at birth.
static void release_input(render_input *s)
{
    for (int32_t n = 0; s->meshes != NULL && n < s->render->def->mesh_count; n++) {
        dlp_free(s->meshes[n].colors);
        dlp_free(s->meshes[n].glow);
    }
    dlp_free(s->meshes);
    dlp_free(s->surfaces);
    dlp_free(s->obstacles);
    dlp_free(s->positions);
    dlp_free(s->radii);
    dlp_free(s->colors);
    dlp_free(s->glow);
}

dlp_status dlp_frame_render_trace(const dlp_frame_render *render, dlp_image *out_image, dlp_error *error)
{
    render_input s = {.render = render};
    dlp_status status = place_meshes(&s, error);
    if (status == DLP_OK) status = place_spheres(&s, error);
    if (status == DLP_OK) status = place_obstacles(&s, error);
    if (status == DLP_OK) status = draw_input(&s, out_image, error);
    release_input(&s);
    return status;
}
