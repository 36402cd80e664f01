/*
 * paper_grid.c - how much lambda and the rate matter: a grid of both, with
 * the library's own lambda as the last row.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench_fit.h"
#include "bench_metric.h"
#include "paper.h"

static const char *const lambdas[] = {"0.25me", "0.5me", "1me",
                                      "2me",    "4me",   "auto"};
static const char *const rates[] = {"1e-4", "3e-4", "1e-3", "3e-3", "1e-2"};

#define LAMBDAS (sizeof lambdas / sizeof *lambdas)
#define RATES (sizeof rates / sizeof *rates)

static double
run_cell(const struct paper *paper, const struct bench_table *table,
         const char *lambda, const char *rate)
{
    struct bench_result *runs = bench_alloc(paper->seeds, sizeof *runs);
    char settings[128];

    snprintf(settings, sizeof settings, "lambda=%s rate=%s", lambda, rate);
    for (size_t i = 0; i < paper->seeds; i++)
        runs[i] = bench_run(table, settings, i + 1);
    double auc = bench_medians(runs, paper->seeds).auc;
    free(runs);
    return auc;
}

/* One block of the file: gnuplot finds it by its number, and the set's name
 * in its first column. */
static void
run_set(const struct paper *paper, const struct paper_set *set,
        const struct bench_table *table, FILE *tsv)
{
    printf("%-14s%8s", set->name, "");
    for (size_t j = 0; j < RATES; j++)
        printf("%8s", rates[j]);
    putchar('\n');
    for (size_t i = 0; i < LAMBDAS; i++) {
        printf("%14s%8s", i == 0 ? "lambda" : "", lambdas[i]);
        for (size_t j = 0; j < RATES; j++) {
            double auc = 100.0 * run_cell(paper, table, lambdas[i], rates[j]);
            paper_cell(auc, 8, 1);
            paper_tsv(tsv, "%s\t%zu\t%zu\t%s\t%s\t%.4f\n", set->name, j, i,
                      rates[j], lambdas[i], auc);
        }
        putchar('\n');
        fflush(stdout);
    }
}

void
paper_grid(const struct paper *paper)
{
    static const char *const names[] = {"cardio", "thyroid",     "pendigits",
                                        "yeast",  "mammography", "musk"};
    size_t count = paper->full ? sizeof names / sizeof *names : 3;

    paper_title("Sensitivity: ROC AUC x 100 by lambda and rate, in-sample, "
                "median of seeds 1 to %zu",
                paper->seeds);
    printf("l1 gates, all else default. me: the mean energy, ||x||^2 of the "
           "scaled rows.\n");
    if (paper_need_data(paper) != 0)
        return;
    FILE *tsv = paper_tsv_open(paper, "grid");
    for (size_t i = 0; i < count; i++) {
        struct bench_table table;
        putchar('\n');
        const struct paper_set *set = paper_set_find(names[i]);
        if (paper_set_load(paper, set, &table) != 0)
            continue;
        if (i > 0)
            paper_tsv(tsv, "\n\n");
        run_set(paper, set, &table, tsv);
        bench_table_fini(&table);
    }
    paper_tsv_close(tsv);
}
