/*
 * partings.c - who has hung up is heard out first, in the place of epoll_ctl
 * and epoll_wait.
 *
 * While the queue for a peer is full libzmq does not read, and asks for no
 * events, or only when it may write. That the peer has hung up, or broken down,
 * it would be told all the same, and it would then forget what it has not read;
 * or, where that has a heartbeat in it, end the process once it reads on. So it
 * hears of that only when it does. What little it says to who sends can wait as
 * long.
 */
#include "line.h"

#ifdef LINES_ARE_KNOWN

#include <sys/epoll.h>
#include <unistd.h>

#include "clock.h"
#include "rounds.h"

static _Thread_local int listens; /* to peers: it is libzmq's */

/* Whether libzmq, which asks for EVENTS, does not read just now. Before it has
 * begun to, it waits for a connection to come about. */
static int
ignores(struct line *line, int what, uint32_t events)
{
    if (what == EPOLL_CTL_ADD || (events & EPOLLIN))
        atomic_store(&line->reads, (events & EPOLLIN) != 0);
    int speaks = (events & EPOLLOUT) && line_role(line) != INTAKE_INPUT;
    return what == EPOLL_CTL_MOD && !(events & EPOLLIN) && !speaks &&
           (events == 0 || atomic_load(&line->reads));
}

/* Whether LINE was ignored, and is now or not. Before it has sent anything,
 * libzmq may be asking whether to let it in. */
static int
note_ignored(struct line *line, int is_ignored)
{
    int was_ignored = atomic_exchange(&line->ignored, is_ignored);

    if (is_ignored == was_ignored)
        return was_ignored;
    double time = clock_now();
    if (is_ignored) {
        atomic_store(&line->ignored_at, time);
        atomic_store(&line->shorts, 0);
    } else if (line->intake.messages > 0 &&
               time - atomic_load(&line->ignored_at) >= LINE_HELD) {
        atomic_store(&line->held_at, time);
    }
    return was_ignored;
}

static int
listen_to(int epoll, int what, int descriptor, struct epoll_event *event)
{
    struct line *line = line_of(descriptor, USE_PEER);

    listens |= line != NULL;
    if (rounds_are_expected() || line != NULL ||
        line_of(descriptor, USE_LISTENER) != NULL)
        rounds_join(epoll);
    if (line == NULL)
        return (int)syscall(SYS_epoll_ctl, epoll, what, descriptor, event);
    /* It may have been a peer's, and be what wakes another of its threads. */
    int is_ignored =
        what != EPOLL_CTL_DEL && ignores(line, what, event->events);
    /* What it had no room for it has just passed on, or is about to. */
    if (!is_ignored && line_role(line) == INTAKE_INPUT)
        rounds_touch();
    int was_ignored =
        note_ignored(line, is_ignored) || what == EPOLL_CTL_ADD;
    if (is_ignored || what == EPOLL_CTL_DEL)
        return was_ignored ? 0
                           : (int)syscall(SYS_epoll_ctl, epoll, EPOLL_CTL_DEL,
                                          descriptor, NULL);
    return (int)syscall(SYS_epoll_ctl, epoll,
                        was_ignored ? EPOLL_CTL_ADD : EPOLL_CTL_MOD,
                        descriptor, event);
}

/* Who has hung up is read until there is nothing more, as others are: of both
 * at once libzmq would read, and where the queue is full then, forget the
 * rest. Where it only writes just now it finds out by that, and then waits for
 * nothing. */
static int
listen_for_any(int epoll, struct epoll_event *events, int most, int timeout)
{
    rounds_wait(epoll);
    int count = epoll_pwait(epoll, events, most, timeout, NULL);
    rounds_go_on();
    for (int i = 0; listens && i < count; i++)
        if (events[i].events & EPOLLIN)
            events[i].events &= ~(uint32_t)(EPOLLHUP | EPOLLERR);
        else if (events[i].events & (EPOLLHUP | EPOLLERR))
            events[i].events = EPOLLOUT;
    return count;
}

/* Declared as libc has them, whatever names that gives to the parameters. */
extern __typeof__(listen_to) epoll_ctl
    __attribute__((alias("listen_to"), visibility("default")));
extern __typeof__(listen_for_any) epoll_wait
    __attribute__((alias("listen_for_any"), visibility("default")));

#endif
