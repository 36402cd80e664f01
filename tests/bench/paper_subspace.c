/*
 * paper_subspace.c - robust subspace recovery: a linear net among ever more
 * outliers.
 *
 * The net is linear with as many latent units as the subspace has
 * dimensions, so what it learned can be compared with the truth: the space
 * its reconstructions lie in against the space inliers were drawn from.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_fit.h"
#include "bench_metric.h"
#include "bench_synth.h"
#include "paper.h"

#define ROWS 2000
#define COLS 50
/* Two sizes in every run: at 99 % outliers it is the size that decides
 * whether runs succeed, so that one alone would be a choice of result. */
#define DIM_FIRST 2
#define DIM_MAX 5
#define SETTINGS "hidden=none scaling=none lambda=0.5me"
#define SUCCESS 0.99 /* AUC by error from which a run has found it */

/* Takes from V (COLS) what lies along the first COUNT rows of Q. */
static void
remove_along(double *v, const double *q, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        double along = 0.0;
        for (size_t j = 0; j < COLS; j++)
            along += v[j] * q[k * COLS + j];
        for (size_t j = 0; j < COLS; j++)
            v[j] -= along * q[k * COLS + j];
    }
}

static double
square_sum(const double *v)
{
    double sum = 0.0;

    for (size_t j = 0; j < COLS; j++)
        sum += v[j] * v[j];
    return sum;
}

/*
 * sqrt(mean_k ||u_k - P u_k||^2), u_k the true basis and P the projection
 * on the net's images of it: 0 where the spaces are one, 1 where they are
 * at right angles. The image of 0 is taken off, so that a bias does not
 * count as a direction. NaN where the images span too little.
 */
static double
subspace_error(prae_model *model, const double *basis, size_t dim)
{
    double image[(DIM_MAX + 1) * COLS] = {0}, sum = 0.0;
    double *zero = image + dim * COLS;

    memcpy(image, basis, dim * COLS * sizeof *image);
    if (prae_model_expect(model, image, dim + 1, COLS, image) != PRAE_OK) {
        fprintf(stderr, "paper: expect: %s\n", prae_model_errmsg(model));
        return NAN;
    }
    for (size_t k = 0; k < dim; k++) {
        double *q = image + k * COLS;
        for (size_t j = 0; j < COLS; j++)
            q[j] -= zero[j];
        remove_along(q, image, k);
        remove_along(q, image, k); /* twice: once loses digits */
        double length = sqrt(square_sum(q));
        if (!(length > 1e-9))
            return NAN;
        for (size_t j = 0; j < COLS; j++)
            q[j] /= length;
    }
    for (size_t k = 0; k < dim; k++) {
        double rest[COLS];
        memcpy(rest, basis + k * COLS, sizeof rest);
        remove_along(rest, image, dim);
        sum += square_sum(rest);
    }
    return sqrt(sum / (double)dim);
}

/* What one share of outliers came to. */
struct row {
    struct bench_result median;
    double error; /* of the subspace, median */
    size_t successes;
};

static struct row
run_share(double share, size_t dim, const char *settings, size_t runs)
{
    struct bench_result *results = bench_alloc(runs, sizeof *results);
    double *errors = bench_alloc(runs, sizeof *errors);
    double basis[DIM_MAX * COLS];
    struct row row = {.successes = 0};

    for (size_t i = 0; i < runs; i++) {
        struct bench_table table;
        synth_subspace(&table, ROWS, (size_t)lround(share * ROWS), COLS, dim,
                       i + 1, basis);
        prae_model *model = bench_fit(&table, settings, i + 1);
        results[i] = bench_failed;
        errors[i] = NAN;
        if (model != NULL) {
            results[i] = bench_judge_fitted(model, &table);
            errors[i] = subspace_error(model, basis, dim);
        }
        row.successes += results[i].auc_error >= SUCCESS;
        prae_model_free(model);
        bench_table_fini(&table);
    }
    row.median = bench_medians(results, runs);
    row.error = metric_median(errors, runs);
    free(results);
    free(errors);
    return row;
}

static void
print_share(double share, size_t dim, const char *gates, const struct row *row,
            size_t runs, FILE *tsv)
{
    printf("%5.0f %%%8s", 100.0 * share, gates);
    paper_cell(100.0 * row->median.auc_error, 12, 1);
    paper_cell(100.0 * row->median.auc, 12, 1);
    paper_cell(row->error, 12, 3);
    paper_cell(row->median.f1, 10, 2);
    printf("%8zu of %zu\n", row->successes, runs);
    fflush(stdout);
    paper_tsv(tsv, "%zu\t%s\t%g\t%.4f\t%.4f\t%.5f\t%.4f\t%zu\t%zu\n", dim,
              gates, 100.0 * share, 100.0 * row->median.auc_error,
              100.0 * row->median.auc, row->error, row->median.f1,
              row->successes, runs);
}

/* All shares and kinds of gates; one block of the file a kind. */
static void
run_dim(size_t dim, size_t epochs, size_t runs, FILE *tsv)
{
    static const double shares[] = {0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99};
    static const char *const kinds[] = {"l1", "l0", "none"};

    printf("\n%zu dimensions\n%7s%8s%12s%12s%12s%10s%13s\n", dim, "outl.",
           "gates", "AUC error", "AUC score", "subspace", "F1 flag", "success");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (dim != DIM_FIRST || k > 0)
            paper_tsv(tsv, "\n\n");
        for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) {
            char settings[128];
            snprintf(settings, sizeof settings,
                     "%s latent=%zu epochs=%zu gates=%s", SETTINGS, dim, epochs,
                     kinds[k]);
            struct row row = run_share(shares[s], dim, settings, runs);
            print_share(shares[s], dim, kinds[k], &row, runs, tsv);
        }
    }
}

void
paper_subspace(const struct paper *paper)
{
    size_t runs = 10, epochs = paper->full ? 300 : 100;

    paper_title("Subspace recovery: median of %zu runs, seeds 1 to %zu", runs,
                runs);
    printf("%d rows in %d columns; inliers normal in a random subspace, "
           "outliers in all directions,\nmean energy 1 each. The paper's "
           "sizes are not known; these are ours.\nNet: %s epochs=%zu, latent: "
           "the dimensions.\nsubspace: its error, 0 found, 1 at right angles. "
           "success: AUC by error of %.0f or more.\nnone: a plain linear "
           "autoencoder. F1 of the flags is near 1 for calling all rows "
           "outliers\nwhere most are. Paper: at 99 %% outliers 7 of 10 runs "
           "succeed. Prototype: AUC 100 up\nto 95 %%, 99 %% fails.\n",
           ROWS, COLS, SETTINGS, epochs, 100.0 * SUCCESS);
    FILE *tsv = paper_tsv_open(paper, "subspace");
    paper_tsv(tsv, "dim\tgates\toutliers\tauc_error\tauc_score"
                   "\tsubspace_error\tf1\tsuccesses\truns\n");
    run_dim(DIM_FIRST, epochs, runs, tsv);
    run_dim(DIM_MAX, epochs, runs, tsv);
    paper_tsv_close(tsv);
}
