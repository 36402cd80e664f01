/*
 * quiet.h - for how long something has been so, to our eyes.
 *
 * What libzmq's thread is on is seen by its being silent. Where we did not look
 * that thread may have had no processor either, as when all of us were stopped:
 * a gap between two looks counts as one look's time, however long it was.
 */
#ifndef QUIET_H
#define QUIET_H

#define QUIET_LOOK 0.005 /* seconds that a look stands for, at most */

struct quiet {
    int is_so;
    double at;      /* the last look */
    double seconds; /* since the first one, without the gaps */
};

/* A look at TIME. Whether it has been so for SECONDS. */
static inline int
quiet_for(struct quiet *quiet, int is_so, double time, double seconds)
{
    double gap = time - quiet->at;

    if (!is_so || !quiet->is_so)
        quiet->seconds = 0.0;
    else
        quiet->seconds += gap < QUIET_LOOK ? gap : QUIET_LOOK;
    quiet->is_so = is_so;
    quiet->at = time;
    return is_so && quiet->seconds >= seconds;
}

#endif
