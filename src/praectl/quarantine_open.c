/* quarantine_open.c - opens a file of flagged records, whose format its name
 * may tell. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fds.h"
#include "log.h"
#include "quarantine.h"

static const struct {
    const char *name;
    prae_format format;
} formats[] = {{"msgpack", PRAE_FORMAT_MSGPACK},
               {"jsonl", PRAE_FORMAT_JSONL},
               {"csv", PRAE_FORMAT_CSV}};

/* The format called NAME; 0 where there is none. */
static int
format_of(const char *name, prae_format *format)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(name, formats[i].name) == 0) {
            *format = formats[i].format;
            return 1;
        }
    return 0;
}

static enum exit_status
choose_format(struct quarantine *quarantine, const char *path,
              const char *format)
{
    const char *dot = strrchr(path, '.');

    if (format == NULL) {
        quarantine->has_format =
            dot != NULL && format_of(dot + 1, &quarantine->format);
        return EXIT_DONE;
    }
    quarantine->has_format = format_of(format, &quarantine->format);
    if (quarantine->has_format)
        return EXIT_DONE;
    log_error("--format: '%s' is not msgpack, jsonl or csv", format);
    return EXIT_USAGE;
}

enum exit_status
quarantine_open(struct quarantine *quarantine, const char *path,
                const char *format, size_t record_max)
{
    int is_stdin = strcmp(path, "-") == 0;
    struct stat stat;

    *quarantine = (struct quarantine){.name = path,
                                      .fd = is_stdin ? STDIN_FILENO : -1,
                                      .record_max = record_max};
    enum exit_status status = choose_format(quarantine, path, format);
    if (status != EXIT_DONE)
        return status;
    if (is_stdin)
        quarantine->name = "standard input";
    else
        quarantine->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (is_stdin && fds_was_closed(STDIN_FILENO)) {
        log_error("standard input is closed; give a FILE");
        return EXIT_NOINPUT;
    }
    if (quarantine->fd < 0) {
        log_error("cannot open %s: %s", path, strerror(errno));
        return EXIT_NOINPUT;
    }
    if (fstat(quarantine->fd, &stat) == 0 && S_ISDIR(stat.st_mode)) {
        log_error("cannot read %s: it is a directory", path);
        return EXIT_NOINPUT;
    }
    return EXIT_DONE;
}

void
quarantine_close(struct quarantine *quarantine)
{
    if (quarantine->fd > STDIN_FILENO)
        close(quarantine->fd);
    free(quarantine->buffer);
    free(quarantine->scratch);
    free(quarantine->header);
    quarantine->buffer = quarantine->scratch = quarantine->header = NULL;
    quarantine->fd = -1;
}
