/*
 * landlock.h - the kernel's Landlock: what a process, and whatever threads it
 * starts from then on, may do with files, tcp ports and other processes.
 *
 *     landlock_open     says what is to be given up
 *     landlock_path ... makes exceptions
 *     landlock_enforce  for good
 *     landlock_close    if not, or after it
 *
 * Not to be had on other systems than Linux, nor on every Linux: the kernel is
 * asked. It restricts what is opened from then on, not what is open.
 */
#ifndef LANDLOCK_H
#define LANDLOCK_H

#include <stdint.h>

/* What exceptions can be made of, as the kernel numbers them. A directory's
 * are those of all below it. */
enum landlock_right {
    LANDLOCK_RUN = 1 << 0,
    LANDLOCK_WRITE = 1 << 1,
    LANDLOCK_READ = 1 << 2,
    LANDLOCK_LIST = 1 << 3,
    LANDLOCK_REMOVE = 1 << 5, /* files */
    LANDLOCK_MAKE = 1 << 8,   /* files */
    LANDLOCK_MAKE_SOCKET = 1 << 9,
    LANDLOCK_TRUNCATE = 1 << 14,
    LANDLOCK_DEVICE = 1 << 15 /* ioctl(2) */
};

/* What need not be given up. */
enum landlock_left {
    LANDLOCK_LEAVE_BIND = 1 << 0,    /* any tcp port */
    LANDLOCK_LEAVE_CONNECT = 1 << 1, /* to any */
    LANDLOCK_LEAVE_ABSTRACT = 1 << 2 /* to others' sockets without a file */
};

enum landlock_port { LANDLOCK_BIND = 1 << 0, LANDLOCK_CONNECT = 1 << 1 };

struct landlock {
    int fd;         /* the rules; -1: none */
    int version;    /* of the kernel's */
    uint64_t files; /* rights that are given up, but for exceptions */
    uint64_t ports;
};

/* The version that the kernel has, 0 where it has none. */
int landlock_version(void);

/* Everything the kernel lets us give up, but for LEFT. 0, or -1 and errno. */
int landlock_open(struct landlock *lock, unsigned left);

/* But RIGHTS of what is at PATH, or below it, are kept: links are followed,
 * now. 0, or -1 and errno. */
int landlock_path(struct landlock *lock, const char *path, uint64_t rights);

/* The same of what is open as FD. */
int landlock_fd(struct landlock *lock, int fd, uint64_t rights);

/* And this tcp port. */
int landlock_tcp(struct landlock *lock, uint16_t port,
                 enum landlock_port right);

/* Programs that are run gain no rights by it. Landlock wants that done first;
 * kernels have it that lack Landlock. */
void landlock_gain_nothing(void);

/* From now on, and for good. 0, or -1 and errno. */
int landlock_enforce(struct landlock *lock);

void landlock_close(struct landlock *lock);

#endif
