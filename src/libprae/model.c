/*
 * model.c - the batch entry: a table in, gates and errors out.
 *
 * The walk of prae_model_fit:
 *   1. the columns are scaled,
 *   2. the net is laid out,
 *   3. every gate is visited once, before any weight moves, so that gross
 *      outliers teach the net nothing,
 *   4. epochs train weights and gates, with lambda following the errors,
 *   5. what training made of the gates is kept as score, then they are
 *      settled against the errors as they end up.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "denormal.h"
#include "mem.h"
#include "scale.h"
#include "shape.h"
#include "stat.h"
#include "trainer.h"

#define SPREAD_TRAIN 1.5f    /* lambda's distance above the median error ... */
#define SPREAD_FLAG 2.0f     /* ... in training, and for the verdict */
#define STEPS_MIN 100        /* fewer leave small tables untrained */
#define EPOCHS_MIN 3         /* many more would teach the net its outliers */
#define FLOOR_A_COLUMN 1e-6f /* an error a column that is none at all */
#define UNSCALED_MAX 1e15    /* whose square, summed, still fits a float */
#define HOLDOUT 5            /* one row in so many is held out to validate */

struct prae_model {
    prae_params params;
    struct scale scale;
    struct trainer trainer;
    size_t rows;  /* 0: empty */
    float *mu;    /* (rows) */
    float *e;     /* (rows) */
    float *score; /* (rows) */
    double lambda;
    double limit;
    char errmsg[160];
};

/* One training run over a table in the net's units. */
struct fit {
    const float *x; /* (N, D) */
    size_t N;
    float *mu;      /* (N) */
    float *e;       /* (N) */
    float *scratch; /* (N) */
    float factor;   /* lambda times this */
};

__attribute__((format(printf, 3, 4))) static prae_status
fail(prae_model *model, prae_status status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(model->errmsg, sizeof model->errmsg, format, args);
    va_end(args);
    return status;
}

static prae_status
fail_memory(prae_model *model, size_t rows, size_t cols)
{
    return fail(model, PRAE_ENOMEM, "out of memory for %zu rows of %zu", rows,
                cols);
}

static void
clear(prae_model *model)
{
    pri_scale_fini(&model->scale);
    pri_trainer_fini(&model->trainer);
    free(model->mu);
    free(model->e);
    free(model->score);
    model->mu = model->e = model->score = NULL;
    model->rows = 0;
    model->lambda = model->limit = 0.0;
}

prae_status
prae_model_new(const prae_params *params, prae_model **out)
{
    if (out == NULL)
        return PRAE_EINVAL;
    prae_status status = prae_params_check(params, NULL, 0);
    if (status != PRAE_OK)
        return status;
    prae_model *model = calloc(1, sizeof *model);
    if (model == NULL)
        return PRAE_ENOMEM;
    model->params = *params;
    *out = model;
    return PRAE_OK;
}

/* ---- looking at what comes in ---- */

static prae_status
check_table(prae_model *model, const double *x, size_t rows, size_t cols)
{
    int raw = model->params.scaling == PRAE_SCALING_NONE;

    if (x == NULL)
        return fail(model, PRAE_EINVAL, "no table given");
    if (cols < 1 || cols > PRAE_COLS_MAX)
        return fail(model, PRAE_EINVAL, "%zu columns, not 1 to %zu", cols,
                    PRAE_COLS_MAX);
    if (rows < 1 || rows > UINT32_MAX ||
        rows > SIZE_MAX / sizeof(double) / cols)
        return fail(model, PRAE_EINVAL, "%zu rows, not 1 to %zu", rows,
                    SIZE_MAX / sizeof(double) / cols > UINT32_MAX
                        ? (size_t)UINT32_MAX
                        : SIZE_MAX / sizeof(double) / cols);
    for (size_t i = 0; i < rows * cols; i++) {
        if (!isfinite(x[i]))
            return fail(model, PRAE_EDATA,
                        "row %zu, column %zu is not a finite number", i / cols,
                        i % cols);
        if (raw && fabs(x[i]) > UNSCALED_MAX)
            return fail(model, PRAE_EDATA,
                        "row %zu, column %zu is beyond %g; scaling=auto "
                        "takes it",
                        i / cols, i % cols, UNSCALED_MAX);
    }
    return PRAE_OK;
}

/* ---- one training run ---- */

/* ME = mean ||x||^2 */
static double
mean_energy(const struct fit *fit, size_t D)
{
    double sum = 0.0;

    for (size_t i = 0; i < fit->N * D; i++)
        sum += (double)fit->x[i] * (double)fit->x[i];
    return sum / (double)fit->N;
}

static size_t
batch_size(const prae_params *params, size_t N)
{
    size_t wanted = params->batch;

    if (wanted == 0)
        wanted = N >= 512 ? 64 : N / 8 > 16 ? N / 8 : 16;
    return wanted < N ? wanted : N;
}

/* Where gates turn now, by the rule and the errors as they are. */
static struct gate_level
level_now(const prae_model *model, const struct fit *fit, double energy)
{
    float floor = FLOOR_A_COLUMN * (float)model->trainer.net.D;
    float level =
        pri_error_level(fit->e, fit->N, SPREAD_TRAIN, floor, fit->scratch);
    float lambda = level * fit->factor;

    if (model->params.lambda_rule == PRAE_LAMBDA_ME)
        lambda = (float)(model->params.lambda * energy);
    else if (model->params.lambda_rule == PRAE_LAMBDA_FIXED)
        lambda = (float)model->params.lambda;
    return (struct gate_level){lambda, lambda > 0.0f ? lambda : level};
}

/* Steps 2 to 4. On success the trainer is ready, gates and errors are as
 * the last epoch left them. */
static prae_status
train(prae_model *model, struct fit *fit, size_t D)
{
    const prae_params *params = &model->params;
    struct trainer *trainer = &model->trainer;
    struct gate_rule rule = {params->gates, params->estimator,
                             (float)params->sigma};
    size_t batch = batch_size(params, fit->N);
    double energy = mean_energy(fit, D);
    struct net net;

    pri_trainer_fini(trainer);
    if (pri_shape_net(&net, params, fit->x, fit->N, D) != PRAE_OK ||
        pri_trainer_init(trainer, &net, &rule, params->loss, params->seed,
                         batch, fit->N) != PRAE_OK)
        return fail_memory(model, fit->N, D);

    for (size_t i = 0; i < fit->N; i++)
        fit->mu[i] = PRI_GATE_START;
    pri_trainer_errors(trainer, fit->x, fit->N, fit->e);
    struct gate_level level = level_now(model, fit, energy);
    struct rng noise;
    pri_rng_init(&noise, params->seed, PRI_STREAM_NOISE | 0x80);
    pri_gate_visit(&rule, level, fit->N, fit->e, fit->mu, fit->scratch, &noise);

    size_t steps = (fit->N + batch - 1) / batch;
    size_t epochs = (STEPS_MIN + steps - 1) / steps;
    if (params->epochs != 0)
        epochs = params->epochs;
    else if (epochs < EPOCHS_MIN)
        epochs = EPOCHS_MIN;
    for (size_t epoch = 0; epoch < epochs; epoch++) {
        level = level_now(model, fit, energy);
        pri_trainer_epoch(trainer, fit->x, fit->N, level, params->rate, fit->mu,
                          fit->e);
        for (size_t i = 0; i < fit->N; i++)
            if (!isfinite(fit->e[i]) || !isfinite(fit->mu[i]))
                return fail(model, PRAE_ECONFIG,
                            "training diverged in epoch %zu: try a rate "
                            "below %g",
                            epoch + 1, params->rate);
    }
    model->lambda = (double)level.lambda;
    return PRAE_OK;
}

/* ---- lambda=validate ---- */

/* Trains on the rows before HELD and gives the median error of the rest. */
static prae_status
validate(prae_model *model, const struct fit *whole, size_t held, size_t D,
         float factor, float *median)
{
    struct fit fit = *whole;
    prae_status status;

    fit.N = held;
    fit.factor = factor;
    status = train(model, &fit, D);
    if (status != PRAE_OK)
        return status;
    pri_trainer_errors(&model->trainer, whole->x + held * D, whole->N - held,
                       fit.scratch);
    *median = pri_median(fit.scratch, whole->N - held);
    return PRAE_OK;
}

/*
 * Sets fit->factor to the candidate whose net, trained on four rows in
 * five, reconstructs the fifth best. The median is the judge, because the
 * rows held out are as dirty as the others.
 */
static prae_status
choose_factor(prae_model *model, struct fit *fit, size_t D)
{
    static const float factors[] = {0.25f, 0.5f, 1.0f, 2.0f, 4.0f};
    struct fit mixed = *fit;
    size_t held = fit->N - fit->N / HOLDOUT;
    float least = INFINITY;
    prae_status status = PRAE_ENOMEM;
    float *x = pri_matrix_new(fit->N, D);
    uint32_t *order = pri_block_new(fit->N, sizeof *order);
    struct rng rng;

    if (x == NULL || order == NULL) {
        status = fail_memory(model, fit->N, D);
        goto out;
    }
    for (size_t i = 0; i < fit->N; i++)
        order[i] = (uint32_t)i;
    pri_rng_init(&rng, model->params.seed, PRI_STREAM_HOLDOUT);
    pri_rng_shuffle(&rng, order, fit->N);
    for (size_t i = 0; i < fit->N; i++)
        memcpy(x + i * D, fit->x + order[i] * D, D * sizeof *x);
    mixed.x = x;

    status = PRAE_OK;
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        float median = INFINITY;
        if (held == fit->N) /* too few rows to hold any out */
            break;
        status = validate(model, &mixed, held, D, factors[i], &median);
        if (status != PRAE_OK)
            break;
        if (median < least) {
            least = median;
            fit->factor = factors[i];
        }
    }
out:
    free(x);
    free(order);
    return status;
}

/* ---- the whole ---- */

/* Step 5. */
static prae_status
settle(prae_model *model, struct fit *fit)
{
    struct trainer *trainer = &model->trainer;
    float floor = FLOOR_A_COLUMN * (float)trainer->net.D;

    pri_trainer_errors(trainer, fit->x, fit->N, fit->e);
    for (size_t i = 0; i < fit->N; i++)
        if (!isfinite(fit->e[i]))
            return fail(model, PRAE_ECONFIG,
                        "training diverged: try a rate below %g",
                        model->params.rate);
    float lambda =
        pri_error_level(fit->e, fit->N, SPREAD_FLAG, floor, fit->scratch);
    if (model->params.lambda_rule == PRAE_LAMBDA_ME ||
        model->params.lambda_rule == PRAE_LAMBDA_FIXED)
        lambda = (float)model->lambda;
    if (lambda <= 0.0f)
        lambda = floor;
    for (size_t i = 0; i < fit->N; i++)
        model->score[i] = trainer->rule.kind == PRAE_GATES_NONE
                              ? fit->e[i]
                              : PRI_GATE_START - fit->mu[i];
    pri_gate_settle(&trainer->rule, lambda, fit->N, fit->e, fit->mu);
    model->limit = (double)pri_gate_limit(&trainer->rule, lambda,
                                          (float)model->params.threshold);
    return PRAE_OK;
}

static prae_status
fit_table(prae_model *model, const double *x, size_t rows, size_t cols)
{
    int clip = model->params.scaling == PRAE_SCALING_AUTO;
    float *scaled = pri_matrix_new(rows, cols);
    float *scratch = pri_floats_new(rows);
    prae_status status;

    model->mu = pri_floats_new(rows);
    model->e = pri_floats_new(rows);
    model->score = pri_floats_new(rows);
    if (scaled == NULL || scratch == NULL || model->mu == NULL ||
        model->e == NULL || model->score == NULL ||
        pri_scale_init(&model->scale, cols) != PRAE_OK) {
        status = fail_memory(model, rows, cols);
        goto out;
    }
    if (clip)
        pri_scale_fit(&model->scale, x, rows);
    pri_scale_apply(&model->scale, x, rows, clip, scaled);

    struct fit fit = {.x = scaled,
                      .N = rows,
                      .mu = model->mu,
                      .e = model->e,
                      .scratch = scratch,
                      .factor = 1.0f};
    status = PRAE_OK;
    if (model->params.lambda_rule == PRAE_LAMBDA_VALIDATE)
        status = choose_factor(model, &fit, cols);
    if (status == PRAE_OK)
        status = train(model, &fit, cols);
    if (status == PRAE_OK)
        status = settle(model, &fit);
out:
    free(scaled);
    free(scratch);
    return status;
}

prae_status
prae_model_fit(prae_model *model, const double *x, size_t rows, size_t cols)
{
    if (model == NULL)
        return PRAE_EINVAL;
    clear(model);
    model->errmsg[0] = '\0';
    prae_status status = check_table(model, x, rows, cols);
    if (status != PRAE_OK)
        return status;
    uint64_t denormals = pri_denormals_off();
    status = fit_table(model, x, rows, cols);
    pri_denormals_restore(denormals);
    if (status == PRAE_OK)
        model->rows = rows;
    else
        clear(model);
    return status;
}

/* ---- rows the model has not seen ---- */

/*
 * Takes X through the scale and the net, a batch at a time. One of ERRORS
 * (rows) and EXPECTED (rows, cols) is asked for, the other NULL. The
 * trainer's own scratch is too small for a record-major batch, so one is
 * allocated here.
 */
static prae_status
run(prae_model *model, const double *x, size_t rows, size_t cols, float *errors,
    double *expected)
{
    struct trainer *trainer = &model->trainer;
    size_t cap = trainer->cap_batch;
    int clip = model->params.scaling == PRAE_SCALING_AUTO;
    float *tile = pri_matrix_new(cap, cols);

    if (tile == NULL)
        return fail_memory(model, cap, cols);
    for (size_t at = 0; at < rows; at += cap) {
        size_t B = rows - at < cap ? rows - at : cap;
        pri_scale_apply(&model->scale, x + at * cols, B, clip, tile);
        if (errors != NULL) {
            pri_trainer_errors(trainer, tile, B, errors + at);
            continue;
        }
        pri_trainer_expect(trainer, tile, B, tile);
        for (size_t i = 0; i < B * cols; i++)
            expected[at * cols + i] =
                pri_scale_undo(&model->scale, i % cols, (double)tile[i]);
    }
    free(tile);
    return PRAE_OK;
}

static prae_status
check_and_run(prae_model *model, const double *x, size_t rows, size_t cols,
              float *errors, double *expected)
{
    if (model == NULL)
        return PRAE_EINVAL;
    model->errmsg[0] = '\0';
    if (errors == NULL && expected == NULL)
        return fail(model, PRAE_EINVAL, "no place given for the result");
    if (model->rows == 0)
        return fail(model, PRAE_EINVAL, "the model is not fitted yet");
    if (cols != model->scale.D)
        return fail(model, PRAE_EINVAL, "%zu columns, fitted to %zu", cols,
                    model->scale.D);
    if (rows == 0)
        return PRAE_OK;
    prae_status status = check_table(model, x, rows, cols);
    if (status != PRAE_OK)
        return status;
    uint64_t denormals = pri_denormals_off();
    status = run(model, x, rows, cols, errors, expected);
    pri_denormals_restore(denormals);
    return status;
}

prae_status
prae_model_score(prae_model *model, const double *x, size_t rows, size_t cols,
                 float *errors)
{
    return check_and_run(model, x, rows, cols, errors, NULL);
}

prae_status
prae_model_expect(prae_model *model, const double *x, size_t rows, size_t cols,
                  double *expected)
{
    return check_and_run(model, x, rows, cols, NULL, expected);
}

/* ---- what it holds ---- */

const float *
prae_model_gates(const prae_model *model)
{
    return model == NULL || model->rows == 0 ? NULL : model->mu;
}

const float *
prae_model_errors(const prae_model *model)
{
    return model == NULL || model->rows == 0 ? NULL : model->e;
}

const float *
prae_model_scores(const prae_model *model)
{
    return model == NULL || model->rows == 0 ? NULL : model->score;
}

size_t
prae_model_rows(const prae_model *model)
{
    return model == NULL ? 0 : model->rows;
}

size_t
prae_model_cols(const prae_model *model)
{
    return model == NULL || model->rows == 0 ? 0 : model->scale.D;
}

size_t
prae_model_latent(const prae_model *model)
{
    return model == NULL || model->rows == 0 ? 0 : model->trainer.net.latent;
}

double
prae_model_lambda(const prae_model *model)
{
    return model == NULL ? 0.0 : model->lambda;
}

double
prae_model_limit(const prae_model *model)
{
    return model == NULL ? 0.0 : model->limit;
}

const char *
prae_model_errmsg(const prae_model *model)
{
    return model == NULL ? "no model given" : model->errmsg;
}

void
prae_model_free(prae_model *model)
{
    if (model == NULL)
        return;
    clear(model);
    free(model);
}
