/*
 * sink.h - step 7: records out, to a file, a socket or nowhere.
 *
 * A sink never waits. What it is given it takes; where that cannot leave at
 * once the sink is clogged, and is to be given no more until it is not. A
 * sink that has failed says so once and takes no more.
 */
#ifndef SINK_H
#define SINK_H

#include "outbox.h"
#include "outfile.h"

struct sink {
    enum spec_kind kind;
    int begun;           /* something was put in */
    uint64_t missed;     /* records that were to be put in, and were not */
    struct outfile file; /* SPEC_FILE, SPEC_STDIO */
    struct outbox box;   /* SPEC_SOCKET */
};

/* Opens SPEC. Says what is wrong. */
enum exit_status sink_open(struct sink *sink, struct wire *wire,
                           const struct spec *spec);

/* Empties the file that was opened. */
enum exit_status sink_empty(struct sink *sink);

/* Whether anything reaches anyone through it. */
int sink_is_open(const struct sink *sink);

/* What comes next is of ROUTE, and leaves with others of it, with FRAMED
 * behind its frames. */
void sink_turn(struct sink *sink, const struct route *route, int framed);

/* Adds BYTES (LEN), with which RECORDS are complete. */
void sink_put(struct sink *sink, const char *bytes, size_t len, size_t records);

/* The same, of bytes that stay where they are until sink_settle. */
void sink_lend(struct sink *sink, const char *bytes, size_t len,
               size_t records);

/* What was lent is given back. A message leaves; of a file's bytes the next
 * ones may be waited for. */
void sink_settle(struct sink *sink);

/* Nothing is to join what was put in: lets go what goes through. */
void sink_flush(struct sink *sink);

/* The same, but for a message that is being gathered: more may join it. */
void sink_resend(struct sink *sink);

/* EXIT_DONE while all is well. */
enum exit_status sink_failed(const struct sink *sink);

/* Whether it should be given no more for now. */
int sink_is_clogged(const struct sink *sink);

/* Records that were put in and are still in our hands. */
uint64_t sink_left(const struct sink *sink);

/* Whether there is none, nor anything else that is to be written. */
int sink_is_empty(const struct sink *sink);

/* What to wait for before it is flushed again, to ITEM; 0 where there is
 * nothing. */
int sink_wants(const struct sink *sink, zmq_pollitem_t *item);

/* Whether it is clogged and nothing tells when it is not: try again. */
int sink_retries(const struct sink *sink);

/* Closes it; its last word on how it went. */
enum exit_status sink_close(struct sink *sink);

#endif
