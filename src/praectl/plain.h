/*
 * plain.h - what a record holds, shown to a person.
 *
 * A record's text may hold what drives a terminal, or makes text look like
 * other text. Everything that came with a record is printed here and nowhere
 * else; what leaves is printable UTF-8 without an end of line.
 */
#ifndef PLAIN_H
#define PLAIN_H

#include <stdint.h>
#include <stdio.h>

#include "flagged.h"

/* One character, as it may be shown. */
struct plain_piece {
    char bytes[12]; /* (len) the character itself, or its escape */
    size_t len;
    int32_t code; /* the character; -1: it is escaped */
};

/* The first character of TEXT, which is not empty: how many of its bytes that
 * took. Where ASCII_ONLY, all else is escaped, too. */
size_t plain_piece(struct word text, int ascii_only, struct plain_piece *piece);

/* TEXT's beginning, made safe, as far as it fits into OUT (CAP), with a zero
 * behind it. */
void plain_copy(char *out, size_t cap, struct word text);

/* Prints TEXT: control characters, characters that turn the direction of
 * text, and bytes that are not UTF-8 as \n, \x1b or \u202e. */
void plain_text(FILE *out, struct word text);

/* A number as short as it can be told, a text, or "nothing". */
void plain_value(FILE *out, const struct value *value);

/* What VALUE, a number beside OTHER, is called: a text is judged by "rarity "
 * or its "log of length ", as FIELD says; all else has no name, "". */
const char *plain_measure(struct word field, const struct value *value,
                          const struct value *other);

/* The first value of MessagePack in BYTES, as JSON would have it; what is
 * nested too deep is left out, and so is what has no end. */
void plain_msgpack(FILE *out, struct word bytes);

#endif
