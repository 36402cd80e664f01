/*
 * plan_pair.h - two filters that are given the same bytes: one reads by
 * plans, the other never has one. All that they make of the bytes must be
 * the same.
 *
 * The features are chosen as after a first window, but nothing is learned:
 * windows are filled, compared and emptied. Anything that differs aborts.
 */
#ifndef PRAE_PLAN_PAIR_H
#define PRAE_PLAN_PAIR_H

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"

#define PAIR_UNUSED __attribute__((unused))

#define SAME(expression)                                                     \
    do {                                                                     \
        if (!(expression)) {                                                 \
            fprintf(stderr, "%s:%d: not the same: %s\n", __FILE__, __LINE__, \
                    #expression);                                            \
            abort();                                                         \
        }                                                                    \
    } while (0)

struct pair {
    prae_filter *planned, *plain;
};

/* ---- life ---- */

/* Surveys the records of BYTES (LEN) and fixes the columns. 0 where none is
 * good for one. */
static int
pair_teach(prae_filter *filter, const char *bytes, size_t len)
{
    struct features *features = &filter->features;
    struct codec *codec = &filter->codec;
    size_t at = 0;
    char why[256];

    for (;;) {
        if (pri_codec_next(codec, bytes + at, len - at, 1) != PRAE_OK)
            break;
        at += codec->record.len_bytes;
        if (codec->record.fault == FAULT_NONE)
            SAME(pri_features_survey(features, &codec->record) == PRAE_OK);
    }
    filter->ended = 1; /* what is pushed is another file */
    if (features->survey.records == 0 ||
        pri_features_choose(features, NULL, NULL, 4096, why, sizeof why) !=
            PRAE_OK)
        return 0;
    SAME(pri_window_reserve(&filter->window, 4, features->D) == PRAE_OK);
    filter->learned = 1;
    return 1;
}

static void
pair_close(struct pair *pair)
{
    prae_filter_free(pair->planned);
    prae_filter_free(pair->plain);
    *pair = (struct pair){0};
}

/* 0, and nothing to close, where BYTES (LEN) make no feature. */
PAIR_UNUSED static int
pair_open(struct pair *pair, const prae_params *params, const char *bytes,
          size_t len)
{
    *pair = (struct pair){0};
    SAME(prae_filter_new(params, &pair->planned) == PRAE_OK);
    SAME(prae_filter_new(params, &pair->plain) == PRAE_OK);
    /* So much credit that no plan is ever made. */
    pair->plain->plan.credit = UINT_MAX;
    if (pair_teach(pair->planned, bytes, len) &&
        pair_teach(pair->plain, bytes, len))
        return 1;
    pair_close(pair);
    return 0;
}

/* ---- comparing ---- */

static void
pair_compare_rows(const struct window *a, const struct window *b)
{
    SAME(a->rows == b->rows && a->D0 == b->D0);
    for (size_t i = 0; i < a->rows * a->D0; i++)
        SAME((isnan(a->x[i]) && isnan(b->x[i])) ||
             memcmp(&a->x[i], &b->x[i], sizeof a->x[i]) == 0);
}

static void
pair_compare_slots(const struct window *a, const struct window *b)
{
    SAME(a->slot_count == b->slot_count && a->bytes_len == b->bytes_len);
    SAME(a->bytes_len == 0 || memcmp(a->bytes, b->bytes, a->bytes_len) == 0);
    for (size_t i = 0; i < a->slot_count; i++) {
        const struct slot *left = &a->slot[i], *right = &b->slot[i];
        SAME(left->at == right->at && left->len == right->len);
        SAME(left->line == right->line && left->row == right->row);
        SAME(left->fault == right->fault && left->parsed == right->parsed);
        SAME(left->why == right->why && left->why_count == right->why_count);
    }
}

static void
pair_compare_features(const struct features *a, const struct features *b)
{
    SAME(a->imputed == b->imputed);
    SAME(a->unknown_fields == b->unknown_fields);
    SAME(a->wide_ints == b->wide_ints);
}

static void
pair_compare_categories(const struct categories *a, const struct categories *b)
{
    for (size_t i = 0; i < a->used; i++)
        SAME(memcmp(&a->value[i], &b->value[i], sizeof *a->value) == 0);
}

/* How often each string was counted. */
static void
pair_compare_strings(const struct features *a, const struct features *b)
{
    for (size_t i = 0; i < a->taken; i++) {
        const struct column *left = &a->column[i], *right = &b->column[i];
        if (left->kind == COLUMN_CATEGORY) {
            SAME(left->categories.total == right->categories.total);
            SAME(left->categories.used == right->categories.used);
            pair_compare_categories(&left->categories, &right->categories);
        } else if (left->kind == COLUMN_TEXT) {
            SAME(left->words.lines == right->words.lines);
            SAME(memcmp(left->words.one, right->words.one,
                        PRI_WORD_SLOTS * sizeof(float)) == 0);
            SAME(memcmp(left->words.pair, right->words.pair,
                        PRI_WORD_SLOTS * sizeof(float)) == 0);
        }
    }
}

static void
pair_compare(const struct pair *pair)
{
    const prae_filter *a = pair->planned, *b = pair->plain;
    const struct reading *left = &a->codec.reading, *right = &b->codec.reading;

    pair_compare_slots(&a->window, &b->window);
    pair_compare_rows(&a->window, &b->window);
    pair_compare_features(&a->features, &b->features);
    SAME(a->stats.received == b->stats.received);
    SAME(a->ended == b->ended && a->in_message == b->in_message);
    SAME(a->broken == b->broken && strcmp(a->errmsg, b->errmsg) == 0);
    SAME(left->line == right->line && left->begun == right->begun &&
         (a->codec.format != PRAE_FORMAT_CSV ||
          left->headed == right->headed));
    SAME(left->skipping == right->skipping && left->scanned == right->scanned);
    SAME(left->scan_state == right->scan_state);
    SAME(left->first_line == right->first_line);
    SAME(left->unclosed == right->unclosed);
    SAME(left->due == right->due && left->is_plain == right->is_plain);
    SAME(left->forward.events == right->forward.events);
    SAME(left->forward.bytes == right->forward.bytes);
    SAME(left->forward.behind == right->forward.behind);
}

static void
pair_empty(const struct pair *pair)
{
    pair_compare_strings(&pair->planned->features, &pair->plain->features);
    pri_window_reset(&pair->planned->window, 0);
    pri_window_reset(&pair->plain->window, 0);
}

/* ---- pushing ---- */

/* One call with BYTES (LEN), of which a copy is made that ends where they
 * do. */
static prae_status
pair_call(struct pair *pair, const char *bytes, size_t len, int message,
          int at_end, size_t *used)
{
    char *copy = malloc(len);
    size_t used_plain = 0;
    prae_status status, status_plain;

    SAME(copy != NULL || len == 0);
    if (copy != NULL && bytes != NULL)
        memcpy(copy, bytes, len);
    *used = 0;
    if (message) {
        status = prae_filter_push_message(pair->planned, copy, len, used);
        status_plain =
            prae_filter_push_message(pair->plain, copy, len, &used_plain);
    } else {
        status = prae_filter_push(pair->planned, copy, len, at_end, used);
        status_plain =
            prae_filter_push(pair->plain, copy, len, at_end, &used_plain);
    }
    free(copy);
    SAME(status == status_plain && *used == used_plain);
    pair_compare(pair);
    if (status == PRAE_FULL)
        pair_empty(pair);
    return status;
}

/* BYTES (LEN) as a stream that ends: FIRST of them, then STEP more whenever
 * they are used up. */
PAIR_UNUSED static void
pair_stream(struct pair *pair, const char *bytes, size_t len, size_t first,
            size_t step)
{
    size_t at = 0, have = first < len ? first : len, used;
    prae_status status;

    for (;;) {
        status = pair_call(pair, bytes + at, have - at, 0, have == len, &used);
        at += used;
        if (status < 0 || (status == PRAE_OK && have == len))
            break;
        if (status == PRAE_OK)
            have = step < len - have ? have + step : len;
    }
    SAME(status == PRAE_OK || status == PRAE_EDATA);
    pair_empty(pair);
}

PAIR_UNUSED static void
pair_message(struct pair *pair, const char *bytes, size_t len)
{
    size_t at = 0, used;
    prae_status status;

    do {
        status = pair_call(pair, bytes + at, len - at, 1, 1, &used);
        at += used;
    } while (status == PRAE_FULL);
    SAME(status == PRAE_OK && at == len);
    pair_empty(pair);
}

#endif
