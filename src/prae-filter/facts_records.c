/* facts_records.c - flagged records, for people to read. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../praectl/plain.h"
#include "facts.h"

#define SHOWN 400 /* bytes of a record's text */

/* The record as text. NULL out of memory. */
static char *
show(const struct watched *flagged, prae_format format, size_t *len)
{
    size_t kept =
        flagged->record_len < WATCH_RECORD ? flagged->record_len : WATCH_RECORD;
    struct word bytes = {flagged->record, kept};
    char *text = NULL;
    FILE *out = open_memstream(&text, len);

    if (out == NULL)
        return NULL;
    if (format == PRAE_FORMAT_MSGPACK) {
        plain_msgpack(out, bytes);
    } else {
        while (bytes.len > 0 && (bytes.text[bytes.len - 1] == '\n' ||
                                 bytes.text[bytes.len - 1] == '\r'))
            bytes.len--;
        plain_text(out, bytes);
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static void
write_record(struct json *json, const struct watched *flagged,
             prae_format format)
{
    size_t len = 0;
    char *text = show(flagged, format, &len);

    if (text == NULL) {
        json->failed = 1;
        return;
    }
    int cut = len > SHOWN || flagged->record_len > WATCH_RECORD;
    len = len < SHOWN ? len : SHOWN;
    while (cut && len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
        len--; /* not within a character */
    json_bytes(json, "record", text, len);
    json_flag(json, "cut", cut);
    free(text);
}

static void
write_text(struct json *json, const char *key, const char *text)
{
    if (text[0] == '\0')
        json_null(json, key);
    else
        json_text(json, key, text);
}

void
facts_flagged(struct json *json, const struct watched *flagged,
              prae_format format)
{
    json_open(json, NULL, '{');
    json_count(json, "seq", flagged->seq);
    json_number(json, "score", flagged->score);
    json_number(json, "p", flagged->p);
    json_number(json, "gate", flagged->gate);
    json_count(json, "window", flagged->window);
    json_text(json, "state", prae_state_text(flagged->state));
    json_number(json, "time", flagged->time);
    write_record(json, flagged, format);
    json_open(json, "why", '[');
    for (size_t k = 0; k < flagged->why_count; k++) {
        const struct watched_reason *reason = &flagged->why[k];
        json_open(json, NULL, '{');
        json_text(json, "field", reason->field);
        json_number(json, "share", reason->share);
        json_number(json, "observed", reason->observed);
        json_number(json, "expected", reason->expected);
        write_text(json, "observed_text", reason->observed_text);
        write_text(json, "expected_text", reason->expected_text);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}
