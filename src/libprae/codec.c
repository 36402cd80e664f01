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
    const struct reading kept = codec->reading;

    codec->reading = (struct reading){.begun = 1, .headed = 1};
    prae_status status = pri_codec_next(codec, bytes, len, 1);
    codec->reading = kept;
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
