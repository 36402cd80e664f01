/*
 * quarantine.h - a file of flagged records, read one by one.
 *
 * It holds one record at a time, however long the file. Failures are told
 * with the file, the number of the record and its place, and with what may
 * be done.
 */
#ifndef QUARANTINE_H
#define QUARANTINE_H

#include <signal.h>

#include "flagged.h"
#include "status.h"

#define QUARANTINE_RECORD_MAX ((size_t)64 << 20) /* bytes, unless asked */

struct quarantine {
    const char *name; /* for messages */
    int fd;
    prae_format format;
    int has_format;    /* 0 before the first bytes tell */
    size_t record_max; /* bytes of an envelope, its line's end included */
    char *buffer;      /* (cap) */
    char *scratch;     /* (cap) */
    size_t cap;
    size_t from, len; /* what is left of what was read, in the buffer */
    size_t enough;    /* bytes below which it is not worth to look again */
    int at_end;       /* the file has no more */
    const volatile sig_atomic_t *stop; /* or NULL; once it is set, a read that
                                          was interrupted is the end */
    uint64_t at;                       /* bytes of the file before FROM */
    uint64_t number;                   /* records read */
    char *header; /* CSV: the input's own, with its end; NULL: none */
    size_t header_len;
    struct flagged record; /* the last one read */
};

/* Opens PATH, "-" for standard input. FORMAT is NULL where the name or the
 * first bytes are to tell. EXIT_DONE, EXIT_USAGE, EXIT_NOINPUT. */
enum exit_status quarantine_open(struct quarantine *quarantine,
                                 const char *path, const char *format,
                                 size_t record_max);

/* The next record, to *RECORD, which is valid until the next call; NULL at
 * the end. EXIT_DONE, EXIT_DATA, EXIT_IO, EXIT_FAILED. */
enum exit_status quarantine_next(struct quarantine *quarantine,
                                 const struct flagged **record);

/* Where the last record is in the file, for quarantine_again. */
struct place {
    uint64_t at;
    size_t len;
    uint64_t number;
};
struct place quarantine_place(const struct quarantine *quarantine);

/* Whether it can be read twice; says so if not, for the sake of OPTION. */
enum exit_status quarantine_check_twice(const struct quarantine *quarantine,
                                        const char *option);

/* The record at PLACE once more. After the first of these calls
 * quarantine_next has no meaning. Statuses as quarantine_next. */
enum exit_status quarantine_again(struct quarantine *quarantine,
                                  struct place place,
                                  const struct flagged **record);

void quarantine_close(struct quarantine *quarantine);

#endif
