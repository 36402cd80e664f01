/*
 * outflow.c - greeting, then frames, as libzmq 4.3 writes them.
 *
 * With keys a heartbeat cannot be told from a record.
 */
#include "outflow.h"

#define SHORT_END 11 /* places in the greeting: here is the type of socket, */
#define MINOR_MOST 1 /* where it is more than a version of ZMTP 3 */
#define GREETING_END 63
#define KEYED_LEAST 30 /* bytes of READY of CURVE; ERROR has ten */

#define FLAG_LONG 2u
#define FLAG_COMMAND 4u

enum phase { GREETING, FLAGS, LENGTH, BODY };

static void
turn(struct outflow *flow, enum phase phase)
{
    flow->phase = (uint8_t)phase;
    flow->at = 0;
}

/* Behind the handshake only heartbeats are commands. */
static int
is_record(const struct outflow *flow)
{
    return flow->shaken > 1 && !(flow->flags & FLAG_COMMAND);
}

static void
begin(struct outflow *flow)
{
    if (flow->shaken == 1)
        flow->refuses = flow->left < KEYED_LEAST;
    flow->shaken += flow->shaken < 2;
    turn(flow, flow->left > 0 ? BODY : FLAGS);
}

static void
step(struct outflow *flow, unsigned char byte)
{
    unsigned at = flow->at++;

    switch (flow->phase) {
    case GREETING:
        if (at == SHORT_END)
            flow->named = byte > MINOR_MOST;
        if (at == GREETING_END || (at == SHORT_END && flow->named))
            turn(flow, FLAGS);
        break;
    case FLAGS:
        flow->flags = byte;
        flow->left = 0;
        turn(flow, LENGTH);
        break;
    default:
        flow->left = flow->left << 8 | byte;
        if (at + 1 == (flow->flags & FLAG_LONG ? 8 : 1))
            begin(flow);
        break;
    }
}

void
outflow_follow(struct outflow *flow, const void *bytes, size_t len)
{
    const unsigned char *byte = bytes;

    for (size_t at = 0; at < len;) {
        size_t some = 1;
        if (flow->phase == BODY) {
            some = flow->left < len - at ? (size_t)flow->left : len - at;
            flow->left -= some;
        } else {
            step(flow, byte[at]);
        }
        at += some;
        flow->all += some;
        if (flow->phase == BODY && is_record(flow))
            flow->records = flow->all;
        if (flow->phase == BODY && flow->left == 0)
            turn(flow, FLAGS);
    }
}

uint64_t
outflow_rest(const struct outflow *flow)
{
    return flow->phase == BODY && is_record(flow) ? flow->left : 0;
}

uint64_t
outflow_unread(uint64_t all, uint64_t records, uint64_t unread)
{
    uint64_t read = all > unread ? all - unread : 0;

    return records > read ? records - read : 0;
}
