/* kernel_rank.h - where values stand among others. */
#include "kernel_vec.h"

#include <math.h>

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

/* Two vectors of values at a time: those that all of them may count, and then
 * those that only the later of them may. */
static void
count_earlier(const float *others, size_t lag, const float *value, size_t N,
              uint32_t *least)
{
    int32_t place[TWO_VECS];

    for (size_t c = 0; c < TWO_VECS; c++)
        place[c] = (int32_t)c;
    for (size_t k = 0; k < N; k += TWO_VECS) {
        size_t some = N - k < TWO_VECS ? N - k : TWO_VECS;
        size_t all = k > lag ? k - lag : 0;
        float few[TWO_VECS] = {0.0f};
        vec own[2];
        vec_mask at[2], count[2] = {{0}, {0}}; /* minus how many */
        memcpy(few, value + k, some * sizeof *few);
        memcpy(own, few, sizeof own);
        memcpy(at, place, sizeof at);
        for (size_t i = 0; i < all; i++) {
            count[0] += vec_all(others[i]) >= own[0];
            count[1] += vec_all(others[i]) >= own[1];
        }
        for (size_t c = k < lag ? lag - k : 0; c < some; c++) {
            vec other = vec_all(others[k + c - lag]);
            count[0] += (other >= own[0]) & (at[0] > (int32_t)c);
            count[1] += (other >= own[1]) & (at[1] > (int32_t)c);
        }
        count[0] = -count[0];
        count[1] = -count[1];
        memcpy(least + k, count, some * sizeof *least);
    }
}

/* Copies from COUNT values in rising order as long as they are below VALUE,
 * whole vectors at a time; returns how many they are. */
INLINE size_t
copy_below(const float *sorted, size_t count, float value, float *to)
{
    size_t at = 0;

    while (at < count) {
        vec some = vec_load(sorted + at);
        uint64_t others = vec_bits(some >= vec_all(value));
        vec_store(to + at, some);
        if (others != 0) {
            at += (size_t)__builtin_ctzll(others);
            break;
        }
        at += LANES;
    }
    return at < count ? at : count;
}

static void
exchange(const float *sorted, size_t count, const float *gone, size_t leave,
         const float *come, size_t N, float *to)
{
    size_t at = 0, g = 0, k = 0;

    while (g < leave || k < N) {
        int leaves = k == N || (g < leave && gone[g] <= come[k]);
        size_t run =
            copy_below(sorted + at, count - at, leaves ? gone[g] : come[k], to);
        at += run;
        to += run;
        if (leaves) {
            at++;
            g++;
        } else {
            *to++ = come[k++];
        }
    }
    memcpy(to, sorted + at, (count - at) * sizeof *to);
}

/* ---- the value of a rank ---- */

/* Bits of a float as a number that rises with it, and back. */
INLINE int32_t
key_of(float value)
{
    int32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits < 0 ? bits ^ INT32_MAX : bits;
}

INLINE float
value_of(int32_t key)
{
    float value;

    key = key < 0 ? key ^ INT32_MAX : key;
    memcpy(&value, &key, sizeof value);
    return value;
}

static size_t
count_within(const float *values, size_t count, float most)
{
    uint32_t within = 0;

    for (size_t i = 0; i < count; i++)
        within += values[i] <= most;
    return within;
}

/* The largest value up to MOST, and the least beyond it. */
static float
last_within(const float *values, size_t count, float most)
{
    float last = -INFINITY;

    for (size_t i = 0; i < count; i++) {
        float own = values[i] <= most ? values[i] : -INFINITY;
        last = own > last ? own : last;
    }
    return last;
}

static float
first_beyond(const float *values, size_t count, float most)
{
    float first = INFINITY;

    for (size_t i = 0; i < count; i++) {
        float own = values[i] > most ? values[i] : INFINITY;
        first = own < first ? own : first;
    }
    return first;
}

/* Halves the floats there are until one parts those of up to RANK from the
 * others: passes without a branch that hangs on a value. */
static float
ranked_value(const float *values, size_t count, size_t rank)
{
    int64_t low = key_of(-INFINITY), high = key_of(INFINITY);

    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        float most = value_of((int32_t)middle);
        size_t within = count_within(values, count, most);
        if (within == rank)
            return first_beyond(values, count, most);
        if (within == rank + 1)
            return last_within(values, count, most);
        if (within > rank)
            high = middle;
        else
            low = middle + 1;
    }
    return last_within(values, count, value_of((int32_t)low));
}
