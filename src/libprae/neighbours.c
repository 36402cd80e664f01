/* neighbours.c - trusted records to be near to, and how near records are. */
#include "neighbours.h"

#include <math.h>

#include "kernel.h"
#include "mem.h"

#define BLOCK 48      /* records looked at together */
#define RANK_ROWS 8   /* see kernel.h */
#define PLACE_STEP 64 /* see kernel.h */

static size_t
round_up(size_t count, size_t step)
{
    return (count + step - 1) / step * step;
}

/* Scratch for THREADS, each with its own. */
static prae_status
make_scratch(struct neighbours *neighbours, size_t threads)
{
    if (threads <= neighbours->threads)
        return PRAE_OK;
    if (threads > SIZE_MAX / BLOCK / PRI_NEIGHBOURS)
        return PRAE_ENOMEM;
    float *row = pri_matrix_new(threads * BLOCK, neighbours->len);
    float *rank = pri_matrix_new(threads * RANK_ROWS, PRI_NEIGHBOURS);
    if (row == NULL || rank == NULL) {
        free(row);
        free(rank);
        return PRAE_ENOMEM;
    }
    free(neighbours->row);
    free(neighbours->rank);
    neighbours->row = row;
    neighbours->rank = rank;
    neighbours->threads = threads;
    return PRAE_OK;
}

prae_status
pri_neighbours_init(struct neighbours *neighbours, size_t D)
{
    size_t len = round_up(D, 16);

    *neighbours = (struct neighbours){
        .D = D,
        .len = len,
        .x = pri_matrix_new(PRI_NEIGHBOURS, D),
        .root = pri_floats_new(D),
        .y = pri_matrix_new(PRI_NEIGHBOURS, len),
        .columns = pri_matrix_new(PRI_NEIGHBOURS, len),
        .norm = pri_floats_new(PRI_NEIGHBOURS),
        .source = pri_block_new(PRI_NEIGHBOURS, sizeof(uint32_t))};
    if (neighbours->x == NULL || neighbours->root == NULL ||
        neighbours->y == NULL || neighbours->columns == NULL ||
        neighbours->norm == NULL || neighbours->source == NULL ||
        make_scratch(neighbours, 1) != PRAE_OK) {
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
    free(neighbours->columns);
    free(neighbours->norm);
    free(neighbours->source);
    free(neighbours->row);
    free(neighbours->rank);
    *neighbours = (struct neighbours){0};
}

prae_status
pri_neighbours_set_runner(struct neighbours *neighbours,
                          const struct runner *runner)
{
    prae_status status = make_scratch(neighbours, pri_runner_threads(runner));

    if (status == PRAE_OK)
        neighbours->runner = *runner;
    return status;
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

/* A neighbour's x as it is compared; returns ||y||^2. */
static float
weigh_one(const struct neighbours *neighbours, float *x, float *y)
{
    float sum = 0.0f;

    for (size_t d = 0; d < neighbours->D; d++) {
        if (isnan(x[d]))
            x[d] = 0.0f; /* the column's centre */
        y[d] = x[d] * neighbours->root[d];
        sum += y[d] * y[d];
    }
    return sum;
}

void
pri_neighbours_weigh(struct neighbours *neighbours, const float *weight)
{
    size_t D = neighbours->D, len = neighbours->len;
    size_t places = round_up(neighbours->count, PLACE_STEP);

    for (size_t d = 0; d < D; d++)
        neighbours->root[d] = sqrtf(weight[d]);
    neighbours->largest = 0.0f;
    for (size_t r = 0; r < neighbours->count; r++) {
        float norm = weigh_one(neighbours, neighbours->x + r * D,
                               neighbours->y + r * len);
        neighbours->norm[r] = norm;
        if (norm > neighbours->largest)
            neighbours->largest = norm;
    }
    for (size_t r = neighbours->count; r < places; r++) {
        memset(neighbours->y + r * len, 0, len * sizeof(float));
        neighbours->norm[r] = INFINITY;
    }
    neighbours->places = places;
    for (size_t r = 0; r < places; r++)
        for (size_t d = 0; d < len; d++)
            neighbours->columns[d * places + r] = neighbours->y[r * len + d];
}

/* With the scratch of thread WHO. */
static struct near_query
query_of(const struct neighbours *neighbours, size_t who)
{
    return (struct near_query){.count = neighbours->places,
                               .len = neighbours->len,
                               .others = neighbours->y,
                               .columns = neighbours->columns,
                               .norm = neighbours->norm,
                               .largest = neighbours->largest,
                               .rank = neighbours->rank +
                                       who * RANK_ROWS * PRI_NEIGHBOURS};
}

void
pri_neighbours_rows(const struct neighbours *neighbours, const float *x,
                    size_t rows, float *row)
{
    pri_kernel()->weigh(x, rows, neighbours->D, neighbours->root,
                        neighbours->len, row);
}

/* Up to BLOCK rows of X, of which the first is row FIRST of those chosen
 * from or PRI_STRANGER, by thread WHO. WHICH may be NULL. */
static void
look(const struct neighbours *neighbours, size_t who, const float *x,
     size_t rows, uint32_t first, float *out, uint32_t *which)
{
    float *row = neighbours->row + who * BLOCK * neighbours->len;
    struct near_query query = query_of(neighbours, who);
    uint32_t self[BLOCK];

    pri_neighbours_rows(neighbours, x, rows, row);
    for (size_t i = 0; i < rows; i++)
        self[i] = UINT32_MAX;
    for (size_t r = 0; first != PRI_STRANGER && r < neighbours->count; r++)
        if (neighbours->source[r] - first < rows)
            self[neighbours->source[r] - first] = (uint32_t)r;
    pri_kernel()->nearest(&query, rows, row, self, out, which);
}

/* Distances, as they are shared out. */
struct looking {
    const struct neighbours *neighbours;
    const float *x; /* (N, D) */
    size_t N;
    size_t rows; /* of a part: whole blocks */
    uint32_t first;
    float *out;
};

static void
look_part(void *work, size_t part, size_t who)
{
    const struct looking *looking = work;
    size_t at = part * looking->rows, rest = looking->N - at;
    size_t end = at + (rest < looking->rows ? rest : looking->rows);
    uint32_t first = looking->first;

    for (; at < end; at += BLOCK)
        look(looking->neighbours, who, looking->x + at * looking->neighbours->D,
             end - at < BLOCK ? end - at : BLOCK,
             first == PRI_STRANGER ? first : first + (uint32_t)at,
             looking->out + at, NULL);
}

void
pri_neighbours_around(struct neighbours *neighbours, const float *row,
                      size_t rows, float *out)
{
    struct near_query query = query_of(neighbours, 0);
    uint32_t self[BLOCK];

    memset(self, 0xff, sizeof self); /* none is a neighbour */
    for (size_t at = 0, some; at < rows; at += some) {
        some = rows - at < BLOCK ? rows - at : BLOCK;
        pri_kernel()->nearest(&query, some, row + at * neighbours->len, self,
                              out + at, NULL);
    }
}

void
pri_neighbours_within(struct neighbours *neighbours, const float *row,
                      size_t rows, const float *most, unsigned char *sure)
{
    struct near_query query = query_of(neighbours, 0);

    pri_kernel()->within(&query, rows, row, most, sure);
}

void
pri_neighbours_distance(struct neighbours *neighbours, const float *x, size_t N,
                        uint32_t first, float *out)
{
    if (neighbours->count == 0) {
        memset(out, 0, N * sizeof *out);
        return;
    }
    size_t blocks =
        PRI_PART_WORK / (BLOCK * neighbours->places * neighbours->len) + 1;
    size_t rows = blocks * BLOCK;
    struct looking looking = {neighbours, x, N, rows, first, out};
    pri_runner_share(&neighbours->runner, look_part, &looking,
                     (N + rows - 1) / rows);
}

const float *
pri_neighbours_nearest(struct neighbours *neighbours, const float *x,
                       uint32_t self)
{
    uint32_t which = UINT32_MAX;
    float away;

    if (neighbours->count > 0)
        look(neighbours, 0, x, 1, self, &away, &which);
    return which == UINT32_MAX ? NULL : neighbours->x + which * neighbours->D;
}
