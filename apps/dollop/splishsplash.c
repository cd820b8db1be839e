/* Scenes of SPlisHSPlasH: what a file is called and means there, and the parts of ours that stand once. The
 * coordinates stay as they are: gravity, which usually points along -y there, says what is up. */
#include "splishsplash.h"

#include "base/memory.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool dlp_splishsplash_is(const dlp_node *root)
{
    static const char *const sections[] = {"Configuration", "FluidBlocks", "FluidModels", "Emitters",
                                           "RigidBodies"};
    for (size_t k = 0; k < sizeof sections / sizeof sections[0]; k++) {
        const dlp_node *node = root->kind == DLP_NODE_MAP ? dlp_node_find(root, sections[k]) : NULL;
        if (node != NULL && node->kind != DLP_NODE_SCALAR) return true;
    }
    return false;
}

/* Rotation about a unit axis. (Rodrigues' formula) */
static dlp_transform rotation_about(dlp_vec3 axis, double angle)
{
    const double c = cos(angle), s = sin(angle), d = 1 - c;
    const dlp_vec3 a = axis;
    return (dlp_transform){{{c + d * a.x * a.x, d * a.x * a.y - s * a.z, d * a.x * a.z + s * a.y},
                            {d * a.y * a.x + s * a.z, c + d * a.y * a.y, d * a.y * a.z - s * a.x},
                            {d * a.z * a.x - s * a.y, d * a.z * a.y + s * a.x, c + d * a.z * a.z}},
                           {0, 0, 0}};
}

/* To a millionth of a degree, so that pi, written with a few digits, is 180. */
static double degrees_of(double radians)
{
    return round(radians * 180 / DLP_PI * 1e6) / 1e6;
}

/* The angles of dlp_transform_of. Where y is a right angle, x and z are about the same axis: x is then 0. */
static dlp_vec3 angles_of(const dlp_transform *rotation)
{
    const dlp_vec3 *rows = rotation->rows;
    const double y = asin(fmax(-1, fmin(1, -rows[2].x)));
    if (fabs(rows[2].x) > 1 - 1e-12)
        return dlp_vec(0, degrees_of(y), degrees_of(atan2(-rows[0].y, rows[1].y)));
    return dlp_vec(degrees_of(atan2(rows[2].y, rows[2].z)), degrees_of(y),
                   degrees_of(atan2(rows[1].x, rows[0].x)));
}

/* A unit vector of any finite one, also of one whose square is not; zero of zero. */
static dlp_vec3 direction_of(dlp_vec3 axis)
{
    const double largest = fmax(fabs(axis.x), fmax(fabs(axis.y), fabs(axis.z)));
    if (!(largest > 0)) return axis;
    return dlp_normalize(dlp_vec(axis.x / largest, axis.y / largest, axis.z / largest), axis);
}

void dlp_splash_read_scale(const dlp_source *map, dlp_vec3 *scale)
{
    const dlp_source value = dlp_source_of(map, "scale");
    double factor;
    if (value.node == NULL || value.node->kind != DLP_NODE_SCALAR)
        dlp_source_vector(map, "scale", scale);
    else if (dlp_source_number(map, "scale", &factor))
        *scale = dlp_vec(factor, factor, factor);
}

dlp_splash_placement dlp_splash_place(const dlp_splash *splash, const dlp_source *map,
                                      dlp_splash_section section)
{
    dlp_splash_placement place = {.scale = {1, 1, 1}};
    dlp_vec3 axis = {0, 0, 1};
    double angle = 0;
    dlp_source_vector(map, "translation", &place.translation);
    dlp_splash_read_scale(map, &place.scale);
    dlp_source_vector(map, "rotationAxis", &axis);
    dlp_source_number(map, "rotationAngle", &angle);
    axis = splash->dimension == 2 && section == DLP_SPLASH_EMITTER ? dlp_vec(0, 0, 1) : direction_of(axis);
    if (angle == 0 || dlp_length(axis) == 0) return place;
    if (splash->dimension == 2 && fabs(axis.z) < 1 - 1e-9) {
        dlp_convert_lose(map, "rotationAxis", "turns out of the plane z = 0");
        return place;
    }
    const dlp_transform rotation = rotation_about(axis, angle);
    place.degrees = angles_of(&rotation);
    return place;
}

/* What the whole scene is like, before its parts are read. */
static void read_configuration(dlp_splash *splash)
{
    bool is_flat = false;
    splash->root = dlp_source_root(splash->conversion);
    splash->configuration = dlp_source_of(&splash->root, "Configuration");
    if (splash->configuration.node != NULL && splash->configuration.node->kind != DLP_NODE_MAP)
        dlp_source_refuse(&splash->configuration, "must be an object");
    dlp_source_positive(&splash->configuration, "particleRadius", &splash->radius);
    dlp_source_flag(&splash->configuration, "sim2D", &is_flat);
    splash->dimension = is_flat ? 2 : 3;
}

static void write_title(const dlp_splash *splash, dlp_string *scene)
{
    const char *slash = strrchr(splash->conversion->name, '/');
    const char *name = slash != NULL ? slash + 1 : splash->conversion->name;
    dlp_string title = {0};
    dlp_string_add(&title, "%.*s, converted", (int)strcspn(name, "."), name);
    dlp_string_add(scene, "title: ");
    if (title.data != NULL) dlp_string_add_value(scene, title.data);
    dlp_string_add(scene, "\n");
    dlp_string_release(&title);
}

static void write_frames(const dlp_splash *splash, dlp_string *scene)
{
    enum { USUAL_COUNT = 100, MOST = 10000000 };
    const dlp_source *configuration = &splash->configuration;
    double rate = 25, end = -1;
    dlp_source_positive(configuration, "dataExportFPS", &rate);
    dlp_source_number(configuration, "stopAt", &end);
    double count = USUAL_COUNT;
    if (end > 0)
        count = fmin(ceil(end * rate - 1e-9), MOST);
    else
        dlp_convert_change(configuration, "stopAt", "the scene has no end; ours has %d frames", USUAL_COUNT);
    dlp_string_add(scene, "frames: {rate: ");
    dlp_convert_add_number(scene, rate);
    dlp_string_add(scene, ", count: ");
    dlp_convert_add_number(scene, count);
    dlp_string_add(scene, "}\n");
}

static void write_gravity(const dlp_splash *splash, dlp_string *scene)
{
    dlp_vec3 gravity = {0, -9.81, 0};
    dlp_source_vector(&splash->configuration, "gravitation", &gravity);
    if (splash->dimension == 2 && gravity.z != 0)
        dlp_convert_lose(&splash->configuration, "gravitation", "its part along z leaves the plane");
    dlp_string_add(scene, "gravity: ");
    dlp_convert_add_vector(scene, gravity, splash->dimension);
    dlp_string_add(scene, "\n");
}

/* Degrees between the lower and the upper edge of its window. */
static void write_camera(const dlp_splash *splash, dlp_string *scene)
{
    enum { VIEW = 40 };
    dlp_vec3 from, to = {0, 0, 0};
    const bool has_from = dlp_source_vector(&splash->configuration, "cameraPosition", &from);
    dlp_source_vector(&splash->configuration, "cameraLookat", &to);
    if (!has_from) return;
    if (splash->dimension == 2) {
        dlp_convert_lose(&splash->configuration, "cameraPosition", "pictures of the plane show all of it");
        return;
    }
    dlp_string_add(scene, "camera: {from: ");
    dlp_convert_add_vector(scene, from, 3);
    dlp_string_add(scene, ", to: ");
    dlp_convert_add_vector(scene, to, 3);
    dlp_string_add(scene, ", angle: %d}\n", VIEW);
}

static void write_scene(const dlp_splash *splash, dlp_string *scene)
{
    write_title(splash, scene);
    if (splash->dimension == 2) dlp_string_add(scene, "dimension: 2\n");
    write_frames(splash, scene);
    write_gravity(splash, scene);
    write_camera(splash, scene);
    dlp_string_add(scene, "\nsubstances:\n");
    dlp_splash_write_fluids(splash, scene);
    if (splash->obstacles.data != NULL) dlp_string_add(scene, "\nobstacles:\n%s", splash->obstacles.data);
    if (splash->emitters.data != NULL) dlp_string_add(scene, "\nemitters:\n%s", splash->emitters.data);
}

static bool has_no_memory(const dlp_splash *splash)
{
    bool has_failed = splash->obstacles.has_failed || splash->emitters.has_failed;
    for (int32_t k = 0; k < splash->fluid_count; k++)
        has_failed = has_failed || splash->fluids[k].shapes.has_failed;
    return has_failed;
}

/* Keys are judged last: which of them matter depends on the fluids. */
static void check_materials(const dlp_splash *splash)
{
    dlp_source list = dlp_source_of(&splash->root, "Materials"), material = {0};
    for (int32_t k = 0; dlp_source_next(&list, &material, &k);) {
        const char *id = "Fluid";
        dlp_source_text(&material, "id", &id);
        bool is_used = false;
        for (int32_t f = 0; f < splash->fluid_count; f++)
            is_used = is_used || strcmp(splash->fluids[f].id, id) == 0;
        if (is_used)
            dlp_splash_check_keys(splash, &material, DLP_SPLASH_MATERIAL);
        else
            dlp_convert_lose(&material, NULL, "nothing is made of it");
    }
    for (int32_t f = 0; f < splash->fluid_count; f++) {
        const dlp_source old = dlp_source_of(&splash->root, splash->fluids[f].id);
        const dlp_source used = dlp_splash_material(splash, splash->fluids[f].id);
        if (old.node != NULL && old.node == used.node)
            dlp_splash_check_keys(splash, &old, DLP_SPLASH_MATERIAL);
    }
}

static dlp_status convert(dlp_splash *splash, dlp_error *error)
{
    dlp_conversion *conversion = splash->conversion;
    read_configuration(splash);
    DLP_TRY(dlp_splash_read_fluids(splash, error));
    DLP_TRY(dlp_splash_read_emitters(splash, error));
    dlp_splash_read_bodies(splash);
    dlp_splash_check_keys(splash, &splash->root, DLP_SPLASH_ROOT);
    dlp_splash_check_keys(splash, &splash->configuration, DLP_SPLASH_CONFIGURATION);
    check_materials(splash);
    write_scene(splash, &conversion->scene);
    if (conversion->error->status == DLP_OK && splash->fluid_count == 0)
        return dlp_fail(error, DLP_INVALID,
                        "%s: nothing flows in it that can be carried over%s%s; a scene needs a substance",
                        conversion->name, conversion->lost_count > 0 ? ":\n" : "",
                        conversion->lost.data != NULL ? conversion->lost.data : "");
    return has_no_memory(splash)
               ? dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: not enough memory to convert it", conversion->name)
               : DLP_OK;
}

dlp_status dlp_splishsplash_convert(dlp_conversion *conversion, dlp_error *error)
{
    dlp_splash splash = {.conversion = conversion, .radius = 0.025};
    const dlp_status status = convert(&splash, error);
    for (int32_t k = 0; k < splash.fluid_count; k++) dlp_string_release(&splash.fluids[k].shapes);
    dlp_free(splash.fluids);
    dlp_free(splash.starts);
    dlp_string_release(&splash.obstacles);
    dlp_string_release(&splash.emitters);
    return status;
}
