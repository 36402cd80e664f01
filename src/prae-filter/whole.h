/* whole.h - a small file, read whole. */
#ifndef WHOLE_H
#define WHOLE_H

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

/* Reads FD to the end into TEXT, with room for MOST bytes and one more. The
 * length, or -1 with errno: EFBIG where there are more. */
static inline ssize_t
whole_read(int fd, char *text, size_t most)
{
    size_t len = 0;
    ssize_t got;

    /* Not by the size that fstat tells: the file may grow meanwhile. */
    do {
        got = read(fd, text + len, most + 1 - len);
        if (got > 0)
            len += (size_t)got;
    } while ((got > 0 && len <= most) || (got < 0 && errno == EINTR));
    if (len > most)
        errno = EFBIG;
    return got < 0 || len > most ? -1 : (ssize_t)len;
}

#endif
