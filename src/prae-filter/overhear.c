/*
 * overhear.c - what is said to us and by us, in the place of recv and send.
 *
 * For the libraries that we use, it has intake.c count what comes by
 * connections to our own endpoints and from those we connect to, hangs up on
 * who brings more than we can bear, and has outflow.c follow what goes out.
 */
#define _GNU_SOURCE /* ppoll. NOLINT(bugprone-reserved-identifier) */
#undef _FORTIFY_SOURCE /* which has a recv of its own */
#include "overhear.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "accept.h"
#include "clock.h"
#include "line.h"
#include "log.h"
#include "rounds.h"
#include "topics.h"
#include "wire.h"

#ifdef LINES_ARE_KNOWN

#define LITTLE_BYTES 1024 /* less than a segment of any network */
#define ROOM_PARTS 4 /* of a buffer, by Linux: two are its own, and half of
                        the rest is much */

static struct intake_limits limits[INTAKE_ROLES];
static size_t queue_most; /* messages of a connection */
static _Atomic uint64_t heard; /* that inputs' have brought */
static atomic_int is_over;     /* nobody is heard */

void
overhear_within(size_t max_message, size_t max_parts, size_t queue)
{
    queue_most = queue;
    for (int i = 0; i < INTAKE_ROLES; i++) {
        limits[i] =
            intake_limits_of((enum intake_role)i, max_message, max_parts);
        limits[i].frame = i == INTAKE_INPUT ? max_message : WIRE_HEARD_MOST;
    }
}

/* ---- recv ---- */

static const char *
reason(enum intake_role role, enum intake_fault fault)
{
    switch (fault) {
    case INTAKE_FOREIGN:
        return "that does not speak ZMTP 2 or newer, as ZeroMQ does since 3.2";
    case INTAKE_LOUD:
        return "that sends messages, and is to receive them";
    case INTAKE_KEYLESS:
        return "that says more than 4 KiB at a time before its key is known";
    case INTAKE_WORDY:
        return "that says more than 4 KiB before it is known";
    case INTAKE_RESERVED:
        return "that has a name which begins with a zero byte, as only those "
               "do that ZeroMQ gives";
    case INTAKE_MALFORMED:
        return "whose heartbeat is too short to be one, or whose name is sent "
               "as none is";
    case INTAKE_UNFIT:
        return "that is of a type that does not fit, asks for other keys, or "
               "does not let us in; it is tried again";
    case INTAKE_LONG:
        return role == INTAKE_INPUT
                   ? "whose frame is longer than --max-message: it is lost, "
                     "and what was sent behind it"
                   : "that says more than 4 KiB in a frame";
    case INTAKE_MUCH:
        return "that has most of the subscriptions, where those of all peers "
               "are more than 1 MiB; see to fewer, or shorter ones";
    case INTAKE_FLOOD:
        return "that subscribes while 4 MiB of subscriptions wait to be read; "
               "it may come again";
    default:
        return role == INTAKE_INPUT
                   ? "whose message is beyond 16 times --max-message or "
                     "--max-parts"
                   : "whose message is beyond 64 frames or 64 KiB";
    }
}

static void
tell_why(const struct line *line)
{
    static atomic_bool told[INTAKE_ROLES][INTAKE_FAULTS];
    enum intake_role role = line_role(line);
    enum intake_fault fault = line->intake.fault;
    const char *name = line_name(line);

    if (!atomic_exchange(&told[role][fault], 1))
        log_warning("%s: hung up on a peer %s; others will be without a word",
                    name, reason(role, fault));
}

/* A sender owes what it brings, until that has filled a queue: more it cannot
 * leave behind, and who stays and sends for years keeps nobody out. */
static void
note_owing(struct line *line)
{
    uint64_t messages = line->intake.messages;
    size_t owes = messages < queue_most ? (size_t)messages : queue_most;

    if (line_role(line) != INTAKE_INPUT)
        return;
    if (owes <= line->owes)
        return;
    accept_owe(owes - line->owes);
    line->owes = owes;
}

/* It need not be the one that is heard. */
static void
end_subscriber(struct line *line, int descriptor, enum intake_fault fault)
{
    line->intake.fault = (uint8_t)fault;
    atomic_store(&line->topics, 0);
    tell_why(line);
    (void)shutdown(descriptor, SHUT_RDWR);
}

/* Whether a subscriber stays. Where all have subscribed to too much it is who
 * has most that does not, so that no stranger keeps others from it. */
static int
may_subscribe(struct line *line, int descriptor)
{
    uint64_t limit_bytes = limits[INTAKE_PUB].all;
    int most;

    if (line_role(line) != INTAKE_PUB || line->intake.fault != INTAKE_FINE)
        return 1;
    if (!topics_grow(line, descriptor, limit_bytes))
        end_subscriber(line, descriptor, INTAKE_FLOOD);
    while ((most = topics_beyond(limit_bytes)) >= 0)
        end_subscriber(line_of(most, USE_PEER), most, INTAKE_MUCH);
    return line->intake.fault == INTAKE_FINE;
}

/* libzmq has no event for the handshake of ZMTP 2, so that nobody counts who
 * has come to a push by that. */
static void
tell_uncounted(const struct line *line)
{
    if (line->intake.named && line_role(line) == INTAKE_PUSH)
        log_info("%s: a peer has come that speaks ZMTP 2: --wait-peers does "
                 "not count it",
                 line_name(line));
}

/* Where we connect there is one queue, however often we do. */
static void
note_sender(const struct line *line)
{
    if (line_role(line) == INTAKE_INPUT && line->intake.kinds == 0)
        accept_sender();
}

/* The next LEN bytes of DESCRIPTOR. Returns how many of them are fine. */
static size_t
follow(struct line *line, int descriptor, const void *bytes, size_t len)
{
    int shaken = line->intake.shaken;
    uint64_t before = line->intake.messages;
    size_t fine =
        intake_follow(&line->intake, &limits[line_role(line)], bytes, len);

    if (line_role(line) == INTAKE_INPUT)
        atomic_fetch_add_explicit(&heard, line->intake.messages - before,
                                  memory_order_relaxed);
    if (line->intake.shaken > shaken)
        tell_uncounted(line);
    if (line->intake.shaken > shaken && !line->intake.foreign)
        note_sender(line);
    note_owing(line);
    return may_subscribe(line, descriptor) ? fine : 0;
}

/* Whether who is at the other end of DESCRIPTOR will take nothing any more. */
static int
has_gone(int descriptor)
{
    struct pollfd ends = {.fd = descriptor};
    const struct timespec now = {0};

    return syscall(SYS_ppoll, &ends, 1, &now, NULL, 0) > 0 &&
           (ends.revents & (POLLERR | POLLHUP)) != 0;
}

/*
 * LEN bytes came, of SIZE that there was room for. Where more than half of what
 * a sender may send on without being read was waiting, it may have more. Who
 * has more sends it as soon as some was read, in large pieces: little, again
 * and again, is from who sends just now.
 */
static void
note_read(struct line *line, int descriptor, size_t len, size_t size)
{
    int bytes = 0, room = 0;
    socklen_t room_len = sizeof room;

    if (len < size && len < LITTLE_BYTES) {
        atomic_fetch_add_explicit(&line->shorts, 1, memory_order_relaxed);
        return;
    }
    atomic_store_explicit(&line->shorts, 0, memory_order_relaxed);
    if (len == size && ioctl(descriptor, FIONREAD, &bytes) == 0 &&
        getsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &room, &room_len) == 0 &&
        size + (size_t)bytes >= (size_t)room / ROOM_PARTS)
        atomic_store(&line->held_at, clock_now());
}

/* What came before is libzmq's yet. That it is over it learns when it asks
 * for more, and shutdown has it ask at once. */
static ssize_t
hear_peer(struct line *line, int descriptor, void *bytes, size_t size,
          int flags)
{
    if (atomic_load(&is_over)) {
        errno = EAGAIN;
        return -1;
    }
    if (line->intake.fault != INTAKE_FINE || atomic_load(&line->is_cut)) {
        errno = ECONNRESET;
        return -1;
    }
    size_t wants = intake_wants(&line->intake);
    /* libzmq could not answer, and would take what follows amiss: for good.
     * Who has the answer may have sent all it had, and gone. */
    if (wants < size && !line->flow.shaken && has_gone(descriptor)) {
        errno = ECONNRESET;
        return -1;
    }
    if (line_role(line) == INTAKE_INPUT)
        rounds_touch(); /* before the kernel has them no more */
    ssize_t got = (ssize_t)syscall(SYS_recvfrom, descriptor, bytes,
                                   size < wants ? size : wants, flags, NULL,
                                   NULL);
    if (got <= 0 || (flags & MSG_PEEK))
        return got;
    atomic_store_explicit(&line->heard_at, clock_now(), memory_order_relaxed);
    if (line_role(line) == INTAKE_INPUT)
        note_read(line, descriptor, (size_t)got, size);
    size_t fine = follow(line, descriptor, bytes, (size_t)got);
    if (fine == (size_t)got)
        return got;
    tell_why(line);
    (void)shutdown(descriptor, SHUT_RDWR);
    errno = ECONNRESET;
    return fine > 0 ? (ssize_t)fine : -1;
}

static ssize_t
hear(int descriptor, void *bytes, size_t size, int flags)
{
    struct line *line = line_of(descriptor, USE_PEER);

    if (line == NULL)
        return (ssize_t)syscall(SYS_recvfrom, descriptor, bytes, size, flags,
                                NULL, NULL);
    return hear_peer(line, descriptor, bytes, size, flags);
}

/* ---- send ---- */

/* With keys, who has our READY, or INITIATE, may say more. Who has an ERROR
 * libzmq would hang up on only when all of what it says next is there. */
static void
note_keyed(struct line *line, int descriptor)
{
    if (!line->intake.foreign || line->flow.shaken < 2)
        return;
    if (!line->flow.refuses && !line->intake.let_in)
        note_sender(line);
    line->intake.let_in = !line->flow.refuses;
    if (line->flow.refuses)
        (void)shutdown(descriptor, SHUT_RDWR);
}

static ssize_t
say(int descriptor, const void *bytes, size_t len, int flags)
{
    struct line *line = line_of(descriptor, USE_PEER);
    ssize_t sent = (ssize_t)syscall(SYS_sendto, descriptor, bytes, len, flags,
                                    NULL, 0);

    if (line == NULL || sent <= 0)
        return sent;
    outflow_follow(&line->flow, bytes, (size_t)sent);
    note_keyed(line, descriptor);
    /* In this order: who looks on meanwhile sees too many, not too few. */
    atomic_store(&line->rest, outflow_rest(&line->flow));
    atomic_store(&line->records, line->flow.records);
    atomic_store(&line->sent, line->flow.all);
    return sent;
}

/* ---- the ends ---- */

void
overhear_cut(const char *name)
{
    for (int fd = 3; fd < line_end(); fd++) {
        struct line *line = line_of(fd, USE_PEER);
        if (line == NULL || strcmp(line_name(line), name) != 0)
            continue;
        atomic_store(&line->is_cut, 1);
        (void)shutdown(fd, SHUT_RDWR);
    }
}

void
overhear_end(void)
{
    atomic_store(&is_over, 1);
}

uint64_t
overhear_heard(void)
{
    return atomic_load_explicit(&heard, memory_order_relaxed);
}

size_t
overhear_rest(int descriptor)
{
    const struct line *line = line_of(descriptor, USE_PEER);

    return line == NULL ? 0 : (size_t)atomic_load(&line->rest);
}

size_t
overhear_unread(int descriptor, size_t unread)
{
    struct line *line = line_of(descriptor, USE_PEER);

    if (line == NULL)
        return unread;
    uint64_t sent = atomic_load(&line->sent);
    return (size_t)outflow_unread(sent, atomic_load(&line->records), unread);
}

/* Declared as libc has them, whatever names that gives to the parameters. */
extern __typeof__(hear) recv
    __attribute__((alias("hear"), visibility("default")));
extern __typeof__(say) send
    __attribute__((alias("say"), visibility("default")));

#else

void
overhear_within(size_t max_message, size_t max_parts, size_t queue)
{
    (void)queue;
    (void)max_message;
    (void)max_parts;
}

void
overhear_cut(const char *name)
{
    (void)name;
}

void
overhear_end(void)
{
}

uint64_t
overhear_heard(void)
{
    return 0;
}

size_t
overhear_rest(int descriptor)
{
    (void)descriptor;
    return 0;
}

size_t
overhear_unread(int descriptor, size_t unread)
{
    (void)descriptor;
    return unread;
}

#endif
