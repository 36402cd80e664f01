/*
 * spec.c - the grammar of SPECs, and a word for each way to miss it.
 *
 * The checks are stricter than libzmq's. It takes port 70000 for 4464, and
 * says "Invalid argument" or "No such device" to most of the rest.
 */
#include "spec.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/un.h>

#include "log.h"

#define PATH_BYTES (sizeof(((struct sockaddr_un *)0)->sun_path) - 1)
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

static const struct type {
    const char *name;
    enum socket_kind socket;
    int is_input;
    const char *other; /* the peer's type, which the wrong end asks for */
} types[] = {
    {"pull", SOCKET_PULL, 1, "push"},
    {"sub", SOCKET_SUB, 1, "pub"},
    {"push", SOCKET_PUSH, 0, "pull"},
    {"pub", SOCKET_PUB, 0, "sub"},
};

/* What is being read, for messages. */
struct asked {
    const char *option;
    const char *text;
    int is_input;
};

__attribute__((format(printf, 2, 3))) static enum exit_status
refuse(const struct asked *asked, const char *format, ...)
{
    char why[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    log_error("%s: '%s' %s", asked->option, asked->text, why);
    return EXIT_USAGE;
}

static int
starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The types that would do in this place. */
static const char *
fitting(const struct asked *asked)
{
    return asked->is_input ? "pull or sub" : "push or pub";
}

/* ---- tcp ---- */

struct address {
    char host[256]; /* without brackets */
    int bracketed;
    const char *port; /* NULL where there is none */
};

/* Splits ENDPOINT, tcp://HOST:PORT, at its last colon outside brackets. -1
 * where the host is too long for any name. */
static int
split(const char *endpoint, struct address *address)
{
    const char *host = endpoint + strlen("tcp://");
    const char *close = host[0] == '[' ? strchr(host, ']') : NULL;
    const char *colon = strrchr(close != NULL ? close : host, ':');
    size_t len = colon != NULL ? (size_t)(colon - host) : strlen(host);

    address->port = colon != NULL ? colon + 1 : NULL;
    address->bracketed = close != NULL && close + 1 == host + len;
    if (address->bracketed) {
        host++;
        len -= 2;
    }
    if (len >= sizeof address->host)
        return -1;
    memcpy(address->host, host, len);
    address->host[len] = '\0';
    return 0;
}

static int
is_ipv6(const char *host)
{
    char number[INET6_ADDRSTRLEN];
    struct in6_addr ignored;
    size_t len = strcspn(host, "%"); /* a zone may follow, as in %eth0 */

    if (len >= sizeof number)
        return 0;
    memcpy(number, host, len);
    number[len] = '\0';
    return inet_pton(AF_INET6, number, &ignored) == 1;
}

static enum exit_status
check_host(const struct asked *asked, const struct address *address, int bind)
{
    const char *host = address->host;

    if (host[0] == '\0')
        return refuse(asked, "has no host; write tcp://HOST:PORT");
    if (address->bracketed)
        return is_ipv6(host)
                   ? EXIT_DONE
                   : refuse(asked, "has no IPv6 address in its "
                                   "brackets; write tcp://[::1]:PORT");
    if (strcmp(host, "*") == 0)
        return bind ? EXIT_DONE
                    : refuse(asked, "connects, and * names no host; put @ "
                                    "before tcp:// to bind, or name the host");
    if (host[0] == '@')
        return refuse(asked, "has its @ too late; to bind, put it before "
                             "tcp://");
    if (is_ipv6(host))
        return refuse(asked,
                      "has an IPv6 address without brackets; write "
                      "tcp://[%s]:%s",
                      host, address->port);
    if (strspn(host, LETTERS "0123456789.-_") != strlen(host))
        return refuse(asked,
                      "has '%s' for a host, which is no name or address; "
                      "write one tcp://HOST:PORT",
                      host);
    if (bind && strcasecmp(host, "localhost") == 0)
        return refuse(asked, "binds a name, and only an address or an "
                             "interface can be bound; write 127.0.0.1 or lo");
    return EXIT_DONE;
}

static enum exit_status
check_port(const struct asked *asked, const char *port, int bind)
{
    if (strcmp(port, "*") == 0)
        return bind ? EXIT_DONE
                    : refuse(asked, "connects, and * is no port to connect "
                                    "to; name one from 1 to 65535");
    size_t len = strlen(port);
    long number = strtol(port, NULL, 10);
    if (len == 0 || len > 5 || strspn(port, "0123456789") != len ||
        number < 1 || number > 65535)
        return refuse(asked,
                      "has '%s' for a port; it must be a number from 1 to "
                      "65535%s",
                      port, bind ? ", or * for any that is free" : "");
    return EXIT_DONE;
}

static enum exit_status
check_tcp(const struct asked *asked, const struct spec *spec)
{
    struct address address;

    if (split(spec->endpoint, &address) != 0)
        return refuse(asked, "has a host longer than any name may be; write "
                             "tcp://HOST:PORT");
    if (address.port == NULL)
        return refuse(asked, "has no port; write tcp://HOST:PORT");
    enum exit_status status = check_host(asked, &address, spec->bind);
    if (status == EXIT_DONE)
        status = check_port(asked, address.port, spec->bind);
    return status;
}

/* ---- ipc ---- */

static enum exit_status
check_ipc(const struct asked *asked, const struct spec *spec)
{
    const char *path = spec->endpoint + strlen("ipc://");

    if (path[0] == '\0' || strcmp(path, "@") == 0)
        return refuse(asked, "has no path; write ipc:///run/NAME");
    /* To libzmq it is a directory in TMPDIR with a random name. */
    if (path[0] == '*')
        return refuse(asked, "would be bound where nobody finds it; write "
                             "ipc:///run/NAME");
    /* CZMQ takes lists of endpoints; here they would be one strange path. */
    if (strstr(path, ",ipc://") != NULL || strstr(path, ",tcp://") != NULL ||
        strstr(path, ",@") != NULL || strstr(path, ",>") != NULL)
        return refuse(asked, "names several endpoints; %s",
                      asked->is_input ? "give --in once for each"
                                      : "an output has one");
    if (strlen(path) > PATH_BYTES)
        return refuse(asked,
                      "has a path of %zu bytes, and a socket's may have %zu "
                      "at most; use a shorter one",
                      strlen(path), PATH_BYTES);
    return EXIT_DONE;
}

/* ---- slips ---- */

/* Refuses a SPEC whose endpoint, REST, lacks its transport or the slashes
 * after it, with what was probably meant. */
static enum exit_status
suggest(const struct asked *asked, const char *type, const char *rest)
{
    const char *transport = NULL;
    int bind = rest[0] == '@';

    rest += bind;
    rest += bind && rest[0] == '@';
    /* push://HOST:PORT has its type where the transport belongs. */
    rest += starts(rest, "//") ? 2 : 0;
    if (!bind && rest[0] == '@') {
        bind = 1;
        rest++;
    }
    if (starts(rest, "tcp:") || starts(rest, "ipc:")) {
        transport = rest[0] == 't' ? "tcp" : "ipc";
        rest += strlen("tcp:");
        rest += starts(rest, "//") ? 2 : 0;
    } else if (rest[0] == '/' || rest[0] == '.') {
        transport = "ipc";
    } else if (strchr(rest, ':') != NULL) {
        transport = "tcp";
    }
    if (transport != NULL && transport[0] == 't')
        rest += strspn(rest, "/");
    if (transport == NULL || rest[0] == '\0')
        return refuse(asked,
                      "has no endpoint; write %s:tcp://HOST:PORT or "
                      "%s:ipc://PATH, or ./%s for a file of that name",
                      type, type, asked->text);
    return refuse(asked, "is no SPEC; did you mean %s:%s%s://%s?", type,
                  bind ? "@" : "", transport, rest);
}

static enum exit_status
refuse_transport(const struct asked *asked, const char *type,
                 const struct spec *spec)
{
    size_t word = strspn(spec->endpoint, LETTERS);

    if (word == 0 || !starts(spec->endpoint + word, "://"))
        return suggest(asked, type, spec->endpoint - spec->bind);
    if (starts(spec->endpoint, "inproc://"))
        return refuse(asked, "cannot be used: inproc:// reaches nobody "
                             "outside this process; use ipc:// or tcp://");
    return refuse(asked,
                  "cannot be used: %.*s:// carries no records here; use "
                  "tcp:// or ipc://",
                  (int)word, spec->endpoint);
}

/* A file's name, unless it can only be a slip: it begins like an endpoint,
 * or has the form WORD:[@]WORD://. */
static enum exit_status
check_file(const struct asked *asked)
{
    const char *bare = asked->text + (asked->text[0] == '@');
    size_t word = strspn(bare, LETTERS);

    if (starts(bare, "tcp:") || starts(bare, "ipc:"))
        return suggest(asked, asked->is_input ? "pull" : "push", asked->text);
    if (word == 0 || bare[word] != ':')
        return EXIT_DONE;
    if (starts(bare + word, "://"))
        return refuse(asked,
                      "is neither a file nor a socket; a socket is "
                      "TYPE:ENDPOINT with TYPE %s",
                      fitting(asked));
    const char *rest = bare + word + 1;
    rest += rest[0] == '@';
    if (starts(rest + strspn(rest, LETTERS), "://") && rest[0] != ':')
        return refuse(asked,
                      "has the type '%.*s', which is none of ours; "
                      "use %s",
                      (int)word, bare, fitting(asked));
    return EXIT_DONE;
}

/* ---- the whole ---- */

static const struct type *
find_type(const char *text)
{
    size_t len = strcspn(text, ":");

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (text[len] == ':' && len == strlen(types[i].name) &&
            strncmp(text, types[i].name, len) == 0)
            return &types[i];
    return NULL;
}

static enum exit_status
parse_socket(struct spec *spec, const struct asked *asked,
             const struct type *type)
{
    const char *rest = asked->text + strlen(type->name) + 1;
    int fits = type->is_input == asked->is_input;

    spec->kind = SPEC_SOCKET;
    spec->socket = type->socket;
    spec->bind = rest[0] == '@';
    spec->endpoint = rest + spec->bind;
    int is_tcp = starts(spec->endpoint, "tcp://");
    if (!is_tcp && !starts(spec->endpoint, "ipc://"))
        return refuse_transport(asked, fits ? type->name : type->other, spec);
    if (!fits)
        return refuse(asked, "%s, and this is an %s; did you mean %s:%s?",
                      type->is_input ? "receives" : "sends",
                      asked->is_input ? "input" : "output", type->other, rest);
    return is_tcp ? check_tcp(asked, spec) : check_ipc(asked, spec);
}

enum exit_status
spec_parse(struct spec *spec, const char *option, const char *text,
           int is_input)
{
    struct asked asked = {option, text, is_input};
    const struct type *type = find_type(text);

    *spec = (struct spec){.text = text, .kind = SPEC_FILE};
    if (text[0] == '\0')
        return refuse(&asked,
                      "is no place; give a file, - for standard %s, "
                      "or a socket as TYPE:ENDPOINT",
                      is_input ? "input" : "output");
    if (strcmp(text, "-") == 0) {
        spec->kind = SPEC_STDIO;
        return EXIT_DONE;
    }
    if (strcmp(text, "null:") == 0) {
        spec->kind = SPEC_NOWHERE;
        return is_input ? refuse(&asked, "is no input; give a file, - for "
                                         "standard input, or pull:ENDPOINT")
                        : EXIT_DONE;
    }
    return type != NULL ? parse_socket(spec, &asked, type) : check_file(&asked);
}

/* [@]ENDPOINT alone, of a question or of who answers it. */
static enum exit_status
parse_endpoint(struct spec *spec, const char *option, const char *text,
               int bind)
{
    struct asked asked = {option, text, 1};

    *spec = (struct spec){.text = text,
                          .kind = SPEC_SOCKET,
                          .socket = SOCKET_CONTROL,
                          .bind = bind,
                          .endpoint = text + (text[0] == '@')};
    if (!bind && starts(spec->endpoint, "tcp://*"))
        return refuse(&asked, "names no host, where one has to be asked; "
                              "write tcp://HOST:PORT");
    if (starts(spec->endpoint, "tcp://"))
        return check_tcp(&asked, spec);
    if (starts(spec->endpoint, "ipc://"))
        return check_ipc(&asked, spec);
    return refuse(&asked, "is no endpoint; write tcp://HOST:PORT or "
                          "ipc://PATH");
}

enum exit_status
spec_parse_asked(struct spec *spec, const char *option, const char *text)
{
    return parse_endpoint(spec, option, text, 1);
}

enum exit_status
spec_parse_asking(struct spec *spec, const char *option, const char *text)
{
    return parse_endpoint(spec, option, text, 0);
}

int
spec_is_local(const struct spec *spec)
{
    struct address address;
    struct in_addr ipv4;
    struct in6_addr ipv6;

    if (spec->kind != SPEC_SOCKET || starts(spec->endpoint, "ipc://"))
        return 1;
    if (split(spec->endpoint, &address) != 0)
        return 0;
    if (!address.bracketed && inet_pton(AF_INET, address.host, &ipv4) == 1)
        return ntohl(ipv4.s_addr) >> 24 == 127;
    if (address.bracketed)
        return inet_pton(AF_INET6, address.host, &ipv6) == 1 &&
               (IN6_IS_ADDR_LOOPBACK(&ipv6) ||
                (IN6_IS_ADDR_V4MAPPED(&ipv6) && ipv6.s6_addr[12] == 127));
    /* Interfaces are what a bind looks up, names what a connect does. */
    return spec->bind ? strcmp(address.host, "lo") == 0
                      : strcasecmp(address.host, "localhost") == 0;
}
