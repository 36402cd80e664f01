/*
 * scale.c - columns of every size come out near 1 and go back to what they
 * were; nothing that is finite turns into something that is not.
 */
#include <float.h>
#include <string.h>

#include "paths.h"
#include "rng.h"
#include "scale.h"
#include "tap.h"

#define ROWS 200

/* Columns of BASE + STEP u, u even over -1 to 1 with both ends. */
static const struct column {
    const char *name;
    double base, step;
    double margin; /* of a round trip, in parts of the column's size */
} columns[] = {
    {"ordinary", 0.0, 1.0, 1e-6},
    {"offset", 1000.0, 1.0, 1e-9},
    {"negative", -5.0, 0.01, 1e-8},
    {"huge", 0.0, 1e300, 1e-6},
    {"huge and negative", -1e300, 3e299, 1e-6},
    {"huge, none above 0", -1e300, 1e300, 1e-6},
    {"huge, none below 0", 1e300, 1e300, 1e-6},
    {"nearly as large as doubles get", 0.0, 1e308, 1e-6},
    {"tiny", 0.0, 1e-290, 1e-6},
    {"small variation on a large offset", 1e12, 1.0, 1e-15},
    {"smaller variation on a large offset", 1e9, 1e-3, 1e-15},
};

#define COLS (sizeof columns / sizeof *columns)

static void
check_columns(void)
{
    static double x[ROWS * COLS];
    static float out[ROWS * COLS];
    struct scale scale;

    for (size_t i = 0; i < ROWS; i++)
        for (size_t d = 0; d < COLS; d++)
            x[i * COLS + d] =
                columns[d].base +
                columns[d].step * (2.0 * (double)i / (ROWS - 1) - 1.0);
    NEED(pri_scale_init(&scale, COLS) == PRAE_OK);
    pri_scale_fit(&scale, x, ROWS);
    pri_scale_apply(&scale, x, ROWS, 1, out);
    for (size_t d = 0; d < COLS; d++) {
        double size = fabs(columns[d].base) + columns[d].step;
        double low = (double)INFINITY, high = -low, off = 0.0, sum = 0.0;
        for (size_t i = 0; i < ROWS; i++) {
            double value = (double)out[i * COLS + d];
            low = fmin(low, value);
            high = fmax(high, value);
            sum += value / ROWS;
            double back = pri_scale_undo(&scale, d, value);
            off = fmax(off, fabs(back / size - x[i * COLS + d] / size));
        }
        /* A quarter of the range is the unit: -2 to 2 round 0. */
        if (!ok(fabs(low + 2.0) < 1e-2 && fabs(high - 2.0) < 1e-2,
                "%s: evenly spread values reach from -2 to 2", columns[d].name))
            printf("# from %g to %g\n", low, high);
        ok(fabs(sum) < 1e-2, "%s: the mean is 0", columns[d].name);
        if (!ok(off < columns[d].margin, "%s: values come back",
                columns[d].name))
            printf("# off by %g of the size\n", off);
    }
    pri_scale_fini(&scale);
    ok(scale.centre == NULL && scale.unit == NULL && scale.D == 0,
       "nothing is left after fini");
}

/* Columns of two values: all rows LOW but the first FEW, which are HIGH. */
static const struct {
    const char *name;
    double low, high;
    size_t few;
    double wanted_low, wanted_high; /* scaled */
} pairs[] = {
    {"a constant column is 0", 42.5, 42.5, 0, 0.0, 0.0},
    {"a constant of 1e300 is 0", 1e300, 1e300, 0, 0.0, 0.0},
    {"a constant 0.1 is 0 exactly", 0.1, 0.1, 0, 0.0, 0.0},
    {"halves are -2 and 2", -7.0, 9.0, 100, -2.0, 2.0},
    /* 8 sd = 8 sqrt(p (1 - p)) of the range, p = 1/200: unit 0.141067 */
    {"a far value sets two deviations", 0.0, 1.0, 1, -0.0354440, 7.0533681},
    {"denormal values are 0", 0.0, 1e-310, 100, 0.0, 0.0},
};

static void
check_pairs(void)
{
    for (size_t c = 0; c < sizeof pairs / sizeof *pairs; c++) {
        double x[ROWS];
        float out[ROWS];
        struct scale scale;
        for (size_t i = 0; i < ROWS; i++)
            x[i] = i < pairs[c].few ? pairs[c].high : pairs[c].low;
        NEED(pri_scale_init(&scale, 1) == PRAE_OK);
        pri_scale_fit(&scale, x, ROWS);
        pri_scale_apply(&scale, x, ROWS, 1, out);
        double first =
            pairs[c].few > 0 ? pairs[c].wanted_high : pairs[c].wanted_low;
        if (!ok(fabs((double)out[ROWS - 1] - pairs[c].wanted_low) < 1e-5 &&
                    fabs((double)out[0] - first) < 1e-5,
                "%s", pairs[c].name))
            printf("# %g and %g\n", (double)out[ROWS - 1], (double)out[0]);
        ok(scale.unit[0] > 0.0 && isfinite(scale.unit[0]),
           "the unit can be divided by: %s", pairs[c].name);
        pri_scale_fini(&scale);
    }
}

static void
check_clip(void)
{
    static const struct {
        double x, clipped, whole;
    } cases[] = {{1.0, 0.5, 0.5},
                 {20.0, 10.0, 10.0},
                 {-20.0, -10.0, -10.0},
                 {20.5, 10.0, 10.25},
                 {-25.0, -10.0, -12.5},
                 {30.0, 10.0, 15.0},
                 {-1e6, -10.0, -5e5},
                 {1e300, 10.0, (double)INFINITY},
                 {-DBL_MAX, -10.0, (double)-INFINITY}};
    struct scale scale;

    NEED(pri_scale_init(&scale, 1) == PRAE_OK);
    ok(scale.centre[0] == 0.0 && scale.unit[0] == 1.0,
       "before a fit values stay as they are");
    scale.unit[0] = 2.0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float clipped, whole = 0.0f;
        pri_scale_apply(&scale, &cases[i].x, 1, 1, &clipped);
        ok((double)clipped == cases[i].clipped, "%g clips to %g units",
           cases[i].x, cases[i].clipped);
        if (isinf(cases[i].whole))
            continue; /* not for unclipped columns, see model.c */
        pri_scale_apply(&scale, &cases[i].x, 1, 0, &whole);
        ok((double)whole == cases[i].whole, "%g unclipped is %g units",
           cases[i].x, cases[i].whole);
    }
    /* A difference that does not fit a double is still on its side. */
    double far = DBL_MAX;
    float out;
    scale.centre[0] = -DBL_MAX;
    pri_scale_apply(&scale, &far, 1, 1, &out);
    ok(out == 10.0f, "an overflow clips to 10 units");
    pri_scale_fini(&scale);
}

/* A constant column that moves is as far off as there is, unless its unit
 * is kept from getting so small. */
static void
check_constant(void)
{
    static const struct {
        double least, x, wanted;
    } cases[] = {{0.0, 3.0, 0.0}, {0.0, 3.0000001, 10.0}, {0.0, -1e9, -10.0},
                 {2.0, 4.0, 0.5}, {2.0, 1.0, -1.0},       {1e300, 1e9, 0.0}};
    double column[] = {3.0, 3.0, 3.0};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scale scale;
        float out;
        NEED(pri_scale_init(&scale, 1) == PRAE_OK);
        scale.least[0] = cases[i].least;
        pri_scale_fit(&scale, column, 3);
        pri_scale_apply(&scale, &cases[i].x, 1, 1, &out);
        ok(fabs((double)out - cases[i].wanted) < 1e-6,
           "a constant 3 that turns %g is %g units off, least %g", cases[i].x,
           cases[i].wanted, cases[i].least);
        pri_scale_fini(&scale);
    }
}

/* A column's scale is its own, whatever stands beside it. */
static void
check_columns_apart(void)
{
    double wide[ROWS * 3], alone[ROWS];
    struct scale scale, single;
    int same = 1;
    struct rng rng;

    pri_rng_init(&rng, 12, 1);
    for (size_t i = 0; i < ROWS * 3; i++)
        wide[i] = (double)pri_rng_normal(&rng) * pow(10.0, (double)(i % 3) * 9);
    NEED(pri_scale_init(&scale, 3) == PRAE_OK);
    pri_scale_fit(&scale, wide, ROWS);
    for (size_t d = 0; d < 3; d++) {
        for (size_t i = 0; i < ROWS; i++)
            alone[i] = wide[i * 3 + d];
        NEED(pri_scale_init(&single, 1) == PRAE_OK);
        pri_scale_fit(&single, alone, ROWS);
        same = same && single.centre[0] == scale.centre[d] &&
               single.unit[0] == scale.unit[d];
        pri_scale_fini(&single);
    }
    ok(same, "a column is scaled by itself");
    pri_scale_fini(&scale);
}

int
main(void)
{
    for (size_t path = 0; next_path(&path);) {
        check_columns();
        check_pairs();
        check_clip();
        check_constant();
        check_columns_apart();
    }
    return tap_done();
}
