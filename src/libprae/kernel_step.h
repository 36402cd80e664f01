/* kernel_step.h - the rest of a training step: errors, gates, Adam. */
#include <math.h>
#include <string.h>

#include "gate.h"
#include "kernel_vec.h"

#define MISFIT_ROWS 8 /* features whose parts are added side by side */
#define MISFIT_COLS 64

/* ---- errors ---- */

static void
error(const struct error_batch *batch, const float *weight, float *e)
{
    size_t B = batch->B;

    memset(e, 0, B * sizeof *e);
    for (size_t d = 0; d < batch->D; d++) {
        const float *y = batch->y + d * batch->stride;
        float w = weight == NULL ? 1.0f : weight[d];
        if (batch->x == NULL) {
            for (size_t j = 0; j < B; j++)
                e[j] += w * y[j] * y[j];
            continue;
        }
        const float *x = batch->x + d * batch->stride;
        if (batch->seen == NULL) {
            for (size_t j = 0; j < B; j++)
                e[j] += w * (y[j] - x[j]) * (y[j] - x[j]);
        } else {
            const float *seen = batch->seen + d * batch->stride;
            for (size_t j = 0; j < B; j++) {
                float away = (y[j] - x[j]) * seen[j];
                e[j] += w * away * away;
            }
        }
    }
    for (size_t j = 0; j < B; j++)
        e[j] /= batch->norm[j];
}

/* Of one feature, from column J on, SOME misfits and their part of errors. */
INLINE void
misfit_row(const struct error_batch *batch, size_t d, size_t j, size_t some,
           float *away, float *part)
{
    const float *x = batch->x + d * batch->stride + j;
    const float *y = batch->y + d * batch->stride + j;
    const float *norm = batch->norm + j;

    for (size_t i = 0; i < some; i++)
        away[i] = y[i] - x[i];
    if (batch->seen != NULL) {
        const float *seen = batch->seen + d * batch->stride + j;
        for (size_t i = 0; i < some; i++)
            away[i] *= seen[i];
    }
    for (size_t i = 0; i < some; i++)
        part[i] = away[i] * away[i] / norm[i];
}

/* Each feature's parts are added in their order, which takes its time: some
 * features side by side. */
static void
misfit(const struct error_batch *batch, const unsigned char *good, float *away,
       size_t stride, double *square)
{
    float part[MISFIT_ROWS][MISFIT_COLS] = {{0.0f}};

    for (size_t j = 0; j < batch->B; j += MISFIT_COLS) {
        size_t rest = batch->B - j;
        size_t some = rest < MISFIT_COLS ? rest : MISFIT_COLS;
        for (size_t d = 0; d < batch->D; d += MISFIT_ROWS) {
            size_t left = batch->D - d;
            size_t rows = left < MISFIT_ROWS ? left : MISFIT_ROWS;
            double sum[MISFIT_ROWS] = {0.0};
            memcpy(sum, square + d, rows * sizeof *sum);
            for (size_t c = 0; c < rows; c++)
                misfit_row(batch, d + c, j, some, away + (d + c) * stride + j,
                           part[c]);
            for (size_t i = 0; i < some; i++) {
                if (good != NULL && !good[j + i])
                    continue;
                UNROLL
                for (size_t c = 0; c < MISFIT_ROWS; c++)
                    sum[c] += (double)part[c][i];
            }
            memcpy(square + d, sum, rows * sizeof *sum);
        }
    }
}

/* dy_dj = 2 z_j (y_dj - x_dj) / (whole norm_j), nothing for what is missing. */
static void
error_back(const struct error_batch *batch, const float *z, float *dy)
{
    size_t B = batch->B;
    float share = 2.0f / (float)batch->whole;

    for (size_t d = 0; d < batch->D; d++) {
        const float *x = batch->x + d * batch->stride;
        const float *y = batch->y + d * batch->stride;
        float *to = dy + d * batch->stride;
        for (size_t j = 0; j < B; j++)
            to[j] = share * z[j] * (y[j] - x[j]) / batch->norm[j];
        if (batch->seen == NULL)
            continue;
        const float *seen = batch->seen + d * batch->stride;
        for (size_t j = 0; j < B; j++)
            to[j] *= seen[j];
    }
}

/* ---- gates ---- */

/* mu -= (e - lambda) dE z/dmu / unit */
static void
gate_l1(const struct gate_visit *visit)
{
    const float *restrict e = visit->e;
    float *restrict mu = visit->mu, *restrict z = visit->z;
    struct gate_visit v = *visit;

    for (size_t i = 0; i < v.count; i++) {
        float slope;
        pri_gate_mean_both(mu[i], v.sigma, &z[i], &slope);
        mu[i] -= (e[i] - v.lambda) / v.unit * slope;
    }
}

/* mu -= (e dE z/dmu - lambda dP/dmu) / unit. With little noise dP/dmu is a
 * peak that would throw a gate so far open that nothing closes it again, so
 * a step opens by no more than the gate's whole range. */
static void
gate_l0(const struct gate_visit *visit)
{
    const float *restrict e = visit->e;
    float *restrict mu = visit->mu, *restrict z = visit->z;
    struct gate_visit v = *visit;

    for (size_t i = 0; i < v.count; i++) {
        float chance_slope = pri_gate_chance_slope(mu[i], v.sigma);
        float mean_slope;
        pri_gate_mean_both(mu[i], v.sigma, &z[i], &mean_slope);
        float step = (e[i] * mean_slope - v.lambda * chance_slope) / v.unit;
        mu[i] -= step > -1.0f ? step : -1.0f;
    }
}

/* ---- Adam ---- */

static void
adam(const struct adam_step *step, size_t count, const float *restrict grad,
     float *restrict mean, float *restrict square, float *restrict param)
{
    struct adam_step s = *step;

    for (size_t i = 0; i < count; i++) {
        float g = grad[i];
        mean[i] = s.beta1 * mean[i] + (1.0f - s.beta1) * g;
        square[i] = s.beta2 * square[i] + (1.0f - s.beta2) * g * g;
        param[i] -= s.rate * mean[i] / (sqrtf(square[i]) * s.root + s.epsilon);
    }
}
