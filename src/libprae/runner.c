/* runner.c - parts of some work, here or on the caller's threads. */
#include "runner.h"

#include "denormal.h"

struct shared {
    prae_task task;
    void *work;
};

/* On a thread of whose settings we know nothing. */
static void
run_flushed(void *context, size_t part, size_t who)
{
    const struct shared *shared = context;
    uint64_t denormals = pri_denormals_off();

    shared->task(shared->work, part, who);
    pri_denormals_restore(denormals);
}

void
pri_runner_share(const struct runner *runner, prae_task task, void *work,
                 size_t parts)
{
    struct shared shared = {task, work};

    if (runner->run != NULL && parts > 0) {
        runner->run(runner->arg, run_flushed, &shared, parts);
        return;
    }
    for (size_t part = 0; part < parts; part++)
        task(work, part, 0);
}
