/* learner.c - the first window, the windows after it, and what they leave. */
#include "learner.h"

#include <math.h>

#include "denormal.h"
#include "mem.h"
#include "stat.h"

#define ALIKE 0.5     /* neighbours from which a stream is a time series */
#define SAMPLE 512    /* trusted records that levels are taken from */
#define WARM_EPOCHS 3 /* a window has been learned; more overlearns it */
#define WARM_RATE 0.3 /* of the first window's rate ... */
#define WARM_AGE 32.0 /* ... half of it after so many windows ... */
#define WARM_RATE_LEAST 0.03 /* ... and never less */
#define FIRST_MIN 8          /* records that can tell which of them is odd */
#define YOUNG 8              /* windows learned, up to which little is known */
#define RANGE_LEAST 0.01     /* of the trusted range: the least unit */

prae_status
pri_learner_init(struct learner *learner, const prae_params *params, size_t D0,
                 const double *least, size_t cap_rows)
{
    *learner = (struct learner){
        .params = *params, .cap_rows = cap_rows, .state = PRAE_STATE_WARMING};
    learner->least = pri_block_new(D0, sizeof *least);
    learner->ever_low = pri_block_new(D0, sizeof *learner->ever_low);
    learner->ever_high = pri_block_new(D0, sizeof *learner->ever_high);
    learner->history = pri_floats_new(PRI_HISTORY);
    if (learner->least == NULL || learner->ever_low == NULL ||
        learner->ever_high == NULL || learner->history == NULL ||
        pri_context_init(&learner->context, D0) != PRAE_OK) {
        pri_learner_fini(learner);
        return PRAE_ENOMEM;
    }
    pri_learner_set_least(learner, least);
    for (size_t d = 0; d < D0; d++) {
        learner->ever_low[d] = (double)INFINITY;
        learner->ever_high[d] = -(double)INFINITY;
    }
    return PRAE_OK;
}

void
pri_learner_set_least(struct learner *learner, const double *least)
{
    for (size_t d = 0; d < learner->context.D0; d++) {
        learner->least[d] = least[d];
        learner->context.untimed[d] = least[d] > 0.0;
    }
}

void
pri_learner_fini(struct learner *learner)
{
    pri_context_fini(&learner->context);
    pri_scale_fini(&learner->scale);
    pri_reservoir_fini(&learner->reservoir);
    pri_trainer_fini(&learner->trainer);
    free(learner->least);
    free(learner->ever_low);
    free(learner->ever_high);
    free(learner->wide);
    free(learner->x);
    free(learner->scratch);
    free(learner->sample);
    free(learner->sample_e);
    free(learner->before);
    free(learner->history);
    *learner = (struct learner){0};
}

prae_status
pri_learner_reserve(struct learner *learner)
{
    size_t rows = learner->cap_rows, D = pri_context_D(&learner->context);

    learner->D = D;
    if (D > SIZE_MAX / sizeof(double) / rows)
        return PRAE_ENOMEM;
    learner->wide = pri_block_new(rows * D, sizeof(double));
    learner->x = pri_matrix_new(rows, D);
    learner->scratch = pri_floats_new(rows > SAMPLE ? rows : SAMPLE);
    learner->sample = pri_matrix_new(SAMPLE, D);
    learner->sample_e = pri_floats_new(SAMPLE);
    if (learner->wide == NULL || learner->x == NULL ||
        learner->scratch == NULL || learner->sample == NULL ||
        learner->sample_e == NULL ||
        pri_scale_init(&learner->scale, D) != PRAE_OK ||
        pri_reservoir_init(&learner->reservoir, D, learner->params.memory,
                           learner->params.seed) != PRAE_OK)
        return PRAE_ENOMEM;
    return PRAE_OK;
}

prae_status
pri_learner_reserve_weights(struct learner *learner)
{
    learner->before = pri_matrix_new(3, learner->trainer.net.param_count);
    return learner->before == NULL ? PRAE_ENOMEM : PRAE_OK;
}

/* ---- weights and the optimiser's state, kept and put back ---- */

static void
keep_weights(struct learner *learner)
{
    size_t count = learner->trainer.net.param_count;

    memcpy(learner->before, learner->trainer.net.param, count * sizeof(float));
    memcpy(learner->before + count, learner->trainer.adam.mean,
           count * sizeof(float));
    memcpy(learner->before + 2 * count, learner->trainer.adam.square,
           count * sizeof(float));
}

static void
restore_weights(struct learner *learner)
{
    size_t count = learner->trainer.net.param_count;

    memcpy(learner->trainer.net.param, learner->before, count * sizeof(float));
    memcpy(learner->trainer.adam.mean, learner->before + count,
           count * sizeof(float));
    memcpy(learner->trainer.adam.square, learner->before + 2 * count,
           count * sizeof(float));
}

/* ---- what the reservoir gives ---- */

/* Takes X (N, D0) into the ranges of all that was ever seen. */
static void
widen_ranges(struct learner *learner, const double *x, size_t N)
{
    size_t D0 = learner->context.D0;

    for (size_t i = 0; i < N; i++) {
        for (size_t d = 0; d < D0; d++) {
            double value = x[i * D0 + d];
            if (value < learner->ever_low[d])
                learner->ever_low[d] = value;
            if (value > learner->ever_high[d])
                learner->ever_high[d] = value;
        }
    }
}

/*
 * Least units. A value's is a hundredth of its trusted range, so that one
 * that has stood still for a while is not news when it moves as it used to.
 * A change's and a spread's is a hundredth of the value's range ever seen: a
 * spread lasts, and where the value had never moved before, one blip would
 * make hundreds of records behind it look odd.
 */
static void
set_least(struct learner *learner, const struct reservoir *trusted)
{
    size_t D0 = learner->context.D0;

    for (size_t d = 0; d < learner->D; d++) {
        double range = learner->ever_high[d % D0] - learner->ever_low[d % D0];
        double least = learner->least[d % D0];
        if (d < D0)
            range = trusted == NULL ? 0.0 : trusted->high[d] - trusted->low[d];
        if (isfinite(range) && range * RANGE_LEAST > least)
            least = range * RANGE_LEAST;
        learner->scale.least[d] = least;
    }
}

static void
fit_scale(struct learner *learner)
{
    const struct reservoir *trusted = &learner->reservoir;

    set_least(learner, trusted);
    pri_scale_fit(&learner->scale, trusted->x, trusted->count);
}

/* Errors of up to SAMPLE trusted records; returns how many. They lie at
 * random in the reservoir, so any stretch of it is a sample. */
static size_t
measure_trusted(struct learner *learner)
{
    const struct reservoir *trusted = &learner->reservoir;
    size_t count = trusted->count < SAMPLE ? trusted->count : SAMPLE;
    size_t first = 0;

    if (count < trusted->count)
        first = learner->windows * SAMPLE % (trusted->count - count);
    pri_scale_apply(&learner->scale, trusted->x + first * learner->D, count, 1,
                    learner->sample);
    pri_trainer_errors(&learner->trainer, learner->sample, count,
                       learner->sample_e);
    double sum = 0.0; /* of ||x||^2, whose mean lambda=me is a multiple of */
    for (size_t i = 0; i < count * learner->D; i++)
        if (!isnan(learner->sample[i]))
            sum += (double)learner->sample[i] * (double)learner->sample[i];
    learner->energy = (float)(sum / (double)count);
    return count;
}

void
pri_learner_set_level(struct learner *learner, float lambda)
{
    learner->level = lambda;
    learner->limit = (double)pri_gate_limit(&learner->trainer.rule, lambda,
                                            (float)learner->params.threshold);
}

int
pri_learner_is_sound(struct learner *learner)
{
    size_t count = measure_trusted(learner);

    for (size_t i = 0; i < count; i++)
        if (!isfinite(learner->sample_e[i]))
            return 0;
    return 1;
}

/* ---- the first window ---- */

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
 * The first window's scores are its errors, dealt out anew in the order of
 * how badly each record fitted all through training: SCORE (N) holds that
 * and is overwritten. That order is the better one, because a record that
 * the net learned late is still remembered as one that did not fit; and as
 * errors they compare with the windows after it.
 */
static prae_status
score_cold(struct learner *learner, size_t N, const float *e, float *score)
{
    struct ranked *ranked = pri_block_new(N, sizeof *ranked);

    if (ranked == NULL)
        return PRAE_ENOMEM;
    for (size_t i = 0; i < N; i++)
        ranked[i] = (struct ranked){score[i], (uint32_t)i};
    qsort(ranked, N, sizeof *ranked, compare_ranked);
    memcpy(learner->scratch, e, N * sizeof *e);
    pri_sort(learner->scratch, N);
    for (size_t i = 0; i < N; i++)
        score[ranked[i].row] = learner->scratch[i];
    free(ranked);
    return PRAE_OK;
}

static void
fill_reservoir(struct learner *learner, size_t N, const struct findings *found)
{
    size_t good = 0;

    for (size_t i = 0; i < N; i++)
        good += !found->flagged[i];
    pri_reservoir_fill(&learner->reservoir, learner->wide, N,
                       2 * good >= N ? found->flagged : NULL);
}

static prae_status
first_window(struct learner *learner, const double *x, size_t N,
             struct findings *found)
{
    struct trainer *trainer = &learner->trainer;
    prae_params params = learner->params;
    prae_status status = decide_context(learner, x, N);

    if (status == PRAE_OK)
        status = pri_learner_reserve(learner);
    if (status != PRAE_OK)
        return status;
    pri_context_extend(&learner->context, x, N, learner->wide);
    widen_ranges(learner, x, N);
    set_least(learner, NULL);
    pri_scale_fit(&learner->scale, learner->wide, N);
    pri_scale_apply(&learner->scale, learner->wide, N, 1, learner->x);

    memset(found->score, 0, N * sizeof *found->score);
    struct fit fit = {.x = learner->x,
                      .N = N,
                      .D = learner->D,
                      .cap_rows = learner->cap_rows,
                      .gaps = 1,
                      .factor = 1.0f,
                      .mu = found->gate,
                      .e = found->error,
                      .trace = found->score,
                      .scratch = learner->scratch};
    params.epochs = params.cold_epochs;
    status = params.lambda_rule == PRAE_LAMBDA_VALIDATE
                 ? pri_fit_validate(&fit, &params, trainer)
                 : pri_fit_run(&fit, &params, trainer);
    if (status == PRAE_OK)
        status = pri_learner_reserve_weights(learner);
    if (status != PRAE_OK)
        return status;

    pri_trainer_errors(trainer, learner->x, N, found->error);
    learner->factor = fit.factor;
    status = score_cold(learner, N, found->error, found->score);
    if (status != PRAE_OK)
        return status;
    float lambda = pri_error_level(found->error, N, PRI_SPREAD_FLAG,
                                   pri_fit_floor(learner->D), learner->scratch);
    pri_learner_set_level(learner, lambda);
    pri_gate_settle(&trainer->rule, lambda, N, found->error, found->gate);
    for (size_t i = 0; i < N; i++) {
        found->p[i] = NAN;
        found->flagged[i] = N >= FIRST_MIN &&
                            (double)found->gate[i] < learner->params.threshold;
    }
    fill_reservoir(learner, N, found);
    pri_history_put(learner, found->score, N);
    learner->state = PRAE_STATE_LIVE;
    return PRAE_OK;
}

/* ---- the windows after it ---- */

/* Whether training left only finite numbers. */
static int
is_sound(const struct learner *learner, size_t N, const float *e)
{
    const struct trainer *trainer = &learner->trainer;

    for (size_t i = 0; i < trainer->net.param_count; i++)
        if (!isfinite(trainer->net.param[i]) ||
            !isfinite(trainer->adam.square[i]))
            return 0;
    for (size_t i = 0; i < N; i++)
        if (!isfinite(e[i]))
            return 0;
    return 1;
}

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

/* Trains on the window at LAMBDA, its gates fresh. Weights that broke are
 * put back, and the window is judged without having been learned. */
static void
train_warm(struct learner *learner, size_t N, float lambda,
           struct findings *found)
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
                 PRI_STREAM_NOISE | 0x80 | learner->windows << 8);
    pri_gate_visit(&trainer->rule, level, N, found->error, found->gate,
                   learner->scratch, &noise);
    for (size_t epoch = 0; epoch < epochs; epoch++)
        pri_trainer_epoch(trainer, learner->x, N, level,
                          params->rate * warm_rate(learner), found->gate,
                          found->error);
    pri_trainer_errors(trainer, learner->x, N, found->error);
    if (!is_sound(learner, N, found->error)) {
        restore_weights(learner);
        learner->rollbacks++;
        pri_trainer_errors(trainer, learner->x, N, found->error);
    }
}

/* Flags by the gates settled at LAMBDA, or by p-values where a rate was
 * asked for. Scores are the errors as they stand. Returns how many gates are
 * shut: they decide what is learned, whatever the rate. */
static size_t
flag(struct learner *learner, size_t N, float lambda, struct findings *found)
{
    const prae_params *params = &learner->params;
    size_t shut = 0;

    memcpy(found->score, found->error, N * sizeof *found->score);
    pri_history_rank(learner, N, found);
    pri_gate_settle(&learner->trainer.rule, lambda, N, found->error,
                    found->gate);
    for (size_t i = 0; i < N; i++) {
        int is_shut = (double)found->gate[i] < params->threshold;
        found->flagged[i] =
            params->fpr > 0.0 ? (double)found->p[i] < params->fpr : is_shut;
        shut += (size_t)is_shut;
    }
    return shut;
}

/* The level of trusted records' errors by the net as it is. Lambda comes
 * from them: a window's own errors cannot tell that all of it is bad. */
static float
trusted_lambda(struct learner *learner, float spread)
{
    size_t count = measure_trusted(learner);

    return pri_error_level(learner->sample_e, count, spread,
                           pri_fit_floor(learner->D), learner->scratch);
}

static float
own_lambda(const struct learner *learner, size_t N,
           const struct findings *found, float spread)
{
    return pri_error_level(found->error, N, spread, pri_fit_floor(learner->D),
                           learner->scratch);
}

/* Judges by what was learned before, as if the window had not been seen. */
static void
judge_by_past(struct learner *learner, size_t N, struct findings *found)
{
    restore_weights(learner);
    pri_trainer_errors(&learner->trainer, learner->x, N, found->error);
    (void)flag(learner, N, trusted_lambda(learner, PRI_SPREAD_FLAG), found);
}

/* Learns the window as something new: the past has no say in which of its
 * records are odd, only the others have. */
static void
judge_by_itself(struct learner *learner, size_t N, struct findings *found)
{
    restore_weights(learner);
    pri_trainer_errors(&learner->trainer, learner->x, N, found->error);
    train_warm(learner, N, own_lambda(learner, N, found, PRI_SPREAD_TRAIN),
               found);
    (void)flag(learner, N, own_lambda(learner, N, found, PRI_SPREAD_FLAG),
               found);
}

/*
 * What is made of a window most of which does not fit the past. A model
 * that has learned but few windows has not seen all sides of the stream, so
 * it learns this one, too. Later such a window is a burst and held out of
 * learning; if it goes on, it is a drift, and learned until windows fit
 * again.
 */
static void
judge_misfit(struct learner *learner, size_t N, struct findings *found)
{
    if (learner->model < YOUNG) {
        learner->state = PRAE_STATE_LIVE;
        judge_by_itself(learner, N, found);
        return;
    }
    learner->held++;
    if (learner->held < learner->params.drift_after) {
        learner->bursts += learner->held == 1;
        learner->state = PRAE_STATE_BURST;
        judge_by_past(learner, N, found);
        return;
    }
    learner->drifts += learner->held == learner->params.drift_after;
    learner->state = PRAE_STATE_DRIFT;
    learner->age = 0;
    judge_by_itself(learner, N, found);
}

/* What the window leaves in the model. */
static void
learn_from(struct learner *learner, size_t N, const struct findings *found)
{
    for (size_t i = 0; i < N; i++)
        if ((double)found->gate[i] >= learner->params.threshold)
            pri_reservoir_offer(&learner->reservoir,
                                learner->wide + i * learner->D);
    pri_history_put(learner, found->score, N);
    learner->model++;
    learner->age++;
}

static void
judge_frozen(struct learner *learner, size_t N, struct findings *found)
{
    const prae_params *params = &learner->params;

    memcpy(found->score, found->error, N * sizeof *found->score);
    pri_history_rank(learner, N, found);
    for (size_t i = 0; i < N; i++) {
        found->gate[i] = NAN;
        found->flagged[i] = params->fpr > 0.0
                                ? (double)found->p[i] < params->fpr
                                : (double)found->error[i] > learner->limit;
    }
    learner->state = PRAE_STATE_FROZEN;
}

static void
later_window(struct learner *learner, const double *x, size_t N,
             struct findings *found)
{
    pri_context_extend(&learner->context, x, N, learner->wide);
    widen_ranges(learner, x, N);
    fit_scale(learner);
    pri_scale_apply(&learner->scale, learner->wide, N, 1, learner->x);
    pri_trainer_errors(&learner->trainer, learner->x, N, found->error);
    if (learner->params.freeze) {
        judge_frozen(learner, N, found);
        return;
    }
    keep_weights(learner);
    train_warm(learner, N, trusted_lambda(learner, PRI_SPREAD_TRAIN), found);
    float lambda = trusted_lambda(learner, PRI_SPREAD_FLAG);
    size_t shut = flag(learner, N, lambda, found);
    if ((double)shut > learner->params.burst_share * (double)N) {
        judge_misfit(learner, N, found);
    } else {
        learner->held = 0;
        learner->state = PRAE_STATE_LIVE;
        pri_learner_set_level(learner, lambda);
    }
    if (learner->state != PRAE_STATE_BURST)
        learn_from(learner, N, found);
}

/* Room for windows longer than any before. */
static prae_status
grow(struct learner *learner, size_t rows)
{
    struct trainer *trainer = &learner->trainer;
    uint32_t *order = pri_block_new(rows, sizeof *order);
    double *wide = NULL;
    float *x = pri_matrix_new(rows, learner->D);
    float *scratch = pri_floats_new(rows > SAMPLE ? rows : SAMPLE);

    if (learner->D <= SIZE_MAX / sizeof *wide / rows)
        wide = pri_block_new(rows * learner->D, sizeof *wide);
    if (order == NULL || wide == NULL || x == NULL || scratch == NULL) {
        free(order);
        free(wide);
        free(x);
        free(scratch);
        return PRAE_ENOMEM;
    }
    free(trainer->order);
    free(learner->wide);
    free(learner->x);
    free(learner->scratch);
    trainer->order = order;
    trainer->cap_rows = rows;
    learner->wide = wide;
    learner->x = x;
    learner->scratch = scratch;
    learner->cap_rows = rows;
    return PRAE_OK;
}

prae_status
pri_learner_window(struct learner *learner, const double *x, size_t N,
                   struct findings *found)
{
    uint64_t denormals = pri_denormals_off();
    prae_status status = PRAE_OK;

    if (learner->state == PRAE_STATE_WARMING) {
        status = first_window(learner, x, N, found);
        learner->model += status == PRAE_OK;
    } else {
        if (N > learner->cap_rows)
            status = grow(learner, N);
        if (status == PRAE_OK)
            later_window(learner, x, N, found);
    }
    pri_denormals_restore(denormals);
    learner->windows += status == PRAE_OK;
    return status;
}

void
pri_learner_explain(struct learner *learner, size_t row, float *part,
                    double *expected)
{
    const float *x = learner->x + row * learner->D;

    pri_trainer_expect(&learner->trainer, x, 1, part);
    for (size_t d = 0; d < learner->D; d++) {
        expected[d] = pri_scale_undo(&learner->scale, d, (double)part[d]);
        float away = isnan(x[d]) ? 0.0f : x[d] - part[d];
        part[d] = away * away;
    }
}
