/* snapshot_learner.c - the sections LEAR and NETW: all that the learner goes
 * on from, and its net. */
#include "snapshot_parts.h"

#include <math.h>
#include <stdlib.h>

/* A score is a logarithm, or of strings the sum of up to one a feature. */
#define SCORE_MOST 1e4
#define LIMIT_MOST 10.0 /* of that: it may be some spreads above all of them */

#define FACTOR_MOST 1e3 /* on lambda, or below it; pri_fit_validate's are few */

/* ---- LEAR: context, scale, reservoir, history, counters ---- */

static void
put_rng(struct writer *out, const struct rng *rng)
{
    pri_put_u64(out, rng->seed);
    pri_put_u64(out, rng->stream);
    pri_put_u64(out, rng->at);
    for (int i = 0; i < 4; i++)
        pri_put_u32(out, rng->block[i]);
    pri_put_u32(out, rng->left);
}

static void
get_rng(struct reader *in, struct rng *rng)
{
    rng->seed = pri_get_u64(in);
    rng->stream = pri_get_u64(in);
    rng->at = pri_get_u64(in);
    for (int i = 0; i < 4; i++)
        rng->block[i] = pri_get_u32(in);
    rng->left = pri_get_u32(in);
    if (rng->left > 4)
        pri_get_fail(in, "its random state makes no sense");
}

/* A feature that was never there has no range: written as gaps. */
static void
put_ranges(struct writer *out, const double *low, const double *high,
           size_t count)
{
    for (size_t d = 0; d < count; d++) {
        int seen = low[d] <= high[d];
        pri_put_f64(out, seen ? low[d] : (double)NAN);
        pri_put_f64(out, seen ? high[d] : (double)NAN);
    }
}

static void
get_ranges(struct reader *in, double *low, double *high, size_t count)
{
    for (size_t d = 0; d < count; d++) {
        double lowest, highest;
        pri_get_doubles(in, &lowest, 1, 1);
        pri_get_doubles(in, &highest, 1, 1);
        if (isnan(lowest) || isnan(highest))
            continue;
        low[d] = lowest;
        high[d] = highest;
    }
}

static void
put_scores(struct writer *out, const struct learner *learner)
{
    const struct smooth *smooth = &learner->smooth;
    const struct history *history = &learner->history;
    size_t held = pri_history_held(history);

    pri_put_u32(out, (uint32_t)smooth->on);
    pri_put_f64(out, smooth->level);
    pri_put_f64(out, smooth->last);
    pri_put_f64(out, smooth->mean);
    pri_put_f64(out, smooth->square);
    pri_put_f64(out, smooth->product);
    pri_put_u64(out, smooth->count);
    pri_put_u64(out, history->count);
    pri_put_floats(out, history->score, held);
}

/* How far from 0 scores of LEARNER, and means of them, can be. */
static double
score_most(const struct learner *learner)
{
    return SCORE_MOST * (double)learner->context.D0;
}

static void
get_scores(struct reader *in, struct learner *learner)
{
    struct smooth *smooth = &learner->smooth;
    struct history *history = &learner->history;
    double most = score_most(learner), square = 4.0 * most * most;

    smooth->on = pri_get_u32(in) != 0;
    smooth->level = pri_get_within(in, most, 1);
    smooth->last = pri_get_within(in, most, 1);
    smooth->mean = pri_get_within(in, most, 0);
    smooth->square = pri_get_within(in, square, 0);
    smooth->product = pri_get_within(in, square, 0);
    smooth->count = pri_get_tally(in);
    history->count = pri_get_tally(in);
    size_t held = pri_history_held(history);
    pri_get_floats(in, history->score, held);
    for (size_t i = 0; i < held; i++)
        if (fabs((double)history->score[i]) > most)
            pri_get_fail(in, "a score in it is out of range");
    if (in->fault == NULL && held == 0)
        pri_get_fail(in, "it holds no past score");
    else if (in->fault == NULL)
        pri_history_restore(history);
}

/* The calm moment that a burst goes back to. */
static void
put_moment(struct writer *out, const struct learner *learner)
{
    const struct context *context = &learner->context;

    pri_put_doubles(out, context->kept, 3 * context->D0);
    for (size_t i = 0; i < 2 * context->D0; i++)
        pri_put_u64(out, context->kept_count[i]);
    pri_put_bytes(out, context->moved, context->D0);
    pri_put_f64(out, learner->calm_level);
    pri_put_u64(out, learner->stale);
    pri_put_u64(out, learner->astray);
    pri_put_bytes(out, learner->marks, PRI_MARKS);
}

static void
get_moment(struct reader *in, struct learner *learner)
{
    struct context *context = &learner->context;
    size_t D0 = context->D0;

    pri_get_doubles(in, context->kept, D0, 1);
    pri_get_doubles(in, context->kept + D0, 2 * D0, 0);
    for (size_t i = 0; i < 2 * D0; i++)
        context->kept_count[i] = pri_get_tally(in);
    const unsigned char *moved = pri_get_bytes(in, D0);
    for (size_t d = 0; moved != NULL && d < D0; d++)
        context->moved[d] = moved[d] != 0;
    learner->calm_level = pri_get_within(in, score_most(learner), 1);
    learner->stale = pri_get_tally(in);
    learner->astray = pri_get_tally(in);
    const unsigned char *marks = pri_get_bytes(in, PRI_MARKS);
    for (size_t i = 0; marks != NULL && i < PRI_MARKS; i++)
        learner->marks[i] = marks[i] != 0;
}

void
pri_snapshot_put_learner(struct writer *out, const struct learner *learner)
{
    const struct context *context = &learner->context;
    const struct reservoir *trusted = &learner->reservoir;
    size_t D0 = context->D0, D = learner->D;

    pri_put_u64(out, D0);
    pri_put_u32(out, (uint32_t)context->on);
    pri_put_f64(out, learner->likeness);
    pri_put_doubles(out, context->last, D0);
    pri_put_doubles(out, context->mean, D0);
    pri_put_doubles(out, context->square, D0);
    for (size_t d = 0; d < D0; d++) {
        pri_put_u64(out, context->count[d]);
        pri_put_u64(out, context->upsets[d]);
    }
    put_moment(out, learner);
    pri_put_doubles(out, learner->least, D0);
    put_ranges(out, learner->ever_low, learner->ever_high, D0);
    pri_put_doubles(out, learner->scale.centre, D);
    pri_put_doubles(out, learner->scale.unit, D);
    pri_put_u64(out, trusted->count);
    pri_put_doubles(out, trusted->x, trusted->count * D);
    pri_put_bytes(out, trusted->old, trusted->count);
    pri_put_u32(out, (uint32_t)trusted->parted);
    pri_put_u64(out, trusted->offered);
    put_ranges(out, trusted->low, trusted->high, D);
    put_rng(out, &trusted->rng);
    put_scores(out, learner);
    pri_put_f64(out, (double)learner->limit);
    pri_put_f64(out, (double)learner->factor);
    /* That it was frozen is for the run, not for what was learned. */
    pri_put_u32(out, (uint32_t)(learner->state == PRAE_STATE_FROZEN &&
                                        learner->awake != PRAE_STATE_WARMING
                                    ? learner->awake
                                    : learner->state));
    pri_put_u32(out, (uint32_t)learner->anew);
    pri_put_u64(out, learner->held);
    pri_put_f64(out, learner->load);
    pri_put_u64(out, learner->drifted);
    pri_put_u64(out, learner->windows);
    pri_put_u64(out, learner->model);
    pri_put_u64(out, learner->learned);
    pri_put_u64(out, learner->age);
    pri_put_u64(out, learner->bursts);
    pri_put_u64(out, learner->drifts);
    pri_put_u64(out, learner->rollbacks);
}

static prae_status
get_reservoir(struct reader *in, struct reservoir *trusted)
{
    size_t D = trusted->D, count = pri_get_count(in, trusted->cap, 8 * D + 1);
    prae_status status = pri_reservoir_reserve(trusted, count);

    if (status != PRAE_OK)
        return status;
    trusted->count = count;
    pri_get_doubles(in, trusted->x, count * D, 1);
    const unsigned char *old = pri_get_bytes(in, count);
    for (size_t i = 0; old != NULL && i < count; i++)
        trusted->old[i] = old[i] != 0;
    trusted->parted = pri_get_u32(in) != 0;
    trusted->offered = pri_get_tally(in);
    get_ranges(in, trusted->low, trusted->high, D);
    get_rng(in, &trusted->rng);
    if (in->fault == NULL && trusted->count == 0)
        pri_get_fail(in, "it holds no trusted record");
    return PRAE_OK;
}

static void
get_counters(struct reader *in, struct learner *learner)
{
    get_scores(in, learner);
    double limit = pri_get_within(in, LIMIT_MOST * score_most(learner), 0);
    double factor = pri_get_f64(in);
    uint32_t state = pri_get_u32(in);
    learner->anew = pri_get_u32(in) != 0;
    learner->held = pri_get_tally(in);
    learner->load = pri_get_faded(in);
    learner->drifted = pri_get_tally(in);
    learner->windows = pri_get_tally(in);
    learner->model = pri_get_tally(in);
    learner->learned = pri_get_tally(in);
    learner->age = pri_get_tally(in);
    learner->bursts = pri_get_tally(in);
    learner->drifts = pri_get_tally(in);
    learner->rollbacks = pri_get_tally(in);
    if (in->fault == NULL &&
        (state == PRAE_STATE_WARMING || state > PRAE_STATE_FROZEN ||
         limit < -score_most(learner) || /* half of all scores are below it */
         !(factor >= 1.0 / FACTOR_MOST && factor <= FACTOR_MOST)))
        pri_get_fail(in, "its state makes no sense");
    learner->state = (prae_state)state;
    learner->limit = (float)limit;
    learner->factor = (float)factor;
}

prae_status
pri_snapshot_get_learner(struct reader *in, const prae_params *params,
                         size_t D0, size_t cap_rows, struct learner *learner)
{
    double *zero = calloc(D0, sizeof *zero);

    if (zero == NULL)
        return PRAE_ENOMEM;
    prae_status status = pri_learner_init(learner, params, D0, zero, cap_rows);
    free(zero);
    if (status != PRAE_OK)
        return status;
    struct context *context = &learner->context;
    if (pri_get_u64(in) != D0)
        pri_get_fail(in, "its learner and its features disagree");
    context->on = pri_get_u32(in) != 0;
    pri_get_doubles(in, &learner->likeness, 1, 0);
    pri_get_doubles(in, context->last, D0, 1);
    pri_get_doubles(in, context->mean, D0, 0);
    pri_get_doubles(in, context->square, D0, 0);
    for (size_t d = 0; d < D0; d++) {
        context->count[d] = pri_get_tally(in);
        context->upsets[d] = pri_get_tally(in);
    }
    get_moment(in, learner);
    pri_get_doubles(in, learner->least, D0, 0);
    if (in->fault != NULL)
        return PRAE_OK;
    pri_learner_set_least(learner, learner->least);
    get_ranges(in, learner->ever_low, learner->ever_high, D0);
    status = pri_learner_reserve(learner);
    if (status != PRAE_OK)
        return status;
    pri_get_doubles(in, learner->scale.centre, learner->D, 0);
    pri_get_doubles(in, learner->scale.unit, learner->D, 0);
    for (size_t d = 0; d < learner->D; d++)
        if (!(learner->scale.unit[d] > 0.0))
            pri_get_fail(in, "its scale makes no sense");
    status = get_reservoir(in, &learner->reservoir);
    get_counters(in, learner);
    return status;
}

/* ---- NETW: layers, weights, the optimiser ---- */

void
pri_snapshot_put_net(struct writer *out, const struct trainer *trainer)
{
    const struct net *net = &trainer->net;

    pri_put_u64(out, net->D);
    pri_put_u64(out, net->latent);
    pri_put_u64(out, (net->layer_count - 2) / 2);
    for (size_t l = 0; l + 1 < net->layer_count / 2; l++)
        pri_put_u64(out, net->layer[l].out);
    pri_put_u64(out, net->param_count);
    pri_put_floats(out, net->param, net->param_count);
    pri_put_u64(out, trainer->adam.steps);
    pri_put_floats(out, trainer->adam.mean, net->param_count);
    pri_put_floats(out, trainer->adam.square, net->param_count);
    pri_put_u64(out, trainer->epochs);
}

prae_status
pri_snapshot_get_net(struct reader *in, const prae_params *params, size_t D,
                     size_t cap_rows, struct trainer *trainer)
{
    struct gate_rule rule = {params->gates, params->estimator,
                             (float)params->sigma};
    size_t hidden[PRAE_HIDDEN_MAX];
    struct net net;

    if (pri_get_u64(in) != D)
        pri_get_fail(in, "its net and its features disagree");
    uint64_t latent = pri_get_u64(in);
    size_t depth = pri_get_count(in, PRAE_HIDDEN_MAX, 8);
    size_t weights = 0, width = D;
    for (size_t i = 0; i < depth; i++) {
        hidden[i] = (size_t)pri_get_u64(in);
        if (hidden[i] < 1 || hidden[i] > PRAE_WIDTH_MAX)
            pri_get_fail(in, "a layer in it has an impossible width");
    }
    if (latent < 1 || latent > PRAE_WIDTH_MAX)
        pri_get_fail(in, "a layer in it has an impossible width");
    /* The weights must be there before memory is asked for them. */
    size_t count = pri_get_count(in, SIZE_MAX / 16, 12);
    if (in->fault != NULL)
        return PRAE_OK;
    for (size_t i = 0; i <= depth; i++) {
        size_t next = i < depth ? hidden[i] : (size_t)latent;
        weights += 2 * width * next + width + next;
        width = next;
        if (weights > count)
            break;
    }
    if (weights != count) {
        pri_get_fail(in, "its layers and weights disagree");
        return PRAE_OK;
    }
    prae_status status = pri_net_init(&net, D, hidden, depth, (size_t)latent,
                                      params->activation);
    if (status == PRAE_OK)
        status =
            pri_trainer_init(trainer, &net, &rule, params->loss, params->seed,
                             pri_fit_room(params, cap_rows), cap_rows);
    if (status == PRAE_OK)
        status = pri_trainer_allow_gaps(trainer);
    if (status != PRAE_OK)
        return status;
    pri_get_floats(in, trainer->net.param, count);
    trainer->adam.steps = pri_get_tally(in);
    pri_get_floats(in, trainer->adam.mean, count);
    pri_get_floats(in, trainer->adam.square, count);
    for (size_t i = 0; i < count; i++)
        if (trainer->adam.square[i] < 0.0f)
            pri_get_fail(in, "its optimiser makes no sense");
    trainer->epochs = pri_get_tally(in);
    return PRAE_OK;
}
