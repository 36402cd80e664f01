/* source.h - step 1: bytes in, from a file or standard input. */
#ifndef SOURCE_H
#define SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "status.h"

struct source {
    const char *name; /* for messages */
    int fd;
    char *bytes; /* what was read and not yet taken */
    size_t len;  /* of bytes */
    size_t cap;  /* of bytes */
    uint64_t at; /* bytes taken before the first of them */
    int at_end;  /* nothing follows */
};

/* Opens PATH ("-" is standard input). Holds at most the longest record, of
 * RECORD_MAX bytes, and one read. Says what is wrong. */
enum exit_status source_open(struct source *source, const char *path,
                             size_t record_max);

/* Waits until there is something to read, for SECONDS at most (below 0: for
 * ever). 0 where the time passed or a signal came first. */
int source_wait(const struct source *source, double seconds);

/* Reads more behind what is there; at_end is set where nothing came. A
 * signal ends the wait early, with nothing read. */
enum exit_status source_read(struct source *source);

/* Forgets the first USED bytes. */
void source_take(struct source *source, size_t used);

void source_close(struct source *source);

#endif
