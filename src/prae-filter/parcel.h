/*
 * parcel.h - the bytes of a message on its way out.
 *
 * A parcel is filled, then given to libzmq without a copy, and comes back
 * when its bytes have been written to the network. So its depot knows what
 * is left in queues that nobody can look into, and has parcels to be filled
 * again. Filling is the owner's; coming back is on libzmq's threads.
 */
#ifndef PARCEL_H
#define PARCEL_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <zmq.h>

struct parcel {
    struct depot *depot;
    struct parcel *next; /* where it waits to be filled */
    atomic_int out;      /* libzmq has it */
    uint64_t records;
    size_t len;
    size_t cap;
    char bytes[];
};

struct depot {
    _Atomic uint64_t queued;           /* records that libzmq has */
    _Atomic(struct parcel *) returned; /* a stack; anybody's */
    struct parcel *spare;              /* another; the owner's */
};

void depot_open(struct depot *depot);

/* Frees what is here; what comes back later is freed then. */
void depot_close(struct depot *depot);

/* Adds BYTES (LEN), with which RECORDS are complete, to *PARCEL, which is
 * made where there is none yet. 0 out of memory. */
int parcel_put(struct parcel **parcel, struct depot *depot, const char *bytes,
               size_t len, size_t records);

/* Makes *MESSAGE of PARCEL, which is libzmq's then. 0 out of memory. */
int parcel_wrap(struct parcel *parcel, zmq_msg_t *message);

#endif
