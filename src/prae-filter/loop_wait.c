/*
 * loop_wait.c - waiting for everything at once.
 *
 * A ZeroMQ socket has a descriptor that can be read when the socket is to be
 * looked at again: not as long as there is something in it, but once it has
 * been looked into, and something has happened since. To ask a socket costs
 * several system calls, so those that were found empty when they were last
 * looked into are not asked; all others are, before we sleep.
 */
#include <poll.h>

#include "loop.h"
#include "signals.h"

#define ITEMS_MAX (2 * LIST_MAX + 7 + 3 * SINK_COUNT)

struct awaited {
    struct pollfd item[ITEMS_MAX];
    size_t count;
    int ready; /* a socket is already */
    int peers; /* there is something of theirs to look at */
};

/* Returns the item's place. */
static size_t
await(struct awaited *awaited, int fd, short events)
{
    awaited->item[awaited->count] = (struct pollfd){.fd = fd, .events = events};
    return awaited->count++;
}

/* SOCKET has been looked into, to its end. */
static size_t
await_empty(struct awaited *awaited, void *socket)
{
    int fd = -1;
    size_t len = sizeof fd;

    (void)zmq_getsockopt(socket, ZMQ_FD, &fd, &len);
    return await(awaited, fd, POLLIN);
}

/* SOCKET may have EVENTS already. */
static void
await_socket(struct awaited *awaited, void *socket, short events)
{
    int now = 0;
    size_t len = sizeof now;

    /* Where it was interrupted nobody knows: then it is asked again. */
    if (zmq_getsockopt(socket, ZMQ_EVENTS, &now, &len) != 0)
        awaited->ready = 1;
    awaited->ready |= (now & events) != 0;
    (void)await_empty(awaited, socket);
}

/* What tells who has come and gone, and what subscribers say; all of these are
 * seen to together. Subscriptions come some time after their subscriber, and
 * have to be taken: libzmq reads no more of them, nor that he has gone, than
 * there is room for. */
static void
await_eyes(const struct loop *loop, struct awaited *awaited)
{
    int ready = awaited->ready;

    awaited->ready = 0;
    for (size_t i = 0; i < SINK_COUNT; i++) {
        const struct sink *sink = &loop->outputs.sink[i];
        if (sink->kind != SPEC_SOCKET)
            continue;
        (void)await_empty(awaited, sink->box.eye.socket);
        if (sink->box.is_pub)
            await_socket(awaited, sink->box.socket.socket, ZMQ_POLLIN);
    }
    awaited->peers = awaited->ready;
    awaited->ready |= ready;
    for (size_t i = 0; i < loop->box_count; i++)
        if (loop->boxes[i].eye.socket != NULL)
            (void)await_empty(awaited, loop->boxes[i].eye.socket);
}

/* What would let an input be read on. */
static void
await_inputs(const struct loop *loop, struct awaited *awaited)
{
    int takes = stage_takes(&loop->stage);

    if (loop->peers_awaited)
        return;
    for (size_t i = 0; i < loop->box_count; i++) {
        const struct mailbox *box = &loop->boxes[i];
        if (box->done || (!takes && !loop_has_room(loop, box)))
            continue;
        if (box->dry)
            (void)await_empty(awaited, box->socket.socket);
        else
            await_socket(awaited, box->socket.socket, ZMQ_POLLIN);
    }
    if (takes && loop->source_at < loop->source_count && !loop->stopping)
        (void)await(awaited, loop->sources[loop->source_at].fd, POLLIN);
}

/* What would let an output take more. */
static void
await_outputs(const struct loop *loop, struct awaited *awaited)
{
    for (size_t i = 0; i < SINK_COUNT; i++) {
        const struct sink *sink = &loop->outputs.sink[i];
        zmq_pollitem_t item;
        if (sink_wants(sink, &item)) {
            if (item.socket != NULL)
                await_socket(awaited, item.socket, item.events);
            else
                (void)await(awaited, item.fd, POLLOUT);
        }
    }
}

/* Rounded up, so that the time has passed when it returns. */
static int
milliseconds(double seconds)
{
    return seconds < 0.0    ? -1
           : seconds == 0.0 ? 0
           : seconds > 1e6  ? 1000000000
                            : (int)(seconds * 1000.0) + 1;
}

struct heard
loop_wait(struct loop *loop, double seconds)
{
    struct awaited awaited = {.count = 0};
    size_t worker = 0, asker = 0, watcher = 0;
    struct heard heard = {0};

    size_t signal = await(&awaited, signals_fd(), POLLIN);
    if (loop->stage.busy)
        worker = await(&awaited, worker_fd(&loop->stage.worker), POLLIN);
    if (loop->live.http != NULL)
        watcher = await(&awaited, publish_fd(&loop->live.publish), POLLIN);
    if (zap_socket(&loop->wire.zap) != NULL)
        (void)await_empty(&awaited, zap_socket(&loop->wire.zap));
    if (loop->control.socket.socket != NULL)
        asker = await_empty(&awaited, loop->control.socket.socket);
    awaited.ready |= loop->control.look;
    size_t eye = awaited.count;
    await_eyes(loop, &awaited);
    size_t beyond = awaited.count;
    await_inputs(loop, &awaited);
    await_outputs(loop, &awaited);
    heard.peer = awaited.peers;
    if (poll(awaited.item, (nfds_t)awaited.count,
             awaited.ready ? 0 : milliseconds(seconds)) <= 0)
        return heard;
    heard.asker =
        loop->control.socket.socket != NULL && awaited.item[asker].revents != 0;
    heard.signal = awaited.item[signal].revents != 0;
    heard.worker = loop->stage.busy && awaited.item[worker].revents != 0;
    heard.watcher =
        loop->live.http != NULL && awaited.item[watcher].revents != 0;
    for (; eye < beyond; eye++)
        heard.peer |= awaited.item[eye].revents != 0;
    return heard;
}
