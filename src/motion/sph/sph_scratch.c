/* Scratch: its arrays grow and go by the lists of sph_scratch.h. */
#include "motion/sph/sph.h"

// Room in one array of a list; those of a list grow together, so each grows from the same capacity.
static dlp_status grow(void *array, int32_t from, int32_t count, size_t size, const char *label,
                       dlp_error *error)
{
    int32_t capacity = from;
    return dlp_reserve(array, &capacity, count, size, label, error);
}

// What dlp_reserve makes of a capacity.
static int32_t grown(int32_t from, int32_t count)
{
    const int32_t doubled = from > INT32_MAX / 2 ? INT32_MAX : 2 * from;
    return count <= from ? from : count > doubled ? count : doubled;
}

#define GROW(array, type, components, when)                                                                  \
    if ((kept & (when)) != 0) DLP_TRY(grow(&(array), from, count, (components) * sizeof(type), label, error));

static dlp_status reserve_points(dlp_sph_points *points, uint32_t kept, int32_t count, dlp_error *error)
{
    const int32_t from = points->capacity;
    const char *label = "particles";
#define X(name, type, components, when) GROW(points->name, type, components, when)
    DLP_POINT_FIELDS(X)
#undef X
    points->capacity = grown(from, count);
    return DLP_OK;
}

static dlp_status reserve_particles(dlp_sph_scratch *scratch, uint32_t kept, int32_t count, dlp_error *error)
{
    const int32_t from = scratch->particle_capacity;
    const char *label = "particles";
#define X(name, type, components, when) GROW(scratch->selection.name, type, components, when)
    DLP_SELECTION_FIELDS(X)
#undef X
#define X(name, type, components, when) GROW(scratch->sums.name, type, components, when)
    DLP_SUM_FIELDS(X)
#undef X
#define X(name, type, components, when) GROW(scratch->neighbours.name, type, components, when)
    DLP_NEIGHBOUR_FIELDS(X)
#undef X
    scratch->particle_capacity = grown(from, count);
    return DLP_OK;
}

dlp_status dlp_projection_reserve(dlp_projection *projection, uint32_t kept, int32_t count, dlp_error *error)
{
    const int32_t from = projection->capacity;
    const char *label = "projection";
    if (count <= from) return DLP_OK;
#define X(name, type, components, when) GROW(projection->name, type, components, when)
    DLP_PROJECTION_FIELDS(X)
#undef X
    projection->capacity = grown(from, count);
    return DLP_OK;
}

dlp_status dlp_viscosity_reserve(dlp_viscosity_scratch *viscosity, uint32_t kept, int32_t count,
                                 dlp_error *error)
{
    const int32_t from = viscosity->capacity;
    const char *label = "viscosity";
    if (count <= from) return DLP_OK;
#define X(name, type, components, when) GROW(viscosity->name, type, components, when)
    DLP_VISCOSITY_FIELDS(X)
#undef X
    viscosity->capacity = grown(from, count);
    return DLP_OK;
}

dlp_status dlp_sph_reserve_points(dlp_sph *sph, int32_t point_count, dlp_error *error)
{
    dlp_sph_scratch *scratch = &sph->scratch;
    const uint32_t kept = sph->params.kept;
    const int32_t particles = sph->state.particles.count + DLP_LANES_PADDING,
                  points = point_count + DLP_LANES_PADDING;
    assert(kept != 0 && point_count > sph->state.particles.count);
    if (particles > scratch->particle_capacity) DLP_TRY(reserve_particles(scratch, kept, particles, error));
    if (points > scratch->points.capacity) DLP_TRY(reserve_points(&scratch->points, kept, points, error));
    DLP_TRY(dlp_listed_reserve(&sph->state.listed, kept, points, error));
    DLP_TRY(dlp_projection_reserve(&scratch->projection, kept, points, error));
    DLP_TRY(dlp_viscosity_reserve(&scratch->viscosity, kept, points, error));
    const int32_t blocks = sph->params.wants_loads ? particles / DLP_KICK_BLOCK + 2 : 0;
    return dlp_reserve(&scratch->contacts.sums, &scratch->contacts.capacity,
                       blocks * sph->context.bodies->count, sizeof *scratch->contacts.sums, "particles",
                       error);
}

dlp_status dlp_walls_reserve(dlp_walls *walls, int32_t count, dlp_error *error)
{
    const int32_t from = walls->capacity;
    const uint32_t kept = DLP_STORE_ALWAYS;
    const char *label = "walls";
    DLP_TRY(dlp_samples_reserve(&walls->samples, count, error));
#define X(name, type, components, when) GROW(walls->name, type, components, when)
    DLP_WALL_FIELDS(X)
#undef X
    walls->capacity = grown(from, count);
    return DLP_OK;
}

dlp_status dlp_adapt_reserve(dlp_adapt_scratch *adapt, int32_t count, dlp_error *error)
{
    const int32_t from = adapt->capacity;
    const uint32_t kept = DLP_STORE_SPACE;
    const char *label = "adapt";
#define X(name, type, components, when) GROW(adapt->name, type, components, when)
    DLP_ADAPT_FIELDS(X)
#undef X
    adapt->capacity = grown(from, count);
    return DLP_OK;
}

dlp_status dlp_renew_reserve(dlp_renew_scratch *renew, int32_t count, dlp_error *error)
{
    const int32_t from = renew->capacity;
    const uint32_t kept = DLP_STORE_RESTRAINT;
    const char *label = "lists";
#define X(name, type, components, when) GROW(renew->name, type, components, when)
    DLP_RENEW_FIELDS(X)
#undef X
    renew->capacity = grown(from, count);
    return DLP_OK;
}

static void release_walls(dlp_walls *walls)
{
#define X(name, type, components, when) dlp_free(walls->name);
    DLP_WALL_FIELDS(X)
#undef X
    dlp_samples_release(&walls->samples);
    dlp_free(walls->is_near);
    dlp_free(walls->transforms);
    dlp_free(walls->has_moved);
}

static void release_neighbours(dlp_neighbourhood *neighbours)
{
#define X(name, type, components, when) dlp_free(neighbours->name);
    DLP_NEIGHBOUR_FIELDS(X)
#undef X
    for (int32_t k = 0; k < DLP_LAYER_LIMIT + DLP_WALL_LEVELS; k++) dlp_layer_release(&neighbours->layers[k]);
    dlp_lists_release(&neighbours->lists);
    dlp_lists_release(&neighbours->wall_lists);
    dlp_sorter_release(&neighbours->sorter);
}

static void release_renewal(dlp_renew_scratch *renew)
{
#define X(name, type, components, when) dlp_free(renew->name);
    DLP_RENEW_FIELDS(X)
#undef X
    dlp_free(renew->movers);
    dlp_free(renew->links);
    for (int32_t k = 0; k < renew->buffer_count; k++) {
        dlp_free(renew->buffers[k].found.entries);
        dlp_free(renew->buffers[k].arriving);
    }
    dlp_free(renew->buffers);
}

void dlp_sph_scratch_release(dlp_sph_scratch *scratch)
{
#define X(name, type, components, when) dlp_free(scratch->points.name);
    DLP_POINT_FIELDS(X)
#undef X
#define X(name, type, components, when) dlp_free(scratch->selection.name);
    DLP_SELECTION_FIELDS(X)
#undef X
#define X(name, type, components, when) dlp_free(scratch->sums.name);
    DLP_SUM_FIELDS(X)
#undef X
#define X(name, type, components, when) dlp_free(scratch->adapt.name);
    DLP_ADAPT_FIELDS(X)
#undef X
#define X(name, type, components, when) dlp_free(scratch->projection.name);
    DLP_PROJECTION_FIELDS(X)
#undef X
#define X(name, type, components, when) dlp_free(scratch->viscosity.name);
    DLP_VISCOSITY_FIELDS(X)
#undef X
    release_neighbours(&scratch->neighbours);
    release_walls(&scratch->walls);
    release_renewal(&scratch->renew);
    dlp_free(scratch->contacts.sums);
    dlp_free(scratch->forces_seen);
    *scratch = (dlp_sph_scratch){0};
}
