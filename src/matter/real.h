/* The number type of a formula. A formula is written once over `real`: one float here and on a device, eight
 * floats (base/wide.h) in a file that defines DLP_WIDE before it includes this. */
#ifndef DLP_MATTER_REAL_H
#define DLP_MATTER_REAL_H

#if defined(__OPENCL_VERSION__)
typedef float real;
typedef int real_mask;
#define DLP_FORMULA             static inline
#define real_of(x)              ((float)(x))
#define real_sqrt(x)            sqrt(x)
#define real_min(a, b)          ((a) < (b) ? (a) : (b))
#define real_max(a, b)          ((a) > (b) ? (a) : (b))
#define real_select(mask, a, b) ((mask) ? (a) : (b))

#elif defined(DLP_WIDE)
#include "base/wide.h"
typedef dlp_wide real;
typedef dlp_wide_int real_mask;
#define DLP_FORMULA             static inline __attribute__((always_inline, unused))
#define real_of(x)              dlp_wide_of(x)
#define real_sqrt(x)            dlp_wide_sqrt(x)
#define real_min(a, b)          dlp_wide_min(a, b)
#define real_max(a, b)          dlp_wide_max(a, b)
#define real_select(mask, a, b) dlp_wide_select(mask, a, b)

#else
typedef float real;
typedef int real_mask;
#define DLP_FORMULA             static inline __attribute__((unused))
#define real_of(x)              ((float)(x))
#define real_sqrt(x)            __builtin_sqrtf(x)
#define real_min(a, b)          ((a) < (b) ? (a) : (b))
#define real_max(a, b)          ((a) > (b) ? (a) : (b))
#define real_select(mask, a, b) ((mask) ? (a) : (b))
#endif

#endif
