/*
 * zap.h - the doorkeeper: says for every peer that connects with CURVE
 * whether its key is allowed. ZAP 1.0, https://rfc.zeromq.org/spec/27.
 *
 * libzmq asks on an inproc socket from its own threads, and a handshake waits
 * for the answer; the loop polls the socket and answers from curve.h's list.
 * To be opened before the first endpoint is bound and closed after the last:
 * without it nobody is let in.
 */
#ifndef ZAP_H
#define ZAP_H

#include <stdint.h>

#include "curve.h"
#include "status.h"

struct zap {
    void *socket; /* NULL while closed */
    const struct curve *curve;
    uint64_t admitted;
    uint64_t refused;   /* told 400 */
    uint64_t malformed; /* told 500: not a request that libzmq makes */
};

/* Opens the handler of ZMQ_CONTEXT, which may have one only. CURVE is
 * borrowed until zap_close. EXIT_DONE, or EXIT_FAILED after saying what is
 * wrong, with ZAP closed. */
enum exit_status zap_open(struct zap *zap, void *zmq_context,
                          const struct curve *curve);

/* For polling; zap_answer is due when it can be read. */
void *zap_socket(const struct zap *zap);

/* Answers all requests that wait; never blocks. */
void zap_answer(struct zap *zap);

/* Closing one that is closed does nothing. The counts stay. */
void zap_close(struct zap *zap);

#endif
