/*
 * learning.c - how long a model trains and with which lambda, where the
 * caller leaves it open: told apart by fits that must agree bit for bit.
 */
#include <string.h>

#include "gate.h"
#include "prae.h"
#include "rng.h"
#include "tap.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define MOST 4000
#define COLS 6

static double x[MOST * COLS];

/* ROWS rows along one line, the last fifth of them along another. */
static void
plant(uint64_t seed, size_t rows)
{
    struct rng rng;

    pri_rng_init(&rng, seed, 98);
    for (size_t i = 0; i < rows; i++) {
        double t = 2.0 * (double)pri_rng_uniform(&rng) - 1.0;
        for (size_t d = 0; d < COLS; d++) {
            double along = i < rows - rows / 5 ? t : d < 3 ? 3.0 * t : -3.0 * t;
            x[i * COLS + d] = along + 0.1 * (double)pri_rng_normal(&rng);
        }
    }
}

static prae_model *
fitted(const prae_params *params, size_t rows)
{
    prae_model *model;

    NEED(prae_model_new(params, &model) == PRAE_OK);
    NEED(prae_model_fit(model, x, rows, COLS) == PRAE_OK);
    return model;
}

/* Whether two settings make one and the same model of ROWS rows. */
static int
agree(const prae_params *left, const prae_params *right, size_t rows)
{
    prae_model *a = fitted(left, rows), *b = fitted(right, rows);
    size_t bytes = rows * sizeof(float);
    int same = memcmp(prae_model_errors(a), prae_model_errors(b), bytes) == 0 &&
               memcmp(prae_model_scores(a), prae_model_scores(b), bytes) == 0 &&
               prae_model_lambda(a) == prae_model_lambda(b);

    prae_model_free(a);
    prae_model_free(b);
    return same;
}

/* Batches of 64, or an eighth of the rows, at least 16; three epochs, or
 * as many as make 100 steps. Noise gives the net nothing to go on for. */
static void
check_defaults(void)
{
    static const struct {
        size_t rows, batch, epochs;
    } cases[] = {{1, 1, 100},   {127, 16, 13}, {136, 17, 13}, {400, 50, 13},
                 {511, 63, 12}, {512, 64, 13}, {1000, 64, 7}, {MOST, 64, 3}};
    prae_params open, set;
    struct rng rng;

    pri_rng_init(&rng, 1, 97);
    for (size_t i = 0; i < COUNT(x); i++)
        x[i] = (double)pri_rng_normal(&rng);
    prae_params_init(&open);
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t rows = cases[i].rows;
        set = open;
        set.batch = cases[i].batch;
        set.epochs = cases[i].epochs;
        ok(agree(&open, &set, rows), "%zu rows train %zu epochs by %zu", rows,
           set.epochs, set.batch);
        set.epochs++;
        if (rows == 1) /* which has no error to tell by */
            continue;
        ok(!agree(&open, &set, rows), "%zu rows do not train %zu", rows,
           set.epochs);
    }
}

/* Where columns hang together, training goes on by whole rounds. */
static void
check_rounds(void)
{
    prae_params open, set;
    size_t rounds = 0;

    plant(3, 600);
    prae_params_init(&open);
    set = open;
    for (size_t k = 1; k <= 31 && rounds == 0; k++) {
        set.epochs = 10 * k;
        rounds = agree(&open, &set, 600) ? k : 0;
    }
    if (!ok(rounds > 1 && rounds <= 30,
            "600 rows on two lines train more than a round, no more than 30"))
        printf("# %zu rounds\n", rounds);
}

static void
check_lambda(void)
{
    prae_params one, ten, four, rule;

    plant(2, 600);
    prae_params_init(&one);
    one.epochs = 1;
    ten = four = one;
    ten.epochs = 10;
    prae_model *a = fitted(&one, 600), *b = fitted(&ten, 600);
    ok(prae_model_lambda(b) < 0.8 * prae_model_lambda(a),
       "lambda follows the errors as they fall");
    prae_model_free(a);
    prae_model_free(b);

    rule = four;
    rule.lambda_rule = PRAE_LAMBDA_VALIDATE;
    ok(agree(&four, &rule, 4), "of four rows none can be held out");
    rule = four;
    rule.lambda = 9.0;
    ok(agree(&four, &rule, 600), "the automatic lambda takes no number");
}

/* A score is the error averaged over training: with a rate that moves
 * nothing, the error itself; as a net learns, more than what is left. */
static void
check_scores(void)
{
    prae_params params;
    double off = 0.0;
    size_t above = 0;

    plant(4, 600);
    prae_params_init(&params);
    params.rate = 1e-30;
    params.epochs = 7;
    prae_model *still = fitted(&params, 600);
    for (size_t i = 0; i < 600; i++) {
        double e = (double)prae_model_errors(still)[i];
        off = fmax(off, fabs((double)prae_model_scores(still)[i] - e) / e);
    }
    prae_model_free(still);
    params.rate = 3e-3;
    params.epochs = 40;
    params.lambda_rule = PRAE_LAMBDA_FIXED; /* else it falls with them */
    prae_model *moved = fitted(&params, 600);
    for (size_t i = 0; i < 600; i++)
        above += prae_model_scores(moved)[i] > prae_model_errors(moved)[i];
    prae_model_free(moved);
    is_close(off, 0.0, 1e-4, "where nothing moves, scores are errors");
    ok(above > 500, "a score remembers the errors before the last");
}

static double
bulk_error(const prae_model *model, size_t bulk)
{
    double sum = 0.0;

    for (size_t i = 0; i < bulk; i++)
        sum += (double)prae_model_errors(model)[i] / (double)bulk;
    return sum;
}

/* Validation tries other lambdas than the automatic one, and the net it
 * settles on knows the bulk of the rows as well. */
static void
check_validation(void)
{
    double automatic = 0.0, chosen = 0.0;
    size_t others = 0;

    for (uint64_t seed = 1; seed <= 4; seed++) {
        prae_params params;
        plant(seed, 500);
        prae_params_init(&params);
        params.seed = seed;
        params.epochs = 30;
        prae_model *a = fitted(&params, 500);
        params.lambda_rule = PRAE_LAMBDA_VALIDATE;
        prae_model *b = fitted(&params, 500);
        automatic += bulk_error(a, 400);
        chosen += bulk_error(b, 400);
        others += prae_model_lambda(a) != prae_model_lambda(b);
        prae_model_free(a);
        prae_model_free(b);
    }
    ok(others > 0, "validation may choose another lambda");
    if (!ok(chosen < 1.3 * automatic, "validation does not choose a bad one"))
        printf("# error %g instead of %g\n", chosen, automatic);
}

int
main(void)
{
    check_defaults();
    check_rounds();
    check_lambda();
    check_scores();
    check_validation();
    return tap_done();
}
