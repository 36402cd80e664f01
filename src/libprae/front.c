/*
 * front.c - a filter that judges by what another has learned so far.
 *
 * While the one learns a window, which takes long, the other goes on
 * judging; then a newer front takes its place in the stream. What is learned
 * is copied, so the two share nothing. In the same way a filter that goes on
 * from a snapshot takes the place of one that learned what it should not.
 */
#include <string.h>

#include "filter.h"

/* How far the stream has been read. A header is read once more, as names
 * are made of its cells; one that was there already has to be the same. */
static prae_status
copy_codec(struct codec *to, const struct codec *from)
{
    prae_status status = PRAE_END;

    if (to->header_len > 0 &&
        (to->header_len != from->header_len ||
         memcmp(to->header, from->header, to->header_len) != 0))
        return PRAE_EINVAL;
    to->reading.begun = 1; /* a mark is no part of the header, or is a name's */
    if (from->header_len > 0 && to->header_len == 0)
        status = pri_codec_next(to, from->header, from->header_len, 1);
    if (status != PRAE_END)
        return status == PRAE_ENOMEM ? status : PRAE_EINVAL;
    to->header_done = from->header_done;
    to->reading = from->reading;
    if (to->width == 0) /* else it is the header's, or what was learned */
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

/* Here and now, as its first record is not to wait for it; with RUNNER, which
 * it is not to have later. */
static prae_status
settle(prae_filter *front, const struct runner *runner)
{
    const struct runner none = {0};
    prae_status status = pri_learner_set_runner(&front->learner, runner);

    if (status != PRAE_OK)
        return status;
    pri_learner_settle(&front->learner);
    return pri_learner_set_runner(&front->learner, &none);
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
    if (status == PRAE_OK)
        status = settle(front, &filter->runner);
    if (status != PRAE_OK) {
        prae_filter_free(front);
        return status;
    }
    front->is_front = 1;
    prae_filter_stats(filter, &front->back);
    *out = front;
    return PRAE_OK;
}

/* Whether values of A's features may be compared with B's. */
static int
have_same_columns(const struct features *a, const struct features *b)
{
    char left[512], right[512];

    if (a->D != b->D || a->taken != b->taken)
        return 0;
    for (size_t i = 0; i < a->taken; i++) {
        const struct column *mine = &a->column[i], *other = &b->column[i];
        pri_path_text(&a->tree, mine->node, left, sizeof left);
        pri_path_text(&b->tree, other->node, right, sizeof right);
        if (mine->kind != other->kind || mine->first != other->first ||
            strcmp(left, right) != 0)
            return 0;
    }
    return 1;
}

/* Numbers that windows and what became of them have go on, whatever was
 * learned of them and is forgotten now. */
static void
copy_tally(prae_filter *to, const prae_filter *from)
{
    to->window_number = from->window_number;
    to->passed = from->passed;
    if (!from->learned)
        return;
    to->learner.windows = from->learner.windows;
    to->learner.bursts = from->learner.bursts;
    to->learner.drifts = from->learner.drifts;
    to->learner.rollbacks = from->learner.rollbacks;
}

prae_status
prae_filter_follow(prae_filter *filter, prae_filter *before)
{
    if (filter == NULL || before == NULL || filter == before ||
        !filter->learned || filter->broken || before->broken ||
        filter->stats.received > 0 || filter->window.slot_count > 0 ||
        filter->params.format != before->params.format || before->judged ||
        before->window.slot_count > 0 ||
        (before->is_front && !filter->is_front))
        return PRAE_EINVAL;
    prae_status status = copy_codec(&filter->codec, &before->codec);
    if (status != PRAE_OK)
        return status;
    filter->ended = before->ended;
    filter->in_message = before->in_message;
    filter->stream = before->stream;
    before->in_message = 0;
    before->codec.reading = (struct reading){0};
    filter->stats = before->stats;
    filter->features.imputed = before->features.imputed;
    filter->features.unknown_fields = before->features.unknown_fields;
    filter->features.wide_ints = before->features.wide_ints;
    filter->window.first_seq = filter->stats.received;
    if (!filter->is_front)
        copy_tally(filter, before);
    if (have_same_columns(&filter->features, &before->features)) {
        copy_moment(&filter->learner, &before->learner);
        return PRAE_OK;
    }
    return prae_filter_cut(filter);
}
