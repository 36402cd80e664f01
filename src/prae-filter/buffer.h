/* buffer.h - bytes that grow as more are added. */
#ifndef BUFFER_H
#define BUFFER_H

#include <stdlib.h>
#include <string.h>

#include "prae.h"

/* Room for LEN bytes behind what BUFFER holds; whether there is. */
static inline int
buffer_make_room(prae_buffer *buffer, size_t len)
{
    if (buffer->data != NULL && len <= buffer->cap - buffer->len)
        return 1;
    size_t cap = 2 * (buffer->len + len) + 64;
    char *more = realloc(buffer->data, cap);
    if (more == NULL)
        return 0;
    buffer->data = more;
    buffer->cap = cap;
    return 1;
}

/* BYTES (LEN), for which there may have to be more room; whether there is. */
static inline int
buffer_add(prae_buffer *buffer, const char *bytes, size_t len)
{
    if (!buffer_make_room(buffer, len))
        return 0;
    memcpy(buffer->data + buffer->len, bytes, len);
    buffer->len += len;
    return 1;
}

#endif
