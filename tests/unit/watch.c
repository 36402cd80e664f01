/* What leaves is counted where it belongs, the worst are kept, the timeline
 * stays short, and samples are fair. */
#include "watch.h"

#include <string.h>

#include "tap.h"

static prae_verdict
verdict_of(prae_kind kind, uint64_t seq, double score)
{
    static const prae_reason why[] = {
        {.field = "b, change", .input = 3, .share = 0.6},
        {.field = "b", .input = 1, .share = 0.3}};
    static const double values[] = {1.0, (double)NAN};

    return (prae_verdict){.kind = kind,
                          .seq = seq,
                          .score = score,
                          .p = 0.5,
                          .gate = (double)NAN,
                          .window = seq / 10,
                          .state = PRAE_STATE_LIVE,
                          .why = why,
                          .why_count = kind == PRAE_KIND_OUTLIER ? 2 : 0,
                          .reject_code = "type",
                          .reject_text = "no number",
                          .record = "{}",
                          .record_len = 2,
                          .values = kind == PRAE_KIND_REJECT ? NULL : values,
                          .value_count = 2};
}

static uint64_t
sum(const uint64_t *bin, size_t count)
{
    uint64_t all = 0;

    for (size_t i = 0; i < count; i++)
        all += bin[i];
    return all;
}

/* Every bin holds what is between its edges, and the outer ones the rest. */
static void
test_bins(void)
{
    static const double scores[] = {0.0, 1e-9, 1.0001, 3.0, 999.0, 1e9};
    struct watch watch;
    int right = 1;

    for (size_t i = 0; i < sizeof scores / sizeof *scores; i++) {
        NEED(watch_open(&watch, 1) == 0);
        prae_verdict verdict = verdict_of(PRAE_KIND_INLIER, 0, scores[i]);
        watch_verdict(&watch, &verdict);
        size_t at = 0;
        while (at < WATCH_SCORES && watch.score_in[at] == 0)
            at++;
        right &= at < WATCH_SCORES &&
                 (at == 0 || scores[i] >= watch_score_edge(at) * 0.999) &&
                 (at + 1 == WATCH_SCORES ||
                  scores[i] <= watch_score_edge(at + 1) * 1.001);
        watch_close(&watch);
    }
    ok(right, "scores are in their bins, however small or large");
    is_close(watch_score_edge(0), 1e-6, 1e-12, "the first edge");
    is_close(watch_score_edge(WATCH_SCORES), 1e6, 1e-3, "the last");
}

static void
test_p(void)
{
    struct watch watch;
    prae_verdict verdict = verdict_of(PRAE_KIND_INLIER, 0, 1.0);

    NEED(watch_open(&watch, 1) == 0);
    verdict.p = 1.0;
    watch_verdict(&watch, &verdict);
    verdict.p = 0.0;
    watch_verdict(&watch, &verdict);
    verdict.p = (double)NAN;
    verdict.score = (double)NAN;
    watch_verdict(&watch, &verdict);
    ok(watch.p_in[WATCH_PS - 1] == 1 && watch.p_in[0] == 1,
       "p-values of 0 and 1 have a bin");
    ok(sum(watch.p_in, WATCH_PS) == 2 && sum(watch.score_in, WATCH_SCORES) == 2,
       "what has no score is in no histogram");
    watch_close(&watch);
}

static void
test_kinds(void)
{
    struct watch watch;

    NEED(watch_open(&watch, 1) == 0);
    watch.feature = calloc(2, sizeof *watch.feature);
    NEED(watch.feature != NULL);
    watch.feature_count = 2;
    for (uint64_t i = 0; i < 30; i++) {
        prae_verdict verdict = verdict_of(i % 10 == 3   ? PRAE_KIND_OUTLIER
                                          : i % 10 == 4 ? PRAE_KIND_REJECT
                                                        : PRAE_KIND_INLIER,
                                          i, 1.0);
        watch_verdict(&watch, &verdict);
    }
    ok(watch.tick_count == 3 && watch.tick[1].inliers == 8 &&
           watch.tick[1].outliers == 1 && watch.tick[1].rejected == 1 &&
           watch.tick[2].seq == 20,
       "a window an entry");
    ok(watch.refusal_count == 1 && watch.refusal[0].count == 3 &&
           watch.refusal[0].seq == 4 &&
           strcmp(watch.refusal[0].text, "no number") == 0,
       "rejects by reason, with the first");
    ok(watch.inliers.count == 24 && watch.outliers.count == 3,
       "inliers and outliers have samples of their own");
    is_close(watch.feature[1].blame, 2.7, 1e-9,
             "changes of a feature are its own blame");
    ok(watch.feature[1].flagged == 3 && watch.feature[0].flagged == 0,
       "a record names a feature once");
    watch_close(&watch);
}

static void
test_states(void)
{
    /* By the end of each window; the first was in a snapshot already. */
    static const uint64_t bursts[] = {1, 2, 2, 3, 3};
    static const uint64_t drifts[] = {0, 0, 1, 1, 1};
    struct watch watch;
    int right = 1;

    NEED(watch_open(&watch, 1) == 0);
    watch.bursts = 1;
    for (uint64_t i = 0; i < 50; i++) {
        prae_verdict verdict = verdict_of(PRAE_KIND_INLIER, i, 1.0);
        verdict.state = PRAE_STATE_BURST;
        watch_verdict(&watch, &verdict);
        prae_stats stats = {.bursts = bursts[i / 10],
                            .drifts = drifts[i / 10],
                            .limit = (double)i};
        if (i % 10 == 9)
            watch_window(&watch, &stats);
    }
    for (size_t i = 0; i < watch.tick_count; i++)
        right &= watch.tick[i].bursts == (i == 1 || i == 3) &&
                 watch.tick[i].drifts == (i == 2) &&
                 watch.tick[i].limit == (double)(10 * i + 9);
    ok(right && watch.tick_count == 5 &&
           watch.tick[4].state == PRAE_STATE_BURST,
       "bursts and drifts are where they began, and none of before");
    watch_close(&watch);
}

/* Ten thousand windows in 512 entries, and nothing of them lost. */
static void
test_long(void)
{
    struct watch watch;
    uint64_t records = 0, windows = 0;
    int joined = 1;

    NEED(watch_open(&watch, 1) == 0);
    for (uint64_t i = 0; i < 100000; i++) {
        prae_verdict verdict = verdict_of(PRAE_KIND_INLIER, i, 1.0);
        watch_verdict(&watch, &verdict);
    }
    for (size_t i = 0; i < watch.tick_count; i++) {
        const struct tick *tick = &watch.tick[i];
        records += tick->inliers + tick->outliers + tick->rejected;
        joined &= tick->window == windows && tick->seq == 10 * windows;
        windows += tick->windows;
    }
    ok(watch.tick_count <= WATCH_TICKS && watch.tick_count >= WATCH_TICKS / 2,
       "a long run has no more entries");
    ok(records == 100000 && windows == 10000, "and they have all of it");
    ok(joined, "one behind the other");
    watch_close(&watch);
}

static void
test_worst(void)
{
    const struct watched *ranked[WATCH_WORST];
    struct watch watch;
    int right = 1;

    NEED(watch_open(&watch, 1) == 0);
    for (uint64_t i = 0; i < 1000; i++) {
        /* 7919 is prime: all of 0 to 999, out of order. */
        prae_verdict verdict =
            verdict_of(PRAE_KIND_OUTLIER, i, (double)(i * 7919 % 1000));
        watch_verdict(&watch, &verdict);
    }
    size_t count = watch_rank(&watch, ranked);
    for (size_t i = 0; i < count; i++)
        right &= ranked[i]->score == (double)(999 - i);
    ok(count == WATCH_WORST && right, "the worst, in order");
    right = 1;
    for (size_t i = 0; i < WATCH_LAST; i++)
        right &= watch_recent(&watch, i)->seq == 999 - i;
    ok(right && watch_recent(&watch, WATCH_LAST) == NULL,
       "and the last, the newest first");
    watch_close(&watch);
}

static void
test_long_texts(void)
{
    static char name[5000], record[5000];
    prae_reason why = {.field = name, .observed_text = name, .share = 1.0};
    prae_verdict verdict = verdict_of(PRAE_KIND_OUTLIER, 0, 1.0);
    struct watch watch;

    memset(name, 'x', sizeof name - 1);
    memset(record, 'y', sizeof record);
    verdict.why = &why;
    verdict.why_count = 1;
    verdict.record = record;
    verdict.record_len = sizeof record;
    NEED(watch_open(&watch, 1) == 0);
    watch_verdict(&watch, &verdict);
    const struct watched *last = watch_recent(&watch, 0);
    ok(last->record_len == sizeof record &&
           strlen(last->why[0].field) == WATCH_NAME - 1,
       "long names and records are cut, and it is known");
    watch_close(&watch);
}

/* Of a hundred thousand rows each has the same chance. */
static void
test_sample(void)
{
    struct sample sample = {0};
    static double column[WATCH_SAMPLE];
    double mean = 0.0;

    for (size_t i = 0; i < 100000; i++) {
        double row[2] = {(double)i, i % 4 == 0 ? (double)NAN : 1.0};
        sample_take(&sample, row, 2);
    }
    size_t count = sample_column(&sample, 0, column);
    for (size_t i = 0; i < count; i++)
        mean += column[i] / (double)count;
    ok(count == WATCH_SAMPLE && sample.seen == 100000, "so many are kept");
    /* The mean of 2000 of them is off by 645, one time in three. */
    is_close(mean, 50000.0, 3000.0, "from all of the stream");
    ok(column[0] <= column[1] && column[count - 2] <= column[count - 1],
       "a column comes sorted");
    count = sample_column(&sample, 1, column);
    is_close((double)count, 1500.0, 120.0, "without what is missing");
    sample_free(&sample);
}

static void
test_time(void)
{
    struct watch watch;

    NEED(watch_open(&watch, 1) == 0);
    watch_training(&watch, 0.0004);
    watch_training(&watch, 0.0005);
    watch_training(&watch, 99.0);
    ok(watch.training_bin[0] == 2 && watch.training_bin[WATCH_TRAININGS] == 1,
       "times up to an edge are in its bin");
    is_close(watch.training_longest, 99.0, 0.0, "the longest");
    for (int i = 0; i <= 100; i++)
        watch_pace(&watch, (uint64_t)500 * (uint64_t)i, 10.0 + 0.5 * i);
    is_close(watch.rate, 1000.0, 1.0, "a steady rate is found");
    for (int i = 1; i <= 40; i++)
        watch_pace(&watch, 50000, 60.0 + 0.5 * i);
    is_close(watch.rate, 0.0, 1.0, "and that it ends");
    watch_close(&watch);
}

static void
test_off(void)
{
    struct watch watch;
    prae_verdict verdict = verdict_of(PRAE_KIND_OUTLIER, 0, 1.0);

    NEED(watch_open(&watch, 0) == 0);
    watch_verdict(&watch, &verdict);
    ok(watch_recent(&watch, 0) == NULL && watch.tick == NULL,
       "who does not watch sees nothing");
    watch_close(&watch);
}

int
main(void)
{
    test_bins();
    test_p();
    test_kinds();
    test_states();
    test_long();
    test_worst();
    test_long_texts();
    test_sample();
    test_time();
    test_off();
    return tap_done();
}
