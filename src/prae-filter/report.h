/* report.h - the account at exit, and when SIGUSR2 asks for it. */
#ifndef REPORT_H
#define REPORT_H

#include "options.h"

/* What sockets and the worker add to the counts. */
struct traffic {
    uint64_t messages_in, messages_out;
    uint64_t undelivered; /* records in our hands when time was up */
    uint64_t unheard;     /* records published while nobody listened */
    uint64_t dropped;     /* records that a slow subscriber did not get */
    uint64_t unlearned;   /* records judged, and not learned */
    uint64_t reverts;     /* snapshots that somebody went back to */
    uint64_t turned_away; /* connections whose key was not allowed */
    double blocked;       /* seconds that an output kept us waiting */
    double longest;       /* seconds that a window took to be learned */
};

/* One line with the counts; what is held is called HELD. */
void report_line(const struct options *options, const prae_stats *stats,
                 const char *held, int asked);

/* Where the counts go, to *FD, if that was handed over; else -1. To be asked
 * first of all: it may be standard output, which is closed behind the last
 * record. EXIT_DONE, or EXIT_IO after saying what is wrong. */
enum exit_status report_open(const struct options *options, int *fd);

/* The line at exit, and the counts as JSON where that is asked for, to FD,
 * which is closed, or where that is -1 to their file. STATUS, or what went
 * wrong with writing them. */
enum exit_status report_write(const struct options *options, int fd,
                              const prae_stats *stats,
                              const struct traffic *traffic,
                              enum exit_status status);

#endif
