/*
 * learner.h - steps 5 and 6: a window of vectors is judged and learned.
 *
 * Two clocks judge a record. The window: its error by the net that has just
 * been trained on it, with gates, so that what does not fit was not learned.
 * The past: records that were trusted before say which errors are usual and
 * lie near by or do not. Where most of a window does not fit, the past alone
 * decides. Scores are logarithms in here.
 *
 * Invariants:
 *   1. Only records that fit enter the reservoir, so scale and levels never
 *      follow what they are to find.
 *   2. A burst, a window most of which does not fit, leaves no trace in the
 *      model, unless the model is young or drift_after came in a row. Nor
 *      does what led up to it in the context of the window behind it.
 *   3. Weights are finite between windows: a window that breaks them is
 *      undone and counted.
 */
#ifndef PRI_LEARNER_H
#define PRI_LEARNER_H

#include "context.h"
#include "fit.h"
#include "history.h"
#include "neighbours.h"
#include "reservoir.h"
#include "ribbon.h"
#include "scale.h"
#include "smooth.h"

#define PRI_SAMPLE 512 /* trusted records that levels are taken from */
#define PRI_FEW 32     /* records that can tell nothing by themselves */
#define PRI_MARKS 128  /* records that short windows are looked at with */

/* For quick.c; made when it is first needed. */
struct quick {
    struct ribbon ribbon;
    size_t block;  /* records that are looked at together */
    float *row;    /* (block, neighbours.len) they themselves, weighted */
    float *z;      /* (block) what is in the net's middle */
    float *away;   /* (block) how far neighbours are, or may be */
    float *some;   /* (PRI_QUICK_ROWS, D) records that are scored after all */
    uint64_t rows; /* judged since the model last changed */
};

#define PRI_QUICK_ROWS 64

struct learner {
    prae_params params;
    struct runner runner;
    struct context context;
    double likeness; /* of neighbours in the first window */
    struct scale scale;
    double *least;       /* (D0) least units of the features, from outside */
    double *rarity;      /* (D0) weights of features whose sum is the score */
    int by_rarity;       /* whether it is, and not what follows */
    double *ever_low;    /* (D0) the range of all values ever seen, trusted */
    double *ever_high;   /* (D0) or not */
    double *before_low;  /* (D0) the same before the window */
    double *before_high; /* (D0) */
    struct reservoir reservoir;
    struct neighbours neighbours;
    struct trainer trainer;
    struct smooth smooth;
    struct history history;
    struct quick quick;
    size_t D;
    size_t cap_rows;
    double *room;           /* (cap_rows, D) for the window with context */
    const double *wide;     /* (N, D) there, or the window itself */
    float *x;               /* (cap_rows, D) in the net's units */
    float *scratch;         /* (cap_rows, at least PRI_SAMPLE) */
    float *logs;            /* as scratch */
    unsigned char *fits;    /* (cap_rows) 1: to be trusted */
    float *sample;          /* (PRI_SAMPLE, D) trusted, in the net's units */
    size_t sample_first;    /* which of the reservoir's they are: from here */
    size_t sample_count;    /* on, so many */
    float *sample_e;        /* (PRI_SAMPLE) */
    float *sample_score;    /* (PRI_SAMPLE) */
    float *sample_away;     /* (PRI_SAMPLE) distances to their neighbours */
    struct misfit misfit;   /* of them, by the net */
    double *usual;          /* (D) a feature's part of trusted errors */
    float *weight;          /* (D) how much its misfit counts in a score */
    float balance;          /* of the neighbours' say to the net's */
    float floor;            /* scores are at least its logarithm */
    float *before;          /* weights and Adam's state before the window */
    uint64_t before_steps;  /* Adam's */
    uint64_t before_epochs; /* the trainer's */
    float limit;            /* the score at which the next window's gates
                               rest at PRI_GATE_SHUT */
    float shut;             /* pri_opinion_slack of PRI_GATE_SHUT */
    float slack;            /* and of params.threshold */
    float bound;            /* frozen: pri_opinion_bound */
    float factor;           /* lambda against the automatic one */
    float energy;           /* lambda=me: mean ||x||^2 of trusted records */
    prae_state state;
    prae_state awake; /* the state before it was frozen */
    int settled;      /* frozen, and what the past says is worked out */
    int anew;         /* the window before was new: scores start afresh */
    unsigned char marks[PRI_MARKS]; /* of the last records, the newest last:
                                       1, it lies beyond what is usual */
    uint64_t stale;    /* records since the calm moment that is kept, in ... */
    double calm_level; /* ... context.kept and, of smoothed scores, here */
    uint64_t astray;  /* of a burst's, records since its context was restored */
    uint64_t held;    /* records in a row of windows that did not fit */
    double load;      /* the same, in a row or not, fading; see judge_misfit */
    uint64_t drifted; /* records of the last drift */
    uint64_t windows; /* judged */
    uint64_t model;   /* generation: windows learned */
    uint64_t learned; /* records in them */
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

/* ---- learner.c: life, and the order of steps ---- */

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

/* What takes long is shared out by RUNNER from now on. PRAE_OK, or
 * PRAE_ENOMEM: it is done as before. */
prae_status pri_learner_set_runner(struct learner *learner,
                                   const struct runner *runner);

/* From now on a score is the sum of the features by WEIGHT (D0): for
 * records that are nothing but strings, whose rarity says it all. */
void pri_learner_set_rarity(struct learner *learner, const double *weight);

/* From now on records are flagged by PARAMS' fpr and threshold, and learned
 * or not by its freeze. Not within a window, nor before the first. */
void pri_learner_set_rule(struct learner *learner, const prae_params *params);

/* All memory that hangs on whether the context is on, which must be decided
 * by then; and, once the trainer is there, what is made of it. PRAE_OK or
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

/* The past score that SHARE of them, 0 to 1, do not exceed, as it is given
 * out; NaN before the first. */
double pri_learner_quantile(const struct learner *learner, double share);

/*
 * Of row ROW of the window last judged: each feature's part of the score
 * (D), and what was expected there in the feature's own units (D).
 */
void pri_learner_explain(struct learner *learner, size_t row, float *part,
                         double *expected);

/* ---- first.c, warm.c: the first window, and those after it ---- */

prae_status pri_learner_first(struct learner *learner, const double *x,
                              size_t N, struct findings *found);
void pri_learner_later(struct learner *learner, const double *x, size_t N,
                       struct findings *found);

/* Frozen: works out what the past says, once, as it stays the same. */
void pri_learner_settle(struct learner *learner);

/* ---- quick.c: frozen, without the scores of inliers ---- */

/* Whether the window can be judged so, for which there is to be memory; and
 * that, of `wide', with NaN for what was not worked out. */
int pri_quick_can(struct learner *learner);
void pri_quick_judge(struct learner *learner, size_t N, struct findings *found);

/* The model, or what the past says, is not what it was. */
void pri_quick_forget(struct learner *learner);
void pri_quick_fini(struct quick *quick);

/* ---- trusted.c: what the reservoir gives ---- */

/* Takes X (N, D0) into the ranges of all that was ever seen. */
void pri_trusted_widen(struct learner *learner, const double *x, size_t N);

/* Takes these ranges back to those of what is trusted. */
void pri_trusted_narrow(struct learner *learner);

/* The scale; the first time, before anything is trusted, of the window's own
 * N rows. */
void pri_trusted_scale(struct learner *learner);
void pri_trusted_scale_first(struct learner *learner, size_t N);

/* Up to PRI_SAMPLE trusted records, others in each window, to `sample`;
 * returns how many. */
size_t pri_trusted_sample(struct learner *learner);

/* The same, and their errors by the net as it is to sample_e. */
size_t pri_trusted_errors(struct learner *learner);

/* ---- opinion.c: errors to scores, scores to verdicts ---- */

/*
 * What is usual, and who is whose neighbour: among trusted records, sampled
 * before, by the net as it is, or among those of the window's own N rows that
 * fit by their errors E. The former returns how many trusted records' scores it
 * left in sample_score.
 */
size_t pri_opinion_by_past(struct learner *learner);
void pri_opinion_by_itself(struct learner *learner, size_t N, const float *e);

/*
 * The weighted errors of N rows in SCORE become their scores: X in the net's
 * units, WIDE in their own. They are rows FIRST and on of those that
 * neighbours were chosen from, or PRI_STRANGER.
 */
void pri_opinion_score(struct learner *learner, const float *x,
                       const double *wide, size_t N, uint32_t first,
                       float *score);

/* How far beyond the level that it turns at, a gate at rest is below
 * THRESHOLD: a logarithm, infinite where it never is. */
float pri_opinion_slack(const struct learner *learner, float threshold);

/* What most of COUNT > 0 scores are below: two spreads above the median. */
float pri_opinion_level(const struct learner *learner, const float *score,
                        size_t count);

/* Notes which of N scores are not beyond LEVEL; returns how many are. */
size_t pri_opinion_fit(struct learner *learner, size_t N, const float *score,
                       float level);

/* Smooths N scores by learner->smooth. */
void pri_opinion_smooth(struct learner *learner, size_t N, float *score);

/* How a window leaves its scores behind. */
enum opinion {
    OPINION_LEARN, /* ranked among past scores, then one of them */
    OPINION_HOLD,  /* ranked, and gone */
    OPINION_ANEW,  /* there are no past scores: ranked among themselves */
    OPINION_FIRST  /* nor was there anything else: not ranked at all */
};

/* What learner->limit is to be: by past scores, or where these do not count
 * by the N scores themselves. */
float pri_opinion_limit(struct learner *learner);
float pri_opinion_own_limit(struct learner *learner, size_t N,
                            const float *score);

/* Gives N records p-values and, from learner->limit, gates and flags; by a
 * snapshot no gates. Scores are as shown thereafter. */
void pri_opinion_verdict(struct learner *learner, size_t N, enum opinion how,
                         struct findings *found);
void pri_opinion_frozen(struct learner *learner, size_t N,
                        struct findings *found);

/* The score beyond which a record is flagged by params.threshold. */
float pri_opinion_bound(const struct learner *learner);

/* N scores as they are given out: people know errors, not logarithms. */
void pri_opinion_show(const struct learner *learner, size_t N, float *score);

#endif
