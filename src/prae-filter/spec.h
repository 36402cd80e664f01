/*
 * spec.h - where records come from and go to, as options say it:
 *
 *     -                      standard input or output
 *     PATH                   a file
 *     null:                  nowhere; outputs only
 *     TYPE:[@]ENDPOINT       a ZeroMQ socket; @ binds, without it connects
 *
 * TYPE is pull or sub for inputs, push or pub for outputs. ENDPOINT is
 * tcp://HOST:PORT or ipc://PATH. A file whose name looks like one of these
 * is written with its directory: ./pull:x.
 */
#ifndef SPEC_H
#define SPEC_H

#include "status.h"

enum spec_kind { SPEC_NOWHERE, SPEC_STDIO, SPEC_FILE, SPEC_SOCKET };
enum socket_kind {
    SOCKET_PULL,
    SOCKET_SUB,
    SOCKET_PUSH,
    SOCKET_PUB,
    SOCKET_CONTROL /* takes no records: see control.h */
};

struct spec {
    const char *text; /* as given */
    enum spec_kind kind;
    enum socket_kind socket; /* this and the rest: SPEC_SOCKET only */
    int bind;                /* else connect */
    const char *endpoint;    /* points into text */
};

/*
 * Reads TEXT, which must outlive SPEC. OPTION is put before messages as it
 * is: "--in", or "file:3: in". EXIT_DONE, or EXIT_USAGE after saying what is
 * wrong and what to write instead. Nothing is opened or looked up.
 */
enum exit_status spec_parse(struct spec *spec, const char *option,
                            const char *text, int is_input);

/* The same of [@]ENDPOINT alone, which is bound to be asked at. */
enum exit_status spec_parse_asked(struct spec *spec, const char *option,
                                  const char *text);

/* And of the one that somebody else has bound, to be connected to. */
enum exit_status spec_parse_asking(struct spec *spec, const char *option,
                                   const char *text);

/*
 * Whether only this machine can be at the other end: no socket, ipc, or tcp
 * on a loopback address. In doubt it is not: a name other than localhost
 * may lead anywhere.
 */
int spec_is_local(const struct spec *spec);

#endif
