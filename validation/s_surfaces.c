/* Page S: surfaces. Their cost, whether they hide splits and merges, whether they keep up and keep the
 * volume. */
#include "fixture_shape.h"
#include "fixture_world.h"

#include "base/memory.h"
#include "skin/skin.h"
#include "space/mesh_tree.h"

#include <stdio.h>
#include <string.h>

// S-cost: beside the simulation.

typedef struct cost {
    double motion, skin;  // s of wall clock
    int32_t particles, triangles;
} cost;

static dlp_status step_with_skin(dlp_world *world, dlp_skin *skin, cost *out, dlp_error *error)
{
    dlp_stats stats = {.size = sizeof stats};
    dlp_surface_view view = {.size = sizeof view};
    DLP_TRY(dlp_world_step_frame(world, error));
    DLP_TRY(dlp_skin_update(skin, error));
    DLP_TRY(dlp_world_stats(world, &stats, error));
    DLP_TRY(dlp_skin_surface(skin, 0, &view, error));
    out->motion += stats.wall_motion;
    out->skin += stats.wall_skin;
    out->particles = stats.particles;
    out->triangles = view.triangle_count;
    return DLP_OK;
}

static dlp_status run_scene(dlp_scene *scene, int32_t thread_count, int32_t frames, cost *out,
                            dlp_error *error)
{
    const dlp_world_options options = {.size = sizeof options, .thread_count = thread_count};
    dlp_world *world = NULL;
    dlp_skin *skin = NULL;
    DLP_TRY(dlp_world_create(scene, &options, &world, error));
    dlp_status status = dlp_skin_create(world, &skin, error);
    if (status == DLP_OK) status = dlp_skin_update(skin, error);
    for (int32_t k = 0; k < frames && status == DLP_OK; k++) status = step_with_skin(world, skin, out, error);
    dlp_skin_destroy(skin);
    dlp_world_destroy(world);
    return status;
}

static dlp_status measure_cost(dlp_reproduce *reproduce, const char *cell, cost *out, dlp_error *error)
{
    dlp_scene *scene;
    DLP_TRY(dlp_scene_read_bundled("terrain", &scene, error));
    dlp_status status = dlp_scene_set(scene, "surface.cell", cell, error);
    if (status == DLP_OK)
        status = run_scene(scene, reproduce->thread_count, reproduce->is_full ? 60 : 30, out, error);
    dlp_scene_destroy(scene);
    return status;
}

static dlp_status run_cost(dlp_reproduce *reproduce, dlp_error *error)
{
    cost coarse = {0}, fine = {0};
    DLP_TRY(measure_cost(reproduce, "0.025", &coarse, error));
    DLP_TRY(measure_cost(reproduce, "0.0125", &fine, error));
    const dlp_finding findings[] = {
        dlp_finding_number("particles", "particles at the end", fine.particles, ""),
        dlp_finding_number("triangles-coarse", "triangles at the end, cells of one spacing", coarse.triangles,
                           ""),
        dlp_finding_number("triangles-fine", "triangles at the end, cells of half a spacing", fine.triangles,
                           ""),
        dlp_finding_limited("coarse", "surface over motion, cells of one spacing (source: 0.1 s beside 1 s)",
                            100 * coarse.skin / coarse.motion, "%", 10),
        dlp_finding_limited("fine", "surface over motion, cells of half a spacing (source: 0.6 s beside 1 s)",
                            100 * fine.skin / fine.motion, "%", 60)};
    dlp_reproduce_add_all(reproduce, findings, 5);
    return DLP_OK;
}

const dlp_experiment dlp_experiment_s_cost = {
    "S-cost", "Cost of the surface beside the motion, down the terrain", "desbrun1999, sec. 6", run_cost};

// S-pop: events in matter at rest.

enum { GROUP = 7 };
#define BALL_RADIUS 8.0 /* spacings */

// A ball in which seven neighbours below the surface may be one particle instead.
typedef struct pop_body {
    dlp_shape_fixture ball;
    int32_t group[GROUP];
    dlp_particle_view apart, merged;  // the same but for the group
    double *merged_positions;
    float *merged_radii;
} pop_body;

static dlp_vec3 place(const dlp_shape_fixture *body, int32_t k)
{
    return body->fill.positions[k];
}

// The particle nearest to a place, and the six nearest to it.
static void choose_group(pop_body *p, dlp_vec3 at)
{
    static bool is_taken[100000];
    memset(is_taken, 0, sizeof is_taken);
    for (int32_t n = 0; n < GROUP; n++) {
        double nearest = HUGE_VAL;
        for (int32_t k = 0; k < p->ball.fill.count; k++) {
            const double distance = dlp_length(dlp_sub(place(&p->ball, k), at));
            if (is_taken[k] || distance >= nearest) continue;
            nearest = distance;
            p->group[n] = k;
        }
        is_taken[p->group[n]] = true;
        if (n == 0) at = place(&p->ball, p->group[0]);
    }
}

// The seven at their centre of mass, the others as they are.
static void merge_group(pop_body *p)
{
    dlp_vec3 center = {0};
    int32_t count = 0;
    for (int32_t n = 0; n < GROUP; n++) center = dlp_along(center, place(&p->ball, p->group[n]), 1.0 / GROUP);
    for (int32_t k = 0; k < p->ball.fill.count; k++) {
        bool is_merged = false;
        for (int32_t n = 1; n < GROUP; n++) is_merged = is_merged || k == p->group[n];
        if (is_merged) continue;
        const dlp_vec3 x = k == p->group[0] ? center : place(&p->ball, k);
        double *to = p->merged_positions + 3 * (size_t)count;
        to[0] = x.x;
        to[1] = x.y;
        to[2] = x.z;
        p->merged_radii[count++] = p->ball.radii[k] * (float)(k == p->group[0] ? cbrt(GROUP) : 1);
    }
    p->merged = p->ball.particles;
    p->merged.count = count;
    p->merged.positions = p->merged_positions;
    p->merged.radii = p->merged_radii;
}

static void close_pop(pop_body *p)
{
    dlp_shape_fixture_close(&p->ball);
    dlp_free(p->merged_positions);
    dlp_free(p->merged_radii);
}

// `direction` says where below the surface the group is.
static dlp_status open_pop(pop_body *p, dlp_vec3 direction, dlp_error *error)
{
    *p = (pop_body){0};
    const dlp_shape_def ball = {.kind = DLP_SHAPE_SPHERE, .radius = BALL_RADIUS};
    DLP_TRY(dlp_shape_fixture_open(&p->ball, &ball, 1, error));
    const size_t count = (size_t)p->ball.fill.count;
    p->merged_positions = dlp_alloc(3 * count, sizeof(double), "body");
    p->merged_radii = dlp_alloc(count, sizeof(float), "body");
    if (p->merged_positions == NULL || p->merged_radii == NULL) {
        close_pop(p);
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "body: no room");
    }
    choose_group(p, dlp_mul(dlp_normalize(direction, dlp_vec(0, 0, 1)), BALL_RADIUS - 1.5));
    p->apart = p->ball.particles;
    merge_group(p);
    return DLP_OK;
}

static double largest_distance(const dlp_mesh *from, const dlp_mesh_tree *to)
{
    double largest = 0;
    for (int32_t v = 0; v < from->vertex_count; v++) {
        dlp_vec3 normal;
        largest = fmax(largest, fabs(dlp_mesh_tree_probe(to, from->vertices[v], &normal)));
    }
    return largest;
}

// How far the surface moves in the frame of the event, after some quiet ones.
static dlp_status measure_jump(dlp_surface *surface, const dlp_particle_view *before,
                               const dlp_particle_view *after, double *out_jump, dlp_error *error)
{
    dlp_mesh_tree *tree = NULL;
    for (int32_t k = 0; k < 12; k++) DLP_TRY(dlp_surface_update(surface, before, error));
    DLP_TRY(dlp_mesh_tree_create(&dlp_surface_mesh_of(surface)->mesh, 3, &tree, error));
    const dlp_status status = dlp_surface_update(surface, after, error);
    if (status == DLP_OK) *out_jump = largest_distance(&dlp_surface_mesh_of(surface)->mesh, tree);
    dlp_mesh_tree_destroy(tree);
    return status;
}

static dlp_status measure_kind(dlp_surface_kind kind, const dlp_particle_view *before,
                               const dlp_particle_view *after, double *out_jump, dlp_error *error)
{
    dlp_surface *surface;
    DLP_TRY(dlp_shape_fixture_surface(kind, 1, 0.5, NULL, &surface, error));
    const dlp_status status = measure_jump(surface, before, after, out_jump, error);
    dlp_surface_destroy(surface);
    return status;
}

typedef struct jumps {
    double iso, active;
} jumps;

static dlp_status measure_event(const dlp_particle_view *before, const dlp_particle_view *after, jumps *out,
                                dlp_error *error)
{
    DLP_TRY(measure_kind(DLP_SURFACE_ISO, before, after, &out->iso, error));
    return measure_kind(DLP_SURFACE_ACTIVE, before, after, &out->active, error);
}

// Several places, because one may lie between the layers of the packing: the mean over them.
static dlp_status run_pop(dlp_reproduce *reproduce, dlp_error *error)
{
    static const dlp_vec3 directions[] = {{0, 0, 1}, {1, 0.3, 0.2}, {-0.5, 1, 0.1}, {0.7, -0.6, -1}};
    enum { PLACES = sizeof directions / sizeof directions[0] };
    jumps split = {0}, merge = {0};
    double least = HUGE_VAL;
    for (int k = 0; k < PLACES; k++) {
        pop_body body;
        jumps s = {0}, m = {0};
        DLP_TRY(open_pop(&body, directions[k], error));
        dlp_status status = measure_event(&body.merged, &body.apart, &s, error);
        if (status == DLP_OK) status = measure_event(&body.apart, &body.merged, &m, error);
        close_pop(&body);
        DLP_TRY(status);
        split.iso += s.iso / PLACES;
        split.active += s.active / PLACES;
        merge.iso += m.iso / PLACES;
        merge.active += m.active / PLACES;
        least = fmin(least, fmin(s.iso / s.active, m.iso / m.active));
    }
    const dlp_finding findings[] = {
        dlp_finding_number("split-iso", "largest move of the iso surface when one particle splits", split.iso,
                           "spacings"),
        dlp_finding_number("split-active", "of the active surface", split.active, "spacings"),
        dlp_finding_number("merge-iso", "largest move of the iso surface when seven particles merge",
                           merge.iso, "spacings"),
        dlp_finding_number("merge-active", "of the active surface", merge.active, "spacings"),
        dlp_finding_reached("split", "iso over active, split, mean of four places", split.iso / split.active,
                            "", 4),
        dlp_finding_reached("merge", "iso over active, merge, mean of four places", merge.iso / merge.active,
                            "", 4),
        dlp_finding_number("least", "the smallest of the eight ratios", least, "")};
    dlp_reproduce_add_all(reproduce, findings, 7);
    return DLP_OK;
}

const dlp_experiment dlp_experiment_s_pop = {
    "S-pop", "How far surfaces jump when a particle splits or seven merge", "desbrun1999, sec. 5", run_pop};

// S-lag: a falling body.

static const char FALL[] = "{title: A ball falls, frames: {rate: 25, count: 12},"
                           " substances: {honey: {material: honey, particle: {spacing: 0.01},"
                           " velocity: [0, 0, -2], shape: {sphere: {radius: 0.08}}}}}";

static dlp_vec3 mass_center(const dlp_fixture *fixture)
{
    dlp_vec3 sum = {0};
    double mass = 0;
    for (int32_t i = 0; i < fixture->count; i++) {
        const double *x = fixture->x + 3 * (int64_t)i;
        sum = dlp_along(sum, dlp_vec(x[0], x[1], x[2]), (double)fixture->mass[i]);
        mass += (double)fixture->mass[i];
    }
    return dlp_mul(sum, 1 / mass);
}

// The centre of what a closed mesh encloses: the sum over tetrahedra from a point near it.
static dlp_vec3 enclosed_center(const dlp_surface_view *view)
{
    const dlp_vec3 origin = view->vertices[0];
    dlp_vec3 sum = {0};
    double volume = 0;
    for (int32_t t = 0; t < view->triangle_count; t++) {
        const int32_t *corner = view->triangles[t];
        const dlp_vec3 a = dlp_sub(view->vertices[corner[0]], origin),
                       b = dlp_sub(view->vertices[corner[1]], origin),
                       c = dlp_sub(view->vertices[corner[2]], origin);
        const double part = dlp_dot(a, dlp_cross(b, c)) / 6;
        sum = dlp_along(sum, dlp_add(dlp_add(a, b), c), part / 4);
        volume += part;
    }
    return dlp_along(origin, sum, 1 / volume);
}

typedef struct lag {
    double distance, volume;  // spacings; share
} lag;

static dlp_status fall(dlp_fixture *fixture, dlp_skin *skin, lag *worst, dlp_error *error)
{
    double start = 0;
    for (int frame = 0; frame <= 12; frame++) {
        dlp_surface_view view = {.size = sizeof view};
        DLP_TRY(dlp_fixture_run(fixture, frame / 25.0, error));
        DLP_TRY(dlp_skin_update(skin, error));
        DLP_TRY(dlp_skin_surface(skin, 0, &view, error));
        const double apart = dlp_length(dlp_sub(enclosed_center(&view), mass_center(fixture)));
        if (frame == 0) start = view.volume;
        worst->distance = fmax(worst->distance, apart / 0.01);
        worst->volume = fmax(worst->volume, fabs(view.volume / start - 1));
    }
    return DLP_OK;
}

static dlp_status run_lag(dlp_reproduce *reproduce, dlp_error *error)
{
    dlp_fixture fixture;
    dlp_skin *skin = NULL;
    lag worst = {0};
    DLP_TRY(dlp_fixture_open(&fixture, FALL, NULL, reproduce->thread_count, error));
    dlp_status status = dlp_skin_create(fixture.world, &skin, error);
    if (status == DLP_OK) status = fall(&fixture, skin, &worst, error);
    dlp_skin_destroy(skin);
    dlp_fixture_close(&fixture);
    if (status != DLP_OK) return status;
    const dlp_finding findings[] = {
        dlp_finding_limited("lag",
                            "largest distance of the active surface's centre from the matter's, 12 frames",
                            worst.distance, "spacings", 0.05),
        dlp_finding_number("volume", "largest change of its volume meanwhile: honey draws together at first",
                           100 * worst.volume, "%")};
    dlp_reproduce_add_all(reproduce, findings, 2);
    return DLP_OK;
}

const dlp_experiment dlp_experiment_s_lag = {
    "S-lag", "A ball falls at 2 m/s and faster: does its surface keep up?", "desbrun1999, sec. 5", run_lag};
