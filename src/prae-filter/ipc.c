/* ipc.c - tells a socket that somebody listens on from one left behind. */
#include "ipc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "log.h"

#define SCHEME "ipc://"

static const char *
kind_of(mode_t mode)
{
    return S_ISREG(mode)    ? "a file"
           : S_ISLNK(mode)  ? "a symbolic link"
           : S_ISDIR(mode)  ? "a directory"
           : S_ISFIFO(mode) ? "a pipe"
                            : "a device";
}

/* Connects to PATH without waiting: 0, or the error. */
static int
try_connect(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t len = strlen(path);

    if (len >= sizeof address.sun_path)
        return ENAMETOOLONG;
    memcpy(address.sun_path, path, len);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return errno;
    int error = connect(fd, (struct sockaddr *)&address, sizeof address) == 0
                    ? 0
                    : errno;
    close(fd);
    return error;
}

static enum exit_status
check_socket(const char *path)
{
    int error = try_connect(path);

    switch (error) {
    case ENOENT: return EXIT_DONE; /* its owner has just removed it */
    case ECONNREFUSED:
        log_info("%s was left behind, nobody listens there: bound anew", path);
        return EXIT_DONE;
    case 0:
    case EAGAIN:     /* somebody listens, and has more to accept than room */
    case EPROTOTYPE: /* or receives datagrams */
        log_error("cannot bind %s: another program listens there; stop it, or "
                  "choose another path",
                  path);
        return EXIT_UNAVAILABLE;
    default:
        log_error("cannot bind %s: a socket is there, and whether it is in "
                  "use cannot be told: %s; remove it if it is not, or choose "
                  "another path",
                  path, strerror(error));
        return EXIT_UNAVAILABLE;
    }
}

/* Whether a socket can be made in the directory of PATH. */
static enum exit_status
check_directory(const char *path)
{
    char directory[sizeof(((struct sockaddr_un *)0)->sun_path)] = ".";
    const char *slash = strrchr(path, '/');
    struct stat stat_of;

    if (slash != NULL)
        snprintf(directory, sizeof directory, "%.*s",
                 slash == path ? 1 : (int)(slash - path), path);
    if (stat(directory, &stat_of) != 0 && errno == ENOENT) {
        log_error("cannot bind %s: there is no directory %s; make it first",
                  path, directory);
        return EXIT_UNAVAILABLE;
    }
    if (faccessat(AT_FDCWD, directory, W_OK | X_OK, AT_EACCESS) != 0) {
        log_error("cannot bind %s: %s: %s; a socket is made there, so it must "
                  "be a directory that this user may write",
                  path, directory, strerror(errno));
        return EXIT_UNAVAILABLE;
    }
    return EXIT_DONE;
}

/* The kernel minds abstract names itself, and they leave nothing behind. But
 * libzmq unlinks before it looks closer: a file called @NAME, too. */
static enum exit_status
check_abstract(const char *name)
{
    struct stat stat;

    if (lstat(name, &stat) == 0) {
        log_error("cannot bind ipc://%s: %s of that name is in this "
                  "directory, and binding would delete it; move it, or choose "
                  "another name",
                  name,
                  S_ISSOCK(stat.st_mode) ? "a socket" : kind_of(stat.st_mode));
        return EXIT_UNAVAILABLE;
    }
    log_notice("ipc://%s has no file, so every user of this machine may "
               "connect",
               name);
    return EXIT_DONE;
}

enum exit_status
ipc_check(struct ipc *ipc, const char *endpoint)
{
    struct stat stat;

    *ipc = (struct ipc){.path = NULL};
    if (strncmp(endpoint, SCHEME, strlen(SCHEME)) != 0)
        return EXIT_DONE;
    const char *path = endpoint + strlen(SCHEME);
    if (path[0] == '@')
        return check_abstract(path);
    enum exit_status status = check_directory(path);
    if (status == EXIT_DONE && lstat(path, &stat) == 0) {
        if (S_ISSOCK(stat.st_mode)) {
            status = check_socket(path);
        } else {
            log_error("cannot bind %s: %s is there; move it, or choose "
                      "another path",
                      path, kind_of(stat.st_mode));
            status = EXIT_UNAVAILABLE;
        }
    }
    if (status == EXIT_DONE)
        ipc->path = path;
    return status;
}

void
ipc_note(struct ipc *ipc)
{
    struct stat stat;

    if (ipc->path == NULL || lstat(ipc->path, &stat) != 0 ||
        !S_ISSOCK(stat.st_mode))
        return;
    ipc->dev = stat.st_dev;
    ipc->ino = stat.st_ino;
    ipc->noted = 1;
}

void
ipc_remove(struct ipc *ipc)
{
    struct stat stat;

    if (!ipc->noted)
        return;
    ipc->noted = 0;
    if (lstat(ipc->path, &stat) != 0)
        return; /* somebody tidied up before us */
    if (stat.st_dev != ipc->dev || stat.st_ino != ipc->ino ||
        !S_ISSOCK(stat.st_mode)) {
        log_info("%s is another's by now, and stays", ipc->path);
        return;
    }
    if (unlink(ipc->path) != 0 && errno != ENOENT)
        log_warning("cannot remove %s: %s; the next start will bind over it",
                    ipc->path, strerror(errno));
}
