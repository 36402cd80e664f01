/* listener.c - an address, read and bound. */
#include "listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "log.h"

#define BACKLOG 32

/* ---- reading ---- */

/* Splits TEXT into HOST (SIZE), without brackets and "" where there is none,
 * and what stands behind the colon, or NULL. -1 where the host is too long
 * for any address. */
static int
split(const char *text, char *host, size_t size, const char **port)
{
    const char *close = text[0] == '[' ? strchr(text, ']') : NULL;
    const char *colon = strrchr(close != NULL ? close : text, ':');
    size_t len = colon != NULL ? (size_t)(colon - text) : strlen(text);

    *port = colon != NULL ? colon + 1 : NULL;
    if (close != NULL && close + 1 == text + len) {
        text++;
        len -= 2;
    }
    if (len >= size)
        return -1;
    memcpy(host, text, len);
    host[len] = '\0';
    return 0;
}

/* The number of PORT, -1 where it is none. */
static long
port_number(const char *port)
{
    size_t len = strlen(port);
    long number = strtol(port, NULL, 10);

    return len == 0 || len > 5 || strspn(port, "0123456789") != len ||
                   number > 65535
               ? -1
               : number;
}

static int
set_host(struct listener *listener, const char *host, int bracketed)
{
    struct sockaddr_in *ipv4 = &listener->address.ipv4;
    struct sockaddr_in6 *ipv6 = &listener->address.ipv6;

    *listener = (struct listener){.local = 0};
    if (bracketed) {
        ipv6->sin6_family = AF_INET6;
        if (inet_pton(AF_INET6, host, &ipv6->sin6_addr) != 1)
            return -1;
        listener->local = IN6_IS_ADDR_LOOPBACK(&ipv6->sin6_addr);
        return 0;
    }
    ipv4->sin_family = AF_INET;
    if (host[0] == '\0' || strcasecmp(host, "localhost") == 0)
        ipv4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    else if (strcmp(host, "*") == 0)
        ipv4->sin_addr.s_addr = htonl(INADDR_ANY);
    else if (inet_pton(AF_INET, host, &ipv4->sin_addr) != 1)
        return -1;
    listener->local = ntohl(ipv4->sin_addr.s_addr) >> 24 == 127;
    return 0;
}

enum exit_status
listener_parse(struct listener *listener, const char *option, const char *text)
{
    char host[INET6_ADDRSTRLEN];
    const char *port;
    long number = -1;
    int bad = split(text, host, sizeof host, &port) != 0;

    if (!bad && port == NULL) { /* a port alone */
        port = text;
        host[0] = '\0';
    }
    if (!bad)
        number = port_number(port);
    if (bad || set_host(listener, host, text[0] == '[') != 0) {
        log_error("%s: '%s' has no address that can be bound; write "
                  "127.0.0.1:PORT, [::1]:PORT or PORT",
                  option, text);
        return EXIT_USAGE;
    }
    if (number < 0) {
        log_error("%s: '%s' has '%s' for a port; it must be a number up to "
                  "65535, or 0 for any that is free",
                  option, text, port);
        return EXIT_USAGE;
    }
    if (listener->address.any.sa_family == AF_INET6)
        listener->address.ipv6.sin6_port = htons((uint16_t)number);
    else
        listener->address.ipv4.sin_port = htons((uint16_t)number);
    return EXIT_DONE;
}

int
listener_is_literal(const char *host)
{
    char name[INET6_ADDRSTRLEN];
    const char *port;
    struct listener ignored;

    return host[0] != '\0' && split(host, name, sizeof name, &port) == 0 &&
           name[0] != '\0' && name[0] != '*' &&
           (port == NULL || port_number(port) >= 0) &&
           set_host(&ignored, name, host[0] == '[') == 0;
}

/* ---- opening ---- */

static socklen_t
address_len(const struct listener *listener)
{
    return listener->address.any.sa_family == AF_INET6
               ? sizeof listener->address.ipv6
               : sizeof listener->address.ipv4;
}

static void
print_url(const struct listener *listener, char url[LISTENER_URL])
{
    const struct sockaddr_in *ipv4 = &listener->address.ipv4;
    const struct sockaddr_in6 *ipv6 = &listener->address.ipv6;
    int is_ipv6 = listener->address.any.sa_family == AF_INET6;
    char host[INET6_ADDRSTRLEN] = "";

    (void)inet_ntop(listener->address.any.sa_family,
                    is_ipv6 ? (const void *)&ipv6->sin6_addr
                            : (const void *)&ipv4->sin_addr,
                    host, sizeof host);
    snprintf(url, LISTENER_URL, "http://%s%s%s:%u/", is_ipv6 ? "[" : "", host,
             is_ipv6 ? "]" : "",
             (unsigned)ntohs(is_ipv6 ? ipv6->sin6_port : ipv4->sin_port));
}

/* The socket, bound; -1 with errno where that fails. */
static int
bind_to(const struct listener *listener)
{
    int fd = socket(listener->address.any.sa_family, SOCK_STREAM, 0);
    int on = 1;

    if (fd < 0)
        return -1;
    /* Connections of the run before do not keep us from starting again. */
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    /* [::] is not to be more than it says, whatever the system's default. */
    if (listener->address.any.sa_family == AF_INET6)
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 &&
        fcntl(fd, F_SETFL, O_NONBLOCK) == 0 &&
        bind(fd, &listener->address.any, address_len(listener)) == 0 &&
        listen(fd, BACKLOG) == 0)
        return fd;
    int kept = errno;
    close(fd);
    errno = kept;
    return -1;
}

enum exit_status
listener_open(const struct listener *listener, const char *option, int *fd,
              char url[LISTENER_URL])
{
    struct listener got = *listener;
    socklen_t len = sizeof got.address;

    print_url(&got, url);
    *fd = bind_to(listener);
    if (*fd < 0) {
        log_error("%s: cannot listen at %s: %s", option, url, strerror(errno));
        return EXIT_UNAVAILABLE;
    }
    if (getsockname(*fd, &got.address.any, &len) == 0)
        print_url(&got, url);
    return EXIT_DONE;
}
