/* kernel_rank.h - where values stand among others. */
#include "kernel_vec.h"

#define SIDE 8 /* looked up at a time */

/* Halving without a branch, as none could be foretold, and side by side, as
 * each step waits for memory. */
static void
count_below_side(const float *sorted, size_t count, const float *value,
                 uint32_t *below)
{
    uint32_t at[SIDE] = {0};

    for (size_t left = count; left > 1; left -= left / 2) {
        uint32_t half = (uint32_t)(left / 2);
        for (size_t i = 0; i < SIDE; i++)
            at[i] += -(uint32_t)(sorted[at[i] + half - 1] < value[i]) & half;
    }
    for (size_t i = 0; i < SIDE; i++)
        below[i] = at[i] + (count > 0 && sorted[at[i]] < value[i]);
}

static void
count_below(const float *sorted, size_t count, const float *value, size_t N,
            uint32_t *below)
{
    for (size_t i = 0; i < N; i += SIDE) {
        size_t some = N - i < SIDE ? N - i : SIDE;
        float own[SIDE] = {0.0f};
        uint32_t found[SIDE];
        memcpy(own, value + i, some * sizeof *own);
        count_below_side(sorted, count, own, found);
        memcpy(below + i, found, some * sizeof *below);
    }
}

static size_t
count_least(const float *values, size_t count, float value)
{
    uint32_t least = 0;

    for (size_t i = 0; i < count; i++)
        least += values[i] >= value;
    return least;
}
