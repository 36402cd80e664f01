/*
 * history.c - past scores: what makes a score a p-value.
 *
 * The last PRI_HISTORY scores of windows that were learned from, flagged
 * records included: what is rare among them is rare in this stream.
 */
#include <math.h>
#include <string.h>

#include "learner.h"
#include "stat.h"

void
pri_history_put(struct learner *learner, const float *score, size_t N)
{
    for (size_t i = 0; i < N; i++)
        learner->history[learner->history_count++ % PRI_HISTORY] = score[i];
}

/* p = (1 + past scores at least as bad) / (1 + past scores). SORTED is
 * COUNT past scores, ascending. */
static float
rank_p(const float *sorted, size_t count, float score)
{
    size_t low = 0, high = count; /* the first at least SCORE is between */

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < score)
            low = middle + 1;
        else
            high = middle;
    }
    return (float)(1 + count - low) / (float)(1 + count);
}

/* Past scores in rising order to SORTED (PRI_HISTORY); returns how many. */
static size_t
sort_history(const struct learner *learner, float *sorted)
{
    size_t count = learner->history_count < PRI_HISTORY
                       ? (size_t)learner->history_count
                       : PRI_HISTORY;

    memcpy(sorted, learner->history, count * sizeof *sorted);
    pri_sort(sorted, count);
    return count;
}

double
pri_learner_quantile(const struct learner *learner, double share)
{
    float sorted[PRI_HISTORY];
    size_t count = sort_history(learner, sorted);

    if (count == 0)
        return (double)NAN;
    share = share > 0.0 ? share < 1.0 ? share : 1.0 : 0.0; /* nor NaN */
    return (double)sorted[(size_t)(share * (double)(count - 1) + 0.5)];
}

void
pri_history_rank(const struct learner *learner, size_t N,
                 struct findings *found)
{
    float sorted[PRI_HISTORY];
    size_t count = sort_history(learner, sorted);

    for (size_t i = 0; i < N; i++)
        found->p[i] = rank_p(sorted, count, found->score[i]);
}
