/*
 * name_hash.h - hashes of names, and of values, that come from outside.
 *
 * Who sends names may choose them so that all of them meet in one slot of a
 * table, and each look-up then walks through all of it. So the hash hangs on a
 * seed that is drawn anew for each table and that nobody outside can know.
 * Where a name lies is seen nowhere: results are the same with any seed.
 */
#ifndef PRI_NAME_HASH_H
#define PRI_NAME_HASH_H

#include <stddef.h>
#include <stdint.h>

/* A seed for a new table. */
uint64_t pri_name_seed(void);

/* The hash of NAME (LEN bytes) with SEED. */
uint64_t pri_name_hash(uint64_t seed, const void *name, size_t len);

#endif
