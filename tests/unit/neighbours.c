/*
 * neighbours.c - the fifth nearest against all distances in double, sorted;
 * and which records are looked at.
 */
#include <string.h>

#include "neighbours.h"
#include "paths.h"
#include "rng.h"
#include "tap.h"

#define MOST_D 33
#define LEN_MOST 48
#define ROWS 150 /* more than two blocks of what is looked at together */
#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct rng rng;
static float x[ROWS * MOST_D], weight[MOST_D];

static int
ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* ||a - b||^2 by weight over what A has; a gap of B lies at the centre. */
static double
apart(const float *a, const float *b, size_t D)
{
    double sum = 0.0;

    for (size_t d = 0; d < D; d++) {
        double away = (double)a[d] - (isnan(b[d]) ? 0.0 : (double)b[d]);
        if (!isnan(away))
            sum += (double)weight[d] * away * away;
    }
    return sum;
}

/* The fifth nearest of neighbours that are no row SELF, or of fewer the
 * last; 0 without any. */
static double
fifth(const struct neighbours *n, const float *row, uint32_t self)
{
    double away[PRI_NEIGHBOURS] = {0.0};
    size_t count = 0;

    for (size_t r = 0; r < n->count; r++)
        if (n->source[r] != self)
            away[count++] = apart(row, n->x + r * n->D, n->D);
    qsort(away, count, sizeof *away, ascending);
    return count == 0 ? 0.0 : away[count < 5 ? count - 1 : 4];
}

/* COUNT neighbours: every second row of x, and behind the last one the same
 * again, as rows of others. */
static void
setup(struct neighbours *n, size_t D, size_t count)
{
    NEED(pri_neighbours_init(n, D) == PRAE_OK);
    pri_neighbours_choose(n, count, 0, NULL);
    NEED(n->count == count);
    for (size_t r = 0; r < count; r++) {
        n->source[r] = (uint32_t)(2 * r < ROWS ? 2 * r : ROWS + r);
        memcpy(n->x + r * D, x + 2 * r % ROWS * D, D * sizeof *x);
    }
    pri_neighbours_weigh(n, weight);
}

/* ---- distances ---- */

static const struct {
    size_t D, count;
    uint32_t gaps; /* one value in so many is missing; 0: none */
    uint32_t first;
} cases[] = {{4, 0, 0, PRI_STRANGER},
             {4, 1, 0, PRI_STRANGER},
             {4, 1, 0, 0},
             {4, 4, 0, PRI_STRANGER},
             {4, 5, 3, PRI_STRANGER},
             {4, 5, 0, 0},
             {4, 6, 4, 0},
             {1, 60, 0, 0},
             {7, 75, 0, 0},
             {7, 75, 2, 0},
             {7, 75, 40, 0},
             {33, 75, 0, 10},
             {33, 75, 5, PRI_STRANGER},
             {3, 65, 1, PRI_STRANGER},
             {5, 256, 9, 0}};

static void
plant(size_t D, uint32_t gaps)
{
    for (size_t d = 0; d < D; d++)
        weight[d] = 0.01f + 10.0f * pri_rng_uniform(&rng);
    for (size_t i = 0; i < ROWS * D; i++) {
        x[i] = pri_rng_normal(&rng);
        if (gaps > 0 && pri_rng_below(&rng, gaps) == 0)
            x[i] = NAN;
    }
}

static void
check_case(size_t c)
{
    size_t D = cases[c].D, rows = ROWS - 10, agree = 0;
    uint32_t first = cases[c].first;
    const float *from = x + (first == PRI_STRANGER ? 0 : first * D);
    float out[ROWS];
    struct neighbours n;
    double worst = 0.0;
    char name[80];

    plant(D, cases[c].gaps);
    setup(&n, D, cases[c].count);
    out[rows] = -1.0f;
    pri_neighbours_distance(&n, from, rows, first, out);
    for (size_t i = 0; i < rows; i++) {
        uint32_t self =
            first == PRI_STRANGER ? PRI_STRANGER : first + (uint32_t)i;
        double wanted = fifth(&n, from + i * D, self);
        worst = fmax(worst, fabs((double)out[i] - wanted) / (wanted + 1e-3));

        const float *near = pri_neighbours_nearest(&n, from + i * D, self);
        double away = near == NULL ? 0.0 : apart(from + i * D, near, D);
        int one =
            cases[c].count > 1 || (cases[c].count == 1 && n.source[0] != self);
        agree += (near != NULL) == one &&
                 fabs(away - (double)out[i]) <= 1e-5 * (away + 1e-3);
    }
    snprintf(name, sizeof name, "%zu neighbours in %zu features%s%s",
             cases[c].count, D, cases[c].gaps > 0 ? " with gaps" : "",
             first == PRI_STRANGER ? "" : ", none its own");
    ok(worst < 1e-4 && out[rows] == -1.0f, "the distance is the fifth's: %s",
       name);
    ok(agree == rows, "... and so is the record");
    pri_neighbours_fini(&n);
}

/* Rows, so many together, whose fifth is at FACTOR times its distance, against
 * what is asked. */
static void
check_within(size_t D, size_t count, uint32_t gaps, double factor, size_t rows)
{
    float out[ROWS], most[ROWS];
    unsigned char sure[ROWS];
    struct neighbours n;
    size_t wrong = 0, taken = 0, whole = 0, apart_by = 0;

    plant(D, gaps);
    setup(&n, D, count);
    pri_neighbours_distance(&n, x, ROWS, PRI_STRANGER, out);
    for (size_t i = 0; i < ROWS; i++) {
        most[i] = (float)((double)out[i] * factor);
        sure[i] = i % 7 == 0; /* and most says nothing of it */
        if (sure[i])
            most[i] = -1.0f;
    }
    for (size_t at = 0; at < ROWS; at += rows) {
        static float row[ROWS * LEN_MOST], around[ROWS];
        size_t some = ROWS - at < rows ? ROWS - at : rows;
        memset(row, 0, sizeof row);
        pri_neighbours_rows(&n, x + at * D, some, row);
        pri_neighbours_around(&n, row, some, around);
        for (size_t i = 0; i < some; i++)
            apart_by += around[i] != out[at + i];
        pri_neighbours_within(&n, row, some, most + at, sure + at);
    }
    for (size_t i = 0; i < ROWS; i++) {
        int gap = 0;
        for (size_t d = 0; d < D; d++)
            gap |= isnan(x[i * D + d]);
        if (i % 7 == 0) {
            wrong += !sure[i];
            continue;
        }
        whole += !gap;
        taken += sure[i];
        wrong += sure[i] && (gap || factor < 1.0);
    }
    ok(wrong == 0 && apart_by == 0,
       "%zu neighbours in %zu features, %g of the distance: none by mistake",
       count, D, factor);
    ok(taken == (factor > 1.0 && count >= 5 ? whole : 0),
       "... and all that are (%zu)", taken);
    pri_neighbours_fini(&n);
}

/* The same rows over and over, more than are asked about together. */
static void
test_many(void)
{
    enum { TIMES = 6 };
    static float row[TIMES * ROWS * LEN_MOST], most[TIMES * ROWS], away[ROWS];
    static unsigned char sure[TIMES * ROWS];
    size_t D = 33, taken = 0, other = 0;
    struct neighbours n;

    plant(D, 60);
    setup(&n, D, 75);
    pri_neighbours_distance(&n, x, ROWS, PRI_STRANGER, away);
    for (size_t i = 0; i < TIMES * ROWS; i++) {
        most[i] = away[i % ROWS] * (i % ROWS % 3 == 0 ? 0.9f : 1.1f);
        pri_neighbours_rows(&n, x + i % ROWS * D, 1, row + i * n.len);
    }
    pri_neighbours_within(&n, row, TIMES * ROWS, most, sure);
    for (size_t i = 0; i < TIMES * ROWS; i++) {
        taken += sure[i];
        other += sure[i] != sure[i % ROWS];
    }
    ok(other == 0 && taken > 0 && taken < TIMES * ROWS,
       "%d rows: %zu are within, wherever they stand", TIMES * ROWS, taken);
    pri_neighbours_fini(&n);
}

static void
test_within(void)
{
    static const size_t counts[] = {4, 5, 60, 75, 256};

    for (size_t c = 0; c < COUNT(counts); c++) {
        check_within(7, counts[c], 0, 1.01, 48);
        check_within(7, counts[c], 0, 0.99, 48);
        check_within(33, counts[c], 60, 1.01, ROWS);
        check_within(33, counts[c], 60, 0.99, ROWS);
    }
}

/* Four bad records that were trusted vouch for nobody, a fifth does. */
static void
test_company(void)
{
    float out;

    plant(1, 0);
    for (size_t bad = 4; bad <= 5; bad++) {
        struct neighbours n;
        for (size_t i = 0; i < bad; i++)
            x[2 * i] = 50.0f;
        setup(&n, 1, 60);
        pri_neighbours_distance(&n, x, 1, PRI_STRANGER, &out);
        ok((out == 0.0f) == (bad == 5), "%zu of a kind are %s", bad,
           bad == 5 ? "company" : "alone");
        pri_neighbours_fini(&n);
    }
}

/* Far from the centre the product rounds by more than neighbours differ. */
static void
test_rounding(void)
{
    struct neighbours n;
    float out;
    const float row[2] = {4000.0f, -3000.25f};

    weight[0] = weight[1] = 1.0f;
    for (size_t i = 0; i < ROWS; i++) {
        x[2 * i] = 4000.0f;
        x[2 * i + 1] = -3000.0f;
    }
    setup(&n, 2, 6);
    pri_neighbours_distance(&n, row, 1, PRI_STRANGER, &out);
    ok(out == 0.0625f, "a small distance far out is exact");
    pri_neighbours_distance(&n, x, 1, PRI_STRANGER, &out);
    ok(out == 0.0f, "... and none is 0");
    pri_neighbours_fini(&n);
}

static void
test_weights(void)
{
    struct neighbours n;
    float once[ROWS], again[ROWS], kept;
    size_t fourfold = 0;

    plant(4, 0);
    x[3] = NAN;
    setup(&n, 4, 75);
    ok(n.x[3] == 0.0f, "a neighbour's gap lies at the centre");
    kept = x[5];
    pri_neighbours_distance(&n, x, ROWS, 0, once);
    for (size_t d = 0; d < 4; d++)
        weight[d] *= 4.0f;
    pri_neighbours_weigh(&n, weight);
    pri_neighbours_distance(&n, x, ROWS, 0, again);
    for (size_t i = 0; i < ROWS; i++)
        fourfold += again[i] == 4.0f * once[i];
    ok(fourfold == ROWS && x[5] == kept, "four times the weights, four times "
                                         "the distances");
    pri_neighbours_fini(&n);
}

/* ---- which are looked at ---- */

static void
test_choice(void)
{
    /* One row in `good` is; what is within `reach` of a row is looked at. */
    static const struct {
        size_t N, shift, good, count, reach;
    } choices[] = {
        {0, 0, 1, 0, 0},        {1, 7, 1, 1, 0},         {200, 0, 1, 200, 0},
        {200, 777, 1, 200, 0},  {256, 3, 1, 256, 0},     {512, 0, 1, 256, 1},
        {2048, 0, 1, 256, 7},   {2048, 5000, 1, 256, 7}, {200, 0, 3, 67, 2},
        {512, 1, 2, 256, 1},    {2048, 9, 4, 256, 7},    {2048, 0, 8, 256, 7},
        {2048, 4, 100, 21, 99}, {700, 0, 701, 1, 700},   {257, 0, 1, 256, 1},
        {400, 0, 1, 256, 1},    {400, 399, 1, 256, 1},   {511, 3, 1, 256, 1},
        {700, 0, 1, 256, 2},    {1000, 41, 1, 256, 3},   {400, 0, 2, 200, 1},
        {2047, 0, 2, 256, 7}};
    static unsigned char good[2048], taken[2048];

    for (size_t c = 0; c < COUNT(choices); c++) {
        size_t N = choices[c].N, wrong = 0, gap = 0, most = 0;
        struct neighbours n;
        NEED(pri_neighbours_init(&n, 1) == PRAE_OK);
        memset(taken, 0, sizeof taken);
        for (size_t i = 0; i < N; i++)
            good[i] = i % choices[c].good == 0;
        pri_neighbours_choose(&n, N, choices[c].shift,
                              choices[c].good == 1 ? NULL : good);
        for (size_t r = 0; r < n.count; r++) {
            size_t row = n.source[r];
            wrong += row >= N || !good[row] || taken[row]++;
        }
        for (size_t i = 0; i < N; i++) {
            gap = taken[i] ? 0 : gap + 1;
            most = gap > most ? gap : most;
        }
        ok(n.count == choices[c].count && wrong == 0,
           "%zu of %zu rows, one in %zu good, are looked at once", n.count, N,
           choices[c].good);
        ok(most <= choices[c].reach, "... from all over (%zu apart)", most);
        pri_neighbours_fini(&n);
    }
}

int
main(void)
{
    pri_rng_init(&rng, 5, 1);
    for (size_t path = 0; next_path(&path);) {
        for (size_t c = 0; c < COUNT(cases); c++)
            check_case(c);
        test_within();
        test_many();
        test_company();
        test_rounding();
        test_weights();
        test_choice();
    }
    return tap_done();
}
