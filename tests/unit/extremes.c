/*
 * extremes.c - tables with nothing in them, values at the ends of a double,
 * rates that no training survives: a finite answer or a status, no crash.
 */
#include <float.h>
#include <string.h>

#include "prae.h"
#include "rng.h"
#include "tap.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

static prae_model *
model_new(const char *name, const char *value)
{
    prae_params params;
    prae_model *model;

    prae_params_init(&params);
    if (name != NULL)
        NEED(prae_params_set(&params, name, value, NULL, 0) == PRAE_OK);
    NEED(prae_model_new(&params, &model) == PRAE_OK);
    return model;
}

enum filling { SAME, WAVES, HALVES };

static const struct table {
    const char *name;
    size_t rows, cols;
    enum filling filling;
    double size;
    const char *set, *value;
} tables[] = {
    {"one row", 1, 5, WAVES, 1, NULL, NULL},
    {"one value", 1, 1, WAVES, 1, NULL, NULL},
    {"one row of 100", 1, 100, WAVES, 1, NULL, NULL},
    {"two rows", 2, 3, WAVES, 1, NULL, NULL},
    {"two rows, validated", 2, 3, WAVES, 1, "lambda", "validate"},
    {"a constant", 50, 4, SAME, 3.7, NULL, NULL},
    {"a constant, relative", 50, 4, SAME, 3.7, "loss", "relative"},
    {"a constant, validated", 50, 4, SAME, 3.7, "lambda", "validate"},
    {"a constant of 100 columns", 30, 100, SAME, -1, NULL, NULL},
    {"a constant 1e300", 50, 2, SAME, 1e300, NULL, NULL},
    {"zeros, unscaled", 50, 2, SAME, 0, "scaling", "none"},
    {"zeros, l0", 50, 2, SAME, 0, "gates", "l0"},
    {"two rows repeated", 60, 4, HALVES, 1, NULL, NULL},
    {"waves of 1e300", 64, 3, WAVES, 1e300, NULL, NULL},
    {"waves of 1e-300", 64, 3, WAVES, 1e-300, NULL, NULL},
    {"waves of 1e-310", 64, 3, WAVES, 1e-310, NULL, NULL},
};

static void
check_tables(void)
{
    for (size_t c = 0; c < COUNT(tables); c++) {
        const struct table *t = &tables[c];
        double *table = calloc(t->rows * t->cols, sizeof *table);
        double *y = calloc(t->rows * t->cols, sizeof *y);
        prae_model *model = model_new(t->set, t->value);
        size_t flagged = 0;
        int finite = 1, near = 1;
        NEED(table != NULL && y != NULL);
        for (size_t i = 0; i < t->rows * t->cols; i++) {
            size_t row = i / t->cols, col = i % t->cols;
            int up = t->filling == WAVES ? (int)(row >> col % 5) & 1
                                         : t->filling == HALVES && row % 2;
            table[i] = up ? -t->size : t->size;
        }
        prae_status status = prae_model_fit(model, table, t->rows, t->cols);
        if (!ok(status == PRAE_OK, "%s: fits", t->name)) {
            printf("# %s\n", prae_model_errmsg(model));
            goto next;
        }
        NEED(prae_model_expect(model, table, t->rows, t->cols, y) == PRAE_OK);
        for (size_t i = 0; i < t->rows; i++) {
            finite = finite && isfinite(prae_model_gates(model)[i]) &&
                     isfinite(prae_model_errors(model)[i]) &&
                     isfinite(prae_model_scores(model)[i]);
            flagged += prae_model_gates(model)[i] < 0.1f;
        }
        /* Twice the range at most, as far as a float carries it. */
        for (size_t i = 0; i < t->rows * t->cols; i++)
            near = near && fabs(y[i] - table[i]) <= 4.0 * fabs(t->size);
        ok(finite && isfinite(prae_model_limit(model)),
           "%s: all it says is finite", t->name);
        if (!ok(flagged == 0, "%s: nobody is shut out", t->name))
            printf("# %zu\n", flagged);
        ok(near, "%s: what is expected has the table's size", t->name);
    next:
        prae_model_free(model);
        free(table);
        free(y);
    }
}

/* Whether all that MODEL says of its rows is finite. */
static int
is_finite(const prae_model *model)
{
    size_t rows = prae_model_rows(model);

    for (size_t i = 0; i < rows; i++)
        if (!isfinite(prae_model_gates(model)[i]) ||
            !isfinite(prae_model_errors(model)[i]) ||
            !isfinite(prae_model_scores(model)[i]))
            return 0;
    return rows > 0;
}

/* Rates and values that no training survives: a status, not a crash. */
static void
check_divergence(void)
{
    static const char *const wild[][2] = {
        {"activation", "linear"}, {"activation", "leaky"}, {"gates", "l0"},
        {"gates", "hard"},        {"loss", "relative"},    {"hidden", "none"},
        {"gates", "none"},        {"estimator", "sampled"}};
    static double table[200 * 4];
    struct rng rng;

    pri_rng_init(&rng, 41, 1);
    for (size_t i = 0; i < COUNT(table); i++)
        table[i] = (double)pri_rng_normal(&rng) *
                   pow(10.0, (double)pri_rng_below(&rng, 15));
    for (size_t c = 0; c < COUNT(wild) * 2; c++) {
        prae_params params;
        prae_model *model;
        prae_params_init(&params);
        params.rate = 1.0;
        params.epochs = 60;
        params.scaling = c % 2 ? PRAE_SCALING_NONE : PRAE_SCALING_AUTO;
        NEED(prae_params_set(&params, wild[c / 2][0], wild[c / 2][1], NULL,
                             0) == PRAE_OK);
        NEED(prae_model_new(&params, &model) == PRAE_OK);
        prae_status status = prae_model_fit(model, table, 200, 4);
        ok((status == PRAE_OK && is_finite(model)) ||
               (status == PRAE_ECONFIG && prae_model_gates(model) == NULL &&
                strstr(prae_model_errmsg(model), "rate") != NULL),
           "%s=%s at rate 1 on wild %s values: %s", wild[c / 2][0],
           wild[c / 2][1], c % 2 ? "raw" : "scaled", prae_status_text(status));
        prae_model_free(model);
    }
}

/* Errors that are beyond any float of lambda. */
static void
check_small_lambda(void)
{
    static const char *const gates[] = {"l1", "l0", "hard", "none"};
    static const char *const lambdas[] = {"1e-30", "1e-38", "1e-38me", "1e-45",
                                          "1e-45me", "0"};
    static double table[40 * 3];

    for (size_t i = 0; i < COUNT(table); i++)
        table[i] = (double)(i * 7 % 5) * 5e14 - 1e15;
    table[7] = 1e14;
    for (size_t c = 0; c < COUNT(gates) * COUNT(lambdas) * 2; c++) {
        const char *gate = gates[c / 2 % COUNT(gates)];
        const char *lambda = lambdas[c / 2 / COUNT(gates)];
        prae_params params;
        prae_model *model;
        prae_params_init(&params);
        params.scaling = c % 2 ? PRAE_SCALING_NONE : PRAE_SCALING_AUTO;
        params.sigma = strcmp(gate, "l0") == 0 ? 0.1 : 0.01;
        NEED(prae_params_set(&params, "gates", gate, NULL, 0) == PRAE_OK &&
             prae_params_set(&params, "lambda", lambda, NULL, 0) == PRAE_OK);
        NEED(prae_model_new(&params, &model) == PRAE_OK);
        prae_status status = prae_model_fit(model, table, 40, 3);
        ok((status == PRAE_OK && is_finite(model)) || status == PRAE_ECONFIG,
           "gates=%s, lambda=%s on %s values: %s", gate, lambda,
           c % 2 ? "raw" : "scaled", prae_status_text(status));
        prae_model_free(model);
    }
}

/* Scores are errors, whatever lambda is. */
static void
check_small_lambda_scores(void)
{
    static const char *const lambdas[] = {"1e-3", "1e-33"};
    static double table[64 * 3];
    float scores[2][64];
    int same = 1;

    for (size_t i = 0; i < COUNT(table); i++)
        table[i] = sin((double)(i * i)) * 1e3;
    for (size_t c = 0; c < 2; c++) {
        prae_params params;
        prae_model *model;
        prae_params_init(&params);
        params.gates = PRAE_GATES_HARD;
        params.scaling = PRAE_SCALING_NONE;
        NEED(prae_params_set(&params, "lambda", lambdas[c], NULL, 0) ==
             PRAE_OK);
        NEED(prae_model_new(&params, &model) == PRAE_OK);
        NEED(prae_model_fit(model, table, 64, 3) == PRAE_OK);
        memcpy(scores[c], prae_model_scores(model), sizeof scores[c]);
        prae_model_free(model);
    }
    for (size_t i = 0; i < 64; i++)
        same = same && fabsf(scores[0][i] - scores[1][i]) <=
                           1e-3f * fabsf(scores[0][i]);
    ok(same, "a lambda that all errors are far beyond: scores are the same");
}

static void
check_raw_range(void)
{
    prae_model *model = model_new("scaling", "none");
    double table[] = {1.0, 1e15, -1e15, 2.0}, beyond[] = {1.0, 2.0, 1.1e15, 3};

    ok(prae_model_fit(model, table, 2, 2) == PRAE_OK,
       "unscaled values up to 1e15 are taken");
    ok(prae_model_fit(model, beyond, 2, 2) == PRAE_EDATA &&
           strstr(prae_model_errmsg(model), "row 1, column 0") != NULL,
       "unscaled values beyond 1e15 are not, and where is said");
    prae_model_free(model);
}

/* Layers upon layers of large weights do blow up, and that is told. */
static void
check_blow_up(void)
{
    double table[40];
    prae_params params;
    prae_model *model;

    for (size_t i = 0; i < COUNT(table); i++)
        table[i] = (double)(i * 7 % 40);
    prae_params_init(&params);
    params.rate = 1.0;
    params.activation = PRAE_ACTIVATION_LINEAR;
    params.hidden_count = PRAE_HIDDEN_MAX;
    for (size_t i = 0; i < PRAE_HIDDEN_MAX; i++)
        params.hidden[i] = 40;
    NEED(prae_model_new(&params, &model) == PRAE_OK);
    prae_status status = prae_model_fit(model, table, 10, 4);
    ok(status == PRAE_ECONFIG && prae_model_gates(model) == NULL &&
           prae_model_lambda(model) == 0.0 &&
           strstr(prae_model_errmsg(model), "in epoch") != NULL &&
           strstr(prae_model_errmsg(model), "rate") != NULL,
       "a training that diverges is the rate's fault: %s",
       prae_model_errmsg(model));
    prae_model_free(model);
}

/* Errors of 63 raw rows beside one of size FAR, which they must not feel. */
static void
fit_beside(double far, float *errors)
{
    prae_model *model = model_new("scaling", "none");
    double table[64 * 2];

    for (size_t i = 0; i < 64; i++) {
        table[2 * i] = i == 20 ? far : 0.1 * cos((double)i);
        table[2 * i + 1] = i == 20 ? far : 0.1 * cos((double)i + 0.3);
    }
    NEED(prae_model_fit(model, table, 64, 2) == PRAE_OK);
    memcpy(errors, prae_model_errors(model), 64 * sizeof *errors);
    errors[20] = 0.0f;
    prae_model_free(model);
}

static void
check_far_row(void)
{
    static const double sizes[] = {30.0, 1e3, 1e5, 1e8, 1e12};

    for (size_t i = 0; i < COUNT(sizes); i++) {
        float left[64], right[64];
        fit_beside(sizes[i], left);
        fit_beside(-1.5 * sizes[i], right);
        ok(memcmp(left, right, sizeof left) == 0,
           "a raw row %g away teaches the net nothing", sizes[i]);
    }
}

/* Half of the rows 0, half of SIZE: errors of two sizes, far apart. */
static void
check_halves(void)
{
    static const double sizes[] = {1.0, 1e4, 1e8, 1e12, 1e15};

    for (size_t s = 0; s < COUNT(sizes); s++) {
        prae_model *model = model_new("scaling", "none");
        double table[64 * 2];
        for (size_t i = 0; i < COUNT(table); i++)
            table[i] = i / 2 % 2 ? sizes[s] : 0.0;
        prae_status status = prae_model_fit(model, table, 64, 2);
        if (!ok(status == PRAE_OK && isfinite(prae_model_limit(model)),
                "raw rows of 0 and %g fit", sizes[s]))
            printf("# %s\n", prae_model_errmsg(model));
        prae_model_free(model);
    }
}

/* The caller's arithmetic is as it was: halving the least normal number
 * still gives something. */
static void
check_arithmetic(void)
{
    prae_model *model = model_new(NULL, NULL);
    volatile double least = DBL_MIN, half;
    static double x[60 * 4];
    float errors[60];

    for (size_t i = 0; i < COUNT(x); i++)
        x[i] = sin((double)(i * i));
    NEED(prae_model_fit(model, x, 60, 4) == PRAE_OK);
    half = least * 0.5;
    ok(half > 0.0, "a fit leaves the caller's denormals");
    NEED(prae_model_score(model, x, 60, 4, errors) == PRAE_OK);
    half = least * 0.5;
    ok(half > 0.0, "a score leaves the caller's denormals");
    prae_model_free(model);
}

int
main(void)
{
    check_tables();
    check_divergence();
    check_small_lambda();
    check_small_lambda_scores();
    check_blow_up();
    check_raw_range();
    check_far_row();
    check_halves();
    check_arithmetic();
    return tap_done();
}
