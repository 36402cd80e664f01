/* Addresses mean what they say; only loopback counts as this machine. */
#include "listener.h"

#include <arpa/inet.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "tap.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static char heard[4096]; /* the last line logged */

void
log_line(enum log_level level, const char *format, ...)
{
    va_list args;

    (void)level;
    va_start(args, format);
    vsnprintf(heard, sizeof heard, format, args);
    va_end(args);
}

static void
test_good(void)
{
    static const struct {
        const char *text, *host;
        int family, port, local;
    } cases[] = {
        {"9100", "127.0.0.1", AF_INET, 9100, 1},
        {":9100", "127.0.0.1", AF_INET, 9100, 1},
        {"0", "127.0.0.1", AF_INET, 0, 1},
        {"127.0.0.1:65535", "127.0.0.1", AF_INET, 65535, 1},
        {"127.9.8.7:1", "127.9.8.7", AF_INET, 1, 1},
        {"localhost:80", "127.0.0.1", AF_INET, 80, 1},
        {"LocalHost:80", "127.0.0.1", AF_INET, 80, 1},
        {"[::1]:80", "::1", AF_INET6, 80, 1},
        {"[::]:80", "::", AF_INET6, 80, 0},
        {"[::ffff:127.0.0.1]:80", "::ffff:127.0.0.1", AF_INET6, 80, 0},
        {"[fe80::1]:80", "fe80::1", AF_INET6, 80, 0},
        {"*:80", "0.0.0.0", AF_INET, 80, 0},
        {"0.0.0.0:80", "0.0.0.0", AF_INET, 80, 0},
        {"192.0.2.1:80", "192.0.2.1", AF_INET, 80, 0},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct listener at;
        char host[INET6_ADDRSTRLEN] = "";
        enum exit_status status = listener_parse(&at, "--x", cases[i].text);
        int is_ipv6 = at.address.any.sa_family == AF_INET6;
        inet_ntop(at.address.any.sa_family,
                  is_ipv6 ? (void *)&at.address.ipv6.sin6_addr
                          : (void *)&at.address.ipv4.sin_addr,
                  host, sizeof host);
        int port = ntohs(is_ipv6 ? at.address.ipv6.sin6_port
                                 : at.address.ipv4.sin_port);
        ok(status == EXIT_DONE && at.address.any.sa_family == cases[i].family &&
               strcmp(host, cases[i].host) == 0 && port == cases[i].port &&
               at.local == cases[i].local,
           "%s is %s, port %d, %s", cases[i].text, cases[i].host, cases[i].port,
           cases[i].local ? "local" : "not local");
    }
}

static void
test_bad(void)
{
    static const char *const cases[][2] = {
        {"", "for a port"},
        {":", "for a port"},
        {"x", "for a port"},
        {"65536", "for a port"},
        {"-1", "for a port"},
        {"80x", "for a port"},
        {"127.0.0.1", "for a port"},
        {"127.0.0.1:", "for a port"},
        {"127.0.0.1:99999", "for a port"},
        {"127.0.0.1:123456", "for a port"},
        {"example.org:80", "no address"},
        {"127.1:80", "no address"},
        {"256.0.0.1:80", "no address"},
        {"::1:80", "no address"},
        {"[::1]", "no address"},
        {"[::1:80", "no address"},
        {"[127.0.0.1]:80", "no address"},
        {"[]:80", "no address"},
        {"http://127.0.0.1:80", "no address"},
        {"127.0.0.1:80/", "for a port"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct listener at;
        heard[0] = '\0';
        enum exit_status status = listener_parse(&at, "--x", cases[i][0]);
        ok(status == EXIT_USAGE && strstr(heard, cases[i][1]) != NULL,
           "'%s' is refused: %s", cases[i][0], heard);
    }
}

static void
test_hosts(void)
{
    static const struct {
        const char *host;
        int literal;
    } cases[] = {
        {"127.0.0.1", 1},
        {"127.0.0.1:9100", 1},
        {"localhost", 1},
        {"localhost:9100", 1},
        {"LOCALHOST", 1},
        {"[::1]", 1},
        {"[::1]:9100", 1},
        {"192.0.2.1:80", 1},
        {"", 0},
        {":80", 0},
        {"*", 0},
        {"evil.example", 0},
        {"evil.example:80", 0},
        {"127.0.0.1.evil.example", 0},
        {"localhost.evil.example", 0},
        {"127.0.0.1:x", 0},
        {"[::1", 0},
        {"[::1]x", 0},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        ok(listener_is_literal(cases[i].host) == cases[i].literal,
           "Host: %s is %s", cases[i].host,
           cases[i].literal ? "for us" : "foreign");
}

static void
test_open(void)
{
    char url[LISTENER_URL], again[LISTENER_URL];
    struct listener at;
    int fd, other;

    NEED(listener_parse(&at, "--x", "127.0.0.1:0") == EXIT_DONE);
    NEED(listener_open(&at, "--x", &fd, url) == EXIT_DONE);
    unsigned port = 0;
    ok(sscanf(url, "http://127.0.0.1:%u/", &port) == 1 && port > 0,
       "a free port is found and told: %s", url);
    at.address.ipv4.sin_port = htons((uint16_t)port);
    heard[0] = '\0';
    ok(listener_open(&at, "--x", &other, again) == EXIT_UNAVAILABLE &&
           strstr(heard, "in use") != NULL,
       "one that is taken is refused: %s", heard);
    close(fd);
}

int
main(void)
{
    test_good();
    test_bad();
    test_hosts();
    test_open();
    return tap_done();
}
