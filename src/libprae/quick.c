/*
 * quick.c - frozen, where nobody asks for the scores of inliers: a record
 * that surely is one is not scored.
 *
 * Its score stays below the bound where its error leaves so much room that
 * some neighbours are within it, and most records have these among the first
 * they are compared with. Whoever is not surely an inlier is scored as ever,
 * so verdicts, and all that is said of outliers, are the same.
 */
#include <math.h>
#include <string.h>

#include "learner.h"

#define MARGIN 1e-4f /* of the bound, more than any rounding */

/* What a sum of error and distance may be of one that is surely no outlier,
 * see combine() in opinion.c; at most 0: none surely is. */
static float
room(const struct learner *learner)
{
    double fpr = learner->params.fpr;
    float bound =
        fpr > 0.0 ? pri_history_sure(&learner->history, fpr) : learner->bound;
    float most = expf(bound) * (1.0f - MARGIN);

    return most > learner->floor && isfinite(most) ? most : 0.0f;
}

int
pri_quick_can(const struct learner *learner)
{
    return learner->params.unscored && !learner->by_rarity &&
           !learner->smooth.on && learner->params.second == PRAE_SECOND_KNN &&
           learner->balance > 0.0f && room(learner) > 0.0f;
}

/* Rows FROM to TO the ordinary way, their weighted errors in score. */
static void
judge_ordinarily(struct learner *learner, size_t from, size_t to,
                 struct findings *found)
{
    struct findings part = {found->score + from, found->error + from,
                            found->gate + from, found->p + from,
                            found->flagged + from};
    size_t D = learner->D;

    pri_opinion_score(learner, learner->x + from * D, learner->wide + from * D,
                      to - from, PRI_STRANGER, part.score);
    pri_opinion_frozen(learner, to - from, &part);
}

void
pri_quick_judge(struct learner *learner, size_t N, struct findings *found)
{
    unsigned char *sure = learner->fits;
    float most = room(learner), *near = learner->scratch;

    pri_trainer_judge(&learner->trainer, learner->x, N, learner->weight,
                      found->error, found->score);
    for (size_t i = 0; i < N; i++)
        near[i] = (most - found->score[i]) / learner->balance;
    pri_neighbours_within(&learner->neighbours, learner->x, N, near, sure);
    for (size_t i = 0; i < N;) {
        size_t end = i;
        while (end < N && !sure[end])
            end++;
        if (end > i)
            judge_ordinarily(learner, i, end, found);
        for (i = end; i < N && sure[i]; i++) {
            found->score[i] = found->p[i] = found->gate[i] = NAN;
            found->flagged[i] = 0;
        }
    }
}
