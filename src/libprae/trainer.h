/*
 * trainer.h - minibatch training of net and gates on a set of records.
 *
 * The trainer owns the net, its optimiser and scratch. Records, gates and
 * errors stay the caller's: records X are (N, D), one after another, in
 * the net's units. Once gaps are allowed, a NaN in X is a missing value: the
 * net sees the column's centre in its place and answers for it to nobody.
 *
 * What takes long is shared out, see runner.h. Records that are only judged
 * go through the net in batches, each thread's in scratch of its own. A
 * training step has one batch, so of a wide net threads take columns of it
 * and then layers.
 */
#ifndef PRI_TRAINER_H
#define PRI_TRAINER_H

#include "adam.h"
#include "gate.h"
#include "kernel.h"
#include "net.h"
#include "runner.h"

/* Records on their way through the net. */
struct passage {
    struct net_work work;
    float *seen; /* as work.y[0]: 1, or 0 for a gap; NULL without */
    float *norm; /* (cap_batch) ||x||, or 1 */
};

struct trainer {
    struct net net;
    struct adam adam;
    struct passage
        *passage; /* (passages) one for each thread; steps use the first */
    size_t passages;
    struct runner runner;
    int cut;             /* steps are worth being shared out: */
    size_t forward_cols; /* columns of a batch that are a part, forward ... */
    size_t back_cols;    /* ... and back */
    struct gate_rule rule;
    prae_loss loss;
    uint64_t seed;
    uint64_t epochs;  /* run so far: each has its own shuffle and noise */
    size_t cap_batch; /* most records a step takes */
    size_t batch;     /* records a step takes now; cap_batch at first */
    size_t cap_rows;  /* most records an epoch takes */
    float *origin;   /* (D) the fields' own zero, in the net's units; NULL: 0 */
    float *grad;     /* as net.param */
    float *error;    /* (cap_batch) */
    float *mu;       /* (cap_batch) */
    float *z;        /* (cap_batch) */
    uint32_t *order; /* (cap_rows) */
};

/* ---- trainer.c: life, and training ---- */

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

/* Work is shared out by RUNNER from now on. PRAE_OK, or PRAE_ENOMEM: it is
 * done as before. */
prae_status pri_trainer_set_runner(struct trainer *trainer,
                                   const struct runner *runner);

/*
 * One pass over X in random order, in steps of at most `batch` records
 * of nearly equal number. Each step moves the weights by Adam at RATE,
 * each record weighted by its gate, and the step's gates MU (N) once. E
 * (N) is left with each record's error when it was visited.
 */
void pri_trainer_epoch(struct trainer *trainer, const float *x, size_t N,
                       struct gate_level level, double rate, float *mu,
                       float *e);

/* ---- passage.c: records through the net as it is ---- */

/* Scratch for one thread, with gradients by WAY. PRAE_OK or PRAE_ENOMEM. */
prae_status pri_passage_init(struct passage *passage,
                             const struct trainer *trainer, enum net_way way);
prae_status pri_passage_allow_gaps(struct passage *passage, size_t D);
void pri_passage_fini(struct passage *passage);

/*
 * B records, those that ORDER (B) names or (NULL) the first of X, to columns
 * FROM and on of PASSAGE, and through the net; what their errors are divided by
 * is left in `norm`.
 */
void pri_passage_forward(const struct trainer *trainer, struct passage *passage,
                         const float *x, const uint32_t *order, size_t from,
                         size_t B);

/* e_j = sum_d w_d (y_dj - x_dj)^2 / norm_j  of these columns to E (B); w is
 * 1 where WEIGHT is NULL. */
void pri_passage_errors(const struct trainer *trainer,
                        const struct passage *passage, size_t from, size_t B,
                        const float *weight, float *e);

/* The same columns, of WHOLE, as the inner loops see them. */
struct error_batch pri_passage_batch(const struct trainer *trainer,
                                     const struct passage *passage, size_t from,
                                     size_t B, size_t whole);

/* The gradient of (1/whole) sum_j z_j e_j, with Z (B) held constant, by their
 * reconstruction, for pri_net_backward or pri_net_back_x. */
void pri_passage_errors_back(const struct trainer *trainer,
                             struct passage *passage, size_t from, size_t B,
                             size_t whole, const float *z);

/* Errors E (N) of X (N, D) by the net as it is. */
void pri_trainer_errors(struct trainer *trainer, const float *x, size_t N,
                        float *e);

/* The same, or where E is NULL not, and beside it errors to which feature d
 * adds by WEIGHT (D); NULL: by 1. */
void pri_trainer_judge(struct trainer *trainer, const float *x, size_t N,
                       const float *weight, float *e, float *weighted);

/* What X (N, D), without gaps, comes to in the middle of a net that has one
 * value there, to Z (N). */
void pri_trainer_middle(struct trainer *trainer, const float *x, size_t N,
                        float *z);

/* The reconstruction (B, D) of B <= cap_batch records X (B, D) to OUT; what
 * their errors are divided by is left in the first passage. */
void pri_trainer_expect(struct trainer *trainer, const float *x, size_t B,
                        float *out);

/* ---- misfit.c: what records are missed by, feature by feature ---- */

struct misfit {
    size_t D, stride;
    float *away; /* (D, rows) y - x, or 0 for a gap */
    float *norm; /* (rows) what squares are divided by */
};

/* PRAE_OK or PRAE_ENOMEM. */
prae_status pri_misfit_init(struct misfit *misfit, size_t D, size_t cap_rows);
void pri_misfit_fini(struct misfit *misfit);

/* Each feature's mean part of the errors, to SQUARE (D), over those rows of
 * X (N, D) that GOOD (N) marks, or all where it is NULL. What all of them are
 * missed by goes to KEPT, unless that is NULL. */
void pri_trainer_usual(struct trainer *trainer, const float *x, size_t N,
                       const unsigned char *good, struct misfit *kept,
                       double *square);

/* The errors E (N) of those kept, to which feature d adds by WEIGHT (D). */
void pri_misfit_errors(const struct misfit *misfit, size_t N,
                       const float *weight, float *e);

/* Whether all that was learned is a number. Errors are those before the last
 * step, and may still be when it no longer is. */
int pri_trainer_is_finite(const struct trainer *trainer);

/* ---- how a batch is cut ---- */

/* Parts of COLS columns that a batch of B makes. */
static inline size_t
pri_cuts(size_t cols, size_t B)
{
    return (B + cols - 1) / cols;
}

/* The columns of PART: from *FROM on, so many. */
static inline size_t
pri_cut(size_t cols, size_t B, size_t part, size_t *from)
{
    *from = part * cols;
    return B - *from < cols ? B - *from : cols;
}

#endif
