/* What was learned goes to bytes and back: the same bytes, the same
 * verdicts; and bytes that are wrong do no harm. */
#include <xxhash.h>

#include "snapshot.h"
#include "stream.h"

#define WINDOW 40
#define HEAD_BYTES 32
#define COUNT(array) (sizeof(array) / sizeof *(array))

enum kind { NUMBERS, CATEGORIES, TEXTS, TIMES, CHOSEN, COERCED };

static const struct {
    const char *name;
    enum kind kind;
} kinds[] = {{"numbers", NUMBERS},   {"categories", CATEGORIES},
             {"texts", TEXTS},       {"time series", TIMES},
             {"chosen fields", CHOSEN}, {"coerced strings", COERCED}};

/* WINDOWS windows of records, from the FROM-th on. */
static void
put_windows(prae_buffer *out, enum kind kind, size_t from, size_t windows)
{
    static const char *const states[] = {"ok", "ok", "ok", "warm", "late"};
    struct rng rng;
    double level = 0.0;

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
        else if (kind == TEXTS)
            put_line(out, "{\"x\":%.6f,\"line\":\"user %u %s in %u ms%s\"}\n",
                     a, some, some % 2 ? "logged" : "went", some * 7,
                     some < 20 ? " with a strange error" : "");
        else if (kind == TIMES)
            put_line(out, "{\"x\":%.6f,\"y\":%.6f}\n", level, level + 0.01 * b);
        else if (kind == COERCED)
            put_line(out, "{\"x\":\"%.6f\",\"y\":%.6f,\"z\":1}\n", a, a + 0.1 * b);
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
        ok(buffer_same(&first, &again), "%s, %zu windows: ... and is the same "
                                        "afterwards",
           kinds[k].name, lives[l]);
        buffer_fini(&first);
        buffer_fini(&again);
        buffer_fini(&rest);
        stream_close(&whole);
        stream_close(&second);
    }
}

/* ---- damage ---- */

static struct stream small; /* of the snapshots that are damaged */
static prae_buffer snapshot;

static prae_params
small_params(void)
{
    prae_params params;

    prae_params_init(&params);
    params.format = PRAE_FORMAT_JSONL;
    params.window = 8;
    params.memory = 10;
    params.hidden_count = 0;
    params.latent = 1;
    params.context = PRAE_CONTEXT_OFF;
    return params;
}

static void
make_small(void)
{
    prae_params params = small_params();
    prae_buffer in = {0};

    for (int i = 0; i < 8; i++)
        put_line(&in, "{\"x\":%d,\"c\":\"%c\"}\n", i * 3 % 8, "abba"[i % 4]);
    stream_open(&small, &params);
    NEED(stream_push(&small, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    NEED(prae_filter_save(small.filter, &snapshot) == PRAE_OK);
    buffer_fini(&in);
}

static prae_status
load(const char *bytes, size_t len, int mended)
{
    prae_params params;
    prae_filter *filter;
    char *copy = malloc(len);

    NEED(copy != NULL || len == 0);
    if (len > 0)
        memcpy(copy, bytes, len);
    if (mended && len >= HEAD_BYTES) {
        uint64_t size = len - HEAD_BYTES;
        uint64_t sum = XXH64(copy + HEAD_BYTES, (size_t)size, 0);
        for (int i = 0; i < 8; i++) {
            copy[16 + i] = (char)(size >> 8 * i);
            copy[24 + i] = (char)(sum >> 8 * i);
        }
    }
    prae_params_init(&params);
    params.format = PRAE_FORMAT_JSONL;
    params.window = 8;
    NEED(prae_filter_new(&params, &filter) == PRAE_OK);
    prae_status status = prae_filter_load(filter, copy == NULL ? "" : copy, len);
    if (status != PRAE_OK && prae_filter_errmsg(filter)[0] == '\0')
        status = PRAE_OK; /* refused without a word */
    prae_filter_free(filter);
    free(copy);
    return status;
}

static void
test_damage(void)
{
    size_t wrong = 0, crashed = 0, loaded = 0;
    char *bytes = snapshot.data;

    for (size_t len = 0; len < snapshot.len; len++)
        wrong += load(bytes, len, 0) != PRAE_ESNAPSHOT;
    ok(wrong == 0, "cut short at any of %zu lengths: refused", snapshot.len);
    put(&snapshot, "", 1);
    ok(load(snapshot.data, snapshot.len--, 0) == PRAE_ESNAPSHOT,
       "a byte more: refused");
    bytes = snapshot.data;
    wrong = 0;
    for (size_t i = 0; i < snapshot.len; i++) {
        for (int bit = 0; bit < 8; bit += 7) {
            /* The four bytes behind the version are not used. */
            int spare = i >= 12 && i < 16;
            bytes[i] = (char)(bytes[i] ^ 1 << bit);
            wrong += !spare && load(bytes, snapshot.len, 0) != PRAE_ESNAPSHOT;
            bytes[i] = (char)(bytes[i] ^ 1 << bit);
        }
    }
    ok(wrong == 0, "any byte changed: refused");

    /* The parser itself. */
    for (size_t i = HEAD_BYTES; i < snapshot.len; i++) {
        static const unsigned char masks[] = {0x01, 0x80, 0xff};
        for (size_t m = 0; m < COUNT(masks); m++) {
            bytes[i] = (char)(bytes[i] ^ masks[m]);
            prae_status status = load(bytes, snapshot.len, 1);
            bytes[i] = (char)(bytes[i] ^ masks[m]);
            loaded += status == PRAE_OK;
            crashed += status != PRAE_OK && status != PRAE_ESNAPSHOT &&
                       status != PRAE_ENOMEM;
        }
    }
    ok(crashed == 0 && loaded > 0, "... with a right checksum: refused or "
                                   "loaded (%zu)",
       loaded);
    wrong = 0;
    for (size_t len = HEAD_BYTES; len < snapshot.len; len++)
        wrong += load(bytes, len, 1) == PRAE_OK && len + 8 < snapshot.len;
    ok(wrong == 0, "cut short with a right checksum: refused");
    ok(load(bytes, snapshot.len, 1) == PRAE_OK, "undamaged: loaded");
}

static void
put_at(char *bytes, uint64_t value, int count)
{
    for (int i = 0; i < count; i++)
        bytes[i] = (char)(value >> 8 * i);
}

/* Where section TAG's bytes begin. */
static size_t
section_at(const char *tag)
{
    for (size_t at = HEAD_BYTES; at + 12 < snapshot.len;) {
        uint64_t len = 0;
        for (int i = 8; i-- > 0;)
            len = len << 8 | (unsigned char)snapshot.data[at + 4 + (size_t)i];
        if (memcmp(snapshot.data + at, tag, 4) == 0)
            return at + 12;
        at += 12 + (size_t)len;
    }
    return 0;
}

static void
test_values(void)
{
    static const struct {
        const char *name, *tag;
        size_t at;
        uint64_t value;
    } cases[] = {
        {"2^31 parameters", "PARM", 0, UINT64_C(1) << 31},
        {"2^31 paths", "FEAT", 0, UINT64_C(1) << 31},
        {"2^64-1 paths", "FEAT", 0, UINT64_MAX},
        {"2^31 features", "LEAR", 0, UINT64_C(1) << 31},
        {"2^31 net features", "NETW", 0, UINT64_C(1) << 31},
        {"2^31 latent", "NETW", 8, UINT64_C(1) << 31},
        {"no latent", "NETW", 8, 0},
        {"2^31 layers", "NETW", 16, UINT64_C(1) << 31},
        {"2^31 weights", "NETW", 24, UINT64_C(1) << 31},
        {"2^60 weights", "NETW", 24, UINT64_C(1) << 60},
        {"a NaN weight", "NETW", 32, UINT64_C(0x7fc000007fc00000)},
        {"an infinite weight", "NETW", 32, UINT64_C(0x000000007f800000)},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char kept[8];
        size_t at = section_at(cases[i].tag) + cases[i].at;
        NEED(at > HEAD_BYTES && at + 8 <= snapshot.len);
        memcpy(kept, snapshot.data + at, 8);
        put_at(snapshot.data + at, cases[i].value, 8);
        ok(load(snapshot.data, snapshot.len, 1) == PRAE_ESNAPSHOT,
           "%s: refused", cases[i].name);
        memcpy(snapshot.data + at, kept, 8);
    }
    put_at(snapshot.data + 8, 2, 4);
    ok(load(snapshot.data, snapshot.len, 1) == PRAE_ESNAPSHOT,
       "another version: refused");
    put_at(snapshot.data + 8, PRI_SNAPSHOT_VERSION, 4);
}

/* ---- parameters ---- */

static void
test_params(void)
{
    static const struct {
        const char *name, *value;
        prae_status status;
    } cases[] = {
        {"seed", "7", PRAE_ESNAPSHOT},      {"gates", "l0", PRAE_ESNAPSHOT},
        {"sigma", "0.3", PRAE_ESNAPSHOT},   {"latent", "2", PRAE_ESNAPSHOT},
        {"memory", "1000", PRAE_ESNAPSHOT}, {"memory", "10", PRAE_OK},
        {"fields", "x", PRAE_ESNAPSHOT},    {"coerce", "yes", PRAE_ESNAPSHOT},
        {"context", "on", PRAE_ESNAPSHOT},  {"hidden", "3", PRAE_ESNAPSHOT},
        {"threshold", "0.3", PRAE_OK},      {"rate", "0.01", PRAE_OK},
        {"freeze", "yes", PRAE_OK},         {"why", "1", PRAE_OK},
        {"window", "100", PRAE_OK},         {"window", "all", PRAE_ECONFIG},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        prae_params params;
        prae_filter *filter;
        prae_stats stats;
        prae_params_init(&params);
        NEED(prae_params_set(&params, cases[i].name, cases[i].value, NULL, 0) ==
             PRAE_OK);
        NEED(prae_filter_new(&params, &filter) == PRAE_OK);
        prae_status status =
            prae_filter_load(filter, snapshot.data, snapshot.len);
        prae_filter_stats(filter, &stats);
        const char *why = prae_filter_errmsg(filter);
        ok(status == cases[i].status && (status == PRAE_OK) == (why[0] == '\0') &&
               (stats.features > 0) == (status == PRAE_OK) &&
               (status != PRAE_ESNAPSHOT ||
                strstr(why, cases[i].name) != NULL),
           "%s=%s: %s", cases[i].name, cases[i].value,
           status == PRAE_OK ? "goes with it" : why);
        if (status == PRAE_OK)
            ok(prae_filter_load(filter, snapshot.data, snapshot.len) ==
                   PRAE_EINVAL,
               "%s=%s: ... and only once", cases[i].name, cases[i].value);
        prae_filter_free(filter);
    }
}

/* What was in the stream must not spoil the snapshot. */
static void
test_extremes(void)
{
    static const char *const values[] = {"1e160", "1e300", "1.7e308", "-1e-320"};

    for (size_t i = 0; i < COUNT(values); i++) {
        for (int first = 0; first < 2; first++) {
            prae_params params = params_of(TIMES);
            struct stream stream;
            prae_buffer in = {0}, out = {0};
            prae_filter *filter;
            params.context = PRAE_CONTEXT_ON;
            for (int w = 0; w < 2; w++) {
                if (w == !first)
                    put_line(&in, "{\"x\":%s,\"y\":%s}\n", values[i], values[i]);
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

int
main(void)
{
    make_small();
    for (size_t k = 0; k < COUNT(kinds); k++)
        test_round_trip(k);
    test_damage();
    test_values();
    test_params();
    test_extremes();
    stream_close(&small);
    buffer_fini(&snapshot);
    return tap_done();
}
