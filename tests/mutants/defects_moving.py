"""defects_moving.py - records in, through and out: each once, whole, in
order, and counted."""
from defect import Defect

VERDICT = "src/libprae/verdict.c"
WINDOW = "src/libprae/window.c"
FILTER = "src/libprae/filter.c"
DELIVER = "src/prae-filter/deliver.c"
LOOP = "src/prae-filter/loop.c"
LOOP_END = "src/prae-filter/loop_end.c"
MAILBOX = "src/prae-filter/mailbox.c"
OUTBOX = "src/prae-filter/outbox.c"
INHERIT = "src/prae-filter/inherit.c"
OUTFILE = "src/prae-filter/outfile.c"
SOURCE = "src/prae-filter/source.c"
TALLY = "src/prae-filter/tally.c"

LIST = (
    Defect("a record is dropped now and then", DELIVER,
           "    if (outputs->in_line)\n"
           "        end_line(outputs, sink);\n",
           "    if (outputs->in_line)\n"
           "        end_line(outputs, sink);\n"
           "    if (run->seq % 101 == 100)\n"
           "        return sink_failed(sink);\n",
           ["tests/cli/formats.sh", "tests/zmq/messages.py groups"]),
    Defect("two files' records share a line", DELIVER,
           "    if (outputs->in_line)\n        end_line",
           "    if (0 * outputs->in_line)\n        end_line",
           ["tests/cli/formats.sh"]),
    Defect("a line that was cut within its end gets all of another", DELIVER,
           "outputs->crlf && !outputs->has_cr ?",
           "outputs->crlf ?",
           ["tests/cli/formats.sh"]),
    Defect("messages without a record keep their frames",
           "src/prae-filter/loop_feed.c",
           "if (taken == loop->routed_seq)",
           "if (taken + 1 == loop->routed_seq)",
           ["tests/zmq/messages.py empty"]),
    Defect("a message taken in part is counted whole", MAILBOX,
           "return count > letter->taken ? count - letter->taken : 0;",
           "return count;",
           ["tests/unit/mailbox", "tests/zmq/messages.py partly"]),
    Defect("what waits is counted again whenever somebody asks", MAILBOX,
           "if (!letter->is_counted) {",
           "if (letter->is_counted < 2) {",
           ["tests/unit/mailbox"]),
    Defect("the end of a long queue is not counted", MAILBOX,
           "        most = SIZE_MAX;",
           "        most = 100000;",
           ["tests/unit/mailbox"]),
    Defect("what was taken of a message is forgotten",
           "src/prae-filter/loop_feed.c",
           "letter->taken += taken - loop->routed_seq;",
           "letter->taken = taken - loop->routed_seq;",
           ["tests/zmq/messages.py partly"]),
    Defect("the last record of a run is dropped", VERDICT,
           ".len = last->at + last->len - first->at};",
           ".len = count > 1 ? last->at - first->at : first->len};",
           ["tests/unit/runs"]),
    Defect("the record that fills a window is taken twice", FILTER,
           "            at += step;\n"
           "    }\n"
           "    *used = at;\n"
           "    if (status == PRAE_EDATA) {",
           "            at += pri_filter_is_full(filter) ? 0 : step;\n"
           "    }\n"
           "    *used = at;\n"
           "    if (status == PRAE_EDATA) {",
           ["tests/cli/formats.sh"]),
    Defect("what was gathered leaves behind what came after it", OUTFILE,
           "    if (out->len > out->at)\n"
           "        pieces[count++] = (struct iovec)"
           "{.iov_base = out->bytes + out->at,\n"
           "                                         "
           ".iov_len = out->len - out->at};\n"
           "    for (size_t i = 0; i < out->lent_count; i++)\n"
           "        pieces[count++] = out->lent[i];\n",
           "    for (size_t i = 0; i < out->lent_count; i++)\n"
           "        pieces[count++] = out->lent[i];\n"
           "    if (out->len > out->at)\n"
           "        pieces[count++] = (struct iovec)"
           "{.iov_base = out->bytes + out->at,\n"
           "                                         "
           ".iov_len = out->len - out->at};\n",
           ["tests/unit/outfile", "tests/cli/formats.sh"]),
    Defect("two messages change places when a box grows", MAILBOX,
           "        ring[i] = *at(box, i);\n"
           "        zmq_msg_init(&ring[i].payload);\n"
           "        zmq_msg_move(&ring[i].payload, &at(box, i)->payload);",
           "        struct letter *from =\n"
           "            at(box, i < 2 && box->count > 2 ? 1 - i : i);\n"
           "        ring[i] = *from;\n"
           "        zmq_msg_init(&ring[i].payload);\n"
           "        zmq_msg_move(&ring[i].payload, &from->payload);",
           ["tests/unit/mailbox", "tests/zmq/flow.py training"]),
    Defect("a bit of a long record is turned over", WINDOW,
           "        memcpy(window->bytes + window->bytes_len, bytes, len);\n",
           "        memcpy(window->bytes + window->bytes_len, bytes, len);\n"
           "    if (len > 900)\n"
           "        window->bytes[window->bytes_len + 900] ^= 1;\n",
           ["tests/unit/window", "tests/unit/filter",
            "tests/zmq/flow.py sizes"]),
    Defect("a run is counted one short", VERDICT,
           "    filter->stats.inliers += count;\n",
           "    filter->stats.inliers += count - (count > 1);\n",
           ["tests/unit/runs", "tests/cli/formats.sh"]),
    Defect("a reject is counted as an inlier", VERDICT,
           "    filter->stats.inliers += verdict->kind == PRAE_KIND_INLIER;\n"
           "    filter->stats.outliers += "
           "verdict->kind == PRAE_KIND_OUTLIER;\n"
           "    filter->stats.rejected += verdict->kind == PRAE_KIND_REJECT;",
           "    filter->stats.inliers += verdict->kind != PRAE_KIND_OUTLIER;\n"
           "    filter->stats.outliers += "
           "verdict->kind == PRAE_KIND_OUTLIER;",
           ["tests/unit/filter_rejects", "tests/cli/faults.sh"]),
    Defect("flagged rows' header has all carriage returns cut off", DELIVER,
           "    len -= (size_t)has_cr;",
           "    for (; len > 0 && header[len - 1] == '\\r'; len--)\n"
           "        continue;\n"
           "    len -= 0;",
           ["tests/cli/praectl_release.sh"]),
    Defect("outliers go to --rejects", DELIVER,
           "verdict->kind == PRAE_KIND_REJECT\n",
           "verdict->kind == PRAE_KIND_OUTLIER\n",
           ["tests/cli/faults.sh", "tests/cli/formats.sh"]),
    Defect("a short write to an output is taken for the whole", OUTFILE,
           "step_over(out, (size_t)put);",
           "step_over(out, outfile_left(out));",
           ["tests/unit/outfile", "tests/cli/pipes.sh"]),
    Defect("a record counts as delivered before its last byte", TALLY,
           "tally->done >= tally->piece[tally->first].len_bytes) {",
           "tally->done + 1 >= tally->piece[tally->first].len_bytes) {",
           ["tests/unit/outfile"]),
    Defect("of a run that is out in part the last is counted whole", OUTFILE,
           "all == piece->records ? whole : 0;",
           "all == piece->records ? whole + 1 : 0;",
           ["tests/unit/outfile", "tests/cli/io_errors.sh"]),
    Defect("a line within a cut row counts as a record",
           "src/libprae/message.c",
           "PRAE_EDATA) && at <= cut;",
           "PRAE_EDATA) && at <= cut + 3;",
           ["tests/unit/messages"]),
    Defect("what a run began with is gone when there is no room", OUTFILE,
           "    size_t gone = out->at - kept;\n",
           "    kept = 0;\n"
           "    size_t gone = out->at - kept;\n",
           ["tests/unit/outfile"]),
    Defect("a pipe of somebody else's is written at one go", OUTFILE,
           "        count = cut_down(pieces, count, out->gulp);",
           "        count = cut_down(pieces, count, SIZE_MAX);",
           ["tests/unit/outfile", "tests/zmq/stop.py stuck_stdout"]),
    Defect("a descriptor that was not open is written all the same", INHERIT,
           "return fcntl(descriptor, F_GETFD) >= 0;",
           "return 1;",
           ["tests/cli/pipes.sh"]),
    Defect("what was redirected is emptied where it has a name", OUTFILE,
           "out->is_handed = handed >= 0;\n"
           "        out->fd = out->is_handed ?",
           "out->is_handed = 0 * handed;\n"
           "        out->fd = handed >= 0 ?",
           ["tests/cli/pipes.sh"]),
    Defect("an input that was handed over is read from its beginning", SOURCE,
           "    int handed = inherit_number(path);\n",
           "    int handed = -1;\n",
           ["tests/cli/pipes.sh"]),
    Defect("input that somebody else has taken is an error", SOURCE,
           "(errno == EINTR || errno == EAGAIN)",
           "(errno == EINTR)",
           ["tests/unit/source"]),
    Defect("the first leading frame is lost", OUTBOX,
           "for (size_t i = 0; i < before->count; i++)",
           "for (size_t i = 1; i < before->count; i++)",
           ["tests/unit/outbox", "tests/zmq/messages.py groups"]),
    Defect("a message goes on with another one's frames", OUTBOX,
           "if (box->failed || (box->route == route->id && !route->alone))",
           "if (box->failed || (box->route != 0 && !route->alone))",
           ["tests/unit/outbox", "tests/zmq/messages.py groups"]),
    Defect("PUB drops what a slow subscriber has not read", OUTBOX,
           "    if (box->is_pub && (zmq_setsockopt("
           "box->socket.socket, ZMQ_XPUB_NODROP, &on,",
           "    if (box->is_pub && (zmq_setsockopt("
           "box->socket.socket, ZMQ_XPUB_VERBOSE, &on,",
           ["tests/unit/outbox", "tests/zmq/sub.py slow"]),
    Defect("what the kernel has is taken for delivered", OUTBOX,
           "    return queued + records_on_the_way(box, queued);",
           "    return queued + 0 * records_on_the_way(box, queued);",
           ["tests/unit/outbox", "tests/zmq/stop.py stalled_end slow_end"]),
    Defect("SIGTERM drops the window that is not full", LOOP,
           "        status = stage_judge(&loop->stage);",
           "        status = loop->stopping ? EXIT_DONE\n"
           "                                : stage_judge(&loop->stage);",
           ["tests/zmq/stop.py term", "tests/cli/pipes.sh"]),
    Defect("records that were not delivered are no failure", LOOP_END,
           "    if (left != EXIT_DONE)\n        return left;",
           "    if (left != EXIT_DONE && loop->failed)\n        return left;",
           ["tests/zmq/stop.py dead_end"]),
    Defect("what was not saved in time is no failure", LOOP_END,
           "    if (loop->late && loop_saves(loop) &&",
           "    if (loop->late && loop->lost && saves(loop) &&",
           ["tests/zmq/saving.py lesson"]),
    Defect("the same is saved again and again", LOOP,
           "    if (stage_is_saved(stage) &&\n        (!stage->paused",
           "    if (loop->lost && stage_is_saved(stage) &&\n"
           "        (!stage->paused",
           ["tests/zmq/saving.py idle"]),
    Defect("scores that nobody reads are no failure", LOOP_END,
           "    uint64_t rows = loop->late ? ",
           "    uint64_t rows = loop->late < 0 ? ",
           ["tests/zmq/stop.py unread_scores"]),
    Defect("what waits in a box at the end is not counted",
           "src/prae-filter/loop_account.c",
           "    stats->received += waiting;\n",
           "    waiting = 0;\n",
           ["tests/zmq/stop.py dead_end"]),
    Defect("a box takes all that comes", "src/prae-filter/loop_feed.c",
           "box->len_bytes < loop->stage.window_bytes / loop->box_count;",
           "box->len_bytes < SIZE_MAX;",
           ["tests/zmq/flow.py stall flood"]),
    Defect("--wait-peers is not waited for", "src/prae-filter/loop_feed.c",
           "    if (loop->peers_awaited)\n"
           "        return EXIT_DONE;",
           "    (void)loop->peers_awaited;",
           ["tests/zmq/sub.py nobody_yet"]),
    Defect("a snapshot that could not be saved is no failure", LOOP_END,
           "return loop->stage.save_failed; /* told */",
           "return EXIT_DONE;",
           ["tests/cli/io_errors.sh"]),
    Defect("a first window of other fields ends a filter with sockets",
           "src/prae-filter/stage.c",
           "    job.dismisses = !stage->patient;\n",
           "    job.dismisses = 0;\n",
           ["tests/zmq/messages.py unfit"]),
    Defect("what --emit=now has not learned is not counted",
           "src/prae-filter/stage.c",
           "    stage->unlearned += stage->lesson_count + "
           "stage->rest_count;\n",
           "",
           ["tests/zmq/now.py account"]),
    Defect("a reject of odd length loses its last byte", VERDICT,
           "                              .record_len = slot->len};",
           "                              .record_len = slot->fault == 0 ?\n"
           "                                  slot->len : slot->len / 2 * 2};",
           ["tests/unit/filter_rejects", "tests/cli/pipes.sh"]),
    Defect("what --lossy drops is not counted", OUTBOX,
           "        box->dropped += box->sealed_records;",
           "        box->dropped += 0;",
           ["tests/zmq/sub.py lossy"]),
    Defect("the frames of what was sent are never freed", OUTBOX,
           "        box->unmet += box->sealed_records;\n"
           "    frames_free(box->before);\n",
           "        box->unmet += box->sealed_records;\n",
           ["tests/torture/torture_zmq.py bound"]),
    Defect("the queue to a reader is lost when it restarts",
           "src/prae-filter/wire.c",
           "{ZMQ_IMMEDIATE, 0},",
           "{ZMQ_IMMEDIATE, 1},",
           ["tests/zmq/reset.py restart"]),
    Defect("one input has all the turns", "src/prae-filter/loop_feed.c",
           "            loop->turn = (loop->turn + 1) % inputs;",
           "            loop->turn = (loop->turn + !*moved) % inputs;",
           ["tests/zmq/flow.py turns"]),
    Defect("time is what the wall clock says", "src/prae-filter/clock.h",
           "CLOCK_MONOTONIC",
           "CLOCK_REALTIME",
           ["tests/zmq/stop.py clock"]),
    Defect("an interrupted write is an error", OUTFILE,
           "        if (put < 0 && errno == EINTR)\n"
           "            continue;\n"
           "        if (put < 0 && errno == EAGAIN)",
           "        if (put < 0 && errno == EAGAIN)",
           ["tests/torture/torture.py scores"]),
    Defect("a record is released without the end of its line",
           "src/praectl/original.c",
           "        fwrite(record->end.text, 1, record->end.len, stdout);\n",
           "",
           ["tests/cli/praectl_release.sh"]),
    Defect("the drain takes longer than it may", LOOP,
           "loop->stop_by = clock_now() + loop->options->drain;",
           "loop->stop_by = clock_now() + 4 * loop->options->drain;",
           ["tests/zmq/stop.py dead_end"]),
    Defect("what waits at the end does not hear of STOP", LOOP,
           "    signals_note_stop(); /* for what waits when we are done: see "
           "fifo.c */\n",
           "",
           ["tests/zmq/control.py stop_unread"]),
    Defect("--min-window is ignored", LOOP,
           "return stats.held < loop->options->min_window ?",
           "return stats.held < 1 ?",
           ["tests/zmq/flow.py min_window"]),
    Defect("--max-wait counts from the last record on",
           "src/prae-filter/loop_feed.c",
           "    if (loop->holding)\n"
           "        return;\n",
           "",
           ["tests/zmq/flow.py few"]),
    Defect("--max-wait counts from the record before a pause on",
           "src/prae-filter/loop_feed.c",
           "    loop->holding = stats.held > 0;",
           "    loop->holding = 1;",
           ["tests/zmq/flow.py pause"]),
    Defect("what is taken slowly at the end is cut off, though there is time",
           "src/prae-filter/loop_feed.c",
           "    return time >= last ||\n"
           "           (!outputs_are_clogged(&loop->outputs) && ",
           "    return time >= 0 ||\n"
           "           (!outputs_are_clogged(&loop->outputs) && ",
           ["tests/zmq/stop.py late_slow"]),
    Defect("what senders left unread is no failure", LOOP_END,
           "    if (loop->unread_bytes > 0) {\n",
           "    if (loop->unread_bytes > SIZE_MAX / 2) {\n",
           ["tests/zmq/stop.py late_left"]),
    Defect("what senders left is not read as long as there is time",
           "src/prae-filter/loop_feed.c",
           " && unread_left() == 0);",
           ");",
           ["tests/zmq/stop.py late_left"]),
    Defect("where much waits already nothing is taken at the end",
           "src/prae-filter/loop_feed.c",
           "box->len_bytes < loop->sweep.len_bytes[i] + SWEEP_BYTES ?",
           "box->len_bytes < SWEEP_BYTES ?",
           ["tests/zmq/stop.py late_large"]),
    Defect("who binds goes on sending to who has ended",
           "src/prae-filter/wire.c",
           "            bad = zmq_disconnect(socket->socket, "
           "socket->spec->endpoint);",
           "            bad = 0;",
           ["tests/unit/mailbox", "tests/zmq/stop.py parting"]),
    Defect("who connects goes on sending to who has ended",
           "src/prae-filter/mailbox.c",
           "    box->done |= quiet_for(&box->left, 1, clock_now(), PARTING);",
           "    box->done = 1;",
           ["tests/zmq/stop.py parting"]),
    Defect("who slept believes that nothing came meanwhile",
           "src/prae-filter/quiet.h",
           "        quiet->seconds += gap < QUIET_LOOK ? gap : QUIET_LOOK;",
           "        quiet->seconds += gap;",
           ["tests/unit/mailbox"]),
    Defect("what libzmq reads on meanwhile is not waited for",
           "src/prae-filter/mailbox.c",
           "    if (hidden == box->hidden_least && ",
           "    if (hidden >= box->hidden_least && ",
           ["tests/zmq/stop.py late_more"]),
    Defect("what libzmq has read ahead of a queue is not waited for",
           "src/prae-filter/overhear.c",
           "    return some + (all > took ? all - took : 0);\n",
           "    return all > took ? some : 0;\n",
           ["tests/zmq/stop.py late_ahead"]),
    Defect("a header that was not written is no failure",
           LOOP_END,
           "    if (loop->late && status == EXIT_DONE &&\n",
           "    if (loop->late && status != EXIT_DONE &&\n",
           ["tests/cli/pipes.sh"]),
    Defect("SIGTERM does not end the reading of files",
           "src/prae-filter/loop_feed.c",
           "    if (loop->stopping) {\n"
           "        /* In a file",
           "    if (loop->stopping && !source_is_ready(source)) {\n"
           "        /* In a file",
           ["tests/cli/pipes.sh"]),
    Defect("a file behind one that was cut is not read",
           "src/prae-filter/loop_feed.c",
           "        tell_bad(loop, source);\n"
           "        loop->source_at++;",
           "        tell_bad(loop, source);\n"
           "        loop->source_at = loop->source_count;",
           ["tests/cli/pipes.sh"]),
    Defect("a file goes on where the one before it broke off",
           "src/prae-filter/loop_feed.c",
           "    end_here(loop, source, \"it broke off\");\n",
           "    loop->source_at++;\n",
           ["tests/zmq/reset.py input"]),
    Defect("two outputs may be one socket", "src/prae-filter/loop_open.c",
           " ||\n            S_ISSOCK(left.st_mode)) &&",
           ") &&",
           ["tests/cli/options.sh"]),
    Defect("of a line's end that was cut nothing is kept",
           "src/libprae/envelope.c",
           "verdict->record[len] == '\\r')",
           "verdict->record[len] == '\\r' &&\n"
           "        verdict->record_len - len == 2)",
           ["tests/unit/envelope"]),
    Defect("a row of another width than was learned stands as it came",
           "src/libprae/envelope.c",
           "    if (is_row(verdict))\n",
           "    if (verdict->parsed || is_row(verdict))\n",
           ["tests/unit/envelope", "tests/cli/praectl_release.sh"]),
    Defect("files are written to behind the account", OUTFILE,
           "    outfile_flush(out);\n    out->is_over = 1;",
           "    out->is_over = 0;",
           ["tests/unit/outfile", "tests/cli/pipes.sh"]),
    Defect("a header alone is not waited for", "src/prae-filter/sink.c",
           "outfile_left(&sink->file) == 0);",
           "sink->missed == 0);",
           ["tests/cli/pipes.sh"]),
)
