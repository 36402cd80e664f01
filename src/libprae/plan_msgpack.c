/*
 * plan_msgpack.c - plans of MessagePack: the heads of containers and the
 * keys are fixed, with their encoding; values may be encoded in any way.
 */
#include <assert.h>

#include "packed.h"
#include "plan_walk.h"

/* ---- reading ---- */

/* A number or a boolean to FIELD. */
static const unsigned char *
read_number(const unsigned char *at, const unsigned char *end,
            struct field *field, uint32_t *wide)
{
    static const unsigned char follows[0xd4 - 0xc0] = {
        [0xca - 0xc0] = 4, 8, 1, 2, 4, 8, 1, 2, 4, 8};
    const unsigned head = at == end ? 0xc1 : *at++;
    double *number = &field->number;
    int beyond = 0;

    field->type = FIELD_REAL;
    if (head < 0x80 || head >= 0xe0) {
        *number = (double)(head < 0x80 ? (int)head : (int)head - 256);
        return at;
    }
    if (head < 0xc0 || head > 0xd3 || end - at < follows[head - 0xc0])
        return NULL;
    switch (head) {
    case 0xc2:
    case 0xc3: *number = (double)(head - 0xc2); break;
    case 0xca: *number = pri_packed_real32(at); break;
    case 0xcb: *number = pri_packed_real64(at); break;
    case 0xcc: *number = pri_packed_unsigned(at, 1, &beyond); break;
    case 0xcd: *number = pri_packed_unsigned(at, 2, &beyond); break;
    case 0xce: *number = pri_packed_unsigned(at, 4, &beyond); break;
    case 0xcf: *number = pri_packed_unsigned(at, 8, &beyond); break;
    case 0xd0: *number = pri_packed_signed(at, 1, &beyond); break;
    case 0xd1: *number = pri_packed_signed(at, 2, &beyond); break;
    case 0xd2: *number = pri_packed_signed(at, 4, &beyond); break;
    case 0xd3: *number = pri_packed_signed(at, 8, &beyond); break;
    default: return NULL;
    }
    *wide += (uint32_t)beyond;
    return at + follows[head - 0xc0];
}

/* Anything else but a container. */
static const unsigned char *
read_other(const unsigned char *at, const unsigned char *end,
           struct field *field)
{
    const size_t left = (size_t)(end - at);
    enum field_type type;
    uint32_t count;
    size_t head_len;

    if (pri_msgpack_head((const char *)at, left, &type, &count, &head_len) !=
            PRAE_OK ||
        type == FIELD_MAP || type == FIELD_ARRAY || left - head_len < count)
        return NULL;
    field->type = (uint8_t)type;
    field->text = (const char *)at + head_len;
    field->text_len = count;
    return at + head_len + count;
}

const unsigned char *
pri_plan_walk_msgpack(struct plan *plan, struct walk *walk,
                      const unsigned char *at, const unsigned char *end)
{
    struct step *step = plan->step;
    const struct step *last = step + plan->count;

    for (; step < last; step++) {
        struct field field;
        if (step->fixed_len > 0) {
            at = pri_walk_fixed(plan, step, at, end);
            if (at == NULL || step->kind == STEP_END)
                return at;
        }
        /* What nearly all are, without a call. */
        if (step->kind == STEP_NUMBER && end - at > 8 && *at == 0xcb) {
            if (!pri_walk_number(walk, step, pri_packed_real64(at + 1)))
                return NULL;
            at += 9;
            continue;
        }
        const unsigned char *behind = read_number(at, end, &field, &walk->wide);
        if (behind == NULL)
            behind = read_other(at, end, &field);
        if (behind == NULL || !pri_plan_value(walk, step, &field))
            return NULL;
        at = behind;
    }
    return at;
}

/* ---- making ---- */

/* What a short array is, an event of Fluentd's or a batch of them or just an
 * array, is decided by what is in it: see codec_fluent.c. */
enum event {
    EVENT_NEVER, /* whatever values it has */
    EVENT_BATCH, /* could be one that is all the same but for a text */
    EVENT_MAYBE  /* the heads of some values decide */
};

static enum event
may_be_event(const struct features *features, const struct record *record)
{
    const struct field *field = record->field;
    size_t items = 0;

    for (size_t i = 1; i < record->count; i++)
        items += field[i].parent == 0;
    if (field[0].type != FIELD_ARRAY || items < 2 || items > 4)
        return EVENT_NEVER;
    /* Without a map it is none, and no batch where a number comes first. */
    const struct column *first = pri_features_of(features, 1);
    if (record->count == items + 1 && first != NULL &&
        first->kind != COLUMN_CATEGORY && first->kind != COLUMN_TEXT)
        return EVENT_NEVER;
    return items < 4 && field[1].type == FIELD_TEXT &&
                   (field[2].type == FIELD_TEXT ||
                    field[2].type == FIELD_BYTES ||
                    field[2].type == FIELD_ARRAY)
               ? EVENT_BATCH
               : EVENT_MAYBE;
}

/* How many of a value's first bytes say of what kind it is, where FIELD of
 * what may be an event has a say in it; else 0. */
static size_t
decisive(const struct record *record, const struct field *field,
         size_t head_len)
{
    const struct field *parent = &record->field[field->parent];

    if (field->parent != 0 &&
        (parent->type != FIELD_ARRAY || parent->parent != 0))
        return 0;
    return field->type == FIELD_TEXT || field->type == FIELD_BYTES ||
                   field->type == FIELD_TIME
               ? head_len
               : 1;
}

prae_status
pri_plan_draw_msgpack(struct plan *plan, const struct features *features,
                      struct codec *codec, const char *bytes, size_t len)
{
    const struct record *record = &codec->record;
    const enum event event = may_be_event(features, record);
    size_t at = 0, from = 0, value_len, head_len;
    prae_status status = PRAE_OK;

    if (event == EVENT_BATCH)
        return PRAE_OK;
    for (size_t i = 0; status == PRAE_OK && i < record->count; i++) {
        const struct field *field = &record->field[i];
        enum field_type type;
        uint32_t count;
        if (i > 0 && record->field[field->parent].type == FIELD_MAP) {
            status = pri_msgpack_skip(codec, bytes + at, len - at, &value_len);
            at += value_len;
        }
        if (status == PRAE_OK)
            status = pri_msgpack_head(bytes + at, len - at, &type, &count,
                                      &head_len);
        if (status != PRAE_OK)
            break;
        if (type == FIELD_MAP || type == FIELD_ARRAY) {
            at += head_len;
            continue;
        }
        size_t alike =
            event == EVENT_MAYBE ? decisive(record, field, head_len) : 0;
        status =
            pri_plan_add(plan, features, i, bytes + from, at - from, alike);
        from = at + head_len + count;
        at = from;
    }
    if (status == PRAE_OK && from < at)
        status = pri_plan_add(plan, features, 0, bytes + from, at - from, 0);
    assert(status == PRAE_ENOMEM || at == len);
    return status;
}
