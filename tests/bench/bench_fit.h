/* bench_fit.h - one fit of the library, measured. */
#ifndef BENCH_FIT_H
#define BENCH_FIT_H

#include <prae.h>

#include "bench_data.h"

/* What one fit came to, each 0 to 1; all NaN for a fit that failed. */
struct bench_result {
    double auc;       /* by the score: how far training closed the gate */
    double auc_error; /* by the error once training is over */
    double f1_max;    /* best over thresholds chosen with the labels */
    double f1;        /* of the library's own verdict */
    double flagged;   /* share of rows its verdict calls outliers */
};

/* A fit that failed. */
extern const struct bench_result bench_failed;

/*
 * A model with the library's defaults, but SETTINGS ("name=value" words as
 * prae_params_set takes them, apart by spaces, or "") and SEED, fitted to
 * TABLE. The caller frees it. NULL where the fit fails, for which a line
 * goes to stderr; settings that do not exist end the program.
 */
prae_model *bench_fit(const struct bench_table *table, const char *settings,
                      uint64_t seed);

/* The fitted rows, by prae_model_scores and prae_model_gates. */
struct bench_result bench_judge_fitted(const prae_model *model,
                                       const struct bench_table *table);

/* Rows not fitted, by prae_model_score and prae_model_limit. */
struct bench_result bench_judge_new(prae_model *model,
                                    const struct bench_table *table);

/* bench_fit, bench_judge_fitted, and the model is gone. */
struct bench_result bench_run(const struct bench_table *table,
                              const char *settings, uint64_t seed);

/* Medians over COUNT runs, each measure by itself. */
struct bench_result bench_medians(const struct bench_result *runs,
                                  size_t count);

#endif
