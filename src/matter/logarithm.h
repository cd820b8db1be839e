/* The natural logarithm by + - * / alone: the same bits on every target, to about one unit in the last place.
 * What energies need of it is ln(1 + y) and y - ln(1 + y), both without loss where y is small. */
#ifndef DLP_MATTER_LOGARITHM_H
#define DLP_MATTER_LOGARITHM_H

#include "matter/real.h"

/* Terms of the series that reach the last place of the number type. */
#if defined(DLP_DOUBLE)
enum { DLP_LOG_TERMS = 11 };
#else
enum { DLP_LOG_TERMS = 5 };
#endif
#define DLP_LN2 DLP_R(0.693147180559945309)

/* 1 + y = 2^k (1 + f) with 1 + f from 1/sqrt 2 to sqrt 2; f = y where k = 0. */
typedef struct dlp_log_parts {
    real k, f;
} dlp_log_parts;

/* y above -1; what is nearer to it than 1e-30 counts as 1e-30. */
DLP_FORMULA dlp_log_parts dlp_log_split(real y)
{
    const real x = real_max(DLP_R(1.0) + y, real_of(DLP_R(1e-30)));
    const real_int bits = real_bits(x), power = (bits - DLP_ROOT_HALF_BITS) & DLP_EXPONENT_MASK;
    const real k = real_of_int(power) * DLP_EXPONENT_UNIT;
    const real f = real_of_bits(bits - power) - DLP_R(1.0);
    const dlp_log_parts parts = {k, real_select(k == DLP_R(0.0), y, f)};
    return parts;
}

/* f - ln(1 + f) = f^2/2 - s (f^2/2 + R) with s = f / (2 + f), R = 2 s^2/3 + 2 s^4/5 + ... [fdlibm1993] */
DLP_FORMULA real dlp_log_rest_near(real f)
{
    const real s = f / (DLP_R(2.0) + f), z = s * s, square = DLP_R(0.5) * f * f;
    real sum = real_of(DLP_R(0.0));
    for (int n = DLP_LOG_TERMS; n > 0; n--) sum = (sum + DLP_R(2.0) / DLP_R_INT(2 * n + 1)) * z;
    return square - s * (square + sum);
}

/* ln(1 + y); and y - ln(1 + y), which is not negative, and y^2/2 where y is small. */
typedef struct dlp_log_pair {
    real log, rest;
} dlp_log_pair;
DLP_FORMULA dlp_log_pair dlp_log1p(real y)
{
    const dlp_log_parts parts = dlp_log_split(y);
    const real near = dlp_log_rest_near(parts.f), whole = parts.k * DLP_LN2;
    const dlp_log_pair pair = {whole + (parts.f - near), ((y - parts.f) - whole) + near};
    return pair;
}

#endif
