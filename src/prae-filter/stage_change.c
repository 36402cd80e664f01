/*
 * stage_change.c - what was asked of the filter while it runs: to pause, to
 * flag by another rule, to go back to a snapshot.
 *
 * It is noted at once and done between two windows, when the filter is ours
 * and empty. Where records are decided at once a front then has to follow,
 * which the worker makes.
 */
#include <stdio.h>

#include "log.h"
#include "snapfile.h"
#include "stage.h"

/* ---- noting ---- */

int
stage_pause(struct stage *stage, int on, char *why, size_t size)
{
    if (stage->options->params.freeze) {
        snprintf(why, size,
                 "nothing is learned anyway: it was started with "
                 "--freeze");
        return 0;
    }
    if (stage->stats.judged == 0) {
        snprintf(why, size,
                 "no window has been learned yet that the next "
                 "ones could be judged by");
        return 0;
    }
    if (stage->paused == on)
        return 1;
    stage->paused = on;
    stage->change_due = 1;
    stage_change(stage);
    return 1;
}

int
stage_set(struct stage *stage, const char *name, const char *value, char *why,
          size_t size)
{
    prae_params rule = stage->rule;

    if (prae_params_set(&rule, name, value, why, size) != PRAE_OK ||
        prae_params_check(&rule, why, size) != PRAE_OK)
        return 0;
    stage->rule = rule;
    stage->change_due = 1;
    stage_change(stage);
    return 1;
}

int
stage_load(struct stage *stage, size_t number, prae_filter **out, char *why,
           size_t size)
{
    prae_filter *filter = NULL;

    if (prae_filter_new(&stage->rule, &filter) != PRAE_OK) {
        snprintf(why, size, "out of memory");
        return 0;
    }
    if (snapfile_load_one(filter, stage->options->model, number, why, size) !=
            EXIT_DONE ||
        stage_help(stage, filter) != PRAE_OK) {
        if (why[0] == '\0')
            snprintf(why, size, "out of memory");
        prae_filter_free(filter);
        return 0;
    }
    *out = filter;
    return 1;
}

void
stage_revert(struct stage *stage, prae_filter *filter)
{
    prae_filter_free(stage->returned); /* one that was to come is not, now */
    stage->returned = filter;
    stage->change_due = 1;
    stage_change(stage);
}

/* ---- doing ---- */

/* What led away from the snapshot is not learned on top of it. */
static void
drop_lesson(struct stage *stage)
{
    stage->unlearned += stage->lesson_count + stage->rest_count;
    stage->lesson_count = stage->rest_count = 0;
    stage->lesson.len = stage->rest.len = 0;
}

static void
take_over(struct stage *stage)
{
    prae_filter *filter = stage->returned;

    if (filter == NULL)
        return;
    stage->returned = NULL;
    prae_status status = prae_filter_follow(filter, stage->filter);
    if (status != PRAE_OK) {
        log_error("cannot go back to the snapshot: %s",
                  prae_status_text(status));
        prae_filter_free(filter);
        return;
    }
    prae_filter_free(stage->filter);
    stage->filter = filter;
    stage->reverts++;
    drop_lesson(stage);
}

static void
set_rule(struct stage *stage)
{
    const char *const names[] = {"fpr", "threshold"};
    int freeze = stage->options->params.freeze || stage->paused;
    prae_status status = PRAE_OK;
    char value[64];

    for (size_t i = 0; status == PRAE_OK && i < 2; i++) {
        status = prae_params_get(&stage->rule, names[i], value, sizeof value);
        if (status == PRAE_OK)
            status = prae_filter_set(stage->filter, names[i], value);
    }
    if (status == PRAE_OK)
        status =
            prae_filter_set(stage->filter, "freeze", freeze ? "yes" : "no");
    if (status == PRAE_OK)
        stage->frozen = freeze;
    if (status != PRAE_OK)
        log_error("cannot change the filter: %s",
                  prae_filter_errmsg(stage->filter));
}

/* Whether no record is in the filter, which is ours. */
static int
is_between(const struct stage *stage)
{
    prae_stats stats;

    if (stage->front != NULL)
        return 1; /* that one has them */
    prae_filter_stats(stage->filter, &stats);
    return !stage->giving && !stage->released && stats.held == 0;
}

void
stage_change(struct stage *stage)
{
    if (!stage->change_due || stage->busy || !is_between(stage))
        return;
    stage->change_due = 0;
    take_over(stage);
    set_rule(stage);
    stage_note(stage);
    /* A lesson brings a front, too, and who asks for one change after the
     * other is not to keep it from being learned. */
    stage_teach(stage);
    if (stage->now && stage->stats.judged > 0 && !stage->busy)
        stage_give(stage, (struct job){.lesson = stage->job.lesson, .fork = 1});
}
