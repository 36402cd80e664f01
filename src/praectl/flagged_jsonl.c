/*
 * flagged_jsonl.c - envelopes in JSON, one a line.
 *
 * The line is cut out first, so nothing in it reaches beyond. What is inside
 * a record is not judged here: its brackets are counted and its strings
 * skipped, which is enough to know where it ends, and its bytes are given
 * back as they are.
 */
#include <string.h>

#include "envelope_walk.h"

static void
skip_blanks(struct walk *walk)
{
    while (walk->at < walk->end &&
           (*walk->at == ' ' || *walk->at == '\t' || *walk->at == '\r'))
        walk->at++;
}

/* The byte at the walk, behind blanks; 0 at the line's end. */
static char
peek(struct walk *walk)
{
    skip_blanks(walk);
    if (walk->at == walk->end)
        return '\0';
    return *walk->at;
}

/* ---- strings ---- */

/* Four hexadecimal digits, or -1. */
static int32_t
take_hex(struct walk *walk)
{
    int32_t code = 0;

    if (walk->end - walk->at < 4) {
        walk->at = walk->end;
        return -1;
    }
    for (int i = 0; i < 4; i++) {
        char c = *walk->at++, low = (char)(c | 0x20);
        if (c >= '0' && c <= '9')
            code = 16 * code + (c - '0');
        else if (low >= 'a' && low <= 'f')
            code = 16 * code + (low - 'a' + 10);
        else
            return -1;
    }
    return code;
}

static void
put_utf8(struct walk *walk, int32_t code)
{
    unsigned bytes = code < 0x80      ? 1
                     : code < 0x800   ? 2
                     : code < 0x10000 ? 3
                                      : 4;
    static const int heads[] = {0, 0, 0xc0, 0xe0, 0xf0};

    *walk->room++ = (char)(heads[bytes] | code >> 6 * (bytes - 1));
    while (--bytes > 0)
        *walk->room++ = (char)(0x80 | (code >> 6 * (bytes - 1) & 0x3f));
}

/* What follows a backslash and a u. */
static int
undo_unicode(struct walk *walk)
{
    int32_t code = take_hex(walk);

    if (code >= 0xd800 && code < 0xdc00 && walk->end - walk->at > 1 &&
        memcmp(walk->at, "\\u", 2) == 0) {
        walk->at += 2;
        int32_t low = take_hex(walk);
        if (low >= 0xdc00 && low < 0xe000)
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (code < 0 || (code >= 0xd800 && code < 0xe000))
        return walk_fail(walk, "an escape is no character");
    put_utf8(walk, code);
    return 1;
}

/* The escape behind a backslash, undone. It never gets longer. */
static int
undo_escape(struct walk *walk)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char *name = NULL;

    if (walk->at < walk->end && *walk->at == 'u') {
        walk->at++;
        return undo_unicode(walk);
    }
    if (walk->at < walk->end)
        name = memchr(names, *walk->at, sizeof names - 1);
    if (name == NULL)
        return walk_fail(walk, "an escape is not known");
    walk->at++;
    *walk->room++ = values[name - names];
    return 1;
}

/* The string whose quote the walk is at, undone, to the walk's room. */
static int
take_string(struct walk *walk, struct word *text)
{
    const char *from = walk->room;

    walk->at++;
    while (walk->at < walk->end && *walk->at != '"') {
        if (*walk->at != '\\') {
            *walk->room++ = *walk->at++;
            continue;
        }
        walk->at++;
        if (!undo_escape(walk))
            return 0;
    }
    if (walk->at == walk->end)
        return walk_fail(walk, "a string does not end");
    walk->at++;
    *text = (struct word){from, (size_t)(walk->room - from)};
    return 1;
}

/* Moves behind the string whose quote the walk is at. */
static int
skip_string(struct walk *walk)
{
    for (walk->at++; walk->at < walk->end && *walk->at != '"'; walk->at++)
        if (*walk->at == '\\' && walk->at + 1 < walk->end)
            walk->at++;
    if (walk->at == walk->end)
        return walk_fail(walk, "a string does not end");
    walk->at++;
    return 1;
}

/* ---- other values ---- */

/* Moves behind the container whose bracket the walk is at. */
static int
skip_container(struct walk *walk)
{
    size_t depth = 0;

    do {
        char c = *walk->at;
        if (c == '"') {
            if (!skip_string(walk))
                return 0;
            continue;
        }
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        walk->at++;
    } while (depth > 0 && walk->at < walk->end);
    return depth == 0 || walk_fail(walk, "a bracket is not closed");
}

/* Whether WORD may be a number longer than those that are ours. A record may
 * be one, and is given back whatever its digits are. */
static int
is_long_number(struct word word)
{
    static const char bytes[] = "+-.0123456789Ee";
    size_t i = 0;

    while (i < word.len &&
           memchr(bytes, word.text[i], sizeof bytes - 1) != NULL)
        i++;
    return i == word.len && i > FLAGGED_DIGITS;
}

/* A number, true, false, null, or what Python writes beyond JSON. */
static int
take_word(struct walk *walk, struct value *value)
{
    static const char ends[] = " \t\r,]}:\"[{";
    const char *from = walk->at;
    double number;

    while (walk->at < walk->end &&
           memchr(ends, *walk->at, sizeof ends - 1) == NULL)
        walk->at++;
    struct word word = {from, (size_t)(walk->at - from)};
    if (word_is(word, "null")) {
        value->kind = VALUE_NONE;
    } else if (word_is(word, "true") || word_is(word, "false") ||
               is_long_number(word)) {
        value->kind = VALUE_OTHER;
    } else if (word_number(word, &number)) {
        value->kind = VALUE_NUMBER;
        value->number = number;
        value->is_whole = word_whole(word, &value->whole);
    } else {
        if (walk->at < walk->end)
            walk->at = from;
        return walk_fail(walk, "no value is here");
    }
    return 1;
}

/* ---- steps ---- */

static int
step_enter(struct walk *walk, int is_map)
{
    if (walk->status != PARSE_OK)
        return 0;
    if (peek(walk) != (is_map ? '{' : '['))
        return walk_fail(walk, is_map ? "it is no flagged record, as it is no "
                                        "object"
                                      : "a list should be here");
    walk->at++;
    walk->left[walk->depth] = 0;
    walk->close[walk->depth++] = is_map ? '}' : ']';
    return 1;
}

static int
step_more(struct walk *walk)
{
    if (walk->status != PARSE_OK)
        return 0;
    char next = peek(walk);
    if (next == walk->close[walk->depth - 1]) {
        walk->at++;
        walk->depth--;
        return 0;
    }
    if (walk->left[walk->depth - 1]++ == 0)
        return 1;
    if (next != ',')
        return walk_fail(walk, "a comma or a bracket should be here");
    walk->at++;
    return 1;
}

static int
step_value(struct walk *walk, struct value *value)
{
    const char *from = walk->at;
    int good;

    if (walk->status != PARSE_OK)
        return 0;
    *value = (struct value){.kind = VALUE_OTHER};
    switch (peek(walk)) {
    case '"':
        value->kind = VALUE_TEXT;
        good = take_string(walk, &value->text);
        break;
    case '{':
    case '[': good = skip_container(walk); break;
    default: good = take_word(walk, value); break;
    }
    skip_blanks(walk);
    value->raw = (struct word){from, (size_t)(walk->at - from)};
    return good;
}

static int
step_key(struct walk *walk, struct word *key)
{
    if (walk->status != PARSE_OK)
        return 0;
    if (peek(walk) != '"')
        return walk_fail(walk, "a key should be here");
    if (!take_string(walk, key))
        return 0;
    if (peek(walk) != ':')
        return walk_fail(walk, "a colon should be here");
    walk->at++;
    return 1;
}

/* ---- lines ---- */

/* Where the first line that is not blank begins, and where its newline or
 * the last byte's place is. 0: there is none, and *FROM is where one may
 * begin. */
static int
find_line(const struct flagged_input *input, size_t *from, size_t *newline)
{
    for (*from = 0; *from < input->len; *from = *newline + 1) {
        const char *text = input->bytes + *from;
        const char *end = memchr(text, '\n', input->len - *from);
        *newline = end == NULL ? input->len : (size_t)(end - input->bytes);
        if (!flagged_is_blank(text, *newline - *from))
            return 1;
        if (end == NULL)
            return 0;
    }
    return 0;
}

enum parse
flagged_jsonl(const struct flagged_input *input, struct flagged *out,
              struct flagged_fault *fault)
{
    static const struct walk_steps steps = {step_enter, step_more, step_key,
                                            step_value};
    size_t from, newline, len;
    int found = find_line(input, &from, &newline);

    out->start = from;
    if (!found)
        return input->at_end ? PARSE_END : PARSE_MORE;
    if (!flagged_line(input, from, newline, &len, &out->end))
        return PARSE_MORE;
    struct walk walk = {.steps = &steps,
                        .start = input->bytes,
                        .at = input->bytes + from,
                        .end = input->bytes + from + len,
                        .room = input->scratch};
    out->size = len + out->end.len;
    enum parse status = envelope_read(&walk, out);
    skip_blanks(&walk);
    if (status == PARSE_OK && walk.at < walk.end) {
        walk_fail(&walk, "something follows the object");
        status = PARSE_BAD;
    }
    /* The last line, without its end: the file was cut short. */
    if (status == PARSE_BAD && walk.bad_at == walk.end && out->end.len == 0)
        return PARSE_MORE;
    if (status == PARSE_BAD)
        *fault = (struct flagged_fault){walk.what,
                                        (size_t)(walk.bad_at - walk.start)};
    /* Of a line that was too long only the beginning was kept. */
    out->is_whole = !out->is_reject || !(word_is(out->code, "length") ||
                                         word_is(out->code, "parts"));
    return status;
}
