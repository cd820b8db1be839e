// Kernels stretched along the surface their particles lie on.  [yu2013]
// Departure: where the source moves every particle toward the mean of its neighbours, which pulls the whole
// surface inward, a particle is moved by what its own offset to that mean differs from its neighbours'. Bumps
// go, the volume stays. Stretches keep the volume of a kernel, so that the density needs no further factor.
#include "base/eigen.h"
#include "base/memory.h"
#include "base/vec.h"
#include "skin/surface_loops.h"

#include <stdatomic.h>

static const double move_share = 0.9;   // of that difference
static const double longest_ratio = 4;  // of a kernel's axes
static const double layer = 0.35;       // reaches across the surface within which neighbours lie equally deep
static const double search_reach = 1.8;    // reaches within which neighbours count
static const double sink_of_flat = 0.085;  // reaches, of a kernel squeezed to nothing
static const int32_t fewest = 10;          // neighbours: with fewer a kernel stays round
// reaches: a particle with a smaller centroid offset is inside, and round
static const float inside_offset = 0.03f;

// Weighted mean and covariance of the places around a particle; all-zero for one inside.
typedef struct neighbourhood {
    dlp_vec3 offset;   // cells: from the particle to the mean of the neighbours
    double spread[6];  // cells2: xx, yy, zz, xy, xz, yz of their covariance
    int32_t count;     // of the neighbours, the particle included
} neighbourhood;

// Arrays have one entry per particle of `bins`, in its order. A pass over particles writes to the entries of
// its own particles and reads those of others only from the pass before, so that threads do not matter.
typedef struct anisotropy_pass {
    const dlp_kernel_bins *bins;
    neighbourhood *around;
    double *positions;  // m: of the particles, moved
    float *radii;       // m: whose kernels' reach bounds the stretched ones
    dlp_stretch *stretches;
    const dlp_particle_view *particles;
    double cell;
    _Atomic bool is_short;  // some thread found no memory; which one does not matter
} anisotropy_pass;

// Particles inside keep round kernels in their places, which saves most of the work.
static bool is_at_surface(const dlp_kernel_bins *bins, int32_t k)
{
    return bins->centroid_offset[k] > inside_offset || bins->sum[k] < 0.8f;
}

// Weight of a neighbour at distance d of a reach r: 1 - (d/r)^3, times its volume.  [yu2013, eq. 11]
static double weight_of(const dlp_candidate *c, float reach)
{
    const double square =
        (double)c->x * (double)c->x + (double)c->y * (double)c->y + (double)c->z * (double)c->z;
    const double share = sqrt(square) / (search_reach * (double)reach), own = 1 / (double)c->steepness;
    return share < 1 ? (1 - share * share * share) * own * own * own : 0;
}

// Particles around, seen from the particle: all within `search_reach` reaches whose own reach is not smaller,
// and finer ones whose kernels touch the box. The weight cuts off what is farther.
static dlp_status find_near(const dlp_kernel_bins *bins, int32_t k, dlp_candidates *near)
{
    const double half = (search_reach - 1) * (double)bins->reach[k];
    const double corner[3] = {bins->at[k][0] - half, bins->at[k][1] - half, bins->at[k][2] - half};
    DLP_TRY(dlp_kernel_bins_collect(bins, NULL, corner, 2 * half, near, NULL));
    for (int32_t n = 0; n < near->count; n++) {
        near->items[n].x -= (float)half;
        near->items[n].y -= (float)half;
        near->items[n].z -= (float)half;
    }
    return DLP_OK;
}

// Mean and covariance of the neighbours' places about the particle.
static neighbourhood measure_neighbourhood(const dlp_candidates *near, float reach)
{
    double sum = 0, first[3] = {0}, second[6] = {0};
    neighbourhood out = {0};
    for (int32_t n = 0; n < near->count; n++) {
        const dlp_candidate *c = &near->items[n];
        const double w = weight_of(c, reach), x = (double)c->x, y = (double)c->y, z = (double)c->z;
        if (w == 0) continue;
        const double squares[6] = {x * x, y * y, z * z, x * y, x * z, y * z};
        sum += w;
        first[0] += w * x;
        first[1] += w * y;
        first[2] += w * z;
        for (int a = 0; a < 6; a++) second[a] += w * squares[a];
        out.count++;
    }
    out.offset =
        dlp_vec(first[0] / sum, first[1] / sum, first[2] / sum);  // the particle itself is among them
    const dlp_vec3 m = out.offset;
    const double means[6] = {m.x * m.x, m.y * m.y, m.z * m.z, m.x * m.y, m.x * m.z, m.y * m.z};
    for (int a = 0; a < 6; a++) out.spread[a] = second[a] / sum - means[a];
    return out;
}

static void measure_neighbourhoods(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    anisotropy_pass *pass = context;
    dlp_candidates near = {0};
    for (int32_t k = begin; k < end; k++) {
        pass->around[k] = (neighbourhood){0};
        if (!is_at_surface(pass->bins, k)) continue;
        if (find_near(pass->bins, k, &near) != DLP_OK)
            atomic_store(&pass->is_short, true);
        else
            pass->around[k] = measure_neighbourhood(&near, pass->bins->reach[k]);
    }
    dlp_candidates_release(&near);
}

// The mean offset to their means of the neighbours that lie as deep under the surface as the particle: what
// it would have itself if the surface were smooth. `inward` is the unit vector across the surface.
static dlp_vec3 mean_offset(const anisotropy_pass *pass, int32_t k, dlp_vec3 inward,
                            const dlp_candidates *near)
{
    const double reach = (double)pass->bins->reach[k];
    double sum = 0;
    dlp_vec3 offset = {0};
    for (int32_t n = 0; n < near->count; n++) {
        const dlp_candidate *c = &near->items[n];
        const double across =
            dlp_dot(dlp_vec((double)c->x, (double)c->y, (double)c->z), inward) / (layer * reach);
        const double w = weight_of(c, pass->bins->reach[k]) * fmax(1 - across * across, 0);
        sum += w;
        offset = dlp_along(offset, pass->around[near->places[n]].offset, w);
    }
    return dlp_mul(offset, 1 / sum);
}

// Lengths of a kernel's axes, relative to its reach: proportional to the spread of the neighbours, within a
// ratio of `longest_ratio`, with product 1.  [yu2013, eq. 15]
static void axis_lengths(const double spread[3], double out[3])
{
    const double largest = fmax(fmax(spread[0], spread[1]), spread[2]);
    double product = 1;
    for (int a = 0; a < 3; a++) {
        out[a] = fmax(spread[a], largest / longest_ratio);
        product *= out[a];
    }
    const double scale = product > 0 ? 1 / cbrt(product) : 0;
    if (scale == 0) out[0] = out[1] = out[2] = 1;  // all in one place: round
    for (int a = 0; a < 3 && scale > 0; a++) out[a] *= scale;
}

// The axes of a kernel, relative to its reach.
typedef struct axes {
    double shortest, longest;
} axes;

// Fills G = V diag(1/length) V^T / reach.
static axes stretch_along(const neighbourhood *around, float reach, dlp_stretch *out)
{
    const double *s = around->spread, inverse = 1 / (double)reach;
    double m[3][3] = {{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]}}, v[3][3], length[3];
    dlp_diagonalize(m, v);
    axis_lengths((double[3]){m[0][0], m[1][1], m[2][2]}, length);
    double g[3][3] = {{0}};
    for (int a = 0; a < 3; a++)
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) g[r][c] += v[r][a] * v[c][a] * inverse / length[a];
    *out = (dlp_stretch){(float)g[0][0], (float)g[1][1], (float)g[2][2],
                         (float)g[0][1], (float)g[0][2], (float)g[1][2]};
    return (axes){fmin(fmin(length[0], length[1]), length[2]), fmax(fmax(length[0], length[1]), length[2])};
}

// Moves the particle onto the surface that its neighbours make, and inward by as much as flat kernels, with
// the weights of round ones, would move the surface outward.
static dlp_vec3 move_of(const anisotropy_pass *pass, int32_t k, const axes *a, const dlp_candidates *near)
{
    const dlp_vec3 offset = pass->around[k].offset, inward = dlp_normalize(offset, dlp_vec(0, 0, 0));
    const dlp_vec3 off = dlp_sub(offset, mean_offset(pass, k, inward, near));
    const double sink = sink_of_flat * (1 - a->shortest) * (double)pass->bins->reach[k];
    return dlp_mul(inward, move_share * dlp_dot(off, inward) + sink);
}

// `near` is NULL for a particle inside.
static void stretch_particle(const anisotropy_pass *pass, int32_t k, const dlp_candidates *near)
{
    const dlp_kernel_bins *bins = pass->bins;
    const float inverse = 1 / bins->reach[k];
    axes a = {1, 1};
    dlp_vec3 move = {0};
    pass->stretches[k] = (dlp_stretch){inverse, inverse, inverse, 0, 0, 0};
    if (near != NULL && pass->around[k].count >= fewest)
        a = stretch_along(&pass->around[k], bins->reach[k], &pass->stretches[k]);
    if (near != NULL) move = move_of(pass, k, &a, near);
    for (int axis = 0; axis < 3; axis++)
        pass->positions[3 * (size_t)k + (size_t)axis] =
            pass->cell * (bins->at[k][axis] + dlp_component(move, axis));
    pass->radii[k] = pass->particles->radii[bins->index[k]] * (float)a.longest;
}

// Second pass: needs the offsets of all neighbours, hence not one loop with the first.
static void stretch_all(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    anisotropy_pass *pass = context;
    dlp_candidates near = {0};
    for (int32_t k = begin; k < end; k++) {
        const bool is_round = !is_at_surface(pass->bins, k);
        if (!is_round && find_near(pass->bins, k, &near) != DLP_OK) atomic_store(&pass->is_short, true);
        stretch_particle(pass, k, is_round ? NULL : &near);
    }
    dlp_candidates_release(&near);
}

// The stretched kernels are sorted anew, by their moved places: weights and stretches follow that order.
static dlp_status fill(const anisotropy_pass *pass, dlp_kernel_bins *out, dlp_error *error)
{
    DLP_TRY(dlp_reserve(&out->stretches, &out->stretch_capacity, out->count, sizeof *out->stretches, "skin",
                        error));
    for (int32_t k = 0; k < out->count; k++) {
        out->stretches[k] = pass->stretches[out->index[k]];
        out->kernels[k].weight = pass->bins->kernels[out->index[k]].weight;
    }
    return DLP_OK;
}

// The radii handed to the sort are scaled by the longest axis, so that the bins find every block that a
// stretched kernel reaches; the weights that follow from them are replaced by those of the round kernels.
static dlp_status stretch(anisotropy_pass *pass, dlp_team *team, dlp_kernel_bins *out, dlp_error *error)
{
    const int32_t count = pass->bins->count;
    dlp_parallel_for(team, count, 256, measure_neighbourhoods, pass);
    dlp_parallel_for(team, count, 256, stretch_all, pass);
    if (atomic_load(&pass->is_short))
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room for the neighbours of %d particles",
                        count);
    float *still = dlp_alloc(3 * (size_t)count, sizeof *still, "skin");
    if (still == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room for %d particles", count);
    const dlp_particle_view moved = {.count = count,
                                     .positions = pass->positions,
                                     .radii = pass->radii,
                                     .velocities = still,
                                     .displacements = still,
                                     .substance = -1};
    dlp_status status = dlp_kernel_bins_sort(out, &moved, pass->cell, pass->bins->target, team, error);
    if (status == DLP_OK) status = fill(pass, out, error);
    dlp_free(still);
    return status;
}

dlp_status dlp_kernel_bins_stretch(const dlp_kernel_bins *bins, const dlp_particle_view *particles,
                                   double cell, dlp_team *team, dlp_kernel_bins *out_stretched,
                                   dlp_error *error)
{
    const size_t count = (size_t)bins->count;
    anisotropy_pass pass = {.bins = bins,
                            .around = dlp_alloc(count, sizeof *pass.around, "skin"),
                            .positions = dlp_alloc(3 * count, sizeof *pass.positions, "skin"),
                            .radii = dlp_alloc(count, sizeof *pass.radii, "skin"),
                            .stretches = dlp_alloc(count, sizeof *pass.stretches, "skin"),
                            .particles = particles,
                            .cell = cell};
    dlp_status status = DLP_OK;
    if (pass.around == NULL || pass.positions == NULL || pass.radii == NULL || pass.stretches == NULL)
        status = dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room to stretch %d kernels", bins->count);
    else
        status = stretch(&pass, team, out_stretched, error);
    dlp_free(pass.around);
    dlp_free(pass.positions);
    dlp_free(pass.radii);
    dlp_free(pass.stretches);
    return status;
}
