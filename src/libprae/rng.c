/* rng.c - Philox4x32-10 and the few distributions the engine draws from. */
#include "rng.h"

#include <math.h>

void
pri_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    /* Multipliers and key steps of the published generator. */
    const uint32_t mul0 = 0xD2511F53, mul1 = 0xCD9E8D57;
    const uint32_t step0 = 0x9E3779B9, step1 = 0xBB67AE85;
    uint32_t c0 = counter[0], c1 = counter[1];
    uint32_t c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];

    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)mul0 * c0;
        uint64_t p1 = (uint64_t)mul1 * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        k0 += step0;
        k1 += step1;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

void
pri_rng_init(struct rng *rng, uint64_t seed, uint64_t stream)
{
    *rng = (struct rng){.seed = seed, .stream = stream};
}

uint32_t
pri_rng_bits(struct rng *rng)
{
    if (rng->left == 0) {
        const uint32_t counter[4] = {
            (uint32_t)rng->at, (uint32_t)(rng->at >> 32), (uint32_t)rng->stream,
            (uint32_t)(rng->stream >> 32)};
        const uint32_t key[2] = {(uint32_t)rng->seed,
                                 (uint32_t)(rng->seed >> 32)};
        pri_philox(counter, key, rng->block);
        rng->at++;
        rng->left = 4;
    }
    return rng->block[4 - rng->left--];
}

float
pri_rng_uniform(struct rng *rng)
{
    return (float)(pri_rng_bits(rng) >> 8) * 0x1p-24f;
}

uint32_t
pri_rng_below(struct rng *rng, uint32_t limit)
{
    /* Numbers under this bound would favour the small results. */
    uint32_t biased = -limit % limit;
    uint64_t product;

    do {
        product = (uint64_t)pri_rng_bits(rng) * limit;
    } while ((uint32_t)product < biased);
    return (uint32_t)(product >> 32);
}

float
pri_rng_normal(struct rng *rng)
{
    /* Box-Muller; 1 - u keeps the logarithm's argument above 0. */
    double radius = sqrt(-2.0 * log(1.0 - (double)pri_rng_uniform(rng)));
    double angle = 6.283185307179586 * (double)pri_rng_uniform(rng);

    return (float)(radius * cos(angle));
}

void
pri_rng_shuffle(struct rng *rng, uint32_t *order, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = pri_rng_below(rng, (uint32_t)i);
        uint32_t kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}
