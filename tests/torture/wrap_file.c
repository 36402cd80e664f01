/*
 * wrap_file.c - files that cannot be read, written, synced or renamed; disks
 * that are full; calls that do less than they were asked for.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fault.h"
#include "journal.h"

int __real_open(const char *path, int flags, ...);
int __real_fcntl(int fd, int command, ...);
ssize_t __real_read(int fd, void *bytes, size_t len);
ssize_t __real_pread(int fd, void *bytes, size_t len, off_t at);
ssize_t __real_write(int fd, const void *bytes, size_t len);
ssize_t __real_writev(int fd, const struct iovec *pieces, int count);
ssize_t __real_sendmsg(int fd, const struct msghdr *message, int flags);
int __real_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __real_link(const char *from, const char *to);
int __real_unlink(const char *path);
int __real_fstat(int fd, struct stat *stat);
int __real_lstat(const char *path, struct stat *stat);
int __real_ftruncate(int fd, off_t len);
int __real_close(int fd);

int __wrap_open(const char *path, int flags, ...);
int __wrap_fcntl(int fd, int command, ...);
ssize_t __wrap_read(int fd, void *bytes, size_t len);
ssize_t __wrap_pread(int fd, void *bytes, size_t len, off_t at);
ssize_t __wrap_write(int fd, const void *bytes, size_t len);
ssize_t __wrap_writev(int fd, const struct iovec *pieces, int count);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags);
int __wrap_fsync(int fd);
int __wrap_rename(const char *from, const char *to);
int __wrap_link(const char *from, const char *to);
int __wrap_unlink(const char *path);
int __wrap_fstat(int fd, struct stat *stat);
int __wrap_lstat(const char *path, struct stat *stat);
int __wrap_ftruncate(int fd, off_t len);
int __wrap_close(int fd);

static int
is_pipe(int fd)
{
    struct stat stat;

    return __real_fstat(fd, &stat) == 0 && S_ISFIFO(stat.st_mode);
}

/* Files that have something of ours in them, by descriptor. */
static atomic_char written[1024];

static void
note_written(int fd)
{
    if (fd >= 0 && fd < (int)(sizeof written / sizeof *written))
        atomic_store(&written[fd], !is_pipe(fd));
}

/* Whether it was, and is no more. */
static int
was_written(int fd)
{
    return fd >= 0 && fd < (int)(sizeof written / sizeof *written) &&
           atomic_exchange(&written[fd], 0);
}

/* ---- opening and closing ---- */

int
__wrap_open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    va_list args;

    va_start(args, flags);
    if (flags & O_CREAT)
        mode = va_arg(args, mode_t);
    va_end(args);
    if (FAULT_STRIKES(FAULT_OPEN, "open"))
        return -1;
    int fd = __real_open(path, flags, mode);
    fault_note_fds(fd >= 0);
    if (fd >= 0 && flags & O_CREAT)
        journal_line("open %d %s\n", fd, path);
    else if (fd >= 0 && flags & O_DIRECTORY)
        journal_line("directory %d %s\n", fd, path);
    return fd;
}

/* Only copies of descriptors fail. What else we ask for takes a number, or
 * nothing. */
int
__wrap_fcntl(int fd, int command, ...)
{
    va_list args;

    if (command == F_GETFD || command == F_GETFL)
        return __real_fcntl(fd, command);
    va_start(args, command);
    int number = va_arg(args, int);
    va_end(args);
    if (command != F_DUPFD_CLOEXEC)
        return __real_fcntl(fd, command, number);
    if (FAULT_STRIKES(FAULT_COPY, "fcntl"))
        return -1;
    int copy = __real_fcntl(fd, command, number);
    fault_note_fds(copy >= 0);
    return copy;
}

/* It is closed all the same, as by Linux. */
int
__wrap_close(int fd)
{
    enum fault fault =
        FAULT_STRIKES(was_written(fd) ? FAULT_CLOSE_FILE : FAULT_CLOSE, "close");
    int error = errno;

    journal_line("close %d\n", fd);
    int bad = __real_close(fd);
    fault_note_fds(-(bad == 0 && fd > STDERR_FILENO));
    if (fault == FAULT_NONE)
        return bad;
    errno = error;
    return -1;
}

/* ---- bytes ---- */

ssize_t
__wrap_read(int fd, void *bytes, size_t len)
{
    enum fault fault =
        FAULT_STRIKES(is_pipe(fd) ? FAULT_PIPE_READ : FAULT_READ, "read");

    if (fault == FAULT_FAIL)
        return -1;
    return __real_read(fd, bytes, fault == FAULT_SHORT ? (len + 6) / 7 : len);
}

ssize_t
__wrap_pread(int fd, void *bytes, size_t len, off_t at)
{
    enum fault fault = FAULT_STRIKES(FAULT_READ, "pread");

    if (fault == FAULT_FAIL)
        return -1;
    return __real_pread(fd, bytes, fault == FAULT_SHORT ? (len + 6) / 7 : len,
                        at);
}

ssize_t
__wrap_write(int fd, const void *bytes, size_t len)
{
    enum fault fault =
        FAULT_STRIKES(is_pipe(fd) ? FAULT_PIPE_WRITE : FAULT_WRITE, "write");

    if (fault == FAULT_FAIL)
        return -1;
    ssize_t put =
        __real_write(fd, bytes, fault == FAULT_SHORT ? (len + 6) / 7 : len);
    if (put > 0) {
        note_written(fd);
        journal_write(
            fd, &(struct iovec){.iov_base = (void *)bytes, .iov_len = len}, 1,
            (size_t)put);
    }
    return put;
}

ssize_t
__wrap_writev(int fd, const struct iovec *pieces, int count)
{
    enum fault fault =
        FAULT_STRIKES(is_pipe(fd) ? FAULT_PIPE_WRITE : FAULT_WRITE, "writev");

    if (fault == FAULT_FAIL)
        return -1;
    ssize_t put;
    if (fault == FAULT_SHORT && count > 0)
        put = __real_write(fd, pieces->iov_base, (pieces->iov_len + 6) / 7);
    else
        put = __real_writev(fd, pieces, count);
    if (put > 0) {
        note_written(fd);
        journal_write(fd, pieces, (size_t)count, (size_t)put);
    }
    return put;
}

ssize_t
__wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
    return FAULT_STRIKES(FAULT_WRITE, "sendmsg") == FAULT_FAIL
               ? -1
               : __real_sendmsg(fd, message, flags);
}

/* ---- making it last ---- */

int
__wrap_fsync(int fd)
{
    if (FAULT_STRIKES(FAULT_SYNC, "fsync"))
        return -1;
    int bad = __real_fsync(fd);
    if (bad == 0)
        journal_line("sync %d\n", fd);
    return bad;
}

int
__wrap_rename(const char *from, const char *to)
{
    if (FAULT_STRIKES(FAULT_RENAME, "rename"))
        return -1;
    int bad = __real_rename(from, to);
    if (bad == 0)
        journal_line("rename %s %s\n", from, to);
    return bad;
}

int
__wrap_link(const char *from, const char *to)
{
    if (FAULT_STRIKES(FAULT_LINK, "link"))
        return -1;
    int bad = __real_link(from, to);
    if (bad == 0)
        journal_line("link %s %s\n", from, to);
    return bad;
}

int
__wrap_unlink(const char *path)
{
    if (FAULT_STRIKES(FAULT_UNLINK, "unlink"))
        return -1;
    int bad = __real_unlink(path);
    if (bad == 0)
        journal_line("unlink %s\n", path);
    return bad;
}

/* ---- looking ---- */

int
__wrap_fstat(int fd, struct stat *stat)
{
    return FAULT_STRIKES(FAULT_STAT, "fstat") ? -1 : __real_fstat(fd, stat);
}

int
__wrap_lstat(const char *path, struct stat *stat)
{
    return FAULT_STRIKES(FAULT_STAT, "lstat") ? -1 : __real_lstat(path, stat);
}

int
__wrap_ftruncate(int fd, off_t len)
{
    return FAULT_STRIKES(FAULT_TRUNCATE, "ftruncate")
               ? -1
               : __real_ftruncate(fd, len);
}
