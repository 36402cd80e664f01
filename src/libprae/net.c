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

/* Rows that gradients take, the widest layer's and all layers' being so
 * many. */
static size_t
gradient_rows(enum net_way way, size_t widest, size_t all)
{
    return way == NET_FORWARD ? 0 : way == NET_BACK ? 2 * widest : all;
}

/* Places for gradients from NEXT on: one each, or two for all of them. */
static void
place_gradients(struct net_work *work, const struct net *net, enum net_way way,
                size_t widest, float *next)
{
    size_t count = net->layer_count;

    for (size_t l = count; l > 0; l--) {
        if (way == NET_APART) {
            work->dy[l] = next;
            next += net->layer[l - 1].out * work->stride;
        } else if (way == NET_BACK) {
            work->dy[l] = next + (count - l) % 2 * widest * work->stride;
        }
    }
}

prae_status
pri_work_init(struct net_work *work, const struct net *net, size_t cap_cols,
              enum net_way way)
{
    size_t all = 0, widest = net->D;

    for (size_t l = 0; l < net->layer_count; l++) {
        size_t out = net->layer[l].out;
        all += out;
        if (out > widest)
            widest = out;
    }
    *work = (struct net_work){.cap_cols = cap_cols,
                              .stride = pri_batch_stride(cap_cols)};
    /* The last: a batch turned over, its rows a whole number of vectors. */
    size_t back = gradient_rows(way, widest, all);
    work->block = pri_matrix_new(net->D + all + back + pri_batch_turned(widest),
                                 work->stride);
    if (work->block == NULL)
        return PRAE_ENOMEM;
    if (!pri_affine_is_own(widest, work->stride) &&
        pri_matrix_room() != PRAE_OK) {
        pri_work_fini(work);
        return PRAE_ENOMEM;
    }

    float *next = work->block;
    work->y[0] = next;
    next += net->D * work->stride;
    for (size_t l = 0; l < net->layer_count; l++) {
        work->y[l + 1] = next;
        next += net->layer[l].out * work->stride;
    }
    place_gradients(work, net, way, widest, next);
    work->turn = next + back * work->stride;
    return PRAE_OK;
}

void
pri_work_fini(struct net_work *work)
{
    free(work->block);
    *work = (struct net_work){0};
}

void
pri_net_forward_part(const struct net *net, struct net_work *work, size_t first,
                     size_t end, size_t from, size_t B)
{
    for (size_t l = first; l < end; l++) {
        const struct layer *layer = &net->layer[l];
        pri_affine(layer->out, layer->in, B, net->param + layer->w,
                   net->param + layer->b, work->y[l] + from,
                   work->y[l + 1] + from, work->stride, layer->act);
    }
}

void
pri_net_forward(const struct net *net, struct net_work *work, size_t from,
                size_t B)
{
    pri_net_forward_part(net, work, 0, net->layer_count, from, B);
}

/* By what layer L's activation was given, from what is by its result. */
static void
back_act(const struct net *net, struct net_work *work, size_t l, size_t from,
         size_t B)
{
    const struct layer *layer = &net->layer[l];

    pri_affine_back_act(layer->out, B, work->y[l + 1] + from,
                        work->dy[l + 1] + from, work->stride, layer->act);
}

/* By what layer L was given; nobody asks for the gradient by the input. */
static void
back_layer(const struct net *net, struct net_work *work, size_t l, size_t from,
           size_t B)
{
    const struct layer *layer = &net->layer[l];

    if (l > 0)
        pri_affine_back_x(layer->out, layer->in, B, net->param + layer->w,
                          work->dy[l + 1] + from, work->dy[l] + from,
                          work->stride);
}

void
pri_net_back_x(const struct net *net, struct net_work *work, size_t from,
               size_t B)
{
    for (size_t l = net->layer_count; l-- > 0;) {
        back_act(net, work, l, from, B);
        back_layer(net, work, l, from, B);
    }
}

void
pri_net_back_w(const struct net *net, const struct net_work *work, size_t l,
               size_t B, float *grad, float *turn)
{
    const struct layer *layer = &net->layer[l];

    pri_affine_back_w(layer->out, layer->in, B, work->dy[l + 1], work->y[l],
                      grad + layer->w, grad + layer->b, work->stride, turn);
}

void
pri_net_backward(const struct net *net, struct net_work *work, size_t B,
                 float *grad)
{
    for (size_t l = net->layer_count; l-- > 0;) {
        back_act(net, work, l, 0, B);
        pri_net_back_w(net, work, l, B, grad, work->turn);
        back_layer(net, work, l, 0, B);
    }
}

int
pri_net_is_own(const struct net *net, size_t B)
{
    for (size_t l = 0; l < net->layer_count; l++)
        if (!pri_affine_is_own(net->layer[l].in, B))
            return 0;
    return 1;
}

int
pri_net_back_x_is_own(const struct net *net)
{
    for (size_t l = 1; l < net->layer_count; l++)
        if (!pri_affine_back_x_is_own(net->layer[l].out, net->layer[l].in))
            return 0;
    return 1;
}
