/* Norms in closed form; sums over lattices and half-spaces by brute force, once per scene. */
#include "matter/norm.h"
#include "base/elementary.h"
#include "matter/kernel.h"

#include <assert.h>

// One over the integral of shape(|x|) over the whole line, plane or space.
double dlp_kernel_norm(dlp_kernel_kind kind, int32_t dimension)
{
    const double pi = DLP_PI;
    switch (kind) {
    case DLP_KERNEL_DESBRUN:
        return dimension == 1 ? 1.0 / 8 : dimension == 2 ? 5 / (16 * pi) : 15 / (64 * pi);
    case DLP_KERNEL_SPLINE:
        return dimension == 1 ? 2.0 / 3 : dimension == 2 ? 10 / (7 * pi) : 1 / pi;
    case DLP_KERNEL_WENDLAND:
        return dimension == 2 ? 7 / (4 * pi) : dimension == 3 ? 21 / (16 * pi) : (double)NAN;
    case DLP_KERNEL_MULLER:
        return dimension == 2 ? 4 / (256 * pi) : dimension == 3 ? 315 / (64 * 512 * pi) : (double)NAN;
    }
    return (double)NAN;
}

double dlp_kernel_slope_norm(dlp_kernel_kind kind, int32_t dimension)
{
    return dlp_kernel_norm(kind == DLP_KERNEL_MULLER ? DLP_KERNEL_DESBRUN : kind, dimension);
}

double dlp_viscosity_norm(int32_t dimension)
{
    return dimension == 2 ? 40 / (32 * DLP_PI) : 45 / (64 * DLP_PI);
}

double dlp_kernel_shape(dlp_kernel_kind kind, double q)
{
    return (double)dlp_kernel_shape_of(kind, (float)q);
}

double dlp_kernel_slope(dlp_kernel_kind kind, double q)
{
    return (double)dlp_kernel_slope_of(kind, (float)q);
}

// Point (i, j, k) of a lattice whose particles own the volume (2-D: area) 1.
static dlp_vec3 lattice_point(dlp_lattice lattice, int32_t dimension, int i, int j, int k)
{
    if (lattice == DLP_LATTICE_CUBIC) return dlp_vec(i, j, dimension == 3 ? k : 0);
    const double a = dimension == 3 ? pow(2, 1.0 / 6) : sqrt(2 / sqrt(3));  // distance of neighbours
    const double odd_row = j & 1, odd_layer = dimension == 3 ? k & 1 : 0;
    const double row = sqrt(3) / 2, layer = sqrt(2.0 / 3);
    return dlp_vec(a * (i + 0.5 * odd_row + 0.5 * odd_layer), a * row * (j + odd_layer / 3),
                   dimension == 3 ? a * layer * k : 0);
}

dlp_lattice_sums dlp_lattice_sum(dlp_kernel_kind kind, int32_t dimension, double smoothing,
                                 dlp_lattice lattice)
{
    assert((dimension == 2 || dimension == 3) && smoothing > 0);
    const double h = smoothing, hd = pow(h, dimension);
    const double norm = dlp_kernel_norm(kind, dimension) / hd;
    const double slope_norm = dlp_kernel_slope_norm(kind, dimension) / (hd * h * h);
    const double laplacian_norm = dlp_viscosity_norm(dimension) / (hd * h * h);
    const double angular = dimension == 3 ? 15 : 8;  // mean of x^2 y^2 over directions is r^4 / angular
    const double factor = 2 * (dimension + 2);
    // n lattice steps along j and k hold the support (for h up to 10); rows of a hexagonal lattice are
    // shifted, so i goes twice as far
    const int n = (int)ceil(2 * h) + 2;
    dlp_lattice_sums sums = {.density = norm * dlp_kernel_shape(kind, 0)};
    for (int k = dimension == 3 ? -n : 0; k <= (dimension == 3 ? n : 0); k++)
        for (int j = -n; j <= n; j++)
            for (int i = -2 * n; i <= 2 * n; i++) {
                const dlp_vec3 x = lattice_point(lattice, dimension, i, j, k);
                const double r = dlp_length(x);
                if (r < 1e-9 || r >= 2 * h) continue;
                sums.neighbours += 1;
                sums.density += norm * dlp_kernel_shape(kind, r / h);
                sums.gradient -= slope_norm * dlp_kernel_slope(kind, r / h) * r * r / dimension;
                // virial shear stress of the pair force in a uniform shear flow, over the true one
                const double slope = slope_norm * dlp_kernel_slope(kind, r / h);
                sums.viscosity -= 0.5 * factor * r * r * r * r / angular * slope / (r * r + 0.01 * h * h);
                sums.conduction -= r * r / dimension * slope * r * r / (r * r + 0.01 * h * h);
                sums.laplacian += 0.5 * laplacian_norm * (2 - r / h) * r * r / dimension;
            }
    sums.gradient /= sums.density;
    return sums;
}

// The points of a lattice within the support around one of them, and the gradients of the kernel there.
typedef struct lattice_gradients {
    int32_t count;
    dlp_vec3 *at, *gradient;
} lattice_gradients;

// Of a pressure that varies as exp(i k x): |sum grad W sin(k x)|^2 over sum |grad W|^2.
static double eigenvalue_at(const lattice_gradients *g, dlp_vec3 k, double diagonal)
{
    dlp_vec3 sum = dlp_vec(0, 0, 0);
    for (int32_t n = 0; n < g->count; n++)
        sum = dlp_along(sum, g->gradient[n], dlp_sin(dlp_dot(k, g->at[n])));
    return dlp_dot(sum, sum) / diagonal;
}

// Waves along the axes and between them, up to the shortest that the lattice knows.
static double largest_eigenvalue(const lattice_gradients *g, int32_t dimension, double diagonal)
{
    enum { STEPS = 32, DIRECTIONS = 7 };
    double largest = 0;
    for (int direction = 1; direction <= DIRECTIONS; direction++) {
        if (dimension == 2 && direction >= 4) break;
        const dlp_vec3 along =
            dlp_normalize(dlp_vec(direction & 1, direction >> 1 & 1, direction >> 2), dlp_vec(1, 0, 0));
        for (int step = 1; step <= STEPS; step++)
            largest = fmax(largest, eigenvalue_at(g, dlp_mul(along, 4.5 * step / STEPS), diagonal));
    }
    return largest;
}

dlp_lattice_rows dlp_lattice_row(dlp_kernel_kind kind, int32_t dimension, double smoothing,
                                 dlp_lattice lattice)
{
    enum { ROOM = 4096 };
    const double h = smoothing;
    const dlp_lattice_sums sums = dlp_lattice_sum(kind, dimension, smoothing, lattice);
    const double slope_norm =
        dlp_kernel_slope_norm(kind, dimension) / (pow(h, dimension + 2) * sums.density * sums.gradient);
    dlp_vec3 at[ROOM], gradient[ROOM];
    lattice_gradients g = {0, at, gradient};
    dlp_lattice_rows rows = {0};
    const int n = (int)ceil(2 * h) + 2;
    for (int k = dimension == 3 ? -n : 0; k <= (dimension == 3 ? n : 0); k++)
        for (int j = -n; j <= n; j++)
            for (int i = -2 * n; i <= 2 * n; i++) {
                const dlp_vec3 x = lattice_point(lattice, dimension, i, j, k);
                const double r = dlp_length(x);
                if (r < 1e-9 || r >= 2 * h || g.count == ROOM) continue;
                at[g.count] = x;
                gradient[g.count] = dlp_mul(x, slope_norm * dlp_kernel_slope(kind, r / h));
                rows.diagonal += dlp_dot(gradient[g.count], gradient[g.count]);
                g.count++;
            }
    rows.eigenvalue = largest_eigenvalue(&g, dimension, rows.diagonal);
    return rows;
}

double dlp_half_space(dlp_kernel_kind kind, int32_t dimension, double q)
{
    assert(dimension == 2 || dimension == 3);
    if (q >= 2) return 0;
    if (q < 0) return 1 - dlp_half_space(kind, dimension, -q);
    const int n = 2000;  // midpoint rule over the spherical shells beyond the plane
    double sum = 0;
    for (int k = 0; k < n; k++) {
        const double r = q + (2 - q) * (k + 0.5) / n;
        const double share = dimension == 3 ? 2 * DLP_PI * r * (r - q) : 2 * r * acos(q / r);
        sum += dlp_kernel_shape(kind, r) * share;
    }
    return dlp_kernel_norm(kind, dimension) * sum * (2 - q) / n;
}

double dlp_whole_neighbourhood(int32_t dimension)
{
    return dimension == 3 ? 64 * DLP_PI / 15 : 2 * DLP_PI;
}

double dlp_neighbourhood_below(int32_t dimension, double q, double *out_offset)
{
    const int n = 2000;  // midpoint rule over the spherical shells beyond the plane
    assert(dimension == 2 || dimension == 3);
    // volume and first moment of what lies beyond the surface; the whole has no moment
    double missing = 0, moment = 0;
    for (int k = 0; k < n && q < 2; k++) {
        const double r = q + (2 - q) * (k + 0.5) / n, weight = (1 - r * r / 4) * (2 - q) / n;
        const double share = dimension == 3 ? 2 * DLP_PI * r * (r - q) : 2 * r * acos(q / r);
        const double first = dimension == 3 ? DLP_PI * r * (r * r - q * q) : 2 * r * sqrt(r * r - q * q);
        missing += weight * share;
        moment += weight * first;
    }
    const double present = dlp_whole_neighbourhood(dimension) - missing;
    *out_offset = moment / present;
    return present / dlp_whole_neighbourhood(dimension);
}
