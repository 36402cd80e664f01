/*
 * intake.c - greeting, then frames: flags, a length, so many bytes.
 *
 * What is read of them, and how, is what libzmq 4.3 reads: also where it is
 * more lenient than the protocol, or somebody could be followed wrongly.
 */
#include "intake.h"

#include <string.h>

#define TIMES 16          /* an input's limits, and it is beyond all */
#define FRAMES_LEAST 4096 /* that an input takes, some 256 KB in libzmq */
#define FRAMES_FEW 64     /* for what is one frame, or three */
#define BYTES_FEW ((uint64_t)64 << 10)
#define TOPICS_MOST ((uint64_t)1 << 20) /* libzmq needs 60 times that */
#define KEPT_BYTES 16 /* that a frame costs beside its own */

#define SHAKES 2 /* frames of who is to be known by a key, until it is */
#define SHAKE_MOST 4096 /* bytes of one, or of READY; some hundred are usual */
#define WELCOME_LEN 168 /* of CURVE, and the least that its READY has */
#define READY_LEAST 30

#define PING_LEAST 7 /* bytes: its name, and how long to wait for the next */

#define SIGNATURE_END 9 /* places in the greeting */
#define REVISION 10
#define SHORT_END 11
#define MECHANISM 12
#define MECHANISM_END 31
#define GREETING_END 63

#define FLAG_MORE 1u
#define FLAG_LONG 2u
#define FLAG_COMMAND 4u

enum phase { GREETING, FLAGS, LENGTH, NAME, SHAKE, BODY, BROKEN };

/* What READY is made of. */
enum part {
    PART_COMMAND,
    PART_NAME_LEN, /* of a property, of which there are any number */
    PART_NAME,
    PART_VALUE_LEN,
    PART_VALUE
};

static const char kind_name[] = "Socket-Type";
static const char own_name[] = "identity"; /* however it is written */

/* ---- limits ---- */

struct intake_limits
intake_limits_of(enum intake_role role, size_t max_message, size_t max_parts)
{
    struct intake_limits limits = {.frame = UINT64_MAX,
                                   .frames = FRAMES_FEW,
                                   .bytes = BYTES_FEW,
                                   .all = UINT64_MAX};

    if (role == INTAKE_INPUT) {
        limits.frames = (uint64_t)max_parts > FRAMES_LEAST / TIMES
                            ? TIMES * (uint64_t)max_parts
                            : FRAMES_LEAST;
        limits.bytes = max_message > UINT64_MAX / TIMES
                           ? UINT64_MAX
                           : TIMES * (uint64_t)max_message;
    } else if (role == INTAKE_PUSH) {
        limits.silent = 1;
    } else if (role == INTAKE_PUB) {
        limits.all = TOPICS_MOST;
    }
    return limits;
}

/* Whether SUM may grow by SOME, and does. */
static int
grows(uint64_t *sum, uint64_t some, uint64_t most)
{
    if (*sum > most || some > most - *sum)
        return 0;
    *sum += some;
    return 1;
}

/*
 * A frame of LEN bytes begins, of who is to be known by a key: HELLO or
 * INITIATE, or of one that we connected to its answers. Whatever is behind
 * them libzmq takes only from who was let in, once it has looked at all of it.
 * What is encrypted has no limits then: its parts cannot be seen, and each may
 * be a message. A mechanism that is not ours libzmq refuses.
 */
static enum intake_fault
count_encrypted(struct intake *intake, uint64_t len)
{
    int shakes = intake->shaken < SHAKES;

    if (len > SHAKE_MOST && (shakes || !intake->let_in))
        return INTAKE_KEYLESS;
    if (shakes)
        intake->shaken++;
    else
        intake->messages++;
    return INTAKE_FINE;
}

/* A frame begins, of which a message may come: also of a command. The first
 * one is READY, whatever its flags are, or in ZMTP 2 the name. */
static void
note_message(struct intake *intake, int more)
{
    if (intake->shaken == 0)
        intake->shaken = 1;
    else if (!more)
        intake->messages++;
}

/* Of what is said behind the handshake libzmq keeps a note until it is read,
 * though it have no bytes. */
static int
keeps(struct intake *intake, const struct intake_limits *limits, uint64_t len)
{
    return grows(&intake->all, len, limits->all) &&
           grows(&intake->all, KEPT_BYTES, limits->all);
}

/*
 * A frame of LEN bytes begins. Commands are no part of a message, but libzmq
 * makes SUBSCRIBE and CANCEL one at any socket: those that have more to
 * follow, or come amid a message, count, and never end one.
 */
static enum intake_fault
count_all(struct intake *intake, const struct intake_limits *limits,
          uint64_t len)
{
    int command = (intake->flags & FLAG_COMMAND) != 0;
    int more = (intake->flags & FLAG_MORE) != 0;

    if (intake->foreign)
        return count_encrypted(intake, len);
    int first = intake->shaken == 0;
    note_message(intake, more);
    if (first && len > SHAKE_MOST)
        return INTAKE_WORDY;
    if (limits->silent && !first)
        return INTAKE_LOUD;
    if ((!command || more || intake->frames > 0) &&
        (!grows(&intake->frames, 1, limits->frames) ||
         !grows(&intake->bytes, len, limits->bytes)))
        return INTAKE_ENDLESS;
    if (!command && !more)
        intake->frames = intake->bytes = 0;
    return first || keeps(intake, limits, len) ? INTAKE_FINE : INTAKE_MUCH;
}

/*
 * The same, and no frame is longer than libzmq takes. It would hang up by
 * itself, but as on somebody who breaks the protocol: where we connected it
 * never does so again, and what waited for the peer is gone.
 */
static enum intake_fault
count(struct intake *intake, const struct intake_limits *limits, uint64_t len)
{
    enum intake_fault fault = count_all(intake, limits, len);

    return fault == INTAKE_FINE && len > limits->frame ? INTAKE_LONG : fault;
}

/* ---- the parts, a byte at a time ---- */

static void
turn(struct intake *intake, enum phase phase)
{
    intake->phase = (uint8_t)phase;
    intake->at = 0;
}

/* What sockets are, by the names of ZMTP 3 and the numbers of ZMTP 2. */
static const struct {
    const char *name;
    unsigned char number;
    enum intake_kind kind;
} kinds[] = {{"PUSH", 8, INTAKE_KIND_PUSH}, {"PULL", 7, INTAKE_KIND_PULL},
             {"PUB", 1, INTAKE_KIND_PUB},   {"XPUB", 9, INTAKE_KIND_PUB},
             {"SUB", 2, INTAKE_KIND_SUB},   {"XSUB", 10, INTAKE_KIND_SUB}};

#define KINDS (sizeof kinds / sizeof *kinds)

static int
number_fits(const struct intake *intake, unsigned char number)
{
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i].number == number)
            return (intake->kinds & kinds[i].kind) != 0;
    return 0;
}

static const char null[MECHANISM_END - MECHANISM + 1] = "NULL";
static const char curve[MECHANISM_END - MECHANISM + 1] = "CURVE";

/* Whether byte AT of a greeting is one of who we connect to. */
static int
greeting_fits(const struct intake *intake, unsigned at, unsigned char byte)
{
    const char *ours = intake->keyed ? curve : null;

    if (at == REVISION)
        return byte != 1 || !intake->keyed; /* ZMTP 2 knows of no keys */
    if (at == SHORT_END && intake->named)
        return number_fits(intake, byte);
    return at < MECHANISM || at > MECHANISM_END ||
           byte == (unsigned char)ours[at - MECHANISM];
}

static enum intake_fault
greet(struct intake *intake, unsigned char byte)
{
    unsigned at = intake->at++;

    if ((at == 0 && byte != 0xff) || (at == SIGNATURE_END && !(byte & 1)) ||
        (at == REVISION && byte == 0))
        return INTAKE_FOREIGN;
    if (intake->kinds != 0 && !greeting_fits(intake, at, byte))
        return INTAKE_UNFIT;
    if (at == REVISION)
        intake->named = byte == 1;
    else if (at >= MECHANISM && at <= MECHANISM_END)
        intake->foreign |= byte != (unsigned char)null[at - MECHANISM];
    if (at == GREETING_END || (at == SHORT_END && intake->named)) {
        intake->looks = intake->keyed ? SHAKES : !intake->foreign;
        turn(intake, FLAGS);
    }
    return INTAKE_FINE;
}

/* Whether READY is of one that we connect to. Of others what is not to
 * libzmq's liking is left to it. */
static int
has_to_fit(const struct intake *intake)
{
    return intake->kinds != 0 && !intake->named;
}

/* Whether it is a name of ZMTP 2 with flags that none has. One that is a
 * command libzmq drops, and what is behind it is the name then, where we do
 * not look any more; with more to follow it would be part of a message. */
static int
is_flagged_name(const struct intake *intake)
{
    return intake->named && (intake->flags & (FLAG_COMMAND | FLAG_MORE)) != 0;
}

/* Whether a frame of the handshake of one that we connect to is as long as it
 * may be. */
static int
length_fits(const struct intake *intake)
{
    if (!intake->keyed)
        return intake->left > 0 || !has_to_fit(intake);
    return intake->looks > 0 ? intake->left == WELCOME_LEN
                             : intake->left >= READY_LEAST;
}

/* The frame's length is known. */
static enum intake_fault
begin(struct intake *intake, const struct intake_limits *limits)
{
    static const size_t name_len = sizeof "\4PING" - 1;

    if (intake->looks > 0) {
        intake->looks--;
        turn(intake, intake->left > 0 ? SHAKE : FLAGS);
        enum intake_fault fault = count(intake, limits, intake->left);
        if (fault == INTAKE_FINE && is_flagged_name(intake))
            fault = INTAKE_MALFORMED;
        return fault == INTAKE_FINE && !length_fits(intake) ? INTAKE_UNFIT
                                                            : fault;
    }
    if ((intake->flags & FLAG_COMMAND) && intake->left >= name_len &&
        !intake->foreign) {
        turn(intake, NAME); /* whether it counts is not known yet */
        return intake->left > limits->frame ? INTAKE_LONG : INTAKE_FINE;
    }
    turn(intake, intake->left > 0 ? BODY : FLAGS);
    return count(intake, limits, intake->left);
}

static enum intake_fault
measure(struct intake *intake, const struct intake_limits *limits,
        unsigned char byte)
{
    unsigned wide = intake->flags & FLAG_LONG ? 8 : 1;

    intake->left = intake->left << 8 | byte;
    return ++intake->at == wide ? begin(intake, limits) : INTAKE_FINE;
}

/*
 * PING and PONG come for years, and libzmq keeps nothing of them. A PING that
 * ends before it has said all libzmq answers with what is behind it in memory,
 * records of others or addresses. All other commands may be as short as their
 * names.
 */
static enum intake_fault
name(struct intake *intake, const struct intake_limits *limits,
     unsigned char byte)
{
    static const char ping[] = "\4PING", pong[] = "\4PONG";
    unsigned at = intake->at++;
    int beats = byte == (unsigned char)ping[at] ||
                byte == (unsigned char)pong[at];

    if (ping[at] != pong[at])
        intake->is_ping = byte == (unsigned char)ping[at];
    if (beats && at + 2 < sizeof ping)
        return INTAKE_FINE;
    uint64_t len = intake->left;
    if (beats && intake->is_ping && len < PING_LEAST)
        return INTAKE_MALFORMED;
    intake->left -= at + 1;
    turn(intake, intake->left > 0 ? BODY : FLAGS);
    return beats ? INTAKE_FINE : count(intake, limits, len);
}

/* Whether what a peer says it is fits one of ours. */
static int
fits(const struct intake *intake)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strlen(kinds[i].name) == intake->kind_len &&
            memcmp(kinds[i].name, intake->kind, intake->kind_len) == 0)
            return (intake->kinds & kinds[i].kind) != 0;
    return 0;
}

/* On to a part of READY that has LEN bytes. Those are there, as is whatever has
 * to follow, or libzmq does not take it. */
static enum intake_fault
turn_part(struct intake *intake, enum part part, uint32_t len)
{
    intake->part = (uint8_t)part;
    intake->part_left = len;
    intake->at = 0;
    return len < intake->left ? INTAKE_FINE : INTAKE_UNFIT;
}

/* The length of a property's value is known. */
static enum intake_fault
begin_value(struct intake *intake)
{
    uint32_t len = intake->value_len;

    intake->kind_len = (uint8_t)len;
    if (intake->is_kind && (len == 0 || len > sizeof intake->kind))
        return INTAKE_UNFIT;
    return len > 0 ? turn_part(intake, PART_VALUE, len)
                   : turn_part(intake, PART_NAME_LEN, 0);
}

/* The last byte of a part has come. */
static enum intake_fault
end_part(struct intake *intake, unsigned char byte)
{
    static const uint32_t wide = 4; /* bytes, which are the value's length */

    switch (intake->part) {
    case PART_NAME_LEN:
        intake->is_kind =
            intake->kinds != 0 && byte == sizeof kind_name - 1;
        intake->is_own = byte == sizeof own_name - 1;
        intake->value_len = 0;
        return byte > 0 ? turn_part(intake, PART_NAME, byte)
                        : turn_part(intake, PART_VALUE_LEN, wide);
    case PART_NAME: return turn_part(intake, PART_VALUE_LEN, wide);
    case PART_VALUE_LEN: return begin_value(intake);
    case PART_VALUE:
        if (intake->is_kind && !fits(intake))
            return INTAKE_UNFIT;
        break;
    default: break;
    }
    return turn_part(intake, PART_NAME_LEN, 0);
}

/* READY, its name and then properties, in whatever order: a name, a value. */
static enum intake_fault
look_ready(struct intake *intake, unsigned char byte)
{
    static const char ready[] = "\5READY";
    unsigned at = intake->at++;
    int ends = intake->part_left <= 1;

    intake->part_left -= intake->part_left > 0;
    switch (intake->part) {
    case PART_COMMAND:
        ends = at + 2 == sizeof ready;
        if (byte != (unsigned char)ready[at] || (intake->left == 1 && !ends))
            return INTAKE_UNFIT;
        break;
    case PART_NAME:
        if (intake->is_kind)
            intake->is_kind = byte == (unsigned char)kind_name[at];
        if (intake->is_own)
            intake->is_own = (byte | 0x20) == (unsigned char)own_name[at];
        break;
    case PART_VALUE_LEN:
        intake->value_len = intake->value_len << 8 | byte;
        break;
    case PART_VALUE:
        if (intake->is_kind)
            intake->kind[at] = (char)byte;
        if (intake->is_own && byte == 0)
            return INTAKE_RESERVED;
        intake->is_own = 0; /* of the value the first byte says all */
        break;
    default: break;
    }
    return ends ? end_part(intake, byte) : INTAKE_FINE;
}

/*
 * The name in ZMTP 2, by its first byte. One that begins with 0 is libzmq's to
 * give, to who has none: a socket that answers ends the process where that one
 * is taken, and which is next can be guessed.
 */
static enum intake_fault
look_name(unsigned char byte, int *over)
{
    *over = 1;
    return byte == 0 ? INTAKE_RESERVED : INTAKE_FINE;
}

/* The beginning of WELCOME, or of READY behind it: the rest only libzmq can
 * read. *OVER where that begins. */
static enum intake_fault
look_keyed(struct intake *intake, unsigned char byte, int *over)
{
    static const char welcome[] = "\7WELCOME", ready[] = "\5READY";
    const char *name = intake->looks > 0 ? welcome : ready;
    unsigned at = intake->at++;

    *over = name[at + 1] == '\0';
    return byte == (unsigned char)name[at] ? INTAKE_FINE : INTAKE_UNFIT;
}

/*
 * The handshake. Where it is not to libzmq's liking, and we connected, that
 * would never connect again, and what waits for the peer would be gone.
 */
static enum intake_fault
shake(struct intake *intake, unsigned char byte)
{
    int over = 0;
    enum intake_fault fault = intake->keyed   ? look_keyed(intake, byte, &over)
                              : intake->named ? look_name(byte, &over)
                                              : look_ready(intake, byte);

    if (fault == INTAKE_UNFIT && !has_to_fit(intake)) {
        fault = INTAKE_FINE;
        over = 1;
    }
    intake->left--;
    if (over || intake->left == 0)
        turn(intake, intake->left > 0 ? BODY : FLAGS);
    return fault;
}

static enum intake_fault
step(struct intake *intake, const struct intake_limits *limits,
     unsigned char byte)
{
    switch (intake->phase) {
    case GREETING: return greet(intake, byte);
    case FLAGS:
        intake->flags = byte;
        intake->left = 0;
        turn(intake, LENGTH);
        return INTAKE_FINE;
    case LENGTH: return measure(intake, limits, byte);
    case NAME: return name(intake, limits, byte);
    case SHAKE: return shake(intake, byte);
    default: return intake->fault;
    }
}

/* ---- all of it ---- */

size_t
intake_wants(const struct intake *intake)
{
    int shakes = intake->looks > 0 || intake->phase == SHAKE;

    return shakes && !intake->keyed && has_to_fit(intake) ? 1 : SIZE_MAX;
}

size_t
intake_follow(struct intake *intake, const struct intake_limits *limits,
              const void *bytes, size_t len)
{
    const unsigned char *byte = bytes;
    size_t at = 0;

    while (at < len) {
        enum intake_fault fault;
        if (intake->phase == BODY) {
            size_t some =
                intake->left < len - at ? (size_t)intake->left : len - at;
            intake->left -= some;
            at += some;
            if (intake->left == 0)
                turn(intake, FLAGS);
            continue;
        }
        if (intake->phase == FLAGS && len - at > 1 && !(byte[at] & FLAG_LONG)) {
            /* The head that most have, at once. */
            intake->flags = byte[at++];
            intake->left = byte[at];
            fault = begin(intake, limits);
        } else {
            fault = step(intake, limits, byte[at]);
        }
        if (fault != INTAKE_FINE) {
            intake->fault = (uint8_t)fault;
            turn(intake, BROKEN);
            return at;
        }
        at++;
    }
    return len;
}
