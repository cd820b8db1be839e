// Assembles the surface of a substance's solids: whole copies from one embedded mesh; pieces of split copies
// from embedded meshes of their own, kept from frame to frame; and what no such mesh fits from the surface of
// its particles.
#include "skin/fragments.h"
#include "base/memory.h"
#include "base/random.h"
#include "skin/fragment_mesh.h"

#include <assert.h>
#include <string.h>

void dlp_fragments_release(dlp_fragments *fragments)
{
    dlp_embedded_mesh_release(&fragments->embedded);
    dlp_surface_mesh_release(&fragments->combined);
    dlp_shape_destroy(fragments->shape);
    for (int32_t k = 0; k < fragments->item_count; k++)
        dlp_embedded_mesh_release(&fragments->items[k].embedded);
    void *owned[] = {fragments->items,         fragments->fragment_of, fragments->members,
                     fragments->begin,         fragments->has_gap,     fragments->is_split,
                     fragments->positions,     fragments->radii,       fragments->velocities,
                     fragments->displacements, fragments->temperatures};
    for (size_t k = 0; k < sizeof owned / sizeof owned[0]; k++) dlp_free(owned[k]);
    *fragments = (dlp_fragments){0};
}

// Which particle belongs to which piece.

// Particles [begin, end) of the solver.
typedef struct particle_range {
    int32_t begin, end;
} particle_range;

// Those of a substance stand together in the solver's order, copy after copy.
static particle_range range_of(const dlp_fragments_def *def)
{
    const dlp_solid_particles *p = dlp_solid_particles_of(def->embedded.solid);
    particle_range range = {0, 0};
    while (range.begin < p->count && p->substance[range.begin] != def->embedded.substance) range.begin++;
    range.end = range.begin;
    while (range.end < p->count && p->substance[range.end] == def->embedded.substance) range.end++;
    return range;
}

static dlp_status reserve_lists(dlp_fragments *s, const dlp_solid *solid, int32_t count, dlp_error *error)
{
    const int32_t fragments = dlp_solid_fragment_count(solid);
    DLP_TRY(dlp_reserve(&s->members, &s->member_capacity, count + 1, sizeof *s->members, "skin", error));
    DLP_TRY(dlp_reserve(&s->begin, &s->begin_capacity, fragments + 2, sizeof *s->begin, "skin", error));
    return dlp_reserve(&s->has_gap, &s->gap_capacity, fragments + 1, sizeof *s->has_gap, "skin", error);
}

// A counting sort of the particles by piece. Pieces are numbered by their first particles, so that those of a
// substance follow one another and a new number is always the next one.
static void list_members(dlp_fragments *s, const int32_t *piece, particle_range range)
{
    s->first_piece = piece[range.begin];
    s->piece_count = 0;
    for (int32_t i = range.begin; i < range.end; i++) {
        const int32_t k = piece[i] - s->first_piece;
        assert(k >= 0 && k <= s->piece_count);
        if (k >= s->piece_count) s->begin[s->piece_count++] = 0;
        s->begin[k]++;
    }
    int32_t sum = 0;
    for (int32_t k = 0; k < s->piece_count; k++) sum = s->begin[k] += sum;
    s->begin[s->piece_count] = sum;
    for (int32_t i = range.end - 1; i >= range.begin; i--)  // from behind: the ends become the beginnings
        s->members[--s->begin[piece[i] - s->first_piece]] = i;
}

// A copy is split where two particles of one body belong to different pieces.
static dlp_status find_split(dlp_fragments *s, const dlp_solid *solid, particle_range range, dlp_error *error)
{
    const int32_t *body = dlp_solid_particles_of(solid)->body;
    const int32_t count = s->embedded.copy_count > 0 ? s->embedded.copy_count : 1;
    const int32_t per_copy = (range.end - range.begin) / count;
    assert(per_copy * count == range.end - range.begin);  // all copies are filled alike
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

// The copy that a piece is part of.
static int32_t copy_of(const dlp_fragments *s, particle_range range, int32_t piece)
{
    const int32_t per_copy = (range.end - range.begin) / s->copy_count;
    return (s->members[s->begin[piece]] - range.begin) / per_copy;
}

// A cut that stands open in what is still one piece shows in the surface of its particles alone.
static void mark_gaps(dlp_fragments *s, particle_range range)
{
    for (int32_t k = 0; k < s->piece_count; k++)
        if (s->has_gap[s->first_piece + k]) s->is_split[copy_of(s, range, k)] = 1;
}

// Fragments.

// Members are in ascending order, so the same particles always give the same key.
static uint64_t key_of(const dlp_fragments *s, int32_t piece)
{
    uint64_t key = 0;
    for (int32_t k = s->begin[piece]; k < s->begin[piece + 1]; k++)
        key = dlp_hash(key ^ (uint64_t)s->members[k]);
    return key;
}

// The shape of one copy, opened when the first copy splits.
static dlp_status open_shape(dlp_fragments *s, const dlp_fragments_def *def, dlp_error *error)
{
    if (s->shape != NULL) return DLP_OK;
    dlp_shape_def alone = def->embedded.scene->substances[def->embedded.substance].shape;
    for (int k = 0; k < 3; k++) alone.copies[k] = 1;
    return dlp_shape_create(&alone, 3, def->embedded.scene->folder, &s->shape, error);
}

static dlp_vec3 rest_of(const dlp_solid *solid, int32_t i)
{
    const double *x = dlp_solid_particles_of(solid)->x0 + 3 * (size_t)i;
    return dlp_vec(x[0], x[1], x[2]);
}

// The mesh of a piece at rest, bound to the piece's particles.
static dlp_status make_fragment(dlp_fragments *s, const dlp_fragments_def *def, particle_range range,
                                int32_t piece, dlp_embedded_mesh *out_embedded, dlp_error *error)
{
    const dlp_solid *solid = def->embedded.solid;
    const int32_t per_copy = (range.end - range.begin) / s->copy_count;
    const int32_t begin = range.begin + copy_of(s, range, piece) * per_copy;
    const dlp_fragment_mesh_def fragment = {.solid = solid,
                                            .shape = s->shape,
                                            .offset =
                                                dlp_sub(rest_of(solid, begin), rest_of(solid, range.begin)),
                                            .begin = begin,
                                            .end = begin + per_copy,
                                            .piece = s->first_piece + piece,
                                            .spacing = dlp_surface_spacing(def->surface),
                                            .cell = def->embedded.cell};
    dlp_mesh mesh;
    DLP_TRY(dlp_fragment_mesh_create(&fragment, &mesh, error));
    dlp_embedded_mesh_def embedded = def->embedded;
    embedded.mesh = &mesh;
    embedded.members = s->members + s->begin[piece];
    embedded.member_count = s->begin[piece + 1] - s->begin[piece];
    const dlp_status status = dlp_embedded_mesh_create(&embedded, out_embedded, error);
    dlp_mesh_release(&mesh);
    return status;
}

static dlp_fragment *find_fragment(dlp_fragments *s, uint64_t key)
{
    for (int32_t k = 0; k < s->item_count; k++)
        if (s->items[k].key == key) return &s->items[k];
    return NULL;
}

// A piece that is known gets its new number; an unknown one gets a mesh.
static dlp_status add_fragment(dlp_fragments *s, const dlp_fragments_def *def, particle_range range,
                               int32_t piece, dlp_error *error)
{
    const uint64_t key = key_of(s, piece);
    dlp_fragment *known = find_fragment(s, key);
    if (known != NULL) {
        known->piece = piece;
        return DLP_OK;
    }
    dlp_embedded_mesh embedded = {0};
    DLP_TRY(dlp_reserve(&s->items, &s->item_capacity, s->item_count + 1, sizeof *s->items, "skin", error));
    DLP_TRY(make_fragment(s, def, range, piece, &embedded, error));
    s->items[s->item_count++] = (dlp_fragment){key, piece, embedded};
    return DLP_OK;
}

// Releases what no piece of this update claimed; the others keep their order.
static void drop_fragments(dlp_fragments *s)
{
    int32_t kept = 0;
    for (int32_t k = 0; k < s->item_count; k++) {
        if (s->items[k].piece < 0)
            dlp_embedded_mesh_release(&s->items[k].embedded);
        else
            s->items[kept++] = s->items[k];
    }
    s->item_count = kept;
}

// The pieces of split copies, but those with open cuts; what was there before keeps its mesh.
static dlp_status update_fragments(dlp_fragments *s, const dlp_fragments_def *def, particle_range range,
                                   dlp_error *error)
{
    DLP_TRY(dlp_reserve(&s->fragment_of, &s->fragment_of_capacity, s->piece_count + 1, sizeof *s->fragment_of,
                        "skin", error));
    for (int32_t k = 0; k < s->item_count; k++) s->items[k].piece = -1;
    for (int32_t k = 0; k < s->piece_count; k++) {
        s->fragment_of[k] = -1;
        if (!s->is_split[copy_of(s, range, k)] || s->has_gap[s->first_piece + k]) continue;
        DLP_TRY(open_shape(s, def, error));
        DLP_TRY(add_fragment(s, def, range, k, error));
    }
    drop_fragments(s);
    for (int32_t k = 0; k < s->item_count; k++)
        if (s->items[k].embedded.deformed.mesh.vertex_count > 0) s->fragment_of[s->items[k].piece] = k;
    return DLP_OK;
}

// Surfaces of particles.

static dlp_status reserve_particles(dlp_fragments *s, int32_t count, dlp_error *error)
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

static void take_particle(dlp_fragments *s, const dlp_particle_view *particles, int32_t i, int32_t at)
{
    const size_t from = 3 * (size_t)i, to = 3 * (size_t)at;
    memcpy(s->positions + to, particles->positions + from, 3 * sizeof *s->positions);
    memcpy(s->velocities + to, particles->velocities + from, 3 * sizeof *s->velocities);
    memcpy(s->displacements + to, particles->displacements + from, 3 * sizeof *s->displacements);
    s->radii[at] = particles->radii[i];
    if (particles->temperatures != NULL) s->temperatures[at] = particles->temperatures[i];
}

static dlp_status add_whole(dlp_fragments *s, const dlp_surface_mesh *mesh, dlp_error *error)
{
    const dlp_mesh_range all = {0, mesh->mesh.vertex_count, 0, mesh->mesh.triangle_count};
    return dlp_surface_mesh_append(&s->combined, mesh, &all, error);
}

// A surface without history, since pieces come and go between frames.
static dlp_status add_particles(dlp_fragments *s, const dlp_fragments_def *def,
                                const dlp_particle_view *particles, int32_t piece, dlp_error *error)
{
    const int32_t *members = s->members + s->begin[piece];
    const int32_t count = s->begin[piece + 1] - s->begin[piece];
    DLP_TRY(reserve_particles(s, count, error));
    for (int32_t k = 0; k < count; k++) take_particle(s, particles, particles->first_solid + members[k], k);
    const float *color =
        particles->colors != NULL ? particles->colors + 3 * (size_t)def->embedded.substance : NULL;
    const dlp_particle_view part = {.count = count,
                                    .positions = s->positions,
                                    .radii = s->radii,
                                    .velocities = s->velocities,
                                    .displacements = s->displacements,
                                    .temperatures = particles->temperatures != NULL ? s->temperatures : NULL,
                                    .colors = color,
                                    .substance = -1};
    dlp_surface_forget(def->surface);
    DLP_TRY(dlp_surface_update(def->surface, &part, error));
    DLP_TRY(add_whole(s, dlp_surface_mesh_of(def->surface), error));
    dlp_surface_forget(def->surface);
    return DLP_OK;
}

// All together.

// A whole copy from the embedded mesh of all.
static dlp_status add_copy(dlp_fragments *s, int32_t copy, dlp_error *error)
{
    const dlp_mesh *mesh = &s->embedded.deformed.mesh;
    const int32_t vertices = mesh->vertex_count / s->copy_count,
                  triangles = mesh->triangle_count / s->copy_count;
    const dlp_mesh_range run = {copy * vertices, (copy + 1) * vertices, copy * triangles,
                                (copy + 1) * triangles};
    return dlp_surface_mesh_append(&s->combined, &s->embedded.deformed, &run, error);
}

static dlp_status add_piece(dlp_fragments *s, const dlp_fragments_def *def, const dlp_solid_map *maps,
                            const dlp_particle_view *particles, int32_t piece, dlp_error *error)
{
    if (s->fragment_of[piece] < 0) return add_particles(s, def, particles, piece, error);
    dlp_embedded_mesh *embedded = &s->items[s->fragment_of[piece]].embedded;
    DLP_TRY(dlp_embedded_mesh_move(embedded, maps, particles, error));
    return add_whole(s, &embedded->deformed, error);
}

static dlp_status add_all(dlp_fragments *s, const dlp_fragments_def *def, const dlp_solid_map *maps,
                          const dlp_particle_view *particles, dlp_error *error)
{
    const particle_range range = range_of(def);
    const bool has_embedded = s->embedded.deformed.mesh.vertex_count > 0;
    dlp_surface_mesh_clear(&s->combined);
    for (int32_t copy = 0; copy < s->copy_count && has_embedded; copy++)
        if (!s->is_split[copy]) DLP_TRY(add_copy(s, copy, error));
    for (int32_t k = 0; k < s->piece_count; k++)
        if (!has_embedded || s->is_split[copy_of(s, range, k)])
            DLP_TRY(add_piece(s, def, maps, particles, k, error));
    return DLP_OK;
}

// Rebuilds lists, flags and the combined mesh; needed only once something is cut.
static dlp_status combine(dlp_fragments *s, const dlp_fragments_def *def, const dlp_solid_map *maps,
                          const dlp_particle_view *particles, dlp_error *error)
{
    const dlp_solid *solid = def->embedded.solid;
    const particle_range range = range_of(def);
    DLP_TRY(reserve_lists(s, solid, range.end - range.begin, error));
    list_members(s, dlp_solid_fragments_of(solid), range);
    DLP_TRY(find_split(s, solid, range, error));
    dlp_solid_find_open_cuts(solid, particles->positions + 3 * (size_t)particles->first_solid, s->has_gap);
    mark_gaps(s, range);
    DLP_TRY(update_fragments(s, def, range, error));
    DLP_TRY(add_all(s, def, maps, particles, error));
    s->volume = s->combined.mesh.vertex_count > 0 ? dlp_surface_mesh_volume(&s->combined.mesh) : 0;
    s->area = dlp_mesh_area(&s->combined.mesh);
    return DLP_OK;
}

dlp_status dlp_fragments_update(dlp_fragments *s, const dlp_fragments_def *def, const dlp_solid_map *maps,
                                const dlp_particle_view *particles, dlp_error *error)
{
    if (!s->embedded.is_made) DLP_TRY(dlp_embedded_mesh_create(&def->embedded, &s->embedded, error));
    const bool has_embedded = s->embedded.deformed.mesh.vertex_count > 0;
    if (has_embedded) DLP_TRY(dlp_embedded_mesh_move(&s->embedded, maps, particles, error));
    s->is_combined = !has_embedded || dlp_solid_is_cut(def->embedded.solid, def->embedded.substance);
    return s->is_combined ? combine(s, def, maps, particles, error) : DLP_OK;
}

const dlp_surface_mesh *dlp_fragments_mesh(const dlp_fragments *s)
{
    return s->is_combined ? &s->combined : &s->embedded.deformed;
}

double dlp_fragments_volume(const dlp_fragments *s)
{
    return s->is_combined ? s->volume : s->embedded.volume;
}

double dlp_fragments_area(const dlp_fragments *s)
{
    return s->is_combined ? s->area : s->embedded.area;
}
