/*
 * kernel_near.h - the fifth nearest of some records, and distances to a curve.
 *
 * ||x - r||^2 = ||x||^2 + 2 (||r||^2 / 2 - x.r): the bracket ranks the r, by
 * one product. Those that are found by it are then measured by themselves,
 * as the difference of large numbers is good for finding only.
 */
#include "kernel_vec.h"

#include <math.h>

#define NEAR_ROWS 6      /* ranked together */
#define WITHIN_ROWS 384  /* that go on from place to place together */
#define PLACES_MOST 1024 /* records that can be asked about */
#define ROUNDED 1.2e-7f  /* what a sum of floats may be off by, a term */
#define FEW 16           /* whole vectors, and at least PRI_NEAREST */
#define LIST_ALWAYS 4    /* places listed of 64, marked or not */

/* Of M rows, sum = norm / 2 - row columns for two vectors of places from N
 * on. */
INLINE void
rank_slice(size_t M, size_t len, const float *const *row, size_t count,
           const float *columns, const float *norm, size_t n,
           vec sum[NEAR_ROWS][2])
{
    UNROLL
    for (size_t c = 0; c < 2; c++) {
        vec half = 0.5f * vec_load(norm + n + c * LANES);
        UNROLL
        for (size_t m = 0; m < M; m++)
            sum[m][c] = half;
    }
    for (size_t k = 0; k < len; k++) {
        vec first = vec_load(columns + k * count + n);
        vec second = vec_load(columns + k * count + n + LANES);
        UNROLL
        for (size_t m = 0; m < M; m++) {
            vec own = vec_all(row[m][k]);
            sum[m][0] -= own * first;
            sum[m][1] -= own * second;
        }
    }
}

/* The same for all places, to RANK (M, count). */
INLINE void
rank_tile(size_t M, size_t len, const float *row, size_t count,
          const float *columns, const float *norm, float *rank)
{
    const float *own[NEAR_ROWS];

    UNROLL
    for (size_t m = 0; m < M; m++)
        own[m] = row + m * len;
    for (size_t n = 0; n < count; n += TWO_VECS) {
        vec sum[NEAR_ROWS][2];
        rank_slice(M, len, own, count, columns, norm, n, sum);
        UNROLL
        for (size_t m = 0; m < M; m++) {
            vec_store(rank + m * count + n, sum[m][0]);
            vec_store(rank + m * count + n + LANES, sum[m][1]);
        }
    }
}

/* The same of one row, by so many vectors of places at once that one sum need
 * not wait for the other. */
static void
rank_row(size_t len, const float *row, size_t count, const float *columns,
         const float *norm, float *rank)
{
    enum { VECS = 64 / LANES };

    for (size_t n = 0; n < count; n += 64) {
        vec sum[VECS];
        UNROLL
        for (size_t c = 0; c < VECS; c++)
            sum[c] = 0.5f * vec_load(norm + n + c * LANES);
        for (size_t k = 0; k < len; k++) {
            vec own = vec_all(row[k]);
            UNROLL
            for (size_t c = 0; c < VECS; c++)
                sum[c] -= own * vec_load(columns + k * count + n + c * LANES);
        }
        UNROLL
        for (size_t c = 0; c < VECS; c++)
            vec_store(rank + n + c * LANES, sum[c]);
    }
}

/* The same, if not the same number, of a row with gaps: half the distance
 * over what it has. */
static void
rank_gaps(size_t len, const float *row, size_t count, const float *columns,
          const float *norm, float *rank)
{
    for (size_t n = 0; n < count; n += LANES) {
        vec sum = vec_all(0.0f);
        for (size_t k = 0; k < len; k++) {
            vec away = vec_all(row[k]) - vec_load(columns + k * count + n);
            if (!isnan(row[k]))
                sum += away * away;
        }
        /* An empty place stays infinitely far. */
        vec_mask empty = vec_load(norm + n) == vec_all(INFINITY);
        vec_store(rank + n, vec_choose(empty, vec_all(INFINITY), 0.5f * sum));
    }
}

/* ||row - other||^2 over what ROW has. */
static float
distance(const float *row, const float *other, size_t len)
{
    vec sum = vec_all(0.0f);

    for (size_t k = 0; k < len; k += LANES) {
        vec own = vec_load(row + k);
        vec away = own - vec_load(other + k);
        /* NOLINTNEXTLINE(misc-redundant-expression): NaN is not itself */
        away = vec_choose(own == own, away, vec_all(0.0f));
        sum += away * away;
    }
    return vec_sum(sum);
}

/* Of FEW values, the PRI_NEAREST-th from the least, in all lanes: the
 * largest of those that fewer than PRI_NEAREST are less than. */
INLINE vec
ranked(const float *value)
{
    vec most = vec_all(-INFINITY);

    UNROLL
    for (size_t s = 0; s < FEW / LANES; s++) {
        vec own = vec_load(value + s * LANES);
        vec_mask less = {0}; /* minus how many */
        UNROLL
        for (size_t i = 0; i < FEW; i++)
            less += vec_all(value[i]) < own;
        most = vec_max(
            most, vec_choose(less > -PRI_NEAREST, own, vec_all(-INFINITY)));
    }
    return vec_most(most);
}

/*
 * A rank that at least PRI_NEAREST of COUNT do not exceed, so that few are
 * left to be looked at: of FEW that they are dealt out to each has a least
 * one, and PRI_NEAREST of these do not exceed the PRI_NEAREST-th of them.
 */
INLINE vec
bound(const float *rank, size_t count)
{
    vec least[FEW / LANES];
    float share[FEW];

    UNROLL
    for (size_t s = 0; s < FEW / LANES; s++)
        least[s] = vec_load(rank + s * LANES);
    for (size_t n = FEW; n < count; n += FEW) {
        UNROLL
        for (size_t s = 0; s < FEW / LANES; s++)
            least[s] = vec_min(least[s], vec_load(rank + n + s * LANES));
    }
    memcpy(share, least, sizeof share);
    return ranked(share);
}

/* Lists the places from N on that BITS marks, and some that do not count
 * behind them; returns how many. Few are marked, and which is not foretold:
 * so many are listed in any case. */
INLINE size_t
list_bits(uint64_t bits, size_t n, uint16_t *list)
{
    size_t marked = (size_t)__builtin_popcountll(bits);

    UNROLL
    for (size_t i = 0; i < LIST_ALWAYS; i++) {
        list[i] = (uint16_t)(n + (size_t)__builtin_ctzll(bits | 1ull << 63));
        bits &= bits - 1;
    }
    for (size_t i = LIST_ALWAYS; i < marked; i++) {
        list[i] = (uint16_t)(n + (size_t)__builtin_ctzll(bits));
        bits &= bits - 1;
    }
    return marked;
}

/* Lists those of COUNT whose rank is not beyond MOST; returns how many. */
INLINE size_t
list_within(const float *rank, size_t count, vec most, uint16_t *list)
{
    size_t listed = 0;

    for (size_t n = 0; n < count; n += 64) {
        uint64_t bits = 0;
        UNROLL
        for (size_t s = 0; s < 64 / LANES; s++)
            bits |= vec_bits(vec_load(rank + n + s * LANES) <= most)
                    << s * LANES;
        listed += list_bits(bits, n, list + listed);
    }
    return listed;
}

/* The one that counts of any number listed, or of fewer the farthest. */
static void
measure_many(const struct near_query *query, const float *row,
             const float *rank, const uint16_t *list, size_t listed, float *out,
             uint32_t *which)
{
    float best[PRI_NEAREST] = {0.0f};
    uint16_t place[PRI_NEAREST] = {0};
    size_t found = 0, len = query->len;

    for (size_t i = 0; i < listed; i++) {
        if (!(rank[list[i]] < INFINITY))
            continue;
        float away = distance(row, query->others + list[i] * len, len);
        if (found == PRI_NEAREST && !(away < best[PRI_NEAREST - 1]))
            continue;
        size_t at = found < PRI_NEAREST ? found++ : PRI_NEAREST - 1;
        for (; at > 0 && away < best[at - 1]; at--) {
            best[at] = best[at - 1];
            place[at] = place[at - 1];
        }
        best[at] = away;
        place[at] = list[i];
    }
    *out = found == 0 ? 0.0f : best[found - 1];
    if (which != NULL)
        *which = found == 0 ? UINT32_MAX : place[found - 1];
}

/* The same where few are listed, as in most cases: without a branch that
 * hangs on their order. */
INLINE void
measure(const struct near_query *query, const float *row, const float *rank,
        float *out, uint32_t *which)
{
    uint16_t list[PLACES_MOST + LIST_ALWAYS];
    float away[FEW];
    size_t len = query->len, count = query->count;
    size_t listed = list_within(rank, count, bound(rank, count), list);

    if (listed > FEW || listed < PRI_NEAREST) {
        measure_many(query, row, rank, list, listed, out, which);
        return;
    }
    for (size_t i = 0; i < FEW; i++)
        away[i] = INFINITY;
    for (size_t i = 0; i < listed; i++)
        away[i] = distance(row, query->others + list[i] * len, len);
    *out = ranked(away)[0];
    if (which == NULL)
        return;
    *which = list[0];
    for (size_t i = 1; i < listed; i++)
        *which = away[i] == *out ? list[i] : *which;
}

static void
weigh(const float *x, size_t rows, size_t D, const float *root, size_t len,
      float *row)
{
    size_t whole = D / LANES * LANES;

    for (size_t i = 0; i < rows; i++) {
        for (size_t d = 0; d < whole; d += LANES)
            vec_store(row + i * len + d,
                      vec_load(x + i * D + d) * vec_load(root + d));
        for (size_t d = whole; d < D; d++)
            row[i * len + d] = x[i * D + d] * root[d];
    }
}

static void
nearest(const struct near_query *query, size_t rows, const float *row,
        const uint32_t *self, float *out, uint32_t *which)
{
    size_t len = query->len, count = query->count;
    const float *columns = query->columns, *norm = query->norm;

    for (size_t at = 0; at < rows; at += NEAR_ROWS) {
        size_t some = rows - at < NEAR_ROWS ? rows - at : NEAR_ROWS;
        const float *own = row + at * len;
        if (some == NEAR_ROWS)
            rank_tile(NEAR_ROWS, len, own, count, columns, norm, query->rank);
        else
            for (size_t m = 0; m < some; m++)
                rank_row(len, own + m * len, count, columns, norm,
                         query->rank + m * count);
        for (size_t m = 0; m < some; m++) {
            float *rank = query->rank + m * count;
            if (isnan(rank[0]))
                rank_gaps(len, own + m * len, count, columns, norm, rank);
            if (self[at + m] != UINT32_MAX)
                rank[self[at + m]] = INFINITY;
            measure(query, own + m * len, rank, &out[at + m],
                    which == NULL ? NULL : &which[at + m]);
        }
    }
}

/* ||x - r||^2 <= most  where  ||r||^2 / 2 - x.r <= (most - ||x||^2) / 2, less
 * what either side may be rounded by. */
INLINE float
rank_within(const struct near_query *query, const float *row, float most)
{
    vec sum = vec_all(0.0f);

    for (size_t k = 0; k < query->len; k += LANES)
        sum += vec_load(row + k) * vec_load(row + k);
    float norm = vec_sum(sum);
    return 0.5f * (most - norm) -
           ROUNDED * (float)(query->len + 4) * (norm + query->largest);
}

/* Of M rows that ASKED names, how many of the two vectors of places from N on
 * are within LIMIT, to HERE. */
INLINE void
within_slice(size_t M, const struct near_query *query, const float *row,
             size_t n, const uint16_t *asked, const float *limit,
             unsigned *here)
{
    const float *own[NEAR_ROWS];
    vec sum[NEAR_ROWS][2];

    UNROLL
    for (size_t m = 0; m < M; m++)
        own[m] = row + asked[m] * query->len;
    rank_slice(M, query->len, own, query->count, query->columns, query->norm, n,
               sum);
    UNROLL
    for (size_t m = 0; m < M; m++) {
        vec most = vec_all(limit[asked[m]]);
        uint64_t bits = vec_bits(sum[m][0] <= most) |
                        vec_bits(sum[m][1] <= most) << LANES;
        here[m] = (unsigned)__builtin_popcountll(bits);
    }
}

/* Keeps of COUNT rows in ASKED those that have not FOUND enough, and behind
 * them the last again, so that they can be taken by whole tiles. Returns how
 * many are left. */
INLINE size_t
ask_again(uint16_t *asked, size_t count, const unsigned *found)
{
    size_t left = 0;

    for (size_t i = 0; i < count; i++) {
        asked[left] = asked[i];
        left += found[asked[i]] < PRI_NEAREST;
    }
    for (size_t i = 0; left > 0 && i < NEAR_ROWS; i++)
        asked[left + i] = asked[left - 1];
    return left;
}

/* Most rows have found theirs among the first places; only the others go on
 * to the next. */
static void
within_block(const struct near_query *query, size_t rows, const float *row,
             const float *most, unsigned char *sure)
{
    uint16_t asked[WITHIN_ROWS + NEAR_ROWS];
    unsigned found[WITHIN_ROWS];
    float limit[WITHIN_ROWS];

    for (size_t i = 0; i < rows; i++) {
        found[i] = sure[i] ? PRI_NEAREST : 0;
        asked[i] = (uint16_t)i;
    }
    size_t left = ask_again(asked, rows, found);
    for (size_t i = 0; i < left; i++)
        limit[asked[i]] = rank_within(query, row + asked[i] * query->len,
                                      most[asked[i]]);
    for (size_t n = 0; left > 0 && n < query->count; n += TWO_VECS) {
        for (size_t at = 0, some; at < left; at += some) {
            unsigned here[NEAR_ROWS];
            some = left - at < NEAR_ROWS ? left - at : NEAR_ROWS;
            if (left == 1)
                within_slice(1, query, row, n, asked, limit, here);
            else
                within_slice(NEAR_ROWS, query, row, n, asked + at, limit, here);
            for (size_t m = 0; m < some; m++)
                found[asked[at + m]] += here[m];
        }
        left = ask_again(asked, left, found);
    }
    for (size_t i = 0; i < rows; i++)
        sure[i] = found[i] >= PRI_NEAREST;
}

static void
within(const struct near_query *query, size_t rows, const float *row,
       const float *most, unsigned char *sure)
{
    for (size_t at = 0; at < rows; at += WITHIN_ROWS)
        within_block(query, rows - at < WITHIN_ROWS ? rows - at : WITHIN_ROWS,
                     row + at * query->len, most + at, sure + at);
}

/* ---- curves ---- */

static void
beside(const struct curve *curve, size_t rows, const float *row, const float *z,
       float *out, float *around)
{
    size_t len = curve->len;

    for (size_t i = 0; i < rows; i++) {
        float at = (z[i] - curve->low) * curve->scale;
        /* A gap made it no number, and is beyond, too. */
        if (!(at >= 0.0f && at < (float)curve->cells)) {
            out[i] = around[i] = INFINITY;
            continue;
        }
        size_t cell = (size_t)at;
        vec part = vec_all(at - (float)cell), sum = vec_all(0.0f);
        const float *a = curve->point + cell * len, *b = a + len;
        for (size_t k = 0; k < len; k += LANES) {
            vec from = vec_load(a + k), to = vec_load(b + k);
            vec away = vec_load(row + i * len + k) - from - part * (to - from);
            sum += away * away;
        }
        out[i] = vec_sum(sum);
        around[i] = curve->around[cell];
    }
}
