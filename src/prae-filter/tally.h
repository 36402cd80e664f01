/*
 * tally.h - which records are out when so many bytes are.
 *
 * What is to be written is noted in pieces, in order, each with the records
 * that it makes complete: those are out when its last byte is.
 */
#ifndef TALLY_H
#define TALLY_H

#include <stddef.h>
#include <stdint.h>

struct tally_piece {
    size_t len_bytes;
    size_t records;
};

struct tally {
    struct tally_piece *piece; /* (cap) */
    size_t first;              /* the one that is written next ... */
    size_t end;                /* ... up to here */
    size_t cap;
    size_t done;      /* bytes of the first that are written */
    uint64_t records; /* that are not out, also of what is never written */
};

/* LEN bytes that come behind the others. 0 where there is no memory; the
 * records are counted as not out all the same. */
int tally_add(struct tally *tally, size_t len, size_t records);

/* PUT bytes more are written, of those that were added. */
void tally_wrote(struct tally *tally, size_t put);

/* The piece that is written in part and has several records, some of which
 * may be out; NULL where there is none. */
const struct tally_piece *tally_cut(const struct tally *tally);

/* Frees what it holds; `records` stays. */
void tally_fini(struct tally *tally);

#endif
