/*
 * smooth.c - scores over time against the exponentially weighted mean as it
 * is written down, and when they are smoothed at all.
 */
#include <string.h>

#include "rng.h"
#include "smooth.h"
#include "tap.h"

#define N 3000
#define SEEDS 100
#define COUNT(array) (sizeof(array) / sizeof *(array))

static float given[N], got[N];

/* Scores of which each is RHO of the one before and noise, of deviation 1. */
static void
plant(uint64_t seed, float rho)
{
    struct rng rng;
    float value = 0.0f;

    pri_rng_init(&rng, seed, 1);
    for (size_t i = 0; i < N; i++) {
        float noise = pri_rng_normal(&rng);
        value = i == 0 ? noise : rho * value + sqrtf(1.0f - rho * rho) * noise;
        given[i] = value - 2.0f;
    }
}

/* ---- smoothing ---- */

/* level_i = (1 - w)^i score_0 + sum_{j=1..i} w (1 - w)^(i - j) score_j: all at
 * once, where the code goes from one to the next. */
static double
level_of(size_t i, double w)
{
    double level = (double)given[0] * pow(1.0 - w, (double)i);

    for (size_t j = 1; j <= i; j++)
        level += w * pow(1.0 - w, (double)(i - j)) * (double)given[j];
    return level;
}

static void
test_spans(void)
{
    static const size_t spans[] = {2, 3, 7, 20, 100};

    plant(1, 0.5f);
    for (size_t s = 0; s < COUNT(spans); s++) {
        double w = 2.0 / ((double)spans[s] + 1.0), worst = 0.0;
        size_t own = 0, some = 300;
        struct smooth smooth;
        pri_smooth_init(&smooth, spans[s]);
        memcpy(got, given, sizeof got);
        pri_smooth_apply(&smooth, got, some, INFINITY);
        for (size_t i = 0; i < some; i++) {
            double level = level_of(i, w), less = (double)given[i] - 0.5;
            own += less > level;
            worst = fmax(worst, fabs((double)got[i] - fmax(less, level)));
        }
        if (!ok(worst < 1e-5 && own > 0 && own < some,
                "a span of %zu: the mean, or a score less a half", spans[s]))
            printf("# off by %g, %zu by themselves\n", worst, own);
    }
}

static void
test_spike(void)
{
    static const size_t spans[] = {2, 7, 50};

    for (size_t s = 0; s < COUNT(spans); s++) {
        struct smooth smooth;
        float w = 2.0f / (float)(spans[s] + 1);
        int falls = 1;
        for (size_t i = 0; i < 100; i++)
            got[i] = i == 50 ? 9.0f : 1.0f;
        pri_smooth_init(&smooth, spans[s]);
        pri_smooth_apply(&smooth, got, 100, INFINITY);
        ok(got[49] == 1.0f && got[50] == 8.5f,
           "span %zu: a single bad score stays one, less a half", spans[s]);
        for (size_t i = 51; i < 100; i++)
            falls &= got[i] >= 1.0f && got[i] <= got[i - 1];
        is_close((double)got[51], 1.0 + 8.0 * (double)(w * (1.0f - w)), 1e-5,
                 "... the next has its share of it");
        ok(falls, "... and those behind it less and less");
    }
}

/* What is remembered of it has a bound, what is said of it has not. */
static void
test_most(void)
{
    static float bounded[N];
    struct smooth as_is, within;

    for (size_t i = 0; i < 100; i++) {
        bounded[i] = got[i] = i == 50 ? 900.0f : 1.0f;
        given[i] = fminf(got[i], 3.0f);
    }
    pri_smooth_init(&as_is, 7);
    pri_smooth_init(&within, 7);
    pri_smooth_apply(&within, bounded, 100, 3.0f);
    pri_smooth_apply(&as_is, given, 100, INFINITY);
    ok(bounded[50] == 899.5f, "a score beyond the most is shown as it is");
    ok(memcmp(bounded, given, 50 * sizeof *given) == 0 &&
           memcmp(bounded + 51, given + 51, 49 * sizeof *given) == 0 &&
           within.level == as_is.level && bounded[51] < 1.5f,
       "... and those behind it are as if it had been the most");
    got[0] = 900.0f;
    pri_smooth_init(&within, 7);
    pri_smooth_apply(&within, got, 2, 3.0f);
    ok(got[0] == 899.5f && got[1] == 2.5f, "... also behind the first");
}

/* Also of values that a sum would round or lose the sign of. */
static void
test_off(void)
{
    static const size_t spans[] = {0, 1};

    for (size_t s = 0; s < COUNT(spans); s++) {
        struct smooth smooth;
        plant(2, 0.0f);
        given[7] = -0.0f;
        given[8] = 1e30f;
        memcpy(got, given, sizeof got);
        pri_smooth_init(&smooth, spans[s]);
        pri_smooth_apply(&smooth, got, N, INFINITY);
        ok(smooth.on == 0 && memcmp(got, given, sizeof got) == 0,
           "span %zu: scores that nothing asks for are left, bit for bit",
           spans[s]);
    }
}

/* The mean is kept all the time, so that it is there when it is wanted. */
static void
test_turn(void)
{
    struct smooth late, always;
    static float wanted[N];

    plant(2, 0.6f);
    memcpy(got, given, sizeof got);
    memcpy(wanted, given, sizeof wanted);
    pri_smooth_init(&late, 0);
    pri_smooth_apply(&late, got, N / 2, INFINITY);
    pri_smooth_learn(&late, given, N);
    pri_smooth_apply(&late, got + N / 2, N / 2, INFINITY);
    pri_smooth_init(&always, 7);
    pri_smooth_apply(&always, wanted, N, INFINITY);
    ok(memcmp(got, given, sizeof got / 2) == 0 &&
           memcmp(got + N / 2, wanted + N / 2, sizeof got / 2) == 0,
       "once it is on, all is as if it always had been, with a span of 7");
}

static void
test_chunks(void)
{
    static const size_t chunks[] = {1, 7, 64, 1000, N};
    static float whole[N];

    for (size_t span = 0; span <= 7; span += 7) {
        struct smooth once;
        plant(3, 0.6f);
        memcpy(whole, given, sizeof whole);
        pri_smooth_init(&once, span);
        pri_smooth_learn(&once, given, N);
        pri_smooth_apply(&once, whole, N, INFINITY);
        for (size_t c = 0; c < COUNT(chunks); c++) {
            struct smooth parts;
            size_t some;
            pri_smooth_init(&parts, span);
            memcpy(got, given, sizeof got);
            for (size_t at = 0; at < N; at += some) {
                some = N - at < chunks[c] ? N - at : chunks[c];
                pri_smooth_learn(&parts, given + at, some);
            }
            for (size_t at = 0; at < N; at += some) {
                some = N - at < chunks[c] ? N - at : chunks[c];
                pri_smooth_apply(&parts, got + at, some, INFINITY);
            }
            ok(once.level == parts.level && once.product == parts.product &&
                   memcmp(whole, got, sizeof got) == 0 && once.on,
               "span %zu: the same by %zu at a time", span, chunks[c]);
        }
    }
}

/* ---- when ---- */

/* In how many of SEEDS streams scores came to be smoothed, by COUNT at a
 * time; the mean likeness to *LIKENESS. */
static size_t
turned_on(float rho, size_t span, size_t count, double *likeness)
{
    size_t on = 0;

    *likeness = 0.0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct smooth smooth;
        int ever = 0;
        plant(seed, rho);
        pri_smooth_init(&smooth, span);
        for (size_t at = 0; at + count <= N; at += count) {
            pri_smooth_learn(&smooth, given + at, count);
            ever |= smooth.on;
        }
        on += (size_t)ever;
        *likeness += pri_smooth_likeness(&smooth) / SEEDS;
    }
    return on;
}

static void
test_auto(void)
{
    static const struct {
        const char *name;
        float rho;
        size_t span, count, on;
    } cases[] = {
        {"scores in stretches are smoothed", 0.6f, 0, 512, SEEDS},
        {"... in small windows, too", 0.6f, 0, 64, SEEDS},
        {"scores of their own are not", 0.0f, 0, 512, 0},
        {"... in small windows, nor", 0.0f, 0, 64, 0},
        {"scores unlike their neighbours are not", -0.6f, 0, 512, 0},
        {"what is off stays off", 0.6f, 1, 512, 0},
        {"what is asked for stays on", 0.0f, 7, 512, SEEDS},
    };

    for (size_t c = 0; c < COUNT(cases); c++) {
        double likeness;
        size_t on =
            turned_on(cases[c].rho, cases[c].span, cases[c].count, &likeness);
        ok(on == cases[c].on, "%s: %zu of %d", cases[c].name, on, SEEDS);
        is_close(likeness, (double)cases[c].rho, 0.02,
                 "... the likeness is what it was made with");
    }
}

static void
test_change(void)
{
    struct smooth smooth;
    int before;

    pri_smooth_init(&smooth, 0);
    ok(pri_smooth_likeness(&smooth) == 0.0, "no scores are like no others");
    for (size_t i = 0; i < 32; i++)
        given[i] = i < 16 ? 1.0f : 5.0f;
    pri_smooth_learn(&smooth, given, 31);
    before = smooth.on;
    pri_smooth_learn(&smooth, given + 31, 1);
    ok(!before && smooth.on, "a few scores tell nothing yet, some more do");
    plant(4, 0.9f);
    pri_smooth_learn(&smooth, given, N);
    before = smooth.on;
    for (uint64_t seed = 5; seed < 15; seed++) {
        plant(seed, 0.0f);
        pri_smooth_learn(&smooth, given, N);
    }
    ok(before && !smooth.on, "stretches that are no more are forgotten");

    pri_smooth_init(&smooth, 0);
    for (size_t i = 0; i < N; i++)
        given[i] = -3.25f;
    pri_smooth_learn(&smooth, given, N);
    ok(pri_smooth_likeness(&smooth) == 0.0 && !smooth.on,
       "scores that never differ have no likeness");
}

/* Scores to and fro, ever less: their products with the one before are more
 * than their squares. */
static void
test_range(void)
{
    struct smooth smooth;
    double least = 1.0, beyond = 0.0;

    pri_smooth_init(&smooth, 0);
    for (size_t i = 0; i < 100; i++) {
        float value = (i % 2 == 0 ? 1.0f : -1.0f) * powf(0.9f, (float)i);
        pri_smooth_learn(&smooth, &value, 1);
        least = fmin(least, pri_smooth_likeness(&smooth));
        if (smooth.square > 0.0)
            beyond = fmin(beyond, smooth.product / smooth.square);
    }
    ok(least == -1.0 && beyond < -1.2 && !smooth.on,
       "likeness is -1 at least, whatever the means (%.3f)", beyond);
}

int
main(void)
{
    test_spans();
    test_spike();
    test_most();
    test_off();
    test_turn();
    test_chunks();
    test_auto();
    test_change();
    test_range();
    return tap_done();
}
