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
 * them is no burst. */
static void
test_short(void)
{
    static const struct {
        size_t records, held, drifts;
    } cases[] = {{31, 0, 0},
                 {32, 32, 0},
                 {N / 2, 2 * (N / 2), 0},
                 {N, 2 * (N / 2) + N, 0},
                 {N - 1, 3 * N - 1, 0},
                 {32, 3 * N + 31, 1}};
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
                 learner.bursts == (c > 0) &&
                 (learner.state == PRAE_STATE_LIVE) == (c == 0);
    }
    ok(right, "short windows are a drift after as many records as long ones");
    pri_learner_fini(&learner);
}

int
main(void)
{
    test_burst();
    test_young();
    test_drift();
    test_short();
    return tap_done();
}
