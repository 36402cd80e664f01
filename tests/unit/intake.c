/* What peers send, followed frame by frame: what is usual passes for ever,
 * each limit holds to the byte, and in whatever pieces the bytes come. */
#include "intake.h"

#include <string.h>

#include "tap.h"

#define MORE 1
#define LONG 2
#define COMMAND 4

#define MAX_MESSAGE 1024
#define MAX_PARTS 300
#define FRAMES_MOST ((size_t)16 * MAX_PARTS)
#define BYTES_MOST ((size_t)16 * MAX_MESSAGE)

/* ---- what is sent ---- */

static unsigned char wire[4 << 20];
static size_t wire_len;

static void
put(const void *bytes, size_t len)
{
    NEED(len <= sizeof wire - wire_len);
    if (len > 0)
        memcpy(wire + wire_len, bytes, len);
    wire_len += len;
}

static void
put_byte(int byte)
{
    unsigned char one = (unsigned char)byte;

    put(&one, 1);
}

static void
put_head(int flags, uint64_t len)
{
    put_byte(flags);
    for (int shift = flags & LONG ? 56 : 0; shift >= 0; shift -= 8)
        put_byte((int)(len >> shift & 0xff));
}

/* A frame of LEN bytes, which look like heads of others. */
static void
put_frame(int flags, size_t len)
{
    put_head(len > 255 ? flags | LONG : flags, len);
    NEED(len <= sizeof wire - wire_len);
    memset(wire + wire_len, 1, len);
    wire_len += len;
}

static void
put_frames(int flags, size_t len, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_frame(flags, len);
}

static void
put_command(const char *name, size_t len)
{
    put_head(COMMAND, 1 + strlen(name) + len);
    put_byte((int)strlen(name));
    put(name, strlen(name));
    for (size_t i = 0; i < len; i++)
        put_byte('x');
}

static void
put_signature(int revision)
{
    wire_len = 0;
    put("\xff\0\0\0\0\0\0\0\1\x7f", 10);
    put_byte(revision);
}

/* As libzmq 4 greets, by MECHANISM. */
static void
put_greeting(int revision, const char *mechanism)
{
    char rest[53] = {0};

    put_signature(revision);
    memcpy(rest + 1, mechanism, strlen(mechanism));
    put(rest, sizeof rest);
}

#define READY 16 /* bytes of it */
#define KEPT 16  /* that a frame costs beside its own */

static void
begin(void)
{
    put_greeting(3, "NULL");
    put_command("READY", READY - 6);
}

/* ---- what comes of it ---- */

static unsigned random_state = 1;

static size_t
some(size_t most)
{
    random_state = random_state * 1103515245u + 12345u;
    return 1 + (random_state >> 8) % most;
}

static uint64_t frame_most = UINT64_MAX;
static struct intake new_one; /* as it begins */

/* Feeds all in pieces of up to PIECE bytes, random ones where it is odd, and
 * whether so many were FINE and the fault is FAULT. */
static int
feed(enum intake_role role, size_t piece, size_t fine, enum intake_fault fault)
{
    struct intake_limits limits =
        intake_limits_of(role, MAX_MESSAGE, MAX_PARTS);
    struct intake intake = new_one;
    size_t at = 0;

    limits.frame = frame_most;
    while (at < wire_len) {
        size_t len = piece % 2 == 1 ? some(piece) : piece;
        len = len < wire_len - at ? len : wire_len - at;
        size_t got = intake_follow(&intake, &limits, wire + at, len);
        at += got;
        if (got < len)
            break;
    }
    int same = at == fine && intake.fault == fault &&
               (fault == INTAKE_FINE ||
                intake_follow(&intake, &limits, "\0", 2) == 0);
    if (!same)
        printf("# pieces of %zu: %zu fine, fault %d; wanted %zu, %d\n", piece,
               at, intake.fault, fine, fault);
    return same;
}

static int
is_cut(enum intake_role role, size_t fine, enum intake_fault fault)
{
    const size_t pieces[] = {1, 2, 3, 7, 8192, 9001, sizeof wire};
    int same = 1;

    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        same &= feed(role, pieces[i], fine, fault);
    return same;
}

static int
passes(enum intake_role role)
{
    return is_cut(role, wire_len, INTAKE_FINE);
}

/* The last byte of the head that was put last is the first not to be fine;
 * what is behind it does not matter. */
static int
ends_here(enum intake_role role, enum intake_fault fault)
{
    size_t fine = wire_len - 1;

    put_frames(0, 3, 5);
    return is_cut(role, fine, fault);
}

/* Messages in all that was put, however it comes. */
static uint64_t
messages(enum intake_role role)
{
    struct intake_limits limits =
        intake_limits_of(role, MAX_MESSAGE, MAX_PARTS);
    struct intake whole = {0}, bytes = {0};

    NEED(intake_follow(&whole, &limits, wire, wire_len) == wire_len);
    for (size_t i = 0; i < wire_len; i++)
        NEED(intake_follow(&bytes, &limits, wire + i, 1) == 1);
    NEED(whole.messages == bytes.messages);
    return whole.messages;
}

/* ---- cases ---- */

/* READY of a socket of TYPE, at the end of what is put. */
static void
put_ready(const char *type)
{
    put_head(COMMAND, 22 + strlen(type) + 9);
    put("\5READY\13Socket-Type\0\0\0", 21);
    put_byte((int)strlen(type));
    put(type, strlen(type));
    put("\3X-a\0\0\0\1b", 9);
}

/* READY with properties in any order, and none that is cut short. */
static void
test_properties(void)
{
    static const struct {
        const char *name, *bytes;
        size_t len;
        size_t fine; /* bytes of them, len: all */
    } cases[] = {
        {"no property", "", 0, 0},
        {"none that is known", "\4some\0\0\0\5value", 14, 14},
        {"no names, no values", "\0\0\0\0\0\0\0\0\0\0", 10, 10},
        {"a name behind",
         "\13Socket-Type\0\0\0\3SUB\10Identity\0\0\0\1x", 33, 33},
        {"a name before",
         "\10Identity\0\0\0\1x\13Socket-Type\0\0\0\3SUB", 33, 33},
        {"a name before what does not fit",
         "\10Identity\0\0\0\0\13Socket-Type\0\0\0\4PUSH", 33, 32},
        {"fits and does not",
         "\13Socket-Type\0\0\0\3SUB\13Socket-Type\0\0\0\4PUSH", 39, 38},
        {"another name as long", "\13Socket-Typo\0\0\0\4PUSH", 20, 20},
        {"a name that begins alike", "\14Socket-Types\0\0\0\4PUSH", 21, 21},
        {"no room for a name", "\4som", 4, 0},
        {"none for a length", "\4some\0\0\0", 8, 4},
        {"none for a value", "\4some\0\0\0\2x", 10, 8},
        {"none for a long value", "\4some\377\377\377\377x", 10, 8},
        {"a byte too many", "\4some\0\0\0\1x\0", 11, 10}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_greeting(3, "NULL");
        put_head(COMMAND, 6 + cases[i].len);
        put("\5READY", 6);
        put(cases[i].bytes, cases[i].len);
        put_frame(0, 10);
        ok(cases[i].fine == cases[i].len
               ? passes(INTAKE_PUB)
               : is_cut(INTAKE_PUB, 64 + 2 + 6 + cases[i].fine, INTAKE_UNFIT),
           "%s", cases[i].name);
    }
    put_greeting(3, "NULL");
    put_head(COMMAND, 4);
    put("\5REA", 4);
    ok(is_cut(INTAKE_PUB, 64 + 2 + 3, INTAKE_UNFIT), "READY in part");
}

/* Who we connect to has to be who we want. */
static void
test_unfit(void)
{
    static const struct {
        const char *type;
        size_t fine; /* bytes of READY */
    } cases[] = {{"PUSH", 2 + 22 + 3}, {"SUBX", 2 + 22 + 3}, {"SU", 2 + 22 + 1},
                 {"", 2 + 21},         {"XSUBSCRIBER", 2 + 21}};

    new_one.kinds = INTAKE_KIND_SUB | INTAKE_KIND_PULL;
    for (int i = 0; i < 3; i++) {
        put_greeting(3, "NULL");
        put_ready(((const char *[]){"SUB", "XSUB", "PULL"})[i]);
        put_command("PING", 2);
        put_frame(0, 10);
        ok(passes(INTAKE_PUB), "who fits is fine");
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_greeting(3, "NULL");
        put_ready(cases[i].type);
        put_frame(0, 10);
        ok(is_cut(INTAKE_PUB, 64 + cases[i].fine, INTAKE_UNFIT),
           "'%s' does not fit", cases[i].type);
    }
    for (int number = 0; number <= 11; number++) {
        int is_fine = number == 2 || number == 7 || number == 10;
        put_signature(1);
        put_byte(number);
        put_frame(0, 0);
        ok(is_fine ? passes(INTAKE_PUB)
                   : is_cut(INTAKE_PUB, 11, INTAKE_UNFIT),
           "number %d of ZMTP 2 %s", number, is_fine ? "fits" : "does not");
    }
    test_properties();
    put_greeting(3, "NULL");
    put_head(COMMAND, 0);
    ok(is_cut(INTAKE_PUB, 64 + 1, INTAKE_UNFIT), "nor who says nothing");
    put_greeting(3, "NULL");
    put_command("ERROR", 4);
    ok(is_cut(INTAKE_PUB, 64 + 2 + 1, INTAKE_UNFIT), "who refuses us is none");
    put_greeting(3, "CURVE");
    ok(is_cut(INTAKE_PUB, 12, INTAKE_UNFIT), "nor who asks for keys");
    new_one.keyed = 1;
    put_greeting(3, "NULL");
    ok(is_cut(INTAKE_PUB, 12, INTAKE_UNFIT), "or has none");
    put_signature(1);
    put_byte(7);
    put_frame(0, 0);
    ok(is_cut(INTAKE_PUB, 10, INTAKE_UNFIT), "as in ZMTP 2");
    put_greeting(3, "CURVE");
    put_command("WELCOME", 160);
    put_command("READY", 30);
    put_command("MESSAGE", 30);
    ok(passes(INTAKE_PUB), "who has is fine");
    put_greeting(3, "CURVE");
    put_command("WELCOME", 160);
    put_command("ERROR", 30);
    ok(is_cut(INTAKE_PUB, 64 + 2 + 168 + 2 + 1, INTAKE_UNFIT),
       "unless it refuses us");
    put_greeting(3, "CURVE");
    put_command("WELCOME", 160);
    put_command("READY", 20);
    ok(is_cut(INTAKE_PUB, 64 + 2 + 168 + 1, INTAKE_UNFIT), "or is ready early");
    put_greeting(3, "CURVE");
    put_command("HELLO", 194);
    ok(is_cut(INTAKE_PUB, 64 + 1, INTAKE_UNFIT), "or is a client as we are");
    put_greeting(3, "CURVE");
    put_command("HELLO42", 160);
    ok(is_cut(INTAKE_PUB, 64 + 2 + 1, INTAKE_UNFIT), "of whatever length");
    new_one = (struct intake){0};
}

/* How far is read, if what is wanted is all that is read each time, up to
 * where any number is. */
static size_t
wanted(void)
{
    struct intake_limits limits =
        intake_limits_of(INTAKE_INPUT, MAX_MESSAGE, MAX_PARTS);
    struct intake intake = new_one;
    size_t at = 64;

    limits.frame = frame_most;
    NEED(intake_follow(&intake, &limits, wire, at) == at);
    while (intake_wants(&intake) <= wire_len - at) {
        size_t len = intake_wants(&intake);
        NEED(len > 0 && intake_follow(&intake, &limits, wire + at, len) == len);
        at += len;
    }
    NEED(intake_wants(&intake) == SIZE_MAX);
    return at;
}

/* What is behind READY is not read with it. */
static void
test_wanted(void)
{
    put_greeting(3, "NULL");
    put_ready("PUSH");
    put_frames(0, 10, 3);
    ok(wanted() == 64, "who connects to us may be read at once");
    new_one.kinds = INTAKE_KIND_PUSH;
    ok(wanted() == wire_len - 36, "who we connect to is up to READY");
    put_greeting(3, "NULL");
    put_head(COMMAND | LONG, 26);
    put("\5READY\13Socket-Type\0\0\0\4PUSH", 26);
    put_frame(0, 300);
    ok(wanted() == 64 + 9 + 26, "also where its length takes eight bytes");
    new_one.keyed = 1;
    put_greeting(3, "CURVE");
    put_command("WELCOME", 160);
    ok(wanted() == 64, "with keys libzmq sees to that");
    new_one = (struct intake){0};
}

static void
test_usual(void)
{
    begin();
    for (size_t i = 0; i < 3000; i++) {
        put_frames(MORE, i % 300, i % 4);
        put_frame(0, i % 500);
        if (i % 100 == 0)
            put_command("PING", 2);
    }
    ok(passes(INTAKE_INPUT), "messages pass an input, thousands of them");
    begin();
    for (size_t i = 0; i < 1000; i++) {
        put_frame(MORE, 0);
        put_frame(0, 10);
    }
    ok(passes(INTAKE_CONTROL), "requests pass");
    begin();
    for (size_t i = 0; i < 3000; i++)
        put_frame(0, 20);
    ok(passes(INTAKE_PUB), "so do 3000 subscriptions as messages");
    begin();
    for (size_t i = 0; i < 3000; i++)
        put_command(i % 2 == 0 ? "SUBSCRIBE" : "CANCEL", 20);
    ok(passes(INTAKE_PUB), "and as commands");
    begin();
    for (size_t i = 0; i < 100000; i++)
        put_command(i % 2 == 0 ? "PING" : "PONG",
                    i % 17 + (i % 2 == 0 ? 2 : 0));
    ok(passes(INTAKE_PUSH) && passes(INTAKE_PUB) && passes(INTAKE_INPUT),
       "PING and PONG come for years");
}

static void
test_greetings(void)
{
    for (int revision = 2; revision <= 255; revision += 84) {
        put_greeting(revision, "NULL");
        put_command("READY", READY - 6);
        put_frames(MORE, 0, FRAMES_MOST);
        put_head(MORE, 0);
        ok(ends_here(INTAKE_INPUT, INTAKE_ENDLESS),
           "revision %d is followed as 3 is", revision);
    }
    put_signature(1);
    put_byte(8);
    put_frame(0, 5);
    put_frames(MORE, 0, FRAMES_MOST);
    put_head(MORE, 0);
    ok(ends_here(INTAKE_INPUT, INTAKE_ENDLESS), "revision 1 has 12 bytes");
    put_signature(1);
    put_byte(7);
    put_frame(0, 5);
    ok(passes(INTAKE_PUSH), "its peers may say their name");
    put_head(0, 0);
    ok(ends_here(INTAKE_PUSH, INTAKE_LOUD), "but only once");
    put_signature(0);
    ok(ends_here(INTAKE_INPUT, INTAKE_FOREIGN), "revision 0 is too old");
    wire_len = 0;
    put("\xff\0\0\0\0\0\0\0\1\0", 10);
    ok(ends_here(INTAKE_PUB, INTAKE_FOREIGN), "so is a name of long length");
    wire_len = 0;
    put_byte(1);
    ok(ends_here(INTAKE_CONTROL, INTAKE_FOREIGN), "and one of short");
    wire_len = 0;
    put("\xff\1\2\3\4\5\6\7\x8\x81\3", 11);
    ok(passes(INTAKE_INPUT), "of the signature libzmq looks at two bytes");
}

/* Who says who it is, and no more; whoever connects. */
static void
test_wordy(void)
{
    for (int role = INTAKE_INPUT; role < INTAKE_ROLES; role++) {
        put_greeting(3, "NULL");
        put_frame(COMMAND, 4096);
        ok(passes(role), "READY may have 4 KiB, for role %d", role);
        put_greeting(3, "NULL");
        put_head(COMMAND | LONG, 4097);
        ok(ends_here(role, INTAKE_WORDY), "and no more");
        put_signature(1);
        put_byte(8);
        put_frame(0, 4096);
        ok(passes(role), "so may a name");
        put_signature(1);
        put_byte(8);
        put_head(LONG, UINT64_MAX);
        ok(ends_here(role, INTAKE_WORDY), "and no more either");
        new_one.kinds = INTAKE_KIND_PUSH;
        put_greeting(3, "NULL");
        put_head(COMMAND | LONG, 4097);
        ok(ends_here(role, INTAKE_WORDY), "nor of one that we connect to");
        new_one.kinds = 0;
    }
}

/* A name of ZMTP 2 has no flags: libzmq drops one that is a command, and takes
 * whatever is behind it for the name. */
static void
test_name_flags(void)
{
    static const int forms[] = {MORE, COMMAND, COMMAND | MORE, COMMAND | LONG,
                                0xff};

    for (int role = INTAKE_INPUT; role < INTAKE_ROLES; role++) {
        for (size_t i = 0; i < 2 * (sizeof forms / sizeof *forms); i++) {
            put_signature(1);
            put_byte(3);
            put_head(forms[i / 2], i % 2);
            ok(ends_here(role, INTAKE_MALFORMED),
               "role %d: a name of %zu bytes with flags %02x", role, i % 2,
               (unsigned)forms[i / 2]);
        }
        put_signature(1);
        put_byte(3);
        put_head(LONG, 1);
        put_byte('a');
        ok(passes(role), "role %d: a name's length may take 8 bytes", role);
    }
    new_one.kinds = INTAKE_KIND_SUB;
    put_signature(1);
    put_byte(2);
    put_head(COMMAND, 1);
    ok(ends_here(INTAKE_PUB, INTAKE_MALFORMED), "also where we connected");
    new_one.kinds = 0;
}

/* Names that only libzmq gives begin with a zero byte. */
static void
test_reserved(void)
{
    static const struct {
        const char *name, *bytes;
        size_t len;
        size_t fine; /* bytes of them, len: all */
    } cases[] = {
        {"a name", "\10Identity\0\0\0\2x\0", 15, 15},
        {"one of no bytes", "\10Identity\0\0\0\0", 13, 13},
        {"a reserved one", "\10Identity\0\0\0\5\0abcd", 18, 13},
        {"one of a byte", "\10Identity\0\0\0\1\0", 14, 13},
        {"one however it is called", "\10iDENTITY\0\0\0\1\0", 14, 13},
        {"one behind others",
         "\13Socket-Type\0\0\0\3REQ\1x\0\0\0\1\0\10Identity\0\0\0\1\0", 40,
         39},
        {"one behind a good one",
         "\10Identity\0\0\0\1x\10Identity\0\0\0\1\0", 28, 27},
        {"a value of another", "\10Identitx\0\0\0\1\0", 14, 14},
        {"and of a longer", "\11Identity2\0\0\0\1\0", 15, 15},
        {"a type that is none", "\13Socket-Type\0\0\0\11PUBLISHER", 25, 25},
        {"what libzmq refuses", "\10Iden", 5, 5}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_greeting(3, "NULL");
        put_head(COMMAND, 6 + cases[i].len);
        put("\5READY", 6);
        put(cases[i].bytes, cases[i].len);
        put_frame(MORE, 0);
        put_frame(0, 10);
        ok(cases[i].fine == cases[i].len
               ? passes(INTAKE_CONTROL)
               : is_cut(INTAKE_CONTROL, 64 + 2 + 6 + cases[i].fine,
                        INTAKE_RESERVED),
           "reserved: %s", cases[i].name);
    }
    for (int first = 0; first < 2; first++) {
        put_signature(1);
        put_byte(3);
        put_head(0, 5);
        put_byte(first);
        put("\0bcd", 4);
        ok(first ? passes(INTAKE_CONTROL)
                 : is_cut(INTAKE_CONTROL, 12 + 2, INTAKE_RESERVED),
           "reserved: a name of ZMTP 2 that begins with %d", first);
    }
    put_greeting(3, "NULL");
    put_head(COMMAND | LONG, 6 + 13 + 400);
    put("\5READY\10Identity\0\0\1\220x", 6 + 13 + 1);
    for (int i = 1; i < 400; i++)
        put_byte(0);
    ok(passes(INTAKE_CONTROL), "reserved: only by the first byte");
    put_greeting(3, "NULL");
    put_head(0, 0);
    put_frame(0, 10);
    ok(passes(INTAKE_INPUT), "READY of no bytes is left to libzmq");
}

static void
test_keys(void)
{
    static const char *const mechanisms[] = {"CURVE", "NULL\1"};

    for (size_t i = 0; i < 2; i++) {
        put_greeting(3, mechanisms[i]);
        put_command("HELLO", 194);
        put_frame(COMMAND, 4096);
        ok(passes(INTAKE_INPUT) && passes(INTAKE_PUSH),
           "two frames make a key known");
        put_frame(0, 4096);
        ok(passes(INTAKE_INPUT), "what is behind them may come early");
        put_head(LONG, 4097);
        ok(ends_here(INTAKE_INPUT, INTAKE_KEYLESS),
           "but is short until it is let in");
        new_one.let_in = 1;
        put_greeting(3, mechanisms[i]);
        put_command("HELLO", 194);
        put_frame(COMMAND, 4096);
        put_frames(MORE, 0, 100000);
        put_frame(0, 100000);
        ok(passes(INTAKE_INPUT) && passes(INTAKE_PUSH),
           "what is encrypted behind them has no limits then");
        put_greeting(3, mechanisms[i]);
        put_head(LONG, 4097);
        ok(ends_here(INTAKE_INPUT, INTAKE_KEYLESS), "but the first is short");
        put_greeting(3, mechanisms[i]);
        put_frame(COMMAND, 0);
        put_head(COMMAND | LONG, UINT64_MAX);
        ok(ends_here(INTAKE_CONTROL, INTAKE_KEYLESS), "so is the second");
        put_greeting(3, mechanisms[i]);
        put_head(COMMAND | LONG, 1 << 20);
        ok(ends_here(INTAKE_PUB, INTAKE_KEYLESS),
           "also one that will be called PING");
        new_one.let_in = 0;
    }
}

static void
test_messages(void)
{
    begin();
    for (size_t i = 0; i < 3; i++) {
        put_frames(MORE, 0, FRAMES_MOST - 1);
        put_frame(0, 0);
    }
    ok(passes(INTAKE_INPUT), "a message may have all its frames, each time");
    put_frames(MORE, 0, FRAMES_MOST);
    put_head(0, 7);
    ok(ends_here(INTAKE_INPUT, INTAKE_ENDLESS), "but none more");
    begin();
    for (size_t i = 0; i < 3; i++) {
        put_frame(MORE, BYTES_MOST - 1000);
        put_frame(0, 1000);
    }
    ok(passes(INTAKE_INPUT), "likewise all its bytes");
    put_frame(MORE, BYTES_MOST);
    put_head(MORE, 1);
    ok(ends_here(INTAKE_INPUT, INTAKE_ENDLESS), "and none more");
    begin();
    put_head(LONG, BYTES_MOST + 1);
    ok(ends_here(INTAKE_INPUT, INTAKE_ENDLESS), "also in one frame");
    for (uint64_t len = UINT64_MAX; len > (uint64_t)1 << 62; len >>= 1) {
        begin();
        put_frame(MORE, 100);
        put_head(LONG, len);
        ok(ends_here(INTAKE_INPUT, INTAKE_ENDLESS), "%llx bytes are not few",
           (unsigned long long)len);
    }
    frame_most = 1000;
    begin();
    put_frame(MORE, 1000);
    put_frame(0, 1000);
    ok(passes(INTAKE_INPUT), "a frame may be as long as libzmq takes");
    put_head(LONG, 1001);
    ok(ends_here(INTAKE_INPUT, INTAKE_LONG), "and not longer");
    begin();
    put_frame(COMMAND, 1000);
    put_frame(COMMAND, 1000);
    memcpy(wire + wire_len - 1000, "\4PING", 5);
    ok(passes(INTAKE_INPUT), "so may a command");
    put_head(COMMAND | LONG, 1001);
    ok(ends_here(INTAKE_INPUT, INTAKE_LONG),
       "and not longer, before its name is known");
    frame_most = UINT64_MAX;
    begin();
    put_frames(MORE, 1, 63);
    put_frame(0, 1);
    ok(passes(INTAKE_CONTROL), "a request may have 64 frames");
    put_frames(MORE, 1, 64);
    put_head(0, 1);
    ok(ends_here(INTAKE_CONTROL, INTAKE_ENDLESS), "and none more");
    begin();
    put_frame(MORE, 65536);
    put_head(0, 1);
    ok(ends_here(INTAKE_CONTROL, INTAKE_ENDLESS), "nor more than 64 KiB");
    begin();
    put_frames(MORE, 0, 64);
    put_head(MORE, 0);
    ok(ends_here(INTAKE_PUB, INTAKE_ENDLESS), "the same of a subscription");
}

/* PING has two bytes behind its name, or libzmq answers it with 16 of whatever
 * is behind it in memory. */
static void
test_short_ping(void)
{
    static const int forms[] = {COMMAND, COMMAND | MORE, COMMAND | LONG,
                                0xff};

    for (int role = INTAKE_INPUT; role < INTAKE_ROLES; role++)
        for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
            for (size_t len = 5; len <= 7; len++) {
                begin();
                put_head(forms[i], len);
                put("\4PING", 5);
                ok(len < 7 ? ends_here(role, INTAKE_MALFORMED)
                           : (put("xx", 2), passes(role)),
                   "role %d: PING of %zu bytes, flags %02x", role, len,
                   (unsigned)forms[i]);
            }
    new_one.kinds = INTAKE_KIND_SUB;
    put_greeting(3, "NULL");
    put_ready("SUB");
    put_head(COMMAND, 6);
    put("\4PING", 5);
    ok(ends_here(INTAKE_PUB, INTAKE_MALFORMED), "also where we connected");
    new_one.kinds = 0;
    begin();
    put_command("PIN", 3);
    put_command("PINK", 0);
    put_command("PONG", 0);
    put_command("PONG", 1);
    put_command("PONY", 0);
    put_frame(0, 5);
    memcpy(wire + wire_len - 5, "\4PING", 5);
    ok(passes(INTAKE_INPUT), "what is no PING may be as short");
}

/* libzmq makes parts of messages of some. */
static void
test_commands(void)
{
    begin();
    put_frames(MORE, 0, FRAMES_MOST - 10);
    put_command("PING", 2);
    put_command("PONG", 0);
    put_command("PI", 0);
    put_frames(MORE, 0, 9);
    put_head(MORE, 0);
    ok(ends_here(INTAKE_INPUT, INTAKE_ENDLESS), "no command ends a message");
    begin();
    for (size_t i = 0; i < FRAMES_MOST; i++)
        put_frame(COMMAND | MORE, 3);
    put_head(COMMAND | MORE, 3);
    ok(ends_here(INTAKE_INPUT, INTAKE_ENDLESS), "many may be a message");
    begin();
    for (size_t i = 0; i < 2 * FRAMES_MOST; i++)
        put_command("NOISE", 100);
    ok(passes(INTAKE_INPUT), "those by themselves are none");
    begin();
    put_head(COMMAND | LONG, UINT64_MAX);
    put("\4PONG", 5);
    ok(passes(INTAKE_PUB), "a PONG may be long: libzmq looks at that");
    begin();
    put_head(COMMAND | LONG, UINT64_MAX);
    put("\4POMP", 4);
    ok(ends_here(INTAKE_PUB, INTAKE_MUCH), "another may not");
}

static void
test_all(void)
{
    begin();
    put_frames(0, 1024 - KEPT, 1023);
    put_frame(0, 1024 - 2 * KEPT - 1);
    put_command("PING", 2);
    put_frame(0, 1);
    ok(passes(INTAKE_PUB), "1 MiB of subscriptions is fine");
    put_head(0, 0);
    ok(ends_here(INTAKE_PUB, INTAKE_MUCH), "and nothing more");
    begin();
    put_frames(0, 0, (1 << 20) / KEPT);
    ok(passes(INTAKE_PUB), "one of no bytes has its cost");
    put_head(0, 0);
    ok(ends_here(INTAKE_PUB, INTAKE_MUCH), "... so that they have an end");
    begin();
    put_frames(0, 1024 - KEPT, 1023);
    put_head(LONG, 1024 - KEPT + 1);
    ok(ends_here(INTAKE_PUB, INTAKE_MUCH), "not one byte more");
    for (uint64_t len = UINT64_MAX; len > UINT64_MAX - 2 * KEPT; len--) {
        begin();
        put_frame(0, 100);
        put_head(COMMAND | LONG, len);
        put("\4PI", 3);
        put_byte('x');
        ok(ends_here(INTAKE_PUB, INTAKE_MUCH), "%llx are not few",
           (unsigned long long)len);
    }
    begin();
    put_command("PING", 2);
    ok(passes(INTAKE_PUSH), "a peer of a push may be heard to live");
    put_head(0, 0);
    ok(ends_here(INTAKE_PUSH, INTAKE_LOUD), "but to say nothing");
    begin();
    put_head(COMMAND, 12);
    put("\11", 1);
    ok(ends_here(INTAKE_PUSH, INTAKE_LOUD), "nor to subscribe");
    put_signature(1);
    put_byte(7);
    put_frame(0, 5);
    ok(passes(INTAKE_PUSH), "it may have a name");
    put_head(MORE, 0);
    ok(ends_here(INTAKE_PUSH, INTAKE_LOUD), "... and nothing behind it");
}

/* What may wait for who reads it. */
static void
test_waiting(void)
{
    begin();
    put_command("PING", 2);
    put_frame(MORE, 5);
    ok(messages(INTAKE_INPUT) == 0, "who has ended no message leaves none");
    put_frames(MORE, 300, 3);
    put_frame(0, 0);
    put_frames(0, 5, 2);
    ok(messages(INTAKE_INPUT) == 3, "each message is one, whatever its parts");
    put_command("SUBSCRIBE", 10);
    put_command("CANCEL", 10);
    put_command("PONG", 0);
    ok(messages(INTAKE_INPUT) == 5, "libzmq makes one of some commands");
    put_greeting(3, "CURVE");
    put_command("HELLO", 194);
    put_command("INITIATE", 200);
    ok(messages(INTAKE_INPUT) == 0, "a handshake is none");
    put_frames(0, 34, 3);
    ok(messages(INTAKE_INPUT) == 3, "what is encrypted may be, frame by frame");
    put_frames(MORE, 34, 2);
    put_command("MESSAGE", 26);
    ok(messages(INTAKE_INPUT) == 6, "whatever is said about it in clear");
    put_signature(1);
    put_byte(8);
    put_frame(0, 5);
    put_frames(0, 7, 2);
    ok(messages(INTAKE_INPUT) == 2, "a name is none");
    put_greeting(3, "NULL");
    put_frame(MORE, 20);
    put_command("SUBSCRIBE", 10);
    put_frame(0, 7);
    ok(messages(INTAKE_INPUT) == 2, "nor is READY, whatever its flags are");
}

static void
test_limits(void)
{
    struct intake_limits most =
        intake_limits_of(INTAKE_INPUT, SIZE_MAX, SIZE_MAX / 16);
    struct intake_limits least = intake_limits_of(INTAKE_INPUT, 1024, 1);

    ok(most.bytes >= SIZE_MAX && most.frames >= SIZE_MAX / 16,
       "limits of any size are limits");
    ok(least.bytes == 16384 && least.frames == 4096, "small ones are generous");
}

int
main(void)
{
    test_unfit();
    test_wanted();
    test_usual();
    test_greetings();
    test_wordy();
    test_name_flags();
    test_reserved();
    test_keys();
    test_messages();
    test_short_ping();
    test_commands();
    test_all();
    test_waiting();
    test_limits();
    return tap_done();
}
