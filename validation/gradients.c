// Deformation gradients: the lattice of particles, and the kernels but the linear ones.
#include "gradients_around.h"

#include "base/memory.h"

// The particles.

static int32_t lattice_index(const int32_t counts[3], int32_t x, int32_t y, int32_t z)
{
    const bool is_inside = x >= 0 && y >= 0 && z >= 0 && x < counts[0] && y < counts[1] && z < counts[2];
    return is_inside ? (z * counts[1] + y) * counts[0] + x : -1;
}

// Appends the neighbours of a particle; returns how many there are. Without a list it only counts.
static int32_t list_near(const dlp_gradient_lattice *lattice, const int32_t counts[3], double spacing,
                         int32_t i, int32_t *list)
{
    const int32_t reach = (int32_t)(lattice->support / spacing);
    const int32_t x = i % counts[0], y = i / counts[0] % counts[1], z = i / (counts[0] * counts[1]);
    int32_t found = 0;
    for (int32_t dz = -reach; dz <= reach; dz++)
        for (int32_t dy = -reach; dy <= reach; dy++)
            for (int32_t dx = -reach; dx <= reach; dx++) {
                const int32_t j = lattice_index(counts, x + dx, y + dy, z + dz);
                const double r = spacing * sqrt((double)(dx * dx + dy * dy + dz * dz));
                if (j < 0 || j == i || !(r < lattice->support)) continue;
                if (list != NULL) list[found] = j;
                found++;
            }
    return found;
}

dlp_status dlp_gradient_lattice_create(dlp_gradient_lattice *lattice, const int32_t counts[3], double spacing,
                                       double support, dlp_error *error)
{
    const int32_t count = counts[0] * counts[1] * counts[2];
    *lattice =
        (dlp_gradient_lattice){.count = count, .volume = spacing * spacing * spacing, .support = support};
    lattice->rest = dlp_alloc((size_t)count, sizeof *lattice->rest, "cloud");
    lattice->begin = dlp_alloc((size_t)count + 1, sizeof *lattice->begin, "cloud");
    if (lattice->rest == NULL || lattice->begin == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "%d particles", count);
    for (int32_t i = 0; i < count; i++) {
        const int32_t x = i % counts[0], y = i / counts[0] % counts[1], z = i / (counts[0] * counts[1]);
        const int32_t near = list_near(lattice, counts, spacing, i, NULL);
        if (near > DLP_NEAR_LIMIT)
            return dlp_fail(error, DLP_INVALID, "a support of %d particles; at most %d", near,
                            DLP_NEAR_LIMIT);
        lattice->rest[i] = dlp_mul(dlp_vec(x, y, z), spacing);
        lattice->begin[i + 1] = lattice->begin[i] + near;
    }
    lattice->neighbour = dlp_alloc((size_t)lattice->begin[count], sizeof *lattice->neighbour, "cloud");
    if (lattice->neighbour == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%d particles", count);
    for (int32_t i = 0; i < count; i++)
        list_near(lattice, counts, spacing, i, lattice->neighbour + lattice->begin[i]);
    return DLP_OK;
}

void dlp_gradient_lattice_release(dlp_gradient_lattice *lattice)
{
    dlp_free(lattice->rest);
    dlp_free(lattice->begin);
    dlp_free(lattice->neighbour);
    *lattice = (dlp_gradient_lattice){0};
}

void dlp_gradient_lattice_gradient(const dlp_gradient_lattice *lattice, const dlp_vec3 *gradients,
                                   const dlp_vec3 *places, int32_t i, double out_gradient[9])
{
    for (int k = 0; k < 9; k++) out_gradient[k] = 0;
    for (int32_t n = lattice->begin[i]; n < lattice->begin[i + 1]; n++) {
        const dlp_vec3 offset = dlp_sub(places[lattice->neighbour[n]], places[i]);
        for (int k = 0; k < 9; k++)
            out_gradient[k] += dlp_component(offset, k / 3) * dlp_component(gradients[n], k % 3);
    }
}

// One particle, one kernel after the other.

static void plain_at(const dlp_around *a, dlp_vec3 *out)
{
    for (int32_t n = 0; n < a->count; n++) out[n] = dlp_mul(dlp_vec(a->x[n], a->y[n], a->z[n]), a->slope[n]);
}

// (grad W - W gamma) / S, S = sum V W, gamma = sum V grad W / S.  [yang2023, eq. 8, where W is missing]
static void constant_at(const dlp_around *a, dlp_vec3 *out)
{
    double s = a->weight_here, gx = 0, gy = 0, gz = 0;
    for (int32_t n = 0; n < a->count; n++) {
        s += a->weight[n];
        gx += a->slope[n] * a->x[n];
        gy += a->slope[n] * a->y[n];
        gz += a->slope[n] * a->z[n];
    }
    const double over = 1 / s;
    const dlp_vec3 gamma = dlp_mul(dlp_vec(gx, gy, gz), over);
    for (int32_t n = 0; n < a->count; n++) {
        const dlp_vec3 slope = dlp_mul(dlp_vec(a->x[n], a->y[n], a->z[n]), a->slope[n] * over);
        out[n] = dlp_along(slope, gamma, -a->weight[n] * over);
    }
}

// L times that, L = (sum V grad~W d^T)^-1.
static void corrected_at(const dlp_around *a, dlp_vec3 *out)
{
    double m[9] = {0}, inverse[9];
    constant_at(a, out);
    for (int32_t n = 0; n < a->count; n++) {
        m[0] += out[n].x * a->x[n];
        m[1] += out[n].x * a->y[n];
        m[2] += out[n].x * a->z[n];
        m[3] += out[n].y * a->x[n];
        m[4] += out[n].y * a->y[n];
        m[5] += out[n].y * a->z[n];
        m[6] += out[n].z * a->x[n];
        m[7] += out[n].z * a->y[n];
        m[8] += out[n].z * a->z[n];
    }
    // F = sum (x_j - x_i) (L grad)^T must be I where x = X: L m = I
    dlp_invert3(m, inverse);
    for (int32_t n = 0; n < a->count; n++) out[n] = dlp_apply3(inverse, out[n]);
}

// A^-1 w d, A = sum w d d^T, w = slope: constants cancel in differences, so that S and gamma are not needed.
static void reduced_at(const dlp_around *a, dlp_vec3 *out)
{
    double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0, inverse[9];
    for (int32_t n = 0; n < a->count; n++) {
        const double x = a->x[n], y = a->y[n], z = a->z[n], wx = a->slope[n] * x, wy = a->slope[n] * y;
        xx += wx * x;
        xy += wx * y;
        xz += wx * z;
        yy += wy * y;
        yz += wy * z;
        zz += a->slope[n] * z * z;
    }
    const double m[9] = {xx, xy, xz, xy, yy, yz, xz, yz, zz};
    dlp_invert3(m, inverse);
    for (int32_t n = 0; n < a->count; n++)
        out[n] = dlp_mul(dlp_apply3(inverse, dlp_vec(a->x[n], a->y[n], a->z[n])), a->slope[n]);
}

// All particles.

DLP_GRADIENTS_OF_ALL(plain)
DLP_GRADIENTS_OF_ALL(constant)
DLP_GRADIENTS_OF_ALL(corrected)
DLP_GRADIENTS_OF_ALL(reduced)
