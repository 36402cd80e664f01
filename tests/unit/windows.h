/*
 * windows.h - windows of records that follow one rule, and a learner that
 * judges them.
 */
#ifndef PRAE_TEST_WINDOWS_H
#define PRAE_TEST_WINDOWS_H

#include <string.h>

#include "learner.h"
#include "rng.h"
#include "tap.h"

#define D 4
#ifndef WINDOW
#define WINDOW 64 /* unless the test says otherwise */
#endif
#define N WINDOW
#define COUNT(array) (sizeof(array) / sizeof *(array))

static float score[N], error[N], gate[N], p[N];
static unsigned char flagged[N];
static struct findings found = {score, error, gate, p, flagged};
static double x[N * D];

__attribute__((unused)) static void
init(struct learner *learner, void (*set)(prae_params *))
{
    static const double least[D];
    prae_params params;

    prae_params_init(&params);
    params.context = PRAE_CONTEXT_OFF;
    params.window = N;
    if (set != NULL)
        set(&params);
    NEED(pri_learner_init(learner, &params, D, least, N) == PRAE_OK);
}

/* Window NUMBER of records that follow one rule: two free numbers, two that
 * hang on them. SHIFT moves the rule. */
__attribute__((unused)) static void
fill(unsigned number, double shift)
{
    struct rng rng;

    pri_rng_init(&rng, 3, 1000 + number);
    for (size_t i = 0; i < N; i++) {
        double a = (double)pri_rng_normal(&rng);
        double b = (double)pri_rng_normal(&rng);
        x[i * D] = a + shift;
        x[i * D + 1] = a + 0.05 * b;
        x[i * D + 2] = 3.0 - a - shift;
        x[i * D + 3] = 10.0 * a + 0.2 * (double)pri_rng_normal(&rng);
    }
}

static size_t
judge(struct learner *learner)
{
    size_t count = 0;

    NEED(pri_learner_window(learner, x, N, &found) == PRAE_OK);
    for (size_t i = 0; i < N; i++)
        count += flagged[i];
    return count;
}

__attribute__((unused)) static int
all_finite(void)
{
    for (size_t i = 0; i < N; i++)
        if (!isfinite(score[i]) || !isfinite(error[i]))
            return 0;
    return 1;
}

/* WINDOWS ordinary windows, numbered from FROM. */
__attribute__((unused)) static void
live(struct learner *learner, unsigned from, unsigned windows)
{
    for (unsigned w = from; w < from + windows; w++) {
        fill(w, 0.0);
        (void)judge(learner);
    }
}

/* What a window left: findings, and the state of the model. */
struct trace {
    float score[N];
    unsigned char flagged[N];
    float limit;
};

__attribute__((unused)) static void
keep(const struct learner *learner, struct trace *trace)
{
    memcpy(trace->score, score, sizeof score);
    memcpy(trace->flagged, flagged, sizeof flagged);
    trace->limit = learner->limit;
}

#endif
