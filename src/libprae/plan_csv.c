/*
 * plan_csv.c - plans of CSV: commas and the row's end are fixed, and how
 * many cells there are. A cell with a quote or a newline in it is left to the
 * ordinary way.
 *
 * A blank row, which is no record, is not read as one: all of its features
 * would be missing.
 */
#include "number.h"
#include "plan_walk.h"
#include "text.h"

/* ---- reading ---- */

/* A cell's text, without quotes around it, to FIELD. */
static const unsigned char *
read_cell(const unsigned char *at, const unsigned char *end,
          struct field *field)
{
    const int quoted = at < end && *at == '"';
    const unsigned char *from = at + quoted;
    unsigned char all = 0;

    for (at = from; at < end; at++) {
        if (*at == '\n' || *at == '\r' || *at == (quoted ? '"' : ','))
            break;
        if (*at == '\0')
            return NULL;
        all |= *at;
    }
    const size_t len = (size_t)(at - from);
    if (at == end || (quoted && *at != '"') ||
        (all >= 0x80 && pri_utf8_valid((const char *)from, len) < len))
        return NULL;
    field->text = (const char *)from;
    field->text_len = (uint32_t)len;
    return at + quoted;
}

/* Any value, as the ordinary way sees it. */
static const unsigned char *
walk_cell(struct walk *walk, struct step *step, const unsigned char *at,
          const unsigned char *end)
{
    struct field field;

    at = read_cell(at, end, &field);
    if (at == NULL)
        return NULL;
    pri_csv_classify(field.text, field.text_len, &field, &walk->wide);
    return pri_plan_value(walk, step, &field) ? at : NULL;
}

const unsigned char *
pri_plan_walk_csv(struct plan *plan, struct walk *walk, const unsigned char *at,
                  const unsigned char *end)
{
    /* The last step is the row's end. */
    for (struct step *step = plan->step;; step++) {
        struct decimal decimal;
        double number;
        at = pri_walk_fixed(plan, step, at, end);
        if (at == NULL || step->kind == STEP_END)
            return at;
        /* What nearly all are, without a call. */
        const char *behind = NULL;
        if (step->kind == STEP_NUMBER)
            behind =
                pri_decimal_read((const char *)at, (const char *)end, &decimal);
        if (behind != NULL && behind < (const char *)end &&
            (*behind == ',' || *behind == '\n' || *behind == '\r') &&
            pri_decimal_value(&decimal, &number)) {
            walk->wide += decimal.whole && decimal.digits > PRI_NUMBER_EXACT;
            if (!pri_walk_number(walk, step, number))
                return NULL;
            at = (const unsigned char *)behind;
            continue;
        }
        at = walk_cell(walk, step, at, end);
        if (at == NULL)
            return NULL;
    }
}

/* ---- making ---- */

prae_status
pri_plan_draw_csv(struct plan *plan, const struct features *features,
                  struct codec *codec, const char *bytes, size_t len)
{
    const unsigned char *at = (const unsigned char *)bytes, *end = at + len;
    const size_t cells = codec->record.count - 1;
    prae_status status = PRAE_OK;

    for (size_t i = 0; status == PRAE_OK && at != NULL && i < cells; i++) {
        const size_t comma = i > 0;
        struct field unused;
        if (comma && (at == end || *at != ','))
            break;
        status =
            pri_plan_add(plan, features, i + 1, (const char *)at, comma, 0);
        at = read_cell(at + comma, end, &unused);
    }
    const size_t left = at == NULL ? 0 : (size_t)(end - at);
    const int ends = (left == 1 && at[0] == '\n') ||
                     (left == 2 && at[0] == '\r' && at[1] == '\n');
    if (status == PRAE_OK && ends)
        return pri_plan_add(plan, features, 0, (const char *)at, left, 0);
    plan->count = 0; /* a cell has in it what is left to the ordinary way */
    return status;
}
