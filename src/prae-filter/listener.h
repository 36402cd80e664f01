/*
 * listener.h - a TCP port that others connect to, as an option names it:
 *
 *     PORT, :PORT            on 127.0.0.1
 *     ADDRESS:PORT           127.0.0.1:9100, [::1]:9100
 *     localhost:PORT         127.0.0.1 as well
 *     *:PORT                 on all of this machine's IPv4 addresses
 *
 * Port 0 is any that is free. Names are not looked up: what one leads to may
 * change between the check that it is loopback and the bind.
 */
#ifndef LISTENER_H
#define LISTENER_H

#include <netinet/in.h>

#include "status.h"

#define LISTENER_URL 80 /* bytes of one, with its 0 */

struct listener {
    union {
        struct sockaddr any;
        struct sockaddr_in ipv4;
        struct sockaddr_in6 ipv6;
    } address;
    int local; /* only this machine can connect */
};

/* Reads TEXT, the value of OPTION ("--http"). EXIT_DONE, or EXIT_USAGE after
 * saying what is wrong. Nothing is opened. */
enum exit_status listener_parse(struct listener *listener, const char *option,
                                const char *text);

/* Binds and listens; the descriptor to *FD, and to URL where it is, with the
 * port it got. EXIT_DONE, or EXIT_UNAVAILABLE after saying what is wrong. */
enum exit_status listener_open(const struct listener *listener,
                               const char *option, int *fd,
                               char url[LISTENER_URL]);

/* Whether HOST, as a request has it, HOST or HOST:PORT, can only be meant for
 * this machine's loopback or for a literal address. Other names may have been
 * made to lead here by somebody whose page a browser shows. */
int listener_is_literal(const char *host);

#endif
