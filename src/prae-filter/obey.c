/*
 * obey.c - what each command does.
 *
 * What is wrong is known at once. What concerns the filter, which may be the
 * worker's or have half a window, is kept by the stage until its turn comes;
 * the answer says which of the two it is.
 */
#include "obey.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "facts.h"
#include "log.h"
#include "loop.h"

#define PACE_SECONDS 0.25 /* that a rate is taken over at least */

__attribute__((format(printf, 3, 4))) static void
say(struct answer *answer, int done, const char *format, ...)
{
    va_list args;

    answer->done = done;
    va_start(args, format);
    vsnprintf(answer->text, sizeof answer->text, format, args);
    va_end(args);
}

/* When what was asked takes effect. */
static const char *
since(const struct loop *loop)
{
    if (!loop->stage.change_due)
        return "now";
    return loop->stage.front != NULL ? "in a moment" : "with the next window";
}

/* ---- learning ---- */

static void
pause_learning(struct loop *loop, struct answer *answer, int on)
{
    char why[COMMAND_WHY] = "";

    if (!stage_pause(&loop->stage, on, why, sizeof why)) {
        say(answer, 0, "%s", why);
        return;
    }
    log_notice("control: learning %s", on ? "is paused" : "goes on");
    say(answer, 1, "learning %s, %s", on ? "pauses" : "goes on", since(loop));
}

static int
save_is_pending(const struct loop *loop)
{
    return loop->save_asked || stage_is_saving(&loop->stage);
}

static void
snapshot(struct loop *loop, struct answer *answer)
{
    prae_stats stats;

    stage_stats(&loop->stage, &stats);
    if (loop->options->model == NULL) {
        say(answer, 0,
            "there is no place to save to; start it with "
            "--model=FILE");
    } else if (loop->options->params.freeze) {
        say(answer, 0,
            "nothing is learned that could be saved: it was "
            "started with --freeze");
    } else if (stats.judged == 0) {
        say(answer, 0, "no window has been learned yet");
    } else {
        loop->save_asked = loop->report_due = 1;
        say(answer, 1, "a snapshot goes to %s; the log says if it cannot",
            loop->options->model);
    }
}

/* What is shown of a run is by features' names, which are taken once: before
 * they are known nothing can be said to have the same. */
static int
has_other_features(struct loop *loop, prae_filter *filter)
{
    struct watch *watch = &loop->watch;
    prae_feature feature;
    prae_stats stats;

    if (!watch->on)
        return 0;
    if (!loop->stage.busy)
        watch_names(watch, stage_filter(&loop->stage));
    prae_filter_stats(filter, &stats);
    if (watch->feature_count == 0 || stats.features != watch->feature_count)
        return 1;
    for (size_t d = 0; d < watch->feature_count; d++)
        if (prae_filter_feature(filter, d, &feature) != PRAE_OK ||
            strncmp(feature.name, watch->feature[d].name, WATCH_NAME - 1) != 0)
            return 1;
    return 0;
}

static void
revert(struct loop *loop, struct answer *answer, size_t number)
{
    char why[COMMAND_WHY] = "";
    prae_filter *filter = NULL;

    if (loop->options->model == NULL) {
        say(answer, 0,
            "there is no snapshot to go back to; start it with "
            "--model=FILE");
        return;
    }
    if (save_is_pending(loop)) {
        say(answer, 0,
            "a snapshot is still being saved; ask again in a "
            "moment");
        return;
    }
    if (!stage_load(&loop->stage, number, &filter, why, sizeof why)) {
        say(answer, 0, "%s", why);
        return;
    }
    if (has_other_features(loop, filter)) {
        prae_filter_free(filter);
        say(answer, 0,
            "the snapshot judges by other fields than this run, or those are "
            "not known yet; restart with it instead");
        return;
    }
    stage_revert(&loop->stage, filter);
    log_notice("control: going back to a snapshot");
    if (number == 0)
        say(answer, 1, "goes back to %s, %s", loop->options->model,
            since(loop));
    else
        say(answer, 1, "goes back to %s.%zu, %s", loop->options->model, number,
            since(loop));
}

/* ---- the rest ---- */

static void
set(struct loop *loop, const struct command *command, struct answer *answer)
{
    char why[COMMAND_WHY] = "";

    if (!stage_set(&loop->stage, command->name, command->value, why,
                   sizeof why)) {
        say(answer, 0, "%s", why);
        return;
    }
    log_notice("control: %s is %s", command->name, command->value);
    say(answer, 1, "%s is %s, %s", command->name, command->value, since(loop));
}

static void
stats(struct loop *loop, struct answer *answer)
{
    struct traffic traffic;
    prae_stats counts;
    double time = clock_now();

    loop_account(loop, &counts, &traffic);
    if (time - loop->watch.rate_at >= PACE_SECONDS)
        watch_pace(&loop->watch, counts.received, time);
    answer->done =
        facts_write(loop, FACTS_LIVE, 0, EXIT_DONE, &answer->facts) == 0;
    if (answer->done)
        return;
    free(answer->facts.data);
    answer->facts = (prae_buffer){0};
    say(answer, 0, "out of memory");
}

static void
stop(struct loop *loop, struct answer *answer)
{
    if (!loop->stopping)
        log_notice("control: stopping");
    say(answer, 1,
        loop->stopping ? "it is ending already"
                       : "it ends when what was received is delivered");
    loop_stop(loop);
}

/* What nobody would see the effect of, and the end is not to wait for. */
static int
comes_too_late(const struct loop *loop, enum verb verb)
{
    return (loop->stopping || loop->phase != PHASE_READING) &&
           verb != VERB_HELP && verb != VERB_STATS && verb != VERB_STOP;
}

void
obey(struct loop *loop, const struct command *command, struct answer *answer)
{
    if (comes_too_late(loop, command->verb)) {
        say(answer, 0,
            "it is ending: STATS, STOP and HELP are all that is "
            "still answered");
        return;
    }
    switch (command->verb) {
    case VERB_HELP: say(answer, 1, "%s", command_help()); break;
    case VERB_PAUSE: pause_learning(loop, answer, 1); break;
    case VERB_RESUME: pause_learning(loop, answer, 0); break;
    case VERB_REVERT: revert(loop, answer, command->number); break;
    case VERB_SET: set(loop, command, answer); break;
    case VERB_SNAPSHOT: snapshot(loop, answer); break;
    case VERB_STATS: stats(loop, answer); break;
    case VERB_STOP: stop(loop, answer); break;
    }
}
