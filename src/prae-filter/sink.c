/* sink.c - a large buffer before write(2), and errors that latch. */
#include "sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fds.h"
#include "log.h"

#define BUFFER_BYTES (256 * 1024)

static void
fail(struct sink *sink, const char *doing)
{
    sink->broken_pipe = errno == EPIPE;
    if (!sink->broken_pipe)
        log_error("cannot %s %s: %s", doing, sink->name, strerror(errno));
    sink->failed = EXIT_IO;
}

/* TYPE:ENDPOINT, which is not a file's name by accident. */
static int
is_socket(const char *spec)
{
    return strncmp(spec, "push:", 5) == 0 || strncmp(spec, "pub:", 4) == 0;
}

enum exit_status
sink_open(struct sink *sink, const char *spec)
{
    *sink = (struct sink){.fd = -1};
    if (spec == NULL || strcmp(spec, "null:") == 0)
        return EXIT_DONE;
    if (spec[0] == '\0') {
        log_error("an output has no name; null: is the one that goes nowhere");
        return EXIT_USAGE;
    }
    if (is_socket(spec)) {
        log_error("%s: sockets are not supported yet", spec);
        return EXIT_USAGE;
    }
    sink->name = spec;
    if (strcmp(spec, "-") == 0) {
        sink->name = "standard output";
        sink->fd = STDOUT_FILENO;
        if (fds_was_closed(STDOUT_FILENO)) {
            errno = EBADF;
            fail(sink, "write");
            return sink->failed;
        }
    } else {
        sink->fd = open(spec, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    }
    if (sink->fd < 0) {
        fail(sink, "open");
        return sink->failed;
    }
    sink->bytes = malloc(BUFFER_BYTES);
    if (sink->bytes == NULL) {
        log_error("out of memory for writing %s", sink->name);
        sink->failed = EXIT_FAILED;
    }
    return sink->failed;
}

enum exit_status
sink_empty(struct sink *sink)
{
    struct stat stat;

    /* What was redirected for us is not ours to empty. */
    if (sink->fd > STDOUT_FILENO && fstat(sink->fd, &stat) == 0 &&
        S_ISREG(stat.st_mode) && ftruncate(sink->fd, 0) != 0)
        fail(sink, "empty");
    return sink->failed;
}

int
sink_is_open(const struct sink *sink)
{
    return sink->name != NULL;
}

static void
write_all(struct sink *sink, const char *bytes, size_t len)
{
    while (len > 0 && sink->failed == EXIT_DONE) {
        ssize_t put = write(sink->fd, bytes, len);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0) {
            fail(sink, "write");
            return;
        }
        bytes += put;
        len -= (size_t)put;
    }
}

void
sink_flush(struct sink *sink)
{
    write_all(sink, sink->bytes, sink->len);
    sink->len = 0;
}

void
sink_put(struct sink *sink, const char *bytes, size_t len)
{
    if (sink->name == NULL || sink->failed != EXIT_DONE)
        return;
    sink->begun = 1;
    if (len > BUFFER_BYTES - sink->len)
        sink_flush(sink);
    if (len > BUFFER_BYTES) {
        write_all(sink, bytes, len);
        return;
    }
    memcpy(sink->bytes + sink->len, bytes, len);
    sink->len += len;
}

enum exit_status
sink_close(struct sink *sink)
{
    if (sink->name == NULL)
        return EXIT_DONE;
    sink_flush(sink);
    if (sink->fd >= 0 && close(sink->fd) != 0 && sink->failed == EXIT_DONE)
        fail(sink, "close");
    free(sink->bytes);
    sink->bytes = NULL;
    sink->name = NULL;
    return sink->failed;
}
