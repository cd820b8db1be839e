// Moves an embedded mesh with its particles. The bindings are made in embedded_mesh_bind.c; here every vertex
// mixes the affine maps of its particles.
#include "skin/embedded_mesh.h"
#include "base/memory.h"

#include <assert.h>
#include <string.h>

enum { GRAIN = 512 };  // vertices per piece of a parallel loop

void dlp_embedded_mesh_release(dlp_embedded_mesh *embedded)
{
    dlp_free(embedded->x0);
    dlp_free(embedded->begin);
    dlp_free(embedded->binding_counts);
    dlp_free(embedded->particles);
    dlp_free(embedded->weights);
    dlp_surface_mesh_release(&embedded->deformed);
    *embedded = (dlp_embedded_mesh){0};
}

// Places and velocities.

// All borrowed during one move.
typedef struct move_pass {
    dlp_embedded_mesh *embedded;
    const dlp_solid_map *maps;
    const dlp_particle_view *particles;
} move_pass;

// A map is four arrays of doubles one after another (at, gradient, velocity, rate), so that it can be mixed
// as one array.
enum { MAP_SIZE = sizeof(dlp_solid_map) / sizeof(double) };
_Static_assert(MAP_SIZE == 24, "dlp_solid_map holds other than its four arrays");

// sum w_k map_k over the bindings of a vertex, in their order.
static void mix_maps(const dlp_embedded_mesh *embedded, const dlp_solid_map *maps, int32_t v,
                     dlp_solid_map *out_map)
{
    double sum[MAP_SIZE] = {0};
    for (int32_t n = embedded->begin[v]; n < embedded->begin[v] + embedded->binding_counts[v]; n++) {
        const double weight = embedded->weights[n];
        const double *map = (const double *)&maps[embedded->particles[n]];
        for (int k = 0; k < MAP_SIZE; k++) sum[k] += weight * map[k];
    }
    memcpy(out_map, sum, sizeof sum);
}

// at + slope x, slope by rows.
static dlp_vec3 apply(const double at[3], const double slope[9], dlp_vec3 x)
{
    return dlp_vec(at[0] + (slope[0] * x.x + slope[1] * x.y + slope[2] * x.z),
                   at[1] + (slope[3] * x.x + slope[4] * x.y + slope[5] * x.z),
                   at[2] + (slope[6] * x.x + slope[7] * x.y + slope[8] * x.z));
}

// The bindings count from the first of the solids' particles, the view's temperatures from the first of all.
static float mix_temperatures(const move_pass *pass, int32_t v)
{
    const dlp_embedded_mesh *embedded = pass->embedded;
    const float *temperatures = pass->particles->temperatures + pass->particles->first_solid;
    double sum = 0;
    for (int32_t n = embedded->begin[v]; n < embedded->begin[v] + embedded->binding_counts[v]; n++)
        sum += embedded->weights[n] * (double)temperatures[embedded->particles[n]];
    return (float)sum;
}

static void move_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const move_pass *pass = context;
    dlp_surface_mesh *surface = &pass->embedded->deformed;
    for (int32_t v = begin; v < end; v++) {
        dlp_solid_map map;
        mix_maps(pass->embedded, pass->maps, v, &map);
        surface->mesh.vertices[v] = apply(map.at, map.gradient, pass->embedded->x0[v]);
        const dlp_vec3 velocity = apply(map.velocity, map.rate, pass->embedded->x0[v]);
        surface->velocities[3 * (size_t)v] = (float)velocity.x;
        surface->velocities[3 * (size_t)v + 1] = (float)velocity.y;
        surface->velocities[3 * (size_t)v + 2] = (float)velocity.z;
        if (surface->temperatures != NULL) surface->temperatures[v] = mix_temperatures(pass, v);
    }
}

// Attributes.

// The number of vertices never changes, so that the arrays are allocated once.
static dlp_status make_room(dlp_surface_mesh *surface, const dlp_particle_view *particles, dlp_error *error)
{
    const size_t count = (size_t)surface->mesh.vertex_count;
    if (surface->velocities == NULL) surface->velocities = dlp_alloc(3 * count, sizeof(float), "skin");
    if (surface->temperatures == NULL && particles->temperatures != NULL)
        surface->temperatures = dlp_alloc(count, sizeof(float), "skin");
    if (surface->colors == NULL && particles->colors != NULL)
        surface->colors = dlp_alloc(3 * count, sizeof(float), "skin");
    if (surface->velocities == NULL || (particles->temperatures != NULL && surface->temperatures == NULL) ||
        (particles->colors != NULL && surface->colors == NULL))
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room for %zu vertices", count);
    return DLP_OK;
}

// The colour of the substance at all vertices.
static void paint(dlp_surface_mesh *surface, const float *color)
{
    for (size_t v = 0; v < (size_t)surface->mesh.vertex_count; v++)
        for (size_t c = 0; c < 3; c++) surface->colors[3 * v + c] = color[c];
}

dlp_status dlp_embedded_mesh_move(dlp_embedded_mesh *embedded, const dlp_solid_map *maps,
                                  const dlp_particle_view *particles, dlp_error *error)
{
    assert(embedded->is_made && (maps != NULL || embedded->deformed.mesh.vertex_count == 0));
    assert(particles->colors == NULL || particles->substance >= 0);
    DLP_TRY(make_room(&embedded->deformed, particles, error));
    move_pass pass = {embedded, maps, particles};
    dlp_parallel_for(embedded->team, embedded->deformed.mesh.vertex_count, GRAIN, move_range, &pass);
    if (embedded->deformed.colors != NULL)
        paint(&embedded->deformed, particles->colors + 3 * (size_t)particles->substance);
    embedded->volume = dlp_surface_mesh_volume(&embedded->deformed.mesh);
    embedded->area = dlp_mesh_area(&embedded->deformed.mesh);
    return dlp_surface_mesh_compute_normals(&embedded->deformed, error);
}
