/* json.c - commas, escapes, numbers. */
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "buffer.h"

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

/* Bytes of the character at TEXT (LEN > 0), 0 where it is not UTF-8. */
static size_t
character(const unsigned char *text, size_t len)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t count = text[0] < 0x80   ? 1
                   : text[0] < 0xc2 ? 0
                   : text[0] < 0xe0 ? 2
                   : text[0] < 0xf0 ? 3
                   : text[0] < 0xf5 ? 4
                                    : 0;
    unsigned code = count < 2 ? text[0] : text[0] & (0x7fu >> count);

    if (count > len)
        return 0;
    for (size_t i = 1; i < count; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3fu);
    }
    return count == 0 || code < least[count] || code > 0x10ffff ||
                   (code >= 0xd800 && code < 0xe000)
               ? 0
               : count;
}

static void
add_quoted(struct json *json, const char *text, size_t len)
{
    char escape[8];

    add(json, "\"", 1);
    for (size_t at = 0; at < len;) {
        const char *here = text + at;
        size_t bytes = character((const unsigned char *)here, len - at);
        unsigned char c = (unsigned char)*here;
        if (bytes == 0) {
            add_word(json, "\\ufffd");
            bytes = 1;
        } else if (bytes == 1 &&
                   (c < 0x20 || c == 0x7f || strchr("\"\\<>&'", c) != NULL)) {
            snprintf(escape, sizeof escape, "\\u%04x", c);
            add_word(json, escape);
        } else if (bytes == 3 && memcmp(here, "\xe2\x80\xa8", 3) == 0) {
            add_word(json, "\\u2028"); /* ends a line of a script */
        } else if (bytes == 3 && memcmp(here, "\xe2\x80\xa9", 3) == 0) {
            add_word(json, "\\u2029");
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
