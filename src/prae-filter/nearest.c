/* nearest.c - counts letters to change, add or drop. */
#include "nearest.h"

#include <string.h>

#define LONGEST 64

static size_t
distance(const char *a, const char *b)
{
    size_t row[LONGEST], lb = strlen(b);

    if (lb >= LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= lb; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[lb];
}

void
nearest_init(struct nearest *nearest, const char *word)
{
    /* With three letters wrong it is another word, and so is a short one
     * with half of them wrong. */
    size_t len = strlen(word);

    *nearest = (struct nearest){.word = word, .away = len < 4 ? 2 : 3};
}

void
nearest_try(struct nearest *nearest, const char *other)
{
    size_t away = distance(nearest->word, other);

    if (away < nearest->away) {
        nearest->away = away;
        nearest->best = other;
    }
}
