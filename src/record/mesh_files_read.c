// Reads surfaces back. A PLY is read twice: by space/mesh, which knows vertices and triangles, and here, for
// the attributes of the vertices.
#include "base/memory.h"
#include "record/mesh_glb.h"
#include "space/mesh_parse.h"
#include "space/ply.h"

#include <math.h>
#include <string.h>

// What a vertex of a PLY file may have beside its position, as columns of a row.
enum { NORMAL = 0, VELOCITY = 3, TEMPERATURE = 6, COLOR = 7, COLUMN_COUNT = 10 };
// Names that programs give them; the first that is there counts.
static const char *const column_names[COLUMN_COUNT] = {
    "nx|normal_x",   "ny|normal_y", "nz|normal_z",       "vx|velocity_x",         "vy|velocity_y",
    "vz|velocity_z", "temperature", "red|r|diffuse_red", "green|g|diffuse_green", "blue|b|diffuse_blue"};

// Which columns a file has, and where.
typedef struct file_columns {
    int32_t of_property[DLP_PLY_PROPERTY_LIMIT];  // the column a property goes to, or -1
    bool has_normals, has_velocities, has_temperatures, has_colors;
    double color_scale;  // the value of full light in the file
} file_columns;

// An attribute counts only where all its components are there.
static bool has_all(const int32_t *places, int32_t first, int32_t count)
{
    bool has = true;
    for (int32_t k = first; k < first + count; k++) has = has && places[k] >= 0;
    return has;
}

// Lists are no attributes. Colours are 0..255 or 0..65535 where they are whole numbers without sign, else
// 0..1.
static file_columns find_columns(const dlp_ply_element *element)
{
    file_columns c = {.color_scale = 1};
    int32_t places[COLUMN_COUNT];
    for (int32_t p = 0; p < element->property_count; p++) c.of_property[p] = -1;
    for (int32_t k = 0; k < COLUMN_COUNT; k++) {
        places[k] = dlp_ply_find(element, column_names[k]);
        if (places[k] >= 0 && element->properties[places[k]].count_type != DLP_PLY_NONE) places[k] = -1;
        if (places[k] >= 0) c.of_property[places[k]] = k;
    }
    c.has_normals = has_all(places, NORMAL, 3);
    c.has_velocities = has_all(places, VELOCITY, 3);
    c.has_temperatures = has_all(places, TEMPERATURE, 1);
    c.has_colors = has_all(places, COLOR, 3);
    if (c.has_colors) {
        const dlp_ply_type type = element->properties[places[COLOR]].type;
        c.color_scale = type == DLP_PLY_UINT8 ? 255 : type == DLP_PLY_UINT16 ? 65535 : 1;
    }
    return c;
}

// One vertex: every property in the order of the file, those without a column skipped.
static dlp_status read_row(dlp_ply *ply, const dlp_ply_element *element, const file_columns *c,
                           double out_values[COLUMN_COUNT], dlp_error *error)
{
    for (int32_t p = 0; p < element->property_count; p++) {
        const dlp_ply_property *property = &element->properties[p];
        if (c->of_property[p] >= 0)
            DLP_TRY(dlp_ply_number(ply, property->type, &out_values[c->of_property[p]], error));
        else
            DLP_TRY(dlp_ply_skip(ply, property, error));
    }
    return DLP_OK;
}

static dlp_status fail_room(const dlp_mesh *mesh, dlp_error *error)
{
    return dlp_fail(error, DLP_OUT_OF_MEMORY, "mesh: attributes of %d vertices", mesh->vertex_count);
}

// Normals and velocities always, zeroed; the others where the file has them.
static dlp_status make_room(dlp_surface_mesh *mesh, const file_columns *c, dlp_error *error)
{
    const size_t count = (size_t)mesh->mesh.vertex_count;
    mesh->normals = dlp_alloc(3 * count, sizeof(float), "mesh");
    mesh->velocities = dlp_alloc(3 * count, sizeof(float), "mesh");
    if (c->has_temperatures) mesh->temperatures = dlp_alloc(count, sizeof(float), "mesh");
    if (c->has_colors) mesh->colors = dlp_alloc(3 * count, sizeof(float), "mesh");
    const bool has_room = mesh->normals != NULL && mesh->velocities != NULL &&
                          (!c->has_temperatures || mesh->temperatures != NULL) &&
                          (!c->has_colors || mesh->colors != NULL);
    return has_room ? DLP_OK : fail_room(&mesh->mesh, error);
}

// Values that the file lacks are zero.
static void store_row(dlp_surface_mesh *mesh, const file_columns *c, size_t v,
                      const double values[COLUMN_COUNT])
{
    for (size_t k = 0; k < 3; k++) {
        mesh->normals[3 * v + k] = (float)values[NORMAL + k];
        mesh->velocities[3 * v + k] = c->has_velocities ? (float)values[VELOCITY + k] : 0;
        if (c->has_colors) mesh->colors[3 * v + k] = (float)(values[COLOR + k] / c->color_scale);
    }
    if (c->has_temperatures) mesh->temperatures[v] = (float)values[TEMPERATURE];
}

// Normals are computed after all rows, where the file has none.
static dlp_status read_attributes(dlp_ply *ply, const dlp_ply_element *element, dlp_surface_mesh *mesh,
                                  dlp_error *error)
{
    const file_columns c = find_columns(element);
    DLP_TRY(make_room(mesh, &c, error));
    for (int32_t row = 0; row < element->count; row++) {
        double values[COLUMN_COUNT] = {0};
        DLP_TRY(read_row(ply, element, &c, values, error));
        store_row(mesh, &c, (size_t)row, values);
    }
    return c.has_normals ? DLP_OK : dlp_surface_mesh_compute_normals(mesh, error);
}

// The element of the vertices once more, for what the mesh itself does not hold.
static dlp_status find_attributes(dlp_ply *ply, dlp_surface_mesh *mesh, dlp_error *error)
{
    for (int32_t k = 0; k < ply->element_count; k++) {
        const dlp_ply_element *element = &ply->elements[k];
        if (strcmp(element->name, "vertex") != 0)
            DLP_TRY(dlp_ply_skip_element(ply, element, error));
        else if (element->count == mesh->mesh.vertex_count)
            return read_attributes(ply, element, mesh, error);
        else
            return dlp_fail(error, DLP_IO, "its vertices are in several elements; they must be in one");
    }
    return DLP_OK;
}

// Later passes rely on finite positions.
static dlp_status check_vertices(const dlp_mesh *mesh, dlp_error *error)
{
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        if (!dlp_is_finite3(mesh->vertices[v]))
            return dlp_fail(error, DLP_IO, "vertex %d is not finite; all must be", v + 1);
    return DLP_OK;
}

// Messages have no path: the caller adds it.
static dlp_status parse_ply(dlp_bytes bytes, dlp_ply *ply, dlp_surface_mesh *mesh, dlp_error *error)
{
    DLP_TRY(dlp_mesh_parse_ply(bytes, &mesh->mesh, error));
    DLP_TRY(check_vertices(&mesh->mesh, error));
    DLP_TRY(dlp_ply_open(ply, bytes, error));
    return find_attributes(ply, mesh, error);
}

// The reader's state is too large for the stack.
dlp_status dlp_surface_mesh_parse_ply(dlp_bytes bytes, dlp_surface_mesh *out_mesh, dlp_error *error)
{
    *out_mesh = (dlp_surface_mesh){0};
    dlp_ply *ply = dlp_alloc(1, sizeof *ply, "mesh");
    if (ply == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "mesh: %zu bytes", sizeof *ply);
    const dlp_status status = parse_ply(bytes, ply, out_mesh, error);
    dlp_free(ply);
    if (status != DLP_OK) dlp_surface_mesh_release(out_mesh);
    return status;
}

static dlp_status read_ply(const char *path, dlp_surface_mesh *mesh, dlp_error *error)
{
    dlp_bytes bytes;
    DLP_TRY(dlp_file_load(path, &bytes, error));
    const dlp_status status = dlp_surface_mesh_parse_ply(bytes, mesh, error);
    dlp_file_release(&bytes);
    return status == DLP_OK ? DLP_OK : dlp_fail_at(error, status, "%s", path);
}

// OBJ and STL: positions and triangles alone.
static dlp_status read_other(const char *path, dlp_surface_mesh *mesh, dlp_error *error)
{
    DLP_TRY(dlp_mesh_read(path, &mesh->mesh, error));
    DLP_TRY(make_room(mesh, &(file_columns){0}, error));
    return dlp_surface_mesh_compute_normals(mesh, error);
}

// A film has several meshes, and none of them is the one that was meant.
static dlp_status read_glb(const char *path, dlp_surface_mesh *mesh, dlp_error *error)
{
    dlp_glb_file file;
    DLP_TRY(dlp_glb_open(path, &file, error));
    dlp_status status = DLP_OK;
    if (file.mesh_count == 1)
        status = dlp_glb_read_mesh(&file, 0, mesh, error);
    else
        status = dlp_fail(error, DLP_IO, "has %d meshes; must have one", file.mesh_count);
    dlp_glb_close(&file);
    return status == DLP_OK ? DLP_OK : dlp_fail_at(error, status, "%s", path);
}

dlp_status dlp_surface_mesh_read(const char *path, dlp_surface_mesh *out_mesh, dlp_error *error)
{
    *out_mesh = (dlp_surface_mesh){0};
    if (dlp_path_ends(path, ".ply")) return read_ply(path, out_mesh, error);
    if (dlp_path_ends(path, ".glb")) return read_glb(path, out_mesh, error);
    const dlp_status status = read_other(path, out_mesh, error);
    if (status != DLP_OK) dlp_surface_mesh_release(out_mesh);
    return status;
}
