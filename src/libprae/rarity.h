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

struct category {
    uint64_t hash; /* of the value, never 0 */
    double count;
    char start[48]; /* the value's beginning in UTF-8, for people */
};

/* Which slot a value is in hangs on the seed, see name_hash.h, and is seen
 * nowhere. */
struct categories {
    uint16_t *slot;         /* (2 cap) of each its value's number, from 1, or
                               0 */
    struct category *value; /* (cap, a power of two, or 0) */
    size_t used, cap;
    uint64_t seed;  /* of the slots */
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

/* The same values to TO, which holds nothing. PRAE_OK or PRAE_ENOMEM. */
prae_status pri_categories_copy(const struct categories *from,
                                struct categories *to);

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

/* The most frequent value's first bytes, "" before the first. Of several it
 * is that which is the first when they are sorted. */
const char *pri_categories_usual(const struct categories *categories);

/* All values, in an order that hangs on nothing but themselves, to SORTED
 * (used). */
void pri_categories_sort(const struct categories *categories,
                         const struct category **sorted);

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
