/*
 * mem.h - aligned blocks of numbers, with the size checked before it is
 * multiplied. Freed with free().
 */
#ifndef PRI_MEM_H
#define PRI_MEM_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that every block of floats is aligned to: a cache line, and the
 * widest vector register there is. */
#define PRI_ALIGN 64

/* COUNT items of ITEM_BYTES each, zeroed, or NULL: out of memory, or a
 * product that does not fit. A count of 0 gives a block that may be freed. */
static inline void *
pri_block_new(size_t count, size_t item_bytes)
{
    void *block = NULL;

    if (count > (SIZE_MAX - PRI_ALIGN) / item_bytes)
        return NULL;
    /* Rounded up, so that vector code may read the last line whole. */
    size_t len_bytes = count * item_bytes;
    len_bytes = (len_bytes + PRI_ALIGN) / PRI_ALIGN * PRI_ALIGN;
    if (posix_memalign(&block, PRI_ALIGN, len_bytes) != 0)
        return NULL;
    return memset(block, 0, len_bytes);
}

static inline float *
pri_floats_new(size_t count)
{
    return pri_block_new(count, sizeof(float));
}

/* ROWS times COLS floats, or NULL as above. */
static inline float *
pri_matrix_new(size_t rows, size_t cols)
{
    if (cols != 0 && rows > SIZE_MAX / sizeof(float) / cols)
        return NULL;
    return pri_floats_new(rows * cols);
}

#endif
