// Carries the velocities of a mesh's vertices to the nodes around them.
#include "record/field_velocity.h"
#include "base/memory.h"
#include "skin/band.h"

#include <stdlib.h>
#include <string.h>

// A block and where it stands in the field's list.
typedef struct place {
    int32_t at[3];
    int32_t index;
} place;

// The sums of a field's nodes while vertices are added.
typedef struct velocity_sums {
    const dlp_surface_field *field;
    place *places;      // one per block, ascending; owned
    float *weights;     // one per node; owned
    float *velocities;  // three per node
    double reach;       // cells
} velocity_sums;

static int compare_places(const void *a_item, const void *b_item)
{
    const int32_t *a = ((const place *)a_item)->at, *b = ((const place *)b_item)->at;
    for (int32_t k = 2; k >= 0; k--)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

// Rounds down, for negative numbers too.
static int32_t block_of(int32_t node)
{
    return (node - (node < 0 ? 3 : 0)) / 4;
}

// The first node of the block at these coordinates; -1 where the field has none.
static int64_t first_node(const velocity_sums *s, const int32_t at[3])
{
    const place wanted = {{at[0], at[1], at[2]}, 0};
    const place *found =
        bsearch(&wanted, s->places, (size_t)s->field->block_count, sizeof wanted, compare_places);
    return found != NULL ? (int64_t)found->index * DLP_BLOCK_NODES : -1;
}

// Adds a vertex to the nodes of one block. The weight falls smoothly to zero at the reach.
static void add_to_block(velocity_sums *s, const int32_t at[3], const double x[3], const float velocity[3])
{
    const int64_t first = first_node(s, at);
    if (first < 0) return;
    for (int32_t n = 0; n < DLP_BLOCK_NODES; n++) {
        const double dx = 4 * at[0] + n % 4 - x[0], dy = 4 * at[1] + n / 4 % 4 - x[1],
                     dz = 4 * at[2] + n / 16 - x[2];
        const double share = 1 - (dx * dx + dy * dy + dz * dz) / (s->reach * s->reach);
        if (!(share > 0)) continue;
        const float weight = (float)(share * share);
        const size_t node = (size_t)(first + n);
        s->weights[node] += weight;
        for (size_t k = 0; k < 3; k++) s->velocities[3 * node + k] += weight * velocity[k];
    }
}

static void add_vertex(velocity_sums *s, dlp_vec3 vertex, const float velocity[3])
{
    const double x[3] = {vertex.x / s->field->cell, vertex.y / s->field->cell, vertex.z / s->field->cell};
    int32_t low[3], high[3];
    for (int32_t k = 0; k < 3; k++) {
        low[k] = block_of((int32_t)ceil(x[k] - s->reach));
        high[k] = block_of((int32_t)floor(x[k] + s->reach));
    }
    for (int32_t bz = low[2]; bz <= high[2]; bz++)
        for (int32_t by = low[1]; by <= high[1]; by++)
            for (int32_t bx = low[0]; bx <= high[0]; bx++)
                add_to_block(s, (const int32_t[3]){bx, by, bz}, x, velocity);
}

// Vertices in their order, one after the other: the same bits always.
static void add_all(velocity_sums *s, const dlp_surface_mesh *mesh)
{
    const dlp_surface_field *field = s->field;
    for (int32_t k = 0; k < field->block_count; k++) {
        memcpy(s->places[k].at, field->blocks[k], sizeof s->places[k].at);
        s->places[k].index = k;
    }
    qsort(s->places, (size_t)field->block_count, sizeof *s->places, compare_places);
    for (int32_t v = 0; v < mesh->mesh.vertex_count; v++)
        add_vertex(s, mesh->mesh.vertices[v], mesh->velocities + 3 * (size_t)v);
    for (size_t n = 0; n < (size_t)field->block_count * DLP_BLOCK_NODES; n++)
        for (size_t k = 0; s->weights[n] > 0 && k < 3; k++) s->velocities[3 * n + k] /= s->weights[n];
}

dlp_status dlp_field_velocities(const dlp_surface_field *field, const dlp_surface_mesh *mesh,
                                float **out_velocities, dlp_error *error)
{
    const size_t count = (size_t)field->block_count * DLP_BLOCK_NODES;
    velocity_sums s = {.field = field, .reach = (double)field->width + 1};
    s.places = dlp_alloc((size_t)field->block_count, sizeof *s.places, "surfaces");
    s.weights = dlp_alloc(count, sizeof *s.weights, "surfaces");
    s.velocities = dlp_alloc(3 * count, sizeof *s.velocities, "surfaces");
    const bool has_room = s.places != NULL && s.weights != NULL && s.velocities != NULL;
    if (has_room) add_all(&s, mesh);
    dlp_free(s.places);
    dlp_free(s.weights);
    if (!has_room) {
        dlp_free(s.velocities);
        s.velocities = NULL;
    }
    *out_velocities = s.velocities;
    return has_room ? DLP_OK
                    : dlp_fail(error, DLP_OUT_OF_MEMORY, "surfaces: no room for %zu velocities", count);
}
