/* fifo.c - opening without waiting, again and again. */
#include "fifo.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "signals.h"

#define LOOK_MS 50   /* between looks whether somebody reads */
#define STOP_LOOKS 4 /* once somebody asks to stop */

static int
is_fifo(const char *path)
{
    struct stat found;

    return stat(path, &found) == 0 && S_ISFIFO(found.st_mode);
}

int
fifo_open(const char *path, int flags)
{
    const int how = O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC | flags;
    int fd = open(path, how, 0666);

    while (fd < 0 && errno == ENXIO && is_fifo(path) && !signals_stop()) {
        (void)poll(NULL, 0, LOOK_MS);
        fd = open(path, how, 0666);
    }
    if (fd >= 0)
        (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
}

int
fifo_wait(int fd)
{
    struct pollfd room = {.fd = fd, .events = POLLOUT};
    int looks = STOP_LOOKS, full;

    do {
        int got = poll(&room, 1, LOOK_MS);
        full = got == 0 || (got < 0 && errno == EINTR);
    } while (full && (!signals_stop() || looks-- > 0));
    return !full; /* or it could not be asked, and writing will tell */
}

const char *
fifo_error(int error)
{
    return error == ENXIO ? "nobody reads it" : strerror(error);
}
