/* What leaves the filter can be read back by others: MessagePack, JSON and
 * CSV, whatever the names and texts are. */
#include <msgpack.h>

#include "stream.h"
#include "text.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define NONE ((double)NAN)

static const char record[] = "\x82\xa1"
                             "a\x01\xa1"
                             "b\xcb\x40\x09\x21\xfb\x54\x44\x2d\x18";

static const prae_reason why[] = {
    {"temp", 0.75, 93.5, 21.25, NULL, NULL, 0},
    {"state", 0.25, 4.0, 0.5, "broken", "ok", 1},
    {"gone", 0.0, NONE, 2.0, NULL, NULL, 0},
};

static prae_verdict
outlier(void)
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
                          .record = record,
                          .record_len = sizeof record - 1};
}

static prae_verdict
reject(int parsed, const char *bytes, size_t len)
{
    return (prae_verdict){.kind = PRAE_KIND_REJECT,
                          .score = NONE,
                          .p = NONE,
                          .gate = NONE,
                          .error = NONE,
                          .state = PRAE_STATE_WARMING,
                          .reject_code = "malformed",
                          .reject_text = "not a value",
                          .parsed = parsed,
                          .record = bytes,
                          .record_len = len};
}

/* ---- MessagePack ---- */

/* Whether KV's key is KEY. */
static int
is_key(const msgpack_object_kv *kv, const char *key)
{
    return kv->key.type == MSGPACK_OBJECT_STR &&
           kv->key.via.str.size == strlen(key) &&
           memcmp(kv->key.via.str.ptr, key, strlen(key)) == 0;
}

static int
is_text(const msgpack_object *object, const char *text)
{
    return object->type == MSGPACK_OBJECT_STR &&
           object->via.str.size == strlen(text) &&
           memcmp(object->via.str.ptr, text, strlen(text)) == 0;
}

/* The keys of the map in BUFFER are KEYS, and nothing follows it. */
static int
unpack(const prae_buffer *buffer, msgpack_unpacked *out,
       const char *const *keys, size_t count)
{
    size_t end = 0;

    msgpack_unpacked_init(out);
    if (msgpack_unpack_next(out, buffer->data, buffer->len, &end) !=
            MSGPACK_UNPACK_SUCCESS ||
        end != buffer->len || out->data.type != MSGPACK_OBJECT_MAP ||
        out->data.via.map.size != count)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (!is_key(&out->data.via.map.ptr[i], keys[i]))
            return 0;
    return 1;
}

static void
test_msgpack(void)
{
    static const char *const keys[] = {"v",     "kind",  "seq",   "score",
                                       "p",     "gate",  "error", "window",
                                       "model", "state", "why",   "record"};
    static const char *const refused[] = {
        "v",      "kind",  "seq",   "score", "p",      "gate", "error",
        "window", "model", "state", "why",   "reason", "raw"};
    static const char *const scores[] = {"seq",  "verdict", "score",  "p",
                                         "gate", "error",   "window", "state"};
    prae_verdict verdict = outlier();
    prae_buffer buffer = {0};
    msgpack_unpacked got;

    NEED(prae_verdict_write(&verdict, PRAE_FORMAT_MSGPACK, &buffer) == PRAE_OK);
    ok(unpack(&buffer, &got, keys, COUNT(keys)), "an outlier's keys in order");
    const msgpack_object_kv *kv = got.data.via.map.ptr;
    ok(kv[0].val.via.u64 == 1 && is_text(&kv[1].val, "outlier") &&
           kv[2].val.via.u64 == 41 && kv[3].val.via.f64 == 1.5 &&
           kv[4].val.via.f64 == 0.25 && kv[6].val.via.f64 == 2.0 &&
           kv[7].val.via.u64 == 3 && kv[8].val.via.u64 == 2 &&
           is_text(&kv[9].val, "burst"),
       "... and its values");
    ok(kv[5].val.type == MSGPACK_OBJECT_NIL, "nil where there is no gate");
    const msgpack_object *reasons = kv[10].val.via.array.ptr;
    ok(kv[10].val.via.array.size == 3 && reasons[0].via.array.size == 4 &&
           is_text(&reasons[0].via.array.ptr[0], "temp") &&
           reasons[0].via.array.ptr[1].via.f64 == 0.75 &&
           reasons[0].via.array.ptr[2].via.f64 == 93.5 &&
           is_text(&reasons[1].via.array.ptr[2], "broken") &&
           is_text(&reasons[1].via.array.ptr[3], "ok") &&
           reasons[2].via.array.ptr[2].type == MSGPACK_OBJECT_NIL,
       "reasons with numbers, texts and what is missing");
    ok(memcmp(buffer.data + buffer.len - (sizeof record - 1), record,
              sizeof record - 1) == 0,
       "the record is there, byte for byte");
    msgpack_unpacked_destroy(&got);

    buffer.len = 0;
    verdict = reject(0, "\xc1\xff", 2);
    NEED(prae_verdict_write(&verdict, PRAE_FORMAT_MSGPACK, &buffer) == PRAE_OK);
    ok(unpack(&buffer, &got, refused, COUNT(refused)),
       "a reject's keys in order");
    kv = got.data.via.map.ptr;
    ok(is_text(&kv[11].val.via.array.ptr[0], "malformed") &&
           kv[12].val.type == MSGPACK_OBJECT_BIN &&
           kv[12].val.via.bin.size == 2 &&
           memcmp(kv[12].val.via.bin.ptr, "\xc1\xff", 2) == 0 &&
           kv[3].val.type == MSGPACK_OBJECT_NIL,
       "... its reason, and its bytes as bytes");
    msgpack_unpacked_destroy(&got);

    buffer.len = 0;
    NEED(prae_verdict_write_score(&verdict, PRAE_FORMAT_MSGPACK, &buffer) ==
         PRAE_OK);
    ok(unpack(&buffer, &got, scores, COUNT(scores)) &&
           is_text(&got.data.via.map.ptr[1].val, "reject"),
       "a row of scores");
    msgpack_unpacked_destroy(&got);
    buffer_fini(&buffer);
}

/* ---- JSON and CSV ---- */

static int
writes(const prae_verdict *verdict, prae_format format, int score,
       const char *wanted)
{
    prae_buffer buffer = {0};
    prae_status status =
        score ? prae_verdict_write_score(verdict, format, &buffer)
              : prae_verdict_write(verdict, format, &buffer);
    int same = status == PRAE_OK && buffer.len == strlen(wanted) &&
               memcmp(buffer.data, wanted, buffer.len) == 0;

    if (!same)
        printf("# got    %.*s# wanted %s", (int)buffer.len, buffer.data,
               wanted);
    buffer_fini(&buffer);
    return same;
}

static void
test_json(void)
{
    static const prae_reason odd[] = {
        {"a\"b\\c\n\x01", 1.0, 1.0, 2.0, "\"\t\x1f\\", "\xc3\xa9", 0}};
    prae_verdict verdict = outlier();

    verdict.record = "{\"a\": 1}\r\n";
    verdict.record_len = 10;
    ok(writes(&verdict, PRAE_FORMAT_JSONL, 0,
              "{\"v\":1,\"kind\":\"outlier\",\"seq\":41,\"score\":1.5,\"p\":"
              "0.25,\"gate\":null,\"error\":2,\"window\":3,\"model\":2,"
              "\"state\":\"burst\",\"why\":[[\"temp\",0.75,93.5,21.25],"
              "[\"state\",0.25,\"broken\",\"ok\"],[\"gone\",0,null,2]],"
              "\"record\":{\"a\": 1}}\r\n"),
       "an outlier in JSON, with its line's end behind the envelope");
    verdict.why = odd;
    verdict.why_count = 1;
    ok(writes(&verdict, PRAE_FORMAT_JSONL, 0,
              "{\"v\":1,\"kind\":\"outlier\",\"seq\":41,\"score\":1.5,\"p\":"
              "0.25,\"gate\":null,\"error\":2,\"window\":3,\"model\":2,"
              "\"state\":\"burst\",\"why\":[[\"a\\\"b\\\\c\\u000a\\u0001\",1,"
              "\"\\\"\\u0009\\u001f\\\\\",\"\xc3\xa9\"]],"
              "\"record\":{\"a\": 1}}\r\n"),
       "names and texts are escaped");
    verdict.why_count = 0;
    verdict.record_len = 8;
    ok(writes(&verdict, PRAE_FORMAT_JSONL, 0,
              "{\"v\":1,\"kind\":\"outlier\",\"seq\":41,\"score\":1.5,\"p\":"
              "0.25,\"gate\":null,\"error\":2,\"window\":3,\"model\":2,"
              "\"state\":\"burst\",\"why\":[],\"record\":{\"a\": 1}}\n"),
       "a line without an end gets one");
    verdict.record_len = 9;
    ok(writes(&verdict, PRAE_FORMAT_JSONL, 0,
              "{\"v\":1,\"kind\":\"outlier\",\"seq\":41,\"score\":1.5,\"p\":"
              "0.25,\"gate\":null,\"error\":2,\"window\":3,\"model\":2,"
              "\"state\":\"burst\",\"why\":[],\"record\":{\"a\": 1}}\r\n"),
       "one that was cut within its end keeps what there is of it");
    verdict = reject(0, "{\"a\":\n", 6);
    ok(writes(
           &verdict, PRAE_FORMAT_JSONL, 0,
           "{\"v\":1,\"kind\":\"reject\",\"seq\":0,\"score\":null,\"p\":null,"
           "\"gate\":null,\"error\":null,\"window\":0,\"model\":0,"
           "\"state\":\"warming\",\"why\":[],\"reason\":[\"malformed\","
           "\"not a value\"],\"raw\":\"{\\\"a\\\":\"}\n"),
       "a reject that is UTF-8 is a string");
    verdict = reject(0, "\xff\xfe\xfd\xfc\n", 5);
    ok(writes(
           &verdict, PRAE_FORMAT_JSONL, 0,
           "{\"v\":1,\"kind\":\"reject\",\"seq\":0,\"score\":null,\"p\":null,"
           "\"gate\":null,\"error\":null,\"window\":0,\"model\":0,"
           "\"state\":\"warming\",\"why\":[],\"reason\":[\"malformed\","
           "\"not a value\"],\"raw64\":\"//79/A==\"}\n"),
       "one that is not, base64");
    ok(writes(&verdict, PRAE_FORMAT_JSONL, 1,
              "{\"seq\":0,\"verdict\":\"reject\",\"score\":null,\"p\":null,"
              "\"gate\":null,\"error\":null,\"window\":0,\"state\":"
              "\"warming\"}\n"),
       "a row of scores in JSON");
}

static void
test_infinity(void)
{
    static const prae_reason far[] = {
        {"x", 1.0, (double)INFINITY, -(double)INFINITY, NULL, NULL, 0}};
    prae_verdict verdict = outlier();
    prae_buffer buffer = {0};

    verdict.why = far;
    verdict.why_count = 1;
    verdict.record = "{}";
    verdict.record_len = 2;
    NEED(prae_verdict_write(&verdict, PRAE_FORMAT_JSONL, &buffer) == PRAE_OK);
    put(&buffer, "", 1);
    ok(strstr(buffer.data, "inf") == NULL, "JSON has no infinity");
    buffer_fini(&buffer);
}

static void
test_csv(void)
{
    static const prae_reason odd[] = {
        {"a\"b,c", 0.756, 1.0, 2.0, "say \"no\"\n", NULL, 0}};
    prae_verdict verdict = outlier();

    verdict.record = "1,\"x\"\"y\"\r\n";
    verdict.record_len = 10;
    ok(writes(&verdict, PRAE_FORMAT_CSV, 0,
              "1,\"x\"\"y\",41,1.5,0.25,,2,3,burst,\"temp 75% 93.5 not 21.25; "
              "state 25% broken not ok; gone 0% nan not 2\"\r\n"),
       "an outlier in CSV: its row and more columns");
    verdict.why = odd;
    verdict.why_count = 1;
    ok(writes(&verdict, PRAE_FORMAT_CSV, 0,
              "1,\"x\"\"y\",41,1.5,0.25,,2,3,burst,\"a\"\"b,c 76% say "
              "\"\"no\"\"\n not 2\"\r\n"),
       "quotes in a quoted cell are doubled");
    verdict = reject(1, "1,2,3\n", 6);
    ok(writes(&verdict, PRAE_FORMAT_CSV, 0,
              "1,2,3,0,,,,,0,reject,\"malformed: not a value\"\n"),
       "a reject in CSV: empty cells, and why");
    verdict = reject(1, "\"5\",\n", 5);
    verdict.reject_code = "dimension";
    verdict.columns = 2;
    ok(writes(&verdict, PRAE_FORMAT_CSV, 0,
              "\"\"\"5\"\",\",,0,,,,,0,reject,\"dimension: not a value\"\n"),
       "... and a row of another width as one cell, whoever refused it");
    verdict = reject(1, "1,2,3\n", 6);
    ok(writes(&verdict, PRAE_FORMAT_CSV, 1, "0,reject,,,,,0,warming\n"),
       "a row of scores in CSV");
}

/* Texts and numbers longer than any that a filter makes, as whoever fills in
 * a verdict by hand may have them. */
static void
test_long(void)
{
    static const prae_reason vast[] = {{"x", 1e300, 1.0, 2.0, NULL, NULL, 0}};
    char text[301], wanted[1024];
    prae_verdict verdict = reject(1, "1\n", 2);

    memset(text, 'x', sizeof text - 1);
    text[0] = '"';
    text[sizeof text - 1] = '\0';
    verdict.reject_text = text;
    snprintf(wanted, sizeof wanted,
             "1,0,,,,,0,reject,\"malformed: \"%s\"\n", text);
    ok(writes(&verdict, PRAE_FORMAT_CSV, 0, wanted),
       "a clause of any length in CSV");
    snprintf(wanted, sizeof wanted,
             "{\"v\":1,\"kind\":\"reject\",\"seq\":0,\"score\":null,\"p\":null,"
             "\"gate\":null,\"error\":null,\"window\":0,\"model\":0,"
             "\"state\":\"warming\",\"why\":[],\"reason\":[\"malformed\","
             "\"\\%s\"],\"record\":1}\n",
             text);
    ok(writes(&verdict, PRAE_FORMAT_JSONL, 0, wanted), "and in JSON");
    verdict = outlier();
    verdict.why = vast;
    verdict.why_count = 1;
    verdict.record = "1\n";
    verdict.record_len = 2;
    snprintf(wanted, sizeof wanted,
             "1,41,1.5,0.25,,2,3,burst,\"x %.0f%% 1 not 2\"\n",
             100.0 * vast[0].share);
    ok(writes(&verdict, PRAE_FORMAT_CSV, 0, wanted),
       "a number of 303 digits in CSV");
}

/* ---- what a filter makes of hostile names ---- */

static void
look(const prae_verdict *verdict, void *data)
{
    int *bad = data;

    for (size_t i = 0; i < verdict->why_count; i++) {
        const prae_reason *reason = &verdict->why[i];
        const char *const texts[] = {reason->field, reason->observed_text,
                                     reason->expected_text};
        for (size_t t = 0; t < COUNT(texts); t++)
            *bad +=
                texts[t] != NULL &&
                pri_utf8_valid(texts[t], strlen(texts[t])) != strlen(texts[t]);
    }
}

static void
test_names(void)
{
    prae_params params;
    struct stream stream;
    prae_buffer in = {0};
    char accents[401] = "";
    int bad = 0;

    for (int i = 0; i < 200; i++)
        strcat(accents, "\xc3\xa9");
    prae_params_init(&params);
    params.format = PRAE_FORMAT_JSONL;
    params.window = 50;
    params.cold = PRAE_COLD_FLAG;
    for (int i = 0; i < 50; i++)
        put_line(&in, "{\"%s\":%d,\"\\u0001\\\"\":%d,\"c\":\"%.60s%d\"}\n",
                 accents, i * 7 % 11, i * 3 % 7, accents, i % 2);
    stream_open(&stream, &params);
    stream.look = look;
    stream.data = &bad;
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 1) == PRAE_OK);
    ok(bad == 0, "names and texts of reasons are cut between characters (%d)",
       bad);
    put(&stream.log, "", 1);
    ok(strstr(stream.log.data, "\\u0001\\\"") != NULL &&
           strchr(stream.log.data, 1) == NULL,
       "a name of quotes and controls is escaped");
    stream_close(&stream);
    buffer_fini(&in);
}

/* The strings of MessagePack may be any bytes; those of reasons are not. */
static void
test_bytes(void)
{
    static const char *const states[] = {"up \xff", "\xc3", "down"};
    prae_params params;
    struct stream stream;
    prae_buffer in = {0};
    struct rng rng;
    int bad = 0;

    prae_params_init(&params);
    params.window = 200;
    params.cold = PRAE_COLD_FLAG;
    params.why = 6;
    pri_rng_init(&rng, 5, 5);
    for (size_t i = 0; i < 200; i++) {
        char text[121] = "";
        for (size_t k = 0; k < sizeof text - 1; k++)
            text[k] = (char)(1 + pri_rng_below(&rng, 255));
        put_map(&in, 2);
        put_text(&in, "text");
        put_text(&in, text);
        put_text(&in, "state");
        put_text(&in, states[pri_rng_below(&rng, COUNT(states))]);
    }
    stream_open(&stream, &params);
    stream.look = look;
    stream.data = &bad;
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 1) == PRAE_OK);
    prae_stats stats;
    prae_filter_stats(stream.filter, &stats);
    ok(stats.features == 6 && stats.outliers == 200,
       "a text and a category of any bytes make features");
    ok(bad == 0, "... and their reasons are UTF-8 (%d)", bad);
    stream_close(&stream);
    buffer_fini(&in);
}

int
main(void)
{
    test_msgpack();
    test_json();
    test_infinity();
    test_csv();
    test_long();
    test_names();
    test_bytes();
    return tap_done();
}
