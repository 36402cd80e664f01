/* clock.h - time that never jumps: seconds since some moment before we
 * started. */
#ifndef CLOCK_H
#define CLOCK_H

#include <time.h>

static inline double
clock_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

#endif
