/*
 * control.c - requests in, answers out.
 *
 * What libzmq's own REP makes of a message without the empty frame it does not
 * take back if the sender has gone meanwhile: whoever asks next gets no answer.
 * So each message is taken whole before anything is sent.
 */
#include "control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

#include "frame.h"
#include "log.h"
#include "loop.h"
#include "obey.h"

#define QUEUE 16        /* requests, and answers to one peer */
#define AT_ONCE 8       /* answers before records move on */
#define LINGER_MS 200   /* for the answer to STOP */
#define HANDS_MAX 16    /* frames before a request, one for each it went by */
#define HANDS_BYTES 1024

enum exit_status
control_open(struct control *control, struct wire *wire,
             const struct spec *spec)
{
    int64_t most = WIRE_HEARD_MOST;
    int queue = QUEUE, bad = 0;

    *control = (struct control){.look = 1};
    enum exit_status status =
        wire_socket(wire, &control->socket, ZMQ_ROUTER, spec);
    if (status != EXIT_DONE)
        return status;
    void *socket = control->socket.socket;
    bad |= zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &most, sizeof most);
    bad |= zmq_setsockopt(socket, ZMQ_RCVHWM, &queue, sizeof queue);
    bad |= zmq_setsockopt(socket, ZMQ_SNDHWM, &queue, sizeof queue);
    if (bad != 0) {
        log_error("--control: cannot set up: %s", zmq_strerror(errno));
        return EXIT_FAILED;
    }
    return wire_attach(wire, &control->socket);
}

/* Whose hands a request went by, up to the empty frame: the answer goes back
 * the same way. */
struct envelope {
    char bytes[HANDS_BYTES];
    size_t ends[HANDS_MAX]; /* where each frame's bytes end */
    size_t count;
    int is_whole; /* the request is what follows */
    int is_bad;   /* it is longer than any is */
};

static void
envelope_add(struct envelope *envelope, const void *bytes, size_t len, int more)
{
    size_t at = envelope->count == 0 ? 0 : envelope->ends[envelope->count - 1];

    envelope->is_bad |=
        envelope->count == HANDS_MAX || len > sizeof envelope->bytes - at;
    if (envelope->is_bad)
        return;
    if (len > 0)
        memcpy(envelope->bytes + at, bytes, len);
    envelope->ends[envelope->count++] = at + len;
    envelope->is_whole = len == 0 && more;
}

/* The next message, to ENVELOPE and REQUEST; 0 where there is none. */
static int
receive(void *socket, struct envelope *envelope, struct request *request)
{
    zmq_msg_t frame;
    int more = 1;

    *request = (struct request){.count = 0};
    envelope->count = 0;
    envelope->is_whole = envelope->is_bad = 0;
    while (more) {
        zmq_msg_init(&frame);
        int got = frame_receive(socket, &frame);
        more = got && zmq_msg_more(&frame);
        if (got && envelope->is_whole)
            request_add(request, zmq_msg_data(&frame), zmq_msg_size(&frame));
        else if (got)
            envelope_add(envelope, zmq_msg_data(&frame), zmq_msg_size(&frame),
                         more);
        zmq_msg_close(&frame);
        if (!got)
            return 0; /* none, or the peer is gone, and the rest with it */
    }
    return 1;
}

/* What follows an answer's first frame is tried once more where it fails, or
 * the next answer would be taken for the rest of this one. */
static int
send_on(void *socket, const void *bytes, size_t len, int more)
{
    int sent = frame_send(socket, bytes, len, more);

    return sent ? sent : frame_send(socket, bytes, len, more);
}

static int
send_envelope(void *socket, const struct envelope *envelope)
{
    size_t at = 0;

    for (size_t i = 0; i < envelope->count; i++) {
        if (!send_on(socket, envelope->bytes + at, envelope->ends[i] - at,
                     ZMQ_SNDMORE))
            return 0;
        at = envelope->ends[i];
    }
    return 1;
}

/* Where it cannot be sent there is nobody to tell. */
static void
reply(void *socket, const struct envelope *envelope,
      const struct answer *answer)
{
    const char *word = answer->done ? "OK" : "ERROR";
    const char *text =
        answer->facts.len > 0 ? answer->facts.data : answer->text;
    size_t len =
        answer->facts.len > 0 ? answer->facts.len : strlen(answer->text);

    if (send_envelope(socket, envelope) &&
        send_on(socket, word, strlen(word), ZMQ_SNDMORE))
        (void)send_on(socket, text, len, 0);
}

/* libzmq hears only now and then which answers a peer has read, and drops
 * what is beyond QUEUE of those it believes unread, without a word. Asked what
 * has happened, it looks. It is told of every QUEUE / 2: who has no more than
 * that many to come loses none. */
static void
catch_up(void *socket)
{
    int events;
    size_t size = sizeof events;

    (void)zmq_getsockopt(socket, ZMQ_EVENTS, &events, &size);
}

void
control_answer(struct loop *loop)
{
    struct control *control = &loop->control;
    struct envelope envelope;
    struct request request;
    struct command command;

    control->look = 1;
    for (size_t i = 0; control->look && i < AT_ONCE; i++) {
        struct answer answer = {0};
        catch_up(control->socket.socket);
        /* Until it is found empty: only then its descriptor tells of the
         * next one. */
        control->look = receive(control->socket.socket, &envelope, &request);
        if (!control->look || !envelope.is_whole)
            continue; /* none, or nobody who waits for an answer */
        if (command_parse(&command, &request, answer.text))
            obey(loop, &command, &answer);
        reply(control->socket.socket, &envelope, &answer);
        free(answer.facts.data);
    }
}

void
control_close(struct control *control)
{
    wire_close(&control->socket, LINGER_MS);
}
