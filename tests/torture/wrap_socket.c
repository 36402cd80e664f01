/*
 * wrap_socket.c - sockets that cannot be had, hosts that cannot be found, and
 * connections that break; calls there that do less than they were asked for;
 * a terminal that is set while a signal comes.
 */
#include <errno.h>
#include <netdb.h>
#include <sys/socket.h>
#include <termios.h>

#include "fault.h"

int __real_socket(int domain, int type, int protocol);
int __real_getsockopt(int fd, int level, int name, void *value, socklen_t *len);
int __real_bind(int fd, const struct sockaddr *address, socklen_t len);
int __real_listen(int fd, int backlog);
int __real_getsockname(int fd, struct sockaddr *address, socklen_t *len);
int __real_getaddrinfo(const char *host, const char *service,
                       const struct addrinfo *hints, struct addrinfo **found);
void __real_freeaddrinfo(struct addrinfo *found);
int __real_connect(int fd, const struct sockaddr *address, socklen_t len);
ssize_t __real_send(int fd, const void *bytes, size_t len, int flags);
ssize_t __real_sendto(int fd, const void *bytes, size_t len, int flags,
                      const struct sockaddr *address, socklen_t address_len);
ssize_t __real_recv(int fd, void *bytes, size_t len, int flags);
int __real_tcsetattr(int fd, int when, const struct termios *modes);

int __wrap_socket(int domain, int type, int protocol);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len);
int __wrap_bind(int fd, const struct sockaddr *address, socklen_t len);
int __wrap_listen(int fd, int backlog);
int __wrap_getsockname(int fd, struct sockaddr *address, socklen_t *len);
int __wrap_getaddrinfo(const char *host, const char *service,
                       const struct addrinfo *hints, struct addrinfo **found);
void __wrap_freeaddrinfo(struct addrinfo *found);
int __wrap_connect(int fd, const struct sockaddr *address, socklen_t len);
ssize_t __wrap_send(int fd, const void *bytes, size_t len, int flags);
ssize_t __wrap_sendto(int fd, const void *bytes, size_t len, int flags,
                      const struct sockaddr *address, socklen_t address_len);
ssize_t __wrap_recv(int fd, void *bytes, size_t len, int flags);
int __wrap_tcsetattr(int fd, int when, const struct termios *modes);

/* ---- making ---- */

int
__wrap_socket(int domain, int type, int protocol)
{
    if (FAULT_STRIKES(FAULT_SOCKET, "socket"))
        return -1;
    int fd = __real_socket(domain, type, protocol);
    fault_note_fds(fd >= 0);
    return fd;
}

int
__wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
    return FAULT_STRIKES(FAULT_SOCKET, "getsockopt")
               ? -1
               : __real_getsockopt(fd, level, name, value, len);
}

int
__wrap_bind(int fd, const struct sockaddr *address, socklen_t len)
{
    return FAULT_STRIKES(FAULT_LISTEN, "bind") ? -1
                                               : __real_bind(fd, address, len);
}

int
__wrap_listen(int fd, int backlog)
{
    return FAULT_STRIKES(FAULT_LISTEN, "listen") ? -1
                                                 : __real_listen(fd, backlog);
}

int
__wrap_getsockname(int fd, struct sockaddr *address, socklen_t *len)
{
    return FAULT_STRIKES(FAULT_LISTEN, "getsockname")
               ? -1
               : __real_getsockname(fd, address, len);
}

/* ---- reaching ---- */

int
__wrap_getaddrinfo(const char *host, const char *service,
                   const struct addrinfo *hints, struct addrinfo **found)
{
    if (FAULT_STRIKES(FAULT_RESOLVE, "getaddrinfo"))
        return errno == ENOMEM ? EAI_MEMORY : EAI_SYSTEM;
    int bad = __real_getaddrinfo(host, service, hints, found);
    fault_note_blocks(bad == 0);
    return bad;
}

void
__wrap_freeaddrinfo(struct addrinfo *found)
{
    fault_note_blocks(-1);
    __real_freeaddrinfo(found);
}

/* Interrupted, it goes on all the same. */
int
__wrap_connect(int fd, const struct sockaddr *address, socklen_t len)
{
    enum fault fault = FAULT_STRIKES(FAULT_CONNECT, "connect");
    int error = errno;

    if (fault == FAULT_NONE)
        return __real_connect(fd, address, len);
    if (error == EINTR)
        (void)__real_connect(fd, address, len);
    errno = error;
    return -1;
}

/* ---- bytes ---- */

ssize_t
__wrap_send(int fd, const void *bytes, size_t len, int flags)
{
    enum fault fault = FAULT_STRIKES(FAULT_SEND, "send");

    if (fault == FAULT_FAIL)
        return -1;
    return __real_send(fd, bytes, fault == FAULT_SHORT ? (len + 6) / 7 : len,
                       flags);
}

/* Datagrams, which go whole. */
ssize_t
__wrap_sendto(int fd, const void *bytes, size_t len, int flags,
              const struct sockaddr *address, socklen_t address_len)
{
    return FAULT_STRIKES(FAULT_SEND, "sendto") == FAULT_FAIL
               ? -1
               : __real_sendto(fd, bytes, len, flags, address, address_len);
}

ssize_t
__wrap_recv(int fd, void *bytes, size_t len, int flags)
{
    enum fault fault = FAULT_STRIKES(FAULT_RECV, "recv");

    if (fault == FAULT_FAIL)
        return -1;
    return __real_recv(fd, bytes, fault == FAULT_SHORT ? (len + 6) / 7 : len,
                       flags);
}

/* ---- the terminal ---- */

int
__wrap_tcsetattr(int fd, int when, const struct termios *modes)
{
    return FAULT_STRIKES(FAULT_TERMINAL, "tcsetattr")
               ? -1
               : __real_tcsetattr(fd, when, modes);
}
