/* learner.c - a learner's life, and what it says of a window when asked. */
#include "learner.h"

#include <math.h>

#include "denormal.h"
#include "mem.h"
#include "stat.h"

prae_status
pri_learner_init(struct learner *learner, const prae_params *params, size_t D0,
                 const double *least, size_t cap_rows)
{
    *learner = (struct learner){
        .params = *params, .cap_rows = cap_rows, .state = PRAE_STATE_WARMING};
    learner->least = pri_block_new(D0, sizeof *least);
    learner->rarity = pri_block_new(D0, sizeof *learner->rarity);
    learner->ever_low = pri_block_new(D0, sizeof *learner->ever_low);
    learner->ever_high = pri_block_new(D0, sizeof *learner->ever_high);
    learner->before_low = pri_block_new(D0, sizeof *learner->before_low);
    learner->before_high = pri_block_new(D0, sizeof *learner->before_high);
    if (learner->least == NULL || learner->rarity == NULL ||
        learner->ever_low == NULL || learner->ever_high == NULL ||
        learner->before_low == NULL || learner->before_high == NULL ||
        pri_history_init(&learner->history) != PRAE_OK ||
        pri_context_init(&learner->context, D0) != PRAE_OK) {
        pri_learner_fini(learner);
        return PRAE_ENOMEM;
    }
    pri_learner_set_least(learner, least);
    pri_smooth_init(&learner->smooth, params->smooth);
    for (size_t d = 0; d < D0; d++) {
        learner->ever_low[d] = (double)INFINITY;
        learner->ever_high[d] = -(double)INFINITY;
    }
    return PRAE_OK;
}

void
pri_learner_set_least(struct learner *learner, const double *least)
{
    for (size_t d = 0; d < learner->context.D0; d++) {
        learner->least[d] = least[d];
        learner->context.untimed[d] = least[d] > 0.0;
    }
}

void
pri_learner_set_rarity(struct learner *learner, const double *weight)
{
    memcpy(learner->rarity, weight,
           learner->context.D0 * sizeof *learner->rarity);
    learner->by_rarity = 1;
    /* Lines are no measurements in time. What their scores were may have come
     * with a snapshot, and stays. */
    if (learner->params.smooth == 0) {
        learner->smooth.span = 1;
        learner->smooth.on = 0;
    }
}

prae_status
pri_learner_set_runner(struct learner *learner, const struct runner *runner)
{
    prae_status status = PRAE_OK;

    if (learner->neighbours.x != NULL)
        status = pri_neighbours_set_runner(&learner->neighbours, runner);
    if (status == PRAE_OK && learner->trainer.net.param != NULL)
        status = pri_trainer_set_runner(&learner->trainer, runner);
    if (status == PRAE_OK)
        learner->runner = *runner;
    else if (learner->neighbours.x != NULL)
        learner->neighbours.runner = learner->runner;
    return status;
}

void
pri_learner_fini(struct learner *learner)
{
    pri_context_fini(&learner->context);
    pri_scale_fini(&learner->scale);
    pri_reservoir_fini(&learner->reservoir);
    pri_neighbours_fini(&learner->neighbours);
    pri_quick_fini(&learner->quick);
    pri_history_fini(&learner->history);
    pri_trainer_fini(&learner->trainer);
    free(learner->least);
    free(learner->rarity);
    free(learner->ever_low);
    free(learner->ever_high);
    free(learner->before_low);
    free(learner->before_high);
    free(learner->room);
    free(learner->x);
    free(learner->scratch);
    free(learner->logs);
    free(learner->fits);
    free(learner->usual);
    free(learner->weight);
    free(learner->sample);
    free(learner->sample_e);
    free(learner->sample_score);
    free(learner->sample_away);
    pri_misfit_fini(&learner->misfit);
    free(learner->before);
    *learner = (struct learner){0};
}

prae_status
pri_learner_reserve(struct learner *learner)
{
    size_t rows = learner->cap_rows, D = pri_context_D(&learner->context);

    learner->D = D;
    if (D > SIZE_MAX / sizeof(double) / rows)
        return PRAE_ENOMEM;
    learner->room = pri_block_new(rows * D, sizeof(double));
    learner->x = pri_matrix_new(rows, D);
    learner->scratch = pri_floats_new(rows > PRI_SAMPLE ? rows : PRI_SAMPLE);
    learner->logs = pri_floats_new(rows > PRI_SAMPLE ? rows : PRI_SAMPLE);
    learner->fits = pri_block_new(rows, 1);
    learner->usual = pri_block_new(D, sizeof *learner->usual);
    learner->weight = pri_floats_new(D);
    learner->sample = pri_matrix_new(PRI_SAMPLE, D);
    learner->sample_e = pri_floats_new(PRI_SAMPLE);
    learner->sample_score = pri_floats_new(PRI_SAMPLE);
    learner->sample_away = pri_floats_new(PRI_SAMPLE);
    if (learner->room == NULL || learner->x == NULL ||
        learner->scratch == NULL || learner->logs == NULL ||
        learner->fits == NULL || learner->usual == NULL ||
        learner->weight == NULL || learner->sample == NULL ||
        learner->sample_e == NULL || learner->sample_score == NULL ||
        learner->sample_away == NULL ||
        pri_misfit_init(&learner->misfit, D, PRI_SAMPLE) != PRAE_OK ||
        pri_neighbours_init(&learner->neighbours, D) != PRAE_OK ||
        pri_neighbours_set_runner(&learner->neighbours, &learner->runner) !=
            PRAE_OK ||
        pri_scale_init(&learner->scale, D) != PRAE_OK ||
        pri_reservoir_init(&learner->reservoir, D, learner->params.memory,
                           learner->params.seed) != PRAE_OK)
        return PRAE_ENOMEM;
    return PRAE_OK;
}

prae_status
pri_learner_reserve_weights(struct learner *learner)
{
    learner->before = pri_matrix_new(3, learner->trainer.net.param_count);
    learner->shut = pri_opinion_slack(learner, PRI_GATE_SHUT);
    learner->slack =
        pri_opinion_slack(learner, (float)learner->params.threshold);
    return learner->before == NULL ? PRAE_ENOMEM : PRAE_OK;
}

void
pri_learner_set_rule(struct learner *learner, const prae_params *params)
{
    prae_state state = learner->state;

    learner->params.fpr = params->fpr;
    learner->params.threshold = params->threshold;
    learner->slack = pri_opinion_slack(learner, (float)params->threshold);
    if (learner->settled)
        learner->bound = pri_opinion_bound(learner);
    if (learner->params.freeze == params->freeze)
        return;
    /* What the past says was worked out before, or will be out of date. */
    learner->settled = 0;
    learner->params.freeze = params->freeze;
    if (params->freeze) {
        learner->awake = state == PRAE_STATE_FROZEN ? learner->awake : state;
        learner->state = PRAE_STATE_FROZEN;
    } else if (state == PRAE_STATE_FROZEN) {
        learner->state = learner->awake == PRAE_STATE_WARMING ? PRAE_STATE_LIVE
                                                              : learner->awake;
    }
}

/* Room for windows longer than any before. */
static prae_status
grow(struct learner *learner, size_t rows)
{
    struct trainer *trainer = &learner->trainer;
    uint32_t *order = pri_block_new(rows, sizeof *order);
    double *room = NULL;
    float *x = pri_matrix_new(rows, learner->D);
    float *scratch = pri_floats_new(rows > PRI_SAMPLE ? rows : PRI_SAMPLE);

    float *logs = pri_floats_new(rows > PRI_SAMPLE ? rows : PRI_SAMPLE);
    unsigned char *fits = pri_block_new(rows, 1);

    if (learner->D <= SIZE_MAX / sizeof *room / rows)
        room = pri_block_new(rows * learner->D, sizeof *room);
    if (order == NULL || room == NULL || x == NULL || scratch == NULL ||
        logs == NULL || fits == NULL) {
        free(order);
        free(room);
        free(x);
        free(scratch);
        free(logs);
        free(fits);
        return PRAE_ENOMEM;
    }
    free(trainer->order);
    free(learner->room);
    free(learner->x);
    free(learner->scratch);
    free(learner->logs);
    free(learner->fits);
    trainer->order = order;
    trainer->cap_rows = rows;
    learner->room = room;
    learner->x = x;
    learner->scratch = scratch;
    learner->logs = logs;
    learner->fits = fits;
    learner->cap_rows = rows;
    return PRAE_OK;
}

prae_status
pri_learner_window(struct learner *learner, const double *x, size_t N,
                   struct findings *found)
{
    uint64_t denormals = pri_denormals_off();
    prae_status status = PRAE_OK;

    if (learner->state == PRAE_STATE_WARMING) {
        status = pri_learner_first(learner, x, N, found);
        learner->model += status == PRAE_OK;
    } else {
        if (N > learner->cap_rows)
            status = grow(learner, N);
        if (status == PRAE_OK)
            status = pri_reservoir_reserve(&learner->reservoir,
                                           learner->reservoir.count + N);
        if (status == PRAE_OK)
            pri_learner_later(learner, x, N, found);
    }
    pri_denormals_restore(denormals);
    learner->windows += status == PRAE_OK;
    return status;
}

double
pri_learner_quantile(const struct learner *learner, double share)
{
    float score = pri_history_quantile(&learner->history, share);

    pri_opinion_show(learner, 1, &score);
    return (double)score;
}

/* Of strings: each one's rarity, against what is usual. */
static void
explain_rarity(const struct learner *learner, const double *wide, float *part,
               double *expected)
{
    for (size_t d = 0; d < learner->D; d++) {
        double value = d < learner->context.D0 && !isnan(wide[d])
                           ? learner->rarity[d] * wide[d]
                           : 0.0;
        part[d] = (float)fmax(value, 0.0);
        expected[d] = learner->scale.centre[d];
    }
}

void
pri_learner_explain(struct learner *learner, size_t row, float *part,
                    double *expected)
{
    const float *x = learner->x + row * learner->D, *near = NULL;

    if (learner->by_rarity) {
        explain_rarity(learner, learner->wide + row * learner->D, part,
                       expected);
        return;
    }
    /* In the first window it might be its own neighbour. */
    if (learner->params.second == PRAE_SECOND_KNN)
        near = pri_neighbours_nearest(&learner->neighbours, x,
                                      learner->windows <= 1 ? (uint32_t)row
                                                            : PRI_STRANGER);
    pri_trainer_expect(&learner->trainer, x, 1, part);
    for (size_t d = 0; d < learner->D; d++) {
        float net = part[d], other = near == NULL ? x[d] : near[d];
        float e = isnan(x[d]) ? 0.0f
                              : (x[d] - net) * (x[d] - net) /
                                    learner->trainer.passage[0].norm[0];
        float k = isnan(x[d])
                      ? 0.0f
                      : learner->balance * (x[d] - other) * (x[d] - other);
        part[d] = pri_finite_error((e + k) * learner->weight[d]);
        expected[d] =
            pri_scale_undo(&learner->scale, d, (double)(e >= k ? net : other));
    }
}
