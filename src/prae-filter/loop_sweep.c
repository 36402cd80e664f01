/*
 * loop_sweep.c - the end of the inputs, where half of --drain was not enough
 * for it, or there is more than can be delivered: what had been sent is taken,
 * and it is known what was not.
 */
#include <math.h>

#include "clock.h"
#include "log.h"
#include "loop.h"
#include "rounds.h"
#include "unread.h"

#define SWEEP_SHARE 0.05 /* of --drain, for what is on its way at the end */
#define SWEEP_LEAST 0.05 /* seconds, where there are so many */
#define SWEEP_BYTES ((size_t)64 << 20) /* of an input, that are added */
#define SWEEP_MESSAGES 100             /* of an input, in a round, ... */
#define SWEEP_FEW 10                   /* ... once there is enough */

static void
begin(struct loop *loop, enum sweep_step step)
{
    double drain = loop->options->drain;
    double share = fmin(fmax(SWEEP_SHARE * drain, SWEEP_LEAST), 0.2 * drain);

    loop->sweep.step = step;
    loop->sweep.until = clock_now() + share;
    for (size_t i = 0; i < loop->box_count; i++) {
        loop->sweep.messages[i] = loop->boxes[i].messages;
        loop->sweep.len_bytes[i] = loop->boxes[i].len_bytes;
    }
}

/* Whether input I has as much as may be added. */
static int
is_full(const struct loop *loop, size_t i)
{
    return loop->boxes[i].len_bytes >=
           loop->sweep.len_bytes[i] + SWEEP_BYTES;
}

/* Messages that input I may take in this round. */
static size_t
may_take(const struct loop *loop, size_t i)
{
    const struct mailbox *box = &loop->boxes[i];
    size_t queue = wire_queue(loop->options);
    size_t most = queue < SWEEP_MESSAGES ? queue : SWEEP_MESSAGES;
    uint64_t since = box->messages - loop->sweep.messages[i];

    if (loop->sweep.step == SWEEP_OPEN && is_full(loop, i))
        return 0;
    /* libzmq reads on, and what is due comes in, only as its queue is taken.
     * Who may have more is heard at the pace of what leaves: see loop_feed.c.
     */
    if (loop->sweep.step == SWEEP_OPEN && loop->sweep.enough)
        return unread_look()->due > 0 ? SWEEP_FEW : 0;
    if (loop->sweep.step == SWEEP_OPEN)
        return most;
    /* Who was cut off left a queue that has an end. */
    if (box->socket.spec->bind)
        return most;
    if (since >= queue)
        return 0;
    return queue - since < most ? (size_t)(queue - since) : most;
}

/* Takes some of what has come to each input. How many are not done. */
static size_t
gather(struct loop *loop)
{
    size_t open = 0;

    loop->sweep.some = 0;
    for (size_t i = 0; i < loop->box_count; i++) {
        struct mailbox *box = &loop->boxes[i];
        if (!box->done)
            loop->sweep.some |= mailbox_gather(box, may_take(loop, i)) > 0;
        open += !box->done;
    }
    return open;
}

/* Whether all is in the queues that had been sent when we were asked to stop,
 * but for who sends on: libzmq hangs up on who is cut off with what it has read
 * ahead of them. Where there is enough it is we who keep senders waiting. */
static int
is_clear(struct loop *loop)
{
    struct sweep *sweep = &loop->sweep;
    const struct unread *unread = unread_look();

    if (unread->number != sweep->looked)
        sweep->clear = rounds_settled(
            &sweep->in,
            unread->behind == 0 && (!sweep->enough || unread->unsure == 0));
    sweep->looked = unread->number;
    return sweep->clear;
}

/* What is lost by cutting off who is connected. What libzmq has on its hands
 * nobody can see, and there is no time to wait for it. */
static struct unread
note_unread(struct loop *loop)
{
    struct rounds some = rounds_with_some();
    int busy = !loop->sweep.clear && !rounds_are_over(&some);
    struct unread unread = unread_now();

    loop->unread_bytes = unread.behind_bytes;
    loop->behind = unread.behind > 0 ? unread.behind : (size_t)busy;
    if (loop->sweep.enough && loop->behind < unread.unsure) {
        loop->behind = unread.unsure;
        loop->unread_bytes = unread.bytes;
    }
    return unread;
}

static void
cut_off(struct loop *loop)
{
    struct unread unread = note_unread(loop);

    for (size_t i = 0; i < loop->box_count; i++) {
        struct mailbox *box = &loop->boxes[i];
        if (box->done)
            continue;
        if (box->messages > loop->sweep.messages[i] &&
            unread.bytes > unread.behind_bytes)
            log_warning("%s: somebody is still sending: what was on the way "
                        "is not taken any more",
                        box->socket.spec->text);
        mailbox_cut(box);
    }
}

/* Ends inputs that have nothing more to take, and once it is TIME those that
 * have nothing just now. How many are left. */
static size_t
finish(struct loop *loop, int time)
{
    size_t open = 0;

    for (size_t i = 0; i < loop->box_count; i++) {
        struct mailbox *box = &loop->boxes[i];
        if (!box->done && (may_take(loop, i) == 0 || (time && box->dry)))
            mailbox_end(box);
        open += !box->done;
    }
    return open;
}

/* Whether no more is waited for. Where nothing leaves there is no hurry: what
 * comes in can only be counted, and is lost if it is not taken. Nor is there
 * as long as not all is in that had been sent: it has an end. */
static int
is_time(struct loop *loop)
{
    double time = clock_now();
    double last = loop->stop_by - LOOP_SPARE * loop->options->drain;
    int room = 0, clear = is_clear(loop);

    for (size_t i = 0; i < loop->box_count; i++)
        room |= !loop->boxes[i].done && !is_full(loop, i);
    if (loop->sweep.step == SWEEP_OPEN && loop->sweep.enough && clear)
        return 1;
    if (time < loop->sweep.until || loop->sweep.step != SWEEP_OPEN || !room)
        return time >= loop->sweep.until;
    return time >= last || (!outputs_are_clogged(&loop->outputs) && clear);
}

int
loop_sweep_is_due(const struct loop *loop)
{
    return loop->stopping &&
           (loop->sweep.step != SWEEP_LATER ||
            clock_now() >= loop->stop_by - 0.5 * loop->options->drain ||
            loop_has_enough(loop));
}

void
loop_give_up(struct loop *loop)
{
    enum sweep_step step = loop->sweep.step;
    size_t open = 0;

    for (size_t i = 0; i < loop->box_count; i++)
        open += !loop->boxes[i].done;
    if (open == 0)
        return;
    if (step == SWEEP_LATER || step == SWEEP_OPEN)
        (void)note_unread(loop);
    for (size_t i = 0; i < loop->box_count; i++)
        mailbox_empty(&loop->boxes[i], wire_queue(loop->options));
}

void
loop_sweep(struct loop *loop)
{
    struct sweep *sweep = &loop->sweep;

    if (sweep->step == SWEEP_OVER)
        return;
    if (sweep->step == SWEEP_LATER)
        begin(loop, SWEEP_OPEN);
    sweep->enough |= sweep->step == SWEEP_OPEN && loop_has_enough(loop);
    size_t open = gather(loop);
    int time = is_time(loop);
    if (sweep->step == SWEEP_CUT) {
        open = finish(loop, time);
    } else if (open > 0 && time) {
        cut_off(loop);
        begin(loop, SWEEP_CUT);
    }
    if (open == 0) {
        sweep->step = SWEEP_OVER;
        sweep->some = 0;
    }
}
