/*
 * survey.h - what the first window's fields look like, and which of them
 * make good features.
 *
 * Numbers are taken, booleans as 0 and 1. Left out, with the reason: what
 * names a record (identifiers), what tells when (timestamps, counters that
 * only grow), what is rarely there, and what has mixed types. A number
 * that never changes is taken and watched: it costs little, and should it
 * move one day, that is news.
 */
#ifndef PRI_SURVEY_H
#define PRI_SURVEY_H

#include "path.h"

enum column_kind {
    COLUMN_NUMBER,
    COLUMN_CONSTANT, /* a number that has not moved yet */
    COLUMN_CATEGORY,
    COLUMN_TEXT,
    /* The rest are left out. */
    COLUMN_IDENTIFIER,
    COLUMN_TIMESTAMP,
    COLUMN_COUNTER,
    COLUMN_RARE,
    COLUMN_MIXED,
    COLUMN_OPAQUE, /* bytes, or nothing but nil */
    COLUMN_IGNORED /* by --ignore, or not among --fields */
};

/* What was seen at one place. */
struct place {
    uint32_t numbers; /* records with a finite number or boolean there */
    uint32_t booleans;
    uint32_t reals; /* of the numbers, those not whole */
    uint32_t times;
    uint32_t texts;
    uint32_t dates;  /* texts that begin like 2024-05-31 */
    uint32_t spaced; /* texts with a blank in them */
    uint32_t others; /* nil, bytes */
    uint32_t rises, falls;
    double low, high, last;
    uint64_t text_bytes;
    uint64_t *sample; /* hashes of the first values */
    uint32_t sample_count;
    uint32_t containers; /* times a map or an array stood there */
};

struct survey {
    struct place *place; /* by node of the tree */
    size_t cap;
    uint32_t records;
    int coerce; /* texts that spell numbers count as such */
};

void pri_survey_init(struct survey *survey);
void pri_survey_fini(struct survey *survey);

/* Takes RECORD in, whose nodes TREE has just resolved. PRAE_OK or
 * PRAE_ENOMEM. */
prae_status pri_survey_record(struct survey *survey,
                              const struct path_tree *tree,
                              const struct record *record);

/* What NODE's values are good for. PATH is its text. */
enum column_kind pri_survey_kind(const struct survey *survey, uint32_t node,
                                 const char *path);

/* The reason for leaving a column of KIND out, NULL where it is taken. */
const char *pri_column_reason(enum column_kind kind);

#endif
