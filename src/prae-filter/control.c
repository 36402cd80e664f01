/* control.c - requests in, answers out. */
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

enum exit_status
control_open(struct control *control, struct wire *wire,
             const struct spec *spec)
{
    int64_t most = WIRE_HEARD_MOST;
    int queue = QUEUE, bad = 0;

    *control = (struct control){.look = 1};
    enum exit_status status =
        wire_socket(wire, &control->socket, ZMQ_REP, spec);
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

/* The next request, to REQUEST; 0 where there is none. */
static int
receive(void *socket, struct request *request)
{
    zmq_msg_t frame;
    int more = 1;

    *request = (struct request){.count = 0};
    while (more) {
        zmq_msg_init(&frame);
        int got = frame_receive(socket, &frame);
        if (got)
            request_add(request, zmq_msg_data(&frame), zmq_msg_size(&frame));
        more = got && zmq_msg_more(&frame);
        zmq_msg_close(&frame);
        if (!got)
            return 0; /* none, or the peer is gone, and the rest with it */
    }
    return 1;
}

/* Where it cannot be sent there is nobody to tell. */
static void
reply(void *socket, const struct answer *answer)
{
    const char *word = answer->done ? "OK" : "ERROR";
    const char *text =
        answer->facts.len > 0 ? answer->facts.data : answer->text;
    size_t len =
        answer->facts.len > 0 ? answer->facts.len : strlen(answer->text);

    if (frame_send(socket, word, strlen(word), ZMQ_SNDMORE))
        (void)frame_send(socket, text, len, 0);
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
    struct request request;
    struct command command;

    control->look = 1;
    for (size_t i = 0; control->look && i < AT_ONCE; i++) {
        struct answer answer = {0};
        catch_up(control->socket.socket);
        /* Until it is found empty: only then its descriptor tells of the
         * next one. */
        control->look = receive(control->socket.socket, &request);
        if (!control->look)
            break;
        if (command_parse(&command, &request, answer.text))
            obey(loop, &command, &answer);
        reply(control->socket.socket, &answer);
        free(answer.facts.data);
    }
}

void
control_close(struct control *control)
{
    wire_close(&control->socket, LINGER_MS);
}
