/*
 * fit.h - one training run from scratch: net laid out, gates visited once,
 * then epochs of weights and gates with lambda following the errors.
 */
#ifndef PRI_FIT_H
#define PRI_FIT_H

#include "trainer.h"

#define PRI_SPREAD_TRAIN 1.5f /* lambda's distance above the median error */
#define PRI_SPREAD_FLAG 2.0f  /* ... in training, and for the verdict */

/* The records of a run, and where it leaves what it finds. */
struct fit {
    const float *x; /* (N, D) in the net's units, NaN where missing */
    size_t N;
    size_t D;
    size_t cap_rows; /* most rows a later epoch of the trainer takes */
    int gaps;        /* x may hold NaN */
    struct runner runner;
    const float *origin; /* (D) for relative losses, or NULL */
    float factor;        /* lambda times this, for lambda=auto and validate */
    float *mu;           /* (N) gates as training left them */
    float *e;            /* (N) errors as they were visited last */
    float *trace;   /* (N) mean over all visits of e / unit, of which 1 is
                       1 / grain; NULL: none */
    float *scratch; /* (N) */
    float lambda;   /* the last */
    float unit;     /* the same, or where that is 0 the errors' level */
    float grain;    /* 1, or of a smaller unit the power of 2 below it, as
                       of that the largest errors are too many for a float */
    size_t epochs;  /* run */
};

/* What errors below are none at all: scale-free, for D columns. */
float pri_fit_floor(size_t D);

/* Records a step takes, of N. */
size_t pri_fit_batch(const prae_params *params, size_t N);

/* Records that the net is to have room for at once, with windows of up to
 * CAP_ROWS: however short these are, hundreds of trusted records pass through
 * it for each. */
size_t pri_fit_room(const prae_params *params, size_t cap_rows);

/*
 * Makes and trains TRAINER, which must be empty. PRAE_OK, PRAE_ENOMEM, or
 * PRAE_ECONFIG where training diverged in epoch fit->epochs. After a
 * failure the trainer is still to be freed.
 */
prae_status pri_fit_run(struct fit *fit, const prae_params *params,
                        struct trainer *trainer);

/*
 * Like pri_fit_run, after choosing fit->factor: the candidate whose net,
 * trained on four rows in five, reconstructs the fifth best.
 */
prae_status pri_fit_validate(struct fit *fit, const prae_params *params,
                             struct trainer *trainer);

#endif
