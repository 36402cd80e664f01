/* A pool does each part of each round once, nobody twice at a time, and goes
 * on whether its threads watch, sleep or have not come round yet. */
#include "pool.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "log.h"
#include "tap.h"

#define PARTS_MOST 40
#define THREADS_MOST 8

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

struct round {
    size_t threads, parts;
    int pause_ms;
    int done[PARTS_MOST];          /* times; plain, as a part is one's alone */
    atomic_int busy[THREADS_MOST]; /* who is at it */
    atomic_int wrong;
    atomic_int helped; /* parts that the caller did not do */
    atomic_int blocked;
};

static void
do_part(void *work, size_t part, size_t who)
{
    struct round *round = work;
    sigset_t mask;

    if (part >= round->parts || who >= round->threads ||
        atomic_fetch_add(&round->busy[who], 1) != 0) {
        atomic_store(&round->wrong, 1);
        return;
    }
    round->done[part]++;
    if (round->pause_ms > 0)
        poll(NULL, 0, round->pause_ms);
    if (who > 0) {
        pthread_sigmask(SIG_SETMASK, NULL, &mask);
        atomic_fetch_add(&round->helped, 1);
        atomic_fetch_add(&round->blocked, sigismember(&mask, SIGTERM) == 1);
    }
    atomic_fetch_sub(&round->busy[who], 1);
}

/* Whether all went right. */
static int
run_round(struct pool *pool, struct round *round)
{
    int right = 1;

    pool_run(pool, do_part, round, round->parts);
    for (size_t part = 0; part < round->parts; part++)
        right = right && round->done[part] == 1;
    return right && !atomic_load(&round->wrong);
}

static void
test_rounds(size_t threads)
{
    struct pool pool;
    int right = 0, rested = 0;

    NEED(pool_open(&pool, threads, 0) == EXIT_DONE);
    for (size_t i = 0; i < 20000; i++) {
        struct round round = {.threads = threads, .parts = i % PARTS_MOST};
        right += run_round(&pool, &round);
    }
    ok(right == 20000, "%zu threads: 20000 rounds at once", threads);
    for (size_t i = 0; i < 100; i++) {
        struct round round = {.threads = threads, .parts = 1 + i % 5};
        poll(NULL, 0, (int)(i % 3)); /* long enough to fall asleep */
        rested += run_round(&pool, &round);
    }
    ok(rested == 100, "%zu threads: rounds after a rest", threads);
    struct round slow = {
        .threads = threads, .parts = PARTS_MOST, .pause_ms = 2};
    ok(run_round(&pool, &slow), "%zu threads: parts that take long", threads);
    ok((slow.helped > 0) == (threads > 1),
       "%zu threads: %d parts were somebody else's", threads, slow.helped);
    ok(slow.blocked == slow.helped, "who takes no signals");
    pool_close(&pool);
    pool_close(&pool);
    ok(pool.threads == 0, "closing may be done twice");
}

/* The caller falls asleep over a part that takes long, and is woken. */
static void
test_sleep(void)
{
    struct round round = {.threads = 2, .parts = 2, .pause_ms = 30};
    struct pool pool;
    int right = 1;

    NEED(pool_open(&pool, 2, 1) == EXIT_DONE);
    for (int i = 0; i < 10; i++) {
        memset(round.done, 0, sizeof round.done);
        right = right && run_round(&pool, &round);
    }
    ok(right, "the end of a round is waited for");
    pool_close(&pool);
}

/* A part that is alone is the caller's, who need not wake anybody. */
static void
test_alone(size_t threads, int humble)
{
    struct pool pool;
    int right = 0, helped = 0;

    NEED(pool_open(&pool, threads, humble) == EXIT_DONE);
    for (size_t i = 0; i < 1000; i++) {
        struct round round = {.threads = threads, .parts = 1};
        right += run_round(&pool, &round);
        helped += round.helped;
    }
    ok(right == 1000 && helped == 0, "%zu %sthreads: one part is the caller's",
       threads, humble ? "humble " : "");
    ok((pool.turn.since > 0.0) == humble, "who gives way: %d",
       pool.turn.since > 0.0);
    pool_close(&pool);
}

/* Not at every chance, which would cost more than what is done between; and
 * not again before we had the processor for as long as others had it. */
static void
test_giving_way(void)
{
    struct turn turn = {0};
    int again = 0;

    thread_give_way(&turn);
    double then = turn.since;
    ok(then > 0.0 && turn.away >= 0.0, "the first time one gives way");
    poll(NULL, 0, 1);
    turn.away = 0.0;
    thread_give_way(&turn);
    ok(turn.since >= then + 0.001, "and after a while, again");
    for (int i = 0; i < 100; i++) {
        then = turn.since;
        thread_give_way(&turn);
        again += turn.since > then;
    }
    ok(again < 100, "but not each time: %d of 100", again);
    poll(NULL, 0, 1);
    then = turn.since;
    turn.away = 60.0;
    thread_give_way(&turn);
    ok(turn.since == then, "nor soon where others took long");
    turn.away = 0.001;
    poll(NULL, 0, 10);
    thread_give_way(&turn);
    ok(turn.since == then, "nor where others have had all the time since");
}

/* No memory for so many stacks. */
static void
test_failure(void)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    struct rlimit before, few;
    struct pool pool;

    NEED(getrlimit(RLIMIT_AS, &before) == 0);
    few = before;
    few.rlim_cur = (rlim_t)256 << 20;
    NEED(setrlimit(RLIMIT_AS, &few) == 0);
    enum exit_status status = pool_open(&pool, 256, 0);
    NEED(setrlimit(RLIMIT_AS, &before) == 0);
    ok(status == EXIT_FAILED && strstr(heard, "cannot start 256 threads"),
       "where threads cannot be started it is told");
    ok(pool.threads == 0 && pool.helper == NULL, "and none is left behind");
    pool_close(&pool);
#endif
}

int
main(void)
{
    for (size_t threads = 1; threads <= THREADS_MOST; threads *= 2)
        test_rounds(threads);
    test_sleep();
    test_alone(1, 1);
    test_alone(2, 1);
    test_alone(2, 0);
    test_giving_way();
    test_failure();
    return tap_done();
}
