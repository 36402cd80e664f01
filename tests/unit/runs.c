/* Inliers given out in runs are those that are given out one by one, with the
 * same bytes and counts, whatever lies between them. */
#include "records.h"

/* All that is given out: the inliers' bytes, and the kind of each record. */
struct given {
    prae_buffer bytes;
    prae_buffer kinds; /* a byte each */
    size_t runs;
    size_t disordered;
};

static void
note_kind(struct given *given, uint64_t seq, prae_kind kind)
{
    char byte = (char)kind;

    given->disordered += seq != given->kinds.len;
    put(&given->kinds, &byte, 1);
}

/* Takes what was judged or let go, at most MOST a run; 0: one by one. */
static void
take(prae_filter *filter, size_t most, struct given *given)
{
    prae_verdict verdict;
    prae_run run;

    for (;;) {
        while (most > 0 &&
               prae_filter_next_run(filter, most, &run) == PRAE_OK) {
            NEED(run.count > 0 && run.count <= most);
            for (size_t i = 0; i < run.count; i++)
                note_kind(given, run.seq + i, PRAE_KIND_INLIER);
            put(&given->bytes, run.records, run.len);
            given->runs++;
        }
        if (prae_filter_next(filter, &verdict) != PRAE_OK)
            break;
        note_kind(given, verdict.seq, verdict.kind);
        if (verdict.kind == PRAE_KIND_INLIER)
            put(&given->bytes, verdict.record, verdict.record_len);
    }
}

static void
judge_and_take(prae_filter *filter, size_t most, struct given *given)
{
    NEED(prae_filter_judge(filter) == PRAE_OK);
    take(filter, most, given);
}

/* What becomes of INPUT (LEN), windows being judged or, RELEASED, let go. */
static void
give(const prae_params *params, const prae_buffer *input, size_t most,
     int released, struct given *given)
{
    prae_filter *filter;
    prae_stats stats;
    size_t at = 0, used = 0;
    prae_status status;

    *given = (struct given){0};
    NEED(prae_filter_new(params, &filter) == PRAE_OK);
    do {
        status = prae_filter_push(filter, input->data + at, input->len - at, 1,
                                  &used);
        NEED(status == PRAE_OK || status == PRAE_FULL);
        at += used;
        if (released) {
            NEED(prae_filter_release(filter) == PRAE_OK);
            take(filter, most, given);
            break;
        }
        judge_and_take(filter, most, given);
    } while (status == PRAE_FULL);
    prae_filter_stats(filter, &stats);
    NEED(stats.received == given->kinds.len && stats.held == 0);
    NEED(stats.received == stats.inliers + stats.outliers + stats.rejected);
    prae_filter_free(filter);
}

static void
given_fini(struct given *given)
{
    buffer_fini(&given->bytes);
    buffer_fini(&given->kinds);
}

/* Records of FORMAT, some odd and some no records at all. */
static void
make_input(prae_format format, prae_buffer *input)
{
    *input = (prae_buffer){0};
    for (size_t i = 0; i < RECORDS; i += 25) {
        put_records(input, format, i, 25);
        if (format == PRAE_FORMAT_MSGPACK)
            put(input, "\xc0", 1);
        else
            put_line(input, "nonsense\n\n");
    }
}

static void
test_format(prae_format format, const char *name)
{
    static const size_t mosts[] = {1, 3, 10000};
    prae_params params = params_of(format, WINDOW);
    struct given single, runs;
    prae_buffer input;

    make_input(format, &input);
    for (int released = 0; released < 2; released++) {
        give(&params, &input, 0, released, &single);
        NEED(single.disordered == 0 && single.kinds.len >= WINDOW);
        for (size_t i = 0; i < COUNT(mosts); i++) {
            give(&params, &input, mosts[i], released, &runs);
            ok(buffer_same(&runs.bytes, &single.bytes) &&
                   buffer_same(&runs.kinds, &single.kinds) &&
                   runs.disordered == 0 &&
                   (i == 0 || runs.runs < single.kinds.len / 2),
               "%s, %s: the same in runs of up to %zu (%zu of them)", name,
               released ? "let go" : "judged", mosts[i], runs.runs);
            given_fini(&runs);
        }
        given_fini(&single);
    }
    buffer_fini(&input);
}

/* A message's last line may lack its end: what is put behind it must know. */
static void
test_unended(void)
{
    prae_params params = params_of(PRAE_FORMAT_JSONL, WINDOW);
    prae_buffer message = {0};
    prae_filter *filter;
    prae_run run;
    size_t used, counts[3] = {0}, count = 0;

    params.cold = PRAE_COLD_PASS;
    NEED(prae_filter_new(&params, &filter) == PRAE_OK);
    put_records(&message, PRAE_FORMAT_JSONL, 0, 4);
    for (int i = 0; i < 3; i++)
        NEED(prae_filter_push_message(filter, message.data, message.len - 1,
                                      &used) == PRAE_OK);
    NEED(prae_filter_release(filter) == PRAE_OK);
    while (count < 3 && prae_filter_next_run(filter, 100, &run) == PRAE_OK) {
        NEED(run.len == message.len - 1);
        counts[count++] = run.count;
    }
    ok(count == 3 && counts[0] == 4 && counts[1] == 4 && counts[2] == 4,
       "a line without its end ends a run");
    buffer_fini(&message);
    prae_filter_free(filter);
}

static void
test_calls(void)
{
    prae_params params = params_of(PRAE_FORMAT_JSONL, WINDOW);
    prae_buffer input = {0};
    prae_filter *filter;
    prae_verdict verdict;
    prae_run run = {.count = 7};
    size_t used;

    NEED(prae_filter_new(&params, &filter) == PRAE_OK);
    ok(prae_filter_next_run(NULL, 1, &run) == PRAE_EINVAL &&
           prae_filter_next_run(filter, 1, NULL) == PRAE_EINVAL,
       "without a filter or a place for it there is no run");
    put_records(&input, PRAE_FORMAT_JSONL, 0, WINDOW / 2);
    NEED(prae_filter_push(filter, input.data, input.len, 0, &used) == PRAE_OK);
    ok(prae_filter_next_run(filter, 1, &run) == PRAE_END && run.count == 7,
       "nor before anything is judged");
    NEED(prae_filter_release(filter) == PRAE_OK);
    ok(prae_filter_next_run(filter, 0, &run) == PRAE_END && run.count == 7,
       "a run of none is none");
    ok(prae_filter_next_run(filter, WINDOW, &run) == PRAE_OK &&
           run.count == WINDOW / 2 && run.len == input.len &&
           memcmp(run.records, input.data, run.len) == 0,
       "a run has all there is");
    ok(prae_filter_next_run(filter, WINDOW, &run) == PRAE_END &&
           run.count == WINDOW / 2 &&
           memcmp(run.records, input.data, run.len) == 0,
       "at its end it is as it was");
    ok(prae_filter_push(filter, input.data, 0, 0, &used) == PRAE_OK &&
           prae_filter_next(filter, &verdict) == PRAE_END,
       "and the window is free");
    buffer_fini(&input);
    prae_filter_free(filter);
}

int
main(void)
{
    test_format(PRAE_FORMAT_MSGPACK, "msgpack");
    test_format(PRAE_FORMAT_JSONL, "jsonl");
    test_format(PRAE_FORMAT_CSV, "csv");
    test_unended();
    test_calls();
    return tap_done();
}
