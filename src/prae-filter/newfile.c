/* newfile.c - written beside, then renamed. */
#include "newfile.h"

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

#define PID_MOST 4194304 /* Linux' PID_MAX_LIMIT; others have less */

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

void
newfile_directory(const char *path, char *directory, size_t size)
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL)
        snprintf(directory, size, ".");
    else
        snprintf(directory, size, "%.*s",
                 slash == path ? 1 : (int)(slash - path), path);
}

/* The process that NAME, which is what follows PATH and a full stop in a
 * file's name, would be of, or 0: names that only look alike are somebody's.
 */
static pid_t
owner_of(const char *name)
{
    size_t digits = strspn(name, "0123456789");
    long pid = strtol(name, NULL, 10); /* the most there is, if that is more */

    if (digits == 0 || strcmp(name + digits, ".tmp") != 0 || pid > PID_MOST)
        return 0;
    return (pid_t)pid;
}

/* Removes what processes that were killed while saving PATH have left in
 * DIRECTORY: names PATH.PID.tmp of which no PID runs any more, or which one
 * before us had: in a container that is every one. */
static void
sweep(const char *path, const char *directory)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    size_t len = strlen(base);
    DIR *dir = opendir(directory);
    struct dirent *entry;

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        if (strncmp(entry->d_name, base, len) != 0 || entry->d_name[len] != '.')
            continue;
        pid_t pid = owner_of(entry->d_name + len + 1);
        if (pid > 0 &&
            (pid == getpid() || (kill(pid, 0) != 0 && errno == ESRCH)))
            (void)unlinkat(dirfd(dir), entry->d_name, 0);
    }
    if (dir != NULL)
        closedir(dir);
}

enum exit_status
newfile_check(const char *path)
{
    char directory[PATH_MAX];
    struct stat is;

    newfile_directory(path, directory, sizeof directory);
    sweep(path, directory);
    if (stat(path, &is) == 0 && S_ISDIR(is.st_mode)) {
        log_error("cannot write %s: it is a directory; name a file in it",
                  path);
        return EXIT_IO;
    }
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

    newfile_directory(path, directory, sizeof directory);
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    int bad = fsync(fd);
    close(fd);
    return bad;
}

static int
write_new(const char *name, const char *bytes, size_t len, mode_t mode,
          enum durable durable)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);

    if (fd < 0)
        return -1;
    int bad = write_all(fd, bytes, len) != 0 ||
              (durable == NEWFILE_DURABLE && fsync(fd) != 0);
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
newfile_write(const char *path, const char *bytes, size_t len, mode_t mode,
              enum durable durable, char name[PATH_MAX])
{
    int size = snprintf(name, PATH_MAX, "%s.%ld.tmp", path, (long)getpid());

    if (size < 0 || size >= PATH_MAX) {
        log_error("cannot write %s: the name is too long", path);
        return EXIT_IO;
    }
    if (write_new(name, bytes, len, mode, durable) != 0) {
        log_error("cannot write %s: %s", name, strerror(errno));
        return EXIT_IO;
    }
    return EXIT_DONE;
}

enum exit_status
newfile_place(const char *name, const char *path, enum durable durable)
{
    if (rename(name, path) != 0) {
        log_error("cannot rename %s to %s: %s", name, path, strerror(errno));
        unlink(name);
        return EXIT_IO;
    }
    if (durable == NEWFILE_DURABLE && sync_directory(path) != 0) {
        log_error("cannot make %s durable: %s", path, strerror(errno));
        return EXIT_IO;
    }
    return EXIT_DONE;
}
