/*
 * scale.c - sums run over x / max |x|, because squares of magnitudes like
 * 1e300 do not fit a double.
 */
#include "scale.h"

#include <float.h>
#include <math.h>

#include "mem.h"

#define UNIT_CONSTANT 1e-300
#define ORIGIN_MOST 1e6

prae_status
pri_scale_init(struct scale *scale, size_t D)
{
    *scale = (struct scale){.D = D};
    scale->centre = pri_block_new(D, sizeof(double));
    scale->unit = pri_block_new(D, sizeof(double));
    scale->least = pri_block_new(D, sizeof(double));
    if (scale->centre == NULL || scale->unit == NULL || scale->least == NULL) {
        pri_scale_fini(scale);
        return PRAE_ENOMEM;
    }
    for (size_t d = 0; d < D; d++)
        scale->unit[d] = 1.0;
    return PRAE_OK;
}

void
pri_scale_fini(struct scale *scale)
{
    free(scale->centre);
    free(scale->unit);
    free(scale->least);
    *scale = (struct scale){0};
}

static void
fit_column(struct scale *scale, size_t d, const double *x, size_t rows)
{
    size_t D = scale->D, count = 0;
    double low = (double)INFINITY, high = -(double)INFINITY;

    for (size_t i = 0; i < rows; i++) {
        double value = x[i * D + d];
        low = value < low ? value : low;
        high = value > high ? value : high;
        count += !isnan(value);
    }
    if (count == 0)
        return; /* as it was: nothing is known of it */
    scale->centre[d] = low;
    scale->unit[d] = fmax(UNIT_CONSTANT, scale->least[d]);
    if (low == high) /* exactly, where a mean would round */
        return;

    double size = fmax(fabs(low), fabs(high));
    double sum = 0.0, squares = 0.0;
    /* From the lowest value on, so that a large offset costs no digits. */
    for (size_t i = 0; i < rows; i++)
        if (!isnan(x[i * D + d]))
            sum += x[i * D + d] / size - low / size;
    double mean = low / size + sum / (double)count;
    for (size_t i = 0; i < rows; i++) {
        double away = x[i * D + d] / size - mean;
        if (!isnan(away))
            squares += away * away;
    }
    double deviation = sqrt(squares / (double)count);
    double range = high / size - low / size;
    double unit = fmin(range, 8.0 * deviation) / 4.0 * size;
    scale->centre[d] = mean * size;
    if (unit > scale->unit[d])
        scale->unit[d] = unit;
}

void
pri_scale_fit(struct scale *scale, const double *x, size_t rows)
{
    for (size_t d = 0; d < scale->D; d++)
        fit_column(scale, d, x, rows);
}

void
pri_scale_apply(const struct scale *scale, const double *x, size_t rows,
                int clip, float *out)
{
    size_t D = scale->D;

    for (size_t i = 0; i < rows; i++) {
        for (size_t d = 0; d < D; d++) {
            /* Halved, because the difference of two huge values may not fit
             * a double. The quotient may still be infinite, which the clip
             * brings back. */
            double value = (0.5 * x[i * D + d] - 0.5 * scale->centre[d]) /
                           (0.5 * scale->unit[d]);
            if (clip) {
                value = value < -PRI_SCALE_CLIP ? -PRI_SCALE_CLIP : value;
                value = value > PRI_SCALE_CLIP ? PRI_SCALE_CLIP : value;
            }
            out[i * D + d] = (float)value;
        }
    }
}

void
pri_scale_origin(const struct scale *scale, float *origin)
{
    for (size_t d = 0; d < scale->D; d++) {
        double zero = -scale->centre[d] / scale->unit[d];
        /* Constant columns lie any number of units away from 0. */
        origin[d] = fabs(zero) < ORIGIN_MOST ? (float)zero : 0.0f;
    }
}

double
pri_scale_undo(const struct scale *scale, size_t d, double value)
{
    double own = scale->centre[d] + value * scale->unit[d];

    return own > DBL_MAX ? DBL_MAX : own < -DBL_MAX ? -DBL_MAX : own;
}
