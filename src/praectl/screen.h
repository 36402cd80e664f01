/*
 * screen.h - a terminal of which we have all: other screen, no echo, keys at
 * once; given back as it was when we end, are stopped or are killed.
 *
 * Signals only leave a mark in a pipe; screen_events reads it. There is one
 * screen in a process.
 */
#ifndef SCREEN_H
#define SCREEN_H

#include <stddef.h>

#include "canvas.h"
#include "status.h"

enum screen_event {
    SCREEN_NOTHING,
    SCREEN_DRAW, /* another size, or back from a stop: draw anew */
    SCREEN_KEY,
    SCREEN_END /* a signal to end, or the terminal is gone */
};

enum screen_shown {
    SCREEN_SHOWN,
    SCREEN_GONE,  /* the terminal takes nothing */
    SCREEN_MEMORY /* there is none */
};

/* Takes standard output's terminal. EXIT_DONE, or EXIT_FAILED after saying
 * what is wrong. */
enum exit_status screen_open(void);

/* Descriptors that can be read when screen_event has something: the signals'
 * and, where standard input is a terminal, the keys'. How many, 1 or 2. */
size_t screen_fds(int fds[2]);

/* What has happened, one thing at a time; *KEY where it is a key. Where it was
 * a stop, it comes back when we are continued. */
enum screen_event screen_event(char *key);

/* Rows and columns there are; 24 and 80 where the terminal does not say. */
void screen_size(int *rows, int *cols);

/* Shows CANVAS, which is of the screen's size. */
enum screen_shown screen_show(const struct canvas *canvas, int colours);

/* Gives the terminal back; where a signal ended us it ends us now. */
void screen_close(void);

#endif
