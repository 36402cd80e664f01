/*
 * kernel.h - the inner loops, compiled once for each of several processors.
 *
 * kernel_*.h hold the loops, in plain C and vectors of the compiler's; each
 * of kernel_base.c, kernel_v3.c and kernel_v4.c compiles all of them for one
 * level of the processor, and kernel.c picks the best that this one can run.
 * Nobody else knows that there are several. Results differ between levels by
 * rounding, and what learning makes of it, never within one: a sample's do not
 * hang on its place in a batch.
 *
 * Batches are as in matrix.h. Loops may write the padding of a batch, and
 * read it, but no sample's result depends on it.
 */
#ifndef PRI_KERNEL_H
#define PRI_KERNEL_H

#include <stdint.h>

#include "prae.h"

#define PRI_NEAREST 5 /* the neighbour that counts, from the nearest */

/* One visit to COUNT gates, see gate.c. */
struct gate_visit {
    float sigma;
    float lambda;
    float unit;
    size_t count;
    const float *e;
    float *mu;
    float *z;
};

/* A batch, or some columns of one, what the net made of it, and its errors,
 * see trainer.c. */
struct error_batch {
    size_t D, B, stride;
    size_t whole;      /* samples of the whole batch, which the mean is of */
    const float *x;    /* (D, B), or NULL: y is the difference already */
    const float *y;    /* (D, B) */
    const float *seen; /* (D, B) 1 or 0, or NULL: all seen */
    const float *norm; /* (B) what errors are divided by */
};

/* Adam's constants for one step, see adam.c. */
struct adam_step {
    float beta1, beta2, epsilon;
    float rate; /* both means' correction for their start is in these two */
    float root;
};

/* Records to be near to, COUNT places of LEN floats: up to 1024, a multiple
 * of 64, and a multiple of 16. */
struct near_query {
    size_t count, len;
    const float *others;  /* (count, len) */
    const float *columns; /* (len, count) the same, turned */
    const float *norm;    /* (count) ||r||^2, infinite for an empty place */
    float largest;        /* of the others' norms */
    float *rank;          /* (8, count) scratch */
};

/* CELLS lines from point to point, see ribbon.h. */
struct curve {
    size_t cells, len;
    const float *point;  /* (cells + 1, len) */
    const float *around; /* (cells) */
    float low, scale;
};

/* Of some columns, over the values that are there. */
#define PRI_MOMENTS_COLS 8
struct moments {
    double first[PRI_MOMENTS_COLS];
    double low[PRI_MOMENTS_COLS], high[PRI_MOMENTS_COLS];
    double count[PRI_MOMENTS_COLS];
    double sum[PRI_MOMENTS_COLS];    /* of what they are away from the first, */
    double square[PRI_MOMENTS_COLS]; /* and of its squares */
};

struct kernel {
    const char *name;

    /* y = act(w x + b);  dx = w' dy;  dw = dy x', db = row sums of dy. TURN
     * is scratch for B rows of as many floats as IN, rounded up to 16. */
    void (*affine)(size_t out, size_t in, size_t B, const float *w,
                   const float *b, const float *x, float *y, size_t stride,
                   prae_activation act);
    void (*affine_back_x)(size_t out, size_t in, size_t B, const float *w,
                          const float *dy, float *dx, size_t stride);
    void (*affine_back_w)(size_t out, size_t in, size_t B, const float *dy,
                          const float *x, float *dw, float *db, size_t stride,
                          float *turn);
    void (*sums)(size_t out, size_t B, const float *dy, size_t stride,
                 float *db);

    /* y = act(y), and dy *= act'(y), over a batch of ROWS. */
    void (*activate)(prae_activation act, size_t rows, size_t B, float *y,
                     size_t stride);
    void (*activate_back)(prae_activation act, size_t rows, size_t B,
                          const float *y, float *dy, size_t stride);

    /* Records of X (., D), those that ORDER (B) names or NULL: the first B,
     * to TO (D, B); where SEEN (D, B) is asked for it gets 1, or 0 for a NaN,
     * which becomes 0 itself. Nothing is written behind B. */
    void (*lay)(const float *x, size_t D, const uint32_t *order, size_t B,
                size_t stride, float *to, float *seen);

    /* e_j = sum_d weight_d (y - x)^2 / norm_j, WEIGHT NULL: all 1; and of
     * (1/whole) sum_j z_j e_j the gradient by y. */
    void (*error)(const struct error_batch *batch, const float *weight,
                  float *e);
    void (*error_back)(const struct error_batch *batch, const float *z,
                       float *dy);

    /* y - x, or 0 where it is not seen, to AWAY (D, B), which may be y, its
     * rows STRIDE apart; and over those that GOOD (B) marks, NULL: all, the
     * sums of its squares by norm are added to SQUARE (D). */
    void (*misfit)(const struct error_batch *batch, const unsigned char *good,
                   float *away, size_t stride, double *square);

    void (*gate_l1)(const struct gate_visit *visit);
    void (*gate_l0)(const struct gate_visit *visit);

    void (*adam)(const struct adam_step *step, size_t count, const float *grad,
                 float *mean, float *square, float *param);

    /* X (rows, D) times ROOT (D), to ROW (rows, len), of which the rest is
     * left alone. */
    void (*weigh)(const float *x, size_t rows, size_t D, const float *root,
                  size_t len, float *row);

    /*
     * Of ROWS (rows, len), with zeros behind what they hold and NaN for what
     * is missing, the squared distance to the PRI_NEAREST-th nearest other to
     * OUT and its place to WHICH, unless that is NULL: of fewer the farthest,
     * of none 0 and UINT32_MAX. SELF (rows) is the place that does not count,
     * or UINT32_MAX.
     */
    void (*nearest)(const struct near_query *query, size_t rows,
                    const float *row, const uint32_t *self, float *out,
                    uint32_t *which);

    /* Whether PRI_NEAREST others surely are at most MOST (rows) away, squared
     * as above, to SURE (rows) 1 or 0; of a row with gaps none is. What is 1
     * before is not asked about. */
    void (*within)(const struct near_query *query, size_t rows,
                   const float *row, const float *most, unsigned char *sure);

    /* The squared distance of ROWS (rows, len), with zeros behind what they
     * hold, to a curve where it is at Z (rows), to OUT, and what is around it
     * there to AROUND; infinite beyond its ends. */
    void (*beside)(const struct curve *curve, size_t rows, const float *row,
                   const float *z, float *out, float *around);

    /* Of COUNT values in rising order how many are below each of N, to
     * BELOW. */
    void (*count_below)(const float *sorted, size_t count, const float *value,
                        size_t N, uint32_t *below);

    /* Of each of N values, by how many of those OTHERS that are more than LAG
     * places before it, it is not exceeded: others[i] >= value[k] where
     * i + LAG < k, to LEAST (N). There are N - LAG others. */
    void (*count_earlier)(const float *others, size_t lag, const float *value,
                          size_t N, uint32_t *least);

    /* COUNT values in rising order without those GONE, which are LEAVE of
     * them, and with N that COME, all likewise, to TO. Whole vectors of
     * SORTED are read and of TO written: both have room for 16 more. */
    void (*exchange)(const float *sorted, size_t count, const float *gone,
                     size_t leave, const float *come, size_t N, float *to);

    /* The value of rank RANK, from 0 for the least, among COUNT > RANK. */
    float (*ranked_value)(const float *values, size_t count, size_t rank);

    /* COLS of X's columns, whose rows are STEP apart; and X (., D), those rows
     * that ORDER names or NULL: the first, in the net's units, see scale.h,
     * nowhere beyond MOST. */
    void (*moments)(const double *x, size_t rows, size_t step, size_t cols,
                    struct moments *out);
    void (*scale)(const double *x, const uint32_t *order, size_t rows, size_t D,
                  const double *centre, const double *unit, double most,
                  float *out);
};

extern const struct kernel pri_kernel_base;
#ifdef PRI_KERNEL_X86
extern const struct kernel pri_kernel_v3;
extern const struct kernel pri_kernel_v4;
#endif

/* The one in use: the best there is, unless another was asked for. */
const struct kernel *pri_kernel(void);

#endif
