/* unread.c - every input's descriptor is looked at, now and then. */
#define _GNU_SOURCE /* POLLRDHUP. NOLINT(bugprone-reserved-identifier) */
#include "unread.h"

#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "clock.h"
#include "line.h"
#include "quiet.h"

#define LOOK_SECONDS 0.001 /* from one look to the next, ... */
#define LOOK_SHARE 0.1     /* ... which take no more than this of the time */
#define HELD_LONG 5.0      /* that it matters who was kept waiting */
#define SHORTS 32          /* reads that found little: it has caught up */
#define LATELY 1.0         /* seconds */
#define TRIP_MOST 0.5      /* of a round trip */

/* What was seen of a connection, and of which. */
struct look {
    uint32_t number;
    int was_empty; /* once, at least */
    int was_full;  /* all the time before that, for some */
    double heard_at;
    double silent_at; /* nothing had come for a while then */
    struct quiet full;
    struct quiet silent;
};

static struct look looks[LINES_MAX];
static double while_seconds;
static double began_at;

void
unread_begin(double seconds)
{
    while_seconds = seconds;
    began_at = clock_now();
    (void)unread_now();
}

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

static int
is_tcp(int fd)
{
    int domain = 0;
    socklen_t len = sizeof domain;

    return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 &&
           domain != AF_UNIX;
}

/* Seconds to who is behind FD and back, where some of it was heard lately. */
static double
round_trip(int fd, double time)
{
    const struct line *line = line_of(fd, USE_PEER);
    struct tcp_info info = {0};
    socklen_t len = sizeof info;

    if (line == NULL || time - atomic_load(&line->heard_at) > LATELY ||
        getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) != 0)
        return 0.0;
    return fmin(1e-6 * (double)info.tcpi_rtt, TRIP_MOST);
}

/* Whether libzmq has kept who is behind LINE waiting, since SINCE; or does so
 * now, with the BYTES there, without which it has no reason to. */
static int
is_held(const struct line *line, int bytes, double time, double since)
{
    double held_at = atomic_load(&line->held_at);

    if (bytes > 0 && atomic_load(&line->ignored) &&
        time - atomic_load(&line->ignored_at) >= LINE_HELD)
        return 1;
    return held_at > since && time - held_at < HELD_LONG;
}

/* Whether who is behind FD may have more for us than the BYTES there. */
static int
owes(int fd, int bytes, double time)
{
    const struct line *line = line_of(fd, USE_PEER);
    uint32_t number = line == NULL ? 0 : atomic_load(&line->number);
    double heard_at = line == NULL ? 0.0 : atomic_load(&line->heard_at);
    struct look *look = &looks[fd];

    if (look->number != number)
        *look = (struct look){.number = number};
    int same = bytes <= 0 && heard_at == look->heard_at;
    look->heard_at = heard_at;
    look->was_empty |= bytes <= 0;
    look->was_full |=
        quiet_for(&look->full, !look->was_empty, time, LINE_HELD);
    int caught_up = line != NULL && atomic_load(&line->shorts) >= SHORTS;
    if (quiet_for(&look->silent, same, time, while_seconds) || caught_up) {
        look->was_full = 0;
        look->silent_at = time;
    }
    int held = line != NULL && is_held(line, bytes, time, look->silent_at);
    return (look->was_full || held) && is_tcp(fd) &&
           (bytes > 0 || !has_hung_up(fd));
}

/* Whether not all is in the queue that had come by FD when it began, with the
 * BYTES that are there. What libzmq has read, and the queue has no room for, is
 * there once it reads on; what the kernel has of who sends for ever, nobody
 * waits for. */
static int
is_behind(int fd, int bytes)
{
    const struct line *line = line_of(fd, USE_PEER);

    return ((bytes > 0 || line != NULL) && has_hung_up(fd)) ||
           (line != NULL && atomic_load(&line->heard_at) < began_at);
}

static int
is_ignored(int fd)
{
    const struct line *line = line_of(fd, USE_PEER);

    return line != NULL && atomic_load(&line->ignored);
}

/* Those of standard input, output and error are nobody's queue. Most have
 * nothing: one question to each has to do. Thousands in between may be closed,
 * and who is behind them have sent something. */
struct unread
unread_now(void)
{
    struct unread found = {0};
    double time = clock_now();

    for (int fd = 3; fd < line_end(); fd++) {
        int bytes = 0;
        if (!line_is_input(fd) || ioctl(fd, FIONREAD, &bytes) != 0)
            continue;
        found.waiting += (size_t)is_ignored(fd);
        found.senders++;
        int more = owes(fd, bytes, time);
        found.owing += (size_t)more;
        found.round_trip = fmax(found.round_trip, round_trip(fd, time));
        if ((bytes <= 0 && !more && !is_ignored(fd)) || !is_connection(fd))
            continue;
        int due = is_behind(fd, bytes);
        more |= due;
        int sends = !has_hung_up(fd);
        found.sending += (size_t)sends;
        found.unsure += (size_t)(sends && bytes > 0 && is_tcp(fd));
        found.due += (size_t)due;
        found.behind += (size_t)more;
        found.bytes += (size_t)bytes;
        found.behind_bytes += more ? (size_t)bytes : 0;
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

size_t
unread_at(const char *name, size_t *bytes)
{
    size_t count = 0;

    *bytes = 0;
    for (int fd = 3; fd < line_end(); fd++) {
        const struct line *line = line_of(fd, USE_PEER);
        int waiting = 0;
        if (line == NULL || !line_is_input(fd) ||
            strcmp(line_name(line), name) != 0 || !is_connection(fd) ||
            ioctl(fd, FIONREAD, &waiting) != 0)
            continue;
        count += (size_t)(waiting > 0 || is_ignored(fd));
        *bytes += (size_t)waiting;
    }
    return count;
}
