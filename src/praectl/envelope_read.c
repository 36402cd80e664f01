/*
 * envelope_read.c - the keys of an envelope, in any order; those that are
 * not known are skipped, as they may be a later version's.
 */
#include <string.h>

#include "envelope_walk.h"

/* What an envelope has to have. */
enum { SAW_VERSION = 1, SAW_KIND = 2, SAW_RECORD = 4 };

/* ---- values of a kind ---- */

static void
read_whole(struct walk *walk, uint64_t *whole)
{
    struct value value;

    if (!walk->steps->value(walk, &value))
        return;
    if (value.kind == VALUE_NUMBER && value.is_whole)
        *whole = value.whole;
    else
        walk_fail(walk, "a whole number should be before");
}

/* Nil leaves *NUMBER as it is: none. */
static void
read_number(struct walk *walk, double *number)
{
    struct value value;

    if (!walk->steps->value(walk, &value) || value.kind == VALUE_NONE)
        return;
    if (value.kind == VALUE_NUMBER)
        *number = value.number;
    else
        walk_fail(walk, "a number should be before");
}

static void
read_text(struct walk *walk, struct word *text)
{
    struct value value;

    if (!walk->steps->value(walk, &value))
        return;
    if (value.kind == VALUE_TEXT)
        *text = value.text;
    else
        walk_fail(walk, "a string should be before");
}

/* ---- lists ---- */

/* Moves behind the list that was entered last. */
static void
leave(struct walk *walk)
{
    struct value ignored;

    while (walk->steps->more(walk) && walk->steps->value(walk, &ignored))
        ;
}

/* Whether the list has another item, as it should. */
static int
is_due(struct walk *walk)
{
    return walk->steps->more(walk) ||
           walk_fail(walk, "the list before is too short");
}

/* [field, share, observed, expected] */
static void
read_reason(struct walk *walk, struct reason *reason)
{
    if (!walk->steps->enter(walk, 0))
        return;
    if (is_due(walk))
        read_text(walk, &reason->field);
    if (is_due(walk))
        read_number(walk, &reason->share);
    if (is_due(walk))
        walk->steps->value(walk, &reason->observed);
    if (is_due(walk))
        walk->steps->value(walk, &reason->expected);
    leave(walk);
}

static void
read_why(struct walk *walk, struct flagged *out)
{
    if (!walk->steps->enter(walk, 0))
        return;
    while (out->why_count < FLAGGED_REASONS && walk->steps->more(walk)) {
        struct reason *reason = &out->why[out->why_count++];
        *reason = (struct reason){.share = 0.0};
        read_reason(walk, reason);
    }
    if (out->why_count == FLAGGED_REASONS)
        leave(walk);
}

/* [code, text] */
static void
read_refusal(struct walk *walk, struct flagged *out)
{
    if (!walk->steps->enter(walk, 0))
        return;
    if (is_due(walk))
        read_text(walk, &out->code);
    if (is_due(walk))
        read_text(walk, &out->clause);
    leave(walk);
}

/* ---- the record ---- */

static int
base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Undoes base64, three bytes of four characters, to the walk's room: in the
 * string's own place where it is there, or there might not be enough. */
static void
read_base64(struct walk *walk, struct word *bytes)
{
    struct word text = {"", 0};
    uint32_t bits = 0;
    unsigned have = 0;

    read_text(walk, &text);
    if (text.text + text.len == walk->room)
        walk->room -= text.len;
    *bytes = (struct word){walk->room, 0};
    while (text.len > 0 && text.text[text.len - 1] == '=')
        text.len--;
    for (size_t i = 0; walk->status == PARSE_OK && i < text.len; i++) {
        int digit = base64_digit(text.text[i]);
        if (digit < 0) {
            walk_fail(walk, "the string before is not base64");
            return;
        }
        bits = bits << 6 | (uint32_t)digit;
        have += 6;
        if (have >= 8) {
            have -= 8;
            *walk->room++ = (char)(bits >> have & 0xff);
            bytes->len++;
        }
    }
}

static void
read_version(struct walk *walk)
{
    uint64_t version = 1;

    read_whole(walk, &version);
    if (version != 1)
        walk_fail(walk, "its version is not 1, the one known here; a newer "
                        "praectl may read it");
}

static void
read_kind(struct walk *walk, struct flagged *out)
{
    struct word kind = {"outlier", 7};

    read_text(walk, &kind);
    out->is_reject = word_is(kind, "reject");
    if (!out->is_reject && !word_is(kind, "outlier"))
        walk_fail(walk, "its kind is neither outlier nor reject");
}

/* ---- all of it ---- */

/* The value of KEY. Returns what was seen with it. */
static int
read_item(struct walk *walk, struct word key, struct flagged *out)
{
    struct value value = {.raw = {"", 0}};

    if (word_is(key, "v")) {
        read_version(walk);
        return SAW_VERSION;
    }
    if (word_is(key, "kind")) {
        read_kind(walk, out);
        return SAW_KIND;
    }
    if (word_is(key, "record")) {
        walk->steps->value(walk, &value);
        out->original = value.raw;
        return SAW_RECORD;
    }
    if (word_is(key, "raw")) {
        read_text(walk, &out->original);
        return SAW_RECORD;
    }
    if (word_is(key, "raw64")) {
        read_base64(walk, &out->original);
        return SAW_RECORD;
    }
    if (word_is(key, "seq"))
        read_whole(walk, &out->seq);
    else if (word_is(key, "score"))
        read_number(walk, &out->score);
    else if (word_is(key, "p"))
        read_number(walk, &out->p);
    else if (word_is(key, "gate"))
        read_number(walk, &out->gate);
    else if (word_is(key, "error"))
        read_number(walk, &out->error);
    else if (word_is(key, "window"))
        read_whole(walk, &out->window);
    else if (word_is(key, "model"))
        read_number(walk, &out->model);
    else if (word_is(key, "state"))
        read_text(walk, &out->state);
    else if (word_is(key, "why"))
        read_why(walk, out);
    else if (word_is(key, "reason"))
        read_refusal(walk, out);
    else
        walk->steps->value(walk, &value);
    return 0;
}

enum parse
envelope_read(struct walk *walk, struct flagged *out)
{
    struct word key;
    int saw = 0;

    if (!walk->steps->enter(walk, 1))
        return walk->status;
    while (walk->steps->more(walk) && walk->steps->key(walk, &key))
        saw |= read_item(walk, key, out);
    /* Whoever gives another file has a record with none of these. */
    if (!(saw & SAW_VERSION) || !(saw & SAW_KIND))
        walk_fail(walk, "it is no flagged record, as it has no v and kind");
    else if (!(saw & SAW_RECORD))
        walk_fail(walk, "it has no record, raw or raw64");
    return walk->status;
}
