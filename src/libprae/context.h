/*
 * context.h - what a record's neighbours in time add to it.
 *
 * In a stream whose neighbours are alike, each feature brings two more: its
 * change since the record before, and its spread, an exponentially weighted
 * standard deviation. Whether the stream is of that kind, its first window
 * tells. A vector is then (D0 values, D0 changes, D0 spreads).
 */
#ifndef PRI_CONTEXT_H
#define PRI_CONTEXT_H

#include "prae.h"

struct context {
    size_t D0;              /* features of a record by itself */
    int on;                 /* whether changes and spreads are added */
    double *last;           /* (D0) the value before, NaN at the start */
    double *mean;           /* (D0) exponentially weighted */
    double *square;         /* (D0) variance, exponentially weighted */
    uint64_t *count;        /* (D0) values seen */
    uint64_t *upsets;       /* (D0) values in a row that were upsets */
    double *kept;           /* (3 D0) last, mean and square, kept aside */
    uint64_t *kept_count;   /* (2 D0) count and upsets, likewise */
    unsigned char *moved;   /* (D0) 1: what was kept has just been put back */
    unsigned char *untimed; /* (D0) 1: no measurement, so neighbours tell
                               nothing; its change and spread are 0 */
};

/* PRAE_OK or PRAE_ENOMEM. */
prae_status pri_context_init(struct context *context, size_t D0);
void pri_context_fini(struct context *context);

/* Features of a vector: D0, or 3 D0 where on. */
size_t pri_context_D(const struct context *context);

/*
 * How alike neighbours are: the median over the features of their lag-1
 * autocorrelation in X (N, D0). 0 where it cannot be told. *STATUS is
 * PRAE_OK or PRAE_ENOMEM.
 */
double pri_context_likeness(const struct context *context, const double *x,
                            size_t N, prae_status *status);

/* What comes next follows nothing: there is no value before it, nor a
 * spread. */
void pri_context_forget(struct context *context);

/* Keeps what is known of the stream so far, and puts it back. */
void pri_context_keep(struct context *context);
void pri_context_restore(struct context *context);

/* The vectors (N, D) of X (N, D0), which follows what was given before: put
 * into ROOM, or where nothing is added X itself. */
const double *pri_context_extend(struct context *context, const double *x,
                                 size_t N, double *room);

#endif
