/*
 * bench_rng.h - random numbers for made-up data and splits.
 *
 * Apart from the library's generator on purpose: the bench sees only the
 * public API, and its data must not move when the library's draws do. Not
 * for anything but benches.
 */
#ifndef BENCH_RNG_H
#define BENCH_RNG_H

#include <stddef.h>
#include <stdint.h>

struct bench_rng {
    uint64_t state;
};

/* SEED and STREAM together name a sequence: what a seed means to one use
 * says nothing of another. */
void bench_rng_init(struct bench_rng *rng, uint64_t seed, uint64_t stream);

/* In [0, 1). */
double bench_rng_uniform(struct bench_rng *rng);

/* Of mean 0 and deviation 1. */
double bench_rng_normal(struct bench_rng *rng);

/* In [0, LIMIT); LIMIT is at least 1. */
size_t bench_rng_below(struct bench_rng *rng, size_t limit);

/* Writes 0 to COUNT - 1 to ORDER and mixes them. */
void bench_rng_order(struct bench_rng *rng, size_t *order, size_t count);

#endif
