/*
 * envelope.c - verdicts as people and programs read them: an envelope in
 * MessagePack and JSON, more columns in CSV. Keys and their order are part
 * of the format, prae-stream(7).
 */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <msgpack/pack.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "number.h"
#include "record.h"
#include "text.h"

static const char *
kind_text(prae_kind kind)
{
    static const char *const texts[] = {"inlier", "outlier", "reject"};

    return texts[kind];
}

/* ---- MessagePack ---- */

static int
pack_write(void *data, const char *bytes, size_t len)
{
    struct writer out = {data, PRAE_OK};

    pri_put_bytes(&out, bytes, len);
    return out.status == PRAE_OK ? 0 : -1;
}

static int
pack_text(msgpack_packer *pk, const char *text)
{
    return msgpack_pack_str_with_body(pk, text, strlen(text));
}

/* NaN stands for "none" in a verdict, and is nil outside. */
static int
pack_real(msgpack_packer *pk, const char *key, double value)
{
    int bad = key == NULL ? 0 : pack_text(pk, key);

    return bad | (isnan(value) ? msgpack_pack_nil(pk)
                               : msgpack_pack_double(pk, value));
}

static int
pack_whole(msgpack_packer *pk, const char *key, uint64_t value)
{
    return pack_text(pk, key) | msgpack_pack_uint64(pk, value);
}

static int
pack_why(msgpack_packer *pk, const prae_verdict *verdict)
{
    int bad = pack_text(pk, "why") | msgpack_pack_array(pk, verdict->why_count);

    for (size_t i = 0; i < verdict->why_count; i++) {
        const prae_reason *why = &verdict->why[i];
        bad |= msgpack_pack_array(pk, 4);
        bad |= pack_text(pk, why->field);
        bad |= pack_real(pk, NULL, why->share);
        bad |= why->observed_text != NULL ? pack_text(pk, why->observed_text)
                                          : pack_real(pk, NULL, why->observed);
        bad |= why->expected_text != NULL ? pack_text(pk, why->expected_text)
                                          : pack_real(pk, NULL, why->expected);
    }
    return bad;
}

static prae_status
write_msgpack(const prae_verdict *verdict, prae_buffer *buffer)
{
    int reject = verdict->kind == PRAE_KIND_REJECT;
    msgpack_packer pk;
    int bad;

    msgpack_packer_init(&pk, buffer, pack_write);
    bad = msgpack_pack_map(&pk, 12 + (size_t)reject);
    bad |= pack_whole(&pk, "v", 1);
    bad |= pack_text(&pk, "kind") | pack_text(&pk, kind_text(verdict->kind));
    bad |= pack_whole(&pk, "seq", verdict->seq);
    bad |= pack_real(&pk, "score", verdict->score);
    bad |= pack_real(&pk, "p", verdict->p);
    bad |= pack_real(&pk, "gate", verdict->gate);
    bad |= pack_real(&pk, "error", verdict->error);
    bad |= pack_whole(&pk, "window", verdict->window);
    bad |= pack_whole(&pk, "model", verdict->model);
    bad |= pack_text(&pk, "state") |
           pack_text(&pk, prae_state_text(verdict->state));
    bad |= pack_why(&pk, verdict);
    if (reject) {
        bad |= pack_text(&pk, "reason") | msgpack_pack_array(&pk, 2);
        bad |= pack_text(&pk, verdict->reject_code);
        bad |= pack_text(&pk, verdict->reject_text);
    }
    if (verdict->parsed) {
        bad |= pack_text(&pk, "record");
        bad |= pack_write(buffer, verdict->record, verdict->record_len);
    } else {
        bad |= pack_text(&pk, "raw");
        bad |= msgpack_pack_bin_with_body(&pk, verdict->record,
                                          verdict->record_len);
    }
    return bad ? PRAE_ENOMEM : PRAE_OK;
}

static prae_status
write_score_msgpack(const prae_verdict *verdict, prae_buffer *buffer)
{
    msgpack_packer pk;
    int bad;

    msgpack_packer_init(&pk, buffer, pack_write);
    bad = msgpack_pack_map(&pk, 8);
    bad |= pack_whole(&pk, "seq", verdict->seq);
    bad |= pack_text(&pk, "verdict") | pack_text(&pk, kind_text(verdict->kind));
    bad |= pack_real(&pk, "score", verdict->score);
    bad |= pack_real(&pk, "p", verdict->p);
    bad |= pack_real(&pk, "gate", verdict->gate);
    bad |= pack_real(&pk, "error", verdict->error);
    bad |= pack_whole(&pk, "window", verdict->window);
    bad |= pack_text(&pk, "state") |
           pack_text(&pk, prae_state_text(verdict->state));
    return bad ? PRAE_ENOMEM : PRAE_OK;
}

/* ---- JSON ---- */

/* Numbers and what stands around them. */
__attribute__((format(printf, 2, 3))) static void
print(struct writer *out, const char *format, ...)
{
    char text[DBL_MAX_10_EXP + 64]; /* the largest number, written out */
    va_list args;

    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert(len >= 0 && (size_t)len < sizeof text);
    pri_put_bytes(out, text, (size_t)len);
}

/* VALUE in up to DIGITS digits, whatever the locale makes of the point: a
 * comma would end a cell, or a number of JSON. */
static void
print_digits(struct writer *out, int digits, double value)
{
    char text[32];

    pri_put_bytes(out, text,
                  pri_number_write(text, sizeof text, digits, value));
}

/* Enough digits to give the same float back; null for "none". */
static void
print_real(struct writer *out, double value)
{
    if (!isfinite(value))
        print(out, "null");
    else
        print_digits(out, 9, value);
}

static void
print_string(struct writer *out, const char *text, size_t len)
{
    print(out, "\"");
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            print(out, "\\%c", c);
        else if (c < 0x20)
            print(out, "\\u%04x", c);
        else
            pri_put_bytes(out, text + i, 1);
    }
    print(out, "\"");
}

static void
print_value(struct writer *out, const char *text, double value)
{
    if (text != NULL)
        print_string(out, text, strlen(text));
    else
        print_real(out, value);
}

static void
print_why(struct writer *out, const prae_verdict *verdict)
{
    print(out, "[");
    for (size_t i = 0; i < verdict->why_count; i++) {
        const prae_reason *why = &verdict->why[i];
        print(out, i == 0 ? "[" : ",[");
        print_string(out, why->field, strlen(why->field));
        print(out, ",");
        print_digits(out, 4, why->share);
        print(out, ",");
        print_value(out, why->observed_text, why->observed);
        print(out, ",");
        print_value(out, why->expected_text, why->expected);
        print(out, "]");
    }
    print(out, "]");
}

/* The record's length without its line's end. */
static size_t
line_len(const prae_verdict *verdict)
{
    size_t len = verdict->record_len;

    if (len > 0 && verdict->record[len - 1] == '\n')
        len--;
    if (len > 0 && verdict->record[len - 1] == '\r')
        len--;
    return len;
}

/* The end that the record's line had, so that what is given back later has
 * it, too. One that had none, or was cut off before its newline, gets one. */
static void
print_line_end(struct writer *out, const prae_verdict *verdict)
{
    size_t len = line_len(verdict);

    if (len < verdict->record_len && verdict->record[len] == '\r')
        print(out, "\r");
    print(out, "\n");
}

static void
print_base64(struct writer *out, const char *bytes, size_t len)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
                                 "qrstuvwxyz0123456789+/";

    for (size_t i = 0; i < len; i += 3) {
        size_t some = len - i < 3 ? len - i : 3;
        uint32_t bits = 0;
        char four[4] = {'=', '=', '=', '='};
        for (size_t k = 0; k < 3; k++)
            bits = bits << 8 | (k < some ? (unsigned char)bytes[i + k] : 0);
        for (size_t k = 0; k <= some; k++)
            four[k] = digits[bits >> (18 - 6 * k) & 63];
        pri_put_bytes(out, four, 4);
    }
}

static void
print_numbers(struct writer *out, const prae_verdict *verdict)
{
    print(out, ",\"score\":");
    print_real(out, verdict->score);
    print(out, ",\"p\":");
    print_real(out, verdict->p);
    print(out, ",\"gate\":");
    print_real(out, verdict->gate);
    print(out, ",\"error\":");
    print_real(out, verdict->error);
    print(out, ",\"window\":%llu", (unsigned long long)verdict->window);
}

static prae_status
write_jsonl(const prae_verdict *verdict, prae_buffer *buffer)
{
    struct writer out = {buffer, PRAE_OK};
    size_t len = line_len(verdict);

    print(&out, "{\"v\":1,\"kind\":\"%s\",\"seq\":%llu",
          kind_text(verdict->kind), (unsigned long long)verdict->seq);
    print_numbers(&out, verdict);
    print(&out, ",\"model\":%llu,\"state\":\"%s\",\"why\":",
          (unsigned long long)verdict->model, prae_state_text(verdict->state));
    print_why(&out, verdict);
    if (verdict->kind == PRAE_KIND_REJECT) {
        print(&out, ",\"reason\":[");
        print_string(&out, verdict->reject_code, strlen(verdict->reject_code));
        print(&out, ",");
        print_string(&out, verdict->reject_text, strlen(verdict->reject_text));
        print(&out, "]");
    }
    if (verdict->parsed) {
        print(&out, ",\"record\":");
        pri_put_bytes(&out, verdict->record, len);
    } else if (pri_utf8_valid(verdict->record, len) == len) {
        print(&out, ",\"raw\":");
        print_string(&out, verdict->record, len);
    } else {
        print(&out, ",\"raw64\":\"");
        print_base64(&out, verdict->record, len);
        print(&out, "\"");
    }
    print(&out, "}");
    print_line_end(&out, verdict);
    return out.status;
}

static prae_status
write_score_jsonl(const prae_verdict *verdict, prae_buffer *buffer)
{
    struct writer out = {buffer, PRAE_OK};

    print(&out, "{\"seq\":%llu,\"verdict\":\"%s\"",
          (unsigned long long)verdict->seq, kind_text(verdict->kind));
    print_numbers(&out, verdict);
    print(&out, ",\"state\":\"%s\"}\n", prae_state_text(verdict->state));
    return out.status;
}

/* ---- CSV ---- */

static void
print_cell(struct writer *out, double value)
{
    print(out, ",");
    if (!isnan(value))
        print_digits(out, 9, value);
}

/* Inside a quoted cell a quote is doubled. */
static void
print_quoted(struct writer *out, const char *text)
{
    for (; *text != '\0'; text++)
        print(out, *text == '"' ? "\"\"" : "%c", *text);
}

/* "temp 41% 93.5 not 21.2; ..." or the reject's code and text. */
static void
print_why_cell(struct writer *out, const prae_verdict *verdict)
{
    print(out, ",\"");
    if (verdict->kind == PRAE_KIND_REJECT) {
        print_quoted(out, verdict->reject_code);
        print(out, ": ");
        print_quoted(out, verdict->reject_text);
    }
    for (size_t i = 0; i < verdict->why_count; i++) {
        const prae_reason *why = &verdict->why[i];
        print(out, i == 0 ? "" : "; ");
        print_quoted(out, why->field);
        print(out, " %.0f%% ", 100.0 * why->share);
        if (why->observed_text != NULL)
            print_quoted(out, why->observed_text);
        else
            print_digits(out, 6, why->observed);
        print(out, " not ");
        if (why->expected_text != NULL)
            print_quoted(out, why->expected_text);
        else
            print_digits(out, 6, why->expected);
    }
    print(out, "\"");
}

/* A row that is none, as one cell, and empty ones so that what follows
 * stands below its name. */
static void
print_bad_row(struct writer *out, const prae_verdict *verdict)
{
    size_t len = line_len(verdict);

    print(out, "\"");
    for (size_t i = 0; i < len; i++) {
        if (verdict->record[i] == '"')
            print(out, "\"");
        pri_put_bytes(out, verdict->record + i, 1);
    }
    print(out, "\"");
    for (size_t i = 1; i < verdict->columns; i++)
        print(out, ",");
}

/* Whether the row may stand as it came. One of another width is none here,
 * whoever found out: a cell and empty ones behind it could be either. */
static int
is_row(const prae_verdict *verdict)
{
    return verdict->parsed &&
           (verdict->kind != PRAE_KIND_REJECT ||
            strcmp(verdict->reject_code,
                   pri_fault_code(FAULT_DIMENSION)) != 0);
}

static prae_status
write_csv(const prae_verdict *verdict, prae_buffer *buffer)
{
    struct writer out = {buffer, PRAE_OK};

    if (is_row(verdict))
        pri_put_bytes(&out, verdict->record, line_len(verdict));
    else
        print_bad_row(&out, verdict);
    print(&out, ",%llu", (unsigned long long)verdict->seq);
    print_cell(&out, verdict->score);
    print_cell(&out, verdict->p);
    print_cell(&out, verdict->gate);
    print_cell(&out, verdict->error);
    print(&out, ",%llu,%s", (unsigned long long)verdict->window,
          verdict->kind == PRAE_KIND_REJECT ? "reject"
                                            : prae_state_text(verdict->state));
    print_why_cell(&out, verdict);
    print_line_end(&out, verdict);
    return out.status;
}

static prae_status
write_score_csv(const prae_verdict *verdict, prae_buffer *buffer)
{
    struct writer out = {buffer, PRAE_OK};

    print(&out, "%llu,%s", (unsigned long long)verdict->seq,
          kind_text(verdict->kind));
    print_cell(&out, verdict->score);
    print_cell(&out, verdict->p);
    print_cell(&out, verdict->gate);
    print_cell(&out, verdict->error);
    print(&out, ",%llu,%s\n", (unsigned long long)verdict->window,
          prae_state_text(verdict->state));
    return out.status;
}

/* ---- public ---- */

prae_status
prae_verdict_write(const prae_verdict *verdict, prae_format format,
                   prae_buffer *buffer)
{
    if (verdict == NULL || buffer == NULL)
        return PRAE_EINVAL;
    switch (format) {
    case PRAE_FORMAT_JSONL: return write_jsonl(verdict, buffer);
    case PRAE_FORMAT_CSV: return write_csv(verdict, buffer);
    case PRAE_FORMAT_MSGPACK: break;
    }
    return write_msgpack(verdict, buffer);
}

prae_status
prae_verdict_write_score(const prae_verdict *verdict, prae_format format,
                         prae_buffer *buffer)
{
    if (verdict == NULL || buffer == NULL)
        return PRAE_EINVAL;
    switch (format) {
    case PRAE_FORMAT_JSONL: return write_score_jsonl(verdict, buffer);
    case PRAE_FORMAT_CSV: return write_score_csv(verdict, buffer);
    case PRAE_FORMAT_MSGPACK: break;
    }
    return write_score_msgpack(verdict, buffer);
}
