/* history.c - a ring of scores, and the same in rising order. */
#include "history.h"

#include <assert.h>
#include <math.h>

#include "kernel.h"
#include "mem.h"
#include "stat.h"

#define USUAL 0.99      /* of all scores are below the limit, ... */
#define SPREADS_LEAST 2 /* ... which is so many spreads above the median */

#define SOME 512 /* scores taken in at a time, at most PRI_RECENT */
#define SLACK 16 /* places behind a set in order, see kernel.h */

/* Scores are logarithms: closer together than this they are the same. */
#define SPREAD_LEAST 0.01f

prae_status
pri_history_init(struct history *history)
{
    *history = (struct history){.score = pri_floats_new(PRI_HISTORY),
                                .sorted = pri_floats_new(PRI_HISTORY + SLACK),
                                .recent = pri_floats_new(PRI_RECENT + SLACK),
                                .scratch = pri_floats_new(PRI_HISTORY + SLACK)};
    if (history->score == NULL || history->sorted == NULL ||
        history->recent == NULL || history->scratch == NULL) {
        pri_history_fini(history);
        return PRAE_ENOMEM;
    }
    return PRAE_OK;
}

void
pri_history_fini(struct history *history)
{
    free(history->score);
    free(history->sorted);
    free(history->recent);
    free(history->scratch);
    *history = (struct history){0};
}

size_t
pri_history_held(const struct history *history)
{
    return history->count < PRI_HISTORY ? (size_t)history->count : PRI_HISTORY;
}

/* ---- taking scores in, some at a time ---- */

/* What changes in a set of scores: N come, and of those there COUNT before N,
 * `leave` leave, the oldest first. */
struct change {
    float *sorted; /* the set */
    size_t count;
    size_t room; /* for so many nobody leaves */
    size_t leave;
    float left[SOME];
    uint32_t below[SOME]; /* of the set before, of each newcomer */
    uint32_t least[SOME]; /* at least as bad, of those that left before it */
};

static void
change_init(struct change *change, const struct history *history, float *sorted,
            size_t cap, const float *score, size_t N)
{
    size_t held = pri_history_held(history);
    size_t count = held < cap ? held : cap, room = cap - count;

    change->sorted = sorted;
    change->count = count;
    change->room = room;
    change->leave = N > room ? N - room : 0;
    for (size_t k = 0; k < change->leave; k++)
        change->left[k] =
            history->score[(history->count - count + k) % PRI_HISTORY];
    pri_kernel()->count_below(sorted, count, score, N, change->below);
    pri_kernel()->count_earlier(change->left, room, score, N, change->least);
}

/* The share of the set, and the K-th newcomer itself, that are at least as
 * bad: K have come before it, CAME of them as bad, and some left for them. */
static float
rank_newcomer(const struct change *change, size_t k, uint32_t came)
{
    size_t left = k > change->room ? k - change->room : 0;
    size_t worse = change->count - change->below[k] + came - change->least[k];

    return (float)(1 + worse) / (float)(1 + change->count + k - left);
}

/* The set with N in rising order, without those that leave, to TO. */
static void
merge(struct change *change, const float *come, size_t N, float *to)
{
    pri_sort(change->left, change->leave, to);
    pri_kernel()->exchange(change->sorted, change->count, change->left,
                           change->leave, come, N, to);
}

/* Up to SOME scores, ranked one after the other where P is not NULL. One that
 * is NaN has no place, and is taken for the worst. */
static void
take_in(struct history *history, const float *score, size_t N, float *p)
{
    struct change all, recent;
    float come[SOME], *scratch = history->scratch;
    uint32_t came[SOME];

    assert(N > 0 && N <= SOME);
    for (size_t k = 0; k < N; k++)
        come[k] = isnan(score[k]) ? INFINITY : score[k];
    change_init(&all, history, history->sorted, PRI_HISTORY, come, N);
    change_init(&recent, history, history->recent, PRI_RECENT, come, N);
    pri_kernel()->count_earlier(come, 0, come, N, came);
    for (size_t k = 0; p != NULL && k < N; k++)
        p[k] = fmaxf(rank_newcomer(&all, k, came[k]),
                     rank_newcomer(&recent, k, came[k]));
    for (size_t k = 0; k < N; k++)
        history->score[history->count++ % PRI_HISTORY] = come[k];
    pri_sort(come, N, scratch);
    merge(&recent, come, N, scratch);
    memcpy(history->recent, scratch,
           (recent.count + N - recent.leave) * sizeof *scratch);
    merge(&all, come, N, scratch);
    history->scratch = history->sorted;
    history->sorted = scratch;
}

void
pri_history_learn(struct history *history, const float *score, size_t N,
                  float *p)
{
    for (size_t at = 0; at < N; at += SOME)
        take_in(history, score + at, N - at < SOME ? N - at : SOME,
                p == NULL ? NULL : p + at);
}

void
pri_history_forget(struct history *history)
{
    history->count = 0;
}

void
pri_history_restore(struct history *history)
{
    size_t held = pri_history_held(history);
    size_t recent = held < PRI_RECENT ? held : PRI_RECENT;

    memcpy(history->sorted, history->score, held * sizeof *history->sorted);
    pri_sort(history->sorted, held, history->scratch);
    for (size_t i = 0; i < recent; i++)
        history->recent[i] =
            history->score[(history->count - recent + i) % PRI_HISTORY];
    pri_sort(history->recent, recent, history->scratch);
}

void
pri_history_rank(const struct history *history, const float *score, size_t N,
                 float *p)
{
    size_t held = pri_history_held(history);
    size_t recent = held < PRI_RECENT ? held : PRI_RECENT;
    const struct kernel *kernel = pri_kernel();
    uint32_t all_below[SOME], recent_below[SOME];

    for (size_t at = 0; at < N; at += SOME) {
        size_t some = N - at < SOME ? N - at : SOME;
        kernel->count_below(history->sorted, held, score + at, some, all_below);
        kernel->count_below(history->recent, recent, score + at, some,
                            recent_below);
        for (size_t i = 0; i < some; i++)
            p[at + i] = fmaxf(
                (float)(1 + held - all_below[i]) / (float)(1 + held),
                (float)(1 + recent - recent_below[i]) / (float)(1 + recent));
    }
}

/* The rank below which SHARE of COUNT > 0 values lie. */
static size_t
rank_of(double share, size_t count)
{
    share = share > 0.0 ? share < 1.0 ? share : 1.0 : 0.0; /* nor NaN */
    return (size_t)(share * (double)(count - 1) + 0.5);
}

float
pri_history_quantile(const struct history *history, double share)
{
    size_t held = pri_history_held(history);

    return held == 0 ? NAN : history->sorted[rank_of(share, held)];
}

/* A score up to which more than SHARE of COUNT in rising order, and itself,
 * are at least as bad: with one to spare for rounding. */
static float
sure_of(const float *sorted, size_t count, double share)
{
    double worse = ceil(share * (double)(count + 1)) + 1.0;

    return worse < (double)count ? sorted[count - 1 - (size_t)worse]
                                 : -INFINITY;
}

float
pri_history_sure(const struct history *history, double share)
{
    size_t held = pri_history_held(history);
    size_t recent = held < PRI_RECENT ? held : PRI_RECENT;

    return fmaxf(sure_of(history->sorted, held, share),
                 sure_of(history->recent, recent, share));
}

/* The limit, where WORST is what one in a hundred exceeds. */
static float
limit_of(float worst, float median, float spread, float most)
{
    spread = fmaxf(spread, SPREAD_LEAST);
    worst = fmaxf(worst, median + SPREADS_LEAST * spread);
    return fminf(worst, median + most * spread);
}

float
pri_score_limit(const float *score, size_t count, float most, float *scratch)
{
    float worst = pri_rank(score, count, rank_of(USUAL, count));

    memcpy(scratch, score, count * sizeof *score);
    float median, spread = pri_spread(scratch, count, &median);
    return limit_of(worst, median, spread, most);
}

float
pri_history_limit(const struct history *history, float most)
{
    size_t held = pri_history_held(history);
    float worst = history->sorted[rank_of(USUAL, held)];
    float median, spread = pri_spread_sorted(history->sorted, held, &median);

    return limit_of(worst, median, spread, most);
}
