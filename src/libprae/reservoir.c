/* reservoir.c - a fading sample of trusted records. */
#include "reservoir.h"

#include <math.h>

#include "mem.h"

/* Places and chance of admission are both this share of the memory: the
 * older of two records is the likelier to be gone, at a pace that leaves
 * it after about `memory` newer ones. */
#define SHARE_NUMERATOR 2
#define SHARE_DENOMINATOR 5

#define ROOM_FIRST 2048 /* records that there is room for from the start */

static void
clear_ranges(struct reservoir *reservoir)
{
    for (size_t d = 0; d < reservoir->D; d++) {
        reservoir->low[d] = (double)INFINITY;
        reservoir->high[d] = -(double)INFINITY;
    }
}

prae_status
pri_reservoir_init(struct reservoir *reservoir, size_t D, size_t memory,
                   uint64_t seed)
{
    size_t cap = memory / SHARE_DENOMINATOR * SHARE_NUMERATOR;
    prae_status status = PRAE_ENOMEM;

    *reservoir =
        (struct reservoir){.D = D, .cap = cap > 0 ? cap : 1, .memory = memory};
    pri_rng_init(&reservoir->rng, seed, PRI_STREAM_RESERVOIR);
    reservoir->low = pri_block_new(D, sizeof *reservoir->low);
    reservoir->high = pri_block_new(D, sizeof *reservoir->high);
    if (D <= SIZE_MAX / sizeof(double) / reservoir->cap)
        status = pri_reservoir_reserve(reservoir, ROOM_FIRST);
    if (status != PRAE_OK || reservoir->low == NULL ||
        reservoir->high == NULL) {
        pri_reservoir_fini(reservoir);
        return PRAE_ENOMEM;
    }
    clear_ranges(reservoir);
    return PRAE_OK;
}

prae_status
pri_reservoir_reserve(struct reservoir *reservoir, size_t rows)
{
    size_t D = reservoir->D, room = 2 * reservoir->room;

    if (rows > reservoir->cap)
        rows = reservoir->cap;
    if (rows <= reservoir->room)
        return PRAE_OK;
    /* At least doubled, so that a long life copies little. */
    room = room > reservoir->cap ? reservoir->cap : room;
    room = room > rows ? room : rows;
    double *x = pri_block_new(room * D, sizeof *x);
    unsigned char *old = pri_block_new(room, 1);
    if (x == NULL || old == NULL) {
        free(x);
        free(old);
        return PRAE_ENOMEM;
    }
    if (reservoir->count > 0) {
        memcpy(x, reservoir->x, reservoir->count * D * sizeof *x);
        memcpy(old, reservoir->old, reservoir->count);
    }
    free(reservoir->x);
    free(reservoir->old);
    reservoir->x = x;
    reservoir->old = old;
    reservoir->room = room;
    return PRAE_OK;
}

void
pri_reservoir_fini(struct reservoir *reservoir)
{
    free(reservoir->x);
    free(reservoir->old);
    free(reservoir->low);
    free(reservoir->high);
    *reservoir = (struct reservoir){0};
}

static void
widen(struct reservoir *reservoir, const double *x)
{
    for (size_t d = 0; d < reservoir->D; d++) {
        if (x[d] < reservoir->low[d])
            reservoir->low[d] = x[d];
        if (x[d] > reservoir->high[d])
            reservoir->high[d] = x[d];
    }
}

static void
put(struct reservoir *reservoir, size_t place, const double *x)
{
    memcpy(reservoir->x + place * reservoir->D, x, reservoir->D * sizeof *x);
    reservoir->old[place] = 0;
    widen(reservoir, x);
}

void
pri_reservoir_offer(struct reservoir *reservoir, const double *x)
{
    reservoir->offered++;
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

void
pri_reservoir_part(struct reservoir *reservoir)
{
    memset(reservoir->old, 1, reservoir->count);
    reservoir->parted = 1;
    reservoir->offered = 0;
}

int
pri_reservoir_forget(struct reservoir *reservoir)
{
    size_t D = reservoir->D, count = 0;

    if (!reservoir->parted || reservoir->offered < reservoir->memory ||
        memchr(reservoir->old, 0, reservoir->count) == NULL)
        return 0;
    clear_ranges(reservoir);
    for (size_t i = 0; i < reservoir->count; i++) {
        if (reservoir->old[i])
            continue;
        if (count < i)
            memcpy(reservoir->x + count * D, reservoir->x + i * D,
                   D * sizeof *reservoir->x);
        widen(reservoir, reservoir->x + count++ * D);
    }
    memset(reservoir->old, 0, count);
    reservoir->count = count;
    reservoir->parted = 0;
    return 1;
}
