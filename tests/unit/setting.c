/* A filter that runs is told otherwise: to pause, to flag by another rule, to
 * go back to a snapshot. */
#include <math.h>

#include "records.h"

#define CALM 256 /* records learned before anything is changed */

static prae_params
plain_params(prae_format format)
{
    prae_params params = params_of(format, WINDOW);

    /* What was just before is to have no part in it. */
    params.context = PRAE_CONTEXT_OFF;
    params.smooth = 1;
    return params;
}

/* COUNT records that are nothing like the others. */
static void
put_garbage(prae_buffer *out, prae_format format, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_record(out, format, 100.0 + (double)(i % 7), -40.0,
                   (double)(i % 3));
}

static void
push_records(struct stream *stream, size_t from, size_t count)
{
    prae_buffer in = {0};

    put_records(&in, stream->format, from, count);
    NEED(stream_push(stream, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    /* A window that is full is judged when more comes. */
    NEED(stream_judge(stream) == PRAE_OK);
    buffer_fini(&in);
}

static void
push_garbage(struct stream *stream, size_t count)
{
    prae_buffer in = {0};

    put_garbage(&in, stream->format, count);
    NEED(stream_push(stream, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    NEED(stream_judge(stream) == PRAE_OK);
    buffer_fini(&in);
}

static prae_stats
stats_of(const prae_filter *filter)
{
    prae_stats stats;

    prae_filter_stats(filter, &stats);
    return stats;
}

/* ---- freeze ---- */

static size_t
differing_bytes(const prae_buffer *a, const prae_buffer *b)
{
    size_t count = a->len != b->len;

    for (size_t i = 0; i < a->len && i < b->len; i++)
        count += a->data[i] != b->data[i];
    return count;
}

static void
test_pause(prae_format format)
{
    prae_params params = plain_params(format);
    prae_buffer before = {0}, after = {0};
    struct stream paused, other;
    struct seen wanted;
    size_t differ = 0;

    open_seen(&other, &params);
    push_records(&other, 0, CALM);
    seen.count = 0;
    push_records(&other, CALM, CALM);
    wanted = seen;

    open_seen(&paused, &params);
    push_records(&paused, 0, CALM);
    ok(prae_filter_set(paused.filter, "freeze", "yes") == PRAE_OK &&
           stats_of(paused.filter).state == PRAE_STATE_FROZEN,
       "%d: a filter that learns can be frozen", (int)format);
    push_garbage(&paused, WINDOW);
    NEED(prae_filter_save(paused.filter, &before) == PRAE_OK);
    seen.count = 0;
    push_garbage(&paused, 4 * WINDOW);
    NEED(prae_filter_save(paused.filter, &after) == PRAE_OK);
    ok(seen.count == 4 * WINDOW && seen.verdict[0].kind == PRAE_KIND_OUTLIER &&
           seen.verdict[0].state == PRAE_STATE_FROZEN &&
           isnan(seen.verdict[0].gate),
       "%d: it goes on judging, and its verdicts say that it is frozen",
       (int)format);
    /* Windows judged, the next one's number, and the checksum of it all. */
    ok(differing_bytes(&before, &after) <= 10,
       "%d: of a snapshot only the counts change: %zu bytes", (int)format,
       differing_bytes(&before, &after));
    ok(prae_filter_set(paused.filter, "freeze", "no") == PRAE_OK &&
           stats_of(paused.filter).state == PRAE_STATE_LIVE,
       "%d: and let on", (int)format);
    seen.count = 0;
    push_records(&paused, CALM, CALM);
    for (size_t i = 0; i < CALM; i++) {
        const prae_verdict *a = &seen.verdict[i], *b = &wanted.verdict[i];
        differ += a->kind != b->kind || a->score != b->score ||
                  a->error != b->error || a->gate != b->gate || a->p != b->p ||
                  a->model != b->model;
    }
    ok(seen.count == CALM && differ == 0,
       "%d: then it judges and learns as if nothing had been: %zu differ",
       (int)format, differ);
    ok(paused.disordered == 0 && paused.unbalanced == 0,
       "%d: the counts add up", (int)format);
    buffer_fini(&before);
    buffer_fini(&after);
    stream_close(&paused);
    stream_close(&other);
}

/* COUNT lines with a string, of three that take turns or else HOST. Where they
 * are MIXED no line has its keys in the order of the one before, so that the
 * short cut for records like the last is of no use. */
static void
push_hosts(struct stream *stream, const char *host, size_t count, int mixed)
{
    static const char *const usual[] = {"web-1", "web-2", "db"};
    prae_buffer in = {0};

    for (size_t i = 0; i < count; i++) {
        const char *name = host != NULL ? host : usual[i % COUNT(usual)];
        double a = 0.1 * (double)(i % 13), b = 2.0 * a;
        if (mixed && i % 2 == 1)
            put_line(&in, "{\"b\":%g,\"host\":\"%s\",\"a\":%g}\n", b, name,
                     a);
        else
            put_line(&in, "{\"host\":\"%s\",\"a\":%g,\"b\":%g}\n", name, a,
                     b);
    }
    seen.count = 0;
    NEED(stream_push(stream, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    NEED(stream_judge(stream) == PRAE_OK);
    buffer_fini(&in);
}

static void
test_frozen_strings(int mixed)
{
    prae_params params = plain_params(PRAE_FORMAT_JSONL);
    const char *how = mixed ? "keys in any order" : "keys in one order";
    struct stream stream;

    open_seen(&stream, &params);
    push_hosts(&stream, NULL, CALM, mixed);
    NEED(prae_filter_set(stream.filter, "freeze", "yes") == PRAE_OK);
    push_hosts(&stream, "evil", WINDOW, mixed);
    double score = seen.verdict[0].score;
    ok(seen.verdict[0].kind == PRAE_KIND_OUTLIER,
       "%s: frozen, a string that was never there is odd", how);
    for (size_t i = 0; i < 4; i++)
        push_hosts(&stream, "evil", 4 * WINDOW, mixed);
    ok(seen.count == 4 * WINDOW && seen.verdict[0].score == score &&
           seen.verdict[0].kind == PRAE_KIND_OUTLIER,
       "%s: ... and no less the thousandth time", how);
    stream_close(&stream);
}

/* ---- fpr and threshold ---- */

static size_t
flagged(struct stream *stream, size_t from)
{
    uint64_t before = stats_of(stream->filter).outliers;

    push_records(stream, from, CALM);
    return (size_t)(stats_of(stream->filter).outliers - before);
}

static void
test_rule(int freeze)
{
    prae_params params = plain_params(PRAE_FORMAT_JSONL);
    struct stream stream;
    prae_filter *front = NULL;
    double limit;

    stream_open(&stream, &params);
    push_records(&stream, 0, 4 * WINDOW);
    if (freeze)
        NEED(prae_filter_set(stream.filter, "freeze", "yes") == PRAE_OK);
    size_t usual = flagged(&stream, 4 * WINDOW);
    NEED(prae_filter_set(stream.filter, "fpr", "0.4") == PRAE_OK);
    size_t many = flagged(&stream, 8 * WINDOW);
    ok(usual < CALM / 8 && many > CALM / 4 && many < CALM * 5 / 8,
       "freeze %d: fpr=0.4 flags about that many: %zu, then %zu", freeze, usual,
       many);
    NEED(prae_filter_set(stream.filter, "fpr", "0") == PRAE_OK);
    limit = stats_of(stream.filter).limit;
    NEED(prae_filter_set(stream.filter, "threshold", "1.9") == PRAE_OK);
    ok(stats_of(stream.filter).limit < limit,
       "freeze %d: a higher threshold is a lower limit", freeze);
    size_t more = flagged(&stream, 12 * WINDOW);
    ok(more > usual, "freeze %d: and flags more: %zu", freeze, more);
    NEED(prae_filter_fork(stream.filter, &front) == PRAE_OK);
    ok(stats_of(front).limit < limit, "freeze %d: so do its fronts", freeze);
    ok(prae_filter_set(front, "threshold", "0.1") == PRAE_OK &&
           fabs(stats_of(front).limit / limit - 1.0) < 0.5,
       "freeze %d: a front can be told, too", freeze);
    prae_filter_free(front);
    stream_close(&stream);
}

static void
test_refusals(void)
{
    prae_params params = plain_params(PRAE_FORMAT_MSGPACK);
    struct stream stream;
    prae_filter *front = NULL;
    prae_buffer in = {0};
    size_t used;

    stream_open(&stream, &params);
    ok(prae_filter_set(NULL, "fpr", "0") == PRAE_EINVAL &&
           prae_filter_set(stream.filter, NULL, "0") == PRAE_EINVAL &&
           prae_filter_set(stream.filter, "fpr", NULL) == PRAE_EINVAL,
       "NULLs are refused");
    ok(prae_filter_set(stream.filter, "freeze", "yes") == PRAE_EINVAL,
       "nothing is frozen before it has learned");
    ok(prae_filter_set(stream.filter, "fpr", "0.1") == PRAE_OK,
       "but a rule can be given");
    push_records(&stream, 0, 2 * WINDOW);
    ok(prae_filter_set(stream.filter, "window", "7") == PRAE_EINVAL &&
           strstr(prae_filter_errmsg(stream.filter), "threshold") != NULL,
       "what cannot be set is told what can");
    ok(prae_filter_set(stream.filter, "fpr", "2") == PRAE_ECONFIG &&
           prae_filter_set(stream.filter, "threshold", "x") == PRAE_ECONFIG &&
           prae_filter_set(stream.filter, "freeze", "") == PRAE_ECONFIG &&
           prae_filter_errmsg(stream.filter)[0] != '\0',
       "nor are values that make no sense");
    NEED(prae_filter_fork(stream.filter, &front) == PRAE_OK);
    ok(prae_filter_set(front, "freeze", "no") == PRAE_EINVAL,
       "a front never learns");
    put_records(&in, params.format, 0, 3);
    NEED(prae_filter_push(stream.filter, in.data, in.len, 0, &used) == PRAE_OK);
    ok(prae_filter_set(stream.filter, "fpr", "0") == PRAE_EINVAL,
       "not within a window");
    NEED(prae_filter_judge(stream.filter) == PRAE_OK);
    ok(prae_filter_set(stream.filter, "fpr", "0") == PRAE_EINVAL,
       "nor while verdicts are left");
    prae_filter_free(front);
    buffer_fini(&in);
    stream_close(&stream);
}

/* ---- back to a snapshot ---- */

/* A filter that has loaded SNAPSHOT. */
static prae_filter *
reborn(const prae_params *params, const prae_buffer *snapshot)
{
    prae_filter *filter = NULL;

    NEED(prae_filter_new(params, &filter) == PRAE_OK &&
         prae_filter_load(filter, snapshot->data, snapshot->len) == PRAE_OK);
    return filter;
}

static void
test_return(prae_format format)
{
    prae_params params = plain_params(format);
    prae_buffer snapshot = {0}, in = {0};
    struct stream stream, fresh;
    struct seen wanted;
    size_t used = 0, more = 0, differ = 0;

    if (format == PRAE_FORMAT_CSV)
        put_line(&in, "x,in.y,in.z\r\n");
    open_seen(&stream, &params);
    NEED(stream_push(&stream, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
    in.len = 0;
    push_records(&stream, 0, CALM);
    NEED(prae_filter_save(stream.filter, &snapshot) == PRAE_OK);
    for (int i = 0; i < 12; i++) {
        seen.count = 0;
        push_garbage(&stream, WINDOW);
    }
    prae_stats before = stats_of(stream.filter);
    prae_filter *other = reborn(&params, &snapshot);
    NEED(prae_filter_follow(other, stream.filter) == PRAE_OK);
    prae_filter_free(stream.filter);
    stream.filter = other;
    prae_stats after = stats_of(other);
    ok(after.received == before.received && after.windows == before.windows &&
           after.outliers == before.outliers && after.drifts == before.drifts &&
           after.judged == before.judged && after.model < before.model,
       "%d: counts go on, and what was learned is the snapshot's", (int)format);
    seen.count = 0;
    push_records(&stream, CALM, CALM);
    ok(stream.disordered == 0 && stream.unbalanced == 0 &&
           seen.verdict[0].window == before.window + 1,
       "%d: records and windows are numbered on", (int)format);
    wanted = seen;

    open_seen(&fresh, &params);
    prae_filter_free(fresh.filter);
    fresh.filter = reborn(&params, &snapshot);
    if (format == PRAE_FORMAT_CSV) {
        put_line(&in, "x,in.y,in.z\r\n");
        NEED(stream_push(&fresh, in.data, in.len, SIZE_MAX, 0) == PRAE_OK);
        in.len = 0;
    }
    push_records(&fresh, CALM, CALM);
    for (size_t i = 0; i < CALM; i++)
        differ += seen.verdict[i].kind != wanted.verdict[i].kind ||
                  seen.verdict[i].score != wanted.verdict[i].score ||
                  seen.verdict[i].model != wanted.verdict[i].model;
    ok(differ == 0, "%d: verdicts are those of a fresh start: %zu differ",
       (int)format, differ);
    put_records(&in, format, 0, 2 * WINDOW);
    other = reborn(&params, &snapshot);
    NEED(format == PRAE_FORMAT_CSV ||
         prae_filter_push_message(stream.filter, in.data, in.len, &used) ==
             PRAE_FULL);
    ok(format == PRAE_FORMAT_CSV ||
           prae_filter_follow(other, stream.filter) == PRAE_EINVAL,
       "%d: not while records are undecided", (int)format);
    NEED(stream_judge(&stream) == PRAE_OK &&
         prae_filter_follow(other, stream.filter) == PRAE_OK);
    ok(format == PRAE_FORMAT_CSV ||
           (prae_filter_push_message(other, in.data + used, in.len - used,
                                     &more) == PRAE_FULL &&
            used + more == in.len),
       "%d: the rest of a message goes over", (int)format);
    prae_filter_free(other);
    buffer_fini(&in);
    buffer_fini(&snapshot);
    stream_close(&stream);
    stream_close(&fresh);
}

static void
test_strangers(void)
{
    prae_params params = plain_params(PRAE_FORMAT_JSONL), csv = params;
    prae_buffer snapshot = {0};
    struct stream stream, other;
    prae_filter *front = NULL, *back;

    stream_open(&stream, &params);
    push_records(&stream, 0, CALM);
    NEED(prae_filter_save(stream.filter, &snapshot) == PRAE_OK &&
         prae_filter_fork(stream.filter, &front) == PRAE_OK);
    back = reborn(&params, &snapshot);
    csv.format = PRAE_FORMAT_CSV;
    stream_open(&other, &csv);
    ok(prae_filter_follow(back, front) == PRAE_EINVAL,
       "who learns does not follow a front");
    ok(prae_filter_follow(back, back) == PRAE_EINVAL &&
           prae_filter_follow(back, other.filter) == PRAE_EINVAL,
       "nor itself, nor another format's");
    stream_close(&other);
    stream_open(&other, &params);
    ok(prae_filter_follow(other.filter, stream.filter) == PRAE_EINVAL,
       "who has learned nothing follows nobody");
    for (int i = 0; i < 2 * WINDOW; i++) {
        char line[80];
        size_t used,
            len = (size_t)snprintf(line, sizeof line, "{\"u\":%d,\"w\":%d}\n",
                                   i % 13, i * i % 17);
        NEED(prae_filter_push(other.filter, line, len, 0, &used) >= PRAE_OK);
        if (i % WINDOW == WINDOW - 1)
            NEED(stream_judge(&other) == PRAE_OK);
    }
    ok(prae_filter_follow(back, other.filter) == PRAE_OK &&
           stats_of(back).received == 2 * WINDOW,
       "one of other fields can be followed");
    prae_filter_free(front);
    prae_filter_free(back);
    buffer_fini(&snapshot);
    stream_close(&stream);
    stream_close(&other);
}

int
main(void)
{
    test_pause(PRAE_FORMAT_MSGPACK);
    test_pause(PRAE_FORMAT_JSONL);
    test_frozen_strings(0);
    test_frozen_strings(1);
    test_rule(0);
    test_rule(1);
    test_refusals();
    test_return(PRAE_FORMAT_MSGPACK);
    test_return(PRAE_FORMAT_JSONL);
    test_return(PRAE_FORMAT_CSV);
    test_strangers();
    return tap_done();
}
