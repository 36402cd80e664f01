/*
 * options.h - the command line and the configuration file.
 *
 * One table feeds parsing, --help, --print-config, the completion and the
 * check of the man page.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "prae.h"
#include "status.h"

struct options {
    prae_params params;
    const char *in;       /* "-" or a file */
    const char *inliers;  /* SPECs; see sink.h */
    const char *outliers; /* NULL: nowhere */
    const char *rejects;  /* NULL: with the outliers */
    const char *scores;   /* NULL: none */
    const char *stats;    /* file for the counts at exit, or NULL */
    const char *config;
    const char *model;     /* the snapshot's file, or NULL */
    const char *inspect;   /* print this snapshot and stop, or NULL */
    size_t keep;           /* older snapshots */
    double save_seconds;   /* between two snapshots; 0: not by time */
    uint64_t save_windows; /* the same in windows; 0: not by windows */
    double max_wait;       /* seconds a record may wait; 0: for ever */
    size_t min_window;     /* records below which the wait goes on */
    int json;              /* --log=json */
    int format_given;
    int quiet;
    int verbose;
    int progress; /* -1: where stderr is a terminal */
    int stop;     /* --help and the like have been answered */
    char **kept;  /* the configuration's values, which others point at */
    size_t kept_count;
};

/*
 * Fills OPTIONS from the configuration file and the command line, which
 * outdoes it. What is pointed at lives as long as ARGV and OPTIONS, which
 * are to be freed whatever comes back: EXIT_DONE, EXIT_USAGE or EXIT_CONFIG,
 * after saying what is wrong.
 */
enum exit_status options_parse(struct options *options, int argc, char **argv);

void options_free(struct options *options);

#endif
