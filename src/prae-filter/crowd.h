/* crowd.h - the connections there are to a socket, by descriptor. */
#ifndef CROWD_H
#define CROWD_H

#include <stddef.h>

/* All 0 is an empty one. */
struct crowd {
    int *fds; /* (count), NULL until the first has come */
    size_t count;
    size_t cap;
};

/* FD has come; where there is no memory it is left out. */
void crowd_add(struct crowd *crowd, int fd);

/* FD has gone. Whether it was there. */
int crowd_remove(struct crowd *crowd, int fd);

/* All have gone. */
void crowd_empty(struct crowd *crowd);

void crowd_free(struct crowd *crowd);

#endif
