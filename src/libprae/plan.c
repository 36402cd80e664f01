/*
 * plan.c - the life of a plan: when it is made, when it is read by, and what
 * is counted then.
 */
#include "plan.h"

#include <stdlib.h>

#include "plan_walk.h"
#include "text.h"

#define CREDIT_MAX 64
#define PATIENCE_MAX 1023
#define STEPS_MAX 16384 /* a record of more values has no plan */

static const struct {
    pri_plan_walk *walk;
    pri_plan_draw *draw;
} formats[] = {
    [PRAE_FORMAT_MSGPACK] = {pri_plan_walk_msgpack, pri_plan_draw_msgpack},
    [PRAE_FORMAT_JSONL] = {pri_plan_walk_jsonl, pri_plan_draw_jsonl},
    [PRAE_FORMAT_CSV] = {pri_plan_walk_csv, pri_plan_draw_csv},
};

void
pri_plan_fini(struct plan *plan)
{
    free(plan->step);
    free(plan->fixed);
    *plan = (struct plan){0};
}

/* ---- reading ---- */

static int
take_string(struct walk *walk, struct step *step, const struct field *field)
{
    const struct column *column = step->column;

    for (size_t d = 0; d < column->width; d++)
        walk->x[column->first + d] = (double)NAN;
    if (pri_features_fill(walk->features, column, field, walk->x) != FAULT_NONE)
        return 0;
    for (size_t d = 0; d < column->width; d++)
        walk->missing += isnan(walk->x[column->first + d]) != 0;
    step->text = NULL;
    if (field->type == FIELD_TEXT) {
        step->text = field->text;
        step->text_len = field->text_len;
    }
    return 1;
}

int
pri_plan_value(struct walk *walk, struct step *step, const struct field *field)
{
    if (step->kind == STEP_PASS)
        return 1;
    if (step->kind == STEP_STRING)
        return take_string(walk, step, field);
    switch ((enum field_type)field->type) {
    case FIELD_NIL: pri_walk_missing(walk, step); return 1;
    case FIELD_BOOL:
    case FIELD_INTEGER:
    case FIELD_REAL: return pri_walk_number(walk, step, field->number);
    default: return 0;
    }
}

static prae_status
count_strings(const struct plan *plan)
{
    prae_status status = PRAE_OK;

    for (size_t i = 0; status == PRAE_OK && i < plan->count; i++) {
        const struct step *step = &plan->step[i];
        if (step->kind == STEP_STRING && step->text != NULL)
            status = pri_column_count(step->column, step->text, step->text_len,
                                      1);
    }
    return status;
}

/* The bytes that the record must lie in. */
static size_t
room(struct codec *codec, const char *bytes, size_t len)
{
    return codec->format == PRAE_FORMAT_MSGPACK
               ? pri_msgpack_room(codec, bytes, len)
               : pri_text_room(codec, bytes, len);
}

static void
passed(struct codec *codec, size_t used)
{
    if (codec->format == PRAE_FORMAT_MSGPACK)
        pri_msgpack_passed(codec, used);
    else
        pri_text_passed(codec, used);
}

prae_status
pri_plan_read(struct plan *plan, struct features *features, struct codec *codec,
              const char *bytes, size_t len, int count, double *x, size_t *used)
{
    const unsigned char *start = (const unsigned char *)bytes;
    struct walk walk = {.features = features, .x = x, .missing = plan->absent};
    size_t most = plan->count == 0 ? 0 : room(codec, bytes, len);
    prae_status status = PRAE_OK;

    *used = 0;
    if (most == 0)
        return PRAE_OK; /* BYTES may be NULL then */
    for (size_t d = 0; plan->absent > 0 && d < features->D; d++)
        x[d] = (double)NAN;
    const unsigned char *behind = formats[codec->format].walk(
        plan, &walk, start, start + most);
    if (behind == NULL || 2 * walk.missing > features->D)
        return PRAE_OK;

    *used = (size_t)(behind - start);
    features->imputed += walk.missing;
    features->wide_ints += walk.wide;
    features->unknown_fields += plan->unknown;
    if (count && plan->strings > 0)
        status = count_strings(plan);
    passed(codec, *used);
    plan->records++;
    plan->credit += plan->credit < CREDIT_MAX;
    plan->patience = 0;
    return status;
}

/* ---- making ---- */

/* At least NEED items in *BLOCK. */
static prae_status
grow(void **block, size_t *cap, size_t need, size_t item_bytes)
{
    if (need <= *cap)
        return PRAE_OK;
    size_t more = need > 2 * *cap ? need : 2 * *cap;
    void *moved = realloc(*block, more * item_bytes);
    if (moved == NULL)
        return PRAE_ENOMEM;
    *block = moved;
    *cap = more;
    return PRAE_OK;
}

static enum step_kind
kind_of(const struct column *column)
{
    if (column == NULL)
        return STEP_PASS;
    return column->kind == COLUMN_CATEGORY || column->kind == COLUMN_TEXT
               ? STEP_STRING
               : STEP_NUMBER;
}

prae_status
pri_plan_add(struct plan *plan, const struct features *features, size_t i,
             const char *bytes, size_t len, size_t alike)
{
    void *steps = plan->step, *fixed = plan->fixed;
    prae_status status =
        grow(&steps, &plan->cap, plan->count + 1, sizeof *plan->step);

    plan->step = steps;
    if (status == PRAE_OK)
        status = grow(&fixed, &plan->fixed_cap,
                      plan->fixed_len + len + alike + 1, 1);
    plan->fixed = fixed;
    if (status != PRAE_OK)
        return status;
    struct step *step = &plan->step[plan->count++];
    struct column *column = i == 0 ? NULL : pri_features_of(features, i);
    *step = (struct step){.fixed = (uint32_t)plan->fixed_len,
                          .fixed_len = (uint32_t)(len + alike),
                          .skip = (uint32_t)len,
                          .column = column,
                          .feature = column == NULL ? 0 : column->first,
                          .kind = i == 0 ? STEP_END : kind_of(column)};
    memcpy(plan->fixed + plan->fixed_len, bytes, len + alike);
    plan->fixed_len += len + alike;
    size_t first = len + alike < 8 ? len + alike : 8;
    memcpy(&step->first, bytes, first);
    memset(&step->mask, 0xff, first);
    return PRAE_OK;
}

/* Notes what follows from the steps. No two fill one column, see
 * pri_path_resolve. */
static void
settle(struct plan *plan, const struct features *features, size_t fields,
       size_t root)
{
    plan->absent = features->D;
    plan->unknown = plan->strings = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct step *step = &plan->step[i];
        plan->strings += step->kind == STEP_STRING;
        if (step->column != NULL)
            plan->absent -= step->column->width;
    }
    for (size_t i = root + 1; i < fields; i++)
        plan->unknown += features->tree.last[i] == PRI_PATH_NONE;
}

/* The shape that most records have is to win: a plan lives on credit that
 * each record which fits it adds to. One that never fits is followed by
 * others at longer and longer intervals, as there may be no such shape. */
prae_status
pri_plan_missed(struct plan *plan, const struct features *features,
                struct codec *codec, const char *bytes, size_t len)
{
    const struct record *record = &codec->record;
    prae_status status = PRAE_OK;

    if (plan->credit > 0) {
        plan->credit--;
        return PRAE_OK;
    }
    plan->credit = plan->patience;
    if (plan->patience < PATIENCE_MAX)
        plan->patience = 2 * plan->patience + 1;
    plan->count = plan->fixed_len = 0;
    if (record->count <= STEPS_MAX)
        status = formats[codec->format].draw(plan, features, codec, bytes, len);
    if (status == PRAE_OK)
        settle(plan, features, record->count, record->root);
    else
        plan->count = 0;
    return status;
}
