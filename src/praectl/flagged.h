/*
 * flagged.h - one flagged record, taken out of what prae-filter wrote around
 * it, prae-stream(7).
 *
 * Three readers, one a format, make the same facts of their bytes. Nothing
 * in the bytes is believed: every length is held against what is there, and
 * nesting costs no stack. All words point into the bytes given or into the
 * scratch beside them, and hold as long as these do.
 */
#ifndef FLAGGED_H
#define FLAGGED_H

#include <stddef.h>
#include <stdint.h>

#include "prae.h"

#define FLAGGED_REASONS 255 /* no record has more; what follows is skipped */
#define FLAGGED_DIGITS 63   /* bytes of a number that is known as one */

struct word {
    const char *text; /* bytes of any kind, without a zero behind them */
    size_t len;
};

enum value_kind {
    VALUE_NONE,   /* nil, null */
    VALUE_NUMBER, /* number; and whole, where is_whole */
    VALUE_TEXT,   /* text: a string, or in MessagePack bytes */
    VALUE_OTHER   /* boolean, container, extension, too long a number */
};

struct value {
    enum value_kind kind;
    double number;
    uint64_t whole; /* also the 64 bits of an integer below 0, in MessagePack */
    int is_whole;
    struct word text;
    struct word raw; /* all its bytes, in JSON with blanks around them */
};

struct reason {
    struct word field; /* its path, with ", change" or such behind it */
    double share;      /* 0 to 1 */
    struct value observed, expected;
};

struct flagged {
    size_t start, size; /* the envelope's place in the bytes given */
    int is_header;      /* no record but a CSV's first row: only original,
                           end, start and size are set */
    int is_reject;
    uint64_t seq, window;
    double score, p, gate, error; /* NaN: none */
    double model;                 /* NaN: not told, as in CSV */
    struct word state;            /* "" of a reject in CSV */
    struct word code, clause;     /* rejects: why */
    struct reason why[FLAGGED_REASONS];
    size_t why_count;
    struct word original; /* the record's own bytes, without its line's end */
    struct word end;      /* that end; "" in MessagePack */
    int is_whole;         /* 0: these bytes are not all it had */
};

enum parse {
    PARSE_OK,
    PARSE_MORE, /* the bytes end before the record does */
    PARSE_END,  /* nothing but blank lines is left */
    PARSE_BAD
};

/* What is wrong with a record, and at which byte of those given. */
struct flagged_fault {
    const char *what;
    size_t at;
};

struct flagged_input {
    const char *bytes;
    size_t len;
    int at_end;    /* nothing follows them */
    char *scratch; /* (len) */
};

/* The first record of INPUT, to OUT; the next one begins at OUT's start and
 * size, added. With PARSE_MORE what is before OUT's start is blank. PARSE_BAD
 * sets *FAULT. */
enum parse flagged_parse(prae_format format, const struct flagged_input *input,
                         struct flagged *out, struct flagged_fault *fault);

/* The readers behind it. */
enum parse flagged_msgpack(const struct flagged_input *input,
                           struct flagged *out, struct flagged_fault *fault);
enum parse flagged_jsonl(const struct flagged_input *input, struct flagged *out,
                         struct flagged_fault *fault);
enum parse flagged_csv(const struct flagged_input *input, struct flagged *out,
                       struct flagged_fault *fault);

/* Whether WORD is TEXT. */
int word_is(struct word word, const char *text);

/* Whether all of WORD is a number, to *NUMBER; none that is too long is. */
int word_number(struct word word, double *number);

/* The same of a whole number from 0. */
int word_whole(struct word word, uint64_t *whole);

/* Whether a line, TEXT (LEN), is to be passed over. */
int flagged_is_blank(const char *text, size_t len);

/* The line that INPUT has from FROM to NEWLINE, or to its last byte: its
 * length without its end, and the end. 0 where more bytes are needed to
 * tell. */
int flagged_line(const struct flagged_input *input, size_t from, size_t newline,
                 size_t *len, struct word *end);

#endif
