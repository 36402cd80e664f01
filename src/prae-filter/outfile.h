/*
 * outfile.h - bytes out to a file, a pipe or a terminal.
 *
 * Bytes are gathered and written in large pieces. Pipes are written without
 * waiting: what does not go through stays, and whoever gives more is asked
 * to wait instead.
 */
#ifndef OUTFILE_H
#define OUTFILE_H

#include <stddef.h>
#include <stdint.h>

#include "spec.h"

struct outfile {
    const char *name; /* for messages */
    int fd;
    int is_socket;           /* somebody has made it so: a pipe of its kind */
    enum exit_status failed; /* EXIT_DONE while all is well */
    int broken_pipe;         /* nobody reads any more */
    char *bytes;
    size_t at;  /* of bytes: all before it are written */
    size_t len; /* of bytes */
    size_t cap;
    uint64_t records; /* that the bytes not written belong to, about */
};

/* Opens what SPEC, a file or standard output, says; a file is made if need
 * be and as yet left as it is. Says what is wrong. */
enum exit_status outfile_open(struct outfile *out, const struct spec *spec);

/* Empties the file that was opened. */
enum exit_status outfile_empty(struct outfile *out);

/* Adds BYTES (LEN), with which a RECORD is complete, or is not yet. */
void outfile_put(struct outfile *out, const char *bytes, size_t len,
                 int record);

/* Writes what goes through at once. */
void outfile_flush(struct outfile *out);

/* Whether so much is left that it should be given no more. */
int outfile_is_clogged(const struct outfile *out);

/* Closes it, written or not; its last word on how it went. */
enum exit_status outfile_close(struct outfile *out);

#endif
