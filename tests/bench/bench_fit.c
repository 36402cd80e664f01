/* bench_fit.c - settings as words, results as measures. */
#include "bench_fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_metric.h"

const struct bench_result bench_failed = {NAN, NAN, NAN, NAN, NAN};

/* A wrong setting is a mistake in the bench itself, so it ends here. */
static void
set_all(prae_params *params, const char *settings)
{
    char words[512], why[160];
    char *rest;

    size_t len = strlen(settings);
    if (len >= sizeof words)
        abort();
    memcpy(words, settings, len + 1);
    for (char *word = strtok_r(words, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        if (value != NULL)
            *value++ = '\0';
        if (prae_params_set(params, word, value, why, sizeof why) != PRAE_OK) {
            fprintf(stderr, "bench: %s\n", why);
            exit(2);
        }
    }
}

prae_model *
bench_fit(const struct bench_table *table, const char *settings, uint64_t seed)
{
    prae_params params;
    prae_model *model = NULL;

    prae_params_init(&params);
    set_all(&params, settings);
    params.seed = seed;
    prae_status status = prae_model_new(&params, &model);
    if (status != PRAE_OK) {
        fprintf(stderr, "bench: '%s': %s\n", settings,
                prae_status_text(status));
        return NULL;
    }
    status = prae_model_fit(model, table->x, table->rows, table->cols);
    if (status != PRAE_OK) {
        fprintf(stderr, "bench: '%s' seed %llu: %s\n", settings,
                (unsigned long long)seed, prae_model_errmsg(model));
        prae_model_free(model);
        return NULL;
    }
    return model;
}

static struct bench_result
judge(const float *score, const float *error, const unsigned char *flag,
      const struct bench_table *table)
{
    size_t called = 0;

    for (size_t i = 0; i < table->rows; i++)
        called += flag[i];
    return (struct bench_result){
        .auc = metric_auc(score, table->label, table->rows),
        .auc_error = metric_auc(error, table->label, table->rows),
        .f1_max = metric_f1_max(score, table->label, table->rows),
        .f1 = metric_f1(flag, table->label, table->rows),
        .flagged = (double)called / (double)table->rows};
}

struct bench_result
bench_judge_fitted(const prae_model *model, const struct bench_table *table)
{
    const float *gates = prae_model_gates(model);
    unsigned char *flag = bench_alloc(table->rows, 1);
    prae_params defaults;

    prae_params_init(&defaults);
    for (size_t i = 0; i < table->rows; i++)
        flag[i] = (double)gates[i] < defaults.threshold;
    struct bench_result result =
        judge(prae_model_scores(model), prae_model_errors(model), flag, table);
    free(flag);
    return result;
}

struct bench_result
bench_judge_new(prae_model *model, const struct bench_table *table)
{
    float *errors = bench_alloc(table->rows, sizeof *errors);
    unsigned char *flag = bench_alloc(table->rows, 1);
    struct bench_result result = bench_failed;
    double limit = prae_model_limit(model);

    if (prae_model_score(model, table->x, table->rows, table->cols, errors) !=
        PRAE_OK) {
        fprintf(stderr, "bench: score: %s\n", prae_model_errmsg(model));
        goto out;
    }
    for (size_t i = 0; i < table->rows; i++)
        flag[i] = (double)errors[i] > limit;
    result = judge(errors, errors, flag, table);
out:
    free(errors);
    free(flag);
    return result;
}

struct bench_result
bench_run(const struct bench_table *table, const char *settings, uint64_t seed)
{
    prae_model *model = bench_fit(table, settings, seed);
    struct bench_result result = bench_failed;

    if (model != NULL)
        result = bench_judge_fitted(model, table);
    prae_model_free(model);
    return result;
}

struct bench_result
bench_medians(const struct bench_result *runs, size_t count)
{
    static const size_t fields[] = {offsetof(struct bench_result, auc),
                                    offsetof(struct bench_result, auc_error),
                                    offsetof(struct bench_result, f1_max),
                                    offsetof(struct bench_result, f1),
                                    offsetof(struct bench_result, flagged)};
    double *values = bench_alloc(count, sizeof *values);
    struct bench_result out;

    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
        for (size_t i = 0; i < count; i++)
            memcpy(values + i, (const char *)(runs + i) + fields[k],
                   sizeof *values);
        double median = metric_median(values, count);
        memcpy((char *)&out + fields[k], &median, sizeof median);
    }
    free(values);
    return out;
}
