/*
 * settle.c - the gates' verdict: the larger the error, the more shut, with
 * the turn at the limit that is published for rows not seen.
 */
#include <string.h>

#include "gate.h"
#include "tap.h"
#include "vmath.h"

#define L1 PRAE_GATES_L1
#define L0 PRAE_GATES_L0
#define HARD PRAE_GATES_HARD
#define EXACT PRAE_ESTIMATOR_EXACT
#define SAMPLED PRAE_ESTIMATOR_SAMPLED
#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char *const kinds[] = {"l1", "l0", "hard", "none"};

static const struct verdict {
    prae_gates kind;
    float sigma;
} verdicts[] = {{L1, 0.05f}, {L1, 0.2f},  {L1, 0.5f},  {L1, 1.0f},
                {L1, 10.0f}, {L0, 0.05f}, {L0, 0.2f},  {L0, 0.5f},
                {L0, 1.0f},  {L0, 10.0f}, {HARD, 0.5f}};

#define GRID 2000

/* Errors on both sides of THRESHOLD's limit that the gates MU of errors E
 * (GRID) do not agree with. */
static size_t
wrong_side(const struct gate_rule *rule, float lambda, float threshold,
           const float *e, const float *mu)
{
    float limit = pri_gate_limit(rule, lambda, threshold);
    size_t wrong = 0;

    for (size_t i = 0; i < GRID; i++)
        wrong += (mu[i] < threshold) != (e[i] >= limit);
    if (wrong > 0)
        printf("# threshold %g: %zu of %d on the wrong side of %g lambda\n",
               (double)threshold, wrong, GRID, (double)(limit / lambda));
    return wrong;
}

static void
check_verdict(const struct verdict *v)
{
    static const float thresholds[] = {0.01f, 0.1f, 0.3f, 0.5f, 0.7f};
    struct gate_rule rule = {v->kind, EXACT, v->sigma};
    static float e[GRID], mu[GRID];
    const float lambda = 3.0f;
    int falls = 1, inside = 1;
    size_t wrong = 0;
    float low = v->kind == HARD ? 0.0f : -1.0f;
    float high = v->kind == HARD ? 1.0f : 2.0f;

    for (size_t i = 0; i < GRID; i++) /* up to 100 lambda */
        e[i] = lambda * (i < 1500 ? 0.002f * (float)i
                                  : 3.0f + 0.194f * (float)(i - 1500));
    pri_gate_settle(&rule, lambda, GRID, e, mu);
    for (size_t i = 0; i < GRID; i++) {
        /* Below 0 a gate is shut and above 1 open, whatever the number. */
        float now = pri_clamp(mu[i], 0.0f, 1.0f);
        float before = i == 0 ? 1.0f : pri_clamp(mu[i - 1], 0.0f, 1.0f);
        falls = falls && now <= before + 1e-6f;
        inside = inside && mu[i] >= low && mu[i] <= high;
    }
    ok(falls, "%s gates (sigma %g) open less for larger errors", kinds[v->kind],
       (double)v->sigma);
    ok(inside, "%s gates (sigma %g) settle from %g to %g", kinds[v->kind],
       (double)v->sigma, (double)low, (double)high);
    ok(mu[GRID - 1] < 0.1f, "%s gates (sigma %g) shut for a hundred lambda",
       kinds[v->kind], (double)v->sigma);
    for (size_t t = 0; t < COUNT(thresholds); t++)
        wrong += wrong_side(&rule, lambda, thresholds[t], e, mu);
    ok(wrong == 0, "%s gates (sigma %g) fall below thresholds at their limits",
       kinds[v->kind], (double)v->sigma);
}

static void
check_settle(void)
{
    struct gate_rule rule = {L1, EXACT, 0.5f}, other = rule;
    float e[130], mu[130], again[130], one;
    int same = 1, scaled = 1;

    for (size_t i = 0; i < 130; i++)
        e[i] = (float)(i * 7 % 130) * 0.02f;
    pri_gate_settle(&rule, 1.0f, 130, e, mu);
    for (size_t i = 0; i < 130; i++) {
        pri_gate_settle(&rule, 1.0f, 1, e + i, &one);
        same = same && one == mu[i];
    }
    ok(same, "a gate settles by its own error alone");
    memcpy(again, e, sizeof e);
    for (size_t i = 0; i < 130; i++)
        again[i] = mu[i] + 9.0f;
    pri_gate_settle(&rule, 1.0f, 130, e, again);
    ok(memcmp(mu, again, sizeof mu) == 0, "what a gate was is forgotten");
    for (size_t i = 0; i < 130; i++) {
        float large = 1024.0f * e[i];
        pri_gate_settle(&rule, 1024.0f, 1, &large, &one);
        scaled = scaled && one == mu[i];
    }
    ok(scaled, "only the error against lambda counts");
    other.kind = PRAE_GATES_NONE;
    pri_gate_settle(&other, 1.0f, 130, e, again);
    ok(memcmp(mu, again, sizeof mu) == 0, "without gates l1's verdict holds");
    other = (struct gate_rule){L1, SAMPLED, 0.5f};
    pri_gate_settle(&other, 1.0f, 130, e, again);
    ok(memcmp(mu, again, sizeof mu) == 0, "sampled gates settle exactly");

    float limit = pri_gate_limit(&rule, 1.0f, 0.1f);
    ok(limit > 1.0f && limit < 1.2f,
       "the default gate closes a little above lambda");
    is_close((double)pri_gate_limit(&rule, 1.0f, PRI_GATE_START), 1.0, 1e-4,
             "a gate stays where it starts at lambda");
}

/* An error beyond any float of lambda shuts a gate as any large one does. */
static void
check_small_lambda(void)
{
    static const float sigmas[] = {0.01f, 0.1f, 0.5f, 10.0f};
    int same = 1;

    for (size_t k = 0; k < COUNT(kinds); k++) {
        for (size_t s = 0; s < COUNT(sigmas); s++) {
            struct gate_rule rule = {(prae_gates)k, EXACT, sigmas[s]};
            const float large = 1e4f, huge = 1e30f;
            float mu, wanted;
            pri_gate_settle(&rule, 1.0f, 1, &large, &wanted);
            pri_gate_settle(&rule, 1e-30f, 1, &huge, &mu);
            same = same && mu == wanted;
        }
    }
    ok(same, "errors that are no float of lambda shut gates all the same");
}

int
main(void)
{
    check_settle();
    check_small_lambda();
    for (size_t i = 0; i < COUNT(verdicts); i++)
        check_verdict(&verdicts[i]);
    return tap_done();
}
