/*
 * steady.c - a stream of like records needs no memory after its first
 * windows. Linked with --wrap, see counted.h.
 */
#include "codec.h"
#include "counted.h"
#include "feature.h"
#include "stream.h"

#define WINDOW 64
#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct {
    const char *name;
    prae_format format;
    prae_context context;
    int freeze;
    size_t message; /* records of one; 0: a stream of bytes */
    size_t threads;
} cases[] = {
    {"msgpack", PRAE_FORMAT_MSGPACK, PRAE_CONTEXT_OFF, 0, 0, 1},
    {"msgpack with context", PRAE_FORMAT_MSGPACK, PRAE_CONTEXT_ON, 0, 0, 1},
    {"msgpack, shared out", PRAE_FORMAT_MSGPACK, PRAE_CONTEXT_OFF, 0, 0, 3},
    {"jsonl", PRAE_FORMAT_JSONL, PRAE_CONTEXT_OFF, 0, 0, 1},
    {"csv", PRAE_FORMAT_CSV, PRAE_CONTEXT_OFF, 0, 0, 1},
    {"jsonl, frozen", PRAE_FORMAT_JSONL, PRAE_CONTEXT_OFF, 1, 0, 1},
    {"msgpack in messages", PRAE_FORMAT_MSGPACK, PRAE_CONTEXT_OFF, 0, 7, 1},
    {"jsonl in messages", PRAE_FORMAT_JSONL, PRAE_CONTEXT_OFF, 0, 1, 1},
    {"csv in messages", PRAE_FORMAT_CSV, PRAE_CONTEXT_OFF, 0, WINDOW, 1},
};

/* Numbers of a fixed width, a category with an escape, and a text. */
static void
put_window(prae_buffer *out, prae_format format, unsigned number)
{
    struct rng rng;

    pri_rng_init(&rng, 9, 100 + number);
    for (int i = 0; i < WINDOW; i++) {
        double a = 0.1 * (double)pri_rng_normal(&rng) + 5.0;
        double b = i % 8 == 0 ? 9.0 : a;
        const char *state = pri_rng_below(&rng, 3) ? "on" : "of";
        unsigned user = 10000 + pri_rng_below(&rng, 80000);
        if (format == PRAE_FORMAT_MSGPACK) {
            put_map(out, 4);
            put_named(out, "a", a);
            put_named(out, "b", b);
            put_text(out, "c");
            put_text(out, state);
            put_text(out, "t");
            char text[32];
            snprintf(text, sizeof text, "user %u came", user);
            put_text(out, text);
        } else if (format == PRAE_FORMAT_JSONL) {
            put_line(out,
                     "{\"a\":%.6f,\"b\":%.6f,\"c\":\"\\t%s\",\"t\":\"user %u "
                     "came\"}\n",
                     a, b, state, user);
        } else {
            put_line(out, "%.6f,%.6f,\"%s\"\"\",user %u came\n", a, b, state,
                     user);
        }
    }
}

/* A window of IN in messages of MESSAGE records, all of them equally long,
 * or in pieces, so that a record is now and then cut in two. */
static void
push_window(prae_filter *filter, const prae_buffer *in, size_t message)
{
    size_t at = 0, used = 0, step = message * (in->len / WINDOW);

    while (at < in->len) {
        size_t most = message > 0 ? step : 500;
        size_t some = in->len - at < most ? in->len - at : most;
        prae_status status =
            message > 0
                ? prae_filter_push_message(filter, in->data + at, some, &used)
                : prae_filter_push(filter, in->data + at, some, 0, &used);
        NEED(status == PRAE_OK || status == PRAE_FULL);
        at += used;
    }
}

static void
run_window(struct stream *stream, unsigned number, size_t message)
{
    prae_buffer in = {0};

    put_window(&in, stream->format, number);
    stream->log.len = 0;
    long before = asked;
    size_t used;
    prae_verdict verdict;
    push_window(stream->filter, &in, message);
    NEED(prae_filter_judge(stream->filter) == PRAE_OK);
    long judged = asked;
    while (prae_filter_next(stream->filter, &verdict) == PRAE_OK) {
        stream->taken++;
        NEED(prae_verdict_write(&verdict, stream->format, &stream->log) ==
             PRAE_OK);
        NEED(prae_verdict_write_score(&verdict, stream->format, &stream->log) ==
             PRAE_OK);
    }
    stream->windows += judged != before;
    if (message > 0) /* the last one's rest, which is empty */
        NEED(prae_filter_push_message(stream->filter, "", 0, &used) == PRAE_OK);
    stream->unbalanced += asked != judged;
    buffer_fini(&in);
}

/* So many threads that are one. */
static void
in_turn(void *arg, prae_task task, void *work, size_t parts)
{
    const size_t *threads = arg;

    for (size_t part = 0; part < parts; part++)
        task(work, part, part % *threads);
}

/* Two records of many short strings: what they take is in proportion. */
static void
test_columns(void)
{
    enum { COLUMNS = 1000, BYTES = 4096 };
    const struct codec_limits limits = {1 << 20, 32, 65536};
    prae_buffer in = {0};
    struct features features;
    struct codec codec;
    char why[256];

    put_line(&in, "[\"a\"");
    for (size_t i = 1; i < COLUMNS; i++)
        put_line(&in, ",\"a\"");
    put_line(&in, "]\n");
    NEED(pri_codec_init(&codec, PRAE_FORMAT_JSONL, &limits) == PRAE_OK);
    NEED(pri_features_init(&features) == PRAE_OK);
    NEED(pri_codec_again(&codec, in.data, in.len) == PRAE_OK);
    size_t before = asked_bytes;
    for (int i = 0; i < 2; i++)
        NEED(pri_features_survey(&features, &codec.record) == PRAE_OK);
    NEED(pri_features_choose(&features, NULL, NULL, COLUMNS, why, sizeof why) ==
         PRAE_OK);
    for (int i = 0; i < 2; i++)
        NEED(pri_features_count(&features, &codec.record) == PRAE_OK);
    ok(features.D == COLUMNS &&
           features.column[0].kind == COLUMN_CATEGORY &&
           asked_bytes - before < (size_t)COLUMNS * BYTES,
       "a column of few values takes little (%zu bytes)",
       (asked_bytes - before) / COLUMNS);
    pri_features_fini(&features);
    pri_codec_fini(&codec);
    buffer_fini(&in);
}

/* One record of more texts than there may be features: each would take far
 * more memory than it has bytes. */
static void
test_refused_columns(void)
{
    enum { COLUMNS = 1000, BYTES = 4096 };
    const struct codec_limits limits = {1 << 20, 32, 65536};
    prae_buffer in = {0};
    struct features features;
    struct codec codec;
    char why[256] = "";

    put_line(&in, "[\"a b\"");
    for (size_t i = 1; i < COLUMNS; i++)
        put_line(&in, ",\"a b\"");
    put_line(&in, "]\n");
    NEED(pri_codec_init(&codec, PRAE_FORMAT_JSONL, &limits) == PRAE_OK);
    NEED(pri_features_init(&features) == PRAE_OK);
    NEED(pri_codec_again(&codec, in.data, in.len) == PRAE_OK);
    NEED(pri_features_survey(&features, &codec.record) == PRAE_OK);
    size_t before = asked_bytes;
    prae_status status = pri_features_choose(
        &features, NULL, NULL, PRI_TEXT_FEATURES * COLUMNS - 1, why,
        sizeof why);
    ok(status == PRAE_ECONFIG && strstr(why, "5000 features, more than") == why,
       "more features than there may be are refused: %s", why);
    ok(asked_bytes - before < (size_t)COLUMNS * BYTES,
       "... before they take memory (%zu bytes a column)",
       (asked_bytes - before) / COLUMNS);
    pri_features_fini(&features);
    pri_codec_fini(&codec);
    buffer_fini(&in);
}

int
main(void)
{
    test_columns();
    test_refused_columns();
    for (size_t i = 0; i < COUNT(cases); i++) {
        prae_params params;
        struct stream stream;
        prae_params_init(&params);
        params.format = cases[i].format;
        params.context = cases[i].context;
        params.freeze = cases[i].freeze;
        params.window = WINDOW;
        params.memory = 500;
        if (cases[i].threads > 1) { /* else there is nothing to share out */
            params.hidden_count = 2;
            params.hidden[0] = params.hidden[1] = 150;
        }
        stream_open(&stream, &params);
        size_t threads = cases[i].threads;
        NEED(prae_filter_set_runner(stream.filter, threads, in_turn,
                                    &threads) == PRAE_OK);
        if (params.format == PRAE_FORMAT_CSV) {
            size_t used;
            NEED(prae_filter_push(stream.filter, "a,b,c,t\n", 8, 0, &used) ==
                     PRAE_OK &&
                 used == 8);
        }
        for (unsigned w = 0; w < 6; w++)
            run_window(&stream, w, cases[i].message);
        ok(stream.windows > 0, "%s: the first windows need memory",
           cases[i].name);
        stream.windows = 0;
        stream.unbalanced = 0;
        long before = held;
        for (unsigned w = 6; w < 30; w++)
            run_window(&stream, w, cases[i].message);
        ok(stream.windows == 0, "%s: later ones need none (%zu of 24 did)",
           cases[i].name, stream.windows);
        ok(stream.unbalanced == 0, "%s: nor do their verdicts", cases[i].name);
        ok(held == before && stream.taken == 30 * WINDOW,
           "%s: what is held stays the same", cases[i].name);
        stream_close(&stream);
    }
    return tap_done();
}
