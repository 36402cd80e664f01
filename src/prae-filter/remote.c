/* remote.c - endpoints and addresses, side by side. */
#include "remote.h"

#include <arpa/inet.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "options.h"

#define SCHEME_LEN (sizeof "tcp://" - 1) /* and of ipc:// */
#define REMOTES_MAX (LIST_MAX + SINK_COUNT)

enum likeness { UNLIKE, POSSIBLE, SAME };

static struct remote remotes[REMOTES_MAX];
static atomic_size_t remote_count; /* grows behind what it counts */

/* ---- endpoints ---- */

/* An IPv4 address, as IPv6 has it: libzmq connects to that. */
static struct in6_addr
mapped(struct in_addr four)
{
    struct in6_addr six = {.s6_addr = {[10] = 0xff, [11] = 0xff}};

    memcpy(&six.s6_addr[12], &four, sizeof four);
    return six;
}

/* PLACE is HOST:PORT, where an IPv6 address has brackets and maybe a zone. */
static void
read_tcp(struct remote *remote, const char *place)
{
    char host[INET6_ADDRSTRLEN];
    struct in_addr four;
    int is_six = place[0] == '[';
    const char *colon = strrchr(place, ':');
    size_t len = strcspn(place + is_six, is_six ? "%]" : ":");

    if (colon != NULL)
        remote->port = htons((uint16_t)strtoul(colon + 1, NULL, 10));
    if (len >= sizeof host)
        return;
    memcpy(host, place + is_six, len);
    host[len] = '\0';
    if (is_six)
        (void)inet_pton(AF_INET6, host, &remote->host);
    else if (inet_pton(AF_INET, host, &four) == 1)
        remote->host = mapped(four);
}

void
remote_add(enum intake_role role, const char *name, const char *endpoint,
           enum intake_kind kind)
{
    size_t at = atomic_load_explicit(&remote_count, memory_order_relaxed);

    for (size_t i = 0; i < at; i++)
        if (remotes[i].name == name)
            return; /* connects anew */
    if (at == REMOTES_MAX)
        return;
    remotes[at] = (struct remote){.role = role, .kind = kind, .name = name};
    if (strncmp(endpoint, "ipc://", SCHEME_LEN) == 0)
        remotes[at].path = endpoint + SCHEME_LEN;
    else
        read_tcp(&remotes[at], endpoint + SCHEME_LEN);
    atomic_store_explicit(&remote_count, at + 1, memory_order_release);
}

/* ---- addresses ---- */

/* Whether PATH is that of ADDRESS, where an abstract name, which begins with a
 * zero byte, is written @NAME. */
static enum likeness
compare_path(const char *path, const struct sockaddr *address, socklen_t len)
{
    const size_t before = offsetof(struct sockaddr_un, sun_path);
    const char *there = (const char *)address + before;

    if (len <= before)
        return UNLIKE;
    size_t there_len = len - before;
    if (there[0] != '\0')
        there_len = strnlen(there, there_len);
    return strlen(path) == there_len &&
                   path[0] == (there[0] == '\0' ? '@' : there[0]) &&
                   memcmp(path + 1, there + 1, there_len - 1) == 0
               ? SAME
               : UNLIKE;
}

static enum likeness
compare_host(const struct remote *remote, struct in6_addr host, in_port_t port)
{
    if (remote->port != port)
        return UNLIKE;
    if (IN6_IS_ADDR_UNSPECIFIED(&remote->host))
        return POSSIBLE;
    return memcmp(&remote->host, &host, sizeof host) == 0 ? SAME : UNLIKE;
}

static enum likeness
compare(const struct remote *remote, const struct sockaddr *address,
        socklen_t len)
{
    struct sockaddr_in four;
    struct sockaddr_in6 six;

    if (remote->path != NULL)
        return address->sa_family == AF_UNIX
                   ? compare_path(remote->path, address, len)
                   : UNLIKE;
    if (address->sa_family == AF_INET && len >= sizeof four) {
        memcpy(&four, address, sizeof four);
        return compare_host(remote, mapped(four.sin_addr), four.sin_port);
    }
    if (address->sa_family == AF_INET6 && len >= sizeof six) {
        memcpy(&six, address, sizeof six);
        return compare_host(remote, six.sin6_addr, six.sin6_port);
    }
    return UNLIKE;
}

/* How much a peer may say to ROLE. */
static int
leniency(enum intake_role role)
{
    return role == INTAKE_INPUT ? 2 : role == INTAKE_PUB ? 1 : 0;
}

const struct remote *
remote_find(const struct sockaddr *address, socklen_t len)
{
    size_t count = atomic_load_explicit(&remote_count, memory_order_acquire);
    const struct remote *found = NULL;
    enum likeness most = UNLIKE;

    for (size_t i = 0; i < count; i++) {
        enum likeness like = compare(&remotes[i], address, len);
        if (like > most ||
            (like == most && found != NULL &&
             leniency(remotes[i].role) > leniency(found->role))) {
            most = like;
            found = &remotes[i];
        }
    }
    return found;
}

unsigned
remote_kinds(const struct sockaddr *address, socklen_t len)
{
    size_t count = atomic_load_explicit(&remote_count, memory_order_acquire);
    unsigned kinds = 0;

    for (size_t i = 0; i < count; i++)
        if (compare(&remotes[i], address, len) != UNLIKE)
            kinds |= remotes[i].kind;
    return kinds;
}
