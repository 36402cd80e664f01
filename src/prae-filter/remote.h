/*
 * remote.h - endpoints that we connect to, known again by address.
 *
 * libzmq connects on a thread of its own, as often as it takes, and looks
 * names up each time: all that there is to see then is where to. One thread
 * adds endpoints; any may look for them meanwhile.
 */
#ifndef REMOTE_H
#define REMOTE_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "intake.h"

struct remote {
    enum intake_role role;
    enum intake_kind kind; /* of who is there */
    const char *name;      /* for people */
    const char *path;      /* of ipc, NULL: tcp, and the rest counts */
    struct in6_addr host;  /* 0 where it is given by name, and may be any */
    in_port_t port;        /* as the network has it */
};

/* Adds ENDPOINT, tcp://HOST:PORT or ipc://PATH as in SPECs. That and NAME are
 * kept, not copied. */
void remote_add(enum intake_role role, const char *name, const char *endpoint,
                enum intake_kind kind);

/*
 * The one that ADDRESS may be, or NULL. A host that was given by number goes
 * before those by name. Where several are left whose roles differ, at one port
 * of hosts with names, it is the one whose peers may say most: an input, then
 * pub. A message without end has one all the same, and for what a push is told
 * there is no room in its queue; but a pub's subscriptions are as many as its
 * peer likes where an input is beside it.
 */
const struct remote *remote_find(const struct sockaddr *address, socklen_t len);

/* The kinds, as bits, of all those that ADDRESS may be. */
unsigned remote_kinds(const struct sockaddr *address, socklen_t len);

#endif
