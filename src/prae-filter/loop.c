/*
 * loop.c - the way of the records, from the inputs to the outputs.
 *
 * Each round does what can be done without waiting, then waits for whatever
 * comes first. What cannot go on makes what is before it wait: a clogged
 * output leaves verdicts untaken, untaken verdicts and a window at the
 * worker leave messages in their boxes, full boxes leave them in the socket,
 * and so the sender waits.
 */
#include "loop.h"

#include <math.h>

#include "accept.h"
#include "clock.h"
#include "curation.h"
#include "log.h"
#include "notify.h"
#include "overhear.h"
#include "signals.h"
#include "topics.h"
#include "unread.h"

#define SILENCE_SECONDS 0.5 /* of who may have had more for us, when it ends */
#define SILENCE_SHARE 0.1   /* of --drain */
#define COUNT_SECONDS 0.002 /* of a round, in which records are counted */
#define STEPS_MAX 1024      /* of a round, before others are looked after */
#define RETRY_SECONDS 0.002 /* where nothing tells when to try again */

/* ---- records out ---- */

static void
watch_learned(struct loop *loop)
{
    prae_stats stats;

    stage_stats(&loop->stage, &stats);
    watch_window(&loop->watch, &stats);
}

/* Takes verdicts until there are none or an output is clogged. */
static enum exit_status
deliver(struct loop *loop)
{
    struct outputs *outputs = &loop->outputs;
    enum exit_status status = EXIT_DONE;
    prae_status next = PRAE_OK;
    prae_verdict verdict;
    prae_run run;
    size_t header_len;
    const char *header =
        prae_filter_header(stage_filter(&loop->stage), &header_len);

    if (loop->watch.on)
        watch_names(&loop->watch, stage_filter(&loop->stage));
    /* Also where every record is an outlier, so that it is a CSV file. */
    outputs_begin(outputs, header, header_len);
    while (status == EXIT_DONE && next == PRAE_OK &&
           !outputs_are_clogged(outputs)) {
        /* Who watches wants more of inliers than their bytes. */
        next = stage_next_run(
            &loop->stage, loop->watch.on ? 0 : outputs_run_most(outputs), &run);
        if (next == PRAE_OK) {
            status = outputs_deliver_run(outputs, &run, header, header_len);
            continue;
        }
        if (next == PRAE_END)
            next = stage_next(&loop->stage, &verdict);
        if (next == PRAE_OK) {
            watch_verdict(&loop->watch, &verdict);
            status = outputs_deliver(outputs, &verdict, header, header_len);
        }
    }
    if (status != EXIT_DONE || next == PRAE_OK)
        return status;
    if (next != PRAE_END)
        return EXIT_FAILED; /* told */
    outputs_seal(outputs);  /* before the records' place is used again */
    if (loop->watch.on)
        watch_learned(loop);
    status = stage_given(&loop->stage);
    if (status != EXIT_DONE)
        return status;
    /* Of records that leave one by one nothing is told but what was learned
     * of them, see wait_for_any. */
    if (!stage_hurries(&loop->stage) || !loop->teller.fields_told)
        tell_window(&loop->teller, &loop->stage);
    return outputs_failed(outputs);
}

/* What can be done without waiting, in steps. *MORE: there is still some. */
static enum exit_status
move(struct loop *loop, int *more)
{
    enum exit_status status = EXIT_DONE;
    int step = 1;

    for (size_t i = 0; status == EXIT_DONE && step && i < STEPS_MAX; i++) {
        step = 0;
        if (loop->stage.giving) {
            if (outputs_are_clogged(&loop->outputs))
                outputs_resend(&loop->outputs);
            status = deliver(loop);
            step = !loop->stage.giving;
        } else if (stage_takes(&loop->stage) && !loop_waits_to_renew(loop)) {
            status = loop_feed(loop, &step);
        }
    }
    *more = step;
    /* Where peers are still awaited at the end it has to be found out whether
     * there is anything that they have to come for. */
    if (status == EXIT_DONE && (loop->peers_awaited
                                    ? loop->stopping
                                    : !stage_takes(&loop->stage)))
        status = loop_stock(loop);
    return status;
}

/* ---- time ---- */

/* When the records at hand have waited long enough; infinite where they may
 * wait for ever, or are not ours to judge now. */
static double
judge_at(const struct loop *loop)
{
    double most = loop->options->max_wait;
    prae_stats stats;

    if (most <= 0.0 || !loop->holding || !stage_takes(&loop->stage))
        return (double)INFINITY;
    stage_stats(&loop->stage, &stats);
    return stats.held < loop->options->min_window ? (double)INFINITY
                                                  : loop->held_since + most;
}

/* When --save-every has the next snapshot saved; infinite where nothing is
 * to be: one more of the same would only push an older one out, which
 * somebody may want to go back to. While learning is paused the report alone
 * has something new. */
static double
save_at(const struct loop *loop, const prae_stats *stats)
{
    const struct options *options = loop->options;
    const struct stage *stage = &loop->stage;

    /* The last one is not followed by another, though it fail. */
    if (!loop_saves(loop) || stage_is_saving(stage) ||
        loop->phase >= PHASE_SAVING)
        return (double)INFINITY;
    if (stage_is_saved(stage) &&
        (!stage->paused || stats->windows == loop->saved_windows))
        return (double)INFINITY;
    if (options->save_windows > 0 &&
        stats->windows - loop->saved_windows >= options->save_windows)
        return loop->saved_at;
    return options->save_seconds > 0.0 ? loop->saved_at + options->save_seconds
                                       : (double)INFINITY;
}

static int
save_is_due(const struct loop *loop, double time)
{
    prae_stats stats;

    stage_stats(&loop->stage, &stats);
    return (loop->save_asked && loop_saves(loop)) ||
           time >= save_at(loop, &stats);
}

static int
save_waits(const struct loop *loop)
{
    return loop->stage.save_wanted && stage_can_save(&loop->stage);
}

/* A snapshot that fails is told of and the run goes on: the data matter
 * more, and the next one may succeed. */
static void
save(struct loop *loop, double time)
{
    /* One that had to wait does not wait for another window: that may be
     * long in coming. */
    if (save_waits(loop))
        stage_save(&loop->stage);
    if (!save_is_due(loop, time))
        return;
    if (loop->save_asked || !loop->stage.paused ||
        !stage_is_saved(&loop->stage))
        stage_save(&loop->stage);
    loop->save_asked = 0;
    loop->saved_at = time;
    loop->report_due = 1;
    loop->saved_windows = loop->stage.stats.windows;
}

/* A report that fails is told of, and the run goes on. */
static void
report(struct loop *loop)
{
    if (loop->report_due)
        (void)curation_write(loop, 0, EXIT_DONE);
    loop->report_due = 0;
}

static void
please_watchdog(struct loop *loop, double time)
{
    double every = notify_watchdog_seconds();

    if (every <= 0.0 || time - loop->watchdog_at < every)
        return;
    loop->watchdog_at = time;
    (void)notify_send("WATCHDOG=1"); /* the next one will do */
}

static enum exit_status
mind_time(struct loop *loop)
{
    double time = clock_now();

    if (loop->stopping && time >= loop->stop_by && loop->phase != PHASE_OVER) {
        loop->phase = PHASE_OVER;
        loop->late = 1;
    }
    if (loop->stopping)
        loop_pace_note(loop);
    /* Under load a queue is never empty: half of the time is for taking what
     * is in it, the rest for delivering. What senders have in it is ours by
     * then, also where an output has kept us from taking it. */
    if (loop_sweep_is_due(loop))
        loop_sweep(loop);
    loop->counting = loop->stopping &&
                     (loop->stage.busy ||
                      outputs_are_clogged(&loop->outputs)) &&
                     loop_count(loop, COUNT_SECONDS);
    if (!loop->ready)
        loop->ready = notify_send("READY=1");
    loop_mind_keys(loop);
    save(loop, time);
    report(loop);
    /* What was given up at the end is not taken off before all eyes. */
    if (loop->phase != PHASE_OVER)
        live_mind(loop, time);
    please_watchdog(loop, time);
    tell_progress(&loop->teller, &loop->stage);
    if (time < judge_at(loop))
        return EXIT_DONE;
    loop->holding = 0;
    return stage_release(&loop->stage);
}

/* Seconds until mind_time has something to do, below 0: nothing. */
static double
time_left(const struct loop *loop)
{
    const struct options *options = loop->options;
    double time = clock_now(), next = judge_at(loop);
    double watchdog = notify_watchdog_seconds();
    prae_stats stats;
    int retry = loop->renew || loop->renew_inputs ||
                loop->sweep.step == SWEEP_OPEN ||
                loop->sweep.step == SWEEP_CUT ||
                (loop->phase == PHASE_EMPTYING && !loop->stage.busy);

    /* Whether queues have become empty nothing tells. */
    for (size_t i = 0; i < loop->box_count; i++)
        retry |=
            loop->boxes[i].stopping && !loop->boxes[i].done &&
            (stage_takes(&loop->stage) || loop_has_room(loop, &loop->boxes[i]));

    for (size_t i = 0; i < SINK_COUNT; i++)
        retry |= sink_retries(&loop->outputs.sink[i]);
    if (retry)
        next = fmin(next, time + RETRY_SECONDS);
    if (loop->lost_at > 0.0 && !loop->stopping)
        next = fmin(next, loop->lost_at);
    if (loop->stopping)
        next = fmin(next, time < loop->stop_by - 0.5 * options->drain
                              ? loop->stop_by - 0.5 * options->drain
                              : loop->stop_by);
    /* Nothing tells how a slow reader comes along. */
    if (loop->stopping && loop->sweep.step < SWEEP_CUT)
        next = fmin(next, time + LOOP_LOOKS * options->drain);
    if (watchdog > 0.0)
        next = fmin(next, loop->watchdog_at + watchdog);
    stage_stats(&loop->stage, &stats);
    next = fmin(next, save_at(loop, &stats));
    if (tell_shows_progress(&loop->teller))
        next = fmin(next, time + 0.25);
    next = fmin(next, live_next(loop, time));
    if (save_waits(loop) || loop->sweep.some || loop->counting)
        next = time;
    return isinf(next) ? -1.0 : fmax(next - time, 0.0);
}

/* ---- signals ---- */

static void
reload(struct loop *loop)
{
    (void)log_reopen(); /* told, on standard error */
    if (wire_reload(&loop->wire))
        loop_renew(loop);
    for (size_t i = 0; i < loop->box_count; i++)
        loop->boxes[i].dry = 0; /* somebody may have been let in meanwhile */
    loop->control.look = loop->control.socket.socket != NULL;
}

void
loop_stop(struct loop *loop)
{
    if (loop->stopping)
        return;
    loop->stopping = 1;
    signals_note_stop(); /* for what waits when we are done: see fifo.c */
    loop->stop_by = clock_now() + loop->options->drain;
    loop->empty.is_so = loop->out.is_so = 0;
    loop_pace_begin(loop);
    accept_no_senders(); /* so that all there is was there when it began */
    unread_begin(fmin(SILENCE_SECONDS, SILENCE_SHARE * loop->options->drain));
    (void)notify_send("STOPPING=1"); /* who manages us has sent the signal */
    for (size_t i = 0; i < loop->box_count; i++)
        mailbox_stop(&loop->boxes[i]);
}

static void
heed_signals(struct loop *loop)
{
    struct traffic traffic;
    prae_stats stats;

    signals_heard();
    if (signals_reload())
        reload(loop);
    if (signals_save())
        loop->save_asked = loop->report_due = 1;
    if (signals_count()) {
        loop_account(loop, &stats, &traffic);
        report_line(loop->options, &stats, "held", 1);
    }
    if (signals_stop())
        loop_stop(loop);
}

/* ---- waiting ---- */

/* What was taken from the inputs makes room for others who send. */
static void
settle(struct loop *loop)
{
    uint64_t messages = 0;
    int dry = 1;

    for (size_t i = 0; i < loop->box_count; i++) {
        messages += loop->boxes[i].messages;
        dry &= loop->boxes[i].dry;
    }
    accept_settle(dry ? SIZE_MAX : (size_t)(messages - loop->settled));
    if (dry)
        loop->unqueued = overhear_heard() - messages;
    loop->settled = messages;
}

/* Whether all waits for the inputs. */
static int
is_idle(const struct loop *loop)
{
    int idle = !loop->stage.busy && !loop->stage.giving;

    for (size_t i = 0; i < loop->box_count; i++)
        idle &= loop->boxes[i].count == 0;
    return idle;
}

/* Waits for whatever comes first, unless there is MORE to do at once. */
static enum exit_status
wait_for_any(struct loop *loop, int more)
{
    double left = more ? 0.0 : time_left(loop), began = clock_now();
    int clogged = outputs_are_clogged(&loop->outputs);
    int idle = !more && !clogged && is_idle(loop);

    settle(loop);
    struct heard heard = loop_wait(loop, left);
    double waited = clock_now() - began;
    loop->blocked += clogged ? waited : 0.0;
    loop->idle += idle ? waited : 0.0;
    if (heard.signal)
        heed_signals(loop);
    if (heard.watcher)
        publish_heard(&loop->live.publish);
    if (zap_socket(&loop->wire.zap) != NULL)
        zap_answer(&loop->wire.zap);
    if (heard.asker || loop->control.look)
        control_answer(loop);
    loop->look |= heard.peer;
    if (!heard.worker)
        return EXIT_DONE;
    /* Where to save takes longer than --save-every there is some time for the
     * records all the same. */
    if (loop->stage.job.save_to != NULL)
        loop->saved_at = clock_now();
    enum exit_status status = stage_collect(&loop->stage);
    if (loop->stage.trained >= 0.0)
        watch_training(&loop->watch, loop->stage.trained);
    if (status == EXIT_DONE && !loop->stage.giving)
        tell_window(&loop->teller, &loop->stage);
    return status;
}

/* Whether an output has more subscriptions to look at. */
static int
some_lag(const struct loop *loop)
{
    int lags = 0;

    for (size_t i = 0; i < SINK_COUNT; i++)
        lags |= loop->outputs.sink[i].kind == SPEC_SOCKET &&
                loop->outputs.sink[i].box.lags;
    return lags;
}

/* Who has come and gone. Whether there is more of that, or with it each output
 * has the peers that were asked for, and had not before. */
static int
look_for_peers(struct loop *loop)
{
    int awaited = loop->peers_awaited, all = 1;

    if (!awaited && !loop->look && !some_lag(loop))
        return 0;
    loop->look = 0;
    for (size_t i = 0; i < SINK_COUNT; i++) {
        struct sink *sink = &loop->outputs.sink[i];
        if (sink->kind != SPEC_SOCKET)
            continue;
        outbox_look(&sink->box);
        all &= sink->box.peers >= loop->options->wait_peers;
    }
    for (size_t i = 0; i < loop->box_count; i++)
        mailbox_look(&loop->boxes[i]);
    if (awaited && all)
        log_info("all peers are there");
    loop->peers_awaited = awaited && !all;
    int lags = some_lag(loop);
    if (!lags)
        topics_read();
    return lags || (awaited && all);
}

/* ---- the walk ---- */

/* Whether no input brings anything any more. */
static int
inputs_are_over(const struct loop *loop)
{
    for (size_t i = 0; i < loop->box_count; i++)
        if (!loop->boxes[i].done || loop->boxes[i].count > 0)
            return 0;
    const struct source *source = &loop->sources[loop->source_at];
    return loop->source_at == loop->source_count ||
           (loop->stopping && source->hungry &&
            (source->len == 0 || source->stays));
}

/* On to the next phase, where the one before is done. */
static enum exit_status
advance(struct loop *loop)
{
    enum exit_status status = EXIT_DONE;

    if (loop->stage.giving)
        return EXIT_DONE;
    if (loop->phase == PHASE_READING && inputs_are_over(loop))
        loop->phase = PHASE_JUDGING;
    if (loop->phase == PHASE_JUDGING && stage_takes(&loop->stage)) {
        loop->phase = PHASE_EMPTYING;
        status = stage_judge(&loop->stage);
    }
    if (loop->phase == PHASE_EMPTYING && !loop->stage.busy &&
        !loop->stage.giving) {
        outputs_flush(&loop->outputs);
        if (loop_is_empty(loop)) {
            loop->phase = PHASE_SAVING;
            stage_finish(&loop->stage);
        }
    }
    if (loop->phase == PHASE_SAVING && !loop->stage.busy)
        loop->phase = PHASE_OVER;
    return status == EXIT_DONE ? outputs_failed(&loop->outputs) : status;
}

enum exit_status
loop_run(struct loop *loop)
{
    enum exit_status status = EXIT_DONE;

    loop->ready = notify_send("READY=1"); /* or again, where it is busy */
    while (status == EXIT_DONE && loop->phase != PHASE_OVER) {
        int more = 0;
        status = move(loop, &more);
        if (status == EXIT_DONE)
            status = advance(loop);
        if (status == EXIT_DONE && !more) {
            /* Before we wait ourselves. */
            if (loop->stage.giving)
                outputs_resend(&loop->outputs);
            else
                outputs_flush(&loop->outputs);
            more = loop->stage.giving && !outputs_are_clogged(&loop->outputs);
        }
        /* After the flush, which hears of subscribers, too: once nobody is
         * awaited any more there is no waiting. */
        if (look_for_peers(loop))
            more = 1;
        loop_heed_deaf(loop);
        if (status == EXIT_DONE && loop->phase != PHASE_OVER)
            status = wait_for_any(loop, more);
        if (status == EXIT_DONE)
            status = mind_time(loop);
    }
    if (loop->late) {
        loop_give_up(loop);
        loop_count_last(loop);
    }
    /* What was judged by then leaves as far as it goes; the account names
     * the rest. */
    if (status != EXIT_DONE)
        outputs_flush(&loop->outputs);
    outputs_end(&loop->outputs);
    if (status == EXIT_DONE)
        return loop_conclude(loop);
    loop->failed = 1;
    return status;
}

const char *
loop_not_ready(const struct loop *loop)
{
    prae_stats stats;

    stage_stats(&loop->stage, &stats);
    if (loop->stopping || loop->phase != PHASE_READING)
        return "it is ending";
    if (loop->peers_awaited)
        return "peers are waited for";
    if (stats.judged == 0)
        return "no window has been learned yet";
    return NULL;
}
