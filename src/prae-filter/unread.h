/* unread.h - bytes of inputs' connections that libzmq has not read: the kernel
 * has them, or the sender's. */
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
    uint64_t number;   /* of the look that found them */
    size_t bytes;      /* all of them, ... */
    size_t left_bytes; /* ... and those of who has hung up, or owes more */
    size_t owing;      /* connections of whom who does */
    double round_trip; /* seconds, the longest of those that were heard of
                          lately: for so long nothing comes, and all is well */
};

/* From now on it matters: SECONDS are a while. It takes a first look. */
void unread_begin(double seconds);

struct unread unread_now(void);

/* The same, as it was a moment ago: the more connections there are the longer
 * a look takes, and all inputs share it. All by one thread alone. */
const struct unread *unread_look(void);

#endif
