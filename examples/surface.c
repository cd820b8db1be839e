/* The surface of a substance as a vertex and an index buffer, as a renderer takes them, and as a file. */
#include "example.h"

static const char scene[] =
    "{\"frames\": {\"rate\": 50, \"count\": 10}, \"substances\": {\"jelly\": {\"material\": \"water\","
    "\"particle\": {\"spacing\": 0.02}, \"shape\": {\"sphere\": {\"radius\": 0.1}}}},"
    "\"surface\": {\"kind\": \"active\"}}";

typedef struct vertex {
    float position[3], normal[3];
} vertex;

static vertex *make_vertices(const dlp_surface_view *surface)
{
    vertex *buffer = malloc((size_t)surface->vertex_count * sizeof *buffer);
    for (int32_t k = 0; buffer != NULL && k < surface->vertex_count; k++) {
        const dlp_vec3 x = surface->vertices[k];
        buffer[k] = (vertex){.position = {(float)x.x, (float)x.y, (float)x.z}};
        memcpy(buffer[k].normal, surface->normals + 3 * (size_t)k, sizeof buffer[k].normal);
    }
    return buffer;
}

int main(int argc, char **argv)
{
    dlp_skin *skin = NULL;
    dlp_world *world = world_of(scene, NULL);
    EXPECT(dlp_skin_create(world, &skin, &error));
    EXPECT(dlp_skin_update(skin, &error)); /* once at the start, once after every frame */
    for (int frame = 0; frame < 3; frame++) {
        EXPECT(dlp_world_step_frame(world, &error));
        EXPECT(dlp_skin_update(skin, &error));
        dlp_surface_view surface = {.size = sizeof surface};
        EXPECT(dlp_skin_surface(skin, 0, &surface, &error));
        vertex *vertices = make_vertices(&surface);
        const int32_t *indices = &surface.triangles[0][0]; /* three per triangle: upload both */
        printf("t = %.2f s: %d vertices, %d triangles, the first of corner %d; volume %.1f cm3\n",
               dlp_world_time(world), surface.vertex_count, surface.triangle_count, indices[0],
               1e6 * surface.volume);
        free(vertices);
    }
    if (argc > 1) EXPECT(dlp_skin_write(skin, 0, argv[1], &error)); /* .ply, .obj, .stl, .glb */
    dlp_skin_destroy(skin);
    dlp_world_destroy(world);
    return 0;
}
