// Meshes of cloth: the triangles of sheets as they are, and tubes around ropes. Runs in the caller's thread;
// the order of vertices follows from the order of the particles and links.
#include "skin/cloth_surface.h"
#include "base/memory.h"

enum { SIDES = 8 };  // of a rope's tube

// One call's scratch. Arrays over particles have an entry for each of the view, also for those of other
// substances.
typedef struct cloth_mesher {
    const dlp_particle_view *particles;
    double rope_radius;  // m
    dlp_mesh *mesh;
    int32_t *source;  // one per vertex: its particle
    int32_t source_capacity;
    int32_t *place;           // one per particle: its vertex or the first of its ring; -1 for none
    int32_t (*neighbour)[2];  // one per particle: those along its rope, -1 for none
} cloth_mesher;

static bool is_ours(const cloth_mesher *d, int32_t particle)
{
    const int32_t *substances = d->particles->substances;
    return d->particles->substance < 0 || substances == NULL ||
           substances[particle] == d->particles->substance;
}

static dlp_vec3 place_of(const cloth_mesher *d, int32_t particle)
{
    const double *x = d->particles->positions + 3 * (size_t)particle;
    return dlp_vec(x[0], x[1], x[2]);
}

static dlp_status add_vertex(cloth_mesher *d, int32_t particle, dlp_vec3 x, dlp_error *error)
{
    DLP_TRY(dlp_reserve(&d->source, &d->source_capacity, d->mesh->vertex_count + 1, sizeof *d->source, "skin",
                        error));
    d->source[d->mesh->vertex_count] = particle;
    return dlp_mesh_add_vertex(d->mesh, x, error);
}

// Sheets.

// Particles without a triangle get no vertex. A triangle's corners are of one substance, so the first
// decides.
static dlp_status add_sheets(cloth_mesher *d, dlp_error *error)
{
    const dlp_cloth_topology *topology = &d->particles->topology;
    for (int32_t t = 0; t < topology->triangle_count; t++)
        for (int corner = 0; corner < 3; corner++) d->place[topology->triangles[t][corner]] = 0;
    for (int32_t i = 0; i < d->particles->count; i++) {
        if (d->place[i] < 0 || !is_ours(d, i)) continue;
        d->place[i] = d->mesh->vertex_count;
        DLP_TRY(add_vertex(d, i, place_of(d, i), error));
    }
    for (int32_t t = 0; t < topology->triangle_count; t++) {
        const int32_t *c = topology->triangles[t];
        if (is_ours(d, c[0]))
            DLP_TRY(dlp_mesh_add_triangle(d->mesh, d->place[c[0]], d->place[c[1]], d->place[c[2]], error));
    }
    return DLP_OK;
}

// Ropes.

// A particle of a rope has at most two links; where a scene gives more, the last one replaces the second.
static void note_neighbour(cloth_mesher *d, int32_t particle, int32_t other)
{
    int32_t *two = d->neighbour[particle];
    two[two[0] < 0 ? 0 : 1] = other;
}

static void find_neighbours(cloth_mesher *d)
{
    const dlp_cloth_topology *topology = &d->particles->topology;
    for (int32_t i = 0; i < d->particles->count; i++) d->neighbour[i][0] = d->neighbour[i][1] = -1;
    for (int32_t k = 0; k < topology->link_count; k++) {
        const int32_t *end = topology->links[k];
        if (!is_ours(d, end[0])) continue;
        note_neighbour(d, end[0], end[1]);
        note_neighbour(d, end[1], end[0]);
    }
}

// A ring of vertices around the particle, counter-clockwise about `along` from `aside` on.
static dlp_status add_ring(cloth_mesher *d, int32_t particle, dlp_vec3 along, dlp_vec3 aside,
                           dlp_error *error)
{
    const dlp_vec3 x = place_of(d, particle), across = dlp_cross(along, aside);
    for (int k = 0; k < SIDES; k++) {
        const double angle = 2 * DLP_PI * k / SIDES;
        const dlp_vec3 direction = dlp_along(dlp_mul(aside, cos(angle)), across, sin(angle));
        DLP_TRY(add_vertex(d, particle, dlp_along(x, direction, d->rope_radius), error));
    }
    return DLP_OK;
}

// Two triangles per side between consecutive rings, facing outward.
static dlp_status join_rings(cloth_mesher *d, int32_t a, int32_t b, dlp_error *error)
{
    for (int32_t k = 0; k < SIDES; k++) {
        const int32_t next = (k + 1) % SIDES;
        DLP_TRY(dlp_mesh_add_triangle(d->mesh, a + k, a + next, b + next, error));
        DLP_TRY(dlp_mesh_add_triangle(d->mesh, a + k, b + next, b + k, error));
    }
    return DLP_OK;
}

// A fan over a ring, facing against the rope at its first end and along it at its last.
static dlp_status close_end(cloth_mesher *d, int32_t ring, bool is_last, dlp_error *error)
{
    for (int32_t k = 1; k + 1 < SIDES; k++)
        DLP_TRY(dlp_mesh_add_triangle(d->mesh, ring, ring + k + !is_last, ring + k + is_last, error));
    return DLP_OK;
}

// Any unit vector perpendicular to `along`.
static dlp_vec3 across(dlp_vec3 along)
{
    const dlp_vec3 axis = fabs(along.x) < 0.6 ? dlp_vec(1, 0, 0) : dlp_vec(0, 1, 0);
    return dlp_normalize(dlp_cross(along, axis), dlp_vec(0, 0, 1));
}

// The neighbour that was not visited just before; -1 at the end.
static int32_t next_along(const cloth_mesher *d, int32_t at, int32_t before)
{
    const int32_t *two = d->neighbour[at];
    return two[0] != before ? two[0] : two[1];
}

// Central difference, one-sided at the ends; `last` where both places coincide.
static dlp_vec3 tangent_at(const cloth_mesher *d, int32_t before, int32_t at, int32_t after, dlp_vec3 last)
{
    const dlp_vec3 from = place_of(d, before >= 0 ? before : at), to = place_of(d, after >= 0 ? after : at);
    return dlp_normalize(dlp_sub(to, from), last);
}

// From one end to the other. The direction `aside` of the rings is carried along and made perpendicular again
// at each particle, so that the tube twists no more than the rope bends.
static dlp_status add_rope(cloth_mesher *d, int32_t end, dlp_error *error)
{
    int32_t before = -1, at = end, ring = -1;
    dlp_vec3 along = dlp_vec(0, 0, 1), aside = {0};
    while (at >= 0 && d->place[at] < 0) {
        const int32_t after = next_along(d, at, before), last_ring = ring;
        along = tangent_at(d, before, at, after, along);
        aside = dlp_normalize(dlp_along(aside, along, -dlp_dot(aside, along)), across(along));
        ring = d->mesh->vertex_count;
        d->place[at] = ring;
        DLP_TRY(add_ring(d, at, along, aside, error));
        DLP_TRY(last_ring < 0 ? close_end(d, ring, false, error) : join_rings(d, last_ring, ring, error));
        before = at;
        at = after;
    }
    return ring >= 0 ? close_end(d, ring, true, error) : DLP_OK;
}

// Ropes with ends first; then closed loops, which are opened at their first particle.
static dlp_status add_ropes(cloth_mesher *d, dlp_error *error)
{
    find_neighbours(d);
    for (int32_t i = 0; i < d->particles->count; i++)
        if (d->neighbour[i][0] >= 0 && d->neighbour[i][1] < 0 && d->place[i] < 0)
            DLP_TRY(add_rope(d, i, error));
    for (int32_t i = 0; i < d->particles->count; i++)
        if (d->neighbour[i][0] >= 0 && d->place[i] < 0) DLP_TRY(add_rope(d, i, error));
    return DLP_OK;
}

// Attributes: those of the particle that a vertex comes from.

static void copy_entries(const cloth_mesher *d, const float *from, int32_t width, float *to)
{
    for (int32_t v = 0; v < d->mesh->vertex_count; v++)
        for (int32_t c = 0; c < width; c++)
            to[(size_t)v * (size_t)width + (size_t)c] =
                from[(size_t)d->source[v] * (size_t)width + (size_t)c];
}

static dlp_status add_attributes(const cloth_mesher *d, dlp_surface_mesh *surface, dlp_error *error)
{
    const dlp_particle_view *m = d->particles;
    const size_t count = (size_t)d->mesh->vertex_count;
    surface->velocities = dlp_alloc(3 * count, sizeof(float), "skin");
    if (m->temperatures != NULL) surface->temperatures = dlp_alloc(count, sizeof(float), "skin");
    if (m->colors != NULL) surface->colors = dlp_alloc(3 * count, sizeof(float), "skin");
    if (surface->velocities == NULL || (m->temperatures != NULL && surface->temperatures == NULL) ||
        (m->colors != NULL && surface->colors == NULL))
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room for %zu vertices", count);
    copy_entries(d, m->velocities, 3, surface->velocities);
    if (m->temperatures != NULL) copy_entries(d, m->temperatures, 1, surface->temperatures);
    for (size_t v = 0; m->colors != NULL && v < count; v++)
        for (size_t c = 0; c < 3; c++)
            surface->colors[3 * v + c] = m->colors[3 * (size_t)m->substances[d->source[v]] + c];
    return DLP_OK;
}

static dlp_status build(cloth_mesher *d, dlp_surface_mesh *mesh, dlp_error *error)
{
    const size_t count = (size_t)d->particles->count;
    d->place = dlp_alloc(count, sizeof *d->place, "skin");
    d->neighbour = dlp_alloc(count, sizeof *d->neighbour, "skin");
    if (d->place == NULL || d->neighbour == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room for %zu particles", count);
    for (size_t i = 0; i < count; i++) d->place[i] = -1;
    DLP_TRY(add_sheets(d, error));
    DLP_TRY(add_ropes(d, error));
    DLP_TRY(dlp_surface_mesh_compute_normals(mesh, error));
    return add_attributes(d, mesh, error);
}

// The number of vertices changes when cloth tears, so the mesh is made anew in every frame.
dlp_status dlp_cloth_surface_make(const dlp_particle_view *particles, double rope_radius,
                                  dlp_surface_mesh *mesh, dlp_error *error)
{
    dlp_surface_mesh_release(mesh);
    cloth_mesher d = {.particles = particles, .rope_radius = rope_radius, .mesh = &mesh->mesh};
    const dlp_status status = build(&d, mesh, error);
    dlp_free(d.source);
    dlp_free(d.place);
    dlp_free(d.neighbour);
    return status;
}
