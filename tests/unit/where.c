/* Conditions hold for the records they should, and what cannot be read is
 * told. */
#include "where.h"

#include <string.h>

#include "plain.h"
#include "tap.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define WORD(text)             \
    {                          \
        text, sizeof(text) - 1 \
    }

static const struct flagged outlier = {
    .seq = 41,
    .window = 3,
    .score = 5.5,
    .p = 0.25,
    .gate = (double)NAN,
    .error = 2.0,
    .model = 2.0,
    .state = WORD("burst"),
    .code = WORD(""),
    .clause = WORD(""),
    .why = {{.field = WORD("temp, change")}, {.field = WORD("a,\"b")}},
    .why_count = 2};

static const struct flagged reject = {.is_reject = 1,
                                      .seq = 42,
                                      .window = 3,
                                      .score = (double)NAN,
                                      .p = (double)NAN,
                                      .gate = (double)NAN,
                                      .error = (double)NAN,
                                      .model = (double)NAN,
                                      .state = WORD("live"),
                                      .code = WORD("malformed"),
                                      .clause = WORD("not a value")};

/* Conditions, and whether they hold for the outlier and the reject. */
static const struct {
    const char *text;
    int outlier, reject;
} cases[] = {
    {"score>5", 1, 0},
    {"score>5.5", 0, 0},
    {"score>=5.5", 1, 0},
    {"score<=5.5", 1, 0},
    {"score<5.5", 0, 0},
    {"score=5.5", 1, 0},
    {"score!=5.5", 0, 0},
    {"score!=5", 1, 0},
    {"score=none", 0, 1},
    {"score!=none", 1, 0},
    {"p<0.3", 1, 0},
    {"gate<100", 0, 0},
    {"gate=none", 1, 1},
    {"error=2", 1, 0},
    {"seq>=41,seq<42", 1, 0},
    {"window=3", 1, 1},
    {"window!=3", 0, 0},
    {"model=2", 1, 0},
    {"kind=outlier", 1, 0},
    {"kind=reject", 0, 1},
    {"kind~e", 1, 1},
    {"state=burst", 1, 0},
    {"state!=burst", 0, 1},
    {"state~iv", 0, 1},
    {"field=temp", 1, 0},
    {"field=\"temp, change\"", 1, 0},
    {"field=tem", 0, 0},
    {"field~em", 1, 0},
    {"field!=temp", 0, 1},
    {"field=\"a,\"\"b\"", 1, 0},
    {"code=malformed", 0, 1},
    {"code!=length", 1, 1},
    {"code=", 1, 0},
    {"reason~value", 0, 1},
    {" score > 5 , field = temp ", 1, 0},
    {"score>5,field=other", 0, 0},
};

static const struct {
    const char *text, *why;
} bad[] = {
    {"", "does not begin with score"},
    {"colour=red", "'colour=red' does not begin"},
    {"score", "after score comes one of = !="},
    {"score5", "'5': after score comes"},
    {"score>", "is no number"},
    {"score>five", "'five', which score is to be compared with"},
    {"score>5 and p<1", "'5 and p<1', which"},
    {"score=nan", "is no number"},
    {"score>none", "can be = or != none"},
    {"score~5", "~ is for texts"},
    {"state>live", "state is a text"},
    {"kind=inlier", "kind is outlier or reject, not 'inlier'"},
    {"field=\"temp", "lacks its second quote"},
    {"field=\"temp\"x", "'x': a comma should be there"},
    {"score>5,", "does not begin with"},
    {"p<1,p<1,p<1,p<1,p<1,p<1,p<1,p<1,p<1,p<1,p<1,p<1,p<1,p<1,p<1,p<1,p<1,"
     "p<1,p<1,p<1,p<1,p<1,p<1,p<1,p<1,p<1,p<1,p<1,p<1,p<1,p<1,p<1,p<1",
     "more than 32"},
};

static void
test_conditions(void)
{
    char why[200];

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct where where = {.count = 0};
        ok(where_add(&where, cases[i].text, why, sizeof why) &&
               where_holds(&where, &outlier) == cases[i].outlier &&
               where_holds(&where, &reject) == cases[i].reject,
           "%s", cases[i].text);
        where_fini(&where);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct where where = {.count = 0};
        why[0] = '\0';
        ok(!where_add(&where, bad[i].text, why, sizeof why) &&
               strstr(why, bad[i].why) != NULL,
           "refused: %.40s: %s", bad[i].text, why);
        where_fini(&where);
    }
    struct where where = {.count = 0};
    ok(where_add(&where, "score>5", why, sizeof why) &&
           where_add(&where, "kind=reject", why, sizeof why) &&
           !where_holds(&where, &outlier),
       "what is added later has to hold, too");
    where_fini(&where);
}

/* ---- what is shown of it ---- */

static const struct {
    struct word text;
    const char *shown;
} texts[] = {
    {WORD("plain, \"quoted\" \\ text"), "plain, \"quoted\" \\ text"},
    {WORD("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
     "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
    {WORD("a\nb\rc\td"), "a\\nb\\rc\\td"},
    {WORD("\x1b[31m\x07\0\x7f"), "\\x1b[31m\\x07\\x00\\x7f"},
    {WORD("\xc2\x9b"
          "31m"),
     "\\u009b31m"},
    {WORD("\x9b"
          "31m"),
     "\\x9b31m"},
    {WORD("\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8"), "\\u202e\\u2066\\u2028"},
    {WORD("\xc0\x9b\xe0\x80\x9b"), "\\xc0\\x9b\\xe0\\x80\\x9b"},
    {WORD("\xed\xa0\x80\xf4\x90\x80\x80\xff"),
     "\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80\\xff"},
    {WORD("cut \xe2\x82"), "cut \\xe2\\x82"},
};

static const struct {
    struct word bytes;
    const char *shown;
} values[] = {
    {WORD("\x83\xa1"
          "a\x01\xa1"
          "b\x92\xff\xc0\xa1"
          "c\x80"),
     "{\"a\": 1, \"b\": [-1, null], \"c\": {}}"},
    {WORD("\x95\xc2\xc3\xcb\x3f\xb9\x99\x99\x99\x99\x99\x9a\xc4\x02\x1b\x1b"
          "\xc7\x01\x05x"),
     "[false, true, 0.1, <2 bytes>, <2 bytes>]"},
    {WORD("\xa2\x1b["), "\"\\x1b[\""},
    {WORD("\xcf\xff\xff\xff\xff\xff\xff\xff\xff"), "18446744073709551615"},
    {WORD("\xd1\xff\xfe"), "-2"},
    {WORD("\xca\x7f\xc0\x00\x00"), "nan"},
    {WORD("\x92\x01"), "[1 ..."},
    {WORD("\xdd\xff\xff\xff\xff\x01\x02"), "[1, 2 ..."},
    {WORD("\xdb\xff\xff\xff\xff\x01\x02"), " ..."},
    {WORD("\xc1"), " ..."},
    {WORD(""), " ..."},
};

/* What PRINT makes of WORD, in memory of just its size. */
static int
shows(void (*print)(FILE *, struct word), struct word word, const char *wanted)
{
    char *exact = malloc(word.len + (word.len == 0)), *shown = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&shown, &len);

    NEED(exact != NULL && out != NULL);
    if (word.len > 0)
        memcpy(exact, word.text, word.len);
    print(out, (struct word){exact, word.len});
    fclose(out);
    int same = strcmp(shown, wanted) == 0;
    if (!same)
        printf("# got %s\n", shown);
    free(shown);
    free(exact);
    return same;
}

static void
test_plain(void)
{
    char deep[200];

    for (size_t i = 0; i < COUNT(texts); i++)
        ok(shows(plain_text, texts[i].text, texts[i].shown), "shown as %s",
           texts[i].shown);
    for (size_t i = 0; i < COUNT(values); i++)
        ok(shows(plain_msgpack, values[i].bytes, values[i].shown),
           "MessagePack as %s", values[i].shown);
    memset(deep, 0x91, sizeof deep);
    char *shown = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&shown, &len);
    NEED(out != NULL);
    plain_msgpack(out, (struct word){deep, sizeof deep});
    fclose(out);
    ok(len < 100 && strstr(shown, "[ ...") != NULL,
       "what is nested deep is left out");
    free(shown);
}

int
main(void)
{
    test_conditions();
    test_plain();
    return tap_done();
}
