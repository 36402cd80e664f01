/* bench_metric.c - measures by one sort of the scores. */
#include "bench_metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_data.h"

struct scored {
    float score;
    unsigned char label;
};

static int
by_score_down(const void *left, const void *right)
{
    float a = ((const struct scored *)left)->score;
    float b = ((const struct scored *)right)->score;

    return (a < b) - (a > b);
}

/* Rows from the worst to the best, the caller's to free; NULL where a score
 * is no number, as no order exists then. */
static struct scored *
sort_rows(const float *score, const unsigned char *label, size_t rows)
{
    struct scored *sorted = bench_alloc(rows, sizeof *sorted);

    for (size_t i = 0; i < rows; i++) {
        if (isnan(score[i])) {
            free(sorted);
            return NULL;
        }
        sorted[i] = (struct scored){score[i], label[i]};
    }
    qsort(sorted, rows, sizeof *sorted, by_score_down);
    return sorted;
}

/* From AT over rows of one score: where the next score starts, and how many
 * of them are outliers. */
static size_t
skip_ties(const struct scored *sorted, size_t rows, size_t at, size_t *outliers)
{
    size_t end = at;

    *outliers = 0;
    while (end < rows && sorted[end].score == sorted[at].score)
        *outliers += sorted[end++].label;
    return end;
}

double
metric_auc(const float *score, const unsigned char *label, size_t rows)
{
    struct scored *sorted = sort_rows(score, label, rows);
    double won = 0.0, above = 0.0, inliers = 0.0;
    size_t tied;

    if (sorted == NULL)
        return NAN;
    /* An inlier loses to each outlier above it and half to its equals. */
    for (size_t at = 0, end; at < rows; at = end) {
        end = skip_ties(sorted, rows, at, &tied);
        double here = (double)(end - at - tied);
        won += here * (above + 0.5 * (double)tied);
        above += (double)tied;
        inliers += here;
    }
    free(sorted);
    return above > 0.0 && inliers > 0.0 ? won / (above * inliers) : (double)NAN;
}

/* F1 = 2 hits / (called + outliers) */
static double
f1_of(size_t hits, size_t called, size_t outliers)
{
    return outliers > 0 ? 2.0 * (double)hits / (double)(called + outliers)
                        : (double)NAN;
}

double
metric_f1_max(const float *score, const unsigned char *label, size_t rows)
{
    struct scored *sorted = sort_rows(score, label, rows);
    size_t outliers = 0, hits = 0, tied;
    double best = NAN;

    if (sorted == NULL)
        return NAN;
    for (size_t i = 0; i < rows; i++)
        outliers += label[i];
    for (size_t at = 0, end; at < rows; at = end) {
        end = skip_ties(sorted, rows, at, &tied);
        hits += tied;
        best = fmax(best, f1_of(hits, end, outliers));
    }
    free(sorted);
    return best;
}

double
metric_f1(const unsigned char *flag, const unsigned char *label, size_t rows)
{
    size_t outliers = 0, called = 0, hits = 0;

    for (size_t i = 0; i < rows; i++) {
        outliers += label[i];
        called += flag[i];
        hits += flag[i] & label[i];
    }
    return f1_of(hits, called, outliers);
}

static int
by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

double
metric_median(const double *values, size_t count)
{
    double *sorted = bench_alloc(count, sizeof *sorted);
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            sorted[kept++] = values[i];
    qsort(sorted, kept, sizeof *sorted, by_value);
    double median = NAN;
    if (kept > 0)
        median = 0.5 * (sorted[(kept - 1) / 2] + sorted[kept / 2]);
    free(sorted);
    return median;
}

double
metric_mean(const double *values, size_t count)
{
    double sum = 0.0;

    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return count > 0 ? sum / (double)count : (double)NAN;
}
