/* Records that cannot wait for the first window leave undecided, once and in
 * order, and are learned from all the same. */
#include "records.h"

static prae_buffer input; /* RECORDS of them, and a reject after the 5th */
static size_t head_len;   /* bytes up to and with that reject */

static void
make_input(void)
{
    put_records(&input, PRAE_FORMAT_JSONL, 0, 5);
    put_line(&input, "nonsense\n");
    head_len = input.len;
    put_records(&input, PRAE_FORMAT_JSONL, 5, RECORDS - 5);
}

/* What was given out of the first window. */
struct given {
    size_t inliers, outliers, rejects;
    size_t marked; /* with a number, reasons or another state than warming */
};

/* Takes the verdicts there are, in order. */
static void
take(struct stream *stream, struct given *given)
{
    prae_verdict verdict;

    while (prae_filter_next(stream->filter, &verdict) == PRAE_OK) {
        stream->taken++;
        stream->disordered += verdict.seq != stream->next_seq++;
        given->inliers += verdict.kind == PRAE_KIND_INLIER;
        given->outliers += verdict.kind == PRAE_KIND_OUTLIER;
        given->rejects += verdict.kind == PRAE_KIND_REJECT;
        given->marked += !isnan(verdict.score) || !isnan(verdict.p) ||
                         !isnan(verdict.gate) || !isnan(verdict.error) ||
                         verdict.why_count > 0 || verdict.window != 0 ||
                         verdict.model != 0 ||
                         verdict.state != PRAE_STATE_WARMING;
        stream_count(stream);
    }
}

static prae_params
params_with(prae_cold cold)
{
    prae_params params = params_of(PRAE_FORMAT_JSONL, WINDOW);

    params.cold = cold;
    return params;
}

/* Pushes the first window of the input, letting go in between. Returns the
 * bytes used. */
static size_t
push_first(struct stream *stream, struct given *given)
{
    size_t at = 0, used = 0, step = head_len;
    prae_status status;

    do {
        size_t some = input.len - at < step ? input.len - at : step;
        status =
            prae_filter_push(stream->filter, input.data + at, some, 0, &used);
        NEED(status == PRAE_OK || status == PRAE_FULL);
        at += used;
        stream_count(stream);
        NEED(prae_filter_release(stream->filter) == PRAE_OK);
        stream_count(stream);
        take(stream, given);
        step = 500;
    } while (status == PRAE_OK);
    return at;
}

static void
test_order(prae_cold cold, const char *name)
{
    prae_params params = params_with(cold);
    struct given given = {0};
    struct stream stream;
    prae_stats stats;

    stream_open(&stream, &params);
    (void)push_first(&stream, &given);
    prae_filter_stats(stream.filter, &stats);
    ok(stream.taken == WINDOW + 1 && stream.disordered == 0 &&
           given.rejects == 1 &&
           (cold == PRAE_COLD_FLAG ? given.outliers : given.inliers) == WINDOW,
       "%s: each leaves once, in order, as that says", name);
    ok(given.marked == 0, "%s: nothing is said of them", name);
    ok(stream.unbalanced == 0 && stats.received == WINDOW + 1 &&
           stats.held == 0 && stats.windows == 0,
       "%s: the counts add up at every step", name);
    ok(prae_filter_release(stream.filter) == PRAE_OK, "%s: may be asked again",
       name);
    take(&stream, &given);
    ok(stream.taken == WINDOW + 1, "%s: nobody leaves twice", name);
    ok(stream_judge(&stream) == PRAE_OK && stream.taken == WINDOW + 1 &&
           stream.windows == 1,
       "%s: nor when the window is judged", name);
    prae_filter_stats(stream.filter, &stats);
    ok(stats.windows == 1 && stats.held == 0 && stream.unbalanced == 0 &&
           stats.state == PRAE_STATE_LIVE,
       "%s: which it is, all the same", name);
    ok(prae_filter_release(stream.filter) == PRAE_EINVAL &&
           prae_filter_errmsg(stream.filter)[0] != '\0',
       "%s: after it nobody is let go undecided", name);
    stream_close(&stream);
}

/* Only some of the first window are let go: the others are judged. */
static void
test_rest(void)
{
    prae_params params = params_with(PRAE_COLD_HOLD);
    struct given given = {0};
    struct stream stream, whole;
    size_t used;

    open_seen(&whole, &params);
    NEED(stream_push(&whole, input.data, input.len, SIZE_MAX, 1) == PRAE_OK);
    prae_verdict wanted = seen.verdict[40];
    stream_close(&whole);

    open_seen(&stream, &params);
    NEED(prae_filter_push(stream.filter, input.data, head_len, 0, &used) ==
         PRAE_OK);
    NEED(prae_filter_release(stream.filter) == PRAE_OK);
    take(&stream, &given);
    NEED(stream_push(&stream, input.data + head_len, input.len - head_len,
                     SIZE_MAX, 1) == PRAE_OK);
    ok(stream.taken == RECORDS + 1 && stream.disordered == 0 &&
           stream.unbalanced == 0 && seen.verdict[0].seq == 6,
       "those that were not let go are judged with the window");
    ok(seen.verdict[34].seq == wanted.seq &&
           seen.verdict[34].score == wanted.score &&
           seen.verdict[34].kind == wanted.kind,
       "... and as they would have been");
    stream_close(&stream);
}

/* Later windows, and the snapshot, are as if everybody had waited. */
static void
test_learned(void)
{
    prae_params params = params_with(PRAE_COLD_PASS);
    prae_buffer a = {0}, b = {0};
    struct given given = {0};
    struct stream held, gone;
    size_t used = 0, at;

    stream_open(&held, &params);
    NEED(prae_filter_push(held.filter, input.data, input.len, 0, &used) ==
         PRAE_FULL);
    NEED(stream_judge(&held) == PRAE_OK);
    held.log.len = 0;
    stream_open(&gone, &params);
    at = push_first(&gone, &given);
    NEED(at == used && prae_filter_save(gone.filter, &b) == PRAE_EINVAL);
    prae_filter *front = NULL;
    ok(prae_filter_fork(gone.filter, &front) == PRAE_EINVAL && front == NULL,
       "what was let go is not learned yet: no fork");
    NEED(stream_judge(&gone) == PRAE_OK);
    NEED(prae_filter_save(held.filter, &a) == PRAE_OK &&
         prae_filter_save(gone.filter, &b) == PRAE_OK);
    ok(buffer_same(&a, &b), "the snapshot is as if nobody had been let go");
    ok(prae_filter_fork(gone.filter, &front) == PRAE_OK &&
           prae_filter_follow(front, gone.filter) == PRAE_OK,
       "and there is something to fork");
    prae_filter_free(front);
    NEED(stream_push(&held, input.data + at, input.len - at, SIZE_MAX, 1) ==
         PRAE_OK);
    NEED(stream_push(&gone, input.data + at, input.len - at, SIZE_MAX, 1) ==
         PRAE_OK);
    ok(held.taken == gone.taken && buffer_same(&held.log, &gone.log),
       "so are the verdicts of later windows, byte for byte");
    stream_close(&held);
    stream_close(&gone);
    buffer_fini(&a);
    buffer_fini(&b);
}

static void
test_misuse(void)
{
    prae_params params = params_with(PRAE_COLD_HOLD);
    struct stream stream;
    prae_verdict verdict;
    size_t used;

    ok(prae_filter_release(NULL) == PRAE_EINVAL, "no filter, no release");
    stream_open(&stream, &params);
    ok(prae_filter_release(stream.filter) == PRAE_OK &&
           prae_filter_next(stream.filter, &verdict) == PRAE_END,
       "there may be nobody to let go");
    NEED(prae_filter_push(stream.filter, input.data, head_len, 0, &used) ==
             PRAE_OK &&
         prae_filter_release(stream.filter) == PRAE_OK &&
         prae_filter_next(stream.filter, &verdict) == PRAE_OK);
    ok(prae_filter_release(stream.filter) == PRAE_EINVAL &&
           prae_filter_judge(stream.filter) == PRAE_EINVAL &&
           prae_filter_push(stream.filter, "", 0, 0, &used) == PRAE_EINVAL &&
           prae_filter_push_message(stream.filter, "", 0, &used) ==
               PRAE_EINVAL &&
           prae_filter_refuse(stream.filter, PRAE_REFUSE_PARTS) ==
               PRAE_EINVAL &&
           strstr(prae_filter_errmsg(stream.filter), "verdicts") != NULL,
       "nothing else is done while some are to be taken");
    for (used = 1; prae_filter_next(stream.filter, &verdict) == PRAE_OK;)
        used++;
    ok(used == 6, "and all of them are");
    stream_close(&stream);
}

/* A first window that nothing can be made of: those let go stay let go. */
static void
test_refused_window(void)
{
    prae_params params = params_of(PRAE_FORMAT_JSONL, 20);
    struct given given = {0};
    struct stream stream;
    prae_buffer in = {0};

    for (int i = 0; i < 19; i++)
        put_line(&in, "{\"id\":\"%08x\"}\n", (unsigned)i * 2654435761u);
    stream_open(&stream, &params);
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    NEED(prae_filter_release(stream.filter) == PRAE_OK);
    take(&stream, &given);
    ok(stream_judge(&stream) == PRAE_OK && stream.taken == 19 &&
           given.inliers == 19 && stream.unbalanced == 0,
       "a window that makes no features takes nothing back");
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    ok(prae_filter_release(stream.filter) == PRAE_OK,
       "and the next may be let go, too");
    take(&stream, &given);
    ok(given.inliers == 38 && stream.disordered == 0 && stream.unbalanced == 0,
       "in order");
    stream_close(&stream);
    buffer_fini(&in);
}

/* Frozen, windows are counted by their records: those let go are not counted
 * once more when theirs is judged, be it in part or all of it. */
static void
test_number(size_t let_go)
{
    prae_params params = params_with(PRAE_COLD_PASS);
    struct given given = {0};
    struct stream stream;
    prae_buffer in = {0};
    prae_stats stats;
    size_t used;

    params.freeze = 1;
    open_seen(&stream, &params);
    put_records(&in, params.format, 0, let_go);
    NEED(prae_filter_push(stream.filter, in.data, in.len, 0, &used) >= 0);
    NEED(prae_filter_release(stream.filter) == PRAE_OK);
    take(&stream, &given);
    in.len = 0;
    put_records(&in, params.format, let_go, WINDOW - let_go);
    NEED(prae_filter_push(stream.filter, in.data, in.len, 0, &used) >= 0);
    NEED(prae_filter_judge(stream.filter) == PRAE_OK);
    prae_filter_stats(stream.filter, &stats);
    ok(stats.window == 0, "%zu of the first window let go: its number is 0",
       let_go);
    take(&stream, &given);
    in.len = 0;
    put_records(&in, params.format, WINDOW, WINDOW);
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 1) == PRAE_OK);
    prae_filter_stats(stream.filter, &stats);
    ok(stats.window == 1 && seen.verdict[seen.count - 1].window == 1,
       "... and the next one's 1");
    stream_close(&stream);
    buffer_fini(&in);
}

int
main(void)
{
    make_input();
    test_order(PRAE_COLD_HOLD, "cold=hold");
    test_order(PRAE_COLD_PASS, "cold=pass");
    test_order(PRAE_COLD_FLAG, "cold=flag");
    test_rest();
    test_learned();
    test_misuse();
    test_refused_window();
    test_number(5);
    test_number(WINDOW);
    buffer_fini(&input);
    return tap_done();
}
