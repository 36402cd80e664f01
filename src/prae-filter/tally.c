/* tally.c - a queue of lengths. */
#include "tally.h"

#include <stdlib.h>
#include <string.h>

#define CAP_FIRST 256

/* Moving costs less than it gains: half of the places are free then. */
static int
make_room(struct tally *tally)
{
    if (tally->end < tally->cap)
        return 1;
    if (tally->first > tally->cap / 2) {
        tally->end -= tally->first;
        memmove(tally->piece, tally->piece + tally->first,
                tally->end * sizeof *tally->piece);
        tally->first = 0;
        return 1;
    }
    size_t cap = tally->cap == 0 ? CAP_FIRST : 2 * tally->cap;
    struct tally_piece *more = realloc(tally->piece, cap * sizeof *more);
    if (more == NULL)
        return 0;
    tally->piece = more;
    tally->cap = cap;
    return 1;
}

int
tally_add(struct tally *tally, size_t len, size_t records)
{
    /* What has no bytes is out when all before it is. */
    if (len == 0 && tally->first == tally->end)
        return 1;
    tally->records += records;
    if (!make_room(tally))
        return 0;
    tally->piece[tally->end++] =
        (struct tally_piece){.len_bytes = len, .records = records};
    return 1;
}

void
tally_wrote(struct tally *tally, size_t put)
{
    tally->done += put;
    while (tally->first < tally->end &&
           tally->done >= tally->piece[tally->first].len_bytes) {
        tally->done -= tally->piece[tally->first].len_bytes;
        tally->records -= tally->piece[tally->first].records;
        tally->first++;
    }
    if (tally->first == tally->end)
        tally->first = tally->end = 0;
}

const struct tally_piece *
tally_cut(const struct tally *tally)
{
    return tally->done > 0 && tally->piece[tally->first].records > 1
               ? &tally->piece[tally->first]
               : NULL;
}

void
tally_fini(struct tally *tally)
{
    free(tally->piece);
    tally->piece = NULL;
    tally->first = tally->end = tally->cap = tally->done = 0;
}
