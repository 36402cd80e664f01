/*
 * filter.c - the itinerary: bytes -> records -> vectors -> window ->
 * learner -> verdicts. Each step is a file of its own; here is their order.
 *
 * A record is in exactly one place: in the open window, or behind `next_at`
 * among the verdicts given out. That is why the counts always add up.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "feature.h"
#include "learner.h"
#include "snapshot.h"
#include "text.h"
#include "window.h"

/* A window is also complete when it holds so many times its size in
 * records, most of them refused: memory is bounded by options. */
#define CROWDED 4
#define CROWDED_MIN 1024

#define ROWS_FIRST 4096     /* of a window, made room for in advance */
#define REASONS_FIRST 65536 /* the same of reasons */

/* A string's rarity is in nats; differences below this say nothing. */
#define RARITY_LEAST 0.25

struct prae_filter {
    prae_params params;
    char *fields; /* params.fields and .ignore point here */
    char *ignore;
    struct codec codec;
    struct features features;
    struct learner learner;
    struct window window;
    int broken;         /* a failure left it half done: only to be freed */
    int learned;        /* features are chosen, the first window is judged */
    int judged;         /* the window holds verdicts, not new records */
    size_t next_at;     /* slot of the next verdict */
    prae_reason *why;   /* (params.why) of the verdict last given out */
    char (*names)[512]; /* (params.why) their fields' names */
    float *part;        /* (D) scratch of explanations */
    double *expected;   /* (D) */
    char name[512];     /* given out by prae_filter_field */
    prae_stats stats;
    uint64_t window_number;
    char errmsg[256];
};

__attribute__((format(printf, 3, 4))) static prae_status
fail(prae_filter *filter, prae_status status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(filter->errmsg, sizeof filter->errmsg, format, args);
    va_end(args);
    return status;
}

/* ---- life ---- */

static prae_status
copy_text(const char *text, char **copy)
{
    *copy = text == NULL ? NULL : strdup(text);
    return text != NULL && *copy == NULL ? PRAE_ENOMEM : PRAE_OK;
}

prae_status
prae_filter_new(const prae_params *params, prae_filter **out)
{
    if (out == NULL)
        return PRAE_EINVAL;
    prae_status status = prae_params_check(params, NULL, 0);
    if (status != PRAE_OK)
        return status;
    prae_filter *filter = calloc(1, sizeof *filter);
    if (filter == NULL)
        return PRAE_ENOMEM;
    filter->params = *params;
    struct codec_limits limits = {.record_bytes = params->record_max,
                                  .depth = params->depth_max,
                                  .elements = params->elements_max};
    pri_window_init(&filter->window);
    filter->why = calloc(params->why + 1, sizeof *filter->why);
    filter->names = calloc(params->why + 1, sizeof *filter->names);
    if (filter->why == NULL || filter->names == NULL ||
        copy_text(params->fields, &filter->fields) != PRAE_OK ||
        copy_text(params->ignore, &filter->ignore) != PRAE_OK ||
        pri_codec_init(&filter->codec, params->format, &limits) != PRAE_OK ||
        pri_features_init(&filter->features) != PRAE_OK) {
        prae_filter_free(filter);
        return PRAE_ENOMEM;
    }
    filter->params.fields = filter->fields;
    filter->params.ignore = filter->ignore;
    filter->codec.no_header = params->no_header;
    filter->features.coerce = params->coerce;
    filter->features.impute_nonfinite =
        params->nonfinite == PRAE_NONFINITE_IMPUTE;
    *out = filter;
    return PRAE_OK;
}

void
prae_filter_free(prae_filter *filter)
{
    if (filter == NULL)
        return;
    pri_codec_fini(&filter->codec);
    pri_features_fini(&filter->features);
    pri_learner_fini(&filter->learner);
    pri_window_fini(&filter->window);
    free(filter->fields);
    free(filter->ignore);
    free(filter->why);
    free(filter->names);
    free(filter->part);
    free(filter->expected);
    free(filter);
}

/* ---- bytes into the window ---- */

/* The record just decoded from BYTES goes into the window, with its vector
 * where the features are known. */
static prae_status
take_record(prae_filter *filter, const char *bytes)
{
    struct window *window = &filter->window;
    const struct record *record = &filter->codec.record;
    enum fault fault = record->fault;
    struct slot *slot;
    prae_status status =
        pri_window_add(window, bytes + record->start,
                       record->len_bytes - record->start, &slot);

    if (status != PRAE_OK)
        return status;
    filter->stats.received++;
    /* A value of another kind than a record is still a value. */
    slot->parsed = fault == FAULT_NONE || fault == FAULT_TYPE;
    if (fault == FAULT_NONE && filter->learned)
        status = pri_window_row(window);
    if (status == PRAE_OK && fault == FAULT_NONE && filter->learned)
        status = pri_features_extract(
            &filter->features, record, !filter->params.freeze,
            window->x + window->rows * window->D0, &fault);
    slot->fault = (uint8_t)fault;
    if (status == PRAE_OK && fault == FAULT_NONE)
        slot->row = (uint32_t)window->rows++;
    return status;
}

static int
is_full(const prae_filter *filter)
{
    size_t rows = filter->params.window;

    if (rows == 0)
        return 0;
    return filter->window.rows == rows ||
           filter->window.slot_count >= CROWDED * rows + CROWDED_MIN;
}

prae_status
prae_filter_push(prae_filter *filter, const char *bytes, size_t len, int at_end,
                 size_t *used)
{
    size_t at = 0;
    prae_status status = PRAE_OK;

    if (filter == NULL || used == NULL || (bytes == NULL && len > 0))
        return PRAE_EINVAL;
    if (filter->broken)
        return PRAE_EINVAL; /* and what broke it is still to be told */
    filter->errmsg[0] = '\0';
    if (filter->judged)
        return fail(filter, PRAE_EINVAL, "verdicts are left to be taken");
    while (status == PRAE_OK) {
        if (is_full(filter)) {
            status = PRAE_FULL;
            break;
        }
        status = pri_codec_next(&filter->codec, bytes + at, len - at, at_end);
        if (status == PRAE_OK)
            status = take_record(filter, bytes + at);
        if (status == PRAE_OK || status == PRAE_MORE || status == PRAE_END)
            at += filter->codec.record.len_bytes;
    }
    *used = at;
    if (status == PRAE_EDATA) {
        const struct record *record = &filter->codec.record;
        return fail(filter, PRAE_EDATA, "%s (%s) at byte %zu of record %llu",
                    pri_fault_code(record->fault),
                    pri_fault_text(record->fault), record->fault_at,
                    (unsigned long long)filter->stats.received);
    }
    filter->broken = status == PRAE_ENOMEM;
    if (status == PRAE_ENOMEM)
        return fail(filter, PRAE_ENOMEM, "out of memory for a record");
    return status == PRAE_FULL ? PRAE_FULL : PRAE_OK;
}

/* ---- the first window: features are chosen ---- */

/* Decodes the bytes of SLOT once more. */
static prae_status
decode_slot(prae_filter *filter, const struct slot *slot)
{
    return pri_codec_again(&filter->codec, filter->window.bytes + slot->at,
                           slot->len);
}

enum pass { PASS_SURVEY, PASS_COUNT, PASS_EXTRACT };

static prae_status
run_pass(prae_filter *filter, enum pass pass)
{
    struct features *features = &filter->features;
    struct window *window = &filter->window;
    const struct record *record = &filter->codec.record;
    prae_status status = PRAE_OK;

    for (size_t i = 0; status == PRAE_OK && i < window->slot_count; i++) {
        struct slot *slot = &window->slot[i];
        enum fault fault = FAULT_NONE;
        if (slot->row == PRI_WINDOW_NO_ROW)
            continue;
        status = decode_slot(filter, slot);
        if (status != PRAE_OK)
            break;
        if (pass == PASS_SURVEY) {
            status = pri_features_survey(features, record);
        } else if (pass == PASS_COUNT) {
            status = pri_features_count(features, record);
        } else {
            status = pri_features_extract(features, record, 0,
                                          window->x + window->rows * window->D0,
                                          &fault);
            slot->fault = (uint8_t)fault;
            slot->row = fault == FAULT_NONE ? (uint32_t)window->rows++
                                            : PRI_WINDOW_NO_ROW;
        }
    }
    return status;
}

static prae_status
start_learner(prae_filter *filter)
{
    const struct features *features = &filter->features;
    size_t rows = filter->window.rows_cap;
    double *least = calloc(features->D, sizeof *least);

    if (least == NULL)
        return PRAE_ENOMEM;
    for (size_t i = 0; i < features->taken; i++) {
        const struct column *column = &features->column[i];
        if (column->kind == COLUMN_CATEGORY || column->kind == COLUMN_TEXT)
            for (size_t d = 0; d < column->width; d++)
                least[column->first + d] = RARITY_LEAST;
    }
    prae_status status = pri_learner_init(&filter->learner, &filter->params,
                                          features->D, least, rows);
    free(least);
    return status;
}

/* Reasons of a window all flagged, up to a bound: beyond it they grow. */
static prae_status
reserve_reasons(prae_filter *filter, size_t rows)
{
    size_t count = rows * filter->params.why;

    return pri_window_reserve_reasons(
        &filter->window, count < REASONS_FIRST ? count : REASONS_FIRST);
}

static prae_status
choose_features(prae_filter *filter)
{
    struct window *window = &filter->window;
    size_t rows =
        filter->params.window < ROWS_FIRST ? filter->params.window : ROWS_FIRST;
    prae_status status = run_pass(filter, PASS_SURVEY);

    /* Larger windows grow when they come. */
    rows = rows > window->rows ? rows : window->rows;
    if (status == PRAE_OK)
        status = pri_features_choose(
            &filter->features, filter->fields, filter->ignore,
            filter->params.features_max, filter->errmsg, sizeof filter->errmsg);
    if (status == PRAE_OK)
        status = pri_window_reserve(window, rows, filter->features.D);
    if (status == PRAE_OK)
        status = reserve_reasons(filter, rows);
    if (status == PRAE_OK)
        status = run_pass(filter, PASS_COUNT);
    window->rows = 0;
    if (status == PRAE_OK)
        status = run_pass(filter, PASS_EXTRACT);
    if (status == PRAE_OK)
        status = start_learner(filter);
    if (status == PRAE_OK)
        filter->learned = 1;
    return status;
}

/* ---- reasons ---- */

/* The text that a category or text feature was made of, cut, to REASON. */
static void
find_text(prae_filter *filter, const struct slot *slot,
          const struct column *column, struct reason *reason)
{
    const struct features *features = &filter->features;
    const struct record *record = &filter->codec.record;

    if (decode_slot(filter, slot) != PRAE_OK ||
        pri_path_resolve(&filter->features.tree, record, 0) != PRAE_OK)
        return;
    for (size_t i = 0; i < record->count; i++) {
        const struct field *field = &record->field[i];
        if (features->tree.last[i] != column->node || field->type != FIELD_TEXT)
            continue;
        size_t len = field->text_len < sizeof reason->text - 1
                         ? field->text_len
                         : sizeof reason->text - 1;
        /* Not in the middle of a character. */
        while (len > 0 && len < field->text_len &&
               ((unsigned char)field->text[len] & 0xc0) == 0x80)
            len--;
        memcpy(reason->text, field->text, len);
        reason->text[len] = '\0';
    }
}

/* The largest parts of a flagged record's error become its reasons. */
static prae_status
explain(prae_filter *filter, struct slot *slot)
{
    struct window *window = &filter->window;
    struct learner *learner = &filter->learner;
    double all = 0.0;

    pri_learner_explain(learner, slot->row, filter->part, filter->expected);
    for (size_t d = 0; d < learner->D; d++)
        all += (double)filter->part[d];
    slot->why = (uint32_t)window->reason_count;
    for (size_t k = 0; k < filter->params.why && k < learner->D; k++) {
        size_t most = 0;
        for (size_t d = 1; d < learner->D; d++)
            if (filter->part[d] > filter->part[most])
                most = d;
        if (!(filter->part[most] > 0.0f))
            break;
        struct reason *reason = pri_window_reason(window);
        if (reason == NULL)
            return PRAE_ENOMEM;
        *reason = (struct reason){
            .feature = (uint32_t)most,
            .share = (float)((double)filter->part[most] / all),
            .observed = learner->wide[slot->row * learner->D + most],
            .expected = filter->expected[most]};
        const struct column *column =
            pri_features_column(&filter->features, most % learner->context.D0);
        if (column->kind == COLUMN_CATEGORY || column->kind == COLUMN_TEXT)
            find_text(filter, slot, column, reason);
        filter->part[most] = 0.0f;
        slot->why_count++;
    }
    return PRAE_OK;
}

/* ---- judging ---- */

static prae_status
make_scratch(prae_filter *filter)
{
    size_t D = filter->learner.D;

    if (filter->part != NULL)
        return PRAE_OK;
    filter->part = calloc(D, sizeof *filter->part);
    filter->expected = calloc(D, sizeof *filter->expected);
    return filter->part == NULL || filter->expected == NULL ? PRAE_ENOMEM
                                                            : PRAE_OK;
}

/* Records that came before anything was learned leave as --cold says. */
static void
overrule_cold(prae_filter *filter)
{
    struct findings *found = &filter->window.found;

    if (filter->params.cold == PRAE_COLD_HOLD || filter->learner.windows > 1)
        return;
    for (size_t i = 0; i < filter->window.rows; i++)
        found->flagged[i] = filter->params.cold == PRAE_COLD_FLAG;
}

static prae_status
judge_rows(prae_filter *filter)
{
    struct window *window = &filter->window;
    prae_status status = pri_learner_window(&filter->learner, window->x,
                                            window->rows, &window->found);

    if (status == PRAE_OK)
        status = make_scratch(filter);
    if (status != PRAE_OK)
        return status;
    filter->stats.windows++;
    overrule_cold(filter);
    for (size_t i = 0; status == PRAE_OK && i < window->slot_count; i++) {
        struct slot *slot = &window->slot[i];
        if (slot->row != PRI_WINDOW_NO_ROW && window->found.flagged[slot->row])
            status = explain(filter, slot);
    }
    return status;
}

/* Nothing can be made of any record here: all are refused, and the next
 * window is looked at afresh. */
static prae_status
refuse_window(prae_filter *filter)
{
    struct features *features = &filter->features;
    int coerce = features->coerce, impute = features->impute_nonfinite;

    for (size_t i = 0; i < filter->window.slot_count; i++) {
        struct slot *slot = &filter->window.slot[i];
        if (slot->row != PRI_WINDOW_NO_ROW)
            slot->fault = FAULT_FEATURES;
        slot->row = PRI_WINDOW_NO_ROW;
    }
    filter->window.rows = 0;
    pri_features_fini(features);
    prae_status status = pri_features_init(features);
    features->coerce = coerce;
    features->impute_nonfinite = impute;
    return status;
}

prae_status
prae_filter_judge(prae_filter *filter)
{
    prae_status status = PRAE_OK;

    if (filter == NULL || filter->broken)
        return PRAE_EINVAL;
    if (filter->judged)
        return fail(filter, PRAE_EINVAL, "verdicts are left to be taken");
    /* A push that failed has left its reason, which is still to be told. */
    if (!filter->learned && filter->window.rows > 0)
        status = choose_features(filter);
    if (status == PRAE_EDATA)
        status = refuse_window(filter);
    if (status == PRAE_OK && filter->window.rows > 0)
        status = judge_rows(filter);
    filter->broken = status != PRAE_OK;
    if (status == PRAE_ENOMEM)
        return fail(filter, status, "out of memory for a window of %zu",
                    filter->window.rows);
    if (status == PRAE_ECONFIG && filter->learned)
        return fail(filter, status,
                    "training diverged on the first window: try a rate "
                    "below %g",
                    filter->params.rate);
    if (status != PRAE_OK)
        return status;
    filter->judged = 1;
    filter->next_at = 0;
    return PRAE_OK;
}

/* ---- snapshots ---- */

prae_status
prae_filter_save(const prae_filter *filter, prae_buffer *buffer)
{
    struct snapshot_meta meta;

    if (filter == NULL || buffer == NULL || filter->broken ||
        !filter->learned || filter->learner.state == PRAE_STATE_WARMING)
        return PRAE_EINVAL;
    meta.window_number = filter->window_number;
    return pri_snapshot_write(&filter->features, &filter->learner, &meta,
                              buffer);
}

/* The snapshot's lists of fields become the filter's, to be saved again. */
static prae_status
keep_lists(prae_filter *filter, const struct snapshot_meta *meta)
{
    char *fields = NULL, *ignore = NULL;

    if ((meta->fields[0] != '\0' && filter->fields == NULL &&
         copy_text(meta->fields, &fields) != PRAE_OK) ||
        (meta->ignore[0] != '\0' && filter->ignore == NULL &&
         copy_text(meta->ignore, &ignore) != PRAE_OK)) {
        free(fields);
        return PRAE_ENOMEM;
    }
    if (fields != NULL)
        filter->fields = fields;
    if (ignore != NULL)
        filter->ignore = ignore;
    return PRAE_OK;
}

prae_status
prae_filter_load(prae_filter *filter, const char *bytes, size_t len)
{
    struct features features;
    struct learner learner = {0};
    struct snapshot_meta meta = {0};
    prae_params params;
    char why[256] = "";

    if (filter == NULL || bytes == NULL)
        return PRAE_EINVAL;
    if (filter->learned || filter->stats.received > 0)
        return fail(filter, PRAE_EINVAL,
                    "a snapshot must come before the first record");
    params = filter->params;
    if (params.window == 0)
        return fail(filter, PRAE_ECONFIG,
                    "window=all has no use for a snapshot");
    size_t rows = params.window < ROWS_FIRST ? params.window : ROWS_FIRST;
    prae_status status = pri_features_init(&features);
    if (status == PRAE_OK)
        status = pri_snapshot_read(bytes, len, &params, &features, &learner,
                                   &meta, rows, why, sizeof why);
    if (status == PRAE_OK)
        status = pri_window_reserve(&filter->window, rows, features.D);
    if (status == PRAE_OK)
        status = reserve_reasons(filter, rows);
    if (status == PRAE_OK)
        status = keep_lists(filter, &meta);
    if (status != PRAE_OK) {
        pri_features_fini(&features);
        pri_learner_fini(&learner);
        return fail(filter, status, "%s",
                    status == PRAE_ENOMEM ? "out of memory" : why);
    }
    features.coerce = params.coerce;
    features.impute_nonfinite = params.nonfinite == PRAE_NONFINITE_IMPUTE;
    pri_features_fini(&filter->features);
    filter->features = features;
    filter->learner = learner;
    filter->learner.params.fields = filter->fields;
    filter->learner.params.ignore = filter->ignore;
    filter->window_number = meta.window_number;
    filter->learned = 1;
    return PRAE_OK;
}

/* ---- verdicts out ---- */

/* The name of feature D of the learner's, ", change" or ", spread" behind
 * it where it is one of context. */
static void
name_feature(const prae_filter *filter, size_t d, char *text, size_t size)
{
    size_t D0 = filter->learner.context.D0;

    pri_features_name(&filter->features, d % D0, text, size);
    size_t len = strlen(text);
    len = pri_utf8_valid(text, len); /* it may have been cut */
    text[len] = '\0';
    if (d >= D0)
        snprintf(text + len, size - len, "%s",
                 d < 2 * D0 ? ", change" : ", spread");
}

static void
give_reasons(prae_filter *filter, const struct slot *slot,
             prae_verdict *verdict)
{
    const struct window *window = &filter->window;

    for (size_t k = 0; k < slot->why_count; k++) {
        const struct reason *reason = &window->reason[slot->why + k];
        const struct column *column = pri_features_column(
            &filter->features, reason->feature % filter->learner.context.D0);
        name_feature(filter, reason->feature, filter->names[k],
                     sizeof filter->names[k]);
        filter->why[k] = (prae_reason){
            .field = filter->names[k],
            .share = (double)reason->share,
            .observed = reason->observed,
            .expected = reason->expected,
            .observed_text = reason->text[0] == '\0' ? NULL : reason->text,
            .expected_text = column->kind == COLUMN_CATEGORY
                                 ? pri_categories_usual(&column->categories)
                                 : NULL};
    }
    verdict->why = filter->why;
    verdict->why_count = slot->why_count;
}

static void
give_findings(const prae_filter *filter, size_t row, prae_verdict *verdict)
{
    const struct findings *found = &filter->window.found;

    verdict->kind = found->flagged[row] ? PRAE_KIND_OUTLIER : PRAE_KIND_INLIER;
    verdict->score = (double)found->score[row];
    verdict->p = (double)found->p[row];
    verdict->gate = (double)found->gate[row];
    verdict->error = (double)found->error[row];
}

/* All verdicts are out: the window is free for new records. */
static void
start_window(prae_filter *filter)
{
    filter->judged = 0;
    filter->window_number++;
    pri_window_reset(&filter->window, filter->stats.received);
}

prae_status
prae_filter_next(prae_filter *filter, prae_verdict *verdict)
{
    if (filter == NULL || verdict == NULL)
        return PRAE_EINVAL;
    if (!filter->judged)
        return PRAE_END;
    struct window *window = &filter->window;
    if (filter->next_at == window->slot_count) {
        start_window(filter);
        return PRAE_END;
    }
    const struct slot *slot = &window->slot[filter->next_at];
    *verdict = (prae_verdict){.kind = PRAE_KIND_REJECT,
                              .seq = window->first_seq + filter->next_at,
                              .score = (double)NAN,
                              .p = (double)NAN,
                              .gate = (double)NAN,
                              .error = (double)NAN,
                              .window = filter->window_number,
                              .model = filter->learner.model,
                              .state = filter->learned ? filter->learner.state
                                                       : PRAE_STATE_WARMING,
                              .parsed = slot->parsed,
                              .columns = filter->codec.width,
                              .record = window->bytes + slot->at,
                              .record_len = slot->len};
    if (slot->row != PRI_WINDOW_NO_ROW) {
        give_findings(filter, slot->row, verdict);
        give_reasons(filter, slot, verdict);
    } else {
        verdict->reject_code = pri_fault_code((enum fault)slot->fault);
        verdict->reject_text = pri_fault_text((enum fault)slot->fault);
    }
    filter->stats.inliers += verdict->kind == PRAE_KIND_INLIER;
    filter->stats.outliers += verdict->kind == PRAE_KIND_OUTLIER;
    filter->stats.rejected += verdict->kind == PRAE_KIND_REJECT;
    filter->next_at++;
    return PRAE_OK;
}

/* ---- what it knows ---- */

const char *
prae_filter_header(const prae_filter *filter, size_t *len)
{
    *len = filter == NULL ? 0 : filter->codec.header_len;
    if (filter == NULL)
        return "";
    return filter->codec.header == NULL ? "" : filter->codec.header;
}

const char *
prae_filter_field(prae_filter *filter, size_t i, const char **reason)
{
    if (filter == NULL || filter->broken || !filter->learned ||
        i >= filter->features.column_count)
        return NULL;
    const struct column *column = &filter->features.column[i];
    *reason = pri_column_reason(column->kind);
    pri_path_text(&filter->features.tree, column->node, filter->name,
                  sizeof filter->name);
    return filter->name;
}

prae_status
prae_filter_feature(prae_filter *filter, size_t d, prae_feature *feature)
{
    if (filter == NULL || feature == NULL || filter->broken ||
        !filter->learned || d >= filter->learner.D)
        return PRAE_END;
    name_feature(filter, d, filter->name, sizeof filter->name);
    *feature = (prae_feature){.name = filter->name,
                              .centre = filter->learner.scale.centre[d],
                              .unit = filter->learner.scale.unit[d]};
    return PRAE_OK;
}

double
prae_filter_quantile(const prae_filter *filter, double share)
{
    return filter == NULL || !filter->learned
               ? (double)NAN
               : pri_learner_quantile(&filter->learner, share);
}

void
prae_filter_stats(const prae_filter *filter, prae_stats *stats)
{
    *stats = (prae_stats){.size = sizeof *stats};
    if (filter == NULL)
        return;
    *stats = filter->stats;
    stats->size = sizeof *stats;
    stats->held =
        stats->received - stats->inliers - stats->outliers - stats->rejected;
    stats->bursts = filter->learner.bursts;
    stats->drifts = filter->learner.drifts;
    stats->rollbacks = filter->learner.rollbacks;
    stats->imputed = filter->features.imputed;
    stats->ignored = filter->features.unknown_fields;
    stats->wide_integers = filter->features.wide_ints;
    stats->features = filter->features.D;
    stats->inputs = filter->learner.D;
    stats->context = filter->learner.context.on;
    stats->likeness = filter->learner.likeness;
    stats->judged = filter->learner.windows;
    stats->model = filter->learner.model;
    stats->trusted = filter->learner.reservoir.count;
    stats->latent = filter->learner.trainer.net.latent;
    stats->weights = filter->learner.trainer.net.param_count;
    stats->limit = filter->learner.limit;
    stats->state = filter->learned ? filter->learner.state : PRAE_STATE_WARMING;
}

const char *
prae_state_text(prae_state state)
{
    switch (state) {
    case PRAE_STATE_WARMING: return "warming";
    case PRAE_STATE_LIVE: return "live";
    case PRAE_STATE_BURST: return "burst";
    case PRAE_STATE_DRIFT: return "drift";
    case PRAE_STATE_FROZEN: return "frozen";
    }
    return "unknown";
}

const char *
prae_filter_errmsg(const prae_filter *filter)
{
    return filter == NULL ? "no filter given" : filter->errmsg;
}
