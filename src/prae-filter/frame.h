/* frame.h - frames of a message, in and out, whatever interrupts us: one that
 * is given up for a signal leaves a socket within a message, or with events
 * that its descriptor does not tell of again. Other calls of libzmq begin by
 * looking for such, too, and have done nothing yet where a signal came. */
#ifndef FRAME_H
#define FRAME_H

#include <errno.h>
#include <stddef.h>
#include <zmq.h>

/* Whether a call that returned RESULT is to be repeated. */
static inline int
interrupted(int result)
{
    return result < 0 && errno == EINTR;
}

/* Whether there was one. A message's further frames are there when the first
 * one is. */
static inline int
frame_receive(void *socket, zmq_msg_t *frame)
{
    int got;

    do
        got = zmq_msg_recv(frame, socket, ZMQ_DONTWAIT);
    while (interrupted(got));
    return got >= 0;
}

/* Whether it could be sent; MORE is 0 or ZMQ_SNDMORE. REP and ROUTER send
 * nowhere, without an error, where who asked is gone. */
static inline int
frame_send(void *socket, const void *bytes, size_t len, int more)
{
    int sent;

    do
        sent = zmq_send(socket, bytes, len, ZMQ_DONTWAIT | more);
    while (interrupted(sent));
    return sent >= 0;
}

#endif
