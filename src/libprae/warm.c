/*
 * warm.c - the windows after the first: trained on, judged, and either
 * learned, held, or taken for the new normal.
 */
#include <math.h>
#include <string.h>

#include "denormal.h"
#include "learner.h"
#include "mem.h"
#include "stat.h"

#define WARM_EPOCHS 3 /* a window has been learned; more overlearns it */
#define WARM_RATE 0.3 /* of the first window's rate ... */
#define WARM_AGE 32.0 /* ... half of it after so many windows ... */
#define WARM_RATE_LEAST 0.003 /* ... and never less */
#define TRUSTED 0.9           /* of records at least, unless most do not fit */
#define RETURNS 2.0 /* times the records of a drift that misfits reach back */
#define CALM 4      /* one record in so many may be beyond */
#define YOUNG 4096  /* records learned, up to which little is known */

/* ---- what a window may have to leave as it was ---- */

static void
keep_ranges(struct learner *learner)
{
    size_t D0 = learner->context.D0;

    memcpy(learner->before_low, learner->ever_low, D0 * sizeof(double));
    memcpy(learner->before_high, learner->ever_high, D0 * sizeof(double));
}

static void
restore_ranges(struct learner *learner)
{
    size_t D0 = learner->context.D0;

    memcpy(learner->ever_low, learner->before_low, D0 * sizeof(double));
    memcpy(learner->ever_high, learner->before_high, D0 * sizeof(double));
}

static void
keep_weights(struct learner *learner)
{
    const struct trainer *trainer = &learner->trainer;
    size_t count = trainer->net.param_count;

    memcpy(learner->before, trainer->net.param, count * sizeof(float));
    memcpy(learner->before + count, trainer->adam.mean, count * sizeof(float));
    memcpy(learner->before + 2 * count, trainer->adam.square,
           count * sizeof(float));
    learner->before_steps = trainer->adam.steps;
    learner->before_epochs = trainer->epochs;
}

static void
restore_weights(struct learner *learner)
{
    struct trainer *trainer = &learner->trainer;
    size_t count = trainer->net.param_count;

    memcpy(trainer->net.param, learner->before, count * sizeof(float));
    memcpy(trainer->adam.mean, learner->before + count, count * sizeof(float));
    memcpy(trainer->adam.square, learner->before + 2 * count,
           count * sizeof(float));
    trainer->adam.steps = learner->before_steps;
    trainer->epochs = learner->before_epochs;
}

/* Whether training left only finite numbers, in the net and, by it, in the
 * errors of the window and of trusted records. */
static int
is_sound(const struct learner *learner, size_t N, const float *e)
{
    if (!pri_trainer_is_finite(&learner->trainer))
        return 0;
    for (size_t d = 0; d < learner->D; d++)
        if (!isfinite(learner->usual[d]))
            return 0;
    for (size_t i = 0; i < N; i++)
        if (!isfinite(e[i]))
            return 0;
    return 1;
}

/* ---- training ---- */

/*
 * The share of the first window's rate that later windows learn at. It falls
 * with age, as steps must if what is learned is to settle: at a constant
 * rate the net slowly learns its outliers. A drift makes the model young
 * again.
 */
static double
warm_rate(const struct learner *learner)
{
    double rate = WARM_RATE * WARM_AGE / (WARM_AGE + (double)learner->age);

    return rate > WARM_RATE_LEAST ? rate : WARM_RATE_LEAST;
}

/* Trains on the window at LAMBDA, its gates fresh. */
static void
train(struct learner *learner, size_t N, float lambda, struct findings *found)
{
    struct trainer *trainer = &learner->trainer;
    const prae_params *params = &learner->params;
    size_t epochs = params->epochs == 0 ? WARM_EPOCHS : params->epochs;
    struct gate_level level = {lambda * learner->factor, lambda};
    struct rng noise;

    if (params->lambda_rule == PRAE_LAMBDA_FIXED)
        level.lambda = (float)params->lambda;
    else if (params->lambda_rule == PRAE_LAMBDA_ME)
        level.lambda = (float)params->lambda * learner->energy;
    if (level.lambda > 0.0f)
        level.unit = level.lambda;
    trainer->batch = pri_fit_batch(params, N);
    if (trainer->batch > trainer->cap_batch)
        trainer->batch = trainer->cap_batch;
    for (size_t i = 0; i < N; i++)
        found->gate[i] = PRI_GATE_START;
    pri_rng_init(&noise, params->seed,
                 PRI_STREAM_NOISE | 0x80 | learner->model << 8);
    pri_gate_visit(&trainer->rule, level, N, found->error, found->gate,
                   learner->scratch, &noise);
    for (size_t epoch = 0; epoch < epochs; epoch++)
        pri_trainer_epoch(trainer, learner->x, N, level,
                          params->rate * warm_rate(learner), found->gate,
                          found->error);
}

/* What gates turn at in training, by COUNT errors. */
static float
lambda_of(const struct learner *learner, const float *e, size_t count)
{
    return pri_error_level(e, count, PRI_SPREAD_TRAIN,
                           pri_fit_floor(learner->D), learner->scratch);
}

/* Errors and scores of the window by the opinion that there is. */
static void
score_rows(struct learner *learner, size_t N, struct findings *found)
{
    pri_trainer_judge(&learner->trainer, learner->x, N, learner->weight,
                      found->error, found->score);
    pri_opinion_score(learner, learner->x, learner->wide, N, PRI_STRANGER,
                      found->score);
}

/*
 * Errors and scores of the window, by the net as it is and by what is usual
 * among trusted records, so that scores of any two windows compare. Returns
 * the level that most trusted records' scores are below: a window's own
 * cannot tell that all of it is bad.
 */
static float
score(struct learner *learner, size_t N, struct findings *found)
{
    size_t count = pri_opinion_by_past(learner);

    score_rows(learner, N, found);
    return pri_opinion_level(learner, learner->sample_score, count);
}

/* The same after training. Weights that broke are put back, and the window is
 * judged without having been learned. */
static float
score_trained(struct learner *learner, size_t N, struct findings *found)
{
    float level = score(learner, N, found);

    if (is_sound(learner, N, found->error))
        return level;
    restore_weights(learner);
    learner->rollbacks++;
    return score(learner, N, found);
}

/* ---- the moment in time ---- */

/* Keeps context and smoothed score, to be put back after a burst. */
static void
keep_moment(struct learner *learner)
{
    pri_context_keep(&learner->context);
    learner->calm_level = learner->smooth.level;
    learner->stale = 0;
}

static void
restore_moment(struct learner *learner)
{
    pri_context_restore(&learner->context);
    learner->smooth.level = learner->calm_level;
    learner->astray = 0;
}

/* Records of a window that no timer closed, and that can tell something. */
static uint64_t
full_window(const struct learner *learner, size_t N)
{
    size_t rows = learner->params.window > 0 ? learner->params.window : N;

    return rows >= PRI_FEW ? rows : PRI_MARKS;
}

/* Records of misfits that are a drift: windows that a timer closed are
 * shorter. */
static uint64_t
patience(const struct learner *learner, size_t N)
{
    return learner->params.drift_after * full_window(learner, N);
}

/* How many of the last COUNT records lay beyond what is usual. */
static size_t
count_marks(const struct learner *learner, size_t count)
{
    size_t marks = 0;

    for (size_t i = PRI_MARKS - count; i < PRI_MARKS; i++)
        marks += learner->marks[i];
    return marks;
}

/*
 * The moment to go back to after a burst is the last calm one. An incident
 * may begin, and widen spreads for hundreds of records, before a window ends
 * that still fits: from there the good windows behind the burst would start
 * with spreads as wide as its own, be bursts themselves, and at last a drift.
 * Only where it is never calm, that is how it is.
 */
static void
keep_calm_moment(struct learner *learner, size_t N)
{
    int calm = CALM * count_marks(learner, PRI_FEW) <= PRI_FEW;

    if (learner->state != PRAE_STATE_BURST &&
        (calm || learner->stale >= patience(learner, N)))
        keep_moment(learner);
    learner->stale += N;
}

/*
 * Time has gone on while a burst was held, and it goes on for the next
 * record: context is put back once a full window, not after each of the short
 * ones that a timer closes, or every record of a slow stream would be
 * compared with what was before the burst.
 */
static void
pass_time(struct learner *learner, size_t N)
{
    learner->astray += N;
    if (learner->held == N || learner->astray >= full_window(learner, N))
        restore_moment(learner);
}

/* ---- the three ways ---- */

/*
 * Past scores do not count any more, only the window's own. Of a window of a
 * few records, these and those to come: until there are enough of them, the
 * limit stays.
 */
static void
begin_anew(struct learner *learner, size_t N, const float *score)
{
    pri_history_forget(&learner->history);
    if (N >= PRI_FEW)
        learner->limit = pri_opinion_own_limit(learner, N, score);
}

/* The window's verdicts. Of a few scores none can be told to be too much. */
static void
decide(struct learner *learner, size_t N, enum opinion how,
       struct findings *found)
{
    int known = pri_history_held(&learner->history) + N >= PRI_FEW;

    pri_opinion_verdict(learner, N, how, found);
    if (!known)
        memset(found->flagged, 0, N);
}

/* What the window leaves in the model. */
static void
learn(struct learner *learner, size_t N)
{
    for (size_t i = 0; i < N; i++)
        if (learner->fits[i])
            pri_reservoir_offer(&learner->reservoir,
                                learner->wide + i * learner->D);
    if (pri_reservoir_forget(&learner->reservoir))
        pri_trusted_narrow(learner);
    if (pri_history_held(&learner->history) >= PRI_FEW)
        learner->limit = pri_opinion_limit(learner);
    learner->learned += N;
    learner->model++;
    learner->age++;
}

/* As something that fits. */
static void
judge_live(struct learner *learner, size_t N, struct findings *found)
{
    pri_smooth_learn(&learner->smooth, found->score, N);
    pri_opinion_smooth(learner, N, found->score);
    if (learner->anew)
        begin_anew(learner, N, found->score);
    decide(learner, N, learner->anew ? OPINION_ANEW : OPINION_LEARN, found);
    learner->anew = 0;
    learn(learner, N);
}

/* By what was learned before, as if the window had not been seen. */
static void
judge_by_past(struct learner *learner, size_t N, struct findings *found)
{
    restore_weights(learner);
    float level = score(learner, N, found);
    (void)pri_opinion_fit(learner, N, found->score, level);
    pri_opinion_smooth(learner, N, found->score);
    pri_opinion_verdict(learner, N, OPINION_HOLD, found);
    restore_ranges(learner);
    pass_time(learner, N);
}

/* As something new: the past has no say in which of its records are odd,
 * only the others have. Nor has this window later on, as its scores are
 * those of records that were not known yet. */
static void
judge_by_itself(struct learner *learner, size_t N, struct findings *found)
{
    int anew = N >= PRI_FEW || !learner->anew;

    restore_weights(learner);
    pri_trainer_errors(&learner->trainer, learner->x, N, found->error);
    train(learner, N, lambda_of(learner, found->error, N), found);
    (void)score_trained(learner, N, found);
    (void)pri_opinion_fit(learner, N, found->score,
                          pri_opinion_level(learner, found->score, N));
    pri_smooth_learn(&learner->smooth, found->score, N);
    if (N >= PRI_FEW)
        learner->limit = pri_opinion_own_limit(learner, N, found->score);
    pri_opinion_smooth(learner, N, found->score);
    if (anew)
        begin_anew(learner, N, found->score);
    learner->anew = 1;
    decide(learner, N, anew ? OPINION_ANEW : OPINION_LEARN, found);
    learn(learner, N);
}

/* Notes which of the window's records lie beyond LEVEL; returns how many. */
static size_t
mark(struct learner *learner, size_t N, const float *score, float level)
{
    size_t last = N < PRI_MARKS ? N : PRI_MARKS, beyond = 0;
    unsigned char *marks = learner->marks;

    for (size_t i = 0; i < N; i++)
        beyond += score[i] > level;
    memmove(marks, marks + last, PRI_MARKS - last);
    for (size_t i = 0; i < last; i++)
        marks[PRI_MARKS - last + i] = score[N - last + i] > level;
    return beyond;
}

/*
 * Whether most of the window, BEYOND of N, does not fit. A handful of records
 * is no window, nor are those that a timer closed early, so they are looked
 * at with those before them: a lasting change shows in a slow stream, too,
 * and a single odd record in a window of its own is none.
 */
static int
is_misfit(const struct learner *learner, size_t N, size_t beyond)
{
    double share = learner->params.burst_share;
    int full = N >= learner->params.window && N >= PRI_FEW;

    /* A drift has to be over for good, lest it be announced again: of what is
     * new a full window at least must be known. */
    if (learner->state == PRAE_STATE_DRIFT) {
        if (learner->drifted < full_window(learner, N))
            return 1;
        share *= 0.5;
    }
    if (!full && N < PRI_MARKS)
        return (double)count_marks(learner, PRI_MARKS) > share * PRI_MARKS;
    return (double)beyond > share * (double)N;
}

/*
 * What is made of a window most of which does not fit the past. A model
 * that has learned but few windows has not seen all sides of the stream, so
 * it learns this one, too. Later such a window is a burst and held out of
 * learning; if it goes on, or comes back so often that most windows do not
 * fit, it is a drift, and learned until windows fit again.
 */
static void
judge_misfit(struct learner *learner, size_t N, struct findings *found)
{
    if (learner->learned < YOUNG) {
        learner->state = PRAE_STATE_LIVE;
        judge_by_itself(learner, N, found);
        return;
    }
    uint64_t before = learner->held;
    learner->held += N;
    learner->load += (double)N;
    if (learner->state != PRAE_STATE_DRIFT &&
        learner->held < patience(learner, N) &&
        learner->load < (double)patience(learner, N)) {
        learner->bursts += before == 0;
        learner->state = PRAE_STATE_BURST;
        judge_by_past(learner, N, found);
        return;
    }
    if (learner->state != PRAE_STATE_DRIFT) {
        learner->drifts++;
        learner->drifted = 0;
        pri_reservoir_part(&learner->reservoir);
    }
    learner->drifted += N;
    learner->state = PRAE_STATE_DRIFT;
    learner->load = 0.0;
    learner->age = 0;
    judge_by_itself(learner, N, found);
}

void
pri_learner_settle(struct learner *learner)
{
    if (learner->settled)
        return;
    uint64_t denormals = pri_denormals_off();
    pri_trusted_scale(learner);
    (void)pri_trusted_sample(learner);
    (void)pri_opinion_by_past(learner);
    learner->bound = pri_opinion_bound(learner);
    pri_quick_forget(learner);
    learner->settled = 1;
    pri_denormals_restore(denormals);
}

/* By what was learned before, and nothing else. */
static void
judge_frozen(struct learner *learner, const double *x, size_t N,
             struct findings *found)
{
    pri_learner_settle(learner);
    learner->wide =
        pri_context_extend(&learner->context, x, N, learner->room);
    if (learner->state != PRAE_STATE_FROZEN)
        learner->awake = learner->state;
    learner->state = PRAE_STATE_FROZEN;
    if (pri_quick_can(learner)) {
        pri_quick_judge(learner, N, found);
        return;
    }
    pri_scale_apply(&learner->scale, learner->wide, N, 1, learner->x);
    score_rows(learner, N, found);
    pri_opinion_smooth(learner, N, found->score);
    pri_opinion_frozen(learner, N, found);
}

void
pri_learner_later(struct learner *learner, const double *x, size_t N,
                  struct findings *found)
{
    if (learner->params.freeze) {
        judge_frozen(learner, x, N, found);
        return;
    }
    keep_calm_moment(learner, N);
    learner->load *= exp(-(double)N / (RETURNS * (double)patience(learner, N)));
    learner->wide =
        pri_context_extend(&learner->context, x, N, learner->room);
    keep_ranges(learner);
    pri_trusted_widen(learner, x, N);
    pri_trusted_scale(learner);
    pri_scale_apply(&learner->scale, learner->wide, N, 1, learner->x);
    pri_trainer_errors(&learner->trainer, learner->x, N, found->error);
    keep_weights(learner);
    size_t count = pri_trusted_errors(learner);
    train(learner, N, lambda_of(learner, learner->sample_e, count), found);
    float level = score_trained(learner, N, found);
    /* Trust that is measured by the trusted would narrow for ever: whatever
     * they say, it is denied to no more than a tenth. */
    level = fmaxf(level, pri_history_quantile(&learner->history, TRUSTED));
    (void)pri_opinion_fit(learner, N, found->score, level);
    size_t beyond =
        mark(learner, N, found->score, fminf(level, learner->limit));
    if (is_misfit(learner, N, beyond)) {
        judge_misfit(learner, N, found);
        return;
    }
    learner->held = 0;
    learner->state = PRAE_STATE_LIVE;
    judge_live(learner, N, found);
}
