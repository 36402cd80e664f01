/*
 * outfile.h - bytes out to a file, a pipe or a terminal.
 *
 * Bytes are gathered and written in large pieces; what is only lent is
 * written from where it lies. Pipes, sockets and terminals are written
 * without waiting: what does not go through stays, and whoever gives more is
 * asked to wait instead.
 */
#ifndef OUTFILE_H
#define OUTFILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "prae.h"
#include "spec.h"
#include "tally.h"

#define LENT_MAX 63

struct outfile {
    const char *name; /* for messages */
    int fd;
    int is_handed;           /* somebody has opened it for us: not ours to
                                empty */
    int is_socket;           /* somebody has made it so: a pipe of its kind */
    size_t gulp;             /* bytes a call, when poll says that it takes
                                some, as a call with more might wait; 0: any */
    enum exit_status failed; /* EXIT_DONE while all is well */
    int broken_pipe;         /* nobody reads any more */
    int is_over;             /* what is left is not written any more */
    char *bytes;
    size_t at;  /* of bytes: all before it are written */
    size_t len; /* of bytes */
    size_t cap;
    struct iovec lent[LENT_MAX]; /* (lent_count) to be written after them */
    size_t lent_count;
    size_t lent_at;    /* of the first: all before it are written */
    size_t lent_bytes; /* not written, in them all */
    struct tally tally;
    const prae_params *params; /* by which records are told apart, or NULL */
};

/* Opens what SPEC, a file or standard output, says; a file is made if need
 * be and as yet left as it is. Says what is wrong. */
enum exit_status outfile_open(struct outfile *out, const struct spec *spec);

/* Empties the file that was opened. */
enum exit_status outfile_empty(struct outfile *out);

/* Adds BYTES (LEN), with which RECORDS are complete. */
void outfile_put(struct outfile *out, const char *bytes, size_t len,
                 size_t records);

/* The same, of bytes that stay where they are until outfile_settle. */
void outfile_lend(struct outfile *out, const char *bytes, size_t len,
                  size_t records);

/* What was lent and is not written by then is copied. */
void outfile_settle(struct outfile *out);

/* Writes what goes through at once. */
void outfile_flush(struct outfile *out);

/* The same for the last time: what is left then can be told, and stays so. */
void outfile_end(struct outfile *out);

/* Bytes that are not written yet. */
size_t outfile_left(const struct outfile *out);

/* Records that were given and whose last byte is not written. Of several that
 * were given as one, and are written in part, none is out before all are,
 * where `params` is NULL. */
uint64_t outfile_records(const struct outfile *out);

/* Whether so much is left that it should be given no more. */
int outfile_is_clogged(const struct outfile *out);

/* Closes it, written or not; its last word on how it went. */
enum exit_status outfile_close(struct outfile *out);

#endif
