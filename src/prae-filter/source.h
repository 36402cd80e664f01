/* source.h - step 1 for files: bytes in, from a file or standard input. */
#ifndef SOURCE_H
#define SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "spec.h"

struct source {
    const char *name; /* for messages */
    int fd;
    char *buffer; /* (cap) */
    size_t cap;
    const char *bytes; /* in it: what was read and not yet taken */
    size_t len;        /* of bytes */
    uint64_t at;       /* bytes taken before the first of them */
    int stays;         /* what is not read can be later: a file on disk */
    int at_end;        /* nothing follows */
    int is_cut;        /* something would have */
    int hungry;        /* what is there is no whole record */
};

/* Opens SPEC, a file or standard input. Says what is wrong. */
enum exit_status source_open(struct source *source, const struct spec *spec);

/* Whether there is something to read now. */
int source_is_ready(const struct source *source);

/*
 * Reads more behind what is there; at_end is set where nothing came. A
 * signal ends the wait early, with nothing read. Holds at most the longest
 * record, of RECORD_MAX bytes, and one read.
 */
enum exit_status source_read(struct source *source, size_t record_max);

/* Forgets the first USED bytes. */
void source_take(struct source *source, size_t used);

void source_close(struct source *source);

#endif
