/*
 * slow_poll.c - libzmq's threads come late to what there is for them, by
 * LD_PRELOAD, as they may where a machine is busy: by as many milliseconds as
 * PRAE_POLL says.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

struct epoll_event;

/* Which the program has in the place of epoll_wait. */
int epoll_pwait(int poller, struct epoll_event *events, int most, int timeout,
                const sigset_t *mask);

int
epoll_pwait(int poller, struct epoll_event *events, int most, int timeout,
            const sigset_t *mask)
{
    int (*wait_for)(int, struct epoll_event *, int, int, const sigset_t *);
    const char *text = getenv("PRAE_POLL");
    long ms = text == NULL ? 0 : strtol(text, NULL, 10);
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};

    *(void **)&wait_for = dlsym(RTLD_NEXT, "epoll_pwait");
    int got = wait_for(poller, events, most, timeout, mask);
    int error = errno;
    while (got > 0 && nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
    errno = error;
    return got;
}
