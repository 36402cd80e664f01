/* Records that cannot be judged are refused, in their place, with their
 * reason, and cost the others nothing. */
#include "filter.h"
#include "records.h"

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
        int same = got->kind == PRAE_KIND_REJECT &&
                   got->parsed == bad[i].parsed &&
                   strcmp(got->reject_code, bad[i].code) == 0;
        if (!same)
            printf("# %s is %d %s\n", bad[i].line, (int)got->kind,
                   got->kind == PRAE_KIND_REJECT ? got->reject_code : "");
        right += (size_t)same;
        whole += got->record_len == strlen(bad[i].line) && isnan(got->score) &&
                 isnan(got->p) && got->why_count == 0;
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

/* The state that one reject has which comes by itself. */
static prae_state
state_of_reject(struct stream *stream)
{
    NEED(stream_push(stream, "nonsense\n", 9, SIZE_MAX, 1) == PRAE_OK);
    const prae_verdict *got = &seen.verdict[seen.count - 1];
    NEED(got->kind == PRAE_KIND_REJECT);
    return got->state;
}

/* A window of rejects only, before any is judged: theirs is the state of the
 * stream, as after a window of good ones. */
static void
test_state(void)
{
    prae_params params = params_of(PRAE_FORMAT_JSONL, WINDOW);
    prae_buffer in = {0}, snapshot = {0};
    struct stream stream;

    open_seen(&stream, &params);
    ok(state_of_reject(&stream) == PRAE_STATE_WARMING,
       "before the first window the state of rejects is warming");
    put_line(&in, "nonsense\n");
    put_records(&in, params.format, 0, WINDOW);
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 1) == PRAE_OK);
    ok(seen.verdict[1].kind == PRAE_KIND_REJECT &&
           seen.verdict[1].state == PRAE_STATE_WARMING &&
           seen.verdict[WINDOW + 1].state == PRAE_STATE_WARMING,
       "... and in it");
    ok(state_of_reject(&stream) == PRAE_STATE_LIVE, "... and live behind it");
    NEED(prae_filter_save(stream.filter, &snapshot) == PRAE_OK);
    stream_close(&stream);
    for (int freeze = 0; freeze < 2; freeze++) {
        params.freeze = freeze;
        open_seen(&stream, &params);
        NEED(prae_filter_load(stream.filter, snapshot.data, snapshot.len) ==
             PRAE_OK);
        ok(state_of_reject(&stream) ==
               (freeze ? PRAE_STATE_FROZEN : PRAE_STATE_LIVE),
           "... and behind a snapshot %s", freeze ? "frozen" : "live, too");
        stream_close(&stream);
    }
    buffer_fini(&in);
    buffer_fini(&snapshot);
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
        put_line(&in,
                 i % 2 ? "{\"x\":NaN,\"in\":{\"y\":%d,\"z\":%d}}\n"
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

/* Features are chosen of what most records have; the others' shape wins the
 * vote, so that none of them fits. */
static void
test_none_fits(void)
{
    prae_params params = params_of(PRAE_FORMAT_JSONL, 20);
    struct stream stream;
    prae_buffer in = {0};
    prae_stats stats;
    size_t missing = 0, dimension = 0;

    for (int i = 0; i < 10; i++)
        put_line(&in, "[1,2]\n{\"a\":%d,\"b\":2,\"c\":3,\"d\":4,\"e\":5}\n",
                 i * 7 % 5);
    open_seen(&stream, &params);
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    for (size_t i = 0; i < seen.count; i++) {
        const prae_verdict *got = &seen.verdict[i];
        if (got->kind != PRAE_KIND_REJECT)
            continue;
        missing += strcmp(got->reject_code, "missing") == 0;
        dimension += strcmp(got->reject_code, "dimension") == 0;
    }
    prae_filter_stats(stream.filter, &stats);
    ok(missing == 10 && dimension == 10 && stats.features == 0,
       "a window of which no record fits is refused (%zu, %zu)", missing,
       dimension);
    NEED(stream_push(&stream, "{\"a\":1}\n", 8, SIZE_MAX, 0) == PRAE_OK);
    ok(prae_filter_release(stream.filter) == PRAE_OK,
       "... and nothing is learned of it");
    prae_verdict verdict;
    while (prae_filter_next(stream.filter, &verdict) == PRAE_OK)
        continue;
    in.len = 0;
    put_records(&in, params.format, 0, 60);
    stream.taken = 0;
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 1) == PRAE_OK);
    prae_filter_stats(stream.filter, &stats);
    ok(stats.rejected == 20 && stats.features > 0,
       "... so that the next is (%llu rejected)",
       (unsigned long long)stats.rejected);
    stream_close(&stream);
    buffer_fini(&in);
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

/* Who is refused in the first window makes no string usual. */
static void
test_unlearned(void)
{
    prae_params params = params_of(PRAE_FORMAT_JSONL, WINDOW);
    struct stream stream;
    prae_buffer in = {0};
    prae_stats stats;
    uint64_t bad = 0;

    for (int i = 0; i < WINDOW; i++) {
        bad += i % 8 == 5;
        put_line(&in, "{\"x\":%s,\"y\":%d,\"c\":\"%s\"}\n",
                 i % 8 == 5 ? "NaN" : i % 3 ? "1" : "2", i * 5 % 7,
                 i % 8 == 5 ? "odd" : i % 2 ? "up" : "down");
    }
    open_seen(&stream, &params);
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 1) == PRAE_OK);
    prae_filter_stats(stream.filter, &stats);
    const struct features *features = &stream.filter->features;
    NEED(features->taken == 3 && features->column[2].kind == COLUMN_CATEGORY);
    const struct categories *categories = &features->column[2].categories;
    ok(stats.rejected == bad && stats.imputed == 0 &&
           categories->total == (double)(WINDOW - bad) &&
           pri_categories_rarity(categories, "odd", 3) ==
               pri_categories_rarity(categories, "never", 5),
       "who is refused in the first window makes no string usual");
    stream_close(&stream);
    buffer_fini(&in);
}

int
main(void)
{
    test_rejects();
    test_state();
    test_no_features();
    test_first_refused();
    test_none_fits();
    test_stray_array();
    test_unlearned();
    return tap_done();
}
