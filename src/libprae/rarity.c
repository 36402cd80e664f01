/* rarity.c - counts of categories, words and word pairs. */
#include "rarity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "text.h"

#define HALVE_LINES 2048   /* lines after which a text's counts are halved */
#define HALVE_VALUES 16384 /* values after which a category's are */
#define USUAL_SHARE 0.01   /* of a column: what has more is hardly rare */
#define VALUES_FIRST 4     /* room for values to begin with; doubled later */
#define ONCE 0.5           /* what a halved count must exceed to be kept */
#define WORDS_MAX 4096     /* words of one text that are looked at */
#define TOP 3              /* rarest words whose mean is a feature */
#define RARE 1.0           /* from this rarity on a word is named, in nats */

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

void
pri_categories_init(struct categories *categories)
{
    *categories = (struct categories){.used = 0};
}

void
pri_categories_fini(struct categories *categories)
{
    for (size_t i = 0; i < PRI_CATEGORY_PAGES; i++)
        free(categories->page[i]);
    free(categories->value);
    pri_categories_init(categories);
}

prae_status
pri_categories_copy(const struct categories *from, struct categories *to)
{
    const size_t page_bytes = PRI_CATEGORY_PAGE * sizeof **from->page;

    for (size_t i = 0; i < PRI_CATEGORY_PAGES; i++) {
        if (from->page[i] == NULL)
            continue;
        to->page[i] = malloc(page_bytes);
        if (to->page[i] == NULL)
            goto fail;
        memcpy(to->page[i], from->page[i], page_bytes);
    }
    if (from->cap > 0) {
        to->value = calloc(from->cap, sizeof *to->value);
        if (to->value == NULL)
            goto fail;
        memcpy(to->value, from->value, from->used * sizeof *to->value);
    }
    to->used = from->used;
    to->cap = from->cap;
    to->total = from->total;
    to->since = from->since;
    return PRAE_OK;
fail:
    pri_categories_fini(to);
    return PRAE_ENOMEM;
}

/* The number of the value in slot AT, whose page is there. */
static uint16_t *
slot_number(const struct categories *categories, size_t at)
{
    return &categories->page[at / PRI_CATEGORY_PAGE][at % PRI_CATEGORY_PAGE];
}

static struct category *
category_at(const struct categories *categories, size_t at)
{
    if (categories->page[at / PRI_CATEGORY_PAGE] == NULL)
        return NULL;
    const size_t number = *slot_number(categories, at);
    return number == 0 ? NULL : &categories->value[number - 1];
}

const struct category *
pri_categories_at(const struct categories *categories, size_t at)
{
    return category_at(categories, at);
}

/* The slot that the value of HASH is in or, where it is not known, is to be
 * in; what is there to *VALUE. */
static size_t
category_slot(const struct categories *categories, uint64_t hash,
              struct category **value)
{
    size_t at = (size_t)hash % PRI_CATEGORY_SLOTS;

    while ((*value = category_at(categories, at)) != NULL &&
           (*value)->hash != hash)
        at = (at + 1) % PRI_CATEGORY_SLOTS;
    return at;
}

/* Room for a value in slot AT. */
static prae_status
category_reserve(struct categories *categories, size_t at)
{
    uint16_t **page = &categories->page[at / PRI_CATEGORY_PAGE];

    if (*page == NULL)
        *page = calloc(PRI_CATEGORY_PAGE, sizeof **page);
    if (*page == NULL)
        return PRAE_ENOMEM;
    if (categories->used < categories->cap)
        return PRAE_OK;
    const size_t cap =
        categories->cap == 0 ? VALUES_FIRST : 2 * categories->cap;
    struct category *value =
        realloc(categories->value, cap * sizeof *categories->value);
    if (value == NULL)
        return PRAE_ENOMEM;
    categories->value = value;
    categories->cap = cap;
    return PRAE_OK;
}

/* A value of HASH that has not been counted, in slot AT, to *VALUE. */
static prae_status
category_add(struct categories *categories, size_t at, uint64_t hash,
             struct category **value)
{
    prae_status status = category_reserve(categories, at);

    if (status != PRAE_OK)
        return status;
    *value = &categories->value[categories->used++];
    **value = (struct category){.hash = hash};
    *slot_number(categories, at) = (uint16_t)categories->used;
    return PRAE_OK;
}

/* Value NUMBER, which is in no slot any more, makes room for the last. */
static void
category_drop(struct categories *categories, uint16_t number)
{
    const struct category *last = &categories->value[categories->used - 1];
    struct category *unused;

    if (number < categories->used) {
        size_t at = category_slot(categories, last->hash, &unused);
        *slot_number(categories, at) = number;
        categories->value[number - 1] = *last;
    }
    categories->used--;
}

/*
 * Empties slot AT. Values behind it that had to make way for it move up, as
 * looking for one ends at the first empty slot. What was there before a value
 * came is so again after it has gone, slot for slot.
 */
static void
category_remove(struct categories *categories, size_t at)
{
    const uint16_t number = *slot_number(categories, at);
    const struct category *value;
    size_t next = at;

    for (;;) {
        *slot_number(categories, at) = 0;
        do {
            next = (next + 1) % PRI_CATEGORY_SLOTS;
            value = category_at(categories, next);
            if (value == NULL) {
                category_drop(categories, number);
                return;
            }
            /* Not where its own place lies behind the gap. */
        } while ((next - (size_t)value->hash) % PRI_CATEGORY_SLOTS <
                 (next - at) % PRI_CATEGORY_SLOTS);
        *slot_number(categories, at) = *slot_number(categories, next);
        at = next;
    }
}

prae_status
pri_categories_count(struct categories *categories, const char *text,
                     size_t len, int times)
{
    const uint64_t hash = pri_text_hash(text, len);
    struct category *value;
    const size_t at = category_slot(categories, hash, &value);

    if (value == NULL && times > 0 && categories->used < PRI_CATEGORIES_MAX) {
        prae_status status = category_add(categories, at, hash, &value);
        if (status != PRAE_OK)
            return status;
        size_t kept =
            len < sizeof value->start - 1 ? len : sizeof value->start - 1;
        /* Not in the middle of a character, and no further than it is text. */
        memcpy(value->start, text, pri_utf8_valid(text, kept));
    }
    categories->total = fmax(categories->total + times, 0.0);
    categories->since += times > 0 || categories->since > 0 ? times : 0;
    if (value == NULL)
        return PRAE_OK;
    value->count += times;
    if (!(value->count > 0.0))
        category_remove(categories, at);
    return PRAE_OK;
}

void
pri_categories_settle(struct categories *categories)
{
    const struct category *value;

    /* Sooner where there is no room for another. */
    if (categories->since < HALVE_VALUES &&
        categories->used < PRI_CATEGORIES_MAX)
        return;
    for (size_t i = 0; i < categories->used; i++)
        categories->value[i].count *= 0.5;
    for (size_t at = 0; at < PRI_CATEGORY_SLOTS; at++)
        while ((value = category_at(categories, at)) != NULL &&
               value->count <= ONCE)
            category_remove(categories, at);
    categories->total *= 0.5;
    categories->since = 0;
}

prae_status
pri_categories_restore(struct categories *categories, uint64_t hash,
                       double count, const char start[48])
{
    struct category *value;
    const size_t at = category_slot(categories, hash, &value);
    prae_status status = value == NULL
                             ? category_add(categories, at, hash, &value)
                             : PRAE_OK;

    if (status != PRAE_OK)
        return status;
    value->count = count;
    memcpy(value->start, start, sizeof value->start);
    return PRAE_OK;
}

double
pri_categories_rarity(const struct categories *categories, const char *text,
                      size_t len)
{
    struct category *value;

    (void)category_slot(categories, pri_text_hash(text, len), &value);
    const double count = value == NULL ? 0.0 : value->count;
    return -log((count + 1.0) / (categories->total + 2.0));
}

double
pri_categories_oddity(const struct categories *categories, const char *text,
                      size_t len)
{
    double odds =
        USUAL_SHARE * exp(pri_categories_rarity(categories, text, len));

    return log1p(odds * odds);
}

const char *
pri_categories_usual(const struct categories *categories)
{
    const char *start = "";
    double most = 0.0;

    /* Of several the one in the first slot. */
    for (size_t at = 0; at < PRI_CATEGORY_SLOTS; at++) {
        const struct category *value = category_at(categories, at);
        if (value != NULL && value->count > most) {
            most = value->count;
            start = value->start;
        }
    }
    return start;
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
