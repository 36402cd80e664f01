/*
 * msgpack_same.h - whether a record that the cursor read is what msgpack-c
 * made of the same bytes.
 */
#ifndef PRAE_MSGPACK_SAME_H
#define PRAE_MSGPACK_SAME_H

#include <msgpack.h>
#include <string.h>

#include "record.h"

static int
same_number(double a, double b)
{
    return a == b || (a != a && b != b);
}

/* Of four bytes. */
static double
big_endian(const unsigned char *at)
{
    return at[0] * 16777216.0 + at[1] * 65536.0 + at[2] * 256.0 + at[3];
}

static int
same_text(const char *text, size_t len, const msgpack_object_str *str)
{
    return len == str->size && (len == 0 || memcmp(text, str->ptr, len) == 0);
}

/* Type -1 is a time in the encodings that are meant for it, which an object
 * no longer tells; Fluentd's of type 0 has seconds, then nanoseconds. */
static int
same_ext(const msgpack_object *object, const struct field *field)
{
    const unsigned char *at = (const unsigned char *)object->via.ext.ptr;
    msgpack_timestamp time;

    if (field->type == FIELD_BYTES)
        return object->via.ext.type != -1 || object->via.ext.size != 12;
    if (field->type != FIELD_TIME)
        return 0;
    if (object->via.ext.type == 0)
        return object->via.ext.size == 8 &&
               same_number(field->number,
                           big_endian(at) + big_endian(at + 4) * 1e-9);
    return msgpack_object_to_timestamp(object, &time) &&
           same_number(field->number,
                       (double)time.tv_sec + (double)time.tv_nsec * 1e-9);
}

/* Whether the fields from *AT on are what OBJECT says; *AT moves on. */
static int
same_value(const msgpack_object *object, const struct record *record,
           size_t *at)
{
    if (*at >= record->count)
        return 0;
    size_t own = (*at)++;
    const struct field *field = &record->field[own];
    switch (object->type) {
    case MSGPACK_OBJECT_NIL: return field->type == FIELD_NIL;
    case MSGPACK_OBJECT_BOOLEAN:
        return field->type == FIELD_BOOL &&
               field->number == (object->via.boolean ? 1.0 : 0.0);
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
        return field->type == FIELD_INTEGER &&
               field->number == (double)object->via.u64;
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        return field->type == FIELD_INTEGER &&
               field->number == (double)object->via.i64;
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        return field->type == FIELD_REAL &&
               same_number(field->number, object->via.f64);
    case MSGPACK_OBJECT_STR:
        return field->type == FIELD_TEXT &&
               same_text(field->text, field->text_len, &object->via.str);
    case MSGPACK_OBJECT_BIN: return field->type == FIELD_BYTES;
    case MSGPACK_OBJECT_EXT: return same_ext(object, field);
    case MSGPACK_OBJECT_ARRAY:
        for (uint32_t i = 0; i < object->via.array.size; i++)
            if (*at >= record->count || record->field[*at].parent != own ||
                record->field[*at].index != i ||
                record->field[*at].key != NULL ||
                !same_value(&object->via.array.ptr[i], record, at))
                return 0;
        return record->field[own].type == FIELD_ARRAY;
    case MSGPACK_OBJECT_MAP:
        for (uint32_t i = 0; i < object->via.map.size; i++) {
            const msgpack_object_kv *pair = &object->via.map.ptr[i];
            const struct field *inner = &record->field[*at];
            int named = pair->key.type == MSGPACK_OBJECT_STR;
            if (*at >= record->count || inner->parent != own ||
                inner->index != i || (inner->key != NULL) != named ||
                (named &&
                 !same_text(inner->key, inner->key_len, &pair->key.via.str)) ||
                !same_value(&pair->val, record, at))
                return 0;
        }
        return record->field[own].type == FIELD_MAP;
    default: return 0;
    }
}

#endif
