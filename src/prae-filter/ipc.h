/*
 * ipc.h - the file behind an ipc:// endpoint that we bind.
 *
 * zmq_bind unlinks whatever stands at the path, be it a file or the endpoint
 * of a program that runs, and since 4.2.3 libzmq never unlinks its own. So
 * we look before, and clean up after:
 *
 *     ipc_check  before zmq_bind: nothing of worth is in the way
 *     ipc_note   after it: which file is ours
 *     ipc_remove before zmq_unbind or zmq_close: that file goes, no other
 *
 * The socket's mode is 0777 less the umask, and to connect a peer needs to
 * be allowed to write it.
 */
#ifndef IPC_H
#define IPC_H

#include <sys/types.h>

#include "status.h"

struct ipc {
    const char *path; /* points into the endpoint; NULL: nothing to mind */
    int noted;        /* dev and ino are those of our socket */
    dev_t dev;
    ino_t ino;
};

/*
 * Whether ENDPOINT, which must outlive IPC, may be bound: EXIT_DONE, or
 * EXIT_UNAVAILABLE after saying what is in the way and what to do. Endpoints
 * other than ipc:// always may, and are none of the later calls' business.
 */
enum exit_status ipc_check(struct ipc *ipc, const char *endpoint);

/* Remembers the socket that zmq_bind has just made. */
void ipc_note(struct ipc *ipc);

/*
 * Removes the socket that was noted, unless another stands in its place.
 * To be called while the endpoint is still bound: only then is its inode's
 * number surely not another's by now. Does nothing the second time, nor for
 * an IPC of zeros.
 */
void ipc_remove(struct ipc *ipc);

#endif
