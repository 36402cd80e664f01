/* codec.c - what all formats share: the field list, scratch. */
#include "codec.h"

#include <stdlib.h>
#include <string.h>

#define FIELDS_FIRST 64 /* room for fields to begin with; doubled later */

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

/* HEADER's length without its line's end. What is before that, be it another
 * carriage return, is the last name's. */
static size_t
len_without_end(const char *header, size_t len)
{
    if (len > 0 && header[len - 1] == '\n')
        len--;
    if (len > 0 && header[len - 1] == '\r')
        len--;
    return len;
}

/* Whether BYTES (LEN) begin with the header NAMES (NAMES_LEN) and its end:
 * *USED of them, or PRAE_MORE where they may, were there more of them. */
static prae_status
match_header(const char *names, size_t names_len, const char *bytes, size_t len,
             int at_end, size_t *used)
{
    size_t at = names_len;

    *used = 0;
    if (memcmp(bytes, names, len < names_len ? len : names_len) != 0)
        return PRAE_OK;
    if (at < len && bytes[at] == '\r')
        at++;
    else if (names[names_len - 1] == '\r' && (at < len || at_end))
        return PRAE_OK; /* it is the line's end, and the name another */
    if (len < names_len || at == len) {
        if (!at_end)
            return PRAE_MORE;
        *used = len < names_len ? 0 : at;
    } else if (bytes[at] == '\n') {
        *used = at + 1;
    }
    return PRAE_OK;
}

prae_status
pri_codec_header_again(const char *header, size_t header_len,
                       const char *bytes, size_t len, int at_end, size_t *used)
{
    static const char mark[] = {'\xef', '\xbb', '\xbf'};

    *used = 0;
    header_len = len_without_end(header, header_len);
    if (header_len == 0 || len == 0)
        return PRAE_OK;
    prae_status status =
        match_header(header, header_len, bytes, len, at_end, used);
    /* Who begins with a byte order mark does so each time. */
    if (status != PRAE_OK || *used > 0 ||
        memcmp(bytes, mark, len < sizeof mark ? len : sizeof mark) != 0)
        return status;
    if (len <= sizeof mark)
        return at_end ? PRAE_OK : PRAE_MORE;
    status = match_header(header, header_len, bytes + sizeof mark,
                          len - sizeof mark, at_end, used);
    if (*used > 0)
        *used += sizeof mark;
    return status;
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
