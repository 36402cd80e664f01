/* kernel_scale.h - passes over rows of doubles, some columns at a time. */
#include <math.h>
#include <stddef.h>

#define COLS PRI_MOMENTS_COLS

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
        moments_cols(x, rows, step, COLS, out);
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
