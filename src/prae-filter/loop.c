/* loop.c - the way of the bytes, from the source to the sinks. */
#include "loop.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <stdio.h>
#include <stdlib.h>

#include "log.h"
#include "signals.h"
#include "snapfile.h"

#define PROGRESS_SECONDS 0.25

static double
now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* ---- opening ---- */

static enum exit_status
check_input(const struct options *options)
{
    if (strcmp(options->in, "-") == 0 && isatty(STDIN_FILENO)) {
        log_error("no input: give a FILE or redirect standard input; see "
                  "prae-filter --help");
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

/* MessagePack on a terminal helps nobody and may upset the terminal. */
static enum exit_status
check_terminals(const struct loop *loop)
{
    const struct sink *const sinks[] = {&loop->inliers, &loop->outliers,
                                        &loop->rejects, &loop->scores};

    for (size_t i = 0; i < sizeof sinks / sizeof *sinks; i++) {
        if (loop->options->params.format == PRAE_FORMAT_MSGPACK &&
            sink_is_open(sinks[i]) && isatty(sinks[i]->fd)) {
            log_error("not writing MessagePack to a terminal; redirect the "
                      "output or give -o FILE");
            return EXIT_USAGE;
        }
    }
    return EXIT_DONE;
}

/* Goes on from the snapshot where there is one. */
static enum exit_status
load_model(struct loop *loop)
{
    const struct options *options = loop->options;
    enum exit_status status = EXIT_DONE;
    int loaded = 0;

    if (options->model != NULL)
        status = snapfile_load(loop->filter, options->model, &loaded);
    if (status == EXIT_DONE && options->params.freeze && !loaded) {
        log_error(options->model == NULL
                      ? "--freeze needs --model=FILE"
                      : "--freeze needs a snapshot, and %s is not there",
                  options->model);
        return EXIT_CONFIG;
    }
    if (status == EXIT_DONE && loaded) {
        prae_stats stats;
        prae_filter_stats(loop->filter, &stats);
        loop->state = stats.state; /* which has been told already */
    }
    loop->saved_at = now();
    if (status == EXIT_DONE && options->model != NULL &&
        !options->params.freeze)
        status = snapfile_check(options->model);
    return status;
}

/* Whether two descriptors are the same file or pipe. Devices do not count,
 * as any number of outputs may go to /dev/null; nor do sockets, which have
 * two directions. */
static int
is_same(int a, int b)
{
    struct stat left, right;

    return a >= 0 && b >= 0 && fstat(a, &left) == 0 && fstat(b, &right) == 0 &&
           (S_ISREG(left.st_mode) || S_ISFIFO(left.st_mode)) &&
           left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

/* Writing over the input, or two outputs over each other, loses records. */
static enum exit_status
check_apart(const struct loop *loop)
{
    const struct {
        const char *option;
        int fd;
        const char *name;
    } all[] = {{"the input", loop->source.fd, loop->source.name},
               {"--inliers", loop->inliers.fd, loop->inliers.name},
               {"--outliers", loop->outliers.fd, loop->outliers.name},
               {"--rejects", loop->rejects.fd, loop->rejects.name},
               {"--scores", loop->scores.fd, loop->scores.name}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        for (size_t j = i + 1; j < sizeof all / sizeof *all; j++) {
            if (is_same(all[i].fd, all[j].fd)) {
                log_error("%s and %s are the same file, %s: one would "
                          "overwrite the other",
                          all[i].option, all[j].option, all[j].name);
                return EXIT_USAGE;
            }
        }
    }
    return EXIT_DONE;
}

enum exit_status
loop_open(struct loop *loop, const struct options *options)
{
    enum exit_status status = check_input(options);

    *loop = (struct loop){.options = options, .started_at = now()};
    loop->source.fd = -1;
    if (status == EXIT_DONE)
        status =
            source_open(&loop->source, options->in, options->params.record_max);
    if (status == EXIT_DONE)
        status = sink_open(&loop->inliers, options->inliers);
    if (status == EXIT_DONE)
        status = sink_open(&loop->outliers, options->outliers);
    if (status == EXIT_DONE)
        status = sink_open(&loop->rejects, options->rejects);
    if (status == EXIT_DONE)
        status = sink_open(&loop->scores, options->scores);
    if (status == EXIT_DONE)
        status = check_terminals(loop);
    if (status == EXIT_DONE)
        status = check_apart(loop);
    loop->rejects_to =
        options->rejects == NULL ? &loop->outliers : &loop->rejects;
    char why[256] = "out of memory";
    if (status == EXIT_DONE &&
        prae_filter_new(&options->params, &loop->filter) != PRAE_OK) {
        (void)!prae_params_check(&options->params, why, sizeof why);
        log_error("%s", why);
        status = EXIT_FAILED;
    }
    if (status == EXIT_DONE)
        status = load_model(loop);
    /* Only now: what fails before leaves the old files alone. */
    struct sink *sinks[] = {&loop->inliers, &loop->outliers, &loop->rejects,
                            &loop->scores};
    for (size_t i = 0; status == EXIT_DONE && i < 4; i++)
        status = sink_empty(sinks[i]);
    return status;
}

/* ---- telling ---- */

/* Adds ", TEXT" to LIST, which then may end in an ellipsis. */
static void
add_to_list(char *list, size_t size, const char *text)
{
    size_t len = strlen(list);

    if (len + strlen(text) + 8 < size)
        snprintf(list + len, size - len, "%s%s", len == 0 ? "" : ", ", text);
    else if (len + 6 < size && strcmp(list + len - 3, "...") != 0)
        snprintf(list + len, size - len, ", ...");
}

/* Which fields the first window made features of, and why not the rest. */
static void
tell_fields(struct loop *loop)
{
    char taken[512] = "", left[512] = "", text[600];
    const char *name, *reason;
    prae_stats stats;

    prae_filter_stats(loop->filter, &stats);
    if (loop->fields_told || stats.features == 0)
        return;
    loop->fields_told = 1;
    for (size_t i = 0;
         (name = prae_filter_field(loop->filter, i, &reason)) != NULL; i++) {
        if (reason == NULL) {
            add_to_list(taken, sizeof taken, name);
        } else {
            snprintf(text, sizeof text, "%.500s (%s)", name, reason);
            add_to_list(left, sizeof left, text);
        }
    }
    log_notice("judging by %zu feature%s: %s", stats.features,
               stats.features == 1 ? "" : "s", taken);
    if (left[0] != '\0')
        log_notice("left out: %s", left);
    log_notice("neighbours' likeness is %.2f: changes and spreads %s",
               stats.likeness, stats.context ? "count, too" : "do not count");
    log_notice("their scores' is %.2f: scores are %s", stats.score_likeness,
               stats.smooth ? "smoothed" : "taken one by one");
}

static void
tell_state(struct loop *loop)
{
    prae_stats stats;

    prae_filter_stats(loop->filter, &stats);
    if (stats.state == loop->state)
        return;
    if (stats.state == PRAE_STATE_BURST)
        log_notice("burst: most of window %llu does not fit the past; it is "
                   "not learned from",
                   (unsigned long long)stats.judged - 1);
    else if (stats.state == PRAE_STATE_DRIFT)
        log_notice("drift: up to window %llu, %zu in a row do not fit; "
                   "learning the new behaviour",
                   (unsigned long long)stats.judged - 1,
                   loop->options->params.drift_after);
    loop->state = stats.state;
}

static void
tell_progress(struct loop *loop)
{
    double time = now();
    prae_stats stats;

    if (loop->options->quiet || loop->options->progress == 0 ||
        (loop->options->progress < 0 && !isatty(STDERR_FILENO)) ||
        time - loop->progress_at < PROGRESS_SECONDS)
        return;
    loop->progress_at = time;
    prae_filter_stats(loop->filter, &stats);
    uint64_t decided = stats.received - stats.held;
    log_progress(
        "%llu records, %.0f/s, %.2f %% flagged, %s",
        (unsigned long long)decided,
        (double)decided / (time - loop->started_at + 1e-9),
        decided == 0 ? 0.0 : 100.0 * (double)stats.outliers / (double)decided,
        prae_state_text(stats.state));
}

/* ---- snapshots ---- */

/* Saves where it is time to, and AT_EXIT. A failure is told and the run goes
 * on: the data matter more, and the next one may succeed. */
static enum exit_status
save_model(struct loop *loop, int at_exit)
{
    const struct options *options = loop->options;
    double time = now();
    prae_stats stats;

    if (options->model == NULL || options->params.freeze)
        return EXIT_DONE;
    prae_filter_stats(loop->filter, &stats);
    int due = at_exit || signals_save() ||
              (options->save_seconds > 0.0 &&
               time - loop->saved_at >= options->save_seconds) ||
              (options->save_windows > 0 &&
               stats.windows - loop->saved_windows >= options->save_windows);
    if (!due)
        return EXIT_DONE;
    loop->saved_at = time;
    loop->saved_windows = stats.windows;
    enum exit_status status =
        snapfile_save(loop->filter, options->model, options->keep);
    if (status == EXIT_DONE)
        log_info("saved %s", options->model);
    return status;
}

/* ---- delivering ---- */

/* What a CSV file begins with: the input's header and ours behind it. */
static void
begin_csv(struct loop *loop, struct sink *sink, const char *more)
{
    size_t len;
    const char *header = prae_filter_header(loop->filter, &len);

    if (loop->options->params.format != PRAE_FORMAT_CSV || sink->begun ||
        len == 0)
        return;
    if (more == NULL) {
        sink_put(sink, header, len);
        return;
    }
    while (len > 0 && (header[len - 1] == '\n' || header[len - 1] == '\r'))
        len--;
    sink_put(sink, header, len);
    sink_put(sink, more, strlen(more));
}

static enum exit_status
deliver_flagged(struct loop *loop, const prae_verdict *verdict)
{
    struct sink *sink =
        verdict->kind == PRAE_KIND_REJECT ? loop->rejects_to : &loop->outliers;

    if (!sink_is_open(sink))
        return EXIT_DONE;
    begin_csv(loop, sink, ",seq,score,p,gate,error,window,state,why\n");
    loop->envelope.len = 0;
    if (prae_verdict_write(verdict, loop->options->params.format,
                           &loop->envelope) != PRAE_OK) {
        log_error("out of memory for a flagged record");
        return EXIT_FAILED;
    }
    sink_put(sink, loop->envelope.data, loop->envelope.len);
    return sink->failed;
}

static enum exit_status
deliver_score(struct loop *loop, const prae_verdict *verdict)
{
    struct sink *sink = &loop->scores;
    static const char header[] =
        "seq,verdict,score,p,gate,error,window,state\n";

    if (!sink_is_open(sink))
        return EXIT_DONE;
    if (loop->options->params.format == PRAE_FORMAT_CSV && !sink->begun)
        sink_put(sink, header, strlen(header));
    loop->envelope.len = 0;
    if (prae_verdict_write_score(verdict, loop->options->params.format,
                                 &loop->envelope) != PRAE_OK) {
        log_error("out of memory for a score");
        return EXIT_FAILED;
    }
    sink_put(sink, loop->envelope.data, loop->envelope.len);
    return sink->failed;
}

static enum exit_status
deliver(struct loop *loop, const prae_verdict *verdict)
{
    enum exit_status status = deliver_score(loop, verdict);

    if (status != EXIT_DONE)
        return status;
    if (verdict->kind != PRAE_KIND_INLIER)
        return deliver_flagged(loop, verdict);
    sink_put(&loop->inliers, verdict->record, verdict->record_len);
    return loop->inliers.failed;
}

/* Hands over what the sinks have gathered: somebody may be waiting. */
static void
flush(struct loop *loop)
{
    struct sink *sinks[] = {&loop->inliers, &loop->outliers, &loop->rejects,
                            &loop->scores};

    for (size_t i = 0; i < sizeof sinks / sizeof *sinks; i++)
        if (sink_is_open(sinks[i]))
            sink_flush(sinks[i]);
}

/* A first window of nothing but rejects is likely another format. */
static void
tell_refused(struct loop *loop, uint64_t refused_before)
{
    static const char *const formats[] = {"msgpack", "jsonl", "csv"};
    prae_stats stats;

    prae_filter_stats(loop->filter, &stats);
    if (stats.windows > 0 || stats.rejected == refused_before ||
        loop->refusal_told)
        return;
    loop->refusal_told = 1;
    log_warning("all of the first %llu records were refused: is the input "
                "really %s? See --format",
                (unsigned long long)(stats.rejected - refused_before),
                formats[loop->options->params.format]);
}

static void
tell_window(struct loop *loop, const prae_stats *before)
{
    prae_stats stats;

    prae_filter_stats(loop->filter, &stats);
    if (stats.windows > before->windows)
        log_info("window %llu: %llu inliers, %llu outliers, %llu rejected, %s",
                 (unsigned long long)stats.judged - 1,
                 (unsigned long long)(stats.inliers - before->inliers),
                 (unsigned long long)(stats.outliers - before->outliers),
                 (unsigned long long)(stats.rejected - before->rejected),
                 prae_state_text(stats.state));
}

/* Judges what was taken, and sends it all on its way. */
static enum exit_status
judge(struct loop *loop)
{
    enum exit_status status = EXIT_DONE;
    prae_verdict verdict;
    prae_stats before;

    prae_filter_stats(loop->filter, &before);
    prae_status judged = prae_filter_judge(loop->filter);

    if (judged != PRAE_OK) {
        log_error("%s", prae_filter_errmsg(loop->filter));
        return judged == PRAE_ECONFIG ? EXIT_CONFIG : EXIT_FAILED;
    }
    tell_fields(loop);
    tell_state(loop);
    /* Also where every record is an outlier, so that it is a CSV file. */
    begin_csv(loop, &loop->inliers, NULL);
    while (status == EXIT_DONE &&
           prae_filter_next(loop->filter, &verdict) == PRAE_OK)
        status = deliver(loop, &verdict);
    tell_window(loop, &before);
    tell_refused(loop, before.rejected);
    tell_progress(loop);
    if (status == EXIT_DONE)
        (void)save_model(loop, 0); /* told; the data go on */
    return status;
}

/* ---- running ---- */

/* Pushes what the source holds; *LOST where the input cannot be read on. */
static enum exit_status
push(struct loop *loop, int *lost)
{
    struct source *source = &loop->source;
    enum exit_status status = EXIT_DONE;
    prae_status pushed;

    do {
        size_t used = 0;
        pushed = prae_filter_push(loop->filter, source->bytes, source->len,
                                  source->at_end, &used);
        source_take(source, used);
        if (pushed == PRAE_FULL)
            status = judge(loop);
    } while (status == EXIT_DONE && pushed == PRAE_FULL);
    if (pushed == PRAE_EDATA) {
        *lost = 1;
    } else if (pushed < 0) {
        log_error("%s", prae_filter_errmsg(loop->filter));
        status = EXIT_FAILED;
    }
    return status;
}

/* Waits for input as long as --max-wait lets held records wait, then judges
 * them. *READY says whether there is something to read. */
static enum exit_status
wait_for_input(struct loop *loop, int *ready)
{
    double most = loop->options->max_wait, left = -1.0;
    prae_stats stats;

    prae_filter_stats(loop->filter, &stats);
    if (stats.held == 0)
        loop->waiting_since = now();
    int waits = most > 0.0 && stats.held >= loop->options->min_window;
    if (waits)
        left = loop->waiting_since + most - now();
    *ready = source_wait(&loop->source, 0.0);
    if (*ready)
        return EXIT_DONE;
    flush(loop); /* before we wait ourselves */
    *ready = source_wait(&loop->source, waits && left < 0.0 ? 0.0 : left);
    if (*ready || !waits || now() < loop->waiting_since + most)
        return EXIT_DONE;
    return judge(loop);
}

enum exit_status
loop_run(struct loop *loop)
{
    struct source *source = &loop->source;
    enum exit_status status = EXIT_DONE;
    char lost_why[256] = "";
    int lost = 0;

    while (status == EXIT_DONE && !source->at_end && !lost && !signals_stop()) {
        int ready;
        status = wait_for_input(loop, &ready);
        if (status != EXIT_DONE || !ready)
            continue;
        status = source_read(source);
        if (status == EXIT_DONE)
            status = push(loop, &lost);
    }
    if (lost)
        snprintf(lost_why, sizeof lost_why, "%s",
                 prae_filter_errmsg(loop->filter));
    if (status == EXIT_DONE)
        status = judge(loop);
    if (status == EXIT_DONE)
        status = save_model(loop, 1);
    prae_stats stats;
    prae_filter_stats(loop->filter, &stats);
    if (status == EXIT_DONE && !lost && stats.received > 0 &&
        stats.rejected == stats.received) {
        log_error("%s: none of its %llu records could be judged", source->name,
                  (unsigned long long)stats.received);
        status = EXIT_DATA;
    }
    if (status == EXIT_DONE && lost) {
        log_error("%s: cannot be read on from byte %llu: %s%s", source->name,
                  (unsigned long long)source->at,
                  source->at_end ? "it ends within a record: " : "", lost_why);
        status = EXIT_DATA;
    }
    return status;
}

/* ---- closing ---- */

static void
keep_worst(enum exit_status *status, enum exit_status other)
{
    if (*status == EXIT_DONE)
        *status = other;
}

enum exit_status
loop_close(struct loop *loop, enum exit_status status)
{
    struct sink *sinks[] = {&loop->inliers, &loop->outliers, &loop->rejects,
                            &loop->scores};
    int broken = 0;

    for (size_t i = 0; i < sizeof sinks / sizeof *sinks; i++) {
        keep_worst(&status, sink_close(sinks[i]));
        broken |= sinks[i]->broken_pipe;
    }
    log_progress_end();
    source_close(&loop->source);
    prae_filter_free(loop->filter);
    loop->filter = NULL;
    free(loop->envelope.data);
    if (broken)
        signals_die_of_pipe();
    return status;
}
