/*
 * outbox.h - messages out to a socket.
 *
 * Records that leave together are gathered into one message, which is sent
 * when it is sealed. Sending does not wait: a message that does not go
 * through stays, and the outbox is clogged until it does. libzmq then has it
 * in a queue of its own, and the kernel in another; we keep count of what is
 * left there, too. That matters at the end: what a peer on the same machine
 * has not read when we close, it never will.
 */
#ifndef OUTBOX_H
#define OUTBOX_H

#include "crowd.h"
#include "eye.h"
#include "parcel.h"
#include "quiet.h"
#include "rounds.h"
#include "route.h"
#include "wire.h"

#define SENT_MAX 4096
#define SENT_BYTES 2048 /* of messages that are noted as one */

/* What messages were, for when it is asked what is still on its way. */
struct sent {
    uint32_t len_bytes;
    uint32_t records;
};

struct outbox {
    struct socket socket;
    struct eye eye;     /* who comes and goes */
    struct crowd crowd; /* the connections there are */
    int is_pub;
    int lossy;       /* drops what a subscriber is too slow for */
    int encrypts;    /* there are keys for it */
    int failed;      /* out of memory, or of the socket */
    uint64_t missed; /* records that it did not take after that */
    int met;         /* a pub's subscriber, where it connects, is there */
    uint64_t unmet;  /* that libzmq has for who has not come yet, ... */
    int is_lost;     /* ... and will never get them */

    uint64_t route;         /* whose records are being gathered */
    struct frames *leading; /* what goes before them, or NULL */
    struct parcel *parcel;  /* they themselves, or NULL */
    struct depot depot;     /* where it is from */

    zmq_msg_t sealed;        /* the message to be sent next */
    struct frames *before;   /* what goes before it, or NULL */
    uint64_t sealed_records; /* in it; 0: there is none */

    size_t peers;               /* subscriptions; of a push socket, peers */
    int is_kept;                /* those of who has gone, until somebody else
                                   says what he wants */
    int lags;                   /* there may be more that are not read yet */
    size_t said_bytes;          /* of all there ever were */
    struct sent sent[SENT_MAX]; /* the last messages, in a ring ... */
    size_t sent_at;             /* ... of which this is the next place */
    uint64_t messages;          /* sent */
    uint64_t unheard;           /* records published while nobody listened */
    uint64_t dropped;           /* records that some subscriber did not get */
    struct quiet read;          /* all that was sent is, to our eyes, ... */
    struct settled settled;     /* ... and to libzmq's, ... */
    uint64_t read_at;           /* ... which was so many messages */
};

/* Opens what SPEC, push or pub, says. Says what is wrong. */
enum exit_status outbox_open(struct outbox *box, struct wire *wire,
                             const struct spec *spec);

/* What comes next is of ROUTE: what was gathered of another is sealed. With
 * FRAMED the route's frames go before it. */
void outbox_turn(struct outbox *box, const struct route *route, int framed);

/* Adds BYTES (LEN), with which RECORDS are complete. */
void outbox_put(struct outbox *box, const char *bytes, size_t len,
                size_t records);

/* Seals what was gathered, and sends what goes through at once. */
void outbox_flush(struct outbox *box);

/* Sends what is sealed, if it goes through by now; what is being gathered
 * may be joined on. */
void outbox_resend(struct outbox *box);

/* Whether a sealed message is left to be sent, and may yet be. */
int outbox_is_clogged(const struct outbox *box);

/* Records that were put in and have not reached a peer, or at least its
 * machine. Of those that the kernel has, about. */
uint64_t outbox_left(const struct outbox *box);

/* Looks who has come and gone; of subscriptions at some, while it lags. */
void outbox_look(struct outbox *box);

/* Whether all that was sent has been read, and had been a moment ago. What
 * waits to be sent does not matter. */
int outbox_is_read(struct outbox *box);

/* Binds it once more, where peers meet our own key, so that they meet the pair
 * there is now. What was sent has to be read; what waits goes to them. 0 where
 * it has to be tried again. */
int outbox_renew(struct outbox *box, struct wire *wire);

/* Whether libzmq has given it up for good, as mailbox_is_deaf. */
int outbox_is_deaf(struct outbox *box, struct wire *wire);

/* Whether libzmq has records of it that were not written. */
int outbox_is_queued(const struct outbox *box);

/* Closes it, whatever is left in it; where libzmq has some of it, that is not
 * to be ended. */
void outbox_close(struct outbox *box);

#endif
