/*
 * oom.c - every allocation of a scenario fails once, in turn. Each time the
 * caller is told, the model is empty but sound, and nothing is lost.
 */
#include <string.h>

#include "counted.h"
#include "prae.h"
#include "tap.h"

#define ROWS 40
#define WIDE 100
#define NARROW 3

static double x[ROWS * WIDE], y[ROWS * WIDE];
static float errors[ROWS];

static const struct scenario {
    const char *name;
    size_t cols;
    prae_lambda rule;
} scenarios[] = {
    {"narrow table", NARROW, PRAE_LAMBDA_AUTO},
    {"narrow table, validated", NARROW, PRAE_LAMBDA_VALIDATE},
    {"wide table", WIDE, PRAE_LAMBDA_AUTO},
    {"wide table, validated", WIDE, PRAE_LAMBDA_VALIDATE},
};

/* The first failure's status. *MODEL is left for who looks at it. */
static prae_status
play(const struct scenario *s, prae_model **model)
{
    prae_params params;
    prae_status status;

    prae_params_init(&params);
    params.lambda_rule = s->rule;
    params.epochs = 1;
    status = prae_model_new(&params, model);
    if (status == PRAE_OK)
        status = prae_model_fit(*model, x, ROWS, s->cols);
    if (status == PRAE_OK)
        status = prae_model_fit(*model, x, ROWS, s->cols); /* starting over */
    if (status == PRAE_OK)
        status = prae_model_score(*model, x, ROWS, s->cols, errors);
    if (status == PRAE_OK)
        status = prae_model_expect(*model, x, ROWS, s->cols, y);
    return status;
}

/* Plays with allocation AT failing; says what was wrong, or NULL. */
static const char *
fault(const struct scenario *s, long at)
{
    prae_model *model = NULL;
    const char *wrong = NULL;
    long before = held;

    asked = 0;
    failing = at;
    prae_status status = play(s, &model);
    failing = -1;
    if (status != PRAE_ENOMEM)
        wrong = "the status is not PRAE_ENOMEM";
    else if (asked <= at)
        wrong = "the allocation was not made";
    else if (model == NULL && at > 0)
        wrong = "the model is gone";
    else if (model != NULL &&
             strstr(prae_model_errmsg(model), "memory") == NULL)
        wrong = "the message does not say so";
    else if (model != NULL && prae_model_rows(model) == 0 &&
             (prae_model_gates(model) != NULL ||
              prae_model_lambda(model) != 0.0))
        wrong = "an empty model that holds something";
    else if (model != NULL &&
             (prae_model_fit(model, x, ROWS, s->cols) != PRAE_OK ||
              prae_model_score(model, x, ROWS, s->cols, errors) != PRAE_OK ||
              prae_model_errmsg(model)[0] != '\0'))
        wrong = "the model does not work afterwards";
    prae_model_free(model);
    if (wrong == NULL && held != before)
        wrong = "memory is lost";
    return wrong;
}

static void
check_scenario(const struct scenario *s)
{
    prae_model *model = NULL;
    long before = held, faults = 0;

    asked = 0;
    ok(play(s, &model) == PRAE_OK, "%s: works with memory", s->name);
    prae_model_free(model);
    long count = asked;
    ok(held == before, "%s: gives back what it took", s->name);
    ok(count > 20, "%s: %ld allocations are seen", s->name, count);
    for (long at = 0; at < count; at++) {
        const char *wrong = fault(s, at);
        if (wrong != NULL)
            printf("# allocation %ld of %ld: %s\n", at, count, wrong);
        faults += wrong != NULL;
    }
    ok(faults == 0, "%s: each allocation may fail", s->name);
}

/* A score that fails for want of memory leaves the fit as it was. */
static void
check_score(void)
{
    prae_model *model;
    prae_params params;
    float kept[ROWS];

    prae_params_init(&params);
    NEED(prae_model_new(&params, &model) == PRAE_OK);
    NEED(prae_model_fit(model, x, ROWS, NARROW) == PRAE_OK);
    memcpy(kept, prae_model_errors(model), sizeof kept);
    errors[0] = -3.0f;
    asked = failing = 0;
    ok(prae_model_score(model, x, ROWS, NARROW, errors) == PRAE_ENOMEM &&
           errors[0] == -3.0f,
       "a score without memory writes nothing");
    failing = -1;
    ok(prae_model_rows(model) == ROWS &&
           memcmp(kept, prae_model_errors(model), sizeof kept) == 0,
       "... and the model stays fitted");
    prae_model_free(model);
}

/* Steady state: what is scored again and again takes no more than it did. */
static void
check_growth(void)
{
    prae_model *model;
    prae_params params;

    prae_params_init(&params);
    NEED(prae_model_new(&params, &model) == PRAE_OK);
    NEED(prae_model_fit(model, x, ROWS, NARROW) == PRAE_OK);
    long before = held;
    for (int i = 0; i < 10; i++)
        NEED(prae_model_score(model, x, ROWS, NARROW, errors) == PRAE_OK);
    ok(held == before, "scoring keeps nothing");
    for (int i = 0; i < 3; i++)
        NEED(prae_model_fit(model, x, ROWS, NARROW) == PRAE_OK);
    ok(held == before, "fitting again keeps no more than one fit");
    prae_model_free(model);
}

int
main(void)
{
    for (size_t i = 0; i < ROWS * WIDE; i++)
        x[i] = sin((double)(i * i % 1009));
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        check_scenario(&scenarios[i]);
    check_score();
    check_growth();
    return tap_done();
}
