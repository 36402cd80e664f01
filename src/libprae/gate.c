/* gate.c - one visit by kind of gate, and the verdict. */
#include "gate.h"

#include <math.h>

#include "kernel.h"

/* Visits after which a gate that will close has closed: the farthest way,
 * from the start to below 0, takes five at the errors that matter. */
#define SETTLE_VISITS 8

/* Of lambda: errors beyond are all the same, and the step that a gate takes
 * by them is still a float. */
#define SETTLE_MOST 1e30f

#define HALVE_SIGMAS 3.5f
#define HALVINGS 30

/* ---- one visit, by kind of gate ---- */

/* z = mu, kept in [0, 1] by projection: outside it the gradient would
 * vanish and the gate never come back. */
static void
visit_hard(struct gate_level level, size_t count, const float *e, float *mu,
           float *z)
{
    for (size_t i = 0; i < count; i++) {
        z[i] = mu[i];
        mu[i] =
            pri_clamp(mu[i] - (e[i] - level.lambda) / level.unit, 0.0f, 1.0f);
    }
}

/* The paper's estimator: one draw stands for the expectation of z. The l0
 * penalty is a function of mu and needs no draw. */
static void
visit_sampled(const struct gate_rule *rule, struct gate_level level,
              size_t count, const float *e, float *mu, float *z,
              struct rng *noise)
{
    for (size_t i = 0; i < count; i++) {
        float drawn = mu[i] + rule->sigma * pri_rng_normal(noise);
        float slope = drawn > 0.0f && drawn < 1.0f ? 1.0f : 0.0f;
        float penalty = rule->kind == PRAE_GATES_L0
                            ? pri_gate_chance_slope(mu[i], rule->sigma)
                            : slope;
        float step = (e[i] * slope - level.lambda * penalty) / level.unit;
        z[i] = pri_clamp(drawn, 0.0f, 1.0f);
        mu[i] -= step > -1.0f ? step : -1.0f; /* as in visit_l0 */
    }
}

void
pri_gate_visit(const struct gate_rule *rule, struct gate_level level,
               size_t count, const float *e, float *mu, float *z,
               struct rng *noise)
{
    struct gate_visit visit = {rule->sigma, level.lambda, level.unit, count,
                               e,           mu,           z};

    if (rule->kind == PRAE_GATES_NONE) {
        for (size_t i = 0; i < count; i++)
            z[i] = 1.0f;
    } else if (rule->kind == PRAE_GATES_HARD) {
        visit_hard(level, count, e, mu, z);
    } else if (rule->estimator == PRAE_ESTIMATOR_SAMPLED) {
        visit_sampled(rule, level, count, e, mu, z, noise);
    } else if (rule->kind == PRAE_GATES_L0) {
        pri_kernel()->gate_l0(&visit);
    } else {
        pri_kernel()->gate_l1(&visit);
    }
}

/*
 * The l0 gate at rest: dE z/dmu over dP/dmu rises with mu, so e dE z/dmu -
 * lambda dP/dmu changes its sign once, and halving finds where. Further than
 * HALVE_SIGMAS outside of [0, 1] both slopes are too small to tell.
 */
static float
rest_l0(float sigma, float lambda, float e)
{
    float low = -HALVE_SIGMAS * sigma, high = 1.0f + HALVE_SIGMAS * sigma;

    if (e * pri_gate_mean_slope(low, sigma) >=
        lambda * pri_gate_chance_slope(low, sigma))
        return PRI_GATE_LOW;
    if (e * pri_gate_mean_slope(high, sigma) <=
        lambda * pri_gate_chance_slope(high, sigma))
        return PRI_GATE_HIGH;
    for (int i = 0; i < HALVINGS; i++) {
        float middle = 0.5f * (low + high);
        if (e * pri_gate_mean_slope(middle, sigma) <
            lambda * pri_gate_chance_slope(middle, sigma))
            low = middle;
        else
            high = middle;
    }
    return pri_clamp(low, PRI_GATE_LOW, PRI_GATE_HIGH);
}

void
pri_gate_settle(const struct gate_rule *rule, float lambda, size_t count,
                const float *e, float *mu)
{
    struct gate_rule exact = *rule;
    struct gate_level level = {lambda, lambda};
    float z[64]; /* not asked for here, but written */
    float within[64];

    if (rule->kind == PRAE_GATES_L0) {
        for (size_t i = 0; i < count; i++)
            mu[i] = rest_l0(rule->sigma, lambda, e[i]);
        return;
    }
    exact.estimator = PRAE_ESTIMATOR_EXACT;
    if (exact.kind == PRAE_GATES_NONE)
        exact.kind = PRAE_GATES_L1;
    for (size_t at = 0; at < count; at += 64) {
        size_t some = count - at < 64 ? count - at : 64;
        for (size_t i = 0; i < some; i++) {
            within[i] = fminf(e[at + i], SETTLE_MOST * lambda);
            mu[at + i] = PRI_GATE_START;
        }
        for (int visit = 0; visit < SETTLE_VISITS; visit++) {
            pri_gate_visit(&exact, level, some, within, mu + at, z, NULL);
            for (size_t i = 0; i < some; i++)
                mu[at + i] = pri_clamp(mu[at + i], PRI_GATE_LOW, PRI_GATE_HIGH);
        }
    }
}

float
pri_gate_limit(const struct gate_rule *rule, float lambda, float threshold)
{
    /* A settled gate falls as e grows, so halving finds the turn. Beyond 64
     * lambda every gate is as closed as it gets. */
    float low = 0.0f, high = 64.0f * lambda, most;

    pri_gate_settle(rule, lambda, 1, &high, &most);
    if (most >= threshold)
        return INFINITY; /* none ever falls below */
    for (int i = 0; i < 40; i++) {
        float middle = 0.5f * (low + high), mu;
        pri_gate_settle(rule, lambda, 1, &middle, &mu);
        if (mu < threshold)
            high = middle;
        else
            low = middle;
    }
    return high;
}
