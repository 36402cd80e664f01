/* Reading by a plan makes no difference but in time, and a plan is the shape
 * of most records. */
#include <time.h>

#include "plan_pair.h"
#include "stream.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* {"a": A, "c": C, "in": {"b": B}, "id": ID}, of which a and b are numbers, c
 * is a category and id of no use. */
#define MAP(A, C, B, ID) \
    "\x84\xa1"           \
    "a" A "\xa1"         \
    "c" C "\xa2"         \
    "in"                 \
    "\x81\xa1"           \
    "b" B "\xa2"         \
    "id" ID
#define REAL "\xcb\x3f\xf8\0\0\0\0\0\0"
#define UP "\xa2up"
#define NAME "\xa3x12"

struct example {
    const char *name;
    const char *bytes;
    size_t len;
    int by_plan;
};

#define CASE(name, by_plan, bytes)              \
    {                                           \
        name, bytes, sizeof(bytes) - 1, by_plan \
    }

static const struct example packed[] = {
    CASE("a record like the last", 1, MAP(REAL, UP, REAL, NAME)),
    CASE("a small integer", 1, MAP("\x05", UP, REAL, NAME)),
    CASE("a small negative one", 1, MAP("\xff", UP, "\xe0", NAME)),
    CASE("one of 8 bits", 1, MAP("\xcc\xff", UP, "\xd0\x80", NAME)),
    CASE("one of 16 bits", 1, MAP("\xcd\xff\xfe", UP, "\xd1\x80\0", NAME)),
    CASE("one of 32 bits", 1,
         MAP("\xce\xff\xff\xff\xfe", UP, "\xd2\x80\0\0\x01", NAME)),
    CASE("one of 64 bits", 1,
         MAP("\xcf\0\0\0\x01\0\0\0\0", UP, "\xd3\xff\xff\0\0\0\0\0\0", NAME)),
    CASE("the widest", 1,
         MAP("\xcf\xff\xff\xff\xff\xff\xff\xff\xff", UP,
             "\xd3\x80\0\0\0\0\0\0\0", NAME)),
    CASE("just exact", 1,
         MAP("\xcf\0\x20\0\0\0\0\0\0", UP, "\xd3\xff\xe0\0\0\0\0\0\0", NAME)),
    CASE("just not", 1,
         MAP("\xcf\0\x20\0\0\0\0\0\x01", UP,
             "\xd3\xff\xdf\xff\xff\xff\xff"
             "\xff\xff",
             NAME)),
    CASE("a short real", 1, MAP("\xca\x3f\x80\0\x01", UP, REAL, NAME)),
    CASE("booleans", 1, MAP("\xc2", UP, "\xc3", NAME)),
    CASE("nil for a number", 1, MAP("\xc0", UP, REAL, NAME)),
    CASE("nil for a category", 1, MAP(REAL, "\xc0", REAL, NAME)),
    CASE("nil for too many", 0, MAP("\xc0", "\xc0", REAL, NAME)),
    CASE("NaN", 0, MAP("\xcb\x7f\xf8\0\0\0\0\0\0", UP, REAL, NAME)),
    CASE("an infinite number", 0, MAP("\xca\xff\x80\0\0", UP, REAL, NAME)),
    CASE("a text for a number", 0,
         MAP("\xa1"
             "5",
             UP, REAL, NAME)),
    CASE("a time for a number", 0, MAP("\xd6\xff\0\0\0\x05", UP, REAL, NAME)),
    CASE("a map for a number", 0, MAP("\x80", UP, REAL, NAME)),
    CASE("a longer category", 1, MAP(REAL, "\xa5never", REAL, NAME)),
    CASE("one with another head", 1, MAP(REAL, "\xd9\x02up", REAL, NAME)),
    CASE("an empty one", 1, MAP(REAL, "\xa0", REAL, NAME)),
    CASE("a number for a category", 0, MAP(REAL, "\x05", REAL, NAME)),
    CASE("bytes for a category", 0, MAP(REAL, "\xc4\x01x", REAL, NAME)),
    CASE("a number that is passed over", 1, MAP(REAL, UP, REAL, "\x05")),
    CASE("a wide one", 1, MAP(REAL, UP, REAL, "\xcf\x80\0\0\0\0\0\0\0")),
    CASE("NaN there", 1, MAP(REAL, UP, REAL, "\xcb\x7f\xf8\0\0\0\0\0\0")),
    CASE("bytes there", 1, MAP(REAL, UP, REAL, "\xc5\0\x02xy")),
    CASE("a time there", 1, MAP(REAL, UP, REAL, "\xd6\xff\0\0\0\x05")),
    CASE("nil there", 1, MAP(REAL, UP, REAL, "\xc0")),
    CASE("an array there", 0, MAP(REAL, UP, REAL, "\x91\x05")),
    CASE("a byte that is none there", 0, MAP(REAL, UP, REAL, "\xc1")),
    CASE("the map with another head", 0,
         "\xde\0\x04" MAP(REAL, UP, REAL, NAME)),
    CASE("another key", 0,
         "\x81\xa1"
         "b" REAL),
    CASE("no map", 0, "\x93\x01\x02\x03"),
    CASE("no record", 0, "\x05"),
};

#define LINE(A, C, B, ID) \
    "{\"a\":" A ",\"c\":" C ",\"in\":{\"b\":" B "},\"id\":" ID "}\n"

static const struct example lines[] = {
    CASE("a line like the last", 1, LINE("1.5", "\"up\"", "2", "\"x1\"")),
    CASE("an exponent", 1, LINE("-1.5e-3", "\"up\"", "2E+2", "\"x1\"")),
    CASE("many digits", 1,
         LINE("0.30000000000000004", "\"up\"", "-1234567.8901234567", "7")),
    CASE("more than there is room for", 0,
         LINE("0.3000000000000000444", "\"up\"", "12345678901234567890123",
              "7")),
    CASE("just exact", 1,
         LINE("9007199254740992", "\"up\"", "-9007199254740992", "7")),
    CASE("just not", 1,
         LINE("9007199254740993", "\"up\"", "-9007199254740993",
              "9007199254740993")),
    CASE("too large", 0, LINE("1e999", "\"up\"", "2", "7")),
    CASE("booleans", 1, LINE("true", "\"up\"", "false", "true")),
    CASE("null", 1, LINE("null", "\"up\"", "2", "null")),
    CASE("null for a category", 1, LINE("1", "null", "2", "7")),
    CASE("null for too many", 0, LINE("null", "null", "2", "7")),
    CASE("NaN", 0, LINE("NaN", "\"up\"", "2", "7")),
    CASE("NaN that is passed over", 0, LINE("1", "\"up\"", "2", "NaN")),
    CASE("a text for a number", 0, LINE("\"5\"", "\"up\"", "2", "7")),
    CASE("a map for a number", 0, LINE("{}", "\"up\"", "2", "7")),
    CASE("a number for a category", 0, LINE("1", "5", "2", "7")),
    CASE("a category beyond ASCII", 1, LINE("1", "\"\xc3\xa4\"", "2", "7")),
    CASE("one that is no UTF-8", 0, LINE("1", "\"\xc3\"", "2", "7")),
    CASE("nor is what is passed over", 0, LINE("1", "\"up\"", "2", "\"\xff\"")),
    CASE("an escape", 0, LINE("1", "\"\\u0075p\"", "2", "7")),
    CASE("a control character", 0, LINE("1", "\"u\tp\"", "2", "7")),
    CASE("a needless zero", 0, LINE("01", "\"up\"", "2", "7")),
    CASE("a bare point", 0, LINE("1.", "\"up\"", "2", "7")),
    CASE("a plus", 0, LINE("1", "\"up\"", "+2", "7")),
    CASE("half an exponent", 0, LINE("1e", "\"up\"", "2", "7")),
    CASE("half a word", 0, LINE("tru", "\"up\"", "2", "7")),
    CASE("a word and more", 0, LINE("truer", "\"up\"", "2", "7")),
    CASE("a blank", 0, LINE(" 1", "\"up\"", "2", "7")),
    CASE("blanks behind", 0, LINE("1", "\"up\"", "2", "7 ")),
    CASE("another order", 0, "{\"c\":\"up\",\"a\":1}\n"),
    CASE("a blank line before", 0, "\n" LINE("1", "\"up\"", "2", "7")),
    CASE("a byte order mark", 0, "\xef\xbb\xbf" LINE("1", "\"up\"", "2", "7")),
    CASE("no JSON", 0, "{\"a\":1\n"),
};

#define ROW(A, C, B, ID) A "," C "," B "," ID "\n"

static const struct example rows[] = {
    CASE("a row like the last", 1, ROW("1.5", "up", "2", "x1")),
    CASE("an exponent", 1, ROW("-1.5e-3", "up", "+2E+2", "x1")),
    CASE("many digits", 1,
         ROW("0.30000000000000004", "up", "-1234567.8901234567", "7")),
    CASE("more than there is room for", 1,
         ROW("0.3000000000000000444", "up", "12345678901234567890123", "7")),
    CASE("wide ones", 1,
         ROW("9007199254740993", "up", "009007199254740993",
             " 9007199254740993 ")),
    CASE("too large", 0, ROW("1e999", "up", "2", "7")),
    CASE("blanks", 1, ROW(" 1", "up ", "2\t", " 7")),
    CASE("words", 1, ROW("TRUE", "up", "false", "7")),
    CASE("a cell that is empty", 1, ROW("", "up", "2", "")),
    CASE("or says so", 1, ROW("1", "n/a", "2", "NA")),
    CASE("too many of them", 0, ROW("", "", "2", "7")),
    CASE("NaN", 0, ROW("nan", "up", "2", "7")),
    CASE("NaN that is passed over", 1, ROW("1", "up", "2", "nan")),
    CASE("a text for a number", 0, ROW("one", "up", "2", "7")),
    CASE("a number for a category", 0, ROW("1", "5", "2", "7")),
    CASE("quotes", 1, ROW("\"1\"", "\"up\"", "\" 2 \"", "\"a, b\"")),
    CASE("doubled ones", 0, ROW("1", "\"u\"\"p\"", "2", "7")),
    CASE("one within a cell", 1, ROW("1", "u\"p", "2", "7\"")),
    CASE("text behind one", 0, ROW("1", "\"up\"x", "2", "7")),
    CASE("a newline within", 0, ROW("1", "\"u\np\"", "2", "7")),
    CASE("one that never closes", 0, ROW("1", "\"up", "2", "7")),
    CASE("a category beyond ASCII", 1, ROW("1", "\xc3\xa4", "2", "7")),
    CASE("one that is no UTF-8", 0, ROW("1", "\xc3", "2", "7")),
    CASE("nor is what is passed over", 0, ROW("1", "up", "2", "\xff")),
    CASE("a zero byte", 0, ROW("1", "up", "2", "\0")),
    CASE("a carriage return", 0, ROW("1", "up", "2", "7\r")),
    CASE("fewer cells", 0, "1,up,2\n"),
    CASE("more", 0, "1,up,2,7,8\n"),
    CASE("a blank line before", 0, "\n" ROW("1", "up", "2", "7")),
    CASE("a byte order mark", 0, "\xef\xbb\xbf" ROW("1", "up", "2", "7")),
};

static const struct {
    const char *name;
    const struct example *example;
    size_t count;
    prae_format format;
    size_t tight; /* bytes that most of the lesson's records have */
} formats[] = {
    {"msgpack", packed, COUNT(packed), PRAE_FORMAT_MSGPACK, 41},
    {"jsonl", lines, COUNT(lines), PRAE_FORMAT_JSONL, 48},
    {"csv", rows, COUNT(rows), PRAE_FORMAT_CSV, 16},
};

/* ---- one surprise after another ---- */

static prae_params
params_for(prae_format format)
{
    prae_params params;

    prae_params_init(&params);
    params.format = format;
    params.window = 64;
    return params;
}

static void
put_packed(prae_buffer *out, double a, const char *c, double b, unsigned id)
{
    char name[16];

    snprintf(name, sizeof name, "x%u", id);
    put_head(out, 0x84, 0, 0);
    put_head(out, 0xa1, 'a', 1);
    put_real(out, a);
    put_head(out, 0xa1, 'c', 1);
    put_head(out, 0xa0 + (unsigned)strlen(c), 0, 0);
    put(out, c, strlen(c));
    put(out,
        "\xa2in\x81\xa1"
        "b",
        6);
    put_real(out, b);
    put(out, "\xa2id", 3);
    put_head(out, 0xa0 + (unsigned)strlen(name), 0, 0);
    put(out, name, strlen(name));
}

/* Forty records to choose the features by. */
static void
put_lesson(prae_buffer *out, prae_format format)
{
    if (format == PRAE_FORMAT_CSV)
        put_line(out, "a,c,b,id\n");
    for (unsigned i = 0; i < 40; i++) {
        unsigned r = i * 2654435761u >> 8;
        double a = (double)(r % 7) + 0.5, b = (double)(r % 11) + 0.5;
        const char *c = r % 3 ? "up" : "down";
        if (format == PRAE_FORMAT_MSGPACK)
            put_packed(out, a, c, b, i + 10);
        else if (format == PRAE_FORMAT_JSONL)
            put_line(out,
                     "{\"a\":%g,\"c\":\"%s\",\"in\":{\"b\":%g},"
                     "\"id\":\"x%u\"}\n",
                     a, c, b, i);
        else
            put_line(out, "%g,%s,%g,x%u\n", a, c, b, i);
    }
}

static void
open_pair(struct pair *pair, const prae_params *params)
{
    prae_buffer lesson = {0};

    put_lesson(&lesson, params->format);
    NEED(pair_open(pair, params, lesson.data, lesson.len));
    pair_stream(pair, lesson.data, lesson.len, lesson.len, 1);
    buffer_fini(&lesson);
}

static void
test_examples(size_t f)
{
    const prae_params params = params_for(formats[f].format);
    const struct example *usual = formats[f].example;
    struct pair pair;

    open_pair(&pair, &params);
    ok(pair.plain->features.D == 3 && pair.plain->plan.count == 0 &&
           pair.planned->plan.records > 30 && pair.plain->plan.records == 0,
       "%s: one filter has plans, the other has none", formats[f].name);
    for (size_t i = 0; i < formats[f].count; i++) {
        const struct example *this = &formats[f].example[i];
        /* What went before may have cost the plan. */
        uint64_t before = pair.planned->plan.records;
        for (int k = 0; k < 2000 && pair.planned->plan.records == before; k++)
            pair_stream(&pair, usual->bytes, usual->len, usual->len, 1);
        before = pair.planned->plan.records;
        pair_stream(&pair, this->bytes, this->len, this->len, 1);
        ok((pair.planned->plan.records > before) == this->by_plan, "%s, %s: %s",
           formats[f].name, this->name,
           this->by_plan ? "by the plan" : "in the ordinary way");
        for (size_t cut = 0; cut <= this->len; cut++) {
            pair_stream(&pair, this->bytes, cut, cut, 1);
            pair_stream(&pair, this->bytes, this->len, cut, 1);
            pair_message(&pair, this->bytes, cut);
        }
    }
    pair_close(&pair);
}

/* ---- pieces ---- */

/* A record with a long name, which the plan passes over. */
static void
put_long(prae_buffer *out, prae_format format, size_t len)
{
    if (format == PRAE_FORMAT_MSGPACK) {
        const char packed_map[] = MAP(REAL, UP, REAL, "");
        put(out, packed_map, sizeof packed_map - 1);
        put_head(out, 0xdb, len, 4);
    } else {
        put_line(out, format == PRAE_FORMAT_JSONL
                          ? "{\"a\":1.5,\"c\":\"up\",\"in\":{\"b\":1.5},"
                            "\"id\":\""
                          : "1.5,up,1.5,");
    }
    for (size_t i = 0; i < len; i++)
        put(out, "x", 1);
    if (format != PRAE_FORMAT_MSGPACK)
        put_line(out, format == PRAE_FORMAT_JSONL ? "\"}\n" : "\n");
}

/* Processor time for pushing IN in pieces of STEP bytes. */
static double
time_pieces(prae_filter *filter, const prae_buffer *in, size_t step)
{
    size_t at = 0, used;
    clock_t start = clock();

    for (size_t have = 0; have < in->len;) {
        have = step < in->len - have ? have + step : in->len;
        NEED(prae_filter_push(filter, in->data + at, have - at, 0, &used) ==
             PRAE_OK);
        at += used;
    }
    NEED(at == in->len);
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* A long record is not tried from its start at each piece that comes. */
static void
test_pieces(size_t f)
{
    const prae_params params = params_for(formats[f].format);
    prae_buffer in = {0};
    struct pair pair;

    open_pair(&pair, &params);
    put_long(&in, params.format, 1000000);
    uint64_t before = pair.planned->plan.records;
    double whole = time_pieces(pair.planned, &in, in.len);
    double pieces = time_pieces(pair.planned, &in, 100);
    if (!ok(pieces < 100 * whole + 0.1, "%s: long in small pieces",
            formats[f].name))
        printf("# %g s, whole %g s\n", pieces, whole);
    ok(pair.planned->plan.records == before + 2, "%s: both by the plan",
       formats[f].name);
    pair_close(&pair);
    buffer_fini(&in);
}

/* ---- anything ---- */

/* Some examples one after another, with bytes of them changed. */
static void
put_damaged(prae_buffer *out, struct rng *rng, size_t f)
{
    for (unsigned i = pri_rng_below(rng, 8); i < 8; i++) {
        const struct example *this =
            &formats[f].example[pri_rng_below(rng, (uint32_t)formats[f].count)];
        put(out, this->bytes, this->len);
    }
    NEED(out->data != NULL);
    for (unsigned i = pri_rng_below(rng, 3); i > 0; i--)
        out->data[pri_rng_below(rng, (uint32_t)out->len)] =
            (char)pri_rng_below(rng, 256);
}

static void
test_damage(size_t f)
{
    struct rng rng;
    uint64_t by_plan = 0;

    pri_rng_init(&rng, 3, 14);
    for (unsigned way = 0; way < 4; way++) {
        prae_params params = params_for(formats[f].format);
        struct pair pair;
        params.nonfinite =
            way & 1 ? PRAE_NONFINITE_IMPUTE : PRAE_NONFINITE_REJECT;
        params.coerce = way & 1 ? 1 : 0;
        params.record_max = way & 2 ? formats[f].tight : 1 << 20;
        open_pair(&pair, &params);
        for (unsigned round = 0; round < 1000; round++) {
            prae_buffer in = {0};
            put_damaged(&in, &rng, f);
            size_t first = pri_rng_below(&rng, (uint32_t)in.len + 1);
            pair_stream(&pair, in.data, in.len, first, 1 + round % 50);
            pair_message(&pair, in.data, in.len);
            buffer_fini(&in);
        }
        by_plan += pair.planned->plan.records;
        pair_close(&pair);
    }
    ok(by_plan > 3000, "%s: damaged or not, no record is another (%llu)",
       formats[f].name, (unsigned long long)by_plan);
}

/* ---- shapes ---- */

static void
put_shape(prae_buffer *out, unsigned shape, unsigned i)
{
    char key[16];

    put_head(out, 0x84, 0, 0);
    for (unsigned f = 0; f < 4; f++) {
        /* The first four shapes are orders of known keys, the others have a
         * new one. */
        snprintf(key, sizeof key, "%c", 'a' + (int)((f + shape) % 4));
        if (shape >= 4 && f == 3)
            snprintf(key, sizeof key, "k%u", shape);
        put_head(out, 0xa0 + (unsigned)strlen(key), 0, 0);
        put(out, key, strlen(key));
        put_real(out, (double)((i + 1) * (f + 3) % 17));
    }
}

/* COUNT records of SHAPE; how many of them were read by a plan. */
static uint64_t
push_shape(struct pair *pair, unsigned shape, unsigned count)
{
    prae_buffer in = {0};
    uint64_t before = pair->planned->plan.records;

    for (unsigned i = 0; i < count; i++)
        put_shape(&in, shape, i);
    pair_stream(pair, in.data, in.len, in.len, 1);
    buffer_fini(&in);
    return pair->planned->plan.records - before;
}

static void
test_shapes(void)
{
    const prae_params params = params_for(PRAE_FORMAT_MSGPACK);
    prae_buffer lesson = {0};
    struct pair pair;
    uint64_t read = 0;

    for (unsigned i = 0; i < 40; i++)
        put_shape(&lesson, 0, i);
    NEED(pair_open(&pair, &params, lesson.data, lesson.len));
    ok(push_shape(&pair, 0, 20) == 19, "the second record has a plan");
    ok(push_shape(&pair, 1, 5) == 0 && push_shape(&pair, 0, 20) == 20,
       "a few of another shape do not change it");
    ok(push_shape(&pair, 1, 50) == 15, "many of them do");
    for (unsigned i = 0; i < 40; i++)
        read += push_shape(&pair, i % 2, 1);
    ok(read == 20, "of two shapes in turn one has the plan");
    for (unsigned i = 0; i < 5000; i++)
        read += push_shape(&pair, 4 + i, 1);
    ok(read == 20 && pair.planned->plan.patience > 1000,
       "where no two are alike, plans are hardly ever made");
    read = push_shape(&pair, 2, 3000);
    ok(read > 1900, "and one shape is found again (%llu of 3000)",
       (unsigned long long)read);
    pair_close(&pair);
    buffer_fini(&lesson);
}

int
main(void)
{
    for (size_t f = 0; f < COUNT(formats); f++) {
        test_examples(f);
        test_damage(f);
        test_pieces(f);
    }
    test_shapes();
    return tap_done();
}
