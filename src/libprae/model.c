/*
 * model.c - the batch entry: a table in, gates and errors out.
 *
 * The walk of prae_model_fit:
 *   1. the columns are scaled,
 *   2. net and gates are trained, see fit.h,
 *   3. the gates are settled against the errors as they end up.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "denormal.h"
#include "fit.h"
#include "mem.h"
#include "scale.h"
#include "stat.h"

#define UNSCALED_MAX 1e15 /* whose square, summed, still fits a float */

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

/* ---- the whole ---- */

/* Step 3. */
static prae_status
settle(prae_model *model, struct fit *fit)
{
    struct trainer *trainer = &model->trainer;
    float floor = pri_fit_floor(trainer->net.D);

    pri_trainer_errors(trainer, fit->x, fit->N, fit->e);
    for (size_t i = 0; i < fit->N; i++)
        if (!isfinite(fit->e[i]))
            return fail(model, PRAE_ECONFIG,
                        "training diverged: try a rate below %g",
                        model->params.rate);
    float lambda =
        pri_error_level(fit->e, fit->N, PRI_SPREAD_FLAG, floor, fit->scratch);
    if (model->params.lambda_rule == PRAE_LAMBDA_ME ||
        model->params.lambda_rule == PRAE_LAMBDA_FIXED)
        lambda = (float)model->lambda;
    else
        lambda *= fit->factor;
    if (lambda <= 0.0f)
        lambda = floor;
    /* Where errors grew while it was trained, what the first ones were of
     * the level then may be too much of the last. */
    for (size_t i = 0; i < fit->N; i++)
        model->score[i] =
            pri_finite_error(model->score[i] * (fit->unit / fit->grain));
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
    float *origin = pri_floats_new(cols);
    prae_status status;

    model->mu = pri_floats_new(rows);
    model->e = pri_floats_new(rows);
    model->score = pri_floats_new(rows);
    if (scaled == NULL || scratch == NULL || origin == NULL ||
        model->mu == NULL || model->e == NULL || model->score == NULL ||
        pri_scale_init(&model->scale, cols) != PRAE_OK) {
        status = fail_memory(model, rows, cols);
        goto out;
    }
    if (clip)
        pri_scale_fit(&model->scale, x, rows);
    pri_scale_apply(&model->scale, x, rows, clip, scaled);

    pri_scale_origin(&model->scale, origin);
    struct fit fit = {.x = scaled,
                      .N = rows,
                      .D = cols,
                      .cap_rows = rows,
                      .origin = origin,
                      .mu = model->mu,
                      .e = model->e,
                      .trace = model->score,
                      .scratch = scratch,
                      .factor = 1.0f};
    if (model->params.lambda_rule == PRAE_LAMBDA_VALIDATE)
        status = pri_fit_validate(&fit, &model->params, &model->trainer);
    else
        status = pri_fit_run(&fit, &model->params, &model->trainer);
    model->lambda = (double)fit.lambda;
    if (status == PRAE_OK)
        status = settle(model, &fit);
    else if (status == PRAE_ENOMEM)
        (void)fail_memory(model, rows, cols);
    else
        (void)fail(model, status,
                   "training diverged in epoch %zu: try a rate below %g",
                   fit.epochs, model->params.rate);
out:
    free(scaled);
    free(scratch);
    free(origin);
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
