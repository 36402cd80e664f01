/*
 * rarity.h - strings to numbers: how rare a value is among those seen.
 *
 * A category (a short string of few values) gives one feature, minus the
 * logarithm of its share so far, or less where that is large. A text gives
 * five, from the rarity of its words and of its pairs of neighbouring words,
 * after numbers have been masked: the mean of the three rarest words, of the
 * three rarest pairs, the means over all of each, and the logarithm of its
 * length.
 */
#ifndef PRI_RARITY_H
#define PRI_RARITY_H

#include "prae.h"

#define PRI_TEXT_FEATURES 5

/* Counts of a column's categories: at most PRI_CATEGORIES_MAX are kept
 * apart, any further one is as rare as one never seen. Halved now and then,
 * when those that came only once leave: a column of many values that come
 * and go has room for new ones, and what is rare follows the stream. */
#define PRI_CATEGORIES_MAX 4096
#define PRI_CATEGORY_SLOTS ((size_t)2 * PRI_CATEGORIES_MAX)
#define PRI_CATEGORY_PAGE 512 /* slots that are made room for at once */
#define PRI_CATEGORY_PAGES (PRI_CATEGORY_SLOTS / PRI_CATEGORY_PAGE)

struct category {
    uint64_t hash; /* of the value, never 0 */
    double count;
    char start[48]; /* the value's beginning in UTF-8, for people */
};

/* The slots are those of a large table, so that values never change places
 * for lack of room; what is not used of it takes no memory, as there may be
 * thousands of columns that have few values each. */
struct categories {
    uint16_t *page[PRI_CATEGORY_PAGES]; /* (PRI_CATEGORY_PAGE) each: of each
                                           slot its value's number, from 1,
                                           or 0; NULL where all are 0 */
    struct category *value;             /* (cap) in no order */
    size_t used, cap;
    double total;   /* values counted, halved with the counts */
    uint32_t since; /* values since the last halving */
};

/* Word and pair counts of a text column, hashed; halved now and then, so
 * that what is rare follows the stream. */
#define PRI_WORD_SLOTS 4096

struct words {
    float *one;     /* (PRI_WORD_SLOTS) */
    float *pair;    /* (PRI_WORD_SLOTS) */
    double lines;   /* counted, halved with the counts */
    uint32_t since; /* lines since the last halving */
};

void pri_categories_init(struct categories *categories);
void pri_categories_fini(struct categories *categories);

/* The same values in the same slots, to TO, which is initialised and empty.
 * PRAE_OK or PRAE_ENOMEM. */
prae_status pri_categories_copy(const struct categories *from,
                                struct categories *to);

/* What slot AT holds, or NULL. */
const struct category *pri_categories_at(const struct categories *categories,
                                         size_t at);

/* Counts TEXT (LEN) once more: TIMES is 1, or -1 to take it back. PRAE_OK or
 * PRAE_ENOMEM, and nothing is counted; never that where it is taken back. */
prae_status pri_categories_count(struct categories *categories,
                                 const char *text, size_t len, int times);

/* Halves the counts if it is time. Between windows that were learned from:
 * what is taken back must be what was counted. */
void pri_categories_settle(struct categories *categories);

/* Puts back a category of a saved column; the total is left alone. PRAE_OK or
 * PRAE_ENOMEM. */
prae_status pri_categories_restore(struct categories *categories, uint64_t hash,
                                   double count, const char start[48]);

/* -log((count + 1) / (total + 2)) of TEXT as it stands. */
double pri_categories_rarity(const struct categories *categories,
                             const char *text, size_t len);

/*
 * log(1 + (0.01 / share)^2), share as above: what a category is beside
 * measurements. Of a value rarer than one in a hundred it grows as the rarity
 * does, twice as fast; more frequent ones hardly differ, or in a column of few
 * values the one that each twentieth record has would be odd for ever.
 */
double pri_categories_oddity(const struct categories *categories,
                             const char *text, size_t len);

/* The most frequent value's first bytes, "" before the first. */
const char *pri_categories_usual(const struct categories *categories);

prae_status pri_words_init(struct words *words);
void pri_words_fini(struct words *words);

/* Counts the words and pairs of TEXT (LEN); TIMES as above. */
void pri_words_count(struct words *words, const char *text, size_t len,
                     int times);

/* As pri_categories_settle. */
void pri_words_settle(struct words *words);

/* The features of TEXT by the counts as they stand, to OUT
 * (PRI_TEXT_FEATURES). */
void pri_words_rarity(const struct words *words, const char *text, size_t len,
                      double *out);

/*
 * The words that feature FEATURE of TEXT is about, for people: up to three,
 * the rarest first, as they stand in TEXT, with ", " between them; pairs as
 * "left right", where "^" and "$" are the text's beginning and end. Common
 * ones only where none is rare, and of those no numbers. To OUT (SIZE, at
 * least 1), in ASCII, words that do not fit left out, but the first cut. The
 * length; 0 where there is none to name, as for the text's length.
 */
size_t pri_words_rarest(const struct words *words, const char *text, size_t len,
                        size_t feature, char *out, size_t size);

/* FNV-1a of TEXT, never 0. */
uint64_t pri_text_hash(const char *text, size_t len);

#endif
