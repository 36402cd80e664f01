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
    size_t cap;         /* records it holds, and ... */
    size_t room;        /* ... has memory for: it grows as it fills */
    size_t memory;      /* records it reaches back, about */
    size_t count;       /* records in it */
    double *x;          /* (room, D) in the fields' own units */
    unsigned char *old; /* (room) 1: of before the last parting */
    int parted;         /* whether any may be */
    uint64_t offered;   /* records since then */
    double *low;        /* (D) range of all that was ever let in, ... */
    double *high;       /* (D) ... or since the past was forgotten */
    struct rng rng;
};

/* PRAE_OK or PRAE_ENOMEM. */
prae_status pri_reservoir_init(struct reservoir *reservoir, size_t D,
                               size_t memory, uint64_t seed);
void pri_reservoir_fini(struct reservoir *reservoir);

/* Makes room for ROWS records, though for no more than cap. PRAE_OK or
 * PRAE_ENOMEM. Offering and filling never bring in more than that. */
prae_status pri_reservoir_reserve(struct reservoir *reservoir, size_t rows);

/* Lets X (D) in, if chance wills or there is room. */
void pri_reservoir_offer(struct reservoir *reservoir, const double *x);

/* Fills the empty reservoir from those rows of X (N, D) that GOOD (N) marks,
 * from all where it is NULL: with all of them, or a sample. */
void pri_reservoir_fill(struct reservoir *reservoir, const double *x, size_t N,
                        const unsigned char *good);

/*
 * The stream has changed. If what is in the reservoir now was never to come
 * back, it would still be in the way for several times `memory`: a scale
 * that was a thousand times as large hides whatever happens in the new one.
 * But behaviours may also take turns. So the past stays for `memory` records
 * more, and those of them that are like it come in anew; then the rest of it
 * and its ranges are forgotten.
 */
void pri_reservoir_part(struct reservoir *reservoir);

/* Forgets it if it is time; whether it was. */
int pri_reservoir_forget(struct reservoir *reservoir);

#endif
