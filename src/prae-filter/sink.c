/* sink.c - a file or a socket, it makes no difference to who writes. */
#include "sink.h"

#include "options.h"

enum exit_status
sink_open(struct sink *sink, struct wire *wire, const struct spec *spec)
{
    enum exit_status status = EXIT_DONE;

    *sink = (struct sink){.kind = spec->kind, .file.fd = -1};
    if (spec->kind == SPEC_SOCKET)
        status = outbox_open(&sink->box, wire, spec);
    else if (spec->kind != SPEC_NOWHERE)
        status = outfile_open(&sink->file, spec);
    sink->file.params = &wire->options->params;
    return status;
}

enum exit_status
sink_empty(struct sink *sink)
{
    return sink->kind == SPEC_FILE ? outfile_empty(&sink->file) : EXIT_DONE;
}

int
sink_is_open(const struct sink *sink)
{
    return sink->kind != SPEC_NOWHERE;
}

void
sink_turn(struct sink *sink, const struct route *route, int framed)
{
    if (sink->kind == SPEC_SOCKET)
        outbox_turn(&sink->box, route, framed);
}

void
sink_put(struct sink *sink, const char *bytes, size_t len, size_t records)
{
    sink->begun = 1;
    if (sink->kind == SPEC_SOCKET)
        outbox_put(&sink->box, bytes, len, records);
    else if (sink->kind != SPEC_NOWHERE)
        outfile_put(&sink->file, bytes, len, records);
}

void
sink_lend(struct sink *sink, const char *bytes, size_t len, size_t records)
{
    sink->begun = 1;
    if (sink->kind == SPEC_SOCKET)
        outbox_put(&sink->box, bytes, len, records);
    else if (sink->kind != SPEC_NOWHERE)
        outfile_lend(&sink->file, bytes, len, records);
}

void
sink_settle(struct sink *sink)
{
    if (sink->kind == SPEC_SOCKET)
        outbox_flush(&sink->box);
    else if (sink->kind != SPEC_NOWHERE)
        outfile_settle(&sink->file);
}

void
sink_flush(struct sink *sink)
{
    if (sink->kind == SPEC_SOCKET)
        outbox_flush(&sink->box);
    else if (sink->kind != SPEC_NOWHERE)
        outfile_flush(&sink->file);
}

void
sink_resend(struct sink *sink)
{
    if (sink->kind == SPEC_SOCKET)
        outbox_resend(&sink->box);
    else
        sink_flush(sink);
}

enum exit_status
sink_failed(const struct sink *sink)
{
    if (sink->kind == SPEC_SOCKET)
        return sink->box.failed ? EXIT_FAILED : EXIT_DONE;
    return sink->file.failed;
}

int
sink_is_clogged(const struct sink *sink)
{
    if (sink->kind == SPEC_SOCKET)
        return outbox_is_clogged(&sink->box);
    return sink->kind != SPEC_NOWHERE && outfile_is_clogged(&sink->file);
}

uint64_t
sink_left(const struct sink *sink)
{
    return sink->missed + (sink->kind == SPEC_SOCKET ? outbox_left(&sink->box)
                                                     : outfile_records(
                                                           &sink->file));
}

int
sink_is_empty(const struct sink *sink)
{
    /* Without a look at which of several are out: not all are. Of a file also
     * bytes count that are no record's, as a header's. */
    return sink->missed == 0 && (sink->kind == SPEC_SOCKET
                                     ? outbox_left(&sink->box) == 0
                                     : sink->file.tally.records == 0 &&
                                           outfile_left(&sink->file) == 0);
}

int
sink_retries(const struct sink *sink)
{
    /* A socket that publishes always claims to be ready. */
    return sink->kind == SPEC_SOCKET && sink->box.is_pub &&
           outbox_is_clogged(&sink->box);
}

int
sink_wants(const struct sink *sink, zmq_pollitem_t *item)
{
    if (sink_retries(sink))
        return 0;
    if (sink->kind == SPEC_SOCKET && outbox_is_clogged(&sink->box))
        *item = (zmq_pollitem_t){.socket = sink->box.socket.socket,
                                 .events = ZMQ_POLLOUT};
    else if (sink->kind != SPEC_SOCKET && outfile_left(&sink->file) > 0)
        *item = (zmq_pollitem_t){.fd = sink->file.fd, .events = ZMQ_POLLOUT};
    else
        return 0;
    return 1;
}

enum exit_status
sink_close(struct sink *sink)
{
    enum exit_status status = sink_failed(sink);

    if (sink->kind == SPEC_SOCKET)
        outbox_close(&sink->box);
    else if (sink->kind != SPEC_NOWHERE)
        status = outfile_close(&sink->file);
    sink->kind = SPEC_NOWHERE;
    return status;
}
