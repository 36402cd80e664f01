/*
 * wrap_zmq.c - calls of libzmq that fail as its manual says they may.
 *
 * A receive, and a send behind the first frame of a message, can only be
 * interrupted: that nothing is there, or no room, is for libzmq to know.
 */
#include <errno.h>
#include <zmq.h>

#include "fault.h"

void *__real_zmq_ctx_new(void);
void *__real_zmq_socket(void *context, int type);
int __real_zmq_socket_monitor(void *socket, const char *address, int events);
int __real_zmq_setsockopt(void *socket, int option, const void *value,
                          size_t len);
int __real_zmq_getsockopt(void *socket, int option, void *value, size_t *len);
int __real_zmq_poll(zmq_pollitem_t *items, int count, long timeout_ms);
int __real_zmq_bind(void *socket, const char *endpoint);
int __real_zmq_connect(void *socket, const char *endpoint);
int __real_zmq_msg_send(zmq_msg_t *message, void *socket, int flags);
int __real_zmq_send(void *socket, const void *bytes, size_t len, int flags);
int __real_zmq_msg_recv(zmq_msg_t *message, void *socket, int flags);
int __real_zmq_msg_init_data(zmq_msg_t *message, void *data, size_t len,
                             zmq_free_fn *done, void *hint);
int __real_zmq_curve_keypair(char *public_key, char *secret_key);

void *__wrap_zmq_ctx_new(void);
void *__wrap_zmq_socket(void *context, int type);
int __wrap_zmq_socket_monitor(void *socket, const char *address, int events);
int __wrap_zmq_setsockopt(void *socket, int option, const void *value,
                          size_t len);
int __wrap_zmq_getsockopt(void *socket, int option, void *value, size_t *len);
int __wrap_zmq_poll(zmq_pollitem_t *items, int count, long timeout_ms);
int __wrap_zmq_bind(void *socket, const char *endpoint);
int __wrap_zmq_connect(void *socket, const char *endpoint);
int __wrap_zmq_msg_send(zmq_msg_t *message, void *socket, int flags);
int __wrap_zmq_send(void *socket, const void *bytes, size_t len, int flags);
int __wrap_zmq_msg_recv(zmq_msg_t *message, void *socket, int flags);
int __wrap_zmq_msg_init_data(zmq_msg_t *message, void *data, size_t len,
                             zmq_free_fn *done, void *hint);
int __wrap_zmq_curve_keypair(char *public_key, char *secret_key);

/* ---- making ---- */

void *
__wrap_zmq_ctx_new(void)
{
    return FAULT_STRIKES(FAULT_ZMQ_NEW, "zmq_ctx_new") ? NULL
                                                       : __real_zmq_ctx_new();
}

void *
__wrap_zmq_socket(void *context, int type)
{
    return FAULT_STRIKES(FAULT_ZMQ_NEW, "zmq_socket")
               ? NULL
               : __real_zmq_socket(context, type);
}

int
__wrap_zmq_socket_monitor(void *socket, const char *address, int events)
{
    /* Without an address it ends watching, which cannot fail. */
    if (address != NULL && FAULT_STRIKES(FAULT_ZMQ_BIND, "zmq_socket_monitor"))
        return -1;
    return __real_zmq_socket_monitor(socket, address, events);
}

int
__wrap_zmq_setsockopt(void *socket, int option, const void *value, size_t len)
{
    return FAULT_STRIKES(FAULT_ZMQ_SET, "zmq_setsockopt")
               ? -1
               : __real_zmq_setsockopt(socket, option, value, len);
}

int
__wrap_zmq_getsockopt(void *socket, int option, void *value, size_t *len)
{
    if (option == ZMQ_EVENTS &&
        FAULT_STRIKES(FAULT_ZMQ_EVENTS, "zmq_getsockopt"))
        return -1;
    return __real_zmq_getsockopt(socket, option, value, len);
}

int
__wrap_zmq_poll(zmq_pollitem_t *items, int count, long timeout_ms)
{
    return FAULT_STRIKES(FAULT_ZMQ_EVENTS, "zmq_poll")
               ? -1
               : __real_zmq_poll(items, count, timeout_ms);
}

int
__wrap_zmq_bind(void *socket, const char *endpoint)
{
    return FAULT_STRIKES(FAULT_ZMQ_BIND, "zmq_bind")
               ? -1
               : __real_zmq_bind(socket, endpoint);
}

int
__wrap_zmq_connect(void *socket, const char *endpoint)
{
    return FAULT_STRIKES(FAULT_ZMQ_CONNECT, "zmq_connect")
               ? -1
               : __real_zmq_connect(socket, endpoint);
}

/* ---- messages ---- */

int
__wrap_zmq_msg_send(zmq_msg_t *message, void *socket, int flags)
{
    return FAULT_STRIKES(FAULT_ZMQ_SEND, "zmq_msg_send")
               ? -1
               : __real_zmq_msg_send(message, socket, flags);
}

int
__wrap_zmq_send(void *socket, const void *bytes, size_t len, int flags)
{
    return FAULT_STRIKES(FAULT_ZMQ_SEND, "zmq_send")
               ? -1
               : __real_zmq_send(socket, bytes, len, flags);
}

int
__wrap_zmq_msg_recv(zmq_msg_t *message, void *socket, int flags)
{
    return FAULT_STRIKES(FAULT_ZMQ_RECV, "zmq_msg_recv")
               ? -1
               : __real_zmq_msg_recv(message, socket, flags);
}

int
__wrap_zmq_msg_init_data(zmq_msg_t *message, void *data, size_t len,
                         zmq_free_fn *done, void *hint)
{
    return FAULT_STRIKES(FAULT_ZMQ_DATA, "zmq_msg_init_data")
               ? -1
               : __real_zmq_msg_init_data(message, data, len, done, hint);
}

int
__wrap_zmq_curve_keypair(char *public_key, char *secret_key)
{
    return FAULT_STRIKES(FAULT_ZMQ_KEYS, "zmq_curve_keypair")
               ? -1
               : __real_zmq_curve_keypair(public_key, secret_key);
}
