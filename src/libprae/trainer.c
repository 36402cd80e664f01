/* trainer.c - a trainer's life, and the training step: net forward, error,
 * gates, net backward. */
#include "trainer.h"

#include <math.h>

#include "kernel.h"
#include "mem.h"

#define CUT_COLS 32 /* whole vectors, and cache lines, of each row */

/* ---- life ---- */

/*
 * How batches are cut, for a number of threads: by the net, unless it does
 * not matter. One thread alone had better take a batch whole, and may where
 * the result is the same.
 */
static void
choose_cut(struct trainer *trainer, size_t threads)
{
    const struct net *net = &trainer->net;
    size_t worth = PRI_PART_WORK / net->param_count;
    size_t cols = (worth + CUT_COLS) / CUT_COLS * CUT_COLS;
    size_t whole = trainer->cap_batch;
    int alone = threads == 1;

    trainer->cut = cols < whole;
    trainer->forward_cols =
        !trainer->cut || (alone && pri_net_is_own(net, whole)) ? whole : cols;
    trainer->back_cols =
        !trainer->cut || (alone && pri_net_back_x_is_own(net)) ? whole : cols;
}

/* Scratch for so many threads. */
static prae_status
make_passages(struct trainer *trainer, size_t count)
{
    if (count <= trainer->passages)
        return PRAE_OK;
    if (count > SIZE_MAX / sizeof *trainer->passage)
        return PRAE_ENOMEM;
    struct passage *more =
        realloc(trainer->passage, count * sizeof *trainer->passage);
    if (more == NULL)
        return PRAE_ENOMEM;
    trainer->passage = more;
    for (; trainer->passages < count; trainer->passages++) {
        struct passage *passage = &trainer->passage[trainer->passages];
        enum net_way way = trainer->passages > 0 ? NET_FORWARD
                           : trainer->cut        ? NET_APART
                                                 : NET_BACK;
        prae_status status = pri_passage_init(passage, trainer, way);
        if (status == PRAE_OK && trainer->passage[0].seen != NULL)
            status = pri_passage_allow_gaps(passage, trainer->net.D);
        if (status != PRAE_OK) {
            pri_passage_fini(passage);
            return status;
        }
    }
    return PRAE_OK;
}

prae_status
pri_trainer_init(struct trainer *trainer, struct net *net,
                 const struct gate_rule *rule, prae_loss loss, uint64_t seed,
                 size_t cap_batch, size_t cap_rows)
{
    *trainer = (struct trainer){.net = *net,
                                .rule = *rule,
                                .loss = loss,
                                .seed = seed,
                                .cap_batch = cap_batch,
                                .batch = cap_batch,
                                .cap_rows = cap_rows};
    *net = (struct net){0};
    choose_cut(trainer, 1);
    trainer->grad = pri_floats_new(trainer->net.param_count);
    trainer->error = pri_floats_new(cap_batch);
    trainer->mu = pri_floats_new(cap_batch);
    trainer->z = pri_floats_new(cap_batch);
    trainer->order = pri_block_new(cap_rows, sizeof(uint32_t));
    if (trainer->grad == NULL || trainer->error == NULL ||
        trainer->mu == NULL || trainer->z == NULL || trainer->order == NULL ||
        pri_adam_init(&trainer->adam, trainer->net.param_count) != PRAE_OK ||
        make_passages(trainer, 1) != PRAE_OK) {
        pri_trainer_fini(trainer);
        return PRAE_ENOMEM;
    }
    return PRAE_OK;
}

prae_status
pri_trainer_set_origin(struct trainer *trainer, const float *origin)
{
    size_t D = trainer->net.D;

    if (trainer->origin == NULL)
        trainer->origin = pri_floats_new(D);
    if (trainer->origin == NULL)
        return PRAE_ENOMEM;
    memcpy(trainer->origin, origin, D * sizeof *origin);
    return PRAE_OK;
}

prae_status
pri_trainer_allow_gaps(struct trainer *trainer)
{
    prae_status status = PRAE_OK;

    /* The first says whether there are any: it comes last. */
    for (size_t i = trainer->passages; status == PRAE_OK && i-- > 0;)
        status = pri_passage_allow_gaps(&trainer->passage[i], trainer->net.D);
    return status;
}

prae_status
pri_trainer_set_runner(struct trainer *trainer, const struct runner *runner)
{
    prae_status status = make_passages(trainer, pri_runner_threads(runner));

    if (status != PRAE_OK)
        return status;
    trainer->runner = *runner;
    choose_cut(trainer, pri_runner_threads(runner));
    return PRAE_OK;
}

void
pri_trainer_fini(struct trainer *trainer)
{
    pri_net_fini(&trainer->net);
    pri_adam_fini(&trainer->adam);
    for (size_t i = 0; i < trainer->passages; i++)
        pri_passage_fini(&trainer->passage[i]);
    free(trainer->passage);
    free(trainer->origin);
    free(trainer->grad);
    free(trainer->error);
    free(trainer->mu);
    free(trainer->z);
    free(trainer->order);
    *trainer = (struct trainer){0};
}

/* ---- training ---- */

/* One step, as threads see it. */
struct step {
    struct trainer *trainer;
    const float *x;        /* all records */
    const uint32_t *order; /* (B) those of the step */
    size_t B;
    struct adam_step adam;
};

static void
step_forward(void *work, size_t part, size_t who)
{
    const struct step *step = work;
    struct trainer *trainer = step->trainer;
    size_t from, B = pri_cut(trainer->forward_cols, step->B, part, &from);

    (void)who; /* all columns are of one passage */
    pri_passage_forward(trainer, trainer->passage, step->x, step->order + from,
                        from, B);
    pri_passage_errors(trainer, trainer->passage, from, B, NULL,
                       trainer->error + from);
}

static void
step_back_x(void *work, size_t part, size_t who)
{
    const struct step *step = work;
    struct trainer *trainer = step->trainer;
    struct passage *passage = trainer->passage;
    size_t from, B = pri_cut(trainer->back_cols, step->B, part, &from);

    (void)who;
    pri_passage_errors_back(trainer, passage, from, B, step->B,
                            trainer->z + from);
    pri_net_back_x(&trainer->net, &passage->work, from, B);
}

/* A layer's gradient, and on to its weights. The outermost layers come first,
 * as they are mostly the widest: small ones then even out who has what. */
static void
step_back_w(void *work, size_t part, size_t who)
{
    const struct step *step = work;
    struct trainer *trainer = step->trainer;
    struct net *net = &trainer->net;
    size_t l = part % 2 == 0 ? part / 2 : net->layer_count - 1 - part / 2;
    const struct layer *layer = &net->layer[l];
    size_t count = layer->out * (layer->in + 1);

    pri_net_back_w(net, &trainer->passage->work, l, step->B, trainer->grad,
                   trainer->passage[who].work.turn);
    pri_adam_move(&trainer->adam, &step->adam, layer->w, count, net->param,
                  trainer->grad);
}

static void
step_back(struct step *step)
{
    struct trainer *trainer = step->trainer;
    struct passage *passage = trainer->passage;
    size_t B = step->B;

    if (!trainer->cut) {
        pri_passage_errors_back(trainer, passage, 0, B, B, trainer->z);
        pri_net_backward(&trainer->net, &passage->work, B, trainer->grad);
        pri_adam_move(&trainer->adam, &step->adam, 0, trainer->adam.count,
                      trainer->net.param, trainer->grad);
        return;
    }
    pri_runner_share(&trainer->runner, step_back_x, step,
                     pri_cuts(trainer->back_cols, B));
    pri_runner_share(&trainer->runner, step_back_w, step,
                     trainer->net.layer_count);
}

/* One step on the B records that ORDER names. */
static void
take_step(struct trainer *trainer, const float *x, const uint32_t *order,
          size_t B, struct gate_level level, double rate, struct rng *noise,
          float *mu, float *e)
{
    struct step step = {trainer, x, order, B,
                        pri_adam_begin(&trainer->adam, rate)};

    pri_runner_share(&trainer->runner, step_forward, &step,
                     pri_cuts(trainer->forward_cols, B));
    for (size_t j = 0; j < B; j++)
        trainer->mu[j] = mu[order[j]];
    pri_gate_visit(&trainer->rule, level, B, trainer->error, trainer->mu,
                   trainer->z, noise);
    for (size_t j = 0; j < B; j++) {
        mu[order[j]] = trainer->mu[j];
        e[order[j]] = trainer->error[j];
    }
    step_back(&step);
}

void
pri_trainer_epoch(struct trainer *trainer, const float *x, size_t N,
                  struct gate_level level, double rate, float *mu, float *e)
{
    size_t steps = (N + trainer->batch - 1) / trainer->batch;
    struct rng shuffle, noise;

    /* The epoch's number is part of the stream's: no two epochs
     * share their draws, and none depends on how many another made. */
    pri_rng_init(&shuffle, trainer->seed,
                 PRI_STREAM_SHUFFLE | trainer->epochs << 8);
    pri_rng_init(&noise, trainer->seed,
                 PRI_STREAM_NOISE | trainer->epochs << 8);
    trainer->epochs++;
    for (size_t i = 0; i < N; i++)
        trainer->order[i] = (uint32_t)i;
    pri_rng_shuffle(&shuffle, trainer->order, N);

    for (size_t s = 0; s < steps; s++) {
        /* Bounds s N / steps: all steps within one record of each other. */
        size_t from = N / steps * s + N % steps * s / steps;
        size_t to = N / steps * (s + 1) + N % steps * (s + 1) / steps;
        take_step(trainer, x, trainer->order + from, to - from, level, rate,
                  &noise, mu, e);
    }
}

int
pri_trainer_is_finite(const struct trainer *trainer)
{
    for (size_t i = 0; i < trainer->net.param_count; i++)
        if (!isfinite(trainer->net.param[i]) ||
            !isfinite(trainer->adam.square[i]))
            return 0;
    return 1;
}
