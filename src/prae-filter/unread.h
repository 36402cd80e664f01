/* unread.h - bytes of inputs' connections that the kernel has and libzmq has
 * not read. */
#ifndef UNREAD_H
#define UNREAD_H

#include <stddef.h>

/*
 * Whether there are any. A queue that is empty says nothing of them where the
 * thread that fills it gets no processor. Where nobody knows which descriptors
 * are an input's (line.c), all connections are asked: then who sends to an
 * output, or a request that is not read yet, makes us wait, too.
 */
int unread_is_there(void);

/* How many of them were left by who has hung up since: no more follow. */
size_t unread_left(void);

#endif
