/* Bodies of a SPlisHSPlasH scene: our obstacles. All are meshes there; boxes become boxes here, which are
 * exact and need no file. Bodies that move by what the fluid does to them have no counterpart yet. */
#include "splishsplash.h"

#include "base/memory.h"
#include "base/status.h"
#include "scene/resolve.h"
#include "space/mesh.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* What a file of triangles is, before it is placed. */
typedef struct body_shape {
    dlp_box bounds; /* m */
    bool is_box, needs_repair;
    const char *file; /* as the scene writes it; NULL: a box needs none */
    char *path;       /* absolute, owned */
} body_shape;

/* The cube of edge 1 about the origin that comes with that program, which is not needed to know its shape. */
static bool is_unit_box(const char *file)
{
    const char *slash = strrchr(file, '/');
    return strcasecmp(slash != NULL ? slash + 1 : file, "UnitBox.obj") == 0;
}

/* A box along the axes fills its bounds. */
static bool measure(const dlp_mesh *mesh, body_shape *out_shape)
{
    dlp_mesh_report report;
    if (dlp_mesh_check(mesh, &report, NULL) != DLP_OK) return false;
    const dlp_vec3 size = dlp_sub(report.bounds.max, report.bounds.min);
    const double volume = size.x * size.y * size.z;
    out_shape->bounds = report.bounds;
    out_shape->is_box = report.is_watertight && fabs(report.volume - volume) < 1e-9 * volume;
    return true;
}

/* As a solid, with its holes closed where there is no other way. */
static bool read_solid(const char *path, body_shape *out_shape, dlp_error *error)
{
    dlp_mesh mesh = {0};
    bool is_good = false;
    for (int k = 0; k < 2 && !is_good; k++) {
        dlp_mesh_release(&mesh);
        if (dlp_mesh_read(path, &mesh, error) != DLP_OK) return false;
        out_shape->needs_repair = k == 1;
        is_good = dlp_mesh_make_solid(&mesh, k == 0 ? DLP_HOLES_REFUSE : DLP_HOLES_CLOSE, error) == DLP_OK;
    }
    if (is_good) is_good = measure(&mesh, out_shape);
    dlp_mesh_release(&mesh);
    return is_good;
}

/* False after saying why it is lost. */
static bool find_shape(const dlp_splash *splash, const dlp_source *map, const char *key,
                       body_shape *out_shape)
{
    static dlp_error error;
    const char *file = "";
    dlp_source_text(map, key, &file);
    *out_shape = (body_shape){.bounds = {{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}}, .is_box = true};
    if (is_unit_box(file)) return true;
    const dlp_conversion *conversion = splash->conversion;
    if (dlp_file_find(conversion->folder, file, &out_shape->path) != DLP_OK) {
        dlp_convert_lose(map, key, "%.200s: is not there; the whole is left out", file);
        return false;
    }
    error = (dlp_error){0};
    if (!read_solid(out_shape->path, out_shape, &error)) {
        dlp_convert_lose(map, key, "%.300s; the whole is left out", error.message);
        dlp_free(out_shape->path);
        return false;
    }
    out_shape->file = conversion->has_absolute_files ? out_shape->path : file;
    return true;
}

static void add_placement(const dlp_splash *splash, const dlp_splash_placement *place, dlp_string *text)
{
    if (dlp_length(place->degrees) > 0) {
        dlp_string_add(text, ", rotation: ");
        dlp_convert_add_vector(text, place->degrees, 3);
    }
    if (dlp_length(place->translation) > 0) {
        dlp_string_add(text, ", position: ");
        dlp_convert_add_vector(text, place->translation, splash->dimension);
    }
}

static dlp_box scaled_bounds(const body_shape *shape, dlp_vec3 s)
{
    const dlp_vec3 a =
        dlp_vec(s.x * shape->bounds.min.x, s.y * shape->bounds.min.y, s.z * shape->bounds.min.z);
    const dlp_vec3 b =
        dlp_vec(s.x * shape->bounds.max.x, s.y * shape->bounds.max.y, s.z * shape->bounds.max.z);
    return (dlp_box){dlp_min3(a, b), dlp_max3(a, b)};
}

/* One that is not turned stands where it is; a turned one is turned about the origin, then moved. */
static void add_box(const dlp_splash *splash, const body_shape *shape, const dlp_splash_placement *place,
                    bool is_inside, dlp_string *text)
{
    dlp_splash_placement rest = *place;
    dlp_box box = scaled_bounds(shape, place->scale);
    if (dlp_length(place->degrees) == 0) {
        box = (dlp_box){dlp_add(box.min, place->translation), dlp_add(box.max, place->translation)};
        rest.translation = dlp_vec(0, 0, 0);
    }
    dlp_string_add(text, "box: {min: ");
    dlp_convert_add_vector(text, box.min, splash->dimension);
    dlp_string_add(text, ", max: ");
    dlp_convert_add_vector(text, box.max, splash->dimension);
    dlp_string_add(text, is_inside ? ", inside: true}" : "}");
    add_placement(splash, &rest, text);
}

/* What has no counterpart of a mesh is said, and nothing written. */
static bool add_mesh(const dlp_splash *splash, const dlp_source *map, const body_shape *shape,
                     const dlp_splash_placement *place, bool is_inside, dlp_string *text)
{
    const dlp_vec3 s = place->scale;
    const double z = place->translation.z;
    const dlp_box box = scaled_bounds(shape, s);
    if (!(s.x > 0 && s.y == s.x && s.z == s.x)) {
        dlp_convert_lose(map, "scale", "[%g, %g, %g]: a mesh has one scale, above 0; the whole is left out",
                         s.x, s.y, s.z);
        return false;
    }
    if (splash->dimension == 2 && !(box.min.z + z < 0 && box.max.z + z > 0)) {
        dlp_convert_lose(map, NULL, "does not meet the plane z = 0; the whole is left out");
        return false;
    }
    if (splash->dimension == 2 && z != 0) {
        dlp_convert_lose(map, NULL, "its section is not at z = 0 of the mesh; the whole is left out");
        return false;
    }
    dlp_string_add(text, "mesh: {file: ");
    dlp_string_add_value(text, shape->file);
    dlp_string_add(text, "%s%s}", shape->needs_repair ? ", repair: true" : "",
                   is_inside ? ", inside: true" : "");
    if (s.x != 1) {
        dlp_string_add(text, ", scale: ");
        dlp_convert_add_number(text, s.x);
    }
    add_placement(splash, place, text);
    return true;
}

static bool add_shape(const dlp_splash *splash, const dlp_source *map, const body_shape *shape,
                      const dlp_splash_placement *place, bool is_inside, dlp_string *text)
{
    const dlp_vec3 s = place->scale;
    if (!shape->is_box) return add_mesh(splash, map, shape, place, is_inside, text);
    if (s.x == 0 || s.y == 0 || (s.z == 0 && splash->dimension == 3)) {
        dlp_convert_lose(map, "scale", "has no volume; the whole is left out");
        return false;
    }
    add_box(splash, shape, place, is_inside, text);
    return true;
}

bool dlp_splash_add_mesh(const dlp_splash *splash, const dlp_source *map, const char *key,
                         const dlp_splash_placement *place, dlp_string *out_shape)
{
    body_shape shape;
    if (!find_shape(splash, map, key, &shape)) return false;
    const bool is_added = add_shape(splash, map, &shape, place, false, out_shape);
    dlp_free(shape.path);
    return is_added;
}

/* Whether something starts within the bounds of a body. */
static bool holds_fluid(const dlp_splash *splash, const body_shape *shape, const dlp_splash_placement *place)
{
    const dlp_box box = scaled_bounds(shape, place->scale);
    const dlp_transform frame = dlp_transform_of(place->translation, place->degrees);
    for (int32_t k = 0; k < splash->start_count; k++) {
        const dlp_vec3 at = dlp_to_body(&frame, splash->starts[k]);
        const bool is_flat = splash->dimension == 2;
        if (at.x > box.min.x && at.x < box.max.x && at.y > box.min.y && at.y < box.max.y &&
            (is_flat || (at.z > box.min.z && at.z < box.max.z)))
            return true;
    }
    return false;
}

/* A wall is hollow where its map says so. Walls that are sampled by particles have no inside and outside
 * there: the fluid says on which side it is. */
static bool is_container(const dlp_splash *splash, const dlp_source *body, const body_shape *shape,
                         const dlp_splash_placement *place)
{
    bool is_wall = false, is_inverted = false;
    dlp_source_flag(body, "isWall", &is_wall);
    const bool has_map = dlp_source_flag(body, "mapInvert", &is_inverted);
    if (is_inverted || (is_wall && !has_map)) return true;
    return shape->is_box && holds_fluid(splash, shape, place);
}

/* Containers are closed there, above too. */
static void read_body(dlp_splash *splash, const dlp_source *body, int32_t index)
{
    bool is_dynamic = false, is_animated = false;
    dlp_source_flag(body, "isDynamic", &is_dynamic);
    dlp_source_flag(body, "isAnimated", &is_animated);
    if (is_dynamic) {
        dlp_convert_lose(body, NULL, "bodies that the fluid moves have no counterpart yet");
        return;
    }
    dlp_splash_check_keys(splash, body, DLP_SPLASH_BODY);
    if (is_animated) dlp_convert_lose(body, "isAnimated", "its motion; see `position.keys` of an obstacle");
    if (dlp_source_of(body, "geometryFile").node == NULL) {
        dlp_convert_lose(body, "geometryFile", "is missing; particles alone have no inside");
        return;
    }
    const dlp_splash_placement place = dlp_splash_place(splash, body, DLP_SPLASH_BODY);
    body_shape shape;
    if (!find_shape(splash, body, "geometryFile", &shape)) return;
    const bool is_inside = is_container(splash, body, &shape, &place);
    dlp_string text = {0};
    if (add_shape(splash, body, &shape, &place, is_inside, &text) && text.data != NULL)
        dlp_string_add(&splash->obstacles, "  - {name: body%d, %s%s}\n", index, text.data,
                       is_inside ? ", lid: true" : "");
    dlp_string_release(&text);
    dlp_free(shape.path);
}

void dlp_splash_read_bodies(dlp_splash *splash)
{
    const dlp_source list = dlp_source_of(&splash->root, "RigidBodies");
    dlp_source body = {0};
    for (int32_t index = 0; dlp_source_next(&list, &body, &index);) read_body(splash, &body, index);
}
