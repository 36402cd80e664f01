/* first.c - the first window: all that is known is learned from it. */
#include <math.h>

#include "learner.h"
#include "mem.h"
#include "stat.h"

#define ALIKE 0.5   /* neighbours from which a stream is a time series */
#define FIRST_MIN 8 /* records that can tell which of them is odd */

static prae_status
decide_context(struct learner *learner, const double *x, size_t N)
{
    struct context *context = &learner->context;
    prae_status status;

    learner->likeness = pri_context_likeness(context, x, N, &status);
    context->on = learner->params.context == PRAE_CONTEXT_ON ||
                  (learner->params.context == PRAE_CONTEXT_AUTO &&
                   learner->likeness > ALIKE);
    return status;
}

/* Net and gates from scratch on the window. TRACE (N) is left with how badly
 * each record fitted all through training. */
static prae_status
train(struct learner *learner, size_t N, float *trace, struct findings *found)
{
    struct trainer *trainer = &learner->trainer;
    prae_params params = learner->params;
    struct fit fit = {.x = learner->x,
                      .N = N,
                      .D = learner->D,
                      .cap_rows = learner->cap_rows,
                      .gaps = 1,
                      .runner = learner->runner,
                      .factor = 1.0f,
                      .mu = found->gate,
                      .e = found->error,
                      .trace = trace,
                      .scratch = learner->scratch};

    memset(trace, 0, N * sizeof *trace);
    params.epochs = params.cold_epochs;
    prae_status status = params.lambda_rule == PRAE_LAMBDA_VALIDATE
                             ? pri_fit_validate(&fit, &params, trainer)
                             : pri_fit_run(&fit, &params, trainer);
    if (status == PRAE_OK)
        status = pri_learner_reserve_weights(learner);
    if (status != PRAE_OK)
        return status;
    learner->factor = fit.factor;
    pri_trainer_errors(trainer, learner->x, N, found->error);
    return PRAE_OK;
}

/* A record of the first window and how badly it fitted all along. */
struct ranked {
    float trace;
    uint32_t row;
};

static int
compare_ranked(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;

    return left->trace < right->trace ? -1 : left->trace > right->trace;
}

/*
 * The first window's errors E (N) are dealt out anew in the order of how
 * badly each record fitted all through training, TRACE (N). That order is
 * the better one, because a record that the net learned late is still
 * remembered as one that did not fit; and as errors they compare with the
 * windows after it.
 */
static prae_status
deal_errors(struct learner *learner, size_t N, const float *trace, float *e)
{
    struct ranked *ranked = pri_block_new(N, sizeof *ranked);

    if (ranked == NULL)
        return PRAE_ENOMEM;
    for (size_t i = 0; i < N; i++)
        ranked[i] = (struct ranked){trace[i], (uint32_t)i};
    qsort(ranked, N, sizeof *ranked, compare_ranked);
    memcpy(learner->scratch, e, N * sizeof *e);
    pri_sort(learner->scratch, N, learner->logs);
    for (size_t i = 0; i < N; i++)
        e[ranked[i].row] = learner->scratch[i];
    free(ranked);
    return PRAE_OK;
}

static void
fill_reservoir(struct learner *learner, size_t N)
{
    size_t good = 0;

    for (size_t i = 0; i < N; i++)
        good += learner->fits[i];
    pri_reservoir_fill(&learner->reservoir, learner->wide, N,
                       2 * good >= N ? learner->fits : NULL);
}

prae_status
pri_learner_first(struct learner *learner, const double *x, size_t N,
                  struct findings *found)
{
    prae_status status = decide_context(learner, x, N);

    if (status == PRAE_OK)
        status = pri_learner_reserve(learner);
    if (status == PRAE_OK)
        status = pri_reservoir_reserve(&learner->reservoir, N);
    if (status != PRAE_OK)
        return status;
    learner->wide =
        pri_context_extend(&learner->context, x, N, learner->room);
    pri_trusted_widen(learner, x, N);
    pri_trusted_scale_first(learner, N);
    pri_scale_apply(&learner->scale, learner->wide, N, 1, learner->x);
    status = train(learner, N, found->p, found);
    if (status != PRAE_OK)
        return status;
    pri_opinion_by_itself(learner, N, found->error);
    pri_trainer_judge(&learner->trainer, learner->x, N, learner->weight,
                      found->error, found->score);
    status = deal_errors(learner, N, found->p, found->score);
    if (status != PRAE_OK)
        return status;
    pri_opinion_score(learner, learner->x, learner->wide, N, 0, found->score);
    (void)pri_opinion_fit(learner, N, found->score,
                          pri_opinion_level(learner, found->score, N));
    fill_reservoir(learner, N);
    pri_smooth_learn(&learner->smooth, found->score, N);
    learner->limit = pri_opinion_own_limit(learner, N, found->score);
    pri_opinion_smooth(learner, N, found->score);
    learner->limit = pri_opinion_own_limit(learner, N, found->score);
    pri_opinion_verdict(learner, N, OPINION_FIRST, found);
    for (size_t i = 0; N < FIRST_MIN && i < N; i++)
        found->flagged[i] = 0;
    learner->limit = pri_opinion_limit(learner);
    learner->learned = N;
    learner->state = PRAE_STATE_LIVE;
    return PRAE_OK;
}
