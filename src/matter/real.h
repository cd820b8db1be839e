/* The number type of a formula. A formula is written once over `real`: one float here and on a device, eight
 * floats (base/wide.h) in a file that defines DLP_WIDE before it includes this, a double in one that defines
 * DLP_DOUBLE. A formula for all of them writes its constants as DLP_R(0.5), combines masks with & and ~, and
 * reads the bits of a number through real_bits. A file defines at most one of the two, before its first
 * include. The build forbids to contract a * b + c, so that one float and a lane of eight have the same bits.
 */
#ifndef DLP_MATTER_REAL_H
#define DLP_MATTER_REAL_H

#if defined(__OPENCL_VERSION__)
typedef float real;
typedef int real_mask, real_int;
#define DLP_FORMULA             static inline
#define DLP_R(constant)         constant##f
#define real_of(x)              ((float)(x))
#define real_of_int(n)          ((float)(n))
#define real_bits(x)            as_int(x)
#define real_of_bits(n)         as_float(n)
#define real_sqrt(x)            sqrt(x)
#define real_min(a, b)          ((a) < (b) ? (a) : (b))
#define real_max(a, b)          ((a) > (b) ? (a) : (b))
#define real_select(mask, a, b) ((mask) ? (a) : (b))

#elif defined(DLP_WIDE)
#include "base/wide.h"
typedef dlp_wide real;
typedef dlp_wide_int real_mask, real_int;
#define DLP_FORMULA             static inline __attribute__((always_inline, unused))
#define DLP_R(constant)         constant##f
#define real_of(x)              dlp_wide_of(x)
#define real_of_int(n)          dlp_wide_from_int(n)
#define real_bits(x)            ((dlp_wide_int)(x))
#define real_of_bits(n)         ((dlp_wide)(n))
#define real_sqrt(x)            dlp_wide_sqrt(x)
#define real_min(a, b)          dlp_wide_min(a, b)
#define real_max(a, b)          dlp_wide_max(a, b)
#define real_select(mask, a, b) dlp_wide_select(mask, a, b)

#else
#include <stdint.h>
#if defined(DLP_DOUBLE)
typedef double real;
typedef int64_t real_int;
#define DLP_R(constant) constant
#define real_sqrt(x)    __builtin_sqrt(x)
#else
typedef float real;
typedef int32_t real_int;
#define DLP_R(constant) constant##f
#define real_sqrt(x)    __builtin_sqrtf(x)
#endif
typedef int real_mask;
#define DLP_FORMULA             static inline __attribute__((unused))
#define real_of(x)              ((real)(x))
#define real_of_int(n)          ((real)(n))
#define real_min(a, b)          ((a) < (b) ? (a) : (b))
#define real_max(a, b)          ((a) > (b) ? (a) : (b))
#define real_select(mask, a, b) ((mask) ? (a) : (b))
DLP_FORMULA real_int real_bits(real x)
{
    const union {
        real number;
        real_int bits;
    } both = {.number = x};
    return both.bits;
}
DLP_FORMULA real real_of_bits(real_int n)
{
    const union {
        real_int bits;
        real number;
    } both = {.bits = n};
    return both.number;
}
#endif

/* An int as one number of the lanes' type; the mask and the unit of the exponent's bits; and the bits of
 * sqrt(1/2), from which logarithm.h counts powers of two. */
#if defined(DLP_DOUBLE)
#define DLP_R_INT(n)       ((double)(n))
#define DLP_EXPONENT_MASK  (~(real_int)0xfffffffffffff)
#define DLP_EXPONENT_UNIT  2.220446049250313e-16 /* 2^-52 */
#define DLP_ROOT_HALF_BITS ((real_int)0x3fe6a09e667f3bcd)
#else
#define DLP_R_INT(n)       ((float)(n))
#define DLP_EXPONENT_MASK  (~0x7fffff)
#define DLP_EXPONENT_UNIT  1.1920929e-7f /* 2^-23 */
#define DLP_ROOT_HALF_BITS 0x3f3504f3
#endif

/* max(x, 0) */
DLP_FORMULA real real_positive(real x)
{
    return real_max(x, real_of(DLP_R(0.0)));
}

#endif
