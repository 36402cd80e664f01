/*
 * flagged_csv.c - flagged rows of a CSV: the row as it was, and behind it
 * our own eight cells.
 *
 * Invariants:
 *   1. A row ends where prae-filter would have it end: both know the same
 *      quotes.
 *   2. Our cells are found from the row's end backwards. Whatever the row
 *      itself holds, stray quotes or the wrong number of cells, they are
 *      behind it.
 */
#include <string.h>

#include "flagged.h"

static const char names[] = ",seq,score,p,gate,error,window,state,why";

enum { SEQ, SCORE, P, GATE, ERROR, WINDOW, STATE, CELLS };

enum scan {
    SCAN_START,  /* of a cell */
    SCAN_PLAIN,  /* in one without quotes */
    SCAN_QUOTED, /* between quotes */
    SCAN_CLOSED, /* behind the second one */
    SCAN_BROKEN  /* behind text behind it: quotes count no more */
};

/* ---- rows ---- */

static enum scan
scan_next(enum scan scan, char c)
{
    if (scan == SCAN_QUOTED)
        return c == '"' ? SCAN_CLOSED : SCAN_QUOTED;
    if (scan == SCAN_BROKEN)
        return SCAN_BROKEN;
    if (c == '"' && scan != SCAN_PLAIN)
        return SCAN_QUOTED;
    if (c == ',')
        return SCAN_START;
    return scan == SCAN_CLOSED ? SCAN_BROKEN : SCAN_PLAIN;
}

/* The newline that ends the row at FROM, or the place behind the last byte,
 * and whether a quote is open there. */
static size_t
find_row_end(const struct flagged_input *input, size_t from, int *is_open)
{
    enum scan scan = SCAN_START;
    size_t at = from;

    while (at < input->len && (scan == SCAN_QUOTED || input->bytes[at] != '\n'))
        scan = scan_next(scan, input->bytes[at++]);
    *is_open = scan == SCAN_QUOTED;
    return at;
}

/* ---- our cells ---- */

/* The place of the quote that opens the cell which ends TEXT (LEN), or LEN
 * where it is not such a cell. */
static size_t
find_opening(const char *text, size_t len)
{
    if (len < 2 || text[len - 1] != '"')
        return len;
    for (size_t at = len - 1; at-- > 0;) {
        if (text[at] != '"')
            continue;
        if (at == 0 || text[at - 1] != '"')
            return at;
        at--; /* a doubled one */
    }
    return len;
}

/* Undoes doubled quotes of TEXT, to *ROOM. */
static struct word
undouble(struct word text, char **room)
{
    struct word out = {*room, 0};

    for (size_t i = 0; i < text.len; i++) {
        *(*room)++ = text.text[i];
        if (text.text[i] == '"' && i + 1 < text.len && text.text[i + 1] == '"')
            i++;
    }
    out.len = (size_t)(*room - out.text);
    return out;
}

/* Splits ROW from its end: the quoted one of WHY, then the CELLS, and what
 * is before them. */
static int
split(struct word row, struct word *before, struct word cells[CELLS],
      struct word *why)
{
    size_t end = find_opening(row.text, row.len);

    if (end >= row.len || end == 0 || row.text[end - 1] != ',')
        return 0;
    *why = (struct word){row.text + end + 1, row.len - end - 2};
    end--;
    for (size_t i = CELLS; i-- > 0;) {
        size_t at = end;
        while (at > 0 && row.text[at - 1] != ',')
            at--;
        if (at == 0)
            return 0;
        cells[i] = (struct word){row.text + at, end - at};
        end = at - 1;
    }
    *before = (struct word){row.text, end};
    return 1;
}

/* An empty cell leaves *NUMBER as it is: none. */
static int
take_number(struct word cell, double *number)
{
    return cell.len == 0 || word_number(cell, number);
}

/* ---- reasons ---- */

/* The place of the first " 12% " in TEXT from AT on, or its length. */
static size_t
find_share(struct word text, size_t at)
{
    for (; at < text.len; at++) {
        size_t digits = 0;
        if (text.text[at] != ' ')
            continue;
        while (digits < 3 && at + 1 + digits < text.len &&
               text.text[at + 1 + digits] >= '0' &&
               text.text[at + 1 + digits] <= '9')
            digits++;
        if (digits > 0 && at + 2 + digits < text.len &&
            memcmp(text.text + at + 1 + digits, "% ", 2) == 0)
            return at;
    }
    return text.len;
}

/* The first place of WHAT in TEXT, or its length. */
static size_t
find(struct word text, const char *what)
{
    size_t len = strlen(what);

    for (size_t at = 0; at + len <= text.len; at++)
        if (memcmp(text.text + at, what, len) == 0)
            return at;
    return text.len;
}

static struct value
value_of(struct word text)
{
    struct value value = {.kind = VALUE_TEXT, .text = text, .raw = text};

    if (word_is(text, "nan") || word_is(text, "-nan"))
        value.kind = VALUE_NONE;
    else if (word_number(text, &value.number))
        value.kind = VALUE_NUMBER;
    return value;
}

/* Where the reason behind the one whose values begin at FROM begins, and its
 * share's place; the text's length for both where there is none. */
static size_t
find_next(struct word text, size_t from, size_t *share)
{
    for (*share = find_share(text, from); *share < text.len;
         *share = find_share(text, from)) {
        for (size_t at = *share; at >= from + 2; at--)
            if (memcmp(text.text + at - 2, "; ", 2) == 0)
                return at;
        /* No name stands before this one: it is part of a value. */
        from = *share + 1;
    }
    return text.len;
}

/* VALUES is "93.5 not 21.2". */
static void
take_values(struct word values, struct reason *reason)
{
    size_t word = find(values, " not ");

    reason->observed = value_of((struct word){values.text, word});
    if (word < values.len)
        reason->expected = value_of(
            (struct word){values.text + word + 5, values.len - word - 5});
}

/* "temp 41% 93.5 not 21.2; ..." is for people: where a value has such words
 * in it, too, it may be taken for another reason. */
static void
take_reasons(struct word text, struct flagged *out)
{
    size_t at = 0, share = find_share(text, 0);

    while (share < text.len && out->why_count < FLAGGED_REASONS) {
        struct reason *reason = &out->why[out->why_count++];
        size_t from = share + 1, next_share;
        unsigned percent = 0;
        for (; text.text[from] != '%'; from++)
            percent = 10 * percent + (unsigned)(text.text[from] - '0');
        from += 2;
        size_t next = find_next(text, from, &next_share);
        size_t end = next < text.len ? next - 2 : text.len;
        *reason = (struct reason){.field = {text.text + at, share - at},
                                  .share = (double)percent / 100.0};
        take_values((struct word){text.text + from, end - from}, reason);
        at = next;
        share = next_share;
    }
}

/* ---- rejects ---- */

/* Whether ROW is one quoted cell and nothing but empty ones behind it, to
 * *INSIDE. */
static int
is_one_cell(struct word row, struct word *inside)
{
    size_t end = row.len;

    while (end > 0 && row.text[end - 1] == ',')
        end--;
    if (find_opening(row.text, end) != 0 || end < 2)
        return 0;
    *inside = (struct word){row.text + 1, end - 2};
    return 1;
}

/* What a reject is refused for, and its bytes, where they were no row. */
static void
take_reject(struct word why, struct flagged *out, char **room)
{
    static const char *const no_rows[] = {"malformed", "depth", "length",
                                          "elements",  "parts", "dimension"};
    size_t colon = find(why, ": ");
    struct word inside;

    out->is_reject = 1;
    out->code = (struct word){why.text, colon};
    if (colon < why.len)
        out->clause = (struct word){why.text + colon + 2, why.len - colon - 2};
    for (size_t i = 0; i < sizeof no_rows / sizeof *no_rows; i++)
        if (word_is(out->code, no_rows[i]) &&
            is_one_cell(out->original, &inside)) {
            out->original = undouble(inside, room);
            break;
        }
    /* Of a line that was too long only the beginning was kept. */
    out->is_whole =
        !word_is(out->code, "length") && !word_is(out->code, "parts");
}

/* ---- all of it ---- */

static const char *
take_row(struct word row, char *room, struct flagged *out)
{
    struct word cells[CELLS] = {{NULL, 0}}, why;

    if (!split(row, &out->original, cells, &why))
        return "it is no flagged row, as seq, score, p, gate, error, window, "
               "state and why are not its last cells";
    if (!word_whole(cells[SEQ], &out->seq) ||
        !word_whole(cells[WINDOW], &out->window))
        return "its seq or its window is no whole number";
    if (!take_number(cells[SCORE], &out->score) ||
        !take_number(cells[P], &out->p) ||
        !take_number(cells[GATE], &out->gate) ||
        !take_number(cells[ERROR], &out->error))
        return "its score, p, gate or error is no number";
    why = undouble(why, &room);
    if (word_is(cells[STATE], "reject")) {
        take_reject(why, out, &room);
    } else {
        out->state = cells[STATE];
        take_reasons(why, out);
    }
    return NULL;
}

enum parse
flagged_csv(const struct flagged_input *input, struct flagged *out,
            struct flagged_fault *fault)
{
    const size_t ours = sizeof names - 1;
    size_t newline, len;
    int is_open;

    for (out->start = 0; out->start < input->len; out->start = newline + 1) {
        newline = find_row_end(input, out->start, &is_open);
        if (!flagged_line(input, out->start, newline, &len, &out->end) ||
            is_open)
            return PARSE_MORE;
        if (!flagged_is_blank(input->bytes + out->start, len))
            break;
    }
    if (out->start >= input->len)
        return input->at_end ? PARSE_END : PARSE_MORE;
    struct word row = {input->bytes + out->start, len};
    out->size = len + out->end.len;
    if (len > ours && memcmp(row.text + len - ours, names, ours) == 0) {
        out->is_header = 1;
        out->original = (struct word){row.text, len - ours};
        return PARSE_OK;
    }
    const char *what = take_row(row, input->scratch, out);
    if (what == NULL)
        return PARSE_OK;
    /* The last row, without its end: the file was cut short. */
    if (out->end.len == 0)
        return PARSE_MORE;
    *fault = (struct flagged_fault){what, out->start};
    return PARSE_BAD;
}
