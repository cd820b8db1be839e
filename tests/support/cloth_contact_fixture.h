/* A sheet of loose particles, to look at contacts alone: no elasticity, no solver. */
#ifndef DLP_TESTS_CLOTH_CONTACT_FIXTURE_H
#define DLP_TESTS_CLOTH_CONTACT_FIXTURE_H

#include "base/memory.h"
#include "motion/cloth/cloth_contact.h"
#include "truth.h"

#include <string.h>

enum { FIXTURE_LIMIT = 4096 };

typedef struct contact_fixture {
    dlp_scene_def scene;
    dlp_substance_def substance;
    dlp_fabric fabric;
    dlp_obstacle_def defs[4];
    dlp_body obstacles[4];
    dlp_cloth_particles p;
    double x[3 * FIXTURE_LIMIT], v[3 * FIXTURE_LIMIT], mass[FIXTURE_LIMIT], start[3 * FIXTURE_LIMIT],
        zero[3 * FIXTURE_LIMIT];
    int32_t kind[FIXTURE_LIMIT], pin[FIXTURE_LIMIT];
    uint8_t is_pinned[FIXTURE_LIMIT];
    dlp_cloth_triangle rest[2 * FIXTURE_LIMIT];
    int32_t corner[3 * 2 * FIXTURE_LIMIT];
    dlp_cloth_triangles triangles;
    dlp_cloth_corners corners;
    dlp_cloth_links links;
    dlp_cloth_ends ends;
    dlp_cloth_contact contact;
    dlp_cloth_parts parts;
} contact_fixture;

static inline contact_fixture *make_fixture(double thickness, double friction)
{
    contact_fixture *r = dlp_alloc(1, sizeof *r, "test");
    r->scene.substances = &r->substance;
    r->scene.substance_count = 1;
    r->scene.obstacles = r->defs;
    r->scene.dimension = 3;
    r->substance.model = DLP_MODEL_CLOTH;
    r->fabric = (dlp_fabric){
        .weight = 0.2, .thickness = thickness, .friction = friction, .drag = 1.2, .meets_itself = true};
    r->p = (dlp_cloth_particles){.capacity = FIXTURE_LIMIT,
                                 .position = r->x,
                                 .velocity = r->v,
                                 .mass = r->mass,
                                 .substance = r->kind,
                                 .pin = r->pin};
    r->triangles = (dlp_cloth_triangles){.capacity = 2 * FIXTURE_LIMIT, .rest = r->rest};
    r->corners = (dlp_cloth_corners){.capacity = 2 * FIXTURE_LIMIT, .corner = r->corner};
    r->parts = (dlp_cloth_parts){.particles = &r->p,
                                 .triangles = &r->triangles,
                                 .links = &r->links,
                                 .corners = &r->corners,
                                 .ends = &r->ends,
                                 .fabrics = &r->fabric,
                                 .scene = &r->scene,
                                 .obstacles = r->obstacles,
                                 .start = r->start,
                                 .effective = r->v,
                                 .is_pinned = r->is_pinned};
    return r;
}

static inline void add_fixture_triangle(contact_fixture *r, int32_t a, int32_t b, int32_t c, double area)
{
    const int32_t corner[3] = {a, b, c};
    memcpy(r->corner + 3 * r->triangles.count, corner, sizeof corner);
    r->rest[r->triangles.count++] = (dlp_cloth_triangle){.area = area};
}

// A flat sheet of columns x rows particles: corner, and the vectors between columns and rows.
static inline void add_sheet(contact_fixture *r, int32_t columns, int32_t rows, dlp_vec3 corner, dlp_vec3 a,
                             dlp_vec3 b)
{
    const int32_t first = r->p.count;
    const double area = dlp_length(dlp_cross(a, b));
    for (int32_t k = 0; k < rows; k++)
        for (int32_t j = 0; j < columns; j++) {
            const int32_t i = r->p.count++;
            dlp_put3(r->x, i, dlp_along(dlp_along(corner, a, j), b, k));
            r->mass[i] = r->fabric.weight * area;
            r->pin[i] = -1;
        }
    for (int32_t k = 0; k + 1 < rows; k++)
        for (int32_t j = 0; j + 1 < columns; j++) {
            const int32_t i = first + k * columns + j;
            add_fixture_triangle(r, i, i + 1, i + columns + 1, 0.5 * area);
            add_fixture_triangle(r, i, i + columns + 1, i + columns, 0.5 * area);
        }
}

static inline dlp_obstacle_def *add_obstacle(contact_fixture *r, dlp_shape_def shape, double friction,
                                             double restitution)
{
    dlp_obstacle_def *def = &r->defs[r->scene.obstacle_count];
    *def = (dlp_obstacle_def){.shape = shape, .friction = friction, .restitution = restitution};
    dlp_body *body = &r->obstacles[r->scene.obstacle_count++];
    body->def = def;
    body->is_moving = false;
    assert_int_equal(dlp_shape_create(&def->shape, r->scene.dimension, r->scene.folder, &body->shape, NULL),
                     DLP_OK);
    return def;
}

static inline void start_fixture(contact_fixture *r)
{
    assert_int_equal(dlp_cloth_contact_init(&r->contact, &r->parts, NULL), DLP_OK);
}

static inline void set_velocity(contact_fixture *r, int32_t begin, int32_t end, dlp_vec3 v)
{
    for (int32_t i = begin; i < end; i++) dlp_put3(r->v, i, v);
}

// As the solver's: a held direction moves as it is told, the momentum is what it would be without the hold.
static inline void move_fixture(contact_fixture *r, double step)
{
    for (int32_t i = 0; i < r->p.count; i++) {
        const dlp_contact_constraint *constraint = &r->contact.scratch.obstacles.constraints[i];
        const dlp_vec3 n = constraint->normal;
        dlp_vec3 v = dlp_along(dlp_get3(r->v, i), r->scene.gravity, r->contact.state.at_rest[i] ? 0 : step);
        if (constraint->directions == 1) v = dlp_add(v, constraint->friction);
        dlp_vec3 step_velocity = v;
        if (constraint->directions == 3) step_velocity = constraint->velocity;
        if (constraint->directions == 1)
            step_velocity = dlp_along(v, n, dlp_dot(dlp_sub(constraint->velocity, v), n));
        dlp_put3(r->v, i, v);
        dlp_put3(r->x, i, dlp_along(dlp_get3(r->x, i), step_velocity, step));
    }
}

static inline void step_fixture(contact_fixture *r, double step)
{
    r->parts.step = step;
    memcpy(r->start, r->x, sizeof r->x);
    dlp_cloth_contact_begin(&r->contact, &r->parts);
    move_fixture(r, step);
    for (int k = 0; k < 6 && dlp_cloth_contact_review(&r->contact, &r->parts); k++) {
        memcpy(r->x, r->start, sizeof r->x);
        for (int32_t i = 0; i < r->p.count; i++)
            dlp_put3(r->v, i, r->contact.scratch.obstacles.velocity_before[i]);
        move_fixture(r, step);
    }
    dlp_cloth_contact_resolve_obstacles(&r->contact, &r->parts);
    assert_int_equal(dlp_cloth_contact_resolve_self(&r->contact, &r->parts, NULL), DLP_OK);
    dlp_cloth_contact_settle(&r->contact, &r->parts);
    r->parts.time += step;
}

static inline void destroy_fixture(contact_fixture *r)
{
    dlp_cloth_contact_release(&r->contact);
    for (int32_t k = 0; k < r->scene.obstacle_count; k++) dlp_shape_destroy(r->obstacles[k].shape);
    dlp_free(r);
}

static inline double kinetic_energy(const contact_fixture *r)
{
    double sum = 0;
    for (int32_t i = 0; i < r->p.count; i++)
        sum += 0.5 * r->mass[i] * dlp_dot(dlp_get3(r->v, i), dlp_get3(r->v, i));
    return sum;
}
static inline dlp_vec3 total_momentum(const contact_fixture *r)
{
    dlp_vec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < r->p.count; i++) sum = dlp_along(sum, dlp_get3(r->v, i), r->mass[i]);
    return sum;
}

// Edges that pierce triangles, every one against every one.
static inline bool pierces(dlp_vec3 a, dlp_vec3 b, const dlp_vec3 t[3])
{
    const dlp_vec3 d = dlp_sub(b, a), e1 = dlp_sub(t[1], t[0]), e2 = dlp_sub(t[2], t[0]);
    const dlp_vec3 h = dlp_cross(d, e2);
    const double det = dlp_dot(e1, h);
    if (det == 0) return false;
    const dlp_vec3 s = dlp_sub(a, t[0]), q = dlp_cross(s, e1);
    const double u = dlp_dot(s, h) / det, v = dlp_dot(d, q) / det, w = dlp_dot(e2, q) / det;
    return u >= 0 && v >= 0 && u + v <= 1 && w >= 0 && w <= 1;
}
static inline int32_t count_intersections(const double *x, const int32_t *corners, int32_t count)
{
    int32_t found = 0;
    for (int32_t s = 0; s < count; s++)
        for (int32_t t = 0; t < count; t++) {
            const int32_t *a = corners + 3 * s, *b = corners + 3 * t;
            bool shares = false;
            for (int k = 0; k < 9; k++) shares |= a[k / 3] == b[k % 3];
            if (shares) continue;
            const dlp_vec3 corner[3] = {dlp_get3(x, b[0]), dlp_get3(x, b[1]), dlp_get3(x, b[2])};
            for (int c = 0; c < 3; c++)
                found += pierces(dlp_get3(x, a[c]), dlp_get3(x, a[(c + 1) % 3]), corner);
        }
    return found;
}

#endif
