/* top: facts from JSON, and drawn on canvases of many sizes; whatever is in
 * them, only printable characters get out, and no row is too long. */
#define _XOPEN_SOURCE 700 /* wcwidth */
#include "top_draw.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <wchar.h>

#include "tap.h"

#define EVIL "\\u001b]0;x\\u0007\\u001b[2J\\r\\n\\t\\u0000\\u009b5n\\u202e"

static const char usual[] =
    "{\"version\":1,\"program\":\"prae-filter 0.1.0\",\"live\":true,"
    "\"started\":1000,\"written\":4700,\"state\":\"burst\",\"paused\":true,"
    "\"ready\":true,\"not_ready\":null,\"rate\":1234.5,\"unknown\":[[]],"
    "\"totals\":{\"received\":1000,\"inliers\":900,\"outliers\":50,"
    "\"rejected\":20,\"held\":30,\"windows\":4,\"bursts\":1,\"drifts\":2},"
    "\"rejects\":[{\"reason\":\"malformed\",\"count\":20,\"text\":\"" EVIL
    "\"}],\"blocked_seconds\":null,"
    "\"inputs\":[{\"name\":\"pull:@ipc:///in\",\"waiting\":7,\"messages\":9}],"
    "\"outputs\":[{\"name\":\"inliers\",\"to\":\"" EVIL "\",\"waiting\":640,"
    "\"clogged\":true,\"peers\":1}],"
    "\"training\":{\"count\":4,\"seconds\":2,\"longest\":0.9,\"last\":0.4},"
    "\"limit\":0.5,\"fpr\":null,\"scores\":{\"edges\":[0.01,0.1,1,10,100],"
    "\"inliers\":[800,100,0,0],\"outliers\":[0,0,50,0]},"
    "\"timeline\":[{\"window\":0,\"windows\":1,\"inliers\":450,\"outliers\":5,"
    "\"state\":\"live\"},{\"window\":1,\"windows\":3,\"inliers\":450,"
    "\"outliers\":45,\"state\":\"burst\",\"bursts\":1,\"drifts\":2}],"
    "\"features\":[{\"name\":\"\xe6\xb8\xa9\xe5\xba\xa6\",\"blame\":0.75,"
    "\"named\":3}],"
    "\"last\":[{\"seq\":17,\"score\":9.5,\"p\":null,\"window\":1,"
    "\"state\":\"live\",\"record\":\"" EVIL
    "\",\"cut\":true,\"why\":[{\"field\":\"temp" EVIL
    "\",\"share\":0.8,\"observed\":3,\"expected\":20.5},"
    "{\"field\":\"\xe6\xb8\xa9\xe5\xba\xa6\",\"share\":null,\"observed\":null,"
    "\"expected\":null,\"observed_text\":\"a" EVIL "\"}]},"
    "{\"seq\":11,\"score\":2.5,\"state\":\"live\",\"record\":\"crond\","
    "\"why\":[{\"field\":\"unit\",\"share\":0.1,\"observed\":9,"
    "\"expected\":2.5,\"observed_text\":\"crond\"}]}]}";

static struct trend trend;

/* All rows of a canvas of VIEW, with newlines, in TEXT (CAP). Whether each
 * row has its width and nothing but printable characters. */
static int
draw(const struct view *view, int rows, int cols, int ascii, char *text,
     size_t cap)
{
    struct canvas canvas;
    FILE *out = fmemopen(text, cap, "w");
    int good = 1;

    NEED(out != NULL && canvas_init(&canvas, rows, cols, ascii));
    top_draw(&canvas, view);
    for (int row = 0; row < rows; row++) {
        canvas_print_row(&canvas, row, 0, 0, out);
        putc('\n', out);
    }
    putc('\0', out);
    NEED(fclose(out) == 0);
    canvas_fini(&canvas);
    for (char *at = text; good && *at != '\0';) {
        int width = 0, row_good = 1;
        wchar_t code;
        for (; *at != '\n' && row_good; at += row_good) {
            row_good = mbtowc(&code, at, 8);
            if (row_good <= 0 || wcwidth(code) < 0 || (ascii && code > 126))
                return 0;
            width += wcwidth(code);
        }
        good = width == cols;
        at++;
    }
    return good;
}

static struct facts *
read_usual(void)
{
    struct facts *facts = NULL;
    char why[FACTS_WHY];

    NEED(facts_read(&facts, usual, strlen(usual), why) == EXIT_DONE);
    return facts;
}

static void
test_facts(void)
{
    struct facts *facts = read_usual();

    ok(facts->state == STATE_BURST && facts->is_paused && facts->is_ready,
       "states are read");
    ok(facts->totals.received == 1000.0 && facts->totals.undelivered == 0.0,
       "and totals, none where there is none");
    ok(isnan(facts->fpr) && isnan(facts->blocked_seconds) &&
           facts->limit == 0.5,
       "null is not known");
    ok(facts->bins == 4 && facts->span_count == 2 && facts->last_count == 2 &&
           facts->last[0].why_count == 2,
       "and lists");
    ok(memchr(facts->last[0].record.text, '\0', facts->last[0].record.len) !=
           NULL,
       "a zero in a text does not end it");
    ok(facts->last[0].why[1].observed.kind == VALUE_TEXT &&
           facts->last[0].why[1].expected.kind == VALUE_NONE,
       "values are numbers, texts or nothing");
    facts_free(facts);
    facts_free(NULL);
}

static void
test_refusals(void)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"", "not JSON"},
        {"<html>\033[2J", "not JSON"},
        {"{\"version\":1", "not JSON"},
        {"[1]", "not a filter's"},
        {"{}", "not a filter's"},
        {"{\"version\":\"1\"}", "not a filter's"},
        {"{\"version\":2}", "version 2"},
        {"{\"version\":0}", "version 0"},
        {"{\"version\":1,\"scores\":{\"edges\":[1,2,3],\"inliers\":[1],"
         "\"outliers\":[1,2]}}",
         "do not fit together"},
        {"{\"version\":1,\"scores\":{\"edges\":[2,1],\"inliers\":[1],"
         "\"outliers\":[1]}}",
         "do not fit together"},
        {"{\"version\":1,\"scores\":{\"edges\":[null,1],\"inliers\":[1],"
         "\"outliers\":[1]}}",
         "do not fit together"},
    };
    struct facts *facts = NULL;
    char why[FACTS_WHY];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        why[0] = '\0';
        enum exit_status status =
            facts_read(&facts, cases[i].text, strlen(cases[i].text), why);
        ok(status == EXIT_DATA && facts == NULL &&
               strstr(why, cases[i].why) != NULL && strchr(why, '\033') == NULL,
           "refused %zu: %s", i + 1, why);
    }
}

/* Facts of which all is of another kind than it should be. */
static void
test_strange(void)
{
    static const char *const cases[] = {
        "{\"version\":1}",
        "{\"version\":1.0,\"totals\":[],\"inputs\":{},\"outputs\":[1,null],"
        "\"timeline\":[1,{}],\"last\":[[],{\"why\":[2]}],\"state\":7,"
        "\"features\":[null],\"rejects\":[{}],\"scores\":3,\"training\":\"\"}",
        "{\"version\":1,\"rate\":1e308,\"started\":-1e308,\"written\":1e308,"
        "\"totals\":{\"received\":-5,\"inliers\":1e300,\"outliers\":1e300},"
        "\"limit\":1e300,\"timeline\":[{\"window\":1e300,\"inliers\":1e300,"
        "\"outliers\":1e300}],\"last\":[{\"seq\":1e300,\"score\":-1e300}],"
        "\"scores\":{\"edges\":[-1e300,0,1e300],\"inliers\":[1e300,1e300],"
        "\"outliers\":[1e300,-4]}}",
    };
    static char text[20000];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct facts *facts = NULL;
        char why[FACTS_WHY];
        NEED(facts_read(&facts, cases[i], strlen(cases[i]), why) == EXIT_DONE);
        struct view view = {.source = "x", .facts = facts, .trend = &trend};
        ok(draw(&view, 40, 80, 1, text, sizeof text), "strange facts %zu",
           i + 1);
        facts_free(facts);
    }
}

static void
test_sizes(const struct view *view, int ascii)
{
    static const int sizes[][2] = {{1, 1},    {1, 80},   {24, 1},   {2, 7},
                                   {5, 13},   {12, 40},  {24, 80},  {30, 119},
                                   {30, 120}, {60, 200}, {100, 300}};
    static char text[200000];
    int bad = 0;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (!draw(view, sizes[i][0], sizes[i][1], ascii, text, sizeof text)) {
            printf("# at %d rows, %d columns\n", sizes[i][0], sizes[i][1]);
            bad++;
        }
    for (int rows = 1; rows < 40; rows++)
        for (int cols = 10; cols < 130; cols += 7)
            bad += !draw(view, rows, cols, ascii, text, sizeof text);
    ok(bad == 0, "every size is filled with what can be printed%s",
       ascii ? ", in ASCII" : "");
}

static void
test_contents(struct view *view)
{
    static const char *const small[] = {"* burst, learning paused",
                                        "received 1000",
                                        "outliers 50",
                                        "temp\\x1b]0;",
                                        "7 waiting",
                                        "q quit"};
    static const char *const large[] = {
        "received 1000 = inliers 900 + outliers 50 + rejected 20 + held 30",
        "windows 4  bursts 1  drifts 2  training 500 ms  longest 900 ms",
        "unit crond, expected rarity 2.5 (10 %)",
        "pull:@ipc:///in",
        "640 waiting clogged",
        "^ limit 0.5",
        "0.01",
        "100",
        "windows 0 to 3, up to 9.09 % flagged",
        "flagged  5.26 %",
        "blamed",
        "75.0 %",
        "malformed",
        "expected 20.5 (80 %)",
        "up 61 min"};
    static char text[60000];
    size_t missing = 0;

    draw(view, 12, 40, 1, text, sizeof text);
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        if (strstr(text, small[i]) == NULL) {
            printf("# no %s\n", small[i]);
            missing++;
        }
    ok(missing == 0, "12 rows of 40 have what matters most");
    draw(view, 60, 200, 1, text, sizeof text);
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        if (strstr(text, large[i]) == NULL) {
            printf("# no %s\n", large[i]);
            missing++;
        }
    ok(missing == 0, "60 rows of 200 have everything");
    view->fault = "cannot reach it, for a reason that takes many words to tell";
    view->is_unreachable = 1;
    draw(view, 12, 40, 1, text, sizeof text);
    ok(strstr(text, " no answer ") != NULL &&
           strstr(text, "cannot reach it, for a reason that") != NULL &&
           strstr(text, "many words to tell") != NULL &&
           strstr(text, "received 1000") != NULL,
       "a fault is told beside what was known");
    view->fault = NULL;
}

/* What a filter of other days says: whether TEXT is drawn. */
static int
is_drawn(const struct view *view, const struct facts *facts, const char *text)
{
    static char drawn[60000];
    struct view other = *view;

    other.facts = facts;
    draw(&other, 60, 200, 0, drawn, sizeof drawn);
    if (strstr(drawn, text) == NULL)
        printf("# no %s in\n%s\n", text, drawn);
    return strstr(drawn, text) != NULL;
}

static void
test_days(const struct view *view)
{
    static struct facts other;
    struct facts *facts = read_usual();

    other = *facts;
    other.started = 0.0;
    other.written = 3.0 * 3600.0 + 125.0;
    ok(is_drawn(view, &other, "up 3 h 2 min"), "hours are told as such");
    other.written = 5.5 * 86400.0;
    ok(is_drawn(view, &other, "up 5 days"), "and days");
    other.outputs[0].is_clogged = 0;
    ok(is_drawn(view, &other, "1 peer "), "a peer is counted");
    other.outputs[0].peers = 12.0;
    ok(is_drawn(view, &other, "12 peers"), "and so are more");
    other.fpr = 0.01;
    ok(is_drawn(view, &other, "flagged by p below 0.01"), "--fpr is told");
    other.is_ready = 0;
    other.not_ready = (struct word){"peers are waited for", 20};
    ok(is_drawn(view, &other, "peers are waited for"),
       "and why a filter is not ready");
    other.features[0].name = (struct word){"caf\x65\xcc\x81", 6};
    ok(is_drawn(view, &other, "caf\x65\xcc\x81"),
       "an accent stays with its letter");
    facts_free(facts);
}

static void
test_trend(const struct facts *facts)
{
    static struct facts next;

    trend = (struct trend){0};
    next = *facts;
    for (size_t i = 0; i < 2 * TREND_MOST; i++) {
        next.totals.received += 10.0;
        next.totals.inliers += 6.0;
        next.totals.outliers += i == 2 * TREND_MOST - 1 ? 2.0 : 4.0;
        next.rate = (double)i;
        trend_add(&trend, &next);
    }
    ok(trend.count == TREND_MOST && trend.rate[0] == (double)TREND_MOST,
       "a long trend forgets its beginning");
    is_close(trend.share[TREND_MOST - 1], 0.25, 1e-9,
             "its share is that of the last moment");
    ok(trend_peak(trend.rate, trend.count, 5) == 2.0 * TREND_MOST - 1.0,
       "a peak is found");
    next.totals.received = 1.0;
    trend_add(&trend, &next);
    ok(trend.count == 1 && isnan(trend.share[0]),
       "a filter that began anew begins a trend");
}

int
main(void)
{
    int utf8 = setlocale(LC_CTYPE, "C.UTF-8") != NULL &&
               strcmp(nl_langinfo(CODESET), "UTF-8") == 0;

    test_facts();
    test_refusals();
    test_strange();
    struct facts *facts = read_usual();
    struct view view = {
        .source = "ipc:///x", .facts = facts, .trend = &trend, .interval = 1.0};
    test_trend(facts);
    trend_add(&trend, facts);
    test_sizes(&view, 1);
    if (utf8) {
        test_sizes(&view, 0);
        test_days(&view);
    }
    test_contents(&view);
    facts_free(facts);
    view.facts = NULL;
    test_sizes(&view, 1);
    return tap_done();
}
