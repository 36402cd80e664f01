/*
 * slow_turn.c - the program's own thread comes late to what it has heard of,
 * by LD_PRELOAD, as it may where a machine is busy: by as many milliseconds
 * as PRAE_TURN says.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_t program; /* its own thread, which loads this */

__attribute__((constructor)) static void
note_program(void)
{
    program = pthread_self();
}

/* What poll is where the compiler knows how many items there are. */
int __poll_chk(struct pollfd *items, nfds_t count, int timeout, size_t len);

static int
wait_and_dally(struct pollfd *items, nfds_t count, int timeout)
{
    int (*wait_for)(struct pollfd *, nfds_t, int);
    const char *text = getenv("PRAE_TURN");
    long ms = text == NULL ? 0 : strtol(text, NULL, 10);
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};

    *(void **)&wait_for = dlsym(RTLD_NEXT, "poll");
    int got = wait_for(items, count, timeout);
    int error = errno;
    while (pthread_equal(pthread_self(), program) &&
           nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
    errno = error;
    return got;
}

int
poll(struct pollfd *items, nfds_t count, int timeout)
{
    return wait_and_dally(items, count, timeout);
}

int
__poll_chk(struct pollfd *items, nfds_t count, int timeout, size_t len)
{
    (void)len;
    return wait_and_dally(items, count, timeout);
}
