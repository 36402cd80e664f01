/* Lines of JSON become records, whatever is in them and however they come. */
#include "codec_trace.h"
#include "tap.h"

#define IN(literal) literal, sizeof(literal) - 1

struct test_case {
    const char *name;
    const char *input;
    size_t len;
    const char *expected;
    size_t record_bytes, depth, elements; /* 0 for the default */
};

static const struct test_case cases[] = {
    {"no bytes", IN(""), "", 0, 0, 0},
    {"blank lines", IN("\n \t\r\n\n"), "", 0, 0, 0},
    {"an object", IN("{\"a\":1,\"b\":-2.5}\n"), "{a:1,b:-2.5r} 0-17/1", 0, 0,
     0},
    {"an array", IN("[1,2.0,3e2]\n"), "[1,2r,300r] 0-12/1", 0, 0, 0},
    {"no newline at the end", IN("[1]"), "[1] 0-3/1", 0, 0, 0},
    {"CRLF", IN("[1]\r\n[2]\r\n"), "[1] 0-5/1; [2] 5-10/2", 0, 0, 0},
    {"a last CR alone", IN("[1]\r"), "[1] 0-4/1", 0, 0, 0},
    {"blank lines belong to what follows", IN("\n\r\n[1]\n  \n[2]"),
     "[1] 3-7/3; [2] 10-13/5", 0, 0, 0},
    {"byte order mark", IN("\xef\xbb\xbf[1]\n[2]\n"), "[1] 3-7/1; [2] 7-11/2",
     0, 0, 0},
    {"byte order mark alone", IN("\xef\xbb\xbf"), "", 0, 0, 0},
    {"half a byte order mark", IN("\xef\xbb"), "!malformed@0 0-2/1", 0, 0, 0},
    {"a second byte order mark", IN("[1]\n\xef\xbb\xbf[2]\n"),
     "[1] 0-4/1; !malformed@0 4-11/2", 0, 0, 0},
    {"blanks everywhere", IN(" { \"a\" : [ 1 , 2 ] , \"b\" : { } } \n"),
     "{a:[1,2],b:{}} 0-34/1", 0, 0, 0},
    {"empty containers", IN("{}\n[]\n[[],{}]\n"),
     "{} 0-3/1; [] 3-6/2; [[],{}] 6-14/3", 0, 0, 0},
    {"nested", IN("{\"a\":{\"b\":[1,{\"c\":2}],\"d\":3},\"e\":4}\n"),
     "{a:{b:[1,{c:2}],d:3},e:4} 0-36/1", 0, 0, 0},
    {"true, false, null", IN("[true,false,null]\n"), "[t,f,nil] 0-18/1", 0, 0,
     0},
    {"NaN and infinities", IN("[NaN,Infinity,-Infinity]\n"),
     "[nan,infr,-infr] 0-25/1", 0, 0, 0},
    {"beyond a double", IN("[1e999,-1e999,1e-999]\n"), "[infr,-infr,0r] 0-22/1",
     0, 0, 0},
    {"negative zero", IN("[-0,-0.0]\n"), "[-0,-0r] 0-10/1", 0, 0, 0},
    {"integers to 2^53", IN("[9007199254740992,-9007199254740992]\n"),
     "[9007199254740992,-9007199254740992] 0-37/1", 0, 0, 0},
    {"integers beyond 2^53 count",
     IN("[9007199254740993,-9007199254740993,18446744073709551615,1e300]\n"),
     "[9007199254740992,-9007199254740992,1.8446744073709552e+19,"
     "1.0000000000000001e+300r] 0-64/1 w3",
     0, 0, 0},
    {"duplicate keys", IN("{\"a\":1,\"a\":2}\n"), "{a:1,a:2} 0-14/1", 0, 0, 0},
    {"an empty key", IN("{\"\":\"\"}\n"), "{:\"\"} 0-8/1", 0, 0, 0},

    {"escapes", IN("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]\n"),
     "[\"\"\\/<08><0c><0a><0d><09>\"] 0-21/1", 0, 0, 0},
    {"escaped characters",
     IN("[\"\\u0041\\u00e9\\u20AC\\ud83d\\uDE00\\u0000x\"]\n"),
     "[\"A<c3><a9><e2><82><ac><f0><9f><98><80><00>x\"] 0-42/1", 0, 0, 0},
    {"escapes in keys and many texts",
     IN("{\"\\u0061\":\"x\\ny\",\"b\":\"plain\",\"\\\\\":\"\\t\"}\n"),
     "{a:\"x<0a>y\",b:\"plain\",\\:\"<09>\"} 0-40/1", 0, 0, 0},
    {"UTF-8", IN("[\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f\"]\n"),
     "[\"<c3><a9><e2><82><ac><f0><9f><98><80><7f>\"] 0-15/1", 0, 0, 0},
    {"a lone high surrogate", IN("[\"\\ud83d\"]\n[1]\n"),
     "!malformed@8 0-11/1; [1] 11-15/2", 0, 0, 0},
    {"a lone low surrogate", IN("[\"\\ude00\"]\n"), "!malformed@8 0-11/1", 0, 0,
     0},
    {"a high surrogate and a letter", IN("[\"\\ud83d\\u0041\"]\n"),
     "!malformed@14 0-17/1", 0, 0, 0},
    {"a bad escape", IN("[\"\\x41\"]\n"), "!malformed@3 0-9/1", 0, 0, 0},
    {"short hexadecimal digits", IN("[\"\\u12\"]\n"), "!malformed@4 0-9/1", 0,
     0, 0},
    {"hexadecimal digits cut off by the end", IN("[\"\\u12"),
     "!malformed@4 0-6/1", 0, 0, 0},
    {"bad hexadecimal digits", IN("[\"\\u12g4\"]\n"), "!malformed@4 0-11/1", 0,
     0, 0},
    {"an escape at the end", IN("[\"\\"), "!malformed@3 0-3/1", 0, 0, 0},
    {"a text that does not close", IN("[\"abc]\n[1]\n"),
     "!malformed@6 0-7/1; [1] 7-11/2", 0, 0, 0},
    {"a quote at the end", IN("[\""), "!malformed@2 0-2/1", 0, 0, 0},
    {"a tab in a text", IN("[\"a\tb\"]\n"), "!malformed@3 0-8/1", 0, 0, 0},
    {"a zero byte in a text", IN("[\"a\0b\"]\n"), "!malformed@3 0-8/1", 0, 0,
     0},
    {"a zero byte outside", IN("[1\0]\n"), "!malformed@2 0-5/1", 0, 0, 0},
    {"a control character behind an escape", IN("[\"\\n\x01\"]\n"),
     "!malformed@4 0-8/1", 0, 0, 0},

    {"overlong UTF-8", IN("[\"\xc0\xaf\"]\n"), "!malformed@2 0-7/1", 0, 0, 0},
    {"overlong UTF-8 of three", IN("[\"\xe0\x9f\xbf\"]\n"),
     "!malformed@2 0-8/1", 0, 0, 0},
    {"overlong UTF-8 of four", IN("[\"\xf0\x8f\xbf\xbf\"]\n"),
     "!malformed@2 0-9/1", 0, 0, 0},
    {"a surrogate in UTF-8", IN("[\"\xed\xa0\x80\"]\n"), "!malformed@2 0-8/1",
     0, 0, 0},
    {"beyond U+10FFFF", IN("[\"\xf4\x90\x80\x80\"]\n"), "!malformed@2 0-9/1", 0,
     0, 0},
    {"UTF-8 cut short", IN("[\"aaaaaaaa\xe2\x82\"]\n"), "!malformed@10 0-15/1",
     0, 0, 0},
    {"a continuation byte alone", IN("[\"\x80\"]\n[1]"),
     "!malformed@2 0-6/1; [1] 6-9/2", 0, 0, 0},
    {"bytes that are no text", IN("\xff\xfe\xc1\n[1]\n"),
     "!malformed@0 0-4/1; [1] 4-8/2", 0, 0, 0},

    {"a top level number", IN("42\n"), "!type@0 0-3/1", 0, 0, 0},
    {"a top level text", IN(" \"a\"\n"), "!type@0 0-5/1", 0, 0, 0},
    {"a top level null", IN("null"), "!type@0 0-4/1", 0, 0, 0},
    {"a word", IN("hello\n"), "!malformed@0 0-6/1", 0, 0, 0},
    {"a word too long", IN("[nullx]\n"), "!malformed@5 0-8/1", 0, 0, 0},
    {"a word too short", IN("[tru]\n"), "!malformed@1 0-6/1", 0, 0, 0},
    {"a word in capitals", IN("[True]\n"), "!malformed@1 0-7/1", 0, 0, 0},
    {"minus NaN", IN("[-NaN]\n"), "!malformed@2 0-7/1", 0, 0, 0},
    {"minus something", IN("[-Inf]\n"), "!malformed@1 0-7/1", 0, 0, 0},
    {"minus at the end", IN("[-"), "!malformed@2 0-2/1", 0, 0, 0},
    {"two values", IN("[1] [2]\n"), "!malformed@4 0-8/1", 0, 0, 0},
    {"text behind", IN("{} x\n"), "!malformed@3 0-5/1", 0, 0, 0},
    {"a trailing comma", IN("[1,]\n{\"a\":1,}\n"),
     "!malformed@3 0-5/1; !malformed@7 5-14/2", 0, 0, 0},
    {"a leading comma", IN("[,1]\n{,\"a\":1}\n"),
     "!malformed@1 0-5/1; !malformed@1 5-14/2", 0, 0, 0},
    {"no comma", IN("[1 2]\n"), "!malformed@3 0-6/1", 0, 0, 0},
    {"no colon", IN("{\"a\" 1}\n"), "!malformed@5 0-8/1", 0, 0, 0},
    {"no value", IN("{\"a\":}\n{\"a\"}\n"),
     "!malformed@5 0-7/1; !malformed@4 7-13/2", 0, 0, 0},
    {"a key that is no text", IN("{1:2}\n"), "!malformed@1 0-6/1", 0, 0, 0},
    {"the other bracket", IN("[1}\n{\"a\":1]\n"),
     "!malformed@2 0-4/1; !malformed@6 4-12/2", 0, 0, 0},
    {"a bracket that does not close", IN("[1,[2]\n[3]\n"),
     "!malformed@6 0-7/1; [3] 7-11/2", 0, 0, 0},
    {"a bracket that was not open", IN("]\n"), "!malformed@0 0-2/1", 0, 0, 0},
    {"an object over two lines", IN("{\"a\":\n1}\n"),
     "!malformed@5 0-6/1; !malformed@1 6-9/2", 0, 0, 0},
    {"a leading zero", IN("[01]\n[-01]\n"),
     "!malformed@2 0-5/1; !malformed@3 5-11/2", 0, 0, 0},
    {"a leading plus", IN("[+1]\n"), "!malformed@1 0-5/1", 0, 0, 0},
    {"a point without digits", IN("[1.]\n[.5]\n"),
     "!malformed@3 0-5/1; !malformed@1 5-10/2", 0, 0, 0},
    {"an exponent without digits", IN("[1e]\n[1e+]\n"),
     "!malformed@3 0-5/1; !malformed@4 5-11/2", 0, 0, 0},
    {"hexadecimal", IN("[0x10]\n"), "!malformed@2 0-7/1", 0, 0, 0},
    {"a comment", IN("[1] // one\n"), "!malformed@4 0-11/1", 0, 0, 0},

    {"as deep as allowed", IN("[[{\"a\":[]}]]\n"), "[[{a:[]}]] 0-13/1", 0, 4,
     0},
    {"deeper", IN("[[{\"a\":[[1]]}]]\n[1]\n"), "!depth@8 0-16/1; [1] 16-20/2",
     0, 4, 0},
    {"deeper and empty", IN("[[[]]]\n"), "!depth@2 0-7/1", 0, 2, 0},
    {"many siblings are not deep", IN("[[],[],[[]],[]]\n"),
     "[[],[],[[]],[]] 0-16/1", 0, 3, 0},
    {"as many fields as allowed", IN("[1,2,3]\n"), "[1,2,3] 0-8/1", 0, 0, 4},
    {"more fields", IN("[1,2,3,4]\n[1]\n"), "!elements@7 0-10/1; [1] 10-14/2",
     0, 0, 4},

    {"as long as allowed", IN("[123456]\n[1]\n"), "[123456] 0-9/1; [1] 9-13/2",
     8, 0, 0},
    {"as long as allowed at the end", IN("[123456]"), "[123456] 0-8/1", 8, 0,
     0},
    {"longer", IN("[1234567]\n[1]\n"), "!length@8 0-8/1; [1] 10-14/2", 8, 0, 0},
    {"longer at the end", IN("[1]\n[1234567]"), "[1] 0-4/1; !length@8 4-12/2",
     8, 0, 0},
    {"much longer, then blanks, then a record",
     IN("[\"0123456789012345678901234567890123456789\"]\r\n\n[1]\n[2]"),
     "!length@8 0-8/1; [1] 47-51/3; [2] 51-54/4", 8, 0, 0},
    {"two too long", IN("[111111111]\n[222222222]\n[3]\n"),
     "!length@8 0-8/1; !length@8 12-20/2; [3] 24-28/3", 8, 0, 0},
    {"blanks too long", IN("         \n[1]\n"), "!length@8 0-8/1; [1] 10-14/2",
     8, 0, 0},
    {"a mark is no part of the length", IN("\xef\xbb\xbf[123456]\n"),
     "[123456] 3-12/1", 8, 0, 0},
};

static struct trace_setup
setup_of(const struct test_case *test)
{
    return (struct trace_setup){
        .format = PRAE_FORMAT_JSONL,
        .limits = {test->record_bytes > 0 ? test->record_bytes : 1 << 20,
                   test->depth > 0 ? test->depth : 32,
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

/* COUNT times TEXT. */
static char *
repeat(const char *text, size_t count)
{
    size_t len = strlen(text);
    char *all = malloc(count * len + 1);

    NEED(all != NULL);
    for (size_t i = 0; i < count; i++)
        memcpy(all + i * len, text, len);
    all[count * len] = '\0';
    return all;
}

static void
test_default_limits(void)
{
    static const struct {
        const char *name, *unit;
        size_t count;
        const char *expected;
    } large[] = {
        {"a million brackets", "[", 1000000, "!depth@32 0-1000000/1"},
        {"a million maps", "{\"\":", 250000, "!depth@128 0-1000000/1"},
        {"a line of 10 MB", "0123456789", 1000000,
         "!length@1048576 0-1048576/1"},
    };
    struct test_case defaults = {0};
    struct trace_setup setup = setup_of(&defaults);

    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        char *input = repeat(large[i].unit, large[i].count);
        size_t len = strlen(input);
        char *whole = trace_run(&setup, input, len, len, 1);
        char *pieces = trace_run(&setup, input, len, 0, 65536);
        ok(strcmp(whole, large[i].expected) == 0, "%s: %s", large[i].name,
           whole);
        ok(strcmp(whole, pieces) == 0, "%s in pieces of 64 KiB: %s",
           large[i].name, pieces);
        free(whole);
        free(pieces);
        free(input);
    }
}

/* A message ends where its bytes do; nothing of it is left for the next. */
static void
test_messages(void)
{
    struct trace_setup setup = {.format = PRAE_FORMAT_JSONL,
                                .limits = {8, 32, 64}};
    struct trace trace = {0};
    struct codec codec;

    NEED(pri_codec_init(&codec, setup.format, &setup.limits) == PRAE_OK);
    trace_feed(&trace, &codec, "[123456789]", 11, 11, 1);
    trace_feed(&trace, &codec, "[1]", 3, 3, 1);
    trace_feed(&trace, &codec, "", 0, 0, 1);
    trace_feed(&trace, &codec, "[2\n[3]\n", 7, 7, 1);
    if (!ok(strcmp(trace.text, "!length@8 0-8/1; [1] 0-3/2; !malformed@2 0-3/3;"
                               " [3] 3-7/4") == 0,
            "messages one after another"))
        printf("# got %s\n", trace.text);
    free(trace.text);
    pri_codec_fini(&codec);
}

static void
test_long_number(void)
{
    struct test_case defaults = {0};
    struct trace_setup setup = setup_of(&defaults);
    char *input = repeat("1", 1100);

    input[0] = '[';
    input[1098] = ']';
    input[1099] = '\n';
    char *got = trace_run(&setup, input, 1100, 1100, 1);
    ok(strcmp(got, "!malformed@1 0-1100/1") == 0,
       "a number longer than any is refused where it begins: %s", got);
    free(got);
    free(input);
}

static void
test_memory(void)
{
    static const char input[] = "{\"a\":\"x\\ny\",\"b\":[1,2,3]}\n";
    struct trace_setup setup = {.format = PRAE_FORMAT_JSONL,
                                .limits = {1024, 32, 64}};
    struct trace trace = {0};
    struct codec codec;

    NEED(pri_codec_init(&codec, setup.format, &setup.limits) == PRAE_OK);
    trace_feed(&trace, &codec, IN(input), 0, 1);
    const char *scratch = codec.scratch;
    const struct field *field = codec.record.field;
    size_t cap = codec.scratch_cap;
    for (int i = 0; i < 100; i++)
        trace_feed(&trace, &codec, IN(input), 0, 1);
    ok(codec.scratch == scratch && codec.scratch_cap == cap &&
           codec.record.field == field,
       "a record like one before needs no more memory");
    free(trace.text);
    pri_codec_fini(&codec);
}

/* A record is decoded once more in the midst of others, as unfinished as
 * they may be. */
static void
test_again(void)
{
    struct codec_limits limits = {12, 32, 64};
    static const char input[] = "[1]\n[\"0123456789\"]\n\n[\"\\n\"]\n[2]";
    static const char expected[] =
        "[1] 0-4/1; !length@12 4-16/2; [\"<0a>\"] 20-27/4; [2] 27-30/5";
    int same = 1;

    for (size_t first = 0; first < sizeof input; first++) {
        struct trace trace = {0}, again = {0};
        struct codec codec;
        prae_status status;
        size_t used = 0, have = first;
        NEED(pri_codec_init(&codec, PRAE_FORMAT_JSONL, &limits) == PRAE_OK);
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
            same = same && strcmp(again.text, "[7,8,9]") == 0;
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

int
main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        test_case(&cases[i]);
    test_default_limits();
    test_long_number();
    test_messages();
    test_again();
    test_memory();
    return tap_done();
}
