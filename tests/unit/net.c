/*
 * net.c - the net against itself written out plainly in double: what it
 * computes, and its gradient by finite differences of every parameter.
 */
#include <string.h>

#include "mem.h"
#include "net.h"
#include "paths.h"
#include "tap.h"

#define TANH PRAE_ACTIVATION_TANH
#define LEAKY PRAE_ACTIVATION_LEAKY
#define LINEAR PRAE_ACTIVATION_LINEAR
#define WIDTH_MAX 40

static const struct build {
    const char *name;
    prae_activation act;
    size_t D, hidden[5], hidden_count, latent, B, cap;
} builds[] = {
    {"tanh 3-4-1-4-3", TANH, 3, {4}, 1, 1, 7, 7},
    {"tanh 6-5-4-2-4-5-6", TANH, 6, {5, 4}, 2, 2, 17, 32},
    {"tanh 2-3-3-3-3-3-1-...", TANH, 2, {3, 3, 3, 3, 3}, 5, 1, 5, 64},
    {"tanh 1-1-1-1-1", TANH, 1, {1}, 1, 1, 1, 1},
    {"leaky 4-6-2-6-4", LEAKY, 4, {6}, 1, 2, 9, 16},
    {"leaky 5-4-3-1-3-4-5", LEAKY, 5, {4, 3}, 2, 1, 20, 20},
    {"linear 7-3-7", LINEAR, 7, {0}, 0, 3, 33, 33},
    {"tanh 9-7-2-7-9, several cuts", TANH, 9, {7}, 1, 2, 64, 100},
    {"linear 4-5-2-5-4", LINEAR, 4, {5}, 1, 2, 3, 100},
    {"tanh asked for, 5-2-5 without hidden layers", TANH, 5, {0}, 0, 2, 4, 4},
    {"leaky, wider than its input", LEAKY, 2, {19, 11}, 2, 3, 6, 6},
};

#define BUILD_COUNT (sizeof builds / sizeof *builds)

static double
activated(prae_activation act, double x)
{
    if (act == TANH)
        return tanh(x);
    return act == LEAKY && x < 0.0 ? 0.01 * x : x;
}

/* What the layers make of one sample X (D): Y (D). */
static void
plain_forward(const struct net *net, const double *param, const double *x,
              double *y)
{
    double in[WIDTH_MAX], out[WIDTH_MAX];

    memcpy(in, x, net->D * sizeof *in);
    for (size_t l = 0; l < net->layer_count; l++) {
        const struct layer *layer = &net->layer[l];
        for (size_t i = 0; i < layer->out; i++) {
            double sum = param[layer->b + i];
            for (size_t k = 0; k < layer->in; k++)
                sum += param[layer->w + i * layer->in + k] * in[k];
            out[i] = activated(layer->act, sum);
        }
        memcpy(in, out, sizeof in);
    }
    memcpy(y, in, net->D * sizeof *y);
}

/* sum over samples and features of c_dj (y_dj - 0.3)^2, c_dj = 1 + d + j. */
static double
plain_loss(const struct net *net, const double *param, const double *x,
           size_t B)
{
    double loss = 0.0, y[WIDTH_MAX];

    for (size_t j = 0; j < B; j++) {
        plain_forward(net, param, x + j * net->D, y);
        for (size_t d = 0; d < net->D; d++)
            loss += (double)(1 + d + j) * (y[d] - 0.3) * (y[d] - 0.3);
    }
    return loss;
}

static void
build(const struct build *b, struct net *net, struct net_work *work)
{
    struct rng rng;

    NEED(pri_net_init(net, b->D, b->hidden, b->hidden_count, b->latent,
                      b->act) == PRAE_OK);
    NEED(pri_work_init(work, net, b->cap, NET_BACK) == PRAE_OK);
    pri_rng_init(&rng, 21, b->D);
    pri_net_randomise(net, &rng, 1.0f);
    for (size_t i = 0; i < net->param_count; i++) /* biases too */
        net->param[i] += 0.2f * pri_rng_normal(&rng);
}

static void
check_gradient(const struct build *b)
{
    double x[64 * WIDTH_MAX], y[WIDTH_MAX], forward_off = 0.0;
    double worst = 0.0, largest = 0.0;
    struct net_work work;
    struct net net;
    struct rng rng;

    build(b, &net, &work);
    double *param = pri_block_new(net.param_count, sizeof *param);
    float *grad = pri_floats_new(net.param_count);
    NEED(param != NULL && grad != NULL);
    pri_rng_init(&rng, 22, b->D);
    for (size_t j = 0; j < b->B; j++)
        for (size_t d = 0; d < b->D; d++) {
            work.y[0][d * work.stride + j] = pri_rng_normal(&rng);
            x[j * b->D + d] = (double)work.y[0][d * work.stride + j];
        }
    for (size_t i = 0; i < net.param_count; i++) {
        param[i] = (double)net.param[i];
        grad[i] = NAN; /* must be overwritten, not added to */
    }

    const float *made = work.y[net.layer_count];
    pri_net_forward(&net, &work, 0, b->B);
    for (size_t j = 0; j < b->B; j++) {
        plain_forward(&net, param, x + j * b->D, y);
        for (size_t d = 0; d < b->D; d++) {
            double got = (double)made[d * work.stride + j];
            forward_off = fmax(forward_off, fabs(got - y[d]));
            work.dy[net.layer_count][d * work.stride + j] =
                (float)(2.0 * (double)(1 + d + j) * (got - 0.3));
        }
    }
    ok(forward_off < 2e-5, "forward is the plain net: %s", b->name);

    pri_net_backward(&net, &work, b->B, grad);
    for (size_t i = 0; i < net.param_count; i++) {
        const double h = 1e-6;
        double kept = param[i];
        param[i] = kept + h;
        double above = plain_loss(&net, param, x, b->B);
        param[i] = kept - h;
        double slope = (above - plain_loss(&net, param, x, b->B)) / (2.0 * h);
        param[i] = kept;
        largest = fmax(largest, fabs(slope));
        double off = fabs((double)grad[i] - slope);
        worst = off <= worst ? worst : off; /* NaN comes through */
    }
    if (!ok(worst < 3e-5 * largest + 1e-5,
            "every gradient is its finite difference: %s", b->name))
        printf("# off by %g, largest %g\n", worst, largest);
    free(param);
    free(grad);
    pri_work_fini(&work);
    pri_net_fini(&net);
}

/* A batch that is cut into columns, and layers in another order. */
static void
check_parts(const struct build *b)
{
    struct net_work whole, parts;
    struct net net;
    struct rng rng;

    build(b, &net, &whole);
    NEED(pri_work_init(&parts, &net, b->cap, NET_APART) == PRAE_OK);
    float *grad = pri_floats_new(net.param_count);
    float *other = pri_floats_new(net.param_count);
    NEED(grad != NULL && other != NULL);
    size_t last = net.layer_count, len = b->D * whole.stride;
    pri_rng_init(&rng, 23, b->D);
    for (size_t i = 0; i < len; i++) {
        parts.y[0][i] = whole.y[0][i] = pri_rng_normal(&rng);
        parts.dy[last][i] = whole.dy[last][i] = pri_rng_normal(&rng);
    }
    pri_net_forward(&net, &whole, 0, b->B);
    pri_net_backward(&net, &whole, b->B, grad);
    for (size_t at = 0; at < b->B; at += 32)
        pri_net_forward(&net, &parts, at, b->B - at < 32 ? b->B - at : 32);
    for (size_t at = 0; at < b->B; at += 32)
        pri_net_back_x(&net, &parts, at, b->B - at < 32 ? b->B - at : 32);
    for (size_t l = 0; l < last; l++)
        pri_net_back_w(&net, &parts, (l + 1) % last, b->B, other, whole.turn);
    ok(memcmp(grad, other, net.param_count * sizeof *grad) == 0,
       "by columns and layers it is the same, to the bit: %s", b->name);
    free(grad);
    free(other);
    pri_work_fini(&whole);
    pri_work_fini(&parts);
    pri_net_fini(&net);
}

/* 2-1-2: a = act(x0 + 2 x1 + 1/2), y = (3 a + 1/4, -a - 2), where the
 * hidden width makes the activation's layer the first. */
static void
check_by_hand(void)
{
    static const struct {
        const char *name;
        prae_activation act;
        size_t hidden_count;
        double wanted[2][2]; /* for x = (1, -1) and (0.5, 0) */
    } cases[] = {
        {"linear", LINEAR, 0, {{-1.25, -1.5}, {3.25, -3.0}}},
        {"leaky", LEAKY, 1, {{0.235, -1.995}, {3.25, -3.0}}},
        {"tanh", TANH, 1, {{-1.1363515, -1.5378828}, {2.5347825, -2.7615942}}},
    };
    const size_t hidden[] = {1};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct net_work work;
        struct net net;
        double worst = 0.0;
        NEED(pri_net_init(&net, 2, hidden, cases[c].hidden_count, 1,
                          cases[c].act) == PRAE_OK);
        NEED(pri_work_init(&work, &net, 2, NET_FORWARD) == PRAE_OK);
        size_t last = net.layer_count - 1;
        for (size_t l = 1; l < last; l++) /* those between pass through: */
            net.param[net.layer[l].w] = 1.0f;
        if (last > 1) /* ... the decoder's hidden one, too, once linear */
            net.layer[last - 1].act = LINEAR;
        memcpy(net.param + net.layer[0].w, (float[]){1.0f, 2.0f}, 8);
        net.param[net.layer[0].b] = 0.5f;
        memcpy(net.param + net.layer[last].w, (float[]){3.0f, -1.0f}, 8);
        memcpy(net.param + net.layer[last].b, (float[]){0.25f, -2.0f}, 8);
        memcpy(work.y[0], (float[]){1.0f, 0.5f}, 8);
        memcpy(work.y[0] + work.stride, (float[]){-1.0f, 0.0f}, 8);
        const float *y = work.y[net.layer_count];
        pri_net_forward(&net, &work, 0, 2);
        for (size_t j = 0; j < 2; j++)
            for (size_t d = 0; d < 2; d++)
                worst = fmax(worst, fabs((double)y[d * work.stride + j] -
                                         cases[c].wanted[j][d]));
        ok(worst < 2e-6, "%s net computed by hand", cases[c].name);
        pri_work_fini(&work);
        pri_net_fini(&net);
    }
}

int
main(void)
{
    for (size_t path = 0; next_path(&path);) {
        check_by_hand();
        for (size_t i = 0; i < BUILD_COUNT; i++) {
            check_gradient(&builds[i]);
            check_parts(&builds[i]);
        }
    }
    return tap_done();
}
