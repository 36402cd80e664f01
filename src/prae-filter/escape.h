/* escape.h - names and values that came from outside, to a stream: they may
 * end no line, drive no terminal, and not turn around what stands behind
 * them. */
#ifndef ESCAPE_H
#define ESCAPE_H

#include <stdio.h>

/* For a person: \x1b, \u202e. Returns how many bytes that were. */
size_t escape_plain(FILE *out, const char *text);

/* As a JSON string, quotes included. What is not UTF-8 is U+FFFD there. */
void escape_json(FILE *out, const char *text);

#endif
