/*
 * ribbon.h - all that a net with one value in its middle can make: a curve,
 * kept as points so close that the lines between them are as good.
 *
 * Once there is one, a record goes through the first half of the net only,
 * and is measured against the curve, where features have the weights that
 * neighbours give them. How far these are from the curve says how far they are
 * from the record at most.
 */
#ifndef PRI_RIBBON_H
#define PRI_RIBBON_H

#include "neighbours.h"
#include "trainer.h"

struct ribbon {
    size_t D, len; /* features; floats of a point, as of neighbours */
    float *point;  /* (cells + 1, len) times the roots of the weights */
    float *around; /* (cells + 1) neighbours are no further from a cell */
    float low;     /* middle value of the first */
    float scale;   /* points for each 1 of it */
    float off;     /* what the curve is away from the lines, see ribbon.c */
    int made;
};

/* Whether what TRAINER's net can make is a curve, and errors are squares. */
int pri_ribbon_can(const struct trainer *trainer);

/* Room for D features in LEN floats. PRAE_OK or PRAE_ENOMEM. */
prae_status pri_ribbon_init(struct ribbon *ribbon, size_t D, size_t len);
void pri_ribbon_fini(struct ribbon *ribbon);

/*
 * The curve of TRAINER's net where COUNT > 0 middle values Z have it, and a
 * bit beyond. It is not made where the lines may be off by more than OFF_MOST.
 */
void pri_ribbon_make(struct ribbon *ribbon, struct trainer *trainer,
                     struct neighbours *neighbours, const float *z,
                     size_t count, float off_most);

/* What errors of ROW (rows, len), weighted, and squared distances to their
 * neighbours are at most, where their middle values are Z: to E and AWAY.
 * Infinite beyond the ends, or with gaps. */
void pri_ribbon_bounds(const struct ribbon *ribbon, size_t rows,
                       const float *row, const float *z, float *e, float *away);

#endif
