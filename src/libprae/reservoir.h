/*
 * reservoir.h - records that were judged good, kept as what the model is
 * measured against: scale, lambda and thresholds come from them.
 *
 * A new record takes a random place with a fixed chance, so the reservoir
 * is a sample of the stream that fades: it remembers about `memory`
 * records.
 */
#ifndef PRI_RESERVOIR_H
#define PRI_RESERVOIR_H

#include "prae.h"
#include "rng.h"

struct reservoir {
    size_t D;
    size_t cap;   /* records it holds */
    size_t count; /* records in it */
    double *x;    /* (cap, D) in the fields' own units */
    double *low;  /* (D) range of all that was ever let in */
    double *high; /* (D) */
    struct rng rng;
};

/* PRAE_OK or PRAE_ENOMEM. */
prae_status pri_reservoir_init(struct reservoir *reservoir, size_t D,
                               size_t memory, uint64_t seed);
void pri_reservoir_fini(struct reservoir *reservoir);

/* Lets X (D) in, if chance wills or there is room. */
void pri_reservoir_offer(struct reservoir *reservoir, const double *x);

/* Fills the empty reservoir from those rows of X (N, D) that GOOD (N) marks,
 * from all where it is NULL: with all of them, or a sample. */
void pri_reservoir_fill(struct reservoir *reservoir, const double *x, size_t N,
                        const unsigned char *good);

#endif
