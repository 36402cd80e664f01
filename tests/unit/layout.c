/*
 * layout.c - the net's block of parameters: layers in mirror order, every
 * parameter in one place, scratch that does not overlap, first weights of
 * the size they should have.
 */
#include <string.h>

#include "matrix.h"
#include "mem.h"
#include "net.h"
#include "tap.h"

#define TANH PRAE_ACTIVATION_TANH
#define LEAKY PRAE_ACTIVATION_LEAKY
#define LINEAR PRAE_ACTIVATION_LINEAR

static const struct build {
    const char *name;
    prae_activation act;
    size_t D, hidden[PRAE_HIDDEN_MAX], hidden_count, latent, cap;
} builds[] = {
    {"linear 7-3-7", LINEAR, 7, {0}, 0, 3, 33},
    {"tanh 5-2-5", TANH, 5, {0}, 0, 2, 1},
    {"leaky 4-6-2-6-4", LEAKY, 4, {6}, 1, 2, 16},
    {"tanh 6-5-4-2-4-5-6", TANH, 6, {5, 4}, 2, 2, 1024},
    {"tanh, as deep as it gets",
     TANH,
     3,
     {2, 3, 4, 5, 6, 7, 8, 9, 9, 8, 7, 6, 5, 4, 3, 2},
     PRAE_HIDDEN_MAX,
     1,
     17},
};

static void
check_layout(const struct build *b)
{
    struct net net;
    int chained = 1, linear = 1, once = 1;

    NEED(pri_net_init(&net, b->D, b->hidden, b->hidden_count, b->latent,
                      b->act) == PRAE_OK);
    unsigned *used = pri_block_new(net.param_count, sizeof *used);
    NEED(used != NULL);
    ok(net.layer_count == 2 * b->hidden_count + 2 && net.latent == b->latent &&
           net.layer[b->hidden_count].out == b->latent &&
           net.layer[net.layer_count - 1].out == b->D,
       "the widths are as asked for: %s", b->name);
    for (size_t l = 0; l < net.layer_count; l++) {
        const struct layer *layer = &net.layer[l];
        size_t mirror = net.layer_count - 1 - l;
        int bare = l == b->hidden_count || l + 1 == net.layer_count;
        chained = chained && layer->in == (l == 0 ? b->D : layer[-1].out) &&
                  layer->in == net.layer[mirror].out;
        linear = linear && layer->act == (bare ? LINEAR : b->act);
        for (size_t i = 0; i < layer->in * layer->out; i++)
            used[layer->w + i]++;
        for (size_t i = 0; i < layer->out; i++)
            used[layer->b + i]++;
    }
    for (size_t i = 0; i < net.param_count; i++)
        once = once && used[i] == 1;
    ok(chained, "layers fit and the decoder mirrors the encoder: %s", b->name);
    ok(linear, "latent and output are linear, the others not: %s", b->name);
    ok(once, "the block holds every parameter once: %s", b->name);
    free(used);
    pri_net_fini(&net);
}

static void
check_work(const struct build *b, enum net_way way)
{
    struct net_work work;
    struct net net;
    size_t at = 0;
    int apart = 1;

    NEED(pri_net_init(&net, b->D, b->hidden, b->hidden_count, b->latent,
                      b->act) == PRAE_OK);
    NEED(pri_work_init(&work, &net, b->cap, way) == PRAE_OK);
    for (size_t l = 0; l <= net.layer_count; l++) {
        size_t rows = l == 0 ? b->D : net.layer[l - 1].out;
        apart = apart && work.y[l] == work.block + at;
        at += rows * work.stride;
    }
    float *most = work.block + at; /* where gradients end */
    for (size_t l = net.layer_count; l > 0; l--) {
        size_t need = net.layer[l - 1].out * work.stride;
        if (way == NET_FORWARD) {
            apart = apart && work.dy[l] == NULL;
            continue;
        }
        /* Not in the way of the one before, or of any. */
        if (l < net.layer_count)
            apart = apart && work.dy[l] != work.dy[l + 1];
        if (way == NET_APART)
            apart = apart && work.dy[l] == most;
        work.dy[l][need - 1] = 1.0f; /* is there to be written */
        if (work.dy[l] + need > most)
            most = work.dy[l] + need;
    }
    apart = apart && work.turn >= most;
    work.turn[b->cap * pri_batch_turned(b->D) - 1] = 1.0f;
    ok(apart && work.stride >= b->cap,
       "a batch's scratch has a place for each layer: %s, %d", b->name,
       (int)way);
    pri_work_fini(&work);
    pri_net_fini(&net);
    ok(net.param == NULL && work.block == NULL, "nothing is left after fini");
}

static void
check_random(void)
{
    static const float lasts[] = {1.0f, 0.3f, 0.03f};
    const size_t hidden[] = {30};

    for (size_t c = 0; c < sizeof lasts / sizeof *lasts; c++) {
        struct net net;
        struct rng rng;
        int inside = 1, filled = 1, unbiased = 1;
        NEED(pri_net_init(&net, 20, hidden, 1, 10, TANH) == PRAE_OK);
        for (size_t i = 0; i < net.param_count; i++)
            net.param[i] = 9.0f;
        pri_rng_init(&rng, 5, PRI_STREAM_WEIGHTS);
        pri_net_randomise(&net, &rng, lasts[c]);
        for (size_t l = 0; l < net.layer_count; l++) {
            const struct layer *layer = &net.layer[l];
            size_t count = layer->in * layer->out;
            double reach = sqrt(6.0 / (double)(layer->in + layer->out));
            double squares = 0.0;
            if (l + 1 == net.layer_count)
                reach *= (double)lasts[c];
            for (size_t i = 0; i < count; i++) {
                double w = (double)net.param[layer->w + i];
                inside = inside && fabs(w) <= reach * 1.000001;
                squares += w * w / (double)count;
            }
            /* Uniform in -+reach: variance reach^2 / 3. */
            filled = filled && fabs(squares * 3.0 / (reach * reach) - 1) < 0.25;
            for (size_t i = 0; i < layer->out; i++)
                unbiased = unbiased && net.param[layer->b + i] == 0.0f;
        }
        ok(inside && filled, "weights are Glorot's, the last layer's x %g",
           (double)lasts[c]);
        ok(unbiased, "biases start at 0, last x %g", (double)lasts[c]);
        pri_net_fini(&net);
    }
}

int
main(void)
{
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++) {
        check_layout(&builds[i]);
        check_work(&builds[i], NET_FORWARD);
        check_work(&builds[i], NET_BACK);
        check_work(&builds[i], NET_APART);
    }
    check_random();
    return tap_done();
}
