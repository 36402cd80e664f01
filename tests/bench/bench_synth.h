/* bench_synth.h - tables made up, or made worse, with known outliers. */
#ifndef BENCH_SYNTH_H
#define BENCH_SYNTH_H

#include "bench_data.h"

/*
 * A swiss roll: inliers (t cos t, h, t sin t) with t uniform in [1.5 pi, 4.5
 * pi] and h uniform in [0, 21], exactly on the sheet; OUTLIERS rows are
 * normal around the origin, of VARIANCE in each of the three columns. Small
 * variances gather them in the roll's hollow core, at its lower end; large
 * ones spread them between its turns and beyond.
 */
void synth_swiss_roll(struct bench_table *table, size_t inliers,
                      size_t outliers, double variance, uint64_t seed);

/*
 * Inliers normal in a random subspace of DIM dimensions through the origin,
 * OUTLIERS rows normal in all COLS directions; both have mean energy 1, so
 * that ||x||^2 tells them apart hardly at all. BASIS (dim, cols) is the
 * caller's and receives an orthonormal basis of the subspace.
 */
void synth_subspace(struct bench_table *table, size_t rows, size_t outliers,
                    size_t cols, size_t dim, uint64_t seed, double *basis);

/*
 * FROM's inliers, at most INLIERS_MAX of them at random, and among them so
 * many copies of outliers that these are SHARE of all rows. The copies are
 * clustered: all are drawn from one random outlier and its NEAR nearest
 * outliers (distances in scaled columns), each with normal jitter of a
 * hundredth of the scale's unit in every column.
 */
void synth_contaminate(struct bench_table *table,
                       const struct bench_table *from, double share,
                       size_t inliers_max, size_t near, uint64_t seed);

#endif
