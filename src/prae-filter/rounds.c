/* rounds.c - the threads that look after connections, each with the number of
 * its round: odd while it waits. */
#include "rounds.h"

#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>

struct thread {
    atomic_int epoll; /* and 1; 0: nobody's */
    _Atomic uint64_t round;
};

static struct thread threads[ROUNDS_MAX];
static _Thread_local struct thread *self;

/* The place of who waits by EPOLL, or NULL. */
static struct thread *
place_of(int epoll)
{
    size_t i = 0;

    while (i < ROUNDS_MAX && atomic_load(&threads[i].epoll) != epoll + 1)
        i++;
    return i < ROUNDS_MAX ? &threads[i] : NULL;
}

/* The next round has an even number: who was there before may have ended at
 * any. Where there is no place, it is as if it was not known. */
void
rounds_join(int epoll)
{
    if (place_of(epoll) != NULL)
        return;
    for (size_t i = 0; i < ROUNDS_MAX; i++) {
        int nobody = 0;
        uint64_t round = (atomic_load(&threads[i].round) | 1) + 1;
        if (!atomic_compare_exchange_strong(&threads[i].epoll, &nobody,
                                            epoll + 1))
            continue;
        atomic_store(&threads[i].round, round);
        return;
    }
}

/* Who makes a thread may have joined for it. */
void
rounds_wait(int epoll)
{
    self = place_of(epoll);
    if (self != NULL)
        atomic_fetch_add(&self->round, 1);
}

void
rounds_go_on(void)
{
    if (self != NULL)
        atomic_fetch_add(&self->round, 1);
}

void
rounds_forget(void)
{
    for (size_t i = 0; i < ROUNDS_MAX; i++)
        atomic_store(&threads[i].epoll, 0);
}

int
rounds_are_known(void)
{
    int some = 0;

    for (size_t i = 0; i < ROUNDS_MAX; i++)
        some |= atomic_load(&threads[i].epoll) != 0;
    return some;
}

/* What it was woken by is there until it has seen to it, so that it shows also
 * where the thread has been woken and got no processor yet. */
static int
is_calm(struct thread *thread, int epoll)
{
    struct pollfd events = {.fd = epoll, .events = POLLIN};
    uint64_t round = atomic_load(&thread->round);

    return (round & 1) != 0 && poll(&events, 1, 0) == 0 &&
           atomic_load(&thread->round) == round;
}

int
rounds_are_calm(void)
{
    int calm = 1;

    for (size_t i = 0; calm && i < ROUNDS_MAX; i++) {
        int taken = atomic_load(&threads[i].epoll);
        calm = taken == 0 || is_calm(&threads[i], taken - 1);
    }
    return calm;
}

int
rounds_settled(struct settled *settled, int is_so)
{
    int first = !settled->is_so, passed = 1;

    settled->is_so = is_so;
    for (size_t i = 0; i < ROUNDS_MAX; i++) {
        uint64_t round = atomic_load(&threads[i].round);
        if (first)
            settled->round[i] = round;
        passed &= atomic_load(&threads[i].epoll) == 0 ||
                  (settled->round[i] & 1) != 0 || round != settled->round[i];
    }
    return is_so && (!rounds_are_known() || (!first && passed));
}
