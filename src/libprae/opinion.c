/*
 * opinion.c - what is thought of records: their errors become scores, and
 * scores, against those of the past, gates, p-values and flags.
 *
 * A score is the logarithm of
 *
 *     sum_d ((x_d - y_d)^2 + b (x_d - r_d)^2) / (u_d + u)
 *
 * where y is the reconstruction of x, r a trusted record near by, b what
 * makes both sums alike among trusted records, u_d what
 * (x_d - y_d)^2 usually is among trusted records and u the mean of u_d: a
 * feature that is usually met well counts when it is not, but one that
 * hardly ever moves is not all that counts. Of records that are strings and
 * nothing else the score is their rarity, which is a logarithm, too.
 */
#include <math.h>
#include <string.h>

#include "learner.h"
#include "stat.h"

#define BALANCE_MOST 2.0f /* of a distance, as against an error */
#define SPREADS_MOST 3.0f /* see pri_history_limit */
#define REMEMBERED 1.0f   /* beyond the limit, of a score when smoothing */
#define SHOWN_MOST 80.0f  /* whose exponential is a float */
#define RATIO_MOST 20.0f  /* as far from the limit as gates can tell */

static void
sum_rarities(const struct learner *learner, const double *wide, size_t N,
             float *score)
{
    for (size_t i = 0; i < N; i++) {
        double sum = 0.0;
        for (size_t d = 0; d < learner->context.D0; d++) {
            double value = wide[i * learner->D + d];
            if (!isnan(value))
                sum += learner->rarity[d] * value;
        }
        score[i] = (float)sum;
    }
}

/* How much each feature's misfit counts, by what is usual among the N rows
 * of X that GOOD marks; all misfits go to KEPT, unless it is NULL. */
static void
weigh(struct learner *learner, const float *x, size_t N,
      const unsigned char *good, struct misfit *kept)
{
    size_t D = learner->D;
    double mean = (double)pri_fit_floor(D) / (double)D;

    pri_trainer_usual(&learner->trainer, x, N, good, kept, learner->usual);
    for (size_t d = 0; d < D; d++)
        mean += learner->usual[d] / (double)D;
    for (size_t d = 0; d < D; d++)
        learner->weight[d] = (float)(1.0 / (learner->usual[d] + mean));
    /* What is no error at all, see pri_fit_floor, by weights of about this:
     * something that has a logarithm. */
    learner->floor =
        (float)fmax(0.5 * (double)pri_fit_floor(D) / mean, (double)FLT_MIN);
    pri_neighbours_weigh(&learner->neighbours, learner->weight);
}

/* The distances of N rows of X to their neighbours, to AWAY; 0 where nobody
 * asks for them. */
static void
look_around(struct learner *learner, const float *x, size_t N, uint32_t first,
            float *away)
{
    if (learner->params.second == PRAE_SECOND_KNN && !learner->by_rarity)
        pri_neighbours_distance(&learner->neighbours, x, N, first, away);
    else
        memset(away, 0, N * sizeof *away);
}

/*
 * Net and neighbours get an equal say, whatever is usual of each: by the
 * weighted errors E and the distances AWAY of COUNT rows. Where most records
 * have a twin, distances are too small to be made much of.
 */
static void
balance(struct learner *learner, size_t count, const float *e,
        const float *away)
{
    float net = pri_median(e, count), others = pri_median(away, count);

    learner->balance =
        net < BALANCE_MOST * others ? net / others : BALANCE_MOST;
}

/* Scores from weighted errors in SCORE, and distances. */
static void
combine(const struct learner *learner, size_t N, const float *away,
        float *score)
{
    for (size_t i = 0; i < N; i++) {
        float sum = pri_finite_error(score[i] + learner->balance * away[i]);
        score[i] = logf(fmaxf(sum, learner->floor));
    }
}

void
pri_opinion_score(struct learner *learner, const float *x, const double *wide,
                  size_t N, uint32_t first, float *score)
{
    if (learner->by_rarity) {
        sum_rarities(learner, wide, N, score);
        return;
    }
    look_around(learner, x, N, first, learner->scratch);
    combine(learner, N, learner->scratch, score);
}

size_t
pri_opinion_by_past(struct learner *learner)
{
    const struct reservoir *trusted = &learner->reservoir;
    struct neighbours *neighbours = &learner->neighbours;
    size_t first = learner->sample_first, count = learner->sample_count;
    const double *wide = trusted->x + first * learner->D;

    /* Others in each window, so that none decides for long. */
    pri_neighbours_choose(neighbours, trusted->count, (size_t)learner->model,
                          NULL);
    pri_scale_some(&learner->scale, trusted->x, neighbours->source,
                   neighbours->count, neighbours->x);
    weigh(learner, learner->sample, count, NULL, &learner->misfit);
    pri_misfit_errors(&learner->misfit, count, learner->weight,
                      learner->sample_score);
    look_around(learner, learner->sample, count, (uint32_t)first,
                learner->sample_away);
    balance(learner, count, learner->sample_score, learner->sample_away);
    if (learner->by_rarity)
        sum_rarities(learner, wide, count, learner->sample_score);
    else
        combine(learner, count, learner->sample_away, learner->sample_score);
    return count;
}

void
pri_opinion_by_itself(struct learner *learner, size_t N, const float *e)
{
    struct neighbours *neighbours = &learner->neighbours;
    float floor = pri_fit_floor(learner->D);
    size_t D = learner->D, count = 0;
    float *logs = learner->logs, *away = learner->scratch;

    for (size_t i = 0; i < N; i++)
        logs[i] = logf(fmaxf(e[i], floor));
    (void)pri_opinion_fit(learner, N, logs,
                          pri_opinion_level(learner, logs, N));
    pri_neighbours_choose(neighbours, N, 0, learner->fits);
    for (size_t r = 0; r < neighbours->count; r++)
        memcpy(neighbours->x + r * D, learner->x + neighbours->source[r] * D,
               D * sizeof(float));
    weigh(learner, learner->x, N, learner->fits, NULL);
    pri_trainer_judge(&learner->trainer, learner->x, N, learner->weight, NULL,
                      logs);
    look_around(learner, learner->x, N, 0, away);
    for (size_t i = 0; i < N; i++) {
        if (!learner->fits[i])
            continue;
        logs[count] = logs[i];
        away[count++] = away[i];
    }
    balance(learner, count, logs, away);
}

float
pri_opinion_level(const struct learner *learner, const float *score,
                  size_t count)
{
    float *scratch = learner->scratch;

    memcpy(scratch, score, count * sizeof *score);
    float median, spread = pri_spread(scratch, count, &median);
    return median + PRI_SPREAD_FLAG * spread;
}

float
pri_opinion_slack(const struct learner *learner, float threshold)
{
    return logf(pri_gate_limit(&learner->trainer.rule, 1.0f, threshold));
}

size_t
pri_opinion_fit(struct learner *learner, size_t N, const float *score,
                float level)
{
    float most = level + learner->shut;
    size_t misfits = 0;

    for (size_t i = 0; i < N; i++) {
        learner->fits[i] = !(score[i] > most);
        misfits += !learner->fits[i];
    }
    return misfits;
}

/* The rarity of strings has no spread: it lies where the kinds of lines
 * that there are happen to. */
static float
spreads_most(const struct learner *learner)
{
    return learner->by_rarity ? INFINITY : SPREADS_MOST;
}

float
pri_opinion_own_limit(struct learner *learner, size_t N, const float *score)
{
    /* A table in one window is no stream: the paper's rule. */
    if (learner->params.window == 0)
        return pri_opinion_level(learner, score, N) + learner->shut;
    return pri_score_limit(score, N, spreads_most(learner), learner->scratch);
}

float
pri_opinion_limit(struct learner *learner)
{
    return pri_history_limit(&learner->history, spreads_most(learner));
}

float
pri_opinion_bound(const struct learner *learner)
{
    return learner->limit - learner->shut + learner->slack;
}

void
pri_opinion_smooth(struct learner *learner, size_t N, float *score)
{
    pri_smooth_apply(&learner->smooth, score, N, learner->limit + REMEMBERED);
}

/* P-values: by the past, each score being part of it before the next is
 * ranked; or where there is none, by the window itself. */
static void
rank(struct learner *learner, size_t N, enum opinion how,
     struct findings *found)
{
    struct history *history = &learner->history;

    if (how == OPINION_LEARN) {
        pri_history_learn(history, found->score, N, found->p);
        return;
    }
    if (how != OPINION_HOLD)
        pri_history_learn(history, found->score, N, NULL);
    pri_history_rank(history, found->score, N, found->p);
    for (size_t i = 0; how == OPINION_FIRST && i < N; i++)
        found->p[i] = NAN;
}

/* Gates at rest against the limit: there the usual threshold is met. */
static void
settle(struct learner *learner, size_t N, struct findings *found)
{
    const struct gate_rule *rule = &learner->trainer.rule;
    float level = learner->limit - learner->shut;

    for (size_t i = 0; i < N; i++) {
        float above = found->score[i] - level;
        learner->scratch[i] =
            expf(fmaxf(fminf(above, RATIO_MOST), -RATIO_MOST));
    }
    pri_gate_settle(rule, 1.0f, N, learner->scratch, found->gate);
}

void
pri_opinion_verdict(struct learner *learner, size_t N, enum opinion how,
                    struct findings *found)
{
    const prae_params *params = &learner->params;
    int by_rate = params->fpr > 0.0 && how != OPINION_FIRST;

    rank(learner, N, how, found);
    settle(learner, N, found);
    for (size_t i = 0; i < N; i++) {
        found->error[i] = pri_finite_error(found->error[i]);
        found->flagged[i] = by_rate
                                ? (double)found->p[i] < params->fpr
                                : (double)found->gate[i] < params->threshold;
    }
    pri_opinion_show(learner, N, found->score);
}

void
pri_opinion_frozen(struct learner *learner, size_t N, struct findings *found)
{
    const prae_params *params = &learner->params;

    rank(learner, N, OPINION_HOLD, found);
    for (size_t i = 0; i < N; i++) {
        found->gate[i] = NAN;
        found->error[i] = pri_finite_error(found->error[i]);
        found->flagged[i] = params->fpr > 0.0
                                ? (double)found->p[i] < params->fpr
                                : found->score[i] > learner->bound;
    }
    pri_opinion_show(learner, N, found->score);
}

void
pri_opinion_show(const struct learner *learner, size_t N, float *score)
{
    if (learner->by_rarity)
        return;
    for (size_t i = 0; i < N; i++)
        score[i] = expf(score[i] > SHOWN_MOST ? SHOWN_MOST : score[i]);
}
