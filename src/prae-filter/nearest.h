/* nearest.h - which word was meant by one that is misspelt. */
#ifndef NEAREST_H
#define NEAREST_H

#include <stddef.h>

struct nearest {
    const char *word; /* that was written */
    const char *best; /* of those that were tried; NULL: none is near */
    size_t away;      /* letters in which they differ */
};

/* Begins to look for what WORD may have been meant to be. */
void nearest_init(struct nearest *nearest, const char *word);

/* One more that it may have been. */
void nearest_try(struct nearest *nearest, const char *other);

#endif
