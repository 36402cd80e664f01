/* trainer.c - the training step: net forward, error, gates, net backward. */
#include "trainer.h"

#include <math.h>

#include "kernel.h"
#include "mem.h"

/* A row at the origin is divided by this, not by 0. */
#define NORM_LEAST 1e-3f

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
    trainer->grad = pri_floats_new(trainer->net.param_count);
    trainer->norm = pri_floats_new(cap_batch);
    trainer->error = pri_floats_new(cap_batch);
    trainer->mu = pri_floats_new(cap_batch);
    trainer->z = pri_floats_new(cap_batch);
    trainer->order = pri_block_new(cap_rows, sizeof(uint32_t));
    if (trainer->grad == NULL || trainer->norm == NULL ||
        trainer->error == NULL || trainer->mu == NULL || trainer->z == NULL ||
        trainer->order == NULL ||
        pri_adam_init(&trainer->adam, trainer->net.param_count) != PRAE_OK ||
        pri_work_init(&trainer->work, &trainer->net, cap_batch) != PRAE_OK) {
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
    if (trainer->seen == NULL)
        trainer->seen = pri_matrix_new(trainer->net.D, trainer->work.stride);
    return trainer->seen == NULL ? PRAE_ENOMEM : PRAE_OK;
}

void
pri_trainer_fini(struct trainer *trainer)
{
    pri_net_fini(&trainer->net);
    pri_adam_fini(&trainer->adam);
    pri_work_fini(&trainer->work);
    free(trainer->origin);
    free(trainer->seen);
    free(trainer->grad);
    free(trainer->norm);
    free(trainer->error);
    free(trainer->mu);
    free(trainer->z);
    free(trainer->order);
    *trainer = (struct trainer){0};
}

/* B records, those that ORDER names or (NULL) the first of X, laid
 * feature-major into the net's input. */
static void
load(struct trainer *trainer, const float *x, const uint32_t *order, size_t B)
{
    pri_kernel()->lay(x, trainer->net.D, order, B, trainer->work.stride,
                      trainer->work.y[0], trainer->seen);
}

/* What the net's answer is off by in feature D of sample J: at = d stride
 * + j. Nothing where the value is missing. */
static inline float
away_at(const struct trainer *trainer, const float *x, const float *y,
        size_t at)
{
    float away = y[at] - x[at];

    return trainer->seen == NULL ? away : away * trainer->seen[at];
}

/* trainer->norm = ||x|| of the loaded records, or 1: what errors are
 * divided by. */
static void
measure(struct trainer *trainer, size_t B)
{
    size_t stride = trainer->work.stride;
    const float *input = trainer->work.y[0];
    float *norm = trainer->norm;

    if (trainer->loss == PRAE_LOSS_SQUARED) {
        for (size_t j = 0; j < B; j++)
            norm[j] = 1.0f;
        return;
    }
    memset(norm, 0, B * sizeof *norm);
    for (size_t d = 0; d < trainer->net.D; d++) {
        float origin = trainer->origin == NULL ? 0.0f : trainer->origin[d];
        for (size_t j = 0; j < B; j++) {
            float own = input[d * stride + j] - origin;
            norm[j] += own * own;
        }
    }
    for (size_t j = 0; j < B; j++)
        norm[j] = sqrtf(norm[j]) + NORM_LEAST;
}

static struct error_batch
batch_of(const struct trainer *trainer, size_t B)
{
    return (struct error_batch){.D = trainer->net.D,
                                .B = B,
                                .stride = trainer->work.stride,
                                .whole = B,
                                .x = trainer->work.y[0],
                                .y = trainer->work.y[trainer->net.layer_count],
                                .seen = trainer->seen,
                                .norm = trainer->norm};
}

/* e_j = sum_d w_d (y_dj - x_dj)^2 / norm_j  of the loaded records; w is 1
 * where WEIGHT is NULL. */
static void
error_forward(struct trainer *trainer, size_t B, const float *weight, float *e)
{
    struct error_batch batch = batch_of(trainer, B);

    pri_kernel()->error(&batch, weight, e);
}

/* The loss is (1/B) sum_j z_j e_j with z held constant. */
static void
error_backward(struct trainer *trainer, size_t B, const float *z)
{
    struct error_batch batch = batch_of(trainer, B);

    pri_kernel()->error_back(&batch, z, trainer->work.dy[0]);
}

void
pri_trainer_judge(struct trainer *trainer, const float *x, size_t N,
                  const float *weight, float *e, float *weighted)
{
    size_t D = trainer->net.D;

    for (size_t at = 0; at < N; at += trainer->cap_batch) {
        size_t B = N - at < trainer->cap_batch ? N - at : trainer->cap_batch;
        load(trainer, x + at * D, NULL, B);
        measure(trainer, B);
        (void)pri_net_forward(&trainer->net, &trainer->work, B);
        if (e != NULL)
            error_forward(trainer, B, NULL, e + at);
        error_forward(trainer, B, weight, weighted + at);
    }
}

void
pri_trainer_errors(struct trainer *trainer, const float *x, size_t N, float *e)
{
    pri_trainer_judge(trainer, x, N, NULL, NULL, e);
}

void
pri_trainer_usual(struct trainer *trainer, const float *x, size_t N,
                  const unsigned char *good, double *square)
{
    size_t D = trainer->net.D, stride = trainer->work.stride, count = 0;
    const float *input = trainer->work.y[0];

    memset(square, 0, D * sizeof *square);
    for (size_t at = 0; at < N; at += trainer->cap_batch) {
        size_t B = N - at < trainer->cap_batch ? N - at : trainer->cap_batch;
        load(trainer, x + at * D, NULL, B);
        measure(trainer, B);
        const float *y = pri_net_forward(&trainer->net, &trainer->work, B);
        for (size_t j = 0; j < B; j++) {
            if (good != NULL && !good[at + j])
                continue;
            count++;
            for (size_t d = 0; d < D; d++) {
                float away = away_at(trainer, input, y, d * stride + j);
                square[d] += (double)(away * away / trainer->norm[j]);
            }
        }
    }
    for (size_t d = 0; d < D && count > 0; d++)
        square[d] /= (double)count;
}

/* One step on the B records that ORDER names. */
static void
step(struct trainer *trainer, const float *x, const uint32_t *order, size_t B,
     struct gate_level level, double rate, struct rng *noise, float *mu,
     float *e)
{
    load(trainer, x, order, B);
    measure(trainer, B);
    (void)pri_net_forward(&trainer->net, &trainer->work, B);
    error_forward(trainer, B, NULL, trainer->error);

    for (size_t j = 0; j < B; j++)
        trainer->mu[j] = mu[order[j]];
    pri_gate_visit(&trainer->rule, level, B, trainer->error, trainer->mu,
                   trainer->z, noise);
    for (size_t j = 0; j < B; j++) {
        mu[order[j]] = trainer->mu[j];
        e[order[j]] = trainer->error[j];
    }

    error_backward(trainer, B, trainer->z);
    pri_net_backward(&trainer->net, &trainer->work, B, trainer->grad);
    pri_adam_step(&trainer->adam, trainer->net.param, trainer->grad, rate);
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
        step(trainer, x, trainer->order + from, to - from, level, rate, &noise,
             mu, e);
    }
}

void
pri_trainer_expect(struct trainer *trainer, const float *x, size_t B,
                   float *out)
{
    size_t D = trainer->net.D, stride = trainer->work.stride;

    load(trainer, x, NULL, B);
    measure(trainer, B);
    const float *y = pri_net_forward(&trainer->net, &trainer->work, B);
    for (size_t j = 0; j < B; j++)
        for (size_t d = 0; d < D; d++)
            out[j * D + d] = y[d * stride + j];
}
