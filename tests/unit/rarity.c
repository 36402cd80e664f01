/* Strings become numbers: the rarer among those seen, the larger. */
#include <string.h>

#include "rarity.h"
#include "rng.h"
#include "tap.h"

#define SLOTS (2 * PRI_CATEGORIES_MAX)
#define TEXT(literal) literal, strlen(literal)

static void
take(struct categories *c, const char *text, size_t len, int times)
{
    NEED(pri_categories_count(c, text, len, times) == PRAE_OK);
}

/* Whether both give the same values in the same order. */
static int
same_values(const struct categories *a, const struct categories *b)
{
    static const struct category *left[PRI_CATEGORIES_MAX];
    static const struct category *right[PRI_CATEGORIES_MAX];

    if (a->used != b->used)
        return 0;
    pri_categories_sort(a, left);
    pri_categories_sort(b, right);
    for (size_t i = 0; i < a->used; i++)
        if (memcmp(left[i], right[i], sizeof **left) != 0)
            return 0;
    return 1;
}

static void
test_categories(void)
{
    struct categories c;

    pri_categories_init(&c);
    is_close(pri_categories_rarity(&c, TEXT("a")), log(2.0), 1e-12,
             "before the first, every value has half a chance");
    ok(strcmp(pri_categories_usual(&c), "") == 0, "... and none is usual");
    for (int i = 0; i < 6; i++)
        take(&c, TEXT("a"), 1);
    take(&c, TEXT("b"), 1);
    take(&c, TEXT(""), 1);
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

/* Beside measurements only what is rarer than one in a hundred stands out. */
static void
test_oddity(void)
{
    static const struct {
        const char *text;
        int count;
        double least, most;
    } cases[] = {{"half", 5000, 0.0, 0.001},
                 {"twentieth", 500, 0.01, 0.1},
                 {"hundredth", 100, 0.5, 0.8},
                 {"thousandth", 10, 4.0, 5.0},
                 {"never", 0, 9.0, 9.5}};
    struct categories c;

    pri_categories_init(&c);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < cases[i].count; k++)
            take(&c, TEXT(cases[i].text), 1);
    while (c.total < 10000.0)
        take(&c, TEXT("the rest"), 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double odd = pri_categories_oddity(&c, TEXT(cases[i].text));
        ok(odd >= cases[i].least && odd <= cases[i].most,
           "%d of ten thousand are as odd as %.3f", cases[i].count, odd);
    }
    double share = 11.0 / 10002.0;
    is_close(pri_categories_oddity(&c, TEXT("thousandth")),
             log(1.0 + 1e-4 / (share * share)), 1e-9, "... by the formula");
    pri_categories_fini(&c);
}

/* Any number of values: the first 4096 are kept apart. */
static void
test_full(void)
{
    struct categories c;
    char text[32];

    pri_categories_init(&c);
    for (int i = 0; i < 3 * PRI_CATEGORIES_MAX; i++) {
        snprintf(text, sizeof text, "value %d", i);
        take(&c, TEXT(text), 1);
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

/* COUNT values that nobody else has, from the FROM-th on. */
static void
count_once(struct categories *c, int from, int count, int times)
{
    char text[32];

    for (int i = from; i < from + count; i++) {
        snprintf(text, sizeof text, "once %d", i);
        take(c, TEXT(text), times);
    }
}

/* Values that come once and never again do not fill the table for good. */
static void
test_fading(void)
{
    struct categories c;
    int most = 0;

    pri_categories_init(&c);
    for (int window = 0; window < 100; window++) {
        count_once(&c, 400 * window, 400, 1);
        for (int i = 0; i < 100; i++)
            take(&c, TEXT("often"), 1);
        pri_categories_settle(&c);
        most = (int)c.used > most ? (int)c.used : most;
    }
    ok(most < PRI_CATEGORIES_MAX, "40000 values leave room (%d at most)", most);
    for (int i = 0; i < 50; i++)
        take(&c, TEXT("late"), 1);
    ok(pri_categories_rarity(&c, TEXT("late")) + 3.0 <
           pri_categories_rarity(&c, TEXT("never")),
       "... for a new one to become known");
    ok(pri_categories_rarity(&c, TEXT("often")) < 2.0,
       "... and what is usual stays so");
    pri_categories_fini(&c);

    pri_categories_init(&c);
    for (int i = 0; i < 16383; i++)
        take(&c, i % 4 ? "a" : "b", 1, 1);
    pri_categories_settle(&c);
    ok(c.total == 16383.0, "shares are of 16384 values at least ...");
    take(&c, TEXT("a"), 1);
    pri_categories_settle(&c);
    ok(c.total == 8192.0 && c.used == 2 && c.since == 0, "... and halved then");
    pri_categories_fini(&c);
}

/* A table in which values wait in line is after a flood as it was before. */
static void
test_taken_back(void)
{
    struct categories c, before;

    pri_categories_init(&c);
    pri_categories_init(&before);
    count_once(&c, 0, 3000, 1);
    count_once(&before, 0, 3000, 1);
    count_once(&c, 5000, 2000, 1);
    ok(c.used == PRI_CATEGORIES_MAX, "a flood fills the table");
    count_once(&c, 5000, 2000, -1);
    ok(c.used == before.used && c.total == before.total &&
           c.since == before.since && same_values(&c, &before),
       "... and is taken back to the last bit");
    for (int i = 2999; i >= 0; i -= 2)
        count_once(&c, i, 1, -1);
    int known = 1;
    for (int i = 0; i < 3000; i += 2) {
        char text[32];
        snprintf(text, sizeof text, "once %d", i);
        known &= pri_categories_rarity(&c, TEXT(text)) <
                 pri_categories_rarity(&c, TEXT("never"));
    }
    ok(known && c.used == 1500, "those that are left are still found");
    pri_categories_fini(&c);
    pri_categories_fini(&before);
}

/* ---- the same table, with all of its slots there ---- */

struct table {
    struct category slot[SLOTS]; /* of hash 0 where it is empty */
    size_t used;
};

static void
table_remove(struct table *table, size_t at)
{
    size_t next = at;

    table->used--;
    for (;;) {
        table->slot[at] = (struct category){0};
        do {
            next = (next + 1) % SLOTS;
            if (table->slot[next].hash == 0)
                return;
        } while ((next - (size_t)table->slot[next].hash) % SLOTS <
                 (next - at) % SLOTS);
        table->slot[at] = table->slot[next];
        at = next;
    }
}

static void
table_count(struct table *table, const char *text, int times)
{
    const uint64_t hash = pri_text_hash(TEXT(text));
    size_t at = (size_t)hash % SLOTS;

    while (table->slot[at].hash != 0 && table->slot[at].hash != hash)
        at = (at + 1) % SLOTS;
    struct category *slot = &table->slot[at];
    if (slot->hash == 0) {
        if (table->used == PRI_CATEGORIES_MAX || times < 0)
            return;
        table->used++;
        slot->hash = hash;
        memcpy(slot->start, text, strlen(text));
    }
    slot->count += times;
    if (!(slot->count > 0.0))
        table_remove(table, at);
}

static void
table_halve(struct table *table)
{
    for (size_t at = 0; at < SLOTS; at++)
        table->slot[at].count *= 0.5;
    for (size_t at = 0; at < SLOTS; at++)
        while (table->slot[at].hash != 0 && table->slot[at].count <= 0.5)
            table_remove(table, at);
}

static int
is_table(const struct categories *c, const struct table *table)
{
    int same = c->used == table->used;

    for (size_t i = 0; same && i < c->used; i++) {
        size_t at = (size_t)c->value[i].hash % SLOTS;
        while (table->slot[at].hash != 0 &&
               table->slot[at].hash != c->value[i].hash)
            at = (at + 1) % SLOTS;
        same = memcmp(&c->value[i], &table->slot[at], sizeof *c->value) == 0;
    }
    return same;
}

/* A table that grows has the values that a large one has. */
static void
test_slots(void)
{
    static const unsigned variety[] = {3, 100, 3000, 9000};

    for (size_t v = 0; v < sizeof variety / sizeof *variety; v++) {
        struct table *table = calloc(1, sizeof *table);
        struct categories c, copy;
        struct rng rng;
        int same = 1;
        NEED(table != NULL);
        pri_categories_init(&c);
        pri_rng_init(&rng, 5, variety[v]);
        for (unsigned round = 0; same && round < 40; round++) {
            char text[32];
            for (unsigned i = 0; i < 1000; i++) {
                int times = pri_rng_below(&rng, 4) == 0 ? -1 : 1;
                snprintf(text, sizeof text, "%u",
                         pri_rng_below(&rng, variety[v]));
                take(&c, TEXT(text), times);
                table_count(table, text, times);
            }
            const int full = c.used == PRI_CATEGORIES_MAX;
            if (full || c.since >= 16384)
                table_halve(table);
            pri_categories_settle(&c);
            same = is_table(&c, table);
        }
        ok(same, "%u values: as in a table that has room for all", variety[v]);
        pri_categories_init(&copy);
        ok(pri_categories_copy(&c, &copy) == PRAE_OK &&
               is_table(&copy, table) && copy.total == c.total &&
               copy.since == c.since,
           "... of a copy as well");
        pri_categories_fini(&copy);
        pri_categories_fini(&c);
        free(table);
    }
}

static void
test_usual_text(void)
{
    struct categories c;
    char text[121] = "";

    for (int i = 0; i < 60; i++)
        strcat(text, "\xc3\xa9");
    pri_categories_init(&c);
    take(&c, TEXT(text), 1);
    size_t len = strlen(pri_categories_usual(&c));
    ok(len > 0 && len < 48 && strncmp(pri_categories_usual(&c), text, len) == 0,
       "a long value is cut (%zu bytes)", len);
    ok(len % 2 == 0, "... between two characters");
    pri_categories_fini(&c);
    pri_categories_init(&c);
    take(&c,
         TEXT("ab\xff"
              "cd"),
         1);
    ok(strcmp(pri_categories_usual(&c), "ab") == 0,
       "... and where it is no text");
    pri_categories_fini(&c);
}

/* A saved column is put back value by value, in whatever order. */
static void
test_restore(void)
{
    struct categories c, back;

    pri_categories_init(&c);
    pri_categories_init(&back);
    count_once(&c, 0, 500, 1);
    count_once(&c, 100, 300, 1);
    for (size_t i = c.used; i-- > 0;)
        NEED(pri_categories_restore(&back, c.value[i].hash, c.value[i].count,
                                    c.value[i].start) == PRAE_OK);
    back.total = c.total;
    ok(back.used == c.used, "all values are put back");
    is_close(pri_categories_rarity(&back, TEXT("once 150")),
             pri_categories_rarity(&c, TEXT("once 150")), 0.0,
             "... as rare as they were");
    ok(same_values(&back, &c), "... so that the same bytes are saved again");
    ok(strcmp(pri_categories_usual(&back), pri_categories_usual(&c)) == 0,
       "... and of equals the same one is usual");
    pri_categories_fini(&c);
    pri_categories_fini(&back);
}

/* ---- slots ---- */

/* The most slots in a row that hold something. */
static size_t
longest_row(const struct categories *c)
{
    size_t row = 0, longest = 0;

    for (size_t at = 0; at < 4 * c->cap; at++) {
        row = c->slot[at % (2 * c->cap)] == 0 ? 0 : row + 1;
        longest = row > longest ? row : longest;
    }
    return longest;
}

/* Values that were chosen to meet in one slot are looked for no longer than
 * others are. */
static void
test_meeting(void)
{
    struct categories c;
    char text[32];

    pri_categories_init(&c);
    for (unsigned i = 0; c.used < 1000; i++) {
        snprintf(text, sizeof text, "%u", i);
        if (pri_text_hash(TEXT(text)) % SLOTS == 77)
            take(&c, TEXT(text), 1);
    }
    const size_t longest = longest_row(&c);
    ok(longest < 250, "values of like hashes are spread (%zu in a row)",
       longest);
    pri_categories_fini(&c);
}

/* Nobody sees by which seed. */
static void
test_seeds(void)
{
    struct categories a, b;
    int same = 1;

    pri_categories_init(&a);
    pri_categories_init(&b);
    ok(a.seed != b.seed, "each table has a seed of its own");
    a.seed = 1;
    b.seed = 2;
    for (int round = 0; round < 8; round++) {
        count_once(&a, 700 * round, 1400, 1);
        count_once(&b, 700 * round, 1400, 1);
        count_once(&a, 700 * round + 200, 300, -1);
        count_once(&b, 700 * round + 200, 300, -1);
        pri_categories_settle(&a);
        pri_categories_settle(&b);
        same &= same_values(&a, &b) && strcmp(pri_categories_usual(&a),
                                              pri_categories_usual(&b)) == 0;
    }
    ok(same && a.total == b.total && a.since == b.since,
       "... and gives the same with any (%zu values)", a.used);
    pri_categories_fini(&a);
    pri_categories_fini(&b);
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
            pri_words_count(&words, TEXT(cases[i].a), 1);
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
        pri_words_count(&words, TEXT("user logged in"), 1);
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
    pri_words_count(&words, TEXT("once"), 1);
    for (int i = 0; i < 2046; i++)
        pri_words_count(&words, TEXT("often"), 1);
    pri_words_rarity(&words, TEXT("once"), before);
    ok(words.lines == 2047.0, "lines are counted");
    pri_words_settle(&words);
    ok(words.lines == 2047.0, "... and not halved before 2048");
    pri_words_count(&words, TEXT("often"), 1);
    pri_words_settle(&words);
    pri_words_rarity(&words, TEXT("once"), after);
    ok(words.lines == 1024.0 && words.since == 0, "... but then");
    ok(fabs(after[0] - before[0]) < 1.0 && isfinite(after[0]),
       "... words with them");
    pri_words_rarity(&words, TEXT("often"), after);
    is_close(after[0], 0.0, 1e-2, "... so that the usual stays usual");
    pri_words_fini(&words);
}

/* Lines that are held are counted and taken back, window by window. */
static void
test_held_words(void)
{
    struct words words;
    int held = 1;

    NEED(pri_words_init(&words) == PRAE_OK);
    for (int i = 0; i < 1600; i++)
        pri_words_count(&words, TEXT("often"), 1);
    for (int window = 0; window < 6; window++) {
        for (int i = 0; i < 512; i++)
            pri_words_count(&words, TEXT("flood"), 1);
        for (int i = 0; i < 512; i++)
            pri_words_count(&words, TEXT("flood"), -1);
        held &= words.lines == 1600.0;
    }
    pri_words_settle(&words);
    float most = 0.0f, sum = 0.0f;
    for (size_t i = 0; i < PRI_WORD_SLOTS; i++) {
        most = words.one[i] > most ? words.one[i] : most;
        sum += words.one[i];
    }
    ok(held && words.since == 1600 && most == 1600.0f && sum == 1600.0f,
       "lines that are taken back halve nothing");
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
        text[i] = (char)(i % 3 == 2 ? ' ' : 'a' + (int)(i % 26));
    pri_words_count(&words, text, len, 1);
    pri_words_rarity(&words, text, len, out);
    double sum = 0.0;
    for (size_t i = 0; i < PRI_WORD_SLOTS; i++)
        sum += (double)words.one[i];
    ok(sum == 4096.0 && isfinite(out[2]),
       "of a mebibyte the first 4096 words are looked at");
    free(text);
    pri_words_fini(&words);
}

/* ---- the words that are named ---- */

#define MOST 64 /* bytes to name them in */

/* 3 * 40 lines of "usual line 1", 40 of them with a word more. */
static void
learn_lines(struct words *words)
{
    NEED(pri_words_init(words) == PRAE_OK);
    for (int i = 0; i < 40; i++) {
        pri_words_count(words, TEXT("usual line 1"), 1);
        pri_words_count(words, TEXT("usual line 22"), 1);
        pri_words_count(words, TEXT("usual line 333 often"), 1);
    }
    pri_words_count(words, TEXT("seldom"), 1);
}

static void
test_rarest(void)
{
    static const struct {
        const char *name, *text;
        size_t feature;
        const char *wanted;
    } cases[] = {
        {"a new word is named, common ones are not", "usual line foo 1", 0,
         "foo"},
        {"... also for the mean over all", "usual line foo 1", 2, "foo"},
        {"the rarest comes first", "often seldom new usual", 0,
         "new, seldom, often"},
        {"of equals the first comes first", "usual c a b d", 0, "c, a, b"},
        {"a word is named once", "foo foo line foo bar foo", 0, "foo, bar"},
        {"as it stands, without what is around it", "Foo: (bar_x)=\"line\"", 0,
         "Foo, bar_x"},
        {"a number that is common is not named", "usual 77 line foo", 0, "foo"},
        {"one of a kind never seen is, once", "usual 0xdead line 0xbeef", 0,
         "0xdead"},
        {"so is a word with a digit", "usual sda1 line sdb2", 0, "sda1"},
        {"where no word is rare, common ones are", "line usual 5", 0,
         "line, usual"},
        {"... but no numbers", "17 18", 0, ""},
        {"a pair of known words is named", "line usual 1", 1,
         "^ line, line usual, usual 1"},
        {"... also for the mean over all", "usual line 1 2", 3, "1 2"},
        {"a beginning is, and an end", "often", 1, "^ often, often $"},
        {"an end alone is", "usual line", 1, "line $"},
        {"a pair is named once", "usual line 5 a b 6 a b 7 a b 8", 1,
         "5 a, a b, b 6"},
        {"where no pair is rare, common ones are", "usual line 5", 1,
         "^ usual, usual line, line 5"},
        {"the length has no words", "usual line foo", 4, ""},
        {"an empty text has none", "", 0, ""},
        {"... and no pairs", "", 1, ""},
        {"a text of other letters has none", "\xd0\xb4\xd0\xb0!", 2, ""},
        {"... and no pairs", "\xd0\xb4\xd0\xb0!", 3, ""},
        {"bytes that are no text are left out",
         "\xff"
         "foo\x80\xc3 bar\xe2",
         0, "foo, bar"},
        {"... of pairs, too",
         "usual\xffline\xc3 1 \xe2\x82"
         "foo",
         1, "1 foo, foo $"},
    };
    struct words words;

    learn_lines(&words);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[MOST];
        size_t len = pri_words_rarest(&words, TEXT(cases[i].text),
                                      cases[i].feature, out, sizeof out);
        if (!ok(strcmp(out, cases[i].wanted) == 0 && len == strlen(out),
                "%s: %s", cases[i].name, cases[i].wanted))
            printf("# %s\n", out);
    }
    pri_words_fini(&words);
}

/* What does not fit is left out, and the first alone is cut; never a byte
 * is written behind the end. */
static void
test_rarest_room(void)
{
    static const struct {
        size_t feature, size;
        const char *wanted;
    } cases[] = {{0, 1, ""},
                 {0, 2, "a"},
                 {0, 6, "alpha"},
                 {0, 11, "alpha"},
                 {0, 12, "alpha, beta"},
                 {0, 18, "alpha, beta"},
                 {0, 19, "alpha, beta, gamma"},

                 {1, 7, "^ alph"},
                 {1, 19, "^ alpha"},
                 {1, 20, "^ alpha, alpha beta"}};
    struct words words;
    size_t bad = 0;

    learn_lines(&words);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[MOST + 1];
        memset(out, '#', sizeof out);
        size_t len = pri_words_rarest(&words, TEXT("alpha beta gamma"),
                                      cases[i].feature, out, cases[i].size);
        int same = strcmp(out, cases[i].wanted) == 0 && len == strlen(out) &&
                   out[cases[i].size] == '#';
        ok(same, "in %zu bytes: %s", cases[i].size, cases[i].wanted);
    }
    /* Any size, any bytes. */
    struct rng rng;
    pri_rng_init(&rng, 1, 1);
    for (int i = 0; i < 20000; i++) {
        char text[40], out[MOST];
        size_t size = 1 + pri_rng_below(&rng, MOST - 1);
        for (size_t k = 0; k < sizeof text; k++)
            text[k] = (char)(pri_rng_below(&rng, i % 2 ? 256 : 128));
        memset(out, '#', sizeof out);
        size_t len = pri_words_rarest(&words, text, sizeof text, (size_t)i % 4,
                                      out, size);
        bad += len >= size || out[len] != '\0' || out[size] != '#';
        for (size_t k = 0; k < len; k++)
            bad += (out[k] & 0x80) != 0 || out[k] < ' ';
    }
    ok(bad == 0, "whatever the bytes are, what is named is ASCII and fits");
    pri_words_fini(&words);
}

/* Before anything was counted, and beyond what is looked at. */
static void
test_rarest_ends(void)
{
    const size_t len = 3 * 5000;
    char out[MOST], *text = malloc(len);
    struct words words;

    NEED(text != NULL && pri_words_init(&words) == PRAE_OK);
    pri_words_rarest(&words, TEXT("a b 1"), 0, out, sizeof out);
    ok(strcmp(out, "a, b") == 0, "before the first line all is common");
    for (size_t i = 0; i < len; i++)
        text[i] = " ab"[i % 3];
    memcpy(text + 3 * 4000 + 1, "in", 2);
    memcpy(text + 3 * 4096 + 1, "no", 2);
    for (int i = 0; i < 20; i++)
        pri_words_count(&words, TEXT("ab ab"), 1);
    pri_words_rarest(&words, text, len, 0, out, sizeof out);
    ok(strcmp(out, "in") == 0, "of the first 4096 words the rarest is named");
    pri_words_rarest(&words, text, len, 1, out, sizeof out);
    ok(strcmp(out, "ab in, in ab") == 0, "... and its pairs");
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
    test_oddity();
    test_full();
    test_fading();
    test_taken_back();
    test_usual_text();
    test_slots();
    test_restore();
    test_meeting();
    test_seeds();
    test_masks();
    test_words();
    test_halving();
    test_held_words();
    test_long();
    test_rarest();
    test_rarest_room();
    test_rarest_ends();
    return tap_done();
}
