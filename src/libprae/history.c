/* history.c - a ring of scores, and the same in rising order. */
#include "history.h"

#include <math.h>

#include "mem.h"
#include "stat.h"

#define USUAL 0.99      /* of all scores are below the limit, ... */
#define SPREADS_LEAST 2 /* ... which is so many spreads above the median */

/* Scores are logarithms: closer together than this they are the same. */
#define SPREAD_LEAST 0.01f

prae_status
pri_history_init(struct history *history)
{
    *history = (struct history){.score = pri_floats_new(PRI_HISTORY),
                                .sorted = pri_floats_new(PRI_HISTORY),
                                .recent = pri_floats_new(PRI_RECENT),
                                .scratch = pri_floats_new(PRI_HISTORY)};
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

/* Of COUNT values in rising order, how many are below VALUE. */
static size_t
count_below(const float *sorted, size_t count, float value)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* In COUNT values in rising order VALUE takes the place of OLD, or where OLD
 * is NULL comes in addition. */
static void
replace(float *sorted, size_t count, const float *old, float value)
{
    size_t to = count_below(sorted, count, value);
    size_t from = old == NULL ? count : count_below(sorted, count, *old);

    if (to > from) {
        to--;
        memmove(sorted + from, sorted + from + 1, (to - from) * sizeof value);
    } else {
        memmove(sorted + to + 1, sorted + to, (from - to) * sizeof value);
    }
    sorted[to] = value;
}

void
pri_history_put(struct history *history, float score)
{
    size_t held = pri_history_held(history);
    size_t recent = held < PRI_RECENT ? held : PRI_RECENT;
    float *place = &history->score[history->count % PRI_HISTORY];
    size_t leaves = (size_t)((history->count - recent) % PRI_HISTORY);

    replace(history->recent, recent,
            recent < PRI_RECENT ? NULL : &history->score[leaves], score);
    replace(history->sorted, held, held < PRI_HISTORY ? NULL : place, score);
    *place = score;
    history->count++;
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
    pri_sort(history->sorted, held);
    for (size_t i = 0; i < recent; i++)
        history->recent[i] =
            history->score[(history->count - recent + i) % PRI_HISTORY];
    pri_sort(history->recent, recent);
}

/* The share of COUNT values in rising order, and SCORE itself, that are at
 * least SCORE. */
static float
rank(const float *sorted, size_t count, float score)
{
    size_t worse = count - count_below(sorted, count, score);

    return (float)(1 + worse) / (float)(1 + count);
}

float
pri_history_p(const struct history *history, float score)
{
    size_t held = pri_history_held(history);
    size_t recent = held < PRI_RECENT ? held : PRI_RECENT;

    return fmaxf(rank(history->sorted, held, score),
                 rank(history->recent, recent, score));
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

float
pri_score_limit(const float *score, size_t count, float most, float *scratch)
{
    memcpy(scratch, score, count * sizeof *score);
    float limit = pri_rank(scratch, count, rank_of(USUAL, count));
    float median, spread = pri_spread(scratch, count, &median);

    spread = fmaxf(spread, SPREAD_LEAST);
    limit = fmaxf(limit, median + SPREADS_LEAST * spread);
    return fminf(limit, median + most * spread);
}

float
pri_history_limit(struct history *history, float most)
{
    return pri_score_limit(history->score, pri_history_held(history), most,
                           history->scratch);
}
