/* MessagePack is what msgpack-c says it is. */
#include <msgpack.h>

#include "codec.h"
#include "stream.h"

static void
random_bytes(struct rng *rng, prae_buffer *out, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char byte = (char)pri_rng_below(rng, 256);
        put(out, &byte, 1);
    }
}

static uint64_t
random_wide(struct rng *rng)
{
    uint64_t bits = (uint64_t)pri_rng_bits(rng) << 32 | pri_rng_bits(rng);

    return bits >> pri_rng_below(rng, 64);
}

/* A value of any type, in any of its encodings. */
static void
random_value(struct rng *rng, prae_buffer *out, unsigned deep)
{
    static const unsigned char sized[][2] = {{0xc4, 1}, {0xc5, 2}, {0xc6, 4},
                                             {0xd9, 1}, {0xda, 2}, {0xdb, 4}};
    static const unsigned char heads[][3] = {
        {0xdc, 2, 1}, {0xdd, 4, 1}, {0xde, 2, 2}, {0xdf, 4, 2}};
    unsigned what = pri_rng_below(rng, deep < 5 ? 16 : 12);
    unsigned pick = pri_rng_below(rng, 8);

    if (what < 2) {
        put_head(out, pick < 4 ? 0xe0 + pick * 7 : pick * 17, 0, 0);
    } else if (what < 5) {
        put_head(out, 0xcc + pick, random_wide(rng), 1u << pick % 4);
    } else if (what < 7) {
        unsigned bytes = 4 + 4 * (pick & 1);
        put_head(out, 0xca + (pick & 1), random_wide(rng), bytes);
    } else if (what == 7) {
        put_head(out, pick < 3 ? 0xc0 : 0xc2 + (pick & 1), 0, 0);
    } else if (what < 10) {
        size_t len = pri_rng_below(rng, 40), one = pick % 6;
        if (pick > 5 && len < 32)
            put_head(out, 0xa0 + (unsigned)len, 0, 0);
        else
            put_head(out, sized[one][0], len, sized[one][1]);
        random_bytes(rng, out, len);
    } else if (what == 10) {
        unsigned one = pick % 5;
        put_head(out, 0xd4 + one, pri_rng_below(rng, 2) ? 0xff : pick, 1);
        random_bytes(rng, out, (size_t)1 << one);
    } else if (what == 11) {
        size_t len = pick < 4 ? 12 : pri_rng_below(rng, 20);
        put_head(out, 0xc7 + pick % 3, len, 1u << pick % 3);
        put(out, pick < 4 ? "\xff" : "\x07", 1);
        random_bytes(rng, out, len);
    } else {
        unsigned one = pick % 4, count = pri_rng_below(rng, 6);
        unsigned items = count * heads[one][2];
        if (pick > 3)
            put_head(out, (one < 2 ? 0x90 : 0x80) + count, 0, 0);
        else
            put_head(out, heads[one][0], count, heads[one][1]);
        for (unsigned i = 0; i < items; i++)
            random_value(rng, out, deep + 1);
    }
}

static int
same_number(double a, double b)
{
    return a == b || (a != a && b != b);
}

static int
same_text(const char *text, size_t len, const msgpack_object_str *str)
{
    return len == str->size && (len == 0 || memcmp(text, str->ptr, len) == 0);
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
    case MSGPACK_OBJECT_EXT:
        /* Which are times, the table above says. */
        return field->type == FIELD_BYTES || field->type == FIELD_TIME;
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

static void
test_oracle(void)
{
    struct codec_limits limits = {1 << 20, 32, 65536};
    size_t values = 0, differ = 0, containers = 0;
    struct codec codec;
    struct rng rng;

    pri_rng_init(&rng, 5, 5);
    NEED(pri_codec_init(&codec, PRAE_FORMAT_MSGPACK, &limits) == PRAE_OK);
    for (int i = 0; i < 4000; i++) {
        prae_buffer in = {0};
        msgpack_unpacked unpacked;
        size_t end = 0, at = 0;
        random_value(&rng, &in, 0);
        msgpack_unpacked_init(&unpacked);
        int whole = msgpack_unpack_next(&unpacked, in.data, in.len, &end) ==
                    MSGPACK_UNPACK_SUCCESS;
        int same = pri_codec_next(&codec, in.data, in.len, 0) == PRAE_OK &&
                   whole && end == in.len && codec.record.len_bytes == end &&
                   same_value(&unpacked.data, &codec.record, &at) &&
                   at == codec.record.count;
        int open = unpacked.data.type == MSGPACK_OBJECT_MAP ||
                   unpacked.data.type == MSGPACK_OBJECT_ARRAY;
        same &= codec.record.fault == (open ? FAULT_NONE : FAULT_TYPE);
        values++;
        containers += (size_t)open;
        differ += (size_t)!same;
        msgpack_unpacked_destroy(&unpacked);
        buffer_fini(&in);
    }
    pri_codec_fini(&codec);
    ok(differ == 0, "%zu values are what msgpack-c says, %zu are not", values,
       differ);
    ok(containers > values / 10, "%zu of them are containers", containers);
}

int
main(void)
{
    test_oracle();
    return tap_done();
}
