// A picture of a world as it is now: preview.png. Drawn as a film of it would be, with few samples.
#include "record/film/thumbnail.h"
#include "record/film/framing.h"
#include "record/film/frame_render.h"
#include "base/memory.h"

#include <string.h>

enum { WIDTH = 1280, HEIGHT = 800, SAMPLES = 3 };

// What the picture needs that the world does not hold in that form; `obstacles` and `meshes` are owned.
typedef struct thumbnail {
    const dlp_world *world;
    const dlp_scene_def *scene;
    const dlp_skin *skin;
    dlp_particle_frame frame;  // borrowed from the world
    dlp_preview_obstacle *obstacles;
    dlp_frame_mesh *meshes;
    int32_t mesh_count;
} thumbnail;

// Only the fields that colours by substance need; the others stay NULL.
static dlp_status take_frame(thumbnail *s, dlp_error *error)
{
    dlp_view positions = {.size = sizeof positions}, radii = {.size = sizeof radii},
             velocities = {.size = sizeof velocities}, substances = {.size = sizeof substances},
             temperatures = {.size = sizeof temperatures};
    DLP_TRY(dlp_world_field(s->world, DLP_FIELD_POSITION, &positions, error));
    DLP_TRY(dlp_world_field(s->world, DLP_FIELD_RADIUS, &radii, error));
    DLP_TRY(dlp_world_field(s->world, DLP_FIELD_VELOCITY, &velocities, error));
    DLP_TRY(dlp_world_field(s->world, DLP_FIELD_SUBSTANCE, &substances, error));
    DLP_TRY(dlp_world_field(s->world, DLP_FIELD_TEMPERATURE, &temperatures, error));
    s->frame = (dlp_particle_frame){.number = dlp_world_frame(s->world),
                                    .time = dlp_world_time(s->world),
                                    .count = positions.count,
                                    .positions = positions.data,
                                    .velocities = velocities.data,
                                    .radii = radii.data,
                                    .substances = substances.data,
                                    .temperatures = temperatures.data};
    return DLP_OK;
}

// -1, which stands for all of them, where the surface has no name.
static int32_t substance_of(const dlp_scene_def *scene, const char *name)
{
    for (int32_t k = 0; name != NULL && k < scene->substance_count; k++)
        if (strcmp(scene->substances[k].name, name) == 0) return k;
    return -1;
}

// Borrowed from the skin until its next update.
static dlp_status take_meshes(thumbnail *s, dlp_error *error)
{
    for (int32_t k = 0; k < s->mesh_count; k++) {
        dlp_surface_view view = {.size = sizeof view};
        DLP_TRY(dlp_skin_surface(s->skin, k, &view, error));
        s->meshes[k] = (dlp_frame_mesh){substance_of(s->scene, view.name), dlp_skin_mesh_at(s->skin, k)};
    }
    return DLP_OK;
}

// 2-D scenes have no surfaces.
static dlp_status make_parts(thumbnail *s, dlp_error *error)
{
    DLP_TRY(take_frame(s, error));
    s->mesh_count = s->skin != NULL && s->scene->dimension == 3 ? dlp_skin_surface_count(s->skin) : 0;
    s->meshes = dlp_alloc((size_t)s->mesh_count, sizeof *s->meshes, "pictures");
    s->obstacles = dlp_alloc((size_t)s->scene->obstacle_count, sizeof *s->obstacles, "pictures");
    if (s->meshes == NULL || s->obstacles == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for %d obstacles",
                        s->scene->obstacle_count);
    const dlp_bodies *bodies = dlp_world_bodies(s->world);
    for (int32_t k = 0; k < bodies->count; k++)
        s->obstacles[k] = (dlp_preview_obstacle){bodies->items[k].shape, bodies->items[k].pose};
    return take_meshes(s, error);
}

// Framed by this frame alone.
static dlp_status draw(const thumbnail *s, dlp_image *out_image, dlp_error *error)
{
    const dlp_surroundings around = {s->scene, s->obstacles, s->scene->obstacle_count};
    dlp_framing framing = {0};
    dlp_framing_add(&framing, &s->frame, &around);
    const dlp_box box = dlp_framing_box(&framing, &around);
    const dlp_color_scale scale = {.field = DLP_COLOR_SUBSTANCE};
    const dlp_frame_render_def render = {.scene = s->scene,
                                         .camera_source = s->scene,
                                         .time = s->frame.time,
                                         .frame = &s->frame,
                                         .meshes = s->meshes,
                                         .mesh_count = s->mesh_count,
                                         .obstacles = s->obstacles,
                                         .obstacle_count = s->scene->obstacle_count,
                                         .scale = &scale,
                                         .box = box,
                                         .ground = dlp_framing_ground(&around, &box),
                                         .width = WIDTH,
                                         .height = HEIGHT,
                                         .samples = SAMPLES,
                                         .team = dlp_world_team(s->world)};
    return dlp_frame_render_draw(&render, out_image, error);
}

dlp_status dlp_thumbnail_of_world(const dlp_world *world, const dlp_skin *skin, dlp_image *out_image,
                                  dlp_error *error)
{
    *out_image = (dlp_image){0};
    thumbnail s = {.world = world, .scene = dlp_world_scene(world), .skin = skin};
    dlp_status status = make_parts(&s, error);
    if (status == DLP_OK) status = draw(&s, out_image, error);
    dlp_free(s.obstacles);
    dlp_free(s.meshes);
    return status;
}
