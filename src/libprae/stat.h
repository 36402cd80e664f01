/* stat.h - order statistics of errors. */
#ifndef PRI_STAT_H
#define PRI_STAT_H

#include <float.h>
#include <stddef.h>

/* ERROR, or the worst there is where a net that is all but broken gives none
 * that is finite. */
static inline float
pri_finite_error(float error)
{
    return error < FLT_MAX ? error : FLT_MAX;
}

/* The value of rank RANK (0 is the smallest) among COUNT > RANK. */
float pri_rank(const float *values, size_t count, size_t rank);

/* Puts COUNT values, none of them NaN, into rising order. SCRATCH holds COUNT
 * floats. */
void pri_sort(float *values, size_t count, float *scratch);

/* The median of COUNT > 0 values, the two middle ones' mean when even. */
float pri_median(const float *values, size_t count);

/*
 * What the bulk of COUNT > 0 values is apart by, as a standard deviation
 * would have it; the median goes to *MEDIAN, and VALUES are overwritten. It
 * is the larger of 1.4826 MAD, which forgives what is odd on either side, and
 * the way up from the median to the 84th percentile, which sees that larger
 * values are further apart than smaller ones, or that half of them are the
 * same and the others are not.
 */
float pri_spread(float *values, size_t count, float *median);

/* The same of values in rising order, which stay as they are. */
float pri_spread_sorted(const float *sorted, size_t count, float *median);

/*
 * exp(median + spread * 1.4826 MAD) of the logarithms of COUNT > 0 errors:
 * a level that the bulk of them lies below, whatever the rest does. Errors
 * below FLOOR count as FLOOR. SCRATCH holds COUNT floats.
 */
float pri_error_level(const float *errors, size_t count, float spread,
                      float floor, float *scratch);

#endif
