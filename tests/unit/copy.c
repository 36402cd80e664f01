/* A front is given all that a snapshot would have brought, to the bit: the
 * two are compared by what each of them saves. */
#include "records.h"

#define SOME 260           /* records: several windows, and a part of one */
#define MANY (75 * WINDOW) /* by which a model is not young any more */

/* Fills OUT with COUNT records from the FROM-th on. */
typedef void putter(prae_buffer *out, size_t from, size_t count);

static void
put_numbers(prae_buffer *out, size_t from, size_t count)
{
    put_records(out, PRAE_FORMAT_JSONL, from, count);
}

/* Each hangs on the one before: context and smoothing have a state. */
static void
put_walk(prae_buffer *out, size_t from, size_t count)
{
    struct rng rng;
    double x = 0.0;

    pri_rng_init(&rng, 5, 6);
    for (size_t i = 0; i < from + count; i++) {
        x = 0.97 * x + 0.2 * (double)pri_rng_normal(&rng);
        if (i >= from)
            put_line(out, "[%.9g,%.9g]\n", x, i % 60 > 50 ? 3.0 : 2.0 * x);
    }
}

static void
put_lines(prae_buffer *out, size_t from, size_t count)
{
    static const char *const users[] = {"root", "ada", "grace", "alan"};

    for (size_t i = from; i < from + count; i++)
        put_line(out,
                 "{\"line\":\"session %zu opened for user %s by pid %zu\"}\n",
                 i % 7, users[i * i % 4], i);
}

static void
put_mixed(prae_buffer *out, size_t from, size_t count)
{
    static const char *const kinds[] = {"get", "put", "post", "head",
                                        "options"};

    for (size_t i = from; i < from + count; i++)
        put_line(out,
                 "{\"kind\":\"%s\",\"took\":%zu,\"id\":\"%zx\","
                 "\"text\":\"request of %zu bytes was served from %s\","
                 "\"deep\":{\"list\":[%zu,%zu]}}\n",
                 kinds[i * 7 % 5], 10 + i * 31 % 17, i * 2654435761u, i % 13,
                 i % 3 == 0 ? "disk" : "cache", i % 5, i * i % 11);
}

/* The last window of MANY is of another kind. */
static void
put_burst(prae_buffer *out, size_t from, size_t count)
{
    struct rng rng;

    pri_rng_init(&rng, 8, 9);
    for (size_t i = 0; i < from + count; i++) {
        double x = (double)pri_rng_normal(&rng);
        double far = i >= MANY - WINDOW ? 50.0 : 0.0;
        if (i >= from)
            put_record(out, PRAE_FORMAT_JSONL, x + far, 2.0 * x - far, x * x);
    }
}

static const struct {
    const char *name, *param, *value;
    putter *put;
    size_t count; /* records learned */
} cases[] = {
    {"numbers", "why", "3", put_numbers, SOME},
    {"a stream in time", "context", "on", put_walk, SOME},
    {"smoothed scores", "smooth", "5", put_walk, SOME},
    {"lines of text", "why", "3", put_lines, SOME},
    {"strings and numbers", "why", "3", put_mixed, SOME},
    {"fields that were chosen", "fields", "took,deep.list.0", put_mixed, SOME},
    {"another net", "hidden", "7,4", put_numbers, SOME},
    {"gates of another kind", "gates", "l0", put_numbers, SOME},
    {"a burst", "why", "3", put_burst, MANY},
};

/* What FILTER saves after it has judged one more record: by then all that
 * is worked out at the first is. */
static void
judge_and_save(prae_filter *filter, size_t i, prae_buffer *saved)
{
    prae_buffer one = {0};
    size_t used;

    cases[i].put(&one, cases[i].count, 1);
    NEED(prae_filter_push_message(filter, one.data, one.len, &used) == PRAE_OK);
    NEED(prae_filter_judge(filter) == PRAE_OK);
    NEED(prae_filter_save(filter, saved) == PRAE_OK);
    buffer_fini(&one);
}

static void
compare(const prae_params *params, prae_filter *filter, size_t i,
        const char *how)
{
    prae_params frozen = *params;
    prae_buffer learned = {0}, by_copy = {0}, by_snapshot = {0}, after = {0};
    prae_filter *front, *loaded;

    frozen.freeze = 1;
    NEED(prae_filter_save(filter, &learned) == PRAE_OK);
    NEED(prae_filter_fork(filter, &front) == PRAE_OK);
    NEED(prae_filter_new(&frozen, &loaded) == PRAE_OK &&
         prae_filter_load(loaded, learned.data, learned.len) == PRAE_OK);
    judge_and_save(front, i, &by_copy);
    judge_and_save(loaded, i, &by_snapshot);
    ok(buffer_same(&by_copy, &by_snapshot) && by_copy.len > 1000,
       "%s%s: a front has what a snapshot has", cases[i].name, how);
    NEED(prae_filter_save(filter, &after) == PRAE_OK);
    ok(buffer_same(&after, &learned), "and has taken nothing away");
    prae_filter_free(front);
    prae_filter_free(loaded);
    buffer_fini(&learned);
    buffer_fini(&by_copy);
    buffer_fini(&by_snapshot);
    buffer_fini(&after);
}

static void
test_case(size_t i)
{
    prae_params params = params_of(PRAE_FORMAT_JSONL, WINDOW);
    prae_buffer in = {0}, saved = {0};
    struct stream stream;
    prae_filter *again;

    NEED(prae_params_set(&params, cases[i].param, cases[i].value, NULL, 0) ==
         PRAE_OK);
    stream_open(&stream, &params);
    cases[i].put(&in, 0, cases[i].count);
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    compare(&params, stream.filter, i, "");

    /* What came from a snapshot itself, and was told less. */
    NEED(prae_filter_save(stream.filter, &saved) == PRAE_OK);
    params = params_of(PRAE_FORMAT_JSONL, WINDOW);
    NEED(prae_filter_new(&params, &again) == PRAE_OK &&
         prae_filter_load(again, saved.data, saved.len) == PRAE_OK);
    compare(&params, again, i, ", loaded");
    prae_filter_free(again);
    buffer_fini(&saved);
    buffer_fini(&in);
    stream_close(&stream);
}

int
main(void)
{
    for (size_t i = 0; i < COUNT(cases); i++)
        test_case(i);
    return tap_done();
}
