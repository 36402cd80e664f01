/* Windows that do not fit the past: bursts are held out of learning,
 * drifts are learned. */
#include "windows.h"

#define MATURE 70 /* 4480 records: no longer young */

static void
test_burst(void)
{
    struct learner with, without;
    struct trace a, b;
    int verdicts = 1, bits = 1;

    init(&with, NULL);
    init(&without, NULL);
    live(&with, 0, MATURE);
    live(&without, 0, MATURE);
    uint64_t model = with.model;
    size_t trusted = with.reservoir.count;
    fill(100, 30.0);
    size_t count = judge(&with);
    ok(count > 9 * N / 10 && with.state == PRAE_STATE_BURST && with.bursts == 1,
       "a window that does not fit the past is a burst (%zu flagged)", count);
    ok(with.model == model && with.reservoir.count == trusted &&
           memcmp(with.trainer.net.param, without.trainer.net.param,
                  with.trainer.net.param_count * sizeof(float)) == 0 &&
           with.history.count == without.history.count &&
           with.limit == without.limit,
       "... and leaves weights, trust, history and limit as they were");
    for (unsigned w = MATURE; w < MATURE + 5; w++) {
        fill(w, 0.0);
        (void)judge(&with);
        keep(&with, &a);
        ok(with.state == PRAE_STATE_LIVE, "window %u after it is live",
           w - MATURE);
        fill(w, 0.0);
        (void)judge(&without);
        keep(&without, &b);
        size_t differ = 0;
        for (size_t i = 0; i < N; i++)
            differ += a.flagged[i] != b.flagged[i];
        verdicts &= differ <= N / 16;
    }
    ok(verdicts, "five windows after it are judged as without it");
    pri_learner_fini(&with);
    pri_learner_fini(&without);

    init(&with, NULL);
    init(&without, NULL);
    live(&with, 0, MATURE);
    live(&without, 0, MATURE);
    fill(100, 30.0);
    (void)judge(&with);
    for (unsigned w = MATURE; w < MATURE + 3; w++) {
        fill(w, 0.0);
        (void)judge(&with);
        keep(&with, &a);
        fill(w, 0.0);
        (void)judge(&without);
        keep(&without, &b);
        bits &=
            memcmp(a.score, b.score, sizeof a.score) == 0 && a.limit == b.limit;
    }
    ok(bits, "... bit for bit");
    pri_learner_fini(&with);
    pri_learner_fini(&without);
}

static void
test_young(void)
{
    struct learner learner;

    init(&learner, NULL);
    live(&learner, 0, 3);
    fill(100, 30.0);
    size_t count = judge(&learner);
    ok(learner.state == PRAE_STATE_LIVE && learner.model == 4 &&
           learner.bursts == 0 && count < N / 2,
       "a young model learns what it has not seen (%zu flagged)", count);
    pri_learner_fini(&learner);
}

static void
set_drift(prae_params *params)
{
    params->drift_after = 3;
}

static void
test_drift(void)
{
    struct learner learner;
    unsigned quiet = 0;

    init(&learner, set_drift);
    live(&learner, 0, MATURE);
    for (unsigned w = 0; w < 2; w++) {
        fill(200 + w, 30.0);
        (void)judge(&learner);
    }
    ok(learner.state == PRAE_STATE_BURST && learner.bursts == 1 &&
           learner.drifts == 0 && learner.model == MATURE &&
           learner.held == 2 * N,
       "a burst of two windows is one burst, not learned");
    fill(202, 30.0);
    size_t count = judge(&learner);
    ok(learner.state == PRAE_STATE_DRIFT && learner.drifts == 1 &&
           learner.model == MATURE + 1 && count < N / 2,
       "the third in a row is a drift, and learned");
    for (unsigned w = 3; w < 60 && quiet < 3; w++) {
        fill(200 + w, 30.0);
        (void)judge(&learner);
        quiet = learner.state == PRAE_STATE_LIVE ? quiet + 1 : 0;
    }
    ok(quiet == 3 && learner.held == 0, "what goes on becomes live again");
    ok(learner.drifts == 1, "a drift is announced once");
    pri_learner_fini(&learner);
}

/* Windows that a timer closed early: patience is in records, and a handful of
 * them is looked at with those before it. */
static void
test_short(void)
{
    static const struct {
        size_t records, held, drifts;
    } cases[] = {{20, 0, 0},
                 {20, 0, 0},
                 {32, 32, 0},
                 {N, 32 + N, 0},
                 {N - 1, 31 + 2 * N, 0},
                 {32, 3 * N - 1, 0},
                 {1, 3 * N, 1}};
    struct learner learner;
    int right = 1;

    init(&learner, set_drift);
    live(&learner, 0, MATURE);
    for (size_t c = 0; c < COUNT(cases); c++) {
        fill(200 + (unsigned)c, 30.0);
        NEED(pri_learner_window(&learner, x, cases[c].records, &found) ==
             PRAE_OK);
        right &= learner.held == cases[c].held &&
                 learner.drifts == cases[c].drifts &&
                 learner.bursts == (c > 1) &&
                 (learner.state == PRAE_STATE_LIVE) == (c < 2);
    }
    ok(right, "short windows are a drift after as many records as long ones");
    pri_learner_fini(&learner);
}

/* RECORDS records that SHIFT moves, STEP a window; how many are flagged. */
static size_t
feed(struct learner *learner, size_t step, unsigned from, size_t records,
     double shift)
{
    size_t count = 0;

    for (size_t at = 0; at < records; at += step) {
        if (at % N + step > N || at == 0)
            fill(from + (unsigned)(at / N), shift);
        size_t row = at % N + step > N ? 0 : at % N;
        NEED(pri_learner_window(learner, x + row * D, step, &found) == PRAE_OK);
        for (size_t i = 0; i < step; i++)
            count += flagged[i];
    }
    return count;
}

/* A stream so slow that a timer closes every window: what happens in it has
 * the same names. */
static void
test_slow(void)
{
    static const size_t steps[] = {1, 5, 30};

    for (size_t s = 0; s < COUNT(steps); s++) {
        size_t step = steps[s], until = 0;
        struct learner learner;
        init(&learner, set_drift);
        live(&learner, 0, MATURE);
        size_t count = feed(&learner, step, 300, 300, 0.0);
        ok(learner.bursts == 0 && count < 20,
           "%zu records a window: all is well (%zu of 300 flagged)", step,
           count);
        fill(310, 30.0);
        NEED(pri_learner_window(&learner, x, 1, &found) == PRAE_OK);
        ok(flagged[0] && learner.state == PRAE_STATE_LIVE,
           "... a single odd record is an outlier and no burst");
        (void)feed(&learner, step, 311, 60, 0.0);
        for (; until < 150 && learner.state == PRAE_STATE_LIVE; until += step)
            (void)feed(&learner, step, 320 + (unsigned)until, step, 30.0);
        ok(learner.state == PRAE_STATE_BURST && learner.bursts == 1,
           "... what lasts is a burst (after %zu)", until);
        (void)feed(&learner, step, 480, 60, 30.0);
        ok(learner.state == PRAE_STATE_BURST && learner.bursts == 1, "... one");
        for (until = 0; until < 3 * N && learner.drifts == 0; until += step)
            (void)feed(&learner, step, 500 + (unsigned)until, step, 30.0);
        ok(learner.drifts == 1 && learner.held >= 3 * N,
           "... then a drift (after %zu more)", until);
        (void)feed(&learner, step, 1750, 1800, 30.0);
        count = feed(&learner, step, 1800, 600, 30.0);
        ok(learner.state == PRAE_STATE_LIVE && learner.drifts == 1 &&
               learner.held == 0 && count < 60,
           "... and at last usual (%zu of 600 flagged)", count);
        pri_learner_fini(&learner);
    }
}

/* A few dozen records do not tell what is new, however soon they fit. */
static void
test_drift_lasts(void)
{
    struct learner learner;
    size_t before = 0, in = 0;

    init(&learner, NULL);
    live(&learner, 0, MATURE);
    learner.params.window = 4 * N;
    learner.params.drift_after = 1;
    for (; before < 1000 && learner.drifts == 0; before += 30)
        (void)feed(&learner, 30, 600 + (unsigned)before, 30, 30.0);
    for (; in < 2000 && learner.state == PRAE_STATE_DRIFT; in += 30)
        (void)feed(&learner, 30, 2000 + (unsigned)in, 30, 30.0);
    ok(learner.drifts == 1 && in >= 4 * N && in < 8 * N,
       "a drift is of a full window at least (%zu records)", in);
    pri_learner_fini(&learner);
}

/* Two behaviours that take turns: BAD windows of one, GOOD of the other. */
static uint64_t
take_turns(unsigned bad, unsigned good)
{
    struct learner learner;

    init(&learner, set_drift);
    live(&learner, 0, MATURE);
    for (unsigned w = 0; w < 60; w++) {
        fill(200 + w, w % (bad + good) < bad ? 30.0 : 0.0);
        (void)judge(&learner);
    }
    uint64_t drifts = learner.drifts;
    pri_learner_fini(&learner);
    return drifts;
}

static void
test_turns(void)
{
    ok(take_turns(2, 1) == 1, "a burst that comes back most of the time is "
                              "learned");
    ok(take_turns(1, 2) == 0, "... and one that does now and then is not");
}

/* What was before a drift is forgotten with its range. */
static void
test_forgotten(void)
{
    struct learner learner;

    init(&learner, set_drift);
    learner.params.memory = 500;
    live(&learner, 0, MATURE);
    for (unsigned w = 0; w < 30; w++) {
        fill(200 + w, 3000.0);
        (void)judge(&learner);
        if (w == 4)
            ok(learner.drifts == 1 && learner.reservoir.low[0] < 100.0 &&
                   learner.scale.unit[0] > 500.0,
               "at first a drift is seen beside the past");
    }
    ok(learner.reservoir.low[0] > 2900.0 && learner.ever_low[0] > 2900.0 &&
           learner.scale.unit[0] < 5.0,
       "... later by itself (unit %g)", learner.scale.unit[0]);
    fill(300, 3000.0);
    x[9 * D] += 20.0;
    (void)judge(&learner);
    ok(flagged[9] && learner.state == PRAE_STATE_LIVE && learner.drifts == 1,
       "... where small things count again");
    pri_learner_fini(&learner);
}

int
main(void)
{
    test_burst();
    test_young();
    test_drift();
    test_short();
    test_slow();
    test_drift_lasts();
    test_turns();
    test_forgotten();
    return tap_done();
}
