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

int
main(void)
{
    test_loaded();
    test_header_first();
    test_front();
    test_follow();
    return tap_done();
}
