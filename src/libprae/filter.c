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

#include "filter.h"

/* A window is also complete when it holds so many times its size in
 * records, most of them refused: memory is bounded by options. */
#define CROWDED 4
#define CROWDED_MIN 1024

__attribute__((format(printf, 3, 4))) prae_status
pri_filter_fail(prae_filter *filter, prae_status status, const char *format,
                ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(filter->errmsg, sizeof filter->errmsg, format, args);
    va_end(args);
    return status;
}

/* ---- life ---- */

prae_status
pri_copy_text(const char *text, char **copy)
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
        pri_copy_text(params->fields, &filter->fields) != PRAE_OK ||
        pri_copy_text(params->ignore, &filter->ignore) != PRAE_OK ||
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

prae_status
prae_filter_set_runner(prae_filter *filter, size_t threads, prae_runner run,
                       void *arg)
{
    struct runner runner = {threads, run, arg};

    if (filter == NULL || filter->broken)
        return PRAE_EINVAL;
    if (run != NULL && threads == 0)
        return pri_filter_fail(filter, PRAE_EINVAL, "no thread to run on");
    prae_status status = pri_learner_set_runner(&filter->learner, &runner);
    if (status != PRAE_OK)
        return pri_filter_fail(filter, status, "out of memory for %zu threads",
                               threads);
    filter->runner = runner;
    return PRAE_OK;
}

void
prae_filter_free(prae_filter *filter)
{
    if (filter == NULL)
        return;
    pri_codec_fini(&filter->codec);
    pri_features_fini(&filter->features);
    pri_plan_fini(&filter->plan);
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

/* With its vector, where the features are known. */
prae_status
pri_filter_take(prae_filter *filter, const char *bytes)
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
    slot->line = filter->codec.reading.line;
    slot->parsed = fault == FAULT_NONE || fault == FAULT_TYPE;
    if (fault == FAULT_NONE && filter->learned)
        status = pri_window_row(window);
    if (status == PRAE_OK && fault == FAULT_NONE && filter->learned)
        status = pri_features_extract(
            &filter->features, record, !filter->params.freeze,
            window->x + window->rows * window->D0, &fault);
    slot->fault = (uint8_t)fault;
    if (status != PRAE_OK || fault != FAULT_NONE)
        return status;
    slot->row = (uint32_t)window->rows++;
    return filter->learned
               ? pri_plan_missed(&filter->plan, &filter->features,
                                 &filter->codec, window->bytes + slot->at,
                                 slot->len)
               : PRAE_OK;
}

/* A record as the last ones were, by the short cut. *USED is 0 where it is
 * not, or where there is none. */
static prae_status
take_planned(prae_filter *filter, const char *bytes, size_t len, size_t *used)
{
    struct window *window = &filter->window;
    struct slot *slot;

    *used = 0;
    if (filter->plan.count == 0)
        return PRAE_OK;
    prae_status status = pri_window_row(window);
    if (status != PRAE_OK)
        return status;
    status = pri_plan_read(&filter->plan, &filter->features, &filter->codec,
                           bytes, len, !filter->params.freeze,
                           window->x + window->rows * window->D0, used);
    if (status != PRAE_OK || *used == 0)
        return status;
    status = pri_window_add(window, bytes, *used, &slot);
    if (status != PRAE_OK)
        return status;
    filter->stats.received++;
    slot->line = filter->codec.reading.line;
    slot->row = (uint32_t)window->rows++;
    return PRAE_OK;
}

prae_status
pri_filter_read(prae_filter *filter, const char *bytes, size_t len, int at_end,
                size_t *used)
{
    prae_status status = take_planned(filter, bytes, len, used);

    if (status != PRAE_OK || *used > 0)
        return status;
    status = pri_codec_next(&filter->codec, bytes, len, at_end);
    *used = filter->codec.record.len_bytes;
    return status == PRAE_OK ? pri_filter_take(filter, bytes) : status;
}

int
pri_filter_is_full(const prae_filter *filter)
{
    size_t rows = filter->params.window;

    if (rows == 0)
        return 0;
    return filter->window.rows == rows ||
           filter->window.slot_count >= CROWDED * rows + CROWDED_MIN;
}

/* Whether all verdicts are taken: PRAE_OK, or PRAE_EINVAL with the reason.
 * Who has taken the last and not asked on is where PRAE_END would be. */
static prae_status
check_taken(prae_filter *filter)
{
    if (!filter->judged && !filter->releasing)
        return PRAE_OK;
    if (filter->next_at < filter->window.slot_count)
        return pri_filter_fail(filter, PRAE_EINVAL,
                               "verdicts are left to be taken");
    pri_filter_start_window(filter);
    return PRAE_OK;
}

prae_status
pri_filter_may_take(prae_filter *filter)
{
    if (filter == NULL || filter->broken)
        return PRAE_EINVAL; /* and what broke it is still to be told */
    filter->errmsg[0] = '\0';
    return check_taken(filter);
}

prae_status
pri_filter_break(prae_filter *filter)
{
    filter->broken = 1;
    return pri_filter_fail(filter, PRAE_ENOMEM, "out of memory for a record");
}

prae_status
prae_filter_push(prae_filter *filter, const char *bytes, size_t len, int at_end,
                 size_t *used)
{
    size_t at = 0, step;

    if (used == NULL || (bytes == NULL && len > 0))
        return PRAE_EINVAL;
    prae_status status = pri_filter_may_take(filter);
    if (status == PRAE_OK && filter->in_message)
        status = pri_filter_fail(filter, PRAE_EINVAL,
                                 "a message has not come to its end");
    if (status != PRAE_OK)
        return status;
    if (filter->ended) { /* also an empty file does not go on with the last */
        filter->codec.reading = (struct reading){0};
        filter->ended = 0;
    }
    while (status == PRAE_OK) {
        if (pri_filter_is_full(filter)) {
            status = PRAE_FULL;
            break;
        }
        status = pri_filter_read(filter, bytes + at, len - at, at_end, &step);
        if (status != PRAE_ENOMEM)
            at += step;
    }
    *used = at;
    if (status == PRAE_EDATA) {
        filter->ended = 1; /* what comes next is another file */
        const struct record *record = &filter->codec.record;
        return pri_filter_fail(
            filter, PRAE_EDATA, "%s (%s) at byte %zu of record %llu",
            pri_fault_code(record->fault), pri_fault_text(record->fault),
            record->fault_at, (unsigned long long)filter->stats.received);
    }
    if (status == PRAE_ENOMEM)
        return pri_filter_break(filter);
    if (status == PRAE_END)
        filter->ended = 1;
    return status == PRAE_FULL ? PRAE_FULL : PRAE_OK;
}

prae_status
pri_filter_decode(prae_filter *filter, const struct slot *slot)
{
    return pri_codec_again(&filter->codec, filter->window.bytes + slot->at,
                           slot->len);
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

    if (filter->params.cold == PRAE_COLD_HOLD || !filter->is_first)
        return;
    for (size_t i = 0; i < filter->window.rows; i++)
        found->flagged[i] = filter->params.cold == PRAE_COLD_FLAG;
}

/* The number of the window's last row, as its verdict carries or carried it:
 * rows given out undecided have passed already. */
static uint64_t
last_window(const prae_filter *filter)
{
    uint64_t rows = filter->passed;

    for (size_t i = filter->given; i < filter->window.slot_count; i++)
        rows += filter->window.slot[i].row != PRI_WINDOW_NO_ROW;
    return pri_filter_window_at(filter, rows - 1);
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
    filter->stats.window = last_window(filter);
    status = pri_filter_settle(filter);
    overrule_cold(filter);
    for (size_t i = 0; status == PRAE_OK && i < window->slot_count; i++) {
        struct slot *slot = &window->slot[i];
        if (slot->row != PRI_WINDOW_NO_ROW && window->found.flagged[slot->row])
            status = pri_filter_explain(filter, slot);
    }
    return status;
}

prae_status
prae_filter_judge(prae_filter *filter)
{
    if (filter == NULL || filter->broken)
        return PRAE_EINVAL;
    prae_status status = check_taken(filter);
    if (status != PRAE_OK)
        return status;
    /* A push that failed has left its reason, which is still to be told. */
    if (!filter->learned && filter->window.rows > 0)
        status = pri_filter_choose(filter);
    if (status == PRAE_EDATA)
        status = pri_filter_refuse_all(filter);
    if (status == PRAE_OK && filter->window.rows > 0)
        status = judge_rows(filter);
    filter->broken = status != PRAE_OK;
    filter->unfit = status == PRAE_ECONFIG && !filter->learned;
    if (status == PRAE_ENOMEM)
        return pri_filter_fail(filter, status,
                               "out of memory for a window of %zu",
                               filter->window.slot_count);
    if (status == PRAE_ECONFIG && filter->learned)
        return pri_filter_fail(
            filter, status,
            "training diverged on the first window: try a rate "
            "below %g",
            filter->params.rate);
    if (status != PRAE_OK)
        return status;
    filter->judged = 1;
    filter->next_at = filter->given;
    return PRAE_OK;
}

prae_status
prae_filter_dismiss(prae_filter *filter)
{
    if (filter == NULL || !filter->unfit)
        return PRAE_EINVAL;
    filter->unfit = 0;
    prae_status status = pri_filter_refuse_all(filter);
    if (status != PRAE_OK)
        return pri_filter_fail(filter, status, "out of memory for a window");
    filter->broken = 0;
    filter->judged = 1;
    filter->next_at = filter->given;
    return PRAE_OK;
}

prae_status
prae_filter_release(prae_filter *filter)
{
    prae_status status = pri_filter_may_take(filter);

    if (status != PRAE_OK)
        return status;
    if (filter->learned)
        return pri_filter_fail(filter, PRAE_EINVAL,
                               "a window has been learned: judge this one");
    filter->releasing = 1;
    filter->next_at = filter->given;
    return PRAE_OK;
}

prae_status
prae_filter_cut(prae_filter *filter)
{
    prae_status status = pri_filter_may_take(filter);

    if (status != PRAE_OK)
        return status;
    if (filter->window.slot_count > 0)
        return pri_filter_fail(filter, PRAE_EINVAL,
                               "records are left to be judged");
    if (filter->learned) {
        pri_context_forget(&filter->learner.context);
        filter->learner.smooth.level = (double)NAN;
        filter->learner.smooth.last = (double)NAN;
    }
    return PRAE_OK;
}
