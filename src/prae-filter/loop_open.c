/* loop_open.c - everything is opened, and what would lose records is refused,
 * before the first byte is read. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "log.h"
#include "loop.h"
#include "newfile.h"
#include "notify.h"
#include "overhear.h"
#include "signals.h"

/* ---- inputs ---- */

static enum exit_status
check_input(const struct options *options)
{
    for (size_t i = 0; i < options->in.count; i++) {
        if (options->source[i].kind == SPEC_STDIO && isatty(STDIN_FILENO)) {
            log_error("no input: give a FILE or redirect standard input; see "
                      "prae-filter --help");
            return EXIT_USAGE;
        }
    }
    return EXIT_DONE;
}

static enum exit_status
open_inputs(struct loop *loop)
{
    const struct options *options = loop->options;
    enum exit_status status = EXIT_DONE;

    loop->sources = calloc(options->in.count, sizeof *loop->sources);
    loop->boxes = calloc(options->in.count, sizeof *loop->boxes);
    if (loop->sources == NULL || loop->boxes == NULL) {
        log_error("out of memory for %zu inputs", options->in.count);
        return EXIT_FAILED;
    }
    for (size_t i = 0; status == EXIT_DONE && i < options->in.count; i++) {
        const struct spec *spec = &options->source[i];
        if (spec->kind != SPEC_SOCKET)
            status = source_open(&loop->sources[loop->source_count++], spec);
        else
            status = mailbox_open(&loop->boxes[loop->box_count++], &loop->wire,
                                  spec);
    }
    return status;
}

/* ---- outputs ---- */

/* MessagePack on a terminal helps nobody and may upset the terminal. */
static enum exit_status
check_terminals(const struct loop *loop)
{
    for (size_t i = 0; i < SINK_COUNT; i++) {
        const struct sink *sink = &loop->outputs.sink[i];
        if (loop->options->params.format == PRAE_FORMAT_MSGPACK &&
            sink_is_open(sink) && isatty(sink->file.fd)) {
            log_error("not writing MessagePack to a terminal; redirect the "
                      "output or give -o FILE");
            return EXIT_USAGE;
        }
    }
    return EXIT_DONE;
}

/* Whether two descriptors are the same file, pipe or socket. Devices do not
 * count, as any number of outputs may go to /dev/null. */
static int
is_same(int a, int b)
{
    struct stat left, right;

    return a >= 0 && b >= 0 && fstat(a, &left) == 0 && fstat(b, &right) == 0 &&
           (S_ISREG(left.st_mode) || S_ISFIFO(left.st_mode) ||
            S_ISSOCK(left.st_mode)) &&
           left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

/* Writing to FD spoils what is read of SOURCE. A socket has two directions. */
static int
spoils(int fd, const struct source *source)
{
    struct stat stat;

    return is_same(source->fd, fd) &&
           !(fstat(fd, &stat) == 0 && S_ISSOCK(stat.st_mode));
}

static const char *const output_names[SINK_COUNT] = {"--inliers", "--outliers",
                                                     "--rejects", "--scores"};

/* Writing over an input, or two outputs over each other, loses records; of a
 * socket that takes part of one, the other's would go on in its midst. */
static enum exit_status
check_apart(const struct loop *loop)
{
    const struct sink *sink = loop->outputs.sink;

    for (size_t j = 0; j < SINK_COUNT; j++) {
        const char *other = NULL;
        for (size_t i = 0; i < loop->source_count; i++)
            if (spoils(sink[j].file.fd, &loop->sources[i]))
                other = "the input";
        for (size_t i = 0; i < j; i++)
            if (is_same(sink[i].file.fd, sink[j].file.fd))
                other = output_names[i];
        if (other != NULL) {
            log_error("%s and %s are the same file, %s: one would "
                      "overwrite the other",
                      other, output_names[j], sink[j].file.name);
            return EXIT_USAGE;
        }
    }
    return EXIT_DONE;
}

/* ---- the whole ---- */

/*
 * Files first, as what is wrong with them is known at once. Outputs before
 * inputs: from the moment an input is bound somebody may send to it. What
 * fails on the way leaves files as they were.
 */
enum exit_status
loop_open(struct loop *loop, const struct options *options)
{
    enum exit_status status = check_input(options);

    *loop = (struct loop){.options = options};
    for (size_t i = 0; i < SINK_COUNT; i++)
        loop->outputs.sink[i].file.fd = -1;
    if (status == EXIT_DONE &&
        watch_open(&loop->watch, options->watched) != 0) {
        log_error("out of memory for what --report, --http and STATS show");
        status = EXIT_FAILED;
    }
    if (status == EXIT_DONE && options->report != NULL)
        status = newfile_check(options->report);
    if (status == EXIT_DONE)
        status = wire_open(&loop->wire, options);
    if (status == EXIT_DONE)
        status = stage_open(&loop->stage, options, !options->sockets_in);
    if (status == EXIT_DONE)
        status = outputs_open(&loop->outputs, &loop->wire, options);
    if (status == EXIT_DONE)
        status = check_terminals(loop);
    if (status == EXIT_DONE && options->control != NULL)
        status =
            control_open(&loop->control, &loop->wire, &options->control_at);
    if (status == EXIT_DONE)
        status = open_inputs(loop);
    if (status == EXIT_DONE)
        status = check_apart(loop);
    if (status == EXIT_DONE)
        status = live_open(loop);
    if (status == EXIT_DONE)
        status = outputs_empty(&loop->outputs);
    if (status != EXIT_DONE)
        return status;
    tell_start(&loop->teller, options, &loop->stage);
    stage_stats(&loop->stage, &loop->before);
    loop->watch.bursts = loop->before.bursts;
    loop->watch.drifts = loop->before.drifts;
    loop->saved_at = loop->watchdog_at = clock_now();
    watch_pace(&loop->watch, 0, loop->saved_at);
    loop->peers_awaited = options->wait_peers > 0;
    loop->look = 1; /* once, before it can be waited for: see loop_wait.c */
    return EXIT_DONE;
}

enum exit_status
loop_close(struct loop *loop, enum exit_status status)
{
    int broken = 0;

    live_close(loop); /* first: what it shows goes now */
    overhear_end();
    loop->wire.forsaken = outputs_are_queued(&loop->outputs);
    enum exit_status closed = outputs_close(&loop->outputs, &broken);
    if (status == EXIT_DONE)
        status = closed;
    log_progress_end();
    for (size_t i = 0; i < loop->source_count; i++)
        source_close(&loop->sources[i]);
    for (size_t i = 0; i < loop->box_count; i++)
        mailbox_close(&loop->boxes[i]);
    control_close(&loop->control);
    free(loop->sources);
    free(loop->boxes);
    wire_end(&loop->wire, loop->stopping ? loop->stop_by
                                         : clock_now() + loop->options->drain);
    stage_close(&loop->stage);
    watch_close(&loop->watch);
    if (broken)
        signals_die_of_pipe();
    return status;
}
