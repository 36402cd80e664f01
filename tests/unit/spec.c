/* SPECs mean what they say, and slips are told what they should be. */
#include "spec.h"

#include <string.h>

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

enum { OUT, IN };

static void
test_places(void)
{
    static const struct {
        const char *text;
        int is_input;
        enum spec_kind kind;
    } cases[] = {
        {"-", IN, SPEC_STDIO},
        {"-", OUT, SPEC_STDIO},
        {"null:", OUT, SPEC_NOWHERE},
        {"in.msgpack", IN, SPEC_FILE},
        {"/dev/null", OUT, SPEC_FILE},
        {"--", OUT, SPEC_FILE},
        {"C:x", IN, SPEC_FILE},
        {"C:/x", IN, SPEC_FILE},
        {"./pull:x", IN, SPEC_FILE},
        {"./tcp://a:1", OUT, SPEC_FILE},
        {"10:30:00.csv", OUT, SPEC_FILE},
        {"day:1", OUT, SPEC_FILE},
        {"null:x", OUT, SPEC_FILE},
        {"pullover", IN, SPEC_FILE},
        {"pull", IN, SPEC_FILE},
        {"subs:x", IN, SPEC_FILE},
        {"@home", IN, SPEC_FILE},
        {":", IN, SPEC_FILE},
        {"a:://b", IN, SPEC_FILE},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct spec spec;
        heard[0] = '\0';
        enum exit_status status =
            spec_parse(&spec, "--x", cases[i].text, cases[i].is_input);
        ok(status == EXIT_DONE && spec.kind == cases[i].kind &&
               spec.text == cases[i].text && spec_is_local(&spec) &&
               heard[0] == '\0',
           "%s is %s", cases[i].text,
           cases[i].kind == SPEC_FILE ? "a file" : "not a file");
    }
}

static void
test_sockets(void)
{
    static const struct {
        const char *text;
        int is_input;
        enum socket_kind socket;
        int bind;
        const char *endpoint;
        int local;
    } cases[] = {
        {"pull:tcp://a:1", IN, SOCKET_PULL, 0, "tcp://a:1", 0},
        {"sub:@tcp://*:65535", IN, SOCKET_SUB, 1, "tcp://*:65535", 0},
        {"push:@tcp://*:*", OUT, SOCKET_PUSH, 1, "tcp://*:*", 0},
        {"pub:ipc:///run/x", OUT, SOCKET_PUB, 0, "ipc:///run/x", 1},
        {"pull:@ipc://x", IN, SOCKET_PULL, 1, "ipc://x", 1},
        {"pull:@ipc://a:b c", IN, SOCKET_PULL, 1, "ipc://a:b c", 1},
        {"pull:@ipc://@name", IN, SOCKET_PULL, 1, "ipc://@name", 1},
        {"pull:tcp://127.0.0.1:5", IN, SOCKET_PULL, 0, "tcp://127.0.0.1:5", 1},
        {"pull:@tcp://127.9.8.7:*", IN, SOCKET_PULL, 1, "tcp://127.9.8.7:*", 1},
        {"pull:@tcp://128.0.0.1:5", IN, SOCKET_PULL, 1, "tcp://128.0.0.1:5", 0},
        {"pull:@tcp://0.0.0.0:5", IN, SOCKET_PULL, 1, "tcp://0.0.0.0:5", 0},
        {"pull:tcp://localhost:5", IN, SOCKET_PULL, 0, "tcp://localhost:5", 1},
        {"pull:tcp://LocalHost:5", IN, SOCKET_PULL, 0, "tcp://LocalHost:5", 1},
        {"pull:tcp://localhost.evil.org:5", IN, SOCKET_PULL, 0,
         "tcp://localhost.evil.org:5", 0},
        {"pull:tcp://127.0.0.1.evil.org:5", IN, SOCKET_PULL, 0,
         "tcp://127.0.0.1.evil.org:5", 0},
        {"push:@tcp://lo:5", OUT, SOCKET_PUSH, 1, "tcp://lo:5", 1},
        {"push:tcp://lo:5", OUT, SOCKET_PUSH, 0, "tcp://lo:5", 0},
        {"push:@tcp://eth0:5", OUT, SOCKET_PUSH, 1, "tcp://eth0:5", 0},
        {"push:@tcp://[::1]:5", OUT, SOCKET_PUSH, 1, "tcp://[::1]:5", 1},
        {"push:@tcp://[::]:5", OUT, SOCKET_PUSH, 1, "tcp://[::]:5", 0},
        {"push:@tcp://[0:0::1]:5", OUT, SOCKET_PUSH, 1, "tcp://[0:0::1]:5", 1},
        {"push:tcp://[::ffff:127.0.0.1]:5", OUT, SOCKET_PUSH, 0,
         "tcp://[::ffff:127.0.0.1]:5", 1},
        {"push:tcp://[::ffff:10.0.0.1]:5", OUT, SOCKET_PUSH, 0,
         "tcp://[::ffff:10.0.0.1]:5", 0},
        {"push:tcp://[fe80::1%eth0]:5", OUT, SOCKET_PUSH, 0,
         "tcp://[fe80::1%eth0]:5", 0},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct spec spec;
        heard[0] = '\0';
        enum exit_status status =
            spec_parse(&spec, "--x", cases[i].text, cases[i].is_input);
        if (!ok(status == EXIT_DONE && spec.kind == SPEC_SOCKET &&
                    spec.socket == cases[i].socket &&
                    spec.bind == cases[i].bind &&
                    strcmp(spec.endpoint, cases[i].endpoint) == 0,
                "%s is taken apart", cases[i].text))
            printf("# %s\n", heard);
        ok(status == EXIT_DONE && spec_is_local(&spec) == cases[i].local,
           "... and is %s", cases[i].local ? "local" : "not local");
    }
}

static void
test_refusals(void)
{
    static const struct {
        const char *text;
        int is_input;
        const char *said;
    } cases[] = {
        {"", IN, "- for standard input"},
        {"", OUT, "- for standard output"},
        {"null:", IN, "is no input"},
        /* the wrong end */
        {"push:tcp://a:1", IN, "did you mean pull:tcp://a:1?"},
        {"pub:@tcp://*:1", IN, "did you mean sub:@tcp://*:1?"},
        {"pull:ipc://x", OUT, "did you mean push:ipc://x?"},
        {"sub:ipc://x", OUT, "did you mean pub:ipc://x?"},
        {"push://a:1", IN, "did you mean pull:tcp://a:1?"},
        /* transports */
        {"pull:inproc://x", IN, "reaches nobody outside this process"},
        {"pull:@inproc://x", IN, "reaches nobody outside this process"},
        {"sub:udp://a:1", IN, "udp:// carries no records here"},
        {"pub:epgm://eth0;239.1.1.1:5", OUT, "epgm:// carries no records"},
        /* missing pieces */
        {"push://a:1", OUT, "did you mean push:tcp://a:1?"},
        {"push://@*:1", OUT, "did you mean push:@tcp://*:1?"},
        {"push:///run/x", OUT, "did you mean push:ipc:///run/x?"},
        {"pull:a:1", IN, "did you mean pull:tcp://a:1?"},
        {"pull:@*:1", IN, "did you mean pull:@tcp://*:1?"},
        {"pull:tcp:a:1", IN, "did you mean pull:tcp://a:1?"},
        {"pull:tcp:/a:1", IN, "did you mean pull:tcp://a:1?"},
        {"pull:@tcp:a:1", IN, "did you mean pull:@tcp://a:1?"},
        {"pull:ipc:/run/x", IN, "did you mean pull:ipc:///run/x?"},
        {"pull:/run/x", IN, "did you mean pull:ipc:///run/x?"},
        {"pull:./x", IN, "did you mean pull:ipc://./x?"},
        {"pull:x", IN, "./pull:x for a file"},
        {"pull:", IN, "pull:tcp://HOST:PORT"},
        {"pull:@", IN, "pull:tcp://HOST:PORT"},
        {"pull:tcp:", IN, "pull:tcp://HOST:PORT"},
        {"pull:@@ipc://x", IN, "did you mean pull:@ipc://x?"},
        {"push:@@tcp://a:1", OUT, "did you mean push:@tcp://a:1?"},
        {"tcp://a:1", IN, "did you mean pull:tcp://a:1?"},
        {"tcp://a:1", OUT, "did you mean push:tcp://a:1?"},
        {"@tcp://*:1", OUT, "did you mean push:@tcp://*:1?"},
        {"ipc:///run/x", IN, "did you mean pull:ipc:///run/x?"},
        {"tcp:a:1", OUT, "did you mean push:tcp://a:1?"},
        {"http://a/b", IN, "TYPE pull or sub"},
        {"inproc://a", OUT, "TYPE push or pub"},
        {"dealer:tcp://a:1", IN, "has the type 'dealer'"},
        {"PULL:@tcp://*:1", IN, "use pull or sub"},
        /* hosts */
        {"pull:tcp://", IN, "has no port"},
        {"pull:tcp://a", IN, "has no port"},
        {"pull:tcp://[::1]", IN, "has no port"},
        {"pull:tcp://:1", IN, "has no host"},
        {"pull:tcp://[]:1", IN, "has no host"},
        {"pull:tcp://*:1", IN, "put @ before tcp://"},
        {"pull:tcp://@*:1", IN, "has its @ too late"},
        {"pull:tcp://::1:5", IN, "write tcp://[::1]:5"},
        {"pull:tcp://[localhost]:5", IN, "no IPv6 address in its brackets"},
        {"pull:@tcp://[*]:5", IN, "no IPv6 address in its brackets"},
        {"pull:tcp://[::1:5", IN, "no name or address"},
        {"pull:tcp://[::1]x:5", IN, "no name or address"},
        {"pull:tcp://a b:5", IN, "no name or address"},
        {"pull:tcp://a:1,tcp://b:2", IN, "no name or address"},
        {"pull:tcp://127.0.0.1:0;b:2", IN, "no name or address"},
        {"pull:@tcp://localhost:5", IN, "write 127.0.0.1"},
        /* ports */
        {"pull:tcp://a:", IN, "for a port"},
        {"pull:tcp://a:0", IN, "from 1 to 65535"},
        {"pull:@tcp://a:0", IN, "or * for any"},
        {"pull:tcp://a:65536", IN, "for a port"},
        {"pull:tcp://a:70000", IN, "for a port"},
        {"pull:tcp://a:99999999999999999999", IN, "for a port"},
        {"pull:tcp://a:-1", IN, "for a port"},
        {"pull:tcp://a:+1", IN, "for a port"},
        {"pull:tcp://a:1 ", IN, "for a port"},
        {"pull:tcp://a:80/x", IN, "for a port"},
        {"pull:tcp://a:http", IN, "for a port"},
        {"pull:tcp://a:*", IN, "* is no port to connect to"},
        /* paths */
        {"pull:ipc://", IN, "has no path"},
        {"pull:ipc://@", IN, "has no path"},
        {"pull:@ipc://*", IN, "nobody finds it"},
        {"pull:ipc://x,ipc://y", IN, "give --in once for each"},
        {"pull:@ipc:///run/x,@tcp://*:5", IN, "give --in once for each"},
        {"push:ipc://x,tcp://a:1", OUT, "an output has one"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct spec spec;
        heard[0] = '\0';
        enum exit_status status =
            spec_parse(&spec, "--some", cases[i].text, cases[i].is_input);
        if (!ok(status == EXIT_USAGE && strstr(heard, cases[i].said) != NULL &&
                    strncmp(heard, "--some: '", 9) == 0 &&
                    strstr(heard, cases[i].text) != NULL,
                "'%s' is refused: %s", cases[i].text, cases[i].said))
            printf("# status %d, %s\n", (int)status, heard);
    }
}

/* As long as may be, and one byte longer. */
static void
test_lengths(void)
{
    char text[8192];
    struct spec spec;

    snprintf(text, sizeof text, "pull:@ipc://%0107d", 0);
    ok(spec_parse(&spec, "--in", text, 1) == EXIT_DONE,
       "a path of 107 bytes is taken");
    snprintf(text, sizeof text, "pull:@ipc://%0108d", 0);
    ok(spec_parse(&spec, "--in", text, 1) == EXIT_USAGE &&
           strstr(heard, "108 bytes") != NULL,
       "one of 108 is refused");
    snprintf(text, sizeof text, "pull:tcp://%0255d:5", 0);
    ok(spec_parse(&spec, "--in", text, 1) == EXIT_DONE,
       "a host of 255 bytes is taken");
    snprintf(text, sizeof text, "pull:tcp://%0256d:5", 0);
    ok(spec_parse(&spec, "--in", text, 1) == EXIT_USAGE &&
           strstr(heard, "longer than any name") != NULL,
       "one of 256 is refused");
    snprintf(text, sizeof text, "pull:tcp://[%0300d]:%07000d", 0, 0);
    ok(spec_parse(&spec, "--in", text, 1) == EXIT_USAGE,
       "and so is one that is long everywhere");
}

static void
test_asked(void)
{
    static const struct {
        const char *text, *endpoint, *wrong;
    } cases[] = {
        {"ipc:///run/x", "ipc:///run/x", NULL},
        {"@ipc:///run/x", "ipc:///run/x", NULL},
        {"tcp://127.0.0.1:5555", "tcp://127.0.0.1:5555", NULL},
        {"@tcp://*:*", "tcp://*:*", NULL},
        {"tcp://127.0.0.1", NULL, "no port"},
        {"tcp://localhost:5", NULL, "127.0.0.1 or lo"},
        {"ipc://", NULL, "no path"},
        {"pull:@ipc://x", NULL, "tcp://HOST:PORT or ipc://PATH"},
        {"inproc://x", NULL, "tcp://HOST:PORT or ipc://PATH"},
        {"control.sock", NULL, "tcp://HOST:PORT or ipc://PATH"},
        {"", NULL, "no endpoint"},
        {"@@ipc://x", NULL, "no endpoint"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct spec spec;
        heard[0] = '\0';
        enum exit_status status =
            spec_parse_asked(&spec, "--control", cases[i].text);
        ok(cases[i].wrong == NULL
               ? status == EXIT_DONE && spec.bind && spec.kind == SPEC_SOCKET &&
                     strcmp(spec.endpoint, cases[i].endpoint) == 0
               : status == EXIT_USAGE && strstr(heard, cases[i].wrong) != NULL,
           "to be asked at '%s': %s", cases[i].text, heard);
    }
}

static void
test_asking(void)
{
    static const struct {
        const char *text, *endpoint, *wrong;
    } cases[] = {
        {"ipc:///run/x", "ipc:///run/x", NULL},
        {"@ipc:///run/x", "ipc:///run/x", NULL},
        {"tcp://localhost:5555", "tcp://localhost:5555", NULL},
        {"tcp://filter.example:5555", "tcp://filter.example:5555", NULL},
        {"tcp://127.0.0.1", NULL, "no port"},
        {"tcp://127.0.0.1:70000", NULL, "from 1 to 65535"},
        {"tcp://127.0.0.1:*", NULL, "from 1 to 65535"},
        {"tcp://*:5555", NULL, "names no host"},
        {"ipc://", NULL, "no path"},
        {"http://127.0.0.1:1", NULL, "tcp://HOST:PORT or ipc://PATH"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct spec spec;
        heard[0] = '\0';
        enum exit_status status =
            spec_parse_asking(&spec, "pause", cases[i].text);
        ok(cases[i].wrong == NULL
               ? status == EXIT_DONE && !spec.bind &&
                     strcmp(spec.endpoint, cases[i].endpoint) == 0
               : status == EXIT_USAGE && strstr(heard, cases[i].wrong) != NULL,
           "asking at '%s': %s", cases[i].text, heard);
    }
}

int
main(void)
{
    test_places();
    test_sockets();
    test_refusals();
    test_lengths();
    test_asked();
    test_asking();
    return tap_done();
}
