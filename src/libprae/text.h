/*
 * text.h - what the formats made of lines share: where a record's line
 * begins and ends, UTF-8, and numbers as fields.
 *
 * A line is a record unless it is blank. One that is longer than
 * limits.record_bytes is refused as soon as that is known: the record is
 * its first record_bytes bytes, and the rest is used up before the next
 * record begins. Where a record begins and ends so never depends on how
 * the bytes were cut into calls.
 */
#ifndef PRI_TEXT_H
#define PRI_TEXT_H

#include "codec.h"

struct line {
    const char *text;
    size_t len;      /* without the line's end */
    uint64_t before; /* lines used up before it */
};

/* The state of who finds ends, within quotes: a newline there ends nothing
 * but a line. */
#define PRI_TEXT_QUOTED 2

/*
 * Finds a line's end: the place of the first newline in TEXT between FROM
 * and TO, or TO. Everything before FROM was looked at already, and *STATE is
 * what was left there then; 0 at a record's beginning. Left PRI_TEXT_QUOTED
 * at a newline, the record goes on in the next line.
 */
typedef size_t pri_scan_line(const char *text, size_t from, size_t to,
                             int *state);

/*
 * The first line behind record.len_bytes that is not blank. PRAE_MORE and
 * PRAE_END are as in pri_codec_next. PRAE_OK sets record.start and
 * len_bytes, and *LINE; of that no text where record.fault is FAULT_LENGTH.
 */
prae_status pri_text_line(struct codec *codec, const char *bytes, size_t len,
                          int at_end, pri_scan_line *scan_line,
                          struct line *line);

/* LINE, which was found last, is to be found once more: what is before it
 * stays used up. */
void pri_text_back(struct codec *codec, const struct line *line);

/* The length of TEXT (LEN) without its line's end. What is before that, be it
 * another carriage return, is the last cell's. */
size_t pri_text_len(const char *text, size_t len);

/* How many bytes of TEXT (LEN) are valid UTF-8: LEN, or where the first
 * sequence begins that is not. */
size_t pri_utf8_valid(const char *text, size_t len);

/* Makes FIELD the number that TEXT (LEN) is, and adds to *WIDE where that
 * is an integer beyond 2^53; 0 where it is none. */
int pri_text_number(struct field *field, const char *text, size_t len,
                    uint32_t *wide);

/* As pri_msgpack_room and pri_msgpack_passed, with the BYTES at hand. */
size_t pri_text_room(const struct codec *codec, const char *bytes, size_t len);
void pri_text_passed(struct codec *codec, size_t used);

#endif
