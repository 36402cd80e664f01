/*
 * accept.h - connections that others make to us, and those that we make: see
 * accept.c for what stands in libc's place.
 */
#ifndef ACCEPT_H
#define ACCEPT_H

#include "intake.h"

/* How many messages the queue of a connection may have. To be called while
 * nobody listens. */
void accept_within(size_t queue);

/* A sender has connected to us and has a queue, until that is looked into and
 * found empty once the sender has gone. */
void accept_sender(void);

/* A sender has brought so many, and may leave them behind. */
void accept_owe(size_t messages);

/*
 * MESSAGES were taken from the inputs' queues, SIZE_MAX: all. What a peer
 * sends waits for us though it has gone meanwhile, and the next one has a
 * queue of its own: so that they do not fill the memory while an output is
 * stuck, connections to inputs are taken only until far more has come by them
 * than was taken since, or thousands of senders that brought nothing. Who is
 * hung up on comes again by itself, and wakes the loop: messages that libzmq
 * has lost with their sender do not, and there is nothing to wait for.
 */
void accept_settle(size_t messages);

/* Whoever connected to outputs until now is looked at. libzmq keeps a note of
 * each that nobody has read: while there are thousands no more are taken. */
void accept_seen(void);

/* From now on nobody new gets a connection to send by, made by either side:
 * what who has none yet would send stays there. */
void accept_no_senders(void);

/* Sockets that this thread opens from now on, to listen at, are for ROLE;
 * INTAKE_NONE for no such. NAME is told to people, and kept, not copied. */
void accept_for(enum intake_role role, const char *name);

/* Connections that others than this thread make to ENDPOINT from now on are
 * for ROLE, with a peer of KIND. Those by tcp ask for keys if KEYED, which goes
 * for all of them. NAME and ENDPOINT are kept, not copied. */
void accept_from(enum intake_role role, const char *name, const char *endpoint,
                 enum intake_kind kind, int keyed);

#endif
