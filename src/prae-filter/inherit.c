/* inherit.c - from paths to the numbers of descriptors. */
#include "inherit.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fds.h"
#include "links.h"
#include "log.h"

/* Whether DIRECTORY is where our own descriptors are. */
static int
has_ours(const char *directory)
{
    static const char *const places[] = {
        "/proc/self/fd", "/proc/thread-self/fd", "/dev/fd"};
    char there[PATH_MAX], ours[PATH_MAX];

    if (realpath(directory, there) == NULL)
        return 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (realpath(places[i], ours) != NULL && strcmp(there, ours) == 0)
            return 1;
    return 0;
}

int
inherit_number(const char *name)
{
    char path[PATH_MAX], directory[PATH_MAX];
    int size = snprintf(path, sizeof path, "%s", name);

    if (size < 0 || size >= PATH_MAX)
        return -1;
    for (int i = 0; i < LINKS_MAX; i++) {
        newfile_directory(path, directory, sizeof directory);
        const char *slash = strrchr(path, '/');
        const char *last = slash == NULL ? path : slash + 1;
        if (*last != '\0' && last[strspn(last, "0123456789")] == '\0' &&
            has_ours(directory)) {
            long number = strtol(last, NULL, 10);
            return number > INT_MAX ? INT_MAX : (int)number;
        }
        if (!links_step(path))
            return -1;
    }
    return -1;
}

int
inherit_copy(int descriptor)
{
    return fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

static int
was_open(int descriptor)
{
    /* Those we have opened by now ourselves. */
    if (descriptor <= STDERR_FILENO)
        return !fds_was_closed(descriptor);
    return fcntl(descriptor, F_GETFD) >= 0;
}

/* Whether DESCRIPTOR was not opened for DIRECTION: a redirection's sign. */
static int
goes_the_other_way(int descriptor, char direction)
{
    int mode = fcntl(descriptor, F_GETFL) & O_ACCMODE;

    return mode == (direction == '<' ? O_WRONLY : O_RDONLY);
}

static enum exit_status
check(const char *path, char direction, enum exit_status otherwise)
{
    int descriptor = path == NULL ? -1 : inherit_number(path);

    if (descriptor < 0)
        return EXIT_DONE;
    if (!was_open(descriptor)) {
        log_error("cannot open %s: nothing was handed over as descriptor %d; "
                  "redirect it, as with %d%cFILE, or name a file",
                  path, descriptor, descriptor, direction);
        return otherwise;
    }
    if (!goes_the_other_way(descriptor, direction))
        return EXIT_DONE;
    log_error("cannot %s %s: descriptor %d was handed over for %s only; "
              "redirect it, as with %d%cFILE, or name a file",
              direction == '<' ? "read" : "write", path, descriptor,
              direction == '<' ? "writing" : "reading", descriptor, direction);
    return otherwise;
}

enum exit_status
inherit_check(const struct options *options)
{
    const char *const papers[] = {options->stats, options->log_file};
    enum exit_status status = EXIT_DONE;

    for (size_t i = 0; status == EXIT_DONE && i < options->in.count; i++)
        if (options->source[i].kind == SPEC_FILE)
            status = check(options->source[i].text, '<', EXIT_NOINPUT);
    for (size_t i = 0;
         status == EXIT_DONE && i < sizeof options->out / sizeof *options->out;
         i++)
        if (options->out[i].kind == SPEC_FILE)
            status = check(options->out[i].text, '>', EXIT_IO);
    for (size_t i = 0;
         status == EXIT_DONE && i < sizeof papers / sizeof *papers; i++)
        status = check(papers[i], '>', EXIT_IO);
    return status;
}
