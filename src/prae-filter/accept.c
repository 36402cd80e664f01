/*
 * accept.c - connections that are taken while there are descriptors for them.
 *
 * Who connects takes a descriptor before anybody asks for a key, and libzmq
 * ends the process where none is left for a connection by ipc. So this stands
 * in the place of accept4 for the libraries that we use: the last descriptors
 * are ours, for files, and who would take one of them is hung up on. A peer
 * comes again by itself, and who only sits there is gone after the handshake's
 * time.
 */
#define _GNU_SOURCE /* accept4. NOLINT(bugprone-reserved-identifier) */
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "log.h"
#include "wire.h"

#ifdef SYS_accept4

/* The first descriptor that is not for connections. */
static int
limit(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0 ||
        files.rlim_cur > (rlim_t)INT_MAX)
        return INT_MAX;
    return (int)files.rlim_cur - WIRE_OWN_FILES;
}

static void
tell_once(int most)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;

    if (!atomic_flag_test_and_set(&told))
        log_warning("more connections than the limit of open files, %d, has "
                    "room for: some are hung up on; see ulimit -n",
                    most + WIRE_OWN_FILES);
}

static int
take(int listener, struct sockaddr *address, socklen_t *len, int flags)
{
    int taken = (int)syscall(SYS_accept4, listener, address, len, flags);

    if (taken < 0) {
        if (errno == EMFILE) /* libzmq is prepared for this one */
            errno = ENFILE;
        return taken;
    }
    int most = limit();
    if (taken < most)
        return taken;
    tell_once(most);
    (void)syscall(SYS_close, taken);
    errno = ECONNABORTED;
    return -1;
}

/* Declared as libc has it, whatever names that gives to the parameters. */
extern __typeof__(take) accept4
    __attribute__((alias("take"), visibility("default")));

#endif
