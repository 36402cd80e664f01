/* mailbox.c - frames to messages, messages to a ring. */
#include "mailbox.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "frame.h"
#include "log.h"
#include "rounds.h"
#include "unread.h"

#define CAP_FIRST 64
#define MOMENT 0.01   /* seconds, in which what the kernel has comes in */
#define PATIENCE 0.25 /* the same, where nothing is known of libzmq's rounds */
#define EMPTIES 10    /* times that a queue was empty, and it is enough */
#define PARTING 0.05  /* seconds, in which libzmq hangs up */
#define COUNT_RATE 1e7 /* bytes of records counted in a second, at the least:
                          each is one */

/* ---- life ---- */

static enum exit_status
subscribe(void *socket, const struct options *options)
{
    int bad = 0;

    if (options->topics.count == 0)
        bad = zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0);
    for (size_t i = 0; i < options->topics.count; i++)
        bad |= zmq_setsockopt(socket, ZMQ_SUBSCRIBE, options->topics.text[i],
                              strlen(options->topics.text[i]));
    if (bad == 0)
        return EXIT_DONE;
    log_error("cannot subscribe: %s", zmq_strerror(errno));
    return EXIT_FAILED;
}

/* A socket that is yet to be bound or connected. With an eye on it where who
 * is there may forge the handshake so that libzmq does not connect again; only
 * there: see events_of in outbox.c. */
static enum exit_status
make_socket(struct mailbox *box, struct wire *wire, const struct spec *spec)
{
    int is_sub = spec->socket == SOCKET_SUB;

    box->eye.socket = NULL;
    enum exit_status status =
        wire_socket(wire, &box->socket, is_sub ? ZMQ_SUB : ZMQ_PULL, spec);
    if (status == EXIT_DONE && is_sub)
        status = subscribe(box->socket.socket, wire->options);
    if (status != EXIT_DONE || !wire_meets_key(wire, spec))
        return status;
    return eye_open(&box->eye, wire, &box->socket,
                    ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL);
}

enum exit_status
mailbox_open(struct mailbox *box, struct wire *wire, const struct spec *spec)
{
    *box = (struct mailbox){.parts_max = wire->options->max_parts,
                            .bytes_max = wire->options->max_message};
    enum exit_status status = make_socket(box, wire, spec);
    return status == EXIT_DONE ? wire_attach(wire, &box->socket) : status;
}

static void
let_go(struct socket *socket, struct eye *eye)
{
    eye_close(eye, socket);
    wire_close(socket, 0);
}

void
mailbox_close(struct mailbox *box)
{
    while (box->count > 0)
        mailbox_drop(box);
    free(box->ring);
    box->ring = NULL;
    box->cap = 0;
    let_go(&box->socket, &box->eye);
}

/* ---- the ring ---- */

static struct letter *
at(const struct mailbox *box, size_t i)
{
    return &box->ring[(box->first + i) & (box->cap - 1)];
}

static int
grow(struct mailbox *box)
{
    size_t cap = box->cap == 0 ? CAP_FIRST : 2 * box->cap;
    struct letter *ring = malloc(cap * sizeof *ring);

    if (ring == NULL)
        return 0;
    for (size_t i = 0; i < box->count; i++) {
        ring[i] = *at(box, i);
        zmq_msg_init(&ring[i].payload);
        zmq_msg_move(&ring[i].payload, &at(box, i)->payload);
    }
    free(box->ring);
    box->ring = ring;
    box->cap = cap;
    box->first = 0;
    return 1;
}

struct letter *
mailbox_first(const struct mailbox *box)
{
    return box->count == 0 ? NULL : at(box, 0);
}

int
mailbox_is_within(const struct mailbox *box)
{
    return box->count > 0 && at(box, 0)->taken > 0;
}

/* Bytes that LETTER occupies: also one that is empty does. */
static size_t
cost_of(struct letter *letter)
{
    size_t cost = sizeof *letter + zmq_msg_size(&letter->payload);

    for (size_t i = 0; letter->frames != NULL && i < letter->frames->count; i++)
        cost += sizeof(zmq_msg_t) + zmq_msg_size(&letter->frames->frame[i]);
    return cost;
}

/* It is counted whole, and what was taken comes off: what stands behind the
 * events of a batch would pass for records by itself. That is done once: who
 * looks on asks again and again, and it takes as long as to read them. */
static uint64_t
records_left(struct letter *letter, const prae_params *params,
             struct header *header)
{
    const char *bytes = zmq_msg_data(&letter->payload);
    size_t len = zmq_msg_size(&letter->payload), count = 0;

    if (!letter->is_counted) {
        if (prae_message_count(params, &header->text, &header->len_bytes, bytes,
                               len, &count) != PRAE_OK)
            return 0;
        letter->is_counted = header->is_sure;
        letter->records = count;
    }
    count = letter->records;
    return count > letter->taken ? count - letter->taken : 0;
}

uint64_t
mailbox_records(const struct mailbox *box, const prae_params *params,
                struct header *header)
{
    uint64_t all = 0;

    for (size_t i = 0; i < box->count; i++)
        all += records_left(at(box, i), params, header);
    return all;
}

int
mailbox_count(struct mailbox *box, const prae_params *params,
              struct header *header, size_t most, double until)
{
    size_t before = box->counted, len = 0;

    for (; box->counted < box->count && len < most; box->counted++) {
        struct letter *letter = at(box, box->counted);
        if (!letter->is_counted &&
            (double)letter->cost > COUNT_RATE * (until - clock_now()))
            break;
        len += letter->cost;
        (void)records_left(letter, params, header);
    }
    return box->counted > before;
}

uint64_t
mailbox_forgo(struct mailbox *box)
{
    uint64_t letters = 0;

    for (; box->counted < box->count; box->counted++) {
        struct letter *letter = at(box, box->counted);
        letters += !letter->is_counted;
        letter->records = letter->is_counted ? letter->records : letter->taken;
        letter->is_counted = 1;
    }
    return letters;
}

void
mailbox_drop(struct mailbox *box)
{
    struct letter *letter = at(box, 0);

    box->counted -= box->counted > 0;
    box->len_bytes -= letter->cost;
    zmq_msg_close(&letter->payload);
    frames_free(letter->frames);
    box->first = (box->first + 1) & (box->cap - 1);
    box->count--;
    box->at = 0;
}

/* ---- receiving ---- */

/* What the frame in LETTER's payload was, was not the last: it goes to the
 * leading ones. */
static int
set_aside(struct letter *letter)
{
    size_t count = letter->frames == NULL ? 0 : letter->frames->count;
    struct frames *more = frames_new(count + 1);

    if (more == NULL)
        return 0;
    for (size_t i = 0; i < count; i++)
        zmq_msg_move(&more->frame[i], &letter->frames->frame[i]);
    zmq_msg_move(&more->frame[count], &letter->payload);
    frames_free(letter->frames);
    letter->frames = more;
    return 1;
}

/* It broke a limit: nothing of it is kept, and what is left of it is thrown
 * away as it comes. */
static void
refuse(struct letter *letter, void *socket, prae_refusal why)
{
    int more = zmq_msg_more(&letter->payload);

    letter->refused = 1;
    letter->why = why;
    frames_free(letter->frames);
    letter->frames = NULL;
    while (more) {
        zmq_msg_close(&letter->payload);
        zmq_msg_init(&letter->payload);
        more = frame_receive(socket, &letter->payload) &&
               zmq_msg_more(&letter->payload);
    }
    zmq_msg_close(&letter->payload);
    zmq_msg_init(&letter->payload);
}

void
mailbox_stop(struct mailbox *box)
{
    ipc_remove(&box->socket.ipc);
    box->stopping = 1;
}

/* Whom nobody reads any more goes on sending, into the kernel's buffer, as long
 * as there is a connection; without one it keeps what it has, or sends it to
 * others. One that is deaf has none. */
void
mailbox_end(struct mailbox *box)
{
    if (box->leaving)
        wire_look(&box->socket);
    else if (!box->eye.is_deaf)
        wire_leave(&box->socket);
    box->leaving = 1;
    box->done |= quiet_for(&box->left, 1, clock_now(), PARTING);
}

/* The queue is empty, and nothing is on its way to it from libzmq. From where
 * that reads next, or never again, nothing comes if it has nothing to do. */
static void
note_empty(struct mailbox *box)
{
    double time = clock_now();
    const struct unread *unread = unread_look();

    if (unread->number == box->looked)
        return; /* it was the same look */
    box->looked = unread->number;
    if (unread->bytes > 0 || unread->owing > 0 ||
        (unread->waiting > 0 && !rounds_are_calm())) {
        box->empty.is_so = 0;
        return;
    }
    double moment =
        fmax(rounds_are_known() ? MOMENT : PATIENCE, unread->round_trip);
    if (time - box->emptied_at >= moment) {
        box->emptied_at = time;
        box->empties++;
    }
    if (quiet_for(&box->empty, 1, time, 2.0 * moment) ||
        box->empties >= EMPTIES)
        mailbox_end(box);
}

/* The next frame, if there is one. Who sends on leaves the queue empty for
 * moments only, in which it is looked into twice. */
static int
receive_frame(struct mailbox *box, zmq_msg_t *frame)
{
    int settled = 0;

    for (int i = 0; !settled && i < 2; i++) {
        if (frame_receive(box->socket.socket, frame)) {
            box->in.is_so = 0;
            return 1;
        }
        if (!box->stopping)
            return 0;
        settled = rounds_settled(&box->in, 1);
    }
    if (box->leaving) {
        mailbox_end(box);
    } else if (settled) {
        box->in.is_so = 0;
        note_empty(box);
    }
    return 0;
}

prae_status
mailbox_receive(struct mailbox *box)
{
    void *socket = box->socket.socket;

    if (box->done)
        return PRAE_END;
    if (box->count == box->cap && !grow(box))
        return PRAE_ENOMEM;
    struct letter *letter = at(box, box->count);
    *letter = (struct letter){0};
    zmq_msg_init(&letter->payload);
    box->dry = !receive_frame(box, &letter->payload);
    if (box->dry)
        return PRAE_END;
    box->empty.is_so = 0;
    size_t parts = 1, bytes = zmq_msg_size(&letter->payload);
    while (!letter->refused && zmq_msg_more(&letter->payload)) {
        if (parts++ == box->parts_max) {
            refuse(letter, socket, PRAE_REFUSE_PARTS);
            break;
        }
        if (!set_aside(letter)) {
            zmq_msg_close(&letter->payload);
            frames_free(letter->frames);
            return PRAE_ENOMEM;
        }
        if (!frame_receive(socket, &letter->payload))
            break; /* the peer is gone, and the rest with it */
        bytes += zmq_msg_size(&letter->payload);
        if (bytes > box->bytes_max)
            refuse(letter, socket, PRAE_REFUSE_LENGTH);
    }
    letter->cost = cost_of(letter);
    box->len_bytes += letter->cost;
    box->count++;
    box->messages++;
    return PRAE_OK;
}

size_t
mailbox_gather(struct mailbox *box, size_t most)
{
    size_t count = 0;

    while (count < most && mailbox_receive(box) == PRAE_OK)
        count++;
    return count;
}

void
mailbox_look(struct mailbox *box)
{
    struct sight sight;

    while (eye_next(&box->eye, &sight))
        eye_give_up(&box->eye, EYE_FORGED);
}

/* By another socket: libzmq would not have this one connect to the same
 * endpoint once more, and as we watch it, it may not even have hung up. */
int
mailbox_is_deaf(struct mailbox *box, struct wire *wire)
{
    struct socket before = box->socket;
    struct eye eye_before = box->eye;

    if (!eye_wants_another(&box->eye))
        return box->eye.is_deaf;
    box->dry = 0;
    (void)mailbox_gather(box, wire_queue(wire->options) + 1);
    if (!box->dry)
        return 1; /* for want of memory: nobody sends to it any more */
    if (make_socket(box, wire, before.spec) == EXIT_DONE &&
        wire_attach(wire, &box->socket) == EXIT_DONE) {
        let_go(&before, &eye_before);
        eye_has_another(&box->eye, before.spec);
        box->dry = 0;
    } else {
        let_go(&box->socket, &box->eye); /* told */
        box->socket = before;
        box->eye = eye_before;
    }
    mailbox_look(box);
    return box->eye.is_deaf;
}

void
mailbox_cut(struct mailbox *box)
{
    wire_unbind(&box->socket);
}

void
mailbox_empty(struct mailbox *box, size_t most)
{
    mailbox_cut(box);
    if (box->socket.spec->bind)
        most = SIZE_MAX;
    box->done = 0;
    (void)mailbox_gather(box, most);
    box->done = 1;
}
