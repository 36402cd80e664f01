/* loop.h - read, push, judge, deliver, until the input ends. */
#ifndef LOOP_H
#define LOOP_H

#include "options.h"
#include "sink.h"
#include "source.h"

struct loop {
    const struct options *options;
    prae_filter *filter;
    struct source source;
    struct sink inliers, outliers, rejects, scores;
    struct sink *rejects_to; /* rejects, or the outliers' sink */
    prae_buffer envelope;    /* scratch: one flagged record */
    prae_state state;        /* when it was last looked at */
    int refusal_told;        /* that all were refused */
    int fields_told;         /* the features were reported */
    double progress_at;      /* when progress was shown, in seconds */
    double started_at;
    double waiting_since;   /* when the oldest held record came */
    double saved_at;        /* the last snapshot, in seconds */
    uint64_t saved_windows; /* windows judged by then */
};

/* Opens everything. EXIT_DONE, or what is wrong, after saying so. */
enum exit_status loop_open(struct loop *loop, const struct options *options);

/* Runs to the end of the input, or until a signal asks to stop. */
enum exit_status loop_run(struct loop *loop);

/* Flushes, closes and frees; STATUS, or what closing found wrong. */
enum exit_status loop_close(struct loop *loop, enum exit_status status);

#endif
