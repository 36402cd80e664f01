/* kernel_step.h - the rest of a training step: errors, gates, Adam. */
#include <math.h>
#include <string.h>

#include "gate.h"

/* ---- errors ---- */

static void
error(const struct error_batch *batch, const float *weight, float *e)
{
    size_t B = batch->B;

    memset(e, 0, B * sizeof *e);
    for (size_t d = 0; d < batch->D; d++) {
        const float *x = batch->x + d * batch->stride;
        const float *y = batch->y + d * batch->stride;
        float w = weight == NULL ? 1.0f : weight[d];
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
