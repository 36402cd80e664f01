/*
 * codec_msgpack.c - a cursor over MessagePack that never reads past the
 * bytes it has, never recurses and never believes a length.
 *
 * Invariants:
 *   1. Every read is preceded by a check against `end`.
 *   2. A record is refused at the first head with which the bytes that this
 *      value and all that are due still need at least, one an item, exceed
 *      what a record may have: in the same place however the bytes are cut.
 *   3. The stack of open containers is limits.depth deep. Deeper values
 *      are skipped by counting the items still due, so the record's
 *      extent is known although its fields are not.
 *
 * Where the end of the bytes is met first, the answer is "more", whatever
 * the value so far; it is asked for again from its start, once its end has
 * been found by counting.
 */
#include <math.h>
#include <string.h>

#include "codec.h"
#include "packed.h"

#define DEPTH_MAX PRI_DEPTH_MAX

struct open {
    uint32_t field; /* the container's place in the list */
    uint32_t left;  /* items not yet read; a map's pair counts once */
    uint32_t next;  /* index of the next item */
    int is_map;
};

struct cursor {
    struct codec *codec;
    const unsigned char *at, *end;
    const unsigned char *start;
    struct open open[DEPTH_MAX];
    size_t depth;
    uint64_t due;    /* values still to come, keys too; never more than a
                        record may have bytes */
    const char *key; /* of the value that is read next */
    uint32_t key_len;
};

/* What a value's first bytes say. */
struct head {
    enum field_type type;
    double number;
    uint32_t count; /* items of a container, bytes of a text or of bytes */
    int wide;       /* an integer that a double cannot hold */
};

static int
is_container(const struct head *head)
{
    return head->type == FIELD_MAP || head->type == FIELD_ARRAY;
}

/* The head of the values from 0xc0 to 0xdf, whose EXTRA further bytes are at
 * AT. */
static void
long_head(struct head *head, unsigned byte, const unsigned char *at,
          unsigned extra)
{
    switch (byte) {
    case 0xc0: break;
    case 0xc2:
    case 0xc3:
        head->type = FIELD_BOOL;
        head->number = (double)(byte - 0xc2);
        break;
    case 0xc4:
    case 0xc5:
    case 0xc6:
        head->type = FIELD_BYTES;
        head->count = (uint32_t)pri_packed_bits(at, extra);
        break;
    case 0xc7:
    case 0xc8:
    case 0xc9: /* ext 8, 16, 32: length, then type */
        head->type = FIELD_BYTES;
        head->count = (uint32_t)pri_packed_bits(at, extra - 1);
        /* A type of -1 is a timestamp; type 0 of eight bytes is
         * Fluentd's. Decoded when the bytes are there. */
        if ((at[extra - 1] == 0xff && head->count == 12) ||
            (at[extra - 1] == 0 && head->count == 8))
            head->type = FIELD_TIME;
        break;
    case 0xca:
        head->type = FIELD_REAL;
        head->number = pri_packed_real32(at);
        break;
    case 0xcb:
        head->type = FIELD_REAL;
        head->number = pri_packed_real64(at);
        break;
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf:
        head->type = FIELD_INTEGER;
        head->number = pri_packed_unsigned(at, extra, &head->wide);
        break;
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
        head->type = FIELD_INTEGER;
        head->number = pri_packed_signed(at, extra, &head->wide);
        break;
    case 0xd4:
    case 0xd5:
    case 0xd6:
    case 0xd7:
    case 0xd8: /* fixext 1, 2, 4, 8, 16 */
        head->type = FIELD_BYTES;
        head->count = 1u << (byte - 0xd4);
        if (((signed char)at[0] == -1 && head->count >= 4 &&
             head->count <= 8) ||
            (at[0] == 0 && head->count == 8))
            head->type = FIELD_TIME;
        break;
    case 0xd9:
    case 0xda:
    case 0xdb:
        head->type = FIELD_TEXT;
        head->count = (uint32_t)pri_packed_bits(at, extra);
        break;
    case 0xdc:
    case 0xdd:
        head->type = FIELD_ARRAY;
        head->count = (uint32_t)pri_packed_bits(at, extra);
        break;
    default:
        head->type = FIELD_MAP;
        head->count = (uint32_t)pri_packed_bits(at, extra);
        break;
    }
}

/*
 * Reads a value's head at the cursor and moves past it. Returns 0 with the
 * cursor unmoved where the head is not complete, -1 for the one byte that
 * is never used (0xc1), 1 for success.
 */
static int
read_head(struct cursor *cursor, struct head *head)
{
    /* Bytes that follow 0xc0 .. 0xdf and belong to the head. Of an ext its
     * type is part of the head. */
    static const unsigned char follows[32] = {0, 0, 0, 0, 1, 2, 4, 2, 3, 5, 4,
                                              8, 1, 2, 4, 8, 1, 2, 4, 8, 1, 1,
                                              1, 1, 1, 1, 2, 4, 2, 4, 2, 4};
    const unsigned char *at = cursor->at;
    size_t have = (size_t)(cursor->end - at);

    if (have == 0)
        return 0;
    unsigned byte = *at++;
    if (byte == 0xc1)
        return -1;
    size_t extra = byte >= 0xc0 && byte <= 0xdf ? follows[byte - 0xc0] : 0;
    if (have - 1 < extra)
        return 0;
    *head = (struct head){.type = FIELD_NIL};
    cursor->at = at + extra;

    if (byte <= 0x7f) {
        head->type = FIELD_INTEGER;
        head->number = (double)byte;
    } else if (byte <= 0x8f) {
        head->type = FIELD_MAP;
        head->count = byte & 0x0f;
    } else if (byte <= 0x9f) {
        head->type = FIELD_ARRAY;
        head->count = byte & 0x0f;
    } else if (byte <= 0xbf) {
        head->type = FIELD_TEXT;
        head->count = byte & 0x1f;
    } else if (byte >= 0xe0) {
        head->type = FIELD_INTEGER;
        head->number = (double)byte - 256.0;
    } else {
        long_head(head, byte, at, (unsigned)extra);
    }
    return 1;
}

/* Seconds since 1970 of the timestamp forms: 4 bytes of seconds; 8 bytes of
 * 30 bits nanoseconds and 34 bits seconds; 12 bytes of 4 nanoseconds and 8
 * seconds; or Fluentd's 4 seconds and 4 nanoseconds (type 0). */
static double
timestamp(const unsigned char *at, uint32_t count, int fluentd)
{
    if (count == 4)
        return (double)pri_packed_bits(at, 4);
    if (count == 12)
        return (double)(int64_t)pri_packed_bits(at + 4, 8) +
               (double)pri_packed_bits(at, 4) * 1e-9;
    if (fluentd)
        return (double)pri_packed_bits(at, 4) +
               (double)pri_packed_bits(at + 4, 4) * 1e-9;
    uint64_t both = pri_packed_bits(at, 8);
    return (double)(both & ((UINT64_C(1) << 34) - 1)) +
           (double)(both >> 34) * 1e-9;
}

/* The record as it stands is refused; reading goes on for its extent. */
static void
refuse(struct cursor *cursor, enum fault fault)
{
    struct record *record = &cursor->codec->record;

    if (record->fault == FAULT_NONE) {
        record->fault = fault;
        record->fault_at = (size_t)(cursor->at - cursor->start);
    }
}

/* Its end cannot be found either: that is what is told, whatever was found
 * before, as nothing else would help. */
static prae_status
give_up(struct cursor *cursor, enum fault fault)
{
    cursor->codec->record.fault = FAULT_NONE;
    refuse(cursor, fault);
    return PRAE_EDATA;
}

/* Whether COUNT more bytes would make the record longer than it may be. */
static int
too_long(const struct cursor *cursor, uint64_t count)
{
    size_t used = (size_t)(cursor->at - cursor->start);
    size_t most = cursor->codec->limits.record_bytes;

    return used > most || count > most - used;
}

/* Adds the field that a head announced; NULL where the list is full, which
 * then is the record's fault, or out of memory. */
static struct field *
add_field(struct cursor *cursor, const struct head *head)
{
    struct open *inside =
        cursor->depth == 0 ? NULL : &cursor->open[cursor->depth - 1];
    struct field *field =
        pri_record_add(cursor->codec, inside == NULL ? 0 : inside->field);

    if (field == NULL) {
        cursor->codec->record.fault_at = (size_t)(cursor->at - cursor->start);
        return NULL;
    }
    field->type = (uint8_t)head->type;
    field->number = head->number;
    field->key = cursor->key;
    field->key_len = cursor->key_len;
    field->index = inside == NULL ? 0 : inside->next++;
    if (head->wide)
        cursor->codec->record.wide_ints++;
    return field;
}

/* The next head, and what is due behind it. PRAE_OK, PRAE_MORE with nothing
 * moved, or PRAE_EDATA where the record is refused and its end with it. */
static prae_status
take_head(struct cursor *cursor, struct head *head)
{
    int got = read_head(cursor, head);

    if (got == 0)
        return PRAE_MORE;
    if (got < 0)
        return give_up(cursor, FAULT_MALFORMED);
    uint64_t bytes = head->count;
    cursor->due--;
    if (is_container(head)) {
        cursor->due += bytes * (head->type == FIELD_MAP ? 2 : 1);
        bytes = 0;
    }
    return too_long(cursor, cursor->due + bytes)
               ? give_up(cursor, FAULT_LENGTH)
               : PRAE_OK;
}

/* The bytes of a text, of bytes or of a time that follow the head. */
static prae_status
read_payload(struct cursor *cursor, const struct head *head,
             struct field *field)
{
    if ((size_t)(cursor->end - cursor->at) < head->count)
        return PRAE_MORE;
    if (head->type == FIELD_TEXT) {
        field->text = (const char *)cursor->at;
        field->text_len = head->count;
    } else if (head->type == FIELD_TIME) {
        field->number = timestamp(cursor->at, head->count, cursor->at[-1] == 0);
    }
    cursor->at += head->count;
    return PRAE_OK;
}

/* Skips values, without looking into them, until so many are due. PRAE_OK,
 * PRAE_MORE with the cursor before what is not complete, or PRAE_EDATA. */
static prae_status
skip(struct cursor *cursor, uint64_t until)
{
    struct head head;

    while (cursor->due > until) {
        const unsigned char *before = cursor->at;
        prae_status status = take_head(cursor, &head);
        if (status != PRAE_OK)
            return status;
        if (is_container(&head))
            continue;
        if ((size_t)(cursor->end - cursor->at) < head.count) {
            cursor->at = before;
            cursor->due++;
            return PRAE_MORE;
        }
        cursor->at += head.count;
    }
    return PRAE_OK;
}

/*
 * A map's key. Texts name the field; of any other key the field has only
 * its index, as in an array: it can be passed on but hardly be named.
 */
static prae_status
read_key(struct cursor *cursor)
{
    uint64_t behind = cursor->due - 1;
    struct field key = {0};
    struct head head;
    prae_status status = take_head(cursor, &head);

    if (status == PRAE_OK && !is_container(&head))
        status = read_payload(cursor, &head, &key);
    if (status == PRAE_OK)
        status = skip(cursor, behind);
    cursor->key = key.text;
    cursor->key_len = key.text_len;
    return status;
}

/*
 * One value with all that is in it becomes fields. PRAE_OK also for a
 * record that is refused but whose end was found.
 */
static prae_status
read_value(struct cursor *cursor)
{
    struct record *record = &cursor->codec->record;
    prae_status status;
    struct head head;

    do {
        struct open *inside =
            cursor->depth == 0 ? NULL : &cursor->open[cursor->depth - 1];
        cursor->key = NULL;
        cursor->key_len = 0;
        if (inside != NULL) {
            inside->left--;
            if (inside->is_map) {
                status = read_key(cursor);
                if (status != PRAE_OK)
                    return status;
            }
        }
        status = take_head(cursor, &head);
        if (status != PRAE_OK)
            return status;
        struct field unused, *field = add_field(cursor, &head);
        if (field == NULL && record->fault == FAULT_NONE)
            return PRAE_ENOMEM;
        const int container = is_container(&head);
        if (container && cursor->depth == cursor->codec->limits.depth)
            refuse(cursor, FAULT_DEPTH);
        if (!container) {
            status =
                read_payload(cursor, &head, field == NULL ? &unused : field);
            if (status != PRAE_OK)
                return status;
        }
        if (record->fault != FAULT_NONE)
            return skip(cursor, 0); /* fields are of no use: find its end */
        if (container && head.count > 0)
            cursor->open[cursor->depth++] =
                (struct open){.field = (uint32_t)(record->count - 1),
                              .left = head.count,
                              .is_map = head.type == FIELD_MAP};
        while (cursor->depth > 0 && cursor->open[cursor->depth - 1].left == 0)
            cursor->depth--;
    } while (cursor->depth > 0);
    return PRAE_OK;
}

static struct cursor
start(struct codec *codec, const char *bytes, size_t len)
{
    struct cursor cursor;

    /* The stack of containers is left as it is: nothing above `depth` is
     * ever read. */
    cursor.codec = codec;
    cursor.start = cursor.at = (const unsigned char *)bytes;
    cursor.end = cursor.at + len;
    cursor.depth = 0;
    cursor.due = 1;
    cursor.key = NULL;
    cursor.key_len = 0;
    return cursor;
}

prae_status
pri_msgpack_value(struct codec *codec, const char *bytes, size_t len,
                  int at_end)
{
    struct record *record = &codec->record;
    struct cursor cursor = start(codec, bytes, len);
    prae_status status = read_value(&cursor);

    if (status == PRAE_MORE && at_end)
        status = give_up(&cursor, FAULT_MALFORMED);
    if (status != PRAE_OK)
        return status; /* nothing is used up of a record that is not whole */
    record->len_bytes = (size_t)(cursor.at - cursor.start);
    if (record->fault == FAULT_NONE && record->field[0].type != FIELD_MAP &&
        record->field[0].type != FIELD_ARRAY)
        refuse(&cursor, FAULT_TYPE);
    return PRAE_OK;
}

prae_status
pri_msgpack_head(const char *bytes, size_t len, enum field_type *type,
                 uint32_t *count, size_t *head_len)
{
    struct cursor cursor = start(NULL, bytes, len);
    struct head head;
    int got = read_head(&cursor, &head);

    if (got <= 0)
        return got == 0 ? PRAE_MORE : PRAE_EDATA;
    *type = head.type;
    *count = head.count;
    *head_len = (size_t)(cursor.at - cursor.start);
    return PRAE_OK;
}

prae_status
pri_msgpack_skip(struct codec *codec, const char *bytes, size_t len,
                 size_t *value_len)
{
    struct cursor cursor = start(codec, bytes, len);
    prae_status status = skip(&cursor, 0);

    *value_len = (size_t)(cursor.at - cursor.start);
    return status;
}

prae_status
pri_msgpack_pass(struct codec *codec, const char *bytes, size_t len,
                 size_t from, size_t *end)
{
    struct reading *reading = &codec->reading;
    struct cursor cursor = start(codec, bytes, len);

    if (reading->scanned > from && reading->scanned <= len) {
        from = reading->scanned;
        cursor.due = reading->due;
    }
    cursor.at += from;
    prae_status status = skip(&cursor, 0);
    *end = (size_t)(cursor.at - cursor.start);
    if (status == PRAE_MORE) {
        reading->scanned = *end;
        reading->due = cursor.due;
    }
    return status;
}
