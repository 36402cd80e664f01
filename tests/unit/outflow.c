/* What we write to peers, followed frame by frame: which bytes are records',
 * in whatever pieces they go out. */
#include "outflow.h"

#include <string.h>

#include "tap.h"

#define LONG 2
#define COMMAND 4

static unsigned char wire[1 << 16];
static size_t wire_len;

static void
put(const void *bytes, size_t len)
{
    NEED(len <= sizeof wire - wire_len);
    memcpy(wire + wire_len, bytes, len);
    wire_len += len;
}

/* A frame whose bytes look like heads of others. */
static void
put_frame(unsigned char flags, size_t len)
{
    unsigned char head[9] = {flags, (unsigned char)len};
    unsigned char body[1024];

    NEED(len <= sizeof body);
    memset(body, 1, sizeof body);
    if (len > 255) {
        head[0] |= LONG;
        head[1] = 0;
        head[7] = (unsigned char)(len >> 8);
        head[8] = (unsigned char)len;
    }
    put(head, len > 255 ? sizeof head : 2);
    put(body, len);
}

/* The greeting that libzmq writes, to ZMTP 3 or 2; BYTE comes behind the
 * revision. */
static void
greet(int is_three, unsigned char byte)
{
    unsigned char greeting[64] = {0xff, [9] = 0x7f, [10] = 3, [11] = byte};

    wire_len = 0;
    put(greeting, is_three ? sizeof greeting : 12);
}

/* It, in pieces of LEN bytes. */
static struct outflow
follow(size_t len)
{
    struct outflow flow = {0};

    for (size_t at = 0; at < wire_len; at += len)
        outflow_follow(&flow, wire + at,
                       len < wire_len - at ? len : wire_len - at);
    return flow;
}

/* Whether records go to byte WANTED, however it is cut. */
static int
goes_to(size_t wanted)
{
    int right = 1;

    for (size_t len = 1; len <= wire_len; len += len < 70 ? 1 : 97) {
        struct outflow flow = follow(len);
        right &= flow.records == wanted && flow.all == wire_len;
    }
    return right;
}

static void
test_frames(void)
{
    greet(1, 1);
    ok(goes_to(0) && follow(1).shaken == 0, "a greeting is no record");
    put_frame(COMMAND, 25);
    ok(goes_to(0) && follow(1).shaken == 1, "nor is READY");
    put_frame(COMMAND, 23);
    ok(goes_to(0), "nor a heartbeat");
    put_frame(1, 0);
    put_frame(0, 100);
    size_t end = wire_len;
    ok(goes_to(end), "a message is");
    put_frame(COMMAND, 23);
    ok(goes_to(end), "but not what is behind it");
    put_frame(0, 1000);
    ok(goes_to(wire_len), "a long one is");
    ok(outflow_rest(&(struct outflow){0}) == 0, "a new one owes nothing");
    struct outflow flow = follow(wire_len);
    ok(outflow_rest(&flow) == 0, "nor does one whose frames are whole");
    wire_len -= 10;
    ok(goes_to(wire_len), "and as much of it as was written");
    flow = follow(7);
    ok(outflow_rest(&flow) == 10, "and the rest is known");
}

static void
test_two(void)
{
    greet(0, 8);
    put_frame(0, 0);
    ok(goes_to(0), "ZMTP 2: the name is no record");
    put_frame(0, 3);
    ok(goes_to(wire_len), "ZMTP 2: what is behind it is");
}

/* READY of CURVE is told from ERROR. */
static void
test_keyed(void)
{
    greet(1, 1);
    put_frame(COMMAND, 168);
    ok(follow(1).shaken == 1, "CURVE: WELCOME is not all");
    size_t len = wire_len;
    put_frame(COMMAND, 30);
    ok(follow(1).shaken == 2 && !follow(1).refuses, "CURVE: READY lets in");
    put_frame(COMMAND, 10);
    ok(follow(3).shaken == 2 && !follow(3).refuses, "CURVE: and that stays");
    wire_len = len;
    put_frame(COMMAND, 10);
    ok(follow(1).shaken == 2 && follow(1).refuses, "CURVE: ERROR does not");
}

static void
test_unread(void)
{
    ok(outflow_unread(100, 0, 100) == 0, "a greeting is not waited for");
    ok(outflow_unread(300, 200, 0) == 0, "nor what was read");
    ok(outflow_unread(300, 200, 100) == 0, "nor what is behind records");
    ok(outflow_unread(300, 200, 101) == 1, "what is before that is");
    ok(outflow_unread(300, 200, 500) == 200,
       "where the kernel counts more than there is, no more than there is");
}

int
main(void)
{
    test_frames();
    test_two();
    test_keyed();
    test_unread();
    return tap_done();
}
