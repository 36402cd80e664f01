/*
 * rounds.h - what libzmq's threads are at.
 *
 * Such a thread waits for something to do, does it, and waits again: that is a
 * round. What it has read and not passed on, or taken and not written, nothing
 * shows while a round lasts; once it is over, all of that is in a queue, in the
 * kernel, or waits for room. So nobody has to guess by how long it is silent,
 * which on a busy machine says little.
 */
#ifndef ROUNDS_H
#define ROUNDS_H

#include <stdint.h>

#define ROUNDS_MAX 8 /* threads; libzmq has one for connections, and another */

/* Who waits by the descriptor EPOLL looks after connections. Not to be called
 * while it waits. */
void rounds_join(int epoll);

/* Whether this thread makes others that do, and says what they wait by. */
void rounds_expect(int is_so);
int rounds_are_expected(void);

/* This thread begins to wait by EPOLL, and has been woken. */
void rounds_wait(int epoll);
void rounds_go_on(void);

/* It is about to have records on its hands, until the round is over. */
void rounds_touch(void);

/* All who have joined are gone. */
void rounds_forget(void);

/* Whether there are any: else nothing is known of rounds. */
int rounds_are_known(void);

/* Whether all wait, and there is nothing for them to do. */
int rounds_are_calm(void);

/* Rounds that are not over; 0: there is none. */
struct rounds {
    uint64_t round[ROUNDS_MAX];
};

/* Those there are now: all of them, or those with records on their hands. */
struct rounds rounds_now(void);
struct rounds rounds_with_some(void);

/* Whether they are over. */
int rounds_are_over(const struct rounds *rounds);

/* Whether something has been so long enough for what was on their hands. */
struct settled {
    int is_so;
    struct rounds since; /* on their hands when that was seen first, ... */
    int is_over;         /* ... and no more when it was seen last */
};

/* A look. Whether it is so, and was at all since one before, when nothing was
 * on their hands any more that had been at the first. Where nothing is known
 * of them, whether it is so. */
int rounds_settled(struct settled *settled, int is_so);

#endif
