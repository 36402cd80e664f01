/*
 * quick.c - frozen, where nobody asks for the scores of inliers: a record
 * that surely is one is not scored.
 *
 * Its score stays below the bound where its error leaves so much room that
 * some neighbours are within it, and most records have these among the first
 * they are compared with. For the error itself half of the net will do where
 * the other half draws a curve that is known by then. Whoever is not surely
 * an inlier is scored as ever, so verdicts, and all that is said of outliers,
 * are the same.
 */
#include <math.h>
#include <string.h>

#include "learner.h"
#include "mem.h"

#define MARGIN 1e-4f    /* of the bound, more than any rounding */
#define SETTLED 8192    /* rows by one model, before more is made of it */
#define OFF_SHARE 0.05f /* of the room's root that a curve may be off by */

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

/* All memory, the first time; whether there is some. */
static int
reserve(struct learner *learner)
{
    struct quick *quick = &learner->quick;

    if (quick->some != NULL)
        return 1;
    quick->some = pri_matrix_new(PRI_QUICK_ROWS, learner->D);
    if (quick->some == NULL ||
        pri_ribbon_init(&quick->ribbon, learner->D, learner->neighbours.len) !=
            PRAE_OK) {
        pri_quick_fini(quick);
        return 0;
    }
    return 1;
}

int
pri_quick_can(struct learner *learner)
{
    return learner->params.unscored && !learner->by_rarity &&
           !learner->smooth.on && learner->params.second == PRAE_SECOND_KNN &&
           learner->balance > 0.0f && room(learner) > 0.0f && reserve(learner);
}

void
pri_quick_forget(struct learner *learner)
{
    learner->quick.rows = 0;
    learner->quick.ribbon.made = 0;
}

void
pri_quick_fini(struct quick *quick)
{
    pri_ribbon_fini(&quick->ribbon);
    free(quick->some);
    *quick = (struct quick){0};
}

/* What pays where one model judges many. */
static void
prepare(struct learner *learner)
{
    float *z = learner->logs;

    if (!pri_ribbon_can(&learner->trainer) || learner->sample_count == 0)
        return;
    pri_trainer_middle(&learner->trainer, learner->sample,
                       learner->sample_count, z);
    pri_ribbon_make(&learner->quick.ribbon, &learner->trainer,
                    &learner->neighbours, z, learner->sample_count,
                    OFF_SHARE * sqrtf(room(learner)));
}

/* N rows through the net, or for the ribbon half of it. */
static void
pass(struct learner *learner, size_t N, struct findings *found)
{
    if (learner->quick.ribbon.made)
        pri_trainer_middle(&learner->trainer, learner->x, N, learner->logs);
    else
        pri_trainer_judge(&learner->trainer, learner->x, N, learner->weight,
                          found->error, found->score);
}

/* Which of N rows surely are inliers, to learner->fits. */
static void
find_sure(struct learner *learner, size_t N, struct findings *found)
{
    const struct ribbon *ribbon = &learner->quick.ribbon;
    unsigned char *sure = learner->fits;
    float most = room(learner), away[PRI_NEIGHBOURS_BLOCK], *e = found->score;

    pass(learner, N, found);
    memset(sure, 0, N);
    for (size_t at = 0, rows; at < N; at += rows) {
        rows = N - at < PRI_NEIGHBOURS_BLOCK ? N - at : PRI_NEIGHBOURS_BLOCK;
        const float *row = pri_neighbours_rows(
            &learner->neighbours, learner->x + at * learner->D, rows);
        if (ribbon->made) {
            pri_ribbon_bounds(ribbon, rows, row, learner->logs + at, e + at,
                              away);
            for (size_t i = 0; i < rows; i++)
                sure[at + i] = e[at + i] + learner->balance * away[i] <= most;
        }
        for (size_t i = 0; i < rows; i++)
            away[i] = (most - e[at + i]) / learner->balance;
        pri_neighbours_within(&learner->neighbours, row, rows, away, sure + at);
    }
}

/* Rows WHICH (count) the ordinary way. */
static void
judge_some(struct learner *learner, const size_t *which, size_t count,
           struct findings *found)
{
    float score[PRI_QUICK_ROWS], error[PRI_QUICK_ROWS];
    float gate[PRI_QUICK_ROWS], p[PRI_QUICK_ROWS];
    unsigned char flagged[PRI_QUICK_ROWS];
    struct findings some = {score, error, gate, p, flagged};
    float *x = learner->quick.some;
    size_t D = learner->D;

    for (size_t i = 0; i < count; i++) {
        memcpy(x + i * D, learner->x + which[i] * D, D * sizeof *x);
        score[i] = found->score[which[i]];
        error[i] = found->error[which[i]];
    }
    /* Without a ribbon the net has been gone through; and a net that makes
     * one gives the same in any batch. */
    if (learner->quick.ribbon.made)
        pri_trainer_judge(&learner->trainer, x, count, learner->weight, error,
                          score);
    /* The rows in their own units are for rarities, which are not judged
     * here. */
    pri_opinion_score(learner, x, NULL, count, PRI_STRANGER, score);
    pri_opinion_frozen(learner, count, &some);
    for (size_t i = 0; i < count; i++) {
        found->score[which[i]] = score[i];
        found->error[which[i]] = error[i];
        found->gate[which[i]] = gate[i];
        found->p[which[i]] = p[i];
        found->flagged[which[i]] = flagged[i];
    }
}

void
pri_quick_judge(struct learner *learner, size_t N, struct findings *found)
{
    size_t which[PRI_QUICK_ROWS], count = 0;
    uint64_t before = learner->quick.rows;

    learner->quick.rows += N;
    if (before < SETTLED && learner->quick.rows >= SETTLED)
        prepare(learner);
    find_sure(learner, N, found);
    for (size_t i = 0; i < N; i++) {
        if (!learner->fits[i])
            which[count++] = i;
        if (count > 0 && (count == PRI_QUICK_ROWS || i + 1 == N)) {
            judge_some(learner, which, count, found);
            count = 0;
        }
        if (learner->fits[i]) {
            found->score[i] = found->error[i] = NAN;
            found->p[i] = found->gate[i] = NAN;
            found->flagged[i] = 0;
        }
    }
}
