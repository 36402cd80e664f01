/* Strings become numbers: the rarer among those seen, the larger. */
#include <string.h>

#include "rarity.h"
#include "tap.h"

#define SLOTS (2 * PRI_CATEGORIES_MAX)
#define TEXT(literal) literal, strlen(literal)

static void
test_categories(void)
{
    struct categories c;

    NEED(pri_categories_init(&c) == PRAE_OK);
    is_close(pri_categories_rarity(&c, TEXT("a")), log(2.0), 1e-12,
             "before the first, every value has half a chance");
    ok(strcmp(pri_categories_usual(&c), "") == 0, "... and none is usual");
    for (int i = 0; i < 6; i++)
        pri_categories_count(&c, TEXT("a"));
    pri_categories_count(&c, TEXT("b"));
    pri_categories_count(&c, TEXT(""));
    is_close(pri_categories_rarity(&c, TEXT("a")), -log(7.0 / 10.0), 1e-12,
             "-log((count + 1) / (total + 2)) of the usual");
    is_close(pri_categories_rarity(&c, TEXT("b")), -log(2.0 / 10.0), 1e-12,
             "... of the rare");
    is_close(pri_categories_rarity(&c, TEXT("new")), -log(1.0 / 10.0), 1e-12,
             "... of one never seen");
    ok(strcmp(pri_categories_usual(&c), "a") == 0 && c.used == 3,
       "the usual value is the most frequent");
    pri_categories_fini(&c);
}

/* Any number of values: the first 4096 are kept apart. */
static void
test_full(void)
{
    struct categories c;
    char text[32];

    NEED(pri_categories_init(&c) == PRAE_OK);
    for (int i = 0; i < 3 * PRI_CATEGORIES_MAX; i++) {
        snprintf(text, sizeof text, "value %d", i);
        pri_categories_count(&c, TEXT(text));
    }
    double total = 3.0 * PRI_CATEGORIES_MAX;
    ok(c.used == PRI_CATEGORIES_MAX && c.total == total,
       "at most %d values are kept, all are counted", PRI_CATEGORIES_MAX);
    is_close(pri_categories_rarity(&c, TEXT("value 0")),
             -log(2.0 / (total + 2.0)), 1e-12, "the first is known");
    is_close(pri_categories_rarity(&c, text, strlen(text)),
             -log(1.0 / (total + 2.0)), 1e-12, "the last is as if never seen");
    pri_categories_fini(&c);
}

static void
test_usual_text(void)
{
    struct categories c;
    char text[121] = "";

    for (int i = 0; i < 60; i++)
        strcat(text, "\xc3\xa9");
    NEED(pri_categories_init(&c) == PRAE_OK);
    pri_categories_count(&c, TEXT(text));
    size_t len = strlen(pri_categories_usual(&c));
    ok(len > 0 && len < 48 && strncmp(pri_categories_usual(&c), text, len) == 0,
       "a long value is cut (%zu bytes)", len);
    ok(len % 2 == 0, "... between two characters");
    pri_categories_fini(&c);
}

/* A saved column is put back slot by slot, in the order it lay there, also
 * where a value had to wrap around the table's end. */
static void
test_restore(void)
{
    struct categories c, back;
    char text[32];
    int at_end = 0;

    NEED(pri_categories_init(&c) == PRAE_OK);
    NEED(pri_categories_init(&back) == PRAE_OK);
    for (int i = 0; at_end < 3; i++) {
        snprintf(text, sizeof text, "value %d", i);
        int last = pri_text_hash(TEXT(text)) % SLOTS == SLOTS - 1;
        at_end += last;
        if (last || i < 500)
            pri_categories_count(&c, TEXT(text));
    }
    /* As a snapshot does: from behind an empty slot on. */
    size_t first = 0;
    while (c.slot[first].hash != 0)
        first++;
    for (size_t i = 0; i < SLOTS; i++) {
        const struct category *slot = &c.slot[(first + i) % SLOTS];
        if (slot->hash != 0)
            pri_categories_restore(&back, slot->hash, slot->count, slot->start);
    }
    back.total = c.total;
    ok(back.used == c.used, "all values are put back");
    is_close(pri_categories_rarity(&back, TEXT(text)),
             pri_categories_rarity(&c, TEXT(text)), 0.0,
             "... as rare as they were");
    ok(memcmp(back.slot, c.slot, SLOTS * sizeof *c.slot) == 0,
       "... and where they were, so that the same bytes are saved again");
    pri_categories_fini(&c);
    pri_categories_fini(&back);
}

/* ---- texts ---- */

static void
test_masks(void)
{
    static const struct {
        const char *name, *a, *b;
        int same;
    } cases[] = {
        {"numbers are alike", "took 15 ms", "took 20044 ms", 1},
        {"hexadecimal numbers are alike", "at 0xdeadbeef", "at 0X10", 1},
        {"words with a digit are alike", "disk sda1 ok", "disk sdb77 ok", 1},
        {"punctuation does not count", "a, b: (c)", "a b/c", 1},
        {"words are not alike", "it works", "it fails", 0},
        {"a number is no word", "took 15", "took long", 0},
        {"order counts, for pairs", "a b c", "c b a", 0},
        {"case counts", "Error", "error", 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double a[PRI_TEXT_FEATURES], b[PRI_TEXT_FEATURES];
        struct words words;
        NEED(pri_words_init(&words) == PRAE_OK);
        for (int k = 0; k < 100; k++)
            pri_words_count(&words, TEXT(cases[i].a));
        pri_words_rarity(&words, TEXT(cases[i].a), a);
        pri_words_rarity(&words, TEXT(cases[i].b), b);
        int same = a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3];
        ok(same == cases[i].same, "%s", cases[i].name);
        pri_words_fini(&words);
    }
}

static void
test_words(void)
{
    double out[PRI_TEXT_FEATURES], known[PRI_TEXT_FEATURES];
    struct words words;

    NEED(pri_words_init(&words) == PRAE_OK);
    pri_words_rarity(&words, TEXT("any thing"), out);
    ok(out[0] == 0.0 && out[1] == 0.0 && out[2] == 0.0 && out[3] == 0.0,
       "before the first line nothing is rare");
    is_close(out[4], log(10.0), 1e-12, "the length is a logarithm");
    for (int i = 0; i < 99; i++)
        pri_words_count(&words, TEXT("user logged in"));
    pri_words_rarity(&words, TEXT("user logged in"), known);
    is_close(known[0], 0.0, 1e-6, "words of every line are not rare");
    pri_words_rarity(&words, TEXT("user logged out"), out);
    /* log((99 + 1) / (0 + 1)) of one word in three, of two pairs in four. */
    is_close(out[0], log(100.0) / 3.0, 1e-6, "a new word is, in the top three");
    is_close(out[2], log(100.0) / 3.0, 1e-6, "... and in the mean");
    is_close(out[1], 2.0 * log(100.0) / 3.0, 1e-6, "its two pairs are");
    is_close(out[3], 2.0 * log(100.0) / 4.0, 1e-6, "... and in their mean");
    pri_words_rarity(&words, "", 0, out);
    ok(out[0] == 0.0 && out[2] == 0.0 && isfinite(out[1]) && out[4] == 0.0,
       "an empty text has no words");
    pri_words_rarity(&words, "\0\xff\xc3 a", 5, out);
    ok(isfinite(out[0]) && isfinite(out[1]) && out[4] == log(6.0),
       "bytes that are no text are taken as they are");
    pri_words_fini(&words);
}

static void
test_halving(void)
{
    double before[PRI_TEXT_FEATURES], after[PRI_TEXT_FEATURES];
    struct words words;

    NEED(pri_words_init(&words) == PRAE_OK);
    pri_words_count(&words, TEXT("once"));
    for (int i = 0; i < 2046; i++)
        pri_words_count(&words, TEXT("often"));
    pri_words_rarity(&words, TEXT("once"), before);
    ok(words.lines == 2047.0, "lines are counted");
    pri_words_count(&words, TEXT("often"));
    pri_words_rarity(&words, TEXT("once"), after);
    ok(words.lines == 1024.0 && words.since == 0, "... and halved after 2048");
    ok(fabs(after[0] - before[0]) < 1.0 && isfinite(after[0]),
       "... words with them");
    pri_words_rarity(&words, TEXT("often"), after);
    is_close(after[0], 0.0, 1e-2, "... so that the usual stays usual");
    pri_words_fini(&words);
}

static void
test_long(void)
{
    size_t len = 1 << 20;
    double out[PRI_TEXT_FEATURES];
    struct words words;
    char *text = malloc(len);

    NEED(text != NULL && pri_words_init(&words) == PRAE_OK);
    for (size_t i = 0; i < len; i++)
        text[i] = i % 3 == 2 ? ' ' : (char)('a' + i % 26);
    pri_words_count(&words, text, len);
    pri_words_rarity(&words, text, len, out);
    double sum = 0.0;
    for (size_t i = 0; i < PRI_WORD_SLOTS; i++)
        sum += (double)words.one[i];
    ok(sum == 4096.0 && isfinite(out[2]),
       "of a mebibyte the first 4096 words are looked at");
    free(text);
    pri_words_fini(&words);
}

int
main(void)
{
    ok(pri_text_hash("", 0) != 0 && pri_text_hash("a", 1) != 0 &&
           pri_text_hash("ab", 2) != pri_text_hash("ba", 2),
       "a hash is never 0 and minds the order");
    test_categories();
    test_full();
    test_usual_text();
    test_restore();
    test_masks();
    test_words();
    test_halving();
    test_long();
    return tap_done();
}
