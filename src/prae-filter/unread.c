/* unread.c - every input's descriptor is looked at, now and then. */
#define _GNU_SOURCE /* POLLRDHUP. NOLINT(bugprone-reserved-identifier) */
#include "unread.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "clock.h"
#include "line.h"

#define GAP_MAX 1024       /* descriptors that are free, behind the last one */
#define LOOK_SECONDS 0.001 /* from one look to the next, ... */
#define LOOK_SHARE 0.1     /* ... which take no more than this of the time */

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

/* Whether who is at the other end of FD will send no more. */
static int
has_hung_up(int fd)
{
    struct pollfd end = {.fd = fd, .events = POLLRDHUP};

    return poll(&end, 1, 0) > 0 && end.revents != 0;
}

/* Those of standard input, output and error are nobody's queue. Most have
 * nothing: one question to each has to do. */
struct unread
unread_now(void)
{
    struct unread found = {0};

    for (int fd = 3, gap = 0; gap < GAP_MAX && fd < line_end(); fd++) {
        int bytes = 0, is_input = line_is_input(fd);
        int bad = is_input ? ioctl(fd, FIONREAD, &bytes) : fcntl(fd, F_GETFD);
        gap = bad < 0 && errno == EBADF ? gap + 1 : 0;
        if (!is_input || bad < 0 || bytes <= 0 || !is_connection(fd))
            continue;
        found.bytes += (size_t)bytes;
        found.left_bytes += has_hung_up(fd) ? (size_t)bytes : 0;
    }
    return found;
}

const struct unread *
unread_look(void)
{
    static struct unread last;
    static double until; /* it will do */
    double time = clock_now();

    if (time >= until) {
        uint64_t number = last.number + 1;
        last = unread_now();
        last.number = number;
        double took = clock_now() - time;
        until = time + fmax(LOOK_SECONDS, took / LOOK_SHARE);
    }
    return &last;
}
