/*
 * mailbox.h - step 1 for sockets: messages in.
 *
 * A message is taken from the socket whole or not at all. It waits here
 * while the filter is busy, at most as many bytes as the loop allows; then
 * the socket is not read, its queue fills, and the sender waits.
 */
#ifndef MAILBOX_H
#define MAILBOX_H

#include "eye.h"
#include "prae.h"
#include "quiet.h"
#include "rounds.h"
#include "route.h"
#include "wire.h"

struct letter {
    zmq_msg_t payload;     /* the last frame */
    struct frames *frames; /* those before it, or NULL */
    size_t cost;           /* bytes it occupies */
    uint64_t taken;        /* of its records; with the first, its frames */
    int refused;           /* payload is empty: it broke a limit */
    prae_refusal why;      /* which */
    int is_counted;        /* its records, ... */
    size_t records;        /* ... are so many */
};

struct mailbox {
    struct socket socket;
    struct eye eye; /* where it may become deaf */
    struct letter *ring; /* (cap), a power of two */
    size_t cap;
    size_t first;
    size_t count;
    size_t counted;     /* letters, from the first, by mailbox_count */
    size_t len_bytes;   /* of the payloads that wait */
    size_t at;          /* bytes of the first one that were pushed */
    size_t parts_max;   /* frames a message may have */
    size_t bytes_max;   /* bytes it may have */
    uint64_t messages;  /* taken from the socket */
    int dry;            /* nothing was in the socket when it was looked into
                           last */
    int stopping;       /* takes only what had been received */
    uint64_t looked;    /* the last look at what is unread */
    struct settled in;  /* the queue has none, nor has libzmq for it, ... */
    struct quiet empty; /* ... for some time */
    double emptied_at;  /* when it was found so and counted last */
    int empties;        /* times that it was */
    int leaving;        /* who sends is hung up on, ... */
    struct quiet left;  /* ... and has been */
    int done;           /* and all of that is in */
};

/* Opens the socket that SPEC, pull or sub, says, with --topic for the
 * latter. */
enum exit_status mailbox_open(struct mailbox *box, struct wire *wire,
                              const struct spec *spec);

/* Takes one message from the socket, if there is one. PRAE_OK, PRAE_END
 * where there is none, or PRAE_ENOMEM. */
prae_status mailbox_receive(struct mailbox *box);

/*
 * Lets nobody new in, as far as that costs no connection, and takes what has
 * been received. The kernel may have more to put into the socket's queue: it
 * is brought to its end when that has been empty for a moment, or again and
 * again, as somebody goes on sending.
 */
void mailbox_stop(struct mailbox *box);

/* Hangs up on who sends, which takes a moment: it is to be called again, or the
 * socket to be received from, until it is done. What was in the queue of one
 * that binds can be taken meanwhile. */
void mailbox_end(struct mailbox *box);

/* Takes what is in the socket's queue, up to MOST messages; how many. */
size_t mailbox_gather(struct mailbox *box, size_t most);

/* Looks whether it may be deaf: what was said by who it connects to was
 * forged. */
void mailbox_look(struct mailbox *box);

/* Whether it is, and cannot be helped now. Where it can, it is connected
 * anew, and what had come by then has been taken. */
int mailbox_is_deaf(struct mailbox *box, struct wire *wire);

/* Cuts off who is connected; what is in the queue stays. One that connects
 * cannot do that without losing its queue. */
void mailbox_cut(struct mailbox *box);

/* Takes all that is in the socket's queue, to be counted. One that connects
 * takes MOST messages, a queue, as its peer may go on sending. */
void mailbox_empty(struct mailbox *box, size_t most);

/* Whether some of the first message was taken, and not all. */
int mailbox_is_within(const struct mailbox *box);

/* The message that came first, or NULL. */
struct letter *mailbox_first(const struct mailbox *box);

/* A CSV's header, as prae_message_count has it. */
struct header {
    const char *text; /* or NULL: awaited */
    size_t len_bytes;
    int is_sure; /* the filter has it, or knows that there is none */
};

/* Records in the messages that wait, by PARAMS' format, but for those that
 * were taken. HEADER is no record where it comes again; where it is awaited it
 * becomes what the first message begins with. */
uint64_t mailbox_records(const struct mailbox *box, const prae_params *params,
                         struct header *header);

/* Counts them beforehand, of as many messages as have MOST bytes, and can be
 * counted UNTIL then for sure; HEADER is. Whether there were any. */
int mailbox_count(struct mailbox *box, const prae_params *params,
                  struct header *header, size_t most, double until);

/* Messages that were not counted; no record of theirs will be. */
uint64_t mailbox_forgo(struct mailbox *box);

/* Drops it. */
void mailbox_drop(struct mailbox *box);

void mailbox_close(struct mailbox *box);

#endif
