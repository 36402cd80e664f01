/* net.c - forward and backward through the autoencoder's layers. */
#include "net.h"

#include <math.h>

#include "matrix.h"
#include "mem.h"

static void
layer_add(struct net *net, size_t out, prae_activation act)
{
    struct layer *layer = &net->layer[net->layer_count];

    layer->in = net->layer_count == 0 ? net->D : layer[-1].out;
    layer->out = out;
    layer->act = act;
    layer->w = net->param_count;
    layer->b = layer->w + layer->in * out;
    net->param_count = layer->b + out;
    net->layer_count++;
}

prae_status
pri_net_init(struct net *net, size_t D, const size_t *hidden,
             size_t hidden_count, size_t latent, prae_activation act)
{
    *net = (struct net){.D = D, .latent = latent};
    for (size_t i = 0; i < hidden_count; i++)
        layer_add(net, hidden[i], act);
    layer_add(net, latent, PRAE_ACTIVATION_LINEAR);
    for (size_t i = hidden_count; i-- > 0;)
        layer_add(net, hidden[i], act);
    layer_add(net, D, PRAE_ACTIVATION_LINEAR);
    net->param = pri_floats_new(net->param_count);
    return net->param == NULL ? PRAE_ENOMEM : PRAE_OK;
}

void
pri_net_randomise(struct net *net, struct rng *rng, float last)
{
    for (size_t l = 0; l < net->layer_count; l++) {
        const struct layer *layer = &net->layer[l];
        float *w = net->param + layer->w;
        float reach = sqrtf(6.0f / (float)(layer->in + layer->out));
        if (l + 1 == net->layer_count)
            reach *= last;
        for (size_t i = 0; i < layer->in * layer->out; i++)
            w[i] = (2.0f * pri_rng_uniform(rng) - 1.0f) * reach;
        memset(net->param + layer->b, 0, layer->out * sizeof(float));
    }
}

void
pri_net_fini(struct net *net)
{
    free(net->param);
    *net = (struct net){0};
}

prae_status
pri_work_init(struct net_work *work, const struct net *net, size_t cap_cols)
{
    size_t rows = net->D, widest = net->D;

    for (size_t l = 0; l < net->layer_count; l++) {
        size_t out = net->layer[l].out;
        rows += out;
        if (out > widest)
            widest = out;
    }
    *work = (struct net_work){.cap_cols = cap_cols,
                              .stride = pri_batch_stride(cap_cols)};
    /* The last: a batch turned over, its rows a whole number of vectors. */
    work->block = pri_matrix_new(rows + 2 * widest + pri_batch_turned(widest),
                                 work->stride);
    if (work->block == NULL)
        return PRAE_ENOMEM;

    float *next = work->block;
    work->y[0] = next;
    next += net->D * work->stride;
    for (size_t l = 0; l < net->layer_count; l++) {
        work->y[l + 1] = next;
        next += net->layer[l].out * work->stride;
    }
    work->dy[0] = next;
    work->dy[1] = next + widest * work->stride;
    work->turn = work->dy[1] + widest * work->stride;
    return PRAE_OK;
}

void
pri_work_fini(struct net_work *work)
{
    free(work->block);
    *work = (struct net_work){0};
}

const float *
pri_net_forward(const struct net *net, struct net_work *work, size_t B)
{
    for (size_t l = 0; l < net->layer_count; l++) {
        const struct layer *layer = &net->layer[l];
        pri_affine(layer->out, layer->in, B, net->param + layer->w,
                   net->param + layer->b, work->y[l], work->y[l + 1],
                   work->stride, layer->act);
    }
    return work->y[net->layer_count];
}

void
pri_net_backward(const struct net *net, struct net_work *work, size_t B,
                 float *grad)
{
    float *dy = work->dy[0], *dx = work->dy[1];

    for (size_t l = net->layer_count; l-- > 0;) {
        const struct layer *layer = &net->layer[l];
        pri_affine_back_act(layer->out, B, work->y[l + 1], dy, work->stride,
                            layer->act);
        pri_affine_back_w(layer->out, layer->in, B, dy, work->y[l],
                          grad + layer->w, grad + layer->b, work->stride,
                          work->turn);
        if (l > 0) /* nobody asks for the gradient by the input */
            pri_affine_back_x(layer->out, layer->in, B, net->param + layer->w,
                              dy, dx, work->stride);
        float *kept = dy;
        dy = dx;
        dx = kept;
    }
}
