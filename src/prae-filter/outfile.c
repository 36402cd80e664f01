/*
 * outfile.c - a large buffer before writev(2), and errors that latch.
 *
 *   1. What is given as one lies side by side, in the buffer or where it was
 *      lent, until its last byte is written.
 *   2. The buffer's bytes leave before those that are lent.
 */
#include "outfile.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fds.h"
#include "fifo.h"
#include "inherit.h"
#include "log.h"
#include "signals.h"

#define BUFFER_BYTES ((size_t)256 * 1024)
#define WRITE_LEAST ((size_t)64 * 1024)
#define TERMINAL_GULP 64 /* one that takes some has room for few, at least */

static void
fail(struct outfile *out, const char *doing)
{
    out->broken_pipe = errno == EPIPE;
    if (!out->broken_pipe)
        log_error("cannot %s %s: %s", doing, out->name, strerror(errno));
    out->failed = EXIT_IO;
}

static void
fail_memory(struct outfile *out)
{
    log_error("out of memory for writing %s", out->name);
    out->failed = EXIT_FAILED;
}

/* Standard output may be shared: that writing does not wait must hold for
 * us alone, so a pipe or a terminal is opened once more. Where it cannot be,
 * as it is somebody else's or there is no /proc, little is written at a time:
 * a pipe that poll calls writable has room for PIPE_BUF bytes. */
static void
stop_waiting(struct outfile *out)
{
    struct stat stat;
    char path[40];

    if (fstat(out->fd, &stat) != 0)
        return;
    out->is_socket = S_ISSOCK(stat.st_mode);
    if (S_ISFIFO(stat.st_mode))
        out->gulp = PIPE_BUF;
    else if (isatty(out->fd))
        out->gulp = TERMINAL_GULP;
    else
        return;
    snprintf(path, sizeof path, "/proc/self/fd/%d", out->fd);
    int fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (out->fd > STDERR_FILENO)
        close(out->fd);
    out->fd = fd;
    out->gulp = 0;
}

enum exit_status
outfile_open(struct outfile *out, const struct spec *spec)
{
    *out = (struct outfile){.fd = -1, .name = spec->text};
    if (spec->kind == SPEC_STDIO) {
        out->name = "standard output";
        out->fd = STDOUT_FILENO;
        out->is_handed = 1;
        if (fds_was_closed(STDOUT_FILENO)) {
            errno = EBADF;
            fail(out, "write");
            return out->failed;
        }
    } else {
        int handed = inherit_number(spec->text);
        out->is_handed = handed >= 0;
        out->fd = out->is_handed ? inherit_copy(handed)
                                 : fifo_open(spec->text, 0);
    }
    if (out->fd < 0 && errno == ENXIO) {
        log_error("%s: asked to stop while nobody read it", out->name);
        out->failed = EXIT_IO;
        return out->failed;
    }
    if (out->fd < 0) {
        fail(out, "open");
        return out->failed;
    }
    stop_waiting(out);
    out->cap = BUFFER_BYTES;
    out->bytes = malloc(out->cap);
    if (out->bytes == NULL)
        fail_memory(out);
    return out->failed;
}

enum exit_status
outfile_empty(struct outfile *out)
{
    struct stat stat;

    if (!out->is_handed && fstat(out->fd, &stat) == 0 &&
        S_ISREG(stat.st_mode) && ftruncate(out->fd, 0) != 0)
        fail(out, "empty");
    return out->failed;
}

/* ---- writing ---- */

size_t
outfile_left(const struct outfile *out)
{
    return out->len - out->at + out->lent_bytes;
}

static int
takes_some(const struct outfile *out)
{
    struct pollfd poll_fd = {.fd = out->fd, .events = POLLOUT};

    return poll(&poll_fd, 1, 0) > 0;
}

/* Of the PIECES (COUNT) those with the first MOST bytes: how many. */
static size_t
cut_down(struct iovec *pieces, size_t count, size_t most)
{
    size_t kept = 0;

    for (; kept < count && most > 0; kept++) {
        if (pieces[kept].iov_len > most)
            pieces[kept].iov_len = most;
        most -= pieces[kept].iov_len;
    }
    return kept;
}

/* One call for all there is, or as much as does not wait; as write(2). */
static ssize_t
write_some(struct outfile *out)
{
    struct iovec pieces[1 + LENT_MAX];
    size_t count = 0;

    if (out->len > out->at)
        pieces[count++] = (struct iovec){.iov_base = out->bytes + out->at,
                                         .iov_len = out->len - out->at};
    for (size_t i = 0; i < out->lent_count; i++)
        pieces[count++] = out->lent[i];
    assert(count > 0);
    if (out->lent_at > 0) { /* then nothing is before it */
        pieces[0].iov_base = (char *)pieces[0].iov_base + out->lent_at;
        pieces[0].iov_len -= out->lent_at;
    }
    if (out->gulp > 0 && !takes_some(out)) {
        errno = EAGAIN;
        return -1;
    }
    if (out->gulp > 0)
        count = cut_down(pieces, count, out->gulp);
    if (!out->is_socket)
        return writev(out->fd, pieces, (int)count);
    struct msghdr message = {.msg_iov = pieces, .msg_iovlen = count};
    return sendmsg(out->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* PUT bytes are written: first our own, then those that were lent. */
static void
step_over(struct outfile *out, size_t put)
{
    size_t own = out->len - out->at, whole = 0;

    tally_wrote(&out->tally, put);
    own = put < own ? put : own;
    out->at += own;
    put -= own;
    if (out->at == out->len)
        out->at = out->len = 0;
    out->lent_bytes -= put;
    out->lent_at += put;
    while (whole < out->lent_count && out->lent_at >= out->lent[whole].iov_len)
        out->lent_at -= out->lent[whole++].iov_len;
    out->lent_count -= whole;
    memmove(out->lent, out->lent + whole, out->lent_count * sizeof *out->lent);
}

void
outfile_flush(struct outfile *out)
{
    while (outfile_left(out) > 0 && out->failed == EXIT_DONE &&
           !out->is_over) {
        ssize_t put = write_some(out);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0 && errno == EAGAIN)
            return;
        if (put < 0) {
            fail(out, "write");
            return;
        }
        step_over(out, (size_t)put);
    }
}

void
outfile_end(struct outfile *out)
{
    outfile_flush(out);
    out->is_over = 1;
}

/* ---- counting ---- */

/* How many records are whole in the first LEN bytes of PIECE, which lies at
 * BYTES. Nothing is claimed where the bytes are not read as they were
 * given. */
static size_t
count_whole(const struct outfile *out, const struct tally_piece *piece,
            const char *bytes, size_t len)
{
    size_t all, whole;

    if (out->params == NULL ||
        prae_message_count(out->params, NULL, NULL, bytes, piece->len_bytes,
                           &all) != PRAE_OK ||
        prae_message_whole(out->params, bytes, piece->len_bytes, len, &whole) !=
            PRAE_OK)
        return 0;
    return all == piece->records ? whole : 0;
}

/* The records that are out of a piece that is not. */
static size_t
cut_whole(const struct outfile *out)
{
    const struct tally_piece *piece = tally_cut(&out->tally);

    if (piece == NULL)
        return 0;
    return count_whole(out, piece,
                       out->lent_at > 0
                           ? out->lent[0].iov_base
                           : out->bytes + out->at - out->tally.done,
                       out->tally.done);
}

uint64_t
outfile_records(const struct outfile *out)
{
    return out->tally.records - cut_whole(out);
}

/* Nothing more is written, and what is left is let go of. */
static void
count_last(struct outfile *out)
{
    out->tally.records -= cut_whole(out);
    tally_fini(&out->tally);
}

/* ---- gathering ---- */

/* Room for LEN bytes behind those that are there. What was written goes, but
 * for that of a piece that is not whole. */
static int
make_room(struct outfile *out, size_t len)
{
    size_t kept = tally_cut(&out->tally) != NULL && out->at > 0
                      ? out->tally.done
                      : 0;

    assert(kept <= out->at);
    size_t gone = out->at - kept;
    if (gone > 0) {
        memmove(out->bytes, out->bytes + gone, out->len - gone);
        out->len -= gone;
        out->at = kept;
    }
    if (len <= out->cap - out->len)
        return 1;
    size_t cap = out->len + out->len / 2 + len;
    char *more = realloc(out->bytes, cap);
    if (more == NULL) {
        fail_memory(out);
        return 0;
    }
    out->bytes = more;
    out->cap = cap;
    return 1;
}

static void
add(struct outfile *out, const char *bytes, size_t len)
{
    if (len > out->cap - out->len && !make_room(out, len))
        return;
    memcpy(out->bytes + out->len, bytes, len);
    out->len += len;
}

/* Also what is never written is counted. */
static void
note(struct outfile *out, size_t len, size_t records)
{
    if (out->failed != EXIT_DONE)
        out->tally.records += records;
    else if (!tally_add(&out->tally, len, records))
        fail_memory(out);
}

void
outfile_put(struct outfile *out, const char *bytes, size_t len, size_t records)
{
    outfile_settle(out);
    if (out->failed == EXIT_DONE && len > out->cap - out->len)
        outfile_flush(out);
    if (out->failed == EXIT_DONE)
        add(out, bytes, len);
    note(out, len, records);
}

void
outfile_lend(struct outfile *out, const char *bytes, size_t len, size_t records)
{
    if (out->lent_count == LENT_MAX)
        outfile_settle(out);
    note(out, len, records);
    if (out->failed != EXIT_DONE || len == 0)
        return;
    out->lent[out->lent_count++] =
        (struct iovec){.iov_base = (char *)bytes, .iov_len = len};
    out->lent_bytes += len;
    if (outfile_left(out) >= BUFFER_BYTES)
        outfile_flush(out);
}

void
outfile_settle(struct outfile *out)
{
    if (out->lent_count == 0)
        return;
    /* Less is not worth a call. */
    if (outfile_left(out) >= WRITE_LEAST)
        outfile_flush(out);
    for (size_t i = 0; i < out->lent_count && out->failed == EXIT_DONE; i++)
        add(out, out->lent[i].iov_base, out->lent[i].iov_len);
    if (out->failed == EXIT_DONE)
        out->at += out->lent_at; /* not 0: the buffer begins with the first */
    else
        count_last(out);
    out->lent_count = 0;
    out->lent_at = 0;
    out->lent_bytes = 0;
}

int
outfile_is_clogged(const struct outfile *out)
{
    return outfile_left(out) >= BUFFER_BYTES && out->failed == EXIT_DONE;
}

enum exit_status
outfile_close(struct outfile *out)
{
    outfile_settle(out);
    outfile_flush(out);
    if (out->fd >= 0 && close(out->fd) != 0 && out->failed == EXIT_DONE)
        fail(out, "close");
    count_last(out);
    free(out->bytes);
    out->bytes = NULL;
    out->at = out->len = 0;
    out->fd = -1;
    return out->failed;
}
