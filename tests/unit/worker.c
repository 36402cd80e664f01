/* The worker does one job at a time, on a thread of its own that no signal
 * reaches, and its descriptor tells when it is done. */
#include "worker.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "log.h"
#include "tap.h"

static char heard[512];

void
log_line(enum log_level level, const char *format, ...)
{
    va_list args;

    (void)level;
    va_start(args, format);
    vsnprintf(heard, sizeof heard, format, args);
    va_end(args);
}

struct job {
    int number;
    atomic_int may_end; /* the job waits for it */
    pthread_t ran_on;
    int blocked; /* signals that its thread does not take */
    int nice;    /* of its thread */
};

static void
run(void *context)
{
    struct job *job = context;
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGALRM};
    sigset_t mask;

    job->ran_on = pthread_self();
    job->nice = getpriority(PRIO_PROCESS, 0);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        job->blocked += sigismember(&mask, signals[i]) == 1;
    while (!atomic_load(&job->may_end))
        poll(NULL, 0, 1);
    job->number *= 2;
}

static int
is_done(const struct worker *worker, int wait_ms)
{
    struct pollfd item = {worker_fd(worker), POLLIN, 0};

    return poll(&item, 1, wait_ms) == 1;
}

static void
test_jobs(void)
{
    struct worker worker;
    struct job job = {.number = 21};
    sigset_t before, after;
    int changed = 0;

    pthread_sigmask(SIG_SETMASK, NULL, &before);
    NEED(worker_open(&worker, 0) == EXIT_DONE);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int i = 1; i < NSIG; i++)
        changed += sigismember(&before, i) != sigismember(&after, i);
    ok(changed == 0, "our own signals stay as they were");
    ok(fcntl(worker_fd(&worker), F_GETFD) == FD_CLOEXEC && !is_done(&worker, 0),
       "there is nothing to take back at first");
    worker_give(&worker, run, &job);
    ok(!is_done(&worker, 30), "a job that goes on is not done");
    atomic_store(&job.may_end, 1);
    ok(is_done(&worker, 10000), "its end can be waited for");
    worker_take(&worker);
    ok(job.number == 42 && !pthread_equal(job.ran_on, pthread_self()),
       "it was done, on another thread");
    ok(job.blocked == 5, "which takes no signals");
    ok(!is_done(&worker, 0), "and is told once");

    int right = 0;
    for (int i = 0; i < 5000; i++) {
        struct job one = {.number = i, .may_end = 1};
        worker_give(&worker, run, &one);
        worker_take(&worker);
        right += one.number == 2 * i;
    }
    ok(right == 5000, "5000 jobs come back, each when it is done");
    worker_close(&worker);
    ok(fcntl(worker_fd(&worker), F_GETFD) < 0, "closing leaves no descriptor");
    worker_close(&worker);
    ok(heard[0] == '\0', "and may be done twice");
}

/* Where it shares a core with the loop, the loop goes first. */
static void
test_humble(void)
{
    int own = getpriority(PRIO_PROCESS, 0);
    struct worker worker;

    for (int humble = 0; humble < 2; humble++) {
        struct job job = {.may_end = 1};
        NEED(worker_open(&worker, humble) == EXIT_DONE);
        worker_give(&worker, run, &job);
        worker_take(&worker);
        worker_close(&worker);
        int stepped_back = job.nice > own;
#ifndef __linux__
        stepped_back = humble; /* threads have no niceness of their own */
#endif
        ok(stepped_back == humble || own > 0, "a worker steps back %s",
           humble ? "when asked to" : "only when asked to");
    }
    ok(getpriority(PRIO_PROCESS, 0) == own, "and nobody else with it");
}

/* Out of descriptors: said, and none is kept. */
static void
test_no_descriptors(void)
{
    struct worker worker;
    struct rlimit before, few;
    int lowest = dup(0);

    NEED(lowest >= 0 && getrlimit(RLIMIT_NOFILE, &before) == 0);
    close(lowest);
    for (int more = 0; more < 4; more++) {
        few = before;
        few.rlim_cur = (rlim_t)lowest + (rlim_t)more;
        NEED(setrlimit(RLIMIT_NOFILE, &few) == 0);
        heard[0] = '\0';
        enum exit_status status = worker_open(&worker, 0);
        NEED(setrlimit(RLIMIT_NOFILE, &before) == 0);
        int next = dup(0);
        close(next);
        ok(status == EXIT_FAILED && next == lowest &&
               strstr(heard, "cannot start a thread") != NULL,
           "with %d descriptors left it fails, says so and keeps none", more);
        worker_close(&worker);
    }
    ok(worker_open(&worker, 0) == EXIT_DONE,
       "with enough of them it works again");
    worker_close(&worker);
}

int
main(void)
{
    test_jobs();
    test_humble();
    test_no_descriptors();
    return tap_done();
}
