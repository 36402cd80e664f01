/* reservoir.c - a fading sample of trusted records. */
#include "reservoir.h"

#include <math.h>

#include "mem.h"

/* Places and chance of admission are both this share of the memory: the
 * older of two records is the likelier to be gone, at a pace that leaves
 * it after about `memory` newer ones. */
#define SHARE_NUMERATOR 2
#define SHARE_DENOMINATOR 5

prae_status
pri_reservoir_init(struct reservoir *reservoir, size_t D, size_t memory,
                   uint64_t seed)
{
    size_t cap = memory / SHARE_DENOMINATOR * SHARE_NUMERATOR;

    *reservoir = (struct reservoir){.D = D, .cap = cap > 0 ? cap : 1};
    pri_rng_init(&reservoir->rng, seed, PRI_STREAM_RESERVOIR);
    if (D <= SIZE_MAX / sizeof(double) / reservoir->cap)
        reservoir->x = pri_block_new(reservoir->cap * D, sizeof *reservoir->x);
    reservoir->low = pri_block_new(D, sizeof *reservoir->low);
    reservoir->high = pri_block_new(D, sizeof *reservoir->high);
    if (reservoir->x == NULL || reservoir->low == NULL ||
        reservoir->high == NULL) {
        pri_reservoir_fini(reservoir);
        return PRAE_ENOMEM;
    }
    for (size_t d = 0; d < D; d++) {
        reservoir->low[d] = (double)INFINITY;
        reservoir->high[d] = -(double)INFINITY;
    }
    return PRAE_OK;
}

void
pri_reservoir_fini(struct reservoir *reservoir)
{
    free(reservoir->x);
    free(reservoir->low);
    free(reservoir->high);
    *reservoir = (struct reservoir){0};
}

static void
put(struct reservoir *reservoir, size_t place, const double *x)
{
    memcpy(reservoir->x + place * reservoir->D, x, reservoir->D * sizeof *x);
    for (size_t d = 0; d < reservoir->D; d++) {
        if (x[d] < reservoir->low[d])
            reservoir->low[d] = x[d];
        if (x[d] > reservoir->high[d])
            reservoir->high[d] = x[d];
    }
}

void
pri_reservoir_offer(struct reservoir *reservoir, const double *x)
{
    if (reservoir->count < reservoir->cap) {
        put(reservoir, reservoir->count++, x);
        return;
    }
    if (pri_rng_below(&reservoir->rng, SHARE_DENOMINATOR) < SHARE_NUMERATOR)
        put(reservoir, pri_rng_below(&reservoir->rng, (uint32_t)reservoir->cap),
            x);
}

void
pri_reservoir_fill(struct reservoir *reservoir, const double *x, size_t N,
                   const unsigned char *good)
{
    size_t seen = 0;

    /* Algorithm R: every record has the same chance to stay. */
    reservoir->count = 0;
    for (size_t i = 0; i < N; i++) {
        if (good != NULL && !good[i])
            continue;
        size_t place = seen++;
        if (place >= reservoir->cap)
            place = pri_rng_below(&reservoir->rng, (uint32_t)seen);
        else
            reservoir->count++;
        if (place < reservoir->cap)
            put(reservoir, place, x + i * reservoir->D);
    }
}
