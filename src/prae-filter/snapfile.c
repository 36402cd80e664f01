/*
 * snapfile.c - snapshots in files: a new one is written beside the old one and
 * takes its place; then that becomes the first of the older ones.
 */
#include "snapfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"
#include "newfile.h"

#define LONG_BYTES ((off_t)1 << 30) /* few snapshots are longer */
#define OLDER_MAX 1000          /* older versions that are looked for */

/* As read(2), whatever interrupts us. */
static ssize_t
read_some(int fd, char *bytes, size_t len)
{
    ssize_t got;

    do
        got = read(fd, bytes, len);
    while (got < 0 && errno == EINTR);
    return got;
}

/* ---- writing ---- */

static void
older_name(char *name, size_t size, const char *path, size_t number)
{
    if (number == 0)
        snprintf(name, size, "%s", path);
    else
        snprintf(name, size, "%s.%zu", path, number);
}

/* Makes PATH also SPARE, a name that is swept up where we are killed meanwhile
 * as that of a new file is. Whether there is such. */
static int
hold(const char *path, char spare[PATH_MAX])
{
    int size = snprintf(spare, PATH_MAX, "%s.0%ld.tmp", path, (long)getpid());

    if (size < 0 || size >= PATH_MAX)
        return 0;
    (void)unlink(spare); /* of a save before that could not remove it */
    if (link(path, spare) == 0)
        return 1;
    if (errno != ENOENT)
        log_warning("cannot keep %s as %s.1: %s", path, path, strerror(errno));
    return 0;
}

/* Moves PATH.1 to PATH.2 and so on, and SPARE to PATH.1. */
static void
shift_older(const char *path, size_t keep, const char *spare)
{
    char from[PATH_MAX], to[PATH_MAX];

    for (size_t i = keep; i > 1; i--) {
        older_name(from, sizeof from, path, i - 1);
        older_name(to, sizeof to, path, i);
        if (rename(from, to) != 0 && errno != ENOENT) /* or not there yet */
            log_warning("cannot keep %s as %s: %s", from, to, strerror(errno));
    }
    older_name(to, sizeof to, path, 1);
    if (rename(spare, to) != 0)
        log_warning("cannot keep %s as %s: %s", spare, to, strerror(errno));
    /* It stays also where PATH.1 was the same file already. */
    (void)unlink(spare);
}

/* Whether PATH is another file than SPARE by now. */
static int
is_replaced(const char *path, const char *spare)
{
    struct stat now, before;

    return lstat(path, &now) == 0 && lstat(spare, &before) == 0 &&
           (now.st_ino != before.st_ino || now.st_dev != before.st_dev);
}

/* NAME takes the place of PATH, which is one of the older ones from then on,
 * of KEEP. None of these moves before there is something to move them for,
 * which there also is where it is not sure to last. */
static enum exit_status
place(const char *name, const char *path, size_t keep)
{
    char spare[PATH_MAX];
    int held = keep > 0 && hold(path, spare);
    enum exit_status status = newfile_place(name, path, NEWFILE_DURABLE);

    if (held && (status == EXIT_DONE || is_replaced(path, spare)))
        shift_older(path, keep, spare);
    else if (held)
        (void)unlink(spare);
    return status;
}

/* Whether NAME is a file of just these BYTES (LEN). */
static int
holds(const char *name, const char *bytes, size_t len)
{
    char some[4096];
    ssize_t got = -1;
    struct stat stat;
    int fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        return 0;
    if (fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) &&
        stat.st_size == (off_t)len)
        while ((got = read_some(fd, some, sizeof some)) > 0 &&
               (size_t)got <= len && memcmp(some, bytes, (size_t)got) == 0) {
            bytes += got;
            len -= (size_t)got;
        }
    close(fd);
    return got == 0 && len == 0;
}

enum exit_status
snapfile_save(const prae_filter *filter, const char *path, size_t keep)
{
    prae_buffer buffer = {0};
    char name[PATH_MAX];

    prae_status saved = prae_filter_save(filter, &buffer);
    if (saved == PRAE_EINVAL) { /* nothing is learned yet */
        free(buffer.data);
        return EXIT_DONE;
    }
    if (saved != PRAE_OK) {
        log_error("out of memory for a snapshot");
        free(buffer.data);
        return EXIT_FAILED;
    }
    /* What may not have lasted is saved again: one more of the same would only
     * push an older one out. */
    if (keep > 0 && holds(path, buffer.data, buffer.len))
        keep = 0;
    enum exit_status status = newfile_write(path, buffer.data, buffer.len, 0600,
                                            NEWFILE_DURABLE, name);
    if (status == EXIT_DONE)
        status = place(name, path, keep);
    free(buffer.data);
    return status;
}

/* ---- reading ---- */

/* Whether FD begins as snapshots do: what is long, and something else, need
 * not be read to find out. */
static int
is_ours(int fd)
{
    static const char magic[] = "PRAESNAP";
    char head[sizeof magic - 1];
    ssize_t got;

    do
        got = pread(fd, head, sizeof head, 0);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof head &&
           memcmp(head, magic, sizeof head) == 0;
}

/* The whole of NAME, a regular file, to *BYTES (*LEN). EXIT_DONE; or
 * EXIT_CONFIG, or EXIT_FAILED without memory, with a clause in WHY. Symbolic
 * links and FIFOs are refused: a snapshot decides what passes, so it must be
 * the file that was meant. */
static enum exit_status
read_all(const char *name, char **bytes, size_t *len, char *why,
         size_t why_size)
{
    struct stat stat;
    int fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0) {
        snprintf(why, why_size, "%s",
                 errno == ELOOP ? "it is a symbolic link" : strerror(errno));
        return EXIT_CONFIG;
    }
    enum exit_status status = EXIT_CONFIG;
    *bytes = NULL;
    *len = 0;
    if (fstat(fd, &stat) != 0 || !S_ISREG(stat.st_mode)) {
        snprintf(why, why_size, "it is not a regular file");
    } else if (stat.st_size > LONG_BYTES && !is_ours(fd)) {
        snprintf(why, why_size, "it is no snapshot of prae's");
    } else {
        size_t size = (size_t)stat.st_size;
        *bytes = malloc(size + 1);
        ssize_t got = 0;
        while (*bytes != NULL && *len < size &&
               (got = read_some(fd, *bytes + *len, size - *len)) > 0)
            *len += (size_t)got;
        status = *bytes == NULL ? EXIT_FAILED
                 : got < 0      ? EXIT_CONFIG
                                : EXIT_DONE;
        if (status != EXIT_DONE) {
            snprintf(why, why_size, "%s", strerror(errno));
            free(*bytes);
        }
    }
    close(fd);
    return status;
}

/* Loads NAME. EXIT_DONE; EXIT_CONFIG where it cannot be used, EXIT_FAILED
 * where there was no memory to find out. */
static enum exit_status
load_one(prae_filter *filter, const char *name, char *why, size_t why_size)
{
    char *bytes;
    size_t len;

    enum exit_status status = read_all(name, &bytes, &len, why, why_size);
    if (status != EXIT_DONE)
        return status;
    prae_status loaded = prae_filter_load(filter, bytes, len);
    free(bytes);
    if (loaded == PRAE_OK)
        return EXIT_DONE;
    snprintf(why, why_size, "%s", prae_filter_errmsg(filter));
    return loaded == PRAE_ENOMEM ? EXIT_FAILED : EXIT_CONFIG;
}

void
snapfile_params(prae_params *params)
{
    prae_params_init(params);
    params->features_max = PRAE_COLS_MAX / 3; /* as context may triple them */
}

/* As load_one, but by nobody's options: whether NAME is whole. */
static enum exit_status
check_one(const char *name, char *why, size_t why_size)
{
    prae_filter *filter = NULL;
    prae_params params;

    snapfile_params(&params);
    if (prae_filter_new(&params, &filter) != PRAE_OK) {
        snprintf(why, why_size, "out of memory");
        return EXIT_FAILED;
    }
    enum exit_status status = load_one(filter, name, why, why_size);
    prae_filter_free(filter);
    return status;
}

/* Whether PATH, of which *STATUS and WHY are what came of loading it, is of no
 * use to anybody. One that has other options than ours, or that we may not
 * read, is somebody's, and would be lost. Both are other where there was no
 * memory to find out. */
static int
is_spoiled(const char *path, enum exit_status *status, char *why,
           size_t why_size)
{
    char clause[300] = "";

    if (*status != EXIT_CONFIG || (access(path, R_OK) != 0 && errno == EACCES))
        return 0;
    enum exit_status whole = check_one(path, clause, sizeof clause);
    if (whole == EXIT_FAILED) {
        *status = whole;
        snprintf(why, why_size, "%s", clause);
    }
    return whole == EXIT_CONFIG;
}

/* Loads the newest of PATH's older versions that can be, and says WHY. Whether
 * there is one. */
static int
load_older(prae_filter *filter, const char *path, const char *why)
{
    char name[PATH_MAX], ignored[300];
    struct stat stat;

    for (size_t i = 1; i < OLDER_MAX; i++) {
        older_name(name, sizeof name, path, i);
        if (lstat(name, &stat) != 0)
            continue; /* somebody may have taken it away */
        if (load_one(filter, name, ignored, sizeof ignored) == EXIT_DONE) {
            log_warning("%s cannot be used: %s; going on from %s", path, why,
                        name);
            return 1;
        }
    }
    return 0;
}

enum exit_status
snapfile_load(prae_filter *filter, const char *path, enum snapfile *loaded)
{
    char why[300] = "";
    struct stat stat;

    *loaded = SNAPFILE_NONE;
    if (lstat(path, &stat) != 0 && errno == ENOENT)
        return EXIT_DONE;
    enum exit_status status = load_one(filter, path, why, sizeof why);
    if (status == EXIT_DONE) {
        *loaded = SNAPFILE_ITSELF;
    } else if (is_spoiled(path, &status, why, sizeof why) &&
               load_older(filter, path, why)) {
        *loaded = SNAPFILE_OLDER;
        status = EXIT_DONE;
    }
    if (status != EXIT_DONE)
        log_error("%s cannot be used: %s", path, why);
    return status;
}

enum exit_status
snapfile_load_one(prae_filter *filter, const char *path, size_t number,
                  char *why, size_t size)
{
    char name[PATH_MAX], clause[300] = "";

    older_name(name, sizeof name, path, number);
    enum exit_status status = load_one(filter, name, clause, sizeof clause);
    if (status != EXIT_DONE)
        snprintf(why, size, "%.200s cannot be used: %s", name, clause);
    return status;
}
