/*
 * history.c - past scores against plain counts and a sort, with many ties
 * and long after the oldest were overwritten.
 */
#include <string.h>

#include "history.h"
#include "rng.h"
#include "tap.h"

#define TOTAL (5 * PRI_HISTORY / 2) /* every place is taken twice */
#define COUNT(array) (sizeof(array) / sizeof *(array))

static float stream[TOTAL];

static int
ascending(const void *left, const void *right)
{
    float a = *(const float *)left, b = *(const float *)right;

    return (a > b) - (a < b);
}

/* Scores of a few values over and over, some of their own, and stretches
 * that rise and fall: new ones go in at either end and in the middle. */
static void
plant(void)
{
    struct rng rng;

    pri_rng_init(&rng, 21, 1);
    for (size_t i = 0; i < TOTAL; i++) {
        float value = pri_rng_normal(&rng);
        stream[i] = i % 3 == 0 ? value : rintf(4.0f * value) / 4.0f;
        if (i / 500 % 7 < 2)
            stream[i] = (i / 500 % 7 ? 0.01f : -0.01f) * (float)(i % 500);
    }
}

/* The last scores that are held after COUNT of them, and how many. */
static const float *
last_of(size_t count, size_t *held)
{
    *held = count < PRI_HISTORY ? count : PRI_HISTORY;
    return stream + count - *held;
}

/* The share of LAST (count) at least as bad as VALUE, itself counted. */
static float
share_of(const float *last, size_t count, float value)
{
    size_t worse = 0;

    for (size_t i = 0; i < count; i++)
        worse += last[i] >= value;
    return (float)(1 + worse) / (float)(1 + count);
}

static void
put(struct history *history, float score)
{
    pri_history_learn(history, &score, 1, NULL);
}

static float
p_of(const struct history *history, float score)
{
    float p = NAN;

    pri_history_rank(history, &score, 1, &p);
    return p;
}

static size_t
wrong_ranks(const struct history *history, size_t count)
{
    static const float asked[] = {-9.0f, -0.25f, 0.0f, 0.1f, 1.0f, 9.0f};
    size_t held, wrong = 0;
    const float *last = last_of(count, &held);
    size_t recent = held < PRI_RECENT ? held : PRI_RECENT;

    for (size_t a = 0; a <= COUNT(asked); a++) {
        float value = a < COUNT(asked) ? asked[a] : stream[count % TOTAL];
        float all = share_of(last, held, value);
        float newest = share_of(last + held - recent, recent, value);
        wrong += p_of(history, value) != fmaxf(all, newest);
    }
    return wrong;
}

/* Whether SORTED is LAST (count) in rising order. */
static int
is_sorted(const float *sorted, const float *last, size_t count)
{
    static float wanted[PRI_HISTORY];

    memcpy(wanted, last, count * sizeof *wanted);
    qsort(wanted, count, sizeof *wanted, ascending);
    for (size_t i = 0; i < count; i++)
        if (sorted[i] != wanted[i])
            return 0;
    return 1;
}

static int
in_step(const struct history *history, size_t count)
{
    size_t held;
    const float *last = last_of(count, &held);
    size_t recent = held < PRI_RECENT ? held : PRI_RECENT;

    return pri_history_held(history) == held && history->count == count &&
           is_sorted(history->sorted, last, held) &&
           is_sorted(history->recent, last + held - recent, recent);
}

/* Of a history in step. */
static size_t
wrong_quantiles(const struct history *history)
{
    static const struct {
        double share, taken_as;
    } asked[] = {{0.0, 0.0}, {0.01, 0.01}, {0.3, 0.3},
                 {0.5, 0.5}, {0.99, 0.99}, {1.0, 1.0},
                 {3.0, 1.0}, {-3.0, 0.0},  {(double)NAN, 0.0}};
    size_t wrong = 0, most = pri_history_held(history) - 1;

    for (size_t i = 0; i < COUNT(asked); i++) {
        double rank = floor(asked[i].taken_as * (double)most + 0.5);
        wrong += pri_history_quantile(history, asked[i].share) !=
                 history->sorted[(size_t)rank];
    }
    return wrong;
}

static void
test_ranks(void)
{
    struct history history;
    size_t ranks = 0, quantiles = 0;
    int steps = 1;

    NEED(pri_history_init(&history) == PRAE_OK);
    ok(p_of(&history, 1.0f) == 1.0f &&
           isnan(pri_history_quantile(&history, 0.5)),
       "before the first score all are as bad, and there is no quantile");
    for (size_t i = 0; i < TOTAL; i++) {
        put(&history, stream[i]);
        if (i % 733 != 0 && i > 64 && i / 8 != PRI_HISTORY / 8)
            continue;
        ranks += wrong_ranks(&history, i + 1);
        quantiles += wrong_quantiles(&history);
        steps &= in_step(&history, i + 1);
    }
    ok(ranks == 0,
       "a p-value is the share of all scores as bad, or of the newest");
    ok(steps, "both orders are in step at all times");
    ok(quantiles == 0, "quantiles are ranks of the last scores");
    pri_history_fini(&history);
}

/* Many at a time are ranked and taken in as if they came one by one. */
static void
test_many(void)
{
    static const size_t counts[] = {1, 7, 2, 511, 512, 513, 1, 3000, 2048};
    static float p[TOTAL];
    struct history history;
    size_t at = 0, wrong = 0;
    int steps = 1;

    NEED(pri_history_init(&history) == PRAE_OK);
    for (size_t c = 0; at < TOTAL; c++) {
        size_t N = counts[c % COUNT(counts)];
        N = N < TOTAL - at ? N : TOTAL - at;
        pri_history_learn(&history, stream + at, N, p + at);
        at += N;
        steps &= in_step(&history, at);
    }
    for (size_t i = 0; i < TOTAL; i += i < 3000 ? 1 : 37) {
        size_t held;
        const float *last = last_of(i, &held);
        size_t recent = held < PRI_RECENT ? held : PRI_RECENT;
        wrong +=
            p[i] != fmaxf(share_of(last, held, stream[i]),
                          share_of(last + held - recent, recent, stream[i]));
    }
    ok(wrong == 0, "of many each is ranked among those before it");
    ok(steps, "... and both orders are in step behind them");
    put(&history, NAN);
    ok(p_of(&history, 1e30f) > 1.0f / PRI_HISTORY &&
           pri_history_held(&history) == PRI_HISTORY,
       "a score that is none is taken for the worst");
    for (size_t i = 0; i < TOTAL; i++)
        put(&history, stream[i]);
    ok(is_sorted(history.sorted, stream + TOTAL - PRI_HISTORY, PRI_HISTORY),
       "... and leaves when its time has come");
    pri_history_fini(&history);
}

/* Up to it p-values are at least the share, and a little beyond below it. */
static void
test_sure(void)
{
    static const double shares[] = {0.001, 0.01, 0.05, 0.3, 0.9};
    static const size_t counts[] = {1, 50, 3000, TOTAL};
    size_t early = 0, late = 0;

    for (size_t c = 0; c < COUNT(counts); c++) {
        struct history history;
        NEED(pri_history_init(&history) == PRAE_OK);
        pri_history_learn(&history, stream, counts[c], NULL);
        for (size_t s = 0; s < COUNT(shares); s++) {
            float sure = pri_history_sure(&history, shares[s]);
            size_t held = pri_history_held(&history);
            for (size_t i = 0; i < held; i++) {
                float score = history.sorted[i];
                float p = p_of(&history, score);
                early += score <= sure && (double)p < shares[s];
                late += score > sure && counts[c] == TOTAL &&
                        (double)p > shares[s] * 1.1 + 0.05;
            }
        }
        pri_history_fini(&history);
    }
    ok(early == 0, "what is surely not below a share is not");
    ok(late == 0, "... and little else is not below it");
}

static void
test_forget(void)
{
    struct history history;

    NEED(pri_history_init(&history) == PRAE_OK);
    for (size_t i = 0; i < PRI_HISTORY + 5; i++)
        put(&history, 100.0f + (float)i);
    pri_history_forget(&history);
    ok(pri_history_held(&history) == 0 && p_of(&history, 500.0f) == 1.0f &&
           isnan(pri_history_quantile(&history, 1.0)),
       "what is forgotten ranks nothing");
    for (size_t i = 0; i < 100; i++)
        put(&history, stream[i]);
    ok(in_step(&history, 100) && wrong_ranks(&history, 100) == 0,
       "... nor does it come back among newer scores");
    pri_history_fini(&history);
}

/* A snapshot brings scores and count, and nothing else. */
static void
test_restore(void)
{
    static const size_t counts[] = {0, 1, 777, PRI_HISTORY, PRI_HISTORY + 999};

    for (size_t c = 0; c < COUNT(counts); c++) {
        struct history from, to;
        NEED(pri_history_init(&from) == PRAE_OK);
        NEED(pri_history_init(&to) == PRAE_OK);
        for (size_t i = 0; i < counts[c]; i++)
            put(&from, stream[i]);
        memcpy(to.score, from.score, PRI_HISTORY * sizeof *to.score);
        to.count = from.count;
        pri_history_restore(&to);
        int steps = in_step(&to, counts[c]);
        for (size_t i = counts[c]; i < counts[c] + 300; i++)
            put(&to, stream[i]);
        ok(steps && in_step(&to, counts[c] + 300),
           "%zu scores from outside are put in order and go on", counts[c]);
        pri_history_fini(&from);
        pri_history_fini(&to);
    }
}

static void
test_limit_of_last(void)
{
    static float scratch[PRI_HISTORY], kept[PRI_HISTORY];
    struct history history;
    size_t held;

    NEED(pri_history_init(&history) == PRAE_OK);
    for (size_t i = 0; i < TOTAL; i++)
        put(&history, stream[i] + (i < 20000 ? 30.0f : 0.0f));
    memcpy(kept, history.sorted, sizeof kept);
    const float *last = last_of(TOTAL, &held);
    ok(pri_history_limit(&history, 3.0f) ==
           pri_score_limit(last, held, 3.0f, scratch),
       "the limit is of the last scores");
    ok(memcmp(kept, history.sorted, sizeof kept) == 0,
       "... and leaves them in order");
    pri_history_fini(&history);
}

int
main(void)
{
    plant();
    test_ranks();
    test_many();
    test_sure();
    test_forget();
    test_restore();
    test_limit_of_last();
    return tap_done();
}
