/* crowd.c - a list without an order. */
#include "crowd.h"

#include <stdlib.h>

void
crowd_add(struct crowd *crowd, int fd)
{
    if (crowd->count == crowd->cap) {
        size_t cap = crowd->cap == 0 ? 8 : 2 * crowd->cap;
        int *more = realloc(crowd->fds, cap * sizeof *more);
        if (more == NULL)
            return; /* it is not waited for at the end */
        crowd->fds = more;
        crowd->cap = cap;
    }
    crowd->fds[crowd->count++] = fd;
}

int
crowd_remove(struct crowd *crowd, int fd)
{
    size_t i = 0;

    while (i < crowd->count && crowd->fds[i] != fd)
        i++;
    if (i == crowd->count)
        return 0;
    crowd->fds[i] = crowd->fds[--crowd->count];
    return 1;
}

void
crowd_empty(struct crowd *crowd)
{
    crowd->count = 0;
}

void
crowd_free(struct crowd *crowd)
{
    free(crowd->fds);
    *crowd = (struct crowd){0};
}
