/*
 * ask.c - a REQ socket that does not wait for ever.
 *
 * The socket takes a question only when there is a connection (and, with
 * keys, when the peer has accepted ours), so it is known whether a filter is
 * not there or does not answer.
 */
#include "ask.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

#include "clock.h"
#include "log.h"

#define RECONNECT_MS 100
#define RECONNECT_MAX_MS 1000

int
ask_is_endpoint(const char *text)
{
    return (strncmp(text, "tcp://", 6) == 0 ||
            strncmp(text, "ipc://", 6) == 0) &&
           text[6] != '\0';
}

enum exit_status
ask_open(struct ask *ask, const char *endpoint, const char *curve_secret,
         const char *curve_server)
{
    *ask = (struct ask){.endpoint = endpoint};
    enum exit_status status =
        curve_open(&ask->curve, curve_secret, curve_server, NULL);
    if (status != EXIT_DONE)
        return status;
    ask->context = zmq_ctx_new();
    if (ask->context == NULL) {
        log_error("cannot start ZeroMQ: %s", zmq_strerror(errno));
        return EXIT_FAILED;
    }
    zmq_ctx_set(ask->context, ZMQ_BLOCKY, 0);
    return EXIT_DONE;
}

/* ---- the socket ---- */

static int
set_all(void *socket)
{
    const struct {
        int option, value;
    } settings[] = {
        {ZMQ_LINGER, 0},
        {ZMQ_IMMEDIATE, 1}, /* no question without a connection */
        {ZMQ_IPV6, 1},
        {ZMQ_RECONNECT_IVL, RECONNECT_MS},
        {ZMQ_RECONNECT_IVL_MAX, RECONNECT_MAX_MS},
    };
    int64_t most = (int64_t)ASK_MOST;
    int bad = zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &most, sizeof most);

    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        bad |= zmq_setsockopt(socket, settings[i].option, &settings[i].value,
                              sizeof settings[i].value);
    return bad == 0;
}

static void
hang_up(struct ask *ask)
{
    if (ask->socket != NULL)
        zmq_close(ask->socket);
    ask->socket = NULL;
}

static enum exit_status
dial(struct ask *ask, char why[ASK_WHY])
{
    if (ask->socket != NULL)
        return EXIT_DONE;
    ask->socket = zmq_socket(ask->context, ZMQ_REQ);
    if (ask->socket == NULL || !set_all(ask->socket)) {
        snprintf(why, ASK_WHY, "cannot make a socket: %s", zmq_strerror(errno));
        return EXIT_FAILED;
    }
    if (strncmp(ask->endpoint, "tcp:", 4) == 0 &&
        !curve_set_client(&ask->curve, ask->socket)) {
        snprintf(why, ASK_WHY, "cannot set CURVE keys on a socket: %s",
                 zmq_strerror(errno));
        return EXIT_FAILED;
    }
    int bad;
    do
        bad = zmq_connect(ask->socket, ask->endpoint);
    while (bad != 0 && errno == EINTR);
    if (bad != 0) {
        snprintf(why, ASK_WHY, "cannot connect to %s: %s", ask->endpoint,
                 zmq_strerror(errno));
        return EXIT_UNAVAILABLE;
    }
    return EXIT_DONE;
}

/* Waits until the socket is ready for EVENTS, or UNTIL; sees to the
 * patience's own descriptors on the way. 1 where it is ready. */
static int
await(struct ask *ask, short events, double until,
      const struct patience *patience)
{
    zmq_pollitem_t items[1 + PATIENCE_FDS] = {
        {.socket = ask->socket, .events = events}};
    size_t count = 1;

    for (size_t i = 0; i < patience->count; i++)
        items[count++] =
            (zmq_pollitem_t){.fd = patience->fds[i], .events = ZMQ_POLLIN};
    for (;;) {
        double left = until - clock_now();
        int stirred = 0;
        int ready = zmq_poll(items, (int)count,
                             left > 0.0 ? (long)(left * 1e3) + 1 : 0);
        for (size_t i = 1; ready > 0 && i < count; i++)
            stirred |= items[i].revents != 0;
        if (stirred && patience->stir(patience->context))
            return 0;
        if (ready > 0 && items[0].revents != 0)
            return 1;
        if ((ready < 0 && errno != EINTR) || left <= 0.0)
            return 0;
    }
}

/* ---- question and answer ---- */

static int
send_all(struct ask *ask, const struct word *frames, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int more = i + 1 < count ? ZMQ_SNDMORE : 0;
        while (zmq_send(ask->socket, frames[i].text, frames[i].len,
                        ZMQ_DONTWAIT | more) < 0)
            if (errno != EINTR)
                return 0;
    }
    return 1;
}

/* The next frame, where there is one; whether more follow, to *MORE. */
static int
take_frame(struct ask *ask, zmq_msg_t *frame, int *more)
{
    zmq_msg_init(frame);
    while (zmq_msg_recv(frame, ask->socket, ZMQ_DONTWAIT) < 0)
        if (errno != EINTR)
            return 0;
    *more = zmq_msg_more(frame);
    return 1;
}

static int
frame_is(zmq_msg_t *frame, const char *text)
{
    return word_is((struct word){zmq_msg_data(frame), zmq_msg_size(frame)},
                   text);
}

static int
keep_text(zmq_msg_t *frame, struct ask_reply *reply)
{
    size_t len = zmq_msg_size(frame);
    char *text = malloc(len + 1);

    if (text == NULL)
        return 0;
    if (len > 0)
        memcpy(text, zmq_msg_data(frame), len);
    text[len] = '\0';
    reply->text = text;
    reply->len = len;
    return 1;
}

/* Frames behind the second are for later versions: they are passed over. */
static enum exit_status
take_reply(struct ask *ask, struct ask_reply *reply, char why[ASK_WHY])
{
    zmq_msg_t word, text, rest;
    int more = 0;
    enum exit_status status = EXIT_DONE;

    *reply = (struct ask_reply){0};
    zmq_msg_init(&text);
    if (!take_frame(ask, &word, &more) ||
        (more && !take_frame(ask, &text, &more)))
        status = EXIT_DATA;
    while (status == EXIT_DONE && more) {
        if (!take_frame(ask, &rest, &more))
            more = 0;
        zmq_msg_close(&rest);
    }
    reply->is_error = status == EXIT_DONE && frame_is(&word, "ERROR");
    if (status == EXIT_DONE && !reply->is_error && !frame_is(&word, "OK"))
        status = EXIT_DATA;
    if (status == EXIT_DATA) {
        snprintf(why, ASK_WHY, "%s answers, but not as a filter does",
                 ask->endpoint);
    } else if (!keep_text(&text, reply)) {
        snprintf(why, ASK_WHY, "out of memory");
        status = EXIT_FAILED;
    }
    zmq_msg_close(&word);
    zmq_msg_close(&text);
    return status;
}

enum exit_status
ask(struct ask *ask, const struct word *frames, size_t count,
    const struct patience *patience, struct ask_reply *reply, char why[ASK_WHY])
{
    double until = clock_now() + patience->seconds;
    enum exit_status status = dial(ask, why);

    if (status == EXIT_DONE && (!await(ask, ZMQ_POLLOUT, until, patience) ||
                                !send_all(ask, frames, count))) {
        snprintf(why, ASK_WHY, "nobody answers at %s: no filter is there, or it "
                               "hangs%s",
                 ask->endpoint,
                 strncmp(ask->endpoint, "tcp:", 4) == 0
                     ? ", or it does not take our keys"
                     : "");
        status = EXIT_UNAVAILABLE;
    }
    if (status == EXIT_DONE && !await(ask, ZMQ_POLLIN, until, patience)) {
        snprintf(why, ASK_WHY, "%s does not answer", ask->endpoint);
        status = EXIT_UNAVAILABLE;
    }
    if (status == EXIT_DONE)
        status = take_reply(ask, reply, why);
    if (status != EXIT_DONE)
        hang_up(ask);
    return status;
}

void
ask_close(struct ask *ask)
{
    hang_up(ask);
    if (ask->context != NULL)
        while (zmq_ctx_term(ask->context) != 0 && errno == EINTR)
            continue;
    ask->context = NULL;
    curve_close(&ask->curve);
}
