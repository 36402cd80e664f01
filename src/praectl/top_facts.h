/*
 * top_facts.h - what a filter says of itself, out of its JSON.
 *
 * Numbers that are not known are NaN. All lists have an end: what does not
 * fit is left out, of the timeline the oldest. Words come from records and are
 * hostile; they point into the JSON, which is kept.
 */
#ifndef TOP_FACTS_H
#define TOP_FACTS_H

#include <jansson.h>
#include <stddef.h>

#include "flagged.h"
#include "status.h"

#define FACTS_VERSION 1
#define FACTS_WHY 128
#define FACTS_BINS 512
#define FACTS_SPANS 512
#define FACTS_PORTS 16
#define FACTS_LAST 50
#define FACTS_REASONS 4
#define FACTS_FEATURES 12
#define FACTS_REJECTS 16

enum facts_state {
    STATE_WARMING,
    STATE_LIVE,
    STATE_BURST,
    STATE_DRIFT,
    STATE_FROZEN,
    STATE_UNKNOWN
};

struct facts_totals {
    double received, inliers, outliers, rejected, held;
    double windows, bursts, drifts, rollbacks;
    double undelivered, dropped, turned_away;
};

/* An input or an output. */
struct facts_port {
    struct word name, to;
    double waiting, messages, peers;
    int is_clogged;
};

/* Some windows that follow each other. */
struct facts_span {
    double window, windows;
    double inliers, outliers, bursts, drifts;
    enum facts_state state;
};

struct facts_reason {
    struct word field;
    double share;
    struct value observed, expected;
};

struct facts_flagged {
    double seq, score, p, window, time;
    enum facts_state state;
    struct word record;
    int is_cut;
    struct facts_reason why[FACTS_REASONS];
    size_t why_count, why_total;
};

struct facts_feature {
    struct word name;
    double blame, named;
};

struct facts_reject {
    struct word reason, text;
    double count;
};

struct facts {
    json_t *root;
    struct word program, not_ready;
    int is_live, is_paused, is_ready;
    enum facts_state state;
    struct word state_word;
    double started, written, rate, blocked_seconds, limit, fpr;
    struct facts_totals totals;
    struct facts_port inputs[FACTS_PORTS], outputs[FACTS_PORTS];
    size_t input_count, output_count;
    double trained, train_seconds, train_longest, train_last;
    double edges[FACTS_BINS + 1];                     /* (bins + 1), rising */
    double inliers[FACTS_BINS], outliers[FACTS_BINS]; /* (bins) */
    size_t bins;                                      /* 0: no histogram */
    struct facts_span spans[FACTS_SPANS];
    size_t span_count;
    struct facts_flagged last[FACTS_LAST]; /* newest first */
    size_t last_count;
    struct facts_feature features[FACTS_FEATURES]; /* most blamed first */
    size_t feature_count;
    struct facts_reject rejects[FACTS_REJECTS];
    size_t reject_count;
};

/* Reads TEXT (LEN) to *FACTS, to be freed. EXIT_DONE; EXIT_DATA where it is
 * not what a filter writes, EXIT_FAILED without memory, with WHY for people;
 * nothing of TEXT is in it. */
enum exit_status facts_read(struct facts **facts, const char *text, size_t len,
                            char why[FACTS_WHY]);

/* The share of the judged records that was flagged; NaN before any. */
double facts_share(const struct facts_totals *totals);

void facts_free(struct facts *facts);

#endif
