/* stat.c - ranks and medians against a sort, the errors' level by hand. */
#include <string.h>

#include "paths.h"
#include "rng.h"
#include "stat.h"
#include "tap.h"

#define MOST 1001

static int
ascending(const void *left, const void *right)
{
    float a = *(const float *)left, b = *(const float *)right;

    return (a > b) - (a < b);
}

enum order { SORTED, REVERSED, EQUAL, TIES, PIPES, RANDOM, ENDS };

static const struct {
    const char *name;
    enum order order;
    size_t count;
} cases[] = {
    {"one value", RANDOM, 1},
    {"two values", RANDOM, 2},
    {"two sorted values", SORTED, 2},
    {"two reversed values", REVERSED, 2},
    {"three values", RANDOM, 3},
    {"four reversed values", REVERSED, 4},
    {"ten sorted values", SORTED, 10},
    {"reversed values", REVERSED, 101},
    {"equal values", EQUAL, 50},
    {"many ties", TIES, 201},
    {"organ pipes", PIPES, 100},
    {"random values", RANDOM, 1000},
    {"an odd number of random values", RANDOM, MOST},
    {"infinities and zeros", ENDS, 9},
};

static void
fill(float *values, enum order order, size_t count)
{
    static const float ends[] = {0.0f, INFINITY, -1.0f, -INFINITY, 1e-40f};
    struct rng rng;

    pri_rng_init(&rng, 4, count);
    for (size_t i = 0; i < count; i++) {
        float at = (float)i, back = (float)(count - i);
        switch (order) {
        case SORTED: values[i] = at; break;
        case REVERSED: values[i] = back; break;
        case EQUAL: values[i] = 3.5f; break;
        case TIES: values[i] = (float)pri_rng_below(&rng, 5); break;
        case PIPES: values[i] = at < back ? at : back; break;
        case RANDOM: values[i] = pri_rng_normal(&rng); break;
        case ENDS: values[i] = ends[i % 5]; break;
        }
    }
}

static void
check_case(size_t c)
{
    static float given[MOST], sorted[MOST], work[MOST];
    size_t count = cases[c].count;
    int ranks = 1;

    fill(given, cases[c].order, count);
    memcpy(sorted, given, sizeof given);
    qsort(sorted, count, sizeof *sorted, ascending);
    for (size_t rank = 0; rank < count; rank++)
        ranks = ranks && pri_rank(given, count, rank) == sorted[rank];
    ok(ranks, "every rank is right: %s", cases[c].name);

    static float other[MOST];
    memcpy(work, given, sizeof given);
    pri_sort(work, count, other);
    ok(memcmp(work, sorted, count * sizeof *work) == 0, "%s: in order",
       cases[c].name);
    float away, spread = pri_spread_sorted(sorted, count, &away), median;
    memcpy(work, given, sizeof given);
    ok(pri_spread(work, count, &median) == spread && median == away,
       "%s: the spread is the same by the order", cases[c].name);
    float middle = sorted[count / 2];
    if (count % 2 == 0)
        middle = 0.5f * (middle + sorted[count / 2 - 1]);
    ok(pri_median(given, count) == middle, "the median is right: %s",
       cases[c].name);
}

/* Errors whose logarithms are normal: the level is exp(m + spread s). */
static void
check_normal_level(void)
{
    enum { N = 40000 };
    static float errors[N], copy[N], scratch[N];
    struct rng rng;

    pri_rng_init(&rng, 8, 1);
    for (size_t i = 0; i < N; i++)
        errors[i] = expf(-2.0f + 0.5f * pri_rng_normal(&rng));
    for (float spread = 0.0f; spread < 2.5f; spread += 0.5f) {
        float level = pri_error_level(errors, N, spread, 1e-9f, scratch);
        char name[64];
        snprintf(name, sizeof name, "the log-normal level %g deviations up",
                 (double)spread);
        is_close(log((double)level), -2.0 + 0.5 * (double)spread, 0.03, name);
    }

    /* A fifth of them replaced by anything: the level hardly moves. */
    memcpy(copy, errors, sizeof copy);
    for (size_t i = 0; i < N / 5; i++)
        copy[i] = 1e20f;
    is_close(log((double)pri_error_level(copy, N, 0.0f, 1e-9f, scratch)), -2.0,
             0.25, "a fifth of wild errors hardly moves the level");
    ok(copy[0] == 1e20f && copy[N - 1] == errors[N - 1],
       "errors stay as they were");
}

static void
check_levels(void)
{
    static const struct {
        const char *name;
        float errors[5];
        size_t count;
        float spread, floor;
        double wanted;
    } levels[] = {
        {"one error is its own level", {0.25f}, 1, 2.0f, 1e-6f, 0.25},
        {"equal errors are their level", {3, 3, 3}, 3, 2.0f, 1e-6f, 3.0},
        {"zeros count as the floor", {0, 0, 0}, 3, 2.0f, 1e-6f, 1e-6},
        {"errors below the floor count as it",
         {1e-9f, 1e-3f, 1e-3f, 1e-3f, 1e-3f},
         5,
         2.0f,
         1e-3f,
         1e-3},
        {"negative errors count as the floor", {-1}, 1, 2.0f, 1e-6f, 1e-6},
        /* logs 0 1 2 3 4, median 2, MAD 1: exp(2 + 1.5 * 1.4826) */
        {"logs 0 to 4, one and a half deviations",
         {1.0f, 2.7182818f, 7.3890561f, 20.085537f, 54.598150f},
         5,
         1.5f,
         1e-6f,
         68.2994},
        {"a floor in the middle lifts what is below",
         {1.0f, 2.7182818f, 7.3890561f, 20.085537f, 54.598150f},
         5,
         0.0f,
         20.085537f,
         20.085537},
    };
    float scratch[5];

    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        double level =
            (double)pri_error_level(levels[i].errors, levels[i].count,
                                    levels[i].spread, levels[i].floor, scratch);
        is_close(level, levels[i].wanted, 2e-5 * levels[i].wanted,
                 levels[i].name);
    }
}

/* The spread by hand: of what is even on both sides, of what reaches further
 * up than down, and of what is mostly the same. */
static void
check_spreads(void)
{
    static const struct {
        const char *name;
        float values[11];
        double median, spread;
    } spreads[] = {
        {"an even spread is 1.4826 MAD",
         {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
         5.0,
         1.4826 * 3.0},
        {"one that reaches up is seen",
         {0, 0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 2, 4, 8, 16, 32},
         0.5,
         7.5},
        {"one that reaches down is not",
         {-32, -16, -8, -4, -2, 0, 0.1f, 0.2f, 0.3f, 0.4f, 0.5f},
         0.0,
         1.4826 * 0.5},
        {"of values that are mostly the same the others tell",
         {1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3},
         1.0,
         2.0},
        {"of the same only it is none",
         {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
         1.0,
         0.0},
    };

    for (size_t i = 0; i < sizeof spreads / sizeof *spreads; i++) {
        float values[11], median;
        memcpy(values, spreads[i].values, sizeof values);
        float spread = pri_spread(values, 11, &median);
        is_close((double)spread, spreads[i].spread, 1e-4, spreads[i].name);
        is_close((double)median, spreads[i].median, 1e-6, "... its median");
    }
}

int
main(void)
{
    check_spreads();
    for (size_t at = 0; next_path(&at);)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
            check_case(c);
    check_normal_level();
    check_levels();
    return tap_done();
}
