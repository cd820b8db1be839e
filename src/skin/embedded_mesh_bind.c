// Which particles carry which vertex of a mesh at rest: those within a reach h of it, all of one body,
// weighted (h^2 - r^2)^2. The reach is 1.75 spacings, or 1.25 times the distance of the fourth nearest
// particle where that is farther, so that an affine map is determined. Runs once per mesh, in the caller's
// thread.
#include "base/memory.h"
#include "skin/embedded_mesh.h"
#include "skin/rest_mesh.h"
#include "space/bins.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 4, MOST = 32 };  // bindings per vertex
enum { ROUND_LIMIT = 40 };      // doublings of the search radius

#define REACH         1.75  // spacings: of the weight
#define BEYOND        1.25  // times the distance to the fourth nearest, where that is farther
#define SEARCH_RADIUS 2.5   // spacings: within which particles are looked for first

// A particle near a vertex.
typedef struct near_particle {
    double distance;  // m
    int32_t particle;
} near_particle;

// One creation's scratch; `points`, `found` and `near` are owned, the rest is borrowed.
typedef struct binder {
    const dlp_embedded_mesh_def *def;
    const dlp_solid_particles *particles;
    dlp_embedded_mesh *embedded;
    // the particles that carry the mesh, `count` of them; NULL: those from `first` on
    const int32_t *members;
    int32_t first, count;
    int32_t copy_count, per_copy;  // particles per copy; those of a copy stand together
    int32_t vertices_per_copy;
    double spacing;        // m: of the particles
    dlp_vec3 *points;      // m: the particles at rest, in the order of `members`
    float *normals;        // of the vertices, three each
    dlp_bins bins;         // of `points`, as wide as the search radius
    double search_radius;  // m: how far away particles are looked for
    bool is_last;          // the search radius covers everything: what is found now is all there is
    int32_t *found;        // scratch of one vertex: indices in `points`, room for all
    near_particle *near;   // scratch of one vertex: those of its body, nearest first
} binder;

// The mesh of all copies.

static dlp_status add_copy(dlp_mesh *mesh, const dlp_mesh *one, dlp_vec3 offset, dlp_error *error)
{
    const int32_t first = mesh->vertex_count;
    for (int32_t v = 0; v < one->vertex_count; v++)
        DLP_TRY(dlp_mesh_add_vertex(mesh, dlp_add(one->vertices[v], offset), error));
    for (int32_t t = 0; t < one->triangle_count; t++) {
        const int32_t *c = one->triangles[t];
        DLP_TRY(dlp_mesh_add_triangle(mesh, first + c[0], first + c[1], first + c[2], error));
    }
    return DLP_OK;
}

// In the order in which the copies are filled with particles: x fastest. So copy k of the mesh is carried by
// copy k of the particles.
static dlp_status add_copies(binder *b, const dlp_mesh *one, dlp_error *error)
{
    const dlp_shape_def *shape = &b->def->scene->substances[b->def->substance].shape;
    int64_t copies[3], all = 1;
    for (int k = 0; k < 3; k++) all *= copies[k] = shape->copies[k] > 1 ? shape->copies[k] : 1;
    if (all * one->vertex_count > INT32_MAX || all * one->triangle_count > INT32_MAX)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: more than %d triangles", INT32_MAX);
    for (int64_t k = 0; k < all; k++) {
        const double x = (double)(k % copies[0]), y = (double)(k / copies[0] % copies[1]),
                     z = (double)(k / (copies[0] * copies[1]));
        const dlp_vec3 offset = dlp_vec(x * shape->spacing.x, y * shape->spacing.y, z * shape->spacing.z);
        DLP_TRY(add_copy(&b->embedded->deformed.mesh, one, offset, error));
    }
    b->copy_count = (int32_t)all;
    b->vertices_per_copy = one->vertex_count;
    return DLP_OK;
}

// Fills `deformed.mesh` with the mesh at rest, which the first move replaces.
static dlp_status make_mesh(binder *b, dlp_error *error)
{
    const dlp_scene_def *scene = b->def->scene;
    dlp_mesh one;
    if (b->def->mesh != NULL) {
        b->copy_count = 1;
        b->vertices_per_copy = b->def->mesh->vertex_count;
        return add_copy(&b->embedded->deformed.mesh, b->def->mesh, dlp_vec(0, 0, 0), error);
    }
    DLP_TRY(dlp_rest_mesh_create(&scene->substances[b->def->substance].shape, scene->folder, b->def->cell,
                                 &one, error));
    const dlp_status status = one.vertex_count > 0 ? add_copies(b, &one, error) : DLP_OK;
    dlp_mesh_release(&one);
    return status;
}

// Particles around.

// Which particles may carry the mesh. Those of a substance stand together in the solver's order.
static void find_range(binder *b)
{
    const dlp_solid_particles *p = b->particles;
    b->members = b->def->members;
    b->count = b->per_copy = b->def->member_count;
    if (b->members != NULL) return;
    while (b->first < p->count && p->substance[b->first] != b->def->substance) b->first++;
    while (b->first + b->count < p->count && p->substance[b->first + b->count] == b->def->substance)
        b->count++;
    b->per_copy = b->count / b->copy_count;
}

// The solver's index of the k-th of the particles that carry the mesh.
static int32_t member_at(const binder *b, int32_t k)
{
    return b->members != NULL ? b->members[k] : b->first + k;
}

// The bins are made anew in each round, since their width is the search radius.
static dlp_status fill_bins(binder *b, dlp_error *error)
{
    dlp_bins_release(&b->bins);
    DLP_TRY(dlp_bins_init(&b->bins, b->search_radius, b->count, error));
    for (int32_t k = 0; k < b->count; k++) DLP_TRY(dlp_bins_add(&b->bins, k, b->points[k], error));
    return DLP_OK;
}

// The body of the particle nearest to a place half a spacing under the surface: what lies on the other side
// of a gap belongs to another body. Ties go to the lower number, so that the order of the search does not
// matter.
static int32_t body_under(const binder *b, int32_t vertex, int32_t found_count)
{
    const float *n = b->normals + 3 * (size_t)vertex;
    const dlp_vec3 normal = dlp_vec((double)n[0], (double)n[1], (double)n[2]);
    const dlp_vec3 under = dlp_along(b->embedded->x0[vertex], normal, -0.5 * b->spacing);
    int32_t body = -1;
    double least = HUGE_VAL;
    for (int32_t k = 0; k < found_count; k++) {
        const int32_t at = b->found[k];
        const double distance = dlp_length(dlp_sub(b->points[at], under));
        const int32_t here = b->particles->body[member_at(b, at)];
        if (distance > least || (distance == least && here > body)) continue;
        least = distance;
        body = here;
    }
    return body;
}

// A total order: equal distances are ordered by particle, so that qsort gives one result.
static int by_distance(const void *a, const void *b)
{
    const near_particle *x = a, *y = b;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    return (x->particle > y->particle) - (x->particle < y->particle);
}

// Fills `near` with the particles of the vertex's copy and body within the search radius; returns how many.
static int32_t find_near(const binder *b, int32_t vertex)
{
    const int32_t copy = vertex / b->vertices_per_copy, begin = copy * b->per_copy, end = begin + b->per_copy;
    const dlp_vec3 x = b->embedded->x0[vertex];
    dlp_bins_search near = dlp_bins_near(&b->bins, b->points, x, b->search_radius);
    int32_t own = 0, count = 0;
    for (int32_t k; (k = dlp_bins_next(&near)) >= 0;)
        if (k >= begin && k < end) b->found[own++] = k;
    const int32_t body = body_under(b, vertex, own);
    for (int32_t k = 0; k < own; k++) {
        const int32_t at = b->found[k];
        if (b->particles->body[member_at(b, at)] != body) continue;
        b->near[count++] = (near_particle){dlp_length(dlp_sub(b->points[at], x)), member_at(b, at)};
    }
    qsort(b->near, (size_t)count, sizeof *b->near, by_distance);
    return count;
}

// Bindings.

static dlp_status add_bindings(const binder *b, int32_t vertex, int32_t count, double reach, dlp_error *error)
{
    assert(count > 0 && count <= MOST);  // `weights` has room for so many
    dlp_embedded_mesh *embedded = b->embedded;
    const int32_t first = embedded->binding_count;
    DLP_TRY(dlp_reserve(&embedded->particles, &embedded->particle_capacity, first + count, sizeof(int32_t),
                        "skin", error));
    DLP_TRY(dlp_reserve(&embedded->weights, &embedded->weight_capacity, first + count, sizeof(double), "skin",
                        error));
    double weights[MOST], sum = 0;
    for (int32_t k = 0; k < count; k++) {
        const double r = b->near[k].distance, inside = reach * reach - r * r;
        sum += weights[k] = inside * inside;
    }
    for (int32_t k = 0; k < count; k++) {
        embedded->particles[first + k] = b->near[k].particle;
        embedded->weights[first + k] = weights[k] / sum;
    }
    embedded->begin[vertex] = first;
    embedded->binding_counts[vertex] = count;
    embedded->binding_count = first + count;
    return DLP_OK;
}

// Leaves the vertex unbound, which is no failure, where the search radius is still too small for it.
static dlp_status bind_vertex(const binder *b, int32_t vertex, dlp_error *error)
{
    const int32_t near_count = find_near(b, vertex);
    if (near_count == 0 || (near_count < LEAST && !b->is_last)) return DLP_OK;
    const int32_t fourth = (near_count < LEAST ? near_count : LEAST) - 1;
    const double reach = fmax(REACH * b->spacing, BEYOND * b->near[fourth].distance);
    if (reach > b->search_radius && !b->is_last) return DLP_OK;
    int32_t count = 0;
    while (count < near_count && count < MOST && b->near[count].distance < reach) count++;
    return add_bindings(b, vertex, count, reach, error);
}

// m: the diagonal of the box around particles and vertices.
static double largest_extent(const binder *b)
{
    dlp_box box = {b->points[0], b->points[0]};
    for (int32_t k = 0; k < b->count; k++) {
        box.min = dlp_min3(box.min, b->points[k]);
        box.max = dlp_max3(box.max, b->points[k]);
    }
    for (int32_t v = 0; v < b->embedded->deformed.mesh.vertex_count; v++) {
        box.min = dlp_min3(box.min, b->embedded->x0[v]);
        box.max = dlp_max3(box.max, b->embedded->x0[v]);
    }
    return dlp_length(dlp_sub(box.max, box.min));
}

// Thin parts may have no particles: the search radius of vertices that are left doubles from round to round.
static dlp_status bind_all(binder *b, dlp_error *error)
{
    const int32_t vertex_count = b->embedded->deformed.mesh.vertex_count;
    const double widest = largest_extent(b);
    int32_t left = vertex_count;
    b->search_radius = SEARCH_RADIUS * b->spacing;
    for (int32_t round = 0; round < ROUND_LIMIT && left > 0; round++, b->search_radius *= 2) {
        b->is_last = b->search_radius > 2 * widest;
        DLP_TRY(fill_bins(b, error));
        left = 0;
        for (int32_t v = 0; v < vertex_count; v++) {
            if (b->embedded->binding_counts[v] > 0) continue;
            DLP_TRY(bind_vertex(b, v, error));
            left += b->embedded->binding_counts[v] == 0;
        }
        if (b->is_last) break;
    }
    return DLP_OK;
}

static dlp_status make_room(binder *b, dlp_error *error)
{
    dlp_embedded_mesh *embedded = b->embedded;
    const size_t vertices = (size_t)embedded->deformed.mesh.vertex_count;
    embedded->x0 = dlp_alloc(vertices, sizeof *embedded->x0, "skin");
    embedded->begin = dlp_alloc(vertices, sizeof *embedded->begin, "skin");
    embedded->binding_counts = dlp_alloc(vertices, sizeof *embedded->binding_counts, "skin");
    b->points = dlp_alloc((size_t)b->count, sizeof *b->points, "skin");
    b->found = dlp_alloc((size_t)b->count, sizeof *b->found, "skin");
    b->near = dlp_alloc((size_t)b->count, sizeof *b->near, "skin");
    if (embedded->x0 == NULL || embedded->begin == NULL || embedded->binding_counts == NULL ||
        b->points == NULL || b->found == NULL || b->near == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room for %zu vertices", vertices);
    memcpy(embedded->x0, embedded->deformed.mesh.vertices, vertices * sizeof *embedded->x0);
    for (int32_t k = 0; k < b->count; k++) {
        const double *x = b->particles->x0 + 3 * (size_t)member_at(b, k);
        b->points[k] = dlp_vec(x[0], x[1], x[2]);
    }
    return DLP_OK;
}

static dlp_status build(binder *b, dlp_error *error)
{
    DLP_TRY(make_mesh(b, error));
    if (b->embedded->deformed.mesh.vertex_count == 0) return DLP_OK;
    find_range(b);
    DLP_TRY(make_room(b, error));
    DLP_TRY(dlp_surface_mesh_compute_normals(&b->embedded->deformed, error));
    b->normals = b->embedded->deformed.normals;
    b->embedded->copy_count = b->copy_count;
    return bind_all(b, error);
}

dlp_status dlp_embedded_mesh_create(const dlp_embedded_mesh_def *def, dlp_embedded_mesh *out_embedded,
                                    dlp_error *error)
{
    *out_embedded = (dlp_embedded_mesh){.team = def->team, .is_made = true};
    const dlp_substance_def *substance = &def->scene->substances[def->substance];
    binder b = {.def = def,
                .particles = dlp_solid_particles_of(def->solid),
                .embedded = out_embedded,
                .spacing = substance->particle_radius * cbrt(4 * DLP_PI / 3)};
    const dlp_status status = build(&b, error);
    dlp_bins_release(&b.bins);
    dlp_free(b.points);
    dlp_free(b.found);
    dlp_free(b.near);
    if (status != DLP_OK) dlp_embedded_mesh_release(out_embedded);
    return status;
}
