/* Bodies of particles for tests of surfaces, and what is asked of their surfaces. */
#ifndef DLP_TESTS_BODIES_H
#define DLP_TESTS_BODIES_H

#include "base/memory.h"
#include "base/vec.h"
#include "skin/surface.h"
#include "space/shape.h"
#include "truth.h"

#include <string.h>

enum { BODY_LIMIT = 200000 };

/* Particles with the arrays of a particle view. */
typedef struct body {
    double *positions;
    float *radii, *velocities, *displacements;
    int32_t *substances;
    int32_t count;
} body;

static inline body make_body(void)
{
    return (body){.positions = dlp_alloc(3 * BODY_LIMIT, sizeof(double), "test"),
                  .radii = dlp_alloc(BODY_LIMIT, sizeof(float), "test"),
                  .velocities = dlp_alloc(3 * BODY_LIMIT, sizeof(float), "test"),
                  .displacements = dlp_alloc(3 * BODY_LIMIT, sizeof(float), "test"),
                  .substances = dlp_alloc(BODY_LIMIT, sizeof(int32_t), "test")};
}

static inline void release_body(body *b)
{
    dlp_free(b->positions);
    dlp_free(b->radii);
    dlp_free(b->velocities);
    dlp_free(b->displacements);
    dlp_free(b->substances);
    *b = (body){0};
}

/* A particle that stands for a cube of this edge. */
static inline void add_particle(body *b, dlp_vec3 x, double spacing)
{
    assert_true(b->count < BODY_LIMIT);
    double *at = b->positions + 3 * b->count;
    at[0] = x.x;
    at[1] = x.y;
    at[2] = x.z;
    b->radii[b->count++] = (float)(spacing * cbrt(3 / (4 * DLP_PI)));
}

/* A shape as a scene fills it: a dense packing whose particles have the shape's volume together. */
static inline void add_shape(body *b, const dlp_shape_def *def, double spacing)
{
    dlp_error error = {0};
    dlp_shape *shape;
    dlp_fill fill;
    if (dlp_shape_create(def, 3, NULL, &shape, &error) != DLP_OK) fail_msg("%s", error.message);
    const dlp_fill_def how = {.spacing = spacing, .dimension = 3, .limit = BODY_LIMIT};
    if (dlp_shape_fill(shape, &how, &fill, &error) != DLP_OK) fail_msg("%s", error.message);
    for (int32_t k = 0; k < fill.count; k++) add_particle(b, fill.positions[k], cbrt(fill.volume));
    dlp_fill_release(&fill);
    dlp_shape_destroy(shape);
}

static inline body make_ball(dlp_vec3 center, double radius)
{
    body b = make_body();
    add_shape(&b, &(dlp_shape_def){.kind = DLP_SHAPE_SPHERE, .center = center, .radius = radius}, 1);
    return b;
}

static inline dlp_vec3 place_of(const body *b, int32_t k)
{
    return dlp_vec(b->positions[3 * k], b->positions[3 * k + 1], b->positions[3 * k + 2]);
}

/* Moves a particle, and remembers how. */
static inline void move_particle(body *b, int32_t k, dlp_vec3 to)
{
    const dlp_vec3 step = dlp_sub(to, place_of(b, k));
    for (int axis = 0; axis < 3; axis++) {
        b->positions[3 * k + axis] = dlp_component(to, axis);
        b->displacements[3 * k + axis] = (float)dlp_component(step, axis);
    }
}

static inline dlp_particle_view particles_of(const body *b)
{
    return (dlp_particle_view){.count = b->count,
                               .positions = b->positions,
                               .radii = b->radii,
                               .velocities = b->velocities,
                               .displacements = b->displacements,
                               .substances = b->substances,
                               .substance = -1};
}

/* What a scene has by default, for a spacing of 1 m. */
static inline dlp_surface_settings settings_for(dlp_surface_kind kind, double cell)
{
    return (dlp_surface_settings){.kind = kind,
                                  .cell = cell,
                                  .spacing = 1,
                                  .memory = 4,
                                  .smoothing = 0.75,
                                  .volume = 0.25,
                                  .target = DLP_TARGET_PLAIN};
}

static inline dlp_surface *make_surface(const dlp_surface_settings *settings)
{
    dlp_error error = {0};
    dlp_surface *surface;
    if (dlp_surface_create(settings, &surface, &error) != DLP_OK) fail_msg("%s", error.message);
    return surface;
}

static inline void update_surface(dlp_surface *surface, const body *b)
{
    dlp_error error = {0};
    const dlp_particle_view particles = particles_of(b);
    if (dlp_surface_update(surface, &particles, &error) != DLP_OK) fail_msg("%s", error.message);
}

/* Wraps a body at rest. */
static inline dlp_surface *wrap(const body *b, dlp_surface_kind kind, double cell)
{
    const dlp_surface_settings settings = settings_for(kind, cell);
    dlp_surface *surface = make_surface(&settings);
    update_surface(surface, b);
    return surface;
}

/* Closed, manifold, outward, with sound normals; the volume and area are those the surface names. */
static inline dlp_mesh_report expect_sound(const dlp_surface *surface)
{
    dlp_error error = {0};
    dlp_surface_mesh_report report;
    if (dlp_surface_mesh_check(dlp_surface_mesh_of(surface), &report, &error) != DLP_OK)
        fail_msg("%s", error.message);
    const dlp_mesh_report *m = &report.mesh;
    if (!report.is_sound)
        fail_msg("not sound: %d open, %d holes, %d nonmanifold, %d misoriented edges, %d vertices, "
                 "%d degenerate, %d double, %d misfacing, normals %d %d",
                 m->open_edges, m->holes, m->nonmanifold_edges, m->misoriented_edges, m->nonmanifold_vertices,
                 m->degenerate_triangles, m->duplicate_triangles, m->misfacing_components,
                 report.nonunit_normals, report.flipped_normals);
    assert_near(dlp_surface_volume(surface), m->volume, 1e-6 * fabs(m->volume));
    assert_near(dlp_surface_area(surface), m->area, 1e-6 * m->area);
    return *m;
}

/* All arrays have the same bits. */
static inline void expect_same_mesh(const dlp_surface_mesh *a, const dlp_surface_mesh *b)
{
    const size_t count = (size_t)a->mesh.vertex_count;
    assert_int_equal(a->mesh.vertex_count, b->mesh.vertex_count);
    assert_int_equal(a->mesh.triangle_count, b->mesh.triangle_count);
    if (count == 0) return;
    assert_memory_equal(a->mesh.vertices, b->mesh.vertices, count * sizeof *a->mesh.vertices);
    assert_memory_equal(a->mesh.triangles, b->mesh.triangles,
                        (size_t)a->mesh.triangle_count * sizeof *a->mesh.triangles);
    assert_memory_equal(a->normals, b->normals, 3 * count * sizeof(float));
    assert_memory_equal(a->velocities, b->velocities, 3 * count * sizeof(float));
}

#endif
