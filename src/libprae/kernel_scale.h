/* kernel_scale.h - passes over rows of doubles, some columns at a time. */
#include <math.h>
#include <stddef.h>

#include "kernel_vec.h"

#define COLS PRI_MOMENTS_COLS
#define WIDE_LANES (LANES / 2)

typedef double wide __attribute__((vector_size(8 * WIDE_LANES)));
typedef int64_t wide_mask __attribute__((vector_size(8 * WIDE_LANES)));

/* The first value of a column that is there, or 0: sums about one of the
 * values lose no digits that count, however far they are from 0. */
static double
first_value(const double *x, size_t rows, size_t step)
{
    for (size_t i = 0; i < rows; i++)
        if (!isnan(x[i * step]))
            return x[i * step];
    return 0.0;
}

INLINE void
moments_cols(const double *x, size_t rows, size_t step, size_t cols,
             struct moments *out)
{
    struct moments m = *out;

    for (size_t i = 0; i < rows; i++) {
        for (size_t d = 0; d < cols; d++) {
            double value = x[i * step + d];
            double away = value == value ? value - m.first[d] : 0.0;
            m.low[d] = value < m.low[d] ? value : m.low[d];
            m.high[d] = value > m.high[d] ? value : m.high[d];
            m.count[d] += value == value ? 1.0 : 0.0;
            m.sum[d] += away;
            m.square[d] += away * away;
        }
    }
    *out = m;
}

/* As vec_min and vec_max: b where either is NaN. */
INLINE wide
wide_min(wide a, wide b)
{
#if defined(__AVX512F__)
    return (wide)_mm512_min_pd((__m512d)a, (__m512d)b);
#elif defined(__AVX__)
    return (wide)_mm256_min_pd((__m256d)a, (__m256d)b);
#elif defined(__SSE2__)
    return (wide)_mm_min_pd((__m128d)a, (__m128d)b);
#else
    wide_mask less = a < b;
    return (wide)((less & (wide_mask)a) | (~less & (wide_mask)b));
#endif
}

INLINE wide
wide_max(wide a, wide b)
{
#if defined(__AVX512F__)
    return (wide)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif defined(__AVX__)
    return (wide)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif defined(__SSE2__)
    return (wide)_mm_max_pd((__m128d)a, (__m128d)b);
#else
    wide_mask more = a > b;
    return (wide)((more & (wide_mask)a) | (~more & (wide_mask)b));
#endif
}

/* The same of COLS, in registers: what is in memory has to be waited for from
 * row to row. */
INLINE void
moments_all(const double *x, size_t rows, size_t step, struct moments *out)
{
    enum { VECTORS = COLS / WIDE_LANES };
    wide first[VECTORS], low[VECTORS], high[VECTORS];
    wide sum[VECTORS], square[VECTORS];
    wide_mask gaps[VECTORS] = {{0}}; /* minus how many */

    memcpy(first, out->first, sizeof first);
    memcpy(low, out->low, sizeof low);
    memcpy(high, out->high, sizeof high);
    memcpy(sum, out->sum, sizeof sum);
    memcpy(square, out->square, sizeof square);
    for (size_t i = 0; i < rows; i++) {
        UNROLL
        for (size_t v = 0; v < VECTORS; v++) {
            wide value;
            memcpy(&value, x + i * step + v * WIDE_LANES, sizeof value);
            /* NOLINTNEXTLINE(misc-redundant-expression): NaN is not itself */
            wide_mask gap = value != value;
            wide away = value - first[v];
            low[v] = wide_min(value, low[v]);
            high[v] = wide_max(value, high[v]);
            gaps[v] += gap;
            sum[v] += (wide)(~gap & (wide_mask)away);
            square[v] += (wide)(~gap & (wide_mask)(away * away));
        }
    }
    memcpy(out->low, low, sizeof low);
    memcpy(out->high, high, sizeof high);
    memcpy(out->sum, sum, sizeof sum);
    memcpy(out->square, square, sizeof square);
    for (size_t d = 0; d < COLS; d++) {
        const size_t v = d / WIDE_LANES, lane = d % WIDE_LANES;
        out->count[d] = (double)((int64_t)rows + gaps[v][lane]);
    }
}

static void
moments(const double *x, size_t rows, size_t step, size_t cols,
        struct moments *out)
{
    for (size_t d = 0; d < COLS; d++) {
        out->first[d] = d < cols ? first_value(x + d, rows, step) : 0.0;
        out->low[d] = (double)INFINITY;
        out->high[d] = -(double)INFINITY;
        out->count[d] = out->sum[d] = out->square[d] = 0.0;
    }
    if (cols == COLS)
        moments_all(x, rows, step, out);
    else
        moments_cols(x, rows, step, cols, out);
}

INLINE void
scale_cols(const double *x, const uint32_t *order, size_t rows, size_t step,
           size_t cols, const double *centre, const double *unit, double most,
           float *out)
{
    double half[COLS], per[COLS];

    /* Halved, because the difference of two huge values may not fit a double.
     * The product may still be infinite, which the clip brings back. */
    for (size_t d = 0; d < cols; d++) {
        half[d] = 0.5 * centre[d];
        per[d] = 2.0 / unit[d];
    }
    for (size_t i = 0; i < rows; i++) {
        const double *row = x + (order == NULL ? i : order[i]) * step;
        for (size_t d = 0; d < cols; d++) {
            double value = (0.5 * row[d] - half[d]) * per[d];
            value = value < -most ? -most : value;
            value = value > most ? most : value;
            out[i * step + d] = (float)value;
        }
    }
}

static void
scale(const double *x, const uint32_t *order, size_t rows, size_t D,
      const double *centre, const double *unit, double most, float *out)
{
    size_t whole = D / COLS * COLS;

    for (size_t d = 0; d < whole; d += COLS)
        scale_cols(x + d, order, rows, D, COLS, centre + d, unit + d, most,
                   out + d);
    if (whole < D)
        scale_cols(x + whole, order, rows, D, D - whole, centre + whole,
                   unit + whole, most, out + whole);
}
