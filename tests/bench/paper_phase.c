/*
 * paper_phase.c - the phase transition in lambda: below the mean energy
 * outliers are shut out, above it they are let in.
 *
 * An outlier that the net learns nothing of costs its energy, so a gate
 * weighs that against lambda. Measured by F1 of the verdict (gate below the
 * threshold) on subspace data, where inliers and outliers have one energy.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench_fit.h"
#include "bench_metric.h"
#include "bench_synth.h"
#include "paper.h"

#define ROWS 1000
#define OUTLIERS 200
#define COLS 50
#define DIM 5
#define SETTINGS "hidden=none latent=5 scaling=none"

static struct bench_result
run_lambda(const struct paper *paper, double lambda, const char *gates,
           size_t epochs)
{
    struct bench_result *results = bench_alloc(paper->seeds, sizeof *results);
    double basis[DIM * COLS];
    char settings[128];

    snprintf(settings, sizeof settings, "%s epochs=%zu gates=%s lambda=%.3fme",
             SETTINGS, epochs, gates, lambda);
    for (size_t i = 0; i < paper->seeds; i++) {
        struct bench_table table;
        synth_subspace(&table, ROWS, OUTLIERS, COLS, DIM, i + 1, basis);
        results[i] = bench_run(&table, settings, i + 1);
        bench_table_fini(&table);
    }
    struct bench_result median = bench_medians(results, paper->seeds);
    free(results);
    return median;
}

void
paper_phase(const struct paper *paper)
{
    size_t epochs = paper->full ? 200 : 100;
    double step = paper->full ? 0.05 : 0.1;

    paper_title("Phase transition: F1 of the verdict, median of seeds 1 to %zu",
                paper->seeds);
    printf("%d rows in %d columns, %d outliers in all directions, the rest in "
           "%d dimensions, mean\nenergy 1 each. Net: %s epochs=%zu.\nThe "
           "paper's transition is at the mean energy, ME. Prototype (its own "
           "data): l1 F1 = 1 at\n0.4 to 0.6 ME, 0.41 at ME, 0 at 1.6 ME; l0 "
           "turns at 0.6 ME.\n\n",
           ROWS, COLS, OUTLIERS, DIM, SETTINGS, epochs);
    FILE *tsv = paper_tsv_open(paper, "phase");
    paper_tsv(tsv, "lambda\tf1_l1\tf1_l0\tflagged_l1\tflagged_l0\n");
    printf("%11s%8s%8s%12s%12s\n", "lambda/ME", "F1 l1", "F1 l0", "flag% l1",
           "flag% l0");
    for (int i = 1; 0.1 + step * (i - 1) < 2.0 + step / 2.0; i++) {
        double lambda = 0.1 + step * (i - 1);
        struct bench_result l1 = run_lambda(paper, lambda, "l1", epochs);
        struct bench_result l0 = run_lambda(paper, lambda, "l0", epochs);
        printf("%11.2f", lambda);
        paper_cell(l1.f1, 8, 2);
        paper_cell(l0.f1, 8, 2);
        paper_cell(100.0 * l1.flagged, 12, 1);
        paper_cell(100.0 * l0.flagged, 12, 1);
        putchar('\n');
        fflush(stdout);
        paper_tsv(tsv, "%.3f\t%.5f\t%.5f\t%.4f\t%.4f\n", lambda, l1.f1, l0.f1,
                  100.0 * l1.flagged, 100.0 * l0.flagged);
    }
    paper_tsv_close(tsv);
}
