/*
 * choose.c - the first window: what records are judged by is chosen from it,
 * by decoding them again, once for each look. So is what strings of a later
 * window leave behind.
 */
#include <stdlib.h>

#include "filter.h"

#define REASONS_FIRST 65536 /* made room for in advance */

/* A string's rarity is in nats; differences below these say nothing. */
#define TEXT_LEAST 0.25
#define CATEGORY_LEAST 0.5

enum pass { PASS_SURVEY, PASS_COUNT, PASS_FORGET, PASS_EXTRACT };

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
        status = pri_filter_decode(filter, slot);
        if (status != PRAE_OK)
            break;
        if (pass == PASS_SURVEY) {
            status = pri_features_survey(features, record);
        } else if (pass == PASS_COUNT) {
            status = pri_features_count(features, record);
        } else if (pass == PASS_FORGET) {
            status = pri_features_forget(features, record);
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

static int
has_strings(const struct features *features)
{
    int strings = 0;

    for (size_t i = 0; i < features->taken; i++)
        strings |= features->column[i].kind == COLUMN_CATEGORY ||
                   features->column[i].kind == COLUMN_TEXT;
    return strings;
}

prae_status
pri_filter_set_rarity(const struct features *features, struct learner *learner)
{
    double *weight = calloc(features->D, sizeof *weight);

    if (weight == NULL)
        return PRAE_ENOMEM;
    for (size_t i = 0; i < features->taken; i++) {
        const struct column *column = &features->column[i];
        /* Of a text its rarest words and its rarest pairs of words. */
        for (size_t d = 0; d < column->width && d < 2; d++)
            weight[column->first + d] = 1.0;
    }
    if (!features->mixed)
        pri_learner_set_rarity(learner, weight);
    free(weight);
    return PRAE_OK;
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
        if (column->kind == COLUMN_CATEGORY)
            least[column->first] = CATEGORY_LEAST;
        else if (column->kind == COLUMN_TEXT)
            for (size_t d = 0; d < column->width; d++)
                least[column->first + d] = TEXT_LEAST;
    }
    prae_status status = pri_learner_init(&filter->learner, &filter->params,
                                          features->D, least, rows);
    free(least);
    if (status == PRAE_OK)
        status = pri_learner_set_runner(&filter->learner, &filter->runner);
    if (status == PRAE_OK)
        status = pri_filter_set_rarity(features, &filter->learner);
    return status;
}

prae_status
pri_filter_reserve_reasons(prae_filter *filter, size_t rows)
{
    size_t count = rows * filter->params.why;

    return pri_window_reserve_reasons(
        &filter->window, count < REASONS_FIRST ? count : REASONS_FIRST);
}

/* Counts the strings of the first window's records, but for those that are
 * refused: these are found by a first look, which leaves no other trace. */
static prae_status
learn_strings(prae_filter *filter)
{
    struct features *features = &filter->features;
    prae_status status = run_pass(filter, PASS_EXTRACT);

    features->imputed = features->unknown_fields = features->wide_ints = 0;
    return status == PRAE_OK ? run_pass(filter, PASS_COUNT) : status;
}

prae_status
pri_filter_choose(prae_filter *filter)
{
    struct window *window = &filter->window;
    size_t rows = filter->params.window < PRI_ROWS_FIRST ? filter->params.window
                                                         : PRI_ROWS_FIRST;
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
        status = pri_filter_reserve_reasons(filter, rows);
    window->rows = 0;
    if (status == PRAE_OK && has_strings(&filter->features))
        status = learn_strings(filter);
    window->rows = 0;
    if (status == PRAE_OK)
        status = run_pass(filter, PASS_EXTRACT);
    /* What was chosen fits none of them: it would refuse all that come. */
    if (status == PRAE_OK && window->rows == 0)
        status = PRAE_EDATA;
    if (status == PRAE_OK)
        status = start_learner(filter);
    if (status == PRAE_OK)
        filter->learned = filter->is_first = 1;
    return status;
}

/* ---- later windows ---- */

prae_status
pri_filter_settle(prae_filter *filter)
{
    /* Those of a burst are taken back: it leaves no trace. */
    if (filter->learner.state == PRAE_STATE_BURST)
        return has_strings(&filter->features) ? run_pass(filter, PASS_FORGET)
                                              : PRAE_OK;
    if (!filter->params.freeze)
        pri_features_settle(&filter->features);
    return PRAE_OK;
}

prae_status
pri_filter_refuse_all(prae_filter *filter)
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
