/* speed_train.c - the training step: net, gates and Adam, of one record in
 * one epoch; and what of it no other way of doing the rest would spare. */
#include <math.h>
#include <stdlib.h>

#include "denormal.h"
#include "mem.h"
#include "speed.h"
#include "trainer.h"

#define WIDE 64 /* columns beyond which a step is no trifle */
#define ROWS_NARROW 4096
#define ROWS_WIDE 1024
#define SECONDS 0.2 /* of training, at least */
#define SIGMA 0.5f
#define LAMBDA 0.5f
#define RATE 1e-3
#define LAST 0.03f /* as pri_shape_net has it */

static int
make_net(struct net *net, const struct net_shape *shape,
         const prae_params *params)
{
    size_t hidden[PRAE_HIDDEN_MAX];
    struct rng rng;

    for (size_t i = 0; i < shape->depth; i++)
        hidden[i] = shape->width;
    if (pri_net_init(net, shape->D, hidden, shape->depth, 1,
                     params->activation) != PRAE_OK)
        return -1;
    pri_rng_init(&rng, params->seed, PRI_STREAM_WEIGHTS);
    pri_net_randomise(net, &rng, LAST);
    return 0;
}

static int
make_trainer(struct trainer *trainer, const struct net_shape *shape,
             size_t rows)
{
    const struct gate_rule rule = {PRAE_GATES_L1, PRAE_ESTIMATOR_EXACT, SIGMA};
    prae_params params;
    struct net net;

    prae_params_init(&params);
    if (make_net(&net, shape, &params) != 0)
        return -1;
    return pri_trainer_init(trainer, &net, &rule, params.loss, params.seed,
                            shape->batch, rows) == PRAE_OK
               ? 0
               : -1;
}

double
measure_train(const struct speed *speed, const void *context)
{
    const struct net_shape *shape = context;
    size_t rows = shape->D > WIDE ? ROWS_WIDE : ROWS_NARROW, epochs = 0;
    struct gate_level level = {LAMBDA * (float)shape->D,
                               LAMBDA * (float)shape->D};
    float *x = pri_matrix_new(rows, shape->D); /* (rows, D) */
    float *mu = pri_floats_new(rows), *e = pri_floats_new(rows);
    struct trainer trainer;
    double took = 0.0;

    (void)speed; /* an epoch is as long in any run */
    if (x == NULL || mu == NULL || e == NULL ||
        make_trainer(&trainer, shape, rows) != 0)
        return (double)NAN;
    data_table(shape->D, rows, x);
    for (size_t i = 0; i < rows; i++)
        mu[i] = PRI_GATE_START;
    uint64_t denormals = pri_denormals_off();
    pri_trainer_epoch(&trainer, x, rows, level, RATE, mu, e);
    double began = cpu_now();
    while (took < SECONDS) {
        pri_trainer_epoch(&trainer, x, rows, level, RATE, mu, e);
        epochs++;
        took = cpu_now() - began;
    }
    pri_denormals_restore(denormals);
    int sound = isfinite(e[0]);
    pri_trainer_fini(&trainer);
    free(x);
    free(mu);
    free(e);
    return sound ? 1e9 * took / (double)(epochs * rows) : (double)NAN;
}

double
measure_products(const struct speed *speed, const void *context)
{
    const struct net_shape *shape = context;
    size_t B = shape->batch, steps = 0;
    struct net_work work;
    prae_params params;
    struct net net;
    double took = 0.0;

    (void)speed; /* a step is as long in any run */
    prae_params_init(&params);
    params.activation = PRAE_ACTIVATION_LINEAR;
    if (make_net(&net, shape, &params) != 0 ||
        pri_work_init(&work, &net, B, NET_BACK) != PRAE_OK)
        return (double)NAN;
    float *grad = pri_floats_new(net.param_count);
    if (grad == NULL)
        return (double)NAN;
    uint64_t denormals = pri_denormals_off();
    while (took < SECONDS) {
        for (size_t i = 0; i < shape->D * work.stride; i++)
            work.dy[net.layer_count][i] = work.y[0][i] = 1.0f;
        double began = cpu_now();
        pri_net_forward(&net, &work, 0, B);
        pri_net_backward(&net, &work, B, grad);
        took += cpu_now() - began;
        steps++;
    }
    pri_denormals_restore(denormals);
    int sound = isfinite(grad[0]);
    free(grad);
    pri_work_fini(&work);
    pri_net_fini(&net);
    return sound ? 1e9 * took / (double)(steps * B) : (double)NAN;
}
