/* A crushed animal recovers: particles beside a mesh of tetrahedra between them. The two take turns, one
 * frame each, with the same sub-steps and sweeps; neither meets itself, as in the source. */
#include "fixture_race.h"
#include "solid_tetrahedra.h"

#include "base/memory.h"

#include <stdio.h>

// kg/m3: of the scene below.
#define DENSITY 1000

// Two sub-steps of eight sweeps, 90 frames per second, E = 2000 Pa, nu = 0.4.  [yang2023, table 1]
static const char cow[] =
    "{title: Cow, frames: {rate: 90, count: 270}, gravity: [0, 0, 0],"
    " substances: {cow: {model: solid, density: 1000, color: [0.55, 0.35, 0.2],"
    " solid: {youngs_modulus: 2000, poisson_ratio: 0.4, substeps: 2, iterations: 8, damping: 3, self: false,"
    " squeeze: 0.5},"
    " particle: {spacing: 0.02},"
    " shape: {union: ["
    "{capsule: {from: [-0.3, 0, 0.52], to: [0.3, 0, 0.52], radius: 0.2}},"         // trunk
    "{capsule: {from: [0.35, 0, 0.56], to: [0.52, 0, 0.72], radius: 0.11}},"       // neck
    "{sphere: {center: [0.56, 0, 0.76], radius: 0.13}},"                           // head
    "{capsule: {from: [0.6, 0, 0.74], to: [0.7, 0, 0.68], radius: 0.085}},"        // muzzle
    "{capsule: {from: [0.52, 0.07, 0.85], to: [0.5, 0.15, 0.95], radius: 0.03}},"  // horns
    "{capsule: {from: [0.52, -0.07, 0.85], to: [0.5, -0.15, 0.95], radius: 0.03}},"
    "{capsule: {from: [0.29, 0.1, 0.07], to: [0.27, 0.1, 0.45], radius: 0.065}},"  // legs
    "{capsule: {from: [0.29, -0.1, 0.07], to: [0.27, -0.1, 0.45], radius: 0.065}},"
    "{capsule: {from: [-0.29, 0.1, 0.07], to: [-0.27, 0.1, 0.45], radius: 0.065}},"
    "{capsule: {from: [-0.29, -0.1, 0.07], to: [-0.27, -0.1, 0.45], radius: 0.065}},"
    "{capsule: {from: [-0.48, 0, 0.58], to: [-0.58, 0, 0.3], radius: 0.03}}]}}},"  // tail
    " camera: {from: [0.9, -2.2, 1], to: [0.05, 0, 0.45]}}";

enum { PARTICLES, MESH, FORMS, FRAMES = 270 };

static dlp_solid *solid_of(const dlp_course *course)
{
    return (dlp_solid *)(uintptr_t)dlp_solid_of(course->fixture.world);
}

static double offset_square(const dlp_solid_particles *p, int32_t i)
{
    const dlp_vec3 offset = dlp_sub(dlp_solid_get(p->position, i), dlp_solid_get(p->x0, i));
    return dlp_dot(offset, offset);
}

// m: how far the particles are from where they are at rest, rms. Nothing pushes the body, so it stays there.
// For a mesh, of the corners of its cubes alone: what is in none of them is no part of it.
static double distance_from_rest(const dlp_fixture *fixture)
{
    const dlp_solid *solid = dlp_solid_of(fixture->world);
    const dlp_tetrahedra *mesh = dlp_tetrahedra_of(solid);
    const int32_t count = mesh != NULL ? 8 * mesh->cube_count : solid->state.particles.count;
    double sum = 0;
    for (int32_t k = 0; k < count; k++)
        sum += offset_square(&solid->state.particles, mesh != NULL ? mesh->cubes[k / 8][k % 8] : k);
    return sqrt(sum / count);
}

// The volume of all tetrahedra over that at rest.
static double mesh_swelling(const dlp_solid *solid)
{
    double now = 0, rest = 0;
    for (int32_t k = 0; k < dlp_solid_constraint_count(solid); k++) {
        dlp_stencil t;
        dlp_vec3 edge[3];
        dlp_tetrahedra_stencil(solid, k, &t);
        for (int32_t n = 0; n < 3; n++)
            edge[n] = dlp_sub(dlp_solid_get(solid->state.particles.position, t.neighbour[n]),
                              dlp_solid_get(solid->state.particles.position, t.centre));
        now += fabs(dlp_dot(edge[0], dlp_cross(edge[1], edge[2]))) / 6;
        rest += t.volume;
    }
    return now / rest;
}

static dlp_status swelling_of(const dlp_course *course, double *out_swelling, dlp_error *error)
{
    dlp_stats stats = {.size = sizeof stats};
    DLP_TRY(dlp_world_stats(course->fixture.world, &stats, error));
    const dlp_solid *solid = dlp_solid_of(course->fixture.world);
    *out_swelling =
        solid->topology.mesh != NULL ? mesh_swelling(solid) : stats.volume / (stats.mass / DENSITY);
    return DLP_OK;
}

static dlp_status open_forms(const dlp_reproduce *reproduce, dlp_course *courses, dlp_error *error)
{
    const char *const settings[] = {"substances.cow.particle.spacing",
                                    reproduce->is_full ? "0.00911" : "0.02", NULL};
    for (int k = 0; k < FORMS; k++)
        DLP_TRY(dlp_fixture_open(&courses[k].fixture, cow, settings, reproduce->thread_count, error));
    return dlp_tetrahedra_use(solid_of(&courses[MESH]), error);
}

static void tell_size(dlp_reproduce *reproduce, const dlp_course *courses)
{
    const dlp_solid *particles = solid_of(&courses[PARTICLES]), *mesh = solid_of(&courses[MESH]);
    const double count = particles->state.particles.count, elements = dlp_solid_constraint_count(mesh);
    const dlp_finding findings[] = {
        dlp_finding_beside("particles", "of the body", count, "", 188257),
        dlp_finding_beside("tetrahedra", "between them", elements, "", 1174842),
        dlp_finding_number("loose", "particles at no tetrahedron",
                           100 * dlp_tetrahedra_of(mesh)->loose_count / count, "%"),
        dlp_finding_number("fill", "lanes that are in use, particles",
                           100 * count / (DLP_LANES * particles->topology.coloring.row_count), "%"),
        dlp_finding_number("fill-mesh", "likewise, tetrahedra",
                           100 * elements / (DLP_LANES * mesh->topology.mesh->coloring.row_count), "%")};
    dlp_reproduce_add_all(reproduce, findings, 5);
}

// ms per frame, of the frames from `begin` on.
static double frame_time(const dlp_course *course, int32_t begin)
{
    return 1e3 * dlp_sum(course->wall, begin, FRAMES) / (FRAMES - begin);
}

// Where a stretch is below what a law bears, it is solved by its principal stretches, lane by lane:
// tetrahedra that are crushed turn over, so that they take longer at first. Hence the last second too.
static void tell_times(dlp_reproduce *reproduce, const dlp_course *courses)
{
    const dlp_course *particles = &courses[PARTICLES], *mesh = &courses[MESH];
    const double frame = frame_time(particles, 0), frame_mesh = frame_time(mesh, 0);
    const double late = frame_time(mesh, FRAMES - 90) / frame_time(particles, FRAMES - 90);
    const double elements =
        (double)dlp_solid_constraint_count(solid_of(mesh)) / solid_of(mesh)->state.particles.count;
    const dlp_finding findings[] = {
        dlp_finding_beside("frame", "a frame of 2 x 8 sweeps, particles; the source has a graphics card",
                           frame, "ms", 27.75),
        dlp_finding_beside("frame-mesh", "likewise, tetrahedra", frame_mesh, "ms", 178.82),
        dlp_finding_beside("ratio", "tetrahedra over particles", frame_mesh / frame, "x", 6.44),
        dlp_finding_beside("ratio-late", "likewise, in the last second", late, "x", 6.44),
        dlp_finding_beside("ratio-alike", "likewise, with 6.27 tetrahedra per particle",
                           late * 6.27 / elements, "x", 6.44),
        dlp_finding_beside("solve-ratio", "likewise, a particle's solve over a tetrahedron's",
                           elements / late, "x", 0.97)};
    dlp_reproduce_add_all(reproduce, findings, 6);
}

static dlp_status tell_shape(dlp_reproduce *reproduce, const dlp_course *course, const char *form,
                             dlp_error *error)
{
    char id[2][48], what[2][96];
    double swelling;
    DLP_TRY(swelling_of(course, &swelling, error));
    snprintf(id[0], sizeof id[0], "volume-%s", form);
    snprintf(id[1], sizeof id[1], "shape-%s", form);
    snprintf(what[0], sizeof what[0], "volume after 3 s over that at rest, %s", form);
    snprintf(what[1], sizeof what[1], "distance from the rest shape over that at the start, %s", form);
    const double left = course->measured[FRAMES - 1] / course->measured[0];
    // cubes that hang on others by an edge may turn about it: no verdict on those
    const bool is_mesh = solid_of(course)->topology.mesh != NULL;
    const dlp_finding findings[] = {dlp_finding_compared(id[0], what[0], swelling, "", 1, 0.02),
                                    is_mesh ? dlp_finding_number(id[1], what[1], left, "")
                                            : dlp_finding_limited(id[1], what[1], left, "", 0.05)};
    dlp_reproduce_add_all(reproduce, findings, 2);
    return DLP_OK;
}

static void plot_shapes(dlp_reproduce *reproduce, const dlp_course *courses)
{
    const dlp_series series[FORMS] = {
        {"particles", courses[PARTICLES].time, courses[PARTICLES].measured, FRAMES, DLP_MARK_LINE},
        {"tetrahedra", courses[MESH].time, courses[MESH].measured, FRAMES, DLP_MARK_LINE}};
    dlp_reproduce_plot(reproduce, "A crushed body recovers", "time (s)", "distance from the rest shape (m)",
                       series, FORMS);
}

static dlp_status recover(dlp_reproduce *reproduce, dlp_course *courses, dlp_error *error)
{
    DLP_TRY(open_forms(reproduce, courses, error));
    DLP_TRY(dlp_fixture_picture(&courses[PARTICLES].fixture, reproduce, "start", "Crushed", error));
    tell_size(reproduce, courses);
    for (int32_t frame = 0; frame < FRAMES; frame++)
        for (int k = 0; k < FORMS; k++) DLP_TRY(dlp_course_step(&courses[k], distance_from_rest, error));
    tell_times(reproduce, courses);
    DLP_TRY(tell_shape(reproduce, &courses[PARTICLES], "particles", error));
    DLP_TRY(tell_shape(reproduce, &courses[MESH], "tetrahedra", error));
    plot_shapes(reproduce, courses);
    return dlp_fixture_picture(&courses[PARTICLES].fixture, reproduce, "end", "After 3 s", error);
}

static dlp_status run_cow(dlp_reproduce *reproduce, dlp_error *error)
{
    dlp_course *courses = dlp_alloc(FORMS, sizeof *courses, "report");
    if (courses == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "report: no room");
    const dlp_status status = recover(reproduce, courses, error);
    if (courses[MESH].fixture.world != NULL) dlp_tetrahedra_remove(solid_of(&courses[MESH]));
    dlp_race_close(courses, FORMS);
    return status;
}

const dlp_experiment dlp_experiment_e_cow = {
    "E-cow", "A body crushed to half its size recovers: particles beside tetrahedra", "yang2023, fig. 5",
    run_cow};
