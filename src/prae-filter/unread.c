/* unread.c - every input's descriptor is looked at: at the end there is
 * time. */
#include "unread.h"

#include <fcntl.h>
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

int
unread_is_there(void)
{
    /* Those of standard input, output and error are nobody's queue. */
    for (int fd = 3, gap = 0; gap < GAP_MAX && fd < FDS_MAX; fd++) {
        int bytes = 0;
        if (fcntl(fd, F_GETFD) < 0) {
            gap++;
            continue;
        }
        gap = 0;
        if (line_is_input(fd) && is_connection(fd) &&
            ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0)
            return 1;
    }
    return 0;
}
