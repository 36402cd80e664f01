/*
 * json.h - JSON, written into a buffer.
 *
 * What is wrong is latched: a writer that ran out of memory writes no more
 * and says so at the end. Texts may hold anything; what leaves is ASCII where
 * a text could be taken for markup, so that the whole may stand inside HTML.
 */
#ifndef JSON_H
#define JSON_H

#include "prae.h"

struct json {
    prae_buffer *out;
    int comma;  /* one is due before the next value */
    int failed; /* out of memory */
};

/* Opens an object or a list, '{' or '[', and closes it. KEY is NULL within a
 * list and at the top. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);

void json_text(struct json *json, const char *key, const char *text);
void json_bytes(struct json *json, const char *key, const char *text,
                size_t len);
void json_count(struct json *json, const char *key, uint64_t count);
void json_flag(struct json *json, const char *key, int flag);

/* A number, null where it is not finite. */
void json_number(struct json *json, const char *key, double number);
void json_null(struct json *json, const char *key);

#endif
