/*
 * kernel_vec.h - vectors of floats, as wide as the processor's that this is
 * compiled for. The compiler makes what it can of them elsewhere.
 */
#ifndef PRI_KERNEL_VEC_H
#define PRI_KERNEL_VEC_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define LANES 16
#elif defined(__AVX__)
#define LANES 8
#else
#define LANES 4
#endif

#define TWO_VECS ((size_t)2 * LANES)

typedef float vec __attribute__((vector_size(4 * LANES)));
typedef int32_t vec_mask __attribute__((vector_size(4 * LANES)));

#define INLINE static inline __attribute__((always_inline))

/* Before a loop over registers: of constant length once it is inlined. */
#define UNROLL _Pragma("GCC unroll 16")

INLINE vec
vec_load(const float *from)
{
    vec v;

    memcpy(&v, from, sizeof v); /* from anywhere */
    return v;
}

INLINE void
vec_store(float *to, vec v)
{
    memcpy(to, &v, sizeof v);
}

INLINE vec
vec_all(float value)
{
    return value - (vec){0};
}

/* v with its lanes swapped in pairs of halves, quarters and so on. */
#if LANES == 16
#define SWAP_8(v)                                                              \
    __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, \
                            5, 6, 7)
#define SWAP_4(v)                                                            \
    __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, \
                            9, 10, 11)
#define SWAP_2(v)                                                           \
    __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, \
                            15, 12, 13)
#define SWAP_1(v)                                                           \
    __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, \
                            12, 15, 14)
#elif LANES == 8
#define SWAP_4(v) __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3)
#define SWAP_2(v) __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5)
#define SWAP_1(v) __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6)
#else
#define SWAP_2(v) __builtin_shufflevector(v, v, 2, 3, 0, 1)
#define SWAP_1(v) __builtin_shufflevector(v, v, 1, 0, 3, 2)
#endif

/* The sum of the lanes. */
INLINE float
vec_sum(vec v)
{
#if LANES >= 16
    v += SWAP_8(v);
#endif
#if LANES >= 8
    v += SWAP_4(v);
#endif
    v += SWAP_2(v);
    v += SWAP_1(v);
    return v[0];
}

/* a where MASK says so, else b. */
INLINE vec
vec_choose(vec_mask mask, vec a, vec b)
{
    return (vec)((mask & (vec_mask)a) | (~mask & (vec_mask)b));
}

/* The smaller of both, and the larger, lane by lane; b where either is NaN.
 * Compilers do not see that one instruction does just that. */
INLINE vec
vec_min(vec a, vec b)
{
#if defined(__AVX512F__)
    return (vec)_mm512_min_ps((__m512)a, (__m512)b);
#elif defined(__AVX__)
    return (vec)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return (vec)_mm_min_ps((__m128)a, (__m128)b);
#else
    return vec_choose(a < b, a, b);
#endif
}

INLINE vec
vec_max(vec a, vec b)
{
#if defined(__AVX512F__)
    return (vec)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX__)
    return (vec)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return (vec)_mm_max_ps((__m128)a, (__m128)b);
#else
    return vec_choose(a > b, a, b);
#endif
}

/* The largest lane, in all lanes. */
INLINE vec
vec_most(vec v)
{
#if LANES >= 16
    v = vec_max(v, SWAP_8(v));
#endif
#if LANES >= 8
    v = vec_max(v, SWAP_4(v));
#endif
    v = vec_max(v, SWAP_2(v));
    return vec_max(v, SWAP_1(v));
}

/* One bit for each lane. */
INLINE uint64_t
vec_bits(vec_mask mask)
{
#if defined(__AVX512DQ__)
    return _mm512_movepi32_mask((__m512i)mask);
#elif defined(__AVX__)
    return (unsigned)_mm256_movemask_ps((__m256)mask);
#elif defined(__SSE2__)
    return (unsigned)_mm_movemask_ps((__m128)mask);
#else
    uint64_t bits = 0;
    for (size_t i = 0; i < LANES; i++)
        bits |= (uint64_t)(mask[i] != 0) << i;
    return bits;
#endif
}

#endif
