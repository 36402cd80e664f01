/* MessagePack becomes records, whatever is in it and however it comes. */
#include <time.h>

#include "codec_trace.h"
#include "stream.h"

#define IN(literal) literal, sizeof(literal) - 1
#define COUNT(array) (sizeof(array) / sizeof *(array))

struct test_case {
    const char *name;
    const char *input;
    size_t len;
    const char *expected;
    size_t record_bytes, depth, elements; /* 0 for the default */
};

static const struct test_case cases[] = {
    {"no bytes", IN(""), "", 0, 0, 0},
    {"positive fixint", IN("\x93\x00\x01\x7f"), "[0,1,127] 0-4", 0, 0, 0},
    {"negative fixint", IN("\x92\xe0\xff"), "[-32,-1] 0-3", 0, 0, 0},
    {"uint 8", IN("\x92\xcc\x00\xcc\xff"), "[0,255] 0-5", 0, 0, 0},
    {"uint 16", IN("\x92\xcd\x01\x00\xcd\xff\xff"), "[256,65535] 0-7", 0, 0, 0},
    {"uint 32", IN("\x91\xce\xff\xff\xff\xff"), "[4294967295] 0-6", 0, 0, 0},
    {"uint 64 to 2^53", IN("\x91\xcf\x00\x20\x00\x00\x00\x00\x00\x00"),
     "[9007199254740992] 0-10", 0, 0, 0},
    {"uint 64 beyond 2^53 counts",
     IN("\x92\xcf\x00\x20\x00\x00\x00\x00\x00\x01"
        "\xcf\xff\xff\xff\xff\xff\xff\xff\xff"),
     "[9007199254740992,1.8446744073709552e+19] 0-19 w2", 0, 0, 0},
    {"int 8", IN("\x93\xd0\x80\xd0\xff\xd0\x7f"), "[-128,-1,127] 0-7", 0, 0, 0},
    {"int 16", IN("\x93\xd1\x80\x00\xd1\xff\xfe\xd1\x7f\xff"),
     "[-32768,-2,32767] 0-10", 0, 0, 0},
    {"int 32", IN("\x92\xd2\x80\x00\x00\x00\xd2\x7f\xff\xff\xff"),
     "[-2147483648,2147483647] 0-11", 0, 0, 0},
    {"int 64 to -2^53",
     IN("\x92\xd3\xff\xe0\x00\x00\x00\x00\x00\x00"
        "\xd3\xff\xff\xff\xff\xff\xff\xff\xff"),
     "[-9007199254740992,-1] 0-19", 0, 0, 0},
    {"int 64 beyond 2^53 counts",
     IN("\x93\xd3\xff\xdf\xff\xff\xff\xff\xff\xff"
        "\xd3\x80\x00\x00\x00\x00\x00\x00\x00"
        "\xd3\x7f\xff\xff\xff\xff\xff\xff\xff"),
     "[-9007199254740992,-9.2233720368547758e+18,9.2233720368547758e+18] "
     "0-28 w3",
     0, 0, 0},
    {"float 32",
     IN("\x95\xca\x3f\xc0\x00\x00\xca\x80\x00\x00\x00\xca\x7f\x80\x00\x00"
        "\xca\xff\x80\x00\x00\xca\x7f\xc0\x00\x00"),
     "[1.5r,-0r,infr,-infr,nan] 0-26", 0, 0, 0},
    {"float 64",
     IN("\x93\xcb\x3f\xb9\x99\x99\x99\x99\x99\x9a"
        "\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00"
        "\xcb\x00\x00\x00\x00\x00\x00\x00\x01"),
     "[0.10000000000000001r,nan,4.9406564584124654e-324r] 0-28", 0, 0, 0},
    {"nil, false, true", IN("\x93\xc0\xc2\xc3"), "[nil,f,t] 0-4", 0, 0, 0},
    {"texts of every length field",
     IN("\x95\xa0\xa1x\xd9\x01y\xda\x00\x01z\xdb\x00\x00\x00\x01w"),
     "[\"\",\"x\",\"y\",\"z\",\"w\"] 0-17", 0, 0, 0},
    {"bytes of every length field",
     IN("\x93\xc4\x01x\xc5\x00\x01y\xc6\x00\x00\x00\x01z"),
     "[bytes,bytes,bytes] 0-14", 0, 0, 0},
    {"extensions",
     IN("\x98\xd4\x05x\xd5\x05xx\xd6\x05xxxx\xd7\x05xxxxxxxx"
        "\xd8\x05xxxxxxxxxxxxxxxx\xc7\x01\x05x\xc8\x00\x01\x05x"
        "\xc9\x00\x00\x00\x01\x05x"),
     "[bytes,bytes,bytes,bytes,bytes,bytes,bytes,bytes] 0-58", 0, 0, 0},
    {"extensions that are almost times",
     IN("\x94\xd4\xffx\xd5\xffxx\xd8\xffxxxxxxxxxxxxxxxx"
        "\xc7\x0c\x05xxxxxxxxxxxx"),
     "[bytes,bytes,bytes,bytes] 0-41", 0, 0, 0},
    {"a time of 4 bytes", IN("\x91\xd6\xff\x00\x00\x00\x0a"), "[10s] 0-7", 0, 0,
     0},
    {"a time of 8 bytes", IN("\x91\xd7\xff\x77\x35\x94\x00\x00\x00\x00\x01"),
     "[1.5s] 0-11", 0, 0, 0},
    {"a time of 12 bytes, before 1970",
     IN("\x91\xc7\x0c\xff\x1d\xcd\x65\x00\xff\xff\xff\xff\xff\xff\xff\xff"),
     "[-0.5s] 0-16", 0, 0, 0},
    {"Fluentd's time", IN("\x91\xd7\x00\x00\x00\x00\x01\x1d\xcd\x65\x00"),
     "[1.5s] 0-11", 0, 0, 0},
    {"Fluentd's time as ext 8",
     IN("\x91\xc7\x08\x00\x00\x00\x00\x01\x1d\xcd\x65\x00"), "[1.5s] 0-12", 0,
     0, 0},

    {"a map",
     IN("\x82\xa1"
        "a\x01\xa1"
        "b\x02"),
     "{a:1,b:2} 0-7", 0, 0, 0},
    {"containers of every length field",
     IN("\x94\xdc\x00\x01\x01\xdd\x00\x00\x00\x01\x02\xde\x00\x01\xa1k\x03"
        "\xdf\x00\x00\x00\x01\xa1k\x04"),
     "[[1],[2],{k:3},{k:4}] 0-25", 0, 0, 0},
    {"nested",
     IN("\x82\xa1"
        "a\x92\x01\x81\xa1"
        "b\x90\xa1"
        "c\x80"),
     "{a:[1,{b:[]}],c:{}} 0-12", 0, 0, 0},
    {"empty containers", IN("\x80\x90\x92\x80\x90"),
     "{} 0-1; [] 1-2; [{},[]] 2-5", 0, 0, 0},
    {"an empty key", IN("\x81\xa0\x01"), "{:1} 0-3", 0, 0, 0},
    {"duplicate keys",
     IN("\x82\xa1"
        "a\x01\xa1"
        "a\x02"),
     "{a:1,a:2} 0-7", 0, 0, 0},
    {"keys that are no text",
     IN("\x84\x01\x02\xc0\x03\xc4\x01x\x04\xa1"
        "b\x05"),
     "{2,3,4,b:5} 0-12", 0, 0, 0},
    {"keys that are containers",
     IN("\x82\x81\xa1x\x01\x05\x92\x01\xd9\x01y\x06"), "{5,6} 0-12", 0, 0, 0},

    {"an event",
     IN("\x92\x0a\x81\xa1"
        "a\x01"),
     "[10,{a:1}] 0-6 root 2", 0, 0, 0},
    {"an event with Fluentd's time",
     IN("\x92\xd7\x00\x00\x00\x00\x01\x00\x00\x00\x00\x81\xa1"
        "a\x01"),
     "[1s,{a:1}] 0-15 root 2", 0, 0, 0},
    {"an event with options beside its time",
     IN("\x92\x92\x0a\x80\x81\xa1"
        "a\x01"),
     "[[10,{}],{a:1}] 0-8 root 4", 0, 0, 0},
    {"an event with its tag",
     IN("\x93\xa1t\x0a\x81\xa1"
        "a\x01"),
     "[\"t\",10,{a:1}] 0-8 root 3", 0, 0, 0},
    {"an event with its tag and options",
     IN("\x94\xa1t\x0a\x81\xa1"
        "a\x01\x80"),
     "[\"t\",10,{a:1},{}] 0-9 root 3", 0, 0, 0},
    {"no event: a text for a time", IN("\x92\xa1t\x80"), "[\"t\",{}] 0-4", 0, 0,
     0},
    {"no event: nil for a time", IN("\x92\xc0\x80"), "[nil,{}] 0-3", 0, 0, 0},
    {"no event: no tag", IN("\x93\x01\x0a\x80"), "[1,10,{}] 0-4", 0, 0, 0},
    {"no event: one item more", IN("\x95\xa1t\x0a\x80\x80\x80"),
     "[\"t\",10,{},{},{}] 0-7", 0, 0, 0},
    {"no event: numbers only", IN("\x92\x01\x02"), "[1,2] 0-3", 0, 0, 0},

    {"a batch with a broken event", IN("\x92\xa1t\x91\x92\x01\x81\xc1"),
     "; lost: malformed@7", 0, 0, 0},
    {"a batch with a broken option",
     IN("\x93\xa1t\x91\x92\x01\x80\x81\x01\xc1"),
     "[1,{}] 4-7 root 2; lost: malformed@9", 0, 0, 0},
    {"a batch cut within an option", IN("\x93\xa1t\x91\x92\x01\x80\x81\x01"),
     "[1,{}] 4-7 root 2; lost: malformed@9", 0, 0, 0},
    {"no batch: bytes that end within an event",
     IN("\x92\xa1t\xc4\x01\x92\x91\x05"), "[\"t\",bytes] 0-6; [5] 6-8", 0, 0,
     0},
    {"no batch: bytes that end within a time",
     IN("\x92\xa1t\xc4\x02\x92\xcd\x92\x01\x80"),
     "[\"t\",bytes] 0-7; [1,{}] 7-10 root 2", 0, 0, 0},
    {"no batch: bytes that end before a map",
     IN("\x93\xa1t\xc4\x02\x92\x0a\x80\x91\x05"),
     "[\"t\",bytes,{}] 0-8; [5] 8-10", 0, 0, 0},

    {"a value alone, then a record", IN("\x2a\xa1x\x91\x01"),
     "!type@1 0-1; !type@2 1-3; [1] 3-5", 0, 0, 0},
    {"a byte that is never used", IN("\x91\x01\xc1"),
     "[1] 0-2; lost: malformed@2", 0, 0, 0},
    {"... in a record", IN("\x92\x01\xc1"), "; lost: malformed@2", 0, 0, 0},
    {"... as a key", IN("\x81\xc1"), "; lost: malformed@1", 0, 0, 0},
    {"... where nothing is looked at", IN("\x91\x91\x91\xc1"),
     "; lost: malformed@3", 0, 1, 0},
    {"... in a text is a byte", IN("\x91\xa1\xc1"), "[\"<c1>\"] 0-3", 0, 0, 0},

    {"as deep as allowed", IN("\x91\x91\x91\x01\x91\x01"),
     "[[[1]]] 0-4; [1] 4-6", 0, 3, 0},
    {"deeper", IN("\x92\x91\x91\x92\x01\xa1x\x02\x91\x01"),
     "!depth@4 0-8; [1] 8-10", 0, 3, 0},
    {"deeper and empty", IN("\x91\x91\x80\x91\x01"), "!depth@3 0-3; [1] 3-5", 0,
     2, 0},
    {"as many fields as allowed", IN("\x93\x01\x02\x03\x91\x01"),
     "[1,2,3] 0-4; [1] 4-6", 0, 0, 4},
    {"more fields", IN("\x94\x01\x02\x03\xa1x\x91\x01"),
     "!elements@5 0-6; [1] 6-8", 0, 0, 4},
    {"more fields, a container", IN("\x94\x01\x02\x03\x92\x05\x06\x91\x01"),
     "!elements@5 0-7; [1] 7-9", 0, 0, 4},
    {"as long as allowed",
     IN("\x91\xa6"
        "abcdef\x91\x01"),
     "[\"abcdef\"] 0-8; [1] 8-10", 8, 0, 0},
    {"longer",
     IN("\x91\xa7"
        "abcdefg"),
     "; lost: length@2", 8, 0, 0},
    {"a longer key",
     IN("\x81\xa7"
        "abcdefg\x01"),
     "; lost: length@2", 8, 0, 0},
    {"a key that leaves its value no room", IN("\x81\xa6"), "; lost: length@2",
     8, 0, 0},
    {"a key of bytes that leaves it none", IN("\x81\xc4\x05"),
     "; lost: length@3", 8, 0, 0},
    {"a key of items that leaves the next none", IN("\x82\x94"),
     "; lost: length@2", 8, 0, 0},
    {"a text that leaves the next none", IN("\x92\xa6"), "; lost: length@2", 8,
     0, 0},

    {"array of 2^32-1", IN("\xdd\xff\xff\xff\xff"), "; lost: length@5", 0, 0,
     0},
    {"map of 2^32-1", IN("\xdf\xff\xff\xff\xff"), "; lost: length@5", 0, 0, 0},
    {"text of 2^32-1", IN("\x91\xdb\xff\xff\xff\xff"), "; lost: length@6", 0, 0,
     0},
    {"bytes of 2^32-1", IN("\x91\xc6\xff\xff\xff\xff"), "; lost: length@6", 0,
     0, 0},
    {"extension of 2^32-1", IN("\x91\xc9\xff\xff\xff\xff\x01"),
     "; lost: length@7", 0, 0, 0},
    {"key of 2^32-1", IN("\x81\xdb\xff\xff\xff\xff"), "; lost: length@6", 0, 0,
     0},
    {"array of 2^26", IN("\xdd\x04\x00\x00\x00"), "; lost: length@5", 0, 0, 0},
    {"map of 2^26", IN("\xdf\x04\x00\x00\x00"), "; lost: length@5", 0, 0, 0},
    {"text of 2^26", IN("\x91\xdb\x04\x00\x00\x00"), "; lost: length@6", 0, 0,
     0},
    {"bytes of 2^26", IN("\x91\xc6\x04\x00\x00\x00"), "; lost: length@6", 0, 0,
     0},
    {"extension of 2^26", IN("\x91\xc9\x04\x00\x00\x00\x01"),
     "; lost: length@7", 0, 0, 0},
    {"arrays that together claim too much",
     IN("\xdd\x00\x08\x00\x00\xdd\x00\x08\x00\x00\xdd\x00\x08\x00\x00"),
     "; lost: length@10", 0, 0, 0},
    {"a key that claims too much", IN("\x81\xdd\xff\xff\xff\xff"),
     "; lost: length@6", 0, 0, 0},
    {"a value too deep that claims too much",
     IN("\x91\x91\xdd\xff\xff\xff\xff"), "; lost: length@7", 0, 1, 0},
    {"a value too deep before one that is too long",
     IN("\x92\x91\x01\xa6" "abcdef"), "; lost: length@4", 8, 1, 0},
    {"fields too many before one that is too long",
     IN("\x94\x01\x02\x03\xa6" "abcdef"), "; lost: length@5", 8, 0, 3},
    {"a value too deep that is cut short", IN("\x92\x91\x01\xa6" "ab"),
     "; lost: malformed@3", 0, 1, 0},
};

static struct trace_setup
setup_of(const struct test_case *test)
{
    return (struct trace_setup){
        .format = PRAE_FORMAT_MSGPACK,
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

/* Of a record cut short nothing is used; at the end it is malformed. */
static void
test_truncated(void)
{
    struct codec_limits limits = {1 << 20, 32, 65536};
    struct codec codec;
    int waits = 1, refuses = 1;

    NEED(pri_codec_init(&codec, PRAE_FORMAT_MSGPACK, &limits) == PRAE_OK);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct test_case *test = &cases[i];
        codec.reading = (struct reading){0};
        if (test->depth + test->elements + test->record_bytes > 0 ||
            pri_codec_next(&codec, test->input, test->len, 1) != PRAE_OK ||
            codec.record.start > 0) /* of a batch that is used up */
            continue;
        size_t len = codec.record.len_bytes;
        for (size_t cut = 0; cut < len; cut++) {
            waits &= pri_codec_next(&codec, test->input, cut, 0) == PRAE_MORE &&
                     codec.record.len_bytes == 0;
            if (cut > 0)
                refuses &=
                    pri_codec_next(&codec, test->input, cut, 1) == PRAE_EDATA &&
                    codec.record.len_bytes == 0 &&
                    codec.record.fault == FAULT_MALFORMED;
        }
    }
    ok(waits, "a record cut short anywhere waits for more");
    ok(refuses, "a record cut short at the end is malformed");
    pri_codec_fini(&codec);
}

/* COUNT heads one in the other around BODY. */
static void
put_nested(prae_buffer *out, const char *head, size_t head_len, size_t count,
           const char *body)
{
    for (size_t i = 0; i < count; i++)
        put(out, head, head_len);
    put(out, body, strlen(body));
}

static void
test_nesting(void)
{
    static const struct {
        const char *name, *head;
        size_t len, count;
        const char *body, *end;
    } nests[] = {
        {"32 arrays are taken", IN("\x91"), 32, "\x01",
         "[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]] 0-33"},
        {"33 arrays are not, the next record is", IN("\x91"), 33,
         "\x01\x91\x02", "!depth@33 0-34; [2] 34-36"},
        {"32 maps are taken", IN("\x81\xa1k"), 32, "\x01",
         "k:1}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}} 0-97"},
        {"33 maps are not", IN("\x81\xa1k"), 33, "\x01\x91\x02",
         "!depth@97 0-100; [2] 100-102"},
        {"a million arrays", IN("\x91"), 1000000, "\x01",
         "!depth@33 0-1000001"},
        {"31 arrays of 2^32-1", IN("\xdd\xff\xff\xff\xff"), 31, "\x01",
         "; lost: length@5"},
        {"31 maps of 2^14 are waited for", IN("\xde\x40\x00\xa1k"), 31, "\x01",
         "; lost: malformed@156"},
    };
    struct test_case defaults = {0};
    struct trace_setup setup = setup_of(&defaults);

    for (size_t i = 0; i < COUNT(nests); i++) {
        prae_buffer in = {0};
        put_nested(&in, nests[i].head, nests[i].len, nests[i].count,
                   nests[i].body);
        char *got = trace_run(&setup, in.data, in.len, in.len, 1);
        size_t len = strlen(got), end = strlen(nests[i].end);
        int same = len >= end && strcmp(got + len - end, nests[i].end) == 0;
        if (!ok(same, "%s", nests[i].name))
            printf("# got    %.200s\n# wanted %s\n", got, nests[i].end);
        free(got);
        buffer_fini(&in);
    }
}

/* Claims cost nothing; 65536 fields do not fit, found out by counting. */
static void
test_cost(void)
{
    struct codec_limits limits = {1 << 20, 32, 65536};
    prae_buffer in = {0};
    struct codec codec;

    NEED(pri_codec_init(&codec, PRAE_FORMAT_MSGPACK, &limits) == PRAE_OK);
    size_t cap = codec.record.cap;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (strstr(cases[i].name, "2^") != NULL)
            (void)pri_codec_next(&codec, cases[i].input, cases[i].len, 0);
    ok(codec.record.cap == cap, "a claim takes no memory");

    put_head(&in, 0xdd, (1 << 20) - 5, 4);
    for (size_t i = 5; i < 1 << 20; i++)
        put(&in, "\xc0", 1);
    ok(pri_codec_next(&codec, in.data, in.len, 0) == PRAE_OK &&
           codec.record.fault == FAULT_ELEMENTS &&
           codec.record.len_bytes == in.len,
       "a mebibyte of nil has too many elements, and an end");
    ok(pri_codec_next(&codec, in.data, in.len - 1, 0) == PRAE_MORE,
       "... and is waited for when a byte is missing");
    buffer_fini(&in);
    pri_codec_fini(&codec);
}

/* Processor time for reading IN in pieces of STEP bytes. */
static double
time_pieces(const prae_buffer *in, size_t step)
{
    struct codec_limits limits = {1 << 20, 32, 65536};
    size_t used = 0, have = 0;
    prae_status status;
    struct codec codec;

    NEED(pri_codec_init(&codec, PRAE_FORMAT_MSGPACK, &limits) == PRAE_OK);
    clock_t start = clock();
    do {
        status = pri_codec_next(&codec, in->data + used, have - used,
                                have == in->len);
        used += codec.record.len_bytes;
        if (status == PRAE_MORE)
            have = step < in->len - have ? have + step : in->len;
    } while (status == PRAE_OK || status == PRAE_MORE);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    NEED(status == PRAE_END && used == in->len);
    pri_codec_fini(&codec);
    return seconds;
}

/* A large value is not read from its start at each piece that comes,
 * wherever it stands. */
static void
test_pieces(void)
{
    static const struct {
        const char *name, *before;
        size_t before_len;
        const char *behind;
        size_t behind_len;
    } places[] = {
        {"a record", IN(""), IN("")},
        {"a record that is no event", IN("\x93\xa1t\x90"), IN("")},
        {"an event", IN("\x93\xa1t\x91\x92\x0a\x81\xa1k"), IN("\x80")},
        {"the time of an event", IN("\x92\xa1t\x91\x92"), IN("\x80")},
        {"what is no time", IN("\x92\xa1t\x91\x92"), IN("\x01")},
        {"options", IN("\x93\xa1t\x91\x92\x0a\x80"), IN("")},
    };

    for (size_t i = 0; i < COUNT(places); i++) {
        enum { ITEMS = 900000 };
        prae_buffer in = {0};
        put(&in, places[i].before, places[i].before_len);
        put_head(&in, 0xdd, ITEMS, 4);
        for (size_t k = 0; k < ITEMS; k++)
            put(&in, "\x01", 1);
        put(&in, places[i].behind, places[i].behind_len);
        double whole = time_pieces(&in, in.len), pieces = time_pieces(&in, 100);
        if (!ok(pieces < 100 * whole + 0.1, "large in small pieces: %s",
                places[i].name))
            printf("# %g s, whole %g s\n", pieces, whole);
        buffer_fini(&in);
    }
}

int
main(void)
{
    for (size_t i = 0; i < COUNT(cases); i++)
        test_case(&cases[i]);
    test_truncated();
    test_nesting();
    test_cost();
    test_pieces();
    return tap_done();
}
