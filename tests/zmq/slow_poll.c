/*
 * slow_poll.c - libzmq's threads come late to what there is for them, by
 * LD_PRELOAD, as they may where a machine is busy: by as many milliseconds as
 * PRAE_POLL says.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

struct epoll_event;

int epoll_wait(int poller, struct epoll_event *events, int most, int timeout);

int
epoll_wait(int poller, struct epoll_event *events, int most, int timeout)
{
    int (*wait_for)(int, struct epoll_event *, int, int);
    const char *text = getenv("PRAE_POLL");
    long ms = text == NULL ? 0 : strtol(text, NULL, 10);
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};

    *(void **)&wait_for = dlsym(RTLD_NEXT, "epoll_wait");
    int got = wait_for(poller, events, most, timeout);
    int error = errno;
    while (got > 0 && nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
    errno = error;
    return got;
}
