/* unread.h - bytes of inputs' connections that the kernel has and libzmq has
 * not read. */
#ifndef UNREAD_H
#define UNREAD_H

#include <stddef.h>
#include <stdint.h>

/*
 * A queue that is empty says nothing of them where the thread that fills it
 * gets no processor. Where nobody knows which descriptors are an input's
 * (line.c), all connections are asked: then who sends to an output, or a
 * request that is not read yet, makes us wait, too.
 */
struct unread {
    uint64_t number;   /* of the look that found them */
    size_t bytes;      /* all of them, ... */
    size_t left_bytes; /* ... and those by who has hung up: no more follow */
};

struct unread unread_now(void);

/* The same, as it was a moment ago: the more connections there are the longer
 * a look takes, and all inputs share it. By one thread alone. */
const struct unread *unread_look(void);

#endif
