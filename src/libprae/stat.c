/* stat.c - ranks, order, and the robust level of errors. */
#include "stat.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernel.h"

#define ONE_UP 0.84      /* of a normal distribution is below one deviation */
#define MAD_UNIT 1.4826f /* its deviation in units of its MAD */
#define LOG_MOST 80.0f   /* whose exponential is a float */

float
pri_rank(const float *values, size_t count, size_t rank)
{
    return pri_kernel()->ranked_value(values, count, rank);
}

/* Bits of a float as a number that rises with it: a negative one's are turned
 * over, a positive one's come after them. */
static uint32_t
key_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/* One pass of a radix sort, by eight bits from SHIFT on. */
static void
sort_by_digit(const float *from, float *to, size_t count, int shift)
{
    size_t start[256] = {0}, sum = 0;

    for (size_t i = 0; i < count; i++)
        start[key_of(from[i]) >> shift & 0xff]++;
    for (size_t digit = 0; digit < 256; digit++) {
        size_t own = start[digit];
        start[digit] = sum;
        sum += own;
    }
    for (size_t i = 0; i < count; i++)
        to[start[key_of(from[i]) >> shift & 0xff]++] = from[i];
}

void
pri_sort(float *values, size_t count, float *scratch)
{
    sort_by_digit(values, scratch, count, 0);
    sort_by_digit(scratch, values, count, 8);
    sort_by_digit(values, scratch, count, 16);
    sort_by_digit(scratch, values, count, 24);
}

float
pri_median(const float *values, size_t count)
{
    float upper = pri_rank(values, count, count / 2);

    if (count % 2 == 1)
        return upper;
    return 0.5f * (upper + pri_rank(values, count, count / 2 - 1));
}

float
pri_spread(float *values, size_t count, float *median)
{
    *median = pri_median(values, count);
    float up =
        pri_rank(values, count, (size_t)(ONE_UP * (double)(count - 1) + 0.5)) -
        *median;

    for (size_t i = 0; i < count; i++)
        values[i] = fabsf(values[i] - *median);
    return fmaxf(up, MAD_UNIT * pri_median(values, count));
}

/*
 * Of COUNT values in rising order, the RANK-th (from 0) of the distances to
 * CENTRE. SPLIT of them lie below it: going down from there and going up,
 * distances rise, so among the nearest RANK + 1 are the first so many on the
 * way down and the rest on the way up. Halving finds how many.
 */
static float
rank_away(const float *sorted, size_t count, size_t split, float centre,
          size_t rank)
{
    size_t low = rank + 1 > count - split ? rank + 1 - (count - split) : 0;
    size_t high = rank + 1 < split ? rank + 1 : split;

    /* The least number of those down, after which the next one down is at
     * least as far as the last one up. */
    while (low < high) {
        size_t down = low + (high - low) / 2, up = rank + 1 - down;
        if (centre - sorted[split - 1 - down] < sorted[split + up - 1] - centre)
            low = down + 1;
        else
            high = down;
    }
    float down = low > 0 ? centre - sorted[split - low] : 0.0f;
    float up = low <= rank ? sorted[split + rank - low] - centre : 0.0f;
    return fmaxf(down, up);
}

float
pri_spread_sorted(const float *sorted, size_t count, float *median)
{
    size_t middle = count / 2, split = 0;

    *median = count % 2 == 1 ? sorted[middle]
                             : 0.5f * (sorted[middle] + sorted[middle - 1]);
    float up = sorted[(size_t)(ONE_UP * (double)(count - 1) + 0.5)] - *median;

    split = middle;
    while (split > 0 && sorted[split - 1] >= *median)
        split--;
    float away = rank_away(sorted, count, split, *median, middle);
    if (count % 2 == 0)
        away = 0.5f *
               (away + rank_away(sorted, count, split, *median, middle - 1));
    return fmaxf(up, MAD_UNIT * away);
}

float
pri_error_level(const float *errors, size_t count, float spread, float floor,
                float *scratch)
{
    for (size_t i = 0; i < count; i++)
        scratch[i] = logf(errors[i] > floor ? errors[i] : floor);
    float median = pri_median(scratch, count);
    for (size_t i = 0; i < count; i++)
        scratch[i] = fabsf(scratch[i] - median);
    float deviation = MAD_UNIT * pri_median(scratch, count);
    return expf(fminf(median + spread * deviation, LOG_MOST));
}
