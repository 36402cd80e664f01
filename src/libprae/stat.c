/* stat.c - ranks by Hoare's selection, and the robust level of errors. */
#include "stat.h"

#include <math.h>

#define ONE_UP 0.84      /* of a normal distribution is below one deviation */
#define MAD_UNIT 1.4826f /* its deviation in units of its MAD */
#define LOG_MOST 80.0f   /* whose exponential is a float */

float
pri_rank(float *values, size_t count, size_t rank)
{
    ptrdiff_t low = 0, high = (ptrdiff_t)count - 1;
    ptrdiff_t wanted = (ptrdiff_t)rank;

    while (low < high) {
        float pivot = values[low + (high - low) / 2];
        ptrdiff_t i = low, j = high;
        while (i <= j) {
            while (values[i] < pivot)
                i++;
            while (values[j] > pivot)
                j--;
            if (i <= j) {
                float kept = values[i];
                values[i++] = values[j];
                values[j--] = kept;
            }
        }
        /* Up to j: at most the pivot. From i: at least. Between: equal. */
        if (wanted <= j)
            high = j;
        else if (wanted >= i)
            low = i;
        else
            break;
    }
    return values[wanted];
}

/* Lets the value at AT sink to its place in the heap below it. */
static void
sink(float *heap, size_t count, size_t at)
{
    float value = heap[at];

    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1] > heap[child])
            child++;
        if (!(heap[child] > value))
            break;
        heap[at] = heap[child];
    }
    heap[at] = value;
}

void
pri_sort(float *values, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sink(values, count, i);
    for (size_t left = count; left > 1;) {
        float largest = values[0];
        values[0] = values[--left];
        values[left] = largest;
        sink(values, left, 0);
    }
}

float
pri_median(float *values, size_t count)
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
