/*
 * sink.h - step 7: bytes out, to a file, standard output or nowhere.
 *
 * Bytes are gathered and written in large pieces; sink_flush is what makes
 * them arrive. A sink that has failed says so once and takes no more.
 */
#ifndef SINK_H
#define SINK_H

#include <stddef.h>

#include "status.h"

struct sink {
    const char *name; /* for messages; NULL: a sink that goes nowhere */
    int fd;
    char *bytes;
    size_t len;
    int begun;               /* something was put in */
    enum exit_status failed; /* EXIT_DONE while all is well */
    int broken_pipe;         /* nobody reads any more */
};

/* Opens SPEC: "-" is standard output, "null:" or NULL nowhere, anything
 * else a file, made if need be and as yet left as it is. Says what is
 * wrong. */
enum exit_status sink_open(struct sink *sink, const char *spec);

/* Empties the file that was opened. */
enum exit_status sink_empty(struct sink *sink);

/* Adds BYTES (LEN). */
void sink_put(struct sink *sink, const char *bytes, size_t len);

/* Whether anything reaches anyone through it. */
int sink_is_open(const struct sink *sink);

/* Writes what is gathered. */
void sink_flush(struct sink *sink);

/* Flushes and closes; the sink's last word on how it went. */
enum exit_status sink_close(struct sink *sink);

#endif
