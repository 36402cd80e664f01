/*
 * accept.h - connections that others make to us, and what comes by those that
 * we make: see accept.c for what stands in libc's place.
 */
#ifndef ACCEPT_H
#define ACCEPT_H

#include "intake.h"

/* What connections may bring, and how many messages the queue of one may
 * have. To be called while nobody listens. */
void accept_within(size_t max_message, size_t max_parts, size_t queue);

/*
 * MESSAGES were taken from the inputs' queues, SIZE_MAX: all. What a peer
 * sends waits for us though it has gone meanwhile, and the next one has a
 * queue of its own: so that they do not fill the memory while an output is
 * stuck, connections to inputs are taken only until far more has come by them
 * than was taken since. Who is hung up on comes again by itself, and wakes the
 * loop: messages that libzmq has lost with their sender do not, and there is
 * nothing to wait for.
 */
void accept_settle(size_t messages);

/* Of UNREAD bytes that were sent by DESCRIPTOR and not read, those of
 * records. */
size_t accept_unread(int descriptor, size_t unread);

/* A message of an input's was taken; by one thread alone. */
void accept_took(void);

/*
 * How many libzmq may have that were not. It reads ahead of the queues: of a
 * short one that is empty this moment the next messages may wait behind it,
 * where no descriptor shows them. Where a message was lost with its sender, or
 * its parts are encrypted, there always may be some.
 */
uint64_t accept_hidden(void);

/* Whoever connected to outputs until now is looked at. libzmq keeps a note of
 * each that nobody has read: while there are thousands no more are taken. */
void accept_seen(void);

/*
 * All that was said to pub outputs was taken from them. libzmq keeps each
 * subscription until somebody has read it: while megabytes wait, who brings
 * more is hung up on.
 */
void accept_heard(void);

/* Whether DESCRIPTOR may be a connection of an input's. */
int accept_is_input(int descriptor);

/* Sockets that this thread opens from now on, to listen at, are for ROLE;
 * INTAKE_NONE for no such. NAME is told to people, and kept, not copied. */
void accept_for(enum intake_role role, const char *name);

/* Connections that others than this thread make to ENDPOINT from now on are
 * for ROLE, with a peer of KIND. Those by tcp ask for keys if KEYED, which goes
 * for all of them. NAME and ENDPOINT are kept, not copied. */
void accept_from(enum intake_role role, const char *name, const char *endpoint,
                 enum intake_kind kind, int keyed);

#endif
