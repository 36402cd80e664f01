/*
 * learner.h - steps 5 and 6: a window of vectors is judged and learned.
 *
 * Two clocks judge a record. The snapshot clock: its error by the net as it
 * was before the window, against trusted history. The window clock: its
 * gate, after the net has been trained on the window, against the same
 * history. Where most of a window fails the second, the first decides.
 *
 * Invariants:
 *   1. Only records that were not flagged enter the reservoir, so scale
 *      and thresholds never follow what they are to find.
 *   2. A burst, a window most of which is flagged, leaves no trace in the
 *      model, unless the model is young or drift_after came in a row.
 *   3. Weights are finite between windows: a window that breaks them is
 *      undone and counted.
 */
#ifndef PRI_LEARNER_H
#define PRI_LEARNER_H

#include "context.h"
#include "fit.h"
#include "reservoir.h"
#include "scale.h"

#define PRI_HISTORY 4096 /* past scores that p-values are ranks among */

struct learner {
    prae_params params;
    struct context context;
    double likeness; /* of neighbours in the first window */
    struct scale scale;
    double *least;     /* (D0) least units of the features, from outside */
    double *ever_low;  /* (D0) the range of all values ever seen, trusted */
    double *ever_high; /* (D0) or not */
    struct reservoir reservoir;
    struct trainer trainer;
    size_t D;
    size_t cap_rows;
    double *wide;    /* (cap_rows, D) the window's vectors with context */
    float *x;        /* (cap_rows, D) in the net's units */
    float *scratch;  /* (cap_rows, at least SAMPLE) */
    float *sample;   /* (SAMPLE, D) of the reservoir, in the net's units */
    float *sample_e; /* (SAMPLE) */
    float *before;   /* weights and Adam's state before the window */
    float *history;  /* (PRI_HISTORY) scores, the oldest overwritten */
    uint64_t history_count; /* put in so far */
    float level;            /* what gates settle against */
    double limit;           /* the error at which a gate closes then */
    float factor;           /* lambda against the automatic one */
    float energy;           /* mean ||x||^2 of trusted records */
    prae_state state;
    size_t held;      /* windows in a row that did not fit */
    uint64_t windows; /* judged */
    uint64_t model;   /* generation: windows learned */
    uint64_t age;     /* windows learned since the last drift */
    uint64_t bursts, drifts, rollbacks;
};

/* What is found of a window's N records; all (cap_rows). */
struct findings {
    float *score;
    float *error;
    float *gate;            /* NaN where the snapshot decided */
    float *p;               /* NaN while warming */
    unsigned char *flagged; /* 0 or 1 */
};

/*
 * A learner of D0 features, whose scale units are never below LEAST (D0):
 * 0 for measurements, more for rarities, which have no neighbours in time.
 * CAP_ROWS is the longest window to make room for in advance. PRAE_OK or
 * PRAE_ENOMEM.
 */
prae_status pri_learner_init(struct learner *learner, const prae_params *params,
                             size_t D0, const double *least, size_t cap_rows);
void pri_learner_set_least(struct learner *learner, const double *least);
void pri_learner_fini(struct learner *learner);

/* All memory that hangs on whether the context is on, which must be decided
 * by then; and, once the net is there, what keeps its weights. PRAE_OK or
 * PRAE_ENOMEM. */
prae_status pri_learner_reserve(struct learner *learner);
prae_status pri_learner_reserve_weights(struct learner *learner);

/*
 * Judges and learns X (N, D0), the first time N at most cap_rows, in the
 * fields' own units
 * with NaN for what is missing. PRAE_OK, PRAE_ENOMEM, or PRAE_ECONFIG where
 * the first window's training diverged.
 */
prae_status pri_learner_window(struct learner *learner, const double *x,
                               size_t N, struct findings *found);

/* ---- history.c ---- */

/* Takes N scores into the past. */
void pri_history_put(struct learner *learner, const float *score, size_t N);

/* The p-values of N scores, to found->p. */
void pri_history_rank(const struct learner *learner, size_t N,
                      struct findings *found);

/* ---- learner.c ---- */

/* What gates settle against from now on, and the limit that follows. */
void pri_learner_set_level(struct learner *learner, float lambda);

/* Whether the net gives finite errors for trusted records. */
int pri_learner_is_sound(struct learner *learner);

/* The past score that SHARE of them, 0 to 1, do not exceed. */
double pri_learner_quantile(const struct learner *learner, double share);

/*
 * Of row ROW of the window last judged: each feature's part of the error
 * (D), and what was expected there in the feature's own units (D).
 */
void pri_learner_explain(struct learner *learner, size_t row, float *part,
                         double *expected);

#endif
