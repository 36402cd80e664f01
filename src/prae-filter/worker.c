/* worker.c - a thread between two pipes. */
#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "thread.h"

/* One byte over, whatever interrupts us. 0 where the other end is closed. */
static int
get(int fd)
{
    char byte;
    ssize_t got;

    do
        got = read(fd, &byte, 1);
    while (got < 0 && errno == EINTR);
    return got == 1;
}

static void
put(int fd)
{
    ssize_t put;

    do
        put = write(fd, "", 1);
    while (put < 0 && errno == EINTR);
}

static void *
work(void *context)
{
    struct worker *worker = context;

    /* Records that come go before windows that are learned: where the two
     * share a core, the loop is to have it as soon as it asks. */
    if (worker->humble)
        thread_step_back();
    while (get(worker->to[0])) {
        worker->run(worker->job);
        put(worker->back[1]);
    }
    return NULL;
}

static void
close_pipe(int *ends)
{
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    ends[0] = ends[1] = -1;
}

static int
open_pipe(int *ends)
{
    if (pipe(ends) != 0) {
        ends[0] = ends[1] = -1;
        return 0;
    }
    return fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 &&
           fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
}

enum exit_status
worker_open(struct worker *worker, int humble)
{
    int failed = EMFILE;

    *worker =
        (struct worker){.humble = humble, .to = {-1, -1}, .back = {-1, -1}};
    if (open_pipe(worker->to) && open_pipe(worker->back))
        failed = thread_start(&worker->thread, work, worker);
    worker->open = failed == 0;
    if (worker->open)
        return EXIT_DONE;
    log_error("cannot start a thread: %s", strerror(failed));
    close_pipe(worker->to);
    close_pipe(worker->back);
    return EXIT_FAILED;
}

void
worker_give(struct worker *worker, void (*run)(void *job), void *job)
{
    worker->run = run;
    worker->job = job;
    put(worker->to[1]);
}

int
worker_fd(const struct worker *worker)
{
    return worker->back[0];
}

void
worker_take(struct worker *worker)
{
    (void)get(worker->back[0]); /* cannot be closed: that end is ours, too */
}

void
worker_close(struct worker *worker)
{
    if (!worker->open)
        return;
    close(worker->to[1]);
    worker->to[1] = -1;
    (void)pthread_join(worker->thread, NULL); /* it is there */
    close_pipe(worker->to);
    close_pipe(worker->back);
    worker->open = 0;
}
