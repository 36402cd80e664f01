/*
 * smooth.h - scores smoothed over time, for anomalies that last.
 *
 * In a stream whose trouble comes in stretches not every record of one
 * looks odd by itself; those before it tell. A score then is the
 * exponentially weighted mean of the scores up to it, or its own less a
 * little, whichever is more. Whether a stream
 * is of that kind, its scores' own autocorrelation tells: where records have
 * nothing to do with each other smoothing would only blur them.
 */
#ifndef PRI_SMOOTH_H
#define PRI_SMOOTH_H

#include "prae.h"

struct smooth {
    size_t span;    /* records: the newest weighs 2 / (span + 1); 1: none,
                       0: by the scores */
    int on;         /* whether scores are smoothed */
    double level;   /* the mean so far, NaN before the first */
    double last;    /* the score before, NaN before the first */
    double mean;    /* of scores, each newer one ... */
    double square;  /* ... and of squares and products with the one before */
    double product; /* of what they are above the mean */
    uint64_t count; /* learned from */
};

void pri_smooth_init(struct smooth *smooth, size_t span);

/* How alike neighbouring scores are, -1 to 1; 0 before there are two. */
double pri_smooth_likeness(const struct smooth *smooth);

/* Takes N scores that follow one another into the likeness, by which it is
 * then decided whether to smooth. */
void pri_smooth_learn(struct smooth *smooth, const float *score, size_t N);

/* Smooths N scores that follow those given before, where that is on. What is
 * remembered of a score is MOST at most: one bad record, however bad, does
 * not make those behind it bad. */
void pri_smooth_apply(struct smooth *smooth, float *score, size_t N,
                      float most);

#endif
