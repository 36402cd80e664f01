/* Endpoints are known again by the addresses that libzmq connects to. */
#include "remote.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <string.h>
#include <sys/un.h>

#include "tap.h"

union address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    struct sockaddr_un local;
};

/* The name of the endpoint at HOST and PORT, "" where there is none. */
static const char *
at_tcp(const char *host, uint16_t port)
{
    union address address = {.six = {.sin6_family = AF_INET6}};
    socklen_t len = sizeof address.six;

    if (inet_pton(AF_INET6, host, &address.six.sin6_addr) == 1) {
        address.six.sin6_port = htons(port);
    } else {
        address.four = (struct sockaddr_in){.sin_family = AF_INET};
        NEED(inet_pton(AF_INET, host, &address.four.sin_addr) == 1);
        address.four.sin_port = htons(port);
        len = sizeof address.four;
    }
    const struct remote *found = remote_find(&address.any, len);
    NEED(remote_find(&address.any, len - 1) == NULL);
    NEED((remote_kinds(&address.any, len) & (found ? found->kind : ~0u)) ==
         (found ? found->kind : 0u));
    return found == NULL ? "" : found->name;
}

/* The same at the LEN bytes of PATH, with MORE behind them. */
static const char *
at_path(const char *path, size_t len, size_t more)
{
    union address address = {.local = {.sun_family = AF_UNIX}};

    memcpy(address.local.sun_path, path, len);
    len += offsetof(struct sockaddr_un, sun_path) + more;
    const struct remote *found = remote_find(&address.any, (socklen_t)len);
    return found == NULL ? "" : found->name;
}

static int
is(const char *found, const char *wanted)
{
    if (strcmp(found, wanted) != 0)
        printf("# found '%s', wanted '%s'\n", found, wanted);
    return strcmp(found, wanted) == 0;
}

static unsigned
kinds_at(const char *host, uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(port)};

    NEED(inet_pton(AF_INET, host, &address.sin_addr) == 1);
    return remote_kinds((const struct sockaddr *)&address, sizeof address);
}

static void
test_numbers(void)
{
    remote_add(INTAKE_INPUT, "in", "tcp://10.0.0.1:5555",
               INTAKE_KIND_PUSH);
    remote_add(INTAKE_PUSH, "out", "tcp://10.0.0.2:5555",
               INTAKE_KIND_PULL);
    remote_add(INTAKE_PUB, "six", "tcp://[fe80::1%eth0]:5555",
               INTAKE_KIND_SUB);
    ok(is(at_tcp("10.0.0.1", 5555), "in") &&
           is(at_tcp("10.0.0.2", 5555), "out"),
       "hosts are told apart");
    ok(is(at_tcp("::ffff:10.0.0.2", 5555), "out"), "also as IPv6 has them");
    ok(is(at_tcp("fe80::1", 5555), "six"), "a zone is no part of an address");
    ok(is(at_tcp("10.0.0.3", 5555), "") && is(at_tcp("::a00:1", 5555), "") &&
           is(at_tcp("10.0.0.1", 5556), "") &&
           is(at_tcp("10.0.0.1", 45845), ""),
       "others are none of ours");
    ok(kinds_at("10.0.0.1", 5555) == INTAKE_KIND_PUSH &&
           kinds_at("10.0.0.2", 5555) == INTAKE_KIND_PULL,
       "and who is to be there is known");
}

static void
test_names(void)
{
    remote_add(INTAKE_PUSH, "store", "tcp://store.example:6000",
               INTAKE_KIND_PULL);
    ok(is(at_tcp("192.0.2.7", 6000), "store") &&
           is(at_tcp("::1", 6000), "store"),
       "a name may be any host");
    remote_add(INTAKE_PUB, "news", "tcp://news:6000",
               INTAKE_KIND_SUB);
    ok(is(at_tcp("192.0.2.7", 6000), "news"), "of several it is a pub,");
    remote_add(INTAKE_INPUT, "source", "tcp://source:6000",
               INTAKE_KIND_PUSH);
    remote_add(INTAKE_PUB, "more", "tcp://more:6000",
               INTAKE_KIND_SUB);
    ok(is(at_tcp("192.0.2.7", 6000), "source"), "or an input");
    remote_add(INTAKE_PUSH, "known", "tcp://192.0.2.8:6000",
               INTAKE_KIND_PULL);
    ok(is(at_tcp("192.0.2.8", 6000), "known"), "unless its number is known");
}

static void
test_paths(void)
{
    remote_add(INTAKE_INPUT, "file", "ipc:///run/some",
               INTAKE_KIND_PUSH);
    remote_add(INTAKE_PUSH, "abstract", "ipc://@some",
               INTAKE_KIND_PULL);
    ok(is(at_path("/run/some", 9, 0), "file") &&
           is(at_path("/run/some", 9, 1), "file") &&
           is(at_path("/run/some", 9, 20), "file"),
       "a path is one, wherever its address ends");
    ok(is(at_path("\0some", 5, 0), "abstract"), "so is an abstract name");
    ok(is(at_path("\0some", 5, 1), "") && is(at_path("\0som", 4, 0), "") &&
           is(at_path("/run/som", 8, 0), "") &&
           is(at_path("/run/some2", 10, 0), "") && is(at_path("", 0, 0), "") &&
           is(at_path("", 0, 1), ""),
       "others are none of ours");
}

/* As many as options can name, and one more. */
static void
test_many(void)
{
    for (int i = 0; i < 100; i++)
        remote_add(INTAKE_INPUT, "last", "tcp://10.1.1.1:7000",
                   INTAKE_KIND_PUSH);
    ok(is(at_tcp("10.1.1.1", 7000), "last"), "there are no more than fit");
}

int
main(void)
{
    ok(is(at_tcp("10.0.0.1", 5555), ""), "at first there is none");
    test_numbers();
    test_names();
    test_paths();
    test_many();
    return tap_done();
}
