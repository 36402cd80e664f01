/*
 * scale.c - sums run over x / max |x|, because squares of magnitudes like
 * 1e300 do not fit a double.
 */
#include "scale.h"

#include <math.h>

#include "mem.h"

prae_status
pri_scale_init(struct scale *scale, size_t D)
{
    *scale = (struct scale){.D = D};
    scale->centre = pri_block_new(D, sizeof(double));
    scale->unit = pri_block_new(D, sizeof(double));
    if (scale->centre == NULL || scale->unit == NULL) {
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
    *scale = (struct scale){0};
}

static void
fit_column(struct scale *scale, size_t d, const double *x, size_t rows)
{
    size_t D = scale->D;
    double low = x[d], high = x[d];

    for (size_t i = 1; i < rows; i++) {
        double value = x[i * D + d];
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    if (low == high) { /* exactly, where a mean would round */
        scale->centre[d] = low;
        scale->unit[d] = 1.0;
        return;
    }

    double size = fmax(fabs(low), fabs(high));
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < rows; i++)
        sum += x[i * D + d] / size;
    double mean = sum / (double)rows;
    for (size_t i = 0; i < rows; i++) {
        double away = x[i * D + d] / size - mean;
        squares += away * away;
    }
    double deviation = sqrt(squares / (double)rows);
    double range = high / size - low / size;
    double unit = fmin(range, 8.0 * deviation) / 4.0 * size;
    scale->centre[d] = mean * size;
    scale->unit[d] = isnormal(unit) ? unit : 1.0;
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
            /* Either operation may overflow to an infinity, which the clip
             * brings back; none can make a NaN of finite values. */
            double value = (x[i * D + d] - scale->centre[d]) / scale->unit[d];
            if (clip) {
                value = value < -PRI_SCALE_CLIP ? -PRI_SCALE_CLIP : value;
                value = value > PRI_SCALE_CLIP ? PRI_SCALE_CLIP : value;
            }
            out[i * D + d] = (float)value;
        }
    }
}

double
pri_scale_undo(const struct scale *scale, size_t d, double value)
{
    return scale->centre[d] + value * scale->unit[d];
}
