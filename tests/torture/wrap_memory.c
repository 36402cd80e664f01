/* wrap_memory.c - memory that is not there. */
#include <errno.h>
#include <stddef.h>

#include "fault.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
int __real_posix_memalign(void **out, size_t align, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *block);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
int __wrap_posix_memalign(void **out, size_t align, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *block);

static void *
noted(void *block)
{
    fault_note_blocks(block != NULL);
    return block;
}

void *
__wrap_malloc(size_t size)
{
    return FAULT_STRIKES(FAULT_MEMORY, "malloc") ? NULL
                                                 : noted(__real_malloc(size));
}

void *
__wrap_calloc(size_t count, size_t size)
{
    return FAULT_STRIKES(FAULT_MEMORY, "calloc")
               ? NULL
               : noted(__real_calloc(count, size));
}

void *
__wrap_realloc(void *block, size_t size)
{
    if (FAULT_STRIKES(FAULT_MEMORY, "realloc"))
        return NULL;
    void *moved = __real_realloc(block, size);
    fault_note_blocks(moved != NULL && block == NULL);
    return moved;
}

int
__wrap_posix_memalign(void **out, size_t align, size_t size)
{
    if (FAULT_STRIKES(FAULT_MEMORY, "posix_memalign"))
        return ENOMEM;
    int status = __real_posix_memalign(out, align, size);
    fault_note_blocks(status == 0);
    return status;
}

char *
__wrap_strdup(const char *text)
{
    return FAULT_STRIKES(FAULT_MEMORY, "strdup") ? NULL
                                                 : noted(__real_strdup(text));
}

void
__wrap_free(void *block)
{
    fault_note_blocks(-(block != NULL));
    __real_free(block);
}
