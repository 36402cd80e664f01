/*
 * live.h - the loop's part in being watched: it says that it turns, and
 * renders what was asked for.
 */
#ifndef LIVE_H
#define LIVE_H

#include "http.h"

struct loop;

struct live {
    struct http *http; /* NULL: nobody can watch */
    struct publish publish;
    prae_buffer text; /* scratch */
    int due;          /* topics to render, 1 << topic each */
};

/* Starts the server where one is asked for. EXIT_DONE, or what is wrong, after
 * saying so. */
enum exit_status live_open(struct loop *loop);

/* Once a turn, at TIME: renders and hands over what was asked for. */
void live_mind(struct loop *loop, double time);

/* When live_mind is to be called at the latest, in clock_now's seconds;
 * infinite where it need not be. */
double live_next(const struct loop *loop, double time);

/* Ends the server. */
void live_close(struct loop *loop);

#endif
