/* shape.c - the net's widths from the table's. */
#include "shape.h"

#include <math.h>

#include "matrix.h"
#include "mem.h"

#define NARROW_MAX 64  /* columns up to which the deep net is used */
#define LATENT_MAX 24  /* most directions a linear net keeps by itself */
#define SAMPLE_MAX 512 /* rows that the directions are counted on */

/* First reconstructions near the mean, so that the first errors are the
 * distances from it; a linear net needs some of its weights to start. */
#define LAST_DEEP 0.03f
#define LAST_LINEAR 0.3f

/* Up to SAMPLE_MAX rows of X, drawn without repetition, each column's mean
 * taken off: SAMPLE (the returned count, D). */
static size_t
draw(const float *x, size_t N, size_t D, uint64_t seed, uint32_t *order,
     float *sample)
{
    size_t count = N < SAMPLE_MAX ? N : SAMPLE_MAX;
    struct rng rng;

    pri_rng_init(&rng, seed, PRI_STREAM_SAMPLE);
    for (size_t i = 0; i < N; i++)
        order[i] = (uint32_t)i;
    pri_rng_shuffle(&rng, order, N);
    for (size_t i = 0; i < count; i++)
        memcpy(sample + i * D, x + order[i] * D, D * sizeof *x);
    for (size_t d = 0; d < D; d++) {
        double sum = 0.0;
        for (size_t i = 0; i < count; i++)
            sum += (double)sample[i * D + d];
        for (size_t i = 0; i < count; i++)
            sample[i * D + d] -= (float)(sum / (double)count);
    }
    return count;
}

/*
 * The participation ratio (sum w)^2 / sum w^2 of the covariance's
 * eigenvalues w. Rows times rows has the same nonzero eigenvalues, so its
 * trace and its Frobenius norm give both sums without a solver.
 */
static double
participation(const float *gram, size_t count)
{
    double trace = 0.0, squares = 0.0;

    for (size_t i = 0; i < count; i++)
        trace += (double)gram[i * count + i];
    for (size_t i = 0; i < count * count; i++)
        squares += (double)gram[i] * (double)gram[i];
    return squares > 0.0 ? trace * trace / squares : 1.0;
}

static prae_status
count_directions(const float *x, size_t N, size_t D, uint64_t seed,
                 size_t *latent)
{
    size_t cap = N < SAMPLE_MAX ? N : SAMPLE_MAX;
    uint32_t *order = pri_block_new(N, sizeof *order);
    float *sample = pri_matrix_new(cap, D);
    float *gram = pri_matrix_new(cap, cap);
    prae_status status = PRAE_ENOMEM;

    if (order == NULL || sample == NULL || gram == NULL ||
        pri_matrix_room() != PRAE_OK)
        goto out;
    size_t count = draw(x, N, D, seed, order, sample);
    pri_gram(count, D, sample, gram);
    double ratio = round(participation(gram, count));
    *latent = ratio < 1.0 ? 1 : ratio > LATENT_MAX ? LATENT_MAX : (size_t)ratio;
    status = PRAE_OK;
out:
    free(order);
    free(sample);
    free(gram);
    return status;
}

prae_status
pri_shape_net(struct net *net, const prae_params *params, const float *x,
              size_t N, size_t D)
{
    static const size_t deep[] = {10, 10, 10, 10, 10};
    const size_t *hidden = params->hidden;
    size_t hidden_count = params->hidden_count;
    size_t latent = params->latent;
    prae_status status = PRAE_OK;
    struct rng rng;

    if (hidden_count == PRAE_HIDDEN_AUTO) {
        hidden = deep;
        hidden_count = D <= NARROW_MAX ? sizeof deep / sizeof *deep : 0;
    }
    if (latent == 0 && hidden_count > 0)
        latent = 1;
    if (latent == 0)
        status = count_directions(x, N, D, params->seed, &latent);
    if (status == PRAE_OK)
        status = pri_net_init(net, D, hidden, hidden_count, latent,
                              params->activation);
    if (status != PRAE_OK)
        return status;
    pri_rng_init(&rng, params->seed, PRI_STREAM_WEIGHTS);
    pri_net_randomise(net, &rng, hidden_count > 0 ? LAST_DEEP : LAST_LINEAR);
    return PRAE_OK;
}
