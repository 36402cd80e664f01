/*
 * rounds.h - what libzmq's threads are at.
 *
 * Such a thread waits for something to do, does all of it, and waits again:
 * that is a round. What it has read and not passed on, or taken and not
 * written, nothing shows while a round lasts; once it is over, all of that is
 * in a queue, in the kernel, or waits for room. So nobody has to guess by how
 * long it is silent, which on a busy machine says little.
 */
#ifndef ROUNDS_H
#define ROUNDS_H

#include <stdint.h>

#define ROUNDS_MAX 8 /* threads; libzmq has one for connections, and another */

/* Who waits by the descriptor EPOLL looks after connections. Not to be called
 * while it waits. */
void rounds_join(int epoll);

/* This thread begins to wait by EPOLL, and has been woken. */
void rounds_wait(int epoll);
void rounds_go_on(void);

/* All who have joined are gone. */
void rounds_forget(void);

/* Whether there are any: else nothing is known of rounds. */
int rounds_are_known(void);

/* Whether all wait, and there is nothing for them to do: what had come when
 * this is called has been passed on. */
int rounds_are_calm(void);

/* For how long something has been so, in rounds. */
struct settled {
    int is_so;
    uint64_t round[ROUNDS_MAX]; /* when that was seen first */
};

/* A look. Whether it was so at one before, and since, and what was being done
 * then is done; or nothing is known of that. */
int rounds_settled(struct settled *settled, int is_so);

#endif
