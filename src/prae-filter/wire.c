/* wire.c - the context, socket options, binding and letting go. */
#include "wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include "accept.h"
#include "clock.h"
#include "frame.h"
#include "log.h"
#include "overhear.h"
#include "rounds.h"

#define HWM_USUAL 1000 /* messages, as libzmq has it */
#define HWM_TIGHT 100
#define BUFFER_TIGHT 8192  /* bytes the kernel may hold */
#define RECONNECT_MS 100   /* then longer and longer, ... */
#define RECONNECT_MAX 2000 /* ... up to this */
#define KEEPALIVE_IDLE 30  /* seconds of silence before the first probe */
#define KEEPALIVE_STEP 10  /* seconds between probes */
#define KEEPALIVE_PROBES 3 /* unanswered, and the peer is gone */
#define HANDSHAKE_MS 10000 /* for a peer that says nothing */
#define BACKLOG 512        /* connections waiting to be looked at */
#define FILES_LEAST 40     /* descriptors for all but sockets, and for peers */
#define FILES_PER_SOCKET 6 /* with what watches it */

size_t
wire_queue(const struct options *options)
{
    if (options->hwm > 0)
        return options->hwm;
    return options->tight ? HWM_TIGHT : HWM_USUAL;
}

enum exit_status
wire_open(struct wire *wire, const struct options *options)
{
    *wire = (struct wire){.options = options};
    accept_within(wire_queue(options));
    overhear_within(options->max_message, options->max_parts,
                    wire_queue(options));
    return curve_open(&wire->curve, options->curve_secret,
                      options->curve_server, options->curve_allow);
}

/* libzmq ends the process where it finds no descriptor for what it needs
 * itself, so there have to be enough. */
static enum exit_status
check_descriptors(const struct options *options)
{
    struct rlimit files;
    size_t sockets = options->in.count + SINK_COUNT + 1;
    rlim_t need = FILES_LEAST + (rlim_t)(sockets * FILES_PER_SOCKET);

    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= need)
        return EXIT_DONE;
    log_error("cannot start ZeroMQ: the limit of open files is %llu; raise it "
              "to %llu or more, see ulimit -n",
              (unsigned long long)files.rlim_cur, (unsigned long long)need);
    return EXIT_FAILED;
}

/*
 * libzmq calls peers that have no name by numbers, which go on from where rand
 * begins: in every process the same. Whoever is let in by a key could take the
 * next one, unseen by intake.c, and libzmq would end the process. To guess it
 * is left. Where there is no entropy we are as well off as before.
 */
static void
begin_anywhere(void)
{
    unsigned seed;

    if (getentropy(&seed, sizeof seed) == 0)
        srand(seed);
}

static enum exit_status
start(struct wire *wire)
{
    if (wire->context != NULL)
        return EXIT_DONE;
    if (check_descriptors(wire->options) != EXIT_DONE)
        return EXIT_FAILED;
    begin_anywhere();
    wire->context = zmq_ctx_new();
    if (wire->context == NULL) {
        log_error("cannot start ZeroMQ: %s", zmq_strerror(errno));
        return EXIT_FAILED;
    }
    /* Not to be waited for when nothing of ours is left to be sent. */
    zmq_ctx_set(wire->context, ZMQ_BLOCKY, 0);
    /* Before any endpoint is there that has to ask it. With the first socket
     * libzmq's threads begin. */
    rounds_expect(1);
    enum exit_status status =
        curve_serves(&wire->curve)
            ? zap_open(&wire->zap, wire->context, &wire->curve)
            : EXIT_DONE;
    rounds_expect(0);
    return status;
}

/* ---- opening ---- */

struct setting {
    int option;
    int value;
};

static int
is_tcp(const char *endpoint)
{
    return strncmp(endpoint, "tcp:", 4) == 0;
}

/* Messages of a peer that may wait in a socket of TYPE. */
static int
unread_most(const struct wire *wire, int type, const struct spec *spec)
{
    int hwm = (int)wire_queue(wire->options);
    int asks = spec->bind && is_tcp(spec->endpoint) &&
               curve_serves(&wire->curve);

    /* What comes to a socket that only sends is never read, and stays as long
     * as its connection. Subscriptions are read, but only when the socket is
     * looked into. */
    if (type == ZMQ_PUSH)
        return 1;
    /* The name that a peer was let in by is put before its first message, and
     * libzmq never counts it as read: in a queue of one nothing else would
     * have room. */
    return asks ? hwm + 1 : hwm;
}

static int
set_all(const struct wire *wire, void *socket, int type,
        const struct spec *spec)
{
    const struct options *options = wire->options;
    const struct setting settings[] = {
        /* Subscriptions are all that a sub sends, and what has no room would
         * be dropped: it would be deaf to that topic. */
        {ZMQ_SNDHWM, type == ZMQ_SUB ? 0 : (int)wire_queue(options)},
        {ZMQ_RCVHWM, unread_most(wire, type, spec)},
        {ZMQ_IPV6, 1},
        {ZMQ_TCP_KEEPALIVE, 1},
        {ZMQ_TCP_KEEPALIVE_IDLE, KEEPALIVE_IDLE},
        {ZMQ_TCP_KEEPALIVE_INTVL, KEEPALIVE_STEP},
        {ZMQ_TCP_KEEPALIVE_CNT, KEEPALIVE_PROBES},
        {ZMQ_RECONNECT_IVL, RECONNECT_MS},
        {ZMQ_RECONNECT_IVL_MAX, RECONNECT_MAX},
        {ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS},
        {ZMQ_BACKLOG, BACKLOG},
        /* The queue to one downstream survives its restart. */
        {ZMQ_IMMEDIATE, 0},
    };
    /* Enough for a topic, and for all that is said until a key is known. */
    int64_t most = type == ZMQ_PUSH || type == ZMQ_XPUB
                       ? WIRE_HEARD_MOST
                       : (int64_t)options->max_message;
    int tight = BUFFER_TIGHT;
    int bad = 0;

    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        bad |= zmq_setsockopt(socket, settings[i].option, &settings[i].value,
                              sizeof settings[i].value);
    bad |= zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &most, sizeof most);
    if (options->tight) {
        bad |= zmq_setsockopt(socket, ZMQ_SNDBUF, &tight, sizeof tight);
        bad |= zmq_setsockopt(socket, ZMQ_RCVBUF, &tight, sizeof tight);
    }
    return bad == 0;
}

/* Nobody should come to listen on the network without having meant to. */
static enum exit_status
check_exposure(const struct wire *wire, const struct spec *spec)
{
    if (!spec->bind && !spec_is_local(spec) && curve_serves(&wire->curve) &&
        !curve_connects(&wire->curve))
        log_warning("%s: goes over the network in clear; --curve-server "
                    "names the key of who is there",
                    spec->text);
    if (!spec->bind || spec_is_local(spec) || curve_serves(&wire->curve) ||
        wire->options->insecure)
        return EXIT_DONE;
    log_error("%s: anybody who reaches this address could connect; protect it "
              "with --curve-secret and --curve-allow, bind 127.0.0.1, or give "
              "--insecure",
              spec->text);
    return EXIT_CONFIG;
}

enum exit_status
wire_socket(struct wire *wire, struct socket *socket, int type,
            const struct spec *spec)
{
    *socket = (struct socket){.spec = spec};
    enum exit_status status = check_exposure(wire, spec);
    if (status == EXIT_DONE)
        status = start(wire);
    if (status != EXIT_DONE)
        return status;
    rounds_expect(1);
    socket->socket = zmq_socket(wire->context, type);
    rounds_expect(0);
    if (socket->socket == NULL ||
        !set_all(wire, socket->socket, type, spec)) {
        log_error("%s: cannot make a socket: %s", spec->text,
                  zmq_strerror(errno));
        return EXIT_FAILED;
    }
    if (is_tcp(spec->endpoint))
        status = curve_apply(&wire->curve, socket->socket, spec->bind);
    return status;
}

/* What peers are there for, whoever connects. */
static const enum intake_role roles[] = {
    [SOCKET_PULL] = INTAKE_INPUT, [SOCKET_SUB] = INTAKE_INPUT,
    [SOCKET_PUSH] = INTAKE_PUSH,  [SOCKET_PUB] = INTAKE_PUB,
    [SOCKET_CONTROL] = INTAKE_CONTROL};

/* And what they are, where we do. */
static const enum intake_kind fitting[] = {
    [SOCKET_PULL] = INTAKE_KIND_PUSH, [SOCKET_SUB] = INTAKE_KIND_PUB,
    [SOCKET_PUSH] = INTAKE_KIND_PULL, [SOCKET_PUB] = INTAKE_KIND_SUB};

static int
bind_socket(struct socket *socket, const char *endpoint)
{
    int bad;

    accept_for(roles[socket->spec->socket], socket->spec->text);
    do
        bad = zmq_bind(socket->socket, endpoint);
    while (interrupted(bad));
    accept_for(INTAKE_NONE, NULL);
    return bad;
}

static enum exit_status
bind_to(struct socket *socket, const char *endpoint)
{
    size_t len = sizeof socket->endpoint;
    enum exit_status status = ipc_check(&socket->ipc, socket->spec->endpoint);

    if (status != EXIT_DONE)
        return status;
    if (bind_socket(socket, endpoint) != 0) {
        log_error("%s: cannot bind: %s", socket->spec->text,
                  errno == ENODEV ? "no interface has this address"
                                  : zmq_strerror(errno));
        return EXIT_UNAVAILABLE;
    }
    ipc_note(&socket->ipc);
    if (zmq_getsockopt(socket->socket, ZMQ_LAST_ENDPOINT, socket->endpoint,
                       &len) != 0)
        socket->endpoint[0] = '\0';
    log_info("bound %s", socket->endpoint);
    return EXIT_DONE;
}

int
wire_connect(void *socket, const char *endpoint)
{
    int bad;

    do
        bad = zmq_connect(socket, endpoint);
    while (interrupted(bad));
    return bad;
}

enum exit_status
wire_attach(struct wire *wire, struct socket *socket)
{
    const struct spec *spec = socket->spec;

    if (spec->bind)
        return bind_to(socket, spec->endpoint);
    accept_from(roles[spec->socket], spec->text, spec->endpoint,
                fitting[spec->socket], curve_connects(&wire->curve));
    if (wire_connect(socket->socket, spec->endpoint) != 0) {
        log_error("%s: cannot connect: %s", spec->text, zmq_strerror(errno));
        return EXIT_UNAVAILABLE;
    }
    return EXIT_DONE;
}

/* ---- while it runs ---- */

void
wire_unbind(struct socket *socket)
{
    int bad = 0;

    if (socket->socket == NULL || socket->endpoint[0] == '\0')
        return;
    ipc_remove(&socket->ipc);
    if (!socket->lost)
        do
            bad = zmq_unbind(socket->socket, socket->endpoint);
        while (interrupted(bad));
    if (bad != 0)
        log_info("cannot unbind %s: %s", socket->endpoint, zmq_strerror(errno));
    socket->endpoint[0] = '\0';
    socket->lost = 0;
}

void
wire_leave(struct socket *socket)
{
    int bad;

    wire_unbind(socket);
    if (!socket->spec->bind)
        do
            bad = zmq_disconnect(socket->socket, socket->spec->endpoint);
        while (interrupted(bad));
    wire_look(socket);
}

void
wire_look(struct socket *socket)
{
    int events, bad;
    size_t len = sizeof events;

    do
        bad = zmq_getsockopt(socket->socket, ZMQ_EVENTS, &events, &len);
    while (interrupted(bad));
}

static void
rest(void)
{
    struct timespec left = {.tv_nsec = 5000000};

    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

/* By the keys there are now. */
static int
bind_keyed(const struct wire *wire, struct socket *socket, const char *endpoint)
{
    return curve_apply(&wire->curve, socket->socket, 1) == EXIT_DONE
               ? bind_socket(socket, endpoint)
               : -1; /* told */
}

/* The listener that was there goes a moment after it was told to. */
static void
bind_again(const struct wire *wire, struct socket *socket, const char *endpoint)
{
    int bad = bind_keyed(wire, socket, endpoint);

    for (int i = 0; i < 100 && bad != 0 && errno == EADDRINUSE; i++) {
        rest();
        bad = bind_keyed(wire, socket, endpoint);
    }
    memcpy(socket->endpoint, endpoint, strlen(endpoint) + 1);
    socket->lost = bad != 0;
    if (socket->lost)
        log_error("%s: cannot bind again: %s; nobody new can connect until "
                  "that is possible, which is tried every second",
                  endpoint, zmq_strerror(errno));
    else
        log_info("bound %s again", endpoint);
}

int
wire_is_lost(const struct wire *wire, struct socket *socket)
{
    if (!socket->lost)
        return 0;
    socket->lost = bind_keyed(wire, socket, socket->endpoint) != 0;
    if (!socket->lost)
        log_warning("bound %s again, after all", socket->endpoint);
    return socket->lost;
}

int
wire_reload(struct wire *wire)
{
    char before[ZCERT_KEY_CHARS + 1]; /* public */

    memcpy(before, wire->curve.keys.own.public_key, sizeof before);
    return curve_reload(&wire->curve) == EXIT_DONE &&
           memcmp(before, wire->curve.keys.own.public_key, sizeof before) != 0;
}

int
wire_has_key(const struct socket *socket)
{
    return is_tcp(socket->endpoint);
}

int
wire_encrypts(const struct wire *wire, const struct spec *spec)
{
    const struct curve *curve = &wire->curve;

    return is_tcp(spec->endpoint) &&
           (spec->bind ? curve_serves(curve) : curve_connects(curve));
}

int
wire_meets_key(const struct wire *wire, const struct spec *spec)
{
    return !spec->bind && wire_encrypts(wire, spec);
}

void
wire_renew(const struct wire *wire, struct socket *socket)
{
    char endpoint[sizeof socket->endpoint];

    if (!wire_has_key(socket))
        return;
    memcpy(endpoint, socket->endpoint, sizeof endpoint);
    wire_unbind(socket);
    if (roles[socket->spec->socket] == INTAKE_INPUT)
        overhear_cut(socket->spec->text);
    bind_again(wire, socket, endpoint);
}

void
wire_replace(const struct wire *wire, struct socket *old, struct socket *by)
{
    char endpoint[sizeof old->endpoint];

    memcpy(endpoint, old->endpoint, sizeof endpoint);
    wire_close(old, 0);
    bind_again(wire, by, endpoint);
}

/* ---- closing ---- */

void
wire_close(struct socket *socket, int linger_ms)
{
    if (socket->socket == NULL)
        return;
    wire_unbind(socket);
    zmq_setsockopt(socket->socket, ZMQ_LINGER, &linger_ms, sizeof linger_ms);
    zmq_close(socket->socket);
    socket->socket = NULL;
}

void
wire_forsake(struct socket *socket)
{
    ipc_remove(&socket->ipc);
    socket->socket = NULL;
}

void
wire_end(struct wire *wire, double until)
{
    struct rounds last = rounds_now();

    zap_close(&wire->zap);
    curve_close(&wire->curve);
    while (!rounds_are_over(&last) && clock_now() < until)
        rest();
    if (wire->context == NULL || wire->forsaken || !rounds_are_over(&last))
        return;
    while (zmq_ctx_term(wire->context) != 0 && errno == EINTR)
        continue;
    rounds_forget(); /* its threads are gone */
    wire->context = NULL;
}
