/* A snapshot that is damaged, hostile or of another model is refused, and
 * does no harm; or else it can be gone on from. */
#include <math.h>
#include <sys/resource.h>
#include <xxhash.h>

#include "bytes.h"
#include "filter.h"
#include "snapshot.h"
#include "stream.h"
#include "text.h"

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

static void
put_at(char *bytes, uint64_t value, int count)
{
    for (int i = 0; i < count; i++)
        bytes[i] = (char)(value >> 8 * i);
}

/* Length and checksum are made right. */
static void
mend(char *bytes, size_t len)
{
    put_at(bytes + 16, len - HEAD_BYTES, 8);
    put_at(bytes + 24, XXH64(bytes + HEAD_BYTES, len - HEAD_BYTES, 0), 8);
}

/* A filter as a caller has it who knows nothing of the snapshot. */
static prae_filter *
plain_filter(void)
{
    prae_params params;
    prae_filter *filter;

    prae_params_init(&params);
    params.format = PRAE_FORMAT_JSONL;
    params.window = 8;
    NEED(prae_filter_new(&params, &filter) == PRAE_OK);
    return filter;
}

/* Whether all that is said of a record can be used. */
static int
is_sound(const prae_verdict *verdict)
{
    prae_buffer out = {0};
    int sound = verdict->kind == PRAE_KIND_REJECT ||
                (isfinite(verdict->score) && isfinite(verdict->error));

    for (size_t i = 0; i < verdict->value_count; i++)
        sound = sound && !isinf(verdict->values[i]);
    NEED(prae_verdict_write(verdict, PRAE_FORMAT_JSONL, &out) == PRAE_OK);
    sound = sound && pri_utf8_valid(out.data, out.len) == out.len;
    buffer_fini(&out);
    return sound;
}

/* Three windows or, where records are refused, fewer: of what was there
 * before, with a value that is far out, and of a string that is new. */
static int
judges_on(prae_filter *filter)
{
    prae_buffer in = {0};
    prae_verdict verdict;
    prae_status status = PRAE_OK;
    int sound = 1;

    for (int i = 0; i < 24; i++)
        put_line(&in, "{\"x\":%d%s,\"c\":\"%c\"}\n", i * 3 % 8,
                 i == 9 ? "e300" : "", i < 16 ? "abba"[i % 4] : 'z');
    for (size_t at = 0, used; at < in.len && status == PRAE_OK; at += used) {
        status = prae_filter_push(filter, in.data + at, in.len - at, 0, &used);
        NEED(status == PRAE_FULL || (status == PRAE_OK && at + used == in.len));
        status = prae_filter_judge(filter);
        while (prae_filter_next(filter, &verdict) == PRAE_OK)
            sound = sound && is_sound(&verdict);
    }
    buffer_fini(&in);
    return sound && status == PRAE_OK;
}

/* Whether FILTER, which was loaded, can be gone on from; and so can what it
 * saves, before and afterwards. */
static int
is_usable(prae_filter *filter)
{
    int usable = 1;

    for (int judged = 0; judged < 2 && usable; judged++) {
        prae_filter *again = plain_filter();
        prae_buffer saved = {0};
        prae_stats stats;
        usable = prae_filter_save(filter, &saved) == PRAE_OK &&
                 prae_filter_load(again, saved.data, saved.len) == PRAE_OK &&
                 (judged || judges_on(filter));
        prae_filter_stats(filter, &stats);
        usable = usable && isfinite(stats.likeness) && isfinite(stats.limit) &&
                 isfinite(stats.score_likeness);
        prae_filter_free(again);
        buffer_fini(&saved);
    }
    return usable;
}

static size_t useless; /* that were loaded, and are not usable */

static prae_status
load(const char *bytes, size_t len, int mended)
{
    prae_filter *filter = plain_filter();
    char *copy = malloc(len);

    NEED(copy != NULL || len == 0);
    if (len > 0)
        memcpy(copy, bytes, len);
    if (mended && len >= HEAD_BYTES)
        mend(copy, len);
    prae_status status =
        prae_filter_load(filter, copy == NULL ? "" : copy, len);
    if (status == PRAE_OK)
        useless += !is_usable(filter);
    else if (prae_filter_errmsg(filter)[0] == '\0')
        status = PRAE_OK; /* refused without a word */
    prae_filter_free(filter);
    free(copy);
    return status;
}

static void
test_damage(void)
{
    size_t wrong = 0, other = 0, loaded = 0;
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
        /* The bits of exponents, among others. */
        static const unsigned char masks[] = {0x01, 0x08, 0x20, 0x40,
                                              0x60, 0x80, 0xff};
        for (size_t m = 0; m < COUNT(masks); m++) {
            bytes[i] = (char)(bytes[i] ^ masks[m]);
            prae_status status = load(bytes, snapshot.len, 1);
            bytes[i] = (char)(bytes[i] ^ masks[m]);
            loaded += status == PRAE_OK;
            other += status != PRAE_OK && status != PRAE_ESNAPSHOT;
            if (useless > wrong)
                printf("# byte %zu, mask %x\n", i, masks[m]);
            wrong = useless;
        }
    }
    ok(other == 0 && loaded > 0,
       "... with a right checksum: refused or loaded (%zu)", loaded);
    ok(useless == 0,
       "... and what is loaded judges, and is saved to be loaded");
    wrong = 0;
    for (size_t len = HEAD_BYTES; len < snapshot.len; len++)
        wrong += load(bytes, len, 1) == PRAE_OK && len + 8 < snapshot.len;
    ok(wrong == 0, "cut short with a right checksum: refused");
    ok(load(bytes, snapshot.len, 1) == PRAE_OK, "undamaged: loaded");
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

static void
great_factor(prae_filter *filter)
{
    filter->learner.factor = 1e29f;
}

static void
great_total(prae_filter *filter)
{
    column_of(filter, COLUMN_CATEGORY)->categories.total = 1e308;
}

static void
great_category(prae_filter *filter)
{
    some_category(filter)->count = 1e308;
}

static void
no_text(prae_filter *filter)
{
    memcpy(some_category(filter)->start, "\xff\xfe\x80", 4);
}

static void
same_column(prae_filter *filter)
{
    filter->features.column[1].node = filter->features.column[0].node;
}

static void
no_likeness(prae_filter *filter)
{
    filter->learner.likeness = (double)NAN;
}

static void
great_level(prae_filter *filter)
{
    filter->learner.smooth.level = 1e39;
}

static void
great_last(prae_filter *filter)
{
    filter->learner.smooth.last = 1.7e308;
}

static void
great_mean(prae_filter *filter)
{
    filter->learner.smooth.mean = -1e308;
}

static void
great_square(prae_filter *filter)
{
    filter->learner.smooth.square = 1e308;
}

static void
great_product(prae_filter *filter)
{
    filter->learner.smooth.product = -1e308;
}

static void
great_calm(prae_filter *filter)
{
    filter->learner.calm_level = 1e39;
}

static void
great_limit(prae_filter *filter)
{
    filter->learner.limit = 1e30f;
}

static void
great_score(prae_filter *filter)
{
    filter->learner.history.score[3] = -3e38f;
}

static void
great_load(prae_filter *filter)
{
    filter->learner.load = 1e300;
}

static void
values_without_end(prae_filter *filter)
{
    filter->learner.context.count[0] = UINT64_MAX;
}

static void
upsets_without_end(prae_filter *filter)
{
    filter->learner.context.upsets[0] = UINT64_MAX;
}

static void
kept_without_end(prae_filter *filter)
{
    filter->learner.context.kept_count[1] = UINT64_MAX;
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
    {"a category seen less than never", "below 0", category_below_0},
    {"a category seen without end", "not finite", endless_category},
    {"a category's text without end", "category", open_text},
    {"a column without a unit", "scale", no_unit},
    {"a negative square", "optimiser", square_below_0},
    {"a layer without width", "impossible width", no_width},
    {"errors multiplied by 0", "state", no_factor},
    {"errors multiplied by far too much", "state", great_factor},
    {"a column of far too many values", "out of range", great_total},
    {"a category of far too many", "out of range", great_category},
    {"a category's text that is none", "category", no_text},
    {"a place with two columns", "column", same_column},
    {"a likeness that is no number", "not finite", no_likeness},
    {"a smoothed score that is none", "out of range", great_level},
    {"a last score that is none", "out of range", great_last},
    {"a mean of scores that is none", "out of range", great_mean},
    {"a square of scores that is none", "out of range", great_square},
    {"a product of scores that is none", "out of range", great_product},
    {"a calm score that is none", "out of range", great_calm},
    {"a limit that is no score", "out of range", great_limit},
    {"a past score that is none", "out of range", great_score},
    {"a load that no stream has", "out of range", great_load},
    {"values without end", "count", values_without_end},
    {"upsets without end", "count", upsets_without_end},
    {"kept values without end", "count", kept_without_end},
};

/* Counts that would soon be 0 again. */
#define TALLY(name, member) {name, offsetof(prae_filter, member)}

static const struct {
    const char *name;
    size_t at;
} tallies[] = {
    TALLY("the number of windows", window_number),
    TALLY("scores", learner.history.count),
    TALLY("smoothed scores", learner.smooth.count),
    TALLY("records since a calm moment", learner.stale),
    TALLY("records of a burst", learner.astray),
    TALLY("records that do not fit", learner.held),
    TALLY("records of a drift", learner.drifted),
    TALLY("windows judged", learner.windows),
    TALLY("windows learned", learner.model),
    TALLY("records learned", learner.learned),
    TALLY("windows since a drift", learner.age),
    TALLY("bursts", learner.bursts),
    TALLY("drifts", learner.drifts),
    TALLY("windows undone", learner.rollbacks),
    TALLY("records offered", learner.reservoir.offered),
    TALLY("steps", learner.trainer.adam.steps),
    TALLY("epochs", learner.trainer.epochs),
};

static struct stream varied; /* numbers, categories and texts */
static prae_buffer good;     /* its snapshot */

static void
make_varied(void)
{
    prae_params params = small_params();
    prae_buffer in = {0};

    params.window = 40;
    params.hidden_count = 1;
    params.hidden[0] = 3;
    for (unsigned i = 0; i < 40; i++) {
        unsigned r = i * 2654435761u >> 8;
        put_line(&in, "{\"x\":%u,\"c\":\"%c\",\"t\":\"user %u came\"}\n",
                 r % 97, "abba"[r % 4], r);
    }
    stream_open(&varied, &params);
    NEED(stream_push(&varied, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    NEED(prae_filter_save(varied.filter, &good) == PRAE_OK);
    buffer_fini(&in);
}

/* What a filter saves that SPOIL was called with, or that counts far too much
 * AT some place, is refused: WHY. */
static void
test_spoilt(const char *name, const char *why,
            void (*spoil)(prae_filter *filter), size_t at)
{
    const uint64_t nearly_0 = UINT64_MAX - 31;
    prae_filter *filter = plain_filter(), *second = plain_filter();
    prae_buffer bad = {0};

    NEED(prae_filter_load(filter, good.data, good.len) == PRAE_OK);
    size_t taken = filter->features.taken;
    if (spoil != NULL)
        spoil(filter);
    else
        memcpy((char *)filter + at, &nearly_0, sizeof nearly_0);
    NEED(prae_filter_save(filter, &bad) == PRAE_OK);
    filter->features.taken = taken; /* what is freed is counted by it */
    prae_status status = prae_filter_load(second, bad.data, bad.len);
    if (!ok(status == PRAE_ESNAPSHOT &&
                strstr(prae_filter_errmsg(second), why) != NULL,
            "%s: refused, and why", name))
        printf("# %d %s\n", (int)status, prae_filter_errmsg(second));
    prae_filter_free(filter);
    prae_filter_free(second);
    buffer_fini(&bad);
}

/* Saved by a filter whose memory makes no sense, checksum and all. */
static void
test_senseless(void)
{
    for (size_t i = 0; i < COUNT(senseless); i++)
        test_spoilt(senseless[i].name, senseless[i].why, senseless[i].spoil, 0);
    for (size_t i = 0; i < COUNT(tallies); i++)
        test_spoilt(tallies[i].name, "count", NULL, tallies[i].at);
}

/* Of thousands of strings the sum of rarities is beyond any logarithm. */
static void
test_large_scores(void)
{
    prae_filter *filter = plain_filter(), *second = plain_filter();
    prae_buffer saved = {0}, again = {0};

    NEED(prae_filter_load(filter, good.data, good.len) == PRAE_OK);
    filter->learner.limit = 12764.8f;
    for (size_t i = 0; i < 40; i++)
        filter->learner.history.score[i] = 12000.0f + (float)i;
    filter->learner.smooth.mean = filter->learner.smooth.last = 12020.0;
    NEED(prae_filter_save(filter, &saved) == PRAE_OK);
    if (!ok(prae_filter_load(second, saved.data, saved.len) == PRAE_OK &&
                prae_filter_save(second, &again) == PRAE_OK &&
                buffer_same(&saved, &again),
            "scores of very many strings: loaded"))
        printf("# %s\n", prae_filter_errmsg(second));
    prae_filter_free(filter);
    prae_filter_free(second);
    buffer_fini(&saved);
    buffer_fini(&again);
}

/* ---- more columns than there may be ---- */

static long
peak_kb(void)
{
    struct rusage usage;

    NEED(getrusage(RUSAGE_SELF, &usage) == 0);
    return usage.ru_maxrss;
}

/* The head and sections META and PARM of the small snapshot, then a FEAT of
 * COUNT categories that have no values. */
static void
put_empty_categories(struct writer *out, size_t count)
{
    char name[16];

    pri_put_bytes(out, snapshot.data, section_at("FEAT") - 12);
    size_t at = pri_begin_section(out, "FEAT");
    pri_put_u64(out, count + 1);
    for (size_t i = 0; i < count; i++) {
        pri_put_u32(out, 0);
        pri_put_u32(out, 1);
        pri_put_u32(out, 0);
        pri_put_text(out, name,
                     (size_t)snprintf(name, sizeof name, "c%zu", i));
    }
    pri_put_u64(out, 0);
    pri_put_u64(out, count);
    pri_put_u64(out, count);
    for (size_t i = 0; i < count; i++) {
        pri_put_u32(out, COLUMN_CATEGORY);
        pri_put_u32(out, (uint32_t)i + 1);
        pri_put_f64(out, 0.0);
        pri_put_u32(out, 0);
        pri_put_u64(out, 0);
    }
    pri_end_section(out, at);
    NEED(out->status == PRAE_OK);
    mend(out->buffer->data, out->buffer->len);
}

static prae_status
load_narrow(const prae_buffer *bytes, size_t features_max, const char **why)
{
    static char errmsg[256];
    prae_params params;
    prae_filter *filter;

    prae_params_init(&params);
    params.format = PRAE_FORMAT_JSONL;
    params.features_max = features_max;
    NEED(prae_filter_new(&params, &filter) == PRAE_OK);
    prae_status status = prae_filter_load(filter, bytes->data, bytes->len);
    snprintf(errmsg, sizeof errmsg, "%s", prae_filter_errmsg(filter));
    *why = errmsg;
    prae_filter_free(filter);
    return status;
}

static void
test_columns(void)
{
    prae_buffer bytes = {0};
    struct writer out = {&bytes, PRAE_OK};
    const char *why;

    put_empty_categories(&out, 2000);
    long before = peak_kb();
    ok(load_narrow(&bytes, 100, &why) == PRAE_ESNAPSHOT &&
           strstr(why, "max-features") != NULL && peak_kb() - before < 100000,
       "2000 empty columns where 100 may be: refused before they take memory");
    ok(load_narrow(&good, 6, &why) == PRAE_ESNAPSHOT &&
           strstr(why, "max-features") != NULL,
       "a text of 5 features more than may be: refused");
    ok(load_narrow(&good, 7, &why) == PRAE_OK, "as many as may be: loaded");
    buffer_fini(&bytes);
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

/* A list of NAMES names, the last of which is LAST. */
static char *
long_list(size_t names, const char *last)
{
    char *list = malloc(names * 8 + strlen(last) + 1);
    size_t len = 0;

    NEED(list != NULL);
    for (size_t i = 1; i < names; i++)
        len += (size_t)sprintf(list + len, "n%05zu,", i % 100000);
    strcpy(list + len, last);
    return list;
}

static char list_why[256]; /* what load_list failed for */

/* What a filter says to BYTES where its parameter NAME is VALUE, or where it
 * has none; AGAIN, unless it is NULL, is what it then saves. */
static prae_status
load_list(const prae_buffer *bytes, const char *name, const char *value,
          prae_buffer *again)
{
    prae_params params;
    prae_filter *filter;

    prae_params_init(&params);
    params.format = PRAE_FORMAT_JSONL;
    if (value != NULL)
        NEED(prae_params_set(&params, name, value, NULL, 0) == PRAE_OK);
    NEED(prae_filter_new(&params, &filter) == PRAE_OK);
    prae_status status = prae_filter_load(filter, bytes->data, bytes->len);
    if (again != NULL)
        NEED(prae_filter_save(filter, again) == PRAE_OK);
    snprintf(list_why, sizeof list_why, "%s", prae_filter_errmsg(filter));
    prae_filter_free(filter);
    return status;
}

/* Lists of fields are kept and compared to their last byte. */
static void
test_long_lists(void)
{
    static const char *const lists[] = {"fields", "ignore"};
    char *list = long_list(3000, "x"), *other = long_list(3000, "y"),
         *shorter = long_list(2999, "x");

    for (size_t i = 0; i < COUNT(lists); i++) {
        prae_filter *filter = plain_filter();
        prae_buffer bytes = {0}, again = {0};
        NEED(prae_filter_load(filter, snapshot.data, snapshot.len) == PRAE_OK);
        if (i == 0)
            filter->learner.params.fields = list;
        else
            filter->learner.params.ignore = list;
        NEED(prae_filter_save(filter, &bytes) == PRAE_OK);
        ok(bytes.len > snapshot.len + strlen(list) - 10,
           "%s of 20 KB is all in the snapshot", lists[i]);
        ok(load_list(&bytes, lists[i], list, NULL) == PRAE_OK &&
               load_list(&bytes, lists[i], NULL, &again) == PRAE_OK &&
               buffer_same(&bytes, &again),
           "%s: the same, or none, goes on with it", lists[i]);
        ok(load_list(&bytes, lists[i], other, NULL) == PRAE_ESNAPSHOT &&
               strstr(list_why, "=...x, not ...y: ") != NULL,
           "%s: one that differs in its last name does not", lists[i]);
        ok(load_list(&bytes, lists[i], shorter, NULL) == PRAE_ESNAPSHOT &&
               strstr(list_why, "=...n02999,x, not ...x: ") != NULL,
           "%s: one that is shorter does not", lists[i]);
        prae_filter_free(filter);
        buffer_fini(&bytes);
        buffer_fini(&again);
    }
    free(list);
    free(other);
    free(shorter);
}

/* The small snapshot with one more parameter, NAME=VALUE. */
static void
put_with_param(prae_buffer *out, const char *name, const char *value)
{
    size_t parm = section_at("PARM"), feat = section_at("FEAT") - 12;
    struct writer more = {out, PRAE_OK};

    pri_put_bytes(&more, snapshot.data, feat);
    pri_put_text(&more, name, strlen(name));
    pri_put_text(&more, value, strlen(value));
    put_at(out->data + parm - 8, out->len - parm, 8);
    out->data[parm]++;
    pri_put_bytes(&more, snapshot.data + feat, snapshot.len - feat);
    NEED(more.status == PRAE_OK);
    mend(out->data, out->len);
}

/* How many parameters of PARAMS are not as in OTHER. */
static size_t
differing(const prae_params *params, const prae_params *other)
{
    char left[128], right[128];
    const char *name;
    size_t count = 0;

    for (size_t i = 0; (name = prae_params_name(i)) != NULL; i++) {
        NEED(prae_params_get(params, name, left, sizeof left) == PRAE_OK);
        NEED(prae_params_get(other, name, right, sizeof right) == PRAE_OK);
        count += strcmp(left, right) != 0;
    }
    return count;
}

/* What is no matter of a model stays as the caller has it. */
static void
test_callers_params(void)
{
    static const char *const theirs[][2] = {
        {"freeze", "yes"},     {"epochs", "2000"},      {"cold-epochs", "9"},
        {"fpr", "0.5"},        {"threshold", "0.9"},    {"cold", "flag"},
        {"unscored", "yes"},   {"rate", "1"},           {"batch", "3"},
        {"burst-share", "0"},  {"drift-after", "9"},    {"why", "0"},
        {"scaling", "none"},   {"max-features", "100"}, {"max-record", "64"},
        {"max-elements", "9"}, {"max-depth", "2"},      {"window", "9"},
        {"format", "csv"},     {"no-header", "yes"},    {"of-later", "1"}};
    prae_filter *plain = plain_filter();

    NEED(prae_filter_load(plain, snapshot.data, snapshot.len) == PRAE_OK);
    for (size_t i = 0; i < COUNT(theirs); i++) {
        prae_filter *filter = plain_filter();
        prae_buffer bytes = {0};
        put_with_param(&bytes, theirs[i][0], theirs[i][1]);
        prae_status status = prae_filter_load(filter, bytes.data, bytes.len);
        ok(status == PRAE_OK &&
               differing(&filter->learner.params, &plain->learner.params) ==
                   0 &&
               differing(&filter->params, &plain->params) == 0,
           "%s=%s in a snapshot: passed over", theirs[i][0], theirs[i][1]);
        prae_filter_free(filter);
        buffer_fini(&bytes);
    }
    prae_filter_free(plain);
}

/* Each of them is in range, and together they do not go. */
static void
test_params_together(void)
{
    prae_filter *filter = plain_filter(), *second = plain_filter();
    prae_buffer bytes = {0};

    NEED(prae_filter_load(filter, snapshot.data, snapshot.len) == PRAE_OK);
    filter->learner.params.gates = PRAE_GATES_L0;
    filter->learner.params.sigma = 0.01;
    NEED(prae_filter_save(filter, &bytes) == PRAE_OK);
    ok(prae_filter_load(second, bytes.data, bytes.len) == PRAE_ESNAPSHOT &&
           strstr(prae_filter_errmsg(second), "parameters") != NULL,
       "gates=l0 with sigma=0.01: refused");
    prae_filter_free(filter);
    prae_filter_free(second);
    buffer_fini(&bytes);
}

int
main(void)
{
    make_small();
    test_damage();
    test_values();
    make_varied();
    test_senseless();
    test_large_scores();
    test_columns();
    test_params();
    test_callers_params();
    test_params_together();
    test_long_lists();
    stream_close(&varied);
    buffer_fini(&good);
    stream_close(&small);
    buffer_fini(&snapshot);
    return tap_done();
}
