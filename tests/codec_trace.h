/*
 * codec_trace.h - all that a codec makes of some bytes, as one line of
 * text, whatever pieces the bytes come in.
 *
 * A record is traced as its fields, the bytes it takes up and the last
 * line, e.g. {a:1,b:[t,1.5r,"x"]} 0-25/1; one that is refused as its
 * fault and where it broke, e.g. !malformed@3 0-9/1. A root that is not
 * the first field (root 2) and a count of wide integers (w1) follow where
 * there are any. Anything that breaks a codec's promises aborts.
 */
#ifndef PRAE_CODEC_TRACE_H
#define PRAE_CODEC_TRACE_H

#include "codec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRACE_DEPTH 257

#define MUST(expression)                                                     \
    do {                                                                     \
        if (!(expression)) {                                                 \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, \
                    #expression);                                            \
            abort();                                                         \
        }                                                                    \
    } while (0)

struct trace {
    char *text;
    size_t len, cap;
};

/* How the bytes are to be read. */
struct trace_setup {
    prae_format format;
    int no_header;
    struct codec_limits limits;
};

__attribute__((format(printf, 2, 3))) static void
trace_add(struct trace *trace, const char *format, ...)
{
    va_list args;

    if (trace->cap - trace->len < 64) {
        trace->cap = trace->cap * 2 + 256;
        trace->text = realloc(trace->text, trace->cap);
        MUST(trace->text != NULL);
    }
    va_start(args, format);
    int wrote = vsnprintf(trace->text + trace->len, 64, format, args);
    va_end(args);
    MUST(wrote >= 0 && wrote < 64);
    trace->len += (size_t)wrote;
}

static void
trace_bytes(struct trace *trace, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        trace_add(trace, c >= 0x20 && c < 0x7f ? "%c" : "<%02x>", c);
    }
}

/* Containers: the opening bracket only. */
static void
trace_value(struct trace *trace, const struct field *field)
{
    switch ((enum field_type)field->type) {
    case FIELD_NIL: trace_add(trace, "nil"); break;
    case FIELD_BOOL: trace_add(trace, field->number != 0.0 ? "t" : "f"); break;
    case FIELD_INTEGER: trace_add(trace, "%.17g", field->number); break;
    case FIELD_REAL:
        if (field->number != field->number)
            trace_add(trace, "nan");
        else
            trace_add(trace, "%.17gr", field->number);
        break;
    case FIELD_TIME: trace_add(trace, "%.17gs", field->number); break;
    case FIELD_TEXT:
        trace_add(trace, "\"");
        trace_bytes(trace, field->text, field->text_len);
        trace_add(trace, "\"");
        break;
    case FIELD_BYTES: trace_add(trace, "bytes"); break;
    case FIELD_MAP: trace_add(trace, "{"); break;
    case FIELD_ARRAY: trace_add(trace, "["); break;
    }
}

static int
trace_is_container(const struct field *field)
{
    return field->type == FIELD_MAP || field->type == FIELD_ARRAY;
}

/* The fields as a tree, which their order and parents must make. */
static void
trace_fields(struct trace *trace, const struct record *record)
{
    struct {
        uint32_t field, items;
    } open[TRACE_DEPTH];
    size_t depth = 0;

    MUST(record->count > 0 && trace_is_container(&record->field[0]));
    for (size_t i = 0; i <= record->count; i++) {
        const struct field *field = &record->field[i];
        int last = i == record->count;
        while (depth > 0 && (last || open[depth - 1].field != field->parent))
            trace_add(trace,
                      record->field[open[--depth].field].type == FIELD_MAP
                          ? "}"
                          : "]");
        if (last)
            break;
        MUST(i == 0 || depth > 0);
        if (depth > 0) {
            MUST(field->index == open[depth - 1].items++);
            trace_add(trace, field->index > 0 ? "," : "");
        }
        if (field->key != NULL) {
            MUST(i > 0 && record->field[field->parent].type == FIELD_MAP);
            trace_bytes(trace, field->key, field->key_len);
            trace_add(trace, ":");
        }
        trace_value(trace, field);
        if (trace_is_container(field)) {
            MUST(depth < TRACE_DEPTH);
            open[depth].field = (uint32_t)i;
            open[depth++].items = 0;
        }
    }
}

static int
trace_within(const char *text, size_t len, const char *area, size_t area_len)
{
    uintptr_t at = (uintptr_t)text, from = (uintptr_t)area;

    return area != NULL && at >= from && at - from <= area_len &&
           len <= area_len - (at - from);
}

/* Every name and text lies in the bytes, in scratch or in the names. */
static void
trace_check_pointers(const struct codec *codec, const char *bytes, size_t len)
{
    size_t names =
        codec->name_count == 0 ? 0 : codec->name_end[codec->name_count - 1];

    for (size_t i = 0; i < codec->record.count; i++) {
        const struct field *field = &codec->record.field[i];
        MUST(field->key == NULL ||
             trace_within(field->key, field->key_len, bytes, len) ||
             trace_within(field->key, field->key_len, codec->scratch,
                          codec->scratch_len) ||
             trace_within(field->key, field->key_len, codec->names, names));
        MUST(field->type != FIELD_TEXT ||
             trace_within(field->text, field->text_len, bytes, len) ||
             trace_within(field->text, field->text_len, codec->scratch,
                          codec->scratch_len));
    }
}

/* What was decoded from BYTES, which stand at USED in the input. */
static void
trace_record(struct trace *trace, const struct codec *codec, const char *bytes,
             size_t used)
{
    const struct record *record = &codec->record;

    MUST(record->start <= record->len_bytes && record->len_bytes > 0);
    trace_add(trace, trace->len > 0 ? "; " : "");
    if (record->fault == FAULT_NONE) {
        trace_check_pointers(codec, bytes, record->len_bytes);
        trace_fields(trace, record);
    } else {
        MUST(record->fault < FAULT_COUNT);
        MUST(record->fault_at <= record->len_bytes - record->start);
        trace_add(trace, "!%s@%zu", pri_fault_code(record->fault),
                  record->fault_at);
    }
    trace_add(trace, " %zu-%zu", used + record->start,
              used + record->len_bytes);
    if (codec->format != PRAE_FORMAT_MSGPACK)
        trace_add(trace, "/%llu", (unsigned long long)codec->reading.line);
    if (record->fault == FAULT_NONE && record->root > 0) {
        MUST(record->root < record->count);
        MUST(trace_is_container(&record->field[record->root]));
        trace_add(trace, " root %zu", record->root);
    }
    if (record->fault == FAULT_NONE && record->wide_ints > 0)
        trace_add(trace, " w%u", (unsigned)record->wide_ints);
}

/*
 * Decodes INPUT (LEN) with CODEC, given as its first FIRST bytes and then
 * STEP more whenever more are wanted. Each call sees a copy of just the
 * bytes that it was given, so that a sanitizer sees every step beyond.
 */
static void
trace_feed(struct trace *trace, struct codec *codec, const char *input,
           size_t len, size_t first, size_t step)
{
    size_t used = 0, have = first < len ? first : len;
    prae_status status;

    do {
        size_t given = have - used;
        char *copy = malloc(given);
        MUST(copy != NULL || given == 0);
        if (given > 0)
            memcpy(copy, input + used, given);
        status = pri_codec_next(codec, copy, given, have == len);
        MUST(codec->record.len_bytes <= given);
        if (status == PRAE_OK)
            trace_record(trace, codec, copy, used);
        used += codec->record.len_bytes;
        if (status == PRAE_MORE) {
            MUST(have < len);
            have = step < len - have ? have + step : len;
        }
        free(copy);
    } while (status == PRAE_OK || status == PRAE_MORE);
    if (status == PRAE_EDATA) {
        MUST(codec->record.fault != FAULT_NONE);
        trace_add(trace, "; lost: %s@%zu", pri_fault_code(codec->record.fault),
                  used + codec->record.fault_at);
    } else {
        MUST(status == PRAE_END && have == len && used == len);
    }
    trace_add(trace, "%s", "");
}

/* The same with a codec of its own. To be freed. */
__attribute__((unused)) static char *
trace_run(const struct trace_setup *setup, const char *input, size_t len,
          size_t first, size_t step)
{
    struct trace trace = {0};
    struct codec codec;

    MUST(pri_codec_init(&codec, setup->format, &setup->limits) == PRAE_OK);
    codec.no_header = setup->no_header;
    trace_feed(&trace, &codec, input, len, first, step);
    pri_codec_fini(&codec);
    return trace.text;
}

/* Whether INPUT gives EXPECTED byte by byte and cut in two anywhere; says
 * on stdout where it does not. */
__attribute__((unused)) static int
trace_any_pieces(const struct trace_setup *setup, const char *input, size_t len,
                 const char *expected)
{
    int same = 1;

    for (size_t first = 0; same && first <= len; first++) {
        char *cut = trace_run(setup, input, len, first, len + 1);
        char *bytewise = trace_run(setup, input, len, first, 1);
        same = strcmp(cut, expected) == 0 && strcmp(bytewise, expected) == 0;
        if (!same)
            printf("# cut at %zu: %s\n# then bytewise: %s\n", first, cut,
                   bytewise);
        free(cut);
        free(bytewise);
    }
    return same;
}

#endif
