/*
 * fault.h - one call in a run that fails.
 *
 * For programs linked with --wrap for each function that the wrap_*.c files
 * here have: these are then called in its place from our own objects, and
 * from nowhere else. What libc and libzmq call themselves is left alone;
 * libzmq ends the process where it gets no memory, by design.
 *
 * The environment chooses:
 *
 *   PRAE_FAULT=CLASS:N:ERRNO  the N-th call of CLASS fails with ERRNO, a
 *                             number; 0 is a call that does less than it was
 *                             asked for. With N+ those after it fail, too.
 *                             CLASS size is no call: files can have N bytes,
 *                             also those that libc writes for us.
 *   PRAE_FAULT_LOG=FILE       what failed, and at the end how many calls of
 *                             each class there were, and what was not freed
 *                             and not closed
 *   PRAE_JOURNAL=FILE         see journal.h
 */
#ifndef PRAE_TORTURE_FAULT_H
#define PRAE_TORTURE_FAULT_H

enum fault_class {
    FAULT_MEMORY,
    FAULT_OPEN,
    FAULT_COPY, /* of a descriptor */
    FAULT_READ, /* of files; a pipe can only be interrupted */
    FAULT_WRITE,
    FAULT_PIPE_READ,
    FAULT_PIPE_WRITE,
    FAULT_SYNC,
    FAULT_RENAME,
    FAULT_LINK,
    FAULT_UNLINK,
    FAULT_STAT,
    FAULT_TRUNCATE,
    FAULT_CLOSE,
    FAULT_CLOSE_FILE, /* one that was written, which may tell only then */
    FAULT_POLL,
    FAULT_PIPE,
    FAULT_THREAD,
    FAULT_ENTROPY,
    FAULT_STREAM, /* fopen, fflush, opendir and their like */
    FAULT_SOCKET, /* making one, and asking what became of it */
    FAULT_LISTEN,
    FAULT_RESOLVE,
    FAULT_CONNECT,
    FAULT_SEND,
    FAULT_RECV,
    FAULT_TERMINAL,
    FAULT_HTTP_START, /* of libmicrohttpd */
    FAULT_HTTP_REPLY,
    FAULT_ZMQ_NEW,
    FAULT_ZMQ_SET,
    FAULT_ZMQ_EVENTS,
    FAULT_ZMQ_BIND,
    FAULT_ZMQ_CONNECT,
    FAULT_ZMQ_SEND,
    FAULT_ZMQ_RECV,
    FAULT_ZMQ_DATA,
    FAULT_ZMQ_KEYS,
    FAULT_COUNT
};

enum fault { FAULT_NONE, FAULT_FAIL, FAULT_SHORT };

/* Counts a call of CLASS, NAME by name, and says whether it is the one. Sets
 * errno where it is to fail. CALLER is who called, for the log. */
enum fault fault_strikes(enum fault_class class, const char *name,
                         const void *caller);

#define FAULT_STRIKES(class, name) \
    fault_strikes((class), (name), __builtin_return_address(0))

/* Blocks and descriptors that our objects got, above 0, or gave back. */
void fault_note_blocks(int more);
void fault_note_fds(int more);

/* Writes the counts to the log, where that has not been done; EARLY: a thread
 * is left to itself, with all it has. Nothing fails after that: what follows
 * is not ours, but a coverage build's, which writes its counts. */
void fault_end(int early);

#endif
