/*
 * counted.h - the allocator's functions, counted and made to fail. For a
 * program linked with --wrap for each of them; the matrix library allocates
 * for itself and is left alone.
 */
#ifndef PRAE_TEST_COUNTED_H
#define PRAE_TEST_COUNTED_H

#include <errno.h>
#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
int __real_posix_memalign(void **out, size_t align, size_t size);
void __real_free(void *block);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
int __wrap_posix_memalign(void **out, size_t align, size_t size);
void __wrap_free(void *block);

static long asked;         /* allocations so far */
static size_t asked_bytes; /* in all of them */
static long failing = -1;  /* the one that fails, counted from 0; -1: none */
static long held;          /* blocks not yet freed */

static int
refused(size_t size)
{
    asked_bytes += size;
    return asked++ == failing;
}

void *
__wrap_malloc(size_t size)
{
    void *block = refused(size) ? NULL : __real_malloc(size);

    held += block != NULL;
    return block;
}

void *
__wrap_calloc(size_t count, size_t size)
{
    void *block = refused(count * size) ? NULL : __real_calloc(count, size);

    held += block != NULL;
    return block;
}

void *
__wrap_realloc(void *block, size_t size)
{
    void *moved = refused(size) ? NULL : __real_realloc(block, size);

    held += moved != NULL && block == NULL;
    return moved;
}

int
__wrap_posix_memalign(void **out, size_t align, size_t size)
{
    int status =
        refused(size) ? ENOMEM : __real_posix_memalign(out, align, size);

    held += status == 0;
    return status;
}

void
__wrap_free(void *block)
{
    held -= block != NULL;
    __real_free(block);
}

#endif
