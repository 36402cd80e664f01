/*
 * overhear.h - what comes and goes by connections: see overhear.c for what
 * stands in libc's place.
 */
#ifndef OVERHEAR_H
#define OVERHEAR_H

#include <stddef.h>
#include <stdint.h>

/* What connections may bring, and how many messages the queue of one may
 * have. To be called while nobody listens. */
void overhear_within(size_t max_message, size_t max_parts, size_t queue);

/* A message of an input's was taken; by one thread alone. */
void overhear_took(void);

/*
 * How many libzmq may have that were not. It reads ahead of the queues: of a
 * short one that is empty this moment the next messages may wait behind it,
 * where no descriptor shows them. Where a message was lost with its sender, or
 * its parts are encrypted, there always may be some; *SURE is how many there
 * are without the latter, at least.
 */
uint64_t overhear_hidden(uint64_t *sure);

/* Of UNREAD bytes that were sent by DESCRIPTOR and not read, those of
 * records. */
size_t overhear_unread(int descriptor, size_t unread);

#endif
