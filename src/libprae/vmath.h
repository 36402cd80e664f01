/*
 * vmath.h - exp and the normal distribution without branches or
 * library calls, so that loops over them vectorise. Errors are absolute,
 * and tested against libm.
 */
#ifndef PRI_VMATH_H
#define PRI_VMATH_H

#include <stdint.h>
#include <string.h>

static inline float
pri_clamp(float x, float low, float high)
{
    x = x < low ? low : x;
    return x > high ? high : x;
}

/*
 * e^x for x in [-87, 88], clamped outside; relative error below 3e-7.
 * e^x = 2^n e^r with n = round(x / ln 2) and |r| <= ln 2 / 2; e^r by its
 * series.
 */
static inline float
pri_exp(float x)
{
    const float log2e = 1.44269504f;
    const float ln2_high = 0.693359375f; /* few bits: n * ln2_high is exact */
    const float ln2_low = -2.12194440e-4f;
    const float round = 12582912.0f; /* 1.5 * 2^23: adding it rounds */

    x = pri_clamp(x, -87.0f, 88.0f);
    float shifted = x * log2e + round;
    float n = shifted - round;
    float r = (x - n * ln2_high) - n * ln2_low;
    float series = 1.0f / 720.0f;
    series = series * r + 1.0f / 120.0f;
    series = series * r + 1.0f / 24.0f;
    series = series * r + 1.0f / 6.0f;
    series = series * r + 0.5f;
    series = series * r + 1.0f;
    series = series * r + 1.0f;
    /* 2^n: the sum's low bits are n, wanted in the exponent's place. Read as
     * bits, because a NaN has no integer value. */
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits - 0x4B400000u + 127u) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return series * power;
}

#define PRI_DENSITY_AT_0 0.39894228f /* 1 / sqrt(2 pi) */

/* The standard normal density phi(x). */
static inline float
pri_normal_density(float x)
{
    return PRI_DENSITY_AT_0 * pri_exp(-0.5f * x * x);
}

/*
 * The standard normal distribution Phi(x), error below 4e-7: Abramowitz
 * and Stegun 7.1.26 for erf, with t = 1 / (1 + p |x| / sqrt 2). DECAY is
 * e^(-x^2 / 2), for those who have it already.
 */
static inline float
pri_normal_below_by(float x, float decay)
{
    float size = x < 0.0f ? -x : x;
    float t = 1.0f / (1.0f + 0.3275911f * 0.70710678f * size);
    float poly = 1.061405429f;
    poly = poly * t - 1.453152027f;
    poly = poly * t + 1.421413741f;
    poly = poly * t - 0.284496736f;
    poly = poly * t + 0.254829592f;
    float tail = 0.5f * poly * t * decay;
    return x < 0.0f ? tail : 1.0f - tail;
}

static inline float
pri_normal_below(float x)
{
    return pri_normal_below_by(x, pri_exp(-0.5f * x * x));
}

#endif
