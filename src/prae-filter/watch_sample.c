/* watch_sample.c - a random sample of rows, whatever number came. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "watch.h"

#define BYTES_MAX ((size_t)4 << 20)
#define ROWS_LEAST 64

/* A number below BOUND, from Marsaglia's shifts: who is drawn decides
 * nothing but what a chart looks like. */
static uint64_t
draw(struct sample *sample, uint64_t bound)
{
    uint64_t x = sample->random;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    sample->random = x;
    return x % bound;
}

static int
make_room(struct sample *sample, size_t width)
{
    size_t cap = BYTES_MAX / (width * sizeof *sample->row);

    cap = cap < ROWS_LEAST ? ROWS_LEAST : cap;
    cap = cap > WATCH_SAMPLE ? WATCH_SAMPLE : cap;
    sample_free(sample);
    sample->row = calloc(cap, width * sizeof *sample->row);
    if (sample->row == NULL)
        return 0;
    sample->width = width;
    sample->cap = cap;
    sample->random = UINT64_C(0x9e3779b97f4a7c15);
    return 1;
}

void
sample_take(struct sample *sample, const double *row, size_t width)
{
    size_t place;

    if (width == 0 || (sample->width != width && !make_room(sample, width)))
        return;
    sample->seen++;
    if (sample->count < sample->cap)
        place = sample->count++;
    else
        place = (size_t)draw(sample, sample->seen);
    if (place < sample->cap)
        memcpy(sample->row + place * width, row, width * sizeof *row);
}

void
sample_free(struct sample *sample)
{
    free(sample->row);
    *sample = (struct sample){0};
}

static int
by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

size_t
sample_column(const struct sample *sample, size_t column, double *sorted)
{
    size_t count = 0;

    for (size_t i = 0; i < sample->count; i++) {
        double value = sample->row[i * sample->width + column];
        if (!isnan(value))
            sorted[count++] = value;
    }
    qsort(sorted, count, sizeof *sorted, by_size);
    return count;
}
