/*
 * intake.h - how much a peer sends, by the frames as they come in.
 *
 * libzmq gathers a message until its last frame is there, however many there
 * are, and keeps what is said to sockets that never read. So the framing of a
 * connection (ZMTP, https://rfc.zeromq.org/spec/23) is followed beside it, to
 * know who goes beyond all limits while that is still little. overhear.c has
 * the bytes.
 *
 * 1. What libzmq takes for an unfinished message is never taken for a
 *    finished one; in doubt more is counted than it keeps.
 * 2. Where a limit is reached hangs on the bytes, not on the pieces in which
 *    they come.
 * 3. A frame takes some nanoseconds, whatever its length.
 */
#ifndef INTAKE_H
#define INTAKE_H

#include <stddef.h>
#include <stdint.h>

/* What our end of a connection is for. */
enum intake_role {
    INTAKE_NONE, /* nothing that we know: not followed */
    INTAKE_INPUT,
    INTAKE_CONTROL,
    INTAKE_PUSH,
    INTAKE_PUB,
    INTAKE_ROLES
};

enum intake_fault {
    INTAKE_FINE,
    INTAKE_FOREIGN, /* it speaks something else, or ZMTP 1 */
    INTAKE_ENDLESS, /* one message goes on and on */
    INTAKE_MUCH,    /* all that it ever said is too much */
    INTAKE_FLOOD,   /* it says more where much waits to be read */
    INTAKE_LOUD,    /* it sends messages where it is to receive them */
    INTAKE_KEYLESS, /* it says much before its key is known */
    INTAKE_WORDY,   /* READY, or its name, is longer than any is */
    INTAKE_RESERVED, /* it has a name that only libzmq gives */
    INTAKE_LONG,    /* a frame is longer than libzmq takes */
    INTAKE_MALFORMED, /* a frame is one that libzmq would read wrongly */
    INTAKE_UNFIT,   /* it is not who we connect to, or lets us not in */
    INTAKE_FAULTS
};

/* Types of sockets that peers may have, as bits. */
enum intake_kind {
    INTAKE_KIND_PUSH = 1,
    INTAKE_KIND_PULL = 2,
    INTAKE_KIND_PUB = 4, /* or XPUB */
    INTAKE_KIND_SUB = 8  /* or XSUB */
};

/* The most that is fine. */
struct intake_limits {
    uint64_t frame;  /* bytes of one; any, unless it is set */
    uint64_t frames; /* of a message */
    uint64_t bytes;  /* of a message */
    uint64_t all;    /* bytes of a connection behind the handshake, and 16
                        more for each frame, but for PING and PONG */
    int silent;      /* no frame is, behind the first */
};

/* A connection; all 0 is a new one. */
struct intake {
    uint64_t left;   /* bytes that the frame has yet; or its length so far */
    uint64_t frames; /* of the message that has not ended */
    uint64_t bytes;
    uint64_t all;
    uint64_t messages; /* that ended, or may have: no fewer than libzmq has
                          for who reads them */
    uint8_t phase;
    uint8_t at; /* bytes that were read in this phase */
    uint8_t flags;
    uint8_t named;   /* it speaks ZMTP 2: the first frame is its name */
    uint8_t foreign; /* the mechanism is not NULL */
    uint8_t shaken;  /* frames of the handshake that have come */
    uint8_t fault;   /* enum intake_fault */
    uint8_t let_in;  /* with keys: our part of the handshake is over, as who
                        has the bytes that go out knows */

    /* Of one that we connect to; 0: it is not looked at so closely. */
    uint8_t kinds; /* enum intake_kind, any of those that fit */
    uint8_t keyed; /* and it has to ask for keys */

    uint8_t is_ping; /* a heartbeat's name, as far as it has come, is PING */

    uint8_t looks; /* frames of the handshake that are still looked at */
    uint8_t part;  /* of READY, which is being read, ... */
    uint32_t part_left; /* ... and bytes that it has yet */
    uint32_t value_len; /* of a property, as far as that has come */
    uint8_t is_own;     /* that is its name, ... */
    uint8_t is_kind;    /* ... or what it says it is */
    uint8_t kind_len;
    char kind[8]; /* (kind_len) as far as that has come */
};

/*
 * The limits of ROLE. Inputs have many times what MAX_MESSAGE and MAX_PARTS
 * allow: what is merely over those still arrives, is refused and counted.
 */
struct intake_limits intake_limits_of(enum intake_role role, size_t max_message,
                                      size_t max_parts);

/*
 * How many bytes are to be read next, at most; SIZE_MAX: any number. Without
 * keys libzmq takes a frame behind READY only once it has made its own, which
 * it does between some of the next reads: who said both in one piece would
 * have broken the protocol, and never be connected to again.
 */
size_t intake_wants(const struct intake *intake);

/*
 * The next LEN bytes of a connection. Returns how many of them are fine: if
 * not all, the connection is to end behind those, and INTAKE's fault says
 * why. From then on none are.
 */
size_t intake_follow(struct intake *intake, const struct intake_limits *limits,
                     const void *bytes, size_t len);

#endif
