/* deliver.c - original bytes to one output, envelopes to another. */
#include "deliver.h"

#include <stdlib.h>
#include <string.h>

#include "log.h"

enum { INLIERS, OUTLIERS, REJECTS, SCORES };

static const char flagged_columns[] =
    ",seq,score,p,gate,error,window,state,why";
static const char score_columns[] =
    "seq,verdict,score,p,gate,error,window,state\n";

enum exit_status
outputs_open(struct outputs *outputs, struct wire *wire,
             const struct options *options)
{
    enum exit_status status = EXIT_DONE;

    *outputs = (struct outputs){.options = options};
    for (size_t i = 0; i < SINK_COUNT; i++)
        outputs->sink[i] = (struct sink){.kind = SPEC_NOWHERE, .file.fd = -1};
    for (size_t i = 0; status == EXIT_DONE && i < SINK_COUNT; i++)
        status = sink_open(&outputs->sink[i], wire, &options->out[i]);
    outputs->rejects_to = options->rejects == NULL ? &outputs->sink[OUTLIERS]
                                                   : &outputs->sink[REJECTS];
    return status;
}

enum exit_status
outputs_empty(struct outputs *outputs)
{
    enum exit_status status = EXIT_DONE;

    for (size_t i = 0; status == EXIT_DONE && i < SINK_COUNT; i++)
        status = sink_empty(&outputs->sink[i]);
    return status;
}

/* ---- one record ---- */

/* What a CSV begins with: the input's header and MORE columns behind it. */
static void
begin_csv(struct outputs *outputs, struct sink *sink, const char *header,
          size_t len, const char *more)
{
    if (outputs->options->params.format != PRAE_FORMAT_CSV || sink->begun ||
        !sink_is_open(sink) || len == 0)
        return;
    int ended = header[len - 1] == '\n';
    if (more == NULL && ended) {
        sink_put(sink, header, len, 0);
        return;
    }
    len -= (size_t)ended;
    int has_cr = len > 0 && header[len - 1] == '\r';
    len -= (size_t)has_cr; /* any before it is the last name's */
    const char *end = ended && has_cr ? "\r\n" : "\n";
    sink_put(sink, header, len, 0);
    if (more != NULL)
        sink_put(sink, more, strlen(more), 0);
    sink_put(sink, end, strlen(end), 0);
}

void
outputs_begin(struct outputs *outputs, const char *header, size_t header_len)
{
    begin_csv(outputs, &outputs->sink[INLIERS], header, header_len, NULL);
}

static enum exit_status
put_envelope(struct outputs *outputs, struct sink *sink, prae_status written)
{
    if (written != PRAE_OK) {
        log_error("out of memory for a flagged record");
        sink->missed++;
        return EXIT_FAILED;
    }
    sink_put(sink, outputs->envelope.data, outputs->envelope.len, 1);
    return sink_failed(sink);
}

static enum exit_status
deliver_score(struct outputs *outputs, const prae_verdict *verdict,
              const struct route *route)
{
    struct sink *sink = &outputs->sink[SCORES];
    prae_format format = outputs->options->params.format;

    if (!sink_is_open(sink))
        return EXIT_DONE;
    sink_turn(sink, route, 0);
    if (format == PRAE_FORMAT_CSV && !sink->begun)
        sink_put(sink, score_columns, strlen(score_columns), 0);
    outputs->envelope.len = 0;
    return put_envelope(
        outputs, sink,
        prae_verdict_write_score(verdict, format, &outputs->envelope));
}

static enum exit_status
deliver_flagged(struct outputs *outputs, struct sink *sink,
                const prae_verdict *verdict, const struct route *route,
                const char *header, size_t header_len)
{
    if (!sink_is_open(sink))
        return EXIT_DONE;
    sink_turn(sink, route, 1);
    begin_csv(outputs, sink, header, header_len, flagged_columns);
    outputs->envelope.len = 0;
    return put_envelope(outputs, sink,
                        prae_verdict_write(verdict,
                                           outputs->options->params.format,
                                           &outputs->envelope));
}

/* Notes how the last line of RECORDS (LEN), which are text, ends. The ends
 * before it are found the same however many records come at once. */
static void
note_end(struct outputs *outputs, const char *records, size_t len)
{
    size_t at = len;

    while (at > 0 && records[at - 1] != '\n')
        at--;
    if (at > 0)
        outputs->crlf = at > 1 && records[at - 2] == '\r';
    outputs->in_line = at < len;
    outputs->has_cr = len > 0 && records[len - 1] == '\r';
}

static void
end_line(struct outputs *outputs, struct sink *sink)
{
    const char *end = outputs->crlf && !outputs->has_cr ? "\r\n" : "\n";

    sink_put(sink, end, strlen(end), 0);
    outputs->in_line = 0;
}

static enum exit_status
deliver_inliers(struct outputs *outputs, const prae_run *run,
                const struct route *route, const char *header,
                size_t header_len)
{
    struct sink *sink = &outputs->sink[INLIERS];

    if (!sink_is_open(sink))
        return EXIT_DONE;
    sink_turn(sink, route, 1);
    begin_csv(outputs, sink, header, header_len, NULL);
    if (outputs->in_line)
        end_line(outputs, sink);
    sink_lend(sink, run->records, run->len, run->count);
    /* In a file a line whose message was its end needs one, and the last line
     * of an input before another's first. */
    if (outputs->options->params.format != PRAE_FORMAT_MSGPACK &&
        sink->kind != SPEC_SOCKET)
        note_end(outputs, run->records, run->len);
    if (outputs->in_line && !route->alone)
        end_line(outputs, sink);
    return sink_failed(sink);
}

enum exit_status
outputs_deliver(struct outputs *outputs, const prae_verdict *verdict,
                const char *header, size_t header_len)
{
    const struct route *route = routes_find(&outputs->routes, verdict->seq);
    const prae_run run = {.seq = verdict->seq,
                          .count = 1,
                          .records = verdict->record,
                          .len = verdict->record_len};
    enum exit_status status = deliver_score(outputs, verdict, route);

    outputs->next_seq = verdict->seq + 1;
    /* The score is not what matters: the record leaves all the same. */
    enum exit_status delivered =
        verdict->kind == PRAE_KIND_INLIER
            ? deliver_inliers(outputs, &run, route, header, header_len)
            : deliver_flagged(outputs,
                              verdict->kind == PRAE_KIND_REJECT
                                  ? outputs->rejects_to
                                  : &outputs->sink[OUTLIERS],
                              verdict, route, header, header_len);
    return status == EXIT_DONE ? delivered : status;
}

/* ---- many records ---- */

size_t
outputs_run_most(struct outputs *outputs)
{
    if (sink_is_open(&outputs->sink[SCORES]) || outputs->routes.count == 0)
        return 0;
    const struct route *route =
        routes_find(&outputs->routes, outputs->next_seq);
    /* To a socket what came in a stream of bytes leaves one by one. */
    if (route->alone && outputs->sink[INLIERS].kind == SPEC_SOCKET)
        return 1;
    return (size_t)(route->end_seq - outputs->next_seq);
}

enum exit_status
outputs_deliver_run(struct outputs *outputs, const prae_run *run,
                    const char *header, size_t header_len)
{
    const struct route *route = routes_find(&outputs->routes, run->seq);

    outputs->next_seq = run->seq + run->count;
    return deliver_inliers(outputs, run, route, header, header_len);
}

/* ---- all of them ---- */

void
outputs_seal(struct outputs *outputs)
{
    for (size_t i = 0; i < SINK_COUNT; i++)
        sink_settle(&outputs->sink[i]);
}

void
outputs_flush(struct outputs *outputs)
{
    for (size_t i = 0; i < SINK_COUNT; i++)
        sink_flush(&outputs->sink[i]);
}

void
outputs_end(struct outputs *outputs)
{
    for (size_t i = 0; i < SINK_COUNT; i++) {
        struct sink *sink = &outputs->sink[i];
        if (sink_is_open(sink) && sink->kind != SPEC_SOCKET)
            outfile_end(&sink->file);
    }
}

void
outputs_resend(struct outputs *outputs)
{
    for (size_t i = 0; i < SINK_COUNT; i++)
        sink_resend(&outputs->sink[i]);
}

int
outputs_are_clogged(const struct outputs *outputs)
{
    int clogged = 0;

    for (size_t i = 0; i < SINK_COUNT; i++)
        clogged |= sink_is_clogged(&outputs->sink[i]);
    return clogged;
}

enum exit_status
outputs_failed(const struct outputs *outputs)
{
    enum exit_status status = EXIT_DONE;

    for (size_t i = 0; status == EXIT_DONE && i < SINK_COUNT; i++)
        status = sink_failed(&outputs->sink[i]);
    return status;
}

uint64_t
outputs_left(const struct outputs *outputs, uint64_t left[3])
{
    uint64_t all = 0;

    for (size_t i = 0; i < SCORES; i++) {
        left[i] = sink_left(&outputs->sink[i]);
        all += left[i];
    }
    return all;
}

uint64_t
outputs_rows_left(const struct outputs *outputs)
{
    return sink_left(&outputs->sink[SCORES]);
}

int
outputs_are_queued(const struct outputs *outputs)
{
    int queued = 0;

    for (size_t i = 0; i < SINK_COUNT; i++)
        queued |= outputs->sink[i].kind == SPEC_SOCKET &&
                  outbox_is_queued(&outputs->sink[i].box);
    return queued;
}

int
outputs_are_empty(const struct outputs *outputs)
{
    int empty = 1;

    for (size_t i = 0; i < SINK_COUNT; i++)
        empty &= sink_is_empty(&outputs->sink[i]);
    return empty;
}

int
outputs_have_sockets(const struct outputs *outputs)
{
    int found = 0;

    for (size_t i = 0; i < SINK_COUNT; i++)
        found |= outputs->sink[i].kind == SPEC_SOCKET;
    return found;
}

enum exit_status
outputs_close(struct outputs *outputs, int *broken)
{
    enum exit_status status = EXIT_DONE;

    for (size_t i = 0; i < SINK_COUNT; i++) {
        enum exit_status one = sink_close(&outputs->sink[i]);
        if (status == EXIT_DONE)
            status = one;
        *broken |= outputs->sink[i].file.broken_pipe;
    }
    routes_fini(&outputs->routes);
    free(outputs->envelope.data);
    return status;
}
