/* eye.h - what libzmq tells of a socket's connections. */
#ifndef EYE_H
#define EYE_H

#include <stdint.h>

#include "wire.h"

struct eye {
    void *socket;    /* can be read when there is something to see, or NULL */
    int is_deaf;     /* what it watches is of no use any more, ... */
    const char *why; /* ... for people, ... */
    int told;        /* ... once at least, ... */
    double anew_at;  /* ... and before then it is not connected anew */
};

#define EYE_FORGED "what is said there is forged"

struct sight {
    uint16_t event; /* ZMQ_EVENT_... */
    int fd;         /* of the connection, where it says so */
};

/* Sees whether one of EVENTS happens to SOCKET, which is yet to be bound or
 * connected. Says what is wrong. */
enum exit_status eye_open(struct eye *eye, struct wire *wire,
                          const struct socket *socket, int events);

/* The next of them, if there is one. */
int eye_next(struct eye *eye, struct sight *sight);

/* It is of no use any more, and WHY. */
void eye_give_up(struct eye *eye, const char *why);

/* Who is there in the right one's place, or between, may forge what is said so
 * that libzmq does not connect again. Another socket can: whether it is time
 * for one. */
int eye_wants_another(const struct eye *eye);

/* There is one, as SPEC says. */
void eye_has_another(struct eye *eye, const struct spec *spec);

/* Sees no more of SOCKET. */
void eye_close(struct eye *eye, const struct socket *socket);

#endif
