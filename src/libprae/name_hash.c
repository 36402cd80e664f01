/* name_hash.c - XXH3, seeded by the system. */
#include "name_hash.h"

#include <time.h>
#include <unistd.h>
#include <xxhash.h>

uint64_t
pri_name_seed(void)
{
    uint64_t seed;

    /* Old kernels have nothing to draw from: hard to guess has to do. */
    if (getentropy(&seed, sizeof seed) != 0)
        seed = (uint64_t)(uintptr_t)&seed ^ (uint64_t)time(NULL) << 32;
    return seed;
}

uint64_t
pri_name_hash(uint64_t seed, const void *name, size_t len)
{
    return XXH3_64bits_withSeed(name, len, seed);
}
