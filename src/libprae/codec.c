/* codec.c - what all formats share: the field list, scratch, numbers. */
#include "codec.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_FIRST 64 /* room for fields to begin with; doubled later */
#define NUMBER_MAX 1024 /* characters of a number that are looked at */

prae_status
pri_codec_init(struct codec *codec, prae_format format,
               const struct codec_limits *limits)
{
    *codec = (struct codec){.format = format, .limits = *limits};
    if (codec->limits.depth > PRI_DEPTH_MAX)
        codec->limits.depth = PRI_DEPTH_MAX;
    codec->record.field = malloc(FIELDS_FIRST * sizeof(struct field));
    if (codec->record.field == NULL)
        return PRAE_ENOMEM;
    codec->record.cap = FIELDS_FIRST;
    return PRAE_OK;
}

void
pri_codec_fini(struct codec *codec)
{
    free(codec->record.field);
    free(codec->scratch);
    free(codec->names);
    free(codec->name_end);
    free(codec->header);
    *codec = (struct codec){0};
}

prae_status
pri_codec_next(struct codec *codec, const char *bytes, size_t len, int at_end)
{
    struct record *record = &codec->record;

    record->count = 0;
    record->root = 0;
    record->len_bytes = 0;
    record->start = 0;
    record->fault = FAULT_NONE;
    record->fault_at = 0;
    record->wide_ints = 0;
    codec->scratch_len = 0;
    switch (codec->format) {
    case PRAE_FORMAT_JSONL: return pri_jsonl_next(codec, bytes, len, at_end);
    case PRAE_FORMAT_CSV: return pri_csv_next(codec, bytes, len, at_end);
    case PRAE_FORMAT_MSGPACK: break;
    }
    return pri_msgpack_next(codec, bytes, len, at_end);
}

prae_status
pri_codec_again(struct codec *codec, const char *bytes, size_t len)
{
    const uint64_t line = codec->line;
    const struct reading kept = codec->reading;

    codec->reading = (struct reading){.begun = 1};
    prae_status status = pri_codec_next(codec, bytes, len, 1);
    codec->reading = kept;
    codec->line = line;
    return status;
}

void
pri_codec_leave(struct codec *codec, struct reading *kept)
{
    *kept = codec->reading;
    codec->reading = (struct reading){0};
}

void
pri_codec_return(struct codec *codec, const struct reading *kept)
{
    codec->reading = *kept;
}

size_t
pri_codec_header_again(const struct codec *codec, const char *bytes, size_t len)
{
    size_t name_len = codec->header_len, at = 0;

    /* Who begins with a byte order mark does so each time. */
    if (len >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        at = 3;
    while (name_len > 0 && (codec->header[name_len - 1] == '\n' ||
                            codec->header[name_len - 1] == '\r'))
        name_len--;
    if (name_len == 0 || len - at < name_len ||
        memcmp(bytes + at, codec->header, name_len) != 0)
        return 0;
    at += name_len;
    if (at < len && bytes[at] == '\r')
        at++;
    if (at < len && bytes[at] != '\n')
        return 0; /* its beginning only */
    return at < len ? at + 1 : at;
}

struct field *
pri_record_add(struct codec *codec, uint32_t parent)
{
    struct record *record = &codec->record;

    if (record->count == codec->limits.elements) {
        record->fault = FAULT_ELEMENTS;
        return NULL;
    }
    if (record->count == record->cap) {
        size_t cap = record->cap * 2;
        struct field *more = realloc(record->field, cap * sizeof *more);
        if (more == NULL)
            return NULL;
        record->field = more;
        record->cap = cap;
    }
    struct field *field = &record->field[record->count++];
    *field = (struct field){.parent = parent};
    return field;
}

char *
pri_codec_scratch(struct codec *codec, size_t len)
{
    if (len > codec->scratch_cap - codec->scratch_len) {
        /* Growing would move texts that fields already point at. */
        if (codec->scratch_len > 0 || len > codec->limits.record_bytes)
            return NULL;
        char *more = realloc(codec->scratch, len);
        if (more == NULL)
            return NULL;
        codec->scratch = more;
        codec->scratch_cap = len;
    }
    char *room = codec->scratch + codec->scratch_len;
    codec->scratch_len += len;
    return room;
}

/* ---- numbers ---- */

/* strtod on a copy that ends, with the point the locale wants. */
static int
parse_slowly(const char *text, size_t len, double *number)
{
    char copy[NUMBER_MAX + 1];
    char *end;

    if (len > NUMBER_MAX)
        return 0;
    memcpy(copy, text, len);
    copy[len] = '\0';
    char *point = strchr(copy, '.');
    if (point != NULL)
        *point = localeconv()->decimal_point[0];
    *number = strtod(copy, &end);
    return end == copy + len;
}

static int
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* nan, inf, infinity in any case, with a sign. */
static int
parse_word(const char *text, size_t len, double *number)
{
    static const char *const words[] = {"nan", "inf", "infinity"};
    int negative = len > 0 && text[0] == '-';

    if (len > 0 && (text[0] == '-' || text[0] == '+')) {
        text++;
        len--;
    }
    for (size_t w = 0; w < 3; w++) {
        size_t i = 0;
        while (i < len && words[w][i] != '\0' &&
               (text[i] | 0x20) == words[w][i])
            i++;
        if (i == len && words[w][i] == '\0') {
            double value = w == 0 ? (double)NAN : (double)INFINITY;
            *number = negative ? -value : value;
            return 1;
        }
    }
    return 0;
}

int
pri_number_parse(const char *text, size_t len, double *number, int *whole)
{
    static const double tens[] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *at = text, *end = text + len;
    uint64_t digits = 0;
    int count = 0, fraction = 0, exponent = 0, negative = 0;

    if (at < end && (*at == '-' || *at == '+'))
        negative = *at++ == '-';
    const char *first = at;
    for (; at < end && is_digit(*at); at++, count++)
        digits = digits * 10 + (uint64_t)(*at - '0');
    *whole = at > first;
    if (at < end && *at == '.') {
        *whole = 0;
        for (at++; at < end && is_digit(*at); at++, count++, fraction++)
            digits = digits * 10 + (uint64_t)(*at - '0');
    }
    if (count == 0)
        return parse_word(text, len, number);
    if (at < end && (*at == 'e' || *at == 'E')) {
        int minus = 0, e = 0, some = 0;
        *whole = 0;
        at++;
        if (at < end && (*at == '-' || *at == '+'))
            minus = *at++ == '-';
        for (; at < end && is_digit(*at); at++, some = 1)
            e = e < 9999 ? e * 10 + (*at - '0') : e;
        if (!some)
            return 0;
        exponent = minus ? -e : e;
    }
    if (at != end)
        return 0;

    /* Exact where the digits and the power of ten are: one rounding. */
    exponent -= fraction;
    if (count <= 19 && digits <= (UINT64_C(1) << 53) && exponent >= -22 &&
        exponent <= 22) {
        double value = (double)digits;
        value = exponent < 0 ? value / tens[-exponent] : value * tens[exponent];
        *number = negative ? -value : value;
        return 1;
    }
    return parse_slowly(text, len, number);
}
