/*
 * original.h - flagged records given back to standard output as they came,
 * byte for byte.
 */
#ifndef ORIGINAL_H
#define ORIGINAL_H

#include "quarantine.h"

struct original {
    int begun;        /* the header is written, if there is one */
    uint64_t given;   /* records written */
    uint64_t partial; /* left out, as their bytes are not whole */
};

/* Whether standard output may take FORMAT's bytes: not a terminal those of
 * MessagePack. EXIT_DONE, or EXIT_USAGE after saying so. */
enum exit_status original_check(const char *command,
                                const struct quarantine *quarantine);

/* Writes RECORD's own bytes, a CSV's header before the first. EXIT_DONE, or
 * EXIT_IO after saying what is wrong. */
enum exit_status original_put(struct original *original,
                              const struct quarantine *quarantine,
                              const struct flagged *record);

/* After the last: a header that nothing followed, and a word on what was
 * left out. EXIT_DONE, EXIT_DATA, EXIT_IO. */
enum exit_status original_end(struct original *original,
                              const struct quarantine *quarantine);

#endif
