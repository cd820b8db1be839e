// The surface of one body of particles: creation, the order of the steps in an update, attributes of the
// vertices, and the history. The steps are in surface_field.c, surface_distance.c, surface_active.c and
// march.c.
#include "skin/surface.h"
#include "base/memory.h"
#include "skin/surface_parts.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

dlp_status dlp_surface_create(const dlp_surface_settings *settings, dlp_surface **out_surface,
                              dlp_error *error)
{
    *out_surface = NULL;
    if (!(settings->cell > 0 && settings->spacing > 0 && isfinite(settings->cell)))
        return dlp_fail(error, DLP_INVALID, "surface.cell: must be > 0 (got %g)", settings->cell);
    dlp_surface *surface = dlp_alloc(1, sizeof *surface, "skin");
    const int32_t thread_count = dlp_team_size(settings->team);
    dlp_candidates *candidates = dlp_alloc((size_t)thread_count, sizeof *candidates, "skin");
    if (surface == NULL || candidates == NULL) {
        dlp_free(surface);
        dlp_free(candidates);
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room");
    }
    surface->settings = *settings;
    if (!(settings->iso > 0)) surface->settings.iso = DLP_SURFACE_VOLUME_ISO;
    surface->loops = dlp_surface_loops_of(settings->target);
    surface->candidates = candidates;
    surface->thread_count = thread_count;
    *out_surface = surface;
    return DLP_OK;
}

void dlp_surface_destroy(dlp_surface *surface)
{
    if (surface == NULL) return;
    for (int32_t k = 0; k < surface->thread_count; k++) dlp_candidates_release(&surface->candidates[k]);
    dlp_free(surface->candidates);
    dlp_kernel_bins_release(&surface->bins);
    dlp_kernel_bins_release(&surface->stretched);
    dlp_band_release(&surface->band);
    dlp_band_release(&surface->old_band);
    dlp_free(surface->field);
    dlp_free(surface->motion);
    dlp_free(surface->distance);
    dlp_free(surface->value);
    dlp_free(surface->other);
    dlp_free(surface->old_value);
    dlp_free(surface->fixed);
    dlp_free(surface->curvatures);
    dlp_free(surface->spread_curvatures);
    dlp_marcher_release(&surface->marcher);
    dlp_surface_mesh_release(&surface->mesh);
    dlp_free(surface);
}

// m3, in the order of the bins.
static double sum_rest_volume(const dlp_surface *s)
{
    double volume = 0;
    for (int32_t k = 0; k < s->bins.count; k++) {
        const double radius = (double)s->particles->radii[s->bins.index[k]];
        volume += 4 * DLP_PI / 3 * radius * radius * radius;
    }
    return volume;
}

// This frame's band and field become those of the frame before; the old ones lend their memory to the next.
static void keep_history(dlp_surface *s)
{
    const dlp_band band = s->old_band;
    s->old_band = s->band;
    s->band = band;
    float *const value = s->old_value;
    const int32_t capacity = s->old_capacity;
    s->old_value = s->value;
    s->old_capacity = s->value_capacity;
    s->value = value;
    s->value_capacity = capacity;
    s->has_history = s->old_band.count > 0;
}

static dlp_status march(dlp_surface *s, const float *values, dlp_error *error)
{
    return dlp_march(&s->marcher, &s->band, values, s->settings.cell, s->settings.team, &s->mesh, error);
}

// A surface without history first takes the shape it would have after a while at rest: otherwise it would
// visibly relax during the first frames.
static dlp_status settle(dlp_surface *s, dlp_error *error)
{
    enum { ROUNDS = 4 };
    s->offset = 0;
    for (int32_t k = 0; k < ROUNDS; k++) {
        dlp_surface_settle(s);
        DLP_TRY(march(s, s->value, error));
        dlp_surface_correct_volume(s, s->settings.volume > 0 ? 0.8 : 0);
    }
    return DLP_OK;
}

// The active surface: what it follows, what it was, approach, mesh, and the correction for the next frame.
static dlp_status update_active(dlp_surface *s, dlp_error *error)
{
    DLP_TRY(dlp_surface_find_distance(s, error));
    DLP_TRY(dlp_surface_start(s, error));
    if (!s->has_history) DLP_TRY(settle(s, error));
    dlp_surface_follow(s);
    DLP_TRY(march(s, s->value, error));
    DLP_TRY(dlp_surface_add_attributes(s, error));
    dlp_surface_correct_volume(s, s->settings.volume);
    keep_history(s);
    return DLP_OK;
}

static dlp_status update(dlp_surface *s, dlp_error *error)
{
    DLP_TRY(dlp_surface_sum_field(s, error));
    s->rest_volume = sum_rest_volume(s);
    if (s->settings.kind == DLP_SURFACE_ACTIVE) return update_active(s, error);
    DLP_TRY(march(s, s->field, error));
    return dlp_surface_add_attributes(s, error);
}

dlp_status dlp_surface_update(dlp_surface *surface, const dlp_particle_view *particles, dlp_error *error)
{
    surface->particles = particles;
    const dlp_status status = update(surface, error);
    surface->particles = NULL;
    return status;
}

void dlp_surface_forget(dlp_surface *surface)
{
    dlp_band_clear(&surface->old_band);
    surface->has_history = false;
    surface->offset = surface->shift = 0;
}

// Attributes of the vertices, from the particles around.

// Blocks write to their own vertices.
typedef struct attribute_pass {
    dlp_surface *surface;
    _Atomic bool is_short;  // some thread found no memory; which one does not matter
} attribute_pass;

enum { GROUP = 64 };  // vertices of a block that are interpolated together

// Weighted means; all 0 where no kernel reaches the vertex.
static void put_attributes(dlp_surface_mesh *mesh, int32_t vertex, const float *sums, int32_t stride)
{
    const float scale = sums[0] > 0 ? 1 / sums[0] : 0;
    for (int axis = 0; axis < 3; axis++)
        mesh->velocities[3 * (size_t)vertex + (size_t)axis] = scale * sums[(1 + axis) * stride];
    if (mesh->temperatures != NULL) mesh->temperatures[vertex] = scale * sums[4 * stride];
    for (int axis = 0; axis < 3 && mesh->colors != NULL; axis++)
        mesh->colors[3 * (size_t)vertex + (size_t)axis] = scale * sums[(5 + axis) * stride];
}

// Vertices [begin, end) of one block, seen from its corner.
static void interpolate_group(dlp_surface *s, const dlp_candidates *candidates, const double corner[3],
                              int32_t begin, int32_t end)
{
    assert(begin < end && end - begin <= GROUP);
    float at[3][GROUP] = {{0}}, sums[(DLP_ATTRIBUTE_LIMIT + 1) * GROUP];
    for (int32_t k = begin; k < end; k++) {
        const dlp_vec3 x = dlp_mul(s->mesh.mesh.vertices[k], 1 / s->settings.cell);
        at[0][k - begin] = (float)(x.x - corner[0]);
        at[1][k - begin] = (float)(x.y - corner[1]);
        at[2][k - begin] = (float)(x.z - corner[2]);
    }
    const float *const places[3] = {at[0], at[1], at[2]};
    s->loops.sum_points(candidates, places, end - begin, sums);
    const int32_t stride = (end - begin + 7) / 8 * 8;
    for (int32_t k = begin; k < end; k++) put_attributes(&s->mesh, k, sums + (k - begin), stride);
}

// A vertex lies within a cell of its block's nodes, so the candidates of the block's cube of four cells are
// enough.
static void interpolate_blocks(void *context, int32_t begin, int32_t end, int32_t thread)
{
    attribute_pass *pass = context;
    dlp_surface *s = pass->surface;
    dlp_candidates *candidates = &s->candidates[thread];
    for (int32_t block = begin; block < end; block++) {
        const int32_t first = s->marcher.blocks[block].first_vertex;
        const int32_t last = s->marcher.blocks[block + 1].first_vertex;
        if (first == last) continue;
        const int32_t *at = s->band.blocks[block];
        const double corner[3] = {4.0 * at[0], 4.0 * at[1], 4.0 * at[2]};
        if (dlp_kernel_bins_collect(&s->bins, s->particles, corner, DLP_BLOCK, candidates, NULL) != DLP_OK) {
            atomic_store(&pass->is_short, true);
            return;
        }
        for (int32_t k = first; k < last; k += GROUP)
            interpolate_group(s, candidates, corner, k, k + GROUP < last ? k + GROUP : last);
    }
}

dlp_status dlp_surface_add_attributes(dlp_surface *s, dlp_error *error)
{
    // The arrays have the capacity of the vertices, which may have grown since the last frame.
    const size_t capacity = (size_t)s->mesh.mesh.vertex_capacity;
    dlp_free(s->mesh.velocities);
    dlp_free(s->mesh.temperatures);
    dlp_free(s->mesh.colors);
    s->mesh.temperatures = s->mesh.colors = NULL;
    s->mesh.velocities = dlp_alloc(3 * capacity, sizeof(float), "skin");
    if (s->particles->temperatures != NULL) s->mesh.temperatures = dlp_alloc(capacity, sizeof(float), "skin");
    if (s->particles->colors != NULL) s->mesh.colors = dlp_alloc(3 * capacity, sizeof(float), "skin");
    if (s->mesh.velocities == NULL || (s->particles->temperatures != NULL && s->mesh.temperatures == NULL) ||
        (s->particles->colors != NULL && s->mesh.colors == NULL))
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room for %zu vertices", capacity);
    attribute_pass pass = {.surface = s};
    dlp_parallel_for(s->settings.team, s->band.count, 16, interpolate_blocks, &pass);
    if (atomic_load(&pass.is_short))
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room for the particles around a block");
    return DLP_OK;
}

const dlp_surface_mesh *dlp_surface_mesh_of(const dlp_surface *surface)
{
    return &surface->mesh;
}

double dlp_surface_spacing(const dlp_surface *surface)
{
    return surface->settings.spacing;
}

double dlp_surface_cell(const dlp_surface *surface)
{
    return surface->settings.cell;
}

double dlp_surface_volume(const dlp_surface *surface)
{
    return surface->marcher.volume;
}

double dlp_surface_area(const dlp_surface *surface)
{
    return surface->marcher.area;
}

// After an update the active surface's field is already its history.
dlp_surface_field dlp_surface_band(const dlp_surface *s)
{
    const bool is_active = s->settings.kind == DLP_SURFACE_ACTIVE;
    const dlp_band *band = is_active ? &s->old_band : &s->band;
    return (dlp_surface_field){(const int32_t(*)[3])band->blocks,
                               is_active ? s->old_value : s->field,
                               band->count,
                               is_active ? DLP_BAND_WIDTH : 1,
                               s->settings.cell,
                               is_active ? (float)s->shift : 0};
}

// History.

// Casts away const: the caller writes through it only while loading.
dlp_surface_state dlp_surface_history(const dlp_surface *s)
{
    return (dlp_surface_state){s->old_band.blocks, s->old_value, (double *)&s->offset, s->old_band.count};
}

dlp_status dlp_surface_begin_load(dlp_surface *s, int32_t block_count, dlp_error *error)
{
    dlp_band_clear(&s->old_band);
    DLP_TRY(dlp_reserve(&s->old_band.blocks, &s->old_band.capacity, block_count, sizeof *s->old_band.blocks,
                        "skin", error));
    DLP_TRY(dlp_surface_reserve(&s->old_value, &s->old_capacity, block_count, 1, error));
    s->old_band.count = block_count;
    s->has_history = false;
    return DLP_OK;
}

// Refuses what no surface could have left: such a file was damaged, or made by something else.
static dlp_status check_history(const dlp_surface *s, int32_t block_count, dlp_error *error)
{
    enum { FARTHEST_BLOCK = 1 << 28 };
    for (int32_t k = 0; k < block_count; k++)
        for (int axis = 0; axis < 3; axis++)
            if (s->old_band.blocks[k][axis] < -FARTHEST_BLOCK || s->old_band.blocks[k][axis] > FARTHEST_BLOCK)
                return dlp_fail(error, DLP_IO, "surface: block %d lies beyond all cells", k);
    for (size_t n = 0; n < (size_t)block_count * DLP_BLOCK_NODES; n++)
        if (!(fabsf(s->old_value[n]) <= DLP_BAND_WIDTH))
            return dlp_fail(error, DLP_IO, "surface: a value of %g; at most %g is possible",
                            (double)s->old_value[n], (double)DLP_BAND_WIDTH);
    if (!(fabs(s->offset) <= s->settings.spacing / s->settings.cell))
        return dlp_fail(error, DLP_IO, "surface: an offset of %g cells", s->offset);
    return DLP_OK;
}

// The blocks are in the list already; entering them one by one in the same order writes each to where it is
// and fills the hash table.
dlp_status dlp_surface_end_load(dlp_surface *s, dlp_error *error)
{
    const int32_t block_count = s->old_band.count;
    DLP_TRY(check_history(s, block_count, error));
    s->old_band.count = 0;
    for (int32_t k = 0; k < block_count; k++) {
        const int32_t block[3] = {s->old_band.blocks[k][0], s->old_band.blocks[k][1],
                                  s->old_band.blocks[k][2]};
        DLP_TRY(dlp_band_add(&s->old_band, block, error));
        if (s->old_band.count != k + 1) return dlp_fail(error, DLP_IO, "surface: block %d is there twice", k);
    }
    s->has_history = block_count > 0;
    return dlp_band_link(&s->old_band, s->settings.team, error);
}
