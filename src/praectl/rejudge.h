/*
 * rejudge.h - flagged records judged once more, by a model that learns
 * nothing from them.
 *
 * Each is judged by itself: the records around it in the stream are not
 * there, so neither changes since the one before nor smoothing have a part
 * in it. What cannot be judged stays what it was.
 */
#ifndef REJUDGE_H
#define REJUDGE_H

#include "quarantine.h"

struct rejudge {
    prae_params params;
    prae_filter *filter; /* NULL before the first record */
    const char *model;   /* the snapshot's file */
    prae_buffer line;    /* what it is given */
};

struct opinion {
    prae_kind kind;
    double score, p;  /* NaN: none */
    struct word code; /* rejects: why; valid until the next record */
};

/* Takes the defaults; NAME and VALUE are then set with prae_params_set. */
void rejudge_init(struct rejudge *rejudge, const char *model);

/* Judges RECORD, of QUARANTINE, whose header counts where it has one.
 * EXIT_DONE, or EXIT_NOINPUT, EXIT_CONFIG, EXIT_DATA or EXIT_FAILED after
 * saying what is wrong. */
enum exit_status rejudge_record(struct rejudge *rejudge,
                                const struct quarantine *quarantine,
                                const struct flagged *record,
                                struct opinion *opinion);

/* Whether the model goes by changes from one record to the next, too. */
int rejudge_misses_context(const struct rejudge *rejudge);

void rejudge_fini(struct rejudge *rejudge);

#endif
