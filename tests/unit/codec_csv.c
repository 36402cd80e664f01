/* Rows of CSV become records, whatever is in them and however they come. */
#include <time.h>

#include "codec_trace.h"
#include "tap.h"

#define IN(literal) literal, sizeof(literal) - 1

struct test_case {
    const char *name;
    const char *input;
    size_t len;
    const char *expected;
    int no_header;
    size_t record_bytes, elements; /* 0 for the default */
};

static const struct test_case cases[] = {
    {"no bytes", IN(""), "", 0, 0, 0},
    {"a header alone", IN("a,b\n"), "", 0, 0, 0},
    {"a header alone without newline", IN("a,b"), "", 0, 0, 0},
    {"rows", IN("a,b\n1,2.5\n-3,x\n"),
     "{a:1,b:2.5r} 4-10/2; {a:-3,b:\"x\"} 10-15/3", 0, 0, 0},
    {"no header", IN("1,2\n3,4\n"), "[1,2] 0-4/1; [3,4] 4-8/2", 1, 0, 0},
    {"no newline at the end", IN("a,b\n1,2"), "{a:1,b:2} 4-7/2", 0, 0, 0},
    {"CRLF", IN("a,b\r\n1,2\r\n\"3\",\"4\"\r\n"),
     "{a:1,b:2} 5-10/2; {a:3,b:4} 10-19/3", 0, 0, 0},
    {"a last CR alone", IN("a\n\"1\"\r"), "{a:1} 2-6/2", 0, 0, 0},
    {"blank lines", IN("\n\na,b\n\n \r\n1,2\n\n3,4\n\n"),
     "{a:1,b:2} 10-14/6; {a:3,b:4} 15-19/8", 0, 0, 0},
    {"byte order mark",
     IN("\xef\xbb\xbf"
        "a\n1\n"),
     "{a:1} 5-7/2", 0, 0, 0},
    {"byte order mark and no header",
     IN("\xef\xbb\xbf"
        "1\n2\n"),
     "[1] 3-5/1; [2] 5-7/2", 1, 0, 0},
    {"one column", IN("a\n1\n2\n"), "{a:1} 2-4/2; {a:2} 4-6/3", 0, 0, 0},

    {"quotes", IN("\"a\",\"b,c\"\n\"1\",\"x,y\"\n"),
     "{a:1,b,c:\"x,y\"} 10-20/2", 0, 0, 0},
    {"doubled quotes", IN("a,b\n\"say \"\"hi\"\"\",\"\"\"\"\n"),
     "{a:\"say \"hi\"\",b:\"\"\"} 4-22/2", 0, 0, 0},
    {"many doubled quotes", IN("a,b,c\n\"\"\"\"\"\",\"x\",\"y\"\"z\"\n"),
     "{a:\"\"\"\",b:\"x\",c:\"y\"z\"} 6-24/2", 0, 0, 0},
    {"quoted newlines", IN("a,b\n\"x\ny\",1\n\"\r\n\n\",2\n3,4\n"),
     "{a:\"x<0a>y\",b:1} 4-12/3; {a:\"<0d><0a><0a>\",b:2} 12-20/6; {a:3,b:4} "
     "20-24/7",
     0, 0, 0},
    {"a quoted newline, and none at the end", IN("a,b\n1,\"x\ny\""),
     "{a:1,b:\"x<0a>y\"} 4-11/3", 0, 0, 0},
    {"a quoted newline in the header", IN("\"a\nb\"\n1\n"), "{a<0a>b:1} 6-8/3",
     0, 0, 0},
    {"a quote inside a cell", IN("a,b\n5\" pipe,x\"y\"\n"),
     "{a:\"5\" pipe\",b:\"x\"y\"\"} 4-17/2", 0, 0, 0},
    {"blanks before a quote", IN("a,b\n \"x,1\n"), "{a:\" \"x\",b:1} 4-10/2", 0,
     0, 0},
    {"text behind a closing quote", IN("a,b\n\"x\"y,1\n2,3\n"),
     "!malformed@3 4-11/2; {a:2,b:3} 11-15/3", 0, 0, 0},
    {"quotes behind text behind a closing quote",
     IN("a,b\n\"x\"y,\"1\n2\",3\n"),
     "!malformed@3 4-12/2; {a:\"2\"\",b:3} 12-17/3", 0, 0, 0},
    {"a quote that does not close", IN("a,b\n1,\"x\n2,3\n"),
     "!malformed@2 4-9/2; {a:2,b:3} 9-13/3", 0, 0, 0},
    {"a quote that opens at the end", IN("a\n\""), "!malformed@0 2-3/2", 0, 0,
     0},
    {"a CR behind a quote", IN("a\n\"1\"\r\r\n2\n"),
     "!malformed@3 2-8/2; {a:2} 8-10/3", 0, 0, 0},

    {"empty cells", IN("a,b,c\n,,\n\"\",1,\n"),
     "{a:nil,b:nil,c:nil} 6-9/2; {a:nil,b:1,c:nil} 9-15/3", 0, 0, 0},
    {"cells of blanks", IN("a,b\n  ,\" \t\"\n"), "{a:nil,b:nil} 4-12/2", 0, 0,
     0},
    {"words for nothing", IN("NA,n/a,null,NULL,N/A,none,NaNa,nul\n"),
     "[nil,nil,nil,nil,nil,\"none\",\"NaNa\",\"nul\"] 0-35/1", 1, 0, 0},
    {"truth", IN("true,FALSE,True,\"false\", true ,truex\n"),
     "[t,f,t,f,t,\"truex\"] 0-37/1", 1, 0, 0},
    {"numbers", IN("1,+1,-1,1.,.5,1e3,-0, 7 ,\t8,\"9\"\n"),
     "[1,1,-1,1r,0.5r,1000r,-0,7,8,9] 0-32/1", 1, 0, 0},
    {"nonfinite numbers", IN("nan,NaN,inf,-Infinity,1e999\n"),
     "[nan,nan,infr,-infr,infr] 0-28/1", 1, 0, 0},
    {"no numbers", IN("0x10,1_000,1e,.,-,1 2,1;2,--1\n"),
     "[\"0x10\",\"1_000\",\"1e\",\".\",\"-\",\"1 2\",\"1;2\",\"--1\"] 0-30/1",
     1, 0, 0},
    {"texts keep their blanks", IN(" x ,y\t\n"), "[\" x \",\"y<09>\"] 0-7/1", 1,
     0, 0},
    {"wide integers", IN("9007199254740993,9007199254740992,-1e20\n"),
     "[9007199254740992,9007199254740992,-1e+20r] 0-40/1 w1", 1, 0, 0},
    {"UTF-8", IN("\xc3\xa9\n\xe2\x82\xac\n"),
     "{<c3><a9>:\"<e2><82><ac>\"} 3-7/2", 0, 0, 0},

    {"names that are empty", IN("a,,\"\",d\n1,2,3,4\n"),
     "{a:1,f1:2,f2:3,d:4} 8-16/2", 0, 0, 0},
    {"names that repeat", IN("a,a,b,a\n1,2,3,4\n"),
     "{a:1,a_2:2,b:3,a_3:4} 8-16/2", 0, 0, 0},
    {"names that repeat a made one", IN("a,a,a_2,a\n1,2,3,4\n"),
     "{a:1,a_2:2,a_2_2:3,a_3:4} 10-18/2", 0, 0, 0},
    {"names that come before a made one", IN("a,a_2,a,a\n1,2,3,4\n"),
     "{a:1,a_2:2,a_3:3,a_4:4} 10-18/2", 0, 0, 0},
    {"empty names that repeat", IN("f1,,\n1,2,3\n"),
     "{f1:1,f1_2:2,f2:3} 5-11/2", 0, 0, 0},
    {"doubled quotes in a name and in a longer row",
     IN("\"\"\"\"\n\"\"\"1234567890\"\n"), "{\":\"\"1234567890\"} 5-20/2", 0, 0,
     0},
    {"names keep blanks and quotes", IN(" a,\"b\"\"c\"\n1,2\n"),
     "{ a:1,b\"c:2} 10-14/2", 0, 0, 0},

    {"a row too short", IN("a,b\n1\n2,3\n"),
     "!dimension@1 4-6/2; {a:2,b:3} 6-10/3", 0, 0, 0},
    {"a row too long", IN("a,b\n1,2,\n3,4\n"),
     "!dimension@4 4-9/2; {a:3,b:4} 9-13/3", 0, 0, 0},
    {"the first row sets the width", IN("1,2\n3\n4,5,6\n7,8\n"),
     "[1,2] 0-4/1; !dimension@1 4-6/2; !dimension@4 6-12/3; [7,8] 12-16/4", 1,
     0, 0},
    {"a bad first row does not", IN("1,2,\"\"x\n3,4\n5\n"),
     "!malformed@6 0-8/1; [3,4] 8-12/2; !dimension@1 12-14/3", 1, 0, 0},

    {"bad UTF-8", IN("a,b\nx\xff,1\n2,3\n"),
     "!malformed@1 4-9/2; {a:2,b:3} 9-13/3", 0, 0, 0},
    {"bad UTF-8 between quotes", IN("a\n\"x\n\xc3\"\n1\n"),
     "!malformed@3 2-8/3; {a:1} 8-10/4", 0, 0, 0},
    {"a zero byte", IN("a,b\n1,\0\n2,3\n"),
     "!malformed@2 4-8/2; {a:2,b:3} 8-12/3", 0, 0, 0},
    {"a zero byte before bad UTF-8", IN("a\nx\0\xff\n"), "!malformed@1 2-6/2",
     0, 0, 0},
    {"a bad header is refused, rows are arrays", IN("a,\xff\n1,2\n3,4\n"),
     "!malformed@2 0-4/1; [1,2] 4-8/2; [3,4] 8-12/3", 0, 0, 0},
    {"a header with a broken quote", IN("\"a\"b\n1\n"),
     "!malformed@3 0-5/1; [1] 5-7/2", 0, 0, 0},
    {"a header too long", IN("abc,def,ghi\n1,2\n"),
     "!length@8 0-8/1; [1,2] 12-16/2", 0, 8, 0},
    {"a header of too many", IN("a,b,c,d\n1,2\n"),
     "!elements@6 0-8/1; [1,2] 8-12/2", 0, 0, 4},
    {"too many cells", IN("1,2,3,4\n1,2\n"), "!elements@6 0-8/1; [1,2] 8-12/2",
     1, 0, 4},

    {"as long as allowed", IN("12345678\n9\n"), "[12345678] 0-9/1; [9] 9-11/2",
     1, 8, 0},
    {"longer", IN("123456789\n9\n"), "!length@8 0-8/1; [9] 10-12/2", 1, 8, 0},
    {"longer at the end", IN("9\n123456789"), "[9] 0-2/1; !length@8 2-10/2", 1,
     8, 0},
    {"a quote that closes too late", IN("\"1\n2\n3\n4\n5\"\n7\n"),
     "!malformed@0 0-3/1; [2] 3-5/2; [3] 5-7/3; [4] 7-9/4; "
     "[\"5\"\"] 9-12/5; [7] 12-14/6",
     1, 8, 0},
    {"a limit between doubled quotes", IN("\"123456\"\"\"\n9\n"),
     "!length@8 0-8/1; [9] 11-13/2", 1, 8, 0},
    {"a limit behind quotes with a newline", IN("\"1\n2\",34567\n9\n"),
     "!length@8 0-8/2; [9] 12-14/3", 1, 8, 0},
    {"a limit behind a quoted newline", IN("\"123456\n7\n8\n"),
     "!malformed@0 0-8/1; [7] 8-10/2; [8] 10-12/3", 1, 8, 0},
};

static struct trace_setup
setup_of(const struct test_case *test)
{
    return (struct trace_setup){
        .format = PRAE_FORMAT_CSV,
        .no_header = test->no_header,
        .limits = {test->record_bytes > 0 ? test->record_bytes : 1 << 20, 32,
                   test->elements > 0 ? test->elements : 65536}};
}

static void
test_case(const struct test_case *test)
{
    struct trace_setup setup = setup_of(test);
    char *got = trace_run(&setup, test->input, test->len, test->len, 1);

    if (!ok(strcmp(got, test->expected) == 0, "%s", test->name))
        printf("# got    %s\n# wanted %s\n", got, test->expected);
    ok(trace_any_pieces(&setup, test->input, test->len, got),
       "%s: the same in any pieces", test->name);
    free(got);
}

/* The header's bytes as kept, however they came. */
static void
test_header(void)
{
    static const struct {
        const char *name, *input;
        size_t len;
        const char *header;
    } headers[] = {
        {"LF", IN("a,b\n1,2\n"), "a,b\n"},
        {"CRLF behind blanks", IN("\n\na,\"b\"\r\n1,2\n"), "a,\"b\"\r\n"},
        {"a mark before it",
         IN("\xef\xbb\xbf"
            "a,\"b\nc\"\n1,2\n"),
         "a,\"b\nc\"\n"},
        {"no newline", IN("a,b"), "a,b"},
        {"refused", IN("a,\xff\n1,2\n"), ""},
    };

    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        int same = 1;
        for (size_t first = 0; first <= headers[i].len; first++) {
            struct trace trace = {0};
            struct codec codec;
            struct codec_limits limits = {1024, 32, 64};
            NEED(pri_codec_init(&codec, PRAE_FORMAT_CSV, &limits) == PRAE_OK);
            trace_feed(&trace, &codec, headers[i].input, headers[i].len, first,
                       1);
            same = same && codec.header_len == strlen(headers[i].header) &&
                   (codec.header_len == 0 ||
                    memcmp(codec.header, headers[i].header, codec.header_len) ==
                        0);
            free(trace.text);
            pri_codec_fini(&codec);
        }
        ok(same, "header's bytes: %s", headers[i].name);
    }
}

/* One name 65535 times: made different, and in no time. */
static void
test_many_names(void)
{
    enum { NAMES = 65535 };
    struct codec_limits limits = {1 << 20, 32, 65536};
    char *input = malloc(2 * NAMES);
    struct codec codec;

    NEED(input != NULL);
    for (size_t i = 0; i < NAMES; i++) {
        input[2 * i] = 'a';
        input[2 * i + 1] = i + 1 < NAMES ? ',' : '\n';
    }
    NEED(pri_codec_init(&codec, PRAE_FORMAT_CSV, &limits) == PRAE_OK);
    prae_status status = pri_codec_next(&codec, input, 2 * NAMES, 1);
    ok(status == PRAE_END && codec.name_count == NAMES, "a name 65535 times");
    size_t end = codec.name_end[NAMES - 1], from = codec.name_end[NAMES - 2];
    ok(end - from == 7 && memcmp(codec.names + from, "a_65535", 7) == 0,
       "the last is numbered by its place");
    pri_codec_fini(&codec);
    free(input);
}

/* A header in the first message serves the ones after it. */
static void
test_messages(void)
{
    struct codec_limits limits = {8, 32, 64};
    struct trace trace = {0};
    struct codec codec;

    NEED(pri_codec_init(&codec, PRAE_FORMAT_CSV, &limits) == PRAE_OK);
    trace_feed(&trace, &codec, "a,b", 3, 3, 1);
    trace_feed(&trace, &codec, "1,2", 3, 3, 1);
    trace_feed(&trace, &codec, "\"345678901", 10, 10, 1);
    trace_feed(&trace, &codec, "\"3,4", 4, 4, 1);
    trace_feed(&trace, &codec, "5,6\n", 4, 4, 1);
    if (!ok(strcmp(trace.text, "{a:1,b:2} 0-3/2; !length@8 0-8/3; "
                               "!malformed@0 0-4/4; {a:5,b:6} 0-4/5") == 0,
            "messages one after another"))
        printf("# got %s\n", trace.text);
    free(trace.text);
    pri_codec_fini(&codec);
}

/* A record is decoded once more in the midst of others, as unfinished as
 * they may be. */
static void
test_again(void)
{
    struct codec_limits limits = {12, 32, 64};
    static const char input[] =
        "1,\"x\ny\",3\n\"a\n345678901234\"\n4,5,\"\"\"\"\n";
    static const char expected[] =
        "[1,\"x<0a>y\",3] 0-10/2; !malformed@0 10-13/3; !length@12 13-25/4; "
        "[4,5,\"\"\"] 27-36/5";
    int same = 1;

    for (size_t first = 0; first < sizeof input; first++) {
        struct trace trace = {0}, again = {0};
        struct codec codec;
        prae_status status;
        size_t used = 0, have = first;
        NEED(pri_codec_init(&codec, PRAE_FORMAT_CSV, &limits) == PRAE_OK);
        codec.no_header = 1;
        do {
            int at_end = have == sizeof input - 1;
            status = pri_codec_next(&codec, input + used, have - used, at_end);
            if (status == PRAE_OK)
                trace_record(&trace, &codec, input + used, used);
            used += codec.record.len_bytes;
            have = status == PRAE_MORE ? have + 1 : have;
            again.len = 0;
            NEED(pri_codec_again(&codec, "[7,8,9]\n", 8) == PRAE_OK);
            trace_fields(&again, &codec.record);
            same = same && strcmp(again.text, "[\"[7\",8,\"9]\"]") == 0;
        } while (status == PRAE_OK || status == PRAE_MORE);
        NEED(trace.text != NULL);
        same = same && strcmp(trace.text, expected) == 0;
        if (!same)
            printf("# at %zu: %s, again %s\n", first, trace.text, again.text);
        free(trace.text);
        free(again.text);
        pri_codec_fini(&codec);
    }
    ok(same, "a record decoded again leaves the stream as it was");
}

/* Where the row at TEXT ends, found the long way: *CLOSED where it comes to
 * an end within MOST bytes. */
static size_t
row_end(const char *text, size_t len, size_t most, int *closed)
{
    enum { START, PLAIN, QUOTED, CLOSED, BROKEN } at = START;
    size_t i;

    for (i = 0; i < len && i <= most; i++) {
        const char c = text[i];
        if (c == '\n' && at != QUOTED)
            break;
        if (at == QUOTED)
            at = c == '"' ? CLOSED : QUOTED;
        else if (c == '"' && at != PLAIN && at != BROKEN)
            at = QUOTED;
        else if (at != BROKEN)
            at = c == ',' ? START : at == CLOSED ? BROKEN : PLAIN;
    }
    *closed = at != QUOTED;
    return i;
}

/* The extents of all rows of TEXT, each looked at by itself. */
static char *
rows_apart(const char *text, size_t len, size_t most)
{
    struct trace trace = {0};
    size_t from = 0;

    trace_add(&trace, " ");
    while (from < len) {
        const char *line = memchr(text + from, '\n', len - from);
        int closed;
        size_t end = from + row_end(text + from, len - from, most, &closed);
        if (!closed && line != NULL && (size_t)(line - text) <= from + most)
            end = (size_t)(line - text);
        size_t next = end + (end < len);
        if (end > from + most) {
            trace_add(&trace, "%zu-%zu ", from, from + most);
            line = memchr(text + from + most, '\n', len - from - most);
            next = line == NULL ? len : (size_t)(line - text) + 1;
        } else if (end > from) {
            trace_add(&trace, "%zu-%zu ", from, next);
        }
        from = next;
    }
    return trace.text;
}

/* The extents in what trace_run tells of them. */
static char *
extents(const char *traced)
{
    struct trace trace = {0};

    trace_add(&trace, " ");
    for (const char *at = traced; (at = strchr(at, '/')) != NULL; at++) {
        const char *from = at;
        while (from[-1] != ' ')
            from--;
        trace_bytes(&trace, from, (size_t)(at - from));
        trace_add(&trace, " ");
    }
    return trace.text;
}

/* Quotes that close late or never: what is remembered of a search in vain
 * is what another search would find. */
static void
test_open_quotes(void)
{
    static const char letters[] = "x,\"\"\n\n";
    uint64_t random = 1;
    int same = 1;

    for (int round = 0; same && round < 4000; round++) {
        const size_t most = 3 + (size_t)round % 23;
        const struct trace_setup setup = {.format = PRAE_FORMAT_CSV,
                                          .no_header = 1,
                                          .limits = {most, 32, 64}};
        char input[64];
        for (size_t i = 0; i < sizeof input; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            input[i] = letters[(random >> 33) % (sizeof letters - 1)];
        }
        char *got = trace_run(&setup, input, sizeof input, sizeof input, 1);
        char *found = extents(got);
        char *wanted = rows_apart(input, sizeof input, most);
        same = strcmp(found, wanted) == 0 &&
               trace_any_pieces(&setup, input, sizeof input, got);
        if (!same)
            printf("# round %d: got %s\n# wanted %s\n", round, got, wanted);
        free(got);
        free(found);
        free(wanted);
    }
    ok(same, "rows with open quotes end where each by itself would");
}

/* Processor time for COUNT times LINE, of which each has to be a record. */
static double
time_lines(const char *line, size_t count)
{
    const struct codec_limits limits = {1 << 20, 32, 64};
    const size_t len = strlen(line);
    char *input = malloc(count * len);
    size_t at = 0, rows = 0;
    struct codec codec;

    NEED(input != NULL);
    for (size_t i = 0; i < count; i++)
        memcpy(input + i * len, line, len);
    NEED(pri_codec_init(&codec, PRAE_FORMAT_CSV, &limits) == PRAE_OK);
    codec.no_header = 1;
    clock_t start = clock();
    while (pri_codec_next(&codec, input + at, count * len - at, 1) == PRAE_OK) {
        at += codec.record.len_bytes;
        rows++;
    }
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    NEED(rows == count);
    pri_codec_fini(&codec);
    free(input);
    return seconds;
}

/* Each line of a megabyte opens a quote that does not close. */
static void
test_open_quotes_time(void)
{
    const double usual = time_lines("x,\"aaa\"\n", 100000);
    const double hostile = time_lines("x\",\"aaa\n", 100000);

    if (!ok(hostile < 100 * usual + 0.1,
            "quotes that never close cost no more than others"))
        printf("# %g s, others %g s\n", hostile, usual);
}

int
main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        test_case(&cases[i]);
    test_header();
    test_many_names();
    test_messages();
    test_again();
    test_open_quotes();
    test_open_quotes_time();
    return tap_done();
}
