/*
 * slow_unbind.c - a thread that is held up once it has told libzmq to let go of
 * an endpoint, by LD_PRELOAD, as it may be where a machine is busy: for as many
 * milliseconds as PRAE_UNBIND says.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

int zmq_unbind(void *socket, const char *endpoint);

int
zmq_unbind(void *socket, const char *endpoint)
{
    int (*next)(void *, const char *) =
        (int (*)(void *, const char *))dlsym(RTLD_NEXT, "zmq_unbind");
    const char *text = getenv("PRAE_UNBIND");
    long ms = text == NULL ? 0 : strtol(text, NULL, 10);
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};
    int bad = next(socket, endpoint);
    int why = errno;

    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
    errno = why;
    return bad;
}
