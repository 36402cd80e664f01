/*
 * watch.h - what was seen of a run, for who wants to look at it: reports, the
 * live page, metrics.
 *
 * Every verdict is looked at once, on its way out, by the one thread that
 * moves records. Memory is bounded whatever the stream's length: histograms
 * have fixed bins, windows are summed up in pairs when there are too many,
 * distributions are of random samples, and of flagged records only the worst
 * and the last are kept.
 */
#ifndef WATCH_H
#define WATCH_H

#include "prae.h"

#define WATCH_DECADES 12 /* of scores, from 1e-6 on */
#define WATCH_STEPS 8    /* bins a decade */
#define WATCH_SCORES ((size_t)WATCH_DECADES * WATCH_STEPS)
#define WATCH_PS 20     /* bins of p-values */
#define WATCH_TICKS 512 /* entries of the timeline; even */
#define WATCH_WORST 50
#define WATCH_LAST 20
#define WATCH_REASONS 8    /* of a flagged record */
#define WATCH_RECORD 1024  /* bytes of it */
#define WATCH_REFUSALS 24  /* kinds */
#define WATCH_TRAININGS 14 /* bins of times, and one beyond */
#define WATCH_NAME 160     /* bytes of a field's name, with its 0 */
#define WATCH_SAMPLE 2000  /* records a distribution is of, at most */

/* Windows, one or several. */
struct tick {
    uint64_t window, windows; /* the first, and how many */
    uint64_t seq;             /* of the first record */
    double time;              /* of its verdict, Unix seconds */
    uint64_t inliers, outliers, rejected;
    prae_state state; /* of the last */
    uint64_t bursts, drifts;
    double limit; /* behind them; NaN: none */
};

struct watched_reason {
    char field[WATCH_NAME];
    double share, observed, expected;
    char observed_text[WATCH_NAME], expected_text[WATCH_NAME]; /* "": none */
};

/* A flagged record. */
struct watched {
    uint64_t seq, window;
    double score, p, gate, time;
    prae_state state;
    size_t why_count;
    struct watched_reason why[WATCH_REASONS];
    size_t record_len; /* of all its bytes */
    char record[WATCH_RECORD];
};

/* A feature of a record. */
struct named {
    char name[WATCH_NAME];
    double blame;     /* of flagged records' errors, summed; with its changes
                         and spreads */
    uint64_t flagged; /* records that name it */
};

/* A field that is none. */
struct left_out {
    char name[WATCH_NAME];
    char reason[WATCH_NAME];
};

struct refusal {
    const char *code; /* the library's */
    uint64_t count;
    uint64_t seq;   /* of the first */
    char text[160]; /* likewise */
};

/* Rows drawn at random from all that came, each as likely as any other. */
struct sample {
    double *row; /* (cap, width) */
    size_t width, cap, count;
    uint64_t seen, random;
};

struct watch {
    int on;
    double started;                                           /* Unix seconds */
    uint64_t score_in[WATCH_SCORES], score_out[WATCH_SCORES]; /* by score */
    double score_sum;
    uint64_t p_in[WATCH_PS], p_out[WATCH_PS];
    struct tick *tick; /* (WATCH_TICKS) */
    size_t tick_count;
    uint64_t tick_windows;   /* a full entry has */
    uint64_t bursts, drifts; /* by the last of them */
    struct refusal refusal[WATCH_REFUSALS];
    size_t refusal_count;
    struct named *feature; /* (feature_count) */
    size_t feature_count;
    struct left_out *left_out; /* (left_count) */
    size_t left_count;
    struct sample inliers, outliers;
    struct watched *worst; /* (WATCH_WORST) a heap, the least bad on top */
    size_t worst_count;
    struct watched *last; /* (WATCH_LAST) a ring */
    uint64_t last_count;  /* ever */
    uint64_t trainings, training_bin[WATCH_TRAININGS + 1];
    double training_sum, training_last, training_longest; /* seconds */
    double rate, rate_at; /* records a second lately, and as of when */
    uint64_t rate_received;
};

/* Bounds of the bins: WATCH_SCORES + 1, WATCH_PS + 1, WATCH_TRAININGS. */
double watch_score_edge(size_t i);
double watch_p_edge(size_t i);
double watch_training_edge(size_t i);

/* Unix seconds. */
double watch_time(void);

/* Starts watching, if ON. 0, or -1 out of memory. */
int watch_open(struct watch *watch, int on);
void watch_close(struct watch *watch);

/* VERDICT leaves. Where memory is short, distributions are left out. */
void watch_verdict(struct watch *watch, const prae_verdict *verdict);

/* The window whose verdicts have left leaves a limit, and what has become of
 * bursts and drifts by now. */
void watch_window(struct watch *watch, const prae_stats *stats);

/* A window took SECONDS to be learned. */
void watch_training(struct watch *watch, double seconds);

/* Brings `rate` up to date: RECEIVED records by NOW, in clock_now's
 * seconds. */
void watch_pace(struct watch *watch, uint64_t received, double now);

/* Lists the worst by falling score: COUNT places in `worst`, which are the
 * caller's to hold (WATCH_WORST). */
size_t watch_rank(const struct watch *watch,
                  const struct watched *ranked[WATCH_WORST]);

/* The I-th last flagged record, from 0; NULL past what is kept. */
const struct watched *watch_recent(const struct watch *watch, size_t i);

/* ---- watch_names.c ---- */

/* Which features FILTER makes, and what it leaves out, once there are some.
 * Out of memory: what there was. */
void watch_names(struct watch *watch, prae_filter *filter);

/* ---- watch_sample.c ---- */

/* Takes ROW (WIDTH) into SAMPLE, or not. Out of memory: not. */
void sample_take(struct sample *sample, const double *row, size_t width);
void sample_free(struct sample *sample);

/* The values of COLUMN that are there, sorted, to SORTED (sample->cap);
 * returns how many. */
size_t sample_column(const struct sample *sample, size_t column,
                     double *sorted);

#endif
