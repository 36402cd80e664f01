/* A record that is judged by itself: the same whatever came before it. */
#include "records.h"

#define STEP 17

/* A walk in which neighbours are alike, so that changes count. */
static void
put_walk(prae_buffer *out, size_t count, double odd)
{
    double x = 0.0;
    struct rng rng;

    pri_rng_init(&rng, 21, 22);
    for (size_t i = 0; i < count; i++) {
        x = 0.98 * x + 0.1 * (double)pri_rng_normal(&rng);
        put_line(out, "{\"x\":%.9g,\"y\":%.9g}\n", x,
                 2.0 * x + 0.02 * (double)pri_rng_normal(&rng) + odd);
    }
}

static void
open_frozen(struct stream *stream)
{
    prae_params params = params_of(PRAE_FORMAT_JSONL, WINDOW);
    prae_buffer in = {0}, snapshot = {0};
    struct stream learner;
    prae_stats stats;

    params.context = PRAE_CONTEXT_ON;
    params.smooth = 7;
    stream_open(&learner, &params);
    put_walk(&in, 2000, 0.0);
    NEED(stream_push(&learner, in.data, in.len, SIZE_MAX, 1) == PRAE_OK &&
         prae_filter_save(learner.filter, &snapshot) == PRAE_OK);
    params.freeze = 1;
    stream_open(stream, &params);
    NEED(prae_filter_load(stream->filter, snapshot.data, snapshot.len) ==
         PRAE_OK);
    prae_filter_stats(stream->filter, &stats);
    NEED(stats.context && stats.smooth);
    stream_close(&learner);
    buffer_fini(&in);
    buffer_fini(&snapshot);
}

/* Judges line after line of IN, each STEP-th and backwards if so asked, to
 * SCORE. Returns how many are flagged. */
static size_t
judge_each(prae_filter *filter, const prae_buffer *in, int backwards, int cut,
           double *score)
{
    size_t at[2001], count = 0, flagged = 0, used;
    prae_verdict verdict;

    at[0] = 0;
    for (size_t i = 0; i < in->len; i++)
        if (in->data[i] == '\n')
            at[++count] = i + 1;
    for (size_t k = 0; k < count / STEP; k++) {
        size_t i = (backwards ? count / STEP - 1 - k : k) * STEP;
        if (cut)
            NEED(prae_filter_cut(filter) == PRAE_OK);
        NEED(prae_filter_push_message(filter, in->data + at[i],
                                      at[i + 1] - at[i], &used) == PRAE_OK &&
             prae_filter_judge(filter) == PRAE_OK &&
             prae_filter_next(filter, &verdict) == PRAE_OK);
        score[i / STEP] = verdict.score;
        flagged += verdict.kind != PRAE_KIND_INLIER;
        NEED(prae_filter_next(filter, &verdict) == PRAE_END);
    }
    return flagged;
}

int
main(void)
{
    static double one[200], other[200];
    prae_buffer good = {0}, odd = {0};
    struct stream stream;
    size_t used;

    put_walk(&good, 2000, 0.0);
    put_walk(&odd, 2000, 5.0);
    open_frozen(&stream);
    size_t together = judge_each(stream.filter, &good, 0, 0, one);
    size_t apart = judge_each(stream.filter, &good, 0, 1, one);
    (void)judge_each(stream.filter, &odd, 0, 1, other);
    (void)judge_each(stream.filter, &good, 1, 1, other);
    ok(memcmp(one, other, sizeof one) == 0,
       "its score is the same in any order, behind good ones and bad");
    ok(apart <= 2 && together > 20 * (apart + 1),
       "records out of their order are not odd for it (%zu; %zu without)",
       apart, together);
    size_t found = judge_each(stream.filter, &odd, 0, 1, one);
    ok(found > 9 * (2000 / STEP) / 10,
       "those that are odd by themselves still are (%zu)", found);
    NEED(prae_filter_push(stream.filter, good.data, good.len / 100, 0, &used) ==
         PRAE_OK);
    ok(prae_filter_cut(stream.filter) == PRAE_EINVAL &&
           strstr(prae_filter_errmsg(stream.filter), "left to be judged") !=
               NULL,
       "not in the middle of a window");
    NEED(prae_filter_judge(stream.filter) == PRAE_OK);
    ok(prae_filter_cut(stream.filter) == PRAE_EINVAL,
       "nor before its verdicts are taken");
    ok(prae_filter_cut(NULL) == PRAE_EINVAL, "nor without a filter");
    stream_close(&stream);

    prae_params params = params_of(PRAE_FORMAT_JSONL, WINDOW);
    stream_open(&stream, &params);
    ok(prae_filter_cut(stream.filter) == PRAE_OK,
       "before anything is learned there is nothing to forget");
    stream_close(&stream);
    buffer_fini(&good);
    buffer_fini(&odd);
    return tap_done();
}
