// Reads glTF files of ours and of other programs. Nothing in a file is trusted: every index, offset and count
// is checked against what is there before it is used.
#include "base/memory.h"
#include "record/mesh_glb.h"
#include "scene/scene_text.h"

#include <math.h>

// Little endian, at any alignment.
static uint32_t read_word(const char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

// A whole number of a map; `otherwise` where it is not there or the map is NULL; -1 where it is no whole
// number.
static int64_t whole_number(const dlp_node *map, const char *key, int64_t otherwise)
{
    const dlp_node *node = map != NULL && map->kind == DLP_NODE_MAP ? dlp_node_find(map, key) : NULL;
    double value;
    int64_t number;
    if (node == NULL) return otherwise;
    if (node->kind != DLP_NODE_SCALAR || !dlp_number_read(node->text, &value) ||
        !dlp_whole_number(value, 0, UINT32_MAX, &number))
        return -1;
    return number;
}

// The list under a key; NULL where there is none.
static const dlp_node *list_of(const dlp_node *map, const char *key)
{
    const dlp_node *list = map != NULL && map->kind == DLP_NODE_MAP ? dlp_node_find(map, key) : NULL;
    return list != NULL && list->kind == DLP_NODE_LIST ? list : NULL;
}

// The map at `index` of the list under a key; NULL where there is none.
static const dlp_node *item_of(const dlp_node *map, const char *key, int64_t index)
{
    const dlp_node *list = list_of(map, key);
    if (list == NULL || index < 0 || index >= list->count) return NULL;
    const dlp_node *item = dlp_node_item(list, (int32_t)index);
    return item->kind == DLP_NODE_MAP ? item : NULL;
}

// Entries of the list under a key; 0 where there is none.
static int32_t count_of(const dlp_node *map, const char *key)
{
    const dlp_node *list = list_of(map, key);
    return list != NULL ? list->count : 0;
}

// The two chunks: the head, and the numbers where there are any. 12 bytes of file header, 8 of each chunk's.
static dlp_status find_chunks(dlp_glb_file *file, dlp_bytes *out_head, dlp_error *error)
{
    const char *data = file->bytes.data;
    const size_t size = file->bytes.size;
    if (size < 20 || memcmp(data, "glTF", 4) != 0 || read_word(data + 4) != 2)
        return dlp_fail(error, DLP_IO, "not a binary glTF file of version 2");
    const size_t head_size = read_word(data + 12);
    if (memcmp(data + 16, "JSON", 4) != 0 || read_word(data + 8) > size || head_size > size - 20)
        return dlp_fail(error, DLP_IO, "the file is cut short, or its head is damaged");
    *out_head = (dlp_bytes){data + 20, head_size};
    const size_t used = 20 + head_size;
    if (size - used < 8) return DLP_OK;
    const size_t binary_size = read_word(data + used);
    if (memcmp(data + used + 4, "BIN", 4) != 0 || binary_size > size - used - 8)
        return dlp_fail(error, DLP_IO, "the file is cut short: its numbers end before %zu bytes",
                        binary_size);
    file->binary = (dlp_bytes){data + used + 8, binary_size};
    return DLP_OK;
}

// `binary` points into `bytes`; the head is a document of its own.
dlp_status dlp_glb_parse(dlp_bytes bytes, dlp_glb_file *file, dlp_error *error)
{
    *file = (dlp_glb_file){.bytes = bytes};
    dlp_bytes head = {0};
    DLP_TRY(find_chunks(file, &head, error));
    if (dlp_json_read(head.data, head.size, "head", &file->head, error) != DLP_OK)
        return dlp_fail_at(error, DLP_IO, "glTF");
    file->mesh_count = count_of(file->head.root, "meshes");
    file->animation_count = count_of(file->head.root, "animations");
    return DLP_OK;
}

dlp_status dlp_glb_open(const char *path, dlp_glb_file *out_file, dlp_error *error)
{
    *out_file = (dlp_glb_file){0};
    dlp_bytes bytes;
    DLP_TRY(dlp_file_load(path, &bytes, error));
    const dlp_status status = dlp_glb_parse(bytes, out_file, error);
    if (status == DLP_OK) return DLP_OK;
    dlp_glb_close(out_file);
    return dlp_fail_at(error, status, "%s", path);
}

// The head is a document with memory of its own.
void dlp_glb_close(dlp_glb_file *file)
{
    dlp_document_release(&file->head);
    dlp_file_release(&file->bytes);
    *file = (dlp_glb_file){0};
}

// The items of an accessor: tightly packed or with a stride, all within the file. Borrowed from it.
typedef struct items {
    const char *first;
    size_t stride;  // bytes from one to the next
    int32_t count;
    int64_t component_type;
} items;

// Component types of the specification.
enum { FLOAT = 5126, UNSIGNED_BYTE = 5121, UNSIGNED_SHORT = 5123, UNSIGNED_INT = 5125 };

// Bytes; 0 for types that are not read.
static size_t component_size(int64_t type)
{
    return type == FLOAT || type == UNSIGNED_INT ? 4
           : type == UNSIGNED_SHORT              ? 2
           : type == UNSIGNED_BYTE               ? 1
                                                 : 0;
}

// Where the items of an accessor are, `width` components each. All numbers are at most 2^32 and the stride at
// most 252, so that 64 bits hold every product.
static dlp_status place_items(const dlp_glb_file *file, const dlp_node *accessor, size_t width,
                              items *out_items, dlp_error *error)
{
    const dlp_node *view = item_of(file->head.root, "bufferViews", whole_number(accessor, "bufferView", -1));
    const int64_t view_offset = whole_number(view, "byteOffset", 0),
                  length = whole_number(view, "byteLength", -1);
    const int64_t offset = whole_number(accessor, "byteOffset", 0),
                  count = whole_number(accessor, "count", -1);
    const int64_t type = whole_number(accessor, "componentType", -1);
    const int64_t item_size = (int64_t)(width * component_size(type));
    const int64_t stride = whole_number(view, "byteStride", item_size);
    if (view == NULL || view_offset < 0 || length < 0 || offset < 0 || count < 0 || count > INT32_MAX ||
        item_size == 0 || stride < item_size || stride > 252 || whole_number(view, "buffer", 0) != 0)
        return dlp_fail(error, DLP_IO,
                        "an accessor is none that is read: numbers in the file itself, not sparse");
    const int64_t needed = count > 0 ? offset + (count - 1) * stride + item_size : 0;
    if (needed > length || view_offset + length > (int64_t)file->binary.size)
        return dlp_fail(error, DLP_IO, "an accessor reaches beyond the file's numbers");
    *out_items = (items){file->binary.data + view_offset + offset, (size_t)stride, (int32_t)count, type};
    return DLP_OK;
}

// An accessor of three floats each.
static dlp_status find_vectors(const dlp_glb_file *file, int64_t number, items *out_items, dlp_error *error)
{
    const dlp_node *accessor = item_of(file->head.root, "accessors", number);
    const dlp_node *type = accessor != NULL ? dlp_node_find(accessor, "type") : NULL;
    if (type == NULL || type->kind != DLP_NODE_SCALAR || strcmp(type->text, "VEC3") != 0 ||
        whole_number(accessor, "componentType", -1) != FLOAT)
        return dlp_fail(error, DLP_IO, "positions and normals must be vectors of three floats");
    return place_items(file, accessor, 3, out_items, error);
}

// From y up to z up.
static dlp_vec3 vector_at(const items *list, int32_t k)
{
    float x[3];
    memcpy(x, list->first + (size_t)k * list->stride, sizeof x);
    return dlp_vec((double)x[0], -(double)x[2], (double)x[1]);
}

// Indices have one, two or four bytes, without a sign.
static int64_t index_at(const items *list, int32_t k)
{
    const char *at = list->first + (size_t)k * list->stride;
    if (list->component_type == UNSIGNED_INT) return read_word(at);
    uint16_t half;
    if (list->component_type == UNSIGNED_SHORT) {
        memcpy(&half, at, sizeof half);
        return half;
    }
    return *(const unsigned char *)at;
}

// Indices count from the primitive's first vertex, `first` of the mesh.
static dlp_status add_triangles(const items *indices, int32_t first, int32_t vertex_count, dlp_mesh *mesh,
                                dlp_error *error)
{
    for (int32_t k = 0; k + 2 < indices->count; k += 3) {
        int32_t corners[3];
        for (int32_t c = 0; c < 3; c++) {
            const int64_t index = index_at(indices, k + c);
            if (index >= vertex_count)
                return dlp_fail(error, DLP_IO, "a triangle has the corner %lld; there are vertices 0 to %d",
                                (long long)index, vertex_count - 1);
            corners[c] = first + (int32_t)index;
        }
        DLP_TRY(dlp_mesh_add_triangle(mesh, corners[0], corners[1], corners[2], error));
    }
    return DLP_OK;
}

// Primitives without indices are refused: ours have them.
static dlp_status read_indices(const dlp_glb_file *file, const dlp_node *primitive, items *out_items,
                               dlp_error *error)
{
    const dlp_node *accessor = item_of(file->head.root, "accessors", whole_number(primitive, "indices", -1));
    DLP_TRY(place_items(file, accessor, 1, out_items, error));
    if (out_items->component_type == FLOAT)
        return dlp_fail(error, DLP_IO, "indices must be whole numbers without a sign");
    return DLP_OK;
}

// Positions that are not finite are refused: later passes rely on them.
static dlp_status add_positions(const items *positions, dlp_mesh *mesh, dlp_error *error)
{
    for (int32_t k = 0; k < positions->count; k++) {
        const dlp_vec3 x = vector_at(positions, k);
        if (!dlp_is_finite3(x)) return dlp_fail(error, DLP_IO, "vertex %d is not finite; all must be", k + 1);
        DLP_TRY(dlp_mesh_add_vertex(mesh, x, error));
    }
    return DLP_OK;
}

// Points, lines and strips are passed over; triangles are added.
static dlp_status read_primitive(const dlp_glb_file *file, const dlp_node *primitive, dlp_mesh *mesh,
                                 dlp_error *error)
{
    enum { TRIANGLES = 4 };
    if (primitive->kind != DLP_NODE_MAP || whole_number(primitive, "mode", TRIANGLES) != TRIANGLES)
        return DLP_OK;
    const dlp_node *attributes = dlp_node_find(primitive, "attributes");
    items positions, indices;
    DLP_TRY(find_vectors(file, whole_number(attributes, "POSITION", -1), &positions, error));
    DLP_TRY(read_indices(file, primitive, &indices, error));
    const int32_t first = mesh->vertex_count;
    DLP_TRY(add_positions(&positions, mesh, error));
    return add_triangles(&indices, first, positions.count, mesh, error);
}

// Those of the file where the mesh is one primitive and every vertex has one; else those of the triangles.
static dlp_status read_normals(const dlp_glb_file *file, const dlp_node *primitives, dlp_surface_mesh *mesh,
                               dlp_error *error)
{
    DLP_TRY(dlp_surface_mesh_compute_normals(mesh, error));
    if (primitives->count != 1 || primitives->first->kind != DLP_NODE_MAP) return DLP_OK;
    const int64_t number = whole_number(dlp_node_find(primitives->first, "attributes"), "NORMAL", -1);
    if (number < 0) return DLP_OK;
    items normals;
    DLP_TRY(find_vectors(file, number, &normals, error));
    for (int32_t v = 0; normals.count == mesh->mesh.vertex_count && v < normals.count; v++) {
        const dlp_vec3 n = vector_at(&normals, v);
        for (int32_t k = 0; k < 3; k++) mesh->normals[3 * (size_t)v + (size_t)k] = (float)dlp_component(n, k);
    }
    return DLP_OK;
}

// All primitives of a mesh become one; velocities are zero, since their name is our own.
static dlp_status read_mesh(const dlp_glb_file *file, int32_t number, dlp_surface_mesh *mesh,
                            dlp_error *error)
{
    const dlp_node *primitives = list_of(item_of(file->head.root, "meshes", number), "primitives");
    if (primitives == NULL) return dlp_fail(error, DLP_IO, "there is no mesh %d", number);
    for (const dlp_node *p = primitives->first; p != NULL; p = p->next)
        DLP_TRY(read_primitive(file, p, &mesh->mesh, error));
    DLP_TRY(read_normals(file, primitives, mesh, error));
    mesh->velocities = dlp_alloc(3 * (size_t)mesh->mesh.vertex_count, sizeof(float), "mesh");
    if (mesh->velocities == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "mesh: %d vertices", mesh->mesh.vertex_count);
    return DLP_OK;
}

dlp_status dlp_glb_read_mesh(const dlp_glb_file *file, int32_t number, dlp_surface_mesh *out_mesh,
                             dlp_error *error)
{
    *out_mesh = (dlp_surface_mesh){0};
    const dlp_status status = read_mesh(file, number, out_mesh, error);
    if (status != DLP_OK) dlp_surface_mesh_release(out_mesh);
    return status;
}
