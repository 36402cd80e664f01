/* Flagged records are read back as they were written, in every format,
 * however the bytes are cut; and bytes that lie are refused. */
#include "flagged.h"

#include <string.h>

#include "tap.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define NONE ((double)NAN)

static const char *const format_names[] = {"msgpack", "jsonl", "csv"};

static struct flagged got;
static struct flagged_fault fault;
static char *scratch, *copy;

/* Reads BYTES (LEN) from memory of just that size, for what checks bounds. */
static enum parse
read_bytes(prae_format format, const char *bytes, size_t len, int at_end)
{
    free(scratch);
    free(copy);
    scratch = malloc(len + (len == 0));
    copy = malloc(len + (len == 0));
    NEED(scratch != NULL && copy != NULL);
    if (len > 0)
        memcpy(copy, bytes, len);
    struct flagged_input input = {copy, len, at_end, scratch};
    fault = (struct flagged_fault){"", 0};
    return flagged_parse(format, &input, &got, &fault);
}

static int
is_number(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) < 1e-6;
}

/* ---- there and back ---- */

static const prae_reason why[] = {
    {"temp", 0.75, 93.5, 21.25, NULL, NULL, 0},
    {"state, rarest words", 0.25, 4.0, 0.5, "bro\"ken", "ok", 1},
    {"gone", 0.0, NONE, 2.0, NULL, NULL, 0},
};

static const char packed[] = "\x82\xa1"
                             "a\x01\xa1"
                             "b\xcb\x40\x09\x21\xfb\x54\x44\x2d\x18";

/* A record of each format, and what it is without its line's end. */
static const struct {
    prae_format format;
    const char *record;
    size_t len, end;
} records[] = {
#define RECORD(text) text, sizeof(text) - 1
    {PRAE_FORMAT_MSGPACK, packed, sizeof packed - 1, 0},
    {PRAE_FORMAT_JSONL, RECORD("{\"a\": [1,\"x}\\\"\"],\"b\":NaN}\n"), 1},
    {PRAE_FORMAT_JSONL, RECORD(" [1, 2]\t\r\n"), 2},
    {PRAE_FORMAT_CSV, RECORD("1,\"x\"\"y,\n\",3\n"), 1},
    {PRAE_FORMAT_CSV, RECORD("1,st\"ray,\r\n"), 2},
    {PRAE_FORMAT_CSV, RECORD("\"only\",,\n"), 1},
};

static prae_verdict
outlier(size_t r)
{
    return (prae_verdict){.kind = PRAE_KIND_OUTLIER,
                          .seq = 41,
                          .score = 1.5,
                          .p = 0.25,
                          .gate = NONE,
                          .error = 2.0,
                          .window = 3,
                          .model = 2,
                          .state = PRAE_STATE_BURST,
                          .why = why,
                          .why_count = COUNT(why),
                          .parsed = 1,
                          .columns = 3,
                          .record = records[r].record,
                          .record_len = records[r].len};
}

static int
has_reasons(void)
{
    const struct reason *r = got.why;

    return got.why_count == 3 && word_is(r[0].field, "temp") &&
           is_number(r[0].share, 0.75) &&
           is_number(r[0].observed.number, 93.5) &&
           is_number(r[0].expected.number, 21.25) &&
           word_is(r[1].field, "state, rarest words") &&
           r[1].observed.kind == VALUE_TEXT &&
           word_is(r[1].observed.text, "bro\"ken") &&
           word_is(r[1].expected.text, "ok") &&
           r[2].observed.kind == VALUE_NONE &&
           is_number(r[2].expected.number, 2.0);
}

static int
is_original(const char *bytes, size_t len)
{
    return got.original.len + got.end.len == len &&
           memcmp(got.original.text, bytes, got.original.len) == 0 &&
           memcmp(got.end.text, bytes + got.original.len, got.end.len) == 0;
}

static void
test_outlier(size_t r)
{
    const char *name = format_names[records[r].format];
    prae_verdict verdict = outlier(r);
    prae_buffer out = {0};
    size_t early = 0, misread = 0;

    NEED(prae_verdict_write(&verdict, records[r].format, &out) == PRAE_OK);
    enum parse status = read_bytes(records[r].format, out.data, out.len, 0);
    ok(status == PARSE_OK && got.start == 0 && got.size == out.len,
       "%s: an outlier is read whole", name);
    ok(!got.is_reject && got.seq == 41 && is_number(got.score, 1.5) &&
           is_number(got.p, 0.25) && isnan(got.gate) &&
           is_number(got.error, 2.0) && got.window == 3 &&
           word_is(got.state, "burst") && has_reasons(),
       "%s: with all that is said of it", name);
    ok(is_number(got.model, records[r].format == PRAE_FORMAT_CSV ? NONE : 2.0),
       "%s: its model, where the format has it", name);
    ok(got.end.len == records[r].end &&
           is_original(records[r].record, records[r].len) && got.is_whole,
       "%s: and its own bytes, to the line's end", name);
    for (size_t len = 0; len < out.len; len++) {
        early += read_bytes(records[r].format, out.data, len, 0) != PARSE_MORE;
        status = read_bytes(records[r].format, out.data, len, 1);
        misread += len > 0 && status == PARSE_END;
        misread +=
            status == PARSE_OK &&
            !is_original(records[r].record, records[r].len - records[r].end);
    }
    ok(early == 0, "%s: cut anywhere it waits for more", name);
    ok(misread == 0, "%s: cut for good it is never taken for another", name);
    free(out.data);
}

static void
test_reject(prae_format format, const char *code, const char *bytes, size_t len,
            size_t kept, int is_whole)
{
    prae_verdict verdict = {.kind = PRAE_KIND_REJECT,
                            .score = NONE,
                            .p = NONE,
                            .gate = NONE,
                            .error = NONE,
                            .reject_code = code,
                            .reject_text = "line 7: not so",
                            .columns = 3,
                            .record = bytes,
                            .record_len = len};
    prae_buffer out = {0};

    NEED(prae_verdict_write(&verdict, format, &out) == PRAE_OK);
    enum parse status = read_bytes(format, out.data, out.len, 0);
    ok(status == PARSE_OK && got.is_reject && isnan(got.score) &&
           word_is(got.code, code) && word_is(got.clause, "line 7: not so") &&
           got.original.len == kept &&
           memcmp(got.original.text, bytes, kept) == 0 &&
           got.is_whole == is_whole,
       "%s: a reject, %s", format_names[format], code);
    free(out.data);
}

static void
test_rejects(void)
{
    static const char bad[] = "{\"a\":\"\t\x01\xc3\xa9\\\n";
    static const char worse[] = "\xff,\"\"x\"\r\n";

    test_reject(PRAE_FORMAT_MSGPACK, "malformed", "\xc1\xff", 2, 2, 1);
    test_reject(PRAE_FORMAT_MSGPACK, "length", "\xc1\xff", 2, 2, 1);
    test_reject(PRAE_FORMAT_MSGPACK, "parts", "", 0, 0, 0);
    test_reject(PRAE_FORMAT_JSONL, "malformed", bad, sizeof bad - 1,
                sizeof bad - 2, 1);
    test_reject(PRAE_FORMAT_JSONL, "malformed", worse, sizeof worse - 1,
                sizeof worse - 3, 1);
    test_reject(PRAE_FORMAT_JSONL, "depth", "[[[]]]\n", 7, 6, 1);
    test_reject(PRAE_FORMAT_JSONL, "length", "[1,2", 4, 4, 0);
    test_reject(PRAE_FORMAT_CSV, "malformed", worse, sizeof worse - 1,
                sizeof worse - 3, 1);
    test_reject(PRAE_FORMAT_CSV, "dimension", "1,\"2\"\n", 6, 5, 1);
    test_reject(PRAE_FORMAT_CSV, "length", "1,2", 3, 3, 0);
}

/* ---- what others might do ---- */

static void
test_others(void)
{
    const char *line =
        " {\"record\" : [1] , \"new\":{\"why\":[[]]}, \"kind\":\"outlier\","
        "\"v\":1,\"why\":[],\"raw\\u0041\":null,\"seq\":18446744073709551615}"
        " \n";
    ok(read_bytes(PRAE_FORMAT_JSONL, line, strlen(line), 0) == PARSE_OK &&
           got.seq == UINT64_MAX && word_is(got.original, " [1] ") &&
           isnan(got.score),
       "keys in another order, blanks, and keys that are not known");
    line =
        "\n \r\n{\"v\":1,\"kind\":\"reject\",\"raw\":\"\\ud83d\\ude00\\/\\n\""
        "}\n{";
    ok(read_bytes(PRAE_FORMAT_JSONL, line, strlen(line), 0) == PARSE_OK &&
           got.start == 4 && got.size == strlen(line) - 5 &&
           word_is(got.original, "\xf0\x9f\x98\x80/\n"),
       "blank lines are passed over, and escapes undone");
    line = "a,\"b\nc\",seq,score,p,gate,error,window,state,why\r\n1,2";
    ok(read_bytes(PRAE_FORMAT_CSV, line, strlen(line), 0) == PARSE_OK &&
           got.is_header && word_is(got.original, "a,\"b\nc\"") &&
           word_is(got.end, "\r\n"),
       "a CSV's header is known by its last names");
    line = "1,9,2.5,,,,3,live,\"a; b 7% x not y; c not d; e 3% 1 not 2\"\n";
    ok(read_bytes(PRAE_FORMAT_CSV, line, strlen(line), 0) == PARSE_OK &&
           got.why_count == 2 && word_is(got.why[0].field, "a; b") &&
           word_is(got.why[0].observed.text, "x") &&
           word_is(got.why[0].expected.text, "y; c not d") &&
           word_is(got.why[1].field, "e"),
       "reasons of a CSV whose texts have such words in them");
    line = "1,9,2.5,,,,3,live,\"\"\n";
    ok(read_bytes(PRAE_FORMAT_CSV, line, strlen(line), 0) == PARSE_OK &&
           got.why_count == 0 && word_is(got.original, "1"),
       "a CSV's row without reasons");
    line = " \n\n";
    ok(read_bytes(PRAE_FORMAT_CSV, line, 3, 1) == PARSE_END &&
           read_bytes(PRAE_FORMAT_JSONL, line, 3, 1) == PARSE_END &&
           read_bytes(PRAE_FORMAT_MSGPACK, line, 0, 1) == PARSE_END,
       "nothing is the end");
}

/* As many reasons as no record has: the rest of them is passed over. */
static void
test_many_reasons(void)
{
    static const char reason[] = "[\"f\",0.5,1,2,\"more\"],";
    const char *head = "{\"v\":1,\"kind\":\"outlier\",\"why\":[";
    const char *tail = "[\"f\",0.5,1,2]],\"record\":{}}\n";
    size_t count = 2 * FLAGGED_REASONS;
    char *line = malloc(strlen(head) + count * sizeof reason + strlen(tail));

    NEED(line != NULL);
    strcpy(line, head);
    for (size_t i = 0; i < count; i++)
        strcat(line, reason);
    strcat(line, tail);
    ok(read_bytes(PRAE_FORMAT_JSONL, line, strlen(line), 0) == PARSE_OK &&
           got.why_count == FLAGGED_REASONS && word_is(got.original, "{}"),
       "more reasons than there may be are passed over");
    free(line);
}

/* A record may be a number of any length, which those that are read as
 * numbers may not. */
static void
test_long_numbers(void)
{
    const char *head = "{\"v\":1,\"kind\":\"reject\",\"record\":";
    char digits[301] = "-", line[400];
    size_t bad = 0;

    memset(digits + 1, '7', sizeof digits - 2);
    memcpy(digits + 200, ".5e+", 4);
    for (size_t len = 60; len < sizeof digits; len++) {
        char kept = digits[len];
        digits[len] = '\0';
        snprintf(line, sizeof line, "%s%s}\n", head, digits);
        enum parse status =
            read_bytes(PRAE_FORMAT_JSONL, line, strlen(line), 0);
        bad += status != PARSE_OK || !word_is(got.original, digits);
        digits[len] = kept;
    }
    ok(bad == 0, "a record may be a number of hundreds of digits");
    snprintf(line, sizeof line, "{\"score\":%s}\n", digits);
    ok(read_bytes(PRAE_FORMAT_JSONL, line, strlen(line), 0) == PARSE_BAD &&
           strcmp(fault.what, "a number should be before") == 0,
       "but a score is none then");
    digits[100] = 'x';
    snprintf(line, sizeof line, "%s%s}\n", head, digits);
    ok(read_bytes(PRAE_FORMAT_JSONL, line, strlen(line), 0) == PARSE_BAD &&
           strcmp(fault.what, "no value is here") == 0,
       "and what has another letter in it is no number");
}

/* ---- what is refused ---- */

static const struct {
    prae_format format;
    const char *bytes;
    size_t len; /* 0: to the zero */
    enum parse status;
    const char *what; /* a part of it */
} hostile[] = {
    {PRAE_FORMAT_MSGPACK, "\x93\x01\x02\x03", 0, PARSE_BAD, "no map"},
    {PRAE_FORMAT_MSGPACK, "\x81\xa1v\xc1", 0, PARSE_BAD, "0xc1"},
    {PRAE_FORMAT_MSGPACK, "\x81\xa1v\x02", 0, PARSE_BAD, "version"},
    {PRAE_FORMAT_MSGPACK, "\x81\xa1x\x02", 0, PARSE_BAD, "no v and kind"},
    {PRAE_FORMAT_MSGPACK, "\x80", 0, PARSE_BAD, "no v and kind"},
    {PRAE_FORMAT_MSGPACK, "\x81\xa3why\x91\x91\xa1y\xa5score", 0, PARSE_BAD,
     "too short"},
    {PRAE_FORMAT_MSGPACK, "\x81\xa3why\x91\x90\x90\x90", 0, PARSE_BAD,
     "too short"},
    {PRAE_FORMAT_MSGPACK, "\x81\xa3seq\xff", 0, PARSE_BAD, "whole number"},
    {PRAE_FORMAT_MSGPACK, "\x81\xa3seq\xd3\xff\xff\xff\xff\xff\xff\xff\xff", 0,
     PARSE_BAD, "whole number"},
    {PRAE_FORMAT_MSGPACK, "\xdf\xff\xff\xff\xff", 0, PARSE_MORE, ""},
    {PRAE_FORMAT_MSGPACK, "\x81\xdb\xff\xff\xff\xffx", 0, PARSE_MORE, ""},
    {PRAE_FORMAT_MSGPACK, "\x81\xa1x\xdd\xff\xff\xff\xff", 0, PARSE_MORE, ""},
    {PRAE_FORMAT_MSGPACK, "\x81\xa1x\xc9\xff\xff\xff\xff\x01", 0, PARSE_MORE,
     ""},
    {PRAE_FORMAT_JSONL, "[1,2]\n", 0, PARSE_BAD, "no object"},
    {PRAE_FORMAT_JSONL, "{\"v\":2,\"kind\":\"outlier\"}\n", 0, PARSE_BAD,
     "version"},
    {PRAE_FORMAT_JSONL, "{\"v\":1,\"kind\":\"inlier\"}\n", 0, PARSE_BAD,
     "neither"},
    {PRAE_FORMAT_JSONL, "{\"v\":1,\"kind\":\"outlier\"}\n", 0, PARSE_BAD,
     "no record"},
    {PRAE_FORMAT_JSONL, "{\"v\":1,\"kind\":\"outlier\",\"record\":1}}\n", 0,
     PARSE_BAD, "follows"},
    {PRAE_FORMAT_JSONL,
     RECORD("{\"v\":1,\"kind\":\"outlier\",\"record\":1}\0\n"), PARSE_BAD,
     "follows"},
    {PRAE_FORMAT_JSONL, "{\"record\":[[[}\n", 0, PARSE_BAD, "bracket"},
    {PRAE_FORMAT_JSONL, "{\"record\":{\"x\":\"\n", 0, PARSE_BAD, "string"},
    {PRAE_FORMAT_JSONL, "{\"a\":\"\\q\"}\n", 0, PARSE_BAD, "escape"},
    {PRAE_FORMAT_JSONL, "{\"a\":\"\\ud800\"}\n", 0, PARSE_BAD, "escape"},
    {PRAE_FORMAT_JSONL, "{\"a\":\"\\u12\n", 0, PARSE_BAD, "escape"},
    {PRAE_FORMAT_JSONL, "{\"a\" 1}\n", 0, PARSE_BAD, "colon"},
    {PRAE_FORMAT_JSONL, "{a:1}\n", 0, PARSE_BAD, "key"},
    {PRAE_FORMAT_JSONL, "{\"a\":1 \"b\":2}\n", 0, PARSE_BAD, "comma"},
    {PRAE_FORMAT_JSONL, "{\"a\":}\n", 0, PARSE_BAD, "no value"},
    {PRAE_FORMAT_JSONL, "{\"a\":1e}\n", 0, PARSE_BAD, "no value"},
    {PRAE_FORMAT_JSONL, "{\"seq\":-1}\n", 0, PARSE_BAD, "whole"},
    {PRAE_FORMAT_JSONL, "{\"seq\":18446744073709551616}\n", 0, PARSE_BAD,
     "whole"},
    {PRAE_FORMAT_JSONL, "{\"score\":\"x\"}\n", 0, PARSE_BAD, "number"},
    {PRAE_FORMAT_JSONL, "{\"raw64\":\"a%\"}\n", 0, PARSE_BAD, "base64"},
    {PRAE_FORMAT_JSONL, "{\"why\":{}}\n", 0, PARSE_BAD, "list"},
    {PRAE_FORMAT_JSONL, "{\"why\":[[\"a\"]]}\n", 0, PARSE_BAD, "too short"},
    {PRAE_FORMAT_CSV, "1,2,3\n", 0, PARSE_BAD, "no flagged row"},
    {PRAE_FORMAT_CSV, "\"\n", 0, PARSE_MORE, ""},
    {PRAE_FORMAT_CSV, "1,,,,,1,live,\"\"\n", 0, PARSE_BAD, "no flagged row"},
    {PRAE_FORMAT_CSV, "1,x,,,,,1,live,\"\"\n", 0, PARSE_BAD, "whole"},
    {PRAE_FORMAT_CSV, "1,2,x,,,,1,live,\"\"\n", 0, PARSE_BAD, "no number"},
    {PRAE_FORMAT_CSV, "\"\"\n", 0, PARSE_BAD, "no flagged row"},
};

static void
test_hostile(void)
{
    for (size_t i = 0; i < COUNT(hostile); i++) {
        size_t len =
            hostile[i].len > 0 ? hostile[i].len : strlen(hostile[i].bytes);
        enum parse status =
            read_bytes(hostile[i].format, hostile[i].bytes, len, 0);
        ok(status == hostile[i].status &&
               strstr(fault.what, hostile[i].what) != NULL && fault.at <= len,
           "%s: %s", format_names[hostile[i].format],
           status == PARSE_BAD ? fault.what : "more is waited for");
    }
}

/* Nesting costs no stack. */
static void
test_depth(void)
{
    size_t depth = 1000000;
    char *bytes = malloc(depth + 64);

    NEED(bytes != NULL);
    memcpy(bytes, "\x82\xa1v\x01\xa6record", 11);
    memset(bytes + 11, 0x91, depth);
    bytes[11 + depth] = 1;
    ok(read_bytes(PRAE_FORMAT_MSGPACK, bytes, depth + 12, 0) == PARSE_BAD &&
           strstr(fault.what, "no v and kind") != NULL,
       "msgpack: a million lists within each other are skipped");
    memcpy(bytes, "{\"record\":", 10);
    memset(bytes + 10, '[', depth);
    bytes[10 + depth] = '\n';
    ok(read_bytes(PRAE_FORMAT_JSONL, bytes, depth + 11, 0) == PARSE_BAD &&
           strstr(fault.what, "bracket") != NULL,
       "jsonl: a million brackets are counted");
    free(bytes);
}

int
main(void)
{
    for (size_t r = 0; r < COUNT(records); r++)
        test_outlier(r);
    test_rejects();
    test_others();
    test_many_reasons();
    test_long_numbers();
    test_hostile();
    test_depth();
    free(scratch);
    free(copy);
    return tap_done();
}
