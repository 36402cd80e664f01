/* thread.h - what threads beside the loop have in common. */
#ifndef THREAD_H
#define THREAD_H

#include <pthread.h>

/* Starts RUN(ARG) on a thread that takes no signals. 0, or what errno would
 * be. */
int thread_start(pthread_t *thread, void *(*run)(void *), void *arg);

/* The calling thread leaves the processor to others that want it. */
void thread_step_back(void);

/* When a thread last gave way, how much it had worked by then, and how long it
 * was away; all 0 at first. */
struct turn {
    double since, worked, away;
};

/* And once more, right now, if it has not for a moment. */
void thread_give_way(struct turn *turn);

#endif
