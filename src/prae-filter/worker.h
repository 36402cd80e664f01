/*
 * worker.h - the other thread, which does one job at a time.
 *
 * A job is handed over whole and comes back whole: while the worker has it,
 * nobody else touches what it points at. Nothing else is shared. Pipes carry
 * it over, so that the loop can wait for a job as for anything else.
 */
#ifndef WORKER_H
#define WORKER_H

#include <pthread.h>

#include "status.h"

struct worker {
    pthread_t thread;
    int open;
    int humble;
    int to[2];   /* a byte: there is a job; closed: there will be none */
    int back[2]; /* a byte: it is done */
    void (*run)(void *job);
    void *job;
};

/* Starts the thread, which takes no signals, and if it is HUMBLE leaves the
 * processor to the loop when that wants it. EXIT_DONE, or EXIT_FAILED after
 * saying what is wrong. */
enum exit_status worker_open(struct worker *worker, int humble);

/* Hands over JOB, on which RUN is to be called. The last one is done. */
void worker_give(struct worker *worker, void (*run)(void *job), void *job);

/* The descriptor that can be read when the job is done. */
int worker_fd(const struct worker *worker);

/* Takes the job back, and waits for it. */
void worker_take(struct worker *worker);

/* Ends the thread; no job may be left in its hands. */
void worker_close(struct worker *worker);

#endif
