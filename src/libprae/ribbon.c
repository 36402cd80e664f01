/* ribbon.c - the curve that a narrow net's second half draws. */
#include "ribbon.h"

#include <math.h>

#include "mem.h"

#define CELLS 1024
#define BEYOND 0.25f  /* of its length, at either end */
#define SURELY 4.0f   /* times what it is off by half way, see measure() */
#define ROUNDED 1e-6f /* of the largest, by the net and by us */

int
pri_ribbon_can(const struct trainer *trainer)
{
    return trainer->net.latent == 1 && trainer->loss == PRAE_LOSS_SQUARED &&
           pri_net_is_own(&trainer->net, trainer->cap_batch);
}

prae_status
pri_ribbon_init(struct ribbon *ribbon, size_t D, size_t len)
{
    *ribbon = (struct ribbon){
        .D = D,
        .len = len,
        .point = pri_matrix_new(CELLS + 1, len),
        .around = pri_floats_new(CELLS + 1)};
    if (ribbon->point == NULL || ribbon->around == NULL) {
        pri_ribbon_fini(ribbon);
        return PRAE_ENOMEM;
    }
    return PRAE_OK;
}

void
pri_ribbon_fini(struct ribbon *ribbon)
{
    free(ribbon->point);
    free(ribbon->around);
    *ribbon = (struct ribbon){0};
}

/* Up to a batch of points of the curve, AT cells from its beginning and each
 * one cell from the last; returns their values (D, B), as in a work. */
static const float *
decode(const struct ribbon *ribbon, struct trainer *trainer, float at, size_t B)
{
    const struct net *net = &trainer->net;
    struct net_work *work = &trainer->passage[0].work;
    size_t half = net->layer_count / 2;

    for (size_t j = 0; j < B; j++)
        work->y[half][j] = ribbon->low + (at + (float)j) / ribbon->scale;
    pri_net_forward_part(net, work, half, net->layer_count, 0, B);
    return work->y[net->layer_count];
}

static void
draw(struct ribbon *ribbon, struct trainer *trainer, const float *root)
{
    size_t stride = trainer->passage[0].work.stride, cap = trainer->cap_batch;

    for (size_t i = 0, B; i <= CELLS; i += B) {
        B = CELLS + 1 - i < cap ? CELLS + 1 - i : cap;
        const float *y = decode(ribbon, trainer, (float)i, B);
        for (size_t j = 0; j < B; j++)
            for (size_t d = 0; d < ribbon->D; d++)
                ribbon->point[(i + j) * ribbon->len + d] =
                    root[d] * y[d * stride + j];
    }
}

/*
 * How far the curve may be from the lines. It is looked at half way between
 * points, where a smooth one is furthest, and one with a corner is away by at
 * least half of its most. No proof: a step that a cell holds whole, and is
 * even about its middle, would not be seen; SURELY leaves room for less.
 */
static float
measure(const struct ribbon *ribbon, struct trainer *trainer, const float *root)
{
    size_t stride = trainer->passage[0].work.stride, cap = trainer->cap_batch;
    float most = 0.0f, longest = 0.0f;

    for (size_t i = 0, B; i < CELLS; i += B) {
        B = CELLS - i < cap ? CELLS - i : cap;
        const float *y = decode(ribbon, trainer, (float)i + 0.5f, B);
        for (size_t j = 0; j < B; j++) {
            const float *a = ribbon->point + (i + j) * ribbon->len;
            const float *b = a + ribbon->len;
            float away = 0.0f, norm = 0.0f;
            for (size_t d = 0; d < ribbon->D; d++) {
                float own = root[d] * y[d * stride + j];
                float off = own - 0.5f * (a[d] + b[d]);
                away += off * off;
                norm += own * own;
            }
            most = fmaxf(most, away);
            longest = fmaxf(longest, norm);
        }
    }
    return SURELY * sqrtf(most) + ROUNDED * sqrtf(longest);
}

/*
 * How far neighbours are from anywhere in a cell, at most. From a point at t
 * of a line of length L, whose ends have them at u and v, it is at most u + t L
 * and v + (1 - t) L: nowhere more than half of u + v + L.
 */
static void
look_around(struct ribbon *ribbon, struct neighbours *neighbours)
{
    float *around = ribbon->around;

    pri_neighbours_around(neighbours, ribbon->point, CELLS + 1, around);
    for (size_t i = 0; i < CELLS; i++) {
        const float *a = ribbon->point + i * ribbon->len;
        const float *b = a + ribbon->len;
        float length = 0.0f;
        for (size_t d = 0; d < ribbon->D; d++)
            length += (b[d] - a[d]) * (b[d] - a[d]);
        around[i] = 0.5f * (sqrtf(around[i]) + sqrtf(around[i + 1]) +
                            sqrtf(length));
    }
}

void
pri_ribbon_make(struct ribbon *ribbon, struct trainer *trainer,
                struct neighbours *neighbours, const float *z, size_t count,
                float off_most)
{
    float low = z[0], high = z[0];

    for (size_t i = 1; i < count; i++) {
        low = fminf(low, z[i]);
        high = fmaxf(high, z[i]);
    }
    float beyond = BEYOND * (high - low);
    ribbon->low = low - beyond;
    ribbon->scale = (float)CELLS / (high - low + 2.0f * beyond);
    /* One value for all records is no curve. */
    ribbon->made = high > low && isfinite(ribbon->scale);
    if (!ribbon->made)
        return;
    draw(ribbon, trainer, neighbours->root);
    ribbon->off = measure(ribbon, trainer, neighbours->root);
    look_around(ribbon, neighbours);
    ribbon->made = ribbon->off <= off_most;
}

void
pri_ribbon_bounds(const struct ribbon *ribbon, size_t rows, const float *row,
                  const float *z, float *e, float *away)
{
    struct curve curve = {.cells = CELLS,
                          .len = ribbon->len,
                          .point = ribbon->point,
                          .around = ribbon->around,
                          .low = ribbon->low,
                          .scale = ribbon->scale};

    pri_kernel()->beside(&curve, rows, row, z, e, away);
    for (size_t i = 0; i < rows; i++) {
        float beside = sqrtf(e[i]);
        float error = beside + ribbon->off, near = beside + away[i];
        e[i] = error * error;
        away[i] = near * near;
    }
}
