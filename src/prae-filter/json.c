/* json.c - commas, escapes, numbers. */
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "buffer.h"
#include "utf8.h"

static void
add(struct json *json, const char *bytes, size_t len)
{
    if (!json->failed)
        json->failed = !buffer_add(json->out, bytes, len);
}

static void
add_word(struct json *json, const char *word)
{
    add(json, word, strlen(word));
}

static void
add_quoted(struct json *json, const char *text, size_t len)
{
    char escape[8];

    add(json, "\"", 1);
    for (size_t at = 0; at < len;) {
        const char *here = text + at;
        size_t bytes;
        int32_t code = utf8_take(here, len - at, &bytes);
        /* U+2028 and U+2029 end a line of a script. */
        if (code < 0) {
            add_word(json, "\\ufffd");
        } else if (code < 0x20 || code == 0x7f || code == 0x2028 ||
                   code == 0x2029 ||
                   (code < 0x80 && strchr("\"\\<>&'", code) != NULL)) {
            snprintf(escape, sizeof escape, "\\u%04x",
                     (unsigned)code & 0xffffu);
            add_word(json, escape);
        } else {
            add(json, here, bytes);
        }
        at += bytes;
    }
    add(json, "\"", 1);
}

/* What stands before a value. */
static void
begin(struct json *json, const char *key)
{
    if (json->comma)
        add(json, ",", 1);
    json->comma = 1;
    if (key != NULL) {
        add_quoted(json, key, strlen(key));
        add(json, ":", 1);
    }
}

void
json_open(struct json *json, const char *key, char bracket)
{
    begin(json, key);
    add(json, &bracket, 1);
    json->comma = 0;
}

void
json_close(struct json *json, char bracket)
{
    add(json, &bracket, 1);
    json->comma = 1;
}

void
json_bytes(struct json *json, const char *key, const char *text, size_t len)
{
    begin(json, key);
    add_quoted(json, text, len);
}

void
json_text(struct json *json, const char *key, const char *text)
{
    json_bytes(json, key, text, strlen(text));
}

void
json_count(struct json *json, const char *key, uint64_t count)
{
    char text[24];

    begin(json, key);
    snprintf(text, sizeof text, "%llu", (unsigned long long)count);
    add_word(json, text);
}

void
json_flag(struct json *json, const char *key, int flag)
{
    begin(json, key);
    add_word(json, flag ? "true" : "false");
}

void
json_null(struct json *json, const char *key)
{
    begin(json, key);
    add_word(json, "null");
}

void
json_number(struct json *json, const char *key, double number)
{
    char text[32];

    if (!isfinite(number)) {
        json_null(json, key);
        return;
    }
    begin(json, key);
    /* As short as gives the number back, for most. */
    snprintf(text, sizeof text, "%.9g", number);
    if (strtod(text, NULL) != number)
        snprintf(text, sizeof text, "%.15g", number);
    add_word(json, text);
}
