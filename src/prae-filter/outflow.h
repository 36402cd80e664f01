/*
 * outflow.h - how much of what was written to a peer is records, by the frames
 * as they go out.
 *
 * Of a connection the kernel tells how many bytes nobody has read yet. Those
 * may be a greeting, or answers to heartbeats, of somebody who was never sent a
 * record. overhear.c has the bytes.
 */
#ifndef OUTFLOW_H
#define OUTFLOW_H

#include <stddef.h>
#include <stdint.h>

/* A connection; all 0 is a new one. */
struct outflow {
    uint64_t all;     /* bytes that were written, ... */
    uint64_t records; /* ... and those up to the end of a record's */
    uint64_t left;    /* that the frame has yet; or its length so far */
    uint8_t phase;
    uint8_t at; /* bytes that were written in this phase */
    uint8_t flags;
    uint8_t named;  /* it is to ZMTP 2 */
    uint8_t shaken; /* frames that have begun, up to 2: with NULL the first is
                       the handshake, with CURVE both are ... */
    uint8_t refuses; /* ... and the second is an ERROR */
};

/* The next LEN bytes. */
void outflow_follow(struct outflow *flow, const void *bytes, size_t len);

/* Bytes of a record's frame that has begun, which are yet to be written. */
uint64_t outflow_rest(const struct outflow *flow);

/* Bytes of records that were not read, where UNREAD of all were not. */
uint64_t outflow_unread(uint64_t all, uint64_t records, uint64_t unread);

#endif
