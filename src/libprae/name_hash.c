/* name_hash.c - XXH3, seeded by the system. */
#include "name_hash.h"

#include <time.h>
#include <unistd.h>
#include <xxhash.h>

uint64_t
pri_name_key(void)
{
    uint64_t key;

    /* Old kernels have nothing to draw from: hard to guess has to do. */
    if (getentropy(&key, sizeof key) != 0)
        key = (uint64_t)(uintptr_t)&key ^ (uint64_t)time(NULL) << 32;
    return key;
}

uint64_t
pri_name_hash(uint64_t key, const void *name, size_t len)
{
    return XXH3_64bits_withSeed(name, len, key);
}
