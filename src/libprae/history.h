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

struct history {
    float *score;        /* (PRI_HISTORY) the oldest is overwritten */
    unsigned char *fits; /* (PRI_HISTORY) 1 where trusted records are alike */
    float *sorted;       /* (PRI_HISTORY) score in rising order */
    float *scratch;      /* (PRI_HISTORY) */
    uint64_t count;      /* put in so far */
};

/* PRAE_OK or PRAE_ENOMEM. */
prae_status pri_history_init(struct history *history);
void pri_history_fini(struct history *history);

/* Scores that are held. */
size_t pri_history_held(const struct history *history);

/* Takes a SCORE in, which FITS what is trusted or does not. */
void pri_history_put(struct history *history, float score, int fits);

/* Begins anew. */
void pri_history_forget(struct history *history);

/* Puts `sorted` in step with `score`, which came from outside. */
void pri_history_restore(struct history *history);

/* The share of past scores at least as bad as SCORE, with UNSEEN >= 1 counted
 * among them that might have been: above 0, at most 1. */
float pri_history_p(const struct history *history, float score, size_t unseen);

/* The score that SHARE of those held, 0 to 1, do not exceed; NaN where none
 * is held. */
float pri_history_quantile(const struct history *history, double share);

/*
 * The score beyond which a record is flagged, of a history that holds some:
 * what one in a hundred exceeds, but at least 2 and at most MOST spreads
 * above the median of those that fit. The least keeps the worst of a quiet
 * stream in; the most finds all outliers where more than one in a hundred
 * is one.
 */
float pri_history_limit(struct history *history, float most);

/* The same of COUNT > 0 scores at once, FITS (COUNT) telling which fit;
 * SCRATCH holds COUNT floats. */
float pri_score_limit(const float *score, const unsigned char *fits,
                      size_t count, float most, float *scratch);

#endif
