/*
 * shape.c - the net that a table gets. The wide tables here are made of
 * square waves that are orthogonal over 512 rows, so the number of
 * directions they spread over is known exactly.
 */
#include <string.h>

#include "mem.h"
#include "shape.h"
#include "tap.h"

#define WAVES 512 /* rows after which the waves repeat */

/* +1 or -1: wave number K (1 to 511) at row I; K differ, sum over I 0. */
static float
wave(size_t i, size_t k)
{
    return __builtin_parityl(i % WAVES & k) ? -1.0f : 1.0f;
}

/* (N, D): column d is OFFSET plus wave d % RANK, times GAIN for wave 0. */
static float *
table(size_t N, size_t D, size_t rank, float gain, float offset)
{
    float *x = pri_matrix_new(N, D);

    NEED(x != NULL);
    for (size_t i = 0; i < N; i++)
        for (size_t d = 0; d < D; d++)
            x[i * D + d] =
                offset + (d % rank == 0 ? gain : 1.0f) * wave(i, d % rank + 1);
    return x;
}

static const struct {
    const char *name;
    size_t N, D, rank;
    float gain, offset;
    size_t latent;
} wide[] = {
    {"a single direction", 512, 120, 1, 1, 0, 1},
    {"two directions", 512, 120, 2, 1, 0, 2},
    {"five directions", 512, 120, 5, 1, 0, 5},
    {"five directions, far from 0", 512, 120, 5, 1, 50, 5},
    {"five directions in 65 columns", 512, 65, 5, 1, 0, 5},
    {"twelve directions", 512, 120, 12, 1, 0, 12},
    {"24 directions", 512, 120, 24, 1, 0, 24},
    {"forty directions", 512, 120, 40, 1, 0, 24},
    /* variances 9 1 1 1 1: 13^2 / 85 = 1.99 */
    {"one strong direction of five", 512, 120, 5, 3, 0, 2},
    /* variances 2.25 1 1: 4.25^2 / 7.0625 = 2.56 */
    {"one stronger direction of three", 512, 120, 3, 1.5f, 0, 3},
    {"constant columns", 512, 100, 1, 0, 7, 1},
    {"one row", 1, 100, 5, 1, 0, 1},
    {"two rows", 2, 100, 5, 1, 0, 1},
    {"five directions in more rows than are looked at", 4096, 65, 5, 1, 0, 5},
};

static void
check_wide(void)
{
    prae_params params;
    struct net net;

    prae_params_init(&params);
    for (size_t c = 0; c < sizeof wide / sizeof *wide; c++) {
        float *x = table(wide[c].N, wide[c].D, wide[c].rank, wide[c].gain,
                         wide[c].offset);
        NEED(pri_shape_net(&net, &params, x, wide[c].N, wide[c].D) == PRAE_OK);
        if (!ok(net.layer_count == 2 && net.latent == wide[c].latent &&
                    net.D == wide[c].D,
                "%s: linear, latent %zu", wide[c].name, wide[c].latent))
            printf("# %zu layers, latent %zu\n", net.layer_count, net.latent);
        pri_net_fini(&net);
        free(x);
    }
}

/* Nets by number of columns and by what the caller sets. */
static const struct {
    const char *name;
    size_t D, hidden_count, hidden[3], latent;
    prae_activation act;
    const char *wanted; /* widths after the input, and activations */
} asked[] = {
    {"one column",
     1,
     PRAE_HIDDEN_AUTO,
     {0},
     0,
     PRAE_ACTIVATION_TANH,
     "10t 10t 10t 10t 10t 1. 10t 10t 10t 10t 10t 1."},
    {"64 columns",
     64,
     PRAE_HIDDEN_AUTO,
     {0},
     0,
     PRAE_ACTIVATION_TANH,
     "10t 10t 10t 10t 10t 1. 10t 10t 10t 10t 10t 64."},
    {"65 columns of rank 5",
     65,
     PRAE_HIDDEN_AUTO,
     {0},
     0,
     PRAE_ACTIVATION_TANH,
     "5. 65."},
    {"leaky, 8 columns",
     8,
     PRAE_HIDDEN_AUTO,
     {0},
     0,
     PRAE_ACTIVATION_LEAKY,
     "10l 10l 10l 10l 10l 1. 10l 10l 10l 10l 10l 8."},
    {"latent 3, 8 columns",
     8,
     PRAE_HIDDEN_AUTO,
     {0},
     3,
     PRAE_ACTIVATION_TANH,
     "10t 10t 10t 10t 10t 3. 10t 10t 10t 10t 10t 8."},
    {"latent 30, 100 columns",
     100,
     PRAE_HIDDEN_AUTO,
     {0},
     30,
     PRAE_ACTIVATION_TANH,
     "30. 100."},
    {"no hidden layers, 10 columns of rank 5",
     10,
     0,
     {0},
     0,
     PRAE_ACTIVATION_TANH,
     "5. 10."},
    {"hidden 20 and 7, 100 columns",
     100,
     2,
     {20, 7},
     0,
     PRAE_ACTIVATION_TANH,
     "20t 7t 1. 7t 20t 100."},
    {"hidden 4, latent 2, linear",
     6,
     1,
     {4},
     2,
     PRAE_ACTIVATION_LINEAR,
     "4. 2. 4. 6."},
};

static void
describe(const struct net *net, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t l = 0; l < net->layer_count && used < size; l++)
        used += (size_t)snprintf(text + used, size - used, "%s%zu%c",
                                 l == 0 ? "" : " ", net->layer[l].out,
                                 "tl."[net->layer[l].act]);
}

static void
check_asked(void)
{
    for (size_t c = 0; c < sizeof asked / sizeof *asked; c++) {
        float *x = table(WAVES, asked[c].D, 5, 1, 0);
        char text[200];
        prae_params params;
        struct net net;
        prae_params_init(&params);
        params.hidden_count = asked[c].hidden_count;
        memcpy(params.hidden, asked[c].hidden, sizeof asked[c].hidden);
        params.latent = asked[c].latent;
        params.activation = asked[c].act;
        NEED(pri_shape_net(&net, &params, x, WAVES, asked[c].D) == PRAE_OK);
        describe(&net, text, sizeof text);
        if (!ok(strcmp(text, asked[c].wanted) == 0, "%s", asked[c].name))
            printf("# %s\n", text);
        pri_net_fini(&net);
        free(x);
    }
}

/* The last layer's largest weight, in parts of Glorot's bound. */
static double
last_reach(const struct net *net)
{
    const struct layer *last = &net->layer[net->layer_count - 1];
    double most = 0.0;

    for (size_t i = 0; i < last->in * last->out; i++)
        most = fmax(most, fabs((double)net->param[last->w + i]));
    return most / sqrt(6.0 / (double)(last->in + last->out));
}

static void
check_weights(size_t D, double reach)
{
    float *x = table(WAVES, D, 5, 1, 0);
    struct net net, again, other;
    prae_params params;

    prae_params_init(&params);
    NEED(pri_shape_net(&net, &params, x, WAVES, D) == PRAE_OK);
    NEED(pri_shape_net(&again, &params, x, WAVES, D) == PRAE_OK);
    params.seed = 2;
    NEED(pri_shape_net(&other, &params, x, WAVES, D) == PRAE_OK);
    size_t bytes = net.param_count * sizeof *net.param;
    ok(memcmp(net.param, again.param, bytes) == 0,
       "%zu columns: one seed, the same weights", D);
    ok(memcmp(net.param, other.param, bytes) != 0,
       "%zu columns: another seed, others", D);
    ok(last_reach(&net) <= reach * 1.00001 && last_reach(&net) > reach * 0.8,
       "%zu columns: the last layer starts shrunk to %g", D, reach);
    pri_net_fini(&net);
    pri_net_fini(&again);
    pri_net_fini(&other);
    free(x);
}

int
main(void)
{
    check_wide();
    check_asked();
    check_weights(10, 0.03);
    check_weights(80, 0.3);
    return tap_done();
}
