/*
 * trainer.h - minibatch training of net and gates on a set of records.
 *
 * The trainer owns the net, its optimiser and scratch. Records, gates and
 * errors stay the caller's: records X are (N, D), one after another, in
 * the net's units. Once gaps are allowed, a NaN in X is a missing value: the
 * net sees the column's centre in its place and answers for it to nobody.
 */
#ifndef PRI_TRAINER_H
#define PRI_TRAINER_H

#include "adam.h"
#include "gate.h"
#include "net.h"

struct trainer {
    struct net net;
    struct adam adam;
    struct net_work work;
    struct gate_rule rule;
    prae_loss loss;
    uint64_t seed;
    uint64_t epochs;  /* run so far: each has its own shuffle and noise */
    size_t cap_batch; /* most records a step takes */
    size_t batch;     /* records a step takes now; cap_batch at first */
    size_t cap_rows;  /* most records an epoch takes */
    float *origin;   /* (D) the fields' own zero, in the net's units; NULL: 0 */
    float *seen;     /* as work.y[0]: 1, or 0 for a gap; NULL without */
    float *grad;     /* as net.param */
    float *norm;     /* (cap_batch) ||x||, or 1 */
    float *error;    /* (cap_batch) */
    float *mu;       /* (cap_batch) */
    float *z;        /* (cap_batch) */
    uint32_t *order; /* (cap_rows) */
};

/*
 * Makes optimiser and scratch for NET, which the trainer takes ownership
 * of, also on failure. PRAE_OK or PRAE_ENOMEM.
 */
prae_status pri_trainer_init(struct trainer *trainer, struct net *net,
                             const struct gate_rule *rule, prae_loss loss,
                             uint64_t seed, size_t cap_batch, size_t cap_rows);
void pri_trainer_fini(struct trainer *trainer);

/*
 * Relative losses divide by ||x||, measured from ORIGIN (D): where the
 * fields' own zero lies in the net's units. PRAE_OK or PRAE_ENOMEM.
 */
prae_status pri_trainer_set_origin(struct trainer *trainer,
                                   const float *origin);

/* From now on X may hold NaN. PRAE_OK or PRAE_ENOMEM. */
prae_status pri_trainer_allow_gaps(struct trainer *trainer);

/* Errors E (N) of X (N, D) by the net as it is. */
void pri_trainer_errors(struct trainer *trainer, const float *x, size_t N,
                        float *e);

/* The same, or where E is NULL not, and beside it errors to which feature d
 * adds by WEIGHT (D); NULL: by 1. */
void pri_trainer_judge(struct trainer *trainer, const float *x, size_t N,
                       const float *weight, float *e, float *weighted);

/* Each feature's mean part of the errors, to SQUARE (D), over those rows of
 * X (N, D) that GOOD (N) marks, or all where it is NULL. */
void pri_trainer_usual(struct trainer *trainer, const float *x, size_t N,
                       const unsigned char *good, double *square);

/*
 * One pass over X in random order, in steps of at most `batch` records
 * of nearly equal number. Each step moves the weights by Adam at RATE,
 * each record weighted by its gate, and the step's gates MU (N) once. E
 * (N) is left with each record's error when it was visited.
 */
void pri_trainer_epoch(struct trainer *trainer, const float *x, size_t N,
                       struct gate_level level, double rate, float *mu,
                       float *e);

/* The reconstruction (B, D) of B <= cap_batch records X (B, D) to OUT; what
 * their errors are divided by is left in `norm`. */
void pri_trainer_expect(struct trainer *trainer, const float *x, size_t B,
                        float *out);

#endif
