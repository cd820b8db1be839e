/* Blocks, models and materials of a SPlisHSPlasH scene: our substances. */
#include "splishsplash.h"

#include "base/memory.h"
#include "base/status.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* In a list the first of an id counts; old scenes have a map of that name at the top. */
dlp_source dlp_splash_material(const dlp_splash *splash, const char *id)
{
    const dlp_source list = dlp_source_of(&splash->root, "Materials");
    const bool is_list = list.node != NULL && list.node->kind == DLP_NODE_LIST;
    int32_t k = 0;
    for (const dlp_node *node = is_list ? list.node->first : NULL; node != NULL; node = node->next, k++) {
        const dlp_node *its = node->kind == DLP_NODE_MAP ? dlp_node_find(node, "id") : NULL;
        const char *name = its != NULL && its->kind == DLP_NODE_SCALAR ? its->text : "Fluid";
        if (node->kind != DLP_NODE_MAP || strcmp(name, id) != 0) continue;
        dlp_source material = {.conversion = splash->conversion, .node = node};
        snprintf(material.path, sizeof material.path, "Materials[%d]", k);
        return material;
    }
    dlp_source material = dlp_source_of(&splash->root, id);
    if (material.node != NULL && material.node->kind != DLP_NODE_MAP) material.node = NULL;
    return material;
}

/* Letters, digits, _ and - of the id, a letter first; a number at its end where that was taken. */
static void choose_name(const dlp_splash *splash, const char *id, char out_name[65])
{
    char stem[48];
    size_t length = 0;
    if (!isalpha((unsigned char)id[0]) && id[0] != '_') stem[length++] = '_';
    for (; *id != 0 && length + 1 < sizeof stem; id++)
        stem[length++] = isalnum((unsigned char)*id) || *id == '-' ? *id : '_';
    stem[length] = 0;
    snprintf(out_name, 65, "%s", stem);
    for (int32_t number = 2, k = 0; k < splash->fluid_count; k++) {
        if (strcmp(splash->fluids[k].name, out_name) != 0) continue;
        snprintf(out_name, 65, "%s_%d", stem, number++);
        k = -1;
    }
}

dlp_status dlp_splash_find_fluid(dlp_splash *splash, const char *id, const dlp_vec3 *velocity,
                                 dlp_splash_fluid **out_fluid, dlp_error *error)
{
    enum { LIMIT = 200 }; /* every one is compared with all others */
    for (int32_t k = 0; k < splash->fluid_count; k++) {
        *out_fluid = &splash->fluids[k];
        const bool is_same = velocity == NULL || dlp_length(dlp_sub((*out_fluid)->velocity, *velocity)) == 0;
        if (strcmp((*out_fluid)->id, id) == 0 && is_same) return DLP_OK;
    }
    if (splash->fluid_count == LIMIT)
        return dlp_fail(error, DLP_INVALID, "%s: more than %d fluids or initial velocities",
                        splash->conversion->name, LIMIT);
    char name[65];
    choose_name(splash, id, name);
    DLP_TRY(dlp_reserve(&splash->fluids, &splash->fluid_capacity, splash->fluid_count + 1,
                        sizeof *splash->fluids, "convert", error));
    *out_fluid = &splash->fluids[splash->fluid_count++];
    **out_fluid = (dlp_splash_fluid){.id = id};
    memcpy((*out_fluid)->name, name, sizeof name);
    if (velocity != NULL) (*out_fluid)->velocity = *velocity;
    return DLP_OK;
}

dlp_status dlp_splash_add_start(dlp_splash *splash, dlp_vec3 at, dlp_error *error)
{
    DLP_TRY(dlp_reserve(&splash->starts, &splash->start_capacity, splash->start_count + 1,
                        sizeof *splash->starts, "convert", error));
    splash->starts[splash->start_count++] = at;
    return DLP_OK;
}

static dlp_vec3 initial_velocity(const dlp_splash *splash, const dlp_source *map)
{
    dlp_vec3 velocity = {0, 0, 0}, spin = {0, 0, 0};
    dlp_source_vector(map, "initialVelocity", &velocity);
    dlp_source_vector(map, "initialAngularVelocity", &spin);
    if (dlp_length(spin) > 0)
        dlp_convert_lose(map, "initialAngularVelocity", "see `velocity.spin` of a substance");
    if (splash->dimension == 2) velocity.z = 0;
    return velocity;
}

static const char *id_of(const dlp_source *map)
{
    const char *id = "Fluid";
    dlp_source_text(map, "id", &id);
    return id;
}

/* Its particles start a diameter within the box: what they fill is the box less a radius on all sides. A thin
 * box, which has none there, is kept as it is. */
static dlp_box filled_box(const dlp_splash *splash, dlp_box box)
{
    const double r = splash->radius;
    const dlp_vec3 size = dlp_sub(box.max, box.min);
    const bool is_thin = !(size.x > 4 * r && size.y > 4 * r && (splash->dimension == 2 || size.z > 4 * r));
    if (is_thin) return box;
    return (dlp_box){dlp_add(box.min, dlp_vec(r, r, r)), dlp_sub(box.max, dlp_vec(r, r, r))};
}

static dlp_status read_block(dlp_splash *splash, const dlp_source *block, dlp_error *error)
{
    dlp_vec3 start, end, translation = {0, 0, 0}, scale = {1, 1, 1};
    dlp_splash_check_keys(splash, block, DLP_SPLASH_BLOCK);
    const bool has_start = dlp_source_vector(block, "start", &start);
    const bool has_end = dlp_source_vector(block, "end", &end);
    dlp_source_vector(block, "translation", &translation);
    dlp_splash_read_scale(block, &scale);
    if (!has_start || !has_end) {
        dlp_convert_lose(block, NULL, "a block needs its start and its end");
        return DLP_OK;
    }
    const dlp_vec3 a = dlp_add(dlp_vec(scale.x * start.x, scale.y * start.y, scale.z * start.z), translation);
    const dlp_vec3 b = dlp_add(dlp_vec(scale.x * end.x, scale.y * end.y, scale.z * end.z), translation);
    const dlp_box box = filled_box(splash, (dlp_box){dlp_min3(a, b), dlp_max3(a, b)});
    const dlp_vec3 size = dlp_sub(box.max, box.min), velocity = initial_velocity(splash, block);
    if (!(size.x > 0 && size.y > 0 && (splash->dimension == 2 || size.z > 0))) {
        dlp_convert_lose(block, NULL, "is empty");
        return DLP_OK;
    }
    dlp_splash_fluid *fluid;
    DLP_TRY(dlp_splash_find_fluid(splash, id_of(block), &velocity, &fluid, error));
    dlp_string_add(&fluid->shapes, "        - box: {min: ");
    dlp_convert_add_vector(&fluid->shapes, box.min, splash->dimension);
    dlp_string_add(&fluid->shapes, ", max: ");
    dlp_convert_add_vector(&fluid->shapes, box.max, splash->dimension);
    dlp_string_add(&fluid->shapes, "}\n");
    fluid->shape_count++;
    return dlp_splash_add_start(splash, dlp_mul(dlp_add(box.min, box.max), 0.5), error);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), part = strlen(end);
    return length >= part && strcasecmp(text + length - part, end) == 0;
}

/* Meshes are filled, as they are there. Its own formats of particles are not read. */
static dlp_status read_model(dlp_splash *splash, const dlp_source *model, dlp_error *error)
{
    const char *file = "";
    bool is_inverted = false;
    dlp_splash_check_keys(splash, model, DLP_SPLASH_MODEL);
    dlp_source_text(model, "particleFile", &file);
    dlp_source_flag(model, "invert", &is_inverted);
    const dlp_splash_placement place = dlp_splash_place(splash, model, DLP_SPLASH_MODEL);
    const dlp_vec3 velocity = initial_velocity(splash, model);
    if (!ends_with(file, ".obj") && !ends_with(file, ".ply") && !ends_with(file, ".stl")) {
        dlp_convert_lose(model, "particleFile", "%.200s: particles of this format are not read", file);
        return DLP_OK;
    }
    if (is_inverted) {
        dlp_convert_lose(model, "invert", "what is outside of a mesh cannot be filled");
        return DLP_OK;
    }
    dlp_string shape = {0};
    dlp_splash_fluid *fluid;
    dlp_status status = DLP_OK;
    if (dlp_splash_add_mesh(splash, model, "particleFile", &place, &shape)) {
        status = dlp_splash_find_fluid(splash, id_of(model), &velocity, &fluid, error);
        if (status == DLP_OK) status = dlp_splash_add_start(splash, place.translation, error);
        if (status == DLP_OK) {
            dlp_string_add(&fluid->shapes, "        - {%s}\n", shape.data != NULL ? shape.data : "");
            fluid->shape_count++;
        }
    }
    dlp_string_release(&shape);
    return status;
}

dlp_status dlp_splash_read_fluids(dlp_splash *splash, dlp_error *error)
{
    const dlp_source blocks = dlp_source_of(&splash->root, "FluidBlocks");
    const dlp_source models = dlp_source_of(&splash->root, "FluidModels");
    dlp_source entry = {0};
    int32_t index;
    while (dlp_source_next(&blocks, &entry, &index)) DLP_TRY(read_block(splash, &entry, error));
    entry = (dlp_source){0};
    while (dlp_source_next(&models, &entry, &index)) DLP_TRY(read_model(splash, &entry, error));
    return DLP_OK;
}

/* Where a value of a material may stand: there, or, of all materials, in the configuration. */
static bool read_value(const dlp_splash *splash, const dlp_source *material, const char *key, double *value)
{
    if (dlp_source_of(material, key).node != NULL) return dlp_source_number(material, key, value);
    return dlp_source_number(&splash->configuration, key, value);
}

/* What is said of a material is said once, with its first fluid. */
static bool is_first(const dlp_splash *splash, const dlp_splash_fluid *fluid)
{
    const dlp_splash_fluid *other = splash->fluids;
    while (strcmp(other->id, fluid->id) != 0) other++;
    return other == fluid;
}

/* Pa s, NaN where the coefficient is none: that of most methods is a number between 0 and 1. The methods that
 * solve the viscous term have the kinematic viscosity; method 7, as one of them was called in older versions,
 * the dynamic one. */
static double dynamic_viscosity(double coefficient, double method, double density)
{
    return method == 1 || method == 6 ? coefficient * density : method == 7 ? coefficient : (double)NAN;
}

/* Explicit steps go with the square of the particles' size over the kinematic viscosity. */
static void say_viscosity(const dlp_source *at, double coefficient, double dynamic, double density)
{
    enum { MANY_STEPS = 1 }; /* m2/s */
    const char *steps =
        dynamic > MANY_STEPS * density ? "; so viscous a fluid takes very many small steps" : "";
    if (dynamic == coefficient && density != 1)
        dlp_convert_change(at, "viscosity", "%g is taken as Pa s, as older versions mean it%s", coefficient,
                           steps);
    else
        dlp_convert_change(at, "viscosity", "%g m2/s times the density is %g Pa s%s", coefficient, dynamic,
                           steps);
}

/* Where neither is given, the material's own. */
static void write_viscosity(const dlp_splash *splash, const dlp_splash_fluid *fluid,
                            const dlp_source *material, double density, dlp_string *scene)
{
    double coefficient = 0, method = 1;
    const bool is_own = dlp_source_of(material, "viscosity").node != NULL;
    const dlp_source *at = is_own ? material : &splash->configuration;
    const bool has_value = read_value(splash, material, "viscosity", &coefficient);
    const bool has_method = read_value(splash, material, "viscosityMethod", &method);
    if (has_method && method == 0) {
        dlp_string_add(scene, "    viscosity: 0\n");
        return;
    }
    if (!has_value) return;
    const double dynamic = dynamic_viscosity(coefficient, method, density);
    const bool is_none = isnan(dynamic);
    if (is_none && is_first(splash, fluid))
        dlp_convert_lose(at, "viscosity", "%g: the coefficient of method %g is no viscosity; water's is used",
                         coefficient, method);
    if (is_none) return;
    if (is_first(splash, fluid)) say_viscosity(at, coefficient, dynamic, density);
    dlp_string_add(scene, "    viscosity: ");
    dlp_convert_add_number(scene, dynamic);
    dlp_string_add(scene, "\n");
}

/* An elastic one; false for fluids. */
static bool write_solid(const dlp_splash *splash, const dlp_splash_fluid *fluid, const dlp_source *material,
                        dlp_string *scene)
{
    double method = 0, modulus = 100000, ratio = 0.3;
    read_value(splash, material, "elasticityMethod", &method);
    if (method == 0) return false;
    if (fluid->emitter_count > 0) {
        if (is_first(splash, fluid)) dlp_convert_lose(material, "elasticityMethod", "solids are not emitted");
        return false;
    }
    read_value(splash, material, "youngsModulus", &modulus);
    read_value(splash, material, "poissonsRatio", &ratio);
    if (ratio > 0.495) {
        if (is_first(splash, fluid))
            dlp_convert_change(material, "poissonsRatio", "%g: at most 0.495", ratio);
        ratio = 0.495;
    }
    dlp_string_add(scene, "    model: solid\n    solid: {youngs_modulus: ");
    dlp_convert_add_number(scene, modulus);
    dlp_string_add(scene, ", poisson_ratio: ");
    dlp_convert_add_number(scene, ratio);
    dlp_string_add(scene, "}\n");
    return true;
}

static void write_material(const dlp_splash *splash, const dlp_splash_fluid *fluid, dlp_string *scene)
{
    const dlp_source material = dlp_splash_material(splash, fluid->id);
    double density = 1000;
    read_value(splash, &material, "density0", &density);
    const bool is_solid = write_solid(splash, fluid, &material, scene);
    if (!is_solid) dlp_string_add(scene, "    material: water\n");
    dlp_string_add(scene, "    density: ");
    dlp_convert_add_number(scene, density);
    dlp_string_add(scene, "\n");
    if (!is_solid) write_viscosity(splash, fluid, &material, density, scene);
}

/* All would be water's blue otherwise. */
static void write_color(int32_t index, dlp_string *scene)
{
    static const char *const colors[] = {"[0.85, 0.45, 0.2]", "[0.35, 0.65, 0.3]", "[0.6, 0.4, 0.75]"};
    if (index > 0) dlp_string_add(scene, "    color: %s\n", colors[(index - 1) % 3]);
}

void dlp_splash_write_fluids(const dlp_splash *splash, dlp_string *scene)
{
    for (int32_t k = 0; k < splash->fluid_count; k++) {
        const dlp_splash_fluid *fluid = &splash->fluids[k];
        dlp_string_add(scene, "  %s:\n", fluid->name);
        write_material(splash, fluid, scene);
        write_color(k, scene);
        dlp_string_add(scene, "    particle: {spacing: ");
        dlp_convert_add_number(scene, 2 * splash->radius);
        dlp_string_add(scene, "}\n");
        if (dlp_length(fluid->velocity) > 0) {
            dlp_string_add(scene, "    velocity: ");
            dlp_convert_add_vector(scene, fluid->velocity, splash->dimension);
            dlp_string_add(scene, "\n");
        }
        if (fluid->shape_count > 0)
            dlp_string_add(scene, "    shape:\n      union:\n%s",
                           fluid->shapes.data != NULL ? fluid->shapes.data : "");
    }
}
