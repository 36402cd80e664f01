/*
 * line.h - what descriptors are for: listeners, connections, others.
 *
 * A line is written by who opens the descriptor; of a connection's the rest is
 * touched by libzmq's one thread for them alone, but for what is atomic. Nobody
 * tells that one is closed: at its number the next begins anew.
 */
#ifndef LINE_H
#define LINE_H

#include <stdatomic.h>
#include <sys/syscall.h>

#include "intake.h"
#include "outflow.h"

/* Whether we can stand in libc's place, and know any. */
#if defined SYS_accept4 && defined SYS_recvfrom && defined SYS_socket && \
    defined SYS_connect && defined SYS_ppoll && defined SYS_sendto && \
    defined SYS_epoll_ctl
#define LINES_ARE_KNOWN 1
#endif

#define LINES_MAX 65536 /* what is never used of them takes no memory */

#define LINE_HELD 0.02 /* seconds that a peer waits, from which on it matters */

enum use { USE_OTHER, USE_LISTENER, USE_PEER };

struct line {
    _Atomic unsigned char use; /* written last, and read first */
    _Atomic unsigned char role;
    _Atomic(const char *) name;
    _Atomic uint32_t number; /* grows with each that begins here */

    /* Of a peer. */
    struct intake intake;
    struct outflow flow;
    size_t owes;             /* messages that were charged for it */
    atomic_int reads;        /* libzmq has wanted to, since it has it, ... */
    atomic_int ignored;      /* ... and does not want to hear of it now, ... */
    _Atomic double ignored_at; /* ... since then */
    _Atomic double held_at; /* when it last did again, after a while, or much
                               was waiting; or 0 */
    _Atomic double heard_at; /* when some of it was read last */
    atomic_uint shorts; /* reads on end that found little: nothing has waited
                           for us */
    _Atomic uint64_t sent;   /* bytes that went out, as in flow, ... */
    _Atomic uint64_t records; /* ... those up to the end of a record's, ... */
    _Atomic uint64_t rest;   /* ... which has so many more */
    _Atomic uint64_t topics; /* bytes of subscriptions */
    atomic_int is_cut; /* we have hung up: nothing of it is heard any more */
};

/* What DESCRIPTOR is, if it is anything to USE; else NULL. */
struct line *line_of(int descriptor, enum use use);

enum intake_role line_role(const struct line *line);

/* What is told to people. */
const char *line_name(const struct line *line);

/* Behind the last descriptor that may be anything. */
int line_end(void);

/* Whether DESCRIPTOR may be a connection of an input's that is heard. */
int line_is_input(int descriptor);

/* Begins DESCRIPTOR anew. NAME is kept, not copied. */
void line_begin(int descriptor, enum use use, enum intake_role role,
                const char *name);

#endif
