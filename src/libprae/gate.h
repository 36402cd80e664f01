/*
 * gate.h - one stochastic gate a record.
 *
 * The paper's symbols: z = clamp(mu + eps, 0, 1), eps ~ N(0, sigma^2), e the
 * record's reconstruction error. A gate minimises over mu
 *
 *     l1:  e E z - lambda E z           l0:  e E z - lambda P(z > 0)
 *
 * so it opens where e is small against lambda and closes where it is large.
 * With a = mu / sigma, b = (1 - mu) / sigma the expectations are exact:
 *
 *     E z      = sigma (phi(a) - phi(b)) + (mu - 1) Phi(b) - mu Phi(-a) + 1
 *     dE z/dmu = Phi(b) - Phi(-a)
 *     P(z > 0) = Phi(a),  dP/dmu = phi(a) / sigma
 */
#ifndef PRI_GATE_H
#define PRI_GATE_H

#include <stddef.h>

#include "prae.h"
#include "rng.h"
#include "vmath.h"

#define PRI_GATE_START 0.5f /* mu before anything is known */
#define PRI_GATE_SHUT 0.1f  /* below it, as the paper has it, an outlier */
#define PRI_GATE_LOW (-1.0f) /* mu's range once training is over */
#define PRI_GATE_HIGH 2.0f

struct gate_rule {
    prae_gates kind;
    prae_estimator estimator;
    float sigma;
};

/* What gates turn at. `unit` divides the gradient, so that a step's size
 * does not hang on the errors' scale: lambda itself, or where that is 0
 * the errors' own level. */
struct gate_level {
    float lambda;
    float unit;
};

#define PRI_SURE_SIGMAS 14.0f

/* E z and dE z/dmu; both hang on the same two exponentials. */
static inline void
pri_gate_mean_both(float mu, float sigma, float *mean, float *slope)
{
    /* Beyond this many sigmas E z is 0 or 1 to the last bit; far beyond, the
     * sum below would cancel and a shut gate count as open. */
    mu =
        pri_clamp(mu, -PRI_SURE_SIGMAS * sigma, 1.0f + PRI_SURE_SIGMAS * sigma);
    float a = mu / sigma, b = (1.0f - mu) / sigma;
    float decay_a = pri_exp(-0.5f * a * a), decay_b = pri_exp(-0.5f * b * b);
    float below_a = pri_normal_below_by(-a, decay_a);
    float below_b = pri_normal_below_by(b, decay_b);

    *mean = sigma * PRI_DENSITY_AT_0 * (decay_a - decay_b) +
            (mu - 1.0f) * below_b - mu * below_a + 1.0f;
    *slope = below_b - below_a;
}

static inline float
pri_gate_mean(float mu, float sigma)
{
    float mean, slope;

    pri_gate_mean_both(mu, sigma, &mean, &slope);
    return mean;
}

static inline float
pri_gate_mean_slope(float mu, float sigma)
{
    float mean, slope;

    pri_gate_mean_both(mu, sigma, &mean, &slope);
    return slope;
}

/* P(z > 0), and its derivative by mu. */
static inline float
pri_gate_chance(float mu, float sigma)
{
    return pri_normal_below(mu / sigma);
}

static inline float
pri_gate_chance_slope(float mu, float sigma)
{
    return pri_normal_density(mu / sigma) / sigma;
}

/*
 * One visit to COUNT gates MU with errors E: the weight each record has in
 * the net's loss goes to Z, then MU takes one step against its gradient.
 * NOISE is drawn from by the sampled estimator only and may else be NULL.
 */
void pri_gate_visit(const struct gate_rule *rule, struct gate_level level,
                    size_t count, const float *e, float *mu, float *z,
                    struct rng *noise);

/*
 * The verdict: gates started afresh, then stepped until settled (exactly)
 * against the errors E as they are after training.
 */
void pri_gate_settle(const struct gate_rule *rule, float lambda, size_t count,
                     const float *e, float *mu);

/* The error at which a settled gate falls below THRESHOLD; infinite where
 * none does. */
float pri_gate_limit(const struct gate_rule *rule, float lambda,
                     float threshold);

#endif
