/* rarity.c - counts of categories, words and word pairs. */
#include "rarity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

#define SLOTS (2 * PRI_CATEGORIES_MAX)
#define HALVE_AFTER 2048 /* lines */
#define WORDS_MAX 4096   /* words of one text that are looked at */
#define TOP 3            /* rarest words whose mean is a feature */

uint64_t
pri_text_hash(const char *text, size_t len)
{
    uint64_t h = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    h ^= h >> 31;
    return h == 0 ? 1 : h;
}

/* ---- categories ---- */

prae_status
pri_categories_init(struct categories *categories)
{
    *categories = (struct categories){0};
    categories->slot = pri_block_new(SLOTS, sizeof *categories->slot);
    return categories->slot == NULL ? PRAE_ENOMEM : PRAE_OK;
}

void
pri_categories_fini(struct categories *categories)
{
    free(categories->slot);
    *categories = (struct categories){0};
}

static struct category *
category_slot(const struct categories *categories, uint64_t hash)
{
    size_t at = (size_t)hash;

    while (categories->slot[at % SLOTS].hash != 0 &&
           categories->slot[at % SLOTS].hash != hash)
        at++;
    return &categories->slot[at % SLOTS];
}

void
pri_categories_count(struct categories *categories, const char *text,
                     size_t len)
{
    uint64_t hash = pri_text_hash(text, len);
    struct category *slot = category_slot(categories, hash);

    categories->total += 1.0;
    if (slot->hash == 0) {
        if (categories->used == PRI_CATEGORIES_MAX)
            return;
        categories->used++;
        slot->hash = hash;
        size_t kept =
            len < sizeof slot->start - 1 ? len : sizeof slot->start - 1;
        while (kept > 0 && kept < len &&
               ((unsigned char)text[kept] & 0xc0) == 0x80)
            kept--; /* not in the middle of a character */
        memcpy(slot->start, text, kept);
    }
    slot->count += 1.0;
}

void
pri_categories_restore(struct categories *categories, uint64_t hash,
                       double count, const char start[48])
{
    struct category *slot = category_slot(categories, hash);

    if (slot->hash == 0)
        categories->used++;
    slot->hash = hash;
    slot->count = count;
    memcpy(slot->start, start, sizeof slot->start);
}

double
pri_categories_rarity(const struct categories *categories, const char *text,
                      size_t len)
{
    double count = category_slot(categories, pri_text_hash(text, len))->count;

    return -log((count + 1.0) / (categories->total + 2.0));
}

const char *
pri_categories_usual(const struct categories *categories)
{
    const struct category *most = &categories->slot[0];

    for (size_t i = 1; i < SLOTS; i++)
        if (categories->slot[i].count > most->count)
            most = &categories->slot[i];
    return most->start;
}

/* ---- texts ---- */

prae_status
pri_words_init(struct words *words)
{
    *words = (struct words){0};
    words->one = pri_floats_new(PRI_WORD_SLOTS);
    words->pair = pri_floats_new(PRI_WORD_SLOTS);
    if (words->one == NULL || words->pair == NULL) {
        pri_words_fini(words);
        return PRAE_ENOMEM;
    }
    return PRAE_OK;
}

void
pri_words_fini(struct words *words)
{
    free(words->one);
    free(words->pair);
    *words = (struct words){0};
}

static int
in_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
}

/* A word's hash, with what varies masked: all digits count as one word, so
 * do hexadecimal numbers, and so do words with a digit in them. */
static uint64_t
word_hash(const char *word, size_t len)
{
    size_t digits = 0;

    for (size_t i = 0; i < len; i++)
        digits += word[i] >= '0' && word[i] <= '9';
    if (digits == len)
        return pri_text_hash("<n>", 3);
    if (len > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X'))
        return pri_text_hash("<h>", 3);
    if (digits > 0)
        return pri_text_hash("<m>", 3);
    return pri_text_hash(word, len);
}

/* Moves *AT to behind the next word of TEXT; 0 where there is none. */
static int
next_word(const char *text, size_t len, size_t *at, uint64_t *hash)
{
    size_t from = *at;

    while (from < len && !in_word(text[from]))
        from++;
    size_t to = from;
    while (to < len && in_word(text[to]))
        to++;
    *at = to;
    if (to == from)
        return 0;
    *hash = word_hash(text + from, to - from);
    return 1;
}

static size_t
pair_slot(uint64_t left, uint64_t right)
{
    uint64_t h = (left * UINT64_C(0x9E3779B97F4A7C15)) ^ right;

    h *= UINT64_C(0xD6E8FEB86659FD93);
    return (size_t)(h >> 32) % PRI_WORD_SLOTS;
}

/* The marks before the first word and behind the last. */
#define START UINT64_C(2)
#define END UINT64_C(3)

void
pri_words_count(struct words *words, const char *text, size_t len)
{
    uint64_t before = START, word;
    size_t at = 0, count = 0;

    while (count++ < WORDS_MAX && next_word(text, len, &at, &word)) {
        words->one[word % PRI_WORD_SLOTS] += 1.0f;
        words->pair[pair_slot(before, word)] += 1.0f;
        before = word;
    }
    words->pair[pair_slot(before, END)] += 1.0f;
    words->lines += 1.0;
    if (++words->since < HALVE_AFTER)
        return;
    for (size_t i = 0; i < PRI_WORD_SLOTS; i++) {
        words->one[i] *= 0.5f;
        words->pair[i] *= 0.5f;
    }
    words->lines *= 0.5;
    words->since = 0;
}

/* The TOP largest of what it was given, and the sum of all. */
struct tally {
    double top[TOP];
    double sum;
    size_t count;
};

static void
tally_add(struct tally *tally, double value)
{
    tally->sum += value;
    tally->count++;
    for (size_t i = 0; i < TOP; i++) {
        if (value > tally->top[i]) {
            double kept = tally->top[i];
            tally->top[i] = value;
            value = kept;
        }
    }
}

static double
tally_top(const struct tally *tally)
{
    size_t count = tally->count < TOP ? tally->count : TOP;
    double sum = 0.0;

    for (size_t i = 0; i < count; i++)
        sum += tally->top[i];
    return count == 0 ? 0.0 : sum / (double)count;
}

static double
tally_mean(const struct tally *tally)
{
    return tally->count == 0 ? 0.0 : tally->sum / (double)tally->count;
}

void
pri_words_rarity(const struct words *words, const char *text, size_t len,
                 double *out)
{
    struct tally one = {.sum = 0.0}, pair = {.sum = 0.0};
    double all = log(words->lines + 1.0);
    uint64_t before = START, word;
    size_t at = 0, count = 0;

    /* r = log((lines + 1) / (count + 1)) of each word and each pair. */
    while (count++ < WORDS_MAX && next_word(text, len, &at, &word)) {
        tally_add(&one,
                  all - log((double)words->one[word % PRI_WORD_SLOTS] + 1.0));
        tally_add(&pair,
                  all -
                      log((double)words->pair[pair_slot(before, word)] + 1.0));
        before = word;
    }
    tally_add(&pair,
              all - log((double)words->pair[pair_slot(before, END)] + 1.0));
    out[0] = tally_top(&one);
    out[1] = tally_top(&pair);
    out[2] = tally_mean(&one);
    out[3] = tally_mean(&pair);
    out[4] = log((double)len + 1.0);
}
