/* A front judges as a frozen filter would, in the name of the one that
 * learns, and takes the place in the stream of the one before it. */
#include "records.h"

static const char *const format_names[] = {"msgpack", "jsonl", "csv"};

/* COUNT records from the FROM-th on that hang on those before them: context
 * and smoothing have something to tell. */
static void
put_walk(prae_buffer *out, size_t from, size_t count)
{
    double x = 0.0;
    struct rng rng;

    pri_rng_init(&rng, 21, 22);
    for (size_t i = 0; i < from + count; i++) {
        x = 0.95 * x + 0.3 * (double)pri_rng_normal(&rng);
        double odd = i % 70 > 60 ? 2.0 : 0.0;
        if (i >= from)
            put_line(out, "{\"x\":%.9g,\"y\":%.9g}\n", x, 2.0 * x + odd);
    }
}

/* A filter that has learned COUNT records of its kind. */
static void
open_learner(struct stream *stream, const prae_params *params, size_t count)
{
    prae_buffer in = {0};

    stream_open(stream, params);
    if (params->format == PRAE_FORMAT_CSV)
        put_line(&in, "x,in.y,in.z\r\n");
    put_records(&in, params->format, 0, count);
    NEED(stream_push(stream, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    buffer_fini(&in);
}

/* STREAM becomes a stream of a front of LEARNER's. */
static void
open_front(struct stream *stream, const struct stream *learner)
{
    *stream = (struct stream){.format = learner->format};
    NEED(prae_filter_fork(learner->filter, &stream->filter) == PRAE_OK);
}

/* Goes on as a newer front of LEARNER's. */
static prae_status
change_front(struct stream *stream, const struct stream *learner)
{
    prae_filter *front = NULL;

    NEED(prae_filter_fork(learner->filter, &front) == PRAE_OK);
    prae_status status = prae_filter_follow(front, stream->filter);
    if (status != PRAE_OK) {
        prae_filter_free(front);
        return status;
    }
    prae_filter_free(stream->filter);
    stream->filter = front;
    return PRAE_OK;
}

/* A filter that is frozen with what LEARNER knows. */
static void
open_frozen(struct stream *stream, const prae_params *params,
            const struct stream *learner)
{
    prae_params frozen = *params;
    prae_buffer snapshot = {0};

    frozen.freeze = 1;
    stream_open(stream, &frozen);
    NEED(prae_filter_save(learner->filter, &snapshot) == PRAE_OK &&
         prae_filter_load(stream->filter, snapshot.data, snapshot.len) ==
             PRAE_OK);
    buffer_fini(&snapshot);
}

static struct seen frozen_seen;

static int
is_near(double a, double b, double margin)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= margin * fabs(b);
}

/* How many verdicts seen are not FROZEN_SEEN's, up to MARGIN: products of
 * other sizes are rounded otherwise. */
static size_t
differing(double margin)
{
    size_t differ = seen.count != frozen_seen.count;

    for (size_t i = 0; i < seen.count && i < frozen_seen.count; i++) {
        const prae_verdict *a = &seen.verdict[i], *b = &frozen_seen.verdict[i];
        differ += a->kind != b->kind || !is_near(a->score, b->score, margin) ||
                  !is_near(a->p, b->p, 1e3 * margin) ||
                  !is_near(a->error, b->error, margin) || !isnan(a->gate) ||
                  a->why_count != b->why_count ||
                  strcmp(seen.field[i], frozen_seen.field[i]) != 0;
    }
    return differ;
}

static void
look_at(struct stream *stream, struct seen *at)
{
    memset(at, 0, sizeof *at);
    stream->look = look;
    stream->data = at;
}

/* ---- judging ---- */

static void
test_verdicts(prae_format format)
{
    prae_params params = params_of(format, WINDOW);
    struct stream learner, frozen, front;
    prae_buffer in = {0};
    prae_stats stats, known;
    size_t strange = 0, odd = 0;

    open_learner(&learner, &params, 3 * WINDOW);
    open_front(&front, &learner);
    open_frozen(&frozen, &params, &learner);
    if (format == PRAE_FORMAT_CSV)
        put_line(&in, "x,in.y,in.z\n");
    put_records(&in, format, 3 * WINDOW, 300);
    look_at(&frozen, &frozen_seen);
    look_at(&front, &seen);
    NEED(stream_push(&frozen, in.data, in.len, SIZE_MAX, 1) == PRAE_OK);
    NEED(stream_push(&front, in.data, in.len, 999, 1) == PRAE_OK);
    ok(differing(0.0) == 0 && seen.count == 300,
       "%s: a front finds what a frozen filter finds", format_names[format]);
    prae_filter_stats(learner.filter, &known);
    prae_filter_stats(front.filter, &stats);
    for (size_t i = 0; i < seen.count; i++) {
        strange += seen.verdict[i].state != known.state ||
                   seen.verdict[i].window != 3 ||
                   seen.verdict[i].model != known.model;
        odd += seen.verdict[i].kind == PRAE_KIND_OUTLIER;
    }
    ok(strange == 0 && odd > 0,
       "%s: with the learner's state, window and model", format_names[format]);
    ok(stats.windows == known.windows && stats.judged == known.judged &&
           stats.state == known.state && stats.model == known.model &&
           stats.received == 300 && front.unbalanced == 0,
       "%s: its counts are its own, the learner's the learner's",
       format_names[format]);
    stream_close(&front);
    stream_close(&frozen);
    stream_close(&learner);
    buffer_fini(&in);
}

/* Record by record: the same as in windows. */
static void
test_one_by_one(void)
{
    prae_params params = params_of(PRAE_FORMAT_MSGPACK, WINDOW);
    struct stream learner, frozen, front;
    prae_buffer in = {0};
    size_t used;

    open_learner(&learner, &params, 2 * WINDOW);
    open_front(&front, &learner);
    open_frozen(&frozen, &params, &learner);
    put_records(&in, params.format, 128, 150);
    look_at(&frozen, &frozen_seen);
    look_at(&front, &seen);
    NEED(stream_push(&frozen, in.data, in.len, SIZE_MAX, 1) == PRAE_OK);
    for (size_t i = 0, len = in.len / 150; i < 150; i++) {
        NEED(prae_filter_push_message(front.filter, in.data + i * len, len,
                                      &used) == PRAE_OK);
        NEED(stream_judge(&front) == PRAE_OK);
    }
    ok(differing(1e-5) == 0 && front.taken == 150 && front.unbalanced == 0,
       "record by record it finds the same");
    ok(seen.verdict[149].window == 2, "and does not number windows of its own");
    stream_close(&front);
    stream_close(&frozen);
    stream_close(&learner);
    buffer_fini(&in);
}

/* A burst the learner is in is told by its front. */
static void
test_state(void)
{
    prae_params params = params_of(PRAE_FORMAT_JSONL, WINDOW);
    struct stream learner, front;
    prae_buffer in = {0};
    prae_stats stats;

    open_learner(&learner, &params, 65 * WINDOW); /* a young one would learn */
    for (int i = 0; i < WINDOW; i++)
        put_line(&in, "{\"x\":%d,\"in\":{\"y\":%d,\"z\":900}}\n", 50 + i % 7,
                 -500 - i % 5);
    NEED(stream_push(&learner, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    prae_filter_stats(learner.filter, &stats);
    NEED(stats.state == PRAE_STATE_BURST);
    open_front(&front, &learner);
    look_at(&front, &seen);
    in.len = 0;
    put_records(&in, params.format, 0, 10);
    NEED(stream_push(&front, in.data, in.len, SIZE_MAX, 1) == PRAE_OK);
    prae_filter_stats(front.filter, &stats);
    ok(seen.verdict[0].state == PRAE_STATE_BURST && stats.bursts == 1 &&
           stats.state == PRAE_STATE_BURST && seen.verdict[0].model == 65 &&
           seen.verdict[0].window == 66,
       "a front tells of the learner's burst");
    stream_close(&front);
    stream_close(&learner);
    buffer_fini(&in);
}

/* ---- following ---- */

/* Pushes BYTES (LEN) in pieces of STEP, judging each, and where LEARNER is
 * given goes on as another front of it. Returns how often that failed. */
static size_t
push_in_turns(struct stream *stream, const struct stream *learner,
              const char *bytes, size_t len, size_t step)
{
    size_t at = 0, used, bad = 0;

    for (size_t have = step; have < len + step; have += step) {
        size_t to = have < len ? have : len;
        NEED(prae_filter_push(stream->filter, bytes + at, to - at, to == len,
                              &used) == PRAE_OK);
        at += used;
        NEED(stream_judge(stream) == PRAE_OK);
        if (learner != NULL)
            bad += change_front(stream, learner) != PRAE_OK;
    }
    return bad;
}

/* A front that is changed every few records is as one that never was: time
 * goes on. The learner learns nothing meanwhile. */
static void
test_time(prae_context context, size_t smooth, size_t learned, const char *name)
{
    prae_params params =
        params_of(PRAE_FORMAT_JSONL, learned < WINDOW ? learned : WINDOW);
    struct stream learner, frozen, front;
    prae_buffer in = {0};
    size_t bad;
    prae_stats stats;

    params.context = context;
    params.smooth = smooth;
    stream_open(&learner, &params);
    put_walk(&in, 0, learned);
    NEED(stream_push(&learner, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    prae_filter_stats(learner.filter, &stats);
    NEED(stats.context == (context == PRAE_CONTEXT_ON));
    open_front(&front, &learner);
    NEED(prae_filter_follow(front.filter, learner.filter) == PRAE_OK);
    front.taken = learner.taken;
    front.next_seq = learner.next_seq;
    open_frozen(&frozen, &params, &learner);
    in.len = 0;
    put_walk(&in, learned, 250);
    look_at(&frozen, &frozen_seen);
    look_at(&front, &seen);
    (void)push_in_turns(&frozen, NULL, in.data, in.len, 300);
    bad = push_in_turns(&front, &learner, in.data, in.len, 300);
    ok(bad == 0 && differing(0.0) == 0,
       "%s: changing fronts, scores are as of one frozen filter", name);
    ok(front.unbalanced == 0 && front.disordered == 0 &&
           front.taken == learned + 250,
       "%s: counts and numbers go on", name);
    stream_close(&front);
    stream_close(&frozen);
    stream_close(&learner);
    buffer_fini(&in);
}

/* Without following, time starts where the snapshot was: the test above
 * would not pass by itself. */
static void
test_time_matters(void)
{
    prae_params params = params_of(PRAE_FORMAT_JSONL, WINDOW);
    struct stream learner, front;
    prae_buffer in = {0};

    params.context = PRAE_CONTEXT_ON;
    stream_open(&learner, &params);
    put_walk(&in, 0, 2 * WINDOW);
    NEED(stream_push(&learner, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    in.len = 0;
    put_line(&in, "{\"x\":3,\"y\":6}\n");
    for (int follow = 0; follow < 2; follow++) {
        open_front(&front, &learner);
        NEED(stream_push(&front, "{\"x\":2,\"y\":4}\n", 14, 99, 1) == PRAE_OK);
        if (follow)
            NEED(change_front(&front, &learner) == PRAE_OK);
        else {
            stream_close(&front);
            open_front(&front, &learner);
        }
        look_at(&front, follow ? &seen : &frozen_seen);
        NEED(stream_push(&front, in.data, in.len, 99, 1) == PRAE_OK);
        stream_close(&front);
    }
    ok(seen.verdict[0].score != frozen_seen.verdict[0].score,
       "a front that does not follow has another moment in mind");
    stream_close(&learner);
    buffer_fini(&in);
}

/* Counts of fields that the first window did not have, and the like. */
static void
test_counts(void)
{
    static const char line[] =
        "{\"x\":9007199254740999,\"in\":{\"y\":1},\"new\":1}\n";
    prae_params params = params_of(PRAE_FORMAT_JSONL, WINDOW);
    struct stream learner, front;
    prae_stats before, after;

    open_learner(&learner, &params, 2 * WINDOW);
    open_front(&front, &learner);
    NEED(prae_filter_follow(front.filter, learner.filter) == PRAE_OK);
    front.taken = front.next_seq = 2 * WINDOW;
    NEED(stream_push(&front, line, strlen(line), 99, 1) == PRAE_OK);
    NEED(stream_push(&front, "nonsense\n", 9, 99, 1) == PRAE_OK);
    prae_filter_stats(front.filter, &before);
    NEED(change_front(&front, &learner) == PRAE_OK);
    prae_filter_stats(front.filter, &after);
    ok(before.received == 2 * WINDOW + 2 && before.rejected == 1 &&
           before.imputed == 1 && before.ignored == 1 &&
           before.wide_integers == 1 && front.unbalanced == 0,
       "a front counts on from the learner");
    ok(memcmp(&before, &after, sizeof before) == 0, "and the next one from it");
    ok(prae_filter_received(front.filter) == 2 * WINDOW + 2,
       "with the numbers of records");
    stream_close(&front);
    stream_close(&learner);
}

/* ---- what was half done ---- */

/* What is read in more than one step: a Forward array, a line too long. */
static size_t
put_long_winded(prae_buffer *out, prae_format format)
{
    if (format == PRAE_FORMAT_JSONL) {
        put_line(out, "{\"x\":\"%0500d\"}\n", 7);
        return 1;
    }
    if (format == PRAE_FORMAT_CSV)
        return 0;
    put_head(out, 0x92, 0, 0);
    put_text(out, "tag");
    put_array(out, 3);
    for (int i = 0; i < 3; i++) {
        put_head(out, 0x92, 0, 0);
        put_real(out, 1.7e9);
        put_record(out, format, 1.0, 2.0, 0.5);
    }
    return 3;
}

static void
test_halves(prae_format format)
{
    prae_params params = params_of(format, WINDOW);
    struct stream learner, frozen, front;
    prae_buffer in = {0};
    size_t len = 0, bad = 0;

    params.record_max = 200;
    open_learner(&learner, &params, 2 * WINDOW);
    open_frozen(&frozen, &params, &learner);
    open_front(&front, &learner);
    if (format == PRAE_FORMAT_CSV)
        put_line(&in, "x,in.y,in.z\r\n");
    put_records(&in, format, 128, 10);
    size_t count = 20 + put_long_winded(&in, format);
    put_records(&in, format, 138, 10);
    look_at(&frozen, &frozen_seen);
    look_at(&front, &seen);
    /* The second time as another file, after the end of the first. */
    for (int i = 0; i < 2; i++) {
        (void)push_in_turns(&frozen, NULL, in.data, in.len, 45);
        bad += push_in_turns(&front, &learner, in.data, in.len, 45);
    }
    ok(bad == 0 && differing(0.0) == 0 && seen.count == 2 * count &&
           front.disordered == 0,
       "%s: fronts that change within a record go on with it",
       format_names[format]);
    if (format == PRAE_FORMAT_CSV)
        ok(memcmp(prae_filter_header(front.filter, &len), "x,in.y,in.z\r\n",
                  13) == 0 &&
               len == 13,
           "csv: the header goes with it");
    stream_close(&front);
    stream_close(&frozen);
    stream_close(&learner);
    buffer_fini(&in);
}

/* A message of more than a window: the next front takes the rest, and the
 * one before begins afresh. */
static void
test_message(void)
{
    prae_params params = params_of(PRAE_FORMAT_MSGPACK, WINDOW);
    struct stream learner, front;
    prae_filter *next = NULL;
    prae_buffer in = {0};
    size_t used = 0, more = 0;

    open_learner(&learner, &params, 2 * WINDOW);
    open_front(&front, &learner);
    put_records(&in, params.format, 128, 2 * WINDOW);
    NEED(prae_filter_push_message(front.filter, in.data, in.len, &used) ==
         PRAE_FULL);
    NEED(prae_filter_fork(learner.filter, &next) == PRAE_OK);
    ok(prae_filter_follow(next, front.filter) == PRAE_EINVAL,
       "no front follows one with records undecided");
    NEED(prae_filter_judge(front.filter) == PRAE_OK);
    ok(prae_filter_follow(next, front.filter) == PRAE_EINVAL,
       "nor one with verdicts left");
    prae_verdict verdict;
    while (prae_filter_next(front.filter, &verdict) == PRAE_OK)
        front.taken++;
    ok(prae_filter_follow(next, front.filter) == PRAE_OK &&
           prae_filter_push(next, "", 0, 0, &more) == PRAE_EINVAL,
       "a message that is half taken goes over");
    ok(prae_filter_push_message(next, in.data + used, in.len - used, &more) ==
               PRAE_FULL &&
           used + more == in.len && prae_filter_received(next) == 2 * WINDOW,
       "and is taken on");
    ok(prae_filter_push(front.filter, in.data, in.len / 128, 0, &used) ==
               PRAE_OK &&
           used == in.len / 128,
       "the one before begins afresh");
    prae_filter_free(next);
    stream_close(&front);
    stream_close(&learner);
    buffer_fini(&in);
}

/* ---- misuse ---- */

static void
test_misuse(void)
{
    prae_params params = params_of(PRAE_FORMAT_MSGPACK, WINDOW);
    struct stream learner, cold, front;
    prae_filter *other = NULL;
    prae_buffer in = {0};
    size_t used;

    put_records(&in, params.format, 0, 20);
    stream_open(&cold, &params);
    ok(prae_filter_fork(cold.filter, &other) == PRAE_EINVAL && other == NULL,
       "there is no fork of what has learned nothing");
    NEED(prae_filter_push(cold.filter, in.data, in.len, 0, &used) == PRAE_OK);
    ok(prae_filter_fork(cold.filter, &other) == PRAE_EINVAL && other == NULL,
       "nor before the first window was judged");
    open_learner(&learner, &params, WINDOW);
    open_front(&front, &learner);
    ok(prae_filter_fork(NULL, &other) == PRAE_EINVAL &&
           prae_filter_fork(learner.filter, NULL) == PRAE_EINVAL &&
           prae_filter_follow(NULL, learner.filter) == PRAE_EINVAL &&
           prae_filter_follow(front.filter, NULL) == PRAE_EINVAL,
       "NULLs are refused");
    ok(prae_filter_follow(learner.filter, front.filter) == PRAE_EINVAL &&
           prae_filter_follow(front.filter, cold.filter) == PRAE_EINVAL,
       "a learner does not follow, nor any front that leaves records behind");
    NEED(prae_filter_push(front.filter, in.data, in.len, 0, &used) == PRAE_OK);
    ok(prae_filter_follow(front.filter, learner.filter) == PRAE_EINVAL,
       "a front that has taken records follows nobody");
    ok(stream_judge(&front) == PRAE_OK && front.taken == 20 &&
           front.unbalanced == 0,
       "and none of this does any harm");
    stream_close(&front);
    stream_close(&cold);
    stream_close(&learner);
    buffer_fini(&in);
}

/* One that has read a header already takes the place of who has the same. */
static void
test_header(void)
{
    static const char wide[] = "a,b,c,d,e,f\n", row[] = "1,2,3,4,5,6\n";
    prae_params params = params_of(PRAE_FORMAT_CSV, 16);
    struct stream learner;
    prae_buffer in = {0};

    put(&in, wide, strlen(wide));
    for (int i = 0; i < 16; i++)
        put_line(&in, "%d,%d,%d,%d,%d,%d\n", i * 7 % 5, i * 3 % 7, i * 5 % 11,
                 i * 4 % 9, i * 2 % 3, i * 6 % 13);
    stream_open(&learner, &params);
    NEED(stream_push(&learner, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    for (int same = 0; same < 2; same++) {
        const char *header = same ? wide : "a,b\n";
        struct stream front;
        size_t used;
        open_front(&front, &learner);
        NEED(prae_filter_push(front.filter, header, strlen(header), 0, &used) ==
             PRAE_OK);
        ok(prae_filter_follow(front.filter, learner.filter) ==
               (same ? PRAE_OK : PRAE_EINVAL),
           "a front with %s header", same ? "the same" : "another");
        if (same)
            front.taken = front.next_seq = learner.taken;
        /* Named by its own header: of six cells four are too many of two. */
        NEED(stream_push(&front, row, strlen(row), 99, 0) == PRAE_OK);
        NEED(stream_judge(&front) == PRAE_OK);
        prae_stats stats;
        prae_filter_stats(front.filter, &stats);
        ok(stats.rejected == !same && front.unbalanced == 0,
           "... goes on by the one that it has");
        stream_close(&front);
    }
    stream_close(&learner);
    buffer_fini(&in);
}

/* Many in a row; a leak would be told by the sanitizers. */
static void
test_many(void)
{
    prae_params params = params_of(PRAE_FORMAT_CSV, WINDOW);
    struct stream learner, front;
    size_t bad = 0;

    open_learner(&learner, &params, 2 * WINDOW);
    open_front(&front, &learner);
    NEED(prae_filter_follow(front.filter, learner.filter) == PRAE_OK);
    front.taken = front.next_seq = 2 * WINDOW;
    for (int i = 0; i < 200; i++) {
        bad += stream_push(&front, "1,2,3\n", 6, 99, 0) != PRAE_OK;
        bad += stream_judge(&front) != PRAE_OK;
        bad += change_front(&front, &learner) != PRAE_OK;
    }
    ok(bad == 0 && front.taken == 2 * WINDOW + 200 && front.unbalanced == 0 &&
           front.disordered == 0,
       "200 fronts in a row lose nothing");
    stream_close(&front);
    stream_close(&learner);
}

int
main(void)
{
    for (int f = 0; f < 3; f++) {
        test_verdicts((prae_format)f);
        test_halves((prae_format)f);
    }
    test_one_by_one();
    test_state();
    test_time(PRAE_CONTEXT_OFF, 1, 256, "plain");
    test_time(PRAE_CONTEXT_ON, 1, 256, "with context");
    test_time(PRAE_CONTEXT_ON, 1, 16, "with context, early");
    test_time(PRAE_CONTEXT_OFF, 20, 256, "smoothed");
    test_time(PRAE_CONTEXT_ON, 20, 256, "both");
    test_time_matters();
    test_counts();
    test_message();
    test_misuse();
    test_header();
    test_many();
    return tap_done();
}
