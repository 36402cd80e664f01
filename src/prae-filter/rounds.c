/* rounds.c - the threads that look after connections, each with the number of
 * its round: odd while it waits. */
#include "rounds.h"

#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>

struct thread {
    atomic_int epoll; /* and 1; 0: nobody's */
    _Atomic uint64_t round;
    _Atomic uint64_t touched; /* the last in which it had records */
};

static struct thread threads[ROUNDS_MAX];
static _Thread_local struct thread *self;
static _Thread_local int makes_others;

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

void
rounds_expect(int is_so)
{
    makes_others = is_so;
}

int
rounds_are_expected(void)
{
    return makes_others;
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
rounds_touch(void)
{
    if (self != NULL)
        atomic_store(&self->touched, atomic_load(&self->round));
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

/* Its round, if that is not over; 0. */
static uint64_t
round_of(const struct thread *thread)
{
    uint64_t round = atomic_load(&thread->round);

    return atomic_load(&thread->epoll) == 0 || (round & 1) != 0 ? 0 : round;
}

struct rounds
rounds_now(void)
{
    struct rounds now;

    for (size_t i = 0; i < ROUNDS_MAX; i++)
        now.round[i] = round_of(&threads[i]);
    return now;
}

struct rounds
rounds_with_some(void)
{
    struct rounds some = rounds_now();

    for (size_t i = 0; i < ROUNDS_MAX; i++)
        if (atomic_load(&threads[i].touched) != some.round[i])
            some.round[i] = 0;
    return some;
}

int
rounds_are_over(const struct rounds *rounds)
{
    int over = 1;

    for (size_t i = 0; i < ROUNDS_MAX; i++)
        over &= rounds->round[i] == 0 ||
                rounds->round[i] != round_of(&threads[i]);
    return over;
}

/* That they are over has to be seen before it is looked whether it is still so:
 * what was on their hands may have become visible by then. */
int
rounds_settled(struct settled *settled, int is_so)
{
    int was_over = is_so && settled->is_so && settled->is_over;

    if (!settled->is_so)
        settled->since = rounds_with_some();
    settled->is_so = is_so;
    settled->is_over = rounds_are_over(&settled->since);
    return was_over || (is_so && !rounds_are_known());
}
