/* What the kernels of gradients.h share: a particle's neighbours in the form that all of them use. */
#ifndef DLP_VALIDATION_GRADIENTS_AROUND_H
#define DLP_VALIDATION_GRADIENTS_AROUND_H

#include "gradients.h"

enum { DLP_NEAR_LIMIT = 256 };

/* Offsets d = X_j - X_i, V W and V grad W = slope d. */
typedef struct dlp_around {
    int32_t count;
    double weight_here; /* of the particle itself */
    double x[DLP_NEAR_LIMIT], y[DLP_NEAR_LIMIT], z[DLP_NEAR_LIMIT];
    double weight[DLP_NEAR_LIMIT], slope[DLP_NEAR_LIMIT];
} dlp_around;

static inline void dlp_look_around(const dlp_gradient_lattice *lattice, int32_t i, dlp_around *out)
{
    const int32_t *neighbour = lattice->neighbour + lattice->begin[i];
    const double square = lattice->support * lattice->support, h3 = square * lattice->support;
    const double scale = lattice->volume * 315 / (64 * DLP_PI * h3 * h3 * h3);
    const dlp_vec3 here = lattice->rest[i];
    out->count = lattice->begin[i + 1] - lattice->begin[i];
    out->weight_here = scale * square * square * square;
    for (int32_t n = 0; n < out->count; n++) {
        const dlp_vec3 d = dlp_sub(lattice->rest[neighbour[n]], here);
        const double inside = square - dlp_dot(d, d);
        out->x[n] = d.x;
        out->y[n] = d.y;
        out->z[n] = d.z;
        out->slope[n] = 6 * scale * inside * inside;
        out->weight[n] = scale * inside * inside * inside;
    }
}

/* The inverse of a 3 x 3 matrix by rows. */
static inline void dlp_invert3(const double m[9], double out[9])
{
    const double c[9] = {m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
                         m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
                         m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
    const double scale = 1 / (m[0] * c[0] + m[1] * c[3] + m[2] * c[6]);
    for (int k = 0; k < 9; k++) out[k] = scale * c[k];
}

static inline dlp_vec3 dlp_apply3(const double m[9], dlp_vec3 v)
{
    return dlp_vec(m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                   m[6] * v.x + m[7] * v.y + m[8] * v.z);
}

/* From one particle to all of them. */
#define DLP_GRADIENTS_OF_ALL(name)                                                                           \
    void dlp_gradients_##name(const dlp_gradient_lattice *lattice, dlp_vec3 *out_gradients)                  \
    {                                                                                                        \
        dlp_around a;                                                                                        \
        for (int32_t i = 0; i < lattice->count; i++) {                                                       \
            dlp_look_around(lattice, i, &a);                                                                 \
            name##_at(&a, out_gradients + lattice->begin[i]);                                                \
        }                                                                                                    \
    }

#endif
