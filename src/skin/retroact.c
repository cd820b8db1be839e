// Contact of the surface rather than of the particles: where it enters an obstacle, the particles next to it
// are pushed out, so that the drawn surface does not overlap what it rests on.  [desbrun1999]
#include "base/memory.h"
#include "skin/skin.h"

#include <stdatomic.h>

// Spacings that the surface may lie in an obstacle: that of a body at rest does, since its outermost
// particles keep less than half a spacing away from walls while the surface lies half a spacing outside of
// them.
static const double tolerance_in_spacings = 0.5;
// Share of the depth that is taken back per frame.
static const double share_a_frame = 0.5;

// Places where a surface is too deep in an obstacle, as particles that carry the velocity wanted there. All-
// zero is none.
typedef struct contacts {
    double *positions;      // m, three each
    float *radii, *wanted;  // m; m/s, three each
    int32_t count, position_capacity, radius_capacity, wanted_capacity;
} contacts;

static void release(contacts *c)
{
    dlp_free(c->positions);
    dlp_free(c->radii);
    dlp_free(c->wanted);
}

static dlp_status add_contact(contacts *c, dlp_vec3 x, dlp_vec3 wanted, double spacing, dlp_error *error)
{
    const int32_t count = c->count + 1;
    DLP_TRY(dlp_reserve(&c->positions, &c->position_capacity, count, 3 * sizeof(double), "skin", error));
    DLP_TRY(dlp_reserve(&c->radii, &c->radius_capacity, count, sizeof(float), "skin", error));
    DLP_TRY(dlp_reserve(&c->wanted, &c->wanted_capacity, count, 3 * sizeof(float), "skin", error));
    double *position = c->positions + 3 * (size_t)c->count;
    float *velocity = c->wanted + 3 * (size_t)c->count;
    for (int axis = 0; axis < 3; axis++) {
        position[axis] = dlp_component(x, axis);
        velocity[axis] = (float)dlp_component(wanted, axis);
    }
    c->radii[c->count++] = (float)(spacing / 2);  // its kernel reaches about two spacings
    return DLP_OK;
}

// A vertex against one obstacle: the velocity wanted is that of the obstacle plus what takes back half of the
// depth in a frame, along the outward normal.
static dlp_status try_contact(const dlp_world *world, int32_t obstacle, dlp_vec3 x, double spacing,
                              contacts *c, dlp_error *error)
{
    const dlp_body *body = &dlp_world_bodies(world)->items[obstacle];
    const dlp_shape *shape = body->shape;
    const dlp_vec3 at = dlp_to_body(&body->pose, x);
    const double tolerance = tolerance_in_spacings * spacing;
    if (!(dlp_shape_distance(shape, at) < -tolerance)) return DLP_OK;
    dlp_vec3 normal;
    const double depth = -dlp_shape_probe(shape, at, &normal) - tolerance;
    normal = dlp_rotate(&body->pose, normal);
    const double speed = share_a_frame * depth * dlp_world_scene(world)->frame_rate +
                         dlp_dot(dlp_twist_at(&body->twist, x), normal);
    return speed > 0 ? add_contact(c, x, dlp_mul(normal, speed), spacing, error) : DLP_OK;
}

// In the order of surfaces, vertices and obstacles. `out_spacing`: m, the coarsest of the surfaces.
static dlp_status find_contacts(const dlp_skin *skin, const dlp_world *world, contacts *c,
                                double *out_spacing, dlp_error *error)
{
    *out_spacing = 0;
    for (int32_t k = 0; k < dlp_skin_surface_count(skin); k++) {
        const dlp_surface *surface = dlp_skin_surface_at(skin, k);
        if (surface == NULL || dlp_skin_is_solid(skin, k)) continue;
        const dlp_mesh *mesh = &dlp_surface_mesh_of(surface)->mesh;
        const double spacing = dlp_surface_spacing(surface);
        *out_spacing = fmax(*out_spacing, spacing);
        for (int32_t v = 0; v < mesh->vertex_count; v++) {
            for (int32_t obstacle = 0; obstacle < dlp_world_scene(world)->obstacle_count; obstacle++)
                DLP_TRY(try_contact(world, obstacle, mesh->vertices[v], spacing, c, error));
        }
    }
    return DLP_OK;
}

// Particles are independent: each writes its own entry of `delta_v`.
typedef struct push_pass {
    const dlp_particle_view *particles, *places;  // those to push; the contacts
    const dlp_kernel_bins *bins;
    dlp_surface_loops loops;
    double cell;            // m: of the bins of the contacts
    float *delta_v;         // m/s, three per particle
    _Atomic bool is_short;  // some thread found no memory; which one does not matter
} push_pass;

// Adds what a particle lacks of the velocity wanted around it, a mean by the contacts' kernels; never slows
// it down.
static void push_particle(const push_pass *pass, int32_t i, const dlp_candidates *near)
{
    const float at[8] = {0};
    const float *const places[3] = {at, at, at};
    float sums[(DLP_ATTRIBUTE_LIMIT + 1) * 8];
    pass->loops.sum_points(near, places, 1, sums);
    if (!(sums[0] > 0)) return;
    const dlp_vec3 wanted =
        dlp_mul(dlp_vec((double)sums[8], (double)sums[16], (double)sums[24]), 1 / (double)sums[0]);
    const double speed = dlp_length(wanted);
    if (!(speed > 0)) return;
    const dlp_vec3 normal = dlp_mul(wanted, 1 / speed);
    const float *v = pass->particles->velocities + 3 * (size_t)i;
    const double lack = speed - dlp_dot(dlp_vec((double)v[0], (double)v[1], (double)v[2]), normal);
    for (int axis = 0; axis < 3 && lack > 0; axis++)
        pass->delta_v[3 * (size_t)i + (size_t)axis] += (float)(lack * dlp_component(normal, axis));
}

static void push_particles(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    push_pass *pass = context;
    dlp_candidates near = {0};
    for (int32_t i = begin; i < end; i++) {
        double corner[3];
        for (int axis = 0; axis < 3; axis++)
            corner[axis] = pass->particles->positions[3 * (size_t)i + (size_t)axis] / pass->cell;
        if (!dlp_is_finite3(dlp_vec(corner[0], corner[1], corner[2]))) continue;
        if (dlp_kernel_bins_collect(pass->bins, pass->places, corner, 0, &near, NULL) != DLP_OK)
            atomic_store(&pass->is_short, true);
        else if (near.count > 0)
            push_particle(pass, i, &near);
    }
    dlp_candidates_release(&near);
}

// The contacts are binned as if they were particles, with cells of a spacing.
static dlp_status push(const contacts *c, const dlp_world *world, const dlp_particle_view *particles,
                       double spacing, float *delta_v, dlp_error *error)
{
    const dlp_particle_view places = {.count = c->count,
                                      .positions = c->positions,
                                      .radii = c->radii,
                                      .velocities = c->wanted,
                                      .displacements = c->wanted,
                                      .substance = -1};
    dlp_kernel_bins bins = {0};
    dlp_status status =
        dlp_kernel_bins_sort(&bins, &places, spacing, dlp_world_target(world), dlp_world_team(world), error);
    push_pass pass = {.particles = particles,
                      .places = &places,
                      .bins = &bins,
                      .loops = dlp_surface_loops_of(dlp_world_target(world)),
                      .cell = spacing,
                      .delta_v = delta_v};
    if (status == DLP_OK)
        dlp_parallel_for(dlp_world_team(world), particles->count, 256, push_particles, &pass);
    if (atomic_load(&pass.is_short))
        status = dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room for its contacts");
    dlp_kernel_bins_release(&bins);
    return status;
}

dlp_status dlp_skin_retroact(const dlp_skin *skin, const dlp_world *world, const dlp_particle_view *particles,
                             float *out_delta_v, dlp_error *error)
{
    contacts c = {0};
    double spacing;
    dlp_status status = find_contacts(skin, world, &c, &spacing, error);
    if (status == DLP_OK && c.count > 0) status = push(&c, world, particles, spacing, out_delta_v, error);
    release(&c);
    return status;
}
