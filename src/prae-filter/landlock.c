/*
 * landlock.c - three system calls.
 *
 * <linux/landlock.h> is as old as the machine that this is built on, and the
 * kernel may be newer, so what it lays down is written out here.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_PATH. NOLINT(bugprone-reserved-identifier) */
#endif
#include "landlock.h"

#include <errno.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

#ifdef SYS_landlock_create_ruleset

#include <fcntl.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define ASK_VERSION 1u /* a flag */

enum { RULE_PATH = 1, RULE_PORT = 2 };

struct ruleset {
    uint64_t files, ports, scopes;
};

struct path_rule {
    uint64_t rights;
    int32_t fd;
} __attribute__((packed));

struct port_rule {
    uint64_t rights, port;
};

#define SCOPE_ABSTRACT (1u << 0)
#define SCOPE_SIGNAL (1u << 1)

/* Rights that each version brought; those of files in the first are 13. */
#define FILES_FIRST ((1u << 13) - 1)
#define FILES_REFER (1u << 13) /* moving between directories */

/* Those that a file has which is no directory. */
#define FILE_RIGHTS                                                            \
    (LANDLOCK_RUN | LANDLOCK_WRITE | LANDLOCK_READ | LANDLOCK_TRUNCATE |       \
     LANDLOCK_DEVICE)

int
landlock_version(void)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION);

    return version < 0 ? 0 : (int)version;
}

int
landlock_open(struct landlock *lock, unsigned left)
{
    struct ruleset ruleset = {.files = FILES_FIRST};

    *lock = (struct landlock){.fd = -1, .version = landlock_version()};
    if (lock->version >= 2)
        ruleset.files |= FILES_REFER;
    if (lock->version >= 3)
        ruleset.files |= LANDLOCK_TRUNCATE;
    if (lock->version >= 4)
        ruleset.ports =
            (left & LANDLOCK_LEAVE_BIND ? 0u : (unsigned)LANDLOCK_BIND) |
            (left & LANDLOCK_LEAVE_CONNECT ? 0u : (unsigned)LANDLOCK_CONNECT);
    if (lock->version >= 5)
        ruleset.files |= LANDLOCK_DEVICE;
    if (lock->version >= 6)
        ruleset.scopes = SCOPE_SIGNAL | (left & LANDLOCK_LEAVE_ABSTRACT
                                             ? 0u
                                             : SCOPE_ABSTRACT);
    lock->files = ruleset.files;
    lock->ports = ruleset.ports;
    lock->fd =
        (int)syscall(SYS_landlock_create_ruleset, &ruleset, sizeof ruleset, 0);
    return lock->fd < 0 ? -1 : 0;
}

int
landlock_fd(struct landlock *lock, int fd, uint64_t rights)
{
    struct path_rule rule = {.rights = rights & lock->files, .fd = fd};
    struct stat stat;

    if (fstat(fd, &stat) != 0)
        return -1;
    if (!S_ISDIR(stat.st_mode))
        rule.rights &= FILE_RIGHTS;
    if (rule.rights == 0 || syscall(SYS_landlock_add_rule, lock->fd, RULE_PATH,
                                    &rule, 0) == 0)
        return 0;
    /* A pipe or a socket without a name: of those nothing is given up. */
    return errno == EBADFD ? 0 : -1;
}

int
landlock_path(struct landlock *lock, const char *path, uint64_t rights)
{
    int fd = open(path, O_PATH | O_CLOEXEC);

    if (fd < 0)
        return -1;
    int bad = landlock_fd(lock, fd, rights);
    int error = errno;
    close(fd);
    errno = error;
    return bad;
}

int
landlock_tcp(struct landlock *lock, uint16_t port, enum landlock_port right)
{
    struct port_rule rule = {.rights = right & lock->ports, .port = port};

    if (rule.rights == 0)
        return 0;
    return (int)syscall(SYS_landlock_add_rule, lock->fd, RULE_PORT, &rule, 0);
}

void
landlock_gain_nothing(void)
{
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

int
landlock_enforce(struct landlock *lock)
{
    return (int)syscall(SYS_landlock_restrict_self, lock->fd, 0);
}

void
landlock_close(struct landlock *lock)
{
    if (lock->fd >= 0)
        close(lock->fd);
    lock->fd = -1;
}

#else

static int
have_not(void)
{
    errno = ENOSYS;
    return -1;
}

int
landlock_version(void)
{
    return 0;
}

int
landlock_open(struct landlock *lock, unsigned left)
{
    (void)left;
    *lock = (struct landlock){.fd = -1};
    return have_not();
}

int
landlock_fd(struct landlock *lock, int fd, uint64_t rights)
{
    (void)lock, (void)fd, (void)rights;
    return have_not();
}

int
landlock_path(struct landlock *lock, const char *path, uint64_t rights)
{
    (void)lock, (void)path, (void)rights;
    return have_not();
}

int
landlock_tcp(struct landlock *lock, uint16_t port, enum landlock_port right)
{
    (void)lock, (void)port, (void)right;
    return have_not();
}

void
landlock_gain_nothing(void)
{
}

int
landlock_enforce(struct landlock *lock)
{
    (void)lock;
    return have_not();
}

void
landlock_close(struct landlock *lock)
{
    (void)lock;
}

#endif
