/*
 * pool.h - threads that help the one that learns: its prae_runner.
 *
 * A round is some parts of work. Whoever is free takes the next part, the
 * caller too, and the round is over when all are done: a helper that does not
 * get round to it is not waited for. One thread at a time may have a pool run.
 * Of humble threads each lets others go first between its parts.
 */
#ifndef POOL_H
#define POOL_H

#include <stdatomic.h>

#include "prae.h"
#include "status.h"
#include "thread.h"

struct pool;

struct helper {
    pthread_t thread;
    struct pool *pool;
    size_t who; /* from 1: the caller is 0 */
    struct turn turn;
};

struct pool {
    size_t threads; /* with the caller; 0: closed */
    int humble;
    struct turn turn;      /* the caller's */
    struct helper *helper; /* (threads - 1) */
    size_t running;        /* of them */
    pthread_mutex_t lock;  /* for sleeping only */
    pthread_cond_t round;  /* there is one, or there will be none */
    pthread_cond_t end;    /* of it */
    atomic_int stop;
    atomic_size_t asleep; /* helpers */
    atomic_int waiting;   /* the caller sleeps */

    /* The round. It is written while none is left of the one before, and read
     * for good once a part has been taken of it. */
    _Atomic(prae_task) task;
    _Atomic(void *) work;
    atomic_size_t parts;
    _Alignas(64) _Atomic(uint64_t) left; /* its number, and parts not taken */
    _Alignas(64) atomic_size_t done;     /* parts */
};

/* Starts all but one of THREADS, which step back if they are HUMBLE. One
 * thread, the caller alone, is worth it where that is humble.
 * EXIT_DONE, or EXIT_FAILED after saying what is wrong. */
enum exit_status pool_open(struct pool *pool, size_t threads, int humble);

/* A prae_runner; CONTEXT is a struct pool. */
void pool_run(void *context, prae_task task, void *work, size_t parts);

/* The caller lets others go first, if it is humble: between what it does
 * without the pool. */
void pool_give_way(struct pool *pool);

/* Ends the threads; none may be at work. */
void pool_close(struct pool *pool);

#endif
