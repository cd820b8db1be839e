#include "skin/pieces.h"
#include "base/memory.h"
#include "base/random.h"
#include "skin/shard.h"

#include <string.h>

void dlp_pieces_release(dlp_pieces *pieces)
{
    dlp_coat_release(&pieces->coat);
    dlp_skin_mesh_release(&pieces->skin);
    dlp_shape_destroy(pieces->shape);
    for (int32_t k = 0; k < pieces->shard_count; k++) dlp_coat_release(&pieces->shards[k].coat);
    void *owned[] = {pieces->shards,     pieces->shard_of,      pieces->members,     pieces->begin,
                     pieces->gapes,      pieces->is_split,      pieces->positions,   pieces->radii,
                     pieces->velocities, pieces->displacements, pieces->temperatures};
    for (size_t k = 0; k < sizeof owned / sizeof owned[0]; k++) dlp_free(owned[k]);
    *pieces = (dlp_pieces){0};
}

// ---- who belongs to which piece
// -----------------------------------------------------------------------------------

typedef struct particle_range {
    int32_t begin, end;
} particle_range;

// Those of a substance stand together.
static particle_range range_of(const dlp_pieces_def *def)
{
    const dlp_solid_particles *p = dlp_solid_particles_of(def->coat.solid);
    particle_range range = {0, 0};
    while (range.begin < p->count && p->substance[range.begin] != def->coat.substance) range.begin++;
    range.end = range.begin;
    while (range.end < p->count && p->substance[range.end] == def->coat.substance) range.end++;
    return range;
}

static dlp_status reserve_lists(dlp_pieces *s, const dlp_solid *solid, int32_t count, dlp_error *error)
{
    const int32_t pieces = dlp_solid_piece_count(solid);
    DLP_TRY(dlp_reserve(&s->members, &s->member_capacity, count + 1, sizeof *s->members, "skin", error));
    DLP_TRY(dlp_reserve(&s->begin, &s->begin_capacity, pieces + 2, sizeof *s->begin, "skin", error));
    return dlp_reserve(&s->gapes, &s->gape_capacity, pieces + 1, sizeof *s->gapes, "skin", error);
}

// Pieces are numbered by their first particles, so that those of a substance follow one another.
static void list_members(dlp_pieces *s, const int32_t *piece, particle_range range)
{
    s->first_piece = piece[range.begin];
    s->piece_count = 0;
    for (int32_t i = range.begin; i < range.end; i++) {
        const int32_t k = piece[i] - s->first_piece;
        if (k >= s->piece_count) s->begin[s->piece_count++] = 0;
        s->begin[k]++;
    }
    int32_t sum = 0;
    for (int32_t k = 0; k < s->piece_count; k++) sum = s->begin[k] += sum;
    s->begin[s->piece_count] = sum;
    for (int32_t i = range.end - 1; i >= range.begin; i--)  // from behind: the ends become the beginnings
        s->members[--s->begin[piece[i] - s->first_piece]] = i;
}

// A copy is split where two of a body are of different pieces.
static dlp_status find_split(dlp_pieces *s, const dlp_solid *solid, particle_range range, dlp_error *error)
{
    const int32_t *body = dlp_solid_particles_of(solid)->body;
    const int32_t count = s->coat.copy_count > 0 ? s->coat.copy_count : 1;
    const int32_t per_copy = (range.end - range.begin) / count;
    DLP_TRY(dlp_reserve(&s->is_split, &s->copy_capacity, count, sizeof *s->is_split, "skin", error));
    memset(s->is_split, 0, (size_t)count);
    s->copy_count = count;
    int32_t last = -1;  // bodies and pieces of a body begin with the same particle
    for (int32_t k = 0; k < s->piece_count; k++) {
        const int32_t i = s->members[s->begin[k]];
        if (body[i] <= last) s->is_split[(i - range.begin) / per_copy] = 1;
        last = body[i] > last ? body[i] : last;
    }
    return DLP_OK;
}

static int32_t copy_of(const dlp_pieces *s, particle_range range, int32_t piece)
{
    const int32_t per_copy = (range.end - range.begin) / s->copy_count;
    return (s->members[s->begin[piece]] - range.begin) / per_copy;
}

// Cuts that stand open in what is still one piece are seen in the surface of its particles alone.
static void mark_gaping(dlp_pieces *s, particle_range range)
{
    for (int32_t k = 0; k < s->piece_count; k++)
        if (s->gapes[s->first_piece + k]) s->is_split[copy_of(s, range, k)] = 1;
}

// ---- shards
// -------------------------------------------------------------------------------------------------------

static uint64_t key_of(const dlp_pieces *s, int32_t piece)
{
    uint64_t key = 0;
    for (int32_t k = s->begin[piece]; k < s->begin[piece + 1]; k++)
        key = dlp_hash(key ^ (uint64_t)s->members[k]);
    return key;
}

static dlp_status open_shape(dlp_pieces *s, const dlp_pieces_def *def, dlp_error *error)
{
    if (s->shape != NULL) return DLP_OK;
    dlp_shape_def alone = def->coat.scene->substances[def->coat.substance].shape;
    for (int k = 0; k < 3; k++) alone.copies[k] = 1;
    return dlp_shape_create(&alone, 3, def->coat.scene->folder, &s->shape, error);
}

static dlp_vec3 rest_of(const dlp_solid *solid, int32_t i)
{
    const double *x = dlp_solid_particles_of(solid)->rest + 3 * (size_t)i;
    return dlp_vec(x[0], x[1], x[2]);
}

static dlp_status make_shard(dlp_pieces *s, const dlp_pieces_def *def, particle_range range, int32_t piece,
                             dlp_coat *out_coat, dlp_error *error)
{
    const dlp_solid *solid = def->coat.solid;
    const int32_t per_copy = (range.end - range.begin) / s->copy_count;
    const int32_t begin = range.begin + copy_of(s, range, piece) * per_copy;
    const dlp_shard_def shard = {.solid = solid,
                                 .shape = s->shape,
                                 .offset = dlp_sub(rest_of(solid, begin), rest_of(solid, range.begin)),
                                 .begin = begin,
                                 .end = begin + per_copy,
                                 .piece = s->first_piece + piece,
                                 .spacing = dlp_surface_spacing(def->surface),
                                 .cell = def->coat.cell};
    dlp_mesh mesh;
    DLP_TRY(dlp_shard_mesh(&shard, &mesh, error));
    dlp_coat_def coat = def->coat;
    coat.mesh = &mesh;
    coat.members = s->members + s->begin[piece];
    coat.member_count = s->begin[piece + 1] - s->begin[piece];
    const dlp_status status = dlp_coat_create(&coat, out_coat, error);
    dlp_mesh_release(&mesh);
    return status;
}

static dlp_shard *find_shard(dlp_pieces *s, uint64_t key)
{
    for (int32_t k = 0; k < s->shard_count; k++)
        if (s->shards[k].key == key) return &s->shards[k];
    return NULL;
}

static dlp_status add_shard(dlp_pieces *s, const dlp_pieces_def *def, particle_range range, int32_t piece,
                            dlp_error *error)
{
    const uint64_t key = key_of(s, piece);
    dlp_shard *known = find_shard(s, key);
    if (known != NULL) {
        known->piece = piece;
        return DLP_OK;
    }
    dlp_coat coat = {0};
    DLP_TRY(
        dlp_reserve(&s->shards, &s->shard_capacity, s->shard_count + 1, sizeof *s->shards, "skin", error));
    DLP_TRY(make_shard(s, def, range, piece, &coat, error));
    s->shards[s->shard_count++] = (dlp_shard){key, piece, coat};
    return DLP_OK;
}

static void drop_shards(dlp_pieces *s)
{
    int32_t kept = 0;
    for (int32_t k = 0; k < s->shard_count; k++) {
        if (s->shards[k].piece < 0)
            dlp_coat_release(&s->shards[k].coat);
        else
            s->shards[kept++] = s->shards[k];
    }
    s->shard_count = kept;
}

// The pieces of split copies; what was seen before stays as it is.
static dlp_status renew_shards(dlp_pieces *s, const dlp_pieces_def *def, particle_range range,
                               dlp_error *error)
{
    DLP_TRY(dlp_reserve(&s->shard_of, &s->shard_of_capacity, s->piece_count + 1, sizeof *s->shard_of, "skin",
                        error));
    for (int32_t k = 0; k < s->shard_count; k++) s->shards[k].piece = -1;
    for (int32_t k = 0; k < s->piece_count; k++) {
        s->shard_of[k] = -1;
        if (!s->is_split[copy_of(s, range, k)] || s->gapes[s->first_piece + k]) continue;
        DLP_TRY(open_shape(s, def, error));
        DLP_TRY(add_shard(s, def, range, k, error));
    }
    drop_shards(s);
    for (int32_t k = 0; k < s->shard_count; k++)
        if (s->shards[k].coat.skin.mesh.vertex_count > 0) s->shard_of[s->shards[k].piece] = k;
    return DLP_OK;
}

// ---- surfaces of particles
// ----------------------------------------------------------------------------------------

static dlp_status reserve_matter(dlp_pieces *s, int32_t count, dlp_error *error)
{
    DLP_TRY(
        dlp_reserve(&s->positions, &s->position_capacity, count, 3 * sizeof *s->positions, "skin", error));
    DLP_TRY(dlp_reserve(&s->radii, &s->radius_capacity, count, sizeof *s->radii, "skin", error));
    DLP_TRY(
        dlp_reserve(&s->velocities, &s->velocity_capacity, count, 3 * sizeof *s->velocities, "skin", error));
    DLP_TRY(dlp_reserve(&s->displacements, &s->displacement_capacity, count, 3 * sizeof *s->displacements,
                        "skin", error));
    return dlp_reserve(&s->temperatures, &s->temperature_capacity, count, sizeof *s->temperatures, "skin",
                       error);
}

static void take_particle(dlp_pieces *s, const dlp_matter *matter, int32_t i, int32_t at)
{
    const size_t from = 3 * (size_t)i, to = 3 * (size_t)at;
    memcpy(s->positions + to, matter->positions + from, 3 * sizeof *s->positions);
    memcpy(s->velocities + to, matter->velocities + from, 3 * sizeof *s->velocities);
    memcpy(s->displacements + to, matter->displacements + from, 3 * sizeof *s->displacements);
    s->radii[at] = matter->radii[i];
    if (matter->temperatures != NULL) s->temperatures[at] = matter->temperatures[i];
}

static dlp_status add_whole(dlp_pieces *s, const dlp_skin_mesh *mesh, dlp_error *error)
{
    const dlp_skin_run all = {0, mesh->mesh.vertex_count, 0, mesh->mesh.triangle_count};
    return dlp_skin_mesh_append(&s->skin, mesh, &all, error);
}

// A surface without history: pieces come and go.
static dlp_status add_particles(dlp_pieces *s, const dlp_pieces_def *def, const dlp_matter *matter,
                                int32_t piece, dlp_error *error)
{
    const int32_t *members = s->members + s->begin[piece];
    const int32_t count = s->begin[piece + 1] - s->begin[piece];
    DLP_TRY(reserve_matter(s, count, error));
    for (int32_t k = 0; k < count; k++) take_particle(s, matter, matter->first_solid + members[k], k);
    const float *color = matter->colors != NULL ? matter->colors + 3 * (size_t)def->coat.substance : NULL;
    const dlp_matter part = {.count = count,
                             .positions = s->positions,
                             .radii = s->radii,
                             .velocities = s->velocities,
                             .displacements = s->displacements,
                             .temperatures = matter->temperatures != NULL ? s->temperatures : NULL,
                             .colors = color,
                             .substance = -1};
    dlp_surface_forget(def->surface);
    DLP_TRY(dlp_surface_update(def->surface, &part, error));
    DLP_TRY(add_whole(s, dlp_surface_mesh(def->surface), error));
    dlp_surface_forget(def->surface);
    return DLP_OK;
}

// ---- all together
// -------------------------------------------------------------------------------------------------

static dlp_status add_copy(dlp_pieces *s, int32_t copy, dlp_error *error)
{
    const dlp_mesh *mesh = &s->coat.skin.mesh;
    const int32_t vertices = mesh->vertex_count / s->copy_count,
                  triangles = mesh->triangle_count / s->copy_count;
    const dlp_skin_run run = {copy * vertices, (copy + 1) * vertices, copy * triangles,
                              (copy + 1) * triangles};
    return dlp_skin_mesh_append(&s->skin, &s->coat.skin, &run, error);
}

static dlp_status add_piece(dlp_pieces *s, const dlp_pieces_def *def, const dlp_solid_map *maps,
                            const dlp_matter *matter, int32_t piece, dlp_error *error)
{
    if (s->shard_of[piece] < 0) return add_particles(s, def, matter, piece, error);
    dlp_coat *coat = &s->shards[s->shard_of[piece]].coat;
    DLP_TRY(dlp_coat_move(coat, maps, matter, error));
    return add_whole(s, &coat->skin, error);
}

static dlp_status add_all(dlp_pieces *s, const dlp_pieces_def *def, const dlp_solid_map *maps,
                          const dlp_matter *matter, dlp_error *error)
{
    const particle_range range = range_of(def);
    const bool has_coat = s->coat.skin.mesh.vertex_count > 0;
    dlp_skin_mesh_clear(&s->skin);
    for (int32_t copy = 0; copy < s->copy_count && has_coat; copy++)
        if (!s->is_split[copy]) DLP_TRY(add_copy(s, copy, error));
    for (int32_t k = 0; k < s->piece_count; k++)
        if (!has_coat || s->is_split[copy_of(s, range, k)])
            DLP_TRY(add_piece(s, def, maps, matter, k, error));
    return DLP_OK;
}

static dlp_status mix(dlp_pieces *s, const dlp_pieces_def *def, const dlp_solid_map *maps,
                      const dlp_matter *matter, dlp_error *error)
{
    const dlp_solid *solid = def->coat.solid;
    const particle_range range = range_of(def);
    DLP_TRY(reserve_lists(s, solid, range.end - range.begin, error));
    list_members(s, dlp_solid_pieces_of(solid), range);
    DLP_TRY(find_split(s, solid, range, error));
    dlp_solid_find_gaps(solid, matter->positions + 3 * (size_t)matter->first_solid, s->gapes);
    mark_gaping(s, range);
    DLP_TRY(renew_shards(s, def, range, error));
    DLP_TRY(add_all(s, def, maps, matter, error));
    s->volume = s->skin.mesh.vertex_count > 0 ? dlp_skin_mesh_volume(&s->skin.mesh) : 0;
    s->area = dlp_mesh_area(&s->skin.mesh);
    return DLP_OK;
}

dlp_status dlp_pieces_update(dlp_pieces *s, const dlp_pieces_def *def, const dlp_solid_map *maps,
                             const dlp_matter *matter, dlp_error *error)
{
    if (!s->coat.is_made) DLP_TRY(dlp_coat_create(&def->coat, &s->coat, error));
    const bool has_coat = s->coat.skin.mesh.vertex_count > 0;
    if (has_coat) DLP_TRY(dlp_coat_move(&s->coat, maps, matter, error));
    s->is_mixed = !has_coat || dlp_solid_is_cut(def->coat.solid, def->coat.substance);
    return s->is_mixed ? mix(s, def, maps, matter, error) : DLP_OK;
}

const dlp_skin_mesh *dlp_pieces_mesh(const dlp_pieces *s)
{
    return s->is_mixed ? &s->skin : &s->coat.skin;
}

double dlp_pieces_volume(const dlp_pieces *s)
{
    return s->is_mixed ? s->volume : s->coat.volume;
}

double dlp_pieces_area(const dlp_pieces *s)
{
    return s->is_mixed ? s->area : s->coat.area;
}
