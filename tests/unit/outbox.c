/* Messages out to real sockets: records of one message leave together behind
 * its frames, nothing is lost or sent twice where a peer is slow, and what is
 * left is known. */
#include "outbox.h"

#include <errno.h>
#include <poll.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "clock.h"
#include "log.h"
#include "tap.h"
#include "topics.h"

#define TURNS_MAX 1000 /* of 10 ms, for what has to happen */
#define BUSY 9999      /* no descriptor of anybody's */

static char scratch[] = "/tmp/prae-outbox.XXXXXX";

static struct options options;
static struct wire wire;
static struct spec spec;
static struct outbox box;

static void
open_box(enum socket_kind kind, const char *endpoint)
{
    NEED(wire_open(&wire, &options) == EXIT_DONE);
    spec = (struct spec){.text = endpoint,
                         .kind = SPEC_SOCKET,
                         .socket = kind,
                         .bind = 1,
                         .endpoint = endpoint};
    NEED(outbox_open(&box, &wire, &spec) == EXIT_DONE);
}

static void
close_box(void)
{
    struct socket left = box.socket;
    int forsaken = outbox_is_queued(&box);
    outbox_close(&box);
    outbox_close(&box);
    /* What the program leaves open until its end. */
    if (forsaken)
        wire_close(&left, 0);
    wire_end(&wire, clock_now() + 60.0);
}

/* A peer of TYPE that queues HWM messages. */
static void *
open_peer(int type, int hwm)
{
    void *peer = zmq_socket(wire.context, type);

    NEED(peer != NULL &&
         zmq_setsockopt(peer, ZMQ_RCVHWM, &hwm, sizeof hwm) == 0);
    if (type == ZMQ_SUB)
        NEED(zmq_setsockopt(peer, ZMQ_SUBSCRIBE, "", 0) == 0);
    NEED(zmq_connect(peer, spec.endpoint) == 0);
    /* Until it is known there a message does not go through. */
    zmq_pollitem_t item = {box.socket.socket, 0, ZMQ_POLLOUT, 0};
    NEED(zmq_poll(&item, 1, 10000) == 1);
    return peer;
}

/* The next message as text, frames parted by '|'; "" where there is none. */
static const char *
next_message(void *peer)
{
    static char text[4096];
    size_t len = 0, size = sizeof(int);
    int more = 1;

    text[0] = '\0';
    for (int frames = 0; more; frames++) {
        int got =
            zmq_recv(peer, text + len, sizeof text - len - 2, ZMQ_DONTWAIT);
        if (got < 0) {
            NEED(frames == 0 && errno == EAGAIN);
            return "";
        }
        len += (size_t)got;
        NEED(zmq_getsockopt(peer, ZMQ_RCVMORE, &more, &size) == 0);
        if (more)
            text[len++] = '|';
        text[len] = '\0';
    }
    return text;
}

static int
next_is(void *peer, const char *wanted)
{
    const char *got = next_message(peer);

    if (strcmp(got, wanted) == 0)
        return 1;
    printf("# got \"%s\", wanted \"%s\"\n", got, wanted);
    return 0;
}

/* The same, of one that may be on its way. */
static int
next_in_time(void *peer, const char *wanted)
{
    zmq_pollitem_t item = {peer, 0, ZMQ_POLLIN, 0};

    return zmq_poll(&item, 1, 10000) == 1 && next_is(peer, wanted);
}

/* Record TEXT of ROUTE. */
static void
put_record(const struct route *route, const char *text, int framed)
{
    outbox_turn(&box, route, framed);
    outbox_put(&box, text, strlen(text), 1);
}

static struct frames *
frames_of(const char *first, const char *second)
{
    const char *texts[] = {first, second};
    struct frames *frames = frames_new(2);

    NEED(frames != NULL);
    for (size_t i = 0; i < 2; i++) {
        NEED(zmq_msg_init_size(&frames->frame[i], strlen(texts[i])) == 0);
        memcpy(zmq_msg_data(&frames->frame[i]), texts[i], strlen(texts[i]));
    }
    return frames;
}

/* ---- grouping ---- */

static void
test_grouping(void)
{
    struct route plain = {.id = 1}, framed = {.id = 2}, last = {.id = 3};
    struct route alone = {.id = 4, .alone = 1};

    framed.frames = frames_of("topic", "");
    open_box(SOCKET_PUSH, "inproc://grouping");
    void *peer = open_peer(ZMQ_PULL, 1000);
    put_record(&plain, "a1 ", 1);
    put_record(&plain, "a2 ", 1);
    ok(next_is(peer, "") && outbox_left(&box) == 2,
       "records of a message are gathered");
    put_record(&framed, "b1 ", 1);
    ok(next_is(peer, "a1 a2 ") && outbox_left(&box) == 1,
       "another message sends them");
    put_record(&framed, "b2", 1);
    put_record(&last, "c1", 1);
    ok(next_is(peer, "topic||b1 b2"), "its frames go before its records");
    outbox_flush(&box);
    ok(next_is(peer, "c1") && box.messages == 3 && outbox_left(&box) == 0,
       "and not before the next one's");
    put_record(&last, "c2", 1);
    outbox_flush(&box);
    ok(next_is(peer, "c2"), "what is flushed is not joined any more");
    put_record(&framed, "b3", 1);
    outbox_flush(&box);
    put_record(&framed, "b4", 1);
    outbox_flush(&box);
    ok(next_is(peer, "topic||b3") && next_is(peer, "topic||b4"),
       "but has its frames again");
    put_record(&framed, "score", 0);
    outbox_flush(&box);
    ok(next_is(peer, "score"), "unless they are not wanted");
    put_record(&alone, "d1", 1);
    put_record(&alone, "d2", 1);
    outbox_flush(&box);
    ok(next_is(peer, "d1") && next_is(peer, "d2"),
       "records of a stream are messages by themselves");
    outbox_turn(&box, &last, 1);
    outbox_put(&box, "head ", 5, 0);
    outbox_flush(&box);
    ok(next_is(peer, ""), "what is no record yet waits for one");
    outbox_put(&box, "e1", 2, 1);
    outbox_flush(&box);
    ok(next_is(peer, "head e1"), "and leaves with it");
    outbox_flush(&box);
    ok(next_is(peer, "") && !outbox_is_clogged(&box) && !box.failed,
       "nothing is no message");
    put_record(&framed, "left over", 1);
    zmq_close(peer);
    close_box();
    frames_free(framed.frames);
}

/* A record larger than what is made room for at first. */
static void
test_large(void)
{
    static char large[300000];
    struct route route = {.id = 1};
    zmq_msg_t message;

    for (size_t i = 0; i < sizeof large; i++)
        large[i] = (char)(i * 31 >> 2);
    open_box(SOCKET_PUSH, "inproc://large");
    void *peer = open_peer(ZMQ_PULL, 10);
    outbox_turn(&box, &route, 1);
    for (int i = 0; i < 3; i++)
        outbox_put(&box, large + 100000 * i, 100000, i == 2);
    outbox_flush(&box);
    zmq_msg_init(&message);
    ok(zmq_msg_recv(&message, peer, ZMQ_DONTWAIT) == sizeof large &&
           memcmp(zmq_msg_data(&message), large, sizeof large) == 0,
       "a large record comes whole, whatever its pieces");
    ok(outbox_left(&box) == 1, "it is left as long as its bytes are in use");
    zmq_msg_close(&message);
    ok(outbox_left(&box) == 0, "and then not");
    zmq_close(peer);
    close_box();
}

/* ---- slow peers ---- */

/* Puts messages of two records with a frame before them until it is
 * clogged, from the *NEXT-th on. */
static void
put_until_clogged(const struct frames *frames, unsigned *next, unsigned most)
{
    char text[32];

    for (; !outbox_is_clogged(&box) && *next < most; ++*next) {
        struct route route = {.id = *next + 1,
                              .frames = (struct frames *)frames};
        snprintf(text, sizeof text, "%u ", *next);
        put_record(&route, text, 1);
        put_record(&route, text, 1);
        outbox_flush(&box);
    }
}

/* Whether the next message PEER gets is the NUMBER-th. libzmq may learn of
 * room in a queue a little later: it is asked again. */
static int
next_is_number(void *peer, unsigned number)
{
    char wanted[64];
    const char *got = next_message(peer);

    for (int i = 0; got[0] == '\0' && i < TURNS_MAX; i++) {
        poll(NULL, 0, 1);
        outbox_flush(&box);
        got = next_message(peer);
    }
    snprintf(wanted, sizeof wanted, "a|b|%u %u ", number, number);
    return strcmp(got, wanted) == 0;
}

static void
test_clogged(void)
{
    struct frames *frames = frames_of("a", "b");
    unsigned put = 0, got = 0, wrong = 0, clogged = 0, miscounted = 0;

    options.hwm = 5;
    open_box(SOCKET_PUSH, "inproc://clogged");
    put_until_clogged(frames, &put, 9);
    ok(put == 1 && outbox_is_clogged(&box) && box.messages == 0 &&
           outbox_left(&box) == 2,
       "without a peer the first message is kept");
    void *peer = open_peer(ZMQ_PULL, 5);
    ok(next_is_number(peer, got++) && !outbox_is_clogged(&box) &&
           box.messages == 1,
       "with one it is sent, as it was");
    while (put < 500) {
        put_until_clogged(frames, &put, 500);
        clogged += outbox_is_clogged(&box) != 0;
        miscounted += outbox_left(&box) != 2 * (put - got);
        for (int i = 0; i < 3; i++)
            outbox_flush(&box); /* to no avail, and to no harm */
        miscounted += outbox_left(&box) != 2 * (put - got);
        for (int i = 0; i < 4 && got < put; i++)
            wrong += !next_is_number(peer, got++);
        outbox_flush(&box);
    }
    while (got < put) {
        wrong += !next_is_number(peer, got++);
        outbox_flush(&box);
    }
    ok(clogged > 20 && wrong == 0 && next_is(peer, ""),
       "a slow peer gets every message once, in order (clogged %u times)",
       clogged);
    ok(miscounted == 0 && outbox_left(&box) == 0 && box.messages == 500,
       "and what is left is counted at every moment");
    put_until_clogged(frames, &put, 1000);
    zmq_close(peer);
    close_box(); /* with messages everywhere */
    frames_free(frames);
    options.hwm = 0;
}

/* A message that is being gathered when another does not go through is not
 * cut in two by that. */
static void
test_joined(void)
{
    const struct route routes[] = {{.id = 1}, {.id = 2}, {.id = 3}, {.id = 4}};
    static const char *const texts[] = {"a", "b", "c", "d1 "};

    options.hwm = 1;
    open_box(SOCKET_PUSH, "inproc://joined");
    void *peer = open_peer(ZMQ_PULL, 1);
    for (size_t i = 0; i < 4; i++)
        put_record(&routes[i], texts[i], 1);
    NEED(outbox_is_clogged(&box));
    outbox_resend(&box);
    NEED(next_is(peer, "a") && next_is(peer, "b"));
    for (int i = 0; outbox_is_clogged(&box) && i < TURNS_MAX; i++) {
        poll(NULL, 0, 1);
        outbox_resend(&box);
    }
    put_record(&routes[3], "d2", 1);
    outbox_flush(&box);
    ok(next_is(peer, "c") && next_is(peer, "d1 d2") && outbox_left(&box) == 0,
       "a message goes on after one before it was stuck");
    zmq_close(peer);
    close_box();
    options.hwm = 0;
}

/* ---- over a network ---- */

/* Waits until there are COUNT peers. */
static int
peers_become(size_t count)
{
    for (int i = 0; box.peers != count && i < TURNS_MAX; i++) {
        outbox_look(&box);
        if (box.peers != count)
            poll(NULL, 0, 10);
    }
    return box.peers == count;
}

static void
test_peers(void)
{
    struct route route = {.id = 1};
    uint64_t left = 1;
    int came = 0;

    open_box(SOCKET_PUSH, "ipc://peers");
    ok(box.eye.socket != NULL && box.peers == 0, "nobody is there at first");
    void *first = open_peer(ZMQ_PULL, 10), *second = open_peer(ZMQ_PULL, 10);
    ok(peers_become(2), "who connects is counted");
    zmq_close(first);
    ok(peers_become(1) && box.crowd.count == 1, "and who goes");
    put_record(&route, "x", 1);
    outbox_flush(&box);
    for (int i = 0; (!came || left > 0) && i < TURNS_MAX; i++) {
        came |= strcmp(next_message(second), "x") == 0;
        left = outbox_left(&box);
        poll(NULL, 0, 1);
    }
    ok(came && left == 0, "what has been read is not left");
    zmq_close(second);
    close_box();
}

/* Whether what was sent is read, as it seems for a while. */
static int
is_read(int turns)
{
    int read = 0;

    for (int i = 0; !read && i < turns; i++) {
        read = outbox_is_read(&box);
        poll(NULL, 0, 10);
    }
    return read;
}

/* To bind anew cuts peers off, whose descriptors others may have then. */
static void
test_renewed(void)
{
    const struct route route = {.id = 1}, next = {.id = 2};

    open_box(SOCKET_PUSH, "tcp://127.0.0.1:*");
    spec.endpoint = box.socket.endpoint;
    void *peer = open_peer(ZMQ_PULL, 10);
    NEED(peers_become(1) && box.crowd.count == 1);
    int ivl = -1;
    NEED(zmq_setsockopt(peer, ZMQ_RECONNECT_IVL, &ivl, sizeof ivl) == 0);
    put_record(&route, "a", 1);
    outbox_flush(&box);
    ok(!outbox_is_read(&box) && next_in_time(peer, "a") && is_read(TURNS_MAX),
       "what was sent is waited for");
    ok(outbox_renew(&box, &wire), "then another socket is bound");
    ok(box.crowd.count == 0 && box.peers == 0, "nobody is left of those before");
    zmq_close(peer);
    put_record(&route, "b", 1);
    put_record(&next, "c", 1);
    ok(outbox_is_clogged(&box) && is_read(TURNS_MAX) && outbox_left(&box) == 2,
       "what nobody was there for is not");
    ok(outbox_renew(&box, &wire), "so that it can be bound once more");
    peer = open_peer(ZMQ_PULL, 10);
    ok(peers_become(1) && box.crowd.count == 1, "and who comes then is counted");
    outbox_flush(&box);
    ok(next_in_time(peer, "b") && next_in_time(peer, "c") &&
           is_read(TURNS_MAX),
       "and gets what waited");
    zmq_close(peer);
    close_box();
}

/* libzmq is not done with a message when we have seen the last of it. */
static void
test_out_of_sight(void)
{
    const struct route route = {.id = 1};

    open_box(SOCKET_PUSH, "ipc://encrypted");
    void *peer = open_peer(ZMQ_PULL, 10);
    NEED(peers_become(1));
    put_record(&route, "a", 1);
    outbox_flush(&box);
    NEED(next_in_time(peer, "a") && is_read(TURNS_MAX));
    rounds_join(BUSY);
    rounds_wait(BUSY); /* we are a thread that has some */
    rounds_go_on();
    rounds_touch();
    box.read.is_so = box.settled.is_so = 0;
    ok(!is_read(20), "it is not known to be read while libzmq is at something");
    rounds_wait(BUSY);
    ok(is_read(TURNS_MAX), "but once that is done");
    box.encrypts = 1;
    put_record(&route, "b", 1);
    outbox_flush(&box);
    ok(box.sent[0].len_bytes == 3 + 36 && box.sent[0].records == 2,
       "with keys it is 33 bytes longer on its way");
    zmq_close(peer);
    close_box();
}

/* Connects to PATH and hangs up, COUNT times, as fast as it is let. */
static void
come_and_go(const char *path, int count)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    memcpy(address.sun_path, path, strlen(path) + 1);
    for (int i = 0; i < count; i++) {
        int line = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
        int bad = -1;
        for (int j = 0; bad != 0 && j < TURNS_MAX; j++) {
            bad = connect(line, (struct sockaddr *)&address, sizeof address);
            if (bad != 0)
                poll(NULL, 0, 10);
        }
        NEED(bad == 0);
        NEED(close(line) == 0);
    }
}

/* Events that say that somebody came, in all that EYE gets. */
static int
count_accepted(void *eye)
{
    zmq_pollitem_t item = {eye, 0, ZMQ_POLLIN, 0};
    unsigned char event[6];
    int accepted = 0;

    while (zmq_poll(&item, 1, 300) == 1) {
        uint16_t what = 0;
        if (zmq_recv(eye, event, sizeof event, 0) == sizeof event)
            memcpy(&what, event, sizeof what);
        accepted += what == ZMQ_EVENT_ACCEPTED;
    }
    return accepted;
}

/* Strangers come and go while nobody looks: neither libzmq waits for us, nor
 * do we at the end, nor is it kept of all of them. */
static void
test_unseen(void)
{
    open_box(SOCKET_PUSH, "ipc://unseen");
    come_and_go("unseen", 6000);
    int accepted = count_accepted(box.eye.socket);
    ok(accepted == 4096, "%d are let in before they are looked at", accepted);
    outbox_look(&box);
    come_and_go("unseen", 3000);
    void *peer = open_peer(ZMQ_PULL, 10);
    ok(peers_become(1), "and others when they were");
    zmq_close(peer);
    outbox_look(&box);
    come_and_go("unseen", 3000);
    alarm(60);
    close_box();
    alarm(0);
    ok(1, "the end does not wait for who hears of them");
}

/* The kernel has a queue, too: what is there is not delivered yet. */
static void
test_on_the_way(void)
{
    static char record[10000];
    unsigned put = 0, got = 0;
    uint64_t left = 1;

    options.hwm = 1;
    open_box(SOCKET_PUSH, "ipc://way");
    void *peer = open_peer(ZMQ_PULL, 1);
    NEED(peers_become(1));
    for (int quiet = 0; quiet < 20 && put < 5000;) {
        struct route route = {.id = put + 1};
        if (outbox_is_clogged(&box)) {
            quiet++;
            poll(NULL, 0, 10);
            outbox_flush(&box);
            continue;
        }
        quiet = 0;
        outbox_turn(&box, &route, 1);
        outbox_put(&box, record, sizeof record, 1);
        put++;
        outbox_flush(&box);
    }
    left = outbox_left(&box);
    uint64_t queued = atomic_load(&box.depot.queued);
    ok(left > queued && queued > 0,
       "of %u records %llu are in the queue, and %llu left in all", put,
       (unsigned long long)queued, (unsigned long long)left);
    for (int i = 0; (got < put || left > 0) && i < TURNS_MAX; i++) {
        zmq_msg_t message;
        zmq_msg_init(&message);
        while (zmq_msg_recv(&message, peer, ZMQ_DONTWAIT) >= 0)
            got++;
        zmq_msg_close(&message);
        outbox_flush(&box);
        left = outbox_left(&box);
        poll(NULL, 0, 1);
    }
    ok(got == put && left == 0, "once all are read none is");
    zmq_close(peer);
    close_box();
    options.hwm = 0;
}

/* Also of messages so small that more are on the way than are noted. */
static void
test_many_on_the_way(void)
{
    const int buffer = 4096, hwm = 1;
    unsigned put = 0;
    int bytes = 0;

    open_box(SOCKET_PUSH, "tcp://127.0.0.1:*");
    void *peer = zmq_socket(wire.context, ZMQ_PULL);
    NEED(peer != NULL &&
         zmq_setsockopt(peer, ZMQ_RCVHWM, &hwm, sizeof hwm) == 0 &&
         zmq_setsockopt(peer, ZMQ_RCVBUF, &buffer, sizeof buffer) == 0 &&
         zmq_connect(peer, box.socket.endpoint) == 0 && peers_become(1));
    for (int quiet = 0; quiet < 5 && put < 200000;) {
        struct route route = {.id = put + 1};
        if (outbox_is_clogged(&box)) {
            quiet++;
            poll(NULL, 0, 10);
            outbox_flush(&box);
            continue;
        }
        quiet = 0;
        put_record(&route, "smallish", 1);
        outbox_flush(&box);
        put++;
    }
    NEED(box.crowd.count == 1 && ioctl(box.crowd.fds[0], SIOCOUTQ, &bytes) == 0);
    uint64_t left = outbox_left(&box), on_the_way = (uint64_t)bytes / 10;
    ok(on_the_way > 2 * SENT_MAX && left >= on_the_way && left <= put,
       "of %u small ones some %llu are on the way, and %llu left", put,
       (unsigned long long)on_the_way, (unsigned long long)left);
    zmq_close(peer);
    close_box();
}

/* ---- subscribers ---- */

/* Who subscribed twice to the same, and talks, is one that goes. */
static void
test_restless_subscriber(void)
{
    struct route route = {.id = 1}, other = {.id = 2};

    open_box(SOCKET_PUB, "ipc://restless");
    void *quiet = open_peer(ZMQ_SUB, 1000);
    NEED(peers_become(1));
    void *peer = open_peer(ZMQ_XSUB, 1000);
    NEED(zmq_send(peer, "\1", 1, 0) == 1 && zmq_send(peer, "\1", 1, 0) == 1);
    NEED(peers_become(3));
    for (int i = 0; i < 5; i++)
        NEED(zmq_send(peer, "\2talk", 5, 0) == 5);
    NEED(zmq_send(peer, "\1x", 2, 0) == 2);
    ok(peers_become(4), "talk is no subscription taken back");
    put_record(&route, "y", 1);
    outbox_flush(&box);
    ok(box.unheard == 0, "what is published then is heard");
    zmq_close(peer);
    zmq_close(quiet);
    for (int i = 0; box.crowd.count > 0 && i < TURNS_MAX; i++) {
        outbox_look(&box);
        poll(NULL, 0, 10);
    }
    put_record(&other, "z", 1);
    outbox_flush(&box);
    ok(box.crowd.count == 0 && box.unheard == 1,
       "and once they are gone it is not, whatever they subscribed to");
    close_box();
}

static void
test_subscribers(void)
{
    struct route route = {.id = 1}, other = {.id = 2};

    open_box(SOCKET_PUB, "inproc://pub");
    put_record(&route, "x", 1);
    put_record(&route, "y", 1);
    outbox_flush(&box);
    ok(!outbox_is_clogged(&box) && box.unheard == 2 && box.messages == 1 &&
           outbox_left(&box) == 0,
       "what nobody listens to is published and counted");
    void *first = open_peer(ZMQ_SUB, 1000), *second = open_peer(ZMQ_SUB, 1000);
    ok(peers_become(2), "subscriptions are counted, the same ones too");
    put_record(&other, "z", 1);
    outbox_flush(&box);
    ok(next_is(first, "z") && next_is(second, "z") && box.unheard == 2,
       "both get what is published then");
    zmq_close(first);
    ok(peers_become(1), "who goes does not count");
    zmq_close(second);
    ok(peers_become(0), "until nobody is left");
    close_box();
}

/* However many there are, all else has its turn between them. */
static void
test_many_subscriptions(void)
{
    enum { MANY = 3000 };
    const int any = 0;
    int looks = 0;

    open_box(SOCKET_PUB, "inproc://many");
    void *peer = zmq_socket(wire.context, ZMQ_SUB);
    NEED(peer != NULL &&
         zmq_setsockopt(peer, ZMQ_SNDHWM, &any, sizeof any) == 0);
    for (int i = 0; i < MANY; i++)
        NEED(zmq_setsockopt(peer, ZMQ_SUBSCRIBE, &i, sizeof i) == 0);
    NEED(zmq_connect(peer, spec.endpoint) == 0);
    do
        outbox_look(&box);
    while (++looks < TURNS_MAX && box.lags);
    ok(looks > 1 && looks < 10 && box.peers == MANY,
       "thousands of subscriptions take some looks (%d)", looks);
    zmq_close(peer);
    ok(peers_become(0), "and as few when their subscriber goes");
    close_box();
}

/* ---- those who speak by hand ---- */

static void
read_all(int line, void *bytes, size_t len)
{
    NEED(recv(line, bytes, len, MSG_WAITALL) == (ssize_t)len);
}

/* A SUB that has shaken hands: what is said before that is taken amiss. */
static int
dial(const char *path)
{
    static const char hello[] = "\377\0\0\0\0\0\0\0\0\177\3\0NULL";
    static const char ready[] = "\4\31\5READY\13Socket-Type\0\0\0\3SUB";
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char greeting[64] = {0}, answer[256];
    int line = socket(AF_UNIX, SOCK_STREAM, 0);

    memcpy(address.sun_path, path, strlen(path) + 1);
    memcpy(greeting, hello, sizeof hello);
    NEED(connect(line, (struct sockaddr *)&address, sizeof address) == 0 &&
         send(line, greeting, sizeof greeting, 0) == sizeof greeting &&
         send(line, ready, sizeof ready - 1, 0) == sizeof ready - 1);
    read_all(line, answer, sizeof greeting);
    read_all(line, answer, 2);
    read_all(line, answer, (unsigned char)answer[1]);
    return line;
}

/* Whether LINE is still there when it has said COUNT messages of no bytes. Who
 * has the socket does not read what libzmq has for it. */
static int
stays(int line, size_t count)
{
    static const char ping[] = "\4\7\4PING\0", pong[] = "\4PONG";
    static char words[2 * 60000 + sizeof ping];
    const size_t pong_len = sizeof pong - 1, len = 2 * count + sizeof ping;
    size_t sent = 0, got = 0, size = sizeof(int);
    char heard[4096];
    int events;

    memset(words, 0, 2 * count);
    memcpy(words + 2 * count, ping, sizeof ping);
    for (int i = 0; i < 10 * TURNS_MAX; i++) {
        ssize_t some = send(line, words + sent, len - sent,
                            MSG_DONTWAIT | MSG_NOSIGNAL);
        sent += some > 0 ? (size_t)some : 0;
        if (some < 0 && errno != EAGAIN)
            return 0;
        some = recv(line, heard + got, sizeof heard - got, MSG_DONTWAIT);
        if (some == 0 || (some < 0 && errno != EAGAIN))
            return 0;
        got += some > 0 ? (size_t)some : 0;
        if (got >= pong_len &&
            memcmp(heard + got - pong_len, pong, pong_len) == 0)
            return 1;
        NEED(zmq_getsockopt(box.socket.socket, ZMQ_EVENTS, &events, &size) ==
             0);
        poll(NULL, 0, 1);
    }
    NEED(0);
    return 0;
}

/* Those who come and go say more than anybody reads. */
static void
test_flood(void)
{
    int stay = 0;

    open_box(SOCKET_PUB, "ipc://flood");
    for (int i = 0; i < 5; i++) {
        int line = dial("flood");
        stay += stays(line, 60000);
        NEED(close(line) == 0);
    }
    ok(stay == 4, "what is said while nobody reads has a limit (%d)", stay);
    int line = dial("flood");
    ok(!stays(line, 1), "and who comes then cannot stay");
    NEED(close(line) == 0);
    do
        outbox_look(&box);
    while (box.lags);
    topics_read();
    line = dial("flood");
    ok(stays(line, 60000), "until it is read");
    NEED(close(line) == 0);
    close_box();
}

static void
test_slow_subscriber(int lossy)
{
    struct frames *frames = frames_of("a", "b");
    unsigned put = 0, fast_got = 0, slow_got = 0, wrong = 0;

    options.hwm = 5;
    options.lossy = lossy;
    open_box(SOCKET_PUB, lossy ? "inproc://lossy" : "inproc://nodrop");
    void *fast = open_peer(ZMQ_SUB, 5), *slow = open_peer(ZMQ_SUB, 5);
    NEED(peers_become(2));
    while (put < 100) {
        unsigned before = put;
        put_until_clogged(frames, &put, put + 2 < 100 ? put + 2 : 100);
        while (fast_got < put && wrong == 0 &&
               !(fast_got + 1 == put && outbox_is_clogged(&box)))
            wrong += !next_is_number(fast, fast_got++);
        if (put == before || outbox_is_clogged(&box)) {
            if (lossy)
                break;
            wrong += !next_is_number(slow, slow_got++);
            outbox_flush(&box);
        }
    }
    while (fast_got < put)
        wrong += !next_is_number(fast, fast_got++);
    if (lossy) {
        while (next_message(slow)[0] != '\0')
            slow_got++;
        ok(put == 100 && fast_got == 100 && wrong == 0 && slow_got < 100,
           "lossy: a slow subscriber gets less (%u), the others all", slow_got);
        /* libzmq tells of the first loss of a subscriber, and no more of
         * those before it has caught up. */
        ok(box.dropped > 0 && box.dropped <= 2 * (uint64_t)(100 - slow_got),
           "lossy: that it lost some is known (%llu records)",
           (unsigned long long)box.dropped);
    } else {
        ok(slow_got > 50, "a slow subscriber is waited for (%u times)",
           slow_got);
        while (slow_got < put)
            wrong += !next_is_number(slow, slow_got++);
        ok(put == 100 && wrong == 0 && next_is(slow, "") && next_is(fast, "") &&
               box.dropped == 0 && outbox_left(&box) == 0,
           "and in the end all have had everything, once");
    }
    zmq_close(fast);
    zmq_close(slow);
    close_box();
    frames_free(frames);
    options.hwm = 0;
    options.lossy = 0;
}

/* One that connects, and looks only when its subscriber has come and gone. */
static void
test_gone_subscriber(void)
{
    zmq_pollitem_t item = {0};

    NEED(wire_open(&wire, &options) == EXIT_DONE);
    spec = (struct spec){.text = "ipc://gone",
                         .kind = SPEC_SOCKET,
                         .socket = SOCKET_PUB,
                         .endpoint = "ipc://gone"};
    NEED(outbox_open(&box, &wire, &spec) == EXIT_DONE);
    void *peer = zmq_socket(wire.context, ZMQ_SUB);
    NEED(peer != NULL && zmq_setsockopt(peer, ZMQ_SUBSCRIBE, "", 0) == 0 &&
         zmq_bind(peer, spec.endpoint) == 0);
    /* It subscribes when it is looked into, and the box has it to read. */
    for (int i = 0; !(item.revents & ZMQ_POLLIN) && i < TURNS_MAX; i++) {
        zmq_pollitem_t here = {peer, 0, ZMQ_POLLIN, 0};
        NEED(zmq_poll(&here, 1, 10) == 0);
        item = (zmq_pollitem_t){box.socket.socket, 0, ZMQ_POLLIN, 0};
        NEED(zmq_poll(&item, 1, 0) >= 0);
    }
    NEED(item.revents & ZMQ_POLLIN);
    zmq_close(peer);
    poll(NULL, 0, 200); /* for it to have gone */
    for (int i = 0; !box.is_kept && i < TURNS_MAX; i++) {
        outbox_look(&box);
        poll(NULL, 0, 10);
    }
    ok(box.peers == 0 && box.is_kept,
       "what a subscriber said before it went is its own");
    close_box();
    (void)unlink("gone");
}

int
main(void)
{
    NEED(mkdtemp(scratch) != NULL && chdir(scratch) == 0);
    NEED(log_open("messages", -1));
    alarm(120); /* should something hang */
    options =
        (struct options){.max_parts = 8, .max_message = 1 << 20, .insecure = 1};
    test_grouping();
    test_large();
    test_clogged();
    test_joined();
    test_peers();
    test_renewed();
    test_out_of_sight();
    test_unseen();
    test_on_the_way();
    test_many_on_the_way();
    test_subscribers();
    test_restless_subscriber();
    test_many_subscriptions();
    test_flood();
    test_slow_subscriber(0);
    test_slow_subscriber(1);
    test_gone_subscriber();
    NEED(unlink("messages") == 0 && chdir("/") == 0 && rmdir(scratch) == 0);
    return tap_done();
}
