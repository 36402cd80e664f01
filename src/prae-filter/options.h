/*
 * options.h - the command line and the configuration file.
 *
 * One table feeds parsing, --help, --print-config, the completion and the
 * check of the man page.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "listener.h"
#include "prae.h"
#include "spec.h"
#include "status.h"

#define LIST_MAX 64

struct list {
    const char *text[LIST_MAX];
    size_t count;
};

#define SINK_COUNT 4 /* outputs: inliers, outliers, rejects, scores */

struct options {
    prae_params params;
    struct list in;               /* SPECs, see spec.h */
    const char *inliers;          /* SPECs */
    const char *outliers;         /* NULL: nowhere */
    const char *rejects;          /* NULL: with the outliers */
    const char *scores;           /* NULL: none */
    const char *stats;            /* file for the counts at exit, or NULL */
    const char *report;           /* file for what was found, or NULL */
    const char *control;          /* endpoint for commands, or NULL */
    struct spec control_at;       /* the same, understood */
    const char *http;             /* where to be watched, or NULL */
    struct listener http_at;      /* the same, understood */
    int watched;                  /* somebody looks at more than the counts */
    struct spec source[LIST_MAX]; /* `in`, understood */
    struct spec out[SINK_COUNT];  /* outputs: likewise */
    int sockets_in;               /* one of the inputs is a socket */
    struct list topics;           /* for sub:; none: everything */
    const char *config;
    const char *model;     /* the snapshot's file, or NULL */
    const char *inspect;   /* print this snapshot and stop, or NULL */
    size_t keep;           /* older snapshots */
    double save_seconds;   /* between two snapshots; 0: not by time */
    uint64_t save_windows; /* the same in windows; 0: not by windows */
    double max_wait;       /* seconds a record may wait; 0: for ever; below
                              0: by whether there are sockets */
    size_t min_window;     /* records below which the wait goes on */
    int emit_now;          /* judge records as they come */
    size_t wait_peers;     /* of each output, before anything is read */
    size_t hwm;            /* messages a socket queues; 0: as usual */
    int tight;             /* small buffers */
    int lossy;             /* publishers drop */
    double drain;          /* seconds to deliver in after a signal */
    size_t max_message;    /* bytes */
    size_t max_parts;      /* frames */
    size_t threads;        /* that windows are learned on */
    const char *curve_secret;
    const char *curve_server;
    const char *curve_allow;
    int insecure;
    int sandbox;          /* give up what is not needed */
    const char *log_file; /* or NULL: standard error */
    int json;             /* --log=json */
    int format_given;
    int quiet;
    int verbose;
    int progress; /* -1: where stderr is a terminal */
    int stop;     /* --help and the like have been answered */
    char **kept;  /* the configuration's values, which others point at */
    size_t kept_count;
};

/* The defaults. */
void options_init(struct options *options);

/*
 * Fills OPTIONS from the configuration file and the command line, which
 * outdoes it. What is pointed at lives as long as ARGV and OPTIONS, which
 * are to be freed whatever comes back: EXIT_DONE, EXIT_USAGE or EXIT_CONFIG,
 * after saying what is wrong.
 */
enum exit_status options_parse(struct options *options, int argc, char **argv);

void options_free(struct options *options);

#endif
