/*
 * zmq_forward.c - a bare forwarder: what comes in by PULL leaves by PUSH.
 *
 *   zmq_forward FROM TO
 *
 * One thread, and messages are moved, not copied: nothing that stands
 * between two sockets does less, so this is what the filter's rates and
 * latencies are compared with. It goes on until a signal ends it.
 */
#include <stdio.h>
#include <zmq.h>

static int
forward(void *pull, void *push)
{
    for (;;) {
        zmq_msg_t message;
        zmq_msg_init(&message);
        /* Sending takes the message over, and needs no closing then. */
        if (zmq_msg_recv(&message, pull, 0) < 0 ||
            zmq_msg_send(&message, push, 0) < 0) {
            fprintf(stderr, "zmq_forward: %s\n", zmq_strerror(zmq_errno()));
            zmq_msg_close(&message);
            return 1;
        }
    }
}

int
main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: zmq_forward FROM TO\n");
        return 2;
    }
    void *context = zmq_ctx_new();
    void *pull = zmq_socket(context, ZMQ_PULL);
    void *push = zmq_socket(context, ZMQ_PUSH);
    if (pull == NULL || push == NULL || zmq_connect(push, argv[2]) != 0 ||
        zmq_connect(pull, argv[1]) != 0) {
        fprintf(stderr, "zmq_forward: cannot connect %s to %s: %s\n", argv[1],
                argv[2], zmq_strerror(zmq_errno()));
        return 1;
    }
    return forward(pull, push);
}
