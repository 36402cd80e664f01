/* unread.h - what of inputs' connections is not in the queues: libzmq has not
 * read it, or has no room for it. */
#ifndef UNREAD_H
#define UNREAD_H

#include <stddef.h>
#include <stdint.h>

/*
 * A queue that is empty says nothing of them where the thread that fills it
 * gets no processor. Where nobody knows which descriptors are an input's
 * (line.c), all connections are asked: then who sends to an output, or a
 * request that is not read yet, makes us wait, too.
 *
 * Over tcp a sender that was held back may have hung up, and its own kernel
 * have more for us: that it has hung up is seen behind all of that, and until
 * then it looks like one who goes on sending. So it owes more until then, or
 * until nothing has come for a while, or only little at a time.
 */
struct unread {
    uint64_t number;     /* of the look that found them */
    size_t senders;      /* connections of inputs, ... */
    size_t sending;      /* ... and those with some unread that are not known to
                            have hung up, ... */
    size_t unsure;       /* ... and may have, over tcp */
    size_t bytes;        /* that the kernel has, ... */
    size_t behind_bytes; /* ... and has of those who are behind: */
    size_t behind;       /* connections that libzmq may have more of, of who has
                            hung up, or was not read from since it began; ... */
    size_t owing;        /* ... among them those whose machine may, ... */
    size_t due;          /* ... and those of whom we have it, or an unknown
                            part */
    size_t waiting;      /* connections that libzmq has yet to read on from, if
                            it ever does */
    double round_trip; /* seconds, the longest of those that were heard of
                          lately: for so long nothing comes, and all is well */
};

/* From now on it matters: SECONDS are a while. It takes a first look. */
void unread_begin(double seconds);

struct unread unread_now(void);

/* The same, as it was a moment ago: the more connections there are the longer
 * a look takes, and all inputs share it. All by one thread alone. */
const struct unread *unread_look(void);

/* Connections of the one input that is told as NAME of which not all is in its
 * queue, and *BYTES that the kernel has of them. */
size_t unread_at(const char *name, size_t *bytes);

#endif
