/* A filter takes bytes and gives verdicts: each record once, in order, the
 * same whatever the pieces, and every fault where the sender can find it. */
#include "stream.h"

#define RECORDS 300
#define WINDOW 64
#define ODD(i) ((i) % 50 == 37) /* records whose y is not 2 x */
#define COUNT(array) (sizeof(array) / sizeof *(array))

static const prae_format formats[] = {PRAE_FORMAT_MSGPACK, PRAE_FORMAT_JSONL,
                                      PRAE_FORMAT_CSV};
static const char *const format_names[] = {"msgpack", "jsonl", "csv"};

static void
put_record(prae_buffer *out, prae_format format, double x, double y, double z)
{
    if (format == PRAE_FORMAT_JSONL) {
        put_line(out, "{\"x\":%.9g,\"in\":{\"y\":%.9g,\"z\":%.9g}}\n", x, y,
                 z);
    } else if (format == PRAE_FORMAT_CSV) {
        put_line(out, "%.9g,%.9g,%.9g\r\n", x, y, z);
    } else {
        put_map(out, 2);
        put_named(out, "x", x);
        put_text(out, "in");
        put_map(out, 2);
        put_named(out, "y", y);
        put_named(out, "z", z);
    }
}

/* COUNT records from the FROM-th on; y is 2 x but for the odd ones. */
static void
put_records(prae_buffer *out, prae_format format, size_t from, size_t count)
{
    struct rng rng;

    pri_rng_init(&rng, 7, 99);
    for (size_t i = 0; i < from + count; i++) {
        double x = (double)pri_rng_normal(&rng);
        double noise = 0.05 * (double)pri_rng_normal(&rng);
        double z = (double)pri_rng_normal(&rng);
        if (i >= from)
            put_record(out, format, x, ODD(i) ? 25.0 : 2.0 * x + noise, z);
    }
}

static void
put_input(prae_buffer *out, prae_format format)
{
    if (format == PRAE_FORMAT_CSV)
        put_line(out, "x,in.y,in.z\r\n");
    put_records(out, format, 0, RECORDS);
}

static prae_params
params_of(prae_format format, size_t window)
{
    prae_params params;

    prae_params_init(&params);
    params.format = format;
    params.window = window;
    return params;
}

/* What was seen of each record. */
struct seen {
    prae_verdict verdict[2 * RECORDS];
    char field[2 * RECORDS][64]; /* of the first reason */
    size_t count;
    int bad_shares, bad_p;
};

static void
look(const prae_verdict *verdict, void *data)
{
    struct seen *seen = data;
    double sum = 0.0, last = 1.0;

    NEED(seen->count < COUNT(seen->verdict));
    for (size_t i = 0; i < verdict->why_count; i++) {
        sum += verdict->why[i].share;
        seen->bad_shares += verdict->why[i].share > last;
        last = verdict->why[i].share;
    }
    seen->bad_shares += sum > 1.0 + 1e-6 || (verdict->why_count > 0 && !(sum > 0));
    seen->bad_p += verdict->window == 0 ? !isnan(verdict->p)
                                        : !(verdict->p > 0.0 && verdict->p <= 1.0);
    snprintf(seen->field[seen->count], sizeof seen->field[0], "%s",
             verdict->why_count > 0 ? verdict->why[0].field : "");
    seen->verdict[seen->count++] = *verdict;
}

static struct seen seen;

static void
open_seen(struct stream *stream, const prae_params *params)
{
    stream_open(stream, params);
    memset(&seen, 0, sizeof seen);
    stream->look = look;
    stream->data = &seen;
}

/* ---- pieces, windows, reasons ---- */

static void
test_pieces(size_t f)
{
    static const size_t steps[] = {SIZE_MAX, 1, 7, 1000};
    prae_params params = params_of(formats[f], WINDOW);
    prae_buffer in = {0}, first = {0};

    put_input(&in, formats[f]);
    for (size_t s = 0; s < COUNT(steps); s++) {
        struct stream stream;
        stream_open(&stream, &params);
        NEED(stream_push(&stream, in.data, in.len, steps[s], 1) == PRAE_OK);
        ok(stream.unbalanced == 0 && stream.disordered == 0 &&
               stream.taken == RECORDS,
           "%s in pieces of %zd: every record once, in order, counts add up",
           format_names[f], (ssize_t)steps[s]);
        if (s == 0)
            put(&first, stream.log.data, stream.log.len);
        else
            ok(buffer_same(&first, &stream.log),
               "%s in pieces of %zd: the same verdicts", format_names[f],
               (ssize_t)steps[s]);
        stream_close(&stream);
    }
    buffer_fini(&in);
    buffer_fini(&first);
}

static void
test_verdicts(size_t f)
{
    prae_params params = params_of(formats[f], WINDOW);
    size_t misplaced = 0, found = 0, odd = 0, named = 0, flagged = 0;
    struct stream stream;
    prae_buffer in = {0};
    prae_stats stats;
    size_t len;

    put_input(&in, formats[f]);
    open_seen(&stream, &params);
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 1) == PRAE_OK);
    prae_filter_stats(stream.filter, &stats);
    for (size_t i = 0; i < RECORDS; i++) {
        int out = seen.verdict[i].kind == PRAE_KIND_OUTLIER;
        misplaced += seen.verdict[i].window != i / WINDOW;
        odd += ODD(i);
        found += ODD(i) && out;
        named += ODD(i) && out && strcmp(seen.field[i], "in.y") == 0;
        flagged += (size_t)out;
    }
    ok(misplaced == 0 && stream.windows == RECORDS / WINDOW + 1,
       "%s: windows are of exactly %d, the last is what is left",
       format_names[f], WINDOW);
    ok(found == odd, "%s: %zu of %zu odd records are flagged", format_names[f],
       found, odd);
    ok(named == odd, "%s: the odd field is the first reason of %zu",
       format_names[f], named);
    ok(flagged < RECORDS / 5, "%s: %zu are flagged in all", format_names[f],
       flagged);
    ok(seen.bad_shares == 0, "%s: shares fall and sum to 1 at most",
       format_names[f]);
    ok(seen.bad_p == 0, "%s: p is none in the first window, else in (0, 1]",
       format_names[f]);
    ok(stats.received == RECORDS && stats.outliers == flagged &&
           stats.windows == stream.windows && stats.features == 3 &&
           stats.state == PRAE_STATE_LIVE,
       "%s: the counts say so, too", format_names[f]);
    const char *header = prae_filter_header(stream.filter, &len);
    const char *wanted =
        formats[f] == PRAE_FORMAT_CSV ? "x,in.y,in.z\r\n" : "";
    ok(len == strlen(wanted) && memcmp(header, wanted, len) == 0,
       "%s: the header is as it came", format_names[f]);
    stream_close(&stream);
    buffer_fini(&in);
}

static void
test_windows(void)
{
    static const struct {
        const char *name;
        size_t window, records, windows;
    } cases[] = {
        {"all at once", 0, 300, 1},     {"larger than the stream", 1000, 40, 1},
        {"one record", 64, 1, 1},       {"two records", 64, 2, 1},
        {"windows of one", 1, 12, 13},  {"windows of two", 2, 12, 7},
        {"nothing at all", 64, 0, 1},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        prae_params params = params_of(PRAE_FORMAT_MSGPACK, cases[i].window);
        struct stream stream;
        prae_buffer in = {0};
        int finite = 1;
        put(&in, "", 0);
        put_records(&in, params.format, 0, cases[i].records);
        open_seen(&stream, &params);
        prae_status status = stream_push(&stream, in.data, in.len, 11, 1);
        for (size_t k = 0; k < seen.count; k++)
            finite &= isfinite(seen.verdict[k].score) &&
                      isfinite(seen.verdict[k].error);
        ok(status == PRAE_OK && stream.taken == cases[i].records && finite &&
               stream.windows == cases[i].windows && stream.unbalanced == 0,
           "%s: every record leaves, with a finite score", cases[i].name);
        stream_close(&stream);
        buffer_fini(&in);
    }
}

static void
test_cold(void)
{
    static const struct {
        const char *name;
        prae_cold cold;
        size_t least, most; /* flagged in the first window */
    } cases[] = {{"hold: judged with their window", PRAE_COLD_HOLD, 1, 12},
                 {"pass: all leave as inliers", PRAE_COLD_PASS, 0, 0},
                 {"flag: all leave as outliers", PRAE_COLD_FLAG, 64, 64}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        prae_params params = params_of(PRAE_FORMAT_MSGPACK, WINDOW);
        size_t cold = 0, later = 0;
        struct stream stream;
        prae_buffer in = {0};
        params.cold = cases[i].cold;
        put_input(&in, params.format);
        open_seen(&stream, &params);
        NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 1) == PRAE_OK);
        for (size_t k = 0; k < seen.count; k++) {
            size_t out = seen.verdict[k].kind == PRAE_KIND_OUTLIER;
            cold += k < WINDOW ? out : 0;
            later += k >= WINDOW && ODD(k) ? out : 0;
        }
        ok(cold >= cases[i].least && cold <= cases[i].most && later == 5,
           "cold=%s (%zu), later ones are judged", cases[i].name, cold);
        stream_close(&stream);
        buffer_fini(&in);
    }
}

/* ---- rejects ---- */

static void
test_rejects(void)
{
    static const struct {
        const char *line, *code;
        int parsed;
    } bad[] = {
        {"nonsense\n", "malformed", 0},
        {"17\n", "type", 1},
        {"{\"x\":\"hot\",\"in\":{\"y\":1,\"z\":1}}\n", "type", 1},
        {"{\"x\":NaN,\"in\":{\"y\":1,\"z\":1}}\n", "nonfinite", 1},
        {"{\"x\":1}\n", "missing", 1},
        {"{}\n", "missing", 1},
    };
    prae_params params = params_of(PRAE_FORMAT_JSONL, WINDOW);
    struct stream stream;
    prae_buffer in = {0};
    size_t right = 0, whole = 0;

    put_records(&in, params.format, 0, WINDOW);
    for (size_t i = 0; i < COUNT(bad); i++) {
        put_line(&in, "%s", bad[i].line);
        put_records(&in, params.format, WINDOW + 10 * i, 10);
    }
    open_seen(&stream, &params);
    NEED(stream_push(&stream, in.data, in.len, 3, 1) == PRAE_OK);
    for (size_t i = 0; i < COUNT(bad); i++) {
        const prae_verdict *got = &seen.verdict[WINDOW + 11 * i];
        int same = got->kind == PRAE_KIND_REJECT && got->parsed == bad[i].parsed &&
                   strcmp(got->reject_code, bad[i].code) == 0;
        if (!same)
            printf("# %s is %d %s\n", bad[i].line, (int)got->kind,
                   got->kind == PRAE_KIND_REJECT ? got->reject_code : "");
        right += (size_t)same;
        whole += got->record_len == strlen(bad[i].line) &&
                 isnan(got->score) && isnan(got->p) && got->why_count == 0;
    }
    ok(right == COUNT(bad), "rejects leave in their place, with their reason");
    ok(whole == COUNT(bad), "... all their bytes, and no score");
    ok(stream.unbalanced == 0 && stream.taken == WINDOW + 11 * COUNT(bad),
       "... and are counted");
    ok(seen.verdict[WINDOW + 63].window == 1 &&
           seen.verdict[seen.count - 1].window == 1,
       "a window of %d counts only what can be judged", WINDOW);
    stream_close(&stream);
    buffer_fini(&in);
}

/* Records nothing can be made of are refused until better ones come. */
static void
test_no_features(void)
{
    prae_params params = params_of(PRAE_FORMAT_JSONL, 20);
    size_t refused = 0, judged = 0;
    struct stream stream;
    prae_buffer in = {0};

    for (int i = 0; i < 40; i++)
        put_line(&in, "{\"id\":\"%08x\"}\n", (unsigned)i * 2654435761u);
    put_records(&in, params.format, 0, 60);
    open_seen(&stream, &params);
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 1) == PRAE_OK);
    for (size_t i = 0; i < seen.count; i++) {
        int reject = seen.verdict[i].kind == PRAE_KIND_REJECT;
        refused += i < 40 && reject &&
                   strcmp(seen.verdict[i].reject_code, "features") == 0 &&
                   seen.verdict[i].state == PRAE_STATE_WARMING;
        judged += i >= 40 && !reject;
    }
    ok(refused == 40 && judged == 60,
       "windows without features are refused (%zu), then one with (%zu)",
       refused, judged);
    stream_close(&stream);
    buffer_fini(&in);
}

/* Every record of the first window has one field that is NaN. */
static void
test_first_refused(void)
{
    prae_params params = params_of(PRAE_FORMAT_JSONL, 20);
    prae_buffer in = {0}, snapshot = {0};
    struct stream stream;

    for (int i = 0; i < 20; i++)
        put_line(&in, i % 2 ? "{\"x\":NaN,\"in\":{\"y\":%d,\"z\":%d}}\n"
                            : "{\"x\":%d,\"in\":{\"y\":NaN,\"z\":%d}}\n",
                 i * 7 % 5, i * 3 % 7);
    open_seen(&stream, &params);
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    ok(stream.taken == 20 && seen.verdict[0].kind == PRAE_KIND_REJECT,
       "a first window may be refused record by record");
    ok(prae_filter_save(stream.filter, &snapshot) == PRAE_EINVAL,
       "... then there is nothing to save");
    in.len = 0;
    put_records(&in, params.format, 0, 40);
    ok(stream_push(&stream, in.data, in.len, SIZE_MAX, 1) == PRAE_OK &&
           stream.taken == 60 && seen.verdict[59].kind != PRAE_KIND_REJECT,
       "... and the next is learned");
    stream_close(&stream);
    buffer_fini(&in);
    buffer_fini(&snapshot);
}

/* One record of another kind must not cost the others. */
static void
test_stray_array(void)
{
    prae_params params = params_of(PRAE_FORMAT_JSONL, WINDOW);
    struct stream stream;
    prae_buffer in = {0};
    prae_stats stats;

    put_records(&in, params.format, 0, WINDOW + 20);
    put_line(&in, "[1,2,3]\n");
    put_records(&in, params.format, WINDOW + 20, 100);
    open_seen(&stream, &params);
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 1) == PRAE_OK);
    prae_filter_stats(stream.filter, &stats);
    ok(stats.rejected == 1 &&
           seen.verdict[WINDOW + 20].kind == PRAE_KIND_REJECT,
       "an array among maps is refused, and nothing else (%llu)",
       (unsigned long long)stats.rejected);
    stream_close(&stream);
    buffer_fini(&in);
}

/* ---- what it knows, and calls in the wrong order ---- */

static void
test_fields(void)
{
    static const struct {
        const char *name, *reason;
    } wanted[] = {{"x", NULL},          {"in.y", NULL},
                  {"in.z", NULL},       {"id", "identifier"},
                  {"t", "timestamp"},   {"n", "only grows"},
                  {"note", "not asked for"}};
    prae_params params = params_of(PRAE_FORMAT_JSONL, 32);
    struct stream stream;
    prae_buffer in = {0};
    prae_feature feature = {0};
    const char *reason = "", *name;
    size_t right = 0;

    params.ignore = "note";
    for (int i = 0; i < 32; i++)
        put_line(&in,
                 "{\"x\":%d,\"in\":{\"y\":%d,\"z\":%d},\"id\":\"a%04x\","
                 "\"t\":%d,\"n\":%d,\"note\":%d}\n",
                 i * 7 % 5, i * 3 % 7, i * 5 % 11, (unsigned)i * 40503u & 0xffff,
                 1700000000 + i, i, i * 5 % 3);
    stream_open(&stream, &params);
    ok(prae_filter_field(stream.filter, 0, &reason) == NULL &&
           prae_filter_feature(stream.filter, 0, &feature) == PRAE_END,
       "no fields before the first window");
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    for (size_t i = 0; (name = prae_filter_field(stream.filter, i, &reason));
         i++) {
        int same = i < COUNT(wanted) && strcmp(name, wanted[i].name) == 0 &&
                   (reason == NULL) == (wanted[i].reason == NULL) &&
                   (reason == NULL || strcmp(reason, wanted[i].reason) == 0);
        if (!same)
            printf("# field %zu is %s: %s\n", i, name, reason ? reason : "taken");
        right += same ? 1 : 100;
    }
    ok(right == COUNT(wanted), "fields are listed, those left out with why");
    ok(prae_filter_feature(stream.filter, 2, &feature) == PRAE_OK &&
           strcmp(feature.name, "in.z") == 0 && feature.unit > 0.0 &&
           feature.centre > 4.0 && feature.centre < 6.0,
       "a feature has its name, centre and unit");
    ok(prae_filter_feature(stream.filter, 3, &feature) == PRAE_END,
       "... and there are no more than that");
    ok(prae_filter_quantile(stream.filter, 0.0) <=
               prae_filter_quantile(stream.filter, 0.5) &&
           prae_filter_quantile(stream.filter, 0.5) <=
               prae_filter_quantile(stream.filter, 1.0),
       "quantiles of past scores rise");
    stream_close(&stream);
    buffer_fini(&in);
}

static void
test_order(void)
{
    prae_params params = params_of(PRAE_FORMAT_MSGPACK, 20);
    prae_buffer in = {0}, out = {0};
    prae_verdict verdict;
    prae_filter *filter = NULL;
    size_t used = 0;

    put_records(&in, params.format, 0, 20);
    NEED(prae_filter_new(&params, &filter) == PRAE_OK);
    ok(prae_filter_next(filter, &verdict) == PRAE_END, "no verdict to begin with");
    ok(prae_filter_save(filter, &out) == PRAE_EINVAL && out.len == 0,
       "no snapshot before the first window");
    ok(isnan(prae_filter_quantile(filter, 0.5)), "no quantile either");
    NEED(prae_filter_push(filter, in.data, in.len, 0, &used) == PRAE_FULL);
    ok(used == in.len, "a full window has used its bytes");
    ok(prae_filter_push(filter, in.data, in.len, 0, &used) == PRAE_FULL &&
           used == 0,
       "a full window takes no more");
    ok(prae_filter_load(filter, "x", 1) == PRAE_EINVAL &&
           prae_filter_errmsg(filter)[0] != '\0',
       "a snapshot cannot follow records");
    NEED(prae_filter_judge(filter) == PRAE_OK);
    ok(prae_filter_judge(filter) == PRAE_EINVAL &&
           strstr(prae_filter_errmsg(filter), "verdicts") != NULL,
       "no judging while verdicts are left");
    ok(prae_filter_push(filter, in.data, in.len, 0, &used) == PRAE_EINVAL,
       "no pushing while verdicts are left");
    while (prae_filter_next(filter, &verdict) == PRAE_OK)
        continue;
    ok(prae_filter_next(filter, &verdict) == PRAE_END, "the end stays the end");
    ok(prae_filter_push(filter, in.data, in.len, 0, &used) == PRAE_FULL,
       "pushing goes on after the last verdict");
    prae_filter_free(filter);

    NEED(prae_filter_new(&params, &filter) == PRAE_OK);
    ok(prae_filter_push(NULL, "", 0, 0, &used) == PRAE_EINVAL &&
           prae_filter_push(filter, NULL, 1, 0, &used) == PRAE_EINVAL &&
           prae_filter_push(filter, "", 0, 0, NULL) == PRAE_EINVAL &&
           prae_filter_judge(NULL) == PRAE_EINVAL &&
           prae_filter_next(NULL, &verdict) == PRAE_EINVAL &&
           prae_filter_next(filter, NULL) == PRAE_EINVAL &&
           prae_filter_save(NULL, &out) == PRAE_EINVAL &&
           prae_filter_save(filter, NULL) == PRAE_EINVAL &&
           prae_filter_load(NULL, "", 0) == PRAE_EINVAL &&
           prae_filter_load(filter, NULL, 0) == PRAE_EINVAL &&
           prae_filter_new(&params, NULL) == PRAE_EINVAL &&
           prae_filter_new(NULL, &filter) == PRAE_EINVAL &&
           prae_verdict_write(NULL, PRAE_FORMAT_CSV, &out) == PRAE_EINVAL &&
           prae_verdict_write_score(&verdict, PRAE_FORMAT_CSV, NULL) ==
               PRAE_EINVAL &&
           prae_filter_errmsg(NULL)[0] != '\0',
       "a NULL is refused");
    ok(prae_filter_push(filter, NULL, 0, 1, &used) == PRAE_OK && used == 0,
       "no bytes may be NULL");
    prae_filter_free(filter);
    prae_filter_free(NULL);

    /* A stream cut off: what came before is judged. */
    NEED(prae_filter_new(&params, &filter) == PRAE_OK);
    in.len = 0;
    put_records(&in, params.format, 0, 10);
    ok(prae_filter_push(filter, in.data, in.len - 3, 1, &used) == PRAE_EDATA &&
           used == in.len / 10 * 9 &&
           strstr(prae_filter_errmsg(filter), "record 9") != NULL,
       "a last record cut short is told, with its number");
    ok(prae_filter_judge(filter) == PRAE_OK, "... those before it are judged");
    for (used = 0; prae_filter_next(filter, &verdict) == PRAE_OK; used++)
        continue;
    ok(used == 9, "... and leave");
    prae_filter_free(filter);
    buffer_fini(&in);
}

/* ---- failures that must leave the filter sound ---- */

static void
test_wrong_field(void)
{
    prae_params params = params_of(PRAE_FORMAT_MSGPACK, 20);
    prae_buffer in = {0};
    prae_filter *filter;
    prae_verdict verdict;
    prae_stats stats;
    size_t used;

    params.fields = "in,nosuch";
    put_records(&in, params.format, 0, 20);
    NEED(prae_filter_new(&params, &filter) == PRAE_OK);
    NEED(prae_filter_push(filter, in.data, in.len, 0, &used) == PRAE_FULL);
    ok(prae_filter_judge(filter) == PRAE_ECONFIG &&
           strstr(prae_filter_errmsg(filter), "nosuch") != NULL,
       "a field that is not there is named");
    prae_filter_stats(filter, &stats);
    ok(stats.held == 20 && prae_filter_next(filter, &verdict) == PRAE_END,
       "... its records are held");
    ok(prae_filter_judge(filter) == PRAE_ECONFIG, "... also when asked again");
    while (prae_filter_next(filter, &verdict) == PRAE_OK)
        continue;
    prae_filter_free(filter);
    buffer_fini(&in);
}

static void
test_diverging(void)
{
    prae_params params = params_of(PRAE_FORMAT_MSGPACK, 20);
    prae_buffer in = {0}, out = {0};
    prae_filter *filter;
    size_t used;

    params.rate = 1.0;
    params.activation = PRAE_ACTIVATION_LINEAR;
    params.hidden_count = PRAE_HIDDEN_MAX;
    for (size_t i = 0; i < PRAE_HIDDEN_MAX; i++)
        params.hidden[i] = 40;
    put_records(&in, params.format, 0, 20);
    NEED(prae_filter_new(&params, &filter) == PRAE_OK);
    NEED(prae_filter_push(filter, in.data, in.len, 0, &used) == PRAE_FULL);
    ok(prae_filter_judge(filter) == PRAE_ECONFIG &&
           strstr(prae_filter_errmsg(filter), "rate") != NULL,
       "a first window that diverges blames the rate");
    ok(prae_filter_save(filter, &out) == PRAE_EINVAL, "... cannot be saved");
    ok(prae_filter_judge(filter) == PRAE_ECONFIG, "... nor judged again");
    prae_filter_free(filter);
    buffer_fini(&in);
    buffer_fini(&out);
}

/* window=all, judged early because someone waits: the next may be longer. */
static void
test_all_twice(void)
{
    prae_params params = params_of(PRAE_FORMAT_MSGPACK, 0);
    struct stream stream;
    prae_buffer in = {0};

    put_records(&in, params.format, 0, 200);
    stream_open(&stream, &params);
    NEED(stream_push(&stream, in.data, in.len / 10, 1, 0) == PRAE_OK);
    NEED(stream_judge(&stream) == PRAE_OK);
    ok(stream.taken == 20, "window=all: what came is judged when asked");
    ok(stream_push(&stream, in.data, in.len, SIZE_MAX, 1) == PRAE_OK &&
           stream.taken == 220,
       "... and so is more than came the first time");
    stream_close(&stream);
    buffer_fini(&in);
}

int
main(void)
{
    for (size_t f = 0; f < COUNT(formats); f++) {
        test_pieces(f);
        test_verdicts(f);
    }
    test_windows();
    test_cold();
    test_rejects();
    test_no_features();
    test_first_refused();
    test_stray_array();
    test_fields();
    test_order();
    test_wrong_field();
    test_diverging();
    test_all_twice();
    return tap_done();
}
