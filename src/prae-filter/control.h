/*
 * control.h - --control: a socket that commands come to, prae-filter(1).
 *
 * A ROUTER socket, to those who ask the same as REP, that the loop looks into
 * when something has come. One that asks and is gone by then costs nothing:
 * libzmq throws the answer away, and never has us wait for room.
 */
#ifndef CONTROL_H
#define CONTROL_H

#include "wire.h"

struct loop;

struct control {
    struct socket socket;
    int look; /* more may be in it; 0: only when it can be read again */
};

/* Binds SPEC. EXIT_DONE, or what is wrong, after saying so. */
enum exit_status control_open(struct control *control, struct wire *wire,
                              const struct spec *spec);

/* Answers what has come, some of it at a time; never blocks. */
void control_answer(struct loop *loop);

/* Closing one that is closed does nothing. */
void control_close(struct control *control);

#endif
