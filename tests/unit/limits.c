/*
 * limits.c - the score beyond which a record is flagged: by hand for scores
 * of some shapes; then a table's own level, a stream's past scores, and for
 * strings their rarity without a spread.
 */
#include "windows.h"

/* ---- of scores ---- */

enum shape { SAME, EVEN, TAIL, MANY, HALF, THIRD, MOST };

/* Score I of 200 of a SHAPE. */
static float
shaped(enum shape shape, size_t i)
{
    float even = (float)(i % 101) / 100.0f;

    switch (shape) {
    case SAME: return 7.0f;
    case TAIL: return i < 3 ? 1.6f : even;
    case MANY: return i % 10 == 0 ? 50.0f : even;
    case HALF: return i % 2 == 0 ? 1.0f : 1.0f + (float)i / 20.0f;
    case THIRD: return i < 60 ? 50.0f : (float)(i - 60) / 139.0f;
    case MOST: return i < 120 ? 50.0f : (float)(i - 120) / 79.0f;
    case EVEN: break;
    }
    return even;
}

/* Wanted: the median and so many spreads, which are 1.4826 MAD or the way up
 * to 84 %, whichever is more; or the score that one in a hundred exceeds. */
static const struct {
    const char *name;
    enum shape shape;
    float most;
    double wanted;
} cases[] = {
    {"scores that never differ: two least spreads", SAME, 3, 7 + 2 * 0.01},
    {"no tail: two spreads", EVEN, 3, 0.495 + 2 * 1.4826 * 0.25},
    {"a tail: what one in a hundred exceeds", TAIL, 3, 1.6},
    {"... up to the most", TAIL, 2.5f, 0.51 + 2.5 * 1.4826 * 0.25},
    {"one in ten far away: the most", MANY, 3, 0.55 + 3 * 1.4826 * 0.28},
    {"... or without one, as far", MANY, INFINITY, 50},
    /* the MAD is 0.025, but 84 % reach up to 1 + 135 / 20 */
    {"half of them the same: the others' way up", HALF, 3, 1.025 + 2 * 6.725},
    {"three in ten far away: nothing new", THIRD, 3,
     99.5 / 139 + 2 * (50 - 99.5 / 139)},
    {"most of them far away: usual", MOST, 3, 50 + 2 * 0.01},
};

static void
test_bounds(void)
{
    static float logs[200], scratch[200];

    for (size_t c = 0; c < COUNT(cases); c++) {
        struct history history;
        NEED(pri_history_init(&history) == PRAE_OK);
        for (size_t i = 0; i < 200; i++) {
            logs[i] = shaped(cases[c].shape, i);
            pri_history_learn(&history, &logs[i], 1, NULL);
        }
        float limit = pri_score_limit(logs, 200, cases[c].most, scratch);
        is_close((double)limit, cases[c].wanted, 1e-5 * cases[c].wanted,
                 cases[c].name);
        ok(pri_history_limit(&history, cases[c].most) == limit,
           "... of a history as of scores at once");
        pri_history_fini(&history);
    }
}

/* ---- of windows ---- */

static void
set_table(prae_params *params)
{
    params->window = 0;
}

/* A table has no past and gets the paper's rule: gates turn at the level of
 * its own scores. */
static void
test_table(void)
{
    struct learner learner;
    float even[101], logs[N];
    size_t wrong = 0;

    init(&learner, set_table);
    fill(0, 0.0);
    x[20 * D + 1] += 30.0;
    x[21 * D + 2] -= 3.0;
    size_t count = judge(&learner);
    for (size_t i = 0; i < N; i++)
        logs[i] = logf(score[i]);
    for (size_t i = 0; i < 101; i++)
        even[i] = (float)(i * 37 % 101);
    is_close((double)pri_opinion_level(&learner, even, 101),
             50.0 + 2.0 * 1.4826 * 25.0, 1e-3,
             "the level is two spreads above the median");
    float level = pri_opinion_level(&learner, logs, N);
    float limit =
        level + logf(pri_gate_limit(&learner.trainer.rule, 1.0f, 0.1f));
    for (size_t i = 0; i < N; i++)
        if (fabsf(logs[i] - limit) > 1e-3f)
            wrong += flagged[i] != (logs[i] > limit);
    ok(wrong == 0 && count > 0, "a table is flagged beyond its own level");
    pri_learner_fini(&learner);
}

/* A gate that is not quite shut yet is no reason not to trust a record. */
static void
test_fit(void)
{
    struct learner learner;

    init(&learner, NULL);
    live(&learner, 0, 2);
    float shut = logf(pri_gate_limit(&learner.trainer.rule, 1.0f, 0.1f));
    const float near[] = {-9.0f, 1.0f, 1.0f + 0.99f * shut, 1.0f + 1.01f * shut,
                          9.0f};
    ok(pri_opinion_fit(&learner, COUNT(near), near, 1.0f) == 2 &&
           learner.fits[0] && learner.fits[1] && learner.fits[2] &&
           !learner.fits[3] && !learner.fits[4],
       "what is beyond the level by a shut gate does not fit");
    pri_learner_fini(&learner);
}

/* Trusted is what is not beyond the level of those trusted before, nor beyond
 * what nine in ten past scores do not exceed, whichever is more. The past is
 * taken for worse by SHIFT. */
static void
check_trust(float shift, int by_past, size_t least, size_t most)
{
    struct learner learner;
    struct history *history = &learner.history;
    size_t wrong = 0, misfits = 0;

    init(&learner, NULL);
    live(&learner, 0, 5);
    size_t trusted = learner.reservoir.count, past = (size_t)history->count;
    NEED(trusted < PRI_SAMPLE);
    for (size_t i = 0; i < past; i++)
        history->score[i] += shift;
    pri_history_restore(history);
    float usual = pri_history_quantile(history, 0.9);
    fill(5, 0.0);
    for (size_t i = 0; i < N; i += 7)
        x[i * D + 1] += 0.02 * (double)i;
    (void)judge(&learner);
    NEED(learner.state == PRAE_STATE_LIVE && !learner.smooth.on &&
         history->count == past + N);
    float level = pri_opinion_level(&learner, learner.sample_score, trusted);
    float bound = fmaxf(level, usual) +
                  logf(pri_gate_limit(&learner.trainer.rule, 1.0f, 0.1f));
    for (size_t i = 0; i < N; i++) {
        misfits += !learner.fits[i];
        wrong += learner.fits[i] == (history->score[past + i] > bound);
    }
    ok(wrong == 0 && (usual > level) == by_past && misfits >= least &&
           misfits <= most,
       "what fits is by %s (%zu of %d do not)",
       by_past ? "past scores, where these are worse" : "trusted ones", misfits,
       N);
    ok(learner.reservoir.count == trusted + N - misfits,
       "... and that alone is trusted");
    pri_learner_fini(&learner);
}

/* Numbers that hang on nothing and so are all met about as badly, but for
 * one in 16; or lines of one kind, few of another. */
static void
fill_kind(unsigned number, int strings)
{
    struct rng rng;

    pri_rng_init(&rng, 8, number);
    for (size_t i = 0; i < N * D; i++) {
        x[i] = (double)pri_rng_normal(&rng);
        if (strings)
            x[i] = i / D % 20 == 7 ? 3.0 : 0.0;
        else if (i / D % 16 == 5)
            x[i] += 30.0;
    }
}

static void
test_limit(void)
{
    static const double weight[D] = {1.0, 0.5, 2.0, 0.0};

    for (int strings = 0; strings < 2; strings++) {
        struct learner learner;
        struct history *history = &learner.history;
        size_t wrong = 0;
        init(&learner, NULL);
        if (strings)
            pri_learner_set_rarity(&learner, weight);
        for (unsigned w = 0; w < 6; w++) {
            fill_kind(w, strings);
            (void)judge(&learner);
        }
        float limit = pri_history_limit(history, strings ? INFINITY : 3.0f);
        float next = pri_history_limit(history, 3.5f);
        ok(learner.limit == limit && (strings ? limit == 10.5f : limit < next),
           "%s: the limit is the last scores'",
           strings ? "strings, however far" : "numbers, up to three spreads");
        fill_kind(6, strings);
        x[20 * D + 1] += 30.0;
        size_t count = judge(&learner);
        for (size_t i = 0; i < N; i++)
            wrong += flagged[i] != (history->score[6 * N + i] > limit);
        ok(wrong == 0 && count > 0, "... and what is beyond it is flagged");
        pri_learner_fini(&learner);
    }
}

int
main(void)
{
    test_bounds();
    test_table();
    test_fit();
    check_trust(-50.0f, 0, 3, N / 3);
    check_trust(1.0f, 1, 1, N / 8);
    check_trust(50.0f, 1, 0, 0);
    test_limit();
    return tap_done();
}
