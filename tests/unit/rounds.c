/* What libzmq's threads are at: by one that waits as they do, and is held up
 * wherever it may be. */
#include "rounds.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"

#define TURNS_MAX 10000 /* of a millisecond, for what has to happen */

static int epoll, event, other_epoll;
static atomic_int held;   /* it is woken, and gets no processor */
static atomic_int busy;   /* it is to see to what there was for as long, ... */
static atomic_int touches; /* ... with records on its hands, ... */
static atomic_int working; /* ... which it has begun */
static atomic_int served; /* how often it did */
static atomic_int over;

static void
rest(void)
{
    const struct timespec moment = {.tv_nsec = 1000000};

    (void)nanosleep(&moment, NULL);
}

static void *
serve(void *unused)
{
    struct epoll_event found;
    uint64_t count;

    (void)unused;
    while (!atomic_load(&over)) {
        rounds_wait(epoll);
        int some = epoll_wait(epoll, &found, 1, -1);
        while (atomic_load(&held))
            rest();
        rounds_go_on();
        if (some != 1)
            continue;
        if (atomic_load(&touches))
            rounds_touch();
        atomic_store(&working, 1);
        while (atomic_load(&busy))
            rest();
        if (read(event, &count, sizeof count) == (ssize_t)sizeof count)
            atomic_fetch_add(&served, 1);
    }
    return NULL;
}

static void
ring(void)
{
    const uint64_t one = 1;

    NEED(write(event, &one, sizeof one) == (ssize_t)sizeof one);
}

static int
soon(int (*is_so)(void))
{
    for (int i = 0; !is_so() && i < TURNS_MAX; i++)
        rest();
    return is_so();
}

/* Whether it never is, for a while. */
static int
never(int (*is_so)(void))
{
    int ever = 0;

    for (int i = 0; i < 50; i++) {
        ever |= is_so();
        rest();
    }
    return !ever;
}

static int
has_served(void)
{
    return atomic_load(&served) > 0;
}

static int
is_working(void)
{
    return atomic_load(&working);
}

/* It has something to do that takes long, and is at it. */
static void
occupy(int with_records)
{
    atomic_store(&touches, with_records);
    atomic_store(&working, 0);
    atomic_store(&busy, 1);
    ring();
    NEED(soon(is_working));
}

static struct settled settled;

static int
is_settled(void)
{
    return rounds_settled(&settled, 1);
}

static void
test_nobody(void)
{
    struct settled alone = {0};

    ok(!rounds_are_known() && rounds_are_calm(),
       "where nobody has joined nothing is known, nor to be done");
    ok(!rounds_settled(&alone, 0) && rounds_settled(&alone, 1),
       "and what is so is settled");
}

static void
test_calm(void)
{
    ok(rounds_are_known() && soon(rounds_are_calm), "who waits is calm");
    atomic_store(&held, 1);
    ring();
    ok(never(rounds_are_calm), "not who has been woken and gets no processor");
    atomic_store(&busy, 1);
    atomic_store(&held, 0);
    ok(never(rounds_are_calm), "nor who is busy");
    atomic_store(&busy, 0);
    ok(soon(has_served) && soon(rounds_are_calm), "but once it waits again");
}

static void
test_settled(void)
{
    settled = (struct settled){0};
    ok(!is_settled() && is_settled() && is_settled(),
       "who waits has nothing on its hands");
    ok(!rounds_settled(&settled, 0) && !is_settled() && is_settled(),
       "what was not so meanwhile has to be so again");
    occupy(0);
    settled = (struct settled){0};
    ok(!is_settled() && is_settled(),
       "nor who is busy with something else, for however long");
    struct rounds some = rounds_with_some(), all = rounds_now();
    ok(rounds_are_over(&some) && !rounds_are_over(&all),
       "whose round is not over");
    atomic_store(&busy, 0);
    NEED(soon(rounds_are_calm));
    ok(rounds_are_over(&all), "until it waits");
    occupy(1);
    some = rounds_with_some();
    settled = (struct settled){0};
    ok(never(is_settled) && !rounds_are_over(&some),
       "but who has records on its hands, as long as that takes");
    atomic_store(&busy, 0);
    NEED(soon(rounds_are_calm));
    ok(rounds_are_over(&some) && !is_settled() && is_settled(),
       "and once more it has to be looked whether it is so behind that");
}

static void
test_others(void)
{
    rounds_wait(other_epoll);
    rounds_go_on();
    ok(soon(rounds_are_calm), "who has not joined is nobody");
    rounds_join(other_epoll);
    rounds_join(other_epoll);
    ok(never(rounds_are_calm), "of two one has to do");
    rounds_wait(other_epoll);
    ok(soon(rounds_are_calm), "both wait");
    rounds_go_on();
    rounds_touch();
    struct rounds some = rounds_with_some();
    ok(!rounds_are_over(&some), "one has some");
    rounds_forget();
    ok(rounds_are_over(&some), "and nobody who is gone");
    ok(!rounds_are_known() && rounds_are_calm(), "when they are gone, nobody");
    rounds_join(other_epoll);
    ok(!rounds_are_calm(), "another one begins with something to do");
    rounds_forget();
    for (int i = 0; i < 2 * ROUNDS_MAX; i++)
        rounds_join(1000 + i);
    ok(!rounds_are_calm(), "more than there is room for are no harm");
    rounds_forget();
}

int
main(void)
{
    struct epoll_event wanted = {.events = EPOLLIN};
    pthread_t thread;

    epoll = epoll_create1(0);
    other_epoll = epoll_create1(0);
    event = eventfd(0, 0);
    NEED(epoll >= 0 && other_epoll >= 0 && event >= 0 &&
         epoll_ctl(epoll, EPOLL_CTL_ADD, event, &wanted) == 0);
    test_nobody();
    rounds_join(epoll);
    NEED(pthread_create(&thread, NULL, serve, NULL) == 0);
    test_calm();
    test_settled();
    test_others();
    atomic_store(&over, 1);
    ring();
    NEED(pthread_join(thread, NULL) == 0);
    return tap_done();
}
