/*
 * calls.c - the model's public interface called in ways that make no sense:
 * each has its status and its sentence, and nothing is half done.
 */
#include <stdint.h>
#include <string.h>

#include "prae.h"
#include "rng.h"
#include "tap.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define ROWS 60
#define COLS 4

static double x[ROWS * COLS];

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

static int
is_empty(const prae_model *model)
{
    return prae_model_gates(model) == NULL &&
           prae_model_errors(model) == NULL &&
           prae_model_scores(model) == NULL && prae_model_rows(model) == 0 &&
           prae_model_cols(model) == 0 && prae_model_latent(model) == 0 &&
           prae_model_lambda(model) == 0.0 && prae_model_limit(model) == 0.0;
}

static void
check_empty(void)
{
    prae_model *model = model_new(NULL, NULL);
    prae_params params;
    float error;
    double y[COLS];

    prae_params_init(&params);
    ok(is_empty(NULL), "no model has nothing");
    ok(prae_model_errmsg(NULL) != NULL, "no model has a message all the same");
    prae_model_free(NULL);
    ok(prae_model_new(&params, NULL) == PRAE_EINVAL &&
           prae_model_fit(NULL, x, 1, 1) == PRAE_EINVAL &&
           prae_model_score(NULL, x, 1, 1, &error) == PRAE_EINVAL &&
           prae_model_expect(NULL, x, 1, 1, y) == PRAE_EINVAL,
       "calls without a model are invalid");
    ok(is_empty(model) && prae_model_errmsg(model)[0] == '\0',
       "a new model is empty, without a message");
    ok(prae_model_score(model, x, 1, COLS, &error) == PRAE_EINVAL &&
           strstr(prae_model_errmsg(model), "not fitted") != NULL,
       "an empty model does not score");
    ok(prae_model_expect(model, x, 1, COLS, y) == PRAE_EINVAL,
       "an empty model expects nothing");
    prae_model_free(model);
}

/* Calls on a fitted model that must fail and leave it empty. */
static void
check_refused_fits(void)
{
    static const struct {
        const char *name, *message;
        int null;
        size_t rows, cols;
        double put; /* at row 7, column 2 */
        prae_status wanted;
    } cases[] = {
        {"NULL", "", 1, ROWS, COLS, 0, PRAE_EINVAL},
        {"no rows", "rows", 0, 0, COLS, 0, PRAE_EINVAL},
        {"no columns", "columns", 0, ROWS, 0, 0, PRAE_EINVAL},
        {"too many columns", "65537", 0, 1, PRAE_COLS_MAX + 1, 0, PRAE_EINVAL},
        {"rows beyond memory", "rows", 0, SIZE_MAX, COLS, 0, PRAE_EINVAL},
        {"more rows than there are numbers for", "rows", 0,
         (size_t)UINT32_MAX + 1, 1, 0, PRAE_EINVAL},
        {"a NaN", "row 7, column 2", 0, ROWS, COLS, (double)NAN, PRAE_EDATA},
        {"infinity", "row 7, column 2", 0, ROWS, COLS, (double)INFINITY,
         PRAE_EDATA},
        {"-infinity", "row 7, column 2", 0, ROWS, COLS, (double)-INFINITY,
         PRAE_EDATA},
    };
    prae_model *model = model_new(NULL, NULL);

    for (size_t i = 0; i < COUNT(cases); i++) {
        double kept = x[7 * COLS + 2];
        NEED(prae_model_fit(model, x, ROWS, COLS) == PRAE_OK);
        ok(prae_model_errmsg(model)[0] == '\0', "success clears the message");
        x[7 * COLS + 2] = cases[i].put;
        prae_status status = prae_model_fit(model, cases[i].null ? NULL : x,
                                            cases[i].rows, cases[i].cols);
        x[7 * COLS + 2] = kept;
        const char *message = prae_model_errmsg(model);
        if (!ok(status == cases[i].wanted && message[0] != '\0' &&
                    strstr(message, cases[i].message) != NULL,
                "%s cannot be fitted, and why is said", cases[i].name))
            printf("# status %d: %s\n", (int)status, message);
        ok(is_empty(model), "after %s the model is empty", cases[i].name);
    }
    prae_model_free(model);
}

static void
check_refused_scores(void)
{
    prae_model *model = model_new(NULL, NULL);
    float errors[ROWS];
    double bad[2 * COLS] = {0}, y[2 * COLS];

    NEED(prae_model_fit(model, x, ROWS, COLS) == PRAE_OK);
    bad[COLS + 1] = (double)NAN;
    errors[0] = errors[1] = -5.0f;
    ok(prae_model_score(model, bad, 2, COLS, errors) == PRAE_EDATA &&
           strstr(prae_model_errmsg(model), "row 1, column 1") != NULL,
       "a NaN cannot be scored, and where is said");
    ok(errors[0] == -5.0f && errors[1] == -5.0f,
       "what a failed call would write stays");
    ok(prae_model_score(model, x, 1, COLS - 1, errors) == PRAE_EINVAL &&
           prae_model_expect(model, x, 1, COLS + 1, y) == PRAE_EINVAL,
       "other columns than fitted are invalid");
    ok(prae_model_score(model, NULL, 1, COLS, errors) == PRAE_EINVAL &&
           prae_model_score(model, x, 1, COLS, NULL) == PRAE_EINVAL &&
           prae_model_expect(model, NULL, 1, COLS, y) == PRAE_EINVAL &&
           prae_model_expect(model, x, 1, COLS, NULL) == PRAE_EINVAL,
       "NULL tables and results are invalid");
    ok(prae_model_rows(model) == ROWS && prae_model_cols(model) == COLS &&
           prae_model_latent(model) == 1,
       "the model outlives what is asked of it");
    ok(prae_model_score(model, x, 2, COLS, errors) == PRAE_OK &&
           prae_model_errmsg(model)[0] == '\0',
       "a score that works clears the message");
    prae_model_free(model);
}

static void
check_texts(void)
{
    int told = 1;

    for (int status = -6; status <= 3; status++)
        told = told && prae_status_text((prae_status)status)[0] != '\0';
    ok(told, "every status has words, unknown ones too");
    ok(strcmp(prae_version(), "0.1.0") == 0, "the version is the header's");
    ok(prae_version_kernels()[0] != '\0', "the products have a name");
}

int
main(void)
{
    struct rng rng;

    pri_rng_init(&rng, 40, 1);
    for (size_t i = 0; i < COUNT(x); i++)
        x[i] = (double)pri_rng_normal(&rng);
    check_empty();
    check_refused_fits();
    check_refused_scores();
    check_texts();
    return tap_done();
}
