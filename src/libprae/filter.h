/*
 * filter.h - a filter's insides, for the files that make it up: filter.c
 * takes records in and has them judged, choose.c finds out by what, message.c
 * takes those that come in messages, verdict.c gives them out with the reasons,
 * state.c saves, loads and tells what is known, front.c has one filter judge by
 * what another learns, which copy.c gives to it.
 */
#ifndef PRI_FILTER_H
#define PRI_FILTER_H

#include "codec.h"
#include "feature.h"
#include "learner.h"
#include "plan.h"
#include "window.h"

#define PRI_ROWS_FIRST 4096 /* of a window, made room for in advance */

struct prae_filter {
    prae_params params;
    char *fields; /* params.fields and .ignore point here */
    char *ignore;
    struct codec codec;
    struct features features;
    struct plan plan; /* the features are chosen where it has steps */
    struct runner runner; /* as it was last set; the learner goes by it */
    struct learner learner;
    struct window window;
    int broken;      /* a failure left it half done: only to be freed */
    int unfit;       /* ... or its window to be dismissed */
    int learned;     /* features are chosen, the first window is judged */
    int is_first;    /* that window's verdicts are being given out */
    int is_front;    /* judges by what another learns; see front.c */
    prae_stats back; /* of that other, when it was made */
    int ended;       /* the bytes so far came to an end; more begin afresh */
    int in_message;  /* a message's records are being taken */
    struct reading stream; /* where a byte stream was left for it */
    int judged;            /* the window holds verdicts, not new records */
    int releasing;         /* undecided records are being given out */
    size_t given;          /* slots given out that way */
    size_t next_at;        /* slot of the next verdict */
    prae_reason *why;      /* (params.why) of the verdict last given out */
    char (*names)[512];    /* (params.why) their fields' names */
    float *part;           /* (D) scratch of explanations */
    double *expected;      /* (D) */
    char name[512];        /* given out by prae_filter_field */
    char reject[160];      /* given out with a reject */
    prae_stats stats;
    uint64_t window_number;
    uint64_t passed; /* rows given out since that one began; frozen only */
    char errmsg[256];
};

/* Notes why, and returns STATUS. */
__attribute__((format(printf, 3, 4))) prae_status
pri_filter_fail(prae_filter *filter, prae_status status, const char *format,
                ...);

/* A copy of TEXT, or NULL for NULL. PRAE_OK or PRAE_ENOMEM. */
prae_status pri_copy_text(const char *text, char **copy);

/* The number of the window of the ROW-th record that is judged since
 * window_number began, counted as `passed` is. */
uint64_t pri_filter_window_at(const prae_filter *filter, uint64_t row);

/* All verdicts are out: the window is free for new records, unless these
 * are yet to be learned. */
void pri_filter_start_window(prae_filter *filter);

/* Whether records may come: PRAE_OK, or PRAE_EINVAL with the reason. */
prae_status pri_filter_may_take(prae_filter *filter);

/* Whether the window is complete. */
int pri_filter_is_full(const prae_filter *filter);

/* The next record of BYTES (LEN) goes into the window, and *USED of them are
 * used up. As pri_codec_next. */
prae_status pri_filter_read(prae_filter *filter, const char *bytes, size_t len,
                            int at_end, size_t *used);

/* The record just decoded from BYTES goes into the window. PRAE_OK or
 * PRAE_ENOMEM. */
prae_status pri_filter_take(prae_filter *filter, const char *bytes);

/* Notes that memory ran out with a record half taken. PRAE_ENOMEM. */
prae_status pri_filter_break(prae_filter *filter);

/* Decodes the bytes of SLOT once more. As pri_codec_again. */
prae_status pri_filter_decode(prae_filter *filter, const struct slot *slot);

/* Chooses features from the records of the first window, fills its rows by
 * them and makes the learner. PRAE_OK, PRAE_ENOMEM; PRAE_EDATA where nothing
 * can be made of any of them, PRAE_ECONFIG where they do not fit what was
 * asked for. */
prae_status pri_filter_choose(prae_filter *filter);

/* Nothing can be made of any record of the window: all are refused, those that
 * have no reason yet for want of features, and the next one is looked at
 * afresh. PRAE_OK or PRAE_ENOMEM. */
prae_status pri_filter_refuse_all(prae_filter *filter);

/* What a window's strings leave in their counts, which were made when it was
 * taken. As pri_filter_decode. */
prae_status pri_filter_settle(prae_filter *filter);

/* Rows without a header are as wide as was learned, whatever the next one is.
 * A width that no row can have is left out: it is written with rejects. */
void pri_filter_know_width(prae_filter *filter);

/* Where FEATURES are of strings only, has the learner go by their rarity.
 * PRAE_OK or PRAE_ENOMEM. */
prae_status pri_filter_set_rarity(const struct features *features,
                                  struct learner *learner);

/* All that FROM has learned, to TO, which has learned and taken nothing.
 * PRAE_OK or PRAE_ENOMEM; TO can only be freed then. */
prae_status pri_filter_copy_learned(const prae_filter *from, prae_filter *to);

/* Room for the reasons of ROWS records, up to a bound: beyond it they grow.
 * PRAE_OK or PRAE_ENOMEM. */
prae_status pri_filter_reserve_reasons(prae_filter *filter, size_t rows);

/* The largest parts of a flagged record's error become its reasons. PRAE_OK
 * or PRAE_ENOMEM. */
prae_status pri_filter_explain(prae_filter *filter, struct slot *slot);

/* What is made of the stream now. */
prae_state pri_filter_state(const prae_filter *filter);

/* The name of input D of the net, ", change" or ", spread" behind it where
 * it is one of context, to TEXT (SIZE). */
void pri_filter_name_feature(const prae_filter *filter, size_t d, char *text,
                             size_t size);

#endif
