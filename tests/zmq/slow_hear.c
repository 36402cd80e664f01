/*
 * slow_hear.c - libzmq's threads come late to look for what is there, and to
 * read it, by LD_PRELOAD, as they may where a machine is busy: by as many
 * milliseconds as PRAE_HEAR says.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>

struct epoll_event;

static void
rest(void)
{
    const char *text = getenv("PRAE_HEAR");
    long ms = text == NULL ? 0 : strtol(text, NULL, 10);
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};

    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

/* Which the program has in the place of epoll_wait. */
int
epoll_pwait(int poller, struct epoll_event *events, int most, int timeout,
            const sigset_t *mask)
{
    int (*wait_for)(int, struct epoll_event *, int, int, const sigset_t *);

    rest();
    *(void **)&wait_for = dlsym(RTLD_NEXT, "epoll_pwait");
    return wait_for(poller, events, most, timeout, mask);
}

/* By which it receives, in the place of recv. */
long
syscall(long number, ...)
{
    long (*call)(long, ...);
    long word[6];
    va_list words;

    va_start(words, number);
    for (int i = 0; i < 6; i++)
        word[i] = va_arg(words, long);
    va_end(words);
    if (number == SYS_recvfrom)
        rest();
    *(void **)&call = dlsym(RTLD_NEXT, "syscall");
    return call(number, word[0], word[1], word[2], word[3], word[4], word[5]);
}
