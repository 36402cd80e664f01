/*
 * outbox.c - records gathered, sealed, sent; and who is there to get them.
 */
#include "outbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#ifdef __linux__
#include <linux/sockios.h>
#endif

#include "accept.h"
#include "clock.h"
#include "eye.h"
#include "frame.h"
#include "log.h"
#include "overhear.h"

#define READ_SECONDS 0.01 /* before what was sent is believed to be read */
#define LOOK_MOST 1024    /* subscriptions that are read before all else */
#define SEAL_BYTES 33     /* that CURVE adds to a frame */
#define SAID_KEPT 16      /* bytes that a subscription costs beside its own */
#define SAID_MOST ((size_t)8 << 20) /* of all who came: libzmq needs twenty
                                       times that, and more */

static const char much[] = "those who come and go there subscribe to much";

/* ---- life ---- */

/* What is to be told. Of who breaks the protocol only where it matters: libzmq
 * 4.3.4 tells it before it hangs up, and who is told keeps it from that. */
static int
events_of(const struct outbox *box, const struct wire *wire)
{
    const struct spec *spec = box->socket.spec;
    int may_lose = box->is_pub ? wire_meets_key(wire, spec) : !spec->bind;

    return ZMQ_EVENT_CONNECTED | ZMQ_EVENT_ACCEPTED |
           ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED |
           (may_lose ? ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL : 0);
}

/* A socket that is yet to be bound or connected, and who watches it. */
static enum exit_status
make_socket(struct outbox *box, struct wire *wire, const struct spec *spec)
{
    const int on = 1;

    box->eye.socket = NULL;
    /* XPUB is PUB that tells who subscribes. */
    enum exit_status status = wire_socket(
        wire, &box->socket, box->is_pub ? ZMQ_XPUB : ZMQ_PUSH, spec);
    if (status != EXIT_DONE)
        return status;
    if (box->is_pub && (zmq_setsockopt(box->socket.socket, ZMQ_XPUB_NODROP, &on,
                                       sizeof on) != 0 ||
                        zmq_setsockopt(box->socket.socket, ZMQ_XPUB_VERBOSER,
                                       &on, sizeof on) != 0)) {
        log_error("%s: %s", spec->text, zmq_strerror(errno));
        return EXIT_FAILED;
    }
    return eye_open(&box->eye, wire, &box->socket, events_of(box, wire));
}

enum exit_status
outbox_open(struct outbox *box, struct wire *wire, const struct spec *spec)
{
    *box = (struct outbox){.is_pub = spec->socket == SOCKET_PUB,
                           .lossy = wire->options->lossy,
                           .encrypts = wire_encrypts(wire, spec)};
    depot_open(&box->depot);
    zmq_msg_init(&box->sealed);
    enum exit_status status = make_socket(box, wire, spec);
    return status == EXIT_DONE ? wire_attach(wire, &box->socket) : status;
}

int
outbox_is_queued(const struct outbox *box)
{
    return atomic_load(&box->depot.queued) > 0;
}

void
outbox_close(struct outbox *box)
{
    free(box->parcel);
    box->parcel = NULL;
    frames_free(box->leading);
    box->leading = NULL;
    frames_free(box->before);
    box->before = NULL;
    zmq_msg_close(&box->sealed);
    zmq_msg_init(&box->sealed);
    box->sealed_records = 0;
    depot_close(&box->depot);
    eye_close(&box->eye, &box->socket);
    /* Whoever wanted it sent has waited for it; see loop.c. What was
     * written by then still has the time that it takes. */
    if (outbox_is_queued(box))
        wire_forsake(&box->socket);
    else
        wire_close(&box->socket, 1000);
    crowd_free(&box->crowd);
}

/* ---- gathering ---- */

static void
fail(struct outbox *box, const char *why)
{
    if (!box->failed)
        log_error("%s: %s", box->socket.spec->text, why);
    box->failed = 1;
}

void
outbox_put(struct outbox *box, const char *bytes, size_t len, size_t records)
{
    if (!box->failed &&
        parcel_put(&box->parcel, &box->depot, bytes, len, records))
        return;
    fail(box, "out of memory for a message");
    box->missed += records;
}

/* ---- sending ---- */

/* The gathered records and what goes before them become one message. */
static void
seal(struct outbox *box)
{
    struct parcel *parcel = box->parcel;

    if (parcel == NULL || parcel->records == 0 || box->failed)
        return;
    uint64_t records = parcel->records;
    if (!parcel_wrap(parcel, &box->sealed)) {
        fail(box, "out of memory for a message");
        return;
    }
    box->parcel = NULL;
    box->sealed_records = records;
    box->before = box->leading;
    box->leading = NULL;
}

/* FRAME is taken over where it goes through; returns whether it does. */
static int
send_frame(struct outbox *box, zmq_msg_t *frame, int more)
{
    int sent;

    do
        sent = zmq_msg_send(frame, box->socket.socket, ZMQ_DONTWAIT | more);
    while (interrupted(sent));
    if (sent < 0 && errno != EAGAIN)
        fail(box, zmq_strerror(errno));
    return sent >= 0;
}

/* The same with a copy of it, which costs next to nothing. */
static int
send_copy(struct outbox *box, zmq_msg_t *frame, int more)
{
    zmq_msg_t copy;

    zmq_msg_init(&copy);
    zmq_msg_copy(&copy, frame);
    int sent = send_frame(box, &copy, more);
    zmq_msg_close(&copy);
    return sent;
}

/* All frames, or none: of several the last may not go through, and then the
 * first are needed again. */
static int
send_frames(struct outbox *box)
{
    struct frames *before = box->before;

    if (before == NULL)
        return send_frame(box, &box->sealed, 0);
    for (size_t i = 0; i < before->count; i++)
        if (!send_copy(box, &before->frame[i], ZMQ_SNDMORE))
            return 0;
    return send_copy(box, &box->sealed, 0);
}

/* For once as PUB sockets do: without those who are too slow. */
static int
send_lossy(struct outbox *box)
{
    const int on = 1, off = 0;

    zmq_setsockopt(box->socket.socket, ZMQ_XPUB_NODROP, &off, sizeof off);
    int sent = send_frames(box);
    zmq_setsockopt(box->socket.socket, ZMQ_XPUB_NODROP, &on, sizeof on);
    if (sent)
        box->dropped += box->sealed_records;
    return sent;
}

/* Bytes of FRAME on the wire: its length takes one of them, or eight. */
static size_t
wire_bytes(const struct outbox *box, zmq_msg_t *frame)
{
    size_t len = zmq_msg_size(frame) + (box->encrypts ? SEAL_BYTES : 0);

    return len + (len < 256 ? 2 : 9);
}

/* Those of the sealed message with all its frames. */
static size_t
sealed_bytes(struct outbox *box)
{
    size_t len = wire_bytes(box, &box->sealed);

    for (size_t i = 0; box->before != NULL && i < box->before->count; i++)
        len += wire_bytes(box, &box->before->frame[i]);
    return len;
}

static void
note_sent(struct outbox *box, size_t len)
{
    struct sent *last = &box->sent[(box->sent_at + SENT_MAX - 1) % SENT_MAX];

    box->messages++;
    if (last->records > 0 && last->len_bytes + len <= SENT_BYTES) {
        last->len_bytes += (uint32_t)len;
        last->records += (uint32_t)box->sealed_records;
        return;
    }
    box->sent[box->sent_at] = (struct sent){
        .len_bytes = (uint32_t)len, .records = (uint32_t)box->sealed_records};
    box->sent_at = (box->sent_at + 1) % SENT_MAX;
}

/*
 * Whether somebody subscribes. Who subscribed to a topic twice is taken back
 * once when the connection goes: what is left over is nobody's. Within a
 * process there are no connections. One that connects has a queue that outlives
 * its connection, and goes on taking what was subscribed to.
 */
static int
is_heard(const struct outbox *box)
{
    if (!box->socket.spec->bind)
        return box->peers > 0 || box->is_kept;
    return box->peers > 0 && (box->crowd.count > 0 || box->crowd.fds == NULL);
}

static void
send_sealed(struct outbox *box)
{
    if (box->sealed_records == 0 || box->failed)
        return;
    size_t len = sealed_bytes(box); /* what is sent is empty */
    if (!send_frames(box) &&
        (box->failed || !box->is_pub || !box->lossy || !send_lossy(box)))
        return;
    note_sent(box, len);
    if (box->is_pub && !is_heard(box))
        box->unheard += box->sealed_records;
    if (!box->is_pub && box->peers == 0)
        box->unmet += box->sealed_records;
    frames_free(box->before);
    box->before = NULL;
    zmq_msg_close(&box->sealed);
    zmq_msg_init(&box->sealed);
    box->sealed_records = 0;
}

/* The frames of ROUTE, which several outputs may need. */
static struct frames *
copy_frames(struct outbox *box, const struct frames *frames)
{
    struct frames *copy = frames_new(frames->count);

    if (copy == NULL) {
        fail(box, "out of memory for a message");
        return NULL;
    }
    for (size_t i = 0; i < frames->count; i++)
        zmq_msg_copy(&copy->frame[i], (zmq_msg_t *)&frames->frame[i]);
    return copy;
}

void
outbox_turn(struct outbox *box, const struct route *route, int framed)
{
    if (box->failed || (box->route == route->id && !route->alone))
        return;
    outbox_flush(box);
    box->route = route->id;
    if (!box->failed && framed && route->frames != NULL)
        box->leading = copy_frames(box, route->frames);
}

void
outbox_resend(struct outbox *box)
{
    if (box->is_pub)
        outbox_look(box);
    send_sealed(box);
}

void
outbox_flush(struct outbox *box)
{
    box->route = 0;
    outbox_resend(box);
    if (outbox_is_clogged(box))
        return;
    seal(box);
    send_sealed(box);
}

int
outbox_is_clogged(const struct outbox *box)
{
    return box->sealed_records > 0 && !box->failed;
}

/* Bytes that the kernel has and a peer has not read, or over tcp its machine
 * has not confirmed, and those that go with them. Every subscriber has the
 * same, so the most counts. */
static size_t
bytes_on_the_way(const struct outbox *box)
{
    size_t all = 0, most = 0;

    for (size_t i = 0; i < box->crowd.count; i++) {
        int some = 0;
        size_t rest = overhear_rest(box->crowd.fds[i]);
#ifdef SIOCOUTQ
        if (ioctl(box->crowd.fds[i], SIOCOUTQ, &some) != 0)
            some = 0; /* gone in the meantime */
#endif
        size_t unread = rest + overhear_unread(box->crowd.fds[i], (size_t)some);
        all += unread;
        most = unread > most ? unread : most;
    }
    return box->is_pub ? most : all;
}

/*
 * As many messages, the last ones before those QUEUED, as make up the bytes
 * on the way; of those before the ones that are noted, as many as of these.
 * Over ipc the kernel counts the memory that they take, which is more than
 * they are long: rather too many are named than too few.
 */
static uint64_t
records_on_the_way(const struct outbox *box, uint64_t queued)
{
    size_t bytes = bytes_on_the_way(box), at = box->sent_at;
    uint64_t records = 0;
    double some = 0.0;

    for (size_t i = 0; i < SENT_MAX && some < (double)bytes; i++) {
        at = (at + SENT_MAX - 1) % SENT_MAX;
        const struct sent *sent = &box->sent[at];
        uint64_t waits = queued < sent->records ? queued : sent->records;
        uint64_t left = sent->records - waits;
        queued -= waits;
        records += left;
        if (left > 0)
            some += (double)sent->len_bytes * (double)left /
                    (double)sent->records;
    }
    if (some > 0.0 && some < (double)bytes)
        records = (uint64_t)((double)records * (double)bytes / some) + 1;
    return records;
}

/* Those that are out of our hands: libzmq or the kernel has them. */
static uint64_t
sent_left(const struct outbox *box)
{
    uint64_t queued = atomic_load(&box->depot.queued) - box->sealed_records;

    if (box->is_lost)
        return 0; /* whether or not it was thrown away by now: missed */
    return queued + records_on_the_way(box, queued);
}

uint64_t
outbox_left(const struct outbox *box)
{
    return sent_left(box) + box->sealed_records +
           (box->parcel == NULL ? 0 : box->parcel->records) + box->missed;
}

/* ---- who is there ---- */

/* Subscriptions come as messages: 1 or 0, then the topic. Anything else is
 * talk. They may come as fast as they are read. */
static void
count_subscriptions(struct outbox *box)
{
    size_t left = LOOK_MOST;
    zmq_msg_t message;

    zmq_msg_init(&message);
    while (left > 0 && frame_receive(box->socket.socket, &message)) {
        left--;
        if (zmq_msg_size(&message) == 0)
            continue;
        box->said_bytes += SAID_KEPT + zmq_msg_size(&message);
        char what = *(const char *)zmq_msg_data(&message);
        box->is_kept = 0;
        if (what == 1)
            box->peers++;
        else if (what == 0 && box->peers > 0)
            box->peers--;
    }
    zmq_msg_close(&message);
    box->lags = left == 0;
}

/* Who we connect to broke the protocol in a way that only libzmq sees, with
 * keys: it gives the connection up for good, and throws away what waits. */
static void
lose(struct outbox *box)
{
    if (box->is_lost)
        return;
    fail(box, "what is said there is forged: ZeroMQ does not connect again, "
              "and what waited is lost; start anew");
    box->missed += box->peers > 0 ? sent_left(box) : box->unmet;
    box->is_lost = 1;
}

/* The same of a pub. What waited for its subscriber is lost to that one, and
 * who comes anew may be another. */
static void
lose_subscriber(struct outbox *box, const char *why)
{
    uint64_t lost = box->met ? sent_left(box) : box->unmet;

    if (lost > 0)
        log_warning("%s: %s: %llu records that waited for a subscriber are "
                    "lost to it",
                    box->socket.spec->text, why, (unsigned long long)lost);
    box->dropped += lost;
    box->unmet = 0;
    box->met = 0;
    eye_give_up(&box->eye, why);
}

/* Where we connect libzmq keeps what there was ever subscribed to, as long as
 * the socket is there, though other subscribers come and go. It is given up
 * while none is there, if possible also while nothing waits for one. */
static int
has_much(const struct outbox *box)
{
    return !box->socket.spec->bind && box->crowd.count == 0 &&
           box->said_bytes >= SAID_MOST &&
           (sent_left(box) == 0 || box->said_bytes >= 2 * SAID_MOST);
}

static void
heed(struct outbox *box, const struct sight *sight)
{
    if (sight->event == ZMQ_EVENT_CONNECTED ||
        sight->event == ZMQ_EVENT_ACCEPTED) {
        crowd_add(&box->crowd, sight->fd);
    } else if (sight->event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) {
        /* Only now is it one of us; of which connection is not said. */
        log_info("%s: a peer has come", box->socket.spec->text);
        box->peers += !box->is_pub;
        box->unmet = 0;
        box->met = 1;
    } else if (sight->event == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL) {
        if (box->is_pub)
            lose_subscriber(box, EYE_FORGED);
        else
            lose(box);
    } else if (crowd_remove(&box->crowd, sight->fd)) {
        log_info("%s: a peer has gone", box->socket.spec->text);
        /* Of one that was never greeted nobody says so. */
        int was_met = box->is_pub ? box->met && box->crowd.count == 0
                                  : box->peers > box->crowd.count;
        if (was_met)
            box->unmet = sent_left(box);
        if (was_met && !box->is_pub)
            box->peers = box->crowd.count;
        /* libzmq takes nothing back, and he subscribes anew. What he said
         * before he went is there by now. */
        if (was_met && box->is_pub && !box->socket.spec->bind) {
            count_subscriptions(box);
            box->is_kept |= box->peers > 0;
            box->peers = 0;
        }
        box->met &= !was_met;
    }
}

static void
watch_connections(struct outbox *box)
{
    struct sight sight;

    accept_seen(); /* who comes meanwhile is not, perhaps */
    while (eye_next(&box->eye, &sight))
        heed(box, &sight);
}

void
outbox_look(struct outbox *box)
{
    watch_connections(box);
    if (box->is_pub) {
        count_subscriptions(box);
        if (has_much(box) && !box->eye.is_deaf)
            eye_give_up(&box->eye, much);
    } else { /* it frees what it has for who is gone only when looked into */
        wire_look(&box->socket);
    }
}

/* While a round of libzmq's lasts, what it has encoded and not yet written,
 * with keys also what it encrypts, is neither with it nor with the kernel, to
 * our eyes. */
int
outbox_is_read(struct outbox *box)
{
    int is_read = sent_left(box) == 0 && box->read_at == box->messages;
    int settled = rounds_settled(&box->settled, is_read);

    box->read_at = box->messages;
    return quiet_for(&box->read, is_read, clock_now(), READ_SECONDS) &&
           settled;
}

/* By another socket: one that was unbound goes on taking messages for those
 * who were connected, who are cut off and get none of them, until libzmq's
 * thread has come to it. */
static int
replace(struct outbox *box, struct wire *wire)
{
    struct socket before = box->socket;
    struct eye eye_before = box->eye;
    int binds = before.spec->bind;

    int made = make_socket(box, wire, before.spec) == EXIT_DONE &&
               (binds || wire_attach(wire, &box->socket) == EXIT_DONE);
    if (made) {
        eye_close(&eye_before, &before);
        if (binds)
            wire_replace(wire, &before, &box->socket);
        else
            wire_close(&before, 0);
        /* Who was connected is cut off, and no event says so. Others may have
         * those descriptors by now. */
        crowd_empty(&box->crowd);
        box->peers = 0;
        box->is_kept = 0;
        box->said_bytes = 0;
    } else {
        /* Told; it stays as it was. */
        eye_close(&box->eye, &box->socket);
        wire_close(&box->socket, 0);
        box->socket = before;
        box->eye = eye_before;
    }
    return made;
}

int
outbox_renew(struct outbox *box, struct wire *wire)
{
    int made = !wire_has_key(&box->socket) || replace(box, wire);

    outbox_look(box);
    return made;
}

int
outbox_is_deaf(struct outbox *box, struct wire *wire)
{
    if (!eye_wants_another(&box->eye))
        return box->eye.is_deaf;
    if (box->eye.why == much) { /* somebody may have come since */
        box->eye.is_deaf = has_much(box);
        if (!box->eye.is_deaf)
            return 0;
        lose_subscriber(box, box->eye.why);
    }
    if (replace(box, wire))
        eye_has_another(&box->eye, box->socket.spec);
    outbox_look(box);
    return box->eye.is_deaf;
}
