/*
 * fuzz_spec.c - any text as the SPEC of an input and of an output, as the
 * endpoint of --control, the address of --http, and a host it is asked for.
 *
 * About: src/prae-filter/spec.c src/prae-filter/listener.c
 */
#include "heard.h"

#include <arpa/inet.h>

#include "listener.h"
#include "spec.h"

static int
begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* A port is a number or any. */
static void
check_endpoint(const struct spec *spec)
{
    if (begins(spec->endpoint, "ipc://")) {
        MUST(strlen(spec->endpoint) > strlen("ipc://"));
        MUST(spec_is_local(spec));
        return;
    }
    MUST(begins(spec->endpoint, "tcp://"));
    const char *port = strrchr(spec->endpoint, ':') + 1;
    long number = strtol(port, NULL, 10);
    MUST((spec->bind && strcmp(port, "*") == 0) ||
         (number >= 1 && number <= 65535 && strspn(port, "0123456789") > 0));
}

/* A socket is as its text says. */
static void
check_socket(const struct spec *spec, int is_input)
{
    static const char *const names[] = {"pull:", "sub:", "push:", "pub:"};
    const char *name = names[spec->socket];

    MUST(begins(spec->text, name));
    MUST(spec->endpoint == spec->text + strlen(name) + (spec->bind != 0));
    MUST(!spec->bind || spec->endpoint[-1] == '@');
    MUST(is_input ==
         (spec->socket == SOCKET_PULL || spec->socket == SOCKET_SUB));
    check_endpoint(spec);
}

static int
check(const char *text, int is_input)
{
    struct spec spec;

    heard_lines = 0;
    enum exit_status status = spec_parse(&spec, "--x", text, is_input);
    if (status != EXIT_DONE) {
        MUST(status == EXIT_USAGE && heard_lines == 1);
        return 0;
    }
    MUST(heard_lines == 0 && spec.text == text && text[0] != '\0');
    if (spec.kind == SPEC_SOCKET)
        check_socket(&spec, is_input);
    else
        MUST(spec_is_local(&spec));
    MUST((spec.kind == SPEC_STDIO) == (strcmp(text, "-") == 0));
    MUST((spec.kind == SPEC_NOWHERE) == (strcmp(text, "null:") == 0));
    (void)spec_is_local(&spec);
    return spec.kind == SPEC_SOCKET;
}

static void
check_asked(const char *text)
{
    struct spec spec;

    heard_lines = 0;
    enum exit_status status = spec_parse_asked(&spec, "--x", text);
    MUST(heard_lines == (status == EXIT_DONE ? 0 : 1));
    if (status == EXIT_DONE) {
        MUST(spec.kind == SPEC_SOCKET && spec.socket == SOCKET_CONTROL);
        MUST(spec.bind && spec.endpoint == text + (text[0] == '@'));
        check_endpoint(&spec);
    }
}

/* What is called local is loopback. */
static void
check_listener(const char *text)
{
    struct listener listener;

    heard_lines = 0;
    enum exit_status status = listener_parse(&listener, "--x", text);
    MUST(heard_lines == (status == EXIT_DONE ? 0 : 1));
    (void)listener_is_literal(text);
    if (status != EXIT_DONE || !listener.local)
        return;
    if (listener.address.any.sa_family == AF_INET)
        MUST(ntohl(listener.address.ipv4.sin_addr.s_addr) >> 24 == 127);
    else
        MUST(IN6_IS_ADDR_LOOPBACK(&listener.address.ipv6.sin6_addr));
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char *text = as_text(data, size);
    int in = check(text, 1), out = check(text, 0);

    MUST(!in || !out);
    check_asked(text);
    check_listener(text);
    free(text);
    return 0;
}
