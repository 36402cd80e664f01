/*
 * paper_tables.c - the paper's main table: AUC on its data sets, of rows
 * that were fitted and of rows that were not.
 *
 * One configuration for all sets, the library's defaults: what is chosen by
 * hand a set is chosen with its labels. Beside the model stands ||x||^2 of
 * the scaled row: where the model is no better than it, the set does not
 * test an autoencoder.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_fit.h"
#include "bench_metric.h"
#include "paper.h"

/* A row of the table; AUC from 0 to 1. */
struct line {
    const struct paper_set *set;
    double outliers;  /* share of rows */
    double norm;      /* AUC of ||x||^2 */
    double low, high; /* AUC of l1, over the seeds */
    struct bench_result l1, l0;
};

/* Does one seed's work on TABLE: the AUC of ||x||^2, l1 and l0. */
typedef void trial(const struct bench_table *table, uint64_t seed, double *norm,
                   struct bench_result *l1, struct bench_result *l0);

static double
norm_auc(const struct bench_table *fitted, const struct bench_table *scored)
{
    float *norms = bench_alloc(scored->rows, sizeof *norms);
    struct bench_scale scale;

    bench_scale_init(&scale, fitted);
    bench_scale_norms(&scale, scored, norms);
    double auc = metric_auc(norms, scored->label, scored->rows);
    bench_scale_fini(&scale);
    free(norms);
    return auc;
}

static void
try_fitted(const struct bench_table *table, uint64_t seed, double *norm,
           struct bench_result *l1, struct bench_result *l0)
{
    *norm = norm_auc(table, table);
    *l1 = bench_run(table, "gates=l1", seed);
    *l0 = bench_run(table, "gates=l0", seed);
}

/* Fits one half and judges the other. */
static struct bench_result
run_halves(const struct bench_table *fitted, const struct bench_table *scored,
           const char *settings, uint64_t seed)
{
    prae_model *model = bench_fit(fitted, settings, seed);
    struct bench_result result = bench_failed;

    if (model != NULL)
        result = bench_judge_new(model, scored);
    prae_model_free(model);
    return result;
}

static void
try_halves(const struct bench_table *table, uint64_t seed, double *norm,
           struct bench_result *l1, struct bench_result *l0)
{
    struct bench_table fitted, scored;

    bench_table_split(table, seed, &fitted, &scored);
    *norm = norm_auc(&fitted, &scored);
    *l1 = run_halves(&fitted, &scored, "gates=l1", seed);
    *l0 = run_halves(&fitted, &scored, "gates=l0", seed);
    bench_table_fini(&fitted);
    bench_table_fini(&scored);
}

static struct line
run_set(const struct paper *paper, const struct paper_set *set,
        const struct bench_table *table, trial *try)
{
    double *norm = bench_alloc(paper->seeds, sizeof *norm);
    struct bench_result *l1 = bench_alloc(paper->seeds, sizeof *l1);
    struct bench_result *l0 = bench_alloc(paper->seeds, sizeof *l0);

    for (size_t i = 0; i < paper->seeds; i++)
        try(table, i + 1, norm + i, l1 + i, l0 + i);
    struct line line = {.set = set,
                        .outliers = (double)bench_table_outliers(table) /
                                    (double)table->rows,
                        .norm = metric_median(norm, paper->seeds),
                        .l1 = bench_medians(l1, paper->seeds),
                        .l0 = bench_medians(l0, paper->seeds)};
    line.low = line.high = l1[0].auc;
    for (size_t i = 1; i < paper->seeds; i++) {
        line.low = fmin(line.low, l1[i].auc);
        line.high = fmax(line.high, l1[i].auc);
    }
    free(norm);
    free(l1);
    free(l0);
    return line;
}

/* ---- writing ---- */

static void
print_head(int fitted)
{
    printf("%-14s%7s%7s%7s |%7s%7s%7s |%7s%7s |%6s%6s |%7s%7s%7s\n", "set",
           "||x||2", "l1", "l0", fitted ? "pap.l1" : "", "pap.l0", "proto",
           fitted ? "l1-pap" : "l1-pl0", "l0-pap", "F1 l1", "F1 l0", "out. %",
           "fl% l1", "fl% l0");
}

/* AUC of a set, or the average of several, in percent, beside the paper. */
static void
print_auc(const char *name, double norm, double l1, double l0, double paper_l1,
          double paper_l0, double prototype)
{
    printf("%-14s", name);
    paper_cell(norm, 7, 1);
    paper_cell(l1, 7, 1);
    paper_cell(l0, 7, 1);
    printf(" |");
    if (isnan(paper_l1))
        printf("%7s", "");
    else
        paper_cell(paper_l1, 7, 1);
    paper_cell(paper_l0, 7, 1);
    paper_cell(prototype, 7, 1);
    printf(" |");
    paper_cell_signed(l1 - (isnan(paper_l1) ? paper_l0 : paper_l1), 7, 1);
    paper_cell_signed(l0 - paper_l0, 7, 1);
    printf(" |");
}

static void
print_line(const struct line *line, int fitted, FILE *tsv)
{
    const struct paper_set *set = line->set;
    double paper_l1 = fitted ? set->in_l1 : (double)NAN;
    double paper_l0 = fitted ? set->in_l0 : set->out_l0;
    double prototype = fitted ? set->in_prototype : set->out_prototype;

    print_auc(set->name, 100.0 * line->norm, 100.0 * line->l1.auc,
              100.0 * line->l0.auc, paper_l1, paper_l0, prototype);
    paper_cell(line->l1.f1_max, 6, 2);
    paper_cell(line->l0.f1_max, 6, 2);
    printf(" |");
    paper_cell(100.0 * line->outliers, 7, 1);
    paper_cell(100.0 * line->l1.flagged, 7, 1);
    paper_cell(100.0 * line->l0.flagged, 7, 1);
    putchar('\n');
    fflush(stdout);
    paper_tsv(tsv, "%s\t%.4f\t%.4f\t%.4f\t%.1f\t%.1f\t%.1f\t%.4f\t%.4f\t%.4f",
              set->name, 100.0 * line->norm, 100.0 * line->l1.auc,
              100.0 * line->l0.auc, paper_l1, paper_l0, prototype,
              line->l1.f1_max, line->l0.f1_max, 100.0 * line->outliers);
    paper_tsv(tsv, "\t%.4f\t%.4f\t%.4f\t%.4f\n", 100.0 * line->l1.flagged,
              100.0 * line->l0.flagged, line->l1.f1, line->l0.f1);
}

/* The means over all sets, or over the tabular ones. */
static void
print_average(const struct line *lines, size_t count, int tabular, int fitted)
{
    double cells[6][PAPER_SETS];
    char name[32];
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        const struct paper_set *set = lines[i].set;
        if (tabular && !set->tabular)
            continue;
        cells[0][kept] = 100.0 * lines[i].norm;
        cells[1][kept] = 100.0 * lines[i].l1.auc;
        cells[2][kept] = 100.0 * lines[i].l0.auc;
        cells[3][kept] = fitted ? set->in_l1 : (double)NAN;
        cells[4][kept] = fitted ? set->in_l0 : set->out_l0;
        cells[5][kept] = fitted ? set->in_prototype : set->out_prototype;
        kept++;
    }
    snprintf(name, sizeof name, "mean of %zu", kept);
    print_auc(name, metric_mean(cells[0], kept), metric_mean(cells[1], kept),
              metric_mean(cells[2], kept), metric_mean(cells[3], kept),
              metric_mean(cells[4], kept), metric_mean(cells[5], kept));
    putchar('\n');
}

static void
print_below(const struct line *lines, size_t count, int fitted)
{
    size_t below = 0;

    printf("below the paper by more than 1:");
    for (size_t i = 0; i < count; i++) {
        const struct paper_set *set = lines[i].set;
        double gap =
            100.0 * lines[i].l1.auc - (fitted ? set->in_l1 : set->out_l0);
        if (gap < -1.0) {
            printf("%s %s (%.1f)", below > 0 ? "," : "", set->name, gap);
            below++;
        }
    }
    printf("%s\n", below > 0 ? "" : " none");
}

/* Where a seed decides more than a method does: small sets, above all when
 * they are halved. */
static void
print_spread(const struct line *lines, size_t count)
{
    size_t wide = 0;

    printf("l1 apart by more than 5 between seeds:");
    for (size_t i = 0; i < count; i++) {
        if (lines[i].high - lines[i].low > 0.05) {
            printf("%s %s (%.1f to %.1f)", wide > 0 ? "," : "",
                   lines[i].set->name, 100.0 * lines[i].low,
                   100.0 * lines[i].high);
            wide++;
        }
    }
    printf("%s\n", wide > 0 ? "" : " none");
}

/* ---- the two tables ---- */

static void
run_table(const struct paper *paper, int fitted, const char *file)
{
    struct line lines[PAPER_SETS];
    size_t count = 0;

    if (paper_need_data(paper) != 0)
        return;
    printf("F1: best over thresholds, chosen with labels; fl%%: rows flagged "
           "by the library's own\nverdict, out. %%: labelled outliers. paper "
           "and prototype: their printed figures.\n\n");
    FILE *tsv = paper_tsv_open(paper, file);
    paper_tsv(tsv, "set\tnorm\tl1\tl0\tpaper_l1\tpaper_l0\tprototype\tf1max_l1"
                   "\tf1max_l0\toutliers\tflagged_l1\tflagged_l0\tf1_l1"
                   "\tf1_l0\n");
    print_head(fitted);
    for (size_t i = 0; i < PAPER_SETS; i++) {
        struct bench_table table;
        if (paper_set_load(paper, &paper_sets[i], &table) != 0)
            continue;
        lines[count] = run_set(paper, &paper_sets[i], &table,
                               fitted ? try_fitted : try_halves);
        print_line(&lines[count++], fitted, tsv);
        bench_table_fini(&table);
    }
    if (count > 0) {
        print_average(lines, count, 0, fitted);
        print_average(lines, count, 1, fitted);
        print_below(lines, count, fitted);
        print_spread(lines, count);
    }
    paper_tsv_close(tsv);
}

void
paper_insample(const struct paper *paper)
{
    paper_title("Data sets, in-sample: ROC AUC x 100, median of seeds 1 to %zu",
                paper->seeds);
    printf("Defaults for every set. Score: the error against lambda, "
           "averaged over training.\n");
    run_table(paper, 1, "insample");
}

void
paper_outsample(const struct paper *paper)
{
    paper_title("Data sets, out-of-sample: ROC AUC x 100, median of seeds 1 "
                "to %zu",
                paper->seeds);
    printf("Defaults for every set. A random half, drawn anew by each seed, "
           "is fitted; the other\nhalf is scored by its error. Columns are "
           "scaled by the fitted half.\n");
    run_table(paper, 0, "outsample");
}
