/* Eight floats at once: one vector type, with one implementation per target. Every operation is exact or
 * rounded as IEEE 754 says, lane by lane, so the bits do not depend on the instruction set. A mask is a
 * dlp_wide_int whose lanes are -1 (true) or 0 (false), as comparisons give it. */
#ifndef DLP_BASE_WIDE_H
#define DLP_BASE_WIDE_H

#include <stdint.h>

#if defined(__AVX__) || defined(__SSE2__)
#include <immintrin.h>
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed between inlined functions only */
#endif

enum { DLP_LANES = 8 };
/* Values in registers; the unaligned types are for loads and stores at any float or int. */
typedef float dlp_wide __attribute__((vector_size(32), aligned(32)));
typedef int32_t dlp_wide_int __attribute__((vector_size(32), aligned(32)));
typedef uint32_t dlp_wide_unsigned __attribute__((vector_size(32), aligned(32)));
typedef float dlp_wide_unaligned __attribute__((vector_size(32), aligned(4)));
typedef int32_t dlp_wide_int_unaligned __attribute__((vector_size(32), aligned(4)));
typedef float dlp_quarter __attribute__((vector_size(16), aligned(16)));

#define DLP_INLINE static inline __attribute__((always_inline))

DLP_INLINE dlp_wide dlp_wide_of(float x)
{
    return (dlp_wide){x, x, x, x, x, x, x, x};
}
DLP_INLINE dlp_wide_int dlp_wide_int_of(int32_t x)
{
    return (dlp_wide_int){x, x, x, x, x, x, x, x};
}
DLP_INLINE dlp_wide_int dlp_wide_int_load(const int32_t *from)
{
    return *(const dlp_wide_int_unaligned *)from;
}
DLP_INLINE dlp_wide dlp_wide_load(const float *from)
{
    return *(const dlp_wide_unaligned *)from;
}
/* Four floats from one place and four from another. */
DLP_INLINE dlp_wide dlp_wide_load_halves(const float *low, const float *high)
{
#if defined(__AVX__)
    return (dlp_wide)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
#else
    return (dlp_wide){low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]};
#endif
}
/* a - b, wrapping around: positions on a periodic axis do. */
DLP_INLINE dlp_wide_int dlp_wide_int_sub(dlp_wide_int a, dlp_wide_int b)
{
    return (dlp_wide_int)((dlp_wide_unsigned)a - (dlp_wide_unsigned)b);
}
/* a where the mask is true, b elsewhere. */
DLP_INLINE dlp_wide dlp_wide_select(dlp_wide_int mask, dlp_wide a, dlp_wide b)
{
#if defined(__AVX__)
    return (dlp_wide)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)mask);
#else
    return (dlp_wide)(((dlp_wide_int)a & mask) | ((dlp_wide_int)b & ~mask));
#endif
}
/* a < b ? a : b, so b where one of them is NaN: what the instruction does */
DLP_INLINE dlp_wide dlp_wide_min(dlp_wide a, dlp_wide b)
{
#if defined(__AVX__)
    return (dlp_wide)_mm256_min_ps((__m256)a, (__m256)b);
#else
    return dlp_wide_select(a < b, a, b);
#endif
}
/* a > b ? a : b, likewise. */
DLP_INLINE dlp_wide dlp_wide_max(dlp_wide a, dlp_wide b)
{
#if defined(__AVX__)
    return (dlp_wide)_mm256_max_ps((__m256)a, (__m256)b);
#else
    return dlp_wide_select(a > b, a, b);
#endif
}
DLP_INLINE dlp_wide dlp_wide_sqrt(dlp_wide a)
{
#if defined(__AVX__)
    return (dlp_wide)_mm256_sqrt_ps((__m256)a);
#else
    for (int k = 0; k < DLP_LANES; k++) a[k] = __builtin_sqrtf(a[k]);
    return a;
#endif
}
/* Rounded to the nearest float; exact up to 2^24 in size. */
DLP_INLINE dlp_wide dlp_wide_from_int(dlp_wide_int a)
{
    return __builtin_convertvector(a, dlp_wide);
}
/* Bit k is set where lane k of the mask is true. */
DLP_INLINE uint32_t dlp_wide_bits(dlp_wide_int mask)
{
#if defined(__AVX__)
    return (uint32_t)_mm256_movemask_ps((__m256)mask);
#else
    uint32_t bits = 0;
    for (int k = 0; k < DLP_LANES; k++) bits |= (uint32_t)(mask[k] & 1) << k;
    return bits;
#endif
}
DLP_INLINE void dlp_wide_write(float *to, dlp_wide a)
{
    *(dlp_wide_unaligned *)to = a;
}
DLP_INLINE void dlp_wide_write_halves(float *low, float *high, dlp_wide a)
{
    for (int k = 0; k < 4; k++) low[k] = a[k];
    for (int k = 0; k < 4; k++) high[k] = a[k + 4];
}
DLP_INLINE void dlp_wide_int_write(int32_t *to, dlp_wide_int a)
{
    *(dlp_wide_int_unaligned *)to = a;
}
/* Numbers of the set bits in ascending order; the lanes after them are 0, which is a valid lane. With
 * dlp_wide_reorder this moves the selected lanes to the front: a compaction without branches. */
DLP_INLINE dlp_wide_int dlp_wide_set_order(uint32_t bits)
{
#if defined(__AVX2__) && defined(__BMI2__)
    const uint64_t bytes = _pdep_u64(bits, 0x0101010101010101u) * 0xff;
    const uint64_t places = _pext_u64(0x0706050403020100u, bytes);
    return (dlp_wide_int)_mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)places));
#else
    dlp_wide_int order = {0};
    for (int32_t count = 0; bits != 0; bits &= bits - 1) order[count++] = __builtin_ctz(bits);
    return order;
#endif
}
/* Lane k of the result is lane order[k] of a. */
DLP_INLINE dlp_wide_int dlp_wide_int_reorder(dlp_wide_int a, dlp_wide_int order)
{
#if defined(__AVX2__)
    return (dlp_wide_int)_mm256_permutevar8x32_epi32((__m256i)a, (__m256i)order);
#else
    dlp_wide_int out;
    for (int k = 0; k < DLP_LANES; k++) out[k] = a[order[k]];
    return out;
#endif
}
DLP_INLINE dlp_wide dlp_wide_reorder(dlp_wide a, dlp_wide_int order)
{
    return (dlp_wide)dlp_wide_int_reorder((dlp_wide_int)a, order);
}
/* Sum of the lanes in a fixed order, the same on all targets. */
DLP_INLINE float dlp_wide_sum(dlp_wide a)
{
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}
DLP_INLINE float dlp_wide_largest(dlp_wide a)
{
    float largest = a[0];
    for (int k = 1; k < DLP_LANES; k++) largest = a[k] > largest ? a[k] : largest;
    return largest;
}

/* Four consecutive floats of each of eight records: lane k holds those of record index[k]. */
typedef struct dlp_wide4 {
    dlp_wide a, b, c, d;
} dlp_wide4;

/* Records begin `stride` floats apart. `records` must be aligned to 16 bytes and `stride` a multiple of 4. */
DLP_INLINE dlp_wide4 dlp_wide_gather4(const float *records, const int32_t *index, int32_t stride)
{
#if defined(__AVX__)
#define ROW(k)  _mm_load_ps(records + (int64_t)index[k] * stride)
#define PAIR(k) _mm256_insertf128_ps(_mm256_castps128_ps256(ROW(k)), ROW(k + 4), 1)
    const __m256 r0 = PAIR(0), r1 = PAIR(1), r2 = PAIR(2), r3 = PAIR(3);
    const __m256 t0 = _mm256_unpacklo_ps(r0, r1), t1 = _mm256_unpackhi_ps(r0, r1);
    const __m256 t2 = _mm256_unpacklo_ps(r2, r3), t3 = _mm256_unpackhi_ps(r2, r3);
    return (dlp_wide4){(dlp_wide)_mm256_shuffle_ps(t0, t2, 0x44), (dlp_wide)_mm256_shuffle_ps(t0, t2, 0xee),
                       (dlp_wide)_mm256_shuffle_ps(t1, t3, 0x44), (dlp_wide)_mm256_shuffle_ps(t1, t3, 0xee)};
#undef PAIR
#undef ROW
#else
    dlp_wide4 out;
    for (int k = 0; k < DLP_LANES; k++) {
        const float *row = records + (int64_t)index[k] * stride;
        out.a[k] = row[0];
        out.b[k] = row[1];
        out.c[k] = row[2];
        out.d[k] = row[3];
    }
    return out;
#endif
}

/* The inverse: record index[k] gets lane k. Where two indices are equal, the later lane stays. */
DLP_INLINE void dlp_wide_scatter4(float *records, const int32_t *index, int32_t stride, dlp_wide4 v)
{
#if defined(__AVX__)
    const __m256 t0 = _mm256_unpacklo_ps((__m256)v.a, (__m256)v.b),
                 t1 = _mm256_unpackhi_ps((__m256)v.a, (__m256)v.b);
    const __m256 t2 = _mm256_unpacklo_ps((__m256)v.c, (__m256)v.d),
                 t3 = _mm256_unpackhi_ps((__m256)v.c, (__m256)v.d);
    const __m256 rows[4] = {_mm256_shuffle_ps(t0, t2, 0x44), _mm256_shuffle_ps(t0, t2, 0xee),
                            _mm256_shuffle_ps(t1, t3, 0x44), _mm256_shuffle_ps(t1, t3, 0xee)};
    for (int k = 0; k < 4; k++)
        _mm_store_ps(records + (int64_t)index[k] * stride, _mm256_castps256_ps128(rows[k]));
    for (int k = 0; k < 4; k++)
        _mm_store_ps(records + (int64_t)index[k + 4] * stride, _mm256_extractf128_ps(rows[k], 1));
#else
    for (int k = 0; k < DLP_LANES; k++) {
        float *row = records + (int64_t)index[k] * stride;
        row[0] = v.a[k];
        row[1] = v.b[k];
        row[2] = v.c[k];
        row[3] = v.d[k];
    }
#endif
}

#endif
