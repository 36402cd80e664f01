/*
 * front.c - a filter that judges by what another has learned so far.
 *
 * While the one learns a window, which takes long, the other goes on
 * judging; then a newer front takes its place in the stream. What is learned
 * is copied, so the two share nothing.
 */
#include <string.h>

#include "filter.h"

/* How far the stream has been read. A header is read once more, as names
 * are made of its cells. */
static prae_status
copy_codec(struct codec *to, const struct codec *from)
{
    prae_status status = PRAE_END;

    if (from->header_len > 0 && to->header_len == 0)
        status = pri_codec_next(to, from->header, from->header_len, 1);
    if (status != PRAE_END)
        return status == PRAE_ENOMEM ? status : PRAE_EINVAL;
    to->header_done = from->header_done;
    to->line = from->line;
    to->reading = from->reading;
    to->width = from->width;
    return PRAE_OK;
}

/* A stream's place in time is the values just before, not what is learned. */
static void
copy_moment(struct learner *to, const struct learner *from)
{
    const struct context *past = &from->context;
    struct context *context = &to->context;
    size_t D0 = context->D0;

    if (past->D0 != D0)
        return;
    memcpy(context->last, past->last, D0 * sizeof *context->last);
    memcpy(context->mean, past->mean, D0 * sizeof *context->mean);
    memcpy(context->square, past->square, D0 * sizeof *context->square);
    memcpy(context->count, past->count, D0 * sizeof *context->count);
    memcpy(context->upsets, past->upsets, D0 * sizeof *context->upsets);
    memcpy(context->moved, past->moved, D0);
    to->smooth.level = from->smooth.level;
    to->smooth.last = from->smooth.last;
}

prae_status
prae_filter_fork(const prae_filter *filter, prae_filter **out)
{
    prae_filter *front = NULL;

    if (filter == NULL || out == NULL || filter->broken || !filter->learned ||
        filter->learner.state == PRAE_STATE_WARMING ||
        filter->params.window == 0)
        return PRAE_EINVAL;
    prae_params params = filter->params;
    params.freeze = 1;
    prae_status status = prae_filter_new(&params, &front);
    if (status == PRAE_OK)
        status = pri_filter_copy_learned(filter, front);
    if (status != PRAE_OK) {
        prae_filter_free(front);
        return status;
    }
    /* Here and now, as its first record is not to wait for it. */
    pri_learner_settle(&front->learner);
    front->is_front = 1;
    prae_filter_stats(filter, &front->back);
    *out = front;
    return PRAE_OK;
}

prae_status
prae_filter_follow(prae_filter *front, prae_filter *before)
{
    if (front == NULL || before == NULL || !front->is_front ||
        front->stats.received > 0 || before->judged ||
        before->window.slot_count > 0)
        return PRAE_EINVAL;
    prae_status status = copy_codec(&front->codec, &before->codec);
    if (status != PRAE_OK)
        return status;
    front->ended = before->ended;
    front->in_message = before->in_message;
    front->stream = before->stream;
    before->in_message = 0;
    before->codec.reading = (struct reading){0};
    front->stats = before->stats;
    front->features.imputed = before->features.imputed;
    front->features.unknown_fields = before->features.unknown_fields;
    front->features.wide_ints = before->features.wide_ints;
    front->window.first_seq = front->stats.received;
    copy_moment(&front->learner, &before->learner);
    return PRAE_OK;
}
