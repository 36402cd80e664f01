/* scale.c - centres and units of columns. */
#include "scale.h"

#include <float.h>
#include <math.h>

#include "kernel.h"
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
set(struct scale *scale, size_t d, double centre, double unit)
{
    scale->centre[d] = centre;
    scale->unit[d] = fmax(unit, fmax(UNIT_CONSTANT, scale->least[d]));
}

/* Of a column from LOW to HIGH whose squares do not fit a double, as those of
 * 1e300: sums run over x / max |x|. */
static void
fit_column(struct scale *scale, size_t d, const double *x, size_t rows,
           double low, double high)
{
    size_t D = scale->D, count = 0;
    double size = fmax(fabs(low), fabs(high));
    double sum = 0.0, squares = 0.0;

    /* From the lowest value on, so that a large offset costs no digits. */
    for (size_t i = 0; i < rows; i++) {
        if (isnan(x[i * D + d]))
            continue;
        sum += x[i * D + d] / size - low / size;
        count++;
    }
    double mean = low / size + sum / (double)count;
    for (size_t i = 0; i < rows; i++) {
        double away = x[i * D + d] / size - mean;
        if (!isnan(away))
            squares += away * away;
    }
    double deviation = sqrt(squares / (double)count);
    double range = high / size - low / size;
    set(scale, d, mean * size, fmin(range, 8.0 * deviation) / 4.0 * size);
}

/* Centre and unit of column D, by the K-th of M. */
static void
take_moments(struct scale *scale, size_t d, const struct moments *m, size_t k)
{
    double count = m->count[k], mean = m->sum[k] / count;
    double variance = fmax(m->square[k] / count - mean * mean, 0.0);

    set(scale, d, m->first[k] + mean,
        fmin(m->high[k] - m->low[k], 8.0 * sqrt(variance)) / 4.0);
}

void
pri_scale_fit(struct scale *scale, const double *x, size_t rows)
{
    size_t D = scale->D;
    struct moments m;

    for (size_t d = 0; d < D; d++) {
        size_t k = d % PRI_MOMENTS_COLS;
        if (k == 0)
            pri_kernel()->moments(
                x + d, rows, D,
                D - d < PRI_MOMENTS_COLS ? D - d : PRI_MOMENTS_COLS, &m);
        if (m.count[k] == 0.0)
            continue;              /* as it was: nothing is known of it */
        if (m.low[k] == m.high[k]) /* exactly, where a mean would round */
            set(scale, d, m.low[k], 0.0);
        else if (isnormal(m.square[k]))
            take_moments(scale, d, &m, k);
        else
            fit_column(scale, d, x, rows, m.low[k], m.high[k]);
    }
}

void
pri_scale_apply(const struct scale *scale, const double *x, size_t rows,
                int clip, float *out)
{
    pri_kernel()->scale(x, NULL, rows, scale->D, scale->centre, scale->unit,
                        clip ? PRI_SCALE_CLIP : (double)INFINITY, out);
}

void
pri_scale_some(const struct scale *scale, const double *x,
               const uint32_t *order, size_t rows, float *out)
{
    pri_kernel()->scale(x, order, rows, scale->D, scale->centre, scale->unit,
                        PRI_SCALE_CLIP, out);
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
