/*
 * pool.c - parts of a round, taken by whoever is free.
 *
 * Rounds follow each other within microseconds while a window is learned, and
 * then none comes for long. So who has nothing to do first watches for a
 * moment, and then sleeps.
 *
 *   1. `left` is the round's number above and the parts not taken below. A
 *      part is taken by counting it down, so nobody takes one of a round that
 *      is over: its number is another, or nothing is left.
 *   2. Who goes to sleep says so before it looks for the last time, and who
 *      has news tells them before it looks for sleepers. One sees the other.
 */
#include "pool.h"

#include <stdlib.h>
#include <string.h>

#include "log.h"

#define LEFT_BITS 32
#define LEFT_MASK ((UINT64_C(1) << LEFT_BITS) - 1)
#define LOOKS 2000 /* some 50 us: longer than from one round to the next */

/* Between two looks. */
static inline void
breathe(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Does a part of the round, if one is left: whether one was. */
static int
take(struct pool *pool, size_t who)
{
    uint64_t left = atomic_load(&pool->left);

    while ((left & LEFT_MASK) > 0) {
        prae_task task =
            atomic_load_explicit(&pool->task, memory_order_relaxed);
        void *work = atomic_load_explicit(&pool->work, memory_order_relaxed);
        size_t parts = atomic_load_explicit(&pool->parts, memory_order_relaxed);
        if (!atomic_compare_exchange_weak(&pool->left, &left, left - 1))
            continue;
        task(work, parts - (size_t)(left & LEFT_MASK), who);
        atomic_fetch_add(&pool->done, 1);
        return 1;
    }
    return 0;
}

/* ---- helpers ---- */

static int
has_news(struct pool *pool)
{
    return (atomic_load(&pool->left) & LEFT_MASK) > 0 ||
           atomic_load(&pool->stop);
}

static void
await_round(struct pool *pool)
{
    for (int i = 0; i < LOOKS; i++) {
        if (has_news(pool))
            return;
        breathe();
    }
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->asleep, 1);
    while (!has_news(pool))
        pthread_cond_wait(&pool->round, &pool->lock);
    atomic_fetch_sub(&pool->asleep, 1);
    pthread_mutex_unlock(&pool->lock);
}

/* That a part is done, which may have been the last. */
static void
tell_caller(struct pool *pool)
{
    if (!atomic_load(&pool->waiting))
        return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_signal(&pool->end);
    pthread_mutex_unlock(&pool->lock);
}

static void *
help(void *context)
{
    struct helper *helper = context;
    struct pool *pool = helper->pool;

    if (pool->humble)
        thread_step_back();
    while (!atomic_load(&pool->stop)) {
        /* Nobody waits for us while we let others go first. */
        while (take(pool, helper->who)) {
            tell_caller(pool);
            if (pool->humble)
                thread_give_way(&helper->turn);
        }
        await_round(pool);
    }
    return NULL;
}

/* ---- the caller ---- */

static void
wake_helpers(struct pool *pool)
{
    if (atomic_load(&pool->asleep) == 0)
        return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->round);
    pthread_mutex_unlock(&pool->lock);
}

/* Helpers still have parts of PARTS in their hands. */
static void
await_end(struct pool *pool, size_t parts)
{
    for (int i = 0; i < LOOKS; i++) {
        if (atomic_load(&pool->done) == parts)
            return;
        breathe();
    }
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->waiting, 1);
    while (atomic_load(&pool->done) < parts)
        pthread_cond_wait(&pool->end, &pool->lock);
    atomic_store(&pool->waiting, 0);
    pthread_mutex_unlock(&pool->lock);
}

void
pool_give_way(struct pool *pool)
{
    if (pool->humble)
        thread_give_way(&pool->turn);
}

void
pool_run(void *context, prae_task task, void *work, size_t parts)
{
    struct pool *pool = context;
    uint64_t round = (atomic_load(&pool->left) >> LEFT_BITS) + 1;

    if (parts == 1) { /* nothing to wake anybody for */
        task(work, 0, 0);
        pool_give_way(pool);
        return;
    }
    atomic_store_explicit(&pool->task, task, memory_order_relaxed);
    atomic_store_explicit(&pool->work, work, memory_order_relaxed);
    atomic_store_explicit(&pool->parts, parts, memory_order_relaxed);
    atomic_store(&pool->done, 0);
    atomic_store(&pool->left, round << LEFT_BITS | parts);
    wake_helpers(pool);
    while (take(pool, 0))
        pool_give_way(pool);
    await_end(pool, parts);
}

/* ---- life ---- */

enum exit_status
pool_open(struct pool *pool, size_t threads, int humble)
{
    *pool = (struct pool){.threads = threads, .humble = humble};
    int failed = 0;

    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->round, NULL);
    pthread_cond_init(&pool->end, NULL);
    pool->helper = calloc(threads, sizeof *pool->helper);
    for (size_t i = 0; pool->helper != NULL && i + 1 < threads; i++) {
        struct helper *helper = &pool->helper[i];
        *helper = (struct helper){.pool = pool, .who = i + 1};
        failed = thread_start(&helper->thread, help, helper);
        if (failed != 0)
            break;
        pool->running++;
    }
    if (pool->helper != NULL && failed == 0)
        return EXIT_DONE;
    log_error("cannot start %zu threads: %s", threads,
              failed == 0 ? "out of memory" : strerror(failed));
    pool_close(pool);
    return EXIT_FAILED;
}

void
pool_close(struct pool *pool)
{
    if (pool->threads == 0)
        return;
    atomic_store(&pool->stop, 1);
    wake_helpers(pool);
    for (size_t i = 0; i < pool->running; i++)
        (void)pthread_join(pool->helper[i].thread, NULL); /* it is there */
    free(pool->helper);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->round);
    pthread_cond_destroy(&pool->end);
    pool->threads = pool->running = 0;
    pool->helper = NULL;
}
