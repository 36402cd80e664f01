/*
 * stage.h - who has the filter: the loop, to fill it, or the worker, to have
 * a window judged and learned.
 *
 * With --emit=window a window is filled, goes to the worker and comes back
 * with its verdicts. With --emit=now there are two filters once the first
 * window is learned: the front judges each record as it comes, here, while
 * the other learns windows of them on the worker and with each brings forth
 * a newer front. A frozen filter judges here, as nothing takes long.
 *
 *   stage.c         windows go to the worker and come back
 *   stage_job.c     what is done with them there
 *   stage_change.c  what was asked of the filter meanwhile
 */
#ifndef STAGE_H
#define STAGE_H

#include "options.h"
#include "pool.h"
#include "worker.h"

struct job {
    prae_filter *filter;
    struct pool *pool;  /* that helps it */
    prae_buffer lesson; /* records to be learned, or nothing */
    int headless;       /* they are a CSV's, whose header was refused */
    int judge;
    int fork;
    int learns;          /* from what it judges */
    const char *save_to; /* or NULL */
    size_t keep;
    int dismisses; /* a first window that cannot be learned, and goes on; ... */
    int dismissed; /* ... and did */
    prae_status judged;
    prae_filter *front; /* made, or NULL */
    enum exit_status saved;
    double seconds;
};

/* How far what was learned has come, in a snapshot or by now. */
struct progress {
    uint64_t judged, model; /* windows, see prae_stats */
    uint64_t reverts;
};

struct stage {
    const struct options *options;
    int now;                 /* --emit=now, and something is learned */
    int patient;             /* input may wait until all of it can be learned */
    prae_filter *filter;     /* learns; the worker's while busy */
    prae_filter *front;      /* judges where now, else NULL */
    prae_filter *next_front; /* waits until the records at hand are out */
    struct worker worker;
    struct pool pool; /* helps whoever has `filter` */
    int busy;         /* with `job` */
    struct job job;
    int save_wanted;              /* with the next job */
    int giving;                   /* verdicts are left to be taken */
    int loaded;                   /* from a snapshot */
    int spoiled;                  /* the file is no use, an older one was */
    prae_stats stats;             /* when the filter was last ours */
    prae_buffer lesson;           /* records to be learned next */
    size_t lesson_count;          /* of them */
    prae_buffer rest;             /* patient: those behind a full lesson, of */
    size_t rest_count;            /* the same push: less than a window */
    int lesson_failed;            /* no memory for it: the run ends */
    uint64_t unlearned;           /* records that came while one was full */
    enum exit_status save_failed; /* what the last snapshot came to */
    struct progress saved;        /* that it has, or the one loaded */
    double longest;               /* seconds that a job took */
    double trained; /* that the one collected last did, of which a window was
                       learned; below 0: none was */
    size_t window_bytes;  /* of messages in the window judged last */
    size_t filling_bytes; /* in the one being filled; the loop counts */
    int released;         /* records of the window have left undecided */
    int unfit_told;       /* that windows cannot be learned from */

    prae_params rule;      /* what was asked for by now: fpr, threshold, ... */
    int paused;            /* ... and to learn nothing */
    prae_filter *returned; /* goes on from a snapshot in our place, or NULL */
    int change_due;        /* one of these, between two windows */
    int frozen;            /* the filter is */
    uint64_t reverts;      /* filters that took over so */
};

/* Makes the filter, goes on from the snapshot where there is one, starts the
 * worker. PATIENT says that inputs are files. EXIT_DONE, or what is wrong,
 * after saying so. */
enum exit_status stage_open(struct stage *stage, const struct options *options,
                            int patient);

/* Whether records may be pushed now. */
int stage_takes(const struct stage *stage);

/* Pushes, as prae_filter_push and prae_filter_push_message, and counts in
 * *TAKEN the records up to now. */
prae_status stage_push(struct stage *stage, const char *bytes, size_t len,
                       int at_end, size_t *used, uint64_t *taken);
prae_status stage_push_message(struct stage *stage, const char *bytes,
                               size_t len, size_t *used, uint64_t *taken);
prae_status stage_refuse(struct stage *stage, prae_refusal why,
                         uint64_t *taken);

/* Has what was pushed judged, here or by the worker. EXIT_DONE, or what is
 * wrong, after saying so. */
enum exit_status stage_judge(struct stage *stage);

/* Lets what was pushed go undecided where nothing is learned yet and there
 * is too little of it; judges it otherwise. */
enum exit_status stage_release(struct stage *stage);

/* Whether records are to leave at once, before the window is full; and has
 * them do so, judged or, where nothing is learned yet, not. */
int stage_hurries(const struct stage *stage);
enum exit_status stage_hurry(struct stage *stage);

/* Takes back what the worker is done with. */
enum exit_status stage_collect(struct stage *stage);

/* The next verdict: PRAE_OK, or PRAE_END where there is none. */
prae_status stage_next(struct stage *stage, prae_verdict *verdict);

/* Up to MOST inliers: PRAE_OK, or PRAE_END where there is none next. */
prae_status stage_next_run(struct stage *stage, size_t most, prae_run *run);

/* All verdicts have been taken, and nothing that they point at is needed any
 * more: on with what waited for it. */
enum exit_status stage_given(struct stage *stage);

/*
 * What is asked for while it runs. The first three return 1, or 0 with a
 * sentence in WHY (SIZE): no learning from now on, or again; another fpr or
 * threshold; and one of the snapshots that --model has, the NUMBER-th before
 * the last, as a filter in *OUT. stage_revert takes ownership of that, and
 * has it take the place of ours in the stream.
 */
int stage_pause(struct stage *stage, int on, char *why, size_t size);
int stage_set(struct stage *stage, const char *name, const char *value,
              char *why, size_t size);
int stage_load(struct stage *stage, size_t number, prae_filter **out, char *why,
               size_t size);
void stage_revert(struct stage *stage, prae_filter *filter);

/* Has a snapshot saved, now where it can be, or with the worker's next job. */
int stage_can_save(const struct stage *stage);
void stage_save(struct stage *stage);

/* Whether one is being saved, or waits to be. */
int stage_is_saving(const struct stage *stage);

/* Whether all that was learned up to now has been saved. While learning is
 * paused that windows go by is nothing new. */
int stage_is_saved(const struct stage *stage);

/* Has what was learned saved, at the end; done when not busy. */
void stage_finish(struct stage *stage);

/* The counts, whoever has the filter. */
void stage_stats(const struct stage *stage, prae_stats *stats);

/* The filter that was filled or judged last: for its header, its fields and
 * what is wrong. Not while busy. */
prae_filter *stage_filter(const struct stage *stage);

/* ---- between these files ---- */

/* Does the job CONTEXT, on the worker. */
void stage_run(void *context);

/* Does what was asked for, if it can be done now. */
void stage_change(struct stage *stage);

/* Hands the filter to the worker, which must not have it. */
void stage_give(struct stage *stage, struct job job);

/* Hands it over with the next lesson, if that is full and it is ours. */
void stage_teach(struct stage *stage);

/* Notes the counts of the filter, which is ours. */
void stage_note(struct stage *stage);

/* Lets the pool help FILTER. PRAE_OK or PRAE_ENOMEM. */
prae_status stage_help(struct stage *stage, prae_filter *filter);

/* ---- the end ---- */

/* Ends the worker and frees all, unless the worker is still at it, which
 * then is left behind. */
void stage_close(struct stage *stage);

#endif
