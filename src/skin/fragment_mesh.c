// A fragment is an intersection: inside the shape, and on the fragment's side of the cuts. Cuts are not known
// as surfaces, only by which particles belong together; a smooth vote of the particles around a place tells
// the side. Dual contouring then meshes the whole at once, with sharp edges where a cut meets the shape.
#include "skin/fragment_mesh.h"
#include "base/memory.h"
#include "skin/dual_contour.h"
#include "space/bins.h"
#include "space/shape_tree.h"

// Spacings within which particles vote on whose side a place is. Wider ones make cuts across the lattice
// smooth, and lose what is thin.
#define REACH 2.0
// Spacings by which each face of a cut keeps away from it, so that the faces of two fragments do not
// coincide.
#define GAP 0.01
// Cells: a bound on the radius of the ball around a block of the grid (8 cells wide, at most 1.5 times `cell`
// each).
#define BLOCK_RADIUS 11.0
// Bounds of a mesh's volume over that of the particles: beyond them it is not taken.
#define LEAST_VOLUME 0.6
#define MOST_VOLUME  1.5

enum { TRIES = 3 };  // grids

// The context of the dual contouring. Read-only once take_particles has filled it.
typedef struct fragment_field {
    const dlp_fragment_mesh_def *def;
    dlp_vec3 *points;      // m: the copy's particles at rest; owned
    const int32_t *piece;  // borrowed: the fragment of each of the copy's particles
    int32_t count;         // of the copy's particles
    dlp_bins near, wide;   // of `points`: for a vote, and for the test of a block
    dlp_box own;           // m: around the fragment's particles
    double rest_volume;    // m3: of the fragment's particles
} fragment_field;

// Whose side a place is on.

static double sign_of(const fragment_field *s, int32_t k)
{
    return s->piece[k] == s->def->piece ? 1 : -1;
}

// About the distance to the nearest cut, below 0 on the fragment's side: phi = sum s w / sum w, with s = 1
// for its particles and -1 for others and w = (h^2 - r^2)^2, goes from -1 to 1 within about two spacings.
// Where there are no particles at all, nothing is inside. `out_slope` is the gradient.
static double side_at(const fragment_field *s, dlp_vec3 x, dlp_vec3 *out_slope)
{
    const double reach = REACH * s->def->spacing;
    dlp_bins_search near = dlp_bins_near(&s->near, s->points, x, reach);
    double sum = 0, votes = 0;
    dlp_vec3 of_sum = {0}, of_votes = {0};
    for (int32_t k; (k = dlp_bins_next(&near)) >= 0;) {
        const dlp_vec3 displacement = dlp_sub(x, s->points[k]);
        const double inside = reach * reach - dlp_dot(displacement, displacement), sign = sign_of(s, k);
        sum += inside * inside;
        votes += sign * inside * inside;
        of_sum = dlp_along(of_sum, displacement, -4 * inside);
        of_votes = dlp_along(of_votes, displacement, -4 * inside * sign);
    }
    const double phi = sum > 0 ? votes / sum : -1;
    *out_slope =
        sum > 0 ? dlp_mul(dlp_along(of_votes, of_sum, -phi), -s->def->spacing / sum) : dlp_vec(0, 0, 0);
    return s->def->spacing * (GAP - phi);
}

// An intersection: the larger of two distances. Far outside the shape the vote is not needed.
static double fragment_distance(const void *context, dlp_vec3 x)
{
    const fragment_field *s = context;
    dlp_vec3 slope;
    const double shape = dlp_shape_distance(s->def->shape, dlp_sub(x, s->def->offset));
    return shape > s->def->spacing * (1 + GAP) ? shape : fmax(shape, side_at(s, x, &slope));
}

// The normal of whichever of the two distances is larger; that of the vote is divided by its slope to become
// one.
static double fragment_probe(const void *context, dlp_vec3 x, dlp_vec3 *out_normal)
{
    const fragment_field *s = context;
    dlp_vec3 slope;
    const double shape = dlp_shape_probe(s->def->shape, dlp_sub(x, s->def->offset), out_normal);
    const double side = side_at(s, x, &slope), steepness = dlp_length(slope);
    if (shape >= side || !(steepness > 1e-6)) return shape;
    *out_normal = dlp_mul(slope, 1 / steepness);
    return side / steepness;
}

// Whether a place is farther than `distance` from a box.
static bool is_beyond(const dlp_box *box, dlp_vec3 x, double distance)
{
    const dlp_vec3 in = dlp_max3(box->min, dlp_min3(box->max, x));
    return dlp_length(dlp_sub(x, in)) > distance;
}

// The inside is near the fragment's particles; a cut passes only where particles of others are near, too.
static bool fragment_may_pass(const void *context, dlp_vec3 middle, double radius)
{
    const fragment_field *s = context;
    const double shape = dlp_shape_distance(s->def->shape, dlp_sub(middle, s->def->offset));
    const double search_radius = radius + REACH * s->def->spacing;
    if (shape > 1.001 * radius || is_beyond(&s->own, middle, search_radius)) return false;
    bool has_own = false, has_other = false;
    dlp_bins_search near = dlp_bins_near(&s->wide, s->points, middle, search_radius);
    for (int32_t k; (k = dlp_bins_next(&near)) >= 0 && !(has_own && has_other);) {
        has_own = has_own || sign_of(s, k) > 0;
        has_other = has_other || sign_of(s, k) < 0;
    }
    return has_own && (has_other || shape >= -1.001 * radius);
}

// The mesh.

static dlp_status take_particles(fragment_field *s, dlp_error *error)
{
    const dlp_fragment_mesh_def *def = s->def;
    const double *rest = dlp_solid_particles_of(def->solid)->x0;
    s->count = def->end - def->begin;
    s->piece = dlp_solid_fragments_of(def->solid) + def->begin;
    s->points = dlp_alloc((size_t)s->count + 1, sizeof *s->points, "skin");
    if (s->points == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room for a piece");
    DLP_TRY(dlp_bins_init(&s->near, REACH * def->spacing, s->count, error));
    DLP_TRY(dlp_bins_init(&s->wide, REACH * def->spacing + BLOCK_RADIUS * def->cell, s->count, error));
    s->own = (dlp_box){dlp_vec(HUGE_VAL, HUGE_VAL, HUGE_VAL), dlp_vec(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL)};
    for (int32_t k = 0; k < s->count; k++) {
        const double *x = rest + 3 * (size_t)(def->begin + k);
        s->points[k] = dlp_vec(x[0], x[1], x[2]);
        DLP_TRY(dlp_bins_add(&s->near, k, s->points[k], error));
        DLP_TRY(dlp_bins_add(&s->wide, k, s->points[k], error));
        if (s->piece[k] != def->piece) continue;
        s->own.min = dlp_min3(s->own.min, s->points[k]);
        s->own.max = dlp_max3(s->own.max, s->points[k]);
        const double radius = dlp_solid_radius(def->solid, def->begin + k);
        s->rest_volume += 4 * DLP_PI / 3 * radius * radius * radius;
    }
    return DLP_OK;
}

// A finer grid meets thin places differently, so a second and third one may succeed where the first did not.
static dlp_status try_cells(const fragment_field *s, dlp_mesh *mesh, dlp_error *error)
{
    static const double finer = 0.87;
    dlp_dual_field field = {
        .context = s, .distance = fragment_distance, .probe = fragment_probe, .may_pass = fragment_may_pass};
    field.axes = dlp_shape_node_axes(s->def->shape, 0, &field.box);
    field.axes.translation = dlp_add(field.axes.translation, s->def->offset);
    double cell = s->def->cell;
    for (int32_t k = 0; k < TRIES; k++, cell *= finer) {
        dlp_mesh_report report;
        DLP_TRY(dlp_dual_contour(&field, cell, mesh, error));
        const dlp_status status = dlp_mesh_check(mesh, &report, error);
        if (status == DLP_OK && report.is_sound && report.volume > LEAST_VOLUME * s->rest_volume &&
            report.volume < MOST_VOLUME * s->rest_volume)
            return DLP_OK;
        dlp_mesh_release(mesh);
        DLP_TRY(status);
    }
    return DLP_OK;
}

dlp_status dlp_fragment_mesh_create(const dlp_fragment_mesh_def *def, dlp_mesh *out_mesh, dlp_error *error)
{
    *out_mesh = (dlp_mesh){0};
    fragment_field s = {.def = def};
    dlp_status status = take_particles(&s, error);
    if (status == DLP_OK) status = try_cells(&s, out_mesh, error);
    dlp_bins_release(&s.near);
    dlp_bins_release(&s.wide);
    dlp_free(s.points);
    return status;
}
