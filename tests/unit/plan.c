/* Reading by a plan makes no difference but in time, and a plan is the shape
 * of most records. */
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

/* Forty records to choose the features by. */
static void
put_lesson(prae_buffer *out)
{
    for (unsigned i = 0; i < 40; i++) {
        unsigned r = i * 2654435761u >> 8;
        char id[16];
        snprintf(id, sizeof id, "x%u", i + 10);
        put_head(out, 0x84, 0, 0);
        put_head(out, 0xa1, 'a', 1);
        put_real(out, (double)(r % 7) + 0.5);
        put_head(out, 0xa1, 'c', 1);
        put(out,
            r % 3 ? "\xa2up"
                  : "\xa4"
                    "down",
            r % 3 ? 3 : 5);
        put(out,
            "\xa2in\x81\xa1"
            "b",
            6);
        put_real(out, (double)(r % 11) + 0.5);
        put(out, "\xa2id\xa3", 4);
        put(out, id, 3);
    }
}

static void
open_pair(struct pair *pair, const prae_params *params)
{
    prae_buffer lesson = {0};

    put_lesson(&lesson);
    NEED(pair_open(pair, params, lesson.data, lesson.len));
    pair_stream(pair, lesson.data, lesson.len, lesson.len, 1);
    buffer_fini(&lesson);
}

static void
test_examples(void)
{
    const prae_params params = params_for(PRAE_FORMAT_MSGPACK);
    const struct example *usual = &packed[0];
    struct pair pair;

    open_pair(&pair, &params);
    ok(pair.plain->features.D == 3 && pair.plain->plan.count == 0 &&
           pair.plain->plan.records == 0,
       "without a plan all are decoded in the ordinary way");
    for (size_t i = 0; i < COUNT(packed); i++) {
        const struct example *this = &packed[i];
        pair_stream(&pair, usual->bytes, usual->len, usual->len, 1);
        uint64_t before = pair.planned->plan.records;
        pair_stream(&pair, this->bytes, this->len, this->len, 1);
        ok((pair.planned->plan.records > before) == this->by_plan, "%s: %s",
           this->name, this->by_plan ? "by the plan" : "in the ordinary way");
        /* Cut anywhere, and behind a whole one. */
        for (size_t cut = 0; cut <= this->len; cut++) {
            pair_stream(&pair, this->bytes, cut, cut, 1);
            pair_stream(&pair, this->bytes, this->len, cut, 1);
            pair_message(&pair, this->bytes, cut);
        }
    }
    pair_close(&pair);
}

/* ---- anything ---- */

/* Random bytes of random records are changed, left out or put in. */
static void
test_damage(void)
{
    struct rng rng;
    size_t planned = 0;

    pri_rng_init(&rng, 3, 14);
    for (unsigned way = 0; way < 4; way++) {
        prae_params params = params_for(PRAE_FORMAT_MSGPACK);
        struct pair pair;
        params.nonfinite =
            way & 1 ? PRAE_NONFINITE_IMPUTE : PRAE_NONFINITE_REJECT;
        params.coerce = way & 1;
        params.record_max = way & 2 ? 41 : 1 << 20;
        open_pair(&pair, &params);
        for (unsigned round = 0; round < 1500; round++) {
            prae_buffer in = {0};
            for (unsigned i = pri_rng_below(&rng, 8); i < 8; i++) {
                const struct example *this =
                    &packed[pri_rng_below(&rng, COUNT(packed))];
                put(&in, this->bytes, this->len);
            }
            for (unsigned i = pri_rng_below(&rng, 3); i > 0; i--)
                in.data[pri_rng_below(&rng, (uint32_t)in.len)] =
                    (char)pri_rng_below(&rng, 256);
            size_t first = pri_rng_below(&rng, (uint32_t)in.len + 1);
            pair_stream(&pair, in.data, in.len, first, 1 + round % 50);
            pair_message(&pair, in.data, in.len);
            buffer_fini(&in);
        }
        planned += pair.planned->plan.records;
        pair_close(&pair);
    }
    ok(planned > 5000, "damaged or not, no record is another (%zu by plans)",
       planned);
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
    test_examples();
    test_damage();
    test_shapes();
    return tap_done();
}
