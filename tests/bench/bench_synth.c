/*
 * bench_synth.c - the generators. Each names its own stream of the random
 * numbers, so that one seed gives unrelated draws to each of them.
 */
#include "bench_synth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_rng.h"

#define STREAM_SWISS 2
#define STREAM_SUBSPACE 3
#define STREAM_CONTAMINATE 4

#define JITTER 0.01 /* of the scale's unit: apart, but one cluster */

/* Rows in random order with OUTLIERS labels set: nothing may be learned
 * from where a row stands. */
static void
scatter_labels(struct bench_table *table, size_t outliers,
               struct bench_rng *rng)
{
    size_t *order = bench_alloc(table->rows, sizeof *order);

    bench_rng_order(rng, order, table->rows);
    for (size_t i = 0; i < outliers; i++)
        table->label[order[i]] = 1;
    free(order);
}

void
synth_swiss_roll(struct bench_table *table, size_t inliers, size_t outliers,
                 double variance, uint64_t seed)
{
    const double pi = 3.141592653589793;
    struct bench_rng rng;

    bench_rng_init(&rng, seed, STREAM_SWISS);
    bench_table_init(table, inliers + outliers, 3);
    scatter_labels(table, outliers, &rng);
    for (size_t i = 0; i < table->rows; i++) {
        double *x = table->x + i * 3;
        if (table->label[i]) {
            for (size_t j = 0; j < 3; j++)
                x[j] = sqrt(variance) * bench_rng_normal(&rng);
            continue;
        }
        double t = pi * (1.5 + 3.0 * bench_rng_uniform(&rng));
        x[0] = t * cos(t);
        x[1] = 21.0 * bench_rng_uniform(&rng);
        x[2] = t * sin(t);
    }
}

/* DIM orthonormal rows of COLS numbers, uniform over all such. */
static void
random_basis(double *basis, size_t dim, size_t cols, struct bench_rng *rng)
{
    for (size_t k = 0; k < dim; k++) {
        double *row = basis + k * cols, length = 0.0;
        for (size_t j = 0; j < cols; j++)
            row[j] = bench_rng_normal(rng);
        for (size_t before = 0; before < k; before++) {
            double along = 0.0;
            for (size_t j = 0; j < cols; j++)
                along += row[j] * basis[before * cols + j];
            for (size_t j = 0; j < cols; j++)
                row[j] -= along * basis[before * cols + j];
        }
        for (size_t j = 0; j < cols; j++)
            length += row[j] * row[j];
        for (size_t j = 0; j < cols; j++)
            row[j] /= sqrt(length);
    }
}

void
synth_subspace(struct bench_table *table, size_t rows, size_t outliers,
               size_t cols, size_t dim, uint64_t seed, double *basis)
{
    struct bench_rng rng;

    bench_rng_init(&rng, seed, STREAM_SUBSPACE);
    random_basis(basis, dim, cols, &rng);
    bench_table_init(table, rows, cols);
    scatter_labels(table, outliers, &rng);
    for (size_t i = 0; i < rows; i++) {
        double *x = table->x + i * cols;
        if (table->label[i]) {
            for (size_t j = 0; j < cols; j++)
                x[j] = bench_rng_normal(&rng) / sqrt((double)cols);
            continue;
        }
        for (size_t k = 0; k < dim; k++) {
            double along = bench_rng_normal(&rng) / sqrt((double)dim);
            for (size_t j = 0; j < cols; j++)
                x[j] += along * basis[k * cols + j];
        }
    }
}

/* ---- contamination ---- */

/* A row and how far it is from the cluster's heart. */
struct neighbour {
    double distance;
    size_t row;
};

static int
by_distance(const void *left, const void *right)
{
    double a = ((const struct neighbour *)left)->distance;
    double b = ((const struct neighbour *)right)->distance;

    return (a > b) - (a < b);
}

static double
distance(const struct bench_scale *scale, const double *a, const double *b)
{
    double sum = 0.0;

    for (size_t j = 0; j < scale->cols; j++) {
        double away = bench_scale_value(scale, j, a[j]) -
                      bench_scale_value(scale, j, b[j]);
        sum += away * away;
    }
    return sum;
}

/* All outliers of TABLE, nearest to a random one of them first. */
static struct neighbour *
order_outliers(const struct bench_table *table, const struct bench_scale *scale,
               size_t count, struct bench_rng *rng)
{
    struct neighbour *found = bench_alloc(count, sizeof *found);
    size_t cols = table->cols, at = 0;

    for (size_t i = 0; i < table->rows; i++)
        if (table->label[i])
            found[at++].row = i;
    size_t heart = found[bench_rng_below(rng, count)].row;
    for (size_t i = 0; i < count; i++)
        found[i].distance = distance(scale, table->x + heart * cols,
                                     table->x + found[i].row * cols);
    qsort(found, count, sizeof *found, by_distance);
    return found;
}

/* FROM's inliers in random order, COUNT of them. */
static size_t *
draw_inliers(const struct bench_table *from, size_t count,
             struct bench_rng *rng)
{
    size_t *order = bench_alloc(from->rows, sizeof *order), at = 0;

    bench_rng_order(rng, order, from->rows);
    for (size_t i = 0; i < from->rows && at < count; i++)
        if (!from->label[order[i]])
            order[at++] = order[i];
    return order;
}

void
synth_contaminate(struct bench_table *table, const struct bench_table *from,
                  double share, size_t inliers_max, size_t near, uint64_t seed)
{
    size_t found = bench_table_outliers(from), cols = from->cols;
    size_t inliers = from->rows - found;
    struct bench_scale scale;
    struct bench_rng rng;

    inliers = inliers < inliers_max ? inliers : inliers_max;
    near = near < found ? near : found;
    bench_rng_init(&rng, seed, STREAM_CONTAMINATE);
    bench_scale_init(&scale, from);
    size_t outliers = (size_t)lround((double)inliers * share / (1.0 - share));
    struct neighbour *cluster = order_outliers(from, &scale, found, &rng);
    size_t *order = draw_inliers(from, inliers, &rng), at = 0;

    bench_table_init(table, inliers + outliers, cols);
    scatter_labels(table, outliers, &rng);
    for (size_t i = 0; i < table->rows; i++) {
        double *x = table->x + i * cols;
        size_t row = table->label[i] ? cluster[bench_rng_below(&rng, near)].row
                                     : order[at++];
        memcpy(x, from->x + row * cols, cols * sizeof *x);
        for (size_t j = 0; table->label[i] && j < cols; j++)
            x[j] += JITTER * scale.unit[j] * bench_rng_normal(&rng);
    }
    bench_scale_fini(&scale);
    free(cluster);
    free(order);
}
