/* Messages in, from real sockets: whole, in order, within their limits; and
 * no more of them once it is to stop. */
#define _GNU_SOURCE /* accept4. NOLINT(bugprone-reserved-identifier) */
#include "clock.h"
#include "mailbox.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "accept.h"
#include "log.h"
#include "rounds.h"
#include "tap.h"

#define TURNS_MAX 1000 /* of 10 ms, for what has to happen */

static char scratch[] = "/tmp/prae-mailbox.XXXXXX";

static struct options options;
static struct wire wire;
static struct mailbox box;
static struct spec spec;
static void *peer;

static int
told(const char *text)
{
    char messages[8192];
    FILE *file = fopen("messages", "r");
    NEED(file != NULL);
    size_t len = fread(messages, 1, sizeof messages - 1, file);
    fclose(file);
    NEED(truncate("messages", 0) == 0);
    messages[len] = '\0';
    if (strstr(messages, text) != NULL)
        return 1;
    printf("# told: %s\n", messages);
    return 0;
}

/* A mailbox that binds ENDPOINT, and a peer of TYPE that is connected. */
static void
open_box(enum socket_kind kind, const char *endpoint, int type)
{
    const int no_linger = 0;

    NEED(wire_open(&wire, &options) == EXIT_DONE);
    spec = (struct spec){.text = endpoint,
                         .kind = SPEC_SOCKET,
                         .socket = kind,
                         .bind = 1,
                         .endpoint = endpoint};
    NEED(mailbox_open(&box, &wire, &spec) == EXIT_DONE);
    peer = zmq_socket(wire.context, type);
    NEED(peer != NULL);
    zmq_setsockopt(peer, ZMQ_LINGER, &no_linger, sizeof no_linger);
    NEED(zmq_connect(peer, endpoint) == 0);
}

static void
close_box(void)
{
    mailbox_close(&box);
    mailbox_close(&box);
    zmq_close(peer);
    wire_end(&wire, clock_now() + 60.0);
}

static void
send_frame(const char *text, int more)
{
    NEED(zmq_send(peer, text, strlen(text), more ? ZMQ_SNDMORE : 0) ==
         (int)strlen(text));
}

/* Sends COUNT frames, all TEXT. */
static void
send_frames(const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        send_frame(text, i + 1 < count);
}

static int
is_text(zmq_msg_t *frame, const char *text)
{
    return zmq_msg_size(frame) == strlen(text) &&
           memcmp(zmq_msg_data(frame), text, strlen(text)) == 0;
}

/* Whether the first letter is TEXT alone. */
static int
first_is(const char *text)
{
    struct letter *letter = mailbox_first(&box);

    return letter != NULL && !letter->refused && letter->frames == NULL &&
           is_text(&letter->payload, text);
}

/* Over a network a message takes its time. */
static prae_status
receive_soon(void)
{
    prae_status status = mailbox_receive(&box);

    for (int i = 0; status == PRAE_END && !box.done && i < TURNS_MAX; i++) {
        zmq_pollitem_t item = {box.socket.socket, 0, ZMQ_POLLIN, 0};
        (void)zmq_poll(&item, 1, 10);
        status = mailbox_receive(&box);
    }
    return status;
}

/* ---- messages ---- */

/* Whether what waits is counted as COUNT messages with LEADING frames and LEN
 * bytes in all: an empty one costs something, too. */
static int
costs(size_t count, size_t leading, size_t len)
{
    return box.len_bytes ==
           count * sizeof(struct letter) + leading * sizeof(zmq_msg_t) + len;
}

static void
test_messages(void)
{
    open_box(SOCKET_PULL, "inproc://messages", ZMQ_PUSH);
    ok(mailbox_receive(&box) == PRAE_END && mailbox_first(&box) == NULL &&
           box.messages == 0 && !box.done,
       "there is nothing to begin with");
    send_frame("one", 0);
    send_frame("topic", 1);
    send_frame("", 1);
    send_frame("four", 0);
    send_frame("", 0);
    ok(mailbox_receive(&box) == PRAE_OK && mailbox_receive(&box) == PRAE_OK &&
           mailbox_receive(&box) == PRAE_OK &&
           mailbox_receive(&box) == PRAE_END,
       "messages are taken one at a time");
    ok(box.count == 3 && box.messages == 3 && costs(3, 2, 12),
       "and counted, with all of their bytes");
    ok(first_is("one"), "the first one comes first");
    box.at = 2;
    mailbox_drop(&box);
    ok(box.at == 0 && costs(2, 2, 9), "dropping it ends it");
    struct letter *letter = mailbox_first(&box);
    ok(letter->frames != NULL && letter->frames->count == 2 &&
           is_text(&letter->frames->frame[0], "topic") &&
           is_text(&letter->frames->frame[1], "") &&
           is_text(&letter->payload, "four"),
       "frames before the last are kept, empty ones too");
    mailbox_drop(&box);
    ok(first_is("") && costs(1, 0, 0), "an empty message is one");
    close_box(); /* with a letter in it */
}

/* A ring that wraps and grows while letters wait. */
static void
test_ring(void)
{
    unsigned sent = 0, got = 0, wrong = 0;
    size_t most = 0;
    char text[32];

    open_box(SOCKET_PULL, "inproc://ring", ZMQ_PUSH);
    for (unsigned round = 0; round < 40; round++) {
        for (unsigned i = 0; i < 20 + round; i++, sent++) {
            snprintf(text, sizeof text, "%u", sent);
            if (sent % 3 == 0)
                send_frame(text, 1);
            send_frame(text, 0);
            NEED(mailbox_receive(&box) == PRAE_OK);
        }
        most = box.count > most ? box.count : most;
        for (; got + 30 < sent; got++) {
            struct letter *letter = mailbox_first(&box);
            snprintf(text, sizeof text, "%u", got);
            wrong +=
                !is_text(&letter->payload, text) ||
                (letter->frames != NULL) != (got % 3 == 0) ||
                (got % 3 == 0 && !is_text(&letter->frames->frame[0], text));
            mailbox_drop(&box);
        }
    }
    ok(wrong == 0 && got > 1000 && most > 64,
       "%u messages, up to %zu waiting, come out in order with their frames",
       got, most);
    close_box();
}

/* ---- limits ---- */

static void
test_limits(void)
{
    options.max_parts = 3;
    options.max_message = 100;
    open_box(SOCKET_PULL, "inproc://limits", ZMQ_PUSH);
    send_frames("0123456789", 3);
    NEED(mailbox_receive(&box) == PRAE_OK);
    ok(!mailbox_first(&box)->refused && mailbox_first(&box)->frames->count == 2,
       "as many frames as allowed");
    mailbox_drop(&box);

    static const size_t counts[] = {4, 200};
    for (size_t i = 0; i < 2; i++) {
        send_frames("0123456789", counts[i]);
        send_frame("next", 0);
        NEED(mailbox_receive(&box) == PRAE_OK);
        struct letter *letter = mailbox_first(&box);
        ok(letter->refused && letter->why == PRAE_REFUSE_PARTS &&
               letter->frames == NULL && zmq_msg_size(&letter->payload) == 0 &&
               costs(1, 0, 0),
           "%zu frames are refused, and nothing of them is kept", counts[i]);
        mailbox_drop(&box);
        ok(mailbox_receive(&box) == PRAE_OK && first_is("next"),
           "the message behind them is whole");
        mailbox_drop(&box);
    }

    static const char fifty[] =
        "01234567890123456789012345678901234567890123456789";
    send_frames(fifty, 2);
    send_frame(fifty, 1);
    send_frame(fifty, 1);
    send_frame("x", 0);
    send_frame("x", 1);
    send_frame(fifty, 1);
    send_frame(fifty, 0);
    for (int i = 0; i < 3; i++)
        NEED(mailbox_receive(&box) == PRAE_OK);
    ok(!mailbox_first(&box)->refused && costs(3, 1, 100),
       "as many bytes as allowed");
    for (int i = 0; i < 2; i++) {
        mailbox_drop(&box);
        ok(mailbox_first(&box)->refused &&
               mailbox_first(&box)->why == PRAE_REFUSE_LENGTH,
           "one byte more in all frames is refused");
    }
    ok(mailbox_receive(&box) == PRAE_END && box.messages == 8,
       "each is one message");
    close_box();
    options.max_parts = 8;
    options.max_message = 1 << 20;
}

/* A single frame over the limit costs its sender the connection; what it
 * sends on the next arrives. */
static void
test_frame_limit(void)
{
    char large[2048];
    int came = 0;

    options.max_message = 1024;
    open_box(SOCKET_PULL, "ipc://limit", ZMQ_PUSH);
    send_frame("small", 0);
    NEED(receive_soon() == PRAE_OK && first_is("small"));
    mailbox_drop(&box);
    memset(large, 'x', sizeof large);
    NEED(zmq_send(peer, large, sizeof large, 0) == sizeof large);
    for (int i = 0; !came && i < TURNS_MAX; i++) {
        (void)zmq_send(peer, "next", 4, ZMQ_DONTWAIT);
        poll(NULL, 0, 10);
        came = mailbox_receive(&box) == PRAE_OK;
    }
    ok(came && first_is("next"),
       "a frame that is too large never comes, the peer's next does");
    close_box();
    options.max_message = 1 << 20;
}

/* ---- counting ---- */

static void
test_records(void)
{
    prae_params params;
    struct header header = {.text = "", .is_sure = 1};

    prae_params_init(&params);
    params.format = PRAE_FORMAT_JSONL;
    options.max_parts = 2;
    open_box(SOCKET_PULL, "inproc://records", ZMQ_PUSH);
    ok(mailbox_records(&box, &params, &header) == 0, "no message, no records");
    send_frame("{}\n[1]\nnonsense\n", 0);
    send_frame("topic", 1);
    send_frame("{}\n\n{}", 0);
    send_frame("", 0);
    send_frames("{}\n", 3);
    for (int i = 0; i < 4; i++)
        NEED(mailbox_receive(&box) == PRAE_OK);
    ok(mailbox_records(&box, &params, &header) == 3 + 2 + 1 + 1,
       "records are counted as they will be taken: empty and refused, too");
    mailbox_first(&box)->taken = 1;
    ok(mailbox_records(&box, &params, &header) == 2 + 2 + 1 + 1,
       "but for those that have been");
    mailbox_first(&box)->taken = 3;
    ok(mailbox_records(&box, &params, &header) == 2 + 1 + 1,
       "also where all of them have");
    mailbox_drop(&box);
    mailbox_drop(&box);
    mailbox_first(&box)->taken = 1;
    ok(mailbox_records(&box, &params, &header) == 1,
       "and where there are no bytes to tell by");
    close_box();
    options.max_parts = 8;
}

/* What stands behind the events of a batch is none, also for who has taken all
 * of them and not come to its end. */
static void
test_batch(void)
{
    static const char batch[] = "\x93\xa1t\x92\x92\x01\x80\x92\x02\x80\x80";
    struct header header = {.text = "", .is_sure = 1};
    prae_params params;

    prae_params_init(&params);
    params.format = PRAE_FORMAT_MSGPACK;
    open_box(SOCKET_PULL, "inproc://batch", ZMQ_PUSH);
    send_frame(batch, 0);
    NEED(mailbox_receive(&box) == PRAE_OK);
    for (size_t taken = 0; taken <= 2; taken++) {
        mailbox_first(&box)->taken = taken;
        ok(mailbox_records(&box, &params, &header) == 2 - taken,
           "of a batch of two %zu are taken", taken);
    }
    close_box();
}

static void
receive_all(const char *const *text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        send_frame(text[i], 0);
        NEED(mailbox_receive(&box) == PRAE_OK);
    }
}

/* A header is no record, however often it comes, before the filter has seen
 * one and after; what it is the library says. */
static void
test_headers(void)
{
    static const char *const plain[] = {
        "a,b\r\n1,2\n", "1,2\n3,4", "a,b\n", "a,b", "a,bc\n", "a,\n", "",
        "\357\273\277a,b\n1,2"};
    static const char *const quoted[] = {"\"a\nx\",b\n1,2\n",
                                         "\"a\nx\",b\n3,4\n"};
    static const char *const refused[] = {"\"a\"x,b\n1,2\n",
                                          "\"a\"x,b\n3,4\n"};
    static const char *const blank[] = {"\na,b\n1,2\n", "\na,b\n3,4\n"};
    static const struct {
        const char *name;
        const char *const *text;
        size_t count;
        struct header known;
        size_t records, with_all;
    } cases[] = {
        {"plain", plain, 8, {"a,b\r\n", 5, 1}, 7, 11},
        {"with a newline within quotes", quoted, 2,
         {"\"a\nx\",b\n", 8, 1}, 2, 4},
        {"that is refused", refused, 2, {"", 0, 1}, 4, 4},
        {"behind a blank line", blank, 2, {"a,b\n", 4, 1}, 2, 4},
    };
    prae_params params;

    prae_params_init(&params);
    params.format = PRAE_FORMAT_CSV;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *name = cases[i].name;
        struct header known = cases[i].known, none = {0};
        open_box(SOCKET_PULL, "inproc://headers", ZMQ_PUSH);
        receive_all(cases[i].text, cases[i].count);
        ok(mailbox_records(&box, &params, &none) == cases[i].records,
           "a CSV's header %s, before it is read", name);
        params.no_header = 1;
        none = (struct header){0};
        ok(mailbox_records(&box, &params, &none) == cases[i].with_all,
           "with --no-header it is a record, %s", name);
        params.no_header = 0;
        /* As the first message was taken, in part or not at all. */
        mailbox_first(&box)->taken = 1;
        ok(mailbox_records(&box, &params, &known) == cases[i].records - 1 &&
               mailbox_records(&box, &params, &known) == cases[i].records - 1,
           "and after its message was taken in part, %s", name);
        close_box();
    }
}

/* Once: what they were then is what they are. */
static void
test_counted(void)
{
    struct header header = {.text = "", .is_sure = 1};
    double late = clock_now() + 10.0;
    prae_params params;

    prae_params_init(&params);
    params.format = PRAE_FORMAT_JSONL;
    open_box(SOCKET_PULL, "inproc://counted", ZMQ_PUSH);
    for (int i = 0; i < 3; i++) {
        send_frame("{}\n{}", 0);
        NEED(mailbox_receive(&box) == PRAE_OK);
    }
    NEED(mailbox_count(&box, &params, &header, 1, late) && box.counted == 1);
    mailbox_drop(&box);
    NEED(mailbox_count(&box, &params, &header, 1, late) && box.counted == 1);
    memset(zmq_msg_data(&mailbox_first(&box)->payload), '\n', 5);
    ok(mailbox_records(&box, &params, &header) == 4 &&
           mailbox_count(&box, &params, &header, 1, late) && box.counted == 2 &&
           !mailbox_count(&box, &params, &header, 1, late),
       "a message is counted once, and beforehand one after the other");
    for (int i = 0; i < 2; i++) {
        send_frame("{}\n{}", 0);
        NEED(mailbox_receive(&box) == PRAE_OK);
    }
    ok(!mailbox_count(&box, &params, &header, 1, clock_now()) &&
           mailbox_forgo(&box) == 2 && mailbox_forgo(&box) == 0 &&
           mailbox_records(&box, &params, &header) == 4,
       "where there is no time, it is known how many are not counted");
    close_box();
}

/* ---- stopping ---- */

static int
exists(const char *path)
{
    struct stat found;

    return lstat(path, &found) == 0;
}

static void
test_gather(void)
{
    open_box(SOCKET_PULL, "inproc://gather", ZMQ_PUSH);
    for (int i = 0; i < 10; i++)
        send_frame("x", 0);
    mailbox_stop(&box);
    ok(mailbox_gather(&box, 7) == 7 && box.count == 7,
       "what it may is taken from the queue");
    mailbox_cut(&box);
    ok(mailbox_gather(&box, 7) == 3 && box.count == 10,
       "and the rest of it where nobody can send any more");
    close_box();
}

/* What is left is counted, however much it is; but of a peer that nobody can
 * cut off a queue, as it may go on for ever. */
static void
test_empty(void)
{
    enum { MANY = 120000 };

    options.hwm = MANY;
    open_box(SOCKET_PULL, "inproc://empty", ZMQ_PUSH);
    for (int i = 0; i < MANY; i++)
        send_frame("", 0);
    mailbox_stop(&box);
    mailbox_empty(&box, 10);
    ok(box.count == MANY && box.done, "a long queue is counted to its end");
    close_box();
    options.hwm = 0;

    NEED(wire_open(&wire, &options) == EXIT_DONE);
    spec.bind = 0;
    NEED(mailbox_open(&box, &wire, &spec) == EXIT_DONE);
    peer = zmq_socket(wire.context, ZMQ_PUSH);
    NEED(peer != NULL && zmq_bind(peer, spec.endpoint) == 0);
    for (int i = 0; i < 100; i++)
        send_frame("", 0);
    mailbox_stop(&box);
    mailbox_empty(&box, 10);
    ok(box.count == 10 && box.done, "that of one that connects once");
    close_box();
}

/* A connection to ROLE that has a byte unread: PAIR[1] has come to PAIR[0]. */
static void
connect_pair(enum intake_role role, int pair[2])
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "pair"};
    const struct sockaddr *at = (struct sockaddr *)&address;

    accept_for(role, "pair");
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    accept_for(INTAKE_NONE, NULL);
    NEED(bind(listener, at, sizeof address) == 0 && listen(listener, 1) == 0);
    pair[1] = socket(AF_UNIX, SOCK_STREAM, 0);
    NEED(connect(pair[1], at, sizeof address) == 0);
    /* It need not say where they come from. */
    /* cppcheck-suppress nullPointer */
    pair[0] = accept4(listener, NULL, NULL, 0);
    NEED(pair[0] >= 0 && write(pair[1], "x", 1) == 1);
    NEED(close(listener) == 0 && unlink("pair") == 0);
}

/* The thread that fills the queue may get no processor for long: what the
 * kernel has is waited for. */
static void
test_unread(void)
{
    int pair[2], other[2], third[2];
    char byte;

    connect_pair(INTAKE_INPUT, pair);
    connect_pair(INTAKE_PUB, other);
    NEED(socketpair(AF_UNIX, SOCK_STREAM, 0, third) == 0 &&
         write(third[1], "x", 1) == 1);
    open_box(SOCKET_PULL, "inproc://unread", ZMQ_PUSH);
    mailbox_stop(&box);
    for (int i = 0; i < 200; i++) {
        NEED(mailbox_receive(&box) == PRAE_END);
        poll(NULL, 0, 1);
    }
    ok(!box.done, "an empty queue is not the end while bytes are unread");
    NEED(read(pair[0], &byte, 1) == 1);
    for (int i = 0; !box.done && i < 1000; i++) {
        NEED(mailbox_receive(&box) == PRAE_END);
        poll(NULL, 0, 1);
    }
    ok(box.done, "but once they are read, whatever is said to others");
    close_box();
    for (int i = 0; i < 2; i++) {
        close(pair[i]);
        close(other[i]);
        close(third[i]);
    }
}

/* Nor does it end while that thread has some, for however long. */
static void
test_busy(void)
{
    int pair[2], turns = 0;

    NEED(pipe(pair) == 0); /* what there is nothing in to do */
    open_box(SOCKET_PULL, "inproc://busy", ZMQ_PUSH);
    rounds_join(pair[0]);
    rounds_wait(pair[0]); /* we are that thread */
    rounds_go_on();
    rounds_touch();
    mailbox_stop(&box);
    for (; turns < 700 && !box.done; turns++) {
        NEED(mailbox_receive(&box) == PRAE_END);
        poll(NULL, 0, 1);
    }
    ok(!box.done, "an empty queue is not the end while libzmq is busy");
    send_frame("x", 0);
    ok(mailbox_receive(&box) == PRAE_OK, "what it brings is taken");
    rounds_wait(pair[0]);
    for (turns = 0; turns < TURNS_MAX && !box.done; turns++) {
        NEED(mailbox_receive(&box) == PRAE_END);
        poll(NULL, 0, 1);
    }
    ok(box.done, "but once it waits, and nothing came");
    close_box();
    close(pair[0]);
    close(pair[1]);
}

static void
test_stop(void)
{
    int came = 0;

    open_box(SOCKET_PULL, "inproc://stop", ZMQ_PUSH);
    for (int i = 0; i < 10; i++)
        send_frame("x", 0);
    mailbox_stop(&box);
    while (mailbox_receive(&box) == PRAE_OK)
        came++;
    ok(came == 10 && !box.done, "at the end it takes what there is");
    send_frame("late", 0);
    ok(mailbox_receive(&box) == PRAE_OK && !box.done,
       "and what was on its way");
    for (int i = 0; !box.done && i < 1000; i++) {
        poll(NULL, 0, 1);
        came += mailbox_receive(&box) == PRAE_OK;
    }
    ok(came == 10 && box.done, "it is done when nothing came for a moment");
    send_frame("x", 0);
    ok(mailbox_receive(&box) == PRAE_END && box.count == 11,
       "and takes nothing new then");
    mailbox_empty(&box, 1);
    ok(box.count == 12 && box.done, "but to count what is left");
    close_box();

    open_box(SOCKET_PULL, "ipc://stop", ZMQ_PUSH);
    ok(exists("stop"), "an ipc endpoint is a file");
    send_frame("received", 0);
    zmq_pollitem_t item = {box.socket.socket, 0, ZMQ_POLLIN, 0};
    NEED(zmq_poll(&item, 1, 10000) == 1);
    mailbox_stop(&box);
    ok(!exists("stop"), "which goes when nobody is let in any more");
    ok(mailbox_receive(&box) == PRAE_OK && first_is("received"),
       "what had been received stays");
    close_box();
}

/* Whether PEER, who queues nothing for who is not there, cannot send. */
static int
is_alone(void)
{
    int sent = 1;

    for (int i = 0; sent >= 0 && i < TURNS_MAX; i++) {
        poll(NULL, 0, 10);
        sent = zmq_send(peer, "x", 1, ZMQ_DONTWAIT);
    }
    return sent < 0 && errno == EAGAIN;
}

/* Who sends is hung up on at the end, so that it may turn to others. */
static void
test_parting(void)
{
    const int on = 1, no_linger = 0;

    for (int bind = 0; bind < 2; bind++) {
        const char *endpoint = bind ? "ipc://parting" : "ipc://parted";
        NEED(wire_open(&wire, &options) == EXIT_DONE);
        spec = (struct spec){.text = "parting",
                             .kind = SPEC_SOCKET,
                             .socket = SOCKET_PULL,
                             .bind = bind,
                             .endpoint = endpoint};
        NEED(mailbox_open(&box, &wire, &spec) == EXIT_DONE);
        peer = zmq_socket(wire.context, ZMQ_PUSH);
        NEED(peer != NULL &&
             zmq_setsockopt(peer, ZMQ_IMMEDIATE, &on, sizeof on) == 0);
        zmq_setsockopt(peer, ZMQ_LINGER, &no_linger, sizeof no_linger);
        NEED((bind ? zmq_connect(peer, endpoint)
                   : zmq_bind(peer, endpoint)) == 0);
        send_frame("first", 0);
        NEED(receive_soon() == PRAE_OK);
        send_frame("last", 0);
        mailbox_stop(&box);
        for (int i = 0; !box.done && i < TURNS_MAX; i++) {
            poll(NULL, 0, 2);
            (void)mailbox_receive(&box);
        }
        ok(box.done && box.count == 2 && is_alone(),
           "who %s is hung up on when all is in",
           bind ? "connects" : "binds");
        close_box();
        (void)unlink("parted"); /* is not ours */
    }
}

/* ---- topics ---- */

/* Subscriptions reach the publisher PEER as messages, once the mailbox has
 * looked; takes COUNT. */
static void
take_subscriptions(int count)
{
    char text[64];

    for (int i = 0, turns = 0; i < count; turns++) {
        NEED(mailbox_receive(&box) == PRAE_END && turns < TURNS_MAX);
        if (zmq_recv(peer, text, sizeof text, ZMQ_DONTWAIT) >= 1)
            i++;
        else
            poll(NULL, 0, 10);
    }
}

static void
test_topics(void)
{
    options.topics = (struct list){.text = {"a", "bc"}, .count = 2};
    open_box(SOCKET_SUB, "inproc://topics", ZMQ_XPUB);
    take_subscriptions(2);
    send_frame("b", 0);
    send_frame("bcd", 1);
    send_frame("1", 0);
    send_frame("c", 0);
    send_frame("a", 0);
    NEED(mailbox_receive(&box) == PRAE_OK);
    ok(is_text(&mailbox_first(&box)->payload, "1"), "a topic is a beginning");
    mailbox_drop(&box);
    ok(mailbox_receive(&box) == PRAE_OK && first_is("a") &&
           mailbox_receive(&box) == PRAE_END,
       "one of several; and nothing else comes");
    close_box();
    options.topics.count = 0;
    open_box(SOCKET_SUB, "inproc://topics", ZMQ_XPUB);
    take_subscriptions(1);
    send_frame("anything", 0);
    ok(mailbox_receive(&box) == PRAE_OK && first_is("anything"),
       "without topics everything does");
    close_box();
}

/* ---- the wire ---- */

static void
test_wire(void)
{
    struct spec open_spec = {.text = "pull:@tcp://0.0.0.0:*",
                             .kind = SPEC_SOCKET,
                             .socket = SOCKET_PULL,
                             .bind = 1,
                             .endpoint = "tcp://0.0.0.0:*"};
    struct spec bad_spec = {.text = "pull:nonsense",
                            .kind = SPEC_SOCKET,
                            .socket = SOCKET_PULL,
                            .endpoint = "nonsense"};
    struct mailbox other;
    int value = 0;
    size_t size = sizeof value;

    options.insecure = 0;
    options.hwm = 7;
    open_box(SOCKET_PULL, "ipc://wire", ZMQ_PUSH);
    NEED(zmq_getsockopt(box.socket.socket, ZMQ_RCVHWM, &value, &size) == 0);
    ok(value == 7 && wire_queue(&options) == 7, "--hwm is the socket's");
    size = sizeof value;
    NEED(zmq_getsockopt(box.socket.socket, ZMQ_HEARTBEAT_IVL, &value, &size) ==
         0);
    ok(value == 0, "there are no heartbeats");
    ok(mailbox_open(&other, &wire, &spec) == EXIT_UNAVAILABLE && told("wire"),
       "an endpoint that somebody listens on is not taken from them");
    mailbox_close(&other);
    ok(exists("wire"), "and stays theirs");
    ok(mailbox_open(&other, &wire, &open_spec) == EXIT_CONFIG &&
           told("--insecure"),
       "nobody listens to the world without having said so");
    mailbox_close(&other);
    ok(mailbox_open(&other, &wire, &bad_spec) == EXIT_UNAVAILABLE &&
           told("pull:nonsense: cannot connect"),
       "an endpoint that is none is named");
    mailbox_close(&other);
    options.insecure = 1;
    ok(mailbox_open(&other, &wire, &open_spec) == EXIT_DONE &&
           strncmp(other.socket.endpoint, "tcp://", 6) == 0,
       "with --insecure it is");
    mailbox_close(&other);
    close_box();
    ok(!exists("wire"), "closing leaves no file");
    options.hwm = 0;
    ok(wire_queue(&options) == 1000, "a queue is of 1000 messages");
    options.tight = 1;
    ok(wire_queue(&options) == 100, "a tight one of 100");
    options.tight = 0;
}

static void
test_quiet(void)
{
    struct quiet quiet = {0};

    ok(!quiet_for(&quiet, 1, 100.0, 0.01), "a first look knows of no silence");
    ok(!quiet_for(&quiet, 1, 100.004, 0.01) &&
           quiet_for(&quiet, 1, 100.0085, 0.008),
       "silence grows with the looks");
    ok(!quiet_for(&quiet, 1, 160.0, 0.02),
       "a minute in which nobody looked is no silence");
    ok(!quiet_for(&quiet, 0, 160.001, 0.0) &&
           !quiet_for(&quiet, 1, 160.002, 0.001) &&
           quiet_for(&quiet, 1, 160.004, 0.001),
       "a word begins it anew");
}

int
main(void)
{
    NEED(mkdtemp(scratch) != NULL && chdir(scratch) == 0);
    NEED(log_open("messages", -1));
    alarm(120); /* should something hang */
    options =
        (struct options){.max_parts = 8, .max_message = 1 << 20, .insecure = 1};
    test_messages();
    test_ring();
    test_limits();
    test_frame_limit();
    test_records();
    test_batch();
    test_headers();
    test_counted();
    test_quiet();
    test_unread();
    test_busy();
    test_stop();
    test_parting();
    test_gather();
    test_empty();
    test_topics();
    test_wire();
    NEED(unlink("messages") == 0 && chdir("/") == 0 && rmdir(scratch) == 0);
    return tap_done();
}
