/* words.c - how rare the words of a text are and its pairs of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "rarity.h"

#define HALVE_LINES 2048 /* lines after which counts are halved */
#define WORDS_MAX 4096   /* words of one text that are looked at */
#define TOP 3            /* rarest words whose mean is a feature */
#define RARE 1.0         /* from this rarity on a word is named, in nats */

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

/* A word as it stands in its text, or one of the marks. */
struct word {
    const char *text;
    size_t len;
    uint64_t hash; /* with what varies masked */
};

/* The marks before the first word and behind the last. */
static const struct word start_mark = {"^", 1, 2}, end_mark = {"$", 1, 3};

/* Moves *AT to behind the next word of TEXT; 0 where there is none. */
static int
next_word(const char *text, size_t len, size_t *at, struct word *word)
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
    *word = (struct word){text + from, to - from,
                          word_hash(text + from, to - from)};
    return 1;
}

static float *
one_count(const struct words *words, const struct word *word)
{
    return &words->one[word->hash % PRI_WORD_SLOTS];
}

static float *
pair_count(const struct words *words, const struct word *left,
           const struct word *right)
{
    uint64_t h = (left->hash * UINT64_C(0x9E3779B97F4A7C15)) ^ right->hash;

    h *= UINT64_C(0xD6E8FEB86659FD93);
    return &words->pair[(size_t)(h >> 32) % PRI_WORD_SLOTS];
}

/* Large counts are rounded: no less than none is left. */
static void
add(float *count, int times)
{
    *count = fmaxf(*count + (float)times, 0.0f);
}

void
pri_words_count(struct words *words, const char *text, size_t len, int times)
{
    struct word before = start_mark, word;
    size_t at = 0, count = 0;

    while (count++ < WORDS_MAX && next_word(text, len, &at, &word)) {
        add(one_count(words, &word), times);
        add(pair_count(words, &before, &word), times);
        before = word;
    }
    add(pair_count(words, &before, &end_mark), times);
    words->lines = fmax(words->lines + times, 0.0);
    words->since += times > 0 || words->since > 0 ? (uint32_t)times : 0;
}

void
pri_words_settle(struct words *words)
{
    if (words->since < HALVE_LINES)
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
    struct word before = start_mark, word;
    size_t at = 0, count = 0;

    /* r = log((lines + 1) / (count + 1)) of each word and each pair. */
    while (count++ < WORDS_MAX && next_word(text, len, &at, &word)) {
        tally_add(&one, all - log((double)*one_count(words, &word) + 1.0));
        tally_add(&pair,
                  all - log((double)*pair_count(words, &before, &word) + 1.0));
        before = word;
    }
    tally_add(&pair,
              all - log((double)*pair_count(words, &before, &end_mark) + 1.0));
    out[0] = tally_top(&one);
    out[1] = tally_top(&pair);
    out[2] = tally_mean(&one);
    out[3] = tally_mean(&pair);
    out[4] = log((double)len + 1.0);
}

/* ---- which words they were ---- */

/* A word, or a pair with `left` set. */
struct find {
    struct word left, right;
    double count; /* the smaller, the rarer */
};

/* The TOP rarest of what it was given, each once, the rarest first. */
struct finds {
    struct find top[TOP];
    size_t used;
    double often; /* the largest count that is rare */
};

/* Neither a mark nor masked: all that is masked has a digit. */
static int
is_plain(const struct word *word)
{
    for (size_t i = 0; i < word->len; i++)
        if (!in_word(word->text[i]) ||
            (word->text[i] >= '0' && word->text[i] <= '9'))
            return 0;
    return word->len > 0;
}

static void
finds_add(struct finds *finds, struct find find)
{
    struct find *top = finds->top;
    size_t at;

    /* A common number says nothing, even where all else is common, too. */
    if (find.count > finds->often && !is_plain(&find.left) &&
        !is_plain(&find.right))
        return;
    for (size_t i = 0; i < finds->used; i++)
        if (top[i].left.hash == find.left.hash &&
            top[i].right.hash == find.right.hash)
            return;
    if (finds->used < TOP)
        at = finds->used++;
    else if (find.count < top[TOP - 1].count)
        at = TOP - 1;
    else
        return;
    /* Of equals the first in the text stays first. */
    for (; at > 0 && find.count < top[at - 1].count; at--)
        top[at] = top[at - 1];
    top[at] = find;
}

static void
find_words(struct finds *finds, const struct words *words, const char *text,
           size_t len)
{
    struct find find = {.count = 0.0};
    size_t at = 0, count = 0;

    while (count++ < WORDS_MAX && next_word(text, len, &at, &find.right)) {
        find.count = (double)*one_count(words, &find.right);
        finds_add(finds, find);
    }
}

static void
find_pairs(struct finds *finds, const struct words *words, const char *text,
           size_t len)
{
    struct find find = {.left = start_mark};
    size_t at = 0, count = 0;

    while (count++ < WORDS_MAX && next_word(text, len, &at, &find.right)) {
        find.count = (double)*pair_count(words, &find.left, &find.right);
        finds_add(finds, find);
        find.left = find.right;
    }
    if (count == 1)
        return; /* there is no word between the marks */
    find.right = end_mark;
    find.count = (double)*pair_count(words, &find.left, &find.right);
    finds_add(finds, find);
}

/* What fits of PIECE to OUT (SIZE) behind *LEN; whether all did. */
static int
append(char *out, size_t size, size_t *len, const char *piece, size_t piece_len)
{
    size_t room = size - 1 - *len;
    size_t some = piece_len < room ? piece_len : room;

    if (some > 0)
        memcpy(out + *len, piece, some);
    *len += some;
    return some == piece_len;
}

size_t
pri_words_rarest(const struct words *words, const char *text, size_t len,
                 size_t feature, char *out, size_t size)
{
    /* r >= RARE where count + 1 <= (lines + 1) / exp(RARE). */
    struct finds finds = {.often = (words->lines + 1.0) / exp(RARE) - 1.0};
    size_t used = 0;

    if (feature == 0 || feature == 2)
        find_words(&finds, words, text, len);
    else if (feature == 1 || feature == 3)
        find_pairs(&finds, words, text, len);
    for (size_t i = 0; i < finds.used; i++) {
        const struct find *find = &finds.top[i];
        const size_t before = used;
        if (find->count > finds.often && finds.top[0].count <= finds.often)
            break;
        int whole = append(out, size, &used, ", ", i > 0 ? 2 : 0) &&
                    append(out, size, &used, find->left.text, find->left.len) &&
                    append(out, size, &used, " ", find->left.len > 0 ? 1 : 0) &&
                    append(out, size, &used, find->right.text, find->right.len);
        /* Half a word is better than none, but not behind a whole one. */
        if (!whole && i > 0)
            used = before;
        if (!whole)
            break;
    }
    out[used] = '\0';
    return used;
}
