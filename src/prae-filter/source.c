/* source.c - one buffer: read behind the rest, take from the front. */
#include "source.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fds.h"
#include "inherit.h"
#include "log.h"

/* Much a call, and little enough that what was read is still in the cache
 * when it is decoded. */
#define READ_BYTES ((size_t)256 * 1024)

/* A FIFO that nobody writes to yet is opened like any other file: whoever
 * comes is waited for in the loop, which hears signals. What is read is not
 * read without waiting, though, as standard input may be shared. What was
 * handed over is read on from where it stands. */
static int
open_at_once(const char *path)
{
    int handed = inherit_number(path);

    if (handed >= 0)
        return inherit_copy(handed);
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0)
        (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
}

enum exit_status
source_open(struct source *source, const struct spec *spec)
{
    int is_stdin = spec->kind == SPEC_STDIO;

    *source =
        (struct source){.name = spec->text, .fd = STDIN_FILENO, .hungry = 1};
    if (is_stdin && fds_was_closed(STDIN_FILENO)) {
        log_error("standard input is closed");
        return EXIT_NOINPUT;
    }
    if (is_stdin)
        source->name = "standard input";
    else
        source->fd = open_at_once(spec->text);
    if (source->fd < 0) {
        log_error("cannot open %s: %s", spec->text, strerror(errno));
        return EXIT_NOINPUT;
    }
    struct stat stat;
    int known = fstat(source->fd, &stat) == 0;
    source->stays =
        known && (S_ISREG(stat.st_mode) || S_ISBLK(stat.st_mode));
    if (known && S_ISDIR(stat.st_mode)) {
        log_error("cannot read %s: it is a directory", spec->text);
        return EXIT_NOINPUT;
    }
    return EXIT_DONE;
}

int
source_is_ready(const struct source *source)
{
    struct pollfd poll_fd = {.fd = source->fd, .events = POLLIN};

    return poll(&poll_fd, 1, 0) > 0;
}

/* Room for a read behind what is left over, which is less than a record: so
 * little is moved, and only here, however small the pieces that are taken. */
static int
make_room(struct source *source, size_t record_max)
{
    /* One byte more than a record may have, so that too long a one is seen
     * to be so. */
    if (source->buffer == NULL) {
        source->cap = record_max + 1 + READ_BYTES;
        source->buffer = malloc(source->cap);
        source->bytes = source->buffer;
    }
    if (source->buffer == NULL) {
        log_error("out of memory for a buffer of %zu bytes", source->cap);
        return 0;
    }
    if (source->bytes != source->buffer)
        memmove(source->buffer, source->bytes, source->len);
    source->bytes = source->buffer;
    return 1;
}

enum exit_status
source_read(struct source *source, size_t record_max)
{
    if (!make_room(source, record_max))
        return EXIT_FAILED;
    size_t room = source->cap - source->len;
    assert(room > 0); /* or nothing to read would be the end */
    ssize_t got = read(source->fd, source->buffer + source->len,
                       room < READ_BYTES ? room : READ_BYTES);
    /* Who shares standard input may have made it not wait, and have taken
     * what poll saw. */
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return EXIT_DONE;
    if (got < 0) {
        log_error("cannot read %s: %s", source->name, strerror(errno));
        return EXIT_IO;
    }
    source->at_end = got == 0;
    source->len += (size_t)got;
    source->hungry = 0;
    return EXIT_DONE;
}

void
source_take(struct source *source, size_t used)
{
    source->at += used;
    source->len -= used;
    source->bytes += used;
}

void
source_close(struct source *source)
{
    if (source->fd > STDIN_FILENO)
        close(source->fd);
    free(source->buffer);
    source->buffer = NULL;
    source->bytes = NULL;
    source->len = 0;
    source->fd = -1;
}
