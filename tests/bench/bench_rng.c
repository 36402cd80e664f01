/* bench_rng.c - a counter through a 64-bit mixer (SplitMix64's). */
#include "bench_rng.h"

#include <math.h>

static uint64_t
next(struct bench_rng *rng)
{
    uint64_t bits = rng->state += 0x9E3779B97F4A7C15u;

    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EBu;
    return bits ^ bits >> 31;
}

void
bench_rng_init(struct bench_rng *rng, uint64_t seed, uint64_t stream)
{
    /* The stream goes through the mixer before the seed joins, so that
     * neighbours in either do not become neighbours in the counter. */
    rng->state = stream;
    rng->state = next(rng) ^ seed;
    rng->state = next(rng);
}

double
bench_rng_uniform(struct bench_rng *rng)
{
    return (double)(next(rng) >> 11) * 0x1p-53;
}

double
bench_rng_normal(struct bench_rng *rng)
{
    /* Box-Muller; 1 - u keeps the logarithm's argument above 0. */
    double radius = sqrt(-2.0 * log(1.0 - bench_rng_uniform(rng)));

    return radius * cos(6.283185307179586 * bench_rng_uniform(rng));
}

size_t
bench_rng_below(struct bench_rng *rng, size_t limit)
{
    return (size_t)(bench_rng_uniform(rng) * (double)limit);
}

void
bench_rng_order(struct bench_rng *rng, size_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t j = bench_rng_below(rng, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}
