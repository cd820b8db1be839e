/* What the tests of elastic formulas share: the formulas in double precision, and deformations to try. */
#ifndef DLP_TESTS_DEFORMATIONS_H
#define DLP_TESTS_DEFORMATIONS_H

#define DLP_DOUBLE
#include "base/svd.h"
#include "matter/elastic.h"
#include "matter/plastic.h"
#include "matter/principal.h"

#include <string.h>
#include "truth.h"

/* -1/2 .. 1/2 */
static inline double random_number(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24) - 0.5;
}
static inline dlp_t3 random_matrix(uint32_t *seed, double size)
{
    double m[9];
    for (int k = 0; k < 9; k++) m[k] = 2 * size * random_number(seed);
    return (dlp_t3){m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]};
}
static inline dlp_rotation random_quaternion(uint32_t *seed)
{
    const double w = random_number(seed), x = random_number(seed), y = random_number(seed),
                 z = random_number(seed), size = sqrt(w * w + x * x + y * y + z * z);
    return (dlp_rotation){w / size, x / size, y / size, z / size};
}
static inline dlp_t3 random_rotation(uint32_t *seed)
{
    return dlp_rotation_matrix(random_quaternion(seed));
}

static inline void to_array(dlp_t3 a, double out[9])
{
    const double all[9] = {a.xx, a.xy, a.xz, a.yx, a.yy, a.yz, a.zx, a.zy, a.zz};
    memcpy(out, all, sizeof all);
}
static inline dlp_t3 from_array(const double m[9])
{
    return (dlp_t3){m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]};
}
/* U diag(s) V^T */
static inline dlp_t3 with_stretches(dlp_t3 u, dlp_t3 v, double x, double y, double z)
{
    return dlp_t3_product_transposed(dlp_t3_product(u, dlp_t3_diagonal(x, y, z)), v);
}
static inline double size_of(dlp_t3 a)
{
    return sqrt(dlp_t3_dot(a, a));
}
static inline double distance(dlp_t3 a, dlp_t3 b)
{
    return size_of(dlp_t3_sub(a, b));
}

#endif
