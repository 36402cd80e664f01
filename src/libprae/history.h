/*
 * history.h - past scores: what makes a score a p-value, and what sets the
 * limit beyond which a record is flagged.
 *
 * The last PRI_HISTORY scores of windows that were learned from, as
 * logarithms, flagged records included: what is rare among them is rare in
 * this stream. A score is ranked before it is put in, record by record, so
 * that a stretch of bad ones, be it long enough, becomes usual: of any
 * stream a p-value below 1 % is given to about one record in a hundred.
 */
#ifndef PRI_HISTORY_H
#define PRI_HISTORY_H

#include "prae.h"

#define PRI_HISTORY 16384
#define PRI_RECENT 2048

struct history {
    float *score;   /* (PRI_HISTORY) the oldest is overwritten */
    float *sorted;  /* (PRI_HISTORY) score in rising order */
    float *recent;  /* (PRI_RECENT) the newest of them, likewise */
    float *scratch; /* (PRI_HISTORY) */
    uint64_t count; /* put in so far */
};

/* PRAE_OK or PRAE_ENOMEM. */
prae_status pri_history_init(struct history *history);
void pri_history_fini(struct history *history);

/* Scores that are held. */
size_t pri_history_held(const struct history *history);

/* Takes N scores in, one after the other; each, unless P is NULL, has been
 * ranked just before, to P. */
void pri_history_learn(struct history *history, const float *score, size_t N,
                       float *p);

/* Begins anew. */
void pri_history_forget(struct history *history);

/* Puts what is in order in step with `score`, which came from outside. */
void pri_history_restore(struct history *history);

/* Of each of N scores the share of past ones at least as bad, itself among
 * them, above 0 and at most 1, to P: of all that are held or of the recent
 * ones, whichever is more. After a change the recent ones know better what is
 * usual. */
void pri_history_rank(const struct history *history, const float *score,
                      size_t N, float *p);

/* A score up to which the share that pri_history_rank gives is surely not
 * below SHARE; nearly the last one. */
float pri_history_sure(const struct history *history, double share);

/* The score that SHARE of those held, 0 to 1, do not exceed; NaN where none
 * is held. */
float pri_history_quantile(const struct history *history, double share);

/*
 * The score beyond which a record is flagged, of COUNT > 0: what one in a
 * hundred exceeds, but at least 2 and at most MOST spreads above the median.
 * The least keeps the worst of a quiet stream in; the most finds all outliers
 * where more than one in a hundred is one. SCRATCH holds COUNT floats.
 */
float pri_score_limit(const float *score, size_t count, float most,
                      float *scratch);

/* The same of the scores held, of which there are some. */
float pri_history_limit(const struct history *history, float most);

#endif
