/* loop_feed.c - records in: files and sockets take turns. */
#include "clock.h"
#include "log.h"
#include "loop.h"

/* Notes since when the records at hand wait, where there are any: lines may be
 * blank, and all of a message may be in the window before. */
static void
note_held(struct loop *loop)
{
    prae_stats stats;

    if (loop->holding)
        return;
    stage_stats(&loop->stage, &stats);
    loop->held_since = clock_now();
    loop->holding = stats.held > 0;
}

/* What pushing came to: the window may be full, or is judged at once. */
static enum exit_status
after_push(struct loop *loop, prae_status pushed)
{
    if (pushed < 0) {
        log_error("%s", prae_filter_errmsg(stage_filter(&loop->stage)));
        return EXIT_FAILED;
    }
    if (pushed != PRAE_FULL && !stage_hurries(&loop->stage)) {
        note_held(loop);
        return EXIT_DONE;
    }
    loop->holding = 0;
    return pushed == PRAE_FULL ? stage_judge(&loop->stage)
                               : stage_hurry(&loop->stage);
}

/*
 * Of what SOURCE was read to, which is no whole record, the bytes at the end
 * that say nothing for sure where no more come. A JSON value shows by itself
 * whether it is whole. A row that was cut within a number would pass for
 * another one; lines before it, which a quote may hold, are there to their
 * ends.
 */
static size_t
count_torn(const struct loop *loop, const struct source *source)
{
    prae_format format = loop->options->params.format;
    size_t torn = 0;

    if (format == PRAE_FORMAT_MSGPACK)
        return source->len;
    if (format == PRAE_FORMAT_CSV)
        while (torn < source->len &&
               source->bytes[source->len - torn - 1] != '\n')
            torn++;
    return torn;
}

/* SOURCE ends here, as WHY says, and not by itself. What was read of it is
 * taken as at the end of a file, so that the filter knows of it, too: another
 * file does not go on where this one was cut off. */
static void
end_here(const struct loop *loop, struct source *source, const char *why)
{
    size_t torn = count_torn(loop, source);

    source->len -= torn;
    source->at_end = source->is_cut = 1;
    source->hungry = 0;
    if (torn > 0)
        log_warning("%s: %s within a record: %zu bytes from byte %llu on are "
                    "given up",
                    source->name, why, torn,
                    (unsigned long long)source->at + source->len);
}

/* Reads on where what is there is no whole record. EXIT_DONE, or what is
 * wrong, after saying so. */
static enum exit_status
read_on(struct loop *loop, struct source *source)
{
    if (loop->stopping) {
        /* In a file it is still there, but a pipe does not give it again. */
        if (source->len > 0 && !source->stays)
            end_here(loop, source, "asked to stop");
        return EXIT_DONE;
    }
    if (!source_is_ready(source))
        return EXIT_DONE;
    enum exit_status status =
        source_read(source, loop->options->params.record_max);
    if (status != EXIT_IO)
        return status;
    /* What was received before that is judged. */
    loop->lost = status;
    end_here(loop, source, "it broke off");
    return EXIT_DONE;
}

/* What SOURCE has is no record, and the next cannot be found. Of one that was
 * cut off amid a batch that was told. */
static void
tell_bad(struct loop *loop, const struct source *source)
{
    if (source->is_cut)
        return;
    log_error("%s: cannot be read on from byte %llu: %s%s", source->name,
              (unsigned long long)source->at,
              source->at_end ? "it ends within a record: " : "",
              prae_filter_errmsg(stage_filter(&loop->stage)));
    loop->lost = EXIT_DATA;
}

/* The next bytes of the files, if there are any: *MOVED. */
static enum exit_status
feed_file(struct loop *loop, int *moved)
{
    struct source *source = &loop->sources[loop->source_at];
    enum exit_status status = EXIT_DONE;
    uint64_t taken;
    size_t used = 0;

    if (loop->source_at == loop->source_count)
        return EXIT_DONE;
    if (source->hungry) {
        status = read_on(loop, source);
        if (status != EXIT_DONE || source->hungry)
            return status;
    }
    *moved = 1;
    prae_status pushed = stage_push(&loop->stage, source->bytes, source->len,
                                    source->at_end, &used, &taken);
    source_take(source, used);
    status = routes_add(&loop->outputs.routes, taken, 1, NULL);
    loop->routed_seq = taken;
    if (status != EXIT_DONE)
        return status;
    if (pushed == PRAE_EDATA) {
        tell_bad(loop, source);
        loop->source_at++;
        return after_push(loop, PRAE_OK);
    }
    if (pushed == PRAE_OK) {
        source->hungry = 1;
        loop->source_at += (size_t)source->at_end;
    }
    return after_push(loop, pushed);
}

/* Records up to TAKEN are LETTER's. One that has brought none yet needs no
 * route: it may be the last for long, and nothing would forget it. */
static enum exit_status
route_letter(struct loop *loop, struct letter *letter, uint64_t taken)
{
    struct frames *frames = letter->frames;
    int within = letter->taken > 0;

    if (taken == loop->routed_seq)
        return EXIT_DONE;
    letter->taken += taken - loop->routed_seq;
    loop->unpacked += taken - loop->routed_seq;
    loop->routed_seq = taken;
    if (within) {
        routes_extend(&loop->outputs.routes, taken);
        return EXIT_DONE;
    }
    letter->frames = NULL;
    return routes_add(&loop->outputs.routes, taken, 0, frames);
}

/* The next message of BOX, or what is left of it, if there is one: *MOVED. */
static enum exit_status
feed_message(struct loop *loop, struct mailbox *box, int *moved)
{
    prae_status pushed;
    uint64_t taken;
    size_t used;

    if (box->count == 0 && mailbox_receive(box) == PRAE_ENOMEM) {
        log_error("out of memory for a message");
        return EXIT_FAILED;
    }
    struct letter *letter = mailbox_first(box);
    if (letter == NULL)
        return EXIT_DONE;
    *moved = 1;
    if (letter->refused) {
        pushed = stage_refuse(&loop->stage, letter->why, &taken);
    } else {
        const char *bytes = zmq_msg_data(&letter->payload);
        pushed = stage_push_message(&loop->stage, bytes + box->at,
                                    zmq_msg_size(&letter->payload) - box->at,
                                    &used, &taken);
        box->at += used;
    }
    enum exit_status status = route_letter(loop, letter, taken);
    if (pushed == PRAE_OK && letter->taken > 0)
        loop->stage.filling_bytes += letter->cost;
    if (status == EXIT_DONE)
        status = after_push(loop, pushed);
    if (pushed == PRAE_OK)
        mailbox_drop(box);
    return status;
}

enum exit_status
loop_feed(struct loop *loop, int *moved)
{
    size_t inputs = loop->box_count + 1;
    enum exit_status status = EXIT_DONE;

    if (loop->peers_awaited)
        return EXIT_DONE;
    for (size_t i = 0; status == EXIT_DONE && !*moved && i < inputs; i++) {
        struct mailbox *box = &loop->boxes[loop->turn];
        if (loop->turn == loop->box_count)
            status = feed_file(loop, moved);
        else
            status = feed_message(loop, box, moved);
        if (loop->turn == loop->box_count || !mailbox_is_within(box))
            loop->turn = (loop->turn + 1) % inputs;
    }
    return status;
}

int
loop_has_room(const struct loop *loop, const struct mailbox *box)
{
    return box->count == 0 ||
           box->len_bytes < loop->stage.window_bytes / loop->box_count;
}

enum exit_status
loop_stock(struct loop *loop)
{
    for (size_t i = 0; i < loop->box_count; i++) {
        struct mailbox *box = &loop->boxes[i];
        prae_status got = PRAE_OK;
        while (got == PRAE_OK && loop_has_room(loop, box))
            got = mailbox_receive(box);
        if (got == PRAE_ENOMEM) {
            log_error("out of memory for a message");
            return EXIT_FAILED;
        }
    }
    return EXIT_DONE;
}
