/*
 * rng.h - all randomness: Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011).
 *
 * Counter-based: a number is a function of seed, stream and position, so
 * two purposes never share numbers, and the state is four integers that a
 * snapshot can hold. Each purpose has its own stream below.
 */
#ifndef PRI_RNG_H
#define PRI_RNG_H

#include <stddef.h>
#include <stdint.h>

enum pri_stream {
    PRI_STREAM_WEIGHTS = 1,
    PRI_STREAM_SHUFFLE = 2,
    PRI_STREAM_NOISE = 3,
    PRI_STREAM_SAMPLE = 4, /* rows looked at to choose the net's shape */
    PRI_STREAM_HOLDOUT = 5,
    PRI_STREAM_RESERVOIR = 6
};

struct rng {
    uint64_t seed;
    uint64_t stream;
    uint64_t at; /* blocks drawn so far */
    uint32_t block[4];
    unsigned left; /* numbers of block not yet given out, 0 to 4 */
};

/* One block of four numbers: the generator itself. */
void pri_philox(const uint32_t counter[4], const uint32_t key[2],
                uint32_t out[4]);

/* Starts STREAM of SEED at its beginning. */
void pri_rng_init(struct rng *rng, uint64_t seed, uint64_t stream);

/* The next 32 random bits. */
uint32_t pri_rng_bits(struct rng *rng);

/* Uniform in [0, 1), a multiple of 2^-24. */
float pri_rng_uniform(struct rng *rng);

/* Uniform in 0 .. LIMIT - 1, without bias; LIMIT is 1 to 2^32 - 1. */
uint32_t pri_rng_below(struct rng *rng, uint32_t limit);

/* Standard normal. */
float pri_rng_normal(struct rng *rng);

/* Puts ORDER (COUNT items, below 2^32) into random order. */
void pri_rng_shuffle(struct rng *rng, uint32_t *order, size_t count);

#endif
