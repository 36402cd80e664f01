/*
 * accept.c - connections that are taken while there are descriptors for them,
 * and kept, with those that we make, while they bring no more than we can bear.
 *
 * Who connects takes a descriptor before anybody asks for a key, and libzmq
 * ends the process where none is left for a connection by ipc. So this stands
 * in the place of accept4 for the libraries that we use: the last descriptors
 * are ours, for files, and who would take one of them is hung up on. A peer
 * comes again by itself, and who only sits there is gone after the handshake's
 * time.
 *
 * It stands in the place of recv as well, and has intake.c count what comes by
 * connections to our own endpoints and from those we connect to; in that of
 * socket, to know the listeners from others while they are made, before anybody
 * can connect: at the number of a descriptor that was closed the next one
 * begins anew; and in that of connect, where remote.c knows the others.
 *
 * In that of send it has outflow.c follow what goes out, and in those of
 * epoll_ctl and epoll_wait it keeps from libzmq that somebody has hung up until
 * it has read what that one sent.
 *
 * What peers may have left in the queues of inputs is owed; see accept_settle.
 * What they have subscribed to is kept within bounds of all of them together,
 * as libzmq walks over the topics of all when one of them goes.
 *
 * A connection's intake is touched by libzmq's one thread for them alone; the
 * rest of a line also by who opens a descriptor of that number later.
 */
#define _GNU_SOURCE /* accept4. NOLINT(bugprone-reserved-identifier) */
#undef _FORTIFY_SOURCE /* which has a recv of its own */
#include "accept.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/epoll.h>
#endif

#include "log.h"
#include "outflow.h"
#include "remote.h"
#include "signals.h"
#include "wire.h"

#if defined SYS_accept4 && defined SYS_recvfrom && defined SYS_socket && \
    defined SYS_connect && defined SYS_ppoll && defined SYS_sendto && \
    defined SYS_epoll_ctl

#define LINES_MAX 65536 /* what is never used of them takes no memory */
#define OWED_MAX 256    /* queues, of connections to inputs */
#define UNSEEN_MAX 4096 /* connections to outputs: some 2 MB in libzmq */
#define UNREAD_TIMES 4  /* all that may be subscribed to, and it waits */

enum use { USE_OTHER, USE_LISTENER, USE_PEER };

/* A descriptor. */
struct line {
    _Atomic unsigned char use; /* written last, and read first */
    _Atomic unsigned char role;
    _Atomic(const char *) name;
    struct intake intake; /* of a peer ... */
    size_t owes;          /* ... messages that were charged for it ... */
    uint64_t came;        /* ... and those that are counted */
    atomic_int ignored;   /* libzmq does not want to hear of it */
    struct outflow flow;
    _Atomic uint64_t sent; /* bytes that went out, as in flow: for others */
    _Atomic uint64_t records;
    _Atomic uint64_t topics; /* its share, of a pub's peer */
};

static struct line lines[LINES_MAX];
static struct intake_limits limits[INTAKE_ROLES];
static size_t queue_most;  /* messages of a connection */
static atomic_size_t owed; /* those that may wait */
static _Atomic uint64_t came; /* to all inputs, or more */
static uint64_t took;
static atomic_int hearing; /* bytes that are not counted yet */
static atomic_size_t unseen; /* that came to outputs since somebody looked */
static atomic_int tcp_keyed; /* who we connect to */

/* Bytes of subscriptions. */
static _Atomic uint64_t topics;        /* of all lines */
static _Atomic uint64_t topics_unread; /* that came since all were read */
static int topics_end;                 /* behind the last line that had some */

static _Thread_local enum intake_role opening;
static _Thread_local const char *opening_name;
static _Thread_local int adds_remotes;
static _Thread_local int listens; /* to peers: it is libzmq's */

void
accept_within(size_t max_message, size_t max_parts, size_t queue)
{
    queue_most = queue;
    for (int i = 0; i < INTAKE_ROLES; i++) {
        limits[i] =
            intake_limits_of((enum intake_role)i, max_message, max_parts);
        limits[i].frame = i == INTAKE_INPUT ? max_message : WIRE_HEARD_MOST;
    }
}

void
accept_for(enum intake_role role, const char *name)
{
    opening = role;
    opening_name = name;
}

/* libzmq connects on a thread of its own. What this one connects to, it only
 * tries: see ipc.c. */
void
accept_from(enum intake_role role, const char *name, const char *endpoint,
            enum intake_kind kind, int keyed)
{
    adds_remotes = 1;
    atomic_store(&tcp_keyed, keyed);
    remote_add(role, name, endpoint, kind);
}

void
accept_settle(size_t messages)
{
    size_t before = atomic_load_explicit(&owed, memory_order_relaxed), after;

    do
        after = messages < before ? before - messages : 0;
    while (before > 0 &&
           !atomic_compare_exchange_weak(&owed, &before, after));
}

void
accept_took(void)
{
    took++;
}

uint64_t
accept_hidden(void)
{
    uint64_t some = atomic_load(&hearing) != 0;
    uint64_t all = atomic_load(&came);

    return some + (all > took ? all - took : 0);
}

void
accept_seen(void)
{
    atomic_store(&unseen, 0);
}

void
accept_heard(void)
{
    atomic_store(&topics_unread, 0);
}

/* What DESCRIPTOR is, if it is anything to USE. */
static struct line *
line_of(int descriptor, enum use use)
{
    if (descriptor < 0 || descriptor >= LINES_MAX)
        return NULL;
    struct line *line = &lines[descriptor];
    return atomic_load_explicit(&line->use, memory_order_acquire) == use ? line
                                                                         : NULL;
}

static enum intake_role
role_of(const struct line *line)
{
    return (enum intake_role)atomic_load_explicit(&line->role,
                                                  memory_order_relaxed);
}

static const char *
name_of(const struct line *line)
{
    return atomic_load_explicit(&line->name, memory_order_relaxed);
}

int
accept_is_input(int descriptor)
{
    const struct line *line = line_of(descriptor, USE_PEER);

    return line != NULL && role_of(line) == INTAKE_INPUT;
}

/* Its subscriptions are nobody's any more. */
static void
forget_topics(struct line *line)
{
    atomic_fetch_sub(&topics, atomic_exchange(&line->topics, 0));
}

/* OWES is a peer's, from the first. */
static void
set_line(int descriptor, enum use use, enum intake_role role, const char *name,
         size_t owes)
{
    if (descriptor < 0 || descriptor >= LINES_MAX)
        return;
    struct line *line = &lines[descriptor];
    forget_topics(line);
    if (use == USE_PEER) {
        line->intake = (struct intake){0};
        line->owes = owes;
        line->came = 0;
        atomic_store_explicit(&line->ignored, 0, memory_order_relaxed);
        line->flow = (struct outflow){0};
        atomic_store_explicit(&line->records, 0, memory_order_relaxed);
        atomic_store_explicit(&line->sent, 0, memory_order_relaxed);
    }
    atomic_store_explicit(&line->role, (unsigned char)role,
                          memory_order_relaxed);
    atomic_store_explicit(&line->name, name, memory_order_relaxed);
    atomic_store_explicit(&line->use, (unsigned char)use, memory_order_release);
}

/* ---- socket, connect ---- */

static int
open_socket(int domain, int type, int protocol)
{
    int opened = (int)syscall(SYS_socket, domain, type, protocol);

    set_line(opened, opening == INTAKE_NONE ? USE_OTHER : USE_LISTENER, opening,
             opening_name, 0);
    return opened;
}

/* Before the call, as it may go on behind it. The queue that is filled stays
 * when we connect again, so that there is never another: nothing is owed. */
static int
reach(int descriptor, const struct sockaddr *address, socklen_t len)
{
    const struct remote *remote =
        adds_remotes ? NULL : remote_find(address, len);

    if (remote != NULL) {
        set_line(descriptor, USE_PEER, remote->role, remote->name, queue_most);
        struct line *line = line_of(descriptor, USE_PEER);
        if (line != NULL) {
            line->intake.kinds = (uint8_t)remote_kinds(address, len);
            line->intake.keyed =
                remote->path == NULL && atomic_load(&tcp_keyed);
        }
    }
    return (int)syscall(SYS_connect, descriptor, address, len);
}

/* ---- accept4 ---- */

/* The first descriptor that is not for connections. */
static int
limit(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0 ||
        files.rlim_cur > (rlim_t)LINES_MAX)
        return LINES_MAX;
    return (int)files.rlim_cur - WIRE_OWN_FILES;
}

static void
tell_once(int most)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;

    if (!atomic_flag_test_and_set(&told))
        log_warning("more connections than the limit of open files, %d, has "
                    "room for: some are hung up on; see ulimit -n",
                    most + WIRE_OWN_FILES);
}

static void
tell_full(const char *name)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;

    if (!atomic_flag_test_and_set(&told))
        log_warning("%s: more senders have come than could be read from: new "
                    "ones are hung up on until some have been; is an output "
                    "stuck?",
                    name);
}

/* Whether one more may leave messages. */
static int
may_owe(const struct line *from)
{
    return from == NULL || role_of(from) != INTAKE_INPUT ||
           atomic_load(&owed) / OWED_MAX < queue_most;
}

/* Whether one more may be there before anybody looks. */
static int
may_come(const struct line *from)
{
    return from == NULL ||
           (role_of(from) != INTAKE_PUSH && role_of(from) != INTAKE_PUB) ||
           atomic_fetch_add(&unseen, 1) < UNSEEN_MAX;
}

/* A sender owes what it brings, until that has filled a queue: more it cannot
 * leave behind, and who stays and sends for years keeps nobody out. */
static void
note_owing(struct line *line)
{
    uint64_t messages = line->intake.messages;
    size_t owes = messages < queue_most ? (size_t)messages : queue_most;

    if (role_of(line) != INTAKE_INPUT)
        return;
    atomic_fetch_add(&came, messages - line->came);
    line->came = messages;
    if (owes <= line->owes)
        return;
    atomic_fetch_add(&owed, owes - line->owes);
    line->owes = owes;
}

static int
hang_up(int taken)
{
    (void)syscall(SYS_close, taken);
    errno = ECONNABORTED;
    return -1;
}

static int
take(int listener, struct sockaddr *address, socklen_t *len, int flags)
{
    const struct line *from = line_of(listener, USE_LISTENER);
    int taken = (int)syscall(SYS_accept4, listener, address, len, flags);

    if (taken < 0) {
        if (errno == EMFILE) /* libzmq is prepared for this one */
            errno = ENFILE;
        return taken;
    }
    int most = limit();
    if (taken >= most) {
        tell_once(most);
        return hang_up(taken);
    }
    if (!may_owe(from)) {
        tell_full(name_of(from));
        signals_wake();
        return hang_up(taken);
    }
    if (!may_come(from))
        return hang_up(taken);
    if (from == NULL)
        set_line(taken, USE_OTHER, INTAKE_NONE, NULL, 0);
    else
        set_line(taken, USE_PEER, role_of(from), name_of(from), 0);
    return taken;
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
    enum intake_role role = role_of(line);
    enum intake_fault fault = line->intake.fault;
    const char *name = name_of(line);

    if (!atomic_exchange(&told[role][fault], 1))
        log_warning("%s: hung up on a peer %s; others will be without a word",
                    name, reason(role, fault));
}

/* The bytes of all subscriptions, without those of who has gone: of close
 * nobody tells. *MOST: the descriptor that has most of them, unless it is the
 * one that it was. */
static uint64_t
recount_topics(int *most)
{
    uint64_t sum = 0;

    for (int i = 0; i < topics_end; i++) {
        if (atomic_load(&lines[i].topics) > 0 && fcntl(i, F_GETFD) < 0)
            forget_topics(&lines[i]);
        uint64_t some = atomic_load(&lines[i].topics);
        sum += some;
        if (some > atomic_load(&lines[*most].topics))
            *most = i;
    }
    return sum;
}

/* It need not be the one that is heard. */
static void
end_subscriber(int descriptor, enum intake_fault fault)
{
    struct line *line = &lines[descriptor];

    line->intake.fault = (uint8_t)fault;
    forget_topics(line);
    tell_why(line);
    (void)shutdown(descriptor, SHUT_RDWR);
}

/*
 * What DESCRIPTOR has subscribed to, or taken back, may have grown. Whether it
 * stays. Where all have too much it is who has most that does not, so that no
 * stranger keeps others from subscribing.
 */
static int
shares_topics(struct line *line, int descriptor)
{
    uint64_t limit_bytes = limits[INTAKE_PUB].all;
    uint64_t more = line->intake.all - atomic_load(&line->topics);
    int most = descriptor;

    if (role_of(line) != INTAKE_PUB || more == 0 ||
        line->intake.fault != INTAKE_FINE)
        return 1;
    topics_end = descriptor < topics_end ? topics_end : descriptor + 1;
    atomic_fetch_add(&line->topics, more);
    atomic_fetch_add(&topics, more);
    if (atomic_fetch_add(&topics_unread, more) > UNREAD_TIMES * limit_bytes)
        end_subscriber(descriptor, INTAKE_FLOOD);
    while (atomic_load(&topics) > limit_bytes &&
           recount_topics(&most) > limit_bytes) {
        end_subscriber(most, INTAKE_MUCH);
        most = descriptor;
    }
    return line->intake.fault == INTAKE_FINE;
}

/* libzmq has no event for the handshake of ZMTP 2, so that nobody counts who
 * has come to a push by that. */
static void
tell_uncounted(const struct line *line)
{
    if (line->intake.named && role_of(line) == INTAKE_PUSH)
        log_info("%s: a peer has come that speaks ZMTP 2: --wait-peers does "
                 "not count it",
                 name_of(line));
}

/* The next LEN bytes of DESCRIPTOR. Returns how many of them are fine. */
static size_t
follow(struct line *line, int descriptor, const void *bytes, size_t len)
{
    int shaken = line->intake.shaken;
    size_t fine =
        intake_follow(&line->intake, &limits[role_of(line)], bytes, len);

    if (line->intake.shaken > shaken)
        tell_uncounted(line);
    note_owing(line);
    return shares_topics(line, descriptor) ? fine : 0;
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

/* What came before is libzmq's yet. That it is over it learns when it asks
 * for more, and shutdown has it ask at once. */
static ssize_t
hear_peer(struct line *line, int descriptor, void *bytes, size_t size,
          int flags)
{
    if (line->intake.fault != INTAKE_FINE) {
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
    ssize_t got = (ssize_t)syscall(SYS_recvfrom, descriptor, bytes,
                                   size < wants ? size : wants, flags, NULL,
                                   NULL);
    if (got <= 0 || (flags & MSG_PEEK))
        return got;
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
    atomic_fetch_add(&hearing, 1); /* before the kernel has them no more */
    ssize_t got = hear_peer(line, descriptor, bytes, size, flags);
    atomic_fetch_sub(&hearing, 1);
    return got;
}

/* ---- send ---- */

static ssize_t
say(int descriptor, const void *bytes, size_t len, int flags)
{
    struct line *line = line_of(descriptor, USE_PEER);
    ssize_t sent = (ssize_t)syscall(SYS_sendto, descriptor, bytes, len, flags,
                                    NULL, 0);

    if (line == NULL || sent <= 0)
        return sent;
    outflow_follow(&line->flow, bytes, (size_t)sent);
    /* In this order: who looks on meanwhile sees too many, not too few. */
    atomic_store(&line->records, line->flow.records);
    atomic_store(&line->sent, line->flow.all);
    return sent;
}

size_t
accept_unread(int descriptor, size_t unread)
{
    struct line *line = line_of(descriptor, USE_PEER);

    if (line == NULL)
        return unread;
    uint64_t sent = atomic_load(&line->sent);
    return (size_t)outflow_unread(sent, atomic_load(&line->records), unread);
}

/* ---- epoll_ctl, epoll_wait ---- */

/*
 * While an input's queue is full libzmq does not read, and asks for no events.
 * That the peer has hung up, or broken down, it would be told all the same,
 * and it would then forget what it has not read. So it hears of that when it
 * reads on.
 */
static int
listen_to(int epoll, int what, int descriptor, struct epoll_event *event)
{
    struct line *line = line_of(descriptor, USE_PEER);

    listens |= line != NULL;
    if (line == NULL || role_of(line) != INTAKE_INPUT)
        return (int)syscall(SYS_epoll_ctl, epoll, what, descriptor, event);
    /* It may have been a peer's, and be what wakes another of its threads. */
    int ignores = what == EPOLL_CTL_MOD && event->events == 0;
    int was_ignored =
        atomic_exchange(&line->ignored, ignores) || what == EPOLL_CTL_ADD;
    if (ignores || what == EPOLL_CTL_DEL)
        return was_ignored ? 0
                           : (int)syscall(SYS_epoll_ctl, epoll, EPOLL_CTL_DEL,
                                          descriptor, NULL);
    return (int)syscall(SYS_epoll_ctl, epoll,
                        was_ignored ? EPOLL_CTL_ADD : EPOLL_CTL_MOD,
                        descriptor, event);
}

/* Who has hung up is read until there is nothing more, as others are: of both
 * at once libzmq would read, and where the queue is full then, forget the
 * rest. */
static int
listen_for_any(int epoll, struct epoll_event *events, int most, int timeout)
{
    int count = epoll_pwait(epoll, events, most, timeout, NULL);

    for (int i = 0; listens && i < count; i++)
        if (events[i].events & EPOLLIN)
            events[i].events &= ~(uint32_t)(EPOLLHUP | EPOLLERR);
    return count;
}

/* Declared as libc has them, whatever names that gives to the parameters. */
extern __typeof__(take) accept4
    __attribute__((alias("take"), visibility("default")));
extern __typeof__(hear) recv
    __attribute__((alias("hear"), visibility("default")));
extern __typeof__(say) send
    __attribute__((alias("say"), visibility("default")));
extern __typeof__(listen_to) epoll_ctl
    __attribute__((alias("listen_to"), visibility("default")));
extern __typeof__(listen_for_any) epoll_wait
    __attribute__((alias("listen_for_any"), visibility("default")));
extern __typeof__(open_socket) socket
    __attribute__((alias("open_socket"), visibility("default")));
extern __typeof__(reach) connect
    __attribute__((alias("reach"), visibility("default")));

#else

void
accept_settle(size_t messages)
{
    (void)messages;
}

void
accept_took(void)
{
}

uint64_t
accept_hidden(void)
{
    return 0;
}

void
accept_seen(void)
{
}

size_t
accept_unread(int descriptor, size_t unread)
{
    (void)descriptor;
    return unread;
}

void
accept_heard(void)
{
}

int
accept_is_input(int descriptor)
{
    (void)descriptor;
    return 1;
}

void
accept_within(size_t max_message, size_t max_parts, size_t queue)
{
    (void)queue;
    (void)max_message;
    (void)max_parts;
}

void
accept_for(enum intake_role role, const char *name)
{
    (void)role;
    (void)name;
}

void
accept_from(enum intake_role role, const char *name, const char *endpoint,
            enum intake_kind kind, int keyed)
{
    (void)kind;
    (void)keyed;
    (void)role;
    (void)name;
    (void)endpoint;
}

#endif
