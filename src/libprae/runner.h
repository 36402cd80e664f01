/*
 * runner.h - work that is shared out to the caller's threads.
 *
 * The library starts none. What is shared out is cut by its size and by
 * nothing else, and no part's result hangs on who does it or when: so results
 * are the same whatever threads there are.
 */
#ifndef PRI_RUNNER_H
#define PRI_RUNNER_H

#include "prae.h"

struct runner {
    size_t threads;  /* who runs a part is below it; 0 is taken for 1 */
    prae_runner run; /* whatever the threads; NULL: right here */
    void *arg;
};

/* Scratch is to be had for so many. */
static inline size_t
pri_runner_threads(const struct runner *runner)
{
    return runner->threads > 1 && runner->run != NULL ? runner->threads : 1;
}

/* Calls TASK(WORK, part, who) for each of PARTS, denormals flushed wherever
 * it runs, and returns when all are done. */
void pri_runner_share(const struct runner *runner, prae_task task, void *work,
                      size_t parts);

/* Multiply-adds that are worth another thread's while: some 50 us of them. */
#define PRI_PART_WORK ((size_t)1 << 20)

#endif
