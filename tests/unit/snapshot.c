/* What was learned goes to bytes and back: the same bytes, the same
 * verdicts. */
#include <math.h>

#include "rarity.h"
#include "stream.h"

#define WINDOW 40
#define COUNT(array) (sizeof(array) / sizeof *(array))

enum kind {
    NUMBERS,
    CATEGORIES,
    PUSHED,
    STRINGS,
    TEXTS,
    TIMES,
    CHOSEN,
    COERCED
};

static const struct {
    const char *name;
    enum kind kind;
} kinds[] = {{"numbers", NUMBERS},      {"categories", CATEGORIES},
             {"texts", TEXTS},          {"time series", TIMES},
             {"chosen fields", CHOSEN}, {"coerced strings", COERCED},
             {"categories of like hashes", PUSHED},
             {"strings only", STRINGS}};

/* The N-th of the values whose hashes end alike. */
static unsigned
like_hash(unsigned n)
{
    char text[16];

    for (unsigned i = 0;; i++) {
        int len = snprintf(text, sizeof text, "v%u", i);
        uint64_t slots = 2 * PRI_CATEGORIES_MAX;
        if (pri_text_hash(text, (size_t)len) % slots == slots - 1 && n-- == 0)
            return i;
    }
}

/* WINDOWS windows of records, from the FROM-th on. */
static void
put_windows(prae_buffer *out, enum kind kind, size_t from, size_t windows)
{
    static const char *const states[] = {"ok", "ok", "ok", "warm", "late"};
    struct rng rng;
    double level = 0.0;
    unsigned pushed[3];

    for (unsigned n = 0; n < COUNT(pushed); n++)
        pushed[n] = like_hash(n);
    pri_rng_init(&rng, 11, 4);
    for (size_t i = 0; i < (from + windows) * WINDOW; i++) {
        double a = (double)pri_rng_normal(&rng);
        double b = (double)pri_rng_normal(&rng);
        uint32_t some = pri_rng_below(&rng, 1000);
        level = 0.95 * level + 0.1 * a;
        if (i < from * WINDOW)
            continue;
        if (some < 30)
            b += 20.0;
        if (kind == CATEGORIES)
            put_line(out, "{\"x\":%.6f,\"state\":\"%s\",\"at\":\"%c%u\"}\n", a,
                     some < 10 ? "broken" : states[some % 5],
                     'a' + (int)(some % 7), some % 11);
        else if (kind == PUSHED)
            put_line(out, "{\"x\":%.6f,\"at\":\"v%u\"}\n", a,
                     pushed[i * i % COUNT(pushed)]);
        else if (kind == STRINGS)
            put_line(out, "{\"state\":\"%s\",\"at\":\"%c\"}\n",
                     some < 10 ? "broken" : states[some % 5],
                     'a' + (int)(some % 7));
        else if (kind == TEXTS)
            put_line(out, "{\"x\":%.6f,\"line\":\"user %u %s in %u ms%s\"}\n",
                     a, some, some % 2 ? "logged" : "went", some * 7,
                     some < 20 ? " with a strange error" : "");
        else if (kind == TIMES)
            put_line(out, "{\"x\":%.6f,\"y\":%.6f}\n", level, level + 0.01 * b);
        else if (kind == COERCED)
            put_line(out, "{\"x\":\"%.6f\",\"y\":%.6f,\"z\":1}\n", a,
                     a + 0.1 * b);
        else
            put_line(out, "{\"x\":%.6f,\"y\":%.6f,\"z\":%.6f}\n", a,
                     2.0 * a + 0.1 * b, b);
    }
}

static prae_params
params_of(enum kind kind)
{
    prae_params params;

    prae_params_init(&params);
    params.format = PRAE_FORMAT_JSONL;
    params.window = WINDOW;
    params.memory = 200;
    if (kind == CHOSEN) {
        params.fields = "x,y";
        params.ignore = "z";
    }
    params.coerce = kind == COERCED;
    return params;
}

/* A filter that has judged WINDOWS windows. */
static void
open_at(struct stream *stream, const prae_params *params, enum kind kind,
        size_t windows)
{
    prae_buffer in = {0};

    put_windows(&in, kind, 0, windows);
    stream_open(stream, params);
    NEED(stream_push(stream, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    NEED(stream->windows == windows);
    stream->log.len = 0;
    buffer_fini(&in);
}

/* seq starts anew in a process: only what is behind it is compared. */
static int
same_verdicts(const prae_buffer *a, const prae_buffer *b)
{
    const char *x = a->data, *y = b->data;
    const char *x_end = x + a->len, *y_end = y + b->len;

    while (x < x_end && y < y_end) {
        if (*x != *y)
            return 0;
        int digits = x_end - x > 5 && memcmp(x, "\"seq\":", 6) == 0 &&
                     y_end - y > 5 && memcmp(y, "\"seq\":", 6) == 0;
        x += digits ? 6 : 1;
        y += digits ? 6 : 1;
        while (digits && x < x_end && *x >= '0' && *x <= '9')
            x++;
        while (digits && y < y_end && *y >= '0' && *y <= '9')
            y++;
    }
    return x == x_end && y == y_end && a->len > 0;
}

static void
test_round_trip(size_t k)
{
    static const size_t lives[] = {1, 3, 12};
    prae_params params = params_of(kinds[k].kind), plain;

    prae_params_init(&plain);
    plain.format = params.format;
    plain.window = params.window;
    for (size_t l = 0; l < COUNT(lives); l++) {
        struct stream whole, second;
        prae_buffer first = {0}, again = {0}, rest = {0};
        open_at(&whole, &params, kinds[k].kind, lives[l]);
        NEED(prae_filter_save(whole.filter, &first) == PRAE_OK);
        /* Shaping parameters come with the snapshot. */
        stream_open(&second, l == 1 ? &params : &plain);
        prae_status status =
            prae_filter_load(second.filter, first.data, first.len);
        if (!ok(status == PRAE_OK, "%s, %zu windows: loaded", kinds[k].name,
                lives[l]))
            printf("# %s\n", prae_filter_errmsg(second.filter));
        NEED(prae_filter_save(second.filter, &again) == PRAE_OK);
        ok(buffer_same(&first, &again), "%s, %zu windows: the same bytes again",
           kinds[k].name, lives[l]);
        put_windows(&rest, kinds[k].kind, lives[l], 4);
        NEED(stream_push(&whole, rest.data, rest.len, SIZE_MAX, 1) == PRAE_OK);
        NEED(stream_push(&second, rest.data, rest.len, SIZE_MAX, 1) == PRAE_OK);
        ok(same_verdicts(&whole.log, &second.log),
           "%s, %zu windows: goes on as if never stopped", kinds[k].name,
           lives[l]);
        first.len = again.len = 0;
        NEED(prae_filter_save(whole.filter, &first) == PRAE_OK);
        NEED(prae_filter_save(second.filter, &again) == PRAE_OK);
        ok(buffer_same(&first, &again),
           "%s, %zu windows: ... and is the same "
           "afterwards",
           kinds[k].name, lives[l]);
        buffer_fini(&first);
        buffer_fini(&again);
        buffer_fini(&rest);
        stream_close(&whole);
        stream_close(&second);
    }
}

/* A wave that goes on, with noise, from record FROM to before TO. An incident
 * begins a little before a window ends and lasts for some windows more. */
static void
put_wave(prae_buffer *out, size_t from, size_t to)
{
    const size_t begins = 120 * WINDOW - 12, ends = begins + 4 * WINDOW;
    struct rng rng;

    pri_rng_init(&rng, 11, 5);
    for (size_t i = 0; i < to; i++) {
        double noise = 0.02 * (double)pri_rng_normal(&rng);
        double wave = sin((double)i / 40.0) + noise;
        double bad = i >= begins && i < ends ? 9.0 : 0.0;
        if (i >= from)
            put_line(out, "{\"x\":%.6f,\"y\":%.6f}\n", wave + bad,
                     2.0 * wave + noise - bad);
    }
}

/* Pushes what the wave is from record FROM to before TO, in windows that a
 * timer closes after STEP records. */
static void
push_wave(struct stream *stream, size_t from, size_t to, size_t step)
{
    for (size_t at = from; at < to; at += step) {
        prae_buffer in = {0};
        put_wave(&in, at, at + step < to ? at + step : to);
        NEED(stream_push(stream, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
        if (step < WINDOW)
            NEED(stream_judge(stream) == PRAE_OK);
        buffer_fini(&in);
    }
}

/* The moment that a burst goes back to, short windows' marks and all. */
static void
test_incident(size_t step)
{
    const size_t all = 140 * WINDOW;
    prae_params params = params_of(TIMES);

    for (size_t stop = 119 * WINDOW; stop < 126 * WINDOW; stop += WINDOW) {
        struct stream whole, second;
        prae_buffer saved = {0}, end = {0}, end_again = {0};
        prae_stats stats;
        stream_open(&whole, &params);
        push_wave(&whole, 0, 110 * WINDOW, 110 * WINDOW);
        push_wave(&whole, 110 * WINDOW, stop, step);
        whole.log.len = 0;
        NEED(prae_filter_save(whole.filter, &saved) == PRAE_OK);
        stream_open(&second, &params);
        NEED(prae_filter_load(second.filter, saved.data, saved.len) == PRAE_OK);
        push_wave(&whole, stop, all, step);
        push_wave(&second, stop, all, step);
        NEED(prae_filter_save(whole.filter, &end) == PRAE_OK);
        NEED(prae_filter_save(second.filter, &end_again) == PRAE_OK);
        prae_filter_stats(second.filter, &stats);
        ok(same_verdicts(&whole.log, &second.log) &&
               buffer_same(&end, &end_again) && stats.bursts > 0,
           "stopped at %zu of an incident, %zu a window: as if never stopped",
           stop, step);
        buffer_fini(&saved);
        buffer_fini(&end);
        buffer_fini(&end_again);
        stream_close(&whole);
        stream_close(&second);
    }
}

/* What was in the stream must not spoil the snapshot. */
static void
test_extremes(void)
{
    static const char *const values[] = {"1e160", "1e300", "1.7e308",
                                         "-1e-320"};

    for (size_t i = 0; i < COUNT(values); i++) {
        for (int first = 0; first < 2; first++) {
            prae_params params = params_of(TIMES);
            struct stream stream;
            prae_buffer in = {0}, out = {0};
            prae_filter *filter;
            params.context = PRAE_CONTEXT_ON;
            for (int w = 0; w < 2; w++) {
                if (w == !first)
                    put_line(&in, "{\"x\":%s,\"y\":%s}\n", values[i],
                             values[i]);
                put_windows(&in, TIMES, (size_t)w, 1);
            }
            stream_open(&stream, &params);
            NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 1) == PRAE_OK);
            NEED(prae_filter_save(stream.filter, &out) == PRAE_OK);
            NEED(prae_filter_new(&params, &filter) == PRAE_OK);
            prae_status status = prae_filter_load(filter, out.data, out.len);
            ok(status == PRAE_OK, "%s %s: saved and loaded %s", values[i],
               first ? "at the start" : "later", prae_filter_errmsg(filter));
            prae_filter_free(filter);
            stream_close(&stream);
            buffer_fini(&in);
            buffer_fini(&out);
        }
    }
}

/* A score is the sum of what each is rare by: beyond any logarithm. */
static void
test_many_strings(void)
{
    enum { COLUMNS = 3000, ROWS = 128 };
    prae_params params;
    struct stream stream;
    prae_buffer in = {0}, out = {0};
    prae_filter *filter;
    prae_stats stats;

    for (unsigned i = 0; i < 2 * ROWS; i++)
        for (unsigned k = 0; k < COLUMNS; k++)
            put_line(&in, "%s\"%x\":\"v%u\"%s", k == 0 ? "{" : ",", k,
                     (i + k) % (ROWS / 2), k + 1 == COLUMNS ? "}\n" : "");
    prae_params_init(&params);
    params.format = PRAE_FORMAT_JSONL;
    params.window = ROWS;
    stream_open(&stream, &params);
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    prae_filter_stats(stream.filter, &stats);
    NEED(stats.features == COLUMNS && stats.limit > 1e4);
    NEED(prae_filter_save(stream.filter, &out) == PRAE_OK);
    NEED(prae_filter_new(&params, &filter) == PRAE_OK);
    ok(prae_filter_load(filter, out.data, out.len) == PRAE_OK,
       "%d strings, scores of %.0f: saved and loaded %s", COLUMNS, stats.limit,
       prae_filter_errmsg(filter));
    prae_filter_free(filter);
    stream_close(&stream);
    buffer_fini(&in);
    buffer_fini(&out);
}

/* More records a step than room is made for at first. */
static void
test_large_batch(void)
{
    enum { LARGE = 4200 };
    prae_params params = params_of(NUMBERS);
    prae_buffer snapshot = {0}, in = {0}, rest = {0};
    struct stream whole, second;

    params.window = params.batch = LARGE;
    put_wave(&in, 0, LARGE);
    put_wave(&rest, LARGE, 2 * LARGE);
    stream_open(&whole, &params);
    stream_open(&second, &params);
    NEED(stream_push(&whole, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    NEED(prae_filter_save(whole.filter, &snapshot) == PRAE_OK);
    NEED(prae_filter_load(second.filter, snapshot.data, snapshot.len) ==
         PRAE_OK);
    whole.log.len = 0;
    NEED(stream_push(&whole, rest.data, rest.len, SIZE_MAX, 1) == PRAE_OK);
    NEED(stream_push(&second, rest.data, rest.len, SIZE_MAX, 1) == PRAE_OK);
    ok(same_verdicts(&whole.log, &second.log),
       "batches of %d go on as if never stopped", LARGE);
    buffer_fini(&snapshot);
    buffer_fini(&in);
    buffer_fini(&rest);
    stream_close(&whole);
    stream_close(&second);
}

int
main(void)
{
    for (size_t k = 0; k < COUNT(kinds); k++)
        test_round_trip(k);
    test_incident(WINDOW);
    test_incident(8);
    test_extremes();
    test_many_strings();
    test_large_batch();
    return tap_done();
}
