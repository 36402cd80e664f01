/*
 * scale.h - columns in their own units to the net's units and back.
 *
 * A column is centred at its mean and divided by min(range, 8 sd) / 4: for
 * well-behaved columns a quarter of the range, for columns with far
 * outliers two standard deviations. What lies further than 10 units out is
 * clipped there, so no single value can blow the sums up. A column that has
 * only ever had one value gets so small a unit that any other is clipped:
 * should it move, that is exactly an outlier. NaN marks a missing value; it
 * is not counted and stays NaN.
 */
#ifndef PRI_SCALE_H
#define PRI_SCALE_H

#include <stddef.h>

#include "prae.h"

#define PRI_SCALE_CLIP 10.0

struct scale {
    size_t D;
    double *centre; /* (D) */
    double *unit;   /* (D), > 0 */
    double *least;  /* (D) what a unit is never below, from 0: the caller's */
};

/* Centre 0 and unit 1 for D columns. PRAE_OK or PRAE_ENOMEM. */
prae_status pri_scale_init(struct scale *scale, size_t D);
void pri_scale_fini(struct scale *scale);

/* Takes centre and unit from X (rows, D), rows > 0, finite. */
void pri_scale_fit(struct scale *scale, const double *x, size_t rows);

/* X (rows, D) in the net's units, clipped if CLIP, to OUT (rows, D). */
void pri_scale_apply(const struct scale *scale, const double *x, size_t rows,
                     int clip, float *out);

/* The same of those rows of X that ORDER (rows) names, clipped. */
void pri_scale_some(const struct scale *scale, const double *x,
                    const uint32_t *order, size_t rows, float *out);

/* Where the columns' own zero lies in the net's units, to ORIGIN (D). */
void pri_scale_origin(const struct scale *scale, float *origin);

/* The net's VALUE of column D in the column's own units. */
double pri_scale_undo(const struct scale *scale, size_t d, double value);

#endif
