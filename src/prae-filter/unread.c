/* unread.c - every input's descriptor is looked at: at the end there is
 * time. */
#define _GNU_SOURCE /* POLLRDHUP. NOLINT(bugprone-reserved-identifier) */
#include "unread.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "line.h"

#define GAP_MAX 1024  /* descriptors that are free, behind the last one */
#define FDS_MAX 65536 /* that are looked at */

/* Whether FD is a connection: a stream that somebody is, or was, behind. */
static int
is_connection(int fd)
{
    int type = 0, listens = 0;
    socklen_t len = sizeof type;

    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) != 0 ||
        type != SOCK_STREAM)
        return 0;
    len = sizeof listens;
    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) == 0 &&
           !listens;
}

/* The next descriptor behind FD, below 0: none, that may be an input's and has
 * *BYTES to read. Those of standard input, output and error are nobody's
 * queue. */
static int
next_unread(int fd, int *bytes)
{
    int gap = 0;

    for (fd = fd < 2 ? 3 : fd + 1; gap < GAP_MAX && fd < FDS_MAX; fd++) {
        gap = fcntl(fd, F_GETFD) < 0 ? gap + 1 : 0;
        if (gap == 0 && line_is_input(fd) && is_connection(fd) &&
            ioctl(fd, FIONREAD, bytes) == 0 && *bytes > 0)
            return fd;
    }
    return -1;
}

int
unread_is_there(void)
{
    int bytes;

    return next_unread(-1, &bytes) >= 0;
}

/* Whether who is at the other end of FD will send no more. */
static int
has_hung_up(int fd)
{
    struct pollfd end = {.fd = fd, .events = POLLRDHUP};

    return poll(&end, 1, 0) > 0 && end.revents != 0;
}

size_t
unread_left(void)
{
    size_t all = 0;
    int bytes;

    for (int fd = -1; (fd = next_unread(fd, &bytes)) >= 0;)
        if (has_hung_up(fd))
            all += (size_t)bytes;
    return all;
}
