/* unread.h - bytes of connections that the kernel has and libzmq has not
 * read. */
#ifndef UNREAD_H
#define UNREAD_H

/*
 * Whether there are any. A queue that is empty says nothing of them where the
 * thread that fills it gets no processor. Which descriptors are an input's
 * libzmq does not say, so all connections are asked: who sends to an output,
 * or a request that is not read yet, makes us wait, too.
 */
int unread_is_there(void);

#endif
