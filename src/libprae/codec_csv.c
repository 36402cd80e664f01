/*
 * codec_csv.c - comma-separated values as RFC 4180 has them, read
 * liberally where there is only one way to understand them.
 *
 * Invariants:
 *   1. A row is cut out before it is read. scan_line and read_cell know
 *      the same quotes: one that opens a cell, and doubled ones within.
 *   2. Text behind a closing quote breaks the row, which then ends at the
 *      next newline whatever quotes follow.
 *   3. Undoing doubled quotes never makes a cell longer. Scratch is asked
 *      for once a row, as long as what is left of it.
 *   4. A header that cannot be read is refused like a record, and the rows
 *      after it are arrays, as if there had been none.
 */
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "csv_names.h"
#include "text.h"

enum scan {
    SCAN_START, /* of a cell */
    SCAN_PLAIN, /* in a cell without quotes */
    SCAN_QUOTED = PRI_TEXT_QUOTED,
    SCAN_CLOSED, /* behind the second quote, which may be a doubled one */
    SCAN_BROKEN  /* text behind it */
};

struct cursor {
    struct codec *codec;
    const char *start, *at, *end;
    char *room; /* scratch not yet used; NULL before the first doubled quote */
    const char *text; /* the cell that was read last */
    size_t len;
};

/* ---- rows ---- */

/* From I on to behind what changes the state, or to END. Most bytes change
 * nothing: quotes are what is searched for. */
static size_t
scan_on(const char *text, size_t i, size_t end, enum scan *scan)
{
    const char c = text[i];

    if (*scan == SCAN_BROKEN)
        return end;
    if (*scan == SCAN_CLOSED) {
        *scan = c == '"' ? SCAN_QUOTED : c == ',' ? SCAN_START : SCAN_BROKEN;
        return i + 1;
    }
    if (*scan == SCAN_START && c == '"') {
        *scan = SCAN_QUOTED;
        return i + 1;
    }
    const char *quote = memchr(text + i, '"', end - i);
    const char *stop = quote == NULL ? text + end : quote;
    if (*scan == SCAN_QUOTED)
        *scan = quote == NULL ? SCAN_QUOTED : SCAN_CLOSED;
    else if (stop == text + i || stop[-1] != ',')
        *scan = SCAN_PLAIN; /* where a quote is like any other byte */
    else
        *scan = quote == NULL ? SCAN_START : SCAN_QUOTED;
    return quote == NULL ? end : (size_t)(quote - text) + 1;
}

static size_t
scan_line(const char *text, size_t from, size_t to, int *state)
{
    const char *newline = memchr(text + from, '\n', to - from);
    const size_t end = newline == NULL ? to : (size_t)(newline - text);
    enum scan scan = (enum scan)*state;

    for (size_t i = from; i < end;)
        i = scan_on(text, i, end, &scan);
    *state = (int)scan;
    return end;
}

/* ---- cells ---- */

/* Returns 0 with the record's fault set. */
static int
refuse(struct cursor *cursor, enum fault fault, const char *at)
{
    struct record *record = &cursor->codec->record;

    record->fault = fault;
    record->fault_at = (size_t)(at - cursor->start);
    return 0;
}

/* Takes the part of a cell from FROM to the cursor into scratch. */
static int
take(struct cursor *cursor, const char *from)
{
    size_t len = (size_t)(cursor->at - from);

    if (cursor->room == NULL) {
        cursor->room =
            pri_codec_scratch(cursor->codec, (size_t)(cursor->end - from));
        if (cursor->room == NULL)
            return 0;
        cursor->text = cursor->room;
    }
    memcpy(cursor->room, from, len);
    cursor->room += len;
    cursor->len += len;
    return 1;
}

/* A cell whose opening quote the cursor is at. */
static int
read_quoted(struct cursor *cursor)
{
    const char *opening = cursor->at, *from = opening + 1;
    int doubled = 0;

    cursor->at = from;
    cursor->text = cursor->room;
    cursor->len = 0;
    for (;;) {
        size_t left = (size_t)(cursor->end - cursor->at);
        const char *quote = left == 0 ? NULL : memchr(cursor->at, '"', left);
        if (quote == NULL)
            return refuse(cursor, FAULT_MALFORMED, opening);
        cursor->at = quote + 1;
        if (cursor->at == cursor->end || *cursor->at != '"')
            break;
        doubled = 1;
        if (!take(cursor, from))
            return 0;
        from = ++cursor->at;
    }
    if (doubled) {
        cursor->at--;
        if (!take(cursor, from))
            return 0;
        cursor->at++;
    } else {
        cursor->text = from;
        cursor->len = (size_t)(cursor->at - from) - 1;
    }
    if (cursor->at < cursor->end && *cursor->at != ',')
        return refuse(cursor, FAULT_MALFORMED, cursor->at);
    return 1;
}

/* The cell at the cursor, which is left at the comma behind it or at the
 * row's end. 0 with the record's fault set, or out of memory with none. */
static int
read_cell(struct cursor *cursor)
{
    size_t left = (size_t)(cursor->end - cursor->at);

    if (left > 0 && *cursor->at == '"')
        return read_quoted(cursor);
    const char *comma = left == 0 ? NULL : memchr(cursor->at, ',', left);
    cursor->text = cursor->at;
    cursor->at = comma == NULL ? cursor->end : comma;
    cursor->len = (size_t)(cursor->at - cursor->text);
    return 1;
}

/* Whether TEXT (LEN) is WORD, which is in small letters, in any case. */
static int
is_word(const char *text, size_t len, const char *word)
{
    size_t i = 0;

    for (; i < len && word[i] != '\0'; i++) {
        char c = text[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (c != word[i])
            return 0;
    }
    return i == len && word[i] == '\0';
}

void
pri_csv_classify(const char *text, size_t len, struct field *field,
                 uint32_t *wide)
{
    const char *cell = text;
    const size_t cell_len = len;

    while (len > 0 && (*text == ' ' || *text == '\t')) {
        text++;
        len--;
    }
    while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\t'))
        len--;
    if (len > 0 && pri_text_number(field, text, len, wide))
        return;
    if (len == 0 || is_word(text, len, "na") || is_word(text, len, "n/a") ||
        is_word(text, len, "null")) {
        field->type = FIELD_NIL;
    } else if (is_word(text, len, "true") || is_word(text, len, "false")) {
        field->type = FIELD_BOOL;
        field->number = len == 4 ? 1.0 : 0.0;
    } else {
        field->type = FIELD_TEXT;
        field->text = cell;
        field->text_len = (uint32_t)cell_len;
    }
}

/* ---- records ---- */

/* Reads all cells of a row, as texts where it is the HEADER. Returns as
 * read_cell does. */
static int
read_row(struct cursor *cursor, int header)
{
    struct codec *codec = cursor->codec;
    struct field *field = pri_record_add(codec, 0);
    uint32_t index = 0;

    if (field == NULL)
        return 0;
    field->type = codec->name_count > 0 ? FIELD_MAP : FIELD_ARRAY;
    for (;; cursor->at++) {
        const char *from = cursor->at;
        if (!header && codec->width > 0 && index == codec->width)
            return refuse(cursor, FAULT_DIMENSION, from);
        if (!read_cell(cursor))
            return 0;
        field = pri_record_add(codec, 0);
        if (field == NULL)
            return codec->record.fault == FAULT_NONE
                       ? 0
                       : refuse(cursor, codec->record.fault, from);
        field->index = index++;
        if (header) {
            field->type = FIELD_TEXT;
            field->text = cursor->text;
            field->text_len = (uint32_t)cursor->len;
        } else {
            pri_csv_classify(cursor->text, cursor->len, field,
                             &codec->record.wide_ints);
            if (codec->name_count > 0)
                pri_csv_name(codec, field);
        }
        if (cursor->at == cursor->end)
            break;
    }
    if (!header && codec->width > 0 && index < codec->width)
        return refuse(cursor, FAULT_DIMENSION, cursor->end);
    codec->width = index;
    return 1;
}

/* The next row that is not blank, with its fields. */
static prae_status
next_row(struct codec *codec, const char *bytes, size_t len, int at_end,
         int header)
{
    struct cursor cursor = {.codec = codec};
    struct line line;
    prae_status status =
        pri_text_line(codec, bytes, len, at_end, scan_line, &line);

    if (status != PRAE_OK || codec->record.fault != FAULT_NONE ||
        codec->counts)
        return status;
    cursor.start = cursor.at = line.text;
    cursor.end = line.text + line.len;
    const char *zero = memchr(line.text, '\0', line.len);
    size_t valid = pri_utf8_valid(line.text, line.len);
    if (zero != NULL && (size_t)(zero - line.text) < valid)
        valid = (size_t)(zero - line.text);
    if (valid < line.len)
        refuse(&cursor, FAULT_MALFORMED, line.text + valid);
    else if (!read_row(&cursor, header) && codec->record.fault == FAULT_NONE)
        return PRAE_ENOMEM;
    return PRAE_OK;
}

/* Keeps the header that was just read: its names, and its bytes for the
 * outputs. */
static prae_status
keep_header(struct codec *codec, const char *bytes)
{
    const struct record *record = &codec->record;
    const size_t len = record->len_bytes - record->start;

    codec->header = malloc(len);
    if (codec->header == NULL)
        return PRAE_ENOMEM;
    memcpy(codec->header, bytes + record->start, len);
    codec->header_len = len;
    return pri_csv_names_make(codec);
}

prae_status
pri_csv_header(struct codec *codec, const char *bytes, size_t len, int at_end)
{
    prae_status status = next_row(codec, bytes, len, at_end, 1);

    if (status != PRAE_OK)
        return status;
    codec->header_done = 1;
    codec->reading.headed = 1;
    return codec->record.fault == FAULT_NONE ? keep_header(codec, bytes)
                                             : PRAE_OK;
}

prae_status
pri_csv_header_again(struct codec *codec, const char *header, size_t header_len,
                     const char *bytes, size_t len, int at_end)
{
    struct record *record = &codec->record;
    const size_t names_len = pri_text_len(header, header_len);
    struct line row;

    if (names_len > 0) {
        prae_status status =
            pri_text_line(codec, bytes, len, at_end, scan_line, &row);
        if (status != PRAE_OK)
            return status;
        if (record->fault != FAULT_NONE || row.len != names_len ||
            memcmp(row.text, header, names_len) != 0)
            pri_text_back(codec, &row); /* it is a record */
    }
    record->start = 0;
    codec->reading.headed = 1;
    return PRAE_OK;
}

prae_status
pri_csv_next(struct codec *codec, const char *bytes, size_t len, int at_end)
{
    struct record *record = &codec->record;

    if (!codec->no_header && !codec->header_done) {
        prae_status status = pri_csv_header(codec, bytes, len, at_end);
        if (status != PRAE_OK || record->fault != FAULT_NONE)
            return status;
        record->count = 0;
        record->start = 0;
        codec->scratch_len = 0;
    } else if (!codec->reading.headed) {
        prae_status status = pri_csv_header_again(
            codec, codec->header, codec->header_len, bytes, len, at_end);
        if (status != PRAE_OK)
            return status;
    }
    return next_row(codec, bytes, len, at_end, 0);
}
