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

/* What one batch leaves behind on its way through. Threads may share it, each
 * with columns of its own. */
struct net_work {
    size_t cap_cols;               /* samples it can hold */
    size_t stride;                 /* floats between two features' rows */
    float *y[PRI_LAYERS_MAX + 1];  /* y[0] the input (D, B), y[l + 1] what
                                      layer l made of y[l] (out, B) */
    float *dy[PRI_LAYERS_MAX + 1]; /* dy[l + 1] the gradient by y[l + 1] */
    float *turn;                   /* scratch of pri_affine_back_w */
    float *block;                  /* all of the above */
};

/* What there is to be room for. */
enum net_way {
    NET_FORWARD, /* no gradients */
    NET_BACK,    /* gradients in two places in turn: pri_net_backward */
    NET_APART    /* each in its own: pri_net_back_x and _back_w as well */
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
                          size_t cap_cols, enum net_way way);
void pri_work_fini(struct net_work *work);

/* Takes B samples in work->y[0], from column FROM on, through the net; the
 * reconstruction is then in the last y. */
void pri_net_forward(const struct net *net, struct net_work *work, size_t from,
                     size_t B);

/* The same through layers FIRST up to END, from work->y[first] on. */
void pri_net_forward_part(const struct net *net, struct net_work *work,
                          size_t first, size_t end, size_t from, size_t B);

/*
 * Takes the loss's gradient by the reconstruction, in the last dy (D, B),
 * back through the net after pri_net_forward. GRAD, laid out as net->param,
 * is overwritten.
 */
void pri_net_backward(const struct net *net, struct net_work *work, size_t B,
                      float *grad);

/*
 * The same in two steps, for several threads: samples by columns as in
 * pri_net_forward, up to what each layer's activation was given; and once all
 * of a batch is there, layer L's weights, with scratch TURN as in a work.
 */
void pri_net_back_x(const struct net *net, struct net_work *work, size_t from,
                    size_t B);
void pri_net_back_w(const struct net *net, const struct net_work *work,
                    size_t l, size_t B, float *grad, float *turn);

/* Whether batches of up to B give the same, to the bit, however their columns
 * are cut: in pri_net_forward, and in pri_net_back_x. */
int pri_net_is_own(const struct net *net, size_t B);
int pri_net_back_x_is_own(const struct net *net);

#endif
