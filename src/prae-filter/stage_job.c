/* stage_job.c - what is done with a window, on the worker. */
#include <string.h>

#include "clock.h"
#include "snapfile.h"
#include "stage.h"

/* Nobody waits for these verdicts: the front gave its own. */
static prae_status
discard(prae_filter *filter)
{
    prae_verdict verdict;
    prae_status status;
    prae_run run;

    do {
        while (prae_filter_next_run(filter, SIZE_MAX, &run) == PRAE_OK)
            continue;
        status = prae_filter_next(filter, &verdict);
    } while (status == PRAE_OK);
    return status == PRAE_END ? PRAE_OK : status;
}

/* Has the filter refuse a header, as the front did with the one that came:
 * else it would take the first row for it, and those below have other names
 * than what was learned. */
static prae_status
refuse_header(prae_filter *filter)
{
    static const char unreadable[] = "\"";
    size_t used;

    return prae_filter_push_message(filter, unreadable, strlen(unreadable),
                                    &used);
}

/* Records that the front has judged, one window of them. */
static prae_status
learn(struct job *job)
{
    prae_status status = PRAE_OK, judged = PRAE_OK;
    size_t at = 0, used;

    if (job->headless && prae_filter_awaits_header(job->filter))
        status = refuse_header(job->filter);
    if (status != PRAE_OK)
        return status;
    do {
        status = prae_filter_push_message(job->filter, job->lesson.data + at,
                                          job->lesson.len - at, &used);
        pool_give_way(job->pool);
        if (status == PRAE_OK || status == PRAE_FULL)
            judged = prae_filter_judge(job->filter);
        pool_give_way(job->pool);
        if (judged == PRAE_OK)
            judged = discard(job->filter);
        at += used;
    } while (status == PRAE_FULL && judged == PRAE_OK);
    return status < 0 ? status : judged;
}

/* Whoever may send could end us with a first window of other fields, and
 * records that a socket gave nobody has any more: they leave as rejects. */
static prae_status
judge(struct job *job)
{
    prae_status status = prae_filter_judge(job->filter);

    if (status != PRAE_ECONFIG || !job->dismisses)
        return status;
    prae_status dismissed = prae_filter_dismiss(job->filter);
    job->dismissed = dismissed == PRAE_OK;
    return dismissed == PRAE_EINVAL ? status : dismissed;
}

void
stage_run(void *context)
{
    struct job *job = context;
    double began = clock_now();

    if (job->judge)
        job->judged = judge(job);
    else if (job->lesson.len > 0)
        job->judged = learn(job);
    if (job->judged == PRAE_OK && job->fork)
        job->judged = prae_filter_fork(job->filter, &job->front);
    if (job->judged == PRAE_EINVAL)
        job->judged = PRAE_OK; /* all were refused: nothing is learned yet */
    if (job->judged == PRAE_OK && job->save_to != NULL)
        job->saved = snapfile_save(job->filter, job->save_to, job->keep);
    job->seconds = clock_now() - began;
}
