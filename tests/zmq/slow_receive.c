/*
 * slow_receive.c - messages that take a while to be received, by LD_PRELOAD,
 * as they may where a machine is busy: as many milliseconds each as
 * PRAE_RECEIVE says.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

int zmq_msg_recv(void *message, void *socket, int flags);

int
zmq_msg_recv(void *message, void *socket, int flags)
{
    int (*receive)(void *, void *, int);
    const char *text = getenv("PRAE_RECEIVE");
    long ms = text == NULL ? 0 : strtol(text, NULL, 10);
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};

    *(void **)&receive = dlsym(RTLD_NEXT, "zmq_msg_recv");
    int got = receive(message, socket, flags);
    while (got >= 0 && nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
    return got;
}
