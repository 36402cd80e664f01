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
                                .fits = pri_block_new(PRI_HISTORY, 1),
                                .sorted = pri_floats_new(PRI_HISTORY),
                                .scratch = pri_floats_new(PRI_HISTORY)};
    if (history->score == NULL || history->fits == NULL ||
        history->sorted == NULL || history->scratch == NULL) {
        pri_history_fini(history);
        return PRAE_ENOMEM;
    }
    return PRAE_OK;
}

void
pri_history_fini(struct history *history)
{
    free(history->score);
    free(history->fits);
    free(history->sorted);
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

void
pri_history_put(struct history *history, float score, int fits)
{
    size_t held = pri_history_held(history);
    size_t place = (size_t)(history->count % PRI_HISTORY);
    size_t to = count_below(history->sorted, held, score);
    size_t from = held; /* where there is room: at the end */

    if (held == PRI_HISTORY)
        from = count_below(history->sorted, held, history->score[place]);
    if (to > from) {
        to--;
        memmove(history->sorted + from, history->sorted + from + 1,
                (to - from) * sizeof score);
    } else {
        memmove(history->sorted + to + 1, history->sorted + to,
                (from - to) * sizeof score);
    }
    history->sorted[to] = score;
    history->score[place] = score;
    history->fits[place] = fits != 0;
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

    memcpy(history->sorted, history->score, held * sizeof *history->sorted);
    pri_sort(history->sorted, held);
}

float
pri_history_p(const struct history *history, float score, size_t unseen)
{
    size_t held = pri_history_held(history);
    size_t worse = held - count_below(history->sorted, held, score);

    return (float)(unseen + worse) / (float)(unseen + held);
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

/* Brings a quantile of all scores within its bounds. */
static float
bound(float usual, float most, const float *score, const unsigned char *fits,
      size_t count, float *scratch)
{
    size_t taken = 0;

    for (size_t i = 0; i < count; i++)
        if (fits[i])
            scratch[taken++] = score[i];
    if (taken == 0) {
        memcpy(scratch, score, count * sizeof *score);
        taken = count;
    }
    float median, spread = pri_spread(scratch, taken, &median);
    spread = fmaxf(spread, SPREAD_LEAST);
    usual = fmaxf(usual, median + SPREADS_LEAST * spread);
    return fminf(usual, median + most * spread);
}

float
pri_history_limit(struct history *history, float most)
{
    return bound(pri_history_quantile(history, USUAL), most, history->score,
                 history->fits, pri_history_held(history), history->scratch);
}

float
pri_score_limit(const float *score, const unsigned char *fits, size_t count,
                float most, float *scratch)
{
    memcpy(scratch, score, count * sizeof *score);
    float usual = pri_rank(scratch, count, rank_of(USUAL, count));

    return bound(usual, most, score, fits, count, scratch);
}
