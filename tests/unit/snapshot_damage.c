/* A snapshot that is damaged, hostile or of another model is refused, and
 * does no harm. */
#include <math.h>
#include <xxhash.h>

#include "filter.h"
#include "snapshot.h"
#include "stream.h"

#define HEAD_BYTES 32
#define COUNT(array) (sizeof(array) / sizeof *(array))

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
    prae_status status =
        prae_filter_load(filter, copy == NULL ? "" : copy, len);
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
        for (int bit = 0; bit < 8; bit++) {
            /* The four bytes behind the version are not used. */
            int spare = i >= 12 && i < 16;
            bytes[i] = (char)(bytes[i] ^ 1 << bit);
            wrong += !spare && load(bytes, snapshot.len, 0) != PRAE_ESNAPSHOT;
            bytes[i] = (char)(bytes[i] ^ 1 << bit);
        }
    }
    ok(wrong == 0, "any bit changed: refused");

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
    ok(crashed == 0 && loaded > 0,
       "... with a right checksum: refused or "
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
    /* As many bytes as there are, but not as many as the layers need. */
    size_t weights = section_at("NETW") + 24;
    snapshot.data[weights]++;
    ok(load(snapshot.data, snapshot.len, 1) == PRAE_ESNAPSHOT,
       "a weight too many: refused");
    snapshot.data[weights] = (char)(snapshot.data[weights] - 2);
    ok(load(snapshot.data, snapshot.len, 1) == PRAE_ESNAPSHOT,
       "a weight too few: refused");
    snapshot.data[weights]++;
    put_at(snapshot.data + 8, PRI_SNAPSHOT_VERSION + 1, 4);
    ok(load(snapshot.data, snapshot.len, 1) == PRAE_ESNAPSHOT,
       "another version: refused");
    put_at(snapshot.data + 8, PRI_SNAPSHOT_VERSION, 4);
}

/* ---- what no filter would have written ---- */

static struct column *
column_of(prae_filter *filter, enum column_kind kind)
{
    for (size_t i = 0; i < filter->features.taken; i++)
        if (filter->features.column[i].kind == kind)
            return &filter->features.column[i];
    NEED(0);
    return NULL;
}

static struct category *
some_category(prae_filter *filter)
{
    return column_of(filter, COLUMN_CATEGORY)->categories.value;
}

static void
no_columns(prae_filter *filter)
{
    filter->features.column_count = filter->features.taken = 0;
}

static void
no_trusted(prae_filter *filter)
{
    filter->learner.reservoir.count = 0;
}

static void
no_scores(prae_filter *filter)
{
    filter->learner.history.count = 0;
}

static void
endless_lines(prae_filter *filter)
{
    column_of(filter, COLUMN_TEXT)->words.lines = (double)INFINITY;
}

static void
no_number_of_lines(prae_filter *filter)
{
    column_of(filter, COLUMN_TEXT)->words.lines = (double)NAN;
}

static void
word_below_0(prae_filter *filter)
{
    column_of(filter, COLUMN_TEXT)->words.one[7] = -1.0f;
}

static void
pair_below_0(prae_filter *filter)
{
    column_of(filter, COLUMN_TEXT)->words.pair[7] = -1.0f;
}

static void
endless_total(prae_filter *filter)
{
    column_of(filter, COLUMN_CATEGORY)->categories.total = (double)INFINITY;
}

static void
category_below_0(prae_filter *filter)
{
    some_category(filter)->count = -1.0;
}

static void
endless_category(prae_filter *filter)
{
    some_category(filter)->count = (double)INFINITY;
}

static void
open_text(prae_filter *filter)
{
    struct category *slot = some_category(filter);

    memset(slot->start, 'a', sizeof slot->start);
}

static void
no_unit(prae_filter *filter)
{
    filter->learner.scale.unit[0] = 0.0;
}

static void
square_below_0(prae_filter *filter)
{
    filter->learner.trainer.adam.square[0] = -1.0f;
}

static void
no_width(prae_filter *filter)
{
    filter->learner.trainer.net.layer[0].out = 0;
}

static void
no_factor(prae_filter *filter)
{
    filter->learner.factor = 0.0f;
}

static const struct {
    const char *name, *why;
    void (*spoil)(prae_filter *filter);
} senseless[] = {
    {"no features", "no features", no_columns},
    {"no trusted record", "no trusted record", no_trusted},
    {"no past score", "no past score", no_scores},
    {"endless lines", "not finite", endless_lines},
    {"lines that are no number", "not finite", no_number_of_lines},
    {"a word seen less than never", "below 0", word_below_0},
    {"a pair of words seen less than never", "below 0", pair_below_0},
    {"an endless column", "not finite", endless_total},
    {"a category seen less than never", "category", category_below_0},
    {"a category seen without end", "category", endless_category},
    {"a category's text without end", "category", open_text},
    {"a column without a unit", "scale", no_unit},
    {"a negative square", "optimiser", square_below_0},
    {"a layer without width", "impossible width", no_width},
    {"errors multiplied by 0", "state", no_factor},
};

/* Saved by a filter whose memory makes no sense, checksum and all. */
static void
test_senseless(void)
{
    prae_params params = small_params();
    prae_buffer in = {0}, good = {0};
    struct stream stream;

    params.window = 40;
    params.hidden_count = 1;
    params.hidden[0] = 3;
    for (unsigned i = 0; i < 40; i++) {
        unsigned r = i * 2654435761u >> 8;
        put_line(&in, "{\"x\":%u,\"c\":\"%c\",\"t\":\"user %u came\"}\n",
                 r % 97, "abba"[r % 4], r);
    }
    stream_open(&stream, &params);
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    NEED(prae_filter_save(stream.filter, &good) == PRAE_OK);
    for (size_t i = 0; i < COUNT(senseless); i++) {
        prae_filter *filter, *second;
        prae_buffer bad = {0};
        NEED(prae_filter_new(&params, &filter) == PRAE_OK);
        NEED(prae_filter_new(&params, &second) == PRAE_OK);
        NEED(prae_filter_load(filter, good.data, good.len) == PRAE_OK);
        size_t taken = filter->features.taken;
        senseless[i].spoil(filter);
        NEED(prae_filter_save(filter, &bad) == PRAE_OK);
        filter->features.taken = taken; /* what is freed is counted by it */
        prae_status status = prae_filter_load(second, bad.data, bad.len);
        if (!ok(status == PRAE_ESNAPSHOT &&
                    strstr(prae_filter_errmsg(second), senseless[i].why),
                "%s: refused, and why", senseless[i].name))
            printf("# %d %s\n", (int)status, prae_filter_errmsg(second));
        prae_filter_free(filter);
        prae_filter_free(second);
        buffer_fini(&bad);
    }
    stream_close(&stream);
    buffer_fini(&in);
    buffer_fini(&good);
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
        {"max-features", "1", PRAE_ESNAPSHOT},
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
        ok(status == cases[i].status &&
               (status == PRAE_OK) == (why[0] == '\0') &&
               (stats.features > 0) == (status == PRAE_OK) &&
               (status != PRAE_ESNAPSHOT || strstr(why, cases[i].name) != NULL),
           "%s=%s: %s", cases[i].name, cases[i].value,
           status == PRAE_OK ? "goes with it" : why);
        if (status == PRAE_OK)
            ok(prae_filter_load(filter, snapshot.data, snapshot.len) ==
                   PRAE_EINVAL,
               "%s=%s: ... and only once", cases[i].name, cases[i].value);
        prae_filter_free(filter);
    }
}

int
main(void)
{
    make_small();
    test_damage();
    test_values();
    test_senseless();
    test_params();
    stream_close(&small);
    buffer_fini(&snapshot);
    return tap_done();
}
