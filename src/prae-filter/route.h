/*
 * route.h - which records came in one message, and what stood before them.
 *
 * Records are numbered as they come, so a message is a stretch of numbers.
 * Routes are kept in the order of those, from the moment a message is taken
 * until its last record has left.
 */
#ifndef ROUTE_H
#define ROUTE_H

#include <stddef.h>
#include <stdint.h>
#include <zmq.h>

#include "status.h"

/* The frames of a message before the one with records. */
struct frames {
    size_t count;
    zmq_msg_t frame[]; /* (count) */
};

/* Frames to be filled, all of them empty, or NULL. */
struct frames *frames_new(size_t count);
void frames_free(struct frames *frames);

struct route {
    uint64_t id;           /* of the message; no two have the same */
    uint64_t end_seq;      /* the number after its last record's */
    int alone;             /* each record leaves in a message of its own */
    struct frames *frames; /* or NULL */
};

struct routes {
    struct route *ring; /* (cap), a power of two */
    size_t cap;
    size_t first;
    size_t count;
    uint64_t next_id;
};

/* The records up to END_SEQ came together, behind FRAMES, which are taken
 * over, or NULL; or each ALONE, from a stream of bytes. EXIT_DONE, or
 * EXIT_FAILED out of memory, after saying so. */
enum exit_status routes_add(struct routes *routes, uint64_t end_seq, int alone,
                            struct frames *frames);

/* More records of the message added last: up to END_SEQ. */
void routes_extend(struct routes *routes, uint64_t end_seq);

/* The route of record SEQ; those before it are forgotten. Valid until the
 * next call. */
const struct route *routes_find(struct routes *routes, uint64_t seq);

void routes_fini(struct routes *routes);

#endif
