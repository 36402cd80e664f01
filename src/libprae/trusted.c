/* trusted.c - what trusted records say of scale, errors and scores. */
#include <math.h>
#include <string.h>

#include "kernel.h"
#include "learner.h"

#define STRIDE 509       /* between samples: a prime, to reach all places */
#define RANGE_LEAST 0.01 /* of the trusted range: the least unit */
#define RANGE_MOST 4.0   /* of it, what an upset may make of it */

void
pri_trusted_widen(struct learner *learner, const double *x, size_t N)
{
    size_t D0 = learner->context.D0;
    struct moments m;

    for (size_t d = 0; d < D0; d++) {
        size_t k = d % PRI_MOMENTS_COLS, left = D0 - d;
        if (k == 0)
            pri_kernel()->moments(
                x + d, N, D0, left < PRI_MOMENTS_COLS ? left : PRI_MOMENTS_COLS,
                &m);
        if (m.low[k] < learner->ever_low[d])
            learner->ever_low[d] = m.low[k];
        if (m.high[k] > learner->ever_high[d])
            learner->ever_high[d] = m.high[k];
    }
}

void
pri_trusted_narrow(struct learner *learner)
{
    const struct reservoir *trusted = &learner->reservoir;
    size_t D0 = learner->context.D0;

    memcpy(learner->ever_low, trusted->low, D0 * sizeof(double));
    memcpy(learner->ever_high, trusted->high, D0 * sizeof(double));
}

/*
 * Least units. A value's is a hundredth of its trusted range, so that one
 * that has stood still for a while is not news when it moves as it used to.
 * A change's and a spread's is a hundredth of the value's range ever seen,
 * though not of more than four times what was trusted: a spread lasts, and
 * where the value had never moved before, one blip would make hundreds of
 * records behind it look odd.
 */
static void
set_least(struct learner *learner, const struct reservoir *trusted)
{
    size_t D0 = learner->context.D0;

    for (size_t d = 0; d < learner->D; d++) {
        double range = learner->ever_high[d % D0] - learner->ever_low[d % D0];
        double known = 0.0;
        double least = learner->least[d % D0];
        if (trusted != NULL)
            known = trusted->high[d % D0] - trusted->low[d % D0];
        if (d < D0)
            range = known;
        else if (known > 0.0 && range > RANGE_MOST * known)
            range = RANGE_MOST * known;
        if (isfinite(range) && range * RANGE_LEAST > least)
            least = range * RANGE_LEAST;
        learner->scale.least[d] = least;
    }
}

void
pri_trusted_scale(struct learner *learner)
{
    const struct reservoir *trusted = &learner->reservoir;

    set_least(learner, trusted);
    pri_scale_fit(&learner->scale, trusted->x, trusted->count);
}

void
pri_trusted_scale_first(struct learner *learner, size_t N)
{
    set_least(learner, NULL);
    pri_scale_fit(&learner->scale, learner->wide, N);
}

size_t
pri_trusted_sample(struct learner *learner)
{
    const struct reservoir *trusted = &learner->reservoir;
    size_t count = trusted->count < PRI_SAMPLE ? trusted->count : PRI_SAMPLE;

    /* They lie at random in the reservoir, so any stretch is a sample. */
    size_t first = 0;
    if (count < trusted->count)
        first = learner->model * STRIDE % (trusted->count - count + 1);
    pri_scale_apply(&learner->scale, trusted->x + first * learner->D, count, 1,
                    learner->sample);
    learner->sample_first = first;
    learner->sample_count = count;
    return count;
}

/* The mean of ||x||^2, which lambda=me is a multiple of. */
static void
measure_energy(struct learner *learner, size_t count)
{
    double sum = 0.0;

    for (size_t i = 0; i < count * learner->D; i++)
        if (!isnan(learner->sample[i]))
            sum += (double)learner->sample[i] * (double)learner->sample[i];
    learner->energy = (float)(sum / (double)count);
}

size_t
pri_trusted_errors(struct learner *learner)
{
    size_t count = pri_trusted_sample(learner);

    pri_trainer_errors(&learner->trainer, learner->sample, count,
                       learner->sample_e);
    if (learner->params.lambda_rule == PRAE_LAMBDA_ME)
        measure_energy(learner, count);
    return count;
}
