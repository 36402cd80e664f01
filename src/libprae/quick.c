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

/* Records that are looked at together: those few of them that have to look
 * for neighbours are to be enough for doing so together, and all are to stay
 * near the processor meanwhile. */
#define BLOCK_FLOATS 4096
#define BLOCK_LEAST 48
#define BLOCK_MOST 384

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
    size_t len = learner->neighbours.len;
    quick->block = BLOCK_FLOATS / len;
    if (quick->block > BLOCK_MOST)
        quick->block = BLOCK_MOST;
    if (quick->block < BLOCK_LEAST)
        quick->block = BLOCK_LEAST;
    quick->row = pri_matrix_new(quick->block, len);
    quick->z = pri_floats_new(quick->block);
    quick->away = pri_floats_new(quick->block);
    quick->some = pri_matrix_new(PRI_QUICK_ROWS, learner->D);
    if (quick->some == NULL || quick->row == NULL || quick->z == NULL ||
        quick->away == NULL ||
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
    free(quick->row);
    free(quick->z);
    free(quick->away);
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

/* N rows through the net. All at once, as what a wide one makes of a row may
 * hang, in its last digit, on those beside it. */
static void
pass(struct learner *learner, size_t N, struct findings *found)
{
    pri_scale_apply(&learner->scale, learner->wide, N, 1, learner->x);
    pri_trainer_judge(&learner->trainer, learner->x, N, learner->weight,
                      found->error, found->score);
}

/* What the errors of ROWS in X are at most, to E, by the curve and half of
 * the net; and who is an inlier whatever neighbours say, to SURE. */
static void
pass_half(struct learner *learner, const float *x, size_t rows, float most,
          float *e, unsigned char *sure)
{
    struct quick *quick = &learner->quick;

    pri_trainer_middle(&learner->trainer, x, rows, quick->z);
    pri_ribbon_bounds(&quick->ribbon, rows, quick->row, quick->z, e,
                      quick->away);
    for (size_t i = 0; i < rows; i++)
        sure[i] = e[i] + learner->balance * quick->away[i] <= most;
}

/* Which of N rows surely are inliers, to learner->fits. */
static void
find_sure(struct learner *learner, size_t N, struct findings *found)
{
    struct quick *quick = &learner->quick;
    float most = room(learner);
    size_t D = learner->D;

    if (!quick->ribbon.made)
        pass(learner, N, found);
    memset(learner->fits, 0, N);
    for (size_t at = 0, rows; at < N; at += rows) {
        float *x = learner->x + at * D, *e = found->score + at;
        unsigned char *sure = learner->fits + at;
        rows = N - at < quick->block ? N - at : quick->block;
        if (quick->ribbon.made)
            pri_scale_apply(&learner->scale, learner->wide + at * D, rows, 1,
                            x);
        pri_neighbours_rows(&learner->neighbours, x, rows, quick->row);
        if (quick->ribbon.made)
            pass_half(learner, x, rows, most, e, sure);
        for (size_t i = 0; i < rows; i++)
            quick->away[i] = (most - e[i]) / learner->balance;
        pri_neighbours_within(&learner->neighbours, quick->row, rows,
                              quick->away, sure);
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

static void
forget(struct findings *found, size_t i)
{
    found->score[i] = found->error[i] = NAN;
    found->p[i] = found->gate[i] = NAN;
    found->flagged[i] = 0;
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
        which[count] = i;
        count += !learner->fits[i];
        if (count == PRI_QUICK_ROWS || (count > 0 && i + 1 == N)) {
            judge_some(learner, which, count, found);
            count = 0;
        }
    }
    for (size_t i = 0; i < N; i++)
        if (learner->fits[i])
            forget(found, i);
}
