/*
 * net.h - the autoencoder: a chain of affine layers, the hidden ones with
 * an activation, the latent and the output linear.
 *
 * All weights lie in one block of floats and a gradient in another of the
 * same layout, so the update is one loop and a snapshot one write.
 */
#ifndef PRI_NET_H
#define PRI_NET_H

#include "prae.h"
#include "rng.h"

#define PRI_LAYERS_MAX (2 * PRAE_HIDDEN_MAX + 2)

struct layer {
    size_t in;
    size_t out;
    prae_activation act;
    size_t w; /* where the weights (out, in) start in the block */
    size_t b; /* where the biases (out) start in the block */
};

struct net {
    size_t D;           /* features in and out */
    size_t latent;      /* width of the narrowest layer */
    size_t layer_count; /* 2 to PRI_LAYERS_MAX */
    struct layer layer[PRI_LAYERS_MAX];
    size_t param_count; /* floats in the block */
    float *param;       /* the block */
};

/* What one batch leaves behind on its way through: scratch for one thread. */
struct net_work {
    size_t cap_cols;              /* samples it can hold */
    size_t stride;                /* floats between two features' rows */
    float *y[PRI_LAYERS_MAX + 1]; /* y[0] the input (D, B), y[l + 1] what
                                     layer l made of y[l] (out, B) */
    float *dy[2];                 /* (widest, B): gradients, the two in turn */
    float *turn;                  /* scratch of pri_affine_back_w */
    float *block;                 /* all of the above */
};

/*
 * Lays out a net of D-hidden...-latent-...hidden-D and allocates its zeroed
 * weights. PRAE_OK or PRAE_ENOMEM; sizes were checked by the caller.
 */
prae_status pri_net_init(struct net *net, size_t D, const size_t *hidden,
                         size_t hidden_count, size_t latent,
                         prae_activation act);

/*
 * Glorot's uniform weights, zero biases. The last layer's weights are then
 * shrunk by LAST, so that the first reconstruction is near the mean.
 */
void pri_net_randomise(struct net *net, struct rng *rng, float last);

void pri_net_fini(struct net *net);

/* Scratch for batches of up to CAP_COLS samples. PRAE_OK or PRAE_ENOMEM. */
prae_status pri_work_init(struct net_work *work, const struct net *net,
                          size_t cap_cols);
void pri_work_fini(struct net_work *work);

/* Takes B samples in work->y[0] through the net; the reconstruction (D, B)
 * is then in the last y, which is returned. */
const float *pri_net_forward(const struct net *net, struct net_work *work,
                             size_t B);

/*
 * Takes the loss's gradient by the reconstruction, in work->dy[0] (D, B),
 * back through the net after pri_net_forward. GRAD, laid out as net->param,
 * is overwritten.
 */
void pri_net_backward(const struct net *net, struct net_work *work, size_t B,
                      float *grad);

#endif
