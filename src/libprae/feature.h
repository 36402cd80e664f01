/*
 * feature.h - step 3: a record's fields to a vector of numbers.
 *
 * The first window is surveyed, then the columns are fixed for the life of
 * the model. Values stay in their own units, as doubles; NaN marks what a
 * record does not have, so non-finite values never get further than here.
 */
#ifndef PRI_FEATURE_H
#define PRI_FEATURE_H

#include "rarity.h"
#include "survey.h"

struct column {
    enum column_kind kind;
    uint32_t node;
    uint32_t first; /* its first feature */
    uint32_t width; /* features it gives: 1, or PRI_TEXT_FEATURES */
    union {
        struct categories categories;
        struct words words;
    };
};

struct features {
    struct path_tree tree;
    struct survey survey;
    struct column *column; /* those taken first, then those left out */
    size_t taken;
    size_t column_count;
    uint32_t *column_of; /* (nodes) place in `column`, or PRI_PATH_NONE */
    size_t node_count;   /* of column_of */
    size_t D;            /* features of a record; 0 until chosen */
    int mixed;           /* they are not of strings only */
    size_t root_items;   /* items of a root array, 0 for maps */
    size_t root_votes;   /* of the survey, for and against root_items */
    int impute_nonfinite;
    int coerce;              /* numeric strings are numbers */
    uint64_t unknown_fields; /* seen and ignored since the choice */
    uint64_t wide_ints;
    uint64_t imputed; /* values */
};

prae_status pri_features_init(struct features *features);
void pri_features_fini(struct features *features);

/* Takes a record of the first window in. PRAE_OK or PRAE_ENOMEM. */
prae_status pri_features_survey(struct features *features,
                                const struct record *record);

/*
 * Fixes the columns after the survey. FIELDS and IGNORE are lists such as
 * "a.b,c" or NULL; a name stands for all below it.
 * PRAE_OK; PRAE_ENOMEM; PRAE_ECONFIG where FIELDS names what is not there,
 * which goes to WHY (WHY_SIZE); PRAE_EDATA where no field makes a feature.
 */
prae_status pri_features_choose(struct features *features, const char *fields,
                                const char *ignore, size_t features_max,
                                char *why, size_t why_size);

/* Notes what follows from the columns, which are fixed now. */
void pri_features_chosen(struct features *features);

/* Counts the strings of a record of the first window, before any is turned
 * into features: the first must not all look new. */
prae_status pri_features_count(struct features *features,
                               const struct record *record);

/* Takes the count of a record's strings back. As above. */
prae_status pri_features_forget(struct features *features,
                                const struct record *record);

/* Counts of strings fade, if it is time. After a window was learned. */
void pri_features_settle(struct features *features);

/*
 * RECORD's vector to X (D). With COUNT its strings are counted afterwards.
 * *FAULT is why the record cannot be used, or FAULT_NONE. PRAE_OK or
 * PRAE_ENOMEM.
 */
prae_status pri_features_extract(struct features *features,
                                 const struct record *record, int count,
                                 double *x, enum fault *fault);

/* The column that field I of the record last extracted from goes into, or
 * NULL where none is made of it. */
struct column *pri_features_of(const struct features *features, size_t i);

/* What COLUMN makes of FIELD to its features in X (D); nil leaves them as
 * they are. */
enum fault pri_features_fill(const struct features *features,
                             const struct column *column,
                             const struct field *field, double *x);

/* Counts TEXT (LEN) for a column of strings: TIMES is 1, or -1 to take it
 * back. PRAE_OK or PRAE_ENOMEM. */
prae_status pri_column_count(struct column *column, const char *text,
                             size_t len, int times);

/* The field that feature D comes from, as a.b, with ", rarest words" and the
 * like for texts, to TEXT (SIZE). */
void pri_features_name(const struct features *features, size_t d, char *text,
                       size_t size);

/* The column of feature D. */
const struct column *pri_features_column(const struct features *features,
                                         size_t d);

#endif
