/* Rows of CSV without a header are as wide as most are, and a row of another
 * width costs the others nothing, wherever it comes. */
#include "records.h"

static prae_params
bare_params(void)
{
    prae_params params = params_of(PRAE_FORMAT_CSV, WINDOW);

    params.no_header = 1;
    return params;
}

static size_t
rejected(const struct stream *stream)
{
    prae_stats stats;

    prae_filter_stats(stream->filter, &stats);
    return stats.rejected;
}

/* ---- after something was learned ---- */

/* The snapshot of a filter that has learned, with HEADER before its rows, or
 * without one. */
static void
put_snapshot(prae_buffer *snapshot, const char *header)
{
    prae_params params = bare_params();
    struct stream stream;
    prae_buffer in = {0};

    params.no_header = header[0] == '\0';
    put_line(&in, "%s", header);
    put_records(&in, params.format, 0, 2 * WINDOW);
    stream_open(&stream, &params);
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 1) == PRAE_OK &&
         prae_filter_save(stream.filter, snapshot) == PRAE_OK);
    stream_close(&stream);
    buffer_fini(&in);
}

/* How many of FIRST and WINDOW good rows behind it are refused. */
static size_t
rejected_behind(struct stream *stream, const char *first)
{
    prae_buffer in = {0};

    put_line(&in, "%s", first);
    put_records(&in, PRAE_FORMAT_CSV, 2 * WINDOW, WINDOW);
    NEED(stream_push(stream, in.data, in.len, 7, 1) == PRAE_OK);
    buffer_fini(&in);
    return rejected(stream);
}

static void
test_loaded(void)
{
    static const struct {
        const char *name, *learned, *first;
        size_t rejected;
    } cases[] = {
        {"too short", "", "1,2\n", 1},
        {"too long", "", "1,2,3,4\n", 1},
        {"too short, below a header", "x,y,z\n", "x,y,z\n1,2\n", 1},
        {"below a header with a column more", "x,y,z\n", "x,y,z,w\n1,2,3,4\n",
         WINDOW},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        prae_buffer snapshot = {0};
        prae_params params = bare_params();
        params.no_header = cases[i].learned[0] == '\0';
        put_snapshot(&snapshot, cases[i].learned);
        for (int freeze = 0; freeze < 2; freeze++) {
            struct stream stream;
            params.freeze = freeze;
            stream_open(&stream, &params);
            NEED(prae_filter_load(stream.filter, snapshot.data,
                                  snapshot.len) == PRAE_OK);
            size_t got = rejected_behind(&stream, cases[i].first);
            ok(got == cases[i].rejected,
               "a first row %s: %zu are refused by a snapshot (%zu), %s",
               cases[i].name, cases[i].rejected, got,
               freeze ? "frozen" : "learning");
            stream_close(&stream);
        }
        buffer_fini(&snapshot);
    }
}

/* A header that was read before the snapshot is the file's own. */
static void
test_header_first(void)
{
    prae_params params = bare_params();
    prae_buffer snapshot = {0};
    struct stream stream;
    size_t used;

    params.no_header = 0;
    put_snapshot(&snapshot, "x,y,z\n");
    stream_open(&stream, &params);
    NEED(prae_filter_push(stream.filter, "x,y,z\n", 6, 0, &used) == PRAE_OK &&
         prae_filter_load(stream.filter, snapshot.data, snapshot.len) ==
             PRAE_OK);
    ok(rejected_behind(&stream, "1,2\n") == 1,
       "a header that was there before has the width");
    stream_close(&stream);
    buffer_fini(&snapshot);
}

static void
test_front(void)
{
    prae_params params = bare_params();
    struct stream learner, front = {.format = PRAE_FORMAT_CSV};
    prae_buffer in = {0};

    put_records(&in, params.format, 0, 2 * WINDOW);
    stream_open(&learner, &params);
    NEED(stream_push(&learner, in.data, in.len, SIZE_MAX, 1) == PRAE_OK &&
         prae_filter_fork(learner.filter, &front.filter) == PRAE_OK);
    ok(rejected_behind(&front, "1,2\n") == 1,
       "a front's first row does not settle the width");
    stream_close(&front);
    stream_close(&learner);
    buffer_fini(&in);
}

/* Back to a snapshot before the stream has come to its first good row. */
static void
test_follow(void)
{
    prae_params params = bare_params();
    prae_buffer snapshot = {0};
    struct stream before, after;

    put_snapshot(&snapshot, "");
    stream_open(&before, &params);
    NEED(stream_push(&before, "1,2\n", 4, SIZE_MAX, 1) == PRAE_OK);
    stream_open(&after, &params);
    NEED(prae_filter_load(after.filter, snapshot.data, snapshot.len) ==
             PRAE_OK &&
         prae_filter_follow(after.filter, before.filter) == PRAE_OK);
    size_t so_far = rejected(&before);
    after.taken = before.taken;
    after.next_seq = before.next_seq;
    ok(rejected_behind(&after, "") == so_far,
       "nor does a row from before a snapshot was gone back to");
    stream_close(&after);
    stream_close(&before);
    buffer_fini(&snapshot);
}

/* ---- in the first window ---- */

static void
test_first_window(void)
{
    static const struct {
        const char *name, *rows;
        size_t rejected;
    } cases[] = {
        {"short", "1,2\n", 1},
        {"long, behind one that cannot be read", "\"1\"2,3,4\n1,2,3,4\n", 2},
        {"short, and the third", "1,2\n1,2,3\n4,5\n", 2},
        {"five of many widths", "1\n1,2,3,4,5\n1,2\n1,2,3,4\n7\n", 5},
        {"two that are alike", "1,2\n3,4\n", 2},
        {"one amid good ones", "1,2,3\n1,2\n4,5,6\n", 1},
        {"half of them before all others",
         "1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n"
         "1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n",
         32},
    };
    prae_params params = bare_params();

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct stream stream;
        stream_open(&stream, &params);
        size_t got = rejected_behind(&stream, cases[i].rows);
        ok(got == cases[i].rejected && stream.unbalanced == 0 &&
               stream.disordered == 0,
           "ragged first rows, %s: no others are refused (%zu of %zu)",
           cases[i].name, got, cases[i].rejected);
        stream_close(&stream);
    }
}

/* What is full is so by the rows that fit, and a reject has its bytes. */
static void
test_windows(void)
{
    prae_params params = bare_params();
    struct stream stream;
    prae_buffer in = {0};
    size_t right = 0;

    put_line(&in, "1,2\n");
    put_records(&in, params.format, 0, WINDOW);
    put_line(&in, "3,4\n");
    put_records(&in, params.format, WINDOW, WINDOW);
    open_seen(&stream, &params);
    NEED(stream_push(&stream, in.data, in.len, 9, 1) == PRAE_OK);
    for (size_t i = 0; i < seen.count; i++) {
        const prae_verdict *got = &seen.verdict[i];
        right += got->kind == PRAE_KIND_REJECT
                     ? i % (WINDOW + 1) == 0 && !got->parsed &&
                           got->record_len == 4 && got->columns == 3
                     : got->window == i / (WINDOW + 1);
    }
    ok(right == 2 * WINDOW + 2, "windows count rows that fit (%zu)", right);
    stream_close(&stream);
    buffer_fini(&in);
}

/* Rows that were given out as they came: what has left as a reject is not
 * learned from, and what has left as a record and turns out to be ragged is
 * not, either. */
static void
test_released(void)
{
    prae_params params = bare_params();
    struct stream stream;
    prae_buffer in = {0};
    prae_verdict verdict;
    prae_stats stats;
    size_t used;

    stream_open(&stream, &params);
    for (size_t i = 0; i < 2; i++) {
        NEED(prae_filter_push(stream.filter, i == 0 ? "1,2\n" : "1,2,3\n",
                              i == 0 ? 4 : 6, 0, &used) == PRAE_OK &&
             prae_filter_release(stream.filter) == PRAE_OK &&
             prae_filter_next(stream.filter, &verdict) == PRAE_OK &&
             prae_filter_next(stream.filter, &verdict) == PRAE_END);
        stream.taken++;
        stream.next_seq++;
    }
    prae_filter_stats(stream.filter, &stats);
    ok(stats.inliers == 1 && stats.rejected == 1,
       "of rows that leave as they come the first has the width");
    put_records(&in, params.format, 0, WINDOW);
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 1) == PRAE_OK);
    prae_filter_stats(stream.filter, &stats);
    ok(stats.rejected == 1 && stats.held == 0 && stats.windows == 1 &&
           stream.unbalanced == 0,
       "until most are of another");
    stream_close(&stream);
    buffer_fini(&in);
}

/* Who alternates has no look at all rows for each. */
static void
test_alternating(void)
{
    prae_params params = bare_params();
    struct stream stream;
    prae_buffer in = {0};

    params.window = 100000;
    for (size_t i = 0; i < 50000; i++)
        put_line(&in, "1,2\n1,2,3\n1,2,3\n1,2\n");
    stream_open(&stream, &params);
    size_t used;
    NEED(prae_filter_push(stream.filter, in.data, in.len, 1, &used) >= 0);
    ok(used > in.len / 2, "rows of two widths in turn cost no minutes");
    stream_close(&stream);
    buffer_fini(&in);
}

int
main(void)
{
    test_first_window();
    test_windows();
    test_released();
    test_alternating();
    test_loaded();
    test_header_first();
    test_front();
    test_follow();
    return tap_done();
}
