/*
 * neighbours.h - a second opinion on a record: how far it lies from trusted
 * ones.
 *
 * A net that squeezes records through a narrow middle is blind to what
 * happens to lie on its curve far from all data; a distance to records is
 * not. Up to PRI_NEIGHBOURS of them are looked at, and the one whose
 * distance counts is the fifth nearest, so that a bad record that was once
 * trusted vouches for nobody.
 */
#ifndef PRI_NEIGHBOURS_H
#define PRI_NEIGHBOURS_H

#include "runner.h"

#define PRI_NEIGHBOURS 256
#define PRI_STRANGER UINT32_MAX

struct neighbours {
    size_t D;
    size_t count;     /* records looked at */
    size_t places;    /* that they take in what follows, see kernel.h */
    size_t len;       /* D, rounded up */
    float *x;         /* (PRI_NEIGHBOURS, D) in the net's units, no gaps */
    float *root;      /* (D) of the weights that features have */
    float *y;         /* (PRI_NEIGHBOURS, len) x times root */
    float *columns;   /* (len, places) the same, turned */
    float *norm;      /* (PRI_NEIGHBOURS) ||y||^2 */
    float largest;    /* of them */
    uint32_t *source; /* (PRI_NEIGHBOURS) rows that they were */
    struct runner runner;
    size_t threads; /* that scratch is for */
    float *row;     /* scratch */
    float *rank;    /* scratch */
};

/* PRAE_OK or PRAE_ENOMEM. */
prae_status pri_neighbours_init(struct neighbours *neighbours, size_t D);
void pri_neighbours_fini(struct neighbours *neighbours);

/* Distances are shared out by RUNNER from now on. PRAE_OK, or PRAE_ENOMEM:
 * it is done as before. */
prae_status pri_neighbours_set_runner(struct neighbours *neighbours,
                                      const struct runner *runner);

/*
 * Chooses which of N rows to look at, `count` of them with their numbers in
 * `source`: every one or, of more than there is room for, some evenly spread
 * from the SHIFT-th on, of those that GOOD (N) marks, which may be NULL: of
 * all. Their vectors then go to `x`, and pri_neighbours_weigh is called.
 */
void pri_neighbours_choose(struct neighbours *neighbours, size_t N,
                           size_t shift, const unsigned char *good);

/* From now on distances are weighted: by WEIGHT (D), > 0. */
void pri_neighbours_weigh(struct neighbours *neighbours, const float *weight);

/*
 * The weighted squared distances of X (N, D), gaps left out, to OUT (N); 0
 * where there are no neighbours. Where X are rows of those chosen from, from
 * the FIRST-th on, none is its own neighbour; else FIRST is PRI_STRANGER.
 */
void pri_neighbours_distance(struct neighbours *neighbours, const float *x,
                             size_t N, uint32_t first, float *out);

/* X (rows, D), weighted as neighbours are, to ROW (rows, len), which is 0
 * beyond D. */
void pri_neighbours_rows(const struct neighbours *neighbours, const float *x,
                         size_t rows, float *row);

/* The distances of ROW (rows, len), so weighted, to OUT (rows). */
void pri_neighbours_around(struct neighbours *neighbours, const float *row,
                           size_t rows, float *out);

/* Whether they are surely at most MOST (rows), to SURE (rows): 1, or 0 where
 * one is not, or nearly so, or has gaps. Where it is 1 before, nobody looks;
 * nor at most of the neighbours, which makes it faster. */
void pri_neighbours_within(struct neighbours *neighbours, const float *row,
                           size_t rows, const float *most, unsigned char *sure);

/* The record (D) whose distance counts for X (D), which is row SELF of those
 * chosen from or PRI_STRANGER; NULL where there is none. */
const float *pri_neighbours_nearest(struct neighbours *neighbours,
                                    const float *x, uint32_t self);

#endif
