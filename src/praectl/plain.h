/*
 * plain.h - what a record holds, shown to a person.
 *
 * A record's text may hold what drives a terminal, or makes text look like
 * other text. Everything that came with a record is printed here and nowhere
 * else; what leaves is printable UTF-8 without an end of line.
 */
#ifndef PLAIN_H
#define PLAIN_H

#include <stdio.h>

#include "flagged.h"

/* Prints TEXT: control characters, characters that turn the direction of
 * text, and bytes that are not UTF-8 as \n, \x1b or \u202e. */
void plain_text(FILE *out, struct word text);

/* A number as short as it can be told, a text, or "nothing". */
void plain_value(FILE *out, const struct value *value);

/* The first value of MessagePack in BYTES, as JSON would have it; what is
 * nested too deep is left out, and so is what has no end. */
void plain_msgpack(FILE *out, struct word bytes);

#endif
