/*
 * slow_close.c - a thread that is held up once it has closed a listening
 * socket, by LD_PRELOAD, as it may be where a machine is busy: for as many
 * milliseconds as PRAE_CLOSE says.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int
close(int fd)
{
    const char *text = getenv("PRAE_CLOSE");
    long ms = text == NULL ? 0 : strtol(text, NULL, 10);
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};
    int listens = 0;
    socklen_t len = sizeof listens;

    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) != 0)
        listens = 0;
    int closed = (int)syscall(SYS_close, fd);
    while (listens && nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
    return closed;
}
