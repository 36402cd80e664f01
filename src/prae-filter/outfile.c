/* outfile.c - a large buffer before writev(2), and errors that latch. */
#include "outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fds.h"
#include "log.h"
#include "signals.h"

#define BUFFER_BYTES ((size_t)256 * 1024)
#define WRITE_LEAST ((size_t)64 * 1024)
#define LOOK_MS 50 /* between looks whether somebody reads a FIFO */

static void
fail(struct outfile *out, const char *doing)
{
    out->broken_pipe = errno == EPIPE;
    if (!out->broken_pipe)
        log_error("cannot %s %s: %s", doing, out->name, strerror(errno));
    out->failed = EXIT_IO;
}

/* Standard output may be shared: that writing does not wait must hold for
 * us alone, so a pipe is opened once more. */
static void
stop_waiting(struct outfile *out)
{
    struct stat stat;
    char path[40];

    if (fstat(out->fd, &stat) != 0)
        return;
    out->is_socket = S_ISSOCK(stat.st_mode);
    if (!S_ISFIFO(stat.st_mode))
        return;
    snprintf(path, sizeof path, "/proc/self/fd/%d", out->fd);
    int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return; /* no Linux, or somebody else's pipe */
    if (out->fd > STDERR_FILENO)
        close(out->fd);
    out->fd = fd;
}

static int
is_fifo(const char *path)
{
    struct stat found;

    return stat(path, &found) == 0 && S_ISFIFO(found.st_mode);
}

/* Waits where nobody reads a FIFO yet, until a signal asks to stop; others
 * are for the loop, which hears of them later. A signal that came before
 * would not wake an open that waits by itself. */
static int
open_for_us(const char *path)
{
    const int how = O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC;
    int fd = open(path, how, 0666);

    while (fd < 0 && errno == ENXIO && is_fifo(path) && !signals_stop()) {
        (void)poll(NULL, 0, LOOK_MS);
        fd = open(path, how, 0666);
    }
    if (fd >= 0)
        (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
}

enum exit_status
outfile_open(struct outfile *out, const struct spec *spec)
{
    *out = (struct outfile){.fd = -1, .name = spec->text};
    if (spec->kind == SPEC_STDIO) {
        out->name = "standard output";
        out->fd = STDOUT_FILENO;
        if (fds_was_closed(STDOUT_FILENO)) {
            errno = EBADF;
            fail(out, "write");
            return out->failed;
        }
    } else {
        out->fd = open_for_us(spec->text);
    }
    if (out->fd < 0 && errno == ENXIO && is_fifo(out->name)) {
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
    if (out->bytes == NULL) {
        log_error("out of memory for writing %s", out->name);
        out->failed = EXIT_FAILED;
    }
    return out->failed;
}

enum exit_status
outfile_empty(struct outfile *out)
{
    struct stat stat;

    /* What was redirected for us is not ours to empty. */
    if (out->fd > STDERR_FILENO && fstat(out->fd, &stat) == 0 &&
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

/* One call for all there is; as write(2). */
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

    own = put < own ? put : own;
    out->at += own;
    put -= own;
    out->lent_bytes -= put;
    while (whole < out->lent_count && put >= out->lent[whole].iov_len)
        put -= out->lent[whole++].iov_len;
    out->lent_count -= whole;
    memmove(out->lent, out->lent + whole, out->lent_count * sizeof *out->lent);
    if (put > 0) {
        out->lent[0].iov_base = (char *)out->lent[0].iov_base + put;
        out->lent[0].iov_len -= put;
    }
    if (out->at == out->len)
        out->at = out->len = 0;
}

void
outfile_flush(struct outfile *out)
{
    size_t left;

    while ((left = outfile_left(out)) > 0 && out->failed == EXIT_DONE) {
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
        /* Nobody counts which of them went: as many as of the bytes. */
        out->records -=
            (uint64_t)((double)out->records * (double)put / (double)left);
    }
    if (left == 0 && out->failed == EXIT_DONE)
        out->records = 0;
}

/* ---- gathering ---- */

/* Room for LEN bytes behind those that are there. */
static int
make_room(struct outfile *out, size_t len)
{
    if (out->at > 0) {
        memmove(out->bytes, out->bytes + out->at, out->len - out->at);
        out->len -= out->at;
        out->at = 0;
    }
    if (len <= out->cap - out->len)
        return 1;
    char *more = realloc(out->bytes, out->len + len);
    if (more == NULL) {
        log_error("out of memory for writing %s", out->name);
        out->failed = EXIT_FAILED;
        return 0;
    }
    out->bytes = more;
    out->cap = out->len + len;
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

void
outfile_put(struct outfile *out, const char *bytes, size_t len, size_t records)
{
    outfile_settle(out);
    if (out->failed == EXIT_DONE && len > out->cap - out->len)
        outfile_flush(out);
    if (out->failed == EXIT_DONE)
        add(out, bytes, len);
    out->records += records; /* also what is never written */
}

void
outfile_lend(struct outfile *out, const char *bytes, size_t len, size_t records)
{
    if (out->lent_count == LENT_MAX)
        outfile_settle(out);
    out->records += records;
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
    out->lent_count = 0;
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
    free(out->bytes);
    out->bytes = NULL;
    out->fd = -1;
    return out->failed;
}
