/*
 * neighbours.c - the fifth nearest of some trusted records.
 *
 * ||x - r||^2 = ||x||^2 - 2 x.r + ||r||^2 finds the nearest by one product
 * of matrices; the distance that counts is then taken by itself, as the
 * difference of large numbers is not good for more than finding.
 */
#include "neighbours.h"

#include <math.h>

#include "matrix.h"
#include "mem.h"

#define LANES 16  /* neighbours looked at together */
#define NEAREST 5 /* the one that counts, from the nearest */
#define BLOCK 64  /* records looked at together */

prae_status
pri_neighbours_init(struct neighbours *neighbours, size_t D)
{
    *neighbours = (struct neighbours){
        .D = D,
        .x = pri_matrix_new(PRI_NEIGHBOURS, D),
        .root = pri_floats_new(D),
        .y = pri_matrix_new(PRI_NEIGHBOURS, D),
        .norm = pri_floats_new(PRI_NEIGHBOURS),
        .source = pri_block_new(PRI_NEIGHBOURS, sizeof(uint32_t)),
        .row = pri_matrix_new(BLOCK, D),
        .product = pri_matrix_new(BLOCK, PRI_NEIGHBOURS)};
    if (neighbours->x == NULL || neighbours->root == NULL ||
        neighbours->y == NULL || neighbours->norm == NULL ||
        neighbours->source == NULL || neighbours->row == NULL ||
        neighbours->product == NULL) {
        pri_neighbours_fini(neighbours);
        return PRAE_ENOMEM;
    }
    return PRAE_OK;
}

void
pri_neighbours_fini(struct neighbours *neighbours)
{
    free(neighbours->x);
    free(neighbours->root);
    free(neighbours->y);
    free(neighbours->norm);
    free(neighbours->source);
    free(neighbours->row);
    free(neighbours->product);
    *neighbours = (struct neighbours){0};
}

void
pri_neighbours_choose(struct neighbours *neighbours, size_t N, size_t shift,
                      const unsigned char *good)
{
    size_t places = N < PRI_NEIGHBOURS ? N : PRI_NEIGHBOURS;
    size_t rounds = places == 0 ? 0 : N / places + 1;

    neighbours->count = 0;
    /* One of each stretch of rows; bad ones leave room for others, which are
     * taken in further rounds. */
    for (size_t round = 0; round < rounds; round++) {
        for (size_t place = 0; place < places; place++) {
            size_t at = place * N / places + round;
            size_t row = (at + shift) % N;
            if (at >= (place + 1) * N / places || (good != NULL && !good[row]))
                continue;
            if (neighbours->count == PRI_NEIGHBOURS)
                return;
            neighbours->source[neighbours->count++] = (uint32_t)row;
        }
    }
}

void
pri_neighbours_weigh(struct neighbours *neighbours, const float *weight)
{
    size_t D = neighbours->D;

    for (size_t d = 0; d < D; d++)
        neighbours->root[d] = sqrtf(weight[d]);
    for (size_t r = 0; r < neighbours->count; r++) {
        float *x = neighbours->x + r * D, *y = neighbours->y + r * D;
        float sum = 0.0f;
        for (size_t d = 0; d < D; d++) {
            if (isnan(x[d]))
                x[d] = 0.0f; /* the column's centre */
            y[d] = x[d] * neighbours->root[d];
            sum += y[d] * y[d];
        }
        neighbours->norm[r] = sum;
    }
}

/* ||row - y||^2 over what ROW has. */
static float
distance(const float *row, const float *y, size_t D)
{
    float sum = 0.0f;

    for (size_t d = 0; d < D; d++) {
        float away = isnan(row[d]) ? 0.0f : row[d] - y[d];
        sum += away * away;
    }
    return sum;
}

/* The nearest so far, nearest first. */
struct nearest {
    float rank[NEAREST];
    size_t best[NEAREST];
    size_t found;
};

static void
insert(struct nearest *nearest, float rank, size_t r)
{
    size_t at = nearest->found < NEAREST ? nearest->found++ : NEAREST - 1;

    for (; at > 0 && rank < nearest->rank[at - 1]; at--) {
        nearest->rank[at] = nearest->rank[at - 1];
        nearest->best[at] = nearest->best[at - 1];
    }
    nearest->rank[at] = rank;
    nearest->best[at] = r;
}

/*
 * A rank that at least NEAREST of NEAR (count) do not exceed, so that only
 * few are to be sorted: of LANES that share them out each has a least one,
 * and NEAREST of these do not exceed the NEAREST-th of them.
 */
static float
bound(const float *near, size_t count)
{
    struct nearest lanes = {.found = 0};
    float least[LANES];

    if (count < 2 * LANES)
        return INFINITY;
    memcpy(least, near, sizeof least);
    for (size_t at = LANES; at + LANES <= count; at += LANES)
        for (size_t k = 0; k < LANES; k++)
            least[k] = near[at + k] < least[k] ? near[at + k] : least[k];
    for (size_t k = 0; k < LANES; k++)
        if (lanes.found < NEAREST || least[k] < lanes.rank[NEAREST - 1])
            insert(&lanes, least[k], k);
    return lanes.rank[NEAREST - 1];
}

/* Whether one of COUNT does not exceed MOST: without a branch for each. */
static int
any_within(const float *near, size_t count, float most)
{
    int any = 0;

    for (size_t r = 0; r < count; r++)
        any |= near[r] <= most;
    return any;
}

/*
 * The neighbour that counts for ROW, which is weighted, and its distance to
 * *OUT. NEAR (count) ranks them: less is nearer. SELF is not its own.
 */
static size_t
find(const struct neighbours *neighbours, const float *row, uint32_t self,
     float *near, float *out)
{
    size_t D = neighbours->D, count = neighbours->count;
    struct nearest nearest = {.found = 0};

    for (size_t r = 0; self != PRI_STRANGER && r < count; r++)
        if (neighbours->source[r] == self)
            near[r] = INFINITY;
    float most = bound(near, count);
    for (size_t at = 0; at < count; at += LANES) {
        size_t end = count - at < LANES ? count : at + LANES;
        if (!any_within(near + at, end - at, most))
            continue;
        for (size_t r = at; r < end; r++)
            if ((nearest.found < NEAREST ||
                 near[r] < nearest.rank[NEAREST - 1]) &&
                near[r] <= most && neighbours->source[r] != self)
                insert(&nearest, near[r], r);
    }
    size_t counts = count;
    *out = 0.0f;
    for (size_t i = 0; i < nearest.found; i++) {
        size_t r = nearest.best[i];
        float away = distance(row, neighbours->y + r * D, D);
        if (counts == count || away > *out) {
            *out = away;
            counts = r;
        }
    }
    return counts;
}

/*
 * Weighs up to BLOCK rows of X and ranks the neighbours of each: by
 * ||x - r||^2 - ||x||^2, or where a row has gaps, which make its products
 * NaN, by the distances over what there is.
 */
static void
rank(struct neighbours *neighbours, const float *x, size_t rows)
{
    size_t D = neighbours->D, count = neighbours->count;

    for (size_t i = 0; i < rows * D; i += D)
        for (size_t d = 0; d < D; d++)
            neighbours->row[i + d] = x[i + d] * neighbours->root[d];
    pri_cross(rows, count, D, neighbours->row, neighbours->y,
              neighbours->product);
    for (size_t i = 0; i < rows; i++) {
        float *near = neighbours->product + i * count;
        if (isnan(near[0])) {
            for (size_t r = 0; r < count; r++)
                near[r] =
                    distance(neighbours->row + i * D, neighbours->y + r * D, D);
            continue;
        }
        for (size_t r = 0; r < count; r++)
            near[r] = neighbours->norm[r] - 2.0f * near[r];
    }
}

void
pri_neighbours_distance(struct neighbours *neighbours, const float *x, size_t N,
                        uint32_t first, float *out)
{
    size_t D = neighbours->D, count = neighbours->count;

    if (count == 0) {
        memset(out, 0, N * sizeof *out);
        return;
    }
    for (size_t at = 0; at < N; at += BLOCK) {
        size_t rows = N - at < BLOCK ? N - at : BLOCK;
        rank(neighbours, x + at * D, rows);
        for (size_t i = 0; i < rows; i++) {
            uint32_t self = first == PRI_STRANGER ? PRI_STRANGER
                                                  : first + (uint32_t)(at + i);
            (void)find(neighbours, neighbours->row + i * D, self,
                       neighbours->product + i * count, &out[at + i]);
        }
    }
}

const float *
pri_neighbours_nearest(struct neighbours *neighbours, const float *x,
                       uint32_t self)
{
    size_t count = neighbours->count;
    float away;

    if (count == 0)
        return NULL;
    rank(neighbours, x, 1);
    size_t found =
        find(neighbours, neighbours->row, self, neighbours->product, &away);
    return found == count ? NULL : neighbours->x + found * neighbours->D;
}
