/*
 * patience.h - how long to wait for an answer, and what to see to meanwhile.
 *
 * Who waits for a peer has nothing else to do, except where a person is at
 * the keyboard: then STIR is called whenever one of FDS can be read, and may
 * say that it is enough.
 */
#ifndef PATIENCE_H
#define PATIENCE_H

#include <stddef.h>

#define PATIENCE_FDS 2

struct patience {
    double seconds; /* for one answer, from the question on */
    int fds[PATIENCE_FDS];
    size_t count;               /* of them; 0 where nobody is to be seen to */
    int (*stir)(void *context); /* 0: go on waiting */
    void *context;
};

#endif
