#include "skin/coat.h"
#include "base/memory.h"

#include <string.h>

enum { GRAIN = 512 };

void dlp_coat_release(dlp_coat *coat)
{
    dlp_free(coat->rest);
    dlp_free(coat->begin);
    dlp_free(coat->bond_counts);
    dlp_free(coat->particles);
    dlp_free(coat->weights);
    dlp_skin_mesh_release(&coat->skin);
    *coat = (dlp_coat){0};
}

// ---- places and velocities
// ----------------------------------------------------------------------------------

typedef struct move_pass {
    dlp_coat *coat;
    const dlp_solid_map *maps;
    const dlp_matter *matter;
} move_pass;

// The maps of a vertex's particles, mixed; at, gradient, way and rate stand one after the other.
enum { MAP_SIZE = sizeof(dlp_solid_map) / sizeof(double) };

static void mix_maps(const dlp_coat *coat, const dlp_solid_map *maps, int32_t v, dlp_solid_map *out_map)
{
    double sum[MAP_SIZE] = {0};
    for (int32_t n = coat->begin[v]; n < coat->begin[v] + coat->bond_counts[v]; n++) {
        const double weight = coat->weights[n];
        const double *map = (const double *)&maps[coat->particles[n]];
        for (int k = 0; k < MAP_SIZE; k++) sum[k] += weight * map[k];
    }
    memcpy(out_map, sum, sizeof sum);
}

static dlp_vec3 apply(const double at[3], const double slope[9], dlp_vec3 x)
{
    return dlp_vec(at[0] + (slope[0] * x.x + slope[1] * x.y + slope[2] * x.z),
                   at[1] + (slope[3] * x.x + slope[4] * x.y + slope[5] * x.z),
                   at[2] + (slope[6] * x.x + slope[7] * x.y + slope[8] * x.z));
}

static float mix_temperatures(const move_pass *pass, int32_t v)
{
    const dlp_coat *coat = pass->coat;
    const float *temperatures = pass->matter->temperatures + pass->matter->first_solid;
    double sum = 0;
    for (int32_t n = coat->begin[v]; n < coat->begin[v] + coat->bond_counts[v]; n++)
        sum += coat->weights[n] * (double)temperatures[coat->particles[n]];
    return (float)sum;
}

static void move_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const move_pass *pass = context;
    dlp_skin_mesh *skin = &pass->coat->skin;
    for (int32_t v = begin; v < end; v++) {
        dlp_solid_map map;
        mix_maps(pass->coat, pass->maps, v, &map);
        skin->mesh.vertices[v] = apply(map.at, map.gradient, pass->coat->rest[v]);
        const dlp_vec3 velocity = apply(map.way, map.rate, pass->coat->rest[v]);
        skin->velocities[3 * (size_t)v] = (float)velocity.x;
        skin->velocities[3 * (size_t)v + 1] = (float)velocity.y;
        skin->velocities[3 * (size_t)v + 2] = (float)velocity.z;
        if (skin->temperatures != NULL) skin->temperatures[v] = mix_temperatures(pass, v);
    }
}

// ---- what else is known of a surface
// ----------------------------------------------------------------------------

static dlp_status make_room(dlp_skin_mesh *skin, const dlp_matter *matter, dlp_error *error)
{
    const size_t count = (size_t)skin->mesh.vertex_count;
    if (skin->velocities == NULL) skin->velocities = dlp_alloc(3 * count, sizeof(float), "skin");
    if (skin->temperatures == NULL && matter->temperatures != NULL)
        skin->temperatures = dlp_alloc(count, sizeof(float), "skin");
    if (skin->colors == NULL && matter->colors != NULL)
        skin->colors = dlp_alloc(3 * count, sizeof(float), "skin");
    if (skin->velocities == NULL || (matter->temperatures != NULL && skin->temperatures == NULL) ||
        (matter->colors != NULL && skin->colors == NULL))
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room for %zu vertices", count);
    return DLP_OK;
}

static void paint(dlp_skin_mesh *skin, const float *color)
{
    for (size_t v = 0; v < (size_t)skin->mesh.vertex_count; v++)
        for (size_t c = 0; c < 3; c++) skin->colors[3 * v + c] = color[c];
}

dlp_status dlp_coat_move(dlp_coat *coat, const dlp_solid_map *maps, const dlp_matter *matter,
                         dlp_error *error)
{
    DLP_TRY(make_room(&coat->skin, matter, error));
    move_pass pass = {coat, maps, matter};
    dlp_parallel_for(coat->team, coat->skin.mesh.vertex_count, GRAIN, move_range, &pass);
    if (coat->skin.colors != NULL) paint(&coat->skin, matter->colors + 3 * (size_t)matter->substance);
    coat->volume = dlp_skin_mesh_volume(&coat->skin.mesh);
    coat->area = dlp_mesh_area(&coat->skin.mesh);
    return dlp_skin_mesh_compute_normals(&coat->skin, error);
}
