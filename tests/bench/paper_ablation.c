/*
 * paper_ablation.c - what each part of the gates is worth: left out one at
 * a time, on the data sets as they are and on data made dirtier.
 *
 * As they are, the sets have few outliers and training is short, so that a
 * plain autoencoder learns few of them. Gates have more to do where outliers
 * are many and alike and training is long enough to learn them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench_fit.h"
#include "bench_metric.h"
#include "bench_synth.h"
#include "paper.h"

static const struct variant {
    const char *title, *settings;
} variants[] = {
    {"plain AE", "gates=none"}, {"hard l1", "gates=hard"},
    {"lambda=0", "lambda=0"},   {"l0", "gates=l0"},
    {"l1", "gates=l1"},
};

#define VARIANTS (sizeof variants / sizeof *variants)

static void
print_head(const char *first)
{
    printf("%-22s", first);
    for (size_t k = 0; k < VARIANTS; k++)
        printf("%14s", variants[k].title);
    putchar('\n');
}

/* The score's AUC, then the error's. */
static void
print_pair(const struct bench_result *result)
{
    paper_cell(100.0 * result->auc, 7, 1);
    paper_cell(100.0 * result->auc_error, 6, 1);
    printf(" ");
}

/* ---- the sets as they are ---- */

static struct bench_result
run_variant(const struct paper *paper, const struct bench_table *table,
            const struct variant *variant)
{
    struct bench_result *runs = bench_alloc(paper->seeds, sizeof *runs);

    for (size_t i = 0; i < paper->seeds; i++)
        runs[i] = bench_run(table, variant->settings, i + 1);
    struct bench_result median = bench_medians(runs, paper->seeds);
    free(runs);
    return median;
}

static void
print_means(double auc[VARIANTS][PAPER_SETS],
            double auc_error[VARIANTS][PAPER_SETS], size_t count)
{
    char name[32];

    snprintf(name, sizeof name, "mean of %zu", count);
    printf("%-22s", name);
    for (size_t k = 0; k < VARIANTS; k++) {
        struct bench_result mean = {.auc = metric_mean(auc[k], count),
                                    .auc_error =
                                        metric_mean(auc_error[k], count)};
        print_pair(&mean);
    }
    putchar('\n');
}

void
paper_ablation(const struct paper *paper)
{
    double auc[VARIANTS][PAPER_SETS], auc_error[VARIANTS][PAPER_SETS];
    size_t count = 0;

    paper_title("Ablation on the data sets: ROC AUC x 100, in-sample, median "
                "of seeds 1 to %zu",
                paper->seeds);
    printf("Defaults but for the gates. AUC of the score, then of the error. "
           "plain AE: no gates.\nhard l1: gates without noise. lambda=0: "
           "nothing rewards open gates.\n\n");
    if (paper_need_data(paper) != 0)
        return;
    FILE *tsv = paper_tsv_open(paper, "ablation");
    paper_tsv(tsv, "set\tvariant\tauc_score\tauc_error\tf1\n");
    print_head("set");
    for (size_t i = 0; i < PAPER_SETS; i++) {
        struct bench_table table;
        if (paper_set_load(paper, &paper_sets[i], &table) != 0)
            continue;
        printf("%-22s", paper_sets[i].name);
        for (size_t k = 0; k < VARIANTS; k++) {
            struct bench_result median =
                run_variant(paper, &table, &variants[k]);
            print_pair(&median);
            auc[k][count] = median.auc;
            auc_error[k][count] = median.auc_error;
            paper_tsv(tsv, "%s\t%s\t%.4f\t%.4f\t%.4f\n", paper_sets[i].name,
                      variants[k].title, 100.0 * median.auc,
                      100.0 * median.auc_error, median.f1);
        }
        putchar('\n');
        fflush(stdout);
        count++;
        bench_table_fini(&table);
    }
    if (count > 0)
        print_means(auc, auc_error, count);
    paper_tsv_close(tsv);
}

/* ---- made dirtier ---- */

#define INLIERS_MAX 5000 /* of shuttle's 45586: more tell nothing new */

static const struct dirty {
    const char *set;
    double share; /* of all rows */
} dirty[] = {{"shuttle", 0.2}, {"cardio", 0.2}, {"musk", 0.1}};

/* How many outliers the copies are taken from. */
static const struct cluster {
    const char *title;
    size_t near;
} clusters[] = {{"all", (size_t)-1}, {"20", 20}};

static void
run_dirty(const struct paper *paper, const struct dirty *one,
          const struct cluster *cluster, const struct bench_table *from,
          size_t epochs, FILE *tsv)
{
    struct bench_result *runs = bench_alloc(paper->seeds, sizeof *runs);

    printf("%-9s%3.0f %%%4s%4zu ", one->set, 100.0 * one->share, cluster->title,
           epochs);
    for (size_t k = 0; k < VARIANTS; k++) {
        char settings[128];
        snprintf(settings, sizeof settings, "%s epochs=%zu",
                 variants[k].settings, epochs);
        for (size_t i = 0; i < paper->seeds; i++) {
            struct bench_table table;
            synth_contaminate(&table, from, one->share, INLIERS_MAX,
                              cluster->near, i + 1);
            runs[i] = bench_run(&table, settings, i + 1);
            bench_table_fini(&table);
        }
        struct bench_result median = bench_medians(runs, paper->seeds);
        print_pair(&median);
        paper_tsv(tsv, "%s\t%g\t%s\t%zu\t%s\t%.4f\t%.4f\t%.4f\n", one->set,
                  one->share, cluster->title, epochs, variants[k].title,
                  100.0 * median.auc, 100.0 * median.auc_error, median.f1);
    }
    putchar('\n');
    fflush(stdout);
    free(runs);
}

static void
run_dirty_set(const struct paper *paper, const struct dirty *one, FILE *tsv)
{
    static const size_t epochs[] = {10, 30, 100};
    size_t from = paper->full ? 0 : 1, to = paper->full ? 3 : 2;
    struct bench_table table;

    if (paper_set_load(paper, paper_set_find(one->set), &table) != 0)
        return;
    for (size_t c = 0; c < sizeof clusters / sizeof *clusters; c++)
        for (size_t e = from; e < to; e++)
            run_dirty(paper, one, &clusters[c], &table, epochs[e], tsv);
    bench_table_fini(&table);
}

void
paper_dirty(const struct paper *paper)
{
    paper_title("Ablation under contamination: ROC AUC x 100, in-sample, "
                "median of seeds 1 to %zu",
                paper->seeds);
    printf("A set's inliers (at most %d, drawn by the seed) and copies of its "
           "outliers up to the share\nof rows given, with normal jitter of a "
           "hundredth of the column's scale. from: copies of all\noutliers, "
           "or of one random outlier and its nearest, 20 in all: a tight "
           "cluster. ep: epochs,\nmore than the default. AUC of the "
           "score, then of the error. Prototype, clusters of its own\n(gates / "
           "plain): "
           "shuttle 95-99 / 78, cardio 87-95 / 76, musk 71-100 / 18.\n\n",
           INLIERS_MAX);
    if (paper_need_data(paper) != 0)
        return;
    FILE *tsv = paper_tsv_open(paper, "dirty");
    paper_tsv(tsv, "set\tshare\tfrom\tepochs\tvariant\tauc_score\tauc_error"
                   "\tf1\n");
    print_head("set      outl. from ep");
    for (size_t i = 0; i < sizeof dirty / sizeof *dirty; i++)
        run_dirty_set(paper, &dirty[i], tsv);
    paper_tsv_close(tsv);
}
