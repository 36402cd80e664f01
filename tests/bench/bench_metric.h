/*
 * bench_metric.h - how well scores tell outliers from the rest.
 *
 * Scores are higher for worse rows, labels are 1 for outliers. A measure
 * that is not defined (a class without rows, a score that is not a number)
 * is NaN and stays visible as such, never a flattering 0 or 1.
 */
#ifndef BENCH_METRIC_H
#define BENCH_METRIC_H

#include <stddef.h>

/* Chance that an outlier scores above an inlier, ties counting a half:
 * the area under the ROC curve, 0 to 1. */
double metric_auc(const float *score, const unsigned char *label, size_t rows);

/* The best F1 that any threshold on the score reaches: rows at or above it
 * are called outliers. Rows of one score go together. */
double metric_f1_max(const float *score, const unsigned char *label,
                     size_t rows);

/* F1 of calling the rows with FLAG 1 outliers; 0 where none is called. */
double metric_f1(const unsigned char *flag, const unsigned char *label,
                 size_t rows);

/* The middle of VALUES, those that are NaN left out; NaN of none. */
double metric_median(const double *values, size_t count);

/* The mean of VALUES; NaN where one of them is or there is none. */
double metric_mean(const double *values, size_t count);

#endif
