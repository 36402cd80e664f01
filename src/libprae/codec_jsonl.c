/*
 * codec_jsonl.c - one JSON value a line, read by a strict cursor that does
 * not recurse.
 *
 * Invariants:
 *   1. A line is cut out before it is read, so what is wrong in it stays
 *      in it: the next record begins behind its newline.
 *   2. The line was found to be UTF-8 before the cursor starts; the cursor
 *      looks for ASCII only.
 *   3. Undoing an escape never makes a text longer. Scratch is asked for
 *      once, at a line's first escape, as long as what is left of the line.
 *
 * Beyond the grammar NaN, Infinity and -Infinity are numbers, because
 * Python writes them; they are refused later, by their own name.
 */
#include <math.h>
#include <string.h>

#include "codec.h"
#include "number.h"
#include "text.h"

#define DEPTH_MAX 256 /* what limits.depth may be */

struct open {
    uint32_t field; /* the container's place in the list */
    uint32_t next;  /* index of the next item */
    char close;     /* the bracket that ends it */
};

struct cursor {
    struct codec *codec;
    const char *start, *at, *end;
    char *room; /* scratch not yet used; NULL before the first escape */
    struct open open[DEPTH_MAX];
    size_t depth;
};

/* ---- all of these return 0 with the record's fault set, or out of
 * memory with none ---- */

static int
refuse(struct cursor *cursor, enum fault fault)
{
    struct record *record = &cursor->codec->record;

    record->fault = fault;
    record->fault_at = (size_t)(cursor->at - cursor->start);
    return 0;
}

static void
skip_blanks(struct cursor *cursor)
{
    const char *at = cursor->at;

    while (at < cursor->end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    cursor->at = at;
}

/* The byte at the cursor, behind blanks; 0 at the line's end. */
static char
peek(struct cursor *cursor)
{
    skip_blanks(cursor);
    if (cursor->at == cursor->end)
        return '\0';
    return *cursor->at;
}

/* ---- texts ---- */

/* The first of quote, backslash and control character from AT on. */
static const char *
plain_end(const char *at, const char *end)
{
    while (at < end && *at != '"' && *at != '\\' && (unsigned char)*at >= 0x20)
        at++;
    return at;
}

/* Four hexadecimal digits at the cursor, or -1 with the cursor unmoved. */
static int32_t
read_hex(struct cursor *cursor)
{
    int32_t value = 0;

    if (cursor->end - cursor->at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        char c = cursor->at[i], low = (char)(c | 0x20);
        if (c >= '0' && c <= '9')
            value = value * 16 + (c - '0');
        else if (low >= 'a' && low <= 'f')
            value = value * 16 + (low - 'a' + 10);
        else
            return -1;
    }
    cursor->at += 4;
    return value;
}

static void
write_utf8(struct cursor *cursor, uint32_t code)
{
    unsigned char *to = (unsigned char *)cursor->room;

    if (code < 0x80) {
        *to++ = (unsigned char)code;
    } else if (code < 0x800) {
        *to++ = (unsigned char)(0xc0 | code >> 6);
        *to++ = (unsigned char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *to++ = (unsigned char)(0xe0 | code >> 12);
        *to++ = (unsigned char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (unsigned char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (unsigned char)(0xf0 | code >> 18);
        *to++ = (unsigned char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (unsigned char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (unsigned char)(0x80 | (code & 0x3f));
    }
    cursor->room = (char *)to;
}

/* What follows \u: a character, or a pair of surrogates that are one. */
static int
read_unicode(struct cursor *cursor)
{
    int32_t code = read_hex(cursor), low;

    if (code < 0 || (code >= 0xdc00 && code <= 0xdfff))
        return refuse(cursor, FAULT_MALFORMED);
    if (code >= 0xd800 && code <= 0xdbff) {
        if (cursor->end - cursor->at < 6 || memcmp(cursor->at, "\\u", 2) != 0)
            return refuse(cursor, FAULT_MALFORMED);
        cursor->at += 2;
        low = read_hex(cursor);
        if (low < 0xdc00 || low > 0xdfff)
            return refuse(cursor, FAULT_MALFORMED);
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    write_utf8(cursor, (uint32_t)code);
    return 1;
}

/* Undoes the escape whose backslash the cursor is at. */
static int
read_escape(struct cursor *cursor)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";

    cursor->at++;
    if (cursor->at == cursor->end)
        return refuse(cursor, FAULT_MALFORMED);
    if (*cursor->at == 'u') {
        cursor->at++;
        return read_unicode(cursor);
    }
    const char *name = memchr(names, *cursor->at, sizeof names - 1);
    if (name == NULL)
        return refuse(cursor, FAULT_MALFORMED);
    cursor->at++;
    *cursor->room++ = values[name - names];
    return 1;
}

/* The rest of a text that began at FROM and has its first escape at the
 * cursor, into scratch. */
static int
read_escaped(struct cursor *cursor, const char *from)
{
    for (;;) {
        size_t run = (size_t)(cursor->at - from);
        memcpy(cursor->room, from, run);
        cursor->room += run;
        if (cursor->at == cursor->end || (unsigned char)*cursor->at < 0x20)
            return refuse(cursor, FAULT_MALFORMED);
        if (*cursor->at == '"')
            return 1;
        if (!read_escape(cursor))
            return 0;
        from = cursor->at;
        cursor->at = plain_end(from, cursor->end);
    }
}

/* A text whose opening quote the cursor is at. */
static int
read_text(struct cursor *cursor, const char **text, uint32_t *len)
{
    const char *from = ++cursor->at;

    cursor->at = plain_end(from, cursor->end);
    if (cursor->at == cursor->end || (unsigned char)*cursor->at < 0x20)
        return refuse(cursor, FAULT_MALFORMED);
    if (*cursor->at == '"') {
        *text = from;
        *len = (uint32_t)(cursor->at - from);
    } else {
        if (cursor->room == NULL)
            cursor->room =
                pri_codec_scratch(cursor->codec, (size_t)(cursor->end - from));
        if (cursor->room == NULL)
            return 0;
        *text = cursor->room;
        if (!read_escaped(cursor, from))
            return 0;
        *len = (uint32_t)(cursor->room - *text);
    }
    cursor->at++;
    return 1;
}

/* ---- numbers and words ---- */

/* Moves past digits; 0 where there is none. */
static int
skip_digits(struct cursor *cursor)
{
    const char *from = cursor->at;

    while (cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9')
        cursor->at++;
    return cursor->at > from;
}

/* Moves past C in either case where it is next. */
static int
skip_char(struct cursor *cursor, char c)
{
    if (cursor->at == cursor->end || (*cursor->at | 0x20) != c)
        return 0;
    cursor->at++;
    return 1;
}

static int
read_number(struct cursor *cursor, struct field *field)
{
    const char *from = cursor->at;
    struct decimal decimal;

    /* Nearly all are done at one go; the others are looked at closely, for
     * the place where they break. */
    const char *end = pri_decimal_read(from, cursor->end, &decimal);
    if (end != NULL && decimal.json &&
        pri_decimal_value(&decimal, &field->number)) {
        field->type = (uint8_t)(decimal.whole ? FIELD_INTEGER : FIELD_REAL);
        cursor->codec->record.wide_ints +=
            decimal.whole && decimal.digits > PRI_NUMBER_EXACT;
        cursor->at = end;
        return 1;
    }
    if (*from == '-')
        cursor->at++;
    const char *first = cursor->at;
    if (!skip_digits(cursor))
        return refuse(cursor, FAULT_MALFORMED);
    if (*first == '0' && cursor->at > first + 1) {
        cursor->at = first + 1;
        return refuse(cursor, FAULT_MALFORMED);
    }
    if (cursor->at < cursor->end && *cursor->at == '.') {
        cursor->at++;
        if (!skip_digits(cursor))
            return refuse(cursor, FAULT_MALFORMED);
    }
    if (skip_char(cursor, 'e')) {
        if (cursor->at < cursor->end &&
            (*cursor->at == '+' || *cursor->at == '-'))
            cursor->at++;
        if (!skip_digits(cursor))
            return refuse(cursor, FAULT_MALFORMED);
    }
    if (!pri_text_number(field, from, (size_t)(cursor->at - from),
                         &cursor->codec->record.wide_ints)) {
        cursor->at = from;
        return refuse(cursor, FAULT_MALFORMED);
    }
    return 1;
}

static int
read_word(struct cursor *cursor, struct field *field)
{
    static const struct {
        const char *text;
        size_t len;
        double number;
        uint8_t type;
    } words[] = {
        {"true", 4, 1.0, FIELD_BOOL},
        {"false", 5, 0.0, FIELD_BOOL},
        {"null", 4, 0.0, FIELD_NIL},
        {"NaN", 3, (double)NAN, FIELD_REAL},
        {"Infinity", 8, (double)INFINITY, FIELD_REAL},
        {"-Infinity", 9, (double)-INFINITY, FIELD_REAL},
    };
    size_t have = (size_t)(cursor->end - cursor->at);

    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        if (have < words[w].len ||
            memcmp(cursor->at, words[w].text, words[w].len) != 0)
            continue;
        cursor->at += words[w].len;
        field->type = words[w].type;
        field->number = words[w].number;
        return 1;
    }
    return refuse(cursor, FAULT_MALFORMED);
}

/* ---- values ---- */

static int
open_container(struct cursor *cursor, struct field *field, int is_map)
{
    size_t limit = cursor->codec->limits.depth;

    if (cursor->depth == (limit < DEPTH_MAX ? limit : DEPTH_MAX))
        return refuse(cursor, FAULT_DEPTH);
    field->type = (uint8_t)(is_map ? FIELD_MAP : FIELD_ARRAY);
    cursor->open[cursor->depth++] =
        (struct open){.field = (uint32_t)(cursor->codec->record.count - 1),
                      .close = is_map ? '}' : ']'};
    cursor->at++;
    return 1;
}

/* A value at the cursor becomes FIELD; of a container only its bracket. */
static int
read_value(struct cursor *cursor, struct field *field)
{
    switch (peek(cursor)) {
    case '{': return open_container(cursor, field, 1);
    case '[': return open_container(cursor, field, 0);
    case '"':
        field->type = FIELD_TEXT;
        return read_text(cursor, &field->text, &field->text_len);
    case '-':
        if (cursor->end - cursor->at > 1 && cursor->at[1] == 'I')
            return read_word(cursor, field);
        return read_number(cursor, field);
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9': return read_number(cursor, field);
    default: return read_word(cursor, field);
    }
}

/* A key with its colon. */
static int
read_key(struct cursor *cursor, const char **key, uint32_t *len)
{
    if (peek(cursor) != '"')
        return refuse(cursor, FAULT_MALFORMED);
    if (!read_text(cursor, key, len))
        return 0;
    if (peek(cursor) != ':')
        return refuse(cursor, FAULT_MALFORMED);
    cursor->at++;
    return 1;
}

/* An item of the innermost open container, or the root. */
static int
read_item(struct cursor *cursor)
{
    struct open *inside =
        cursor->depth == 0 ? NULL : &cursor->open[cursor->depth - 1];
    const char *key = NULL;
    uint32_t key_len = 0;

    if (inside != NULL && inside->close == '}' &&
        !read_key(cursor, &key, &key_len))
        return 0;
    struct field *field =
        pri_record_add(cursor->codec, inside == NULL ? 0 : inside->field);
    if (field == NULL) {
        enum fault fault = cursor->codec->record.fault;
        return fault == FAULT_NONE ? 0 : refuse(cursor, fault);
    }
    field->key = key;
    field->key_len = key_len;
    field->index = inside == NULL ? 0 : inside->next++;
    return read_value(cursor, field);
}

/* Closes what ends at the cursor. 1 where another item is due, -1 where
 * the root is complete. */
static int
close_containers(struct cursor *cursor)
{
    while (cursor->depth > 0) {
        const struct open *inside = &cursor->open[cursor->depth - 1];
        char next = peek(cursor);

        if (next == inside->close) {
            cursor->depth--;
        } else if (inside->next == 0) {
            return 1; /* the first item comes without a comma */
        } else if (next == ',') {
            cursor->at++;
            return 1;
        } else {
            return refuse(cursor, FAULT_MALFORMED);
        }
        cursor->at++;
    }
    return -1;
}

static int
read_line(struct cursor *cursor)
{
    int due;

    do {
        if (!read_item(cursor))
            return 0;
        due = close_containers(cursor);
    } while (due > 0);
    if (due == 0)
        return 0;
    skip_blanks(cursor);
    if (cursor->at < cursor->end)
        return refuse(cursor, FAULT_MALFORMED);
    const uint8_t type = cursor->codec->record.field[0].type;
    if (type != FIELD_MAP && type != FIELD_ARRAY) {
        cursor->at = cursor->start;
        return refuse(cursor, FAULT_TYPE);
    }
    return 1;
}

static size_t
find_newline(const char *text, size_t from, size_t to, int *state)
{
    const char *newline = memchr(text + from, '\n', to - from);

    (void)state;
    return newline == NULL ? to : (size_t)(newline - text);
}

prae_status
pri_jsonl_next(struct codec *codec, const char *bytes, size_t len, int at_end)
{
    struct cursor cursor;
    struct line line;
    prae_status status =
        pri_text_line(codec, bytes, len, at_end, find_newline, &line);

    if (status != PRAE_OK || codec->record.fault != FAULT_NONE ||
        codec->counts)
        return status;
    /* The stack of containers is left as it is: nothing above `depth` is
     * ever read. */
    cursor.codec = codec;
    cursor.start = cursor.at = line.text;
    cursor.end = line.text + line.len;
    cursor.room = NULL;
    cursor.depth = 0;
    size_t valid = pri_utf8_valid(line.text, line.len);
    if (valid < line.len) {
        cursor.at += valid;
        refuse(&cursor, FAULT_MALFORMED);
        return PRAE_OK;
    }
    if (!read_line(&cursor) && codec->record.fault == FAULT_NONE)
        return PRAE_ENOMEM;
    return PRAE_OK;
}
