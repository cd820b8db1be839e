/* Single shapes: from a description and its transform to a leaf in world coordinates. Files are read here. */
#include "base/memory.h"
#include "space/shape_tree.h"

// u is level: perpendicular to the world's z, so that a lying axis keeps u in the plane.
dlp_transform dlp_transform_along(dlp_vec3 axis, dlp_vec3 center)
{
    const dlp_vec3 w = dlp_normalize(axis, dlp_vec(0, 0, 1));
    const dlp_vec3 level = dlp_cross(dlp_vec(0, 0, 1), w);
    const dlp_vec3 u = dlp_length(level) > 1e-9 ? dlp_normalize(level, dlp_vec(1, 0, 0)) : dlp_vec(1, 0, 0);
    const dlp_vec3 v = dlp_normalize(dlp_cross(w, u), dlp_vec(0, 1, 0));
    return (dlp_transform){{{u.x, v.x, w.x}, {u.y, v.y, w.y}, {u.z, v.z, w.z}}, center};
}

// Column k of the rotation: body axis k in the world.
static dlp_vec3 column(const dlp_transform *frame, int32_t k)
{
    return dlp_vec(dlp_component(frame->rows[0], k), dlp_component(frame->rows[1], k),
                   dlp_component(frame->rows[2], k));
}

// The body's frame, seen in the world: rotations multiply, the translation is scaled.
static dlp_transform place_transform(const dlp_similarity *similarity, const dlp_transform *body)
{
    dlp_transform frame;
    for (int32_t i = 0; i < 3; i++) {
        const dlp_vec3 row = similarity->frame.rows[i];
        frame.rows[i] = dlp_vec(dlp_dot(row, column(body, 0)), dlp_dot(row, column(body, 1)),
                                dlp_dot(row, column(body, 2)));
    }
    frame.translation = dlp_add(dlp_mul(dlp_rotate(&similarity->frame, body->translation), similarity->scale),
                                similarity->frame.translation);
    return frame;
}

// The body's frame in the description's own coordinates: its middle, and its axis along z.
static dlp_transform unplaced_transform(const dlp_shape_def *def, int32_t dimension)
{
    dlp_transform frame = dlp_transform_identity();
    switch (def->kind) {
    case DLP_SHAPE_CYLINDER:
    case DLP_SHAPE_CAPSULE:
    case DLP_SHAPE_CONE:
        return dlp_transform_along(dlp_sub(def->to, def->from), dlp_mul(dlp_add(def->from, def->to), 0.5));
    case DLP_SHAPE_TORUS:
        return dlp_transform_along(def->axis, def->center);
    case DLP_SHAPE_PLANE:
    case DLP_SHAPE_SHEET: {
        const bool is_given = dlp_length(def->axis) > 0;
        return dlp_transform_along(is_given || dimension == 3 ? def->axis : dlp_vec(0, 1, 0), def->center);
    }
    case DLP_SHAPE_BOX:
        frame.translation = dlp_mul(dlp_add(def->min, def->max), 0.5);
        return frame;
    case DLP_SHAPE_SPHERE:
        frame.translation = def->center;
        return frame;
    case DLP_SHAPE_HEIGHT:
        // In 2-D the heights go along y: the field's z is the world's y, its y the world's -z.
        if (dimension == 2) frame = (dlp_transform){{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}, {0, 0, 0}};
        return frame;
    default:
        return frame;
    }
}

// Fields that the kind does not use are set too, and not read. A sheet is a box.
static void set_sizes(const dlp_shape_def *def, double scale, dlp_shape_node *node)
{
    node->radius = scale * def->radius;
    node->radius_to = scale * (def->kind == DLP_SHAPE_TORUS ? def->tube : def->radius_to);
    node->half_length = scale * dlp_length(dlp_sub(def->to, def->from)) / 2;
    if (def->kind == DLP_SHAPE_BOX) node->half = dlp_mul(dlp_sub(def->max, def->min), scale / 2);
    if (def->kind == DLP_SHAPE_SHEET)
        node->half = dlp_mul(dlp_vec(def->size.x, def->size.y, def->thickness), scale / 2);
}

// Messages begin with the file's name as the scene writes it.
static dlp_status read_mesh(const char *path, const dlp_shape_def *def, dlp_mesh *mesh, dlp_error *error)
{
    dlp_mesh_format format;
    DLP_TRY(dlp_mesh_format_of(path, &format, error));
    dlp_bytes bytes;
    DLP_TRY(dlp_file_load(path, &bytes, error));
    dlp_status status = dlp_mesh_parse(bytes, format, mesh, error);
    dlp_file_release(&bytes);
    if (status == DLP_OK)
        status = dlp_mesh_make_solid(mesh, def->repair ? DLP_HOLES_CLOSE : DLP_HOLES_REFUSE, error);
    return status == DLP_OK ? DLP_OK : dlp_fail_at(error, status, "%s", def->file);
}

// NULL where no file is given; the caller frees it.
static dlp_status find_path(const dlp_shape_def *def, const char *folder, char **out_path, dlp_error *error)
{
    const bool has_file = def->file != NULL && def->file[0] != '\0';
    *out_path = has_file ? dlp_path_join(folder, def->file) : NULL;
    if (has_file && *out_path == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: not enough memory for its name", def->file);
    return DLP_OK;
}

dlp_status dlp_shape_load_mesh(const dlp_shape_def *def, const char *folder, const dlp_similarity *similarity,
                               dlp_mesh *out_mesh, dlp_error *error)
{
    *out_mesh = (dlp_mesh){0};
    char *path;
    DLP_TRY(find_path(def, folder, &path, error));
    const dlp_status status = read_mesh(path, def, out_mesh, error);
    dlp_free(path);
    if (status != DLP_OK) {
        dlp_mesh_release(out_mesh);
        return status;
    }
    // a similarity keeps the mesh a solid: its scale is positive, so that nothing is mirrored
    for (int32_t v = 0; v < out_mesh->vertex_count; v++)
        out_mesh->vertices[v] =
            dlp_to_world(&similarity->frame, dlp_mul(out_mesh->vertices[v], similarity->scale));
    return DLP_OK;
}

// The tree copies what it needs; the mesh itself is released.
static dlp_status build_mesh(const dlp_shape_def *def, int32_t dimension, const char *folder,
                             const dlp_similarity *similarity, dlp_shape_node *node, dlp_error *error)
{
    dlp_mesh mesh;
    DLP_TRY(dlp_shape_load_mesh(def, folder, similarity, &mesh, error));
    const dlp_status status = dlp_mesh_tree_create(&mesh, dimension, &node->mesh, error);
    if (status != DLP_OK) dlp_fail_at(error, status, "%s", def->file);
    dlp_mesh_release(&mesh);
    if (status == DLP_OK) node->bounds = dlp_mesh_tree_bounds(node->mesh);
    return status;
}

// The reader by the file's ending.
static dlp_status load_table(const char *path, dlp_height_table *table, dlp_error *error)
{
    dlp_bytes bytes;
    DLP_TRY(dlp_file_load(path, &bytes, error));
    dlp_status status;
    if (dlp_path_ends(path, ".pgm"))
        status = dlp_height_parse_pgm(bytes, table, error);
    else if (dlp_path_ends(path, ".csv") || dlp_path_ends(path, ".txt"))
        status = dlp_height_parse_numbers(bytes, table, error);
    else
        status = dlp_fail(error, DLP_IO, "unknown kind of height field; .pgm, .csv and .txt are read");
    dlp_file_release(&bytes);
    return status;
}

// The description's own values instead of a file's.
static dlp_status copy_values(const dlp_shape_def *def, dlp_height_table *table, dlp_error *error)
{
    table->columns = def->columns > 0 ? def->columns : def->value_count;
    table->rows = def->value_count / table->columns;
    table->largest = 1;
    table->values = dlp_alloc((size_t)def->value_count, sizeof *table->values, "height");
    if (table->values == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "height: %d values", def->value_count);
    for (int32_t k = 0; k < def->value_count; k++) table->values[k] = def->values[k];
    return DLP_OK;
}

// One column would have no width; rows beyond the first have no place in 2-D.
static dlp_status check_table(const dlp_height_table *table, int32_t dimension, dlp_error *error)
{
    if (table->columns < 2)
        return dlp_fail(error, DLP_INVALID, "height: needs two values a row at least (got %d)",
                        table->columns);
    if (dimension == 2 && table->rows != 1)
        return dlp_fail(error, DLP_INVALID, "height: a 2-D scene needs one row (got %d)", table->rows);
    return DLP_OK;
}

// Values to metres, then the similarity's scale. Where neither low nor high is given the values are metres.
static void scale_table(const dlp_shape_def *def, double scale, dlp_height_table *table)
{
    const bool is_metres = def->low == 0 && def->high == 0;
    const double unit = is_metres ? 1 : (def->high - def->low) / table->largest;
    const int64_t count = (int64_t)table->columns * table->rows;
    for (int64_t k = 0; k < count; k++) table->values[k] = scale * (def->low + unit * table->values[k]);
}

// The node keeps the top in half.z for its bounds.
static dlp_status build_table(const dlp_shape_def *def, int32_t dimension, double scale,
                              dlp_height_table *table, dlp_shape_node *node, dlp_error *error)
{
    DLP_TRY(check_table(table, dimension, error));
    scale_table(def, scale, table);
    // a profile of one row goes on along y: its place there has no meaning
    const bool is_row = table->rows == 1;
    const dlp_box area = {dlp_vec(scale * def->min.x, is_row ? 0 : scale * def->min.y, 0),
                          dlp_vec(scale * def->max.x, is_row ? 0 : scale * def->max.y, 0)};
    DLP_TRY(dlp_height_create(table, area, &node->height, error));
    node->half = dlp_vec(0, 0, dlp_height_top(node->height));
    return DLP_OK;
}

// From a file or from values; a message names the file where there is one.
static dlp_status build_height(const dlp_shape_def *def, int32_t dimension, const char *folder, double scale,
                               dlp_shape_node *node, dlp_error *error)
{
    dlp_height_table table = {0};
    char *path;
    DLP_TRY(find_path(def, folder, &path, error));
    dlp_status status = path != NULL ? load_table(path, &table, error) : copy_values(def, &table, error);
    if (status == DLP_OK) status = build_table(def, dimension, scale, &table, node, error);
    if (status != DLP_OK && path != NULL) dlp_fail_at(error, status, "%s", def->file);
    dlp_height_table_release(&table);
    dlp_free(path);
    return status;
}

// Centred but for the height field and the plane, which have no end below and around.
dlp_box dlp_shape_body_box(const dlp_shape_node *node)
{
    dlp_vec3 half = node->half;
    const double r = node->radius, length = node->half_length;
    switch (node->kind) {
    case DLP_SHAPE_SPHERE:
        half = dlp_vec(r, r, r);
        break;
    case DLP_SHAPE_CYLINDER:
        half = dlp_vec(r, r, length);
        break;
    case DLP_SHAPE_CAPSULE:
        half = dlp_vec(r, r, length + r);
        break;
    case DLP_SHAPE_CONE: {
        const double widest = fmax(r, node->radius_to);
        half = dlp_vec(widest, widest, length);
        break;
    }
    case DLP_SHAPE_TORUS:
        half = dlp_vec(r + node->radius_to, r + node->radius_to, node->radius_to);
        break;
    case DLP_SHAPE_PLANE:
        return (dlp_box){dlp_vec(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL), dlp_vec(HUGE_VAL, HUGE_VAL, 0)};
    case DLP_SHAPE_HEIGHT:
        return (dlp_box){dlp_vec(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL), dlp_vec(HUGE_VAL, HUGE_VAL, half.z)};
    default:
        break;
    }
    return (dlp_box){dlp_mul(half, -1), half};
}

// Bounds come last: flattening may change kind, frame and sizes.
dlp_status dlp_shape_build_leaf(const dlp_shape_def *def, int32_t dimension, const char *folder,
                                const dlp_similarity *similarity, dlp_shape_node *node, dlp_error *error)
{
    node->kind = def->kind == DLP_SHAPE_SHEET ? DLP_SHAPE_BOX : (int32_t)def->kind;
    const dlp_transform body = unplaced_transform(def, dimension);
    node->frame = place_transform(similarity, &body);
    set_sizes(def, similarity->scale, node);
    if (def->kind == DLP_SHAPE_MESH) DLP_TRY(build_mesh(def, dimension, folder, similarity, node, error));
    if (def->kind == DLP_SHAPE_HEIGHT)
        DLP_TRY(build_height(def, dimension, folder, similarity->scale, node, error));
    if (dimension == 2) DLP_TRY(dlp_shape_flatten(node, dlp_shape_name(def->kind), error));
    if (def->kind != DLP_SHAPE_MESH) {
        const dlp_box box = dlp_shape_body_box(node);
        node->bounds = dlp_box_rotated(&node->frame, &box);
    }
    if (dimension == 2) {
        node->bounds.min.z = -HUGE_VAL;
        node->bounds.max.z = HUGE_VAL;
    }
    return DLP_OK;
}

dlp_transform dlp_transform_transposed(const dlp_transform *frame)
{
    return (dlp_transform){{column(frame, 0), column(frame, 1), column(frame, 2)}, {0, 0, 0}};
}

dlp_box dlp_box_endless(void)
{
    return (dlp_box){dlp_vec(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL), dlp_vec(HUGE_VAL, HUGE_VAL, HUGE_VAL)};
}

// The range of row . x for x in the box. A share below 1e-15 is rounding of a zero, which would make an
// infinite edge infinite along other axes too.
static void rotated_range(dlp_vec3 row, const dlp_box *box, double *out_low, double *out_high)
{
    double low = 0, high = 0;
    for (int32_t k = 0; k < 3; k++) {
        const double share = dlp_component(row, k);
        if (fabs(share) < 1e-15) continue;
        const double a = share * dlp_component(box->min, k), b = share * dlp_component(box->max, k);
        low += fmin(a, b);
        high += fmax(a, b);
    }
    *out_low = low;
    *out_high = high;
}

dlp_box dlp_box_rotated(const dlp_transform *frame, const dlp_box *box)
{
    dlp_box rotated;
    rotated_range(frame->rows[0], box, &rotated.min.x, &rotated.max.x);
    rotated_range(frame->rows[1], box, &rotated.min.y, &rotated.max.y);
    rotated_range(frame->rows[2], box, &rotated.min.z, &rotated.max.z);
    return (dlp_box){dlp_add(rotated.min, frame->translation), dlp_add(rotated.max, frame->translation)};
}
