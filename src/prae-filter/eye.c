/* eye.c - a socket that is watched, and one that tells of it. */
#include "eye.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zmq.h>

#include "clock.h"
#include "frame.h"
#include "log.h"

#define ANEW_SECONDS 1.0 /* between connections that are spoilt */

/*
 * Who connects, and by which descriptor, libzmq says only to who watches. With
 * a limit it would wait for us to read that, on its thread for all sockets, and
 * while it does nobody can tell it to stop: at the end we would wait for it in
 * turn. What may wait for us instead accept.c bounds.
 */
enum exit_status
eye_open(struct eye *eye, struct wire *wire, const struct socket *socket,
         int events)
{
    const int any = 0;
    char name[64];
    int bad = -1;

    snprintf(name, sizeof name, "inproc://watch-%u", ++wire->watched);
    eye->socket = zmq_socket(wire->context, ZMQ_PAIR);
    if (eye->socket != NULL)
        bad = zmq_setsockopt(eye->socket, ZMQ_RCVHWM, &any, sizeof any);
    if (bad == 0)
        do
            bad = zmq_socket_monitor(socket->socket, name, events);
        while (interrupted(bad));
    if (bad == 0 && wire_connect(eye->socket, name) == 0)
        return EXIT_DONE;
    log_error("%s: cannot watch for peers: %s", socket->spec->text,
              zmq_strerror(errno));
    return EXIT_FAILED;
}

/* An event is two frames: what it is and the descriptor, then where. */
static int
read_event(zmq_msg_t *message, struct sight *sight)
{
    const char *data = zmq_msg_data(message);
    uint32_t fd;

    if (!zmq_msg_more(message) ||
        zmq_msg_size(message) != sizeof sight->event + sizeof fd)
        return 0;
    memcpy(&sight->event, data, sizeof sight->event);
    memcpy(&fd, data + sizeof sight->event, sizeof fd);
    sight->fd = (int)fd;
    return 1;
}

int
eye_next(struct eye *eye, struct sight *sight)
{
    zmq_msg_t message;
    int seen = 0;

    zmq_msg_init(&message);
    while (eye->socket != NULL && !seen && frame_receive(eye->socket, &message))
        seen = read_event(&message, sight);
    zmq_msg_close(&message);
    return seen;
}

void
eye_give_up(struct eye *eye, const char *why)
{
    eye->is_deaf = 1;
    eye->why = why;
}

int
eye_wants_another(const struct eye *eye)
{
    return eye->is_deaf && clock_now() >= eye->anew_at;
}

void
eye_has_another(struct eye *eye, const struct spec *spec)
{
    if (!eye->told)
        log_warning("%s: %s: connecting anew, and from now on without a word",
                    spec->text, eye->why);
    eye->told = 1;
    eye->is_deaf = 0;
    eye->anew_at = clock_now() + ANEW_SECONDS;
}

void
eye_close(struct eye *eye, const struct socket *socket)
{
    const int now = 0;

    if (eye->socket == NULL)
        return;
    zmq_socket_monitor(socket->socket, NULL, 0);
    zmq_setsockopt(eye->socket, ZMQ_LINGER, &now, sizeof now);
    zmq_close(eye->socket);
    eye->socket = NULL;
}
