/* loop_renew.c - another pair of keys for those who connect from now on. */
#include <math.h>

#include "clock.h"
#include "log.h"
#include "loop.h"
#include "unread.h"

#define EMPTY_SECONDS 0.01 /* before an output is believed to be empty */
#define RENEW_SECONDS 1.0  /* that is waited for what was sent to be read */
#define AGAIN_SECONDS 1.0  /* before what has failed is tried again */

/* While a round of libzmq's lasts, what it has encoded or encrypted and not yet
 * written is in no output, to our eyes. */
int
loop_is_empty(struct loop *loop)
{
    int is_empty = outputs_are_empty(&loop->outputs);
    int settled = rounds_settled(&loop->out, is_empty);

    return quiet_for(&loop->empty, is_empty, clock_now(),
                     outputs_have_sockets(&loop->outputs) ? EMPTY_SECONDS
                                                          : 0.0) &&
           settled;
}

void
loop_renew(struct loop *loop)
{
    loop->renew_inputs = 1;
    loop->in.is_so = 0;
    for (size_t i = 0; i < SINK_COUNT; i++)
        if (loop->outputs.sink[i].kind == SPEC_SOCKET &&
            wire_has_key(&loop->outputs.sink[i].box.socket))
            loop->renew |= 1u << i;
    loop->renew_by = clock_now() + RENEW_SECONDS;
}

/* Somebody else may have had the port for a while, at either end. */
static void
find_lost(struct loop *loop)
{
    struct wire *wire = &loop->wire;
    int lost = wire_is_lost(wire, &loop->control.socket);

    for (size_t i = 0; i < loop->box_count; i++)
        lost |= wire_is_lost(wire, &loop->boxes[i].socket) |
                mailbox_is_deaf(&loop->boxes[i], wire);
    for (size_t i = 0; i < SINK_COUNT; i++) {
        struct outbox *box = &loop->outputs.sink[i].box;
        if (loop->outputs.sink[i].kind == SPEC_SOCKET)
            lost |= wire_is_lost(wire, &box->socket) |
                    outbox_is_deaf(box, wire);
    }
    loop->lost_at = lost ? clock_now() + AGAIN_SECONDS : 0.0;
}

void
loop_heed_deaf(struct loop *loop)
{
    int deaf = 0;

    for (size_t i = 0; i < loop->box_count; i++)
        deaf |= loop->boxes[i].eye.is_deaf;
    for (size_t i = 0; i < SINK_COUNT; i++)
        deaf |= loop->outputs.sink[i].kind == SPEC_SOCKET &&
                loop->outputs.sink[i].box.eye.is_deaf;
    if (deaf && loop->lost_at <= 0.0)
        loop->lost_at = clock_now();
}

/* Who has something for inputs that are to be bound anew. */
static size_t
count_senders(const struct loop *loop)
{
    size_t senders = 0, bytes;

    for (size_t i = 0; i < loop->box_count; i++)
        if (wire_has_key(&loop->boxes[i].socket))
            senders += unread_at(loop->boxes[i].socket.spec->text, &bytes);
    return senders;
}

static void
renew_input(struct loop *loop, struct mailbox *box)
{
    const char *name = box->socket.spec->text;
    size_t bytes, senders = unread_at(name, &bytes);

    if (senders > 0)
        log_warning("%s: %zu of those who send, with %zu bytes or more that "
                    "were not read, are cut off by the new key: it is taken on "
                    "without a loss while nobody sends",
                    name, senders, bytes);
    loop->cut += senders;
    loop->cut_bytes += bytes;
    wire_renew(&loop->wire, &box->socket);
}

/* Who goes on sending may have some on its way at any time. */
static void
renew_inputs(struct loop *loop, double time)
{
    int is_clear = rounds_settled(&loop->in, count_senders(loop) == 0);

    if (!is_clear && time < loop->renew_by)
        return;
    for (size_t i = 0; i < loop->box_count; i++)
        if (wire_has_key(&loop->boxes[i].socket))
            renew_input(loop, &loop->boxes[i]);
    if (loop->control.socket.socket != NULL)
        wire_renew(&loop->wire, &loop->control.socket);
    loop->renew_inputs = 0;
    loop->renew_by = time + RENEW_SECONDS;
    loop->lost_at = time + AGAIN_SECONDS;
}

static void
renew_outputs(struct loop *loop, double time)
{
    for (size_t i = 0; i < SINK_COUNT; i++) {
        struct outbox *box = &loop->outputs.sink[i].box;
        if (!(loop->renew & 1u << i) || !outbox_is_read(box))
            continue;
        if (outbox_renew(box, &loop->wire))
            loop->renew &= ~(1u << i);
        else
            loop->renew_at = time + AGAIN_SECONDS;
        loop->lost_at = time + AGAIN_SECONDS;
    }
}

void
loop_mind_keys(struct loop *loop)
{
    double time = clock_now();

    if (loop->stopping)
        return;
    if (loop->lost_at > 0.0 && time >= loop->lost_at)
        find_lost(loop);
    if (loop->renew_inputs)
        renew_inputs(loop, time);
    else if (loop->renew && time >= loop->renew_at)
        renew_outputs(loop, time);
}

int
loop_waits_to_renew(const struct loop *loop)
{
    return loop->renew && !loop->renew_inputs && !loop->stopping &&
           clock_now() < loop->renew_by;
}
