/* context.c - changes and spreads of a stream's features. */
#include "context.h"

#include <float.h>
#include <math.h>

#include "mem.h"
#include "stat.h"

#define ALPHA 0.02      /* weight of the newest value in a spread */
#define SPREAD_MIN 8    /* values before which there is no spread yet */
#define SETTLED 50      /* values from which a spread is believed, ... */
#define FAR_SPREADS 4   /* ... and a value further away is an upset */
#define PATIENCE 32     /* upsets in a row that do not count */
#define FIRST_MOVE 0.03 /* of it, the first move of a constant counts */
#define AWAY_MOST 1e150 /* whose square is a double */

prae_status
pri_context_init(struct context *context, size_t D0)
{
    *context = (struct context){.D0 = D0};
    context->last = pri_block_new(D0, sizeof(double));
    context->mean = pri_block_new(D0, sizeof(double));
    context->square = pri_block_new(D0, sizeof(double));
    context->count = pri_block_new(D0, sizeof(uint64_t));
    context->kept = pri_block_new(3 * D0, sizeof(double));
    context->upsets = pri_block_new(D0, sizeof(uint64_t));
    context->kept_count = pri_block_new(2 * D0, sizeof(uint64_t));
    context->moved = pri_block_new(D0, 1);
    context->untimed = pri_block_new(D0, 1);
    if (context->last == NULL || context->mean == NULL ||
        context->square == NULL || context->count == NULL ||
        context->upsets == NULL || context->kept == NULL ||
        context->kept_count == NULL || context->moved == NULL ||
        context->untimed == NULL) {
        pri_context_fini(context);
        return PRAE_ENOMEM;
    }
    for (size_t d = 0; d < D0; d++)
        context->last[d] = (double)NAN;
    return PRAE_OK;
}

void
pri_context_fini(struct context *context)
{
    free(context->last);
    free(context->mean);
    free(context->square);
    free(context->count);
    free(context->upsets);
    free(context->kept);
    free(context->kept_count);
    free(context->moved);
    free(context->untimed);
    *context = (struct context){0};
}

void
pri_context_forget(struct context *context)
{
    for (size_t d = 0; d < context->D0; d++) {
        context->last[d] = (double)NAN;
        context->mean[d] = context->square[d] = 0.0;
        context->count[d] = context->upsets[d] = 0;
        context->moved[d] = 0;
    }
    /* What was kept is of before, too. */
    pri_context_keep(context);
}

void
pri_context_keep(struct context *context)
{
    size_t D0 = context->D0, bytes = D0 * sizeof(double);

    memcpy(context->kept, context->last, bytes);
    memcpy(context->kept + D0, context->mean, bytes);
    memcpy(context->kept + 2 * D0, context->square, bytes);
    memcpy(context->kept_count, context->count, D0 * sizeof(uint64_t));
    memcpy(context->kept_count + D0, context->upsets, D0 * sizeof(uint64_t));
}

void
pri_context_restore(struct context *context)
{
    size_t D0 = context->D0, bytes = D0 * sizeof(double);

    memcpy(context->last, context->kept, bytes);
    memcpy(context->mean, context->kept + D0, bytes);
    memcpy(context->square, context->kept + 2 * D0, bytes);
    memcpy(context->count, context->kept_count, D0 * sizeof(uint64_t));
    memcpy(context->upsets, context->kept_count + D0, D0 * sizeof(uint64_t));
    memset(context->moved, 1, D0);
}

size_t
pri_context_D(const struct context *context)
{
    return context->on ? 3 * context->D0 : context->D0;
}

/* rho = 1 - 1/2 sum (x_t - x_{t-1})^2 / sum (x_t - mean)^2 of column d, over
 * values that are there; NaN for a constant. Sums run over x / max |x|, as
 * their squares might not fit a double otherwise. */
static double
autocorrelation(const double *x, size_t N, size_t D0, size_t d)
{
    double size = 0.0, sum = 0.0, steps = 0.0, squares = 0.0;
    double last = (double)NAN;
    size_t count = 0;

    for (size_t i = 0; i < N; i++)
        size = fmax(size, fabs(x[i * D0 + d]));
    if (!(size > 0.0))
        return (double)NAN;
    for (size_t i = 0; i < N; i++) {
        double value = x[i * D0 + d] / size;
        if (isnan(value))
            continue;
        sum += value;
        count++;
        if (!isnan(last))
            steps += (value - last) * (value - last);
        last = value;
    }
    for (size_t i = 0; i < N; i++) {
        double away = x[i * D0 + d] / size - sum / (double)count;
        if (!isnan(away))
            squares += away * away;
    }
    return squares > 0.0 ? 1.0 - 0.5 * steps / squares : (double)NAN;
}

double
pri_context_likeness(const struct context *context, const double *x, size_t N,
                     prae_status *status)
{
    size_t D0 = context->D0;
    float *rho = pri_floats_new(D0);
    size_t count = 0;
    double median = 0.0;

    *status = rho == NULL ? PRAE_ENOMEM : PRAE_OK;
    if (rho == NULL)
        return 0.0;
    for (size_t d = 0; d < D0; d++) {
        double value = autocorrelation(x, N, D0, d);
        if (!isnan(value) && !context->untimed[d])
            rho[count++] = (float)value;
    }
    if (count > 0)
        median = (double)pri_median(rho, count);
    free(rho);
    return median;
}

/* VALUE, or the nearest of -MOST and MOST. */
static double
within(double value, double most)
{
    return value > most ? most : value < -most ? -most : value;
}

/*
 * Records that were held lie between what was put back and VALUE of feature
 * D, and in the meantime a slow wave has gone on. If it has gone far, the
 * spread of before starts there, not with a jump that widens it.
 */
static void
catch_up(struct context *context, size_t d, double value)
{
    double away = within(value - context->mean[d], AWAY_MOST);

    if (context->moved[d] && context->count[d] >= SETTLED &&
        fabs(away) > FAR_SPREADS * sqrt(context->square[d])) {
        context->mean[d] = context->last[d] = value;
        context->upsets[d] = 0;
    }
    context->moved[d] = 0;
}

/*
 * Takes VALUE into the spread of feature D. An upset is not what the next
 * value is compared with, and does not count; if they go on it counts no
 * more than the edge of the usual. One bad value would otherwise make
 * hundreds of good ones behind it look odd.
 */
static void
remember(struct context *context, size_t d, double value)
{
    double share = 1.0 / ((double)context->count[d] + 1.0);
    double away = within(value - context->mean[d], AWAY_MOST);
    double far = FAR_SPREADS * sqrt(context->square[d]);
    int upset = context->count[d] >= SETTLED && fabs(away) > far;

    /* The first values are averaged evenly, until ALPHA is more. */
    share = share > ALPHA ? share : ALPHA;
    context->count[d]++;
    context->upsets[d] = upset ? context->upsets[d] + 1 : 0;
    context->last[d] = upset ? context->mean[d] : value;
    if (upset && far > 0.0 && context->upsets[d] <= PATIENCE)
        return;
    if (upset) {
        /* Of a value that never moved any move is an upset, and yet it has
         * to gain a spread, should it go on. */
        far = far > 0.0 ? far : FIRST_MOVE * fabs(away);
        away = away < 0.0 ? -far : far;
    }
    context->mean[d] += share * away;
    context->square[d] =
        (1.0 - share) * (context->square[d] + share * away * away);
}

const double *
pri_context_extend(struct context *context, const double *x, size_t N,
                   double *room)
{
    size_t D0 = context->D0;

    if (!context->on)
        return x;
    for (size_t i = 0; i < N; i++) {
        double *row = room + i * 3 * D0;
        for (size_t d = 0; d < D0; d++) {
            double value = x[i * D0 + d];
            row[d] = value;
            row[D0 + d] = row[2 * D0 + d] = 0.0;
            if (context->untimed[d])
                continue;
            if (!isnan(value))
                catch_up(context, d, value);
            row[D0 + d] = within(value - context->last[d], DBL_MAX);
            row[2 * D0 + d] = (double)NAN;
            if (isnan(value))
                continue;
            remember(context, d, value);
            if (context->count[d] >= SPREAD_MIN)
                row[2 * D0 + d] = sqrt(context->square[d]);
            /* The first record has no change yet: it is taken as none, so
             * that one record is not two thirds missing. */
            if (isnan(row[D0 + d]))
                row[D0 + d] = 0.0;
        }
    }
    return room;
}
