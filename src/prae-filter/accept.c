/*
 * accept.c - connections that are taken while there are descriptors for them,
 * in the place of socket, connect and accept4.
 *
 * Who connects takes a descriptor before anybody asks for a key, and libzmq
 * ends the process where none is left for a connection by ipc. So, for the
 * libraries that we use, the last descriptors are ours, for files, and who
 * would take one of them is hung up on. A peer comes again by itself, and who
 * only sits there is gone after the handshake's time.
 *
 * Listeners are known from others while they are made, before anybody can
 * connect, and whom we connect to by remote.c. What connections then bring is
 * overhear.c's; what peers may have left in the queues of inputs is owed, see
 * accept_settle.
 */
#define _GNU_SOURCE /* accept4. NOLINT(bugprone-reserved-identifier) */
#include "accept.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "line.h"
#include "log.h"
#include "remote.h"
#include "signals.h"
#include "wire.h"

#ifdef LINES_ARE_KNOWN

#define OWED_MAX 256    /* queues, of connections to inputs */
#define UNSEEN_MAX 4096 /* connections to outputs: some 2 MB in libzmq */
#define UNREAD_MAX 2048 /* senders, that left nothing: some 22 MB */

static size_t queue_most;    /* messages of a connection */
static atomic_size_t owed;   /* those that may wait */
static atomic_size_t unread; /* senders that came since somebody looked, ... */
static atomic_size_t unseen; /* ... and others, to outputs */
static atomic_int tcp_keyed; /* who we connect to */
static atomic_int is_closed; /* to senders */

static _Thread_local enum intake_role opening;
static _Thread_local const char *opening_name;
static _Thread_local int adds_remotes;

void
accept_within(size_t queue)
{
    queue_most = queue;
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
accept_owe(size_t messages)
{
    atomic_fetch_add(&owed, messages);
}

void
accept_sender(void)
{
    atomic_fetch_add(&unread, 1);
}

static void
lower(atomic_size_t *count, size_t some)
{
    size_t before = atomic_load_explicit(count, memory_order_relaxed), after;

    do
        after = some < before ? before - some : 0;
    while (before > 0 &&
           !atomic_compare_exchange_weak(count, &before, after));
}

/* With each message libzmq goes on to the next queue, and frees one that is
 * empty and whose sender has gone. */
void
accept_settle(size_t messages)
{
    lower(&owed, messages);
    lower(&unread, messages);
}

void
accept_seen(void)
{
    atomic_store(&unseen, 0);
}

void
accept_no_senders(void)
{
    atomic_store(&is_closed, 1);
}

static int
is_unwanted(enum intake_role role)
{
    return role == INTAKE_INPUT && atomic_load(&is_closed);
}

/* ---- socket, connect ---- */

static int
open_socket(int domain, int type, int protocol)
{
    int opened = (int)syscall(SYS_socket, domain, type, protocol);

    line_begin(opened, opening == INTAKE_NONE ? USE_OTHER : USE_LISTENER,
               opening, opening_name);
    return opened;
}

/* Before the call, as it may go on behind it. The queue that is filled stays
 * when we connect again, so that there is never another: nothing is owed. */
static int
reach(int descriptor, const struct sockaddr *address, socklen_t len)
{
    const struct remote *remote =
        adds_remotes ? NULL : remote_find(address, len);

    if (remote != NULL && is_unwanted(remote->role)) {
        errno = ECONNREFUSED;
        return -1;
    }
    if (remote != NULL) {
        line_begin(descriptor, USE_PEER, remote->role, remote->name);
        struct line *line = line_of(descriptor, USE_PEER);
        if (line != NULL) {
            line->owes = SIZE_MAX;
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
                    "stuck, or are its peers awaited?",
                    name);
}

/* Whether one more may leave messages, or a queue without any. */
static int
may_owe(const struct line *from)
{
    return from == NULL || line_role(from) != INTAKE_INPUT ||
           (atomic_load(&owed) / OWED_MAX < queue_most &&
            atomic_load(&unread) < UNREAD_MAX);
}

/* Whether one more may be there before anybody looks. */
static int
may_come(const struct line *from)
{
    return from == NULL ||
           (line_role(from) != INTAKE_PUSH && line_role(from) != INTAKE_PUB) ||
           atomic_fetch_add(&unseen, 1) < UNSEEN_MAX;
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
        tell_full(line_name(from));
        signals_wake();
        return hang_up(taken);
    }
    if (!may_come(from) || (from != NULL && is_unwanted(line_role(from))))
        return hang_up(taken);
    if (from == NULL)
        line_begin(taken, USE_OTHER, INTAKE_NONE, NULL);
    else
        line_begin(taken, USE_PEER, line_role(from), line_name(from));
    return taken;
}

/* Declared as libc has them, whatever names that gives to the parameters. */
extern __typeof__(take) accept4
    __attribute__((alias("take"), visibility("default")));
extern __typeof__(open_socket) socket
    __attribute__((alias("open_socket"), visibility("default")));
extern __typeof__(reach) connect
    __attribute__((alias("reach"), visibility("default")));

#else

void
accept_within(size_t queue)
{
    (void)queue;
}

void
accept_owe(size_t messages)
{
    (void)messages;
}

void
accept_sender(void)
{
}

void
accept_settle(size_t messages)
{
    (void)messages;
}

void
accept_seen(void)
{
}

void
accept_no_senders(void)
{
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
