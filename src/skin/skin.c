// One surface per substance, or one of all (surface.blend), by what the substance is: particles (surface.h),
// cloth (cloth_surface.h) or solids (fragments.h). Also ties them to a world: histories in its checkpoints,
// and retroaction.
#include "skin/skin.h"
#include "base/wall_clock.h"
#include "base/memory.h"
#include "base/sized.h"
#include "motion/sph/sph.h"
#include "skin/cloth_surface.h"
#include "skin/fragments.h"
#include "skin/surface_parts.h"

#include <assert.h>
#include <string.h>

// Arrays have `count` entries: one per substance, or a single one of all.
struct dlp_skin {
    dlp_world *world;     // borrowed; NULL for recorded frames
    int32_t share_count;  // further owners: destroying only counts down until it is 0
    dlp_surface_def def;  // of the scene; copied
    int32_t count;
    dlp_surface **surfaces;          // NULL where the substance is cloth
    dlp_surface_mesh *cloth_meshes;  // empty where it is not cloth
    double *rope_radius;             // m; of cloth
    dlp_fragments *fragments;        // all-zero where it is no solid
    bool *is_solid;                  // by the substance's model
    bool *has_fragments;  // a solid whose solver is known in this update, so that it carries its surface
    dlp_solid_map *maps;  // scratch: one per particle of the solids
    int32_t map_capacity;
    dlp_team *team;  // borrowed
    char **names;    // of the substances; NULL for a single surface
    float *colors;   // sRGB 0..1, three per substance of the scene
    // All histories in a row, as a checkpoint holds them; valid between prepare_save or begin_load and its
    // end. `block_counts` and `offsets` have one entry per surface.
    int32_t *block_counts;
    double *offsets;
    int32_t (*blocks)[3];
    float *values;
    int32_t block_count, block_capacity, value_capacity;
};

// m: the edge of a cube of a particle's rest volume.
static double spacing_of(const dlp_substance_def *substance)
{
    return cbrt(4 * DLP_PI / 3) * substance->particle_radius;
}

// m: of all substances whose surface is made from particles.
static double finest_spacing(const dlp_scene_def *scene)
{
    double finest = HUGE_VAL;
    for (int32_t k = 0; k < scene->substance_count; k++)
        if (scene->substances[k].model != DLP_MODEL_CLOTH)
            finest = fmin(finest, spacing_of(&scene->substances[k]));
    return finest;
}

// Surface k: of substance k, or of all where they blend. Cloth has no surface object; its mesh is made in
// each update.
static dlp_status make_surface(dlp_skin *skin, const dlp_scene_def *scene, int32_t k, dlp_target target,
                               dlp_team *team, dlp_error *error)
{
    const dlp_surface_def *def = &skin->def;
    const double spacing = def->blend ? finest_spacing(scene) : spacing_of(&scene->substances[k]);
    const dlp_surface_settings settings = {.kind = def->kind,
                                           .cell = def->cell > 0 ? def->cell : spacing / 2,
                                           .spacing = spacing,
                                           .iso = def->iso,
                                           .memory = def->memory,
                                           .smoothing = def->smoothing,
                                           .volume = def->volume,
                                           .target = target,
                                           .team = team};
    if (!def->blend && scene->substance_count > 1) {
        skin->names[k] = dlp_copy_text(scene->substances[k].name, "skin");
        if (skin->names[k] == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room for a name");
    }
    if (!def->blend && scene->substances[k].model == DLP_MODEL_CLOTH) {
        skin->rope_radius[k] = scene->substances[k].cloth.width / 2;
        return DLP_OK;
    }
    skin->is_solid[k] = !def->blend && scene->substances[k].model == DLP_MODEL_SOLID;
    return dlp_surface_create(&settings, &skin->surfaces[k], error);
}

// `count` is set once all arrays are there, so that a half-built skin can be destroyed.
static dlp_status build(dlp_skin *skin, const dlp_scene_def *scene, dlp_target target, dlp_team *team,
                        dlp_error *error)
{
    const bool is_none = scene->surface.kind == DLP_SURFACE_NONE || scene->substance_count == 0;
    const int32_t count = is_none ? 0 : scene->surface.blend ? 1 : scene->substance_count;
    skin->surfaces = dlp_alloc((size_t)count, sizeof *skin->surfaces, "skin");
    skin->names = dlp_alloc((size_t)count, sizeof *skin->names, "skin");
    skin->cloth_meshes = dlp_alloc((size_t)count, sizeof *skin->cloth_meshes, "skin");
    skin->rope_radius = dlp_alloc((size_t)count, sizeof *skin->rope_radius, "skin");
    skin->fragments = dlp_alloc((size_t)count, sizeof *skin->fragments, "skin");
    skin->is_solid = dlp_alloc((size_t)count, sizeof *skin->is_solid, "skin");
    skin->has_fragments = dlp_alloc((size_t)count, sizeof *skin->has_fragments, "skin");
    skin->block_counts = dlp_alloc((size_t)count, sizeof *skin->block_counts, "skin");
    skin->offsets = dlp_alloc((size_t)count, sizeof *skin->offsets, "skin");
    skin->colors = dlp_alloc(3 * (size_t)scene->substance_count, sizeof *skin->colors, "skin");
    if (skin->surfaces == NULL || skin->names == NULL || skin->cloth_meshes == NULL ||
        skin->rope_radius == NULL || skin->fragments == NULL || skin->is_solid == NULL ||
        skin->has_fragments == NULL || skin->block_counts == NULL || skin->offsets == NULL ||
        skin->colors == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room");
    skin->count = count;
    skin->team = team;
    for (int32_t k = 0; k < count; k++) DLP_TRY(make_surface(skin, scene, k, target, team, error));
    for (int32_t k = 0; k < scene->substance_count; k++) {
        const dlp_vec3 color = scene->substances[k].color;
        skin->colors[3 * k] = (float)color.x;
        skin->colors[3 * k + 1] = (float)color.y;
        skin->colors[3 * k + 2] = (float)color.z;
    }
    return DLP_OK;
}

dlp_status dlp_skin_create_for(const dlp_scene_def *scene, dlp_target target, dlp_team *team,
                               dlp_skin **out_skin, dlp_error *error)
{
    *out_skin = NULL;
    dlp_skin *skin = dlp_alloc(1, sizeof *skin, "skin");
    if (skin == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room");
    skin->def = scene->surface;
    const dlp_status status = build(skin, scene, target, team, error);
    if (status != DLP_OK) {
        dlp_skin_destroy(skin);
        return status;
    }
    *out_skin = skin;
    return DLP_OK;
}

void dlp_skin_destroy(dlp_skin *skin)
{
    if (skin == NULL || skin->share_count-- > 0) return;
    if (skin->world != NULL) dlp_world_unregister(skin->world, skin);
    for (int32_t k = 0; k < skin->count; k++) {
        dlp_surface_destroy(skin->surfaces[k]);
        dlp_surface_mesh_release(&skin->cloth_meshes[k]);
        dlp_fragments_release(&skin->fragments[k]);
        dlp_free(skin->names[k]);
    }
    dlp_free(skin->surfaces);
    dlp_free(skin->names);
    dlp_free(skin->cloth_meshes);
    dlp_free(skin->rope_radius);
    dlp_free(skin->fragments);
    dlp_free(skin->is_solid);
    dlp_free(skin->has_fragments);
    dlp_free(skin->maps);
    dlp_free(skin->colors);
    dlp_free(skin->block_counts);
    dlp_free(skin->offsets);
    dlp_free(skin->blocks);
    dlp_free(skin->values);
    dlp_free(skin);
}

// The affine maps of all solids' particles, once per update for all substances.
static dlp_status find_maps(dlp_skin *skin, const dlp_particle_view *particles, dlp_error *error)
{
    bool is_any = false;
    for (int32_t k = 0; k < skin->count; k++) is_any = is_any || skin->has_fragments[k];
    if (!is_any) return DLP_OK;
    DLP_TRY(dlp_reserve(&skin->maps, &skin->map_capacity, dlp_solid_particles_of(particles->solid)->count,
                        sizeof *skin->maps, "skin", error));
    dlp_solid_find_maps(particles->solid, particles->positions + 3 * (size_t)particles->first_solid,
                        particles->velocities + 3 * (size_t)particles->first_solid, skin->maps);
    return DLP_OK;
}

static dlp_status update_solid(dlp_skin *skin, const dlp_particle_view *part, int32_t k, dlp_error *error)
{
    const dlp_fragments_def def = {.embedded = {.solid = part->solid,
                                                .scene = part->scene,
                                                .substance = k,
                                                .cell = dlp_surface_cell(skin->surfaces[k]),
                                                .team = skin->team},
                                   .surface = skin->surfaces[k]};
    return dlp_fragments_update(&skin->fragments[k], &def, skin->maps, part, error);
}

static dlp_status update_part(dlp_skin *skin, const dlp_particle_view *part, int32_t k, dlp_error *error)
{
    if (skin->has_fragments[k]) return update_solid(skin, part, k, error);
    if (skin->surfaces[k] != NULL) return dlp_surface_update(skin->surfaces[k], part, error);
    return dlp_cloth_surface_make(part, skin->rope_radius[k], &skin->cloth_meshes[k], error);
}

// Recorded frames may come without the solver of the solids; those then get the surface of their particles.
dlp_status dlp_skin_update_from(dlp_skin *skin, const dlp_particle_view *particles, dlp_error *error)
{
    const dlp_surface_def *def = &skin->def;
    dlp_particle_view part = *particles;
    part.colors = def->color || def->blend ? skin->colors : NULL;
    for (int32_t k = 0; k < skin->count; k++)
        skin->has_fragments[k] = skin->is_solid[k] && particles->solid != NULL;
    DLP_TRY(find_maps(skin, particles, error));
    for (int32_t k = 0; k < skin->count; k++) {
        part.substance = def->blend ? -1 : k;
        DLP_TRY(update_part(skin, &part, k, error));
    }
    return DLP_OK;
}

int32_t dlp_skin_surface_count(const dlp_skin *skin)
{
    return skin->count;
}

const dlp_surface *dlp_skin_surface_at(const dlp_skin *skin, int32_t surface)
{
    assert(surface >= 0 && surface < skin->count);
    return skin->has_fragments[surface] ? NULL : skin->surfaces[surface];
}

bool dlp_skin_is_solid(const dlp_skin *skin, int32_t surface)
{
    assert(surface >= 0 && surface < skin->count);
    return skin->is_solid[surface];
}

const dlp_surface_mesh *dlp_skin_mesh_at(const dlp_skin *skin, int32_t surface)
{
    assert(surface >= 0 && surface < skin->count);
    if (skin->has_fragments[surface]) return dlp_fragments_mesh(&skin->fragments[surface]);
    const dlp_surface *closed = skin->surfaces[surface];
    return closed != NULL ? dlp_surface_mesh_of(closed) : &skin->cloth_meshes[surface];
}

// m3; 0 for cloth, which encloses nothing.
static double volume_of(const dlp_skin *skin, int32_t k)
{
    if (skin->has_fragments[k]) return dlp_fragments_volume(&skin->fragments[k]);
    return skin->surfaces[k] != NULL ? dlp_surface_volume(skin->surfaces[k]) : 0;
}

static double area_of(const dlp_skin *skin, int32_t k)
{
    if (skin->has_fragments[k]) return dlp_fragments_area(&skin->fragments[k]);
    return skin->surfaces[k] != NULL ? dlp_surface_area(skin->surfaces[k])
                                     : dlp_mesh_area(&skin->cloth_meshes[k].mesh);
}

double dlp_skin_time(const dlp_skin *skin)
{
    return skin->world != NULL ? dlp_world_time(skin->world) : 0;
}

double dlp_skin_volume(const dlp_skin *skin)
{
    double volume = 0;
    for (int32_t k = 0; k < skin->count; k++) volume += volume_of(skin, k);
    return volume;
}

dlp_status dlp_skin_surface(const dlp_skin *skin, int32_t surface, dlp_surface_view *out_view,
                            dlp_error *error)
{
    DLP_NEED(skin, error);
    DLP_TRY(dlp_sized_check(out_view, "dlp_surface_view", error));
    if (surface < 0 || surface >= skin->count)
        return dlp_fail(error, DLP_INVALID, "surface: %d is none; there are %d", surface, skin->count);
    const dlp_surface_mesh *mesh = dlp_skin_mesh_at(skin, surface);
    const dlp_surface_view view = {.name = skin->names[surface],
                                   .vertex_count = mesh->mesh.vertex_count,
                                   .triangle_count = mesh->mesh.triangle_count,
                                   .vertices = mesh->mesh.vertices,
                                   .triangles = (const int32_t(*)[3])mesh->mesh.triangles,
                                   .normals = mesh->normals,
                                   .velocities = mesh->velocities,
                                   .temperatures = mesh->temperatures,
                                   .colors = mesh->colors,
                                   .volume = volume_of(skin, surface),
                                   .area = area_of(skin, surface),
                                   .is_cloth = skin->surfaces[surface] == NULL};
    dlp_sized_write(out_view, &view, sizeof view);
    return DLP_OK;
}

// With a world.

dlp_status dlp_particle_view_of_world(const dlp_world *world, dlp_particle_view *out_particles,
                                      dlp_error *error)
{
    dlp_view positions = {.size = sizeof positions}, radii = {.size = sizeof radii},
             velocities = {.size = sizeof velocities}, displacements = {.size = sizeof displacements},
             temperatures = {.size = sizeof temperatures}, substances = {.size = sizeof substances};
    DLP_TRY(dlp_world_field(world, DLP_FIELD_POSITION, &positions, error));
    DLP_TRY(dlp_world_field(world, DLP_FIELD_RADIUS, &radii, error));
    DLP_TRY(dlp_world_field(world, DLP_FIELD_VELOCITY, &velocities, error));
    DLP_TRY(dlp_world_field(world, DLP_FIELD_DISPLACEMENT, &displacements, error));
    DLP_TRY(dlp_world_field(world, DLP_FIELD_TEMPERATURE, &temperatures, error));
    DLP_TRY(dlp_world_field(world, DLP_FIELD_SUBSTANCE, &substances, error));
    *out_particles = (dlp_particle_view){.count = positions.count,
                                         .positions = positions.data,
                                         .radii = radii.data,
                                         .velocities = velocities.data,
                                         .displacements = displacements.data,
                                         .temperatures = temperatures.data,
                                         .substances = substances.data,
                                         .solid = dlp_solid_of(world),
                                         .scene = dlp_world_scene(world),
                                         .first_solid = dlp_world_first_of(world, &dlp_solid_solver),
                                         .substance = -1};
    return dlp_world_cloth_topology(world, &out_particles->topology, error);
}

// All histories one after another, in the order of the surfaces, which is what a checkpoint holds.
static dlp_status pack(dlp_skin *skin, dlp_error *error)
{
    skin->block_count = 0;
    for (int32_t k = 0; k < skin->count; k++) {
        skin->block_counts[k] = 0;
        if (skin->surfaces[k] == NULL) continue;
        const dlp_surface_state state = dlp_surface_history(skin->surfaces[k]);
        const int32_t first = skin->block_count, count = first + state.block_count;
        DLP_TRY(
            dlp_reserve(&skin->blocks, &skin->block_capacity, count, sizeof *skin->blocks, "skin", error));
        DLP_TRY(dlp_surface_reserve(&skin->values, &skin->value_capacity, count, 1, error));
        if (state.block_count > 0) {
            memcpy(skin->blocks + first, state.blocks, (size_t)state.block_count * sizeof *skin->blocks);
            memcpy(skin->values + (size_t)first * DLP_BLOCK_NODES, state.values,
                   (size_t)state.block_count * DLP_BLOCK_NODES * sizeof *skin->values);
        }
        skin->block_counts[k] = state.block_count;
        skin->offsets[k] = *state.offset;
        skin->block_count = count;
    }
    return DLP_OK;
}

// Only active surfaces follow from the frames before.
static bool has_history(const dlp_skin *skin)
{
    return skin->count > 0 && skin->def.kind == DLP_SURFACE_ACTIVE;
}

static dlp_status prepare_save(void *user, dlp_error *error)
{
    return has_history(user) ? pack(user, error) : DLP_OK;
}

// The names are the data sets of a checkpoint: part of its format. Blocks and values share one free count.
static void list_state(void *user, dlp_manifest *manifest)
{
    dlp_skin *skin = user;
    const int32_t count = skin->block_count;
    const dlp_manifest_item items[] = {
        {"skin/counts", DLP_INT32, 1, skin->count, skin->block_counts, DLP_COUNT_FIXED, 0},
        {"skin/offsets", DLP_FLOAT64, 1, skin->count, skin->offsets, DLP_COUNT_FIXED, 0},
        {"skin/blocks", DLP_INT32, 3, count, skin->blocks, DLP_COUNT_FREE, 0},
        {"skin/values", DLP_FLOAT32, DLP_BLOCK_NODES, count, skin->values, DLP_COUNT_FREE, 0},
    };
    for (size_t k = 0; has_history(skin) && k < sizeof items / sizeof items[0]; k++)
        dlp_manifest_add(manifest, items[k]);
}

// Room for what the checkpoint holds of all surfaces together; the world fills it before end_load.
static dlp_status begin_load(void *user, int32_t block_count, dlp_error *error)
{
    dlp_skin *skin = user;
    if (!has_history(skin)) return DLP_OK;
    DLP_TRY(
        dlp_reserve(&skin->blocks, &skin->block_capacity, block_count, sizeof *skin->blocks, "skin", error));
    DLP_TRY(dlp_surface_reserve(&skin->values, &skin->value_capacity, block_count, 1, error));
    skin->block_count = block_count;
    return DLP_OK;
}

static dlp_status unpack(const dlp_skin *skin, int32_t k, int32_t first, dlp_error *error)
{
    const int32_t count = skin->block_counts[k];
    DLP_TRY(dlp_surface_begin_load(skin->surfaces[k], count, error));
    const dlp_surface_state state = dlp_surface_history(skin->surfaces[k]);
    if (count > 0) {
        memcpy(state.blocks, skin->blocks + first, (size_t)count * sizeof *skin->blocks);
        memcpy(state.values, skin->values + (size_t)first * DLP_BLOCK_NODES,
               (size_t)count * DLP_BLOCK_NODES * sizeof *skin->values);
    }
    *state.offset = skin->offsets[k];
    return dlp_surface_end_load(skin->surfaces[k], error);
}

// Hands each surface its part; counts come from a file and are checked before they are used.
static dlp_status end_load(void *user, dlp_error *error)
{
    dlp_skin *skin = user;
    int32_t first = 0;
    for (int32_t k = 0; k < skin->count && has_history(skin); k++) {
        const int32_t count = skin->block_counts[k];
        if (count < 0 || count > skin->block_count - first)
            return dlp_fail(error, DLP_IO, "checkpoint: a surface of %d blocks; %d are left", count,
                            skin->block_count - first);
        if (skin->surfaces[k] == NULL && count > 0)
            return dlp_fail(error, DLP_IO, "checkpoint: a surface of %d blocks around cloth", count);
        if (skin->surfaces[k] != NULL) DLP_TRY(unpack(skin, k, first, error));
        first += count;
    }
    return DLP_OK;
}

// The world starts anew: histories and pieces are forgotten.
static void reset(void *user)
{
    dlp_skin *skin = user;
    for (int32_t k = 0; k < skin->count; k++) {
        if (skin->surfaces[k] != NULL) dlp_surface_forget(skin->surfaces[k]);
        dlp_fragments_release(&skin->fragments[k]);
    }
}

// A world whose surfaces act on it has made them already: others share them, since an active one has a
// history that must advance once per frame.
dlp_status dlp_skin_create(dlp_world *world, dlp_skin **out_skin, dlp_error *error)
{
    DLP_NEED(out_skin, error);
    *out_skin = NULL;
    DLP_NEED(world, error);
    *out_skin = dlp_world_extension(world);
    if (*out_skin != NULL && (*out_skin)->def.retroaction) {
        (*out_skin)->share_count++;
        return DLP_OK;
    }
    DLP_TRY(dlp_skin_create_for(dlp_world_scene(world), dlp_world_target(world), dlp_world_team(world),
                                out_skin, error));
    (*out_skin)->world = world;
    dlp_world_register(
        world, &(dlp_state_extension){*out_skin, prepare_save, list_state, begin_load, end_load, reset});
    return DLP_OK;
}

// Notes time and volume for the frame's statistics.
static dlp_status update(dlp_skin *skin, dlp_error *error)
{
    const double start = dlp_seconds_now();
    dlp_particle_view particles;
    DLP_TRY(dlp_particle_view_of_world(skin->world, &particles, error));
    DLP_TRY(dlp_skin_update_from(skin, &particles, error));
    dlp_world_note_skin(skin->world, dlp_seconds_now() - start, dlp_skin_volume(skin));
    return DLP_OK;
}

// With retroaction the world's step has updated the surfaces already.
dlp_status dlp_skin_update(dlp_skin *skin, dlp_error *error)
{
    DLP_NEED(skin, error);
    return skin->def.retroaction ? DLP_OK : update(skin, error);
}

// Retroaction: where the surfaces lie too deep in obstacles, the particles next to them are pushed out.
// Solids and cloth have contact with obstacles of their own, so only the smoothed particles, which come
// first, are pushed; `delta_v` has zeros for the others.
static dlp_status push(dlp_skin *skin, dlp_error *error)
{
    dlp_particle_view particles;
    DLP_TRY(dlp_particle_view_of_world(skin->world, &particles, error));
    float *delta_v = dlp_alloc(3 * (size_t)particles.count + 1, sizeof *delta_v, "skin");
    if (delta_v == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room to push %d particles", particles.count);
    particles.count = dlp_world_count_of(skin->world, &dlp_sph_solver);
    const dlp_status status = dlp_skin_retroact(skin, skin->world, &particles, delta_v, error);
    if (status == DLP_OK) dlp_world_add_velocity(skin->world, delta_v);
    dlp_free(delta_v);
    return status;
}

dlp_status dlp_retroaction_apply(void *surfaces, dlp_error *error)
{
    DLP_TRY(update(surfaces, error));
    return push(surfaces, error);
}

dlp_status dlp_retroaction_create(dlp_world *world, void **out_surfaces, dlp_error *error)
{
    *out_surfaces = NULL;
    if (!dlp_world_scene(world)->surface.retroaction) return DLP_OK;
    dlp_skin *skin;
    DLP_TRY(dlp_skin_create(world, &skin, error));
    *out_surfaces = skin;
    return dlp_retroaction_apply(skin, error);
}

void dlp_retroaction_destroy(void *surfaces)
{
    dlp_skin_destroy(surfaces);
}
