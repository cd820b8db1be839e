// Writes glTF 2.0 in one binary file:
//
//   "glTF", version 2, length of the file           12 bytes
//   length, "JSON", the head, padded with spaces    nodes, meshes, accessors, buffer views, animation
//   length, "BIN", the numbers                      key frames, then frame after frame: positions, normals,
//                                                   velocities, temperatures, colours, indices
//
// There is one accessor and one buffer view per array, in the order of the numbers. The head is built from
// counts and bounds alone, so that a film can be written with one mesh in memory at a time. Velocities and
// temperatures are attributes of our own, _VELOCITY and _TEMPERATURE, as the specification allows.
#include "record/format.h"
#include "record/mesh_glb.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

// Names and numbers of the specification: https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html
enum { FLOAT = 5126, UNSIGNED_INT = 5125, UNSIGNED_SHORT = 5123, ARRAY = 34962, INDICES = 34963 };
static const uint32_t magic = 0x46546C67, json_chunk = 0x4E4F534A, binary_chunk = 0x004E4942;

// A vector in glTF's axes, where y is up.
static dlp_vec3 to_y_up(dlp_vec3 x)
{
    return dlp_vec(x.x, x.z, -x.y);
}

// Bounds are those of the floats that are written. NaN becomes a bound and is refused by check_frames.
dlp_glb_frame dlp_glb_frame_of(const dlp_surface_mesh *mesh, int32_t number)
{
    dlp_glb_frame frame = {.number = number,
                           .vertex_count = mesh->mesh.vertex_count,
                           .triangle_count = mesh->mesh.triangle_count,
                           .has_temperatures = mesh->temperatures != NULL,
                           .has_colors = mesh->colors != NULL};
    for (int32_t v = 0; v < mesh->mesh.vertex_count; v++) {
        const dlp_vec3 x = to_y_up(mesh->mesh.vertices[v]);
        for (int32_t k = 0; k < 3; k++) {
            const float value = (float)dlp_component(x, k);
            frame.min[k] = v == 0 || !(value >= frame.min[k]) ? value : frame.min[k];
            frame.max[k] = v == 0 || !(value <= frame.max[k]) ? value : frame.max[k];
        }
    }
    return frame;
}

// glTF allows no empty accessors, so such a mesh is left out.
static bool is_empty(const dlp_glb_frame *frame)
{
    return frame->triangle_count == 0 || frame->vertex_count == 0;
}

// The head: arrays of JSON objects that grow side by side, joined at the end.
typedef struct head {
    dlp_string nodes, meshes, accessors, views, samplers, channels, text;
    int32_t accessor_count, mesh_count;
    uint64_t size;  // bytes of the binary chunk so far: the offset of the next array
} head;

static void release_head(head *h)
{
    dlp_string *const all[] = {&h->nodes,    &h->meshes,   &h->accessors, &h->views,
                               &h->samplers, &h->channels, &h->text};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) dlp_string_release(all[k]);
}

// Before an entry that is not the first.
static const char *comma(const dlp_string *list)
{
    return list->length > 0 ? "," : "";
}

// One array of the binary chunk, and how it is to be read.
typedef struct accessor {
    const char *type;  // "VEC3"
    int32_t component_type, count;
    uint64_t item_size;  // bytes
    int32_t target;      // of its view: what the array is for; 0: not said
    bool is_normalized;
    const float *min, *max;  // `range_length` numbers each, or NULL; borrowed
    int32_t range_length;
} accessor;

// Nine digits: the bounds must equal the floats that are written.
static void add_range(dlp_string *text, const char *name, const float *values, int32_t count)
{
    dlp_string_add(text, ",\"%s\":[", name);
    for (int32_t k = 0; k < count; k++) {
        if (k > 0) dlp_string_add(text, ",");
        dlp_format_number(text, (double)values[k], 9);
    }
    dlp_string_add(text, "]");
}

// Each accessor has a view of its own, with the same index; returns that index. Sizes are multiples of four,
// as alignment asks.
static int32_t add_accessor(head *h, const accessor *a)
{
    const uint64_t size = (uint64_t)a->count * a->item_size;
    dlp_string_add(&h->views, "%s{\"buffer\":0,\"byteOffset\":%" PRIu64 ",\"byteLength\":%" PRIu64,
                   comma(&h->views), h->size, size);
    if (a->target != 0) dlp_string_add(&h->views, ",\"target\":%d", a->target);
    dlp_string_add(&h->views, "}");
    dlp_string_add(&h->accessors, "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"%s\"",
                   comma(&h->accessors), h->accessor_count, a->component_type, a->count, a->type);
    if (a->is_normalized) dlp_string_add(&h->accessors, ",\"normalized\":true");
    if (a->min != NULL) add_range(&h->accessors, "min", a->min, a->range_length);
    if (a->max != NULL) add_range(&h->accessors, "max", a->max, a->range_length);
    dlp_string_add(&h->accessors, "}");
    h->size += size;
    return h->accessor_count++;
}

static int32_t add_vectors(head *h, int32_t count)
{
    return add_accessor(h, &(accessor){"VEC3", FLOAT, count, 12, ARRAY, false, NULL, NULL, 0});
}

// The order of the accessors is the order in which dlp_glb_put_mesh writes.
static void add_mesh(head *h, const dlp_glb_frame *frame, const char *name)
{
    const int32_t count = frame->vertex_count;
    const int32_t position =
        add_accessor(h, &(accessor){"VEC3", FLOAT, count, 12, ARRAY, false, frame->min, frame->max, 3});
    const int32_t normal = add_vectors(h, count), velocity = add_vectors(h, count);
    dlp_string_add(&h->meshes, "%s{\"name\":\"%s\",\"primitives\":[{\"attributes\":{", comma(&h->meshes),
                   name);
    dlp_string_add(&h->meshes, "\"POSITION\":%d,\"NORMAL\":%d,\"_VELOCITY\":%d", position, normal, velocity);
    if (frame->has_temperatures)
        dlp_string_add(&h->meshes, ",\"_TEMPERATURE\":%d",
                       add_accessor(h, &(accessor){"SCALAR", FLOAT, count, 4, ARRAY, false, NULL, NULL, 0}));
    if (frame->has_colors)
        dlp_string_add(
            &h->meshes, ",\"COLOR_0\":%d",
            add_accessor(h, &(accessor){"VEC4", UNSIGNED_SHORT, count, 8, ARRAY, true, NULL, NULL, 0}));
    const int32_t indices = add_accessor(
        h, &(accessor){"SCALAR", UNSIGNED_INT, 3 * frame->triangle_count, 4, INDICES, false, NULL, NULL, 0});
    dlp_string_add(&h->meshes, "},\"indices\":%d,\"material\":%d}]}", indices, frame->has_colors ? 1 : 0);
    h->mesh_count++;
}

// When a frame of a film is seen: times (s) with the scale that holds from there on.
typedef struct keys {
    int32_t count;
    float times[3], scales[3];
} keys;

// A frame is shown from its own time to that of the next recorded one; the first one from the start, and the
// last one stays.
static keys keys_of(const dlp_glb *glb, int32_t k)
{
    const int32_t last = glb->frame_count - 1;
    const int32_t step = last > 0 ? glb->frames[last].number - glb->frames[last - 1].number : 1;
    const int32_t end = k < last ? glb->frames[k + 1].number : glb->frames[k].number + step;
    keys list = {0};
    if (k > 0) list.count = 1;  // hidden from the start
    list.times[list.count] = (float)(glb->frames[k].number / glb->frame_rate);
    list.scales[list.count++] = 1;
    list.times[list.count] = (float)(end / glb->frame_rate);
    list.scales[list.count++] = k < last ? 0 : 1;  // the last one stays
    return list;
}

// The animation of one node: its scale is 0 or 1, stepped.
static void add_channel(head *h, const dlp_glb *glb, int32_t k)
{
    const keys list = keys_of(glb, k);
    const int32_t input = add_accessor(
        h, &(accessor){"SCALAR", FLOAT, list.count, 4, 0, false, list.times, &list.times[list.count - 1], 1});
    const int32_t output =
        add_accessor(h, &(accessor){"VEC3", FLOAT, list.count, 12, 0, false, NULL, NULL, 0});
    dlp_string_add(&h->samplers, "%s{\"input\":%d,\"output\":%d,\"interpolation\":\"STEP\"}",
                   comma(&h->samplers), input, output);
    dlp_string_add(&h->channels, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"scale\"}}",
                   comma(&h->channels), k, k);
}

// A node per frame; all but the first start hidden, so that programs without animation show the first.
static void add_frame(head *h, const dlp_glb *glb, int32_t k)
{
    const dlp_glb_frame *frame = &glb->frames[k];
    const bool is_film = glb->frame_rate > 0;
    char name[32] = "surface";
    if (is_film) snprintf(name, sizeof name, "surface-%04" PRId32, frame->number);
    dlp_string_add(&h->nodes, "%s{\"name\":\"%s\"", comma(&h->nodes), name);
    if (!is_empty(frame)) {
        dlp_string_add(&h->nodes, ",\"mesh\":%d", h->mesh_count);
        add_mesh(h, frame, name);
    }
    dlp_string_add(&h->nodes, "%s}", is_film && k > 0 ? ",\"scale\":[0,0,0]" : "");
}

// A list may not be empty in glTF: it is left out.
static void add_list(dlp_string *text, const char *name, const dlp_string *list)
{
    if (list->length > 0) dlp_string_add(text, ",\"%s\":[%s]", name, list->data);
}

// Vertex colours are multiplied with the material's colour: it is white where they are there.
static void add_materials(dlp_string *text)
{
    static const char *const names[] = {"surface", "coloured surface"};
    static const char *const shades[] = {"0.8,0.8,0.8,1", "1,1,1,1"};
    dlp_string_add(text, ",\"materials\":[");
    for (int32_t k = 0; k < 2; k++)
        dlp_string_add(text,
                       "%s{\"name\":\"%s\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[%s],"
                       "\"metallicFactor\":0,\"roughnessFactor\":0.35}}",
                       k > 0 ? "," : "", names[k], shades[k]);
    dlp_string_add(text, "]");
}

// Padded with spaces to a multiple of four bytes, as a chunk must be.
static void join_head(head *h, const dlp_glb *glb)
{
    dlp_string *text = &h->text;
    dlp_string_add(text, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"" DLP_MESH_GENERATOR "\"},"
                         "\"scene\":0,\"scenes\":[{\"nodes\":[");
    for (int32_t k = 0; k < glb->frame_count; k++) dlp_string_add(text, "%s%d", k > 0 ? "," : "", k);
    dlp_string_add(text, "],\"extras\":{\"time\":");
    dlp_format_number(text, glb->time, 9);
    dlp_string_add(text, "}}]");
    add_list(text, "nodes", &h->nodes);
    add_list(text, "meshes", &h->meshes);
    if (h->mesh_count > 0) add_materials(text);
    add_list(text, "accessors", &h->accessors);
    add_list(text, "bufferViews", &h->views);
    if (h->size > 0) dlp_string_add(text, ",\"buffers\":[{\"byteLength\":%" PRIu64 "}]", h->size);
    if (h->channels.length > 0)
        dlp_string_add(text, ",\"animations\":[{\"name\":\"film\",\"samplers\":[%s],\"channels\":[%s]}]",
                       h->samplers.data, h->channels.data);
    dlp_string_add(text, "}");
    while (text->length % 4 != 0 && !text->has_failed) dlp_string_add(text, " ");
}

// Key frames come first in the binary chunk, then the meshes.
static dlp_status build_head(head *h, const dlp_glb *glb, dlp_error *error)
{
    if (glb->frame_rate > 0)
        for (int32_t k = 0; k < glb->frame_count; k++) add_channel(h, glb, k);
    for (int32_t k = 0; k < glb->frame_count; k++) add_frame(h, glb, k);
    join_head(h, glb);
    const dlp_string *const all[] = {&h->nodes,    &h->meshes,   &h->accessors, &h->views,
                                     &h->samplers, &h->channels, &h->text};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) DLP_TRY(dlp_format_check(all[k], "glTF", error));
    const uint64_t total = 28 + (uint64_t)h->text.length + h->size;
    if (total > UINT32_MAX)
        return dlp_fail(error, DLP_INVALID,
                        "%.1f GB of meshes; a glTF file holds at most 4.3: write fewer frames, or PLY files",
                        1e-9 * (double)total);
    return DLP_OK;
}

// A bound that is not finite would not be JSON.
static dlp_status check_frames(const dlp_glb *glb, dlp_error *error)
{
    for (int32_t k = 0; k < glb->frame_count; k++)
        for (int32_t axis = 0; axis < 3; axis++)
            if (!isfinite(glb->frames[k].min[axis]) || !isfinite(glb->frames[k].max[axis]))
                return dlp_fail(error, DLP_INVALID, "a vertex of frame %d is not finite; all must be",
                                glb->frames[k].number);
    return DLP_OK;
}

static void put_chunk_head(dlp_mesh_out *out, uint64_t size, uint32_t kind)
{
    const uint32_t words[2] = {(uint32_t)size, kind};
    dlp_mesh_put(out, words, sizeof words);
}

// In the order of add_channel: times, then scales of each frame.
static void put_keys(dlp_mesh_out *out, const dlp_glb *glb)
{
    for (int32_t k = 0; k < glb->frame_count; k++) {
        const keys list = keys_of(glb, k);
        dlp_mesh_put(out, list.times, (size_t)list.count * sizeof(float));
        for (int32_t i = 0; i < list.count; i++) {
            const float scale[3] = {list.scales[i], list.scales[i], list.scales[i]};
            dlp_mesh_put(out, scale, sizeof scale);
        }
    }
}

// The length of the file counts both chunks and their heads; the text's length is a multiple of four.
static void put_head(dlp_mesh_out *out, const head *h)
{
    assert(h->text.length % 4 == 0);
    const uint32_t words[3] = {magic, 2, (uint32_t)(20 + h->text.length + (h->size > 0 ? 8 + h->size : 0))};
    dlp_mesh_put(out, words, sizeof words);
    put_chunk_head(out, h->text.length, json_chunk);
    for (size_t k = 0; k < h->text.length; k += 4) dlp_mesh_put(out, h->text.data + k, 4);
    if (h->size > 0) put_chunk_head(out, h->size, binary_chunk);
}

dlp_status dlp_glb_put_head(dlp_mesh_out *out, const dlp_glb *glb, dlp_error *error)
{
    DLP_TRY(check_frames(glb, error));
    head h = {0};
    const dlp_status status = build_head(&h, glb, error);
    if (status == DLP_OK) {
        put_head(out, &h);
        if (glb->frame_rate > 0) put_keys(out, glb);
    }
    release_head(&h);
    return status;
}

// From z up to y up, as turn does.
static void put_vectors(dlp_mesh_out *out, const float *vectors, int32_t count)
{
    for (size_t v = 0; v < (size_t)count; v++) {
        const float turned[3] = {vectors[3 * v], vectors[3 * v + 2], -vectors[3 * v + 1]};
        dlp_mesh_put(out, turned, sizeof turned);
    }
}

// sRGB to linear light, which is what glTF's colours are. (IEC 61966-2-1)
static uint16_t linear_of(float share)
{
    const float s = fminf(fmaxf(share, 0), 1);
    const float light = s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f);
    return (uint16_t)lroundf(65535 * light);
}

// Opacity is 1: a fourth component keeps entries a multiple of four bytes.
static void put_colors(dlp_mesh_out *out, const float *colors, int32_t count)
{
    for (size_t v = 0; v < (size_t)count; v++) {
        const uint16_t color[4] = {linear_of(colors[3 * v]), linear_of(colors[3 * v + 1]),
                                   linear_of(colors[3 * v + 2]), UINT16_MAX};
        dlp_mesh_put(out, color, sizeof color);
    }
}

// The order of add_mesh; nothing where the mesh is empty.
void dlp_glb_put_mesh(dlp_mesh_out *out, const dlp_surface_mesh *mesh)
{
    const int32_t count = mesh->mesh.vertex_count;
    if (count == 0 || mesh->mesh.triangle_count == 0) return;
    for (int32_t v = 0; v < count; v++) {
        const dlp_vec3 x = to_y_up(mesh->mesh.vertices[v]);
        const float position[3] = {(float)x.x, (float)x.y, (float)x.z};
        dlp_mesh_put(out, position, sizeof position);
    }
    put_vectors(out, mesh->normals, count);
    put_vectors(out, mesh->velocities, count);
    for (int32_t v = 0; mesh->temperatures != NULL && v < count; v++)
        dlp_mesh_put(out, &mesh->temperatures[v], sizeof(float));
    if (mesh->colors != NULL) put_colors(out, mesh->colors, count);
    for (int32_t t = 0; t < mesh->mesh.triangle_count; t++)
        dlp_mesh_put(out, mesh->mesh.triangles[t], 3 * sizeof(int32_t));
}

// A single mesh, without animation.
dlp_status dlp_mesh_put_glb(dlp_mesh_out *out, const dlp_surface_mesh *mesh, double time, dlp_error *error)
{
    const dlp_glb_frame frame = dlp_glb_frame_of(mesh, 0);
    DLP_TRY(dlp_glb_put_head(out, &(dlp_glb){&frame, 1, 0, isfinite(time) ? time : 0}, error));
    dlp_glb_put_mesh(out, mesh);
    return DLP_OK;
}
