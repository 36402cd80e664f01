/* text.c - lines, UTF-8 and numbers, as text.h says. */
#include "text.h"

#include <string.h>

#include "number.h"

static const char byte_order_mark[3] = {'\xef', '\xbb', '\xbf'};

/* ---- lines ---- */

/* Lengths in a field have 32 bits, whatever the limit says. */
static size_t
line_limit(const struct codec *codec)
{
    const size_t limit = codec->limits.record_bytes;

    return limit > UINT32_MAX - 1 ? UINT32_MAX - 1 : limit;
}

/* Uses up a byte order mark and the rest of a line that was too long. */
static prae_status
begin(struct codec *codec, const char *bytes, size_t len, int at_end)
{
    struct record *record = &codec->record;
    const size_t mark = sizeof byte_order_mark;

    if (len == record->len_bytes)
        goto out;
    if (!codec->reading.begun) {
        int alike =
            memcmp(bytes, byte_order_mark, len < mark ? len : mark) == 0;
        if (alike && len < mark && !at_end)
            return PRAE_MORE;
        if (alike && len >= mark)
            record->len_bytes = mark;
        codec->reading.begun = 1;
    }
    if (!codec->reading.skipping)
        return PRAE_OK;
    const char *rest = bytes + record->len_bytes;
    const char *newline = memchr(rest, '\n', len - record->len_bytes);
    if (newline != NULL) {
        record->len_bytes += (size_t)(newline - rest) + 1;
        codec->reading.skipping = 0;
        return PRAE_OK;
    }
    record->len_bytes = len;
out:
    /* Bytes that come after an end belong to another line. */
    if (at_end)
        codec->reading.skipping = 0;
    return at_end ? PRAE_END : PRAE_MORE;
}

static int
is_blank(const char *text, size_t len)
{
    size_t i = 0;

    while (i < len && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r'))
        i++;
    return i == len;
}

/* The lines that TEXT (LEN), which does not end in its newline, is in. */
static uint64_t
count_lines(const char *text, size_t len)
{
    const char *end = text + len, *newline;
    uint64_t lines = 1;

    while (text < end &&
           (newline = memchr(text, '\n', (size_t)(end - text))) != NULL) {
        lines++;
        text = newline + 1;
    }
    return lines;
}

/* The line that TEXT begins is refused: LIMIT bytes of it are the record. */
static void
refuse_length(struct codec *codec, const char *text, size_t limit)
{
    struct record *record = &codec->record;

    record->start = record->len_bytes;
    record->len_bytes += limit;
    record->fault = FAULT_LENGTH;
    record->fault_at = limit;
    codec->reading.line += count_lines(text, limit);
    codec->reading.skipping = 1;
}

/* A line of BYTES is used up: the next one begins behind it. */
static void
begin_next(struct reading *reading, size_t bytes)
{
    reading->scanned = 0;
    reading->scan_state = 0;
    reading->first_line = 0;
    reading->unclosed -= reading->unclosed < bytes ? reading->unclosed : bytes;
}

/*
 * Where the record at TEXT ends, or TO: a newline within quotes does not end
 * it. All that are open at a newline have the same way before them, so what
 * one of them has found to be without an end need not be searched again.
 */
static size_t
find_end(struct reading *reading, const char *text, size_t to,
         pri_scan_line *scan_line)
{
    if (reading->scanned > to || reading->unclosed > to)
        begin_next(reading, reading->unclosed); /* there was more last time */
    for (;;) {
        size_t end =
            scan_line(text, reading->scanned, to, &reading->scan_state);
        reading->scanned = end;
        if (end == to || reading->scan_state != PRI_TEXT_QUOTED)
            return end;
        reading->scanned++;
        if (reading->first_line == 0) {
            reading->first_line = reading->scanned;
            if (reading->scanned < reading->unclosed)
                reading->scanned = reading->unclosed;
        }
    }
}

prae_status
pri_text_line(struct codec *codec, const char *bytes, size_t len, int at_end,
              pri_scan_line *scan_line, struct line *line)
{
    struct record *record = &codec->record;
    struct reading *reading = &codec->reading;
    const size_t limit = line_limit(codec);
    prae_status status = begin(codec, bytes, len, at_end);

    if (status != PRAE_OK)
        return status;
    while (record->len_bytes < len) {
        const char *text = bytes + record->len_bytes;
        size_t have = len - record->len_bytes;
        size_t to = have > limit ? limit + 1 : have;
        size_t end = find_end(reading, text, to, scan_line);

        if (end == to && have <= limit && !at_end)
            return PRAE_MORE;
        /* A quote that never closes: its line alone is lost, not all that
         * follow. */
        if (end == to && reading->scan_state == PRI_TEXT_QUOTED &&
            reading->first_line > 0) {
            end = reading->first_line - 1;
            reading->unclosed = to;
        }
        if (end == to && have > limit) {
            begin_next(reading, to);
            *line = (struct line){.before = codec->reading.line};
            refuse_length(codec, text, limit);
            return PRAE_OK;
        }
        const uint64_t before = codec->reading.line;
        size_t start = record->len_bytes, used = end < to ? end + 1 : end;
        begin_next(reading, used);
        record->len_bytes += used;
        /* At the end a quote may be open and a newline be within it. */
        codec->reading.line += count_lines(
            text, end == to && text[end - 1] == '\n' ? end - 1 : end);
        if (is_blank(text, end))
            continue;
        record->start = start;
        *line = (struct line){text, text[end - 1] == '\r' ? end - 1 : end,
                              before};
        return PRAE_OK;
    }
    return at_end ? PRAE_END : PRAE_MORE;
}

void
pri_text_back(struct codec *codec, const struct line *line)
{
    struct record *record = &codec->record;

    record->len_bytes = record->start;
    record->fault = FAULT_NONE;
    record->fault_at = 0;
    codec->reading.skipping = 0;
    codec->reading.unclosed = 0; /* it was counted from behind the line */
    codec->reading.line = line->before;
}

size_t
pri_text_len(const char *text, size_t len)
{
    if (len > 0 && text[len - 1] == '\n')
        len--;
    if (len > 0 && text[len - 1] == '\r')
        len--;
    return len;
}

/* Whether BYTES (LEN) may begin with the header once more. */
static int
is_like_header(const struct codec *codec, const char *bytes, size_t len)
{
    const size_t names_len = pri_text_len(codec->header, codec->header_len);

    return !codec->reading.headed && names_len > 0 &&
           memcmp(bytes, codec->header, len < names_len ? len : names_len) ==
               0;
}

size_t
pri_text_room(const struct codec *codec, const char *bytes, size_t len)
{
    const struct reading *reading = &codec->reading;
    /* With its newline a line may be one byte longer. */
    const size_t most = line_limit(codec) + 1;

    if (reading->skipping || len == 0 ||
        (!reading->begun && bytes[0] == byte_order_mark[0]))
        return 0;
    len = len < most ? len : most;
    /* Of a line that came in pieces only the last has its end, or the first
     * newline is one that ends nothing. */
    if (reading->first_line > 0 || reading->scanned >= len ||
        (reading->scanned > 0 &&
         memchr(bytes + reading->scanned, '\n', len - reading->scanned) ==
             NULL))
        return 0;
    /* Last, as it looks at all of it once more. */
    return is_like_header(codec, bytes, len) ? 0 : len;
}

void
pri_text_passed(struct codec *codec, size_t used)
{
    codec->reading.begun = codec->reading.headed = 1;
    begin_next(&codec->reading, used);
    codec->reading.line++;
}

/* ---- UTF-8 ---- */

/* Bytes of the sequence at TEXT, or 0 where it is none: cut short, longer
 * than needed, a surrogate, or beyond U+10FFFF. */
static size_t
sequence(const unsigned char *text, size_t len)
{
    const unsigned char first = text[0];
    size_t count = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    unsigned char low = 0x80, high = 0xbf; /* what the second byte may be */

    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4 || count > len)
        return 0;
    switch (first) {
    case 0xe0: low = 0xa0; break;
    case 0xed: high = 0x9f; break;
    case 0xf0: low = 0x90; break;
    case 0xf4: high = 0x8f; break;
    default: break;
    }
    if (text[1] < low || text[1] > high)
        return 0;
    for (size_t i = 2; i < count; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return count;
}

size_t
pri_utf8_valid(const char *text, size_t len)
{
    const uint64_t high_bits = UINT64_C(0x8080808080808080);
    size_t at = 0, bytes;
    uint64_t eight;

    while (at < len) {
        /* Most text is ASCII: eight bytes at a step. */
        if (len - at >= sizeof eight) {
            memcpy(&eight, text + at, sizeof eight);
            if ((eight & high_bits) == 0) {
                at += sizeof eight;
                continue;
            }
        }
        bytes = sequence((const unsigned char *)text + at, len - at);
        if (bytes == 0)
            return at;
        at += bytes;
    }
    return len;
}

/* ---- numbers ---- */

/* Whether the integer written as TEXT (LEN) is beyond 2^53. Its digits say
 * so, not its value: that is rounded already. */
static int
is_wide(const char *text, size_t len)
{
    static const char exact[] = "9007199254740992";
    const size_t digits = sizeof exact - 1;

    while (len > 0 && (*text == '-' || *text == '+' || *text == '0')) {
        text++;
        len--;
    }
    return len > digits || (len == digits && memcmp(text, exact, digits) > 0);
}

int
pri_text_number(struct field *field, const char *text, size_t len,
                uint32_t *wide)
{
    double number;
    int whole;

    if (!pri_number_parse(text, len, &number, &whole))
        return 0;
    field->number = number;
    field->type = (uint8_t)(whole ? FIELD_INTEGER : FIELD_REAL);
    *wide += whole && is_wide(text, len);
    return 1;
}
