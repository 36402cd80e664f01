/* source.c - one buffer: read behind the rest, take from the front. */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fds.h"
#include "log.h"

#define READ_BYTES (256 * 1024)

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
        source->fd = open(spec->text, O_RDONLY | O_CLOEXEC);
    if (source->fd < 0) {
        log_error("cannot open %s: %s", spec->text, strerror(errno));
        return EXIT_NOINPUT;
    }
    struct stat stat;
    if (fstat(source->fd, &stat) == 0 && S_ISDIR(stat.st_mode)) {
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

enum exit_status
source_read(struct source *source, size_t record_max)
{
    /* One byte more than a record may have, so that too long a one is seen
     * to be so. */
    if (source->bytes == NULL) {
        source->cap = record_max + 1 + READ_BYTES;
        source->bytes = malloc(source->cap);
    }
    if (source->bytes == NULL) {
        log_error("out of memory for a buffer of %zu bytes", source->cap);
        return EXIT_FAILED;
    }
    ssize_t got = read(source->fd, source->bytes + source->len,
                       source->cap - source->len);
    if (got < 0 && errno == EINTR)
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
    memmove(source->bytes, source->bytes + used, source->len);
}

void
source_close(struct source *source)
{
    if (source->fd > STDIN_FILENO)
        close(source->fd);
    free(source->bytes);
    source->bytes = NULL;
    source->fd = -1;
}
