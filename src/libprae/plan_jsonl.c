/*
 * plan_jsonl.c - plans of JSON Lines: brackets, keys, commas, blanks and the
 * line's end are fixed. A text with an escape is left to the ordinary way.
 */
#include "number.h"
#include "plan_walk.h"
#include "text.h"

/* ---- reading ---- */

static inline const unsigned char *
read_number(const unsigned char *at, const unsigned char *end,
            struct field *field, uint32_t *wide)
{
    struct decimal decimal;
    const char *behind =
        pri_decimal_read((const char *)at, (const char *)end, &decimal);

    field->type = FIELD_REAL;
    if (behind == NULL || !decimal.json ||
        !pri_decimal_value(&decimal, &field->number))
        return NULL;
    *wide += decimal.whole && decimal.digits > PRI_NUMBER_EXACT;
    return (const unsigned char *)behind;
}

/* A text whose opening quote is at AT. */
static const unsigned char *
read_text(const unsigned char *at, const unsigned char *end,
          struct field *field)
{
    const unsigned char *from = ++at;
    unsigned char all = 0;

    for (; at < end && *at != '"'; at++) {
        if (*at == '\\' || *at < 0x20)
            return NULL;
        all |= *at;
    }
    field->type = FIELD_TEXT;
    field->text = (const char *)from;
    field->text_len = (uint32_t)(at - from);
    if (at == end ||
        (all >= 0x80 &&
         pri_utf8_valid(field->text, field->text_len) < field->text_len))
        return NULL;
    return at + 1;
}

static const unsigned char *
read_word(const unsigned char *at, const unsigned char *end,
          struct field *field)
{
    const size_t left = (size_t)(end - at);

    if (left >= 4 && memcmp(at, "null", 4) == 0) {
        field->type = FIELD_NIL;
        return at + 4;
    }
    field->type = FIELD_BOOL;
    field->number = *at == 't' ? 1.0 : 0.0;
    if (left >= 4 && memcmp(at, "true", 4) == 0)
        return at + 4;
    return left >= 5 && memcmp(at, "false", 5) == 0 ? at + 5 : NULL;
}

const unsigned char *
pri_plan_walk_jsonl(struct plan *plan, struct walk *walk,
                    const unsigned char *at, const unsigned char *end)
{
    /* The last step is the line's end. */
    for (struct step *step = plan->step;; step++) {
        struct field field;
        at = pri_walk_fixed(plan, step, at, end);
        if (at == NULL || step->kind == STEP_END)
            return at;
        if (at == end)
            return NULL;
        if (*at == '-' || (*at >= '0' && *at <= '9')) {
            at = read_number(at, end, &field, &walk->wide);
            /* What nearly all are, without a call. */
            if (at != NULL && step->kind == STEP_NUMBER) {
                if (!pri_walk_number(walk, step, field.number))
                    return NULL;
                continue;
            }
        } else if (*at == '"') {
            at = read_text(at, end, &field);
        } else {
            at = read_word(at, end, &field);
        }
        if (at == NULL || !pri_plan_value(walk, step, &field))
            return NULL;
    }
}

/* ---- making ---- */

/* The line was read without a fault and ends in a newline: texts have both
 * quotes, and searches end there at the latest. */

/* Behind the text whose opening quote is at AT. */
static const char *
skip_text(const char *at)
{
    for (at++; *at != '"'; at++)
        at += *at == '\\';
    return at + 1;
}

prae_status
pri_plan_draw_jsonl(struct plan *plan, const struct features *features,
                    struct codec *codec, const char *bytes, size_t len)
{
    const struct record *record = &codec->record;
    const char *at = bytes, *from = bytes, *end = bytes + len;
    prae_status status = PRAE_OK;

    if (end[-1] != '\n')
        return PRAE_OK;
    for (size_t i = 0; status == PRAE_OK && i < record->count; i++) {
        const struct field *field = &record->field[i];
        at += strspn(at, " \t\r,]}");
        if (i > 0 && record->field[field->parent].type == FIELD_MAP) {
            at = skip_text(at);
            at += strspn(at, " \t\r:");
        }
        if (field->type == FIELD_MAP || field->type == FIELD_ARRAY) {
            at++;
            continue;
        }
        status = pri_plan_add(plan, features, i, from, (size_t)(at - from), 0);
        if (field->type == FIELD_TEXT)
            at = skip_text(at);
        else
            at += strcspn(at, " \t\r,]}");
        from = at;
    }
    return status == PRAE_OK
               ? pri_plan_add(plan, features, 0, from, (size_t)(end - from), 0)
               : status;
}
