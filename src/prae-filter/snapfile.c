/*
 * snapfile.c - the steps of a durable write, in the only order that works:
 * write and sync a new file, link the old ones on, rename, sync the
 * directory.
 */
#include "snapfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"

#define SNAPSHOT_MAX (1u << 30) /* bytes; a larger file is none of ours */
#define OLDER_MAX 1000          /* older versions that are looked for */

/* ---- writing ---- */

static int
write_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t put = write(fd, bytes, len);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -1;
        bytes += put;
        len -= (size_t)put;
    }
    return 0;
}

static void
directory_of(const char *path, char *directory, size_t size)
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL)
        snprintf(directory, size, ".");
    else
        snprintf(directory, size, "%.*s",
                 slash == path ? 1 : (int)(slash - path), path);
}

/* Removes what processes that were killed while saving PATH have left in
 * DIRECTORY: names PATH.PID.tmp of which no PID runs any more. */
static void
sweep(const char *path, const char *directory)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    size_t len = strlen(base);
    DIR *dir = opendir(directory);
    struct dirent *entry;

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        char *end;
        if (strncmp(entry->d_name, base, len) != 0 || entry->d_name[len] != '.')
            continue;
        long pid = strtol(entry->d_name + len + 1, &end, 10);
        if (pid > 0 && strcmp(end, ".tmp") == 0 && kill((pid_t)pid, 0) != 0 &&
            errno == ESRCH)
            (void)unlinkat(dirfd(dir), entry->d_name, 0);
    }
    if (dir != NULL)
        closedir(dir);
}

enum exit_status
snapfile_check(const char *path)
{
    char directory[PATH_MAX];

    directory_of(path, directory, sizeof directory);
    sweep(path, directory);
    if (access(directory, W_OK | X_OK) == 0)
        return EXIT_DONE;
    log_error("cannot write %s: %s: %s", path, directory, strerror(errno));
    return EXIT_IO;
}

/* Makes what the directory of PATH lists durable. */
static int
sync_directory(const char *path)
{
    char directory[PATH_MAX];

    directory_of(path, directory, sizeof directory);
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    int bad = fsync(fd);
    close(fd);
    return bad;
}

static void
older_name(char *name, size_t size, const char *path, size_t number)
{
    if (number == 0)
        snprintf(name, size, "%s", path);
    else
        snprintf(name, size, "%s.%zu", path, number);
}

/* Moves PATH.1 to PATH.2 and so on, then makes PATH also PATH.1. PATH stays
 * in place all the time, so there is always one to start from. */
static void
shift_older(const char *path, size_t keep)
{
    char from[PATH_MAX], to[PATH_MAX];

    for (size_t i = keep; i > 1; i--) {
        older_name(from, sizeof from, path, i - 1);
        older_name(to, sizeof to, path, i);
        (void)rename(from, to); /* it may not be there yet */
    }
    if (keep == 0)
        return;
    older_name(to, sizeof to, path, 1);
    (void)unlink(to);
    if (link(path, to) != 0 && errno != ENOENT)
        log_warning("cannot keep %s as %s: %s", path, to, strerror(errno));
}

static int
write_new(const char *name, const prae_buffer *buffer)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0)
        return -1;
    int bad = write_all(fd, buffer->data, buffer->len) != 0 || fsync(fd) != 0;
    int error = errno;
    if (close(fd) != 0 && !bad) {
        bad = 1;
        error = errno;
    }
    if (bad) {
        unlink(name);
        errno = error;
    }
    return bad ? -1 : 0;
}

enum exit_status
snapfile_save(const prae_filter *filter, const char *path, size_t keep)
{
    enum exit_status status = EXIT_IO;
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
    int len = snprintf(name, sizeof name, "%s.%ld.tmp", path, (long)getpid());
    if (len < 0 || (size_t)len >= sizeof name) {
        log_error("cannot write %s: the name is too long", path);
    } else if (write_new(name, &buffer) != 0) {
        log_error("cannot write %s: %s", name, strerror(errno));
    } else {
        shift_older(path, keep);
        if (rename(name, path) != 0) {
            log_error("cannot rename %s to %s: %s", name, path,
                      strerror(errno));
            unlink(name);
        } else if (sync_directory(path) != 0) {
            log_error("cannot make %s durable: %s", path, strerror(errno));
        } else {
            status = EXIT_DONE;
        }
    }
    free(buffer.data);
    return status;
}

/* ---- reading ---- */

/* The whole of NAME, a regular file, to *BYTES (*LEN). 0, or -1 with a
 * clause in WHY. Symbolic links and FIFOs are refused: a snapshot decides
 * what passes, so it must be the file that was meant. */
static int
read_all(const char *name, char **bytes, size_t *len, char *why,
         size_t why_size)
{
    struct stat stat;
    int fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0) {
        snprintf(why, why_size, "%s",
                 errno == ELOOP ? "it is a symbolic link" : strerror(errno));
        return -1;
    }
    *bytes = NULL;
    *len = 0;
    if (fstat(fd, &stat) != 0 || !S_ISREG(stat.st_mode)) {
        snprintf(why, why_size, "it is not a regular file");
    } else if (stat.st_size > (off_t)SNAPSHOT_MAX) {
        snprintf(why, why_size, "it is larger than any snapshot");
    } else {
        size_t size = (size_t)stat.st_size;
        *bytes = malloc(size + 1);
        ssize_t got = 0;
        while (*bytes != NULL && *len < size &&
               (got = read(fd, *bytes + *len, size - *len)) > 0)
            *len += (size_t)got;
        if (*bytes == NULL || got < 0) {
            snprintf(why, why_size, "%s", strerror(errno));
            free(*bytes);
            *bytes = NULL;
        }
    }
    close(fd);
    return *bytes == NULL ? -1 : 0;
}

/* Loads NAME. 1 where that went well, 0 where it cannot be used. */
static int
load_one(prae_filter *filter, const char *name, char *why, size_t why_size)
{
    char *bytes;
    size_t len;

    if (read_all(name, &bytes, &len, why, why_size) != 0)
        return 0;
    prae_status status = prae_filter_load(filter, bytes, len);
    free(bytes);
    if (status != PRAE_OK)
        snprintf(why, why_size, "%s", prae_filter_errmsg(filter));
    return status == PRAE_OK;
}

enum exit_status
snapfile_load(prae_filter *filter, const char *path, int *loaded)
{
    char name[PATH_MAX], why[300] = "";
    struct stat stat;

    *loaded = 0;
    if (lstat(path, &stat) != 0 && errno == ENOENT)
        return EXIT_DONE;
    if (load_one(filter, path, why, sizeof why)) {
        *loaded = 1;
        return EXIT_DONE;
    }
    for (size_t i = 1; i < OLDER_MAX; i++) {
        char ignored[300];
        older_name(name, sizeof name, path, i);
        if (lstat(name, &stat) != 0)
            break;
        if (load_one(filter, name, ignored, sizeof ignored)) {
            log_warning("%s cannot be used: %s; going on from %s", path, why,
                        name);
            *loaded = 1;
            return EXIT_DONE;
        }
    }
    log_error("%s cannot be used: %s", path, why);
    return EXIT_CONFIG;
}
