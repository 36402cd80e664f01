/* feature.c - columns: choosing them, and filling them from a record. */
#include "feature.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

#define NAME_BYTES 512 /* of a path that are looked at for what it names */

prae_status
pri_features_init(struct features *features)
{
    *features = (struct features){0};
    pri_survey_init(&features->survey);
    return pri_path_init(&features->tree);
}

void
pri_features_fini(struct features *features)
{
    for (size_t i = 0; i < features->taken; i++) {
        struct column *column = &features->column[i];
        if (column->kind == COLUMN_CATEGORY)
            pri_categories_fini(&column->categories);
        else if (column->kind == COLUMN_TEXT)
            pri_words_fini(&column->words);
    }
    free(features->column);
    free(features->column_of);
    pri_survey_fini(&features->survey);
    pri_path_fini(&features->tree);
    *features = (struct features){0};
}

/* Items of the root where that is an array, else 0. */
static size_t
root_items(const struct record *record)
{
    size_t items = 0;

    if (record->field[record->root].type != FIELD_ARRAY)
        return 0;
    for (size_t i = record->root + 1; i < record->count; i++)
        items += record->field[i].parent == record->root;
    return items;
}

/* Most records of the first window are of one shape, and that is the
 * stream's: a majority vote in one pass (Boyer and Moore). */
static void
vote_root(struct features *features, size_t items)
{
    if (features->root_votes == 0)
        features->root_items = items;
    if (items == features->root_items)
        features->root_votes++;
    else
        features->root_votes--;
}

prae_status
pri_features_survey(struct features *features, const struct record *record)
{
    prae_status status = pri_path_resolve(&features->tree, record, 1);

    if (status != PRAE_OK)
        return status;
    features->survey.coerce = features->coerce;
    vote_root(features, root_items(record));
    return pri_survey_record(&features->survey, &features->tree, record);
}

/* ---- choosing ---- */

/* Whether ENTRY (LEN) of a list is PATH or something it lies below. */
static int
is_entry(const char *entry, size_t len, const char *path)
{
    return len > 0 && strncmp(entry, path, len) == 0 &&
           (path[len] == '\0' || path[len] == '.');
}

/* Whether LIST, as "a.b,c", holds PATH. */
static int
in_list(const char *list, const char *path)
{
    for (const char *at = list; *at != '\0'; at += *at == ',') {
        size_t len = strcspn(at, ",");
        if (is_entry(at, len, path))
            return 1;
        at += len;
    }
    return 0;
}

/* Room for so much of a path that any entry of LIST can be told from it; SIZE
 * at least. */
static size_t
path_room(const char *list, size_t size)
{
    for (const char *at = list; at != NULL && *at != '\0'; at += *at == ',') {
        size_t len = strcspn(at, ",");
        if (size < len + 2)
            size = len + 2; /* a dot, and the end */
        at += len;
    }
    return size;
}

/* An entry of LIST that no path is, is told in WHY. PATH (SIZE) is scratch. */
static prae_status
check_list(const struct features *features, const char *list, char *path,
           size_t size, char *why, size_t why_size)
{
    for (const char *at = list; *at != '\0'; at += *at == ',') {
        size_t len = strcspn(at, ","), n = 1;
        for (; n < features->tree.count; n++) {
            pri_path_text(&features->tree, (uint32_t)n, path, size);
            if (is_entry(at, len, path))
                break;
        }
        if (len > 0 && n == features->tree.count) {
            snprintf(why, why_size,
                     "fields: no record of the first window has '%.*s'",
                     (int)len, at);
            return PRAE_ECONFIG;
        }
        at += len;
    }
    return PRAE_OK;
}

/* What becomes of NODE, whose PATH is as long as the lists need it. A field
 * that was asked for by name is taken unless nothing can be made of it. */
static enum column_kind
judge_node(const struct features *features, uint32_t node, const char *path,
           const char *fields, const char *ignore)
{
    char name[NAME_BYTES];

    if ((ignore != NULL && in_list(ignore, path)) ||
        (fields != NULL && !in_list(fields, path)))
        return COLUMN_IGNORED;
    pri_path_text(&features->tree, node, name, sizeof name);
    enum column_kind kind = pri_survey_kind(&features->survey, node, name);
    if (fields == NULL)
        return kind;
    const struct place *place = &features->survey.place[node];
    if (kind == COLUMN_COUNTER || kind == COLUMN_TIMESTAMP ||
        kind == COLUMN_IDENTIFIER || kind == COLUMN_RARE ||
        kind == COLUMN_MIXED) {
        if (place->numbers >= place->texts)
            return COLUMN_NUMBER;
        return place->spaced * 2 > place->texts ? COLUMN_TEXT : COLUMN_CATEGORY;
    }
    return kind;
}

/* Features that a column of KIND gives. */
static uint32_t
width_of(enum column_kind kind)
{
    return kind == COLUMN_TEXT ? PRI_TEXT_FEATURES : 1;
}

static prae_status
column_start(struct features *features, struct column *column)
{
    column->first = (uint32_t)features->D;
    column->width = width_of(column->kind);
    features->D += column->width;
    if (column->kind == COLUMN_CATEGORY)
        pri_categories_init(&column->categories);
    if (column->kind == COLUMN_TEXT)
        return pri_words_init(&column->words);
    return PRAE_OK;
}

static int
is_taken(enum column_kind kind)
{
    return pri_column_reason(kind) == NULL;
}

/* Whether NODE had values, and not just others below it. */
static int
is_leaf(const struct features *features, size_t node)
{
    const struct place *place = &features->survey.place[node];

    return place->numbers + place->texts + place->others > 0;
}

/* Features that all columns would give: a text's take far more memory than it
 * has bytes, so they are counted before any is made. */
static size_t
count_features(const struct features *features, const enum column_kind *kinds)
{
    size_t count = 0;

    for (size_t n = 1; n < features->node_count; n++)
        if (is_leaf(features, n) && is_taken(kinds[n]))
            count += width_of(kinds[n]);
    return count;
}

/* Lists columns of the nodes that are leaves: the taken ones in a first
 * pass, the others in a second. */
static prae_status
list_columns(struct features *features, const enum column_kind *kinds)
{
    prae_status status = PRAE_OK;

    for (int pass = 0; pass < 2; pass++) {
        for (size_t n = 1; n < features->node_count; n++) {
            if (!is_leaf(features, n) || is_taken(kinds[n]) != (pass == 0))
                continue;
            struct column *column = &features->column[features->column_count];
            *column = (struct column){.kind = kinds[n], .node = (uint32_t)n};
            if (pass == 0) {
                features->column_of[n] = (uint32_t)features->column_count;
                /* Counted before it starts, so that it is freed. */
                features->taken++;
                status = column_start(features, column);
            }
            features->column_count++;
            if (status != PRAE_OK)
                return status;
        }
    }
    return PRAE_OK;
}

prae_status
pri_features_choose(struct features *features, const char *fields,
                    const char *ignore, size_t features_max, char *why,
                    size_t why_size)
{
    size_t count = features->tree.count;
    enum column_kind *kinds = calloc(count, sizeof *kinds);
    size_t size = path_room(fields, path_room(ignore, 1));
    char *path = malloc(size);
    prae_status status = PRAE_ENOMEM;

    features->column = calloc(count, sizeof *features->column);
    features->column_of = malloc(count * sizeof *features->column_of);
    features->node_count = count;
    if (kinds == NULL || path == NULL || features->column == NULL ||
        features->column_of == NULL)
        goto out;
    memset(features->column_of, 0xff, count * sizeof *features->column_of);
    for (size_t n = 1; n < count; n++) {
        pri_path_text(&features->tree, (uint32_t)n, path, size);
        kinds[n] = judge_node(features, (uint32_t)n, path, fields, ignore);
    }
    status = fields == NULL ? PRAE_OK
                            : check_list(features, fields, path, size, why,
                                         why_size);
    size_t wanted = count_features(features, kinds);
    if (status == PRAE_OK && wanted == 0) {
        snprintf(why, why_size,
                 "no field of the records makes a feature: "
                 "nothing to judge them by");
        status = PRAE_EDATA;
    } else if (status == PRAE_OK && wanted > features_max) {
        snprintf(why, why_size,
                 "%zu features, more than %zu: choose with "
                 "fields or ignore",
                 wanted, features_max);
        status = PRAE_ECONFIG;
    }
    if (status == PRAE_OK)
        status = list_columns(features, kinds);
    pri_features_chosen(features);
out:
    free(kinds);
    free(path);
    return status;
}

void
pri_features_chosen(struct features *features)
{
    features->mixed = 0;
    for (size_t i = 0; i < features->taken; i++)
        features->mixed |= features->column[i].kind != COLUMN_CATEGORY &&
                           features->column[i].kind != COLUMN_TEXT;
}

/* ---- extracting ---- */

static prae_status
resolve(struct features *features, const struct record *record)
{
    return pri_path_resolve(&features->tree, record, 0);
}

static inline struct column *
column_of(const struct features *features, size_t i)
{
    uint32_t node = features->tree.last[i];

    if (node == PRI_PATH_NONE || node >= features->node_count ||
        features->column_of[node] == PRI_PATH_NONE)
        return NULL;
    return &features->column[features->column_of[node]];
}

struct column *
pri_features_of(const struct features *features, size_t i)
{
    return column_of(features, i);
}

static int
is_number(const struct field *field)
{
    return field->type == FIELD_BOOL || field->type == FIELD_INTEGER ||
           field->type == FIELD_REAL || field->type == FIELD_TIME;
}

/* The number in FIELD to *X. */
static enum fault
fill_number(const struct features *features, const struct field *field,
            double *x)
{
    double number = field->number;
    int whole;

    if (field->type == FIELD_TEXT && features->coerce &&
        pri_number_parse(field->text, field->text_len, &number, &whole)) {
        /* taken as the number it spells */
    } else if (!is_number(field)) {
        return FAULT_TYPE;
    }
    if (!isfinite(number)) {
        if (!features->impute_nonfinite)
            return FAULT_NONFINITE;
        number = (double)NAN;
    }
    *x = number;
    return FAULT_NONE;
}

static inline enum fault
fill_column(const struct features *features, const struct column *column,
            const struct field *field, double *x)
{
    if (field->type == FIELD_NIL)
        return FAULT_NONE;
    if (column->kind == COLUMN_NUMBER || column->kind == COLUMN_CONSTANT)
        return fill_number(features, field, &x[column->first]);
    if (field->type != FIELD_TEXT)
        return FAULT_TYPE;
    if (column->kind == COLUMN_CATEGORY)
        x[column->first] =
            features->mixed
                ? pri_categories_oddity(&column->categories, field->text,
                                        field->text_len)
                : pri_categories_rarity(&column->categories, field->text,
                                        field->text_len);
    else
        pri_words_rarity(&column->words, field->text, field->text_len,
                         &x[column->first]);
    return FAULT_NONE;
}

enum fault
pri_features_fill(const struct features *features, const struct column *column,
                  const struct field *field, double *x)
{
    return fill_column(features, column, field, x);
}

prae_status
pri_column_count(struct column *column, const char *text, size_t len, int times)
{
    if (column->kind == COLUMN_CATEGORY)
        return pri_categories_count(&column->categories, text, len, times);
    if (column->kind == COLUMN_TEXT)
        pri_words_count(&column->words, text, len, times);
    return PRAE_OK;
}

static prae_status
count_strings(struct features *features, const struct record *record, int times)
{
    prae_status status = PRAE_OK;

    for (size_t i = 0; status == PRAE_OK && i < record->count; i++) {
        const struct field *field = &record->field[i];
        struct column *column = column_of(features, i);
        if (column != NULL && field->type == FIELD_TEXT)
            status =
                pri_column_count(column, field->text, field->text_len, times);
    }
    return status;
}

prae_status
pri_features_count(struct features *features, const struct record *record)
{
    prae_status status = resolve(features, record);

    if (status == PRAE_OK)
        status = count_strings(features, record, 1);
    return status;
}

prae_status
pri_features_forget(struct features *features, const struct record *record)
{
    prae_status status = resolve(features, record);

    if (status == PRAE_OK)
        status = count_strings(features, record, -1);
    return status;
}

void
pri_features_settle(struct features *features)
{
    for (size_t i = 0; i < features->taken; i++) {
        struct column *column = &features->column[i];
        if (column->kind == COLUMN_CATEGORY)
            pri_categories_settle(&column->categories);
        else if (column->kind == COLUMN_TEXT)
            pri_words_settle(&column->words);
    }
}

prae_status
pri_features_extract(struct features *features, const struct record *record,
                     int count, double *x, enum fault *fault)
{
    prae_status status = resolve(features, record);
    size_t missing = 0;

    *fault = FAULT_NONE;
    if (status != PRAE_OK)
        return status;
    if (root_items(record) != features->root_items) {
        *fault = FAULT_DIMENSION;
        return PRAE_OK;
    }
    for (size_t d = 0; d < features->D; d++)
        x[d] = (double)NAN;
    for (size_t i = 0; i < record->count; i++) {
        struct column *column = column_of(features, i);
        if (column == NULL) {
            features->unknown_fields +=
                features->tree.last[i] == PRI_PATH_NONE && i > record->root;
            continue;
        }
        *fault = fill_column(features, column, &record->field[i], x);
        if (*fault != FAULT_NONE)
            return PRAE_OK;
    }
    for (size_t d = 0; d < features->D; d++)
        missing += isnan(x[d]) != 0;
    if (2 * missing > features->D) {
        *fault = FAULT_MISSING;
        return PRAE_OK;
    }
    features->imputed += missing;
    features->wide_ints += record->wide_ints;
    return count ? count_strings(features, record, 1) : PRAE_OK;
}

/* ---- names ---- */

const struct column *
pri_features_column(const struct features *features, size_t d)
{
    size_t i = 0;

    while (d >= features->column[i].first + features->column[i].width)
        i++;
    return &features->column[i];
}

void
pri_features_name(const struct features *features, size_t d, char *text,
                  size_t size)
{
    static const char *const parts[PRI_TEXT_FEATURES] = {
        ", rarest words", ", rarest word pairs", ", all words",
        ", all word pairs", ", length"};
    const struct column *column = pri_features_column(features, d);
    size_t len = pri_path_text(&features->tree, column->node, text, size);

    if (column->kind == COLUMN_TEXT && len < size)
        snprintf(text + len, size - len, "%s", parts[d - column->first]);
}
