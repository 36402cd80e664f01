/* stage.c - windows go to the worker and come back. */
#include "stage.h"

#include <stdlib.h>

#include "buffer.h"
#include "log.h"
#include "newfile.h"
#include "snapfile.h"

#define COLD_LEAST 64 /* records: fewer are no first window */

/* ---- handing over ---- */

void
stage_note(struct stage *stage)
{
    prae_filter_stats(stage->filter, &stage->stats);
}

void
stage_give(struct stage *stage, struct job job)
{
    job.filter = stage->filter;
    job.pool = &stage->pool;
    /* What cannot be used does not push out what can. */
    job.keep = stage->spoiled ? 0 : stage->options->keep;
    job.dismisses = !stage->patient;
    job.learns = !stage->frozen && (job.judge || job.lesson.len > 0);
    if (stage->save_wanted)
        job.save_to = stage->options->model;
    stage->save_wanted = 0;
    stage->job = job;
    stage_note(stage);
    stage->busy = 1;
    worker_give(&stage->worker, stage_run, &stage->job);
}

static enum exit_status
fail(const prae_filter *filter, prae_status status)
{
    log_error("%s", prae_filter_errmsg(filter)[0] == '\0'
                        ? prae_status_text(status)
                        : prae_filter_errmsg(filter));
    return status == PRAE_ECONFIG ? EXIT_CONFIG : EXIT_FAILED;
}

/* Once, not with every window: they may go on for ever. */
static void
tell_unfit(struct stage *stage)
{
    if (!stage->job.dismissed || stage->unfit_told)
        return;
    stage->unfit_told = 1;
    log_warning("%s; the window's records are refused, and so are more like "
                "them",
                prae_filter_errmsg(stage->filter));
}

/* The newest front takes over as soon as no record is in the hands of the
 * one before. */
static enum exit_status
change_front(struct stage *stage)
{
    prae_filter *before = stage->front == NULL ? stage->filter : stage->front;

    if (stage->next_front == NULL || stage->giving ||
        (stage->front == NULL && stage->busy))
        return EXIT_DONE;
    prae_status status = prae_filter_follow(stage->next_front, before);
    if (status != PRAE_OK)
        return fail(stage->next_front, status);
    prae_filter_free(stage->front);
    stage->front = stage->next_front;
    stage->next_front = NULL;
    return EXIT_DONE;
}

/* How many more records the lesson takes. */
static size_t
lesson_room(const struct stage *stage)
{
    size_t window = stage->options->params.window;

    return stage->lesson_count < window ? window - stage->lesson_count : 0;
}

/* Whether rows are arrays now, as the header could not be read. */
static int
is_headless(const struct stage *stage)
{
    const prae_params *params = &stage->options->params;
    size_t header_len;

    (void)prae_filter_header(stage->front, &header_len);
    return params->format == PRAE_FORMAT_CSV && !params->no_header &&
           !prae_filter_awaits_header(stage->front) && header_len == 0;
}

void
stage_teach(struct stage *stage)
{
    if (stage->front == NULL || lesson_room(stage) > 0 || stage->busy ||
        stage->paused)
        return;
    /* The lesson goes for the buffer that the last one was in. */
    prae_buffer empty = stage->job.lesson;
    stage_give(stage, (struct job){.lesson = stage->lesson,
                                   .headless = is_headless(stage),
                                   .fork = 1});
    stage->lesson = stage->rest;
    stage->lesson_count = stage->rest_count;
    stage->rest = empty;
    stage->rest_count = 0;
}

static struct progress
progress(const struct stage *stage)
{
    return (struct progress){.judged = stage->stats.judged,
                             .model = stage->stats.model,
                             .reverts = stage->reverts};
}

enum exit_status
stage_collect(struct stage *stage)
{
    struct job *job = &stage->job;

    worker_take(&stage->worker);
    stage->busy = 0;
    stage->trained = job->learns ? job->seconds : -1.0;
    if (job->seconds > stage->longest)
        stage->longest = job->seconds;
    job->lesson.len = 0; /* its memory serves the lesson after the next */
    if (job->judged != PRAE_OK)
        return fail(stage->filter, job->judged);
    tell_unfit(stage);
    stage_note(stage);
    if (job->judge)
        stage->giving = 1;
    if (job->save_to != NULL) {
        stage->save_failed = job->saved;
        if (job->saved == EXIT_DONE) {
            stage->saved = progress(stage);
            stage->spoiled = 0;
            log_info("saved %s", job->save_to);
        }
    }
    if (job->front != NULL) {
        prae_filter_free(stage->next_front);
        stage->next_front = job->front;
        job->front = NULL;
    }
    enum exit_status status = change_front(stage);
    stage_change(stage); /* before the next lesson, which may take long */
    stage_teach(stage);
    return status;
}

/* ---- opening ---- */

static enum exit_status
load_model(struct stage *stage)
{
    const struct options *options = stage->options;
    enum exit_status status = EXIT_DONE;
    enum snapfile found = SNAPFILE_NONE;

    if (options->model != NULL)
        status = snapfile_load(stage->filter, options->model, &found);
    stage->loaded = found != SNAPFILE_NONE;
    stage->spoiled = found == SNAPFILE_OLDER;
    if (status == EXIT_DONE && options->params.freeze && !stage->loaded) {
        log_error(options->model == NULL
                      ? "--freeze needs --model=FILE"
                      : "--freeze needs a snapshot, and %s is not there",
                  options->model);
        return EXIT_CONFIG;
    }
    if (status == EXIT_DONE && options->model != NULL &&
        !options->params.freeze)
        status = newfile_check(options->model);
    return status;
}

prae_status
stage_help(struct stage *stage, prae_filter *filter)
{
    struct pool *pool = &stage->pool;

    return pool->threads == 0
               ? PRAE_OK
               : prae_filter_set_runner(filter, pool->threads, pool_run, pool);
}

/* Threads for what takes long, --threads of them with the one that asks. */
static enum exit_status
open_pool(struct stage *stage)
{
    size_t threads = stage->options->threads;

    if (threads < 2 && !stage->now)
        return EXIT_DONE;
    enum exit_status status = pool_open(&stage->pool, threads, stage->now);
    if (status != EXIT_DONE)
        return status;
    prae_status set = stage_help(stage, stage->filter);
    return set == PRAE_OK ? EXIT_DONE : fail(stage->filter, set);
}

enum exit_status
stage_open(struct stage *stage, const struct options *options, int patient)
{
    *stage =
        (struct stage){.options = options,
                       .rule = options->params,
                       .frozen = options->params.freeze,
                       .patient = patient,
                       .now = options->emit_now && !options->params.freeze};
    if (prae_filter_new(&options->params, &stage->filter) != PRAE_OK) {
        log_error("out of memory");
        return EXIT_FAILED;
    }
    enum exit_status status = load_model(stage);
    if (status == EXIT_DONE && !options->params.freeze)
        status = worker_open(&stage->worker, stage->now);
    if (status == EXIT_DONE)
        status = open_pool(stage);
    if (status == EXIT_DONE && stage->now && stage->loaded) {
        prae_status forked =
            prae_filter_fork(stage->filter, &stage->next_front);
        status = forked == PRAE_OK ? change_front(stage)
                                   : fail(stage->filter, forked);
    }
    stage_note(stage);
    stage->saved = progress(stage); /* loaded, or nothing */
    return status;
}

/* ---- records in ---- */

prae_filter *
stage_filter(const struct stage *stage)
{
    return stage->front != NULL ? stage->front : stage->filter;
}

int
stage_takes(const struct stage *stage)
{
    if (stage->giving)
        return 0;
    if (stage->front != NULL)
        return !stage->patient || lesson_room(stage) > 0 || !stage->busy;
    return !stage->busy && stage->next_front == NULL;
}

static void
count_taken(struct stage *stage, uint64_t *taken)
{
    *taken = prae_filter_received(stage_filter(stage));
}

prae_status
stage_push(struct stage *stage, const char *bytes, size_t len, int at_end,
           size_t *used, uint64_t *taken)
{
    prae_status status =
        prae_filter_push(stage_filter(stage), bytes, len, at_end, used);

    count_taken(stage, taken);
    return status;
}

prae_status
stage_push_message(struct stage *stage, const char *bytes, size_t len,
                   size_t *used, uint64_t *taken)
{
    prae_status status =
        prae_filter_push_message(stage_filter(stage), bytes, len, used);

    count_taken(stage, taken);
    return status;
}

prae_status
stage_refuse(struct stage *stage, prae_refusal why, uint64_t *taken)
{
    prae_status status = prae_filter_refuse(stage_filter(stage), why);

    count_taken(stage, taken);
    return status;
}

/* ---- judging ---- */

int
stage_hurries(const struct stage *stage)
{
    const prae_params *params = &stage->options->params;

    return stage->options->emit_now &&
           (stage->front != NULL || params->freeze ||
            params->cold != PRAE_COLD_HOLD);
}

/* Lets what was pushed go undecided: it is learned from later. */
static enum exit_status
let_go(struct stage *stage)
{
    prae_status status = prae_filter_release(stage->filter);

    if (status != PRAE_OK)
        return fail(stage->filter, status);
    stage->giving = 1;
    stage->released = 1;
    return EXIT_DONE;
}

enum exit_status
stage_hurry(struct stage *stage)
{
    if (stage->front == NULL && !stage->options->params.freeze)
        return let_go(stage);
    return stage_judge(stage);
}

enum exit_status
stage_judge(struct stage *stage)
{
    prae_filter *filter = stage_filter(stage);

    if (stage->filling_bytes > 0)
        stage->window_bytes = stage->filling_bytes;
    stage->filling_bytes = 0;
    stage->released = 0;
    if (!stage->options->params.freeze && stage->front == NULL) {
        stage_give(stage, (struct job){.judge = 1,
                                       .lesson = stage->job.lesson,
                                       .fork = stage->now});
        return EXIT_DONE;
    }
    prae_status status = prae_filter_judge(filter);
    if (status != PRAE_OK)
        return fail(filter, status);
    stage->giving = 1;
    return EXIT_DONE;
}

enum exit_status
stage_release(struct stage *stage)
{
    prae_stats stats;

    prae_filter_stats(stage_filter(stage), &stats);
    if (stats.features > 0 || stats.windows > 0 ||
        stats.received - stats.rejected >= COLD_LEAST)
        return stage_judge(stage);
    return let_go(stage);
}

/* Where there is room for them. */
static void
add(prae_buffer *buffer, const char *bytes, size_t len)
{
    (void)buffer_add(buffer, bytes, len);
}

/*
 * What the front has judged is to be learned: COUNT records, BYTES (LEN). A
 * lesson reads as a message would that has all of it: a CSV with its header,
 * and with the ends of lines that messages left out.
 */
static void
add_to_lesson(struct stage *stage, const char *bytes, size_t len, size_t count)
{
    int is_full = lesson_room(stage) == 0;
    prae_buffer *lesson = is_full ? &stage->rest : &stage->lesson;
    size_t header_len = 0;
    const char *header = "";

    if (stage->front == NULL || stage->paused)
        return;
    if ((is_full && !stage->patient) || stage->lesson_failed) {
        stage->unlearned += count;
        return;
    }
    if (lesson->len == 0)
        header = prae_filter_header(stage->front, &header_len);
    if (!buffer_make_room(lesson, header_len + len + 2)) {
        log_error("out of memory for a window");
        stage->unlearned += count;
        stage->lesson_failed = 1;
        return;
    }
    add(lesson, header, header_len);
    if (header_len > 0 && header[header_len - 1] != '\n')
        add(lesson, "\n", 1);
    add(lesson, bytes, len);
    if (stage->options->params.format != PRAE_FORMAT_MSGPACK && len > 0 &&
        bytes[len - 1] != '\n')
        add(lesson, "\n", 1);
    if (is_full)
        stage->rest_count += count;
    else
        stage->lesson_count += count;
}

prae_status
stage_next(struct stage *stage, prae_verdict *verdict)
{
    if (!stage->giving)
        return PRAE_END;
    prae_status status = prae_filter_next(stage_filter(stage), verdict);
    if (status == PRAE_OK && verdict->kind != PRAE_KIND_REJECT)
        add_to_lesson(stage, verdict->record, verdict->record_len, 1);
    return status;
}

prae_status
stage_next_run(struct stage *stage, size_t most, prae_run *run)
{
    size_t room = lesson_room(stage);

    if (!stage->giving || most == 0)
        return PRAE_END;
    /* What makes a lesson full is the last of it. */
    if (stage->front != NULL && room > 0 && room < most)
        most = room;
    prae_status status = prae_filter_next_run(stage_filter(stage), most, run);
    if (status == PRAE_OK)
        add_to_lesson(stage, run->records, run->len, run->count);
    return status;
}

enum exit_status
stage_given(struct stage *stage)
{
    stage->giving = 0;
    if (!stage->busy)
        stage_note(stage);
    /* What was judged has left first; only now does it end. */
    if (stage->lesson_failed)
        return EXIT_FAILED; /* told */
    enum exit_status status = change_front(stage);
    if (status != EXIT_DONE)
        return status;
    stage_change(stage);
    stage_teach(stage);
    return EXIT_DONE;
}

/* ---- saving ---- */

int
stage_can_save(const struct stage *stage)
{
    return !stage->busy && !stage->giving && stage->stats.judged > 0;
}

void
stage_save(struct stage *stage)
{
    if (!stage_can_save(stage)) {
        stage->save_wanted = 1;
        return;
    }
    stage_give(stage, (struct job){.lesson = stage->job.lesson,
                                   .save_to = stage->options->model});
}

int
stage_is_saving(const struct stage *stage)
{
    return stage->save_wanted || (stage->busy && stage->job.save_to != NULL);
}

int
stage_is_saved(const struct stage *stage)
{
    const struct progress now = progress(stage);

    return now.model == stage->saved.model &&
           now.reverts == stage->saved.reverts &&
           (stage->paused || now.judged == stage->saved.judged);
}

void
stage_finish(struct stage *stage)
{
    const struct options *options = stage->options;

    /* A lesson that is not full is not waited for: somebody wants us to end,
     * and what was learned before it is to be kept. */
    stage->unlearned += stage->lesson_count + stage->rest_count;
    stage->lesson_count = stage->rest_count = 0;
    if (options->model != NULL && !options->params.freeze &&
        stage->stats.judged > 0 && !stage_is_saved(stage))
        stage_save(stage);
}

/* ---- counts, and the end ---- */

void
stage_stats(const struct stage *stage, prae_stats *stats)
{
    prae_stats front;

    *stats = stage->stats;
    if (!stage->busy && stage->front == NULL)
        prae_filter_stats(stage->filter, stats);
    if (stage->front == NULL)
        return;
    prae_filter_stats(stage->front, &front);
    stats->received = front.received;
    stats->inliers = front.inliers;
    stats->outliers = front.outliers;
    stats->rejected = front.rejected;
    stats->held = front.held;
    stats->imputed = front.imputed;
    stats->ignored = front.ignored;
    stats->wide_integers = front.wide_integers;
}

void
stage_close(struct stage *stage)
{
    if (stage->busy)
        return; /* it is not ours to free */
    worker_close(&stage->worker);
    pool_close(&stage->pool);
    prae_filter_free(stage->filter);
    prae_filter_free(stage->front);
    prae_filter_free(stage->next_front);
    prae_filter_free(stage->returned);
    free(stage->lesson.data);
    free(stage->rest.data);
    free(stage->job.lesson.data);
    *stage = (struct stage){0};
}
