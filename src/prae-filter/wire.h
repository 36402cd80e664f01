/*
 * wire.h - ZeroMQ as we want it: one context, and sockets with everything
 * set that decides whether records are lost.
 *
 * There are no heartbeats: they cut a peer off that is merely slow, and on
 * inputs with a full queue libzmq 4.3.4 ends the process. TCP's own
 * keepalive finds dead peers instead.
 */
#ifndef WIRE_H
#define WIRE_H

#include "ipc.h"
#include "options.h"
#include "spec.h"
#include "zap.h"

#define WIRE_OWN_FILES 16 /* descriptors that no connection gets: accept.c */
#define WIRE_HEARD_MOST 4096 /* bytes of a frame, but for inputs */

struct wire {
    const struct options *options;
    void *context; /* NULL until the first socket is asked for */
    struct curve curve;
    struct zap zap;
    unsigned watched; /* sockets so far, which gives each eye a name */
    int forsaken;     /* some were */
};

/* A socket of ours. */
struct socket {
    void *socket; /* NULL while there is none */
    const struct spec *spec;
    char endpoint[256]; /* where it is bound, with the port it got, ... */
    int lost;           /* ... unless it could not be once more */
    struct ipc ipc;
};

/* Messages that a socket queues. */
size_t wire_queue(const struct options *options);

/* Reads the keys. EXIT_DONE, or what is wrong, after saying so. */
enum exit_status wire_open(struct wire *wire, const struct options *options);

/* Opens a socket of TYPE (ZMQ_PULL, ...) as SPEC says, not bound or
 * connected yet. */
enum exit_status wire_socket(struct wire *wire, struct socket *socket, int type,
                             const struct spec *spec);

/* Binds or connects it, now that all is set. */
enum exit_status wire_attach(struct wire *wire, struct socket *socket);

/* zmq_connect, whatever interrupts it. */
int wire_connect(void *socket, const char *endpoint);

/* Lets nobody in; what was received stays. Those who were let in are cut off
 * with it as soon as the socket is looked into, and what an output has queued
 * for them is gone, however long it may linger. */
void wire_unbind(struct socket *socket);

/* Has no peers any more, on whichever side they were: libzmq hangs up on them
 * once it has been looked into again, a moment later. What one that connects
 * has in its queue is gone. */
void wire_leave(struct socket *socket);
void wire_look(struct socket *socket);

/* Reads keys and allowed peers once more. Whether our own pair is another
 * now. */
int wire_reload(struct wire *wire);

/* Whether peers that connect to SOCKET meet our own key. */
int wire_has_key(const struct socket *socket);

/* Whether what goes over SPEC's connections is encrypted. */
int wire_encrypts(const struct wire *wire, const struct spec *spec);

/* Whether who SPEC connects to has to have the key that was named. */
int wire_meets_key(const struct wire *wire, const struct spec *spec);

/* Binds SOCKET once more, so that they meet the pair there is now. */
void wire_renew(const struct wire *wire, struct socket *socket);

/* Whether SOCKET could not be bound once more, nor can it now. */
int wire_is_lost(const struct wire *wire, struct socket *socket);

/* Closes OLD, which is bound and has nothing left to send, and binds BY in its
 * place. Says what is wrong. */
void wire_replace(const struct wire *wire, struct socket *old,
                  struct socket *by);

/* Closes it; what it has not sent may take LINGER_MS. */
void wire_close(struct socket *socket, int linger_ms);

/*
 * The same for one that has messages left which nobody is waited for to take:
 * it stays open until the process ends, and so does the context. Where a
 * connection breaks while its socket is closed, or unbound, amid a message of
 * several frames libzmq 4.3.4 aborts (libzmq#3442).
 */
void wire_forsake(struct socket *socket);

/*
 * Waits for the sockets' lingering, if any, and ends the context, unless one
 * was forsaken. But for libzmq's threads it waits UNTIL then, clock_now's: one
 * may be asking for the address of a host that nobody knows. Then the context
 * stays, and the process can only be ended.
 */
void wire_end(struct wire *wire, double until);

#endif
