/*
 * zmq_peers.h - what producer and consumer of the socket bench share.
 *
 * Two threads: the producer's, and the main one, which consumes and minds
 * the stage between them. A field belongs to the one it is named for below;
 * what both use is atomic.
 *
 * All records are of equal length, and the time, where there is one, is the
 * last field. So messages are counted by their length, and the time is found
 * at the end of an outlier's envelope, too.
 */
#ifndef ZMQ_PEERS_H
#define ZMQ_PEERS_H

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define RECORD_BYTES 147 /* a head of 3 bytes and 16 fields of 9 */
#define TIMED_BYTES 156  /* and a time */

/* Records that differ: a multiple of every message's, so that a message is
 * one piece, and more than a filter's memory reaches back. */
#define POOL 16384

#define US UINT64_C(1000) /* in ns, as all times are */
#define MS (1000 * US)
#define SECOND (1000 * MS)
#define TICK_MS 20 /* how long a send or receive blocks at most */

struct run {
    /* Settled before the start. */
    unsigned char *pool; /* POOL records of record_bytes each */
    size_t record_bytes;
    size_t per;     /* records a message */
    uint64_t count; /* records to send; rate only */
    uint64_t step;  /* between two records; latency only, else 0 */
    uint64_t warm;  /* from the first to come to the first timed */
    uint64_t timed; /* how long records are timed */

    /* The producer's. */
    void *push;

    /* The consumer's. */
    void *pull;
    pid_t child;
    int status;              /* of the child; -1 while it runs */
    uint64_t received, late; /* records; late: after SIGTERM, too */
    uint64_t last, gap;      /* last arrival; longest wait for one */
    uint64_t from;           /* records due before are not timed */
    uint64_t *latency;       /* of records that were timed */
    size_t latencies, cap_latencies;

    /* Both use these. */
    atomic_uint_fast64_t begun; /* when the first message was taken */
    atomic_uint_fast64_t sent;  /* records */
    atomic_uint_fast64_t until; /* records due from here on are not sent */
    atomic_int done;            /* nothing more is sent */
    atomic_int stop;            /* nothing more need be sent */
};

/* Set by a signal: end the child and stop. */
extern volatile sig_atomic_t interrupted;

/* Says that WHAT failed, and errno, and exits with 1. */
_Noreturn void fail(const char *what);

uint64_t now(void);

/* COUNT arrays of 16 float64 near a three-dimensional plane, which is the
 * same for every SEED; of TIMED_BYTES with a 17th field, a uint64, for the
 * time. The caller frees them. */
unsigned char *records_new(size_t count, size_t record_bytes, uint64_t seed);

/* Writes and reads the time at the END of a record. */
void record_set_time(unsigned char *end, uint64_t time);
uint64_t record_time(const unsigned char *end);

/* The producer's thread; ARG is the run. */
void *produce(void *arg);

/* Takes what comes until all that was sent is there, or no more comes.
 * Returns 0 where the child is gone, nothing comes any more while there is
 * more to send, or a signal came; else 1. */
int consume(struct run *run);

/* Sends the child SIGTERM, waits for it, and takes what it still delivers. */
void consume_rest(struct run *run);

#endif
